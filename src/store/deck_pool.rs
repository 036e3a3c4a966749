//! The cards that judging a deck needs, seen with the asker's eyes. Never the whole catalogue: the cards that the deck names,
//! and for a fixed box the cards that belong in it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use cardscape_engine::{
    Catalogue, Deck, DeckCheck, Format, Game, PoolCard, SUGGESTED_NAMES_MAX, name_key, search_key,
};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use super::door::pool;
use super::lane::SearchLane;
use super::schema::sets;
use super::{Connection, StoreError, StoreResult};
use crate::auth::permission::Viewer;
use crate::domain::network::Network;

/// Near names asked for each unknown name: the engine picks the best of them.
const NEAR_NAMES: i64 = 8;

/// The cards for one judgement.
pub struct DeckPool {
    /// By name key, set and number: cards of one name stand together, and the first of them is meant when a deck does not
    /// choose.
    cards: BTreeMap<(String, String, String), PoolCard>,
}

impl DeckPool {
    /// The cards as the engine wants them.
    pub fn catalogue(&self, game: &Game) -> Catalogue {
        Catalogue::builder(game).extend(self.cards.values().cloned()).build()
    }

    fn extend(&mut self, cards: Vec<PoolCard>) {
        self.cards.extend(cards.into_iter().map(|card| {
            let key = name_key(&card.definition.name);
            ((key, card.set.clone(), card.definition.number.clone()), card)
        }));
    }

    fn knows(&self, name_key: &str) -> bool {
        let from = (name_key.to_owned(), String::new(), String::new());
        self.cards.range(from..).next().is_some_and(|((key, ..), _)| key == name_key)
    }
}

/// Looks up what `viewer` may see of the cards that `deck` and the boxes of `formats` name.
pub async fn for_deck(
    conn: &mut Connection,
    viewer: Viewer,
    game: &Game,
    formats: &[Format],
    deck: &Deck,
) -> StoreResult<DeckPool> {
    let names: BTreeSet<String> =
        deck.entries.iter().map(|entry| name_key(&entry.card.name)).collect();
    let names: Vec<String> = names.into_iter().collect();
    let mut found = DeckPool { cards: BTreeMap::new() };
    found.extend(pool::pool(conn, viewer, game.code(), &names).await?);
    for set in box_sets(conn, game, formats).await? {
        found.extend(pool::set_pool(conn, viewer, game.code(), &set).await?);
    }
    Ok(found)
}

/// The sets that fixed boxes draw on: those they name, or all of the game.
async fn box_sets(
    conn: &mut Connection,
    game: &Game,
    formats: &[Format],
) -> StoreResult<BTreeSet<String>> {
    let checks = formats.iter().flat_map(|format| &format.rules).map(|rule| &rule.check);
    let mut named = BTreeSet::new();
    let mut any_set = false;
    for check in checks {
        if let DeckCheck::FixedBox { contents, .. } = check {
            for line in contents {
                any_set |= line.select.sets.is_empty();
                named.extend(line.select.sets.iter().cloned());
            }
        }
    }
    if any_set {
        let all = sets::table.filter(sets::game_code.eq(game.code())).select(sets::code);
        named.extend(all.load::<String>(conn).await?);
    }
    Ok(named)
}

/// Unknown names that one statement looks for: a connection is not held for all of them when time is short.
const AT_ONCE: usize = 20;

/// Adds the cards whose names are near to these unknown ones, as far as `viewer` may see them. Returns how many names were
/// not looked up, because there are more than [`SUGGESTED_NAMES_MAX`], because it took longer than `time_limit`, or because there was no
/// place for the search: the report is right without. Whether a name is that of a hidden card makes no difference.
pub async fn add_near(
    (lane, network): (&SearchLane, Network),
    viewer: Viewer,
    game: &Game,
    unknown: &BTreeSet<String>,
    found: &mut DeckPool,
    time_limit: Duration,
) -> usize {
    let started = Instant::now();
    let mut looked_up = 0;
    let look = async {
        let mut conn = lane.enter(network).await?;
        let keys: Vec<String> =
            unknown.iter().take(SUGGESTED_NAMES_MAX).map(|name| search_key(name)).collect();
        for keys in keys.chunks(AT_ONCE) {
            if started.elapsed() > time_limit {
                break;
            }
            let near = pool::near_names(&mut conn, viewer, game.code(), keys, NEAR_NAMES).await?;
            let near: BTreeSet<String> = near.iter().map(|name| name_key(name)).collect();
            let near: Vec<String> = near.into_iter().filter(|key| !found.knows(key)).collect();
            found.extend(pool::pool(&mut conn, viewer, game.code(), &near).await?);
            looked_up += keys.len();
        }
        Ok::<(), StoreError>(())
    };
    if let Err(error) = look.await {
        tracing::debug!(%error, "suggestions are left out");
    }
    unknown.len() - looked_up
}
