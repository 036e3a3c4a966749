//! Comments on decks: who may write and read them, and which accounts get events.
//! The tests of design comments cover the behaviour that both kinds of comments share.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{app, show, stored};
use crate::support::{Answer, Player, RequestExt as _, TestApp, text};

async fn comment(app: &TestApp, by: &Player, deck: &str, body: &Value) -> Answer {
    app.post(&format!("{deck}/comments")).by(by).json(body).answer().await
}

/// Writes a comment and returns its path.
async fn commented(app: &TestApp, by: &Player, deck: &str, content: &str) -> String {
    let answer = comment(app, by, deck, &json!({ "text": content })).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.header("location")
}

fn id_of(path: &str) -> &str {
    path.rsplit_once('/').unwrap().1
}

async fn reply(app: &TestApp, by: &Player, to: &str, content: &str) -> String {
    let deck = to.rsplit_once("/comments").unwrap().0;
    let answer = comment(app, by, deck, &json!({ "text": content, "reply_to": id_of(to) })).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.header("location")
}

async fn listed(app: &TestApp, deck: &str, query: &str) -> Vec<Value> {
    let page = app.get(&format!("{deck}/comments{query}")).answer().await.expect(200);
    page["data"].as_array().unwrap().clone()
}

async fn count(app: &TestApp, deck: &str) -> Value {
    app.get(deck).answer().await.expect(200)["comment_count"].clone()
}

/// Kinds of the events of an account, with the paths of the comments.
async fn comment_events(app: &TestApp, player: &Player) -> Vec<(String, String)> {
    let events = app.get("/v1/me/events").by(player).answer().await.expect(200);
    let entries = events["data"].as_array().unwrap().iter();
    entries.map(|event| (text(event, "kind"), text(&event["comment"], "href"))).collect()
}

#[tokio::test]
async fn a_comment_is_written_answered_edited_and_deleted() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let deck = stored(&app, &ada, "Embers", "public").await;
    let answer = comment(&app, &ben, &deck, &json!({ "text": " Far *too* <cheap>.\r\n" })).await;
    let (path, tag) = (answer.header("location"), answer.header("etag"));
    let written = answer.expect(201);
    assert_eq!(path, format!("{deck}/comments/{}", text(&written, "id")));
    let members = ["state", "author", "text", "html"].map(|member| written[member].clone());
    let html = "<p>Far <em>too</em> &lt;cheap&gt;.</p>";
    assert_eq!(members, ["shown", "ben", "Far *too* <cheap>.", html].map(Value::from));
    assert_eq!(listed(&app, &deck, "").await, std::slice::from_ref(&written));
    assert_eq!(app.get(&path).answer().await.expect(200), written);

    let answered = reply(&app, &ada, &path, "Is it?").await;
    assert_eq!(listed(&app, &deck, &format!("?reply_to={}", id_of(&path))).await.len(), 1);
    assert_eq!(count(&app, &deck).await, 2);
    // Each player gets an event with the path of the comment that the other player wrote.
    assert_eq!(comment_events(&app, &ada).await, [("deck.commented".to_owned(), path.clone())]);
    assert_eq!(comment_events(&app, &ben).await, [("deck.replied".to_owned(), answered.clone())]);

    let edit = async |by: &Player, tag: &str| {
        let edit = app.put(&path).by(by).header("if-match", tag);
        edit.json(&json!({ "text": "A bit cheap." })).answer().await
    };
    edit(&ada, "*").await.problem(404, "not_found");
    edit(&ben, "\"r7\"").await.problem(412, "precondition_failed");
    assert_eq!(edit(&ben, &tag).await.expect(200)["text"], "A bit cheap.");
    let bare = app.put(&path).by(&ben).json(&json!({ "text": "x" })).answer().await;
    bare.problem(428, "precondition_required");
    comment(&app, &ben, &deck, &json!({ "text": "" })).await.problem(422, "invalid_body");

    // Another player reads the comment, and cannot delete it.
    let cem = app.player("cem").await;
    let refused = app.delete(&path).by(&cem).answer().await.problem(403, "forbidden");
    assert!(text(&refused, "detail").starts_with("Only its author can"), "{refused}");
    app.delete(&path).by(&ben).answer().await.expect(204);
    let place = app.get(&path).answer().await.expect(200);
    assert_eq!((&place["state"], place.get("text")), (&json!("deleted"), None));
    app.delete(&answered).by(&ada).answer().await.expect(204);
    app.get(&path).answer().await.problem(404, "not_found");
    assert_eq!(count(&app, &deck).await, 0);
    // A repeated request with the same idempotency key creates one comment.
    let send = async |deck: &str| {
        let request = app.post(&format!("{deck}/comments")).by(&ben).header("idempotency-key", "k");
        request.json(&json!({ "text": "Once." })).answer().await
    };
    assert_eq!(send(&deck).await.header("location"), send(&deck).await.header("location"));
    let other = stored(&app, &ada, "Bones", "public").await;
    send(&other).await.problem(422, "idempotency_key_reused");
    assert_eq!(count(&app, &deck).await, 1);
}

