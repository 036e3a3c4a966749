//! Text of the pages of decks.

use cardscape_engine::LossKind;

use crate::app::decks::deck_sheets::SheetCard;
use crate::app::decks::list_files::{ListFileFault, MAX_LIST};
use crate::app::problem::ProblemCode;
use crate::web::rules::refusal;
use crate::web::words::{HIDDEN_CARD, cards, grouped, hidden_at, titled};

pub(super) const DECKS: &str = crate::web::words::DECKS;
pub(super) const PUBLIC_DECKS_ABOUT: &str =
    "Decks that players show to everybody, the last published first.";
pub(super) const DECK_SEARCH_FIELD: &str = "Search decks";
pub(super) const DECK_SEARCH_EXAMPLE: &str = "contains:\"Kettle Imp\" legal:standard";
pub(super) const SORT_NEW: &str = "Published last";
pub(super) const SORT_UPDATED: &str = "Changed last";
pub(super) const SORT_LIKES: &str = "Most likes";
/// The orders of the visitor's own decks, the default one first.
pub(super) const OWN_SORTS: [(&str, &str); 4] =
    [("", "Created last"), ("updated", SORT_UPDATED), ("name", DECK_NAME), ("likes", SORT_LIKES)];
pub(super) const NO_DECKS: &str = "No public deck fits.";
pub(super) const BY: &str = "by";
pub(super) const LEGAL_IN: &str = "Legal in";
pub(super) const LEGAL_NOWHERE: &str = "Legal in no format today";
pub(super) const FORMAT: &str = "Format";
pub(super) const AUTHOR: &str = "Author";
pub(super) const CHANGED: &str = "Changed";
pub(super) const COPIES: &str = "Cards";
pub(super) const DECK_NAME: &str = "Name";

pub(super) const CHECK: &str = "Check a deck";
pub(super) const CHECK_ABOUT: &str = "Paste a list as it comes from this site or from another program. Nothing is stored, and no account is needed.";
pub(super) const CHOOSE_FORMAT: &str = "The format that the list names";
pub(super) const CHOOSE_ONE: &str = "Choose a format";
pub(super) const LIST: &str = "Deck list";
pub(super) const LIST_HELP: &str = "One entry a line, for example “2 Kettle Imp”. Share codes and lists of other programs are recognised.";
pub(super) const LIST_EXAMPLE: &str = "2 Kettle Imp";
pub(super) const DIALECT: &str = "How it is written";
pub(super) const RECOGNISED: &str = "Recognise it";
pub(super) const JUDGE: &str = "Check";
pub(super) const NO_LIST: &str = "Paste a list.";
pub(super) const NO_FORMAT: &str = "Choose a format: the list does not say its own.";

pub(super) const WAY_TO_REPORT: &str = "The whole report";
pub(super) const PICK: &str = "Add a card by its name";
pub(super) const PICK_HELP: &str = "Names are suggested while you type. One copy is added to the line that has the card in the first zone, or as a new line at the end of that zone. This needs a format.";
pub(super) const PICK_ADD: &str = "Add";
pub(super) const PICKED: &str = "{name}: {count} on its line.";
pub(super) const CANNOT_ADD: &str =
    "A card can only be added to a list that can be read and has a line for each card.";
pub(super) const CANNOT_ADD_NOW: &str = "The card could not be added just now. Try it again.";

pub(super) const VERDICT: &str = "Verdict";
pub(super) const WRONG: &str = "What is wrong";
pub(super) const RULE: &str = "Rule";
pub(super) const WHAT: &str = "What";
pub(super) const WHAT_TO_DO: &str = "What to do";
pub(super) const LINES: &str = "Lines";
pub(super) const LINE: &str = "Line";
pub(super) const WRITTEN: &str = "Written";
pub(super) const OUTCOME: &str = "Result";
pub(super) const READING: &str = "How the list was read";
pub(super) const NAMES_LEFT_OUT: &str = "There are too many unknown names, or too many people search just now: similar names were not searched for all of them.";
pub(super) const CARDS_OF_DECK: &str = "Cards of the deck";
pub(super) const NO_ENTRIES: &str = "The deck has no cards.";
pub(super) const NOT_KNOWN: &str = "Unknown cards";
pub(super) const HIDDEN_OR_NOT_KNOWN: &str = "Hidden and unknown cards";
pub(super) const CURVES: &str = "Curves";
pub(super) const VALUE: &str = "Value";
pub(super) const BELOW: &str = "Lower";
pub(super) const ABOVE: &str = "Higher";
pub(super) const COPIES_WITH_IT: &str = "Cards with it";
pub(super) const FORMAT_GONE: &str =
    "The format of this deck does not exist any more, so the deck cannot be judged by its rules.";

