//! Text around the guides. The text of a guide is in its file.

pub(super) use crate::web::words::{DOCUMENTATION, NAME, SKIP};

pub(super) const API_TITLE: &str = "Cardscape API";
pub(super) const REFERENCE: &str = "Reference";
/// The text before the address of the contract.
pub(super) const NEEDS_SCRIPT: &str = "This page needs JavaScript. Here is the contract itself:";
pub(super) const CONTENTS: &str = "Contents";

pub(super) fn page_title(heading: &str) -> String {
    format!("{heading} – {NAME}")
}

/// A guide by its name below `/docs/`: its title in the list of guides, and a short description.
pub(super) const fn guide(name: &str) -> (&'static str, &'static str) {
    match name.as_bytes() {
        b"api" => ("API", "Errors, lists, caching and limits, then each part of the API"),
        b"clients" => ("Clients", "Clients from generators, in TypeScript and Python"),
        b"search" => ("Search", "The search language"),
        b"games" => ("Games", "Manifests of games, set files, formats and rules"),
        b"violations" => ("Violations", "The codes of what is wrong with decks, cards and sets"),
        b"deck-text" => ("Deck lists", "Deck lists of other programs, and share codes bit by bit"),
        b"deck-statistics" => {
            ("Deck statistics", "Counts, curves and the odds of draws, with their formulas")
        }
        b"effects" => ("Effects", "Effect texts from templates, and the way back"),
        b"operations" => ("Operations", "Running the service"),
        _ => panic!("a guide needs a title and a short description"),
    }
}
