//! Pages tell nothing of hidden cards: those of two services that differ in hidden cards alone are the same, byte for byte.

use super::html::Page;
use super::unlock;
use crate::hidden_cards::{caught_up, searches, twins, twins_with, visible};
use crate::support::{RequestExt as _, TestApp, in_memory};

/// Pages at which hidden cards could show.
async fn paths(app: &TestApp) -> Vec<String> {
    let mut paths: Vec<String> = [
        "/",
        "/games/ttcg",
        "/sets/ttcg/hearth",
        "/sets/ttcg/veil",
        "/search/help",
        "/submit",
        "/login",
    ]
    .map(str::to_owned)
    .to_vec();
    let veil = app.get("/v1/cards?set=veil&limit=200").answer().await.expect(200);
    let first = veil["data"][0]["number"].as_str().unwrap();
    for ways in ["?rarity=rare", "?rarity=none", "?rarity=", "?x=1"] {
        paths.push(format!("/cards/ttcg/veil/{first}{ways}"));
    }
    for card in veil["data"].as_array().unwrap() {
        paths.push(format!("/cards/ttcg/veil/{}", card["number"].as_str().unwrap()));
        for ways in ["", "?rarity=rare"] {
            paths.push(format!("/pictures/{}{ways}", card["id"].as_str().unwrap()));
        }
    }
    paths.extend(["001", "158"].map(|number| format!("/cards/ttcg/hearth/{number}")));
    for (at, search) in searches().into_iter().enumerate().step_by(5) {
        let Some(query) = search.strip_prefix("/v1/cards?q=") else { continue };
        let query = query.split('&').next().unwrap();
        let ways =
            ["", "&game=ttcg", "&game=ttcg&as=list", "&sort=name&order=desc", "&sort=submissions"];
        paths.push(format!("/search?q={query}{}", ways[at % ways.len()]));
    }
    paths
}

#[tokio::test]
async fn pages_make_no_difference_between_hidden_cards() {
    compare(twins().await).await;
}

/// The same with all cards in memory.
#[tokio::test]
async fn pages_from_memory_make_no_difference_between_hidden_cards() {
    let (one, other) = twins_with(in_memory).await;
    one.catch_up().await;
    other.catch_up().await;
    compare((one, other)).await;
}

async fn compare((one, other): (TestApp, TestApp)) {
    let paths = paths(&one).await;
    assert!(paths.len() > 80, "{}", paths.len());
    let mut shown = 0;
    for path in &paths {
        for encoding in ["identity", "gzip"] {
            let ask = |app: &TestApp| app.get(path).header("accept-encoding", encoding);
            let (here, there) = tokio::join!(ask(&one).answer(), ask(&other).answer());
            assert_eq!(visible(&here), visible(&there), "{path}");
            assert_eq!(here.bytes, there.bytes, "{path}");
            shown += usize::from(here.status == 200);
        }
    }
    assert!(shown > paths.len(), "{shown}");
    // The comparison can fail: an unlocked card differs wherever it is shown.
    for app in [&one, &other] {
        let admin = app.admin().await;
        unlock(app, &admin, "001").await;
        caught_up(app).await;
    }
    for path in ["/", "/sets/ttcg/veil", "/cards/ttcg/veil/001", "/search?q=set:veil"] {
        let (here, there) = tokio::join!(one.get(path).answer(), other.get(path).answer());
        assert_ne!(visible(&here), visible(&there), "{path}");
    }
}

/// Other sites are told the same of all hidden cards.
#[tokio::test]
async fn previews_of_hidden_cards_are_alike() {
    let app = super::start().await;
    let mut told = Vec::new();
    for number in ["001", "002", "004"] {
        let path = format!("/cards/ttcg/veil/{number}");
        let page = Page::read(&super::page(&app, &path).await.text());
        let picture = page.meta("og:image").unwrap();
        let picture = picture.strip_prefix("http://127.0.0.1:8080").unwrap();
        let picture = app.get(picture).answer().await;
        assert_eq!(picture.header("content-type"), "image/png");
        let text = |property| page.meta(property).unwrap().to_owned();
        told.push((text("og:title"), text("og:description"), picture.bytes));
    }
    assert!(told.iter().all(|one| *one == told[0]));
}

/// Who sends a token sees what strangers see: pages know people by their cookie.
#[tokio::test]
async fn a_token_changes_nothing() {
    let app = super::start().await;
    let moderator = app.moderator().await;
    for path in ["/", "/sets/ttcg/veil", "/cards/ttcg/veil/001", "/search?q=set:veil"] {
        let stranger = app.get(path).answer().await;
        let known = app.get(path).by(&moderator).answer().await;
        assert_eq!(visible(&stranger), visible(&known), "{path}");
    }
}
