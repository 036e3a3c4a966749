//! Somebody with a first card makes an account in the form in which its code is typed.

use serde_json::json;

use super::{Browser, beside, check, codes, hidden};
use crate::pages::html::Page;
use crate::support::{Answer, PASSWORD, PaperCard, RequestExt as _, TestApp};

/// As the script of the form makes one.
const MADE: &str = "k7q2-x0fm-93td-aw5g";

async fn printed() -> (TestApp, Vec<PaperCard>) {
    let app = TestApp::start().await;
    app.import_set("dusk", 3, true).await;
    let cards = app.print("dusk", 20).await;
    (app, cards)
}

/// The form as its button for new accounts sends it.
fn form<'a>(card: &'a PaperCard, name: &'a str, password: &'a str) -> [(&'static str, &'a str); 6] {
    [
        ("serial", &card.serial),
        ("card", &card.name),
        ("name", name),
        ("password", password),
        ("made_password", ""),
        ("way", "join"),
    ]
}

/// How many accounts there are, and registered copies.
async fn made(app: &TestApp) -> (i64, i64) {
    let owned = app.db().number("SELECT count(*) FROM copies WHERE owner_id IS NOT NULL").await;
    (app.db().number("SELECT count(*) FROM accounts").await, owned)
}

fn alert(page: &Page) -> &str {
    let alert = page.elements.iter().find(|element| element.get("role") == Some("alert"));
    &alert.expect("something is wrong").text
}

#[tokio::test]
async fn an_account_and_a_card_come_with_one_form() {
    let (app, cards) = printed().await;
    let card = &cards[0];
    let mut browser = Browser::new(&app);
    let shown = browser.page("/submit").await;
    for (id, autocomplete) in [("name", "username"), ("password", "new-password")] {
        let field = shown.all("input").find(|field| field.get("id") == Some(id)).unwrap();
        assert_eq!(field.get("autocomplete"), Some(autocomplete), "{field:?}");
        assert_eq!(field.get("required"), None, "who has an account leaves it empty: {field:?}");
    }
    let ways: Vec<_> = shown.all("button").filter_map(|button| button.get("value")).collect();
    assert_eq!(ways, ["join", "log_in"]);

    let answer = browser.send("/submit", &form(card, "ada", PASSWORD)).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    codes(&answer);
    let page = check("/submit", &answer);
    assert_eq!(page.only("h1").text, "This copy is yours now");
    assert!(page.only("main").text.contains(&card.name), "{}", answer.text());
    assert!(page.only("main").text.contains("shown now and never again"));
    assert!(!answer.text().contains(PASSWORD) && !answer.text().contains(&card.serial));
    assert_eq!(made(&app).await, (1, 1));
    // The browser is logged in, sees the hidden card, and has the form of a player.
    let picture = page.only("img").get("src").unwrap().to_owned();
    assert!(browser.get(&picture).await.text().contains(&card.name));
    assert_eq!(browser.page("/my/account").await.only("h1").text, "ada");
    let own = browser.page("/submit").await;
    assert!(own.all("input").all(|field| field.get("id") != Some("password")));
}

#[tokio::test]
async fn a_password_that_the_page_has_made_is_shown_once_and_logs_in() {
    let (app, cards) = printed().await;
    let mut fields = form(&cards[0], "ada", "");
    fields[4].1 = MADE;
    let answer = Browser::new(&app).send("/submit", &fields).await;
    codes(&answer);
    assert!(check("/submit", &answer).all("samp").any(|shown| shown.text == MADE));
    let log_in = [("name", "ada"), ("password", MADE)];
    assert_eq!(Browser::new(&app).send("/login", &log_in).await.status, 303);
    // Whoever types one has that one.
    let mut fields = form(&cards[1], "bea", PASSWORD);
    fields[4].1 = MADE;
    let answer = Browser::new(&app).send("/submit", &fields).await;
    codes(&answer);
    assert!(!answer.text().contains(MADE));
    let log_in = [("name", "bea"), ("password", MADE)];
    assert_eq!(Browser::new(&app).send("/login", &log_in).await.status, 401);
    Browser::of(&app, "bea").await;
}