pub(super) const DESCRIPTION: &str = "Description";
pub(super) const LEGALITY: &str = "Where it is legal";
pub(super) const REPORT: &str = "By the rules of its format";
pub(super) const NOTHING_WRONG: &str = "Nothing is wrong with it.";
pub(super) const EXPORT: &str = "Take it with you";
pub(super) const EXPORT_ABOUT: &str = "As text for other programs. If one of them cannot express a part of the deck, you see first what is lost:";
pub(super) const EXPORT_LOSES: &str = "This way of writing cannot express everything in the deck. The text is without the following; the deck itself stays as it is.";
pub(super) const EXPORT_ANYWAY: &str = "Take the text without it";
pub(super) const SHARE_CODE: &str = "Share code";
pub(super) const ADDRESS: &str = "Its address";
pub(super) const SIMILAR: &str = "Similar decks";
pub(super) const AVAILABILITY: &str = "Owned and missing";
pub(super) const NEEDED: &str = "Needed";
pub(super) const OWNED: &str = "Owned";
pub(super) const MISSING: &str = "Missing";
pub(super) const UNREAD_LINES: &str = "Lines that could not be read";
pub(super) const ONLY_YOU_SEE: &str = "Only you see this.";

pub(super) const REVISIONS: &str = "Versions";
pub(super) const NO_REVISIONS: &str = "No version of this deck is kept that you may see.";
pub(super) const REVISIONS_KEPT: &str = "The newest is first. At most 100 are kept, of large decks fewer; others see those that were not private.";
pub(super) const NEWEST: &str = "The newest";
pub(super) const SAVED: &str = "Saved";
pub(super) const NO_DIFFERENCE: &str = "Both versions have the same cards.";
pub(super) const OTHER_GAME: &str =
    "The versions are decks of different games: their cards cannot be compared.";
pub(super) const FIRST_REVISION: &str = "There is no version before this one that you may see.";
pub(super) const CARD: &str = "Card";
pub(super) const CHANGE: &str = "Change";
pub(super) const ZONES: &str = "Where";
pub(super) const RESTORE: &str = "Restore this version";
pub(super) const RESTORE_ABOUT: &str = "A new version gets the name, description, tags and cards of this version. The folder and the readers of the deck stay the same, and no kept version is lost.";
pub(super) const RESTORE_NOW: &str = "Restore it";
pub(super) const CHANGED_BEFORE_RESTORING: &str = "The deck was changed since you opened the page. Look at the differences again before you restore this version.";

pub(super) const THE_DECK: &str = "The deck";
pub(super) const LIKES: &str = "Likes";
pub(super) const LIKE: &str = "Like";
pub(super) const UNLIKE: &str = "Like no more";
pub(super) const WATCH: &str = "Watch";
pub(super) const UNWATCH: &str = "Watch no more";
pub(super) const WATCH_ABOUT: &str =
    "If you watch a deck, your news say when it becomes illegal, or legal again.";
pub(super) const LOG_IN_TO_ACT: &str = "Log in to like, watch or copy it";
pub(super) const COPY: &str = "Copy this deck";
pub(super) const COPY_ABOUT: &str = "You get a deck of your own with the same cards, which only you see. Cards that are hidden from you have no name in it.";
pub(super) const REPORT_DECK: &str = "Report this deck";
pub(super) const REPORT_AUTHOR: &str = "Report its author";
pub(super) const BACK_TO_DECK: &str = "Back to the deck";

pub(super) const TAKEN_DOWN: &str = "Taken down by a moderator";
pub(super) const TAKEN_DOWN_ABOUT: &str =
    "Only you see this deck, and it cannot be published. You can still change, copy and delete it.";

