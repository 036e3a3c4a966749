//! Which data of hidden cards the service must not show, and to which callers it may show them.

use std::collections::BTreeSet;
use std::sync::Arc;

use cardscape::app::state::ApiSettings;
use cardscape::domain::catalogue::import::GameSource;
use cardscape::domain::clock::Clock;
use cardscape::store::{Store, StoreSettings};
use cardscape_engine::rng::{RandomNumbers as _, SplitMix64};
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::catalogue::bulk_files::unpack;
use crate::support::{
    Answer, Player, Received, Receiver, RequestExt as _, TestApp, TestDb, edit_set, import_into,
    in_memory, seed_data, set_file,
};

/// A game with scans of its printings. The URLs of the scans contain everything that a template can contain.
fn with_scans(mut source: GameSource) -> GameSource {
    source.manifest.text +=
        "\n[images]\nscan = \"/scans/{game}/{set}/{number}-{rarity}-{id}.jpg\"\n";
    source
}

/// Two services whose databases differ only in the content of the hidden cards. The ids are the same.
pub async fn twins() -> (TestApp, TestApp) {
    twins_with(|settings| settings.card_cache_bytes = 1 << 25).await
}

/// The same, with other settings.
pub async fn twins_with(change: fn(&mut ApiSettings)) -> (TestApp, TestApp) {
    let clock = Clock::system();
    let one = TestDb::create().await;
    import_at(&one, &clock, &with_scans(seed_data("ttcg"))).await;
    let other = one.copy().await;
    let mut changed = with_scans(seed_data("ttcg"));
    edit_set(&mut changed, "veil", |set| {
        let cards = set["cards"].as_array_mut().unwrap();
        let numbers: Vec<Value> = cards.iter().map(|card| card["number"].clone()).collect();
        // Kinds, types and ranks move to other cards; names and texts are replaced.
        cards.rotate_left(5);
        for (card, number) in cards.iter_mut().zip(numbers) {
            card["name"] = format!("Wholly Different {}", number.as_str().unwrap()).into();
            card["number"] = number;
            // Otherwise each value would still have the same number of cards.
            if card["kind"] == "unit" {
                card["attributes"]["subtypes"] = json!(["dragon"]);
            }
            card["effects"][0]["text"] = "Draw a card, then think about it.".into();
            card["lore"] = "Nobody wrote this before.".into();
        }
    });
    clock.advance(chrono::Duration::days(1));
    import_at(&other, &clock, &changed).await;
    // Some hidden cards have rulings in one database only, others have different rulings in both. Open cards have the same rulings in both.
    let rulings = |numbers: &str, set: &str, text: &str| {
        format!(
            "INSERT INTO card_rulings (id, card_id, kind, text, published_on, created_at) \
             SELECT md5(id::text)::uuid, id, 'ruling', '{text}', '2026-11-01', created_at FROM cards \
             WHERE set_code = '{set}' AND number IN ({numbers});"
        )
    };
    let open = rulings("'001', '002'", "hearth", "The same for all.");
    let here = rulings("'001', '002', '003'", "veil", "It burns.");
    let there = rulings("'003', '004'", "veil", "It swims.");
    one.sql(&(open.clone() + &here)).await;
    other.sql(&(open + &there)).await;
    let start = |db| TestApp::start_on(Arc::new(db), clock.clone(), change);
    (start(one), start(other))
}

async fn import_at(db: &TestDb, clock: &Clock, source: &GameSource) {
    let store = Store::new(&StoreSettings::new(db.url())).unwrap();
    import_into(&store, clock, source).await.unwrap();
}

/// The parts of an answer that could depend on the content of cards: status, headers and body without what differs in every answer.
pub fn visible(answer: &Answer) -> (u16, Vec<(String, String)>, String) {
    let mut headers: Vec<(String, String)> = answer
        .headers
        .iter()
        .filter(|(name, _)| {
            !["x-request-id", "date"].contains(&name.as_str())
                && !name.as_str().starts_with("ratelimit")
        })
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect();
    headers.sort();
    let request = answer.header("x-request-id");
    (answer.status, headers, answer.text().replace(&format!("urn:uuid:{request}"), ""))
}

/// Names and parts of names that hidden cards have in one of the two databases, and a name that no card has.
fn names() -> Vec<String> {
    let file = set_file(&seed_data("ttcg"), "veil");
    let hidden = |at: usize| file["cards"][at]["name"].as_str().unwrap().to_owned();
    let mut names: Vec<String> = (0..4).map(hidden).collect();
    names.extend(
        ["Wholly Different 001", "wholly*", "n*", "w*", "ember*", "Nothing At All"]
            .map(str::to_owned),
    );
    names
}

