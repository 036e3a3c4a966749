//! Decisions of moderators: submissions, disputes, copies and reports.

use serde_json::json;

use super::{Browser, actions, leads_to, location, sent, text, value};
use crate::pages::frame::check;
use crate::support::{PASSWORD, RequestExt as _, TestApp, card_name, text as member};

const HOSTILE: &str = "<script>alert(1)</script> & </main>";

/// Starts a service with a hidden set, an admin and a moderator.
async fn start() -> TestApp {
    let app = TestApp::start().await;
    app.import_set("dusk", 1, true).await;
    app.admin().await;
    app.moderator().await;
    app
}

#[tokio::test]
async fn pending_submissions_are_confirmed_and_refused() {
    let app = start().await;
    let cards = app.print("dusk", 10).await;
    let admin = app.log_in("the admin", PASSWORD).await;
    let policy = json!({ "threshold": 1, "review": true });
    let path = "/v1/games/ttcg/sets/dusk/unlock-policy";
    app.put(path).by(&admin).json(&policy).answer().await.expect(201);
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let hers = member(&app.submit(&ada, &cards[0]).await.expect(201), "submission");
    let his = member(&app.submit(&ben, &cards[1]).await.expect(201), "submission");
    let browser = Browser::of(&app, "the moderator").await;
    assert!(text(&browser.page("/admin").await).contains("2 waiting"));
    let page = browser.page("/admin/reviews").await;
    assert!(text(&page).contains(&card_name("dusk", "001")), "{}", text(&page));
    let (of_ada, of_ben) = (format!("/admin/reviews/{hers}"), format!("/admin/reviews/{his}"));
    assert!(leads_to(&page, &of_ada) && leads_to(&page, &of_ben));
    let page = browser.page("/admin/reviews?account=ada").await;
    assert!(leads_to(&page, &of_ada) && !leads_to(&page, &of_ben));
    let faulty = browser.get("/admin/reviews?account=a").await;
    assert_eq!(faulty.status, 400);
    assert!(!text(&check("reviews", &faulty)).contains("No submission waits"));

    let page = browser.page(&of_ada).await;
    assert!(leads_to(&page, &format!("/admin/people/{}", ada.id)));
    // The Enter key in the note field decides nothing, because no button carries a decision.
    assert_eq!(page.all("input").filter(|field| field.get("name") == Some("confirmed")).count(), 2);
    assert!(page.all("button").all(|button| button.get("name") != Some("confirmed")));
    assert!(page.all("input").all(|field| field.get("checked").is_none()));
    let page = sent(&browser, &of_ada, &[("note", "No photo.")], 422).await;
    assert!(page.fault_of_group("confirmed").contains("Choose a decision."));
    assert_eq!(value(&page, "note"), "No photo.");
    let page = sent(&browser, &of_ada, &[("confirmed", "false"), ("note", " ")], 422).await;
    let chosen = page.all("input").find(|field| field.get("checked").is_some());
    assert_eq!(
        chosen.and_then(|field| field.get("value")),
        Some("false"),
        "the page keeps the choice"
    );
    assert!(text(&page).contains("This did not work"));
    let refused = browser.post(&of_ada, &[("confirmed", "false"), ("note", "No photo.")]).await;
    assert_eq!(location(&refused), (303, "/admin/reviews?done=refused".to_owned()));
    assert_eq!(browser.get(&of_ada).await.status, 404, "the submission is not pending any more");
    // The opposite decision comes too late: the submission is reviewed already.
    let late = browser.post(&of_ada, &[("confirmed", "true"), ("note", "A photo.")]).await;
    assert_eq!(late.status, 409, "{}", late.text());
    let late = check("late", &late);
    assert!(text(&late).contains("The opposite was decided before."));
    assert_eq!(late.only("textarea").text, "A photo.", "the note can be copied");
    let again = browser.post(&of_ada, &[("confirmed", "false"), ("note", "No photo.")]).await;
    assert_eq!(location(&again), (303, "/admin/reviews?done=refused".to_owned()));
    let again = browser.post(&of_ada, &[("confirmed", "false"), ("note", "Another note.")]).await;
    assert_eq!(location(&again), (303, "/admin/reviews?done=decided_before".to_owned()));
    let page = browser.page(&format!("/admin/reviews?account={}", ada.id)).await;
    assert!(text(&page).contains("No waiting submission fits the filter."));
    let unlocked = browser.post(&of_ben, &[("confirmed", "true"), ("note", "A photo.")]).await;
    assert_eq!(location(&unlocked), (303, "/admin/reviews?done=unlocked".to_owned()));
    let card = app.get("/v1/games/ttcg/sets/dusk/cards/001").answer().await.expect(200);
    assert_eq!(card["hidden"], false);
    assert!(text(&browser.page("/admin/reviews").await).contains("No submission waits."));
}

