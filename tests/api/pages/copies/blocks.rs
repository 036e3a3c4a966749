//! Players are blocked on their pages and on the pages of trades, and listed for the player who blocked them.

use super::{Browser, actions, check, links, two_players};
use crate::support::{RequestExt as _, text};

#[tokio::test]
async fn a_player_is_blocked_and_unblocked_with_buttons() {
    let (app, cards, ada, ben) = two_players().await;
    let copy = app.register(&ben, &cards[0]).await;
    let trade = text(&app.offer(&ben, &ada, &[&copy], &[]).await.expect(201), "id");
    let trade = format!("/trades/{trade}");
    app.set_trading(&ben, "public").await;
    let mut hers = Browser::of(&app, "ada").await;
    assert!(links(&hers.page("/my/account").await).contains(&"/my/blocks"));
    let none = hers.page("/my/blocks").await;
    assert!(none.only("main").text.contains("You have blocked nobody."));
    for path in [&*trade, "/players/ben"] {
        let page = hers.page(path).await;
        assert!(actions(&page).contains(&"/players/ben/block"), "{path}: {:?}", actions(&page));
        assert!(page.only("main").text.contains("Open offers between you are closed."), "{path}");
    }
    // A page that asks for confirmation has one question only.
    let question = hers.page(&format!("{trade}/accept")).await;
    assert!(!actions(&question).contains(&"/players/ben/block"));

    let sent = hers.send("/players/ben/block", &[]).await;
    assert_eq!((sent.status, sent.header("location")), (303, "/my/blocks?done=blocked".to_owned()));
    let list = hers.page("/my/blocks?done=blocked").await;
    assert!(
        list.only("main")
            .text
            .contains("The player is blocked. Open offers between you are closed.")
    );
    assert_eq!(actions(&list), ["/players/ben/unblock"]);
    for path in [&*trade, "/players/ben"] {
        let page = hers.page(path).await;
        assert!(actions(&page).contains(&"/players/ben/unblock"), "{path}: {:?}", actions(&page));
        assert!(page.only("main").text.contains("You have blocked this player."), "{path}");
    }
    // The blocked player finds no sign of it.
    let his = Browser::of(&app, "ben").await;
    assert!(!his.page(&trade).await.only("main").text.contains("You have blocked"));

    for _ in 0..2 {
        let sent = hers.send("/players/BEN/unblock", &[]).await;
        assert_eq!(sent.header("location"), "/my/blocks?done=unblocked");
    }
    assert_eq!(actions(&hers.page("/my/blocks").await), Vec::<&str>::new());
    assert_eq!(hers.send("/players/nobody/block", &[]).await.status, 404);
    let oneself = hers.send("/players/ada/block", &[]).await;
    assert_eq!(oneself.status, 409);
    assert!(check("oneself", &oneself).only("main").text.contains("nobody can block themselves"));
    // Strangers and the player in question see no button.
    let path = "/players/ben";
    assert!(!actions(&his.page(path).await).iter().any(|to| to.contains("block")));
    let item = serde_json::json!({ "game": "ttcg", "set": "dusk", "number": "001" });
    let body = serde_json::json!({ "visibility": "public", "items": [item] });
    let wants = app.put("/v1/me/wants").by(&ben).header("if-match", "*").json(&body);
    wants.answer().await.expect(200);
    let strange = Browser::new(&app).get(path).await;
    assert_eq!(strange.status, 200, "{}", strange.text());
    assert!(!actions(&check(path, &strange)).iter().any(|to| to.contains("block")));
}

/// The page of a player who has blocked the reader is that of a player who takes no offers and shows no copies.
#[tokio::test]
async fn the_page_of_a_player_does_not_show_that_the_reader_is_blocked() {
    let (app, cards, ada, ben) = two_players().await;
    app.register(&ada, &cards[0]).await;
    let item = serde_json::json!({ "game": "ttcg", "set": "dusk", "number": "001" });
    let body = serde_json::json!({ "visibility": "public", "items": [item] });
    let wants = app.put("/v1/me/wants").by(&ada).header("if-match", "*").json(&body);
    wants.answer().await.expect(200);
    let his = Browser::of(&app, "ben").await;
    let (path, block) = ("/players/ada", format!("/v1/me/blocks/{}", ben.id));
    app.set_trading(&ada, "closed").await;
    assert!(his.page(path).await.only("main").text.contains("takes no offers"));
    let closed = his.get(path).await;
    for trading in ["offers", "public"] {
        app.set_trading(&ada, trading).await;
        assert!(links(&his.page(path).await).contains(&"/trades/new?player=ada"), "{trading}");
        app.put(&block).by(&ada).answer().await.expect(204);
        assert_eq!(his.get(path).await.text(), closed.text(), "{trading}");
        app.delete(&block).by(&ada).answer().await.expect(204);
    }
}

#[tokio::test]
async fn a_player_who_takes_no_offers_is_offered_none() {
    let (app, _, _, ben) = two_players().await;
    let item = serde_json::json!({ "game": "ttcg", "set": "dusk", "number": "001" });
    let body = serde_json::json!({ "visibility": "public", "items": [item] });
    let wants = app.put("/v1/me/wants").by(&ben).header("if-match", "*").json(&body);
    wants.answer().await.expect(200);
    let hers = Browser::of(&app, "ada").await;
    let offers = async || {
        let page = hers.page("/players/ben").await;
        let offers = links(&page).iter().any(|link| link.starts_with("/trades/new"));
        (offers, page.only("main").text.contains("takes no offers"))
    };
    assert_eq!(offers().await, (true, false));
    app.set_trading(&ben, "closed").await;
    assert_eq!(offers().await, (false, true));
}
