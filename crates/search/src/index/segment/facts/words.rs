//! Index of cards by word.

use std::mem::replace;

use super::super::growing::Growing;
use super::super::lists::{Keyed, place};

/// Sets of cards by the rank of a word.
#[derive(Default)]
pub(super) struct WordFacts {
    /// Index of each rank's set in `sets`, from 1; 0: none.
    slots: Vec<u32>,
    sets: Vec<(u32, Growing)>,
}

impl WordFacts {
    /// The slot for the set of a rank; it may be empty.
    fn slot(&mut self, rank: u32) -> &mut u32 {
        let slot = rank as usize;
        if self.slots.len() <= slot {
            self.slots.resize(slot + 1, 0);
        }
        &mut self.slots[slot]
    }

    pub(super) fn push(&mut self, rank: u32, ordinal: u32) {
        let next = place(self.sets.len()) + 1;
        match self.slot(rank) {
            slot @ 0 => {
                *slot = next;
                self.sets.push((rank, Growing::One(ordinal)));
            }
            slot => {
                let at = *slot as usize - 1;
                self.sets[at].1.push(ordinal);
            }
        }
    }

    pub(super) fn append(&mut self, later: Self) {
        for (rank, set) in later.sets {
            let next = place(self.sets.len()) + 1;
            match self.slot(rank) {
                slot @ 0 => {
                    *slot = next;
                    self.sets.push((rank, set));
                }
                slot => {
                    let at = *slot as usize - 1;
                    self.sets[at].1.append(set);
                }
            }
        }
    }

    pub(super) fn finish(self) -> Keyed<u32> {
        let Self { slots, mut sets } = self;
        let known = slots.into_iter().filter_map(|slot| usize::try_from(slot).ok()?.checked_sub(1));
        Keyed::new(known.map(|at| replace(&mut sets[at], (0, Growing::One(0)))))
    }
}
