//! `cardscape seed --check` reports every fault of every file, without a database. `cardscape seed --synthetic` creates cards
//! for trials.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use super::program;

fn check(folder: &Path) -> Output {
    program().arg("seed").arg(folder).arg("--check").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A copy of one game's manifest and sets in a temporary folder.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let game = folder.path().join("games/emojito");
        std::fs::create_dir_all(game.join("sets")).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("seed-data/games/emojito");
        for file in ["game.toml", "sets/box.json"] {
            std::fs::copy(source.join(file), game.join(file)).unwrap();
        }
        Self(folder)
    }

    fn edit(&self, file: &str, edit: impl FnOnce(String) -> String) {
        let path = self.0.path().join("games/emojito").join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, edit(text)).unwrap();
    }
}

#[test]
fn the_seed_data_has_no_fault() {
    let output = check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("seed-data"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    let stdout = text(&output.stdout);
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
        assert!(stdout.contains(game), "{stdout}");
    }
}

/// A mistyped folder must not create a database.
#[test]
fn a_missing_folder_creates_no_database() {
    let place = tempfile::tempdir().unwrap();
    let (nowhere, data) = (place.path().join("nowhere"), place.path().join("data"));
    let run = |arguments: &[&std::ffi::OsStr]| {
        let mut command = program();
        command.args(arguments).arg("--data-dir").arg(&data);
        let output = command.output().unwrap();
        assert!(!output.status.success(), "{arguments:?}");
        assert!(!data.exists(), "{arguments:?}");
        text(&output.stderr)
    };
    let stderr = run(&["seed".as_ref(), nowhere.as_os_str()]);
    assert!(stderr.contains("nowhere"), "{stderr}");
    let listen: [&std::ffi::OsStr; 3] =
        ["serve".as_ref(), "--listen".as_ref(), "127.0.0.1:0".as_ref()];
    let stderr = run(&[&listen[..], &["--seed-data".as_ref(), nowhere.as_os_str()]].concat());
    assert!(stderr.contains("--seed-data") && stderr.contains("nowhere"), "{stderr}");
}

/// The sample game of the documentation is valid.
#[test]
fn the_sample_game_has_no_fault() {
    let output = check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("harbour: 2 sets"), "{}", text(&output.stdout));
}

#[test]
fn every_fault_is_reported_with_its_file_and_place() {
    let folder = Folder::new();
    folder.edit("sets/box.json", |text| {
        text.replacen("\"kind\": \"emotion\"", "\"kind\": \"weather\"", 2)
    });
    std::fs::write(
        folder.0.path().join("games/emojito/sets/broken.json"),
        "{ \"code\": \"broken\", ",
    )
    .unwrap();
    let output = check(folder.0.path());
    assert_eq!(output.status.code(), Some(1));
    let stdout = text(&output.stdout);
    for place in [
        "games/emojito/sets/box.json: /cards/0",
        "games/emojito/sets/box.json: /cards/1",
        ": KIND_UNKNOWN: “",
        "broken.json:1:20: the file ends before its JSON is complete",
    ] {
        assert!(stdout.contains(place), "{place} in {stdout}");
    }
}

/// A name that a reader takes for another one is refused with its place and the character.
#[test]
fn names_with_characters_that_nobody_sees_are_faults() {
    let folder = Folder::new();
    folder.edit("sets/box.json", |text| text.replacen("\"name\": \"", "\"name\": \"\u{202E}", 2));
    let output = check(folder.0.path());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let stdout = text(&output.stdout);
    for fault in [
        "games/emojito/sets/box.json: /name: ",
        "games/emojito/sets/box.json: /cards/0/name (001 \\u{202e}Joy): ",
        "changes the direction of the text, U+202E",
    ] {
        assert!(stdout.contains(fault), "{fault} in {stdout}");
    }
    assert!(!stdout.contains('\u{202E}'), "the message itself must be readable");
    folder.edit("game.toml", |text| text.replacen("name = \"", "name = \"\u{FEFF}", 1));
    let stdout = text(&check(folder.0.path()).stdout);
    assert!(stdout.contains("must not contain an invisible character, U+FEFF"), "{stdout}");
}

