//! Moved and merged cards, and the redirects to them.

use cardscape::store::catalogue::import::ImportError;
use serde_json::{Value, json};

use crate::collection::counts::WAITING;
use crate::support::{
    Answer, Player, RequestExt as _, TestApp, edit_set, fresh_path, in_memory, new_run, seed_data,
    set_file, until,
};

fn place(set: &str, number: &str) -> String {
    format!("/v1/games/ttcg/sets/{set}/cards/{number}")
}

async fn id_of(app: &TestApp, set: &str, number: &str) -> String {
    let card = app.get(&place(set, number)).answer().await.expect(200);
    card["id"].as_str().unwrap().to_owned()
}

async fn send(app: &TestApp, by: &Player, card: &str, how: &str, body: Value) -> Answer {
    app.post(&format!("/v1/cards/{card}/{how}")).by(by).json(&body).answer().await
}

/// The target of a 308 redirect.
async fn leads_to(app: &TestApp, path: &str) -> String {
    let answer = app.get(path).answer().await;
    assert_eq!(answer.status, 308, "{path}: {}", answer.text());
    answer.header("location")
}

/// The instance that moves a card leads from its old place to the new one as soon as it has answered, although it had the card in memory.
#[tokio::test]
async fn a_card_is_moved_everywhere_when_the_move_is_answered() {
    let app = TestApp::start_seeded_with(&["ttcg"], in_memory).await;
    app.catch_up().await;
    let admin = app.admin().await;
    let id = id_of(&app, "hearth", "001").await;
    let mut number = "001".to_owned();
    for round in 0..6 {
        let new = format!("90{round}");
        app.get(&format!("/v1/cards/{id}")).answer().await.expect(200);
        app.get(&place("hearth", &number)).answer().await.expect(200);
        send(&app, &admin, &id, "move", json!({ "number": new })).await.expect(201);
        assert_eq!(leads_to(&app, &place("hearth", &number)).await, place("hearth", &new));
        let card = app.get(&format!("/v1/cards/{id}")).answer().await.expect(200);
        assert_eq!(card["number"], new);
        number = new;
    }
}

#[tokio::test]
async fn a_moved_card_is_found_at_its_old_place() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let id = id_of(&app, "hearth", "001").await;
    let moved =
        send(&app, &admin, &id, "move", json!({ "number": "901", "note": "Misnumbered." })).await;
    let migration = moved.header("location");
    let created = moved.expect(201);
    assert_eq!((&created["type"], &created["note"]), (&json!("move"), &json!("Misnumbered.")));
    assert_eq!((&created["old_card_id"], &created["new_card_id"]), (&json!(id), &json!(id)));
    assert_eq!(created["old"], json!({ "game": "ttcg", "set": "hearth", "number": "001" }));
    assert_eq!(created["new"]["number"], "901");
    assert_eq!(app.get(&migration).answer().await.expect(200), created);
    let list = app.get("/v1/card-migrations").answer().await.expect(200);
    assert_eq!(list["data"], json!([created]));

    assert_eq!(leads_to(&app, &place("hearth", "001")).await, place("hearth", "901"));
    let with_query = format!("{}?include=legalities", place("hearth", "001"));
    assert_eq!(
        leads_to(&app, &with_query).await,
        format!("{}?include=legalities", place("hearth", "901"))
    );
    let card = app.get(&place("hearth", "901")).answer().await.expect(200);
    assert_eq!((&card["id"], &card["number"]), (&json!(id), &json!("901")));
    assert_eq!(app.get(&format!("/v1/cards/{id}")).answer().await.expect(200), card);
    // After a second move, to another set, both old places redirect directly to the new one.
    send(&app, &admin, &id, "move", json!({ "set": "veil", "number": "902" })).await.expect(201);
    assert_eq!(leads_to(&app, &place("hearth", "001")).await, place("veil", "902"));
    assert_eq!(leads_to(&app, &place("hearth", "901")).await, place("veil", "902"));
    assert_eq!(app.get(&place("veil", "902")).answer().await.expect(200)["hidden"], false);

    let history = app.get(&format!("/v1/cards/{id}/history")).answer().await.expect(200);
    let wanted = json!([
        { "member": "/set", "before": "hearth", "after": "veil" },
        { "member": "/number", "before": "901", "after": "902" },
    ]);
    assert_eq!(
        (&history["data"][0]["change"], &history["data"][0]["changes"]),
        (&json!("moved"), &wanted)
    );
    let feed = app.get("/v1/changes?after=0&limit=200").answer().await.expect(200);
    let event = feed["data"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&event["kind"], &event["set"], &event["number"]),
        (&json!("card.moved"), &json!("veil"), &json!("902"))
    );
    assert_eq!(event["from"], json!({ "card": id, "set": "hearth", "number": "901" }));
    let log = app.get("/v1/audit-log").by(&admin).answer().await.expect(200);
    assert_eq!(log["data"][0]["action"], "card.moved");
}

