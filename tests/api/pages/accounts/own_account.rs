//! The own account: settings, sessions, password, and the required password change.

use cardscape::auth::permission::Role;

use super::{Browser, actions, check, codes, fault_of, location};
use crate::support::{PASSWORD, RequestExt as _, TestApp};

/// Pages that need a session. [`BUTTONS`] lists the addresses of their buttons.
const PAGES: [&str; 6] = [
    "/my/account",
    "/my/password",
    "/my/recovery-codes",
    "/my/second-factor",
    "/my/tokens",
    "/my/events",
];
const BUTTONS: [&str; 7] = [
    "/my/account/settings",
    "/my/sessions/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11/end",
    "/my/second-factor/confirm",
    "/my/second-factor/switch-off",
    "/my/second-factor/recovery-codes",
    "/my/tokens/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11/revoke",
    "/my/events/settings",
];

#[tokio::test]
async fn pages_need_a_session_and_forms_of_other_sites_are_refused() {
    let app = TestApp::start().await;
    app.player("ada").await;
    let mut stranger = Browser::new(&app);
    let browser = Browser::of(&app, "ada").await;
    for path in PAGES {
        let back: String = path.replace('/', "%2F");
        let turned = stranger.get(path).await;
        assert_eq!(location(&turned), (303, format!("/login?to={back}")), "{path}");
        browser.page(path).await;
    }
    for path in BUTTONS {
        // The address of a button has no page, so the log-in cannot lead back to it. A browser that loads it again gets the page with the button.
        let turned = stranger.send(path, &[]).await;
        assert_eq!(turned.status, 401, "{path}");
        let (status, page) = location(&browser.get(path).await);
        assert!(status == 303 && PAGES.contains(&&*page), "{path}: {status} {page}");
    }
    let forms = ["/join", "/recover", "/my/password", "/my/recovery-codes", "/my/tokens"];
    for path in forms.iter().chain(&BUTTONS).chain(&["/my/second-factor"]) {
        let cookie = browser.cookie.as_ref().unwrap();
        let form = app.post(path).header("cookie", cookie).form(&[("name", "ada")]);
        let refused = form.header("sec-fetch-site", "cross-site").answer().await;
        assert_eq!(refused.status, 403, "{path}");
        assert_eq!(check(path, &refused).only("h1").text, "You may not do this", "{path}");
    }
}

#[tokio::test]
async fn settings_are_changed() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let mut browser = Browser::of(&app, "ada").await;
    let saved = browser
        .send("/my/account/settings", &[("trading", "public"), ("on_leaderboard", "on")])
        .await;
    assert_eq!(location(&saved), (303, "/my/account?done=settings".to_owned()));
    let page = browser.page("/my/account?done=settings").await;
    assert!(page.only("main").text.contains("The settings are saved."));
    let chosen = page.all("option").find(|option| option.get("selected").is_some()).unwrap();
    assert_eq!(chosen.get("value"), Some("public"));
    assert!(page.all("input").any(|box_| box_.get("checked").is_some()));
    let me = app.get("/v1/me").by(&ada).answer().await.expect(200);
    assert_eq!(me["trading"], "public");
    assert_eq!(me["on_leaderboard"], true);
    browser.send("/my/account/settings", &[("trading", "closed")]).await;
    let me = app.get("/v1/me").by(&ada).answer().await.expect(200);
    assert_eq!(me["trading"], "closed");
    assert_eq!(me["on_leaderboard"], false);
    assert_eq!(browser.send("/my/account/settings", &[("trading", "x")]).await.status, 422);
}

