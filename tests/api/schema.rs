//! The schema: `schema.rs` matches the migrations, and constraints and triggers refuse invalid data.

use crate::support::{TestDb, sql};
use cardscape::store::db::pooler::Route;

/// `CARDSCAPE_UPDATE=1 cargo test --test api schema` writes the file (`make schema`).
#[tokio::test]
async fn schema_rs_is_what_the_migrations_make() {
    let db = TestDb::create().await;
    let expected = db
        .value(&format!("SELECT ({})", include_str!("schema.sql").trim_end().trim_end_matches(';')))
        .await;
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/store/db/schema.rs");
    if std::env::var_os("CARDSCAPE_UPDATE").is_some() {
        std::fs::write(path, expected).unwrap();
        return;
    }
    let actual = std::fs::read_to_string(path).unwrap();
    assert_eq!(actual.trim_end(), expected.trim_end(), "run `make schema`");
}

#[tokio::test]
async fn migrations_can_be_reverted_and_applied_again() {
    let db = TestDb::create().await;
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations");
    let mut folders: Vec<_> =
        std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    for folder in folders.iter().rev() {
        db.sql(&std::fs::read_to_string(folder.join("down.sql")).unwrap()).await;
    }
    for folder in &folders {
        db.sql(&std::fs::read_to_string(folder.join("up.sql")).unwrap()).await;
    }
}

#[tokio::test]
async fn parallel_migrations_are_applied_once() {
    let db = TestDb::create().await;
    db.sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public").await;
    let url = db.url();
    let (first, second) = tokio::join!(
        cardscape::store::db::migrations::migrate(&url, Route::Session),
        cardscape::store::db::migrations::migrate(&url, Route::Session)
    );
    let applied = [first.unwrap().len(), second.unwrap().len()];
    assert!(applied.contains(&0), "{applied:?}");
    assert!(applied.iter().any(|&count| count > 0), "{applied:?}");
}

/// A role or database may have time limits for requests, which a pooler in transaction mode does not get from the service.
#[tokio::test]
async fn time_limits_of_the_database_do_not_apply_to_migrations() {
    const LOCK: &str = "SELECT pg_advisory_lock(7233172001)";
    let db = TestDb::create().await;
    let holder = db.session().await;
    holder.batch_execute(LOCK).await.unwrap();
    db.sql(
        "DO $$ BEGIN \
             EXECUTE format('ALTER DATABASE %I SET statement_timeout = ''1s''', current_database()); \
             EXECUTE format('ALTER DATABASE %I SET lock_timeout = ''1s''', current_database()); \
             IF current_setting('server_version_num')::int >= 170000 THEN \
                 EXECUTE format('ALTER DATABASE %I SET transaction_timeout = ''1s''', current_database()); \
             END IF; END $$",
    )
    .await;
    let url = db.url();
    let release = async {
        let waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted \
                       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
        while db.value(waiting).await == "0" {
            tokio::task::yield_now().await;
        }
        // Once another session has reached the limit, the migration has waited for longer.
        db.session().await.batch_execute(LOCK).await.unwrap_err();
        holder.batch_execute("SELECT pg_advisory_unlock(7233172001)").await.unwrap();
    };
    let migrate = cardscape::store::db::migrations::migrate(&url, Route::Session);
    let (applied, ()) = tokio::join!(migrate, release);
    assert_eq!(applied.unwrap(), Vec::<String>::new());
}

/// When a row is deleted, Postgres searches every table that refers to it. Such foreign keys need an index.
#[tokio::test]
async fn foreign_keys_have_an_index() {
    let db = TestDb::create().await;
    let unindexed = db.value(&format!("({})", include_str!("unindexed.sql"))).await;
    let known = [
        // The primary key contains only the card, which is enough.
        "card_content (card_id, game_code) -> cards",
    ];
    assert_eq!(unindexed.lines().collect::<Vec<_>>(), known);
}