#[tokio::test]
async fn comments_are_as_public_as_the_deck() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let body = json!({ "text": "Well." });
    let private = stored(&app, &ada, "Secret", "private").await;
    let absent = "/v1/decks/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";
    for path in [private.as_str(), absent] {
        comment(&app, &ben, path, &body).await.problem(404, "not_found");
        app.get(&format!("{path}/comments")).by(&ben).answer().await.problem(404, "not_found");
    }
    let deck = stored(&app, &ada, "Embers", "public").await;
    let path = commented(&app, &ben, &deck, "Well.").await;
    let unlisted = stored(&app, &ada, "For friends", "unlisted").await;
    commented(&app, &ben, &unlisted, "Well.").await;

    let assert_not_found = async || {
        comment(&app, &ben, &deck, &body).await.problem(404, "not_found");
        for reader in [&ada, &ben] {
            app.get(&path).by(reader).answer().await.problem(404, "not_found");
            app.get(&format!("{deck}/comments"))
                .by(reader)
                .answer()
                .await
                .problem(404, "not_found");
        }
        let edit = app.put(&path).by(&ben).header("if-match", "*").json(&body).answer().await;
        edit.problem(404, "not_found");
    };
    show(&app, &ada, &deck, "private").await;
    assert_not_found().await;
    show(&app, &ada, &deck, "public").await;
    assert_eq!(app.get(&path).answer().await.expect(200)["text"], "Well.");
    app.delete(&deck).by(&ada).header("if-match", "*").answer().await.expect(204);
    assert_not_found().await;
    app.post(&format!("{deck}/undelete")).by(&ada).answer().await.expect(200);
    assert_eq!(count(&app, &deck).await, 1);
    assert_eq!(listed(&app, &deck, "").await.len(), 1);

    // A reply must be on the deck of the comment that it answers, and a comment is found only under its own deck.
    let elsewhere = json!({ "text": "x", "reply_to": id_of(&path) });
    let problem = comment(&app, &ben, &unlisted, &elsewhere).await.problem(422, "invalid_body");
    assert!(text(&problem["errors"][0], "detail").contains("on this deck"), "{problem:#}");
    let wrong = format!("{unlisted}/comments/{}", id_of(&path));
    app.get(&wrong).answer().await.problem(404, "not_found");
    app.delete(&wrong).by(&ben).answer().await.problem(404, "not_found");
    // The author of a comment can delete it while the deck is private and nobody can read the comment.
    show(&app, &ada, &deck, "private").await;
    app.delete(&path).by(&ben).answer().await.expect(204);
    show(&app, &ada, &deck, "public").await;
    assert_eq!(count(&app, &deck).await, 0);
}

