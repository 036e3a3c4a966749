//! `cardscape seed --check`: every fault of every file, without a database.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn check(folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cardscape"))
        .arg("seed")
        .arg(folder)
        .arg("--check")
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A copy of one game's manifest and sets in a folder of the test's own.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("cardscape-seed-{name}-{}", std::process::id()));
        let game = folder.join("games/emojito");
        std::fs::create_dir_all(game.join("sets")).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("seed-data/games/emojito");
        for file in ["game.toml", "sets/box.json"] {
            std::fs::copy(source.join(file), game.join(file)).unwrap();
        }
        Self(folder)
    }

    fn edit(&self, file: &str, edit: impl FnOnce(String) -> String) {
        let path = self.0.join("games/emojito").join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, edit(text)).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_seed_data_has_no_fault() {
    let output = check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("seed-data"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    let told = text(&output.stdout);
    for game in [
        "ttcg: 2 sets",
        "emoji-tcg: 1 sets",
        "uno-emoji",
        "emojo-dojo",
        "emojito",
        "magic: 0 sets, 0 cards",
        "yu-gi-oh: 0 sets, 0 cards",
        "pokemon: 0 sets, 0 cards",
    ] {
        assert!(told.contains(game), "{told}");
    }
}

/// The sample game of the documentation.
#[test]
fn an_invented_game_has_no_fault() {
    let output = check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("harbour: 2 sets"), "{}", text(&output.stdout));
}

#[test]
fn every_fault_is_told_with_its_file_and_place() {
    let folder = Folder::new("faults");
    folder.edit("sets/box.json", |text| {
        text.replacen("\"kind\": \"emotion\"", "\"kind\": \"weather\"", 2)
    });
    std::fs::write(folder.0.join("games/emojito/sets/broken.json"), "{ \"code\": \"broken\", ")
        .unwrap();
    let output = check(&folder.0);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stdout);
    for place in [
        "games/emojito/sets/box.json: /cards/0",
        "games/emojito/sets/box.json: /cards/1",
        ": KIND_UNKNOWN: “",
        "broken.json: EOF",
    ] {
        assert!(told.contains(place), "{place} in {told}");
    }
}

#[test]
fn a_folder_that_is_none_is_a_failure() {
    let missing = check(Path::new("/nonexistent/seed-data"));
    assert_eq!(missing.status.code(), Some(70));
    assert!(
        text(&missing.stderr).contains("/nonexistent/seed-data/games"),
        "{}",
        text(&missing.stderr)
    );
    let folder = Folder::new("empty");
    std::fs::remove_dir_all(folder.0.join("games/emojito")).unwrap();
    assert_eq!(check(&folder.0).status.code(), Some(70));
}

#[test]
fn two_games_of_one_code_are_refused() {
    let folder = Folder::new("twice");
    let copy = folder.0.join("games/other");
    std::fs::create_dir_all(&copy).unwrap();
    std::fs::copy(folder.0.join("games/emojito/game.toml"), copy.join("game.toml")).unwrap();
    let output = check(&folder.0);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stdout).contains("games/other/game.toml: /code:"),
        "{}",
        text(&output.stdout)
    );
}
