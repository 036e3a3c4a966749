//! Pages reveal nothing about hidden cards to players without a copy either: two services that differ only in their hidden cards answer these players alike.

use cardscape::domain::serials::serial::{RunPrefix, SerialCode};
use serde_json::json;

use super::browser::Browser;
use super::html::Page;
use super::secrets::{DECK, a_hidden_card, paths, share_designs, store_deck};
use super::unlock;
use crate::collection::counts::printing;
use crate::hidden_cards::{caught_up, twins, visible};
use crate::support::{Answer, RequestExt as _, TestApp};

/// Pages with data of the logged-in player that show cards.
const OWN: [&str; 19] = [
    "/my/collection",
    "/my/collection/progress?game=ttcg",
    "/my/collection/progress",
    "/my/collection/duplicates",
    "/my/collection/export",
    "/my/collection/import",
    "/my/copies",
    "/my/blocks",
    "/my/lists",
    "/my/lists/wants",
    "/my/lists/haves",
    "/my/decks",
    "/my/decks/new",
    "/my/designs",
    "/designer",
    "/trades",
    "/trades/new",
    "/trades/find",
    "/submit/batch",
];

/// A browser of a player who has counted an open card, and has it on the list of wants.
async fn player_with_a_card(app: &TestApp) -> Browser<'_> {
    let ada = app.player("ada").await;
    let counted = printing(app, None, "hearth", "016", "common").await;
    let count = app.put(&format!("/v1/collection/{counted}")).by(&ada);
    count.json(&json!({ "quantity": 2, "condition": "near_mint" })).answer().await.expect(200);
    let wanted =
        json!({ "items": [{ "game": "ttcg", "set": "hearth", "number": "016", "quantity": 1 }] });
    let wants = app.put("/v1/me/wants").by(&ada).header("if-match", "*").json(&wanted);
    wants.answer().await.expect(200);
    Browser::of(app, "ada").await
}

/// The comparable parts of an answer, without the keys of forms, which differ in each answer.
fn without_keys(answer: &Answer) -> (u16, Vec<(String, String)>, String) {
    let (status, headers, text) = visible(answer);
    let mut parts = text.split("name=\"key\" value=\"");
    let mut left = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, after) = part.split_once('"').expect("the value ends");
        left.push_str(after);
    }
    (status, headers, left)
}

#[track_caller]
fn assert_alike(what: &str, here: &Answer, there: &Answer) {
    assert!(here.status < 500, "{what}: {}", here.text());
    assert_eq!(without_keys(here), without_keys(there), "{what}");
}

#[tokio::test]
async fn pages_of_a_player_do_not_depend_on_hidden_cards() {
    let (one, other) = twins().await;
    for app in [&one, &other] {
        store_deck(app).await;
        share_designs(app).await;
    }
    let (here, there) = (player_with_a_card(&one).await, player_with_a_card(&other).await);
    let mut paths = paths(&one).await;
    paths.extend(OWN.map(str::to_owned));
    let mut shown = 0;
    for path in &paths {
        let (one, other) = tokio::join!(here.get(path), there.get(path));
        assert_alike(path, &one, &other);
        shown += usize::from(one.status == 200);
    }
    assert!(shown > paths.len() / 2, "{shown} of {}", paths.len());
    // The browser is logged in: its pages contain data of the player.
    let counts = here.page("/my/collection").await;
    assert!(counts.only("main").text.contains("Kettle Imp"));
    // The comparison can fail: an unlocked card differs wherever it is shown.
    for app in [&one, &other] {
        let admin = app.admin().await;
        unlock(app, &admin, "001").await;
        caught_up(app).await;
    }
    for path in ["/sets/ttcg/veil", "/cards/ttcg/veil/001", "/search?q=set:veil", DECK] {
        let (one, other) = tokio::join!(here.get(path), there.get(path));
        assert_ne!(without_keys(&one), without_keys(&other), "{path}");
    }
}

/// The answer to a typed name does not reveal whether a hidden card or no card has the name.
#[tokio::test]
async fn forms_of_a_player_do_not_depend_on_hidden_cards() {
    let (one, other) = twins().await;
    let (here, there) = (player_with_a_card(&one).await, player_with_a_card(&other).await);
    let hidden = a_hidden_card()["name"].as_str().unwrap().to_owned();
    let code = SerialCode::assemble(RunPrefix::parse("7K").unwrap(), &[5; 13]).reveal();
    for name in [&*hidden, "Wholly Different 001", "No card has this name"] {
        let line = format!("{code} {name}");
        let pasted = format!("Count,Name,Set\n2,{name},veil\n1,{name},\n3,Kettle Imp,hearth");
        let list = format!("2 {name}\n1 {name} (veil) 001\n2 Kettle Imp");
        for (path, fields) in [
            ("/submit", vec![("serial", &*code), ("card", name)]),
            ("/submit/batch", vec![("lines", &line)]),
            ("/decks/check", vec![("format", "ttcg/standard"), ("list", &list)]),
            (
                "/my/collection",
                vec![
                    ("card_game", "ttcg"),
                    ("card_name", name),
                    ("card_rarity", "rare"),
                    ("condition", "near_mint"),
                    ("add", "1"),
                    ("key", "first"),
                    ("step", "new"),
                ],
            ),
            (
                "/my/lists/wants",
                vec![
                    ("revision", "1"),
                    ("visibility", "private"),
                    ("card_game", "ttcg"),
                    ("card_name", name),
                    ("add", "1"),
                    ("step", "add"),
                ],
            ),
            (
                "/my/decks/new",
                // Without a deck name, the service stores nothing, but still checks the list.
                vec![("name", ""), ("format", "ttcg/standard"), ("list", &list)],
            ),
        ] {
            let (one, other) = tokio::join!(here.post(path, &fields), there.post(path, &fields));
            assert_alike(&format!("{path}: {name}"), &one, &other);
        }
        let (one, other) =
            tokio::join!(import(&one, &here, &pasted), import(&other, &there, &pasted));
        assert_eq!(one, other, "{name}");
        assert!(one.contains("Kettle Imp"), "{one}");
    }
    // The comparison can fail: the name of an open card changes the answer.
    let typed = |name: &'static str| {
        vec![
            ("card_game", "ttcg"),
            ("card_name", name),
            ("card_rarity", "common"),
            ("condition", "near_mint"),
            ("add", "1"),
            ("key", "other"),
            ("step", "new"),
        ]
    };
    let open = here.post("/my/collection", &typed("Kettle Imp")).await;
    let none = there.post("/my/collection", &typed("No card has this name")).await;
    assert_ne!(open.status, none.status);
}

/// Sends pasted lines to the import form, and returns the text of the answer.
async fn import(app: &TestApp, browser: &Browser<'_>, pasted: &str) -> String {
    let part = |name: &str, value: &str| {
        format!("--line\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let body = [
        part("mode", "add"),
        part("game", "ttcg"),
        part("without_rarity", "most_common"),
        part("pasted", pasted),
        "--line--\r\n".to_owned(),
    ];
    let sent = app.post("/my/collection/import").header("sec-fetch-site", "same-origin");
    let sent = sent.header("cookie", browser.cookie.as_ref().unwrap());
    let sent = sent.header("content-type", "multipart/form-data; boundary=line");
    let answer = sent.body(body.concat()).answer().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    Page::read(&answer.text()).only("main").text.clone()
}
