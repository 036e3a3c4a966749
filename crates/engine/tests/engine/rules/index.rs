//! Checks that the index of rules, the tests that name them and the manifests that cite them agree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::support::{GAMES, manifest};

static INDEX: LazyLock<BTreeMap<String, Chapter>> =
    LazyLock::new(|| toml::from_str(include_str!("index.toml")).unwrap());

/// The rules of one game by topic.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Chapter {
    cards: BTreeMap<String, Entry>,
    decks: BTreeMap<String, Entry>,
    play: Vec<String>,
    #[serde(default)]
    collection: Vec<String>,
    #[serde(default)]
    table: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    says: String,
    by: String,
    #[serde(default)]
    codes: Vec<String>,
}

impl Chapter {
    /// The rules that the engine must check.
    fn entries(&self) -> impl Iterator<Item = (&String, &Entry)> {
        self.cards.iter().chain(&self.decks)
    }

    fn ids(&self) -> impl Iterator<Item = &String> {
        let others = self.play.iter().chain(&self.collection).chain(&self.table);
        self.entries().map(|(id, _)| id).chain(others)
    }
}

fn entries() -> impl Iterator<Item = (&'static String, &'static Entry)> {
    INDEX.values().flat_map(Chapter::entries)
}

fn ids() -> impl Iterator<Item = &'static String> {
    INDEX.values().flat_map(Chapter::ids)
}

/// A rule's number as the names of its tests begin: `T-2.2.1a` is `t_2_2_1a`.
fn slug(id: &str) -> String {
    id.replace(['-', '.'], "_").to_lowercase()
}

/// A number that belongs to some rule, known or not: a letter, a hyphen, perhaps A, I or T, and digits.
fn is_rule_number(word: &str) -> bool {
    let Some((game, rest)) = word.split_once('-') else { return false };
    matches!(game, "T" | "E" | "U" | "D" | "M" | "A")
        && rest
            .trim_start_matches(['A', 'I', 'T'])
            .starts_with(|first: char| first.is_ascii_digit())
}

/// Every rule by its [`slug`].
static SLUGS: LazyLock<Vec<(String, &'static str)>> =
    LazyLock::new(|| ids().map(|id| (slug(id), id.as_str())).collect());

/// The rules that the name of a test begins with, and what follows them.
fn named_rules(name: &str) -> (Vec<&'static str>, &str) {
    let mut rules = Vec::new();
    let mut rest = name;
    loop {
        let longest = SLUGS
            .iter()
            .filter_map(|(slug, id)| {
                let after = rest.strip_prefix(slug.as_str())?;
                (after.is_empty() || after.starts_with('_')).then_some((*id, after))
            })
            .min_by_key(|(_, after)| after.len());
        let Some((id, after)) = longest else { return (rules, rest) };
        rules.push(id);
        rest = after.strip_prefix('_').unwrap_or(after);
    }
}

/// Whether a test's name continues with a rule that the index does not have: `t_9_…`, `e_t99_…`, or a part of a known one.
fn goes_on_with_a_number(rest: &str) -> bool {
    let is_digit = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
    let number =
        ["t_", "e_", "u_", "d_", "m_", "a_"].iter().find_map(|game| rest.strip_prefix(game));
    is_digit(rest) || number.is_some_and(|rest| is_digit(rest.trim_start_matches(['a', 'i', 't'])))
}

struct Test {
    place: String,
    name: String,
    rules: Vec<&'static str>,
    /// What follows the rules in the name.
    rest: String,
    body: String,
}

/// Every test of the engine's test directory, from its sources.
fn tests() -> Vec<Test> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engine");
    let mut files = Vec::new();
    walk(&root, &mut files);
    files.sort();
    let mut tests = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let place = path.strip_prefix(&root).unwrap().display().to_string();
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.trim() == "#[test]") {
            let (head, body) =
                lines[at..].split_at(lines[at..].iter().position(|line| is_fn(line)).unwrap());
            let indent = &line[..line.len() - line.trim_start().len()];
            let end = body.iter().position(|line| *line == format!("{indent}}}")).unwrap();
            let name = body[0].trim().trim_start_matches("fn ").split(['(', '<']).next().unwrap();
            assert!(head.len() < 6, "{place}: no function after line {at}");
            let (rules, rest) = named_rules(name);
            tests.push(Test {
                place: place.clone(),
                name: name.to_owned(),
                rules,
                rest: rest.to_owned(),
                body: body[..end].join("\n"),
            });
        }
    }
    assert!(tests.len() > 100, "the sources were not read");
    tests
}