#[tokio::test]
async fn a_dispute_is_read_and_decided() {
    let app = start().await;
    let cards = app.print("dusk", 10).await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let copy = app.register(&ada, &cards[0]).await;
    let claim = app.submit(&ben, &cards[0]).await.problem(409, "registered_to_another");
    let dispute = member(&claim, "dispute_id");
    let statement = json!({ "text": HOSTILE });
    let path = format!("/v1/disputes/{dispute}/statements");
    app.post(&path).by(&ben).json(&statement).answer().await.expect(201);

    let browser = Browser::of(&app, "the moderator").await;
    let path = format!("/admin/disputes/{dispute}");
    assert!(leads_to(&browser.page("/admin/disputes").await, &path));
    let page = browser.page(&path).await;
    assert!(text(&page).contains(HOSTILE) && page.scripts().is_empty());
    assert!(leads_to(&page, &format!("/admin/copies/{copy}")));
    for player in [&ada, &ben] {
        assert!(leads_to(&page, &format!("/admin/people/{}", player.id)));
    }
    let page = sent(&browser, &path, &[("reason", "")], 422).await;
    assert!(page.fault_of_group("outcome").contains("Choose the owner of the copy."));
    assert!(page.fault_of("reason").contains("Type something here: at most 500 characters."));
    // The code of the copy is no reason that both sides may read, whether an outcome is chosen or not.
    for outcome in ["", "for_owner"] {
        let fields = [("outcome", outcome), ("reason", &*cards[0].serial)];
        let page = sent(&browser, &path, &fields, 422).await;
        assert!(page.fault_of("reason").contains("It contains the code of a card"));
    }
    let fields = [("outcome", "for_claimant"), ("reason", "A photograph.")];
    let decided = browser.post(&path, &fields).await;
    assert_eq!(location(&decided), (303, format!("{path}?done=decided")));
    let stored = app.get(&format!("/v1/disputes/{dispute}")).by(&ben).answer().await.expect(200);
    assert_eq!(
        (&stored["state"], &stored["reason"]),
        (&json!("for_claimant"), &json!("A photograph."))
    );
    let page = browser.page(&path).await;
    assert!(actions(&page).is_empty() && text(&page).contains("A photograph."));
    let page = sent(&browser, &path, &[("outcome", "for_owner"), ("reason", "Late.")], 409).await;
    assert!(text(&page).contains("The dispute is over"));
    assert_eq!(page.only("textarea").text, "Late.", "the reason can be copied");
    assert!(!leads_to(&browser.page("/admin/disputes").await, &path));
    let faulty = browser.get("/admin/disputes?account=a").await;
    assert_eq!(faulty.status, 400);
    assert!(!text(&check("disputes", &faulty)).contains("There is no such dispute."));
    for list in ["?state=all", "?state=for_claimant", "?state=all&account=ben"] {
        assert!(leads_to(&browser.page(&format!("/admin/disputes{list}")).await, &path), "{list}");
    }
}

#[tokio::test]
async fn a_copy_is_frozen_unfrozen_and_voided() {
    let app = start().await;
    let cards = app.print("dusk", 10).await;
    let ada = app.player("ada").await;
    let copy = app.register(&ada, &cards[0]).await;
    let browser = Browser::of(&app, "the moderator").await;
    let path = format!("/admin/copies/{copy}");
    let led = browser.get(&format!("/admin/copies?copy=%20{copy}")).await;
    assert_eq!(location(&led), (303, path.clone()));
    assert_eq!(browser.get("/admin/copies?copy=x").await.status, 400);
    let find = async || app.get(&format!("/v1/copies/{copy}")).by(&ada).answer().await.expect(200);
    for (action, frozen) in [("freeze", true), ("unfreeze", false)] {
        let way = format!("{path}/{action}");
        assert!(leads_to(&browser.page(&path).await, &way), "{action}");
        assert_eq!(actions(&browser.page(&way).await), [way.as_str()]);
        let page = sent(&browser, &way, &[("reason", "")], 422).await;
        assert!(text(&page).contains("This did not work"), "{action}");
        assert_eq!(text(&page).contains("Open offers with it stay open"), frozen, "{action}");
        let done = browser.post(&way, &[("reason", HOSTILE)]).await;
        assert_eq!(location(&done), (303, format!("{path}?done={action}")));
        assert_eq!(find().await["frozen"], frozen, "{action}");
    }
    let page = browser.page(&path).await;
    assert_eq!(text(&page).matches(HOSTILE).count(), 2);
    assert!(!text(&page).contains(&cards[0].serial), "the page does not show the serial code");
    browser.post(&format!("{path}/void"), &[("reason", "Sold twice.")]).await;
    let page = browser.page(&path).await;
    assert!(text(&page).contains("Declared void") && !leads_to(&page, &format!("{path}/freeze")));
    let page = sent(&browser, &format!("{path}/freeze"), &[("reason", "Late.")], 409).await;
    assert!(text(&page).contains("The copy is void, for good."));
    assert_eq!(browser.get(&format!("{path}/burn")).await.status, 404);
    // The search for copies does not accept a serial code.
    let code = &cards[0].serial;
    assert_eq!(browser.get(&format!("/admin/copies?copy={code}")).await.status, 400);
}

