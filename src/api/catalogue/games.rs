//! Games and their formats.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, web};
use cardscape_engine::{Date, Format, Game, MANIFEST_SCHEMA};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::import::{ImportQuery, ImportResponse, Place};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::{Revision, Versions};
use crate::auth::permission::WriteCatalogue;
use crate::domain::catalogue::import::{GameSource, SourceFile};
use crate::domain::code::Code;
use crate::http::extract::{File, FileType as _, May, Params, Toml};
use crate::memory::rendered::{Freshness, Rendered};
use crate::store::catalogue::games::{self, LoadedGame};
use crate::store::catalogue::import::Base;

/// Manifests change rarely, and are the same for everybody.
const FRESH: Freshness = Freshness::Public(60);

/// A game in short.
#[derive(Serialize, ToSchema)]
pub struct GameSummary<'a> {
    /// Its code.
    #[schema(example = "ttcg")]
    pub code: &'a str,
    /// Its name.
    #[schema(example = "TTCG")]
    pub name: &'a str,
    /// What it is, in a sentence or two.
    #[schema(example = "The main game: units, spells and traps.")]
    pub description: &'a str,
    /// Version of the rulebook that the manifest restates.
    #[schema(example = "1.0")]
    pub rules_version: &'a str,
    /// Codes of its formats.
    #[schema(example = json!(["standard"]))]
    pub formats: Vec<&'a str>,
}

impl<'a> From<&'a Game> for GameSummary<'a> {
    fn from(game: &'a Game) -> Self {
        Self {
            code: game.code(),
            name: game.name(),
            description: game.description(),
            rules_version: game.rules_version(),
            formats: game.formats().iter().map(|format| &*format.code).collect(),
        }
    }
}

/// All games.
#[derive(Serialize, ToSchema)]
pub struct GamesResponse<'a> {
    /// By code.
    pub data: Vec<GameSummary<'a>>,
}

/// A game: what its cards look like and which formats it has.
#[derive(Serialize, ToSchema)]
pub struct GameResponse<'a> {
    /// Its code.
    #[schema(example = "ttcg")]
    pub code: &'a str,
    /// Its name.
    #[schema(example = "TTCG")]
    pub name: &'a str,
    /// What it is, in a sentence or two.
    #[schema(example = "The main game: units, spells and traps.")]
    pub description: &'a str,
    /// Version of the rulebook that the manifest restates.
    #[schema(example = "1.0")]
    pub rules_version: &'a str,
    /// Whether cards start hidden, where their set does not say otherwise.
    pub cards_start_hidden: bool,
    /// Whether no two cards of the game have the same name; where they may, deck lists tell them apart by set and number.
    pub unique_names: bool,
    /// Distinct accounts whose submissions unlock a card, where its set does not say otherwise.
    #[schema(example = 5, minimum = 1)]
    pub unlock_threshold: u32,
    /// Rarities from the most common up: code, name, weight in print runs, tier.
    #[schema(value_type = Vec<Object>)]
    pub rarities: &'a [cardscape_engine::Rarity],
    /// Parts of a deck list; the first is the main one.
    #[schema(value_type = Vec<Object>)]
    pub zones: &'a [cardscape_engine::Zone],
    /// Kinds of cards: attributes, effects, printings and the checks of each.
    #[schema(value_type = Vec<Object>)]
    pub kinds: &'a [cardscape_engine::Kind],
    /// What the rulebook leaves open about cards, and how it is read here.
    #[schema(value_type = Vec<Object>)]
    pub decisions: &'a [cardscape_engine::Decision],
    /// Its formats in short.
    pub formats: Vec<FormatSummary<'a>>,
}

impl<'a> From<&'a Game> for GameResponse<'a> {
    fn from(game: &'a Game) -> Self {
        Self {
            code: game.code(),
            name: game.name(),
            description: game.description(),
            rules_version: game.rules_version(),
            cards_start_hidden: game.cards_start_hidden(),
            unique_names: game.unique_names(),
            unlock_threshold: game.unlock_threshold(),
            rarities: game.rarities(),
            zones: game.zones(),
            kinds: game.kinds(),
            decisions: game.decisions(),
            formats: game.formats().iter().map(Into::into).collect(),
        }
    }
}

/// A format in short.
#[derive(Serialize, ToSchema)]
pub struct FormatSummary<'a> {
    /// Its code.
    #[schema(example = "standard")]
    pub code: &'a str,
    /// Its name.
    #[schema(example = "Standard")]
    pub name: &'a str,
    /// Version of its rules.
    #[schema(example = "1")]
    pub version: &'a str,
    /// First day of this version; absent: always was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "2026-11-01")]
    pub effective_from: Option<Date>,
    /// What it is, in a sentence or two.
    #[schema(example = "A deck of exactly fifty cards.")]
    pub description: &'a str,
    /// Codes of its variants; the first is in force when nothing is said.
    pub variants: Vec<&'a str>,
}

