//! Retention: a sweep deletes rows that are no longer needed, in batches that end in time and use indices, on any number of instances at once.

use std::sync::Arc;

use cardscape::domain::clock::Clock;
use cardscape::store::operations::retention::{self, BATCH};
use chrono::Duration;
use serde_json::Value;
use tokio_postgres::SimpleQueryMessage;

use crate::support::{TestApp, TestDb};

/// More than two batches.
const BACKLOG: i64 = BATCH * 2 + 100;

/// Inserts old rows of many kinds, and a few rows that must stay.
async fn insert_backlog(app: &TestApp) {
    let now = app.clock().now().to_rfc3339();
    let old = format!("'{now}'::timestamptz - interval '1 year' + n * interval '1 second'");
    let mac = "substr(sha256(n::text::bytea), 1, 16)";
    let player = app.player("ada").await.id;
    app.sql(&format!(
        "INSERT INTO attempts SELECT 'x', {mac}, {old}, 1 FROM generate_series(1, {BACKLOG}) n;
         INSERT INTO idempotency_keys SELECT '{player}', n::text, 'o', sha256('x'), gen_random_uuid(), {old}
             FROM generate_series(1, {BACKLOG}) n;
         INSERT INTO sessions SELECT gen_random_uuid(), '{player}', {mac}, 1, {old}, {old}, {old}
             FROM generate_series(1, {BACKLOG}) n;
         -- One that was rotated for months, and one that ended long before its time.
         INSERT INTO sessions VALUES ('00000000-0000-7000-8000-000000000001', '{player}', substr(sha256('m'), 1, 16), 1,
             '{now}', '{now}', '{now}'::timestamptz - interval '40 days', NULL, NULL),
             ('00000000-0000-7000-8000-000000000002', '{player}', substr(sha256('m'), 1, 16), 1, '{now}', '{now}',
             '{now}'::timestamptz + interval '1 day', '{now}'::timestamptz - interval '40 days', 'logout');
         INSERT INTO refresh_tokens SELECT sha256(n::text::bytea), '00000000-0000-7000-8000-000000000001', n, {old}, '{now}'
             FROM generate_series(1, {BACKLOG}) n;
         INSERT INTO personal_access_tokens SELECT gen_random_uuid(), '{player}', 't', sha256(n::text::bytea), '{{x}}',
             {old} - interval '1 day', {old} FROM generate_series(1, {BACKLOG}) n;
         -- One that was revoked long before its time.
         INSERT INTO personal_access_tokens VALUES (gen_random_uuid(), '{player}', 't', sha256('revoked'), '{{x}}',
             '{now}'::timestamptz - interval '41 days', '{now}'::timestamptz + interval '1 day', NULL, '{now}'::timestamptz - interval '40 days');
         INSERT INTO events (id, kind, payload, created_at, seq)
             SELECT gen_random_uuid(), 'game.changed', '{{\"game\": \"g\"}}', {old}, n FROM generate_series(1, {BACKLOG}) n;
         UPDATE event_clock SET last_seq = {BACKLOG};
         INSERT INTO account_events (account_id, kind, created_at) SELECT '{player}', 'card.unlocked',
             '{now}'::timestamptz - interval '1 year' FROM generate_series(1, {BACKLOG}) n;
         INSERT INTO collection_imports SELECT gen_random_uuid(), '{player}', 'add', NULL, '[]', '[]', {old},
             {old} + interval '1 hour' FROM generate_series(1, {BACKLOG}) n;
         INSERT INTO collection_imports SELECT gen_random_uuid(), '{player}', 'add', NULL, '[]', '[]', {old},
             {old} + interval '1 hour', {old}, '{{}}' FROM generate_series(1, {BACKLOG}) n;
         INSERT INTO webhooks (id, url, description, kinds, secret_generation, cursor_seq, created_at, updated_at)
             VALUES ('00000000-0000-7000-8000-000000000003', 'https://x.example', '', '{{game.changed}}', 1, 0, '{now}', '{now}'),
             ('00000000-0000-7000-8000-000000000004', 'https://x.example', '', '{{game.changed}}', 1, 0, '{now}', '{now}');
         UPDATE webhooks SET deleted_at = '{now}'::timestamptz - interval '1 day' WHERE id = '00000000-0000-7000-8000-000000000004';
         INSERT INTO webhook_deliveries (id, webhook_id, seq, kind, state, created_at, finished_at)
             SELECT gen_random_uuid(), '00000000-0000-7000-8000-000000000003', n, 'game.changed', 'delivered', {old}, {old}
             FROM generate_series(1, {BACKLOG}) n;
         INSERT INTO webhook_deliveries (id, webhook_id, seq, kind, state, created_at, finished_at)
             SELECT gen_random_uuid(), '00000000-0000-7000-8000-000000000004', n, 'game.changed', 'delivered', '{now}', '{now}'
             FROM generate_series(1, {BACKLOG}) n;"
    ))
    .await;
}

