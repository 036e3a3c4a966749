//! Effect texts as their authors write them: templates, values of placeholders, phrase rules.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::page::{Page, paged};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::versions::Revision;
use crate::domain::code::Code;
use crate::domain::effects::effect_texts::{EffectLibrary, Replacement};
use crate::http::extract::{PageQuery, Params};
use crate::store::effects::effect_texts::LoadedEffects;

/// A template.
#[derive(Serialize, ToSchema)]
pub struct EffectTemplateResponse {
    /// Its number in the list, from 1.
    #[schema(example = 34, minimum = 1)]
    pub number: usize,
    /// The sentence, with the names of placeholders in angle brackets. The same name twice takes the same value twice.
    #[schema(example = "Discard <fodder> to <deed>.")]
    pub template: String,
    /// The names that it uses itself, in order.
    #[schema(example = json!(["fodder", "deed"]))]
    pub placeholders: Vec<String>,
    /// How many combinations of values it has, those that the phrase rules remove included.
    #[schema(example = 851, maximum = 9_007_199_254_740_991_u64)]
    pub combinations: u64,
}

impl EffectTemplateResponse {
    fn new(library: &EffectLibrary, at: usize) -> Option<Self> {
        Some(Self {
            number: at + 1,
            template: library.texts().templates.get(at)?.clone(),
            placeholders: library.names_of(at),
            combinations: library.count_of(at),
        })
    }
}

/// A placeholder in short.
#[derive(Serialize, ToSchema)]
pub struct EffectPlaceholderSummary {
    /// Its name.
    #[schema(example = "fodder")]
    pub name: String,
    /// How many values it has.
    #[schema(example = 3, minimum = 1)]
    pub values: usize,
}

/// A placeholder with its values.
#[derive(Serialize, ToSchema)]
pub struct EffectPlaceholderResponse {
    /// Its name.
    #[schema(example = "fodder")]
    pub name: String,
    /// What can stand in its place, in order. A value may have placeholders itself.
    #[schema(example = json!(["one card", "one spell", "one <kind> card"]))]
    pub values: Vec<String>,
}

/// A phrase that is replaced wherever it stands.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PhraseReplacement {
    /// What is looked for, letter by letter: without `:`, and not beginning with `#`.
    #[schema(example = "a Air", min_length = 1, max_length = 200)]
    pub old: String,
    /// What it becomes; empty: it goes.
    #[schema(example = "an Air", max_length = 200)]
    pub new: String,
}

impl From<PhraseReplacement> for Replacement {
    fn from(rule: PhraseReplacement) -> Self {
        Self { old: rule.old, new: rule.new }
    }
}

/// What finishes sentences once their places are filled.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PhraseRulesBody {
    /// A sentence that contains one of these phrases is left out.
    #[schema(max_items = 300, example = json!(["Let your opponent draw one card to draw one card"]))]
    pub removals: Vec<String>,
    /// What is replaced, in this order, each on the result of the one before.
    #[schema(max_items = 300)]
    pub replacements: Vec<PhraseReplacement>,
}

/// The effect texts of a game; 404 when there are none.
pub(in crate::api) async fn loaded(
    state: &AppState,
    game: &Code,
) -> Result<Arc<LoadedEffects>, Problem> {
    let found = state.effects.find(&state.store, game.as_str()).await?;
    found.ok_or_else(Problem::not_found)
}

