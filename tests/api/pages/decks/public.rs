//! The list of public decks, and the page of a deck.

use super::{Browser, sample, start, store};
use crate::pages::frame::check;
use crate::pages::page;
use crate::support::{RequestExt as _, TestApp};

#[tokio::test]
async fn public_decks_are_listed_and_searched() {
    let app = start().await;
    let ada = app.player("ada").await;
    let list = sample("legal-embers-and-bones.txt");
    let first = store(&app, &ada, "Embers", "public", &list).await;
    let second = store(&app, &ada, "Bones", "public", "2 Kettle Imp").await;
    store(&app, &ada, "Mine alone", "private", "2 Kettle Imp").await;
    store(&app, &ada, "Whispered", "unlisted", "2 Kettle Imp").await;
    let links = async |path: &str| -> Vec<String> {
        let page = check(path, &page(&app, path).await);
        let links = page.all("a").filter(|link| link.has_class("title"));
        links.map(|link| link.get("href").unwrap().to_owned()).collect()
    };
    assert_eq!(links("/decks").await, [second.clone(), first.clone()]);
    assert_eq!(links("/decks?q=legal:standard").await, std::slice::from_ref(&first));
    assert_eq!(links("/decks?q=bones&game=ttcg&sort=updated&utm_source=x").await, [second]);
    assert!(links("/decks?q=nothing-is-called-this").await.is_empty());
    let text = page(&app, "/decks").await.text();
    assert!(text.contains("Legal in: Standard") && text.contains("Legal in no format today"));
    assert!(!text.contains("Mine alone") && !text.contains("Whispered"));

    let warned = check("warned", &page(&app, "/decks?q=colour:red+embers").await);
    assert!(warned.only("main").text.contains("About your query"));
    assert_eq!(warned.all("mark").next().unwrap().text, "colour:red");
    let shown = &warned.only("main").text;
    assert!(shown.contains("colour:red: Decks have no field “colour”."), "{shown}");
    // A name that no author has is used nevertheless: no deck is listed.
    let by_nobody = "/decks?q=by:nobody-by-this-name";
    assert!(links(by_nobody).await.is_empty());
    let unknown = check("unknown", &page(&app, by_nobody).await);
    let shown = &unknown.only("main").text;
    let message = "There is no author of public decks “nobody-by-this-name”.";
    assert!(shown.contains("About your query") && shown.contains(message), "{shown}");
    let answer = app.get("/decks?q=(((").answer().await;
    assert_eq!(answer.status, 400);
    let refused = check("refused", &answer);
    for message in ["This query cannot be read", "(: This parenthesis is never closed."] {
        assert!(refused.only("main").text.contains(message), "{message}");
    }
    for path in ["/decks?cursor=x", "/decks?sort=best", "/decks?game=no%20code"] {
        let answer = app.get(path).answer().await;
        assert_eq!(answer.status, 400, "{path}");
        check(path, &answer);
    }
}

#[tokio::test]
async fn the_list_of_decks_is_paginated() {
    let app = start().await;
    let ada = app.player("ada").await;
    for number in 0..61 {
        store(&app, &ada, &format!("Deck {number}"), "public", "1 Kettle Imp").await;
    }
    let first = check("/decks", &page(&app, "/decks").await);
    let next = first.all("a").find(|link| link.get("rel") == Some("next")).unwrap();
    let path = next.get("href").unwrap();
    let second = check(path, &page(&app, path).await);
    assert!(
        second.only("main").text.contains("Deck 0")
            && second.all("a").any(|link| link.get("rel") == Some("first"))
    );
}

