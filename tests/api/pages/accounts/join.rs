//! The forms to join and to recover, and the serial code that they carry until the player is logged in.

use super::{Browser, actions, check, codes, fault_of, hidden, location};
use crate::support::{PASSWORD, RequestExt as _, TestApp};

#[tokio::test]
async fn joining_logs_in_and_shows_the_recovery_codes_once() {
    let app = TestApp::start().await;
    let mut browser = Browser::new(&app);
    let form = browser.page("/join").await;
    assert!(form.only("main").text.contains("10 to 128 characters"));
    let faulty = browser.sent("/join", &[("name", ".."), ("password", "too short")], 422).await;
    assert_eq!(fault_of(&faulty, "name"), "A name has 3 to 32 characters. This has 2.");
    assert_eq!(fault_of(&faulty, "password"), "A password has 10 to 128 characters.");
    assert!(faulty.all("input").any(|field| field.get("value") == Some("..")));
    assert!(!faulty.all("input").any(|field| field.get("value") == Some("too short")));
    assert!(browser.cookie.is_none());

    let joined = app
        .post("/join")
        .header("sec-fetch-site", "same-origin")
        .header("accept-encoding", "gzip")
        .form(&[("name", "ada"), ("password", PASSWORD)])
        .answer()
        .await;
    assert_eq!(joined.status, 201, "{}", joined.text());
    let codes = codes(&joined);
    let page = check("/join", &joined);
    assert!(page.only("main").text.contains("ada"));
    assert!(page.all("a").any(|link| link.get("href") == Some("/my/account")));
    browser.cookie =
        joined.header("set-cookie").split_once(';').map(|(cookie, _)| cookie.to_owned());
    assert_eq!(browser.page("/my/account").await.only("h1").text, "ada");

    // With another password, it is another form: it is refused, because the name is taken. It creates nothing.
    let other = [("name", "ADA"), ("password", "violet lamp 7")];
    let again = browser.sent("/join", &other, 409).await;
    assert!(fault_of(&again, "name").starts_with("Another account has this name"));
    assert_eq!(app.db().value("SELECT count(*) FROM accounts").await, "1");

    // A recovery code sets a new password once. Upper and lower case and separators make no difference.
    let mut lost = Browser::new(&app);
    lost.page("/recover").await;
    let typed = codes[0].to_lowercase().replace('-', " ");
    let fields =
        [("name", "ada"), ("recovery_code", typed.as_str()), ("new_password", "violet lamp 7")];
    let recovered = lost.send("/recover", &fields).await;
    assert_eq!(location(&recovered), (303, "/login?done=recovered&to=".to_owned()));
    let form = lost.page("/login?done=recovered&to=").await;
    assert!(form.only("main").text.contains("The new password is set."));
    let refused = lost.sent("/recover", &fields, 401).await;
    assert!(refused.only("main").text.contains("the code was used before"));
    assert!(!refused.all("input").any(|field| field.get("value") == Some(typed.as_str())));
    assert_eq!(lost.send("/login", &[("name", "ada"), ("password", PASSWORD)]).await.status, 401);
    let logged_in = lost.send("/login", &[("name", "ada"), ("password", "violet lamp 7")]).await;
    assert_eq!(location(&logged_in), (303, "/my/account".to_owned()));
}

/// A double click without script, or a second request after an answer that did not arrive.
#[tokio::test]
async fn the_same_form_makes_one_account() {
    const ACTIVE: &str = "SELECT count(*) FROM sessions WHERE revoked_at IS NULL";
    let app = TestApp::start().await;
    let mut browser = Browser::new(&app);
    let fields = [("name", "ada"), ("password", PASSWORD), ("to", "/submit/batch")];
    codes(&browser.send("/join", &fields).await);
    let first = browser.cookie.clone();
    let page = browser.sent("/join", &fields, 200).await;
    assert!(page.only("main").text.contains("The account was there already"));
    assert_eq!(page.all("code").count(), 0, "the codes are shown once");
    for path in ["/my/recovery-codes", "/submit/batch"] {
        assert!(page.all("a").any(|link| link.get("href") == Some(path)), "{path}");
    }
    // A name may be written from right to left.
    let name = page.all("dd").find(|value| value.text == "ada").unwrap();
    assert_eq!(name.get("dir"), Some("auto"));
    assert_ne!(browser.cookie, first);
    assert_eq!(app.db().number(ACTIVE).await, 1, "the first session has ended");
    let account = browser.page("/my/account").await;
    let heading = account.only("h1");
    assert_eq!((&*heading.text, heading.get("dir")), ("ada", Some("auto")));

    // The answer that did not arrive had no cookie either. A code of a card is carried on.
    let mut other = Browser::new(&app);
    let typed = [("serial", "7KQ2-X0FM-93TD-AW5G"), ("card", "Pebble")];
    let page = other.sent("/join", &[fields[0], fields[1], typed[0], typed[1]], 200).await;
    assert!(actions(&page).contains(&"/submit"));
    assert!(typed.iter().all(|field| hidden(&page).contains(field)));
    assert_eq!(other.page("/my/account").await.only("h1").text, "ada");

    // When the account is not new any more, the player must use the log-in.
    app.clock().advance(chrono::Duration::minutes(11));
    let mut late = Browser::new(&app);
    let page = late.sent("/join", &fields, 409).await;
    assert!(fault_of(&page, "name").starts_with("Another account has this name"));
    assert!(late.cookie.is_none());
    assert_eq!(app.db().value("SELECT count(*) FROM accounts").await, "1");
}