#[tokio::test]
async fn constraints_refuse_invalid_rows() {
    let db = TestDb::create().await;
    let url = db.url();
    sql(
        &url,
        "INSERT INTO games VALUES ('g', 'G', '', 1, now(), now());
         INSERT INTO sets (id, game_code, code, name, hidden, unlock_threshold, created_at, updated_at)
             VALUES ('00000000-0000-7000-8000-000000000001', 'g', 's', 'S', true, 2, now(), now());
         INSERT INTO cards (id, game_code, set_code, number, created_at, updated_at)
             VALUES ('00000000-0000-7000-8000-000000000002', 'g', 's', '001', now(), now());
         INSERT INTO unlocks (card_id, threshold) VALUES ('00000000-0000-7000-8000-000000000002', 2);
         INSERT INTO audit_log VALUES (gen_random_uuid(), NULL, 'a', 't', '{}', now());",
    )
    .await;
    let unlock = "UPDATE unlocks SET submissions = 2, unlocked_at = now(), reason = 'threshold'";
    for (statement, why) in [
        ("UPDATE unlocks SET unlocked_at = now()", "an unlock has a reason"),
        ("UPDATE audit_log SET action = 'b'", "the audit log is append-only"),
        ("DELETE FROM audit_log", "the audit log is append-only"),
        ("TRUNCATE audit_log", "the audit log is append-only"),
        ("TRUNCATE copy_ledger CASCADE", "the ledger is append-only"),
        ("DELETE FROM unlocks", "the progress of an unlock cannot be deleted"),
        (
            "INSERT INTO accounts VALUES (gen_random_uuid(), 'name', 'name', 'plain', 'player', false, NULL, now())",
            "no password is stored in plain",
        ),
        (
            "INSERT INTO accounts VALUES (gen_random_uuid(), 'name', 'name', '$argon2id$', 'king', false, NULL, now())",
            "a role is one of three",
        ),
        (
            "INSERT INTO cards (id, game_code, set_code, number, created_at, updated_at) \
             VALUES (gen_random_uuid(), 'g', 's', '001', now(), now())",
            "a number names one card of a set",
        ),
    ] {
        assert!(is_refused(&url, statement).await, "{why}");
    }
    sql(&url, unlock).await;
    for statement in [
        "UPDATE unlocks SET unlocked_at = NULL, reason = NULL",
        "UPDATE unlocks SET submissions = 1",
        "DELETE FROM unlocks",
    ] {
        assert!(is_refused(&url, statement).await, "an unlocked card stays unlocked: {statement}");
    }
    let run = "01998d5e-7a35-7c54-b0a0-000000000003";
    let other = "01998d5e-7a35-7c54-b0a0-000000000004";
    let unplanned =
        format!("INSERT INTO copies VALUES ('7K', substr(sha256('y'), 1, 16), '{run}', '{other}')");
    let unplanned_now = format!("UPDATE copies SET printing_id = '{other}'");
    let line_moved = format!("UPDATE print_run_lines SET printing_id = '{other}'");
    let printed = format!("DELETE FROM printings WHERE id = '{run}'");
    sql(
        &url,
        &format!(
            "INSERT INTO accounts VALUES ('{run}', 'name', 'name', '$argon2id$', 'player', false, NULL, now());
             INSERT INTO printings VALUES ('{run}', '00000000-0000-7000-8000-000000000002', 'common', 1);
             INSERT INTO print_runs VALUES ('{run}', '00000000-0000-7000-8000-000000000001', '7K', 'k', 1, 1,
                 'active', sha256('x'), NULL, now(), now());
             INSERT INTO printings VALUES ('{other}', '00000000-0000-7000-8000-000000000002', 'rare', 2);
             INSERT INTO print_run_lines VALUES ('{run}', '{run}', 1);
             INSERT INTO copies VALUES ('7K', substr(sha256('x'), 1, 16), '{run}', '{run}', '{run}', now());
             INSERT INTO decks (id, account_id, game_code, format_code, name, visibility, revision, created_at, updated_at)
                 VALUES ('{run}', '{run}', 'g', 'f', 'D', 'private', 1, now(), now());"
        ),
    )
    .await;
    for (statement, why) in [
        (
            "UPDATE print_runs SET status = 'discarded', activated_at = NULL",
            "an active run stays active",
        ),
        (
            "UPDATE copies SET owner_id = NULL, registered_at = NULL",
            "a registered copy has an owner",
        ),
        ("UPDATE copies SET code_prefix = '8K'", "a copy has the prefix of its run"),
        (unplanned.as_str(), "a new copy has a printing of the plan of its run"),
        (unplanned_now.as_str(), "a copy keeps its printing"),
        (line_moved.as_str(), "a line of a plan keeps its printing"),
        ("DELETE FROM print_run_lines", "the plan of an active run stays"),
        (printed.as_str(), "a printing with copies stays"),
        ("UPDATE decks SET id = gen_random_uuid()", "the entries of a deck refer to its id"),
    ] {
        assert!(is_refused(&url, statement).await, "{why}");
    }
}

