//! A game whose codes are unusual, but of the form that docs/GAMES.md describes: hyphens and underscores at both ends and side by side, digits, one sign alone, and
//! codes that differ only in signs.

use cardscape::domain::catalogue::import::{GameSource, SourceFile};
use cardscape::search::attribute_field;
use serde_json::{Value, json};

use crate::support::{RequestExt as _, TestApp};

const ODD: &str = r#"
code = "odd-1"
name = "Odd"
rules_version = "odd/1"

[cards]
external_id = "-id"

[[zones]]
code = "-main-"
name = "First zone"
[[zones]]
code = "_"
name = "Second zone"
[[zones]]
code = "a--b__1"
name = "Third zone"
[[zones]]
code = "4"
name = "Fourth zone"

[[rarities]]
code = "h-1"
name = "First rarity"
[[rarities]]
code = "_lead"
name = "Second rarity"
[[rarities]]
code = "a__b-"
name = "Third rarity"
[[rarities]]
code = "-"
name = "Fourth rarity"

[[kinds]]
code = "k-1"
name = "First kind"
[kinds.attributes]
-id = { type = "integer" }
-c = { type = "choice", values = ["_x", "or", "a:b"] }
_t = { type = "text", optional = true, per_printing = true }
9 = { type = "integer", optional = true, per_printing = true }
a--b = { type = "boolean", optional = true }
or = { type = "choices", values = ["-", "and"], optional = true }
x23456789_123456789_123456789_123456789_123456789_123456789_1234 = { type = "integer", optional = true }
[[kinds.effects]]
max = 1
styles = ["_now", "on-"]
slots = [{ slot = "s-1" }, { slot = "s_1" }]

[[kinds]]
code = "k_1"
name = "Second kind"
attributes = { -id = { type = "integer" } }

[[formats]]
code = "-open"
name = "Open"
version = "1"
[[formats.variants]]
code = "_all"
name = "All"
default = true
[[formats.variants]]
code = "1-"
name = "One"
"#;

const ZONES: [&str; 4] = ["-main-", "_", "a--b__1", "4"];
const RARITIES: [&str; 4] = ["h-1", "_lead", "a__b-", "-"];

fn odd() -> GameSource {
    let longest = "x23456789_123456789_123456789_123456789_123456789_123456789_1234";
    let ember = json!({
        "number": "001", "name": "Ember", "kind": "k-1",
        "attributes": { "-id": 101, "-c": "_x", "_t": "alpha", "9": 1, "a--b": true, "or": ["-"], longest: 5 },
        "effects": [{ "text": "Draw a card.", "style": "_now", "slot": "s-1" }],
        "printings": [
            { "rarity": "h-1" }, { "rarity": "_lead", "attributes": { "_t": "omega", "9": 7 } },
            { "rarity": "a__b-" }, { "rarity": "-" },
        ],
    });
    let tide = json!({
        "number": "002", "name": "Tide", "kind": "k-1", "attributes": { "-id": 102, "-c": "a:b", "a--b": false },
        "effects": [{ "text": "Draw a card.", "style": "on-", "slot": "s_1" }],
        "printings": [{ "rarity": "a__b-" }],
    });
    let gust = json!({
        "number": "003", "name": "Gust", "kind": "k_1", "attributes": { "-id": 103 },
        "printings": [{ "rarity": "h-1" }],
    });
    let set = json!({ "code": "set-1", "name": "One", "cards": [ember, tide, gust] });
    GameSource {
        manifest: SourceFile::new("game.toml", ODD),
        sets: vec![SourceFile::new("set-1.json", &set.to_string())],
    }
}

async fn list(app: &TestApp, parameters: &[(&str, &str)]) -> Value {
    let query: String =
        form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish();
    let page = app.get(&format!("/v1/cards?game=odd-1&total=true&{query}"));
    let page = page.answer().await.expect(200);
    assert_eq!(page.get("warnings"), None, "{parameters:?}");
    page
}

