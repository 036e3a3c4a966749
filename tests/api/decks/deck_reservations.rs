//! Reservations of cards for decks, and the decks that can be built from the remaining cards.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::collection::counts::{collection, printing, send_during};
use crate::support::{Player, RequestExt as _, TestApp, card_name, edit_set, numbered_set, text};

/// Stores a deck, and returns its path.
async fn stored(app: &TestApp, owner: &Player, name: &str, list: &str) -> String {
    let body = json!({ "name": name, "format": "ttcg/standard", "list": list });
    super::stored_as(app, owner, &body).await
}

/// Replaces the list of a deck.
async fn change(app: &TestApp, owner: &Player, path: &str, list: &str) {
    let body = json!({ "name": "changed", "format": "ttcg/standard", "list": list });
    app.put(path).by(owner).header("if-match", "*").json(&body).answer().await.expect(200);
}

/// Sets how many Kettle Imps of a rarity a player owns.
async fn own(app: &TestApp, player: &Player, rarity: &str, quantity: u64) {
    let id = printing(app, None, "hearth", "016", rarity).await;
    let body = json!({ "quantity": quantity });
    let answer = app.put(&format!("/v1/collection/{id}")).by(player).json(&body).answer().await;
    assert!([200, 204].contains(&answer.status), "{}", answer.text());
}

async fn reserve(app: &TestApp, by: &Player, path: &str) -> Value {
    app.put(&format!("{path}/reservation")).by(by).answer().await.expect(200)
}

async fn reserved(app: &TestApp, by: &Player, path: &str) -> Value {
    app.get(&format!("{path}/reservation")).by(by).answer().await.expect(200)
}

/// Members of a value, to compare them.
fn members<const N: usize>(value: &Value, names: [&str; N]) -> [Value; N] {
    names.map(|name| value[name].clone())
}

/// Rarity and quantity of each reserved printing of a card.
fn printings(card: &Value) -> Vec<(String, u64)> {
    let printings = card["printings"].as_array().unwrap().iter();
    printings.map(|one| (text(one, "rarity"), one["quantity"].as_u64().unwrap())).collect()
}

const SUMS: [&str; 6] = ["complete", "needed", "reserved", "missing", "to_move", "to_buy"];

