//! A database that answers with errors because it is full, read-only, starting or overloaded. The service is not at fault, and the condition is temporary.

use std::sync::Arc;

use cardscape::domain::clock::Clock;
use serde_json::json;

use crate::support::{Answer, RequestExt as _, TestApp, TestDb};

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

    switch("off").await;
    app.get("/readyz").answer().await.expect(200);
    register(&app, "somebody").await.expect(201);
}