#[tokio::test]
async fn nothing_is_made_while_something_is_wrong() {
    let (app, cards) = printed().await;
    app.player("bea").await;
    let mut browser = Browser::new(&app);
    let card = &cards[0];
    let refused = browser.sent("/submit", &form(card, "..", "too short"), 422).await;
    assert_eq!(beside(&refused, "name"), "A name has 3 to 32 characters. This has 2.");
    assert_eq!(beside(&refused, "password"), "A password has 10 to 128 characters.");
    for (value, is_kept) in
        [(&*card.serial, true), (&card.name, true), ("..", true), ("too short", false)]
    {
        assert_eq!(
            refused.all("input").any(|field| field.get("value") == Some(value)),
            is_kept,
            "{value}"
        );
    }
    // Without script no password is made.
    let refused = browser.sent("/submit", &form(card, "ada", ""), 422).await;
    assert_eq!(beside(&refused, "password"), "A password has 10 to 128 characters.");
    let typed = PaperCard { serial: "7KQ2".to_owned(), ..card.clone() };
    let refused = browser.sent("/submit", &form(&typed, "a", PASSWORD), 422).await;
    assert_eq!(refused.beside("serial"), "A code has 16 letters and digits. This has 4.");
    assert_eq!(refused.beside("name"), "A name has 3 to 32 characters. This has 1.");
    let mut fields = form(card, "BEA", "violet lamp 7");
    fields[4].1 = MADE;
    let refused = browser.sent("/submit", &fields, 409).await;
    assert!(refused.beside("name").starts_with("Another account has this name"));
    assert!(!refused.all("input").any(|field| field.get("value") == Some(MADE)));
    assert_eq!(made(&app).await, (1, 0));
    assert!(browser.cookie.is_none());
    let foreign = app.post("/submit").header("sec-fetch-site", "cross-site");
    let foreign = foreign.form(&form(card, "ada", PASSWORD)).answer().await;
    assert_eq!((foreign.status, made(&app).await), (403, (1, 0)));
}

/// Names of cards are guessed by nobody with this form either: what is said does not depend on whether a hidden card, an open one or none has the name.
#[tokio::test]
async fn who_joins_with_a_wrong_name_keeps_the_account_and_tries_again() {
    let (app, cards) = printed().await;
    let other = cards.iter().find(|other| other.number != cards[0].number).unwrap();
    let mut told = Vec::new();
    for (name, wrong) in [("wqxj one", &*other.name), ("wqxj two", "No card has this name")] {
        let typed = PaperCard { name: wrong.to_owned(), ..cards[0].clone() };
        let mut browser = Browser::new(&app);
        let answer = browser.send("/submit", &form(&typed, name, PASSWORD)).await;
        assert_eq!(answer.status, 422, "{}", answer.text());
        let shown = codes(&answer);
        let page = check("/submit", &answer);
        assert!(alert(&page).contains("Code and name do not belong together."));
        assert!(page.only("main").text.contains("The account is made, and you are logged in."));
        for value in [&*cards[0].serial, wrong] {
            assert!(page.all("input").any(|field| field.get("value") == Some(value)), "{value}");
        }
        assert!(page.all("input").all(|field| field.get("id") != Some("password")));
        let alike = shown.iter().fold(answer.text(), |text, code| text.replace(code, ""));
        told.push(alike.replace(wrong, "").replace(name, ""));
        assert_eq!(browser.page("/my/account").await.only("h1").text, name);
        if name == "wqxj two" {
            let right = [("serial", &*cards[0].serial), ("card", &cards[0].name)];
            let page = browser.sent("/submit", &right, 200).await;
            assert_eq!(page.only("h1").text, "This copy is yours now");
        }
    }
    assert_eq!(told[0], told[1]);
    assert_eq!(made(&app).await, (2, 1));
}

#[tokio::test]
async fn who_joins_with_a_card_of_somebody_else_is_told_what_to_do() {
    let (app, cards) = printed().await;
    let ada = app.player("ada").await;
    app.register(&ada, &cards[0]).await;
    let answer = Browser::new(&app).send("/submit", &form(&cards[0], "bea", PASSWORD)).await;
    assert_eq!(answer.status, 409, "{}", answer.text());
    codes(&answer);
    let page = check("/submit", &answer);
    assert!(
        page.all("a").any(|link| link.get("href").is_some_and(|to| to.starts_with("/disputes/")))
    );
}

