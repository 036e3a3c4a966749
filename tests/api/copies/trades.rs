//! Trades: both sides agree, all copies change owners at once or none does, and neither side sees hidden data of the other.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Stdio};

use chrono::Duration;
use futures_util::future::{join, join_all};
use serde_json::{Value, json};

use crate::support::{
    Answer, PaperCard, Player, Program, RequestExt as _, TestApp, fresh_path, text, until,
};

async fn app_with_print_run() -> (TestApp, Vec<PaperCard>) {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    let cards = app.print("dusk", 10).await;
    (app, cards)
}

async fn app_with_two_players() -> (TestApp, Vec<PaperCard>, Player, Player) {
    let (app, cards) = app_with_print_run().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    (app, cards, ada, ben)
}

/// Sorts copies so that lists can be compared.
fn sorted<const N: usize>(copies: [&String; N]) -> Vec<String> {
    let mut copies: Vec<String> = copies.into_iter().cloned().collect();
    copies.sort();
    copies
}

async fn owned_copies(app: &TestApp, player: &Player) -> Vec<String> {
    let mut copies = app.copies_of(player).await;
    copies.sort();
    copies
}

#[tokio::test]
async fn a_gift_needs_both_sides_and_counts_for_no_unlock() {
    let (app, cards, ada, ben) = app_with_two_players().await;
    let copy = app.register(&ada, &cards[0]).await;
    let card = text(
        &app.get(&format!("/v1/copies/{copy}")).by(&ada).answer().await.expect(200)["card"],
        "href",
    );
    let unlock = format!("{card}/unlock");
    let before = app.get(&unlock).answer().await.expect(200);

    let answer = app.offer(&ada, &ben, &[&copy], &[]).await;
    let location = answer.header("location");
    let offer = answer.expect(201);
    assert_eq!(location, format!("/v1/trades/{}", text(&offer, "id")));
    assert_eq!((&offer["state"], &offer["role"]), (&json!("open"), &json!("offerer")));
    assert_eq!((&offer["from"], &offer["to"]), (&json!("ada"), &json!("ben")));
    assert_eq!(
        owned_copies(&app, &ada).await,
        std::slice::from_ref(&copy),
        "an offer moves nothing"
    );
    let bens = app.get(&location).by(&ben).answer().await.expect(200);
    assert_eq!(bens["role"], "recipient");
    assert_eq!(bens["give"][0]["id"], copy);
    assert_eq!(bens["give"][0]["card"].get("name"), None, "a hidden card stays hidden in an offer");
    assert_eq!(bens["give"][0].get("rarity"), None);
    assert_eq!(bens["give"][0]["disputed"], false);

    let accepted = app.on_trade(&ben, &text(&offer, "id"), "accept").await.expect(200);
    assert_eq!(
        (&accepted["state"], accepted["give"][0].get("available")),
        (&json!("accepted"), None)
    );
    assert!(
        accepted["give"][0]["card"]["name"].is_string(),
        "ben now owns the copy and sees the name"
    );
    assert_eq!(
        (owned_copies(&app, &ada).await, owned_copies(&app, &ben).await),
        (vec![], vec![copy.clone()])
    );
    assert!(app.get(&card).by(&ben).answer().await.expect(200)["name"].is_string());
    assert_eq!(app.get(&card).by(&ada).answer().await.expect(200).get("name"), None);
    // A client repeats the request if it has lost the answer.
    assert_eq!(app.on_trade(&ben, &text(&offer, "id"), "accept").await.expect(200), accepted);

    // The new owner submits the code of the copy.
    let typed = app.submit(&ben, &cards[0]).await;
    assert_eq!(typed.header("location"), format!("/v1/copies/{copy}"));
    let typed = typed.expect(200);
    assert_eq!(typed.get("submission"), None);
    assert_eq!(
        (&typed["copy"], &typed["already_registered"], &typed["counted"]),
        (&json!(copy), &json!(true), &json!(false))
    );
    // The former owner still knows the code.
    let known = app.submit(&ada, &cards[0]).await.problem(409, "copy_passed_on");
    assert_eq!(known.get("dispute_id"), None);
    assert_eq!(app.db().value("SELECT count(*) FROM disputes").await, "0");
    assert_eq!(app.get(&unlock).answer().await.expect(200), before);
    assert_eq!(app.db().value("SELECT count(*) FROM submissions").await, "1");
    assert_eq!(
        app.db().value("SELECT sum(used) FROM attempts WHERE scope LIKE 'serial%'").await,
        "0"
    );

    // After a trade back, the copy of ada has ada's own submission again.
    app.hand_over(&ben, &ada, &copy).await;
    assert!(app.submit(&ada, &cards[0]).await.expect(200)["submission"].is_string());
}

