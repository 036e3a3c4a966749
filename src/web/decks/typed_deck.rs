//! The fields of the form of a deck, as they were typed.

use cardscape_engine::{DeckDialect, TextEncoding, parse_deck_text};
use serde::Deserialize;

use super::words as deck_words;
use crate::app::decks::deck_overviews::EditedDeck;
use crate::app::decks::deck_requests::DeckRequest;
use crate::app::decks::list_files::is_too_long;
use crate::app::versions::IfMatch;
use crate::http::extract::Upload;
use crate::web::forms::Faults;

/// The fields of a deck, as they were typed.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(in crate::web) struct TypedDeck {
    pub(super) name: String,
    pub(super) format: String,
    pub(super) visibility: String,
    pub(super) folder: String,
    /// One tag on each line.
    pub(super) tags: String,
    pub(super) description: String,
    pub(super) list: String,
    /// The dialect of the list; empty: it is recognised.
    pub(super) dialect: String,
    /// Of a new deck: the idempotency key, which recognises a form that is sent twice.
    pub(super) key: String,
    /// Of a stored deck: the version that the form was loaded with.
    pub(super) revision: String,
    /// Of a stored deck: the digest of its folder then, on which `revision` does not depend.
    pub(super) folder_version: String,
    /// The name of a file that was chosen and not read; empty: none was chosen.
    pub(super) file: String,
}

impl TypedDeck {
    /// The fields of a stored deck.
    pub(super) fn of(EditedDeck { deck, list, .. }: &EditedDeck) -> Self {
        let summary = &deck.deck.summary;
        Self {
            name: summary.name.clone(),
            format: summary.format.clone(),
            visibility: summary.visibility.to_owned(),
            folder: summary.folder.clone().unwrap_or_default(),
            tags: summary.tags.join("\n"),
            description: deck.deck.description.clone(),
            list: list.clone(),
            // The dialect is fixed: in this list, a line that looks like another dialect is the name of a card.
            dialect: DeckDialect::Own.code().to_owned(),
            key: String::new(),
            revision: deck.version.in_form(),
            folder_version: deck.version.folder_in_form(),
            file: String::new(),
        }
    }

    /// The fields that were sent together with a file.
    pub(super) fn take(upload: &mut Upload) -> Self {
        let mut field = |name| upload.take_field(name);
        Self {
            name: field("name"),
            format: field("format"),
            visibility: field("visibility"),
            folder: field("folder"),
            tags: field("tags"),
            description: field("description"),
            list: field("list"),
            dialect: field("dialect"),
            key: field("key"),
            revision: field("revision"),
            folder_version: field("folder_version"),
            file: String::new(),
        }
    }

    /// The same fields with the list of a file. Its name and its format are used where none were typed.
    pub(super) fn with_list(self, list: String) -> Self {
        let mut stated = parse_deck_text(&list).notes;
        let mut or_stated = |typed: String, fact: &str| match stated.remove(fact) {
            Some(stated) if typed.trim().is_empty() => stated,
            _ => typed,
        };
        // The dialect of a stored deck is that of this site, whatever the file has.
        let is_fixed = self.dialect == DeckDialect::Own.code();
        Self {
            name: or_stated(self.name, "name"),
            format: or_stated(self.format, "format"),
            dialect: if is_fixed { String::new() } else { self.dialect },
            list,
            ..self
        }
    }

    /// What is wrong with the form itself: the list is too long, or a file was chosen and not read, so that the deck would be saved without its list.
    pub(super) fn form_fault(&self) -> Option<Faults> {
        if !self.file.is_empty() {
            return Some(Faults::one("file", deck_words::LIST_FILE_NOT_READ));
        }
        is_too_long(&self.list).then(|| Faults::one("list", deck_words::list_too_long()))
    }

    /// The version that the form was loaded with, as `If-Match`.
    pub(super) fn if_match(&self) -> IfMatch {
        IfMatch::of_form_with_folder(&self.revision, &self.folder_version)
    }

    pub(super) fn request(&self) -> DeckRequest {
        let non_empty = |text: &str| Some(text.to_owned()).filter(|text| !text.trim().is_empty());
        let tags = self.tags.lines().map(str::trim).filter(|tag| !tag.is_empty());
        DeckRequest {
            name: Some(self.name.clone()),
            format: self.format.clone(),
            visibility: non_empty(&self.visibility),
            description: non_empty(&self.description),
            tags: tags.map(str::to_owned).collect(),
            folder: non_empty(&self.folder),
            entries: None,
            list: Some(self.list.clone()),
            dialect: non_empty(&self.dialect),
            encoding: TextEncoding::Utf8,
            default_name: None,
            replaced_name: None,
        }
    }
}
