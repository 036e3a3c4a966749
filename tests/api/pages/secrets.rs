//! Pages reveal nothing about hidden cards: two services that differ only in their hidden cards send the same pages, byte for byte.

use cardscape::app::page::Cursor;
use cardscape::domain::designs::identifier::DesignCode;
use cardscape::domain::designs::likeness::effects_key;
use cardscape::domain::text::name_skeleton;
use cardscape::store::db::backlog::UNTIL_DONE;
use cardscape::store::designs::design_search;
use cardscape_engine::{Effect, name_key};
use serde_json::{Value, json};

use super::browser::Browser;
use super::html::Page;
use super::unlock;
use crate::collection::counts::printing;
use crate::decks::public_decks::in_the_background;
use crate::hidden_cards::{caught_up, searches, twins, twins_with, visible};
use crate::support::{RequestExt as _, TestApp, in_memory, seed_data, set_file};

/// A deck of a player who holds two hidden cards. One entry is bound by set and number only, the other by a typed name. The last entry is an open card.
pub(super) const DECK: &str = "/decks/00000000-0000-7000-8000-000000000002";

pub(super) async fn store_deck(app: &TestApp) {
    app.sql(
        "INSERT INTO accounts (id, name, name_key, password_hash, role, created_at) \
          VALUES ('00000000-0000-7000-8000-000000000001', 'holder', 'holder', '$argon2id$x', 'player', '2026-11-20'); \
         INSERT INTO decks (id, account_id, game_code, format_code, name, visibility, revision, created_at, updated_at, card_ids, bound_revision) \
          SELECT '00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000001', 'ttcg', 'standard', 'Held', 'public', 2, '2026-11-20', '2026-11-20', \
           array_agg(id ORDER BY set_code DESC, number), 2 FROM cards WHERE (set_code, number) IN (('veil', '001'), ('veil', '002'), ('hearth', '016')); \
         INSERT INTO deck_entries (deck_id, position, zone, quantity, name, set_code, number) VALUES \
          ('00000000-0000-7000-8000-000000000002', 0, 'main', 1, '', 'veil', '001'), \
          ('00000000-0000-7000-8000-000000000002', 1, 'main', 2, 'A name that was typed', NULL, NULL), \
          ('00000000-0000-7000-8000-000000000002', 2, 'main', 2, 'Kettle Imp', NULL, NULL); \
         INSERT INTO deck_revisions (deck_id, revision, visibility, content, created_at) \
          SELECT '00000000-0000-7000-8000-000000000002', version, 'public', jsonb_build_object('name', 'Held', 'game', 'ttcg', 'format', 'standard', \
           'description', '', 'tags', '[]'::jsonb, 'unread_lines', '[]'::jsonb, 'entries', jsonb_agg(jsonb_build_object( \
            'position', CASE number WHEN '001' THEN 0 WHEN '002' THEN 1 ELSE 2 END, 'zone', 'main', 'quantity', CASE WHEN number = '001' THEN 1 ELSE version END, \
            'name', CASE number WHEN '001' THEN '' WHEN '002' THEN 'A name that was typed' ELSE 'Kettle Imp' END, \
            'set_code', CASE WHEN number = '001' THEN set_code END, 'number', CASE WHEN number = '001' THEN number END, 'copies', '[]'::jsonb, 'card_id', id) \
            ORDER BY set_code DESC, number)), '2026-11-20' \
          FROM cards, generate_series(1, 2) version WHERE (set_code, number) IN (('veil', '001'), ('veil', '002'), ('hearth', '016')) GROUP BY version",
    )
    .await;
    // The same player has public lists of haves and wants with a hidden card on each: in one of its rarities, and in any rarity.
    app.sql(
        "INSERT INTO trade_lists (account_id, kind, visibility, revision, updated_at) \
          SELECT '00000000-0000-7000-8000-000000000001', kind, 'public', 1, '2026-11-20' FROM unnest(ARRAY['want', 'have']) kind; \
         INSERT INTO trade_list_items (account_id, kind, position, card_id, printing_id, quantity) \
          SELECT '00000000-0000-7000-8000-000000000001', 'have', 0, c.id, min(p.id::text)::uuid, 3 FROM cards c JOIN printings p ON p.card_id = c.id \
           WHERE c.set_code = 'veil' AND c.number = '001' GROUP BY c.id; \
         INSERT INTO trade_list_items (account_id, kind, position, card_id, quantity) \
          SELECT '00000000-0000-7000-8000-000000000001', 'want', 0, id, 2 FROM cards WHERE set_code = 'veil' AND number = '002'",
    )
    .await;
    assert_eq!(in_the_background(app).await, 1, "the deck is listed");
}