/// Lists the templates of a game's effect texts, in order.
///
/// Every sentence comes from a template, with a value in each of its places, finished by the phrase rules. 404 when the game has no
/// effect texts.
#[utoipa::path(
    get, path = "/v1/games/{game}/effect-templates", tag = "effects",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg"), PageQuery),
    responses(
        (status = 200, body = Page<EffectTemplateResponse>,
            headers(("ETag" = String, description = "Version of all effect texts of the game, for `If-Match`"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn list_effect_templates(
    req: HttpRequest,
    state: web::Data<AppState>,
    game: web::Path<Code>,
    page: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    let loaded = loaded(&state, &game).await?;
    let after: usize = page.after()?.unwrap_or(0);
    let rows = (after..loaded.library.texts().templates.len()).take(rows(&page));
    let item = |at: usize| EffectTemplateResponse::new(&loaded.library, at);
    let page = paged(rows.filter_map(item).collect(), page.limit, |row| row.number, |row| row);
    Ok(page.linked(&req, Revision(loaded.revision).answer_public(&req, &page)?))
}

fn rows(page: &PageQuery) -> usize {
    usize::try_from(page.limit.rows()).unwrap_or(0)
}

/// Shows a template by its number.
#[utoipa::path(
    get, path = "/v1/games/{game}/effect-templates/{number}", tag = "effects",
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("number" = usize, Path, description = "Number in the list, from 1", example = 34),
    ),
    responses(
        (status = 200, body = EffectTemplateResponse,
            headers(("ETag" = String, description = "Version of all effect texts of the game, for `If-Match`"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_effect_template(
    req: HttpRequest,
    state: web::Data<AppState>,
    path: web::Path<(Code, usize)>,
) -> Result<HttpResponse, Problem> {
    let (game, number) = path.into_inner();
    let loaded = loaded(&state, &game).await?;
    let at = number.checked_sub(1).ok_or_else(Problem::not_found)?;
    let found = EffectTemplateResponse::new(&loaded.library, at).ok_or_else(Problem::not_found)?;
    Revision(loaded.revision).answer_public(&req, &found)
}

/// Lists the placeholders of a game's effect texts, by name.
#[utoipa::path(
    get, path = "/v1/games/{game}/effect-placeholders", tag = "effects",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg"), PageQuery),
    responses(
        (status = 200, body = Page<EffectPlaceholderSummary>,
            headers(("ETag" = String, description = "Version of all effect texts of the game, for `If-Match`"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn list_effect_placeholders(
    req: HttpRequest,
    state: web::Data<AppState>,
    game: web::Path<Code>,
    page: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    let loaded = loaded(&state, &game).await?;
    let after: String = page.after()?.unwrap_or_default();
    let all = &loaded.library.texts().placeholders;
    let later = all.iter().filter(|(name, _)| **name > after).take(rows(&page));
    let rows = later.map(|(name, values)| EffectPlaceholderSummary {
        name: name.clone(),
        values: values.len(),
    });
    let page = paged(rows.collect(), page.limit, |row| row.name.clone(), |row| row);
    Ok(page.linked(&req, Revision(loaded.revision).answer_public(&req, &page)?))
}

/// Shows a placeholder with its values.
#[utoipa::path(
    get, path = "/v1/games/{game}/effect-placeholders/{name}", tag = "effects",
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("name" = String, Path, description = "Name of the placeholder", example = "fodder"),
    ),
    responses(
        (status = 200, body = EffectPlaceholderResponse,
            headers(("ETag" = String, description = "Version of all effect texts of the game, for `If-Match`"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_effect_placeholder(
    req: HttpRequest,
    state: web::Data<AppState>,
    path: web::Path<(Code, String)>,
) -> Result<HttpResponse, Problem> {
    let (game, name) = path.into_inner();
    let loaded = loaded(&state, &game).await?;
    let values = loaded.library.texts().placeholders.get(&name);
    let values = values.cloned().ok_or_else(Problem::not_found)?;
    let found = EffectPlaceholderResponse { name, values };
    Revision(loaded.revision).answer_public(&req, &found)
}

/// Shows the phrase rules of a game's effect texts.
///
/// A sentence that contains a phrase of `removals` is dropped. Double spaces become single ones, then the replacements run in order, then
/// the plural after "one" becomes a singular (`one … cards`; also of spells, creatures and targets).
#[utoipa::path(
    get, path = "/v1/games/{game}/effect-phrase-rules", tag = "effects",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg")),
    responses(
        (status = 200, body = PhraseRulesBody,
            headers(("ETag" = String, description = "Version of all effect texts of the game, for `If-Match`"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_phrase_rules(
    req: HttpRequest,
    state: web::Data<AppState>,
    game: web::Path<Code>,
) -> Result<HttpResponse, Problem> {
    let loaded = loaded(&state, &game).await?;
    let texts = loaded.library.texts();
    let rule =
        |rule: &Replacement| PhraseReplacement { old: rule.old.clone(), new: rule.new.clone() };
    let body = PhraseRulesBody {
        removals: texts.removals.clone(),
        replacements: texts.replacements.iter().map(rule).collect(),
    };
    Revision(loaded.revision).answer_public(&req, &body)
}