#[tokio::test]
async fn named_printings_are_reserved_first_and_no_copy_is_reserved_twice() {
    let app = super::app().await;
    let ada = app.player("ada").await;
    // Ada owns two common cards: one is counted, one is a registered copy.
    own(&app, &ada, "common", 1).await;
    app.give_copy(&ada.id, "ttcg", "hearth", "016").await;
    own(&app, &ada, "rare", 1).await;
    let one = stored(&app, &ada, "one", "2 Kettle Imp (hearth) 016 {rare}\n1 Pocket Bat").await;
    let two = stored(&app, &ada, "two", "2 Kettle Imp").await;

    let before = reserved(&app, &ada, &one).await;
    assert_eq!(before.get("reserved_at"), None);
    assert_eq!(json!(members(&before, SUMS)), json!([false, 3, 0, 3, 0, 1]));
    assert_eq!(before["cards"][0]["free"], 3);

    let deck_reservation = reserve(&app, &ada, &one).await;
    assert!(deck_reservation["reserved_at"].is_string());
    assert_eq!(json!(members(&deck_reservation, SUMS)), json!([false, 3, 2, 1, 0, 1]));
    let imp = &deck_reservation["cards"][0];
    assert_eq!(printings(imp), [("common".to_owned(), 1), ("rare".to_owned(), 1)]);
    assert_eq!(json!(members(&imp["printings"][0], ["set", "number"])), json!(["hearth", "016"]));
    assert_eq!((&imp["missing"], &imp["free"]), (&json!(0), &json!(1)));
    assert_eq!(
        reserve(&app, &ada, &one).await,
        deck_reservation,
        "a repeated request returns the same reservation"
    );
    assert_eq!(reserved(&app, &ada, &one).await, deck_reservation);

    let deck_reservation = reserve(&app, &ada, &two).await;
    let imp = &deck_reservation["cards"][0];
    assert_eq!(printings(imp), [("common".to_owned(), 1)]);
    assert_eq!(json!(members(imp, ["missing", "free", "to_move", "to_buy"])), json!([1, 0, 1, 0]));
    assert_eq!(
        json!(members(&imp["movable"][0], ["name", "quantity"])),
        json!(["one", 2]),
        "{imp:#}"
    );

    // The availability of a deck includes the reservations.
    let seen = app.get(&format!("{two}/availability")).by(&ada).answer().await.expect(200);
    assert_eq!(
        json!(members(&seen, ["buildable", "missing", "to_buy", "to_move"])),
        json!([true, 0, 0, 1])
    );
    let imp = &seen["cards"][0];
    assert_eq!(
        json!(members(imp, ["owned", "reserved_here", "reserved_elsewhere", "to_buy", "to_move"])),
        json!([3, 1, 2, 0, 1])
    );
    assert_eq!(
        json!(members(&imp["other_decks"][0], ["name", "quantity", "reserved"])),
        json!(["one", 2, 2])
    );
    let seen = app.get(&format!("{one}/availability")).by(&ada).answer().await.expect(200);
    assert_eq!(
        json!(members(&seen["cards"][1], ["owned", "to_buy", "to_move"])),
        json!([0, 1, 0]),
        "ada owns no Pocket Bat"
    );

    // The pick list leaves out cards that are reserved for other decks.
    let pick = format!("{two}/pick-list");
    let picked = app.get(&pick).by(&ada).answer().await.expect(200);
    assert_eq!(
        json!(members(&picked, ["buildable", "needed", "missing", "list", "status", "format"])),
        json!([false, 2, 1, "1 Kettle Imp (hearth) 016 {common}\n", "incomplete", "ttcg/standard"])
    );
    let entry = &picked["entries"][0];
    assert_eq!(
        json!([entry["take"][0]["quantity"], entry["take"][0]["is_named"], entry["missing"]]),
        json!([1, true, 1])
    );
    let picked = app.get(&format!("{pick}?reserved=include")).by(&ada).answer().await.expect(200);
    assert_eq!(
        json!(members(&picked, ["buildable", "list"])),
        json!([true, "2 Kettle Imp (hearth) 016 {common}\n"])
    );
    app.get(&format!("{pick}?reserved=some")).by(&ada).answer().await.problem(400, "invalid_query");
    let picked = app.get(&format!("{one}/pick-list")).by(&ada).answer().await.expect(200);
    assert_eq!(
        picked["list"], "1 Kettle Imp (hearth) 016 {rare}\n1 Kettle Imp (hearth) 016 {common}\n",
        "named printings come first, and the cards reserved for this deck are included"
    );
}

/// An older version stored rarities as they were written.
#[tokio::test]
async fn a_rarity_that_is_stored_as_an_alias_names_its_printing() {
    let app = super::app().await;
    let ada = app.player("ada").await;
    own(&app, &ada, "common", 1).await;
    own(&app, &ada, "rare", 1).await;
    let path = stored(&app, &ada, "one", "1 Kettle Imp {rare}").await;
    app.sql("UPDATE deck_entries SET rarity = 'R' WHERE rarity = 'rare'").await;
    let deck = app.get(&path).by(&ada).answer().await.expect(200);
    assert_eq!(deck["entries"][0]["rarity"], "rare", "{deck:#}");
    let picked = app.get(&format!("{path}/pick-list")).by(&ada).answer().await.expect(200);
    assert_eq!(picked["list"], "1 Kettle Imp (hearth) 016 {rare}\n", "{picked:#}");
    let seen = app.get(&format!("{path}/availability")).by(&ada).answer().await.expect(200);
    let imp = &seen["cards"][0];
    assert_eq!(json!(members(imp, ["owned", "in_named_printing"])), json!([2, 1]), "{imp:#}");
    let reserved = reserve(&app, &ada, &path).await;
    assert_eq!(printings(&reserved["cards"][0]), [("rare".to_owned(), 1)], "{reserved:#}");
}

/// The example of docs/API.md.
#[tokio::test]
async fn missing_copies_are_those_not_owned_not_reserved_or_not_to_be_taken() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    own(&app, &ada, "common", 3).await;
    let other = stored(&app, &ada, "Other", "1 Kettle Imp").await;
    reserve(&app, &ada, &other).await;
    let path = stored(&app, &ada, "Deck", "3 Kettle Imp").await;
    for (view, missing) in [("availability", 0), ("reservation", 3), ("pick-list", 1)] {
        let found = app.get(&format!("{path}/{view}")).by(&ada).answer().await.expect(200);
        assert_eq!(found["missing"], missing, "{view}: {found:#}");
    }
}

