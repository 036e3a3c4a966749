//! Addresses of databases that cannot be right are refused at once, not tried again like a server that does not answer yet.

use super::program;

/// The message of a command that is refused as wrong usage, with this `DATABASE_URL`.
fn refusal(url: &str, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let output = program()
        .args(arguments)
        .arg("--keys-file")
        .arg(folder.path().join("keys.json"))
        .arg("--data-dir")
        .arg(&data)
        .env("DATABASE_URL", url)
        .output()
        .unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{url:?} {arguments:?}: {message}");
    assert!(!data.exists(), "{url:?} {arguments:?}: a private database was created");
    message
}

const COMMANDS: [&[&str]; 3] =
    [&["serve", "--listen", "127.0.0.1:0"], &["migrate"], &["admin", "create", "somebody"]];

#[test]
fn an_empty_address_is_refused_by_the_name_of_its_variable() {
    for command in COMMANDS {
        for url in ["", " "] {
            let message = refusal(url, command);
            assert!(
                message.contains("DATABASE_URL") && message.contains("empty"),
                "{command:?}: {message}"
            );
        }
    }
}

#[test]
fn an_address_without_a_host_is_refused() {
    for command in COMMANDS {
        for url in ["postgres://", "postgres://me:secret@:5432/cardscape"] {
            let message = refusal(url, command);
            assert!(message.contains("names no host"), "{command:?}: {message}");
            assert!(!message.contains("secret") && !message.contains("trying again"), "{message}");
        }
    }
}
