//! Artwork of designs: which artwork a design may show, who sees it, and how it is removed.

use serde_json::{Value, json};

use super::abuse_reports::report_design;
use super::{app, begun, changed, create, heron, put, shared, step, upload, uploaded};
use crate::support::{Answer, Player, RequestExt as _, TestApp};

/// A valid design that shows an artwork.
fn heron_with(id: &str) -> Value {
    changed(heron("Lantern Heron"), &json!({ "artwork": { "id": id, "alt": "A heron." } }))
}

async fn look(app: &TestApp, by: Option<&Player>, id: &str) -> Answer {
    let request = app.get(&format!("/v1/artworks/{id}"));
    by.map_or(request.try_clone().unwrap(), |by| request.by(by)).answer().await
}

/// Whether each of the readers sees an artwork.
async fn visible_to(app: &TestApp, id: &str, who: &[Option<&Player>]) -> Vec<bool> {
    let mut seen = Vec::new();
    for by in who {
        let answer = look(app, *by, id).await;
        assert!(matches!(answer.status, 200 | 404), "{}", answer.text());
        seen.push(answer.status == 200);
    }
    seen
}

#[tokio::test]
async fn a_design_can_show_only_artwork_of_its_author() {
    let app = app().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let (hers, his) = (uploaded(&app, &ada, 1).await, uploaded(&app, &bob, 2).await);
    let path = begun(&app, &ada, &heron_with(&hers)).await;
    let design = app.get(&path).by(&ada).answer().await.expect(200);
    assert_eq!(design["artwork"], json!({ "id": hers, "alt": "A heron." }));
    let uri = format!("/v1/artworks/{hers}");
    assert_eq!(design["image_uris"]["artwork"], uri);
    assert_eq!(design["image_uris"]["artwork_small"], format!("{uri}?size=small"));
    let list = app.get("/v1/me/designs").by(&ada).answer().await.expect(200);
    assert_eq!(list["data"][0]["image_uris"], design["image_uris"]);

    let none = "0".repeat(64);
    for (artwork, pointers) in [
        (json!({ "id": his }), vec!["/artwork/id"]),
        (json!({ "id": none }), vec!["/artwork/id"]),
        (json!({ "id": "heron.png" }), vec!["/artwork/id"]),
        (json!({ "id": "x", "alt": "a".repeat(501) }), vec!["/artwork/id", "/artwork/alt"]),
        (json!({ "id": hers, "alt": "a\u{202e}b" }), vec!["/artwork/alt"]),
        (json!({ "id": hers, "title": "x" }), vec!["/artwork/title"]),
        (json!({ "alt": "x" }), vec!["/artwork/id"]),
        (json!({ "id": 7 }), vec!["/artwork/id"]),
    ] {
        let wrong = changed(heron("Lantern Heron"), &json!({ "artwork": artwork }));
        for answer in
            [create(&app, &ada, &wrong).await, put(&app, &ada, &path, "\"r1\"", &wrong).await]
        {
            let found = answer.problem(422, "invalid_body");
            let found: Vec<&str> = found["errors"]
                .as_array()
                .unwrap()
                .iter()
                .map(|fault| fault["pointer"].as_str().unwrap())
                .collect();
            assert_eq!(found, pointers, "{wrong}");
        }
    }
    assert_eq!(app.db().number("SELECT count(*) FROM designs").await, 1);
    // A refused request does not use up its idempotency key.
    let keyed = async |design: &Value| {
        let request = app.post("/v1/designs").by(&ada).header("idempotency-key", "k");
        request.json(design).answer().await
    };
    keyed(&heron_with(&his)).await.problem(422, "invalid_body");
    keyed(&heron_with(&hers)).await.expect(201);
}

#[tokio::test]
async fn a_check_warns_about_artwork_without_alt_text() {
    let app = app().await;
    let ada = app.player("ada").await;
    let check = async |artwork: Value| {
        let design = changed(heron("Lantern Heron"), &json!({ "artwork": artwork }));
        app.post("/v1/design-checks").by(&ada).json(&design).answer().await.expect(200)
    };
    let id = uploaded(&app, &ada, 1).await;
    let without = check(json!({ "id": id })).await;
    assert_eq!(
        (&without["warnings"], &without["releasable"]),
        (&json!(["alt_missing"]), &json!(true))
    );
    for fine in [Value::Null, json!({ "id": id, "alt": "A heron." })] {
        assert_eq!(check(fine).await["warnings"], json!([]));
    }
}

