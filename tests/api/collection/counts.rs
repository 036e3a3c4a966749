//! Counted collections: every change applies once, no count falls below zero, and hidden cards stay hidden.

use futures_util::future::{join, join_all};
use serde_json::{Value, json};

use crate::support::{Answer, Player, RequestExt as _, TestApp, edit_set, numbered_set, until};

pub(crate) const WAITING: &str = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

/// Sends a request while a transaction with these statements is open, which is committed as soon as the request waits for it.
pub(crate) async fn send_during(
    app: &TestApp,
    statements: &str,
    request: impl Future<Output = Answer>,
) -> Answer {
    let other = app.db().session().await;
    other.batch_execute(&format!("BEGIN; {statements}")).await.unwrap();
    let commit = async {
        until("the request waits", async |_| app.db().number(WAITING).await > 0).await;
        other.batch_execute("COMMIT").await.unwrap();
    };
    let (answer, ()) = join(request, commit).await;
    answer
}

/// The id of a printing, from the list of printings of its card.
pub(crate) async fn printing(
    app: &TestApp,
    by: Option<&Player>,
    set: &str,
    number: &str,
    rarity: &str,
) -> String {
    let card = format!("/v1/games/ttcg/sets/{set}/cards/{number}");
    let card = app.get(&card).answer().await.expect(200);
    let request = app.get(&format!("/v1/cards/{}/printings", card["id"].as_str().unwrap()));
    let request = if let Some(player) = by { request.by(player) } else { request };
    let printings = request.answer().await.expect(200);
    let found = printings["data"].as_array().unwrap().iter().find(|one| one["rarity"] == rarity);
    found.expect("a printing of that rarity")["id"].as_str().unwrap().to_owned()
}

pub(crate) async fn collection(app: &TestApp, by: &Player, query: &str) -> Vec<Value> {
    let page = app.get(&format!("/v1/collection?limit=200&total=true{query}")).by(by);
    let page = page.answer().await.expect(200);
    let entries = page["data"].as_array().unwrap().clone();
    assert_eq!(page["total"], entries.len(), "{query}");
    entries
}

async fn set(app: &TestApp, by: &Player, printing: &str, body: Value) -> Answer {
    app.put(&format!("/v1/collection/{printing}")).by(by).json(&body).answer().await
}

async fn change(app: &TestApp, by: &Player, changes: Value) -> Answer {
    app.post("/v1/collection/changes").by(by).json(&json!({ "changes": changes })).answer().await
}

/// All items of a list, read page by page.
async fn paged(app: &TestApp, by: &Player, list: &str) -> Vec<Value> {
    let (mut path, mut found) = (list.to_owned(), Vec::new());
    loop {
        let page = app.get(&path).by(by).answer().await.expect(200);
        found.extend(page["data"].as_array().unwrap().clone());
        let Some(cursor) = page["next_cursor"].as_str() else { return found };
        path = format!("{list}&cursor={cursor}");
    }
}

