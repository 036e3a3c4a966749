//! Lists of wants and haves, which a player may make public, and the trade matches between lists.

use cardscape::store::copies::trade_lists;
use cardscape::store::db::backlog::UNTIL_DONE;
use serde_json::{Value, json};

use crate::collection::counts::{printing, send_during};
use crate::support::{Answer, Player, RequestExt as _, TestApp};

async fn put(app: &TestApp, by: &Player, list: &str, if_match: &str, body: &Value) -> Answer {
    app.put(&format!("/v1/me/{list}")).by(by).header("if-match", if_match).json(body).answer().await
}

/// Replaces a list by cards of the set `base`.
async fn replace_list(
    app: &TestApp,
    by: &Player,
    list: &str,
    visibility: &str,
    items: &[(&str, Option<&str>)],
) {
    let item = |(number, rarity): &(&str, Option<&str>)| match rarity {
        Some(rarity) => {
            json!({ "game": "ttcg", "set": "base", "number": number, "rarity": rarity })
        }
        None => json!({ "game": "ttcg", "set": "base", "number": number }),
    };
    let items: Vec<Value> = items.iter().map(item).collect();
    put(app, by, list, "*", &json!({ "visibility": visibility, "items": items })).await.expect(200);
}

#[tokio::test]
async fn a_list_is_written_read_and_shown() {
    let app = TestApp::start().await;
    app.import_set("base", 4, false).await;
    let (ada, ben) = (app.player("Ada.L").await, app.player("ben").await);
    let first = app.get("/v1/me/wants").by(&ada).answer().await;
    assert_eq!(first.header("etag"), "\"r0\"");
    assert_eq!(first.expect(200), json!({ "visibility": "private", "items": [] }));
    let rare = printing(&app, None, "base", "002", "rare").await;
    let body = json!({ "items": [
        { "game": "ttcg", "name": "the base card numbered 001", "quantity": 3 },
        { "printing": rare },
        { "game": "ttcg", "set": "base", "number": "003", "rarity": "common" },
    ]});
    app.put("/v1/me/wants")
        .by(&ada)
        .json(&body)
        .answer()
        .await
        .problem(428, "precondition_required");
    put(&app, &ada, "wants", "\"r1\"", &body).await.problem(412, "precondition_failed");
    let written = put(&app, &ada, "wants", "\"r0\"", &body).await;
    assert_eq!(written.header("etag"), "\"r1\"");
    let written = written.expect(200);
    let items = written["items"].as_array().unwrap();
    assert_eq!(
        (items.len(), &items[0]["quantity"], &items[1]["quantity"]),
        (3, &json!(3), &json!(1))
    );
    assert!(items[0].get("rarity").is_none(), "any rarity");
    assert_eq!((&items[1]["rarity"], &items[1]["printing"]), (&json!("rare"), &json!(rare)));
    assert_eq!(items[2]["rarity"], "common");
    assert_eq!(app.get("/v1/me/wants").by(&ada).answer().await.expect(200), written);
    put(&app, &ada, "wants", "\"r0\"", &body).await.problem(412, "precondition_failed");

    // A private list, an absent list and a list of an unknown player get the same answer.
    for path in ["/v1/players/ada.l/wants", "/v1/players/ada.l/haves", "/v1/players/nobody/wants"] {
        app.get(path).answer().await.problem(404, "not_found");
        app.get(path).by(&ben).answer().await.problem(404, "not_found");
        app.get(path).by(&ada).answer().await.problem(404, "not_found");
    }
    let mut public = body.clone();
    public["visibility"] = json!("public");
    put(&app, &ada, "wants", "\"r1\"", &public).await.expect(200);
    let shown = app.get("/v1/players/ada%20l/wants").answer().await;
    let tag = shown.header("etag");
    let shown = shown.expect(200);
    assert_eq!((&shown["player"], &shown["items"]), (&json!("Ada.L"), &written["items"]));
    let known = app.get("/v1/players/ada.l/wants").header("if-none-match", tag).answer().await;
    assert_eq!(known.status, 304);
    app.get("/v1/players/ada.l/haves").answer().await.problem(404, "not_found");
    // The lists of a banned player are not shown.
    app.sql("UPDATE accounts SET banned_at = '2026-11-21' WHERE name = 'Ada.L'").await;
    app.get("/v1/players/ada.l/wants").answer().await.problem(404, "not_found");
}

