//! Sets.

use actix_web::{HttpRequest, HttpResponse, web};
use chrono::NaiveDate;
use serde::Serialize;
use utoipa::ToSchema;

use super::extract::{File, Freshness, Json, May, Page, PageQuery, Params, cacheable, paged};
use super::import::{ImportQuery, ImportResponse, Place};
use super::problem::Problem;
use super::state::AppState;
use crate::auth::permission::WriteCatalogue;
use crate::domain::code::Code;
use crate::domain::import::{GameSource, SourceFile};
use crate::store::games;
use crate::store::import::Base;
use crate::store::sets::{self, SetRow};

/// The same for everybody; an unlock shows within seconds.
const FRESH: Freshness = Freshness::Public(5);

/// A set and how far it is unlocked.
#[derive(Serialize, ToSchema)]
pub struct SetResponse {
    /// Code of its game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Its code, unique in the game.
    #[schema(example = "veil")]
    pub code: String,
    /// Its name.
    #[schema(example = "Beyond the Veil")]
    pub name: String,
    /// Day of release.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "2026-12-01")]
    pub released_on: Option<NaiveDate>,
    /// Whether its cards start hidden until the community unlocks them.
    pub cards_start_hidden: bool,
    /// Distinct accounts whose submissions unlock a card.
    #[schema(example = 5, minimum = 1)]
    pub unlock_threshold: i32,
    /// How many cards it has.
    #[schema(example = 14)]
    pub cards: i64,
    /// How many of them are hidden now.
    #[schema(example = 12)]
    pub hidden_cards: i64,
    /// How many were hidden and are unlocked.
    #[schema(example = 2)]
    pub unlocked_cards: i64,
}

impl From<SetRow> for SetResponse {
    fn from(row: SetRow) -> Self {
        Self {
            game: row.game_code,
            code: row.code,
            name: row.name,
            released_on: row.released_on,
            cards_start_hidden: row.hidden,
            unlock_threshold: row.unlock_threshold,
            cards: row.card_count,
            hidden_cards: row.hidden_count,
            unlocked_cards: row.unlocked_count,
        }
    }
}

/// Lists the sets of a game by code.
#[utoipa::path(
    get, path = "/v1/games/{game}/sets", tag = "catalogue",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg"), PageQuery),
    responses((status = 200, body = Page<SetResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_sets(
    req: HttpRequest,
    state: web::Data<AppState>,
    game: web::Path<Code>,
    query: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    let after: Option<Code> = query.after()?;
    let mut conn = state.store.connection().await?;
    state.games.find(&mut conn, game.as_str()).await?.ok_or_else(Problem::not_found)?;
    let rows =
        sets::list(&mut conn, game.as_str(), after.as_ref().map(Code::as_str), query.limit.rows())
            .await?;
    let page = paged(rows, query.limit, |row| row.code.clone(), SetResponse::from);
    page.answer(&req, FRESH)
}

/// A set and how far it is unlocked.
#[utoipa::path(
    get, path = "/v1/games/{game}/sets/{set}", tag = "catalogue",
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("set" = String, Path, description = "Code of the set", example = "veil"),
    ),
    responses((status = 200, body = SetResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_set(
    req: HttpRequest,
    state: web::Data<AppState>,
    path: web::Path<(Code, Code)>,
) -> Result<HttpResponse, Problem> {
    let (game, set) = path.into_inner();
    let mut conn = state.store.connection().await?;
    let row =
        sets::find(&mut conn, game.as_str(), set.as_str()).await?.ok_or_else(Problem::not_found)?;
    cacheable(&req, FRESH, None, &SetResponse::from(row))
}

/// Brings in a set, or changes one.
///
/// The body is the whole set file: `GET /v1/games/{game}/schema` gives its JSON Schema. Every card is checked; a file with a fault is
/// refused whole, with every fault and its place. Stored cards are known by their numbers and never vanish; new cards of a set that
/// starts hidden are hidden. The same file again changes nothing.
#[utoipa::path(
    put, path = "/v1/games/{game}/sets/{set}", tag = "catalogue", security(("bearer" = [])),
    request_body(content = Object, content_type = "application/json", description = "A set file", example = json!({
        "code": "orchard", "name": "The Orchard", "released_on": "2026-12-24",
        "cards": [{ "number": "001", "name": "Windfall", "kind": "lore", "attributes": {} }]
    })),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("set" = String, Path, description = "Code of the set", example = "orchard"),
        ImportQuery,
    ),
    responses(
        (status = 200, body = ImportResponse),
        (status = 201, body = ImportResponse, description = "The set is new.",
            headers(("Location" = String, description = "The set"))),
        (status = 422, description = "`invalid_import`"),
    )
)]
pub async fn replace_set(
    state: web::Data<AppState>,
    by: May<WriteCatalogue>,
    path: web::Path<(Code, Code)>,
    query: Params<ImportQuery>,
    file: Result<File<Json>, Problem>,
) -> Result<HttpResponse, Problem> {
    let (game, set) = path.into_inner();
    let stored = games::manifest(&mut *state.store.connection().await?, game.as_str()).await?;
    let stored = stored.ok_or_else(Problem::not_found)?;
    let place = Place { game, set: Some(set) };
    let manifest = SourceFile::new("game.toml", &stored.text);
    let sets = vec![SourceFile::new("set.json", &file?.text)];
    let base = Base::Revision(stored.revision);
    query.run(&state, &by, &place, base, GameSource { manifest, sets }).await
}
