//! Searches card names in the index in memory. The database gives the same results and is queried when the index is not
//! built, is behind the change feed, or cannot answer.

use std::collections::BTreeSet;

use bytes::Bytes;
use cardscape_engine::name_key;
use serde::Serialize;
use uuid::Uuid;

use super::card_bodies::{load_each_body, render_body};
use super::card_lookups::CardIdentifierBody;
use super::card_search::find_cards_index;
use super::image_uris::Scans;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::catalogue::card_name::{NameMatch, TypedName, match_exactly};
use crate::domain::ids::CardId;
use crate::search::index::{self, CardRecord, NameQuery, Snapshot};
use crate::search::words;
use crate::store::catalogue::cards::{self, CardIdentifier, NamePlace, NamedCard};

fn make_query(typed: &TypedName, near: bool) -> NameQuery {
    NameQuery {
        search_key: typed.search_key().to_owned(),
        words: words(typed.as_str()),
        near: near && typed.has_near_names(),
    }
}

fn has_trigram(key: &str) -> bool {
    let mut in_a_row = 0;
    key.chars().any(|character| {
        in_a_row = if character.is_alphanumeric() { in_a_row + 1 } else { 0 };
        in_a_row == 3
    })
}

/// The cards that a name may mean, equal to the result of [`cards::find_named`]; `None`: the database must be queried.
pub(super) async fn find_named_in_memory(
    app: &AppState,
    viewer: Viewer,
    place: &NamePlace,
    typed: &TypedName,
    near: bool,
) -> Result<Option<Vec<NamedCard>>, Problem> {
    let Some((all, view)) = find_cards_index(app, viewer).await? else { return Ok(None) };
    let place = index::NamePlace { game: place.game.as_deref(), set: place.set.as_deref() };
    let found = all.named(place, &make_query(typed, near), &view);
    Ok(Some(found.into_iter().map(NamedCard::from).collect()))
}

/// Completions of a typed name, equal to the result of [`cards::suggest_names`]. `None`: the database must be queried.
pub(super) async fn suggest_in_memory(
    app: &AppState,
    viewer: Viewer,
    game: Option<&str>,
    typed: &TypedName,
    limit: usize,
) -> Result<Option<Vec<String>>, Problem> {
    let query = make_query(typed, true);
    // Without three letters in a row there is no trigram that narrows the search: every name would have to be read.
    if query.near && !has_trigram(&query.search_key) {
        return Ok(None);
    }
    let Some((all, view)) = find_cards_index(app, viewer).await? else { return Ok(None) };
    Ok(Some(all.suggest_names(game, &query, &view, limit)))
}

/// The serialised card for each identifier, equal to the result of [`cards::look_up`]. `None`: the database must be
/// queried for all of them.
pub(super) async fn look_up_in_memory(
    app: &AppState,
    viewer: Viewer,
    identifiers: &[CardIdentifier],
) -> Result<Option<Vec<Option<Bytes>>>, Problem> {
    let Some((all, view)) = find_cards_index(app, viewer).await? else { return Ok(None) };
    let card_ids: Vec<Option<CardId>> =
        identifiers.iter().map(|identifier| find_card(&all, &view, identifier)).collect();
    let ids: Vec<CardId> = card_ids.iter().flatten().copied().collect();
    let mut bodies = load_each_body(app, viewer, &ids).await?.into_iter();
    let mut found: Vec<Option<Bytes>> =
        card_ids.iter().map(|card| card.and_then(|_| bodies.next().flatten())).collect();
    // These cards may have been moved or merged: the database knows their new places.
    let is_missing = |at: &usize| {
        found[*at].is_none() && !matches!(identifiers[*at], CardIdentifier::Name { .. })
    };
    let missing: Vec<usize> = (0..identifiers.len()).filter(is_missing).collect();
    if !missing.is_empty() {
        let unknown: Vec<CardIdentifier> =
            missing.iter().map(|at| identifiers[*at].clone()).collect();
        let scans = Scans::read(app).await?;
        let mut conn = app.store.connection().await?;
        let views = cards::look_up(&mut conn, viewer, &unknown).await?;
        for (at, view) in missing.into_iter().zip(views) {
            if let Some(view) = view {
                found[at] = Some(render_body(view, &scans)?.body);
            }
        }
    }
    Ok(Some(found))
}

/// The id of the card that an identifier names, from the index; an id is returned without a check.
fn find_card(all: &Snapshot, view: &[CardRecord], identifier: &CardIdentifier) -> Option<CardId> {
    let id = |id| CardId(Uuid::from_u128(id));
    match identifier {
        CardIdentifier::Id(id) => Some(*id),
        CardIdentifier::Number { game, set, number } => all.at(game, set, number).map(id),
        CardIdentifier::Name { game, set, name } => {
            let same = all.same_name(game, name.search_key(), view);
            let of_set =
                same.into_iter().filter(|card| set.as_ref().is_none_or(|set| card.set == *set));
            // The cards are in the order of set and number: take the first of each name.
            let mut known = BTreeSet::new();
            let firsts = of_set.filter(|card| known.insert(name_key(&card.name)));
            match match_exactly(name, firsts.map(NamedCard::from).collect()) {
                NameMatch::One(card) => Some(card.id),
                NameMatch::AnyOf(_) | NameMatch::Nothing => None,
            }
        }
    }
}

#[derive(Serialize)]
struct NotFound<'a> {
    not_found: Vec<&'a CardIdentifierBody>,
}

/// Writes a look-up response from serialised cards, byte for byte as a [`super::card_lookups::LookUpResponse`] is
/// serialised.
pub(super) fn write_look_up(
    identifiers: &[CardIdentifierBody],
    found: &[Option<Bytes>],
) -> serde_json::Result<Vec<u8>> {
    let pairs = identifiers.iter().zip(found);
    let not_found = pairs.filter(|(_, body)| body.is_none()).map(|(named, _)| named).collect();
    let rest = serde_json::to_vec(&NotFound { not_found })?;
    let length: usize = found.iter().flatten().map(|body| body.len() + 1).sum();
    let mut answer = Vec::with_capacity(length + rest.len() + 16);
    answer.extend_from_slice(b"{\"data\":[");
    for (at, body) in found.iter().flatten().enumerate() {
        if at > 0 {
            answer.push(b',');
        }
        answer.extend_from_slice(body);
    }
    answer.extend_from_slice(b"],");
    // The members of `rest` follow `data` in the same object.
    answer.extend_from_slice(rest.strip_prefix(b"{").unwrap_or_default());
    Ok(answer)
}