#[tokio::test]
async fn counts_are_set_listed_and_removed() {
    let app = TestApp::start().await;
    app.import_set("base", 3, false).await;
    app.import_set("more", 1, false).await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let common = printing(&app, None, "base", "001", "common").await;
    let rare = printing(&app, None, "base", "002", "rare").await;
    let other = printing(&app, None, "more", "001", "common").await;

    let entry = set(&app, &ada, &common, json!({ "quantity": 4 })).await.expect(200);
    assert_eq!((&entry["quantity"], &entry["condition"]), (&json!(4), &json!("near_mint")));
    assert_eq!(entry["card"]["name"], "The base card, numbered 001!");
    assert_eq!(entry["rarity"], "common");
    set(&app, &ada, &common, json!({ "quantity": 1, "condition": "damaged" })).await.expect(200);
    set(&app, &ada, &rare, json!({ "quantity": 9999 })).await.expect(200);
    set(&app, &ada, &other, json!({ "quantity": 2 })).await.expect(200);
    set(&app, &ben, &common, json!({ "quantity": 7 })).await.expect(200);

    let all = collection(&app, &ada, "").await;
    let seen: Vec<(&Value, &Value, &Value)> =
        all.iter().map(|one| (&one["card"]["set"], &one["condition"], &one["quantity"])).collect();
    assert_eq!(
        seen,
        [
            (&json!("base"), &json!("damaged"), &json!(1)),
            (&json!("base"), &json!("near_mint"), &json!(4)),
            (&json!("base"), &json!("near_mint"), &json!(9999)),
            (&json!("more"), &json!("near_mint"), &json!(2)),
        ]
    );
    let card = all[0]["card"]["id"].as_str().unwrap();
    app.seed(&["emoji-tcg"]).await;
    for (query, count) in [
        ("&game=emoji-tcg".to_owned(), 0),
        ("&game=ttcg".to_owned(), 4),
        ("&set=base".to_owned(), 3),
        (format!("&card={card}"), 2),
        ("&rarity=rare".to_owned(), 1),
        ("&rarity=common&set=base".to_owned(), 2),
    ] {
        assert_eq!(collection(&app, &ada, &query).await.len(), count, "{query}");
    }

    // The pages together hold the whole list.
    assert_eq!(paged(&app, &ada, "/v1/collection?limit=1").await, all);
    let common_only = collection(&app, &ada, "&rarity=common").await;
    assert_eq!(paged(&app, &ada, "/v1/collection?limit=1&rarity=common").await, common_only);

    assert_eq!(set(&app, &ada, &common, json!({ "quantity": 0 })).await.status, 204);
    assert_eq!(set(&app, &ada, &common, json!({ "quantity": 0 })).await.status, 204);
    assert_eq!(collection(&app, &ada, "").await.len(), 3);
    assert_eq!(collection(&app, &ben, "").await.len(), 1, "each account has its own collection");

    for bad in [
        json!({ "quantity": -1 }),
        json!({ "quantity": 10000 }),
        json!({ "quantity": 1, "condition": "new" }),
        json!({ "quantity": 1, "note": "x" }),
        json!({}),
    ] {
        set(&app, &ada, &common, bad).await.problem(422, "invalid_body");
    }
    let nothing = "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";
    set(&app, &ada, nothing, json!({ "quantity": 1 })).await.problem(404, "not_found");
}

#[tokio::test]
async fn changes_apply_all_or_none_and_never_fall_below_zero() {
    let app = TestApp::start().await;
    app.import_set("base", 3, false).await;
    let ada = app.player("ada").await;
    let common = printing(&app, None, "base", "001", "common").await;
    let place = |number: &str, add: i32| json!({ "game": "ttcg", "set": "base", "number": number, "rarity": "common", "add": add });
    let created = change(
        &app,
        &ada,
        json!([
            { "printing": common, "add": 2 },
            place("001", 3),
            { "name": "the BASE card, numbered 002", "rarity": "rare", "condition": "mint", "add": 1 },
        ]),
    )
    .await
    .expect(200);
    let quantities: Vec<&Value> =
        created["data"].as_array().unwrap().iter().map(|one| &one["quantity"]).collect();
    assert_eq!(quantities, [&json!(5), &json!(5), &json!(1)]);

    // One change that is out of range prevents all changes.
    let refused = change(&app, &ada, json!([place("002", 1), place("001", -6)])).await;
    let refused = refused.problem(409, "count_out_of_range");
    assert_eq!(refused["errors"][0]["pointer"], "/changes/1");
    let refused = change(&app, &ada, json!([place("001", 9999)])).await;
    refused.problem(409, "count_out_of_range");
    assert_eq!(collection(&app, &ada, "").await.len(), 2);
    // A count may fall to zero and rise again: changes apply in their order.
    let created =
        change(&app, &ada, json!([place("001", -5), place("001", 1), place("001", -1)])).await;
    assert_eq!(created.expect(200)["data"][2]["quantity"], 0);
    assert_eq!(collection(&app, &ada, "").await.len(), 1);

    let unclear = json!([
        { "game": "ttcg", "set": "base", "number": "001", "add": 1 },
        { "name": "Nobody", "add": 1 },
        place("001", 1),
    ]);
    let unclear = change(&app, &ada, unclear).await.problem(422, "unclear_printing");
    let pointers: Vec<&Value> =
        unclear["errors"].as_array().unwrap().iter().map(|fault| &fault["pointer"]).collect();
    assert_eq!(pointers, [&json!("/changes/0"), &json!("/changes/1")]);
    assert_eq!(unclear["candidates"][0]["choices"].as_array().unwrap().len(), 6);
    for bad in [
        json!([]),
        json!([{ "add": 1 }]),
        json!([{ "printing": common, "add": 0 }]),
        json!([{ "printing": common, "add": 10000 }]),
        json!([{ "game": "ttcg", "number": "001", "add": 1 }]),
        json!([{ "printing": common, "add": 1, "price": 3 }]),
        json!(vec![json!({ "printing": common, "add": 1 }); 101]),
    ] {
        change(&app, &ada, bad).await.problem(422, "invalid_body");
    }
    assert_eq!(collection(&app, &ada, "").await.len(), 1);
}

