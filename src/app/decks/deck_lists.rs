//! Deck lists: creating, listing, reading and replacing them.

use std::collections::BTreeSet;

use cardscape_engine::{
    Catalogue, Deck, DeckEntry, DeckMentions, Game, Resolution, TextEncoding, render_deck_text,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::deck_cards::{self, Asker, StepConnection};
use super::deck_input::{DeckDialectWord, DeckEntryBody, DeckFaults, SentDeck, SentList, utf8};
use super::deck_search;
use super::list_reading::{ListReadingResponse, NearNames, ReadList, read_list};
use super::masks::{Masks, hidden_cards, mask};
use crate::app::catalogue::codes::Codes;
use crate::app::fault_reason::{FaultReason, Several};
use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::{IfMatch, Revision};
use crate::app::words::{Word as _, words};
use crate::auth::permission::{Granted, ReadOwnDecks, Viewer, WriteOwnDecks};
use crate::domain::decks::content::{DeckContent, UnreadLine};
use crate::domain::decks::deck::{DeckName, FormatName};
use crate::domain::decks::details::{
    DeckDescription, DeckFolder, DeckTag, DeckVisibility, MAX_TAGS, without_repetitions,
};
use crate::domain::decks::named_copies::take_over_copies;
use crate::domain::designs::markup::to_html;
use crate::domain::ids::{AccountId, CardId, DeckId};
use crate::store::decks::deck_deletions::KEPT_DELETED;
use crate::store::decks::deck_likes;
use crate::store::decks::deck_lists::{
    self, CloneSource, DeckChanges, DeckCreated, DeckFilter, DeckRow, Edited, StoredDeck,
};
use crate::store::decks::deck_pool;
use crate::store::operations::idempotency::IdempotencyClaim;

words! {
    DeckVisibility: "Who may read a deck: `private` (only its owner), `unlisted` (everybody who knows its id) or `public` (everybody).";
}

/// A deck without its description and entries.
#[derive(Serialize, ToSchema)]
pub struct DeckSummaryResponse {
    /// Id of the deck.
    pub id: Uuid,
    /// Account of the owner.
    pub account_id: Uuid,
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
    /// Number of the current revision, from 1; each change creates a new revision.
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
    /// When the deck was last changed.
    pub updated_at: DateTime<Utc>,
    /// When the deck was deleted; it can be restored for 30 days after that. Absent: it is not deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<DateTime<Utc>>,
}

/// The deck from which another one was copied.
#[derive(Serialize, ToSchema)]
pub struct CloneSourceResponse {
    /// Id of the deck. It may be deleted or private by now.
    pub deck_id: Uuid,
    /// Number of the revision that was copied.
    #[schema(example = 3, minimum = 1)]
    pub revision: i64,
    /// Account of the owner; absent: the account no longer exists.
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
        tells_source: bool,
    ) -> Self {
        let is_own = reader == Some(row.account_id);
        Self {
            id: row.id.0,
            account_id: row.account_id.0,
            game: row.game().to_owned(),
            format: format!("{}/{}", row.game(), row.local_format()),
            visibility: row.visibility().as_str(),
            cloned_from: row.cloned_from().filter(|_| tells_source).map(Into::into),
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
    /// Description of the deck, in the markup of lore and comments.
    #[schema(example = "Goes *fast*.")]
    pub description: String,
    /// The description as HTML: `p`, `br`, `em` and `strong` without attributes.
    #[schema(example = "<p>Goes <em>fast</em>.</p>")]
    pub description_html: String,
    /// The entries as the owner wrote them, in that order. A name here may match no card: see the report. An entry whose card is hidden from you has
    /// `hidden` and no name.
    pub entries: Vec<DeckEntryBody>,
    /// Lines of the stored list that could not be read as entries; empty for everybody but the owner.
    pub unread_lines: Vec<UnreadLineResponse>,
    /// How each line of `list` was read; only in the answer to a request with a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<ListReadingResponse>,
}

/// A deck as a reader sees it.
pub(super) struct SeenDeck {
    /// The deck itself.
    pub row: DeckRow,
    /// The content, as far as the reader may see it.
    pub content: DeckContent,
    pub masks: Masks,
    pub reader: Option<AccountId>,
    /// Whether the response names the deck from which this one was cloned.
    tells_source: bool,
    /// Whether the reader likes the deck, if this was looked up.
    liked: Option<bool>,
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
    /// The numbers beside the revision on which the response depends: what this reader sees differently, likes and comments.
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
    fn from(SeenDeck { row, content, masks, reader, tells_source, liked }: SeenDeck) -> Self {
        let card_count = i64::try_from(content.card_count()).unwrap_or(i64::MAX);
        let summary = DeckSummaryResponse::new(row, card_count, reader, tells_source);
        Self {
            summary: DeckSummaryResponse { liked, ..summary },
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
    pub revision: Revision,
    /// Numbers that are no part of the version but change the response: what this reader sees differently, likes and comments.
    pub seen: Vec<i64>,
    /// The deck.
    pub deck: DeckResponse,
}

impl From<SeenDeck> for VersionedDeck {
    fn from(seen: SeenDeck) -> Self {
        let (revision, counts) = (Revision(seen.row.revision), seen.counts());
        Self { revision, seen: counts, deck: seen.into() }
    }
}

/// A deck to store. A request that replaces a deck also contains the whole deck: values that are left out are not kept.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "name": "Embers and Bones", "format": "ttcg/standard", "visibility": "private", "description": "Goes *fast*.", "tags": ["aggro"], "folder": "Friday",
    "entries": [{ "quantity": 2, "name": "Kettle Imp" }, { "quantity": 1, "name": "Bellows Smith", "rarity": "rare" }]
}))]
pub struct DeckRequest {
    /// Name of the deck: 1 to 100 characters.
    #[schema(example = "Embers and Bones", min_length = 1, max_length = 100)]
    pub name: String,
    /// Format of the deck: `game/format`, or `game/format:variant` if the format has variants.
    #[schema(example = "ttcg/standard")]
    pub format: String,
    /// Who may read the deck: `private` (the default), `unlisted` or `public`.
    #[schema(value_type = Option<DeckVisibility>, example = "private")]
    pub visibility: Option<String>,
    /// Description of the deck, in the markup of lore and comments: up to 5,000 characters.
    #[schema(example = "Goes *fast*.", max_length = 5000)]
    pub description: Option<String>,
    /// Up to 20 tags of 1 to 30 characters; they are stored in lower case.
    #[serde(default)]
    #[schema(example = json!(["aggro"]), max_items = 20)]
    pub tags: Vec<String>,
    /// Folder of the deck: 1 to 100 characters. Only you see it.
    #[schema(example = "Friday", min_length = 1, max_length = 100)]
    pub folder: Option<String>,
    /// The entries, at most 500. Either `entries` or `list` is required.
    #[schema(max_items = 500)]
    pub entries: Option<Vec<DeckEntryBody>>,
    /// The entries as text in any dialect: that of this service (`2 Kettle Imp (hearth) 001 {rare}`), one of another program, or a share code.
    /// `reading` in the answer reports how each line was read; lines that cannot be read are kept in `unread_lines`. Either `list` or `entries` is
    /// required.
    #[schema(example = "2 Kettle Imp\n1 Bellows Smith {rare}")]
    pub list: Option<String>,
    /// Dialect of `list`, for example `mtgo`; absent: the dialect is recognised.
    #[schema(value_type = Option<DeckDialectWord>)]
    pub dialect: Option<String>,
    #[serde(skip, default = "utf8")]
    #[schema(ignore)]
    pub encoding: TextEncoding,
}