/// The answer about artwork of others is the same as about artwork that does not exist, also if it was taken down.
#[tokio::test]
async fn a_check_accepts_only_artwork_of_the_caller() {
    let app = app().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let (hers, his) = (uploaded(&app, &ada, 1).await, uploaded(&app, &bob, 2).await);
    let check = async |by: Option<&Player>, id: &str| {
        let request = app.post("/v1/design-checks").json(&heron_with(id));
        by.map_or(request.try_clone().unwrap(), |by| request.by(by)).answer().await
    };
    let unknown = "ab".repeat(32);
    let faults = async |by: Option<&Player>, id: &str| {
        check(by, id).await.problem(422, "invalid_body")["errors"].clone()
    };
    let expected = faults(Some(&ada), &unknown).await;
    assert_eq!(expected[0]["pointer"], "/artwork/id", "{expected}");
    let stored = create(&app, &ada, &heron_with(&his)).await.problem(422, "invalid_body");
    assert_eq!(stored["errors"], expected);
    for is_removed in [false, true] {
        if is_removed {
            app.sql("UPDATE artworks SET removed_at = now()").await;
        }
        for (by, id) in
            [(Some(&ada), &his), (Some(&bob), &hers), (None, &hers), (None, &his), (None, &unknown)]
        {
            assert_eq!(faults(by, id).await, expected, "{is_removed}");
        }
        let own = check(Some(&ada), &hers).await.expect(200);
        let obstacles = if is_removed { json!(["artwork"]) } else { json!([]) };
        assert_eq!(own["obstacles"], obstacles);
    }
}

#[tokio::test]
async fn revisions_keep_their_artwork() {
    let app = app().await;
    let ada = app.player("ada").await;
    let (one, two) = (uploaded(&app, &ada, 1).await, uploaded(&app, &ada, 2).await);
    let path = begun(&app, &ada, &heron_with(&one)).await;
    put(&app, &ada, &path, "\"r1\"", &heron_with(&two)).await.expect(200);
    put(&app, &ada, &path, "\"r2\"", &heron("Lantern Heron")).await.expect(200);
    let diff = async |query: &str| {
        let diff = app.get(&format!("{path}/diff?{query}")).by(&ada).answer().await.expect(200);
        diff["differences"].clone()
    };
    let other = json!([{ "member": "/artwork/id", "before": one, "after": two }]);
    assert_eq!(diff("from=1&to=2").await, other);
    let removed = json!([{ "member": "/artwork", "before": { "id": two, "alt": "A heron." } }]);
    assert_eq!(diff("from=2&to=3").await, removed);
    let restore = app.post(&format!("{path}/restore")).by(&ada).header("if-match", "\"r3\"");
    let restored = restore.json(&json!({ "revision": 1 })).answer().await.expect(200);
    assert_eq!(restored["artwork"]["id"], one);

    let list = app.get("/v1/me/artworks").by(&ada).answer().await.expect(200);
    let artworks = list["data"].as_array().unwrap();
    assert_eq!(artworks.len(), 2);
    for artwork in artworks {
        assert_eq!(artwork["in_use"], true);
    }
    for id in [&one, &two] {
        let delete = app.delete(&format!("/v1/me/artworks/{id}")).by(&ada);
        delete.answer().await.problem(409, "artwork_in_use");
    }
    app.delete(&path).by(&ada).header("if-match", "*").answer().await.expect(204);
    for id in [&one, &two] {
        app.delete(&format!("/v1/me/artworks/{id}")).by(&ada).answer().await.expect(204);
    }
}

