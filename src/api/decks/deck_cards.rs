//! The cards that decks are judged by: from memory, or from the database when what is kept is behind the change feed.
//!
//! Kept are open cards only, prepared for the engine, shared and never copied, and dropped when the feed names them. The hidden cards that
//! somebody holds are read for each of her requests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cardscape_engine::{
    Deck, Format, Game, PreparedCard, SUGGESTED_NAMES_MAX, name_key, search_key,
};
use metrics::Counter;
use uuid::Uuid;

use crate::api::catalogue::card_search::cards_in_memory;
use crate::api::kept::Kept;
use crate::api::problem::Problem;
use crate::api::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::ids::CardId;
use crate::domain::network::Network;
use crate::search::index::{CardRecord, NamePlace, NameQuery, Snapshot};
use crate::store::catalogue::changes::ChangeBatch;
use crate::store::decks::deck_pool::{self, DeckPool, NEAR_NAMES};

/// What a card costs beside its texts and values, in bytes.
const CARD: usize = 900;
/// What a value, or a printing, costs, in bytes.
const VALUE: usize = 120;

/// Open cards as decks are judged by them.
pub struct DeckCards {
    cards: Kept<CardId, Arc<PreparedCard>>,
    hits: Counter,
    misses: Counter,
}

impl DeckCards {
    /// Room for so many bytes.
    pub fn new(bytes: u64) -> Self {
        Self {
            cards: Kept::new(bytes, |_, card: &Arc<PreparedCard>| weight_of(card)),
            hits: metrics::counter!("deck_card_hits_total"),
            misses: metrics::counter!("deck_card_misses_total"),
        }
    }

    /// The card, if it is kept as this game's manifest has it.
    fn find(&self, game: &Game, card: CardId) -> Option<Arc<PreparedCard>> {
        self.cards.find(&card).filter(|card| card.is_for(game))
    }

    /// Drops what changed.
    pub(in crate::api) fn hear(&self, batch: &ChangeBatch) {
        // A card knows when its set came out.
        if batch.is_broken || batch.some_went || !batch.sets.is_empty() {
            self.forget();
        } else if !batch.cards.is_empty() {
            self.cards.forget(&batch.cards);
        }
    }

    /// Drops everything.
    pub fn forget(&self) {
        self.cards.forget_all();
    }

    /// Tells `/metrics` how much memory the cards take.
    pub fn measure(&self) {
        let bytes = self.cards.bytes();
        metrics::gauge!("deck_card_bytes").set(f64::from(u32::try_from(bytes).unwrap_or(u32::MAX)));
    }
}

fn weight_of(card: &PreparedCard) -> usize {
    let definition = &card.card().definition;
    let own: usize =
        definition.printings.iter().map(|printing| 1 + printing.attributes.len()).sum();
    // The name is in it as it is, and as two keys.
    CARD + 3 * definition.name.len() + VALUE * (definition.attributes.len() + own)
}

/// All cards by name, and what the asker sees beside what everybody does.
pub(in crate::api) struct Names {
    all: Arc<Snapshot>,
    view: Vec<CardRecord>,
}

/// What `viewer` may see of the cards that `deck` and the boxes of `formats` name. With the names, when they are in memory.
pub(in crate::api) async fn find(
    state: &AppState,
    viewer: Viewer,
    game: &Game,
    formats: &[Format],
    deck: &Deck,
) -> Result<(DeckPool, Option<Names>), Problem> {
    let Some((all, view)) = cards_in_memory(state, viewer).await? else {
        let mut conn = state.store.connection().await?;
        let found = deck_pool::for_deck(&mut conn, viewer, game, formats, deck).await?;
        return Ok((found, None));
    };
    let names = Names { all, view };
    let mut found = DeckPool::new(game);
    let named: BTreeSet<&str> = deck.entries.iter().map(|entry| entry.card.name.as_str()).collect();
    let keys = named.into_iter().map(|name| (name_key(name), search_key(name))).collect();
    names.add(state, viewer, game, keys, &mut found).await?;
    if deck_pool::have_boxes(formats) {
        let mut conn = state.store.connection().await?;
        deck_pool::add_boxes(&mut conn, viewer, formats, &mut found).await?;
    }
    Ok((found, Some(names)))
}

