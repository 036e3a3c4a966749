//! An uploaded file for an import, the result of the import, and the faults of the file.

use std::borrow::Cow;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::catalogue_words;
use crate::app::catalogue::import::{ImportResponse, SetImportResponse};
use crate::app::catalogue::import_faults::LocatedFault;
use crate::app::catalogue::sets::SetVersion;
use crate::app::versions::Revision;
use crate::domain::catalogue::import::{MAX_MANIFEST, MAX_SET_FILE, in_utf8, without_mark};
use crate::domain::catalogue::json_places::TextPlace;
use crate::domain::hex::hex;
use crate::domain::serials::serial_text::mask_serials;
use crate::http::extract::Upload;
use crate::web::catalogue::{game_path, set_path};
use crate::web::fault_words;
use crate::web::forms::Faults;
use crate::web::page_status::PageStatus;
use crate::web::words::Sentence;

/// The kind of file.
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

    /// Largest file of the kind, in bytes, as in the API.
    fn max(self) -> usize {
        match self {
            Self::Set => MAX_SET_FILE,
            Self::Game => MAX_MANIFEST,
        }
    }
}

/// An uploaded file with the other fields of the form.
#[derive(Debug, Default)]
pub(super) struct TypedImport {
    pub(super) of: Described,
    pub(super) game: String,
    pub(super) text: Arc<str>,
    /// The `mark` of the text that was checked before; empty: no text was checked.
    pub(super) checked: String,
    /// What the file replaces, as the form was loaded or the file was checked with it: the game and revision of a manifest, or the version of a set. Empty: nothing
    /// is known.
    pub(super) revision: String,
    /// A hash of the text, its kind and its game.
    mark: String,
}

/// A file that was refused: the other fields of the form, and the reason.
#[derive(Debug)]
pub(super) struct RefusedImport {
    pub(super) typed: TypedImport,
    pub(super) status: PageStatus,
    pub(super) faults: Faults,
}

impl TypedImport {
    /// A form that was not sent yet.
    pub(super) fn new(of: Described, game: String, text: &str) -> Self {
        Self { of, game, text: text.into(), ..Self::default() }
    }

    /// Reads the form. An uploaded file takes precedence over the text in the field.
    pub(super) fn read(upload: &Upload) -> Result<Self, Box<RefusedImport>> {
        let typed = Self {
            of: Described::read(upload.field("of")),
            game: upload.field("game").trim().to_owned(),
            revision: upload.field("revision").to_owned(),
            ..Self::default()
        };
        let refused =
            |typed, status, faults| Err(Box::new(RefusedImport { typed, status, faults }));
        let (field, text) = match upload.file("file") {
            None => ("text", Ok(upload.field("text"))),
            Some(file) => ("file", in_utf8(&file.content)),
        };
        let text = match text {
            Ok(text) => text,
            Err(place) => {
                let message = catalogue_words::not_text(place.line, place.column);
                return refused(typed, PageStatus::INVALID_FORM, Faults::one(field, message));
            }
        };
        let text = with_plain_lines(without_mark(text));
        if text.len() > typed.of.max() {
            let message = catalogue_words::too_large(typed.of.as_str());
            return refused(typed, PageStatus::TOO_LARGE, Faults::one(field, message));
        }
        let mark = mark(typed.of, &typed.game, &text);
        let checked = upload.field("checked").to_owned();
        Ok(Self { text: text.into(), checked, mark, ..typed })
    }

    /// The fields of a form that was only partly received. Its text counts as not checked if it differs from the checked text.
    pub(super) fn sent(upload: &Upload) -> Self {
        let mut typed = Self::read(upload).unwrap_or_else(|refused| refused.typed);
        if !typed.is_checked() {
            typed.checked.clear();
        }
        typed
    }

    /// Whether the text is the same as the text that was checked.
    pub(super) fn is_checked(&self) -> bool {
        !self.checked.is_empty() && self.checked == self.mark
    }

    /// Marks the text as checked.
    pub(super) fn set_checked(&mut self) {
        self.checked.clone_from(&self.mark);
    }

    /// The revision of the manifest that the form was loaded with. `None`: it was loaded without a manifest of this game.
    pub(super) fn base_revision(&self) -> Option<Revision> {
        let (game, revision) = self.revision.rsplit_once(':')?;
        if game == self.game { revision.parse().ok().map(Revision) } else { None }
    }

    /// Sets the revision of the manifest that the form is based on.
    pub(super) fn set_base_revision(&mut self, revision: Option<Revision>) {
        self.revision = match revision {
            Some(Revision(revision)) => format!("{}:{revision}", self.game),
            None => String::new(),
        };
    }

