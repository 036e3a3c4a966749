//! Personal access tokens on pages: created, shown once, revoked.

use super::{Browser, actions, check, fault_of, hidden, location};
use crate::support::{RequestExt as _, TestApp};

#[tokio::test]
async fn a_token_is_created_shown_once_and_revoked() {
    let app = TestApp::start().await;
    app.player("ada").await;
    let mut browser = Browser::of(&app, "ada").await;
    let form = browser.page("/my/tokens").await;
    assert!(form.only("main").text.contains("You have no token."));
    // The form offers players no scope that their role may not use.
    assert!(!form.all("input").any(|field| field.get("value") == Some("admin:read")));
    let key = hidden(&form)[0].1;
    let page = browser.sent("/my/tokens", &[("name", " "), ("days", "0"), ("key", key)], 422).await;
    assert!(fault_of(&page, "name").starts_with("Say with 1 to 60 characters"));
    assert!(page.fault_of_group("scopes").starts_with("Choose at least one thing"));
    assert!(!page.fault_of("days").is_empty());
    assert_eq!(hidden(&page)[0].1, key);
    let fields = [
        ("name", "deck <sync>"),
        ("scope", "decks:read"),
        ("scope", "events:read"),
        ("days", "30"),
        ("key", key),
    ];
    let created = browser.send("/my/tokens", &fields).await;
    assert_eq!(created.status, 201, "{}", created.text());
    assert_eq!(created.header("content-encoding"), "");
    assert_eq!(created.header("cache-control"), "private, no-store");
    let page = check("/my/tokens", &created);
    let token = page.all("code").find(|code| code.get("id") == Some("token")).unwrap();
    app.get("/v1/me/events").bearer_auth(&token.text).answer().await.expect(200);
    app.get("/v1/collection").bearer_auth(&token.text).answer().await.problem(403, "scope_missing");
    // A double click creates one token, and its secret is shown once.
    let again = browser.sent("/my/tokens", &fields, 201).await;
    assert!(!again.all("code").any(|code| code.text.starts_with("csp_")));
    assert_eq!(app.db().value("SELECT count(*) FROM personal_access_tokens").await, "1");
    // Another request with the same key is refused. The answer has a new key, so that the form can be sent again.
    let other = [("name", "other"), ("scope", "decks:read"), ("days", "30"), ("key", key)];
    let page = browser.sent("/my/tokens", &other, 422).await;
    assert!(page.only("main").text.contains("This form was sent before"));
    assert_ne!(hidden(&page)[0].1, key);
    let list = browser.page("/my/tokens").await;
    assert!(list.all("th").any(|name| name.text == "deck <sync>"));
    let revoke = actions(&list).into_iter().find(|action| action.ends_with("/revoke")).unwrap();
    for _ in 0..2 {
        let revoked = browser.send(revoke, &[]).await;
        assert_eq!(location(&revoked), (303, "/my/tokens?done=token".to_owned()));
    }
    let list = browser.page("/my/tokens?done=token").await;
    assert!(list.only("main").text.contains("You have no token."));
    // The first form again: its token was revoked. The answer has a new key, so that the form can be sent again.
    let page = browser.sent("/my/tokens", &fields, 410).await;
    assert!(page.only("main").text.contains("its token was revoked or has expired"));
    let new_key = hidden(&page)[0].1;
    assert_ne!(new_key, key);
}

#[tokio::test]
async fn moderators_are_offered_the_scopes_of_their_role() {
    let app = TestApp::start().await;
    app.moderator().await;
    let browser = Browser::of(&app, "the moderator").await;
    let form = browser.page("/my/tokens").await;
    assert!(form.all("input").any(|field| field.get("value") == Some("admin:read")));
}