/// An artwork is public if a public revision of a design shows it.
#[tokio::test]
async fn an_artwork_is_as_public_as_the_revision_that_shows_it() {
    let app = app().await;
    let (ada, bob, moderator) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let who = [Some(&ada), Some(&moderator), Some(&bob), None];
    let (author, reviewer, all) =
        ([true, false, false, false], [true, true, false, false], [true; 4]);
    let (one, two) = (uploaded(&app, &ada, 1).await, uploaded(&app, &ada, 2).await);
    assert_eq!(visible_to(&app, &one, &who).await, author);
    let path = begun(&app, &ada, &heron_with(&one)).await;
    assert_eq!(visible_to(&app, &one, &who).await, author, "a draft");
    step(&app, &ada, &path, "submit").await.expect(200);
    assert_eq!(visible_to(&app, &one, &who).await, reviewer, "submitted and never shared");
    let file = look(&app, Some(&moderator), &one).await;
    assert_eq!(file.header("cache-control"), "private, no-store");
    step(&app, &ada, &path, "withdraw").await.expect(200);
    assert_eq!(visible_to(&app, &one, &who).await, author, "withdrawn and never shared");

    step(&app, &ada, &path, "share").await.expect(200);
    assert_eq!(visible_to(&app, &one, &who).await, all);
    for by in who {
        let file = look(&app, by, &one).await;
        assert_eq!(file.header("cache-control"), "public, max-age=300");
        assert!(file.header("vary").contains("Authorization"), "{}", file.header("vary"));
    }
    // Another artwork replaces the first artwork.
    put(&app, &ada, &path, "*", &heron_with(&two)).await.expect(200);
    assert_eq!(visible_to(&app, &one, &who).await, author);
    assert_eq!(visible_to(&app, &two, &who).await, all);
    // After the withdrawal, others still see the artwork of the last public revision. Only the author sees the artwork of a later revision.
    step(&app, &ada, &path, "withdraw").await.expect(200);
    put(&app, &ada, &path, "*", &heron_with(&one)).await.expect(200);
    assert_eq!(visible_to(&app, &one, &who).await, author);
    assert_eq!(visible_to(&app, &two, &who).await, all);
    // Bob uploads the first artwork, too, so he sees his own upload.
    assert_eq!(uploaded(&app, &bob, 1).await, one);
    assert_eq!(visible_to(&app, &one, &who).await, [true, false, true, false]);

    app.sql("UPDATE accounts SET banned_at = now() WHERE name = 'ada'").await;
    // Moderators decide the reports about it.
    assert_eq!(visible_to(&app, &two, &who[1..]).await, [true, false, false]);
    let file = look(&app, Some(&moderator), &two).await;
    assert_eq!(file.header("cache-control"), "private, no-store");
    app.sql("UPDATE accounts SET banned_at = NULL WHERE name = 'ada'").await;
    assert_eq!(visible_to(&app, &two, &who[1..]).await, [true; 3]);
}

/// The artwork of a design that became a hidden card is shown after the unlock of the card, and reveals nothing before.
#[tokio::test]
async fn artwork_of_a_hidden_card_waits_for_the_unlock() {
    let app = app().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let (moderator, admin) = (app.moderator().await, app.admin().await);
    let id = uploaded(&app, &ada, 1).await;
    let path = begun(&app, &ada, &heron_with(&id)).await;
    step(&app, &ada, &path, "submit").await.expect(200);
    app.post(&format!("{path}/claim")).by(&moderator).answer().await.expect(200);
    let decision = json!({ "decision": "approved", "reason": "Good." });
    let decide = app.post(&format!("{path}/decide")).by(&moderator).json(&decision);
    decide.answer().await.expect(200);
    let who = [Some(&ada), Some(&moderator), Some(&bob), None];
    let hers = async || {
        let file = look(&app, Some(&ada), &id).await;
        (file.status, file.header("etag"), file.header("cache-control"))
    };
    let approved = hers().await;
    let place = json!({ "set": "veil", "number": "900" });
    let release = app.post(&format!("{path}/release")).by(&admin).json(&place);
    let card = release.answer().await.expect(201);
    assert_eq!(card["hidden"], true);
    assert_eq!(visible_to(&app, &id, &who).await, [true, true, false, false]);
    assert_eq!(hers().await, approved, "the answers to the author do not reveal the release");

    let unlock = format!("/v1/cards/{}/unlock", card["card"].as_str().unwrap());
    let unlock = app.post(&unlock).by(&admin).json(&json!({ "reason": "It is time." }));
    unlock.answer().await.expect(200);
    assert_eq!(visible_to(&app, &id, &who).await, [true; 4]);
}