#[tokio::test]
async fn a_deck_page_shows_its_cards_charts_and_exports() {
    let app = start().await;
    let ada = app.player("ada").await;
    let list = sample("legal-embers-and-bones.txt");
    let path = store(&app, &ada, "Embers & <b>Bones</b>", "public", &list).await;
    let other = store(&app, &ada, "The same again", "public", &list).await;
    let answer = page(&app, &path).await;
    assert_eq!(answer.header("cache-control"), "private, no-cache");
    assert!(answer.header("vary").contains("Cookie"));
    let shown = check(&path, &answer);
    assert_eq!(shown.only("h1").text, "Embers & <b>Bones</b>");
    let main = &shown.only("main").text;
    for expected in [
        "ada",
        "Standard",
        "50 cards",
        "Legal in Standard.",
        "Unit",
        "Curve: Attack",
        "aggro",
        "in common",
    ] {
        assert!(main.contains(expected), "{expected}: {main}");
    }
    assert_eq!(shown.all("em").next().unwrap().text, "fast");
    assert!(main.contains("<b>no</b>"), "{main}");
    assert!(shown.all("a").any(|link| link.get("href") == Some(&other)));
    assert!(
        shown.all("form").all(|form| form.get("method") != Some("post")),
        "only owners have buttons"
    );
    assert!(!main.contains("Friday"), "the folder is shown only to the owner");
    let own = Browser::of(&app, "ada").await.page("/my/decks").await;
    assert!(own.only("main").text.contains("Friday"));

    let etag = answer.header("etag");
    let again = app.get(&path).header("if-none-match", etag).answer().await;
    assert_eq!(again.status, 304);

    let id = path.strip_prefix("/decks/").unwrap();
    let links = shown.all("a").filter_map(|link| link.get("href"));
    let exports: Vec<&str> = links.filter(|to| to.contains("/export?")).collect();
    assert!(exports.len() > 3, "{exports:?}");
    for link in exports {
        let dialect = link.rsplit('=').next().unwrap();
        let file = format!("{link}&losses=accepted");
        let (shown, text, exported) = tokio::join!(
            app.get(link).answer(),
            app.get(&file).answer(),
            app.get(&format!("/v1/decks/{id}/export?dialect={dialect}")).answer()
        );
        let exported = exported.expect(200);
        assert_eq!(
            (text.status, text.header("content-type").as_str()),
            (200, "text/plain; charset=utf-8")
        );
        assert_eq!(text.text(), exported["text"].as_str().unwrap(), "{link}");
        // What is lost is listed before.
        if exported["losses"].as_array().unwrap().is_empty() {
            assert_eq!(shown.text(), text.text(), "{link}");
        } else {
            let shown = check(link, &shown);
            assert!(shown.all("a").any(|to| to.get("href") == Some(&file)), "{link}");
        }
    }
    let charts: Vec<&str> = shown.all("img").filter_map(|image| image.get("src")).collect();
    assert!(!charts.is_empty());
    for chart in charts {
        let drawn = app.get(chart).answer().await;
        assert_eq!((drawn.status, drawn.header("content-type").as_str()), (200, "image/svg+xml"));
    }
    let code = app.get(&format!("/v1/decks/{id}/export?dialect=share_code")).answer().await;
    let code = code.expect(200)["text"].as_str().unwrap().trim().to_owned();
    assert!(shown.all("code").any(|element| element.text == code));
}