#[tokio::test]
async fn a_trade_moves_several_copies_of_both_sides_at_once() {
    let (app, cards, ada, ben) = app_with_two_players().await;
    app.set_trading(&ben, "public").await;
    let mut copies = Vec::new();
    for (place, card) in cards[..5].iter().enumerate() {
        copies.push(app.register(if place < 3 { &ada } else { &ben }, card).await);
    }
    let body = json!({
        "with": "BEN", "give": copies[..2], "want": copies[3..], "message": "  two\r\nfor two  ", "expires_in_hours": 1,
    });
    let offer = app.post("/v1/trades").by(&ada).json(&body).answer().await.expect(201);
    assert_eq!((&offer["give_count"], &offer["want_count"]), (&json!(2), &json!(2)));
    assert_eq!(offer["message"], "two\nfor two");
    assert!(offer["want"][0].get("available") == Some(&json!(true)));
    app.on_trade(&ben, &text(&offer, "id"), "accept").await.expect(200);
    assert_eq!(owned_copies(&app, &ada).await, sorted([&copies[2], &copies[3], &copies[4]]));
    assert_eq!(owned_copies(&app, &ben).await, sorted([&copies[0], &copies[1]]));
    assert_eq!(
        app.db().value("SELECT count(*) || ' ' || count(DISTINCT trade_id) FROM copy_ledger WHERE entry = 'transfer' AND position = 2").await,
        "4 1"
    );
}

#[tokio::test]
async fn only_the_two_sides_see_a_trade_and_each_has_its_own_actions() {
    let (app, cards, ada, ben) = app_with_two_players().await;
    let cem = app.player("cem").await;
    let moderator = app.moderator().await;
    let copy = app.register(&ada, &cards[0]).await;
    let id = text(&app.offer(&ada, &ben, &[&copy], &[]).await.expect(201), "id");
    for stranger in [&cem, &moderator] {
        app.get(&format!("/v1/trades/{id}")).by(stranger).answer().await.problem(404, "not_found");
        for what in ["accept", "decline", "cancel"] {
            app.on_trade(stranger, &id, what).await.problem(404, "not_found");
        }
        counter(&app, stranger, &id, &[], &[&copy]).await.problem(404, "not_found");
        assert_eq!(
            app.get("/v1/trades").by(stranger).answer().await.expect(200)["data"],
            json!([])
        );
    }
    app.on_trade(&ada, &id, "accept").await.problem(409, "not_your_turn");
    app.on_trade(&ada, &id, "decline").await.problem(409, "not_your_turn");
    counter(&app, &ada, &id, &[&copy], &[]).await.problem(409, "not_your_turn");
    app.on_trade(&ben, &id, "cancel").await.problem(409, "not_your_turn");
    for _ in 0..2 {
        assert_eq!(app.on_trade(&ben, &id, "decline").await.expect(200)["state"], "declined");
    }
    for (player, what) in [(&ben, "accept"), (&ada, "cancel")] {
        let closed = app.on_trade(player, &id, what).await.problem(409, "trade_closed");
        assert_eq!(closed["state"], "declined");
    }
    let second = text(&app.offer(&ada, &ben, &[&copy], &[]).await.expect(201), "id");
    for _ in 0..2 {
        assert_eq!(app.on_trade(&ada, &second, "cancel").await.expect(200)["state"], "cancelled");
    }
    app.on_trade(&ben, &second, "accept").await.problem(409, "trade_closed");
    assert_eq!(owned_copies(&app, &ada).await, [copy]);

    let list = async |query: &str| {
        let page = app.get(&format!("/v1/trades{query}")).by(&ben).answer().await.expect(200);
        let ids: Vec<String> =
            page["data"].as_array().unwrap().iter().map(|trade| text(trade, "id")).collect();
        (ids, page["next_cursor"].as_str().map(str::to_owned))
    };
    assert_eq!(list("").await.0, [second.clone(), id.clone()]);
    assert_eq!(list("?state=cancelled").await.0, std::slice::from_ref(&second));
    assert_eq!(list("?role=recipient&state=declined").await.0, std::slice::from_ref(&id));
    assert_eq!(list("?role=offerer").await.0, Vec::<String>::new());
    let (first, cursor) = list("?limit=1").await;
    assert_eq!(first, [second]);
    assert_eq!(list(&format!("?limit=1&cursor={}", cursor.unwrap())).await, (vec![id], None));
    app.get("/v1/trades?state=done").by(&ben).answer().await.problem(400, "invalid_query");
}

async fn counter(
    app: &TestApp,
    player: &Player,
    trade: &str,
    give: &[&String],
    want: &[&String],
) -> Answer {
    let body = json!({ "give": give, "want": want });
    app.post(&format!("/v1/trades/{trade}/counter")).by(player).json(&body).answer().await
}

