//! Registered copies: their owners, what the service shows of them, and moderation.

use serde_json::{Value, json};

use crate::support::{PaperCard, RequestExt as _, TestApp, text};

async fn app_with_print_run() -> (TestApp, Vec<PaperCard>) {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    let cards = app.print("dusk", 10).await;
    (app, cards)
}

#[tokio::test]
async fn only_own_copies_are_listed() {
    let (app, cards) = app_with_print_run().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let mut registered = Vec::new();
    for card in &cards[..5] {
        registered.push(app.register(&ada, card).await);
    }
    let other = app.register(&ben, &cards[5]).await;
    let mut listed = app.copies_of(&ada).await;
    listed.sort();
    registered.sort();
    assert_eq!(listed, registered);
    assert_eq!(app.copies_of(&ben).await, std::slice::from_ref(&other));

    let path = format!("/v1/copies/{}", registered[0]);
    let answer = app.get(&path).by(&ada).answer().await;
    let tag = answer.header("etag");
    let copy = answer.expect(200);
    assert_eq!(copy["card"]["hidden"], true);
    assert!(
        copy["card"]["name"].as_str().unwrap().starts_with("The dusk card"),
        "the owner sees the name"
    );
    assert_eq!(
        [&copy["frozen"], &copy["voided"], &copy["disputed"]],
        [&json!(false), &json!(false), &json!(false)]
    );
    assert_eq!(copy.get("owner_id"), None, "only moderators see the owner");
    app.get(&path).by(&ada).header("if-none-match", tag).answer().await.expect(304);
    app.get(&path).by(&ben).answer().await.problem(404, "not_found");
    app.get(&format!("{path}/history")).by(&ben).answer().await.problem(404, "not_found");
    app.get(&format!("/v1/copies/{}", ada.id)).by(&ada).answer().await.problem(404, "not_found");

    let moderator = app.moderator().await;
    let seen = app.get(&path).by(&moderator).answer().await.expect(200);
    assert_eq!(seen["owner_id"], ada.id);
}

#[tokio::test]
async fn a_list_of_copies_is_filtered_and_paged() {
    let (app, cards) = app_with_print_run().await;
    let ada = app.player("ada").await;
    for card in &cards {
        app.register(&ada, card).await;
    }
    let list = async |query: &str| {
        let page = app.get(&format!("/v1/copies{query}")).by(&ada).answer().await.expect(200);
        page["data"].as_array().unwrap().clone()
    };
    let all = list("?limit=200").await;
    assert_eq!(all.len(), cards.len());
    let numbers: Vec<&str> =
        all.iter().map(|copy| copy["card"]["number"].as_str().unwrap()).collect();
    assert!(numbers.is_sorted(), "{numbers:?}");
    let rare = cards.iter().filter(|card| card.rarity == "rare").count();
    assert!(rare > 0);
    assert_eq!(list("?rarity=rare&limit=200").await.len(), rare);
    let card = text(&all[0]["card"], "id");
    assert_eq!(list(&format!("?card={card}&limit=200")).await.len(), 10);
    assert_eq!(list("?game=ttcg&set=dusk&limit=200").await.len(), cards.len());
    app.get("/v1/copies?set=hearth").by(&ada).answer().await.problem(400, "invalid_query");
    app.import_set("hearth", 1, false).await;
    assert_eq!(list("?set=hearth").await, Vec::<Value>::new());

    let (mut path, mut seen) = ("/v1/copies?limit=7".to_owned(), Vec::new());
    loop {
        let page = app.get(&path).by(&ada).answer().await.expect(200);
        seen.extend(page["data"].as_array().unwrap().clone());
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/v1/copies?limit=7&cursor={cursor}");
    }
    assert_eq!(seen, all);
    for (query, code) in [
        ("?cursor=nonsense", "invalid_cursor"),
        // ["\u0000","a","a",uuid]: a cursor with text that Postgres cannot store is invalid.
        (
            "?cursor=WyJcdTAwMDAiLCJhIiwiYSIsIjAxOTk4ZDVlLTdhMzUtN2M1NC1iMGEwLTFmNmY0ZjVmMmIxMSJd",
            "invalid_cursor",
        ),
        ("?rarity=a%20b", "invalid_query"),
        ("?card=7", "invalid_query"),
        ("?owner=ada", "invalid_query"),
    ] {
        app.get(&format!("/v1/copies{query}")).by(&ada).answer().await.problem(400, code);
    }
}

