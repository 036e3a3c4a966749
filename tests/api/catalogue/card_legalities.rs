//! The legality of single cards in formats.

use serde_json::{Value, json};

use crate::support::{Player, RequestExt as _, TestApp};

const SHELF: &str = r#"
code = "shelf"
name = "Shelf"
rules_version = "shelf/1"

[[kinds]]
code = "book"
name = "Book"
[kinds.attributes]
pages = { type = "integer", min = 1 }

[[formats]]
code = "open"
name = "Open"
version = "1"
[[formats.rules]]
rule = "B-1"
text = "Thick books are not played."
forbidden = { select = { where = { pages = { min = 500 } } } }
[[formats.rules]]
rule = "B-2"
text = "Some books are too good."
effective_from = "2026-06-01"
limit_list = { cards = { "Almanac" = 0, "Bestiary" = 1 } }

[[formats]]
code = "recent"
name = "Recent"
version = "2"
effective_from = "2026-01-01"
[[formats.rules]]
rule = "B-3"
text = "Only books of this year are played."
allowed = { select = { released = { from = "2026-01-01" } } }
"#;

async fn shelf() -> (TestApp, Player) {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let manifest = app.put("/v1/games/shelf/manifest").by(&admin).body(SHELF);
    manifest.header("content-type", "application/toml").answer().await.expect(201);
    let set = json!({
        "code": "one", "name": "One", "released_on": "2025-05-05",
        "cards": [
            { "number": "001", "name": "Almanac", "kind": "book", "attributes": { "pages": 90 } },
            { "number": "002", "name": "Bestiary", "kind": "book", "attributes": { "pages": 400 } },
            { "number": "003", "name": "Codex", "kind": "book", "attributes": { "pages": 900 } },
            { "number": "004", "name": "Diary", "kind": "book", "attributes": { "pages": 100 } },
        ],
    });
    app.put("/v1/games/shelf/sets/one").by(&admin).json(&set).answer().await.expect(201);
    (app, admin)
}

