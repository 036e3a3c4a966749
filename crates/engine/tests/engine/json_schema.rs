//! The published JSON Schemas and what the engine reads agree.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use crate::support::schema::{
    self, Mutation, Table, complaints, keyword, mutated, pointers, tables, validator,
};
use crate::support::{self, HARBOUR, all_games, files};
use cardscape_engine::{
    Game, MANIFEST_SCHEMA, ManifestError, SetDefinition, SetParseError, check_set, set_file_schema,
};
use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

static SCHEMA: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(MANIFEST_SCHEMA).unwrap());
static MANIFESTS: LazyLock<Validator> = LazyLock::new(|| validator(&SCHEMA));

/// The shipped games and the invented one.
fn games() -> impl Iterator<Item = String> {
    all_games().into_iter().chain([HARBOUR.to_owned()])
}

/// A manifest's text as data.
fn manifest(code: &str) -> Value {
    as_data(&support::manifest(code))
}

fn as_data(text: &str) -> Value {
    let table: toml::Table = toml::from_str(text).unwrap();
    serde_json::to_value(table).unwrap()
}

fn read(manifest: &Value) -> Result<Game, ManifestError> {
    Game::from_toml(&toml::to_string(&manifest).unwrap())
}

/// The value after several changes; changes that are not possible at their place are left out.
fn after(base: &Value, changes: &[(Index, Mutation)]) -> Value {
    changes.iter().fold(base.clone(), |value, (at, mutation)| {
        let places = pointers(&value);
        if places.is_empty() {
            return value;
        }
        let place: &String = at.get(&places);
        mutated(&value, place, mutation).unwrap_or(value)
    })
}

#[test]
fn every_manifest_and_every_set_fits_its_schema() {
    let any_set = validator(&set_file_schema());
    for code in games() {
        let manifest = manifest(&code);
        assert!(MANIFESTS.is_valid(&manifest), "{code}: {}", complaints(&MANIFESTS, &manifest));
        let sets = validator(&read(&manifest).unwrap().set_schema());
        for (file, text) in files(&code, "sets") {
            let set: Value = serde_json::from_str(&text).unwrap();
            assert!(sets.is_valid(&set), "{code}/{file}: {}", complaints(&sets, &set));
            assert!(any_set.is_valid(&set), "{code}/{file}: {}", complaints(&any_set, &set));
        }
    }
}

#[test]
fn the_shipped_schema_of_set_files_is_the_one_of_the_engine() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("schema/set-file.schema.json");
    let schema = set_file_schema();
    if std::env::var_os("CARDSCAPE_UPDATE").is_some() {
        fs::write(&file, format!("{schema:#}\n")).unwrap();
    }
    let shipped: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(shipped, schema, "CARDSCAPE_UPDATE=1 writes it");
}

// --- Manifests -------------------------------------------------------------------------------------------------------

/// The manifests of the page for administrators, which use every key that there is (`games_page.rs` sees to it), and of
/// the shipped games.
static CORPUS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let page = support::page::manifests().into_iter().map(|text| as_data(&text));
    games().map(|code| manifest(&code)).chain(page).collect()
});

/// Every different table of the corpus, with a manifest that has it.
fn different_tables() -> impl Iterator<Item = (&'static Value, Table<'static>)> {
    let mut seen = BTreeSet::new();
    CORPUS
        .iter()
        .flat_map(|base| tables(&SCHEMA, base).into_iter().map(move |table| (base, table)))
        .filter(move |(base, table)| {
            let here = base.pointer(&table.pointer).unwrap();
            let inner = table.pointer.matches('/').count() > 0;
            !inner || seen.insert(format!("{} {here}", table.schema["title"]))
        })
}

/// Faults that depend on other parts of the manifest, or on the calendar: no schema can see them.
const BEYOND_SCHEMAS: [&str; 18] = [
    "must have one share for each",
    "there is no ",
    "no kind has an attribute",
    "this kind has no ",
    "is taken by another",
    "already means another rarity",
    "is above max",
    "two variants have",
    "exactly one variant must be the default",
    "two versions of",
    "is in the list twice",
    "is not after ",
    "no kind has an integer attribute",
    "means every card",
    "is none of the options",
    "must be the option of the default variant",
    "rarities are listed from the lowest",
    "a day in quotes",
];

