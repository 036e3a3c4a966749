//! The events of the own account on pages: their order, pagination, links, the badge, and the settings.

use serde_json::json;

use super::{Browser, check};
use crate::designs::{app as with_designs, heron, shared};
use crate::support::{RequestExt as _, TestApp};

#[tokio::test]
async fn events_are_listed_newest_first() {
    let app = TestApp::start().await;
    app.import_set("dusk", 1, true).await;
    let cards = app.print("dusk", 1).await;
    let ada = app.player("ada").await;
    let browser = Browser::of(&app, "ada").await;
    let page = browser.page("/my/events").await;
    assert!(page.only("main").text.contains("Nothing happened"));
    app.register(&ada, &cards[0]).await;
    let page = browser.page("/my/events").await;
    assert!(page.only("main").text.contains("A copy was registered to you."));
    assert!(page.all("a").any(|link| link.get("href") == Some("/cards/ttcg/dusk/001")));
    // 70 more events need a second page.
    app.sql(&format!(
        "INSERT INTO account_events (account_id, kind, created_at) \
         SELECT '{}', CASE WHEN n = 70 THEN 'copy.voided' ELSE 'copy.frozen' END, now() FROM generate_series(1, 70) n",
        ada.id
    ))
    .await;
    let events = |page: &super::Page| -> Vec<String> {
        page.all("li").map(|line| line.text.clone()).filter(|text| text.contains("UTC")).collect()
    };
    let first = browser.page("/my/events").await;
    let lines = events(&first);
    assert_eq!(lines.len(), 50);
    assert!(lines[0].contains("void") && lines[1].contains("frozen"), "{}", lines[0]);
    let next = first.all("a").find(|link| link.get("rel") == Some("next")).unwrap();
    let last = browser.page(next.get("href").unwrap()).await;
    let lines = events(&last);
    assert_eq!(lines.len(), 21);
    assert!(lines[20].contains("registered to you"), "{}", lines[20]);
    assert!(!last.all("a").any(|link| link.get("rel") == Some("next")));
    assert!(last.all("a").any(|link| link.get("rel") == Some("first")));
    for (path, count) in
        [("/my/events?before=1", 0), ("/my/events?before=-7", 0), ("/my/events?before=9999", 50)]
    {
        assert_eq!(events(&browser.page(path).await).len(), count, "{path}");
    }
    assert_eq!(browser.get("/my/events?before=x").await.status, 400);
}

/// Each event links to the pages of its subject.
#[tokio::test]
async fn events_link_to_their_subjects() {
    let app = with_designs().await;
    app.import_set("dusk", 1, true).await;
    let cards = app.print("dusk", 1).await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let copy = app.register(&ada, &cards[0]).await;
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let deck = json!({ "format": "ttcg/standard", "name": "Embers", "list": "1 Kettle Imp", "visibility": "public" });
    let deck = app.post("/v1/decks").by(&ada).json(&deck).answer().await;
    let deck = deck.header("location");
    let comment = json!({ "text": "Far too cheap." });
    for on in [&design, &deck] {
        app.post(&format!("{on}/comments")).by(&ben).json(&comment).answer().await.expect(201);
    }
    let change = json!({ "revision": 1, "message": "So?", "design": heron("Lantern Egret") });
    let change = app.post(&format!("{design}/suggestions")).by(&ben).json(&change).answer().await;
    let suggestion = change.header("location").replacen("/v1", "", 1);
    let other = "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";
    let id = design.rsplit('/').next().unwrap();
    app.sql(&format!(
        "INSERT INTO account_events (account_id, kind, copy_id, trade_id, created_at) \
         VALUES ('{}', 'copy.given', '{other}', '{other}', now())",
        ada.id
    ))
    .await;
    let browser = Browser::of(&app, "ada").await;
    let page = browser.page("/my/events").await;
    let (design, deck) = (design.replacen("/v1", "", 1), deck.replacen("/v1", "", 1));
    let ways = |text: &str| -> Vec<&str> {
        // In the list of elements, an item comes before its links.
        let at = page.elements.iter().position(|one| one.name == "li" && one.text.contains(text));
        let rest = &page.elements[at.unwrap_or_else(|| panic!("no event says {text}")) + 1..];
        let links = rest.iter().take_while(|one| one.name != "li" && one.name != "section");
        links.filter_map(|link| link.get("href")).collect()
    };
    let copy = format!("/my/copies/{copy}");
    assert_eq!(ways("A copy was registered to you."), ["/cards/ttcg/dusk/001", &copy]);
    let comments = format!("{design}#comments");
    assert_eq!(ways("commented on a design"), [&*design, &comments]);
    let comments = format!("{deck}#comments");
    assert_eq!(ways("commented on a deck"), [&*deck, &comments]);
    assert_eq!(ways("suggests a change"), [&*design, &suggestion]);
    // The player who gave the copy away may not see it, so the event does not link to it.
    assert_eq!(ways("You gave a copy away"), [format!("/trades/{other}")]);
    assert!(
        page.all("a").any(|link| link.text == id),
        "the text of the link is the identifier of the design"
    );
    for path in [&copy, &design, &deck, &suggestion] {
        browser.page(path).await;
    }
}

