//! Sets.

use crate::support::{RequestExt as _, TestApp};

#[tokio::test]
async fn a_set_shows_its_policy_for_hidden_cards_and_its_unlock_counts() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let list = app.get("/v1/games/ttcg/sets").answer().await.expect(200);
    assert_eq!(list["data"][0]["code"], "hearth");
    assert_eq!(list["data"][0]["cards_start_hidden"], false);
    assert_eq!(list["data"][0]["hidden_cards"], 0);
    let veil = app.get("/v1/games/ttcg/sets/veil").answer().await.expect(200);
    assert_eq!(list["data"][1], veil);
    assert_eq!(veil["cards_start_hidden"], true);
    assert_eq!(veil["unlock_threshold"], 5);
    assert_eq!((&veil["hidden_cards"], &veil["unlocked_cards"]), (&veil["cards"], &0.into()));

    let unlock = "UPDATE unlocks SET unlocked_at = '2026-12-24T00:00:00Z', reason = 'admin' \
                  WHERE card_id = (SELECT id FROM cards WHERE set_code = 'veil' AND number = '003')";
    app.sql(unlock).await;
    let after = app.get("/v1/games/ttcg/sets/veil").answer().await.expect(200);
    assert_eq!(after["hidden_cards"], veil["cards"].as_i64().unwrap() - 1);
    assert_eq!(after["unlocked_cards"], 1);
}

#[tokio::test]
async fn the_sets_of_all_games_are_one_list() {
    let app = TestApp::start().await;
    assert_eq!(app.get("/v1/sets").answer().await.expect(200)["data"], serde_json::json!([]));
    app.seed(&["ttcg", "emoji-tcg", "uno-emoji"]).await;
    let all = app.get("/v1/sets").answer().await.expect(200);
    let code = |set: &serde_json::Value| {
        format!("{}/{}", set["game"].as_str().unwrap(), set["code"].as_str().unwrap())
    };
    let codes: Vec<String> = all["data"].as_array().unwrap().iter().map(code).collect();
    assert_eq!(codes, ["emoji-tcg/feed", "ttcg/hearth", "ttcg/veil", "uno-emoji/box"]);
    let veil = app.get("/v1/games/ttcg/sets/veil").answer().await.expect(200);
    assert_eq!(all["data"][2], veil);
    let (mut path, mut paged) = ("/v1/sets?limit=1".to_owned(), Vec::new());
    loop {
        let page = app.get(&path).answer().await.expect(200);
        paged.extend(page["data"].as_array().unwrap().iter().map(code));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/v1/sets?limit=1&cursor={cursor}");
    }
    assert_eq!(paged, codes);
    app.get("/v1/sets?cursor=WyJhIl0").answer().await.problem(400, "invalid_cursor");
    app.get("/v1/sets?game=ttcg").answer().await.problem(400, "invalid_query");
}

#[tokio::test]
async fn sets_come_in_pages() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let first = app.get("/v1/games/ttcg/sets?limit=1").answer().await;
    assert!(first.header("link").contains("rel=\"next\""), "{}", first.header("link"));
    let first = first.expect(200);
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = app.get(&format!("/v1/games/ttcg/sets?limit=1&cursor={cursor}")).answer().await;
    assert_eq!(second.header("link"), "");
    let second = second.expect(200);
    assert_eq!(
        (&first["data"][0]["code"], &second["data"][0]["code"]),
        (&"hearth".into(), &"veil".into())
    );
    app.get("/v1/games/ttcg/sets?cursor=WyJhIl0").answer().await.problem(400, "invalid_cursor");
    app.get("/v1/games/ttcg/sets?limit=0").answer().await.problem(400, "invalid_query");
    app.get("/v1/games/ttcg/sets?page=2").answer().await.problem(400, "invalid_query");
}
