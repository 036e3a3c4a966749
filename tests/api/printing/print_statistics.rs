//! Statistics that compare registered copies with printed copies.

use serde_json::{Value, json};

use crate::support::{PASSWORD, PaperCard, RequestExt as _, TestApp};

const OF_DUSK: &str = "/v1/games/ttcg/sets/dusk/print-statistics";

/// Registers copies as if their holders had submitted them.
async fn register(app: &TestApp, rarity: &str, copies: usize) {
    let owner = app.db().value("SELECT id FROM accounts WHERE name = 'the admin'").await;
    app.sql(&format!(
        "UPDATE copies SET owner_id = '{owner}', registered_at = now() WHERE ctid IN ( \
            SELECT c.ctid FROM copies c JOIN printings p ON p.id = c.printing_id \
            WHERE p.rarity = '{rarity}' AND c.owner_id IS NULL LIMIT {copies})"
    ))
    .await;
}

#[tokio::test]
async fn registered_copies_are_compared_with_printed_copies() {
    let app = TestApp::start().await;
    app.import_set("dusk", 10, false).await;
    app.admin().await;
    let nothing = app.get(OF_DUSK).answer().await.expect(200);
    assert_eq!((&nothing["printed"], &nothing["registered"]), (&json!(0), &json!(0)));
    assert_eq!(nothing.get("test"), None);
    app.print("dusk", 770).await;
    for (rarity, copies) in [
        ("common", 400),
        ("uncommon", 200),
        ("rare", 100),
        ("ultra_rare", 40),
        ("mythic_rare", 20),
        ("primal_rare", 10),
    ] {
        register(&app, rarity, copies).await;
    }
    let answer = app.get(OF_DUSK).answer().await;
    assert_eq!(answer.header("cache-control"), "public, max-age=30");
    let fair = answer.expect(200);
    assert_eq!((&fair["printed"], &fair["registered"]), (&json!(7700), &json!(770)));
    assert_eq!(
        fair["rarities"][0],
        json!({ "rarity": "common", "weight": 40, "printed": 4000, "registered": 400, "expected": 400.0 })
    );
    assert_eq!(fair["rarities"][5]["rarity"], "primal_rare");
    assert_eq!(fair["test"]["degrees_of_freedom"], 5);
    assert_eq!(fair["test"]["p_value"], 1.0);
    assert!(fair["caveat"].as_str().unwrap().contains("voluntary"));

    // Far more primal rares are registered than their share of the run.
    register(&app, "primal_rare", 60).await;
    let off = app.get(OF_DUSK).answer().await.expect(200);
    assert!(off["test"]["p_value"].as_f64().unwrap() < 1e-6, "{off}");
    app.get("/v1/games/ttcg/sets/noon/print-statistics").answer().await.problem(404, "not_found");
    app.get("/v1/games/none/sets/dusk/print-statistics").answer().await.problem(404, "not_found");
}

#[tokio::test]
async fn void_copies_do_not_count_as_registered() {
    let app = TestApp::start().await;
    app.import_set("dusk", 1, false).await;
    let cards = app.print("dusk", 7).await;
    let (admin, moderator, ada) =
        (app.admin().await, app.moderator().await, app.player("ada").await);
    app.register(&ada, &cards[0]).await;
    let copy = app.register(&ada, &cards[1]).await;
    let counts = async || {
        let statistics = app.get(OF_DUSK).answer().await.expect(200);
        let runs = app.get("/v1/print-runs").by(&admin).answer().await.expect(200);
        [&statistics["registered"], &runs["data"][0]["registered"]]
            .map(|count| count.as_u64().unwrap())
    };
    assert_eq!(counts().await, [2, 2]);
    let reason = json!({ "reason": "Stolen." });
    let void = app.post(&format!("/v1/copies/{copy}/void")).by(&moderator).json(&reason);
    void.answer().await.expect(200);
    assert_eq!(counts().await, [1, 1]);
}

async fn submit(app: &TestApp, cards: &[&PaperCard]) {
    for (place, card) in cards.iter().enumerate() {
        let player = app.player_owned(format!("player {} {place}", card.number)).await;
        app.post("/v1/submissions").by(&player).json(&card.submission()).answer().await.expect(201);
    }
}

#[tokio::test]
async fn copies_of_hidden_cards_are_counted_only_for_moderators() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    let cards = app.print("dusk", 77).await;
    let of = |number: &str| cards.iter().filter(|card| card.number == number).collect::<Vec<_>>();
    submit(&app, &of("002")[..4]).await;
    let closed = app.get(OF_DUSK).answer().await.expect(200);
    assert_eq!(closed["hidden_cards"], 2);
    assert_eq!(closed["rarities"], json!([]), "not even the rarities are shown");
    assert_eq!((&closed["printed"], &closed["registered"]), (&json!(0), &json!(0)));
    // A holder sees the card itself, but gets the public statistics.
    let holder = app.log_in("player 002 0", PASSWORD).await;
    let answer = app.get(OF_DUSK).by(&holder).answer().await;
    assert_eq!(answer.header("cache-control"), "private, no-cache");
    assert_eq!(answer.expect(200), closed);

    submit(&app, &of("001")[..5]).await;
    let open = app.get(OF_DUSK).answer().await.expect(200);
    assert_eq!(open["hidden_cards"], 1);
    assert_eq!((&open["printed"], &open["registered"]), (&json!(77), &json!(5)));
    let moderator = app.moderator().await;
    let all = app.get(OF_DUSK).by(&moderator).answer().await.expect(200);
    assert_eq!((&all["printed"], &all["registered"]), (&json!(154), &json!(9)));
    assert_eq!(all["hidden_cards"], 0);
    let sum = |answer: &Value| {
        answer["rarities"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["registered"].as_u64().unwrap())
            .sum::<u64>()
    };
    assert_eq!((sum(&open), sum(&all)), (5, 9));
}

/// The statistics are public, and counting reads the whole set. So they are cached: one answer for all callers with the same rights, and only for
/// sets that exist.
#[tokio::test]
async fn statistics_are_kept_for_a_while() {
    let hour = std::time::Duration::from_hours(1);
    let app = TestApp::start_with(|settings| settings.statistics_ttl = hour).await;
    app.import_set("dawn", 1, false).await;
    app.get(OF_DUSK).answer().await.problem(404, "not_found");
    app.import_set("dusk", 2, false).await;
    let moderator = app.moderator().await;
    app.admin().await;
    app.print("dusk", 77).await;
    let first = app.get(OF_DUSK).answer().await;
    assert_eq!(first.header("cache-control"), "public, max-age=30");
    let etag = first.header("etag").clone();
    assert_eq!(first.expect(200)["registered"], 0);
    register(&app, "common", 3).await;
    let ada = app.player("ada").await;
    let known = app.get(OF_DUSK).by(&ada).answer().await;
    assert_eq!(known.header("cache-control"), "private, no-cache");
    assert_eq!(known.expect(200)["registered"], 0, "the cached count");
    assert_eq!(app.get(OF_DUSK).header("if-none-match", etag).answer().await.status, 304);
    let all = app.get(OF_DUSK).by(&moderator).answer().await.expect(200);
    assert_eq!(all["registered"], 3, "moderators have a cached answer of their own");
}