/// A hidden card of one of the two services, as in the file of the set: number 001.
pub(super) fn a_hidden_card() -> Value {
    set_file(&seed_data("ttcg"), "veil")["cards"][0].clone()
}

/// The public identifiers of two designs of that player.
fn design_codes() -> [DesignCode; 2] {
    [[1; 9], [2; 9]].map(DesignCode::from_random)
}

/// Shares two designs. One has, in both services, the texts of a card that is hidden in one of them.
pub(super) async fn share_designs(app: &TestApp) {
    let hidden = a_hidden_card();
    let like = json!({
        "name": hidden["name"], "kind": hidden["kind"], "attributes": hidden["attributes"],
        "effects": hidden["effects"], "licence": "none",
    });
    let plain = json!({
        "name": "Lantern Heron", "kind": "unit", "licence": "none",
        "attributes": { "type": "earth", "rank": 1, "subtypes": ["beast"], "attack": 200, "defense": 300 },
        "effects": [{ "style": "normal", "text": "Discard one spell to gain 1 point." }],
    });
    for (at, (code, design)) in design_codes().iter().zip([like, plain]).enumerate() {
        let (name, kind) = (design["name"].as_str().unwrap(), design["kind"].as_str().unwrap());
        let (key, skeleton) = (name_key(name), name_skeleton(name));
        let effects: Vec<Effect> = serde_json::from_value(design["effects"].clone()).unwrap();
        let alike = u128::from_be_bytes(effects_key(kind, &effects).unwrap());
        let id = format!("00000000-0000-7000-8000-0000000000{at:02}");
        app.sql(&format!(
            "INSERT INTO designs (id, code, account_id, game_code, status, version, revision, public_revision, name, name_key, name_skeleton, kind, \
              effects_key, shared_at, created_at, updated_at) \
             VALUES ('{id}', '{code}', '00000000-0000-7000-8000-000000000001', 'ttcg', 'shared', 1, 1, 1, $${name}$$, $${key}$$, $${skeleton}$$, '{kind}', \
              '\\x{alike:032x}', '2026-11-20', '2026-11-20', '2026-11-20'); \
             INSERT INTO design_revisions (design_id, number, content, created_at) VALUES ('{id}', 1, $${design}$$, '2026-11-20')"
        ))
        .await;
    }
    let games = app.shared().games.read_list(&mut app.store().connection().await.unwrap()).await;
    // A job of the service may have done a part of this.
    design_search::fill_in(app.store(), &games.unwrap(), UNTIL_DONE).await.unwrap();
    assert_eq!(app.db().number("SELECT count(*) FROM design_search").await, 2);
    caught_up(app).await;
}

