//! Violations of a design, which has no number, and perhaps no name.

use cardscape_engine::{CardDefinition, Game, SetFault, card_faults};

/// The violations of a design as a card of its game. They call it by the name `name`, and not by the number that stands
/// in the card as a placeholder; if the name is empty, they say “this design”.
pub fn design_faults(game: &Game, card: &CardDefinition, name: &str) -> Vec<SetFault> {
    let mut faults = card_faults(game, card);
    for mention in faults.iter_mut().flat_map(|fault| &mut fault.violation.cards) {
        mention.number = None;
        if name.is_empty() {
            mention.name.clear();
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use cardscape_engine::Violation;
    use serde_json::json;

    use super::*;
    use crate::domain::designs::content::DesignContent;

    #[test]
    fn messages_call_a_design_by_its_name() {
        let game = Game::from_toml(
            r#"
            code = "pond"
            name = "Pond"
            rules_version = "1"
            [[rarities]]
            code = "plain"
            name = "Plain"
            [[kinds]]
            code = "fish"
            name = "Fish"
            attributes.bite = { type = "integer", min = 0 }
            "#,
        )
        .unwrap();
        let messages = |name: &str| -> Vec<String> {
            let printings = json!([{ "rarity": "plain" }, { "rarity": "plain" }]);
            let content = json!({ "name": name, "kind": "fish", "printings": printings });
            let content: DesignContent = serde_json::from_value(content).unwrap();
            let faults = design_faults(&game, &content.definition(&game), name);
            faults.iter().map(|fault| &fault.violation).map(Violation::message).collect()
        };
        let named = messages("Old Pike");
        assert!(named.contains(&"“Old Pike” lacks \"bite\".".to_owned()), "{named:?}");
        let twice = "Two printings of one rarity: “Old Pike” {plain}.";
        assert!(named.contains(&twice.to_owned()), "{named:?}");
        let nameless = messages("");
        assert!(nameless.contains(&"This design lacks \"bite\".".to_owned()), "{nameless:?}");
        let twice = "Two printings of one rarity: this design {plain}.";
        assert!(nameless.contains(&twice.to_owned()), "{nameless:?}");
    }
}