/// Every read of the catalogue. For the list of cards, a fixed stride picks from all combinations of a few values for each filter.
async fn every_path(app: &TestApp) -> Vec<String> {
    let mut paths = vec![
        "/v1/games".to_owned(),
        "/v1/games/ttcg".to_owned(),
        "/v1/games/ttcg/formats/standard".to_owned(),
        "/v1/games/ttcg/schema".to_owned(),
        "/v1/games/ttcg/manifest".to_owned(),
        "/v1/changes?after=0&limit=200".to_owned(),
        "/v1/changes?after=100&game=ttcg".to_owned(),
        "/v1/card-migrations".to_owned(),
    ];
    paths.extend(["/v1/games/ttcg/sets", "/v1/games/ttcg/sets/veil"].map(str::to_owned));
    paths.extend(
        ["print-statistics", "print-commitments"]
            .map(|last| format!("/v1/games/ttcg/sets/veil/{last}")),
    );
    let veil = app.get("/v1/cards?set=veil&limit=200").answer().await.expect(200);
    for card in veil["data"].as_array().unwrap() {
        let (id, number) = (card["id"].as_str().unwrap(), card["number"].as_str().unwrap());
        paths.push(format!("/v1/games/ttcg/sets/veil/cards/{number}"));
        paths.push(format!("/v1/cards/{id}"));
        paths.extend(
            [
                "printings",
                "rulings",
                "history",
                "history?limit=1",
                "unlock",
                "picture",
                "picture?rarity=rare&format=png",
            ]
            .map(|of| format!("/v1/cards/{id}/{of}")),
        );
        // The id that a ruling of this card has, if there is one.
        let id: uuid::Uuid = id.parse().unwrap();
        let ruling = app.db().value(&format!("SELECT md5('{id}')::uuid")).await;
        paths.push(format!("/v1/rulings/{ruling}"));
    }
    let options: [Vec<String>; 8] = [
        ["", "game=ttcg", "game=emojito"].map(str::to_owned).to_vec(),
        ["", "set=veil", "set=hearth"].map(str::to_owned).to_vec(),
        ["", "number=001", "number=007"].map(str::to_owned).to_vec(),
        ["", "hidden=true", "hidden=false"].map(str::to_owned).to_vec(),
        ["", "kind=unit", "kind=spell", "kind=lore"].map(str::to_owned).to_vec(),
        ["", "rarity=common", "rarity=primal_rare", "rarity=none"].map(str::to_owned).to_vec(),
        std::iter::once(String::new())
            .chain(names().into_iter().map(|name| format!("name={name}")))
            .collect(),
        ["", "include=total", "limit=3", "limit=200&include=total"].map(str::to_owned).to_vec(),
    ];
    let all: usize = options.iter().map(Vec::len).product();
    // The stride is coprime to every length, so that each value is combined with each other value.
    for step in (0..all).step_by(149) {
        let mut rest = step;
        let mut query = Vec::new();
        for values in &options {
            query.push(values[rest % values.len()].as_str());
            rest /= values.len();
        }
        query.retain(|part| !part.is_empty());
        paths.push(format!("/v1/cards?{}", query.join("&")));
    }
    paths
}

/// Queries whose terms match hidden cards in one of the two databases. The terms are negated, joined and nested by a pseudo-random generator with a fixed seed.
fn queries(names: &[String]) -> Vec<String> {
    let mut terms: Vec<String> = [
        "t:fire",
        "t:dark",
        "t=spell",
        "kind:unit",
        "k!=lore",
        "attack>300",
        "attack<=325",
        "def!=175",
        "total>=1500",
        "rank:1",
        "rank>2",
        "subtype:ghost",
        "style:counter",
        "has:lore",
        "has:attack",
        "has:boost_attack",
        "o:draw",
        "effect:\"draw a card\"",
        "lore:nobody",
        "lore:wall",
        "shadow",
        "wholly",
        "\"wholly different\"",
        "/^n/",
        "name:/^w/",
        "o:/draw (a|one) card/",
        "/./",
        "r:common",
        "r>=rare",
        "r:primal_rare",
        "year:2026",
        "year<2026",
        "boost_attack>20",
        "about:fox",
        "stage:megamoji",
        "game:ttcg",
        "set:veil",
        "set:hearth",
        "number:1",
        "number<5",
        "is:hidden",
        "not:hidden",
        "is:unlocked",
        "submissions:0",
        "submissions>3",
        "unlocked>2026-01-01",
        "atack>3",
        "t:ghots",
        "🔥",
        "keyword:mute",
        "legal:standard",
        "banned:ttcg/standard@2026-11-01",
        "f:half@2026-11-01",
    ]
    .map(str::to_owned)
    .to_vec();
    terms.extend(names.iter().map(|name| format!("name=\"{}\"", name.replace('*', ""))));
    terms.extend(names.iter().map(|name| format!("\"{}\"", name.replace('*', ""))));
    let mut numbers = SplitMix64::new(7);
    let mut pick = move |end: usize| usize::try_from(numbers.below(end as u128)).unwrap();
    let mut queries: Vec<String> =
        terms.iter().flat_map(|term| [term.clone(), format!("-{term}")]).collect();
    for _ in 0..200 {
        let mut term = || {
            let sign = ["", "-", "--"][pick(3)];
            format!("{sign}{}", terms[pick(terms.len())])
        };
        let (a, b, c, d) = (term(), term(), term(), term());
        let shape = pick(6);
        queries.push(match shape {
            0 => format!("{a} or {b}"),
            1 => format!("{a} {b}"),
            2 => format!("-({a} or {b}) {c}"),
            3 => format!("-({a} {b}) or -({c} {d})"),
            4 => format!("is:hidden -({a} {b})"),
            _ => format!("({a} or set:veil) ({b} or is:hidden) -({c})"),
        });
    }
    queries
}

/// Lists for these queries, with several sort orders and page sizes.
pub fn searches() -> Vec<String> {
    let ways = [
        "",
        "total=true",
        "sort=name",
        "sort=attack&order=desc&total=true",
        "sort=rank&limit=7",
        "unique=printings&total=true",
        "sort=type&limit=5",
        "sort=total&order=desc&limit=9",
        "unique=printings&sort=attack&limit=3",
        "sort=rarity&limit=200",
        "sort=year",
        "sort=kind&fields=name,number",
        "sort=boost_attack&limit=11",
        "sort=submissions&order=desc",
    ];
    let lists = queries(&names()).into_iter().enumerate().map(|(at, query)| {
        let query = form_urlencoded::byte_serialize(query.as_bytes()).collect::<String>();
        format!("/v1/cards?q={query}&{}", ways[at % ways.len()])
    });
    let sorted = ways.iter().map(|way| format!("/v1/cards?set=veil&{way}"));
    lists.chain(sorted).collect()
}

