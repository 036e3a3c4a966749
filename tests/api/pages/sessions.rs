//! Sessions of browsers: where their cookie is accepted, and where it is not.

use chrono::Duration;

use super::browser::Browser;
use super::frame::check;
use crate::support::{PASSWORD, RequestExt as _, TestApp};
use cardscape::app::state::ApiSettings;

#[tokio::test]
async fn pages_of_players_redirect_to_the_log_in_and_back() {
    let app = TestApp::start().await;
    app.player("ada").await;
    let mut browser = Browser::new(&app);
    let turned = browser.get("/submit/batch").await;
    assert_eq!(
        (turned.status, turned.header("location").as_str()),
        (303, "/login?to=%2Fsubmit%2Fbatch")
    );
    let form = check("/login", &browser.get("/login?to=%2Fsubmit%2Fbatch").await);
    let to = form.all("input").find(|field| field.get("name") == Some("to")).unwrap();
    assert_eq!(to.get("value"), Some("/submit/batch"));
    let fields = [("name", "ada"), ("password", PASSWORD), ("to", "/submit/batch")];
    let answer = browser.send("/login", &fields).await;
    assert_eq!((answer.status, answer.header("location").as_str()), (303, "/submit/batch"));
    let cookie = browser.cookie.clone().unwrap();
    assert!(cookie.starts_with("cardscape=csb_"), "{cookie}");
    let elsewhere = [("name", "ada"), ("password", PASSWORD), ("to", "//evil.example/")];
    let answer = browser.send("/login", &elsewhere).await;
    assert_eq!(answer.header("location"), "/my/account");
    check("/my/account", &browser.get("/my/account").await);
}

#[tokio::test]
async fn a_wrong_password_is_reported_and_not_sent_back() {
    let app = TestApp::start().await;
    app.player("ada").await;
    let mut browser = Browser::new(&app);
    let answer = browser.send("/login", &[("name", "ada"), ("password", "not this one")]).await;
    assert_eq!(answer.status, 401);
    let page = check("/login", &answer);
    assert!(answer.text().contains("The name or the password is wrong."));
    assert!(!answer.text().contains("not this one"));
    assert!(page.all("input").any(|field| field.get("value") == Some("ada")));
    assert!(browser.cookie.is_none());
}

/// Addresses below `/v1` do not accept the cookie, and pages do not accept a token.
#[tokio::test]
async fn cookies_work_only_on_pages_and_tokens_only_in_the_api() {
    let app = TestApp::start().await;
    let player = app.player("ada").await;
    let browser = Browser::of(&app, "ada").await;
    let cookie = browser.cookie.clone().unwrap();
    for path in ["/v1/me", "/v1/sessions", "/v1/submissions", "/v1/collection"] {
        app.get(path).header("cookie", &cookie).answer().await.problem(401, "unauthenticated");
    }
    let token = cookie.split_once('=').unwrap().1;
    app.get("/v1/me").bearer_auth(token).answer().await.problem(401, "invalid_token");
    let turned = app.get("/my/account").by(&player).answer().await;
    assert_eq!(turned.status, 303);
    // An access token in the cookie is not accepted either.
    let access = format!("cardscape={}", player.access_token);
    assert_eq!(app.get("/my/account").header("cookie", access).answer().await.status, 303);
    // Any host of the domain can set a cookie that is not UTF-8.
    let beside_another = [&b"x=\xE9; "[..], cookie.as_bytes()].concat();
    let answer = app.get("/my/account").header("cookie", beside_another).answer().await;
    assert_eq!(answer.status, 200);
    // The database stores a hash of the cookie, not the cookie.
    let stored = "SELECT encode(browser_token_hash, 'hex') FROM sessions WHERE browser_token_hash IS NOT NULL";
    let hash = app.db().value(stored).await;
    assert_eq!(hash.len(), 64, "{hash}");
    let rows = app.db().value("SELECT string_agg(to_jsonb(s)::text, ' ') FROM sessions s").await;
    assert!(!rows.contains(token), "{rows}");
}

#[tokio::test]
async fn forms_of_other_sites_are_refused() {
    let app = TestApp::start().await;
    app.player("ada").await;
    let browser = Browser::of(&app, "ada").await;
    let cookie = browser.cookie.clone().unwrap();
    // The origin of the service in tests, as browsers send it.
    let ours = "http://127.0.0.1:8080";
    for path in ["/login", "/logout", "/submit", "/submit/batch"] {
        let sent = || app.post(path).form(&[("name", "ada")]).header("cookie", &cookie);
        let refused = [
            sent(),
            sent().header("sec-fetch-site", "cross-site"),
            sent().header("sec-fetch-site", "same-site"),
            sent().header("sec-fetch-site", "none").header("origin", ours),
            sent().header("origin", "https://evil.example"),
            sent().header("origin", "null"),
        ];
        for request in refused {
            let answer = request.answer().await;
            assert_eq!(answer.status, 403, "{path}");
            check(path, &answer);
        }
        assert_ne!(sent().header("origin", ours).answer().await.status, 403, "{path}");
    }
}

