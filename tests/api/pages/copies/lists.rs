//! Wants and haves: cards are added by name, numbers are changed, and both versions are shown in a conflict.

use serde_json::{Value, json};

use super::{Browser, check, links, value};
use crate::pages::html::Page;
use crate::support::{Player, RequestExt as _, TestApp};

async fn start() -> (TestApp, Player) {
    let app = TestApp::start().await;
    app.import_set("base", 3, false).await;
    app.import_set("dusk", 1, true).await;
    let ada = app.player("ada").await;
    (app, ada)
}

async fn stored(app: &TestApp, by: &Player, kind: &str) -> Value {
    app.get(&format!("/v1/me/{kind}")).by(by).answer().await.expect(200)
}

/// The items of the form, each with the value of its number field.
fn numbers(page: &Page) -> Vec<(&str, &str)> {
    let named =
        |name: &'static str| page.all("input").filter(move |field| field.get("name") == Some(name));
    let of = |field: &'static str| named(field).map(|field| field.get("value").unwrap());
    of("item").zip(of("number")).collect()
}

#[tokio::test]
async fn cards_are_added_by_name_or_by_number() {
    let (app, ada) = start().await;
    let hers = Browser::of(&app, "ada").await;
    let empty = hers.page("/my/lists").await;
    assert_eq!(empty.only("main").text.matches("There is nothing on this list yet.").count(), 2);
    assert!(
        links(&empty).contains(&"/my/lists/wants") && links(&empty).contains(&"/my/lists/haves")
    );

    let named = [
        ("card_game", "ttcg"),
        ("card_name", "the BASE card, numbered 001"),
        ("card_rarity", "rare"),
        ("add", "2"),
        ("step", "add"),
    ];
    let added = hers.post("/my/lists/wants", &named).await;
    let back = "/my/lists/wants?from=0&done=added".to_owned();
    assert_eq!((added.status, added.header("location")), (303, back.clone()), "{}", added.text());
    let numbered = [
        ("card_game", "ttcg"),
        ("card_set", "dusk"),
        ("card_number", "001"),
        ("add", "1"),
        ("step", "add"),
    ];
    assert_eq!(
        hers.post("/my/lists/wants", &numbered).await.status,
        303,
        "a hidden card can be added by its number"
    );
    let wants = stored(&app, &ada, "wants").await;
    let items = wants["items"].as_array().unwrap();
    assert_eq!((&items[0]["rarity"], &items[0]["quantity"]), (&json!("rare"), &json!(2)));
    assert_eq!((items[1].get("rarity"), items[1]["card"].get("name")), (None, None));
    assert_eq!(wants["visibility"], "private");
    let page = hers.page(&back).await;
    let main = &page.only("main").text;
    assert!(
        main.contains("The card is on the list.") && main.contains("The base card, numbered 001!")
    );
    assert!(main.contains("Hidden card") && !main.contains("The dusk card"), "{main}");
    assert_eq!(stored(&app, &ada, "haves").await["items"], json!([]));

    for (fields, at) in [
        (vec![("card_name", "No such card"), ("add", "1")], "card_name"),
        (vec![("card_name", "The dusk card, numbered 001!"), ("add", "1")], "card_name"),
        (vec![("card_name", ""), ("card_set", "base"), ("add", "1")], "card_name"),
        (vec![("card_name", "The base card, numbered 002!"), ("add", "0")], "add"),
        (
            vec![
                ("card_name", "The base card, numbered 002!"),
                ("card_rarity", "a b"),
                ("add", "1"),
            ],
            "card_rarity",
        ),
        (
            vec![
                ("card_name", "The base card, numbered 001!"),
                ("card_rarity", "rare"),
                ("add", "1"),
            ],
            "card_name",
        ),
    ] {
        let fields = [&fields[..], &[("card_game", "ttcg"), ("step", "add")]].concat();
        let refused = hers.post("/my/lists/wants", &fields).await;
        assert_eq!(refused.status, 422, "{fields:?}");
        let page = check("refused", &refused);
        let field = page.all("input").find(|field| field.get("id") == Some(at)).unwrap();
        assert_eq!(field.get("aria-invalid"), Some("true"), "{fields:?}");
        if fields.contains(&("card_rarity", "rare")) {
            assert!(page.only("main").text.contains("The card is on the list already."));
        }
        assert_eq!(value(&page, "card_name"), fields[0].1, "the field keeps its value");
    }
    // The button that saves refuses a part of a card, too.
    for part in ["card_set", "card_rarity"] {
        let fields = [("card_game", "ttcg"), (part, "base"), ("add", "1"), ("step", "save")];
        let refused = hers.post("/my/lists/wants", &fields).await;
        assert_eq!(refused.status, 422, "{part}");
        let page = check("refused", &refused);
        assert!(
            page.only("main").text.contains("Give the name of the card, or its set and number.")
        );
        assert_eq!(value(&page, part), "base", "the field keeps its value");
    }
    assert_eq!(stored(&app, &ada, "wants").await["items"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn numbers_are_changed_and_both_versions_are_shown_in_a_conflict() {
    let (app, ada) = start().await;
    let put = async |tag: &str, items: Value| {
        let body = json!({ "visibility": "private", "items": items });
        let request = app.put("/v1/me/haves").by(&ada).header("if-match", tag).json(&body);
        request.answer().await.expect(200);
    };
    let item = |number: &str, quantity: i32| json!({ "game": "ttcg", "set": "base", "number": number, "quantity": quantity });
    put("\"r0\"", json!([item("001", 1), item("002", 2), item("003", 3)])).await;
    let hers = Browser::of(&app, "ada").await;
    let form = hers.page("/my/lists/haves").await;
    let before: Vec<(String, String)> =
        numbers(&form).into_iter().map(|(id, number)| (id.to_owned(), number.to_owned())).collect();
    assert_eq!(
        before.iter().map(|(_, number)| number.as_str()).collect::<Vec<_>>(),
        ["1", "2", "3"]
    );
    let send = async |revision: &str, typed: [&str; 3]| {
        let mut fields = vec![("revision", revision), ("visibility", "public"), ("step", "save")];
        for ((id, _), number) in before.iter().zip(typed) {
            fields.extend([("item", id.as_str()), ("number", number)]);
        }
        hers.post("/my/lists/haves", &fields).await
    };
    assert_eq!(value(&form, "revision"), "1");
    let wrong = send("1", ["1", "x", "3"]).await;
    assert_eq!(wrong.status, 422);
    let wrong = check("wrong", &wrong);
    let message = "The base card, numbered 002!, base 002: the number must be 0 to 9999.";
    assert!(wrong.only("main").text.contains(message), "{}", wrong.only("main").text);
    let field = wrong.all("input").find(|field| field.get("id") == Some("wrong-number")).unwrap();
    assert_eq!((field.get("value"), field.get("aria-invalid")), (Some("x"), Some("true")));
    assert!(links(&wrong).contains(&"#wrong-number"));
    let saved = send("1", ["5", "0", "3"]).await;
    assert_eq!(saved.header("location"), "/my/lists/haves?from=0&done=saved", "{}", saved.text());
    let haves = stored(&app, &ada, "haves").await;
    let quantities: Vec<&Value> =
        haves["items"].as_array().unwrap().iter().map(|item| &item["quantity"]).collect();
    assert_eq!((quantities, &haves["visibility"]), (vec![&json!(5), &json!(3)], &json!("public")));

    // A double click, or a form that is sent again because its answer was lost: it is saved.
    let again = send("1", ["5", "0", "3"]).await;
    assert_eq!(again.header("location"), "/my/lists/haves?from=0&done=saved", "{}", again.text());

    // The form with the first revision, and other numbers.
    let stale = send("1", ["7", "2", "3"]).await;
    assert_eq!(stale.status, 412);
    let stale = check("stale", &stale);
    assert_eq!(numbers(&stale).iter().map(|(_, number)| *number).collect::<Vec<_>>(), ["7", "3"]);
    let main = &stale.only("main").text;
    for message in [
        "nothing was overwritten",
        "on the list: 5",
        "Some cards of the form are not on the list any more.",
    ] {
        assert!(main.contains(message), "{message}: {main}");
    }
    assert!(!main.contains("on the list: 3"), "only what differs: {main}");
    assert_eq!(value(&stale, "revision"), "2");
    assert!(
        !main.contains("on the list: Everybody"),
        "the visibility in the form is the stored one: {main}"
    );
    let fields = [("revision", "1"), ("visibility", "private"), ("step", "save")];
    let other = hers.post("/my/lists/haves", &fields).await;
    assert_eq!(other.status, 412);
    let other = check("other", &other);
    let chosen: Vec<_> =
        other.all("option").filter(|option| option.get("selected").is_some()).collect();
    assert!(chosen.iter().any(|option| option.get("value") == Some("private")), "{chosen:?}");
    assert!(other.only("main").text.contains("on the list: Everybody"));
    assert_eq!(send("2", ["7", "2", "3"]).await.status, 303);
    let haves = stored(&app, &ada, "haves").await;
    assert_eq!(haves["items"][0]["quantity"], 7);
    assert_eq!(haves["items"].as_array().unwrap().len(), 2);
}

/// “Add” saves what else is typed in the form. It is repeated if only other cards were added meanwhile.
#[tokio::test]
async fn adding_a_card_saves_the_whole_form() {
    let (app, ada) = start().await;
    let item = json!({ "game": "ttcg", "set": "base", "number": "001", "quantity": 2 });
    let body = json!({ "visibility": "public", "items": [item] });
    let put = app.put("/v1/me/wants").by(&ada).header("if-match", "\"r0\"").json(&body);
    put.answer().await.expect(200);
    let hers = Browser::of(&app, "ada").await;
    let form = hers.page("/my/lists/wants").await;
    let id = numbers(&form)[0].0.to_owned();
    let forms = form.all("form").filter(|form| form.get("action") == Some("/my/lists/wants"));
    assert_eq!(forms.count(), 1, "one form with two buttons");
    let send = async |revision: &str, typed: [&str; 2], card: [&str; 2], step: &str| {
        let fields = [
            ("revision", revision),
            ("visibility", typed[0]),
            ("item", id.as_str()),
            ("number", typed[1]),
            ("card_game", "ttcg"),
            ("card_set", card[0]),
            ("card_number", card[1]),
            ("add", "1"),
            ("step", step),
        ];
        hers.post("/my/lists/wants", &fields).await
    };
    let quantities = async || -> (Vec<i64>, String) {
        let wants = stored(&app, &ada, "wants").await;
        let items = wants["items"].as_array().unwrap();
        let quantities = items.iter().map(|item| item["quantity"].as_i64().unwrap()).collect();
        (quantities, wants["visibility"].as_str().unwrap().to_owned())
    };
    // The second one is a double click. The number of the card is 002.
    for _ in 0..2 {
        let added = send("1", ["private", "7"], ["base", "2"], "add").await;
        assert_eq!(
            added.header("location"),
            "/my/lists/wants?from=0&done=added",
            "{}",
            added.text()
        );
        assert_eq!(quantities().await, (vec![7, 1], "private".to_owned()));
    }
    let wrong = send("2", ["private", "x"], ["base", "003"], "add").await;
    assert_eq!(wrong.status, 422);
    assert_eq!(value(&check("wrong", &wrong), "card_number"), "003");

    // Two tabs with the same version add different cards. If something else differs, both versions are shown.
    let first = send("2", ["private", "7"], ["base", "003"], "add").await;
    assert_eq!(first.status, 303, "{}", first.text());
    let other = send("2", ["public", "7"], ["dusk", "001"], "add").await;
    assert_eq!(other.status, 412, "{}", other.text());
    let other = check("other", &other);
    assert_eq!(value(&other, "card_number"), "001");
    assert!(other.only("main").text.contains("on the list: Only"), "{:?}", other.only("main"));
    // Enter in a field of the card presses the first button.
    let second = send("2", ["private", "7"], ["dusk", "001"], "save").await;
    assert_eq!(second.header("location"), "/my/lists/wants?from=0&done=added");
    assert_eq!(quantities().await, (vec![7, 1, 1, 1], "private".to_owned()));
}

/// A rarity that the player may not see any more stays on the list when the player saves the list.
#[tokio::test]
async fn saving_a_list_keeps_rarities_that_are_hidden_now() {
    let app = TestApp::start().await;
    app.import_set("dusk", 1, true).await;
    let cards = app.print("dusk", 2).await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let copy = app.register(&ada, &cards[0]).await;
    let item = json!({ "game": "ttcg", "set": "dusk", "number": "001", "rarity": cards[0].rarity });
    let body = json!({ "items": [item] });
    app.put("/v1/me/haves")
        .by(&ada)
        .header("if-match", "\"r0\"")
        .json(&body)
        .answer()
        .await
        .expect(200);
    app.hand_over(&ada, &ben, &copy).await;
    let stored = "SELECT printing_id::text || ' ' || quantity FROM trade_list_items";
    let before = app.db().value(stored).await;
    let hers = Browser::of(&app, "ada").await;
    let form = hers.page("/my/lists/haves").await;
    let items = numbers(&form);
    assert_eq!(items.len(), 1);
    assert!(!form.only("main").text.contains(&cards[0].name));
    let fields = [("revision", "1"), ("item", items[0].0), ("number", "4"), ("step", "save")];
    assert_eq!(hers.post("/my/lists/haves", &fields).await.status, 303);
    let printing = before.split(' ').next().unwrap();
    assert_eq!(app.db().value(stored).await, format!("{printing} 4"));
}

#[tokio::test]
async fn matches_name_players_whose_lists_fit() {
    let (app, ada) = start().await;
    let ben = app.player("ben").await;
    let item = json!({ "game": "ttcg", "set": "base", "number": "001" });
    for (by, list, visibility) in [(&ada, "wants", "private"), (&ben, "haves", "public")] {
        let body = json!({ "visibility": visibility, "items": [item] });
        let path = format!("/v1/me/{list}");
        app.put(&path).by(by).header("if-match", "\"r0\"").json(&body).answer().await.expect(200);
    }
    let hers = Browser::of(&app, "ada").await;
    let found = hers.page("/trades/find").await;
    let row = found.only("tbody");
    let cells: Vec<&str> = row.text.split_whitespace().collect();
    assert!(cells.contains(&"ben") && cells.contains(&"1"), "{row:?}");
    for path in ["/players/ben", "/trades/new?player=ben"] {
        assert!(links(&found).contains(&path), "{path}");
    }
    let his = Browser::of(&app, "ben").await;
    assert!(
        his.page("/trades/find").await.only("main").text.contains("Nobody's lists fit yours yet.")
    );
    assert_eq!(hers.get("/trades/find?game=none").await.status, 400);
}
