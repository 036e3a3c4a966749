//! The toolkit of a game: one document for editors of designs.

use cardscape::api::contract::document;
use jsonschema::{Draft, Registry};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, RequestExt as _, TestApp, seed_data};

const GAMES: [&str; 8] =
    ["ttcg", "emoji-tcg", "emojito", "emojo-dojo", "uno-emoji", "magic", "pokemon", "yu-gi-oh"];

async fn toolkit(app: &TestApp, game: &str) -> Answer {
    let answer = app.get(&format!("/v1/games/{game}/design-toolkit")).answer().await;
    assert_eq!(answer.status, 200, "{game}: {}", answer.text());
    answer
}

#[tokio::test]
async fn the_toolkit_contains_all_data_for_an_editor() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    app.seed_effect_texts("ttcg").await;
    let body = toolkit(&app, "ttcg").await.json();
    // The toolkit contains the same data as the other endpoints.
    let game = app.get("/v1/games/ttcg").answer().await.expect(200);
    assert_eq!((&body["kinds"], &body["rarities"]), (&game["kinds"], &game["rarities"]));
    let unit = &body["kinds"][0];
    assert_eq!(unit["attributes"]["rank"]["max"], 5);
    assert_eq!(unit["attributes"]["attack"]["per_printing"], true);
    assert_eq!(unit["effects"][0]["min"], 2);

    let units = &body["budgets"][0];
    assert_eq!(
        (&units["kind"], &units["check"], &units["by"]),
        (&json!("unit"), &json!("total"), &json!("rank"))
    );
    assert_eq!(units["of"], json!(["attack", "defense"]));
    let totals = units["totals"].as_array().unwrap();
    assert_eq!(totals.len(), 5 * 6);
    let total = |value: i64, rarity: &str| {
        let line = totals.iter().find(|line| line["value"] == value && line["rarity"] == rarity);
        line.unwrap()["total"].as_i64().unwrap()
    };
    assert_eq!([total(1, "common"), total(2, "rare"), total(5, "primal_rare")], [500, 1020, 2550]);
    let spells = &body["budgets"][1];
    assert_eq!((&spells["check"], &spells["each_at_least"]), (&json!("gain"), &json!(0)));
    assert_eq!(spells["totals"][5], json!({ "rarity": "primal_rare", "total": 25 }));

    assert!(
        body["guide"]["tendencies"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["shares"] == json!([65, 35]))
    );
    assert_eq!(body["limits"]["effect_text"], 500);
    let artwork = json!({
        "media_types": ["image/png", "image/jpeg", "image/webp"], "bytes": 10_485_760, "pixels": 16_000_000, "side_min": 200,
        "ratio_max": 4, "alt": 500, "bytes_quota": 104_857_600, "uploads": 100, "uploads_new_account": 20,
    });
    assert_eq!(body["limits"]["artwork"], artwork);
    let limits = &body["limits"];
    assert_eq!(
        json!([
            limits["revision_bytes"],
            limits["designs"],
            limits["revisions"],
            limits["comment"],
            limits["new_account_days"]
        ]),
        json!([32_768, 500, 500, 2_000, 3])
    );
    let daily = limits["daily"].as_array().unwrap();
    assert_eq!(daily[0], json!({ "limit": "new_designs", "max": 100, "max_new_account": 30 }));
    let counted: Vec<&Value> = daily.iter().map(|limit| &limit["limit"]).collect();
    let expected = json!([
        "new_designs",
        "revisions",
        "shares",
        "submissions",
        "comments",
        "ratings",
        "suggestions",
        "reports",
        "uploads"
    ]);
    assert_eq!(json!(counted), expected);
    let licences = body["licences"].as_array().unwrap();
    let codes: Vec<&Value> = licences.iter().map(|licence| &licence["code"]).collect();
    assert_eq!(codes, ["none", "release-1", "cc-by-4.0", "cc0-1.0"]);
    assert_eq!(licences[0]["allows_release"], false);

    let templates = body["effect_texts"]["templates"].as_array().unwrap();
    let listed = app.get("/v1/games/ttcg/effect-templates?limit=200").answer().await.expect(200);
    assert_eq!(listed["data"], body["effect_texts"]["templates"]);
    let combinations = templates.iter().map(|one| one["combinations"].as_u64().unwrap());
    assert_eq!(body["effect_texts"]["combinations"], combinations.sum::<u64>());
}

