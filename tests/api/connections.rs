//! Raw bytes on a connection: heads and bodies that are too slow, too long or not HTTP.

use std::time::Duration;

use cardscape::app::state::ApiSettings;
use rstest::rstest;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::{RequestExt as _, TestApp};

/// A test that waits longer than this counts what it waits for as endless.
const FOR_EVER: Duration = Duration::from_mins(3);

/// An answer as text, as it was received.
struct Raw {
    status: String,
    headers: Vec<String>,
    body: String,
}

impl Raw {
    /// The last answer in the text that was received over a connection.
    fn last(text: &str) -> Self {
        let last = &text[text.rfind("HTTP/1.").unwrap_or_else(|| panic!("no answer: {text:?}"))..];
        let (head, body) = last.split_once("\r\n\r\n").expect("a whole head");
        let mut lines = head.lines().map(str::to_lowercase);
        let status = lines.next().unwrap();
        Self { status, headers: lines.collect(), body: body.to_owned() }
    }

    #[track_caller]
    fn problem(&self, status: &str, code: &str) {
        assert_eq!(self.status, format!("http/1.1 {status}"), "{}", self.body);
        let body: Value = serde_json::from_str(&self.body).expect(&self.body);
        assert_eq!(body["code"], code);
        assert!(self.has("content-type: application/problem+json"), "{:?}", self.headers);
    }

    fn has(&self, header: &str) -> bool {
        self.headers.iter().any(|line| line == header)
    }
}

async fn connect(app: &TestApp) -> TcpStream {
    TcpStream::connect(app.address()).await.unwrap()
}

/// Sends these bytes unchanged and returns everything that the service sends until it closes the connection.
async fn exchange(app: &TestApp, bytes: &[u8]) -> String {
    let mut stream = connect(app).await;
    // The service may close before it has read everything.
    let _ = stream.write_all(bytes).await;
    rest(&mut stream).await
}

/// Returns everything that the service sends until it closes the connection.
async fn rest(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let read = tokio::time::timeout(FOR_EVER, stream.read_to_end(&mut text)).await;
    let _ = read.expect("the service closes the connection");
    String::from_utf8(text).unwrap()
}

/// Sends a piece repeatedly until the service closes the connection. Returns everything that the service sent.
async fn flood(stream: TcpStream, piece: &[u8], pause: Duration) -> String {
    let (mut read, mut write) = stream.into_split();
    let mut text = Vec::new();
    let send = async {
        while write.write_all(piece).await.is_ok() {
            tokio::time::sleep(pause).await;
        }
    };
    let receive = async {
        let _ = read.read_to_end(&mut text).await;
        // A reset also means that the connection is closed. The sending half ends by itself when its next write fails.
        std::future::pending::<()>().await;
    };
    let both = async {
        tokio::select! { () = send => {}, () = receive => {} }
    };
    tokio::time::timeout(FOR_EVER, both).await.expect("the service closes the connection");
    String::from_utf8(text).unwrap()
}

#[rstest]
#[case::nonsense(&b"what is this?\r\n\r\n"[..])]
#[case::http_2(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")]
#[case::tls(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello over TLS\r\n\r\n")]
#[case::future_version(b"GET /v1/cards HTTP/7.3\r\n\r\n")]
#[case::byte_that_is_no_text(b"GET /v1/cards/\xff HTTP/1.1\r\nhost: x\r\n\r\n")]
#[case::header_without_colon(b"GET /v1/cards HTTP/1.1\r\nhost x\r\n\r\n")]
#[case::no_host(b"GET /v1/cards HTTP/1.1\r\n\r\n")]
#[case::two_hosts(b"GET /v1/cards HTTP/1.1\r\nhost: x\r\nhost: x\r\n\r\n")]
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
async fn bytes_that_are_no_request_are_refused_and_the_connection_is_closed(
    #[case] bytes: &'static [u8],
) {
    let app = TestApp::start().await;
    let answer = Raw::last(&exchange(&app, bytes).await);
    assert_eq!(answer.status, "http/1.1 400 bad request");
    assert_eq!(answer.body, "", "the answer must come from the HTTP server, without a body");
}

