//! Cached answers about games, formats and sets: the same as from the database, and not outdated.

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

fn with_cache(settings: &mut cardscape::app::state::ApiSettings) {
    settings.card_cache_bytes = 1 << 25;
    settings.card_cache_trust = Duration::from_hours(1);
}

async fn start() -> TestApp {
    TestApp::start_seeded_with(&["ttcg"], with_cache).await
}

/// Changes the name of the set directly in the database, without an event.
async fn set_name(app: &TestApp, name: &str) {
    app.sql(&format!("UPDATE sets SET name = '{name}' WHERE code = 'hearth'")).await;
}

async fn name(app: &TestApp) -> String {
    app.get(SET).answer().await.expect(200)["name"].as_str().unwrap().to_owned()
}

/// Requests the set until the answer comes from the cache. The database contains a different name then.
async fn wait_until_cached(app: &TestApp) -> String {
    let mut text = String::new();
    until("the set is cached", async |round| {
        text = name(app).await;
        set_name(app, &format!("Behind the back {round}")).await;
        name(app).await == text
    })
    .await;
    text
}

#[tokio::test]
async fn cached_answers_are_the_same_as_from_the_database() {
    let app = start().await;
    let plain = app.second_instance();
    let text = wait_until_cached(&app).await;
    set_name(&app, &text).await;
    for path in PATHS {
        for encoding in ["identity", "gzip"] {
            // The first answer is built, the second one comes from the cache.
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
async fn a_change_shows_at_once_on_its_instance_and_soon_on_others() {
    let app = start().await;
    let other = app.second_instance_with(with_cache);
    let admin = app.admin().await;
    let mut etag = app.get(SET).answer().await.header("etag");
    for round in 0..3 {
        let text = format!("Round {round}");
        let patch =
            app.patch(SET).by(&admin).header("if-match", &etag).json(&json!({ "name": text }));
        patch.answer().await.expect(200);
        assert_eq!(name(&app).await, text);
        until("the change shows on the other instance", async |_| name(&other).await == text).await;
        wait_until_cached(&app).await;
        wait_until_cached(&other).await;
        set_name(&app, &text).await;
        // A direct change in the database shows after the next event, because an event empties the cache.
        app.sql("INSERT INTO events (id, kind, payload, created_at) VALUES (gen_random_uuid(), 'game.changed', '{\"game\": \"ttcg\"}', now())")
            .await;
        until("the instance has received the event", async |_| name(&app).await == text).await;
        until("the other instance has received the event", async |_| name(&other).await == text)
            .await;
        etag = app.get(SET).answer().await.header("etag");
    }
}

#[tokio::test]
async fn the_rules_of_today_are_not_answered_tomorrow() {
    let app = start().await;
    let admin = app.admin().await;
    // Not tomorrow: the test may begin shortly before midnight.
    let day = (app.clock().now() + chrono::Duration::days(2)).date_naive();
    let manifest = format!(
        "code = \"orchard\"\nname = \"Orchard\"\nrules_version = \"orchard/1\"\n\
         [[kinds]]\ncode = \"fruit\"\nname = \"Fruit\"\n\
         [[formats]]\ncode = \"open\"\nname = \"Open\"\nversion = \"1\"\n\
         [[formats.rules]]\nrule = \"O-1\"\ntext = \"A basket has five fruits.\"\n\
         effective_until = \"{day}\"\nzone_size = {{ zone = \"main\", min = 5 }}\n\
         [[formats.rules]]\nrule = \"O-1\"\ntext = \"A basket has six fruits.\"\n\
         effective_from = \"{day}\"\nzone_size = {{ zone = \"main\", min = 6 }}\n"
    );
    let put = app.put("/v1/games/orchard/manifest").by(&admin).body(manifest);
    put.header("content-type", "application/toml").answer().await.expect(201);
    wait_until_cached(&app).await;
    let shows = async |text: &str| {
        let (format, page) = (
            app.get("/v1/games/orchard/formats/open").answer().await.text(),
            app.get("/games/orchard").answer().await.text(),
        );
        (format.contains(text), page.contains(text))
    };
    for _ in 0..2 {
        assert_eq!(shows("A basket has five fruits.").await, (true, true));
        assert_eq!(shows("A basket has six fruits.").await, (false, false));
    }
    app.clock().advance(chrono::Duration::days(3));
    assert_eq!(shows("A basket has five fruits.").await, (false, false));
    assert_eq!(shows("A basket has six fruits.").await, (true, true));
}

#[tokio::test]
async fn counts_of_cards_follow_the_catalogue() {
    let app = start().await;
    let other = app.second_instance_with(with_cache);
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
    until("the new card is counted", async |_| counts(&app).await == (after, after)).await;
    until("the other instance counts the new card", async |_| {
        counts(&other).await == (after, after)
    })
    .await;
    // An unlock by an admin shows at once on the instance that performs it.
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
    until("the unlock shows on the other instance", async |_| hidden(&other).await == 0).await;
}
