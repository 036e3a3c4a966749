//! Plans how many copies of each printing a print run contains.
//!
//! Every card of the set gets the same number of copies. The rarities of a card share them by weight, in whole copies, by
//! the method of the largest remainder (Hamilton): each rarity first gets its share rounded down; the remaining copies
//! go, one each, to the rarities with the largest remainders. If remainders are equal, the card's position in the set
//! decides which rarity comes first, one step further with each card, so that over a set no rarity gains by its place in
//! the list. The computation is exact: it uses only integers, without rounding.

use serde::{Serialize, Serializer};
use thiserror::Error;

use crate::domain::ids::{CardId, PrintingId};

/// Most codes of one run. A run is in memory, with 20 bytes per code.
pub const MAX_CODES: u64 = 10_000_000;

/// A printing that a run may contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintingToPrint {
    /// Which.
    pub id: PrintingId,
    pub rarity: String,
    /// The rarity's weight in its game.
    pub weight: u32,
    /// The rarity's tier in its game; `u32::MAX` if the game does not have it any more.
    pub tier: u32,
}

/// A card of the set, its printings from the most common to the rarest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardToPrint {
    /// Which.
    pub id: CardId,
    /// Its number in the set.
    pub number: String,
    /// The printings, at least one.
    pub printings: Vec<PrintingToPrint>,
}

/// One line of a plan: the number of copies of a printing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanLine<'a> {
    /// Number of the card.
    pub number: &'a str,
    pub printing: &'a PrintingToPrint,
    /// How many copies; 0 if a small run does not reach the tier.
    pub copies: u64,
}

/// The copies of a rarity in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RarityShare {
    pub rarity: String,
    pub weight: u32,
    /// Its tier in the game.
    pub tier: u32,
    /// Copies of all cards together.
    pub copies: u64,
    /// Fewest copies for a card that has this rarity.
    pub fewest: u64,
    /// Most copies for a card that has this rarity.
    pub most: u64,
}

/// A print run before it is printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintPlan {
    copies_per_card: u64,
    cards: Vec<(CardToPrint, Vec<u64>)>,
}

/// A warning about a plan.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PlanWarning {
    /// No card gets a copy in this rarity.
    #[error("no card gets a copy in rarity {0}: the run is too small for it")]
    NoCopy(String),
    /// Some cards get no copy in this rarity.
    #[error("some cards get no copy in rarity {0}: the run is too small for it")]
    SomeWithout(String),
}

impl Serialize for PlanWarning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Why there is no plan.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PlanError {
    /// The set has no cards.
    #[error("the set has no cards")]
    NoCards,
    /// The run would have no copies.
    #[error("a run needs at least one copy of each card (copies_per_card)")]
    NoCopies,
    /// A card has no rarity with a weight.
    #[error("card {0} has no printing that takes copies")]
    NoPrinting(String),
    /// The run would have more codes than allowed.
    #[error(
        "the run would have {0} codes; at most {MAX_CODES} go into one run: plan fewer copies_per_card, and another run for the rest"
    )]
    TooMany(u128),
    /// The cards do not have equally many copies, so a run over the whole set cannot make them equal.
    #[error(
        "every card of a set has the same number of copies, {expected} now, but {cards} of this set differ"
    )]
    Unequal {
        /// Copies that each card should have.
        expected: i64,
        /// Cards that differ, with their copies: `013 (0), 014 (0)`; of many, the first ones and the number of the others.
        cards: String,
    },
}

impl PrintPlan {
    /// Plans `copies_per_card` copies of each of `cards`, in the order of the set.
    pub fn new(cards: Vec<CardToPrint>, copies_per_card: u64) -> Result<Self, PlanError> {
        if cards.is_empty() {
            return Err(PlanError::NoCards);
        }
        if copies_per_card == 0 {
            return Err(PlanError::NoCopies);
        }
        let codes = cards.len() as u128 * u128::from(copies_per_card);
        if codes > u128::from(MAX_CODES) {
            return Err(PlanError::TooMany(codes));
        }
        let planned = cards.into_iter().enumerate().map(|(position, card)| {
            let weights: Vec<u32> = card.printings.iter().map(|printing| printing.weight).collect();
            match apportion(copies_per_card, &weights, position) {
                Some(copies) => Ok((card, copies)),
                None => Err(PlanError::NoPrinting(card.number)),
            }
        });
        Ok(Self { copies_per_card, cards: planned.collect::<Result<_, _>>()? })
    }