#[tokio::test]
async fn a_counter_offer_replaces_the_first_offer() {
    let (app, cards, ada, ben) = app_with_two_players().await;
    let (first, second) =
        (app.register(&ada, &cards[0]).await, app.register(&ada, &cards[1]).await);
    let bens = app.register(&ben, &cards[2]).await;
    let offer = text(&app.offer(&ada, &ben, &[&first, &second], &[]).await.expect(201), "id");
    // Neither player shows copies publicly, but a counter-offer may request copies of the first offer.
    let answer = counter(&app, &ben, &offer, &[&bens], &[&first]).await.expect(201);
    assert_eq!((&answer["from"], &answer["to"]), (&json!("ben"), &json!("ada")));
    assert_eq!(answer["counter_to"], offer);
    let old = app.get(&format!("/v1/trades/{offer}")).by(&ada).answer().await.expect(200);
    assert_eq!((&old["state"], &old["countered_by"]), (&json!("countered"), &answer["id"]));
    app.on_trade(&ben, &offer, "accept").await.problem(409, "trade_closed");
    counter(&app, &ben, &offer, &[&bens], &[&first]).await.problem(409, "trade_closed");
    app.on_trade(&ben, &text(&answer, "id"), "accept").await.problem(409, "not_your_turn");

    // A counter-offer to the counter-offer, sent twice.
    let path = format!("/v1/trades/{}/counter", text(&answer, "id"));
    let body = json!({ "give": [second], "want": [bens] });
    let send = async |path: &str| {
        app.post(path).by(&ada).header("idempotency-key", "back").json(&body).answer().await
    };
    let third = send(&path).await.expect(201);
    assert_eq!(send(&path).await.expect(201), third);
    let other_path = format!("/v1/trades/{offer}/counter");
    send(&other_path).await.problem(422, "idempotency_key_reused");
    app.on_trade(&ben, &text(&third, "id"), "accept").await.expect(200);
    assert_eq!(owned_copies(&app, &ada).await, sorted([&first, &bens]));
    assert_eq!(owned_copies(&app, &ben).await, [second]);
}

#[tokio::test]
async fn an_offer_can_request_only_copies_that_are_shown() {
    let (app, cards, ada, ben) = app_with_two_players().await;
    let cem = app.player("cem").await;
    let other = cards.iter().find(|card| card.number != cards[0].number).unwrap();
    let (own, bens) = (app.register(&ada, &cards[0]).await, app.register(&ben, other).await);
    let cems = app.register(&cem, &cards[2]).await;
    let unknown = "01998d5e-7a35-4c54-b0a0-1f6f4f5f2b11".to_owned();
    let ask = async |want: &String| {
        let mut refused =
            app.offer(&ada, &ben, &[&own], &[want]).await.problem(422, "invalid_body");
        refused.as_object_mut().unwrap().remove("instance");
        refused
    };
    let not_shown = ask(&bens).await;
    assert_eq!(not_shown["errors"][0]["pointer"], "/want/0");
    assert_eq!(ask(&cems).await, not_shown, "the answer does not show who owns the copy");
    assert_eq!(ask(&unknown).await, not_shown);
    app.get("/v1/players/ben/copies").by(&ada).answer().await.problem(404, "not_found");

    app.set_trading(&ben, "public").await;
    let shown = app.get("/v1/players/Ben/copies").by(&ada).answer().await.expect(200);
    assert_eq!(shown["data"][0]["id"], bens);
    assert_eq!(shown["data"][0]["card"].get("name"), None, "hidden cards stay hidden");
    assert_eq!(shown["data"][0].get("rarity"), None);
    assert!(!shown.to_string().contains(&ben.id));
    assert_eq!(ask(&cems).await, not_shown);
    app.offer(&ada, &ben, &[&own], &[&bens]).await.expect(201);
    let of_card = |card: &Value| format!("/v1/players/ben/copies?card={}", text(card, "id"));
    let found = app.get(&of_card(&shown["data"][0]["card"])).by(&ada).answer().await.expect(200);
    assert_eq!(found["data"].as_array().unwrap().len(), 1);
    app.get("/v1/players/ben/copies?rarity=rare")
        .by(&ada)
        .answer()
        .await
        .problem(400, "invalid_query");
    for name in ["nobody", "x", "%00%00%00", "%FF%FE%FD"] {
        let answer = app.get(&format!("/v1/players/{name}/copies")).by(&ada).answer().await;
        assert!([400, 404].contains(&answer.status), "{name}: {}", answer.text());
    }

    // Frozen and void copies are not shown, so an offer cannot request them.
    let moderator = app.moderator().await;
    app.moderate(&moderator, &bens, "freeze").await.expect(200);
    assert_eq!(ask(&bens).await, not_shown);
    let shown = app.get("/v1/players/ben/copies").by(&ada).answer().await.expect(200);
    assert_eq!(shown["data"], json!([]));

    app.set_trading(&ben, "closed").await;
    let closed = app.offer(&ada, &ben, &[&own], &[]).await.problem(422, "no_such_trader");
    let body = json!({ "with": "nobody at all", "give": [own] });
    let nobody =
        app.post("/v1/trades").by(&ada).json(&body).answer().await.problem(422, "no_such_trader");
    assert_eq!(closed["detail"], nobody["detail"]);
}