#[tokio::test]
async fn the_picture_of_a_design_shows_its_artwork() {
    let app = app().await;
    let ada = app.player("ada").await;
    let id = uploaded(&app, &ada, 1).await;
    let path = shared(&app, &ada, &heron_with(&id)).await;
    let draw = async |query: &str| {
        let picture = app.get(&format!("{path}/picture{query}")).answer().await;
        assert_eq!(picture.status, 200, "{}", picture.text());
        picture
    };
    let with = draw("").await;
    let small = app.get(&format!("/v1/artworks/{id}?size=small")).answer().await.bytes;
    let embedded = {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD.encode(small)
    };
    assert!(with.text().contains(&format!("data:image/jpeg;base64,{embedded}")));
    let png = draw("?format=png").await;
    app.sql("UPDATE artworks SET removed_at = now()").await;
    let without = draw("").await;
    assert!(!without.text().contains("data:image"));
    assert_ne!(without.header("etag"), with.header("etag"));
    assert!(
        draw("?format=png").await.bytes != png.bytes,
        "the cached picture with the artwork is not returned"
    );
}

/// Moderators take artwork down with a report of the design that shows it, and show it again.
#[tokio::test]
async fn artwork_is_taken_down_with_a_report() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let id = uploaded(&app, &ada, 1).await;
    let path = shared(&app, &ada, &heron_with(&id)).await;
    let report =
        json!({ "design": path.trim_start_matches("/v1/designs/"), "reason": "copyright" });
    let report = app.post("/v1/abuse-reports").by(&bob).json(&report).answer().await.expect(201);
    let decide = async |decision: &str, artwork: bool| {
        let body = json!({ "decision": decision, "note": "From a book.", "artwork": artwork });
        let path = format!("/v1/abuse-reports/{}/decide", report["id"].as_str().unwrap());
        app.post(&path).by(&mod_).json(&body).answer().await.expect(200);
    };
    decide("upheld", false).await;
    assert_eq!(
        [look(&app, Some(&bob), &id).await.status, look(&app, Some(&mod_), &id).await.status],
        [404, 200]
    );
    // Those who see the design get links to its artwork, which they can read.
    let linked = async |by: &Player| -> Vec<bool> {
        let design = app.get(&path).by(by).answer().await.expect(200);
        let names = ["artwork", "artwork_small"].into_iter();
        names.map(|name| design["image_uris"].get(name).is_some()).collect()
    };
    let listed = async || {
        let page = app.get("/v1/me/designs").by(&ada).answer().await.expect(200);
        page["data"][0]["image_uris"].get("artwork").is_some()
    };
    for by in [&ada, &mod_] {
        assert_eq!(linked(by).await, [true, true]);
        assert_eq!(look(&app, Some(by), &id).await.status, 200);
    }
    assert!(listed().await);
    decide("upheld", true).await;
    assert_eq!(look(&app, Some(&ada), &id).await.status, 410);
    for by in [&ada, &mod_] {
        assert_eq!(linked(by).await, [false, false]);
    }
    assert!(!listed().await);
    let checked = app.post("/v1/design-checks").by(&ada).json(&heron_with(&id)).answer().await;
    let obstacles = checked.expect(200)["obstacles"].clone();
    assert!(obstacles.as_array().unwrap().contains(&json!("artwork")), "{obstacles}");
    decide("dismissed", true).await;
    assert_eq!(look(&app, Some(&bob), &id).await.status, 200);
    assert_eq!((linked(&bob).await, listed().await), (vec![true, true], true));
}

