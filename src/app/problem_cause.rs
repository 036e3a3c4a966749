//! Causes of a failed request other than its input.

pub use cardscape_artwork::ArtworkError;
use thiserror::Error;

use crate::domain::catalogue::migration::MergeRefusal;
use crate::domain::collection::Condition;
use crate::domain::designs::status::DesignStatus;
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
    /// The approval of the design is not revoked.
    #[error("{0}")]
    Revocation(RevocationRefusal),
    /// Nothing was decided: another revision of the design waits for the decision than the one that the moderator has read.
    #[error(
        "The submitted revision is {submitted}, not {read}: nothing was decided. Read the design again."
    )]
    OtherSubmission { read: i64, submitted: i64 },
    /// Nothing was released: another revision of the design is approved than the one that the admin has read.
    #[error(
        "The approved revision is {approved}, not {read}: nothing was released. Read the design again."
    )]
    OtherApproval { read: i64, approved: i64 },
    /// Nothing was decided: the report was sent again since the moderator has read it.
    #[error("It was reported again since you read it: nothing was decided. Read the report again.")]
    ReportedAgain,
    /// Nothing was decided: another moderator has decided about the report since this one has read it.
    #[error(
        "Another moderator has decided about it since you read it: nothing was decided. Read the report again."
    )]
    DecidedMeanwhile,
    /// Nothing was done: the copy belongs to another account than the one that the moderator has read about.
    #[error(
        "The copy has another owner now than the one that you read about: nothing was done. Read who owns it now."
    )]
    OtherOwner,
    /// Nothing was decided: the dispute has other statements than those that the moderator has read.
    #[error(
        "The number of statements is {stated} now, and was {read} when you read the dispute: nothing was decided. Read the dispute again."
    )]
    OtherStatements { read: i64, stated: i64 },
    /// No attempt is left until other submissions or log-ins are decided, which may give theirs back.
    #[error(
        "Other requests for this account or from your network are still being decided, and all attempts are reserved for them. This does not mean that a code or a password was wrong: send it again in 2 seconds."
    )]
    AttemptsInFlight,
    /// Nothing was imported: together with the counts that there are, some would be too large.
    #[error("Some counts would be too large.")]
    TooManyCards {
        /// How many.
        entries: usize,
        /// The first of them.
        named: Vec<CountedPrinting>,
    },
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

/// A printing in one condition, as the player may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedPrinting {
    /// Code of its game.
    pub game: String,
    /// Code of its set.
    pub set: String,
    /// Its number in the set.
    pub number: String,
    /// Its name; `None`: hidden from the player.
    pub name: Option<String>,
    /// Code of its rarity; `None`: hidden from the player.
    pub rarity: Option<String>,
    pub condition: Condition,
}

/// The card or design that already has the name.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum NameHolder {
    /// An open card.
    #[error("A card ({set} {number})")]
    Card {
        /// Code of its set.
        set: String,
        number: String,
    },
    /// Another design.
    #[error("Another design")]
    Design,
    /// A design that took the name while this design was hidden.
    #[error("Meanwhile another design")]
    NewerDesign,
}

/// Why the approval of a design is not revoked.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RevocationRefusal {
    /// Another revision is approved than the one that the moderator has read.
    #[error(
        "The approved revision is {approved}, not {read}: nothing was revoked. Read the design again."
    )]
    OtherRevision { read: i64, approved: i64 },
    /// It is this card.
    #[error("It is the card {number} of the set {set} already: its approval cannot be revoked.")]
    Card {
        /// Code of its set.
        set: String,
        number: String,
    },
    /// It is a card, which the moderator may not see.
    #[error("It is a card already: its approval cannot be revoked.")]
    SomeCard,
    /// No moderator has decided about it since it was submitted.
    #[error("Its status is {}: it waits for a decision, so there is no approval to revoke. Claim it to decline it.", .0.as_str())]
    Undecided(DesignStatus),
    /// It was declined, or its approval was revoked.
    #[error("Its status is declined: its approval was revoked already, or it was not approved.")]
    Declined,
    /// It is not approved.
    #[error("Its status is {}: it is not approved, so there is no approval to revoke.", .0.as_str())]
    NotApproved(DesignStatus),
}

impl RevocationRefusal {
    /// Why there is nothing to revoke in this status.
    pub fn of_status(status: DesignStatus) -> Self {
        match status {
            DesignStatus::Official => Self::SomeCard,
            DesignStatus::Submitted | DesignStatus::InReview => Self::Undecided(status),
            DesignStatus::Declined => Self::Declined,
            DesignStatus::Draft
            | DesignStatus::Shared
            | DesignStatus::Withdrawn
            | DesignStatus::Approved => Self::NotApproved(status),
        }
    }
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
                ProblemCause::Revocation(RevocationRefusal::OtherRevision { read: 1, approved: 2 }),
                "The approved revision is 2, not 1: nothing was revoked. Read the design again.",
            ),
            (
                ProblemCause::Revocation(RevocationRefusal::of_status(DesignStatus::InReview)),
                "Its status is in_review: it waits for a decision, so there is no approval to revoke. Claim it to decline it.",
            ),
            (
                ProblemCause::Revocation(RevocationRefusal::of_status(DesignStatus::Shared)),
                "Its status is shared: it is not approved, so there is no approval to revoke.",
            ),
            (
                ProblemCause::OtherSubmission { read: 1, submitted: 2 },
                "The submitted revision is 2, not 1: nothing was decided. Read the design again.",
            ),
            (
                ProblemCause::OtherApproval { read: 1, approved: 2 },
                "The approved revision is 2, not 1: nothing was released. Read the design again.",
            ),
            (
                ProblemCause::ReportedAgain,
                "It was reported again since you read it: nothing was decided. Read the report again.",
            ),
            (
                ProblemCause::DecidedMeanwhile,
                "Another moderator has decided about it since you read it: nothing was decided. Read the report again.",
            ),
            (
                ProblemCause::OtherOwner,
                "The copy has another owner now than the one that you read about: nothing was done. Read who owns it now.",
            ),
            (
                ProblemCause::OtherStatements { read: 1, stated: 3 },
                "The number of statements is 3 now, and was 1 when you read the dispute: nothing was decided. Read the dispute again.",
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
