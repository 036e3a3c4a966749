//! The effect of a trade on the decks of its two players.

use serde_json::{Value, json};

use crate::support::{PaperCard, Player, RequestExt as _, TestApp, card_name, text};

/// A service with a printed set.
async fn printed(hidden: bool) -> (TestApp, Vec<PaperCard>) {
    let app = TestApp::start().await;
    app.import_set("dusk", 4, hidden).await;
    let cards = app.print("dusk", 10).await;
    (app, cards)
}

/// Registers the next printed card with a number.
async fn register(app: &TestApp, by: &Player, cards: &mut Vec<PaperCard>, number: &str) -> String {
    let at = cards.iter().position(|card| card.number == number).unwrap();
    app.register(by, &cards.remove(at)).await
}

/// Stores a deck with a quantity of each card number, and returns its path.
async fn stored(app: &TestApp, owner: &Player, name: &str, cards: &[(&str, u32)]) -> String {
    let entries: Vec<Value> = cards
        .iter()
        .map(
            |(number, quantity)| json!({ "name": card_name("dusk", number), "quantity": quantity }),
        )
        .collect();
    let body = json!({ "name": name, "format": "ttcg/standard", "entries": entries });
    super::stored_as(app, owner, &body).await
}

pub(super) async fn trade_decks(app: &TestApp, by: &Player, trade: &str) -> Value {
    app.get(&format!("/v1/trades/{trade}/decks")).by(by).answer().await.expect(200)
}

/// The name, the missing cards and the gaps of a deck, to compare them.
pub(super) fn summary(deck: &Value) -> Value {
    let gaps = |member: &str| -> Vec<Value> {
        let gaps = deck[member].as_array().unwrap().iter();
        gaps.map(|gap| json!([gap["name"], gap["copies"], gap["reserved"]])).collect()
    };
    json!([deck["name"], deck["missing_now"], deck["missing_after"], gaps("closes"), gaps("opens")])
}

#[tokio::test]
async fn a_trade_closes_gaps_and_opens_others() {
    let (app, mut cards) = printed(false).await;
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    app.set_trading(&ben, "public").await;
    register(&app, &ada, &mut cards, "001").await;
    let given = register(&app, &ada, &mut cards, "002").await;
    let wanted = register(&app, &ben, &mut cards, "001").await;
    stored(&app, &ada, "wants", &[("001", 2), ("003", 1)]).await;
    let needs = stored(&app, &ada, "needs", &[("002", 1)]).await;
    stored(&app, &ada, "other", &[("003", 4)]).await;
    app.put(&format!("{needs}/reservation")).by(&ada).answer().await.expect(200);
    stored(&app, &ben, "his", &[("002", 2), ("001", 1)]).await;

    let offer = app.offer(&ada, &ben, &[&given], &[&wanted]).await.expect(201);
    let trade = text(&offer, "id");
    let hers = trade_decks(&app, &ada, &trade).await;
    assert_eq!(
        json!([
            hers["state"],
            hers["possible"],
            hers["decks_left_out"],
            hers["decks_not_compared"]
        ]),
        json!(["open", true, 0, 0])
    );
    let (one, two) = (card_name("dusk", "001"), card_name("dusk", "002"));
    let decks: Vec<Value> = hers["decks"].as_array().unwrap().iter().map(summary).collect();
    assert_eq!(
        json!(decks),
        json!([["wants", 2, 1, [[one, 1, null]], []], ["needs", 0, 1, [], [[two, 1, 1]]],])
    );
    // The other player gets only his own decks.
    let his = trade_decks(&app, &ben, &trade).await;
    let decks: Vec<Value> = his["decks"].as_array().unwrap().iter().map(summary).collect();
    assert_eq!(json!(decks), json!([["his", 2, 2, [[two, 1, null]], [[one, 1, 0]]]]));
    app.get(&format!("/v1/trades/{trade}/decks")).by(&cem).answer().await.problem(404, "not_found");
    let path = format!("/v1/trades/{trade}/decks");
    app.get(&path).answer().await.problem(401, "unauthenticated");
    for scopes in [json!(["trades:read", "decks:read"]), json!(["trades:read", "collection:read"])]
    {
        let body = json!({ "name": "t", "scopes": scopes });
        let token = app.post("/v1/tokens").by(&ada).json(&body).answer().await.expect(201);
        let answer = app.get(&path).bearer_auth(text(&token, "secret")).answer().await;
        answer.problem(403, "scope_missing");
    }

    // A trade with a frozen copy affects no decks, and neither does an accepted trade.
    let moderator = app.moderator().await;
    app.moderate(&moderator, &given, "freeze").await.expect(200);
    let frozen = trade_decks(&app, &ada, &trade).await;
    assert_eq!(json!([frozen["possible"], frozen["decks"]]), json!([false, []]));
    app.moderate(&moderator, &given, "unfreeze").await.expect(200);
    app.on_trade(&ben, &trade, "accept").await.expect(200);
    let after = trade_decks(&app, &ada, &trade).await;
    assert_eq!(
        json!([after["state"], after["possible"], after["decks"]]),
        json!(["accepted", false, []])
    );
    let seen = app.get(&format!("{needs}/reservation")).by(&ada).answer().await.expect(200);
    assert_eq!(
        json!([seen["reserved"], seen["to_buy"]]),
        json!([0, 1]),
        "ada no longer owns the copy"
    );
}

#[tokio::test]
async fn a_hidden_card_in_a_trade_confirms_no_guess() {
    let (app, mut cards) = printed(true).await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    stored(&app, &ada, "guess", &[("001", 1), ("002", 1)]).await;
    let copy = register(&app, &ben, &mut cards, "001").await;
    let mine = register(&app, &ada, &mut cards, "002").await;
    app.set_trading(&ada, "public").await;
    let trade = text(&app.offer(&ben, &ada, &[&copy], &[&mine]).await.expect(201), "id");
    let hers = trade_decks(&app, &ada, &trade).await;
    // Ada sees only her own card. The hidden card that she would receive has no effect on her decks.
    assert_eq!(hers["decks"], json!([]), "the deck is not bound to a card that ada could not see");
    let body = json!({ "name": "seen", "format": "ttcg/standard", "entries": [
        { "name": card_name("dusk", "001"), "quantity": 1 }, { "name": card_name("dusk", "002"), "quantity": 1 }] });
    super::stored_as(&app, &ada, &body).await;
    let hers = trade_decks(&app, &ada, &trade).await;
    let decks: Vec<Value> = hers["decks"].as_array().unwrap().iter().map(summary).collect();
    assert_eq!(json!(decks), json!([["seen", 1, 2, [], [[card_name("dusk", "002"), 1, 0]]]]));
}
