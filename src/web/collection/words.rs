//! Text of the pages of the collection.

use crate::app::problem::ProblemCode;
use crate::web::words::{cards, grouped, titled};

pub(super) const COLLECTION: &str = "Collection";
pub(super) const ABOUT: &str = "How many cards you have, by printing and condition. Copies that are registered to you are counted apart.";
pub(super) const WAYS: &str = "More of your collection";
pub(super) const PROGRESS: &str = "Completion";
pub(super) const DUPLICATES: &str = "Duplicates";
pub(super) const IMPORT: &str = "Import a file";
pub(super) const EXPORT: &str = "Export as CSV";
pub(super) const NOTHING: &str =
    "You have counted no card yet. Add one by its name below, or import a file.";
pub(super) const NOTHING_FITS: &str = "You have not counted any such card.";
pub(super) const CONDITION: &str = "Condition";
pub(super) const SAVE: &str = "Set";
pub(super) const LESS: &str = "−1";
pub(super) const MORE: &str = "+1";
pub(super) const UNDO: &str = "Undo";
pub(super) const ADD_CARD: &str = "Add cards";
pub(super) const ADD_CARD_ABOUT: &str =
    "Where a card comes in several rarities, say which one you have.";
pub(super) const HOW_MANY: &str = "How many";
pub(super) const ADD: &str = "Add";
pub(super) const SEVERAL_PRINTINGS: &str =
    "The card comes in several printings. Choose one of them, or give its rarity.";
pub(super) const NO_SUCH_CARD: &str =
    "There is no such card that you may see. Compare its name, set, number and rarity.";
pub(super) const WHICH: &str = "Which one do you mean?";
pub(super) const ALREADY_SO: &str = "Nothing was changed: this is already the count.";
pub(super) const NUMBER_FAULT: &str = "The number must be 0 to 9999.";
pub(super) const ADD_FAULT: &str = "The number must be 1 to 9999.";

pub(super) const PROGRESS_ABOUT: &str =
    "The sets of which you have cards or printings, counted by you or registered to you.";
pub(super) const NO_PROGRESS: &str = "You have nothing of this game yet.";
pub(super) const SHOW: &str = "Show";
pub(super) const CARDS: &str = "Cards";
pub(super) const PRINTINGS: &str = "Printings";

pub(super) const DUPLICATES_ABOUT: &str = "Printings of which you have more than you keep, counted and registered together. They are what you could give away.";
pub(super) const NO_DUPLICATES: &str = "You have nothing beyond what you keep.";
pub(super) const KEEP: &str = "How many of each you keep";
pub(super) const KEEP_FAULT: &str = "The number must be 1 to 9999.";
pub(super) const COUNTED: &str = "Counted";
pub(super) const REGISTERED: &str = "Registered";
pub(super) const SPARE: &str = "To spare";
pub(super) const TO_HAVES: &str = "Put cards on your haves";

pub(super) const IMPORT_ABOUT: &str = "A CSV file with headings, as Moxfield, Archidekt, Deckbox, ManaBox, Dragon Shield, TCGplayer and this site write it. First you see what each line means; nothing is counted until you confirm.";
pub(super) const FILE: &str = "File";
pub(super) const FILE_HELP: &str = "At most 16 MiB and 50,000 lines.";
pub(super) const PASTE: &str = "Or paste it";
pub(super) const PASTE_HELP: &str = "At most 256 KiB, with the headings in the first line. If you also choose a file, the file is used.";
pub(super) const PASTED_TOO_LONG: &str =
    "The pasted text is longer than 256 KiB. Save it as a file, and choose that.";
pub(super) const PASTE_EXAMPLE: &str = "Count,Name,Set,Rarity\n4,Kettle Imp,hearth,common";
pub(super) const MODE: &str = "Effect on your counts";
/// A line that may mean several printings.
pub(in crate::web) const SEVERAL_RARITIES: &str = "The card comes in several rarities. Name one in the line, or choose for lines without a rarity: “Are the most common printing”.";
pub(in crate::web) const WITHOUT_RARITY: &str = "Lines without a rarity";
pub(super) const GAME_OF_LINES: &str = "Game of lines that name none";
pub(super) const GAME_OF_LINES_HELP: &str = "With “They become what the file says”, only counts of this game change; without a game, counts of all games.";
pub(super) const NO_GAME: &str = "None";
pub(super) const READ_FILE: &str = "Read it";
pub(super) const NO_FILE: &str = "Choose a file, or paste its lines.";
pub(super) const VERDICTS: &str = "Meaning of each line";
pub(super) const NOT_USABLE: &str = "Lines that cannot be counted";
pub(super) const USABLE: &str = "Lines that can be counted";
pub(super) const LINE: &str = "Line";
pub(super) const WRITTEN: &str = "Written";
pub(super) const VERDICT: &str = "Result";
pub(super) const PERHAPS: &str = "Perhaps";
pub(super) const CARD: &str = "Card";
pub(super) const HEADINGS: &str = "Columns that were read";
pub(super) const HEADINGS_LEFT: &str = "Columns that were not read";
pub(super) const COMMIT: &str = "Count these cards";
pub(super) const COMMIT_OK: &str = "Count them, and leave out the other lines";
pub(super) const CHANGE_LINES: &str = "Change the pasted lines";
pub(super) const NOTHING_USABLE: &str =
    "No line can be counted. Correct the file and send it again.";
