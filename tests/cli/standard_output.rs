//! Commands whose result cannot be written fail; readers that close the pipe early are no error. Messages that nobody can read change nothing.

use std::fs::OpenOptions;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use super::program;

fn command(arguments: &[&str]) -> Command {
    let mut command = program();
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

/// Checks that a command has failed because of standard output, and returns its message.
#[track_caller]
fn failure(output: &Output) -> String {
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(70), "{message}");
    assert!(message.contains("cannot write standard output: "), "{message}");
    message
}

/// A deck list, and the arguments of commands that print something.
struct Results {
    folder: TempDir,
}

impl Results {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("deck.txt"), "4 Kettle Imp\n").unwrap();
        Self { folder }
    }

    fn commands(&self) -> [Vec<String>; 11] {
        let path = |name: &str| self.folder.path().join(name).to_str().unwrap().to_owned();
        let (deck, keys, pages) = (path("deck.txt"), path("keys.json"), path("man"));
        let (deck, keys, pages) = (deck.as_str(), keys.as_str(), pages.as_str());
        [
            vec!["openapi"],
            vec!["schema", "manifest"],
            vec!["schema", "set"],
            vec!["completions", "bash"],
            vec!["deck", "validate", deck, "--format", "ttcg/standard"],
            vec!["deck", "validate", deck, "--format", "ttcg/standard", "--json"],
            vec!["deck", "convert", deck, "--game", "ttcg", "--to", "arena"],
            vec!["deck", "encode", deck, "--game", "ttcg"],
            vec!["seed", "--check"],
            vec!["keys", "generate", keys],
            vec!["man", pages],
        ]
        .map(|arguments| arguments.into_iter().map(str::to_owned).collect())
    }
}

#[test]
fn a_result_that_does_not_fit_is_a_failure() {
    let results = Results::new();
    for arguments in results.commands() {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let message = failure(&command(&arguments).stdout(full).output().unwrap());
        assert!(message.contains("No space left on device"), "{arguments:?}: {message}");
    }
    assert!(results.folder.path().join("keys.json").exists());
}

#[test]
fn a_reader_that_has_closed_the_pipe_has_read_enough() {
    let results = Results::new();
    for arguments in results.commands() {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let whole = command(&arguments).output().unwrap();
        // An existing key file is never overwritten.
        let _ = std::fs::remove_file(results.folder.path().join("keys.json"));
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let closed = command(&arguments).stdout(writer).output().unwrap();
        let message = String::from_utf8_lossy(&closed.stderr).into_owned();
        assert_eq!(closed.status.code(), whole.status.code(), "{arguments:?}: {message}");
        assert!(!message.contains("standard output"), "{arguments:?}: {message}");
    }
}

#[test]
fn messages_that_cannot_be_written_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let deck = folder.path().join("deck.txt");
    std::fs::write(&deck, "0 Kettle Imp\n4 Nobody Knows This\n").unwrap();
    let deck = deck.to_str().unwrap();
    for arguments in [
        &["deck", "validate", deck, "--format", "ttcg/standard"][..],
        &["deck", "validate", deck],
        &["deck", "convert", deck, "--game", "ttcg", "--to", "arena"],
        &["deck", "convert", deck, "--game", "chess", "--to", "arena"],
        &["deck", "decode", "hello"],
        &["schema", "set", "--game", "chess"],
        &["seed", "--check", "src"],
        &["verify-run", "no-such-file"],
    ] {
        let whole = command(arguments).output().unwrap();
        assert!(!whole.stderr.is_empty(), "{arguments:?}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        for closed in [Stdio::from(writer), Stdio::from(full)] {
            let output = command(arguments).stderr(closed).output().unwrap();
            let expected = (whole.status.code(), &whole.stdout);
            assert_eq!((output.status.code(), &output.stdout), expected, "{arguments:?}");
        }
    }
}
