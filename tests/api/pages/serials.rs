//! Registration of printed cards on a page: with a typing error, with a log-in in between, twice, and several at once. The service identifies a browser
//! by its cookie, which other sites and API clients cannot use.

use std::collections::BTreeMap;

use serde_json::json;

use super::browser::Browser;
use super::frame::check;
use super::html::Page;
use crate::support::{Answer, PASSWORD, PaperCard, RequestExt as _, TestApp};

/// Starts a service with a hidden set and its printed cards. Five submissions unlock a card.
async fn printed() -> (TestApp, Vec<PaperCard>) {
    let app = TestApp::start().await;
    app.import_set("dusk", 3, true).await;
    let cards = app.print("dusk", 20).await;
    (app, cards)
}

fn text(answer: &Answer) -> String {
    answer.text()
}

#[tokio::test]
async fn a_code_is_carried_through_the_log_in_and_registered() {
    let (app, cards) = printed().await;
    app.player("ada").await;
    let card = &cards[0];
    let mut browser = Browser::new(&app);
    let form = check("/submit", &browser.get("/submit").await);
    assert_eq!(form.all("input").filter(|field| field.get("id") == Some("serial")).count(), 1);
    let confirmation =
        browser.send("/submit", &[("serial", &card.serial), ("card", &card.name)]).await;
    assert_eq!(confirmation.status, 200, "{}", text(&confirmation));
    let page = check("/submit", &confirmation);
    // The forms that lead to other pages carry the code and the name in hidden fields.
    let hidden: BTreeMap<&str, &str> = page
        .all("input")
        .filter(|field| field.get("type") == Some("hidden"))
        .map(|field| (field.get("name").unwrap(), field.get("value").unwrap()))
        .collect();
    assert_eq!(hidden.get("serial"), Some(&card.serial.as_str()), "{hidden:?}");
    let mut fields: Vec<(&str, &str)> = hidden.into_iter().collect();
    fields.extend([("name", "ada"), ("password", PASSWORD)]);
    let answer = browser.send("/login", &fields).await;
    assert_eq!(answer.status, 200, "{}", text(&answer));
    assert_eq!(answer.header("cache-control"), "private, no-store");
    let page = check("/login", &answer);
    assert_eq!(page.only("h1").text, "This copy is yours now");
    assert!(browser.cookie.is_some());
    assert_eq!(app.db().value("SELECT count(*) FROM copies WHERE owner_id IS NOT NULL").await, "1");
    // A second submission of the same code registers nothing again.
    let again = browser.send("/submit", &[("serial", &card.serial), ("card", &card.name)]).await;
    assert_eq!(check("/submit", &again).only("h1").text, "This copy was yours already");
    assert_eq!(app.db().value("SELECT count(*) FROM submissions").await, "1");
}

#[tokio::test]
async fn faults_of_a_code_are_shown_beside_its_field() {
    let (app, cards) = printed().await;
    app.player("ada").await;
    let mut browser = Browser::of(&app, "ada").await;
    let card = &cards[0];
    let other = cards.iter().find(|other| other.number != card.number).unwrap();
    let mistyped = {
        let (rest, last) = card.serial.split_at(card.serial.len() - 1);
        format!("{rest}{}", if last == "0" { "1" } else { "0" })
    };
    let wrong = card.serial.replacen(|c: char| c.is_ascii_alphanumeric(), "U", 1);
    for (serial, name, message) in [
        ("", card.name.as_str(), "Type the code."),
        ("7KQ2", &card.name, "A code has 16 letters and digits. This has 4."),
        (&wrong, &card.name, "The character at place 1 cannot be in a code."),
        (&mistyped, &card.name, "There is a typing error in the code."),
        (&card.serial, " ", "Type the name of the card"),
        (&card.serial, &other.name, "Code and name do not belong together."),
    ] {
        let answer = browser.send("/submit", &[("serial", serial), ("card", name)]).await;
        assert_eq!(answer.status, 422, "{message}");
        let page = check("/submit", &answer);
        let alert = page.elements.iter().find(|element| element.get("role") == Some("alert"));
        assert!(
            alert.is_some_and(|alert| alert.text.contains(message)),
            "{message}: {}",
            text(&answer)
        );
        // This fault concerns both fields, so the page marks neither of them.
        let field = if message.starts_with("Type the name") { "card" } else { "serial" };
        if message != "Code and name do not belong together." {
            assert!(page.fault_of(field).contains(message), "{message}");
        }
        // The page keeps the typed code, so that the player can correct it.
        assert!(page.all("input").any(|field| field.get("value") == Some(serial)), "{message}");
    }
    assert_eq!(app.db().value("SELECT count(*) FROM submissions").await, "0");
    let marked = browser.send("/submit", &[("serial", &wrong), ("card", &card.name)]).await;
    assert_eq!(Page::read(&text(&marked)).only("mark").text, "U");
}