/// The format, status, highest number of copies and rule of each entry.
async fn legalities(app: &TestApp, number: &str, on: &str) -> Vec<String> {
    let path = format!("/v1/games/shelf/sets/one/cards/{number}");
    let card = app.get(&path).answer().await.expect(200);
    let path = format!("/v1/cards/{}/legalities?on={on}", card["id"].as_str().unwrap());
    let answer = app.get(&path).answer().await.expect(200);
    assert_eq!(answer["on"], on);
    let entry = |entry: &Value| {
        let text_of = |member: &str| match &entry[member] {
            Value::Null => "-".to_owned(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        ["format", "status", "max_copies", "rule"].map(text_of).join(" ")
    };
    answer["data"].as_array().unwrap().iter().map(entry).collect()
}

#[tokio::test]
async fn legality_depends_on_the_day() {
    let (app, admin) = shelf().await;
    for (number, on, expected) in [
        ("001", "2025-12-31", vec!["open legal - -"]),
        ("001", "2026-05-31", vec!["open legal - -", "recent not_legal - B-3"]),
        ("001", "2026-06-01", vec!["open banned 0 B-2", "recent not_legal - B-3"]),
        ("002", "2026-06-01", vec!["open restricted 1 B-2", "recent not_legal - B-3"]),
        ("003", "2026-06-01", vec!["open not_legal - B-1", "recent not_legal - B-3"]),
        ("004", "2026-06-01", vec!["open legal - -", "recent not_legal - B-3"]),
    ] {
        assert_eq!(legalities(&app, number, on).await, expected, "{number} on {on}");
    }
    // If the set is released later, its cards are legal in the format `recent`.
    let set = app.get("/v1/games/shelf/sets/one").answer().await;
    assert_eq!(set.expect(200)["released_on"], "2025-05-05");
    let edit = app.patch("/v1/games/shelf/sets/one").by(&admin).header("if-match", "*");
    edit.json(&json!({ "released_on": "2026-02-02" })).answer().await.expect(200);
    let diary = legalities(&app, "004", "2026-06-01").await;
    assert_eq!(diary, ["open legal - -", "recent legal - -"]);
}

#[tokio::test]
async fn the_default_day_is_today() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let card = app.get("/v1/games/ttcg/sets/hearth/cards/016").answer().await.expect(200);
    let path = format!("/v1/cards/{}/legalities", card["id"].as_str().unwrap());
    let answer = app.get(&path).answer().await.expect(200);
    assert_eq!(answer["on"], app.clock().today().unwrap().to_string());
    let format = &answer["data"][0];
    assert_eq!((&format["format"], &format["status"]), (&json!("standard"), &json!("legal")));
    app.get(&format!("{path}?on=tomorrow")).answer().await.problem(400, "invalid_query");
    app.get(&format!("{path}?day=2026-01-01")).answer().await.problem(400, "invalid_query");
    let nothing = "/v1/cards/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11/legalities";
    app.get(nothing).answer().await.problem(404, "not_found");
}

#[tokio::test]
async fn include_adds_the_legalities_to_a_card() {
    let (app, _) = shelf().await;
    let path = "/v1/games/shelf/sets/one/cards/1";
    let plain = app.get(path).answer().await;
    let with = app.get(&format!("{path}?include=legalities")).answer().await;
    // With legalities there is no `last-modified`: the rules can change with the day although the card does not.
    assert_eq!(
        (plain.header("last-modified").is_empty(), with.header("last-modified")),
        (false, String::new())
    );
    assert_ne!(plain.header("etag"), with.header("etag"));
    let etag = with.header("etag");
    let (plain, mut with) = (plain.expect(200), with.expect(200));
    let legalities = with.as_object_mut().unwrap().remove("legalities").unwrap();
    assert_eq!(plain, with);
    let card = plain["id"].as_str().unwrap();
    let listed = app.get(&format!("/v1/cards/{card}/legalities")).answer().await.expect(200);
    assert_eq!(legalities, listed["data"]);
    assert_eq!(legalities[0]["status"], "banned");
    // Cached answers with and without legalities are not mixed up.
    let path = format!("/v1/cards/{card}?include=legalities");
    let again = app.get(&path).header("if-none-match", &etag).answer().await;
    assert_eq!(again.status, 304);
    let plain_again = app.get(&format!("/v1/cards/{card}")).answer().await.expect(200);
    assert_eq!(plain_again, plain);
    app.get(&format!("/v1/cards/{card}?include=legality"))
        .answer()
        .await
        .problem(400, "invalid_query");
    let unknown = app.get(&format!("/v1/cards/{card}?includes=legalities")).answer().await;
    unknown.problem(400, "invalid_query");
}

#[tokio::test]
async fn legalities_of_a_hidden_card_are_shown_only_to_its_holders() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let holder = app.player("holder").await;
    app.give_copy(&holder.id, "ttcg", "veil", "001").await;
    for (number, held) in [("001", true), ("002", false)] {
        let path = format!("/v1/games/ttcg/sets/veil/cards/{number}");
        let card = app.get(&path).answer().await.expect(200);
        let path = format!("/v1/cards/{}/legalities", card["id"].as_str().unwrap());
        let anonymous = app.get(&path).answer().await.expect(200);
        assert_eq!(anonymous["data"], json!([]), "{number}");
        let with = format!("/v1/games/ttcg/sets/veil/cards/{number}?include=legalities");
        let with = app.get(&with).answer().await.expect(200);
        assert_eq!((&with["name"], &with["legalities"]), (&Value::Null, &Value::Null), "{number}");
        let for_holder = app.get(&path).by(&holder).answer().await;
        assert!(for_holder.header("cache-control").contains("private"), "{number}");
        let for_holder = for_holder.expect(200);
        assert_eq!(for_holder["data"].as_array().unwrap().is_empty(), !held, "{number}");
    }
}

// --- The search ------------------------------------------------------------------------------------------------------

/// A game with every form of selector, and with formats that change from day to day.
const GREENHOUSE: &str = r#"
code = "greenhouse"
name = "Greenhouse"
rules_version = "greenhouse/1"

[[zones]]
code = "main"
name = "Bed"
[[zones]]
code = "side"
name = "Shed"

[[rarities]]
code = "plain"
name = "Plain"
weight = 3
[[rarities]]
code = "gilt"
name = "Gilt"
weight = 1