pub(super) const ANOTHER_FILE: &str = "Import another file";
pub(super) const IMPORTED: &str = "The file is imported";
pub(super) const IMPORT_GONE: &str =
    "This import has expired: it is available for 15 minutes. Send the file again.";
pub(super) const CHANGED_SINCE: &str = "Your collection has changed since the file was shown. Nothing was imported. Look at what the import does now, and confirm it once more.";
pub(super) const SINCE_SHOWN: &str = "What has changed since the file was shown";
pub(super) const ENTRY: &str = "Entry";
pub(super) const COUNT_SHOWN: &str = "When it was shown";
pub(super) const COUNT_NOW: &str = "Now";
pub(super) const COUNT_AFTER: &str = "After the import";
pub(super) const LEAVE_COLLECTION: &str = "Leave the collection as it is";
pub(super) const ADDED: &str = "New entries";
pub(super) const CHANGED: &str = "Changed entries";
pub(super) const REMOVED: &str = "Removed entries";
pub(super) const LEFT_OUT: &str = "Lines that were left out";

/// Whether an import adds or replaces: value and label.
pub(super) const MODES: [(&str, &str); 2] =
    [("add", "The file is added to them"), ("replace", "They become what the file says")];

/// The meaning of lines without a rarity: value and label.
pub(in crate::web) const RARITIES: [(&str, &str); 2] =
    [("ambiguous", "Ask me"), ("most_common", "Are the most common printing")];

pub(super) fn condition(code: &str) -> String {
    match code {
        "mint" => "Mint",
        "near_mint" => "Near mint",
        "lightly_played" => "Lightly played",
        "moderately_played" => "Moderately played",
        "heavily_played" => "Heavily played",
        "damaged" => "Damaged",
        other => return titled(other),
    }
    .to_owned()
}

/// The meaning of a column of a file.
pub(super) fn column(code: &str) -> &str {
    match code {
        "quantity" => "how many",
        "name" => "name of the card",
        "game" => "game",
        "set" | "set_code" | "set_name" => "set",
        "number" => "number in the set",
        "rarity" => "rarity",
        "condition" => "condition",
        "finish" => "foil or not",
        "printing" => "id of the printing",
        other => other,
    }
}

/// The confirmation of a change.
pub(super) fn changed(card: &str, before: i32, after: i32) -> String {
    format!("{card}: {} before, {} now.", grouped(before.into()), grouped(after.into()))
}

/// The message about a form that was sent before; `card`: its card, if there are copies left.
pub(super) fn counted_before(card: Option<&str>, quantity: i32) -> String {
    match card {
        Some(card) => {
            format!("{card}: it was counted before. There are {} now.", grouped(quantity.into()))
        }
        None => "It was counted before. Nothing was changed now.".to_owned(),
    }
}

/// The message about a refused number of a card.
pub(super) fn number_fault(card: &str) -> String {
    format!("{card}: {NUMBER_FAULT}")
}

/// The label of the field of a count.
pub(super) fn count_of(card: &str) -> String {
    format!("How many of {card}")
}

/// The label of the button that sets a count.
pub(super) fn set_of(card: &str) -> String {
    format!("Set the number of {card}")
}

/// The label of the button that removes one copy.
pub(super) fn one_less(card: &str) -> String {
    format!("{LESS}: {card}")
}

/// The label of the button that adds one copy.
pub(super) fn one_more(card: &str) -> String {
    format!("{MORE}: {card}")
}

/// The label of the button that undoes a change.
pub(super) fn undo(card: &str) -> String {
    format!("Undo the change of {card}")
}

/// Names that may be meant: only the first few.
pub(super) fn perhaps(names: &[String]) -> String {
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.dedup();
    names.truncate(5);
    format!("There is no such card that you may see. Perhaps you mean: {}.", names.join("; "))
}

/// The number of entries.
pub(super) fn entries(count: i64) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{} entries", grouped(count)) }
}

