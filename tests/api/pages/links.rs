//! Every link leads somewhere.

use std::collections::{BTreeSet, VecDeque};

use super::frame::check;
use super::page;
use crate::support::{RequestExt as _, TestApp};

/// Most pages that are read.
const PAGES: usize = 220;
/// Most pictures that are asked for.
const PICTURES: usize = 40;

/// The games that the examples of the search are about.
async fn with_all_games() -> TestApp {
    let app = TestApp::start().await;
    app.seed(&["ttcg", "emoji-tcg", "uno-emoji", "emojo-dojo", "emojito"]).await;
    app
}

#[tokio::test]
async fn every_link_leads_somewhere() {
    let app = with_all_games().await;
    let (mut seen, mut next) = (BTreeSet::new(), VecDeque::from(["/".to_owned()]));
    let mut pictures = BTreeSet::new();
    while let Some(path) = next.pop_front() {
        if seen.len() == PAGES || !seen.insert(path.clone()) {
            continue;
        }
        let answer = app.get(&path).answer().await;
        if answer.status == 303 {
            let to = answer.header("location");
            assert!(to.starts_with("/login?to="), "{path}: a page of players leads to {to}");
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
                // Few of many cards and of many searches, so that each form is among them.
                let is_one_of_many = link.contains("rarity=") || link.starts_with("/search?");
                if !(is_one_of_many && seen.len() > 60) {
                    next.push_back(link.to_owned());
                }
            }
        }
        pictures.extend(page.with("src").map(|(_, src)| src.to_owned()));
    }
    assert!(seen.len() > 150, "{}", seen.len());
    let kinds = ["/games/", "/sets/", "/cards/", "/search?", "/search/help", "/docs/", "/assets/"];
    for kind in kinds {
        assert!(seen.iter().any(|path| path.starts_with(kind)), "{kind}");
    }
    for picture in pictures.iter().take(PICTURES) {
        let answer = app.get(picture).answer().await;
        assert_eq!(answer.status, 200, "{picture}");
        assert_eq!(answer.header("content-type"), "image/svg+xml", "{picture}");
    }
}

/// The examples of the help name what the sample games have.
#[tokio::test]
async fn examples_of_the_help_can_be_read() {
    let app = with_all_games().await;
    let help = check("/search/help", &page(&app, "/search/help").await);
    let main: Vec<&str> = help.with("href").map(|(_, link)| link).collect();
    let examples: Vec<&&str> = main.iter().filter(|link| link.starts_with("/search?q=")).collect();
    assert!(examples.len() > 30, "{}", examples.len());
    for link in examples {
        assert_eq!(app.get(link).answer().await.status, 200, "{link}");
    }
    let table = cardscape::search::card_fields().count();
    assert!(help.all("tr").count() > table, "a row for each of {table} fields");
}
