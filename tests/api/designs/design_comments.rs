//! Comments on designs: who may write and read them, how long they can be edited, and that the counts are correct.

use chrono::Duration;
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{app, begun, heron, put, shared, step};
use crate::support::{Answer, Player, RequestExt as _, TestApp, text};

async fn comment(app: &TestApp, by: &Player, design: &str, body: &Value) -> Answer {
    app.post(&format!("{design}/comments")).by(by).json(body).answer().await
}

/// Writes a comment and returns its path.
async fn commented(app: &TestApp, by: &Player, design: &str, content: &str) -> String {
    let answer = comment(app, by, design, &json!({ "text": content })).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.header("location")
}

fn id_of(path: &str) -> &str {
    path.rsplit_once('/').unwrap().1
}

async fn reply(app: &TestApp, by: &Player, to: &str, content: &str) -> String {
    let design = to.rsplit_once("/comments").unwrap().0;
    let answer = comment(app, by, design, &json!({ "text": content, "reply_to": id_of(to) })).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.header("location")
}

/// The comments of a list, as an anonymous client sees them.
async fn listed(app: &TestApp, design: &str, query: &str) -> Vec<Value> {
    let page = app.get(&format!("{design}/comments{query}")).answer().await.expect(200);
    page["data"].as_array().unwrap().clone()
}

async fn count(app: &TestApp, design: &str) -> Value {
    app.get(design).answer().await.expect(200)["comment_count"].clone()
}

#[tokio::test]
async fn a_comment_is_written_answered_edited_and_deleted() {
    let app = app().await;
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let own_tag = app.get(&design).by(&ada).answer().await.header("etag");
    assert_eq!(own_tag, "\"r2\"");
    let content = json!({ "text": " Far *too* <cheap>.\r\n" });
    let answer = comment(&app, &ben, &design, &content).await;
    let (path, tag) = (answer.header("location"), answer.header("etag"));
    assert_eq!(tag, "\"r1\"");
    let written = answer.expect(201);
    assert_eq!(path, format!("{design}/comments/{}", text(&written, "id")));
    let members = ["state", "author", "text", "html"].map(|member| written[member].clone());
    let html = "<p>Far <em>too</em> &lt;cheap&gt;.</p>";
    assert_eq!(members, ["shown", "ben", "Far *too* <cheap>.", html].map(Value::from));
    assert_eq!((&written["reply_count"], written.get("edited_at")), (&json!(0), None));
    assert_eq!(listed(&app, &design, "").await, std::slice::from_ref(&written));
    assert_eq!(app.get(&path).answer().await.expect(200), written);

    // A comment changes the answer to the author of the design, although the revision stays the same.
    let seen = app.get(&design).by(&ada).header("if-none-match", own_tag).answer().await;
    let counted_tag = seen.header("etag");
    assert_eq!(seen.expect(200)["comment_count"], 1);
    put(&app, &ada, &design, &counted_tag, &heron("Lantern Crane")).await.expect(200);
    assert_eq!(app.get("/v1/designs").answer().await.expect(200)["data"][0]["comment_count"], 1);

    let first = reply(&app, &ada, &path, "Is it?").await;
    let second = reply(&app, &cem, &path, "It is.").await;
    let replies = listed(&app, &design, &format!("?reply_to={}", id_of(&path))).await;
    let order: Vec<String> = replies.iter().map(|reply| text(reply, "id")).collect();
    assert_eq!(order, [id_of(&first), id_of(&second)]);
    let top = listed(&app, &design, "").await;
    assert_eq!((top.len(), &top[0]["reply_count"]), (1, &json!(2)));
    assert_eq!(count(&app, &design).await, 3);

    // A reply does not change the version of the comment.
    let tag = app.get(&path).answer().await.header("etag");
    let edit = async |by: &Player, tag: &str, content: &str| {
        let edit = app.put(&path).by(by).header("if-match", tag);
        edit.json(&json!({ "text": content })).answer().await
    };
    app.put(&path).by(&ben).json(&content).answer().await.problem(428, "precondition_required");
    edit(&ben, "\"r7\"", "x").await.problem(412, "precondition_failed");
    edit(&ada, "*", "x").await.problem(404, "not_found");
    let edited = edit(&ben, &tag, "A bit cheap.").await;
    assert_eq!(edited.header("etag"), "\"r2\"");
    let edited = edited.expect(200);
    assert_eq!(edited["text"], "A bit cheap.");
    assert!(edited["edited_at"].is_string());
    edit(&ben, &tag, "x").await.problem(412, "precondition_failed");
    app.clock().advance(Duration::minutes(14));
    edit(&ben, "*", "A bit cheap!").await.expect(200);
    app.clock().advance(Duration::minutes(2));
    let (ada, ben, cem) = (
        app.log_in("ada", &ada.password).await,
        app.log_in("ben", &ben.password).await,
        app.log_in("cem", &cem.password).await,
    );
    edit(&ben, "*", "x").await.problem(409, "comment_final");

    // The place of a deleted comment stays while it has replies, and shows no other data.
    app.delete(&path).by(&cem).answer().await.problem(403, "forbidden");
    app.delete(&path).by(&ben).answer().await.expect(204);
    app.delete(&path).by(&ben).answer().await.problem(404, "not_found");
    let place = app.get(&path).answer().await;
    assert_ne!(place.header("etag"), tag);
    let place = place.expect(200);
    assert_eq!(listed(&app, &design, "").await, std::slice::from_ref(&place));
    assert_eq!((&place["state"], &place["reply_count"]), (&json!("deleted"), &json!(2)));
    for secret in ["text", "html", "author", "account_id", "edited_at"] {
        assert_eq!(place.get(secret), None);
    }
    assert_eq!(count(&app, &design).await, 2);
    edit(&ben, "*", "x").await.problem(404, "not_found");
    let late = json!({ "text": "Why?", "reply_to": id_of(&path) });
    let late = comment(&app, &cem, &design, &late).await.problem(422, "invalid_body");
    assert_eq!(late["errors"][0]["pointer"], "/reply_to");
    app.delete(&first).by(&ada).answer().await.expect(204);
    app.delete(&second).by(&cem).answer().await.expect(204);
    app.get(&path).answer().await.problem(404, "not_found");
    assert_eq!(listed(&app, &design, "").await, [] as [Value; 0]);
    assert_eq!(count(&app, &design).await, 0);
}