pub(super) const LIST_FILE: &str = "Deck list in a file";
pub(super) const LIST_FILE_HELP: &str = "Instead of pasting a list: a text file of this site or of another program, at most 256 KiB. Its list replaces the one above.";
pub(super) const READ_LIST_FILE: &str = "Read the file";
pub(super) const LIST_FILE_READ: &str =
    "The list of the file is in the form. Nothing is saved yet: look at it, and save.";
pub(super) const NO_LIST_FILE: &str = "Choose a file with a deck list.";
pub(super) const LIST_FILE_NOT_READ: &str =
    "The file was not read, and nothing is saved. Choose it again and read it, or save without it.";

pub(super) const PROXIES: &str = "Print its cards";
pub(super) const PROXIES_ABOUT: &str = "Nine cards of 63 × 88 mm on each sheet of A4. Print the page at 100 %, without fitting it to the paper. Cards that are hidden from you or not known have a frame with their text.";

pub(super) const EMPTY_FIELD: &str = "(empty)";
pub(super) const MY_DECKS: &str = "My decks";
pub(super) const NO_OWN_DECKS: &str = "You have no deck here yet.";
pub(super) const NO_DELETED_DECKS: &str = "You have deleted no deck within 30 days.";
pub(super) const DECK_GONE: &str = "The deck is not here any more, so nothing is saved. If it was deleted, you can restore it from your deleted decks, or save what you typed as a new deck.";
pub(super) const ALL_DECKS: &str = "All";
pub(super) const DELETED_DECKS: &str = "Deleted decks";
pub(super) const DELETED_ABOUT: &str = "For 30 days a deleted deck can be brought back.";
pub(super) const FOLDER: &str = "Folder";
pub(super) const FOLDERS: &str = "Folders";
pub(super) const NO_FOLDER: &str = "In no folder";
pub(super) const NEW_DECK: &str = "New deck";
pub(super) const EDIT: &str = "Change";
pub(super) const DELETE: &str = "Delete";
pub(super) const SAVE: &str = "Save";
pub(super) const VISIBILITY: &str = "Who may read it";
pub(super) const TAGS: &str = "Tags";
pub(super) const TAGS_HELP: &str = "One a line.";
pub(super) const FOLDER_HELP: &str = "The place where you keep it. Nobody else sees it.";
pub(super) const DESCRIPTION_HELP: &str =
    "*Emphasis* stands between stars, and a blank line begins a paragraph.";
pub(super) const CHANGED_MEANWHILE: &str = "The deck was changed elsewhere since you opened this page, and nothing was overwritten. The saved version is below the form. If you save again, yours replaces it.";
pub(super) const SAVED_VERSION: &str = "The version that is saved";
pub(super) const YOUR_VERSION: &str = "Your version";
pub(super) const NAMES_COPIES: &str = "This deck names the copies that you use for it, which the list does not show. Unchanged lines keep their copies. If a card has fewer left than it has named copies, the deck forgets which copies they are.";
pub(super) const CHANGED_BEFORE_DELETING: &str =
    "The deck was changed since you opened the page. Look at it again before you delete it.";

pub(super) const STAYS_PRIVATE: &str = "A moderator has taken this deck down. If you save it, it also stays private after the moderator has ended that, until you choose something else.";

/// Who may read a deck: value and label.
pub(super) const VISIBILITIES: [(&str, &str); 3] = [
    ("private", "Only me"),
    ("unlisted", "Everybody who has its address"),
    ("public", "Everybody, and it is in the list of decks"),
];

/// Who may read a deck.
pub(super) fn visibility(code: &str) -> String {
    let known = VISIBILITIES.iter().find(|(known, _)| *known == code);
    known.map_or_else(|| titled(code), |(_, name)| (*name).to_owned())
}

/// The name of a dialect of deck lists.
pub(super) fn dialect(code: &str) -> String {
    match code {
        "own" => "Text of this site",
        "json" => "JSON",
        "share_code" => "Share code",
        "plain" => "Plain list",
        "arena" => "Arena",
        "mtgo" => "MTGO",
        "moxfield" => "Moxfield",
        "archidekt" => "Archidekt",
        "ptcg_live" => "PTCG Live",
        "ptcg_online" => "PTCG Online",
        "netrunner_db" => "NetrunnerDB",
        "forge" => "Forge",
        "csv" => "CSV",
        "ydk" => "YDK",
        "ydke" => "YDKE",
        other => return titled(other),
    }
    .to_owned()
}

