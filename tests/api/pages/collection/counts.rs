//! Counts go up and down, are set, and every change can be undone.

use std::sync::Arc;

use cardscape::domain::clock::Clock;
use serde_json::{Value, json};

use super::{Browser, check, fields, start};
use crate::collection::counts::send_during;
use crate::pages::browser::{hold_key, release_key};
use crate::support::{Player, RequestExt as _, TestApp, TestDb, Wiretap};

const CARD: &str = "The base card, numbered 001!, base 001, Rare, Near mint";

async fn quantities(app: &TestApp, by: &Player) -> Vec<(String, String, i64)> {
    let page = app.get("/v1/collection?limit=200").by(by).answer().await.expect(200);
    let entry = |entry: &Value| {
        let text = |value: &Value| value.as_str().unwrap_or("hidden").to_owned();
        (text(&entry["rarity"]), text(&entry["condition"]), entry["quantity"].as_i64().unwrap())
    };
    page["data"].as_array().unwrap().iter().map(entry).collect()
}

fn rare(count: i64) -> Vec<(String, String, i64)> {
    vec![("rare".to_owned(), "near_mint".to_owned(), count)]
}

#[tokio::test]
async fn a_count_goes_up_and_down_and_every_change_can_be_undone() {
    let (app, ada) = start().await;
    let hers = Browser::of(&app, "ada").await;
    let empty = hers.page("/my/collection").await;
    assert!(empty.only("main").text.contains("You have counted no card yet."));
    let new = [
        ("card_game", "ttcg"),
        ("card_name", "the base card numbered 001"),
        ("card_rarity", "rare"),
        ("condition", "near_mint"),
        ("add", "4"),
        ("key", "first"),
        ("step", "new"),
    ];
    let added = hers.post("/my/collection", &new).await;
    assert_eq!(added.status, 200, "{}", added.text());
    let page = check("added", &added);
    assert!(
        page.only("main").text.contains(&format!("{CARD}: 0 before, 4 now.")),
        "{}",
        page.only("main").text
    );
    assert_eq!(quantities(&app, &ada).await, rare(4));
    // The same form, sent twice, changes the count once. The second answer offers no undo.
    let undo = format!("Undo the change of {CARD}");
    let again = check("again", &hers.post("/my/collection", &new).await);
    assert_eq!(quantities(&app, &ada).await, rare(4));
    let main = &again.only("main").text;
    assert!(main.contains(&format!("{CARD}: it was counted before. There are 4 now.")), "{main}");
    assert!(!again.all("button").any(|button| button.get("aria-label") == Some(&undo)));

    for (label, field, after) in [
        (format!("+1: {CARD}"), "", 5),
        (format!("−1: {CARD}"), "", 3),
        (format!("Set the number of {CARD}"), "9", 9),
        (format!("Set the number of {CARD}"), "0", 0),
    ] {
        let page = hers.page("/my/collection?set=base").await;
        let mut sent = fields(&page, &label);
        assert!(sent.contains(&("set", "base")), "the form keeps the filter of the list: {sent:?}");
        if !field.is_empty() {
            sent.retain(|(name, _)| *name != "quantity");
            sent.push(("quantity", field));
        }
        let changed = hers.post("/my/collection", &sent).await;
        assert_eq!(changed.status, 200, "{label}: {}", changed.text());
        let expected = if after == 0 { Vec::new() } else { rare(after) };
        assert_eq!(quantities(&app, &ada).await, expected, "{label}");
        let page = check(&label, &changed);
        let message = format!("{CARD}: 4 before, {after} now.");
        assert!(page.only("main").text.contains(&message), "{}", page.only("main").text);
        let undone = hers.post("/my/collection", &fields(&page, &undo)).await;
        assert_eq!(undone.status, 200, "{label}: {}", undone.text());
        assert_eq!(quantities(&app, &ada).await, rare(4), "{label}");
        let message = format!("{CARD}: {after} before, 4 now.");
        assert!(check("undone", &undone).only("main").text.contains(&message));
    }
    // An undo takes back its own change, and keeps a change that another client made in between.
    let page = hers.page("/my/collection").await;
    let changed =
        check("more", &hers.post("/my/collection", &fields(&page, &format!("+1: {CARD}"))).await);
    let elsewhere = json!({ "changes": [{ "game": "ttcg", "set": "base", "number": "001", "rarity": "rare", "add": 10 }] });
    app.post("/v1/collection/changes").by(&ada).json(&elsewhere).answer().await.expect(200);
    hers.post("/my/collection", &fields(&changed, &undo)).await;
    assert_eq!(quantities(&app, &ada).await, rare(14));
    // Setting a count to its current number changes nothing.
    let page = hers.page("/my/collection").await;
    let same =
        hers.post("/my/collection", &fields(&page, &format!("Set the number of {CARD}"))).await;
    assert!(check("same", &same).only("main").text.contains("Nothing was changed"));
    // What is told and undone is the change of the count that was replaced, not of one that was read before.
    let page = hers.page("/my/collection").await;
    let mut sent = fields(&page, &format!("Set the number of {CARD}"));
    sent.retain(|(name, _)| *name != "quantity");
    sent.push(("quantity", "2"));
    let elsewhere = "SELECT FROM accounts WHERE name = 'ada' FOR NO KEY UPDATE; \
                     UPDATE collection_entries SET quantity = 17";
    let late = send_during(&app, elsewhere, hers.post("/my/collection", &sent)).await;
    let late = check("late", &late);
    let main = &late.only("main").text;
    assert!(main.contains(&format!("{CARD}: 17 before, 2 now.")), "{main}");
    hers.post("/my/collection", &fields(&late, &undo)).await;
    assert_eq!(quantities(&app, &ada).await, rare(17));
}

