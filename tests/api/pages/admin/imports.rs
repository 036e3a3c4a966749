//! Imports of games and sets. The service checks a file first, and shows faults with their lines. It imports the file in a second step.

use std::net::IpAddr;

use cardscape::domain::ids::AccountId;
use serde_json::json;

use super::{Browser, Page, check, start, text, value};
use crate::catalogue::catalogue_imports::{PEBBLES, shore};
use crate::support::{Answer, PASSWORD, Player, RequestExt as _, TestApp};

const BOUNDARY: &str = "line-between-parts";

/// Sends the form as a browser does: with a file, or with an empty file part.
async fn upload(
    app: &TestApp,
    browser: &Browser<'_>,
    path: &str,
    fields: &[(&str, &str)],
    file: Option<&[u8]>,
) -> Answer {
    let mut body = Vec::new();
    for (name, value) in fields {
        let head =
            format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
        body.extend([head.as_bytes(), value.as_bytes(), b"\r\n"].concat());
    }
    let name = if file.is_some() { "set.json" } else { "" };
    let head = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: application/octet-stream\r\n\r\n"
    );
    body.extend([head.as_bytes(), file.unwrap_or_default(), b"\r\n"].concat());
    body.extend(format!("--{BOUNDARY}--\r\n").into_bytes());
    app.post(path)
        .header("sec-fetch-site", "same-origin")
        .header("cookie", browser.cookie.as_ref().unwrap())
        .header("content-type", format!("multipart/form-data; boundary={BOUNDARY}"))
        .body(body)
        .answer()
        .await
}

fn read(answer: &Answer, status: u16) -> Page {
    assert_eq!(answer.status, status, "{}", answer.text());
    check("/admin/imports", answer)
}