#[tokio::test]
async fn a_first_head_that_is_too_large_or_too_slow_is_rejected() {
    let app = TestApp::start().await;
    // Exactly as many bytes as the service reads: if it closed the connection with unread bytes, the answer could be lost.
    let mut large = String::from("GET /v1/cards HTTP/1.1\r\nhost: x\r\nx-fill: ");
    large.extend(std::iter::repeat_n('x', 128 * 1024 - large.len()));
    let answer = Raw::last(&exchange(&app, large.as_bytes()).await);
    assert_eq!(answer.status, "http/1.1 431 request header fields too large");
    // The service waits five seconds for the rest.
    let answer = Raw::last(&exchange(&app, b"GET /v1/cards HTTP/1.1\r\nhost: x\r\n").await);
    assert_eq!(answer.status, "http/1.1 408 request timeout");
}

/// The time limit holds for every head, not only for the first: otherwise a client could keep a connection open without limit after one request.
#[rstest]
#[case::no_more_bytes("GET /he", "")]
#[case::more_header_lines_slowly("GET /healthz HTTP/1.1\r\nhost: x\r\n", "x-more: y\r\n")]
#[tokio::test]
async fn a_later_head_that_is_too_slow_ends_the_connection(
    #[case] begin: &str,
    #[case] repeated: &str,
) {
    let app = TestApp::start().await;
    let mut stream = connect(&app).await;
    for request in
        ["GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n", "HEAD /v1/games HTTP/1.1\r\nhost: x\r\n\r\n"]
    {
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = [0; 4096];
        let read = stream.read(&mut answer).await.unwrap();
        assert!(answer[..read].starts_with(b"HTTP/1.1 200 OK"));
    }
    stream.write_all(begin.as_bytes()).await.unwrap();
    let text = if repeated.is_empty() {
        rest(&mut stream).await
    } else {
        flood(stream, repeated.as_bytes(), Duration::from_millis(250)).await
    };
    assert_eq!(text, "", "there is nothing to answer");
}

/// The server would read the body of an answer to HEAD to its end, which a stream does not have. Twenty streams of a network may be open, and ten of an account.
#[tokio::test]
async fn head_of_a_stream_is_answered_and_opens_none() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let head = |path: &str| {
        let token = &ada.access_token;
        format!("HEAD {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\r\n")
    };
    let both = [head("/v1/changes/stream"), head("/v1/me/events/stream")].concat();
    let last = "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    let text = exchange(&app, (both.repeat(21) + last).as_bytes()).await;
    assert_eq!(text.matches("HTTP/1.1 200 OK\r\n").count(), 43, "{text}");
    assert_eq!(text.matches("content-type: text/event-stream\r\n").count(), 42, "{text}");
    assert!(!text.contains(": connected") && !text.contains("\r\n0\r\n"), "{text}");
}

/// While the first request of a packet waits for the database, the server reads the second one.
#[tokio::test]
async fn head_and_another_request_in_one_packet_are_answered() {
    let app = TestApp::start().await;
    let both = "HEAD /v1/changes HTTP/1.1\r\nhost: x\r\n\r\n\
                GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    let text = exchange(&app, both.as_bytes()).await;
    let (head, rest) = text.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("content-length: ") && !head.contains("content-length: 0"), "{text}");
    assert!(rest.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
}

/// A connection on which the service still sends a stream is not idle, even if the client sends nothing. Events that the stream leaves out do not
/// delay its heartbeat, which has their number.
#[tokio::test]
async fn a_long_answer_is_not_cut_off() {
    let app = TestApp::start_seeded(&["emojito"]).await;
    let newest = app.get("/v1/changes").answer().await.expect(200)["newest"].as_u64().unwrap();
    let mut stream = connect(&app).await;
    let request = b"GET /v1/changes/stream?game=emojito HTTP/1.1\r\nhost: x\r\n\r\n";
    stream.write_all(request).await.unwrap();
    let mut text = String::new();
    let mut piece = [0; 4096];
    let heartbeat = async {
        // It comes after fifteen seconds.
        loop {
            let after = text.split_once(": still here\nid: ").map(|(_, after)| after);
            if let Some((reached, _)) = after.and_then(|after| after.split_once("\n\n")) {
                return reached.parse::<u64>().unwrap();
            }
            let read = stream.read(&mut piece).await.unwrap();
            assert_ne!(read, 0, "closed after {text:?}");
            text += std::str::from_utf8(&piece[..read]).unwrap();
        }
    };
    let reached = tokio::select! {
        reached = tokio::time::timeout(FOR_EVER, heartbeat) => reached.expect("a heartbeat"),
        () = write_events_of_another_game(&app) => unreachable!("it has no end"),
    };
    assert!(reached > newest, "{reached}");
}

