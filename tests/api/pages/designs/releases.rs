//! Admins release approved designs as cards.

use serde_json::json;

use super::{Browser, begun, heron, links_to, location, page_of, shared, start, value};
use crate::designs::{pictures, put_templates, step, upload};
use crate::pages::frame::check;
use crate::pages::html::Page;
use crate::support::{Player, RequestExt as _, TestApp};

/// Submits and approves a design.
async fn approve(app: &TestApp, author: &Player, mod_: &Player, place: &str) {
    step(app, author, place, "submit").await.expect(200);
    app.post(&format!("{place}/claim")).by(mod_).answer().await.expect(200);
    let decision = json!({ "decision": "approved", "reason": "Good." });
    app.post(&format!("{place}/decide")).by(mod_).json(&decision).answer().await.expect(200);
}

/// The text of the page.
fn text(page: &Page) -> &str {
    &page.only("main").text
}

/// The value of the field of the number.
fn number(page: &Page) -> &str {
    let field = page.all("input").find(|field| field.get("id") == Some("number"));
    field.and_then(|field| field.get("value")).unwrap_or_default()
}

/// The code of the chosen set.
fn chosen(page: &Page) -> &str {
    let set = page.all("option").find(|option| option.get("selected").is_some());
    set.and_then(|option| option.get("value")).unwrap_or_default()
}

fn asks_to_confirm(page: &Page) -> bool {
    page.all("input").any(|field| field.get("id") == Some("was_public"))
}

/// The way by clicks: the list of approved designs, the review, the form; a check, and the release.
#[tokio::test]
async fn an_admin_releases_an_approved_design() {
    let app = start().await;
    let (ada, mod_) = (app.player("ada").await, app.moderator().await);
    let admin = app.admin().await;
    let place = begun(&app, &ada, &heron("Lantern Heron")).await;
    approve(&app, &ada, &mod_, &place).await;
    let review = format!("/reviews{}", page_of(&place));
    let path = format!("{review}/release");

    // A moderator sees no button and no page.
    let theirs = Browser::of(&app, "the moderator").await;
    assert!(!links_to(&theirs.page(&review).await, &path));
    assert_eq!(theirs.get(&path).await.status, 403);
    let fields = [("set", "hearth"), ("number", "900"), ("go", "release")];
    assert_eq!(theirs.post(&path, &fields).await.status, 403);

    let browser = Browser::of(&app, "the admin").await;
    assert!(links_to(&browser.page("/reviews/designs?status=approved").await, &review));
    assert!(links_to(&browser.page(&review).await, &path));
    let page = browser.page(&path).await;
    assert_eq!((chosen(&page), number(&page), asks_to_confirm(&page)), ("", "", false));

    // A check changes nothing. So does a form without the name of a button.
    for go in ["check", ""] {
        let fields = [("set", "hearth"), ("number", "900"), ("go", go)];
        let checked = browser.post(&path, &fields).await;
        assert_eq!(checked.status, 200, "{}", checked.text());
        let page = check(&path, &checked);
        assert!(text(&page).contains("would become the card hearth 900"), "{}", text(&page));
        assert_eq!((chosen(&page), number(&page)), ("hearth", "900"));
    }
    app.get("/v1/games/ttcg/sets/hearth/cards/900").answer().await.problem(404, "not_found");

    // A double click releases once.
    for _ in 0..2 {
        assert_eq!(location(&browser.post(&path, &fields).await), path);
    }
    let page = browser.page(&path).await;
    assert!(text(&page).contains("The design is the card hearth 900."), "{}", text(&page));
    assert!(links_to(&page, "/cards/ttcg/hearth/900"));
    assert!(page.all("form").all(|form| form.get("action") != Some(path.as_str())));
    assert_eq!(app.get("/cards/ttcg/hearth/900").answer().await.status, 200);
    let review_page = browser.page(&review).await;
    assert!(links_to(&review_page, "/cards/ttcg/hearth/900") && !links_to(&review_page, &path));
    let design = app.get(&place).by(&admin).answer().await.expect(200);
    assert_eq!(design["status"], "official");
    let log = "SELECT count(*) FROM audit_log WHERE action = 'design.released'";
    assert_eq!(app.db().number(log).await, 1);
}