/// Callers that must see only the places of hidden cards: a client without an account, a player without copies, and a holder of copies whose token
/// has no scope for cards.
struct CallersWithoutContent([(&'static str, Option<(Player, Player)>); 3]);

impl CallersWithoutContent {
    async fn among(one: &TestApp, other: &TestApp) -> Self {
        let ada = (one.player("ada").await, other.player("ada").await);
        let mut tokens = Vec::new();
        for app in [one, other] {
            let ben = app.player("ben").await;
            for number in ["002", "003"] {
                app.give_copy(&ben.id, "ttcg", "veil", number).await;
            }
            let token = json!({ "name": "small", "scopes": ["decks:read"] });
            let token = app.post("/v1/tokens").by(&ben).json(&token).answer().await.expect(201);
            let access_token = token["secret"].as_str().unwrap().to_owned();
            tokens.push(Player { access_token, ..ben });
        }
        let [here, there] = <[Player; 2]>::try_from(tokens).unwrap();
        Self([
            ("a client without an account", None),
            ("a player without copies", Some(ada)),
            ("a holder's small token", Some((here, there))),
        ])
    }

    /// Sends the same request to both services as each of these callers, and compares the answers. Returns the answer to the client without an account.
    async fn see_the_same(
        &self,
        one: &TestApp,
        other: &TestApp,
        what: &str,
        ask: impl Fn(&TestApp) -> RequestBuilder,
    ) -> Answer {
        let mut to_a_stranger = None;
        for (who, players) in &self.0 {
            let (here, there) = match players {
                None => tokio::join!(ask(one).answer(), ask(other).answer()),
                Some((here, there)) => {
                    tokio::join!(ask(one).by(here).answer(), ask(other).by(there).answer())
                }
            };
            assert_eq!(visible(&here), visible(&there), "{what} to {who}");
            let stranger = to_a_stranger.get_or_insert(here.clone());
            let (same, strangers) = (visible(&here), visible(stranger));
            assert_eq!((same.0, same.2), (strangers.0, strangers.2), "{what}: {who} sees more");
        }
        to_a_stranger.unwrap()
    }
}

/// A search finds hidden cards only by data that is public.
#[tokio::test]
async fn searches_in_the_database_do_not_depend_on_hidden_content() {
    let (one, other) = twins().await;
    assert_searches_do_not_depend_on_hidden_content(one, other).await;
}

#[tokio::test]
async fn searches_in_memory_do_not_depend_on_hidden_content() {
    let (one, other) = twins_with(in_memory).await;
    tokio::join!(one.catch_up(), other.catch_up());
    assert_searches_do_not_depend_on_hidden_content(one, other).await;
}

async fn assert_searches_do_not_depend_on_hidden_content(one: TestApp, other: TestApp) {
    let blind = CallersWithoutContent::among(&one, &other).await;
    tokio::join!(caught_up(&one), caught_up(&other));
    let mut paths = searches();
    assert!(paths.len() > 300, "{}", paths.len());
    for query in queries(&names()).into_iter().step_by(5) {
        let query = form_urlencoded::byte_serialize(query.as_bytes()).collect::<String>();
        paths.push(format!("/v1/games/ttcg/facets?q={query}"));
        paths.push(format!("/v1/cards/random?seed=x&q={query}"));
    }
    let mut answered = 0;
    for first in &paths {
        let mut path = first.clone();
        // Further pages are read too, because their cursors contain sort keys.
        for _ in 0..2 {
            let here = blind.see_the_same(&one, &other, &path, |app| app.get(&path)).await;
            answered += usize::from(here.status == 200);
            let link = here.header("link");
            let Some((next, _)) = link.strip_prefix('<').and_then(|link| link.split_once('>'))
            else {
                break;
            };
            next.clone_into(&mut path);
        }
    }
    assert!(answered > paths.len() / 3, "{answered}");
    // The comparison can fail: for moderators most of these lists differ.
    let (here, there) = (one.moderator().await, other.moderator().await);
    let mut differ = 0;
    for path in &paths {
        let (here, there) =
            (one.get(path).by(&here).answer().await, other.get(path).by(&there).answer().await);
        differ += usize::from(visible(&here) != visible(&there));
    }
    assert!(differ > paths.len() / 3, "{differ} of {}", paths.len());
}

/// Waits until the card index has read the changes of the test, if the instance has a card index.
pub async fn caught_up(app: &TestApp) {
    if app.shared().settings.card_index {
        app.catch_up().await;
    }
}

/// Costly terms are tried on a few cards only. Neither the choice of these cards nor the notice about the limit may depend on hidden content.
#[tokio::test]
async fn the_limit_of_costly_terms_shows_nothing_of_hidden_cards() {
    let (one, other) = twins_with(|settings| settings.search_candidates = 7).await;
    let (ada_here, ada_there) = (one.player("ada").await, other.player("ada").await);
    let (mod_here, mod_there) = (one.moderator().await, other.moderator().await);
    let costly = ["/./", "/w/", "-/n/", "name:/^w/", "about:fox", "o:/draw (a|one) card/"];
    let cheap = [
        "",
        "set:veil",
        "kind:unit",
        "-kind:spell",
        "t:dark",
        "is:hidden",
        "number<9",
        "wholly",
        "subtype:dragon",
        "attack>300",
        "r:rare",
        "-set:hearth",
    ];
    let ways = ["", "unique=printings", "sort=name&total=true", "order=desc"];
    let (mut cut, mut differ) = (0, 0);
    for (at, (costly, cheap)) in
        costly.iter().flat_map(|costly| cheap.iter().map(move |cheap| (costly, cheap))).enumerate()
    {
        let joined = if at % 3 == 2 { " or " } else { " " };
        let q =
            if cheap.is_empty() { (*costly).to_owned() } else { [*costly, *cheap].join(joined) };
        let q: String = form_urlencoded::byte_serialize(q.as_bytes()).collect();
        let path = format!("/v1/cards?q={q}&{}", ways[at % ways.len()]);
        let ask = async |app: &TestApp, by: Option<&Player>| {
            let request = app.get(&path);
            match by {
                None => request.answer().await,
                Some(player) => request.by(player).answer().await,
            }
        };
        let (here, there) = (ask(&one, None).await, ask(&other, None).await);
        assert_eq!(visible(&here), visible(&there), "{path} without an account");
        cut += usize::from(here.text().contains("only tried on the first 7 cards"));
        let (here, there) = (ask(&one, Some(&ada_here)).await, ask(&other, Some(&ada_there)).await);
        assert_eq!(visible(&here), visible(&there), "{path} to a player without copies");
        let (here, there) = (ask(&one, Some(&mod_here)).await, ask(&other, Some(&mod_there)).await);
        differ += usize::from(visible(&here) != visible(&there));
    }
    assert!(cut > 10, "{cut}");
    assert!(differ > 5, "the comparison can fail: {differ}");
}

#[tokio::test]
async fn a_term_on_content_finds_no_hidden_card_negated_or_not() {
    let app = TestApp::start_seeded(&["ttcg", "emoji-tcg"]).await;
    let (ada, moderator) = (app.player("ada").await, app.moderator().await);
    app.give_copy(&ada.id, "ttcg", "veil", "002").await;
    let file = set_file(&seed_data("ttcg"), "veil");
    let all = file["cards"].as_array().unwrap().len();
    let search = async |by: Option<&Player>, query: &str| {
        let query = form_urlencoded::byte_serialize(query.as_bytes()).collect::<String>();
        found(&app, by, &format!("q={query}")).await
    };
    // Card 002 is the spell Fogbound Signpost.
    for (query, hers) in [
        ("t:spell", 1),
        ("-t:spell", 0),
        ("t:fire", 0),
        ("-t:fire", 1),
        ("--t:spell", 1),
        ("-(t:fire or t:water)", 1),
        ("-(t:spell is:hidden)", 0),
        ("-(t:fire is:hidden)", 1),
        ("r:common", 1),
        ("-r:common", 0),
        ("fogbound", 1),
        ("-fogbound", 0),
        ("/fogbound s/", 1),
        ("-/fogbound s/", 0),
        ("lore:home", 1),
        ("has:lore", 1),
        ("-has:lore", 0),
        ("-has:attack", 1),
        ("attack>0", 0),
        ("-attack>0", 1),
        ("boost_attack>=50", 1),
        ("boost_attack!=50", 0),
        ("rank:2", 1),
        ("year:2026", 1),
        ("-year:2025", 1),
        ("style:counter", 1),
        ("-style:counter", 0),
        ("stage:megamoji", 0),
        ("-stage:megamoji", 1),
        ("emoji:🔥", 0),
        ("-emoji:🔥", 1),
        ("total>0", 0),
        ("-total>0", 1),
        ("kind:spell set:veil", 1),
        ("-kind:spell", 0),
        ("t:spell unique:printings r>=mythic_rare", 2),
    ] {
        assert_eq!(search(Some(&ada), query).await, hers, "{query} to a holder");
        assert_eq!(search(None, query).await, 0, "{query} without an account");
        assert!(search(Some(&moderator), query).await >= hers, "{query} to a moderator");
    }
    for (query, expected) in [
        ("is:hidden", all),
        ("-not:hidden", all),
        ("set:veil", all),
        ("-set:hearth", all),
        ("number:2", 1),
        ("-number:2", all - 1),
        ("game:ttcg", all),
        ("-game:emoji-tcg", all),
        ("submissions<5", all),
        ("-submissions>0", all),
        ("is:unlocked", 0),
        ("-is:unlocked", all),
        ("number:2 or t:fire", 1),
        ("-number:2 or t:spell", all - 1),
        ("set:veil -(number:2 t:fire)", all - 1),
    ] {
        assert_eq!(search(None, query).await, expected, "{query} without an account");
    }
}

#[tokio::test]
async fn catalogue_reads_do_not_depend_on_hidden_content() {
    let (one, other) = twins().await;
    let paths = every_path(&one).await;
    assert!(paths.len() > 400, "{}", paths.len());
    let blind = CallersWithoutContent::among(&one, &other).await;
    for path in &paths {
        // Twice: the second answer may come from the cache.
        for _ in 0..2 {
            blind.see_the_same(&one, &other, path, |app| app.get(path)).await;
        }
        if path.starts_with("/v1/cards") || path.contains("/cards/") {
            let as_text = |app: &TestApp| app.get(path).header("accept", "text/plain");
            blind.see_the_same(&one, &other, &format!("{path} as text"), as_text).await;
        }
    }
    // The comparison can fail: a moderator sees the difference.
    let (here, there) = (one.moderator().await, other.moderator().await);
    let path = "/v1/games/ttcg/sets/veil/cards/001";
    let card = one.get(path).by(&here).answer().await.expect(200);
    assert_ne!(card["name"], other.get(path).by(&there).answer().await.expect(200)["name"]);
    for of in ["rulings", "history"] {
        let path = format!("/v1/cards/{}/{of}", card["id"].as_str().unwrap());
        let (here, there) =
            (one.get(&path).by(&here).answer().await, other.get(&path).by(&there).answer().await);
        assert_ne!(visible(&here), visible(&there), "{path}");
    }
}

#[tokio::test]
async fn a_hidden_card_shows_its_place_and_progress_and_nothing_else() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let answer = app.get("/v1/games/ttcg/sets/veil/cards/001").answer().await;
    assert_eq!(
        (answer.header("last-modified"), answer.header("cache-control")),
        (String::new(), "public, max-age=5".into())
    );
    let card = answer.expect(200);
    let fields: Vec<&String> = card.as_object().unwrap().keys().collect();
    assert_eq!(fields.len(), 7, "{card}");
    let picture = format!("/v1/cards/{}/picture", card["id"].as_str().unwrap());
    let png = format!("{picture}?format=png");
    assert_eq!(card["image_uris"], serde_json::json!({ "svg": picture, "png": png }));
    assert_eq!(card["hidden"], true);
    assert_eq!(card["unlock"], serde_json::json!({ "submissions": 0, "threshold": 5 }));
    let printings = format!("/v1/cards/{}/printings", card["id"].as_str().unwrap());
    let printings = app.get(&printings).answer().await.expect(200);
    assert_eq!(printings, serde_json::json!({ "data": [], "hidden": true }));
}

/// The picture is the same for every hidden card and every requested rarity, whether the card has that rarity or not.
#[tokio::test]
async fn all_hidden_cards_have_the_same_picture() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    app.sql(
        "DELETE FROM printings p USING cards c WHERE c.id = p.card_id AND c.set_code = 'veil' \
         AND c.number = '002' AND p.rarity = 'primal_rare'",
    )
    .await;
    let cards = app.get("/v1/cards?set=veil&hidden=true&limit=3").answer().await.expect(200);
    let mut seen = std::collections::BTreeSet::new();
    for card in cards["data"].as_array().unwrap() {
        for query in ["", "?rarity=common", "?rarity=primal_rare", "?format=svg"] {
            let path = format!("/v1/cards/{}/picture{query}", card["id"].as_str().unwrap());
            let answer = app.get(&path).answer().await;
            assert_eq!(answer.header("cache-control"), "public, max-age=5");
            assert_eq!(answer.header("last-modified"), "");
            assert_eq!(answer.status, 200, "{path}");
            seen.insert((answer.header("etag"), answer.header("content-length")));
        }
    }
    assert_eq!(seen.len(), 1, "{seen:?}");
    let path = format!("/v1/cards/{}/picture", cards["data"][0]["id"].as_str().unwrap());
    let moderator = app.moderator().await;
    let answer = app.get(&path).by(&moderator).answer().await;
    assert_eq!(answer.header("cache-control"), "private, no-store");
    assert!(!seen.contains(&(answer.header("etag"), answer.header("content-length"))));
}

/// How many cards of the hidden set a caller finds with a query.
async fn found(app: &TestApp, by: Option<&Player>, query: &str) -> usize {
    let request = app.get(&format!("/v1/cards?set=veil&limit=200&include=total&{query}"));
    let request = if let Some(player) = by { request.by(player) } else { request };
    let page = request.answer().await.expect(200);
    let cards = page["data"].as_array().unwrap().len();
    assert_eq!(page["total"], cards);
    cards
}

#[tokio::test]
async fn holders_see_their_cards_and_moderators_see_all_cards() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (ada, ben, moderator) =
        (app.player("ada").await, app.player("ben").await, app.moderator().await);
    app.give_copy(&ada.id, "ttcg", "veil", "002").await;
    let file = set_file(&seed_data("ttcg"), "veil");
    let (name, all) =
        (file["cards"][1]["name"].as_str().unwrap(), file["cards"].as_array().unwrap().len());
    let path = "/v1/games/ttcg/sets/veil/cards/002";

    for holder in [&ada, &moderator] {
        let answer = app.get(path).by(holder).answer().await;
        assert_eq!(answer.header("cache-control"), "private, no-cache");
        let card = answer.expect(200);
        assert_eq!((&card["name"], &card["hidden"]), (&name.into(), &true.into()));
        assert_eq!(card["unlock"]["threshold"], 5);
        let printings = format!("/v1/cards/{}/printings", card["id"].as_str().unwrap());
        assert_eq!(
            app.get(&printings).by(holder).answer().await.expect(200)["data"]
                .as_array()
                .unwrap()
                .len(),
            6
        );
        assert_eq!(found(&app, Some(holder), &format!("name={name}")).await, 1);
        assert_eq!(found(&app, Some(holder), &format!("name={name}&hidden=false")).await, 0);
    }
    assert_eq!(app.get(path).by(&ben).answer().await.expect(200).get("name"), None);
    for caller in [None, Some(&ben)] {
        assert_eq!(found(&app, caller, &format!("name={name}")).await, 0);
        assert_eq!(found(&app, caller, "rarity=common").await, 0);
        assert_eq!(found(&app, caller, "hidden=true").await, all);
    }
    assert_eq!(found(&app, Some(&ada), "rarity=common").await, 1);
    assert_eq!(found(&app, Some(&moderator), "rarity=common").await, all);

    // A voided copy no longer shows the card to its holder. A token without the scope never shows it.
    let token = serde_json::json!({ "name": "t", "scopes": ["decks:read"] });
    let token = app.post("/v1/tokens").by(&ada).json(&token).answer().await.expect(201);
    let blind =
        Player { access_token: token["secret"].as_str().unwrap().to_owned(), ..ada.clone() };
    assert_eq!(found(&app, Some(&blind), "rarity=common").await, 0);
    app.sql("UPDATE copies SET voided_at = '2026-12-01T00:00:00Z'").await;
    assert_eq!(found(&app, Some(&ada), "rarity=common").await, 0);
    assert_eq!(app.get(path).by(&ada).answer().await.expect(200).get("name"), None);
}

