//! Events link what their account can read at the moment, and nothing else.

use serde_json::{Value, json};

use super::blocks::{comment, heron, shared};
use crate::support::{Player, RequestExt as _, TestApp, text};

/// The kind and the member of each link in an account's events. Each object that is linked can be read, and no other.
async fn linked(app: &TestApp, by: &Player) -> Vec<(String, &'static str)> {
    let page = app.get("/v1/me/events?after=0").by(by).answer().await.expect(200);
    let mut linked = Vec::new();
    for event in page["data"].as_array().unwrap() {
        let design = event["design"]["id"].as_str().unwrap_or_default();
        let design = format!("/v1/designs/{design}");
        for (member, path) in [
            ("design", design.clone()),
            ("comment", format!("{design}/comments/{}", text_of(&event["comment"]))),
            ("suggestion", format!("{design}/suggestions/{}", text_of(&event["suggestion"]))),
        ] {
            let Some(object) = event.get(member) else { continue };
            let expected = if object.get("href").is_some() { 200 } else { 404 };
            let found = app.get(&path).by(by).answer().await.status;
            assert_eq!(found, expected, "{member} of {event:#}");
            if let Some(href) = object.get("href") {
                assert_eq!(*href, json!(path));
                linked.push((text(event, "kind"), member));
            }
        }
    }
    linked
}

fn text_of(object: &Value) -> &str {
    object["id"].as_str().unwrap_or_default()
}

/// Reports an object, and returns the path of the decision.
async fn reported(app: &TestApp, by: &Player, body: Value) -> String {
    let report = app.post("/v1/abuse-reports").by(by).json(&body).answer().await.expect(201);
    format!("/v1/abuse-reports/{}/decide", text(&report, "id"))
}

async fn decide(app: &TestApp, by: &Player, path: &str, decision: &str) {
    let body = json!({ "decision": decision, "note": "As the rules say." });
    app.post(path).by(by).json(&body).answer().await.expect(200);
}

#[tokio::test]
async fn designs_comments_and_suggestions_are_linked_while_they_can_be_read() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    let mod_ = app.moderator().await;
    let design = shared(&app, &ada, "Heron").await;
    let id = design.rsplit_once('/').unwrap().1;
    let first = text(&comment(&app, &ben, &design, None).await.expect(201), "id");
    let reply = text(&comment(&app, &cem, &design, Some(&first)).await.expect(201), "id");
    let body = json!({ "revision": 1, "message": "So?", "design": heron("Egret") });
    let suggested = app.post(&format!("{design}/suggestions")).by(&ben).json(&body).answer().await;
    let suggestion = suggested.header("location");
    app.post(&format!("{suggestion}/decline")).by(&ada).answer().await.expect(200);
    let suggestion = suggestion.rsplit_once('/').unwrap().1;
    let links = |of: &[(&str, &'static str)]| -> Vec<(String, &'static str)> {
        of.iter().map(|(kind, member)| ((*kind).to_owned(), *member)).collect()
    };
    let of_author = links(&[
        ("design.commented", "design"),
        ("design.commented", "comment"),
        ("design.commented", "design"),
        ("design.commented", "comment"),
        ("design.suggested", "design"),
        ("design.suggested", "suggestion"),
    ]);
    let of_ben = links(&[
        ("design.replied", "design"),
        ("design.replied", "comment"),
        ("design.suggestion_declined", "design"),
        ("design.suggestion_declined", "suggestion"),
    ]);
    assert_eq!((linked(&app, &ada).await, linked(&app, &ben).await), (of_author, of_ben));

    // A comment and a suggestion that moderators hid.
    let hide = reported(&app, &ada, json!({ "design": id, "comment": reply, "reason": "spam" }));
    let hide = hide.await;
    decide(&app, &mod_, &hide, "upheld").await;
    let unwanted = json!({ "design": id, "suggestion": suggestion, "reason": "spam" });
    decide(&app, &mod_, &reported(&app, &ada, unwanted).await, "upheld").await;
    let events = linked(&app, &ada).await;
    let hidden = [("design.commented", "comment"), ("design.suggested", "suggestion")];
    for (kind, member) in hidden {
        let count = events.iter().filter(|(of, part)| of == kind && *part == member).count();
        assert_eq!(count, usize::from(member == "comment"), "{events:?}");
    }
    decide(&app, &mod_, &hide, "dismissed").await;

    // A design that was taken down is linked for its author only, and its comments for nobody.
    let down = reported(&app, &cem, json!({ "design": id, "reason": "copyright" })).await;
    decide(&app, &mod_, &down, "upheld").await;
    let of_author = linked(&app, &ada).await;
    assert!(!of_author.is_empty(), "the author still reads the design");
    assert!(of_author.iter().all(|(_, member)| *member == "design"), "{of_author:?}");
    assert_eq!(linked(&app, &cem).await, []);
    // Of the suggestion of another player, not even that player reads anything now.
    assert_eq!(linked(&app, &ben).await, []);
    decide(&app, &mod_, &down, "dismissed").await;
    assert_eq!(linked(&app, &ben).await.len(), 4);
    assert_eq!(linked(&app, &cem).await.last().unwrap(), &("report.decided".to_owned(), "design"));

    // A withdrawn design stays readable, but its comments are no longer shown. A ban hides everything.
    let withdraw = app.post(&format!("{design}/withdraw")).by(&ada).header("if-match", "*");
    withdraw.answer().await.expect(200);
    let of_ben = linked(&app, &ben).await;
    assert!(of_ben.iter().any(|(_, member)| *member == "design"), "{of_ben:?}");
    assert!(of_ben.iter().all(|(_, member)| *member != "comment"), "{of_ben:?}");
    let ban = app.patch(&format!("/v1/accounts/{}", ada.id)).by(&app.admin().await);
    ban.json(&json!({ "banned": true })).answer().await.expect(200);
    assert_eq!(linked(&app, &ben).await, []);
}
