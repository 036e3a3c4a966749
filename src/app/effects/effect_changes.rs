//! The effect of an edit of effect texts on the sentences.

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::effects::effect_texts::{OutputChange, Sampled, TemplateChange};

/// A number before and after an edit.
#[derive(Serialize, ToSchema)]
pub struct BeforeAfter {
    /// The number before the edit.
    #[schema(example = 9582)]
    pub before: u64,
    /// The number after the edit.
    #[schema(example = 9590)]
    pub after: u64,
}

/// Examples of sentences, and how many there are in all.
#[derive(Serialize, ToSchema)]
pub struct EffectSample {
    /// Number of all these sentences.
    #[schema(example = 8)]
    pub count: usize,
    /// The first 20, sorted.
    #[schema(example = json!(["Discard a Fire card to draw two cards."]))]
    pub sample: Vec<String>,
}

/// A sentence whose wording changes.
#[derive(Serialize, ToSchema)]
pub struct ChangedEffect {
    /// The wording before the edit.
    #[schema(example = "Wake a Air unit.")]
    pub before: String,
    /// The wording after the edit.
    #[schema(example = "Wake an Air unit.")]
    pub after: String,
}

/// Examples of sentences whose wording changes, and how many there are in all.
#[derive(Serialize, ToSchema)]
pub struct ChangedEffects {
    /// Number of all these sentences.
    #[schema(example = 0)]
    pub count: usize,
    /// The first 20, sorted.
    pub sample: Vec<ChangedEffect>,
}

/// How the sentences change.
#[derive(Serialize, ToSchema)]
pub struct SentenceChangeResponse {
    /// Number of different sentences.
    pub count: BeforeAfter,
    /// Sentences that no template produced before.
    pub added: EffectSample,
    /// Sentences that no template produces any more.
    pub removed: EffectSample,
    /// Sentences that are the same before the phrase rules, which finish them in another way after the edit. They are not in `added` or `removed`.
    pub changed: ChangedEffects,
}

/// A template that is new, was deleted, or has another number of combinations.
#[derive(Serialize, ToSchema)]
pub struct TemplateChangeResponse {
    /// The template.
    #[schema(example = "Discard <forfeit> to draw two cards.")]
    pub template: String,
    /// Number of its combinations before the edit; 0: it is new.
    #[schema(example = 0)]
    pub before: u64,
    /// Number of its combinations after the edit; 0: it was deleted.
    #[schema(example = 23)]
    pub after: u64,
}

/// What an edit changed or, in a dry run, would change.
#[derive(Serialize, ToSchema)]
pub struct EffectEditResponse {
    /// Whether this was a dry run: nothing was stored.
    #[schema(example = true)]
    pub dry_run: bool,
    /// Number of combinations of all templates.
    pub combinations: BeforeAfter,
    /// Templates that are new, were deleted, or have another number of combinations: at most 200, sorted.
    pub templates: Vec<TemplateChangeResponse>,
    /// Whether every sentence was compared. `false`: before or after the edit there are more than 200,000 combinations, or very long sentences.
    #[schema(example = true)]
    pub exact: bool,
    /// How the sentences change. Absent if `exact` is `false`.
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