/// Each value of a facet is found by its code, and by no other that is written alike.
#[tokio::test]
async fn searches_find_unusual_codes() {
    let database = TestApp::start().await;
    database.import(&odd()).await.unwrap();
    let memory = database.second_instance_in_memory().await;
    for app in [&database, &memory] {
        let facets = app.get("/v1/games/odd-1/facets").answer().await.expect(200);
        let mut fields = Vec::new();
        for facet in facets["facets"].as_array().unwrap() {
            let code = facet["code"].as_str().unwrap();
            let field =
                if facet["of"] == "attribute" { attribute_field(code) } else { code.to_owned() };
            for value in facet["values"].as_array().unwrap() {
                let term = format!("{field}:{}", value["value"]);
                let found = list(app, &[("q", term.as_str())]).await;
                assert_eq!(found["total"], value["cards"], "{term}");
            }
            fields.push(field);
        }
        assert_eq!(fields[..5], ["kind", "rarity", "style", "slot", "attributes.-c"]);
        // Nearly each card has its own external id, so it is no facet.
        assert!(!fields.iter().any(|field| field == "attributes.-id"), "{fields:?}");
        assert_eq!(fields.len(), 9, "{fields:?}");
        for (q, printings) in [
            ("_t:omega", 1),
            ("_t:alpha 9:1", 3),
            ("9=7 r:_lead", 1),
            ("-r:h-1 attributes.-id=101", 3),
            ("has:-c r:-", 1),
            ("legal:-open:1- kind:k_1", 1),
        ] {
            let found = list(app, &[("q", q), ("unique", "printings")]).await;
            assert_eq!(found["total"], printings, "{q}");
        }
        let sorted = [("kind", "k-1"), ("rarity", "a__b-"), ("sort", "-id"), ("order", "desc")];
        let found = list(app, &sorted).await;
        assert_eq!((&found["total"], &found["data"][0]["name"]), (&json!(2), &json!("Tide")));
    }
}

#[tokio::test]
async fn decks_have_unusual_codes() {
    let app = TestApp::start().await;
    app.import(&odd()).await.unwrap();
    app.get("/v1/games/odd-1/formats/-open").answer().await.expect(200);
    let ada = app.player("ada").await;
    let entry =
        |(zone, rarity)| json!({ "zone": zone, "quantity": 2, "name": "Ember", "rarity": rarity });
    let entries: Vec<Value> = ZONES.into_iter().zip(RARITIES).map(entry).collect();
    let create = async |member: &str, cards: &Value| {
        let mut body =
            json!({ "name": "Odd", "format": "odd-1/-open:1-", "visibility": "private" });
        body[member] = cards.clone();
        app.post("/v1/decks").by(&ada).json(&body).answer().await.expect(201)
    };
    let deck = create("entries", &json!(entries)).await;
    let path = format!("/v1/decks/{}", deck["id"].as_str().unwrap());
    let report = app.get(&format!("{path}/report")).by(&ada).answer().await.expect(200);
    assert_eq!((&report["status"], &report["violations"]), (&json!("legal"), &json!([])));
    for dialect in ["own", "json", "csv", "share_code"] {
        let export = app.get(&format!("{path}/export?dialect={dialect}")).by(&ada);
        let export = export.answer().await.expect(200);
        let again = create("list", &export["text"]).await;
        let places = |deck: &Value| -> Vec<Value> {
            let entries = deck["entries"].as_array().unwrap().iter();
            entries
                .map(|entry| json!([entry["zone"], entry["quantity"], entry["rarity"]]))
                .collect()
        };
        assert_eq!(places(&again), places(&deck), "{dialect}: {export:#}");
    }
}

#[tokio::test]
async fn collections_have_unusual_codes() {
    let app = TestApp::start().await;
    app.import(&odd()).await.unwrap();
    let ada = app.player("ada").await;
    let card = app.get("/v1/games/odd-1/sets/set-1/cards/001").answer().await.expect(200);
    let printings = format!("/v1/cards/{}/printings", card["id"].as_str().unwrap());
    let printings = app.get(&printings).answer().await.expect(200);
    for printing in printings["data"].as_array().unwrap() {
        let count = app.put(&format!("/v1/collection/{}", printing["id"].as_str().unwrap()));
        count.by(&ada).json(&json!({ "quantity": 1 })).answer().await.expect(200);
    }
    for rarity in RARITIES {
        let entries = app.get(&format!("/v1/collection?game=odd-1&rarity={rarity}")).by(&ada);
        let entries = entries.answer().await.expect(200);
        assert_eq!(entries["data"].as_array().unwrap().len(), 1, "{rarity}");
    }
    // Without the column of printing ids, the lines name the rarities.
    let lines = RARITIES.map(|rarity| format!("1,set-1,001,{rarity}\n")).concat();
    let import = app.post("/v1/collection/imports?game=odd-1").by(&ada);
    let import = import.header("content-type", "text/csv");
    let import = import.body(format!("Quantity,Set,Number,Rarity\n{lines}")).answer().await;
    let import = import.expect(200);
    assert_eq!(import["totals"]["ok"], 4, "{import:#}");
}
