//! Text of the pages on which admins import games and sets, and change cards.

use crate::app::problem::ProblemCode;

// Imports.
pub(super) const IMPORTS_ABOUT: &str = "Import the manifest of a game or the file of a set, or import one again to change it. It is checked first, as a whole: nothing is stored until you have seen what would change.";
pub(super) const DESCRIBED: &str = "What it describes";
pub(super) const GAME_CODE: &str = "Code of the game";
pub(super) const GAME_CODE_HELP: &str =
    "For a set: the game that it belongs to. For a manifest: the code in it.";
pub(super) const FILE: &str = "File";
pub(super) const FILE_HELP: &str =
    "A set is JSON, a manifest is TOML. Without a file, the text below is taken.";
pub(super) const CHOOSE_AGAIN: &str =
    "The file is too large to stand in this page: choose it once more.";
pub(super) const TEXT: &str = "Or its text";
pub(super) const CHECK: &str = "Check it";
pub(super) const CHECK_AGAIN: &str = "Check it again";
pub(super) const BRING_IN: &str = "Import it";
pub(super) const NO_TEXT: &str = "Choose a file, or paste its text.";
pub(super) const NO_GAME: &str =
    "Type the code of a game: letters, digits, hyphens and underscores.";
pub(super) const NO_SUCH_GAME: &str = "There is no such game. Import its manifest first.";
pub(super) const NOT_CHECKED: &str = "This was not checked yet, or was changed after the check. It is checked now: look at the result, then import it.";
pub(super) const CHANGED_MEANWHILE: &str = "Somebody has changed the game, the set or one of its cards since your check. The file is checked again: look at the result, then import it.";
pub(super) const MANIFEST_CHANGED_MEANWHILE: &str = "Somebody else has changed the manifest since you read it. Both versions are below: check yours again to replace the other one.";
pub(super) const FAULTS_IN_FILE: &str = "What is wrong, line by line";
pub(super) const WHOLE_FILE: &str = "The whole file";
pub(super) const GAME_ADDED: &str = "The game is new.";
pub(super) const MANIFEST_CHANGED: &str = "The manifest of the game changes.";
pub(super) const NOTHING_CHANGES: &str = "Nothing changes: all of this is there already.";
pub(super) const NOTHING_STORED: &str = "Nothing is stored yet.";
pub(super) const CARDS_ADDED: &str = "New cards";
pub(super) const CARDS_CHANGED: &str = "Changed cards";
pub(super) const PRINTINGS_ADDED: &str = "New printings";
pub(super) const PRINTINGS_REMOVED: &str = "Removed printings";
pub(super) const CARDS_UNLOCKED: &str = "Unlocked cards";
pub(super) const CHANGE_GAME: &str = "Change the manifest of a game";

/// The name of the kind of file.
pub(super) fn described(code: &str) -> &'static str {
    if code == "game" { "A game (manifest)" } else { "A set of cards" }
}

/// The message about a file that exceeds the limit of its kind.
pub(super) fn too_large(of: &str) -> &'static str {
    if of == "game" {
        "A manifest may have 512 KiB at most."
    } else {
        "The file of a set may have 8 MiB at most."
    }
}

/// The message about a form that could not be received. `None`: the problem is shown on a page of its own.
pub(super) fn not_received(code: ProblemCode) -> Option<&'static str> {
    Some(match code {
        ProblemCode::BodyTooLarge => too_large("set"),
        ProblemCode::TooManyImports => {
            "Other files of yours, or of your network, are being checked."
        }
        ProblemCode::Unavailable => "Files of others are being checked at this moment.",
        _ => return None,
    })
}

/// The heading of the result of an import.
pub(super) fn import_title(is_done: bool) -> String {
    if is_done { "It is imported" } else { "This would change" }.to_owned()
}

/// Whether an import adds or changes a set.
pub(super) fn set_state(is_added: bool, is_changed: bool) -> &'static str {
    match (is_added, is_changed) {
        (true, _) => "New",
        (false, true) => "Its own fields change",
        (false, false) => "Its cards change",
    }
}

/// The link to the page of a game.
pub(super) fn game_page(game: &str) -> String {
    format!("Look at {game}")
}

/// The number of faults in a file.
pub(super) fn faults_in_file(count: usize) -> String {
    if count == 1 {
        "Something is wrong with the text. Nothing was stored.".to_owned()
    } else {
        format!("{count} things are wrong with the text. Nothing was stored.")
    }
}

