//! The search page.

use std::collections::BTreeSet;

use super::frame::check;
use super::html::{Element, Page};
use super::{PAGES, page, start};
use crate::support::{RequestExt as _, TestApp};

async fn read(app: &TestApp, path: &str) -> Page {
    check(path, &page(app, path).await)
}

fn path(query: &str) -> String {
    let query: String = form_urlencoded::byte_serialize(query.as_bytes()).collect();
    format!("/search?q={query}")
}

fn tiles(page: &Page) -> Vec<&Element> {
    page.all("li").filter(|item| item.has_class("tile")).collect()
}

fn next(page: &Page) -> Option<String> {
    let link = page.all("link").find(|link| link.get("rel") == Some("next"))?;
    link.get("href").map(str::to_owned)
}

/// The number of results in the heading, with its noun.
fn result_count(page: &Page) -> String {
    let heading = page.all("h2").find(|heading| heading.get("id") == Some("results")).unwrap();
    heading.text.trim_start_matches("Results ").to_owned()
}

#[tokio::test]
async fn pages_of_a_search_hold_each_card_once() {
    let app = start().await;
    let all =
        app.get("/v1/cards?q=t:fire+sort:attack&limit=200&total=true").answer().await.expect(200);
    let all: Vec<&str> =
        all["data"].as_array().unwrap().iter().map(|card| card["name"].as_str().unwrap()).collect();
    let everything = read(&app, &path("kind:unit")).await;
    assert!(next(&everything).is_some());
    let (mut at, mut names, mut places) = (Some(path("kind:unit")), Vec::new(), BTreeSet::new());
    while let Some(path) = at {
        let page = read(&app, &path).await;
        for tile in tiles(&page) {
            places.insert(tile.text.clone());
            names.push(tile.text.clone());
        }
        at = next(&page);
    }
    assert_eq!(names.len(), places.len(), "each card is listed once");
    assert_eq!(result_count(&everything), format!("{} cards", names.len()));

    let sorted = read(&app, &(path("t:fire") + "&sort=attack")).await;
    let shown: Vec<&str> = tiles(&sorted).iter().map(|tile| tile.text.as_str()).collect();
    assert_eq!(shown.len(), all.len());
    for (tile, name) in shown.iter().zip(all) {
        assert!(tile.starts_with(name), "{tile} is not {name}");
    }
}

#[tokio::test]
async fn unusable_parts_of_a_query_are_marked_in_place() {
    let app = start().await;
    let warned = read(&app, &path("t:fire atack>700 🔥")).await;
    assert_eq!(warned.only("mark").text, "atack>700");
    assert!(
        warned
            .only("main")
            .text
            .contains("atack>700: There is no field “atack”. Perhaps you mean attack?"),
        "{}",
        warned.only("main").text
    );
    let refused = app.get(&path("fox (\"owl")).answer().await;
    assert_eq!((refused.status, refused.header("cache-control")), (400, "no-store".to_owned()));
    let page = check("refused", &refused);
    assert!(page.all("mark").count() > 0);
    let shown = &page.only("main").text;
    assert!(shown.contains("This quotation mark is never closed."), "{shown}");
    // A screen reader reads the fault first: the title begins with it, and the list of faults has the focus.
    let title = &page.only("title").text;
    assert!(title.starts_with("This query cannot be read"), "{title}");
    let focused: Vec<&Element> = page.with("autofocus").map(|(element, _)| element).collect();
    assert!(focused.len() == 1 && focused[0].get("id") == Some("faults"), "{focused:?}");
    let field = page.all("input").find(|field| field.get("id") == Some("q")).unwrap();
    assert_eq!(
        (field.get("aria-invalid"), field.get("aria-describedby")),
        (Some("true"), Some("faults"))
    );
    assert_eq!(field.get("value"), Some("fox (\"owl"));
    // The page also reports an invalid sort field.
    let refused = app.get("/search?q=fox&sort=nonsense").answer().await;
    assert_eq!(refused.status, 400);
    let sorted = check("sort", &refused);
    let shown = &sorted.only("main").text;
    assert!(shown.contains("sort=nonsense: Cards cannot be sorted by “nonsense”."), "{shown}");
    // Unknown parameters that other sites add to addresses are not faults.
    read(&app, "/search?q=fox&utm_source=x").await;
    for path in [
        "/search?as=nonsense",
        "/search?order=nonsense",
        "/search?game=a%20b",
        "/search?cursor=x",
        "/search?q=a&q=b",
    ] {
        let answer = app.get(path).answer().await;
        assert_eq!(answer.status, 400, "{path}");
        check(path, &answer);
    }
}

