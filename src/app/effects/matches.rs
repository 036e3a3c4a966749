//! From sentences back to the templates that make them.

use std::time::{Duration, Instant};

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
    let time_limit = app.settings.effect_match_time;
    let data = app.work.run(move || match_all(&loaded.library, sentences, time_limit)).await?;
    Ok(MatchedSentencesResponse { data })
}

/// Searches the templates of each sentence, and similar sentences for those without a template. The time limit begins when the
/// index exists: otherwise the first request after a start could find every sentence unsearched.
pub(crate) fn match_all(
    library: &EffectLibrary,
    sentences: Vec<String>,
    time_limit: Duration,
) -> Vec<MatchedSentenceResponse> {
    library.make_index();
    let until = Instant::now() + time_limit;
    let mut data: Vec<MatchedSentenceResponse> = sentences
        .into_iter()
        .map(|sentence| {
            if Instant::now() >= until {
                let unmatched = MatchedSentenceResponse::unmatched(sentence);
                return MatchedSentenceResponse { complete: false, searched: false, ..unmatched };
            }
            let found = library.find(&sentence);
            let matches =
                found.matches.into_iter().map(|found| EffectMatchResponse::new(library, found));
            MatchedSentenceResponse {
                matches: matches.collect(),
                complete: found.complete,
                searched: true,
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
