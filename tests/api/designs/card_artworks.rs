//! The artwork of a design on the released card: who sees it, and when it is removed.

use serde_json::{Value, json};

use super::abuse_reports::report_design;
use super::design_releases::{approve, release};
use super::{app, begun, changed, heron, put, uploaded};
use crate::catalogue::card_cache::PLACE;
use crate::catalogue::card_pictures::{path_of, wait_until_cached};
use crate::support::{Answer, Player, RequestExt as _, TestApp, in_memory};

fn heron_with(artwork: &str) -> Value {
    changed(heron("Lantern Heron"), &json!({ "artwork": { "id": artwork } }))
}

/// Creates an approved design that was never shared, and whose first revision showed another artwork.
/// Returns its path, and the artworks of the first and of the approved revision.
async fn approved(app: &TestApp, author: &Player, mod_: &Player) -> (String, [String; 2]) {
    let artworks = [uploaded(app, author, 1).await, uploaded(app, author, 2).await];
    let path = begun(app, author, &heron_with(&artworks[0])).await;
    put(app, author, &path, "\"r1\"", &heron_with(&artworks[1])).await.expect(200);
    approve(app, author, mod_, &path).await;
    (path, artworks)
}

/// Releases a design with the number 900, and returns the path of the card.
async fn card_of(app: &TestApp, admin: &Player, path: &str, set: &str) -> String {
    let released =
        release(app, admin, path, &json!({ "set": set, "number": "900" })).await.expect(201);
    format!("/v1/cards/{}", released["card"].as_str().unwrap())
}

async fn get(app: &TestApp, by: Option<&Player>, path: &str) -> Answer {
    let request = app.get(path);
    let request = if let Some(by) = by { request.by(by) } else { request };
    request.answer().await
}

/// Whether a reader sees the artwork on the card. All answers must agree.
async fn sees(app: &TestApp, by: Option<&Player>, card: &str, artwork: &str) -> bool {
    let uri = format!("/v1/artworks/{artwork}");
    let answer = get(app, by, card).await.expect(200);
    let full = answer["image_uris"].get("artwork").is_some_and(|full| *full == uri);
    let small = answer["image_uris"].get("artwork_small").is_some();
    let picture = get(app, by, &format!("{card}/picture")).await;
    let drawn = picture.text().contains("data:image/");
    assert_eq!((full, small), (drawn, drawn), "{answer}");
    drawn
}

async fn status(app: &TestApp, by: Option<&Player>, artwork: &str) -> u16 {
    get(app, by, &format!("/v1/artworks/{artwork}?size=small")).await.status
}

async fn unlock(app: &TestApp, admin: &Player, card: &str) {
    let request = app.post(&format!("{card}/unlock")).by(admin);
    request.json(&json!({ "reason": "Launch." })).answer().await.expect(200);
}