/// A name that was typed, but is refused, has a message of its own on both pages.
#[tokio::test]
async fn refused_names_have_their_own_messages() {
    let (app, cards) = printed().await;
    app.player("ada").await;
    let browser = Browser::of(&app, "ada").await;
    let serial = cards[0].serial.as_str();
    let long = "x".repeat(201);
    for (name, message) in [
        ("", "Type the name of the card."),
        (&long, "The name of a card has at most 200 characters. This has 201."),
        (
            "Tam\u{202e} x",
            "changes the direction of the text. Type the name instead of copying it.",
        ),
        ("Tam\u{2028}x", "There is a character in the name that cannot be in one."),
    ] {
        let answer = browser.post("/submit", &[("serial", serial), ("card", name)]).await;
        assert_eq!(answer.status, 422, "{message}");
        let page = check("/submit", &answer);
        let fault = page.fault_of("card");
        assert!(fault.contains(message), "{message}: {fault}");
        let line = format!("{serial} {name}");
        let batch = browser.post("/submit/batch", &[("lines", &line)]).await;
        let page = check("/submit/batch", &batch);
        assert!(page.all("td").any(|cell| cell.text.contains(message)), "{message}");
    }
    assert_eq!(app.db().value("SELECT count(*) FROM submissions").await, "0");
}

#[tokio::test]
async fn a_card_of_another_player_shows_what_to_do() {
    let (app, cards) = printed().await;
    app.player("ada").await;
    app.player("bea").await;
    let fields = [("serial", cards[0].serial.as_str()), ("card", cards[0].name.as_str())];
    assert_eq!(Browser::of(&app, "ada").await.send("/submit", &fields).await.status, 200);
    let answer = Browser::of(&app, "bea").await.send("/submit", &fields).await;
    assert_eq!(answer.status, 409);
    let page = check("/submit", &answer);
    assert!(page.all("h2").any(|heading| heading.text == "What you can do"));
    assert!(page.all("li").any(|line| line.text.contains("a moderator decides")));
}

/// A claim that was withdrawn or decided is not noted again: both pages say so, and lead to its dispute.
#[tokio::test]
async fn a_closed_claim_leads_to_its_dispute() {
    let (app, cards) = printed().await;
    let (ada, bea) = (app.player("ada").await, app.player("bea").await);
    let moderator = app.moderator().await;
    let browser = Browser::of(&app, "bea").await;
    let noted = "Your claim was noted, and a moderator decides.";
    let closed = "Your claim to this copy is already closed.";
    for (card, ending) in cards.iter().zip(["withdraw", "decide"]) {
        app.register(&ada, card).await;
        let claim = app.submit(&bea, card).await.problem(409, "registered_to_another");
        let path = format!("/disputes/{}", claim["dispute_id"].as_str().unwrap());
        let line = format!("{} {}", card.serial, card.name);
        let fields = [("serial", card.serial.as_str()), ("card", card.name.as_str())];
        let expect = async |says: &str, other: &str, link: &str| {
            let single = check("/submit", &browser.post("/submit", &fields).await);
            let batch = browser.post("/submit/batch", &[("lines", &line)]).await;
            for page in [single, check("/submit/batch", &batch)] {
                let main = &page.only("main").text;
                assert!(main.contains(says) && !main.contains(other), "{ending}: {main}");
                let shown = page.all("a").find(|shown| shown.get("href") == Some(path.as_str()));
                assert_eq!(shown.map(|shown| shown.text.as_str()), Some(link), "{ending}");
            }
        };
        expect(noted, closed, "See the dispute, and say how the card came to you").await;
        let end = app.post(&format!("/v1{path}/{ending}"));
        match ending {
            "withdraw" => end.by(&bea).answer().await.expect(200),
            _ => {
                let body = json!({ "outcome": "for_owner", "reason": "a photograph" });
                end.by(&moderator).json(&body).answer().await.expect(200)
            }
        };
        expect(closed, noted, "See how it was decided").await;
    }
}

