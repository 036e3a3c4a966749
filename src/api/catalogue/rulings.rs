//! Rulings and errata of cards.

use actix_web::http::{StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, web};
use cardscape_engine::Date;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::card_migrations::redirected;
use super::cards::freshness;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::WriteCatalogue;
use crate::domain::catalogue::ruling::{RulingContent, RulingKind};
use crate::domain::ids::{CardId, RulingId};
use crate::domain::text;
use crate::http::extract::{Caller, IdempotencyKey, May, cacheable, edited};
use crate::http::extract::{Judge, JudgedBody};
use crate::store::catalogue::cards;
use crate::store::catalogue::rulings::{self, RulingCreated, RulingEdited, RulingRow};

/// Longest text, in characters.
const MAX_TEXT: usize = 2000;
/// Longest source, in characters.
const MAX_SOURCE: usize = 300;

/// What is said of a card beside the card.
#[derive(Serialize, ToSchema)]
pub struct RulingResponse {
    /// Its id.
    pub id: Uuid,
    /// Id of the card.
    pub card: Uuid,
    /// `ruling`: how the card is to be read; `erratum`: what it should say.
    #[schema(example = "ruling")]
    pub kind: String,
    /// The text; line feeds part paragraphs.
    #[schema(example = "The effect counts the card itself.")]
    pub text: String,
    /// The day from which it holds.
    pub published_on: NaiveDate,
    /// Who said it where.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Rules team, November 2026")]
    pub source: Option<String>,
}

impl From<RulingRow> for RulingResponse {
    fn from(row: RulingRow) -> Self {
        Self {
            id: row.id.0,
            card: row.card_id.0,
            kind: row.kind.as_str().to_owned(),
            text: row.text,
            published_on: row.published_on,
            source: row.source,
        }
    }
}

/// The rulings of a card.
#[derive(Serialize, ToSchema)]
pub struct RulingsResponse {
    /// The oldest day first; none while the card is hidden from the caller.
    pub data: Vec<RulingResponse>,
    /// Whether the card is hidden from everybody who neither holds it nor oversees the cards.
    pub hidden: bool,
}

/// What a text about a card is.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RulingKindParam {
    /// How the card is to be read.
    Ruling,
    /// What the card should say.
    Erratum,
}

/// What an admin writes of a card.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RulingRequest {
    /// `ruling`: how the card is to be read; `erratum`: what it should say.
    kind: RulingKindParam,
    /// The text; line feeds part paragraphs.
    #[schema(min_length = 1, max_length = 2000, example = "The effect counts the card itself.")]
    text: String,
    /// The day from which it holds.
    #[schema(format = Date, example = "2026-11-21")]
    published_on: String,
    /// Who said it where.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 300, example = "Rules team, November 2026")]
    source: Option<String>,
}

impl Judge for RulingRequest {
    fn judge(&self) -> Result<(), Problem> {
        self.parse().map(drop)
    }
}

impl RulingRequest {
    /// What is to be written, or every fault of it.
    fn parse(&self) -> Result<RulingContent, Problem> {
        let mut faults = Vec::new();
        let text = text::lines(&self.text, 1, MAX_TEXT)
            .map_err(|error| faults.push(InputFault::at("/text", error)));
        let source = self.source.as_deref().map(|source| text::line(source, 1, MAX_SOURCE));
        let source =
            source.transpose().map_err(|error| faults.push(InputFault::at("/source", error)));
        let day = self.published_on.parse::<Date>().map_err(|error| error.to_string());
        let day = day.and_then(|_| {
            self.published_on.parse::<NaiveDate>().map_err(|error| error.to_string())
        });
        let day = day.map_err(|error| faults.push(InputFault::at("/published_on", error)));
        let (Ok(text), Ok(source), Ok(published_on)) = (text, source, day) else {
            return Err(Problem::invalid(faults));
        };
        let kind = match self.kind {
            RulingKindParam::Ruling => RulingKind::Ruling,
            RulingKindParam::Erratum => RulingKind::Erratum,
        };
        Ok(RulingContent { kind, text, published_on, source })
    }
}

/// Lists the rulings and errata of a card, the oldest first.
///
/// The list is empty while the card is hidden from the caller.
#[utoipa::path(
    get, path = "/v1/cards/{card}/rulings", tag = "catalogue", security((), ("bearer" = [])),
    params(("card" = Uuid, Path, description = "Id of the card")),
    responses(
        (status = 200, body = RulingsResponse),
        (status = 304, description = "Not changed."),
        (status = 308, description = "The card became one with another: its place is in `Location`."),
    )
)]
pub async fn list_rulings(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    card: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let (viewer, card) = (caller.viewer(), CardId(*card));
    let mut conn = state.store.connection().await?;
    let Some(found) = cards::find(&conn, viewer, card).await? else {
        return redirected(&req, &mut conn, card).await;
    };
    let rows = rulings::list(&mut conn, viewer, card).await?;
    let hidden = found.is_hidden();
    let body = RulingsResponse { data: rows.into_iter().map(Into::into).collect(), hidden };
    // A ruling shows sooner than a change of the card would.
    cacheable(&req, freshness(viewer, true), None, &body)
}

