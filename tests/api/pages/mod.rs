//! Tests of the HTML pages: what they show, what they must not show, and in which form.

mod accounts;
mod admin;
mod browser;
mod cards;
mod collection;
mod copies;
mod decks;
mod designs;
mod errors;
mod escapes;
mod frame;
mod html;
mod links;
mod permissions;
mod repeated_forms;
mod scripts;
mod search;
mod secrets;
mod secrets_of_players;
mod serials;
mod sessions;
mod templates;

use crate::support::{Answer, PASSWORD, Player, RequestExt as _, TestApp};

/// Starts a service with a game that has open and hidden cards. One card of the hidden set is unlocked.
async fn start() -> TestApp {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    unlock(&app, &admin, "003").await;
    app
}

/// Logs in as the admin that [`start`] creates.
async fn admin(app: &TestApp) -> Player {
    app.log_in("the admin", PASSWORD).await
}

/// Unlocks a card of the hidden set by hand.
async fn unlock(app: &TestApp, admin: &Player, number: &str) {
    let card = app.get(&format!("/v1/games/ttcg/sets/veil/cards/{number}")).answer().await;
    let card = card.expect(200);
    let path = format!("/v1/cards/{}/unlock", card["id"].as_str().unwrap());
    let reason = serde_json::json!({ "reason": "Shown on stage." });
    app.post(&path).by(admin).json(&reason).answer().await.expect(200);
}

/// At least one address of every kind of public page. Each answers with the status 200.
const PAGES: [&str; 21] = [
    "/",
    "/games/ttcg",
    "/sets/ttcg/hearth",
    "/sets/ttcg/veil",
    "/cards/ttcg/hearth/001",
    "/cards/ttcg/hearth/001?rarity=mythic_rare",
    "/cards/ttcg/veil/001",
    "/cards/ttcg/veil/003",
    "/search",
    "/search?q=t:fire&game=ttcg&sort=attack&order=desc",
    "/search?q=is:hidden&as=list",
    "/search?q=t:fire&as=text",
    "/search?q=set:veil&as=text",
    "/search?q=nothing-has-this-name",
    "/search?q=atack%3E3+t:fire",
    "/search?q=unique:printings+r:rare",
    "/search/help",
    "/decks",
    "/decks?q=legal:standard&game=ttcg&sort=updated",
    "/designs",
    "/designs?q=status:shared&game=ttcg&sort=rating",
];

async fn page(app: &TestApp, path: &str) -> Answer {
    let page = app.get(path).answer().await;
    assert_eq!(page.status, 200, "{path}: {}", page.text());
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8", "{path}");
    page
}