/// The hidden fields that identify the checked text and the revision.
fn checked(page: &Page) -> [(&'static str, String); 2] {
    ["checked", "revision"].map(|name| (name, value(page, name).to_owned()))
}

#[tokio::test]
async fn a_game_and_a_set_are_imported_after_a_check() {
    let app = start().await;
    let admin = Browser::of(&app, "the admin").await;
    let game = [("of", "game"), ("game", "pebbles"), ("text", PEBBLES)];
    let page = read(&upload(&app, &admin, "/admin/imports", &game, None).await, 200);
    assert!(text(&page).contains("This would change The game is new."), "{}", text(&page));
    assert!(text(&page).contains("Nothing is stored yet."));
    app.get("/v1/games/pebbles").answer().await.problem(404, "not_found");
    let seen = checked(&page);
    assert_eq!(seen[1].1, "", "the game is new");
    let seen: Vec<(&str, &str)> = seen.iter().map(|(name, value)| (*name, &**value)).collect();
    let run = [&game[..], &seen].concat();
    let page = read(&upload(&app, &admin, "/admin/imports/run", &run, None).await, 200);
    assert!(text(&page).contains("It is imported The game is new."), "{}", text(&page));
    app.get("/v1/games/pebbles").answer().await.expect(200);

    // A file takes precedence over the text field. Lines may end with CRLF.
    let file = serde_json::to_string_pretty(&shore()).unwrap().replace('\n', "\r\n");
    let set = [("of", "set"), ("game", "pebbles"), ("text", "something else")];
    let answer = upload(&app, &admin, "/admin/imports", &set, Some(file.as_bytes())).await;
    let page = read(&answer, 200);
    let row = page.all("tr").find(|row| row.text.starts_with("shore")).unwrap();
    assert_eq!(row.text, "shore New 2 0 0 0 0");
    app.get("/v1/games/pebbles/sets/shore").answer().await.problem(404, "not_found");
    let seen = checked(&page);
    let seen: Vec<(&str, &str)> = seen.iter().map(|(name, value)| (*name, &**value)).collect();
    let run = [&set[..], &seen].concat();
    let answer = upload(&app, &admin, "/admin/imports/run", &run, Some(file.as_bytes())).await;
    let page = read(&answer, 200);
    assert!(page.all("a").any(|link| link.get("href") == Some("/sets/pebbles/shore")));
    let stored = app.get("/v1/games/pebbles/sets/shore").answer().await.expect(200);
    assert_eq!(stored["cards"], 2);
    // The same again changes nothing.
    let answer = upload(&app, &admin, "/admin/imports", &set, Some(file.as_bytes())).await;
    assert!(text(&read(&answer, 200)).contains("Nothing changes: all of this is there already."));
}

#[tokio::test]
async fn faults_are_shown_with_their_lines() {
    let app = start().await;
    let admin = Browser::of(&app, "the admin").await;
    let file = "{\n  \"code\": \"odd\", \"name\": \"Odd\",\n  \"cards\": [\n    { \"number\": \"001\", \"name\": \"A <b>card</b>\",\n      \"kind\": \"nothing\" }\n  ]\n}\n";
    let fields = [("of", "set"), ("game", "ttcg"), ("text", file)];
    let page = read(&upload(&app, &admin, "/admin/imports", &fields, None).await, 422);
    let shown = text(&page);
    assert!(shown.contains("Line 5, column 15"), "{shown}");
    assert!(
        shown.contains("\"kind\": \"nothing\" }") && shown.contains("/cards/0/kind"),
        "{shown}"
    );
    assert!(shown.contains("001 A <b>card</b>"), "{shown}");
    assert!(!is_checked(&page));
    // The attributes that the script needs to move from a fault to its line in the text.
    assert_eq!(page.scripts(), ["fault.js"]);
    let (list, field) = page.with("data-text").next().unwrap();
    assert!(page.all("textarea").any(|text| text.get("id") == Some(field)));
    assert_eq!(list.name, "ol");
    let (place, _) = page.with("data-line").find(|(_, line)| *line == "5").unwrap();
    assert_eq!((place.get("data-column"), &*place.text), (Some("15"), "Line 5, column 15"));
    assert_eq!(place.get("data-label"), Some("Show line 5, column 15 in the text"));
    // The page also shows the line of a JSON syntax error, and keeps the typed text.
    let fields = [("of", "set"), ("game", "ttcg"), ("text", "{\n  \"code\": odd\n}")];
    let page = read(&upload(&app, &admin, "/admin/imports", &fields, None).await, 422);
    assert!(text(&page).contains("Line 2, column "), "{}", text(&page));
    // Only the check knows the cause, so the page quotes the message of the check.
    assert!(text(&page).contains("The check says:"), "{}", text(&page));
    assert!(page.all("q").any(|quote| quote.text.contains("expected")), "{}", text(&page));
    assert!(page.only("textarea").text.contains("\"code\": odd"));
    // Faults of a manifest also have a line.
    let manifest = PEBBLES.replace("weight = 1", "wait = 1");
    let line = manifest.lines().position(|line| line == "wait = 1").unwrap() + 1;
    let fields = [("of", "game"), ("game", "pebbles"), ("text", &*manifest)];
    let page = read(&upload(&app, &admin, "/admin/imports", &fields, None).await, 422);
    assert!(text(&page).contains(&format!("Line {line}, column ")), "{}", text(&page));
    for (fields, message) in [
        ([("of", "set"), ("game", "ttcg"), ("text", " ")], "Choose a file, or paste its text."),
        ([("of", "set"), ("game", "a b"), ("text", "{}")], "Type the code of a game"),
        ([("of", "set"), ("game", "nowhere"), ("text", "{}")], "There is no such game."),
    ] {
        let answer = upload(&app, &admin, "/admin/imports", &fields, None).await;
        assert!([404, 422].contains(&answer.status), "{message}: {}", answer.status);
        let page = check("/admin/imports", &answer);
        assert!(text(&page).contains(message), "{}", text(&page));
    }
    let answer = upload(&app, &admin, "/admin/imports", &fields, Some(b"{\n \xFF\xFE")).await;
    let message = "This file is no text in UTF-8. Line 2, column 2 is not: save the file as UTF-8.";
    assert!(text(&read(&answer, 422)).contains(message));
}

/// Whether the page has the hidden field that only a checked file gets.
fn is_checked(page: &Page) -> bool {
    page.all("input").any(|field| field.get("name") == Some("checked"))
}

/// A file that was not checked, or was changed after its check, is checked instead of imported.
#[tokio::test]
async fn a_file_is_not_imported_without_a_check() {
    let app = start().await;
    let admin = Browser::of(&app, "the admin").await;
    let text_of = |name: &str| PEBBLES.replace("name = \"Pebbles\"", &format!("name = \"{name}\""));
    let (one, other) = (text_of("One"), text_of("Other"));
    let game = |text| [("of", "game"), ("game", "pebbles"), ("text", text)];
    let answer = upload(&app, &admin, "/admin/imports/run", &game(&one), None).await;
    let page = read(&answer, 409);
    assert!(text(&page).contains("This was not checked yet"));
    let seen = checked(&page);
    let seen: Vec<(&str, &str)> = seen.iter().map(|(name, value)| (*name, &**value)).collect();
    let changed = [&game(&other)[..], &seen].concat();
    let answer = upload(&app, &admin, "/admin/imports/run", &changed, None).await;
    assert!(text(&read(&answer, 409)).contains("This was not checked yet"));
    app.get("/v1/games/pebbles").answer().await.problem(404, "not_found");

    // The first import creates the game. Then two files are checked against the same revision, and one of them is imported first.
    let run = [&game(&one)[..], &seen].concat();
    read(&upload(&app, &admin, "/admin/imports/run", &run, None).await, 200);
    let page = read(&upload(&app, &admin, "/admin/imports", &game(&other), None).await, 200);
    let stale = checked(&page);
    let page = read(&upload(&app, &admin, "/admin/imports", &game(PEBBLES), None).await, 200);
    let first = checked(&page);
    let with = |text, seen: &[(&'static str, String); 2]| {
        let mut fields: Vec<(&str, String)> =
            game(text).into_iter().map(|(name, value)| (name, value.to_owned())).collect();
        fields.extend(seen.iter().cloned());
        fields
    };
    let send = async |fields: Vec<(&str, String)>, status| {
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(name, value)| (*name, &**value)).collect();
        read(&upload(&app, &admin, "/admin/imports/run", &fields, None).await, status)
    };
    send(with(PEBBLES, &first), 200).await;
    let page = send(with(&other, &stale), 412).await;
    assert!(text(&page).contains("Both versions are below"), "{}", text(&page));
    assert!(page.only("pre").text.contains("name = \"Pebbles\""));
    // The file must be checked again before it is imported.
    assert!(!is_checked(&page));
    let again = [&game(&other)[..], &[("revision", value(&page, "revision"))]].concat();
    let page = read(&upload(&app, &admin, "/admin/imports", &again, None).await, 200);
    let last = checked(&page);
    let page = send(with(&other, &last), 200).await;
    assert!(text(&page).contains("The manifest of the game changes."), "{}", text(&page));
    // A double click gets the same answer as a single click.
    let page = send(with(&other, &last), 200).await;
    let message = "It is imported Nothing changes: all of this is there already.";
    assert!(text(&page).contains(message), "{}", text(&page));
    let stored = app.get("/v1/games/pebbles").answer().await.expect(200);
    assert_eq!(stored["name"], "Other");
    let form = admin.page("/admin/imports/games/pebbles").await;
    assert!(form.only("textarea").text.contains("name = \"Other\""));
}

/// Replaces the stored manifest through the API.
async fn replace_manifest(app: &TestApp, by: &Player, text: &str) {
    let put = app.put("/v1/games/pebbles/manifest").by(by).header("if-match", "*");
    put.header("content-type", "application/toml").body(text.to_owned()).answer().await.expect(200);
}

#[tokio::test]
async fn a_manifest_that_was_changed_in_between_is_shown_beside_the_submitted_one() {
    let app = start().await;
    let browser = Browser::of(&app, "the admin").await;
    let admin = app.log_in("the admin", PASSWORD).await;
    let put = app.put("/v1/games/pebbles/manifest").by(&admin);
    let put = put.header("content-type", "application/toml").body(PEBBLES);
    put.answer().await.expect(201);
    let form = browser.page("/admin/imports/games/pebbles").await;
    let named = |name: &str| PEBBLES.replace("name = \"Pebbles\"", &format!("name = \"{name}\""));
    let (mine, theirs) = (named("Mine"), named("Theirs"));
    replace_manifest(&app, &admin, &theirs).await;

    let check_mine = async |seen: &str, status| {
        let fields = [("of", "game"), ("game", "pebbles"), ("text", &*mine), ("revision", seen)];
        read(&upload(&app, &browser, "/admin/imports", &fields, None).await, status)
    };
    let page = check_mine(value(&form, "revision"), 412).await;
    assert!(text(&page).contains("Both versions are below"), "{}", text(&page));
    assert!(page.only("textarea").text.contains("name = \"Mine\""));
    assert!(page.only("pre").text.contains("name = \"Theirs\""));
    assert!(!is_checked(&page) && !text(&page).contains("This would change"));
    let name = async || app.get("/v1/games/pebbles").answer().await.expect(200)["name"].clone();
    assert_eq!(name().await, "Theirs");

    // An admin who has seen both versions may replace the stored version.
    let page = check_mine(value(&page, "revision"), 200).await;
    assert!(text(&page).contains("The manifest of the game changes."), "{}", text(&page));
    let seen = checked(&page);
    let fields = [
        ("of", "game"),
        ("game", "pebbles"),
        ("text", &*mine),
        ("checked", &*seen[0].1),
        ("revision", &*seen[1].1),
    ];
    read(&upload(&app, &browser, "/admin/imports/run", &fields, None).await, 200);
    assert_eq!(name().await, "Mine");
}

/// An edit that was made after the check stays until the admin has seen that the file reverts it.
#[tokio::test]
async fn a_set_that_was_changed_since_its_check_is_checked_again() {
    const RUN: &str = "/admin/imports/run";
    let app = start().await;
    let browser = Browser::of(&app, "the admin").await;
    let admin = app.log_in("the admin", PASSWORD).await;
    let put = app.put("/v1/games/pebbles/manifest").by(&admin);
    let put = put.header("content-type", "application/toml").body(PEBBLES);
    put.answer().await.expect(201);
    let file = shore().to_string();
    let set = [("of", "set"), ("game", "pebbles"), ("text", &*file)];
    let send = async |path: &str, seen: &[(&'static str, String)], status| {
        let seen: Vec<(&str, &str)> = seen.iter().map(|(name, value)| (*name, &**value)).collect();
        let fields = [&set[..], &seen].concat();
        read(&upload(&app, &browser, path, &fields, None).await, status)
    };
    let seen = checked(&send("/admin/imports", &[], 200).await);
    send(RUN, &seen, 200).await;
    // A double click gets an answer like that of a single click.
    let page = send(RUN, &seen, 200).await;
    let message = "It is imported Nothing changes: all of this is there already.";
    assert!(text(&page).contains(message), "{}", text(&page));

    let page = send("/admin/imports", &[], 200).await;
    assert!(text(&page).contains("Nothing changes"), "{}", text(&page));
    let seen = checked(&page);
    let card = async || {
        let card = app.get("/v1/games/pebbles/sets/shore/cards/001").by(&admin);
        card.answer().await.expect(200)
    };
    let path = format!("/v1/cards/{}", card().await["id"].as_str().unwrap());
    let lore = json!({ "lore": "Found at low tide." });
    let edit = app.patch(&path).by(&admin).header("if-match", "*").json(&lore);
    edit.answer().await.expect(200);
    let page = send(RUN, &seen, 409).await;
    let message = "Somebody has changed the game, the set or one of its cards since your check.";
    assert!(text(&page).contains(message), "{}", text(&page));
    let row = page.all("tr").find(|row| row.text.starts_with("shore")).unwrap();
    assert_eq!(row.text, "shore Its cards change 0 1 0 0 0");
    assert_eq!(card().await["lore"], "Found at low tide.");
    // Who has seen it may import the file.
    send(RUN, &checked(&page), 200).await;
    assert_eq!(card().await.get("lore"), None);
}

/// The fault message of a field.
fn fault_of(page: &Page, field: &str) -> String {
    let id = format!("{field}_fault");
    let fault = page.all("p").find(|text| text.get("id") == Some(&*id));
    fault.map_or_else(|| panic!("{field}: {}", text(page)), |text| text.text.clone())
}

#[tokio::test]
async fn size_limits_are_those_of_the_api() {
    let app = start().await;
    let admin = Browser::of(&app, "the admin").await;
    let manifest = |size: usize| {
        let comment = "#".repeat(size - PEBBLES.len());
        format!("{PEBBLES}{comment}")
    };
    let (largest, larger) = (manifest(512 * 1024), manifest(512 * 1024 + 1));
    let game = |text| [("of", "game"), ("game", "pebbles"), ("text", text)];
    let check = async |fields: &[(&str, &str)], file: Option<&[u8]>, status| {
        read(&upload(&app, &admin, "/admin/imports", fields, file).await, status)
    };
    check(&game(""), Some(largest.as_bytes()), 200).await;
    let page = check(&game(""), Some(larger.as_bytes()), 413).await;
    assert_eq!(fault_of(&page, "file"), "A manifest may have 512 KiB at most.");
    assert_eq!(value(&page, "game"), "pebbles", "the other fields keep their values");
    let page = check(&game(&larger), None, 413).await;
    assert_eq!(fault_of(&page, "text"), "A manifest may have 512 KiB at most.");
    let set = [("of", "set"), ("game", "ttcg")];
    let large = " ".repeat(8 * 1024 * 1024 + 1);
    let page = check(&set, Some(large.as_bytes()), 413).await;
    assert_eq!(fault_of(&page, "file"), "The file of a set may have 8 MiB at most.");
    app.get("/v1/games/pebbles").answer().await.problem(404, "not_found");
}

#[tokio::test]
async fn the_number_of_concurrent_checks_is_limited() {
    let app = start().await;
    let browser = Browser::of(&app, "the admin").await;
    let admin = AccountId(app.log_in("the admin", PASSWORD).await.id.parse().unwrap());
    let hold = |accounts: [AccountId; 2]| {
        let mut place = 0;
        accounts.map(|account| {
            place += 1;
            let network = IpAddr::from([192, 0, 2, place]).into();
            app.shared().catalogue_limiter.enter(account, network).unwrap()
        })
    };
    let fields = [("of", "game"), ("game", "pebbles"), ("text", PEBBLES)];
    for (accounts, status, message) in [
        ([admin, admin], 429, "Other files of yours, or of your network, are being checked."),
        (
            [AccountId::generate(), AccountId::generate()],
            503,
            "Files of others are being checked at this moment.",
        ),
    ] {
        let held = hold(accounts);
        for path in ["/admin/imports", "/admin/imports/run"] {
            let page = read(&upload(&app, &browser, path, &fields, None).await, status);
            assert_eq!(fault_of(&page, "file"), message);
            // The form contained no file, so the page shows all typed values again.
            assert_eq!(value(&page, "game"), "pebbles");
            let typed = PEBBLES.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(page.only("textarea").text, typed);
            // If the form contains a file, the page shows the fields before the file again, including the revision.
            let sent = [&fields[..], &[("revision", "pebbles:7")]].concat();
            let chosen = read(&upload(&app, &browser, path, &sent, Some(b"x")).await, status);
            assert!(chosen.only("main").text.contains("The file was not kept: choose it again."));
            assert_eq!(value(&chosen, "game"), "pebbles");
            assert_eq!(value(&chosen, "revision"), "pebbles:7");
            let names: Vec<&str> = chosen.with("name").map(|(_, name)| name).collect();
            let at = |name: &str| names.iter().position(|found| *found == name).unwrap();
            assert!(["of", "game", "revision"].into_iter().all(|name| at(name) < at("file")));
        }
        drop(held);
        // Each request releases its own place when it is answered.
        for _ in 0..3 {
            read(&upload(&app, &browser, "/admin/imports", &fields, None).await, 200);
        }
    }
}
