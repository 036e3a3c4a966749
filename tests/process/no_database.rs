//! Commands without an existing database: only some of them create one.

use super::*;

/// Runs a command that must fail with a usage error, and returns its message.
fn usage(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    text(&output)
}

fn commands(out: &str) -> [Vec<&str>; 6] {
    let mint = ["mint", "--game", "ttcg", "--set", "veil", "--copies-per-card", "1"];
    [
        vec!["admin", "create", "somebody"],
        vec!["admin", "reset-password", "somebody"],
        vec!["admin", "remove-second-factor", "somebody"],
        vec!["keys", "replace-lost"],
        [&mint[..], &["--dry-run"]].concat(),
        [&mint[..], &["--out", out]].concat(),
    ]
}

#[test]
fn a_mistyped_data_directory_is_not_created() {
    let home = Home::new();
    let (typo, empty) = (home.0.join("typo"), home.0.join("empty"));
    std::fs::create_dir(&empty).unwrap();
    let out = home.0.join("codes.csv");
    for dir in [&typo, &empty] {
        for arguments in commands(out.to_str().unwrap()) {
            let mut command = program();
            command.args(&arguments).arg("--data-dir").arg(dir);
            let message = usage(command);
            assert!(
                message.contains(&format!("there is no database in {}", dir.display())),
                "{message}"
            );
            assert!(
                message.contains("cardscape serve") && message.contains("--data-dir"),
                "{message}"
            );
        }
    }
    assert!(!typo.exists() && !out.exists());
    assert_eq!(std::fs::read_dir(&empty).unwrap().count(), 0);
}

#[test]
fn wrong_options_are_refused_before_anything_is_created() {
    let home = Home::new();
    let data = home.0.join("data");
    for (option, value, hint) in [
        ("--cors-origins", "https://cards.example/app", "it must be an origin"),
        ("--cors-origins", "null", "it must be an origin"),
        ("--attempt-factor", "0", "0 is not in 1.."),
        ("--requests-per-second", "0", "0 is not in 1.."),
        ("--request-burst", "0", "0 is not in 1.."),
        ("--log", "cardscape=loud", "it must be a level"),
        ("--log", "debgu", "did you mean debug?"),
    ] {
        let mut command = program();
        command.args(["serve", "--listen", "127.0.0.1:0", option, value]);
        command.arg("--data-dir").arg(&data);
        let message = usage(command);
        assert!(message.contains(hint), "{option} {value}: {message}");
    }
    assert!(!data.exists());
}

#[test]
fn synthetic_cards_need_a_game_that_is_there() {
    let home = Home::new();
    let mut command = home.command(&["seed", "--synthetic", "10", "--game", "nope"]);
    command.current_dir(&home.0);
    let message = usage(command);
    assert!(
        message.contains("there is no game \"nope\"") && message.contains("no folder"),
        "{message}"
    );
}

#[test]
fn a_foreign_database_gets_no_tables() {
    let home = Home::new();
    let service = home.serve();
    let (keys, out) = (home.0.join("keys.json"), home.0.join("codes.csv"));
    // The maintenance database, in which no migrations have run.
    let url = home.url().replace("postgres:///cardscape?", "postgres:///postgres?");
    for arguments in commands(out.to_str().unwrap()) {
        let mut command = home.command(&arguments);
        command.args(["--database-url", &url, "--keys-file", keys.to_str().unwrap()]);
        let message = usage(command);
        assert!(message.contains("no tables of Cardscape"), "{arguments:?}: {message}");
        assert!(message.contains("--database-url"), "{message}");
    }
    service.stop(Signal::TERM);
}

#[test]
fn a_port_in_use_is_reported_before_a_database_is_created() {
    let home = Home::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let serve = home.command(&["serve", "--listen", &address]).output().unwrap();
    assert_eq!(serve.status.code(), Some(70), "{}", text(&serve));
    let message = text(&serve);
    assert!(message.contains(&format!("cannot listen on {address}")), "{message}");
    assert!(message.contains("--listen"), "{message}");
    assert_eq!(std::fs::read_dir(&home.0).unwrap().count(), 0, "no database was created");
}