#[tokio::test]
async fn a_report_is_upheld_and_dismissed() {
    let app = start().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let report = json!({ "account": ben.id, "reason": "other", "details": HOSTILE });
    let created = app.post("/v1/abuse-reports").by(&ada).json(&report).answer().await.expect(201);
    let path = format!("/admin/reports/{}", member(&created, "id"));
    let browser = Browser::of(&app, "the moderator").await;
    assert!(leads_to(&browser.page("/admin/reports").await, &path));
    let page = browser.page(&path).await;
    assert!(text(&page).contains(HOSTILE) && page.scripts().is_empty());
    assert!(leads_to(&page, &format!("/admin/people/{}", ben.id)));
    let page = sent(&browser, &path, &[("note", "Why.")], 422).await;
    assert!(page.fault_of_group("decision").contains("Choose a decision."));
    let page = sent(&browser, &path, &[("decision", "upheld"), ("note", "")], 422).await;
    assert!(text(&page).contains("This did not work"));
    let fields = [("decision", "upheld"), ("note", "It is\r\nas reported.")];
    let decided = browser.post(&path, &fields).await;
    assert_eq!(location(&decided), (303, format!("{path}?done=decided")));
    let moderator = app.log_in("the moderator", PASSWORD).await;
    let api = path.replace("/admin/reports/", "/v1/abuse-reports/");
    let stored = app.get(&api).by(&moderator).answer().await.expect(200);
    assert_eq!(
        (&stored["decision"], &stored["note"]),
        (&json!("upheld"), &json!("It is\nas reported."))
    );
    assert!(!leads_to(&browser.page("/admin/reports").await, &path));
    assert!(leads_to(&browser.page("/admin/reports?decided=true").await, &path));
    let page = browser.page("/admin/reports?decided=true").await;
    assert!(!text(&page).contains("Only what was reported about"));
    for (accused, is_listed) in [(&ben, true), (&ada, false)] {
        let page =
            browser.page(&format!("/admin/reports?decided=true&accused={}", accused.id)).await;
        assert_eq!(leads_to(&page, &path), is_listed);
        let is_empty = text(&page).contains("No report about this account was decided yet.");
        assert_eq!(is_empty, !is_listed);
        let message = format!("Only what was reported about {}", accused.name);
        assert!(text(&page).contains(&message), "{}", text(&page));
        assert!(leads_to(&page, &format!("/admin/people/{}", accused.id)));
        assert!(leads_to(&page, "/admin/reports?decided=true"));
    }
    // An account that does not exist has no reports.
    let page = browser.page(&format!("/admin/reports?accused={}", super::NOTHING)).await;
    assert!(text(&page).contains("No report about this account waits."), "{}", text(&page));
}

