//! Tests of decks: storage, reading, comparison, and reports for formats.

mod deck_availability;
mod deck_cards;
mod deck_comments;
mod deck_deletions;
mod deck_edits;
mod deck_files;
mod deck_likes;
mod deck_lists;
mod deck_masks;
mod deck_reports;
mod deck_reservations;
mod deck_revisions;
mod deck_statistics;
mod deck_takedowns;
mod deck_texts;
mod deck_trades;
mod deck_watches;
mod followed_authors;
pub mod permissions;
pub mod public_decks;

use serde_json::{Value, json};

use crate::support::{Player, RequestExt as _, TestApp};

/// Stores a deck of one card, and returns its path.
async fn stored(app: &TestApp, owner: &Player, name: &str, visibility: &str) -> String {
    let body = json!({ "name": name, "format": "ttcg/standard", "visibility": visibility, "list": "1 Kettle Imp" });
    stored_as(app, owner, &body).await
}

/// Stores a deck, and returns its path.
async fn stored_as(app: &TestApp, owner: &Player, body: &Value) -> String {
    let answer = app.post("/v1/decks").by(owner).json(body).answer().await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.header("location")
}

/// Replaces a deck that `stored` has created, with another visibility.
async fn show(app: &TestApp, owner: &Player, path: &str, visibility: &str) {
    let deck = app.get(path).by(owner).answer().await.expect(200);
    let body = json!({ "name": deck["name"], "format": "ttcg/standard", "visibility": visibility, "list": "1 Kettle Imp" });
    app.put(path).by(owner).header("if-match", "*").json(&body).answer().await.expect(200);
}

/// A service with cards.
async fn app() -> TestApp {
    TestApp::start_seeded(&["ttcg"]).await
}
