//! Games, formats and sets from memory: the same answers as from the database, and never old ones.

use std::time::Duration;

use serde_json::json;

use crate::support::{RequestExt as _, TestApp, edit_set, seed_data, until};

const SETS: &str = "/v1/games/ttcg/sets";
const SET: &str = "/v1/games/ttcg/sets/hearth";

const PATHS: [&str; 9] = [
    "/v1/games",
    "/v1/games/ttcg",
    "/v1/games/ttcg/formats",
    "/v1/games/ttcg/formats/standard",
    "/v1/games/ttcg/schema",
    "/v1/games/ttcg/schema?of=manifest",
    SETS,
    "/v1/games/ttcg/sets?limit=1",
    SET,
];

fn keeping(settings: &mut cardscape::app::state::ApiSettings) {
    settings.card_cache_bytes = 1 << 25;
    settings.card_cache_trust = Duration::from_hours(1);
}

async fn start() -> TestApp {
    let app = TestApp::start_with(keeping).await;
    app.seed(&["ttcg"]).await;
    app
}

/// Gives the set another name behind the back of every program: no event tells of it.
async fn set_name(app: &TestApp, name: &str) {
    app.sql(&format!("UPDATE sets SET name = '{name}' WHERE code = 'hearth'")).await;
}

async fn name(app: &TestApp) -> String {
    app.get(SET).answer().await.expect(200)["name"].as_str().unwrap().to_owned()
}

/// Asks until the answer comes from memory: the name that the database has is another one then.
async fn kept(app: &TestApp) -> String {
    let mut text = String::new();
    until("the set is kept", async |round| {
        text = name(app).await;
        set_name(app, &format!("Behind the back {round}")).await;
        name(app).await == text
    })
    .await;
    text
}

#[tokio::test]
async fn an_answer_from_memory_is_the_answer_of_the_database() {
    let app = start().await;
    let plain = app.second_instance();
    let text = kept(&app).await;
    set_name(&app, &text).await;
    for path in PATHS {
        for encoding in ["identity", "gzip"] {
            // The first is made, the second kept.
            for _ in 0..2 {
                let ask = |of: &TestApp| of.get(path).header("accept-encoding", encoding).answer();
                let (here, there) = (ask(&app).await, ask(&plain).await);
                assert_eq!((here.status, &here.bytes), (200, &there.bytes), "{path}");
                for header in [
                    "etag",
                    "link",
                    "cache-control",
                    "content-type",
                    "last-modified",
                    "vary",
                    "content-encoding",
                ] {
                    assert_eq!(here.header(header), there.header(header), "{path} {header}");
                }
                let again = app.get(path).header("accept-encoding", encoding);
                let again = again.header("if-none-match", here.header("etag")).answer().await;
                assert_eq!(
                    (again.status, again.header("link")),
                    (304, here.header("link")),
                    "{path}"
                );
            }
        }
    }
    app.get("/v1/games/none/sets").answer().await.problem(404, "not_found");
    app.get("/v1/games/ttcg/sets?limit=0").answer().await.problem(400, "invalid_query");
}

#[tokio::test]
async fn an_own_change_shows_at_once_and_on_other_instances_soon() {
    let app = start().await;
    let other = app.second_instance_with(keeping);
    let admin = app.admin().await;
    let mut etag = app.get(SET).answer().await.header("etag");
    for round in 0..3 {
        let text = format!("Round {round}");
        let patch =
            app.patch(SET).by(&admin).header("if-match", &etag).json(&json!({ "name": text }));
        patch.answer().await.expect(200);
        assert_eq!(name(&app).await, text);
        until("the change shows elsewhere", async |_| name(&other).await == text).await;
        kept(&app).await;
        kept(&other).await;
        set_name(&app, &text).await;
        // What was changed behind the back shows when anything else changes: here the policy of another set.
        app.sql("INSERT INTO events (id, kind, payload, created_at) VALUES (gen_random_uuid(), 'game.changed', '{\"game\": \"ttcg\"}', now())")
            .await;
        until("the events are heard", async |_| name(&app).await == text).await;
        until("the events are heard elsewhere", async |_| name(&other).await == text).await;
        etag = app.get(SET).answer().await.header("etag");
    }
}

#[tokio::test]
async fn counts_of_cards_follow_the_catalogue() {
    let app = start().await;
    let other = app.second_instance_with(keeping);
    let counts = async |of: &TestApp| {
        let set = of.get(SET).answer().await.expect(200);
        let listed = of.get(SETS).answer().await.expect(200);
        let listed = listed["data"].as_array().unwrap().iter().find(|set| set["code"] == "hearth");
        (set["cards"].as_i64().unwrap(), listed.unwrap()["cards"].as_i64().unwrap())
    };
    let before = counts(&app).await.0;
    assert_eq!(counts(&other).await, (before, before));
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "hearth", |set| {
        let cards = set["cards"].as_array_mut().unwrap();
        let mut new = cards[0].clone();
        new["number"] = json!("990");
        new["name"] = json!("Hearth of the Nine Hundred");
        cards.push(new);
    });
    app.import(&source).await.unwrap();
    let after = before + 1;
    until("the new card counts", async |_| counts(&app).await == (after, after)).await;
    until("the new card counts elsewhere", async |_| counts(&other).await == (after, after)).await;
    // Unlocked by hand: at once where it is done.
    let veil = "/v1/games/ttcg/sets/veil";
    let hidden =
        async |of: &TestApp| of.get(veil).answer().await.expect(200)["hidden_cards"].clone();
    assert_ne!(hidden(&app).await, 0);
    assert_ne!(hidden(&other).await, 0);
    let admin = app.admin().await;
    let unlock =
        app.post(&format!("{veil}/unlocks")).by(&admin).json(&json!({ "reason": "a test" }));
    unlock.answer().await.expect(200);
    assert_eq!(hidden(&app).await, 0);
    until("the unlock shows elsewhere", async |_| hidden(&other).await == 0).await;
}
