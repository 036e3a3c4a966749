//! Searches for attributes, in the database and in memory: codes that are no plain words, and values that only printings have.

use cardscape::domain::catalogue::import::{GameSource, SourceFile};
use cardscape::store::catalogue::cards::refresh_words;
use cardscape::store::db::backlog::UNTIL_DONE;
use serde_json::{Value, json};

use crate::support::{RequestExt as _, TestApp};

/// Number of cards whose words have to be made again.
const STALE: &str = "SELECT count(*) FROM card_content WHERE words_version = 0";

const EM: &str = r#"
code = "em"
name = "Em"
rules_version = "em/1"

[[zones]]
code = "main"
name = "Main"

[[rarities]]
code = "c"
name = "Common"
weight = 2
[[rarities]]
code = "u"
name = "Unusual"
weight = 1

[[kinds]]
code = "x"
name = "X"
[kinds.attributes]
a-b = { type = "choice", values = ["or", "a b"] }
1st = { type = "integer", min = 0 }
motto = { type = "text", optional = true, per_printing = true }
opt = { type = "text", optional = true, per_printing = true }
cost = { type = "integer", optional = true, per_printing = true }
tag = { type = "choice", values = ["one", "two"], optional = true, per_printing = true }
"#;

/// Two cards; the first has a printing with these attributes of its own.
fn em(own: &Value) -> GameSource {
    let ember = json!({
        "number": "001", "name": "Ember", "kind": "x",
        "attributes": { "a-b": "or", "1st": 3, "motto": "alpha", "cost": 2, "tag": "one" },
        "printings": [{ "rarity": "c" }, { "rarity": "u", "attributes": own }],
    });
    let tide = json!({
        "number": "002", "name": "Tide", "kind": "x", "attributes": { "a-b": "a b", "1st": 5 },
        "printings": [{ "rarity": "c" }],
    });
    let set = json!({ "code": "one", "name": "One", "cards": [ember, tide] });
    GameSource {
        manifest: SourceFile::new("game.toml", EM),
        sets: vec![SourceFile::new("one.json", &set.to_string())],
    }
}

/// Two instances on the same database: the first searches in the database, the second in memory.
async fn pair() -> (TestApp, TestApp) {
    let database = TestApp::start().await;
    let own = json!({ "motto": "Ômega", "opt": "zeta", "cost": -3, "tag": "two" });
    database.import(&em(&own)).await.unwrap();
    let memory = database.second_instance_in_memory().await;
    (database, memory)
}

fn query(parameters: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish()
}

async fn list(app: &TestApp, q: &str, unique: &str) -> Value {
    let parameters = [("q", q), ("game", "em"), ("unique", unique), ("total", "true")];
    let page = app.get(&format!("/v1/cards?{}", query(&parameters))).answer().await.expect(200);
    assert_eq!(page.get("warnings"), None, "{q}");
    page
}

/// Names of the cards that a query finds.
async fn names(app: &TestApp, q: &str) -> Vec<String> {
    let page = list(app, q, "cards").await;
    let name = |card: &Value| card["name"].as_str().unwrap().to_owned();
    page["data"].as_array().unwrap().iter().map(name).collect()
}

/// Rarities of the printings that a query finds.
async fn rarities(app: &TestApp, q: &str) -> Vec<String> {
    let page = list(app, q, "printings").await;
    let rarity = |entry: &Value| entry["printing"]["rarity"].as_str().unwrap().to_owned();
    page["data"].as_array().unwrap().iter().map(rarity).collect()
}

