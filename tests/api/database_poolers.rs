//! PgBouncer between the service and Postgres.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use cardscape::domain::clock::Clock;
use cardscape::store::StoreSettings;
use cardscape::store::db::pooler::{self, Route, RouteError};
use serde_json::json;

use crate::support::{Bouncer, RequestExt as _, TestApp, TestDb, fresh_path};

/// Whether the installed PgBouncer keeps prepared statements in transaction mode.
fn keeps_statements() -> bool {
    Bouncer::version() >= (1, 21)
}

async fn route(url: String) -> Result<Route, RouteError> {
    pooler::find(&StoreSettings::new(url)).await
}

/// The program with the database at `url`: exit code, and what it says.
fn program(arguments: &[&str], url: &str) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cardscape"));
    command.args(arguments).env("DATABASE_URL", url).stdin(Stdio::null());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().unwrap(), said)
}

#[tokio::test]
async fn without_a_pooler_or_in_session_mode_a_session_is_a_session() {
    let db = TestDb::create().await;
    assert_eq!(route(db.url()).await.unwrap(), Route::Session);
    let bouncer = Bouncer::before(&db, "session").await;
    assert_eq!(route(bouncer.url()).await.unwrap(), Route::Session);
    let (code, said) = program(&["migrate"], &bouncer.url());
    assert_eq!(code, 0, "{said}");
}

#[tokio::test]
async fn a_pooler_that_loses_prepared_statements_is_refused_at_the_start() {
    if keeps_statements() {
        return;
    }
    let db = TestDb::create().await;
    let bouncer = Bouncer::before(&db, "transaction").await;
    // The answer does not depend on what others do, nor on who was here before.
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
    for _ in 0..10 {
        let found = route(bouncer.url()).await;
        assert!(matches!(found, Err(RouteError::LosesStatements)), "{found:?}");
    }
    stop.store(true, Ordering::Relaxed);
    for other in others {
        other.await.unwrap();
    }
    for _ in 0..5 {
        let found = route(bouncer.url()).await;
        assert!(matches!(found, Err(RouteError::LosesStatements)), "{found:?}");
    }
    let keys = fresh_path(".keys.json");
    let file = keys.to_str().unwrap();
    assert_eq!(program(&["keys", "generate", file], &bouncer.url()).0, 0);
    for arguments in [&["migrate"][..], &["serve", "--listen", "127.0.0.1:0", "--keys-file", file]]
    {
        let (code, said) = program(arguments, &bouncer.url());
        assert_ne!(code, 0, "{arguments:?}");
        assert!(said.contains("pool_mode = session"), "{said}");
    }
    std::fs::remove_file(&keys).unwrap();
}

#[tokio::test]
async fn through_transactions_of_a_pooler_nothing_is_migrated() {
    // PgBouncer, in a version that keeps statements, is not everywhere: that something is to be done is seen here directly.
    let db = TestDb::create().await;
    let migrate = cardscape::store::db::migrations::migrate;
    assert_eq!(migrate(&db.url(), Route::Transaction).await.unwrap(), Vec::<String>::new());
    crate::support::sql(
        &db.url(),
        "DELETE FROM __diesel_schema_migrations WHERE version = (SELECT max(version) FROM __diesel_schema_migrations)",
    )
    .await;
    let refused = migrate(&db.url(), Route::Transaction).await.unwrap_err();
    assert!(refused.to_string().contains("straight to PostgreSQL"), "{refused}");
}

#[tokio::test]
async fn a_mixed_load_through_a_pooler_meets_with_no_fault() {
    let db = Arc::new(TestDb::create().await);
    let mode = if keeps_statements() { "transaction" } else { "session" };
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
    let players = [app.player("one").await, app.player("two").await];
    let app = Arc::new(app);
    let served = Arc::new(AtomicU32::new(0));
    let until = tokio::time::Instant::now() + Duration::from_secs(5);
    let clients = (0..8_usize).map(|client| {
        let (app, served, player) = (app.clone(), served.clone(), players[client % 2].clone());
        async move {
            while tokio::time::Instant::now() < until {
                let asked = [
                    app.get("/v1/cards?game=ttcg"),
                    app.get("/v1/cards/ttcg/veil/001"),
                    app.get("/v1/me").by(&player),
                    app.get("/v1/changes").by(&player),
                    app.get("/v1/cards/autocomplete?q=the"),
                    app.post("/v1/deck-reports")
                        .json(&json!({ "format": "ttcg/standard", "list": "2 Kettel Imp" })),
                    app.post("/v1/decks")
                        .by(&player)
                        .json(&json!({ "name": "d", "format": "ttcg/standard", "list": "1 Imp" })),
                    app.get("/v1/me/events").by(&player),
                ];
                for request in asked {
                    let answer = request.answer().await;
                    assert!(answer.status < 500, "{} {}", answer.status, answer.text());
                    served.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    });
    futures_util::future::join_all(clients).await;
    assert!(served.load(Ordering::Relaxed) > 50, "{served:?}");
}