#[tokio::test]
async fn comments_are_as_public_as_the_design() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let body = json!({ "text": "Well." });
    let draft = begun(&app, &ada, &heron("Reed Heron")).await;
    comment(&app, &ben, &draft, &body).await.problem(404, "not_found");
    comment(&app, &ada, &draft, &body).await.problem(404, "not_found");
    app.get(&format!("{draft}/comments")).answer().await.problem(404, "not_found");

    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let path = commented(&app, &ben, &design, "Well.").await;
    app.post(&format!("{design}/comments"))
        .json(&body)
        .answer()
        .await
        .problem(401, "unauthenticated");
    step(&app, &ada, &design, "withdraw").await.expect(200);
    comment(&app, &ben, &design, &body).await.problem(404, "not_found");
    app.get(&path).answer().await.problem(404, "not_found");
    app.get(&format!("{design}/comments")).by(&ada).answer().await.problem(404, "not_found");
    let replies = format!("{design}/comments?reply_to={}", id_of(&path));
    app.get(&replies).answer().await.problem(404, "not_found");
    step(&app, &ada, &design, "share").await.expect(200);
    app.get(&path).answer().await.expect(200);

    // A thread belongs to one design, and a reply cannot have replies.
    let other = shared(&app, &ada, &heron("Reed Heron")).await;
    let deep = reply(&app, &ada, &path, "Thanks.").await;
    let elsewhere = json!({ "text": "x", "reply_to": id_of(&path) });
    let too_deep = json!({ "text": "x", "reply_to": id_of(&deep) });
    comment(&app, &ben, &other, &elsewhere).await.problem(422, "invalid_body");
    comment(&app, &ben, &design, &too_deep).await.problem(422, "invalid_body");
    let wrong_place = format!("{other}/comments/{}", id_of(&path));
    app.get(&wrong_place).answer().await.problem(404, "not_found");
    app.delete(&wrong_place).by(&ben).answer().await.problem(404, "not_found");

    // The author of a comment can delete it while the design is withdrawn.
    step(&app, &ada, &design, "withdraw").await.expect(200);
    app.delete(&path).by(&ben).answer().await.expect(204);
}

