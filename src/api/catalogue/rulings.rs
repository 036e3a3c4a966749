//! Rulings and errata of cards.

use actix_web::http::{StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::catalogue::cards::freshness;
use crate::app::catalogue::rulings::{self, RulingResponse, RulingsResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::WriteCatalogue;
use crate::domain::catalogue::ruling::{RulingContent, RulingKind};
use crate::domain::ids::{CardId, RulingId};
use crate::http::extract::{Caller, IdempotencyKey, Judge, JudgedBody, May, cacheable, edited};

/// Kind of a text about a card.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RulingKindParam {
    /// How the card is to be read.
    Ruling,
    /// What the card should say.
    Erratum,
}

/// A ruling or an erratum of a card.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RulingRequest {
    /// `ruling`: how the card is to be read; `erratum`: what it should say.
    kind: RulingKindParam,
    /// The text; line feeds separate paragraphs.
    #[schema(min_length = 1, max_length = 2000, example = "The effect counts the card itself.")]
    text: String,
    /// The day from which it applies.
    #[schema(format = Date, example = "2026-11-21")]
    published_on: String,
    /// Who published it, and where.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 300, example = "Rules team, November 2026")]
    source: Option<String>,
}

impl RulingRequest {
    /// Parses the content, or reports every fault.
    fn parse(&self) -> Result<RulingContent, Problem> {
        let kind = match self.kind {
            RulingKindParam::Ruling => RulingKind::Ruling,
            RulingKindParam::Erratum => RulingKind::Erratum,
        };
        rulings::read(kind, &self.text, &self.published_on, self.source.as_deref())
    }
}

impl Judge for RulingRequest {
    fn judge(&self) -> Result<(), Problem> {
        self.parse().map(drop)
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
        (status = 308, description = "The card was merged into another card: its address is in `Location`."),
    )
)]
pub async fn list_rulings(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    card: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let viewer = caller.viewer();
    let found = rulings::list(&state, viewer, CardId(*card)).await?;
    // A new ruling must show sooner than a change of the card.
    found.answer(&req, |body| cacheable(&req, freshness(viewer, true), None, &body))
}

/// Creates a ruling or an erratum of a card.
///
/// The ruling is recorded in the history of the card and, if the card is open, in the change feed (`card.changed`).
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
        (status = 410, description = "`gone`: the request was sent before, and its ruling was deleted since."),
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
    let ruling = rulings::create(&state, &by, card, &content, key.as_ref()).await?;
    let mut response = edited(StatusCode::CREATED, &ruling)?;
    let place = header::HeaderValue::try_from(format!("/v1/rulings/{}", ruling.id));
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
    let found = rulings::find(&state, viewer, RulingId(*ruling)).await?;
    cacheable(&req, freshness(viewer, true), None, &found)
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
    let ruling = rulings::replace(&state, &by, id, &if_match, &content).await?;
    edited(StatusCode::OK, &ruling)
}

/// Deletes a ruling.
///
/// The history of the card keeps the ruling.
#[utoipa::path(
    delete, path = "/v1/rulings/{ruling}", tag = "catalogue", security(("bearer" = [])),
    params(
        ("ruling" = Uuid, Path, description = "Id of the ruling"),
        ("If-Match" = String, Header, description = "ETag of the ruling that was read"),
    ),
    responses(
        (status = 204, description = "Deleted."),
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
    rulings::delete(&state, &by, id, &if_match).await?;
    Ok(HttpResponse::NoContent().finish())
}