#[tokio::test]
async fn log_out_and_bans_end_the_session() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let admin = app.admin().await;
    let mut browser = Browser::of(&app, "ada").await;
    let cookie = browser.cookie.clone().unwrap();
    let other = Browser::of(&app, "ada").await;
    let answer = browser.send("/logout", &[]).await;
    assert_eq!((answer.status, answer.header("location").as_str()), (303, "/"));
    assert!(browser.cookie.is_none());
    // The session ends immediately, even for a client that still sends the cookie. The session of the other browser continues.
    assert_eq!(app.get("/my/account").header("cookie", &cookie).answer().await.status, 303);
    assert_eq!(other.get("/my/account").await.status, 200);
    let path = format!("/v1/accounts/{}", ada.id);
    let ban = serde_json::json!({ "banned": true });
    app.patch(&path).by(&admin).json(&ban).answer().await.expect(200);
    app.forget_identities().await;
    assert_eq!(other.get("/my/account").await.status, 303);
}

/// The cookie never changes, so tabs cannot log each other out. The session stays valid as long as it is used.
#[tokio::test]
async fn many_tabs_use_one_session_for_months() {
    let app = TestApp::start().await;
    app.player("ada").await;
    let browser = Browser::of(&app, "ada").await;
    for _ in 0..5 {
        let tabs = (0..20).map(|_| browser.get("/my/account"));
        for answer in futures_util::future::join_all(tabs).await {
            assert_eq!((answer.status, answer.header("set-cookie")), (200, String::new()));
        }
        app.clock().advance(Duration::days(50));
        app.forget_identities().await;
    }
    app.clock().advance(Duration::days(61));
    app.forget_identities().await;
    assert_eq!(browser.get("/my/account").await.status, 303);
}

/// Over HTTPS, browsers accept the cookie only from this host, and send it to no other host.
#[tokio::test]
async fn over_https_the_cookie_is_locked_to_its_host() {
    let https = |settings: &mut ApiSettings| {
        settings.public_url = Some("https://cards.example".to_owned());
    };
    let app = TestApp::start_with(https).await;
    app.player("ada").await;
    let browser = Browser::new(&app);
    let answer = browser.post("/login", &[("name", "ada"), ("password", PASSWORD)]).await;
    let cookie = answer.header("set-cookie");
    let (value, _) = cookie.split_once(';').unwrap();
    assert!(value.starts_with("__Host-cardscape=csb_"), "{cookie}");
    let logged_out = app.post("/logout").header("sec-fetch-site", "same-origin");
    let logged_out = logged_out.header("cookie", value).answer().await.header("set-cookie");
    assert!(logged_out.starts_with("__Host-cardscape=;"), "{logged_out}");
    for set in [cookie, logged_out] {
        for attribute in ["Secure", "HttpOnly", "Path=/", "SameSite=Lax"] {
            assert!(set.contains(attribute), "{set}");
        }
        assert!(!set.contains("Domain"), "{set}");
    }
}

/// After a second click, or when the session was ended elsewhere, the session is over, as requested.
#[tokio::test]
async fn logging_out_without_a_valid_session_is_no_error() {
    let app = TestApp::start().await;
    app.player("ada").await;
    let mut browser = Browser::of(&app, "ada").await;
    assert_eq!(browser.get("/my/account").await.status, 200);
    app.sql("UPDATE sessions SET revoked_at = now(), revoked_reason = 'logout'").await;
    let answer = browser.send("/logout", &[]).await;
    assert_eq!((answer.status, answer.header("location").as_str()), (303, "/"));
    assert!(browser.cookie.is_none());
}

#[tokio::test]
async fn the_last_use_of_a_session_is_stored_at_most_once_an_hour() {
    let app = TestApp::start().await;
    app.player("ada").await;
    let browser = Browser::of(&app, "ada").await;
    let used = "SELECT last_used_at::text FROM sessions WHERE browser_token_hash IS NOT NULL";
    let at_first = app.db().value(used).await;
    for (minutes, is_written) in [(59, false), (2, true)] {
        app.clock().advance(Duration::minutes(minutes));
        app.forget_identities().await;
        assert_eq!(browser.get("/my/account").await.status, 200);
        assert_eq!(app.db().value(used).await != at_first, is_written, "{minutes}");
    }
}

/// The browser loses the cookie of the previous session, so nobody else would end the session.
#[tokio::test]
async fn logging_in_anew_ends_the_previous_session_of_the_browser() {
    const ACTIVE: &str =
        "SELECT count(*) FROM sessions WHERE browser_token_hash IS NOT NULL AND revoked_at IS NULL";
    let app = TestApp::start().await;
    app.player("ada").await;
    app.player("bob").await;
    let mut browser = Browser::of(&app, "ada").await;
    // A log-in that fails changes nothing.
    let wrong = [("name", "bob"), ("password", "not this one")];
    assert_eq!(browser.send("/login", &wrong).await.status, 401);
    check("/my/account", &browser.get("/my/account").await);
    for (path, name, status) in
        [("/login", "ada", 303), ("/login", "bob", 303), ("/join", "cem", 201)]
    {
        let previous = browser.cookie.clone().unwrap();
        let fields = [("name", name), ("password", PASSWORD)];
        assert_eq!(browser.send(path, &fields).await.status, status, "{path} {name}");
        assert_ne!(browser.cookie.as_ref(), Some(&previous));
        let with_previous = app.get("/my/account").header("cookie", previous).answer().await;
        assert_eq!(with_previous.status, 303, "{path} {name}");
        assert_eq!(app.db().number(ACTIVE).await, 1, "{path} {name}");
        check("/my/account", &browser.get("/my/account").await);
    }
}
