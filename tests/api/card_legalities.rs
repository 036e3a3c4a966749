//! What formats say of single cards.

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

/// Format, status, most copies and rule.
async fn legalities(app: &TestApp, number: &str, on: &str) -> Vec<String> {
    let path = format!("/v1/games/shelf/sets/one/cards/{number}");
    let card = app.get(&path).answer().await.expect(200);
    let path = format!("/v1/cards/{}/legalities?on={on}", card["id"].as_str().unwrap());
    let answer = app.get(&path).answer().await.expect(200);
    assert_eq!(answer["on"], on);
    let entry = |entry: &Value| {
        let told = |member: &str| match &entry[member] {
            Value::Null => "-".to_owned(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        ["format", "status", "max_copies", "rule"].map(told).join(" ")
    };
    answer["data"].as_array().unwrap().iter().map(entry).collect()
}

#[tokio::test]
async fn formats_tell_of_a_card_on_a_day() {
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
    // A set that came out later: its cards are recent.
    let set = app.get("/v1/games/shelf/sets/one").answer().await;
    assert_eq!(set.expect(200)["released_on"], "2025-05-05");
    let edit = app.patch("/v1/games/shelf/sets/one").by(&admin).header("if-match", "*");
    edit.json(&json!({ "released_on": "2026-02-02" })).answer().await.expect(200);
    let diary = legalities(&app, "004", "2026-06-01").await;
    assert_eq!(diary, ["open legal - -", "recent legal - -"]);
}

#[tokio::test]
async fn without_a_day_it_is_today() {
    let app = TestApp::start().await;
    app.seed(&["ttcg"]).await;
    let card = app.get("/v1/games/ttcg/sets/hearth/cards/016").answer().await.expect(200);
    let path = format!("/v1/cards/{}/legalities", card["id"].as_str().unwrap());
    let answer = app.get(&path).answer().await.expect(200);
    let today = app.db().value("SELECT (now() AT TIME ZONE 'UTC')::date").await;
    assert!(answer["on"].as_str().unwrap() >= today.as_str() || answer["on"] == today.as_str());
    let format = &answer["data"][0];
    assert_eq!((&format["format"], &format["status"]), (&json!("standard"), &json!("legal")));
    app.get(&format!("{path}?on=tomorrow")).answer().await.problem(400, "invalid_query");
    app.get(&format!("{path}?day=2026-01-01")).answer().await.problem(400, "invalid_query");
    let nothing = "/v1/cards/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11/legalities";
    app.get(nothing).answer().await.problem(404, "not_found");
}

#[tokio::test]
async fn of_a_hidden_card_nothing_is_told() {
    let app = TestApp::start().await;
    app.seed(&["ttcg"]).await;
    let holder = app.player("holder").await;
    app.give_copy(&holder.id, "ttcg", "veil", "001").await;
    for (number, held) in [("001", true), ("002", false)] {
        let path = format!("/v1/games/ttcg/sets/veil/cards/{number}");
        let card = app.get(&path).answer().await.expect(200);
        let path = format!("/v1/cards/{}/legalities", card["id"].as_str().unwrap());
        let stranger = app.get(&path).answer().await.expect(200);
        assert_eq!(stranger["data"], json!([]), "{number}");
        let told = app.get(&path).by(&holder).answer().await;
        assert!(told.header("cache-control").contains("private"), "{number}");
        let told = told.expect(200);
        assert_eq!(told["data"].as_array().unwrap().is_empty(), !held, "{number}");
    }
}
