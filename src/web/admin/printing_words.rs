//! Text of the pages of print runs.

use crate::domain::printing::minting::PlanWarning;

pub(super) const PRINT_RUNS_ABOUT: &str = "Print runs, the newest first. Codes are only in print files, which are written once, on the command line: nobody can read them here.";
pub(super) const NO_RUNS: &str =
    "Nothing was printed yet. Plan a run, announce it, and print it on the command line.";
pub(super) const PRINT_RUN: &str = "A print run";
pub(super) const MADE: &str = "Print file written";
pub(super) const COPIES: &str = "Copies";
pub(super) const PER_CARD: &str = "Copies of each card";
pub(super) const PER_CARD_HELP: &str = "Its rarities share them by their weights.";
pub(super) const ACTIVE_SINCE: &str = "Codes count since";
pub(super) const DISCARDED_AT: &str = "Broken off";
pub(super) const REVEALED_AT: &str = "Revealed";
pub(super) const KEY: &str = "Serial key";
pub(super) const ITS_ANNOUNCEMENT: &str = "The announcement that it was printed from";
pub(super) const FILE_HASH: &str = "SHA-256 of the print file:";
pub(super) const PACKING_HASH: &str = "SHA-256 of the packing list:";

/// The status of a print run.
pub(super) fn run_status(status: &str) -> &'static str {
    match status {
        "pending" => "Copies come in",
        "active" => "Codes count",
        "discarded" => "Broken off",
        _ => "Something else",
    }
}

pub(super) const SET_HELP: &str = "The codes of its game and its own, as ttcg/hearth. There are more sets than a list can show: some are suggested as you type.";
pub(super) const NO_SUCH_SET: &str = "There is no such set.";

// Plans.
pub(super) const PLAN_RUN: &str = "Plan a print run";
pub(super) const PLAN_ABOUT: &str =
    "See what a run would contain. Nothing is stored, and no code is created.";
pub(super) const PLAN: &str = "Plan it";
pub(super) const NO_SETS: &str = "There is no set to print yet. Import one first.";
pub(super) const WOULD_HOLD: &str = "The run would hold";
pub(super) const BEFORE_PRINTING: &str = "Know this before you print";
pub(super) const WEIGHT: &str = "Weight";
pub(super) const FEWEST: &str = "Fewest of a card";
pub(super) const MOST: &str = "Most of a card";
pub(super) const PACKS: &str = "Packs";
pub(super) const PER_PACK: &str = "Cards in a pack";
pub(super) const PER_PACK_HELP: &str = "1 to 1000; empty: 10. A lore card is not counted.";
pub(super) const LEFT_OVER: &str = "Copies left over";
pub(super) const PACK_WEIGHT: &str = "Weight of a pack";
pub(super) const DEAL: &str = "Deal the copies into packs";
pub(super) const DEAL_HELP: &str =
    "With the usual weights of cards and inserts. The API accepts other weights.";
pub(super) const MAY_REMAIN: &str = "Copies that make no whole pack may be left over";
pub(super) const LORE_CARDS: &str = "Numbers of lore cards";
pub(super) const LORE_CARDS_HELP: &str = "With commas between them; empty: the set has none.";
pub(super) const COPIES_FAULT: &str = "Must be a whole number from 1 to 10,000,000.";
pub(super) const PER_PACK_FAULT: &str = "Must be a whole number from 1 to 1000, or empty.";
pub(super) const ANNOUNCE: &str = "Announce this run";
pub(super) const ANNOUNCE_ABOUT: &str = "An announcement publishes a hash of this plan and of a seed that is drawn for it. It cannot be changed or taken back; a run is printed exactly as it was announced.";

/// A warning about a plan; `rarity`: its name.
pub(super) fn plan_warning(warning: &PlanWarning, rarity: &str) -> String {
    match warning {
        PlanWarning::NoCopy(_) => {
            format!("No card gets a copy as {rarity}: the run is too small for it.")
        }
        PlanWarning::SomeWithout(_) => {
            format!("Some cards get no copy as {rarity}: the run is too small for it.")
        }
    }
}

/// The weight of a pack, in milligrams.
pub(super) fn weight(weight: u64, tolerance: u32) -> String {
    format!("{weight} mg ± {tolerance}")
}

// Announcements.
pub(super) const ANNOUNCEMENT: &str = "An announced print run";
pub(super) const NO_ANNOUNCEMENTS: &str = "No run of this set was announced.";
pub(super) const CHOOSE_SET: &str = "Choose a set to see what was announced of it.";
pub(super) const PRINT_IT: &str = "Print it";
pub(super) const PRINT_ABOUT: &str = "On the machine of the service. The file that it writes has the codes: it is for the printer alone, and cannot be written a second time. A run in packs has a packing list, too: add --packing-list and the name of a file for it.";
pub(super) const REVEAL: &str = "Reveal it";
pub(super) const REVEAL_ABOUT: &str = "Once the packs are sold, you can publish seed and plan. Then everybody can check that the run is as it was announced.";
pub(super) const REVEAL_QUESTION: &str = "Reveal this print run?";
pub(super) const REVEAL_WARNING: &str = "This cannot be undone. Everybody who knows the seed knows the contents of each pack: reveal a run only when its packs are sold.";
pub(super) const REVEAL_NOW: &str = "Reveal it for good";
pub(super) const KEEP_SEALED: &str = "Keep it sealed";
pub(super) const OPENING: &str = "Seed and plan, as everybody can read them";

/// The confirmation of an action that was completed on the page before, by its code; empty: none.
pub(super) fn done(code: &str) -> &'static str {
    match code {
        "announced" => "The run is announced: its hash is public.",
        "revealed" => "The run is revealed: everybody can check it.",
        _ => "",
    }
}