#[tokio::test]
async fn an_offer_has_limits() {
    let (app, cards, ada, ben) = app_with_two_players().await;
    let (own, other) = (app.register(&ada, &cards[0]).await, app.register(&ben, &cards[1]).await);
    let id = |n: u128| format!("01998d5e-7a35-4c54-b0a0-{n:012x}");
    let many: Vec<String> = (0..51).map(id).collect();
    let send = async |change: Value| {
        let mut body = json!({ "with": "ben", "give": [own] });
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let answer = app.post("/v1/trades").by(&ada).json(&body).answer().await;
        let problem = answer.problem(422, "invalid_body");
        let pointers = problem["errors"].as_array().unwrap().iter();
        pointers.map(|fault| text(fault, "pointer")).collect::<Vec<_>>()
    };
    assert_eq!(send(json!({ "give": [] })).await, [""]);
    assert_eq!(send(json!({ "give": many })).await, ["/give"]);
    assert_eq!(send(json!({ "want": many })).await, ["/want"]);
    assert_eq!(send(json!({ "give": [own, own] })).await, ["/give/1"]);
    assert_eq!(send(json!({ "want": [own] })).await, ["/want/0"]);
    assert_eq!(send(json!({ "give": [own, other, many[0]] })).await, ["/give/1", "/give/2"]);
    assert_eq!(send(json!({ "with": "ada" })).await, ["/with"]);
    assert_eq!(send(json!({ "with": "x" })).await, ["/with"]);
    assert_eq!(send(json!({ "message": "" })).await, ["/message"]);
    assert_eq!(send(json!({ "message": "x".repeat(501) })).await, ["/message"]);
    assert_eq!(send(json!({ "message": "a\tb" })).await, ["/message"]);
    assert_eq!(send(json!({ "expires_in_hours": 0 })).await, ["/expires_in_hours"]);
    assert_eq!(send(json!({ "expires_in_hours": 2161 })).await, ["/expires_in_hours"]);
    assert_eq!(send(json!({ "price": 7 })).await.len(), 1);
    assert_eq!(app.db().value("SELECT count(*) FROM trades").await, "0");

    app.sql(&format!(
        "INSERT INTO trades (id, offered_by, offered_to, state, created_at, expires_at) \
         SELECT gen_random_uuid(), '{}', '{}', 'open', now(), now() + interval '1 hour' FROM generate_series(1, 99)",
        ada.id, ben.id
    ))
    .await;
    let give = [&own];
    let both = join_all((0..4).map(|_| app.offer(&ada, &ben, &give, &[]))).await;
    let created = both.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(created, 1, "parallel offers do not pass the limit");
    app.offer(&ada, &ben, &[&own], &[]).await.problem(409, "too_many_trades");
    app.offer(&ben, &ada, &[&other], &[]).await.expect(201);
    // Expired offers do not count for the limit.
    app.clock().advance(Duration::hours(2));
    let ada = app.log_in(&ada.name, &ada.password).await;
    app.offer(&ada, &ben, &[&own], &[]).await.expect(201);
}

/// Cancelled offers count: each of them notifies the other player.
#[tokio::test]
async fn an_account_makes_a_limited_number_of_offers_a_day() {
    let (app, cards) = app_with_print_run().await;
    // A full hour is left, so that the day does not end during the test.
    app.begin_window();
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let copy = app.register(&ada, &cards[0]).await;
    let other = app.register(&ben, &cards[1]).await;
    for _ in 0..19 {
        let offer = text(&app.offer(&ada, &ben, &[&copy], &[]).await.expect(201), "id");
        app.on_trade(&ada, &offer, "cancel").await.expect(200);
        // A refused offer does not count.
        app.offer(&ada, &ben, &[&other], &[]).await.problem(422, "invalid_body");
    }
    // A counter-offer counts like an offer.
    let his = text(&app.offer(&ben, &ada, &[&other], &[]).await.expect(201), "id");
    let hers = text(&counter(&app, &ada, &his, &[&copy], &[&other]).await.expect(201), "id");
    let refused = app.offer(&ada, &ben, &[&copy], &[]).await.problem(429, "daily_limit_reached");
    assert_eq!((&refused["limit"], &refused["max"]), (&json!("offers"), &json!(20)));
    let back = text(&counter(&app, &ben, &hers, &[&other], &[]).await.expect(201), "id");
    counter(&app, &ada, &back, &[&copy], &[]).await.problem(429, "daily_limit_reached");
    let open = app.get(&format!("/v1/trades/{back}")).by(&ada).answer().await.expect(200);
    assert_eq!(open["state"], "open", "the refused counter-offer closes nothing");
    // Accounts that are not new may make more. Everybody may make more on the next day.
    app.sql("UPDATE accounts SET created_at = created_at - interval '9 days'").await;
    app.offer(&ada, &ben, &[&copy], &[]).await.expect(201);
    app.sql("UPDATE daily_counts SET count = 50").await;
    app.offer(&ada, &ben, &[&copy], &[]).await.problem(429, "daily_limit_reached");
    app.sql("UPDATE daily_counts SET day = day - 1").await;
    app.offer(&ada, &ben, &[&copy], &[]).await.expect(201);
}

