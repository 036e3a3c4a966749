//! The differences between two decks, by cards and not by lines of text.

use std::collections::BTreeMap;

use cardscape_engine::{CardReference, DeckEntry, name_key};

use crate::domain::ids::CardId;

/// A card whose number of copies in a zone differs between two decks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardDifference {
    pub zone: String,
    /// The card as the later deck writes it, or as the earlier deck does if the later one does not have the card.
    pub card: CardReference,
    /// The card to which the entry is bound.
    pub card_id: Option<CardId>,
    /// Copies in the earlier deck.
    pub before: u64,
    /// Copies in the later deck.
    pub after: u64,
}

/// Identifies the card of an entry in a zone: the card to which it is bound, otherwise its name; and the parts of the printing that the entry contains.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CardKey {
    zone: String,
    name: String,
    card_id: Option<CardId>,
    set: Option<String>,
    number: Option<String>,
    rarity: Option<String>,
}

impl CardKey {
    fn new(entry: &DeckEntry, card_id: Option<CardId>, same_card: Option<CardId>) -> Self {
        let lower = |part: &Option<String>| part.as_deref().map(str::to_lowercase);
        let CardReference { name, set, number, rarity } = &entry.card;
        Self {
            zone: entry.zone.clone(),
            // If only one of the decks has bound this reference, it is the same card in the other deck.
            name: if card_id.or(same_card).is_some() { String::new() } else { name_key(name) },
            card_id: card_id.or(same_card),
            set: lower(set),
            number: number.as_deref().map(|number| number.trim_start_matches('0').to_lowercase()),
            rarity: lower(rarity),
        }
    }
}

/// The cards whose number of copies differs, by zone, in the order in which the decks name them. The order, splitting and spelling of entries do not
/// matter.
///
/// ```
/// use cardscape::domain::decks::diff::differences;
/// use cardscape_engine::parse_deck_text;
/// let before = parse_deck_text("2 Kettle Imp\n1 Bellows Smith").deck.entries;
/// let after = parse_deck_text("1 kettle imp\n1 Kettle Imp\n3 Ember").deck.entries;
/// let entries = |entries: &[_]| entries.iter().cloned().map(|entry| (entry, None)).collect::<Vec<_>>();
/// let found = differences(&entries(&before), &entries(&after));
/// let found: Vec<_> = found.iter().map(|one| (&*one.card.name, one.before, one.after)).collect();
/// assert_eq!(found, [("Ember", 0, 3), ("Bellows Smith", 1, 0)]);
/// ```
pub fn differences(
    before: &[(DeckEntry, Option<CardId>)],
    after: &[(DeckEntry, Option<CardId>)],
) -> Vec<CardDifference> {
    let both = || after.iter().chain(before);
    let reference = |card: &CardReference| {
        let CardReference { name, set, number, .. } = card;
        (name_key(name), set.clone(), number.clone())
    };
    let bound: BTreeMap<_, CardId> = both()
        .filter(|(entry, _)| !entry.card.name.is_empty())
        .filter_map(|(entry, card)| Some((reference(&entry.card), (*card)?)))
        .collect();
    let key = |entry: &DeckEntry, card: Option<CardId>| {
        CardKey::new(entry, card, bound.get(&reference(&entry.card)).copied())
    };
    let mut order: Vec<CardKey> = Vec::new();
    let mut found: BTreeMap<CardKey, CardDifference> = BTreeMap::new();
    for (entry, card) in both() {
        let key = key(entry, *card);
        found.entry(key.clone()).or_insert_with(|| {
            let card_id = key.card_id;
            order.push(key);
            let (zone, card) = (entry.zone.clone(), entry.card.clone());
            CardDifference { zone, card, card_id, before: 0, after: 0 }
        });
    }
    let add = |found: &mut BTreeMap<CardKey, CardDifference>,
               entries: &[(DeckEntry, Option<CardId>)],
               side: fn(&mut CardDifference) -> &mut u64| {
        for (entry, card) in entries {
            if let Some(difference) = found.get_mut(&key(entry, *card)) {
                *side(difference) += u64::from(entry.quantity);
            }
        }
    };
    add(&mut found, before, |one| &mut one.before);
    add(&mut found, after, |one| &mut one.after);
    let listed = order.into_iter().filter_map(|key| found.remove(&key));
    listed.filter(|one| one.before != one.after).collect()
}

#[cfg(test)]
mod tests {
    use cardscape_engine::parse_deck_text;
    use uuid::Uuid;

    use super::*;

    fn entries(text: &str, cards: &[u128]) -> Vec<(DeckEntry, Option<CardId>)> {
        let ids = cards.iter().map(|id| (*id > 0).then(|| CardId(Uuid::from_u128(*id))));
        parse_deck_text(text)
            .deck
            .entries
            .into_iter()
            .zip(ids.chain(std::iter::repeat(None)))
            .collect()
    }

    fn shown(
        before: &[(DeckEntry, Option<CardId>)],
        after: &[(DeckEntry, Option<CardId>)],
    ) -> Vec<String> {
        let differences = differences(before, after);
        differences
            .iter()
            .map(|one| format!("{} {} {}>{}", one.zone, one.card.name, one.before, one.after))
            .collect()
    }

    #[test]
    fn lines_that_mean_the_same_do_not_differ() {
        let one = entries("2 Kettle Imp\n1 Pong\nSide\n1 Ping", &[1, 0, 0]);
        let other = entries("1 Pong\n1 KETTLE IMP\n1 kettle  imp\n[side]\n1 Ping", &[]);
        assert_eq!(shown(&one, &other), Vec::<String>::new());
    }

    #[test]
    fn zones_and_printings_differ() {
        let before = entries("2 Ping\n1 Pong (a) 017", &[]);
        let after = entries("1 Ping\n1 Pong (b) 3\nSide\n1 Ping", &[]);
        assert_eq!(
            shown(&before, &after),
            ["main Ping 2>1", "main Pong 0>1", "side Ping 0>1", "main Pong 1>0"]
        );
        assert_eq!(shown(&entries("1 Pong (A) 17", &[]), &before), ["main Ping 0>2"]);
    }

    #[test]
    fn no_number_of_copies_overflows() {
        let many = entries(&"10000 Ping\n".repeat(500), &[]);
        assert_eq!(shown(&many, &[]), ["main Ping 5000000>0"]);
    }
}
