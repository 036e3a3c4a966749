//! The content of a deck in numbers.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::distribution::{Distribution, ValueCounts};
use super::meaning::{Line, lines_of};
use crate::alike::are_alike;
use crate::catalogue::Catalogue;
use crate::deck::{CardReference, Deck};
use crate::schema::AttributeValue;
use crate::validate::zone_index;
use crate::violation::CardMention;

/// Counts, shares and curves of a deck.
///
/// It depends on what is in the deck, never on the order of its lines or on how copies are split over them.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct DeckStatistics {
    /// Code of the game.
    #[cfg_attr(feature = "openapi", schema(value_type = String, example = "ttcg"))]
    pub game: Arc<str>,
    /// All cards together, unknown ones and unknown zones included.
    pub cards: u64,
    /// Every zone of the game, in the order of the manifest.
    pub zones: Vec<ZoneStatistics>,
    /// Cards in zones that the game does not have; they count nowhere else.
    pub elsewhere: u64,
}

/// Counts, shares and curves of one zone of a deck. Every card is in exactly one of `known` and `unknown`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct ZoneStatistics {
    /// Code of the zone.
    #[cfg_attr(feature = "openapi", schema(value_type = String, example = "main"))]
    pub zone: Arc<str>,
    /// Number of cards.
    pub cards: u64,
    /// Copies whose card the catalogue knows.
    pub known: u64,
    /// Of the known ones: copies for which several cards of the catalogue fit what the deck writes, that differ in more than set and number. They
    /// count where all these cards say the same, and are `unclear` where they differ.
    pub ambiguous: u64,
    /// Of the known ones: copies of a name that the catalogue knows, but not in the set, number or rarity that the deck writes. What differs
    /// between the cards of the name is `unclear`, and so are their set and rarity.
    pub other_printings: u64,
    /// Copies that no card of the catalogue fits. They are in no distribution.
    pub unknown: u64,
    /// The unknown cards as the deck writes them, sorted, with their copies; at most [`Self::UNKNOWN_MAX`].
    pub unknown_cards: Vec<CardMention>,
    /// Unknown cards that are not listed.
    pub unknown_cards_left_out: u64,
    /// By kind of card.
    pub kinds: Distribution,
    /// By set of the card that is meant.
    pub sets: Distribution,
    /// By rarity, where the deck writes one.
    pub rarities: Distribution,
    /// By each attribute of the game's schema, regardless of the kinds.
    pub attributes: BTreeMap<String, Distribution>,
}

impl ZoneStatistics {
    /// Maximum number of unknown cards that are listed.
    pub const UNKNOWN_MAX: usize = 100;
}

/// Counts the cards of a deck by all attributes of its game's schema.
///
/// It never panics, and equal inputs give equal answers. Entries without copies are ignored. If an attribute differs by rarity and the deck states
/// the rarity, the value is that of the printing; otherwise it is the card's own (the base printing's). The size of the answer is limited for every
/// deck: lists of values, unknown cards and bars of curves are cut, and say how much they leave out.
///
/// ```
/// use cardscape_engine::*;
///
/// # let game = Game::from_toml(r#"
/// #     code = "pond"
/// #     name = "Pond"
/// #     rules_version = "pond/1"
/// #     [[kinds]]
/// #     code = "fish"
/// #     name = "Fish"
/// #     attributes.size = { type = "integer" }
/// # "#)?;
/// # let card = |name: &str, size: i64| PoolCard {
/// #     key: name.to_owned(),
/// #     set: "shore".to_owned(),
/// #     released_on: None,
/// #     definition: serde_json::from_value(serde_json::json!({
/// #         "number": name, "name": name, "kind": "fish", "attributes": { "size": size },
/// #     })).unwrap(),
/// # };
/// # let catalogue = Catalogue::builder(&game).add(card("Carp", 2)).add(card("Pike", 5)).build();
/// // In the catalogue are a carp of size 2 and a pike of size 5.
/// let deck = parse_deck_text("3 Carp\n1 Pike\n2 Crab\n").deck;
/// let statistics = deck_statistics(&deck, &catalogue);
/// let main = &statistics.zones[0];
/// assert_eq!((main.cards, main.known, main.unknown), (6, 4, 2));
/// let size = &main.attributes["size"];
/// assert_eq!((size.values[0].share.numerator, size.values[0].share.denominator), (3, 4));
/// let numbers = size.numbers.as_ref().unwrap();
/// assert_eq!((numbers.mean, numbers.median), (2.75, 2.0));
/// let curve: Vec<u64> = numbers.curve.iter().map(|bar| bar.copies).collect();
/// assert_eq!(curve, [3, 0, 0, 1]); // sizes 2, 3, 4, 5
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn deck_statistics(deck: &Deck, catalogue: &Catalogue) -> DeckStatistics {
    let zones = catalogue.game().zones();
    let copies = |is_counted: &dyn Fn(&str) -> bool| {
        let counted = deck.entries.iter().filter(|entry| is_counted(&entry.zone));
        counted.map(|entry| u64::from(entry.quantity)).fold(0, u64::saturating_add)
    };
    let is_elsewhere = |zone: &str| usize::from(zone_index(zone, zones)) >= zones.len();
    let of_zone = |(at, zone): (usize, &crate::schema::Zone)| {
        zone_statistics(Arc::clone(&zone.code), &lines_of(deck, catalogue, at), catalogue)
    };
    DeckStatistics {
        game: catalogue.game().code().into(),
        cards: copies(&|_| true),
        zones: zones.iter().enumerate().map(of_zone).collect(),
        elsewhere: copies(&is_elsewhere),
    }
}

