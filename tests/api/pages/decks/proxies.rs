//! The page with the cards of a deck for printing (proxies).

use super::{Browser, start, store};
use crate::pages::frame::check;
use crate::pages::page;
use crate::support::RequestExt as _;

/// The cards of a page: first the pictures (`true`) with their alternative texts, then the frames without a picture (`false`) with their texts.
fn cards(page: &crate::pages::html::Page) -> Vec<(bool, &str)> {
    let pictures = page.all("img").map(|image| (true, image.get("alt").unwrap()));
    let frames = page.all("p").filter(|frame| frame.get("dir") == Some("auto"));
    pictures.chain(frames.map(|frame| (false, &*frame.text))).collect()
}

#[tokio::test]
async fn each_card_is_shown_as_often_as_it_is_in_the_deck() {
    let app = start().await;
    let ada = app.player("ada").await;
    app.give_copy(&ada.id, "ttcg", "veil", "001").await;
    let card = app.get("/v1/games/ttcg/sets/veil/cards/001").by(&ada).answer().await.expect(200);
    let name = card["name"].as_str().unwrap();
    let list = format!("9 Kettle Imp\n1 Bellows Smith {{rare}}\n2 No Such Card\n1 {name}");
    let deck = store(&app, &ada, "Printed", "public", &list).await;
    let path = format!("{deck}/proxies");
    let shown = check(&deck, &page(&app, &deck).await);
    assert!(shown.all("a").any(|link| link.get("href") == Some(&path)));

    let answer = page(&app, &path).await;
    let strange = check(&path, &answer);
    let listed = cards(&strange);
    let count = |card: (bool, &str)| listed.iter().filter(|one| **one == card).count();
    assert_eq!(count((true, "Kettle Imp")), 9);
    assert_eq!(count((true, "Bellows Smith")), 1);
    assert_eq!(count((false, "No Such Card")), 2);
    assert_eq!(count((false, "Hidden card veil 001")), 1);
    let shows_name = |page: &crate::pages::html::Page| {
        let says = |text: &String| text.contains(name);
        page.elements.iter().any(|one| says(&one.text) || one.attributes.values().any(says))
    };
    assert!(!shows_name(&strange));
    assert_eq!(listed.len(), 13);
    // The first sheet has nine cards.
    assert_eq!(strange.all("ul").filter(|sheet| sheet.has_class("proxies")).count(), 2);
    for image in strange.all("img") {
        let drawn = app.get(image.get("src").unwrap()).answer().await;
        assert_eq!((drawn.status, drawn.header("content-type").as_str()), (200, "image/svg+xml"));
    }
    let smith = strange.all("img").find(|image| image.get("alt") == Some("Bellows Smith"));
    assert!(smith.unwrap().get("src").unwrap().ends_with("?rarity=rare"));

    // The owner of the copy sees the hidden card.
    let hers = Browser::of(&app, "ada").await.page(&path).await;
    assert!(cards(&hers).contains(&(true, name)) && shows_name(&hers));
}

#[tokio::test]
async fn large_decks_are_truncated_with_a_notice() {
    let app = start().await;
    let ada = app.player("ada").await;
    let deck = store(&app, &ada, "Large", "private", "10000 Kettle Imp").await;
    let path = format!("{deck}/proxies");
    assert_eq!(app.get(&path).answer().await.status, 404);
    let shown = Browser::of(&app, "ada").await.page(&path).await;
    assert_eq!(shown.all("img").count(), 117);
    assert!(shown.only("main").text.contains("9,883 cards more are left out."));
}
