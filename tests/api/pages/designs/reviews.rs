//! Moderators claim designs, see the checklist, and decide.

use super::{Browser, begun, heron, links_to, location, page_of, shared, start, value};
use crate::designs::{put_templates, step};
use crate::pages::frame::check;
use crate::support::{RequestExt as _, TestApp};

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

/// Who has claimed a design finds the checklist again until the claim ends, and can extend it; others see until when it is claimed.
#[tokio::test]
async fn the_page_of_a_claimed_design_says_until_when() {
    let app = start().await;
    let ada = app.player("ada").await;
    let place = shared(&app, &ada, &heron("Lantern Heron")).await;
    step(&app, &ada, &place, "submit").await.expect(200);
    let review = format!("/reviews{}", page_of(&place));
    let claim_path = format!("{review}/claim");
    app.moderator().await;
    app.admin().await;
    let theirs = Browser::of(&app, "the moderator").await;
    let others = Browser::of(&app, "the admin").await;
    let has_form = |page: &super::Page, path: &str| {
        page.all("form").any(|form| form.get("action") == Some(path))
    };
    let until = |page: &super::Page| {
        let time = page.all("time").next().and_then(|time| time.get("datetime"));
        time.unwrap_or_default().to_owned()
    };
    let unclaimed = theirs.page(&review).await;
    assert!(has_form(&unclaimed, &claim_path) && !has_form(&unclaimed, &review));
    claim(&theirs, &review).await;
    let own = theirs.page(&review).await;
    assert!(own.only("main").text.contains("You have claimed it until"));
    assert!(own.only("main").text.contains("It breaks no rule, and could be released."));
    assert!(has_form(&own, &review) && has_form(&own, &format!("{review}/return")));
    assert!(!has_form(&own, &claim_path));
    let extends = own.all("button").find(|button| button.get("formaction").is_some()).unwrap();
    assert_eq!(extends.get("formaction"), Some(claim_path.as_str()));
    let seen = others.page(&review).await;
    assert!(seen.only("main").text.contains("Another moderator has claimed it until"));
    assert_eq!(until(&seen), until(&own));
    assert!(!has_form(&seen, &review) && !has_form(&seen, &claim_path));
    // Nobody else gives the claim back, and the page says so.
    let refused = others.post(&format!("{review}/return"), &[]).await;
    assert_eq!(refused.status, 409);
    let page = check(&review, &refused);
    let text = &page.only("main").text;
    assert!(text.contains("Only that moderator can give it back"), "{text}");
    assert_eq!(until(&page), until(&own));

    // Reading the page extends nothing. The button does, and what was typed stays.
    app.clock().advance(chrono::Duration::minutes(10));
    assert_eq!(until(&theirs.page(&review).await), until(&own));
    let extended = theirs.post(&claim_path, &[("decision", "approved"), ("reason", "Good.")]).await;
    assert_eq!(extended.status, 200);
    let extended = check(&review, &extended);
    assert_ne!(until(&extended), until(&own));
    assert_eq!(extended.only("textarea").text, "Good.");
    // After its end the design can be claimed again.
    app.clock().advance(chrono::Duration::minutes(31));
    for browser in [&theirs, &others] {
        let free = browser.page(&review).await;
        assert!(has_form(&free, &claim_path) && !has_form(&free, &review));
        assert_eq!(until(&free), "");
    }
}

