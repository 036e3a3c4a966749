//! Submitting serial codes: accepted submissions, rejected submissions and the limits of attempts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration as Seconds;

use cardscape::app::state::ApiSettings;
use cardscape::domain::accounts::attempts::AttemptLimits;
use cardscape::domain::clock::Clock;
use cardscape::store::StoreSettings;
use chrono::Duration;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Answer, PaperCard, Player, RequestExt as _, TestApp, TestDb};

async fn submit(app: &TestApp, player: &Player, card: &PaperCard) -> Answer {
    app.post("/v1/submissions").by(player).json(&card.submission()).answer().await
}

/// A well-formed code that is in no print run, a different code for each number.
fn unknown_code(number: usize) -> String {
    let symbols = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let symbol = |place: u32| char::from(symbols[number / 32_usize.pow(place) % 32]);
    // The check symbol is one of 32.
    let fits = |check: &u8| {
        let code = format!("ZZZZ-ZZZZ-ZZZZ-{}{}Z{}", symbol(1), symbol(0), char::from(*check));
        cardscape::domain::serials::serial::SerialCode::parse(&code).is_ok().then_some(code)
    };
    symbols.iter().find_map(fits).unwrap()
}

async fn app_with_print_run() -> (TestApp, Vec<PaperCard>) {
    let app = TestApp::start().await;
    app.begin_window();
    app.import_set("dusk", 2, true).await;
    let cards = app.print("dusk", 10).await;
    (app, cards)
}

#[tokio::test]
async fn the_first_valid_registrant_owns_the_copy() {
    let (app, cards) = app_with_print_run().await;
    let ada = app.player("ada").await;
    let answer = submit(&app, &ada, &cards[0]).await;
    let location = answer.header("location");
    let body = answer.expect(201);
    assert_eq!(location, format!("/v1/submissions/{}", body["submission"].as_str().unwrap()));
    assert_eq!(body["card"]["game"], "ttcg");
    assert_eq!(body["card"]["set"], "dusk");
    assert_eq!(body["card"]["number"], cards[0].number);
    assert_eq!(body["rarity"], cards[0].rarity);
    assert_eq!(body["counted"], true);
    assert_eq!(body["unlock"], json!({ "submissions": 1, "threshold": 5 }));
    assert_eq!(body["already_registered"], false);
    assert!(!body.to_string().contains("numbered"), "the answer does not repeat the name");

    let again = submit(&app, &ada, &cards[0]).await.expect(200);
    assert_eq!(again["already_registered"], true);
    assert_eq!(again["submission"], body["submission"]);

    let found = app.get(&location).by(&ada).answer().await;
    let tag = found.header("etag");
    assert_eq!(found.clone().expect(200)["submission"], body["submission"]);
    app.get(&location).by(&ada).header("if-none-match", tag).answer().await.expect(304);
    let ben = app.player("ben").await;
    app.get(&location).by(&ben).answer().await.problem(404, "not_found");
}

/// What phones, scanners and other programs make of a code: full-width symbols, characters that nobody sees, other marks between groups, the address of the QR code.
#[tokio::test]
async fn a_code_in_another_spelling_is_the_same_code() {
    let (app, cards) = app_with_print_run().await;
    let ada = app.player("ada").await;
    app.submit(&ada, &cards[0]).await.expect(201);
    let code = &cards[0].serial;
    let wide = |letter: char| char::from_u32(u32::from(letter) + 0xFEE0).unwrap();
    for serial in [
        code.chars().map(wide).collect(),
        code.chars().map(wide).collect::<String>().replace('－', "．"),
        code.replace('-', "ー"),
        format!("\u{202A}{code}\u{202C}"),
        code.replace('-', "."),
        code.replace('-', " _ "),
        code.replace('-', "\u{200B}"),
        code.replace('-', "\u{AD}"),
        format!("\u{FEFF}{code}\u{200E}."),
        format!("https://cards.example/submit#{code}"),
    ] {
        let typed = json!({ "serial": serial, "name": cards[0].name });
        let again = app.post("/v1/submissions").by(&ada).json(&typed).answer().await;
        assert_eq!(again.expect(200)["already_registered"], true, "{serial}");
    }
}

