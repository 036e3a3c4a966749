//! Moves and merges of cards: the redirects that they leave, and how admins make them.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::catalogue::card_migrations::{
    self, Destination, Located, MigrationResponse, NewPlace, read_note,
};
use crate::app::page::Page;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::WriteCatalogue;
use crate::domain::code::Code;
use crate::domain::ids::{CardId, MigrationId};
use crate::http::extract::{IdempotencyKey, Judge, JudgedBody, May, PageQuery, Params, cacheable};
use crate::http::router::path_pattern;
use crate::memory::rendered::Freshness;
use crate::store::catalogue::cards::CardPlace;

/// Redirects of old places are permanent, but their target may change.
const REDIRECT_CACHE_CONTROL: &str = "public, max-age=300";

impl<T> Located<T> {
    /// Responds with what was found, or with a 308 to the card's new place.
    pub(in crate::api) fn answer(
        self,
        req: &HttpRequest,
        answer: impl FnOnce(T) -> Result<HttpResponse, Problem>,
    ) -> Result<HttpResponse, Problem> {
        match self {
            Self::Here(found) => answer(found),
            Self::Moved(to) => redirect(req, to),
        }
    }
}

fn redirect(req: &HttpRequest, to: NewPlace) -> Result<HttpResponse, Problem> {
    let path = match to {
        NewPlace::Id(card) => {
            let pattern =
                path_pattern(req).ok_or_else(|| Problem::internal("a route without pattern"))?;
            pattern.replace("{card}", &card.to_string())
        }
        NewPlace::Number(CardPlace { game, set, number, .. }) => {
            format!("/v1/games/{game}/sets/{set}/cards/{number}")
        }
    };
    let query = req.query_string();
    let place = if query.is_empty() { path } else { format!("{path}?{query}") };
    let place = header::HeaderValue::try_from(place).map_err(Problem::internal)?;
    Ok(HttpResponse::PermanentRedirect()
        .insert_header((header::LOCATION, place))
        .insert_header((header::CACHE_CONTROL, REDIRECT_CACHE_CONTROL))
        .insert_header((header::VARY, "Authorization"))
        .finish())
}

