//! Secrets that cannot be shown: no account has a password that nobody knows, and the log of the service says what to do.

use std::fs::{File, OpenOptions};
use std::sync::mpsc::channel;

use super::*;

/// A standard output without space.
fn full() -> File {
    OpenOptions::new().write(true).open("/dev/full").unwrap()
}

fn password(output: &Output) -> String {
    let text = text(output);
    assert!(output.status.success(), "{text}");
    text.lines().find_map(|line| line.strip_prefix("password: ")).unwrap().to_owned()
}

#[tokio::test]
async fn an_account_changes_only_if_its_secrets_are_shown() {
    let home = Home::new();
    let service = home.serve();
    let refuses = |command: &mut Command, reason: &str| {
        let output = command.output().unwrap();
        let message = text(&output);
        assert_eq!(output.status.code(), Some(70), "{message}");
        for part in ["nothing was changed", "cannot write standard output", reason] {
            assert!(message.contains(part), "{message}");
        }
        assert!(!message.contains("recovery code: "), "{message}");
    };
    let (create, reset) = (["admin", "create", "ada"], ["admin", "reset-password", "ada"]);
    refuses(home.command(&create).stdout(full()), "No space left on device");
    let created = home.command(&create).output().unwrap();
    let login = json!({ "name": "ada", "password": password(&created) });

    refuses(home.command(&reset).stdout(full()), "No space left on device");
    // A reader that has gone has read no secret.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    refuses(home.command(&reset).stdout(writer), "Broken pipe");
    assert_eq!(service.post("/v1/sessions", login.clone()).await.unwrap().0, 201);

    password(&home.command(&reset).output().unwrap());
    assert_eq!(service.post("/v1/sessions", login).await.unwrap().0, 401);
    service.stop(Signal::TERM);
}

#[test]
fn a_plan_that_cannot_be_shown_is_not_printed() {
    let home = Home::new();
    home.serve().stop(Signal::TERM);
    let codes = home.0.join("codes.csv");
    let run = ["mint", "--game", "ttcg", "--set", "veil", "--copies-per-card", "1", "--out"];
    let arguments = [&run[..], &[codes.to_str().unwrap()]].concat();
    let minted = home.command(&arguments).stdout(full()).output().unwrap();
    assert_eq!(minted.status.code(), Some(70), "{}", text(&minted));
    assert!(text(&minted).contains("cannot write standard output"), "{}", text(&minted));
    assert!(!codes.exists());
    let minted = home.command(&arguments).output().unwrap();
    assert!(minted.status.success(), "{}", text(&minted));
}

#[test]
fn seed_data_is_loaded_completely_if_the_report_cannot_be_shown() {
    let home = Home::new();
    let folder = emojito_with_lore(&home, "release", "Nobody saw this coming.");
    let seed = ["seed", folder.to_str().unwrap()];
    let seeded = home.command(&seed).stdout(full()).output().unwrap();
    let message = text(&seeded);
    assert_eq!(seeded.status.code(), Some(70), "{message}");
    for part in ["is loaded", "cannot write standard output"] {
        assert!(message.contains(part), "{message}");
    }
    let again = home.command(&seed).output().unwrap();
    assert!(text(&again).contains("Nothing changed."), "{}", text(&again));
}

#[test]
fn a_first_password_that_cannot_be_shown_is_an_error_in_the_log() {
    let home = Home::new();
    let child = home
        .command(&["--log-format", "json", "serve", "--listen", "127.0.0.1:0"])
        .stdout(full())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut service = Service { child, base: String::new(), password: None, log: None };
    let log = BufReader::new(service.child.stderr.take().unwrap()).lines();
    let (send, lines) = channel();
    // The pipe must be read: otherwise it fills up and the service blocks on writing.
    std::thread::spawn(move || {
        log.map_while(Result::ok).for_each(|line| {
            let _ = send.send(line);
        });
    });
    let until = Instant::now() + Duration::from_mins(1);
    let line_with = |part: &str| -> Value {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let line = lines.recv_timeout(left).unwrap_or_else(|_| panic!("no line with {part:?}"));
            if line.contains(part) {
                return serde_json::from_str(&line).unwrap();
            }
        }
    };
    let address = line_with("ready, but cannot write standard output");
    assert_eq!(address["level"], "WARN", "{address}");
    assert!(address["address"].as_str().unwrap().starts_with("127.0.0.1:"), "{address}");
    let lost = line_with("admin reset-password admin");
    assert_eq!(lost["level"], "ERROR", "{lost}");
    // The service goes on, and its first admin gets another password.
    password(&home.command(&["admin", "reset-password", "admin"]).output().unwrap());
    kill_process(service.pid(), Signal::TERM).unwrap();
    assert!(service.child.wait().unwrap().success());
}
