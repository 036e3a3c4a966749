//! The pages of decks.

mod checks;
mod own;
mod public;

use reqwest::RequestBuilder;
use serde_json::json;

use crate::support::{Answer, PASSWORD, Player, RequestExt as _, TestApp};

/// A browser: keeps one cookie, and says of its forms that they come from this service.
struct Browser<'a> {
    app: &'a TestApp,
    cookie: Option<String>,
}

impl<'a> Browser<'a> {
    /// One in which nobody is logged in.
    fn new(app: &'a TestApp) -> Self {
        Self { app, cookie: None }
    }

    /// One that is logged in.
    async fn of(app: &'a TestApp, name: &str) -> Self {
        let mut browser = Self::new(app);
        let answer = browser.send("/login", &[("name", name), ("password", PASSWORD)]).await;
        assert_eq!(answer.status, 303, "{}", answer.text());
        let set = answer.header("set-cookie");
        browser.cookie = Some(set.split_once(';').unwrap().0.to_owned());
        browser
    }

    async fn get(&self, path: &str) -> Answer {
        let cookie = self.cookie.as_deref().unwrap_or_default();
        self.app.get(path).header("cookie", cookie).answer().await
    }

    async fn send(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let cookie = self.cookie.as_deref().unwrap_or_default();
        let request = self.app.post(path).header("sec-fetch-site", "same-origin");
        sent(request.header("cookie", cookie), fields).answer().await
    }
}

/// A request with the fields of a form.
pub fn sent(request: RequestBuilder, fields: &[(&str, &str)]) -> RequestBuilder {
    let mut body = form_urlencoded::Serializer::new(String::new());
    body.extend_pairs(fields);
    request.header("content-type", "application/x-www-form-urlencoded").body(body.finish())
}

async fn start() -> TestApp {
    let app = TestApp::start().await;
    app.seed(&["ttcg"]).await;
    app
}

/// A sample deck of the game.
fn sample(file: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(folder.join("seed-data/games/ttcg/decks").join(file)).unwrap()
}

/// Stores a deck over the API; its page.
async fn store(app: &TestApp, owner: &Player, name: &str, visibility: &str, list: &str) -> String {
    let body = json!({
        "name": name, "format": "ttcg/standard", "visibility": visibility, "list": list,
        "description": "Goes *fast*.\n\n<b>no</b>", "tags": ["aggro"], "folder": "Friday",
    });
    let made = app.post("/v1/decks").by(owner).json(&body).answer().await.expect(201);
    format!("/decks/{}", made["id"].as_str().unwrap())
}