/// The migration of copies, ledger entries and disputes from before the ledger was a chain.
#[tokio::test]
async fn the_ledger_migration_numbers_entries_and_gives_registered_copies_ids() {
    let db = TestDb::create().await;
    let url = db.url();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/2026-11-21-000019_copy_ledger");
    let script = |name: &str| std::fs::read_to_string(format!("{folder}/{name}.sql")).unwrap();
    sql(&url, &script("down")).await;
    let id = "01998d5e-7a35-7c54-b0a0-000000000003";
    sql(
        &url,
        &format!(
            "INSERT INTO accounts VALUES ('{id}', 'ada', 'ada', '$argon2id$', 'player', false, NULL, now()),
                 ('01998d5e-7a35-7c54-b0a0-000000000004', 'ben', 'ben', '$argon2id$', 'player', false, NULL, now());
             INSERT INTO games VALUES ('g', 'G', '', 1, now(), now());
             INSERT INTO sets (id, game_code, code, name, hidden, unlock_threshold, created_at, updated_at)
                 VALUES ('{id}', 'g', 's', 'S', true, 2, now(), now());
             INSERT INTO cards (id, game_code, set_code, number, created_at, updated_at)
                 VALUES ('{id}', 'g', 's', '001', now(), now());
             INSERT INTO printings VALUES ('{id}', '{id}', 'common', 1);
             INSERT INTO print_runs VALUES ('{id}', '{id}', '7K', 'k', 2, 2, 'active', sha256('x'), NULL, now(), now());
             INSERT INTO print_run_lines VALUES ('{id}', '{id}', 2);
             INSERT INTO copies VALUES ('7K', substr(sha256('x'), 1, 16), '{id}', '{id}', '{id}', now()),
                 ('7K', substr(sha256('y'), 1, 16), '{id}', '{id}', NULL, NULL);
             -- Clocks of two machines: the claim seems older than the registration.
             INSERT INTO copy_ledger SELECT gen_random_uuid(), code_prefix, code_mac, 'register', '{id}', now() FROM copies WHERE owner_id IS NOT NULL;
             INSERT INTO copy_ledger SELECT gen_random_uuid(), code_prefix, code_mac, 'dispute',
                 '01998d5e-7a35-7c54-b0a0-000000000004', now() - interval '1 second' FROM copies WHERE owner_id IS NOT NULL;"
        ),
    )
    .await;
    sql(&url, &script("up")).await;
    let chain = "SELECT string_agg(position || ' ' || entry || ' ' || (owner_id = '01998d5e-7a35-7c54-b0a0-000000000003'), ', ' ORDER BY position) FROM copy_ledger";
    assert_eq!(db.value(chain).await, "1 register true, 2 dispute true");
    assert_eq!(
        db.value("SELECT string_agg((id IS NOT NULL) || ' ' || (owner_id IS NOT NULL), ', ' ORDER BY owner_id) FROM copies").await,
        "true true, false false"
    );
    assert_eq!(
        db.value("SELECT d.state || ' ' || a.name || ' ' || (l.entry = 'dispute') FROM disputes d JOIN copy_ledger l USING (id) JOIN accounts a ON a.id = claimant_id").await,
        "open ben true"
    );
    assert!(
        is_refused(&url, "UPDATE copy_ledger SET reason = 'x'").await,
        "the ledger is append-only again"
    );
}

/// The database itself enforces that names are unique in a game, unless the manifest of the game allows duplicates.
#[tokio::test]
async fn names_are_unique_if_the_game_demands_it() {
    let db = TestDb::create().await;
    let url = db.url();
    sql(
        &url,
        "INSERT INTO games VALUES ('g', 'G', '', 1, now(), now());
         INSERT INTO sets (id, game_code, code, name, hidden, unlock_threshold, created_at, updated_at)
             VALUES (gen_random_uuid(), 'g', 's', 'S', false, 2, now(), now());
         INSERT INTO cards (id, game_code, set_code, number, created_at, updated_at)
             SELECT gen_random_uuid(), 'g', 's', number, now(), now() FROM unnest('{001,002}'::text[]) AS number;",
    )
    .await;
    let both = "INSERT INTO card_content (card_id, game_code, kind, name, name_key, search_key, attributes, effects, open) \
                SELECT id, 'g', 'k', 'Fox', 'fox', 'fox', '{}', '[]', true FROM cards";
    let unique = |unique: bool| format!("UPDATE games SET unique_names = {unique}");
    assert!(is_refused(&url, both).await);
    sql(&url, &unique(false)).await;
    sql(&url, both).await;
    assert!(is_refused(&url, &unique(true)).await);
    sql(&url, "DELETE FROM card_content WHERE card_id = (SELECT min(id::text)::uuid FROM cards)")
        .await;
    sql(&url, &unique(true)).await;
    // Only the card without content: its name is that of the other card.
    let again = format!("{both} WHERE id NOT IN (SELECT card_id FROM card_content)");
    assert!(is_refused(&url, &again).await);
}

