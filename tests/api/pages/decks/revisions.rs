//! The revisions of decks, and how to restore them.

use serde_json::json;

use super::{Browser, start, store};
use crate::pages::frame::check;
use crate::pages::page;
use crate::support::{Player, RequestExt as _, TestApp};

/// Stores another version of a deck through the API, with the quantity, zone and name of each entry.
async fn change(app: &TestApp, owner: &Player, deck: &str, entries: &[(u32, &str, &str)]) {
    let entry = |(quantity, zone, name): &(u32, &str, &str)| json!({ "quantity": quantity, "zone": zone, "name": name });
    let entries: Vec<_> = entries.iter().map(entry).collect();
    let body = json!({ "name": "Draft", "format": "ttcg/standard", "visibility": "public", "entries": entries });
    let put = app.put(&format!("/v1{deck}")).by(owner).header("if-match", "*").json(&body);
    put.answer().await.expect(200);
}

#[tokio::test]
async fn versions_are_listed_with_their_differences() {
    let app = start().await;
    let ada = app.player("ada").await;
    let deck = store(&app, &ada, "Draft", "public", "2 Kettle Imp\n1 Bellows Smith").await;
    let (imp, moth) = ("Kettle Imp", "Ember Moth Cloud");
    change(&app, &ada, &deck, &[(1, "main", imp), (2, "main", moth), (1, "side", imp)]).await;
    change(&app, &ada, &deck, &[(1, "main", imp), (3, "main", moth)]).await;

    let shown = check(&deck, &page(&app, &deck).await);
    let list = format!("{deck}/revisions");
    assert!(shown.all("a").any(|link| link.get("href") == Some(&list)));
    let answer = page(&app, &list).await;
    assert_eq!(answer.header("cache-control"), "private, no-cache");
    let listed = check(&list, &answer);
    let links = listed.all("a").filter(|link| link.has_class("title"));
    let links: Vec<&str> = links.map(|link| link.get("href").unwrap()).collect();
    assert_eq!(links, [3, 2, 1].map(|number| format!("{list}/{number}")));
    let main = &listed.only("main").text;
    for expected in ["4 cards, as many as before", "4 cards, 1 card more", "3 cards"] {
        assert!(main.contains(expected), "{expected}: {main}");
    }
    let newest = listed.all("li").filter(|row| row.text.ends_with("The newest"));
    let newest: Vec<&str> = newest.map(|row| &*row.text).collect();
    assert!(newest.len() == 1 && newest[0].contains("as many as before"), "{newest:?}");

    let path = format!("{list}/2");
    let one = check(&path, &page(&app, &path).await);
    let rows: Vec<&str> = one.all("tr").map(|row| &*row.text).collect();
    for (name, what, zones) in [
        (imp, "Moved", &["Deck: 2, then 1", "Side: 0, then 1"][..]),
        ("Bellows Smith", "Taken out", &["Deck: 1, then 0"]),
        (moth, "Added", &["Deck: 0, then 2"]),
        (imp, "Taken out", &["Side: 1, then 0"]),
        (moth, "Another number", &["Deck: 2, then 3"]),
    ] {
        let fits = |row: &&str| {
            let tells = zones.iter().all(|zone| row.contains(zone));
            row.starts_with(name) && row.contains(what) && tells
        };
        assert_eq!(rows.iter().copied().filter(fits).count(), 1, "{name} {what}: {rows:?}");
    }
    // Five changes, and the heads of two tables.
    assert_eq!(rows.len(), 7, "{rows:?}");
    let card = app.get("/v1/cards?q=%22Kettle+Imp%22").answer().await.expect(200);
    let link = format!("/cards/ttcg/hearth/{}", card["data"][0]["number"].as_str().unwrap());
    assert!(one.all("a").filter(|element| element.get("href") == Some(&link)).count() >= 3);
    let headings: Vec<&str> = one.all("h2").map(|heading| &*heading.text).collect();
    let after = "What changed after it, up to version 3";
    assert_eq!(headings, ["What changed since version 1", after, "Cards of the deck"]);
    assert!(one.all("form").all(|form| form.get("method") != Some("post")), "only owners restore");

    let path = format!("{list}/1");
    let first = check(&path, &page(&app, &path).await);
    assert!(first.only("main").text.contains("There is no version before this one"));
    for missing in ["4", "0", "x"] {
        assert_eq!(app.get(&format!("{list}/{missing}")).answer().await.status, 404, "{missing}");
    }
}

