//! Behaviour of all routes: health, request ids, limits, encodings.

use std::collections::BTreeSet;
use std::io::Read as _;

use cardscape::http::middleware::cors::{CHECKS, CREDENTIALS};
use serde_json::{Value, json};

use crate::support::{RequestExt as _, TestApp, TestDb};

#[tokio::test]
async fn health_readiness_and_metrics() {
    let app = TestApp::start().await;
    for path in ["/healthz", "/readyz"] {
        let answer = app.get(path).answer().await;
        assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        assert_eq!(answer.expect(200)["status"], "ok", "{path}");
    }
    let metrics = app.get("/metrics").answer().await.text();
    assert!(metrics.contains("http_requests_total"), "{metrics}");
    assert!(metrics.contains("route=\"/healthz\""), "{metrics}");
}

#[tokio::test]
async fn metrics_are_shown_only_to_configured_networks() {
    let app = TestApp::start_with(|settings| {
        settings.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
        settings.metrics_networks = vec!["192.0.2.0/24".parse().unwrap()];
    })
    .await;
    let from = |address: &str| app.get("/metrics").header("x-forwarded-for", address).answer();
    from("198.51.100.1").await.problem(404, "not_found");
    assert_eq!(from("192.0.2.9").await.status, 200);
}

#[tokio::test]
async fn every_answer_has_its_own_request_id() {
    let app = TestApp::start().await;
    let first = app.get("/healthz").answer().await.header("x-request-id");
    let second = app.get("/healthz").answer().await.header("x-request-id");
    assert!(first.parse::<uuid::Uuid>().is_ok());
    assert_ne!(first, second);
}

#[tokio::test]
async fn an_unknown_path_and_an_unknown_method_are_problems() {
    let app = TestApp::start().await;
    app.get("/v1/nothing").answer().await.problem(404, "not_found");
    let answer = app.delete("/v1/accounts").answer().await;
    assert_eq!(answer.header("allow"), "GET, POST, HEAD");
    answer.problem(405, "method_not_allowed");
    let answer = app.post("/v1/me").answer().await;
    assert_eq!(answer.header("allow"), "GET, HEAD");
    answer.problem(405, "method_not_allowed");
}

#[tokio::test]
async fn head_is_get_without_a_body() {
    let app = TestApp::start().await;
    let get = app.get("/problems").answer().await;
    let head = app.request(reqwest::Method::HEAD, "/problems").answer().await;
    assert_eq!((head.status, head.bytes.len()), (200, 0));
    assert_eq!(head.header("content-type"), get.header("content-type"));
}

#[tokio::test]
async fn pages_of_error_codes_can_be_cached() {
    let app = TestApp::start().await;
    for path in ["/problems", "/problems/not_found"] {
        let first = app.get(path).answer().await;
        assert_eq!(first.header("cache-control"), "public, max-age=300", "{path}");
        let again = app.get(path).header("if-none-match", &first.header("etag")).answer().await;
        assert_eq!(again.status, 304, "{path}");
    }
}

#[tokio::test]
async fn each_encoding_has_its_own_etag_and_304() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let get = |encoding: &str, known: &str| {
        app.get("/v1/me")
            .by(&ada)
            .header("accept-encoding", encoding)
            .header("if-none-match", known)
            .answer()
    };
    let plain = get("identity", "\"other\"").await;
    let gzip = get("gzip", "\"other\"").await;
    assert_eq!((plain.status, gzip.status), (200, 200));
    assert_eq!(
        (plain.header("content-encoding"), gzip.header("content-encoding")),
        (String::new(), "gzip".into())
    );
    assert_eq!(
        gzip.header("etag"),
        plain.header("etag").trim_end_matches('"').to_owned() + "-gzip\""
    );
    for known in [plain.header("etag"), gzip.header("etag")] {
        let unchanged = get("gzip", &known).await;
        assert_eq!((unchanged.status, unchanged.header("etag")), (304, known));
        assert!(unchanged.bytes.is_empty());
    }
    assert!(plain.header("cache-control").contains("private"));
    assert!(plain.header("vary").to_lowercase().contains("authorization"));
}