/// Counts the rows that the sweep must delete, and the webhooks, of which one stays.
const LEFT: &str = "SELECT concat_ws(' ', \
    (SELECT count(*) FROM attempts WHERE scope = 'x'), (SELECT count(*) FROM idempotency_keys), \
    (SELECT count(*) FROM sessions WHERE last_used_at < now() - interval '300 days' OR revoked_at IS NOT NULL), \
    (SELECT count(*) FROM refresh_tokens WHERE issued_at < now() - interval '300 days'), \
    (SELECT count(*) FROM personal_access_tokens), (SELECT count(*) FROM events), (SELECT count(*) FROM account_events), \
    (SELECT count(*) FROM collection_imports), (SELECT count(*) FROM webhook_deliveries), (SELECT count(*) FROM webhooks))";

#[tokio::test]
async fn a_backlog_of_everything_is_cleared_by_two_instances_at_once() {
    let app = TestApp::start().await;
    insert_backlog(&app).await;
    let now = app.clock().now();
    let (first, second) =
        tokio::join!(retention::sweep(app.store(), now), retention::sweep(app.store(), now));
    let together = first.unwrap() + second.unwrap();
    // The next sweep deletes rows that one sweep has skipped because the other had locked them.
    let rest = retention::sweep(app.store(), now).await.unwrap();
    assert_eq!(app.db().value(LEFT).await, "0 0 0 0 0 0 0 0 0 1");
    let rows = usize::try_from(BACKLOG).unwrap() * 11 + 4;
    assert!(together + rest >= rows, "{together} and {rest} of {rows}");
    assert_eq!(retention::sweep(app.store(), now).await.unwrap(), 0);
    // The current session of the player stays.
    assert_eq!(app.db().number("SELECT count(*) FROM sessions").await, 1);
}

/// The database is slow: if a batch exceeds the statement timeout, the sweep continues with smaller batches.
#[tokio::test]
async fn batches_become_smaller_until_they_end_in_time() {
    let db = Arc::new(TestDb::create().await);
    let app = TestApp::start_tuned(
        db,
        Clock::system(),
        |_| {},
        |store| {
            store.statement_timeout = std::time::Duration::from_millis(500);
        },
    );
    let now = app.clock().now();
    app.sql(&format!(
        "INSERT INTO attempts SELECT 'x', substr(sha256(n::text::bytea), 1, 16), '{}'::timestamptz - interval '1 year', 1
             FROM generate_series(1, 300) n;
         CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.005); RETURN OLD; END $$;
         CREATE TRIGGER slowly BEFORE DELETE ON attempts FOR EACH ROW EXECUTE FUNCTION slowly();",
        now.to_rfc3339()
    ))
    .await;
    assert_eq!(retention::sweep(app.store(), now).await.unwrap(), 300);
    assert_eq!(app.db().number("SELECT count(*) FROM attempts").await, 0);
}

/// A session that was refreshed very often has more tokens than one statement deletes in time.
#[tokio::test]
async fn sessions_with_many_refresh_tokens_are_deleted_in_batches() {
    let db = Arc::new(TestDb::create().await);
    let app = TestApp::start_tuned(
        db,
        Clock::system(),
        |_| {},
        |store| {
            store.statement_timeout = std::time::Duration::from_millis(500);
        },
    );
    let now = app.clock().now();
    app.sql(&format!(
        "INSERT INTO accounts (id, name, name_key, password_hash, role, must_change_password, created_at)
             VALUES ('00000000-0000-7000-8000-000000000001', 'ada', 'ada', '$argon2id$', 'player', false, '{now}');
         INSERT INTO sessions (id, account_id, network_mac, generation, created_at, last_used_at, expires_at)
             SELECT '00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000001', substr(sha256('m'), 1, 16), 200,
                    ended, ended, ended FROM (SELECT '{now}'::timestamptz - interval '1 year' AS ended) times;
         INSERT INTO refresh_tokens (token_hash, session_id, generation, issued_at, replaced_at)
             SELECT sha256(n::text::bytea), '00000000-0000-7000-8000-000000000002', n, '{now}', '{now}' FROM generate_series(1, 200) n;
         CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.005); RETURN OLD; END $$;
         CREATE TRIGGER slowly BEFORE DELETE ON refresh_tokens FOR EACH ROW EXECUTE FUNCTION slowly();",
        now = now.to_rfc3339()
    ))
    .await;
    assert_eq!(retention::sweep(app.store(), now).await.unwrap(), 201);
    assert_eq!(app.db().number("SELECT count(*) FROM sessions").await, 0);
}

