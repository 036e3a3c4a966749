//! Causes of a failed request other than its input.

pub use cardscape_artwork::ArtworkError;
use thiserror::Error;

use crate::domain::catalogue::migration::MergeRefusal;
use crate::domain::printing::minting::PlanError;
use crate::domain::printing::packs::PackError;

/// The cause of a failed request. `Display` writes the detail of the problem.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ProblemCause {
    /// Two cards cannot become one.
    #[error(transparent)]
    Merge(MergeRefusal),
    /// The print run cannot be planned.
    #[error("Refused: {0}.")]
    Plan(PlanError),
    /// The print run cannot be divided into packs.
    #[error("Refused: {0}.")]
    Packs(PackError),
    /// The name of the design is taken.
    #[error("{0} has this name, or one that looks the same.")]
    NameTaken(NameHolder),
    /// A file has more faults than are listed.
    #[error("{all} faults; the first {listed} are listed.")]
    ManyFaults {
        /// All values.
        all: usize,
        /// Those that are listed.
        listed: usize,
    },
    /// The file is not an acceptable picture.
    #[error("{}.", capitalised(&.0.to_string()))]
    Artwork(ArtworkError),
}

/// The card or design that already has the name.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum NameHolder {
    /// An open card.
    #[error("A card ({set} {number})")]
    Card {
        /// Code of its set.
        set: String,
        /// Its number.
        number: String,
    },
    /// Another design.
    #[error("Another design")]
    Design,
    /// A design that took the name while this design was hidden.
    #[error("Meanwhile another design")]
    NewerDesign,
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_for_api_clients_do_not_change() {
        let card = NameHolder::Card { set: "hearth".to_owned(), number: "001".to_owned() };
        for (cause, message) in [
            (ProblemCause::Merge(MergeRefusal::Itself), "A card cannot be merged into itself."),
            (ProblemCause::Plan(PlanError::NoCards), "Refused: the set has no cards."),
            (
                ProblemCause::Packs(PackError::NoPack { copies: 3, cards_per_pack: 10 }),
                "Refused: packs: 3 copies do not fill a pack of 10.",
            ),
            (
                ProblemCause::NameTaken(card),
                "A card (hearth 001) has this name, or one that looks the same.",
            ),
            (
                ProblemCause::NameTaken(NameHolder::Design),
                "Another design has this name, or one that looks the same.",
            ),
            (
                ProblemCause::NameTaken(NameHolder::NewerDesign),
                "Meanwhile another design has this name, or one that looks the same.",
            ),
            (
                ProblemCause::Artwork(ArtworkError::Animated),
                "The picture is animated; send a still one.",
            ),
        ] {
            assert_eq!(cause.to_string(), message);
        }
    }
}
