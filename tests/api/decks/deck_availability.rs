//! Which cards of a deck a player has.

use serde_json::{Value, json};

use crate::collection::counts::printing;
use crate::support::{Player, RequestExt as _, TestApp, edit_set, seed_data};

async fn stored(app: &TestApp, owner: &Player, name: &str, list: &str) -> String {
    let body =
        json!({ "name": name, "format": "ttcg/standard", "visibility": "public", "list": list });
    app.post("/v1/decks").by(owner).json(&body).answer().await.header("location")
}

fn numbers(card: &Value) -> Vec<u64> {
    let members = [
        "needed",
        "owned",
        "in_named_printing",
        "in_other_printing",
        "missing",
        "missing_with_other_decks",
    ];
    members.map(|member| card[member].as_u64().unwrap()).to_vec()
}

#[tokio::test]
async fn availability_counts_owned_cards_by_printing_and_considers_other_decks() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    // Ada owns two counted cards and one registered copy.
    let common = printing(&app, None, "hearth", "016", "common").await;
    let count = app.put(&format!("/v1/collection/{common}")).by(&ada);
    count.json(&json!({ "quantity": 2, "condition": "near_mint" })).answer().await.expect(200);
    app.give_copy(&ada.id, "ttcg", "hearth", "016").await;
    let path = stored(
        &app,
        &ada,
        "one",
        "3 Kettle Imp (hearth) 016 {rare}\n1 kettle imp\n1 Nobody's Card\n1 Pocket Bat",
    )
    .await;
    stored(&app, &ada, "two", "2 Kettle Imp\n1 Pocket Bat").await;
    stored(&app, &eve, "hers", "4 Kettle Imp").await;

    let availability = app.get(&format!("{path}/availability")).by(&ada).answer().await.expect(200);
    let imp = &availability["cards"][0];
    assert_eq!(
        (imp["needed"].as_u64(), imp["owned"].as_u64()),
        (Some(4), Some(3)),
        "{availability:#}"
    );
    // The two counted cards are not rare, and the registered copy may have any rarity. One Kettle Imp of the deck names no printing.
    let rare = "SELECT count(*) FROM copies c JOIN printings p ON p.id = c.printing_id WHERE p.rarity = 'rare'";
    let named = 1 + app.db().value(rare).await.parse::<u64>().unwrap();
    assert_eq!(
        (&imp["in_named_printing"], &imp["in_other_printing"]),
        (&json!(named), &json!(3 - named)),
        "{imp:#}"
    );
    assert_eq!((&imp["missing"], &imp["missing_with_other_decks"]), (&json!(1), &json!(3)));
    assert_eq!(imp["other_decks"].as_array().unwrap().len(), 1, "{imp:#}");
    assert_eq!(
        (&imp["other_decks"][0]["name"], &imp["other_decks"][0]["quantity"]),
        (&json!("two"), &json!(2))
    );
    assert_eq!(numbers(&availability["cards"][1]), [1, 0, 0, 0, 1, 1]);
    assert_eq!(availability["cards"][1].get("card_id"), None);
    assert_eq!(numbers(&availability["cards"][2]), [1, 0, 0, 0, 1, 2]);
    assert_eq!(
        (
            &availability["buildable"],
            &availability["missing"],
            &availability["missing_with_other_decks"]
        ),
        (&json!(false), &json!(3), &json!(6))
    );

    // The answer to another reader counts the cards of that reader.
    let hers = app.get(&format!("{path}/availability")).by(&eve).answer().await.expect(200);
    assert_eq!(
        (&hers["cards"][0]["owned"], &hers["cards"][0]["other_decks"][0]["name"]),
        (&json!(0), &json!("hers"))
    );
    app.get(&format!("{path}/availability")).answer().await.problem(401, "unauthenticated");

    // A token without the scope decks:read gets no information about other decks.
    let token = json!({ "name": "t", "scopes": ["collection:read"] });
    let token = app.post("/v1/tokens").by(&ada).json(&token).answer().await.expect(201);
    let seen =
        app.get(&format!("{path}/availability")).bearer_auth(token["secret"].as_str().unwrap());
    assert_eq!(seen.answer().await.expect(200)["cards"][0]["other_decks"], json!([]));
}

#[tokio::test]
async fn own_private_decks_need_a_token_that_reads_decks() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let body = json!({ "name": "n", "format": "ttcg/standard", "visibility": "private", "list": "3 Kettle Imp" });
    let path = app.post("/v1/decks").by(&ada).json(&body).answer().await.header("location");
    for (scopes, status) in
        [(json!(["collection:read"]), 404), (json!(["collection:read", "decks:read"]), 200)]
    {
        let token = json!({ "name": "t", "scopes": scopes });
        let token = app.post("/v1/tokens").by(&ada).json(&token).answer().await.expect(201);
        for part in ["availability", "pick-list"] {
            let found = app.get(&format!("{path}/{part}"));
            let found = found.bearer_auth(token["secret"].as_str().unwrap()).answer().await;
            assert_eq!(found.status, status, "{part} {scopes}");
        }
    }
}