#[tokio::test]
async fn invalid_items_of_a_list_are_reported_item_by_item() {
    let app = TestApp::start().await;
    app.import_set("base", 2, false).await;
    let ada = app.player("ada").await;
    let some = "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";
    let place = |number: &str| json!({ "game": "ttcg", "set": "base", "number": number });
    let faults = async |items: Value| {
        let answer = put(&app, &ada, "haves", "*", &json!({ "items": items })).await;
        let problem = answer.problem(422, "invalid_body");
        let faults = problem["errors"].as_array().unwrap().iter();
        faults.map(|fault| fault["pointer"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let items = json!([place("001"), place("009"), { "printing": some }, { "card": some }, { "game": "ttcg", "name": "No" },
        { "game": "ttcg", "set": "base", "number": "002", "rarity": "golden" }, { "card": some, "rarity": "rare" }, place("001")]);
    let places =
        ["/items/1", "/items/2", "/items/3", "/items/4", "/items/5", "/items/6", "/items/7"];
    assert_eq!(faults(items).await, places);
    let items = json!([{}, { "printing": some, "rarity": "rare" }, { "card": some, "quantity": 0 }, { "card": "x" },
        { "game": "ttcg", "set": "base" }]);
    assert_eq!(
        faults(items).await,
        ["/items/0", "/items/1", "/items/2/quantity", "/items/3/card", "/items/4"]
    );
    assert_eq!(faults(json!(vec![place("001"); 2001])).await, ["/items"]);
    let answer = put(&app, &ada, "haves", "*", &json!({ "items": [{}] })).await;
    let problem = answer.problem(422, "invalid_body");
    let forms = "must have exactly printing; or card; or game, set and number; or game, name and perhaps set";
    assert_eq!(problem["errors"][0]["detail"], forms);
    let body = json!({ "items": [{ "card": 7 }], "visibility": "all", "v": 1 });
    let problem = put(&app, &ada, "haves", "*", &body).await.problem(422, "invalid_body");
    let errors = problem["errors"].to_string();
    assert!(
        ["/items/0/card", "/visibility", "/v\""].iter().all(|at| errors.contains(at)),
        "{errors}"
    );
    let body = json!({ "visibility": "friends", "items": [] });
    put(&app, &ada, "haves", "*", &body).await.problem(422, "invalid_body");
    assert_eq!(app.db().value("SELECT count(*) FROM trade_lists").await, "0");
    // Leading zeros of a number are ignored.
    let items = json!({ "items": [place("2")] });
    let list = put(&app, &ada, "haves", "*", &items).await.expect(200);
    assert_eq!(list["items"][0]["card"]["number"], "002");
    // So is the case of codes.
    let items = json!([
        { "game": "TTCG", "set": "BASE", "number": "002", "rarity": "Common" },
        { "game": "Ttcg", "set": "Base", "name": "The base card, numbered 001!" },
    ]);
    let list = put(&app, &ada, "haves", "*", &json!({ "items": items })).await.expect(200);
    assert_eq!(list["items"][0]["rarity"], "common");
    assert_eq!(list["items"][1]["card"]["number"], "001");
}

#[tokio::test]
async fn hidden_cards_on_a_public_list_show_only_their_place() {
    let app = TestApp::start().await;
    app.import_set("dark", 2, true).await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    app.give_copy(&ada.id, "ttcg", "dark", "001").await;
    let place = |number: &str| json!({ "game": "ttcg", "set": "dark", "number": number });
    let with_rarity = |rarity: &str| {
        let mut item = place("001");
        item["rarity"] = json!(rarity);
        item
    };
    let haves = json!({ "visibility": "public", "items": [with_rarity("common"), with_rarity("rare"), place("002")] });
    let own = put(&app, &ada, "haves", "*", &haves).await.expect(200);
    assert_eq!(
        (&own["items"][0]["rarity"], &own["items"][1]["rarity"]),
        (&json!("common"), &json!("rare"))
    );
    assert!(own["items"][0]["card"]["name"].is_string());
    for by in [None, Some(&ben)] {
        let request = app.get("/v1/players/ada/haves");
        let request = if let Some(player) = by { request.by(player) } else { request };
        let shown = request.answer().await.expect(200);
        let items = shown["items"].as_array().unwrap();
        assert_eq!((items.len(), &items[0]["quantity"]), (2, &json!(2)), "one line for each card");
        for item in items {
            let fields: Vec<&String> = item.as_object().unwrap().keys().collect();
            assert_eq!(fields, ["card", "quantity"], "{item}");
            let fields: Vec<&String> = item["card"].as_object().unwrap().keys().collect();
            assert_eq!(fields, ["game", "hidden", "href", "id", "number", "set"]);
        }
    }
    // A player who does not see the card can want it by its place, but cannot guess its rarities or its name.
    let rare = own["items"][1]["printing"].as_str().unwrap();
    for guess in [
        with_rarity("rare"),
        json!({ "printing": rare }),
        json!({ "game": "ttcg", "name": "The dark card, numbered 001!" }),
    ] {
        put(&app, &ben, "wants", "*", &json!({ "items": [guess] }))
            .await
            .problem(422, "invalid_body");
    }
    put(&app, &ben, "wants", "*", &json!({ "items": [place("001")] })).await.expect(200);
    let found = app.get("/v1/trade-matches").by(&ben).answer().await.expect(200);
    assert_eq!(
        found["data"],
        json!([{ "player": "ada", "they_have": 1, "they_want": 0, "mutual": false }])
    );

    // An item may stay on the list of ada when ada no longer sees the card.
    app.sql("UPDATE copies SET voided_at = '2026-12-01T00:00:00Z'").await;
    let list = app.get("/v1/me/haves").by(&ada).answer().await.expect(200);
    assert!(
        list["items"][1].get("rarity").is_none() && list["items"][1]["card"].get("name").is_none()
    );
    let again = json!({ "items": [{ "printing": list["items"][1]["printing"] }] });
    assert_eq!(
        put(&app, &ada, "haves", "*", &again).await.expect(200)["items"].as_array().unwrap().len(),
        1
    );
}

#[tokio::test]
async fn trade_matches_list_players_with_matching_public_lists() {
    let app = TestApp::start().await;
    app.import_set("base", 6, false).await;
    let ada = app.player("ada").await;
    replace_list(
        &app,
        &ada,
        "wants",
        "private",
        &[("001", None), ("002", Some("rare")), ("003", None)],
    )
    .await;
    replace_list(&app, &ada, "haves", "private", &[("004", Some("common")), ("005", None)]).await;
    let matches = async |query: &str| {
        let path = format!("/v1/trade-matches?{query}");
        app.get(&path).by(&ada).answer().await.expect(200)
    };
    assert_eq!(
        matches("").await,
        json!({ "data": [] }),
        "no other player has a list, and ada does not match her own list"
    );

    let mut players = Vec::new();
    for name in ["both", "gives", "takes", "secret", "other rarity", "banned", "closed"] {
        players.push(app.player(name).await);
    }
    let all = [("001", None), ("002", Some("rare")), ("003", Some("common"))];
    // The mutual match is first, although "gives" has more cards.
    replace_list(
        &app,
        &players[0],
        "haves",
        "public",
        &[("001", Some("rare")), ("001", Some("common"))],
    )
    .await;
    replace_list(&app, &players[0], "wants", "public", &[("004", None)]).await;
    replace_list(&app, &players[1], "haves", "public", &all).await;
    replace_list(&app, &players[1], "wants", "private", &[("004", None)]).await;
    replace_list(
        &app,
        &players[2],
        "wants",
        "public",
        &[("005", Some("primal_rare")), ("006", None)],
    )
    .await;
    replace_list(&app, &players[3], "haves", "private", &all).await;
    replace_list(&app, &players[3], "wants", "private", &[("004", None)]).await;
    replace_list(&app, &players[4], "haves", "public", &[("002", Some("common"))]).await;
    replace_list(&app, &players[4], "wants", "public", &[("004", Some("rare"))]).await;
    replace_list(&app, &players[5], "haves", "public", &all).await;
    app.sql("UPDATE accounts SET banned_at = '2026-11-21' WHERE name = 'banned'").await;
    // This player takes no offers.
    replace_list(&app, &players[6], "haves", "public", &all).await;
    app.set_trading(&players[6], "closed").await;

    let found = matches("").await;
    let expected = json!([
        { "player": "both", "they_have": 1, "they_want": 1, "mutual": true },
        { "player": "gives", "they_have": 3, "they_want": 0, "mutual": false },
        { "player": "takes", "they_have": 0, "they_want": 1, "mutual": false },
    ]);
    assert_eq!(found["data"], expected);
    let (mut paged, mut path) = (Vec::new(), "limit=1".to_owned());
    loop {
        let page = matches(&path).await;
        paged.extend(page["data"].as_array().unwrap().clone());
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("limit=1&cursor={cursor}");
    }
    assert_eq!(json!(paged), expected);
    let nowhere = app.get("/v1/trade-matches?game=emoji-tcg").by(&ada).answer().await;
    nowhere.problem(400, "invalid_query");
    app.seed(&["emoji-tcg"]).await;
    assert_eq!(matches("game=emoji-tcg").await["data"], json!([]));
    // In the other direction, players find ada only after ada has made a list public.
    let theirs = app.get("/v1/trade-matches").by(&players[0]).answer().await.expect(200);
    assert_eq!(theirs["data"], json!([]));
    replace_list(&app, &ada, "wants", "public", &[("001", None)]).await;
    let theirs = app.get("/v1/trade-matches").by(&players[0]).answer().await.expect(200);
    assert_eq!(
        theirs["data"],
        json!([{ "player": "ada", "they_have": 0, "they_want": 2, "mutual": false }])
    );
}

#[tokio::test]
async fn a_list_that_a_merge_changes_meanwhile_is_not_overwritten() {
    let app = TestApp::start().await;
    app.import_set("base", 2, false).await;
    let ada = app.player("ada").await;
    replace_list(&app, &ada, "wants", "private", &[("001", None)]).await;
    let body = json!({ "items": [{ "game": "ttcg", "set": "base", "number": "002" }] });
    let merge = "UPDATE trade_lists SET revision = revision + 1";
    let late = send_during(&app, merge, put(&app, &ada, "wants", "\"r1\"", &body)).await;
    late.problem(412, "precondition_failed");
    let list = app.get("/v1/me/wants").by(&ada).answer().await;
    assert_eq!(list.header("etag"), "\"r2\"");
    assert_eq!(list.expect(200)["items"][0]["card"]["number"], "001");
}

#[tokio::test]
async fn cards_and_printings_that_go_meanwhile_are_reported_item_by_item() {
    let app = TestApp::start().await;
    app.import_set("base", 2, false).await;
    let ada = app.player("ada").await;
    let rare = printing(&app, None, "base", "001", "rare").await;
    let cards = app.get("/v1/cards?set=base").answer().await.expect(200)["data"].clone();
    let card = cards[1]["id"].as_str().unwrap();
    for (item, statement) in [
        (json!({ "printing": rare }), format!("DELETE FROM printings WHERE id = '{rare}'")),
        (json!({ "card": card }), format!("DELETE FROM cards WHERE id = '{card}'")),
    ] {
        let body = json!({ "items": [item] });
        let answer = send_during(&app, &statement, put(&app, &ada, "haves", "*", &body)).await;
        let problem = answer.problem(422, "invalid_body");
        assert_eq!(problem["errors"][0]["pointer"], "/items/0");
    }
}

#[tokio::test]
async fn a_list_that_becomes_private_while_it_is_read_is_not_shown() {
    let app = TestApp::start().await;
    app.import_set("base", 2, false).await;
    let ada = app.player("ada").await;
    replace_list(&app, &ada, "wants", "public", &[("001", None)]).await;
    let shown = async |change: &str| {
        // The reader finds the list as it was, and has to wait for its items.
        let change = format!("LOCK TABLE trade_list_items; {change}");
        send_during(&app, &change, app.get("/v1/players/ada/wants").answer()).await
    };
    let change = "UPDATE trade_lists SET updated_at = '2030-01-01', revision = revision + 1; \
                  UPDATE trade_list_items SET quantity = 7";
    let list = shown(change).await.expect(200);
    assert_eq!(list["items"][0]["quantity"], 7);
    assert!(list["updated_at"].as_str().unwrap().starts_with("2030-01-01"), "{list}");
    let change = "UPDATE trade_lists SET visibility = 'private', revision = revision + 1; \
                  UPDATE trade_list_items SET quantity = 8";
    shown(change).await.problem(404, "not_found");
}

/// Items have the visibility of their list, so that trade matches need not read the items of private lists. A program that does not know that writes items
/// without it; then the list counts, until housekeeping fills it in.
#[tokio::test]
async fn items_have_the_visibility_of_their_list() {
    let app = TestApp::start().await;
    app.import_set("base", 3, false).await;
    let (ada, ben, admin) = (app.player("ada").await, app.player("ben").await, app.admin().await);
    let require_same = async |when: &str| {
        let others = "SELECT count(*) FROM trade_list_items i JOIN trade_lists l USING (account_id, kind) \
                      WHERE i.public IS DISTINCT FROM (l.visibility = 'public')";
        assert_eq!(app.db().number(others).await, 0, "{when}");
    };
    let matches = async || {
        let found = app.get("/v1/trade-matches").by(&ben).answer().await.expect(200);
        found["data"].clone()
    };
    replace_list(&app, &ben, "wants", "private", &[("002", None)]).await;
    replace_list(&app, &ben, "haves", "private", &[("003", None)]).await;
    replace_list(&app, &ada, "haves", "public", &[("001", None), ("002", None)]).await;
    require_same("public").await;
    replace_list(&app, &ada, "haves", "private", &[("001", None), ("002", None)]).await;
    replace_list(&app, &ada, "wants", "public", &[("001", None)]).await;
    require_same("private and public").await;

    let cards = app.get("/v1/cards?set=base").answer().await.expect(200)["data"].clone();
    let path = format!("/v1/cards/{}/merge", cards[0]["id"].as_str().unwrap());
    let merge = app.post(&path).by(&admin).json(&json!({ "into": cards[2]["id"] }));
    merge.answer().await.expect(201);
    require_same("merged").await;
    let expected = json!([{ "player": "ada", "they_have": 0, "they_want": 1, "mutual": false }]);
    assert_eq!(matches().await, expected);

    app.sql("UPDATE trade_list_items SET public = NULL").await;
    assert_eq!(matches().await, expected, "the list counts");
    assert_eq!(trade_lists::fill_in(app.store(), UNTIL_DONE).await.unwrap(), 5);
    assert_eq!(trade_lists::fill_in(app.store(), UNTIL_DONE).await.unwrap(), 0);
    require_same("filled in").await;
    assert_eq!(matches().await, expected);
    app.sql("UPDATE trade_list_items SET public = false").await;
    assert_eq!(matches().await, json!([]), "items of private lists are not read");
}
