//! Moderators claim designs, see the checklist, and decide.

use super::{Browser, heron, links_to, location, page_of, shared, start};
use crate::designs::step;
use crate::pages::frame::check;
use crate::support::RequestExt as _;

#[tokio::test]
async fn a_submitted_design_is_claimed_and_decided() {
    let app = start().await;
    let ada = app.player("ada").await;
    let place = shared(&app, &ada, &heron("Lantern Heron")).await;
    step(&app, &ada, &place, "submit").await.expect(200);
    let (design, review) = (page_of(&place), format!("/reviews{}", page_of(&place)));
    app.moderator().await;
    let theirs = Browser::of(&app, "the moderator").await;
    assert!(links_to(&theirs.page("/my/designs").await, "/reviews/designs"));
    let queue = theirs.page("/reviews/designs").await;
    assert!(links_to(&queue, &review));
    let page = theirs.page(&review).await;
    assert!(page.only("main").text.contains("After this card attacks"));
    // A moderator cannot decide without a claim.
    let fields = [("decision", "declined"), ("reason", "Too like <b>Gatepost</b>.")];
    let unclaimed = theirs.post(&review, &fields).await;
    assert_eq!(unclaimed.status, 409);
    assert!(check(&review, &unclaimed).only("main").text.contains("You have not claimed"));
    // The form for the claim carries the typed decision and reason.
    let page = check(&review, &unclaimed);
    assert_eq!(page.only("textarea").text, "Too like <b>Gatepost</b>.");
    let kept = page.all("input").find(|field| field.get("name") == Some("decision")).unwrap();
    assert_eq!(kept.get("value"), Some("declined"));
    let claimed = theirs.post(&format!("{review}/claim"), &fields).await;
    assert_eq!(claimed.status, 200, "{}", claimed.text());
    let page = check(&review, &claimed);
    assert_eq!(page.only("textarea").text, "Too like <b>Gatepost</b>.");
    let chosen = page.all("input").filter(|field| field.get("checked").is_some());
    assert_eq!(chosen.filter_map(|field| field.get("id")).collect::<Vec<_>>(), ["declined"]);
    assert!(page.only("main").text.contains("It breaks no rule, and could be released."));
    assert!(theirs.page("/reviews/designs").await.only("main").text.contains("You look at it"));
    // A double click returns the design once.
    for _ in 0..2 {
        let returned = theirs.post(&format!("{review}/return"), &[]).await;
        assert_eq!(location(&returned), "/reviews/designs");
    }
    claim(&theirs, &review).await;
    let empty = theirs.post(&review, &[("reason", "")]).await;
    assert_eq!(empty.status, 422);
    let page = check(&review, &empty);
    let invalid = page.with("aria-invalid").filter_map(|(field, _)| field.get("id"));
    assert_eq!(invalid.collect::<Vec<_>>(), ["choice", "reason"]);
    for field in ["choice", "reason"] {
        assert!(!page.fault_of(field).is_empty(), "{field}");
    }
    assert_eq!(location(&theirs.post(&review, &fields).await), "/reviews/designs");
    let now = app.get(&place).by(&ada).answer().await.expect(200);
    assert_eq!(now["status"], "declined");
    let own = Browser::of(&app, "ada").await.page(&design).await;
    assert!(own.only("main").text.contains("Too like <b>Gatepost</b>."));
    // Other readers do not see the reason.
    assert!(!app.get(&design).answer().await.text().contains("Gatepost"));
    assert!(theirs.page("/reviews/designs").await.only("main").text.contains("No design waits."));
}

async fn claim(browser: &Browser<'_>, review: &str) {
    assert_eq!(browser.post(&format!("{review}/claim"), &[]).await.status, 200);
}

/// Moderators see a submitted design that was never shared, and its picture.
#[tokio::test]
async fn moderators_see_a_submitted_draft() {
    let app = start().await;
    let ada = app.player("ada").await;
    let place = crate::designs::begun(&app, &ada, &heron("Lantern Heron")).await;
    step(&app, &ada, &place, "submit").await.expect(200);
    app.moderator().await;
    let theirs = Browser::of(&app, "the moderator").await;
    let page = theirs.page(&page_of(&place)).await;
    assert!(links_to(&page, &format!("/reviews{}", page_of(&place))));
    let picture = theirs.get(&format!("{}/picture", page_of(&place))).await;
    assert_eq!(
        (picture.status, picture.header("cache-control").as_str()),
        (200, "private, no-store")
    );
}

