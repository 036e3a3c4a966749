//! Games and their formats.

use std::sync::Arc;

use cardscape_engine::{Date, Format, Game, MANIFEST_SCHEMA};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::import::{ImportResponse, ImportTarget, run};
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::app::versions::{Revision, Versions};
use crate::app::words::must_be_one_of;
use crate::auth::permission::{Granted, WriteCatalogue};
use crate::domain::catalogue::import::{GameSource, SourceFile};
use crate::domain::code::Code;
use crate::store::catalogue::games::{self, LoadedGame, StoredManifest};
use crate::store::catalogue::import::Base;

/// A game in short form.
#[derive(Serialize, ToSchema)]
pub struct GameSummary<'a> {
    /// Its code.
    #[schema(example = "ttcg")]
    pub code: &'a str,
    /// Its name.
    #[schema(example = "TTCG")]
    pub name: &'a str,
    /// Description of the game, in one or two sentences.
    #[schema(example = "The main game: units, spells and traps.")]
    pub description: &'a str,
    /// Version of the rulebook that the manifest implements.
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
    /// The games, sorted by code.
    pub data: Vec<GameSummary<'a>>,
}

/// A game: how its cards are built, and which formats it has.
#[derive(Serialize, ToSchema)]
pub struct GameResponse<'a> {
    /// Its code.
    #[schema(example = "ttcg")]
    pub code: &'a str,
    /// Its name.
    #[schema(example = "TTCG")]
    pub name: &'a str,
    /// Description of the game, in one or two sentences.
    #[schema(example = "The main game: units, spells and traps.")]
    pub description: &'a str,
    /// Version of the rulebook that the manifest implements.
    #[schema(example = "1.0")]
    pub rules_version: &'a str,
    /// Whether cards start hidden, unless their set states otherwise.
    pub cards_start_hidden: bool,
    /// Whether no two cards of the game have the same name. Otherwise deck lists distinguish cards of the same name by set and number.
    pub unique_names: bool,
    /// Number of distinct accounts whose submissions unlock a card, unless its set or an unlock policy states otherwise.
    #[schema(example = 5, minimum = 1)]
    pub unlock_threshold: u32,
    /// Rarities, the most common first: code, name, weight in print runs, tier.
    #[schema(value_type = Vec<Object>)]
    pub rarities: &'a [cardscape_engine::Rarity],
    /// Zones of a deck; the first one is the main zone.
    #[schema(value_type = Vec<Object>)]
    pub zones: &'a [cardscape_engine::Zone],
    /// Kinds of cards, each with its attributes, effects, printings and checks.
    #[schema(value_type = Vec<Object>)]
    pub kinds: &'a [cardscape_engine::Kind],
    /// What the rulebook leaves open about cards, and how this service decides it.
    #[schema(value_type = Vec<Object>)]
    pub decisions: &'a [cardscape_engine::Decision],
    /// Its formats, in short form, each in its newest version, also if that begins on a later day.
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

/// A format in short form.
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
    /// First day of this version; absent if it has always applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "2026-11-01")]
    pub effective_from: Option<Date>,
    /// Description of the format, in one or two sentences.
    #[schema(example = "A deck of exactly fifty cards.")]
    pub description: &'a str,
    /// Codes of its variants; the first one is the default.
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
    /// The formats, in the order of the manifest, each in its newest version, also if that begins on a later day.
    pub data: Vec<FormatSummary<'a>>,
}

/// A format with all its rules.
#[derive(Serialize, ToSchema)]
pub struct FormatResponse<'a> {
    /// Code of the game.
    #[schema(example = "ttcg")]
    pub game: &'a str,
    /// The format, in short form.
    #[serde(flatten)]
    pub format: FormatSummary<'a>,
    /// The variant whose rules are shown; absent if the format has no variants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<&'a str>,
    /// Provenance of the format, which is how far it can be trusted: `source` (the rulebook states it), `assumed` (the rulebook does not state it) or
    /// `sample` (an example).
    #[schema(value_type = String, example = "source")]
    pub provenance: cardscape_engine::Provenance,
    /// What the rulebook leaves open: each question with its possible answers, the answer that applies, and the variants under which another answer
    /// applies.
    #[schema(value_type = Vec<Object>, example = json!([{
        "rule": "T-A6", "question": "What is the same card?", "provenance": "assumed", "chosen": "by_name",
        "options": [{ "code": "by_name", "text": "Cards of one name.", "variant": "by_name", "selectable": true }]
    }]))]
    pub decisions: &'a [cardscape_engine::Decision],
    /// The rules that apply, each with its number and section of the rulebook, its wording, and what is checked.
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

