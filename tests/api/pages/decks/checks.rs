//! The page that checks deck lists without storing them.

use super::{Browser, sample, start, store};
use crate::pages::frame::check;
use crate::pages::html::Page;
use crate::support::RequestExt as _;

const PATH: &str = "/decks/check";

/// A text with single spaces, as in [`crate::pages::html::Element`].
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn a_check_reports_all_problems_of_a_list() {
    let app = start().await;
    let browser = Browser::new(&app);
    let form = check(PATH, &browser.get(PATH).await);
    assert!(form.all("option").any(|option| option.get("value") == Some("ttcg/standard")));
    let list = sample("illegal-forty-eight-cards.txt");
    let answer = browser.post(PATH, &[("format", "ttcg/standard"), ("list", &list)]).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("cache-control"), "private, no-store");
    let page = check(PATH, &answer);
    let main = &page.only("main").text;
    for message in [
        "Not legal in Standard, and some cards are unknown.",
        "T-2.2.1b",
        "Deck has 48 cards; at least 50 are needed.",
        "Add 2 cards to Deck.",
        "3 copies of “Kettle Imp”; at most 2 are allowed.",
        "Take out 1 copy of “Kettle Imp”.",
        "There is no card “Belows Smith”.",
        "Write “Bellows Smith” instead of “Belows Smith”.",
        "Perhaps: Bellows Smith.",
        "Read as: Text of this site (it has rarities in braces, names in quotes, or says its format).",
        "lines were read just as they stand",
        "No card has this name. Perhaps: Bellows Smith",
        "Unknown cards",
        "Curve: Attack",
    ] {
        assert!(main.contains(message), "{message}: {main}");
    }
    // The page has its own texts, and does not show the messages of the API.
    for message in ["main zone", "2 missing", "No known card", "did you mean", "unknown:"] {
        assert!(!main.contains(message), "{message}: {main}");
    }
    // The field keeps the typed list, except for its line ends.
    assert_eq!(page.only("textarea").text, flat(&list));
    let imp = app.get("/v1/cards?q=%22Kettle+Imp%22").answer().await.expect(200);
    let number = imp["data"][0]["number"].as_str().unwrap();
    let link = format!("/cards/ttcg/hearth/{number}");
    assert!(page.all("a").any(|element| element.get("href") == Some(&link)), "{link}");
}

/// A rule whose end, and whose successor, is announced.
const ORCHARD: &str = r#"
code = "orchard"
name = "Orchard"
rules_version = "orchard/1"
[[kinds]]
code = "fruit"
name = "Fruit"
[[formats]]
code = "open"
name = "Open"
version = "1"
[[formats.rules]]
rule = "O-1"
text = "A basket has five fruits."
effective_until = "9000-01-01"
zone_size = { zone = "main", min = 5 }
[[formats.rules]]
rule = "O-1"
text = "A basket has six fruits."
effective_from = "9000-01-01"
zone_size = { zone = "main", min = 6 }
"#;

