//! Messages about violations of decks.

use cardscape_engine::ViolationCode as Code;

use super::found::Found;
use super::names::{Names, card_list};
use crate::web::words::{cards, copies, grouped, quoted, sentence as as_sentence};

/// The message for a code of decks; `None`: it is another code.
pub(super) fn sentence(found: &Found<'_>, names: Names<'_>) -> Option<String> {
    let (limit, actual) = (found.limit.unwrap_or_default(), found.actual.unwrap_or_default());
    let (named, number) = (card_list(&found.cards), grouped(actual));
    let zone = found.zone.map(|code| names.zone(code));
    let holder = zone.as_deref().unwrap_or("The deck");
    let within = zone.as_ref().map(|zone| format!(" in {zone}")).unwrap_or_default();
    let here =
        zone.as_ref().map_or_else(|| "in this format".to_owned(), |zone| format!("in {zone}"));
    let attribute = found.attribute.map(|code| names.attribute(code)).unwrap_or_default();
    Some(match found.code {
        Code::GameWithoutCards => {
            "The game has no cards here yet, so no card of the deck can be known, and rules about its cards are not judged.".to_owned()
        }
        Code::SetWithoutCards => {
            format!("The set {} has no cards here.", quoted(found.set.unwrap_or_default()))
        }
        Code::DeckSizeBelowMin | Code::ZoneSizeBelowMin => {
            format!("{holder} has {}; {}.", cards(actual), at_least(limit))
        }
        Code::DeckSizeAboveMax | Code::ZoneSizeAboveMax => {
            format!("{holder} has {}; {}.", cards(actual), at_most(limit))
        }
        Code::ZoneUnknown => {
            format!("The game has no zone {}: {named}.", quoted(found.zone.unwrap_or_default()))
        }
        Code::CopyLimitExceeded => format!("{} of {named}; {}.", copies(actual), at_most(limit)),
        Code::CardBanned => format!("{named} is banned; the deck has {}.", copies(actual)),
        Code::CardLimitExceeded => {
            format!("{} of {named}; by the limit list {}.", copies(actual), at_most(limit))
        }
        Code::CardNotAllowed => format!("{named} is not allowed {here}."),
        Code::KindNotAllowed => format!("Cards of the kind of {named} are not allowed {here}."),
        Code::RequiredCardsMissing => required(found, holder),
        Code::GroupLimitExceeded => {
            format!("{} of {named}; together {}.", copies(actual), at_most(limit))
        }
        Code::IdentityMissing => {
            format!("{holder} has no card that decides which others fit.")
        }
        Code::IdentityMismatch => format!("{attribute} of {named} does not fit this deck."),
        Code::BudgetBelowMin => {
            format!("{} to {number}; {}.", sum(&attribute, &within), the_least(limit))
        }
        Code::BudgetExceeded => {
            let sum = format!("{} to {number}; {}.", sum(&attribute, &within), the_most(limit));
            if found.cards.is_empty() { sum } else { format!("{sum} Most of it: {named}.") }
        }
        Code::ValueLimitExceeded => format!(
            "The cards{within} have {number} different values of {attribute}; {}. Too many with {named}.",
            at_most(limit)
        ),
        Code::ValueRepeated => {
            format!("{}{within} have the same value of {attribute}: {named}.", cards(actual))
        }
        Code::BoxCardMissing => {
            format!("The box needs {} of {named}, and has {number}.", copies(limit))
        }
        Code::BoxCardExtra if limit == 0 => {
            format!("{named} does not belong in the box, which has {}.", copies(actual))
        }
        Code::BoxCardExtra => {
            let belong = if limit == 1 { "belongs" } else { "belong" };
            format!(
                "The box has {} of {named}; only {} {belong} in it.",
                copies(actual),
                grouped(limit)
            )
        }
        Code::BoxTotalMismatch => {
            format!("The box has {}; it should have {}.", cards(actual), grouped(limit))
        }
        Code::CardUnknown if found.cards.iter().any(|card| card.hidden) => {
            format!("The card {named} is hidden from you.")
        }
        Code::CardUnknown => format!("There is no card {named}."),
        Code::PrintingUnknown => {
            format!("There is no such printing: {}.", names.printings(&found.cards))
        }
        Code::EntryCountInvalid => {
            format!("The entry of {named} has {}; {}.", copies(actual), at_least(limit))
        }
        Code::SerialDuplicate => {
            let copy = found.cards.first().and_then(|card| card.copy).unwrap_or_default();
            format!("The copy {} is named {number} times: {named}.", quoted(copy))
        }
        Code::EntryCopiesExceeded => {
            format!("The entry of {} of {named} names {}.", copies(limit), copies(actual))
        }
        _ => return None,
    })
}

/// The message for a rule that has a code of its own: the text of the manifest, and the number that was found.
pub(super) fn of_rule(found: &Found<'_>) -> String {
    let mut text = rule(found);
    // The sum may be right, but one of its parts too low.
    if let (Some(limit), Some(actual)) = (found.limit, found.actual)
        && limit != actual
    {
        text = format!("{text} Expected: {}. Found: {}.", grouped(limit), grouped(actual));
    }
    if found.cards.is_empty() {
        text
    } else {
        format!("{text} About: {}.", card_list(&found.cards))
    }
}

/// The number of copies that are not counted.
pub(super) fn not_counted(unknown: u64) -> String {
    match i64::try_from(unknown).unwrap_or(i64::MAX) {
        1 => "It may be more: 1 unknown card is not counted.".to_owned(),
        unknown => format!("It may be more: {} unknown cards are not counted.", grouped(unknown)),
    }
}

/// The text of the rule, and the number that was found.
fn required(found: &Found<'_>, holder: &str) -> String {
    let (Some(limit), Some(actual)) = (found.limit, found.actual) else { return of_rule(found) };
    let cards = if actual == 1 { "card" } else { "cards" };
    format!("{} {holder} has {} such {cards}; {}.", rule(found), grouped(actual), at_least(limit))
}

/// The rule as the manifest has it, or its number.
fn rule(found: &Found<'_>) -> String {
    match found.rule_text {
        "" => format!("Rule {} is broken.", found.rule),
        text => as_sentence(text),
    }
}

/// The sum of an attribute, as the subject of a sentence.
fn sum(attribute: &str, within: &str) -> String {
    match attribute {
        "" => format!("The points of the cards{within} add up"),
        attribute => format!("{attribute} of the cards{within} adds up"),
    }
}

/// The minimum or maximum of a sum or a value.
pub(super) fn the_least(limit: i64) -> String {
    format!("the least is {}", grouped(limit))
}

pub(super) fn the_most(limit: i64) -> String {
    format!("the most is {}", grouped(limit))
}

/// The minimum or maximum of a count.
pub(super) fn at_least(limit: i64) -> String {
    let are = if limit == 1 { "is" } else { "are" };
    format!("at least {} {are} needed", grouped(limit))
}

pub(super) fn at_most(limit: i64) -> String {
    match limit {
        0 => "none is allowed".to_owned(),
        1 => "at most 1 is allowed".to_owned(),
        _ => format!("at most {} are allowed", grouped(limit)),
    }
}
