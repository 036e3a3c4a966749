//! Pages of accounts: join, recover, and the pages of the own account.

mod events;
mod join;
mod newcomer;
mod own_account;
mod second_factor;
mod tokens;

use super::browser::Browser;
use super::frame::check;
use super::html::Page;
use crate::support::Answer;

fn location(answer: &Answer) -> (u16, String) {
    (answer.status, answer.header("location"))
}

/// The names and values of the hidden fields.
fn hidden(page: &Page) -> Vec<(&str, &str)> {
    let fields = page.all("input").filter(|field| field.get("type") == Some("hidden"));
    fields.map(|field| (field.get("name").unwrap(), field.get("value").unwrap())).collect()
}

/// The addresses to which the forms of a page are sent.
fn actions(page: &Page) -> Vec<&str> {
    page.all("form").filter_map(|form| form.get("action")).collect()
}

/// The fault message of the field with that id, or an empty text. Checks that the field is marked as invalid only if it has a message.
fn fault_of<'a>(page: &'a Page, id: &str) -> &'a str {
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

/// The recovery codes of a page that shows them once.
#[track_caller]
fn codes(answer: &Answer) -> Vec<String> {
    // The browser accepts compressed answers, but the service does not compress an answer with a secret (BREACH).
    assert_eq!(answer.header("content-encoding"), "");
    assert_eq!(answer.header("cache-control"), "private, no-store");
    let page = check("codes", answer);
    let codes: Vec<String> = page.all("code").map(|code| code.text.clone()).collect();
    assert_eq!(codes.len(), 8, "{codes:?}");
    assert!(codes.iter().all(|code| code.len() == 19), "{codes:?}");
    codes
}