/// The parsed content of a valid request.
struct ParsedDeck {
    content: DeckContent,
    visibility: DeckVisibility,
    folder: Option<DeckFolder>,
    reading: Option<ListReadingResponse>,
    /// Cards that the entries are bound to and that are not open.
    hidden: BTreeSet<CardId>,
}

impl ParsedDeck {
    fn changes(&self, at: DateTime<Utc>) -> DeckChanges<'_> {
        let Self { content, visibility, folder, reading: _, hidden } = self;
        let (visibility, folder) = (*visibility, folder.as_ref());
        DeckChanges { content, hidden, visibility, folder, cloned_from: None, at }
    }
}

/// Parses a request, or returns every fault of it. Entries are bound to the cards that `asker` may see.
async fn parse(app: &AppState, asker: Asker, request: DeckRequest) -> Result<ParsedDeck, Problem> {
    let mut faults = DeckFaults::default();
    let name = faults.check("/name", DeckName::parse(&request.name));
    let format = faults.check("/format", FormatName::parse(&request.format));
    let visibility =
        request.visibility.as_deref().map_or(Ok(DeckVisibility::default()), DeckVisibility::read);
    let visibility = faults.check("/visibility", visibility);
    let description = request.description.as_deref().unwrap_or_default();
    let description = faults.check("/description", DeckDescription::parse(description));
    let tags = check_tags(&mut faults, &request.tags);
    let folder = match request.folder.as_deref().map(DeckFolder::parse).transpose() {
        Ok(folder) => folder,
        Err(error) => {
            faults.fields.push(InputFault::at("/folder", error));
            None
        }
    };
    let list = request.list.as_deref().map(|text| SentList {
        text,
        encoding: request.encoding,
        dialect: request.dialect.as_deref(),
    });
    let deck = faults.deck(request.entries, list);
    let format = format.map(|format| ("/format".to_owned(), format));
    let found = faults.formats(app, format.as_slice(), None).await?;
    let parts = match (name, format, visibility, description, found, deck) {
        (
            Some(name),
            Some((_, format)),
            Some(visibility),
            Some(description),
            Some(found),
            Some(deck),
        ) => Some((name, format, visibility, description, found, deck)),
        _ => None,
    };
    let (name, format, visibility, description, (loaded, _), sent) = faults.into_result(parts)?;
    let bound = bind(app, asker, &loaded.game, sent).await?;
    let BoundDeck { deck, cards, unread_lines, reading } = bound;
    let content = DeckContent { name, format, description, tags, deck, cards, unread_lines };
    let hidden = hidden_cards(app, &content.cards).await?;
    Ok(ParsedDeck { content, visibility, folder, reading, hidden })
}

