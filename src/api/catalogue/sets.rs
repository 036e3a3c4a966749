//! Sets.

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};

use super::import::{ImportQuery, imported};
use crate::app::catalogue::import::{ImportResponse, ImportTarget};
use crate::app::catalogue::sets::{self, NewSetRequest, SetPatch, SetResponse};
use crate::app::page::Page;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::WriteCatalogue;
use crate::domain::code::Code;
use crate::http::extract::{
    File, IdempotencyKey, Json, Judge, JudgedBody, May, PageQuery, Params, Patch, edited,
};
use crate::memory::rendered::{Freshness, Rendered};

/// The same for everybody; an unlock must show within seconds.
const FRESHNESS: Freshness = Freshness::Public(5);

/// Lists the sets of a game, sorted by code.
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
        sets::list(&state, &game, after.as_ref(), query.limit).await?.render(&req, FRESHNESS)
    };
    state.cached_answers.answer(&req, make).await
}

/// Lists the sets of all games, sorted by game and code.
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
        sets::list_all(&state, after.as_ref(), query.limit).await?.render(&req, FRESHNESS)
    };
    state.cached_answers.answer(&req, make).await
}

/// What the contract does not check of a new set. The game is left to the use case.
impl Judge for NewSetRequest {
    fn judge(&self) -> Result<(), Problem> {
        self.name_fault().map_or(Ok(()), |fault| Err(Problem::invalid(vec![fault])))
    }
}

/// Creates a set without cards.
///
/// Cards come into it later: with the release of an approved design (`POST /v1/designs/{design}/release`), with a move of a card, or with the import of a
/// set file with the same code. Everybody sees the set at once, also a set whose cards start hidden. To create a set together with its cards, import its
/// file: `PUT /v1/games/{game}/sets/{set}`.
#[utoipa::path(
    post, path = "/v1/games/{game}/sets", tag = "catalogue", security(("bearer" = [])), request_body = NewSetRequest,
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe"),
    ),
    responses(
        (status = 201, body = SetResponse, headers(
            ("Location" = String, description = "The set"),
            ("ETag" = String, description = "Its version, for `If-Match`"),
        )),
        (status = 409, description = "`set_code_taken`, `idempotency_in_progress`"),
        (status = 410, description = "`gone`: the request was sent before, and its set was deleted since."),
        (status = 422, description = "`invalid_body`, `idempotency_key_reused`"),
    )
)]
pub async fn create_set(
    state: web::Data<AppState>,
    by: May<WriteCatalogue>,
    game: web::Path<Code>,
    key: IdempotencyKey,
    body: Result<JudgedBody<NewSetRequest>, Problem>,
) -> Result<HttpResponse, Problem> {
    let body = body?.0.sent_to(&game);
    let key = key.claim(&state, by.account(), "create_set", &body);
    let set = sets::create(&state, &by, &game, body.value, key.as_ref()).await?;
    let mut response = edited(StatusCode::CREATED, &set)?;
    let place = HeaderValue::try_from(format!("/v1/games/{}/sets/{}", set.game, set.code));
    response.headers_mut().insert(header::LOCATION, place.map_err(Problem::internal)?);
    Ok(response)
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
        let found = sets::find(&state, &game, &set).await?;
        Ok(Rendered::new(FRESHNESS, None, &found)?)
    };
    state.cached_answers.answer(&req, make).await
}

/// Imports a set, or changes one.
///
/// The body is the whole set file: `GET /v1/games/{game}/schema` is its JSON Schema. Every card is checked; a file with a fault is refused as a
/// whole, with a list of all faults and their places. Stored cards are identified by their numbers, and a file that leaves one out is refused. New
/// cards of a set whose cards start hidden are hidden. Sending the same file again changes nothing. Names and texts that are stored already may have
/// characters that new ones may not have, such as those that change the direction of the text, as long as they do not change.
///
/// If a file takes longer than the time limit for requests (503 `timed_out`), nothing of it is stored: `cardscape seed` on the command line loads such files.
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
        (status = 409, description = "`edit_conflict`: the game was changed in the meantime: send the file again."),
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
    let target = ImportTarget { game, set: Some(set) };
    let file = file.map(|file| file.text);
    let import = sets::replace(&state, &by, &target, None, file, query.dry_run).await?;
    Ok(imported(&target, &import))
}

/// Changes the fields of a set, but not its cards.
///
/// The body is a JSON merge patch (RFC 7396). Cards are changed one by one, or all at once by `PUT` of the whole set file.
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
        (status = 200, body = SetResponse, description = "The set as it is now, or, in a dry run, as it would be.",
            headers(("ETag" = String, description = "The new version; absent in a dry run"))),
        (status = 412, description = "`precondition_failed`: it was changed since, or one of its cards was unlocked."),
        (status = 422, description = "`invalid_body`; `invalid_edit`: an unlock policy sets the threshold."),
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
    let (set, dry_run) = ((&game, &set), query.dry_run);
    sets::edit(&state, &by, set, &if_match, patch, dry_run).await?.answer()
}

/// Deletes a set without cards.
///
/// Only a set on which nothing depends can be deleted, for example one that was created by mistake: it has no cards and never had any, no print run of it was
/// begun or announced, and it has no unlock policy of its own. Its code can then be given again. The change feed reports the deletion as `set.changed`.
#[utoipa::path(
    delete, path = "/v1/games/{game}/sets/{set}", tag = "catalogue", security(("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("set" = String, Path, description = "Code of the set", example = "fan-made"),
        ("If-Match" = String, Header, description = "ETag of the set that was read"),
    ),
    responses(
        (status = 204, description = "Deleted."),
        (status = 409, description = "`set_in_use`: `detail` says what depends on the set."),
        (status = 412, description = "`precondition_failed`: it was changed since, or a card was added to it."),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn delete_set(
    state: web::Data<AppState>,
    by: May<WriteCatalogue>,
    path: web::Path<(Code, Code)>,
    if_match: Result<IfMatch, Problem>,
) -> Result<HttpResponse, Problem> {
    let ((game, set), if_match) = (path.into_inner(), if_match?);
    sets::delete(&state, &by, (&game, &set), &if_match).await?;
    Ok(HttpResponse::NoContent().finish())
}
