//! `cardscape effects`: the reference cases, the examples of the specification, and errors.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use super::{environment, program};

/// A temporary folder of one test, deleted afterwards.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    /// A folder with these files; their parent folders are created.
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = Self::new();
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    /// The paths of all files, including hidden ones.
    fn files(&self) -> BTreeSet<String> {
        files_below(self.0.path())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program();
        command.arg("effects").args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        Ran::from(self.command(arguments).output().unwrap())
    }

    /// Runs a command that must succeed, and returns its standard output.
    fn done(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        ran.stdout
    }

    /// Runs a command that must fail, with one line on standard error, which is returned, nothing on standard output, and no
    /// file created or removed.
    fn fails(&self, arguments: &[&str], code: i32) -> String {
        let before = self.files();
        let ran = self.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (code, ""), "{arguments:?}: {}", ran.stderr);
        let errors: Vec<&str> =
            ran.stderr.lines().filter(|line| !line.contains(" warning: ")).collect();
        assert_eq!(errors.len(), 1, "{}", ran.stderr);
        assert_eq!(self.files(), before);
        errors[0].to_owned()
    }
}

fn files_below(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found
}

struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Arguments that replace the default configuration files by empty ones.
const NO_RULES: [&str; 4] = ["-c", "/dev/null", "-r", "/dev/null"];

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

// --- The reference cases ---------------------------------------------------------------------------------------------

fn play(case: &Path) {
    let name = case.file_name().unwrap().to_string_lossy().into_owned();
    let expected_run: Value =
        serde_json::from_str(&fs::read_to_string(case.join("case.json")).unwrap()).unwrap();
    let folder = Folder::new();
    let mut kept = BTreeSet::new();
    if case.join("in").is_dir() {
        kept = files_below(&case.join("in"));
        for file in &kept {
            folder.write(file, fs::read(case.join("in").join(file)).unwrap());
        }
    }
    let arguments =
        expected_run["args"].as_array().unwrap().iter().map(|one| one.as_str().unwrap());
    let arguments: Vec<&str> =
        [expected_run["tool"].as_str().unwrap()].into_iter().chain(arguments).collect();
    let ran = folder.run(&arguments);
    assert_eq!(
        i64::from(ran.code),
        expected_run["exit"].as_i64().unwrap(),
        "{name}: {}",
        ran.stderr
    );
    if let Some(expected) = expected_run["lines"].as_array() {
        let printed = lines(&ran.stdout);
        let (total, sentences) = printed.split_last().unwrap();
        let expected: Vec<&str> = expected.iter().map(|line| line.as_str().unwrap()).collect();
        let filled: Vec<&str> = sentences.iter().copied().filter(|line| !line.is_empty()).collect();
        assert_eq!(filled, expected, "{name}");
        assert_eq!(*total, format!("Total combinations: {}", expected_run["total"]), "{name}");
        assert_eq!(sentences.len() as u64, expected_run["total"].as_u64().unwrap(), "{name}");
    }
    if let Some(warnings) = expected_run["warnings"].as_u64() {
        assert_eq!(
            ran.stderr.matches("there is no ").count() as u64,
            warnings,
            "{name}: {}",
            ran.stderr
        );
    }
    if ran.code != 0 {
        assert!(ran.stdout.is_empty() && !ran.stderr.is_empty(), "{name}");
    }
    if case.join("expected").is_dir() {
        for file in files_below(&case.join("expected")) {
            let expected = fs::read_to_string(case.join("expected").join(&file)).unwrap();
            assert_eq!(folder.read(&file), expected, "{name}: {file}");
            kept.insert(file);
        }
    }
    assert_eq!(folder.files(), kept, "{name}");
}

#[test]
fn all_reference_cases() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/effect-cases");
    let mut played = 0;
    for entry in fs::read_dir(cases).unwrap() {
        let case = entry.unwrap().path();
        if case.join("case.json").is_file() {
            play(&case);
            played += 1;
        }
    }
    assert!(played >= 20, "{played}");
}

// --- The examples of the specification -------------------------------------------------------------------------------

#[test]
fn the_example_of_combine() {
    let folder = Folder::with(&[
        ("placeholders/number.txt", "1\n2\n3\n"),
        ("placeholders/combinations_to_remove.txt", "# Exclude invalid draw\nDraw 1\n"),
        ("placeholders/phrase_replacements.txt", "two card: two cards\n"),
    ]);
    let printed = folder.done(&["combine", "-s", "Draw <number> card", "-t"]);
    assert_eq!(printed, "Draw 2 card\nDraw 3 card\nTotal combinations: 2\n");
}

#[test]
fn the_examples_of_tag() {
    let folder = Folder::with(&[
        ("placeholders/number.txt", "1\n2\n3\n"),
        ("effects.txt", "Draw 2 cards\nGain 5 life\nDraw 1 creature\n"),
        ("effects.csv", "EFFECTNAME;HasDraw\nDraw two cards;False\nGain life;False\n"),
    ]);
    folder.done(&[
        "tag",
        "-i",
        "effects.txt",
        "-o",
        "output.csv",
        "-c",
        "HasDraw",
        "-t",
        "Draw <number>",
    ]);
    let expected =
        "EFFECTNAME;HasDraw\r\nDraw 2 cards;True\r\nGain 5 life;False\r\nDraw 1 creature;True\r\n";
    assert_eq!(folder.read("output.csv"), expected);
    folder.done(&[
        "tag",
        "-i",
        "effects.csv",
        "-o",
        "updated.csv",
        "-c",
        "HasDraw",
        "-e",
        "Draw two",
    ]);
    let expected = "EFFECTNAME;HasDraw\r\nDraw two cards;True\r\nGain life;False\r\n";
    assert_eq!(folder.read("updated.csv"), expected);
}