    pub fn copies_per_card(&self) -> u64 {
        self.copies_per_card
    }

    /// Cards in the run.
    pub fn card_count(&self) -> usize {
        self.cards.len()
    }

    /// Codes in the run.
    pub fn copy_count(&self) -> u64 {
        self.copies_per_card * self.cards.len() as u64
    }

    /// The lines in the order of the set, rarities from the most common.
    pub fn lines(&self) -> impl Iterator<Item = PlanLine<'_>> {
        self.cards.iter().flat_map(|(card, copies)| {
            let lines = card.printings.iter().zip(copies);
            lines.map(|(printing, &copies)| PlanLine { number: &card.number, printing, copies })
        })
    }

    /// The copies of each rarity, from the lowest tier up: the first cards may lack some rarities.
    pub fn shares(&self) -> Vec<RarityShare> {
        let mut shares: Vec<RarityShare> = Vec::new();
        for PlanLine { printing, copies, .. } in self.lines() {
            match shares.iter_mut().find(|share| share.rarity == printing.rarity) {
                Some(share) => {
                    share.copies += copies;
                    share.fewest = share.fewest.min(copies);
                    share.most = share.most.max(copies);
                }
                None => shares.push(RarityShare {
                    rarity: printing.rarity.clone(),
                    weight: printing.weight,
                    tier: printing.tier,
                    copies,
                    fewest: copies,
                    most: copies,
                }),
            }
        }
        shares.sort_by_key(|share| share.tier);
        shares
    }

    /// Warnings before printing: rarities in which some or all cards get no copy.
    pub fn warnings(&self) -> Vec<PlanWarning> {
        let missing =
            self.shares().into_iter().filter(|share| share.fewest == 0 && share.weight > 0);
        missing
            .map(|share| match share.most {
                0 => PlanWarning::NoCopy(share.rarity),
                _ => PlanWarning::SomeWithout(share.rarity),
            })
            .collect()
    }
}