async fn write_events_of_another_game(app: &TestApp) {
    loop {
        app.sql(
            "INSERT INTO events (id, kind, payload, created_at) \
                 VALUES (gen_random_uuid(), 'game.changed', '{\"game\":\"another\"}', now()); \
             SELECT pg_sleep(0.1)",
        )
        .await;
    }
}

#[rstest]
#[case::of_known_length("content-length: 60\r\n\r\n{\"name\":")]
#[case::in_chunks("transfer-encoding: chunked\r\n\r\n8\r\n{\"name\":\r\n")]
#[case::in_chunks_that_stop("transfer-encoding: chunked\r\n\r\n8\r\n{\"na")]
#[tokio::test]
async fn a_body_that_is_too_slow_is_a_408(#[case] rest: &str) {
    let app = TestApp::start_with(with_short_timeout).await;
    let head = "POST /v1/accounts HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";
    let answer = Raw::last(&exchange(&app, format!("{head}{rest}").as_bytes()).await);
    answer.problem("408 request timeout", "body_too_slow");
    assert!(answer.has("connection: close"), "{:?}", answer.headers);
}

fn with_short_timeout(settings: &mut ApiSettings) {
    settings.request_timeout = Duration::from_secs(1);
}

/// The decoder skips extensions and trailers and does not store them, so no size limit applies. The time limit must end such a request.
#[rstest]
#[case::extension("2;x=", "yyyyyyyyyyyyyyyy")]
#[case::trailers("2\r\n{}\r\n0\r\n", "x-trailer: y\r\n")]
#[case::one_trailer("2\r\n{}\r\n0\r\nx: ", "yyyyyyyyyyyyyyyy")]
#[case::tiny_chunks_with_extensions("1;x=y\r\n{\r\n", "1;xxxxxxxxxxxxxxxxxxxxxxxxxxxx=y\r\n \r\n")]
#[tokio::test]
async fn endless_extensions_and_trailers_of_chunks_run_into_the_timeout(
    #[case] begin: &str,
    #[case] piece: &str,
) {
    let app = TestApp::start_with(with_short_timeout).await;
    let mut stream = connect(&app).await;
    let head = "POST /v1/accounts HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
                transfer-encoding: chunked\r\n\r\n";
    stream.write_all(format!("{head}{begin}").as_bytes()).await.unwrap();
    let text = flood(stream, piece.as_bytes(), Duration::from_millis(20)).await;
    Raw::last(&text).problem("408 request timeout", "body_too_slow");
}

/// Requests that are answered before their body has arrived: the framework would read the remaining chunks without end.
#[rstest]
#[case::chunks(Duration::from_millis(100), "4\r\nmore\r\n")]
#[case::flood(Duration::ZERO, "4;extension\r\nmore\r\n")]
#[tokio::test]
async fn an_unread_body_does_not_keep_the_connection_open(
    #[case] pause: Duration,
    #[case] piece: &str,
) {
    let app = TestApp::start().await;
    let mut stream = connect(&app).await;
    let head = "POST /nowhere HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let text = flood(stream, piece.as_bytes(), pause).await;
    assert!(text.is_empty() || text.starts_with("HTTP/1.1 404"), "{text}");
    assert_eq!(app.get("/healthz").answer().await.status, 200);
}

/// A body with an invalid chunk size: the service sends one answer and nothing after it.
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

#[rstest]
#[case::space("cards example")]
#[case::path("cards.example/v1")]
#[case::user("ada@cards.example")]
#[case::word_for_a_port("cards.example:http")]
#[case::port_too_large("cards.example:65536")]
#[case::address_without_brackets("2001:db8::1")]
#[case::no_address("[cards]")]
#[case::no_text("caf\u{e9}.example")]
#[tokio::test]
async fn an_invalid_host_is_rejected(#[case] host: &str) {
    let app = TestApp::start().await;
    let head = format!("GET /v1/games HTTP/1.1\r\nhost: {host}\r\n\r\n");
    let answer = Raw::last(&exchange(&app, head.as_bytes()).await);
    answer.problem("400 bad request", "invalid_request");
    assert!(answer.has("connection: close"), "{:?}", answer.headers);
    assert!(answer.headers.iter().any(|line| line.starts_with("x-request-id: ")));
}