/// A moderator whose suggestion became part of a design is neither offered to claim nor to rate it.
#[tokio::test]
async fn contributors_are_not_offered_to_judge() {
    let app = start().await;
    let (ada, ben, mod_) =
        (app.player("ada").await, app.player("ben").await, app.moderator().await);
    let place = crate::designs::contributed(&app, &ada, &mod_, "Lantern Heron").await;
    step(&app, &ada, &place, "submit").await.expect(200);
    let design = page_of(&place);
    let theirs = Browser::of(&app, "the moderator").await;
    let review = theirs.page(&format!("/reviews{design}")).await;
    assert!(review.only("main").text.contains("You cannot judge a design of your own"));
    let has_form = |page: &super::Page, path: &str| {
        page.all("form").any(|form| form.get("action") == Some(path))
    };
    assert!(!has_form(&review, &format!("/reviews{design}/claim")));
    let rating = format!("{design}/rating");
    let shown = theirs.page(&design).await;
    assert!(shown.only("main").text.contains("You cannot rate a design of your own"));
    assert!(!has_form(&shown, &rating));
    let his = Browser::of(&app, &ben.name).await;
    assert!(has_form(&his.page(&design).await, &rating));
}

/// Approved designs are found also if they were never shared, and a moderator revokes an approval. Their authors are not shown a form that could not be sent.
#[tokio::test]
async fn an_approved_design_is_found_and_its_approval_revoked() {
    let app = start().await;
    let (ada, mod_) = (app.player("ada").await, app.moderator().await);
    let place = crate::designs::begun(&app, &ada, &heron("Lantern Heron")).await;
    step(&app, &ada, &place, "submit").await.expect(200);
    app.post(&format!("{place}/claim")).by(&mod_).answer().await.expect(200);
    let decision = serde_json::json!({ "decision": "approved", "reason": "Good." });
    app.post(&format!("{place}/decide")).by(&mod_).json(&decision).answer().await.expect(200);
    let (design, review) = (page_of(&place), format!("/reviews{}", page_of(&place)));
    let hers = Browser::of(&app, "ada").await;
    assert_eq!(location(&hers.get(&format!("{design}/edit")).await), design);

    let theirs = Browser::of(&app, "the moderator").await;
    assert!(links_to(&theirs.page("/reviews/designs").await, "/reviews/designs?status=approved"));
    assert!(links_to(&theirs.page("/reviews/designs?status=approved").await, &review));
    let shown = theirs.page(&review).await;
    let revision = shown.all("input").find(|input| input.get("name") == Some("revision"));
    assert_eq!(revision.and_then(|input| input.get("value")), Some("1"));
    let empty = theirs.post(&format!("{review}/revoke"), &[("reason", "")]).await;
    assert_eq!(empty.status, 422);
    assert!(!check(&review, &empty).fault_of("reason").is_empty());
    // The form sends the revision that was shown: another one may have been approved since.
    let stale = [("revision", "2"), ("reason", "Another name, please.")];
    assert_eq!(theirs.post(&format!("{review}/revoke"), &stale).await.status, 409);
    app.sql("UPDATE accounts SET banned_at = created_at WHERE name = 'ada'").await;
    let listed = theirs.page("/reviews/designs?status=approved").await;
    assert!(listed.only("main").text.contains("The author is banned"));
    app.sql("UPDATE accounts SET banned_at = NULL WHERE name = 'ada'").await;
    let fields = [("revision", "1"), ("reason", "Another name, please.")];
    let revoked = theirs.post(&format!("{review}/revoke"), &fields).await;
    assert_eq!(location(&revoked), "/reviews/designs?status=approved");
    let own = hers.page(&design).await;
    assert!(own.only("main").text.contains("Another name, please."));
    assert_eq!(hers.get(&format!("{design}/edit")).await.status, 200);
}
