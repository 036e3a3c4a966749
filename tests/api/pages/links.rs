//! Every link of the pages leads to an existing page.

use std::collections::{BTreeSet, VecDeque};

use super::frame::check;
use super::page;
use crate::support::{RequestExt as _, TestApp};

/// The maximum number of pages that the test reads.
const MAX_PAGES: usize = 220;
/// The maximum number of pictures that the test requests.
const MAX_PICTURES: usize = 40;

/// Starts a service with all games that the examples of the search help use.
async fn with_all_games() -> TestApp {
    TestApp::start_seeded(&["ttcg", "emoji-tcg", "uno-emoji", "emojo-dojo", "emojito"]).await
}

#[tokio::test]
async fn every_link_leads_to_an_existing_page() {
    let app = with_all_games().await;
    let (mut seen, mut next) = (BTreeSet::new(), VecDeque::from(["/".to_owned()]));
    let mut pictures = BTreeSet::new();
    while let Some(path) = next.pop_front() {
        if seen.len() == MAX_PAGES || !seen.insert(path.clone()) {
            continue;
        }
        let answer = app.get(&path).answer().await;
        if answer.status == 303 {
            // Pages that need an account redirect anonymous readers to the log-in page.
            let to = answer.header("location");
            assert!(
                to.starts_with("/login?to="),
                "{path}: redirected to {to}, not to the log-in page"
            );
            next.push_back(to);
            continue;
        }
        assert_eq!(answer.status, 200, "{path}");
        if path.starts_with("/docs/") || !answer.header("content-type").starts_with("text/html") {
            continue;
        }
        let page = check(&path, &answer);
        for (element, link) in page.with("href") {
            let link = link.strip_prefix("http://127.0.0.1:8080").unwrap_or(link);
            assert!(link.starts_with('/') || link.starts_with('#'), "{path} links to {link}");
            if let Some(anchor) = link.strip_prefix('#') {
                assert!(page.with("id").any(|(_, id)| id == anchor), "{path} links to {link}");
            } else if element.name == "a" || element.name == "link" {
                // After 60 pages, the test follows no more links to printings and searches, so that the limit leaves room for every kind of page.
                let is_printing_or_search =
                    link.contains("rarity=") || link.starts_with("/search?");
                if !(is_printing_or_search && seen.len() > 60) {
                    next.push_back(link.to_owned());
                }
            }
        }
        let images = page.all("img").filter_map(|image| image.get("src"));
        pictures.extend(images.map(str::to_owned));
        for script in page.all("script").filter_map(|script| script.get("src")) {
            let answer = app.get(script).answer().await;
            assert_eq!(
                (answer.status, answer.header("content-type").as_str()),
                (200, "text/javascript; charset=utf-8"),
                "{script}"
            );
        }
    }
    assert!(seen.len() > 150, "{}", seen.len());
    let kinds = [
        "/games/",
        "/sets/",
        "/cards/",
        "/search?",
        "/search/help",
        "/docs/",
        "/assets/",
        "/login",
        "/submit",
    ];
    for kind in kinds {
        assert!(seen.iter().any(|path| path.starts_with(kind)), "{kind}");
    }
    assert!(pictures.len() > MAX_PICTURES, "{}", pictures.len());
    for picture in pictures.iter().take(MAX_PICTURES) {
        let answer = app.get(picture).answer().await;
        assert_eq!(answer.status, 200, "{picture}");
        assert_eq!(answer.header("content-type"), "image/svg+xml", "{picture}");
    }
}

/// The examples of the search help use cards and fields of the sample games.
#[tokio::test]
async fn examples_of_the_search_help_are_valid_queries() {
    let app = with_all_games().await;
    let help = check("/search/help", &page(&app, "/search/help").await);
    let main: Vec<&str> = help.with("href").map(|(_, link)| link).collect();
    let examples: Vec<&&str> = main.iter().filter(|link| link.starts_with("/search?q=")).collect();
    assert!(examples.len() > 30, "{}", examples.len());
    for link in examples {
        let found = check(link, &page(&app, link).await);
        let main = &found.only("main").text;
        // Warnings about fields, values and attributes that no game has.
        for warning in ["There is no ", " has no value ", "No card has "] {
            assert!(!main.contains(warning), "{link}: {main}");
        }
    }
    let field_count = cardscape::search::card_fields().count();
    assert!(help.all("tr").count() > field_count, "a row for each of {field_count} fields");
}