#[tokio::test]
async fn blocks_bans_and_event_settings_apply_to_comments() {
    let app = app().await;
    // No day ends during the test: the clock is at the beginning of an hour.
    app.begin_window();
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    let admin = app.admin().await;
    let deck = stored(&app, &ada, "Embers", "public").await;
    let hers = commented(&app, &ada, &deck, "What do you say?").await;
    let his = commented(&app, &ben, &deck, "This.").await;
    reply(&app, &cem, &his, "That.").await;
    app.put(&format!("/v1/me/blocks/{}", ben.id)).by(&ada).answer().await.expect(204);
    let refused = comment(&app, &ben, &deck, &json!({ "text": "More." })).await;
    refused.problem(403, "feedback_refused");
    let edit = app.put(&his).by(&ben).header("if-match", "*").json(&json!({ "text": "More." }));
    edit.answer().await.problem(403, "feedback_refused");
    app.put(&format!("/v1/me/blocks/{}", cem.id)).by(&ben).answer().await.expect(204);
    let answer = json!({ "text": "More.", "reply_to": id_of(&his) });
    comment(&app, &cem, &deck, &answer).await.problem(403, "feedback_refused");

    let ban = async |banned: bool| {
        let change = app.patch(&format!("/v1/accounts/{}", ben.id)).by(&admin);
        change.json(&json!({ "banned": banned })).answer().await.expect(200);
    };
    ban(true).await;
    let place = app.get(&his).answer().await.expect(200);
    assert_eq!((&place["state"], place.get("text")), (&json!("hidden"), None));
    assert_eq!(count(&app, &deck).await, 2);
    ban(false).await;
    assert_eq!(
        (app.get(&his).answer().await.expect(200)["author"].clone(), count(&app, &deck).await),
        ("ben".into(), 3.into())
    );

    let muted = json!({ "muted": ["deck.commented"] });
    app.put("/v1/me/event-settings").by(&ada).json(&muted).answer().await.expect(200);
    let before = comment_events(&app, &ada).await.len();
    commented(&app, &cem, &deck, "Again.").await;
    assert_eq!(comment_events(&app, &ada).await.len(), before);
    reply(&app, &cem, &hers, "Again.").await;
    assert_eq!(comment_events(&app, &ada).await.last().unwrap().0, "deck.replied");
    for _ in 0..17 {
        commented(&app, &cem, &deck, "Again.").await;
    }
    comment(&app, &cem, &deck, &json!({ "text": "Again." }))
        .await
        .problem(429, "daily_limit_reached");
}

#[tokio::test]
async fn comments_on_decks_and_designs_share_one_daily_limit() {
    let app = crate::designs::app().await;
    // No day ends during the test: the clock is at the beginning of an hour.
    app.begin_window();
    let ada = app.player("ada").await;
    let deck = stored(&app, &ada, "Embers", "public").await;
    let design = crate::designs::heron("Lantern Heron");
    let design = crate::designs::shared(&app, &ada, &design).await;
    // Each account is new, and has 20 comments a day.
    let names = ["decks only", "designs only", "mostly decks", "mostly designs"];
    for (name, on_decks) in names.into_iter().zip([20, 0, 19, 1]) {
        let player = app.player(name).await;
        for place in 0..20 {
            let about = if place < on_decks { &deck } else { &design };
            commented(&app, &player, about, &format!("{place}")).await;
        }
        for about in [&deck, &design] {
            let refused = comment(&app, &player, about, &json!({ "text": "More." })).await;
            refused.problem(429, "daily_limit_reached");
        }
    }
    assert_eq!((count(&app, &deck).await, count(&app, &design).await), (40.into(), 40.into()));
}

