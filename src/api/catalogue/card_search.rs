//! Where lists of cards come from: the index in memory, or the database when the index is not there, is behind the change feed, or
//! does not know enough.
//!
//! Both find the same cards in the same order, and a cursor of one continues in the other.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use actix_web::web::{self, Bytes};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::card_list::{CardMembers, List, MAX_TOTAL, QueryWarning, Total, too_slow};
use super::cards::{PrintingResponse, body_of};
use crate::app::catalogue::card_search::cards_in_memory;
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::ids::CardId;
use crate::domain::network::Network;
use crate::search::index::{CardRecord, Hit, Position, Snapshot};
use crate::search::{CardQuery, Unique};
use crate::store::catalogue::cards::{self, CardView, Found, Printing};

/// Most tests and names of a query that is answered on a thread that also answers other requests.
const MOST_LOOKED_UP: usize = 200;

/// Which part of a list.
pub(in crate::api) struct Part {
    pub(in crate::api) after: Option<Position>,
    pub(in crate::api) limit: PageLimit,
    /// Whether to count all entries.
    pub(in crate::api) total: bool,
}

/// A page of a list.
pub(in crate::api) struct Listed<T> {
    pub(in crate::api) entries: Vec<T>,
    pub(in crate::api) next_cursor: Option<String>,
    pub(in crate::api) total: Option<Total>,
    /// Whether there was no time to count.
    pub(super) uncounted: bool,
    /// What is to be said when costly terms were not tried on all cards.
    pub(in crate::api) cut: Option<QueryWarning>,
}

impl<T> Listed<T> {
    fn with_entries<U>(self, entries: Vec<U>) -> Listed<U> {
        let Self { next_cursor, total, uncounted, cut, .. } = self;
        Listed { entries, next_cursor, total, uncounted, cut }
    }
}

/// All cards, and what the asker sees beside what everybody does: the hidden cards that she holds. `None`: the database has to be asked.
pub(super) async fn in_memory(
    state: &AppState,
    viewer: Viewer,
    query: &CardQuery,
) -> Result<Option<(Arc<Snapshot>, Vec<CardRecord>)>, Problem> {
    let Some((all, view)) = cards_in_memory(state, viewer).await? else { return Ok(None) };
    let all = state.catalogue.cards_for(query, all, &state.store).await?;
    Ok(all.answers(query).then_some((all, view)))
}

/// Asks the index: at once, or, where that may take as long as a search of the database, when it is the network's turn, and on a thread that
/// answers no requests.
pub(super) async fn ask_index<T: Send + 'static>(
    state: &AppState,
    network: Network,
    query: &CardQuery,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let is_small = query.predicate.size() <= MOST_LOOKED_UP;
    if is_small && !query.predicate.is_costly() && query.unique == Unique::Cards {
        return Ok(work());
    }
    let _turn = state.searches.turn(network).await?;
    web::block(work).await.map_err(Problem::internal)
}