/// The heading of the page about what an export loses.
pub(super) fn export_of(name: &str, dialect: &str) -> String {
    format!("“{name}” as {dialect}")
}

/// The number of cards that an export does not have.
pub(super) fn cards_left_out(left_out: u64, all: u64) -> String {
    if left_out == all {
        return "No card of the deck would be in the text. Choose another way of writing it."
            .to_owned();
    }
    let (left_out, all) = (card_count(left_out), card_count(all));
    format!("Of {all}, {left_out} would not be in the text.")
}

/// An entry of a deck.
pub(super) fn entry(quantity: u32, card: &SheetCard) -> String {
    let card = match card {
        SheetCard::Known { name, .. } => name.clone(),
        SheetCard::Hidden { place: Some((set, number)) } => hidden_at(set, number),
        SheetCard::Hidden { place: None } => HIDDEN_CARD.to_owned(),
        SheetCard::Unknown { written } => written.clone(),
    };
    format!("{quantity} {card}")
}

/// What a dialect cannot express.
pub(super) fn loss(kind: LossKind) -> String {
    let text = match kind {
        LossKind::Order => "The order of the entries",
        LossKind::Set => "The set of the card",
        LossKind::Number => "The number of the card in its set",
        LossKind::Rarity => "The rarity",
        LossKind::Copies => "Which copies are named",
        LossKind::Spelling => {
            "The spelling of the name: the text has another one for the same card"
        }
        LossKind::Name => "The name: the text may be read as another card, or as none",
        LossKind::AnyPrinting => "That any printing will do: the text names one",
        LossKind::Zone => "Left out, because the text has no place for their zone",
        LossKind::Card => {
            "Left out, because the text needs the name or the number of the card in another program, which is not known"
        }
        LossKind::IdTooLarge => {
            "Left out, because the number of the card in another program is too large for the text"
        }
        LossKind::Size => "All cards are left out, because the deck is too large for the text",
        LossKind::Quantity => {
            "Left out, because there are no copies, or too many to write each of them"
        }
        other => return titled(&other.to_string()),
    };
    text.to_owned()
}

/// The dialect in which a list was read. `why`: the mark by which the dialect was recognised; `None`: the dialect was chosen.
pub(super) fn read_as(dialect: &str, why: Option<&str>) -> String {
    match why {
        Some(why) => format!("Read as: {dialect} ({why})."),
        None => format!("Read as: {dialect}, as you have chosen."),
    }
}

/// The number of lines that were read without a message.
pub(super) fn lines_accepted(lines: usize) -> String {
    match lines {
        0 => "No line was read just as it stands.".to_owned(),
        1 => "1 line was read just as it stands.".to_owned(),
        _ => format!("{lines} lines were read just as they stand."),
    }
}

pub(super) fn line_status(status: &str) -> &'static str {
    match status {
        "accepted" => "Read",
        "guessed" => "Guessed",
        "ambiguous" => "Several cards fit",
        "unknown" => "Unknown",
        "refused" => "Refused",
        _ => "No entry",
    }
}

/// Line numbers of a list.
pub(super) fn lines(numbers: &[usize]) -> String {
    let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
    match &numbers[..] {
        [] => String::new(),
        [one] => format!("Line {one}"),
        several => format!("Lines {}", several.join(", ")),
    }
}

/// A fault of a line of a list.
pub(super) fn fault_on_line(line: usize, text: &str) -> String {
    format!("Line {line}: {text}")
}

/// The number of faults that are not listed.
pub(super) fn more_faults(count: usize) -> String {
    if count == 1 {
        "1 more line has a fault.".to_owned()
    } else {
        format!("{count} more lines have faults.")
    }
}

/// The verdict on a deck in a format, as a sentence.
pub(super) fn verdict(status: &str, format: &str, has_unknown: bool) -> String {
    match (status, has_unknown) {
        ("legal", _) => format!("Legal in {format}."),
        ("incomplete", false) => format!("Not legal in {format} yet: cards are missing."),
        ("incomplete", true) => {
            format!("Not legal in {format} yet: cards are missing, and some are unknown.")
        }
        (_, true) => format!("Not legal in {format}, and some cards are unknown."),
        (_, false) => format!("Not legal in {format}."),
    }
}

