//! The own copies, and the history of each.

use super::{Browser, check, links, two_players};
use crate::support::RequestExt as _;

#[tokio::test]
async fn copies_are_grouped_by_set_and_show_their_state() {
    let (app, cards, ada, ben) = two_players().await;
    let hers = Browser::of(&app, "ada").await;
    let empty = hers.page("/my/copies").await;
    assert!(empty.only("main").text.contains("No copy is registered to you yet."));
    assert!(links(&empty).contains(&"/submit"));
    let copy = app.register(&ada, &cards[0]).await;
    let other = app.register(&ada, cards.iter().find(|card| card.number == "002").unwrap()).await;
    let moderator = app.moderator().await;
    app.moderate(&moderator, &other, "freeze").await.expect(200);

    let page = hers.page("/my/copies").await;
    assert_eq!(
        page.all("h2").map(|heading| heading.text.as_str()).collect::<Vec<_>>(),
        ["dusk (TTCG)"]
    );
    let tiles: Vec<_> = page.all("li").filter(|tile| tile.has_class("tile")).collect();
    assert_eq!(tiles.len(), 2);
    // The card is hidden, but she has a copy: she sees its name and its picture.
    assert!(tiles[0].text.contains(&cards[0].name), "{:?}", tiles[0]);
    assert!(tiles[0].text.contains("Hidden from others") && !tiles[0].text.contains("Frozen"));
    assert!(tiles[1].text.contains("Frozen"), "{:?}", tiles[1]);
    assert!(links(&page).contains(&format!("/my/copies/{copy}").as_str()));
    assert_eq!(page.all("img").count(), 2);
    for picture in page.all("img").filter_map(|image| image.get("src")) {
        assert!(picture.starts_with("/pictures/"), "{picture}");
        let drawn = hers.get(picture).await;
        assert_eq!((drawn.status, drawn.header("content-type")), (200, "image/svg+xml".to_owned()));
    }

    let narrowed = hers.page("/my/copies?game=ttcg&set=dusk&rarity=mythic_rare").await;
    let kept = narrowed.all("input").find(|field| field.get("id") == Some("set")).unwrap();
    assert_eq!(kept.get("value"), Some("dusk"));
    let refused = hers.get("/my/copies?set=duzk").await;
    assert_eq!(refused.status, 400);
    let refused = check("duzk", &refused);
    let field = refused.all("input").find(|field| field.get("id") == Some("set")).unwrap();
    assert_eq!(field.get("aria-invalid"), Some("true"));
    assert!(refused.all("a").any(|link| link.get("href") == Some("#set")));
    assert_eq!(hers.get("/my/copies?cursor=x").await.status, 400);

    let his = Browser::of(&app, "ben").await;
    for path in [format!("/my/copies/{copy}"), format!("/my/copies/{other}")] {
        assert_eq!(his.get(&path).await.status, 404, "{path}");
    }
    let _ = ben;
}

#[tokio::test]
async fn a_copy_page_shows_its_history_and_its_links() {
    let (app, cards, ada, ben) = two_players().await;
    let copy = app.register(&ada, &cards[0]).await;
    let trade = app.hand_over(&ada, &ben, &copy).await;
    let his = Browser::of(&app, "ben").await;
    let path = format!("/my/copies/{copy}");
    let page = his.page(&path).await;
    assert_eq!(page.only("h1").text, cards[0].name);
    let events: Vec<&str> = page
        .all("ol")
        .filter(|list| list.has_class("rows"))
        .map(|list| list.text.as_str())
        .collect();
    assert_eq!(events.len(), 1);
    let (registered, got) =
        (events[0].find("Another player registered it."), events[0].find("You got it in a trade."));
    assert!(registered.is_some() && registered < got, "{events:?}");
    assert!(links(&page).contains(&format!("/trades/{trade}").as_str()));
    assert!(links(&page).contains(&format!("/trades/new?give={copy}").as_str()));
    assert!(
        !page.only("main").text.contains(&cards[0].serial),
        "the page does not show the serial code"
    );
    assert!(!page.only("main").text.contains("ada"), "the page does not name earlier owners");

    // Another player claims the copy, and a moderator freezes it.
    let cem = app.player("cem").await;
    app.submit(&cem, &cards[0]).await.problem(409, "registered_to_another");
    let moderator = app.moderator().await;
    app.moderate(&moderator, &copy, "freeze").await.expect(200);
    let page = his.page(&path).await;
    let main = &page.only("main").text;
    for message in [
        "Frozen, and claimed by another player",
        "Another player claimed it.",
        "A moderator froze it: no trade moves it.",
        "because of freeze",
    ] {
        assert!(main.contains(message), "{message}: {main}");
    }
    assert!(
        !links(&page).iter().any(|link| link.starts_with("/trades/new")),
        "a frozen copy cannot be offered"
    );
    // Moderators see copies of others through the API, but not on this page.
    let mut theirs = Browser::new(&app);
    let fields = [("name", moderator.name.as_str()), ("password", moderator.password.as_str())];
    assert_eq!(theirs.send("/login", &fields).await.status, 303);
    app.get(&format!("/v1/copies/{copy}")).by(&moderator).answer().await.expect(200);
    assert_eq!(theirs.get(&path).await.status, 404);
}
