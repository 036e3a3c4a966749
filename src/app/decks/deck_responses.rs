//! Decks as responses, and as their readers see them.

use cardscape_engine::Deck;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_64;

use super::deck_input::DeckEntryBody;
use super::list_reading::ListReadingResponse;
use super::masks::Masks;
use crate::app::feedback::takedowns::TakedownResponse;
use crate::app::versions::{Revision, Version};
use crate::domain::decks::content::{DeckContent, UnreadLine};
use crate::domain::decks::details::DeckVisibility;
use crate::domain::designs::markup::to_html;
use crate::domain::ids::AccountId;
use crate::store::decks::deck_records::{CloneSource, DeckRow};

/// A deck without its description and entries.
#[derive(Serialize, ToSchema)]
pub struct DeckSummaryResponse {
    /// Id of the deck.
    pub id: Uuid,
    /// Account of the owner. Absent if the deck is unlisted and you are not its owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_id: Option<Uuid>,
    /// Code of the game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// The format of the deck: `game/format`, or `game/format:variant`.
    #[schema(example = "ttcg/standard")]
    pub format: String,
    /// Name of the deck, chosen by its owner.
    #[schema(example = "Embers and Bones")]
    pub name: String,
    /// Who may read the deck: `private` (only its owner), `unlisted` (everybody who knows its id) or `public` (everybody).
    #[schema(example = "private")]
    pub visibility: &'static str,
    /// Tags of the deck.
    #[schema(example = json!(["aggro"]))]
    pub tags: Vec<String>,
    /// Folder of the deck; absent: it is in no folder, or you are not its owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Friday")]
    pub folder: Option<String>,
    /// Number of the current revision, from 1; each change creates a new revision, except of the folder alone.
    #[schema(example = 1, minimum = 1)]
    pub revision: i64,
    /// Number of cards in all zones together.
    #[schema(example = 50)]
    pub card_count: i64,
    /// Number of likes.
    #[schema(example = 12, minimum = 0)]
    pub likes: i64,
    /// Whether you like the deck; only in the answer of `GET /v1/decks/{deck}`, if your credentials let you read decks and the deck is not yours.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = true)]
    pub liked: Option<bool>,
    /// Number of comments and replies that are shown.
    #[schema(example = 4, minimum = 0)]
    pub comment_count: i64,
    /// The deck from which this one was copied; others than the owner see it only while that deck is public.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cloned_from: Option<CloneSourceResponse>,
    /// When the deck was created.
    pub created_at: DateTime<Utc>,
    /// When the deck was last changed; a change of the folder alone does not count.
    pub updated_at: DateTime<Utc>,
    /// When the deck was deleted; it can be restored for 30 days after that. Absent: it is not deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<DateTime<Utc>>,
    /// The takedown by a moderator: the deck is `private`, and cannot be published. Only its owner sees this; absent: the deck is not taken down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub takedown: Option<TakedownResponse>,
}

/// The deck from which another one was copied.
#[derive(Serialize, ToSchema)]
pub struct CloneSourceResponse {
    /// Id of the deck. It may be deleted or private by now.
    pub deck_id: Uuid,
    /// Number of the revision that was copied.
    #[schema(example = 3, minimum = 1)]
    pub revision: i64,
    /// Account of the owner; absent: the account no longer exists, or the deck was unlisted when it was copied, and belonged to somebody else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_id: Option<Uuid>,
}

impl From<CloneSource> for CloneSourceResponse {
    fn from(CloneSource { deck, revision, account }: CloneSource) -> Self {
        Self { deck_id: deck.0, revision, account_id: account.map(|account| account.0) }
    }
}

impl DeckSummaryResponse {
    pub(super) fn new(
        row: DeckRow,
        card_count: i64,
        reader: Option<AccountId>,
        shows_source: bool,
    ) -> Self {
        let is_own = reader == Some(row.account_id);
        let takedown = row.takedown_note.clone().zip(row.taken_down_at).filter(|_| is_own);
        Self {
            id: row.id.0,
            account_id: Some(row.account_id.0).filter(|_| shows_owner(&row, reader)),
            game: row.game().to_owned(),
            format: format!("{}/{}", row.game(), row.local_format()),
            visibility: row.visibility().as_str(),
            cloned_from: row.cloned_from().filter(|_| shows_source).map(Into::into),
            name: row.name,
            tags: row.tags,
            folder: row.folder.filter(|_| is_own),
            revision: row.revision,
            card_count,
            likes: row.like_count,
            liked: None,
            comment_count: row.comment_count,
            created_at: row.created_at,
            updated_at: row.updated_at,
            deleted_at: row.deleted_at,
            takedown: takedown
                .map(|(note, taken_down_at)| TakedownResponse { note, taken_down_at }),
        }
    }
}

/// A line of a list that could not be read.
#[derive(Serialize, ToSchema)]
pub struct UnreadLineResponse {
    /// Number of the line in the list, from 1.
    #[schema(example = 7, minimum = 1)]
    pub line: usize,
    /// The line, cut after 200 characters.
    #[schema(example = "99999 Kettle Imp")]
    pub text: String,
    /// Why the line could not be read.
    #[schema(example = "quantity must be 1 to 10000")]
    pub detail: String,
}

