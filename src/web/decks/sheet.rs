//! The cards of a deck by zone and kind, and the curves of their attributes.

use cardscape_engine::{DeckStatistics, Game};

use super::words as deck_words;
use crate::app::decks::deck_sheets::{DeckSheet, SheetCard, SheetEntry};
use crate::web::catalogue::card_path;
use crate::web::words;

/// A zone with its cards.
pub(super) struct ZoneView {
    pub(super) name: String,
    pub(super) count: String,
    pub(super) kinds: Vec<KindView>,
}

/// The cards of a kind.
pub(super) struct KindView {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) rows: Vec<CardRow>,
}

/// An entry.
pub(super) struct CardRow {
    pub(super) quantity: u32,
    pub(super) card: CardView,
}

/// A card of a deck.
pub(super) struct CardView {
    pub(super) name: String,
    /// The page of the card; `None`: the card is unknown.
    pub(super) path: Option<String>,
    /// The name of the rarity, or the place of a hidden card.
    pub(super) about: Option<String>,
}

/// The zones of a deck. `game`: its code.
pub(super) fn zones(game: &str, sheet: &DeckSheet) -> Vec<ZoneView> {
    let zones = sheet.zones.iter().map(|zone| ZoneView {
        name: zone.name.clone().unwrap_or_else(|| words::titled(&zone.code)),
        count: deck_words::card_count(zone.cards),
        kinds: zone
            .kinds
            .iter()
            .map(|kind| KindView {
                name: kind.name.clone().unwrap_or_else(|| {
                    let is_hidden =
                        |entry: &SheetEntry| matches!(entry.card, SheetCard::Hidden { .. });
                    let any_hidden = kind.entries.iter().any(is_hidden);
                    let name = if any_hidden {
                        deck_words::HIDDEN_OR_NOT_KNOWN
                    } else {
                        deck_words::NOT_KNOWN
                    };
                    name.to_owned()
                }),
                count: kind.cards,
                rows: kind.entries.iter().map(|entry| row(game, entry)).collect(),
            })
            .collect(),
    });
    zones.collect()
}

fn row(game: &str, entry: &SheetEntry) -> CardRow {
    let card = CardView::new(game, &entry.card, entry.rarity.as_deref());
    CardRow { quantity: entry.quantity, card }
}

impl CardView {
    /// A card with the name of its rarity, if the entry has one. `game`: its code.
    pub(super) fn new(game: &str, card: &SheetCard, rarity: Option<&str>) -> Self {
        let rarity = rarity.map(str::to_owned);
        let (name, path, about) = match card {
            SheetCard::Known { name, set, number, .. } => {
                (name.clone(), Some(card_path(game, set, number)), rarity)
            }
            SheetCard::Hidden { place } => {
                let path = place.as_ref().map(|(set, number)| card_path(game, set, number));
                let about = place.as_ref().map(|(set, number)| words::place(set, number));
                (words::HIDDEN_CARD.to_owned(), path, about)
            }
            SheetCard::Unknown { written } => (written.clone(), None, rarity),
        };
        Self { name, path, about }
    }
}

/// The distribution of the values of an attribute in the main zone.
pub(super) struct CurveView {
    pub(super) title: String,
    pub(super) about: String,
    /// Each value with its number of cards.
    pub(super) bars: Vec<(String, u64)>,
    /// The paths of its chart for light and for dark pages; `None`: the deck is not stored.
    pub(super) charts: Option<(String, String)>,
}

/// The curves of the main zone: of each numeric attribute whose values differ between the cards.
pub(super) fn curves(game: &Game, counted: &DeckStatistics, deck: Option<&str>) -> Vec<CurveView> {
    let Some(zone) = counted.zones.first() else { return Vec::new() };
    let numbers = zone.attributes.iter().filter_map(|(code, values)| {
        let numbers = values.numbers.as_ref()?;
        Some((code, numbers))
    });
    let curves = numbers.filter(|(_, numbers)| numbers.min < numbers.max).map(|(code, numbers)| {
        let named = game.kinds().iter().find_map(|kind| kind.attributes.get(code));
        let name = words::titled(named.map_or(code, |attribute| &attribute.name));
        let bars = numbers.curve.iter().filter(|bar| bar.copies > 0);
        let mut bars: Vec<(String, u64)> =
            bars.map(|bar| (bar.value.to_string(), bar.copies)).collect();
        // The values beyond each end of a long curve share one bar.
        if numbers.below > 0 {
            bars.insert(0, (deck_words::BELOW.to_owned(), numbers.below));
        }
        if numbers.above > 0 {
            bars.push((deck_words::ABOVE.to_owned(), numbers.above));
        }
        CurveView {
            title: deck_words::curve(&name),
            about: deck_words::mean(numbers.mean, numbers.median),
            bars,
            charts: deck.map(|deck| {
                let path = format!("/decks/{deck}/chart?of={code}");
                (path.clone(), format!("{path}&theme=dark"))
            }),
        }
    });
    curves.collect()
}
