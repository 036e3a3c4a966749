//! Which cards of a deck a player has: in the printing that the deck names, in another one, or not at all.

use std::collections::BTreeMap;

use cardscape_engine::{CardReference, DeckEntry, name_key};

use crate::domain::ids::CardId;

/// Cards of a printing that a player has: counted and registered together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedPrinting {
    /// The card.
    pub card: CardId,
    /// Name of the card: cards of one name are printings of each other here.
    pub name: String,
    /// Code of its set.
    pub set: String,
    /// Its number in the set.
    pub number: String,
    /// Code of the rarity.
    pub rarity: String,
    /// How many.
    pub quantity: u64,
}

/// A card of a deck, and how many of it a player has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardAvailability {
    /// The name as the deck writes it first.
    pub name: String,
    /// Copies in all zones of the deck.
    pub needed: u64,
    /// Copies that the player has, in any printing.
    pub owned: u64,
    /// Of the needed ones, those that the player has in the printing that the deck names; any printing will do where it names none.
    pub in_named_printing: u64,
    /// Of the needed ones, those that the player has in another printing only.
    pub in_other_printing: u64,
    /// Of the needed ones, those that the player has not.
    pub missing: u64,
}

/// The cards of a deck by their names, in the order in which the deck names them first.
///
/// ```
/// use cardscape::domain::decks::availability::{OwnedPrinting, availabilities};
/// use cardscape::domain::ids::CardId;
/// use cardscape_engine::parse_deck_text;
/// let deck = parse_deck_text("3 Kettle Imp (hearth) 016\n1 Ember").deck;
/// let owned = |set: &str, quantity| OwnedPrinting {
///     card: CardId::fresh(), name: "Kettle Imp".into(), set: set.into(), number: "16".into(), rarity: "common".into(), quantity,
/// };
/// let found = availabilities(&deck.entries, &[owned("hearth", 1), owned("reprints", 1)]);
/// let imp = &found[0];
/// assert_eq!((imp.needed, imp.in_named_printing, imp.in_other_printing, imp.missing), (3, 1, 1, 1));
/// assert_eq!((found[1].owned, found[1].missing), (0, 1));
/// ```
pub fn availabilities(entries: &[DeckEntry], owned: &[OwnedPrinting]) -> Vec<CardAvailability> {
    let mut order: Vec<String> = Vec::new();
    let mut cards: BTreeMap<String, Vec<&DeckEntry>> = BTreeMap::new();
    for entry in entries {
        let key = card_key(&entry.card);
        let lines = cards.entry(key.clone()).or_insert_with(|| {
            order.push(key);
            Vec::new()
        });
        lines.push(entry);
    }
    let mut printings: BTreeMap<String, Vec<(&OwnedPrinting, u64)>> = BTreeMap::new();
    for printing in owned {
        printings.entry(name_key(&printing.name)).or_default().push((printing, printing.quantity));
    }
    let availability = |key: String| {
        let mut lines = cards.remove(&key)?;
        let mut left = printings.remove(&key).unwrap_or_default();
        let sum =
            |left: &[(&OwnedPrinting, u64)]| left.iter().map(|(_, copies)| copies).sum::<u64>();
        let owned = sum(&left);
        let name = lines.first()?.card.name.clone();
        let needed: u64 = lines.iter().map(|entry| u64::from(entry.quantity)).sum();
        // Who names more of a printing takes first: what names none takes what is left.
        lines.sort_by_key(|entry| std::cmp::Reverse(named_parts(&entry.card)));
        let mut in_named_printing = 0;
        for entry in lines {
            let mut wanted = u64::from(entry.quantity);
            for (_, copies) in left.iter_mut().filter(|(one, _)| is_named(&entry.card, one)) {
                let taken = wanted.min(*copies);
                wanted -= taken;
                *copies -= taken;
                in_named_printing += taken;
            }
        }
        let in_other_printing = sum(&left).min(needed - in_named_printing);
        let missing = needed - in_named_printing - in_other_printing;
        Some(CardAvailability {
            name,
            needed,
            owned,
            in_named_printing,
            in_other_printing,
            missing,
        })
    };
    order.into_iter().filter_map(availability).collect()
}

/// What is one card: its name, or the place of one that is hidden from the reader.
fn card_key(card: &CardReference) -> String {
    let place = || {
        format!(
            "({}) {}",
            card.set.as_deref().unwrap_or_default(),
            card.number.as_deref().unwrap_or_default()
        )
    };
    if card.name.is_empty() { place() } else { name_key(&card.name) }
}

fn named_parts(card: &CardReference) -> usize {
    [&card.set, &card.number, &card.rarity].into_iter().flatten().count()
}

/// Whether a printing is what the deck names.
fn is_named(card: &CardReference, printing: &OwnedPrinting) -> bool {
    let plain = |number: &str| number.trim_start_matches('0').to_lowercase();
    let same = |named: &Option<String>, has: &str| {
        named.as_deref().is_none_or(|named| named.trim().eq_ignore_ascii_case(has))
    };
    same(&card.set, &printing.set)
        && same(&card.rarity, &printing.rarity)
        && card
            .number
            .as_deref()
            .is_none_or(|number| plain(number.trim()) == plain(&printing.number))
}

#[cfg(test)]
mod tests {
    use cardscape_engine::parse_deck_text;

    use super::*;

    fn owned(set: &str, rarity: &str, quantity: u64) -> OwnedPrinting {
        let (name, number) = ("Ping".to_owned(), "7".to_owned());
        OwnedPrinting {
            card: CardId::fresh(),
            name,
            set: set.into(),
            number,
            rarity: rarity.into(),
            quantity,
        }
    }

    fn of(list: &str, owned: &[OwnedPrinting]) -> (u64, u64, u64, u64) {
        let found = availabilities(&parse_deck_text(list).deck.entries, owned);
        assert_eq!(found.len(), 1, "{found:?}");
        let CardAvailability { needed, in_named_printing, in_other_printing, missing, .. } =
            found[0];
        (needed, in_named_printing, in_other_printing, missing)
    }

    #[test]
    fn a_copy_is_used_once() {
        let three = [owned("a", "rare", 1), owned("b", "common", 2)];
        assert_eq!(of("1 Ping\n1 Ping (a) 007 {rare}\nSide\n2 ping", &three), (4, 3, 0, 1));
        assert_eq!(of("2 Ping (a)", &three), (2, 1, 1, 0));
        assert_eq!(of("5 Ping {gold}", &three), (5, 0, 3, 2));
        assert_eq!(of("5 Ping", &[]), (5, 0, 0, 5));
    }
}