/// The link of a facet finds as many cards as its count states. Links of numbers have no count, because printings of a card differ in their numbers.
#[tokio::test]
async fn facet_links_find_as_many_cards_as_they_state() {
    let app = start().await;
    let all = read(&app, &path("kind:unit")).await;
    let game = all
        .all("a")
        .find(|link| link.get("rel") == Some("nofollow") && link.text == "TTCG")
        .unwrap();
    let in_game = read(&app, game.get("href").unwrap()).await;
    // Each item contains its link and then its count. Values of several facets may have the same name, so the name does not identify the link.
    let links: Vec<(&str, &str)> = in_game
        .elements
        .windows(3)
        .filter(|three| three[0].name == "li" && three[1].get("rel") == Some("nofollow"))
        .filter(|three| three[2].has_class("count"))
        .filter_map(|three| Some((three[1].get("href")?, three[2].text.as_str())))
        .collect();
    assert!(links.len() > 10, "{links:?}");
    for (link, count) in &links {
        let page = read(&app, link).await;
        let noun = if *count == "1" { "card" } else { "cards" };
        assert_eq!(result_count(&page), format!("{count} {noun}"), "{link}");
    }
}

/// A search of all games leads only to games that have cards and in which the query has a meaning.
#[tokio::test]
async fn a_search_leads_only_to_games_in_which_it_can_find_cards() {
    let database = TestApp::start_seeded(&["ttcg", "emojito", "magic"]).await;
    let memory = database.second_instance_in_memory().await;
    for app in [&database, &memory] {
        for (query, games) in [
            ("", &["Emojito!", "TTCG"][..]),
            ("happy or fox", &["Emojito!", "TTCG"]),
            ("attack>=300", &["TTCG"]),
            ("a attack>=300", &["TTCG"]),
            ("a nothing:x", &["Emojito!", "TTCG"]),
            ("a game:ttcg", &["TTCG"]),
            ("a -game:ttcg", &["Emojito!"]),
            ("a -(game:ttcg or game:emojito)", &[]),
            ("(game:ttcg or game:magic) or (a game:emojito)", &["Emojito!", "TTCG"]),
        ] {
            let found = read(app, &path(query)).await;
            let links: Vec<&Element> =
                found.all("a").filter(|link| link.get("rel") == Some("nofollow")).collect();
            let mut names: Vec<&str> = links.iter().map(|link| link.text.as_str()).collect();
            names.sort_unstable();
            assert_eq!(names, games, "{query}");
            for link in links {
                read(app, link.get("href").unwrap()).await;
            }
        }
    }
}

/// The term of a facet link narrows every alternative of the query, in every notation of alternatives.
#[tokio::test]
async fn facet_links_narrow_all_alternatives() {
    let app = start().await;
    for query in ["t:fire | t:water", "(t:fire)or(t:water)", "t:fire or t:water"] {
        let page = read(&app, &(path(query) + "&game=ttcg")).await;
        let begin: String =
            form_urlencoded::byte_serialize(format!("({query}) ").as_bytes()).collect();
        let begin = format!("/search?q={begin}");
        let links: Vec<&str> = page
            .with("href")
            .filter(|(link, _)| link.get("rel") == Some("nofollow"))
            .map(|(_, address)| address)
            .collect();
        assert!(links.len() > 5, "{query}: {links:?}");
        assert!(links.iter().all(|link| link.starts_with(&begin)), "{query}: {links:?}");
    }
}

