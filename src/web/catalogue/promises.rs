//! Announced print runs and their contents. The contents of a run are hidden by a hash until the run is revealed.

use std::collections::BTreeMap;

use cardscape_engine::Game;

use super::values::rarity_name;
use crate::app::printing::print_commitments::CommitmentResponse;
use crate::domain::printing::promise::{PromisedPacks, RunPromise};
use crate::web::words;

/// Digits of a hash that distinguish announcements from each other.
const SHORT: usize = 8;

/// A print run that was announced.
#[derive(Debug)]
pub(super) struct Announcement {
    pub(super) day: String,
    pub(super) at: String,
    /// The state of the run, as in the API.
    state: &'static str,
    pub(super) status: String,
    pub(super) hash: String,
    /// The API path of the announcement, which contains the opening once the run is revealed; and the label of the link.
    pub(super) data_path: String,
    pub(super) data: String,
    /// The promised contents; `None`: the run is not revealed.
    pub(super) promise: Option<Promise>,
}

/// The promised contents of a run.
#[derive(Debug)]
pub(super) struct Promise {
    pub(super) title: String,
    pub(super) per_card: String,
    pub(super) copies: String,
    pub(super) packs: String,
    /// The rarities, most common first.
    pub(super) rarities: Vec<PromisedRarity>,
}

/// The promised copies of a rarity in a run.
#[derive(Debug)]
pub(super) struct PromisedRarity {
    code: String,
    pub(super) name: String,
    pub(super) copies: i64,
    pub(super) count: String,
    /// Share of all copies of the run.
    pub(super) share: String,
}

impl Announcement {
    /// An announcement as everybody may see it. `promise`: the promised contents, if the run is revealed.
    pub(super) fn new(
        game: &Game,
        announced: CommitmentResponse,
        promise: Option<&RunPromise>,
    ) -> Self {
        let day = words::day_of(announced.announced_at);
        let short = announced.commitment.get(..SHORT).unwrap_or_default();
        Self {
            at: announced.announced_at.to_rfc3339(),
            state: announced.status,
            status: words::run_status(announced.status),
            data_path: format!("/v1/print-commitments/{}", announced.id),
            data: words::data_of_announcement(short),
            promise: promise
                .map(|promise| Promise::new(game, promise, words::promise_of(&day, short))),
            hash: announced.commitment,
            day,
        }
    }
}

impl Promise {
    fn new(game: &Game, run: &RunPromise, title: String) -> Self {
        let packs = run.packs.map(|PromisedPacks { packs, copies_per_pack, remainder }| {
            words::packs(signed(packs), copies_per_pack, signed(remainder))
        });
        let place = |code: &str| game.rarities().iter().position(|rarity| rarity.code == code);
        let mut rarities: Vec<_> = run.by_rarity.iter().collect();
        rarities.sort_by_key(|(code, _)| place(code).unwrap_or(usize::MAX));
        let rarity = |(code, &copies): (&String, &u64)| PromisedRarity {
            name: rarity_name(game, code),
            code: code.clone(),
            copies: signed(copies),
            count: words::grouped(signed(copies)),
            share: words::share(copies, run.copies),
        };
        Self {
            title,
            per_card: words::grouped(signed(run.copies_per_card)),
            copies: words::grouped(signed(run.copies)),
            packs: packs.unwrap_or_else(|| words::NO_PACKS.to_owned()),
            rarities: rarities.into_iter().map(rarity).collect(),
        }
    }
}

/// The promised copies of a set by the code of the rarity, over all printed runs; `None`: no run was printed, or one of them is not revealed.
pub(super) fn promised(announcements: &[Announcement]) -> Option<BTreeMap<String, i64>> {
    let mut copies: BTreeMap<String, i64> = BTreeMap::new();
    for announcement in announcements {
        match (announcement.state, &announcement.promise) {
            ("revealed", Some(promise)) => {
                for rarity in &promise.rarities {
                    *copies.entry(rarity.code.clone()).or_default() += rarity.copies;
                }
            }
            // These runs have no printed copies.
            ("announced" | "broken_off", _) => {}
            _ => return None,
        }
    }
    (!copies.is_empty()).then_some(copies)
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn announcement(state: &'static str, copies: Option<&[(&str, i64)]>) -> Announcement {
        let text = String::new;
        let rarity = |(code, copies): &(&str, i64)| PromisedRarity {
            code: (*code).to_owned(),
            name: text(),
            copies: *copies,
            count: text(),
            share: text(),
        };
        let promise = |copies: &[(&str, i64)]| Promise {
            title: text(),
            per_card: text(),
            copies: text(),
            packs: text(),
            rarities: copies.iter().map(rarity).collect(),
        };
        Announcement {
            day: text(),
            at: text(),
            state,
            status: text(),
            hash: text(),
            data_path: text(),
            data: text(),
            promise: copies.map(promise),
        }
    }

    #[test]
    fn promised_copies_are_known_once_all_printed_runs_are_revealed() {
        let revealed = || announcement("revealed", Some(&[("common", 3), ("rare", 1)]));
        let all = promised(&[revealed(), announcement("broken_off", None), revealed()]).unwrap();
        assert_eq!((all["common"], all["rare"]), (6, 2));
        assert!(promised(&[revealed(), announcement("printed", None)]).is_none());
        assert!(promised(&[announcement("announced", None)]).is_none());
        assert!(promised(&[]).is_none());
    }
}