#[tokio::test]
async fn an_ambiguous_printing_is_chosen_before_it_is_counted() {
    let (app, ada) = start().await;
    let hers = Browser::of(&app, "ada").await;
    let new = |name: &'static str, rarity: &'static str, add: &'static str| {
        [
            ("card_game", "ttcg"),
            ("card_name", name),
            ("card_rarity", rarity),
            ("condition", "damaged"),
            ("add", add),
            ("step", "new"),
        ]
    };
    let confirmation =
        hers.post("/my/collection", &new("The base card, numbered 002!", "", "2")).await;
    assert_eq!(confirmation.status, 422);
    let page = check("asked", &confirmation);
    assert!(page.all("h2").any(|heading| heading.text == "Which one do you mean?"));
    assert!(page.only("main").text.contains("The card comes in several printings."));
    let choice = |button: &&crate::pages::html::Element| button.text.contains("Mythic");
    assert_eq!(page.all("button").filter(choice).count(), 1);
    let at = page
        .elements
        .iter()
        .position(|element| element.name == "button" && element.text.contains("Mythic"));
    let at = at.unwrap();
    let form = page.elements[..at].iter().rposition(|element| element.name == "form").unwrap();
    let mut sent: Vec<(&str, &str)> = page.elements[form..at]
        .iter()
        .filter(|element| element.name == "input")
        .map(|input| (input.get("name").unwrap(), input.get("value").unwrap()))
        .collect();
    sent.push(("step", "add"));
    assert_eq!(hers.post("/my/collection", &sent).await.status, 200);
    let counted = [("mythic_rare".to_owned(), "damaged".to_owned(), 2)];
    assert_eq!(quantities(&app, &ada).await, counted);

    for (name, rarity, add, at) in [
        ("No such card", "", "1", "card_name"),
        // A player who may not see a hidden card cannot find it by its name.
        ("The dusk card, numbered 001!", "rare", "1", "card_name"),
        ("", "", "1", "card_name"),
        ("The base card, numbered 001!", "rare", "0", "add"),
        ("The base card, numbered 001!", "a b", "1", "card_rarity"),
    ] {
        let refused = hers.post("/my/collection", &new(name, rarity, add)).await;
        assert_eq!(refused.status, 422, "{name} {rarity} {add}");
        let page = check("refused", &refused);
        let field = page.all("input").find(|field| field.get("id") == Some(at)).unwrap();
        assert_eq!(field.get("aria-invalid"), Some("true"), "{name} {rarity} {add}");
        let kept = page.all("input").find(|field| field.get("id") == Some("card_name")).unwrap();
        assert_eq!(kept.get("value"), Some(name));
    }
    let page = hers.page("/my/collection").await;
    let mut wrong = fields(
        &page,
        "Set the number of The base card, numbered 002!, base 002, Mythic Rare, Damaged",
    );
    wrong.retain(|(name, _)| *name != "quantity");
    wrong.push(("quantity", "10000"));
    let refused = hers.post("/my/collection", &wrong).await;
    assert_eq!(refused.status, 422);
    let page = check("wrong", &refused);
    let message = "The base card, numbered 002!, base 002, Mythic Rare, Damaged: The number must be 0 to 9999.";
    assert!(page.only("main").text.contains(message), "{}", page.only("main").text);
    let field = page.all("input").find(|field| field.get("id") == Some("wrong-number")).unwrap();
    assert_eq!((field.get("value"), field.get("aria-invalid")), (Some("10000"), Some("true")));
    assert!(page.all("a").any(|link| link.get("href") == Some("#wrong-number")));
    assert_eq!(quantities(&app, &ada).await, counted);
    let refused = hers.post("/my/collection", &[("step", "more"), ("condition", "new")]).await;
    assert_eq!(refused.status, 422);
}

