//! Messages about violations of the rules of a game, in the words of the pages. They contain the numbers that were found, and the names that the game gives to
//! its zones, attributes, kinds and rarities.
//!
//! The API has English messages of the engine for the same violations. Pages do not show those.

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

/// The message of a violation, in one or two sentences. Without a game, codes are turned into words.
pub(super) fn explain(found: &Found<'_>, game: Option<&Game>) -> String {
    let names = Names::of(game);
    let text = deck_words::sentence(found, names)
        .or_else(|| card_words::sentence(found, names))
        .unwrap_or_else(|| deck_words::of_rule(found));
    match found.unknown_cards {
        Some(unknown) => format!("{text} {}", deck_words::not_counted(unknown)),
        None => text,
    }
}

/// Whether a message contains the text of the rule.
pub(super) fn says(text: &str, rule_text: &str) -> bool {
    text.contains(rule_text) || text.contains(&sentence(rule_text))
}

#[cfg(test)]
mod tests;