#[tokio::test]
async fn sessions_are_listed_and_ended() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let bob = app.player("bob").await;
    let mut browser = Browser::of(&app, "ada").await;
    let ends = |page: &super::Page| -> Vec<String> {
        let is_end = |action: &&&str| action.ends_with("/end");
        actions(page).iter().filter(is_end).map(|action| (*action).to_owned()).collect()
    };
    let page = browser.page("/my/account").await;
    for text in ["This browser", "A browser", "A program"] {
        assert!(page.only("main").text.contains(text), "{text}");
    }
    let found = ends(&page);
    let [end] = &found[..] else { panic!("{:?}", actions(&page)) };
    let ended = browser.send(end, &[]).await;
    assert_eq!(location(&ended), (303, "/my/account?done=session".to_owned()));
    app.get("/v1/me").by(&ada).answer().await.problem(401, "invalid_token");
    assert!(ends(&browser.page("/my/account").await).is_empty());
    // A second request also succeeds, because the session is over. A request cannot end the session of another account.
    assert_eq!(browser.send(end, &[]).await.status, 303);
    let of_bob = app.get("/v1/sessions").by(&bob).answer().await.expect(200);
    let of_bob = of_bob["data"][0]["id"].as_str().unwrap();
    browser.send(&format!("/my/sessions/{of_bob}/end"), &[]).await;
    app.get("/v1/me").by(&bob).answer().await.expect(200);
    // The session of this browser ends immediately.
    let this = app.db().value(
        "SELECT s.id FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE a.name = 'ada' AND s.revoked_at IS NULL",
    );
    let this = this.await;
    browser.send(&format!("/my/sessions/{this}/end"), &[]).await;
    assert_eq!(browser.get("/my/account").await.status, 303);
}

#[tokio::test]
async fn the_password_and_the_recovery_codes_are_changed() {
    let app = TestApp::start().await;
    app.player("ada").await;
    let mut browser = Browser::of(&app, "ada").await;
    let with = |current: &'static str, new: &'static str| {
        [("current_password", current), ("new_password", new)]
    };
    let page = browser.sent("/my/password", &with(PASSWORD, "short"), 422).await;
    assert_eq!(fault_of(&page, "new_password"), "A password has 10 to 128 characters.");
    let page = browser.sent("/my/password", &with(PASSWORD, PASSWORD), 422).await;
    let fault = fault_of(&page, "new_password");
    assert_eq!(fault, "This is your current password. Choose another one.");
    let page = browser.sent("/my/password", &with("not this one", "violet lamp 7"), 403).await;
    assert_eq!(fault_of(&page, "current_password"), "The password is wrong.");
    assert!(!page.all("input").any(|field| field.get("value") == Some("violet lamp 7")));
    let changed = browser.send("/my/password", &with(PASSWORD, "violet lamp 7")).await;
    assert_eq!(location(&changed), (303, "/my/account?done=password".to_owned()));
    browser.page("/my/account?done=password").await;
    // The new password ends the sessions of API clients.
    let session = "SELECT revoked_at IS NOT NULL FROM sessions WHERE browser_token_hash IS NULL";
    assert_eq!(app.db().value(session).await, "true");

    let page = browser.sent("/my/recovery-codes", &[("current_password", PASSWORD)], 403).await;
    assert_eq!(fault_of(&page, "current_password"), "The password is wrong.");
    let fields = [("current_password", "violet lamp 7")];
    let first = codes(&browser.send("/my/recovery-codes", &fields).await);
    let fields = [
        ("current_password", "violet lamp 7"),
        ("new_password", "harbour lamp 8"),
        ("replace_recovery_codes", "on"),
    ];
    let second = codes(&browser.send("/my/password", &fields).await);
    let mut lost = Browser::new(&app);
    for (code, status) in [(&first[0], 401), (&second[0], 303)] {
        let fields = [
            ("name", "ada"),
            ("recovery_code", code.as_str()),
            ("new_password", "sonnet window 9"),
        ];
        assert_eq!(lost.send("/recover", &fields).await.status, status);
    }
}