#[tokio::test]
async fn a_batch_registers_valid_lines_and_keeps_the_others() {
    let (app, cards) = printed().await;
    app.player("ada").await;
    let mut browser = Browser::of(&app, "ada").await;
    check("/submit/batch", &browser.get("/submit/batch").await);
    let wrong = format!("{} Nobody", cards[2].serial);
    let lines = format!(
        "{} {}\r\n\r\n{}\r\n{}\t{}\r\n",
        cards[0].serial, cards[0].name, wrong, cards[1].serial, cards[1].name
    );
    let answer = browser.send("/submit/batch", &[("lines", &lines)]).await;
    assert_eq!(answer.status, 200, "{}", text(&answer));
    let page = check("/submit/batch", &answer);
    let verdicts: Vec<&str> = page.all("td").map(|cell| cell.text.as_str()).collect();
    assert_eq!(
        verdicts,
        [
            "1",
            "This copy is yours now",
            "3",
            "Code and name do not belong together.",
            "4",
            "This copy is yours now"
        ]
    );
    assert_eq!(page.only("textarea").text.trim(), wrong);
    assert_eq!(app.db().value("SELECT count(*) FROM submissions").await, "2");
    // The page marks an invalid character in the code, as it does for a single code.
    let wrong = cards[2].serial.replacen(|c: char| c.is_ascii_alphanumeric(), "U", 1);
    let lines = format!("{} Nobody\r\n{wrong} Nobody", cards[2].serial);
    let page = check("/submit/batch", &browser.send("/submit/batch", &[("lines", &lines)]).await);
    assert_eq!(page.only("mark").text, "U");
    let row = page.all("tr").find(|row| row.text.starts_with('2')).unwrap();
    assert!(row.text.contains("The character at place 1 cannot be in a code."), "{}", row.text);
    assert_eq!(page.all("code").next().unwrap().text.replace(' ', ""), wrong);
    for (lines, message) in
        [(" \r\n", "Type at least one line."), (&"x\r\n".repeat(51), "more than 50")]
    {
        let answer = browser.send("/submit/batch", &[("lines", lines)]).await;
        assert_eq!(answer.status, 422);
        assert!(check("/submit/batch", &answer).fault_of("lines").contains(message), "{message}");
    }
}

/// The page of a registered copy has the name that is printed on the card, not what was typed.
#[tokio::test]
async fn the_name_of_a_registered_card_is_its_own() {
    let (app, cards) = printed().await;
    app.player("ada").await;
    let mut browser = Browser::of(&app, "ada").await;
    let typed = |card: &PaperCard| card.name.to_uppercase().replace([',', '!'], " ");
    let shown = [&cards[0], &cards[0]];
    for card in shown {
        let typed = typed(card);
        // As the page would show it: texts of elements have single spaces.
        let as_typed = typed.split_whitespace().collect::<Vec<_>>().join(" ");
        let fields = [("serial", card.serial.as_str()), ("card", typed.as_str())];
        let page = check("/submit", &browser.send("/submit", &fields).await);
        let main = &page.only("main").text;
        assert!(main.contains(&card.name) && !main.contains(&as_typed), "{main}");
        assert!(page.only("img").get("alt").unwrap().contains(&card.name));
    }
    let wrong = "SOMEBODY ELSE";
    let lines = format!(
        "{} | {}\n{}\t–\t“{}”\n{} = {wrong}",
        cards[1].serial,
        typed(&cards[1]),
        cards[2].serial,
        typed(&cards[2]),
        cards[3].serial
    );
    let page = check("/submit/batch", &browser.send("/submit/batch", &[("lines", &lines)]).await);
    let names: Vec<&str> = page
        .all("th")
        .filter(|cell| cell.get("scope") == Some("row"))
        .map(|cell| cell.text.as_str())
        .collect();
    assert_eq!(names, [cards[1].name.as_str(), cards[2].name.as_str(), wrong]);
}