#[tokio::test]
async fn pages_of_comments_keep_their_order() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let mut paths = Vec::new();
    for place in 0..5 {
        paths.push(commented(&app, &ben, &design, &format!("Number {place}.")).await);
    }
    let page = app.get(&format!("{design}/comments?limit=2")).answer().await.expect(200);
    let cursor = text(&page, "next_cursor");
    // A comment that is created or deleted between two pages does not move the other comments.
    commented(&app, &ben, &design, "Later.").await;
    app.delete(&paths[3]).by(&ben).answer().await.expect(204);
    let rest = listed(&app, &design, &format!("?cursor={cursor}")).await;
    let texts: Vec<&str> = rest.iter().map(|comment| comment["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["Number 2.", "Number 1.", "Number 0."]);
    let wrong = app.get(&format!("{design}/comments?cursor=x")).answer().await;
    wrong.problem(400, "invalid_cursor");
}

#[tokio::test]
async fn hostile_comments_are_escaped_or_refused() {
    let app = app().await;
    let ada = app.player("ada").await;
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    for hostile in [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "[x](javascript:alert(1)) {{7*7}} ${7*7}",
        "'); DROP TABLE design_comments; --",
        "**<b>** *</p>*",
    ] {
        let path = commented(&app, &ada, &design, hostile).await;
        let read = app.get(&path).answer().await.expect(200);
        assert_eq!(read["text"], hostile);
        let html = read["html"].as_str().unwrap();
        let mut plain = html.to_owned();
        for tag in ["<p>", "</p>", "<em>", "</em>", "<strong>", "</strong>", "<br>"] {
            plain = plain.replace(tag, "");
        }
        assert!(!plain.contains(['<', '>', '"']), "{html}");
    }
    let family = "👨‍👩‍👧‍👦";
    commented(&app, &ada, &design, &family.repeat(2000)).await;
    let refused = [
        "",
        " \n ",
        "a\u{202e}b",
        "a\u{0}b",
        "a\u{1b}[2J",
        &format!("a{}", "\u{301}".repeat(40)),
        &"a".repeat(2001),
        &family.repeat(2001),
    ]
    .map(|content| json!({ "text": content }));
    let more = [json!({}), json!({ "text": 7 }), json!({ "text": "x", "hidden": true })];
    for body in refused.iter().chain(&more) {
        let problem = comment(&app, &ada, &design, body).await.problem(422, "invalid_body");
        let pointer = if body.get("hidden").is_some() { "/hidden" } else { "/text" };
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{problem}");
    }
}

#[tokio::test]
async fn comments_of_a_banned_account_are_hidden_until_the_ban_ends() {
    let app = app().await;
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    let admin = app.admin().await;
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let lonely = commented(&app, &ben, &design, "Nobody answers this.").await;
    let answered = commented(&app, &ben, &design, "Somebody answers this.").await;
    reply(&app, &cem, &answered, "I do.").await;
    let hers = commented(&app, &ada, &design, "What do you say?").await;
    reply(&app, &ben, &hers, "This.").await;
    assert_eq!(count(&app, &design).await, 5);
    let ban = async |banned: bool| {
        let change = app.patch(&format!("/v1/accounts/{}", ben.id)).by(&admin);
        change.json(&json!({ "banned": banned })).answer().await.expect(200);
    };
    ban(true).await;
    app.get(&lonely).answer().await.problem(404, "not_found");
    let place = app.get(&answered).answer().await.expect(200);
    assert_eq!((&place["state"], place.get("text")), (&json!("hidden"), None));
    assert_eq!(app.get(&hers).answer().await.expect(200)["reply_count"], 0);
    assert_eq!(listed(&app, &design, &format!("?reply_to={}", id_of(&hers))).await.len(), 0);
    assert_eq!(listed(&app, &design, "").await.len(), 2);
    assert_eq!(count(&app, &design).await, 2);
    ban(false).await;
    assert_eq!(app.get(&answered).answer().await.expect(200)["author"], "ben");
    assert_eq!(listed(&app, &design, "").await.len(), 3);
    assert_eq!(count(&app, &design).await, 5);

    // A comment that a moderator has hidden is not shown to any account, and is not counted.
    app.sql(&format!(
        "UPDATE design_comments SET hidden_at = now() WHERE id = '{}'",
        id_of(&lonely)
    ))
    .await;
    app.get(&lonely).by(&ben).answer().await.problem(404, "not_found");
    assert_eq!(count(&app, &design).await, 4);
}

#[tokio::test]
async fn new_accounts_have_a_daily_limit_of_comments() {
    let app = app().await;
    // A full hour is left, so that the day does not end during the test.
    app.begin_window();
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    for place in 0..20 {
        commented(&app, &ben, &design, &format!("{place}")).await;
    }
    let refused = comment(&app, &ben, &design, &json!({ "text": "More." })).await;
    assert!(refused.header("retry-after").parse::<u32>().unwrap() <= 24 * 60 * 60);
    assert_eq!(refused.problem(429, "daily_limit_reached")["limit"], "comments");
    // The comments of other accounts do not count, and older accounts have a higher limit.
    commented(&app, &ada, &design, "And I?").await;
    app.sql("UPDATE accounts SET created_at = created_at - interval '4 days'").await;
    commented(&app, &ben, &design, "More.").await;
}

#[tokio::test]
async fn a_repeated_request_creates_one_comment() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let other = shared(&app, &ada, &heron("Reed Heron")).await;
    let send = async |design: &str, content: &str| {
        let request =
            app.post(&format!("{design}/comments")).by(&ben).header("idempotency-key", "k");
        request.json(&json!({ "text": content })).answer().await
    };
    let first = send(&design, "Once.").await;
    let path = first.header("location");
    let again = send(&design, "Once.").await;
    assert_eq!(again.header("location"), path);
    assert_eq!(again.expect(201), first.expect(201));
    send(&design, "Twice.").await.problem(422, "idempotency_key_reused");
    send(&other, "Once.").await.problem(422, "idempotency_key_reused");
    assert_eq!(count(&app, &design).await, 1);
    // While it has replies, its place is still listed.
    let replied = reply(&app, &ada, &path, "Twice?").await;
    app.delete(&path).by(&ben).answer().await.expect(204);
    assert_eq!(app.get(&path).answer().await.expect(200)["state"], "deleted");
    send(&design, "Once.").await.problem(410, "gone");
    app.delete(&replied).by(&ada).answer().await.expect(204);
    send(&design, "Once.").await.problem(410, "gone");
}

