//! A cache of public responses about open cards, dropped when the change feed names the card.
//!
//! Only public responses are cached, and an open card never becomes hidden again. Every instance follows the feed on
//! its own. An instance that has not read the feed to its end within the last second reads the database instead of the
//! cache. So every instance shows a change within a second.

use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use metrics::Counter;
use xxhash_rust::xxh3::xxh3_64;

use crate::domain::ids::CardId;
use crate::memory::caches::{DroppingCache, Ticket};
use crate::memory::catalogue::clock::FeedClock;
use crate::store::catalogue::changes::ChangeBatch;

/// Size of an entry without its body, in bytes: key, time, book-keeping. Measured, rounded up.
const OVERHEAD: usize = 500;

/// The public response about an open card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedCard {
    /// JSON.
    pub body: Bytes,
    /// When the card last changed for the public.
    pub modified: DateTime<Utc>,
    /// The card's place, as it is in the body.
    pub place: PlaceMark,
}

/// A hash of a card's place; collisions are not to be expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceMark(u64);

impl PlaceMark {
    /// Hashes the codes of a place, which contain no slash.
    pub fn of(game: &str, set: &str, number: &str) -> Self {
        Self(xxh3_64([game, set, number].join("/").as_bytes()))
    }
}

/// The cached responses of a process.
pub struct CardCache {
    cards: DroppingCache<CardId, CachedCard>,
    clock: FeedClock,
    hits: Counter,
    misses: Counter,
}

impl CardCache {
    /// A cache of `bytes` bytes; `trust` is how long its responses are used after the feed was last read to its end.
    pub fn new(bytes: u64, trust: Duration) -> Self {
        Self {
            cards: DroppingCache::new(bytes, |_, card: &CachedCard| card.body.len() + OVERHEAD),
            clock: FeedClock::new(trust),
            hits: metrics::counter!("card_cache_hits_total"),
            misses: metrics::counter!("card_cache_misses_total"),
        }
    }

    /// The response about a card, if it is cached and the cache is up to date.
    pub fn find(&self, card: CardId) -> Option<CachedCard> {
        let found = self.clock.is_current().then(|| self.cards.find(&card)).flatten();
        if found.is_some() { &self.hits } else { &self.misses }.increment(1);
        found
    }

    /// The response bodies of these cards; `None` for each that is not cached, and for all if the cache is not up to
    /// date.
    pub fn find_bodies(&self, cards: impl Iterator<Item = CardId>) -> Vec<Option<Bytes>> {
        let is_current = self.clock.is_current();
        let body = |card| Some(self.cards.find(&card)?.body);
        let found: Vec<_> = cards.map(|card| is_current.then(|| body(card)).flatten()).collect();
        let hits = u64::try_from(found.iter().flatten().count()).unwrap_or_default();
        self.hits.increment(hits);
        self.misses.increment(u64::try_from(found.len()).unwrap_or_default() - hits);
        found
    }

    /// Takes a ticket; must be called before a response to cache is read from the database.
    pub(crate) fn ticket(&self) -> Ticket {
        self.cards.ticket()
    }

    /// Caches a public response about an open card, unless anything was dropped since the ticket.
    pub(crate) fn insert(&self, ticket: Ticket, card: CardId, answer: CachedCard) {
        self.cards.insert(ticket, card, answer);
    }

    /// Drops the cards that a batch of changes names; all of them when a manifest changed, because manifests contain
    /// the addresses of scans.
    pub(crate) fn apply(&self, batch: &ChangeBatch) {
        self.cards.apply(batch, batch.some_game_changed);
    }

    /// Drops everything.
    pub fn forget(&self) {
        self.cards.forget_all();
    }

    /// How far the feed was read.
    pub fn clock(&self) -> &FeedClock {
        &self.clock
    }

