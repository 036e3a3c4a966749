//! A simulated browser. It stores one cookie, accepts compressed answers, and marks its forms as sent from a page of this service.

use std::io::Read as _;

use super::frame::check;
use super::html::Page;
use crate::support::{Answer, PASSWORD, RequestExt as _, TestApp};

pub struct Browser<'a> {
    app: &'a TestApp,
    pub cookie: Option<String>,
}

impl<'a> Browser<'a> {
    /// A browser without a session.
    pub fn new(app: &'a TestApp) -> Self {
        Self { app, cookie: None }
    }

    /// A browser in which the account with that name is logged in.
    pub async fn of(app: &'a TestApp, name: &str) -> Self {
        let mut browser = Self::new(app);
        let answer = browser.send("/login", &[("name", name), ("password", PASSWORD)]).await;
        assert_eq!((answer.status, answer.header("location").as_str()), (303, "/my/account"));
        browser
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.ask(self.app.get(path)).await
    }

    /// Requests a page, which must answer with the status 200 and must not be cached.
    pub async fn page(&self, path: &str) -> Page {
        let answer = self.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        assert_eq!(answer.header("cache-control"), "private, no-store", "{path}");
        check(path, &answer)
    }

    /// Sends a form, and does not store a cookie that the answer sets.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let form = self.app.post(path).header("sec-fetch-site", "same-origin").form(fields);
        let answer = self.ask(form).await;
        // The answer to a form must not be cached.
        let cache_control = answer.header("cache-control");
        let is_failure = answer.status >= 400 && cache_control == "no-store";
        assert!(
            cache_control == "private, no-store" || is_failure || answer.status == 303,
            "{path}: {cache_control}"
        );
        answer
    }

    /// Sends a form, and stores the cookie that the answer sets.
    pub async fn send(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let answer = self.post(path, fields).await;
        let set = answer.header("set-cookie");
        if let Some((cookie, attributes)) = set.split_once(';') {
            for attribute in ["HttpOnly", "SameSite=Lax", "Path=/"] {
                assert!(attributes.contains(attribute), "{set}");
            }
            let is_removed = attributes.contains("Max-Age=0");
            self.cookie = (!is_removed).then(|| cookie.to_owned());
        }
        answer
    }

    /// Sends a form, and returns the page of the answer, which must have that status.
    pub async fn sent(&mut self, path: &str, fields: &[(&str, &str)], status: u16) -> Page {
        let answer = self.send(path, fields).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.text());
        check(path, &answer)
    }

    /// Sends a request as this browser. The answer is unpacked, and has the `Content-Length` of the unpacked body; its `Content-Encoding` states whether it was compressed.
    async fn ask(&self, request: reqwest::RequestBuilder) -> Answer {
        let request = request.header("accept-encoding", "gzip");
        let request = match &self.cookie {
            Some(cookie) => request.header("cookie", cookie),
            None => request,
        };
        let mut answer = request.answer().await;
        if answer.header("content-encoding") == "gzip" {
            let packed = std::mem::take(&mut answer.bytes);
            let mut unpacking = flate2::read::GzDecoder::new(&packed[..]);
            unpacking.read_to_end(&mut answer.bytes).expect("gzip");
            // The packed length depends on the random keys of forms.
            answer.headers.insert("content-length", answer.bytes.len().into());
        }
        answer
    }
}

/// Takes the lock of an idempotency key. While the returned database session holds the lock, a request of this account with this key seems to be running.
pub async fn hold_key(app: &TestApp, name: &str, key: &str) -> tokio_postgres::Client {
    let session = app.db().session().await;
    // The first eight bytes of a hash identify the lock of a key: see `store/operations/idempotency.rs`.
    let lock = format!(
        "SELECT pg_advisory_lock(('x' || encode(substr(sha256(uuid_send(id) || convert_to('{key}', 'UTF8')), 1, 8), 'hex'))::bit(64)::bigint) \
         FROM accounts WHERE name = '{name}'"
    );
    session.batch_execute(&lock).await.unwrap();
    session
}

/// Releases the lock that [`hold_key`] has taken.
pub async fn release_key(session: &tokio_postgres::Client) {
    session.batch_execute("SELECT pg_advisory_unlock_all()").await.unwrap();
}
