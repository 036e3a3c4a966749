//! The pages of players for others.

use serde_json::json;

use super::{Browser, check, links, two_players, value};
use crate::support::{RequestExt as _, TestApp};

#[tokio::test]
async fn a_player_shows_what_is_public_and_nothing_else() {
    let (app, cards, ada, ben) = two_players().await;
    let copy = app.register(&ada, &cards[0]).await;
    let path = "/players/ada";
    let his = Browser::of(&app, "ben").await;
    let stranger = Browser::new(&app);
    // A player who shows nothing gets the same answer as a name that no account has.
    for browser in [&his, &stranger] {
        let (hers, nobodys) = (browser.get(path).await, browser.get("/players/nobody").await);
        assert_eq!((hers.status, nobodys.status), (404, 404));
        assert_eq!(hers.bytes, nobodys.bytes);
    }
    app.set_trading(&ada, "public").await;
    assert_eq!(stranger.get(path).await.status, 404, "only players see copies");
    let page = his.page(path).await;
    assert_eq!(page.only("h1").text, "ada");
    assert!(
        page.only("main").text.contains("Hidden card")
            && !page.only("main").text.contains(&cards[0].name)
    );
    for link in ["/trades/new?player=ada".to_owned(), format!("/trades/new?player=ada&want={copy}")]
    {
        assert!(links(&page).contains(&link.as_str()), "{link}");
    }
    // The own page has no link to offer a trade.
    let hers = Browser::of(&app, "ada").await;
    let own = hers.page("/players/Ada").await;
    assert!(own.only("main").text.contains("Others see this page."));
    for browser in [&hers, &his] {
        let page = browser.page("/players/ADA").await;
        assert_eq!(page.only("h1").text, "ada", "the page shows the name as its owner writes it");
    }
    assert!(!links(&own).iter().any(|link| link.starts_with("/trades/new")));

    let item = json!({ "game": "ttcg", "set": "dusk", "number": "001", "rarity": cards[0].rarity, "quantity": 3 });
    let body = json!({ "visibility": "public", "items": [item] });
    app.put("/v1/me/haves")
        .by(&ada)
        .header("if-match", "\"r0\"")
        .json(&body)
        .answer()
        .await
        .expect(200);
    let page = check(path, &stranger.get(path).await);
    let list = page.all("h2").map(|heading| heading.text.as_str()).collect::<Vec<_>>();
    assert_eq!(list, ["Haves"]);
    let main = &page.only("main").text;
    assert!(
        main.contains("3×") && main.contains("Hidden card") && !main.contains(&cards[0].name),
        "{main}"
    );
    let rarity = cards[0].rarity.replace('_', " ");
    assert!(!main.to_lowercase().contains(&rarity), "{main}");
    // When he has a copy of the card, he sees its name and its rarity.
    let his_copy = cards.iter().skip(1).find(|card| card.number == cards[0].number).unwrap();
    app.register(&ben, his_copy).await;
    let page = his.page(path).await;
    let main = &page.only("main").text;
    assert!(main.contains(&cards[0].name) && main.to_lowercase().contains(&rarity), "{main}");
}

#[tokio::test]
async fn long_lists_are_paginated() {
    let app = TestApp::start().await;
    app.import_set("base", 70, false).await;
    let ada = app.player("ada").await;
    let items: Vec<_> = (1..=70)
        .map(|number| json!({ "game": "ttcg", "set": "base", "number": format!("{number:03}") }))
        .collect();
    let body = json!({ "visibility": "public", "items": items });
    app.put("/v1/me/wants")
        .by(&ada)
        .header("if-match", "\"r0\"")
        .json(&body)
        .answer()
        .await
        .expect(200);
    let stranger = Browser::new(&app);
    let tiles = |page: &crate::pages::html::Page| {
        page.all("li").filter(|tile| tile.has_class("tile")).count()
    };
    let few = check("few", &stranger.get("/players/ada").await);
    assert_eq!(tiles(&few), 24);
    let all = few.all("a").find(|link| link.text == "All 70 entries").unwrap();
    let first = check("all", &stranger.get(all.get("href").unwrap()).await);
    assert_eq!(tiles(&first), 60);
    let next = first.all("a").find(|link| link.get("rel") == Some("next")).unwrap();
    let last = check("last", &stranger.get(next.get("href").unwrap()).await);
    assert_eq!(tiles(&last), 10);
    assert!(!last.all("a").any(|link| link.get("rel") == Some("next")));
    // The form of the list is paginated as well.
    let hers = Browser::of(&app, "ada").await;
    let form = hers.page("/my/lists/wants?from=60").await;
    assert_eq!(form.all("input").filter(|field| field.get("name") == Some("item")).count(), 10);
    assert!(links(&hers.page("/my/lists/wants").await).contains(&"/my/lists/wants?from=60"));
}

/// The address of a page that is gone, because the list has become shorter, shows the last page.
#[tokio::test]
async fn a_list_that_has_become_shorter_shows_its_last_page() {
    let app = TestApp::start().await;
    app.import_set("base", 61, false).await;
    let ada = app.player("ada").await;
    let items: Vec<_> = (1..=61)
        .map(|number| json!({ "game": "ttcg", "set": "base", "number": format!("{number:03}") }))
        .collect();
    let body = json!({ "visibility": "public", "items": items });
    let put = app.put("/v1/me/wants").by(&ada).header("if-match", "\"r0\"").json(&body);
    put.answer().await.expect(200);
    let hers = Browser::of(&app, "ada").await;
    let form = hers.page("/my/lists/wants?from=60").await;
    let fields = [
        ("revision", value(&form, "revision")),
        ("from", value(&form, "from")),
        ("visibility", "public"),
        ("item", value(&form, "item")),
        ("number", "0"),
        ("step", "save"),
    ];
    let saved = hers.post("/my/lists/wants", &fields).await;
    assert_eq!(saved.status, 303, "{}", saved.text());
    let rest = hers.page(&saved.header("location")).await;
    assert_eq!(rest.all("input").filter(|field| field.get("name") == Some("item")).count(), 60);
    assert_eq!(value(&rest, "from"), "0");
    assert!(!rest.all("a").any(|link| link.get("rel") == Some("first")));
    let path = "/players/ada?show=wants&from=60";
    let shown = check(path, &Browser::new(&app).get(path).await);
    assert_eq!(shown.all("li").filter(|tile| tile.has_class("tile")).count(), 60);
    assert!(!shown.all("a").any(|link| link.get("rel") == Some("first")));
}