#[test]
fn the_example_of_sort() {
    let folder = Folder::with(&[(
        "effects.txt",
        "Draw 2 cards\nGain 5 life\nDraw 1 creature\n\nAdd 3 points\n",
    )]);
    folder.done(&["sort", "-i", "effects.txt", "-o", "sorted_effects.txt"]);
    let expected = "Add 3 points\nDraw 1 creature\nDraw 2 cards\nGain 5 life\n";
    assert_eq!(folder.read("sorted_effects.txt"), expected);
    folder.write("mixed.txt", "\u{feff}b\r\n\r\n c\ra\r\r\n\nd");
    assert_eq!(folder.done(&["sort", "-i", "mixed.txt", "-o", "-"]), "a\nb\nc\nd\n");
}

// --- Flags and defaults ----------------------------------------------------------------------------------------------

/// The folders and files that the examples of the specification use.
fn workshop() -> Folder {
    Folder::with(&[
        (
            "effects/all_effect_templates.txt",
            "Draw <number> cards.\nGain <number+10> life, then <act>.\n\nRest.\n",
        ),
        ("placeholders/number.txt", "1\n2\n3\n"),
        ("placeholders/act.txt", "draw <number>\nrest\n"),
        ("placeholders/combinations_to_remove.txt", "Draw 3\n"),
        ("placeholders/phrase_replacements.txt", "1 cards: 1 card\n"),
        (
            "effects/categories.toml",
            "[[category]]\ncolumn = \"draws\"\ntext = [\"raw <number>\"]\n\n[[category]]\ncolumn = \"draws first\"\n\
             exact = [\"Draw\"]\nwhen = \"draws\"\n\n[[category]]\ncolumn = \"rests\"\nexact = [\"Rest\", \"rest\"]\n",
        ),
    ])
}

const ALL: [&str; 15] = [
    "Draw 1 card.",
    "Draw 2 cards.",
    "Gain 11 life, then draw 1.",
    "Gain 11 life, then draw 2.",
    "Gain 11 life, then draw 3.",
    "Gain 11 life, then rest.",
    "Gain 12 life, then draw 1.",
    "Gain 12 life, then draw 2.",
    "Gain 12 life, then draw 3.",
    "Gain 12 life, then rest.",
    "Gain 13 life, then draw 1.",
    "Gain 13 life, then draw 2.",
    "Gain 13 life, then draw 3.",
    "Gain 13 life, then rest.",
    "Rest.",
];