    /// The version of the set that the file was checked with. `None`: the file is a manifest, or was not checked.
    pub(super) fn base_version(&self) -> Option<SetVersion> {
        self.revision.parse().ok().map(SetVersion)
    }

    /// Sets the version of the set that the file is checked with.
    pub(super) fn set_base_version(&mut self, SetVersion(version): SetVersion) {
        self.revision = version.to_string();
    }

    /// Whether the text is equal to a stored text.
    pub(super) fn is_stored_as(&self, stored: &str) -> bool {
        self.text.trim_end() == stored.trim_end()
    }
}

/// The text with the line ends that are stored: browsers send CR LF in the text of a field.
fn with_plain_lines(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { text.replace("\r\n", "\n").into() } else { text.into() }
}

/// A hash to detect whether a file was changed after its check. Browsers may drop the last line end, so it does not count.
fn mark(of: Described, game: &str, text: &str) -> String {
    let mut hash = Sha256::new();
    for part in [of.as_str(), "\n", game, "\n", text.trim_end()] {
        hash.update(part);
    }
    hex(&hash.finalize())
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

/// The result of an import for a set.
pub(super) struct SetRow {
    pub(super) code: String,
    pub(super) path: String,
    pub(super) state: &'static str,
    pub(super) added: String,
    pub(super) changed: String,
    pub(super) printings_added: String,
    pub(super) printings_removed: String,
    pub(super) unlocked: String,
}

/// A fault with its line.
pub(super) struct FaultRow {
    pub(super) place: Option<PlaceView>,
    pub(super) line: String,
    pub(super) text: Sentence,
    /// The message of the check of the file, in its own words.
    pub(super) quote: Option<String>,
    pub(super) card: Option<String>,
    pub(super) pointer: String,
}

/// A place in a file.
pub(super) struct PlaceView {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) text: String,
    /// The label of the link to the place.
    pub(super) way: String,
}

impl From<LocatedFault> for FaultRow {
    fn from(LocatedFault { fault, place, line }: LocatedFault) -> Self {
        let (text, quote) = fault_words::of_file(&fault);
        let card = fault.card.map(|card| {
            let parts = [card.set, card.number, card.name];
            parts.into_iter().flatten().collect::<Vec<String>>().join(" ")
        });
        Self {
            place: place.map(|TextPlace { line, column }| PlaceView {
                line,
                column,
                text: catalogue_words::line_and_column(line, column),
                way: catalogue_words::way_to_line_and_column(line, column),
            }),
            line: line.trim_start().to_owned(),
            text,
            quote,
            card: card.filter(|card| !card.is_empty()),
            pointer: mask_serials(&fault.pointer).into_owned(),
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
            printings_added: set.printings_added.to_string(),
            printings_removed: set.printings_removed.to_string(),
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
    fn a_file_changed_after_its_check_is_not_checked() {
        let of_set = |text: &str| mark(Described::Set, "ttcg", text);
        let checked = of_set("{}\n");
        let is_checked = |mark: String| {
            let checked = checked.clone();
            TypedImport { checked, mark, ..TypedImport::default() }.is_checked()
        };
        assert!(is_checked(of_set("{}\n")));
        assert!(is_checked(of_set("{}")), "a browser may drop the last line end");
        assert!(!is_checked(of_set("{ }")));
        assert!(!is_checked(mark(Described::Game, "ttcg", "{}")));
        assert!(!is_checked(mark(Described::Set, "ttcg2", "{}")));
        assert!(!TypedImport::default().is_checked(), "nothing was checked");
    }

    #[test]
    fn a_revision_belongs_to_its_game() {
        let mut typed = TypedImport::new(Described::Game, "ttcg".to_owned(), "");
        assert_eq!(typed.base_revision(), None);
        typed.set_base_revision(Some(Revision(7)));
        assert_eq!(typed.base_revision(), Some(Revision(7)));
        typed.game = "pebbles".to_owned();
        assert_eq!(typed.base_revision(), None);
        typed.set_base_revision(None);
        assert_eq!(typed.revision, "");
    }

    #[test]
    fn the_version_of_a_set_is_no_revision_of_a_manifest() {
        let mut typed = TypedImport::new(Described::Set, "ttcg".to_owned(), "");
        assert_eq!(typed.base_version(), None);
        typed.set_base_version(SetVersion(-7));
        assert_eq!((typed.base_version(), typed.base_revision()), (Some(SetVersion(-7)), None));
        typed.set_base_revision(Some(Revision(7)));
        assert_eq!(typed.base_version(), None);
    }
}
