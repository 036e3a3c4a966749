//! Deck lists: stored, listed, read, replaced, deleted.

use cardscape_engine::{Deck, render_deck_text};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::deck_input::{DeckEntryBody, DeckFaults};
use crate::app::catalogue::codes::Codes;
use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::{IfMatch, Revision};
use crate::app::words::{Word as _, words};
use crate::auth::permission::{Granted, ReadOwnDecks, WriteOwnDecks};
use crate::domain::decks::deck::{DeckName, FormatName, Visibility};
use crate::domain::ids::DeckId;
use crate::store::decks::deck_lists::{
    self, DeckContent, DeckCreated, DeckFilter, DeckRow, Edited, StoredDeck,
};
use crate::store::operations::idempotency::IdempotencyClaim;

words! {
    Visibility: "Who may read it: its owner, or everybody.";
}

/// A deck without its entries.
#[derive(Serialize, ToSchema)]
pub struct DeckSummaryResponse {
    /// Its id.
    pub id: Uuid,
    /// The account it belongs to.
    pub account_id: Uuid,
    /// Code of the game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// The format it is meant for: `game/format`, or `game/format:variant`.
    #[schema(example = "ttcg/standard")]
    pub format: String,
    /// What its owner calls it.
    #[schema(example = "Embers and Bones")]
    pub name: String,
    /// `private` (only the owner reads it) or `public`.
    #[schema(example = "private")]
    pub visibility: &'static str,
    /// Cards in all zones together.
    #[schema(example = 50)]
    pub card_count: i64,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    /// When it was changed last.
    pub updated_at: DateTime<Utc>,
}

impl DeckSummaryResponse {
    fn new(row: DeckRow, card_count: i64) -> Self {
        Self {
            id: row.id.0,
            account_id: row.account_id.0,
            game: row.game().to_owned(),
            format: format!("{}/{}", row.game(), row.local_format()),
            visibility: row.visibility.as_str(),
            name: row.name,
            card_count,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// A deck.
#[derive(Serialize, ToSchema)]
pub struct DeckResponse {
    /// The deck itself.
    #[serde(flatten)]
    pub summary: DeckSummaryResponse,
    /// Its entries as the owner wrote them, in the owner's order. A name here need not be that of a card: see the report.
    pub entries: Vec<DeckEntryBody>,
}

impl From<StoredDeck> for DeckResponse {
    fn from(StoredDeck { row, deck }: StoredDeck) -> Self {
        let card_count = deck.entries.iter().map(|entry| i64::from(entry.quantity)).sum();
        Self {
            summary: DeckSummaryResponse::new(row, card_count),
            entries: deck.entries.into_iter().map(Into::into).collect(),
        }
    }
}

/// A deck as it is answered, and the version that edits of it name.
pub struct VersionedDeck {
    /// Its version.
    pub revision: Revision,
    /// The deck.
    pub deck: DeckResponse,
}

impl From<StoredDeck> for VersionedDeck {
    fn from(stored: StoredDeck) -> Self {
        Self { revision: Revision(stored.row.revision), deck: stored.into() }
    }
}

/// What a deck shall be: everything, also when it is changed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "name": "Embers and Bones", "format": "ttcg/standard", "visibility": "private",
    "entries": [{ "quantity": 2, "name": "Kettle Imp" }, { "quantity": 1, "name": "Bellows Smith", "rarity": "rare" }]
}))]
pub struct DeckRequest {
    /// 1 to 100 characters.
    #[schema(example = "Embers and Bones", min_length = 1, max_length = 100)]
    pub name: String,
    /// `game/format`, or `game/format:variant` where the format has variants.
    #[schema(example = "ttcg/standard")]
    pub format: String,
    /// `private` (when absent) or `public`.
    #[schema(value_type = Option<Visibility>, example = "private")]
    pub visibility: Option<String>,
    /// The entries, at most 500. Either this or `list`.
    #[schema(max_items = 500)]
    pub entries: Option<Vec<DeckEntryBody>>,
    /// The entries as text, one a line: `2 Kettle Imp (hearth) 001 {rare}`; set, number and rarity may be left out, `//` and `#`
    /// begin comments. Either this or `entries`.
    #[schema(example = "2 Kettle Imp\n1 Bellows Smith {rare}")]
    pub list: Option<String>,
}

/// The content of a request without a fault.
struct ParsedDeck {
    name: DeckName,
    format: FormatName,
    visibility: Visibility,
    deck: Deck,
}

impl ParsedDeck {
    fn content(&self, at: DateTime<Utc>) -> DeckContent<'_> {
        let Self { name, format, visibility, deck } = self;
        DeckContent { name, format, visibility: *visibility, deck, at }
    }
}