/// Lists cards that were moved or merged, the newest first.
///
/// The old ids and numbers answer 308 with the new address; the look-up of many cards also finds the new card. An entry shows where the card went at
/// that time: it may have been moved or merged again since.
#[utoipa::path(
    get, path = "/v1/card-migrations", tag = "catalogue", params(PageQuery),
    responses((status = 200, body = Page<MigrationResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_card_migrations(
    req: HttpRequest,
    state: web::Data<AppState>,
    query: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    let page = card_migrations::list(&state, query.after()?, query.limit).await?;
    page.answer(&req, Freshness::Public(5))
}

/// Shows where a card was moved, or into which card it was merged.
#[utoipa::path(
    get, path = "/v1/card-migrations/{migration}", tag = "catalogue",
    params(("migration" = Uuid, Path, description = "Id of the move or merge")),
    responses((status = 200, body = MigrationResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_card_migration(
    req: HttpRequest,
    state: web::Data<AppState>,
    migration: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let found = card_migrations::find(&state, MigrationId(*migration)).await?;
    cacheable(&req, Freshness::Public(60), None, &found)
}

/// The new set and number of a card.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveRequest {
    /// Code of the new set; if it is absent, the card stays in its set.
    #[serde(default, deserialize_with = "Code::deserialize_typed")]
    #[schema(value_type = Option<String>, example = "hearth")]
    set: Option<Code>,
    /// New number, which no card of that set has or ever had.
    #[schema(example = "159", min_length = 1, max_length = 16)]
    number: String,
    /// The reason, which everybody can read. It must be absent if the card is hidden.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 500)]
    note: Option<String>,
}

/// The card into which to merge.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeRequest {
    /// Id of the card that stays.
    into: Uuid,
    /// The reason, which everybody can read.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 500, example = "The same card stood in the file twice.")]
    note: Option<String>,
}

impl MoveRequest {
    /// Parses the number and the note, or reports every fault.
    fn parse(&self) -> Result<(Code, Option<String>), Problem> {
        card_migrations::read_move(&self.number, self.note.as_deref())
    }
}

impl Judge for MoveRequest {
    fn judge(&self) -> Result<(), Problem> {
        self.parse().map(drop)
    }
}

impl Judge for MergeRequest {
    fn judge(&self) -> Result<(), Problem> {
        read_note(self.note.as_deref()).map(drop)
    }
}

/// Gives a card another number, in its set or another.
///
/// The id of the card stays the same. The old number permanently answers 308 with the new address, and no other card can get it, or a number that differs
/// from it only in leading zeros or case. The move is refused if one of the sets was printed or is being printed, because copies carry its numbers.
#[utoipa::path(
    post, path = "/v1/cards/{card}/move", tag = "catalogue", security(("bearer" = [])), request_body = MoveRequest,
    params(
        ("card" = Uuid, Path, description = "Id of the card"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe"),
    ),
    responses(
        (status = 201, body = MigrationResponse, headers(("Location" = String, description = "The move"))),
        (status = 409, description = "`number_taken`, `set_printed`, `idempotency_in_progress`"),
        (status = 422, description = "`invalid_body`, `idempotency_key_reused`"),
    )
)]
pub async fn move_card(
    state: web::Data<AppState>,
    by: May<WriteCatalogue>,
    card: web::Path<Uuid>,
    key: IdempotencyKey,
    body: Result<JudgedBody<MoveRequest>, Problem>,
) -> Result<HttpResponse, Problem> {
    let (card, JudgedBody(body)) = (CardId(*card), body?);
    let (number, note) = body.value.parse()?;
    let key = key.claim_at(&state, by.account(), "move_card", card.0, &body);
    let to = Destination { set: body.value.set, number };
    let moved =
        card_migrations::move_card(&state, &by, card, to, note.as_deref(), key.as_ref()).await?;
    Ok(created(moved))
}

/// Merges a card into another one of its game.
///
/// The other card stays, and gets the rulings, and the counts of players, up to 9999 for each entry. The old id and number permanently answer 308 with the address of the other card, and no card can get
/// the old number. The merge is refused if one of the sets was printed or is being printed, if one of the cards is hidden, and if it would move rulings to a card that then had more than 200.
#[utoipa::path(
    post, path = "/v1/cards/{card}/merge", tag = "catalogue", security(("bearer" = [])), request_body = MergeRequest,
    params(
        ("card" = Uuid, Path, description = "Id of the card that is merged into the other one"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe"),
    ),
    responses(
        (status = 201, body = MigrationResponse, headers(("Location" = String, description = "The merge"))),
        (status = 409, description = "`merge_refused`, `set_printed`, `idempotency_in_progress`"),
        (status = 422, description = "`invalid_body`, `idempotency_key_reused`"),
    )
)]
pub async fn merge_card(
    state: web::Data<AppState>,
    by: May<WriteCatalogue>,
    card: web::Path<Uuid>,
    key: IdempotencyKey,
    body: Result<JudgedBody<MergeRequest>, Problem>,
) -> Result<HttpResponse, Problem> {
    let (card, JudgedBody(body)) = (CardId(*card), body?);
    let (into, note) = (CardId(body.value.into), read_note(body.value.note.as_deref())?);
    let key = key.claim_at(&state, by.account(), "merge_card", card.0, &body);
    let merged =
        card_migrations::merge_card(&state, &by, card, into, note.as_deref(), key.as_ref()).await?;
    Ok(created(merged))
}

/// The response to a move or merge, also to a repeated request.
fn created(migration: MigrationResponse) -> HttpResponse {
    HttpResponse::Created()
        .insert_header((header::LOCATION, format!("/v1/card-migrations/{}", migration.id)))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .json(migration)
}
