//! What the log of a service does not contain, whatever its level is.

use super::*;

const CODE: &str = "7K33-3333-3333-3333";

/// The code with other characters of its address, which decode to it.
const ENCODED: &str = "%37K33%2D3333-3333-3333";

/// The secret part of tokens.
const SECRET: &str = "Zk3vQOwmP3r8tYb1nLxC5dH7jK9sA2fG4hM6pT0uV1w";

/// Sends bytes on a connection of their own. Returns what the service answers before it closes the connection.
async fn answer(address: &str, bytes: String) -> String {
    let mut connection = tokio::net::TcpStream::connect(address).await.unwrap();
    connection.write_all(bytes.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let _ = connection.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

fn with_body(path: &str, kind: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

/// Requests with a code in their paths, queries, headers, cookies and bodies, or with a token in their paths; some of them are faulty.
fn requests() -> Vec<String> {
    let mut requests = Vec::new();
    let paths =
        ["/v1/cards/", "/v1/submissions/", "/v1/decks/", "/decks/", "/players/", "/v1/", "/"];
    for path in paths {
        for code in [CODE, ENCODED] {
            for rest in ["", "?", "/?q="] {
                let more = if rest.is_empty() { "" } else { code };
                requests.push(format!(
                    "GET {path}{code}{rest}{more} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
                ));
            }
        }
    }
    for token in ["csp_", "%63sp_", "csr_", "csb_", "eyJhbGciOiJIUzI1NiJ9."] {
        for path in ["/v1/tokens/", "/v1/sessions/", "/decks/", "/"] {
            requests.push(format!(
                "DELETE {path}{token}{SECRET} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
            ));
        }
    }
    for path in ["/v1/cards?limit=", "/v1/cards?q=", "/v1/changes?after=", "/cards?q="] {
        requests.push(format!("GET {path}{CODE} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"));
    }
    for header in [
        "accept",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "cookie",
        "expect",
        "host",
        "idempotency-key",
        "if-match",
        "last-event-id",
        "origin",
        "transfer-encoding",
        "upgrade",
        CODE,
    ] {
        let host = if header == "host" { "" } else { "host: x\r\n" };
        for value in [CODE.to_owned(), format!("Bearer {CODE}"), format!("session={CODE}")] {
            for path in ["/v1/cards/1", "/v1/me", "/"] {
                requests.push(format!(
                    "GET {path} HTTP/1.1\r\n{host}{header}: {value}\r\nconnection: close\r\n\r\n"
                ));
            }
        }
    }
    let (json, form) = ("application/json", "application/x-www-form-urlencoded");
    for body in [
        format!("{{\"serial\": \"{CODE}\", \"name\": \"Kettle Imp\"}}"),
        format!("{{\"name\": \"{CODE}\", \"password\": \"{CODE}\"}}"),
        format!("{{\"serial\": \"{CODE}"),
        format!("\"{CODE}\""),
    ] {
        for path in ["/v1/submissions", "/v1/sessions", "/v1/accounts", "/v1/cards/lookup"] {
            requests.push(with_body(path, json, &body));
        }
    }
    for path in ["/login", "/submit", "/register"] {
        requests.push(with_body(path, form, &format!("serial={CODE}&name={CODE}&password={CODE}")));
    }
    requests.push(format!("{CODE} / HTTP/1.1\r\nhost: x\r\n\r\n"));
    requests.push(format!("GET / {CODE}\r\nhost: x\r\n\r\n"));
    requests
}

#[tokio::test]
async fn no_level_of_the_log_shows_serial_codes_or_tokens() {
    let home = Home::new();
    let often = ["--requests-per-second", "1000000", "--request-burst", "1000000"];
    let service = home.serve_with(&[&["--log", "trace,tokio_postgres=debug"][..], &often].concat());
    let address = service.base.trim_start_matches("http://");
    for request in requests() {
        answer(address, request).await;
    }
    // As a player, because a submission is only read then.
    assert!(service.register("ada").await);
    let login = json!({ "name": "ada", "password": "tram window sonnet" });
    let (_, session) = service.post("/v1/sessions", login).await.unwrap();
    let client = reqwest::Client::new();
    let submission = json!({ "serial": CODE, "name": "Kettle Imp" });
    let batch = json!({ "submissions": [submission] });
    for (path, body, status) in
        [("/v1/submissions", submission, 422_u16), ("/v1/submissions/batch", batch, 200)]
    {
        let request = client.post(format!("{}{path}", service.base)).json(&body);
        let request = request.bearer_auth(session["access_token"].as_str().unwrap());
        assert_eq!(request.send().await.unwrap().status(), status, "{path}");
    }
    let log = service.stop(Signal::TERM);
    let statements = "preparing query";
    let masked = ["\"path\":\"(a serial code)\"", "\"path\":\"(a token)\""];
    for part in ["\"TRACE\"", "\"DEBUG\"", statements].into_iter().chain(masked) {
        assert!(log.contains(part), "{part}");
    }
    assert!(!log.contains("with parameters"), "the values in statements are not logged");
    // Without its first symbol, which may be encoded.
    let code = CODE[1..].replace('-', "");
    for line in log.lines() {
        let plain = line.to_uppercase().replace("%2D", "");
        let symbols: String = plain.chars().filter(char::is_ascii_alphanumeric).collect();
        assert!(!symbols.contains(&code) && !line.contains(SECRET), "{line}");
    }
}