#[tokio::test]
async fn the_recovery_form_reports_a_weak_password_at_its_field() {
    let app = TestApp::start().await;
    let mut browser = Browser::new(&app);
    let fields = [("name", "ada"), ("recovery_code", "x"), ("new_password", "password1234")];
    let page = browser.sent("/recover", &fields, 422).await;
    assert_eq!(fault_of(&page, "name"), "");
    assert!(fault_of(&page, "new_password").contains("easy to guess"));
}

/// A person without an account scans a card. At the end, the card is registered, and the recovery codes were shown.
#[tokio::test]
async fn a_serial_code_is_carried_until_the_player_is_logged_in() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    let cards = app.print("dusk", 2).await;
    let card = &cards[0];
    let mut browser = Browser::new(&app);
    let typed = [("serial", card.serial.as_str()), ("card", card.name.as_str())];
    let confirmation = browser.sent("/submit", &typed, 200).await;
    assert!(
        actions(&confirmation).contains(&"/join") && actions(&confirmation).contains(&"/recover")
    );
    let has_faults = |page: &super::Page| page.with("id").any(|(_, id)| id == "faults");
    for path in ["/recover", "/login", "/join"] {
        // The button sends only the hidden fields. The service shows the form without faults.
        let page = browser.sent(path, &typed, 200).await;
        assert!(!has_faults(&page), "{path}");
        let kept = hidden(&page);
        assert!(typed.iter().all(|field| kept.contains(field)), "{path}: {kept:?}");
    }
    let fields = [("name", "ada"), ("password", "short"), typed[0], typed[1]];
    let faulty = browser.sent("/join", &fields, 422).await;
    assert!(has_faults(&faulty));
    assert!(typed.iter().all(|field| hidden(&faulty).contains(field)));
    let fields = [("name", "ada"), ("password", PASSWORD), typed[0], typed[1]];
    let joined = browser.send("/join", &fields).await;
    assert_eq!(joined.status, 201, "{}", joined.text());
    codes(&joined);
    let page = check("/join", &joined);
    assert!(actions(&page).contains(&"/submit"));
    assert!(browser.cookie.is_some());
    let fields: Vec<(&str, &str)> = hidden(&page);
    let registered = browser.sent("/submit", &fields, 200).await;
    assert_eq!(registered.only("h1").text, "This copy is yours now");
}

#[tokio::test]
async fn the_recovery_form_carries_a_serial_code() {
    let app = TestApp::start().await;
    let body = serde_json::json!({ "name": "ada", "password": PASSWORD });
    let created = app.post("/v1/accounts").json(&body).answer().await.expect(201);
    let code = created["recovery_codes"][0].as_str().unwrap();
    let mut browser = Browser::new(&app);
    let fields = [
        ("name", "ada"),
        ("recovery_code", code),
        ("new_password", "violet lamp 7"),
        ("serial", "7KQ2-X0FM-93TD-AW5G"),
        ("card", "Pebble"),
    ];
    let page = browser.sent("/recover", &fields, 200).await;
    assert_eq!(page.only("h1").text, "Log in");
    assert!(page.only("main").text.contains("The new password is set."));
    assert!(hidden(&page).contains(&("serial", "7KQ2-X0FM-93TD-AW5G")));
}

/// The forms lead only to pages of this service.
#[tokio::test]
async fn the_return_path_is_carried_through_all_forms() {
    let app = TestApp::start().await;
    let mut browser = Browser::new(&app);
    for path in ["/login", "/join", "/recover"] {
        let path = format!("{path}?to=%2Fsubmit%2Fbatch");
        let page = browser.page(&path).await;
        let kept = hidden(&page);
        let is_carried = kept.iter().all(|field| *field == ("to", "/submit/batch"));
        assert!(!kept.is_empty() && is_carried, "{path}: {kept:?}");
    }
    for (name, to, onwards) in
        [("ada", "/submit/batch", "/submit/batch"), ("bob", "//evil.example", "/my/account")]
    {
        let fields = [("name", name), ("password", PASSWORD), ("to", to)];
        let page = browser.sent("/join", &fields, 201).await;
        assert!(page.all("a").any(|link| link.get("href") == Some(onwards)), "{to}");
        assert!(!page.all("a").any(|link| link.get("href") == Some("//evil.example")), "{to}");
    }
}
