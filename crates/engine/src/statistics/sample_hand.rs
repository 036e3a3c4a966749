//! Random opening hands.

use serde::Serialize;

use super::draw_odds::hand_size;
use super::draw_target::zone_of;
use super::odds_error::OddsError;
use crate::catalogue::Catalogue;
use crate::deck::{CardReference, Deck};
use crate::rng::{HashCounter, RandomNumbers};
use crate::validate::zone_index;
use crate::violation::CardMention;

/// An opening hand and the next draws.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct SampleHand {
    /// The seed.
    pub seed: u64,
    /// Cards of the zone that was drawn from.
    pub cards: u64,
    /// The opening hand, in the order in which it was drawn.
    pub opening_hand: Vec<SampleCard>,
    /// The draws after it.
    pub draws: Vec<SampleCard>,
}

/// One drawn card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct SampleCard {
    /// Place of its entry among those of the deck, from 0.
    pub entry: usize,
    /// As the deck writes it.
    pub written: CardReference,
    /// The card of the catalogue, as violations name it; absent when none is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<CardMention>,
}

impl SampleHand {
    /// Maximum number of cards that are drawn, including the opening hand.
    pub const CARDS_MAX: u32 = 1_000;
}

/// Draws an opening hand and `draws` further cards from a zone. The same seed and deck always give the same cards, with any catalogue.
///
/// `hand` is the size of the opening hand; `None`: the size that the manifest states. Fewer cards are drawn if the zone has fewer.
///
/// The promise: the cards of the zone have numbers from 0 on in the order of the deck's entries, copies of an entry one after the other. The
/// numbers come from [`HashCounter`] with the prefix `cardscape/sample-hand/1/` followed by the seed as 8 bytes, big-endian. For each draw,
/// [`RandomNumbers::below`] the number of cards that are left says which of these is drawn, counted from 0; the others keep their order.
///
/// ```
/// use cardscape_engine::*;
///
/// # let game = Game::from_toml("code = 'pond'\nname = 'Pond'\nrules_version = '1'\n[[kinds]]\ncode = 'fish'\nname = 'Fish'")?;
/// let catalogue = Catalogue::builder(&game).build();
/// let deck = parse_deck_text("4 Carp\n3 Pike\n1 Eel\n").deck;
/// let hand = sample_hand(&deck, &catalogue, "main", 7, Some(3), 2)?;
/// let names = |cards: &[SampleCard]| cards.iter().map(|card| card.written.name.clone()).collect::<Vec<_>>();
/// assert_eq!(names(&hand.opening_hand), ["Carp", "Pike", "Pike"]);
/// assert_eq!(names(&hand.draws), ["Carp", "Eel"]);
///
/// // The example of docs/DECK_STATISTICS.md: the number of the seed "monday" of the service.
/// let monday = rng::text_number("monday") & (u64::MAX >> 1);
/// let hand = sample_hand(&deck, &catalogue, "main", monday, Some(3), 2)?;
/// assert_eq!(names(&hand.opening_hand), ["Pike", "Carp", "Carp"]);
/// assert_eq!(names(&hand.draws), ["Eel", "Carp"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the game has no such zone, when neither `hand` nor the manifest says how large the opening hand is, or when more than
/// [`SampleHand::CARDS_MAX`] cards are to be drawn.
pub fn sample_hand(
    deck: &Deck,
    catalogue: &Catalogue,
    zone: &str,
    seed: u64,
    hand: Option<u32>,
    draws: u32,
) -> Result<SampleHand, OddsError> {
    let zone = zone_of(catalogue, zone)?;
    let hand = hand_size(hand, catalogue.game().play())?;
    let (wanted, max) = (u64::from(hand) + u64::from(draws), u64::from(SampleHand::CARDS_MAX));
    if wanted > max {
        return Err(OddsError::TooManyCards { max, actual: wanted });
    }
    let zones = catalogue.game().zones();
    // The index of each entry of the zone, and its remaining copies.
    let mut remaining_copies: Vec<(usize, u64)> = deck
        .entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| usize::from(zone_index(&entry.zone, zones)) == zone)
        .map(|(at, entry)| (at, u64::from(entry.quantity)))
        .collect();
    let cards = remaining_copies.iter().fold(0_u64, |sum, (_, copies)| sum.saturating_add(*copies));
    let mut prefix = b"cardscape/sample-hand/1/".to_vec();
    prefix.extend(seed.to_be_bytes());
    let mut numbers = HashCounter::new(&prefix);
    let mut drawn = Vec::new();
    for remaining in (1..=cards).rev().take(usize::try_from(wanted).unwrap_or_default()) {
        let place = u64::try_from(numbers.below(remaining.into())).unwrap_or_default();
        if let Some(entry) = take(&mut remaining_copies, place) {
            drawn.push(sample_card(deck, catalogue, entry));
        }
    }
    let in_hand = usize::try_from(hand).unwrap_or(usize::MAX).min(drawn.len());
    let rest = drawn.split_off(in_hand);
    Ok(SampleHand {
        seed,
        cards,
        opening_hand: drawn.into_iter().flatten().collect(),
        draws: rest.into_iter().flatten().collect(),
    })
}

/// Takes the card at this place among the remaining ones, and returns the index of its entry.
fn take(remaining_copies: &mut [(usize, u64)], mut place: u64) -> Option<usize> {
    for (entry, copies) in remaining_copies {
        if let Some(beyond) = place.checked_sub(*copies) {
            place = beyond;
        } else {
            *copies -= 1;
            return Some(*entry);
        }
    }
    None
}

fn sample_card(deck: &Deck, catalogue: &Catalogue, entry: usize) -> Option<SampleCard> {
    let written = deck.entries.get(entry)?.card.clone();
    let found = catalogue.resolve(&written, &mut Vec::new());
    let card = found.map(|found| catalogue.mention(found.card));
    Some(SampleCard { entry, written, card })
}