/// The fault of a file that is not UTF-8 at this place.
pub(super) fn not_text(line: usize, column: usize) -> String {
    let place = line_and_column(line, column);
    format!("This file is no text in UTF-8. {place} is not: save the file as UTF-8.")
}

/// A place in a file.
pub(super) fn line_and_column(line: usize, column: usize) -> String {
    format!("Line {line}, column {column}")
}

/// The label of the link to a place in the text of the form.
pub(super) fn way_to_line_and_column(line: usize, column: usize) -> String {
    format!("Show line {line}, column {column} in the text")
}

// Cards.
pub(super) const FIND_CARD: &str = "Find a card to change";
pub(super) const NO_CARDS: &str = "No card fits. Leave out a term, or import a set.";
pub(super) const HIDDEN: &str = "Hidden";
pub(super) const OPEN: &str = "Open";
pub(super) const HIDDEN_NOW: &str = "hidden from everybody who has no copy";
pub(super) const PUBLIC_PAGE: &str = "Its page for everybody";
pub(super) const ALL_OF_IT: &str = "All of it, as a set file has it";
pub(super) const TEXTS: &str = "Its texts";
pub(super) const NAME_HELP: &str =
    "A printed card keeps its name; only case and punctuation may change.";
pub(super) const EFFECTS: &str = "Effects";
pub(super) const EFFECTS_HELP: &str =
    "An empty text removes the effect. New ones are added on the page with the complete card.";
pub(super) const LORE: &str = "Background text";
pub(super) const LORE_HELP: &str = "Empty: it has none.";
pub(super) const SAVE: &str = "Save";
pub(super) const CHANGE: &str = "Change";
pub(super) const DELETE: &str = "Remove";
pub(super) const YOUR_VERSION: &str = "Your version";
pub(super) const SAVED_VERSION: &str = "What is stored";
pub(super) const LEAVE_CARD: &str = "Leave the card as it is";
pub(super) const DOCUMENT: &str = "The card, as JSON";
pub(super) const DOCUMENT_ABOUT: &str = "Name, kind, attributes, effects, background text and printings, as a set file has them. The card is judged by the rules of its game before it is stored. It keeps its number until you move it.";

/// Effects that were typed and cannot be saved together with the other texts.
pub(super) const YOUR_EFFECTS: &str = "Your effects";
pub(super) const YOUR_EFFECTS_HELP: &str = "Somebody has changed how many effects the card has. Yours are not saved with the other texts: enter them on the page with the complete card.";

/// The label of an effect; `style`: how the effect is activated.
pub(super) fn effect(number: usize, style: Option<&str>) -> String {
    match style {
        Some(style) => format!("Effect {number}, {}", style.to_lowercase()),
        None => format!("Effect {number}"),
    }
}

/// The heading of the page that changes a card as a whole.
pub(super) fn all_of(name: &str) -> String {
    format!("All of {name}")
}

// Unlock, move and merge.
pub(super) const UNLOCK: &str = "Unlock it";
pub(super) const UNLOCK_ABOUT: &str = "This cannot be undone. Everybody sees the card from now on, however many submissions it has, and followers of the service are notified.";
pub(super) const FOR_AUDIT_LOG: &str = "1 to 500 characters, for the audit log.";
pub(super) const MOVE: &str = "Give it another number";
pub(super) const MOVE_ABOUT: &str = "The old number always leads to the new place, and no other card can take it. This cannot be done while one of the sets is printed: copies carry its numbers.";
pub(super) const MOVE_NOW: &str = "Move it";
pub(super) const SET_HELP: &str =
    "Its code. The game has more sets than a list can show: some are suggested as you type.";
pub(super) const NO_SUCH_SET: &str = "Must be the code of a set of this game.";
pub(super) const NEW_NUMBER: &str = "New number";
pub(super) const NUMBER_HELP: &str = "As it stands on the card, such as 042.";
pub(super) const NOTE: &str = "Why (if you want to say it)";
pub(super) const NOTE_HELP: &str = "Up to 500 characters. Everybody may read it.";
pub(super) const MERGE: &str = "Merge it with another card";
pub(super) const MERGE_ABOUT: &str = "For a card that is in the catalogue twice. Say which card stays; you are asked once more before anything happens.";
pub(super) const NUMBER_OF_OTHER: &str = "Number of the card that stays";
pub(super) const GO_ON: &str = "Go on";
pub(super) const MERGE_NOW: &str = "Merge them for good";
pub(super) const GOES: &str = "This card goes";
pub(super) const STAYS: &str = "This card stays";
pub(super) const NO_SUCH_CARD: &str = "There is no card with this number in that set.";
pub(super) const SAME_CARD: &str = "This is the same card. Type the number of another one.";