/// Browsers accept several encodings alike; gzip takes the least work.
#[tokio::test]
async fn gzip_is_sent_unless_the_client_prefers_another_encoding() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let path = "/v1/games/ttcg";
    let get = |accepted: &'static str| app.get(path).header("accept-encoding", accepted).answer();
    let plain = get("identity").await;
    let cases = [
        ("gzip, deflate, br, zstd", "gzip"),
        ("br, gzip", "gzip"),
        ("gzip;q=0.2, br;q=0.8", "br"),
        ("br", "br"),
        ("deflate", "deflate"),
        ("zstd", ""),
        ("gzip;q=0", ""),
    ];
    for (accepted, expected) in cases {
        let answer = get(accepted).await;
        assert_eq!(answer.header("content-encoding"), expected, "{accepted}");
        let suffix = if expected.is_empty() { String::new() } else { format!("-{expected}") };
        let tag = plain.header("etag").trim_end_matches('"').to_owned() + &suffix + "\"";
        assert_eq!(answer.header("etag"), tag, "{accepted}");
        let again = app.get(path).header("accept-encoding", accepted);
        let again = again.header("if-none-match", &tag).answer().await;
        assert_eq!((again.status, again.header("etag")), (304, tag), "{accepted}");
        if expected == "gzip" {
            assert_eq!(answer.header("content-length"), answer.bytes.len().to_string());
            let mut text = String::new();
            flate2::read::GzDecoder::new(&answer.bytes[..]).read_to_string(&mut text).unwrap();
            assert_eq!(text, plain.text());
        }
    }
    let none = get("identity;q=0, *;q=0").await;
    none.problem(406, "not_acceptable");
}

#[tokio::test]
async fn requests_of_one_network_are_rate_limited() {
    let app = TestApp::start_with(|settings| {
        settings.requests_per_second = 1;
        settings.request_burst = 3;
        settings.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    })
    .await;
    let from = |address: &str| app.get("/problems").header("x-forwarded-for", address).answer();
    let mut answers = Vec::new();
    for _ in 0..6 {
        answers.push(from("192.0.2.1").await);
    }
    assert_eq!(answers[0].header("ratelimit-policy"), "\"default\";q=3;w=3");
    assert_eq!(answers[0].header("ratelimit"), "\"default\";r=2;t=1");
    let refused = answers.pop().unwrap();
    assert!(refused.header("retry-after").parse::<u32>().unwrap() >= 1);
    refused.problem(429, "rate_limited");
    from("192.0.2.2").await.expect(200);
    // Pictures have their own limit, ten times as high, because a page of cards loads many pictures at once.
    let nothing = "/v1/cards/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11/picture";
    let picture = || app.get(nothing).header("x-forwarded-for", "192.0.2.1").answer();
    let first = picture().await;
    assert_eq!(first.header("ratelimit-policy"), "\"pictures\";q=30;w=3");
    assert_eq!(first.header("ratelimit"), "\"pictures\";r=29;t=1");
    let mut is_refused = false;
    for _ in 0..1000 {
        is_refused = picture().await.status == 429;
        if is_refused {
            break;
        }
    }
    assert!(is_refused, "pictures have a limit, too");
    for _ in 0..6 {
        app.get("/readyz").header("x-forwarded-for", "192.0.2.1").answer().await.expect(200);
    }
}

#[tokio::test]
async fn browsers_may_read_from_everywhere_but_send_credentials_only_from_configured_origins() {
    let open = TestApp::start().await;
    let answer = open.get("/problems").header("origin", "https://fan.example").answer().await;
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    assert_eq!(answer.header("access-control-allow-credentials"), "");

    let configured = TestApp::start_with(|settings| {
        settings.cors_origins = vec!["https://cards.example".to_owned()];
    })
    .await;
    let answer =
        configured.get("/problems").header("origin", "https://cards.example").answer().await;
    assert_eq!(answer.header("access-control-allow-origin"), "https://cards.example");
    assert_eq!(answer.header("access-control-allow-credentials"), "true");
    let other = configured.get("/problems").header("origin", "https://fan.example").answer().await;
    assert_eq!(
        other.header("access-control-allow-origin"),
        "*",
        "other origins may still read without credentials"
    );
    assert_ne!(other.header("access-control-allow-credentials"), "true");
    let vary: Vec<_> = answer.headers.get_all("vary").iter().collect();
    assert!(vary.iter().any(|value| *value == "Origin"), "{vary:?}");

    let allowed = async |origin: &str| -> BTreeSet<String> {
        let request = configured
            .request(reqwest::Method::OPTIONS, "/v1/me")
            .header("origin", origin)
            .header("access-control-request-method", "GET")
            .header("access-control-request-headers", "authorization");
        let names = request.answer().await.header("access-control-allow-headers").to_lowercase();
        names.split(", ").map(str::to_owned).collect()
    };
    let for_accounts = allowed("https://cards.example").await;
    assert!(for_accounts.contains("authorization"), "{for_accounts:?}");
    let wanted = header_parameters(|_, _, _| true);
    assert!(wanted.contains("if-match"), "{wanted:?}");
    assert!(for_accounts.is_superset(&wanted), "{for_accounts:?} {wanted:?}");
    let for_strangers = allowed("https://fan.example").await;
    assert!(!for_strangers.contains("authorization"), "{for_strangers:?}");
    let wanted = header_parameters(|method, path, operation| {
        needs_no_token(operation) && (method == "get" || CHECKS.contains(&path))
    });
    assert!(wanted.contains("if-none-match"), "{wanted:?}");
    assert!(for_strangers.is_superset(&wanted), "{for_strangers:?} {wanted:?}");
}

