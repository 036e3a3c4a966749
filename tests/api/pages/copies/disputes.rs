//! Disputes: each side writes statements, and sees nothing of the other side.

use super::{Browser, actions, check, links, two_players, value};
use crate::pages::browser::{hold_key, release_key};
use crate::support::{RequestExt as _, text};

#[tokio::test]
async fn a_claim_links_to_its_dispute_and_each_side_sees_its_own_statements() {
    let (app, cards, ada, ben) = two_players().await;
    let copy = app.register(&ada, &cards[0]).await;
    let mut his = Browser::of(&app, "ben").await;
    let hers = Browser::of(&app, "ada").await;
    assert!(hers.page("/disputes").await.only("main").text.contains("You have no disputes."));
    let claim =
        his.send("/submit", &[("serial", &cards[0].serial), ("card", &cards[0].name)]).await;
    assert_eq!(claim.status, 409);
    let claim = check("/submit", &claim);
    let path = links(&claim).into_iter().find(|link| link.starts_with("/disputes/")).unwrap();
    let path = path.to_owned();
    for (browser, side) in [(&hers, "You have the copy"), (&his, "You claim the copy")] {
        let list = browser.page("/disputes").await;
        assert!(links(&list).contains(&path.as_str()));
        assert!(list.only("main").text.contains(side));
        let page = browser.page(&path).await;
        assert!(page.only("main").text.contains("Not decided yet"));
    }
    // The page does not show the id of the copy to the claimant, because it would reveal the owner. A claim does not reveal a hidden card.
    let page = his.page(&path).await;
    assert!(
        !page.only("main").text.contains(&cards[0].name) && !page.only("main").text.contains("ada")
    );
    assert!(!links(&page).contains(&format!("/my/copies/{copy}").as_str()));
    assert_eq!(actions(&page), [path.clone(), format!("{path}/withdraw")]);
    let page = hers.page(&path).await;
    assert!(links(&page).contains(&format!("/my/copies/{copy}").as_str()));
    assert_eq!(actions(&page), [path.as_str()]);

    let hostile = "I bought it.\r\n<script>alert(1)</script>";
    let fields = [("text", hostile), ("key", value(&page, "key"))];
    for _ in 0..2 {
        let answer = hers.post(&path, &fields).await;
        assert_eq!((answer.status, answer.header("location")), (303, format!("{path}?done=said")));
    }
    let stored = app.get(&format!("/v1{path}")).by(&ada).answer().await.expect(200);
    assert_eq!(stored["statements"].as_array().unwrap().len(), 1, "the statement is stored once");
    assert_eq!(stored["statements"][0]["text"], "I bought it.\n<script>alert(1)</script>");
    let page = hers.page(&format!("{path}?done=said")).await;
    let main = &page.only("main").text;
    assert!(main.contains("It is written down.") && main.contains("<script>alert(1)</script>"));
    assert!(main.contains("You can add 4 more statements."), "{main}");
    assert!(!his.page(&path).await.only("main").text.contains("I bought it."));
    let cem = app.player("cem").await;
    let strangers = Browser::of(&app, &cem.name).await;
    assert_eq!(strangers.get(&path).await.status, 404);
    assert_eq!(strangers.post(&path, &[("text", "mine")]).await.status, 404);
    assert_eq!(strangers.post(&format!("{path}/withdraw"), &[]).await.status, 404);
    let _ = ben;
}