/// The author may submit another revision while a moderator reads: an old form decides nothing, and the reason that was typed stays.
#[tokio::test]
async fn a_form_about_an_earlier_revision_decides_nothing() {
    let app = start().await;
    let ada = app.player("ada").await;
    app.moderator().await;
    let place = crate::designs::begun(&app, &ada, &heron("Lantern Heron")).await;
    step(&app, &ada, &place, "submit").await.expect(200);
    let review = format!("/reviews{}", page_of(&place));
    let theirs = Browser::of(&app, "the moderator").await;
    claim(&theirs, &review).await;
    let shown = theirs.page(&review).await;
    let old = [
        ("revision", value(&shown, "revision")),
        ("decision", "approved"),
        ("reason", "A sound card."),
    ];
    step(&app, &ada, &place, "withdraw").await.expect(200);
    let newer = app.put(&place).by(&ada).header("if-match", "*").json(&heron("Quiet Heron"));
    newer.answer().await.expect(200);
    step(&app, &ada, &place, "submit").await.expect(200);
    let claim_path = format!("{review}/claim");
    // Before and after the moderator claims the new revision; and the claim itself keeps the reason, too.
    for (path, status) in [(&review, 409), (&claim_path, 200), (&review, 409)] {
        let answer = theirs.post(path, &old).await;
        assert_eq!(answer.status, status, "{}", answer.text());
        let page = check(path, &answer);
        let text = &page.only("main").text;
        let message = "The author has submitted revision 2, and you had read revision 1.";
        assert!(text.contains(message), "{text}");
        assert!(!text.contains("The status of the design does not allow this"), "{text}");
        assert_eq!(page.only("textarea").text, "A sound card.");
        assert_eq!(value(&page, "revision"), "2");
        assert!(!page.all("input").any(|field| field.get("checked").is_some()), "{text}");
    }
    assert_eq!(app.get(&place).by(&ada).answer().await.expect(200)["status"], "in_review");
    let read = [("revision", "2"), ("decision", "approved"), ("reason", "A sound card.")];
    assert_eq!(location(&theirs.post(&review, &read).await), "/reviews/designs");
    assert_eq!(app.get(&place).by(&ada).answer().await.expect(200)["status"], "approved");
}

/// The design may be withdrawn, decided or revoked meanwhile. The page that says so also names the design, and has the reason that was typed.
#[tokio::test]
async fn the_reason_of_a_refused_decision_is_kept() {
    let app = start().await;
    let (ada, mod_) = (app.player("ada").await, app.moderator().await);
    app.admin().await;
    // New accounts submit few designs a day.
    app.sql("UPDATE accounts SET created_at = created_at - interval '30 days'").await;
    let theirs = Browser::of(&app, "the moderator").await;
    let admins = Browser::of(&app, "the admin").await;
    let typed = "A reason of several words.";
    let assert_kept = |answer: &crate::support::Answer, name: &str| {
        assert_eq!(answer.status, 409, "{}", answer.text());
        let page = check(name, answer);
        assert_eq!(page.only("textarea").text, typed, "{name}");
        assert!(page.only("main").text.contains(name), "{name}");
    };
    // Moderators do not see a design any more that was never shared; a shared one has its page without a form.
    for (name, is_shared) in [("Lantern Heron", false), ("Quiet Heron", true)] {
        let place = if is_shared {
            shared(&app, &ada, &heron(name)).await
        } else {
            crate::designs::begun(&app, &ada, &heron(name)).await
        };
        step(&app, &ada, &place, "submit").await.expect(200);
        let review = format!("/reviews{}", page_of(&place));
        claim(&theirs, &review).await;
        let form = theirs.page(&review).await;
        let fields = [
            ("revision", value(&form, "revision")),
            ("design", value(&form, "design")),
            ("decision", "approved"),
            ("reason", typed),
        ];
        step(&app, &ada, &place, "withdraw").await.expect(200);
        assert_kept(&theirs.post(&review, &fields).await, name);

        step(&app, &ada, &place, "submit").await.expect(200);
        claim(&theirs, &review).await;
        let decision = serde_json::json!({ "decision": "approved", "reason": "Good." });
        app.post(&format!("{place}/decide")).by(&mod_).json(&decision).answer().await.expect(200);
        let form = theirs.page(&review).await;
        let fields = [
            ("revision", value(&form, "revision")),
            ("design", value(&form, "design")),
            ("reason", typed),
        ];
        let revoke = format!("{review}/revoke");
        let first = admins.post(&revoke, &fields).await;
        assert_eq!(location(&first), "/reviews/designs?status=approved");
        assert_kept(&theirs.post(&revoke, &fields).await, name);
    }
    // The form of an older program does not name the design.
    let place = crate::designs::begun(&app, &ada, &heron("Small Heron")).await;
    let review = format!("/reviews{}", page_of(&place));
    let old = [("decision", "approved"), ("reason", typed)];
    let answer = theirs.post(&review, &old).await;
    assert!(answer.text().contains(typed), "{}", answer.text());
}