/// A form about an earlier owner, or before a statement, decides nothing, and the reason that was typed stays.
#[tokio::test]
async fn a_dispute_is_decided_as_it_was_read() {
    let app = start().await;
    let cards = app.print("dusk", 10).await;
    let (ada, ben, gus) =
        (app.player("ada").await, app.player("ben").await, app.player("gus").await);
    let copy = app.register(&ada, &cards[0]).await;
    let claim = app.submit(&ben, &cards[0]).await.problem(409, "registered_to_another");
    let dispute = member(&claim, "dispute_id");
    let path = format!("/admin/disputes/{dispute}");
    let browser = Browser::of(&app, "the moderator").await;
    let decide = async |page: &crate::pages::html::Page, reason: &str| {
        let (owner, statements) = (value(page, "owner"), value(page, "statements"));
        let fields = [("owner", owner), ("statements", statements), ("reason", reason)];
        browser.post(&path, &[&fields[..], &[("outcome", "for_claimant")]].concat()).await
    };
    let old = browser.page(&path).await;
    assert_eq!((value(&old, "owner"), value(&old, "statements")), (&*ada.id, "0"));
    app.hand_over(&ada, &gus, &copy).await;
    let statement = json!({ "text": "I bought it." });
    let statements = format!("/v1/disputes/{dispute}/statements");
    let mut page = old;
    for (message, owner, stated) in [
        ("The copy has changed hands since you read this page.", &gus, "0"),
        ("The number of statements is 1 now, and was 0", &gus, "1"),
    ] {
        if stated == "1" {
            app.post(&statements).by(&gus).json(&statement).answer().await.expect(201);
        }
        let refused = decide(&page, "No answer.").await;
        assert_eq!(refused.status, 409, "{}", refused.text());
        page = check(&path, &refused);
        assert!(text(&page).contains(message), "{}", text(&page));
        assert_eq!(value(&page, "reason"), "No answer.");
        assert_eq!((value(&page, "owner"), value(&page, "statements")), (&*owner.id, stated));
        assert!(page.all("input").all(|field| field.get("checked").is_none()));
    }
    assert!(text(&page).contains("I bought it."));
    let decided = decide(&page, "No proof.").await;
    assert_eq!(location(&decided), (303, format!("{path}?done=decided")));
    // A second click is the same decision; another moderator learns that another reason is stored.
    let again = decide(&page, "No proof.").await;
    assert_eq!(location(&again), (303, format!("{path}?done=decided")));
    let admin = Browser::of(&app, "the admin").await;
    let late = admin.post(&path, &[("outcome", "for_claimant"), ("reason", "My own.")]).await;
    assert_eq!(location(&late), (303, format!("{path}?done=decided_before")));
    let page = admin.page(&format!("{path}?done=decided_before")).await;
    assert!(text(&page).contains("The reason that was given then applies"), "{}", text(&page));
}

#[tokio::test]
async fn a_copy_is_voided_as_it_was_read() {
    let app = start().await;
    let cards = app.print("dusk", 10).await;
    let (ivy, jon) = (app.player("ivy").await, app.player("jon").await);
    let copy = app.register(&ivy, &cards[0]).await;
    let browser = Browser::of(&app, "the moderator").await;
    let (path, way) = (format!("/admin/copies/{copy}"), format!("/admin/copies/{copy}/void"));
    let page = browser.page(&way).await;
    assert!(leads_to(&page, &format!("/admin/people/{}", ivy.id)), "it says whose copy it is");
    app.hand_over(&ivy, &jon, &copy).await;
    let old = [("owner", value(&page, "owner")), ("reason", "Sold twice.")];
    let page = sent(&browser, &way, &old, 409).await;
    assert!(text(&page).contains("The copy has changed hands"), "{}", text(&page));
    assert!(leads_to(&page, &format!("/admin/people/{}", jon.id)));
    assert_eq!((value(&page, "owner"), value(&page, "reason")), (&*jon.id, "Sold twice."));
    let now = [("owner", &*jon.id), ("reason", "Sold twice.")];
    for done in ["void", "as_before"] {
        let answer = browser.post(&way, &now).await;
        assert_eq!(location(&answer), (303, format!("{path}?done={done}")));
    }
    let page = browser.page(&format!("{path}?done=as_before")).await;
    assert!(text(&page).contains("It was like that already"), "{}", text(&page));
}

#[tokio::test]
async fn a_confirmed_submission_of_a_void_copy_does_not_count() {
    let app = start().await;
    let cards = app.print("dusk", 10).await;
    let admin = app.log_in("the admin", PASSWORD).await;
    let policy = json!({ "threshold": 1, "review": true });
    let policy_path = "/v1/games/ttcg/sets/dusk/unlock-policy";
    app.put(policy_path).by(&admin).json(&policy).answer().await.expect(201);
    let ada = app.player("ada").await;
    let submitted = app.submit(&ada, &cards[0]).await.expect(201);
    app.moderate(&admin, &member(&submitted, "copy"), "void").await.expect(200);
    let browser = Browser::of(&app, "the moderator").await;
    let path = format!("/admin/reviews/{}", member(&submitted, "submission"));
    let confirmed = browser.post(&path, &[("confirmed", "true"), ("note", "A photo.")]).await;
    assert_eq!(location(&confirmed), (303, "/admin/reviews?done=confirmed_void".to_owned()));
    let page = browser.page("/admin/reviews?done=confirmed_void").await;
    assert!(text(&page).contains("its copy is void"), "{}", text(&page));
    let card = app.get("/v1/games/ttcg/sets/dusk/cards/001").answer().await.expect(200);
    assert_eq!(card["hidden"], true);
}

