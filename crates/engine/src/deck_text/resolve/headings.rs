//! Lines that are headings, totals or facts rather than cards.

use super::resolver::{Resolver, Strictness};
use crate::deck_text::draft::{DraftEntry, Parts};
use crate::deck_text::line::{
    in_parentheses, looks_like_header, place_with_dash, quantity, without_cards, without_count,
    without_marks,
};
use crate::deck_text::read_deck::Guess;
use crate::deck_text::recognise::has_own_marks;
use crate::deck_text::zones::{Place, is_heading, place};
use crate::manifest::Game;

/// The text in square brackets that a whole line consists of.
pub(super) fn in_brackets(line: &str) -> Option<&str> {
    line.strip_prefix('[')?.strip_suffix(']').map(str::trim)
}

impl Resolver<'_> {
    /// Whether a line is the name of a card, and not the header of a zone that the game has.
    pub(super) fn is_card_rather_than_zone(&self, label: &str, line: &str) -> bool {
        let place = place(self.catalogue.game(), label);
        let is_zone = matches!(place, Place::Zone { known: true, .. });
        !is_zone && label == line && !self.catalogue.named(line).is_empty()
    }

    /// Whether a line that seems to have the word for a zone before a name is the name of a card as a whole.
    pub(super) fn has_zone_in_name(&self, entry: &DraftEntry<'_>, line: &str) -> bool {
        entry.zone.is_some()
            && entry.quantity.is_none()
            && entry.readings.is_some()
            && !self.catalogue.named(line).is_empty()
    }

    /// Whether a line in square brackets is the name of a card, and no header of a zone or of a kind of cards.
    pub(super) fn is_card_in_brackets(&self, label: &str, line: &str) -> bool {
        let game = self.catalogue.game();
        in_brackets(line) == Some(label)
            && place(game, label) == Place::Category
            && !is_heading(game, label)
            && (!self.catalogue.named(label).is_empty() || self.is_place_of_card(label))
    }

    /// The same in a list of which only some lines are our own text.
    pub(super) fn is_marked_card_in_brackets(&self, line: &str) -> bool {
        self.strictness == Strictness::Marked
            && in_brackets(line).is_some_and(|label| self.is_card_in_brackets(label, line))
    }

    /// Whether a text is a set of the game and a number with a dash between them, alone or before the name of a card. The set may not have the number: then the
    /// card is one that is not known, and no heading.
    fn is_place_of_card(&self, text: &str) -> bool {
        place_with_dash(text).is_some_and(|parts| {
            (parts.name.is_empty() || !self.catalogue.named(&parts.name).is_empty())
                && parts.set.as_deref().is_some_and(|set| self.is_set_of_cards(set))
        })
    }

    /// Whether the game has a set of this code or name, which is no word for a zone or a kind of cards, so that a number after it is that of a card.
    pub(super) fn is_set_of_cards(&self, written: &str) -> bool {
        let game = self.catalogue.game();
        self.is_set(written)
            && place(game, written) == Place::Category
            && !is_heading(game, written)
    }

    /// Whether a line that means no card says something about the deck. `Deck: 8 Rack` does, unless the word is a zone: other lines have one in front, too, or the
    /// line says which printing it means.
    pub(super) fn is_fact_alone(&self, entry: &DraftEntry<'_>, text: &str) -> bool {
        let Parts { set, number, rarity, .. } = &entry.card;
        let has_printing = set.is_some() || number.is_some() || rarity.is_some();
        // In a table, zones stand in a column.
        let has_zone_in_front = entry.zone.is_some()
            && entry.readings.is_some()
            && entry.assumed != Some(Guess::ColumnsGuessed);
        let may_be_name = has_zone_in_front && !self.has_zones_in_front && !has_printing;
        (entry.quantity.is_none() || may_be_name) && is_fact(text)
    }

    /// Whether a line in square brackets is a heading and no zone, because the game has no such zone, in a list of which only some lines are our own text. In
    /// quotes, the zone is our own text, too.
    pub(super) fn is_heading_rather_than_zone(&self, label: &str, line: &str) -> bool {
        self.strictness == Strictness::Marked
            && place(self.catalogue.game(), label) == Place::Category
            && !has_own_marks(line)
    }
}