/// The headers, in lower case, that the contract has as parameters of these operations: method, path and description.
fn header_parameters(is_meant: impl Fn(&str, &str, &Value) -> bool) -> BTreeSet<String> {
    let document = serde_json::to_value(cardscape::api::contract::document()).unwrap();
    let mut names = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if is_meant(method, path, operation) {
                let parameters = operation["parameters"].as_array().into_iter().flatten();
                let headers = parameters.filter(|parameter| parameter["in"] == "header");
                let of_header = |header: &Value| header["name"].as_str().unwrap().to_lowercase();
                names.extend(headers.map(of_header));
            }
        }
    }
    names
}

/// Whether an operation of the contract needs no token.
fn needs_no_token(operation: &Value) -> bool {
    let security = operation["security"].as_array();
    security.is_some_and(|schemes| schemes.is_empty() || schemes.contains(&json!({})))
}

/// The POST routes of the contract that need no token.
fn posts_without_token() -> BTreeSet<String> {
    let document = serde_json::to_value(cardscape::api::contract::document()).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let posts = paths.iter().filter(|(_, item)| needs_no_token(&item["post"]));
    posts.map(|(path, _)| path.clone()).collect()
}

#[test]
fn every_post_without_a_token_is_a_check_or_takes_credentials() {
    let listed = CHECKS.iter().chain(&CREDENTIALS).map(|path| (*path).to_owned());
    assert_eq!(listed.collect::<BTreeSet<_>>(), posts_without_token());
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/API.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, browsers) = page.split_once("\n## Browsers\n").unwrap();
    let (browsers, _) = browsers.split_once("\n## ").unwrap();
    let named = browsers.split("`POST ").skip(1).map(|rest| rest.split('`').next().unwrap());
    let named: BTreeSet<String> = named.map(str::to_owned).collect();
    assert_eq!(named, posts_without_token(), "docs/API.md lists them");
}

#[tokio::test]
async fn pages_of_unknown_origins_may_send_nothing_but_checks() {
    let app = TestApp::start_with(|settings| {
        settings.cors_origins = vec!["https://cards.example".to_owned()];
    })
    .await;
    let preflight = async |origin: &str, path: &str, method: &str| {
        let request = app
            .request(reqwest::Method::OPTIONS, &path.replace("{game}", "ttcg"))
            .header("origin", origin)
            .header("access-control-request-method", method)
            .header("access-control-request-headers", "content-type");
        let answer = request.answer().await;
        (answer.header("access-control-allow-origin"), answer.status)
    };
    for path in posts_without_token() {
        let (allowed, _) = preflight("https://fan.example", &path, "POST").await;
        let is_check = CHECKS.contains(&path.as_str());
        assert_eq!(allowed, if is_check { "*" } else { "" }, "{path}");
        let (allowed, status) = preflight("https://cards.example", &path, "POST").await;
        assert_eq!((allowed.as_str(), status), ("https://cards.example", 204), "{path}");
    }
    for (method, path) in
        [("POST", "/v1/decks"), ("PUT", "/v1/me/password"), ("DELETE", "/v1/sessions/current")]
    {
        let (allowed, status) = preflight("https://fan.example", path, method).await;
        assert_eq!((allowed.as_str(), status), ("", 405), "{method} {path}");
    }
    let (allowed, status) = preflight("https://fan.example", "/v1/sessions", "GET").await;
    assert_eq!((allowed.as_str(), status), ("*", 204), "reading is for everybody");
    let check = app.post("/v1/cards/lookup").header("origin", "https://fan.example");
    let check = check.header("sec-fetch-site", "cross-site").json(&json!({})).answer().await;
    assert_eq!(check.header("access-control-allow-origin"), "*");
    check.problem(422, "invalid_body");
}

