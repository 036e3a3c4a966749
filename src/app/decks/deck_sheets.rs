//! Sheets: decks for people to read, by zone and kind, with the set and number of each card.

use cardscape_engine::{CardReference, Catalogue, Deck, DeckEntry, Game, Resolution};

use super::masks::Masks;
use crate::domain::ids::CardId;

/// A deck by zone and kind.
#[derive(Debug)]
pub struct DeckSheet {
    /// The zones that have entries: first the zones of the game in its order, then unknown zones under the names in the deck.
    pub zones: Vec<SheetZone>,
}

/// A zone of a deck.
#[derive(Debug)]
pub struct SheetZone {
    /// The code of the zone; for a zone that the game does not have, the name in the deck.
    pub code: String,
    /// The name of the zone; `None`: the game has no such zone.
    pub name: Option<String>,
    /// Copies in the zone.
    pub cards: u64,
    /// The entries by kind, in the order of the game; entries without a known kind come last.
    pub kinds: Vec<SheetKind>,
}

/// The cards of a kind.
#[derive(Debug)]
pub struct SheetKind {
    /// The name of the kind; `None`: the cards are hidden from the reader, or unknown.
    pub name: Option<String>,
    /// Copies of cards of this kind.
    pub cards: u64,
    /// The entries in the order of the deck.
    pub entries: Vec<SheetEntry>,
}

/// An entry of a deck.
#[derive(Debug)]
pub struct SheetEntry {
    /// Copies.
    pub quantity: u32,
    /// Name of the rarity, where the entry names one.
    pub rarity: Option<String>,
    /// The card of the entry.
    pub card: SheetCard,
}

/// The card of an entry.
#[derive(Debug)]
pub enum SheetCard {
    /// A card that the reader may see.
    Known {
        id: Option<CardId>,
        name: String,
        /// Code of its set.
        set: String,
        number: String,
        /// Code of the rarity in the entry, if the card has this rarity.
        rarity: Option<String>,
    },
    /// A card that is hidden from the reader.
    Hidden {
        /// Code of its set and its number; `None`: the card was deleted.
        place: Option<(String, String)>,
    },
    /// The entry matches no card that the reader may see.
    Unknown {
        /// The text of the entry: a name, or set and number where it has no name.
        written: String,
    },
}

impl DeckSheet {
    /// The sheet of a deck. `catalogue`: the cards that the reader may see.
    pub(super) fn new(game: &Game, deck: &Deck, masks: &Masks, catalogue: &Catalogue) -> Self {
        let mut zones: Vec<SheetZone> = game
            .zones()
            .iter()
            .map(|zone| SheetZone::new(zone.code.to_string(), Some(zone.name.clone())))
            .collect();
        for (at, entry) in deck.entries.iter().enumerate() {
            let zone = match zone_of(game, &entry.zone) {
                Some(zone) => zone,
                None => other_zone(&mut zones, &entry.zone),
            };
            let is_hidden = masks.hidden.contains_key(&at);
            let (kind, card) = card_of(&entry.card, is_hidden, catalogue);
            zones[zone].add(game, kind, entry, card);
        }
        zones.retain(|zone| !zone.kinds.is_empty());
        for zone in &mut zones {
            let order = |kind: &SheetKind| {
                let named = |name: &String| game.kinds().iter().position(|kind| kind.name == *name);
                kind.name.as_ref().and_then(named).unwrap_or(usize::MAX)
            };
            zone.kinds.sort_by_key(order);
        }
        Self { zones }
    }
}

impl SheetZone {
    fn new(code: String, name: Option<String>) -> Self {
        Self { code, name, cards: 0, kinds: Vec::new() }
    }

    fn add(&mut self, game: &Game, kind: Option<String>, entry: &DeckEntry, card: SheetCard) {
        let copies = u64::from(entry.quantity);
        self.cards += copies;
        let at = self.kinds.iter().position(|known| known.name == kind).unwrap_or_else(|| {
            self.kinds.push(SheetKind { name: kind, cards: 0, entries: Vec::new() });
            self.kinds.len() - 1
        });
        let rarity = rarity_name(game, &entry.card);
        self.kinds[at].cards += copies;
        self.kinds[at].entries.push(SheetEntry { quantity: entry.quantity, rarity, card });
    }
}

/// The zone of the game that an entry means, by the code of the zone or another name of it.
fn zone_of(game: &Game, written: &str) -> Option<usize> {
    let meant = game.zone_called(written)?;
    game.zones().iter().position(|zone| zone.code == meant.code)
}

/// The index of a zone that the game does not have; the zone is added if needed.
fn other_zone(zones: &mut Vec<SheetZone>, written: &str) -> usize {
    let known = zones.iter().position(|zone| zone.name.is_none() && zone.code == written);
    known.unwrap_or_else(|| {
        zones.push(SheetZone::new(written.to_owned(), None));
        zones.len() - 1
    })
}