/// A file in another encoding does not hide the faults of the others.
#[test]
fn a_file_that_is_not_utf_8_is_a_fault_beside_the_others() {
    let folder = Folder::new();
    let sets = folder.0.path().join("games/emojito/sets");
    std::fs::write(sets.join("latin.json"), b"{\n  \"name\": \"Caf\xE9\"\n}").unwrap();
    std::fs::write(sets.join("broken.json"), "{").unwrap();
    let output = check(folder.0.path());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let stdout = text(&output.stdout);
    for fault in [
        "games/emojito/sets/latin.json:2:15: this is not UTF-8 text: save the file as UTF-8",
        "games/emojito/sets/broken.json:1:1: the file ends before its JSON is complete",
    ] {
        assert!(stdout.contains(fault), "{stdout}");
    }
}

/// Files that would be skipped because of their names, and files that are not named after the code in them.
#[test]
fn files_with_wrong_names_are_faults() {
    let folder = Folder::new();
    let game = folder.0.path().join("games/emojito");
    let sets = game.join("sets");
    for ignored in [".DS_Store", "box.json~", ".box.json.swp", "README.md", "README"] {
        std::fs::write(sets.join(ignored), "x").unwrap();
    }
    assert_eq!(check(folder.0.path()).status.code(), Some(0));
    for skipped in ["reef.JSON", "reef.json5"] {
        std::fs::write(sets.join(skipped), "{}").unwrap();
    }
    for (file, content) in
        [("effects/all_effect_templates.txt", "Draw N cards.\n"), ("placeholders/N.TXT", "1\n")]
    {
        std::fs::create_dir_all(game.join(file).parent().unwrap()).unwrap();
        std::fs::write(game.join(file), content).unwrap();
    }
    std::fs::rename(sets.join("box.json"), sets.join("crate.json")).unwrap();
    std::fs::rename(&game, folder.0.path().join("games/other")).unwrap();
    let output = check(folder.0.path());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let stdout = text(&output.stdout);
    for fault in [
        "games/other/sets/reef.JSON: is not read: the name must end in .json",
        "games/other/sets/reef.json5: is not read: the name must end in .json",
        "games/other/placeholders/N.TXT: is not read: the name must end in .txt",
        "crate.json: /code: the code is \"box\", but the file is named crate.json: rename one",
        "game.toml: /code: the code is \"emojito\", but the folder is named other: rename one",
    ] {
        assert!(stdout.contains(fault), "{fault} in {stdout}");
    }
}

/// Folders and files that would be skipped because of their names, and special files, which would never end.
#[test]
fn misnamed_parts_and_special_files_are_faults() {
    let folder = Folder::new();
    let game = folder.0.path().join("games/emojito");
    std::fs::create_dir_all(game.join("Placeholders")).unwrap();
    std::fs::create_dir_all(game.join("sets/tide.json")).unwrap();
    std::fs::create_dir_all(game.join("sets/drafts")).unwrap();
    std::fs::write(game.join("effects"), "x").unwrap();
    std::fs::write(game.join("sets/reef"), "{}").unwrap();
    std::fs::write(game.join("sets/tide.jsn"), "{}").unwrap();
    let pipe = Command::new("mkfifo").arg(game.join("sets/pipe.json")).status().unwrap();
    assert!(pipe.success());
    let output = check(folder.0.path());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let stdout = text(&output.stdout);
    let faults = [
        "games/emojito/Placeholders: the name must be placeholders, in small letters: rename it",
        "games/emojito/effects: must be a folder",
        "games/emojito/sets/pipe.json: is not a regular file",
        "games/emojito/sets/reef: is not read: the name must end in .json",
        "games/emojito/sets/tide.jsn: is not read: the name must end in .json",
        "games/emojito/sets/tide.json: is a folder, not a file",
    ];
    for fault in faults {
        assert!(stdout.contains(fault), "{fault} in {stdout}");
    }
    assert_eq!(stdout.lines().count(), faults.len(), "{stdout}");

    // Nothing is read from `Sets`, so that the game would seem to have no set.
    std::fs::remove_dir_all(game.join("sets")).unwrap();
    std::fs::create_dir_all(game.join("Sets")).unwrap();
    let stdout = text(&check(folder.0.path()).stdout);
    let fault = "games/emojito/Sets: the name must be sets, in small letters: rename it";
    assert!(stdout.contains(fault), "{stdout}");

    // Without the file of templates, the game would seem to have no effect texts.
    std::fs::remove_file(game.join("effects")).unwrap();
    std::fs::create_dir_all(game.join("effects")).unwrap();
    for name in [
        "All_Effect_Templates.txt",
        "all_effect_templates",
        "all_effect_template.txt",
        "all_effects_templates.txt",
        "templates.TXT",
    ] {
        let file = game.join("effects").join(name);
        std::fs::write(&file, "x").unwrap();
        let stdout = text(&check(folder.0.path()).stdout);
        let fault = format!("{name}: is not read: the name must be all_effect_templates.txt");
        assert!(stdout.contains(&fault), "{fault} in {stdout}");
        std::fs::remove_file(file).unwrap();
    }
}

