//! What others say of a design: ratings, comments, suggestions, reports.

use serde_json::json;

use super::{Browser, heron, links_to, location, page_of, shared, start, value};
use crate::pages::frame::check;
use crate::support::{RequestExt as _, TestApp};

/// A design that ada has shared, and ben.
async fn with_design() -> (TestApp, String) {
    let app = start().await;
    let ada = app.player("ada").await;
    app.player("ben").await;
    let design = page_of(&shared(&app, &ada, &heron("Lantern Heron")).await);
    (app, design)
}

#[tokio::test]
async fn a_design_is_rated_by_criteria() {
    let (app, design) = with_design().await;
    let ben = app.log_in("ben", crate::support::PASSWORD).await;
    let his = Browser::of(&app, "ben").await;
    let path = format!("{design}/rating");
    let missing = his.post(&path, &[("fun", "5"), ("balance", "3")]).await;
    assert_eq!(missing.status, 422);
    let page = check(&path, &missing);
    assert!(page.only("main").text.contains("Flavour: give 1 to 5 points."));
    let wrong = page.with("aria-invalid").filter_map(|(field, _)| field.get("id"));
    assert_eq!(wrong.collect::<Vec<_>>(), ["flavour", "clarity"]);
    let checked = page.all("input").filter(|field| field.get("checked").is_some());
    assert_eq!(
        checked.filter_map(|field| field.get("id")).collect::<Vec<_>>(),
        ["fun-5", "balance-3"]
    );
    let points = [("fun", "5"), ("balance", "3"), ("flavour", "4"), ("clarity", "9")];
    assert_eq!(his.post(&path, &points).await.status, 422);
    let points = [("fun", "5"), ("balance", "3"), ("flavour", "4"), ("clarity", "4")];
    assert_eq!(location(&his.post(&path, &points).await), format!("{design}#ratings"));
    let own = app.get(&format!("/v1{path}")).by(&ben).answer().await.expect(200);
    assert_eq!((&own["fun"], &own["clarity"]), (&json!(5), &json!(4)));
    assert!(his.page(&design).await.only("main").text.contains("Take my rating back"));
    location(&his.post(&path, &[("take_back", "true")]).await);
    app.get(&format!("/v1{path}")).by(&ben).answer().await.problem(404, "not_found");
    let hers = Browser::of(&app, "ada").await;
    let refused = hers.post(&path, &points).await;
    assert_eq!(refused.status, 409);
    assert!(
        check("own", &refused).only("main").text.contains("Nobody can judge their own design.")
    );
}

#[tokio::test]
async fn comments_are_written_answered_changed_and_deleted() {
    let (app, design) = with_design().await;
    let (hers, his) = (Browser::of(&app, "ada").await, Browser::of(&app, "ben").await);
    let path = format!("{design}/comments");
    let form = his.page(&design).await;
    let key = value(&form, "key").to_owned();
    let said = [("text", "Far *too* cheap. <b>no</b>"), ("key", &*key)];
    assert_eq!(location(&his.post(&path, &said).await), format!("{design}#comments"));
    // A double click comments once.
    location(&his.post(&path, &said).await);
    let listed = app.get(&format!("/v1{path}")).answer().await.expect(200);
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
    let comment = listed["data"][0]["id"].as_str().unwrap().to_owned();
    let shown = hers.page(&design).await;
    assert!(shown.all("em").any(|emphasis| emphasis.text == "too"));
    assert!(shown.only("main").text.contains("<b>no</b>"));
    assert!(links_to(&shown, &format!("{design}/report?comment={comment}")));
    let empty = hers.post(&path, &[("text", " ")]).await;
    assert_eq!(empty.status, 422);
    let page = check(&path, &empty);
    let invalid = page.with("aria-invalid").filter_map(|(field, _)| field.get("id"));
    assert_eq!(invalid.collect::<Vec<_>>(), ["text"]);
    location(&hers.post(&path, &[("text", "It costs a card."), ("reply_to", &*comment)]).await);
    let replies = app.get(&format!("/v1{path}?reply_to={comment}")).answer().await.expect(200);
    assert_eq!(replies["data"][0]["text"], "It costs a card.");
    assert!(his.page(&design).await.only("main").text.contains("It costs a card."));

    let edit = format!("{path}/{comment}");
    assert_eq!(hers.get(&edit).await.status, 404);
    assert_eq!(hers.post(&edit, &[("text", "x"), ("revision", "1")]).await.status, 404);
    let form = his.page(&edit).await;
    let revision = value(&form, "revision").to_owned();
    location(&his.post(&edit, &[("text", "A bit cheap."), ("revision", &*revision)]).await);
    let stale = his.post(&edit, &[("text", "Later."), ("revision", &*revision)]).await;
    assert_eq!(stale.status, 412);
    let both = check(&edit, &stale);
    assert_eq!(both.only("textarea").text, "Later.");
    assert!(both.only("main").text.contains("A bit cheap."));
    app.clock().advance(chrono::Duration::minutes(16));
    let late = his.page(&edit).await;
    assert!(late.all("textarea").next().is_none());
    let refused = his.post(&edit, &[("text", "Late."), ("revision", "2")]).await;
    assert_eq!(refused.status, 409);
    location(&his.post(&format!("{edit}/delete"), &[]).await);
    let gone = app.get(&format!("/v1{edit}")).answer().await.expect(200);
    assert_eq!(gone["state"], "deleted");
    assert!(hers.page(&design).await.only("main").text.contains("Deleted by its author."));
}

