//! The pages of games, sets and cards.

use cardscape::domain::ids::CommitmentId;
use cardscape::store::printing::press::RunToMint;
use serde_json::json;

use super::browser::Browser;
use super::frame::check;
use super::html::{Element, Page};
use super::{admin, page, start};
use crate::support::{RequestExt as _, TestApp, fresh_path, in_memory, until};

async fn read(app: &TestApp, path: &str) -> Page {
    check(path, &page(app, path).await)
}

fn picture(page: &Page) -> &Element {
    page.all("img").find(|image| image.get("fetchpriority").is_some()).expect("a picture")
}

fn previous_and_next(page: &Page) -> [Option<String>; 2] {
    let link = |rel: &str| {
        let link = page.all("link").find(|link| link.get("rel") == Some(rel))?;
        link.get("href").map(str::to_owned)
    };
    [link("prev"), link("next")]
}

/// Effects and lore may have line breaks, which HTML would show as spaces.
#[tokio::test]
async fn line_breaks_of_card_texts_are_shown() {
    let app = start().await;
    let page = read(&app, "/cards/ttcg/hearth/001").await;
    let mut links = page.all("link");
    let style = links.find(|link| link.get("rel") == Some("stylesheet")).unwrap();
    let style = app.get(style.get("href").unwrap()).answer().await.text().replace(' ', "");
    let mut rules = style.split('}');
    let rule = rules.find(|rule| rule.contains("white-space:pre-line")).unwrap();
    for class in [".effect", ".lore"] {
        assert!(rule.contains(class), "{class}: {rule}");
        assert!(page.all("p").any(|text| text.has_class(&class[1..])), "{class}");
    }
}

#[tokio::test]
async fn a_card_page_shows_the_data_of_the_api() {
    let app = start().await;
    let card = app.get("/v1/games/ttcg/sets/hearth/cards/001").answer().await.expect(200);
    let id = card["id"].as_str().unwrap();
    let page = read(&app, "/cards/ttcg/hearth/001").await;
    assert_eq!(page.only("h1").text, card["name"]);
    let main = &page.only("main").text;
    for effect in card["effects"].as_array().unwrap() {
        assert!(main.contains(effect["text"].as_str().unwrap()), "{main}");
    }
    assert!(main.contains(card["lore"].as_str().unwrap()));
    for text in ["Earth", "Unit", "150", "350", "Primal rare", "Standard Legal"] {
        assert!(main.to_lowercase().contains(&text.to_lowercase()), "{text}: {main}");
    }
    let lowest = format!("/v1/cards/{id}/picture?rarity=common");
    assert_eq!(picture(&page).get("src"), Some(&*lowest));
    assert_eq!(page.meta("og:title"), card["name"].as_str());

    let mythic = read(&app, "/cards/ttcg/hearth/001?rarity=mythic_rare").await;
    let drawn = format!("/v1/cards/{id}/picture?rarity=mythic_rare");
    assert_eq!(picture(&mythic).get("src"), Some(&*drawn));
    assert!(picture(&mythic).get("alt").unwrap().contains("ythic"));
    let shown: Vec<&Element> = mythic.all("tr").filter(|row| row.has_class("shown")).collect();
    assert!(shown.len() == 1 && shown[0].text.contains("390"), "{shown:?}");
    let current = mythic
        .with("aria-current")
        .filter(|(link, _)| link.get("href") == Some("/cards/ttcg/hearth/001?rarity=mythic_rare"));
    assert_eq!(current.count(), 2, "beside the picture and in the table");
    // The address may omit leading zeros of the number, as in the API. The canonical address has them.
    let short = read(&app, "/cards/ttcg/hearth/1").await;
    assert_eq!(short.meta("og:url").unwrap(), "http://127.0.0.1:8080/cards/ttcg/hearth/001");
}

