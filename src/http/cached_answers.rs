//! Caches responses by the path and query of their requests ([`CachedAnswers`]).

use actix_web::{HttpRequest, HttpResponse};

use crate::app::problem::Problem;
use crate::memory::catalogue::cached_answers::CachedAnswers;
use crate::memory::rendered::Rendered;

impl CachedAnswers {
    /// The cached response to a request, or else the response of `make`, which is then cached. It must depend only on the path, the query and the catalogue,
    /// and contain only what strangers may see.
    pub fn answer(
        &self,
        req: &HttpRequest,
        make: impl Future<Output = Result<Rendered, Problem>>,
    ) -> impl Future<Output = Result<HttpResponse, Problem>> {
        let key = req.uri().path_and_query().map_or("", |key| key.as_str());
        self.answer_as(key, req, make)
    }

    /// Like [`Self::answer`], with another key: one that the client cannot vary, for handlers that ignore unknown parameters, or one with the day, for responses
    /// that also depend on it.
    pub async fn answer_as(
        &self,
        key: &str,
        req: &HttpRequest,
        make: impl Future<Output = Result<Rendered, Problem>>,
    ) -> Result<HttpResponse, Problem> {
        if let Some(cached) = self.find(key) {
            return Ok(cached.answer(req));
        }
        let ticket = self.ticket();
        let answer = make.await?;
        let response = answer.answer(req);
        self.insert(ticket, key, answer);
        Ok(response)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use actix_web::test::TestRequest;

    use super::*;
    use crate::memory::catalogue::cached_answers::LONGEST_KEY;
    use crate::memory::rendered::Freshness;

    const HOUR: Duration = Duration::from_hours(1);

    fn new_cache(trust: Duration) -> CachedAnswers {
        let cached = CachedAnswers::new(1 << 20, trust);
        cached.clock().advance_to(Instant::now());
        cached
    }

    /// The tag of the response to a request. If none is cached, the response is `text`.
    async fn tag(cached: &CachedAnswers, path: &str, text: &str) -> String {
        let req = TestRequest::with_uri(path).to_http_request();
        let make = async { Ok(Rendered::new(Freshness::Public(5), None, &text)?) };
        let answer = cached.answer(&req, make).await.unwrap();
        answer.headers().get("etag").unwrap().to_str().unwrap().to_owned()
    }

    #[tokio::test]
    async fn an_answer_is_cached_until_the_catalogue_changes() {
        let cached = new_cache(HOUR);
        let first = tag(&cached, "/a", "one").await;
        assert_eq!(tag(&cached, "/a", "two").await, first);
        assert_ne!(tag(&cached, "/a?limit=1", "two").await, first);
        // The feed was read, without changes.
        cached.clock().advance_to(Instant::now());
        assert_eq!(tag(&cached, "/a", "two").await, first);
        cached.forget();
        let second = tag(&cached, "/a", "two").await;
        assert_ne!(second, first);
        cached.forget();
        assert_ne!(tag(&cached, "/a", "three").await, second);
    }

    #[tokio::test]
    async fn an_answer_read_before_a_change_is_not_cached_after_it() {
        let cached = new_cache(HOUR);
        let req = TestRequest::with_uri("/a").to_http_request();
        let make = async {
            let read = Rendered::new(Freshness::Public(5), None, &"old")?;
            cached.forget();
            Ok(read)
        };
        let old = cached.answer(&req, make).await.unwrap();
        let old = old.headers().get("etag").unwrap().to_str().unwrap();
        assert_ne!(tag(&cached, "/a", "new").await, old);
    }

    #[tokio::test]
    async fn without_a_read_of_the_feed_no_cached_answer_is_used() {
        let unheard = CachedAnswers::new(1 << 20, HOUR);
        let first = tag(&unheard, "/a", "one").await;
        assert_ne!(tag(&unheard, "/a", "two").await, first, "the feed was never read");
        let outdated = new_cache(Duration::ZERO);
        let first = tag(&outdated, "/a", "one").await;
        assert_ne!(
            tag(&outdated, "/a", "two").await,
            first,
            "the last read of the feed is too old"
        );
    }

    #[tokio::test]
    async fn memory_is_bounded() {
        let cached = CachedAnswers::new(100_000, HOUR);
        cached.clock().advance_to(Instant::now());
        let text = "x".repeat(900);
        for number in 0..1_000 {
            tag(&cached, &format!("/{number}"), &text).await;
        }
        let long = format!("/{}", "x".repeat(LONGEST_KEY));
        let first = tag(&cached, &long, "one").await;
        assert_ne!(tag(&cached, &long, "two").await, first);
        assert!(cached.answers.bytes() <= 100_000, "{}", cached.answers.bytes());
        assert!(cached.answers.count() > 20, "{}", cached.answers.count());
        let none = CachedAnswers::new(0, HOUR);
        none.clock().advance_to(Instant::now());
        let first = tag(&none, "/a", "one").await;
        assert_eq!(none.answers.bytes(), 0);
        assert_ne!(tag(&none, "/a", "two").await, first);
    }
}