#[tokio::test]
async fn neither_codes_nor_their_hashes_are_shown() {
    let (app, cards) = app_with_print_run().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let moderator = app.moderator().await;
    app.set_trading(&ada, "public").await;
    let copy = app.register(&ada, &cards[0]).await;
    let claim = app.submit(&ben, &cards[0]).await.problem(409, "registered_to_another");
    let trade = text(&app.offer(&ada, &ben, &[&copy], &[]).await.expect(201), "id");
    let mac =
        app.db().value("SELECT encode(code_mac, 'hex') FROM copies WHERE id IS NOT NULL").await;
    let code: String = cards[0].serial.chars().filter(|c| *c != '-').collect();
    for path in [
        format!("/v1/copies/{copy}"),
        format!("/v1/copies/{copy}/history"),
        "/v1/copies".to_owned(),
        format!("/v1/players/{}/copies", ada.name),
        format!("/v1/trades/{trade}"),
        "/v1/trades".to_owned(),
        format!("/v1/disputes/{}", text(&claim, "dispute_id")),
        "/v1/disputes".to_owned(),
    ] {
        let mut readers = 0;
        for reader in [&ada, &ben, &moderator] {
            let answer = app.get(&path).by(reader).answer().await;
            readers += usize::from(answer.status == 200);
            assert!([200, 404].contains(&answer.status), "{path}: {}", answer.text());
            for secret in [&cards[0].serial, &code, &mac, &code[2..].to_owned()] {
                assert!(!answer.text().contains(secret.as_str()), "{path}: {}", answer.text());
            }
        }
        assert!(readers > 0, "nobody reads {path}");
    }
}

#[tokio::test]
async fn the_history_is_complete_and_does_not_identify_earlier_owners() {
    let (app, cards) = app_with_print_run().await;
    // Ids are hexadecimal and may contain "ada", so this player is named "zoe".
    let (ada, ben, cem) =
        (app.player("zoe").await, app.player("ben").await, app.player("cem").await);
    let moderator = app.moderator().await;
    let copy = app.register(&ada, &cards[0]).await;
    app.submit(&cem, &cards[0]).await.problem(409, "registered_to_another");
    let trade = app.hand_over(&ada, &ben, &copy).await;
    app.moderate(&moderator, &copy, "freeze").await.expect(200);
    app.moderate(&moderator, &copy, "unfreeze").await.expect(200);

    let path = format!("/v1/copies/{copy}/history");
    let bens = app.get(&path).by(&ben).answer().await.expect(200);
    let entries = bens["data"].as_array().unwrap();
    let each = |member: &str| -> Vec<&str> {
        entries.iter().map(|entry| entry[member].as_str().unwrap()).collect()
    };
    assert_eq!(each("event"), ["register", "dispute", "transfer", "freeze", "unfreeze"]);
    assert_eq!(
        each("by"),
        ["another player", "another player", "you", "a moderator", "a moderator"]
    );
    assert_eq!(each("owner"), ["another player", "another player", "you", "you", "you"]);
    let positions: Vec<_> = entries.iter().map(|entry| entry["position"].as_i64()).collect();
    assert_eq!(positions, (1..=5).map(Some).collect::<Vec<_>>());
    assert_eq!(entries[2]["trade"], trade);
    assert_eq!(entries[3]["reason"], "because of freeze");
    for id in [&ada.id, &cem.id, &moderator.id, &ada.name, &cem.name] {
        assert!(!bens.to_string().contains(id), "accounts are private: {bens}");
    }
    app.get(&path).by(&ada).answer().await.problem(404, "not_found");

    // A later owner sees only own trades.
    app.hand_over(&ben, &cem, &copy).await;
    let cems = app.get(&path).by(&cem).answer().await.expect(200);
    assert_eq!(cems["data"][2].get("trade"), None);
    assert_eq!(cems["data"][1]["by"], "you", "the earlier claim of cem");

    let all = app.get(&path).by(&moderator).answer().await.expect(200);
    assert_eq!(all["data"][0]["owner_id"], ada.id);
    assert_eq!(all["data"][1]["account_id"], cem.id);
    assert_eq!(all["data"][3]["account_id"], moderator.id);
    assert_eq!(all["data"][5]["owner_id"], cem.id);
    let second = app.get(&format!("{path}?limit=4")).by(&moderator).answer().await.expect(200);
    let cursor = text(&second, "next_cursor");
    let rest = app.get(&format!("{path}?limit=4&cursor={cursor}")).by(&moderator).answer().await;
    assert_eq!(rest.expect(200)["data"][0]["position"], 5);
}

