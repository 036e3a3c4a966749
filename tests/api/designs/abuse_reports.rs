//! Reports of designs, comments and players, and the decisions of moderators.

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::{app, begun, changed, heron, put, shared, step, uploaded};
use crate::support::{Answer, Player, RequestExt as _, TestApp};

fn code(path: &str) -> &str {
    path.trim_start_matches("/v1/designs/")
}

async fn report(app: &TestApp, by: &Player, body: &Value) -> Answer {
    app.post("/v1/abuse-reports").by(by).json(body).answer().await
}

pub(super) async fn report_design(app: &TestApp, by: &Player, path: &str) -> String {
    let body = json!({ "design": code(path), "reason": "copyright", "details": "From a book." });
    text(&report(app, by, &body).await.expect(201), "id")
}

/// Reports a design again that the player has reported.
async fn repeat_report(app: &TestApp, by: &Player, path: &str) {
    let body = json!({ "design": code(path), "reason": "copyright" });
    assert_eq!(report(app, by, &body).await.expect(200)["repeated"], true);
}

pub(super) async fn decide(app: &TestApp, by: &Player, report: &str, decision: &str) -> Answer {
    let body = json!({ "decision": decision, "note": "As the book says." });
    app.post(&format!("/v1/abuse-reports/{report}/decide")).by(by).json(&body).answer().await
}

pub(super) async fn ban(app: &TestApp, by: &Player, account: &Player, banned: bool) {
    let change = app.patch(&format!("/v1/accounts/{}", account.id)).by(by);
    change.json(&json!({ "banned": banned })).answer().await.expect(200);
}

async fn queue(app: &TestApp, by: &Player, query: &str) -> Vec<Value> {
    let page = app.get(&format!("/v1/abuse-reports{query}")).by(by).answer().await.expect(200);
    page["data"].as_array().unwrap().clone()
}

fn text(value: &Value, member: &str) -> String {
    value[member].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_reported_design_is_taken_down_and_shown_again() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    let id = report_design(&app, &bob, &path).await;
    let waiting = queue(&app, &mod_, "").await;
    assert_eq!(waiting.len(), 1);
    assert_eq!(
        ["about", "design_name", "reporter", "accused", "reason", "details"]
            .map(|name| text(&waiting[0], name)),
        ["design", "Lantern Heron", "bob", "ada", "copyright", "From a book."]
    );
    app.get("/v1/abuse-reports").by(&bob).answer().await.problem(403, "forbidden");
    decide(&app, &bob, &id, "upheld").await.problem(403, "forbidden");

    let decided = decide(&app, &mod_, &id, "upheld").await.expect(200);
    assert_eq!(
        (text(&decided, "decision"), &decided["decided_by"]),
        ("upheld".to_owned(), &json!(mod_.id))
    );
    // Other players no longer see the design. Its author reads the reason, and cannot change the design.
    app.get(&path).by(&bob).answer().await.problem(404, "not_found");
    app.get(&format!("{path}/picture")).answer().await.problem(404, "not_found");
    assert_eq!(app.get("/v1/designs").answer().await.expect(200)["data"], json!([]));
    let own = app.get(&path).by(&ada).answer().await;
    let tag = own.header("etag");
    assert_eq!(own.expect(200)["takedown"]["note"], "As the book says.");
    put(&app, &ada, &path, &tag, &heron("Other")).await.problem(409, "design_taken_down");
    for name in ["share", "submit", "withdraw"] {
        step(&app, &ada, &path, name).await.problem(409, "design_taken_down");
    }
    let delete = app.delete(&path).by(&ada).header("if-match", tag).answer().await;
    delete.problem(409, "design_taken_down");
    assert_eq!(app.get(&path).by(&mod_).answer().await.expect(200)["name"], "Lantern Heron");
    assert_eq!(
        (queue(&app, &mod_, "").await.len(), queue(&app, &mod_, "?decided=true").await.len()),
        (0, 1)
    );

    // The last decision applies.
    decide(&app, &mod_, &id, "dismissed").await.expect(200);
    let seen = app.get(&path).by(&bob).answer().await.expect(200);
    assert_eq!((&seen["status"], seen.get("takedown")), (&json!("shared"), None));
    let gallery = app.get("/v1/designs").answer().await.expect(200);
    assert_eq!(gallery["data"][0]["name"], "Lantern Heron");
    let log = app.db().value("SELECT string_agg(action, ' ' ORDER BY created_at) FROM audit_log WHERE target LIKE 'design:D-%'");
    assert_eq!(log.await, "abuse_report.upheld abuse_report.dismissed");
}

#[tokio::test]
async fn all_reports_about_one_design_are_decided_together() {
    let app = app().await;
    let (ada, bob, eve) =
        (app.player("ada").await, app.player("bob").await, app.player("eve").await);
    let mod_ = app.moderator().await;
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    let other = shared(&app, &ada, &heron("Quiet Heron")).await;
    let first = report_design(&app, &bob, &path).await;
    let again = json!({ "design": code(&path).to_lowercase(), "reason": "spam" });
    let again = report(&app, &bob, &again).await.expect(200);
    assert_eq!((text(&again, "id"), &again["repeated"]), (first.clone(), &json!(true)));
    report_design(&app, &eve, &path).await;
    report_design(&app, &eve, &other).await;
    assert_eq!(queue(&app, &mod_, "").await.len(), 3);
    decide(&app, &mod_, &first, "dismissed").await.expect(200);
    let remaining = queue(&app, &mod_, "").await;
    assert_eq!(
        (remaining.len(), text(&remaining[0], "design_name")),
        (1, "Quiet Heron".to_owned())
    );
    // A design can be reported again after a decision.
    let new = report_design(&app, &bob, &path).await;
    assert_ne!(new, first);
}

