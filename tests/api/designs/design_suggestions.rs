//! Design suggestions: the service fills in the missing parts of a design.

use serde_json::{Value, json};

use crate::support::{Answer, RequestExt as _, TestApp};

async fn ttcg() -> TestApp {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    app.seed_effect_texts("ttcg").await;
    app
}

async fn suggest(app: &TestApp, body: Value) -> Answer {
    app.post("/v1/design-suggestions").json(&body).answer().await
}

#[tokio::test]
async fn the_missing_parts_of_a_unit_are_filled_in() {
    let app = ttcg().await;
    let start = json!({ "kind": "unit", "attributes": { "type": "fire", "rank": 2 }, "effects": [{ "style": "equip" }] });
    let answer = suggest(&app, json!({ "game": "ttcg", "seed": 7, "design": start })).await;
    assert_eq!(answer.header("cache-control"), "no-store");
    let suggestion = answer.expect(200);
    assert_eq!((&suggestion["game"], &suggestion["seed"]), (&json!("ttcg"), &json!(7)));
    assert_eq!((&suggestion["violations"], &suggestion["unfilled"]), (&json!([]), &json!([])));
    let design = &suggestion["design"];
    let attributes = &design["attributes"];
    assert_eq!((&attributes["type"], &attributes["rank"]), (&json!("fire"), &json!(2)));
    assert_eq!((&attributes["attack"], &attributes["defense"]), (&json!(650), &json!(350)));
    assert_eq!(design["effects"][0]["style"], "equip");
    assert!(design["effects"][0]["text"].as_str().unwrap().starts_with("Equip this card to "));
    assert_eq!(design["printings"].as_array().unwrap().len(), 6);
    let filled: Vec<&str> =
        suggestion["filled"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    assert_eq!(
        filled[..4],
        ["/attributes/subtypes", "/attributes/attack", "/attributes/defense", "/effects/0/text"]
    );
    for pointer in filled {
        assert!(design.pointer(pointer).is_some(), "{pointer}");
    }
    // Each sentence matches an effect template of the game.
    let texts: Vec<&Value> =
        design["effects"].as_array().unwrap().iter().map(|effect| &effect["text"]).collect();
    let body = json!({ "sentences": texts });
    let found = app.post("/v1/games/ttcg/effects/match").json(&body).answer().await.expect(200);
    assert!(found["data"].as_array().unwrap().iter().all(|one| one["matches"] != json!([])));
}

#[tokio::test]
async fn the_same_seed_gives_the_same_suggestion() {
    let app = ttcg().await;
    let other = app.second_instance();
    let body = |seed: Value| json!({ "game": "ttcg", "seed": seed, "design": { "kind": "spell" } });
    let first = suggest(&app, body(json!(5))).await.expect(200);
    assert_eq!(suggest(&other, body(json!(5))).await.expect(200), first);
    assert_ne!(suggest(&app, body(json!(6))).await.expect(200)["design"], first["design"]);
    // The answer contains the seed when the service has drawn it.
    let drawn =
        suggest(&app, json!({ "game": "ttcg", "design": { "kind": "spell" } })).await.expect(200);
    assert_eq!(suggest(&app, body(drawn["seed"].clone())).await.expect(200), drawn);
    let another = suggest(&app, body(Value::Null)).await.expect(200);
    assert_ne!(another["seed"], drawn["seed"]);
    // A part that the request already contains does not change the other parts.
    let mut partial = body(json!(5));
    partial["design"]["effects"] = json!([first["design"]["effects"][0]]);
    assert_eq!(suggest(&app, partial).await.expect(200)["design"], first["design"]);
}

#[tokio::test]
async fn unfilled_members_and_violations_are_reported() {
    let app = ttcg().await;
    app.seed(&["emojito"]).await;
    let suggestion =
        suggest(&app, json!({ "game": "emojito", "design": { "kind": "emotion" } })).await;
    let suggestion = suggestion.expect(200);
    assert_eq!(suggestion["unfilled"][0]["pointer"], "/attributes/emotion");
    assert_eq!(suggestion["violations"][0]["code"], "ATTRIBUTE_MISSING");
    let attributes = json!({ "type": "fier", "rank": "two", "attack": 100 });
    let wrong = json!({ "kind": "unit", "attributes": attributes });
    let suggestion = suggest(&app, json!({ "game": "ttcg", "design": wrong })).await.expect(200);
    let violations = suggestion["violations"].as_array().unwrap();
    let at = |pointer: &str| violations.iter().find(|one| one["pointer"] == pointer).unwrap();
    let kind = at("/attributes/type");
    assert_eq!(
        (&kind["code"], &kind["rule"]),
        (&json!("ATTRIBUTE_VALUE_UNKNOWN"), &json!("T-3.1a"))
    );
    assert!(kind["detail"].as_str().unwrap().contains("fire"), "{kind}");
    assert_eq!(at("/attributes/rank")["code"], "ATTRIBUTE_TYPE_MISMATCH");
    assert_eq!(suggestion["design"]["attributes"]["type"], "fier", "the sent value stays");
}

#[tokio::test]
async fn invalid_designs_are_refused() {
    let app = ttcg().await;
    let of = |game: &str, design: Value| json!({ "game": game, "design": design });
    let long = "x".repeat(501);
    let many = vec![json!({}); 13];
    for (body, pointer, detail) in [
        (of("ttgc", json!({ "kind": "unit" })), "/game", "did you mean ttcg"),
        (of("ttcg", json!({ "kind": "unti" })), "/design/kind", "did you mean unit"),
        (of("ttcg", json!({ "kind": "a unit" })), "/design/kind", "letters"),
        (
            of("ttcg", json!({ "kind": "unit", "atributes": {} })),
            "/design/atributes",
            "did you mean attributes",
        ),
        (of("ttcg", json!({ "kind": "unit", "attributes": [] })), "/design/attributes", "object"),
        (
            of("ttcg", json!({ "kind": "unit", "attributes": { "rank": null } })),
            "/design/attributes/rank",
            "number",
        ),
        (
            of("ttcg", json!({ "kind": "unit", "effects": [{}, { "text": long }] })),
            "/design/effects/1/text",
            "500",
        ),
        (
            of("ttcg", json!({ "kind": "unit", "effects": [{ "text": "a\u{202e}b" }] })),
            "/design/effects/0/text",
            "control",
        ),
        (of("ttcg", json!({ "kind": "unit", "effects": many })), "/design/effects", "12"),
        (
            of("ttcg", json!({ "kind": "unit", "printings": [{ "rarity": "*" }] })),
            "/design/printings/0/rarity",
            "letters",
        ),
        (of("ttcg", json!({})), "/design/kind", "missing"),
        (json!({ "design": { "kind": "unit" } }), "/game", "missing"),
        (json!({ "game": "ttcg", "seed": -1, "design": { "kind": "unit" } }), "/seed", "0"),
        (
            json!({ "game": "ttcg", "seed": 9_007_199_254_740_992_u64, "design": { "kind": "unit" } }),
            "/seed",
            "9007199254740991",
        ),
    ] {
        let refused = suggest(&app, body.clone()).await.problem(422, "invalid_body");
        let fault = &refused["errors"][0];
        assert_eq!(fault["pointer"], pointer, "{body}: {refused}");
        assert!(fault["detail"].as_str().unwrap().contains(detail), "{body}: {refused}");
    }
    // The faults of the game and of the design are reported together.
    let both = of("ttgc", json!({ "kind": "unit", "attributes": { "rank": null } }));
    let refused = suggest(&app, both).await.problem(422, "invalid_body");
    assert_eq!(refused["errors"].as_array().unwrap().len(), 2, "{refused}");
    app.get("/v1/design-suggestions").answer().await.problem(405, "method_not_allowed");
}