/// A page as the index finds it; `None`: the database has to be asked.
pub(super) async fn list_in_memory(
    state: &AppState,
    network: Network,
    viewer: Viewer,
    list: &List,
    part: &Part,
) -> Result<Option<Listed<Hit>>, Problem> {
    let Some((all, view)) = in_memory(state, viewer, &list.query).await? else { return Ok(None) };
    let limit = part.limit.items();
    let (query, after, counts) = (list.query.clone(), part.after.clone(), part.total);
    let work = move || {
        let found = all.search(&query, &view, after.as_ref(), limit + 1);
        (found, counts.then(|| all.count(&query, &view, MAX_TOTAL)))
    };
    let (found, count) = ask_index(state, network, &list.query, work).await?;
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
    state: &AppState,
    network: Network,
    viewer: Viewer,
    list: &List,
    part: &Part,
) -> Result<Listed<Found>, Problem> {
    let mut conn = state.searches.enter(network).await?;
    let tried = state.settings.search_candidates;
    let candidates = tried.into();
    let limit = part.limit.items();
    let rows = part.limit.rows();
    let found =
        cards::list(&mut conn, viewer, &list.query, candidates, part.after.as_ref(), rows).await;
    let mut entries = found.map_err(too_slow)?;
    let more = entries.len() > limit;
    entries.truncate(limit);
    let next_cursor = entries.last().filter(|_| more).map(|found| list.cursor(found.position()));
    let cut = cards::is_cut(&mut conn, viewer, &list.query, candidates).await.map_err(too_slow)?;
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

impl AppState {
    /// The bodies of answers about these cards, kept ones from memory; a card that is gone meanwhile is left out.
    pub(super) async fn bodies_of(
        &self,
        viewer: Viewer,
        ids: &[CardId],
    ) -> Result<Vec<Bytes>, Problem> {
        Ok(self.body_of_each(viewer, ids).await?.into_iter().flatten().collect())
    }

    /// The body of the answer about each of these cards; `None`: it is not there.
    pub(super) async fn body_of_each(
        &self,
        viewer: Viewer,
        ids: &[CardId],
    ) -> Result<Vec<Option<Bytes>>, Problem> {
        let ticket = self.card_cache.ticket();
        let mut bodies = self.card_cache.find_bodies(ids.iter().copied());
        let lacking = ids.iter().zip(&bodies).filter(|(_, body)| body.is_none());
        let lacking: Vec<CardId> = lacking.map(|(id, _)| *id).collect();
        if !lacking.is_empty() {
            let find = async |conn: &_| cards::find_many(conn, viewer, &lacking).await;
            let mut read = HashMap::new();
            for view in self.store.read(find).await? {
                let id = view.place().id;
                let written = body_of(view)?;
                if let Some(kept) = written.kept() {
                    self.card_cache.keep(ticket, id, kept);
                }
                read.insert(id, written.body);
            }
            for (id, body) in ids.iter().zip(&mut bodies) {
                if body.is_none() {
                    *body = read.get(id).cloned();
                }
            }
        }
        Ok(bodies)
    }

    /// The entries of a page as they are written, where an entry is not its card alone: with its printing, or with chosen members. What is gone
    /// meanwhile is left out.
    pub(super) async fn entry_bodies(
        &self,
        viewer: Viewer,
        query: &CardQuery,
        hits: &[Hit],
        members: Option<&CardMembers>,
    ) -> Result<Vec<Bytes>, Problem> {
        // A card comes once for each of its printings.
        let ids: BTreeSet<CardId> = hits.iter().map(id_of).collect();
        let ids: Vec<CardId> = ids.into_iter().collect();
        let bodies = self.body_of_each(viewer, &ids).await?;
        let bodies: HashMap<CardId, Option<Bytes>> = ids.into_iter().zip(bodies).collect();
        let printings = self.printings_of(viewer, query, hits).await?;
        let mut entries = Vec::with_capacity(hits.len());
        for hit in hits {
            let Some(Some(body)) = bodies.get(&id_of(hit)) else { continue };
            let printing = printings.get(&(id_of(hit), hit.tier)).cloned();
            if printing.is_some() || query.unique == Unique::Cards {
                let entry = entry_body(body, printing, members).map_err(Problem::internal)?;
                entries.push(entry);
            }
        }
        Ok(entries)
    }

    /// The printings that are listed, in lists of printings.
    async fn printings_of(
        &self,
        viewer: Viewer,
        query: &CardQuery,
        hits: &[Hit],
    ) -> Result<HashMap<(CardId, i16), Printing>, Problem> {
        if query.unique == Unique::Cards {
            return Ok(HashMap::new());
        }
        let wanted: Vec<(CardId, i16)> = hits.iter().map(|hit| (id_of(hit), hit.tier)).collect();
        let find = async |conn: &_| cards::printings_of(conn, viewer, &wanted).await;
        let found = self.store.read(find).await?.into_iter();
        Ok(found.map(|(card, printing)| ((card, printing.tier), printing)).collect())
    }

    /// The cards of these hits, with the printings in lists of printings; what is gone meanwhile is left out.
    pub(super) async fn cards_of(
        &self,
        viewer: Viewer,
        query: &CardQuery,
        listed: Listed<Hit>,
    ) -> Result<Listed<Found>, Problem> {
        let mut ids: Vec<CardId> = listed.entries.iter().map(id_of).collect();
        ids.dedup();
        let of_printings = query.unique == Unique::Printings;
        let views = self.store.read(async |conn: &_| cards::find_many(conn, viewer, &ids).await);
        let views: HashMap<CardId, CardView> =
            views.await?.into_iter().map(|view| (view.place().id, view)).collect();
        let printings = self.printings_of(viewer, query, &listed.entries).await?;
        let found = |hit: &Hit| {
            let card = views.get(&id_of(hit))?.clone();
            let printing = printings.get(&(id_of(hit), hit.tier)).cloned();
            (printing.is_some() == of_printings).then(|| Found::new(card, printing))
        };
        let entries = listed.entries.iter().filter_map(found).collect();
        Ok(listed.with_entries(entries))
    }
}

/// An entry of a list, from the body of the answer about its card: the same as [`CardEntry::new`] makes, but for spaces and the order of members.
fn entry_body(
    body: &[u8],
    printing: Option<Printing>,
    members: Option<&CardMembers>,
) -> serde_json::Result<Bytes> {
    let mut entry: BTreeMap<&str, &RawValue> = serde_json::from_slice(body)?;
    let printing = printing.map(PrintingResponse::from);
    let printing = printing.map(|printing| to_raw_value(&printing)).transpose()?;
    if let Some(printing) = &printing {
        entry.insert("printing", printing);
    }
    if let Some(members) = members {
        entry.retain(|member, _| members.keep(member));
    }
    Ok(serde_json::to_vec(&entry)?.into())
}

/// The card of a hit.
pub(in crate::api) fn id_of(hit: &Hit) -> CardId {
    CardId(uuid::Uuid::from_u128(hit.card))
}

/// Where a hit stands.
fn position_of(hit: &Hit) -> Position {
    let Hit { key, game, set, number, tier, .. } = hit;
    let (game, set) = (game.to_string(), set.to_string());
    Position { key: key.clone(), game, set, number: number.clone(), tier: *tier }
}

/// What follows the entries of a page.
#[derive(Serialize)]
struct Rest<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_is_exact: Option<bool>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'a [QueryWarning],
}