/// The author of a reported design cannot keep its artwork from moderators.
#[tokio::test]
async fn moderators_see_the_artwork_that_was_reported() {
    let app = app().await;
    let (ada, bob, moderator) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let who = [Some(&ada), Some(&moderator), Some(&bob), None];
    let ids = [uploaded(&app, &ada, 1).await, uploaded(&app, &ada, 2).await];
    let [reported, later] = &ids;
    let path = shared(&app, &ada, &heron_with(reported)).await;
    let report = report_design(&app, &bob, &path).await;
    put(&app, &ada, &path, "*", &heron_with(later)).await.expect(200);
    assert_eq!(visible_to(&app, reported, &who).await, [true, true, false, false]);
    let file = look(&app, Some(&moderator), reported).await;
    assert_eq!(file.header("cache-control"), "private, no-store");
    let seen = app.get(&format!("/v1/abuse-reports/{report}")).by(&moderator).answer().await;
    let seen = seen.expect(200);
    let design = &seen["reported_design"];
    assert_eq!(design["artwork"]["id"], json!(reported));
    assert_eq!(design["changed_since"][0]["after"], json!(later));
    // Also when the design was reported again since.
    let code = path.trim_start_matches("/v1/designs/");
    let again = json!({ "design": code, "reason": "copyright" });
    app.post("/v1/abuse-reports").by(&bob).json(&again).answer().await.expect(200);
    assert_eq!(visible_to(&app, reported, &who).await, [true, true, false, false]);
    // What was neither reported nor shown to others stays the author's.
    step(&app, &ada, &path, "withdraw").await.expect(200);
    let draft = uploaded(&app, &ada, 3).await;
    put(&app, &ada, &path, "*", &heron_with(&draft)).await.expect(200);
    assert_eq!(visible_to(&app, &draft, &who).await, [true, false, false, false]);
    let delete = app.delete(&format!("/v1/me/artworks/{reported}")).by(&ada);
    delete.answer().await.problem(409, "artwork_in_use");
}

/// Artwork may be taken down with another design that shows the same picture, while a design waits for its decision or its release.
#[tokio::test]
async fn a_design_whose_artwork_was_taken_down_is_neither_approved_nor_released() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let id = uploaded(&app, &ada, 1).await;
    let waiting = begun(&app, &ada, &heron_with(&id)).await;
    let other_name = changed(heron_with(&id), &json!({ "name": "Quiet Heron" }));
    let approved = begun(&app, &ada, &other_name).await;
    let decide = async |path: &str, decision: &str| {
        let body = json!({ "decision": decision, "reason": "As it is." });
        app.post(&format!("{path}/decide")).by(&mod_).json(&body).answer().await
    };
    for path in [&waiting, &approved] {
        step(&app, &ada, path, "submit").await.expect(200);
        app.post(&format!("{path}/claim")).by(&mod_).answer().await.expect(200);
    }
    decide(&approved, "approved").await.expect(200);
    app.sql("UPDATE artworks SET removed_at = now()").await;
    let refused = decide(&waiting, "approved").await.problem(409, "design_not_releasable");
    assert_eq!(refused["obstacles"], json!(["artwork"]));
    let faults = async |query: &str, number: &str| -> Vec<Value> {
        let place = json!({ "set": "hearth", "number": number });
        let release = app.post(&format!("{approved}/release{query}")).by(&admin).json(&place);
        let problem = release.answer().await.problem(409, "design_not_releasable");
        let faults = problem["errors"].as_array().unwrap().iter();
        faults.map(|fault| fault["pointer"].clone()).collect()
    };
    for query in ["?dry_run=true", ""] {
        assert_eq!(faults(query, "900").await, ["/artwork"], "{query}");
        assert_eq!(faults(query, "001").await, ["/artwork", "/number"], "{query}");
    }
    app.get("/v1/games/ttcg/sets/hearth/cards/900").answer().await.problem(404, "not_found");
    // Such a design can be declined. The other one is released when its artwork is shown again.
    decide(&waiting, "declined").await.expect(200);
    app.sql("UPDATE artworks SET removed_at = NULL").await;
    let place = json!({ "set": "hearth", "number": "900" });
    let release = app.post(&format!("{approved}/release")).by(&admin).json(&place);
    release.answer().await.expect(201);
}