/// A number of owned cards out of a total.
pub(super) fn part(owned: i64, total: i64) -> String {
    format!("{} of {}", grouped(owned), grouped(total))
}

/// What an import replaces: the counts of a game, or all. `removes`: entries that it would remove.
pub(super) fn replaces(game: Option<&str>, removes: usize) -> String {
    let of = match game {
        Some(game) => format!("Your counts of {game} become"),
        None => "Your counts of all games become".to_owned(),
    };
    let removed = match i64::try_from(removes).unwrap_or(i64::MAX) {
        0 => "Its lines name all cards that you have counted there, so that none is removed."
            .to_owned(),
        1 => "1 entry that no usable line names is removed.".to_owned(),
        more => format!("{} entries that no usable line names are removed.", grouped(more)),
    };
    format!("{of} those of the file. {removed}")
}

/// The message about a count that an import would make too large.
pub(super) fn too_many(card: &str) -> String {
    format!("{card}: with the cards that are counted already, this would be more than 9999.")
}

/// The number of too large counts that are not listed; `None`: all are listed.
pub(super) fn too_many_not_shown(count: usize) -> Option<String> {
    match i64::try_from(count).unwrap_or(i64::MAX) {
        0 => None,
        1 => Some("1 more count would be too large.".to_owned()),
        more => Some(format!("{} more counts would be too large.", grouped(more))),
    }
}

/// The number of changed entries that are not listed; `None`: all are listed. Entries that were removed have no row.
pub(super) fn changes_not_shown(count: usize) -> Option<String> {
    match i64::try_from(count).unwrap_or(i64::MAX) {
        0 => None,
        1 => Some("1 more entry was changed or removed.".to_owned()),
        more => Some(format!("{} more entries were changed or removed.", grouped(more))),
    }
}

/// The totals of a file that was read.
pub(super) fn totals(lines: usize, ok: usize, counted: i64) -> String {
    let lines = if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
    format!("{lines}; {ok} can be counted: {}.", cards(counted))
}

/// The number of lines that are not listed; `None`: all are listed.
pub(super) fn not_shown(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 more line is not shown here.".to_owned()),
        _ => Some(format!("{count} more lines are not shown here.")),
    }
}

/// The verdict on a line.
pub(super) fn verdict(code: &str) -> &'static str {
    match code {
        "ok" => "Can be counted",
        "ambiguous" => "May mean several",
        "unknown" => "Not found",
        _ => "Cannot be read",
    }
}

/// The number of copies that a line adds.
pub(super) fn counts(quantity: i32, code: &str) -> String {
    format!("{}×, {}", grouped(quantity.into()), condition(code).to_lowercase())
}

/// The message about a refused count. `None`: the problem is shown on a page of its own.
pub(super) fn count_fault(code: ProblemCode) -> Option<&'static str> {
    Some(match code {
        ProblemCode::CountOutOfRange => "A count stays between 0 and 9999. Nothing was changed.",
        ProblemCode::CollectionFull => "Your collection has as many entries as it may have.",
        ProblemCode::UnclearPrinting => {
            "It is not clear which printing you mean. Nothing was changed."
        }
        ProblemCode::NotFound => "There is no such printing that you may see.",
        ProblemCode::IdempotencyKeyReused => {
            "This form was sent before with other contents, and that change is stored. Send it again to make this one, too."
        }
        ProblemCode::IdempotencyInProgress => "It is being counted at the moment.",
        ProblemCode::Gone => {
            "It was counted before. These words mean something else now. Nothing was changed now."
        }
        _ => return None,
    })
}

/// The message about a refused file. `None`: the problem is shown on a page of its own.
pub(super) fn import_fault(code: ProblemCode) -> Option<&'static str> {
    Some(match code {
        ProblemCode::NotUtf8 => "The text of the file cannot be read: save it as UTF-8.",
        ProblemCode::MalformedJson => "The file is no proper JSON.",
        ProblemCode::UnreadableCollection => "The file is no table of cards.",
        ProblemCode::TooManyImports => "Other files of yours, or of your network, are being read.",
        ProblemCode::BodyTooLarge => "The file is larger than 16 MiB.",
        ProblemCode::CountOutOfRange => "Some counts would be more than 9999. Nothing was changed.",
        ProblemCode::CollectionFull => {
            "Your collection would have more entries than it may have. Nothing was changed."
        }
        ProblemCode::CollectionChanged => {
            "Your collection has changed since the file was shown. Nothing was changed now: send the file again."
        }
        ProblemCode::EditConflict => {
            "Cards of the file have changed since it was read. Send it again."
        }
        ProblemCode::ImportHasFaults => "Some lines cannot be counted. Nothing was changed.",
        ProblemCode::NotFound => IMPORT_GONE,
        _ => return None,
    })
}