#[tokio::test]
async fn an_attribute_is_a_field_whatever_its_code_is() {
    let (database, memory) = pair().await;
    for app in [&database, &memory] {
        for (q, found) in [
            ("a-b:or", &["Ember"][..]),
            ("a-b:\"a b\"", &["Tide"]),
            ("A-B=or|\"a b\"", &["Ember", "Tide"]),
            ("-a-b:or", &["Tide"]),
            ("attributes.a-b:or", &["Ember"]),
            ("1st:3", &["Ember"]),
            ("1st>=4", &["Tide"]),
            ("-1st:1..4", &["Tide"]),
            ("attributes.1st:3|5", &["Ember", "Tide"]),
            ("has:a-b has:1st", &["Ember", "Tide"]),
            ("(1st:3 or a-b:\"a b\") tide", &["Tide"]),
        ] {
            assert_eq!(names(app, q).await, found, "{q}");
        }
        // Other names with hyphens or digits are texts, as before.
        for (term, name) in [("x-ray:or", "x-ray"), ("12:30", "12")] {
            let q = format!("game:em {term}");
            let path = format!("/v1/cards?{}", query(&[("q", q.as_str())]));
            let page = app.get(&path).answer().await.expect(200);
            let expected = format!(
                "there is no field \"{name}\"; as text it needs quotation marks: \"{term}\""
            );
            assert_eq!(page["warnings"][0]["message"], expected);
            assert_eq!(page["data"].as_array().unwrap().len(), 2);
        }
        // The text between the slashes is one term, although it has a parenthesis.
        let facets = query(&[("q", "a-b:or motto:/(om|al).*/")]);
        let facets = app.get(&format!("/v1/games/em/facets?{facets}")).answer().await.expect(200);
        assert_eq!(facets["cards"], 1);
        app.get(&format!("/v1/games/em/facets?{}", query(&[("q", "a-b:/(or|x)/ ember")])))
            .answer()
            .await
            .expect(200);
        app.get(&format!("/v1/designs?{}", query(&[("q", "a-b:or 1st:3")])))
            .answer()
            .await
            .expect(200);
    }
}

#[tokio::test]
async fn values_of_printings_count_in_place_of_those_of_their_card() {
    let (database, memory) = pair().await;
    for app in [&database, &memory] {
        for (q, cards, printings) in [
            ("motto:omega", &["Ember"][..], &["u"][..]),
            ("motto=ômega", &["Ember"], &["u"]),
            ("motto:/^om[a-z]+$/", &["Ember"], &["u"]),
            ("motto:alpha", &["Ember"], &["c"]),
            ("motto:alpha motto:omega", &["Ember"], &[]),
            ("-motto:omega", &["Tide"], &["c", "c"]),
            ("opt:zeta", &["Ember"], &["u"]),
            ("has:opt", &["Ember"], &["u"]),
            ("-has:opt", &["Tide"], &["c", "c"]),
            ("has:motto", &["Ember"], &["c", "u"]),
            ("cost=-3 tag:two", &["Ember"], &["u"]),
        ] {
            assert_eq!(names(app, q).await, cards, "{q}");
            assert_eq!(rarities(app, q).await, printings, "{q}");
        }
    }
}

/// Each value of a facet counts as many cards as a search for it finds.
#[tokio::test]
async fn facets_count_the_cards_that_their_values_find() {
    let (database, memory) = pair().await;
    for app in [&database, &memory] {
        for q in ["", "motto:alpha", "tide"] {
            let path = format!("/v1/games/em/facets?{}", query(&[("q", q)]));
            let facets = app.get(&path).answer().await.expect(200);
            let mut values = Vec::new();
            for facet in facets["facets"].as_array().unwrap() {
                let code = facet["code"].as_str().unwrap();
                if facet["of"] == "attribute" {
                    for value in facet["values"].as_array().unwrap() {
                        let term = format!("{q} {code}:{}", value["value"]);
                        assert_eq!(
                            list(app, &term, "cards").await["total"],
                            value["cards"],
                            "{term}"
                        );
                        values.push((code.to_owned(), value["value"].clone()));
                    }
                }
            }
            let has = |code: &str, value: Value| values.contains(&(code.to_owned(), value));
            assert!(has("tag", "two".into()) && has("a-b", "a b".into()), "{values:?}");
            assert_eq!(has("cost", (-3).into()), q != "tide", "{values:?}");
        }
    }
}