/// The verdict on a deck of a game without cards, if nothing is wrong that can be judged without them.
pub(super) fn not_judged(format: &str) -> String {
    format!("The deck cannot be judged fully in {format}.")
}

/// The verdict on a deck in a format, as a word.
pub(super) fn status(status: &str) -> &'static str {
    match status {
        "legal" => "Legal",
        "incomplete" => "Incomplete",
        _ => "Not legal",
    }
}

/// The severity of a violation.
pub(super) fn severity(severity: &str) -> &'static str {
    match severity {
        "error" => "Error",
        "incomplete" => "Missing",
        _ => "Note",
    }
}

/// A rule by its number.
pub(super) fn rule(number: &str, section: &str) -> String {
    if section.is_empty() { number.to_owned() } else { format!("{number} (section {section})") }
}

/// A number of cards in a deck.
pub(super) fn card_count(count: u64) -> String {
    cards(i64::try_from(count).unwrap_or(i64::MAX))
}

/// A format or a variant of it. The game is added where the page does not show it otherwise.
pub(super) fn format_name(format: &str, variant: Option<&str>) -> String {
    match variant {
        Some(variant) => format!("{format}: {variant}"),
        None => format.to_owned(),
    }
}

/// A format of a game.
pub(super) fn format_of(format: &str, game: &str) -> String {
    format!("{game}, {format}")
}

/// Attribute values of the cards of a deck.
pub(super) fn curve(attribute: &str) -> String {
    format!("Curve: {attribute}")
}

/// The mean and the median of the values.
pub(super) fn mean(mean: f64, median: f64) -> String {
    format!("Mean {mean:.2}, median {median:.1}")
}

/// A short description of a deck, for previews of other sites.
pub(super) fn preview(format: &str, count: u64, author: Option<&str>) -> String {
    let cards = card_count(count);
    match author {
        Some(author) => format!("{format}, {cards}, by {author}."),
        None => format!("{format}, {cards}."),
    }
}

/// The formats in which a deck is legal.
pub(super) fn legal_in(formats: &[String]) -> String {
    format!("{LEGAL_IN}: {}", formats.join("; "))
}

/// The number of cards that two decks share.
pub(super) fn shared_cards(count: i64) -> String {
    if count == 1 { "1 card in common".to_owned() } else { format!("{count} cards in common") }
}

/// The number of cards of a deck that the reader lacks.
pub(super) fn missing(missing: u64) -> String {
    match missing {
        0 => "You have all its cards.".to_owned(),
        1 => "1 card is missing.".to_owned(),
        _ => format!("{missing} cards are missing."),
    }
}

/// The alternative text of a QR code.
pub(super) fn qr_of(name: &str) -> String {
    format!("QR code of the address of “{name}”")
}

/// The heading of the page of cards to print.
pub(super) fn proxies_of(name: &str) -> String {
    format!("Cards of “{name}” to print")
}

/// Cards that are not printed because there are too many.
pub(super) fn proxies_left_out(most: usize, more: u64) -> String {
    let more = card_count(more);
    format!("Only the first {most} cards are here: {more} more are left out.")
}

/// Cards that are not printed because the game does not have their zone.
pub(super) fn zone_left_out(zone: &str, count: u64) -> String {
    match count {
        1 => format!("The game has no zone “{zone}”: its card is left out."),
        _ => format!("The game has no zone “{zone}”: its {} are left out.", card_count(count)),
    }
}

/// The heading of the list of a deck's versions.
pub(super) fn revisions_of(name: &str) -> String {
    format!("Versions of “{name}”")
}

/// A version of a deck.
pub(super) fn revision(number: i64) -> String {
    format!("Version {}", grouped(number))
}

/// The heading of the changes since an earlier version.
pub(super) fn since_revision(number: i64) -> String {
    format!("What changed since version {}", grouped(number))
}

/// The heading of the changes up to the newest version.
pub(super) fn until_revision(number: i64) -> String {
    format!("What changed after it, up to version {}", grouped(number))
}

/// The difference in the number of cards to the version before.
pub(super) fn more_cards(more: i64) -> String {
    match more {
        0 => "as many as before".to_owned(),
        1.. => format!("{} more", cards(more)),
        _ => format!("{} fewer", cards(more.saturating_neg())),
    }
}

