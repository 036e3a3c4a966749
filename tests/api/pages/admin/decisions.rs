//! Decisions of moderators: submissions, disputes, copies and reports.

use serde_json::json;

use super::{Browser, actions, leads_to, location, sent, text, value};
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
    assert_eq!(browser.get("/admin/reviews?account=a").await.status, 400);

    let page = browser.page(&of_ada).await;
    assert!(leads_to(&page, &format!("/admin/people/{}", ada.id)));
    // The Enter key in the note field decides nothing, because no button carries a decision.
    assert_eq!(page.all("input").filter(|field| field.get("name") == Some("confirmed")).count(), 2);
    assert!(page.all("button").all(|button| button.get("name") != Some("confirmed")));
    assert!(page.all("input").all(|field| field.get("checked").is_none()));
    let page = sent(&browser, &of_ada, &[("note", "No photo.")], 422).await;
    assert!(text(&page).contains("Choose a decision."), "{}", text(&page));
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
    assert_eq!(location(&late), (303, "/admin/reviews?done=reviewed_before".to_owned()));
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
    for message in ["Choose the owner of the copy.", "Give a reason of 1 to 500 characters"] {
        assert!(text(&page).contains(message), "{message}");
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
    assert!(!leads_to(&browser.page("/admin/disputes").await, &path));
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
    assert!(text(&page).contains("Choose a decision."));
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
        let message = format!("Only what was reported about {}", accused.name);
        assert!(text(&page).contains(&message), "{}", text(&page));
        assert!(leads_to(&page, &format!("/admin/people/{}", accused.id)));
        assert!(leads_to(&page, "/admin/reports?decided=true"));
    }
    // An account that does not exist has no reports.
    let page = browser.page(&format!("/admin/reports?accused={}", super::NOTHING)).await;
    assert!(text(&page).contains("No report about this account waits."), "{}", text(&page));
}
