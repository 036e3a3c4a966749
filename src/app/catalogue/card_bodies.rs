//! Serialised responses about cards: cached, and joined to the pages of lists.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::card_list::{CardMembers, Total};
use super::card_search::card_id;
use super::cards::{CardResponse, PrintingResponse, modified_at};
use super::image_uris::Scans;
use super::query_warning::QueryWarning;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::code::Code;
use crate::domain::ids::CardId;
use crate::memory::catalogue::card_cache::{CachedCard, PlaceMark};
use crate::memory::rendered::{ANSWER_CAPACITY, to_json};
use crate::search::index::Hit;
use crate::search::{CardQuery, Unique};
use crate::store::catalogue::cards::{self, CardPlace, CardView, Printing};

/// The serialised response about a card.
pub(super) struct CardBody {
    pub(super) body: Bytes,
    /// When the public response about the card last changed; `None`: the card is hidden from the public.
    modified: Option<DateTime<Utc>>,
    place: PlaceMark,
}

impl CardBody {
    /// The response as an entry of the public cache; `None`: the card is hidden from the public.
    pub(super) fn to_cached(&self) -> Option<CachedCard> {
        let Self { body, modified, place } = self;
        Some(CachedCard { body: body.clone(), modified: (*modified)?, place: *place })
    }
}

/// Serialises the response about a card.
pub(super) fn render_body(view: CardView, scans: &Scans) -> Result<CardBody, Problem> {
    let modified = modified_at(&view, scans);
    let CardPlace { game, set, number, .. } = view.place();
    let place = PlaceMark::of(game, set, number);
    // Copied to its exact size: the cache may store it for long.
    let body = to_json(&CardResponse::new(view, scans), ANSWER_CAPACITY)?;
    let body = Bytes::copy_from_slice(&body);
    Ok(CardBody { body, modified, place })
}

/// Loads the response bodies of these cards, from the cache where possible. Cards that were deleted since the query are
/// left out.
pub(super) async fn load_bodies(
    app: &AppState,
    viewer: Viewer,
    ids: &[CardId],
) -> Result<Vec<Bytes>, Problem> {
    Ok(load_each_body(app, viewer, ids).await?.into_iter().flatten().collect())
}

