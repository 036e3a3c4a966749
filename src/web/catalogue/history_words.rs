//! What changed of a card, in words.

use cardscape_engine::Game;
use serde_json::Value;

use super::values::{label, rarity_name, text};
use crate::web::words::{NOTHING, ruling, titled};

/// A member of a card by its JSON pointer, as the history names it.
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
        ["flavour"] => "Flavour text".to_owned(),
        ["number"] => "Number".to_owned(),
        ["set"] => "Set".to_owned(),
        ["attributes", code, ..] => attribute(code),
        ["effects"] => "Effects".to_owned(),
        ["effects", at, ..] => effect(at),
        ["printings", rarity] => rarity_name(game, rarity),
        ["printings", rarity, "attributes", code] => {
            format!("{} in {}", attribute(code), rarity_name(game, rarity))
        }
        ["printings", rarity, ..] => rarity_name(game, rarity),
        ["rulings", ..] => "Ruling".to_owned(),
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

/// A value of a member: of a ruling what it is and says, of several values each, and texts as they are.
pub(super) fn value(value: Option<&Value>) -> String {
    let told = match value {
        None => String::new(),
        Some(Value::String(written)) => written.clone(),
        Some(Value::Array(items)) => {
            items.iter().map(|item| self::value(Some(item))).collect::<Vec<_>>().join("; ")
        }
        Some(Value::Object(members)) => {
            let of = |name: &str| members.get(name).and_then(Value::as_str);
            match (of("kind"), of("text")) {
                (Some(kind), Some(text)) => format!("{}: {text}", ruling(kind)),
                (None, Some(text)) => text.to_owned(),
                _ => members
                    .values()
                    .map(|one| self::value(Some(one)))
                    .collect::<Vec<_>>()
                    .join(", "),
            }
        }
        Some(other) => text(None, other).unwrap_or_default(),
    };
    if told.is_empty() { NOTHING.to_owned() } else { told }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_have_the_names_of_the_game() {
        let game = Game::from_toml(
            "code='pond'\nname='Pond'\nrules_version='1'\n[[rarities]]\ncode='gilt'\nname='Gilded'\n[[kinds]]\ncode='fish'\nname='Fish'\n[kinds.attributes.fin_count]\nname='fins'\ntype='integer'\nmin=0\nmax=9",
        )
        .unwrap();
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
    fn values_are_told_without_json() {
        let lasting = json!({ "kind": "erratum", "source": "Rules team", "text": "It whistles." });
        for (written, told) in [
            (json!(310), "310"),
            (json!("Once."), "Once."),
            (json!(["ghost", "beast"]), "ghost; beast"),
            (lasting, "Erratum: It whistles."),
            (json!({ "style": "passive", "text": "Draw." }), "Draw."),
            (json!(null), "–"),
        ] {
            assert_eq!(value(Some(&written)), told);
        }
        assert_eq!(value(None), "–");
    }
}