#[rstest]
#[case("cards.example:8080")]
#[case("[2001:db8::1]:8080")]
#[case("")]
#[tokio::test]
async fn a_valid_host_is_accepted(#[case] host: &str) {
    let app = TestApp::start().await;
    let head = format!("GET /v1/games HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    let answer = Raw::last(&exchange(&app, head.as_bytes()).await);
    assert_eq!(answer.status, "http/1.1 200 ok");
}

/// The service never removes the labels of a metric, so clients must not be able to create new ones.
#[tokio::test]
async fn unknown_methods_and_paths_create_no_metric_labels() {
    let app = TestApp::start().await;
    let send = async |method: &str, path: &str| {
        let head = format!("{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        Raw::last(&exchange(&app, head.as_bytes()).await)
    };
    for n in 0..30 {
        let answer = send(&format!("LONG{n}{}", "X".repeat(100_000)), "/v1/cards").await;
        answer.problem("400 bad request", "invalid_request");
        let answer = send(&format!("SHORT{n}"), "/v1/accounts").await;
        answer.problem("405 method not allowed", "method_not_allowed");
        assert!(answer.has("allow: get, post, head"), "{:?}", answer.headers);
        send(&format!("SHORT{n}"), &format!("/made-up/{n}")).await;
    }
    let metrics = app.get("/metrics").answer().await.text();
    assert!(!metrics.contains("SHORT") && !metrics.contains("LONG"), "a method is a label");
    assert!(!metrics.contains("made-up"), "a path is a label");
    // The second is answered before the router.
    for (route, status) in [("/v1/accounts", 405), ("/v1/cards", 400)] {
        let counted = format!(
            "http_requests_total{{method=\"OTHER\",route=\"{route}\",status=\"{status}\"}}"
        );
        assert!(metrics.contains(&counted), "{counted} in {metrics}");
    }
}

/// Compressed answers are written in several parts: without `TCP_NODELAY`, the last part would wait until the client has acknowledged the others, and
/// clients delay acknowledgements. The test reads the option from the server's own end of a connection.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn server_sockets_have_tcp_nodelay() {
    let app = TestApp::start().await;
    let mut client = TcpStream::connect(app.address()).await.unwrap();
    client.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    // When the first byte of the answer is here, the service has accepted the connection and set its options.
    client.read_u8().await.unwrap();
    let Some(served) = socket_of_this_process(client.local_addr().unwrap()) else {
        eprintln!("left out: this system lets no process look at its own sockets");
        return;
    };
    assert!(served.tcp_nodelay().unwrap());
    // The check above can fail: the client's end has the system's default, which is off.
    assert!(!client.nodelay().unwrap());
}

/// A duplicate of this process's socket that is connected to that address. `None` if the system does not allow duplicates, as in some containers.
#[cfg(target_os = "linux")]
fn socket_of_this_process(peer: std::net::SocketAddr) -> Option<socket2::Socket> {
    use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};

    let process = pidfd_open(getpid(), PidfdFlags::empty()).ok()?;
    let mut is_refused = false;
    for entry in std::fs::read_dir("/proc/self/fd").unwrap() {
        let entry = entry.unwrap();
        // Only sockets are duplicated: files may carry locks that depend on their descriptors. Some descriptors are closed during this loop.
        let target = std::fs::read_link(entry.path()).unwrap_or_default();
        if !target.to_string_lossy().starts_with("socket:") {
            continue;
        }
        let number = entry.file_name().to_string_lossy().parse().unwrap();
        match pidfd_getfd(&process, number, PidfdGetfdFlags::empty()) {
            Ok(duplicate) => {
                let socket = socket2::Socket::from(duplicate);
                let connected = socket.peer_addr().ok().and_then(|address| address.as_socket());
                if connected == Some(peer) {
                    return Some(socket);
                }
            }
            Err(rustix::io::Errno::PERM | rustix::io::Errno::NOSYS) => is_refused = true,
            Err(_) => {}
        }
    }
    assert!(is_refused, "no socket of this process is connected to {peer}");
    None
}
