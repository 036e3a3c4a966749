//! Files with deck lists, which are read into the form of a deck.

use super::{Browser, start, store};
use crate::pages::frame::check;
use crate::pages::html::Page;
use crate::support::{Answer, RequestExt as _, TestApp};

/// Sends the fields of a form and, after them, a file.
async fn send(
    app: &TestApp,
    by: &Browser<'_>,
    path: &str,
    fields: &[(&str, &str)],
    file: Option<&[u8]>,
) -> Answer {
    let line = "a-line-that-is-in-no-file";
    let mut body = Vec::new();
    for (name, value) in fields {
        let part = format!(
            "--{line}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        );
        body.extend_from_slice(part.as_bytes());
    }
    let name = if file.is_some() { "deck.txt" } else { "" };
    let head = format!(
        "--{line}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: application/octet-stream\r\n\r\n"
    );
    body.extend_from_slice(head.as_bytes());
    body.extend_from_slice(file.unwrap_or_default());
    body.extend_from_slice(format!("\r\n--{line}--\r\n").as_bytes());
    app.post(path)
        .header("sec-fetch-site", "same-origin")
        .header("cookie", by.cookie.as_deref().unwrap())
        .header("content-type", format!("multipart/form-data; boundary={line}"))
        .body(body)
        .answer()
        .await
}

fn value<'a>(page: &'a Page, name: &str) -> &'a str {
    let field = page.all("input").find(|field| field.get("name") == Some(name));
    field.and_then(|field| field.get("value")).unwrap_or_default()
}

/// The text of the field with the list.
fn list(page: &Page) -> &str {
    let field = page.all("textarea").find(|field| field.get("id") == Some("list"));
    &field.expect("the form has a list").text
}

/// The number of stored decks.
async fn decks(hers: &Browser<'_>) -> usize {
    let listed = hers.page("/my/decks").await;
    listed.all("a").filter(|link| link.has_class("title")).count()
}

const NEW: &str = "/my/decks/new/file";

#[tokio::test]
async fn the_list_of_a_file_is_shown_before_the_deck_is_saved() {
    let app = start().await;
    app.player("ada").await;
    let hers = Browser::of(&app, "ada").await;
    let form = hers.page("/my/decks/new").await;
    assert!(form.all("button").any(|button| button.get("formaction") == Some(NEW)
        && button.get("formenctype") == Some("multipart/form-data")));
    // UTF-16, as some programs write it.
    let text = "// name: Embers\n2 Kettle Imp\n1 Café <b>";
    let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let utf_16 = [&b"\xff\xfe"[..], &units].concat();
    for file in [text.as_bytes(), utf_16.as_slice()] {
        let fields = [("format", "ttcg/standard"), ("tags", "x"), ("list", "9 Old")];
        let read = send(&app, &hers, NEW, &fields, Some(file)).await;
        assert_eq!(read.status, 200, "{}", read.text());
        assert_eq!(read.header("cache-control"), "private, no-store");
        let page = check(NEW, &read);
        assert!(page.only("main").text.contains("Nothing is saved yet"));
        assert_eq!(list(&page), "// name: Embers 2 Kettle Imp 1 Café <b>");
        assert_eq!(value(&page, "name"), "Embers", "the list states a name");
        assert!(page.all("option").any(|option| option.get("value") == Some("ttcg/standard")
            && option.get("selected").is_some()));
        assert_eq!(decks(&hers).await, 0);
    }
    // A typed name is not replaced.
    let fields = [("name", "Mine"), ("format", "ttcg/standard")];
    let read = send(&app, &hers, NEW, &fields, Some(text.as_bytes())).await;
    assert_eq!(value(&check(NEW, &read), "name"), "Mine");
}

