//! Card lookups: by name, by the beginning of a name, at random, and many cards in one request.

use std::collections::BTreeMap;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Answer, Player, RequestExt as _, TestApp, edit_set, seed_data, set_file};

/// Returns an encoded query parameter.
fn param(name: &str, value: &str) -> String {
    let encode = |byte: u8| {
        if byte.is_ascii_alphanumeric() {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    format!("{name}={}", value.bytes().map(encode).collect::<String>())
}

async fn get(app: &TestApp, by: Option<&Player>, path: &str) -> Answer {
    let request = app.get(path);
    let request = if let Some(player) = by { request.by(player) } else { request };
    request.answer().await
}

async fn named(app: &TestApp, by: Option<&Player>, how: &str, name: &str, rest: &str) -> Answer {
    get(app, by, &format!("/v1/cards/named?{}{rest}", param(how, name))).await
}

/// The service with TTCG and Uno Emoji, and names that are hard to distinguish.
async fn with_odd_names() -> TestApp {
    let app = TestApp::start().await;
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "hearth", |set| {
        for (at, name) in [
            (0, "Crème Brûlée"),
            (1, "Creme Brulee"),
            (2, "Émile’s Über-Owl"),
            (3, "100% Owl_Proof"),
            (4, "Wild"),
            (5, "🔥"),
        ] {
            set["cards"][at]["name"] = name.into();
        }
    });
    app.import(&source).await.unwrap();
    app.seed(&["uno-emoji"]).await;
    app
}

#[rstest]
#[case::as_printed("exact", "Kettle Imp", "016")]
#[case::case_and_punctuation("exact", "KETTLE-imp!", "016")]
#[case::these_very_accents("exact", "crème brûlée", "001")]
#[case::no_accents_where_that_is_a_name("exact", "creme brulee", "002")]
#[case::no_accents_where_only_one_is_like_it("exact", "emile's uber owl", "003")]
#[case::a_curly_quote("exact", "ÉMILE’S ÜBEROWL", "003")]
#[case::wildcards_are_letters("exact", "100% owl_proof", "004")]
#[case::nothing_but_a_symbol("exact", "🔥", "006")]
#[case::the_name_itself("fuzzy", "kettle imp", "016")]
#[case::a_letter_missing("fuzzy", "ketle imp", "016")]
#[case::letters_swapped("fuzzy", "ketlte imp", "016")]
#[case::a_beginning("fuzzy", "thistled", "029")]
#[case::one_of_its_words("fuzzy", "matriarch", "022")]
#[case::beginnings_of_words("fuzzy", "hear ost", "023")]
#[case::words_with_others_between("fuzzy", "keeper north", "030")]
#[case::words_with_accents("fuzzy", "emiles über", "003")]
#[case::a_symbol_alone("fuzzy", "🔥", "006")]
#[case::nothing_like_it("fuzzy", "xylophone quartet", "")]
#[case::two_letters_are_no_beginning("fuzzy", "ke", "")]
#[case::a_part_is_not_the_whole("exact", "kettle", "")]
#[case::a_misspelling_is_not_the_name("exact", "ketle imp", "")]
#[tokio::test]
async fn a_name_finds_its_card(#[case] how: &str, #[case] name: &str, #[case] number: &str) {
    let app = with_odd_names().await;
    let answer = named(&app, None, how, name, "&game=ttcg").await;
    if number.is_empty() {
        answer.problem(404, "not_found");
        return;
    }
    assert_eq!(answer.header("cache-control"), "public, max-age=60");
    let card = answer.expect(200);
    let place = format!("/v1/games/ttcg/sets/hearth/cards/{number}");
    assert_eq!(card, app.get(&place).answer().await.expect(200));
}

async fn candidates(app: &TestApp, how: &str, name: &str, rest: &str) -> Vec<String> {
    let problem = named(app, None, how, name, rest).await.problem(404, "ambiguous_name");
    let text = |card: &Value, field: &str| card[field].as_str().unwrap().to_owned();
    let candidates = problem["candidates"].as_array().unwrap().iter();
    candidates.map(|card| format!("{}/{}", text(card, "game"), text(card, "name"))).collect()
}

#[tokio::test]
async fn an_ambiguous_name_returns_candidates() {
    let app = with_odd_names().await;
    // Names are unique within a game, but not across games.
    assert_eq!(candidates(&app, "exact", "wild", "").await, ["ttcg/Wild", "uno-emoji/Wild"]);
    assert_eq!(candidates(&app, "fuzzy", "WILD", "").await, ["ttcg/Wild", "uno-emoji/Wild"]);
    for how in ["exact", "fuzzy"] {
        let card = named(&app, None, how, "wild", "&game=uno-emoji").await.expect(200);
        assert_eq!((&card["game"], &card["name"]), (&"uno-emoji".into(), &"Wild".into()));
        let card = named(&app, None, how, "wild", "&set=hearth").await.expect(200);
        assert_eq!(card["game"], "ttcg");
    }
    // No name has exactly these accents, so neither name is a better match.
    let both = ["ttcg/Creme Brulee", "ttcg/Crème Brûlée"];
    let mut found = candidates(&app, "exact", "crème brulée", "").await;
    found.sort();
    assert_eq!(found, both);
    // The beginning of a word in four names; a misspelling with one nearest name; a misspelling with ten equally near names.
    let wilds = candidates(&app, "fuzzy", "wil", "&game=uno-emoji").await;
    assert_eq!(wilds.len(), 4, "{wilds:?}");
    let card = named(&app, None, "fuzzy", "rad skip", "&game=uno-emoji").await.expect(200);
    assert_eq!(card["name"], "Red Skip", "only one is nearest");
    let reds = candidates(&app, "fuzzy", "redx", "&game=uno-emoji").await;
    assert_eq!(reds.len(), 10, "ten are equally near: {reds:?}");
}

#[tokio::test]
async fn candidates_have_the_fields_of_their_cards() {
    let app = with_odd_names().await;
    let problem = named(&app, None, "fuzzy", "red", "").await.problem(404, "ambiguous_name");
    let candidates = problem["candidates"].as_array().unwrap();
    assert!((2..=20).contains(&candidates.len()), "{candidates:?}");
    for candidate in candidates {
        let card = app.get(&format!("/v1/cards/{}", candidate["id"].as_str().unwrap()));
        let card = card.answer().await.expect(200);
        for (field, value) in candidate.as_object().unwrap() {
            assert_eq!(&card[field], value, "{field}");
        }
        assert_eq!(candidate.as_object().unwrap().len(), 5);
    }
}

#[rstest]
#[case("/v1/cards/named", "")]
#[case("/v1/cards/named?exact=a&fuzzy=a", "")]
#[case("/v1/cards/named?exact=", "?exact")]
#[case("/v1/cards/named?fuzzy=%20", "?fuzzy")]
#[case("/v1/cards/named?fuzzy=%00", "?fuzzy")]
#[case("/v1/cards/named?exact=a%0Ab", "?exact")]
#[case("/v1/cards/named?exact=a&game=%27", "?game")]
#[case("/v1/cards/named?exact=a&limit=1", "?limit")]
#[case("/v1/cards/autocomplete", "?q")]
#[case("/v1/cards/autocomplete?q=a%00", "?q")]
#[case("/v1/cards/autocomplete?q=a&limit=0", "?limit")]
#[case("/v1/cards/autocomplete?q=a&limit=21", "?limit")]
#[case("/v1/cards/autocomplete?q=a&set=x", "?set")]
#[case("/v1/cards/random?seed=", "?seed")]
#[case("/v1/cards/random?seed=%0D", "?seed")]
#[case("/v1/cards/random?game=a%20b", "?game")]
#[case("/v1/cards/random?limit=2", "?limit")]
#[tokio::test]
async fn invalid_parameters_are_reported_by_name(#[case] path: &str, #[case] pointer: &str) {
    let app = TestApp::start().await;
    let problem = app.get(path).answer().await.problem(400, "invalid_query");
    let faults = problem["errors"].as_array().unwrap();
    assert_eq!(faults.len(), 1, "{problem}");
    assert_eq!(faults[0]["pointer"], pointer, "{problem}");
}

#[tokio::test]
async fn long_texts_are_refused() {
    let app = TestApp::start().await;
    for (path, most) in [
        ("/v1/cards/named?exact=", 120),
        ("/v1/cards/named?fuzzy=", 120),
        ("/v1/cards/autocomplete?q=", 120),
        ("/v1/cards/random?seed=", 100),
    ] {
        let long = "é".repeat(most + 1).replace('é', "%C3%A9");
        app.get(&format!("{path}{long}")).answer().await.problem(400, "invalid_query");
        let fits = app.get(&format!("{path}{}", "x".repeat(most))).answer().await;
        assert!([200, 404].contains(&fits.status), "{}", fits.text());
    }
    // An empty `q` is allowed, so the message does not say that it needs a character.
    let path = format!("/v1/cards/autocomplete?q={}", "x".repeat(300));
    let problem = app.get(&path).answer().await.problem(400, "invalid_query");
    let message = &problem["errors"][0]["detail"];
    assert_eq!(message, "must be at most 120 characters long, not 300");
}

async fn suggestions(app: &TestApp, by: Option<&Player>, q: &str, rest: &str) -> Vec<String> {
    let path = format!("/v1/cards/autocomplete?{}{rest}", param("q", q));
    let names = get(app, by, &path).await.expect(200);
    let names = names["data"].as_array().unwrap().iter();
    names.map(|name| name.as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn suggestions_are_ordered_by_name_start_then_word_start_then_substring() {
    let app = with_odd_names().await;
    let lantern = suggestions(&app, None, "lan", "").await;
    assert_eq!(lantern, ["Lantern Squire", "Wolf Moon Lantern"]);
    let owl = suggestions(&app, None, "OWL", "").await;
    assert_eq!(
        owl,
        ["100% Owl_Proof", "Émile’s Über-Owl"],
        "names with a word that begins with it, in alphabetical order"
    );
    let ember = suggestions(&app, None, "ember", "").await;
    assert_eq!(ember, ["Ember Moth Cloud", "Ember Post Coach", "What the Geese Remember"]);
    let lock = suggestions(&app, None, "lock", "").await;
    assert_eq!(lock, ["Lockgate Keeper", "Clock That Forgives", "Clockwork Ratcatcher"]);
    for spelling in ["creme", "CRÈME", "Cre\u{300}me  b", "cremeb"] {
        let found = suggestions(&app, None, spelling, "").await;
        assert_eq!(found, ["Creme Brulee", "Crème Brûlée"], "{spelling}");
    }
    for spelling in ["emile's", "Émile’s", "EMILES", "émile s"] {
        assert_eq!(suggestions(&app, None, spelling, "").await, ["Émile’s Über-Owl"]);
    }
    // One or two letters match only the beginnings of names and words.
    let two = suggestions(&app, None, "ow", "").await;
    assert_eq!(two, ["100% Owl_Proof", "Eight Owners and a Puddle", "Émile’s Über-Owl"]);
    assert_eq!(suggestions(&app, None, "🔥", "").await, ["🔥"]);
    assert_eq!(suggestions(&app, None, "00% ow", "").await, ["100% Owl_Proof"]);
    for nothing in ["", " ", "%", "_", "?!*", "zzzz"] {
        assert_eq!(suggestions(&app, None, nothing, "").await, [""; 0], "{nothing}");
    }
}

#[tokio::test]
async fn suggestions_are_limited_distinct_and_filtered_by_game() {
    let app = with_odd_names().await;
    assert_eq!(suggestions(&app, None, "s", "").await.len(), 20);
    assert_eq!(suggestions(&app, None, "red", "&limit=3").await, ["Red 0", "Red 1", "Red 2"]);
    assert_eq!(suggestions(&app, None, "wild", "").await[0], "Wild");
    let wilds = suggestions(&app, None, "wild", "").await;
    assert_eq!(wilds.iter().filter(|name| *name == "Wild").count(), 1, "two games, one name");
    assert_eq!(suggestions(&app, None, "wild", "&game=ttcg").await, ["Wild"]);
    app.seed(&["magic"]).await;
    assert_eq!(suggestions(&app, None, "red", "&game=magic").await, [""; 0]);
    let answer = app.get("/v1/cards/autocomplete?q=red").answer().await;
    assert_eq!(answer.header("cache-control"), "public, max-age=5");
    let again =
        app.get("/v1/cards/autocomplete?q=red").header("if-none-match", answer.header("etag"));
    assert_eq!(again.answer().await.status, 304);
}

#[tokio::test]
async fn names_of_hidden_cards_are_found_only_by_accounts_that_see_the_card() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (ada, ben, moderator) =
        (app.player("ada").await, app.player("ben").await, app.moderator().await);
    // The card is Drowned Lantern.
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;
    for (who, lanterns) in [
        (None, vec!["Lantern Squire", "Wolf Moon Lantern"]),
        (Some(&ben), vec!["Lantern Squire", "Wolf Moon Lantern"]),
        (Some(&ada), vec!["Lantern Squire", "Drowned Lantern", "Wolf Moon Lantern"]),
        (Some(&moderator), vec!["Lantern Squire", "Drowned Lantern", "Wolf Moon Lantern"]),
    ] {
        assert_eq!(suggestions(&app, who, "lantern", "").await, lanterns);
        let sees = lanterns.len() == 3;
        for (how, name) in
            [("exact", "drowned lantern"), ("fuzzy", "drownd lantern"), ("fuzzy", "drow lant")]
        {
            let answer = named(&app, who, how, name, "").await;
            if sees {
                assert_eq!(answer.header("cache-control"), "private, no-cache");
                assert_eq!(answer.expect(200)["number"], "003");
            } else {
                answer.problem(404, "not_found");
            }
        }
        let mut drawn = BTreeMap::<String, u32>::new();
        for seed in 0..60 {
            let path = format!("/v1/cards/random?set=veil&seed={seed}");
            let answer = get(&app, who, &path).await;
            if sees {
                let number = answer.expect(200)["number"].as_str().unwrap().to_owned();
                *drawn.entry(number).or_default() += 1;
            } else {
                answer.problem(404, "not_found");
            }
        }
        match who {
            Some(player) if player.id == ada.id => {
                assert_eq!(drawn.keys().collect::<Vec<_>>(), ["003"])
            }
            Some(player) if player.id == moderator.id => assert!(drawn.len() > 8, "{drawn:?}"),
            _ => assert!(drawn.is_empty()),
        }
    }
}

#[tokio::test]
async fn a_seed_always_draws_the_same_card_and_every_card_is_drawn() {
    let app = TestApp::start_seeded(&["ttcg", "emojo-dojo"]).await;
    let mut drawn = BTreeMap::<String, u32>::new();
    for seed in 0..700 {
        let path = format!("/v1/cards/random?game=emojo-dojo&seed={seed}");
        let answer = app.get(&path).answer().await;
        assert_eq!(answer.header("cache-control"), "public, max-age=5");
        assert!(!answer.header("etag").is_empty());
        let card = answer.expect(200);
        assert_eq!(card["game"], "emojo-dojo");
        if seed < 20 {
            assert_eq!(app.get(&path).answer().await.expect(200), card);
        }
        *drawn.entry(card["number"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    // 14 cards, 50 draws each in the long run.
    assert_eq!(drawn.len(), 14);
    assert!(drawn.values().all(|times| (25..=80).contains(times)), "{drawn:?}");

    // Hidden cards do not take part in the draw: a seed draws the same card after a hidden card is added.
    let path = "/v1/cards/random?game=ttcg&seed=monday";
    let before = app.get(path).answer().await.expect(200);
    assert_eq!((&before["hidden"], &before["set"]), (&false.into(), &"hearth".into()));
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "veil", |set| {
        let cards = set["cards"].as_array_mut().unwrap();
        let mut more = cards[0].clone();
        more["number"] = "099".into();
        more["name"] = "One More".into();
        cards.push(more);
    });
    app.import(&source).await.unwrap();
    assert_eq!(app.get(path).answer().await.expect(200), before);
    app.get("/v1/cards/random?q=set:hearth+set:veil").answer().await.problem(404, "not_found");
    app.get("/v1/cards/random?game=nothing").answer().await.problem(400, "invalid_query");
    let elsewhere = app.get("/v1/cards/random?game=emojo-dojo&set=hearth").answer().await;
    elsewhere.problem(400, "invalid_query");
}

#[tokio::test]
async fn without_a_seed_the_draw_is_random_and_not_cached() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let mut ids = std::collections::BTreeSet::new();
    for _ in 0..20 {
        let answer = app.get("/v1/cards/random").answer().await;
        assert_eq!(
            (answer.header("cache-control"), answer.header("etag")),
            ("no-store".into(), String::new())
        );
        ids.insert(answer.expect(200)["id"].as_str().unwrap().to_owned());
    }
    // That 20 draws of 158 give fewer than 8 cards happens once in ten million million runs.
    assert!(ids.len() >= 8, "{ids:?}");
}

#[tokio::test]
async fn a_query_limits_the_cards_that_are_drawn() {
    let app = TestApp::start_seeded(&["ttcg", "emojo-dojo"]).await;
    let draw = async |q: &str, rest: &str| {
        app.get(&format!("/v1/cards/random?{}{rest}", param("q", q))).answer().await
    };
    let q = "kind:unit type:fire attack>=300";
    let found = app.get(&format!("/v1/cards?limit=200&{}", param("q", q))).answer().await;
    let found = found.expect(200);
    let found: Vec<&Value> =
        found["data"].as_array().unwrap().iter().map(|card| &card["id"]).collect();
    assert!(found.len() > 3, "{}", found.len());
    let mut drawn = std::collections::BTreeSet::new();
    for seed in 0..found.len() * 12 {
        let card = draw(q, &format!("&seed={seed}")).await.expect(200);
        assert!(found.contains(&&card["id"]), "{card}");
        drawn.insert(card["id"].as_str().unwrap().to_owned());
    }
    assert_eq!(drawn.len(), found.len(), "every card is drawn");
    // `sort` and `unique` do not change the draw; the other filters do.
    let plain = draw(q, "&seed=a").await.expect(200);
    assert_eq!(
        draw(&format!("{q} sort:attack unique:printings"), "&seed=a").await.expect(200),
        plain
    );
    draw(q, "&seed=a&game=emojo-dojo").await.problem(400, "invalid_query");
    draw("is:hidden", "&seed=a").await.problem(404, "not_found");
    draw("name:nobody", "").await.problem(404, "not_found");
    // A term that only causes a warning in a list is rejected here.
    let problem = draw("type:fire atack>3", "").await.problem(400, "invalid_query");
    assert_eq!(problem["errors"].as_array().unwrap().len(), 1, "{problem}");
    assert_eq!(problem["faults"][0]["term"], "atack>3");
    assert_eq!(problem["faults"][0]["position"], 10);
}

#[tokio::test]
async fn a_drawn_card_can_be_read_as_text() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    for (path, cached) in
        [("/v1/cards/random?seed=7", "public, max-age=5"), ("/v1/cards/random", "no-store")]
    {
        let answer = app.get(path).header("accept", "text/plain").answer().await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
        assert_eq!(answer.header("cache-control"), cached);
        assert_eq!(
            answer.text().lines().nth(1).map(|line| line.starts_with("ttcg hearth ")),
            Some(true)
        );
    }
}

async fn look_up(app: &TestApp, by: Option<&Player>, identifiers: Value) -> Answer {
    let request = app.post("/v1/cards/lookup").json(&json!({ "identifiers": identifiers }));
    let request = if let Some(player) = by { request.by(player) } else { request };
    request.answer().await
}

#[tokio::test]
async fn a_lookup_returns_cards_in_the_order_of_the_request() {
    let app = with_odd_names().await;
    let card = async |number: &str| {
        let path = format!("/v1/games/ttcg/sets/hearth/cards/{number}");
        app.get(&path).answer().await.expect(200)
    };
    let (imp, brulee, wild) = (card("016").await, card("001").await, card("005").await);
    let identifiers = json!([
        { "game": "ttcg", "name": "KETTLE imp" },
        { "game": "ttcg", "name": "Nobody At All" },
        { "game": "ttcg", "set": "hearth", "number": "001" },
        { "id": imp["id"] },
        { "game": "ttcg", "set": "hearth", "number": "1" },
        { "id": "01998D5E-7A35-7C54-B0A0-1F6F4F5F2B11" },
        { "game": "ttcg", "name": "wild" },
        { "game": "ttcg", "name": "crème brulée" },
        { "game": "ttcg", "name": "crème brûlée" },
        { "game": "emojito", "name": "Kettle Imp" },
        { "game": "uno-emoji", "name": "Kettle Imp" },
        { "game": "TTCG", "set": "Hearth", "number": "001" },
        { "game": "TTCG", "set": "HEARTH", "name": "Kettle Imp" },
    ]);
    let answer = look_up(&app, None, identifiers.clone()).await;
    assert_eq!(answer.header("cache-control"), "no-store");
    let found = answer.expect(200);
    assert_eq!(found["data"], json!([imp, brulee, imp, brulee, wild, brulee, brulee, imp]));
    let missing = [1, 5, 7, 9, 10].map(|at| identifiers[at].clone());
    assert_eq!(found["not_found"], json!(missing), "identifiers are returned as they were sent");
}

#[tokio::test]
async fn a_hidden_card_is_looked_up_by_number_and_not_by_name() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;
    let place = "/v1/games/ttcg/sets/veil/cards/003";
    let hidden = app.get(place).answer().await.expect(200);
    let identifiers = json!([
        { "id": hidden["id"] },
        { "game": "ttcg", "set": "veil", "number": "003" },
        { "game": "ttcg", "name": "Drowned Lantern" },
    ]);
    for who in [None, Some(&ben)] {
        let found = look_up(&app, who, identifiers.clone()).await.expect(200);
        assert_eq!(found["data"], json!([hidden, hidden]));
        assert_eq!(found["not_found"], json!([identifiers[2]]));
    }
    let seen = app.get(place).by(&ada).answer().await.expect(200);
    assert_eq!(seen["name"], "Drowned Lantern");
    let found = look_up(&app, Some(&ada), identifiers).await.expect(200);
    assert_eq!(found, json!({ "data": [seen, seen, seen], "not_found": [] }));
}

#[tokio::test]
async fn every_fault_of_a_lookup_has_a_pointer() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let problem = look_up(
        &app,
        None,
        json!([
            { "game": "ttcg", "name": "Kettle Imp" },
            { "id": "7" },
            {},
            { "game": "ttcg" },
            { "id": "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11", "game": "ttcg" },
            { "game": "a b", "set": "", "number": "é" },
            { "game": "ttcg", "name": " " },
            { "game": "ttcg", "name": "x".repeat(121) },
            { "game": "ttcg", "name": "a\nb" },
            { "game": "ttcg", "set": "hearth", "number": "001", "name": "Kettle Imp" },
        ]),
    )
    .await
    .problem(422, "invalid_body");
    let pointers: Vec<&str> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["pointer"].as_str().unwrap())
        .collect();
    assert_eq!(
        pointers,
        [
            "/identifiers/1/id",
            "/identifiers/2",
            "/identifiers/3",
            "/identifiers/4",
            "/identifiers/5/game",
            "/identifiers/5/set",
            "/identifiers/5/number",
            "/identifiers/6/name",
            "/identifiers/7/name",
            "/identifiers/8/name",
            "/identifiers/9",
        ]
    );
    for (bad, pointer) in [
        (json!([]), "/identifiers"),
        (json!(vec![json!({ "game": "ttcg", "name": "Kettle Imp" }); 101]), "/identifiers"),
        (
            json!([{ "game": "ttcg", "name": "Kettle Imp", "rarity": "common" }]),
            "/identifiers/0/rarity",
        ),
        (json!([{ "game": 7, "name": "Kettle Imp" }]), "/identifiers/0/game"),
        (json!([{ "game": "ttcg", "name": "a\u{0}" }]), "/identifiers/0/name"),
        (json!("Kettle Imp"), "/identifiers"),
    ] {
        let problem = look_up(&app, None, bad.clone()).await.problem(422, "invalid_body");
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{bad}");
    }
    let all = json!(vec![json!({ "game": "ttcg", "name": "Kettle Imp" }); 100]);
    assert_eq!(look_up(&app, None, all).await.expect(200)["data"].as_array().unwrap().len(), 100);
    app.get("/v1/cards/lookup").answer().await.problem(405, "method_not_allowed");
}