/// Whether a line lists several cards with their counts, as in `Salt (2), Silk (1)`. A heading has only one count, unless each part is a word for a zone or a
/// kind of cards: `Ships (12), Cargo (8)`.
pub(super) fn has_several_cards(game: &Game, line: &str) -> bool {
    let is_counted = |part: &&str| {
        let bare = part.trim_end().trim_end_matches([')', ']']);
        let front = bare.trim_end_matches(|character: char| character.is_ascii_digit());
        front.len() < bare.len()
            && bare.len() < part.trim_end().len()
            && front.ends_with(['(', '['])
    };
    let is_known = |part: &str| {
        let label = without_count(part);
        place(game, label) != Place::Category || is_heading(game, label)
    };
    let Some((before, _)) = line.rsplit_once([',', ';']) else { return false };
    before.split([',', ';']).any(|part| is_counted(&part)) && !line.split([',', ';']).all(is_known)
}

/// The label of a line in brackets, without its count: `[4 Creatures]`, `(60 cards)`, `(Sideboard: 15)`.
pub(super) fn label_in_brackets(line: &str) -> Option<&str> {
    let inner = in_brackets(line).or_else(|| in_parentheses(line))?;
    let (_, text) = quantity(inner).ok()?;
    Some(without_count(text))
}

/// Whether a line is a header that readers of the game know: the word for a zone or for a kind of cards. Lists also have headings that only look like one, and
/// such a line may be a card that was written in an unusual way.
pub fn is_known_heading(game: &Game, line: &str) -> bool {
    let label = without_count(without_marks(line));
    let is_common = ["about", "metadata"].iter().any(|word| label.eq_ignore_ascii_case(word));
    label.is_empty()
        || is_common
        || place(game, label) != Place::Category
        || is_heading(game, label)
}

/// Whether a line only says how many cards there are: `60 cards`.
pub(in crate::deck_text) fn is_total(entry: &DraftEntry<'_>) -> bool {
    let text = entry.readings.map_or("", |(text, _)| text.trim_end_matches([':', '.']));
    let words = ["card", "cards", "cards total", "total cards", "cards in total"];
    entry.quantity.is_some() && words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Whether a line is the sum of the quantities above it, as spreadsheets have it: `Total`, two tabs, `60`.
pub(in crate::deck_text) fn is_sum(entry: &DraftEntry<'_>, line: &str) -> bool {
    const WORDS: [&str; 8] =
        ["total", "totals", "grand total", "sum", "gesamt", "summe", "totale", "suma"];
    let is_word = |text: &str| {
        let text = text.trim_matches([' ', '\t', ':', '.', '=']);
        WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
    };
    match entry.readings.filter(|_| entry.assumed != Some(Guess::ColumnsGuessed)) {
        Some((text, _)) if entry.quantity.is_some() => is_word(text),
        Some(_) => {
            let line = without_cards(line);
            let label = line.trim_end_matches(|character: char| character.is_ascii_digit());
            label.len() < line.len() && is_word(label)
        }
        // A line of a table.
        None => {
            entry.card.set.is_none() && entry.card.number.is_none() && is_word(&entry.card.name)
        }
    }
}

/// Whether a line says something about the deck: `Format: Standard`, `Deck: Embers`, `by ada`.
pub(in crate::deck_text) fn is_fact(line: &str) -> bool {
    const KEYS: [&str; 6] = ["format", "deck", "deck name", "name", "author", "game"];
    let is_key = |key: &str| KEYS.iter().any(|known| key.trim().eq_ignore_ascii_case(known));
    let is_author = line.strip_prefix("by ").is_some_and(|name| !name.trim().contains(' '));
    let fact = line.split_once(':').filter(|(_, value)| !value.trim().is_empty());
    is_author || fact.is_some_and(|(key, _)| is_key(key))
}

/// The name of the deck that such a line states.
pub(in crate::deck_text) fn stated_name(line: &str) -> Option<&str> {
    let (key, value) = line.split_once(':')?;
    let is_name =
        ["name", "deck", "deck name"].iter().any(|known| key.trim().eq_ignore_ascii_case(known));
    Some(value.trim()).filter(|value| is_name && !value.is_empty())
}

pub(super) fn is_heading_line(
    entry: &DraftEntry<'_>,
    (text, leads): (&str, bool),
    is_heading: impl Fn(&str) -> bool,
) -> bool {
    // `1. Creatures (12)` may be a heading with a number.
    let may_be_number = entry.assumed == Some(Guess::QuantityBeforePoint);
    (entry.quantity.is_none() || may_be_number)
        && entry.readings.is_some()
        && (looks_like_header(text, leads) || is_heading(without_count(text)))
}