#[tokio::test]
async fn differences_in_case_and_punctuation_are_accepted() {
    let (app, cards) = app_with_print_run().await;
    let ada = app.player("ada").await;
    let typed = json!({
        "serial": format!("  {} ", cards[0].serial.to_lowercase().replace('-', " ").replace('0', "o").replace('1', "l")),
        "name": cards[0].name.to_uppercase().replace([',', '!'], " "),
        "game": "ttcg",
    });
    app.post("/v1/submissions").by(&ada).json(&typed).answer().await.expect(201);
}

#[tokio::test]
async fn all_rejected_submissions_get_the_same_answer() {
    let (app, cards) = app_with_print_run().await;
    app.seed(&["uno-emoji"]).await;
    let ada = app.player("ada").await;
    let voided = &cards[2];
    app.post("/v1/submissions").by(&ada).json(&voided.submission()).answer().await.expect(201);
    app.sql("UPDATE copies SET voided_at = now() WHERE owner_id IS NOT NULL").await;
    let other = cards.iter().find(|card| card.number != cards[0].number).unwrap();
    let wrong = [
        json!({ "serial": unknown_code(0), "name": cards[0].name }),
        json!({ "serial": cards[0].serial, "name": other.name }),
        json!({ "serial": cards[0].serial, "name": "no card at all" }),
        json!({ "serial": cards[0].serial, "name": "?!" }),
        json!({ "serial": cards[0].serial, "name": cards[0].name, "game": "uno-emoji" }),
        voided.submission(),
    ];
    let ben = app.player("ben").await;
    let mut answers = BTreeSet::new();
    for body in &wrong {
        let answer = app.post("/v1/submissions").by(&ben).json(body).answer().await;
        let mut problem = answer.problem(422, "submission_rejected");
        problem.as_object_mut().unwrap().remove("instance");
        answers.insert(problem.to_string());
    }
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(
        app.db()
            .value("SELECT string_agg(used::text, ' ') FROM attempts WHERE scope LIKE 'serial%' AND used > 0")
            .await,
        "6 6"
    );
    assert_eq!(app.db().value("SELECT count(*) FROM submissions").await, "1");
}

#[tokio::test]
async fn malformed_input_is_reported_without_using_an_attempt() {
    let (app, cards) = app_with_print_run().await;
    let ada = app.player("ada").await;
    let send = async |body: Value| app.post("/v1/submissions").by(&ada).json(&body).answer().await;
    let with = |serial: &str| json!({ "serial": serial, "name": cards[0].name });

    send(with("7KQ2")).await.problem(422, "serial_malformed");
    let position = send(with("7KQ2-X0FM-93TD-AWU5")).await.problem(422, "serial_malformed");
    assert_eq!(position["position"], 15);
    assert_eq!(position["errors"][0]["pointer"], "/serial");
    let mut mistyped = cards[0].serial.clone();
    let last = if mistyped.ends_with('7') { '8' } else { '7' };
    mistyped.pop();
    mistyped.push(last);
    send(with(&mistyped)).await.problem(422, "serial_mistyped");

    send(json!({ "serial": cards[0].serial, "name": " " })).await.problem(422, "invalid_body");
    send(json!({ "serial": cards[0].serial, "name": "x".repeat(201) }))
        .await
        .problem(422, "invalid_body");
    send(json!({ "serial": cards[0].serial })).await.problem(422, "invalid_body");
    send(json!({ "serial": 7, "name": "x" })).await.problem(422, "invalid_body");
    send(json!({ "serial": "x".repeat(100_000), "name": "x" }))
        .await
        .problem(422, "serial_malformed");
    assert_eq!(
        app.db().value("SELECT count(*) FROM attempts WHERE scope LIKE 'serial%'").await,
        "0"
    );
}