/// What happened to a card. `zones`: the number of copies in each zone, before and after.
pub(super) fn card_change(zones: &[(u64, u64)]) -> &'static str {
    let any_less = zones.iter().any(|(before, after)| after < before);
    let any_more = zones.iter().any(|(before, after)| after > before);
    match (any_less, any_more) {
        (true, true) => "Moved",
        (false, _) if zones.iter().all(|(before, _)| *before == 0) => "Added",
        (_, false) if zones.iter().all(|(_, after)| *after == 0) => "Taken out",
        _ => "Another number",
    }
}

/// The number of copies in a zone, before and after.
pub(super) fn zone_change(zone: &str, before: u64, after: u64) -> String {
    format!("{zone}: {before}, then {after}")
}

/// The heading of the form that changes a deck.
pub(super) fn change_of(name: &str) -> String {
    format!("Change “{name}”")
}

/// The label of the button that restores a deck; the name distinguishes it from others.
pub(super) fn undelete_of(name: &str) -> String {
    format!("Bring back “{name}”")
}

/// The button that follows the author of a deck, or follows them no more.
pub(super) fn follow(author: &str, is_followed: bool) -> String {
    if is_followed { format!("Follow {author} no more") } else { format!("Follow {author}") }
}

/// The heading of the form that copies a deck.
pub(super) fn copy_of(name: &str) -> String {
    format!("Copy “{name}”")
}

/// Most characters of a list.
pub(super) const LIST_MAX: usize = MAX_LIST;

pub(super) fn list_too_long() -> String {
    format!(
        "The list has more than {} characters.",
        grouped(i64::try_from(LIST_MAX).unwrap_or(i64::MAX))
    )
}

/// Why the list of a file is not in the form.
pub(super) fn list_file_fault(fault: &ListFileFault) -> String {
    match fault {
        ListFileFault::Empty => "The file is empty.".to_owned(),
        ListFileFault::TooLarge => "The file has more than 256 KiB.".to_owned(),
        ListFileFault::TooLong => list_too_long(),
        ListFileFault::Unreadable(reason) => refusal(reason),
    }
}

/// The message about refused input that belongs to no field. `None`: the problem is shown on a page of its own.
pub(super) fn fault(code: ProblemCode) -> Option<&'static str> {
    Some(match code {
        ProblemCode::InvalidBody => "The form that you sent cannot be read.",
        ProblemCode::UnreadableDeckList => {
            "Nothing of this list can be read, or more than 500 lines cannot."
        }
        ProblemCode::UnknownFormat => "There is no such format today.",
        ProblemCode::TooManyDecks => {
            "You have as many decks as an account can have. Delete one first."
        }
        ProblemCode::IdempotencyKeyReused => {
            "This form was sent before with other contents, and that deck is saved. Send it again to save another one."
        }
        ProblemCode::IdempotencyInProgress => {
            "The same form is being saved at this moment. Look at your decks before you send it again."
        }
        ProblemCode::DeckTakenDown => {
            "A moderator has taken the deck down, or the deck of which this one is an unchanged copy, so only you can read it. Nothing was saved: choose “Only me”, and save again."
        }
        ProblemCode::PreconditionFailed => CHANGED_MEANWHILE,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_hidden_cards_have_text() {
        let place = Some(("veil".to_owned(), "006".to_owned()));
        for (card, expected) in [
            (SheetCard::Hidden { place }, "2 Hidden card: veil 006"),
            (SheetCard::Hidden { place: None }, "2 Hidden card"),
            (SheetCard::Unknown { written: "No Such Card".to_owned() }, "2 No Such Card"),
        ] {
            assert_eq!(entry(2, &card), expected);
        }
    }

    #[test]
    fn changes_of_cards_have_text() {
        let cases = [
            (&[(0, 2)][..], "Added"),
            (&[(2, 0)], "Taken out"),
            (&[(2, 1)], "Another number"),
            (&[(1, 3), (0, 1)], "Another number"),
            (&[(2, 1), (0, 1)], "Moved"),
        ];
        for (zones, expected) in cases {
            assert_eq!(card_change(zones), expected, "{zones:?}");
        }
        assert_eq!(
            [-1, 0, 2].map(more_cards),
            ["1 card fewer", "as many as before", "2 cards more"]
        );
    }
}