/// Each violation in a report links to the rule on the page of the game, which has the same wording as the report.
#[tokio::test]
async fn reports_link_to_the_rules() {
    let app = start().await;
    app.seed(&["emojo-dojo"]).await;
    let admin = app.admin().await;
    let manifest = app.put("/v1/games/orchard/manifest").by(&admin).body(ORCHARD);
    manifest.header("content-type", "application/toml").answer().await.expect(201);
    let browser = Browser::new(&app);
    let ada = app.player("ada").await;
    let deck = store(&app, &ada, "Short", "public", "4 Kettle Imp").await;
    let form = |format, list| [("format", format), ("list", list)];
    let reports = [
        ("ttcg", "", check(&deck, &browser.get(&deck).await)),
        ("ttcg", "", check(PATH, &browser.post(PATH, &form("ttcg/standard", "1 Imp")).await)),
        ("emojo-dojo", "", check(PATH, &browser.post(PATH, &form("emojo-dojo/box", "1 X")).await)),
        (
            "emojo-dojo",
            "half:",
            check(PATH, &browser.post(PATH, &form("emojo-dojo/box:half", "1 X")).await),
        ),
        ("orchard", "", check(PATH, &browser.post(PATH, &form("orchard/open", "1 X")).await)),
    ];
    for (game, variant, report) in reports {
        let path = format!("/games/{game}");
        let rules = check(&path, &browser.get(&path).await);
        let links: Vec<_> = report
            .all("a")
            .filter_map(|link| Some((link, link.get("href")?.strip_prefix(&format!("{path}#"))?)))
            .collect();
        assert!(!links.is_empty(), "{path}: {}", report.only("main").text);
        let mut has_variant = false;
        for (link, anchor) in links {
            let (rule, _) = rules.with("id").find(|(_, id)| *id == anchor).unwrap();
            let number = link.text.split(" (section").next().unwrap();
            let text = rule.text.strip_prefix(number).unwrap().trim();
            let row = report.all("tr").find(|row| row.text.contains(text));
            assert!(row.is_some_and(|row| row.text.starts_with(&*link.text)), "{}", rule.text);
            has_variant |= anchor.starts_with(&format!("rule:box:{variant}"));
        }
        assert!(has_variant || variant.is_empty(), "{path}: {variant}");
    }
}

/// Pages with a list field have the elements that the script needs. These elements do nothing without the script.
#[tokio::test]
async fn pages_with_a_list_field_support_the_live_check() {
    let app = start().await;
    let ada = app.player("ada").await;
    let deck = store(&app, &ada, "Draft", "private", "2 Kettle Imp").await;
    let hers = Browser::of(&app, "ada").await;
    for path in [PATH, "/my/decks/new", &format!("{deck}/edit")] {
        let page = hers.page(path).await;
        assert_eq!(page.scripts(), ["deck.js"], "{path}");
        let form = page.all("form").find(|form| form.get("data-live-part").is_some()).unwrap();
        assert_eq!(form.get("data-live-to"), Some(PATH));
        // The forms have no unsaved changes yet. The check page stores nothing, so it needs no guard against lost changes.
        assert_eq!(form.get("data-guard"), (path != PATH).then_some("saved"), "{path}");
        let id = |id: &str| page.with("id").find(|(_, known)| *known == id).map(|(one, _)| one);
        let parts: Vec<&str> = form.get("data-live-part").unwrap().split(' ').collect();
        assert_eq!(parts, ["way", "judged"]);
        for part in parts {
            assert_eq!(id(part).unwrap().text, "", "{path}: {part}");
        }
        // The fields have the same names as on the check page. The script sends no other fields, so the check reports no faults of other fields.
        assert_eq!(form.get("data-live-fields"), Some("format list dialect"));
        assert_eq!(form.get("data-live-needs"), Some("list"));
        for field in ["format", "list", "dialect"] {
            assert_eq!(id(field).unwrap().get("name"), Some(field), "{path}");
        }
        for needed in ["pick_names", "pick_add"] {
            assert!(id(needed).is_some(), "{path}: {needed}");
        }
        assert_eq!(form.get("data-live-announce"), Some("told"));
        assert_eq!(id("told").unwrap().get("data-says"), Some(""), "{path}");
        for status in ["told", "pick_state"] {
            assert_eq!(id(status).unwrap().get("role"), Some("status"), "{path}: {status}");
        }
        // The field has no name, so a browser does not send it with the form.
        let pick = id("pick").unwrap();
        assert_eq!(
            (pick.get("name"), pick.get("data-names")),
            (None, Some("/v1/cards/autocomplete"))
        );
        let names = pick.get("data-names").unwrap();
        let names = app.get(&format!("{names}?q=kettle&limit=10&game=ttcg")).answer().await;
        assert_eq!(names.expect(200)["data"][0], "Kettle Imp");
    }
    // The parts that the script takes from the answer contain the verdict.
    let fields = [("format", "ttcg/standard"), ("list", "2 Kettle Imp"), ("dialect", "")];
    let judged = check(PATH, &hers.post(PATH, &fields).await);
    let id = |id: &str| judged.with("id").find(|(_, known)| *known == id).unwrap().0;
    let report = id("judged");
    let verdict = judged.all("p").find(|line| line.has_class("verdict")).unwrap();
    assert!(report.text.contains(&verdict.text) && verdict.text.contains("Standard"));
    assert_eq!(id("told").get("data-says"), Some(&*verdict.text));
    assert_eq!(id("way").text, "The whole report");
    // A list that cannot be checked has no report. The status message states the first fault.
    let fields = [("format", "ttcg/standard"), ("list", "99999 Kettle Imp"), ("dialect", "")];
    let refused = check(PATH, &hers.post(PATH, &fields).await);
    let id = |id: &str| refused.with("id").find(|(_, known)| *known == id).unwrap().0;
    assert_eq!((&*id("judged").text, &*id("way").text), ("", ""));
    assert!(id("told").get("data-says").unwrap().starts_with("Line 1:"));
    // The page of a refused form has unsaved changes.
    let refused = hers.post("/my/decks/new", &[("name", "x"), ("list", "2 Kettle Imp")]).await;
    let refused = check("/my/decks/new", &refused);
    assert!(refused.all("form").any(|form| form.get("data-guard") == Some("unsaved")));
}