/// The time of a move is taken before it waits for other changes, which may get a later one.
#[tokio::test]
async fn a_move_does_not_set_the_time_of_a_card_back() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let changed = id_of(&app, "hearth", "001").await;
    let unlocked = id_of(&app, "veil", "001").await;
    app.sql(&format!(
        "UPDATE cards SET updated_at = '2100-01-01' WHERE id = '{changed}'; \
         UPDATE unlocks SET unlocked_at = '2100-01-01', reason = 'admin' WHERE card_id = '{unlocked}'"
    ))
    .await;
    for card in [changed, unlocked] {
        send(&app, &admin, &card, "move", json!({ "number": "901" })).await.expect(201);
        let later =
            format!("SELECT count(*) FROM cards WHERE id = '{card}' AND updated_at > '2100-01-01'");
        assert_eq!(app.db().number(&later).await, 1);
    }
}

#[tokio::test]
async fn a_merged_card_redirects_to_the_other_through_any_chain() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let (a, b, c) = (
        id_of(&app, "hearth", "001").await,
        id_of(&app, "hearth", "002").await,
        id_of(&app, "hearth", "003").await,
    );
    let name = app.get(&format!("/v1/cards/{a}")).answer().await.expect(200)["name"].clone();
    let body = json!({ "kind": "ruling", "text": "It may.", "published_on": "2026-11-20" });
    let ruling = app.post(&format!("/v1/cards/{a}/rulings")).by(&admin).json(&body).answer().await;
    let ruling = ruling.expect(201);

    let created =
        send(&app, &admin, &a, "merge", json!({ "into": b, "note": "Twice." })).await.expect(201);
    assert_eq!(
        (&created["type"], &created["new_card_id"], &created["new"]["number"]),
        (&json!("merge"), &json!(b), &json!("002"))
    );
    assert_eq!(leads_to(&app, &format!("/v1/cards/{a}")).await, format!("/v1/cards/{b}"));
    for rest in ["/printings", "/rulings", "/history?limit=3", "/unlock"] {
        assert_eq!(
            leads_to(&app, &format!("/v1/cards/{a}{rest}")).await,
            format!("/v1/cards/{b}{rest}")
        );
    }
    assert_eq!(leads_to(&app, &place("hearth", "001")).await, place("hearth", "002"));
    assert_eq!(
        app.request(reqwest::Method::HEAD, &format!("/v1/cards/{a}")).answer().await.status,
        308
    );

    // The other card is moved and merged as well: all old ids and places redirect directly to the last card.
    send(&app, &admin, &b, "move", json!({ "number": "950" })).await.expect(201);
    assert_eq!(leads_to(&app, &place("hearth", "001")).await, place("hearth", "950"));
    send(&app, &admin, &b, "merge", json!({ "into": c })).await.expect(201);
    for old in [&a, &b] {
        assert_eq!(leads_to(&app, &format!("/v1/cards/{old}")).await, format!("/v1/cards/{c}"));
    }
    for number in ["001", "002", "950"] {
        assert_eq!(leads_to(&app, &place("hearth", number)).await, place("hearth", "003"));
    }
    let lookup = json!({ "identifiers": [
        { "id": a }, { "id": b }, { "id": c }, { "game": "ttcg", "set": "hearth", "number": "001" },
        { "game": "ttcg", "set": "hearth", "number": "950" }, { "game": "ttcg", "set": "hearth", "number": "951" },
        { "game": "ttcg", "name": name },
    ] });
    let found = app.post("/v1/cards/lookup").json(&lookup).answer().await.expect(200);
    assert_eq!(found["data"].as_array().unwrap().len(), 5);
    assert!(
        found["data"].as_array().unwrap().iter().all(|card| card["id"] == c.as_str()),
        "{found}"
    );
    assert_eq!(found["not_found"].as_array().unwrap().len(), 2);

    // The last card has the rulings, and its history contains the merge.
    let rulings = app.get(&format!("/v1/cards/{c}/rulings")).answer().await.expect(200);
    assert_eq!(
        (&rulings["data"][0]["id"], &rulings["data"][0]["card"]),
        (&ruling["id"], &json!(c))
    );
    let history = app.get(&format!("/v1/cards/{c}/history")).answer().await.expect(200);
    let merged = &history["data"][0];
    assert_eq!(
        (&merged["change"], &merged["changes"][0]["member"]),
        (&json!("merged"), &json!(format!("/merged/{b}")))
    );
    assert_eq!(merged["changes"][0]["after"]["number"], "950");
    let feed = app.get("/v1/changes?after=0&limit=200").answer().await.expect(200);
    let event = feed["data"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&event["kind"], &event["card"], &event["number"]),
        (&json!("card.merged"), &json!(c), &json!("003"))
    );
    assert_eq!(event["from"], json!({ "card": b, "set": "hearth", "number": "950" }));
    let list = app.get("/v1/card-migrations?limit=1").answer().await;
    assert!(list.header("link").contains("rel=\"next\""));
    assert_eq!(list.expect(200)["data"][0]["old_card_id"], b.as_str());
    // A merged card can no longer be changed.
    send(&app, &admin, &a, "merge", json!({ "into": c })).await.problem(404, "not_found");
    send(&app, &admin, &a, "move", json!({ "number": "960" })).await.problem(404, "not_found");
    let patch = app.patch(&format!("/v1/cards/{a}")).by(&admin).header("if-match", "*");
    patch.json(&json!({})).answer().await.problem(404, "not_found");
}