/// Everything that stands against a release is shown at once, beside its field, and the input is kept.
#[tokio::test]
async fn a_refused_release_shows_every_fault_and_keeps_the_input() {
    let app = start().await;
    let (ada, mod_) = (app.player("ada").await, app.moderator().await);
    app.admin().await;
    let place = shared(&app, &ada, &heron("Lantern Heron")).await;
    approve(&app, &ada, &mod_, &place).await;
    let path = format!("/reviews{}/release", page_of(&place));
    let browser = Browser::of(&app, "the admin").await;
    let refused = async |fields: &[(&str, &str)], status: u16| -> Page {
        let answer = browser.post(&path, fields).await;
        assert_eq!(answer.status, status, "{}", answer.text());
        check(&path, &answer)
    };
    for go in ["check", "release"] {
        let page = refused(&[("number", "9 00"), ("go", go)], 422).await;
        assert_eq!(page.fault_of("set"), "Choose a set.");
        assert!(page.fault_of("number").starts_with("A number has 1 to 16"));
        assert_eq!(number(&page), "9 00");

        let page = refused(&[("set", "nowhere"), ("number", "900"), ("go", go)], 422).await;
        assert_eq!(page.fault_of("set"), "The game has no such set.");

        // The design was public, and the number is taken.
        let fields = [("set", "veil"), ("number", "001"), ("go", go)];
        let page = refused(&fields, 409).await;
        assert!(page.fault_of("was_public").contains("others have seen the design"));
        assert_eq!(
            page.fault_of("number"),
            "The set has a card 001 already. Choose another number."
        );
        assert_eq!((chosen(&page), number(&page)), ("veil", "001"));
    }
    app.sql(&format!("UPDATE accounts SET banned_at = created_at WHERE id = '{}'", ada.id)).await;
    let fields = [("set", "veil"), ("number", "900"), ("go", "release")];
    let page = refused(&fields, 409).await;
    assert!(text(&page).contains("The author is banned."), "{}", text(&page));
    assert!(!page.fault_of("was_public").is_empty());
}

/// Several sentences may have the same fault: each message says which sentence it is about.
#[tokio::test]
async fn a_refused_release_names_the_sentences_that_no_template_makes() {
    let app = start().await;
    let (ada, mod_) = (app.player("ada").await, app.moderator().await);
    let admin = app.admin().await;
    let place = begun(&app, &ada, &heron("Lantern Heron")).await;
    approve(&app, &ada, &mod_, &place).await;
    put_templates(&app, &admin, &["Rest."]).await;
    let path = format!("/reviews{}/release", page_of(&place));
    let browser = Browser::of(&app, "the admin").await;
    let fields = [("set", "hearth"), ("number", "900"), ("go", "check")];
    let refused = browser.post(&path, &fields).await;
    assert_eq!(refused.status, 409, "{}", refused.text());
    // They are also named before the form is sent.
    for page in [check(&path, &refused), browser.page(&path).await] {
        for effect in ["Effect 1", "Effect 2"] {
            let message = format!("{effect}: No template of the game makes this sentence.");
            assert!(text(&page).contains(&message), "{}", text(&page));
        }
    }
    // They are only warnings: a busy service shows the form without them.
    let places: Vec<_> = std::iter::from_fn(|| app.shared().work.enter().ok()).collect();
    let page = browser.page(&path).await;
    assert!(!text(&page).contains("No template"), "{}", text(&page));
    drop(places);
}

