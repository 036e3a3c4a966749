//! Games and their formats.

use actix_web::{HttpRequest, HttpResponse, web};
use cardscape_engine::Date;
use serde::Deserialize;
use utoipa::IntoParams;

use super::import::{ImportQuery, imported};
use crate::app::catalogue::games::{
    self, FormatResponse, FormatsResponse, GameResponse, GamesResponse, SchemaOf,
};
use crate::app::catalogue::import::{ImportResponse, ImportTarget};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::versions::{Revision, Versions};
use crate::auth::permission::WriteCatalogue;
use crate::domain::code::Code;
use crate::http::extract::{File, FileType as _, May, Params, Toml};
use crate::memory::rendered::{Freshness, Rendered};

/// Manifests change rarely, and are the same for everybody.
const FRESHNESS: Freshness = Freshness::Public(60);

/// Lists all games.
#[utoipa::path(
    get, path = "/v1/games", tag = "catalogue",
    responses(
        (status = 200, body = GamesResponse, headers(("Last-Modified" = String, description = "When one of the games last changed"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn list_games(
    req: HttpRequest,
    state: web::Data<AppState>,
) -> Result<HttpResponse, Problem> {
    let make = async {
        let games = games::list(&state).await?;
        let modified = games.iter().map(|loaded| loaded.updated_at).max();
        Ok(Rendered::list(FRESHNESS, modified, &GamesResponse::new(&games))?)
    };
    state.cached_answers.answer(&req, make).await
}

/// Shows a game: its kinds of cards, rarities and zones.
#[utoipa::path(
    get, path = "/v1/games/{game}", tag = "catalogue",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg")),
    responses(
        (status = 200, body = GameResponse, headers(("Last-Modified" = String, description = "When the game last changed"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_game(
    req: HttpRequest,
    state: web::Data<AppState>,
    game: web::Path<Code>,
) -> Result<HttpResponse, Problem> {
    let make = async {
        let loaded = games::find(&state, &game).await?;
        Ok(Rendered::list(FRESHNESS, Some(loaded.updated_at), &GameResponse::from(&loaded.game))?)
    };
    state.cached_answers.answer(&req, make).await
}

/// Lists the formats of a game.
#[utoipa::path(
    get, path = "/v1/games/{game}/formats", tag = "catalogue",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg")),
    responses(
        (status = 200, body = FormatsResponse, headers(("Last-Modified" = String, description = "When the game last changed"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn list_formats(
    req: HttpRequest,
    state: web::Data<AppState>,
    game: web::Path<Code>,
) -> Result<HttpResponse, Problem> {
    let make = async {
        let loaded = games::find(&state, &game).await?;
        Ok(Rendered::list(
            FRESHNESS,
            Some(loaded.updated_at),
            &FormatsResponse::from(&loaded.game),
        )?)
    };
    state.cached_answers.answer(&req, make).await
}

/// Which version and variant of a format.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FormatQuery {
    /// Use the rules of this day, `YYYY-MM-DD`; if it is absent, those of today (UTC), or of the newest version if none has begun yet.
    #[param(value_type = Option<String>, format = Date, example = "2026-11-01")]
    on: Option<Date>,
    /// Code of a variant; if it is absent, the default variant of the format.
    #[param(value_type = Option<String>)]
    variant: Option<Code>,
}

/// Shows a format with all its rules.
///
/// Each rule has its number, its section of the rulebook and its provenance: how far it can be trusted.
#[utoipa::path(
    get, path = "/v1/games/{game}/formats/{format}", tag = "catalogue",
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("format" = String, Path, description = "Code of the format", example = "standard"),
        FormatQuery,
    ),
    responses(
        (status = 200, body = FormatResponse, headers(("Last-Modified" = String, description = "When the game last changed"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_format(
    req: HttpRequest,
    state: web::Data<AppState>,
    path: web::Path<(Code, Code)>,
    query: Params<FormatQuery>,
) -> Result<HttpResponse, Problem> {
    let (game, code) = path.into_inner();
    let make = async {
        let (format, variant) = ((&game, &code), query.variant.as_ref());
        let found = games::find_format(&state, format, query.on, variant).await?;
        let answer = FormatResponse::from(&*found.format);
        Ok(Rendered::list(FRESHNESS, Some(found.updated_at), &answer)?)
    };
    // The same address has other rules tomorrow.
    let path_and_query = req.uri().path_and_query().map_or("", |key| key.as_str());
    let key = format!("{path_and_query} {}", state.today()?);
    state.cached_answers.answer_as(&key, &req, make).await
}

/// Which schema.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SchemaQuery {
    /// `set` (the default): set files of this game; `manifest`: manifests.
    #[serde(default)]
    #[param(inline, value_type = Option<SchemaOf>, example = "set")]
    of: SchemaOf,
}

/// Shows the JSON Schema of the files that describe a game.
///
/// For editors, and for programs that write set files or manifests. An import also checks what a schema cannot express, such as sums by rarity;
/// `$comment` of the schema lists these checks.
#[utoipa::path(
    get, path = "/v1/games/{game}/schema", tag = "catalogue",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg"), SchemaQuery),
    responses(
        (status = 200, description = "JSON Schema, 2020-12", content((Object = "application/schema+json", example = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "/v1/games/ttcg/schema", "title": "A set of TTCG", "type": "object"
        }))), headers(("Last-Modified" = String, description = "When the game last changed"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_schema(
    req: HttpRequest,
    state: web::Data<AppState>,
    game: web::Path<Code>,
    query: Params<SchemaQuery>,
) -> Result<HttpResponse, Problem> {
    let make = async {
        let (schema, updated_at) = games::find_schema(&state, &game, query.of).await?;
        let answer = Rendered::list(FRESHNESS, Some(updated_at), &schema)?;
        Ok(answer.with_media_type("application/schema+json"))
    };
    state.cached_answers.answer(&req, make).await
}

/// Shows the manifest of a game, as its author wrote it.
///
/// `GET /v1/games/{game}` has the same contents as JSON.
#[utoipa::path(
    get, path = "/v1/games/{game}/manifest", tag = "catalogue",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg")),
    responses(
        (status = 200, content((String = "application/toml", example = "code = \"ttcg\"\n")),
            headers(("ETag" = String, description = "Its version, for `If-Match`"))),
        (status = 304, description = "The manifest still has the version of `If-None-Match`."),
    )
)]
pub async fn find_manifest(
    req: HttpRequest,
    state: web::Data<AppState>,
    game: web::Path<Code>,
) -> Result<HttpResponse, Problem> {
    let stored = games::find_manifest(&state, &game).await?;
    Ok(Revision(stored.revision).answer_file(&req, Toml::MEDIA_TYPE, stored.text))
}

/// A small manifest, as an example.
const PEBBLES: &str = r#"code = "pebbles"
name = "Pebbles"
rules_version = "pebbles/1"

[cards]
rule = "P-1"

[[zones]]
code = "main"
name = "Pouch"

[[rarities]]
code = "grey"
name = "Grey"
weight = 1

[[kinds]]
code = "pebble"
name = "Pebble"

[kinds.attributes.weight]
type = "integer"
min = 1
max = 9

[[formats]]
code = "pouch"
name = "Pouch"
version = "1"

[[formats.rules]]
rule = "P-2"
text = "A pouch holds three pebbles."
zone_size = { zone = "main", exactly = 3 }
"#;

/// Imports a game, or changes its manifest.
///
/// The manifest is data: `/docs/games` explains it, `GET /v1/games/{game}/schema?of=manifest` is its JSON Schema. A manifest with a fault is
/// refused as a whole, with a list of all faults and their places. To change a game, send the version of the manifest that you have changed in
/// `If-Match`.
#[utoipa::path(
    put, path = "/v1/games/{game}/manifest", tag = "catalogue", security(("bearer" = [])),
    request_body(content = String, content_type = "application/toml", description = "A manifest", example = json!(PEBBLES)),
    params(
        ("game" = String, Path, description = "Code of the game", example = "pebbles"),
        ("If-Match" = Option<String>, Header, description = "ETag of the manifest to replace; absent for a new game", example = "\"r1\""),
        ("If-None-Match" = Option<String>, Header, description = "`*`: only if the game is new", example = "*"),
        ImportQuery,
    ),
    responses(
        (status = 200, body = ImportResponse),
        (status = 201, body = ImportResponse, description = "The game is new.",
            headers(("Location" = String, description = "The game"))),
        (status = 412, description = "`precondition_failed`: it was changed since; nothing is overwritten."),
        (status = 422, description = "`invalid_import`"),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn replace_manifest(
    state: web::Data<AppState>,
    by: May<WriteCatalogue>,
    game: web::Path<Code>,
    query: Params<ImportQuery>,
    versions: Versions,
    file: Result<File<Toml>, Problem>,
) -> Result<HttpResponse, Problem> {
    let target = ImportTarget { game: game.into_inner(), set: None };
    let file = file.map(|file| file.text);
    let import =
        games::replace_manifest(&state, &by, &target, &versions, file, query.dry_run).await?;
    Ok(imported(&target, &import))
}