impl Names {
    /// Adds the cards of a game that have names of these identities; each comes with the key that it is found by.
    async fn add(
        &self,
        state: &AppState,
        viewer: Viewer,
        game: &Game,
        keys: BTreeMap<String, String>,
        found: &mut DeckPool,
    ) -> Result<(), Problem> {
        let own: BTreeSet<u128> = self.view.iter().map(|card| card.id).collect();
        let believed = state.card_cache.clock().is_current();
        let kept = &state.deck_cards;
        // Before the names are looked up: what changes after that is not kept.
        let ticket = kept.cards.ticket();
        let (mut open, mut held) = (Vec::new(), Vec::new());
        let mut hits = 0;
        for (name, key) in &keys {
            for card in self.all.same_name(game.code(), key, &self.view) {
                if name_key(&card.name) != *name {
                    continue;
                }
                let id = CardId(Uuid::from_u128(card.id));
                if own.contains(&card.id) {
                    held.push(id);
                } else if let Some(card) = believed.then(|| kept.find(game, id)).flatten() {
                    hits += 1;
                    found.extend([card]);
                } else {
                    open.push(id);
                }
            }
        }
        kept.hits.increment(hits);
        kept.misses.increment(u64::try_from(open.len()).unwrap_or_default());
        if open.is_empty() && held.is_empty() {
            return Ok(());
        }
        let mut conn = state.store.connection().await?;
        let read = deck_pool::by_ids(&mut conn, Viewer::stranger(), game, &open).await?;
        for (id, card) in read {
            kept.cards.keep(ticket, id, card.clone());
            found.extend([card]);
        }
        let read = deck_pool::by_ids(&mut conn, viewer, game, &held).await?;
        found.extend(read.into_iter().map(|(_, card)| card));
        Ok(())
    }
}

/// Says which sets of the game have cards at all, for a report that misses some: the deck's own cards do not tell.
pub(super) async fn add_sets(
    state: &AppState,
    game: &Game,
    found: &mut DeckPool,
) -> Result<(), Problem> {
    let mut conn = state.store.connection().await?;
    found.part_of(deck_pool::sets_with_cards(&mut conn, game.code()).await?);
    Ok(())
}

/// Adds the cards whose names are near to these unknown ones, as far as `viewer` may see them. Returns how many names were not looked
/// up, because there are too many, because it took too long, or because too much else is looked for: the report is right without.
pub(super) async fn add_near(
    state: &AppState,
    (viewer, network): (Viewer, Network),
    names: Option<Names>,
    game: &Game,
    unknown: &BTreeSet<String>,
    found: &mut DeckPool,
) -> usize {
    let time_limit = state.settings.suggestion_time;
    let Some(names) = names else {
        let searches = (&state.searches, network);
        return deck_pool::add_near(searches, viewer, unknown, found, time_limit).await;
    };
    let typed: Vec<String> = unknown.iter().take(SUGGESTED_NAMES_MAX).cloned().collect();
    let code = game.code().to_owned();
    // Many names may take long: on a thread that answers no requests.
    let looked = state.near_names.run(move || {
        let (near, looked_up) = names.near(&code, &typed, time_limit);
        (names, near, looked_up)
    });
    let Ok((names, near, looked_up)) = looked.await else {
        tracing::debug!("suggestions are left out: too many look for near names");
        return unknown.len();
    };
    if let Err(error) = names.add(state, viewer, game, near, found).await {
        tracing::debug!(?error, "suggestions are left out");
        return unknown.len();
    }
    unknown.len() - looked_up
}