/// Comments, replies, deletions and a ban run at the same time on two instances. The counts must equal the rows in the database.
#[tokio::test]
async fn counts_are_correct_after_parallel_requests() {
    let app = app().await;
    let other = app.second_instance();
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let thread = commented(&app, &ada, &design, "Talk to me.").await;
    let mut crowd = Vec::new();
    for number in 0..6 {
        crowd.push(app.player_owned(format!("player {number}")).await);
    }
    let talk = async |place: usize, player: &Player| {
        let app = if place.is_multiple_of(2) { &app } else { &other };
        for round in 0..3 {
            let mut body = json!({ "text": format!("{place} {round}") });
            if round > 0 {
                body["reply_to"] = id_of(&thread).into();
            }
            let answer = comment(app, player, &design, &body).await;
            if answer.status == 401 {
                return;
            }
            assert_eq!(answer.status, 201, "{}", answer.text());
            if round == 1 {
                let deleted = app.delete(&answer.header("location")).by(player).answer().await;
                assert!([204, 401].contains(&deleted.status), "{}", deleted.text());
            }
        }
    };
    let ban = async {
        let change = other.patch(&format!("/v1/accounts/{}", crowd[5].id)).by(&admin);
        change.json(&json!({ "banned": true })).answer().await.expect(200);
    };
    let talks = crowd.iter().enumerate().map(|(place, player)| talk(place, player));
    tokio::join!(join_all(talks), ban);
    let stored_comments = app
        .db()
        .number(
            "SELECT count(*) FROM design_comments c JOIN accounts a ON a.id = c.account_id \
             WHERE c.deleted_at IS NULL AND a.banned_at IS NULL",
        )
        .await;
    assert!(stored_comments > 5 * 2, "{stored_comments}");
    assert_eq!(count(&app, &design).await, stored_comments);
    let wrong = "SELECT count(*) FROM design_comments c WHERE reply_count <> (SELECT count(*) FROM design_comments r WHERE r.reply_to = c.id AND r.stands)";
    assert_eq!(app.db().number(wrong).await, 0);
}

/// The comments that the author of the design hid, as a reader sees them.
async fn hidden(app: &TestApp, by: &Player, design: &str) -> Vec<Value> {
    let page = app.get(&format!("{design}/hidden-comments")).by(by).answer().await.expect(200);
    page["data"].as_array().unwrap().clone()
}