#[tokio::test]
async fn parallel_additions_on_two_instances_all_count() {
    let app = TestApp::start().await;
    app.import_set("base", 2, false).await;
    let other = app.second_instance();
    let ada = app.player("ada").await;
    let one = printing(&app, None, "base", "001", "common").await;
    let two = printing(&app, None, "base", "002", "common").await;
    let adding = (0..20).map(|at| {
        let (app, ada) = (if at % 2 == 0 { &app } else { &other }, &ada);
        // The entries come in both orders, so that locks on entries in the order of the request would deadlock.
        let changes = if at % 3 == 0 {
            json!([{ "printing": one, "add": 1 }, { "printing": two, "add": 2 }])
        } else {
            json!([{ "printing": two, "add": 2 }, { "printing": one, "add": 1 }])
        };
        async move { change(app, ada, changes).await.status }
    });
    let statuses = join_all(adding).await;
    assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
    let quantities: Vec<Value> =
        collection(&app, &ada, "").await.iter().map(|entry| entry["quantity"].clone()).collect();
    assert_eq!(quantities, [json!(20), json!(40)]);

    // Of 21 parallel removals from a count of 20, 20 succeed and one is refused.
    let taking = (0..21).map(|_| change(&app, &ada, json!([{ "printing": one, "add": -1 }])));
    let statuses: Vec<u16> = join_all(taking).await.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 20, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 1, "{statuses:?}");
}

#[tokio::test]
async fn a_repeated_request_counts_once() {
    let app = TestApp::start().await;
    app.import_set("base", 1, false).await;
    let ada = app.player("ada").await;
    let one = printing(&app, None, "base", "001", "common").await;
    let send = |add: i32| {
        let body = json!({ "changes": [{ "printing": one, "add": add }] });
        app.post("/v1/collection/changes")
            .by(&ada)
            .header("idempotency-key", "k1")
            .json(&body)
            .answer()
    };
    assert_eq!(send(3).await.expect(200)["data"][0]["quantity"], 3);
    assert_eq!(send(3).await.expect(200)["data"][0]["quantity"], 3);
    send(4).await.problem(422, "idempotency_key_reused");
    assert_eq!(collection(&app, &ada, "").await[0]["quantity"], 3);
}

