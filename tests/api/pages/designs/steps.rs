//! Steps that an author takes with a design (share, submit, withdraw, delete), and its revisions.

use serde_json::json;

use super::{Browser, begun, heron, links_to, location, page_of, shared, start, value};
use crate::pages::frame::check;
use crate::support::RequestExt as _;

#[tokio::test]
async fn a_draft_is_shared_submitted_and_withdrawn() {
    let app = start().await;
    let ada = app.player("ada").await;
    let design = page_of(&begun(&app, &ada, &heron("Lantern Heron")).await);
    let hers = Browser::of(&app, "ada").await;
    for (step, status, next) in [
        ("share", "shared", &["submit", "withdraw"][..]),
        ("submit", "submitted", &["withdraw"]),
        ("withdraw", "withdrawn", &["share", "submit"]),
    ] {
        let path = format!("{design}/steps/{step}");
        let form = hers.page(&path).await;
        let version = value(&form, "version").to_owned();
        let stale = hers.post(&path, &[("version", "77")]).await;
        assert_eq!(stale.status, 412, "{step}");
        assert!(check(&path, &stale).only("main").text.contains("was changed since you opened"));
        // A double click takes the step once.
        for _ in 0..2 {
            assert_eq!(location(&hers.post(&path, &[("version", &*version)]).await), design);
        }
        let now = app.get(&format!("/v1{design}")).by(&ada).answer().await.expect(200);
        assert_eq!(now["status"], status);
        let page = hers.page(&design).await;
        for step in ["share", "submit", "withdraw", "delete"] {
            let is_offered = links_to(&page, &format!("{design}/steps/{step}"));
            assert_eq!(is_offered, next.contains(&step), "{status}: {step}");
        }
    }
    // A design that was shared cannot be deleted.
    let path = format!("{design}/steps/delete");
    let version = value(&hers.page(&path).await, "version").to_owned();
    let refused = hers.post(&path, &[("version", &*version)]).await;
    assert_eq!(refused.status, 409);
    check(&path, &refused);
    assert_eq!(hers.get(&format!("{design}/steps/release")).await.status, 404);
}

#[tokio::test]
async fn obstacles_to_a_release_are_reported() {
    let app = start().await;
    let ada = app.player("ada").await;
    let mut unfit = heron("Lantern Heron");
    unfit["attributes"]["attack"] = json!(-5);
    unfit["licence"] = "none".into();
    let design = page_of(&begun(&app, &ada, &unfit).await);
    let hers = Browser::of(&app, "ada").await;
    let path = format!("{design}/steps/submit");
    let version = value(&hers.page(&path).await, "version").to_owned();
    let refused = hers.post(&path, &[("version", &*version)]).await;
    assert_eq!(refused.status, 409);
    let page = check(&path, &refused);
    let main = &page.only("main").text;
    for message in ["It breaks rules of the game.", "Its terms do not allow a release."] {
        assert!(main.contains(message), "{message}: {main}");
    }
    let path = format!("{design}/steps/delete");
    let version = value(&hers.page(&path).await, "version").to_owned();
    for _ in 0..2 {
        let deleted = hers.post(&path, &[("version", &*version)]).await;
        assert_eq!(location(&deleted), "/my/designs");
    }
    app.get(&format!("/v1{design}")).by(&ada).answer().await.problem(404, "not_found");
}

/// The page that shares a design reports that another design has its name.
#[tokio::test]
async fn a_taken_name_is_reported() {
    let app = start().await;
    let (ada, _) = (app.player("ada").await, app.player("ben").await);
    shared(&app, &ada, &heron("Lantern Heron")).await;
    let ben = app.log_in("ben", crate::support::PASSWORD).await;
    let design = page_of(&begun(&app, &ben, &heron("Lantern Heron")).await);
    let his = Browser::of(&app, "ben").await;
    let path = format!("{design}/steps/share");
    let version = value(&his.page(&path).await, "version").to_owned();
    let refused = his.post(&path, &[("version", &*version)]).await;
    assert_eq!(refused.status, 409);
    assert!(check(&path, &refused).only("main").text.contains("The name is taken."));
}

#[tokio::test]
async fn revisions_are_compared_and_restored() {
    let app = start().await;
    let ada = app.player("ada").await;
    let place = begun(&app, &ada, &heron("Lantern Heron")).await;
    let tag = app.get(&place).by(&ada).answer().await.header("etag");
    let mut second = heron("Old Heron");
    second["attributes"]["attack"] = json!(150);
    app.put(&place).by(&ada).header("if-match", tag).json(&second).answer().await.expect(200);
    let design = page_of(&place);
    let hers = Browser::of(&app, "ada").await;
    let path = format!("{design}/revisions");
    let page = hers.page(&path).await;
    let rows: Vec<&str> = page.all("tr").map(|row| row.text.trim()).collect();
    for (member, before, after) in
        [("Attack", "200", "150"), ("Name", "Lantern Heron", "Old Heron")]
    {
        let shows_change =
            |row: &&str| row.starts_with(member) && row.contains(before) && row.contains(after);
        assert!(rows.iter().any(shows_change), "{member}: {rows:?}");
    }
    assert!(links_to(&page, &format!("{path}?from=1&to=2")));
    assert_eq!(hers.get(&format!("{path}?from=9")).await.status, 400);
    let version = value(&page, "version").to_owned();
    let restore = format!("{design}/restore");
    let stale = hers.post(&restore, &[("revision", "1"), ("version", "77")]).await;
    assert_eq!(stale.status, 412);
    check(&restore, &stale);
    // A double click, or a form that is sent again because its answer was lost, restores it once.
    for _ in 0..2 {
        let restored = hers.post(&restore, &[("revision", "1"), ("version", &*version)]).await;
        assert_eq!(location(&restored), design);
    }
    let now = app.get(&place).by(&ada).answer().await.expect(200);
    assert_eq!((&now["name"], &now["revision"]), (&json!("Lantern Heron"), &json!(3)));
}

/// A design that a moderator declined can be changed, but not deleted: so its page does not offer that.
#[tokio::test]
async fn no_deletion_of_a_declined_design_is_offered() {
    let app = start().await;
    let (ada, mod_) = (app.player("ada").await, app.moderator().await);
    let path = begun(&app, &ada, &heron("Lantern Heron")).await;
    let design = page_of(&path);
    let hers = Browser::of(&app, "ada").await;
    let delete = format!("{design}/steps/delete");
    assert!(links_to(&hers.page(&design).await, &delete));
    let submit = app.post(&format!("{path}/submit")).by(&ada).header("if-match", "*");
    submit.answer().await.expect(200);
    app.post(&format!("{path}/claim")).by(&mod_).answer().await.expect(200);
    let decision = json!({ "decision": "declined", "reason": "Too strong." });
    let decide = app.post(&format!("{path}/decide")).by(&mod_).json(&decision);
    decide.answer().await.expect(200);
    let page = hers.page(&design).await;
    assert!(links_to(&page, &format!("{design}/edit")) && !links_to(&page, &delete));
    let refused = app.delete(&path).by(&ada).header("if-match", "*").answer().await;
    assert_eq!(refused.status, 409, "{}", refused.text());
}