/// Addresses of pages that could reveal hidden cards.
pub(super) async fn paths(app: &TestApp) -> Vec<String> {
    let mut paths: Vec<String> = [
        "/",
        "/games/ttcg",
        "/sets/ttcg/hearth",
        "/sets/ttcg/veil",
        "/search/help",
        "/submit",
        "/login",
    ]
    .map(str::to_owned)
    .to_vec();
    paths.extend(
        [
            "/designs",
            "/designs?game=ttcg",
            "/decks",
            "/decks?q=contains:%22a+name+that+was+typed%22",
            "/decks/check",
            DECK,
        ]
        .map(str::to_owned),
    );
    paths.extend(
        [
            "/players/holder",
            "/players/holder?show=haves",
            "/players/holder?show=wants",
            "/players/nobody",
        ]
        .map(str::to_owned),
    );
    for way in [
        "export?dialect=share_code",
        "export?dialect=csv",
        "export?dialect=plain",
        "export?dialect=ydk",
        "export?dialect=csv&losses=accepted",
        "chart?of=kind",
        "chart?of=attack",
        "qr.svg",
        "proxies",
        "revisions",
        "revisions/1",
        "revisions/2",
    ] {
        paths.push(format!("{DECK}/{way}"));
    }
    for code in design_codes() {
        paths.extend(
            ["", "?rarity=rare", "/picture", "/picture?rarity=rare"]
                .map(|way| format!("/designs/{code}{way}")),
        );
    }
    let name = a_hidden_card()["name"].as_str().unwrap().to_owned();
    for query in [format!("name=\"{name}\""), "heron".to_owned(), "Wholly Different".to_owned()] {
        let query: String = form_urlencoded::byte_serialize(query.as_bytes()).collect();
        paths.push(format!("/designs?q={query}"));
    }
    paths.push("/designers/holder".to_owned());
    let veil = app.get("/v1/cards?set=veil&limit=200").answer().await.expect(200);
    let first = veil["data"][0]["number"].as_str().unwrap();
    // Cursors of the history: at a late time, before everything, and an invalid one.
    let cursor = |at: i64| Cursor::at(&(at, "00000000-0000-7000-8000-000000000001"));
    let cursors = [cursor(1_900_000_000_000_000), cursor(0), "x".to_owned()];
    let cursors = cursors.map(|cursor| format!("?cursor={cursor}"));
    let ways = ["?rarity=rare", "?rarity=none", "?rarity=", "?x=1"].map(str::to_owned);
    for ways in ways.iter().chain(&cursors) {
        paths.push(format!("/cards/ttcg/veil/{first}{ways}"));
    }
    for card in veil["data"].as_array().unwrap() {
        paths.push(format!("/cards/ttcg/veil/{}", card["number"].as_str().unwrap()));
        for ways in ["", "?rarity=rare"] {
            paths.push(format!("/pictures/{}{ways}", card["id"].as_str().unwrap()));
        }
    }
    paths.push("/search?q=set:veil&as=text".to_owned());
    paths.extend(["001", "158"].map(|number| format!("/cards/ttcg/hearth/{number}")));
    for (at, search) in searches().into_iter().enumerate().step_by(5) {
        let Some(query) = search.strip_prefix("/v1/cards?q=") else { continue };
        let query = query.split('&').next().unwrap();
        // The step between searches is 5, and there are 6 of these suffixes, so that every suffix is used.
        let ways = [
            "",
            "&game=ttcg",
            "&game=ttcg&as=list",
            "&sort=name&order=desc",
            "&sort=submissions",
            "&as=text",
        ];
        paths.push(format!("/search?q={query}{}", ways[at % ways.len()]));
    }
    paths
}

#[tokio::test]
async fn pages_do_not_depend_on_hidden_cards() {
    compare(twins().await).await;
}

/// The same with all cards in memory.
#[tokio::test]
async fn pages_from_memory_do_not_depend_on_hidden_cards() {
    let (one, other) = twins_with(in_memory).await;
    one.catch_up().await;
    other.catch_up().await;
    compare((one, other)).await;
}

