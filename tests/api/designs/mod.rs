//! Card designs: checks, revisions, sharing, the gallery.

mod abuse_reports;
mod artwork_of_designs;
mod artworks;
mod banned_authors;
mod card_artworks;
mod design_checks;
mod design_comments;
mod design_lifecycle;
mod design_lists;
mod design_ratings;
mod design_releases;
mod design_reviews;
mod design_suggestions;
mod design_toolkit;
mod gallery;
mod gallery_search;
mod listed_designs;
pub mod permissions;
#[path = "../../../crates/artwork/tests/artwork/support.rs"]
#[allow(dead_code, reason = "the tests of the library use all of it")]
pub mod pictures;
mod reserved_names;
mod revisions;
mod suggested_changes;

use serde_json::{Value, json};

use crate::support::{Answer, Player, RequestExt as _, TestApp};

/// A valid card of the game ttcg, as a design.
pub fn heron(name: &str) -> Value {
    json!({
        "game": "ttcg", "name": name, "kind": "unit",
        "attributes": { "type": "earth", "rank": 1, "subtypes": ["beast"], "attack": 200, "defense": 300 },
        "effects": [
            { "style": "passive", "text": "After this card attacks, return it to your hand." },
            { "style": "normal", "text": "Discard one spell to gain 1 point." },
        ],
        "licence": "release-1",
    })
}

/// A design with changed members. The value `null` removes a member.
fn changed(mut design: Value, changes: &Value) -> Value {
    for (name, value) in changes.as_object().unwrap() {
        if value.is_null() {
            design.as_object_mut().unwrap().remove(name);
        } else {
            design[name] = value.clone();
        }
    }
    design
}

pub async fn app() -> TestApp {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    app.seed_effect_texts("ttcg").await;
    app
}

async fn create(app: &TestApp, author: &Player, design: &Value) -> Answer {
    app.post("/v1/designs").by(author).json(design).answer().await
}

/// Creates a design and returns its path.
pub async fn begun(app: &TestApp, author: &Player, design: &Value) -> String {
    let answer = create(app, author, design).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.header("location")
}

/// Uploads a picture.
pub async fn upload(app: &TestApp, by: &Player, media_type: &str, file: Vec<u8>) -> Answer {
    let request = app.post("/v1/artworks").by(by).header("content-type", media_type);
    request.body(file).answer().await
}

/// Uploads a picture that is different for each number, and returns its id.
async fn uploaded(app: &TestApp, by: &Player, number: u32) -> String {
    let picture = pictures::file(&pictures::gradient(240 + number, 200), image::ImageFormat::Png);
    let artwork = upload(app, by, "image/png", picture).await;
    assert!(matches!(artwork.status, 200 | 201), "{}", artwork.text());
    artwork.json()["id"].as_str().unwrap().to_owned()
}

async fn put(app: &TestApp, author: &Player, path: &str, tag: &str, design: &Value) -> Answer {
    app.put(path).by(author).header("if-match", tag).json(design).answer().await
}

/// Does a step (`share`, `submit`, `withdraw`) with the current version of a design.
pub async fn step(app: &TestApp, author: &Player, path: &str, step: &str) -> Answer {
    let tag = app.get(path).by(author).answer().await.header("etag");
    app.post(&format!("{path}/{step}")).by(author).header("if-match", tag).answer().await
}

/// Shares a design with a change that another player suggested, and returns its path.
pub async fn contributed(app: &TestApp, author: &Player, by: &Player, name: &str) -> String {
    let path = shared(app, author, &heron(name)).await;
    let better = changed(heron(name), &json!({ "flavour": "It waits." }));
    let suggestion = json!({ "revision": 1, "message": "Like this?", "design": better });
    let suggested = app.post(&format!("{path}/suggestions")).by(by).json(&suggestion);
    let suggested = suggested.answer().await.header("location");
    let taken = app.post(&format!("{suggested}/take")).by(author).header("if-match", "*");
    taken.answer().await.expect(200);
    path
}

/// Replaces a part of the effect texts of the game ttcg, which may have none yet.
pub async fn put_effect_texts(app: &TestApp, admin: &Player, part: &str, body: &Value) {
    let known = app.get("/v1/games/ttcg/effect-templates").answer().await;
    let edit = app.put(&format!("/v1/games/ttcg/{part}")).by(admin).json(body);
    let edit =
        if known.status == 200 { edit.header("if-match", known.header("etag")) } else { edit };
    edit.answer().await.expect(200);
}

/// Replaces the templates of the game ttcg.
pub async fn put_templates(app: &TestApp, admin: &Player, templates: &[&str]) {
    put_effect_texts(app, admin, "effect-templates", &json!({ "templates": templates })).await;
}

/// Creates a design, shares it, and returns its path.
pub async fn shared(app: &TestApp, author: &Player, design: &Value) -> String {
    let path = begun(app, author, design).await;
    step(app, author, &path, "share").await.expect(200);
    path
}
