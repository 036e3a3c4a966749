//! Messages about causes of problems that are not faults of the input.

use super::{Sentence, count, range};
use crate::app::problem_cause::{ArtworkError, NameHolder, ProblemCause, RevocationRefusal};
use crate::domain::catalogue::migration::MergeRefusal;
use crate::domain::printing::minting::{MAX_CODES, PlanError};
use crate::domain::printing::packs::{PackError, ParameterFault};
use crate::web::words::{copies as copies_in_words, counted, grouped, place};

/// The message for a cause, as a sentence.
pub(in crate::web) fn cause(cause: &ProblemCause) -> Sentence {
    match cause {
        ProblemCause::Merge(refusal) => merge(*refusal).into(),
        ProblemCause::Plan(error) => plan(error),
        ProblemCause::Packs(error) => packs(error),
        ProblemCause::NameTaken(holder) => name_taken(holder),
        ProblemCause::Revocation(refusal) => revocation(refusal),
        ProblemCause::OtherSubmission { read, submitted } => format!(
            "The author has submitted revision {submitted}, and you had read revision {read}. Nothing was decided: look at the design again, and choose anew."
        )
        .into(),
        ProblemCause::OtherApproval { read, approved } => format!(
            "Revision {approved} is approved now, and you had read revision {read}. Nothing was released: look at the design again."
        )
        .into(),
        ProblemCause::ReportedAgain => {
            "This was reported again since you read it. Nothing was decided: look at the report again, and choose anew.".into()
        }
        ProblemCause::DecidedMeanwhile => {
            "Another moderator has decided about this since you read it. Your decision was not stored: look at the report again, and choose anew.".into()
        }
        ProblemCause::OtherOwner => {
            "The copy has changed hands since you read this page. Nothing was done: look who has it now, and decide anew.".into()
        }
        ProblemCause::OtherStatements { read, stated } => format!(
            "The number of statements is {stated} now, and was {read} when you read this page. Nothing was decided: read what both sides say now, and choose anew."
        )
        .into(),
        ProblemCause::AttemptsInFlight => {
            "Other codes or passwords for this account, or from your network, are still being checked, and this one has to wait for them. That does not mean that a code or a password was wrong.".into()
        }
        ProblemCause::Artwork(error) => artwork(error),
        ProblemCause::TooManyCards { entries, .. } => format!(
            "{} would be more than 9999. Nothing was changed: correct the quantities, and read the file again.",
            counted(i64::try_from(*entries).unwrap_or(i64::MAX), "count", "counts")
        )
        .into(),
        ProblemCause::ManyFaults { all, listed } => {
            format!("The file has {} faults. Here are {}.", count(*all), count(*listed)).into()
        }
    }
}

fn merge(refusal: MergeRefusal) -> &'static str {
    match refusal {
        MergeRefusal::Itself => "A card cannot become one with itself.",
        MergeRefusal::OtherGame => "The two cards are of different games.",
        MergeRefusal::Hidden => "One of the cards is hidden: the merge would reveal what it is.",
        MergeRefusal::TooManyRulings => {
            "Together, the cards have more rulings than a card may have. Delete some of them first."
        }
        MergeRefusal::Used => {
            "The card has copies, submissions or similar data, which cannot be merged."
        }
    }
}

fn plan(error: &PlanError) -> Sentence {
    match error {
        PlanError::NoCards => "The set has no cards.".into(),
        PlanError::NoCopies => "A run needs at least one copy of each card.".into(),
        PlanError::NoPrinting(number) => {
            format!("Card {number} has no printing that takes copies.").into()
        }
        PlanError::TooMany(codes) => format!(
            "The run would have {} codes, and {} are the most. Plan fewer copies of each card, and another run for the rest.",
            count(*codes),
            count(MAX_CODES)
        )
        .into(),
        PlanError::Unequal { expected, cards } => format!(
            "All cards of a set must have the same number of copies: now {}. These cards have another number, so no run can be planned: {cards}.",
            grouped(*expected)
        )
        .into(),
    }
}

fn as_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn copies_of(number: u64) -> String {
    copies_in_words(as_i64(number))
}

