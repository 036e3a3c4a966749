//! Where lists of cards come from: the index in memory, or the database when the index is not there, is behind the change feed, or
//! does not know enough.
//!
//! Both find the same cards in the same order, and a cursor of one continues in the other.

use std::collections::HashMap;
use std::sync::Arc;

use super::card_bodies::printings_of;
use super::card_list::{MAX_TOTAL, Total};
use super::card_query::{List, QueryWarning, too_slow};
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

/// Most hidden cards of which somebody may hold copies and still be answered from the index: they are read for each request, and tried one
/// by one. Who holds more is answered from the database.
const MOST_HELD: usize = 200;

/// Most tests and names of a query that is answered at once, on the thread of the request, which also answers others.
const MOST_LOOKED_UP: usize = 200;

/// Which part of a list.
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
    /// Whether there was no time to count.
    pub(super) uncounted: bool,
    /// The warning that costly terms were not tried on all cards, if they were not.
    pub(super) cut: Option<QueryWarning>,
}

impl<T> Listed<T> {
    fn with_entries<U>(self, entries: Vec<U>) -> Listed<U> {
        let Self { next_cursor, total, uncounted, cut, .. } = self;
        Listed { entries, next_cursor, total, uncounted, cut }
    }
}

/// All cards, and the hidden cards that the viewer holds, for a query. `None`: the database has to be asked.
pub(super) async fn in_memory(
    app: &AppState,
    viewer: Viewer,
    query: &CardQuery,
) -> Result<Option<(Arc<Snapshot>, Vec<CardRecord>)>, Problem> {
    let Some((all, view)) = cards_in_memory(app, viewer).await? else { return Ok(None) };
    let all = app.catalogue.cards_for(query, all, &app.store).await?;
    Ok(all.answers(query).then_some((all, view)))
}

/// All cards, and the hidden cards that the viewer holds, where the progress of hidden cards does not count. `None`: the database has to be asked.
pub(crate) async fn cards_in_memory(
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
    let most = i64::try_from(MOST_HELD).unwrap_or(i64::MAX);
    let held = cards::list_held_hidden(&conn, account, most + 1).await?;
    if held.len() > MOST_HELD {
        return Ok(None);
    }
    Ok(Some((all, cards::load_records(&mut conn, viewer, &held).await?)))
}

/// Asks the index: a small query at once; one that may take as long as a search of the database when it is the network's turn, and on a thread
/// that answers no requests.
pub(super) async fn ask_index<T: Send + 'static>(
    app: &AppState,
    network: Network,
    query: &CardQuery,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let is_small = query.predicate.size() <= MOST_LOOKED_UP;
    if is_small && !query.predicate.is_costly() && query.unique == Unique::Cards {
        return Ok(work());
    }
    let _turn = app.searches.turn(network).await?;
    Ok(on_blocking_thread(work).await?)
}

/// A page as the index finds it; `None`: the database has to be asked.
pub(super) async fn list_in_memory(
    app: &AppState,
    network: Network,
    viewer: Viewer,
    list: &List,
    part: &Part,
) -> Result<Option<Listed<Hit>>, Problem> {
    let Some((all, view)) = in_memory(app, viewer, &list.query).await? else { return Ok(None) };
    let limit = part.limit.items();
    let (query, after, counts) = (list.query.clone(), part.after.clone(), part.total);
    let work = move || {
        let found = all.search(&query, &view, after.as_ref(), limit + 1);
        (found, counts.then(|| all.count(&query, &view, MAX_TOTAL)))
    };
    let (found, count) = ask_index(app, network, &list.query, work).await?;
    let mut hits = found.hits;
    let more = hits.len() > limit;
    hits.truncate(limit);
    let next_cursor = hits.last().filter(|_| more).map(|hit| list.cursor(position_of(hit)));
    Ok(Some(Listed {
        entries: hits,
        next_cursor,
        total: count.map(|count| Total::of(count.entries, count.is_exact)),
        uncounted: false,
        cut: found.cut.then(|| QueryWarning::unfinished(&list.text)),
    }))
}

/// A page as the database finds it.
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
                total = Some(Total::of(count.min(MAX_TOTAL), count <= MAX_TOTAL && !cut));
            }
            // The page itself is worth having.
            Err(problem) if problem.code() == ProblemCode::TimedOut => uncounted = true,
            Err(problem) => return Err(problem),
        }
    }
    let cut = cut.then(|| QueryWarning::cut(&list.text, tried));
    Ok(Listed { entries, next_cursor, total, uncounted, cut })
}

/// The cards of these hits, with the printings in lists of printings. A card that was deleted meanwhile is left out.
pub(super) async fn with_cards(
    app: &AppState,
    viewer: Viewer,
    query: &CardQuery,
    listed: Listed<Hit>,
) -> Result<Listed<CardHit>, Problem> {
    let mut ids: Vec<CardId> = listed.entries.iter().map(id_of).collect();
    ids.dedup();
    let of_printings = query.unique == Unique::Printings;
    let views = app.store.read(async |conn: &_| cards::find_many(conn, viewer, &ids).await);
    let views: HashMap<CardId, CardView> =
        views.await?.into_iter().map(|view| (view.place().id, view)).collect();
    let printings = printings_of(app, viewer, query, &listed.entries).await?;
    let found = |hit: &Hit| {
        let card = views.get(&id_of(hit))?.clone();
        let printing = printings.get(&(id_of(hit), hit.tier)).cloned();
        (printing.is_some() == of_printings).then(|| CardHit::new(card, printing))
    };
    let entries = listed.entries.iter().filter_map(found).collect();
    Ok(listed.with_entries(entries))
}

/// The card of a hit.
pub(super) fn id_of(hit: &Hit) -> CardId {
    CardId(uuid::Uuid::from_u128(hit.card))
}

/// Where a hit stands.
fn position_of(hit: &Hit) -> Position {
    let Hit { key, game, set, number, tier, .. } = hit;
    let (game, set) = (game.to_string(), set.to_string());
    Position { key: key.clone(), game, set, number: number.clone(), tier: *tier }
}
