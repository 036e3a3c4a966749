//! Games and formats.

use serde_json::{Value, json};

use crate::support::{RequestExt as _, TestApp, seed_data};

#[tokio::test]
async fn games_formats_and_their_rules_can_be_read() {
    let app = TestApp::start().await;
    assert_eq!(app.get("/v1/games").answer().await.expect(200)["data"], Value::Array(Vec::new()));
    app.seed(&["ttcg", "emojo-dojo"]).await;

    let games = app.get("/v1/games").answer().await.expect(200);
    let codes: Vec<&str> = games["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|game| game["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["emojo-dojo", "ttcg"]);

    let ttcg = app.get("/v1/games/ttcg").answer().await.expect(200);
    assert_eq!(ttcg["cards_start_hidden"], true);
    assert_eq!(ttcg["rarities"].as_array().unwrap().len(), 6);
    assert_eq!(ttcg["rarities"][0]["weight"], 40);
    let kinds: Vec<&str> = ttcg["kinds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|kind| kind["code"].as_str().unwrap())
        .collect();
    assert!(kinds.contains(&"unit") && kinds.contains(&"spell"), "{kinds:?}");
    assert_eq!(ttcg["zones"][0]["code"], "main");

    let formats = app.get("/v1/games/ttcg/formats").answer().await.expect(200);
    assert_eq!(formats["data"], ttcg["formats"]);
    let standard = app.get("/v1/games/ttcg/formats/standard").answer().await.expect(200);
    let rules = standard["rules"].as_array().unwrap();
    assert!(
        rules.iter().any(|rule| rule["check"] == "copy_limit" && rule["limits"][0]["max"] == 2),
        "{standard:#}"
    );
    assert!(
        rules.iter().all(|rule| rule["rule"].as_str().unwrap().starts_with("T-")),
        "{standard:#}"
    );
}

#[tokio::test]
async fn a_format_can_be_requested_by_variant_and_day() {
    let app = TestApp::start_seeded(&["emojo-dojo", "ttcg"]).await;
    let get = |query: &str| app.get(&format!("/v1/games/emojo-dojo/formats/box{query}")).answer();
    let full = get("").await.expect(200);
    let half = get("?variant=half").await.expect(200);
    assert_eq!((&full["variant"], &half["variant"]), (&"full".into(), &"half".into()));
    assert_ne!(full["rules"], half["rules"]);
    let unknown = get("?variant=quarter").await.problem(400, "invalid_query");
    let fault = json!({ "pointer": "?variant", "detail": "must be one of full, half" });
    assert_eq!(unknown["errors"], json!([fault]));
    get("?on=yesterday").await.problem(400, "invalid_query");
    get("?on=2026-02-30").await.problem(400, "invalid_query");
    let before = app.get("/v1/games/ttcg/formats/standard?on=1999-12-31").answer().await;
    before.problem(404, "not_found");
}

/// An announced list does not replace the current one before its day, and neither does an announced version.
#[tokio::test]
async fn a_format_has_the_rules_of_today() {
    const ORCHARD: &str = r#"
code = "orchard"
name = "Orchard"
rules_version = "orchard/1"
[[kinds]]
code = "fruit"
name = "Fruit"

[[formats]]
code = "open"
name = "Open"
version = "1"
[[formats.rules]]
rule = "O-1"
text = "A basket has five fruits."
effective_until = "9000-01-01"
zone_size = { zone = "main", min = 5 }
[[formats.rules]]
rule = "O-1"
text = "A basket has six fruits."
effective_from = "9000-01-01"
zone_size = { zone = "main", min = 6 }

[[formats]]
code = "open"
name = "Open"
version = "2"
effective_from = "9001-01-01"

[[formats]]
code = "late"
name = "Late"
version = "1"
effective_from = "9000-01-01"
"#;
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let manifest = app.put("/v1/games/orchard/manifest").by(&admin).body(ORCHARD);
    manifest.header("content-type", "application/toml").answer().await.expect(201);
    let get = async |format: &str| {
        app.get(&format!("/v1/games/orchard/formats/{format}")).answer().await.expect(200)
    };
    let texts = |format: &Value| -> Vec<String> {
        let rules = format["rules"].as_array().unwrap().iter();
        rules.map(|rule| rule["text"].as_str().unwrap().to_owned()).collect()
    };
    let today = get("open").await;
    assert_eq!(
        (today["version"].as_str(), texts(&today)),
        (Some("1"), vec!["A basket has five fruits.".to_owned()])
    );
    let later = get("open?on=9000-01-01").await;
    assert_eq!(texts(&later), ["A basket has six fruits."]);
    // Nothing of it has begun: then it is the newest version.
    assert_eq!(get("late").await["version"], "1");
    let before = app.get("/v1/games/orchard/formats/late?on=8999-12-31").answer().await;
    before.problem(404, "not_found");
    // Lists have the newest versions.
    let listed = app.get("/v1/games/orchard/formats").answer().await.expect(200);
    assert_eq!(listed["data"][0]["version"], "2");
}

#[tokio::test]
async fn unknown_codes_are_not_found() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let long = "x".repeat(2000);
    for path in ["nothing", "TTCG", "%00", "a%20b", "..%2F", "%F0%9F%94%A5", &long] {
        app.get(&format!("/v1/games/{path}")).answer().await.problem(404, "not_found");
        app.get(&format!("/v1/games/{path}/formats")).answer().await.problem(404, "not_found");
        app.get(&format!("/v1/games/{path}/sets")).answer().await.problem(404, "not_found");
        app.get(&format!("/v1/games/ttcg/formats/{path}")).answer().await.problem(404, "not_found");
        app.get(&format!("/v1/games/ttcg/sets/{path}")).answer().await.problem(404, "not_found");
        app.get(&format!("/v1/games/ttcg/sets/hearth/cards/{path}"))
            .answer()
            .await
            .problem(404, "not_found");
    }
}

#[tokio::test]
async fn an_import_shows_at_once_on_every_instance() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let other = app.second_instance();
    let before = other.get("/v1/games/ttcg").answer().await;
    assert_eq!(app.get("/v1/games/ttcg").answer().await.bytes, before.bytes);

    let mut source = seed_data("ttcg");
    source.manifest.text = source.manifest.text.replacen("name = \"", "name = \"Another ", 1);
    assert!(app.import(&source).await.unwrap().manifest_changed);
    for instance in [&app, &other] {
        let after = instance
            .get("/v1/games/ttcg")
            .header("if-none-match", before.header("etag"))
            .answer()
            .await;
        assert!(after.expect(200)["name"].as_str().unwrap().starts_with("Another "));
        let list = instance.get("/v1/games").answer().await.expect(200);
        assert!(list["data"][0]["name"].as_str().unwrap().starts_with("Another "));
    }
}

#[tokio::test]
async fn games_can_be_cached_for_a_minute_and_give_304_when_unchanged() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    for path in
        ["/v1/games", "/v1/games/ttcg", "/v1/games/ttcg/formats", "/v1/games/ttcg/formats/standard"]
    {
        let first = app.get(path).answer().await;
        assert_eq!(first.header("cache-control"), "public, max-age=60", "{path}");
        assert!(!first.header("last-modified").is_empty(), "{path}");
        let again = app.get(path).header("if-none-match", first.header("etag")).answer().await;
        assert_eq!((again.status, again.bytes.len()), (304, 0), "{path}");
        let head = app.request(reqwest::Method::HEAD, path).answer().await;
        assert_eq!(
            (head.status, head.bytes.len(), head.header("etag")),
            (200, 0, first.header("etag")),
            "{path}"
        );
    }
}