#[test]
fn options_of_serve_are_checked_before_a_database_is_created() {
    let place = tempfile::tempdir().unwrap();
    let (nowhere, data) = (place.path().join("nowhere"), place.path().join("data"));
    let run = |arguments: &[&str]| {
        let mut command = program();
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(arguments);
        command.arg("--data-dir").arg(&data);
        let output = command.output().unwrap();
        assert!(!output.status.success(), "{arguments:?}");
        assert!(!data.exists(), "{arguments:?}");
        text(&output)
    };
    let nowhere = nowhere.to_str().unwrap();
    let message = run(&["--keys-file", nowhere]);
    assert!(message.contains(&format!("there is no key file {nowhere}")), "{message}");
    let message = run(&["--pg-bin", nowhere]);
    assert!(
        message.contains(&format!("looked in {nowhere}")) && message.contains("--pg-bin"),
        "{message}"
    );
}

#[test]
fn wrong_addresses_and_networks_are_explained() {
    for (option, value, expected) in [
        ("--listen", "0.0.0.0", "an IP address with a port, such as 0.0.0.0:8080"),
        ("--listen", "::1", "an IP address with a port, such as [::1]:8080"),
        ("--listen", "nowhere", "an IP address with a port, such as 127.0.0.1:8080 or [::1]:8080"),
        ("--trusted-proxies", "10.0.0.7", "a network, such as 10.0.0.7/32"),
        ("--metrics-networks", "here", "a network, such as 10.0.0.0/8 or fd00::/8"),
    ] {
        let mut command = program();
        command.args(["serve", option, value]);
        let message = usage(command);
        assert!(message.contains(expected), "{option} {value}: {message}");
    }
}

#[test]
fn a_database_without_tables_gets_none_without_a_key_file() {
    let home = Home::new();
    let service = home.serve();
    let url = home.url().replace("postgres:///cardscape?", "postgres:///postgres?");
    let nowhere = home.0.join("nowhere.json");
    let there = ["--database-url", &url, "--keys-file", nowhere.to_str().unwrap()];
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    let message = text(&home.command(&[&serve[..], &there].concat()).output().unwrap());
    assert!(message.contains("there is no key file"), "{message}");
    // The command above has not created any tables.
    let mint = ["mint", "--game", "ttcg", "--set", "veil", "--copies-per-card", "1", "--dry-run"];
    let message = usage(home.command(&[&mint[..], &there].concat()));
    assert!(message.contains("no tables of Cardscape"), "{message}");
    service.stop(Signal::TERM);
}

#[test]
fn completions_and_man_pages_contain_every_command() {
    let home = Home::new();
    let run = |arguments: &[&str]| program().args(arguments).output().unwrap();
    let commands = ["serve", "migrate", "seed", "admin", "keys", "deck", "effects", "mint"];
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&["completions", shell]);
        assert!(script.status.success(), "{shell}: {}", text(&script));
        let script = String::from_utf8(script.stdout).unwrap();
        for command in commands {
            assert!(script.contains(command), "{command} is not in the script for {shell}");
        }
    }
    assert_eq!(run(&["completions", "tcsh"]).status.code(), Some(2));
    let pages = home.0.join("man/man1");
    let written = run(&["man", pages.to_str().unwrap()]);
    assert!(written.status.success(), "{}", text(&written));
    for command in commands {
        let page = std::fs::read_to_string(pages.join(format!("cardscape-{command}.1"))).unwrap();
        assert!(page.contains(".SH NAME") && page.contains(command), "{page}");
    }
    assert!(pages.join("cardscape.1").exists() && pages.join("cardscape-admin-create.1").exists());
}
