//! `cardscape deck validate`, which works offline with only the engine.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::program;

fn cardscape(arguments: &[&str]) -> Command {
    let mut command = program();
    command.args(["deck", "validate"]).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
    // No command needs a database.
    command.env("DATABASE_URL", "postgres://nobody@127.0.0.1:1/none");
    command
}

fn run(arguments: &[&str]) -> (i32, String, String) {
    texts(cardscape(arguments).output().unwrap())
}

fn texts(output: Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn with_input(arguments: &[&str], input: &[u8]) -> (i32, String, String) {
    let mut child = cardscape(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Ignores an error, because the command may stop reading early.
    let _ = child.stdin.take().unwrap().write_all(input);
    texts(child.wait_with_output().unwrap())
}

fn sample_decks() -> Vec<PathBuf> {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("seed-data/games");
    let folders = std::fs::read_dir(games).unwrap().map(|game| game.unwrap().path().join("decks"));
    // Games without cards have no sample decks.
    folders
        .filter(|folder| folder.is_dir())
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .map(|file| file.unwrap().path())
        .filter(|file| file.extension().is_some_and(|extension| extension == "txt"))
        .collect()
}

#[test]
fn sample_decks_are_what_their_names_say() {
    let decks = sample_decks();
    assert!(decks.len() >= 11);
    for deck in decks {
        let list = std::fs::read_to_string(&deck).unwrap();
        let format = list.lines().find_map(|line| line.strip_prefix("// format: ")).unwrap();
        let (code, out, err) = run(&[deck.to_str().unwrap(), "--format", format]);
        let legal = deck.file_name().unwrap().to_str().unwrap().starts_with("legal-");
        assert_eq!(code, i32::from(!legal), "{}: {out}{err}", deck.display());
        assert_eq!(out.lines().next().unwrap().contains(": legal;"), legal, "{out}");
        assert_eq!(err, "");
    }
}

#[test]
fn every_violation_is_printed_with_its_rule_and_a_correction() {
    let deck = "seed-data/games/ttcg/decks/illegal-forty-eight-cards.txt";
    let (code, out, _) = run(&[deck, "--format", "ttcg/standard"]);
    assert_eq!(code, 1);
    for part in [
        "ttcg/standard",
        "illegal; cards: main 48",
        "incomplete DECK_SIZE_BELOW_MIN (rule T-2.2.1a)",
        "error COPY_LIMIT_EXCEEDED (rule T-2.2.1b)",
        "3 copies of “Kettle Imp”; at most 2 allowed",
        "remove 1 × Kettle Imp",
        "error CARD_UNKNOWN",
        "write “Bellows Smith” for “Belows Smith”",
    ] {
        assert!(out.contains(part), "no {part:?} in {out}");
    }

    // The imps are on two lines; a violation must name all lines that it is about.
    let list = std::fs::read_to_string(deck).unwrap();
    let with = |name: &str| -> Vec<String> {
        let named = list
            .lines()
            .zip(1..)
            .filter(|(line, _): &(&str, usize)| line.contains(name) && !line.starts_with("//"));
        named.map(|(_, at)| at.to_string()).collect()
    };
    let imps = with("Kettle Imp");
    assert!(imps.len() > 1);
    assert!(out.contains(&format!("    On lines {}.\n", imps.join(", "))), "{out}");
    assert!(out.contains(&format!("    On line {}.\n", with("Belows Smith")[0])), "{out}");

    let (code, out, _) = run(&[deck, "--format", "ttcg/standard", "--json"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (code, &report["status"], report["violations"].as_array().unwrap().len()),
        (1, &"illegal".into(), 3)
    );
}

#[test]
fn a_deck_is_checked_against_several_formats_at_once() {
    let deck = "seed-data/games/emojo-dojo/decks/legal-full-box.txt";
    let both = [deck, "--format", "emojo-dojo/box", "--format", "emojo-dojo/box:half"];
    let (code, out, _) = run(&both);
    assert_eq!(code, 1);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "Legal in emojo-dojo/box; illegal in emojo-dojo/box:half.");
    assert_eq!(lines[2], "emojo-dojo/box (version 1): legal; cards: main 100");
    assert_eq!(lines[4], "emojo-dojo/box:half (version 1): illegal; cards: main 100");
    let (code, out, _) = run(&[&both[..], &["--json"]].concat());
    let result: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &result["summary"]), (1, &lines[0].into()));
    assert_eq!(result["reports"][0]["status"], "legal");
    assert_eq!(result["reports"][1]["format"], "emojo-dojo/box:half");

    let twice = [deck, "--format", "emojo-dojo/box", "--format", "emojo-dojo/box:full"];
    let (code, _, err) = run(&twice);
    assert_eq!(code, 2);
    assert!(err.contains("emojo-dojo/box and emojo-dojo/box:full are the same format"), "{err}");
}

