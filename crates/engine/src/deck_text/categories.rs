//! Texts in square brackets after a card that name a zone.

use std::borrow::Cow;

use super::archidekt::zone_of;
use super::draft::{Content, Draft, DraftEntry};
use super::line::{COMMANDER, is_commander_mark};
use super::zones::{Place, place};
use crate::manifest::Game;

/// Takes the zones of entries from the texts in square brackets after their cards, in all dialects. A text that names a zone is never a set.
pub(super) fn read_categories(draft: &mut Draft<'_>, game: &Game) {
    for line in &mut draft.lines {
        if let Content::Entry(entry) = &mut line.content {
            read_category(entry, game);
        }
    }
}

fn read_category(entry: &mut DraftEntry<'_>, game: &Game) {
    if let Some(otherwise) = &mut entry.otherwise {
        read_category(otherwise, game);
    }
    // Our own text and tables have such a mark as the rarity.
    if entry.card.rarity.as_deref().is_some_and(is_commander_mark) {
        entry.card.rarity = None;
        entry.zone.get_or_insert(Cow::Borrowed("commander"));
    }
    // Moxfield and TappedOut mark commanders between asterisks, Deckstats with a comment.
    let is_mark = |tag: &str| tag.trim().eq_ignore_ascii_case(COMMANDER);
    if let Some(at) = entry.card.tags.iter().position(|tag| is_mark(tag)) {
        entry.card.tags.remove(at);
        entry.zone.get_or_insert(Cow::Borrowed("commander"));
    }
    let Some(category) = entry.card.category else { return };
    let Some(label) = zone_of(category) else { return };
    if place(game, label) == Place::Category {
        return;
    }
    if entry.card.set.as_deref() == Some(category) {
        entry.card.set = None;
        entry.card.tags.push(Cow::Borrowed(category));
    }
    entry.zone.get_or_insert(Cow::Borrowed(label));
}
