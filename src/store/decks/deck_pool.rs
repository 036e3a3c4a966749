//! The cards that a report on a deck needs, as the viewer sees them. Never the whole catalogue: the cards that the deck names,
//! and for a fixed box the cards that belong in it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use cardscape_engine::{Catalogue, Deck, DeckCheck, Format, Game, PreparedCard, name_key};
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use crate::auth::permission::Viewer;
use crate::domain::ids::CardId;
use crate::domain::network::Network;
use crate::store::card_content::pool::{self, PoolHit};
use crate::store::card_content::suggestions::{Misspelt, suggest_near_names};
use crate::store::db::schema::{cards, sets};
use crate::store::db::search_queue::SearchQueue;
use crate::store::{Connection, StoreError, StoreResult};

/// Near names asked for each unknown name: the engine picks the best of them.
pub const NEAR_NAMES: usize = 8;

/// The cards for one judgement.
#[derive(Debug)]
pub struct DeckPool {
    game: Game,
    cards: Vec<Arc<PreparedCard>>,
    /// Further sets of the game that have cards.
    sets: Vec<String>,
}

impl DeckPool {
    /// No cards of a game.
    pub fn new(game: &Game) -> Self {
        Self { game: game.clone(), cards: Vec::new(), sets: Vec::new() }
    }

    /// Says which sets of the game have cards, be they among these or not.
    pub fn part_of(&mut self, sets: Vec<String>) {
        self.sets = sets;
    }

    /// The cards as the engine wants them: cards of one name stand by set and number, and the first of them is meant when a deck does
    /// not choose.
    pub fn catalogue(&mut self) -> Catalogue {
        fn place(card: &PreparedCard) -> (&str, &str, &str) {
            let pool = card.card();
            (card.name_key(), &pool.set, &pool.definition.number)
        }
        self.cards.sort_by(|one, other| place(one).cmp(&place(other)));
        Catalogue::builder(&self.game)
            .extend_prepared(self.cards.iter().cloned())
            .part_of(self.sets.iter().map(String::as_str))
            .build()
    }

    /// Adds cards; what is there already is not added again.
    pub fn extend(&mut self, cards: impl IntoIterator<Item = Arc<PreparedCard>>) {
        self.cards.extend(cards);
    }

    fn prepare_hits(&mut self, hits: Vec<PoolHit>) {
        let Self { game, cards, .. } = self;
        cards.extend(hits.into_iter().map(|hit| PreparedCard::new(game, hit.card).into()));
    }

    fn knows(&self, name_key: &str) -> bool {
        self.cards.iter().any(|card| card.name_key() == name_key)
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
    let mut found = DeckPool::new(game);
    found.prepare_hits(pool::find_by_names(conn, viewer, game.code(), &names).await?);
    add_boxes(conn, viewer, formats, &mut found).await?;
    Ok(found)
}

/// Whether formats need cards that no deck names.
pub fn have_boxes(formats: &[Format]) -> bool {
    let mut checks = formats.iter().flat_map(|format| &format.rules).map(|rule| &rule.check);
    checks.any(|check| matches!(check, DeckCheck::FixedBox { .. }))
}

/// Adds the cards that belong in the boxes of `formats`.
pub async fn add_boxes(
    conn: &mut Connection,
    viewer: Viewer,
    formats: &[Format],
    found: &mut DeckPool,
) -> StoreResult<()> {
    let game = found.game.clone();
    for set in box_sets(conn, &game, formats).await? {
        found.prepare_hits(pool::find_by_set(conn, viewer, game.code(), &set).await?);
    }
    Ok(())
}

/// What `viewer` may see of the cards with these ids, prepared for a game; those of other games are left out.
pub async fn by_ids(
    conn: &mut Connection,
    viewer: Viewer,
    game: &Game,
    ids: &[CardId],
) -> StoreResult<Vec<(CardId, Arc<PreparedCard>)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let hits = pool::find_by_ids(conn, viewer, game.code(), ids).await?;
    let prepare = |hit: PoolHit| (hit.id, PreparedCard::new(game, hit.card).into());
    Ok(hits.into_iter().map(prepare).collect())
}

/// Codes of a game's sets that have cards, hidden ones included: that they exist is no secret.
pub async fn sets_with_cards(conn: &mut Connection, game: &str) -> StoreResult<Vec<String>> {
    let of_set = cards::game_code.eq(sets::game_code).and(cards::set_code.eq(sets::code));
    let with_cards = sets::table
        .filter(sets::game_code.eq(game))
        .filter(exists(cards::table.filter(of_set)))
        .select(sets::code);
    Ok(with_cards.load(conn).await?)
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

/// Adds the cards whose names are near to these unknown ones, as far as `viewer` may see them. Returns how many names were
/// not looked up, because there are more than [`SUGGESTED_NAMES_MAX`](cardscape_engine::SUGGESTED_NAMES_MAX), because it took longer than
/// `time_limit`, or because there was no place for the search: the report is right without. Whether a name is that of a hidden card makes no
/// difference.
pub async fn add_near(
    searches: (&SearchQueue, Network),
    viewer: Viewer,
    unknown: &BTreeSet<String>,
    found: &mut DeckPool,
    time_limit: Duration,
) -> usize {
    let game = found.game.clone();
    let names: Vec<_> = unknown.iter().map(|name| Misspelt::of_game(game.code(), name)).collect();
    let near = suggest_near_names(searches, viewer, &names, time_limit).await;
    let keys: BTreeSet<String> = near
        .iter()
        .flat_map(|cards| cards.iter().take(NEAR_NAMES).map(|card| name_key(&card.name)))
        .filter(|key| !found.knows(key))
        .collect();
    let keys: Vec<String> = keys.into_iter().collect();
    let add = async {
        let mut conn = searches.0.connection(searches.1).await?;
        found.prepare_hits(pool::find_by_names(&mut conn, viewer, game.code(), &keys).await?);
        Ok::<(), StoreError>(())
    };
    if !keys.is_empty()
        && let Err(error) = add.await
    {
        tracing::debug!(%error, "suggestions are left out");
        return unknown.len();
    }
    unknown.len() - near.len()
}
