//! Text for the changes of a card.

use cardscape_engine::Game;
use serde_json::{Map, Value};

use super::values::{kind_name, label, rarity_name, text};
use crate::web::words::{NOTHING, ruling, titled};

/// The name of a member of a card, by the JSON pointer of the history.
pub(super) fn member(game: &Game, pointer: &str) -> String {
    let parts: Vec<String> = (pointer.split('/').skip(1))
        .map(|part| part.replace("~1", "/").replace("~0", "~"))
        .collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let attribute = |code: &str| label(schema(game, code), code);
    match parts.as_slice() {
        ["name"] => "Name".to_owned(),
        ["kind"] => "Kind".to_owned(),
        ["lore"] => "Lore".to_owned(),
        ["number"] => "Number".to_owned(),
        ["set"] => "Set".to_owned(),
        ["attributes", code, ..] => attribute(code),
        ["effects"] => "Effects".to_owned(),
        ["effects", at, ..] => effect(at),
        ["printings", rarity, "attributes", code] => {
            format!("{} in {}", attribute(code), rarity_name(game, rarity))
        }
        ["printings", rarity, ..] => rarity_name(game, rarity),
        ["rulings", ..] => "Ruling".to_owned(),
        ["merged", ..] => "Merged card".to_owned(),
        others => titled(&others.join(" ")),
    }
}

fn effect(at: &str) -> String {
    match at.parse::<usize>() {
        Ok(at) => format!("Effect {}", at + 1),
        Err(_) => "Effects".to_owned(),
    }
}

fn schema<'a>(game: &'a Game, code: &str) -> Option<&'a cardscape_engine::Attribute> {
    game.kinds().iter().find_map(|kind| kind.attributes.get(code))
}

/// The text of the value at that pointer, before or after the change.
pub(super) fn value(game: &Game, pointer: &str, value: Option<&Value>) -> String {
    let last = pointer.rsplit('/').next().unwrap_or_default();
    let shown = match value {
        Some(Value::String(code)) if pointer == "/kind" => kind_name(game, code),
        Some(value) if pointer.contains("/attributes/") => {
            text(schema(game, last), value).unwrap_or_default()
        }
        Some(value) => text_of_value(game, value),
        None => String::new(),
    };
    if shown.is_empty() { NOTHING.to_owned() } else { shown }
}

/// Values as text: strings as they are, arrays joined, and the main text of rulings, effects, printings and cards.
fn text_of_value(game: &Game, value: &Value) -> String {
    match value {
        Value::String(written) => written.clone(),
        Value::Array(items) => {
            items.iter().map(|item| text_of_value(game, item)).collect::<Vec<_>>().join("; ")
        }
        Value::Object(members) => {
            let of = |name: &str| members.get(name).and_then(Value::as_str);
            match (of("text"), of("kind"), of("name"), members.get("attributes")) {
                (Some(text), Some(kind), ..) => {
                    let source = [of("source"), of("published_on")];
                    let source: Vec<&str> = source.into_iter().flatten().collect();
                    format!("{}: {text} ({})", ruling(kind), source.join(", "))
                }
                (Some(text), ..) => {
                    let parts: Vec<String> =
                        [of("slot"), of("style")].into_iter().flatten().map(titled).collect();
                    if parts.is_empty() {
                        text.to_owned()
                    } else {
                        format!("{}: {text}", parts.join(", "))
                    }
                }
                (None, _, Some(name), _) => name.to_owned(),
                (None, _, None, Some(Value::Object(attributes))) => numbers(game, attributes),
                _ => members
                    .values()
                    .map(|one| text_of_value(game, one))
                    .collect::<Vec<_>>()
                    .join(", "),
            }
        }
        other => text(None, other).unwrap_or_default(),
    }
}

/// The attributes of a printing with their names.
fn numbers(game: &Game, attributes: &Map<String, Value>) -> String {
    let one = |(code, value): (&String, &Value)| {
        let schema = schema(game, code);
        Some(format!("{} {}", label(schema, code), text(schema, value)?))
    };
    attributes.iter().filter_map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pond() -> Game {
        Game::from_toml(
            "code='pond'\nname='Pond'\nrules_version='1'\n[[rarities]]\ncode='gilt'\nname='Gilded'\n[[kinds]]\ncode='fish'\nname='Fish'\n[kinds.attributes.fin_count]\nname='fins'\ntype='integer'\nmin=0\nmax=999",
        )
        .unwrap()
    }

    #[test]
    fn members_have_the_names_of_the_game() {
        let game = pond();
        for (pointer, name) in [
            ("/lore", "Lore"),
            ("/attributes/fin_count", "Fins"),
            ("/attributes/other", "Other"),
            ("/effects/1/text", "Effect 2"),
            ("/printings/gilt/attributes/fin_count", "Fins in Gilded"),
            ("/printings/gilt", "Gilded"),
            ("/rulings/0190-1", "Ruling"),
            ("/licence/terms", "Licence terms"),
        ] {
            assert_eq!(member(&game, pointer), name);
        }
    }

    #[test]
    fn values_are_shown_without_json() {
        let game = pond();
        let erratum = json!({ "kind": "erratum", "published_on": "2026-11-22", "source": "Rules team", "text": "It whistles." });
        for (pointer, written, expected) in [
            ("/attributes/fin_count", json!(310), "310"),
            ("/lore", json!("Once."), "Once."),
            ("/kind", json!("fish"), "Fish"),
            ("/attributes/marks", json!(["ghost", "beast"]), "ghost, beast"),
            ("/rulings/0190", erratum, "Erratum: It whistles. (Rules team, 2026-11-22)"),
            (
                "/effects",
                json!([{ "style": "passive", "text": "Draw." }, { "text": "Wait." }]),
                "Passive: Draw.; Wait.",
            ),
            (
                "/printings/gilt",
                json!({ "rarity": "gilt", "attributes": { "fin_count": 7 } }),
                "Fins 7",
            ),
            ("/printings/gilt", json!({ "rarity": "gilt", "attributes": {} }), "–"),
            (
                "/merged/0190",
                json!({ "name": "Old Pike", "number": "004", "attributes": {} }),
                "Old Pike",
            ),
            ("/lore", json!(null), "–"),
        ] {
            assert_eq!(value(&game, pointer, Some(&written)), expected, "{pointer}");
        }
        assert_eq!(value(&game, "/lore", None), "–");
    }
}