/// A player with a copy sees the hidden card and its picture. Neither may be cached.
#[tokio::test]
async fn only_a_holder_sees_a_hidden_card() {
    let (app, cards) = printed().await;
    app.player("ada").await;
    let card = &cards[0];
    let mut browser = Browser::of(&app, "ada").await;
    let path = format!("/cards/ttcg/dusk/{}", card.number);
    let before = browser.get(&path).await;
    assert!(!text(&before).contains(&card.name));
    let result = browser.send("/submit", &[("serial", &card.serial), ("card", &card.name)]).await;
    let picture = Page::read(&text(&result));
    let picture = picture.only("img").get("src").unwrap().to_owned();
    let shown = browser.get(&path).await;
    assert_eq!(check(&path, &shown).only("h1").text, card.name);
    assert_eq!(shown.header("cache-control"), "private, no-store");
    let drawn = browser.get(&picture).await;
    assert_eq!((drawn.status, drawn.header("content-type").as_str()), (200, "image/svg+xml"));
    assert_eq!(drawn.header("cache-control"), "private, no-store");
    // Without this header, another site could recognise a holder by the picture that the browser loads.
    assert_eq!(drawn.header("cross-origin-resource-policy"), "same-origin");
    assert!(text(&drawn).contains(&card.name), "{}", text(&drawn));
    let stranger = Browser::new(&app);
    for path in [&path, &picture] {
        let seen = stranger.get(path).await;
        assert!(!text(&seen).contains(&card.name), "{path}");
        assert!(seen.header("vary").contains("Cookie"), "{path}");
    }
}

/// Pages of the set and of its hidden cards say what the policy asks beyond the number of submissions, in the same words for every card.
#[tokio::test]
async fn the_other_conditions_of_an_unlock_are_shown() {
    let (app, cards) = printed().await;
    let (admin, ada) = (app.admin().await, app.player("ada").await);
    let (set, other) = ("/sets/ttcg/dusk", "/cards/ttcg/dusk/003");
    let card = cards.iter().find(|card| card.number == "001").unwrap();
    let path = format!("/cards/ttcg/dusk/{}", card.number);
    let browser = Browser::of(&app, "ada").await;
    let read = async |path: &str| check(path, &browser.get(path).await).only("main").text.clone();
    for path in [set, &path] {
        let main = read(path).await;
        assert!(
            !main.contains("Copies in at least") && !main.contains("Conditions of"),
            "{path}: {main}"
        );
    }
    let policy = json!({ "threshold": 1, "rarities": 2, "review": false, "unlock_at": "2031-12-24T12:00:00Z" });
    app.put("/v1/games/ttcg/sets/dusk/unlock-policy")
        .by(&admin)
        .json(&policy)
        .answer()
        .await
        .expect(201);
    let conditions = "Copies in at least 2 rarities are needed, or in all rarities in which a card was printed, if they are fewer. All cards of the set are unlocked on 24 December 2031.";
    app.post("/v1/submissions").by(&ada).json(&card.submission()).answer().await.expect(201);
    // Its holder sees the card, and reads the conditions, too.
    for path in [set, other, &path] {
        let main = read(path).await;
        assert!(main.contains(conditions), "{path}: {main}");
    }
    let enough = "1 of 1 submission, but not all conditions are met yet";
    let stranger = Browser::new(&app);
    for path in [set, "/", &path] {
        let main = check(path, &stranger.get(path).await).only("main").text.clone();
        assert!(main.contains(enough), "{path}: {main}");
    }
    let page = check(&path, &stranger.get(&path).await);
    let bar = page.only("progress");
    assert_eq!((bar.get("value"), bar.get("max")), (Some("1"), Some("2")), "the bar is not full");
}

/// The answer to a batch without a session contains the typed lines.
#[tokio::test]
async fn lines_of_a_batch_are_not_lost_when_the_session_ends() {
    let (app, cards) = printed().await;
    let line = format!("{} {}", cards[0].serial, cards[0].name);
    let stranger = Browser::new(&app);
    let answer = stranger.post("/submit/batch", &[("lines", &line)]).await;
    assert_eq!(answer.status, 401);
    let page = check("/submit/batch", &answer);
    assert_eq!(page.only("textarea").text.trim(), line);
    assert_eq!(app.db().value("SELECT count(*) FROM submissions").await, "0");
}