#[tokio::test]
async fn exports_list_what_they_lose() {
    let app = start().await;
    let ada = app.player("ada").await;
    let list =
        "4 Kettle Imp\n1 Pocket Bat\n1 No Such Card At All\n1 veil 006\n\nSideboard\n2 Kettle Imp";
    let path = store(&app, &ada, "Mixed", "public", list).await;
    let shown = check(&path, &page(&app, &path).await);
    let dialects: Vec<String> = shown
        .all("a")
        .filter_map(|link| link.get("href")?.split_once("/export?dialect="))
        .map(|(_, dialect)| dialect.to_owned())
        .collect();
    let offers = |dialect: &str| dialects.iter().any(|offered| offered == dialect);
    // The game has no ids of other programs.
    assert!(!offers("ydk") && !offers("ydke"), "{dialects:?}");
    assert!(offers("plain") && offers("own") && offers("ptcg_live"), "{dialects:?}");

    let link = format!("{path}/export?dialect=ptcg_live");
    let answer = page(&app, &link).await;
    assert_eq!(answer.header("cache-control"), "private, no-cache");
    assert!(answer.header("vary").contains("Cookie"));
    let lossy = check(&link, &answer);
    assert_eq!(lossy.only("h1").text, "“Mixed” as PTCG Live");
    let main = &lossy.only("main").text;
    for expected in
        ["would not be in the text", "the text has no place for their zone", "2 Kettle Imp"]
    {
        assert!(main.contains(expected), "{expected}: {main}");
    }
    let anyway = lossy.all("a").find(|to| to.text == "Take the text without it").unwrap();
    let file = app.get(anyway.get("href").unwrap()).answer().await;
    assert_eq!(file.header("content-type"), "text/plain; charset=utf-8");
    assert!(file.text().contains("4 Kettle Imp"), "{}", file.text());

    // The address of a dialect that can write nothing stays.
    let nothing = format!("{path}/export?dialect=ydk");
    let nothing = check(&nothing, &page(&app, &nothing).await);
    let main = &nothing.only("main").text;
    assert!(main.contains("No card of the deck would be in the text"), "{main}");
    let whole = app.get(&format!("{path}/export?dialect=json")).answer().await;
    assert_eq!(whole.header("content-type"), "text/plain; charset=utf-8");
}

#[tokio::test]
async fn private_decks_are_shown_only_to_their_owners() {
    let app = start().await;
    let ada = app.player("ada").await;
    app.player("bob").await;
    let path = store(&app, &ada, "Mine", "private", "2 Kettle Imp\n99999 Rook").await;
    let (hers, his) = (Browser::of(&app, "ada").await, Browser::of(&app, "bob").await);
    let chart = format!("{path}/chart?of=kind");
    let export = format!("{path}/export?dialect=plain");
    for address in [path.clone(), chart, export] {
        for answer in [app.get(&address).answer().await, his.get(&address).await] {
            assert_eq!(answer.status, 404, "{address}");
            check(&address, &answer);
        }
        let shown = hers.get(&address).await;
        assert_eq!(
            (shown.status, shown.header("cache-control")),
            (200, "private, no-store".to_owned())
        );
    }
    let shown = check(&path, &hers.get(&path).await);
    let edit = format!("{path}/edit");
    assert!(shown.all("a").any(|link| link.get("href") == Some(&edit)));
    let main = &shown.only("main").text;
    for expected in
        ["Only me", "Lines that could not be read", "99999 Rook", "2 cards are missing."]
    {
        assert!(main.contains(expected), "{expected}: {main}");
    }
    assert!(shown.all("meta").any(|meta| meta.get("name") == Some("robots")));
    // A private deck and a deck that does not exist get the same answer.
    let gone = app.get("/decks/0199a2d4-0000-7000-8000-000000000000").answer().await;
    let hidden = app.get(&path).answer().await;
    assert_eq!((gone.status, gone.bytes), (hidden.status, hidden.bytes));
}