/// What stands against a release whatever place is chosen is shown before the form is sent.
#[tokio::test]
async fn the_page_of_a_release_shows_who_is_banned_and_what_has_the_name() {
    let app = start().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    app.admin().await;
    let place = begun(&app, &ada, &heron("Lantern Heron")).await;
    approve(&app, &ada, &mod_, &place).await;
    let path = format!("/reviews{}/release", page_of(&place));
    let browser = Browser::of(&app, "the admin").await;
    let taken = "Another design has this name";
    let banned = "The author is banned.";
    let page = browser.page(&path).await;
    assert!(!text(&page).contains(taken) && !text(&page).contains(banned), "{}", text(&page));
    shared(&app, &bob, &heron("Lantern Heron")).await;
    app.sql(&format!("UPDATE accounts SET banned_at = created_at WHERE id = '{}'", ada.id)).await;
    let page = browser.page(&path).await;
    assert!(text(&page).contains(taken) && text(&page).contains(banned), "{}", text(&page));
    let fields = [("set", "hearth"), ("number", "900"), ("go", "check")];
    let refused = browser.post(&path, &fields).await;
    assert_eq!(refused.status, 409, "{}", refused.text());
    let page = check(&path, &refused);
    assert!(text(&page).contains(taken) && text(&page).contains(banned), "{}", text(&page));
}

/// An official design does not reserve its name: its card does, and may be renamed.
#[tokio::test]
async fn the_page_of_a_release_does_not_warn_of_official_designs() {
    let app = start().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let admin = app.admin().await;
    let place = begun(&app, &ada, &heron("Lantern Heron")).await;
    approve(&app, &ada, &mod_, &place).await;
    let official = shared(&app, &bob, &heron("Lantern Heron")).await;
    approve(&app, &bob, &mod_, &official).await;
    let request = app.post(&format!("{official}/release")).by(&admin);
    let request = request.json(&json!({ "set": "hearth", "number": "900" }));
    let card = request.answer().await.expect(201)["card"].as_str().unwrap().to_owned();
    app.sql(&format!(
        "UPDATE card_content SET name = 'Quiet Heron', name_key = 'quietheron', search_key = 'quietheron' WHERE card_id = '{card}'"
    ))
    .await;
    let path = format!("/reviews{}/release", page_of(&place));
    let browser = Browser::of(&app, "the admin").await;
    let page = browser.page(&path).await;
    assert!(!text(&page).contains("Another design has this name"), "{}", text(&page));
    let fields = [("set", "hearth"), ("number", "901"), ("go", "release")];
    assert_eq!(location(&browser.post(&path, &fields).await), path);
}

/// Another revision may be approved while the page of a release is open: the form names the revision that it showed.
#[tokio::test]
async fn the_form_of_a_release_names_the_shown_revision() {
    let app = start().await;
    let (ada, mod_) = (app.player("ada").await, app.moderator().await);
    app.admin().await;
    let place = begun(&app, &ada, &heron("Lantern Heron")).await;
    approve(&app, &ada, &mod_, &place).await;
    let path = format!("/reviews{}/release", page_of(&place));
    let browser = Browser::of(&app, "the admin").await;
    assert_eq!(value(&browser.page(&path).await, "revision"), "1");
    let revocation = json!({ "revision": 1, "reason": "Not yet." });
    app.post(&format!("{place}/revoke")).by(&mod_).json(&revocation).answer().await.expect(200);
    let newer = app.put(&place).by(&ada).header("if-match", "*").json(&heron("Quiet Heron"));
    newer.answer().await.expect(200);
    approve(&app, &ada, &mod_, &place).await;
    for go in ["check", "release"] {
        let fields = [("set", "hearth"), ("number", "900"), ("revision", "1"), ("go", go)];
        let refused = browser.post(&path, &fields).await;
        assert_eq!(refused.status, 409, "{}", refused.text());
        let page = check(&path, &refused);
        let message = "Revision 2 is approved now, and you had read revision 1.";
        assert!(text(&page).contains(message), "{}", text(&page));
        let kept = (chosen(&page), number(&page), value(&page, "revision"));
        assert_eq!(kept, ("hearth", "900", "2"));
    }
    let fields = [("set", "hearth"), ("number", "900"), ("revision", "2"), ("go", "release")];
    assert_eq!(location(&browser.post(&path, &fields).await), path);
}