[[kinds]]
code = "plant"
name = "Plant"
[kinds.attributes]
height = { type = "integer", min = 0, optional = true, per_printing = true }
climate = { type = "choice", values = ["dry", "wet"], optional = true }
uses = { type = "choices", values = ["food", "dye", "rope"], optional = true }
hardy = { type = "boolean", optional = true }
note = { type = "text", optional = true }
[[kinds]]
code = "tool"
name = "Tool"
attributes.note = { type = "integer", optional = true }

[[formats]]
code = "season"
name = "Season"
version = "1"
[[formats.rules]]
rule = "G-1"
text = "Tools stand in the shed, and nothing else does."
allowed = { zones = ["side"], select = { kinds = ["tool"] } }
[[formats.rules]]
rule = "G-2"
text = "Tools stand in the shed alone."
forbidden = { zones = ["main"], select = { kinds = ["tool"] } }
[[formats.rules]]
rule = "G-3"
text = "What is high and hardy does not fit."
forbidden = { select = { where = { height = { min = 300 }, hardy = true } } }
[[formats.rules]]
rule = "G-4"
text = "One day of June."
effective_from = "2026-06-01"
effective_until = "2026-06-02"
limit_list = { cards = { "Café" = 0, "Sloe" = 0, "Moss" = 1, "Quince" = 1 } }

[[formats]]
code = "uses"
name = "Uses"
version = "1"
[[formats.rules]]
rule = "G-5"
text = "Only what is of use."
allowed = { select = { any = [
  { where = { uses = ["dye", "rope"] } },
  { where = { note = ["Bitter", 7], height = 200 } },
  { not = { where = { uses = { present = false } } }, names = ["Cafe"] },
  { sets = ["two"], not = { where = { climate = "wet", height = { min = 1, max = 250 } } } },
] } }

[[formats]]
code = "modern"
name = "Modern"
version = "1"
effective_from = "2026-03-01"
[[formats.rules]]
rule = "G-6"
text = "Only new sets."
allowed = { select = { released = { from = "2026-01-01", until = "2026-07-01" } } }
[[formats.variants]]
code = "all"
name = "All"
default = true
[[formats.variants]]
code = "old"
name = "Old"
[[formats.variants.rules]]
rule = "G-7"
text = "Only what has no day after the year began."
forbidden = { select = { released = { from = "2026-02-01" } } }

[[formats]]
code = "crate"
name = "Crate"
version = "1"
[[formats.rules]]
rule = "G-8"
text = "The crate holds sloes and tools."
fixed_box = { total = 4, contents = [
  { copies = 2, select = { names = ["Sloe"] } },
  { copies = 2, select = { kinds = ["tool"] } },
] }
"#;

async fn greenhouse() -> TestApp {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let manifest = app.put("/v1/games/greenhouse/manifest").by(&admin).body(GREENHOUSE);
    manifest.header("content-type", "application/toml").answer().await.expect(201);
    for (set, day) in
        [("one", json!("2025-05-05")), ("two", json!("2026-02-02")), ("un", json!(null))]
    {
        let plants = [
            ("Café", json!({ "height": 100, "uses": ["food"] })),
            ("Cafe", json!({ "height": 100, "uses": ["food"] })),
            ("Sloe", json!({ "height": 250, "climate": "wet", "hardy": true, "note": "Bitter" })),
            ("Quince", json!({ "height": 300, "climate": "dry", "hardy": true, "uses": ["dye"] })),
            ("Larch", json!({ "height": 900, "climate": "wet", "hardy": false })),
            ("Hemp", json!({ "height": 200, "uses": ["food", "rope"], "note": "Bitter" })),
            ("Aloe", json!({ "note": "bitter", "height": 200 })),
            ("Moss", json!({})),
        ];
        let mut cards: Vec<Value> = plants
            .into_iter()
            .map(|(name, attributes)| {
                // The rules use the height of the card, not the height of the gilt printing.
                let printings = json!([
                    { "rarity": "plain" }, { "rarity": "gilt", "attributes": { "height": 999 } },
                ]);
                let named = if set == "one" { name.to_owned() } else { format!("{name} {set}") };
                json!({ "name": named, "kind": "plant", "attributes": attributes, "printings": printings })
            })
            .collect();
        cards.push(json!({ "name": format!("Rake {set}"), "kind": "tool", "printings": [{ "rarity": "plain" }] }));
        for (card, number) in cards.iter_mut().zip(1..) {
            card["number"] = format!("{number:03}").into();
        }
        let file = json!({ "code": set, "name": set, "released_on": day, "cards": cards });
        let path = format!("/v1/games/greenhouse/sets/{set}");
        app.put(&path).by(&admin).json(&file).answer().await.expect(201);
    }
    app
}

