//! The way back from sentences to the templates that make them.

use std::time::{Duration, Instant};

use cardscape_engine::effect_text::Match;
use serde::Serialize;
use utoipa::ToSchema;

use super::effect_texts::load;
use super::sentences::{EffectBindingResponse, responses};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::domain::effects::effect_texts::EffectLibrary;

/// Most sentences of one request that are held against everything for what is like them.
const MAX_SUGGESTED: usize = 10;
/// How long a request looks for templates and for sentences that are alike.
const TIME_LIMIT: Duration = Duration::from_secs(4);

/// A way to make a sentence.
#[derive(Clone, Serialize, ToSchema)]
pub struct EffectMatchResponse {
    /// Number of the template, from 1.
    #[schema(example = 34, minimum = 1)]
    pub template: usize,
    /// The template.
    #[schema(example = "Discard <fodder> to <deed>.")]
    pub template_text: String,
    /// Number of the combination among those of all templates, as in `GET /v1/games/{game}/effects`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 1204)]
    pub number: Option<u64>,
    /// The sentence before the phrase rules.
    #[schema(example = "Discard one Fire card to draw one card.")]
    pub raw: String,
    /// What each place of the template takes.
    pub bindings: Vec<EffectBindingResponse>,
}

impl EffectMatchResponse {
    fn new(library: &EffectLibrary, found: Match) -> Self {
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

/// A sentence with the templates that make it.
#[derive(Clone, Serialize, ToSchema)]
pub struct MatchedSentenceResponse {
    /// The sentence, as it was given.
    #[schema(example = "Discard one Fire card to draw one card.")]
    pub sentence: String,
    /// Every way to make it, 10 at most, in the order of the templates.
    pub matches: Vec<EffectMatchResponse>,
    /// Whether these are all. `false`: there are more, or the search took too long.
    #[schema(example = true)]
    pub complete: bool,
    /// When nothing makes it, for the first 10 such sentences of a request: up to 3 sentences that have most words in common with it.
    #[schema(example = json!([]))]
    pub suggestions: Vec<String>,
}

impl MatchedSentenceResponse {
    /// About the bytes of memory that it takes.
    pub(crate) fn weight(&self) -> usize {
        let of = |found: &EffectMatchResponse| {
            300 + found.template_text.len() + found.raw.len() + 150 * found.bindings.len()
        };
        200 + self.sentence.len() + self.matches.iter().map(of).sum::<usize>()
    }

    /// A sentence that nothing makes.
    pub(crate) fn unmatched(sentence: String) -> Self {
        Self { sentence, matches: Vec::new(), complete: true, suggestions: Vec::new() }
    }
}

/// Sentences with the templates that make them.
#[derive(Serialize, ToSchema)]
pub struct MatchedSentencesResponse {
    /// In the order of the request.
    pub data: Vec<MatchedSentenceResponse>,
}

/// Finds the templates that make each of these sentences, letter by letter.
pub async fn find(
    app: &AppState,
    game: &Code,
    sentences: Vec<String>,
) -> Result<MatchedSentencesResponse, Problem> {
    let loaded = load(app, game).await?;
    let until = Instant::now() + TIME_LIMIT;
    let data = app.work.run(move || match_all(&loaded.library, sentences, until)).await?;
    Ok(MatchedSentencesResponse { data })
}

/// Looks for the templates of each sentence, and for sentences like those that nothing makes, until then.
pub(crate) fn match_all(
    library: &EffectLibrary,
    sentences: Vec<String>,
    until: Instant,
) -> Vec<MatchedSentenceResponse> {
    library.make_index();
    let mut data: Vec<MatchedSentenceResponse> = sentences
        .into_iter()
        .map(|sentence| {
            if Instant::now() >= until {
                let (matches, suggestions) = (Vec::new(), Vec::new());
                return MatchedSentenceResponse { sentence, matches, complete: false, suggestions };
            }
            let found = library.find(&sentence);
            let matches =
                found.matches.into_iter().map(|found| EffectMatchResponse::new(library, found));
            MatchedSentenceResponse {
                matches: matches.collect(),
                complete: found.complete,
                sentence,
                suggestions: Vec::new(),
            }
        })
        .collect();
    let mut unmatched: Vec<&mut MatchedSentenceResponse> =
        data.iter_mut().filter(|found| found.matches.is_empty()).take(MAX_SUGGESTED).collect();
    if !unmatched.is_empty() {
        let wanted: Vec<&str> = unmatched.iter().map(|found| found.sentence.as_str()).collect();
        let nearest = library.nearest(&wanted, until);
        for (found, suggestions) in unmatched.iter_mut().zip(nearest) {
            found.suggestions = suggestions;
        }
    }
    data
}
