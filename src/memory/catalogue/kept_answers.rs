//! Answers that are the same for everybody and change only with the catalogue, kept in memory: games, formats, sets.
//!
//! Whatever the change feed tells drops them all: they are few, quickly made again, and changes are rare beside reads. Whoever has not read
//! the feed to its end within the last second believes nothing that is kept, as with the cards ([`super::card_cache`]).

use std::time::Duration;

use crate::memory::catalogue::clock::FeedClock;
use crate::memory::kept::{Kept, Ticket};
use crate::memory::rendered::Rendered;

/// What an entry costs beside its text, in bytes: key, headers, book-keeping; rounded up.
const OVERHEAD: usize = 1_200;
/// Longest path with its query under which an answer is kept, in bytes.
pub(crate) const LONGEST_KEY: usize = 512;

/// The kept answers of a process.
pub struct KeptAnswers {
    /// By path and query.
    pub(crate) answers: Kept<String, Rendered>,
    clock: FeedClock,
}

impl KeptAnswers {
    /// Answers of so many bytes together; `trust` is how long they are believed after the feed was read.
    pub fn new(bytes: u64, trust: Duration) -> Self {
        let weigh = |key: &String, answer: &Rendered| key.len() + answer.weight() + OVERHEAD;
        Self { answers: Kept::new(bytes, weigh), clock: FeedClock::new(trust) }
    }

    /// The answer that is kept under this path and query, if it can be believed.
    pub(crate) fn find(&self, key: &str) -> Option<Rendered> {
        self.clock.is_current().then(|| self.answers.find(key)).flatten()
    }

    /// To be taken before the database is asked for an answer that is to be kept.
    pub(crate) fn ticket(&self) -> Ticket {
        self.answers.ticket()
    }

    /// Keeps an answer, unless anything was dropped since the ticket. It must depend on nothing but the path, the query and the catalogue, and tell only
    /// what strangers may know.
    pub(crate) fn keep(&self, ticket: Ticket, key: &str, answer: Rendered) {
        if key.len() <= LONGEST_KEY {
            self.answers.keep(ticket, key.to_owned(), answer);
        }
    }

    /// Drops everything: something has happened to the catalogue.
    pub fn forget(&self) {
        self.answers.forget_all();
    }

    /// How far the feed is heard.
    pub(crate) fn clock(&self) -> &FeedClock {
        &self.clock
    }
}