async fn compare((one, other): (TestApp, TestApp)) {
    for app in [&one, &other] {
        store_deck(app).await;
        share_designs(app).await;
    }
    let paths = paths(&one).await;
    // The deck is listed, and found by its open card, but a search for the typed name, which is bound to a hidden card, does not find it.
    let by_open_card = "/decks?q=contains:%22kettle+imp%22";
    let named = "/decks?q=contains:%22a+name+that+was+typed%22";
    for (list, is_listed) in [("/decks", true), (by_open_card, true), (named, false)] {
        assert_eq!(one.get(list).answer().await.text().contains("Held"), is_listed, "{list}");
    }
    let name = a_hidden_card()["name"].as_str().unwrap().to_owned();
    for (list, design) in
        [("/designs", &*name), ("/designers/holder", &name), ("/designs?q=heron", "Lantern Heron")]
    {
        assert!(named_in(&one, list, design).await, "{list}");
    }
    assert!(paths.len() > 80, "{}", paths.len());
    // The preview for other sites shows the first open card of the deck.
    let open = one.get("/v1/games/ttcg/sets/hearth/cards/016").answer().await.expect(200);
    let deck = Page::read(&one.get(DECK).answer().await.text());
    let picture = open["image_uris"]["png"].as_str().unwrap();
    assert!(deck.meta("og:image").is_some_and(|address| address.ends_with(picture)), "{picture}");
    let mut shown = 0;
    for path in &paths {
        for encoding in ["identity", "gzip"] {
            let ask = |app: &TestApp| app.get(path).header("accept-encoding", encoding);
            let (here, there) = tokio::join!(ask(&one).answer(), ask(&other).answer());
            assert_eq!(visible(&here), visible(&there), "{path}");
            assert_eq!(here.bytes, there.bytes, "{path}");
            shown += usize::from(here.status == 200);
        }
    }
    assert!(shown > paths.len(), "{shown}");
    // The comparison can fail: an unlocked card differs wherever it is shown.
    for app in [&one, &other] {
        let admin = app.admin().await;
        unlock(app, &admin, "001").await;
        caught_up(app).await;
    }
    for path in [
        "/",
        "/sets/ttcg/veil",
        "/cards/ttcg/veil/001",
        "/search?q=set:veil",
        "/search?q=set:veil&as=text",
        DECK,
        &format!("{DECK}/revisions/2"),
        &format!("{DECK}/proxies"),
        "/players/holder",
    ] {
        let (here, there) = tokio::join!(one.get(path).answer(), other.get(path).answer());
        assert_ne!(visible(&here), visible(&there), "{path}");
    }
}

/// Whether a page names a design.
async fn named_in(app: &TestApp, path: &str, name: &str) -> bool {
    let page = Page::read(&app.get(path).answer().await.text());
    page.only("main").text.contains(name)
}

/// The designer gives the same answers in both services about a design that is like a hidden card, by its name or its sentences.
#[tokio::test]
async fn verdicts_of_the_designer_do_not_depend_on_hidden_cards() {
    let (one, other) = twins().await;
    for app in [&one, &other] {
        store_deck(app).await;
        share_designs(app).await;
        app.player("ada").await;
    }
    let (here, there) = (Browser::of(&one, "ada").await, Browser::of(&other, "ada").await);
    let hidden = a_hidden_card();
    let name = hidden["name"].as_str().unwrap();
    let effect = |at: usize, member: &str| hidden["effects"][at][member].as_str().unwrap();
    let own = [effect(0, "text"), effect(1, "text")];
    let theirs = ["Draw a card, then think about it.", own[1]];
    let none = ["", ""];
    // The designer finds the shared design, by its name or by its effects, and not the hidden card.
    for (name, effects, found) in [
        (name, own, Some(name)),
        (name, none, Some(name)),
        ("Nothing Like It", own, Some(name)),
        ("Nothing Like It", [own[0], ""], None),
        ("Nothing Like It", theirs, None),
        ("Wholly Different 001", theirs, None),
        ("Kettle Imp", none, Some("Kettle Imp")),
    ] {
        for step in ["card", "effects", "check"] {
            let sent = [
                ("game", "ttcg"),
                ("kind", hidden["kind"].as_str().unwrap()),
                ("name", name),
                ("effects.0.style", effect(0, "style")),
                ("effects.0.text", effects[0]),
                ("effects.1.style", effect(1, "style")),
                ("effects.1.text", effects[1]),
                ("step", "card"),
                ("go", step),
            ];
            let (one, other) =
                tokio::join!(here.post("/designer", &sent), there.post("/designer", &sent));
            assert_eq!(one.status, 200, "{}", one.text());
            assert_eq!(visible(&one), visible(&other), "{name}, {effects:?}: {step}");
            let page = Page::read(&one.text());
            let links = page.all("a").filter(|link| {
                let path = link.get("href").unwrap_or_default();
                path.starts_with("/designs/D-") || path.starts_with("/cards/")
            });
            let alike: Vec<&str> = links.map(|link| &*link.text).collect();
            // The comparison can fail: the designer finds designs and open cards.
            let is_as_expected = found.map_or(alike.is_empty(), |found| alike.contains(&found));
            assert!(is_as_expected, "{name}, {effects:?}: {alike:?}");
        }
    }
}

