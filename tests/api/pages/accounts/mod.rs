//! Pages of accounts: join, recover, and what belongs to the own account.

mod events;
mod join;
mod own_account;
mod second_factor;
mod tokens;

use super::frame::check;
use super::html::Page;
use crate::support::{Answer, PASSWORD, RequestExt as _, TestApp};

/// A browser: keeps one cookie, and says of its forms that they come from this service.
struct Browser<'a> {
    app: &'a TestApp,
    cookie: Option<String>,
}

impl<'a> Browser<'a> {
    fn new(app: &'a TestApp) -> Self {
        Self { app, cookie: None }
    }

    /// One that is logged in.
    async fn of(app: &'a TestApp, name: &str) -> Self {
        let mut browser = Self::new(app);
        let answer = browser.send("/login", &[("name", name), ("password", PASSWORD)]).await;
        assert_eq!(location(&answer), (303, "/my/account".to_owned()));
        browser
    }

    async fn get(&self, path: &str) -> Answer {
        let request = self.app.get(path).header("accept-encoding", "gzip");
        match &self.cookie {
            Some(cookie) => request.header("cookie", cookie).answer().await,
            None => request.answer().await,
        }
    }

    /// A page of that address, which must be there.
    async fn page(&self, path: &str) -> Page {
        let request = self.app.get(path);
        let answer = match &self.cookie {
            Some(cookie) => request.header("cookie", cookie).answer().await,
            None => request.answer().await,
        };
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        assert_eq!(answer.header("cache-control"), "private, no-store", "{path}");
        check(path, &answer)
    }

    async fn send(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let request = self.app.post(path).header("sec-fetch-site", "same-origin").form(fields);
        let answer = match &self.cookie {
            Some(cookie) => request.header("cookie", cookie).answer().await,
            None => request.answer().await,
        };
        if let Some((cookie, attributes)) = answer.header("set-cookie").split_once(';') {
            let is_removed = attributes.contains("Max-Age=0");
            self.cookie = (!is_removed).then(|| cookie.to_owned());
        }
        answer
    }

    /// What a form answers with a status that is no redirection.
    async fn sent(&mut self, path: &str, fields: &[(&str, &str)], status: u16) -> Page {
        let answer = self.send(path, fields).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.text());
        check(path, &answer)
    }
}

fn location(answer: &Answer) -> (u16, String) {
    (answer.status, answer.header("location"))
}

/// Hidden fields, by their names.
fn hidden(page: &Page) -> Vec<(&str, &str)> {
    let fields = page.all("input").filter(|field| field.get("type") == Some("hidden"));
    fields.map(|field| (field.get("name").unwrap(), field.get("value").unwrap())).collect()
}

/// Where the forms of a page are sent.
fn actions(page: &Page) -> Vec<&str> {
    page.all("form").filter_map(|form| form.get("action")).collect()
}

/// What is said beside the field of that id.
fn beside<'a>(page: &'a Page, id: &str) -> &'a str {
    let named = format!("{id}_fault");
    let fault = page.all("p").find(|text| text.get("id") == Some(named.as_str()));
    let field = page.all("input").find(|field| field.get("id") == Some(id)).unwrap();
    if let Some(fault) = fault {
        assert_eq!(field.get("aria-invalid"), Some("true"), "{field:?}");
        assert!(field.get("aria-describedby").unwrap().contains(&named), "{field:?}");
        &fault.text
    } else {
        assert_eq!(field.get("aria-invalid"), None, "{field:?}");
        ""
    }
}

/// The codes of a page that shows them once.
#[track_caller]
fn codes(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.header("content-encoding"), "");
    assert_eq!(answer.header("cache-control"), "private, no-store");
    let page = check("codes", answer);
    let codes: Vec<String> = page.all("code").map(|code| code.text.clone()).collect();
    assert_eq!(codes.len(), 8, "{codes:?}");
    assert!(codes.iter().all(|code| code.len() == 19), "{codes:?}");
    codes
}
