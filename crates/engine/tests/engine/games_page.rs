//! `docs/GAMES.md`: every example on it is run, every table and file on it is compared.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;

use crate::support::page::{Block, blocks, manifest_with};
use crate::support::schema::{self, keyword};
use crate::support::{self, HARBOUR, card, cards, game_dir};
use cardscape_engine::{
    Catalogue, Date, Deck, Game, MANIFEST_SCHEMA, Violation, check_card, parse_deck_text, validate,
};
use serde_json::Value;

fn schema_of_manifests() -> Value {
    serde_json::from_str(MANIFEST_SCHEMA).unwrap()
}

/// A violation in a list on the page: its code, the card, the numbers.
fn note(violation: &Violation) -> String {
    let mut note = violation.code.as_str().to_owned();
    if let Some(card) = violation.cards.first() {
        let _ = write!(note, " {}", card.name);
    }
    let numbers = [("limit", violation.limit), ("actual", violation.actual)];
    let numbers: Vec<String> = numbers
        .iter()
        .filter_map(|(name, number)| Some(format!("{name} {}", (*number)?)))
        .collect();
    if !numbers.is_empty() {
        let _ = write!(note, ": {}", numbers.join(", "));
    }
    note
}

/// Judges a list, or the deck above it, by the format in its comments, or else by the format of the example above it.
fn judge(game: &Game, list: &Block, deck: Option<Deck>) {
    let parsed = parse_deck_text(&list.text);
    assert_eq!(parsed.faults, [], "line {}", list.line);
    let wanted = parsed.notes.get("format").map_or("harbour/example", String::as_str);
    let (code, format) = wanted.split_once('/').unwrap();
    assert_eq!(code, game.code(), "line {}", list.line);
    let (format, variant) =
        format.split_once(':').map_or((format, None), |(format, variant)| (format, Some(variant)));
    let mut format = match parsed.notes.get("day") {
        Some(day) => game.format_on(format, day.parse::<Date>().unwrap()),
        None => game.format(format).cloned().map(Arc::new),
    }
    .unwrap_or_else(|| panic!("line {}: there is no format {wanted}", list.line));
    if let Some(variant) = variant {
        format = format.with_variant(variant).map(Arc::new).unwrap();
    }
    let catalogue = Catalogue::builder(game).extend(cards(HARBOUR)).build();
    let report = validate(deck.as_ref().unwrap_or(&parsed.deck), &catalogue, &format);
    let reported: Vec<String> = report.violations.iter().map(note).collect();
    let mut expected: Vec<&str> =
        list.text.lines().filter_map(|line| line.strip_prefix("# ")).collect();
    let mut sorted = reported.clone();
    sorted.sort();
    expected.sort_unstable();
    assert_eq!(sorted, expected, "line {} of the page; the report says {reported:#?}", list.line);
}

#[test]
fn every_example_is_what_the_page_says() {
    let mut game = None;
    let mut deck: Option<Deck> = None;
    let (mut manifests, mut lists, mut single_cards, mut sets) = (0, 0, 0, 0);
    for block in blocks() {
        match block.language.as_str() {
            "toml" => {
                let read = Game::from_toml(&manifest_with(&block.text));
                game = Some(read.unwrap_or_else(|error| panic!("line {}: {error}", block.line)));
                manifests += 1;
            }
            "json" => {
                let game = game.as_ref().unwrap();
                let value: Value = serde_json::from_str(&block.text).unwrap();
                if value.get("entries").is_some() {
                    deck = Some(serde_json::from_value(value).unwrap());
                } else if value.get("cards").is_some() {
                    let set = serde_json::from_value(value).unwrap();
                    assert_eq!(cardscape_engine::check_set(game, &set), [], "line {}", block.line);
                    sets += 1;
                } else {
                    assert_eq!(check_card(game, &card(value)), [], "line {}", block.line);
                    single_cards += 1;
                }
            }
            // Tests of the command line check the output of commands, and tests of the files check the sample deck.
            "text"
                if !block.text.contains("(rule ")
                    && !block.text.contains("// format: harbour/trade") =>
            {
                judge(game.as_ref().unwrap(), &block, deck.take());
                lists += 1;
            }
            "text" | "sh" | "" => {}
            other => panic!("line {}: what is {other:?}?", block.line),
        }
    }
    let counts = (manifests, lists, single_cards, sets);
    assert!(manifests >= 17 && lists >= 15 && single_cards >= 1 && sets == 2, "{counts:?}");
}

/// Every key that an administrator may write is shown at least once.
#[test]
fn every_key_has_an_example() {
    let schema = schema_of_manifests();
    let mut missing = schema::all_keys(&schema);
    for text in support::page::manifests() {
        let manifest: toml::Table = toml::from_str(&text).unwrap();
        for key in schema::used_keys(&schema, &serde_json::to_value(manifest).unwrap()) {
            missing.remove(&key);
        }
    }
    assert_eq!(missing, BTreeSet::new());
}

/// The sample game and the examples use the whole vocabulary of rules, and each rule has its heading.
#[test]
fn every_check_has_its_section() {
    let page = fs::read_to_string(support::page::path()).unwrap();
    let schema = schema_of_manifests();
    for choice in schema["$defs"]["rule"]["oneOf"].as_array().unwrap() {
        let check = choice["required"][0].as_str().unwrap();
        assert!(page.contains(&format!("\n### `{check}`\n\n<!-- keys {check} -->")), "{check}");
    }
}