/// The game's name for the rarity in an entry, if the entry has one.
pub(super) fn rarity_name(game: &Game, written: &CardReference) -> Option<String> {
    let written = written.rarity.as_ref()?;
    let named = game.rarity_called(written).map(|rarity| rarity.name.clone());
    Some(named.unwrap_or_else(|| written.clone()))
}

/// The kind of the card, if it is known, and the card.
pub(super) fn card_of(
    written: &CardReference,
    is_hidden: bool,
    catalogue: &Catalogue,
) -> (Option<String>, SheetCard) {
    let place = written.set.clone().zip(written.number.clone());
    if is_hidden {
        return (None, SheetCard::Hidden { place });
    }
    let resolution = catalogue.find(written);
    let (Resolution::Card(found) | Resolution::OtherPrinting(found)) = resolution else {
        let place = place.map(|(set, number)| format!("{set} {number}"));
        let name = Some(written.name.clone()).filter(|name| !name.is_empty());
        let written = name.or(place).unwrap_or_default();
        return (None, SheetCard::Unknown { written });
    };
    let (game, card) = (catalogue.game(), &found.definition);
    let kind = game.kind(&card.kind).map(|kind| kind.name.clone());
    let is_printed = matches!(resolution, Resolution::Card(_));
    let rarity = written.rarity.as_deref().filter(|_| is_printed);
    let known = SheetCard::Known {
        id: found.key.parse().ok().map(CardId),
        name: card.name.clone(),
        set: found.set.clone(),
        number: card.number.clone(),
        rarity: rarity.and_then(|word| game.rarity_called(word)).map(|rarity| rarity.code.clone()),
    };
    (kind, known)
}

#[cfg(test)]
mod tests {
    use cardscape_engine::{PoolCard, parse_deck_text};
    use serde_json::json;

    use super::*;

    fn catalogue() -> Catalogue {
        let manifest = r#"
            code = "pond"
            name = "Pond"
            rules_version = "pond/1"
            [[zones]]
            code = "main"
            name = "Water"
            aliases = ["deck"]
            [[zones]]
            code = "side"
            name = "Shore"
            [[kinds]]
            code = "fish"
            name = "Fish"
            [[kinds]]
            code = "weed"
            name = "Weed"
        "#;
        let game = Game::from_toml(manifest).unwrap();
        let card = |name: &str, kind: &str| PoolCard {
            key: name.to_owned(),
            set: "shore".to_owned(),
            released_on: None,
            definition: serde_json::from_value(
                json!({ "number": name.len().to_string(), "name": name, "kind": kind }),
            )
            .unwrap(),
        };
        let cards = [card("Carp", "fish"), card("Algae", "weed"), card("Crayfish", "fish")];
        Catalogue::builder(&game).extend(cards).build()
    }

    #[test]
    fn entries_are_grouped_by_zone_and_kind_and_none_is_lost() {
        let catalogue = catalogue();
        let mut deck = parse_deck_text("2 Algae\n3 Carp\n1 Crab\n1 Crayfish\n").deck;
        for (at, zone) in ["Deck", "main", "main", "attic"].into_iter().enumerate() {
            zone.clone_into(&mut deck.entries[at].zone);
        }
        let sheet = DeckSheet::new(catalogue.game(), &deck, &Masks::default(), &catalogue);
        let rows: Vec<_> = sheet
            .zones
            .iter()
            .map(|zone| {
                let kinds = zone.kinds.iter().map(|kind| (kind.name.as_deref(), kind.cards));
                (zone.code.as_str(), zone.name.as_deref(), zone.cards, kinds.collect::<Vec<_>>())
            })
            .collect();
        let main = vec![(Some("Fish"), 3), (Some("Weed"), 2), (None, 1)];
        let attic = vec![(Some("Fish"), 1)];
        assert_eq!(rows, [("main", Some("Water"), 6, main), ("attic", None, 1, attic)]);
    }

    #[test]
    fn a_masked_entry_shows_only_its_place() {
        let catalogue = catalogue();
        let mut deck = parse_deck_text("2 Carp\n").deck;
        deck.entries[0].card.set = Some("shore".to_owned());
        deck.entries[0].card.number = Some("4".to_owned());
        let card = crate::domain::ids::CardId(uuid::Uuid::nil());
        let masks = Masks::of_hidden([(0, card)]);
        let sheet = DeckSheet::new(catalogue.game(), &deck, &masks, &catalogue);
        let entry = &sheet.zones[0].kinds[0].entries[0];
        let SheetCard::Hidden { place: Some((set, number)) } = &entry.card else {
            panic!("{entry:?}")
        };
        assert_eq!((set.as_str(), number.as_str(), entry.quantity), ("shore", "4", 2));
    }
}
