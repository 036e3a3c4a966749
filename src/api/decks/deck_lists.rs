//! Deck lists: store, read, change, delete.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use cardscape_engine::render_deck_text;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::deck_input::{DeckEntryBody, DeckFaults};
use crate::app::catalogue::codes::Codes;
use crate::app::page::{Cursor, Page, PageLimit, paged};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::{IfMatch, Revision};
use crate::app::words::{Word as _, words};
use crate::auth::permission::{ReadOwnDecks, WriteOwnDecks};
use crate::domain::code::Code;
use crate::domain::decks::deck::{DeckName, FormatName, Visibility};
use crate::domain::ids::DeckId;
use crate::http::extract::{AnswerForm, Body, Caller, IdempotencyKey, May, Params};
use crate::memory::rendered::Freshness;
use crate::store::decks::deck_lists::{
    self, DeckContent, DeckCreated, DeckFilter, DeckRow, Edited, StoredDeck,
};

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
            id: row.id,
            account_id: row.account_id,
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

/// A request for a deck without a fault.
struct ParsedDeck {
    name: DeckName,
    format: FormatName,
    visibility: Visibility,
    deck: cardscape_engine::Deck,
}

impl ParsedDeck {
    fn content(&self, at: DateTime<Utc>) -> DeckContent<'_> {
        let Self { name, format, visibility, deck } = self;
        DeckContent { name, format, visibility: *visibility, deck, at }
    }
}

async fn parse(state: &AppState, request: &mut DeckRequest) -> Result<ParsedDeck, Problem> {
    let mut faults = DeckFaults::default();
    let name = faults.keep("/name", DeckName::parse(&request.name));
    let format = faults.keep("/format", FormatName::parse(&request.format));
    let visibility =
        request.visibility.as_deref().map_or(Ok(Visibility::default()), Visibility::read);
    let visibility = faults.keep("/visibility", visibility);
    let deck = faults.deck(request.entries.take(), request.list.as_deref()).deck;
    let format = format.map(|format| ("/format".to_owned(), format));
    faults.formats(state, format.as_slice(), None).await?;
    let parsed = match (name, format, visibility) {
        (Some(name), Some((_, format)), Some(visibility)) => {
            Some(ParsedDeck { name, format, visibility, deck })
        }
        _ => None,
    };
    faults.settle(parsed)
}

/// Which of your decks.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DecksQuery {
    /// Only decks of this game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists your decks, the newest first.
#[utoipa::path(
    get, path = "/v1/decks", tag = "decks", security(("bearer" = [])), params(DecksQuery),
    responses((status = 200, body = Page<DeckSummaryResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_decks(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnDecks>,
    query: Params<DecksQuery>,
) -> Result<HttpResponse, Problem> {
    let before = query.cursor.as_ref().map(Cursor::key::<Uuid>).transpose()?;
    let codes = Codes { game: query.game.clone(), ..Codes::default() }.known(&state).await?;
    let mut conn = state.store.connection().await?;
    let filter = DeckFilter { game: codes.game.as_deref(), before };
    let rows = deck_lists::list(&mut conn, &by, &filter, query.limit.rows()).await?;
    let page = paged(
        rows,
        query.limit,
        |(row, _)| row.id,
        |(row, cards)| DeckSummaryResponse::new(row, cards),
    );
    page.answer(&req, Freshness::Private)
}

/// Stores a deck.
///
/// Any list can be stored, also an unfinished or illegal one: `GET /v1/decks/{deck}/report` tells what is wrong with it.
#[utoipa::path(
    post, path = "/v1/decks", tag = "decks", security(("bearer" = [])), request_body = DeckRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe")),
    responses(
        (status = 201, body = DeckResponse, headers(
            ("Location" = String, description = "The deck"),
            ("ETag" = String, description = "Its version, for `If-Match`"),
        )),
        (status = 409, description = "`too_many_decks`, `idempotency_in_progress`"),
        (status = 410, description = "`gone`: the request is a repeated one, and its deck was deleted since."),
        (status = 422, description = "`invalid_body`, `unreadable_deck_list`, `unknown_format`, `idempotency_key_reused`"),
    )
)]
pub async fn create_deck(
    state: web::Data<AppState>,
    by: May<WriteOwnDecks>,
    key: IdempotencyKey,
    mut body: Body<DeckRequest>,
) -> Result<HttpResponse, Problem> {
    let key = key.claim(&state, by.account(), "create_deck", &body);
    let parsed = parse(&state, &mut body.value).await?;
    let id = DeckId::fresh();
    let content = parsed.content(state.clock.now());
    let created = state
        .write(&by, async |conn, by| deck_lists::create(conn, by, id, &content, key.as_ref()).await)
        .await?;
    let stored = match created {
        DeckCreated::New(stored) => {
            tracing::info!(account = %by.account(), deck = %id, format = %parsed.format, "deck stored");
            stored
        }
        DeckCreated::Repeat(Some(stored)) => stored,
        DeckCreated::Repeat(None) => return Err(Problem::new(ProblemCode::Gone)),
        DeckCreated::TooMany => return Err(Problem::new(ProblemCode::TooManyDecks)),
    };
    Ok(HttpResponse::Created()
        .insert_header((header::LOCATION, format!("/v1/decks/{}", stored.row.id)))
        .insert_header(Revision(stored.row.revision).header())
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .json(DeckResponse::from(stored)))
}