#[test]
fn the_defaults_are_the_documents_folders() {
    let folder = workshop();
    let ran = folder.run(&["combine", "-f"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert_eq!(
        ran.stderr,
        "effects/all_effects.txt: 15 effects from 16 combinations: 0 duplicates, 1 removed\n"
    );
    assert_eq!(lines(&folder.read("effects/all_effects.txt")), ALL);
    // The file is overwritten, not appended to; `-d` means the same file.
    folder.done(&["combine", "--file", "--quiet"]);
    assert_eq!(lines(&folder.read("effects/all_effects.txt")), ALL);
    folder.write("effects/all_effects.txt", "b\nb\na\n");
    folder.done(&["combine", "-d"]);
    assert_eq!(folder.read("effects/all_effects.txt"), "b\na\n");
    folder.done(&["combine", "-d", "-s", "handled", "-f", "before"]);

    folder.done(&["generate", "-q"]);
    let table = folder.read("effects/effects_with_placeholders.csv");
    assert_eq!(
        lines(&table)[..2],
        ["EFFECTNAME;draws;draws first;rests", "Draw 1 card.;True;True;False"]
    );
    folder.done(&["tag", "-c", "gains", "-t", "Gain <number+10> life"]);
    folder.done(&["tag", "-c", "both", "-t", "Gain", "-m", "rests"]);
    let table = folder.read("effects/effects_with_placeholders.csv");
    assert_eq!(lines(&table)[0], "EFFECTNAME;draws;draws first;rests;gains;both");
    assert_eq!(lines(&table)[3], "Gain 11 life, then draw 1.;True;False;False;True;False");
    assert_eq!(lines(&table)[6], "Gain 11 life, then rest.;False;False;True;True;True");
    assert_eq!(lines(&table)[15], "Rest.;False;False;True;False;False");

    folder.write("input.txt", "b\na\n");
    folder.done(&["sort"]);
    assert_eq!(folder.read("output.txt"), "a\nb\n");
}

#[test]
fn long_names_with_underscores_and_with_hyphens() {
    let folder = workshop();
    for hyphen in ["_", "-"] {
        let long = |name: &str| format!("--{}", name.replace('_', hyphen));
        let printed = folder.done(&[
            "combine",
            "--sentence",
            "Draw <number> cards.",
            &long("placeholder_dir"),
            "placeholders",
            &long("combinations_to_remove"),
            "placeholders/combinations_to_remove.txt",
            &long("replacements_file"),
            "placeholders/phrase_replacements.txt",
            &long("output_file"),
            "unused.txt",
            &long("test_mode"),
        ]);
        assert_eq!(printed, "Draw 1 card.\nDraw 2 cards.\nTotal combinations: 2\n");
    }
    assert!(!folder.files().contains("unused.txt"));
}

#[test]
fn sentences_and_patterns_may_begin_with_a_hyphen() {
    let folder = workshop();
    let printed = folder.done(&["combine", "-s", "-<number> rank", "-t"]);
    assert_eq!(lines(&printed)[..2], ["-1 rank", "-2 rank"]);
    folder.write("effects.txt", "-1 rank\n1 rank\n");
    for flag in ["-t", "--text", "-e", "--exact"] {
        let tagged =
            folder.done(&["tag", "-i", "effects.txt", "-o", "-", "-c", "worse", flag, "-1 rank"]);
        assert_eq!(lines(&tagged), ["EFFECTNAME;worse", "-1 rank;True", "1 rank;False"]);
    }
    // `-f` has an optional value; a flag after it is not read as this value.
    assert_eq!(lines(&folder.done(&["combine", "-f", "-t"]))[..15], ALL);
}

#[test]
fn wrong_usage_exits_with_2() {
    let folder = workshop();
    for wrong in [
        &[][..],
        &["combine"],
        &["combine", "-t"],
        &["combine", "-s", "a", "-f"],
        &["combine", "-s", "a\nb", "-t"],
        &["combine", "-s", "a", "-x"],
        &["combine", "-f", "--memory", "12K"],
        &["combine", "-f", "--sample", "3", "--limit", "3"],
        &["combine", "-f", "--seed", "3"],
        &["tag", "-t", "a"],
        &["tag", "-c", "A"],
        &["tag", "-c", "A", "-t", "a", "-e", "a"],
        &["tag", "-c", "A", "-t", ""],
        &["generate", "-o", "-", "--json"],
        &["generate", "-f", "-", "-k", "-", "-o", "-"],
        &["generate", "-f", "-", "-r", "-"],
        &["combine", "-f", "-", "-c", "-", "-o", "-"],
        &["combine", "-s", "a", "-c", "-", "-r", "-", "-t"],
        &["sort", "more"],
    ] {
        let before = folder.files();
        let ran = folder.run(wrong);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{wrong:?}");
        assert!(!ran.stderr.is_empty());
        assert_eq!(folder.files(), before);
    }
    let error = folder.fails(&["generate", "-f", "-", "-k", "-", "-o", "-"], 2);
    assert!(error.contains("only one input can be standard input"), "{error}");
    // What is not read does not count.
    for counting in [
        ["combine", "--count", "-f", "-", "-r", "-"],
        ["generate", "--count", "-f", "-", "-k", "-"],
    ] {
        assert_eq!(folder.run(&counting).code, 0, "{counting:?}");
    }
    folder.write("effects.txt", "a\n");
    let error = folder.fails(&["tag", "-i", "effects.txt", "-c", "EFFECTNAME", "-t", "a"], 2);
    assert!(error.contains("EFFECTNAME is the column of the effects"), "{error}");
}

#[test]
fn standard_input_and_output() {
    let folder = workshop();
    assert_eq!(lines(&folder.done(&["combine", "-f", "-q", "-o", "-"])), ALL);
    let table = folder.done(&["generate", "-q", "-o", "-"]);
    assert_eq!(lines(&table).len(), 16);
    let mut command = folder.command(&["sort", "-i", "-", "-o", "-"]);
    command
        .stdin(fs::File::open(folder.0.path().join("effects/all_effect_templates.txt")).unwrap());
    let sorted = Ran::from(command.output().unwrap());
    assert_eq!(lines(&sorted.stdout)[2], "Rest.");
}

// --- Limits and samples ----------------------------------------------------------------------------------------------

#[test]
fn counts_limits_and_draws() {
    let folder = workshop();
    let counted = folder.done(&["combine", "-f", "--count"]);
    assert_eq!(
        lines(&counted),
        [
            "3\tDraw <number> cards.",
            "12\tGain <number+10> life, then <act>.",
            "1\tRest.",
            "Total combinations before duplicates and phrase rules: 16",
        ]
    );
    let counted: Value =
        serde_json::from_str(&folder.done(&["generate", "--count", "--json"])).unwrap();
    assert_eq!(
        (&counted["combinations"], &counted["templates"][1]["combinations"]),
        (&16.into(), &12.into())
    );
    let limited = folder.done(&["combine", "-f", "--limit", "5", "-t"]);
    assert_eq!(lines(&limited)[..4], ALL[..4]);
    let unsorted = folder.done(&["combine", "-f", "--unsorted", "--limit", "4", "-q", "-o", "-"]);
    assert_eq!(lines(&unsorted), ALL[..3]);
    let draw = |seed: &str| folder.done(&["combine", "-f", "--sample", "6", "--seed", seed, "-t"]);
    assert_eq!(draw("1"), draw("1"));
    assert_ne!(draw("1"), draw("2"));
    let drawn = draw("1");
    assert!(lines(&drawn).iter().rev().skip(1).all(|line| ALL.contains(line)));
    let all = folder.done(&["combine", "-f", "--sample", "99", "-t"]);
    assert_eq!(lines(&all)[..15], ALL);
}

/// Draws are kept in memory, so more than the memory limit allows are refused.
#[test]
fn samples_that_exceed_the_memory_limit_are_refused() {
    let folder = Folder::new();
    let arguments = endless(&folder);
    for draws in ["1048577", "18446744073709551615"] {
        let sample = ["-o", "out.txt", "--sample", draws];
        let error = folder.fails(&[&arguments[..], &sample, &NO_RULES].concat(), 2);
        let expected = format!("--sample {draws} does not fit into --memory: it needs ");
        assert!(error.contains(&expected), "{error}");
    }
    let least = ["-t", "--sample", "16384", "--memory", "1M"];
    let drawn = folder.done(&[&arguments[..], &least, &NO_RULES].concat());
    assert_eq!(lines(&drawn).len(), 16_385);
    // A sample larger than the number of combinations contains all of them.
    let folder = workshop();
    let all = folder.done(&["combine", "-f", "--sample", "18446744073709551615", "-t"]);
    assert_eq!(lines(&all)[..15], ALL);
}

/// 10⁴⁰ combinations can be counted and listed from the beginning without generating all of them. A sample of so many is refused.
#[test]
fn ten_to_the_40_combinations_can_be_counted_and_limited() {
    let folder = Folder::new();
    for name in 0..40 {
        folder.write(&format!("placeholders/n{name}.txt"), "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    }
    let template: String = (0..40).map(|name| format!("<n{name}>")).collect();
    let of = |arguments: &[&str]| {
        let begin = ["combine", "-s", template.as_str()];
        folder.done(&[&begin[..], &NO_RULES, arguments].concat())
    };
    assert!(of(&["--count"]).starts_with("more than 2^128\t"));
    assert_eq!(lines(&of(&["-t", "--limit", "2"]))[1], format!("{:040}", 1));
    let drawn = folder.fails(
        &[&["combine", "-s", template.as_str(), "-t", "--sample", "3"][..], &NO_RULES].concat(),
        1,
    );
    assert!(drawn.contains("too many combinations to draw from"), "{drawn}");
}

/// 60,000 sentences, a third of them twice, are sorted with temporary files of 1 MiB.
#[test]
fn sorting_with_temporary_files_gives_the_same_result() {
    let folder = Folder::new();
    let numbers: String = (0..20_000).rev().map(|n| format!("{n}\n")).collect();
    folder.write("placeholders/n.txt", &numbers);
    folder.write("placeholders/m.txt", "<n>\n<n>\nmany <n>\n");
    let long = "and so on ".repeat(12);
    let sentence = format!("{long}<m> times one red cards");
    let of = |memory: &str, file: &str| {
        let begin = ["combine", "-s", &sentence, "-o", file, "--memory", memory];
        let ran = folder.run(&[&begin[..], &NO_RULES].concat());
        assert_eq!(
            ran.stderr,
            format!("{file}: 40000 effects from 60000 combinations: 20000 duplicates, 0 removed\n")
        );
        folder.read(file)
    };
    let (small, large) = (of("1M", "small.txt"), of("256M", "large.txt"));
    assert_eq!(small, large);
    assert!(small.ends_with("times one red card\n"));
    let mut expected = lines(&small);
    expected.sort_unstable();
    assert_eq!(lines(&small), expected);
    // Without sorting, duplicates that do not fit into the memory are not removed, and a message says so.
    let begin = ["combine", "-s", &sentence, "-o", "unsorted.txt", "--unsorted", "--memory", "1M"];
    let ran = folder.run(&[&begin[..], &NO_RULES].concat());
    assert!(
        ran.stderr.contains("warning: the sentences do not fit into --memory: duplicates stay"),
        "{}",
        ran.stderr
    );
    assert_eq!(lines(&folder.read("unsorted.txt")).len(), 60_000);
    let shuffled: String =
        lines(&large).iter().rev().map(|line| format!(" {line}\r\n\n")).collect();
    folder.write("input.txt", shuffled);
    folder.done(&["sort", "--memory", "1M"]);
    assert_eq!(folder.read("output.txt"), large);
    assert_eq!(folder.files().len(), 7, "no temporary file is left: {:?}", folder.files());
}

// --- generate --------------------------------------------------------------------------------------------------------

#[test]
fn generate_writes_the_same_table_every_time() {
    let folder = workshop();
    let summary: Value = serde_json::from_str(&folder.done(&["generate", "--json"])).unwrap();
    let table = folder.read("effects/effects_with_placeholders.csv");
    assert!(table.ends_with("\r\nRest.;False;False;True\r\n"));
    assert_eq!(table.matches("\r\n").count(), 16);
    for (key, expected) in
        [("combinations", 16), ("expanded", 16), ("results", 15), ("removed", 1), ("duplicates", 0)]
    {
        assert_eq!(summary[key], expected, "{key}");
    }
    let columns: Vec<(&str, u64)> = summary["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| (column["column"].as_str().unwrap(), column["effects"].as_u64().unwrap()))
        .collect();
    assert_eq!(columns, [("draws", 11), ("draws first", 2), ("rests", 4)]);
    folder.done(&["generate", "-o", "again.csv", "--memory", "1M"]);
    assert_eq!(folder.read("again.csv"), table);
}

#[test]
fn faults_of_categories_are_reported_with_their_line() {
    let folder = workshop();
    for (text, expected) in [
        (
            "[[category]]\ncolumn = \"a\"\n",
            "k.toml:2: a category needs `text`, `exact` or `template`",
        ),
        (
            "[[category]]\ncolumn = \"a\"\ntemplate = []\n",
            "k.toml:2: a category needs `text`, `exact` or `template`",
        ),
        (
            "[[category]]\ncolumn = \"a\"\ntemplate = [\n\"x\",\n\"Take <a b>\"]",
            "k.toml:5: \"Take <a b>\": column 6: <a b> is no placeholder",
        ),
        (
            "[[category]]\ncolumn = \"a\"\nexact = [\"x\"]\ntemplate = [\" \"]",
            "k.toml:4: an empty template makes no effect",
        ),
        (
            "[[category]]\ncolumn = \"a\"\ntemplate = [\"\"\"x\ny\"\"\"]",
            "k.toml:3: \"x\\ny\" is no single line",
        ),
        (
            "\n[[category]]\ncolumn = \"\"\nexact = [\"x\"]",
            "k.toml:3: a column needs a name of its own",
        ),
        (
            "[[category]]\ncolumn = \"a\"\nexact = [\n\"x\",\n\"\"]",
            "k.toml:5: every effect contains an empty phrase",
        ),
        (
            "[[category]]\ncolumn = \"a\"\nexact = [\"x\"]\nwhen = \"b\"",
            "k.toml:4: `when` names b, which is no column before",
        ),
        (
            "[[category]]\ncolumn = \"a\"\ntext = [\"<a b>\"]",
            "k.toml:3: \"<a b>\": column 1: <a b> is no placeholder",
        ),
        ("[[category]]\ncolumn = \"a\"\nexakt = [\"x\"]", "k.toml:3: unknown field `exakt`"),
        ("[[category]\n", "k.toml:1: "),
    ] {
        folder.write("k.toml", text);
        let error = folder.fails(&["generate", "-k", "k.toml"], 1);
        assert!(error.contains(expected), "{error}");
    }
    folder.write("k.toml", "[[category]]\ncolumn = \"a\"\ntemplate = [\"Draw <odd>\"]");
    folder.write("placeholders/odd.txt", "1\n<a b>\n");
    let error = folder.fails(&["generate", "-k", "k.toml"], 1);
    assert!(error.contains("placeholders/odd.txt:2: column 1: <a b> is no placeholder"), "{error}");
    let error = folder.fails(&["generate", "-k", "none.toml"], 1);
    assert!(error.contains("cannot read none.toml: No such file"), "{error}");
}

/// One column may have several categories, each with its own condition.
#[test]
fn several_categories_can_fill_one_column() {
    let folder = workshop();
    folder.write(
        "effects/categories.toml",
        "[[category]]\ncolumn = \"a\"\nexact = [\"Draw 1\"]\n[[category]]\ncolumn = \"b\"\nexact = [\".\"]\nwhen = \"a\"\n\
         [[category]]\ncolumn = \"a\"\nexact = [\"Rest\"]\n",
    );
    let table = folder.done(&["generate", "-q", "-o", "-"]);
    assert_eq!(
        lines(&table)[..3],
        ["EFFECTNAME;a;b", "Draw 1 card.;True;True", "Draw 2 cards.;False;False"]
    );
    assert_eq!(lines(&table)[15], "Rest.;True;False");
}

/// For each effect of the table, the first letters of the columns that are True.
fn marks(table: &str) -> BTreeMap<String, String> {
    let mut rows = table.lines().map(|line| line.split(';').collect::<Vec<_>>());
    let columns = rows.next().unwrap();
    rows.map(|row| {
        let marked = columns.iter().zip(&row).filter(|(_, field)| **field == "True");
        let letters = marked.map(|(column, _)| column.chars().next().unwrap()).collect();
        (row[0].to_owned(), letters)
    })
    .collect()
}

/// Sentences of TTCG that columns once lacked or had by mistake.
#[test]
fn ttcg_has_its_sentences_in_the_right_columns() {
    // A sentence, columns in which it is True, columns in which it is False.
    let cases: [(&str, &[&str], &[&str]); 11] = [
        (
            "Discard an Earth card to draw two cards.",
            &["cost", "cost_of_cards", "discard"],
            &["cost_of_itself"],
        ),
        (
            "When a card effect activates, discard an Earth card to draw two cards.",
            &["cost", "cost_of_cards", "discard"],
            &["cost_of_itself"],
        ),
        (
            "When a card effect activates, discard one spell to counter that effect.",
            &["cost", "cost_of_cards", "spell"],
            &["cost_of_points"],
        ),
        (
            "Search your deck for one rank 1 spell, reveal it and add it to your hand.",
            &["spell", "rank_1"],
            &["unit", "rank_range"],
        ),
        (
            "Search your deck for one rank 2 or lower spell, reveal it and add it to your hand.",
            &["spell", "rank_2", "rank_range"],
            &["unit"],
        ),
        (
            "Destroy another of your Air units to destroy one enemy unit of the same or lower rank.",
            &["rank_range", "own_side", "enemy_side"],
            &["rank"],
        ),
        ("When this card attacks, tap the attacked unit.", &["enemy_side"], &["own_side"]),
        (
            "When this card is destroyed in battle, tap the unit that attacked it.",
            &["enemy_side"],
            &["own_side"],
        ),
        (
            "When another of your Air units is destroyed, return that unit to your hand.",
            &["own_side"],
            &["enemy_side"],
        ),
        (
            "If you control another Air unit, destroy one rank 1 spell on the field.",
            &["both_sides"],
            &["enemy_side", "rank_range"],
        ),
        (
            "Equip this card to one of your Ghost or Undead units to make it gain 50 defense.",
            &["own_side", "two_subtypes"],
            &["both_sides"],
        ),
    ];
    let sentences: String = cases.iter().flat_map(|(sentence, ..)| [*sentence, "\n"]).collect();
    let folder = Folder::with(&[("sentences.txt", sentences.as_str())]);
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/seed-data/games/ttcg");
    let categories = format!("{shipped}/effects/categories.toml");
    let placeholders = format!("{shipped}/placeholders");
    let files = ["-f", "sentences.txt", "-k", &categories, "-p", &placeholders];
    let table = folder.done(&[&["generate", "-q", "-o", "-"][..], &files, &NO_RULES].concat());
    let mut rows = table.lines().map(|line| line.split(';').collect::<Vec<_>>());
    let columns = rows.next().unwrap();
    let rows: BTreeMap<&str, Vec<&str>> = rows.map(|row| (row[0], row)).collect();
    for (sentence, yes, no) in cases {
        for (expected, named) in [("True", yes), ("False", no)] {
            for name in named {
                let column = columns.iter().position(|column| column == name).unwrap();
                assert_eq!(rows[sentence][column], expected, "{sentence}: {name}");
            }
        }
    }
}

/// A category by template matches only if the template generates the whole effect, including removals, replacements and
/// grammar fixes; it is not enough that the effect contains it.
#[test]
fn categories_by_template() {
    let folder = workshop();
    folder.write(
        "effects/all_effect_templates.txt",
        "Draw <number> cards.\nGain <number+10> life, then <act>.\nRest.\nDiscard one <colour> cards.\n",
    );
    folder.write("placeholders/colour.txt", "red\nblue\n");
    folder.write("placeholders/verb.txt", "Draw\nGain\n");
    folder.write(
        "effects/categories.toml",
        r#"
[[category]]
column = "draws"                        # what a replacement has changed is found; part of an effect is not
template = ["Draw <number> cards."]
[[category]]
column = "begins"
template = ["Draw <number>", "Gain", "Draw 1 cards", "raw 1 card."]
[[category]]
column = "gains and rests"
template = ["Gain <number+10> life, then rest."]
[[category]]
column = "verbs"                        # not from the file of templates
template = ["<verb> <number> cards.", " <verb> <number+10> life, then draw <number>. "]
[[category]]
column = "verbs"                        # more for the same column, with a template of another
exact = ["Rest."]
template = ["Draw <number> cards."]
[[category]]
column = "when gained"                  # only of those that a column before has
template = ["Gain <number+10> life, then <act>."]
when = "gains and rests"
[[category]]
column = "mended"
template = ["Discard one <colour> card."]
[[category]]
column = "plural"
template = ["Discard one <colour> cards."]
"#,
    );
    let ran = folder.run(&["generate", "-o", "-"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        ran.stderr,
        "-: 17 effects from 18 combinations: 0 duplicates, 1 removed; 7 columns\n"
    );
    let expected = |effect: &str| match effect {
        "Rest." => "v",
        "Draw 1 card." | "Draw 2 cards." => "dv",
        _ if effect.ends_with("life, then rest.") => "gw",
        _ if effect.starts_with("Gain ") => "v",
        _ => "mp",
    };
    let marked = marks(&ran.stdout);
    assert_eq!(marked.len(), 17);
    for (effect, letters) in &marked {
        assert_eq!(letters, expected(effect), "{effect}");
    }
    assert!(marked.contains_key("Discard one red card."));

    // Categories use the phrase rules of the run: without grammar fixes, the singular template generates none of the effects.
    let table = folder.done(&["generate", "-q", "-o", "-", "--no_grammar_fixes"]);
    assert_eq!(marks(&table)["Discard one red cards."], "p");
    // Without removals and replacements, other combinations match.
    let table = folder.done(&[&["generate", "-q", "-o", "-"][..], &NO_RULES].concat());
    assert_eq!((&*marks(&table)["Draw 1 cards."], &*marks(&table)["Draw 3 cards."]), ("dv", "dv"));
    // The result does not depend on the order of the effects.
    let sorted = folder.done(&["generate", "-q", "-o", "-"]);
    let unsorted = folder.done(&["generate", "-q", "-o", "-", "--unsorted"]);
    assert_eq!(marks(&unsorted), marks(&sorted));
}

/// A template with too many combinations for an index is searched instead, with the same result.
#[test]
fn templates_beyond_the_memory_are_searched() {
    let folder = workshop();
    folder.write("placeholders/digit.txt", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    folder.write("placeholders/even.txt", "0\n2\n4\n6\n8\n");
    folder.write("effects/all_effect_templates.txt", "Dial <digit>-<digit+10>-<digit+20>.\n");
    // 100,000 combinations: more than fit into an index of half a MiB.
    folder.write(
        "effects/categories.toml",
        "[[category]]\ncolumn = \"any\"\ntemplate = [\"Dial <digit>-1<even>-<digit+20>.<gap>\", \"Dial <digit>-<number>\"]\n\
         [[category]]\ncolumn = \"low\"\ntemplate = [\"Dial 1-1<digit>-2<number>.\"]\n",
    );
    let gaps: String = (0..200).map(|number| format!("gap {number}\n")).collect();
    folder.write("placeholders/gap.txt", format!("<nothing>\n{gaps}"));
    folder.write("placeholders/nothing.txt", "filler\n");
    folder.write("placeholders/phrase_replacements.txt", ".filler: .\n");
    let few = folder.done(&["generate", "-q", "-o", "-", "--memory", "1M"]);
    let many = folder.done(&["generate", "-q", "-o", "-"]);
    assert_eq!(few, many);
    let marked = marks(&few);
    assert_eq!(marked.len(), 1_000);
    assert_eq!(marked.values().filter(|letters| letters.contains('a')).count(), 500);
    assert_eq!(marked.values().filter(|letters| letters.contains('l')).count(), 30);
    assert_eq!(marked["Dial 1-14-23."], "al");
}

/// If a search is given up, a column may be wrong: one warning gives the number of affected effects.
#[test]
fn abandoned_searches_cause_a_warning() {
    let folder = Folder::new();
    let names: Vec<String> = (0..30).map(|at| format!("n{at}")).collect();
    for name in &names {
        folder.write(&format!("placeholders/{name}.txt"), "a\naa\naaa\n");
    }
    let places: String = names.iter().map(|name| format!("<{name}>")).collect();
    let (long, longer) = ("a".repeat(60), "a".repeat(61));
    folder.write("effects/all_effect_templates.txt", format!("{long}\n{longer}\nRest.\n"));
    let categories = format!(
        "[[category]]\ncolumn = \"linked\"\ntemplate = [\"{places}-<n0>\"]\nexact = [\"{longer}\"]\n\
         [[category]]\ncolumn = \"free\"\ntemplate = [\"{places}\", \"{places}-<n0>\"]\n"
    );
    folder.write("effects/categories.toml", &categories);
    let ran = folder.run(&[&["generate", "-q", "-o", "-"][..], &NO_RULES].concat());
    assert_eq!(ran.code, 0);
    assert_eq!(
        lines(&ran.stderr),
        [
            "cardscape: warning: effects that may lack a True, because the search for their template was too long: 1"
        ]
    );
    let marked = marks(&ran.stdout);
    assert_eq!((&*marked[&long], &*marked[&longer], &*marked["Rest."]), ("f", "lf", ""));

    // Effects for which another category makes the column True are not affected.
    let more = format!("{categories}[[category]]\ncolumn = \"linked\"\nexact = [\"{long}\"]\n");
    folder.write("effects/categories.toml", more);
    let ran = folder.run(&[&["generate", "-q", "-o", "-"][..], &NO_RULES].concat());
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
}

// --- tag -------------------------------------------------------------------------------------------------------------

#[test]
fn unusual_tables_are_read_or_refused_with_a_reason() {
    let folder = Folder::with(&[
        ("odd.csv", "\u{feff}NAME;Kind\r\na cat\r\n\r\nb;True\r\n\"c \"\"cat\"\"\";True;more\r\n"),
        ("long.csv", "NAME;Kind\na;b\nc;d;e\n"),
        ("empty.csv", ""),
    ]);
    // Without a column EFFECTNAME, the first one is used. A row may be shorter or longer than the header.
    folder.done(&["tag", "-i", "odd.csv", "-o", "out.csv", "-c", "Kind", "-t", "cat"]);
    assert_eq!(
        folder.read("out.csv"),
        "NAME;Kind\r\na cat;True\r\nb;True\r\n\"c \"\"cat\"\"\";True;more\r\n"
    );
    folder
        .done(&["tag", "-i", "odd.csv", "-o", "out.csv", "-c", "Kind", "-t", "cat", "-m", "Kind"]);
    assert_eq!(lines(&folder.read("out.csv"))[1], "a cat");
    let error =
        folder.fails(&["tag", "-i", "long.csv", "-o", "out.csv", "-c", "New", "-t", "a"], 1);
    assert!(error.ends_with("long.csv:3: the row has 3 fields, the header 2"), "{error}");
    let error = folder
        .fails(&["tag", "-i", "long.csv", "-o", "out.csv", "-c", "New", "-t", "a", "-m", "No"], 1);
    assert!(error.ends_with("long.csv has no column No"), "{error}");
    let error =
        folder.fails(&["tag", "-i", "empty.csv", "-o", "out.csv", "-c", "New", "-t", "a"], 1);
    assert!(error.ends_with("empty.csv has no header"), "{error}");
}

#[test]
fn a_row_that_is_too_long_is_reported_with_its_line() {
    let folder = Folder::new();
    for (table, line) in [
        ("EFFECTNAME;A\nx;y\nx;y;z\n", 3),
        ("EFFECTNAME;A\r\nx;y\r\nx;y;z\r\n", 3),
        ("\u{feff}EFFECTNAME;A\rx;y\rx;y;z\r", 3),
        ("EFFECTNAME;A\r\n\r\nx;y\r\n\r\nx;y;z\r\n", 5),
        ("EFFECTNAME;A\r\n\"x\r\nx\";y\r\nx;y;z\r\n", 4),
    ] {
        folder.write("long.csv", table);
        let error =
            folder.fails(&["tag", "-i", "long.csv", "-o", "out.csv", "-c", "X", "-t", "a"], 1);
        let expected = format!("long.csv:{line}: the row has 3 fields, the header 2");
        assert!(error.ends_with(&expected), "{table:?}: {error}");
    }
}

// --- Bad input -------------------------------------------------------------------------------------------------------

#[test]
fn bad_input_is_reported_with_file_and_line() {
    let folder = workshop();
    folder.write("effects/all_effects.txt", "old\n");
    folder.write("bad.txt", b"fine\r\nDraw <number> \xff\n");
    folder.write("cr.txt", b"a\rb\r\xff\r");
    folder.write("wrong.txt", "fine\n\n  Draw <a number> <b+>\n<>\n<+>\n");
    folder.write("bad/number.txt", "1\n<two words>\n");
    folder.write("worse/number.txt", b"1\n\xc3\n");
    let fails = |arguments: &[&str], expected: &str| {
        let error = folder.fails(arguments, 1);
        assert!(error.contains(expected), "{error}");
        assert_eq!(folder.read("effects/all_effects.txt"), "old\n");
    };
    fails(&["combine", "-f", "none.txt"], "cannot read none.txt: No such file");
    fails(&["combine", "-f", "effects"], "cannot read effects: Is a directory");
    fails(&["combine", "-f", "bad.txt"], "bad.txt:2: this is not UTF-8 text");
    fails(&["combine", "-f", "cr.txt"], "cr.txt:3: this is not UTF-8 text");
    fails(&["combine", "-f", "wrong.txt"], "wrong.txt:3: column 8: <a number> is no placeholder");
    fails(&["combine", "-f", "wrong.txt"], "(and another line that cannot be read)");
    fails(&["combine", "-s", "Draw <a+>", "-t"], "the sentence: column 6: <a+> is no placeholder");
    fails(
        &["combine", "-f", "-p", "bad"],
        "bad/number.txt:2: column 1: <two words> is no placeholder",
    );
    fails(&["combine", "-f", "-p", "worse"], "worse/number.txt:2: this is not UTF-8 text");
    fails(&["combine", "-f", "-c", "bad.txt"], "bad.txt:2: this is not UTF-8 text");
    fails(&["combine", "-f", "-c", "placeholders"], "cannot read placeholders: Is a directory");
    fails(&["combine", "-d", "none.txt"], "cannot read none.txt: No such file");
    fails(&["sort", "-i", "bad.txt"], "bad.txt:2: this is not UTF-8 text");
    fails(&["sort", "-i", "cr.txt"], "cr.txt:3: this is not UTF-8 text");
    fails(&["sort", "-i", "effects"], "cannot read effects: ");
    fails(&["tag", "-i", "bad.txt", "-c", "A", "-t", "a"], "bad.txt:2: this is not UTF-8 text");
    fails(&["tag", "-i", "cr.txt", "-c", "A", "-t", "a"], "cr.txt:3: this is not UTF-8 text");
    fails(
        &["tag", "-i", "effects/all_effects.txt", "-c", "A", "-t", "<a b>"],
        "the pattern: column 1: <a b> is no",
    );
}

#[test]
fn placeholders_that_stay_as_text_cause_a_warning() {
    let folder = Folder::with(&[("placeholders/a.txt", "<a>\n1\n")]);
    let ran = folder.run(&[&["combine", "-s", "<a> <gone+1>", "-t"][..], &NO_RULES].concat());
    assert_eq!(lines(&ran.stdout), ["1 <gone>", "<a> <gone>", "Total combinations: 2"]);
    assert_eq!(
        lines(&ran.stderr),
        [
            "cardscape: warning: <gone> stays as text: no values in placeholders/gone.txt",
            "cardscape: warning: <a> stays as text where its values lead back to it",
        ]
    );
    let ran = folder.run(&[&["combine", "-s", "<a>", "-t", "-p", "none"][..], &NO_RULES].concat());
    assert_eq!((ran.code, lines(&ran.stdout)[0]), (0, "<a>"));
    assert_eq!(
        lines(&ran.stderr),
        ["cardscape: warning: there is no directory none; placeholders stay as text"]
    );
}

// --- Output files ----------------------------------------------------------------------------------------------------

#[test]
fn the_output_file_keeps_its_mode_and_links_stay_links() {
    let folder = workshop();
    folder.write("kept/real.txt", "old\n");
    let real = folder.0.path().join("kept/real.txt");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("kept/real.txt", folder.0.path().join("near.txt")).unwrap();
    symlink("near.txt", folder.0.path().join("far.txt")).unwrap();
    symlink("kept/new.txt", folder.0.path().join("dangling.txt")).unwrap();
    for link in ["far.txt", "dangling.txt"] {
        folder.done(&["combine", "-f", "-q", "-o", link]);
        assert!(fs::symlink_metadata(folder.0.path().join(link)).unwrap().is_symlink());
    }
    assert_eq!(lines(&folder.read("kept/real.txt")), ALL);
    assert_eq!(lines(&folder.read("kept/new.txt")), ALL);
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o7777, 0o640);
    symlink("circle.txt", folder.0.path().join("circle.txt")).unwrap();
    let before = folder.run(&["combine", "-f", "-o", "circle.txt"]);
    assert_eq!((before.code, lines(&before.stderr).len()), (70, 1), "{}", before.stderr);
}

#[test]
fn outputs_that_cannot_be_written_are_left_alone() {
    let folder = workshop();
    folder.write("locked.txt", "old\n");
    fs::set_permissions(folder.0.path().join("locked.txt"), fs::Permissions::from_mode(0o444))
        .unwrap();
    for (output, expected) in [
        ("locked.txt", "cannot write locked.txt: it is read-only"),
        ("effects", "cannot write effects: it is a directory"),
        ("none/out.txt", "cannot write none/out.txt: there is no directory none"),
        ("/dev/full", "cannot write /dev/full: No space left on device"),
    ] {
        for tool in [&["combine", "-f", "-o", output][..], &["generate", "-o", output]] {
            let error = folder.fails(tool, 70);
            assert!(error.contains(expected), "{error}");
        }
        folder.write("input.txt", "b\na\n");
        assert!(folder.fails(&["sort", "-o", output], 70).contains(expected));
    }
    assert_eq!(folder.read("locked.txt"), "old\n");
    // Writing to standard output can fail, too.
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ran = Ran::from(folder.command(&["combine", "-f", "-t"]).stdout(full).output().unwrap());
    assert_eq!(ran.code, 70);
    assert!(
        ran.stderr.contains("cannot write standard output: No space left on device"),
        "{}",
        ran.stderr
    );
}

/// An output path may be an open file descriptor without a path of its own, such as `/dev/stdout`.
#[test]
fn standard_output_and_pipes_by_their_paths() {
    let folder = workshop();
    let printed = folder.done(&["combine", "-f", "-q", "-o", "/dev/stdout"]);
    assert_eq!(lines(&printed), ALL);
    symlink("/dev/stdout", folder.0.path().join("link.txt")).unwrap();
    assert_eq!(lines(&folder.done(&["combine", "-f", "-q", "-o", "link.txt"])), ALL);
    let mut shell = environment::command("sh");
    let script =
        "mkfifo pipe && { cat pipe > read.txt & } && \"$0\" effects combine -f -q -o pipe && wait";
    shell.args(["-c", script, env!("CARGO_BIN_EXE_cardscape")]).current_dir(folder.0.path());
    assert!(shell.status().unwrap().success());
    assert_eq!(lines(&folder.read("read.txt")), ALL);
}

/// Temporary files of a killed process with the same process id do not prevent a run.
#[test]
fn leftover_files_block_nothing() {
    let folder = workshop();
    let script = "echo old > .out.txt.$$.tmp; echo old > .out.txt.$$.1.tmp; exec \"$0\" effects combine -f -q -o out.txt";
    let mut shell = environment::command("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_cardscape")]).current_dir(folder.0.path());
    assert!(shell.status().unwrap().success());
    assert_eq!(lines(&folder.read("out.txt")), ALL);
    let left: Vec<String> =
        folder.files().into_iter().filter(|name| name.starts_with(".out.txt.")).collect();
    assert!(left.len() == 2 && left.iter().all(|name| folder.read(name) == "old\n"), "{left:?}");
}

/// Templates with so many combinations that a run does not end during a test.
fn endless(folder: &Folder) -> [&'static str; 4] {
    for name in 0..12 {
        folder.write(&format!("placeholders/n{name}.txt"), "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    }
    let template = "<n0><n1><n2><n3><n4><n5><n6><n7><n8><n9><n10><n11>";
    ["combine", "-s", template, "--unsorted"]
}

#[test]
fn a_reader_that_closes_the_pipe_early_is_no_error() {
    let folder = Folder::new();
    let arguments = endless(&folder);
    let mut child = folder
        .command(&[&arguments[..], &["-o", "-", "-q"], &NO_RULES].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 26];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    assert_eq!(&first, b"000000000000\n000000000001\n");
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 0);
    assert_eq!(
        lines(&ran.stderr),
        ["cardscape: warning: the sentences do not fit into --memory: duplicates stay"]
    );
}

/// If the system supports files without names (`O_TMPFILE`), no temporary file remains, however the program ends.
#[test]
fn an_interrupted_run_leaves_no_file() {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    let folder = Folder::new();
    if openat(CWD, folder.0.path(), OFlags::TMPFILE | OFlags::WRONLY, Mode::from_raw_mode(0o600))
        .is_err()
    {
        return;
    }
    let arguments = endless(&folder);
    folder.write("out.txt", "old\n");
    let before = folder.files();
    for signal in ["-INT", "-TERM", "-KILL"] {
        // A shell script lets its background processes ignore INT, and child processes inherit this setting.
        let command =
            folder.command(&[&arguments[..], &["-o", "out.txt", "-q"], &NO_RULES].concat());
        let mut child = environment::command("env")
            .arg("--default-signal=INT")
            .arg(command.get_program())
            .args(command.get_args())
            .current_dir(folder.0.path())
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let began = Instant::now();
        let written = || -> u64 {
            let counters =
                fs::read_to_string(format!("/proc/{}/io", child.id())).unwrap_or_default();
            let count = counters.lines().find_map(|line| line.strip_prefix("wchar: "));
            count.map_or(0, |count| count.parse().unwrap())
        };
        while written() < 1 << 20 {
            assert!(began.elapsed() < Duration::from_mins(1));
            std::thread::sleep(Duration::from_millis(2));
        }
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        assert!(!child.wait().unwrap().success());
        assert_eq!((folder.files(), folder.read("out.txt").as_str()), (before.clone(), "old\n"));
    }
}