#[tokio::test]
async fn changes_are_suggested_and_taken() {
    let (app, design) = with_design().await;
    let (hers, his) = (Browser::of(&app, "ada").await, Browser::of(&app, "ben").await);
    let path = format!("{design}/suggest");
    let form = his.page(&path).await;
    let (key, revision) = (value(&form, "key"), value(&form, "revision"));
    let sent = [
        ("go", "save"),
        ("step", "check"),
        ("key", key),
        ("revision", revision),
        ("kind", "unit"),
        ("name", "Old Heron"),
        ("attributes.type", "earth"),
        ("attributes.rank", "1"),
        ("attributes.subtypes", "beast"),
        ("attributes.attack", "200"),
        ("attributes.defense", "300"),
        ("effects.0.style", "passive"),
        ("effects.0.text", "After this card attacks, return it to your hand."),
        ("effects.1.style", "normal"),
        ("effects.1.text", "Discard one spell to gain 1 point."),
        ("licence", "release-1"),
        ("message", ""),
    ];
    let without = his.post(&path, &sent).await;
    assert_eq!(without.status, 422);
    let page = check(&path, &without);
    let invalid = page.with("aria-invalid").filter_map(|(field, _)| field.get("id"));
    assert_eq!(invalid.collect::<Vec<_>>(), ["message"]);
    assert_eq!(value(&page, "name"), "Old Heron");
    let mut sent = sent.to_vec();
    sent.pop();
    sent.push(("message", "It has seen <b>much</b>."));
    let made = location(&his.post(&path, &sent).await);
    assert_eq!(location(&his.post(&path, &sent).await), made);
    let shown = his.page(&made).await;
    let main = &shown.only("main").text;
    for said in ["It has seen <b>much</b>.", "Lantern Heron", "Old Heron"] {
        assert!(main.contains(said), "{said}: {main}");
    }
    assert_eq!(shown.all("button").filter(|button| button.text == "Take it").count(), 0);
    let listed = hers.page(&format!("{design}/suggestions")).await;
    assert!(links_to(&listed, &made));
    app.player("cleo").await;
    let others = Browser::of(&app, "cleo").await;
    assert_eq!(others.get(&made).await.status, 404);
    let answer = format!("{made}/answer");
    assert_eq!(others.post(&answer, &[("answer", "take"), ("version", "2")]).await.status, 404);
    let form = hers.page(&made).await;
    let version = value(&form, "version").to_owned();
    assert_eq!(hers.post(&answer, &[("answer", "take"), ("version", "99")]).await.status, 412);
    let taken = hers.post(&answer, &[("answer", "take"), ("version", &*version)]).await;
    assert_eq!(location(&taken), design);
    let design = app.get(&format!("/v1{design}")).answer().await.expect(200);
    assert_eq!(
        (&design["name"], &design["contributors"][0]["name"]),
        (&json!("Old Heron"), &json!("ben"))
    );
    let closed = hers.post(&answer, &[("answer", "decline")]).await;
    assert_eq!(closed.status, 409);
    // Nobody suggests changes of their own designs.
    assert_eq!(hers.get(&path).await.status, 409);
}

#[tokio::test]
async fn reports_reach_moderators() {
    let (app, design) = with_design().await;
    let his = Browser::of(&app, "ben").await;
    let path = format!("{design}/report");
    let form = his.page(&path).await;
    assert_eq!(form.only("h1").text, "Report this design");
    let refused = his.post(&path, &[("reason", "other"), ("details", "")]).await;
    assert_eq!(refused.status, 422);
    let page = check(&path, &refused);
    let invalid = page.with("aria-invalid").filter_map(|(field, _)| field.get("id"));
    assert_eq!(invalid.collect::<Vec<_>>(), ["details"]);
    let sent =
        his.post(&path, &[("reason", "copyright"), ("details", "From <b>my</b> book.")]).await;
    assert!(check(&path, &sent).only("main").text.contains("A moderator will look at it."));
    let hers = Browser::of(&app, "ada").await;
    assert_eq!(hers.post(&path, &[("reason", "spam")]).await.status, 409);

    let moderator = app.moderator().await;
    let theirs = Browser::of(&app, "the moderator").await;
    let waiting = app.get("/v1/abuse-reports").by(&moderator).answer().await.expect(200);
    let report = &waiting["data"][0];
    assert_eq!((&report["reason"], &report["about"]), (&json!("copyright"), &json!("design")));
    assert_eq!(report["details"], "From <b>my</b> book.");
    let decide = format!("/admin/reports/{}", report["id"].as_str().unwrap());
    location(&theirs.post(&decide, &[("decision", "upheld"), ("note", "Copied.")]).await);
    assert_eq!(app.get(&design).answer().await.status, 404);
    let own = hers.page(&design).await;
    assert!(own.only("main").text.contains("Taken down by a moderator"));
    assert!(own.only("main").text.contains("Copied."));
    assert!(!links_to(&own, &format!("{design}/edit")));
    assert!(!links_to(&own, &format!("{design}/steps/share")));
}