#[tokio::test]
async fn only_owned_cards_are_reserved_and_earlier_reservations_come_first() {
    let app = super::app().await;
    let ada = app.player("ada").await;
    own(&app, &ada, "common", 3).await;
    let one = stored(&app, &ada, "one", "2 Kettle Imp").await;
    let two = stored(&app, &ada, "two", "1 Kettle Imp").await;
    reserve(&app, &ada, &one).await;
    reserve(&app, &ada, &two).await;
    let both = async || {
        let (one, two) = (reserved(&app, &ada, &one).await, reserved(&app, &ada, &two).await);
        [one["reserved"].as_u64().unwrap(), two["reserved"].as_u64().unwrap()]
    };
    assert_eq!(both().await, [2, 1]);
    own(&app, &ada, "common", 2).await;
    assert_eq!(both().await, [2, 0]);
    own(&app, &ada, "common", 1).await;
    assert_eq!(both().await, [1, 0]);
    assert_eq!(reserved(&app, &ada, &two).await.get("reserved_at"), None);
    // A repeated reservation keeps the place of the deck in the order.
    reserve(&app, &ada, &one).await;
    own(&app, &ada, "common", 3).await;
    assert_eq!(both().await, [1, 1]);
    reserve(&app, &ada, &one).await;
    assert_eq!(both().await, [2, 1]);

    // A card that the deck no longer names stays reserved until the deck is reserved again.
    change(&app, &ada, &one, "1 Pocket Bat").await;
    let deck_reservation = reserved(&app, &ada, &one).await;
    assert_eq!(
        json!(members(&deck_reservation["cards"][1], ["name", "needed", "reserved", "missing"])),
        json!(["Kettle Imp", 0, 2, 0])
    );
    let seen = app.get(&format!("{two}/availability")).by(&ada).answer().await.expect(200);
    assert_eq!(
        json!(members(&seen["cards"][0]["other_decks"][0], ["name", "quantity", "reserved"])),
        json!(["changed", 0, 2])
    );
    let deck_reservation = reserve(&app, &ada, &one).await;
    assert_eq!(
        (deck_reservation["reserved"].clone(), deck_reservation["cards"].as_array().unwrap().len()),
        (json!(0), 1)
    );

    // The deletion of a reservation can be repeated.
    app.delete(&format!("{two}/reservation")).by(&ada).answer().await.expect(204);
    app.delete(&format!("{two}/reservation")).by(&ada).answer().await.expect(204);
    assert_eq!(both().await, [0, 0]);
    assert_eq!(app.db().number("SELECT count(*) FROM deck_reservations").await, 0);
}

#[tokio::test]
async fn only_the_owner_reads_and_changes_a_reservation() {
    let app = super::app().await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    own(&app, &ada, "common", 1).await;
    own(&app, &eve, "rare", 1).await;
    let body = json!({ "name": "one", "format": "ttcg/standard", "visibility": "public", "list": "1 Kettle Imp" });
    let path = super::stored_as(&app, &ada, &body).await;
    let reservation = format!("{path}/reservation");
    reserve(&app, &ada, &path).await;
    for (method, status) in [("GET", 404), ("PUT", 404), ("DELETE", 404)] {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let answer = app.request(method.clone(), &reservation).by(&eve).answer().await;
        answer.problem(status, "not_found");
        app.request(method, &reservation).answer().await.problem(401, "unauthenticated");
    }
    assert_eq!(reserved(&app, &ada, &path).await["reserved"], 1);
    // Another player gets a pick list for a public deck from her own collection.
    let picked = app.get(&format!("{path}/pick-list")).by(&eve).answer().await.expect(200);
    assert_eq!(picked["list"], "1 Kettle Imp (hearth) 016 {rare}\n");
    let seen = app.get(&format!("{path}/availability")).by(&eve).answer().await.expect(200);
    assert_eq!(
        json!(members(&seen["cards"][0], ["owned", "reserved_here", "reserved_elsewhere"])),
        json!([1, 0, 0])
    );

    // A token that may not read the collection gets no information about the owned cards.
    let token = async |scopes: &[&str]| {
        let body = json!({ "name": "t", "scopes": scopes });
        let created = app.post("/v1/tokens").by(&ada).json(&body).answer().await.expect(201);
        text(&created, "secret")
    };
    let writes = token(&["decks:write", "decks:read"]).await;
    let put = app.put(&reservation).bearer_auth(&writes).answer().await;
    assert_eq!((put.status, put.text()), (204, String::new()));
    app.get(&reservation).bearer_auth(&writes).answer().await.problem(403, "scope_missing");
    let counts = token(&["collection:read"]).await;
    app.get(&reservation).bearer_auth(&counts).answer().await.problem(404, "not_found");
    let seen = app.get(&format!("{path}/availability")).bearer_auth(&counts);
    let seen = seen.answer().await.expect(200);
    assert_eq!(
        json!(members(&seen["cards"][0], ["owned", "reserved_here", "reserved_elsewhere"])),
        json!([1, 0, 0])
    );
}

