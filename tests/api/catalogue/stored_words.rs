//! Unknown words in the database: a request that needs the row fails, and the service does not guess a value.

use serde_json::json;

use crate::collection::counts::printing;
use crate::support::{RequestExt as _, TestApp};

/// Disables the triggers for a session.
const UNWATCHED: &str = "SET session_replication_role = replica";

/// Removes the check constraints of a table, so that its columns accept any word.
async fn unguard(app: &TestApp, table: &str) {
    app.sql(&format!(
        "DO $$ DECLARE name text; BEGIN \
             FOR name IN SELECT conname FROM pg_constraint WHERE conrelid = '{table}'::regclass AND contype = 'c' LOOP \
                 EXECUTE format('ALTER TABLE {table} DROP CONSTRAINT %I', name); \
             END LOOP; END $$"
    ))
    .await;
}

#[tokio::test]
async fn an_unknown_word_causes_an_internal_error() {
    let app = TestApp::start().await;
    app.import_set("base", 2, false).await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let admin = app.admin().await;
    let id = "01998d5e-7a35-7c54-b0a0-000000000003";
    let now = app.clock().now().to_rfc3339();
    let common = printing(&app, None, "base", "001", "common").await;
    app.put(&format!("/v1/collection/{common}"))
        .by(&ada)
        .json(&json!({ "quantity": 2 }))
        .answer()
        .await
        .expect(200);
    let (offered_by, offered_to) = (&ada.id, &ben.id);
    app.sql(&format!(
        "INSERT INTO decks VALUES ('{id}', '{offered_by}', 'ttcg', 'standard', 'D', 'public', 1, '{now}', '{now}');
         INSERT INTO trade_lists VALUES ('{offered_by}', 'want', 'public', 1, '{now}');
         INSERT INTO trades VALUES ('{id}', '{offered_by}', '{offered_to}', 'declined', NULL, NULL, '{now}',
             '{now}'::timestamptz + interval '1 day', '{now}');
         INSERT INTO webhooks (id, url, description, kinds, secret_generation, cursor_seq, created_at, updated_at, disabled_at, disabled_reason)
             VALUES ('{id}', 'https://x.example', '', '{{game.changed}}', 1, 0, '{now}', '{now}', '{now}', 'admin');
         INSERT INTO webhook_deliveries (id, webhook_id, seq, kind, state, created_at, finished_at, last_failure)
             VALUES ('{id}', '{id}', 1, 'game.changed', 'failed', '{now}', '{now}', 'timeout');
         INSERT INTO card_rulings (id, card_id, kind, text, published_on, created_at)
             SELECT '{id}', id, 'ruling', 'R', '2026-01-01', '{now}' FROM cards WHERE number = '001';
         INSERT INTO card_migrations (id, kind, game_code, old_card_id, old_set_code, old_number, new_card_id, new_set_code,
                                      new_number, card_id, performed_at)
             SELECT '{id}', 'move', game_code, id, set_code, 'former', id, set_code, number, id, '{now}' FROM cards WHERE number = '001';
         INSERT INTO print_runs (id, set_id, code_prefix, key_id, copies_per_card, copy_count, status, file_sha256, created_at)
             SELECT '{id}', id, '00', 'k', 1, 2, 'pending', decode(repeat('00', 32), 'hex'), '{now}' FROM sets"
    ))
    .await;
    for (table, column, path, reader) in [
        ("decks", "visibility", format!("/v1/decks/{id}"), &ada),
        ("trade_lists", "visibility", "/v1/me/wants".to_owned(), &ada),
        ("trades", "state", format!("/v1/trades/{id}"), &ada),
        ("collection_entries", "condition", "/v1/collection".to_owned(), &ada),
        ("webhooks", "disabled_reason", format!("/v1/webhooks/{id}"), &admin),
        ("webhook_deliveries", "state", format!("/v1/webhooks/{id}/deliveries"), &admin),
        ("webhook_deliveries", "last_failure", format!("/v1/webhooks/{id}/deliveries"), &admin),
        ("card_rulings", "kind", format!("/v1/rulings/{id}"), &admin),
        ("print_runs", "status", format!("/v1/print-runs/{id}"), &admin),
        ("card_migrations", "kind", format!("/v1/card-migrations/{id}"), &admin),
    ] {
        app.get(&path).by(reader).answer().await.expect(200);
        unguard(&app, table).await;
        let before = app.db().value(&format!("SELECT {column} FROM {table}")).await;
        app.sql(&format!("{UNWATCHED}; UPDATE {table} SET {column} = 'sesame'")).await;
        let answer = app.get(&path).by(reader).answer().await;
        assert!(!answer.text().contains("sesame"), "{table}.{column}: {}", answer.text());
        answer.problem(500, "internal");
        app.sql(&format!("{UNWATCHED}; UPDATE {table} SET {column} = '{before}'")).await;
        app.get(&path).by(reader).answer().await.expect(200);
    }
    // A request that changes the row fails as well: a trade with an unknown state is neither open nor closed.
    app.sql(&format!("{UNWATCHED}; UPDATE trades SET state = 'sesame', closed_at = NULL")).await;
    app.post(&format!("/v1/trades/{id}/accept")).by(&ben).answer().await.problem(500, "internal");
}