/// The first request changed counts, so a repeated one must not say that nothing was changed, and not show another card's count.
#[tokio::test]
async fn a_repeated_request_that_means_other_printings_by_then_is_gone() {
    let app = TestApp::start().await;
    app.import_set("base", 4, false).await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let first = printing(&app, None, "base", "001", "common").await;
    let by_id = json!([{ "printing": first, "add": 1 }]);
    let name = "The base card, numbered 002!";
    let by_name = json!([{ "game": "ttcg", "name": name, "rarity": "common", "add": 2 }]);
    let by_place =
        json!([{ "game": "ttcg", "set": "base", "number": "003", "rarity": "common", "add": 3 }]);
    let send = |key: &str, changes: &Value| {
        let request = app.post("/v1/collection/changes").by(&ada).header("idempotency-key", key);
        request.json(&json!({ "changes": changes })).answer()
    };
    let all = [("id", &by_id), ("name", &by_name), ("place", &by_place)];
    for (key, changes) in all {
        send(key, changes).await.expect(200);
        send(key, changes).await.expect(200);
    }

    let cards = app.get("/v1/cards?set=base").answer().await.expect(200)["data"].clone();
    let card = |at: usize| format!("/v1/cards/{}", cards[at]["id"].as_str().unwrap());
    let rename = async |at: usize, name: &str| {
        let seen = app.get(&card(at)).by(&admin).answer().await;
        let request = app.patch(&card(at)).by(&admin).header("if-match", seen.header("etag"));
        request.json(&json!({ "name": name })).answer().await.expect(200);
    };
    let merge = app.post(&format!("{}/merge", card(0))).by(&admin);
    merge.json(&json!({ "into": cards[3]["id"] })).answer().await.expect(201);
    rename(1, "Another name").await;
    let move_card = app.post(&format!("{}/move", card(2))).by(&admin);
    move_card.json(&json!({ "number": "033" })).answer().await.expect(201);
    let before = collection(&app, &ada, "").await;
    for (key, changes) in all {
        send(key, changes).await.problem(410, "gone");
    }
    send("new", &by_id).await.problem(422, "unclear_printing");
    send("id", &by_name).await.problem(422, "idempotency_key_reused");
    // The name means another card now.
    rename(2, name).await;
    send("name", &by_name).await.problem(410, "gone");
    let counts = |entries: Vec<Value>| -> Vec<(Value, Value)> {
        let count = |entry: Value| (entry["printing"].clone(), entry["quantity"].clone());
        entries.into_iter().map(count).collect()
    };
    assert_eq!(counts(collection(&app, &ada, "").await), counts(before));
}

#[tokio::test]
async fn a_collection_has_a_maximum_size() {
    let app = TestApp::start().await;
    app.import_set("base", 1, false).await;
    let ada = app.player("ada").await;
    let one = printing(&app, None, "base", "001", "common").await;
    app.sql(&format!(
        "INSERT INTO cards (id, game_code, set_code, number, created_at, updated_at) \
             SELECT gen_random_uuid(), 'ttcg', 'base', 'x' || n, '2026-11-21', '2026-11-21' FROM generate_series(1, 50000) n; \
         INSERT INTO printings (id, card_id, rarity, tier) SELECT gen_random_uuid(), id, 'common', 1 FROM cards WHERE number LIKE 'x%'; \
         INSERT INTO collection_entries SELECT '{}', p.id, 'mint', 1, '2026-11-21' FROM printings p JOIN cards c ON c.id = p.card_id \
             WHERE c.number LIKE 'x%'",
        ada.id
    ))
    .await;
    set(&app, &ada, &one, json!({ "quantity": 1 })).await.problem(409, "collection_full");
    change(&app, &ada, json!([{ "printing": one, "add": 1 }]))
        .await
        .problem(409, "collection_full");
    app.sql("DELETE FROM collection_entries WHERE printing_id = (SELECT min(printing_id::text)::uuid FROM collection_entries)").await;
    set(&app, &ada, &one, json!({ "quantity": 1 })).await.expect(200);
}

