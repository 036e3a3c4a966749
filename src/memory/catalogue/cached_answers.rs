//! A cache of responses that are the same for everybody and change only with the catalogue: games, formats, sets.
//!
//! Any event of the change feed drops all of them: they are few and cheap to compute, and changes are rare compared
//! with reads. The cache is used only if the feed was read to its end within the last second, as for cards
//! ([`super::card_cache`]).

use std::time::Duration;

use crate::memory::caches::{DroppingCache, Ticket};
use crate::memory::catalogue::clock::FeedClock;
use crate::memory::rendered::Rendered;

/// Size of an entry without its body, in bytes: key, headers, book-keeping; rounded up.
const OVERHEAD: usize = 1_200;
/// Longest path with query for which a response is cached, in bytes.
pub(crate) const LONGEST_KEY: usize = 512;

/// The cached responses of a process.
pub struct CachedAnswers {
    /// By path and query, and by the day if they depend on it.
    pub(crate) answers: DroppingCache<String, Rendered>,
    clock: FeedClock,
}

impl CachedAnswers {
    /// A cache of `bytes` bytes; `trust` is how long responses are used after the feed was last read to its end.
    pub fn new(bytes: u64, trust: Duration) -> Self {
        let weigh = |key: &String, answer: &Rendered| key.len() + answer.weight() + OVERHEAD;
        Self { answers: DroppingCache::new(bytes, weigh), clock: FeedClock::new(trust) }
    }

    /// The response for this key, if it is cached and the cache is up to date.
    pub(crate) fn find(&self, key: &str) -> Option<Rendered> {
        self.clock.is_current().then(|| self.answers.find(key)).flatten()
    }

    /// Takes a ticket; must be called before a response to cache is read from the database.
    pub(crate) fn ticket(&self) -> Ticket {
        self.answers.ticket()
    }

    /// Caches a response, unless anything was dropped since the ticket. The response must depend only on the key and the
    /// catalogue, and contain only what everybody may see.
    pub(crate) fn insert(&self, ticket: Ticket, key: &str, answer: Rendered) {
        if key.len() <= LONGEST_KEY {
            self.answers.insert(ticket, key.to_owned(), answer.into_cached());
        }
    }

    /// Drops everything, after a change of the catalogue.
    pub fn forget(&self) {
        self.answers.forget_all();
    }

    /// How far the feed was read.
    pub(crate) fn clock(&self) -> &FeedClock {
        &self.clock
    }
}
