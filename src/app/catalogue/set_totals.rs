//! The number of cards, printings, kinds and rarities of a set: counted in the index in memory and cached until cards
//! change, or else counted by the database.

use std::sync::Arc;

use cardscape_engine::Game;

use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::memory::catalogue::index::TotalsKey;
use crate::search::index::{FacetSource, Snapshot};
use crate::search::{CardFilter, CardQuery, Predicate, SortKey, Unique};
use crate::store::collection::counts::{self, TotalRow};
use crate::store::{Connection, StoreResult};

impl AppState {
    /// The number of all cards of a set, and the number of printings, rarities and kinds among those that the viewer
    /// may see; empty for a set without cards.
    pub(crate) async fn totals_of_set(
        &self,
        conn: &mut Connection,
        viewer: Viewer,
        (game, revision): (&Game, i64),
        set: &str,
    ) -> StoreResult<Arc<[TotalRow]>> {
        let version = self.catalogue.version();
        let cards = if viewer.sees_all() { None } else { self.catalogue.cards() };
        let Some(cards) = cards else {
            return Ok(counts::totals(conn, viewer, game.code(), set).await?.into());
        };
        let key = TotalsKey { game: game.code().to_owned(), revision, set: set.to_owned() };
        if let Some(kept) = self.catalogue.totals(&key, version) {
            return Ok(kept);
        }
        let totals: Arc<[TotalRow]> = count(&cards, game, set).into();
        // An account may have cards of a thousand sets: let other tasks of this thread run in between.
        tokio::task::yield_now().await;
        // Nothing is cached for a set that does not exist, so that invented codes take no memory.
        if !totals.is_empty() {
            self.catalogue.cache_totals(key, version, Arc::clone(&totals));
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