#[test]
fn unknown_names_that_were_not_compared_are_counted() {
    let list: String = (0..63).map(|at| format!("1 Kettle Imq{at:02}\n")).collect();
    let message = "3 more unknown names were not compared";
    let (_, out, _) = with_input(&["-", "--format", "ttcg/standard"], list.as_bytes());
    assert!(out.contains(message), "{out}");
    assert_eq!(out.matches("Did you mean").count(), 60);
    let json = ["-", "--format", "ttcg/standard", "--json"];
    let report: Value = serde_json::from_str(&with_input(&json, list.as_bytes()).1).unwrap();
    assert_eq!(report["suggestions_left_out"], 3);
    let deck = "seed-data/games/ttcg/decks/illegal-forty-eight-cards.txt";
    assert!(!run(&[deck]).1.contains("not compared"));
}

#[test]
fn a_list_can_be_read_from_standard_input() {
    let half = "4 White Belt\n".as_bytes();
    let (code, out, _) = with_input(&["-", "--format", "emojo-dojo/box:half"], half);
    assert_eq!(code, 1);
    assert!(
        out.contains("incomplete BOX_CARD_MISSING") && out.starts_with("emojo-dojo/box:half"),
        "{out}"
    );
    let windows = "\u{feff}// a list\r\n1 Joy\r\n".as_bytes();
    let (code, out, err) = with_input(&["-", "--format", "emojito/box"], windows);
    assert_eq!((code, err.as_str()), (1, ""), "{out}");
    assert!(!out.contains("CARD_UNKNOWN"), "{out}");
}

#[test]
fn a_game_without_cards_is_reported_first() {
    let (code, out, err) =
        with_input(&["-", "--format", "magic/constructed"], b"4 Otter\n20 Island\n");
    assert_eq!((code, err.as_str()), (1, ""));
    let first = out.lines().nth(2).unwrap();
    assert!(first.starts_with("incomplete GAME_WITHOUT_CARDS"), "{out}");
    assert!(!out.contains("CARD_UNKNOWN"), "{out}");
    assert!(out.contains("No cards of this game are loaded"), "{out}");
    // In our own dialect, an unknown set code is reported and not corrected.
    let (_, out, _) = with_input(&["-"], b"// format: emojito/box\n1 Joy (bxo)\n");
    assert!(out.lines().nth(2).unwrap().starts_with("error SET_WITHOUT_CARDS"), "{out}");
    assert!(out.contains("No cards of the set “bxo” are loaded."), "{out}");
    assert!(out.contains("    On line 2.\n"), "{out}");
}

#[test]
fn a_card_in_a_wrong_zone_can_be_moved() {
    let list = b"// format: harbour/trade\n9 Salt\n1 Brig\n";
    let (_, out, _) = with_input(&["-", "--seed-data", "tests/data"], list);
    assert!(out.contains("not allowed in the main zone: “Brig”. Allowed in: extra."), "{out}");
    assert!(out.contains("To correct it: move 1 × Brig from main to extra."), "{out}");
}

#[test]
fn unreadable_lines_are_reported_with_their_number() {
    let list = b"2 Kettle Imp\nPocket Bat x1\n0 Pocket Bat\n1 Nonsense";
    let (code, out, err) = with_input(&["-", "--format", "ttcg/standard"], list);
    assert_eq!(code, 1);
    assert!(err.contains("-:3: \"0 Pocket Bat\" quantity must be 1 to 10000"), "{err}");
    assert!(!err.contains("-:1: ") && !err.contains("-:4: "), "{err}");
    assert!(out.contains("Nonsense") && out.contains("On line 4."), "{out}");
    // Lists of other programs are checked, too. A list with a refused line is incomplete, even if its other lines are legal.
    let legal = "seed-data/games/ttcg/decks/legal-embers-and-bones.txt";
    let legal = std::fs::read_to_string(legal).unwrap();
    assert_eq!(with_input(&["-"], legal.as_bytes()).0, 0);
    let (code, out, _) = with_input(&["-"], format!("{legal}\n0 Pocket Bat\n").as_bytes());
    assert_eq!(code, 1);
    let warning = "1 line could not be read; what follows is about the others.\n\nttcg/";
    assert!(out.starts_with(warning) && out.contains(": legal; cards: "), "{out}");
}

/// The lines that are left out may make the deck illegal.
#[test]
fn a_list_that_is_not_read_to_its_end_is_not_legal() {
    let legal = "seed-data/games/ttcg/decks/legal-embers-and-bones.txt";
    let legal = std::fs::read_to_string(legal).unwrap();
    let long = format!("{legal}\n{}9 Kettle Imp\n", "// x\n".repeat(10_000));
    let (code, out, err) = with_input(&["-"], long.as_bytes());
    assert_eq!(code, 1, "{out}");
    assert!(err.contains(" more lines were not read\n"), "{err}");
    let long = format!("// format: ttcg/standard\n{}9 Kettle Imp\n", "// x\n".repeat(9_999));
    let (code, out, err) = with_input(&["-"], long.as_bytes());
    assert_eq!((code, err.as_str()), (1, "-: 1 more line was not read\n"));
    assert!(out.starts_with("1 line could not be read;"), "{out}");
}