/// Values of placeholders are of no use without templates.
#[test]
fn values_without_templates_are_a_fault() {
    let folder = Folder::new();
    let game = folder.0.path().join("games/emojito");
    for part in ["effects", "placeholders", "decks"] {
        std::fs::create_dir_all(game.join(part)).unwrap();
    }
    // The tools write and read these files, and the service needs neither.
    for file in ["effects/all_effects.txt", "effects/categories.toml", "placeholders/README.md"] {
        std::fs::write(game.join(file), "x").unwrap();
    }
    assert_eq!(check(folder.0.path()).status.code(), Some(0));
    std::fs::write(game.join("placeholders/n.txt"), "1\n").unwrap();
    let faults = || text(&check(folder.0.path()).stdout);
    let fault =
        "games/emojito/placeholders: is not read: the game has no effects/all_effect_templates.txt";
    assert!(faults().starts_with(fault), "{}", faults());

    std::fs::rename(game.join("effects"), game.join("effect")).unwrap();
    std::fs::write(game.join("effect/all_effect_templates.txt"), "Draw <n> cards.\n").unwrap();
    let fault =
        "games/emojito/effect: is not read: the folder of the templates must be named effects\n";
    assert_eq!(faults(), fault);
    std::fs::rename(game.join("effect"), game.join("effects")).unwrap();
    assert_eq!(check(folder.0.path()).status.code(), Some(0), "{}", faults());
}

/// One run reports the faults of all files with effect texts, with lines and columns.
#[test]
fn every_fault_of_effect_texts_has_its_line() {
    let folder = Folder::new();
    let game = folder.0.path().join("games/emojito");
    for (file, content) in [
        ("effects/all_effect_templates.txt", "Rest.\n\n  Take <nope>.\n<a b>\n"),
        ("placeholders/n.txt", "1\n<n>\n"),
        ("placeholders/phrase_replacements.txt", "# How it is said.\nno colon\n"),
    ] {
        std::fs::create_dir_all(game.join(file).parent().unwrap()).unwrap();
        std::fs::write(game.join(file), content).unwrap();
    }
    let output = check(folder.0.path());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let stdout = text(&output.stdout);
    let expected = [
        "effects/all_effect_templates.txt:3:8: <nope> has no values",
        "effects/all_effect_templates.txt:4:1: <a b> is no placeholder: <name>, <name+N> or <name-N> is",
        "placeholders/n.txt:2:1: the values of <n> lead back to <n>",
        "placeholders/phrase_replacements.txt:2:1: has no `:`: write `old phrase: new phrase`",
    ];
    let expected = expected.map(|fault| format!("games/emojito/{fault}"));
    assert_eq!(stdout.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_folder_without_games_is_a_failure() {
    let missing = check(Path::new("/nonexistent/seed-data"));
    assert_eq!(missing.status.code(), Some(70));
    assert!(
        text(&missing.stderr).contains("/nonexistent/seed-data/games"),
        "{}",
        text(&missing.stderr)
    );
    let folder = Folder::new();
    std::fs::remove_dir_all(folder.0.path().join("games/emojito")).unwrap();
    assert_eq!(check(folder.0.path()).status.code(), Some(70));
}

#[test]
fn two_games_of_one_code_are_refused() {
    let folder = Folder::new();
    let copy = folder.0.path().join("games/other");
    std::fs::create_dir_all(&copy).unwrap();
    std::fs::copy(folder.0.path().join("games/emojito/game.toml"), copy.join("game.toml")).unwrap();
    let output = check(folder.0.path());
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stdout).contains("games/other/game.toml: /code:"),
        "{}",
        text(&output.stdout)
    );
}