/// The check of a list with hidden cards gives the same result in both services. The check of a list with open cards gives a report.
#[tokio::test]
async fn checks_of_lists_do_not_depend_on_hidden_cards() {
    let (one, other) = twins().await;
    let moderators = (one.moderator().await, other.moderator().await);
    // The check also shows a player who has counted a card which cards of the list she owns.
    for app in [&one, &other] {
        let ada = app.player("ada").await;
        let counted = printing(app, None, "hearth", "016", "common").await;
        let count = app.put(&format!("/v1/collection/{counted}")).by(&ada);
        let count = count.json(&json!({ "quantity": 2, "condition": "near_mint" }));
        count.answer().await.expect(200);
    }
    let hers = (Browser::of(&one, "ada").await, Browser::of(&other, "ada").await);
    let mut lists =
        vec!["2 (veil) 001\n1 (veil) 2".to_owned(), "2 Kettle Imp\n1 Nearly".to_owned()];
    for (app, moderator) in [(&one, &moderators.0), (&other, &moderators.1)] {
        for number in ["001", "002"] {
            let path = format!("/v1/games/ttcg/sets/veil/cards/{number}");
            let card = app.get(&path).by(moderator).answer().await.expect(200);
            let name = card["name"].as_str().unwrap();
            lists.push(format!("2 {name}"));
            lists.push(format!("1 {name}x (veil) {number} {{rare}}"));
            lists.push(format!("{}\n2 Kettle Imp", &name[..name.len() - 1]));
        }
    }
    for list in lists {
        for dialect in ["", "plain", "own"] {
            let form = [("format", "ttcg/standard"), ("list", &*list), ("dialect", dialect)];
            let ask = |app: &TestApp| {
                app.post("/decks/check").header("sec-fetch-site", "same-origin").form(&form)
            };
            let (here, there) = tokio::join!(ask(&one).answer(), ask(&other).answer());
            assert_eq!(visible(&here), visible(&there), "{list}");
            assert_eq!(here.status, 200, "{list}: {}", here.text());
            let (here, there) = tokio::join!(
                hers.0.post("/decks/check", &form),
                hers.1.post("/decks/check", &form)
            );
            assert_eq!(visible(&here), visible(&there), "{list}");
            let shows_owned = here.text().contains("Owned and missing");
            assert!(shows_owned || !list.contains("Kettle Imp"), "{list}");
        }
    }
}

/// The previews for other sites are the same for all hidden cards.
#[tokio::test]
async fn previews_of_hidden_cards_are_alike() {
    let app = super::start().await;
    let mut previews = Vec::new();
    for number in ["001", "002", "004"] {
        let path = format!("/cards/ttcg/veil/{number}");
        let page = Page::read(&super::page(&app, &path).await.text());
        let picture = page.meta("og:image").unwrap();
        let picture = picture.strip_prefix("http://127.0.0.1:8080").unwrap();
        let picture = app.get(picture).answer().await;
        assert_eq!(picture.header("content-type"), "image/png");
        let text = |property| page.meta(property).unwrap().to_owned();
        previews.push((text("og:title"), text("og:description"), picture.bytes));
    }
    assert!(previews.iter().all(|one| *one == previews[0]));
}

/// A request with an access token gets the page of an anonymous reader, because pages identify accounts only by their cookie.
#[tokio::test]
async fn an_access_token_does_not_change_a_page() {
    let app = super::start().await;
    let moderator = app.moderator().await;
    for path in ["/", "/sets/ttcg/veil", "/cards/ttcg/veil/001", "/search?q=set:veil"] {
        let stranger = app.get(path).answer().await;
        let known = app.get(path).by(&moderator).answer().await;
        assert_eq!(visible(&stranger), visible(&known), "{path}");
    }
    // With the cookie of a session, a moderator sees the hidden card.
    let known = Browser::of(&app, "the moderator").await.page("/cards/ttcg/veil/001").await;
    assert_eq!(known.only("h1").text, a_hidden_card()["name"]);
}