#[tokio::test]
async fn a_card_page_shows_rulings_and_history() {
    let app = start().await;
    let admin = admin(&app).await;
    let card = app.get("/v1/games/ttcg/sets/hearth/cards/002").answer().await.expect(200);
    let path = format!("/v1/cards/{}/rulings", card["id"].as_str().unwrap());
    let ruling = json!({
        "kind": "erratum", "text": "It counts itself.\nAlways.", "published_on": "2026-11-01", "source": "Rules team",
    });
    app.post(&path).by(&admin).json(&ruling).answer().await.expect(201);
    let page = read(&app, "/cards/ttcg/hearth/002").await;
    let main = &page.only("main").text;
    for text in [
        "Erratum",
        "1 November 2026",
        "Rules team",
        "It counts itself.",
        "Always.",
        "A ruling was added",
    ] {
        assert!(main.contains(text), "{text}: {main}");
    }
}

/// The number of history entries that a page shows, and its links to older and to the newest entries.
fn history(page: &Page) -> (usize, Option<String>, Option<String>) {
    let entries = page.all("time").filter(|time| time.has_class("quiet")).count();
    let link = |text: &str| {
        let link = page.all("a").find(|link| link.text == text)?;
        link.get("href").map(str::to_owned)
    };
    (entries, link("Older entries"), link("Newest entries"))
}

#[tokio::test]
async fn the_history_is_paginated() {
    let app = start().await;
    let admin = admin(&app).await;
    let card = app.get("/v1/games/ttcg/sets/hearth/cards/002").answer().await.expect(200);
    let api = format!("/v1/cards/{}", card["id"].as_str().unwrap());
    for day in 1..=31 {
        let published_on = format!("2026-10-{day:02}");
        let text = format!("Ruling {day}.");
        let ruling = json!({ "kind": "ruling", "text": text, "published_on": published_on });
        app.post(&format!("{api}/rulings")).by(&admin).json(&ruling).answer().await.expect(201);
    }
    let all = app.get(&format!("{api}/history?limit=200")).answer().await.expect(200);
    let all = all["data"].as_array().unwrap().len();
    assert!(all > 30, "{all}");
    for (path, rarity) in
        [("/cards/ttcg/hearth/002", ""), ("/cards/ttcg/hearth/002?rarity=rare", "rarity=rare")]
    {
        let first = read(&app, path).await;
        let (count, older, newest) = history(&first);
        assert_eq!((count, newest), (30, None));
        let older = older.unwrap();
        assert!(older.contains(rarity) && older.ends_with("#history"), "{older}");
        let rest = read(&app, older.trim_end_matches("#history")).await;
        assert_eq!(history(&rest), (all - 30, None, Some(format!("{path}#history"))));
        assert_eq!(
            previous_and_next(&rest),
            previous_and_next(&first),
            "the links to the previous and the next card stay"
        );
        // The preview address is the address of the card, without the cursor.
        assert_eq!(rest.meta("og:url"), first.meta("og:url"));
        let again = page(&app, older.trim_end_matches("#history")).await;
        let revalidated = app.get(older.trim_end_matches("#history"));
        let revalidated = revalidated.header("if-none-match", &again.header("etag")).answer().await;
        assert_eq!(revalidated.status, 304);
    }
    for card in ["hearth/002", "veil/001"] {
        let bad = app.get(&format!("/cards/ttcg/{card}?cursor=x")).answer().await;
        assert_eq!(bad.status, 400, "{card}");
    }
}

/// The parts of a page with that attribute: the name of each part, and the card whose unlock the part announces.
fn parts<'a>(page: &'a Page, kind: &'a str) -> Vec<(&'a str, Option<&'a str>)> {
    page.with(kind).map(|(part, name)| (name, part.get("data-unlocked-name"))).collect()
}