#[tokio::test]
async fn a_hidden_card_shows_its_artwork_to_those_who_see_the_card() {
    let app = app().await;
    let (ada, bob, eve, mod_) = (
        app.player("ada").await,
        app.player("bob").await,
        app.player("eve").await,
        app.moderator().await,
    );
    let admin = app.admin().await;
    let (path, [first, artwork]) = approved(&app, &ada, &mod_).await;
    let card = card_of(&app, &admin, &path, "veil").await;
    app.give_copy(&bob.id, "ttcg", "veil", "900").await;

    // For all other accounts, also for the author, the card looks like any other hidden card.
    let plain = app.get("/v1/games/ttcg/sets/veil/cards/001").answer().await.expect(200);
    let plain = plain["id"].as_str().unwrap().to_owned();
    let id = card.trim_start_matches("/v1/cards/");
    for by in [None, Some(&eve), Some(&ada)] {
        let hidden = get(&app, by, &card).await.expect(200);
        let other = get(&app, by, &format!("/v1/cards/{plain}")).await.expect(200);
        let uris = other["image_uris"].to_string().replace(&plain, id);
        assert_eq!(hidden["image_uris"].to_string(), uris);
        let back = get(&app, by, &format!("/v1/cards/{plain}/picture")).await;
        let picture = get(&app, by, &format!("{card}/picture")).await;
        assert_eq!((picture.header("etag"), picture.text()), (back.header("etag"), back.text()));
    }
    for by in [None, Some(&eve)] {
        assert_eq!(status(&app, by, &artwork).await, 404);
    }
    // The author can read the file because she uploaded it. This reveals nothing about the card.
    assert_eq!(status(&app, Some(&ada), &artwork).await, 200);
    for by in [&bob, &mod_] {
        assert!(sees(&app, Some(by), &card, &artwork).await);
        let file = get(&app, Some(by), &format!("/v1/artworks/{artwork}")).await;
        assert_eq!(
            (file.status, file.header("cache-control").as_str()),
            (200, "private, no-store")
        );
        let picture = get(&app, Some(by), &format!("{card}/picture")).await;
        assert_eq!(picture.header("cache-control"), "private, no-store");
        // The artwork of an earlier revision does not belong to the card.
        assert_eq!(status(&app, Some(by), &first).await, 404);
    }
    // A token that cannot see hidden cards cannot see their artwork.
    let token = json!({ "name": "small", "scopes": ["decks:read"] });
    let token = app.post("/v1/tokens").by(&bob).json(&token).answer().await.expect(201);
    let small = Player { access_token: token["secret"].as_str().unwrap().to_owned(), ..bob };
    assert_eq!(status(&app, Some(&small), &artwork).await, 404);

    unlock(&app, &admin, &card).await;
    for by in [None, Some(&eve), Some(&ada)] {
        assert!(sees(&app, by, &card, &artwork).await);
    }
    let file = get(&app, None, &format!("/v1/artworks/{artwork}")).await;
    assert_eq!((file.status, file.header("cache-control").as_str()), (200, "public, max-age=300"));
    assert_eq!(status(&app, None, &first).await, 404);
    let listed = app.get("/v1/cards?q=\"lantern heron\"").answer().await.expect(200);
    assert_eq!(listed["data"][0]["image_uris"]["artwork"], format!("/v1/artworks/{artwork}"));
}

/// The author cannot delete the artwork of a card. A moderator can take it down.
#[tokio::test]
async fn only_moderators_remove_the_artwork_of_a_card() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let admin = app.admin().await;
    let (path, [_, artwork]) = approved(&app, &ada, &mod_).await;
    let card = card_of(&app, &admin, &path, "hearth").await;
    assert!(sees(&app, None, &card, &artwork).await);
    let delete = app.delete(&format!("/v1/me/artworks/{artwork}")).by(&ada);
    delete.answer().await.problem(409, "artwork_in_use");
    // A ban of the author hides the design, but not the card, because the card belongs to the game.
    app.sql(&format!("UPDATE accounts SET banned_at = created_at WHERE id = '{}'", ada.id)).await;
    assert_eq!(get(&app, None, &path).await.status, 404);
    assert!(sees(&app, None, &card, &artwork).await);
    assert_eq!(status(&app, None, &artwork).await, 200);
    app.sql("UPDATE accounts SET banned_at = NULL").await;

    let pictures = ["picture", "picture?format=png"].map(|last| format!("{card}/{last}"));
    let look = async |known: &[Answer]| {
        let mut seen = Vec::new();
        for (at, path) in pictures.iter().enumerate() {
            let tag = known.get(at).map_or_else(String::new, |known| known.header("etag"));
            seen.push(app.get(path).header("if-none-match", tag).answer().await);
        }
        seen
    };
    let before = look(&[]).await;
    let report = report_design(&app, &bob, &path).await;
    let decide = async |decision: &str, artwork: bool| {
        let body = json!({ "decision": decision, "note": "From a book.", "artwork": artwork });
        let path = format!("/v1/abuse-reports/{report}/decide");
        app.post(&path).by(&mod_).json(&body).answer().await.expect(200);
    };
    decide("upheld", false).await;
    assert!(sees(&app, None, &card, &artwork).await, "only the design was taken down");
    decide("upheld", true).await;
    let without = look(&before).await;
    for (with, without) in before.iter().zip(&without) {
        assert_eq!(without.status, 200);
        assert_ne!(with.header("etag"), without.header("etag"));
    }
    assert!(!without[0].text().contains("data:image/"));
    for by in [None, Some(&ada), Some(&mod_)] {
        assert_eq!(status(&app, by, &artwork).await, 410);
    }
    decide("dismissed", true).await;
    let again = look(&[]).await;
    for (with, again) in before.iter().zip(&again) {
        assert_eq!((with.header("etag"), &with.bytes), (again.header("etag"), &again.bytes));
    }
    assert!(sees(&app, None, &card, &artwork).await);
}