    /// Updates the metric of the size of the cached responses.
    pub fn measure(&self) {
        let bytes = self.cards.bytes();
        metrics::gauge!("card_cache_bytes")
            .set(f64::from(u32::try_from(bytes).unwrap_or(u32::MAX)));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use uuid::Uuid;

    use super::*;

    const HOUR: Duration = Duration::from_hours(1);

    fn cache(bytes: u64, trust: Duration) -> CardCache {
        let cache = CardCache::new(bytes, trust);
        cache.clock.advance_to(Instant::now());
        cache
    }

    fn answer(text: &str) -> CachedCard {
        CachedCard {
            body: Bytes::copy_from_slice(text.as_bytes()),
            modified: DateTime::UNIX_EPOCH,
            place: PlaceMark::of("g", "s", text),
        }
    }

    fn insert(cache: &CardCache, ticket: Ticket, card: CardId, text: &str) {
        cache.insert(ticket, card, answer(text));
    }

    fn changed(cards: &[CardId]) -> ChangeBatch {
        ChangeBatch { up_to: 1, cards: cards.to_vec(), ..ChangeBatch::default() }
    }

    #[test]
    fn changed_cards_are_dropped_and_the_rest_stays() {
        let cache = cache(1 << 20, HOUR);
        let (one, other) = (CardId(Uuid::from_u128(1)), CardId(Uuid::from_u128(2)));
        insert(&cache, cache.ticket(), one, "one");
        insert(&cache, cache.ticket(), other, "other");
        assert_eq!(cache.find(one), Some(answer("one")));
        cache.apply(&changed(&[one]));
        assert!(cache.find(one).is_none());
        assert!(cache.find(other).is_some());
        cache.apply(&ChangeBatch { is_broken: true, ..ChangeBatch::default() });
        assert!(cache.find(other).is_none());
        insert(&cache, cache.ticket(), one, "anew");
        assert_eq!(cache.find(one), Some(answer("anew")));
        cache.apply(&ChangeBatch { some_game_changed: true, ..ChangeBatch::default() });
        assert!(cache.find(one).is_none());
    }

    #[test]
    fn answers_read_before_a_change_are_not_cached_after_it() {
        let cache = cache(1 << 20, HOUR);
        let card = CardId(Uuid::from_u128(1));
        // The change and the drop come between the read and the insertion.
        let early = cache.ticket();
        cache.apply(&changed(&[card]));
        insert(&cache, early, card, "old");
        assert!(cache.find(card).is_none());
        // The drop comes after the insertion.
        insert(&cache, cache.ticket(), card, "old");
        cache.apply(&changed(&[card]));
        assert!(cache.find(card).is_none());
        // A batch without changes prevents nothing.
        let ticket = cache.ticket();
        cache.apply(&changed(&[]));
        insert(&cache, ticket, card, "new");
        assert!(cache.find(card).is_some());
    }

    #[test]
    fn nothing_is_used_while_the_feed_is_not_read() {
        let card = CardId(Uuid::from_u128(1));
        let unread = CardCache::new(1 << 20, HOUR);
        insert(&unread, unread.ticket(), card, "one");
        assert!(unread.find(card).is_none(), "the feed was never read");
        unread.clock.advance_to(Instant::now());
        assert!(unread.find(card).is_some());
        let late = cache(1 << 20, Duration::ZERO);
        insert(&late, late.ticket(), card, "one");
        assert!(late.find(card).is_none(), "the feed was read too long ago");
    }

    #[test]
    fn memory_is_bounded() {
        let cache = cache(100_000, HOUR);
        let text = "x".repeat(900);
        for id in 0..1_000 {
            insert(&cache, cache.ticket(), CardId(Uuid::from_u128(id)), &text);
            cache.find(CardId(Uuid::from_u128(id)));
        }
        assert!(cache.cards.bytes() <= 100_000, "{}", cache.cards.bytes());
        assert!(cache.cards.count() > 20, "{}", cache.cards.count());
        let none = CardCache::new(0, HOUR);
        none.clock.advance_to(Instant::now());
        insert(&none, none.ticket(), CardId(Uuid::from_u128(1)), &text);
        none.measure();
        assert!(none.find(CardId(Uuid::from_u128(1))).is_none());
    }
}