/// The address that a browser requests when the search form is submitted without changes.
fn submitted(page: &Page) -> String {
    let (mut form, mut select) = (form_urlencoded::Serializer::new(String::new()), None);
    let mut chosen: Vec<(&str, &str)> = Vec::new();
    for element in &page.elements {
        match (element.name.as_str(), element.get("name"), select) {
            ("input", Some(name), _) => {
                form.append_pair(name, element.get("value").unwrap_or_default());
            }
            ("select", name, _) => select = name,
            ("option", _, Some(name)) => {
                let value = element.get("value").unwrap_or_default();
                let is_first = chosen.last().is_none_or(|(last, _)| *last != name);
                if is_first {
                    chosen.push((name, value));
                } else if element.get("selected").is_some() {
                    chosen.pop();
                    chosen.push((name, value));
                }
            }
            _ => {}
        }
    }
    form.extend_pairs(chosen);
    format!("/search?{}", form.finish())
}

/// An unchanged form requests the order that the query states.
#[tokio::test]
async fn an_unchanged_form_keeps_the_order_of_the_query() {
    let app = start().await;
    let first = read(&app, &path("t:fire sort:attack order:desc")).await;
    let again = read(&app, &submitted(&first)).await;
    let names =
        |page: &Page| -> Vec<String> { tiles(page).iter().map(|tile| tile.text.clone()).collect() };
    assert_eq!(names(&again), names(&first));
    let rising = read(&app, &path("t:fire sort:attack order:asc")).await;
    assert_ne!(names(&rising), names(&first));
    // The order that is chosen in the form takes precedence over the query, and stays chosen.
    let chosen = read(&app, &(path("t:fire sort:attack order:desc") + "&order=asc")).await;
    assert_eq!(names(&chosen), names(&rising));
    assert_eq!(names(&read(&app, &submitted(&chosen)).await), names(&rising));
}

#[tokio::test]
async fn results_are_shown_as_pictures_or_as_a_list() {
    let app = start().await;
    let list = read(&app, &(path("set:veil") + "&as=list")).await;
    assert!(tiles(&list).is_empty());
    let rows: Vec<&Element> = list.all("tr").collect();
    assert_eq!(rows.len(), 17, "a heading and each card");
    assert!(rows.iter().filter(|row| row.text.contains("Hidden card")).count() == 15);
    let form = list.all("input").find(|field| field.get("name") == Some("as")).unwrap();
    assert_eq!(form.get("value"), Some("list"));
    let printings = read(&app, &path("set:hearth number:1 unique:printings")).await;
    let links: BTreeSet<&str> = printings
        .with("href")
        .map(|(_, href)| href)
        .filter(|href| href.contains("rarity="))
        .collect();
    assert_eq!(links.len(), 6, "{links:?}");
    assert_eq!(result_count(&printings), "6 printings");
    assert_eq!(tiles(&read(&app, "/search?q=nothing-has-this-name").await).len(), 0);
}

/// The paragraphs of that class.
fn paragraphs<'a>(page: &'a Page, class: &str) -> Vec<&'a str> {
    let all = page.all("p").filter(|text| text.has_class(class));
    all.map(|text| text.text.as_str()).collect()
}

/// Each card has its text under its name, as on its own page.
#[tokio::test]
async fn results_are_shown_as_text() {
    let app = start().await;
    let one = read(&app, &(path("set:hearth number:1") + "&as=text")).await;
    let own = read(&app, "/cards/ttcg/hearth/001").await;
    for class in ["effect", "lore"] {
        assert!(!paragraphs(&own, class).is_empty(), "{class}");
        assert_eq!(paragraphs(&one, class), paragraphs(&own, class), "{class}");
    }
    let heading = one.only("h3");
    assert_eq!(heading.text, own.only("h1").text);
    for text in ["Earth", "150", "350"] {
        assert!(one.only("main").text.contains(text), "{text}: {}", one.only("main").text);
    }
    // Each printing has its own numbers.
    let printings = path("set:hearth number:1 unique:printings") + "&as=text";
    let printings = read(&app, &printings).await;
    assert_eq!(printings.all("h3").count(), 6);
    assert!(printings.only("main").text.contains("390"), "{}", printings.only("main").text);
    // For hidden cards, the page shows only their progress.
    let veil = read(&app, &(path("set:veil") + "&as=text")).await;
    let names: Vec<&str> = veil.all("h3").map(|heading| heading.text.as_str()).collect();
    assert_eq!(names.len(), 16);
    assert_eq!(names.iter().filter(|name| **name == "Hidden card").count(), 15);
    assert_eq!(veil.all("progress").count(), 15);
    let unlocked = read(&app, "/cards/ttcg/veil/003").await;
    assert_eq!(paragraphs(&veil, "effect"), paragraphs(&unlocked, "effect"));
}

