//! Searches lists of cards in the index in memory, or in the database when the index is not built, is behind the change
//! feed, or cannot answer the query.
//!
//! Both find the same cards in the same order, and a cursor of one continues in the other.

use std::collections::HashMap;
use std::sync::Arc;

use super::card_bodies::load_printings;
use super::card_list::{MAX_TOTAL, Total};
use super::card_query::{List, too_slow};
use super::query_warning::{QueryWarning, WarningReason};
use crate::app::page::PageLimit;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::ids::CardId;
use crate::domain::network::Network;
use crate::search::index::{CardRecord, Hit, Position, Snapshot};
use crate::search::{CardQuery, Unique};
use crate::store::catalogue::cards::{self, CardHit, CardView};
use crate::work::on_blocking_thread;

/// Most hidden cards of a viewer for which the index is used: these cards are read on each request and tested one by
/// one. Viewers who hold more hidden cards are answered from the database.
const MAX_HIDDEN_TESTED: usize = 200;

/// Largest query, in tests and names, that runs on the request's worker thread.
pub(in crate::app) const MAX_INLINE_TESTS: usize = 200;

/// Which part of a list to return.
pub(super) struct Part {
    pub(super) after: Option<Position>,
    pub(super) limit: PageLimit,
    /// Whether to count all entries.
    pub(super) total: bool,
}

/// A page of a list.
pub(super) struct Listed<T> {
    pub(super) entries: Vec<T>,
    pub(super) next_cursor: Option<String>,
    pub(super) total: Option<Total>,
    /// Whether counting timed out.
    pub(super) uncounted: bool,
    /// The warning that costly terms were tested on only some of the cards, if so.
    pub(super) cut: Option<QueryWarning>,
}

impl<T> Listed<T> {
    fn with_entries<U>(self, entries: Vec<U>) -> Listed<U> {
        let Self { next_cursor, total, uncounted, cut, .. } = self;
        Listed { entries, next_cursor, total, uncounted, cut }
    }
}

/// The index for a query, and the hidden cards that the viewer holds; `None`: the database must be queried.
pub(super) async fn find_index(
    app: &AppState,
    viewer: Viewer,
    query: &CardQuery,
) -> Result<Option<(Arc<Snapshot>, Vec<CardRecord>)>, Problem> {
    let Some((all, view)) = find_cards_index(app, viewer).await? else { return Ok(None) };
    let all = app.catalogue.cards_for(query, all, &app.store).await?;
    Ok(all.answers(query).then_some((all, view)))
}

/// Like [`find_index`], but the index need not have the unlock progress of hidden cards.
pub(crate) async fn find_cards_index(
    app: &AppState,
    viewer: Viewer,
) -> Result<Option<(Arc<Snapshot>, Vec<CardRecord>)>, Problem> {
    if viewer.sees_all() {
        return Ok(None);
    }
    let Some(all) = app.catalogue.cards() else { return Ok(None) };
    let Some(account) = viewer.holder().filter(|_| all.hidden() > 0) else {
        return Ok(Some((all, Vec::new())));
    };
    let mut conn = app.store.connection().await?;
    let most = i64::try_from(MAX_HIDDEN_TESTED).unwrap_or(i64::MAX);
    let held = cards::list_held_hidden(&conn, account, most + 1).await?;
    if held.len() > MAX_HIDDEN_TESTED {
        return Ok(None);
    }
    Ok(Some((all, cards::load_records(&mut conn, viewer, &held).await?)))
}

/// Runs work on the index. A small query runs at once; one that may take as long as a database search runs on a
/// blocking thread, when it is the network's turn.
pub(super) async fn run_on_index<T: Send + 'static>(
    app: &AppState,
    network: Network,
    query: &CardQuery,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let is_small = query.predicate.size() <= MAX_INLINE_TESTS;
    if is_small && !query.predicate.is_costly() && query.unique == Unique::Cards {
        return Ok(work());
    }
    let turn = app.searches.turn(network).await?;
    let (_, done) = on_blocking_thread(turn, work).await?;
    Ok(done)
}

/// Lists a page from the index; `None`: the database must be queried.
pub(super) async fn list_in_memory(
    app: &AppState,
    network: Network,
    viewer: Viewer,
    list: &List,
    part: &Part,
) -> Result<Option<Listed<Hit>>, Problem> {
    let Some((all, view)) = find_index(app, viewer, &list.query).await? else { return Ok(None) };
    let limit = part.limit.items();
    let (query, after, counts) = (list.query.clone(), part.after.clone(), part.total);
    let work = move || {
        let found = all.search(&query, &view, after.as_ref(), limit + 1);
        (found, counts.then(|| all.count(&query, &view, MAX_TOTAL)))
    };
    let (found, count) = run_on_index(app, network, &list.query, work).await?;
    let mut hits = found.hits;
    let more = hits.len() > limit;
    hits.truncate(limit);
    // A page whose costly tests were not finished goes on after the last card that was tested.
    let last = hits.last().filter(|_| more).map(position_of);
    let partly_counted = count.is_some_and(|count| count.cut);
    let cut = match &found.tested_to {
        // The next page may go on with other cards, but not with all of them.
        _ if found.cut => Some(WarningReason::Unfinished),
        Some(_) if hits.len() < limit => Some(WarningReason::Interrupted { partly_counted }),
        _ => partly_counted.then_some(WarningReason::PartlyCounted),
    };
    let next_cursor = last.or(found.tested_to).map(|position| list.cursor(position));
    Ok(Some(Listed {
        entries: hits,
        next_cursor,
        total: count.map(|count| Total::new(count.entries, count.is_exact)),
        uncounted: false,
        cut: cut.map(|reason| QueryWarning::of_all(&list.text, reason)),
    }))
}