#[tokio::test]
async fn a_hidden_comment_is_not_shown_and_not_counted() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    let comment = json!({ "text": "Buy my pills." });
    let comment = app.post(&format!("{path}/comments")).by(&bob).json(&comment).answer().await;
    let comment = text(&comment.expect(201), "id");
    let body = json!({ "design": code(&path), "comment": comment, "reason": "spam" });
    report(&app, &bob, &body).await.problem(409, "own_report");
    let id = text(&report(&app, &ada, &body).await.expect(201), "id");
    let waiting = queue(&app, &mod_, "").await;
    assert_eq!(
        (text(&waiting[0], "about"), text(&waiting[0], "comment_text")),
        ("comment".to_owned(), "Buy my pills.".to_owned())
    );
    let comments = async || {
        let page = app.get(&format!("{path}/comments")).answer().await.expect(200);
        let count = app.get(&path).answer().await.expect(200)["comment_count"].as_i64().unwrap();
        (page["data"].as_array().unwrap().len(), count)
    };
    assert_eq!(comments().await, (1, 1));
    decide(&app, &mod_, &id, "upheld").await.expect(200);
    assert_eq!(comments().await, (0, 0));
    report(&app, &ada, &body).await.problem(404, "not_found");
    decide(&app, &mod_, &id, "dismissed").await.expect(200);
    assert_eq!(comments().await, (1, 1));
}

#[tokio::test]
async fn own_designs_and_invisible_designs_cannot_be_reported() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let draft = begun(&app, &ada, &heron("Draft Heron")).await;
    let path = shared(&app, &mod_, &heron("Lantern Heron")).await;
    let about = |path: &str| json!({ "design": code(path), "reason": "abuse" });
    report(&app, &bob, &about(&draft)).await.problem(404, "not_found");
    report(&app, &bob, &about("D-0000000000")).await.problem(404, "not_found");
    report(&app, &mod_, &about(&path)).await.problem(409, "own_report");
    let id = text(&report(&app, &bob, &about(&path)).await.expect(201), "id");
    // Reports about a moderator are for the others: they say who reported. For the moderator they do not exist.
    decide(&app, &mod_, &id, "dismissed").await.problem(404, "not_found");
    let other = app.admin().await;
    for (reader, count, status) in [(&mod_, 0, 404), (&other, 1, 200)] {
        let listed = app.get("/v1/abuse-reports").by(reader).answer().await.expect(200);
        assert_eq!(listed["data"].as_array().unwrap().len(), count, "{listed:#}");
        let found = app.get(&format!("/v1/abuse-reports/{id}")).by(reader).answer().await;
        assert_eq!(found.status, status);
    }
    decide(&app, &mod_, "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11", "upheld")
        .await
        .problem(404, "not_found");
    let player = json!({ "account": ada.id, "reason": "other", "details": "Threatens me." });
    let id = text(&report(&app, &bob, &player).await.expect(201), "id");
    assert_eq!(decide(&app, &mod_, &id, "upheld").await.expect(200)["about"], "account");
    let unknown_account =
        json!({ "account": "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11", "reason": "abuse" });
    report(&app, &bob, &unknown_account).await.problem(404, "not_found");
}

#[tokio::test]
async fn every_fault_of_a_report_is_returned() {
    let app = app().await;
    let ada = app.player("ada").await;
    for (body, pointers) in [
        (json!({ "reason": "spam" }), vec![""]),
        (json!({ "design": "veil", "reason": "spma" }), vec!["/design", "/reason"]),
        (json!({ "design": "D-0000000000", "account": ada.id, "reason": "spam" }), vec![""]),
        (json!({ "comment": ada.id, "reason": "spam" }), vec![""]),
        (json!({ "design": "D-0000000000", "reason": "other", "details": " " }), vec!["/details"]),
        (
            json!({ "design": "D-0000000000", "reason": "spam", "details": "a\u{202e}b" }),
            vec!["/details"],
        ),
    ] {
        let problem = report(&app, &ada, &body).await.problem(422, "invalid_body");
        let found: Vec<&str> = problem["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|error| error["pointer"].as_str().unwrap())
            .collect();
        assert_eq!(found, pointers, "{problem}");
    }
}

/// A takedown stays in force when another author has shared a design with the same name meanwhile.
#[tokio::test]
async fn a_takedown_cannot_be_undone_when_the_name_is_taken() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    let id = report_design(&app, &bob, &path).await;
    decide(&app, &mod_, &id, "upheld").await.expect(200);
    shared(&app, &bob, &heron("Lantern Heron")).await;
    decide(&app, &mod_, &id, "dismissed").await.problem(409, "design_name_taken");
    app.get(&path).by(&bob).answer().await.problem(404, "not_found");
    assert_eq!(queue(&app, &mod_, "?decided=true").await[0]["decision"], "upheld");
}

