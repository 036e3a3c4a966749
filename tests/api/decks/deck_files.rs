//! Public decks in bulk files: the public view of the decks, and mirrors that follow the change feed.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::deck_reports::sample;
use super::{show, stored, stored_as};
use crate::catalogue::bulk_files::unpack;
use crate::support::{RequestExt as _, TestApp, text};

const DECKS: &str = "/v1/bulk-files/ttcg-decks.ndjson.gz";

/// The lines of the file, by the ids of their decks.
pub(super) async fn lines(app: &TestApp) -> BTreeMap<String, Value> {
    let answer = app.get(DECKS).answer().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let text_of = unpack(&answer.bytes);
    let lines = text_of.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|line| (text(&line, "id"), line)).collect()
}

/// The expected line of a deck, built from the answers of the API to an anonymous client.
async fn line_of(app: &TestApp, id: &str) -> Option<Value> {
    let answer = app.get(&format!("/v1/decks/{id}")).answer().await;
    if answer.status == 404 {
        return None;
    }
    let mut deck = answer.expect(200);
    let listed = app.get("/v1/public-decks?limit=200").answer().await.expect(200);
    let of_id = |listed: &&Value| listed["id"] == id;
    let listed = listed["data"].as_array().unwrap().iter().find(of_id)?;
    let line = deck.as_object_mut().unwrap();
    for left_out in ["likes", "comment_count", "unread_lines"] {
        line.remove(left_out).unwrap();
    }
    for member in ["author", "published_at"] {
        assert_eq!(line[member], listed[member], "{member}");
    }
    Some(deck)
}

fn id_of(path: &str) -> String {
    path.rsplit('/').next().unwrap().to_owned()
}

async fn entry(app: &TestApp) -> Value {
    let files = app.get("/v1/bulk-files").answer().await.expect(200);
    let of_decks = |file: &&Value| file["name"] == "ttcg-decks.ndjson.gz";
    files["data"].as_array().unwrap().iter().find(of_decks).expect("a file of decks").clone()
}

