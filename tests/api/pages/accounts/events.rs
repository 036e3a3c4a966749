//! Own events on pages: the newest first, page by page, and which of them are told.

use super::{Browser, check};
use crate::support::{RequestExt as _, TestApp};

#[tokio::test]
async fn events_are_told_the_newest_first() {
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
    // 70 more are on two pages.
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
    let told = events(&first);
    assert_eq!(told.len(), 50);
    assert!(told[0].contains("void") && told[1].contains("frozen"), "{}", told[0]);
    let next = first.all("a").find(|link| link.get("rel") == Some("next")).unwrap();
    let last = browser.page(next.get("href").unwrap()).await;
    let told = events(&last);
    assert_eq!(told.len(), 21);
    assert!(told[20].contains("registered to you"), "{}", told[20]);
    assert!(!last.all("a").any(|link| link.get("rel") == Some("next")));
    assert!(last.all("a").any(|link| link.get("rel") == Some("first")));
    for (path, count) in
        [("/my/events?before=1", 0), ("/my/events?before=-7", 0), ("/my/events?before=9999", 50)]
    {
        assert_eq!(events(&browser.page(path).await).len(), count, "{path}");
    }
    assert_eq!(browser.get("/my/events?before=x").await.status, 400);
}

/// What the badge of all pages needs. No page has the number itself: those of the catalogue are the same for everybody.
#[tokio::test]
async fn a_browser_learns_how_many_events_it_has_not_shown() {
    let app = TestApp::start().await;
    app.import_set("dusk", 1, true).await;
    let cards = app.print("dusk", 1).await;
    let ada = app.player("ada").await;
    let browser = Browser::of(&app, "ada").await;
    let newest = async || {
        let answer = browser.get("/my/events/newest").await;
        assert_eq!(answer.header("cache-control"), "private, no-store");
        let told = answer.expect(200);
        assert_eq!(told["account"], ada.id);
        told["newest"].as_i64().unwrap()
    };
    assert_eq!(newest().await, 0);
    app.register(&ada, &cards[0]).await;
    let first = newest().await;
    assert!(first > 0);
    // The page of the events says what it shows.
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
    // Older events are not the newest.
    assert_eq!(browser.page("/my/events?before=2").await.only("h1").get("data-newest"), None);
    let stranger = Browser::new(&app).get("/my/events/newest").await;
    assert_eq!(stranger.status, 303, "the script reads no further");
    // What the script needs stands on each page, without a number.
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
    assert_eq!(boxes(&browser.page("/my/events").await), 10);
    let told = [("told", "deck.commented"), ("told", "design.replied")];
    assert_eq!(browser.send("/my/events/settings", &told).await.status, 303);
    let settings = app.get("/v1/me/event-settings").by(&ada).answer().await.expect(200);
    let muted = settings["muted"].as_array().unwrap();
    assert_eq!(muted.len(), 8);
    assert!(!muted.contains(&"deck.commented".into()) && muted.contains(&"deck.replied".into()));
    assert_eq!(boxes(&browser.page("/my/events?done=settings").await), 2);
}
