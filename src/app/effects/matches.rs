//! From sentences back to the templates that make them.

use std::time::Instant;

use serde::Serialize;
use utoipa::ToSchema;

use super::effect_texts::load;
use super::match_bodies::{EffectMatchResponse, MatchedSentenceResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::domain::effects::effect_texts::EffectLibrary;

/// Most sentences of one request for which similar sentences are searched.
const MAX_SUGGESTED: usize = 10;
/// Sentences with the templates that produce them.
#[derive(Serialize, ToSchema)]
pub struct MatchedSentencesResponse {
    /// The sentences, in the order of the request.
    pub data: Vec<MatchedSentenceResponse>,
}

/// Finds the templates that make exactly these sentences.
pub async fn find(
    app: &AppState,
    game: &Code,
    sentences: Vec<String>,
) -> Result<MatchedSentencesResponse, Problem> {
    let loaded = load(app, game).await?;
    let until = Instant::now() + app.settings.effect_match_time;
    let data = app.work.run(move || match_all(&loaded.library, sentences, until)).await?;
    Ok(MatchedSentencesResponse { data })
}

/// Searches the templates of each sentence, and similar sentences for those without a template, until the deadline.
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
    let is_unmatched = |found: &&mut MatchedSentenceResponse| {
        found.matches.is_empty() && !found.sentence.is_empty()
    };
    let mut unmatched: Vec<&mut MatchedSentenceResponse> =
        data.iter_mut().filter(is_unmatched).take(MAX_SUGGESTED).collect();
    if !unmatched.is_empty() {
        let wanted: Vec<&str> = unmatched.iter().map(|found| found.sentence.as_str()).collect();
        let nearest = library.nearest(&wanted, until);
        for (found, suggestions) in unmatched.iter_mut().zip(nearest) {
            found.suggestions = suggestions;
        }
    }
    data
}