/// A page of which each entry is written already, as [`super::card_list::CardsPage`] is written.
pub(super) fn page_of_bodies(
    bodies: &[Bytes],
    next_cursor: Option<&str>,
    total: Option<Total>,
    warnings: &[QueryWarning],
) -> serde_json::Result<Vec<u8>> {
    const BEGIN: &[u8] = b"{\"data\":[";
    let total_is_exact = total.and_then(Total::exactness);
    let total = total.map(|total| total.total);
    let rest = serde_json::to_vec(&Rest { next_cursor, total, total_is_exact, warnings })?;
    let length: usize = bodies.iter().map(|body| body.len() + 1).sum();
    let mut page = Vec::with_capacity(BEGIN.len() + length + 2 + rest.len());
    page.extend_from_slice(BEGIN);
    for (at, body) in bodies.iter().enumerate() {
        if at > 0 {
            page.push(b',');
        }
        page.extend_from_slice(body);
    }
    page.push(b']');
    // The object of the rest goes on where that of the page is.
    let members = rest.strip_prefix(b"{").unwrap_or_default();
    if members.len() > 1 {
        page.push(b',');
    }
    page.extend_from_slice(members);
    Ok(page)
}

impl List {
    /// Where the page after an entry begins, as clients see it.
    pub(in crate::api) fn cursor(&self, position: Position) -> String {
        Cursor::at(&self.cursor_key(position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::catalogue::card_list::{CardEntry, CardsPage};
    use crate::app::page::Page;

    #[test]
    fn a_page_of_bodies_is_written_like_any_page() {
        let warning = || QueryWarning::uncounted("x \"y\"");
        for (count, cursor, total, warned) in [
            (0, None, None, false),
            (1, Some("abc"), None, false),
            (2, None, Some(Total::of(2, true)), false),
            (3, Some("abc"), Some(Total::of(10_000, false)), true),
            (2, None, None, true),
        ] {
            let entry = |at: usize| {
                let member = ("id".to_owned(), serde_json::json!(at));
                serde_json::Map::from_iter([member])
            };
            let data = (0..count).map(|at| CardEntry::Members(entry(at))).collect();
            let warnings: Vec<_> = warned.then(warning).into_iter().collect();
            let bodies: Vec<Bytes> =
                (0..count).map(|at| serde_json::to_vec(&entry(at)).unwrap().into()).collect();
            let written = page_of_bodies(&bodies, cursor, total, &warnings).unwrap();
            let page = Page { data, next_cursor: cursor.map(str::to_owned), total: None };
            let page = CardsPage::new(page, total, warnings);
            assert_eq!(String::from_utf8(written).unwrap(), serde_json::to_string(&page).unwrap());
        }
    }
}