#[tokio::test]
async fn a_merge_does_not_exceed_the_limit_of_rulings() {
    let app = TestApp::start().await;
    app.import_set("base", 3, false).await;
    let admin = app.admin().await;
    let (card, into) = (id_of(&app, "base", "001").await, id_of(&app, "base", "002").await);
    app.sql(&format!(
        "INSERT INTO card_rulings (id, card_id, kind, text, published_on, created_at) \
         SELECT gen_random_uuid(), id, 'ruling', 'x', '2026-11-01', '2026-11-01' FROM cards, generate_series(1, 200) place \
         WHERE id = '{into}' OR (id = '{card}' AND place = 1)"
    ))
    .await;
    let refused = send(&app, &admin, &card, "merge", json!({ "into": into })).await;
    let detail = "Together, the cards have more than 200 rulings.";
    assert_eq!(refused.problem(409, "merge_refused")["detail"], detail);
    app.sql(&format!(
        "DELETE FROM card_rulings WHERE id = (SELECT id FROM card_rulings WHERE card_id = '{into}' LIMIT 1)"
    ))
    .await;
    send(&app, &admin, &card, "merge", json!({ "into": into })).await.expect(201);
    let rulings = app.get(&format!("/v1/cards/{into}/rulings")).answer().await.expect(200);
    assert_eq!(rulings["data"].as_array().unwrap().len(), 200);
    // A card with too many, from an older program, may still be merged with one that has none.
    app.sql(&format!(
        "INSERT INTO card_rulings (id, card_id, kind, text, published_on, created_at) \
         VALUES (gen_random_uuid(), '{into}', 'ruling', 'y', '2026-11-01', '2026-11-01')"
    ))
    .await;
    let without = id_of(&app, "base", "003").await;
    send(&app, &admin, &without, "merge", json!({ "into": into })).await.expect(201);
}