/// Links to further pages, facet links and the search form keep the display form of the results. Other links lead to the other display forms.
#[tokio::test]
async fn the_display_form_of_results_is_preserved() {
    let app = start().await;
    let first = read(&app, &(path("kind:unit") + "&game=ttcg&as=text")).await;
    assert_eq!(first.all("h3").count(), 60);
    let field = first.all("input").find(|field| field.get("name") == Some("as")).unwrap();
    assert_eq!(field.get("value"), Some("text"));
    let forms: Vec<(&str, bool)> = first
        .all("a")
        .filter(|link| ["Pictures", "List", "Text"].contains(&&*link.text))
        .map(|link| (link.get("href").unwrap(), link.get("aria-current").is_some()))
        .collect();
    let narrowed = path("kind:unit") + "&game=ttcg";
    let (list, text) = (format!("{narrowed}&as=list"), format!("{narrowed}&as=text"));
    assert_eq!(forms, [(&*narrowed, false), (&*list, false), (&*text, true)]);
    let narrowing: Vec<&str> = first
        .all("a")
        .filter(|link| link.get("rel") == Some("nofollow"))
        .filter_map(|link| link.get("href"))
        .collect();
    assert!(narrowing.len() > 5, "{narrowing:?}");
    assert!(narrowing.iter().all(|link| link.ends_with("&as=text")), "{narrowing:?}");
    let second = read(&app, &next(&first).unwrap()).await;
    assert!(second.all("h3").count() > 0 && tiles(&second).is_empty());
    assert_ne!(second.all("h3").next().unwrap().text, first.all("h3").next().unwrap().text);
}

/// With script, search fields suggest card names. The field of the search page also suggests fields of the query language.
#[tokio::test]
async fn search_fields_have_the_attributes_that_their_script_needs() {
    let app = start().await;
    for path in PAGES {
        let page = read(&app, path).await;
        let fields: Vec<&Element> = page
            .with("data-names")
            .map(|(field, _)| field)
            .filter(|field| field.get("name") == Some("q"))
            .collect();
        assert_eq!(fields.len(), 1, "{path}: {fields:?}");
        assert_eq!(fields[0].get("data-names"), Some("/v1/cards/autocomplete"), "{path}");
        // The script derives the id of the list of suggestions from the id of the field.
        assert!(fields[0].get("id").is_some(), "{path}");
        let scripts = page.all("script").filter_map(|script| script.get("src"));
        assert_eq!(scripts.filter(|path| path.ends_with("/frame.js")).count(), 1, "{path}");
    }
    let names = app.get("/v1/cards/autocomplete?q=kettle&limit=6").answer().await.expect(200);
    assert!(names["data"].as_array().unwrap().contains(&"Kettle Imp".into()), "{names}");
    let search = read(&app, "/search").await;
    let field = search.all("input").find(|field| field.get("id") == Some("q")).unwrap();
    let hints = field.get("data-hints").unwrap();
    assert!(search.all("datalist").any(|list| list.get("id") == Some(hints)));
    for field in cardscape::search::card_fields() {
        let hint = search
            .all("option")
            .find(|hint| hint.get("value") == Some(field.name) && !hint.text.is_empty());
        let hint = hint.unwrap_or_else(|| panic!("no hint of {}", field.name));
        assert!(!hint.text.contains('`'), "{}", hint.text);
    }
}