/// A schema that refuses more than the reader would reject good manifests; one that refuses less would be useless.
fn agree_on_manifest(manifest: &Value, what: &dyn std::fmt::Debug) {
    let fits = MANIFESTS.is_valid(manifest);
    match read(manifest) {
        Ok(_) => assert!(fits, "{what:?}: read, but refused\n{}", complaints(&MANIFESTS, manifest)),
        Err(error) => {
            let structural = error
                .faults
                .iter()
                .find(|fault| BEYOND_SCHEMAS.iter().all(|known| !fault.problem.contains(known)));
            if let Some(fault) = structural {
                assert!(!fits, "{what:?}: fits the schema, but {fault}");
            }
        }
    }
}

fn manifest_mutations() -> Vec<Mutation> {
    let values = json!([
        true, 0, 1, -1, 5_000_000_000_i64, 1.5, "", " ", "x", "X_Y", "Not a code", "2026-11-01", "2026-13-01", "main", "integer",
        "choices", [], ["x"], [1], ["x", "x"], [[]], [{}], {}, { "x": 1 }, { "min": 1 }, { "present": true },
        { "present": 1 }, { "min": "x" }, { "x": {} },
    ]);
    let values = values.as_array().unwrap();
    let replace = values.iter().cloned().map(Mutation::Replace);
    [
        Mutation::Remove,
        Mutation::Repeat,
        Mutation::Insert("kins", json!([])),
        Mutation::Insert("max", json!(2)),
    ]
    .into_iter()
    .chain(replace)
    .collect()
}

/// The schema has the limits of new manifests, and the reader also reads stored ones.
#[test]
fn the_schema_refuses_codes_of_formats_that_new_manifests_may_not_have() {
    let mut manifest = manifest("ttcg");
    manifest["formats"][0]["variants"] = json!([{ "code": "all", "name": "All", "default": true }]);
    for pointer in ["/formats/0/code", "/formats/0/variants/0/code"] {
        for (length, fits) in [(32, true), (33, false)] {
            let code = Mutation::Replace(json!("f".repeat(length)));
            let changed = mutated(&manifest, pointer, &code).unwrap();
            assert_eq!(MANIFESTS.is_valid(&changed), fits, "{pointer}: {length}");
        }
    }
}

/// The manifest without its formats, and with each of them alone: small manifests are read faster.
fn parts(manifest: Value) -> Vec<Value> {
    let formats = manifest["formats"].as_array().unwrap().iter().map(|format| json!([format]));
    let of_formats: Vec<Value> = [json!([])].into_iter().chain(formats).collect();
    let with = |formats| {
        let mut part = manifest.clone();
        part["formats"] = formats;
        part
    };
    of_formats.into_iter().map(with).collect()
}