/// Leading zeros of an old number may be missing or added, as those of a present number. A card that has such a number now goes first.
#[tokio::test]
async fn an_old_number_is_found_without_its_leading_zeros() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let (old, new) = (id_of(&app, "hearth", "005").await, id_of(&app, "hearth", "006").await);
    send(&app, &admin, &old, "merge", json!({ "into": new })).await.expect(201);
    let look_up = async |number: &str| {
        let body =
            json!({ "identifiers": [{ "game": "ttcg", "set": "hearth", "number": number }] });
        let found = app.post("/v1/cards/lookup").json(&body).answer().await.expect(200);
        found["data"].get(0).map_or(Value::Null, |card| card["number"].clone())
    };
    for number in ["005", "5", "0005"] {
        assert_eq!(leads_to(&app, &place("hearth", number)).await, place("hearth", "006"));
        let page = leads_to(&app, &format!("/cards/ttcg/hearth/{number}")).await;
        assert_eq!(page, "/cards/ttcg/hearth/006");
        assert_eq!(look_up(number).await, "006");
    }
    app.get(&place("hearth", "555")).answer().await.problem(404, "not_found");
    assert_eq!(look_up("555").await, Value::Null);

    // Cards got such numbers before they were refused.
    app.sql("UPDATE cards SET number = '05' WHERE set_code = 'hearth' AND number = '007'").await;
    let found = app.get(&place("hearth", "5")).answer().await.expect(200);
    assert_eq!((&found["number"], look_up("5").await), (&json!("05"), json!("05")));
    assert_eq!(leads_to(&app, &place("hearth", "005")).await, place("hearth", "006"));
    assert_eq!(look_up("005").await, "006");
    app.sql("UPDATE cards SET number = '00005' WHERE set_code = 'hearth' AND number = '008'").await;
    app.get(&place("hearth", "5")).answer().await.problem(404, "not_found");
    assert_eq!(look_up("5").await, Value::Null);
}

/// A number that differs from an old one only in leading zeros or case is refused like the old number. The card that had it may get it,
/// and cards that have such a number already keep it.
#[tokio::test]
async fn numbers_like_old_numbers_are_refused() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let (merged, into) = (id_of(&app, "hearth", "005").await, id_of(&app, "hearth", "006").await);
    let (moved, other) = (id_of(&app, "hearth", "008").await, id_of(&app, "hearth", "009").await);
    send(&app, &admin, &merged, "merge", json!({ "into": into })).await.expect(201);
    for number in ["0A8", "908"] {
        send(&app, &admin, &moved, "move", json!({ "number": number })).await.expect(201);
    }
    for number in ["5", "05", "0005", "8", "0008", "A8", "0a8"] {
        let refused = send(&app, &admin, &other, "move", json!({ "number": number })).await;
        refused.problem(409, "number_taken");
    }
    send(&app, &admin, &into, "move", json!({ "number": "5" })).await.expect(201);
    assert_eq!(leads_to(&app, &place("hearth", "005")).await, place("hearth", "5"));

    let mut file = set_file(&seed_data("ttcg"), "hearth");
    let cards = file["cards"].as_array_mut().unwrap();
    cards.retain(|card| card["number"] != "005");
    for (before, after) in [("006", "5"), ("008", "908")] {
        let card = cards.iter_mut().find(|card| card["number"] == before).unwrap();
        card["number"] = after.into();
    }
    let put = async |file: &Value| {
        app.put("/v1/games/ttcg/sets/hearth").by(&admin).json(file).answer().await
    };
    assert_eq!(put(&file).await.expect(200)["sets"], json!([]));
    let mut with_new = file.clone();
    let cards = with_new["cards"].as_array_mut().unwrap();
    let mut new = cards[0].clone();
    new["number"] = "08".into();
    new["name"] = "Somebody New".into();
    cards.push(new);
    let problem = put(&with_new).await.problem(422, "invalid_import");
    let fault = &problem["errors"][0];
    assert!(fault["pointer"].as_str().unwrap().ends_with("/number"), "{problem}");
    let detail = fault["detail"].as_str().unwrap();
    assert!(detail.starts_with("card 008 was moved to hearth/908"), "{problem}");
    assert!(detail.contains("and 08 is the same"), "{problem}");

    app.sql("UPDATE cards SET number = '08' WHERE set_code = 'hearth' AND number = '009'").await;
    let cards = file["cards"].as_array_mut().unwrap();
    cards.iter_mut().find(|card| card["number"] == "009").unwrap()["number"] = "08".into();
    assert_eq!(put(&file).await.expect(200)["sets"], json!([]));
}

