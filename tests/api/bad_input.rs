//! What no client should send: always a 4xx problem, nothing stored, nothing broken.

use rstest::rstest;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::support::{Answer, RequestExt as _, TestApp};

async fn register(app: &TestApp, content_type: &str, body: impl Into<reqwest::Body>) -> Answer {
    app.post("/v1/accounts").header("content-type", content_type).body(body).answer().await
}

#[rstest]
#[case::empty("", 400, "malformed_json")]
#[case::half("{\"name\":", 400, "malformed_json")]
#[case::trailing(
    "{\"name\":\"abc\",\"password\":\"tram window sonnet\"} {}",
    400,
    "malformed_json"
)]
#[case::not_utf8("{\"name\":\"\u{0}\"}", 400, "malformed_json")]
#[case::lone_surrogate(
    r#"{"name":"\ud800abc","password":"tram window sonnet"}"#,
    400,
    "malformed_json"
)]
#[case::wrong_type(r#"{"name":5,"password":"tram window sonnet"}"#, 422, "invalid_body")]
#[case::array("[]", 422, "invalid_body")]
#[case::fields_without_names(r#"["abc","tram window sonnet"]"#, 422, "invalid_body")]
#[case::null("null", 422, "invalid_body")]
#[case::missing(r#"{"name":"abc"}"#, 422, "invalid_body")]
#[case::unknown(
    r#"{"name":"abc","password":"tram window sonnet","role":"admin"}"#,
    422,
    "invalid_body"
)]
#[case::twice(
    r#"{"name":"abc","name":"abd","password":"tram window sonnet"}"#,
    422,
    "invalid_body"
)]
#[case::nul(r#"{"name":"ab\u0000c","password":"tram window sonnet"}"#, 422, "invalid_body")]
#[case::control(r#"{"name":"ab\u001bc","password":"tram window sonnet"}"#, 422, "invalid_body")]
#[case::bidi(r#"{"name":"ab\u202ec","password":"tram window sonnet"}"#, 422, "invalid_body")]
#[case::huge_number(r#"{"name":1e999,"password":"tram window sonnet"}"#, 400, "malformed_json")]
#[tokio::test]
async fn bodies_that_cannot_be(
    #[case] body: &'static str,
    #[case] status: u16,
    #[case] code: &str,
) {
    let app = TestApp::start().await;
    register(&app, "application/json", body).await.problem(status, code);
    assert_eq!(app.db().value("SELECT count(*) FROM accounts").await, "0");
}

#[tokio::test]
async fn bodies_that_are_too_much() {
    let app = TestApp::start().await;
    let deep = "[".repeat(100_000);
    register(&app, "application/json", deep).await.problem(400, "malformed_json");
    let deep = format!("{{\"name\":{}", "{\"x\":".repeat(50_000));
    register(&app, "application/json", deep).await.problem(422, "invalid_body");
    let long = json!({ "name": "x".repeat(200_000), "password": "tram window sonnet" }).to_string();
    register(&app, "application/json", long).await.problem(422, "invalid_body");
    let huge =
        json!({ "name": "x".repeat(1_000_000), "password": "tram window sonnet" }).to_string();
    register(&app, "application/json", huge).await.problem(413, "body_too_large");
    let chunks: Vec<Result<String, std::io::Error>> =
        (0..64).map(|_| Ok("x".repeat(16 * 1024))).collect();
    let unannounced = reqwest::Body::wrap_stream(futures_util::stream::iter(chunks));
    register(&app, "application/json", unannounced).await.problem(413, "body_too_large");
    assert_eq!(app.db().value("SELECT count(*) FROM accounts").await, "0");
}

#[rstest]
#[case("text/plain")]
#[case("application/x-www-form-urlencoded")]
#[case("application/jsonp")]
#[case("multipart/form-data; boundary=x")]
#[tokio::test]
async fn other_media_types(#[case] content_type: &str) {
    let app = TestApp::start().await;
    let body = json!({ "name": "abc", "password": "tram window sonnet" }).to_string();
    register(&app, content_type, body.clone()).await.problem(415, "unsupported_media_type");
    register(&app, "application/json; charset=utf-8", body).await.expect(201);
}

#[rstest]
#[case("limit=0")]
#[case("limit=201")]
#[case("limit=-1")]
#[case("limit=99999999999999999999")]
#[case("limit=ten")]
#[case("colour=red")]
#[case("cursor=%00")]
#[case("cursor=nonsense")]
#[case("cursor=WyJhIl0")]
#[case("limit=5&limit=6")]
#[tokio::test]
async fn queries_that_cannot_be(#[case] query: &str) {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let answer = app.get(&format!("/v1/audit-log?{query}")).by(&admin).answer().await;
    let code = answer.json()["code"].clone();
    assert!(matches!(code.as_str(), Some("invalid_query" | "invalid_cursor")), "{}", answer.text());
    assert_eq!(answer.status, 400);
}

