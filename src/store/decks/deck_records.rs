//! Decks as they are stored: the row, the content, the changes that are written.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text, Timestamptz};

use crate::domain::decks::content::DeckContent;
use crate::domain::decks::deck::{FormatName, FormatNameError, Visibility};
use crate::domain::decks::details::{DeckFolder, DeckVisibility};
use crate::domain::ids::{AccountId, CardId, DeckId};
use crate::store::db::schema::decks;

/// A deck without its content.
#[derive(Clone, Debug, Queryable, QueryableByName, Selectable)]
#[diesel(table_name = decks)]
pub struct DeckRow {
    pub id: DeckId,
    /// The owner.
    pub account_id: AccountId,
    game_code: String,
    format_code: String,
    /// The name that its owner chose.
    pub name: String,
    visibility: Visibility,
    unlisted: bool,
    pub tags: Vec<String>,
    /// The folder of its owner; shown to nobody else.
    pub folder: Option<String>,
    /// Rises with every change.
    pub revision: i64,
    pub(super) cloned_deck_id: Option<DeckId>,
    cloned_revision: Option<i64>,
    cloned_account_id: Option<AccountId>,
    /// When it was deleted.
    pub deleted_at: Option<DateTime<Utc>>,
    bound_revision: i64,
    /// Likes that count.
    pub like_count: i64,
    /// Comments and replies that are shown.
    pub comment_count: i64,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
    /// When a moderator decided that only its owner may read it.
    pub taken_down_at: Option<DateTime<Utc>>,
    /// The reason of that decision.
    pub takedown_note: Option<String>,
}

/// The deck and the revision that a deck was cloned from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CloneSource {
    /// The deck; it may have been deleted.
    pub deck: DeckId,
    /// The cloned revision.
    pub revision: i64,
    /// The owner of that deck; `None`: the account was deleted.
    pub account: Option<AccountId>,
}

/// The columns of a [`DeckRow`].
pub(super) const COLUMNS: &str = "d.id, d.account_id, d.game_code, d.format_code, d.name, d.visibility, d.unlisted, d.tags, d.folder, d.revision, \
    d.cloned_deck_id, d.cloned_revision, d.cloned_account_id, d.deleted_at, d.bound_revision, d.like_count, d.comment_count, d.created_at, d.updated_at, d.taken_down_at, d.takedown_note";

impl DeckRow {
    /// The format of the deck. Fails for a row that another program wrote.
    pub fn format(&self) -> Result<FormatName, FormatNameError> {
        FormatName::of_game(&self.game_code, &self.format_code)
    }

    pub fn game(&self) -> &str {
        &self.game_code
    }

    /// The name of the format within its game.
    pub fn local_format(&self) -> &str {
        &self.format_code
    }

    /// Who may read it.
    pub fn visibility(&self) -> DeckVisibility {
        match self.visibility {
            Visibility::Public => DeckVisibility::Public,
            // A program that does not know unlisted decks may have made it private since; it is then not bound.
            Visibility::Private if self.unlisted && self.is_bound() => DeckVisibility::Unlisted,
            Visibility::Private => DeckVisibility::Private,
        }
    }

    /// Whether a moderator has taken it down: then its owner cannot publish it.
    pub fn is_taken_down(&self) -> bool {
        self.taken_down_at.is_some()
    }

    /// Whether the program that last changed the deck bound its entries to cards.
    pub fn is_bound(&self) -> bool {
        self.bound_revision == self.revision
    }

    /// When a deck that is public now was public for the first time; `stored`: the column, which has no value in public decks of older versions.
    pub(super) fn published_at(&self, stored: Option<DateTime<Utc>>) -> Option<DateTime<Utc>> {
        let is_public = self.visibility() == DeckVisibility::Public;
        is_public.then(|| stored.unwrap_or(self.created_at))
    }

    /// The deck that this one was cloned from.
    pub fn cloned_from(&self) -> Option<CloneSource> {
        let account = self.cloned_account_id;
        Some(CloneSource { deck: self.cloned_deck_id?, revision: self.cloned_revision?, account })
    }
}

/// A deck with its content.
#[derive(Clone, Debug)]
pub struct StoredDeck {
    /// The deck itself.
    pub row: DeckRow,
    /// Name of its owner.
    pub author: String,
    /// When it was public for the first time; `None`: it is not public now.
    pub published_at: Option<DateTime<Utc>>,
    /// The content, as its owner wrote it. The cards of its entries are known if they were bound when this revision was
    /// saved.
    pub content: DeckContent,
}

/// The new state of a deck.
#[derive(Clone, Copy)]
pub struct DeckChanges<'a> {
    /// The content. The game of its format exists.
    pub content: &'a DeckContent,
    /// The cards that its entries are bound to and that are hidden from the public.
    pub hidden: &'a BTreeSet<CardId>,
    /// Who may read it; `None`: as before, and a new deck is private. A moderator changes it without a new revision, so
    /// requests that do not state it must not take it from what they have read.
    pub visibility: Option<DeckVisibility>,
    /// The folder of its owner.
    pub folder: Option<&'a DeckFolder>,
    /// The deck that a new deck is cloned from.
    pub cloned_from: Option<CloneSource>,
    /// The current time.
    pub at: DateTime<Utc>,
}

/// The values that Postgres returns for a written deck.
#[derive(QueryableByName)]
pub(super) struct VersionRow {
    #[diesel(sql_type = BigInt)]
    revision: i64,
    #[diesel(sql_type = BigInt)]
    like_count: i64,
    #[diesel(sql_type = BigInt)]
    comment_count: i64,
    #[diesel(sql_type = Timestamptz)]
    created_at: DateTime<Utc>,
    #[diesel(sql_type = Timestamptz)]
    updated_at: DateTime<Utc>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    published_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = Text)]
    author: String,
}

impl VersionRow {
    /// The deck after these changes. `takedown`: time and reason, if it is taken down.
    pub(super) fn deck(
        self,
        account: AccountId,
        id: DeckId,
        changes: &DeckChanges<'_>,
        takedown: Option<(DateTime<Utc>, String)>,
    ) -> StoredDeck {
        let Self {
            revision,
            like_count,
            comment_count,
            created_at,
            updated_at,
            published_at,
            author,
        } = self;
        let DeckChanges { content, hidden: _, visibility, folder, cloned_from, at: _ } = changes;
        let visibility = visibility.unwrap_or_default();
        let row = DeckRow {
            id,
            account_id: account,
            game_code: content.format.game().to_owned(),
            format_code: content.format.local(),
            name: content.name.as_str().to_owned(),
            visibility: match visibility {
                DeckVisibility::Public => Visibility::Public,
                DeckVisibility::Private | DeckVisibility::Unlisted => Visibility::Private,
            },
            unlisted: visibility == DeckVisibility::Unlisted,
            tags: content.tags.iter().map(|tag| tag.as_str().to_owned()).collect(),
            folder: folder.map(|folder| folder.as_str().to_owned()),
            revision,
            cloned_deck_id: cloned_from.map(|source| source.deck),
            cloned_revision: cloned_from.map(|source| source.revision),
            cloned_account_id: cloned_from.and_then(|source| source.account),
            deleted_at: None,
            bound_revision: revision,
            like_count,
            comment_count,
            created_at,
            updated_at,
            taken_down_at: takedown.as_ref().map(|(at, _)| *at),
            takedown_note: takedown.map(|(_, note)| note),
        };
        let published_at = row.published_at(published_at);
        StoredDeck { row, author, published_at, content: (*content).clone() }
    }
}