#[tokio::test]
async fn artwork_that_was_taken_down_is_not_shown_and_not_accepted_again() {
    let app = app().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let (public, draft) = (uploaded(&app, &ada, 1).await, uploaded(&app, &ada, 2).await);
    let path = shared(&app, &ada, &heron_with(&public)).await;
    app.sql("UPDATE artworks SET removed_at = now()").await;
    for (by, id, status) in [
        (Some(&ada), &public, 410),
        (Some(&bob), &public, 410),
        (None, &public, 410),
        (Some(&ada), &draft, 410),
        (Some(&bob), &draft, 404),
        (None, &draft, 404),
    ] {
        assert_eq!(look(&app, by, id).await.status, status);
    }
    let list = app.get("/v1/me/artworks").by(&ada).answer().await.expect(200);
    assert_eq!((&list["data"], &list["bytes_used"]), (&json!([]), &json!(0)));
    let delete = app.delete(&format!("/v1/me/artworks/{draft}")).by(&ada);
    delete.answer().await.problem(404, "not_found");
    for by in [&ada, &bob] {
        let gradient = super::pictures::gradient(241, 200);
        let picture = super::pictures::file(&gradient, image::ImageFormat::Png);
        upload(&app, by, "image/png", picture).await.problem(410, "gone");
    }
    let other = changed(heron_with(&public), &json!({ "flavour": "It waits." }));
    let fault = json!({
        "pointer": "/artwork/id",
        "detail": "was taken down by moderators: choose another artwork, or none",
    });
    for refused in [put(&app, &ada, &path, "*", &other).await, create(&app, &ada, &other).await] {
        let problem = refused.problem(422, "invalid_body");
        assert_eq!(problem["errors"], json!([fault]));
    }
    // The design itself stays.
    app.get(&path).answer().await.expect(200);
}

/// The author did not choose the artwork in these requests, so the answer says what is wrong with it.
#[tokio::test]
async fn a_revision_with_removed_artwork_does_not_come_back() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let id = uploaded(&app, &ada, 1).await;
    let path = shared(&app, &ada, &heron_with(&id)).await;
    let better = changed(heron_with(&id), &json!({ "flavour": "It waits.", "artwork": null }));
    let suggestion = json!({ "revision": 1, "message": "Like this?", "design": better });
    let suggested = app.post(&format!("{path}/suggestions")).by(&ben).json(&suggestion);
    let suggested = suggested.answer().await.header("location");
    let take = async || {
        app.post(&format!("{suggested}/take")).by(&ada).header("if-match", "*").answer().await
    };
    app.sql("UPDATE artworks SET removed_at = now()").await;
    let problem = take().await.problem(409, "artwork_removed");
    assert_eq!(problem["errors"][0]["pointer"], "/artwork/id", "{problem}");
    let without = changed(heron_with(&id), &json!({ "artwork": null }));
    put(&app, &ada, &path, "*", &without).await.expect(200);
    let restore = app.post(&format!("{path}/restore")).by(&ada).header("if-match", "*");
    let problem = restore.json(&json!({ "revision": 1 })).answer().await;
    let problem = problem.problem(409, "artwork_removed");
    assert_eq!(problem["errors"][0]["pointer"], "/artwork/id", "{problem}");
    // The suggestion was about other members.
    assert_eq!(take().await.expect(200)["flavour"], "It waits.");
}

/// One request deletes an artwork while another request shows it in a new design. One of the two requests succeeds, and the other one is refused.
#[tokio::test]
async fn an_artwork_that_a_revision_shows_cannot_be_deleted() {
    let app = app().await;
    let other = app.second_instance();
    let ada = app.player("ada").await;
    app.sql("UPDATE accounts SET created_at = created_at - interval '9 days'").await;
    for round in 0..12 {
        let id = uploaded(&app, &ada, round).await;
        let design = heron_with(&id);
        let delete = app.delete(&format!("/v1/me/artworks/{id}")).by(&ada);
        let (deleted, begun) = tokio::join!(delete.answer(), create(&other, &ada, &design));
        match (deleted.status, begun.status) {
            (204, 422) | (409, 201) => {}
            both => panic!("round {round}: {both:?} {} {}", deleted.text(), begun.text()),
        }
    }
    let lost = "SELECT count(*) FROM design_revisions r WHERE r.content ? 'artwork' AND NOT EXISTS (SELECT FROM design_artworks s \
                JOIN artwork_uploads u ON (u.account_id, u.artwork) = (s.account_id, s.artwork) WHERE (s.design_id, s.revision) = (r.design_id, r.number))";
    assert_eq!(app.db().number(lost).await, 0);
}