#[rstest]
#[case("not-a-uuid")]
#[case("%00")]
#[case("01998d5e-7a35-7c54-b0a0-1f6f4f5f2b1")]
#[case("..%2f..%2fetc%2fpasswd")]
#[tokio::test]
async fn paths_that_cannot_be(#[case] id: &str) {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    app.get(&format!("/v1/accounts/{id}")).by(&admin).answer().await.problem(404, "not_found");
}

#[tokio::test]
async fn pointers_lead_to_the_fault() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let body: Value = json!({ "name": "t", "scopes": ["decks:read", 7] });
    let problem =
        app.post("/v1/tokens").by(&ada).json(&body).answer().await.problem(422, "invalid_body");
    assert_eq!(problem["errors"][0]["pointer"], "/scopes/1");
    assert!(
        !problem.to_string().contains("line 1"),
        "no places in bytes that the client never saw"
    );
}

/// Cursors are opaque, but anybody can write one.
#[tokio::test]
async fn cursors_that_nobody_gave_out() {
    use base64::Engine as _;
    let app = TestApp::start().await;
    let id = "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";
    for key in [
        json!(["-262143-01-01T00:00:00Z", id]),
        json!([i64::MIN, id]),
        json!([i64::MAX, id]),
        json!([-1, id]),
        json!([253_402_300_800_000_000_i64, id]),
        json!([0]),
        json!({}),
    ] {
        let cursor = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(key.to_string());
        let answer = app.get(&format!("/v1/unlocks?cursor={cursor}")).answer().await;
        answer.problem(400, "invalid_cursor");
    }
    let cursor =
        base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(json!([0, id]).to_string());
    app.get(&format!("/v1/unlocks?cursor={cursor}")).answer().await.expect(200);

    let ada = app.player("ada").await;
    for (list, key) in [
        ("/v1/collection", json!(["ttcg", "\0", "001", id, "mint"])),
        ("/v1/collection", json!(["ttcg", "hearth", "001", id, "\0"])),
        ("/v1/collection/duplicates", json!(["\0", "hearth", "001", id])),
    ] {
        let cursor = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(key.to_string());
        let answer = app.get(&format!("{list}?cursor={cursor}")).by(&ada).answer().await;
        answer.problem(400, "invalid_cursor");
    }
}

#[tokio::test]
async fn a_query_that_is_no_text_is_refused() {
    let app = TestApp::start().await;
    for query in ["name=%ff", "%ff=1", "name=%c3%28", "name=%ed%a0%80"] {
        app.get(&format!("/v1/cards?{query}")).answer().await.problem(400, "invalid_query");
    }
    app.get("/v1/cards?name=%C3%89clair+%F0%9F%94%A5").answer().await.expect(200);
}

#[tokio::test]
async fn a_bad_query_names_its_parameter() {
    let app = TestApp::start().await;
    for (query, pointer) in
        [("limit=0", "?limit"), ("hidden=maybe", "?hidden"), ("limit=ten", "?limit")]
    {
        let problem =
            app.get(&format!("/v1/cards?{query}")).answer().await.problem(400, "invalid_query");
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{problem}");
    }
}

/// Sends bytes as they are; everything that comes back until the service closes the connection.
async fn exchange(app: &TestApp, bytes: &[u8]) -> String {
    let mut stream = tokio::net::TcpStream::connect(app.address()).await.unwrap();
    // The service may close before it has read everything.
    let _ = stream.write_all(bytes).await;
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text).await;
    String::from_utf8(text).unwrap()
}

/// Sends bytes as they are; the last answer on the connection: status line, header fields, body.
async fn raw(app: &TestApp, bytes: &[u8]) -> (String, Vec<String>, Value) {
    let text = exchange(app, bytes).await;
    let last = &text[text.rfind("HTTP/1.").expect("an answer")..];
    let (head, body) = last.split_once("\r\n\r\n").expect("a whole head");
    let mut lines = head.lines().map(str::to_lowercase);
    let status = lines.next().unwrap();
    (status, lines.collect(), serde_json::from_str(body).unwrap_or_else(|_| panic!("{text}")))
}