fn packs(error: &PackError) -> Sentence {
    match *error {
        PackError::Parameter(ParameterFault { least, most, value, .. }) => {
            range(least.into(), most.into(), Some(value.into())).into()
        }
        PackError::UnknownRarity(_) => {
            "The run has no copies in one of the rarities that have a weight.".into()
        }
        PackError::UnknownLoreCard(ref number) => {
            format!("Lore card {number} is no card of the run, or is named twice.").into()
        }
        PackError::TooManyLoreCards { copies, packs } => format!(
            "Each pack has one copy of a lore card. There are {} of them, and only {}.",
            copies_of(copies),
            counted(as_i64(packs), "pack", "packs")
        )
        .into(),
        PackError::NoPack { copies, cards_per_pack } => {
            format!("One pack takes {cards_per_pack} copies, and there are {}.", count(copies)).into()
        }
        PackError::Remainder { copies, packs, cards_per_pack, left } => format!(
            "With {cards_per_pack} cards in a pack, {} make {} and leave {left}. Allow copies to be left over, or plan another number of them.",
            copies_of(copies),
            counted(as_i64(packs), "pack", "packs")
        )
        .into(),
        PackError::InsertTooHeavy { lightest, heaviest, limit } => format!(
            "Inserts make all packs weigh the same. They would have {lightest} to {heaviest} mg, and the heaviest has {limit} mg."
        )
        .into(),
    }
}

pub(super) fn name_taken(holder: &NameHolder) -> Sentence {
    match holder {
        NameHolder::Card { set, number } => {
            format!("A card has this name, or one that looks the same: {}.", place(set, number))
                .into()
        }
        NameHolder::Design => "Another design has this name, or one that looks the same.".into(),
        NameHolder::NewerDesign => {
            "Another design has taken this name, or one that looks the same.".into()
        }
    }
}

/// Why the approval of a design is not revoked.
fn revocation(refusal: &RevocationRefusal) -> Sentence {
    match refusal {
        RevocationRefusal::OtherRevision { read, approved } => format!(
            "Revision {approved} is approved now, and you had read revision {read}. Nothing was revoked: look at the design again."
        )
        .into(),
        RevocationRefusal::Card { set, number } => format!(
            "The design is the card {} already, so its approval cannot be revoked.",
            place(set, number)
        )
        .into(),
        RevocationRefusal::SomeCard => {
            "The design is a card already, so its approval cannot be revoked.".into()
        }
        RevocationRefusal::Undecided(_) => {
            "No moderator has decided about the design yet. Claim it to decline it.".into()
        }
        RevocationRefusal::Declined => {
            "Its approval was revoked already, or it was not approved.".into()
        }
        RevocationRefusal::NotApproved(_) => {
            "The design is not approved, so there is no approval to revoke.".into()
        }
    }
}

/// Why a file cannot be used as a picture.
fn artwork(error: &ArtworkError) -> Sentence {
    match *error {
        ArtworkError::Empty => "The file is empty. Send a PNG, JPEG or WebP picture.".into(),
        ArtworkError::TooManyBytes { max, .. } => {
            format!("The file is larger than {} MiB.", max >> 20).into()
        }
        ArtworkError::UnknownFormat { looks_like: Some(format) } => {
            format!("The file looks like {format}. Send a PNG, JPEG or WebP picture.").into()
        }
        ArtworkError::UnknownFormat { looks_like: None } => {
            "The file is no picture of a known format. Send a PNG, JPEG or WebP picture.".into()
        }
        ArtworkError::TooManyPixels { width, height, max } => format!(
            "The picture has {width} × {height} pixels. At most {} million are taken.",
            max / 1_000_000
        )
        .into(),
        ArtworkError::TooSmall { width, height, min } => {
            format!("The picture has {width} × {height} pixels. Each side needs at least {min}.")
                .into()
        }
        ArtworkError::TooNarrow { width, height, max } => format!(
            "The picture has {width} × {height} pixels. One side may be at most {max} times as long as the other."
        )
        .into(),
        ArtworkError::Animated => "The picture moves. Send a still one.".into(),
        ArtworkError::Cmyk => {
            "The picture is in the colours of a printing press (CMYK). Save it as RGB.".into()
        }
        ArtworkError::TooComplex { .. } => {
            "The file takes too long to read. Open it in an image program, and save it again."
                .into()
        }
        ArtworkError::Unsupported { .. } => {
            "This kind of picture file cannot be read. Open it in an image program, and save it again.".into()
        }
        ArtworkError::Truncated => {
            "The file ends before the picture does. It may not have been sent or saved completely."
                .into()
        }
        ArtworkError::Broken { .. } => "The file is damaged.".into(),
        _ => "The file is not a picture that can be read.".into(),
    }
}