/// The sets and numbers of the code mean other cards in another game.
#[test]
fn a_share_code_is_not_judged_by_the_rules_of_another_game() {
    let deck = cardscape_engine::parse_deck_text("2 Silk (port) 2").deck;
    let share_code = cardscape_engine::encode_share_code("harbour", &deck).unwrap();
    let (code, out, err) = with_input(&["-", "--format", "ttcg/standard"], share_code.as_bytes());
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("a share code of the game harbour, not of ttcg"), "{err}");
}

#[test]
fn wrong_usage_exits_with_2_and_failure_with_70() {
    let deck = "seed-data/games/ttcg/decks/legal-embers-and-bones.txt";
    for wrong in [
        vec![deck, "--format", "ttcg"],
        vec![deck, "--on", "2026-02-30"],
        vec![deck, "--on", "2020-01-01"],
        vec![deck, "--format", "chess/standard"],
        vec![deck, "--format", "ttcg/standard:half"],
        vec![deck, "--format", "ttcg/pauper"],
        vec![deck, "--format", "ttcg/standard", "--format", "ttcg/pauper"],
        vec![deck, "--format", "ttcg/standard", "--format", "emojito/box"],
        vec!["--format", "ttcg/standard"],
    ] {
        let (code, out, err) = run(&wrong);
        assert_eq!((code, out.as_str()), (2, ""), "{wrong:?}");
        assert!(!err.is_empty());
    }
    assert!(
        run(&[deck, "--format", "ttcg/pauper"]).2.contains("ttcg/standard"),
        "the error lists the existing formats"
    );
    for failing in [
        vec!["no-such-file.txt", "--format", "ttcg/standard"],
        vec!["src", "--format", "ttcg/standard"],
    ] {
        let (code, _, err) = run(&failing);
        assert_eq!(code, 70, "{err}");
    }
    // A byte order mark without text is an empty list.
    assert_eq!(with_input(&["-", "--format", "ttcg/standard"], &[0xff, 0xfe]).0, 1);
    assert_eq!(with_input(&["-", "--format", "ttcg/standard"], &vec![b'\n'; 300_000]).0, 70);
}

#[test]
fn the_format_is_read_from_the_list_if_no_option_gives_it() {
    let deck = "seed-data/games/emojo-dojo/decks/legal-full-box.txt";
    let (code, out, err) = run(&[deck]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.starts_with("emojo-dojo/box"), "{out}");
    let (code, out, _) = run(&[deck, "--format", "emojo-dojo/box:half"]);
    assert_eq!(code, 1, "the option overrides the format in the list");
    assert!(out.starts_with("emojo-dojo/box:half"), "{out}");
    for (list, message) in [
        ("1 Joy", "--format"),
        ("1 Joy\n// format: emojito/box", "--format"),
        ("// format: emojito\n1 Joy", "must be game/format"),
        ("// format: emojito/bag\n1 Joy", "There is no format emojito/bag; there is emojito/box"),
    ] {
        let (code, out, err) = with_input(&["-"], list.as_bytes());
        assert_eq!((code, out.as_str()), (2, ""), "{list:?}");
        assert!(err.contains(message), "{err}");
    }
}

#[test]
fn a_list_is_checked_by_the_rules_of_a_date() {
    let harbour = |on: &[&str]| {
        let list = b"// format: harbour/trade\n1 Gunpowder\n";
        with_input(&[&["-", "--seed-data", "tests/data"], on].concat(), list)
    };
    let today = harbour(&[]).1;
    assert!(today.contains("CARD_BANNED"), "{today}");
    let before = harbour(&["--on", "2025-08-31"]).1;
    assert!(before.starts_with("harbour/trade") && !before.contains("CARD_BANNED"), "{before}");
    let deck = "seed-data/games/ttcg/decks/legal-embers-and-bones.txt";
    assert_eq!(run(&[deck, "--on", "2025-03-17"]).0, 0);
    let (code, _, err) = run(&[deck, "--on", "2025-03-16"]);
    let message =
        "There is no format ttcg/standard on 2025-03-16; its first version begins on 2025-03-17.";
    assert_eq!(code, 2);
    assert!(err.contains(message), "{err}");
    assert!(run(&[deck, "--format", "ttcg/standard:half"]).2.contains("ttcg/standard:by_name"));
}

/// The example output in the documentation for administrators must be the real output.
#[test]
fn the_output_in_the_documentation_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("docs/GAMES.md");
    let page = std::fs::read_to_string(&file).unwrap();
    let (before, rest) = page.split_once("<!-- output deck validate ").unwrap();
    let (arguments, rest) = rest.split_once(" -->\n").unwrap();
    let (shown, after) = rest.split_once("<!-- /output -->").unwrap();
    let (code, out, err) = run(&arguments.split(' ').collect::<Vec<_>>());
    assert_eq!((code, err.as_str()), (1, ""));
    let block = format!("\n```text\n{out}```\n\n");
    if std::env::var_os("CARDSCAPE_UPDATE").is_some() {
        let page = format!(
            "{before}<!-- output deck validate {arguments} -->\n{block}<!-- /output -->{after}"
        );
        std::fs::write(file, page).unwrap();
    } else {
        assert_eq!(shown, block, "CARDSCAPE_UPDATE=1 writes the page");
    }
}