#[tokio::test]
async fn forbidden_moves_and_merges_are_refused() {
    let app = TestApp::start_seeded(&["ttcg", "emojito"]).await;
    let admin = app.admin().await;
    let (open, other) = (id_of(&app, "hearth", "001").await, id_of(&app, "hearth", "002").await);
    let hidden = id_of(&app, "veil", "001").await;
    let foreign = app.get("/v1/cards?game=emojito&limit=1").answer().await.expect(200);
    let foreign = foreign["data"][0]["id"].as_str().unwrap().to_owned();
    let unknown = "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";
    send(&app, &admin, unknown, "move", json!({ "number": "900" })).await.problem(404, "not_found");
    send(&app, &admin, unknown, "merge", json!({ "into": open })).await.problem(404, "not_found");
    for (body, pointer) in [
        (json!({ "number": "9 0" }), "/number"),
        (json!({ "number": "1".repeat(17) }), "/number"),
        (json!({ "number": "900", "set": "nowhere" }), "/set"),
        (json!({ "number": "900", "note": "" }), "/note"),
        (json!({ "number": "900", "game": "uno" }), "/game"),
    ] {
        let problem = send(&app, &admin, &open, "move", body).await.problem(422, "invalid_body");
        assert_eq!(problem["errors"][0]["pointer"], pointer);
    }
    for number in ["001", "002"] {
        let taken = send(&app, &admin, &open, "move", json!({ "number": number })).await;
        taken.problem(409, "number_taken");
    }
    for (card, into) in [(&open, &open), (&open, &hidden), (&hidden, &open), (&open, &foreign)] {
        let refused = send(&app, &admin, card, "merge", json!({ "into": into })).await;
        refused.problem(409, "merge_refused");
    }
    let problem = send(&app, &admin, &open, "merge", json!({ "into": unknown })).await;
    assert_eq!(problem.problem(422, "invalid_body")["errors"][0]["pointer"], "/into");
    assert_eq!(app.db().value("SELECT count(*) FROM card_migrations").await, "0");

    // A hidden card may move, but without a note, and it stays hidden.
    let with_note =
        send(&app, &admin, &hidden, "move", json!({ "number": "900", "note": "The dragon." }))
            .await;
    assert_eq!(with_note.problem(422, "invalid_body")["errors"][0]["pointer"], "/note");
    send(&app, &admin, &hidden, "move", json!({ "set": "hearth", "number": "900" }))
        .await
        .expect(201);
    let card = app.get(&place("hearth", "900")).answer().await.expect(200);
    assert_eq!((&card["hidden"], card.get("name")), (&json!(true), None));
    let history = app.get(&format!("/v1/cards/{hidden}/history")).answer().await.expect(200);
    assert_eq!(history, json!({ "data": [], "hidden": true }));

    // No card can take the old number of a moved card, not even the moved card itself.
    send(&app, &admin, &open, "move", json!({ "number": "901" })).await.expect(201);
    for card in [&open, &other] {
        let taken = send(&app, &admin, card, "move", json!({ "number": "001" })).await;
        taken.problem(409, "number_taken");
    }

    // Cards of a printed set cannot be moved or merged, from the plan of the print run on.
    app.import_set("mint", 2, false).await;
    let (one, two) = (id_of(&app, "mint", "001").await, id_of(&app, "mint", "002").await);
    app.print("mint", 100).await;
    for (card, how, body) in [
        (&one, "move", json!({ "number": "900" })),
        (&one, "move", json!({ "set": "hearth", "number": "999" })),
        (&open, "move", json!({ "set": "mint", "number": "900" })),
        (&one, "merge", json!({ "into": two })),
        (&open, "merge", json!({ "into": two })),
        (&two, "merge", json!({ "into": open })),
    ] {
        send(&app, &admin, card, how, body).await.problem(409, "set_printed");
    }
}

