//! What is wrong by the rules of a game, in the words of these pages: with the numbers that were found, and with the names
//! that the game has for its zones, attributes, kinds and rarities in place of their codes.
//!
//! The API says the same in English sentences of the engine, which pages do not show.

mod advice_words;
mod card_words;
mod deck_words;
mod found;
mod line_words;
mod names;

pub(super) use advice_words::{advice, mending};
pub(super) use found::Found;
pub(super) use line_words::{entry, mark, refusal, unread, verdict};

use cardscape_engine::Game;

use super::words::sentence;
use names::Names;

/// What is wrong, in a sentence or two. Without a game, codes become words.
pub(super) fn told(found: &Found<'_>, game: Option<&Game>) -> String {
    let names = Names::of(game);
    let text = deck_words::sentence(found, names)
        .or_else(|| card_words::sentence(found, names))
        .unwrap_or_else(|| deck_words::of_rule(found));
    match found.unknown_cards {
        Some(unknown) => format!("{text} {}", deck_words::not_counted(unknown)),
        None => text,
    }
}

/// Whether the words of a rule stand in a sentence about it.
pub(super) fn says(told: &str, rule_text: &str) -> bool {
    told.contains(rule_text) || told.contains(&sentence(rule_text))
}

#[cfg(test)]
mod tests;