#[tokio::test]
async fn a_deleted_deck_loses_its_reservation_also_after_an_undelete() {
    let app = super::app().await;
    let ada = app.player("ada").await;
    own(&app, &ada, "common", 1).await;
    let one = stored(&app, &ada, "one", "1 Kettle Imp").await;
    let two = stored(&app, &ada, "two", "1 Kettle Imp").await;
    reserve(&app, &ada, &one).await;
    assert_eq!(reserve(&app, &ada, &two).await["reserved"], 0);
    app.delete(&one).by(&ada).header("if-match", "*").answer().await.expect(204);
    app.get(&format!("{one}/reservation")).by(&ada).answer().await.problem(404, "not_found");
    app.put(&format!("{one}/reservation")).by(&ada).answer().await.problem(404, "not_found");
    assert_eq!(reserve(&app, &ada, &two).await["reserved"], 1);
    app.post(&format!("{one}/undelete")).by(&ada).answer().await.expect(200);
    assert_eq!(
        json!(members(&reserved(&app, &ada, &one).await, ["reserved", "to_move"])),
        json!([0, 1])
    );
}

#[tokio::test]
async fn two_instances_never_reserve_a_copy_twice() {
    let app = super::app().await;
    let other = app.second_instance();
    let ada = app.player("ada").await;
    own(&app, &ada, "common", 4).await;
    own(&app, &ada, "rare", 3).await;
    let mut decks = Vec::new();
    for at in 0..6 {
        let list = if at % 2 == 0 { "2 Kettle Imp" } else { "2 Kettle Imp {rare}" };
        decks.push(stored(&app, &ada, &format!("deck {at}"), list).await);
    }
    for _ in 0..3 {
        let puts = decks.iter().flat_map(|path| [(&app, path), (&other, path)]);
        let puts = puts.map(|(app, path)| reserve(app, &ada, path));
        join_all(puts).await;
        let twice = "SELECT count(*) FROM (SELECT r.printing_id, sum(r.quantity) AS reserved FROM deck_reservations r GROUP BY 1) x \
             WHERE reserved > (SELECT sum(e.quantity) FROM collection_entries e WHERE e.printing_id = x.printing_id)";
        assert_eq!(app.db().number(twice).await, 0);
        let all = "SELECT sum(quantity)::bigint FROM deck_reservations";
        assert_eq!(app.db().number(all).await, 7, "all seven owned cards, and no more");
        let frees = decks.iter().take(3);
        let frees = frees.map(|path| app.delete(&format!("{path}/reservation")).by(&ada).answer());
        for freed in join_all(frees).await {
            freed.expect(204);
        }
    }
}

#[tokio::test]
async fn reservations_follow_merged_cards_and_deleted_printings() {
    let app = TestApp::start().await;
    app.import_set("base", 3, false).await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let first_printing = printing(&app, None, "base", "001", "rare").await;
    let second_printing = printing(&app, None, "base", "002", "rare").await;
    for (id, quantity) in [(&first_printing, 2), (&second_printing, 1)] {
        let count = app.put(&format!("/v1/collection/{id}")).by(&ada);
        count.json(&json!({ "quantity": quantity })).answer().await.expect(200);
    }
    let entry = |number: &str, quantity: u32| json!({ "name": card_name("base", number), "quantity": quantity });
    let body = json!({ "name": "one", "format": "ttcg/standard", "entries": [entry("001", 2), entry("002", 1)] });
    let path = super::stored_as(&app, &ada, &body).await;
    assert_eq!(reserve(&app, &ada, &path).await["reserved"], 3);

    let cards = app.get("/v1/cards?set=base").answer().await.expect(200)["data"].clone();
    let merged = format!("/v1/cards/{}", text(&cards[0], "id"));
    let seen = app.get(&merged).by(&admin).answer().await.header("etag");
    let merge = app.post(&format!("{merged}/merge")).by(&admin).header("if-match", seen);
    assert_eq!(merge.json(&json!({ "into": cards[1]["id"] })).answer().await.status, 201);
    // Both entries are the same card now.
    let deck_reservation = reserved(&app, &ada, &path).await;
    let card = &deck_reservation["cards"][0];
    assert_eq!(printings(card), [("rare".to_owned(), 3)], "{deck_reservation:#}");
    assert_eq!(
        (&card["name"], &card["needed"], deck_reservation["cards"].as_array().unwrap().len()),
        (&json!(card_name("base", "002")), &json!(3), 1)
    );

    // The reservation moves to another printing when its printing is deleted.
    app.sql(&format!("DELETE FROM printings WHERE id = '{second_printing}'")).await;
    let deck_reservation = reserved(&app, &ada, &path).await;
    assert_eq!(
        printings(&deck_reservation["cards"][0]),
        [("common".to_owned(), 3)],
        "{deck_reservation:#}"
    );
}

