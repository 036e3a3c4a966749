//! Answers to strangers about open cards, kept in memory and dropped when the change feed names the card.
//!
//! Only what everybody may see is kept, and an open card never becomes hidden again. Every instance follows the feed by itself; one
//! that has not read it to its end within the last second believes nothing that it keeps. So a change shows everywhere within a
//! second, or the database is asked.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use metrics::Counter;
use moka::sync::Cache;

use super::extract::Rendered;
use super::state::Shared;
use crate::domain::ids::CardId;
use crate::store::Store;
use crate::store::changes::{self, News};

/// How often the feed is read.
const INTERVAL: Duration = Duration::from_millis(300);
/// What an entry costs beside its body, in bytes: key, headers, book-keeping. Measured, rounded up.
const OVERHEAD: usize = 1_200;
/// The part of the memory that the places of cards may take.
const PLACES: u64 = 8;
/// What the place of a card costs beside its text, in bytes.
const PLACE_OVERHEAD: usize = 300;

/// The kept answers of a process.
pub struct CardCache {
    cards: Cache<CardId, Arc<Kept>>,
    /// Which card stands where, as `game/set/number`. When a card moves, everything is dropped.
    places: Cache<String, CardId>,
    /// Rises with everything that is dropped. Locked while something is put in or dropped.
    generation: Mutex<u64>,
    /// What was put in before this generation is not believed.
    oldest: AtomicU64,
    /// When the cache was made: the beginning of its time.
    made: Instant,
    /// When the feed was last read to its end: microseconds of that time; 0: never.
    read_at: AtomicU64,
    trust: Duration,
    hits: Counter,
    misses: Counter,
}

struct Kept {
    answer: Rendered,
    generation: u64,
}

/// What an answer must have that is to be kept: it was begun before the database was asked, and nothing was dropped since. An answer
/// that was read before a change would else be put in after the change was dropped, and stay.
#[derive(Clone, Copy, Debug)]
pub struct Ticket(u64);

impl CardCache {
    /// A cache of so many bytes; `trust` is how long its answers are believed after the feed was read.
    pub fn new(bytes: u64, trust: Duration) -> Self {
        let weight = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
        let cards = Cache::builder()
            .max_capacity(bytes - bytes / PLACES)
            .weigher(move |_, kept: &Arc<Kept>| weight(kept.answer.weight() + OVERHEAD))
            .build();
        let places = Cache::builder()
            .max_capacity(bytes / PLACES)
            .weigher(move |place: &String, _| weight(place.len() + PLACE_OVERHEAD))
            .build();
        Self {
            cards,
            places,
            generation: Mutex::new(1),
            oldest: AtomicU64::new(0),
            made: Instant::now(),
            read_at: AtomicU64::new(0),
            trust,
            hits: metrics::counter!("card_cache_hits_total"),
            misses: metrics::counter!("card_cache_misses_total"),
        }
    }

    /// The answer about a card, if there is one that can be believed.
    pub fn find(&self, card: CardId) -> Option<Rendered> {
        let found = self.is_current().then(|| self.cards.get(&card)).flatten();
        let oldest = self.oldest.load(Ordering::Acquire);
        let found = found.filter(|kept| kept.generation >= oldest);
        if found.is_some() { &self.hits } else { &self.misses }.increment(1);
        found.map(|kept| kept.answer.clone())
    }

    /// The answer about the card at a place, `game/set/number`, if there is one that can be believed.
    pub fn find_at(&self, place: &str) -> Option<Rendered> {
        let Some(card) = self.places.get(place) else {
            self.misses.increment(1);
            return None;
        };
        self.find(card)
    }