#[tokio::test]
async fn a_frozen_copy_cannot_be_traded() {
    let (app, cards) = app_with_print_run().await;
    let (ada, ben, moderator) =
        (app.player("ada").await, app.player("ben").await, app.moderator().await);
    let copy = app.register(&ada, &cards[0]).await;
    let offer = text(&app.offer(&ada, &ben, &[&copy], &[]).await.expect(201), "id");
    for _ in 0..2 {
        let frozen = app.moderate(&moderator, &copy, "freeze").await.expect(200);
        assert_eq!((&frozen["frozen"], &frozen["owner_id"]), (&json!(true), &json!(ada.id)));
    }
    let refused = app.offer(&ada, &ben, &[&copy], &[]).await.problem(422, "invalid_body");
    assert_eq!(refused["errors"][0]["pointer"], "/give/0");
    assert!(refused["errors"][0]["detail"].as_str().unwrap().contains("frozen"), "{refused}");
    let seen = app.get(&format!("/v1/trades/{offer}")).by(&ben).answer().await.expect(200);
    assert_eq!(seen["give"][0]["available"], false);
    let lapsed = app.on_trade(&ben, &offer, "accept").await.problem(409, "trade_lapsed");
    assert_eq!(lapsed["copies"], json!([copy]));
    assert_eq!(app.copies_of(&ada).await, std::slice::from_ref(&copy), "the owner keeps the copy");
    app.moderate(&moderator, &copy, "unfreeze").await.expect(200);
    app.moderate(&moderator, &copy, "unfreeze").await.expect(200);
    app.on_trade(&ben, &offer, "accept").await.problem(409, "trade_lapsed");
    app.hand_over(&ada, &ben, &copy).await;
    assert_eq!(
        app.db().value("SELECT string_agg(entry, ' ' ORDER BY position) FROM copy_ledger").await,
        "register freeze unfreeze transfer"
    );
    let log = "SELECT string_agg(action || ' ' || (target = 'copy:' || (SELECT id FROM copies WHERE id IS NOT NULL)), ', ' ORDER BY created_at) \
               FROM audit_log WHERE action LIKE 'copy.%'";
    assert_eq!(app.db().value(log).await, "copy.frozen true, copy.unfrozen true");
}

#[tokio::test]
async fn a_void_copy_stays_void_and_loses_its_vote() {
    let (app, cards) = app_with_print_run().await;
    let (ada, ben, moderator) =
        (app.player("ada").await, app.player("ben").await, app.moderator().await);
    let copy = app.register(&ada, &cards[0]).await;
    let claim = app.submit(&ben, &cards[0]).await.problem(409, "registered_to_another");
    let card = app.get(&format!("/v1/copies/{copy}")).by(&ada).answer().await.expect(200);
    let card = text(&card["card"], "href");
    for _ in 0..2 {
        let void = app.moderate(&moderator, &copy, "void").await.expect(200);
        assert_eq!(void["voided"], true);
    }
    app.moderate(&moderator, &copy, "freeze").await.problem(409, "copy_void");
    app.moderate(&moderator, &copy, "unfreeze").await.problem(409, "copy_void");
    app.offer(&ada, &ben, &[&copy], &[]).await.problem(422, "invalid_body");
    for player in [&ada, &ben] {
        app.submit(player, &cards[0]).await.problem(422, "submission_rejected");
    }
    let dispute = format!("/v1/disputes/{}", text(&claim, "dispute_id"));
    assert_eq!(app.get(&dispute).by(&ben).answer().await.expect(200)["state"], "voided");

    let now = app.get(&card).by(&ada).answer().await.expect(200);
    assert_eq!(
        now.get("name"),
        None,
        "an account without a valid copy does not see the hidden card"
    );
    assert_eq!(now["unlock"], json!({ "submissions": 0, "threshold": 5 }), "the vote is removed");
    let own = app.get(&format!("/v1/copies/{copy}")).by(&ada).answer().await.expect(200);
    assert_eq!((&own["voided"], own["card"].get("name")), (&json!(true), None));
    assert_eq!(
        app.db().value("SELECT string_agg(entry, ' ' ORDER BY position) FROM copy_ledger").await,
        "register dispute void"
    );
    for undo in [
        "voided_at = NULL",
        "owner_id = (SELECT id FROM accounts WHERE name = 'ben')",
        "id = gen_random_uuid()",
    ] {
        let refused =
            app.db().refuses(&format!("UPDATE copies SET {undo} WHERE id = '{copy}'")).await;
        assert!(refused, "{undo}");
    }
}