#[rstest]
#[case::nonsense(&b"what is this?\r\n\r\n"[..])]
#[case::http_2(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")]
#[case::tls(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello over TLS\r\n\r\n")]
#[case::future_version(b"GET /v1/cards HTTP/7.3\r\n\r\n")]
#[case::byte_that_is_no_text(b"GET /v1/cards/\xff HTTP/1.1\r\nhost: x\r\n\r\n")]
#[case::header_without_colon(b"GET /v1/cards HTTP/1.1\r\nhost x\r\n\r\n")]
#[case::negative_length(b"POST /v1/accounts HTTP/1.1\r\nhost: x\r\ncontent-length: -5\r\n\r\n")]
#[case::two_lengths(
    b"POST /v1/accounts HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}"
)]
#[case::smuggled_length(
    b"POST /v1/accounts HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}"
)]
#[case::after_a_good_request(
    b"GET /v1/games/none HTTP/1.1\r\nhost: x\r\n\r\nnonsense without end\r\n\r\n"
)]
#[tokio::test]
async fn bytes_that_are_no_request_get_a_problem_too(#[case] bytes: &'static [u8]) {
    let app = TestApp::start().await;
    let (status, headers, problem) = raw(&app, bytes).await;
    assert_eq!(status, "http/1.1 400 bad request");
    assert_eq!(problem["code"], "invalid_request");
    assert_eq!(problem["status"], 400);
    let id = problem["instance"].as_str().unwrap().strip_prefix("urn:uuid:").unwrap();
    for field in [
        "content-type: application/problem+json",
        "cache-control: no-store",
        "connection: close",
        "x-content-type-options: nosniff",
        &format!("x-request-id: {id}"),
    ] {
        assert!(headers.iter().any(|header| header == field), "{field} in {headers:?}");
    }
}

#[tokio::test]
async fn a_head_that_is_too_large_or_too_slow_gets_a_problem_too() {
    let app = TestApp::start().await;
    // Not a byte more than the service reads: a connection that is closed with unread bytes may lose its answer.
    let mut large = String::from("GET /v1/cards HTTP/1.1\r\nhost: x\r\nx-fill: ");
    large.extend(std::iter::repeat_n('x', 128 * 1024 - large.len()));
    let (status, _, problem) = raw(&app, large.as_bytes()).await;
    assert_eq!(status, "http/1.1 431 request header fields too large");
    assert_eq!(problem["code"], "head_too_large");
    // The service waits five seconds for the rest.
    let (status, _, problem) = raw(&app, b"GET /v1/cards HTTP/1.1\r\nhost: x\r\n").await;
    assert_eq!(status, "http/1.1 408 request timeout");
    assert_eq!(problem["code"], "head_too_slow");
}

/// Not only the first head of a connection: otherwise whoever asks once may keep the connection for ever.
#[tokio::test]
async fn a_later_head_that_is_too_slow_gets_a_problem_too() {
    let app = TestApp::start().await;
    let mut stream = tokio::net::TcpStream::connect(app.address()).await.unwrap();
    for request in
        ["GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n", "HEAD /v1/games HTTP/1.1\r\nhost: x\r\n\r\n"]
    {
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = [0; 4096];
        let read = stream.read(&mut answer).await.unwrap();
        assert!(answer[..read].starts_with(b"HTTP/1.1 200 OK"));
    }
    stream.write_all(b"GET /he").await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert!(text.starts_with("HTTP/1.1 408 Request Timeout\r\n"), "{text}");
    assert!(text.contains("\"code\":\"head_too_slow\""), "{text}");
}

/// Text of a client that looks like an answer of the HTTP layer goes out as text.
#[tokio::test]
async fn what_an_admin_wrote_is_no_answer() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let manifest = "code = 'x'\r\nname = 'X'\r\nrules_version = '1'\r\n[[kinds]]\r\ncode = 'k'\r\nname = 'K'\r\n\
                    text = '''\r\nHTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n'''\r\n\r\n";
    let put = app.put("/v1/games/x/manifest").by(&admin).header("content-type", "application/toml");
    put.body(manifest).answer().await.expect(201);
    let read = app.get("/v1/games/x/manifest").answer().await;
    assert_eq!(read.text(), manifest);
}

#[tokio::test]
async fn the_answers_of_helpers_are_problems_too() {
    let app = TestApp::start().await;
    for path in ["/v1/games", "/nowhere"] {
        let nothing = app.get(path).header("accept-encoding", "identity;q=0");
        nothing.answer().await.problem(406, "not_acceptable");
    }
    app.get("/docs/nope").answer().await.problem(404, "not_found");
    assert_eq!(app.get("/docs/").answer().await.status, 200);
}

/// A body that breaks off in the middle of a chunk: the route answers, once, and nothing follows.
#[tokio::test]
async fn a_body_whose_chunks_are_broken_is_answered_once() {
    let app = TestApp::start().await;
    let text = exchange(
        &app,
        b"POST /v1/accounts HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
          transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    )
    .await;
    assert!(text.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{text}");
    assert!(text.contains("application/problem+json"), "{text}");
    assert_eq!(text.matches("HTTP/1.1 ").count(), 1, "{text}");
}