impl<'a> From<&'a Format> for FormatSummary<'a> {
    fn from(format: &'a Format) -> Self {
        let mut variants: Vec<_> = format.variants.iter().collect();
        variants.sort_by_key(|variant| !variant.default);
        Self {
            code: &format.code,
            name: &format.name,
            version: &format.version,
            effective_from: format.effective_from,
            description: &format.description,
            variants: variants.into_iter().map(|variant| &*variant.code).collect(),
        }
    }
}

/// The formats of a game.
#[derive(Serialize, ToSchema)]
pub struct FormatsResponse<'a> {
    /// In the order of the manifest.
    pub data: Vec<FormatSummary<'a>>,
}

/// A format with all its rules.
#[derive(Serialize, ToSchema)]
pub struct FormatResponse<'a> {
    /// Code of the game.
    #[schema(example = "ttcg")]
    pub game: &'a str,
    /// The format in short.
    #[serde(flatten)]
    pub format: FormatSummary<'a>,
    /// The variant whose rules these are; absent when the format has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<&'a str>,
    /// How far it can be trusted: `source` (the rulebook says so), `assumed` or `sample`.
    #[schema(value_type = String, example = "source")]
    pub provenance: cardscape_engine::Provenance,
    /// What the rulebook leaves open: the question, the answers that were thought of, the one in force, and the variants under which
    /// another one holds.
    #[schema(value_type = Vec<Object>, example = json!([{
        "rule": "T-A6", "question": "What is the same card?", "provenance": "assumed", "chosen": "by_name",
        "options": [{ "code": "by_name", "text": "Cards of one name.", "variant": "by_name", "selectable": true }]
    }]))]
    pub decisions: &'a [cardscape_engine::Decision],
    /// The rules in force: number and section in the rulebook, wording, and what is checked.
    #[schema(value_type = Vec<Object>)]
    pub rules: &'a [cardscape_engine::Rule],
}

impl<'a> From<&'a Format> for FormatResponse<'a> {
    fn from(format: &'a Format) -> Self {
        Self {
            game: &format.game,
            format: format.into(),
            variant: format.variant.as_deref(),
            provenance: format.provenance,
            decisions: &format.decisions,
            rules: &format.rules,
        }
    }
}

/// Lists all games.
#[utoipa::path(
    get, path = "/v1/games", tag = "catalogue",
    responses((status = 200, body = GamesResponse), (status = 304, description = "Not changed."))
)]
pub async fn list_games(
    req: HttpRequest,
    state: web::Data<AppState>,
) -> Result<HttpResponse, Problem> {
    let make = async {
        let mut conn = state.store.connection().await?;
        // As they are, not as they were within the time of trust: what is kept stays until the next change.
        let games = state.games.read_list(&mut conn).await?;
        let data = games.iter().map(|loaded| (&loaded.game).into()).collect();
        let modified = games.iter().map(|loaded| loaded.updated_at).max();
        Ok(Rendered::list(FRESH, modified, &GamesResponse { data })?)
    };
    state.kept_answers.answer(&req, make).await
}

/// The game of that code; 404 without one.
async fn loaded(state: &AppState, game: &Code) -> Result<Arc<LoadedGame>, Problem> {
    let mut conn = state.store.connection().await?;
    state.games.find(&mut conn, game.as_str()).await?.ok_or_else(Problem::not_found)
}

/// Shows a game: its kinds of cards, rarities and zones.
#[utoipa::path(
    get, path = "/v1/games/{game}", tag = "catalogue",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg")),
    responses((status = 200, body = GameResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_game(
    req: HttpRequest,
    state: web::Data<AppState>,
    game: web::Path<Code>,
) -> Result<HttpResponse, Problem> {
    let make = async {
        let loaded = loaded(&state, &game).await?;
        Ok(Rendered::list(FRESH, Some(loaded.updated_at), &GameResponse::from(&loaded.game))?)
    };
    state.kept_answers.answer(&req, make).await
}

/// Lists the formats of a game.
#[utoipa::path(
    get, path = "/v1/games/{game}/formats", tag = "catalogue",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg")),
    responses((status = 200, body = FormatsResponse), (status = 304, description = "Not changed."))
)]
pub async fn list_formats(
    req: HttpRequest,
    state: web::Data<AppState>,
    game: web::Path<Code>,
) -> Result<HttpResponse, Problem> {
    let make = async {
        let loaded = loaded(&state, &game).await?;
        let data = loaded.game.formats().iter().map(Into::into).collect();
        Ok(Rendered::list(FRESH, Some(loaded.updated_at), &FormatsResponse { data })?)
    };
    state.kept_answers.answer(&req, make).await
}

/// Which version and variant of a format.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FormatQuery {
    /// The rules as they stand on this day, `YYYY-MM-DD`; absent: the newest.
    #[param(value_type = Option<String>, example = "2026-11-01")]
    on: Option<Date>,
    /// Code of a variant.
    #[param(value_type = Option<String>)]
    variant: Option<Code>,
}