/// Two entries can name different parts of one printing. Each gets the copies that only it can use, in any order of the entries.
#[tokio::test]
async fn the_order_of_entries_does_not_change_the_named_printings() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    for rarity in ["common", "rare"] {
        let printing = printing(&app, None, "hearth", "016", rarity).await;
        let count = app.put(&format!("/v1/collection/{printing}")).by(&ada);
        count.json(&json!({ "quantity": 2 })).answer().await.expect(200);
    }
    let entries = [
        json!({ "quantity": 2, "name": "Kettle Imp", "set": "hearth" }),
        json!({ "quantity": 2, "name": "Kettle Imp", "rarity": "common" }),
    ];
    for (first, second) in [(0, 1), (1, 0)] {
        let entries = [&entries[first], &entries[second]];
        let body = json!({ "name": "n", "format": "ttcg/standard", "entries": entries });
        let path = app.post("/v1/decks").by(&ada).json(&body).answer().await.header("location");
        let found = app.get(&format!("{path}/availability")).by(&ada).answer().await.expect(200);
        assert_eq!(numbers(&found["cards"][0])[..5], [4, 4, 4, 0, 0], "{found:#}");
        let picks = app.get(&format!("{path}/pick-list")).by(&ada).answer().await.expect(200);
        let taken = |at: usize| {
            let take = picks["entries"][at]["take"].as_array().unwrap();
            assert_eq!(take.len(), 1, "{picks:#}");
            json!([take[0]["rarity"], take[0]["quantity"], take[0]["is_named"]])
        };
        assert_eq!(taken(first), json!(["rare", 2, true]), "{picks:#}");
        assert_eq!(taken(second), json!(["common", 2, true]), "{picks:#}");
    }
}

#[tokio::test]
async fn a_deck_of_owned_cards_can_be_built() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;
    let path = stored(&app, &ada, "one", "1 Drowned Lantern").await;
    let availability = app.get(&format!("{path}/availability")).by(&ada).answer().await.expect(200);
    assert_eq!(
        (&availability["buildable"], numbers(&availability["cards"][0])),
        (&json!(true), vec![1, 1, 1, 0, 0, 0])
    );
    let eve = app.player("eve").await;
    let seen = app.get(&format!("{path}/availability")).by(&eve).answer().await;
    assert!(!seen.text().contains("Drowned"), "{}", seen.text());
    assert_eq!(seen.expect(200)["buildable"], false);
}

/// Cards of one name are one line of the answer, so a deck that holds two of them is one deck.
#[tokio::test]
async fn a_deck_with_two_cards_of_one_name_is_listed_and_counted_once() {
    let app = TestApp::start().await;
    let mut source = seed_data("ttcg");
    source.manifest.text =
        source.manifest.text.replacen("[cards]", "[cards]\nunique_names = false", 1);
    edit_set(&mut source, "hearth", |set| set["cards"][8]["name"] = "Kettle Imp".into());
    app.import(&source).await.unwrap();
    let ada = app.player("ada").await;
    let both = "2 Kettle Imp (hearth) 009\n1 Kettle Imp (hearth) 016";
    let path = stored(&app, &ada, "one", both).await;
    stored(&app, &ada, "two", both).await;
    let found = app.get(&format!("{path}/availability")).by(&ada).answer().await.expect(200);
    let card = &found["cards"][0];
    let others = card["other_decks"].as_array().unwrap();
    assert_eq!(others.len(), 1, "{card:#}");
    assert_eq!(
        (&others[0]["name"], &others[0]["quantity"], &card["other_decks_left_out"]),
        (&json!("two"), &json!(3), &json!(0)),
        "{card:#}"
    );
    assert_eq!(card["missing_with_other_decks"], 6);
}

/// Before, such an entry was bound to its card, but the card counted as missing.
#[tokio::test]
async fn a_name_in_two_parts_means_the_copies_of_the_whole_name() {
    let app = TestApp::start().await;
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "hearth", |set| set["cards"][15]["name"] = "Kettle Imp (Winter)".into());
    app.import(&source).await.unwrap();
    let ada = app.player("ada").await;
    let common = printing(&app, None, "hearth", "016", "common").await;
    let count = app.put(&format!("/v1/collection/{common}")).by(&ada);
    count.json(&json!({ "quantity": 1 })).answer().await.expect(200);
    let entries = json!([{ "quantity": 1, "name": "Kettle Imp", "set": "Winter" }]);
    let body = json!({ "name": "n", "format": "ttcg/standard", "entries": entries });
    let path = app.post("/v1/decks").by(&ada).json(&body).answer().await.header("location");
    let found = app.get(&format!("{path}/availability")).by(&ada).answer().await.expect(200);
    let card = &found["cards"][0];
    assert_eq!(
        (&card["name"], numbers(card)),
        (&json!("Kettle Imp (Winter)"), vec![1, 1, 1, 0, 0, 0])
    );
    let picks = app.get(&format!("{path}/pick-list")).by(&ada).answer().await.expect(200);
    assert_eq!(picks["buildable"], true, "{picks:#}");
    let reserved = app.put(&format!("{path}/reservation")).by(&ada).answer().await.expect(200);
    assert_eq!(reserved["reserved"], 1, "{reserved:#}");
    let deck = app.get(&path).by(&ada).answer().await.expect(200);
    assert_eq!(deck["entries"][0]["name"], "Kettle Imp", "the deck stays as it was written");
}
