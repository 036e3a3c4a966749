//! The sentences of designs, and the templates of the game that make them.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::design_checks::CheckedEffectResponse;
use crate::app::effects::match_bodies::MatchedSentenceResponse;
use crate::app::effects::matches::match_all;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::designs::content::DesignContent;
use crate::domain::designs::release::{SentenceObstacle, templates_hold};
use crate::store::effects::effect_texts::LoadedEffects;

/// The templates of a game, from which designs are made and with which they are compared; `None`: it has none, also if its
/// effect texts have placeholders or phrase rules.
pub(super) async fn find_templates(
    app: &AppState,
    game: &str,
) -> Result<Option<Arc<LoadedEffects>>, Problem> {
    let loaded = app.effects.find(&app.store, game).await?;
    Ok(loaded.filter(|loaded| loaded.has_templates()))
}

/// Like [`find_templates`], without a query if the revision of the effect texts is in memory.
async fn find_known_templates(
    app: &AppState,
    game: &str,
) -> Result<Option<Arc<LoadedEffects>>, Problem> {
    let known = match app.listed_designs.effect_texts(game) {
        Some(revision) => app.effects.loaded(game, revision).await,
        None => None,
    };
    match known {
        Some(loaded) => Ok(Some(loaded).filter(|loaded| loaded.has_templates())),
        None => find_templates(app, game).await,
    }
}

/// Whether sentences of designs can be built from templates of the game.
pub async fn has_templates(app: &AppState, game: &str) -> Result<bool, Problem> {
    Ok(find_known_templates(app, game).await?.is_some())
}

/// Finds the templates of each sentence. In a game without templates, no sentence counts as free text.
pub(super) async fn check_effects(
    app: &AppState,
    game: &str,
    content: &DesignContent,
) -> Result<Vec<CheckedEffectResponse>, Problem> {
    if content.effects.is_empty() {
        return Ok(Vec::new());
    }
    let Some(loaded) = find_known_templates(app, game).await? else {
        let unmatched = |sentence| CheckedEffectResponse {
            free_text: false,
            matched: MatchedSentenceResponse::unmatched(sentence),
        };
        return Ok(sentences_of(content).into_iter().map(unmatched).collect());
    };
    compare(app, game, loaded, content).await
}

/// The places of the sentences of a design that no template makes, in order, from 0: what prevents its approval and its release. It
/// is compared with the templates that the game has at this moment, unless they do not hold for it because of when it was submitted. 503
/// if there was not enough time to find out.
pub(super) async fn find_obstacles(
    app: &AppState,
    game: &str,
    content: &DesignContent,
    submitted_at: DateTime<Utc>,
) -> Result<Vec<(usize, SentenceObstacle)>, Problem> {
    if content.effects.is_empty() {
        return Ok(Vec::new());
    }
    let loaded = find_templates(app, game).await?;
    let hold = |loaded: &Arc<LoadedEffects>| templates_hold(loaded.templates_since, submitted_at);
    let Some(loaded) = loaded.filter(hold) else { return Ok(Vec::new()) };
    let effects = compare(app, game, loaded, content).await?;
    let obstacles = effects.iter().map(CheckedEffectResponse::obstacle).enumerate();
    let found: Vec<(usize, SentenceObstacle)> =
        obstacles.filter_map(|(at, obstacle)| Some((at, obstacle?))).collect();
    if found.is_empty() && !effects.iter().all(|effect| effect.matched.searched) {
        return Err(timed_out());
    }
    Ok(found)
}

/// There was not enough time to search the templates of every sentence; the next time, those that were found are in memory.
pub(super) fn timed_out() -> Problem {
    Problem::new(ProblemCode::TimedOut).retry_after(1)
}

fn sentences_of(content: &DesignContent) -> Vec<String> {
    content.effects.iter().map(|effect| effect.text.clone()).collect()
}

async fn compare(
    app: &AppState,
    game: &str,
    loaded: Arc<LoadedEffects>,
    content: &DesignContent,
) -> Result<Vec<CheckedEffectResponse>, Problem> {
    let matched = match_sentences(app, game, loaded, sentences_of(content)).await?;
    Ok(matched.into_iter().map(CheckedEffectResponse::new).collect())
}

/// Finds the templates of each sentence. An editor sends all sentences again whenever one of them changes, so the
/// results are cached.
async fn match_sentences(
    app: &AppState,
    game: &str,
    loaded: Arc<LoadedEffects>,
    sentences: Vec<String>,
) -> Result<Vec<MatchedSentenceResponse>, Problem> {
    let key = |sentence: &str| (game.to_owned(), loaded.revision, sentence.to_owned());
    let kept: Vec<Option<MatchedSentenceResponse>> =
        sentences.iter().map(|sentence| app.matched_sentences.find(&key(sentence))).collect();
    let unknown = sentences.into_iter().zip(&kept);
    let unknown: Vec<String> =
        unknown.filter_map(|(sentence, kept)| kept.is_none().then_some(sentence)).collect();
    if unknown.is_empty() {
        return Ok(kept.into_iter().flatten().collect());
    }
    let time_limit = app.settings.suggestion_time;
    let library = loaded.clone();
    let work = move || match_all(&library.library, unknown, time_limit);
    let mut matched = app.work.run(work).await?.into_iter();
    let in_order = kept.into_iter().filter_map(|kept| {
        kept.or_else(|| {
            let matched = matched.next()?;
            // Suggestions for a sentence without a template depend on the time that was left, so they are not cached.
            if !matched.matches.is_empty() {
                app.matched_sentences.insert(key(&matched.sentence), matched.clone());
            }
            Some(matched)
        })
    });
    Ok(in_order.collect())
}
