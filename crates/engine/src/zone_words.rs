//! The words that mean the zones of a game: their own codes, names and aliases, and the words that lists of all games have for them.

use crate::deck::MAIN_ZONE;
use crate::name::{has_name_key, name_key};
use crate::schema::Zone;

/// The purpose of a zone, independent of its name in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    Main,
    Side,
    Extra,
    Commander,
    Companion,
    /// Not part of the deck: cards that its author only considers.
    Outside,
}

/// The words for these roles: English ones first, then those of programs in German, French, Spanish and Italian. The first word is the zone's code if a game has no
/// such zone.
const WORDS: [(Role, &[&str]); 6] = [
    (
        Role::Main,
        &[
            MAIN_ZONE,
            "deck",
            "mainboard",
            "main board",
            "main deck",
            "maindeck",
            "hauptdeck",
            "mazo",
            "mazo principal",
            "mazzo",
            "mazzo principale",
        ],
    ),
    (
        Role::Side,
        &["side", "sideboard", "side board", "side deck", "sidedeck", "sb", "réserve", "banquillo"],
    ),
    (Role::Extra, &["extra", "extra deck", "extradeck"]),
    (
        Role::Commander,
        &["commander", "commanders", "command zone", "kommandeur", "commandant", "comandante"],
    ),
    (
        Role::Companion,
        &["companion", "companions", "gefährte", "compagnon", "compañero", "compagno"],
    ),
    (Role::Outside, &["maybeboard", "maybe board", "maybe", "considering", "wishlist", "tokens"]),
];

impl Role {
    /// The role that a word has in all games.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        let folded = (!word.is_ascii()).then(|| word.to_lowercase());
        let word = folded.as_deref().unwrap_or(word);
        let is = |known: &&str| word.eq_ignore_ascii_case(known);
        WORDS.iter().find(|(_, words)| words.iter().any(is)).map(|(role, _)| *role)
    }

    /// The role of a word with this [`name_key`]: words of zones are compared by it.
    pub(crate) fn of_key(key: &str) -> Option<Self> {
        let is = |known: &&str| has_name_key(known, key);
        WORDS.iter().find(|(_, words)| words.iter().any(is)).map(|(role, _)| *role)
    }

    /// The role of the zone that a word names; `None`: other programs do not have such a zone.
    pub(crate) fn of_zone(zones: &[Zone], word: &str) -> Option<Self> {
        match named_zone(zones, word) {
            Some(0) => Some(Self::Main),
            Some(at) => names(&zones[at]).find_map(Self::of_word),
            None => Self::of_word(word),
        }
    }

    /// The position of the first zone of this role. Cards outside of the deck are in none.
    pub(crate) fn position(self, zones: &[Zone]) -> Option<usize> {
        let has_role = |zone: &Zone| Self::of_zone(zones, &zone.code) == Some(self);
        zones.iter().position(has_role).filter(|_| self != Self::Outside)
    }

    /// The first word for the role.
    pub(crate) fn word(self) -> &'static str {
        let words = WORDS.iter().find(|(role, _)| *role == self);
        words.map_or(MAIN_ZONE, |(_, words)| words[0])
    }
}

/// The position of the zone that a word means: the one that it names, or else the one of the role that the word has in all games. `main` is the first zone of a
/// game that names none so.
pub(crate) fn meant_zone(zones: &[Zone], word: &str) -> Option<usize> {
    named_zone(zones, word).or_else(|| Role::of_word(word.trim())?.position(zones))
}

/// The position of the zone with this code, or else with this alias or name. Games of older versions may have a word for two zones.
fn named_zone(zones: &[Zone], word: &str) -> Option<usize> {
    // Most entries have the code.
    let exact = zones.iter().position(|zone| &*zone.code == word);
    exact.or_else(|| {
        let key = name_key(word);
        let is = |name: &str| has_name_key(name, &key);
        let by_code = zones.iter().position(|zone| is(&zone.code));
        let by_alias = || zones.iter().position(|zone| zone.aliases.iter().any(|alias| is(alias)));
        by_code.or_else(by_alias).or_else(|| zones.iter().position(|zone| is(&zone.name)))
    })
}

fn names(zone: &Zone) -> impl Iterator<Item = &str> {
    let aliases = zone.aliases.iter().map(String::as_str);
    [&*zone.code, zone.name.as_str()].into_iter().chain(aliases)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(code: &str, name: &str, aliases: &[&str]) -> Zone {
        let aliases = aliases.iter().map(|alias| (*alias).to_owned()).collect();
        Zone { code: code.into(), name: name.to_owned(), aliases }
    }

    #[test]
    fn a_word_means_a_zone_by_code_alias_name_and_role() {
        let zones = [
            zone("hold", "Cargo hold", &[]),
            zone("captain", "Captain", &["👑", "Cmdr", "extra", "dock"]),
            zone("reserve", "Side deck", &[]),
            zone("extra", "Dock", &[]),
        ];
        for (word, expected) in [
            ("hold", Some(0)),
            ("cargo-HOLD", Some(0)),
            ("main", Some(0)),
            ("Deck", Some(0)),
            ("cmdr", Some(1)),
            ("👑", Some(1)),
            ("Sideboard", Some(2)),
            ("SB", Some(2)),
            ("Réserve", Some(2)),
            ("Hauptdeck", Some(0)),
            // A code counts more than an alias, and an alias more than a name.
            ("Extra", Some(3)),
            ("Dock", Some(1)),
            ("companion", None),
            ("maybeboard", None),
            ("attic", None),
        ] {
            assert_eq!(meant_zone(&zones, word), expected, "{word}");
        }
        let with_main = [zone("leader", "Leader", &[]), zone("main", "Crew", &[])];
        assert_eq!(meant_zone(&with_main, "main"), Some(1));
    }
}