impl<'a> GamesResponse<'a> {
    /// The summaries of the games.
    pub fn new(games: &'a [Arc<LoadedGame>]) -> Self {
        Self { data: games.iter().map(|loaded| (&loaded.game).into()).collect() }
    }
}

impl<'a> From<&'a Game> for FormatsResponse<'a> {
    fn from(game: &'a Game) -> Self {
        Self { data: game.formats().iter().map(Into::into).collect() }
    }
}

/// All games, read from the database rather than from a list that may be as old as the cache allows. The list is cached
/// until the next change.
pub async fn list(app: &AppState) -> Result<Vec<Arc<LoadedGame>>, Problem> {
    Ok(app.games.read_list(&mut *app.store.connection().await?).await?)
}

/// Finds a game.
pub async fn find(app: &AppState, game: &Code) -> Result<Arc<LoadedGame>, Problem> {
    let mut conn = app.store.connection().await?;
    app.games.find(&mut conn, game).await?.ok_or_else(Problem::not_found)
}

/// A version and variant of a format.
pub struct FoundFormat {
    pub format: Arc<Format>,
    /// When the manifest of its game was last changed.
    pub updated_at: DateTime<Utc>,
}

/// Finds a format of a game with the rules of a day, by default of today, or else the newest version if none has begun yet;
/// with the given variant or the default one.
pub async fn find_format(
    app: &AppState,
    (game, code): (&Code, &Code),
    on: Option<Date>,
    variant: Option<&Code>,
) -> Result<FoundFormat, Problem> {
    let loaded = find(app, game).await?;
    let format = match on {
        Some(day) => loaded.game.format_on(code, day),
        None => loaded.game.format_shown_on(code, app.today()?),
    };
    let mut format = format.ok_or_else(Problem::not_found)?;
    if let Some(variant) = variant {
        let found = format.with_variant(variant).map(Arc::new);
        format = found.ok_or_else(|| no_variant(&format, variant))?;
    }
    Ok(FoundFormat { format, updated_at: loaded.updated_at })
}

/// The failure of a query that names a variant that the format does not have.
fn no_variant(format: &Format, variant: &Code) -> Problem {
    let known = format.variants.iter().map(|variant| &*variant.code);
    let fault = if format.variants.is_empty() {
        InputFault::at("?variant", "must be absent: the format has no variants")
    } else {
        InputFault::at("?variant", must_be_one_of(variant, known))
    };
    Problem::of_query(vec![fault])
}

/// The files that a JSON Schema describes.
#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SchemaOf {
    /// Set files of this game.
    #[default]
    Set,
    /// Manifests, of any game.
    Manifest,
}

/// The JSON Schema of the files that describe a game, and when the game's manifest last changed.
pub async fn find_schema(
    app: &AppState,
    game: &Code,
    of: SchemaOf,
) -> Result<(Value, DateTime<Utc>), Problem> {
    let loaded = find(app, game).await?;
    let (mut schema, id) = match of {
        SchemaOf::Set => (loaded.game.set_schema(), format!("/v1/games/{game}/schema")),
        SchemaOf::Manifest => (
            serde_json::from_str(MANIFEST_SCHEMA).map_err(Problem::internal)?,
            format!("/v1/games/{game}/schema?of=manifest"),
        ),
    };
    schema["$id"] = id.into();
    Ok((schema, loaded.updated_at))
}

/// The manifest of a game, as its author wrote it.
pub async fn find_manifest(app: &AppState, game: &Code) -> Result<StoredManifest, Problem> {
    stored_manifest(app, game).await?.ok_or_else(Problem::not_found)
}

async fn stored_manifest(app: &AppState, game: &Code) -> Result<Option<StoredManifest>, Problem> {
    Ok(games::manifest(&mut *app.store.connection().await?, game).await?)
}

/// Creates a game, or replaces its manifest; a dry run changes nothing. Parse errors of the file are reported only to
/// clients that name the version that they replace.
pub async fn replace_manifest(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    target: &ImportTarget,
    versions: &Versions,
    file: Result<impl AsRef<str>, Problem>,
    dry_run: bool,
) -> Result<ImportResponse, Problem> {
    let stored = stored_manifest(app, &target.game).await?;
    let replaced = versions.check(stored.map(|stored| Revision(stored.revision)))?;
    let base = replaced.map_or(Base::Nothing, |Revision(revision)| Base::Revision(revision));
    let manifest = SourceFile::new("game.toml", file?.as_ref());
    run(app, by, target, base, GameSource { manifest, sets: Vec::new() }, dry_run).await
}