pub(super) const MERGED_MEANWHILE: &str = "The card was merged into another one";

/// What happened to a card that was merged while somebody filled in a form about it; `place`: that of the card that remains.
pub(super) fn merged_into(stays: &str, place: &str) -> String {
    format!(
        "Since this form was opened, a card that it is about was merged into {stays} ({place}). Nothing was changed. If you still want it, do it on the page of {stays}."
    )
}

/// The label of the link to the card that remains.
pub(super) fn to_remaining(stays: &str) -> String {
    format!("Go to {stays}")
}

/// The heading of an unlock by hand.
pub(super) fn unlock_of(name: &str) -> String {
    format!("Unlock {name}")
}

/// The heading of a move.
pub(super) fn move_of(name: &str) -> String {
    format!("Move {name}")
}

/// The heading of a merge.
pub(super) fn merge_of(name: &str) -> String {
    format!("Merge {name} with another card")
}

/// What a merge does; `place`: the place of the card that is merged away.
pub(super) fn merge_points(goes: &str, place: &str, stays: &str) -> Vec<String> {
    vec![
        format!("{goes} is no longer a separate card. This cannot be undone."),
        format!("Its number, {place}, always leads to {stays}. No other card can take it."),
        format!("Its rulings become rulings of {stays}. The texts of {stays} stay as they are."),
        format!(
            "What players have counted of {goes} is added to what they have of {stays}, up to 9,999 cards for each entry."
        ),
        "It is refused while one of the sets is printed, and while one of the cards is hidden."
            .to_owned(),
    ]
}

// Rulings.
pub(super) const NEW_RULING: &str = "Write a ruling";
pub(super) const CHANGE_RULING: &str = "Change a ruling";
pub(super) const DELETE_RULING: &str = "Remove this ruling?";
pub(super) const DELETE_RULING_ABOUT: &str =
    "It is not shown any more. The history of the card still lists it.";
pub(super) const RULING_ABOUT: &str = "A ruling says how the card is to be read, an erratum what it should say. Everybody who sees the card reads it, and the history of the card lists it.";
pub(super) const CHOOSE_KIND: &str = "Must be a ruling or an erratum.";
pub(super) const RULING_TEXT: &str = "Text";
pub(super) const RULING_TEXT_HELP: &str = "1 to 2,000 characters. A new line begins a paragraph.";
pub(super) const HOLDS_FROM: &str = "Holds from";
pub(super) const SOURCE: &str = "Source";
pub(super) const SOURCE_HELP: &str = "Up to 300 characters, such as “Rules team, November 2026”.";
pub(super) const CHANGED_BEFORE_DELETING: &str =
    "Somebody has changed this ruling since you read it. Remove it only if you still want to.";

/// The heading of a new ruling.
pub(super) fn new_ruling_of(name: &str) -> String {
    format!("A ruling about {name}")
}

/// The label of the link to the form of a ruling; kind and day distinguish it from other rulings.
pub(super) fn change_ruling(kind: &str, day: &str) -> String {
    format!("Change: {kind} of {day}")
}

/// The label of the link to the page that deletes a ruling; kind and day distinguish it from other rulings.
pub(super) fn delete_ruling(kind: &str, day: &str) -> String {
    format!("Remove: {kind} of {day}")
}

/// The confirmation of an action that was completed on the page before, by its code; empty: none.
pub(super) fn done(code: &str) -> &'static str {
    match code {
        "changed" => "The card is changed.",
        "unchanged" => "Nothing was changed: the card is as it was.",
        "unlocked" => "The card is unlocked: everybody sees it.",
        "moved" => "The card has its new place.",
        "merged" => "The two cards are one.",
        "ruling" => "The ruling is stored.",
        "ruling_deleted" => "The ruling is removed.",
        _ => "",
    }
}