#[tokio::test]
async fn only_cards_of_other_sets_move_while_a_run_is_minted() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    app.import_set("mint", 2, false).await;
    let (one, two) = (id_of(&app, "mint", "001").await, id_of(&app, "mint", "002").await);
    let (a, b) = (id_of(&app, "hearth", "001").await, id_of(&app, "hearth", "002").await);
    let file = fresh_path(".csv");
    let minted = app.mint_during(new_run("mint", 2_048), file.clone(), async || {
        for (card, how, body) in [
            (&one, "move", json!({ "number": "900" })),
            (&one, "move", json!({ "set": "hearth", "number": "999" })),
            (&a, "move", json!({ "set": "mint", "number": "900" })),
            (&one, "merge", json!({ "into": two })),
        ] {
            send(&app, &admin, card, how, body).await.problem(409, "set_printed");
        }
        send(&app, &admin, &a, "move", json!({ "number": "900" })).await.expect(201);
        send(&app, &admin, &a, "merge", json!({ "into": b })).await.expect(201);
    });
    minted.await.unwrap();
    std::fs::remove_file(&file).unwrap();
}

#[tokio::test]
async fn a_move_is_tried_again_if_it_is_unknown_what_is_minted() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let id = id_of(&app, "hearth", "001").await;
    // A mint holds this lock before it has planned its run. One of an older program holds no other lock.
    let mint = app.db().session().await;
    mint.batch_execute("SELECT pg_advisory_lock(7233172003)").await.unwrap();
    let busy = send(&app, &admin, &id, "move", json!({ "number": "900" })).await;
    assert_eq!(busy.header("retry-after"), "2");
    let detail = "A print run is being minted or discarded, and it is not known yet of which set.";
    assert_eq!(busy.problem(503, "unavailable")["detail"], detail);
    mint.batch_execute("SELECT pg_advisory_unlock(7233172003)").await.unwrap();
    send(&app, &admin, &id, "move", json!({ "number": "900" })).await.expect(201);
}

#[tokio::test]
async fn a_repeated_request_moves_once() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let (a, b) = (id_of(&app, "hearth", "001").await, id_of(&app, "hearth", "002").await);
    for (how, body) in [("move", json!({ "number": "901" })), ("merge", json!({ "into": b }))] {
        let post = || {
            let request = app.post(&format!("/v1/cards/{a}/{how}")).by(&admin);
            request.header("idempotency-key", how).json(&body)
        };
        let first = post().answer().await;
        let again = post().answer().await;
        assert_eq!((first.status, again.status), (201, 201), "{}", again.text());
        assert_eq!(
            (first.header("location"), &first.bytes),
            (again.header("location"), &again.bytes)
        );
    }
    assert_eq!(app.db().value("SELECT count(*) FROM card_migrations").await, "2");
    // The same body for another card is another request.
    let other = app.post(&format!("/v1/cards/{b}/move")).by(&admin);
    let other = other.header("idempotency-key", "move").json(&json!({ "number": "901" }));
    other.answer().await.problem(422, "idempotency_key_reused");
}

/// Of two simultaneous moves to one number, and of two simultaneous merges of two cards into each other, only one succeeds.
#[tokio::test]
async fn only_one_of_two_simultaneous_moves_or_merges_succeeds() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let other = app.second_instance();
    let admin = app.admin().await;
    for round in 0..4 {
        let (one, two) = (format!("{:03}", 2 * round + 1), format!("{:03}", 2 * round + 2));
        let (a, b) = (id_of(&app, "hearth", &one).await, id_of(&app, "hearth", &two).await);
        let to = json!({ "number": format!("9{round}") });
        let (first, second) = tokio::join!(
            send(&app, &admin, &a, "move", to.clone()),
            send(&other, &admin, &b, "move", to)
        );
        let mut statuses = [first.status, second.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 409]);
        let (first, second) = tokio::join!(
            send(&app, &admin, &a, "merge", json!({ "into": b })),
            send(&other, &admin, &b, "merge", json!({ "into": a }))
        );
        let mut statuses = [first.status, second.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 422], "the other card no longer exists");
    }
}