#[tokio::test]
async fn authors_hide_comments_on_their_designs_and_show_them_again() {
    let app = app().await;
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    let mod_ = app.moderator().await;
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let path = commented(&app, &ben, &design, "Rude.").await;
    let show = async |by: &Player| app.post(&format!("{path}/show")).by(by).answer().await;
    let shown_tag = app.get(&path).answer().await.header("etag");

    // Only the author of the design hides a comment of somebody else.
    let refused = app.delete(&path).by(&cem).answer().await.problem(403, "forbidden");
    assert!(text(&refused, "detail").contains("the author of the design"), "{refused}");
    assert_eq!(refused["title"], "You may not do this");
    app.delete(&path).by(&ada).answer().await.expect(204);
    assert_eq!(count(&app, &design).await, 0);
    let gallery = app.get("/v1/designs").answer().await.expect(200);
    assert_eq!(gallery["data"][0]["comment_count"], 0);
    assert_eq!(listed(&app, &design, "").await, [] as [Value; 0]);
    app.get(&path).answer().await.problem(404, "not_found");
    app.delete(&path).by(&ada).answer().await.problem(404, "not_found");

    // The author of the design, the writer and moderators can read it.
    for reader in [&ada, &ben, &mod_] {
        let found = hidden(&app, reader, &design).await;
        let members = ["id", "state", "text", "author"].map(|name| text(&found[0], name));
        assert_eq!(members, [id_of(&path), "hidden_by_owner", "Rude.", "ben"]);
        assert_eq!(found.len(), 1);
    }
    assert_eq!(hidden(&app, &cem, &design).await, [] as [Value; 0]);
    let anonymous = app.get(&format!("{design}/hidden-comments")).answer().await;
    anonymous.problem(401, "unauthenticated");

    // While it is hidden, it cannot be changed, and nobody can reply to it.
    let edit = app.put(&path).by(&ben).header("if-match", "*").json(&json!({ "text": "x" }));
    edit.answer().await.problem(404, "not_found");
    let late = json!({ "text": "Why?", "reply_to": id_of(&path) });
    comment(&app, &cem, &design, &late).await.problem(422, "invalid_body");

    show(&ben).await.problem(403, "forbidden");
    let again = show(&ada).await;
    assert_eq!(again.header("etag"), "\"r1\"");
    let again = again.expect(200);
    assert_eq!((&again["state"], &again["text"]), (&json!("shown"), &json!("Rude.")));
    show(&ada).await.expect(200);
    assert_eq!(count(&app, &design).await, 1);
    assert_eq!(hidden(&app, &ada, &design).await, [] as [Value; 0]);

    // With replies it has a place in the list, which says who hid it.
    reply(&app, &cem, &path, "Indeed.").await;
    app.delete(&path).by(&ada).answer().await.expect(204);
    let place = listed(&app, &design, "").await;
    assert_eq!((place.len(), &place[0]["state"]), (1, &json!("hidden_by_owner")));
    assert_ne!(app.get(&path).answer().await.header("etag"), shown_tag);
    for secret in ["text", "html", "author", "account_id", "edited_at"] {
        assert_eq!(place[0].get(secret), None);
    }
    // Its writer can delete it; then it cannot be shown again.
    app.delete(&path).by(&ben).answer().await.expect(204);
    assert_eq!(hidden(&app, &ada, &design).await, [] as [Value; 0]);
    show(&ada).await.problem(404, "not_found");
    assert_eq!(listed(&app, &design, "").await[0]["state"], "deleted");
}

