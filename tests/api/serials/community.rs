//! Community statistics.

use chrono::Duration;
use serde_json::{Value, json};

use crate::support::{PaperCard, Player, RequestExt as _, TestApp};

async fn submit(app: &TestApp, player: &Player, card: &PaperCard) {
    let request = app.post("/v1/submissions").by(player).json(&card.submission());
    request.answer().await.expect(201);
}

async fn leaders(app: &TestApp, query: &str) -> Value {
    app.get(&format!("/v1/statistics/leaderboard{query}")).answer().await.expect(200)["data"]
        .clone()
}

#[tokio::test]
async fn unlocks_are_counted_by_day() {
    let app = TestApp::start().await;
    // No day ends between two unlocks: the clock is at the beginning of an hour.
    app.begin_window();
    app.import_set("dusk", 3, true).await;
    let admin = app.admin().await;
    let statistics = async |query: &str| {
        let path = format!("/v1/statistics/unlocks{query}");
        app.get(&path).answer().await.expect(200)["data"].clone()
    };
    assert_eq!(statistics("").await, json!([]));
    let cards = app.get("/v1/cards?set=dusk").answer().await.expect(200);
    let unlock = async |at: usize| {
        let path = format!("/v1/cards/{}/unlock", cards["data"][at]["id"].as_str().unwrap());
        let admin = app.log_in(&admin.name, &admin.password).await;
        app.post(&path).by(&admin).json(&json!({ "reason": "today" })).answer().await.expect(200);
    };
    let first = app.clock().now().date_naive();
    unlock(0).await;
    unlock(1).await;
    app.clock().advance(Duration::days(3));
    let second = app.clock().now().date_naive();
    unlock(2).await;
    let wanted = json!([
        { "day": first, "unlocked": 2, "total": 2 },
        { "day": second, "unlocked": 1, "total": 3 },
    ]);
    assert_eq!(statistics("").await, wanted);
    assert_eq!(statistics("?game=ttcg&set=dusk").await, wanted);
    app.import_set("none", 1, true).await;
    assert_eq!(statistics("?set=none").await, json!([]));
    app.get("/v1/statistics/unlocks?sets=x").answer().await.problem(400, "invalid_query");
}

#[tokio::test]
async fn only_accounts_that_agree_are_on_the_leaderboard() {
    let app = TestApp::start().await;
    app.import_set("dusk", 4, true).await;
    let cards = app.print("dusk", 10).await;
    let card = |number: &str, at: usize| {
        cards.iter().filter(|card| card.number == number).nth(at).unwrap().clone()
    };
    let (ada, ben, cleo) =
        (app.player("ada").await, app.player("ben").await, app.player("cleo").await);
    for (player, at) in [(&ada, 0), (&ben, 1), (&cleo, 2)] {
        submit(&app, player, &card("001", at)).await;
    }
    submit(&app, &ada, &card("002", 0)).await;
    submit(&app, &cleo, &card("002", 1)).await;
    // A second copy of a card does not count as a second card.
    submit(&app, &ben, &card("001", 3)).await;
    assert_eq!(leaders(&app, "").await, json!([]), "no account has agreed yet");
    let list = async |player: &Player, listed: bool| {
        let body = json!({ "on_leaderboard": listed });
        app.put("/v1/me/leaderboard").by(player).json(&body).answer().await.expect(204);
    };
    list(&ada, true).await;
    list(&ben, true).await;
    let wanted = json!([
        { "place": 1, "name": "ada", "cards": 2 },
        { "place": 2, "name": "ben", "cards": 1 },
    ]);
    assert_eq!(leaders(&app, "").await, wanted);
    assert_eq!(leaders(&app, "?game=ttcg&set=dusk").await, wanted);
    app.seed(&["emojito"]).await;
    assert_eq!(leaders(&app, "?game=emojito").await, json!([]));
    app.import_set("dawn", 1, true).await;
    assert_eq!(leaders(&app, "?set=dawn").await, json!([]));
    list(&cleo, true).await;
    let places: Vec<Value> =
        leaders(&app, "").await.as_array().unwrap().iter().map(|l| l["place"].clone()).collect();
    assert_eq!(places, [1, 1, 3], "accounts with equal counts share a place");
    list(&ada, false).await;
    app.sql("UPDATE accounts SET banned_at = now() WHERE name = 'cleo'").await;
    assert_eq!(leaders(&app, "").await, json!([{ "place": 1, "name": "ben", "cards": 1 }]));
}

/// A void copy does not count, unless the player has submitted another copy of the card.
#[tokio::test]
async fn void_copies_do_not_count_on_the_leaderboard() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    let cards = app.print("dusk", 10).await;
    let copies = |number: &'static str| cards.iter().filter(move |card| card.number == number);
    let (ada, moderator) = (app.player("ada").await, app.moderator().await);
    let listed = json!({ "on_leaderboard": true });
    app.put("/v1/me/leaderboard").by(&ada).json(&listed).answer().await.expect(204);
    let (mut first, mut second) = (copies("001"), copies("002"));
    let one = app.register(&ada, first.next().unwrap()).await;
    let other = app.register(&ada, second.next().unwrap()).await;
    let counts = async |cards: i64| {
        let wanted = json!([{ "place": 1, "name": "ada", "cards": cards }]);
        assert_eq!(leaders(&app, "").await, if cards == 0 { json!([]) } else { wanted });
    };
    counts(2).await;
    app.moderate(&moderator, &one, "void").await.expect(200);
    counts(1).await;
    let again = app.register(&ada, first.next().unwrap()).await;
    counts(2).await;
    app.moderate(&moderator, &again, "void").await.expect(200);
    app.moderate(&moderator, &other, "void").await.expect(200);
    counts(0).await;
}