#[tokio::test]
async fn moderation_requires_a_reason_and_a_copy_of_another_account() {
    let (app, cards) = app_with_print_run().await;
    let (ada, moderator) = (app.player("ada").await, app.moderator().await);
    let (own, other) =
        (app.register(&moderator, &cards[0]).await, app.register(&ada, &cards[1]).await);
    for what in ["freeze", "unfreeze", "void"] {
        app.moderate(&moderator, &own, what).await.problem(409, "own_case");
        app.moderate(&ada, &own, what).await.problem(403, "forbidden");
        app.moderate(&moderator, &ada.id, what).await.problem(404, "not_found");
        let path = format!("/v1/copies/{other}/{what}");
        for reason in ["", " ", "two\nlines", &"x".repeat(501)] {
            let body = json!({ "reason": reason });
            let refused = app.post(&path).by(&moderator).json(&body).answer().await;
            assert_eq!(refused.problem(422, "invalid_body")["errors"][0]["pointer"], "/reason");
        }
    }
    assert_eq!(app.db().value("SELECT count(*) FROM copy_ledger").await, "2");
    // The moderator cannot moderate this copy after trading it away either: it was owned and submitted by the moderator.
    app.hand_over(&moderator, &ada, &own).await;
    for what in ["freeze", "unfreeze", "void"] {
        app.moderate(&moderator, &own, what).await.problem(409, "own_case");
    }
    let admin = app.admin().await;
    app.moderate(&admin, &own, "freeze").await.expect(200);
}

/// An older version of the program that runs beside this one does not write ids, positions or disputes: the database fills them in.
#[tokio::test]
async fn the_database_completes_rows_of_an_older_program() {
    let (app, cards) = app_with_print_run().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let copy = app.register(&ada, &cards[0]).await;
    app.sql(&format!(
        "INSERT INTO copy_ledger (id, code_prefix, code_mac, entry, account_id, created_at) \
         SELECT gen_random_uuid(), code_prefix, code_mac, 'dispute', '{}', now() FROM copies WHERE id = '{copy}'",
        ben.id
    ))
    .await;
    let claims = app.get("/v1/disputes?role=owner").by(&ada).answer().await.expect(200);
    assert_eq!(
        (&claims["data"][0]["copy"], &claims["data"][0]["state"]),
        (&json!(copy), &json!("open"))
    );
    let history =
        app.get(&format!("/v1/copies/{copy}/history")).by(&ada).answer().await.expect(200);
    assert_eq!(history["data"][1]["position"], 2);
    assert_eq!(history["data"][1]["owner"], "you");
    let again = app.submit(&ben, &cards[0]).await.problem(409, "registered_to_another");
    assert_eq!(again["dispute_id"], claims["data"][0]["id"]);
}

/// A moderator who has read about one owner does nothing to the copy of another.
#[tokio::test]
async fn a_copy_that_changed_hands_is_not_moderated() {
    let (app, cards) = app_with_print_run().await;
    let (ivy, jon, moderator) =
        (app.player("ivy").await, app.player("jon").await, app.moderator().await);
    let copy = app.register(&ivy, &cards[0]).await;
    app.hand_over(&ivy, &jon, &copy).await;
    let act = async |what: &str, owner: &str| {
        let body = json!({ "reason": "Sold twice.", "owner": owner });
        app.post(&format!("/v1/copies/{copy}/{what}")).by(&moderator).json(&body).answer().await
    };
    for what in ["freeze", "void"] {
        let refused = act(what, ivy.id.as_str()).await.problem(409, "edit_conflict");
        assert!(text(&refused, "detail").contains("another owner"), "{refused}");
    }
    act("void", "ivy").await.problem(422, "invalid_body");
    assert_eq!(
        app.db().value("SELECT string_agg(entry, ' ' ORDER BY position) FROM copy_ledger").await,
        "register transfer"
    );
    act("void", jon.id.as_str()).await.expect(200);
    let again = act("void", ivy.id.as_str()).await.expect(200);
    assert_eq!(again["voided"], true, "a repeated request changes nothing");
}
