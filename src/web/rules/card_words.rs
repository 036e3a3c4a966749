//! Messages about violations of cards, designs and sets.

use cardscape_engine::{AttributeValue, ViolationCode as Code};

use super::deck_words::{at_least, at_most, the_least, the_most};
use super::found::Found;
use super::names::{Names, card_list, listed};
use crate::web::words::{counted, grouped, quoted, titled};

/// The message for a code of cards and sets; `None`: it is another code.
pub(super) fn sentence(found: &Found<'_>, names: Names<'_>) -> Option<String> {
    let (limit, actual) = (found.limit.unwrap_or_default(), found.actual.unwrap_or_default());
    let named = card_list(&found.cards);
    let is_named = !found.cards.is_empty();
    let of = if is_named { format!(" of {named}") } else { String::new() };
    let which = if is_named { format!(": {named}") } else { String::new() };
    let attribute = found.attribute.map(|code| names.attribute(code)).unwrap_or_default();
    Some(match found.code {
        Code::NameInvalid | Code::SetNameInvalid => format!("The name {}.", unreadable(found)),
        Code::NameDuplicate => format!("Another card of the set has this name{which}."),
        Code::NumberInvalid => format!(
            "The number{of} must be 1 to {} letters and digits, with single hyphens between them.",
            grouped(limit)
        ),
        Code::NumberDuplicate => format!("Another card of the set has this number{which}."),
        Code::KindUnknown => format!("The game has no such kind of card{which}."),
        Code::AttributeMissing => format!("{attribute}{of} is missing."),
        Code::AttributeUnknown if is_named => format!("{named} cannot have {attribute} here."),
        Code::AttributeUnknown => format!("{attribute} does not belong here."),
        Code::AttributeTypeMismatch => {
            let sort =
                found.attribute.and_then(|code| names.schema(code)).map(|known| &known.value);
            format!("{attribute}{of} must be {}.", sort.map_or("of another sort", value_sort))
        }
        Code::AttributeOutOfRange => out_of_range(found, names, &format!("{attribute}{of}")),
        Code::AttributeValueUnknown => {
            format!("{attribute}{of} has a value that the game does not know.")
        }
        Code::AttributeValueDuplicate => format!("{attribute}{of} has the same value twice."),
        Code::AttributeTotalMismatch => {
            let add = if attribute.contains(" + ") { "add" } else { "adds" };
            format!("{attribute}{of} {add} up to {}, not to {}.", grouped(actual), grouped(limit))
        }
        // The sum is correct, but one of its parts decreases.
        Code::PrintingGainMismatch if limit == actual => {
            format!("A number is too low beside the lowest rarity: {attribute}{of}.")
        }
        Code::PrintingGainMismatch if limit == 0 => {
            format!("{attribute}{of} must be the same as in the lowest rarity.")
        }
        Code::PrintingGainMismatch => format!(
            "{attribute}{of} must be {} more than in the lowest rarity, not {}.",
            grouped(limit),
            grouped(actual)
        ),
        Code::EffectCountInvalid => {
            let holder = if is_named { named } else { "The card".to_owned() };
            let place = match found.attribute {
                Some(slot) => format!(" in {}", quoted(&titled(slot))),
                None => String::new(),
            };
            format!("{holder} has {}{place}; {}.", effects(actual), bound(limit, actual))
        }
        Code::EffectStyleUnknown => format!("An effect{of} has no style that the game knows."),
        Code::EffectSlotUnknown => {
            format!("An effect{of} is in a place that the card does not have.")
        }
        Code::TextInvalid => format!("A text{of} {}.", unreadable(found)),
        Code::RarityUnknown => format!("The game has no such rarity{}.", rarities(found, quoted)),
        Code::PrintingMissing if is_named => {
            format!("{named} lacks printings{}.", rarities(found, |code| names.rarity(code)))
        }
        Code::PrintingMissing => {
            let missing = counted(limit.saturating_sub(actual), "printing", "printings");
            format!("The card lacks {missing}.")
        }
        Code::PrintingDuplicate => {
            format!(
                "Two printings{of} have the same rarity{}.",
                rarities(found, |code| names.rarity(code))
            )
        }
        Code::PrintingBaseMismatch => {
            format!("{attribute}{of} must be the same in the lowest rarity as on the card itself.")
        }
        Code::SetCodeInvalid => format!(
            "The code must be 1 to {} lower-case letters and digits, with single hyphens between them.",
            grouped(limit)
        ),
        Code::SetEmpty => "The set has no card.".to_owned(),
        Code::ReleaseDateInvalid => {
            "The release date must be a day of the calendar, written as 2026-11-21.".to_owned()
        }
        Code::UnlockThresholdInvalid => {
            "The submissions that unlock a card must be 1 to 100,000.".to_owned()
        }
        _ => return None,
    })
}

/// Why a text is refused.
fn unreadable(found: &Found<'_>) -> String {
    match found.refused {
        Some(refused) => format!(
            "has the character U+{:04X}, which is not shown or changes how the text is read: remove it",
            u32::from(refused)
        ),
        None => format!(
            "is empty, longer than {} characters, or has characters that are not shown",
            grouped(found.limit.unwrap_or_default())
        ),
    }
}

/// The kind of value of an attribute.
fn value_sort(value: &AttributeValue) -> &'static str {
    match value {
        AttributeValue::Text { .. } => "a text",
        AttributeValue::Integer { .. } => "a whole number",
        AttributeValue::Boolean => "yes or no",
        AttributeValue::Choice { .. } => "one value",
        AttributeValue::Choices { .. } => "a list of values",
        _ => "of another sort",
    }
}

/// The message for a number outside its bounds, or a text or list that is too short or too long. `subject`: its name.
fn out_of_range(found: &Found<'_>, names: Names<'_>, subject: &str) -> String {
    let (limit, actual) = (found.limit.unwrap_or_default(), found.actual.unwrap_or_default());
    match found.attribute.and_then(|code| names.schema(code)).map(|known| &known.value) {
        Some(AttributeValue::Text { .. }) => format!("{subject} {}.", unreadable(found)),
        Some(AttributeValue::Choices { .. }) => {
            format!(
                "{subject} has {}; {}.",
                counted(actual, "value", "values"),
                bound(limit, actual)
            )
        }
        Some(_) => {
            let bound = if actual < limit { the_least(limit) } else { the_most(limit) };
            format!("{subject} is {}; {bound}.", grouped(actual))
        }
        // It is not known whether the limit is a minimum or a maximum.
        None => format!("{subject} is {}, and the limit is {}.", grouped(actual), grouped(limit)),
    }
}

/// The limit that a count violates.
fn bound(limit: i64, actual: i64) -> String {
    if actual < limit { at_least(limit) } else { at_most(limit) }
}

fn effects(count: i64) -> String {
    counted(count, "effect", "effects")
}

/// The rarities of the printings concerned, after a colon.
fn rarities(found: &Found<'_>, name: impl Fn(&str) -> String) -> String {
    let named: Vec<String> = found.cards.iter().filter_map(|card| card.rarity).map(name).collect();
    if named.is_empty() { String::new() } else { format!(": {}", listed(named)) }
}