#[tokio::test]
async fn an_offer_expires() {
    let (app, cards, ada, ben) = app_with_two_players().await;
    let copy = app.register(&ada, &cards[0]).await;
    let body = json!({ "with": "ben", "give": [copy], "expires_in_hours": 1 });
    let offer = app.post("/v1/trades").by(&ada).json(&body).answer().await.expect(201);
    let (id, path) = (text(&offer, "id"), format!("/v1/trades/{}", text(&offer, "id")));
    app.clock().advance(Duration::minutes(59));
    let (ada, ben) =
        (app.log_in("ada", &ada.password).await, app.log_in("ben", &ben.password).await);
    assert_eq!(app.get(&path).by(&ben).answer().await.expect(200)["state"], "open");
    app.clock().advance(Duration::minutes(2));
    let check_expired = async || {
        let seen = app.get(&path).by(&ben).answer().await.expect(200);
        assert_eq!((&seen["state"], &seen["closed_at"]), (&json!("expired"), &offer["expires_at"]));
        let listed = app.get("/v1/trades?state=expired").by(&ada).answer().await.expect(200);
        assert_eq!(listed["data"].as_array().unwrap().len(), 1);
        let open = app.get("/v1/trades?state=open").by(&ada).answer().await.expect(200);
        assert_eq!(open["data"], json!([]));
        for (player, what) in [(&ben, "accept"), (&ben, "decline"), (&ada, "cancel")] {
            let closed = app.on_trade(player, &id, what).await.problem(409, "trade_closed");
            assert_eq!(closed["state"], "expired");
        }
    };
    check_expired().await;
    // The same after housekeeping, which stores the expiry and later deletes the offer.
    let sweep = async || {
        cardscape::store::operations::retention::sweep(app.store(), app.clock().now())
            .await
            .unwrap();
    };
    sweep().await;
    assert_eq!(app.db().value("SELECT state FROM trades").await, "expired");
    check_expired().await;
    app.hand_over(&ada, &ben, &copy).await;
    app.clock().advance(Duration::days(91));
    sweep().await;
    assert_eq!(app.db().value("SELECT string_agg(state, ' ') FROM trades").await, "accepted");
}

#[tokio::test]
async fn an_offer_lapses_when_a_copy_is_no_longer_available() {
    let (app, cards, ada, ben) = app_with_two_players().await;
    let cem = app.player("cem").await;
    let (first, second) =
        (app.register(&ada, &cards[0]).await, app.register(&ada, &cards[1]).await);
    let both = text(&app.offer(&ada, &ben, &[&first, &second], &[]).await.expect(201), "id");
    app.hand_over(&ada, &cem, &first).await;
    let answers = [
        app.on_trade(&ben, &both, "accept").await.problem(409, "trade_lapsed"),
        app.on_trade(&ben, &both, "accept").await.problem(409, "trade_lapsed"),
    ];
    assert!(answers.iter().all(|refused| refused["copies"] == json!([first])), "{answers:?}");
    assert_eq!(owned_copies(&app, &ada).await, std::slice::from_ref(&second));
    assert_eq!(owned_copies(&app, &ben).await, Vec::<String>::new());
    let seen = app.get(&format!("/v1/trades/{both}")).by(&ada).answer().await.expect(200);
    let gone: BTreeMap<String, &Value> = seen["give"]
        .as_array()
        .unwrap()
        .iter()
        .map(|copy| (text(copy, "id"), &copy["gone"]))
        .collect();
    assert_eq!(gone, BTreeMap::from([(first, &json!(true)), (second.clone(), &json!(false))]));
    assert!(
        !seen.to_string().contains("cem"),
        "the answer does not show the new owner of the copy"
    );

    // A banned account cannot trade.
    let offer = text(&app.offer(&ada, &ben, &[&second], &[]).await.expect(201), "id");
    let admin = app.admin().await;
    let ban = json!({ "banned": true });
    app.patch(&format!("/v1/accounts/{}", ada.id)).by(&admin).json(&ban).answer().await.expect(200);
    let path = format!("/v1/trades/{offer}");
    let seen = app.get(&path).by(&ben).answer().await.expect(200);
    assert_eq!((&seen["state"], &seen["give"][0]["available"]), (&json!("open"), &json!(false)));
    let decks = app.get(&format!("{path}/decks")).by(&ben).answer().await.expect(200);
    assert_eq!((&decks["possible"], &decks["decks"]), (&json!(false), &json!([])));
    let lapsed = app.on_trade(&ben, &offer, "accept").await.problem(409, "trade_lapsed");
    assert_eq!(lapsed["copies"], json!([]));
    app.offer(&ben, &ada, &[&second], &[]).await.problem(422, "no_such_trader");
}