#[tokio::test]
async fn authors_do_not_show_what_moderators_hid() {
    let app = app().await;
    let (ada, ben, mod_) =
        (app.player("ada").await, app.player("ben").await, app.moderator().await);
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let path = commented(&app, &ben, &design, "Buy gold.").await;
    let about = json!({ "design": id_of(&design), "comment": id_of(&path), "reason": "spam" });
    let report = app.post("/v1/abuse-reports").by(&ada).json(&about).answer().await.expect(201);
    let decide = async |decision: &str| {
        let decide = app.post(&format!("/v1/abuse-reports/{}/decide", text(&report, "id")));
        let body = json!({ "decision": decision, "note": "So." });
        // Moderators read what became of the comment, and whether the owner hid it.
        let decided = decide.by(&mod_).json(&body).answer().await.expect(200);
        (text(&decided, "comment_state"), decided.get("comment_hidden_by_owner").is_some())
    };
    let now = |state: &str, owner_hid: bool| (state.to_owned(), owner_hid);
    let show = async || app.post(&format!("{path}/show")).by(&ada).answer().await;

    // A dismissed report does not show what the author of the design hid.
    app.delete(&path).by(&ada).answer().await.expect(204);
    assert_eq!(decide("dismissed").await, now("hidden_by_owner", true));
    assert_eq!(hidden(&app, &ada, &design).await.len(), 1);
    assert_eq!(count(&app, &design).await, 0);
    // An upheld one takes the decision from the author of the design.
    assert_eq!(decide("upheld").await, now("hidden", true));
    assert_eq!(hidden(&app, &ada, &design).await, [] as [Value; 0]);
    assert_eq!(hidden(&app, &ben, &design).await, [] as [Value; 0]);
    show().await.problem(404, "not_found");
    app.delete(&path).by(&ada).answer().await.problem(404, "not_found");
    // Moderators may decide the same twice.
    decide("upheld").await;
    // The reversed decision takes back only what the moderator did.
    decide("dismissed").await;
    assert_eq!(count(&app, &design).await, 0);
    assert_eq!(hidden(&app, &ada, &design).await[0]["state"], "hidden_by_owner");
    show().await.expect(200);
    assert_eq!(count(&app, &design).await, 1);
    // What only the moderator hid is shown again.
    assert_eq!(decide("upheld").await, now("hidden", false));
    assert_eq!(count(&app, &design).await, 0);
    assert_eq!(decide("dismissed").await, now("shown", false));
    assert_eq!(count(&app, &design).await, 1);
    assert_eq!(hidden(&app, &ada, &design).await, [] as [Value; 0]);
    // With a reply the comment has a place, which says who removed it. Another state is another answer.
    reply(&app, &ada, &path, "No.").await;
    decide("upheld").await;
    let place = app.get(&path).answer().await;
    let tag = place.header("etag");
    assert_eq!(place.expect(200)["state"], "hidden");
    app.delete(&path).by(&ben).answer().await.expect(204);
    let place = app.get(&path).header("if-none-match", tag).answer().await;
    assert_eq!(place.expect(200)["state"], "deleted");
    assert_eq!(decide("upheld").await, now("deleted", false));
}

/// A report contains the text that others could read, whatever the author of the comment does afterwards, and the text now.
#[tokio::test]
async fn a_report_contains_the_comment_that_others_could_read() {
    let app = app().await;
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    let mod_ = app.moderator().await;
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let path = commented(&app, &ben, &design, "You fool.").await;
    let report = async |by: &Player| {
        let about = json!({ "design": id_of(&design), "comment": id_of(&path), "reason": "abuse" });
        let report = app.post("/v1/abuse-reports").by(by).json(&about).answer().await;
        text(&report.json(), "id")
    };
    let edit = async |content: &str| {
        let edit = app.put(&path).by(&ben).header("if-match", "*");
        edit.json(&json!({ "text": content })).answer().await.expect(200);
    };
    let texts = async |id: &str| {
        let found =
            app.get(&format!("/v1/abuse-reports/{id}")).by(&mod_).answer().await.expect(200);
        (text(&found, "comment_text"), found.get("comment_text_now").cloned())
    };
    let said = |then: &str, now: Option<&str>| (then.to_owned(), now.map(Value::from));
    let id = report(&ada).await;
    assert_eq!(texts(&id).await, said("You fool.", None));
    edit("Nice card.").await;
    assert_eq!(texts(&id).await, said("You fool.", Some("Nice card.")));
    assert_eq!(texts(&report(&cem).await).await, said("Nice card.", None));
    app.get(&format!("/v1/abuse-reports/{id}")).by(&ada).answer().await.problem(403, "forbidden");
    // The decision is about the comment as it is now; the report stays as it was.
    let decide = async |decision: &str| {
        let body = json!({ "decision": decision, "note": "So." });
        let decide = app.post(&format!("/v1/abuse-reports/{id}/decide")).by(&mod_);
        decide.json(&body).answer().await.expect(200)
    };
    let decided = decide("upheld").await;
    let members = ["comment_text", "comment_text_now", "comment_state"];
    assert_eq!(members.map(|member| text(&decided, member)), ["You fool.", "Nice card.", "hidden"]);
    app.get(&path).answer().await.problem(404, "not_found");
    decide("dismissed").await;
    assert_eq!(app.get(&path).answer().await.expect(200)["text"], "Nice card.");
    edit("You fool.").await;
    assert_eq!(texts(&id).await, said("You fool.", None));
}