#[tokio::test]
async fn a_game_is_recognised_in_any_case_and_with_spaces_and_an_unknown_one_uses_no_attempt() {
    let (app, cards) = app_with_print_run().await;
    let ada = app.player("ada").await;
    let send = async |game: &str| {
        let body = json!({ "serial": cards[0].serial, "name": cards[0].name, "game": game });
        app.post("/v1/submissions").by(&ada).json(&body).answer().await
    };
    for (game, says) in [
        ("ttgc", "There is no game ttgc; did you mean ttcg?"),
        (
            "no game",
            "a code has only letters, digits, hyphens and underscores, at most 64, such as ttcg or 001",
        ),
        (
            "",
            "a code has only letters, digits, hyphens and underscores, at most 64, such as ttcg or 001",
        ),
    ] {
        let refused = send(game).await.problem(422, "invalid_body");
        assert_eq!(refused["errors"], json!([{ "pointer": "/game", "detail": says }]), "{game}");
    }
    // All faults are reported together, also that of a game that has to be looked up.
    let serial = cards[0].serial.as_str();
    for (serial, name, game, code, expected) in [
        ("7KQ2", " ", "no game", "serial_malformed", &["/serial", "/name", "/game"][..]),
        ("7KQ2", "x", "ttgc", "serial_malformed", &["/serial", "/game"]),
        ("7KQ2", "x", "TTCG", "serial_malformed", &["/serial"]),
        ("0000-0000-0000-0001", "x", "ttgc", "serial_mistyped", &["/serial", "/game"]),
        (serial, " ", "ttgc", "invalid_body", &["/name", "/game"]),
    ] {
        let body = json!({ "serial": serial, "name": name, "game": game });
        let refused = app.post("/v1/submissions").by(&ada).json(&body).answer().await;
        let refused = refused.problem(422, code);
        let pointers: Vec<&Value> =
            refused["errors"].as_array().unwrap().iter().map(|fault| &fault["pointer"]).collect();
        assert_eq!(pointers, expected, "{serial} {name} {game}");
        let batch = json!({ "submissions": [body] });
        let batch = app.post("/v1/submissions/batch").by(&ada).json(&batch).answer().await;
        let verdict = batch.expect(200)["data"][0].clone();
        assert_eq!(verdict["verdict"], code);
        let detail = verdict["detail"].as_str().unwrap();
        assert_eq!(detail.contains("There is no game ttgc"), game == "ttgc", "{detail}");
    }
    assert_eq!(
        app.db().value("SELECT count(*) FROM attempts WHERE scope LIKE 'serial%'").await,
        "0"
    );
    send(" TTCG\t").await.expect(201);
}

#[tokio::test]
async fn submitting_a_copy_of_another_account_opens_one_dispute() {
    let (app, cards) = app_with_print_run().await;
    // The name of the owner has letters that no id has.
    let (owner, ben) = (app.player("winifred").await, app.player("ben").await);
    submit(&app, &owner, &cards[0]).await.expect(201);
    let first = submit(&app, &ben, &cards[0]).await.problem(409, "registered_to_another");
    let again = submit(&app, &ben, &cards[0]).await.problem(409, "registered_to_another");
    assert_eq!(first["dispute_id"], again["dispute_id"]);
    for identity in ["winifred", &owner.id] {
        assert!(!first.to_string().contains(identity), "the answer does not identify the owner");
    }
    let mut wrong_name = cards[0].submission();
    wrong_name["name"] = json!("something else");
    app.post("/v1/submissions")
        .by(&ben)
        .json(&wrong_name)
        .answer()
        .await
        .problem(422, "submission_rejected");

    assert_eq!(
        app.db().value("SELECT count(*) FROM copy_ledger WHERE entry = 'dispute'").await,
        "1"
    );
    assert_eq!(app.db().value("SELECT count(*) FROM submissions").await, "1");
    // Only the wrong name was a guess.
    assert_eq!(app.db().value("SELECT string_agg(used::text, ' ' ORDER BY used) FROM attempts WHERE scope LIKE 'serial%'").await, "0 1 1");
}