fn is_fn(line: &str) -> bool {
    line.trim_start().starts_with("fn ")
}

#[test]
fn every_rule_stands_in_the_index_once() {
    let games: Vec<&str> = INDEX.keys().map(String::as_str).collect();
    assert_eq!(games, GAMES);
    let mut seen = BTreeSet::new();
    for (game, chapter) in INDEX.iter() {
        for id in chapter.ids() {
            assert!(is_rule_number(id), "{game}: {id} is no number of a rule");
            assert!(seen.insert(slug(id)), "{game}: {id} stands in the index twice");
        }
    }
    assert!(seen.len() > 490, "{} rules", seen.len());
    for (id, entry) in entries() {
        let known = matches!(entry.by.as_str(), "data" | "engine" | "nothing");
        assert!(known || entries().any(|(other, _)| *other == entry.by), "{id}: by {:?}", entry.by);
        assert!(entry.by != *id && !entry.says.is_empty(), "{id}");
        assert!(entry.by != "nothing" || entry.codes.is_empty(), "{id}: nothing has no code");
    }
}

/// `T-2.2.1b` as the second of `T-2.2.1`, `T-2.2.1` as the first of `T-2.2.`, and so on up to the game.
fn steps(id: &str) -> impl Iterator<Item = (&str, u32)> {
    let mut rest = id;
    std::iter::from_fn(move || {
        rest = rest.trim_end_matches('.');
        let last = rest.chars().next_back()?;
        if last.is_ascii_lowercase() {
            rest = &rest[..rest.len() - 1];
            return Some((rest, u32::from(last) - u32::from('a') + 1));
        }
        let (stem, number) =
            rest.split_at(rest.trim_end_matches(|c: char| c.is_ascii_digit()).len());
        rest = stem;
        Some((stem, number.parse().ok()?))
    })
}

/// A rule that was forgotten leaves a gap in the numbers.
#[test]
fn the_numbers_of_rules_have_no_gaps() {
    let mut present: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for (stem, number) in ids().flat_map(|id| steps(id)) {
        present.entry(stem).or_default().insert(number);
    }
    let mut gaps = Vec::new();
    for (stem, number) in ids().filter_map(|id| steps(id).next()) {
        // A rulebook's first sections may have no rule at all.
        let first = if stem.ends_with('-') { present[stem].first().copied() } else { Some(1) };
        let first = first.unwrap_or(number);
        gaps.extend((first..number).filter(|at| !present[stem].contains(at)).map(|at| (stem, at)));
    }
    assert!(gaps.is_empty(), "{gaps:?}");
}

#[test]
fn every_rule_about_cards_and_decks_has_a_test() {
    let tests = tests();
    let mut missing = Vec::new();
    for (id, entry) in entries() {
        let own: Vec<&Test> =
            tests.iter().filter(|test| test.rules.contains(&id.as_str())).collect();
        if own.is_empty() {
            missing.push(format!("{id} has no test `fn {}_…`: {}", slug(id), entry.says));
            continue;
        }
        for code in &entry.codes {
            let names_it = |test: &&Test| {
                test.body.match_indices(code.as_str()).any(|(at, _)| {
                    !test.body[at + code.len()..]
                        .starts_with(|next: char| next == '_' || next.is_ascii_uppercase())
                })
            };
            if !own.iter().any(names_it) {
                missing.push(format!("no test of {id} names {code}"));
            }
        }
    }
    assert!(missing.is_empty(), "\n{}", missing.join("\n"));
}

#[test]
fn every_test_names_rules_that_exist() {
    let unknown: Vec<String> = tests()
        .iter()
        .filter(|test| goes_on_with_a_number(&test.rest))
        .map(|test| format!("{}: {} (known: {:?})", test.place, test.name, test.rules))
        .collect();
    assert!(unknown.is_empty(), "not in tests/engine/rules/index.toml:\n{}", unknown.join("\n"));
}

/// The numbers that a manifest cites, in its rules and in its texts and comments.
fn cited(game: &str) -> BTreeSet<String> {
    let text = manifest(game);
    text.split(|character: char| {
        !(character.is_ascii_alphanumeric() || character == '-' || character == '.')
    })
    .map(|word| word.trim_matches(['-', '.']))
    .filter(|word| is_rule_number(word))
    .map(str::to_owned)
    .collect()
}

