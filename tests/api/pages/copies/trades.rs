//! A trade is shown to both sides, accepted after a confirmation, declined, and cancelled.

use super::{Browser, actions, check, links, two_players};
use crate::support::{RequestExt as _, text};

#[tokio::test]
async fn an_offer_is_accepted_after_a_confirmation() {
    let (app, cards, ada, ben) = two_players().await;
    let copy = app.register(&ada, &cards[0]).await;
    let trade = text(&app.offer(&ada, &ben, &[&copy], &[]).await.expect(201), "id");
    let (hers, his) = (Browser::of(&app, "ada").await, Browser::of(&app, "ben").await);
    let path = format!("/trades/{trade}");
    for (browser, title, state) in [
        (&hers, "Your offer to ben", "Waiting for the other player"),
        (&his, "Offer from ada", "Waiting for you"),
    ] {
        let list = browser.page("/trades").await;
        let row = list.all("li").find(|row| row.text.contains(title)).unwrap();
        assert!(row.text.contains(state), "{row:?}");
        let page = browser.page(&path).await;
        assert_eq!(page.only("h1").text, title);
        assert!(page.only("main").text.contains("It makes no difference to your decks."));
        // It links to no page of the other player, who may show nothing.
        assert!(!links(&page).iter().any(|link| link.starts_with("/players/")));
    }
    // His page of events also links to the trade.
    assert!(links(&his.page("/my/events").await).contains(&path.as_str()));
    // The card is hidden from him until he has the copy.
    let page = his.page(&path).await;
    assert!(!page.only("main").text.contains(&cards[0].name));
    assert!(page.only("main").text.contains("Hidden card"));
    assert_eq!(actions(&page), [format!("{path}/decline"), "/players/ada/block".to_owned()]);
    assert!(links(&page).contains(&format!("{path}/accept").as_str()));
    let block = "/players/ben/block".to_owned();
    assert_eq!(actions(&hers.page(&path).await), [format!("{path}/cancel"), block]);

    let question = his.page(&format!("{path}/accept")).await;
    assert_eq!(question.only("h1").text, "Accept this offer?");
    assert_eq!(actions(&question), [format!("{path}/accept")]);
    // A GET request accepts nothing. The player who made the offer gets no confirmation page.
    assert_eq!(app.copies_of(&ada).await, std::slice::from_ref(&copy));
    let confirmation = hers.page(&format!("{path}/accept")).await;
    assert_eq!(actions(&confirmation), [format!("{path}/cancel"), "/players/ben/block".to_owned()]);

    let accepted = his.post(&format!("{path}/accept"), &[]).await;
    let done = format!("{path}?done=accepted");
    assert_eq!((accepted.status, accepted.header("location")), (303, done.clone()));
    assert_eq!(app.copies_of(&ben).await, [copy]);
    let page = his.page(&done).await;
    assert!(page.only("main").text.contains("the copies have changed hands"));
    assert!(page.only("main").text.contains(&cards[0].name), "he sees the card after the trade");
    assert_eq!(actions(&page), ["/players/ada/block"]);
    // A second acceptance gets the same answer. A late cancellation is refused.
    assert_eq!(his.post(&format!("{path}/accept"), &[]).await.status, 303);
    let late = hers.post(&format!("{path}/cancel"), &[]).await;
    assert_eq!(late.status, 409);
    let late = check("late", &late);
    assert!(late.only("main").text.contains("The offer is not open any more."));
    assert!(his.page("/trades").await.only("main").text.contains("No offer is open."));
    assert!(links(&his.page("/trades?state=accepted").await).contains(&path.as_str()));
    assert!(links(&his.page("/trades?state=all").await).contains(&path.as_str()));
    assert_eq!(his.get("/trades?state=none").await.status, 400);
}

