//! Codes in query parameters: endpoints without warnings reject an unknown code, and codes ignore case.

use serde_json::json;

use crate::collection::counts::printing;
use crate::support::{RequestExt as _, TestApp};

#[tokio::test]
async fn every_endpoint_reports_unknown_codes() {
    let app = TestApp::start_seeded(&["ttcg", "emojito"]).await;
    let moderator = app.moderator().await;
    let game = ("?game", "there is no game \"ttgc\"; did you mean ttcg?");
    let set = ("?set", "the game \"ttcg\" has no set \"hearht\"; did you mean hearth?");
    let rarity = ("?rarity", "there is no rarity \"comon\"; did you mean common?");
    for (path, wanted) in [
        ("/v1/collection?game=ttgc&rarity=gold", &[game][..]),
        ("/v1/collection?game=ttcg&set=hearht", &[set]),
        ("/v1/collection?rarity=comon", &[rarity]),
        ("/v1/collection/completion?game=ttgc&set=y", &[game]),
        ("/v1/collection/completion?game=ttcg&set=hearht", &[set]),
        ("/v1/collection/duplicates?game=ttgc", &[game]),
        ("/v1/copies?game=ttgc", &[game]),
        ("/v1/copies?game=ttcg&set=hearht", &[set]),
        ("/v1/players/nobody/copies?game=ttgc", &[game]),
        ("/v1/trade-matches?game=ttgc", &[game]),
        ("/v1/decks?game=ttgc", &[game]),
        ("/v1/cards/autocomplete?q=ket&game=ttgc", &[game]),
        ("/v1/cards/named?exact=kettle+imp&game=ttgc", &[game]),
        ("/v1/cards/named?fuzzy=kettle+imp&game=ttcg&set=hearht", &[set]),
        ("/v1/statistics/leaderboard?game=ttgc", &[game]),
        ("/v1/statistics/unlocks?game=ttcg&set=hearht", &[set]),
        ("/v1/submission-reviews?game=ttgc&set=veli", &[game]),
        ("/v1/games/ttcg/facets?set=hearht", &[set]),
        ("/v1/changes?game=ttgc", &[game]),
        ("/v1/changes/stream?game=ttgc", &[game]),
    ] {
        let problem = app.get(path).by(&moderator).answer().await.problem(400, "invalid_query");
        let reported: Vec<(&str, &str)> = problem["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|fault| (fault["pointer"].as_str().unwrap(), fault["detail"].as_str().unwrap()))
            .collect();
        assert_eq!(reported, wanted, "{path}");
    }
    let file = app.post("/v1/collection/imports?game=ttgc").by(&moderator);
    let file = file.header("content-type", "text/csv").body("Name\nKettle Imp\n");
    let problem = file.answer().await.problem(400, "invalid_query");
    assert_eq!(problem["errors"][0]["detail"], game.1);
}

#[tokio::test]
async fn codes_ignore_case() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let imp = printing(&app, None, "hearth", "016", "common").await;
    let count = app.put(&format!("/v1/collection/{imp}")).by(&ada).json(&json!({ "quantity": 1 }));
    count.answer().await.expect(200);
    let deck = json!({ "name": "Embers", "format": "ttcg/standard", "list": "1 Kettle Imp" });
    app.post("/v1/decks").by(&ada).json(&deck).answer().await.expect(201);
    for path in [
        "/v1/collection?game=TTCG&set=Hearth&rarity=COMMON",
        "/v1/collection/completion?game=TTCG&set=HEARTH",
        "/v1/cards/named?exact=kettle+imp&game=TTCG&set=Hearth",
        "/v1/decks?game=Ttcg",
        "/v1/statistics/leaderboard?game=TTCG",
        "/v1/games/ttcg/facets?set=HEARTH",
    ] {
        let found = app.get(path).by(&ada).answer().await.expect(200);
        // Nobody is on the leaderboard.
        assert!(found["data"] != json!([]) || path.contains("leaderboard"), "{path}");
    }
    let facets = "/v1/games/ttcg/facets?set=";
    let upper = app.get(&format!("{facets}HEARTH")).answer().await.expect(200);
    assert_eq!(upper, app.get(&format!("{facets}hearth")).answer().await.expect(200));
    let names = app.get("/v1/cards/autocomplete?q=kettle&game=TTCG").answer().await.expect(200);
    assert_eq!(names["data"][0], "Kettle Imp");
}

/// An instance that has not loaded a new game or set yet must not report it as unknown.
#[tokio::test]
async fn codes_imported_by_another_instance_are_known_at_once() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    app.get("/v1/decks?game=ttcg").by(&ada).answer().await.expect(200);
    let other = app.second_instance();
    other.seed(&["emojito"]).await;
    other.import_set("dusk", 1, false).await;
    app.get("/v1/decks?game=emojito").by(&ada).answer().await.expect(200);
    app.get("/v1/collection?set=dusk").by(&ada).answer().await.expect(200);
}