/// Shows a format with all its rules.
///
/// Every rule names its number, its section of the rulebook and how far it can be trusted.
#[utoipa::path(
    get, path = "/v1/games/{game}/formats/{format}", tag = "catalogue",
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("format" = String, Path, description = "Code of the format", example = "standard"),
        FormatQuery,
    ),
    responses((status = 200, body = FormatResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_format(
    req: HttpRequest,
    state: web::Data<AppState>,
    path: web::Path<(Code, Code)>,
    query: Params<FormatQuery>,
) -> Result<HttpResponse, Problem> {
    let (game, code) = path.into_inner();
    let make = async {
        let loaded = loaded(&state, &game).await?;
        let format = match query.on {
            Some(day) => loaded.game.format_on(code.as_str(), day),
            None => loaded.game.format(code.as_str()).cloned(),
        };
        let mut format = format.ok_or_else(Problem::not_found)?;
        if let Some(variant) = &query.variant {
            format = format.with_variant(variant.as_str()).ok_or_else(|| {
                Problem::new(ProblemCode::InvalidQuery)
                    .detail(format!("The format has no variant {variant}."))
            })?;
        }
        Ok(Rendered::list(FRESH, Some(loaded.updated_at), &FormatResponse::from(&format))?)
    };
    state.kept_answers.answer(&req, make).await
}

/// Of what.
#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SchemaOf {
    /// Set files of this game.
    #[default]
    Set,
    /// Manifests, of any game.
    Manifest,
}

/// Which schema.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SchemaQuery {
    /// `set` (when absent): of set files of this game; `manifest`: of manifests.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "set")]
    of: SchemaOf,
}

/// Shows the JSON Schema of the files that describe a game.
///
/// For editors and programs that write set files or manifests. What a schema cannot say, such as sums by rarity, the import checks
/// as well; the schema's `$comment` names it.
#[utoipa::path(
    get, path = "/v1/games/{game}/schema", tag = "catalogue",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg"), SchemaQuery),
    responses(
        (status = 200, description = "JSON Schema, 2020-12", content((Object = "application/schema+json", example = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "/v1/games/ttcg/schema", "title": "A set of TTCG", "type": "object"
        })))),
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
        let loaded = loaded(&state, &game).await?;
        let (mut schema, id) = match query.of {
            SchemaOf::Set => (loaded.game.set_schema(), format!("/v1/games/{game}/schema")),
            SchemaOf::Manifest => (
                serde_json::from_str(MANIFEST_SCHEMA).map_err(Problem::internal)?,
                format!("/v1/games/{game}/schema?of=manifest"),
            ),
        };
        schema["$id"] = id.into();
        let schema = Rendered::list(FRESH, Some(loaded.updated_at), &schema)?;
        Ok(schema.of_type("application/schema+json"))
    };
    state.kept_answers.answer(&req, make).await
}

/// Shows the manifest of a game, as its author wrote it.
///
/// `GET /v1/games/{game}` tells the same as JSON.
#[utoipa::path(
    get, path = "/v1/games/{game}/manifest", tag = "catalogue",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg")),
    responses(
        (status = 200, content((String = "application/toml", example = "code = \"ttcg\"\n")),
            headers(("ETag" = String, description = "Its version, for `If-Match`"))),
        (status = 304, description = "It is still the version that `If-None-Match` names."),
    )
)]
pub async fn find_manifest(
    req: HttpRequest,
    state: web::Data<AppState>,
    game: web::Path<Code>,
) -> Result<HttpResponse, Problem> {
    let mut conn = state.store.connection().await?;
    let stored = games::manifest(&mut conn, game.as_str()).await?.ok_or_else(Problem::not_found)?;
    Ok(Revision(stored.revision).answer_file(&req, Toml::MEDIA_TYPE, stored.text))
}

/// A small manifest, to show what one is.
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

/// Brings in a game, or changes its manifest.
///
/// The manifest is data: `docs/GAMES.md` explains it, `GET /v1/games/{game}/schema?of=manifest` gives its JSON Schema. A manifest with a
/// fault is refused whole, with every fault and its place. To change a game, name the version that you change in `If-Match`.
#[utoipa::path(
    put, path = "/v1/games/{game}/manifest", tag = "catalogue", security(("bearer" = [])),
    request_body(content = String, content_type = "application/toml", description = "A manifest", example = json!(PEBBLES)),
    params(
        ("game" = String, Path, description = "Code of the game", example = "pebbles"),
        ("If-Match" = Option<String>, Header, description = "ETag of the manifest to replace; none for a new game", example = "\"r1\""),
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
    let place = Place { game: game.into_inner(), set: None };
    let stored =
        games::manifest(&mut *state.store.connection().await?, place.game.as_str()).await?;
    let replaced = versions.check(stored.map(|stored| Revision(stored.revision)))?;
    let base = replaced.map_or(Base::Nothing, |Revision(revision)| Base::Revision(revision));
    let manifest = SourceFile::new("game.toml", &file?.text);
    query.run(&state, &by, &place, base, GameSource { manifest, sets: Vec::new() }).await
}
