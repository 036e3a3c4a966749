//! Errors: page addresses answer with an error page, API addresses with a problem document.

use std::time::Duration;

use reqwest::{Method, RequestBuilder};

use super::browser::Browser;
use super::frame::check;
use super::{html::Page, start};
use crate::support::{Answer, RequestExt as _, TestApp};

#[tokio::test]
async fn the_path_decides_between_an_error_page_and_a_problem() {
    let app = start().await;
    for path in [
        "/nothing",
        "/cards/ttcg/hearth",
        "/cards/ttcg/hearth/999",
        "/cards/ttcg/hearth/%00",
        "/cards/ttcg/hearth/001?rarity=none",
        "/games/nothing",
        "/sets/ttcg/nothing",
        "/docs/nothing",
        "/assets/x/nothing.css",
        "/v10/games",
    ] {
        for accept in ["text/html", "application/json"] {
            let answer = app.get(path).header("accept", accept).answer().await;
            assert_eq!(answer.status, 404, "{path}");
            assert_eq!(answer.header("cache-control"), "no-store", "{path}");
            let page = check(path, &answer);
            assert_eq!(page.only("h1").text, "There is nothing here", "{path}");
        }
    }
    // The service decodes the path first, as it does when it looks for a route.
    for path in [
        "/v1/nothing",
        "/v1/games/nothing",
        "/problems/nothing",
        "/healthz/x",
        "/%76%31/games/nothing",
        "/v%31/nothing",
    ] {
        let answer = app.get(path).header("accept", "text/html").answer().await;
        answer.problem(404, "not_found");
    }
}

#[tokio::test]
async fn pages_accept_only_get_and_head() {
    let app = start().await;
    for path in ["/", "/search", "/cards/ttcg/hearth/001", "/docs/api", "/robots.txt"] {
        for method in [Method::POST, Method::PUT, Method::DELETE] {
            let answer = app.request(method, path).answer().await;
            assert_eq!(
                (answer.status, answer.header("allow")),
                (405, "GET, HEAD".to_owned()),
                "{path}"
            );
            check(path, &answer);
        }
    }
    app.post("/v1/games").answer().await.problem(405, "method_not_allowed");
}

/// Sends a request until the limit of one request per second refuses it: on a busy machine, a second may pass between two requests.
async fn refused(send: impl Fn() -> RequestBuilder) -> Answer {
    for _ in 0..20 {
        let answer = send().answer().await;
        if answer.status == 429 {
            return answer;
        }
    }
    panic!("the limit does not count the request")
}

#[tokio::test]
async fn a_rate_limited_page_shows_when_to_try_again() {
    let app = TestApp::start_with(|settings| {
        settings.requests_per_second = 1;
        settings.request_burst = 2;
    })
    .await;
    let mut last = app.get("/").answer().await;
    let styles = Page::read(&last.text());
    let styles = styles.all("link").find(|link| link.get("rel") == Some("stylesheet")).unwrap();
    let styles = styles.get("href").unwrap().to_owned();
    while last.status == 200 {
        last = app.get("/").answer().await;
    }
    assert_eq!(last.status, 429);
    let wait: u32 = last.header("retry-after").parse().unwrap();
    assert!(last.header("ratelimit").contains("r=0"), "{}", last.header("ratelimit"));
    let page = check("/", &last);
    let expected = format!(
        "Try again in {}",
        if wait == 1 { "a second".to_owned() } else { format!("{wait} seconds") }
    );
    assert!(page.only("main").text.contains(&expected), "{}", page.only("main").text);
    // The rate limit does not count GET and HEAD requests for existing assets, which the error page needs. It counts all other requests below `/assets`.
    assert_eq!(app.get(&styles).answer().await.status, 200);
    assert_eq!(app.request(Method::HEAD, &styles).answer().await.status, 200);
    refused(|| app.post(&styles)).await;
    for path in ["/assets/x/nothing.css", "/assets/x", "/assets/x/y/style.css"] {
        refused(|| app.get(path)).await;
    }
    // The first page reports an error in the form that the client requests.
    let directory = refused(|| app.get("/").header("accept", "application/json")).await;
    directory.problem(429, "rate_limited");
    refused(|| app.get("/v1/games")).await.problem(429, "rate_limited");
}

#[tokio::test]
async fn a_page_that_times_out_offers_to_try_again() {
    let app = start().await;
    let slow = app.second_instance_with(|settings| settings.request_timeout = Duration::ZERO);
    let answer = slow.get("/").answer().await;
    assert_eq!(answer.status, 503);
    let page = check("/", &answer);
    assert!(page.all("a").any(|link| link.text == "Try again" && link.get("href") == Some("")));
    slow.get("/v1/games").answer().await.problem(503, "timed_out");
}