/// What a card shows of its design changes with decisions about the design and its author; the cached answers of every instance follow, and so do lists.
#[tokio::test]
async fn cached_cards_follow_takedowns_of_artwork_and_bans_of_authors() {
    let app = TestApp::start_seeded_with(&["ttcg"], in_memory).await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let admin = app.admin().await;
    let (path, [_, artwork]) = approved(&app, &ada, &mod_).await;
    let card = card_of(&app, &admin, &path, "hearth").await;
    let hidden = begun(&app, &ada, &heron("Slate Otter")).await;
    approve(&app, &ada, &mod_, &hidden).await;
    card_of(&app, &admin, &hidden, "veil").await;
    let other = app.second_instance_in_memory().await;
    let report = report_design(&app, &bob, &path).await;
    let shown = async |app: &TestApp| {
        app.catch_up().await;
        let mut shown = Vec::new();
        for path in [card.as_str(), "/v1/cards?q=\"lantern heron\""] {
            let answer = app.get(path).answer().await.expect(200);
            let card = if answer["data"].is_array() { &answer["data"][0] } else { &answer };
            let uris = &card["image_uris"];
            assert_eq!(uris.get("artwork").is_some(), uris.get("artwork_small").is_some());
            shown.push((uris.get("artwork").cloned(), card.get("designed_by").cloned()));
        }
        assert_eq!(shown[0], shown[1]);
        shown.remove(0)
    };
    let both = async || {
        // The second answer comes from the cache.
        shown(&app).await;
        let (here, there) = (shown(&app).await, shown(&other).await);
        assert_eq!(here, there);
        here
    };
    let decide_about = async |decision: &str, artwork: bool| {
        let body = json!({ "decision": decision, "note": "From a book.", "artwork": artwork });
        let path = format!("/v1/abuse-reports/{report}/decide");
        app.post(&path).by(&mod_).json(&body).answer().await.expect(200);
    };
    let decide = async |decision: &str| decide_about(decision, true).await;
    let ban = async |banned: bool| {
        let change = app.patch(&format!("/v1/accounts/{}", ada.id)).by(&admin);
        change.json(&json!({ "banned": banned })).answer().await.expect(200);
    };
    let changes =
        async || app.db().number("SELECT count(*) FROM events WHERE kind = 'card.changed'").await;
    let before = both().await;
    assert_eq!(before.0, Some(json!(format!("/v1/artworks/{artwork}"))));
    assert_eq!(before.1.as_ref().unwrap()["author"], "ada");
    let at_first = changes().await;
    decide("upheld").await;
    // Nobody can read the design, so the card does not name its author.
    assert_eq!(both().await, (None, None));
    let text = app.get(&card).header("accept", "text/plain").answer().await;
    assert!(!text.text().contains("designed by"), "{}", text.text());
    decide("dismissed").await;
    assert_eq!(both().await, before);
    decide_about("upheld", false).await;
    assert_eq!(both().await, (before.0.clone(), None), "the card keeps its artwork");
    // The same decision once more changes no card.
    decide_about("upheld", false).await;
    decide_about("dismissed", false).await;
    decide_about("dismissed", false).await;
    assert_eq!(both().await, before);
    ban(true).await;
    assert_eq!(both().await, (before.0.clone(), None));
    let text = app.get(&card).header("accept", "text/plain").answer().await;
    assert!(!text.text().contains("designed by"), "{}", text.text());
    ban(false).await;
    assert_eq!(both().await, before);
    // One for each decision that changed something; none for the hidden card, because they would reveal who designed it.
    assert_eq!(changes().await - at_first, 6);
}

/// A takedown is in the change feed, which is read a moment later: a cached picture would show the artwork until then.
#[tokio::test]
async fn a_picture_with_artwork_is_not_cached() {
    let app = TestApp::start_seeded_with(&["ttcg"], in_memory).await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let (path, _) = approved(&app, &ada, &mod_).await;
    let picture = card_of(&app, &admin, &path, "hearth").await + "/picture";
    // The cache is in use: it contains the picture of another card.
    wait_until_cached(&app, &path_of(&app, PLACE).await).await;
    let is_drawn = async || get(&app, None, &picture).await.text().contains("data:image/");
    assert!(is_drawn().await && is_drawn().await);
    app.sql("UPDATE artworks SET removed_at = now()").await;
    assert!(!is_drawn().await);
}