/// The cards that a query finds, as names.
async fn found(app: &TestApp, q: &str) -> Vec<String> {
    let q: String = form_urlencoded::byte_serialize(q.as_bytes()).collect();
    let path = format!("/v1/cards?game=greenhouse&limit=200&q={q}");
    let page = app.get(&path).answer().await.expect(200);
    assert_eq!(page["warnings"], Value::Null, "{q}");
    let name = |card: &Value| card["name"].as_str().unwrap().to_owned();
    page["data"].as_array().unwrap().iter().map(name).collect()
}

#[tokio::test]
async fn the_search_matches_the_legalities() {
    let database = greenhouse().await;
    let memory = database.second_instance_in_memory().await;
    let all = database.get("/v1/cards?game=greenhouse&limit=200").answer().await.expect(200);
    let mut statuses = std::collections::BTreeSet::new();
    for on in ["2026-01-01", "2026-06-01", "2026-06-02"] {
        // The status of each card in each format, in the order of the list.
        let mut entries: Vec<(String, String, String)> = Vec::new();
        for card in all["data"].as_array().unwrap() {
            let path = format!("/v1/cards/{}/legalities?on={on}", card["id"].as_str().unwrap());
            for entry in database.get(&path).answer().await.expect(200)["data"].as_array().unwrap()
            {
                let text = |value: &Value| value.as_str().unwrap().to_owned();
                entries.push((text(&entry["format"]), text(&card["name"]), text(&entry["status"])));
            }
        }
        let formats = if on == "2026-01-01" { 3 } else { 4 };
        assert_eq!(entries.len(), formats * 27, "{on}");
        statuses.extend(entries.iter().map(|(format, _, status)| format!("{format} {status}")));
        for format in ["season", "uses", "modern", "crate"] {
            if !entries.iter().any(|(of, ..)| of == format) {
                continue;
            }
            let of_status = |wanted: &[&str]| -> Vec<String> {
                let fits = |(of, _, status): &&(String, String, String)| {
                    of == format && wanted.contains(&status.as_str())
                };
                entries.iter().filter(fits).map(|(_, name, _)| name.clone()).collect()
            };
            for (field, fits, fails) in [
                ("legal", &["legal", "restricted"][..], &["banned", "not_legal"][..]),
                ("banned", &["banned"], &["legal", "restricted", "not_legal"]),
                ("restricted", &["restricted"], &["legal", "banned", "not_legal"]),
            ] {
                for app in [&database, &memory] {
                    let q = format!("{field}:{format}@{on}");
                    assert_eq!(found(app, &q).await, of_status(fits), "{q}");
                    assert_eq!(found(app, &format!("-{q}")).await, of_status(fails), "-{q}");
                    let q = format!("{field}!=greenhouse/{format}@{on}");
                    assert_eq!(found(app, &q).await, of_status(fails), "{q}");
                }
            }
        }
    }
    let expected = [
        "crate legal",
        "crate not_legal",
        "modern legal",
        "modern not_legal",
        "season banned",
        "season legal",
        "season not_legal",
        "season restricted",
        "uses legal",
        "uses not_legal",
    ];
    assert_eq!(statuses.into_iter().collect::<Vec<_>>(), expected);
    // The exact cards that the selectors of these formats allow.
    assert_eq!(found(&database, "legal:uses set:one").await, ["Cafe", "Quince", "Hemp"]);
    assert_eq!(found(&database, "legal:crate@2026-06-01 set:one").await, ["Sloe", "Rake one"]);
}

