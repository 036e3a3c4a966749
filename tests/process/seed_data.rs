//! A start loads changed files of seed data beside manifests that were changed in the database.

use super::two_services::TwoServices;
use super::*;

/// The lore of the first card of Emojito!, as a service answers it.
async fn lore(base: &str) -> Value {
    let cards = reqwest::get(format!("{base}/v1/cards?game=emojito&limit=1")).await.unwrap();
    cards.json::<Value>().await.unwrap()["data"][0]["lore"].clone()
}

async fn connect(address: &str) -> tokio_postgres::Client {
    let (client, driver) = tokio_postgres::connect(address, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(driver);
    client
}

/// Changes the manifest of Emojito! to one that breaks a rule which holds only for new manifests.
const OLDER_MANIFEST: &str = "UPDATE games SET revision = revision + 1, \
    manifest = replace(manifest, 'Players act', 'Players \\u202Eact') WHERE code = 'emojito'";

const HAS_OLDER_MANIFEST: &str =
    "SELECT count(*) FROM games WHERE code = 'emojito' AND strpos(manifest, '\\u202E') > 0";

/// Otherwise, no file of the folder would be loaded after an upgrade that adds such a rule.
#[tokio::test]
async fn a_changed_set_file_is_loaded_beside_a_stored_manifest_from_before_a_rule() {
    let home = Home::new();
    let start = |name: &str, lore: &str| {
        let folder = emojito_with_lore(&home, name, lore);
        home.serve_with(&["--seed-data", folder.to_str().unwrap()])
    };
    let service = start("first", "Old.");
    let socket = home.0.join("run");
    let address = format!("host={} user=cardscape dbname=cardscape", socket.display());
    connect(&address).await.batch_execute(OLDER_MANIFEST).await.unwrap();
    service.stop(Signal::TERM);
    let service = start("release", "New.");
    assert_eq!(lore(&service.base).await, "New.");
    let stored = connect(&address).await.query_one(HAS_OLDER_MANIFEST, &[]).await.unwrap();
    assert_eq!(stored.get::<_, i64>(0), 1);
    let log = service.stop(Signal::TERM);
    assert!(log.contains("the stored manifest stays"), "{log}");
    assert!(log.contains("seed data loaded") && !log.contains("seed data refused"), "{log}");
}

/// A start that waits for an import of another instance reads the manifest again that this import has stored.
#[tokio::test]
async fn a_start_does_not_undo_a_change_of_the_manifest_that_is_made_meanwhile() {
    let home = Home::new();
    let folder = emojito_with_lore(&home, "folder", "Old.");
    let two = TwoServices::start(&["--seed-data", folder.to_str().unwrap()]);
    // Only the start of the first one may wait for the lock of imports.
    two.services[1].child.lock().unwrap().kill().unwrap();
    emojito_with_lore(&home, "folder", "New.");
    let importer = connect(&two.database).await;
    importer.batch_execute("BEGIN; SELECT pg_advisory_xact_lock(7233172002)").await.unwrap();
    let two = std::sync::Arc::new(two);
    let starting = two.clone();
    let started = tokio::task::spawn_blocking(move || starting.services[0].kill_and_restart());
    let waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted \
                   AND (classid, objid) = ('1', '2938204706')";
    within(Duration::from_mins(1), "a start waits for the import", async || {
        importer.query_one(waiting, &[]).await.unwrap().get::<_, i64>(0) > 0
    })
    .await;
    importer.batch_execute(OLDER_MANIFEST).await.unwrap();
    importer.batch_execute("COMMIT").await.unwrap();
    started.await.unwrap();
    assert_eq!(lore(&format!("http://{}", two.services[0].address)).await, "New.");
    let stored = importer.query_one(HAS_OLDER_MANIFEST, &[]).await.unwrap();
    assert_eq!(stored.get::<_, i64>(0), 1);
}