/// The hidden fields of an error page, with which the reader can send the refused form again.
fn fields_to_resend(page: &Page, path: &str) -> Vec<(String, String)> {
    let form = page.all("form").find(|form| form.get("action") == Some(path));
    assert_eq!(form.and_then(|form| form.get("method")), Some("post"), "{path}");
    let fields = page.all("input").filter(|field| field.get("type") == Some("hidden"));
    let text = |value: Option<&str>| value.unwrap_or_default().to_owned();
    fields.map(|field| (text(field.get("name")), text(field.get("value")))).collect()
}

/// A session may end while the player fills in a form.
#[tokio::test]
async fn form_contents_are_not_lost_when_the_session_ends() {
    let app = start().await;
    app.player("ada").await;
    let mut browser = Browser::of(&app, "ada").await;
    let form = browser.page("/my/decks/new").await;
    let key = form.all("input").find(|field| field.get("name") == Some("key")).unwrap();
    let key = key.get("value").unwrap().to_owned();
    let list = "2 Kettle Imp\n\n// <b> & \"quoted\" \u{1f525}\n1 Bellows Smith";
    let typed =
        [("name", "Em\u{300}bers"), ("format", "ttcg/standard"), ("list", list), ("key", &key)];
    browser.send("/logout", &[]).await;
    let answer = browser.post("/my/decks/new", &typed).await;
    assert_eq!(
        (answer.status, answer.header("cache-control").as_str()),
        (401, "private, no-store")
    );
    let page = check("/my/decks/new", &answer);
    let sent = fields_to_resend(&page, "/my/decks/new");
    let typed = typed.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(sent, typed);
    let log_in = page.all("a").find(|link| link.get("href") == Some("/login")).unwrap();
    assert_eq!((log_in.get("target"), log_in.get("rel")), (Some("_blank"), Some("noopener")));
    // After a new log-in, the same form creates the deck. A second request with the same key creates no second deck.
    let browser = Browser::of(&app, "ada").await;
    let again: Vec<_> = sent.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let created = browser.post("/my/decks/new", &again).await;
    assert_eq!(created.status, 303, "{}", created.text());
    assert_eq!(
        browser.post("/my/decks/new", &again).await.header("location"),
        created.header("location")
    );
    assert_eq!(app.db().value("SELECT count(*) FROM decks").await, "1");
    // A GET request without a session still redirects to the log-in page, which leads back.
    let turned = Browser::new(&app).get("/my/decks/new").await;
    assert_eq!(turned.header("location"), "/login?to=%2Fmy%2Fdecks%2Fnew");
    // The error page also offers to send a form without fields again.
    let answer = Browser::new(&app).post("/my/events/settings", &[]).await;
    assert_eq!(answer.status, 401);
    assert_eq!(fields_to_resend(&check("/my/events/settings", &answer), "/my/events/settings"), []);
}

#[tokio::test]
async fn a_form_that_times_out_before_it_is_read_must_be_loaded_again() {
    let app = start().await;
    app.player("ada").await;
    let ada = Browser::of(&app, "ada").await;
    // With this timeout, the request times out before the service reads the form.
    let held = app.second_instance_with(|settings| settings.request_timeout = Duration::ZERO);
    let form = |path: &str, fields: &[(&str, &str)]| {
        let cookie = ada.cookie.clone().unwrap();
        held.post(path)
            .header("sec-fetch-site", "same-origin")
            .header("cookie", cookie)
            .form(fields)
    };
    let answer = form("/my/decks/new", &[("name", "Embers")]).answer().await;
    assert_eq!(answer.status, 503);
    let page = check("/my/decks/new", &answer);
    assert!(
        page.all("a").all(|link| link.text != "Try again"),
        "the link would send a GET request without the form"
    );
    assert!(page.only("main").text.contains("Load this page again"), "{}", page.only("main").text);
}

/// If the service has read the form before the timeout, the error page contains the fields.
#[tokio::test]
async fn a_form_that_times_out_after_it_was_read_can_be_sent_again() {
    let app = start().await;
    app.player("ada").await;
    let ada = Browser::of(&app, "ada").await;
    let slow =
        app.second_instance_with(|settings| settings.request_timeout = Duration::from_secs(2));
    // A request that stores a deck waits for this lock on the account.
    let lock = app.db().session().await;
    lock.batch_execute("BEGIN; SELECT FROM accounts WHERE name = 'ada' FOR UPDATE").await.unwrap();
    let fields = [("name", "Embers"), ("format", "ttcg/standard"), ("list", "2 Kettle Imp")];
    let cookie = ada.cookie.clone().unwrap();
    let form = slow.post("/my/decks/new").header("sec-fetch-site", "same-origin");
    let answer = form.header("cookie", cookie).form(&fields).answer().await;
    assert_eq!(answer.status, 503, "{}", answer.text());
    assert_eq!(answer.header("cache-control"), "private, no-store");
    let page = check("/my/decks/new", &answer);
    let typed = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(fields_to_resend(&page, "/my/decks/new"), typed);
    lock.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(ada.post("/my/decks/new", &fields).await.status, 303);
}

