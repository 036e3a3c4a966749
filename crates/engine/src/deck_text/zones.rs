//! The words of headers, prefixes and categories for parts of a deck, and the zones of a game that they mean.

use crate::deck::MAIN_ZONE;
use crate::manifest::Game;
use crate::name::name_key;
pub(super) use crate::zone_words::Role;
use crate::zone_words::meant_zone;

/// What the lines below a header belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// Entries of this zone.
    Zone { code: String, known: bool },
    /// Lines that are not part of the deck.
    Outside,
    /// Entries of the same zone as before: the header names a kind of cards.
    Category,
}

/// What a header means in a game.
pub(super) fn place(game: &Game, label: &str) -> Place {
    if let Some(at) = meant_zone(game.zones(), label) {
        return Place::Zone { code: game.zones()[at].code.to_string(), known: true };
    }
    match Role::of_word(label.trim()) {
        None => Place::Category,
        Some(Role::Outside) => Place::Outside,
        Some(role) => Place::Zone { code: role.word().to_owned(), known: false },
    }
}

/// The code of the zone that an entry of a deck is in, which may be written as another name of it.
pub(super) fn zone_code(game: &Game, written: &str) -> String {
    match place(game, written) {
        Place::Zone { code, .. } => code,
        Place::Outside | Place::Category => written.to_owned(),
    }
}

/// The zone that a list without headers continues with after its blank line.
pub(super) fn side_zone(game: &Game) -> Option<String> {
    let at = Role::Side.position(game.zones())?;
    Some(game.zones()[at].code.to_string())
}

/// The zone of entries that do not name a zone.
pub(super) fn main_zone(game: &Game) -> &str {
    game.zones().first().map_or(MAIN_ZONE, |zone| &zone.code)
}

/// Whether a label is a heading: the game has a zone or kind of cards of this name, or lists of all games group cards by this word.
pub(super) fn is_heading(game: &Game, label: &str) -> bool {
    const GROUPS: [&str; 22] = [
        "artifact",
        "battle",
        "card",
        "creature",
        "enchantment",
        "energy",
        "event",
        "hero",
        "identity",
        "instant",
        "item",
        "land",
        "monster",
        "other",
        "planeswalker",
        "pokemon",
        "sorcery",
        "spell",
        "supporter",
        "trainer",
        "trap",
        "unit",
    ];
    let key = crate::name::search_key(label);
    let singular = key.strip_suffix("ies").map(|stem| format!("{stem}y"));
    let singular = singular.unwrap_or_else(|| key.strip_suffix('s').unwrap_or(&key).to_owned());
    let is_kind = |word: &str| {
        game.kinds().iter().any(|kind| name_key(&kind.code) == word || name_key(&kind.name) == word)
    };
    GROUPS.contains(&singular.as_str()) || is_kind(&key) || is_kind(&singular)
}