/// A copy that was traded on has no page for its earlier owner.
#[tokio::test]
async fn events_link_only_copies_that_the_reader_still_has() {
    let app = TestApp::start().await;
    app.import_set("dusk", 1, true).await;
    let cards = app.print("dusk", 1).await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let cem = app.player("cem").await;
    let copy = app.register(&ada, &cards[0]).await;
    let path = format!("/my/copies/{copy}");
    let (hers, his) = (Browser::of(&app, "ada").await, Browser::of(&app, "ben").await);
    let links = |page: &super::Page| page.all("a").any(|link| link.get("href") == Some(&*path));
    assert!(links(&hers.page("/my/events").await));
    app.hand_over(&ada, &ben, &copy).await;
    assert!(!links(&hers.page("/my/events").await));
    assert!(links(&his.page("/my/events").await));
    app.hand_over(&ben, &cem, &copy).await;
    let page = his.page("/my/events").await;
    assert!(page.only("main").text.contains("You received a copy in a trade."));
    assert!(!links(&page));
}

/// The badge of all pages. No page contains the number of new events, because pages of the catalogue are the same for all readers.
#[tokio::test]
async fn a_browser_can_count_the_events_that_it_has_not_shown() {
    let app = TestApp::start().await;
    app.import_set("dusk", 1, true).await;
    let cards = app.print("dusk", 1).await;
    let ada = app.player("ada").await;
    let browser = Browser::of(&app, "ada").await;
    let newest = async || {
        let answer = browser.get("/my/events/newest").await;
        assert_eq!(answer.header("cache-control"), "private, no-store");
        let newest_event = answer.expect(200);
        assert_eq!(newest_event["account"], ada.id);
        newest_event["newest"].as_i64().unwrap()
    };
    assert_eq!(newest().await, 0);
    app.register(&ada, &cards[0]).await;
    let first = newest().await;
    assert!(first > 0);
    // The page of the events states the newest event that it shows.
    let page = browser.page("/my/events").await;
    let shown = page.only("h1");
    let number = first.to_string();
    assert_eq!(
        (shown.get("data-account"), shown.get("data-newest")),
        (Some(&*ada.id), Some(&*number))
    );
    app.sql(&format!(
        "INSERT INTO account_events (account_id, kind, created_at) SELECT '{}', 'copy.frozen', now() FROM generate_series(1, 3)",
        ada.id
    ))
    .await;
    assert_eq!(newest().await, first + 3);
    // A page of older events states no newest event.
    assert_eq!(browser.page("/my/events?before=2").await.only("h1").get("data-newest"), None);
    let stranger = Browser::new(&app).get("/my/events/newest").await;
    assert_eq!(
        (stranger.status, stranger.text().as_str()),
        (204, ""),
        "the script stops at an empty answer"
    );
    // Every page has the elements that the script needs, without a number.
    let (hers, everybodys) = (browser.get("/").await, Browser::new(&app).get("/").await);
    assert_eq!(hers.bytes, everybodys.bytes);
    let page = check("/", &hers);
    let badge = page.with("data-asks").next().unwrap();
    assert_eq!(
        (badge.1, badge.0.get("id"), &*badge.0.text),
        ("/my/events/newest", Some("badge"), "")
    );
    for text in ["one", "several", "many"] {
        assert!(
            badge.0.get(&format!("data-{text}")).is_some_and(|text| !text.is_empty()),
            "{text}"
        );
    }
    assert!(badge.0.get("data-several").unwrap().contains("{count}"));
}

#[tokio::test]
async fn kinds_of_events_are_turned_off_and_on() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let mut browser = Browser::of(&app, "ada").await;
    let boxes = |page: &super::Page| {
        let of_kind = page.all("input").filter(|field| field.get("name") == Some("told"));
        of_kind.filter(|field| field.get("checked").is_some()).count()
    };
    assert_eq!(boxes(&browser.page("/my/events").await), 11);
    let turned_on = [("told", "deck.commented"), ("told", "design.replied")];
    assert_eq!(browser.send("/my/events/settings", &turned_on).await.status, 303);
    let settings = app.get("/v1/me/event-settings").by(&ada).answer().await.expect(200);
    let muted = settings["muted"].as_array().unwrap();
    assert_eq!(muted.len(), 9);
    assert!(!muted.contains(&"deck.commented".into()) && muted.contains(&"deck.replied".into()));
    assert_eq!(boxes(&browser.page("/my/events?done=settings").await), 2);
}
