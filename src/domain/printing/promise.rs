//! The promises of a revealed print run, as numbers.

use std::collections::BTreeMap;

use super::commitment::{Opening, OpeningError};
use super::packs::PackPlan;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPromise {
    pub copies_per_card: u64,
    /// Copies of all cards.
    pub copies: u64,
    /// The packs; `None`: the copies are not packed.
    pub packs: Option<PromisedPacks>,
    /// Copies by the code of the rarity.
    pub by_rarity: BTreeMap<String, u64>,
}

/// The packs of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromisedPacks {
    /// Whole packs.
    pub packs: u64,
    pub copies_per_pack: u32,
    /// Copies that are in no pack.
    pub remainder: u64,
}

impl RunPromise {
    /// Reads the promises from the opening of an announcement. The text grows with the set: reading the plan of 10,000 cards takes some milliseconds.
    pub fn read(opening: &str) -> Result<Self, OpeningError> {
        let plan = Opening::parse(opening)?.plan;
        let packs = PackPlan::new(&plan).ok().flatten().map(|packs| PromisedPacks {
            packs: packs.packs,
            copies_per_pack: packs.parameters().cards_per_pack,
            remainder: packs.remainder,
        });
        let mut by_rarity: BTreeMap<String, u64> = BTreeMap::new();
        for line in &plan.lines {
            if let Some(copies) = by_rarity.get_mut(line.rarity()) {
                *copies += line.copies();
            } else {
                by_rarity.insert(line.rarity().to_owned(), line.copies());
            }
        }
        let (copies_per_card, copies) = (plan.copies_per_card, plan.copy_count());
        Ok(Self { copies_per_card, copies, packs, by_rarity })
    }
}