fn check_tags(faults: &mut DeckFaults, tags: &[String]) -> Vec<DeckTag> {
    if tags.len() > MAX_TAGS {
        let (most, actual) = (MAX_TAGS, tags.len());
        let reason = FaultReason::TooMany { of: Several::Tags, most, actual };
        faults.fields.push(InputFault::at("/tags", reason));
    }
    let parsed = tags.iter().take(MAX_TAGS).enumerate();
    let parsed =
        parsed.filter_map(|(at, tag)| faults.check(&format!("/tags/{at}"), DeckTag::parse(tag)));
    without_repetitions(parsed.collect())
}

/// A deck whose entries are bound to cards.
struct BoundDeck {
    deck: Deck,
    cards: Vec<Option<CardId>>,
    unread_lines: Vec<UnreadLine>,
    reading: Option<ListReadingResponse>,
}

/// Binds the entries of a deck to cards, among those that the asker may see.
async fn bind(
    app: &AppState,
    asker: Asker,
    game: &Game,
    sent: SentDeck,
) -> Result<BoundDeck, Problem> {
    match sent {
        SentDeck::Entries(deck) => {
            let mut conn = StepConnection::new(&app.store);
            let mentions = DeckMentions::of_deck(&deck);
            let found = deck_cards::find(app, &mut conn, asker, game, &[], &mentions);
            let (mut pool, _) = found.await?;
            let mut cards = bound_cards(&deck, &pool.catalogue());
            bind_places(&mut conn, game, &deck, &mut cards).await?;
            Ok(BoundDeck { deck, cards, unread_lines: Vec::new(), reading: None })
        }
        SentDeck::List(text) => {
            match read_list(app, asker, game, &[], &text, NearNames::LookUp).await? {
                Ok((ReadList { deck, unread, told, .. }, _, catalogue)) => {
                    let mut cards = bound_cards(&deck, &catalogue);
                    let mut conn = StepConnection::new(&app.store);
                    bind_places(&mut conn, game, &deck, &mut cards).await?;
                    Ok(BoundDeck { deck, cards, unread_lines: unread, reading: Some(told) })
                }
                Err(refusal) => {
                    let mut faults = DeckFaults::default();
                    faults.refuse_list(refusal);
                    faults.into_result(None)
                }
            }
        }
    }
}

