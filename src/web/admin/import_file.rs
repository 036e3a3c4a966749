//! A file that is brought in as it was sent, what an import makes of it, and what is wrong with it.

use sha2::{Digest as _, Sha256};

use super::catalogue_words;
use crate::app::catalogue::import::{ImportResponse, SetImportResponse};
use crate::app::catalogue::import_faults::LocatedFault;
use crate::domain::catalogue::import::without_mark;
use crate::domain::hex::hex;
use crate::http::extract::Upload;
use crate::web::catalogue::{game_path, set_path};
use crate::web::forms::Faults;
use crate::web::words;

/// What a file describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Described {
    #[default]
    Set,
    Game,
}

impl Described {
    pub(super) const ALL: [Self; 2] = [Self::Set, Self::Game];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::Game => "game",
        }
    }

    pub(super) fn read(word: &str) -> Self {
        if word == Self::Game.as_str() { Self::Game } else { Self::Set }
    }
}

/// A file as it was sent, and what was sent beside it.
#[derive(Debug, Default)]
pub(super) struct TypedImport {
    pub(super) of: Described,
    pub(super) game: String,
    pub(super) text: String,
    /// What was checked before, as [`TypedImport::mark`]; empty: nothing was.
    pub(super) checked: String,
    /// The version of the manifest that is replaced; empty: the game is new.
    pub(super) revision: String,
}

impl TypedImport {
    /// Reads the form: a file that was chosen comes before what stands in the field.
    pub(super) fn read(upload: &Upload) -> Result<Self, Faults> {
        let text = match upload.file("file") {
            Some(file) => String::from_utf8(file.content.to_vec())
                .map_err(|_| Faults::one("file", catalogue_words::NOT_TEXT))?,
            None => upload.field("text").to_owned(),
        };
        Ok(Self {
            of: Described::read(upload.field("of")),
            game: upload.field("game").trim().to_owned(),
            // Browsers end the lines of a field with two characters.
            text: without_mark(&text).replace("\r\n", "\n"),
            checked: upload.field("checked").to_owned(),
            revision: upload.field("revision").to_owned(),
        })
    }

    /// Tells whether a file was changed after it was checked.
    pub(super) fn mark(&self) -> String {
        let parts = [self.of.as_str(), &self.game, self.text.trim_end()];
        hex(&Sha256::digest(parts.join("\n")))
    }

    pub(super) fn is_checked(&self) -> bool {
        !self.checked.is_empty() && self.checked == self.mark()
    }
}

/// What an import would do, or has done.
pub(super) struct ImportResult {
    pub(super) is_done: bool,
    pub(super) title: String,
    pub(super) changes: Vec<&'static str>,
    pub(super) sets: Vec<SetRow>,
    pub(super) game_path: String,
    pub(super) game: String,
}

/// What becomes of a set.
pub(super) struct SetRow {
    pub(super) code: String,
    pub(super) path: String,
    pub(super) state: &'static str,
    pub(super) added: String,
    pub(super) changed: String,
    pub(super) unlocked: String,
}

/// A fault at its line.
pub(super) struct FaultRow {
    pub(super) place: Option<String>,
    pub(super) line: String,
    pub(super) text: String,
    pub(super) card: Option<String>,
    pub(super) pointer: String,
}

impl From<LocatedFault> for FaultRow {
    fn from(LocatedFault { fault, place, line }: LocatedFault) -> Self {
        let card = fault.card.map(|card| {
            let parts = [card.set, card.number, card.name];
            parts.into_iter().flatten().collect::<Vec<String>>().join(" ")
        });
        Self {
            place: place.map(|place| catalogue_words::line_and_column(place.line, place.column)),
            line: line.trim_start().to_owned(),
            text: words::sentence(&fault.detail),
            card: card.filter(|card| !card.is_empty()),
            pointer: fault.pointer,
        }
    }
}

impl ImportResult {
    pub(super) fn new(import: ImportResponse) -> Self {
        let is_done = !import.dry_run;
        let row = |set: &SetImportResponse| SetRow {
            path: set_path(&import.game, &set.set),
            state: catalogue_words::set_state(set.set_added, set.set_changed),
            added: set.cards_added.to_string(),
            changed: set.cards_changed.to_string(),
            unlocked: set.cards_unlocked.to_string(),
            code: set.set.clone(),
        };
        let sets: Vec<SetRow> = import.sets.iter().map(row).collect();
        let mut changes = Vec::new();
        if import.game_added {
            changes.push(catalogue_words::GAME_ADDED);
        } else if import.manifest_changed {
            changes.push(catalogue_words::MANIFEST_CHANGED);
        }
        if changes.is_empty() && sets.is_empty() {
            changes.push(catalogue_words::NOTHING_CHANGES);
        }
        let title = catalogue_words::import_title(is_done);
        let path = game_path(&import.game);
        Self { is_done, title, changes, sets, game_path: path, game: import.game }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_changed_after_its_check_is_not_checked() {
        let mut typed = TypedImport {
            game: "ttcg".to_owned(),
            text: "{}\n".to_owned(),
            ..TypedImport::default()
        };
        assert!(!typed.is_checked());
        typed.checked = typed.mark();
        assert!(typed.is_checked());
        // A browser may leave out the last line end.
        typed.text = "{}".to_owned();
        assert!(typed.is_checked());
        typed.of = Described::Game;
        assert!(!typed.is_checked());
        typed.of = Described::Set;
        typed.text = "{ }".to_owned();
        assert!(!typed.is_checked());
    }
}