/// The new rarities are there before the old ones are deleted: what players have written about these goes to a rarity that stays.
#[tokio::test]
async fn counts_lists_and_reservations_outlive_rarities_that_are_all_replaced() {
    let app = TestApp::start().await;
    let rarity = |code: &str, bonus: u32| json!({ "rarity": code, "attributes": { "attack": 250 + bonus, "defense": 250 } });
    let mut source = numbered_set("base", 1, false);
    let manifest = &mut source.manifest.text;
    *manifest = manifest.replace("every_rarity = true", "every_rarity = false");
    edit_set(&mut source, "base", |set| {
        set["cards"][0]["printings"] = json!([rarity("common", 0)]);
    });
    app.import(&source).await.unwrap();
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let count = async |rarity: &str, quantity: u32| {
        let id = printing(&app, None, "base", "001", rarity).await;
        let count = app.put(&format!("/v1/collection/{id}")).by(&ada);
        count.json(&json!({ "quantity": quantity })).answer().await.expect(200);
        id
    };
    let common = count("common", 3).await;
    for (list, quantity) in [("wants", 4), ("haves", 1)] {
        let put = app.put(&format!("/v1/me/{list}")).by(&ada).header("if-match", "*");
        let items = json!({ "items": [{ "printing": common, "quantity": quantity }] });
        put.json(&items).answer().await.expect(200);
    }
    let entry = json!({ "name": card_name("base", "001"), "quantity": 2 });
    let body = json!({ "name": "one", "format": "ttcg/standard", "entries": [entry] });
    let deck = super::stored_as(&app, &ada, &body).await;
    assert_eq!(reserve(&app, &ada, &deck).await["reserved"], 2);

    let cards = app.get("/v1/cards?set=base").answer().await.expect(200)["data"].clone();
    let path = format!("/v1/cards/{}", text(&cards[0], "id"));
    let replace = async |rarities: Value| {
        let patch = app.patch(&path).by(&admin).header("if-match", "*");
        patch.json(&json!({ "printings": rarities })).answer().await.expect(200);
        let entries = collection(&app, &ada, "").await;
        let counted = |one: &Value| (text(one, "rarity"), one["quantity"].as_u64().unwrap());
        entries.iter().map(counted).collect::<Vec<_>>()
    };
    let counted = replace(json!([rarity("rare", 20)])).await;
    assert_eq!(counted, [("rare".to_owned(), 3)]);
    let counted = replace(json!([rarity("uncommon", 10), rarity("ultra_rare", 30)])).await;
    assert_eq!(counted, [("uncommon".to_owned(), 3)]);
    count("ultra_rare", 1).await;
    // The old rarity that is deleted first is counted as the other old one, which is deleted next.
    let counted = replace(json!([rarity("mythic_rare", 40), rarity("primal_rare", 50)])).await;
    assert_eq!(counted, [("mythic_rare".to_owned(), 4)]);

    for (list, quantity) in [("wants", 4), ("haves", 1)] {
        let list = app.get(&format!("/v1/me/{list}")).by(&ada).answer().await.expect(200);
        assert_eq!(list["items"][0]["quantity"], quantity, "{list:#}");
        assert!(list["items"][0].get("rarity").is_none(), "{list:#}");
    }
    let reservation = reserved(&app, &ada, &deck).await;
    let reserved = printings(&reservation["cards"][0]);
    assert_eq!(reserved, [("mythic_rare".to_owned(), 2)], "{reservation:#}");
}