#[tokio::test]
async fn the_collection_is_filtered_and_shows_no_hidden_card() {
    let (app, ada) = start().await;
    let cards = app.print("dusk", 2).await;
    let ben = app.player("ben").await;
    let copy = app.register(&ada, &cards[0]).await;
    let (dusk, base) = ("dusk", "base");
    for (set, rarity) in [(dusk, cards[0].rarity.as_str()), (base, "common")] {
        let change =
            json!({ "game": "ttcg", "set": set, "number": "001", "rarity": rarity, "add": 1 });
        let body = json!({ "changes": [change] });
        app.post("/v1/collection/changes").by(&ada).json(&body).answer().await.expect(200);
    }
    let hers = Browser::of(&app, "ada").await;
    let both = hers.page("/my/collection").await;
    assert!(
        both.only("main").text.contains(&cards[0].name)
            && both.only("main").text.contains("2 entries")
    );
    app.hand_over(&ada, &ben, &copy).await;
    let page = hers.page("/my/collection").await;
    let main = &page.only("main").text;
    assert!(!main.contains(&cards[0].name) && main.contains("Hidden card"), "{main}");
    let narrowed = hers.page("/my/collection?game=ttcg&set=base&rarity=common").await;
    assert!(
        narrowed.only("main").text.contains("1 entry")
            && !narrowed.only("main").text.contains("Hidden card")
    );
    let none = hers.page("/my/collection?rarity=rare&set=base").await;
    assert!(none.only("main").text.contains("You have not counted any such card."));
    for query in ["game=none", "set=baze", "rarity=a b", "cursor=x"] {
        assert_eq!(hers.get(&format!("/my/collection?{query}")).await.status, 400, "{query}");
    }
}

/// A double click, and then another request with the form of the answer, change the count once.
#[tokio::test]
async fn a_change_that_is_sent_again_while_it_runs_is_counted_once() {
    let (app, ada) = start().await;
    let change =
        json!({ "game": "ttcg", "set": "base", "number": "001", "rarity": "rare", "add": 4 });
    let body = json!({ "changes": [change] });
    app.post("/v1/collection/changes").by(&ada).json(&body).answer().await.expect(200);
    let hers = Browser::of(&app, "ada").await;
    let more = format!("+1: {CARD}");
    let page = hers.page("/my/collection").await;
    let sent = fields(&page, &more);
    let key = sent.iter().find(|(name, _)| *name == "key").unwrap().1;
    let running = hold_key(&app, "ada", key).await;
    let refused = hers.post("/my/collection", &sent).await;
    assert_eq!(refused.status, 409, "{}", refused.text());
    let page = check("running", &refused);
    assert!(page.only("main").text.contains("It is being counted at the moment."));
    let again = fields(&page, &more);
    assert!(again.contains(&("key", key)), "the form keeps the idempotency key: {again:?}");
    release_key(&running).await;
    for (fields, message) in [(&sent, "4 before, 5 now."), (&again, "it was counted before.")] {
        let answer = hers.post("/my/collection", fields).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let page = check(message, &answer);
        assert!(page.only("main").text.contains(message), "{}", page.only("main").text);
        assert_eq!(quantities(&app, &ada).await, rare(5));
    }
    // The form that adds cards behaves in the same way.
    let new = [
        ("card_game", "ttcg"),
        ("card_name", "the base card numbered 001"),
        ("card_rarity", "rare"),
        ("condition", "near_mint"),
        ("add", "1"),
        ("key", "added"),
        ("step", "new"),
    ];
    let running = hold_key(&app, "ada", "added").await;
    let page = check("running", &hers.post("/my/collection", &new).await);
    release_key(&running).await;
    let is_key = |field: &&crate::pages::html::Element| {
        field.get("name") == Some("key") && field.get("value") == Some("added")
    };
    assert_eq!(page.all("input").filter(is_key).count(), 1);
    assert_eq!(quantities(&app, &ada).await, rare(5));
}