#[tokio::test]
async fn only_accounts_that_see_a_hidden_card_can_count_it() {
    let app = TestApp::start().await;
    app.import_set("dark", 2, true).await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    app.give_copy(&ada.id, "ttcg", "dark", "001").await;
    let common = printing(&app, Some(&ada), "dark", "001", "common").await;
    let rare = printing(&app, Some(&ada), "dark", "001", "rare").await;
    let here =
        json!({ "game": "ttcg", "set": "dark", "number": "001", "rarity": "rare", "add": 1 });
    let by_name = json!({ "name": "The dark card, numbered 001!", "rarity": "rare", "add": 1 });

    // For ben, the id of a printing, its place and its name get the same answers as if the card did not exist.
    set(&app, &ben, &common, json!({ "quantity": 1 })).await.problem(404, "not_found");
    for guess in [here.clone(), by_name, json!({ "printing": common, "add": 1 })] {
        let refused = change(&app, &ben, json!([guess])).await.problem(422, "unclear_printing");
        assert_eq!(refused["candidates"][0]["choices"], json!([]));
    }
    set(&app, &ada, &common, json!({ "quantity": 2 })).await.expect(200);
    change(&app, &ada, json!([here])).await.expect(200);
    let seen = collection(&app, &ada, "").await;
    assert_eq!((&seen[0]["card"]["hidden"], seen.len()), (&json!(true), 2));
    assert!(seen[0]["card"]["name"].is_string());

    // The copy is voided: the counts stay, but show only the place of the card.
    app.sql("UPDATE copies SET voided_at = '2026-12-01T00:00:00Z'").await;
    let entries = collection(&app, &ada, "").await;
    assert_eq!(entries.len(), 2);
    for entry in &entries {
        let fields: Vec<&String> = entry["card"].as_object().unwrap().keys().collect();
        assert_eq!(fields, ["game", "hidden", "href", "id", "number", "set"]);
        assert!(entry.get("rarity").is_none(), "{entry}");
    }
    // The pages list the two printings of the card in the same order.
    assert_eq!(paged(&app, &ada, "/v1/collection?limit=1").await, entries);
    for rarity in ["common", "rare", "primal_rare"] {
        assert_eq!(collection(&app, &ada, &format!("&rarity={rarity}")).await.len(), 0);
    }
    // The account may still change its existing counts, but cannot add one.
    set(&app, &ada, &rare, json!({ "quantity": 5 })).await.expect(200);
    assert_eq!(set(&app, &ada, &rare, json!({ "quantity": 0 })).await.status, 204);
    set(&app, &ada, &rare, json!({ "quantity": 1 })).await.problem(404, "not_found");
    assert_eq!(collection(&app, &ada, "").await.len(), 1);
}