/// The parts of the page between markers are equal to what they show.
#[test]
fn the_generated_parts_are_up_to_date() {
    let page = fs::read_to_string(support::page::path()).unwrap();
    let schema = schema_of_manifests();
    let (generated, kinds) = regenerate(&page, |kind, name| match kind {
        "keys" => Some(key_table(&schema, name)),
        "file" => Some(file(name)),
        _ => None,
    });
    assert!(kinds.contains("keys") && kinds.contains("file"), "{kinds:?}");
    if std::env::var_os("CARDSCAPE_UPDATE").is_some() {
        fs::write(support::page::path(), &generated).unwrap();
    } else {
        for (at, (here, there)) in page.lines().zip(generated.lines()).enumerate() {
            assert_eq!(here, there, "line {}; CARDSCAPE_UPDATE=1 writes the page", at + 1);
        }
        assert_eq!(page, generated, "CARDSCAPE_UPDATE=1 writes the page");
    }
}

/// The page with new text between `<!-- KIND NAME -->` and `<!-- /KIND -->`, and the kinds that occur.
fn regenerate(
    page: &str,
    write: impl Fn(&str, &str) -> Option<String>,
) -> (String, BTreeSet<String>) {
    let mut text = String::new();
    let mut kinds = BTreeSet::new();
    let mut until: Option<String> = None;
    for line in page.lines() {
        if let Some(end) = &until {
            if line != end {
                continue;
            }
            until = None;
        }
        text.push_str(line);
        text.push('\n');
        let marker = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
        if let Some((kind, name)) = marker.and_then(|marker| marker.split_once(' '))
            && let Some(content) = write(kind, name)
        {
            text.push_str(&content);
            kinds.insert(kind.to_owned());
            until = Some(format!("<!-- /{kind} -->"));
        }
    }
    assert_eq!(until, None, "a marker of the page never ends");
    (text, kinds)
}

fn file(name: &str) -> String {
    let path = game_dir(HARBOUR).join("../..").join(name);
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let language = match path.extension().unwrap().to_str().unwrap() {
        "txt" => "text",
        other => other,
    };
    format!("\n```{language}\n{text}```\n\n")
}

fn key_table(schema: &Value, name: &str) -> String {
    let node = if name == "game" { schema } else { &schema["$defs"][name] };
    let mut text = String::from("\n");
    if let Some(description) = node["description"].as_str().filter(|_| name != "game") {
        let _ = writeln!(text, "{description}\n");
    }
    let keys = node["properties"].as_object().unwrap_or_else(|| panic!("there is no table {name}"));
    if keys.is_empty() {
        return text + "It has no keys: write `{}`.\n\n";
    }
    let required = node["required"].as_array();
    let is_required =
        |key: &str| required.is_some_and(|required| required.iter().any(|one| one == key));
    let line = |key: &str| {
        let node = &keys[key];
        let description =
            keyword(schema, node, "description").map_or("", |text| text.as_str().unwrap());
        let default = match keyword(schema, node, "default") {
            Some(Value::String(text)) if text.is_empty() => String::new(),
            Some(Value::Array(_) | Value::Object(_)) | None => String::new(),
            Some(default) => format!("`{default}`"),
        };
        let default = if is_required(key) { "required".to_owned() } else { default };
        format!("| `{key}` | {} | {default} | {description} |\n", kind_of_value(schema, node))
    };
    text.push_str("| Key | Value | Default | Meaning |\n|---|---|---|---|\n");
    let order = key_order(name);
    assert_eq!(
        order.iter().map(String::as_str).collect::<BTreeSet<_>>(),
        keys.keys().map(String::as_str).collect()
    );
    text.extend(order.iter().map(|key| line(key)));
    text.push('\n');
    text
}

/// The keys of a table in the order of the schema's text, which its parsed form may lose.
fn key_order(name: &str) -> Vec<String> {
    let start = match name {
        "game" => "\n  \"properties\": {".to_owned(),
        name => format!("\n    \"{name}\": {{"),
    };
    let rest = MANIFEST_SCHEMA.split_once(&start).unwrap().1;
    let (properties, indent) = match name {
        "game" => (rest, "\n    \""),
        _ => (rest.split_once("\n      \"properties\": {").unwrap().1, "\n        \""),
    };
    let end = &indent[..indent.len() - 3];
    let properties = properties.split_once(&format!("{end}}}")).unwrap().0;
    properties
        .split(indent)
        .skip(1)
        .map(|line| line.split_once('"').unwrap().0.to_owned())
        .collect()
}

/// The type of values of a key, in a word or two.
fn kind_of_value(schema: &Value, node: &Value) -> String {
    if let Some(values) = node["enum"].as_array() {
        return values
            .iter()
            .map(|value| format!("`{}`", value.as_str().unwrap()))
            .collect::<Vec<_>>()
            .join(", ");
    }
    if let Some(reference) = node["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap();
        return match name {
            "code" | "line" | "count" | "day" | "selector" => name.to_owned(),
            "violation_code" => "code in capitals".to_owned(),
            "some_cards" => "selector".to_owned(),
            _ if schema["$defs"][name].get("properties").is_some() => "table".to_owned(),
            _ => kind_of_value(schema, &schema["$defs"][name]),
        };
    }
    match node["type"].as_str() {
        Some("array") => match resolved_title(schema, &node["items"]) {
            Some(_) => "list of tables".to_owned(),
            None if schema::resolve(schema, &node["items"])["type"] == "integer" => {
                "list of counts".to_owned()
            }
            None => "list of texts".to_owned(),
        },
        Some("object") => "table".to_owned(),
        Some("boolean") => "true or false".to_owned(),
        Some("string") => "text".to_owned(),
        Some("integer") => "integer".to_owned(),
        other => panic!("{other:?} in {node}"),
    }
}

fn resolved_title<'a>(schema: &'a Value, node: &'a Value) -> Option<&'a Value> {
    schema::resolve(schema, node).get("properties")
}