/// The content of a request, or every fault of it.
async fn parse(app: &AppState, request: DeckRequest) -> Result<ParsedDeck, Problem> {
    let mut faults = DeckFaults::default();
    let name = faults.check("/name", DeckName::parse(&request.name));
    let format = faults.check("/format", FormatName::parse(&request.format));
    let visibility =
        request.visibility.as_deref().map_or(Ok(Visibility::default()), Visibility::read);
    let visibility = faults.check("/visibility", visibility);
    let deck = faults.deck(request.entries, request.list.as_deref()).deck;
    let format = format.map(|format| ("/format".to_owned(), format));
    faults.formats(app, format.as_slice(), None).await?;
    let parsed = match (name, format, visibility) {
        (Some(name), Some((_, format)), Some(visibility)) => {
            Some(ParsedDeck { name, format, visibility, deck })
        }
        _ => None,
    };
    faults.into_result(parsed)
}

/// Lists the own decks, of one game where `codes`, which are known, name one; the newest first.
pub async fn list(
    app: &AppState,
    by: &Granted<ReadOwnDecks>,
    codes: &Codes,
    before: Option<Uuid>,
    limit: PageLimit,
) -> Result<Page<DeckSummaryResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let filter = DeckFilter { game: codes.game.as_deref(), before };
    let rows = deck_lists::list(&mut conn, by, &filter, limit.rows()).await?;
    let summary = |(row, cards)| DeckSummaryResponse::new(row, cards);
    Ok(paged(rows, limit, |(row, _)| row.id, summary))
}

/// Stores a deck, whether it is legal or not.
pub async fn create(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    request: DeckRequest,
    key: Option<&IdempotencyClaim>,
) -> Result<VersionedDeck, Problem> {
    let parsed = parse(app, request).await?;
    let id = DeckId::fresh();
    let content = parsed.content(app.clock.now());
    let created = app
        .write(by, async |conn, by| deck_lists::create(conn, by, id, &content, key).await)
        .await?;
    match created {
        DeckCreated::New(stored) => {
            tracing::info!(account = %by.account(), deck = %id, format = %parsed.format, "deck stored");
            Ok(stored.into())
        }
        DeckCreated::Repeat(Some(stored)) => Ok(stored.into()),
        DeckCreated::Repeat(None) => Err(Problem::new(ProblemCode::Gone)),
        DeckCreated::TooMany => Err(Problem::new(ProblemCode::TooManyDecks)),
    }
}

/// Finds a public deck, or one of the reader's own.
pub async fn find(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDecks>>,
    id: DeckId,
) -> Result<VersionedDeck, Problem> {
    Ok(find_stored(app, reader, id).await?.into())
}

/// Finds the same deck as text, in the form that `list` of a [`DeckRequest`] takes back.
pub async fn find_text(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDecks>>,
    id: DeckId,
) -> Result<(Revision, String), Problem> {
    let stored = find_stored(app, reader, id).await?;
    Ok((Revision(stored.row.revision), text_of(&stored)))
}

/// The stored deck that is public, or the reader's own: 404 otherwise.
pub(super) async fn find_stored(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDecks>>,
    id: DeckId,
) -> Result<StoredDeck, Problem> {
    let mut conn = app.store.connection().await?;
    deck_lists::find(&mut conn, reader, id).await?.ok_or_else(Problem::not_found)
}

/// The deck as text; comments keep what lines of cards have no place for.
fn text_of(stored: &StoredDeck) -> String {
    let row = &stored.row;
    let list = render_deck_text(&stored.deck);
    format!("// format: {}/{}\n// name: {}\n\n{list}", row.game(), row.local_format(), row.name)
}

/// Replaces one of the own decks, if the client means its current version.
pub async fn replace(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    id: DeckId,
    if_match: &IfMatch,
    request: DeckRequest,
) -> Result<VersionedDeck, Problem> {
    let parsed = parse(app, request).await?;
    let content = parsed.content(app.clock.now());
    let is_current = |revision| if_match.check(Revision(revision)).is_ok();
    let edited = app
        .write(by, async |conn, by| deck_lists::replace(conn, by, id, is_current, &content).await)
        .await?;
    let stored = check_edit(edited)?;
    tracing::info!(account = %by.account(), deck = %id, revision = stored.row.revision, "deck replaced");
    Ok(stored.into())
}

/// Deletes one of the own decks, if the client means its current version.
pub async fn delete(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    id: DeckId,
    if_match: &IfMatch,
) -> Result<(), Problem> {
    let is_current = |revision| if_match.check(Revision(revision)).is_ok();
    let edited =
        app.write(by, async |conn, by| deck_lists::delete(conn, by, id, is_current).await).await?;
    check_edit(edited)?;
    tracing::info!(account = %by.account(), deck = %id, "deck deleted");
    Ok(())
}

fn check_edit<T>(edited: Edited<T>) -> Result<T, Problem> {
    match edited {
        Edited::Done(value) => Ok(value),
        Edited::Stale => Err(Problem::new(ProblemCode::PreconditionFailed)),
        Edited::Missing => Err(Problem::not_found()),
    }
}
