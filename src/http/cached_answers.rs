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

    /// Like [`Self::answer`], with a key that the client cannot vary. For handlers that ignore unknown parameters.
    pub async fn answer_as(
        &self,
        key: &str,
        req: &HttpRequest,
        make: impl Future<Output = Result<Rendered, Problem>>,
    ) -> Result<HttpResponse, Problem> {
        if let Some(kept) = self.find(key) {
            return Ok(kept.answer(req));
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

    fn kept(trust: Duration) -> CachedAnswers {
        let kept = CachedAnswers::new(1 << 20, trust);
        kept.clock().advance_to(Instant::now());
        kept
    }

    /// The tag of the response to a request. If none is cached, the response is `text`.
    async fn tag(kept: &CachedAnswers, path: &str, text: &str) -> String {
        let req = TestRequest::with_uri(path).to_http_request();
        let make = async { Ok(Rendered::new(Freshness::Public(5), None, &text)?) };
        let answer = kept.answer(&req, make).await.unwrap();
        answer.headers().get("etag").unwrap().to_str().unwrap().to_owned()
    }

    #[tokio::test]
    async fn an_answer_is_cached_until_the_catalogue_changes() {
        let kept = kept(HOUR);
        let first = tag(&kept, "/a", "one").await;
        assert_eq!(tag(&kept, "/a", "two").await, first);
        assert_ne!(tag(&kept, "/a?limit=1", "two").await, first);
        // The feed was read, without changes.
        kept.clock().advance_to(Instant::now());
        assert_eq!(tag(&kept, "/a", "two").await, first);
        kept.forget();
        let second = tag(&kept, "/a", "two").await;
        assert_ne!(second, first);
        kept.forget();
        assert_ne!(tag(&kept, "/a", "three").await, second);
    }

    #[tokio::test]
    async fn an_answer_read_before_a_change_is_not_cached_after_it() {
        let kept = kept(HOUR);
        let req = TestRequest::with_uri("/a").to_http_request();
        let make = async {
            let read = Rendered::new(Freshness::Public(5), None, &"old")?;
            kept.forget();
            Ok(read)
        };
        let old = kept.answer(&req, make).await.unwrap();
        let old = old.headers().get("etag").unwrap().to_str().unwrap();
        assert_ne!(tag(&kept, "/a", "new").await, old);
    }

    #[tokio::test]
    async fn without_a_read_of_the_feed_no_cached_answer_is_used() {
        let unheard = CachedAnswers::new(1 << 20, HOUR);
        let first = tag(&unheard, "/a", "one").await;
        assert_ne!(tag(&unheard, "/a", "two").await, first, "the feed was never read");
        let late = kept(Duration::ZERO);
        let first = tag(&late, "/a", "one").await;
        assert_ne!(tag(&late, "/a", "two").await, first, "the last read of the feed is too old");
    }

    #[tokio::test]
    async fn memory_is_bounded() {
        let kept = CachedAnswers::new(100_000, HOUR);
        kept.clock().advance_to(Instant::now());
        let text = "x".repeat(900);
        for number in 0..1_000 {
            tag(&kept, &format!("/{number}"), &text).await;
        }
        let long = format!("/{}", "x".repeat(LONGEST_KEY));
        let first = tag(&kept, &long, "one").await;
        assert_ne!(tag(&kept, &long, "two").await, first);
        assert!(kept.answers.bytes() <= 100_000, "{}", kept.answers.bytes());
        assert!(kept.answers.count() > 20, "{}", kept.answers.count());
        let none = CachedAnswers::new(0, HOUR);
        none.clock().advance_to(Instant::now());
        let first = tag(&none, "/a", "one").await;
        assert_eq!(none.answers.bytes(), 0);
        assert_ne!(tag(&none, "/a", "two").await, first);
    }
}