/// Shows a deck: a public one, or one of yours.
///
/// With `Accept: text/plain` as text, one entry a line, that `list` takes back.
#[utoipa::path(
    get, path = "/v1/decks/{deck}", tag = "decks", security((), ("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck")),
    responses(
        (status = 200, content((DeckResponse = "application/json"), (String = "text/plain", example = "2 Kettle Imp\n")),
            headers(("ETag" = String, description = "Its version, for `If-Match`"))),
        (status = 304, description = "It is still the version that `If-None-Match` names."),
    )
)]
pub async fn find_deck(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    form: AnswerForm,
    deck: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let stored = readable(&state, &caller, DeckId(*deck)).await?;
    let revision = Revision(stored.row.revision);
    let answer = match form {
        AnswerForm::Text => revision.answer_text(&req, text_of(&stored)),
        AnswerForm::Json => revision.answer(&req, &DeckResponse::from(stored))?,
    };
    Ok(form.told_apart(answer))
}

/// A deck that the caller may read: 404 otherwise.
pub(super) async fn readable(
    state: &AppState,
    caller: &Caller,
    id: DeckId,
) -> Result<StoredDeck, Problem> {
    let reader = caller.may::<ReadOwnDecks>();
    let mut conn = state.store.connection().await?;
    deck_lists::find(&mut conn, reader.as_ref(), id).await?.ok_or_else(Problem::not_found)
}

/// The deck as text; comments keep what lines of cards have no place for.
fn text_of(stored: &StoredDeck) -> String {
    let row = &stored.row;
    let list = render_deck_text(&stored.deck);
    format!("// format: {}/{}\n// name: {}\n\n{list}", row.game(), row.local_format(), row.name)
}

/// Replaces one of your decks.
#[utoipa::path(
    put, path = "/v1/decks/{deck}", tag = "decks", security(("bearer" = [])), request_body = DeckRequest,
    params(
        ("deck" = Uuid, Path, description = "Id of the deck"),
        ("If-Match" = String, Header, description = "ETag of the version to replace", example = "\"r1\""),
    ),
    responses(
        (status = 200, body = DeckResponse, headers(("ETag" = String, description = "The new version"))),
        (status = 412, description = "`precondition_failed`: it was changed since; nothing is overwritten."),
        (status = 422, description = "`invalid_body`, `unreadable_deck_list`, `unknown_format`"),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn replace_deck(
    state: web::Data<AppState>,
    by: May<WriteOwnDecks>,
    deck: web::Path<Uuid>,
    if_match: Result<IfMatch, Problem>,
    mut body: Body<DeckRequest>,
) -> Result<HttpResponse, Problem> {
    let (id, if_match) = (DeckId(*deck), if_match?);
    let parsed = parse(&state, &mut body.value).await?;
    let content = parsed.content(state.clock.now());
    let is_current = |revision| if_match.check(Revision(revision)).is_ok();
    let edited = state
        .write(&by, async |conn, by| deck_lists::replace(conn, by, id, is_current, &content).await)
        .await?;
    let stored = done(edited)?;
    tracing::info!(account = %by.account(), deck = %id, revision = stored.row.revision, "deck replaced");
    Ok(HttpResponse::Ok()
        .insert_header(Revision(stored.row.revision).header())
        .insert_header((header::CACHE_CONTROL, "private, no-cache"))
        .json(DeckResponse::from(stored)))
}

/// Deletes one of your decks.
#[utoipa::path(
    delete, path = "/v1/decks/{deck}", tag = "decks", security(("bearer" = [])),
    params(
        ("deck" = Uuid, Path, description = "Id of the deck"),
        ("If-Match" = String, Header, description = "ETag of the version to delete", example = "\"r1\""),
    ),
    responses(
        (status = 204, description = "Deleted."),
        (status = 412, description = "`precondition_failed`: it was changed since."),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn delete_deck(
    state: web::Data<AppState>,
    by: May<WriteOwnDecks>,
    deck: web::Path<Uuid>,
    if_match: Result<IfMatch, Problem>,
) -> Result<HttpResponse, Problem> {
    let (id, if_match) = (DeckId(*deck), if_match?);
    let is_current = |revision| if_match.check(Revision(revision)).is_ok();
    let edited = state
        .write(&by, async |conn, by| deck_lists::delete(conn, by, id, is_current).await)
        .await?;
    done(edited)?;
    tracing::info!(account = %by.account(), deck = %id, "deck deleted");
    Ok(HttpResponse::NoContent().finish())
}

fn done<T>(edited: Edited<T>) -> Result<T, Problem> {
    match edited {
        Edited::Done(value) => Ok(value),
        Edited::Stale => Err(Problem::new(ProblemCode::PreconditionFailed)),
        Edited::Missing => Err(Problem::not_found()),
    }
}
