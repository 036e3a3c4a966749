//! Sets.

use actix_web::{HttpRequest, HttpResponse, web};
use cardscape_engine::{Date, SetDefinition};
use chrono::NaiveDate;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::card_edits::Edited;
use super::import::{ImportQuery, ImportResponse, Place, faulty};
use crate::app::page::{Page, paged};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::WriteCatalogue;
use crate::domain::catalogue::card_edit::set_faults;
use crate::domain::catalogue::import::{GameSource, SourceFile};
use crate::domain::code::Code;
use crate::http::extract::{File, Json, May, PageQuery, Params, Patch};
use crate::memory::rendered::{Freshness, Rendered};
use crate::store::catalogue::games;
use crate::store::catalogue::import::{self, Base, EditError, SetChange};
use crate::store::catalogue::sets::{self, SetRow};
use crate::store::db::deadlines;

/// The same for everybody; an unlock shows within seconds.
const FRESH: Freshness = Freshness::Public(5);

/// A set and how many of its cards are unlocked.
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
    let make = async {
        let mut conn = state.store.connection().await?;
        state.games.find(&mut conn, game.as_str()).await?.ok_or_else(Problem::not_found)?;
        let after = after.as_ref().map(Code::as_str);
        let rows = sets::list(&mut conn, game.as_str(), after, query.limit.rows()).await?;
        let page = paged(rows, query.limit, |row| row.code.clone(), SetResponse::from);
        page.render(&req, FRESH)
    };
    state.kept_answers.answer(&req, make).await
}

/// Lists the sets of all games by game and code.
#[utoipa::path(
    get, path = "/v1/sets", tag = "catalogue", params(PageQuery),
    responses((status = 200, body = Page<SetResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_all_sets(
    req: HttpRequest,
    state: web::Data<AppState>,
    query: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    let after: Option<(Code, Code)> = query.after()?;
    let make = async {
        let mut conn = state.store.connection().await?;
        let after = after.as_ref().map(|(game, set)| (game.as_str(), set.as_str()));
        let rows = sets::list_all(&mut conn, after, query.limit.rows()).await?;
        let key = |row: &SetRow| (row.game_code.clone(), row.code.clone());
        paged(rows, query.limit, key, SetResponse::from).render(&req, FRESH)
    };
    state.kept_answers.answer(&req, make).await
}

/// Shows a set, and how many of its cards are unlocked.
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
    let make = async {
        let mut conn = state.store.connection().await?;
        let row = sets::find(&mut conn, game.as_str(), set.as_str()).await?;
        Ok(Rendered::new(FRESH, None, &SetResponse::from(row.ok_or_else(Problem::not_found)?))?)
    };
    state.kept_answers.answer(&req, make).await
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

/// A JSON merge patch of a set's own fields.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetPatch {
    /// Its name.
    #[serde(default, deserialize_with = "some")]
    #[schema(example = "Beyond the Veil", min_length = 1, max_length = 100)]
    name: Option<String>,
    /// Day of release; `null`: none yet.
    #[serde(default, deserialize_with = "some")]
    #[schema(value_type = Option<String>, format = Date, example = "2026-12-01")]
    #[allow(clippy::option_option, reason = "absent, null and a day are three things to say")]
    released_on: Option<Option<String>>,
    /// Whether cards that are added later start hidden. Cards that are there stay as they are.
    #[serde(default, deserialize_with = "some")]
    cards_start_hidden: Option<bool>,
    /// Distinct accounts whose submissions unlock a card. A lower number unlocks the cards that have as many already.
    #[serde(default, deserialize_with = "some")]
    #[schema(example = 5, minimum = 1, maximum = 100_000)]
    unlock_threshold: Option<u32>,
}

/// A member that is there: `null` is a value like others, and of most types none.
fn some<'de, D: Deserializer<'de>, T: Deserialize<'de>>(field: D) -> Result<Option<T>, D::Error> {
    T::deserialize(field).map(Some)
}

impl SetPatch {
    /// The change, or every fault of it.
    fn parse(self, game: &cardscape_engine::Game, code: &Code) -> Result<SetChange, Problem> {
        let day = |text: &String| text.parse::<Date>().is_ok().then(|| text.parse().ok()).flatten();
        let released_on = self.released_on.as_ref().map(|on| on.as_ref().and_then(day));
        let set = SetDefinition {
            code: code.as_str().to_owned(),
            name: self.name.clone().unwrap_or_else(|| code.as_str().to_owned()),
            released_on: self.released_on.flatten(),
            hidden: None,
            unlock_threshold: self.unlock_threshold,
            cards: Vec::new(),
        };
        let faults = set_faults(game, set);
        if !faults.is_empty() {
            return Err(faulty(ProblemCode::InvalidBody, faults));
        }
        let threshold = self.unlock_threshold.and_then(|threshold| threshold.try_into().ok());
        Ok(SetChange {
            name: self.name,
            released_on,
            hidden: self.cards_start_hidden,
            unlock_threshold: threshold,
        })
    }
}

/// Changes a set's own fields.
///
/// The body is a JSON merge patch (RFC 7396). Cards are changed one by one, or all at once by `PUT` of the whole file.
#[utoipa::path(
    patch, path = "/v1/games/{game}/sets/{set}", tag = "catalogue", security(("bearer" = [])),
    request_body(content((SetPatch = "application/merge-patch+json"), (SetPatch = "application/json"))),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("set" = String, Path, description = "Code of the set", example = "veil"),
        ("If-Match" = String, Header, description = "ETag of the set that was read"),
        ImportQuery,
    ),
    responses(
        (status = 200, body = SetResponse, description = "The set as it is now, or, in a rehearsal, as it would be.",
            headers(("ETag" = String, description = "The new version"))),
        (status = 412, description = "`precondition_failed`: it was changed since, or one of its cards was unlocked."),
        (status = 422, description = "`invalid_body`"),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn edit_set(
    state: web::Data<AppState>,
    by: May<WriteCatalogue>,
    path: web::Path<(Code, Code)>,
    query: Params<ImportQuery>,
    if_match: Result<IfMatch, Problem>,
    patch: Result<Patch<SetPatch>, Problem>,
) -> Result<HttpResponse, Problem> {
    let ((game, set), if_match, Patch(patch, _)) = (path.into_inner(), if_match?, patch?);
    let loaded = state.games.find(&mut *state.store.connection().await?, game.as_str()).await?;
    let loaded = loaded.ok_or_else(Problem::not_found)?;
    let (change, at) = (patch.parse(&loaded.game, &set)?, state.clock.now());
    let done = state
        .write_within(deadlines::CATALOGUE, &by, async |conn, by| {
            let is_current = |row: &SetRow| if_match.has_seen(&SetResponse::from(row.clone()));
            let place = (game.as_str(), set.as_str());
            let now = import::edit_set(conn, by, place, is_current, &change, at).await?;
            // An error takes everything back.
            if query.dry_run { Err(EditError::Rehearsed(now)) } else { Ok(now) }
        })
        .await;
    let edited = Edited::new(done)?;
    if let Edited::Done(_) = edited {
        state.kept_answers.forget();
        tracing::info!(account = %by.account(), %game, %set, "set changed");
    }
    edited.answer::<SetResponse>()
}