/// The unlock of its card does not show a design that was taken down. The dismissal of the report does.
#[tokio::test]
async fn a_taken_down_design_stays_hidden_when_its_card_is_unlocked() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let admin = app.admin().await;
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    step(&app, &ada, &path, "submit").await.expect(200);
    app.post(&format!("{path}/claim")).by(&mod_).answer().await.expect(200);
    let decision = json!({ "decision": "approved", "reason": "Good." });
    app.post(&format!("{path}/decide")).by(&mod_).json(&decision).answer().await.expect(200);
    let place = json!({ "set": "veil", "number": "900", "was_public": true });
    let release = app.post(&format!("{path}/release")).by(&admin).json(&place).answer().await;
    let card = format!("/v1/cards/{}", text(&release.expect(201), "card"));
    let changes =
        async || app.db().number("SELECT count(*) FROM events WHERE kind = 'card.changed'").await;
    let at_first = changes().await;
    let id = report_design(&app, &bob, &path).await;
    decide(&app, &mod_, &id, "upheld").await.expect(200);
    let unlock = app.post(&format!("{card}/unlock")).by(&admin);
    unlock.json(&json!({ "reason": "Launch." })).answer().await.expect(200);
    app.get(&path).by(&bob).answer().await.problem(404, "not_found");
    // The credit would name an author and a design that nobody can read.
    assert_eq!(app.get(&card).answer().await.expect(200).get("designed_by"), None);
    assert_eq!(changes().await, at_first, "a change of a hidden card is no event");
    decide(&app, &mod_, &id, "dismissed").await.expect(200);
    assert_eq!(app.get(&card).answer().await.expect(200)["designed_by"]["author"], "ada");
    assert_eq!(changes().await, at_first + 1);
    assert_eq!(app.get(&path).by(&bob).answer().await.expect(200)["status"], "official");
    // The author learns then that the design is a card, and only once.
    for decision in ["upheld", "dismissed"] {
        decide(&app, &mod_, &id, decision).await.expect(200);
    }
    let events = app.get("/v1/me/events?after=0").by(&ada).answer().await.expect(200);
    let kinds: Vec<&Value> =
        events["data"].as_array().unwrap().iter().map(|event| &event["kind"]).collect();
    let (down, up) = ("design.taken_down", "design.reinstated");
    assert_eq!(kinds, ["design.approved", down, up, "design.official", down, up]);
}

/// A badge is permanent: its author has a page even if nothing else of the author is public. The badge of a hidden card
/// reveals to nobody who designed it.
#[tokio::test]
async fn an_author_with_only_a_badge_has_a_page() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let admin = app.admin().await;
    let path = begun(&app, &ada, &heron("Lantern Heron")).await;
    super::design_releases::approve(&app, &ada, &mod_, &path).await;
    let place = json!({ "set": "veil", "number": "900" });
    let released = super::design_releases::release(&app, &admin, &path, &place).await.expect(201);
    for author in ["/v1/authors/ada", "/v1/authors/ada/decks", "/designers/ada"] {
        assert_eq!(app.get(author).answer().await.status, 404, "{author}: the card is hidden");
    }
    let unlock = app.post(&format!("/v1/cards/{}/unlock", text(&released, "card"))).by(&admin);
    unlock.json(&json!({ "reason": "Launch." })).answer().await.expect(200);
    let id = report_design(&app, &bob, &path).await;
    decide(&app, &mod_, &id, "upheld").await.expect(200);

    let page = app.get("/v1/authors/ada").answer().await.expect(200);
    assert_eq!((&page["designs"], &page["official"]), (&json!(0), &json!(0)));
    assert_eq!(
        (&page["badges"][0]["badge"], &page["badges"][0]["count"]),
        (&json!("card_designer"), &json!(1))
    );
    assert_eq!(page["first_shared_at"], page["badges"][0]["awarded_at"]);
    let decks = app.get("/v1/authors/ada/decks").answer().await.expect(200);
    assert_eq!(decks["data"], json!([]));
    assert_eq!(app.get("/designers/ada").answer().await.status, 200);
    app.put("/v1/authors/ada/follow").by(&bob).answer().await.expect(204);
    ban(&app, &admin, &ada, true).await;
    app.get("/v1/authors/ada").answer().await.problem(404, "not_found");
}

/// A withdrawn design can still be read and reported. Its author gets events about the decisions, and a takedown also hides its suggestions.
#[tokio::test]
async fn a_withdrawn_design_can_be_taken_down() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    let mut better = heron("Lantern Heron");
    better["flavour"] = json!("It waits.");
    let suggestion = json!({ "revision": 1, "message": "So?", "design": better });
    let suggested = app.post(&format!("{path}/suggestions")).by(&bob).json(&suggestion);
    let suggested =
        format!("{path}/suggestions/{}", text(&suggested.answer().await.expect(201), "id"));
    step(&app, &ada, &path, "withdraw").await.expect(200);
    let tag = app.get(&path).by(&ada).answer().await.header("etag");
    put(&app, &ada, &path, &tag, &heron("Secret Heron")).await.expect(200);
    let id = report_design(&app, &bob, &path).await;
    assert_eq!(text(&queue(&app, &mod_, "").await[0], "design_name"), "Lantern Heron");
    app.get(&suggested).by(&bob).answer().await.expect(200);
    decide(&app, &mod_, &id, "upheld").await.expect(200);
    app.get(&suggested).by(&bob).answer().await.problem(404, "not_found");
    assert_eq!(app.get(&path).by(&mod_).answer().await.expect(200)["name"], "Lantern Heron");
    decide(&app, &mod_, &id, "dismissed").await.expect(200);
    assert_eq!(app.get(&path).by(&bob).answer().await.expect(200)["status"], "withdrawn");
    let page = app.get("/v1/me/events?after=0").by(&ada).answer().await.expect(200);
    let kinds: Vec<String> =
        page["data"].as_array().unwrap().iter().map(|event| text(event, "kind")).collect();
    assert_eq!(kinds, ["design.suggested", "design.taken_down", "design.reinstated"]);
}