/// Lists of wants and haves lock cards in this order, too.
#[tokio::test]
async fn a_merge_locks_its_two_cards_in_the_order_of_their_ids() {
    let app = TestApp::start().await;
    app.import_set("base", 2, false).await;
    let admin = app.admin().await;
    let mut ids = [id_of(&app, "base", "001").await, id_of(&app, "base", "002").await];
    ids.sort_unstable();
    let [first, second] = ids;
    let list = app.db().session().await;
    let lock = format!("BEGIN; SELECT FROM cards WHERE id = '{first}' FOR KEY SHARE");
    list.batch_execute(&lock).await.unwrap();
    let lock_second = async {
        until("the merge waits", async |_| app.db().number(WAITING).await > 0).await;
        let lock = format!("SELECT FROM cards WHERE id = '{second}' FOR KEY SHARE NOWAIT; COMMIT");
        list.batch_execute(&lock).await.expect("the other card is not locked yet");
    };
    let merge = send(&app, &admin, &second, "merge", json!({ "into": first }));
    let (merged, ()) = tokio::join!(merge, lock_second);
    merged.expect(201);
}

#[tokio::test]
async fn an_old_file_does_not_restore_moved_or_merged_cards() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let ids = [
        id_of(&app, "hearth", "001").await,
        id_of(&app, "hearth", "002").await,
        id_of(&app, "hearth", "003").await,
    ];
    send(&app, &admin, &ids[0], "move", json!({ "number": "901" })).await.expect(201);
    send(&app, &admin, &ids[1], "merge", json!({ "into": ids[2] })).await.expect(201);
    let mut source = seed_data("ttcg");
    // The start of the service accepts the files, because they have not changed since the last import.
    app.import(&source).await.unwrap();
    let file = set_file(&source, "hearth");
    let put = async |file: &Value| {
        app.put("/v1/games/ttcg/sets/hearth").by(&admin).json(file).answer().await
    };
    let problem = put(&file).await.problem(422, "invalid_import");
    let details: Vec<&str> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["detail"].as_str().unwrap())
        .collect();
    assert!(details[0].starts_with("card 001 was moved to hearth/901"), "{details:?}");
    assert!(details[1].starts_with("card 002 was merged into hearth/003"), "{details:?}");
    assert_eq!(
        (&problem["errors"][0]["pointer"], &problem["errors"][0]["card"]["number"]),
        (&json!("/cards/0/number"), &json!("001"))
    );
    // Changed files are compared with the stored cards, and refused as well.
    edit_set(&mut source, "hearth", |set| set["name"] = "Anew".into());
    let refused = app.import(&source).await.unwrap_err();
    assert!(matches!(refused, ImportError::Refused(faults) if faults.len() == 3));
    // A file with the current numbers is accepted.
    let mut now = file.clone();
    let cards = now["cards"].as_array_mut().unwrap();
    cards[0]["number"] = "901".into();
    cards.remove(1);
    assert_eq!(put(&now).await.expect(200)["sets"], json!([]));
    // The database also refuses an old number from an older program, which does not know about moved cards.
    let number = "INSERT INTO cards (id, game_code, set_code, number, created_at, updated_at) \
                  VALUES (gen_random_uuid(), 'ttcg', 'hearth', '001', '2026-11-21', '2026-11-21')";
    let (client, connection) =
        tokio_postgres::connect(&app.db().url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    assert!(client.batch_execute(number).await.is_err());
    client.batch_execute(&number.replace("'001'", "'955'")).await.expect("no card had that number");
    let number = "UPDATE cards SET number = '001' WHERE number = '003' AND set_code = 'hearth'";
    assert!(client.batch_execute(number).await.is_err());
    client.batch_execute(&number.replace("'001'", "'956'")).await.expect("no card had that number");
}
