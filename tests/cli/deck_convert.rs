//! `cardscape deck convert`, `encode` and `decode`, which work offline with only the engine.

use std::io::Write as _;
use std::process::Stdio;

use super::program;

fn run(arguments: &[&str], input: &[u8]) -> (i32, String, String) {
    let mut child = program()
        .arg("deck")
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Ignores an error, because the command may not read its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

const HARBOUR: [&str; 4] = ["--seed-data", "tests/data", "--game", "harbour"];

#[test]
fn a_list_is_converted_to_another_dialect_and_losses_are_reported() {
    let list = "4x Salt (port) 1 *F*\n1 Silk (The Old Port) 2\n1 Slat\n\nSideboard\nAnchor\n";
    let (code, out, err) =
        run(&[&["convert", "-", "--to", "arena"], &HARBOUR[..]].concat(), list.as_bytes());
    assert_eq!(code, 1, "a card is unknown: {err}");
    assert_eq!(out, "Deck\n4 Salt (PORT) 001\n1 Silk (PORT) 002\n1 Slat\n\nSideboard\n1 Anchor\n");
    let messages: Vec<&str> = err.lines().collect();
    assert_eq!(
        messages,
        [
            "-:1: \"4x Salt (port) 1 *F*\" guessed: the card has no rarity \"F\"",
            "-:3: \"1 Slat\" unknown: no card of this name is known; did you mean Salt?",
            "-:6: \"Anchor\" guessed: one copy, as no quantity stands there",
        ]
    );
    let list = b"2 Silk (port) 2 {gilded}";
    let (code, out, err) = run(&[&["convert", "-", "--to", "mtgo"], &HARBOUR[..]].concat(), list);
    assert_eq!((code, out.as_str()), (0, "2 Silk\n"));
    assert!(err.contains("lost of 2 Silk: the rarity\n"), "{err}");
    let (code, _, err) = run(&[&["convert", "-", "--to", "arean"], &HARBOUR[..]].concat(), list);
    assert_eq!(code, 2);
    assert!(err.contains("there is no dialect of this name; there are own, json"), "{err}");
}

#[test]
fn a_share_code_is_encoded_and_decoded() {
    let list = "// format: harbour/trade\n4 Salt\n2 Silk {gilded}\nSB: 1 Black Pearl\n";
    let (code, out, err) = run(&["encode", "-", "--seed-data", "tests/data"], list.as_bytes());
    assert_eq!(code, 0, "{err}");
    let printing = "cardscape: lost of 4 Salt, 2 Silk, 1 Black Pearl: that any printing will do; the text names one\n";
    assert_eq!(err, printing);
    let share_code = out.trim();
    let deck = "// game: harbour\n\n4 Salt (port) 001\n2 Silk (port) 002 {gilded}\n\nSideboard\n1 Black Pearl (reef) 001\n";
    let (code, out, err) = run(&["decode", share_code, "--seed-data", "tests/data"], b"");
    assert_eq!((code, out.as_str(), err.as_str()), (0, deck, ""));
    // Without the seed data of the game, the names of the cards are not known.
    let (code, out, _) = run(&["decode", share_code], b"");
    assert_eq!(code, 0);
    assert!(out.contains("4 \"\" (\"port\") \"1\"\n"), "{out}");
    let (code, out, _) =
        run(&["convert", "-", "--to", "own", "--seed-data", "tests/data"], share_code.as_bytes());
    assert_eq!(code, 0);
    assert!(deck.ends_with(&out), "{out}");
    let (code, out, err) = run(&["decode", &share_code[1..]], b"");
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("version"), "{err}");
    let (code, _, err) = run(&["decode", "hello"], b"");
    assert_eq!(code, 1);
    assert!(err.contains("this is no share code"), "{err}");
    // A link or a code fence around the code does not hide it.
    for text in [format!("My deck: {share_code}\n"), format!("```\n{share_code}\n```")] {
        let to_own = ["convert", "-", "--to", "own", "--seed-data", "tests/data"];
        let (code, out, err) = run(&to_own, text.as_bytes());
        assert_eq!((code, deck.ends_with(&out)), (0, true), "{out}{err}");
    }
}

/// In the decoded list, a name and a rarity are not the name of another card.
#[test]
fn a_decoded_list_means_the_cards_of_the_share_code() {
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("games/em");
    std::fs::create_dir_all(game.join("sets")).unwrap();
    let manifest = "code = \"em\"\nname = \"Em\"\nrules_version = \"1\"\n\
                    [[rarities]]\ncode = \"u\"\nname = \"Unusual\"\n[[kinds]]\ncode = \"x\"\nname = \"X\"\n";
    std::fs::write(game.join("game.toml"), manifest).unwrap();
    let set = r#"{ "code": "one", "name": "One", "cards": [
        { "number": "1", "name": "Foo", "kind": "x" }, { "number": "2", "name": "Foo {u}", "kind": "x" }
    ] }"#;
    std::fs::write(game.join("sets/one.json"), set).unwrap();
    let deck = cardscape_engine::parse_deck_text("2 Foo {u}").deck;
    let code = cardscape_engine::encode_share_code("em", &deck).unwrap();
    let decode = ["decode", code.as_str(), "--seed-data", folder.path().to_str().unwrap()];
    let (status, out, err) = run(&decode, b"");
    assert_eq!((status, out.as_str()), (0, "// game: em\n\n2 \"Foo\" {u}\n"), "{err}");
}