/// A data directory for a private Postgres that is seeded from the shipped folder.
struct Data(TempDir);

impl Data {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// The data directory, which does not exist until a command creates it.
    fn directory(&self) -> PathBuf {
        self.0.path().join("data")
    }

    fn seed(&self, arguments: &[&str]) -> Output {
        self.seed_from(&Path::new(env!("CARGO_MANIFEST_DIR")).join("seed-data"), arguments)
    }

    fn seed_from(&self, folder: &Path, arguments: &[&str]) -> Output {
        program()
            .arg("seed")
            .arg(folder)
            .args(arguments)
            .arg("--data-dir")
            .arg(self.directory())
            .output()
            .unwrap()
    }

    /// Runs `cardscape seed`, which must succeed, and returns the last line of its output.
    fn seed_successfully(&self, arguments: &[&str]) -> String {
        let output = self.seed(arguments);
        assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
        text(&output.stdout).lines().last().unwrap().to_owned()
    }
}

/// Games and effect texts are checked together: a fault in any file keeps everything in the folder from being loaded.
#[test]
fn nothing_is_loaded_from_a_folder_with_a_fault() {
    let (folder, data) = (Folder::new(), Data::new());
    let first = data.seed_from(folder.0.path(), &[]);
    assert!(first.status.success(), "{}{}", text(&first.stdout), text(&first.stderr));
    folder.edit("sets/box.json", |text| {
        let mut set: serde_json::Value = serde_json::from_str(&text).unwrap();
        set["cards"][0]["lore"] = "Nobody saw this coming.".into();
        set.to_string()
    });
    let games = folder.0.path().join("games");
    let effects = games.join("emojito/effects");
    std::fs::create_dir_all(&effects).unwrap();
    let templates = effects.join("all_effect_templates.txt");
    let refused = |fault: &str| {
        let output = data.seed_from(folder.0.path(), &[]);
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(1), "{stdout}{stderr}");
        assert!(stdout.contains(fault), "{stdout}");
        assert!(stderr.contains("nothing is loaded from a folder with faults"), "{stderr}");
    };
    // A fault of effect texts, beside a changed set.
    std::fs::write(&templates, "Draw a card.\nDraw <nope>.\n").unwrap();
    refused("games/emojito/effects/all_effect_templates.txt:2:6: <nope> has no values");
    // A fault of another game, beside a changed set and new effect texts.
    std::fs::write(&templates, "Draw a card.\n").unwrap();
    let other = games.join("other");
    std::fs::create_dir_all(other.join("sets")).unwrap();
    let manifest = std::fs::read_to_string(games.join("emojito/game.toml")).unwrap();
    let manifest = manifest.replacen("code = \"emojito\"", "code = \"other\"", 1);
    std::fs::write(other.join("game.toml"), manifest).unwrap();
    std::fs::write(other.join("sets/broken.json"), "{").unwrap();
    refused("games/other/sets/broken.json:1:1: the file ends before its JSON is complete");

    std::fs::remove_dir_all(other).unwrap();
    let output = data.seed_from(folder.0.path(), &[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let stdout = text(&output.stdout);
    for loaded in ["emojito/box: 0 cards added, 1 changed,", "emojito: 1 templates of effect texts"]
    {
        assert!(stdout.contains(loaded), "{loaded} in {stdout}");
    }
}

/// The same command without the option does what the dry run has reported.
#[test]
fn a_dry_run_reports_what_would_change_and_changes_nothing() {
    let (folder, data) = (Folder::new(), Data::new());
    let seed = |arguments: &[&str], code: i32| {
        let output = data.seed_from(folder.0.path(), arguments);
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{stdout}{stderr}");
        stdout
    };
    seed(&["--dry-run"], 2);
    assert!(!data.directory().exists(), "a mistyped directory creates no database");
    seed(&[], 0);
    folder.edit("sets/box.json", |text| {
        let mut set: serde_json::Value = serde_json::from_str(&text).unwrap();
        set["cards"][0]["lore"] = "Nobody saw this coming.".into();
        set.to_string()
    });
    let effects = folder.0.path().join("games/emojito/effects");
    std::fs::create_dir_all(&effects).unwrap();
    std::fs::write(effects.join("all_effect_templates.txt"), "Draw a card.\n").unwrap();
    let header = "This is a dry run: nothing is stored.\n";
    let rehearsed = seed(&["--dry-run"], 0);
    let changes = rehearsed.strip_prefix(header).unwrap();
    assert!(changes.contains("emojito/box: 0 cards added, 1 changed,"), "{changes}");
    assert!(changes.contains("emojito: 1 templates of effect texts"), "{changes}");
    assert_eq!(seed(&[], 0), changes);
    assert_eq!(seed(&["--dry-run"], 0), format!("{header}Nothing would change.\n"));
}

/// A larger catalogue adds cards to a smaller one, a smaller one removes nothing, and the same one changes nothing. The
/// import is the same as for admins: the engine checks every card.
#[test]
fn synthetic_cards_are_added_once() {
    let data = Data::new();
    let first = data.seed_successfully(&["--synthetic", "300", "--hidden-sets", "1"]);
    assert!(first.starts_with("ttcg: 300 synthetic cards added and 0 changed in "), "{first}");
    let again = data.seed_successfully(&["--synthetic", "300", "--hidden-sets", "1"]);
    assert!(again.starts_with("ttcg: 0 synthetic cards added and 0 changed in 0 sets"), "{again}");
    let more = data.seed_successfully(&["--synthetic", "1300", "--hidden-sets", "1"]);
    assert!(more.starts_with("ttcg: 1000 synthetic cards added and 0 changed in "), "{more}");
    let fewer = data.seed_successfully(&["--synthetic", "100", "--hidden-sets", "1"]);
    assert!(fewer.starts_with("ttcg: 0 synthetic cards added and 0 changed in 0 sets"), "{fewer}");

    let other_seed = data.seed(&["--synthetic", "300", "--seed", "7"]);
    assert_eq!(other_seed.status.code(), Some(1), "{}", text(&other_seed.stderr));
    assert!(text(&other_seed.stderr).contains("seed 0"), "{}", text(&other_seed.stderr));

    let other_game =
        data.seed_successfully(&["--synthetic", "20", "--seed", "7", "--game", "emoji-tcg"]);
    assert!(other_game.starts_with("emoji-tcg: 20 synthetic cards added"), "{other_game}");
    let no_game = data.seed(&["--synthetic", "20", "--game", "chess"]);
    assert_eq!(no_game.status.code(), Some(2), "{}", text(&no_game.stderr));
}

#[test]
fn synthetic_cards_need_a_number() {
    let data = Data::new();
    for wrong in [
        &["--synthetic", "0"][..],
        &["--synthetic", "10000001"],
        &["--seed", "7"],
        &["--hidden-sets", "1"],
        &["--synthetic", "10", "--check"],
        &["--synthetic", "10", "--dry-run"],
    ] {
        assert_eq!(data.seed(wrong).status.code(), Some(2), "{wrong:?}");
    }
    assert!(!data.directory().exists());
}