/// As in the API, other readers see only versions that were not private when they were saved, and no version of a private deck.
#[tokio::test]
async fn private_versions_are_shown_only_to_the_owner() {
    let app = start().await;
    let ada = app.player("ada").await;
    let deck = store(&app, &ada, "Draft", "private", "2 Kettle Imp").await;
    let list = format!("{deck}/revisions");
    for path in [list.clone(), format!("{list}/1")] {
        assert_eq!(app.get(&path).answer().await.status, 404, "{path}");
    }
    change(&app, &ada, &deck, &[(1, "main", "Kettle Imp")]).await;
    let (hers, strange) = (Browser::of(&app, "ada").await, Browser::new(&app));
    for (browser, versions) in [(&hers, 2), (&strange, 1)] {
        let listed = check(&list, &browser.get(&list).await);
        assert_eq!(listed.all("a").filter(|link| link.has_class("title")).count(), versions);
        assert_eq!(listed.only("main").text.contains("Only me"), versions == 2);
    }
    let first = format!("{list}/1");
    assert_eq!((hers.get(&first).await.status, strange.get(&first).await.status), (200, 404));
    // Other readers may not see how the second version differs from the first, which was private.
    let second = format!("{list}/2");
    let (hers, strange) = (hers.get(&second).await, strange.get(&second).await);
    assert!(check(&second, &hers).only("main").text.contains("Another number"));
    let strange = check(&second, &strange);
    assert!(strange.only("main").text.contains("There is no version before this one"));
}

#[tokio::test]
async fn a_version_is_restored_by_its_owner() {
    let app = start().await;
    let ada = app.player("ada").await;
    app.player("bob").await;
    let deck = store(&app, &ada, "Draft", "public", "2 Kettle Imp").await;
    change(&app, &ada, &deck, &[(3, "main", "Ember Moth Cloud")]).await;
    let restore = format!("{deck}/restore");
    let fields = [("number", "1"), ("revision", "2")];
    let (hers, his) = (Browser::of(&app, "ada").await, Browser::of(&app, "bob").await);
    assert_eq!(his.post(&restore, &fields).await.status, 404);
    let foreign = app.post(&restore).header("sec-fetch-site", "cross-site").form(&fields);
    assert_eq!(foreign.answer().await.status, 403);

    let path = format!("{deck}/revisions/1");
    let one = hers.page(&path).await;
    let form = one.all("form").find(|form| form.get("method") == Some("post")).unwrap();
    assert_eq!(form.get("action"), Some(&*restore));
    for (name, value) in fields {
        let is_sent = |field: &crate::pages::html::Element| {
            field.get("name") == Some(name) && field.get("value") == Some(value)
        };
        assert!(one.all("input").any(is_sent), "{name}");
    }
    // A form with an old revision cannot restore a version.
    let stale = hers.post(&restore, &[("number", "1"), ("revision", "1")]).await;
    assert_eq!(stale.status, 412);
    let conflict = check(&path, &stale);
    assert!(conflict.only("main").text.contains("before you restore this version"));
    // A double click restores it once, and is no conflict.
    for _ in 0..2 {
        let done = hers.post(&restore, &fields).await;
        assert_eq!((done.status, done.header("location")), (303, deck.clone()));
    }
    let text = check(&deck, &hers.get(&deck).await).only("main").text.clone();
    assert!(text.contains("Kettle Imp") && !text.contains("Ember Moth Cloud"), "{text}");
    assert_eq!(hers.post(&restore, &[("number", "9"), ("revision", "3")]).await.status, 404);
    // The newest version has no restore button.
    let newest = hers.page(&format!("{deck}/revisions/3")).await;
    assert!(newest.all("input").all(|field| field.get("name") != Some("number")));
}

/// An entry of a card that is hidden from the reader has set and number, and no name, also in old versions and in differences.
#[tokio::test]
async fn hidden_cards_of_versions_are_masked() {
    let app = start().await;
    let ada = app.player("ada").await;
    app.give_copy(&ada.id, "ttcg", "veil", "001").await;
    let card = app.get("/v1/games/ttcg/sets/veil/cards/001").by(&ada).answer().await.expect(200);
    let name = card["name"].as_str().unwrap();
    let deck = store(&app, &ada, "Draft", "public", &format!("2 {name}")).await;
    change(&app, &ada, &deck, &[(1, "main", "Kettle Imp")]).await;
    let hers = Browser::of(&app, "ada").await;
    for number in [1, 2] {
        let path = format!("{deck}/revisions/{number}");
        let strange = check(&path, &page(&app, &path).await);
        assert!(!strange.only("html").text.contains(name), "{path}");
        let main = &strange.only("main").text;
        assert!(main.contains("Hidden card") && main.contains("veil 001"), "{path}: {main}");
        assert!(hers.page(&path).await.only("main").text.contains(name), "{path}");
    }
}

#[tokio::test]
async fn versions_of_different_games_are_not_compared() {
    let app = TestApp::start_seeded(&["ttcg", "emoji-tcg"]).await;
    let ada = app.player("ada").await;
    let deck = store(&app, &ada, "Draft", "public", "2 Kettle Imp").await;
    let entries = json!([{ "quantity": 1, "name": "Kettle Imp" }]);
    let body = json!({ "name": "Draft", "format": "emoji-tcg/playtest", "visibility": "public", "entries": entries });
    let put = app.put(&format!("/v1{deck}")).by(&ada).header("if-match", "*").json(&body);
    put.answer().await.expect(200);
    for number in [1, 2] {
        let path = format!("{deck}/revisions/{number}");
        let one = check(&path, &page(&app, &path).await);
        assert!(one.only("main").text.contains("decks of different games"), "{path}");
        assert_eq!(one.all("table").count(), 0, "{path}");
    }
}