/// The author of a design can report a suggested change. When the report is upheld, the author can no longer see or take the suggestion.
#[tokio::test]
async fn a_reported_suggestion_is_hidden_from_the_author() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    let mut better = heron("Lantern Heron");
    better["flavour"] = json!("Buy at my shop.");
    let suggested = json!({ "revision": 1, "message": "Visit my shop.", "design": better });
    let suggest = app.post(&format!("{path}/suggestions")).by(&bob).json(&suggested);
    let suggestion = text(&suggest.answer().await.expect(201), "id");
    let body = json!({ "design": code(&path), "suggestion": suggestion, "reason": "spam" });
    let carl = app.player("carl").await;
    report(&app, &carl, &body).await.problem(404, "not_found");
    report(&app, &bob, &body).await.problem(409, "own_report");
    let both = json!({ "design": code(&path), "suggestion": suggestion, "comment": suggestion, "reason": "spam" });
    report(&app, &ada, &both).await.problem(422, "invalid_body");
    let first = report(&app, &ada, &body).await.expect(201);
    let again = report(&app, &ada, &body).await.expect(200);
    assert_eq!((&again["id"], &again["repeated"]), (&first["id"], &json!(true)));
    // A report about the design itself is a separate report.
    report_design(&app, &carl, &path).await;

    let id = text(&first, "id");
    let shown = app.get(&format!("/v1/abuse-reports/{id}")).by(&mod_).answer().await.expect(200);
    assert_eq!(
        [
            "about",
            "design",
            "design_name",
            "suggestion",
            "suggestion_message",
            "accused",
            "reporter"
        ]
        .map(|name| text(&shown, name)),
        ["suggestion", code(&path), "Lantern Heron", &suggestion, "Visit my shop.", "bob", "ada"]
    );
    assert_eq!(shown["suggested_design"]["flavour"], "Buy at my shop.");
    app.get(&format!("/v1/abuse-reports/{id}")).by(&ada).answer().await.problem(403, "forbidden");
    for accused in [bob.id.as_str(), "Bob"] {
        let of_bob = queue(&app, &mod_, &format!("?accused={accused}")).await;
        assert_eq!(of_bob, std::slice::from_ref(&shown), "{accused}");
    }
    assert_eq!(queue(&app, &mod_, "?accused=nobody").await, Vec::<Value>::new());
    assert_eq!(queue(&app, &mod_, "").await.len(), 2);

    let place = format!("{path}/suggestions/{suggestion}");
    let take = async || {
        let take = app.post(&format!("{place}/take")).by(&ada).header("if-match", "*");
        take.answer().await
    };
    decide(&app, &mod_, &id, "upheld").await.expect(200);
    app.get(&place).by(&ada).answer().await.problem(404, "not_found");
    take().await.problem(404, "not_found");
    let listed = app.get(&format!("{path}/suggestions")).by(&ada).answer().await.expect(200);
    assert_eq!(listed["data"], json!([]));
    app.get(&place).by(&bob).answer().await.expect(200);
    let body = json!({ "design": code(&path), "suggestion": suggestion, "reason": "abuse" });
    report(&app, &ada, &body).await.problem(404, "not_found");
    assert_eq!(app.get(&path).by(&bob).answer().await.expect(200)["status"], "shared");
    assert_eq!(queue(&app, &mod_, "").await.len(), 1);

    decide(&app, &mod_, &id, "dismissed").await.expect(200);
    take().await.expect(200);
    assert_eq!(app.get(&path).answer().await.expect(200)["flavour"], "Buy at my shop.");
}

/// A ban does not keep moderators from the design that they must decide about, whether it was shared or only submitted.
/// For everybody else it does not exist.
#[tokio::test]
async fn moderators_read_reported_designs_of_banned_authors() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let admin = app.admin().await;
    let artworks = [uploaded(&app, &ada, 1).await, uploaded(&app, &ada, 2).await];
    let [with, other] = artworks.each_ref().map(|id| json!({ "artwork": { "id": id } }));
    let path = shared(&app, &ada, &changed(heron("Lantern Heron"), &with)).await;
    let submitted = begun(&app, &ada, &changed(heron("Quill Owl"), &other)).await;
    step(&app, &ada, &submitted, "submit").await.expect(200);
    let draft = begun(&app, &ada, &heron("Reed Stork")).await;
    let open = app.get(&path).by(&mod_).answer().await;
    assert_ne!(open.header("cache-control"), "private, no-store");
    assert_eq!(open.expect(200).get("author_banned"), None);
    let id = report_design(&app, &bob, &path).await;
    ban(&app, &admin, &ada, true).await;

    for (design, artwork) in [(&path, &artworks[0]), (&submitted, &artworks[1])] {
        let picture = format!("{design}/picture");
        let file = format!("/v1/artworks/{artwork}?size=small");
        for path in [design, &picture, &file] {
            let answer = app.get(path).by(&mod_).answer().await;
            assert_eq!(
                (answer.status, answer.header("cache-control").as_str()),
                (200, "private, no-store"),
                "{path}"
            );
            app.get(path).by(&bob).answer().await.problem(404, "not_found");
        }
        let picture = app.get(&picture).by(&mod_).answer().await;
        assert!(picture.text().contains("data:image/"), "with its artwork");
        assert_eq!(app.get(design).by(&mod_).answer().await.expect(200)["author_banned"], true);
    }
    // To a stranger it is what a design is that there never was.
    let mut unknown = app.get("/v1/designs/D-0000000000").answer().await.problem(404, "not_found");
    let mut hidden = app.get(&path).answer().await.problem(404, "not_found");
    for problem in [&mut unknown, &mut hidden] {
        for own in ["instance", "request_id"] {
            problem.as_object_mut().unwrap().remove(own);
        }
    }
    assert_eq!(hidden, unknown);
    // What was never given to anybody stays the author's.
    app.get(&draft).by(&mod_).answer().await.problem(404, "not_found");

    decide(&app, &mod_, &id, "upheld").await.expect(200);
    let taken = app.get(&path).by(&mod_).answer().await.expect(200);
    assert_eq!(
        (&taken["author_banned"], &taken["takedown"]["note"]),
        (&json!(true), &json!("As the book says."))
    );
    decide(&app, &mod_, &id, "dismissed").await.expect(200);
    app.get(&path).answer().await.problem(404, "not_found");
    ban(&app, &admin, &ada, false).await;
    app.get(&path).answer().await.expect(200);
}

