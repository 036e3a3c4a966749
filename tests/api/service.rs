//! Behaviour of all routes: health, request ids, limits, encodings.

use std::io::Read as _;

use serde_json::json;

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

    let preflight = async |origin: &str| {
        configured
            .request(reqwest::Method::OPTIONS, "/v1/me")
            .header("origin", origin)
            .header("access-control-request-method", "GET")
            .header("access-control-request-headers", "authorization")
            .answer()
            .await
            .header("access-control-allow-headers")
            .to_lowercase()
    };
    assert!(preflight("https://cards.example").await.contains("authorization"));
    assert!(!preflight("https://fan.example").await.contains("authorization"));
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