#[tokio::test]
async fn an_offer_shows_that_a_copy_is_disputed() {
    let (app, cards, ada, ben) = app_with_two_players().await;
    let cem = app.player("cem").await;
    let copy = app.register(&ada, &cards[0]).await;
    app.submit(&cem, &cards[0]).await.problem(409, "registered_to_another");
    let offer = app.offer(&ada, &ben, &[&copy], &[]).await.expect(201);
    let seen =
        app.get(&format!("/v1/trades/{}", text(&offer, "id"))).by(&ben).answer().await.expect(200);
    assert_eq!(seen["give"][0]["disputed"], true);
    assert!(!seen.to_string().contains(&cem.id));
}

/// Otherwise a claimant could find the copy by the own claim, and so its owner.
#[tokio::test]
async fn a_claim_shows_the_claimant_no_copy() {
    let (app, cards, ada, ben) = app_with_two_players().await;
    let copy = app.register(&ada, &cards[0]).await;
    app.set_trading(&ada, "public").await;
    let offer = text(&app.offer(&ben, &ada, &[], &[&copy]).await.expect(201), "id");
    let trade = format!("/v1/trades/{offer}");
    let read = async || {
        let shown = app.get("/v1/players/ada/copies").by(&ben).answer().await.expect(200);
        (shown, app.get(&trade).by(&ben).answer().await.expect(200))
    };
    let before = read().await;
    assert_eq!(before.0["data"][0]["id"], copy);
    app.submit(&ben, &cards[0]).await.problem(409, "registered_to_another");
    assert_eq!(read().await, before);
    let hers = app.get(&trade).by(&ada).answer().await.expect(200);
    assert_eq!(hers["want"][0]["disputed"], true);
    // Lists do not show the claims of others either: they could be the claimant's, too.
    let cem = app.player("cem").await;
    let shown = app.get("/v1/players/ada/copies").by(&cem).answer().await.expect(200);
    assert_eq!(shown["data"][0].get("disputed"), None);
}

/// A block locks accounts, then offers. So does a counter-offer: while it waits for its account, it holds no offer that the block waits for.
#[tokio::test]
async fn a_counter_offer_locks_its_account_before_the_offer() {
    let (app, cards, ada, ben) = app_with_two_players().await;
    let (hers, his) = (app.register(&ada, &cards[0]).await, app.register(&ben, &cards[1]).await);
    let offer = text(&app.offer(&ada, &ben, &[&hers], &[]).await.expect(201), "id");
    let block = app.db().session().await;
    let lock = format!("BEGIN; SELECT FROM accounts WHERE id = '{}' FOR NO KEY UPDATE", ben.id);
    block.batch_execute(&lock).await.unwrap();
    let lock_offer = async {
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        until("the counter-offer waits", async |_| app.db().number(waiting).await > 0).await;
        let lock =
            format!("SELECT FROM trades WHERE id = '{offer}' FOR NO KEY UPDATE NOWAIT; COMMIT");
        block.batch_execute(&lock).await.expect("the counter-offer does not hold the offer");
    };
    let (countered, ()) = join(counter(&app, &ben, &offer, &[&his], &[&hers]), lock_offer).await;
    countered.expect(201);
}

#[tokio::test]
async fn counter_offers_and_blocks_at_one_time_leave_nothing_open() {
    let (app, cards, ada, ben) = app_with_two_players().await;
    let second = app.second_instance();
    let (hers, his) = (app.register(&ada, &cards[0]).await, app.register(&ben, &cards[1]).await);
    // Accounts that are not new may make enough offers a day.
    app.sql("UPDATE accounts SET created_at = created_at - interval '9 days'").await;
    let path = format!("/v1/me/blocks/{}", ben.id);
    for round in 0..20 {
        let offer = text(&app.offer(&ada, &ben, &[&hers], &[]).await.expect(201), "id");
        let (countered, blocked) = join(
            counter(&second, &ben, &offer, &[&his], &[&hers]),
            app.put(&path).by(&ada).answer(),
        )
        .await;
        assert!([201, 409].contains(&countered.status), "{round}: {}", countered.text());
        assert_eq!(blocked.status, 204, "{round}: {}", blocked.text());
        assert_eq!(app.db().number("SELECT count(*) FROM trades WHERE state = 'open'").await, 0);
        app.delete(&path).by(&ada).answer().await.expect(204);
    }
}