/// A decision or a release for which there is no time can be sent again, with what was typed. Designs from before the first templates are not compared with
/// them, which takes no time.
#[tokio::test]
async fn what_was_typed_stays_if_there_is_no_time_to_compare_sentences() {
    let no_time = |settings: &mut cardscape::app::state::ApiSettings| {
        settings.suggestion_time = std::time::Duration::ZERO;
    };
    let app = TestApp::start_seeded_with(&["ttcg"], no_time).await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let theirs = Browser::of(&app, "the moderator").await;
    let admins = Browser::of(&app, "the admin").await;
    let mut places = Vec::new();
    for name in ["Lantern Heron", "Quiet Heron"] {
        let place = begun(&app, &ada, &heron(name)).await;
        step(&app, &ada, &place, "submit").await.expect(200);
        app.post(&format!("{place}/claim")).by(&mod_).answer().await.expect(200);
        places.push(place);
    }
    app.clock().advance(chrono::Duration::seconds(1));
    put_templates(&app, &admin, &["Rest."]).await;
    let decision = serde_json::json!({ "decision": "approved", "reason": "Good." });
    let decided = app.post(&format!("{}/decide", places[0])).by(&mod_).json(&decision);
    decided.answer().await.expect(200);

    // As if it were not known since when the game has had templates: they hold for all designs.
    app.sql("UPDATE effect_texts SET revision = revision + 1, templates_since = NULL").await;
    let message = "There was not enough time to compare the design";
    let review = format!("/reviews{}", page_of(&places[1]));
    let typed = [("revision", "1"), ("decision", "approved"), ("reason", "A sound card.")];
    let refused = theirs.post(&review, &typed).await;
    assert_eq!((refused.status, &*refused.header("retry-after")), (503, "1"));
    let page = check(&review, &refused);
    assert!(page.only("main").text.contains(message), "{}", page.only("main").text);
    assert_eq!(page.only("textarea").text, "A sound card.");
    let chosen = page.all("input").filter(|field| field.get("checked").is_some());
    assert_eq!(chosen.filter_map(|field| field.get("id")).collect::<Vec<_>>(), ["approved"]);
    let decline = [("revision", "1"), ("decision", "declined"), ("reason", "A sound card.")];
    assert_eq!(location(&theirs.post(&review, &decline).await), "/reviews/designs");

    let release = format!("/reviews{}/release", page_of(&places[0]));
    let typed = [("revision", "1"), ("set", "hearth"), ("number", "900"), ("go", "release")];
    let refused = admins.post(&release, &typed).await;
    assert_eq!(refused.status, 503, "{}", refused.text());
    let page = check(&release, &refused);
    assert!(page.only("main").text.contains(message), "{}", page.only("main").text);
    assert_eq!(value(&page, "number"), "900");
}

