//! The number of cards, printings, kinds and rarities of sets: counted in the index in memory and cached until cards
//! change, or else counted by the database.

use std::collections::BTreeMap;
use std::sync::Arc;

use cardscape_engine::Game;

use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::memory::catalogue::index::TotalsKey;
use crate::search::index::{FacetSource, Snapshot};
use crate::search::{CardFilter, CardQuery, Predicate, SortKey, Unique};
use crate::store::collection::counts::{self, TotalRow};
use crate::store::{Connection, StoreResult};

/// Sets that the database counts in one statement: it has a time limit, and the sets of a game may have a million cards.
const SETS_AT_ONCE: usize = 50;

impl AppState {
    /// For each set, the number of all its cards, and the number of printings, rarities and kinds among its open cards, or among all of them for a viewer who
    /// sees everything. Sets without cards are left out.
    pub(crate) async fn totals_of_sets(
        &self,
        conn: &mut Connection,
        viewer: Viewer,
        (game, revision): (&Game, i64),
        sets: &[&str],
    ) -> StoreResult<BTreeMap<String, Arc<[TotalRow]>>> {
        let mut totals: BTreeMap<String, Arc<[TotalRow]>> = BTreeMap::new();
        let version = self.catalogue.version();
        let cards = if viewer.sees_all() { None } else { self.catalogue.cards() };
        let Some(cards) = cards else {
            for sets in sets.chunks(SETS_AT_ONCE) {
                for (set, rows) in counts::totals(conn, viewer, game.code(), sets).await? {
                    totals.insert(set, rows.into());
                }
            }
            return Ok(totals);
        };
        for set in sets {
            let set = (*set).to_owned();
            let key = TotalsKey { game: game.code().to_owned(), revision, set: set.clone() };
            if let Some(kept) = self.catalogue.totals(&key, version) {
                totals.insert(set, kept);
                continue;
            }
            let counted: Arc<[TotalRow]> = count(&cards, game, &set).into();
            // An account may have cards of a thousand sets: let other tasks of this thread run in between.
            tokio::task::yield_now().await;
            // Nothing is cached for a set that does not exist, so that invented codes take no memory.
            if !counted.is_empty() {
                self.catalogue.cache_totals(key, version, Arc::clone(&counted));
                totals.insert(set, counted);
            }
        }
        Ok(totals)
    }
}

fn count(cards: &Snapshot, game: &Game, set: &str) -> Vec<TotalRow> {
    let filter = CardFilter {
        game: Some(game.code().to_owned()),
        set: Some(set.to_owned()),
        ..CardFilter::default()
    };
    let predicate = Predicate::All(filter.predicates());
    let query =
        CardQuery { predicate, sort: SortKey::Place, descending: false, unique: Unique::Cards };
    let row = |part: &str, code: &str, place: usize, total: u64| TotalRow {
        part: part.to_owned(),
        code: code.to_owned(),
        place: i32::try_from(place).unwrap_or(i32::MAX),
        total: i64::try_from(total).unwrap_or(i64::MAX),
    };
    let all = cards.count(&query, &[], u64::MAX).entries;
    if all == 0 {
        return Vec::new();
    }
    let mut rows = vec![row("cards", "", 0, all)];
    let mut printings = 0;
    for found in cards.facets(&query.predicate, &[], &[]).counts {
        let code = found.value.as_str().unwrap_or_default();
        match found.source {
            FacetSource::Kind => rows.push(row("kind", code, 0, found.cards)),
            FacetSource::Rarity => {
                let place = game.rarities().iter().position(|rarity| &*rarity.code == code);
                rows.push(row("rarity", code, place.map_or(0, |at| at + 1), found.cards));
                // A card has at most one printing of each rarity.
                printings += found.cards;
            }
            FacetSource::Card | FacetSource::Style | FacetSource::Slot | FacetSource::Attribute => {
            }
        }
    }
    if rows.len() > 1 {
        rows.push(row("printings", "", 0, printings));
    }
    rows
}