#[tokio::test]
async fn the_file_has_the_public_view_of_public_decks() {
    let app = TestApp::start_seeded(&["ttcg", "emojo-dojo"]).await;
    let (ada, eve, admin) = (app.player("ada").await, app.player("eve").await, app.admin().await);
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;
    let (format, list) = sample("ttcg", "legal-embers-and-bones.txt");
    let body = json!({ "name": "Embers \"&\" Bones", "format": format, "visibility": "public", "list": list, "tags": ["aggro"],
                       "description": "Goes *fast*.", "folder": "mine" });
    let public = stored_as(&app, &ada, &body).await;
    let held = json!({ "name": "held", "format": "ttcg/standard", "visibility": "public", "list": "2 Drowned Lantern\n1 Kettle Imp\n99999 x" });
    let held = stored_as(&app, &ada, &held).await;
    let guess = json!({ "name": "guess", "format": "ttcg/standard", "visibility": "public", "list": "2 Drowned Lantern" });
    let guess = stored_as(&app, &eve, &guess).await;
    let copied = app.post(&format!("{public}/clones")).by(&eve);
    let copied = copied.answer().await.header("location");
    show(&app, &eve, &copied, "public").await;
    stored(&app, &eve, "private", "private").await;
    stored(&app, &eve, "unlisted", "unlisted").await;
    let deleted = stored(&app, &eve, "deleted", "public").await;
    app.delete(&deleted).by(&eve).header("if-match", "*").answer().await.expect(204);
    let other = json!({ "name": "other game", "format": "emojo-dojo/box", "visibility": "public", "entries": [] });
    stored_as(&app, &eve, &other).await;
    app.build_bulk_files().await;

    let found = lines(&app).await;
    let mut expected: Vec<String> =
        [&public, &held, &guess, &copied].map(|path| id_of(path)).into();
    expected.sort();
    assert_eq!(found.keys().cloned().collect::<Vec<_>>(), expected);
    for (id, line) in &found {
        assert_eq!(Some(line), line_of(&app, id).await.as_ref());
    }
    assert_eq!(found[&id_of(&copied)]["cloned_from"]["deck_id"], id_of(&public));
    let masked = &found[&id_of(&held)]["entries"][0];
    assert_eq!(
        (&masked["hidden"], &masked["name"], &masked["number"]),
        (&json!(true), &json!(""), &json!("003"))
    );
    assert!(!found[&id_of(&held)].to_string().contains("Drowned"));
    assert_eq!(found[&id_of(&guess)]["entries"][0]["name"], "Drowned Lantern");
    let deck_file = entry(&app).await;
    assert_eq!((&deck_file["rows"], &deck_file["type"]), (&json!(4), &json!("decks")));

    // An account that sees hidden cards gets the same bytes, and a second build produces the same bytes.
    let bytes = app.get(DECKS).answer().await.bytes;
    assert!(app.get(DECKS).by(&ada).answer().await.bytes == bytes);
    app.sql("DELETE FROM bulk_files").await;
    app.build_bulk_files().await;
    assert!(app.get(DECKS).answer().await.bytes == bytes);

    // After the unlock of the card, the file shows its name.
    let card = app.get("/v1/games/ttcg/sets/veil/cards/003").answer().await.expect(200);
    let unlock = app.post(&format!("/v1/cards/{}/unlock", text(&card, "id"))).by(&admin);
    unlock.json(&json!({ "reason": "shown" })).answer().await.expect(200);
    app.build_bulk_files().await;
    assert_eq!(lines(&app).await[&id_of(&held)]["entries"][0]["name"], "Drowned Lantern");

    // The decks of a banned account are removed from the file, and come back after the ban.
    let ban = app.patch(&format!("/v1/accounts/{}", eve.id)).by(&admin);
    ban.json(&json!({ "banned": true })).answer().await.expect(200);
    app.build_bulk_files().await;
    let mut of_ada = [id_of(&public), id_of(&held)];
    of_ada.sort();
    assert_eq!(lines(&app).await.into_keys().collect::<Vec<_>>(), of_ada);
    let unban = app.patch(&format!("/v1/accounts/{}", eve.id)).by(&admin);
    unban.json(&json!({ "banned": false })).answer().await.expect(200);
    app.build_bulk_files().await;
    assert_eq!(lines(&app).await.into_keys().collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn zones_and_rarities_of_older_versions_have_their_codes() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let body = json!({ "name": "n", "format": "ttcg/standard", "visibility": "public", "list": "2 Kettle Imp {ultra_rare}" });
    let path = stored_as(&app, &ada, &body).await;
    app.sql("UPDATE deck_entries SET rarity = 'Ultra Rare', zone = 'Deck'").await;
    app.build_bulk_files().await;
    let line = lines(&app).await.remove(&id_of(&path)).unwrap();
    assert_eq!(line["entries"][0]["rarity"], "ultra_rare", "{line:#}");
    assert_eq!(line["entries"][0]["zone"], "main", "{line:#}");
    assert_eq!(Some(line), line_of(&app, &id_of(&path)).await);
}

#[tokio::test]
async fn a_mirror_follows_the_change_feed_from_the_file() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let mut paths = Vec::new();
    for at in 0..5 {
        paths.push(stored(&app, &ada, &format!("Deck {at}"), "public").await);
    }
    app.build_bulk_files().await;
    let mut mirror = lines(&app).await;
    let mut seq = entry(&app).await["change_seq"].clone();
    let before = entry(&app).await;

    stored(&app, &ada, "New", "public").await;
    show(&app, &ada, &paths[0], "private").await;
    let body = json!({ "name": "Changed", "format": "ttcg/standard", "visibility": "public", "list": "2 Kettle Imp" });
    app.put(&paths[1]).by(&ada).header("if-match", "*").json(&body).answer().await.expect(200);
    app.delete(&paths[2]).by(&ada).header("if-match", "*").answer().await.expect(204);
    app.build_bulk_files().await;
    loop {
        let page = app.get(&format!("/v1/changes?game=ttcg&after={seq}&limit=2")).answer().await;
        let page = page.expect(200);
        for event in page["data"].as_array().unwrap() {
            let Some(id) = event["deck"].as_str() else { continue };
            match line_of(&app, id).await {
                Some(line) => mirror.insert(id.to_owned(), line),
                None => mirror.remove(id),
            };
        }
        if page["next_after"] == page["newest"] {
            break;
        }
        seq = page["next_after"].clone();
    }
    assert_eq!(mirror, lines(&app).await);
    assert_eq!(mirror.len(), 4);
    let after = entry(&app).await;
    assert!(after["change_seq"].as_i64() > before["change_seq"].as_i64());
    assert_ne!(after["sha256"], before["sha256"]);

    // No deck of the game has changed: the version stays the same, and its `change_seq` rises with the changes of another game.
    app.seed(&["emojito"]).await;
    app.build_bulk_files().await;
    let later = entry(&app).await;
    assert_eq!(later["sha256"], after["sha256"]);
    assert!(later["change_seq"].as_i64() > after["change_seq"].as_i64());
    // The file is built again on another day, because older instances of the program ban owners without an event.
    let built_at = "SELECT extract(epoch FROM built_at)::bigint FROM bulk_files WHERE kind = 'decks' AND game_code = 'ttcg' AND is_current";
    let first = app.db().number(built_at).await;
    app.clock().advance(TimeDelta::days(1));
    app.build_bulk_files().await;
    assert!(app.db().number(built_at).await > first);
}

#[tokio::test]
async fn older_releases_do_not_list_or_delete_deck_files() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    stored(&app, &ada, "Deck", "public").await;
    app.build_bulk_files().await;
    let shown = "SELECT count(*) FROM bulk_files WHERE replaced_at IS NULL AND kind = 'decks'";
    assert_eq!(app.db().number(shown).await, 0);
    let due = "SELECT count(*) FROM bulk_files WHERE replaced_at < '9999-12-31'";
    assert_eq!(app.db().number(due).await, 0, "an older release does not delete the files");
    stored(&app, &ada, "Another", "public").await;
    app.build_bulk_files().await;
    assert_eq!(app.db().number(due).await, 1, "the previous version is due for deletion");
    app.clock().advance(TimeDelta::hours(2));
    app.build_bulk_files().await;
    assert_eq!(app.db().number(due).await, 0);
    assert_eq!(lines(&app).await.len(), 2);
}

#[tokio::test]
async fn an_unreadable_deck_does_not_remove_other_decks_from_the_file() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let broken = stored(&app, &ada, "Broken", "public").await;
    stored(&app, &ada, "Whole", "public").await;
    app.sql(&format!("UPDATE decks SET format_code = 'no format' WHERE id = '{}'", id_of(&broken)))
        .await;
    app.build_bulk_files().await;
    let names: Vec<String> = lines(&app).await.values().map(|line| text(line, "name")).collect();
    assert_eq!(names, ["Whole"]);
}
