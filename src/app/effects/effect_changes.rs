//! The effect of an edit of effect texts on the sentences.

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::effects::effect_texts::{OutputChange, Sampled, TemplateChange};

/// A number before and after.
#[derive(Serialize, ToSchema)]
pub struct BeforeAfter {
    /// Before the edit.
    #[schema(example = 9582)]
    pub before: u64,
    /// After it.
    #[schema(example = 9590)]
    pub after: u64,
}

/// Sentences, and how many there are in all.
#[derive(Serialize, ToSchema)]
pub struct EffectSample {
    /// How many.
    #[schema(example = 8)]
    pub count: usize,
    /// The first 20, sorted.
    #[schema(example = json!(["Discard a Fire card to draw two cards."]))]
    pub sample: Vec<String>,
}

/// A sentence that is said otherwise.
#[derive(Serialize, ToSchema)]
pub struct ChangedEffect {
    /// How it was said.
    #[schema(example = "Wake a Air unit.")]
    pub before: String,
    /// How it is said.
    #[schema(example = "Wake an Air unit.")]
    pub after: String,
}

/// Sentences that are said otherwise, and how many there are in all.
#[derive(Serialize, ToSchema)]
pub struct ChangedEffects {
    /// How many.
    #[schema(example = 0)]
    pub count: usize,
    /// The first 20, sorted.
    pub sample: Vec<ChangedEffect>,
}

/// What changes about the sentences.
#[derive(Serialize, ToSchema)]
pub struct SentenceChangeResponse {
    /// Different sentences.
    pub count: BeforeAfter,
    /// Sentences that are new.
    pub added: EffectSample,
    /// Sentences that no template makes any more.
    pub removed: EffectSample,
    /// Sentences that are made of the same words and finished otherwise; they are in neither of the others.
    pub changed: ChangedEffects,
}

/// A template that is new, gone, or has another number of combinations.
#[derive(Serialize, ToSchema)]
pub struct TemplateChangeResponse {
    /// The template.
    #[schema(example = "Discard <forfeit> to draw two cards.")]
    pub template: String,
    /// Its combinations before; 0: it is new.
    #[schema(example = 0)]
    pub before: u64,
    /// Its combinations after; 0: it is gone.
    #[schema(example = 23)]
    pub after: u64,
}

/// What an edit changed, or would have.
#[derive(Serialize, ToSchema)]
pub struct EffectEditResponse {
    /// Nothing was changed: this is what would have been.
    #[schema(example = true)]
    pub dry_run: bool,
    /// Combinations of all templates.
    pub combinations: BeforeAfter,
    /// Templates that are new, gone, or have another number of combinations; 200 at most, sorted.
    pub templates: Vec<TemplateChangeResponse>,
    /// Whether every sentence was compared. `false`: before or after, there are more than 200,000 combinations, or very long ones.
    #[schema(example = true)]
    pub exact: bool,
    /// What changes about the sentences, when they were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sentences: Option<SentenceChangeResponse>,
}

impl EffectEditResponse {
    pub(super) fn new(dry_run: bool, change: OutputChange) -> Self {
        let OutputChange { combinations: (before, after), templates, sentences } = change;
        let template = |change: TemplateChange| {
            let TemplateChange { template, before, after } = change;
            TemplateChangeResponse { template, before, after }
        };
        let sample = |all: Sampled<String>| EffectSample { count: all.count, sample: all.sample };
        Self {
            dry_run,
            combinations: BeforeAfter { before, after },
            templates: templates.into_iter().map(template).collect(),
            exact: sentences.is_some(),
            sentences: sentences.map(|change| SentenceChangeResponse {
                count: BeforeAfter {
                    before: change.counts.0 as u64,
                    after: change.counts.1 as u64,
                },
                added: sample(change.added),
                removed: sample(change.removed),
                changed: ChangedEffects {
                    count: change.changed.count,
                    sample: (change.changed.sample.into_iter())
                        .map(|(before, after)| ChangedEffect { before, after })
                        .collect(),
                },
            }),
        }
    }
}