/// Splits `total` by `weights` in whole numbers, each within 1 of its exact share. `turn` decides which of equal remainders
/// comes first. `None`: all weights are 0.
pub(super) fn apportion(total: u64, weights: &[u32], turn: usize) -> Option<Vec<u64>> {
    let sum: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
    if sum == 0 {
        return None;
    }
    let exact = weights.iter().map(|&weight| u128::from(total) * u128::from(weight));
    let (mut copies, remainders): (Vec<u64>, Vec<u128>) =
        exact.map(|share| (u64::try_from(share / sum).unwrap_or(u64::MAX), share % sum)).unzip();
    let left = total - copies.iter().sum::<u64>();
    let count = weights.len();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&place| {
        (std::cmp::Reverse(remainders[place]), (place + count - turn % count) % count)
    });
    // The remainders add up to `left` times `sum`, and each is below `sum`, so at least `left` of them are greater than 0.
    for &place in order.iter().take(usize::try_from(left).unwrap_or(count)) {
        copies[place] += 1;
    }
    Some(copies)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Weights of TTCG (T-4.6e read as weights, T-A12).
    const TTCG: [u32; 6] = [40, 20, 10, 4, 2, 1];

    fn cards(count: usize, weights: &[u32]) -> Vec<CardToPrint> {
        let printings = |_| {
            let printing = |(tier, &weight): (u32, &u32)| PrintingToPrint {
                id: PrintingId::generate(),
                rarity: format!("tier_{tier}"),
                weight,
                tier,
            };
            (0..).zip(weights).map(printing).collect()
        };
        (0..count)
            .map(|place| CardToPrint {
                id: CardId::generate(),
                number: format!("{:03}", place + 1),
                printings: printings(place),
            })
            .collect()
    }

    #[test]
    fn t_a12_shares_are_weights() {
        assert_eq!(apportion(77, &TTCG, 3), Some(vec![40, 20, 10, 4, 2, 1]));
        assert_eq!(apportion(7700, &TTCG, 0), Some(vec![4000, 2000, 1000, 400, 200, 100]));
        // The exact shares are 5.19, 2.60, 1.30, 0.52, 0.26, 0.13: the two remaining copies go to .60 and .52.
        assert_eq!(apportion(10, &TTCG, 0), Some(vec![5, 3, 1, 1, 0, 0]));
        assert_eq!(apportion(1, &TTCG, 5), Some(vec![1, 0, 0, 0, 0, 0]));
    }

    #[test]
    fn one_rarity_takes_all() {
        let plan = PrintPlan::new(cards(3, &[1]), 12).unwrap();
        assert_eq!(plan.lines().map(|line| line.copies).collect::<Vec<_>>(), [12, 12, 12]);
        assert!(plan.warnings().is_empty());
    }

    #[test]
    fn shares_are_listed_by_tier_also_if_the_first_cards_lack_some() {
        let mut cards = cards(3, &TTCG);
        cards[0].printings.retain(|printing| [0, 3].contains(&printing.tier));
        cards[1].printings.retain(|printing| [0, 5].contains(&printing.tier));
        let plan = PrintPlan::new(cards, 77).unwrap();
        let tiers: Vec<u32> = plan.shares().iter().map(|share| share.tier).collect();
        assert_eq!(tiers, [0, 1, 2, 3, 4, 5]);
        // What an announcement promises is in the order of the set.
        let rarities: Vec<&str> =
            plan.lines().take(4).map(|line| line.printing.rarity.as_str()).collect();
        assert_eq!(rarities, ["tier_0", "tier_3", "tier_0", "tier_5"]);
    }

    #[test]
    fn equal_remainders_take_turns() {
        let plan = PrintPlan::new(cards(6, &[1; 6]), 4).unwrap();
        assert!(plan.shares().iter().all(|share| share.copies == 4), "{:?}", plan.shares());
        assert_eq!(plan.warnings().len(), 6, "each rarity is missing from some cards");
    }

    #[test]
    fn warns_about_tiers_without_copies_in_a_small_run() {
        let plan = PrintPlan::new(cards(2, &TTCG), 10).unwrap();
        let warnings = plan.warnings().into_iter().map(|warning| warning.to_string());
        assert_eq!(
            warnings.collect::<Vec<_>>(),
            [
                "no card gets a copy in rarity tier_4: the run is too small for it",
                "no card gets a copy in rarity tier_5: the run is too small for it",
            ]
        );
        assert_eq!(plan.copy_count(), 20);
    }

    #[test]
    fn refuses_plans_that_cannot_be_printed() {
        assert_eq!(PrintPlan::new(vec![], 10), Err(PlanError::NoCards));
        assert_eq!(PrintPlan::new(cards(1, &TTCG), 0), Err(PlanError::NoCopies));
        assert_eq!(
            PrintPlan::new(cards(1, &[0, 0]), 1),
            Err(PlanError::NoPrinting("001".to_owned()))
        );
        assert_eq!(PrintPlan::new(cards(1, &[]), 1), Err(PlanError::NoPrinting("001".to_owned())));
        let codes = u128::from(u64::MAX) * 3;
        assert_eq!(PrintPlan::new(cards(3, &TTCG), u64::MAX), Err(PlanError::TooMany(codes)));
    }

    proptest! {
        #[test]
        fn shares_are_exact(total in 0u64..=MAX_CODES, weights in prop::collection::vec(0u32..=1_000_000, 1..12), turn in 0usize..1000) {
            prop_assume!(weights.iter().any(|&weight| weight > 0));
            let copies = apportion(total, &weights, turn).unwrap();
            prop_assert_eq!(copies.iter().sum::<u64>(), total);
            let sum: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
            for (&got, &weight) in copies.iter().zip(&weights) {
                let (got, exact) = (u128::from(got) * sum, u128::from(total) * u128::from(weight));
                prop_assert!(got.abs_diff(exact) < sum, "within 1 of the exact share");
            }
        }

        #[test]
        fn every_card_gets_the_same(count in 1usize..60, copies in 1u64..5000, weights in prop::collection::vec(1u32..100, 1..8)) {
            let plan = PrintPlan::new(cards(count, &weights), copies).unwrap();
            let mut by_card = std::collections::BTreeMap::<&str, u64>::new();
            for line in plan.lines() {
                *by_card.entry(line.number).or_default() += line.copies;
            }
            prop_assert_eq!(by_card.len(), count);
            prop_assert!(by_card.values().all(|&sum| sum == copies));
            prop_assert_eq!(plan.shares().iter().map(|share| share.copies).sum::<u64>(), plan.copy_count());
        }

        #[test]
        fn no_rarity_gains_by_its_place(count in 1usize..12, copies in 1u64..200) {
            let shares = PrintPlan::new(cards(count * 5, &[1; 5]), copies).unwrap().shares();
            prop_assert!(shares.iter().all(|share| share.copies == shares[0].copies));
        }
    }
}