#[tokio::test]
async fn a_repeated_request_gets_the_same_answer_from_another_instance() {
    let (app, cards) = app_with_print_run().await;
    let second = app.second_instance();
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let send = async |app: &TestApp, player: &Player, card: &PaperCard| {
        let request = app.post("/v1/submissions").by(player).header("idempotency-key", "once");
        request.json(&card.submission()).answer().await
    };
    let first = send(&app, &ada, &cards[0]).await.expect(201);
    let repeat = send(&second, &ada, &cards[0]).await.expect(201);
    assert_eq!(first, repeat);
    send(&second, &ada, &cards[1]).await.problem(422, "idempotency_key_reused");
    // The same key of another account is a different key.
    send(&second, &ben, &cards[0]).await.problem(409, "registered_to_another");
    send(&app, &ben, &cards[1]).await.expect(201);
    assert_eq!(app.db().value("SELECT count(*) FROM submissions").await, "2");
    assert_eq!(
        app.db().value("SELECT sum(used) FROM attempts WHERE scope LIKE 'serial%'").await,
        "0"
    );
}

#[tokio::test]
async fn own_submissions_are_listed_page_by_page() {
    let (app, cards) = app_with_print_run().await;
    let ada = app.player("ada").await;
    for card in &cards[..5] {
        submit(&app, &ada, card).await.expect(201);
    }
    let mut path = "/v1/submissions?limit=2".to_owned();
    let mut seen = Vec::new();
    loop {
        let answer = app.get(&path).by(&ada).answer().await;
        let link = answer.header("link");
        let page = answer.expect(200);
        seen.extend(
            page["data"]
                .as_array()
                .unwrap()
                .iter()
                .map(|item| item["submission"].as_str().unwrap().to_owned()),
        );
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        assert!(link.contains(cursor), "{link}");
        path = format!("/v1/submissions?limit=2&cursor={cursor}");
    }
    assert_eq!(seen.len(), 5);
    assert!(seen.is_sorted_by(|a, b| a > b), "the newest first");
    let ben = app.player("ben").await;
    assert_eq!(app.get("/v1/submissions").by(&ben).answer().await.expect(200)["data"], json!([]));
    app.get("/v1/submissions?cursor=nonsense")
        .by(&ben)
        .answer()
        .await
        .problem(400, "invalid_cursor");
    app.get("/v1/submissions?page=2").by(&ben).answer().await.problem(400, "invalid_query");
}

#[tokio::test]
async fn a_banned_account_cannot_submit() {
    let app = TestApp::start_with(|api| api.identity_ttl = Seconds::ZERO).await;
    app.import_set("dusk", 1, true).await;
    let cards = app.print("dusk", 1).await;
    let (admin, ada) = (app.admin().await, app.player("ada").await);
    let path = format!("/v1/accounts/{}", ada.id);
    app.patch(&path).by(&admin).json(&json!({ "banned": true })).answer().await.expect(200);
    submit(&app, &ada, &cards[0]).await.problem(401, "invalid_token");
}

#[tokio::test]
async fn parallel_guesses_cannot_exceed_the_limit() {
    let (app, cards) = app_with_print_run().await;
    let second = app.second_instance();
    let ada = app.player("ada").await;
    let guesses = (0..60).map(|turn| {
        let instance = if turn % 2 == 0 { &app } else { &second };
        let guess = json!({ "serial": unknown_code(turn), "name": cards[0].name });
        instance.post("/v1/submissions").by(&ada).json(&guess).answer()
    });
    let answers = join_all(guesses).await;
    let rejected = answers.iter().filter(|answer| answer.status == 422).count();
    assert_eq!(rejected, 20);
    for refused in answers.into_iter().filter(|answer| answer.status != 422) {
        assert!(refused.header("retry-after").parse::<u32>().unwrap() > 0);
        refused.problem(429, "serial_attempts_used_up");
    }
    // A right code is refused now, too; a malformed code is still reported.
    submit(&app, &ada, &cards[0]).await.problem(429, "serial_attempts_used_up");
    app.post("/v1/submissions")
        .by(&ada)
        .json(&json!({ "serial": "7", "name": "x" }))
        .answer()
        .await
        .problem(422, "serial_malformed");
    // An account without attempts uses up no attempts of other accounts in the same network.
    assert_eq!(
        app.db().value("SELECT used FROM attempts WHERE scope = 'serial_network'").await,
        "20"
    );
    let ben = app.player("ben").await;
    submit(&app, &ben, &cards[1]).await.expect(201);

    app.clock().advance(Duration::days(1));
    let ada = app.log_in(&ada.name, &ada.password).await;
    submit(&app, &ada, &cards[0]).await.expect(201);
}