#[tokio::test]
async fn a_format_term_can_name_a_day_a_variant_and_a_game() {
    let app = greenhouse().await;
    // The cards that left the format on that day.
    let out = found(&app, "f:season@2026-05-31 -f:season@2026-06-01").await;
    assert_eq!(out, ["Café", "Sloe"]);
    assert_eq!(found(&app, "f:modern:old@2026-06-01 set:two").await, Vec::<String>::new());
    assert_eq!(found(&app, "F:MODERN:all@2026-06-01 number:5").await, ["Larch two"]);
    assert_eq!(found(&app, "f:\"Greenhouse/Season\" number:9 set:one").await, ["Rake one"]);
    let noon = "2026-06-01T12:00:00Z".parse::<chrono::DateTime<chrono::Utc>>().unwrap();
    app.clock().advance(noon - app.clock().now());
    assert_eq!(found(&app, "f:season").await, found(&app, "f:season@2026-06-01").await);
    assert_ne!(found(&app, "f:season").await, found(&app, "f:season@2026-06-02").await);
    for (q, message) in [
        (
            "f:modern@2026-02-28",
            "there is no format \"modern\" on 2026-02-28: it begins on 2026-03-01",
        ),
        ("f:modern:olt", "the format \"modern\" has no variant \"olt\"; did you mean old?"),
        ("f:season@2026-02-30", "there is no day 2026-02-30"),
        ("f:saison", "there is no format \"saison\"; did you mean season?"),
    ] {
        let q: String = form_urlencoded::byte_serialize(q.as_bytes()).collect();
        let answer = app.get(&format!("/v1/cards?q={q}")).answer().await;
        let problem = answer.problem(400, "invalid_query");
        assert_eq!(problem["faults"][0]["message"], message, "{q}");
    }
}

#[tokio::test]
async fn facets_use_the_legality_of_today() {
    let database = greenhouse().await;
    let app = database.second_instance_in_memory().await;
    let path = "/v1/games/greenhouse/facets?q=banned%3Aseason";
    let cards = async || app.get(path).answer().await.expect(200)["cards"].clone();
    let until = |day: &str| {
        let day: chrono::NaiveDate = day.parse().unwrap();
        let noon = day.and_hms_opt(12, 0, 0).unwrap().and_utc();
        noon - app.clock().now()
    };
    app.clock().advance(until("2026-06-01"));
    assert_eq!(cards().await, 2);
    app.clock().advance(until("2026-06-02"));
    assert_eq!(cards().await, 0);
}

#[tokio::test]
async fn hidden_cards_are_neither_legal_nor_not() {
    let app = TestApp::start_seeded(&["ttcg", "emoji-tcg"]).await;
    let holder = app.player("holder").await;
    app.give_copy(&holder.id, "ttcg", "veil", "001").await;
    let memory = app.second_instance_in_memory().await;
    for q in [
        "set:veil f:standard",
        "set:veil -f:standard",
        "set:veil -f:emoji-tcg/playtest",
        "set:veil -banned:standard",
        "set:veil -(f:standard or banned:standard)",
    ] {
        let path: String = form_urlencoded::byte_serialize(q.as_bytes()).collect();
        let path = format!("/v1/cards?limit=200&q={path}");
        let numbers = |page: &Value| -> Vec<String> {
            let cards = page["data"].as_array().unwrap().iter();
            cards.map(|card| card["number"].as_str().unwrap().to_owned()).collect()
        };
        let anonymous = numbers(&app.get(&path).answer().await.expect(200));
        let held = numbers(&app.get(&path).by(&holder).answer().await.expect(200));
        assert!(anonymous.is_empty(), "{q}: {anonymous:?}");
        let in_memory = numbers(&memory.get(&path).by(&holder).answer().await.expect(200));
        assert_eq!(in_memory, held, "{q}");
        let sees = matches!(
            q,
            "set:veil f:standard" | "set:veil -f:emoji-tcg/playtest" | "set:veil -banned:standard"
        );
        assert_eq!(held, if sees { vec!["001".to_owned()] } else { Vec::new() }, "{q}");
    }
}

#[tokio::test]
async fn a_query_has_four_format_terms_at_most() {
    let app = greenhouse().await;
    let q = |count: usize| vec!["f%3Aseason"; count].join("%20");
    let warnings = async |count: usize| {
        let page = app.get(&format!("/v1/cards?q={}", q(count))).answer().await.expect(200);
        page["warnings"].as_array().map_or(0, Vec::len)
    };
    assert_eq!((warnings(4).await, warnings(5).await), (0, 1));
}
