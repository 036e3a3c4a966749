//! PgBouncer between the service and Postgres.

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use cardscape::domain::clock::Clock;
use cardscape::store::StoreSettings;
use cardscape::store::db::pooler::{self, Route, RouteError};
use serde_json::json;

use crate::environment;
use crate::support::{Bouncer, PoolMode, RequestExt as _, TestApp, TestDb, fresh_path};

async fn route(url: String) -> Result<Route, RouteError> {
    pooler::find(&StoreSettings::new(url)).await
}

/// What is found through a pooler while other clients use it, and after that. The result must not depend on what other clients of the pooler do, or have done
/// before.
async fn routes_beside_other_clients(bouncer: &Bouncer) -> Vec<Result<Route, RouteError>> {
    let stop = Arc::new(AtomicBool::new(false));
    let others = (0..3).map(|_| {
        let (url, stop) = (bouncer.url(), stop.clone());
        tokio::spawn(async move {
            let (client, driver) =
                tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
            tokio::spawn(driver);
            while !stop.load(Ordering::Relaxed) {
                client.batch_execute("SELECT pg_sleep(0.002)").await.unwrap();
            }
        })
    });
    let others: Vec<_> = others.collect();
    let mut found = Vec::new();
    for _ in 0..10 {
        found.push(route(bouncer.url()).await);
    }
    stop.store(true, Ordering::Relaxed);
    for other in others {
        other.await.unwrap();
    }
    for _ in 0..5 {
        found.push(route(bouncer.url()).await);
    }
    found
}

/// Runs the program with the database at `url`. Returns its exit code and its standard error.
fn run_program(arguments: &[&str], url: &str) -> (i32, String) {
    let mut command = environment::command(env!("CARGO_BIN_EXE_cardscape"));
    command.args(arguments).env("DATABASE_URL", url).stdin(Stdio::null());
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().unwrap(), stderr)
}

#[tokio::test]
async fn a_session_route_is_found_without_a_pooler_and_in_session_mode() {
    let db = TestDb::create().await;
    assert_eq!(route(db.url()).await.unwrap(), Route::Session);
    let bouncer = Bouncer::before(&db, PoolMode::Session).await;
    assert_eq!(route(bouncer.url()).await.unwrap(), Route::Session);
    let (code, stderr) = run_program(&["migrate"], &bouncer.url());
    assert_eq!(code, 0, "{stderr}");
}

#[tokio::test]
async fn a_pooler_that_loses_prepared_statements_is_rejected_at_the_start() {
    let db = TestDb::create().await;
    let bouncer = Bouncer::before(&db, PoolMode::Transaction).await;
    for found in routes_beside_other_clients(&bouncer).await {
        assert!(matches!(found, Err(RouteError::LosesStatements)), "{found:?}");
    }
    let keys = fresh_path(".keys.json");
    let file = keys.to_str().unwrap();
    assert_eq!(run_program(&["keys", "generate", file], &bouncer.url()).0, 0);
    for arguments in [&["migrate"][..], &["serve", "--listen", "127.0.0.1:0", "--keys-file", file]]
    {
        let (code, stderr) = run_program(arguments, &bouncer.url());
        assert_ne!(code, 0, "{arguments:?}");
        assert!(stderr.contains("pool_mode = session"), "{stderr}");
    }
    std::fs::remove_file(&keys).unwrap();
}

/// Makes the last migration pending again.
const FORGET_LAST_MIGRATION: &str = "DELETE FROM __diesel_schema_migrations WHERE version = (SELECT max(version) FROM __diesel_schema_migrations)";

#[tokio::test]
async fn a_pooler_that_keeps_prepared_statements_is_accepted_at_the_start() {
    if !Bouncer::can_keep_statements_or_skips(
        "a_pooler_that_keeps_prepared_statements_is_accepted_at_the_start",
    ) {
        return;
    }
    let db = TestDb::create().await;
    let bouncer = Bouncer::before(&db, PoolMode::TransactionWithStatements).await;
    for found in routes_beside_other_clients(&bouncer).await {
        assert!(matches!(found, Ok(Route::Transaction)), "{found:?}");
    }
    let (code, stderr) = run_program(&["migrate"], &bouncer.url());
    assert_eq!(code, 0, "{stderr}");
    db.sql(FORGET_LAST_MIGRATION).await;
    let (code, stderr) = run_program(&["migrate"], &bouncer.url());
    assert_ne!(code, 0);
    assert!(stderr.contains("straight to PostgreSQL"), "{stderr}");
}

#[tokio::test]
async fn pending_migrations_are_refused_through_a_pooler_in_transaction_mode() {
    // A PgBouncer that keeps prepared statements is not installed everywhere, so this test calls `migrate` directly with the route.
    let db = TestDb::create().await;
    let migrate = cardscape::store::db::migrations::migrate;
    assert_eq!(migrate(&db.url(), Route::Transaction).await.unwrap(), Vec::<String>::new());
    db.sql(FORGET_LAST_MIGRATION).await;
    let refused = migrate(&db.url(), Route::Transaction).await.unwrap_err();
    assert!(refused.to_string().contains("straight to PostgreSQL"), "{refused}");
}

#[tokio::test]
async fn a_mixed_load_through_a_pooler_in_session_mode_causes_no_server_error() {
    check_mixed_load(PoolMode::Session).await;
}

#[tokio::test]
async fn a_mixed_load_through_a_pooler_in_transaction_mode_causes_no_server_error() {
    let test = "a_mixed_load_through_a_pooler_in_transaction_mode_causes_no_server_error";
    if Bouncer::can_keep_statements_or_skips(test) {
        check_mixed_load(PoolMode::TransactionWithStatements).await;
    }
}

async fn check_mixed_load(mode: PoolMode) {
    let db = Arc::new(TestDb::create().await);
    let bouncer = Bouncer::before(&db, mode).await;
    let app = TestApp::start_tuned(
        db.clone(),
        Clock::system(),
        |_| {},
        |settings| {
            settings.url = bouncer.url();
        },
    );
    app.import_set("veil", 3, false).await;
    app.get("/v1/games/ttcg/sets/veil/cards/001").answer().await.expect(200);
    let list = "1 The veil card, numbered 001!";
    let players = [app.player("one").await, app.player("two").await];
    let app = Arc::new(app);
    let served = Arc::new(AtomicU32::new(0));
    let until = tokio::time::Instant::now() + Duration::from_secs(5);
    let clients = (0..8_usize).map(|client| {
        let (app, served, player) = (app.clone(), served.clone(), players[client % 2].clone());
        async move {
            while tokio::time::Instant::now() < until {
                let requests = [
                    app.get("/v1/cards?game=ttcg"),
                    app.get("/v1/games/ttcg/sets/veil/cards/001"),
                    app.get("/v1/me").by(&player),
                    app.get("/v1/changes").by(&player),
                    app.get("/v1/cards/autocomplete?q=the"),
                    app.post("/v1/deck-reports")
                        .json(&json!({ "format": "ttcg/standard", "list": list })),
                    app.post("/v1/decks")
                        .by(&player)
                        .json(&json!({ "name": "d", "format": "ttcg/standard", "list": list })),
                    app.get("/v1/me/events").by(&player),
                ];
                for request in requests {
                    let answer = request.answer().await;
                    assert!(answer.status < 500, "{} {}", answer.status, answer.text());
                    served.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    });
    futures_util::future::join_all(clients).await;
    assert!(served.load(Ordering::Relaxed) > 50, "{served:?}");
    assert!(db.number("SELECT count(*) FROM decks").await > 0, "the load writes");
}