#[tokio::test]
async fn invalid_statements_are_refused_and_a_claim_is_withdrawn() {
    let (app, cards, ada, ben) = two_players().await;
    app.register(&ada, &cards[0]).await;
    let claim = app.submit(&ben, &cards[0]).await.problem(409, "registered_to_another");
    let path = format!("/disputes/{}", text(&claim, "dispute_id"));
    let (hers, his) = (Browser::of(&app, "ada").await, Browser::of(&app, "ben").await);
    let long = "x".repeat(2001);
    for sent in ["", " \r\n ", long.as_str()] {
        let refused = hers.post(&path, &[("text", sent)]).await;
        assert_eq!(refused.status, 422);
        let page = check(&path, &refused);
        let field = page.all("textarea").find(|field| field.get("id") == Some("text")).unwrap();
        assert_eq!(field.get("aria-invalid"), Some("true"));
        assert_eq!(field.get("autocomplete"), Some("off"));
        assert_eq!(field.text, sent.trim());
    }
    for at in 0..5 {
        let sent = hers.post(&path, &[("text", format!("statement {at}").as_str())]).await;
        assert_eq!(sent.status, 303, "{at}");
    }
    let open = hers.page(&path).await;
    assert!(open.only("main").text.contains("typed the code of this copy"));
    assert!(!open.all("textarea").any(|_| true), "the limit of statements is reached");
    let refused = hers.post(&path, &[("text", "one more")]).await;
    assert_eq!(refused.status, 409);
    let refused = check(&path, &refused);
    assert!(refused.only("main").text.contains("greatest number of statements"));
    assert_eq!(refused.only("textarea").text, "one more", "the statement can be copied");
    let refused = hers.post(&format!("{path}/withdraw"), &[]).await;
    assert_eq!(refused.status, 409);
    assert!(check(&path, &refused).only("main").text.contains("Only the claimant"));
    let done = his.post(&format!("{path}/withdraw"), &[]).await;
    assert_eq!((done.status, done.header("location")), (303, format!("{path}?done=withdrawn")));
    let page = his.page(&path).await;
    assert!(page.only("main").text.contains("The claim was withdrawn"));
    assert!(actions(&page).is_empty());
    // The pages of a closed dispute do not say who has the copy: that depends on the outcome.
    for (browser, side) in
        [(&hers, "Another player claimed the copy"), (&his, "You claimed the copy")]
    {
        assert!(browser.page("/disputes").await.only("main").text.contains(side), "{side}");
        let page = browser.page(&path).await;
        let main = &page.only("main").text;
        assert!(main.contains(side) && !main.contains("typed the code of this copy"), "{main}");
    }
    let late = his.post(&path, &[("text", "but")]).await;
    assert_eq!(late.status, 409);
    let late = check(&path, &late);
    assert!(late.only("main").text.contains("The dispute is closed."));
    assert_eq!(late.only("textarea").text, "but", "the statement can be copied");
    let stored = app.get(&format!("/v1{path}")).by(&ben).answer().await.expect(200);
    assert_eq!(
        (stored["state"].as_str(), stored["statements"].as_array().unwrap().len()),
        (Some("withdrawn"), 0)
    );
}

/// A double click, and then another request with the form of the answer, store one statement.
#[tokio::test]
async fn a_statement_that_is_sent_again_while_it_runs_is_stored_once() {
    let (app, cards, ada, ben) = two_players().await;
    app.register(&ada, &cards[0]).await;
    let claim = app.submit(&ben, &cards[0]).await.problem(409, "registered_to_another");
    let path = format!("/disputes/{}", text(&claim, "dispute_id"));
    let hers = Browser::of(&app, "ada").await;
    let form = hers.page(&path).await;
    let fields = [("text", "It is mine."), ("key", value(&form, "key"))];
    let running = hold_key(&app, "ada", value(&form, "key")).await;
    let refused = hers.post(&path, &fields).await;
    assert_eq!(refused.status, 409, "{}", refused.text());
    let page = check("running", &refused);
    assert!(page.only("main").text.contains("It is being written down at the moment."));
    assert_eq!(value(&page, "key"), value(&form, "key"), "the form keeps the idempotency key");
    release_key(&running).await;
    let again = [("text", page.only("textarea").text.as_str()), ("key", value(&page, "key"))];
    for fields in [fields, again] {
        let answer = hers.post(&path, &fields).await;
        assert_eq!(answer.status, 303, "{}", answer.text());
    }
    let stored = app.get(&format!("/v1{path}")).by(&ada).answer().await.expect(200);
    assert_eq!(stored["statements"].as_array().unwrap().len(), 1);
    let wrong = check("wrong", &hers.post(&path, &[("text", ""), ("key", "k")]).await);
    assert_ne!(value(&wrong, "key"), "k", "the form has a new idempotency key");
}