#[tokio::test]
async fn an_unlocked_card_is_shown_to_everybody() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let path = "/v1/games/ttcg/sets/veil/cards/003";
    let before = app.get(path).answer().await;
    app.clock().advance(chrono::Duration::hours(1));
    let now = app.clock().now();
    app.sql(&format!(
        "UPDATE unlocks SET submissions = 5, unlocked_at = '{}', reason = 'threshold' \
             WHERE card_id = (SELECT id FROM cards WHERE set_code = 'veil' AND number = '003')",
        now.to_rfc3339()
    ))
    .await;
    let after = app.get(path).header("if-none-match", before.header("etag")).answer().await;
    assert_eq!(after.header("last-modified"), httpdate(now));
    let card = after.expect(200);
    let name = set_file(&seed_data("ttcg"), "veil")["cards"][2]["name"].clone();
    assert_eq!((&card["name"], &card["hidden"]), (&name, &false.into()));
    assert_eq!(card["unlock"]["submissions"], 5);
    assert_eq!(found(&app, None, &format!("name={}", name.as_str().unwrap())).await, 1);
    assert_eq!(found(&app, None, "rarity=common&hidden=false").await, 1);
}

fn httpdate(at: chrono::DateTime<chrono::Utc>) -> String {
    at.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

/// Ways to search for a name: complete, a prefix, a part, a single word, and misspelt.
fn spellings() -> BTreeSet<String> {
    let mut spellings = Vec::new();
    for name in names() {
        let letters: Vec<char> = name.chars().filter(|character| *character != '*').collect();
        let text = |letters: &[char]| letters.iter().collect::<String>();
        spellings.push(text(&letters));
        spellings.extend([1, 2, 4].map(|length| text(&letters[..length.min(letters.len())])));
        spellings.extend(letters.windows(5).step_by(4).map(text));
        spellings.extend(text(&letters).split_whitespace().map(str::to_owned));
        let mut misspelt = letters;
        if misspelt.len() > 3 {
            misspelt.swap(1, 2);
            spellings.push(text(&misspelt));
            misspelt.remove(3);
            spellings.push(text(&misspelt));
        }
    }
    spellings.into_iter().filter(|spelling| !spelling.trim().is_empty()).collect()
}

/// Requests for look-ups by name, for facets and for random cards.
fn look_up_paths() -> Vec<String> {
    let mut paths = Vec::new();
    for (at, spelling) in spellings().iter().enumerate() {
        for how in ["named?exact", "named?fuzzy", "autocomplete?q"] {
            paths.push(format!("/v1/cards/{how}={spelling}"));
        }
        let rest = ["&game=ttcg", "&set=veil", "&game=ttcg&set=veil", "&set=hearth"][at % 4];
        paths.push(format!("/v1/cards/named?fuzzy={spelling}{rest}"));
    }
    for seed in 0..40 {
        let rest = ["", "&game=ttcg", "&set=veil", "&set=hearth"][seed % 4];
        paths.push(format!("/v1/cards/random?seed={seed}{rest}"));
        let q =
            ["t:dark", "-t:dark", "wholly or kind:unit", "is:hidden", "/^n/ or r:rare"][seed % 5];
        paths.push(format!("/v1/cards/random?seed={seed}&q={q}{rest}"));
    }
    paths.extend(["", "?set=veil", "?set=hearth"].map(|set| format!("/v1/games/ttcg/facets{set}")));
    paths
}

/// Bodies for look-ups: names from both databases and places of hidden and open cards, one by one and mixed.
async fn bodies(app: &TestApp) -> Vec<Value> {
    let veil = app.get("/v1/cards?set=veil&limit=200").answer().await.expect(200);
    let places = veil["data"].as_array().unwrap().iter().flat_map(|card| {
        let by_number = json!({ "game": "ttcg", "set": "veil", "number": card["number"] });
        [json!({ "id": card["id"] }), by_number]
    });
    let names = spellings().into_iter().map(|name| json!({ "game": "ttcg", "name": name }));
    let open = (1..=20)
        .map(|number| json!({ "game": "ttcg", "set": "hearth", "number": format!("{number:03}") }));
    let all: Vec<Value> = places.chain(names).chain(open).collect();
    let one_by_one = all.chunks(1).step_by(7);
    // The stride mixes places and names.
    let mixed: Vec<Vec<Value>> =
        (0..7).map(|from| all.iter().skip(from).step_by(7).take(100).cloned().collect()).collect();
    one_by_one
        .map(<[Value]>::to_vec)
        .chain(mixed)
        .map(|identifiers| json!({ "identifiers": identifiers }))
        .collect()
}

#[tokio::test]
async fn look_ups_show_nothing_of_hidden_cards() {
    let (one, other) = twins().await;
    let paths = look_up_paths();
    assert!(paths.len() > 300, "{}", paths.len());
    let blind = CallersWithoutContent::among(&one, &other).await;
    for path in &paths {
        blind.see_the_same(&one, &other, path, |app| app.get(path)).await;
    }
    for identifiers in bodies(&one).await {
        let ask = |app: &TestApp| app.post("/v1/cards/lookup").json(&identifiers);
        blind.see_the_same(&one, &other, &identifiers.to_string(), ask).await;
    }
    // The comparison can fail: a moderator sees the difference in each kind of answer.
    let (here, there) = (one.moderator().await, other.moderator().await);
    for path in [
        "/v1/cards/named?fuzzy=drowned",
        "/v1/cards/autocomplete?q=wholly",
        "/v1/cards/random?set=veil&seed=1",
        "/v1/games/ttcg/facets?set=veil",
    ] {
        let (here, there) =
            (one.get(path).by(&here).answer().await, other.get(path).by(&there).answer().await);
        assert_ne!(visible(&here), visible(&there), "{path}");
    }
}

#[tokio::test]
async fn bulk_files_show_nothing_of_hidden_cards() {
    let (one, other) = twins().await;
    let paths = [
        "/v1/bulk-files",
        "/v1/bulk-files/ttcg-cards.ndjson.gz",
        "/v1/bulk-files/ttcg-printings.csv.gz",
        "/v1/bulk-files/ttcg-decks.ndjson.gz",
    ];
    // The same deck in both databases, with two entries that are bound to hidden cards, as for a holder: one entry has a typed name, the other only a place.
    let deck = "INSERT INTO accounts (id, name, name_key, password_hash, role, created_at) \
          VALUES ('00000000-0000-7000-8000-000000000001', 'holder', 'holder', '$argon2id$x', 'player', '2026-11-20'); \
         INSERT INTO decks (id, account_id, game_code, format_code, name, visibility, revision, created_at, updated_at, card_ids, bound_revision) \
          SELECT '00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000001', 'ttcg', 'standard', 'Held', 'public', 1, '2026-11-20', '2026-11-20', \
           array_agg(id ORDER BY number), 1 FROM cards WHERE set_code = 'veil' AND number IN ('003', '004'); \
         INSERT INTO deck_entries (deck_id, position, zone, quantity, name, set_code, number) VALUES \
          ('00000000-0000-7000-8000-000000000002', 0, 'main', 2, 'A name that was typed', NULL, NULL), \
          ('00000000-0000-7000-8000-000000000002', 1, 'main', 1, '', 'veil', '004')";
    for app in [&one, &other] {
        app.sql(deck).await;
    }
    // The files must have the same creation time to be comparable.
    let made_at = "UPDATE bulk_files SET created_at = '2026-11-21T12:00:00Z'";
    for app in [&one, &other] {
        app.build_bulk_files().await;
        app.sql(made_at).await;
    }
    for path in paths {
        let (here, there) = (one.get(path).answer().await, other.get(path).answer().await);
        assert_eq!(here.status, 200, "{path}");
        assert_eq!(visible(&here).0, visible(&there).0, "{path}");
        assert_eq!(visible(&here).1, visible(&there).1, "{path}");
        assert!(here.bytes == there.bytes, "{path}");
    }
    let decks = unpack(&one.get(paths[3]).answer().await.bytes);
    assert!(decks.contains("\"number\":\"003\"") && !decks.contains("typed"), "{decks}");
    // The comparison can fail: after the cards are unlocked, the files differ.
    for app in [&one, &other] {
        app.sql("UPDATE unlocks SET submissions = threshold, unlocked_at = '2026-11-22', reason = 'threshold'")
            .await;
        app.sql(
            "INSERT INTO events (id, kind, payload, created_at) \
             VALUES (gen_random_uuid(), 'game.changed', '{\"game\":\"ttcg\"}', '2026-11-22')",
        )
        .await;
        app.build_bulk_files().await;
        app.sql(made_at).await;
    }
    for path in paths {
        let (here, there) = (one.get(path).answer().await, other.get(path).answer().await);
        assert!(here.bytes != there.bytes, "{path}");
    }
}

/// A webhook that starts at the first event delivers the same bodies in the same order from both services.
#[tokio::test]
async fn webhooks_show_nothing_of_hidden_cards() {
    let (one, other) =
        twins_with(|settings| settings.webhook_networks = vec!["127.0.0.0/8".parse().unwrap()])
            .await;
    let mut delivered = Vec::new();
    for app in [&one, &other] {
        let admin = app.admin().await;
        let receiver = Receiver::start().await;
        let kinds = cardscape::domain::operations::webhook::EVENT_KINDS;
        app.webhook(&admin, &receiver.url, &kinds).await;
        app.sql("UPDATE webhooks SET cursor_seq = 0").await;
        app.post_webhooks().await;
        let bodies: Vec<Vec<u8>> = receiver.received().iter().map(|one| one.body.clone()).collect();
        let feed = app.get("/v1/changes?limit=200").answer().await.expect(200);
        let all: Vec<Value> = receiver.received().iter().map(Received::json).collect();
        let feed = feed["data"].as_array().unwrap();
        assert_eq!(all[..feed.len()], feed[..], "the public change feed has the same events");
        assert!(all.iter().any(|event| event["set"] == "veil" && event["kind"] == "card.added"));
        delivered.push(bodies);
    }
    assert!(delivered[0] == delivered[1]);
}

/// An answer without times and tokens, which differ in every answer.
fn lasting(mut value: Value) -> Value {
    match &mut value {
        Value::Object(members) => {
            members.retain(|name, _| {
                !["updated_at", "expires_at", "import", "instance"].contains(&name.as_str())
            });
            members.values_mut().for_each(|member| *member = lasting(member.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = lasting(item.take())),
        _ => {}
    }
    value
}

/// The answers that a player gets when counting, listing and importing hidden cards, and what others see of the player's lists.
async fn found_by_collecting(app: &TestApp, by: &Player) -> Vec<(String, u16, Value)> {
    let mut found = Vec::new();
    let mut note = |what: String, answer: Answer| {
        found.push((what, answer.status, lasting(answer.json())));
    };
    for set in ["hearth", "veil"] {
        for number in ["001", "002", "003", "004"] {
            for rarity in ["common", "rare", "golden"] {
                let place =
                    json!({ "game": "ttcg", "set": set, "number": number, "rarity": rarity });
                let mut change = place.clone();
                change["add"] = json!(2);
                let changes = json!({ "changes": [change] });
                let answer =
                    app.post("/v1/collection/changes").by(by).json(&changes).answer().await;
                note(format!("counting {place}"), answer);
                let wants = json!({ "items": [place] });
                let request = app.put("/v1/me/wants").by(by).header("if-match", "*").json(&wants);
                note(format!("wanting {wants}"), request.answer().await);
            }
        }
    }
    for name in spellings() {
        let changes =
            json!({ "changes": [{ "name": name, "add": 1 }, { "name": "Nobody", "add": 1 }] });
        let answer = app.post("/v1/collection/changes").by(by).json(&changes).answer().await;
        note(format!("counting {name}"), answer);
    }
    // Every account may list hidden cards by their places.
    let veil = |number: &str| json!({ "game": "ttcg", "set": "veil", "number": number });
    let list = json!({ "visibility": "public", "items": [veil("001"), veil("002"), veil("003")] });
    for kind in ["wants", "haves"] {
        let request = app.put(&format!("/v1/me/{kind}")).by(by).header("if-match", "*");
        note(format!("listing {kind}"), request.json(&list).answer().await);
        let shown =
            app.get(&format!("/v1/players/{}/{kind}", by.name.replace(' ', "%20"))).answer().await;
        note(format!("shown {kind}"), shown);
    }
    for path in [
        "/v1/collection?total=true",
        "/v1/collection?set=veil",
        "/v1/collection?rarity=common",
        "/v1/collection/completion?game=ttcg",
        "/v1/collection/completion?game=ttcg&set=veil",
        "/v1/collection/duplicates",
        "/v1/collection/export?format=json",
        "/v1/trade-matches",
    ] {
        note(path.to_owned(), app.get(path).by(by).answer().await);
    }
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let mut file = "Name,Set,Number,Rarity\n".to_owned();
    for name in spellings() {
        file += &format!("{},,,\n{},veil,001,common\n", quoted(&name), quoted(&name));
    }
    for number in 1..=20 {
        file += &format!(",veil,{number},\n,hearth,{number},rare\n");
    }
    for query in ["", "?game=ttcg&without_rarity=most_common"] {
        let request = app.post(&format!("/v1/collection/imports{query}")).by(by);
        let request = request.header("content-type", "text/csv").body(file.clone());
        note(format!("a file {query}"), request.answer().await);
    }
    found
}

#[tokio::test]
async fn collecting_shows_nothing_of_hidden_cards() {
    let (one, other) = twins().await;
    let (here, there) = (one.player("ada").await, other.player("ada").await);
    let (here, there) =
        (found_by_collecting(&one, &here).await, found_by_collecting(&other, &there).await);
    assert!(here.len() > 60, "{}", here.len());
    for (here, there) in here.iter().zip(&there) {
        assert_eq!(here, there);
        let (what, status, answer) = here;
        // Some cards are neither counted nor wanted: in a rarity that they may not have, or by a name that is not known.
        let may_be_refused = what.starts_with("counting ") || what.starts_with("wanting ");
        assert!(may_be_refused || *status == 200, "{what}: {status} {answer}");
    }
    for way in ["counting {", "wanting {"] {
        let done = here.iter().filter(|(what, status, _)| what.starts_with(way) && *status == 200);
        assert!(done.count() >= 8, "{way}: four open cards in two rarities");
    }
    // The comparison can fail: a moderator finds more.
    let (here, there) = (one.moderator().await, other.moderator().await);
    let (here, there) =
        (found_by_collecting(&one, &here).await, found_by_collecting(&other, &there).await);
    assert_ne!(here.last(), there.last());
}

/// The check of a design with the name or the effects of a hidden card gives the same report as for any other design, also to a holder and a moderator.
#[tokio::test]
async fn design_checks_show_nothing_of_hidden_cards() {
    for from_memory in [false, true] {
        let (one, other) = if from_memory {
            let twins = twins_with(in_memory).await;
            caught_up(&twins.0).await;
            caught_up(&twins.1).await;
            twins
        } else {
            twins().await
        };
        let moderators = (one.moderator().await, other.moderator().await);
        let blind = CallersWithoutContent::among(&one, &other).await;
        let file = set_file(&seed_data("ttcg"), "veil");
        let hidden = file["cards"].as_array().unwrap().iter().take(8);
        let designs = hidden.map(|card| {
            json!({
                "game": "ttcg", "name": card["name"], "kind": card["kind"],
                "attributes": card["attributes"], "effects": card["effects"],
            })
        });
        let named = |name: String| json!({ "game": "ttcg", "name": name, "kind": "unit" });
        for design in designs.chain(names().into_iter().map(named)) {
            let ask = |app: &TestApp| app.post("/v1/design-checks").json(&design);
            let report = blind.see_the_same(&one, &other, "a design", ask).await;
            assert_eq!(report.status, 200, "{}", report.text());
            let here = ask(&one).by(&moderators.0).answer().await;
            let there = ask(&other).by(&moderators.1).answer().await;
            assert_eq!(
                (here.text(), there.text()),
                (report.text(), report.text()),
                "to a moderator"
            );
        }
    }
}
