//! The pages of decks.

mod checks;
mod feedback;
mod list_files;
mod own;
mod proxies;
mod public;
mod revisions;

use serde_json::json;

use super::browser::Browser;
use crate::support::{Player, RequestExt as _, TestApp};

async fn start() -> TestApp {
    TestApp::start_seeded(&["ttcg"]).await
}

/// The list of a sample deck of the game.
fn sample(file: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(folder.join("seed-data/games/ttcg/decks").join(file)).unwrap()
}

/// Stores a deck through the API, and returns the path of its page.
async fn store(app: &TestApp, owner: &Player, name: &str, visibility: &str, list: &str) -> String {
    let body = json!({
        "name": name, "format": "ttcg/standard", "visibility": visibility, "list": list,
        "description": "Goes *fast*.\n\n<b>no</b>", "tags": ["aggro"], "folder": "Friday",
    });
    let created = app.post("/v1/decks").by(owner).json(&body).answer().await.expect(201);
    format!("/decks/{}", created["id"].as_str().unwrap())
}