/// A submission that a moderator refused does not count, unless the player has submitted another copy of the card that may count.
#[tokio::test]
async fn refused_submissions_do_not_count_on_the_leaderboard() {
    let app = TestApp::start().await;
    app.import_set("dusk", 1, true).await;
    let cards = app.print("dusk", 10).await;
    let (ada, admin, moderator) =
        (app.player("ada").await, app.admin().await, app.moderator().await);
    let policy = app.put("/v1/games/ttcg/sets/dusk/unlock-policy").by(&admin);
    policy.json(&json!({ "threshold": 9, "review": true })).answer().await.expect(201);
    let listed = json!({ "on_leaderboard": true });
    app.put("/v1/me/leaderboard").by(&ada).json(&listed).answer().await.expect(204);
    let submit = async |at: usize| {
        let request = app.post("/v1/submissions").by(&ada).json(&cards[at].submission());
        let created = request.answer().await.expect(201);
        format!("/v1/submissions/{}/review", created["submission"].as_str().unwrap())
    };
    let review = async |path: &str, confirmed: bool| {
        let body = json!({ "confirmed": confirmed, "note": "A photo of another card." });
        app.put(path).by(&moderator).json(&body).answer().await.expect(200);
    };
    let on_it = json!([{ "place": 1, "name": "ada", "cards": 1 }]);
    let first = submit(0).await;
    assert_eq!(leaders(&app, "").await, on_it, "it waits for a moderator");
    review(&first, false).await;
    assert_eq!(leaders(&app, "").await, json!([]));
    let second = submit(1).await;
    assert_eq!(leaders(&app, "").await, on_it);
    review(&second, true).await;
    assert_eq!(leaders(&app, "").await, on_it);
    let third = submit(2).await;
    review(&third, false).await;
    assert_eq!(leaders(&app, "").await, on_it);
}

#[tokio::test]
async fn statistics_are_kept_for_a_while() {
    let hour = std::time::Duration::from_hours(1);
    let app = TestApp::start_with(|settings| settings.statistics_ttl = hour).await;
    app.import_set("dusk", 1, true).await;
    let cards = app.print("dusk", 1).await;
    let ada = app.player("ada").await;
    let listed = json!({ "on_leaderboard": true });
    app.put("/v1/me/leaderboard").by(&ada).json(&listed).answer().await.expect(204);
    assert_eq!(leaders(&app, "").await, json!([]));
    submit(&app, &ada, &cards[0]).await;
    assert_eq!(leaders(&app, "").await, json!([]), "the cached answer is returned");
    let found = json!([{ "place": 1, "name": "ada", "cards": 1 }]);
    assert_eq!(leaders(&app, "?set=dusk").await, found, "each query is cached separately");
    assert_eq!(leaders(&app, "?game=ttcg").await, found);
    let unlocks = app.get("/v1/statistics/unlocks?game=ttcg").answer().await.expect(200);
    assert_eq!(unlocks, json!({ "data": [] }), "unlocks and the leaderboard are cached separately");
    let first = app.get("/v1/statistics/leaderboard").answer().await;
    assert_eq!(first.header("cache-control"), "public, max-age=30");
    let again = app.get("/v1/statistics/leaderboard").header("if-none-match", first.header("etag"));
    again.answer().await.expect(304);
}

/// The cache must not hold an answer about a set that does not exist: it would take space, and hide the set after its import.
#[tokio::test]
async fn only_statistics_of_existing_sets_are_cached() {
    let cache_for_an_hour = |settings: &mut cardscape::app::state::ApiSettings| {
        settings.statistics_ttl = std::time::Duration::from_hours(1);
    };
    let app = TestApp::start_with(cache_for_an_hour).await;
    let days = async |query: &str| {
        let path = format!("/v1/statistics/unlocks{query}");
        let days = app.get(&path).answer().await.expect(200);
        days["data"].as_array().unwrap().len()
    };
    app.import_set("dawn", 1, true).await;
    assert_eq!(days("?set=dawn").await, 0);
    for query in ["?set=dusk", "?game=ttcg&set=dusk", "?game=nope"] {
        let path = format!("/v1/statistics/unlocks{query}");
        app.get(&path).answer().await.problem(400, "invalid_query");
    }
    app.import_set("dusk", 1, true).await;
    let admin = app.admin().await;
    for set in ["dawn", "dusk"] {
        let cards = app.get(&format!("/v1/cards?set={set}")).answer().await.expect(200);
        let path = format!("/v1/cards/{}/unlock", cards["data"][0]["id"].as_str().unwrap());
        app.post(&path).by(&admin).json(&json!({ "reason": "today" })).answer().await.expect(200);
    }
    assert_eq!(days("?set=dusk").await, 1);
    assert_eq!(days("?game=ttcg&set=dusk").await, 1);
    assert_eq!(days("?set=dawn").await, 0, "cached for an hour");
}