/// That the artwork was taken down is said at once, and by a check.
#[tokio::test]
async fn the_page_of_a_release_says_that_the_artwork_was_taken_down() {
    let app = start().await;
    let (ada, mod_) = (app.player("ada").await, app.moderator().await);
    app.admin().await;
    let picture = pictures::file(&pictures::gradient(300, 200), image::ImageFormat::Png);
    let artwork = upload(&app, &ada, "image/png", picture).await.expect(201);
    let mut design = heron("Lantern Heron");
    design["artwork"] = json!({ "id": artwork["id"], "alt": "A heron." });
    let place = begun(&app, &ada, &design).await;
    approve(&app, &ada, &mod_, &place).await;
    let path = format!("/reviews{}/release", page_of(&place));
    let browser = Browser::of(&app, "the admin").await;
    let message = "A moderator has taken the picture of the design down.";
    assert!(!text(&browser.page(&path).await).contains(message));
    app.sql("UPDATE artworks SET removed_at = now()").await;
    let shown = browser.page(&path).await;
    assert!(text(&shown).contains(message), "{}", text(&shown));
    for go in ["check", "release"] {
        let fields = [("set", "hearth"), ("number", "900"), ("go", go)];
        let refused = browser.post(&path, &fields).await;
        assert_eq!(refused.status, 409, "{}", refused.text());
        let page = check(&path, &refused);
        assert!(text(&page).contains(message), "{}", text(&page));
    }
}

/// A design that others have seen enters a set whose cards start hidden only after a confirmation, and the card stays hidden from its author.
#[tokio::test]
async fn a_public_design_enters_a_hidden_set_after_a_confirmation() {
    let app = start().await;
    let (ada, mod_) = (app.player("ada").await, app.moderator().await);
    app.admin().await;
    let place = shared(&app, &ada, &heron("Lantern Heron")).await;
    approve(&app, &ada, &mod_, &place).await;
    let review = format!("/reviews{}", page_of(&place));
    let path = format!("{review}/release");
    let browser = Browser::of(&app, "the admin").await;
    let seen = async || app.get(&place).by(&ada).answer().await.text();
    let before = seen().await;
    let mut fields = vec![("set", "veil"), ("number", "900"), ("go", "release")];
    let refused = browser.post(&path, &fields).await;
    assert_eq!(refused.status, 409, "{}", refused.text());
    let page = check(&path, &refused);
    assert!(asks_to_confirm(&page) && !page.fault_of("was_public").is_empty());

    fields.push(("was_public", "on"));
    fields[2] = ("go", "check");
    let checked = browser.post(&path, &fields).await;
    let page = check(&path, &checked);
    assert!(text(&page).contains("which is hidden until it is unlocked"), "{}", text(&page));
    let ticked = page.all("input").find(|field| field.get("id") == Some("was_public")).unwrap();
    assert!(ticked.get("checked").is_some());
    fields[2] = ("go", "release");
    assert_eq!(location(&browser.post(&path, &fields).await), path);
    let page = browser.page(&path).await;
    assert!(text(&page).contains("The card is hidden."), "{}", text(&page));
    assert!(links_to(&page, "/cards/ttcg/veil/900"));
    assert_eq!(seen().await, before);
    // It is no longer in the list, and its approval is not revoked.
    let listed = browser.page("/reviews/designs?status=approved").await;
    assert!(!links_to(&listed, &review));
    // Another place is refused, and the page names the card.
    let elsewhere = [("set", "hearth"), ("number", "900"), ("go", "release")];
    let refused = browser.post(&path, &elsewhere).await;
    assert_eq!(refused.status, 409, "{}", refused.text());
    assert!(text(&check(&path, &refused)).contains("The design is the card veil 900."));
}

/// A design that is not approved has no form, and one that was never submitted is not found.
#[tokio::test]
async fn only_approved_designs_have_a_form() {
    let app = start().await;
    let ada = app.player("ada").await;
    app.admin().await;
    let draft = begun(&app, &ada, &heron("Quiet Heron")).await;
    let place = shared(&app, &ada, &heron("Lantern Heron")).await;
    let browser = Browser::of(&app, "the admin").await;
    let path = format!("/reviews{}/release", page_of(&draft));
    assert_eq!(browser.get(&path).await.status, 404);
    assert_eq!(browser.post(&path, &[("set", "hearth"), ("number", "900")]).await.status, 404);
    let path = format!("/reviews{}/release", page_of(&place));
    let page = browser.page(&path).await;
    assert!(text(&page).contains("The status of the design does not allow this now."));
    assert!(page.all("form").all(|form| form.get("action") != Some(path.as_str())));
    let fields = [("set", "hearth"), ("number", "900"), ("go", "release")];
    assert_eq!(browser.post(&path, &fields).await.status, 409);
}