/// A reader finds out from the oldest stored sequence number whether it missed events, so no event after the oldest one may be missing.
#[tokio::test]
async fn the_stored_feed_has_no_gaps() {
    let app = TestApp::start().await;
    let now = app.clock().now();
    app.sql(&format!(
        "INSERT INTO events (id, kind, payload, created_at, seq)
             SELECT gen_random_uuid(), 'game.changed', '{{\"game\": \"g\"}}',
                    '{}'::timestamptz - CASE WHEN n = 4 THEN interval '1 day' ELSE interval '1 year' END, n
             FROM generate_series(1, 6) n;
         UPDATE event_clock SET last_seq = 6",
        now.to_rfc3339()
    ))
    .await;
    assert_eq!(retention::sweep(app.store(), now).await.unwrap(), 3);
    let stored = "SELECT string_agg(seq::text, ' ' ORDER BY seq) FROM events";
    assert_eq!(app.db().value(stored).await, "4 5 6");
    app.clock().advance(Duration::days(90));
    assert_eq!(retention::sweep(app.store(), app.clock().now()).await.unwrap(), 3);
}

/// Rows of one account that must stay do not stop the sweep before the rows of the next account.
#[tokio::test]
async fn account_events_that_stay_do_not_stop_the_sweep() {
    let app = TestApp::start().await;
    let (ada, ben) = (app.player("ada").await.id, app.player("ben").await.id);
    let now = app.clock().now().to_rfc3339();
    app.sql(&format!(
        "INSERT INTO account_events (account_id, seq, kind, created_at)
             SELECT '{ada}', n, 'card.unlocked', '{now}'::timestamptz - CASE WHEN n = 1 THEN interval '1 day' ELSE interval '2 years' END
             FROM generate_series(1, {BACKLOG}) n;
         INSERT INTO account_events (account_id, seq, kind, created_at)
             SELECT '{ben}', n, 'card.unlocked', '{now}'::timestamptz - interval '1 year' FROM generate_series(1, 10) n"
    ))
    .await;
    assert_eq!(retention::sweep(app.store(), app.clock().now()).await.unwrap(), 10);
    app.clock().advance(Duration::days(90));
    let swept = retention::sweep(app.store(), app.clock().now()).await.unwrap();
    assert_eq!(app.db().number("SELECT count(*) FROM account_events").await, 0, "{swept}");
}

/// Every statement finds its rows by a condition on an index, also where a sequential scan of the current table would be cheaper.
#[tokio::test]
async fn every_statement_uses_indices() {
    let app = TestApp::start().await;
    insert_backlog(&app).await;
    app.sql("ANALYZE").await;
    let session = app.db().session().await;
    session
        .batch_execute("SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan")
        .await
        .unwrap();
    let (mut seen, mut faults) = (0, Vec::new());
    for (rows, statement) in retention::statements() {
        let statement = statement.unwrap();
        session.batch_execute(&format!("PREPARE swept AS {statement}")).await.unwrap();
        let takes = (1..=4).take_while(|n| statement.contains(&format!("${n}"))).count();
        let arguments = match (rows, takes) {
            ("submission_networks", 3) => "now(), '00000000-0000-0000-0000-000000000000', 1000",
            ("account_events", 4) => "now(), 'epoch', 0, 1000",
            (_, 2) => "now(), 1000",
            _ => panic!("{rows} takes {takes}"),
        };
        let explain = format!("EXPLAIN (FORMAT JSON) EXECUTE swept ({arguments})");
        let output = session.simple_query(&explain).await.unwrap();
        let plan = output.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        let plan: Value = serde_json::from_str(plan.unwrap()).unwrap();
        let before = faults.len();
        find_scans_without_index(&plan[0]["Plan"], &mut faults);
        if faults.len() > before {
            println!("{rows}: {statement}\n{plan:#}");
        }
        session.batch_execute("DEALLOCATE swept").await.unwrap();
        seen += 1;
    }
    assert!(faults.is_empty(), "{faults:?}");
    assert!(seen >= 14, "{seen}");
}

/// Adds the scans without a condition on an index to `faults`.
fn find_scans_without_index(plan: &Value, faults: &mut Vec<String>) {
    let (node, table) = (plan["Node Type"].as_str().unwrap(), &plan["Relation Name"]);
    let is_served = match node {
        // The table always has few rows.
        "Seq Scan" => table == "webhooks",
        "Index Scan" | "Index Only Scan" | "Bitmap Index Scan" => {
            !plan["Index Cond"].is_null() || table == "webhooks"
        }
        _ => true,
    };
    if !is_served {
        faults.push(format!("{node} on {table}"));
    }
    for below in plan["Plans"].as_array().into_iter().flatten() {
        find_scans_without_index(below, faults);
    }
}