/// The error page contains no files and no secrets. The log-in opens in another tab, so that the form stays open.
#[tokio::test]
async fn files_and_secrets_are_not_sent_back() {
    let app = start().await;
    let stranger = Browser::new(&app);
    let file =
        "--x\r\ncontent-disposition: form-data; name=\"text\"\r\n\r\nnot to be seen\r\n--x--\r\n";
    for path in ["/my/collection/import", "/my/decks/new/file", "/admin/imports"] {
        let sent = app.post(path).header("sec-fetch-site", "same-origin");
        let sent = sent.header("content-type", "multipart/form-data; boundary=x").body(file);
        let answer = sent.answer().await;
        assert_eq!(answer.status, 401, "{path}");
        let page = check(path, &answer);
        let main = &page.only("main").text;
        assert!(
            main.contains("Load this page again") && !main.contains("not to be seen"),
            "{main}"
        );
        let log_in = page.all("a").find(|link| link.get("href") == Some("/login")).unwrap();
        assert_eq!(log_in.get("target"), Some("_blank"), "{path}");
    }
    for (path, field) in [
        ("/my/second-factor/confirm", "code"),
        ("/my/recovery-codes", "current_password"),
        ("/my/second-factor/switch-off", "second_factor_code"),
    ] {
        let answer = stranger.post(path, &[(field, "not to be seen")]).await;
        assert_eq!(answer.status, 401, "{path}");
        assert!(!answer.text().contains("not to be seen"), "{path}");
        assert!(check(path, &answer).only("main").text.contains("Load this page again"), "{path}");
    }
}

/// The player changes the password in another tab, and then sends the form again.
#[tokio::test]
async fn a_form_is_not_lost_when_the_password_must_be_changed_first() {
    let app = start().await;
    app.player("ada").await;
    let ada = Browser::of(&app, "ada").await;
    let due = "UPDATE accounts SET must_change_password = true WHERE name = 'ada'";
    app.db().session().await.batch_execute(due).await.unwrap();
    app.forget_identities().await;
    let answer = ada.post("/my/decks/new", &[("name", "Embers"), ("list", "2 Kettle Imp")]).await;
    assert_eq!(answer.status, 403);
    let page = check("/my/decks/new", &answer);
    let typed = [("name", "Embers"), ("list", "2 Kettle Imp")];
    let typed = typed.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(fields_to_resend(&page, "/my/decks/new"), typed);
    assert!(page.all("a").any(|link| link.get("href") == Some("/my/password")));
}

/// A form that is refused because of a limit has the time to wait in its header, as the answer of the API has.
#[tokio::test]
async fn a_throttled_log_in_says_when_to_try_again() {
    let app = TestApp::start().await;
    app.player("ada").await;
    let send = || {
        let fields = [("name", "ada"), ("password", "not to be seen")];
        app.post("/login").header("sec-fetch-site", "same-origin").form(&fields).answer()
    };
    let mut last = send().await;
    while last.status != 429 {
        assert_eq!(last.status, 401);
        last = send().await;
    }
    let seconds: u32 = last.header("retry-after").parse().unwrap();
    assert!((1..=15 * 60).contains(&seconds), "{seconds}");
    let page = check("/login", &last);
    assert!(page.only("main").text.contains("Try again in"), "{}", page.only("main").text);
}

/// The rate limit of a network applies before the service reads the form. Passwords are never sent back.
#[tokio::test]
async fn a_rate_limited_form_must_be_loaded_again() {
    let app = TestApp::start_with(|settings| {
        settings.requests_per_second = 1;
        settings.request_burst = 1;
    })
    .await;
    let send = || {
        let fields = [("name", "ada"), ("password", "not to be seen")];
        app.post("/login").header("sec-fetch-site", "same-origin").form(&fields).answer()
    };
    let mut last = send().await;
    while last.status != 429 {
        last = send().await;
    }
    let page = check("/login", &last);
    assert!(page.only("main").text.contains("Load this page again"));
    assert!(!last.text().contains("not to be seen"));
    assert!(page.all("form").all(|form| form.get("action") != Some("/login")));
}
