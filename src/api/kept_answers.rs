//! Answers that are the same for everybody and change only with the catalogue, kept in memory: games, formats, sets.
//!
//! Whatever the change feed tells drops them all: they are few, quickly made again, and changes are rare beside reads. Whoever has not read
//! the feed to its end within the last second believes nothing that is kept, as with the cards ([`super::card_cache`]).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use actix_web::{HttpRequest, HttpResponse};
use moka::sync::Cache;

use super::extract::Rendered;
use super::problem::Problem;

/// What an entry costs beside its text, in bytes: key, headers, book-keeping; rounded up.
const OVERHEAD: usize = 1_200;
/// Longest path with its query under which an answer is kept, in bytes.
const LONGEST_KEY: usize = 512;

/// The kept answers of a process.
pub struct KeptAnswers {
    /// By path and query.
    answers: Cache<String, Arc<Kept>>,
    state: Mutex<State>,
    trust: Duration,
}

#[derive(Default)]
struct State {
    /// Rises when everything is dropped. Locked while an answer is put in.
    generation: u64,
    /// How far the feed is known.
    heard: Option<Heard>,
}

#[derive(Clone, Copy)]
struct Heard {
    /// The newest number.
    newest: i64,
    /// Everything is known that was committed before.
    at: Instant,
}

struct Kept {
    answer: Rendered,
    generation: u64,
}

impl KeptAnswers {
    /// Answers of so many bytes together; `trust` is how long they are believed after the feed was read.
    pub fn new(bytes: u64, trust: Duration) -> Self {
        let weigh = |key: &String, kept: &Arc<Kept>| {
            let weight = key.len() + kept.answer.weight() + OVERHEAD;
            u32::try_from(weight).unwrap_or(u32::MAX)
        };
        let answers = Cache::builder().max_capacity(bytes).weigher(weigh).build();
        Self { answers, state: Mutex::default(), trust }
    }

    /// The kept answer to a request, or the one that `make` makes, which is kept. It must depend on nothing but the path, the query and the
    /// catalogue, and tell only what strangers may know.
    pub async fn answer(
        &self,
        req: &HttpRequest,
        make: impl Future<Output = Result<Rendered, Problem>>,
    ) -> Result<HttpResponse, Problem> {
        let key = req.uri().path_and_query().map_or("", |key| key.as_str());
        // A generation that was looked up before the database is asked: what is dropped meanwhile was read too early.
        let generation = self.generation();
        if let Some(kept) = generation.and_then(|generation| self.find(key, generation)) {
            return Ok(kept.answer.answer(req));
        }
        let answer = make.await?;
        let response = answer.answer(req);
        if let Some(generation) = generation.filter(|_| key.len() <= LONGEST_KEY) {
            self.keep(key, answer, generation);
        }
        Ok(response)
    }

    /// Tells that the feed is known up to a number, and that it was asked for at that moment. Anything new drops everything.
    pub fn hear(&self, newest: i64, at: Instant) {
        let mut state = self.state();
        let is_new = state.heard.is_none_or(|heard| heard.newest != newest);
        state.heard = Some(Heard { newest, at });
        if is_new {
            self.drop_all(&mut state);
        }
    }

    /// Drops everything: somebody has changed the catalogue here, and expects to see that.
    pub fn forget(&self) {
        self.drop_all(&mut self.state());
    }

    fn drop_all(&self, state: &mut State) {
        state.generation += 1;
        self.answers.invalidate_all();
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The present generation; `None`: nothing that is kept may be believed.
    fn generation(&self) -> Option<u64> {
        let state = self.state();
        let is_current = state.heard.is_some_and(|heard| heard.at.elapsed() < self.trust);
        is_current.then_some(state.generation)
    }

    fn find(&self, key: &str, generation: u64) -> Option<Arc<Kept>> {
        self.answers.get(key).filter(|kept| kept.generation == generation)
    }

    fn keep(&self, key: &str, answer: Rendered, generation: u64) {
        // Held until it is in: else everything could be dropped in between.
        let state = self.state();
        if state.generation == generation {
            self.answers.insert(key.to_owned(), Arc::new(Kept { answer, generation }));
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;
    use crate::api::extract::Freshness;

    const HOUR: Duration = Duration::from_hours(1);

    fn kept(trust: Duration) -> KeptAnswers {
        let kept = KeptAnswers::new(1 << 20, trust);
        kept.hear(1, Instant::now());
        kept
    }

    /// The tag of the answer to a request, which is made of `text` if none is kept.
    async fn tag(kept: &KeptAnswers, path: &str, text: &str) -> String {
        let req = TestRequest::with_uri(path).to_http_request();
        let make = async { Rendered::new(Freshness::Public(5), None, &text) };
        let answer = kept.answer(&req, make).await.unwrap();
        answer.headers().get("etag").unwrap().to_str().unwrap().to_owned()
    }

    #[tokio::test]
    async fn an_answer_is_kept_until_anything_changes() {
        let kept = kept(HOUR);
        let first = tag(&kept, "/a", "one").await;
        assert_eq!(tag(&kept, "/a", "two").await, first);
        assert_ne!(tag(&kept, "/a?limit=1", "two").await, first);
        // Nothing happened.
        kept.hear(1, Instant::now());
        assert_eq!(tag(&kept, "/a", "two").await, first);
        kept.hear(2, Instant::now());
        let second = tag(&kept, "/a", "two").await;
        assert_ne!(second, first);
        kept.forget();
        assert_ne!(tag(&kept, "/a", "three").await, second);
    }

    #[tokio::test]
    async fn what_was_read_before_a_change_is_not_kept_after_it() {
        let kept = kept(HOUR);
        let req = TestRequest::with_uri("/a").to_http_request();
        let make = async {
            let read = Rendered::new(Freshness::Public(5), None, &"old");
            kept.hear(2, Instant::now());
            read
        };
        let old = kept.answer(&req, make).await.unwrap();
        let old = old.headers().get("etag").unwrap().to_str().unwrap();
        assert_ne!(tag(&kept, "/a", "new").await, old);
    }

    #[tokio::test]
    async fn without_word_of_the_feed_nothing_is_believed() {
        let unheard = KeptAnswers::new(1 << 20, HOUR);
        let first = tag(&unheard, "/a", "one").await;
        assert_ne!(tag(&unheard, "/a", "two").await, first, "never heard");
        let late = kept(Duration::ZERO);
        let first = tag(&late, "/a", "one").await;
        assert_ne!(tag(&late, "/a", "two").await, first, "heard too long ago");
    }

    #[tokio::test]
    async fn memory_is_bounded() {
        let kept = KeptAnswers::new(100_000, HOUR);
        kept.hear(1, Instant::now());
        let text = "x".repeat(900);
        for number in 0..1_000 {
            tag(&kept, &format!("/{number}"), &text).await;
        }
        let long = format!("/{}", "x".repeat(LONGEST_KEY));
        let first = tag(&kept, &long, "one").await;
        assert_ne!(tag(&kept, &long, "two").await, first);
        kept.answers.run_pending_tasks();
        assert!(kept.answers.weighted_size() <= 100_000, "{}", kept.answers.weighted_size());
        assert!(kept.answers.entry_count() > 20, "{}", kept.answers.entry_count());
        let none = KeptAnswers::new(0, HOUR);
        none.hear(1, Instant::now());
        let first = tag(&none, "/a", "one").await;
        none.answers.run_pending_tasks();
        assert_ne!(tag(&none, "/a", "two").await, first);
    }
}