/// Every name of the set file finds its card, in a request for one name and in a lookup of many names.
#[tokio::test]
async fn every_name_finds_its_card() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let file = set_file(&seed_data("ttcg"), "hearth");
    let cards = file["cards"].as_array().unwrap();
    for card in cards {
        let name = card["name"].as_str().unwrap();
        for how in ["exact", "fuzzy"] {
            let found = named(&app, None, how, name, "").await.expect(200);
            assert_eq!(found["number"], card["number"], "{how} {name}");
        }
        assert_eq!(suggestions(&app, None, name, "&limit=1").await, [name]);
    }
    for chunk in cards.chunks(100) {
        let names: Vec<Value> =
            chunk.iter().map(|card| json!({ "game": "ttcg", "name": card["name"] })).collect();
        let found = look_up(&app, None, json!(names)).await.expect(200);
        let numbers: Vec<&Value> =
            found["data"].as_array().unwrap().iter().map(|card| &card["number"]).collect();
        assert_eq!(numbers, chunk.iter().map(|card| &card["number"]).collect::<Vec<_>>());
    }
}

/// In games with reprints, a name means the first card by set and number, unless the request names a set.
#[tokio::test]
async fn a_reprint_is_ranked_after_the_first_card_of_its_name() {
    let app = TestApp::start().await;
    let mut source = seed_data("ttcg");
    source.manifest.text =
        source.manifest.text.replacen("[cards]", "[cards]\nunique_names = false", 1);
    assert!(source.manifest.text.contains("unique_names"));
    edit_set(&mut source, "hearth", |set| {
        set["cards"][8]["name"] = "Kettle Imp".into();
        set["cards"][30]["name"] = "Mirror Pilgrim".into();
    });
    edit_set(&mut source, "veil", |set| set["cards"][4]["name"] = "Kettle IMP".into());
    app.import(&source).await.unwrap();
    let moderator = app.moderator().await;
    let place = |found: &Value| {
        let text = |field: &str| found[field].as_str().unwrap().to_owned();
        format!("{}/{}", text("set"), text("number"))
    };
    // Kettle Imp is hearth/009, hearth/016 and veil/005, which is hidden.
    for (who, rest, wanted) in [
        (None, "", "hearth/009"),
        (Some(&moderator), "", "hearth/009"),
        (Some(&moderator), "&set=veil", "veil/005"),
    ] {
        for (how, name) in
            [("exact", "kettle imp"), ("fuzzy", "kettle imp"), ("fuzzy", "ketle imp")]
        {
            let found = named(&app, who, how, name, rest).await.expect(200);
            assert_eq!(place(&found), wanted, "{how} {name} {rest}");
        }
    }
    named(&app, None, "exact", "kettle imp", "&set=veil").await.problem(404, "not_found");
    let suggested = suggestions(&app, None, "kettle i", "").await;
    assert_eq!(
        suggested,
        ["Kettle Imp"],
        "the name is suggested once, although several cards have it"
    );

    let identifiers = json!([
        { "game": "ttcg", "name": "kettle imp" },
        { "game": "ttcg", "set": "veil", "name": "kettle imp" },
        { "game": "ttcg", "set": "hearth", "name": "kettle imp" },
        { "game": "ttcg", "name": "Mirror Pilgrim" },
        { "game": "ttcg", "set": "nothing", "name": "Mirror Pilgrim" },
    ]);
    let found = look_up(&app, Some(&moderator), identifiers.clone()).await.expect(200);
    let places: Vec<String> = found["data"].as_array().unwrap().iter().map(place).collect();
    assert_eq!(places, ["hearth/009", "veil/005", "hearth/009", "hearth/031"]);
    assert_eq!(found["not_found"], json!([identifiers[4]]));
    let found = look_up(&app, None, identifiers.clone()).await.expect(200);
    let places: Vec<String> = found["data"].as_array().unwrap().iter().map(place).collect();
    assert_eq!(
        places,
        ["hearth/009", "hearth/009", "hearth/031"],
        "a hidden card is not found by its name"
    );
    assert_eq!(found["not_found"], json!([identifiers[1], identifiers[4]]));
    // The card that a name means does not depend on the other identifiers.
    let alone = look_up(&app, None, json!([identifiers[0]])).await.expect(200);
    assert_eq!(alone["data"][0], found["data"][0]);
}