#[tokio::test]
async fn pictures_and_other_files_without_a_list_are_refused() {
    let app = start().await;
    app.player("ada").await;
    let hers = Browser::of(&app, "ada").await;
    let fields = [("name", "Mine"), ("format", "ttcg/standard"), ("list", "2 Kettle Imp")];
    let (large, long) = (vec![b'a'; 256 * 1024 + 1], vec![b'a'; 150_001]);
    for (file, status, expected) in [
        (Some(b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".as_slice()), 422, "such as a picture"),
        (Some(b"\xff\xd8\xff\xe0JFIF".as_slice()), 422, "such as a picture"),
        (Some(b"  \r\n".as_slice()), 422, "The file is empty."),
        (Some(long.as_slice()), 422, "more than 150,000 characters"),
        (Some(large.as_slice()), 413, "more than 256 KiB"),
        (None, 422, "Choose a file with a deck list."),
    ] {
        let refused = send(&app, &hers, NEW, &fields, file).await;
        assert_eq!(refused.status, status, "{expected}");
        let page = check(NEW, &refused);
        assert!(page.fault_of("file").contains(expected), "{}", page.fault_of("file"));
        // What was typed is still in the form.
        assert_eq!((value(&page, "name"), list(&page)), ("Mine", "2 Kettle Imp"));
    }
    // A form that is larger than the file and all fields may be is not received.
    let huge = vec![b'a'; 1024 * 1024];
    let refused = send(&app, &hers, NEW, &fields, Some(&huge)).await;
    assert_eq!(refused.status, 413);
    let page = check(NEW, &refused);
    assert!(page.fault_of("file").contains("more than 256 KiB"));
    assert_eq!(value(&page, "name"), "Mine");
    // The address accepts only multipart forms.
    assert_eq!(hers.post(NEW, &fields).await.status, 415);
    assert_eq!(decks(&hers).await, 0);
}

#[tokio::test]
async fn a_typed_list_may_be_as_long_as_that_of_a_file() {
    let app = start().await;
    let ada = app.player("ada").await;
    let hers = Browser::of(&app, "ada").await;
    let deck = store(&app, &ada, "Draft", "private", "2 Kettle Imp").await;
    let edit = format!("{deck}/edit");
    let longest = format!("{}2 Kettle Imp", "\n".repeat(150_000 - 12));
    let fields = [("name", "Mine"), ("format", "ttcg/standard")];
    let read = send(&app, &hers, NEW, &fields, Some(longest.as_bytes())).await;
    assert_eq!(read.status, 200, "{}", read.text());
    // A form sends each byte of an emoji as three characters.
    let emoji = "😀".repeat(150_000);
    let fields = [("format", "ttcg/standard"), ("list", emoji.as_str())];
    assert_ne!(hers.post("/decks/check", &fields).await.status, 413);
    let longer = "a".repeat(150_001);
    for path in ["/my/decks/new", edit.as_str(), "/decks/check"] {
        let fields = [
            ("name", "Mine"),
            ("format", "ttcg/standard"),
            ("list", longer.as_str()),
            ("revision", "1"),
            // Only the check of a list has this field: the list is measured before it is read for the card.
            ("card", "Kettle Imp"),
        ];
        let refused = hers.post(path, &fields).await;
        assert_eq!(refused.status, 422, "{path}");
        let page = check(path, &refused);
        assert!(page.fault_of("list").contains("more than 150,000 characters"), "{path}");
        let field = page.all("textarea").find(|field| field.get("id") == Some("list"));
        assert_eq!(field.and_then(|field| field.get("maxlength")), Some("150000"), "{path}");
    }
    assert_eq!(decks(&hers).await, 1);
}

/// Otherwise the deck would be saved without the list of the file.
#[tokio::test]
async fn a_deck_is_not_saved_while_a_chosen_file_is_not_read() {
    let app = start().await;
    let ada = app.player("ada").await;
    let hers = Browser::of(&app, "ada").await;
    let deck = store(&app, &ada, "Draft", "private", "2 Kettle Imp").await;
    let edit = format!("{deck}/edit");
    // Without JavaScript, too, a browser sends the name of the file with the button that saves.
    let fields = [
        ("name", "Other"),
        ("format", "ttcg/standard"),
        ("list", "1 Bellows Smith"),
        ("revision", "1"),
        ("file", "deck.txt"),
    ];
    for path in ["/my/decks/new", edit.as_str()] {
        let refused = hers.post(path, &fields).await;
        assert_eq!(refused.status, 422, "{path}");
        let page = check(path, &refused);
        assert!(page.fault_of("file").contains("nothing is saved"), "{path}");
        assert_eq!((value(&page, "name"), list(&page)), ("Other", "1 Bellows Smith"), "{path}");
    }
    assert_eq!(hers.page(&deck).await.only("h1").text, "Draft");
    assert_eq!(decks(&hers).await, 1);
}

#[tokio::test]
async fn the_list_of_a_stored_deck_is_replaced_by_that_of_a_file() {
    let app = start().await;
    let (ada, _) = (app.player("ada").await, app.player("ben").await);
    let (hers, his) = (Browser::of(&app, "ada").await, Browser::of(&app, "ben").await);
    let deck = store(&app, &ada, "Draft", "private", "2 Kettle Imp").await;
    let path = format!("{deck}/edit/file");
    let fields = [
        ("name", "Draft"),
        ("format", "ttcg/standard"),
        ("visibility", "private"),
        ("dialect", "own"),
        ("revision", "1"),
        ("list", "2 Kettle Imp"),
    ];
    let file = b"1 Bellows Smith\n".as_slice();
    // For others, and if the deck was deleted meanwhile, the list is in the form of a new deck.
    let missing = send(&app, &his, &path, &fields, Some(file)).await;
    assert_eq!(missing.status, 404);
    let page = check(&path, &missing);
    assert_eq!((list(&page), value(&page, "name")), ("1 Bellows Smith", "Draft"));
    assert!(page.all("form").any(|form| form.get("action") == Some("/my/decks/new")));
    assert!(page.only("main").text.contains("The deck is not here any more"));
    let unread = send(&app, &his, &path, &fields, None).await;
    assert_eq!(unread.status, 404);
    let page = check(&path, &unread);
    assert_eq!((list(&page), value(&page, "name")), ("2 Kettle Imp", "Draft"));
    assert!(!page.fault_of("file").is_empty());
    let read = send(&app, &hers, &path, &fields, Some(file)).await;
    assert_eq!(read.status, 200, "{}", read.text());
    let page = check(&path, &read);
    assert_eq!((list(&page), value(&page, "revision")), ("1 Bellows Smith", "1"));
    // The dialect of the file is recognised.
    assert!(
        !page
            .all("option")
            .any(|option| option.get("value") == Some("own") && option.get("selected").is_some())
    );
    assert!(hers.page(&deck).await.only("main").text.contains("Kettle Imp"));
    let mut saved = fields.to_vec();
    saved.retain(|(name, _)| *name != "list" && *name != "dialect");
    saved.push(("list", "1 Bellows Smith"));
    assert_eq!(hers.post(&format!("{deck}/edit"), &saved).await.status, 303);
    assert!(hers.page(&deck).await.only("main").text.contains("Bellows Smith"));
    let refused = send(&app, &hers, &path, &fields, Some(b"\xff\xd8\xff\xe0JFIF".as_slice())).await;
    assert_eq!(refused.status, 422);
    assert!(check(&path, &refused).fault_of("file").contains("such as a picture"));
}