/// The card of each entry, even if the printing does not exist; `None`: the entry matches no card, or several.
pub(super) fn bound_cards(deck: &Deck, catalogue: &Catalogue) -> Vec<Option<CardId>> {
    let card = |entry: &DeckEntry| match catalogue.find(&entry.card) {
        Resolution::Card(card) | Resolution::OtherPrinting(card) => {
            card.key.parse().ok().map(CardId)
        }
        _ => None,
    };
    deck.entries.iter().map(card).collect()
}

/// Binds each entry that has a place and no name to the card at that place. The card may be hidden from the owner; the entry gets the card's name as soon as
/// the owner may see the card.
async fn bind_places(
    conn: &mut StepConnection<'_>,
    game: &Game,
    deck: &Deck,
    cards: &mut [Option<CardId>],
) -> Result<(), Problem> {
    let mut places = Vec::new();
    for (at, (entry, card)) in deck.entries.iter().zip(cards.iter()).enumerate() {
        if let (None, "", Some(set), Some(number)) =
            (card, entry.card.name.as_str(), &entry.card.set, &entry.card.number)
        {
            places.push((at, (set.as_str(), number.as_str())));
        }
    }
    if places.is_empty() {
        return Ok(());
    }
    let (positions, places): (Vec<usize>, Vec<_>) = places.into_iter().unzip();
    let found = deck_pool::ids_at(conn.get().await?, game.code(), &places).await?;
    for (at, card) in positions.into_iter().zip(found) {
        cards[at] = card;
    }
    Ok(())
}

/// Which of the caller's decks to list.
pub struct DeckListRequest<'a> {
    /// Resolved codes: the game to filter by, if any.
    pub codes: &'a Codes,
    /// Only decks in this folder.
    pub folder: Option<DeckFolder>,
    /// Only decks with this tag.
    pub tag: Option<DeckTag>,
    /// Whether to list the deleted decks instead of the others.
    pub deleted: bool,
    /// The last deck of the previous page.
    pub before: Option<Uuid>,
    /// Most decks of the page.
    pub limit: PageLimit,
}

/// Lists the caller's decks, the newest first.
pub async fn list(
    app: &AppState,
    by: &Granted<ReadOwnDecks>,
    request: &DeckListRequest<'_>,
) -> Result<Page<DeckSummaryResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let filter = DeckFilter {
        game: request.codes.game.as_deref(),
        folder: request.folder.as_ref(),
        tag: request.tag.as_ref().map(DeckTag::as_str),
        deleted_since: request.deleted.then(|| app.clock.now() - KEPT_DELETED),
        before: request.before,
    };
    let rows = deck_lists::list(&mut conn, by, &filter, request.limit.rows()).await?;
    let reader = Some(by.account());
    let summary = |(row, cards)| DeckSummaryResponse::new(row, cards, reader, true);
    Ok(paged(rows, request.limit, |(row, _)| row.id, summary))
}

/// A folder of decks.
#[derive(Serialize, ToSchema)]
pub struct DeckFolderResponse {
    /// Name of the folder; `null`: the decks that are in no folder.
    #[schema(example = "Friday")]
    pub name: Option<String>,
    /// Number of decks in the folder.
    #[schema(example = 3)]
    pub decks: i64,
}

/// The folders of your decks.
#[derive(Serialize, ToSchema)]
pub struct DeckFoldersResponse {
    /// The folders by name; the decks that are in no folder come last.
    pub data: Vec<DeckFolderResponse>,
}