#[tokio::test]
async fn reporters_learn_the_decision_about_their_report() {
    let app = app().await;
    let (ada, bob, eve) =
        (app.player("ada").await, app.player("bob").await, app.player("eve").await);
    let mod_ = app.moderator().await;
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    // Events do not depend on whom an account has blocked: a missing one would show who decided.
    let block = app.put(&format!("/v1/me/blocks/{}", mod_.id)).by(&bob).answer().await;
    block.expect(204);
    let settings = app.put("/v1/me/event-settings").by(&eve);
    settings.json(&json!({ "muted": ["report.decided"] })).answer().await.expect(200);
    let id = report_design(&app, &bob, &path).await;
    report_design(&app, &eve, &path).await;
    let events = async |by: &Player| {
        let page = app.get("/v1/me/events?after=0").by(by).answer().await.expect(200);
        let events = page["data"].as_array().unwrap().clone();
        events.into_iter().filter(|event| event["kind"] == "report.decided").collect::<Vec<_>>()
    };
    assert_eq!(events(&bob).await, [] as [Value; 0]);
    decide(&app, &mod_, &id, "upheld").await.expect(200);
    let told = events(&bob).await;
    let event = told[0].as_object().unwrap();
    let members: Vec<&str> = event.keys().map(String::as_str).collect();
    // There is no link to what was taken down.
    let design = json!({ "id": code(&path) });
    assert_eq!((&event["report"], &event["outcome"]), (&json!(id), &json!("upheld")));
    assert_eq!((&event["design"], members.len(), told.len()), (&design, 6, 1), "{members:?}");
    assert_eq!(events(&eve).await, [] as [Value; 0]);
    // The same decision again is no news.
    decide(&app, &mod_, &id, "upheld").await.expect(200);
    assert_eq!(events(&bob).await.len(), 1);
    decide(&app, &mod_, &id, "dismissed").await.expect(200);
    let told = events(&bob).await;
    assert_eq!((told.len(), &told[1]["outcome"]), (2, &json!("dismissed")));
    assert!(told.iter().all(|event| event["design"]["href"] == path), "{told:?}");
    assert_eq!(events(&ada).await, [] as [Value; 0]);
    // A later report of somebody else decides about the same design.
    let later = report_design(&app, &eve, &path).await;
    decide(&app, &mod_, &later, "upheld").await.expect(200);
    let told = events(&bob).await;
    assert_eq!((told.len(), &told[2]["outcome"]), (3, &json!("upheld")));
    let decided = queue(&app, &mod_, "?decided=true").await;
    assert_eq!(decided.len(), 3);
    assert!(decided.iter().all(|report| report["decision"] == "upheld"), "{decided:?}");
}

#[tokio::test]
async fn a_repeated_report_replaces_the_reason_and_the_details() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    let id = report_design(&app, &bob, &path).await;
    let stored = async || {
        let waiting = queue(&app, &mod_, "").await;
        (waiting.len(), text(&waiting[0], "reason"), text(&waiting[0], "details"))
    };
    let again = json!({ "design": code(&path), "reason": "other", "details": "Page 7." });
    let repeated = report(&app, &bob, &again).await.expect(200);
    assert_eq!((text(&repeated, "id"), &repeated["repeated"]), (id.clone(), &json!(true)));
    assert_eq!(stored().await, (1, "other".to_owned(), "Page 7.".to_owned()));
    let bare = json!({ "design": code(&path), "reason": "copyright" });
    report(&app, &bob, &bare).await.expect(200);
    assert_eq!(stored().await, (1, "copyright".to_owned(), "Page 7.".to_owned()));
    // Empty details are no details.
    let empty = json!({ "design": code(&path), "reason": "copyright", "details": " " });
    report(&app, &bob, &empty).await.expect(200);
    assert_eq!(stored().await, (1, "copyright".to_owned(), "Page 7.".to_owned()));
    let long = json!({ "design": code(&path), "reason": "spam", "details": "x".repeat(1001) });
    let refused = report(&app, &bob, &long).await.problem(422, "invalid_body");
    assert_eq!(refused["errors"][0]["detail"], "must be 0 to 1000 characters long, not 1001");
    // A decided report does not change.
    decide(&app, &mod_, &id, "dismissed").await.expect(200);
    let new = report(&app, &bob, &again).await.expect(201);
    assert_ne!(text(&new, "id"), id);
    let decided = queue(&app, &mod_, "?decided=true").await;
    assert_eq!(text(&decided[0], "reason"), "copyright");
}