/// Every single change of the page's manifests; of places that differ only in their index, only the first.
#[test]
fn reader_and_schema_agree_on_every_change_of_a_manifest() {
    let mut seen = 0;
    let mut places = BTreeSet::new();
    for base in support::page::manifests().iter().flat_map(|text| parts(as_data(text))) {
        for pointer in pointers(&base) {
            if !places.insert(pointer.replace(|character: char| character.is_ascii_digit(), "")) {
                continue;
            }
            for mutation in manifest_mutations() {
                if let Some(changed) = mutated(&base, &pointer, &mutation) {
                    agree_on_manifest(&changed, &(&pointer, &mutation));
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 4000, "{seen}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reader_and_schema_agree_on_several_changes_of_any_manifest(
        base in any::<Index>(),
        changes in proptest::collection::vec((any::<Index>(), select(manifest_mutations())), 1..4),
    ) {
        let base = base.get(&CORPUS);
        agree_on_manifest(&after(base, &changes), &changes);
    }
}

/// Words that could be keys: all that the reader's source has in quotes, all keys of the schema, and one that is not a key.
fn words() -> BTreeSet<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/manifest");
    let mut words: BTreeSet<String> = ["nonsense".to_owned()].into();
    for file in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        let is_word = |word: &&str| {
            !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
        };
        words.extend(text.split('"').filter(is_word).map(str::to_owned));
    }
    words.extend(
        schema::all_keys(&SCHEMA).iter().map(|key| key.split_once('.').unwrap().1.to_owned()),
    );
    assert!(words.contains("zone_size") && words.contains("lowest"), "{words:?}");
    words
}

/// In every table of every manifest, the reader knows a key exactly when the schema does.
#[test]
fn reader_and_schema_know_the_same_keys() {
    let words = words();
    let mut checked = 0;
    for (base, table) in different_tables() {
        let here = base.pointer(&table.pointer).unwrap().as_object().unwrap();
        // "exactly" hides "min" and "max", so it is tried alone.
        let absent = |word: &&String| !here.contains_key(*word);
        let batches = [
            words.iter().filter(|word| *word != "exactly").filter(absent).collect(),
            words.iter().filter(|word| *word == "exactly").filter(absent).collect::<Vec<_>>(),
        ];
        for batch in batches {
            let mut changed = base.clone();
            let members = changed.pointer_mut(&table.pointer).unwrap().as_object_mut().unwrap();
            // No key takes a fraction.
            members.extend(batch.iter().map(|word| ((*word).clone(), json!(0.5))));
            let unknown_to_schema = unknown_keys(&changed, &table.pointer);
            let Err(error) = read(&changed) else {
                assert!(batch.is_empty(), "{}", table.place);
                continue;
            };
            for word in batch {
                let place = if table.place.is_empty() {
                    word.clone()
                } else {
                    format!("{}.{word}", table.place)
                };
                let unknown = error.faults.iter().any(|fault| {
                    fault.place == place && fault.problem.starts_with("is not known here")
                });
                assert_eq!(
                    unknown,
                    unknown_to_schema.contains(word),
                    "{place}: unknown to the reader: {unknown}"
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 5_000, "{checked}");
}

/// The keys of the table at `pointer` that the schema does not know.
fn unknown_keys(manifest: &Value, pointer: &str) -> BTreeSet<String> {
    let mut unknown = BTreeSet::new();
    for error in MANIFESTS.iter_errors(manifest) {
        let at = error.instance_path().as_str();
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } if at == pointer => {
                unknown.extend(unexpected.iter().cloned());
            }
            ValidationErrorKind::FalseSchema => {
                unknown.extend(
                    at.strip_prefix(pointer)
                        .and_then(|key| key.strip_prefix('/'))
                        .map(str::to_owned),
                );
            }
            _ => {}
        }
    }
    unknown
}

/// A missing key means its default.
#[test]
fn the_defaults_of_the_schema_are_those_of_the_reader() {
    let game = |manifest: &Value| read(manifest).map(|game| serde_json::to_value(game).unwrap());
    let mut seen = BTreeSet::new();
    let mut wanted = BTreeSet::new();
    for (base, table) in different_tables() {
        for (key, node) in table.schema["properties"].as_object().unwrap() {
            let Some(default) = keyword(&SCHEMA, node, "default") else { continue };
            let name = format!("{}: {key}", table.schema["title"]);
            wanted.insert(name.clone());
            let mut absent = base.clone();
            let members = absent.pointer_mut(&table.pointer).unwrap().as_object_mut().unwrap();
            members.remove(key);
            let mut written = absent.clone();
            written.pointer_mut(&table.pointer).unwrap()[key] = default.clone();
            // Another key may need this one, and a default may be for only one type of attribute.
            if let (Ok(absent), true) = (game(&absent), MANIFESTS.is_valid(&written)) {
                assert_eq!(game(&written), Ok(absent), "{}.{key} = {default}", table.place);
                seen.insert(name);
            }
        }
    }
    assert_eq!(seen, wanted);
    assert!(seen.len() > 40, "{}", seen.len());
}

// --- Set files -------------------------------------------------------------------------------------------------------

/// A small set of each game: up to two cards of each kind from each of its sets.
static SETS: LazyLock<Vec<(Game, Validator, Value)>> = LazyLock::new(|| {
    let small = |text: String| {
        let mut set: Value = serde_json::from_str(&text).unwrap();
        let mut taken: Vec<String> = Vec::new();
        set["cards"].as_array_mut().unwrap().retain(|card| {
            let kind = card["kind"].as_str().unwrap().to_owned();
            taken.push(kind.clone());
            taken.iter().filter(|known| **known == kind).count() <= 2
        });
        set
    };
    games()
        .flat_map(|code| {
            let game = read(&manifest(&code)).unwrap();
            files(&code, "sets")
                .into_iter()
                .map(move |(_, text)| (game.clone(), validator(&game.set_schema()), small(text)))
        })
        .collect()
});

static ANY_SET: LazyLock<Validator> = LazyLock::new(|| validator(&set_file_schema()));

fn read_set(set: &Value) -> Result<SetDefinition, SetParseError> {
    SetDefinition::from_json(&set.to_string())
}

fn agree_on_set(game: &Game, schema: &Validator, set: &Value, what: &dyn std::fmt::Debug) {
    let fits = schema.is_valid(set);
    if !ANY_SET.is_valid(set) {
        assert!(!fits, "{what:?}: only the general schema refuses\n{}", complaints(&ANY_SET, set));
    }
    let definition = match read_set(set) {
        Ok(definition) => definition,
        Err(error) => {
            assert!(!fits, "{what:?}: fits the schema, but {error}");
            assert!(!ANY_SET.is_valid(set), "{what:?}: fits the general schema, but {error}");
            return;
        }
    };
    let faults = check_set(game, &definition);
    if faults.is_empty() {
        assert!(fits, "{what:?}: sound, but refused\n{}", complaints(schema, set));
    }
    // Comparisons of one part of the file with another.
    let own: Vec<String> = game
        .kinds()
        .iter()
        .flat_map(|kind| &kind.checks)
        .filter_map(|check| check.code.as_ref().map(|code| code.as_str().to_owned()))
        .collect();
    let expressible = faults.iter().find(|fault| {
        let code = fault.violation.code.as_str();
        !own.iter().any(|own| own == code)
            && !matches!(
                code,
                "ATTRIBUTE_TOTAL_MISMATCH"
                    | "PRINTING_GAIN_MISMATCH"
                    | "PRINTING_BASE_MISMATCH"
                    | "NAME_DUPLICATE"
                    | "NUMBER_DUPLICATE"
            )
    });
    if let Some(fault) = expressible {
        assert!(
            !fits,
            "{what:?}: fits the schema, but {} {}",
            fault.pointer,
            fault.violation.message()
        );
    }
}

fn set_mutations() -> Vec<Mutation> {
    let values = json!([
        true, 0, 1, -1, 4, 1_000_000, 5_000_000_000_i64, 1.5, "", " ", "x", "Two Words", "Größe 🙂", "a/b", "\u{2003}", "two\nlines", "a\ttab",
        "2026-11-01", "2026-02-30", "common", "gilded", "unit", "spell", "ship", "post", "upgrade", "basicmoji", "megamoji",
        "passive", ["fire"], ["dragon"], [], [1], [[]], [{}], {}, { "x": 1 }, { "rarity": "common" },
        [{ "text": "Draw." }], [{ "text": "Draw.", "style": "arrival" }], [{ "text": "Draw.", "slot": "post" }],
        [{ "rarity": "standard" }], [{ "rarity": "plain" }, { "rarity": "plain" }],
        "x".repeat(16), "x".repeat(64), "x".repeat(65), "x".repeat(120), "x".repeat(121), "ü".repeat(2000), "ü".repeat(2001),
    ]);
    let replace = values.as_array().unwrap().iter().cloned().map(Mutation::Replace);
    [
        Mutation::Remove,
        Mutation::Repeat,
        Mutation::Insert("lore", json!("Old.")),
        Mutation::Insert("nonsense", json!(1)),
    ]
    .into_iter()
    .chain(replace)
    .collect()
}

/// Every single change of the invented game's sets.
#[test]
fn engine_and_schema_agree_on_every_change_of_a_set() {
    let mut seen = 0;
    for (game, schema, base) in SETS.iter().filter(|(game, ..)| game.code() == HARBOUR) {
        for pointer in pointers(base) {
            for mutation in set_mutations() {
                if let Some(changed) = mutated(base, &pointer, &mutation) {
                    agree_on_set(game, schema, &changed, &(&pointer, &mutation));
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 2000, "{seen}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn engine_and_schema_agree_on_several_changes_of_any_set(
        base in any::<Index>(),
        changes in proptest::collection::vec((any::<Index>(), select(set_mutations())), 1..4),
    ) {
        let (game, schema, base) = base.get(&SETS);
        agree_on_set(game, schema, &after(base, &changes), &changes);
    }
}

/// Conditions on effects, of every type that a manifest can have.
#[test]
fn the_effects_of_a_set_schema_follow_their_conditions() {
    let game = Game::from_toml(
        r#"
        code = "moods"
        name = "Moods"
        rules_version = "1"
        [[kinds]]
        code = "mood"
        name = "Mood"
        attributes.size = { type = "integer", optional = true }
        attributes.loud = { type = "boolean", optional = true }
        attributes.tags = { type = "choices", values = ["a", "b", "c"], optional = true }
        [[kinds.effects]]
        when = { names = ["Exception"] }
        exactly = 4
        [[kinds.effects]]
        when = { kinds = ["mood"], where = { size = { min = 3, max = 5 } }, not = { where = { loud = true } } }
        exactly = 1
        [[kinds.effects]]
        when = { any = [{ where = { tags = ["a", "b"] } }, { where = { loud = { present = false } } }] }
        slots = [{ slot = "left", min = 1, max = 2 }, { slot = "right" }]
        [[kinds.effects]]
        when = { any = [{ sets = ["elsewhere"] }, { released = { from = "2020-01-01" } }] }
        exactly = 3
        [[kinds.effects]]
        when = { where = { tags = { present = true } } }
        exactly = 1
        "#,
    )
    .unwrap();
    let schema = validator(&game.set_schema());
    let effect = |slot: Option<&str>| match slot {
        Some(slot) => json!({ "text": "Hm.", "slot": slot }),
        None => json!({ "text": "Hm." }),
    };
    let lists: Vec<Vec<Option<&str>>> = vec![
        vec![],
        vec![None],
        vec![None; 3],
        vec![None; 4],
        vec![Some("left")],
        vec![Some("left"); 2],
        vec![Some("left"); 3],
        vec![Some("left"), Some("right")],
        vec![Some("right"), Some("right"), Some("left")],
        vec![Some("up")],
    ];
    let mut sound = 0;
    for size in [None, Some(2), Some(3), Some(5), Some(6)] {
        for loud in [None, Some(false), Some(true)] {
            for tags in [json!(null), json!([]), json!(["b", "c"]), json!(["c"])] {
                for list in &lists {
                    let mut attributes = json!({ "size": size, "loud": loud, "tags": tags });
                    attributes.as_object_mut().unwrap().retain(|_, value| !value.is_null());
                    let effects: Vec<Value> = list.iter().map(|slot| effect(*slot)).collect();
                    let card = json!({ "number": "1", "name": "Mood", "kind": "mood", "attributes": attributes, "effects": effects });
                    let set = json!({ "code": "a", "name": "A", "cards": [card] });
                    let fits = schema.is_valid(&set);
                    let is_sound = check_set(&game, &read_set(&set).unwrap()).is_empty();
                    // The schema cannot decide whether the card has the name of the exception, so four effects may be right.
                    assert_eq!(fits, is_sound || *list == [None; 4], "{set}");
                    sound += usize::from(is_sound);
                }
            }
        }
    }
    assert!(sound > 20, "{sound}");
}

/// What the schema cannot express is said in its comment, for this game.
#[test]
fn the_comment_of_a_set_schema_demands_unique_names_only_where_the_game_does() {
    for (unique, expected) in
        [(true, "names in the game"), (false, "numbers are unique in the set;")]
    {
        let text = format!(
            "code = \"pond\"\nname = \"Pond\"\nrules_version = \"1\"\n[cards]\nunique_names = {unique}\n\
             [[kinds]]\ncode = \"fish\"\nname = \"Fish\"\n"
        );
        let schema = Game::from_toml(&text).unwrap().set_schema();
        let comment = schema["$comment"].as_str().unwrap();
        assert!(comment.contains(expected), "{comment}");
    }
}