#[tokio::test]
async fn only_public_decks_have_previews_for_other_sites() {
    let app = TestApp::start_with(|settings| {
        settings.public_url = Some("https://cards.example".to_owned());
    })
    .await;
    app.seed(&["ttcg"]).await;
    let (ada, zephyrine) = (app.player("ada").await, app.player("zephyrine").await);
    let public = store(&app, &ada, "Embers", "public", "2 Kettle Imp").await;
    let unlisted = store(&app, &zephyrine, "Whispered", "unlisted", "2 Kettle Imp").await;
    for path in [public.as_str(), "/decks", "/decks/check"] {
        let shown = check(path, &page(&app, path).await);
        assert_eq!(shown.meta("og:url"), Some(&*format!("https://cards.example{path}")));
        assert!(shown.meta("og:title").is_some() && shown.meta("og:description").is_some());
    }
    let shown = check(&public, &page(&app, &public).await);
    assert_eq!(
        (shown.meta("og:title"), shown.meta("og:description")),
        (Some("Embers"), Some("Goes fast. <b>no</b>"))
    );
    let shown = check(&unlisted, &page(&app, &unlisted).await);
    assert_eq!((shown.meta("og:url"), shown.meta("og:title")), (None, None));
    assert!(shown.all("meta").any(|meta| meta.get("name") == Some("robots")));
    // A reader who has the address of a deck may share it, also as a QR code.
    for path in [&public, &unlisted] {
        let shown = check(path, &page(&app, path).await);
        let code = format!("{path}/qr.svg");
        assert!(shown.all("img").any(|image| image.get("src") == Some(&code)), "{path}");
        assert!(shown.only("main").text.contains(&format!("https://cards.example{path}")));
        let drawn = app.get(&code).answer().await;
        assert_eq!((drawn.status, drawn.header("content-type").as_str()), (200, "image/svg+xml"));
        assert_eq!(drawn.header("cross-origin-resource-policy"), "same-origin");
    }
    let private = store(&app, &ada, "Mine", "private", "2 Kettle Imp").await;
    let hers = Browser::of(&app, "ada").await;
    let code = format!("{private}/qr.svg");
    assert!(!hers.get(&private).await.text().contains("qr.svg"));
    assert_eq!((hers.get(&code).await.status, app.get(&code).answer().await.status), (404, 404));
    // The page of an unlisted deck does not name its owner. Similar decks on the page are public, and name their owners.
    assert!(!shown.only("main").text.contains("zephyrine"));
}

/// An entry of a card that is hidden from the reader has set and number, and no name.
#[tokio::test]
async fn hidden_entries_are_masked() {
    let app = start().await;
    let ada = app.player("ada").await;
    app.give_copy(&ada.id, "ttcg", "veil", "001").await;
    let card = app.get("/v1/games/ttcg/sets/veil/cards/001").by(&ada).answer().await.expect(200);
    let name = card["name"].as_str().unwrap();
    let path = store(&app, &ada, "Held", "public", &format!("2 {name}\n1 Kettle Imp")).await;
    let (strange, own) = (page(&app, &path).await, Browser::of(&app, "ada").await.get(&path).await);
    let (strange, own) = (check(&path, &strange), check(&path, &own));
    assert!(!strange.only("html").text.contains(name));
    assert!(
        strange.only("main").text.contains("Hidden card veil 001"),
        "{}",
        strange.only("main").text
    );
    assert!(own.only("main").text.contains(name));
    assert!(strange.only("main").text.contains("The card “veil 001” is hidden from you."));
    let export = format!("{path}/export?dialect=ydk");
    let lossy = check(&export, &page(&app, &export).await);
    let main = &lossy.only("main").text;
    assert!(main.contains("2 Hidden card: veil 001") && !main.contains(name), "{main}");
    // A reader who has an account sees the place beside what is missing, too.
    app.player("ben").await;
    let bens = Browser::of(&app, "ben").await.page(&path).await;
    let rows: Vec<&str> = bens.all("tr").map(|row| row.text.as_str()).collect();
    assert!(rows.contains(&"Hidden card veil 001 2 0 2"), "{rows:?}");
    // The preview for other sites shows the first open card, even if a hidden card comes before it.
    let imp = app.get("/v1/cards?q=%22Kettle+Imp%22").answer().await.expect(200);
    let picture = imp["data"][0]["image_uris"]["png"].as_str().unwrap();
    assert!(strange.meta("og:image").is_some_and(|address| address.ends_with(picture)));
    assert_eq!(app.get(picture).answer().await.header("content-type"), "image/png");
    assert_eq!(own.meta("og:image"), None);
    let hidden = store(&app, &ada, "All hidden", "public", &format!("2 {name}")).await;
    let hidden = check(&hidden, &page(&app, &hidden).await);
    assert_eq!((hidden.meta("og:title"), hidden.meta("og:image")), (Some("All hidden"), None));
    let link = Some("/cards/ttcg/veil/001");
    assert!(
        [strange, own].iter().all(|page| page.all("a").any(|element| element.get("href") == link))
    );
}