/// Loads the response body of each of these cards, from the cache where possible; `None`: there is no such card.
pub(super) async fn load_each_body(
    app: &AppState,
    viewer: Viewer,
    ids: &[CardId],
) -> Result<Vec<Option<Bytes>>, Problem> {
    let ticket = app.card_cache.ticket();
    let mut bodies = app.card_cache.find_bodies(ids.iter().copied());
    let missing = ids.iter().zip(&bodies).filter(|(_, body)| body.is_none());
    let missing: Vec<CardId> = missing.map(|(id, _)| *id).collect();
    if !missing.is_empty() {
        let find = async |conn: &_| cards::find_many(conn, viewer, &missing).await;
        let (scans, mut read) = (Scans::read(app).await?, HashMap::new());
        for view in app.store.read(find).await? {
            let id = view.place().id;
            let written = render_body(view, &scans)?;
            if let Some(kept) = written.to_cached() {
                app.card_cache.insert(ticket, id, kept);
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

/// Renders list entries that have a printing or only some members. Cards that were deleted since the query are left
/// out.
pub(super) async fn render_entries(
    app: &AppState,
    viewer: Viewer,
    query: &CardQuery,
    hits: &[Hit],
    members: Option<&CardMembers>,
) -> Result<Vec<Bytes>, Problem> {
    // In lists of printings, a card appears once for each printing.
    let ids: BTreeSet<CardId> = hits.iter().map(card_id).collect();
    let ids: Vec<CardId> = ids.into_iter().collect();
    let bodies = load_each_body(app, viewer, &ids).await?;
    let bodies: HashMap<CardId, Option<Bytes>> = ids.into_iter().zip(bodies).collect();
    let printings = load_printings(app, viewer, query, hits).await?;
    let scans = Scans::read(app).await?;
    let mut entries = Vec::with_capacity(hits.len());
    for hit in hits {
        let Some(Some(body)) = bodies.get(&card_id(hit)) else { continue };
        let printing = printings.get(&(card_id(hit), hit.tier)).cloned();
        if printing.is_some() || query.unique == Unique::Cards {
            let printing = printing.map(|printing| printing_of(body, printing, &scans));
            let entry = printing.transpose().and_then(|own| render_entry(body, own, members));
            entries.push(entry.map_err(Problem::internal)?);
        }
    }
    Ok(entries)
}

/// The printings of these hits, by card and tier; empty for lists of cards.
pub(super) async fn load_printings(
    app: &AppState,
    viewer: Viewer,
    query: &CardQuery,
    hits: &[Hit],
) -> Result<HashMap<(CardId, i16), Printing>, Problem> {
    if query.unique == Unique::Cards {
        return Ok(HashMap::new());
    }
    let wanted: Vec<(CardId, i16)> = hits.iter().map(|hit| (card_id(hit), hit.tier)).collect();
    let find = async |conn: &_| cards::find_printings(conn, viewer, &wanted).await;
    let found = app.store.read(find).await?.into_iter();
    Ok(found.map(|(card, printing)| ((card, printing.tier), printing)).collect())
}

/// The members of a card response that say which card it is.
#[derive(Deserialize)]
struct PlacedCard {
    id: CardId,
    game: Code,
    set: Code,
    number: Code,
    hidden: bool,
}

/// The response about a printing, from its card's serialised response.
fn printing_of(
    body: &[u8],
    printing: Printing,
    scans: &Scans,
) -> serde_json::Result<PrintingResponse> {
    let PlacedCard { id, game, set, number, hidden } = serde_json::from_slice(body)?;
    let place = CardPlace { id, game, set, number };
    Ok(PrintingResponse::new(printing, &place, hidden, scans.template(&place.game)))
}

/// Renders a list entry from the card's serialised response: equal to a [`super::card_list::CardEntry`] except for
/// white space and the order of members.
fn render_entry(
    body: &[u8],
    printing: Option<PrintingResponse>,
    members: Option<&CardMembers>,
) -> serde_json::Result<Bytes> {
    let mut entry: BTreeMap<&str, &RawValue> = serde_json::from_slice(body)?;
    let printing = printing.map(|printing| to_raw_value(&printing)).transpose()?;
    if let Some(printing) = &printing {
        entry.insert("printing", printing);
    }
    if let Some(members) = members {
        entry.retain(|member, _| members.includes(member));
    }
    Ok(serde_json::to_vec(&entry)?.into())
}

/// The members of a page that follow its entries.
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

/// Writes a page of serialised entries, byte for byte as a [`super::card_list::CardsPage`] is serialised.
pub(super) fn write_page(
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
    // The members of `rest` follow `data` in the same object.
    let members = rest.strip_prefix(b"{").unwrap_or_default();
    if members.len() > 1 {
        page.push(b',');
    }
    page.extend_from_slice(members);
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::catalogue::card_list::{CardEntry, CardsPage};
    use crate::app::catalogue::query_warning::WarningReason;
    use crate::app::page::Page;

    #[test]
    fn a_page_of_bodies_is_written_like_any_page() {
        let warning = || QueryWarning::of_all("x \"y\"", WarningReason::Uncounted);
        for (count, cursor, total, warned) in [
            (0, None, None, false),
            (1, Some("abc"), None, false),
            (2, None, Some(Total::new(2, true)), false),
            (3, Some("abc"), Some(Total::new(10_000, false)), true),
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
            let written = write_page(&bodies, cursor, total, &warnings).unwrap();
            let page = Page { data, next_cursor: cursor.map(str::to_owned), total: None };
            let page = CardsPage::new(page, total, warnings);
            assert_eq!(String::from_utf8(written).unwrap(), serde_json::to_string(&page).unwrap());
        }
    }
}