#[tokio::test]
async fn moderators_hide_comments_at_once_or_after_a_report() {
    let app = app().await;
    let (ada, ben, mod_) =
        (app.player("ada").await, app.player("ben").await, app.moderator().await);
    let deck = stored(&app, &ada, "Embers", "public").await;
    let (first, second) = (
        commented(&app, &ben, &deck, "Buy gold.").await,
        commented(&app, &ben, &deck, "Buy more gold.").await,
    );
    let report = async |by: &Player, body: Value| {
        app.post("/v1/abuse-reports").by(by).json(&body).answer().await
    };
    let deck_id = id_of(&deck);
    let both = json!({ "deck": deck_id, "suggestion": deck_id, "reason": "spam" });
    report(&ada, both).await.problem(422, "invalid_body");
    let about =
        |comment: &str| json!({ "deck": deck_id, "comment": id_of(comment), "reason": "spam" });
    report(&ben, about(&first)).await.problem(409, "own_report");
    let created = report(&ada, about(&first)).await.expect(201);
    assert_eq!(report(&ada, about(&first)).await.expect(200)["id"], created["id"]);
    let waiting = app.get("/v1/abuse-reports").by(&mod_).answer().await.expect(200);
    let waiting = &waiting["data"][0];
    let members =
        ["about", "deck", "deck_name", "comment_text", "accused"].map(|name| text(waiting, name));
    assert_eq!(members, ["comment", deck_id, "Embers", "Buy gold.", "ben"]);
    assert_eq!(waiting.get("design"), None);
    let decide = async |decision: &str| {
        let path = format!("/v1/abuse-reports/{}/decide", text(&created, "id"));
        let body = json!({ "decision": decision, "note": "So." });
        app.post(&path).by(&mod_).json(&body).answer().await.expect(200);
    };
    decide("upheld").await;
    app.get(&first).answer().await.problem(404, "not_found");
    assert_eq!(count(&app, &deck).await, 1);
    report(&ada, about(&first)).await.problem(404, "not_found");
    decide("dismissed").await;
    app.get(&first).answer().await.expect(200);

    // A moderator can hide a comment without a report, but not with a token that has only the scope decks:write.
    let token = json!({ "name": "t", "scopes": ["decks:write"] });
    let token = app.post("/v1/tokens").by(&mod_).json(&token).answer().await.expect(201);
    let small = app.delete(&second).bearer_auth(text(&token, "secret")).answer().await;
    small.problem(403, "forbidden");
    app.delete(&second).by(&mod_).answer().await.expect(204);
    app.delete(&second).by(&mod_).answer().await.problem(404, "not_found");
    app.get(&second).by(&ben).answer().await.problem(404, "not_found");
    assert_eq!(count(&app, &deck).await, 1);
    // The moderator can show the comment again, as after a decision on a report.
    let decided = app.get("/v1/abuse-reports?decided=true").by(&mod_).answer().await.expect(200);
    let hidden =
        decided["data"].as_array().unwrap().iter().find(|one| one["comment"] == id_of(&second));
    let hidden = hidden.unwrap();
    assert_eq!((&hidden["reporter_id"], &hidden["decision"]), (&json!(mod_.id), &json!("upheld")));
    let log = format!(
        "SELECT string_agg(action, ' ') FROM audit_log WHERE target = 'comment:{}'",
        id_of(&second)
    );
    assert_eq!(app.db().value(&log).await, "abuse_report.upheld");
    let path = format!("/v1/abuse-reports/{}/decide", text(hidden, "id"));
    let body = json!({ "decision": "dismissed", "note": "So." });
    app.post(&path).by(&mod_).json(&body).answer().await.expect(200);
    app.get(&second).answer().await.expect(200);

    // A comment on a private deck cannot be reported.
    show(&app, &ada, &deck, "private").await;
    report(&ada, about(&first)).await.problem(404, "not_found");
}

/// Comments, replies, deletions, edits of the deck and a ban run at the same time on two instances. The counts must equal the rows in the database.
#[tokio::test]
async fn counts_are_correct_after_parallel_requests() {
    let app = app().await;
    let other = app.second_instance();
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let deck = stored(&app, &ada, "Embers", "public").await;
    let thread = commented(&app, &ada, &deck, "Talk to me.").await;
    let mut crowd = Vec::new();
    for number in 0..5 {
        crowd.push(app.player_owned(format!("player {number}")).await);
    }
    let talk = async |place: usize, player: &Player| {
        let app = if place.is_multiple_of(2) { &app } else { &other };
        for round in 0..3 {
            let mut body = json!({ "text": format!("{place} {round}") });
            if round > 0 {
                body["reply_to"] = id_of(&thread).into();
            }
            let answer = comment(app, player, &deck, &body).await;
            if answer.status == 401 {
                return;
            }
            assert_eq!(answer.status, 201, "{}", answer.text());
            let liked = app.put(&format!("{deck}/like")).by(player).answer().await;
            assert!([200, 401].contains(&liked.status), "{}", liked.text());
            if round == 1 {
                let deleted = app.delete(&answer.header("location")).by(player).answer().await;
                assert!([204, 401].contains(&deleted.status), "{}", deleted.text());
            }
        }
    };
    let ban = async {
        let change = other.patch(&format!("/v1/accounts/{}", crowd[4].id)).by(&admin);
        change.json(&json!({ "banned": true })).answer().await.expect(200);
    };
    let edits = async {
        for _ in 0..4 {
            show(&app, &ada, &deck, "public").await;
        }
    };
    let talks = crowd.iter().enumerate().map(|(place, player)| talk(place, player));
    tokio::join!(join_all(talks), ban, edits);
    let stored_comments = "SELECT count(*) FROM design_comments c JOIN accounts a ON a.id = c.account_id WHERE c.deleted_at IS NULL AND a.banned_at IS NULL";
    let stored_comments = app.db().number(stored_comments).await;
    assert!(stored_comments > 4 * 2, "{stored_comments}");
    let seen = app.get(&deck).answer().await.expect(200);
    assert_eq!((&seen["comment_count"], &seen["likes"]), (&json!(stored_comments), &json!(4)));
    let wrong = "SELECT count(*) FROM design_comments c WHERE reply_count <> (SELECT count(*) FROM design_comments r WHERE r.reply_to = c.id AND r.stands)";
    assert_eq!(app.db().number(wrong).await, 0);
}