#[test]
fn a_share_code_is_not_converted_as_one_of_another_game() {
    let deck = cardscape_engine::parse_deck_text("2 Silk (port) 2").deck;
    let code = cardscape_engine::encode_share_code("harbour", &deck).unwrap();
    let (status, out, err) =
        run(&["convert", "-", "--to", "own", "--game", "ttcg"], code.as_bytes());
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("a share code of the game harbour, not of ttcg"), "{err}");
}

/// Lists and share codes come from others: the game that they name must not lead out of the folder with the games.
#[test]
fn a_list_leads_to_no_folder_elsewhere() {
    let to_own = ["convert", "-", "--to", "own", "--seed-data", "tests/data"];
    let elsewhere = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/games/harbour");
    for game in [elsewhere, "../games/harbour", "harbour/."] {
        let list = format!("// game: {game}\n2 Silk\n");
        let deck = cardscape_engine::parse_deck_text("2 Silk (port) 2").deck;
        let code = cardscape_engine::encode_share_code(game, &deck).unwrap();
        for text in [list, code] {
            let (status, out, err) = run(&to_own, text.as_bytes());
            assert_eq!((status, out.as_str()), (2, ""), "{text}");
            assert!(err.contains("there is no game ") && err.contains("in tests/data"), "{err}");
        }
    }
    let (status, _, err) = run(&to_own, "// game: \u{1b}[2J\n2 Silk\n".as_bytes());
    assert_eq!((status, err.contains('\u{1b}')), (2, false), "{err}");
}

#[test]
fn the_limits_of_the_service_apply() {
    let to_plain = [&["convert", "-", "--to", "plain"], &HARBOUR[..]].concat();
    let (code, out, err) = run(&to_plain, b"0 Salt\n99999 Silk\n2 Anchor\n");
    assert_eq!((code, out.as_str()), (1, "2 Anchor\n"));
    let refused = "refused: quantity must be 1 to 10000";
    assert_eq!(err, format!("-:1: \"0 Salt\" {refused}\n-:2: \"99999 Silk\" {refused}\n"));

    let picture = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR";
    let (code, out, err) = run(&to_plain, picture);
    assert_eq!((code, out.trim()), (1, ""));
    assert!(err.contains("this is no text"), "{err}");
}

#[test]
fn lines_that_only_look_like_headings_are_reported() {
    let list = b"2 Salt\n-- 2 Silk\n[Anchor]\nSpecials:\nShips:\n1 Brig\n";
    let (code, out, err) = run(&[&["convert", "-", "--to", "plain"], &HARBOUR[..]].concat(), list);
    assert_eq!((code, out.as_str()), (0, "2 Salt\n2 Silk\n1 Anchor\n1 Brig\n"));
    assert!(err.contains("-:4: \"Specials:\" ignored: a heading\n"), "{err}");
    assert!(!err.contains("\"2 Salt\"") && !err.contains("\"-- 2 Silk\""), "{err}");
}

#[test]
fn a_format_names_the_game() {
    let of =
        |arguments: &[&str]| run(&[arguments, &["--seed-data", "tests/data"]].concat(), b"2 Silk");
    let game = of(&["encode", "-", "--game", "harbour"]);
    assert_eq!(game.0, 0, "{}", game.2);
    assert_eq!(of(&["encode", "-", "--format", "harbour/trade"]), game);
    let list = b"// format: ttcg/standard\n2 Silk";
    let other = ["encode", "-", "--seed-data", "tests/data", "--format", "harbour/trade"];
    assert_eq!(run(&other, list), game, "the option counts");
    let arena = of(&["convert", "-", "--to", "arena", "--format", "harbour/trade"]);
    assert!(arena.1.starts_with("Deck\n2 Silk"), "{}", arena.1);

    let (code, out, err) = of(&["encode", "-", "--format", "harbour/trades"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("harbour/trades"), "{err}");
    let (code, _, err) = of(&["encode", "-", "--format", "habour/trade"]);
    assert_eq!(code, 2);
    assert!(err.contains("there is no game habour"), "{err}");
    for wrong in [&["--format", "harbour"][..], &["--format", "harbour/trade", "--game", "harbour"]]
    {
        assert_eq!(of(&[&["encode", "-"][..], wrong].concat()).0, 2, "{wrong:?}");
    }
}

/// The examples of docs/DECK_TEXT.md.
#[test]
fn the_examples_of_the_guide_work() {
    let list = concat!(env!("CARGO_TARGET_TMPDIR"), "/examples-of-the-guide.txt");
    std::fs::write(list, "2 Kettle Imp\n").unwrap();
    let guide = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/DECK_TEXT.md"));
    let guide = guide.unwrap();
    let examples = guide.lines().filter_map(|line| line.strip_prefix("cardscape deck "));
    let mut ran = 0;
    for example in examples {
        let words = example.split(' ').map(|word| if word == "deck.txt" { list } else { word });
        let (code, out, err) = run(&words.collect::<Vec<_>>(), b"");
        assert_eq!(code, 0, "{example}: {err}");
        assert!(!out.is_empty(), "{example}");
        ran += 1;
    }
    assert_eq!(ran, 2);
}

#[test]
fn the_game_must_be_known() {
    let (code, out, err) = run(&["encode", "-", "--seed-data", "tests/data"], b"4 Salt");
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("--game"), "{err}");
    let arguments = ["encode", "-", "--seed-data", "tests/data", "--game", "habour"];
    let (code, _, err) = run(&arguments, b"4 Salt");
    assert_eq!(code, 2);
    assert!(err.contains("there is no game habour"), "{err}");
}