/// Writes a ruling or an erratum of a card.
///
/// The card's history and the change feed (`card.changed`) tell of it, once the card is open.
#[utoipa::path(
    post, path = "/v1/cards/{card}/rulings", tag = "catalogue", security(("bearer" = [])), request_body = RulingRequest,
    params(
        ("card" = Uuid, Path, description = "Id of the card"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe"),
    ),
    responses(
        (status = 201, body = RulingResponse, headers(
            ("Location" = String, description = "The ruling"),
            ("ETag" = String, description = "Its version, for `If-Match`"),
        )),
        (status = 409, description = "`too_many_rulings`, `idempotency_in_progress`"),
        (status = 410, description = "`gone`: the request is a repeated one, and its ruling was taken away since."),
        (status = 422, description = "`invalid_body`, `idempotency_key_reused`"),
    )
)]
pub async fn create_ruling(
    state: web::Data<AppState>,
    by: May<WriteCatalogue>,
    card: web::Path<Uuid>,
    key: IdempotencyKey,
    body: Result<JudgedBody<RulingRequest>, Problem>,
) -> Result<HttpResponse, Problem> {
    let (card, body) = (CardId(*card), body?);
    let content = body.0.value.parse()?;
    let key = key.claim_at(&state, by.account(), "create_ruling", card.0, &body.0);
    let (id, at) = (RulingId::fresh(), state.clock.now());
    let created = state
        .write(&by, async |conn, by| {
            rulings::create(conn, by, id, card, &content, key.as_ref(), at).await
        })
        .await?;
    let row = match created {
        RulingCreated::New(row) => {
            tracing::info!(account = %by.account(), %card, ruling = %id, "ruling written");
            row
        }
        RulingCreated::Repeat(Some(row)) => row,
        RulingCreated::Repeat(None) => return Err(Problem::new(ProblemCode::Gone)),
        RulingCreated::NoCard => return Err(Problem::not_found()),
        RulingCreated::TooMany => return Err(Problem::new(ProblemCode::TooManyRulings)),
    };
    let mut response = edited(StatusCode::CREATED, &RulingResponse::from(row.clone()))?;
    let place = header::HeaderValue::try_from(format!("/v1/rulings/{}", row.id));
    response.headers_mut().insert(header::LOCATION, place.map_err(Problem::internal)?);
    Ok(response)
}

/// Shows a ruling of a card that the caller may see.
#[utoipa::path(
    get, path = "/v1/rulings/{ruling}", tag = "catalogue", security((), ("bearer" = [])),
    params(("ruling" = Uuid, Path, description = "Id of the ruling")),
    responses((status = 200, body = RulingResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_ruling(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    ruling: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let viewer = caller.viewer();
    let mut conn = state.store.connection().await?;
    let row = rulings::find(&mut conn, viewer, RulingId(*ruling)).await?;
    let row = row.ok_or_else(Problem::not_found)?;
    cacheable(&req, freshness(viewer, true), None, &RulingResponse::from(row))
}

/// Replaces a ruling.
#[utoipa::path(
    put, path = "/v1/rulings/{ruling}", tag = "catalogue", security(("bearer" = [])), request_body = RulingRequest,
    params(
        ("ruling" = Uuid, Path, description = "Id of the ruling"),
        ("If-Match" = String, Header, description = "ETag of the ruling that was read"),
    ),
    responses(
        (status = 200, body = RulingResponse, headers(("ETag" = String, description = "The new version"))),
        (status = 412, description = "`precondition_failed`: it was changed since; nothing is overwritten."),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn replace_ruling(
    state: web::Data<AppState>,
    by: May<WriteCatalogue>,
    ruling: web::Path<Uuid>,
    if_match: Result<IfMatch, Problem>,
    body: Result<JudgedBody<RulingRequest>, Problem>,
) -> Result<HttpResponse, Problem> {
    let (id, if_match, content) = (RulingId(*ruling), if_match?, body?.0.value.parse()?);
    let row = edit(&state, &by, id, &if_match, Some(&content)).await?;
    tracing::info!(account = %by.account(), ruling = %id, "ruling changed");
    edited(StatusCode::OK, &RulingResponse::from(row))
}

/// Deletes a ruling. The card's history keeps it.
#[utoipa::path(
    delete, path = "/v1/rulings/{ruling}", tag = "catalogue", security(("bearer" = [])),
    params(
        ("ruling" = Uuid, Path, description = "Id of the ruling"),
        ("If-Match" = String, Header, description = "ETag of the ruling that was read"),
    ),
    responses(
        (status = 204, description = "Taken away."),
        (status = 412, description = "`precondition_failed`: it was changed since."),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn delete_ruling(
    state: web::Data<AppState>,
    by: May<WriteCatalogue>,
    ruling: web::Path<Uuid>,
    if_match: Result<IfMatch, Problem>,
) -> Result<HttpResponse, Problem> {
    let (id, if_match) = (RulingId(*ruling), if_match?);
    edit(&state, &by, id, &if_match, None).await?;
    tracing::info!(account = %by.account(), ruling = %id, "ruling taken away");
    Ok(HttpResponse::NoContent().finish())
}

async fn edit(
    state: &AppState,
    by: &May<WriteCatalogue>,
    id: RulingId,
    if_match: &IfMatch,
    content: Option<&RulingContent>,
) -> Result<RulingRow, Problem> {
    let at = state.clock.now();
    let is_current = |row: &RulingRow| if_match.has_seen(&RulingResponse::from(row.clone()));
    let done = state
        .write(by, async |conn, by| rulings::edit(conn, by, id, is_current, content, at).await)
        .await?;
    match done {
        RulingEdited::Done(row) => Ok(row),
        RulingEdited::Stale => Err(Problem::new(ProblemCode::PreconditionFailed)),
        RulingEdited::Missing => Err(Problem::not_found()),
    }
}