/// The text in the list field of a page.
fn list_of(page: &Page) -> String {
    page.all("textarea").find(|field| field.get("id") == Some("list")).unwrap().text.clone()
}

#[tokio::test]
async fn a_card_is_added_to_the_first_zone_of_a_list() {
    let app = start().await;
    let browser = Browser::new(&app);
    let add = async |list: &str, dialect: &str, card: &str| {
        let fields =
            [("format", "ttcg/standard"), ("list", list), ("dialect", dialect), ("card", card)];
        let answer = browser.post(PATH, &fields).await;
        (answer.status, check(PATH, &answer))
    };
    let count = |page: &Page| {
        let state = page.with("id").find(|(_, id)| *id == "pick_state").unwrap().0;
        state.get("data-count").map(str::to_owned)
    };
    // The text of a stored deck: the heading has no brackets. The copies in the sideboard are another entry.
    let stored = "1 Kettle Imp\n\nSideboard\n3 Bellows Smith\n";
    for (list, dialect, card, after, copies) in [
        (stored, "own", "kettle imp", "2 Kettle Imp Sideboard 3 Bellows Smith", "2"),
        (
            stored,
            "own",
            "Bellows Smith",
            "1 Kettle Imp 1 Bellows Smith Sideboard 3 Bellows Smith",
            "1",
        ),
        (
            // The game has one zone, so a blank line does not begin another zone.
            "2 Kettle Imp\n\n1 Bellows Smith",
            "mtgo",
            "Ember Moth Cloud",
            "2 Kettle Imp 1 Bellows Smith 1 Ember Moth Cloud",
            "1",
        ),
        ("", "", "Kettle Imp", "1 Kettle Imp", "1"),
        // The numbers of the lines stay what they are.
        (
            "1. Kettle Imp\n2. Bellows Smith",
            "",
            "Kettle Imp",
            "1. Kettle Imp 2. Bellows Smith 1 Kettle Imp",
            "1",
        ),
        // The cards of a maybeboard are no part of the deck.
        ("Maybeboard\n1 Kettle Imp", "", "Kettle Imp", "1 Kettle Imp Maybeboard 1 Kettle Imp", "1"),
        ("2 Kettle Imp", "own", "Gold {gilded}", "2 Kettle Imp 1 \"Gold {gilded}\"", "1"),
    ] {
        let (status, page) = add(list, dialect, card).await;
        assert_eq!((status, &*flat(&list_of(&page))), (200, after), "{list}");
        assert_eq!(count(&page).as_deref(), Some(copies), "{list}");
        // The answer contains the check of the changed list.
        assert!(page.all("p").any(|line| line.has_class("verdict")), "{list}");
    }
    // Numbers that go on after a header stay numbers, too: the first zone has the three cards that it should have.
    let numbered = "1. Kettle Imp\n2. Pocket Bat\nSideboard\n3. Bellows Smith\n4. Barrow Ox";
    let (status, page) = add(numbered, "", "Kettle Imp").await;
    let after = "1. Kettle Imp 2. Pocket Bat 1 Kettle Imp Sideboard 3. Bellows Smith 4. Barrow Ox";
    assert_eq!((status, &*flat(&list_of(&page))), (200, after));
    let main = &page.only("main").text;
    assert!(main.contains("Deck has 3 cards; at least 50 are needed."), "{main}");
    // If the card cannot be added to the list, the list stays as it is, and the page states the reason.
    for (list, dialect, format, message) in [
        ("{\"entries\": []}", "json", "ttcg/standard", "a line for each card"),
        ("[\"2 Kettle Imp\", \"1 Bellows Smith\"]", "", "ttcg/standard", "a line for each card"),
        ("1 Kettle Imp", "", "", "Choose a format"),
        ("1 Kettle Imp", "", "ttcg/nothing", "no such format"),
    ] {
        let fields =
            [("format", format), ("list", list), ("dialect", dialect), ("card", "Kettle Imp")];
        let answer = browser.post(PATH, &fields).await;
        let page = check(PATH, &answer);
        assert_eq!((answer.status / 100, &*flat(&list_of(&page))), (4, list));
        assert_eq!(count(&page), None, "{list}");
        let announced = page.with("id").find(|(_, id)| *id == "told").unwrap().0;
        assert!(announced.get("data-says").unwrap().contains(message), "{announced:?}");
    }
    // A serial code is not a card name.
    let (status, page) = add("", "", "7KQ2-X0FM-93TD-AW5G").await;
    assert_eq!((status, count(&page)), (422, None));
}

