//! A database that answers with errors because it is full, read-only, starting or overloaded. The service is not at fault, and the condition is temporary.

use std::sync::Arc;

use cardscape::domain::clock::Clock;
use cardscape::store::db::migrations::migrate;
use cardscape::store::db::pooler::Route;
use serde_json::json;

use crate::support::{Answer, Player, RequestExt as _, TestApp, TestDb};

async fn register(app: &TestApp, name: &str) -> Answer {
    let body = json!({ "name": name, "password": "a long enough password" });
    app.post("/v1/accounts").json(&body).answer().await
}

/// Makes every insert of an account fail with this error code. The message is German: the service must decide by the code and not by the message.
async fn make_accounts_fail_with(app: &TestApp, code: &str) {
    app.sql(&format!(
        "CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN RAISE EXCEPTION 'kein Platz mehr' USING ERRCODE = '{code}'; END $$; \
         CREATE OR REPLACE TRIGGER fail BEFORE INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION fail()"
    ))
    .await;
}

#[tokio::test]
async fn temporary_errors_are_recognized_by_code_and_not_by_message() {
    let app = TestApp::start().await;
    for code in ["53100", "53200", "53300", "57P01", "57P03", "57014", "55P03", "40P01", "08006"] {
        make_accounts_fail_with(&app, code).await;
        let answer = register(&app, "somebody").await;
        assert_ne!(answer.header("retry-after"), "", "{code}");
        answer.problem(503, "unavailable");
    }
    for code in ["22012", "P0001", "XX000", "42P01"] {
        make_accounts_fail_with(&app, code).await;
        register(&app, "somebody").await.problem(500, "internal");
    }
}

#[tokio::test]
async fn while_the_disk_is_full_reads_succeed_and_readiness_shows_the_reason() {
    let app = TestApp::start().await;
    let known = app.player("an old hand").await;
    app.get("/readyz").answer().await.expect(200);
    make_accounts_fail_with(&app, "53100").await;
    register(&app, "somebody").await.problem(503, "unavailable");
    app.get("/v1/me").by(&known).answer().await.expect(200);
    let problem = app.get("/readyz").answer().await.problem(503, "unavailable");
    assert!(problem["detail"].as_str().unwrap().contains("disk is full"), "{problem}");
}

/// The time of its last use is not worth a failed read.
#[tokio::test]
async fn a_token_is_accepted_while_its_use_cannot_be_stored() {
    let app = TestApp::start().await;
    let known = app.player("an old hand").await;
    let body = json!({ "name": "deck sync", "scopes": ["decks:read"] });
    let token = app.post("/v1/tokens").by(&known).json(&body).answer().await.expect(201);
    app.sql(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN RAISE EXCEPTION 'kein Platz mehr' USING ERRCODE = '53100'; END $$; \
         CREATE TRIGGER fail BEFORE UPDATE ON personal_access_tokens FOR EACH ROW EXECUTE FUNCTION fail()",
    )
    .await;
    let secret = token["secret"].as_str().unwrap();
    app.get("/v1/decks").bearer_auth(secret).answer().await.expect(200);
    let unused = "SELECT count(*) FROM personal_access_tokens WHERE last_used_at IS NULL";
    assert_eq!(app.db().number(unused).await, 1, "the use could not be stored");
}

#[tokio::test]
async fn while_the_server_is_read_only_reads_succeed_and_readiness_shows_the_reason() {
    let db = Arc::new(TestDb::create().await);
    let app = TestApp::start_on(db.clone(), Clock::system(), |_| {});
    let known = app.player("an old hand").await;
    let name = db.value("current_database()").await;
    let switch = async |value: &str| {
        let change = format!("ALTER DATABASE {name} SET default_transaction_read_only = {value}");
        app.sql(&format!("BEGIN READ WRITE; {change}; COMMIT")).await;
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                   WHERE datname = current_database() AND pid <> pg_backend_pid()";
        app.sql(end).await;
        // The pool finds out about the terminated connections when requests use them.
        for _ in 0..20 {
            app.get("/v1/me").by(&known).answer().await;
        }
    };
    switch("on").await;
    let answer = register(&app, "somebody").await;
    assert_ne!(answer.header("retry-after"), "");
    answer.problem(503, "unavailable");
    app.get("/v1/me").by(&known).answer().await.expect(200);
    let problem = app.get("/readyz").answer().await.problem(503, "unavailable");
    assert!(problem["detail"].as_str().unwrap().contains("read-only"), "{problem}");
    let refused = migrate(&db.url(), Route::Session).await.unwrap_err().to_string();
    assert!(refused.contains("is read-only, and Cardscape has to write"), "{refused}");

    switch("off").await;
    app.get("/readyz").answer().await.expect(200);
    register(&app, "somebody").await.expect(201);
}

/// A reader gives the events their numbers. What has a number is listed although the others cannot get theirs.
#[tokio::test]
async fn while_the_disk_is_full_events_with_a_number_are_listed() {
    let app = TestApp::start().await;
    let (known, strange) = (app.player("an old hand").await, app.player("a new hand").await);
    let happen = async || {
        app.sql("INSERT INTO events (id, kind, payload, created_at) VALUES (gen_random_uuid(), 'game.changed', '{\"game\": \"ttcg\"}', now())").await;
        app.sql(
            "INSERT INTO account_events (account_id, kind, created_at) \
             SELECT id, 'copy.frozen', now() FROM accounts WHERE name = 'an old hand'",
        )
        .await;
    };
    let list = async |by: &Player| {
        let own = app.get("/v1/me/events").by(by).answer().await.expect(200);
        (own["data"].as_array().unwrap().len(), own["newest"].as_i64().unwrap())
    };
    let newest =
        async || app.get("/v1/changes?after=0").answer().await.expect(200)["newest"].clone();
    happen().await;
    assert_eq!((list(&known).await, newest().await), ((1, 1), json!(1)));
    app.sql(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN RAISE EXCEPTION 'kein Platz mehr' USING ERRCODE = '53100'; END $$; \
         CREATE TRIGGER fail BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION fail(); \
         CREATE TRIGGER fail BEFORE UPDATE ON account_events FOR EACH ROW EXECUTE FUNCTION fail(); \
         CREATE TRIGGER fail BEFORE INSERT ON account_event_clocks FOR EACH ROW EXECUTE FUNCTION fail()",
    )
    .await;
    happen().await;
    assert_eq!((list(&known).await, newest().await), ((1, 1), json!(1)));
    assert_eq!(list(&strange).await, (0, 0));
    app.sql("DROP FUNCTION fail CASCADE").await;
    assert_eq!((list(&known).await, newest().await), ((2, 2), json!(2)));
}