/// A report contains the revision that others could read, whatever the author does afterwards, and what they read differently now.
#[tokio::test]
async fn a_report_contains_the_design_that_others_could_read() {
    let app = app().await;
    let (ada, bob, eve) =
        (app.player("ada").await, app.player("bob").await, app.player("eve").await);
    let mod_ = app.moderator().await;
    let insult = changed(heron("Lantern Heron"), &json!({ "flavour": "You fool." }));
    let path = shared(&app, &ada, &insult).await;
    let id = report_design(&app, &bob, &path).await;
    let read = async |id: &str| {
        let report = app.get(&format!("/v1/abuse-reports/{id}")).by(&mod_).answer().await;
        report.expect(200)
    };
    let seen = read(&id).await;
    let reported = &seen["reported_design"];
    let game = ["game", "kind", "flavour", "licence"].map(|member| text(reported, member));
    assert_eq!(game, ["ttcg", "unit", "You fool.", "release-1"]);
    assert_eq!((&reported["revision"], reported.get("changed_since")), (&json!(1), None));
    assert_eq!(reported["effects"], insult["effects"]);

    let meek = changed(heron("Meek Heron"), &json!({ "flavour": "It waits." }));
    put(&app, &ada, &path, "*", &meek).await.expect(200);
    let seen = read(&id).await;
    let reported = &seen["reported_design"];
    assert_eq!(
        ["design_name", "design"].map(|member| text(&seen, member)),
        ["Lantern Heron", code(&path)]
    );
    assert_eq!(
        ["name", "flavour"].map(|member| text(reported, member)),
        ["Lantern Heron", "You fool."]
    );
    let changes = json!([
        { "member": "/flavour", "before": "You fool.", "after": "It waits." },
        { "member": "/name", "before": "Lantern Heron", "after": "Meek Heron" },
    ]);
    assert_eq!(reported["changed_since"], changes);
    assert_eq!(queue(&app, &mod_, "").await, std::slice::from_ref(&seen));
    // Another report, and a repeated one, contain what their reporters could read.
    let later = report_design(&app, &eve, &path).await;
    let later = read(&later).await;
    assert_eq!(
        (text(&later, "design_name"), &later["reported_design"]["revision"]),
        ("Meek Heron".to_owned(), &json!(2))
    );
    report(&app, &eve, &json!({ "design": code(&path), "reason": "spam" })).await.expect(200);

    // What the author writes for nobody else is in no report.
    step(&app, &ada, &path, "withdraw").await.expect(200);
    let secret = changed(heron("Secret Heron"), &json!({ "flavour": "Mine alone." }));
    put(&app, &ada, &path, "*", &secret).await.expect(200);
    let seen = read(&id).await;
    assert_eq!(seen["reported_design"]["changed_since"], changes);
    for word in ["Secret", "Mine alone."] {
        assert!(!seen.to_string().contains(word), "{word}: {seen:#}");
    }
    let deletion = app.delete(&path).by(&ada).header("if-match", "*").answer().await;
    deletion.problem(409, "design_was_public");
    // Only moderators read it.
    for by in [&ada, &bob] {
        app.get(&format!("/v1/abuse-reports/{id}")).by(by).answer().await.problem(403, "forbidden");
    }

    // The decision is about the design as it is now; the report stays as it was.
    let decided = decide(&app, &mod_, &id, "upheld").await.expect(200);
    assert_eq!(decided["reported_design"], seen["reported_design"]);
    app.get(&path).by(&bob).answer().await.problem(404, "not_found");
    assert_eq!(app.get(&path).by(&mod_).answer().await.expect(200)["name"], "Meek Heron");
    decide(&app, &mod_, &id, "dismissed").await.expect(200);
    // The same content again is no change.
    let restore = app.post(&format!("{path}/restore")).by(&ada).header("if-match", "*");
    restore.json(&json!({ "revision": 1 })).answer().await.expect(200);
    step(&app, &ada, &path, "share").await.expect(200);
    let seen = read(&id).await;
    let reported = &seen["reported_design"];
    assert_eq!((&reported["revision"], reported.get("changed_since")), (&json!(1), None));
}

