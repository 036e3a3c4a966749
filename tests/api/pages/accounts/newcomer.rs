//! A person with a first card creates an account with the form for the serial code.

use serde_json::json;

use super::{Browser, check, codes, fault_of, hidden};
use crate::pages::html::Page;
use crate::support::{Answer, PASSWORD, PaperCard, RequestExt as _, TestApp};

/// A password like those that the script of the form generates.
const GENERATED: &str = "k7q2-x0fm-93td-aw5g";

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

/// The numbers of accounts and of registered copies.
async fn account_and_copy_counts(app: &TestApp) -> (i64, i64) {
    let owned = app.db().number("SELECT count(*) FROM copies WHERE owner_id IS NOT NULL").await;
    (app.db().number("SELECT count(*) FROM accounts").await, owned)
}

fn alert(page: &Page) -> &str {
    let alert = page.elements.iter().find(|element| element.get("role") == Some("alert"));
    &alert.expect("an alert").text
}

#[tokio::test]
async fn one_form_creates_an_account_and_registers_a_card() {
    let (app, cards) = printed().await;
    let card = &cards[0];
    let mut browser = Browser::new(&app);
    let shown = browser.page("/submit").await;
    for (id, autocomplete) in [("name", "username"), ("password", "new-password")] {
        let field = shown.all("input").find(|field| field.get("id") == Some(id)).unwrap();
        assert_eq!(field.get("autocomplete"), Some(autocomplete), "{field:?}");
        assert_eq!(
            field.get("required"),
            None,
            "a player with an account leaves the field empty: {field:?}"
        );
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
    assert_eq!(account_and_copy_counts(&app).await, (1, 1));
    // The browser is logged in, sees the hidden card, and has the form of a player.
    let picture = page.only("img").get("src").unwrap().to_owned();
    assert!(browser.get(&picture).await.text().contains(&card.name));
    assert_eq!(browser.page("/my/account").await.only("h1").text, "ada");
    let own = browser.page("/submit").await;
    assert!(own.all("input").all(|field| field.get("id") != Some("password")));
}

#[tokio::test]
async fn a_generated_password_is_shown_once_and_logs_in() {
    let (app, cards) = printed().await;
    let mut fields = form(&cards[0], "ada", "");
    fields[4].1 = GENERATED;
    let answer = Browser::new(&app).send("/submit", &fields).await;
    codes(&answer);
    assert!(check("/submit", &answer).all("samp").any(|shown| shown.text == GENERATED));
    let log_in = [("name", "ada"), ("password", GENERATED)];
    assert_eq!(Browser::new(&app).send("/login", &log_in).await.status, 303);
    // A typed password takes precedence over the generated password.
    let mut fields = form(&cards[1], "bea", PASSWORD);
    fields[4].1 = GENERATED;
    let answer = Browser::new(&app).send("/submit", &fields).await;
    codes(&answer);
    assert!(!answer.text().contains(GENERATED));
    let log_in = [("name", "bea"), ("password", GENERATED)];
    assert_eq!(Browser::new(&app).send("/login", &log_in).await.status, 401);
    Browser::of(&app, "bea").await;
}

#[tokio::test]
async fn a_form_with_faults_creates_nothing() {
    let (app, cards) = printed().await;
    app.player("bea").await;
    let mut browser = Browser::new(&app);
    let card = &cards[0];
    let refused = browser.sent("/submit", &form(card, "..", "too short"), 422).await;
    assert_eq!(fault_of(&refused, "name"), "A name has 3 to 32 characters. This has 2.");
    assert_eq!(fault_of(&refused, "password"), "A password has 10 to 128 characters.");
    for (value, is_kept) in
        [(&*card.serial, true), (&card.name, true), ("..", true), ("too short", false)]
    {
        assert_eq!(
            refused.all("input").any(|field| field.get("value") == Some(value)),
            is_kept,
            "{value}"
        );
    }
    // Without script, no password is generated.
    let refused = browser.sent("/submit", &form(card, "ada", ""), 422).await;
    assert_eq!(fault_of(&refused, "password"), "A password has 10 to 128 characters.");
    let typed = PaperCard { serial: "7KQ2".to_owned(), ..card.clone() };
    let refused = browser.sent("/submit", &form(&typed, "a", PASSWORD), 422).await;
    assert_eq!(refused.fault_of("serial"), "A code has 16 letters and digits. This has 4.");
    assert_eq!(refused.fault_of("name"), "A name has 3 to 32 characters. This has 1.");
    let mut fields = form(card, "BEA", "violet lamp 7");
    fields[4].1 = GENERATED;
    let refused = browser.sent("/submit", &fields, 409).await;
    assert!(refused.fault_of("name").starts_with("Another account has this name"));
    assert!(!refused.all("input").any(|field| field.get("value") == Some(GENERATED)));
    assert_eq!(account_and_copy_counts(&app).await, (1, 0));
    assert!(browser.cookie.is_none());
    let foreign = app.post("/submit").header("sec-fetch-site", "cross-site");
    let foreign = foreign.form(&form(card, "ada", PASSWORD)).answer().await;
    assert_eq!((foreign.status, account_and_copy_counts(&app).await), (403, (1, 0)));
}

/// This form does not help to guess card names either: the answer does not depend on whether a hidden card, an open card or no card has the name.
#[tokio::test]
async fn joining_with_a_wrong_card_name_still_creates_the_account() {
    let (app, cards) = printed().await;
    let other = cards.iter().find(|other| other.number != cards[0].number).unwrap();
    let mut answers = Vec::new();
    for (name, wrong) in [("wqxj one", &*other.name), ("wqxj two", "No card has this name")] {
        let typed = PaperCard { name: wrong.to_owned(), ..cards[0].clone() };
        let mut browser = Browser::new(&app);
        let answer = browser.send("/submit", &form(&typed, name, PASSWORD)).await;
        assert_eq!(answer.status, 422, "{}", answer.text());
        let shown = codes(&answer);
        let page = check("/submit", &answer);
        assert!(alert(&page).contains("Code and name do not belong together."));
        assert!(page.only("main").text.contains("The account is created, and you are logged in."));
        for value in [&*cards[0].serial, wrong] {
            assert!(page.all("input").any(|field| field.get("value") == Some(value)), "{value}");
        }
        assert!(page.all("input").all(|field| field.get("id") != Some("password")));
        let without_codes = shown.iter().fold(answer.text(), |text, code| text.replace(code, ""));
        answers.push(without_codes.replace(wrong, "").replace(name, ""));
        assert_eq!(browser.page("/my/account").await.only("h1").text, name);
        if name == "wqxj two" {
            let right = [("serial", &*cards[0].serial), ("card", &cards[0].name)];
            let page = browser.sent("/submit", &right, 200).await;
            assert_eq!(page.only("h1").text, "This copy is yours now");
        }
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!(account_and_copy_counts(&app).await, (2, 1));
}

#[tokio::test]
async fn joining_with_a_card_of_another_player_links_to_the_dispute() {
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

/// A double click without script, or a second request after an answer that did not arrive.
#[tokio::test]
async fn the_same_form_makes_one_account_and_registers_one_copy() {
    let (app, cards) = printed().await;
    let fields = form(&cards[0], "ada", PASSWORD);
    let (mut one, mut other) = (Browser::new(&app), Browser::new(&app));
    let (first, second) =
        tokio::join!(one.send("/submit", &fields), other.send("/submit", &fields));
    assert_eq!((first.status, second.status), (200, 200), "{}\n{}", first.text(), second.text());
    assert_eq!(account_and_copy_counts(&app).await, (1, 1));
    let shows_codes = |answer: &Answer| Page::read(&answer.text()).all("code").count() == 8;
    assert!(shows_codes(&first) != shows_codes(&second), "the codes are shown once");
    let again = if shows_codes(&first) { second } else { first };
    let page = check("/submit", &again);
    assert!(page.all("a").any(|link| link.get("href") == Some("/my/recovery-codes")));
    assert_eq!(one.page("/my/account").await.only("h1").text, "ada");
    assert_eq!(other.page("/my/account").await.only("h1").text, "ada");

    // The form with another password is refused. When the account is not new any more, the same form is refused too: the player must use the log-in.
    let mut third = Browser::new(&app);
    third.sent("/submit", &form(&cards[1], "ada", "violet lamp 7"), 409).await;
    app.clock().advance(chrono::Duration::minutes(11));
    third.sent("/submit", &form(&cards[1], "ada", PASSWORD), 409).await;
    assert!(third.cookie.is_none());
    assert_eq!(account_and_copy_counts(&app).await, (1, 1));
}

#[tokio::test]
async fn the_log_in_button_carries_the_typed_values() {
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
    assert_eq!(account_and_copy_counts(&app).await, (1, 0));
    // A player who has logged in in another tab sends the old form with the Enter key.
    let mut browser = Browser::of(&app, "ada").await;
    let page = browser.sent("/submit", &form(&cards[0], "", ""), 200).await;
    assert_eq!(page.only("h1").text, "This copy is yours now");
    assert_eq!(account_and_copy_counts(&app).await, (1, 1));
}

#[tokio::test]
async fn the_form_reports_too_many_accounts_from_a_network() {
    let (app, cards) = printed().await;
    app.begin_window();
    for number in 0..29 {
        let account = json!({ "name": format!("player {number}"), "password": PASSWORD });
        app.post("/v1/accounts").json(&account).answer().await.expect(201);
    }
    // The answer about the last allowed account is lost. The same form, sent again, does not count as another account.
    let last = form(&cards[1], "bea", PASSWORD);
    for _ in 0..2 {
        Browser::new(&app).sent("/submit", &last, 200).await;
    }
    let mut browser = Browser::new(&app);
    let page = browser.sent("/submit", &form(&cards[0], "ada", PASSWORD), 429).await;
    assert!(alert(&page).contains("Too many accounts were created from your network."));
    assert!(page.all("input").any(|field| field.get("value") == Some(&*cards[0].serial)));
    assert_eq!(account_and_copy_counts(&app).await, (30, 1));
}

/// The form was loaded before the player logged in, in another tab or with the same form.
#[tokio::test]
async fn a_logged_in_player_creates_no_second_account() {
    let (app, cards) = printed().await;
    app.player("ada").await;
    let mut browser = Browser::of(&app, "ada").await;
    let page = browser.sent("/submit", &form(&cards[0], "bea", PASSWORD), 409).await;
    assert!(alert(&page).contains("You are already logged in, so no account was created."));
    assert!(page.all("input").all(|field| field.get("id") != Some("password")));
    assert_eq!(
        (
            account_and_copy_counts(&app).await,
            browser.page("/my/account").await.only("h1").text.as_str()
        ),
        ((1, 0), "ada")
    );
    // With the name and password of the player, the form uses the account of the player, and logs in anew.
    let previous = browser.cookie.clone().unwrap();
    let page = browser.sent("/submit", &form(&cards[0], "ada", PASSWORD), 200).await;
    assert_eq!(page.only("h1").text, "This copy is yours now");
    let with_previous = app.get("/my/account").header("cookie", previous).answer().await;
    assert_eq!(with_previous.status, 303);
    assert_eq!(browser.page("/my/account").await.only("h1").text, "ada");
    assert_eq!(account_and_copy_counts(&app).await, (1, 1));
}

#[tokio::test]
async fn the_form_for_a_new_account_does_not_log_in_to_existing_accounts() {
    let (app, cards) = printed().await;
    app.created_by_operator("boss", cardscape::auth::permission::Role::Admin, PASSWORD).await;
    app.created_by_operator("first", cardscape::auth::permission::Role::Player, PASSWORD).await;
    app.player("banned").await;
    app.sql("UPDATE accounts SET banned_at = now() WHERE name = 'banned'").await;
    for name in ["boss", "first", "banned"] {
        let mut browser = Browser::new(&app);
        let page = browser.sent("/submit", &form(&cards[0], name, PASSWORD), 409).await;
        assert!(fault_of(&page, "name").starts_with("Another account has this name"), "{name}");
        assert!(browser.cookie.is_none(), "{name}");
    }
    assert_eq!(account_and_copy_counts(&app).await, (3, 0));
}