#[tokio::test]
async fn completion_includes_counted_and_registered_copies() {
    let app = TestApp::start().await;
    app.import_set("base", 3, false).await;
    app.import_set("dark", 4, true).await;
    let ada = app.player("ada").await;
    let completion = async |query: &str| {
        let path = format!("/v1/collection/completion?game=ttcg{query}");
        app.get(&path).by(&ada).answer().await.expect(200)["data"].clone()
    };
    assert_eq!(completion("").await, json!([]));
    let empty = completion("&set=dark").await;
    assert_eq!(empty[0]["cards"], json!({ "owned": 0, "total": 4 }));
    // The rarities of hidden cards, and how many there are, are not shown.
    assert_eq!(empty[0]["printings"], json!({ "owned": 0, "total": 0 }));
    assert_eq!((&empty[0]["rarities"], &empty[0]["kinds"]), (&json!([]), &json!([])));

    let common = printing(&app, None, "base", "001", "common").await;
    let rare = printing(&app, None, "base", "001", "rare").await;
    set(&app, &ada, &common, json!({ "quantity": 4 })).await.expect(200);
    set(&app, &ada, &common, json!({ "quantity": 4, "condition": "mint" })).await.expect(200);
    set(&app, &ada, &rare, json!({ "quantity": 1 })).await.expect(200);
    // A printing that is registered and counted is owned once.
    app.give_copy(&ada.id, "ttcg", "base", "001").await;
    app.give_copy(&ada.id, "ttcg", "base", "003").await;
    app.give_copy(&ada.id, "ttcg", "dark", "002").await;
    let sets = completion("").await;
    assert_eq!(sets.as_array().unwrap().len(), 2);
    assert_eq!(sets[0]["set"], "base");
    assert_eq!(sets[0]["cards"], json!({ "owned": 2, "total": 3 }));
    assert_eq!(sets[0]["printings"], json!({ "owned": 3, "total": 18 }));
    assert_eq!(sets[0]["rarities"][0], json!({ "code": "common", "owned": 2, "total": 3 }));
    assert_eq!(sets[0]["rarities"][2], json!({ "code": "rare", "owned": 1, "total": 3 }));
    assert_eq!(sets[0]["kinds"], json!([{ "code": "unit", "owned": 2, "total": 3 }]));
    assert_eq!(sets[1]["cards"], json!({ "owned": 1, "total": 4 }));
    assert_eq!(
        sets[1]["printings"],
        json!({ "owned": 1, "total": 6 }),
        "only printings of the card that ada sees"
    );
    app.import_set("plain", 1, false).await;
    app.sql("DELETE FROM printings USING cards c WHERE c.id = card_id AND c.set_code = 'plain'")
        .await;
    let plain = completion("&set=plain").await;
    assert_eq!(plain[0]["cards"], json!({ "owned": 0, "total": 1 }));
    assert_eq!(
        plain[0]["printings"],
        json!({ "owned": 0, "total": 0 }),
        "a card without printings adds none"
    );
    app.get("/v1/collection/completion").by(&ada).answer().await.problem(400, "invalid_query");

    let duplicates = async |query: &str| {
        let path = format!("/v1/collection/duplicates?{query}");
        app.get(&path).by(&ada).answer().await.expect(200)["data"].as_array().unwrap().clone()
    };
    let found = duplicates("").await;
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0]["counted"], &found[0]["registered"]), (&json!(8), &json!(1)));
    assert_eq!((&found[0]["spare"], &found[0]["printing"]), (&json!(8), &json!(common)));
    assert_eq!(duplicates("over=8").await[0]["spare"], 1);
    assert_eq!(duplicates("over=9").await.len(), 0);
    assert_eq!(duplicates("game=ttcg").await, found);
    app.seed(&["emoji-tcg"]).await;
    assert_eq!(duplicates("game=emoji-tcg").await.len(), 0);
    app.get("/v1/collection/duplicates?over=0")
        .by(&ada)
        .answer()
        .await
        .problem(400, "invalid_query");
    // A void copy is not owned.
    app.sql("UPDATE copies SET voided_at = '2026-12-01T00:00:00Z'").await;
    assert_eq!(completion("").await[0]["cards"], json!({ "owned": 1, "total": 3 }));
    assert_eq!(duplicates("over=8").await.len(), 0);

    for (number, rarity) in [("001", "rare"), ("002", "rare"), ("002", "common")] {
        let some = printing(&app, None, "base", number, rarity).await;
        set(&app, &ada, &some, json!({ "quantity": 5 })).await.expect(200);
    }
    let found = duplicates("").await;
    assert_eq!(found.len(), 4);
    assert_eq!(paged(&app, &ada, "/v1/collection/duplicates?limit=1").await, found);
}

#[tokio::test]
async fn counts_follow_merged_cards_and_deleted_printings() {
    let app = TestApp::start().await;
    app.import_set("base", 3, false).await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let merged = printing(&app, None, "base", "001", "rare").await;
    let target = printing(&app, None, "base", "002", "rare").await;
    set(&app, &ada, &merged, json!({ "quantity": 3 })).await.expect(200);
    set(&app, &ada, &target, json!({ "quantity": 2 })).await.expect(200);
    let wants = json!({ "items": [{ "printing": merged, "quantity": 4 }, { "game": "ttcg", "set": "base", "number": "003" }] });
    app.put("/v1/me/wants")
        .by(&ada)
        .header("if-match", "\"r0\"")
        .json(&wants)
        .answer()
        .await
        .expect(200);

    let cards = app.get("/v1/cards?set=base").answer().await.expect(200)["data"].clone();
    let id = |at: usize| cards[at]["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/cards/{}", id(0));
    let seen = app.get(&path).by(&admin).answer().await.header("etag");
    let merge = app.post(&format!("{path}/merge")).by(&admin).header("if-match", seen);
    assert_eq!(merge.json(&json!({ "into": id(1) })).answer().await.status, 201);
    let entries = collection(&app, &ada, "").await;
    assert_eq!(entries.len(), 1);
    assert_eq!((&entries[0]["printing"], &entries[0]["quantity"]), (&json!(target), &json!(5)));
    // The id of the merged card means the other one.
    for (card, count) in [(id(0), 1), (id(1), 1), (id(2), 0)] {
        assert_eq!(collection(&app, &ada, &format!("&card={card}")).await.len(), count, "{card}");
    }
    let list = app.get("/v1/me/wants").by(&ada).answer().await;
    assert_eq!(list.header("etag"), "\"r2\"");
    let list = list.expect(200);
    assert_eq!(
        (&list["items"][0]["card"]["id"], &list["items"][0]["quantity"]),
        (&json!(id(1)), &json!(4))
    );
    assert!(list["items"][0].get("rarity").is_none());

    // When a printing is deleted, its count moves to the most common printing.
    app.sql(&format!("DELETE FROM printings WHERE id = '{target}'")).await;
    let entries = collection(&app, &ada, "").await;
    assert_eq!((&entries[0]["rarity"], &entries[0]["quantity"]), (&json!("common"), &json!(5)));
}