/// Lists the folders of the caller's decks.
pub async fn list_folders(
    app: &AppState,
    by: &Granted<ReadOwnDecks>,
) -> Result<DeckFoldersResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let folders = deck_lists::list_folders(&mut conn, by).await?.into_iter();
    let data = folders.map(|folder| DeckFolderResponse { name: folder.name, decks: folder.decks });
    Ok(DeckFoldersResponse { data: data.collect() })
}

/// Stores a deck, whether it is legal or not.
pub async fn create(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    asker: Asker,
    request: DeckRequest,
    key: Option<&IdempotencyClaim>,
) -> Result<VersionedDeck, Problem> {
    let parsed = parse(app, asker, request).await?;
    let changes = parsed.changes(app.clock.now());
    let created = store_new(app, by, asker.0, &changes, key).await?;
    Ok(with_reading(created, parsed.reading))
}

fn with_reading(versioned: VersionedDeck, reading: Option<ListReadingResponse>) -> VersionedDeck {
    let deck = DeckResponse { reading, ..versioned.deck };
    VersionedDeck { deck, ..versioned }
}

/// Stores a new deck.
pub(super) async fn store_new(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    viewer: Viewer,
    changes: &DeckChanges<'_>,
    key: Option<&IdempotencyClaim>,
) -> Result<VersionedDeck, Problem> {
    let id = DeckId::fresh();
    let created = app
        .write(by, async |conn, by| deck_lists::create(conn, by, id, changes, key).await)
        .await?;
    let stored = match created {
        DeckCreated::New(stored) => {
            tracing::info!(account = %by.account(), deck = %id, format = %changes.content.format, "deck stored");
            stored
        }
        DeckCreated::Repeat(Some(stored)) => stored,
        DeckCreated::Repeat(None) => return Err(Problem::new(ProblemCode::Gone)),
        DeckCreated::TooMany => return Err(Problem::new(ProblemCode::TooManyDecks)),
    };
    deck_search::publish(app, &stored).await;
    Ok(see(app, (viewer, Some(by.account())), stored).await?.into())
}

/// Finds a deck that the reader may see.
pub async fn find(
    app: &AppState,
    reader: (Viewer, Option<&Granted<ReadOwnDecks>>),
    id: DeckId,
) -> Result<VersionedDeck, Problem> {
    let mut seen = find_seen(app, reader, id).await?;
    if let Some(by) = reader.1.filter(|by| by.account() != seen.row.account_id) {
        let mut conn = app.store.connection().await?;
        seen.liked = Some(deck_likes::likes(&mut conn, by, id).await?);
    }
    Ok(seen.into())
}

/// Like [`find`], with the deck as text, in the form that the field `list` of a [`DeckRequest`] accepts.
pub async fn find_text(
    app: &AppState,
    reader: (Viewer, Option<&Granted<ReadOwnDecks>>),
    id: DeckId,
) -> Result<(Revision, Vec<i64>, String), Problem> {
    let seen = find_seen(app, reader, id).await?;
    Ok((Revision(seen.row.revision), seen.masks.counts(), text_of(&seen)))
}

/// Finds a deck as the reader sees it; 404 when the reader may not see it.
pub(super) async fn find_seen(
    app: &AppState,
    (viewer, reader): (Viewer, Option<&Granted<ReadOwnDecks>>),
    id: DeckId,
) -> Result<SeenDeck, Problem> {
    let mut conn = app.store.connection().await?;
    let stored = deck_lists::find(&mut conn, reader, id).await?.ok_or_else(Problem::not_found)?;
    drop(conn);
    see(app, (viewer, reader.map(Granted::account)), stored).await
}

/// Masks a stored deck for its reader.
pub(super) async fn see(
    app: &AppState,
    reader: (Viewer, Option<AccountId>),
    StoredDeck { row, mut content }: StoredDeck,
) -> Result<SeenDeck, Problem> {
    let mut masks = mask(app, reader, row.account_id, &mut content).await?;
    let is_own = reader.1 == Some(row.account_id);
    if !is_own && row.folder.is_some() {
        masks.note("folder");
    }
    let tells_source = match row.cloned_from() {
        Some(source) if !is_own => {
            let conn = app.store.connection().await?;
            let is_public = deck_lists::is_public(&conn, source.deck).await?;
            masks.note(if is_public { "source" } else { "no source" });
            is_public
        }
        _ => true,
    };
    Ok(SeenDeck { row, content, masks, reader: reader.1, tells_source, liked: None })
}

