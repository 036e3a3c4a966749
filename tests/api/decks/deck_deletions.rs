//! Deleted decks can be restored for thirty days.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::collection::counts::send_during;
use crate::support::{Player, RequestExt as _, TestApp};

async fn stored(app: &TestApp, owner: &Player, visibility: &str) -> String {
    let body = json!({ "name": "n", "format": "ttcg/standard", "visibility": visibility, "list": "2 Kettle Imp" });
    app.post("/v1/decks").by(owner).json(&body).answer().await.header("location")
}

async fn app() -> TestApp {
    TestApp::start_seeded(&["ttcg"]).await
}

async fn delete(app: &TestApp, owner: &Player, path: &str) {
    app.delete(path).by(owner).header("if-match", "*").answer().await.expect(204);
}

#[tokio::test]
async fn a_deleted_deck_is_not_found_and_is_restored_unchanged() {
    let app = app().await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    for visibility in ["public", "unlisted", "private"] {
        let path = stored(&app, &ada, visibility).await;
        let before = app.get(&path).by(&ada).answer().await;
        delete(&app, &ada, &path).await;
        for path in [
            path.clone(),
            format!("{path}/report"),
            format!("{path}/revisions"),
            format!("{path}/revisions/1"),
        ] {
            app.get(&path).by(&ada).answer().await.problem(404, "not_found");
            app.get(&path).answer().await.problem(404, "not_found");
        }
        app.delete(&path).by(&ada).header("if-match", "*").answer().await.problem(404, "not_found");
        let undelete = format!("{path}/undelete");
        app.post(&undelete).by(&eve).answer().await.problem(404, "not_found");
        let list = app.get("/v1/decks?deleted=true").by(&ada).answer().await.expect(200);
        assert_eq!(list["data"].as_array().unwrap().len(), 1);
        assert!(list["data"][0]["deleted_at"].is_string());
        assert_eq!(list["data"][0]["visibility"], visibility, "what an undelete restores");
        assert_eq!(app.get("/v1/decks").by(&ada).answer().await.expect(200)["data"], json!([]));
        for _ in 0..2 {
            let back = app.post(&undelete).by(&ada).answer().await;
            assert_eq!(back.header("etag"), before.header("etag"));
            assert_eq!(back.expect(200), before.json(), "{visibility}");
        }
        let read = app.get(&path).answer().await;
        if visibility == "private" {
            read.problem(404, "not_found");
        } else {
            assert_eq!(read.expect(200)["visibility"], visibility);
        }
        delete(&app, &ada, &path).await;
        app.sql("DELETE FROM decks").await;
    }
}

#[tokio::test]
async fn a_deleted_deck_is_removed_after_thirty_days() {
    let app = app().await;
    let ada = app.player("ada").await;
    let ben = app.player("ben").await;
    let path = stored(&app, &ada, "private").await;
    delete(&app, &ada, &path).await;
    app.clock().advance(TimeDelta::days(30) - TimeDelta::minutes(1));
    let sweep = async || {
        let now = app.clock().now();
        cardscape::store::operations::retention::sweep(app.store(), now).await.unwrap();
    };
    sweep().await;
    assert_eq!(app.db().value("SELECT count(*) FROM decks").await, "1");
    app.clock().advance(TimeDelta::minutes(2));
    let ada = app.log_in(&ada.name, &ada.password).await;
    app.post(&format!("{path}/undelete")).by(&ada).answer().await.problem(404, "not_found");
    app.sql(&report_of(&ben, &ada, "n")).await;
    sweep().await;
    assert_eq!(app.db().value("SELECT count(*) FROM decks").await, "1", "its report waits");
    app.sql("DELETE FROM abuse_reports").await;
    sweep().await;
    let remaining_rows = "SELECT (SELECT count(*) FROM decks) + (SELECT count(*) FROM deck_entries) + (SELECT count(*) FROM deck_revisions)";
    assert_eq!(app.db().value(remaining_rows).await, "0");
}

/// A statement that stores an undecided report about the deck with that name.
fn report_of(reporter: &Player, accused: &Player, name: &str) -> String {
    format!(
        "INSERT INTO abuse_reports (id, reporter_id, accused_id, deck_id, reason, created_at) \
         SELECT gen_random_uuid(), '{}', '{}', id, 'spam', now() FROM decks WHERE name = '{name}'",
        reporter.id, accused.id
    )
}

/// Deleted yesterday, each a minute before the one with the number before.
const DELETED: &str = "now() - interval '1 day' - n * interval '1 minute', 'private'";

/// A statement that stores decks without entries, named by their numbers.
fn decks_of(owner: &Player, deleted: &str, count: u32) -> String {
    format!(
        "INSERT INTO decks (id, account_id, game_code, format_code, name, visibility, revision, created_at, updated_at, deleted_at, visibility_before) \
         SELECT gen_random_uuid(), '{}', 'ttcg', 'standard', 'n' || n, 'private', 1, now(), now(), {deleted} FROM generate_series(1, {count}) AS n",
        owner.id
    )
}

/// The deletion of another deck removes those that were deleted first, but not one that was restored after it had begun.
#[tokio::test]
async fn a_deck_that_is_restored_during_a_deletion_stays() {
    let app = app().await;
    let ada = app.player("ada").await;
    app.sql(&decks_of(&ada, DELETED, 100)).await;
    let path = stored(&app, &ada, "private").await;
    let restore =
        "UPDATE decks SET deleted_at = NULL, visibility_before = NULL WHERE name = 'n100'";
    let deletion = app.delete(&path).by(&ada).header("if-match", "*").answer();
    send_during(&app, restore, deletion).await.expect(204);
    assert_eq!(app.db().value("SELECT count(*)::text FROM decks").await, "101");
}

#[tokio::test]
async fn a_hundred_deleted_decks_are_stored_and_a_full_account_cannot_restore_one() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    app.sql(&decks_of(&ada, DELETED, 100)).await;
    app.sql(&report_of(&ben, &ada, "n100")).await;
    let path = stored(&app, &ada, "private").await;
    delete(&app, &ada, &path).await;
    let names = "SELECT count(*) || ' ' || count(*) FILTER (WHERE name = 'n100') FROM decks";
    assert_eq!(app.db().value(names).await, "101 1", "a report about it waits");
    app.sql("DELETE FROM abuse_reports").await;
    app.post(&format!("{path}/undelete")).by(&ada).answer().await.expect(200);
    delete(&app, &ada, &path).await;
    assert_eq!(app.db().value(names).await, "100 0", "the deck that was deleted first is removed");
    app.sql(&decks_of(&ada, "NULL, NULL", 1_000)).await;
    let refused = app.post(&format!("{path}/undelete")).by(&ada).answer().await;
    refused.problem(409, "too_many_decks");
    let page: Value =
        app.get("/v1/decks?deleted=true&limit=200").by(&ada).answer().await.expect(200);
    assert_eq!(page["data"].as_array().unwrap().len(), 100);
}