#[tokio::test]
async fn a_repeated_offer_is_created_once() {
    let (app, cards, ada, ben) = app_with_two_players().await;
    let second = app.second_instance();
    let copy = app.register(&ada, &cards[0]).await;
    let send = async |app: &TestApp, body: Value| {
        let request = app.post("/v1/trades").by(&ada).header("idempotency-key", "once");
        request.json(&body).answer().await
    };
    let body = json!({ "with": "ben", "give": [copy] });
    let first = send(&app, body.clone()).await.expect(201);
    assert_eq!(send(&second, body).await.expect(201), first);
    send(&second, json!({ "with": "ben", "give": [copy], "message": "other" }))
        .await
        .problem(422, "idempotency_key_reused");
    assert_eq!(app.db().value("SELECT count(*) FROM trades").await, "1");
    let accepted = app.on_trade(&ben, &text(&first, "id"), "accept").await.expect(200);
    // A repeated request after the trade returns the current state of the offer.
    assert_eq!(
        send(&app, json!({ "with": "ben", "give": [copy] })).await.expect(201)["state"],
        accepted["state"]
    );
}

/// One copy is offered to twelve players, who all accept at the same time on two instances.
#[tokio::test]
async fn only_one_of_many_parallel_acceptances_gets_a_copy() {
    let (app, cards, ada, _) = app_with_two_players().await;
    let second = app.second_instance();
    let copy = app.register(&ada, &cards[0]).await;
    let players = join_all((0..12).map(|n| app.player_owned(format!("player {n}")))).await;
    let mut offers = Vec::new();
    for player in &players {
        offers.push(text(&app.offer(&ada, player, &[&copy], &[]).await.expect(201), "id"));
    }
    let taken = players.iter().zip(&offers).enumerate().map(|(n, (player, offer))| {
        let instance = if n % 2 == 0 { &app } else { &second };
        instance.on_trade(player, offer, "accept")
    });
    let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
    for answer in join_all(taken).await {
        *statuses.entry(answer.status).or_default() += 1;
    }
    assert_eq!(statuses, BTreeMap::from([(200, 1), (409, 11)]));
    assert_eq!(
        app.db().value("SELECT count(*) FROM copy_ledger WHERE entry = 'transfer'").await,
        "1"
    );
    assert_eq!(app.db().value("SELECT count(*) FROM trades WHERE state = 'accepted'").await, "1");
}

/// Overlapping trades of the same copies in both directions do not deadlock.
#[tokio::test]
async fn crossing_trades_do_not_block_each_other() {
    let (app, cards, ada, ben) = app_with_two_players().await;
    let second = app.second_instance();
    app.set_trading(&ada, "public").await;
    app.set_trading(&ben, "public").await;
    let mut copies = Vec::new();
    for (place, card) in cards[..8].iter().enumerate() {
        copies.push(app.register(if place % 2 == 0 { &ada } else { &ben }, card).await);
    }
    for round in 0..5 {
        let (of_ada, of_ben) = (app.copies_of(&ada).await, app.copies_of(&ben).await);
        let mut offers = Vec::new();
        for n in 0..6 {
            let give: Vec<&String> = of_ada.iter().skip(n % 2).collect();
            let want: Vec<&String> = of_ben.iter().rev().skip(n % 3).collect();
            let (from, to, give, want) =
                if n % 2 == 0 { (&ada, &ben, give, want) } else { (&ben, &ada, want, give) };
            if give.is_empty() && want.is_empty() {
                continue;
            }
            offers.push((to, text(&app.offer(from, to, &give, &want).await.expect(201), "id")));
        }
        let accepted = offers.iter().enumerate().map(|(n, (to, id))| {
            let instance = if n % 2 == 0 { &app } else { &second };
            instance.on_trade(to, id, "accept")
        });
        let answers = join_all(accepted).await;
        let done = answers.iter().filter(|answer| answer.status == 200).count();
        assert!(done >= 1, "round {round}: the first accepted trade succeeds");
        for answer in answers.into_iter().filter(|answer| answer.status != 200) {
            answer.problem(409, "trade_lapsed");
        }
    }
    let owners = [owned_copies(&app, &ada).await, owned_copies(&app, &ben).await].concat();
    assert_eq!(owners.len(), copies.len());
}