#[tokio::test]
async fn a_change_does_not_overwrite_what_a_merge_adds_meanwhile() {
    let app = TestApp::start().await;
    app.import_set("base", 3, false).await;
    let ada = app.player("ada").await;
    let merged = printing(&app, None, "base", "001", "rare").await;
    let target = printing(&app, None, "base", "002", "rare").await;
    let other = printing(&app, None, "base", "003", "rare").await;
    let merge = format!("SELECT counts_become('{merged}', '{target}')");
    // First there is no entry, then there is one, then it would be removed.
    for (changes, expected) in [
        (json!([{ "printing": target, "add": 1 }]), json!([4])),
        (json!([{ "printing": target, "add": 1 }]), json!([8])),
        (
            json!([{ "printing": other, "add": 2 }, { "printing": target, "add": 1 }]),
            json!([2, 12]),
        ),
        (json!([{ "printing": target, "add": -12 }]), json!([3])),
    ] {
        set(&app, &ada, &merged, json!({ "quantity": 3 })).await.expect(200);
        let answer = send_during(&app, &merge, change(&app, &ada, changes)).await.expect(200);
        let counts = answer["data"].as_array().unwrap().iter().map(|one| one["quantity"].clone());
        assert_eq!(Value::Array(counts.collect()), expected);
    }
    assert_eq!(collection(&app, &ada, "").await.len(), 2);
}

#[tokio::test]
async fn a_merge_moves_what_players_have_written_meanwhile() {
    let app = TestApp::start().await;
    app.import_set("base", 2, false).await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let merged = printing(&app, None, "base", "001", "rare").await;
    let target = printing(&app, None, "base", "002", "rare").await;
    set(&app, &ada, &merged, json!({ "quantity": 3 })).await.expect(200);
    set(&app, &ada, &target, json!({ "quantity": 2 })).await.expect(200);
    let wants = json!({ "items": [{ "printing": merged, "quantity": 4 }] });
    let put = app.put("/v1/me/wants").by(&ada).header("if-match", "*").json(&wants);
    put.answer().await.expect(200);

    let cards = app.get("/v1/cards?set=base").answer().await.expect(200)["data"].clone();
    let path = format!("/v1/cards/{}/merge", cards[0]["id"].as_str().unwrap());
    let merge = app.post(&path).by(&admin).json(&json!({ "into": cards[1]["id"] })).answer();
    let written = format!(
        "UPDATE collection_entries SET quantity = 5 WHERE printing_id = '{merged}'; \
         UPDATE trade_lists SET revision = revision + 1; DELETE FROM trade_list_items"
    );
    send_during(&app, &written, merge).await.expect(201);
    let entries = collection(&app, &ada, "").await;
    assert_eq!((entries.len(), &entries[0]["quantity"]), (1, &json!(7)));
    let list = app.get("/v1/me/wants").by(&ada).answer().await;
    assert_eq!(list.header("etag"), "\"r2\"");
    assert_eq!(list.expect(200)["items"], json!([]));
}