#[tokio::test]
async fn a_token_that_cannot_see_hidden_cards_does_not_release_them() {
    let app = super::app().await;
    let ada = app.player("ada").await;
    own(&app, &ada, "common", 2).await;
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;
    let deck = stored(&app, &ada, "one", "1 Kettle Imp\n1 Drowned Lantern").await;
    assert_eq!(reserve(&app, &ada, &deck).await["reserved"], 2);

    let token = json!({ "name": "t", "scopes": ["decks:read", "decks:write", "collection:read"] });
    let token = app.post("/v1/tokens").by(&ada).json(&token).answer().await.expect(201);
    let path = format!("{deck}/reservation");
    let deck_reservation =
        app.put(&path).bearer_auth(text(&token, "secret")).answer().await.expect(200);
    assert_eq!(deck_reservation["reserved"], 1, "{deck_reservation}");
    assert!(!deck_reservation.to_string().contains("\"reserved\":2"), "{deck_reservation}");
    assert_eq!(
        reserved(&app, &ada, &deck).await["reserved"],
        2,
        "cards that the token does not see stay reserved"
    );

    // A session that sees the hidden cards releases those that the deck no longer names.
    change(&app, &ada, &deck, "2 Kettle Imp").await;
    let deck_reservation = reserve(&app, &ada, &deck).await;
    assert_eq!(
        (&deck_reservation["reserved"], deck_reservation["cards"].as_array().unwrap().len()),
        (&json!(2), 1)
    );
}

#[tokio::test]
async fn a_reservation_that_ends_during_a_merge_does_not_move() {
    let app = TestApp::start().await;
    app.import_set("base", 2, false).await;
    let ada = app.player("ada").await;
    let first = printing(&app, None, "base", "001", "rare").await;
    let second = printing(&app, None, "base", "002", "rare").await;
    for id in [&first, &second] {
        let count = app.put(&format!("/v1/collection/{id}")).by(&ada);
        count.json(&json!({ "quantity": 1 })).answer().await.expect(200);
    }
    let entry = json!([{ "name": card_name("base", "001"), "quantity": 1 }]);
    let body = json!({ "name": "one", "format": "ttcg/standard", "entries": entry });
    let path = super::stored_as(&app, &ada, &body).await;
    let reservation = format!("{path}/reservation");
    for end in
        [app.delete(&reservation).by(&ada), app.delete(&path).by(&ada).header("if-match", "*")]
    {
        assert_eq!(reserve(&app, &ada, &path).await["reserved"], 1);
        let merge = format!("SELECT counts_become('{first}', '{second}')");
        send_during(&app, &merge, end.answer()).await.expect(204);
        assert_eq!(app.db().number("SELECT count(*) FROM deck_reservations").await, 0);
        // The next round needs a copy of the first printing again.
        let count = app.put(&format!("/v1/collection/{first}")).by(&ada);
        count.json(&json!({ "quantity": 1 })).answer().await.expect(200);
    }
}

/// Before, each card listed the decks that have reserved copies of any card, and decks with earlier reservations seemed to have none.
#[tokio::test]
async fn each_card_lists_twenty_decks_and_those_with_reserved_copies_of_it() {
    let app = super::app().await;
    let ada = app.player("ada").await;
    own(&app, &ada, "common", 22).await;
    let path = stored(&app, &ada, "last", "1 Kettle Imp\n1 Pocket Bat").await;
    for number in 0..22 {
        let other = stored(&app, &ada, &number.to_string(), "1 Kettle Imp\n1 Pocket Bat").await;
        reserve(&app, &ada, &other).await;
    }
    let seen = app.get(&format!("{path}/availability")).by(&ada).answer().await.expect(200);
    let reserved_by = |card: &Value| -> Vec<u64> {
        let decks = card["other_decks"].as_array().unwrap().iter();
        decks.map(|deck| deck["reserved"].as_u64().unwrap()).collect()
    };
    let (imp, bat) = (&seen["cards"][0], &seen["cards"][1]);
    assert_eq!(reserved_by(imp), [1; 22], "{imp:#}");
    assert_eq!(json!(members(imp, ["reserved_elsewhere", "other_decks_left_out"])), json!([22, 0]));
    assert_eq!(reserved_by(bat), [0; 20], "{bat:#}");
    assert_eq!(bat["other_decks_left_out"], 2);
}