/// Who reports something again does not destroy what was reported first: its author may have made it harmless meanwhile.
#[tokio::test]
async fn a_repeated_report_keeps_what_was_reported_first() {
    let app = app().await;
    let (ada, bob, eve) =
        (app.player("ada").await, app.player("bob").await, app.player("eve").await);
    let mod_ = app.moderator().await;
    let insult = changed(heron("Lantern Heron"), &json!({ "flavour": "You fool." }));
    let path = shared(&app, &ada, &insult).await;
    let comments = format!("{path}/comments");
    let comment = json!({ "text": "Buy my pills." });
    let comment = app.post(&comments).by(&eve).json(&comment).answer().await.expect(201);
    let comment = text(&comment, "id");
    let of_design = json!({ "design": code(&path), "reason": "abuse" });
    let of_comment = json!({ "design": code(&path), "comment": comment, "reason": "spam" });
    let mut ids = Vec::new();
    for body in [&of_design, &of_comment] {
        ids.push(text(&report(&app, &bob, body).await.expect(201), "id"));
    }
    let read = async |at: usize| {
        let report = app.get(&format!("/v1/abuse-reports/{}", ids[at])).by(&mod_).answer().await;
        report.expect(200)
    };
    let repeat = async || {
        for body in [&of_design, &of_comment] {
            assert_eq!(report(&app, &bob, body).await.expect(200)["repeated"], true);
        }
    };
    let sent_at = [text(&read(0).await, "created_at"), text(&read(1).await, "created_at")];
    // Nothing has changed: there is nothing else to read.
    repeat().await;
    for at in [0, 1] {
        assert_eq!(read(at).await.get("first_reported"), None);
    }

    for (name, comment_text) in [("Meek Heron", "Nice card."), ("Rude Heron", "Buy them now.")] {
        put(&app, &ada, &path, "*", &heron(name)).await.expect(200);
        let edit = app.put(&format!("{comments}/{comment}")).by(&eve).header("if-match", "*");
        edit.json(&json!({ "text": comment_text })).answer().await.expect(200);
        repeat().await;
        let (design, comment) = (read(0).await, read(1).await);
        assert_eq!(text(&design["reported_design"], "name"), name);
        let first = &design["first_reported"];
        assert_eq!(text(first, "reported_at"), sent_at[0]);
        let first = &first["reported_design"];
        assert_eq!(
            ["name", "flavour"].map(|member| text(first, member)),
            ["Lantern Heron", "You fool."]
        );
        let renamed = json!({ "member": "/name", "before": "Lantern Heron", "after": name });
        assert!(first["changed_since"].as_array().unwrap().contains(&renamed), "{first:#}");
        assert_eq!(text(&comment, "comment_text"), comment_text);
        assert_eq!(
            comment["first_reported"],
            json!({ "reported_at": sent_at[1], "comment_text": "Buy my pills." })
        );
        assert_eq!(queue(&app, &mod_, "").await, [design, comment]);
    }
    // A decision changes nothing of it.
    let decided = decide(&app, &mod_, &ids[1], "upheld").await.expect(200);
    assert_eq!(text(&decided["first_reported"], "comment_text"), "Buy my pills.");
}

#[tokio::test]
async fn reports_of_older_programs_can_be_read() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    let comment = json!({ "text": "Buy my pills." });
    let comment = app.post(&format!("{path}/comments")).by(&bob).json(&comment).answer().await;
    let body = json!({ "design": code(&path), "comment": text(&comment.expect(201), "id"), "reason": "spam" });
    report(&app, &ada, &body).await.expect(201);
    report_design(&app, &bob, &path).await;
    app.sql("UPDATE abuse_reports SET reported = NULL").await;
    put(&app, &ada, &path, "*", &heron("Meek Heron")).await.expect(200);
    let waiting = queue(&app, &mod_, "").await;
    let of_comment = &waiting[0];
    assert_eq!(text(of_comment, "comment_text"), "Buy my pills.");
    assert_eq!(of_comment.get("comment_text_now"), None);
    assert_eq!(
        (text(&waiting[1], "design_name"), waiting[1].get("reported_design")),
        ("Meek Heron".to_owned(), None)
    );
}

/// What a report of an older program contained at first is not known: the first content is that of its first repetition, with the time of that.
#[tokio::test]
async fn a_report_of_an_older_program_keeps_what_its_first_repetition_contained() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    let id = report_design(&app, &bob, &path).await;
    let read =
        async || app.get(&format!("/v1/abuse-reports/{id}")).by(&mod_).answer().await.expect(200);
    let repeat = async || {
        app.clock().advance(TimeDelta::seconds(60));
        repeat_report(&app, &bob, &path).await;
        read().await
    };
    app.sql("UPDATE abuse_reports SET reported = NULL").await;
    put(&app, &ada, &path, "*", &heron("Rude Heron")).await.expect(200);
    let repeated = repeat().await;
    assert_eq!(repeated.get("first_reported"), None);
    put(&app, &ada, &path, "*", &heron("Meek Heron")).await.expect(200);
    let seen = repeat().await;
    let first = &seen["first_reported"];
    assert_eq!(
        (text(first, "reported_at"), text(&first["reported_design"], "name")),
        (text(&repeated, "created_at"), "Rude Heron".to_owned())
    );
}

/// An older program that repeats a report replaces what it contains: what was stored as the first content stays, also if nothing had changed until then.
#[tokio::test]
async fn a_repetition_of_an_older_program_keeps_what_was_reported_first() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    let id = report_design(&app, &bob, &path).await;
    let read =
        async || app.get(&format!("/v1/abuse-reports/{id}")).by(&mod_).answer().await.expect(200);
    let sent_at = text(&read().await, "created_at");
    app.clock().advance(TimeDelta::seconds(60));
    repeat_report(&app, &bob, &path).await;
    // What an older program writes when the report is repeated.
    put(&app, &ada, &path, "*", &heron("Meek Heron")).await.expect(200);
    app.sql("UPDATE abuse_reports SET reported = '{\"revision\": 2}', created_at = created_at + interval '1 second'").await;
    put(&app, &ada, &path, "*", &heron("Rude Heron")).await.expect(200);
    app.clock().advance(TimeDelta::seconds(60));
    repeat_report(&app, &bob, &path).await;
    let first = &read().await["first_reported"];
    assert_eq!(
        (text(first, "reported_at"), text(&first["reported_design"], "name")),
        (sent_at, "Lantern Heron".to_owned())
    );
}