/// Triggers replace foreign keys here: there is no printing without its card, and no content without its printing.
#[tokio::test]
async fn printings_are_deleted_with_their_cards() {
    let db = TestDb::create().await;
    let url = db.url();
    let id = |last: u8| format!("'00000000-0000-7000-8000-{last:012}'");
    let (one, other, printing, second, missing) = (id(1), id(2), id(3), id(4), id(9));
    sql(
        &url,
        &format!(
            "INSERT INTO games VALUES ('g', 'G', '', 1, now(), now());
             INSERT INTO sets (id, game_code, code, name, hidden, unlock_threshold, created_at, updated_at)
                 VALUES ({one}, 'g', 's', 'S', false, 2, now(), now());
             INSERT INTO cards (id, game_code, set_code, number, created_at, updated_at)
                 VALUES ({one}, 'g', 's', '001', now(), now()), ({other}, 'g', 's', '002', now(), now());
             INSERT INTO printings VALUES ({printing}, {one}, 'common', 1), ({second}, {other}, 'common', 1);
             INSERT INTO printing_content VALUES ({printing}, '{{}}'), ({second}, '{{}}');"
        ),
    )
    .await;
    let new = "SET cardscape.printings_of_new_cards = 'on';";
    let rare = format!("INSERT INTO printings VALUES ({missing}, {one}, 'rare', 2)");
    for statement in [
        format!("INSERT INTO printings VALUES ({missing}, {missing}, 'rare', 2)"),
        // The second row is invalid.
        format!(
            "INSERT INTO printings VALUES ({missing}, {one}, 'rare', 2), ({other}, {missing}, 'rare', 2)"
        ),
        format!("{new} INSERT INTO printings VALUES ({missing}, {missing}, 'rare', 2)"),
        format!("INSERT INTO printing_content VALUES ({missing}, '{{}}')"),
        format!("{new} INSERT INTO printing_content VALUES ({missing}, '{{}}')"),
        format!("UPDATE printings SET card_id = {missing} WHERE id = {printing}"),
        format!("UPDATE printings SET id = {missing} WHERE id = {printing}"),
        format!(
            "UPDATE printing_content SET printing_id = {missing} WHERE printing_id = {printing}"
        ),
        format!("UPDATE cards SET id = {missing} WHERE id = {one}"),
        "TRUNCATE cards CASCADE".to_owned(),
        "TRUNCATE printings CASCADE".to_owned(),
        "TRUNCATE print_run_lines CASCADE".to_owned(),
    ] {
        assert!(db.refuses(&statement).await, "{statement}");
    }

    // While a transaction adds a printing to a card, the card cannot be deleted. After that, deleting the card also deletes the new printing.
    let adding = db.session().await;
    adding.batch_execute(&format!("BEGIN; {rare}")).await.unwrap();
    let delete = format!("DELETE FROM cards WHERE id = {one}");
    assert!(db.refuses(&format!("SET lock_timeout = '50ms'; {delete}")).await);
    adding.batch_execute("COMMIT").await.unwrap();
    sql(&url, &delete).await;
    let left = "SELECT string_agg(card_id::text, ' ') FROM printings";
    assert_eq!(db.value(left).await, other.trim_matches('\''));
    let left = "SELECT string_agg(printing_id::text, ' ') FROM printing_content";
    assert_eq!(db.value(left).await, second.trim_matches('\''));

    // While a transaction deletes a card, no printing can be added to it.
    let deleting = db.session().await;
    deleting.batch_execute(&format!("BEGIN; DELETE FROM cards WHERE id = {other}")).await.unwrap();
    let late = db.session().await;
    let pid: i32 = late.query_one("SELECT pg_backend_pid()", &[]).await.unwrap().get(0);
    let insert = format!("INSERT INTO printings VALUES ({missing}, {other}, 'rare', 2)");
    let late = tokio::spawn(async move { late.batch_execute(&insert).await });
    while db
        .number(&format!("SELECT count(*) FROM pg_locks WHERE pid = {pid} AND NOT granted"))
        .await
        == 0
    {
        assert!(!late.is_finished(), "the insert does not wait for the lock");
        tokio::task::yield_now().await;
    }
    deleting.batch_execute("COMMIT").await.unwrap();
    assert!(late.await.unwrap().is_err());
    assert_eq!(db.number("SELECT count(*) FROM printings").await, 0);
    assert_eq!(db.number("SELECT count(*) FROM printing_content").await, 0);
}

/// Whether a constraint or a trigger refuses a statement. Another error, such as that of an unknown column, does not count.
async fn is_refused(url: &str, statement: &str) -> bool {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    let error = client.batch_execute(statement).await.err();
    drop(client);
    let _ = connection.await;
    let code = error.as_ref().and_then(tokio_postgres::Error::code);
    code.is_some_and(|code| code.code().starts_with("23"))
}