/// The page of a hidden card receives live updates until the unlock. The page of an unlocked card receives none.
#[tokio::test]
async fn a_hidden_card_page_has_live_updates_until_the_unlock() {
    let app = start().await;
    let ada = app.player("ada").await;
    app.give_copy(&ada.id, "ttcg", "veil", "001").await;
    let hidden = read(&app, "/cards/ttcg/veil/001").await;
    assert_eq!(hidden.scripts(), ["live.js", "card.js"]);
    assert_eq!(parts(&hidden, "data-live"), [("card", None)]);
    assert_eq!(parts(&hidden, "data-live-end"), []);
    let news = hidden.all("p").find(|text| text.get("id") == Some("news")).unwrap();
    assert!(news.get("data-unlocked").unwrap().contains("{name}"));

    let unlocked = read(&app, "/cards/ttcg/veil/003").await;
    assert_eq!(unlocked.scripts(), ["card.js"]);
    assert_eq!(parts(&unlocked, "data-live"), []);
    let name = Some(&*unlocked.only("h1").text);
    assert_eq!(parts(&unlocked, "data-live-end"), [("card", name), ("standing", name)]);
    assert_eq!(read(&app, "/cards/ttcg/hearth/001").await.scripts(), ["card.js"]);

    // A player with a copy sees the card. Live updates change only its unlock progress for others.
    let held = Browser::of(&app, "ada").await.page("/cards/ttcg/veil/001").await;
    assert_eq!(held.scripts(), ["live.js", "card.js"]);
    assert_eq!(parts(&held, "data-live"), [("standing", None)]);
    assert_eq!(parts(&held, "data-live-end"), [("card", None)], "the card is not unlocked yet");
}

#[tokio::test]
async fn a_hidden_card_shows_only_its_back_and_its_progress() {
    let app = start().await;
    let card = app.get("/v1/games/ttcg/sets/veil/cards/001").answer().await.expect(200);
    let page = read(&app, "/cards/ttcg/veil/001").await;
    assert!(page.only("h1").text.starts_with("Hidden card"), "{}", page.only("h1").text);
    let progress = page.only("progress");
    assert_eq!(progress.get("max"), Some(&*card["unlock"]["threshold"].to_string()));
    assert_eq!(progress.get("value"), Some("0"));
    assert!(picture(&page).get("src").unwrap().ends_with("/back.svg"));
    let main = &page.only("main").text;
    let open = read(&app, "/cards/ttcg/veil/003").await;
    for part in ["Printings", "Rulings", "History", "Legality"] {
        assert!(!main.contains(part), "{part}: {main}");
        assert!(open.only("main").text.contains(part), "{part}");
    }
    // The rarity in the address makes no difference.
    assert_eq!(read(&app, "/cards/ttcg/veil/001?rarity=nonsense").await.only("main").text, *main);
}