/// Lists a page from the database.
pub(super) async fn list_in_database(
    app: &AppState,
    network: Network,
    viewer: Viewer,
    list: &List,
    part: &Part,
) -> Result<Listed<CardHit>, Problem> {
    let mut conn = app.searches.connection(network).await?;
    let tried = app.settings.search_candidates;
    let candidates = tried.into();
    let limit = part.limit.items();
    let rows = part.limit.rows();
    let found =
        cards::list(&mut conn, viewer, &list.query, candidates, part.after.as_ref(), rows).await;
    let mut entries = found.map_err(too_slow)?;
    let more = entries.len() > limit;
    entries.truncate(limit);
    let next_cursor = entries.last().filter(|_| more).map(|found| list.cursor(found.position()));
    let cut =
        cards::is_truncated(&mut conn, viewer, &list.query, candidates).await.map_err(too_slow)?;
    let (mut total, mut uncounted) = (None, false);
    if part.total {
        let most = i64::try_from(MAX_TOTAL).unwrap_or(i64::MAX);
        let count = cards::count(&mut conn, viewer, &list.query, candidates, most + 1).await;
        match count.map_err(too_slow) {
            Ok(count) => {
                let count = u64::try_from(count).unwrap_or_default();
                total = Some(Total::new(count.min(MAX_TOTAL), count <= MAX_TOTAL && !cut));
            }
            // The page is returned without a total.
            Err(problem) if problem.code() == ProblemCode::TimedOut => uncounted = true,
            Err(problem) => return Err(problem),
        }
    }
    let cut =
        cut.then(|| QueryWarning::of_all(&list.text, WarningReason::Cut { candidates: tried }));
    Ok(Listed { entries, next_cursor, total, uncounted, cut })
}

/// The first cards of a list, from the index; `None`: the database must be queried. If the tests of costly terms use up their budget, the cards that were not
/// tested are missing, and the caller is not told. So costly terms are only for queries that leave few cards to test, as whole texts of attributes usually do.
pub(crate) async fn find_ids_in_memory(
    app: &AppState,
    network: Network,
    viewer: Viewer,
    query: &CardQuery,
    most: usize,
) -> Result<Option<Vec<CardId>>, Problem> {
    let Some((all, view)) = find_index(app, viewer, query).await? else { return Ok(None) };
    let wanted = query.clone();
    let work = move || all.search(&wanted, &view, None, most).hits;
    let hits = run_on_index(app, network, query, work).await?;
    Ok(Some(hits.iter().map(card_id).collect()))
}

/// Like [`find_ids_in_memory`], from the database.
pub(crate) async fn find_in_database(
    app: &AppState,
    network: Network,
    viewer: Viewer,
    query: &CardQuery,
    most: usize,
) -> Result<Vec<CardView>, Problem> {
    let mut conn = app.searches.connection(network).await?;
    let candidates = app.settings.search_candidates.into();
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let found = cards::list(&mut conn, viewer, query, candidates, None, most).await;
    Ok(found.map_err(too_slow)?.into_iter().map(CardHit::into_card).collect())
}

/// Loads the cards of these hits, and their printings in lists of printings. Cards that were deleted since the search
/// are left out.
pub(super) async fn load_cards(
    app: &AppState,
    viewer: Viewer,
    query: &CardQuery,
    listed: Listed<Hit>,
) -> Result<Listed<CardHit>, Problem> {
    let mut ids: Vec<CardId> = listed.entries.iter().map(card_id).collect();
    ids.dedup();
    let of_printings = query.unique == Unique::Printings;
    let views = app.store.read(async |conn: &_| cards::find_many(conn, viewer, &ids).await);
    let views: HashMap<CardId, CardView> =
        views.await?.into_iter().map(|view| (view.place().id, view)).collect();
    let printings = load_printings(app, viewer, query, &listed.entries).await?;
    let found = |hit: &Hit| {
        let card = views.get(&card_id(hit))?.clone();
        let printing = printings.get(&(card_id(hit), hit.tier)).cloned();
        (printing.is_some() == of_printings).then(|| CardHit::new(card, printing))
    };
    let entries = listed.entries.iter().filter_map(found).collect();
    Ok(listed.with_entries(entries))
}

/// The card of a hit.
pub(super) fn card_id(hit: &Hit) -> CardId {
    CardId(uuid::Uuid::from_u128(hit.card))
}

/// The position of a hit in its list.
pub(super) fn position_of(hit: &Hit) -> Position {
    let Hit { key, game, set, number, tier, .. } = hit;
    let (game, set) = (game.to_string(), set.to_string());
    Position { key: key.clone(), game, set, number: number.clone(), tier: *tier }
}
