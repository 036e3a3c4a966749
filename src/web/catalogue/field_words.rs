//! The names of the fields of the search, and their meaning.

use crate::web::words::titled;

/// The name of a field in sort orders and facets. Attributes have the names of their games.
pub(in crate::web) fn name(field: &str) -> String {
    let name = match field {
        "set" => "Set",
        "number" => "Number",
        "name" => "Name",
        "kind" => "Kind",
        "type" => "Type",
        "total" => "Total",
        "style" => "Style",
        "slot" => "Slot",
        "rarity" => "Rarity",
        "unlocked" => "Day of the unlock",
        "submissions" => "Submissions",
        "year" => "Year of release",
        "date" => "Day of release",
        "status" => "Status",
        attribute => return titled(attribute),
    };
    name.to_owned()
}

/// The meaning of a field, with code in backticks; empty: the field has no description.
pub(super) fn meaning(field: &str) -> &'static str {
    match field {
        "game" => "The game, by its code or its name.",
        "set" => {
            "The set, by its code. Sorting by it puts cards in the order of games, sets and numbers: the usual order."
        }
        "number" => "The number in the set. Zeros at its beginning make no difference.",
        "name" => "Words of the name. With `=`, the whole name.",
        "text" => "Words of effects and lore.",
        "effect" => "Words of a single effect.",
        "lore" => "Words of the background text.",
        "kind" => "The kind of card, by its code or its name.",
        "type" => "The type, one of the subtypes, or the kind.",
        "subtype" => "One of the subtypes.",
        "rank" => "The rank.",
        "attack" => "The attack, in any printing.",
        "defense" => "The defense, in any printing.",
        "total" => "What the game adds up on a card, attack and defense, in any printing.",
        "stage" => "The stage. Stages have an order.",
        "power" => "The power.",
        "keyword" => "One of the keywords.",
        "style" => "The style of an effect.",
        "slot" => "Where an effect stands on the card.",
        "rarity" => {
            "A rarity in which the card exists. Rarities have an order; cards are sorted by their lowest."
        }
        "is" => "`hidden`: not unlocked yet. `unlocked`: was hidden once.",
        "not" => "The opposite of `is`.",
        "has" => "`effect`, `lore`, or an attribute, by its code: cards that have one.",
        "unlocked" => "The day on which the community unlocked the card, `YYYY-MM-DD`, in UTC.",
        "submissions" => {
            "How many submissions count towards the unlock, of cards that were hidden at first."
        }
        "year" => "The year in which the set was released.",
        "date" => "The day on which the set was released, `YYYY-MM-DD`.",
        "legal" => {
            "A format whose decks may have the card: `FORMAT`, or `GAME/FORMAT`. `:VARIANT` behind it is another variant, `@YYYY-MM-DD` the rules of another day than today. Restricted cards are legal."
        }
        "restricted" => "A format that allows only some copies of the card.",
        "banned" => "A format that forbids the card.",
        "sort" => "The field by which cards are sorted. Those without a value come last.",
        "order" => "`asc` or `desc`. With a field, it means the same as `sort`.",
        "unique" => {
            "`cards`: each card once. `printings`: each card once for every rarity of it that fits."
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::card_fields;

    #[test]
    fn every_field_has_a_meaning() {
        for field in card_fields() {
            let text = meaning(field.name);
            assert!(text.ends_with('.') && text.split('`').count() % 2 == 1, "{}", field.name);
        }
    }
}