/// Decides a report, and says which reports about the same thing were read.
async fn decide_read(
    app: &TestApp,
    by: &Player,
    report: &str,
    decision: &str,
    until: &str,
) -> Answer {
    let body = json!({ "decision": decision, "note": "I read it.", "read_until": until });
    app.post(&format!("/v1/abuse-reports/{report}/decide")).by(by).json(&body).answer().await
}

async fn reported_at(app: &TestApp, by: &Player, report: &str) -> String {
    let report = app.get(&format!("/v1/abuse-reports/{report}")).by(by).answer().await;
    text(&report.expect(200), "created_at")
}

/// A report that arrives after the moderator has read the others may be about another text: a dismissal leaves it waiting. What is upheld is hidden for all.
#[tokio::test]
async fn a_dismissal_leaves_later_reports_waiting() {
    let app = app().await;
    let (ada, bob, cid) =
        (app.player("ada").await, app.player("bob").await, app.player("cid").await);
    let (eve, mod_) = (app.player("eve").await, app.moderator().await);
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    let comment = json!({ "text": "A mild comment." });
    let comment = app.post(&format!("{path}/comments")).by(&bob).json(&comment).answer().await;
    let comment = text(&comment.expect(201), "id");
    let body = json!({ "design": code(&path), "comment": comment, "reason": "abuse" });
    let first = text(&report(&app, &cid, &body).await.expect(201), "id");
    let until = reported_at(&app, &mod_, &first).await;
    app.clock().advance(TimeDelta::seconds(1));
    let later = text(&report(&app, &eve, &body).await.expect(201), "id");
    // Sent twice, the decision is stored once, although another report waits.
    for _ in 0..2 {
        decide_read(&app, &mod_, &first, "dismissed", &until).await.expect(200);
    }
    let waiting = queue(&app, &mod_, "").await;
    assert_eq!((waiting.len(), text(&waiting[0], "id")), (1, later.clone()));
    let dismissals = "SELECT count(*) FROM audit_log WHERE action = 'abuse_report.dismissed'";
    assert_eq!(app.db().number(dismissals).await, 1);

    let until = reported_at(&app, &mod_, &later).await;
    let newest = text(&report(&app, &cid, &body).await.expect(201), "id");
    decide_read(&app, &mod_, &later, "upheld", &until).await.expect(200);
    assert_eq!(queue(&app, &mod_, "").await.len(), 0);
    let decided = queue(&app, &mod_, "?decided=true").await;
    assert_eq!(decided.len(), 3);
    for report in decided {
        assert_eq!(text(&report, "decision"), "upheld", "{report:#}");
    }
    assert_ne!(newest, first);
}

/// A report that is sent again describes what there is to read then, so that a decision about what it said before decides nothing.
#[tokio::test]
async fn a_report_that_was_sent_again_is_read_again() {
    let app = app().await;
    let (ada, bob, eve) =
        (app.player("ada").await, app.player("bob").await, app.player("eve").await);
    let mod_ = app.moderator().await;
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    let id = report_design(&app, &bob, &path).await;
    let until = reported_at(&app, &mod_, &id).await;
    put(&app, &ada, &path, "*", &heron("Rude Heron")).await.expect(200);
    let again = json!({ "design": code(&path), "reason": "abuse" });
    assert_eq!(report(&app, &bob, &again).await.expect(200)["repeated"], true);
    let refused = decide_read(&app, &mod_, &id, "dismissed", &until).await;
    let refused = refused.problem(409, "edit_conflict");
    assert!(text(&refused, "detail").contains("It was reported again"), "{refused}");
    assert_eq!(queue(&app, &mod_, "").await.len(), 1);
    let now = reported_at(&app, &mod_, &id).await;
    assert_ne!(now, until);
    decide_read(&app, &mod_, &id, "dismissed", &now).await.expect(200);
    let bad = decide_read(&app, &mod_, &id, "dismissed", "yesterday").await;
    bad.problem(422, "invalid_body");

    // What another moderator has decided meanwhile is not reversed unread, and is by whoever has read it.
    let other = app.admin().await;
    let refused =
        decide_read(&app, &other, &id, "upheld", &now).await.problem(409, "edit_conflict");
    assert!(text(&refused, "detail").contains("Another moderator has decided"), "{refused}");
    app.get(&path).answer().await.expect(200);
    let decided = &queue(&app, &mod_, "?decided=true").await[0];
    decide_read(&app, &other, &id, "upheld", &text(decided, "decided_at")).await.expect(200);
    app.get(&path).answer().await.expect(404);

    // No decision about a player hides anything: each is about what was read.
    let player = json!({ "account": ada.id, "reason": "spam" });
    let id = text(&report(&app, &bob, &player).await.expect(201), "id");
    let until = reported_at(&app, &mod_, &id).await;
    app.clock().advance(TimeDelta::seconds(1));
    let later = text(&report(&app, &eve, &player).await.expect(201), "id");
    decide_read(&app, &mod_, &later, "upheld", &until).await.problem(409, "edit_conflict");
    decide_read(&app, &mod_, &id, "upheld", &until).await.expect(200);
    let waiting = queue(&app, &mod_, "").await;
    assert_eq!((waiting.len(), text(&waiting[0], "id")), (1, later));
}