/// Otherwise any page could use up the attempts of the networks of its visitors, or register accounts and read their recovery codes.
#[tokio::test]
async fn pages_of_other_sites_send_no_credentials() {
    const EVIL: (&str, &str) = ("origin", "https://evil.example");
    const CROSS_SITE: (&str, &str) = ("sec-fetch-site", "cross-site");
    let app = TestApp::start_with(|settings| {
        settings.cors_origins = vec!["https://cards.example".to_owned()];
    })
    .await;
    app.begin_window();
    let ada = app.player("ada").await;
    let used = "SELECT coalesce(sum(used), 0) FROM attempts WHERE scope LIKE 'login%'";
    let used_before = app.db().number(used).await;
    let wrong = json!({ "name": "ada", "password": "a wrong password" });
    let right = json!({ "name": "ada", "password": ada.password });
    let log_in = async |headers: &[(&str, &str)], body: &Value| {
        let request = app.post("/v1/sessions").json(body);
        headers
            .iter()
            .fold(request, |request, (name, value)| request.header(*name, *value))
            .answer()
            .await
    };
    for headers in
        [&[EVIL][..], &[EVIL, CROSS_SITE], &[CROSS_SITE], &[("origin", "null"), CROSS_SITE]]
    {
        for _ in 0..4 {
            let refused = log_in(headers, &wrong).await;
            assert_eq!(refused.header("access-control-allow-origin"), "");
            refused.problem(403, "forbidden");
        }
        log_in(headers, &right).await.problem(403, "forbidden");
    }
    for path in CREDENTIALS {
        for path in [path.to_owned(), path.replace("/v1/", "/%761/")] {
            let request = app.post(&path).header(EVIL.0, EVIL.1).body("{}").answer().await;
            request.problem(403, "forbidden");
        }
    }
    assert!(app.db().number(used).await <= used_before, "refused requests are no attempts");
    let own = app.state().settings.public_url.clone().expect("tests have one");
    for headers in [
        &[("sec-fetch-site", "same-origin")][..],
        &[],
        &[("sec-fetch-site", "none")],
        &[("origin", own.as_str())],
        &[("origin", "https://cards.example"), CROSS_SITE],
    ] {
        log_in(headers, &right).await.expect(201);
    }
}

/// When the database is unreachable, the service reports it in time and accepts no session.
#[tokio::test]
async fn without_the_database_requests_that_need_it_get_503() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let without_db = {
        let other = TestDb::create().await;
        let app = TestApp::start_on(std::sync::Arc::new(other), app.clock().clone(), |_| {});
        let url = app.db().url();
        let name = url.split(['/', '?']).nth(3).unwrap().to_owned();
        crate::support::sql(
            &url.replace(&name, "postgres"),
            &format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false"),
        )
        .await;
        app
    };
    without_db.get("/healthz").answer().await.expect(200);
    without_db.get("/readyz").answer().await.problem(503, "unavailable");
    let answer = without_db.get("/v1/me").by(&ada).answer().await;
    assert!(!answer.header("retry-after").is_empty());
    answer.problem(503, "unavailable");
    let body = json!({ "name": "ada", "password": ada.password });
    without_db.post("/v1/sessions").json(&body).answer().await.problem(503, "unavailable");
}

#[tokio::test]
async fn a_request_that_times_out_gets_a_complete_problem() {
    let app =
        TestApp::start_with(|settings| settings.request_timeout = std::time::Duration::ZERO).await;
    // With a timeout of zero, every request that waits for the database times out. A request without the database does not.
    let answer = app.get("/v1/unlocks").header("origin", "https://fan.example").answer().await;
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    assert_eq!(answer.header("retry-after"), "2");
    answer.problem(503, "timed_out");
    app.get("/problems").answer().await.expect(200);
}