#[tokio::test]
async fn a_list_can_state_its_own_format() {
    let app = start().await;
    let browser = Browser::new(&app);
    let list = sample("legal-embers-and-bones.txt");
    let page = check(PATH, &browser.post(PATH, &[("format", ""), ("list", &list)]).await);
    let main = &page.only("main").text;
    assert!(main.contains("Legal in Standard.") && main.contains("Nothing is wrong"), "{main}");
}

#[tokio::test]
async fn each_line_with_a_problem_is_reported() {
    let app = start().await;
    let browser = Browser::new(&app);
    let list = "Kettle Imp\n2 Bellows Smith\n1 No Such Thing At All\n99999 Kettle Imp\n";
    let answer = browser.post(PATH, &[("format", "ttcg/standard"), ("list", list)]).await;
    let page = check(PATH, &answer);
    let rows: Vec<&str> = page.all("tr").map(|row| row.text.as_str()).collect();
    for (line, status, why) in [
        ("1", "Guessed", "One copy, since it has no number."),
        ("3", "Unknown", "No card has this name."),
        ("4", "Refused", "There must be 1 to 10,000 copies."),
    ] {
        let is_reported = rows
            .iter()
            .any(|row| row.trim().starts_with(line) && row.contains(status) && row.contains(why));
        assert!(is_reported, "{line} {status}: {rows:?}");
    }
    assert!(page.only("main").text.contains("1 line was read just as it stands."));
}

