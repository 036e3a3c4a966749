//! The words of headers, prefixes and categories for parts of a deck, and the zones of a game that they mean.

use crate::deck::MAIN_ZONE;
use crate::manifest::Game;
use crate::name::{has_name_key, name_key};
use crate::schema::Zone;

/// The purpose of a zone, independent of its name in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    Main,
    Side,
    Extra,
    Commander,
    Companion,
    /// Not part of the deck: cards that its author only considers.
    Outside,
}

/// The words for these roles. The first word is the zone's code if a game has no such zone.
const WORDS: [(Role, &[&str]); 6] = [
    (Role::Main, &[MAIN_ZONE, "deck", "mainboard", "main board", "main deck", "maindeck"]),
    (Role::Side, &["side", "sideboard", "side board", "side deck", "sidedeck"]),
    (Role::Extra, &["extra", "extra deck", "extradeck"]),
    (Role::Commander, &["commander", "commanders", "command zone"]),
    (Role::Companion, &["companion", "companions"]),
    (Role::Outside, &["maybeboard", "maybe board", "maybe", "considering", "wishlist", "tokens"]),
];

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

impl Role {
    /// The role that a word has in all games.
    pub(super) fn of_word(word: &str) -> Option<Self> {
        let is = |known: &&str| word.eq_ignore_ascii_case(known);
        WORDS.iter().find(|(_, words)| words.iter().any(is)).map(|(role, _)| *role)
    }

    /// The role of a zone; `None`: other programs do not have such a zone.
    pub(super) fn of_zone(game: &Game, code: &str) -> Option<Self> {
        let Some(zone) = zone_named(game, code) else { return Self::of_word(code) };
        if game.zones().first().is_some_and(|main| main.code == zone.code) {
            return Some(Self::Main);
        }
        names(zone).find_map(Self::of_word)
    }

    /// The game's zone of this role, or the common word for it if the game has none.
    fn zone(self, game: &Game) -> Place {
        let zone = game.zones().iter().find(|zone| Self::of_zone(game, &zone.code) == Some(self));
        match zone {
            _ if self == Self::Outside => Place::Outside,
            Some(zone) => Place::Zone { code: zone.code.to_string(), known: true },
            None => {
                let word = WORDS.iter().find(|(role, _)| *role == self).map(|(_, words)| words[0]);
                Place::Zone { code: word.unwrap_or(MAIN_ZONE).to_owned(), known: false }
            }
        }
    }
}

/// What a header means in a game.
pub(super) fn place(game: &Game, label: &str) -> Place {
    if let Some(zone) = zone_named(game, label) {
        return Place::Zone { code: zone.code.to_string(), known: true };
    }
    Role::of_word(label.trim()).map_or(Place::Category, |role| role.zone(game))
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
    match Role::Side.zone(game) {
        Place::Zone { code, known: true } => Some(code),
        _ => None,
    }
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

fn zone_named<'a>(game: &'a Game, label: &str) -> Option<&'a Zone> {
    let key = name_key(label);
    game.zones().iter().find(|zone| names(zone).any(|name| has_name_key(name, &key)))
}

fn names(zone: &Zone) -> impl Iterator<Item = &str> {
    let aliases = zone.aliases.iter().map(String::as_str);
    [&*zone.code, zone.name.as_str()].into_iter().chain(aliases)
}