/// The deck as text; format, name and unread lines, for which lists have no lines, are written as comments.
fn text_of(SeenDeck { row, content, .. }: &SeenDeck) -> String {
    let list = render_deck_text(&content.deck);
    let unread: String = content
        .unread_lines
        .iter()
        .map(|UnreadLine { line, text, detail }| format!("// line {line} ({detail}): {text}\n"))
        .collect();
    let format = format!("{}/{}", row.game(), row.local_format());
    format!("// format: {format}\n// name: {}\n{unread}\n{list}", row.name)
}

/// Replaces one of the caller's decks, if the client's version is current.
pub async fn replace(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    asker: Asker,
    id: DeckId,
    if_match: &IfMatch,
    request: DeckRequest,
) -> Result<VersionedDeck, Problem> {
    let parsed = parse(app, asker, request).await?;
    store_changed(app, by, asker.0, (id, if_match), parsed).await
}

/// Like [`replace`], with a list that was written from the deck. A list cannot contain the named copies, so unchanged entries keep their copies.
pub async fn replace_by_list(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    asker: Asker,
    id: DeckId,
    if_match: &IfMatch,
    request: DeckRequest,
) -> Result<VersionedDeck, Problem> {
    let mut parsed = parse(app, asker, request).await?;
    let mut conn = app.store.connection().await?;
    let stored = deck_lists::find_own(&mut conn, by, id).await?.ok_or_else(Problem::not_found)?;
    drop(conn);
    // The list was written from this version. The version is checked again in the transaction that writes the deck.
    if_match.check(Revision(stored.row.revision))?;
    // Cards of different games are different cards, even with the same name.
    if stored.content.format.game() == parsed.content.format.game() {
        let before = entries_as_listed(app, (asker.0, by.account()), stored.content).await?;
        take_over_copies(&before, &mut parsed.content.deck.entries);
    }
    store_changed(app, by, asker.0, (id, if_match), parsed).await
}

/// The entries of a deck as its owner reads them in a list, with their named copies. An entry that is stored only with a place has the name of its card, if the
/// owner may see it.
async fn entries_as_listed(
    app: &AppState,
    (viewer, owner): (Viewer, AccountId),
    mut content: DeckContent,
) -> Result<Vec<DeckEntry>, Problem> {
    let copies: Vec<Vec<String>> =
        content.deck.entries.iter().map(|entry| entry.copies.clone()).collect();
    mask(app, (viewer, Some(owner)), owner, &mut content).await?;
    let listed = content.deck.entries.into_iter().zip(copies);
    Ok(listed.map(|(entry, copies)| DeckEntry { copies, ..entry }).collect())
}

async fn store_changed(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    viewer: Viewer,
    (id, if_match): (DeckId, &IfMatch),
    parsed: ParsedDeck,
) -> Result<VersionedDeck, Problem> {
    let changes = parsed.changes(app.clock.now());
    let is_current = |revision| if_match.check(Revision(revision)).is_ok();
    let edited = app
        .write(by, async |conn, by| deck_lists::replace(conn, by, id, is_current, &changes).await)
        .await?;
    let stored = check_edit(edited)?;
    tracing::info!(account = %by.account(), deck = %id, revision = stored.row.revision, "deck replaced");
    deck_search::publish(app, &stored).await;
    let replaced = see(app, (viewer, Some(by.account())), stored).await?.into();
    Ok(with_reading(replaced, parsed.reading))
}

pub(super) fn check_edit<T>(edited: Edited<T>) -> Result<T, Problem> {
    match edited {
        Edited::Done(value) => Ok(value),
        Edited::Stale => Err(Problem::new(ProblemCode::PreconditionFailed)),
        Edited::Missing => Err(Problem::not_found()),
    }
}