/// The numbers of a manifest's own rules: every `rule = "…"`, wherever it is.
fn rule_keys(value: &toml::Value, found: &mut BTreeSet<String>) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                match value {
                    toml::Value::String(text) if key == "rule" => {
                        found.insert(text.clone());
                    }
                    other => rule_keys(other, found),
                }
            }
        }
        toml::Value::Array(items) => items.iter().for_each(|item| rule_keys(item, found)),
        _ => {}
    }
}

#[test]
fn manifests_cite_only_rules_of_their_game() {
    let mut unknown = Vec::new();
    for (game, chapter) in INDEX.iter() {
        let known: BTreeSet<&String> = chapter.ids().collect();
        let enforceable: BTreeSet<&String> = chapter.entries().map(|(id, _)| id).collect();
        let mut table: toml::Table = manifest(game).parse().unwrap();
        // Advice to designers may cite any rule of the game, because it enforces none.
        table.remove("design");
        let mut keys = BTreeSet::new();
        rule_keys(&toml::Value::Table(table), &mut keys);
        assert!(!keys.is_empty(), "{game}");
        unknown.extend(
            cited(game).iter().filter(|id| !known.contains(id)).map(|id| format!("{game}: {id}")),
        );
        let strange = keys.iter().filter(|id| !enforceable.contains(id));
        unknown.extend(strange.map(|id| format!("{game}: a rule with the number {id}")));
    }
    assert!(unknown.is_empty(), "not in tests/engine/rules/index.toml:\n{}", unknown.join("\n"));
}

#[test]
fn rules_enforced_by_data_are_cited_by_the_data() {
    let mut missing = Vec::new();
    for (game, chapter) in INDEX.iter() {
        let cited = cited(game);
        let by_data = chapter.entries().filter(|(_, entry)| entry.by == "data");
        missing.extend(
            by_data.filter(|(id, _)| !cited.contains(*id)).map(|(id, _)| format!("{game}: {id}")),
        );
    }
    assert!(missing.is_empty(), "no game.toml cites:\n{}", missing.join("\n"));
}

/// Whether a number is that of a decision: `T-A6`, and `A-1` in the Emoji TCG.
fn is_decision(id: &str) -> bool {
    let (game, rest) = id.split_once('-').unwrap();
    game == "A" || rest.starts_with('A')
}

/// The manifest has what the rulebook leaves open about cards and decks. It may also have questions about other rules.
#[test]
fn decisions_about_cards_and_decks_stand_in_the_manifests() {
    for (game, chapter) in INDEX.iter() {
        let read = crate::support::game(game);
        let of_decks = read.formats().iter().flat_map(|format| &format.decisions);
        let reported: BTreeSet<&str> = read
            .decisions()
            .iter()
            .chain(of_decks)
            .map(|one| one.rule.as_str())
            .filter(|id| is_decision(id))
            .collect();
        let open: BTreeSet<&str> =
            chapter.entries().map(|(id, _)| id.as_str()).filter(|id| is_decision(id)).collect();
        assert!(!open.is_empty(), "{game}");
        assert_eq!(reported, open, "{game}");
    }
}

#[test]
fn names_of_tests_are_read_as_they_should_be() {
    assert_eq!(named_rules("t_2_2_1a_t_t7_sizes"), (vec!["T-2.2.1a", "T-T7"], "sizes"));
    assert_eq!(named_rules("e_6_the_pool"), (vec!["E-6"], "the_pool"));
    assert_eq!(named_rules("e_6_2"), (vec!["E-6.2"], ""));
    assert_eq!(named_rules("no_deck_panics"), (vec![], "no_deck_panics"));
    for unknown in ["t_9_9", "e_t99_x", "u_a1b_x", "a_21_x", "2_x"] {
        let (rules, rest) = named_rules(unknown);
        assert!(rules.is_empty() && goes_on_with_a_number(rest), "{unknown}");
    }
    assert!(goes_on_with_a_number(named_rules("e_6_9_x").1), "no part of E-6 has this number");
    assert!(!goes_on_with_a_number(named_rules("t_2_2_1d_a_lore_card").1));
    assert!(!goes_on_with_a_number("a_tale_of_2_cities"));
}