/// The page of a report shows the others about the same thing, and a dismissal is about those that it showed.
#[tokio::test]
async fn a_report_is_decided_with_the_others_that_were_shown() {
    let app = start().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let (cid, eve) = (app.player("cid").await, app.player("eve").await);
    let report = async |by: &crate::support::Player, details: &str| {
        let body = json!({ "account": ben.id, "reason": "other", "details": details });
        member(&app.post("/v1/abuse-reports").by(by).json(&body).answer().await.expect(201), "id")
    };
    let first = format!("/admin/reports/{}", report(&ada, "Rude.").await);
    let second = format!("/admin/reports/{}", report(&cid, HOSTILE).await);
    let browser = Browser::of(&app, "the moderator").await;
    let page = browser.page(&first).await;
    assert!(text(&page).contains("Other reports about the same"), "{}", text(&page));
    assert!(text(&page).contains(HOSTILE) && leads_to(&page, &second) && page.scripts().is_empty());
    let until = value(&page, "read_until");
    let third = format!("/admin/reports/{}", report(&eve, "Threatens me.").await);
    // A form that is refused for another reason is still about what was read at first.
    let wrong = [("decision", "dismissed"), ("note", ""), ("read_until", until)];
    assert_eq!(value(&sent(&browser, &first, &wrong, 422).await, "read_until"), until);
    let fields = [("decision", "dismissed"), ("note", "Mild."), ("read_until", until)];
    let decided = browser.post(&first, &fields).await;
    assert_eq!(location(&decided), (303, format!("{first}?done=decided")));
    let waiting = browser.page("/admin/reports").await;
    for (path, waits) in [(&first, false), (&second, false), (&third, true)] {
        assert_eq!(leads_to(&waiting, path), waits, "{path}");
    }
    // The form of the third report shows the newest version; an old one decides nothing, and the note stays.
    let old = [("decision", "upheld"), ("note", "Threats."), ("read_until", until)];
    let page = sent(&browser, &third, &old, 409).await;
    assert!(text(&page).contains("This was reported again since you read it."), "{}", text(&page));
    assert_eq!(page.only("textarea").text, "Threats.");
    assert!(page.all("input").all(|field| field.get("checked").is_none()));
    let until = value(&page, "read_until");
    let fields = [("decision", "upheld"), ("note", "Threats."), ("read_until", until)];
    let decided = browser.post(&third, &fields).await;
    assert_eq!(location(&decided), (303, format!("{third}?done=decided")));
    // Another moderator whose page is older learns of that decision, and reverses it only after having read it.
    let other = Browser::of(&app, "the admin").await;
    let old = [("decision", "dismissed"), ("note", "Harmless."), ("read_until", until)];
    let page = sent(&other, &third, &old, 409).await;
    assert!(text(&page).contains("Another moderator has decided about this"), "{}", text(&page));
    assert_eq!(page.only("textarea").text, "Harmless.");
    let now = value(&page, "read_until");
    let fields = [("decision", "dismissed"), ("note", "Harmless."), ("read_until", now)];
    let decided = other.post(&third, &fields).await;
    assert_eq!(location(&decided), (303, format!("{third}?done=decided")));
}

/// An admin takes the role away while the moderator writes.
#[tokio::test]
async fn the_note_of_a_moderator_who_was_demoted_is_not_lost() {
    let app = start().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let report = json!({ "account": ben.id, "reason": "other", "details": "Rude." });
    let created = app.post("/v1/abuse-reports").by(&ada).json(&report).answer().await.expect(201);
    let path = format!("/admin/reports/{}", member(&created, "id"));
    let browser = Browser::of(&app, "the moderator").await;
    browser.page(&path).await;
    app.sql("UPDATE accounts SET role = 'player' WHERE name = 'the moderator'").await;
    app.forget_identities().await;
    let page =
        sent(&browser, &path, &[("decision", "upheld"), ("note", "It is as reported.")], 403).await;
    let written = page.only("textarea");
    assert_eq!((&*written.text, written.get("readonly")), ("It is as reported.", Some("")));
    // A page of another site gets nothing back.
    let foreign = app.post(&path).header("cookie", browser.cookie.as_ref().unwrap());
    let foreign = foreign.form(&[("note", "It is as reported.")]);
    let refused = foreign.header("sec-fetch-site", "cross-site").answer().await;
    assert_eq!(refused.status, 403);
    assert!(!refused.text().contains("It is as reported."));
}
