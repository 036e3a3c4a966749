//! Unlocks of hidden cards by submissions, and the public list of unlocks.

use std::collections::BTreeSet;

use chrono::Duration;
use serde_json::json;

use crate::support::{PaperCard, RequestExt as _, TestApp};

fn copies_of<'a>(cards: &'a [PaperCard], number: &'a str) -> impl Iterator<Item = &'a PaperCard> {
    cards.iter().filter(move |card| card.number == number)
}

/// Rule T-4.3a and test T-T18: the fifth distinct submission reveals the card.
#[tokio::test]
async fn t_t18_the_fifth_distinct_submission_reveals_the_card() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    let cards = app.print("dusk", 8).await;
    let mut unlock = String::new();
    for (place, (card, name)) in
        copies_of(&cards, "001").zip(["ada", "ben", "cleo", "dan", "eve"]).enumerate()
    {
        let player = app.player(name).await;
        let body = app
            .post("/v1/submissions")
            .by(&player)
            .json(&card.submission())
            .answer()
            .await
            .expect(201);
        assert_eq!(body["unlock"]["submissions"], place + 1);
        unlock = format!("/v1/cards/{}/unlock", body["card"]["id"].as_str().unwrap());
        let seen = app.get(&unlock).answer().await.expect(200);
        assert_eq!(seen, body["unlock"], "an anonymous client sees the progress");
        assert_eq!(seen["unlocked_at"].is_string(), place == 4, "{seen}");
        let events =
            app.db().value("SELECT count(*) FROM events WHERE kind = 'card.unlocked'").await;
        assert_eq!(events, if place == 4 { "1" } else { "0" });
    }
    let list = app.get("/v1/unlocks").answer().await;
    assert_eq!(list.header("cache-control"), "public, max-age=5");
    let list = list.expect(200);
    assert_eq!(list["data"].as_array().unwrap().len(), 1);
    assert_eq!(list["data"][0]["game"], "ttcg");
    assert_eq!(list["data"][0]["set"], "dusk");
    assert_eq!(list["data"][0]["number"], "001");

    // A sixth submission registers its copy and changes nothing else.
    let frank = app.player("frank").await;
    let sixth = copies_of(&cards, "001").nth(5).unwrap();
    let before = app.get(&unlock).answer().await.expect(200);
    app.clock().advance(Duration::minutes(1));
    let body =
        app.post("/v1/submissions").by(&frank).json(&sixth.submission()).answer().await.expect(201);
    assert_eq!(body["unlock"], before);
    assert_eq!(
        app.db().value("SELECT count(*) FROM events WHERE kind = 'card.unlocked'").await,
        "1"
    );
    let payload = app.db().value("SELECT payload FROM events WHERE kind = 'card.unlocked'").await;
    let payload: serde_json::Value = serde_json::from_str(&payload).unwrap();
    let public =
        json!({ "card": body["card"]["id"], "game": "ttcg", "set": "dusk", "number": "001" });
    assert_eq!(payload, public, "an event contains only public data");
}

/// Test T-T18: five submissions by one account do not reveal the card.
#[tokio::test]
async fn t_t18_five_submissions_by_one_account_do_not_reveal_the_card() {
    let app = TestApp::start().await;
    app.import_set("dusk", 1, true).await;
    let cards = app.print("dusk", 6).await;
    let ada = app.player("ada").await;
    for (place, card) in cards.iter().enumerate() {
        let body = app
            .post("/v1/submissions")
            .by(&ada)
            .json(&card.submission())
            .answer()
            .await
            .expect(201);
        assert_eq!(body["counted"], place == 0);
        assert_eq!(body["unlock"], json!({ "submissions": 1, "threshold": 5 }));
    }
    assert_eq!(app.get("/v1/unlocks").answer().await.expect(200)["data"], json!([]));
    assert_eq!(app.db().value("SELECT count(*) FROM copies WHERE owner_id IS NOT NULL").await, "6");
}

#[tokio::test]
async fn a_card_that_is_not_hidden_has_owners_but_no_unlock_progress() {
    let app = TestApp::start().await;
    app.import_set("dawn", 1, false).await;
    let cards = app.print("dawn", 2).await;
    let ada = app.player("ada").await;
    let body = app
        .post("/v1/submissions")
        .by(&ada)
        .json(&cards[0].submission())
        .answer()
        .await
        .expect(201);
    assert_eq!(body["counted"], false);
    assert_eq!(body.get("unlock"), None);
    let id = body["card"]["id"].as_str().unwrap();
    app.get(&format!("/v1/cards/{id}/unlock")).answer().await.problem(404, "not_found");
    app.get("/v1/cards/no-id/unlock").answer().await.problem(404, "not_found");
    assert_eq!(app.db().value("SELECT count(*) FROM copies WHERE owner_id IS NOT NULL").await, "1");
}

#[tokio::test]
async fn unlocks_are_listed_page_by_page_the_newest_first() {
    let app = TestApp::start().await;
    app.import_set("dusk", 7, true).await;
    // Some unlocks have the same time, so that the second part of the sort key matters.
    app.sql(
        "UPDATE unlocks u SET submissions = 5, reason = 'threshold', \
                unlocked_at = timestamptz '2026-11-01' + (right(k.number, 1)::int / 3) * interval '1 day' \
         FROM cards k WHERE k.id = u.card_id AND k.number <> '007'",
    )
    .await;
    let all = app.get("/v1/unlocks").answer().await.expect(200);
    let key = |item: &serde_json::Value| {
        (
            item["unlocked_at"].as_str().unwrap().to_owned(),
            item["card"].as_str().unwrap().to_owned(),
        )
    };
    let all: Vec<_> = all["data"].as_array().unwrap().iter().map(key).collect();
    assert_eq!(all.len(), 6);
    assert!(all.is_sorted_by(|a, b| a.0 > b.0 || (a.0 == b.0 && a.1 < b.1)), "{all:?}");
    let mut path = "/v1/unlocks?limit=1".to_owned();
    let mut paged = Vec::new();
    while paged.len() < 10 {
        let page = app.get(&path).answer().await.expect(200);
        paged.extend(page["data"].as_array().unwrap().iter().map(key));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/v1/unlocks?limit=1&cursor={cursor}");
    }
    assert_eq!(paged, all);
    assert_eq!(paged.iter().collect::<BTreeSet<_>>().len(), 6);

    let answer = app.get("/v1/unlocks").answer().await;
    app.get("/v1/unlocks")
        .header("if-none-match", answer.header("etag"))
        .answer()
        .await
        .expect(304);
    app.get("/v1/unlocks?limit=0").answer().await.problem(400, "invalid_query");
}