/// The page of a release leads to the form of a new set, which leads back with the set chosen.
#[tokio::test]
async fn a_set_is_created_for_a_release() {
    let app = start().await;
    let (ada, mod_) = (app.player("ada").await, app.moderator().await);
    app.admin().await;
    let place = begun(&app, &ada, &heron("Lantern Heron")).await;
    approve(&app, &ada, &mod_, &place).await;
    let design = place.strip_prefix("/v1/designs/").unwrap();
    let path = format!("/reviews/designs/{design}/release");
    let browser = Browser::of(&app, "the admin").await;
    let new_set = format!("/admin/sets?game=ttcg&design={design}");
    assert!(links_to(&browser.page(&path).await, &new_set));
    let page = browser.page(&new_set).await;
    let fields = [
        ("game", "ttcg"),
        ("code", "fan-made"),
        ("name", "Made by Players"),
        ("start", "open"),
        ("design", value(&page, "design")),
        ("key", value(&page, "key")),
    ];
    let way = location(&browser.post("/admin/sets", &fields).await);
    assert_eq!(way, format!("{path}?set=fan-made"));
    assert_eq!(chosen(&browser.page(&way).await), "fan-made");
    let fields = [("set", "fan-made"), ("number", "001"), ("go", "release")];
    assert_eq!(location(&browser.post(&path, &fields).await), path);
    let card = app.get("/v1/games/ttcg/sets/fan-made/cards/001").answer().await.expect(200);
    assert_eq!(card["name"], "Lantern Heron");
}

/// The page of a card leads to its design, and that of the design tells its author of the perk, as soon as everybody sees the card.
#[tokio::test]
async fn cards_link_to_their_designs_and_authors_read_of_their_perks() {
    let app = start().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let promise = json!({ "threshold": 50, "designer_perk": "reserved_copy" });
    let policy = app.put("/v1/games/ttcg/sets/veil/unlock-policy").by(&admin).json(&promise);
    policy.answer().await.expect(201);
    let place = begun(&app, &ada, &heron("Lantern Heron")).await;
    let (design, card) = (page_of(&place), "/cards/ttcg/veil/900");
    approve(&app, &ada, &mod_, &place).await;
    let release = app.post(&format!("{place}/release")).by(&admin);
    let release = release.json(&json!({ "set": "veil", "number": "900" })).answer().await;
    let release = release.expect(201);
    let printed = app.print("veil", 3).await;
    let (hers, theirs) = (Browser::of(&app, "ada").await, Browser::of(&app, "the moderator").await);
    let hidden = check(card, &theirs.get(card).await);
    assert!(text(&hidden).contains("Designed by"), "{}", text(&hidden));
    assert!(!links_to(&hidden, &design), "those who hold a copy cannot read the design");
    assert!(!text(&hers.page(&design).await).contains("copy of the card"));

    let unlock = app.post(&format!("/v1/cards/{}/unlock", release["card"].as_str().unwrap()));
    unlock.by(&admin).json(&json!({ "reason": "Launch." })).answer().await.expect(200);
    assert!(links_to(&check(card, &theirs.get(card).await), &design));
    assert!(text(&hers.page(&design).await).contains("You get a copy of the card"));
    assert!(!text(&theirs.page(&design).await).contains("copy of the card"));
    let copy = printed.iter().find(|copy| copy.number == "900").unwrap();
    let grant = app.post(&format!("{place}/perk")).by(&admin);
    grant.json(&json!({ "serial": copy.serial })).answer().await.expect(200);
    assert!(text(&hers.page(&design).await).contains("has given you a copy of the card"));
}
