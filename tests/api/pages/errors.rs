//! Failures in the form of their place: pages for people, problems for programs.

use std::time::Duration;

use reqwest::Method;

use super::frame::check;
use super::{html::Page, start};
use crate::support::{RequestExt as _, TestApp};

#[tokio::test]
async fn the_place_says_in_which_form_a_failure_is_told() {
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
    // A path means what it means once it is decoded, as routes are found.
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
async fn a_page_can_only_be_read() {
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

#[tokio::test]
async fn a_page_says_when_the_next_request_may_come() {
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
    let says = format!(
        "Try again in {}",
        if wait == 1 { "a second".to_owned() } else { format!("{wait} seconds") }
    );
    assert!(page.only("main").text.contains(&says), "{}", page.only("main").text);
    // What the page needs to be read is not counted. All else below the same address is.
    assert_eq!(app.get(&styles).answer().await.status, 200);
    assert_eq!(app.request(Method::HEAD, &styles).answer().await.status, 200);
    assert_eq!(app.post(&styles).answer().await.status, 429);
    for path in ["/assets/x/nothing.css", "/assets/x", "/assets/x/y/style.css"] {
        assert_eq!(app.get(path).answer().await.status, 429, "{path}");
    }
    // The first page fails in the form in which it is asked for.
    let directory = app.get("/").header("accept", "application/json").answer().await;
    directory.problem(429, "rate_limited");
    app.get("/v1/games").answer().await.problem(429, "rate_limited");
}

#[tokio::test]
async fn a_page_offers_to_try_again() {
    let app = start().await;
    let slow = app.second_instance_with(|settings| settings.request_timeout = Duration::ZERO);
    let answer = slow.get("/").answer().await;
    assert_eq!(answer.status, 503);
    let page = check("/", &answer);
    assert!(page.all("a").any(|link| link.text == "Try again" && link.get("href") == Some("")));
    slow.get("/v1/games").answer().await.problem(503, "timed_out");
}
