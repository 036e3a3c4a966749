//! Events about designs: an account gets the events that concern it, except for the kinds that it has muted.

use serde_json::{Value, json};

use super::blocks::{block, comment, heron, shared};
use crate::support::{Player, RequestExt as _, TestApp, text};

#[tokio::test]
async fn design_events_are_created_once_for_the_accounts_concerned() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    let events_of = async |player: &Player| {
        let page = app.get("/v1/me/events?after=0").by(player).answer().await.expect(200);
        let events = page["data"].as_array().unwrap().clone();
        let kinds: Vec<String> = events.iter().map(|event| text(event, "kind")).collect();
        (kinds, events)
    };
    let design = shared(&app, &ada, "Heron").await;
    let id = design.rsplit_once('/').unwrap().1;
    let first = text(&comment(&app, &ben, &design, None).await.expect(201), "id");
    let answer = text(&comment(&app, &cem, &design, Some(&first)).await.expect(201), "id");
    comment(&app, &ada, &design, Some(&first)).await.expect(201);
    comment(&app, &ben, &design, Some(&first)).await.expect(201);
    comment(&app, &ada, &design, None).await.expect(201);
    let (kinds, events) = events_of(&ada).await;
    assert_eq!(kinds, ["design.commented"; 3], "own comments create no event");
    let href = format!("{design}/comments/{first}");
    assert_eq!(events[0]["comment"], json!({ "id": first, "href": href }));
    assert_eq!(events[0]["design"], json!({ "id": id, "href": design }));
    app.get(&href).answer().await.expect(200);
    let (kinds, events) = events_of(&ben).await;
    assert_eq!(kinds, ["design.replied"; 2]);
    assert_eq!(events[0]["comment"]["id"], answer);
    assert!(events_of(&cem).await.0.is_empty());

    let suggest = async |name: &str, revision: i64| {
        let body = json!({ "revision": revision, "message": "So?", "design": heron(name) });
        let created =
            app.post(&format!("{design}/suggestions")).by(&ben).json(&body).answer().await;
        created.header("location")
    };
    let (one, two) = (suggest("Egret", 1).await, suggest("Crane", 1).await);
    app.post(&format!("{one}/take")).by(&ada).header("if-match", "*").answer().await.expect(200);
    app.post(&format!("{two}/decline")).by(&ada).answer().await.expect(200);
    let three = suggest("Rail", 2).await;
    app.post(&format!("{three}/withdraw")).by(&ben).answer().await.expect(200);
    let (kinds, events) = events_of(&ada).await;
    assert_eq!(kinds[3..], ["design.suggested"; 3]);
    assert_eq!(events[3]["suggestion"]["href"], one);
    let (kinds, events) = events_of(&ben).await;
    assert_eq!(kinds[2..], ["design.suggestion_taken", "design.suggestion_declined"]);
    assert_eq!(events[2]["suggestion"]["href"], one);
}

#[tokio::test]
async fn events_about_designs_can_be_turned_off() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let design = shared(&app, &ada, "Heron").await;
    let path = "/v1/me/event-settings";
    let mute =
        async |muted: Value| app.put(path).by(&ada).json(&json!({ "muted": muted })).answer().await;
    assert_eq!(app.get(path).by(&ada).answer().await.expect(200), json!({ "muted": [] }));
    let refused = mute(json!(["design.commented", "trade.offered", "x"])).await;
    let refused = refused.problem(422, "invalid_body");
    assert_eq!(refused["errors"].as_array().unwrap().len(), 2);
    let too_long = mute(json!(vec!["design.commented"; 12])).await.problem(422, "invalid_body");
    assert_eq!(too_long["errors"].as_array().unwrap().len(), 1);
    assert_eq!(too_long["errors"][0]["pointer"], "/muted");
    let set = mute(json!(["design.suggested", "design.commented", "design.commented"])).await;
    let expected = json!({ "muted": ["design.commented", "design.suggested"] });
    assert_eq!(set.expect(200), expected);
    assert_eq!(app.get(path).by(&ada).answer().await.expect(200), expected);
    assert_eq!(app.get(path).by(&ben).answer().await.expect(200), json!({ "muted": [] }));
    comment(&app, &ben, &design, None).await.expect(201);
    let hers = text(&comment(&app, &ada, &design, None).await.expect(201), "id");
    comment(&app, &ben, &design, Some(&hers)).await.expect(201);
    let kinds = async || {
        let page = app.get("/v1/me/events?after=0").by(&ada).answer().await.expect(200);
        page["data"].as_array().unwrap().iter().map(|event| text(event, "kind")).collect::<Vec<_>>()
    };
    assert_eq!(kinds().await, ["design.replied"]);
    mute(json!([])).await.expect(200);
    comment(&app, &ben, &design, None).await.expect(201);
    assert_eq!(kinds().await, ["design.replied", "design.commented"]);

    // Actions of an account that ada has blocked create no events for ada.
    let suggestion = json!({ "revision": 1, "message": "So?", "design": heron("Egret") });
    let bens = shared(&app, &ben, "Crane").await;
    let suggest = app.post(&format!("{bens}/suggestions")).by(&ada).json(&suggestion);
    let suggestion = suggest.answer().await.header("location");
    block(&app, &ada, &ben).await.expect(204);
    app.post(&format!("{suggestion}/decline")).by(&ben).answer().await.expect(200);
    assert_eq!(kinds().await.len(), 2);
}