fn zone_statistics(zone: Arc<str>, lines: &[Line<'_>], catalogue: &Catalogue) -> ZoneStatistics {
    let count = |is_counted: &dyn Fn(&Line<'_>) -> bool| {
        let counted = lines.iter().filter(|line| is_counted(line));
        counted.map(Line::copies).fold(0, u64::saturating_add)
    };
    let known = count(&|line| line.is_known());
    let (unknown_cards, unknown_cards_left_out) = unknown_cards(lines);
    ZoneStatistics {
        zone,
        cards: count(&|_| true),
        known,
        ambiguous: count(&|line| !line.other_printing && !are_alike(catalogue, &line.candidates)),
        other_printings: count(&|line| line.other_printing),
        unknown: count(&|line| !line.is_known()),
        unknown_cards,
        unknown_cards_left_out,
        kinds: kinds(lines, catalogue, known),
        sets: sets(lines, catalogue, known),
        rarities: rarities(lines, catalogue, known),
        attributes: attributes(lines, catalogue, known),
    }
}

/// The unknown cards, and how many are not listed.
fn unknown_cards(lines: &[Line<'_>]) -> (Vec<CardMention>, u64) {
    let mut copies: BTreeMap<&CardReference, u64> = BTreeMap::new();
    for line in lines.iter().filter(|line| !line.is_known()) {
        let sum = copies.entry(&line.entry.card).or_default();
        *sum = sum.saturating_add(line.copies());
    }
    let left_out = copies.len().saturating_sub(ZoneStatistics::UNKNOWN_MAX);
    let listed = copies.into_iter().take(ZoneStatistics::UNKNOWN_MAX);
    let mention = |(card, copies): (&CardReference, u64)| CardMention {
        name: card.name.clone(),
        set: card.set.clone(),
        number: card.number.clone(),
        rarity: card.rarity.clone(),
        quantity: Some(copies),
        copy: None,
    };
    (listed.map(mention).collect(), left_out as u64)
}

fn kinds(lines: &[Line<'_>], catalogue: &Catalogue, known: u64) -> Distribution {
    let kind = |card: u32| catalogue.card(card).definition.kind.as_str();
    let mut counts = ValueCounts::default();
    for line in lines.iter().filter(|line| line.is_known()) {
        add(&mut counts, line, line.agreed(kind));
    }
    let order: Vec<&str> = catalogue.game().kinds().iter().map(|kind| kind.code.as_str()).collect();
    counts.finish(known, &order)
}

fn sets(lines: &[Line<'_>], catalogue: &Catalogue, known: u64) -> Distribution {
    let set = |card: u32| catalogue.card(card).set.as_str();
    let mut counts = ValueCounts::default();
    for line in lines.iter().filter(|line| line.is_known()) {
        let agreed = line.agreed(set).filter(|_| !line.other_printing);
        add(&mut counts, line, agreed);
    }
    counts.finish(known, &[])
}

fn rarities(lines: &[Line<'_>], catalogue: &Catalogue, known: u64) -> Distribution {
    let mut counts = ValueCounts::default();
    for line in lines.iter().filter(|line| line.is_known()) {
        match line.entry.card.rarity.as_deref().map(|written| catalogue.rarity_meant(written)) {
            None => counts.add(None, line.copies()),
            Some(code) => add(&mut counts, line, Some(&*code).filter(|_| !line.other_printing)),
        }
    }
    let rarities = catalogue.game().rarities();
    let order: Vec<&str> = rarities.iter().map(|rarity| rarity.code.as_str()).collect();
    counts.finish(known, &order)
}

/// Adds the copies of a line. `None`: the value is unclear.
fn add(counts: &mut ValueCounts, line: &Line<'_>, agreed: Option<&str>) {
    match agreed {
        Some(word) => counts.add(Some(&word.into()), line.copies()),
        None => counts.add_unclear(line.copies()),
    }
}

fn attributes(
    lines: &[Line<'_>],
    catalogue: &Catalogue,
    known: u64,
) -> BTreeMap<String, Distribution> {
    // The values of attributes with a fixed list of values, those of the first kind first.
    let mut orders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (code, attribute) in catalogue.game().kinds().iter().flat_map(|kind| &kind.attributes) {
        let order = orders.entry(code).or_default();
        if let AttributeValue::Choice { values } | AttributeValue::Choices { values, .. } =
            &attribute.value
        {
            order.extend(values.iter().map(String::as_str));
        }
    }
    let distribution = |(code, order): (&str, Vec<&str>)| {
        let mut counts = ValueCounts::default();
        for line in lines.iter().filter(|line| line.is_known()) {
            match line.agreed(|card| line.value(catalogue, card, code)) {
                Some(value) => counts.add(value, line.copies()),
                None => counts.add_unclear(line.copies()),
            }
        }
        (code.to_owned(), counts.finish(known, &order))
    };
    orders.into_iter().map(distribution).collect()
}