/// Two clicks without script, or an answer that never arrived.
#[tokio::test]
async fn the_same_form_makes_one_account_and_registers_one_copy() {
    let (app, cards) = printed().await;
    let fields = form(&cards[0], "ada", PASSWORD);
    let (mut one, mut other) = (Browser::new(&app), Browser::new(&app));
    let (first, second) =
        tokio::join!(one.send("/submit", &fields), other.send("/submit", &fields));
    assert_eq!((first.status, second.status), (200, 200), "{}\n{}", first.text(), second.text());
    assert_eq!(made(&app).await, (1, 1));
    let shows_codes = |answer: &Answer| Page::read(&answer.text()).all("code").count() == 8;
    assert!(shows_codes(&first) != shows_codes(&second), "they are shown once");
    let again = if shows_codes(&first) { second } else { first };
    let page = check("/submit", &again);
    assert!(page.all("a").any(|link| link.get("href") == Some("/my/recovery-codes")));
    assert_eq!(one.page("/my/account").await.only("h1").text, "ada");
    assert_eq!(other.page("/my/account").await.only("h1").text, "ada");

    // With another password it is another person. When the account is not new any more, the log-in is the only way in.
    let mut third = Browser::new(&app);
    third.sent("/submit", &form(&cards[1], "ada", "violet lamp 7"), 409).await;
    app.clock().advance(chrono::Duration::minutes(11));
    third.sent("/submit", &form(&cards[1], "ada", PASSWORD), 409).await;
    assert!(third.cookie.is_none());
    assert_eq!(made(&app).await, (1, 1));
}

#[tokio::test]
async fn who_has_an_account_logs_in_and_takes_along_what_was_typed() {
    let (app, cards) = printed().await;
    app.player("ada").await;
    let mut browser = Browser::new(&app);
    let mut fields = form(&cards[0], "ada", PASSWORD);
    fields[5].1 = "log_in";
    let page = browser.sent("/submit", &fields, 200).await;
    assert_eq!(page.only("h1").text, "Log in");
    assert!(hidden(&page).contains(&("serial", &*cards[0].serial)));
    assert!(page.all("input").any(|field| field.get("value") == Some("ada")));
    assert!(!page.all("input").any(|field| field.get("value") == Some(PASSWORD)));
    assert_eq!(made(&app).await, (1, 0));
    // Who has logged in meanwhile, in another tab, presses Enter in the old form.
    let mut browser = Browser::of(&app, "ada").await;
    let page = browser.sent("/submit", &form(&cards[0], "", ""), 200).await;
    assert_eq!(page.only("h1").text, "This copy is yours now");
    assert_eq!(made(&app).await, (1, 1));
}

#[tokio::test]
async fn a_network_that_made_too_many_accounts_is_told_so_in_the_form() {
    let (app, cards) = printed().await;
    app.begin_window();
    for number in 0..29 {
        let account = json!({ "name": format!("player {number}"), "password": PASSWORD });
        app.post("/v1/accounts").json(&account).answer().await.expect(201);
    }
    // The answer of the last one that may be made is lost: the same form is no further account.
    let last = form(&cards[1], "bea", PASSWORD);
    for _ in 0..2 {
        Browser::new(&app).sent("/submit", &last, 200).await;
    }
    let mut browser = Browser::new(&app);
    let page = browser.sent("/submit", &form(&cards[0], "ada", PASSWORD), 429).await;
    assert!(alert(&page).contains("Too many accounts were made from your network."));
    assert!(page.all("input").any(|field| field.get("value") == Some(&*cards[0].serial)));
    assert_eq!(made(&app).await, (30, 1));
}

/// The form stood there before somebody logged in, in another tab or by the same form.
#[tokio::test]
async fn who_is_logged_in_makes_no_second_account() {
    let (app, cards) = printed().await;
    app.player("ada").await;
    let mut browser = Browser::of(&app, "ada").await;
    let page = browser.sent("/submit", &form(&cards[0], "bea", PASSWORD), 409).await;
    assert!(alert(&page).contains("You are logged in meanwhile, and no account was made."));
    assert!(page.all("input").all(|field| field.get("id") != Some("password")));
    assert_eq!(
        (made(&app).await, browser.page("/my/account").await.only("h1").text.as_str()),
        ((1, 0), "ada")
    );
    // With the own name and password it is the same account.
    let page = browser.sent("/submit", &form(&cards[0], "ada", PASSWORD), 200).await;
    assert_eq!(page.only("h1").text, "This copy is yours now");
    assert_eq!(made(&app).await, (1, 1));
}

#[tokio::test]
async fn accounts_of_others_are_not_entered_by_the_form_of_a_new_one() {
    let (app, cards) = printed().await;
    app.created_by_operator("boss", cardscape::auth::permission::Role::Admin, PASSWORD).await;
    app.created_by_operator("first", cardscape::auth::permission::Role::Player, PASSWORD).await;
    app.player("banned").await;
    app.sql("UPDATE accounts SET banned_at = now() WHERE name = 'banned'").await;
    for name in ["boss", "first", "banned"] {
        let mut browser = Browser::new(&app);
        let page = browser.sent("/submit", &form(&cards[0], name, PASSWORD), 409).await;
        assert!(beside(&page, "name").starts_with("Another account has this name"), "{name}");
        assert!(browser.cookie.is_none(), "{name}");
    }
    assert_eq!(made(&app).await, (3, 0));
}
