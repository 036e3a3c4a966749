//! Hands after mulligans.

use serde::Serialize;

use super::hypergeometric::Hypergeometric;
use super::match_count::MatchCount;
use super::odds_error::OddsError;
use super::probability::{Fraction, Probability};
use crate::play::Mulligan;

/// The hand of a player after a number of mulligans, if every hand before was given back because it had too few matching cards.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct MulliganHand {
    /// Mulligans before this hand; 0 is the opening hand.
    pub mulligans: u32,
    /// Cards drawn for it; all cards of the zone when there are no more.
    pub drawn: u32,
    /// Cards that the player keeps, after putting back what the rules ask for. The player puts back so that the hand is acceptable, if it can be.
    pub kept: u32,
    /// How likely it is that this hand is acceptable.
    pub this_hand: Probability,
    /// How likely it is that this hand or one before was acceptable.
    pub by_now: Probability,
}

/// The hands up to `times` mulligans; the first is the opening hand. Every hand is drawn from the whole shuffled deck, so that hands do not depend on
/// those before.
pub(super) fn mulligan_hands(
    mulligan: Mulligan,
    times: u32,
    hand_size: u32,
    wanted: MatchCount,
    (population, successes): (u64, u64),
) -> Result<Vec<MulliganHand>, OddsError> {
    let mut hands = Vec::new();
    // The probabilities that no hand so far was acceptable, and that one was.
    let mut none_so_far = Probability::exact(Fraction { numerator: 1, denominator: 1 });
    let mut some_so_far = 0.0;
    for mulligans in 0..=times.min(mulligan.times()) {
        let (drawn, put_back) = mulligan.hand_after(mulligans, hand_size);
        let drawn = drawn.min(u32::try_from(population).unwrap_or(u32::MAX));
        let kept = drawn.saturating_sub(put_back);
        let hand = Hypergeometric::new(population, successes, drawn.into())?;
        let (acceptable, unacceptable) = chances(&hand, wanted, kept, drawn);
        some_so_far += none_so_far.value * acceptable.value;
        let fraction = none_so_far
            .fraction
            .zip(unacceptable.fraction)
            .and_then(|(left, right)| left.times(right));
        none_so_far = Probability { value: none_so_far.value * unacceptable.value, fraction };
        let by_now = fraction.and_then(Fraction::complement);
        hands.push(MulliganHand {
            mulligans,
            drawn,
            kept,
            this_hand: acceptable,
            by_now: by_now.map_or_else(|| Probability::rounded(some_so_far), Probability::exact),
        });
    }
    Ok(hands)
}

/// How likely it is that a hand is acceptable, and that it is not; each summed separately, because a subtraction would lose precision.
fn chances(
    hand: &Hypergeometric,
    wanted: MatchCount,
    kept: u32,
    drawn: u32,
) -> (Probability, Probability) {
    let certain = Probability::exact(Fraction { numerator: 1, denominator: 1 });
    if wanted.min > u64::from(kept) || wanted.max.is_some_and(|max| max < wanted.min) {
        return (Probability::NEVER, certain);
    }
    // If there are more matching cards than wanted, the player can put back as many of them as the rules ask for.
    let put_back = u64::from(drawn - kept);
    let max = wanted.max.map(|max| max.saturating_add(put_back));
    let acceptable = hand.probability(MatchCount { max, ..wanted });
    let too_few = wanted.min.checked_sub(1).map(MatchCount::at_most);
    let too_many = max.and_then(|max| max.checked_add(1)).map(MatchCount::at_least);
    let part =
        |span: Option<MatchCount>| span.map_or(Probability::NEVER, |span| hand.probability(span));
    let (too_few, too_many) = (part(too_few), part(too_many));
    let unacceptable = match acceptable.fraction.and_then(Fraction::complement) {
        Some(fraction) => Probability::exact(fraction),
        None => Probability::rounded(too_few.value + too_many.value),
    };
    (acceptable, unacceptable)
}