#[tokio::test]
async fn a_token_without_catalogue_scope_sees_no_hidden_card_in_an_offer() {
    let (app, cards, ada, ben) = app_with_two_players().await;
    let copy = app.register(&ada, &cards[0]).await;
    let body = json!({ "name": "trader", "scopes": ["trades:read", "trades:write"] });
    let token = app.post("/v1/tokens").by(&ada).json(&body).answer().await.expect(201);
    let token = Player { access_token: text(&token, "secret"), ..ada.clone() };
    let offer = app.offer(&token, &ben, &[&copy], &[]).await.expect(201);
    assert_eq!(
        offer["give"][0]["card"].get("name"),
        None,
        "without catalogue:read the token does not see the name"
    );
    assert_eq!(offer["give"][0]["rarity"], cards[0].rarity, "the rarity of an own copy is shown");
}

/// The program on the database of the test, as a separate process: its metrics and its log contain nothing of other tests.
struct Service {
    child: Child,
    base: String,
    log: PathBuf,
}

impl Service {
    async fn start(program: &Program<'_>) -> Self {
        let log = fresh_path(".log");
        let mut command =
            program.command(&["serve", "--listen", "127.0.0.1:0", "--bulk-interval", "0"]);
        // This folder has no seed data, which the program would load first.
        command.current_dir(std::env::temp_dir());
        command.stdout(Stdio::piped()).stderr(File::create(&log).unwrap());
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let base = tokio::task::spawn_blocking(move || {
            let mut lines = out.lines().map_while(Result::ok);
            let ready = lines.find_map(|line| {
                let url = line.strip_prefix("Cardscape is ready: ")?;
                Some(url.to_owned())
            });
            // A full pipe would block the program, so this thread reads the remaining output.
            std::thread::spawn(move || lines.for_each(drop));
            ready
        });
        let base = base.await.unwrap();
        let base = base.unwrap_or_else(|| panic!("{}", std::fs::read_to_string(&log).unwrap()));
        Self { child, base, log }
    }

    async fn send(&self, path: &str, token: &str, body: &Value) -> Value {
        let request = reqwest::Client::new().post(format!("{}{path}", self.base)).json(body);
        let request = if token.is_empty() { request } else { request.bearer_auth(token) };
        request.send().await.unwrap().json().await.unwrap()
    }

    async fn block(&self, player: &str, token: &str) {
        let path = format!("{}/v1/me/blocks/{player}", self.base);
        let request = reqwest::Client::new().put(path).bearer_auth(token);
        assert_eq!(request.send().await.unwrap().status(), 204);
    }

    async fn metrics(&self) -> String {
        reqwest::get(format!("{}/metrics", self.base)).await.unwrap().text().await.unwrap()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_file(&self.log);
    }
}

#[tokio::test]
async fn a_repeated_answer_to_a_trade_is_counted_and_logged_once() {
    let (app, cards, ada, ben) = app_with_two_players().await;
    let mut offers = Vec::new();
    for card in &cards[..3] {
        let copy = app.register(&ada, card).await;
        offers.push((text(&app.offer(&ada, &ben, &[&copy], &[]).await.expect(201), "id"), copy));
    }
    let moderator = app.moderator().await;
    app.moderate(&moderator, &offers[2].1, "freeze").await.expect(200);
    let program = Program::new(&app);
    let service = Service::start(&program).await;
    let credentials = json!({ "name": ben.name, "password": ben.password });
    let token = text(&service.send("/v1/sessions", "", &credentials).await, "access_token");
    for (place, what) in ["accept", "decline", "accept"].into_iter().enumerate() {
        let path = format!("/v1/trades/{}/{what}", offers[place].0);
        let (first, again) = (
            service.send(&path, &token, &json!({})).await,
            service.send(&path, &token, &json!({})).await,
        );
        assert_eq!((&first["state"], &first["code"]), (&again["state"], &again["code"]));
    }
    // A block closes offers as their owner could.
    app.offer(&ben, &ada, &[&offers[0].1], &[]).await.expect(201);
    for _ in 0..2 {
        service.block("ada", &token).await;
    }
    let metrics = service.metrics().await;
    for event in ["accepted", "declined", "lapsed", "cancelled"] {
        let line = format!("trades_total{{event=\"{event}\"}} 1");
        assert!(metrics.lines().any(|found| found == line), "{line}: {metrics}");
    }
    // Log lines are written shortly after the answers.
    let closed_in_log =
        async || std::fs::read_to_string(&service.log).unwrap().matches("trade closed").count();
    for _ in 0..200 {
        if closed_in_log().await >= 4 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    service.metrics().await;
    assert_eq!(closed_in_log().await, 4);
}