#[tokio::test]
async fn a_network_has_a_limit_of_its_own() {
    let (app, cards) = app_with_print_run().await;
    let guess = |turn: usize| json!({ "serial": unknown_code(turn), "name": cards[0].name });
    let mut rejected = 0;
    for name in ["player 1", "player 2", "player 3", "player 4", "player 5", "player 6"] {
        let player = app.player(name).await;
        for answer in join_all(
            (0..18).map(|turn| app.post("/v1/submissions").by(&player).json(&guess(turn)).answer()),
        )
        .await
        {
            rejected += u32::from(answer.status == 422);
        }
    }
    assert_eq!(rejected, 100);
    app.clock().advance(Duration::hours(1));
    let late = app.player("latecomer").await;
    submit(&app, &late, &cards[0]).await.expect(201);
}

/// A client may repeat a request before it has the first answer.
#[tokio::test]
async fn the_same_code_many_times_at_once_is_one_attempt() {
    let (app, cards) = app_with_print_run().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let send =
        |player: &Player, body: Value| app.post("/v1/submissions").by(player).json(&body).answer();
    let many = (0..50).map(|_| send(&ada, cards[0].submission()));
    let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
    for answer in join_all(many).await {
        *statuses.entry(answer.status).or_default() += 1;
    }
    assert_eq!(statuses, BTreeMap::from([(200, 49), (201, 1)]));
    let used = async |player: &Player| {
        send(player, json!({ "serial": unknown_code(900), "name": "x" }))
            .await
            .problem(422, "submission_rejected");
        app.db().number("SELECT max(used) FROM attempts WHERE scope = 'serial_account'").await
    };
    assert_eq!(used(&ada).await, 1, "only the guess after the submissions used an attempt");
    // A wrong code still costs an attempt, and another attempt when it is sent again later.
    let wrong = json!({ "serial": unknown_code(1), "name": cards[0].name });
    for answer in join_all((0..10).map(|_| send(&ben, wrong.clone()))).await {
        answer.problem(422, "submission_rejected");
    }
    send(&ben, wrong).await.problem(422, "submission_rejected");
    let spent = used(&ben).await;
    assert!((3..=12).contains(&spent), "{spent}");
    // Submissions that differ in any member are different guesses.
    let cem = app.player("cem").await;
    let variations = (0..60).map(|turn| {
        let name = format!("card {}", turn / 2);
        let game = (turn % 2 == 0).then_some("ttcg");
        send(&cem, json!({ "serial": cards[1].serial, "name": name, "game": game }))
    });
    let answers = join_all(variations).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 422).count(), 20);
    send(&cem, cards[1].submission()).await.problem(429, "serial_attempts_used_up");
}

#[tokio::test]
async fn right_and_repeated_codes_use_up_no_attempt() {
    let (app, cards) = app_with_print_run().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    submit(&app, &ada, &cards[0]).await.expect(201);
    for _ in 0..25 {
        submit(&app, &ada, &cards[0]).await.expect(200);
        submit(&app, &ben, &cards[0]).await.problem(409, "registered_to_another");
    }
    assert_eq!(
        app.db().value("SELECT sum(used) FROM attempts WHERE scope LIKE 'serial%'").await,
        "0"
    );
}

