//! Responses about a sentence: the templates that make it, and the values of their placeholders.

use cardscape_engine::effect_text::{Binding, Match};
use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::effects::effect_texts::EffectLibrary;

/// A place of a template or of a value, and the value in it.
#[derive(Clone, Serialize, ToSchema)]
pub struct EffectBindingResponse {
    /// The place, as it is written.
    #[schema(example = "<fodder>")]
    pub placeholder: String,
    /// The value in it, before the phrase rules.
    #[schema(example = "one Fire card")]
    pub value: String,
    /// The values in the places of the value; absent if it has no places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(no_recursion, example = json!([{ "placeholder": "<kind>", "value": "Fire", "within": [{ "placeholder": "<type>", "value": "Fire" }] }]))]
    pub within: Vec<EffectBindingResponse>,
}

impl From<Binding> for EffectBindingResponse {
    fn from(binding: Binding) -> Self {
        let Binding { placeholder, value, within } = binding;
        Self { placeholder, value, within: responses(within) }
    }
}

pub(super) fn responses(bindings: Vec<Binding>) -> Vec<EffectBindingResponse> {
    bindings.into_iter().map(Into::into).collect()
}

/// A way to produce a sentence.
#[derive(Clone, Serialize, ToSchema)]
pub struct EffectMatchResponse {
    /// Number of the template, from 1.
    #[schema(example = 34, minimum = 1)]
    pub template: usize,
    /// Text of the template.
    #[schema(example = "Discard <fodder> to <deed>.")]
    pub template_text: String,
    /// Number of the combination among those of all templates, as in `GET /v1/games/{game}/effects`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 1204)]
    pub number: Option<u64>,
    /// The sentence before the phrase rules.
    #[schema(example = "Discard one Fire card to draw one card.")]
    pub raw: String,
    /// The value of each place of the template.
    pub bindings: Vec<EffectBindingResponse>,
}

impl EffectMatchResponse {
    pub(super) fn new(library: &EffectLibrary, found: Match) -> Self {
        let Match { template, index, raw, bindings } = found;
        let number = index.and_then(|index| u64::try_from(index).ok());
        Self {
            template: template + 1,
            template_text: library.texts().templates.get(template).cloned().unwrap_or_default(),
            number: number.and_then(|number| library.number_of(template, number)),
            raw,
            bindings: responses(bindings),
        }
    }
}

/// A sentence with the templates that produce it.
#[derive(Clone, Serialize, ToSchema)]
pub struct MatchedSentenceResponse {
    /// The sentence, as it was given.
    #[schema(example = "Discard one Fire card to draw one card.")]
    pub sentence: String,
    /// The ways to produce it, at most 10, in the order of the templates.
    pub matches: Vec<EffectMatchResponse>,
    /// Whether `matches` has all ways to produce it. `false`: there are more, or the search took too long.
    #[schema(example = true)]
    pub complete: bool,
    /// Whether the templates were searched before the time was over. A search that ends at its limit of steps ends there each time.
    #[serde(skip)]
    pub searched: bool,
    /// If `matches` is empty, up to 3 finished sentences that have most words in common with it. Only for the first 10 such sentences of a request.
    #[schema(example = json!([]))]
    pub suggestions: Vec<String>,
}

impl MatchedSentenceResponse {
    /// Approximate size in memory, in bytes.
    pub(crate) fn weight(&self) -> usize {
        let of = |found: &EffectMatchResponse| {
            300 + found.template_text.len() + found.raw.len() + 150 * found.bindings.len()
        };
        200 + self.sentence.len() + self.matches.iter().map(of).sum::<usize>()
    }

    /// A sentence that no template makes.
    pub(crate) fn unmatched(sentence: String) -> Self {
        let (matches, suggestions) = (Vec::new(), Vec::new());
        Self { sentence, matches, complete: true, searched: true, suggestions }
    }
}