#[tokio::test]
async fn offers_are_declined_and_taken_back_by_the_right_side() {
    let (app, cards, ada, ben) = two_players().await;
    let copy = app.register(&ada, &cards[0]).await;
    let (hers, his) = (Browser::of(&app, "ada").await, Browser::of(&app, "ben").await);
    let cem = app.player("cem").await;
    let strangers = Browser::of(&app, &cem.name).await;
    for (way, by, other, state) in
        [("decline", &his, &hers, "Declined"), ("cancel", &hers, &his, "Taken back")]
    {
        let trade = text(&app.offer(&ada, &ben, &[&copy], &[]).await.expect(201), "id");
        let path = format!("/trades/{trade}");
        for of in [path.clone(), format!("{path}/accept"), format!("{path}/counter")] {
            assert_eq!(strangers.get(&of).await.status, 404, "{of}");
        }
        for of in ["accept", "decline", "cancel", "counter"] {
            let fields = [("step", "send"), ("give", UNKNOWN_COPY)];
            let sent = strangers.post(&format!("{path}/{of}"), &fields).await;
            assert_eq!(sent.status, 404, "{of}");
        }
        let turned = other.post(&format!("{path}/{way}"), &[]).await;
        assert_eq!(turned.status, 409);
        let turned = check(way, &turned);
        assert!(turned.only("main").text.contains("Only the other player can do this."));
        let done = by.post(&format!("{path}/{way}"), &[]).await;
        assert_eq!(done.status, 303, "{}", done.text());
        let after = by.page(&done.header("location")).await;
        assert!(after.only("main").text.contains(state), "{way}");
        let stored = app.get(&format!("/v1/trades/{trade}")).by(&ada).answer().await.expect(200);
        let expected = if way == "decline" { "declined" } else { "cancelled" };
        assert_eq!(stored["state"], expected);
    }
}

const UNKNOWN_COPY: &str = super::NOTHING;

#[tokio::test]
async fn an_offer_that_cannot_be_accepted_says_so() {
    let (app, cards, ada, ben) = two_players().await;
    let copy = app.register(&ada, &cards[0]).await;
    let trade = text(&app.offer(&ada, &ben, &[&copy], &[]).await.expect(201), "id");
    let moderator = app.moderator().await;
    app.moderate(&moderator, &copy, "freeze").await.expect(200);
    let his = Browser::of(&app, "ben").await;
    let path = format!("/trades/{trade}");
    let page = his.page(&path).await;
    assert!(page.only("main").text.contains("the offer cannot lead to a trade"));
    assert!(page.only("main").text.contains("Cannot be given any more"));
    // The page does not state the effect on decks, because it is not known.
    assert!(!page.only("main").text.contains("your decks"));
    let lapsed = his.post(&format!("{path}/accept"), &[]).await;
    assert_eq!(lapsed.status, 409);
    let lapsed = check("lapsed", &lapsed);
    let main = &lapsed.only("main").text;
    assert!(
        main.contains("Nothing changed hands.") && main.contains("Void: a copy could not be"),
        "{main}"
    );
    assert_eq!(app.copies_of(&ada).await, [copy]);
}

#[tokio::test]
async fn a_message_has_its_lines() {
    let (app, cards, ada, _) = two_players().await;
    let copy = app.register(&ada, &cards[0]).await;
    let hers = Browser::of(&app, "ada").await;
    let form = hers.page("/trades/new?player=ben").await;
    let key = form.all("input").find(|field| field.get("name") == Some("key")).unwrap();
    let fields = [
        ("player", "ben"),
        ("give", &*copy),
        ("message", "The first line\r\nthe second"),
        ("hours", "24"),
        ("step", "send"),
        ("key", key.get("value").unwrap()),
    ];
    let sent = hers.post("/trades/new", &fields).await;
    assert_eq!(sent.status, 303, "{}", sent.text());
    let trades = app.get("/v1/trades").by(&ada).answer().await.expect(200);
    assert_eq!(trades["data"][0]["message"], "The first line\nthe second");
    let his = Browser::of(&app, "ben").await;
    let page = his.page(&format!("/trades/{}", text(&trades["data"][0], "id"))).await;
    let lines: Vec<&str> = page.all("p").map(|line| line.text.as_str()).collect();
    assert!(lines.contains(&"The first line") && lines.contains(&"the second"), "{lines:?}");
}

/// The page escapes the message of the other player.
#[tokio::test]
async fn a_hostile_message_is_escaped() {
    let (app, cards, ada, _) = two_players().await;
    let copy = app.register(&ada, &cards[0]).await;
    let hostile = "<script>alert(1)</script>\"><img src=x onerror='alert(2)'> </main>";
    let body = serde_json::json!({ "with": "ben", "give": [copy], "message": hostile });
    let trade = app.post("/v1/trades").by(&ada).json(&body).answer().await.expect(201);
    let his = Browser::of(&app, "ben").await;
    for path in ["/trades".to_owned(), format!("/trades/{}", text(&trade, "id"))] {
        let page = his.page(&path).await;
        assert!(page.only("main").text.contains(hostile), "{path}");
        assert!(!page.all("img").any(|image| image.get("src") == Some("x")), "{path}");
    }
}