    /// To be taken before the database is asked for an answer that is to be kept.
    pub fn ticket(&self) -> Ticket {
        Ticket(*self.generation.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Keeps an answer about an open card, as a stranger sees it, unless anything was dropped since the ticket.
    pub fn keep(&self, ticket: Ticket, card: CardId, place: String, answer: Rendered) {
        let generation = self.generation.lock().unwrap_or_else(PoisonError::into_inner);
        if *generation == ticket.0 {
            self.places.insert(place, card);
            self.cards.insert(card, Arc::new(Kept { answer, generation: *generation }));
        }
    }

    /// Follows the feed as long as the process runs.
    pub async fn follow(shared: Arc<Shared>, store: Store) {
        let cache = &shared.card_cache;
        let mut known = None;
        loop {
            let asked = Instant::now();
            let began = cache.made.elapsed();
            // The first look finds out where the feed ends; nothing was kept before.
            match changes::news(&store, known.unwrap_or_default()).await {
                Ok(news) => {
                    known = Some(news.newest);
                    cache.hear(&news);
                    cache.heard_at(began);
                    shared.kept_answers.hear(news.newest, asked);
                }
                // The private Postgres ends with the service.
                Err(_) if shared.is_draining() => return,
                Err(error) => {
                    tracing::warn!(%error, "cannot follow the changes: cards come from the database")
                }
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }

    /// Drops what changed.
    fn hear(&self, news: &News) {
        if news.cards.as_ref().is_some_and(Vec::is_empty) {
            return;
        }
        let Some(cards) = &news.cards else { return self.forget() };
        let mut generation = self.generation.lock().unwrap_or_else(PoisonError::into_inner);
        *generation += 1;
        for card in cards {
            self.cards.invalidate(card);
        }
    }

    /// Drops everything.
    pub fn forget(&self) {
        let mut generation = self.generation.lock().unwrap_or_else(PoisonError::into_inner);
        *generation += 1;
        self.oldest.store(*generation, Ordering::Release);
        self.cards.invalidate_all();
        self.places.invalidate_all();
    }

    /// Notes that everything is known which was committed before that moment.
    fn heard_at(&self, moment: Duration) {
        let micros = u64::try_from(moment.as_micros()).unwrap_or(u64::MAX).max(1);
        self.read_at.store(micros, Ordering::Release);
    }

    fn is_current(&self) -> bool {
        let read_at = self.read_at.load(Ordering::Acquire);
        read_at > 0 && self.made.elapsed() < Duration::from_micros(read_at) + self.trust
    }

    /// Tells `/metrics` how much memory the answers take.
    pub fn measure(&self) {
        self.cards.run_pending_tasks();
        self.places.run_pending_tasks();
        let bytes = self.cards.weighted_size() + self.places.weighted_size();
        metrics::gauge!("card_cache_bytes")
            .set(f64::from(u32::try_from(bytes).unwrap_or(u32::MAX)));
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;
    use uuid::Uuid;

    use super::*;
    use crate::api::extract::Freshness;

    const HOUR: Duration = Duration::from_hours(1);

    fn cache(bytes: u64, trust: Duration) -> CardCache {
        let cache = CardCache::new(bytes, trust);
        cache.heard_at(Duration::from_micros(1));
        cache
    }

    fn answer(text: &str) -> Rendered {
        Rendered::new(Freshness::Public(60), None, &text).unwrap()
    }

    fn etag(answer: &Rendered) -> String {
        let response = answer.answer(&TestRequest::default().to_http_request());
        response.headers().get("etag").unwrap().to_str().unwrap().to_owned()
    }

    fn keep(cache: &CardCache, ticket: Ticket, card: CardId, text: &str) {
        cache.keep(ticket, card, format!("g/s/{card:?}"), answer(text));
    }

    fn changed(cards: &[CardId]) -> News {
        News { newest: 1, cards: Some(cards.to_vec()) }
    }

    #[test]
    fn what_changed_is_dropped_and_the_rest_stays() {
        let cache = cache(1 << 20, HOUR);
        let (one, other) = (CardId(Uuid::from_u128(1)), CardId(Uuid::from_u128(2)));
        keep(&cache, cache.ticket(), one, "one");
        keep(&cache, cache.ticket(), other, "other");
        assert_eq!(etag(&cache.find(one).unwrap()), etag(&answer("one")));
        let at = cache.find_at(&format!("g/s/{one:?}")).unwrap();
        assert_eq!(etag(&at), etag(&answer("one")));
        assert!(cache.find_at("g/s/none").is_none());
        cache.hear(&changed(&[one]));
        assert!(cache.find(one).is_none());
        assert!(cache.find(other).is_some());
        cache.hear(&News { newest: 9, cards: None });
        assert!(cache.find(other).is_none());
        keep(&cache, cache.ticket(), one, "anew");
        assert_eq!(etag(&cache.find(one).unwrap()), etag(&answer("anew")));
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
        unheard.heard_at(Duration::from_micros(1));
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
        cache.measure();
        assert!(cache.cards.weighted_size() <= 100_000, "{}", cache.cards.weighted_size());
        assert!(cache.cards.entry_count() > 20, "{}", cache.cards.entry_count());
        let none = CardCache::new(0, HOUR);
        none.heard_at(Duration::from_micros(1));
        keep(&none, none.ticket(), CardId(Uuid::from_u128(1)), &text);
        none.measure();
        assert!(none.find(CardId(Uuid::from_u128(1))).is_none());
    }
}