#[tokio::test]
async fn a_printing_that_is_taken_back_while_it_is_counted_is_unknown() {
    let app = TestApp::start().await;
    app.import_set("base", 3, false).await;
    let ada = app.player("ada").await;
    let [first, second, third] = [
        printing(&app, None, "base", "001", "rare").await,
        printing(&app, None, "base", "002", "rare").await,
        printing(&app, None, "base", "003", "rare").await,
    ];
    let remove = |id: &str| format!("DELETE FROM printings WHERE id = '{id}'");
    let put = set(&app, &ada, &first, json!({ "quantity": 1 }));
    send_during(&app, &remove(&first), put).await.problem(404, "not_found");
    let add = change(&app, &ada, json!([{ "printing": second, "add": 1 }]));
    send_during(&app, &remove(&second), add).await.problem(422, "unclear_printing");
    let file = "Count,Set,Number,Rarity\n1,base,3,rare\n".to_owned();
    let read = app.post("/v1/collection/imports").by(&ada).header("content-type", "text/csv");
    let read = read.body(file).answer().await.expect(200);
    let path = format!("/v1/collection/imports/{}/commit", read["import"].as_str().unwrap());
    let commit = app.post(&path).by(&ada).json(&json!({ "only_ok": false })).answer();
    send_during(&app, &remove(&third), commit).await.problem(409, "edit_conflict");
    assert_eq!(collection(&app, &ada, "").await, [] as [Value; 0]);
}

/// A merge that has locked a printing needs the entries of another one, too.
#[tokio::test]
async fn a_change_of_several_counts_locks_their_printings_before_entries() {
    let app = TestApp::start().await;
    app.import_set("base", 2, false).await;
    let ada = app.player("ada").await;
    let merged = printing(&app, None, "base", "001", "rare").await;
    let target = printing(&app, None, "base", "002", "rare").await;
    set(&app, &ada, &merged, json!({ "quantity": 3 })).await.expect(200);
    set(&app, &ada, &target, json!({ "quantity": 2 })).await.expect(200);
    let merge = app.db().session().await;
    let lock = format!("BEGIN; SELECT FROM printings WHERE id = '{merged}' FOR UPDATE");
    merge.batch_execute(&lock).await.unwrap();
    let changes = json!([{ "printing": target, "add": 1 }, { "printing": merged, "add": 1 }]);
    let lock_entries = async {
        until("the change waits", async |_| app.db().number(WAITING).await > 0).await;
        let lock = "SELECT FROM collection_entries FOR UPDATE NOWAIT; COMMIT";
        merge.batch_execute(lock).await.expect("no entry is locked yet");
    };
    let (answer, ()) = join(change(&app, &ada, changes), lock_entries).await;
    let counts = answer.expect(200);
    assert_eq!(
        (&counts["data"][0]["quantity"], &counts["data"][1]["quantity"]),
        (&json!(3), &json!(4))
    );
}

/// An import changes five hundred cards at a time.
#[tokio::test]
async fn an_import_locks_all_printings_that_it_removes_before_entries() {
    let app = TestApp::start().await;
    let mut source = numbered_set("base", 501, false);
    let manifest = &mut source.manifest.text;
    *manifest = manifest.replace("every_rarity = true", "every_rarity = false");
    app.import(&source).await.unwrap();
    let ada = app.player("ada").await;
    let first = printing(&app, None, "base", "001", "rare").await;
    let last = printing(&app, None, "base", "501", "rare").await;
    set(&app, &ada, &first, json!({ "quantity": 3 })).await.expect(200);
    edit_set(&mut source, "base", |set| {
        for card in set["cards"].as_array_mut().unwrap() {
            card["printings"].as_array_mut().unwrap().retain(|one| one["rarity"] != "rare");
        }
    });
    let other = app.db().session().await;
    let lock = format!("BEGIN; SELECT FROM printings WHERE id = '{last}' FOR KEY SHARE");
    other.batch_execute(&lock).await.unwrap();
    let lock_entries = async {
        until("the import waits", async |_| app.db().number(WAITING).await > 0).await;
        let lock = "SELECT FROM collection_entries FOR UPDATE NOWAIT; COMMIT";
        other.batch_execute(lock).await.expect("no entry is locked yet");
    };
    let (imported, ()) = join(Box::pin(app.import(&source)), lock_entries).await;
    imported.unwrap();
    let entries = collection(&app, &ada, "").await;
    assert_eq!((&entries[0]["rarity"], &entries[0]["quantity"]), (&json!("common"), &json!(3)));
}
