//! Answers to strangers about open cards, kept in memory and dropped when the change feed names the card.
//!
//! Only what everybody may see is kept, and an open card never becomes hidden again. Every instance follows the feed by itself; one
//! that has not read it to its end within the last second believes nothing that it keeps. So a change shows everywhere within a
//! second, or the database is asked.

use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use metrics::Counter;
use xxhash_rust::xxh3::xxh3_64;

use crate::domain::ids::CardId;
use crate::memory::catalogue::clock::FeedClock;
use crate::memory::kept::{Kept, Ticket};
use crate::store::catalogue::changes::ChangeBatch;

/// What an entry costs beside its body, in bytes: key, time, book-keeping. Measured, rounded up.
const OVERHEAD: usize = 500;

/// The answer about an open card, as a stranger gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptCard {
    /// JSON.
    pub body: Bytes,
    /// When the card last became what it is to the public.
    pub modified: DateTime<Utc>,
    /// Where it stands according to the body.
    pub place: PlaceMark,
}

/// Tells places of cards apart: a hash, and a place that has another's is not to be expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceMark(u64);

impl PlaceMark {
    /// Of codes, which hold no slash.
    pub fn of(game: &str, set: &str, number: &str) -> Self {
        Self(xxh3_64([game, set, number].join("/").as_bytes()))
    }
}

/// The kept answers of a process.
pub struct CardCache {
    cards: Kept<CardId, KeptCard>,
    clock: FeedClock,
    hits: Counter,
    misses: Counter,
}

impl CardCache {
    /// A cache of so many bytes; `trust` is how long its answers are believed after the feed was read.
    pub fn new(bytes: u64, trust: Duration) -> Self {
        Self {
            cards: Kept::new(bytes, |_, card: &KeptCard| card.body.len() + OVERHEAD),
            clock: FeedClock::new(trust),
            hits: metrics::counter!("card_cache_hits_total"),
            misses: metrics::counter!("card_cache_misses_total"),
        }
    }

    /// The answer about a card, if there is one that can be believed.
    pub fn find(&self, card: CardId) -> Option<KeptCard> {
        let found = self.clock.is_current().then(|| self.cards.find(&card)).flatten();
        if found.is_some() { &self.hits } else { &self.misses }.increment(1);
        found
    }

    /// The bodies of the answers about these cards; `None` for those that are not kept, or cannot be believed.
    pub fn find_bodies(&self, cards: impl Iterator<Item = CardId>) -> Vec<Option<Bytes>> {
        let is_current = self.clock.is_current();
        let body = |card| Some(self.cards.find(&card)?.body);
        let found: Vec<_> = cards.map(|card| is_current.then(|| body(card)).flatten()).collect();
        let hits = u64::try_from(found.iter().flatten().count()).unwrap_or_default();
        self.hits.increment(hits);
        self.misses.increment(u64::try_from(found.len()).unwrap_or_default() - hits);
        found
    }

    /// To be taken before the database is asked for an answer that is to be kept.
    pub(crate) fn ticket(&self) -> Ticket {
        self.cards.ticket()
    }

    /// Keeps an answer about an open card, as a stranger sees it, unless anything was dropped since the ticket.
    pub(crate) fn keep(&self, ticket: Ticket, card: CardId, answer: KeptCard) {
        self.cards.keep(ticket, card, answer);
    }

    /// Drops what changed.
    pub(crate) fn hear(&self, batch: &ChangeBatch) {
        if batch.is_broken || batch.some_went {
            self.forget();
        } else if !batch.cards.is_empty() {
            self.cards.forget(&batch.cards);
        }
    }

    /// Drops everything.
    pub fn forget(&self) {
        self.cards.forget_all();
    }

    /// How far the feed is heard.
    pub(crate) fn clock(&self) -> &FeedClock {
        &self.clock
    }

    /// Tells `/metrics` how much memory the answers take.
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
        cache.clock.is_known_until(Instant::now());
        cache
    }

    fn answer(text: &str) -> KeptCard {
        KeptCard {
            body: Bytes::copy_from_slice(text.as_bytes()),
            modified: DateTime::UNIX_EPOCH,
            place: PlaceMark::of("g", "s", text),
        }
    }

    fn keep(cache: &CardCache, ticket: Ticket, card: CardId, text: &str) {
        cache.keep(ticket, card, answer(text));
    }

    fn changed(cards: &[CardId]) -> ChangeBatch {
        ChangeBatch { up_to: 1, cards: cards.to_vec(), ..ChangeBatch::default() }
    }

    #[test]
    fn what_changed_is_dropped_and_the_rest_stays() {
        let cache = cache(1 << 20, HOUR);
        let (one, other) = (CardId(Uuid::from_u128(1)), CardId(Uuid::from_u128(2)));
        keep(&cache, cache.ticket(), one, "one");
        keep(&cache, cache.ticket(), other, "other");
        assert_eq!(cache.find(one), Some(answer("one")));
        cache.hear(&changed(&[one]));
        assert!(cache.find(one).is_none());
        assert!(cache.find(other).is_some());
        cache.hear(&ChangeBatch { is_broken: true, ..ChangeBatch::default() });
        assert!(cache.find(other).is_none());
        keep(&cache, cache.ticket(), one, "anew");
        assert_eq!(cache.find(one), Some(answer("anew")));
    }

    #[test]
    fn what_was_read_before_a_change_is_not_kept_after_it() {
        let cache = cache(1 << 20, HOUR);
        let card = CardId(Uuid::from_u128(1));
        // Read, then changed and dropped, then put in.
        let early = cache.ticket();
        cache.hear(&changed(&[card]));
        keep(&cache, early, card, "old");
        assert!(cache.find(card).is_none());
        // Read, put in, then dropped.
        keep(&cache, cache.ticket(), card, "old");
        cache.hear(&changed(&[card]));
        assert!(cache.find(card).is_none());
        // No news: nothing stands against it.
        let ticket = cache.ticket();
        cache.hear(&changed(&[]));
        keep(&cache, ticket, card, "new");
        assert!(cache.find(card).is_some());
    }

    #[test]
    fn without_word_of_the_feed_nothing_is_believed() {
        let card = CardId(Uuid::from_u128(1));
        let unheard = CardCache::new(1 << 20, HOUR);
        keep(&unheard, unheard.ticket(), card, "one");
        assert!(unheard.find(card).is_none(), "never heard");
        unheard.clock.is_known_until(Instant::now());
        assert!(unheard.find(card).is_some());
        let late = cache(1 << 20, Duration::ZERO);
        keep(&late, late.ticket(), card, "one");
        assert!(late.find(card).is_none(), "heard too long ago");
    }

    #[test]
    fn memory_is_bounded() {
        let cache = cache(100_000, HOUR);
        let text = "x".repeat(900);
        for id in 0..1_000 {
            keep(&cache, cache.ticket(), CardId(Uuid::from_u128(id)), &text);
            cache.find(CardId(Uuid::from_u128(id)));
        }
        assert!(cache.cards.bytes() <= 100_000, "{}", cache.cards.bytes());
        assert!(cache.cards.count() > 20, "{}", cache.cards.count());
        let none = CardCache::new(0, HOUR);
        none.clock.is_known_until(Instant::now());
        keep(&none, none.ticket(), CardId(Uuid::from_u128(1)), &text);
        none.measure();
        assert!(none.find(CardId(Uuid::from_u128(1))).is_none());
    }
}