#[tokio::test]
async fn faults_are_shown_at_their_fields_with_the_typed_values() {
    let app = start().await;
    let browser = Browser::new(&app);
    let cases = [
        (("", ""), "list", "Paste a list."),
        (("", "2 Kettle Imp"), "format", "Choose a format"),
        (("ttcg/nothing", "2 Kettle Imp"), "format", "There is no such format."),
        (
            ("ttcg/standard", "99999 Kettle Imp"),
            "list",
            "Line 1: There must be 1 to 10,000 copies.",
        ),
    ];
    for ((format, list), field, message) in cases {
        let answer = browser.post(PATH, &[("format", format), ("list", list)]).await;
        assert_eq!(answer.status, 422, "{format} {list}");
        let page = check(PATH, &answer);
        let is_linked = page.all("a").any(|link| {
            link.get("href") == Some(&format!("#{field}")) && link.text.contains(message)
        });
        assert!(is_linked, "{message}: {}", answer.text());
        let marked = page.with("aria-invalid").map(|(element, _)| element.get("id"));
        assert_eq!(marked.collect::<Vec<_>>(), [Some(field)]);
        assert!(page.fault_of(field).contains(message), "{message}");
        assert_eq!(page.only("textarea").text, list);
    }
    // The page keeps blank lines at the beginning of a list.
    let answer = browser.post(PATH, &[("format", ""), ("list", "\n\n2 Kettle Imp")]).await;
    check(PATH, &answer);
    // The text begins with one more line end, because browsers drop the first line end of a `<textarea>`.
    assert!(answer.text().contains(">\n\n\n2 Kettle Imp</textarea>"));
}

#[tokio::test]
async fn a_hidden_card_is_recognised_only_for_a_holder() {
    let app = start().await;
    let ada = app.player("ada").await;
    app.give_copy(&ada.id, "ttcg", "veil", "001").await;
    let moderator = app.moderator().await;
    let card = app.get("/v1/games/ttcg/sets/veil/cards/001").by(&moderator).answer().await;
    let card = card.expect(200);
    let name = card["name"].as_str().unwrap();
    let fields = [("format", "ttcg/standard"), ("list", &*format!("2 {name}"))];
    let link = "/cards/ttcg/veil/001";
    for (browser, is_known) in [(Browser::new(&app), false), (Browser::of(&app, "ada").await, true)]
    {
        let page = check(PATH, &browser.post(PATH, &fields).await);
        let linked = page.all("a").any(|element| element.get("href") == Some(link));
        assert_eq!(linked, is_known);
    }
}

/// The check shows owned and missing cards only to a player who has counted or registered at least one card.
#[tokio::test]
async fn a_check_shows_which_cards_the_player_owns() {
    let app = start().await;
    let ada = app.player("ada").await;
    app.player("ben").await;
    app.give_copy(&ada.id, "ttcg", "hearth", "016").await;
    let fields =
        [("format", "ttcg/standard"), ("list", "3 Kettle Imp\n1 (hearth) 016\n2 Qwertz Uiop")];
    let judged = async |browser: Browser<'_>| check(PATH, &browser.post(PATH, &fields).await);
    let hers = judged(Browser::of(&app, "ada").await).await;
    let shows_owned = hers.only("main").text.contains("Owned and missing");
    assert!(shows_owned, "{}", hers.only("main").text);
    assert!(hers.only("main").text.contains("5 cards are missing."));
    let rows: Vec<&str> = hers.all("tr").map(|row| row.text.as_str()).collect();
    for row in ["Kettle Imp 4 1 3", "Qwertz Uiop 2 0 2"] {
        assert!(rows.contains(&row), "{row}: {rows:?}");
    }
    // The part of the answer that the script shows while a list is typed also contains the missing cards.
    let part = hers.with("id").find(|(_, id)| *id == "judged").unwrap().0;
    assert!(part.text.contains("5 cards are missing."));
    for browser in [Browser::new(&app), Browser::of(&app, "ben").await] {
        assert!(!judged(browser).await.only("main").text.contains("Owned and missing"));
    }
}

#[tokio::test]
async fn lists_of_other_sites_are_refused() {
    let app = start().await;
    let form = [("format", "ttcg/standard"), ("list", "2 Kettle Imp")];
    let request = app.post(PATH).header("sec-fetch-site", "cross-site");
    let answer = request.form(&form).answer().await;
    assert_eq!(answer.status, 403);
    check(PATH, &answer);
}
