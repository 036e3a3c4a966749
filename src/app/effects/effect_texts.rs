//! Effect texts as their authors write them: templates, values of placeholders, and phrase rules.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::page::{Cursor, Page, PageLimit, paged};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::versions::Revision;
use crate::domain::code::Code;
use crate::domain::effects::effect_texts::{EffectLibrary, EffectTexts, Replacement};
use crate::store::effects::effect_texts::LoadedEffects;

/// A template.
#[derive(Serialize, ToSchema)]
pub struct EffectTemplateResponse {
    /// Its number in the list, from 1.
    #[schema(example = 34, minimum = 1)]
    pub number: usize,
    /// The sentence, with the names of placeholders in angle brackets. A placeholder that occurs twice has the same value at both places.
    #[schema(example = "Discard <fodder> to <deed>.")]
    pub template: String,
    /// Names of the placeholders in the template itself, in order, each once.
    #[schema(example = json!(["fodder", "deed"]))]
    pub placeholders: Vec<String>,
    /// Number of combinations of its values, including those that the phrase rules remove.
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

    /// All templates, in order.
    pub fn all(library: &EffectLibrary) -> Vec<Self> {
        let places = 0..library.texts().templates.len();
        places.filter_map(|at| Self::new(library, at)).collect()
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
    /// The values that can replace it, in order. A value may contain placeholders.
    #[schema(example = json!(["one card", "one spell", "one <kind> card"]))]
    pub values: Vec<String>,
}

/// A phrase that is replaced wherever it occurs.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PhraseReplacement {
    /// The phrase that is replaced: literal and case-sensitive, without `:`, and not beginning with `#`. A phrase can be replaced only once.
    #[schema(example = "a Air", min_length = 1, max_length = 200)]
    pub old: String,
    /// The text that replaces it; empty: the phrase is deleted. White space that this leaves at an end of the sentence is removed.
    #[schema(example = "an Air", max_length = 200)]
    pub new: String,
}

impl From<PhraseReplacement> for Replacement {
    fn from(rule: PhraseReplacement) -> Self {
        Self { old: rule.old, new: rule.new }
    }
}

/// The rules that finish sentences after their places are filled.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PhraseRulesBody {
    /// A sentence that contains one of these phrases is removed.
    #[schema(max_items = 300, example = json!(["Let your opponent draw one card to draw one card"]))]
    pub removals: Vec<String>,
    /// The replacements, in the order in which they are applied, each to the result of the previous one.
    #[schema(max_items = 300)]
    pub replacements: Vec<PhraseReplacement>,
}

impl From<&EffectTexts> for PhraseRulesBody {
    fn from(texts: &EffectTexts) -> Self {
        let rule =
            |rule: &Replacement| PhraseReplacement { old: rule.old.clone(), new: rule.new.clone() };
        Self {
            removals: texts.removals.clone(),
            replacements: texts.replacements.iter().map(rule).collect(),
        }
    }
}

/// The effect texts of a game; 404 when there are none.
pub(super) async fn load(app: &AppState, game: &Code) -> Result<Arc<LoadedEffects>, Problem> {
    let found = app.effects.find(&app.store, game.as_str()).await?;
    found.ok_or_else(Problem::not_found)
}

/// A part of the effect texts of a game, and the version of all of them, which an edit of any part has to name.
pub struct Versioned<T> {
    pub part: T,
    /// The version.
    pub revision: Revision,
}

impl<T> Versioned<T> {
    pub(super) fn of(loaded: &LoadedEffects, part: T) -> Self {
        Self { part, revision: Revision(loaded.revision) }
    }
}

/// Lists the templates in order; the key of a cursor is the number of a template.
pub async fn list_templates(
    app: &AppState,
    game: &Code,
    cursor: Option<&Cursor>,
    limit: PageLimit,
) -> Result<Versioned<Page<EffectTemplateResponse>>, Problem> {
    let loaded = load(app, game).await?;
    let after: usize = cursor.map(Cursor::key).transpose()?.unwrap_or(0);
    let places = (after..loaded.library.texts().templates.len()).take(limit.items() + 1);
    let rows = places.filter_map(|at| EffectTemplateResponse::new(&loaded.library, at)).collect();
    Ok(Versioned::of(
        &loaded,
        paged(rows, limit, |row: &EffectTemplateResponse| row.number, |row| row),
    ))
}

/// Finds a template by its number, from 1.
pub async fn find_template(
    app: &AppState,
    game: &Code,
    number: usize,
) -> Result<Versioned<EffectTemplateResponse>, Problem> {
    let loaded = load(app, game).await?;
    let at = number.checked_sub(1).ok_or_else(Problem::not_found)?;
    let found = EffectTemplateResponse::new(&loaded.library, at).ok_or_else(Problem::not_found)?;
    Ok(Versioned::of(&loaded, found))
}

/// Lists the placeholders by name; the key of a cursor is a name.
pub async fn list_placeholders(
    app: &AppState,
    game: &Code,
    cursor: Option<&Cursor>,
    limit: PageLimit,
) -> Result<Versioned<Page<EffectPlaceholderSummary>>, Problem> {
    let loaded = load(app, game).await?;
    let after: String = cursor.map(Cursor::key).transpose()?.unwrap_or_default();
    let all = &loaded.library.texts().placeholders;
    let later = all.iter().filter(|(name, _)| **name > after).take(limit.items() + 1);
    let rows = later.map(|(name, values)| EffectPlaceholderSummary {
        name: name.clone(),
        values: values.len(),
    });
    let page = paged(rows.collect(), limit, |row| row.name.clone(), |row| row);
    Ok(Versioned::of(&loaded, page))
}

/// Finds a placeholder by its name.
pub async fn find_placeholder(
    app: &AppState,
    game: &Code,
    name: String,
) -> Result<Versioned<EffectPlaceholderResponse>, Problem> {
    let loaded = load(app, game).await?;
    let values = loaded.library.texts().placeholders.get(&name);
    let values = values.cloned().ok_or_else(Problem::not_found)?;
    Ok(Versioned::of(&loaded, EffectPlaceholderResponse { name, values }))
}

/// Finds the phrase rules of a game.
pub async fn find_phrase_rules(
    app: &AppState,
    game: &Code,
) -> Result<Versioned<PhraseRulesBody>, Problem> {
    let loaded = load(app, game).await?;
    Ok(Versioned::of(&loaded, PhraseRulesBody::from(loaded.library.texts())))
}