impl From<UnreadLine> for UnreadLineResponse {
    fn from(UnreadLine { line, text, detail }: UnreadLine) -> Self {
        Self { line, text, detail }
    }
}

/// A deck.
#[derive(Serialize, ToSchema)]
pub struct DeckResponse {
    /// The deck itself.
    #[serde(flatten)]
    pub summary: DeckSummaryResponse,
    /// Name of the owner. Absent if the deck is unlisted and you are not its owner. `/v1/authors/{author}` is the page of an owner with public decks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada")]
    pub author: Option<String>,
    /// When the deck was public for the first time; absent: the deck is not public.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_at: Option<DateTime<Utc>>,
    /// Description of the deck, in the markup of lore and comments.
    #[schema(example = "Goes *fast*.")]
    pub description: String,
    /// The description as HTML: `p`, `br`, `em` and `strong` without attributes.
    #[schema(example = "<p>Goes <em>fast</em>.</p>")]
    pub description_html: String,
    /// The entries as the owner wrote them, in that order, with the codes of rarities. A name here may match no card: see the report. Cards that were moved or merged have
    /// their present set and number, and an entry that was written without a name has the name that the card has now. An entry whose card is hidden from you has
    /// `hidden` and no name.
    pub entries: Vec<DeckEntryBody>,
    /// Lines of the stored list that could not be read as entries; empty for everybody but the owner.
    pub unread_lines: Vec<UnreadLineResponse>,
    /// How each line of `list` was read; only in the answer to a request with a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<ListReadingResponse>,
}

/// Whether a reader is told whose deck it is. Players publish their names with public decks; a deck that is shared by its address does not tell whose it is.
pub(super) fn shows_owner(row: &DeckRow, reader: Option<AccountId>) -> bool {
    reader == Some(row.account_id) || row.visibility() == DeckVisibility::Public
}

/// A deck as a reader sees it.
pub(super) struct SeenDeck {
    /// The deck itself.
    pub row: DeckRow,
    /// Name of its owner.
    pub author: String,
    /// When it was public for the first time; `None`: it is not public now.
    pub published_at: Option<DateTime<Utc>>,
    /// The content, as far as the reader may see it.
    pub content: DeckContent,
    pub masks: Masks,
    pub reader: Option<AccountId>,
    /// Whether the response names the deck from which this one was cloned.
    pub shows_source: bool,
    /// Whether the reader likes the deck, if this was looked up.
    pub liked: Option<bool>,
}

/// The entries as bodies of a response.
pub(super) fn entry_bodies(deck: Deck, masks: &Masks) -> Vec<DeckEntryBody> {
    let body = |(at, entry)| {
        let card = masks.hidden.get(&at);
        let body = DeckEntryBody::from(entry);
        DeckEntryBody { hidden: card.is_some(), card_id: card.map(|card| card.0), ..body }
    };
    deck.entries.into_iter().enumerate().map(body).collect()
}

impl SeenDeck {
    /// The numbers beside the version on which the response depends: what this reader sees differently, likes and comments.
    fn counts(&self) -> Vec<i64> {
        let digest = self.masks.counts().first().copied().unwrap_or_default();
        let liked = match self.liked {
            None => 0,
            Some(false) => 1,
            Some(true) => 2,
        };
        vec![digest, self.row.like_count, self.row.comment_count, liked]
    }
}

impl From<SeenDeck> for DeckResponse {
    fn from(seen: SeenDeck) -> Self {
        let SeenDeck { row, author, published_at, content, masks, reader, shows_source, liked } =
            seen;
        let tells_author = shows_owner(&row, reader);
        let card_count = i64::try_from(content.card_count()).unwrap_or(i64::MAX);
        let summary = DeckSummaryResponse::new(row, card_count, reader, shows_source);
        Self {
            summary: DeckSummaryResponse { liked, ..summary },
            author: Some(author).filter(|_| tells_author),
            published_at,
            description_html: to_html(content.description.as_str()),
            description: content.description.as_str().to_owned(),
            entries: entry_bodies(content.deck, &masks),
            unread_lines: content.unread_lines.into_iter().map(Into::into).collect(),
            reading: None,
        }
    }
}

/// A deck as a response, with the version for `If-Match`.
pub struct VersionedDeck {
    /// The version of the deck.
    pub version: Version,
    /// Numbers that are no part of the version but change the response: what this reader sees differently, likes and comments.
    pub counts: Vec<i64>,
    pub deck: DeckResponse,
}

impl From<SeenDeck> for VersionedDeck {
    fn from(seen: SeenDeck) -> Self {
        let is_own = seen.reader == Some(seen.row.account_id);
        let version = Version::from(&seen.row);
        let version = if is_own { version } else { version.without_folder() };
        let counts = seen.counts();
        Self { version, counts, deck: seen.into() }
    }
}

impl From<&DeckRow> for Version {
    fn from(row: &DeckRow) -> Self {
        // 0 stands for no folder.
        let folder = row.folder.as_deref().map_or(0, |folder| xxh3_64(folder.as_bytes()).max(1));
        Self { revision: Revision(row.revision), taken_down_at: row.taken_down_at, folder }
    }
}