#[tokio::test]
async fn words_of_printings_are_stored_whenever_printings_change() {
    let (database, memory) = pair().await;
    let expect = async |q: &str, printings: &[&str]| {
        memory.catch_up().await;
        for app in [&database, &memory] {
            assert_eq!(rarities(app, q).await, printings, "{q}");
        }
        // Triggers mark words as stale when printings change: the import has stored them after that.
        assert_eq!(database.db().value(STALE).await, "0", "{q}");
    };
    database.import(&em(&json!({ "motto": "Delta" }))).await.unwrap();
    expect("motto:delta", &["u"]).await;
    expect("motto:omega or has:opt", &[]).await;
    database.import(&em(&json!({}))).await.unwrap();
    expect("motto:delta", &[]).await;
    expect("motto:alpha", &["c", "u"]).await;
    database.import(&em(&json!({ "opt": "Zeta" }))).await.unwrap();
    expect("opt:zeta", &["u"]).await;
    // The card itself and its printing change together.
    let mut both = em(&json!({ "opt": "Sigma" }));
    let text = both.sets[0].text.replace("alpha", "beta");
    both.sets[0] = SourceFile::new("one.json", &text);
    database.import(&both).await.unwrap();
    expect("opt:sigma motto:beta", &["u"]).await;
    let admin = database.admin().await;
    let patch = json!({ "printings": [{ "rarity": "c" }, { "rarity": "u", "attributes": { "opt": "Omicron" } }] });
    let path = "/v1/games/em/sets/one/cards/001";
    let card = database.get(path).answer().await.expect(200);
    let path = format!("/v1/cards/{}", card["id"].as_str().unwrap());
    let edit = database.patch(&path).by(&admin).header("if-match", "*").json(&patch);
    edit.answer().await.expect(200);
    expect("opt:omicron", &["u"]).await;
    // A program that knows no words of printings has stored the card.
    let dump = "SELECT string_agg(attribute_words::text, ' ' ORDER BY card_id) FROM card_content";
    let before = database.db().value(dump).await;
    assert!(before.contains("u/opt"), "{before}");
    database.sql("UPDATE card_content SET attribute_words = '{}', words_version = 3").await;
    assert_eq!(refresh_words(database.store(), UNTIL_DONE).await.unwrap(), 2);
    assert_eq!(database.db().value(dump).await, before);
}

#[tokio::test]
async fn words_of_printings_that_an_older_program_changed_are_made_again() {
    let database = TestApp::start().await;
    database.import(&em(&json!({ "motto": "Omega" }))).await.unwrap();
    let one_printing = "printing_id IN (SELECT id FROM printings WHERE rarity = 'u')";
    let changes = [
        (
            format!("UPDATE printing_content SET attributes = '{{\"motto\": \"Delta\"}}' WHERE {one_printing}"),
            1_usize,
            "motto:delta",
            &["u"][..],
        ),
        (
            // The text of another card's new printing.
            "INSERT INTO printings (id, card_id, rarity, tier) SELECT gen_random_uuid(), id, 'u', 2 FROM cards WHERE number = '002'; \
             INSERT INTO printing_content (printing_id, attributes) SELECT p.id, '{\"opt\": \"Zeta\"}' \
                 FROM printings p JOIN cards c ON c.id = p.card_id WHERE c.number = '002' AND p.rarity = 'u'"
                .to_owned(),
            1,
            "opt:zeta",
            &["u"],
        ),
        (
            // No text was there, and none is.
            "UPDATE printing_content SET attributes = '{\"cost\": 1}' \
             WHERE printing_id IN (SELECT id FROM printings WHERE rarity = 'c')"
                .to_owned(),
            0,
            "cost=1",
            &["c", "c"],
        ),
        ("DELETE FROM printings WHERE rarity = 'u'".to_owned(), 2, "opt:zeta or motto:delta", &[]),
    ];
    for (change, stale, q, printings) in changes {
        database.sql(&change).await;
        assert_eq!(database.db().value(STALE).await, stale.to_string(), "{change}");
        assert_eq!(refresh_words(database.store(), UNTIL_DONE).await.unwrap(), stale, "{change}");
        assert_eq!(rarities(&database, q).await, printings, "{q}");
    }
    let words = "SELECT count(*) FROM card_content WHERE attribute_words::text LIKE '%u/%'";
    assert_eq!(database.db().value(words).await, "0");
}