/// Covers also games without effect texts, checks or advice. Each toolkit must match the schema of the API contract.
#[tokio::test]
async fn every_game_has_a_toolkit_that_matches_the_contract() {
    let app = TestApp::start_seeded(&GAMES).await;
    app.seed_effect_texts("ttcg").await;
    let whole = serde_json::to_value(document()).unwrap();
    let registry = Registry::new().draft(Draft::Draft202012);
    let registry = registry.add("urn:contract", whole).unwrap().prepare().unwrap();
    let schema = json!({ "$ref": "urn:contract#/components/schemas/DesignToolkitResponse" });
    let validator = jsonschema::options()
        .with_draft(Draft::Draft202012)
        .with_registry(&registry)
        .build(&schema);
    let validator = validator.unwrap();
    for game in GAMES {
        let body = toolkit(&app, game).await.json();
        let faults = validator.iter_errors(&body);
        let faults: Vec<String> =
            faults.map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
        assert_eq!(faults, Vec::<String>::new(), "{game}");
        assert_eq!(body["effect_texts"].is_object(), game == "ttcg");
        assert!(body["kinds"].as_array().is_some_and(|kinds| !kinds.is_empty()));
    }
    let emoji = toolkit(&app, "emoji-tcg").await.json();
    assert_eq!(emoji["kinds"][0]["effects"][1]["slots"][0]["code"], "upgrade");
    assert_eq!(emoji["budgets"], json!([]));
}

#[tokio::test]
async fn the_tag_of_a_toolkit_changes_with_manifest_and_texts() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let path = "/v1/games/ttcg/design-toolkit";
    let bare = toolkit(&app, "ttcg").await;
    assert_eq!(bare.header("cache-control"), "public, max-age=0");
    let etag = bare.header("etag");
    let again = app.get(path).header("if-none-match", &etag).answer().await;
    assert_eq!((again.status, again.bytes.len()), (304, 0));
    let head = app.request(Method::HEAD, path).answer().await;
    assert_eq!((head.status, head.bytes.len(), head.header("etag")), (200, 0, etag.clone()));

    app.seed_effect_texts("ttcg").await;
    let with_texts = toolkit(&app, "ttcg").await;
    assert_ne!(with_texts.header("etag"), etag);
    assert_eq!(bare.json()["effect_texts"], Value::Null);
    assert!(with_texts.json()["effect_texts"].is_object());

    let admin = app.admin().await;
    let version = app.get("/v1/games/ttcg/effect-templates/1").answer().await.header("etag");
    let body = json!({ "template": "Rest." });
    let edit = app.put("/v1/games/ttcg/effect-templates/1").by(&admin).json(&body);
    edit.header("if-match", version).answer().await.expect(200);
    let edited = toolkit(&app, "ttcg").await;
    assert_ne!(edited.header("etag"), with_texts.header("etag"));
    let edited_tag = edited.header("etag");
    let edited = edited.json();
    assert_eq!(edited["effect_texts"]["templates"][0]["template"], "Rest.");

    let mut source = seed_data("ttcg");
    source.manifest.text = source.manifest.text.replacen("max = 5", "max = 6", 1);
    app.import(&source).await.unwrap();
    let changed = toolkit(&app, "ttcg").await;
    assert_ne!(changed.header("etag"), edited_tag);
    let changed = changed.json();
    assert_eq!(changed["kinds"][0]["attributes"]["rank"]["max"], 6);
    assert_eq!(changed["effect_texts"], edited["effect_texts"]);
}

#[tokio::test]
async fn invalid_toolkit_requests_are_refused() {
    let app = TestApp::start_seeded(&["emojito"]).await;
    for nowhere in ["nowhere", "ttcg"] {
        let answer = app.get(&format!("/v1/games/{nowhere}/design-toolkit")).answer().await;
        answer.problem(404, "not_found");
    }
    let query = app.get("/v1/games/emojito/design-toolkit?kind=unit").answer().await;
    query.problem(400, "invalid_query");
    let posted = app.post("/v1/games/emojito/design-toolkit").answer().await;
    posted.problem(405, "method_not_allowed");
}
