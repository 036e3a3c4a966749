//! A start that has work to do before the service listens.

use cardscape::store::db::private_postgres;
use embedded_postgres::EmbeddedPostgres;

use super::*;

/// With many accounts this takes long.
#[tokio::test]
async fn a_start_that_waits_for_old_accounts_can_be_stopped() {
    let home = Home::new();
    home.serve().stop(Signal::TERM);
    let postgres = EmbeddedPostgres::start(private_postgres::settings(&home.0)).unwrap();
    let url = postgres.url("cardscape");
    let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let lock = "BEGIN; LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE";
    client.batch_execute(lock).await.unwrap();
    let start = program()
        .args(["serve", "--listen", "127.0.0.1:0", "--database-url", &url, "--keys-file"])
        .arg(home.0.join("keys.json"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let waits = "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'accounts'::regclass AND NOT granted)";
    within(Duration::from_mins(1), "the start waits for the accounts", async || {
        client.query_one(waits, &[]).await.unwrap().get(0)
    })
    .await;
    kill_process(Pid::from_child(&start), Signal::TERM).unwrap();
    let stopped = start.wait_with_output().unwrap();
    let output = text(&stopped);
    assert!(stopped.status.success(), "{output}");
    assert!(output.contains("stopped before it was ready"), "{output}");
    postgres.stop().unwrap();
}