impl Names {
    /// The names that are near to what was typed, each by its identity with the key that it is found by; and for how many there was time.
    fn near(
        &self,
        game: &str,
        typed: &[String],
        time_limit: Duration,
    ) -> (BTreeMap<String, String>, usize) {
        let started = Instant::now();
        let place = NamePlace { game: Some(game), set: None };
        let mut near = BTreeMap::new();
        let mut looked_up = 0;
        for name in typed {
            if started.elapsed() > time_limit {
                break;
            }
            let query = NameQuery { search_key: search_key(name), words: Vec::new(), near: true };
            let cards = self.all.named(place, &query, &self.view);
            let keys = cards
                .into_iter()
                .take(NEAR_NAMES)
                .map(|card| (name_key(&card.name), search_key(&card.name)));
            near.extend(keys);
            looked_up += 1;
        }
        (near, looked_up)
    }
}

#[cfg(test)]
mod tests {
    use cardscape_engine::{CardDefinition, PoolCard};

    use super::*;

    fn game(version: &str) -> Game {
        Game::from_toml(&format!(
            "code = \"pond\"\nname = \"Pond\"\nrules_version = \"{version}\"\n\
             [[kinds]]\ncode = \"fish\"\nname = \"Fish\"\n"
        ))
        .unwrap()
    }

    fn prepared(game: &Game, name: &str) -> Arc<PreparedCard> {
        let definition = CardDefinition {
            number: "1".to_owned(),
            name: name.to_owned(),
            kind: "fish".to_owned(),
            attributes: serde_json::Map::default(),
            effects: Vec::new(),
            lore: None,
            printings: Vec::new(),
        };
        let card =
            PoolCard { key: name.to_owned(), set: "s".to_owned(), released_on: None, definition };
        PreparedCard::new(game, card).into()
    }

    #[test]
    fn what_changed_is_dropped_and_what_was_read_before_is_not_kept() {
        let (cards, game) = (DeckCards::new(1 << 20), game("1"));
        let (one, other) = (CardId(Uuid::from_u128(1)), CardId(Uuid::from_u128(2)));
        let early = cards.cards.ticket();
        cards.cards.keep(early, one, prepared(&game, "Pike"));
        cards.cards.keep(early, other, prepared(&game, "Carp"));
        assert_eq!(cards.find(&game, one).unwrap().card().key, "Pike");
        cards.hear(&ChangeBatch { cards: vec![one], ..ChangeBatch::default() });
        assert!(cards.find(&game, one).is_none());
        assert!(cards.find(&game, other).is_some());
        cards.cards.keep(early, one, prepared(&game, "Pike"));
        assert!(cards.find(&game, one).is_none(), "it was read before the change");
        cards.hear(&ChangeBatch::default());
        cards.cards.keep(cards.cards.ticket(), one, prepared(&game, "Pike"));
        assert!(cards.find(&game, one).is_some());
        let set = ("pond".to_owned(), "s".to_owned());
        cards.hear(&ChangeBatch { sets: vec![set], ..ChangeBatch::default() });
        assert!(cards.find(&game, one).is_none() && cards.find(&game, other).is_none());
    }

    #[test]
    fn what_was_prepared_for_another_manifest_is_read_anew() {
        let (cards, before, after) = (DeckCards::new(1 << 20), game("1"), game("2"));
        let one = CardId(Uuid::from_u128(1));
        cards.cards.keep(cards.cards.ticket(), one, prepared(&before, "Pike"));
        assert!(cards.find(&after, one).is_none());
        assert!(cards.find(&before, one).is_some());
    }

    #[test]
    fn memory_is_bounded() {
        let (cards, game) = (DeckCards::new(50_000), game("1"));
        for id in 0..1_000 {
            cards.cards.keep(
                cards.cards.ticket(),
                CardId(Uuid::from_u128(id)),
                prepared(&game, "Pike"),
            );
        }
        assert!((1..=50_000).contains(&cards.cards.bytes()));
    }
}