/// The links to the previous and the next card follow the order of the set, including hidden cards.
#[tokio::test]
async fn cards_link_to_the_previous_and_the_next_card() {
    let app = start().await;
    let memory = app.second_instance_with(in_memory);
    memory.catch_up().await;
    let set = app.get("/v1/cards?game=ttcg&set=veil&limit=200").answer().await.expect(200);
    let cards: Vec<String> = set["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|card| format!("/cards/ttcg/veil/{}", card["number"].as_str().unwrap()))
        .collect();
    assert_eq!(cards.len(), 16);
    for app in [&app, &memory] {
        for (at, path) in cards.iter().enumerate() {
            let previous = at.checked_sub(1).map(|at| cards[at].clone());
            let next = cards.get(at + 1).cloned();
            assert_eq!(previous_and_next(&read(app, path).await), [previous, next], "{path}");
        }
    }
}

#[tokio::test]
async fn the_old_address_of_a_moved_card_redirects() {
    let app = start().await;
    let admin = admin(&app).await;
    let card = app.get("/v1/games/ttcg/sets/hearth/cards/005").answer().await.expect(200);
    let path = format!("/v1/cards/{}/move", card["id"].as_str().unwrap());
    let to = json!({ "set": "hearth", "number": "905" });
    app.post(&path).by(&admin).json(&to).answer().await.expect(201);
    let answer = app.get("/cards/ttcg/hearth/005").answer().await;
    assert_eq!(
        (answer.status, answer.header("location")),
        (308, "/cards/ttcg/hearth/905".to_owned())
    );
    read(&app, "/cards/ttcg/hearth/905").await;
    let rare = app.get("/cards/ttcg/hearth/005?rarity=rare").answer().await;
    assert_eq!(rare.header("location"), "/cards/ttcg/hearth/905?rarity=rare");
    let odd = app.get("/cards/ttcg/hearth/005?rarity=%0D%0Ax%26y").answer().await;
    assert_eq!(odd.header("location"), "/cards/ttcg/hearth/905?rarity=%0D%0Ax%26y");
}

/// The page mentions no submissions, because an admin unlocked the card by hand.
#[tokio::test]
async fn a_card_that_was_unlocked_by_hand_shows_only_the_date() {
    let app = start().await;
    let main = read(&app, "/cards/ttcg/veil/003").await.only("main").text.clone();
    assert!(main.contains("Unlocked on "), "{main}");
    assert!(!main.contains("submissions"), "{main}");
}

#[tokio::test]
async fn a_set_shows_all_its_cards_page_by_page() {
    let app = start().await;
    let (mut path, mut cards) = ("/sets/ttcg/hearth".to_owned(), Vec::new());
    loop {
        let page = read(&app, &path).await;
        cards.push(page.all("li").filter(|item| item.has_class("tile")).count());
        let Some(next) = previous_and_next(&page)[1].clone() else { break };
        path = next;
    }
    assert_eq!(cards, [60, 60, 38]);
    let veil = read(&app, "/sets/ttcg/veil").await;
    let hidden = veil.all("li").filter(|item| item.has_class("hidden-card")).count();
    assert_eq!(hidden, 15);
    assert!(veil.only("main").text.contains("1 of 16 cards unlocked"));
    let game = read(&app, "/games/ttcg").await;
    for link in ["/sets/ttcg/hearth", "/sets/ttcg/veil"] {
        assert!(game.with("href").any(|(_, href)| href == link), "{link}");
    }
}

#[tokio::test]
async fn the_first_page_shows_the_wall_and_the_latest_unlocks() {
    let app = start().await;
    let page = read(&app, "/").await;
    let hidden = page.all("li").filter(|item| item.has_class("hidden-card")).count();
    assert_eq!(hidden, 15);
    let unlocked = app.get("/v1/games/ttcg/sets/veil/cards/003").answer().await.expect(200);
    let name = unlocked["name"].as_str().unwrap();
    let tiles = page.all("li").filter(|item| item.has_class("tile"));
    assert_eq!(
        tiles.filter(|tile| tile.text.contains(name)).count(),
        2,
        "on the wall, and among the latest unlocks"
    );
    // A service without games states that there is none.
    let empty = TestApp::start().await;
    let main = read(&empty, "/").await.only("main").text.clone();
    for text in ["No card is hidden", "No card was unlocked yet", "There is no game yet"] {
        assert!(main.contains(text), "{main}");
    }
}

/// The section about printed copies appears after the set is printed.
#[tokio::test]
async fn a_printed_set_shows_what_was_printed() {
    let app = start().await;
    app.import_set("dusk", 2, true).await;
    let without = read(&app, "/sets/ttcg/dusk").await;
    assert!(!without.only("main").text.contains("What was printed"));
    app.print("dusk", 77).await;
    let main = read(&app, "/sets/ttcg/dusk").await.only("main").text.clone();
    assert!(
        main.contains("What was printed")
            && main.contains("Cards that are hidden now are left out"),
        "{main}"
    );
}

/// After the reveal, the page shows the promised numbers beside the printed numbers. It explains from the beginning how to check the announcement.
#[tokio::test]
async fn an_announced_run_shows_its_promise_after_the_reveal() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, false).await;
    let admin = app.admin().await;
    let of_dusk = "/v1/games/ttcg/sets/dusk/print-commitments";
    let run =
        json!({ "copies_per_card": 77, "packs": { "cards_per_pack": 10, "remainder": true } });
    let run = app.post(of_dusk).by(&admin).json(&run).answer().await.expect(201);
    let (id, hash) = (run["id"].as_str().unwrap(), run["commitment"].as_str().unwrap());
    let data = format!("/v1/print-commitments/{id}");
    let sealed = |page: &Page| {
        let main = &page.only("main").text;
        for absent in ["Promised", "What was promised on", "15 packs"] {
            assert!(!main.contains(absent), "{absent}: {main}");
        }
        let links = page.all("a").filter(|link| link.text == hash);
        let links: Vec<_> = links.filter_map(|link| link.get("href")).collect();
        assert_eq!(links, ["#check"]);
        assert!(page.with("id").any(|(_, id)| id == "check"));
        assert!(page.all("a").any(|link| link.get("href") == Some(&*data)));
        assert!(page.all("a").any(|link| link.get("href") == Some("/docs/api#print-runs")));
    };
    let announced = read(&app, "/sets/ttcg/dusk").await;
    sealed(&announced);
    assert!(announced.only("main").text.contains("Announced, not printed yet"));
    assert!(app.get("/docs/api").answer().await.text().contains("id=\"print-runs\""));

    let (file, list) = (fresh_path(".csv"), fresh_path(".packs.csv"));
    let announced = RunToMint::Announced(CommitmentId(id.parse().unwrap()));
    app.mint_run(announced, file.clone(), Some(list.clone())).await.unwrap();
    std::fs::remove_file(&file).unwrap();
    std::fs::remove_file(&list).unwrap();
    // The first instance may still have the earlier counts in its cache.
    let later = app.second_instance();
    let printed = read(&later, "/sets/ttcg/dusk").await;
    sealed(&printed);
    assert!(printed.only("main").text.contains("by their weights"));

    app.put(&format!("{data}/reveal")).by(&admin).answer().await.expect(200);
    let revealed = read(&later, "/sets/ttcg/dusk").await;
    let main = &revealed.only("main").text;
    for text in [
        "Promised",
        "As many copies were printed in each rarity as the announcements promised.",
        "15 packs of 10 cards, 4 copies left over",
        &format!("({})", &hash[..8]),
    ] {
        assert!(main.contains(text), "{text}: {main}");
    }
    let numbers: Vec<&str> = revealed
        .all("td")
        .filter(|cell| cell.has_class("number"))
        .map(|cell| cell.text.as_str())
        .collect();
    // The first row is the most common rarity: weight, promised, printed, registered, expected. Later: copies of each card, all copies, copies of this rarity.
    let first = &numbers[..5];
    assert_eq!((first[0], first[1], first[3]), ("40", first[2], "0"));
    let plan = app.get(&data).answer().await.expect(200);
    let plan = plan["opening"].as_str().unwrap().lines().nth(2).unwrap();
    let plan: serde_json::Value = serde_json::from_str(plan).unwrap();
    let common = |line: &&serde_json::Value| line[1] == "common";
    let lines = plan["lines"].as_array().unwrap().iter().filter(common);
    let copies: u64 = lines.map(|line| line[2].as_u64().unwrap()).sum();
    assert_eq!(first[1], copies.to_string());
    let at = numbers.iter().position(|cell| *cell == "77").unwrap();
    assert_eq!(numbers[at..at + 3], ["77", "154", first[1]]);
}

/// The cache ignores unknown parameters in the address of a game. Such requests get the cached page, and evict no other page.
#[tokio::test]
async fn unknown_parameters_do_not_create_another_cache_entry() {
    let with_cache = |settings: &mut cardscape::app::state::ApiSettings| {
        settings.card_cache_bytes = 1 << 25;
        settings.card_cache_trust = std::time::Duration::from_hours(1);
    };
    let app = TestApp::start_seeded_with(&["ttcg"], with_cache).await;
    let tag = async |path: &str| page(&app, path).await.header("etag");
    // The SQL statement bypasses the service, so a page from the cache has the old name.
    until("the page is cached", async |round| {
        let before = tag("/games/ttcg").await;
        app.sql(&format!("UPDATE sets SET name = 'Changed {round}' WHERE code = 'hearth'")).await;
        tag("/games/ttcg").await == before
    })
    .await;
    let cached = tag("/games/ttcg").await;
    for path in ["/games/ttcg?x=1", "/games/ttcg?x=2&y", "/games/%74tcg"] {
        assert_eq!(tag(path).await, cached, "{path}");
    }
}