/// A hidden card has the name of the design: the moderator and the admin read this, and no page promises a release.
#[tokio::test]
async fn the_checklist_names_a_hidden_card_of_the_same_name() {
    let app = start().await;
    let (ada, mod_) = (app.player("ada").await, app.moderator().await);
    app.admin().await;
    let place = crate::designs::begun(&app, &ada, &heron("Nobody's Shad\u{43e}w")).await;
    step(&app, &ada, &place, "submit").await.expect(200);
    let review = format!("/reviews{}", page_of(&place));
    let theirs = Browser::of(&app, "the moderator").await;
    claim(&theirs, &review).await;
    let page = theirs.page(&review).await;
    let text = &page.only("main").text;
    assert!(text.contains("The hidden card veil 001 has this name"), "{text}");
    assert!(!text.contains("could be released."), "{text}");
    let decision = serde_json::json!({ "decision": "approved", "reason": "Good." });
    app.post(&format!("{place}/decide")).by(&mod_).json(&decision).answer().await.expect(200);
    // Before anything is typed.
    let browser = Browser::of(&app, "the admin").await;
    let release = browser.page(&format!("{review}/release")).await;
    assert!(release.only("main").text.contains("The hidden card veil 001 has this name"));
    let own = Browser::of(&app, "ada").await.page(&page_of(&place)).await;
    assert!(!own.only("main").text.contains("veil"));
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
    // A design that is only shared cannot be reviewed.
    let open = shared(&app, &ada, &heron("Quiet Heron")).await;
    let page = theirs.page(&page_of(&open)).await;
    assert!(!links_to(&page, &format!("/reviews{}", page_of(&open))));
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
    let place = shared(&app, &ada, &heron("Lantern Heron")).await;
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
    let refused = theirs.post(&format!("{review}/revoke"), &stale).await;
    assert_eq!(refused.status, 409);
    let page = check(&review, &refused);
    let text = &page.only("main").text;
    assert!(text.contains("Revision 1 is approved now, and you had read revision 2."), "{text}");
    app.sql("UPDATE accounts SET banned_at = created_at WHERE name = 'ada'").await;
    let listed = theirs.page("/reviews/designs?status=approved").await;
    assert!(listed.only("main").text.contains("The author is banned"));
    app.sql("UPDATE accounts SET banned_at = NULL WHERE name = 'ada'").await;
    let fields = [("revision", "1"), ("reason", "Another name, please.")];
    let revoked = theirs.post(&format!("{review}/revoke"), &fields).await;
    assert_eq!(location(&revoked), "/reviews/designs?status=approved");
    // A double click revokes once. Another reason is not stored, and the page says so.
    let twice = theirs.post(&format!("{review}/revoke"), &fields).await;
    assert_eq!(location(&twice), "/reviews/designs?status=approved");
    let other = [("revision", "1"), ("reason", "Another one.")];
    let refused = theirs.post(&format!("{review}/revoke"), &other).await;
    assert_eq!(refused.status, 409);
    let page = check(&review, &refused);
    assert!(page.only("main").text.contains("Its approval was revoked already"));
    let own = hers.page(&design).await;
    assert!(own.only("main").text.contains("Another name, please."));
    assert_eq!(hers.get(&format!("{design}/edit")).await.status, 200);

    // A design that was never shared has no page for moderators then: the same refusal is shown with the list.
    let unshared = crate::designs::begun(&app, &ada, &heron("Quiet Heron")).await;
    step(&app, &ada, &unshared, "submit").await.expect(200);
    app.post(&format!("{unshared}/claim")).by(&mod_).answer().await.expect(200);
    app.post(&format!("{unshared}/decide")).by(&mod_).json(&decision).answer().await.expect(200);
    let listed = theirs.page("/reviews/designs?status=approved").await;
    assert!(listed.only("main").text.contains("Approved on"));
    let review = format!("/reviews{}", page_of(&unshared));
    let path = format!("{review}/revoke");
    for _ in 0..2 {
        let revoked = theirs.post(&path, &fields).await;
        assert_eq!(location(&revoked), "/reviews/designs?status=approved");
    }
    let refused = theirs.post(&path, &other).await;
    assert_eq!(refused.status, 409, "{}", refused.text());
    let page = check(&path, &refused);
    assert!(page.only("main").text.contains("Its approval was revoked already"));
    assert_eq!(theirs.get(&review).await.status, 404);
}
