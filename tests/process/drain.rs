//! A stopping service and its clients: kept connections, and requests that do not finish.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::TcpStream;

use super::*;

fn address(service: &Service) -> String {
    service.base.trim_start_matches("http://").to_owned()
}

/// Sends a request on a kept connection, and reads its answer. `None`: the connection was closed instead.
async fn request(connection: &mut TcpStream) -> Option<String> {
    connection.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await.ok()?;
    let mut answer = String::new();
    loop {
        if let Some((head, body)) = answer.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.unwrap().parse::<usize>().unwrap() {
                return Some(answer);
            }
        }
        let mut bytes = [0; 1024];
        match connection.read(&mut bytes).await {
            Ok(read @ 1..) => answer += std::str::from_utf8(&bytes[..read]).unwrap(),
            _ => return None,
        }
    }
}

fn closes(answer: &str) -> bool {
    answer.contains("\r\nconnection: close\r\n")
}

/// Sends requests one after the other, until an answer closes the connection. Counts the answers before.
async fn send_until_closed(address: &str, answered: &AtomicUsize) {
    let mut connection = TcpStream::connect(address).await.unwrap();
    loop {
        let answer = request(&mut connection).await.expect("every request is answered");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        if closes(&answer) {
            break;
        }
        answered.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(PAUSE).await;
    }
    let mut more = String::new();
    connection.read_to_string(&mut more).await.unwrap();
    assert_eq!(more, "", "the connection is closed");
}

/// Clients that send requests one after the other on kept connections learn from an answer that the service stops, and not from a connection that is closed
/// when they send the next one.
#[tokio::test]
async fn answers_of_a_stopping_service_close_kept_connections() {
    const CLIENTS: usize = 8;
    let home = Home::new();
    let often = ["--requests-per-second", "1000000", "--request-burst", "1000000"];
    let service = home.serve_with(&[&["--drain-delay", "5"][..], &often].concat());
    let address = address(&service);
    let answered = AtomicUsize::new(0);
    let clients = (0..CLIENTS).map(|_| send_until_closed(&address, &answered));
    let stop = async {
        within(Duration::from_secs(20), "answers", async || {
            answered.load(Ordering::Relaxed) >= 10 * CLIENTS
        })
        .await;
        kill_process(service.pid(), Signal::TERM).unwrap();
    };
    tokio::join!(futures_util::future::join_all(clients), stop);
    // The port is open until the end of the delay: each connection is for one request.
    let mut another = TcpStream::connect(&address).await.expect("the port is still open");
    let answer = request(&mut another).await.expect("an answer before the port closes");
    assert!(closes(&answer), "{answer}");
    let log = service.stop(Signal::TERM);
    assert!(!log.contains("broken off"), "{log}");
}

#[tokio::test]
async fn requests_that_do_not_finish_are_counted_in_the_log() {
    let home = Home::new();
    let service = home.serve_with(&["--drain-delay", "0", "--shutdown-timeout", "1"]);
    let address = address(&service);
    let mut connections = Vec::new();
    for _ in 0..3 {
        let mut connection = TcpStream::connect(&address).await.unwrap();
        let head = "POST /v1/accounts HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: 100\r\n\r\n";
        connection.write_all(head.as_bytes()).await.unwrap();
        // The answer to `expect` shows that the request has begun. Its body is never sent.
        let mut answer = [0; 25];
        connection.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 100 Continue\r\n\r\n");
        connections.push(connection);
    }
    // A connection without a request is not one that was broken off.
    let mut idle = TcpStream::connect(&address).await.unwrap();
    assert!(request(&mut idle).await.is_some());
    let log = service.stop(Signal::TERM);
    let line = log.lines().find(|line| line.contains("broken off")).expect("a line in the log");
    let line: Value = serde_json::from_str(line).unwrap();
    assert_eq!((&line["level"], &line["requests"]), (&json!("WARN"), &json!(3)), "{line}");
    assert!(log.contains("\"stopped\""), "{log}");
    for mut connection in connections {
        let mut answer = Vec::new();
        let _ = connection.read_to_end(&mut answer).await;
        assert_eq!(answer, b"", "the connection is closed");
    }
}