#[tokio::test]
async fn no_code_is_looked_up_when_attempts_cannot_be_counted() {
    let db = Arc::new(TestDb::create().await);
    let hasty = |store: &mut StoreSettings| store.statement_timeout = Seconds::from_secs(2);
    let app = TestApp::start_tuned(db, Clock::system(), |_| {}, hasty);
    app.import_set("dusk", 1, true).await;
    let cards = app.print("dusk", 1).await;
    let ada = app.player("ada").await;
    let mut client = app.db().session().await;
    let lock = client.transaction().await.unwrap();
    lock.batch_execute("LOCK TABLE attempts IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let refused = submit(&app, &ada, &cards[0]).await;
    assert!(!refused.header("retry-after").is_empty());
    refused.problem(503, "unavailable");
    lock.rollback().await.unwrap();
    assert_eq!(app.db().value("SELECT count(*) FROM submissions").await, "0");
    submit(&app, &ada, &cards[0]).await.expect(201);
}

#[tokio::test]
async fn of_many_parallel_submissions_of_one_copy_one_succeeds() {
    let app = TestApp::start_with(|api| api.attempt_limits = AttemptLimits::scaled(100)).await;
    app.import_set("dusk", 1, true).await;
    let card = app.print("dusk", 1).await.remove(0);
    let players = join_all((0..12).map(|n| app.player_owned(format!("player {n}")))).await;
    let answers = join_all(players.iter().map(|player| submit(&app, player, &card))).await;
    let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
    for answer in answers {
        *statuses.entry(answer.status).or_default() += 1;
    }
    assert_eq!(statuses, BTreeMap::from([(201, 1), (409, 11)]));
    assert_eq!(app.db().value("SELECT submissions FROM unlocks").await, "1");
}

const CLIENTS: usize = 64;
const CARDS: usize = 200;
const SUBMITTERS: usize = 8;

/// Two instances on one database, and how many answers were missing or 503. After such an answer, an attempt may stay used.
struct Pair {
    apps: [TestApp; 2],
    broken: AtomicUsize,
}

/// Sends a submission until it is answered. Like a real client, it repeats the request when the connection breaks, the service is
/// busy or the first request still runs. Here it repeats the request on the other instance.
async fn until_answered(pair: &Pair, turn: usize, player: &Player, card: &PaperCard) -> Value {
    let key = format!("{}-{}", player.name.replace(' ', "-"), card.serial);
    for retry in 0..50 {
        let app = &pair.apps[(turn + retry) % 2];
        let request = app.post("/v1/submissions").by(player).header("idempotency-key", &key);
        let answered = async {
            let response = request.json(&card.submission()).send().await.ok()?;
            Some((response.status().as_u16(), response.json::<Value>().await.ok()?))
        };
        match answered.await {
            Some((200 | 201, body)) => return body,
            Some((409, body)) if body["code"] == "idempotency_in_progress" => {}
            None | Some((503, _)) => {
                pair.broken.fetch_add(1, Ordering::Relaxed);
            }
            Some((status, body)) => panic!("{status} {body}"),
        }
        tokio::time::sleep(Seconds::from_millis(20)).await;
    }
    panic!("no answer in fifty tries");
}

/// 64 clients over two instances, 200 cards, eight submitters for each, every third submission sent twice at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn under_concurrency_every_card_is_unlocked_exactly_once() {
    let wide = |api: &mut ApiSettings| api.attempt_limits = AttemptLimits::scaled(1000);
    let first = TestApp::start_with(wide).await;
    let second = first.second_instance_with(wide);
    first.import_set("dusk", CARDS, true).await;
    let mut by_number: BTreeMap<String, Vec<PaperCard>> = BTreeMap::new();
    for card in first.print("dusk", SUBMITTERS as u64).await {
        by_number.entry(card.number.clone()).or_default().push(card);
    }
    let players = join_all((0..CLIENTS).map(|n| first.player_owned(format!("player {n}")))).await;
    // Every client works through the cards in the same order, so that submissions of one card run at the same time.
    let mut work: Vec<Vec<PaperCard>> = vec![Vec::new(); CLIENTS];
    for (place, copies) in by_number.into_values().enumerate() {
        for (submitter, copy) in copies.into_iter().enumerate() {
            work[(place * SUBMITTERS + submitter) % CLIENTS].push(copy);
        }
    }
    let pair = Arc::new(Pair { apps: [first, second], broken: AtomicUsize::new(0) });
    let clients = players.into_iter().zip(work).enumerate().map(|(client, (player, cards))| {
        let pair = pair.clone();
        tokio::spawn(async move {
            let mut accepted = BTreeSet::new();
            for (turn, card) in cards.iter().enumerate() {
                let body = if turn % 3 == 0 {
                    let (body, again) = tokio::join!(
                        until_answered(&pair, client + turn, &player, card),
                        until_answered(&pair, client + turn + 1, &player, card)
                    );
                    assert_eq!(body["submission"], again["submission"]);
                    body
                } else {
                    until_answered(&pair, client + turn, &player, card).await
                };
                assert!(accepted.insert(body["submission"].as_str().unwrap().to_owned()));
            }
            let listed = pair.apps[0]
                .get("/v1/submissions?limit=200")
                .by(&player)
                .answer()
                .await
                .expect(200);
            let listed: BTreeSet<String> = listed["data"]
                .as_array()
                .unwrap()
                .iter()
                .map(|item| item["submission"].as_str().unwrap().to_owned())
                .collect();
            assert_eq!(listed, accepted, "each acknowledged submission is stored once");
            accepted.len()
        })
    });
    // In every committed state, each unlocked card has counted submissions of at least five accounts.
    let (watched, done) = (pair.clone(), Arc::new(AtomicBool::new(false)));
    let over = done.clone();
    let watcher = tokio::spawn(async move {
        let mut checks = 0;
        while !over.load(Ordering::Relaxed) {
            let fewer = "SELECT count(*) FROM unlocks u WHERE unlocked_at IS NOT NULL AND 5 > \
                         (SELECT count(DISTINCT account_id) FROM submissions s WHERE s.card_id = u.card_id AND counted)";
            assert_eq!(watched.apps[0].db().value(fewer).await, "0");
            checks += 1;
            tokio::time::sleep(Seconds::from_millis(50)).await;
        }
        checks
    });
    let clients: Vec<_> = clients.collect();
    let accepted: usize = join_all(clients).await.into_iter().map(Result::unwrap).sum();
    assert_eq!(accepted, CARDS * SUBMITTERS);
    done.store(true, Ordering::Relaxed);
    assert!(watcher.await.unwrap() > 0);

    let db = pair.apps[0].db();
    let total = (CARDS * SUBMITTERS).to_string();
    let cards = CARDS.to_string();
    assert_eq!(db.value("SELECT count(*) FROM submissions WHERE counted").await, total);
    let counted = (CARDS * 5).to_string();
    assert_eq!(db.value("SELECT count(*) FROM counted_submissions").await, counted);
    assert_eq!(db.value("SELECT count(*) FROM copy_ledger WHERE entry = 'register'").await, total);
    assert_eq!(db.value("SELECT count(*) FROM copies WHERE owner_id IS NOT NULL").await, total);
    assert_eq!(
        db.value(
            "SELECT count(*) FROM unlocks WHERE unlocked_at IS NOT NULL AND submissions = threshold"
        )
        .await,
        cards
    );
    assert_eq!(db.value("SELECT count(*) || ' ' || count(DISTINCT subject_id) FROM events WHERE kind = 'card.unlocked'").await, format!("{cards} {cards}"));
    // All attempts are given back, except for requests without a proper answer.
    let used = db.value("SELECT sum(used) FROM attempts WHERE scope = 'serial_account'").await;
    assert!(used.parse::<usize>().unwrap() <= pair.broken.load(Ordering::Relaxed), "{used}");
}

#[tokio::test]
async fn a_lost_answer_is_repeated_when_no_attempt_is_left() {
    let (app, cards) = app_with_print_run().await;
    let ada = app.player("ada").await;
    let keyed = |key: &'static str, body: Value| {
        app.post("/v1/submissions").by(&ada).header("idempotency-key", key).json(&body).answer()
    };
    let first = keyed("train", cards[0].submission()).await.expect(201);
    let guess = json!({ "serial": unknown_code(0), "name": cards[0].name });
    for _ in 0..20 {
        app.post("/v1/submissions")
            .by(&ada)
            .json(&guess)
            .answer()
            .await
            .problem(422, "submission_rejected");
    }
    app.post("/v1/submissions")
        .by(&ada)
        .json(&guess)
        .answer()
        .await
        .problem(429, "serial_attempts_used_up");
    let again = keyed("train", cards[0].submission()).await.expect(201);
    assert_eq!(again["submission"], first["submission"]);
    keyed("other", cards[1].submission()).await.problem(429, "serial_attempts_used_up");
}