/// If an operator has set the password of an account, every page leads to the page that changes the password.
#[tokio::test]
async fn a_required_password_change_comes_before_other_pages() {
    let app = TestApp::start().await;
    app.created_by_operator("boss", Role::Admin, "first password").await;
    let mut browser = Browser::new(&app);
    let fields = [("name", "boss"), ("password", "first password")];
    let answer = browser.send("/login", &fields).await;
    assert_eq!(location(&answer), (303, "/my/account".to_owned()));
    let page = browser.page("/my/account").await;
    let leads =
        |page: &super::Page| page.all("a").any(|link| link.get("href") == Some("/my/password"));
    assert!(leads(&page) && page.only("main").text.contains("Change it first"));
    assert!(!actions(&page).contains(&"/my/account/settings"));
    for path in ["/submit/batch", "/my/tokens", "/my/events", "/my/recovery-codes"] {
        let answer =
            app.get(path).header("cookie", browser.cookie.as_ref().unwrap()).answer().await;
        assert_eq!(answer.status, 403, "{path}");
        let page = check(path, &answer);
        assert_eq!(page.only("h1").text, "Change the password first", "{path}");
        assert!(leads(&page), "{path}");
    }
    browser.page("/my/password").await;
    let fields = [("current_password", "first password"), ("new_password", PASSWORD)];
    let changed = browser.send("/my/password", &fields).await;
    assert_eq!(location(&changed), (303, "/my/account?done=password".to_owned()));
    // The change takes effect immediately.
    browser.page("/my/tokens").await;
    assert!(actions(&browser.page("/my/account").await).contains(&"/my/account/settings"));
}

/// Without script, a second click sends the form once more, and the password that it calls the current one is not the current one any more.
#[tokio::test]
async fn a_password_that_is_changed_by_two_clicks_is_not_called_wrong() {
    let app = TestApp::start().await;
    app.begin_window();
    app.player("ada").await;
    let mut browser = Browser::of(&app, "ada").await;
    let fields = [("current_password", PASSWORD), ("new_password", "violet lamp 7")];
    for _ in 0..2 {
        let changed = browser.send("/my/password", &fields).await;
        assert_eq!(location(&changed), (303, "/my/account?done=password".to_owned()));
    }
    // The second request counts as a wrong password.
    let used = "SELECT coalesce(sum(used + reserved), 0)::bigint FROM attempts WHERE scope = 'password_session'";
    assert_eq!(app.db().value(used).await, "1");
    let fields = [
        ("current_password", "violet lamp 7"),
        ("new_password", "harbour lamp 8"),
        ("replace_recovery_codes", "on"),
    ];
    codes(&browser.send("/my/password", &fields).await);
    let page = browser.sent("/my/password", &fields, 403).await;
    assert!(page.only("main").text.contains("The password is changed"));
    assert!(actions(&page).contains(&"/my/recovery-codes"));
    // A moment after the change, each of two wrong passwords in a form counts.
    let mistyped = [("current_password", PASSWORD), ("new_password", "sonnet window 9")];
    let page = browser.sent("/my/password", &mistyped, 403).await;
    assert_eq!(fault_of(&page, "current_password"), "The password is wrong.");
    assert_eq!(app.db().value(used).await, "4");
    // A change that is required is not done because an earlier one is, and only the wrong password counts.
    app.sql("UPDATE accounts SET must_change_password = true").await;
    let kept = [("current_password", PASSWORD), ("new_password", "harbour lamp 8")];
    let page = browser.sent("/my/password", &kept, 403).await;
    assert_eq!(fault_of(&page, "current_password"), "The password is wrong.");
    assert_eq!(app.db().value(used).await, "5");
    app.sql("UPDATE accounts SET must_change_password = false").await;
    // Later, the same applies to all forms.
    app.clock().advance(chrono::Duration::minutes(3));
    let page = browser.sent("/my/password", &kept, 403).await;
    assert_eq!(fault_of(&page, "current_password"), "The password is wrong.");
    assert_eq!(app.db().value(used).await, "6");
}