/// A corrected form says that the first one was counted, before it counts once more.
#[tokio::test]
async fn a_corrected_form_says_that_the_first_one_was_counted() {
    let (app, ada) = start().await;
    let hers = Browser::of(&app, "ada").await;
    let new = |add: &'static str| {
        [
            ("card_game", "ttcg"),
            ("card_name", "the base card numbered 001"),
            ("card_rarity", "rare"),
            ("condition", "near_mint"),
            ("add", add),
            ("key", "first"),
            ("step", "new"),
        ]
    };
    assert_eq!(hers.post("/my/collection", &new("1")).await.status, 200);
    let refused = hers.post("/my/collection", &new("3")).await;
    assert_eq!(refused.status, 422);
    let page = check("refused", &refused);
    let main = &page.only("main").text;
    assert!(main.contains("that change is stored"), "{main}");
    assert_eq!(quantities(&app, &ada).await, rare(1));

    // The words of the first form mean nothing any more.
    let admin = app.admin().await;
    let card = app.get("/v1/games/ttcg/sets/base/cards/001").by(&admin).answer().await;
    let (etag, card) = (card.header("etag"), card.expect(200));
    let rename = app.patch(&format!("/v1/cards/{}", card["id"].as_str().unwrap())).by(&admin);
    let rename = rename.header("if-match", etag).json(&json!({ "name": "Another name" }));
    rename.answer().await.expect(200);
    let again = hers.post("/my/collection", &new("1")).await;
    assert_eq!(again.status, 410);
    let page = check("renamed", &again);
    let main = &page.only("main").text;
    assert!(main.contains("It was counted before. These words mean something else now."), "{main}");
    assert_eq!(quantities(&app, &ada).await, rare(1));
}

#[tokio::test]
async fn a_form_with_an_invalid_cursor_changes_nothing() {
    let (app, ada) = start().await;
    let change = |number: &str, add: i32| {
        let change = json!({ "game": "ttcg", "set": "base", "number": number, "rarity": "rare", "add": add });
        let body = json!({ "changes": [change] });
        app.post("/v1/collection/changes").by(&ada).json(&body).answer()
    };
    change("001", 4).await.expect(200);
    let hers = Browser::of(&app, "ada").await;
    let page = hers.page("/my/collection").await;
    let mut sent = fields(&page, &format!("+1: {CARD}"));
    sent.retain(|(name, _)| *name != "cursor");
    sent.push(("cursor", "x"));
    let refused = hers.post("/my/collection", &sent).await;
    assert_eq!(refused.status, 400);
    assert_eq!(quantities(&app, &ada).await, rare(4));
    // A later page that has become empty does not state that the whole collection is empty.
    change("002", 1).await.expect(200);
    let first = app.get("/v1/collection?limit=1").by(&ada).answer().await.expect(200);
    change("002", -1).await.expect(200);
    let cursor = first["next_cursor"].as_str().unwrap();
    let page = hers.page(&format!("/my/collection?cursor={cursor}")).await;
    let main = &page.only("main").text;
    assert!(main.contains("You have not counted any such card."), "{main}");
    assert!(!main.contains("You have counted no card yet."), "{main}");
}

/// The entry is read before its count is set only if the count removes it: then its name is not known afterwards.
#[tokio::test]
async fn a_count_is_set_without_reading_its_entry_before() {
    let db = Arc::new(TestDb::create().await);
    let wiretap = Wiretap::start(&db.url()).await;
    let url = wiretap.url().to_owned();
    let app = TestApp::start_tuned(db, Clock::system(), |_| {}, |store| store.url = url);
    app.import_set("base", 1, false).await;
    let ada = app.player("ada").await;
    let body = json!({ "changes": [{ "game": "ttcg", "set": "base", "number": "001", "rarity": "rare", "add": 4 }] });
    app.post("/v1/collection/changes").by(&ada).json(&body).answer().await.expect(200);
    let hers = Browser::of(&app, "ada").await;
    let page = hers.page("/my/collection").await;
    for (quantity, reads) in [("9", 1), ("0", 2)] {
        let mut sent = fields(&page, &format!("Set the number of {CARD}"));
        sent.retain(|(name, _)| *name != "quantity");
        sent.push(("quantity", quantity));
        wiretap.take_statements(&[]);
        assert_eq!(hers.post("/my/collection", &sent).await.status, 200);
        // The last one is for the list on the page.
        let statements = wiretap.take_statements(&["mine AS MATERIALIZED (SELECT c.game_code"]);
        assert_eq!(statements.len(), reads, "{quantity}: {statements:#?}");
    }
}