#[tokio::test]
async fn owners_hide_comments_on_their_decks_and_show_them_again() {
    let app = app().await;
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    let deck = stored(&app, &ada, "Embers", "public").await;
    let other = stored(&app, &cem, "Bones", "public").await;
    let path = commented(&app, &ben, &deck, "Rude.").await;
    let hidden = async |by: &Player| {
        let path = format!("{deck}/hidden-comments");
        let page = app.get(&path).by(by).answer().await.expect(200);
        page["data"].as_array().unwrap().len()
    };
    // The owner of another deck does not hide it under that deck.
    let wrong = format!("{other}/comments/{}", id_of(&path));
    app.delete(&wrong).by(&cem).answer().await.problem(404, "not_found");
    app.delete(&path).by(&ada).answer().await.expect(204);
    assert_eq!(count(&app, &deck).await, 0);
    app.get(&path).answer().await.problem(404, "not_found");
    assert_eq!([hidden(&ada).await, hidden(&ben).await, hidden(&cem).await], [1, 1, 0]);
    // Where the deck is private, its hidden comments are as hidden as the others.
    show(&app, &ada, &deck, "private").await;
    let list = format!("{deck}/hidden-comments");
    app.get(&list).by(&ben).answer().await.problem(404, "not_found");
    app.post(&format!("{path}/show")).by(&ada).answer().await.problem(404, "not_found");
    show(&app, &ada, &deck, "public").await;
    app.post(&format!("{path}/show")).by(&ben).answer().await.problem(403, "forbidden");
    let shown = app.post(&format!("{path}/show")).by(&ada).answer().await.expect(200);
    assert_eq!((text(&shown, "state"), text(&shown, "text")), ("shown".into(), "Rude.".into()));
    assert_eq!(count(&app, &deck).await, 1);
}

/// A report contains the text that others could read, whatever the author of the comment and the owner of the deck do afterwards.
#[tokio::test]
async fn a_report_contains_the_comment_that_others_could_read() {
    let app = app().await;
    let (ada, ben, mod_) =
        (app.player("ada").await, app.player("ben").await, app.moderator().await);
    let deck = stored(&app, &ada, "Embers", "public").await;
    let path = commented(&app, &ben, &deck, "You fool.").await;
    let about = json!({ "deck": id_of(&deck), "comment": id_of(&path), "reason": "abuse" });
    let report = async || {
        let report = app.post("/v1/abuse-reports").by(&ada).json(&about).answer().await;
        text(&report.json(), "id")
    };
    let id = report().await;
    let edit = app.put(&path).by(&ben).header("if-match", "*");
    edit.json(&json!({ "text": "Nice deck." })).answer().await.expect(200);
    let texts = async || {
        let report = app.get(&format!("/v1/abuse-reports/{id}")).by(&mod_).answer().await;
        let report = report.expect(200);
        let members = ["comment_text", "comment_text_now", "deck_name"];
        members.map(|member| report.get(member).cloned().unwrap_or_default())
    };
    assert_eq!(texts().await, ["You fool.", "Nice deck.", "Embers"]);
    show(&app, &ada, &deck, "private").await;
    assert_eq!(texts().await, [json!("You fool."), json!("Nice deck."), Value::Null]);
    show(&app, &ada, &deck, "public").await;
    // A repeated report contains what the reporter could read then.
    assert_eq!(report().await, id);
    assert_eq!(texts().await, [json!("Nice deck."), Value::Null, json!("Embers")]);
}
