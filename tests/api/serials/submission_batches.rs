//! Batches: several serial codes in one request.

use cardscape::app::state::ApiSettings;
use cardscape::domain::accounts::attempts::AttemptLimits;
use serde_json::{Value, json};

use crate::support::{Answer, PaperCard, Player, RequestExt as _, TestApp};

async fn submit(app: &TestApp, player: &Player, submissions: Vec<Value>) -> Answer {
    let body = json!({ "submissions": submissions });
    app.post("/v1/submissions/batch").by(player).json(&body).answer().await
}

fn verdicts(answer: Answer) -> Vec<String> {
    let body = answer.expect(200);
    let verdict = |entry: &Value| entry["verdict"].as_str().unwrap().to_owned();
    body["data"].as_array().unwrap().iter().map(verdict).collect()
}

async fn app_with_print_run() -> (TestApp, Vec<PaperCard>) {
    let app = TestApp::start().await;
    app.begin_window();
    app.import_set("dusk", 5, true).await;
    let cards = app.print("dusk", 20).await;
    (app, cards)
}

/// The attempts of a scope that are counted at present.
async fn attempts_used(app: &TestApp, scope: &str) -> i64 {
    let query =
        format!("SELECT coalesce(sum(used), 0)::bigint FROM attempts WHERE scope = '{scope}'");
    app.db().number(&query).await
}

#[tokio::test]
async fn each_submission_has_its_own_verdict() {
    let (app, cards) = app_with_print_run().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    app.post("/v1/submissions").by(&ben).json(&cards[1].submission()).answer().await.expect(201);
    let wrong_name = json!({ "serial": cards[2].serial, "name": "Somebody Else" });
    let mut mistyped = cards[3].serial.clone();
    let last = mistyped.pop().unwrap();
    mistyped.push(if last == '0' { '1' } else { '0' });
    let batch = vec![
        cards[0].submission(),
        cards[1].submission(),
        wrong_name,
        json!({ "serial": mistyped, "name": cards[3].name }),
        json!({ "serial": "7", "name": cards[3].name }),
        json!({ "serial": cards[4].serial, "name": "" }),
        cards[0].submission(),
        cards[5].submission(),
    ];
    let answer = submit(&app, &ada, batch.clone()).await;
    let body = answer.clone().expect(200);
    assert_eq!(
        verdicts(answer),
        [
            "registered",
            "registered_to_another",
            "submission_rejected",
            "serial_mistyped",
            "serial_malformed",
            "invalid_body",
            "already_yours",
            "registered",
        ]
    );
    let data = body["data"].as_array().unwrap();
    assert_eq!(data[0]["accepted"]["card"]["number"], cards[0].number);
    assert_eq!(data[0]["accepted"]["submission"], data[6]["accepted"]["submission"]);
    assert!(data[1]["dispute_id"].is_string() && data[1]["accepted"].is_null());
    assert!(data[2]["detail"].as_str().unwrap().contains("do not belong together"));
    assert!(data[4]["detail"].as_str().unwrap().contains("16"), "{}", data[4]);
    // Only the submission with the wrong name counts as a guess.
    assert_eq!(attempts_used(&app, "serial_account").await, 1);
    assert_eq!(attempts_used(&app, "serial_network").await, 1);
    assert_eq!(attempts_used(&app, "rejected_serials").await, 1);

    // When the batch is sent again, no copy is registered twice.
    let again = verdicts(submit(&app, &ada, batch).await);
    assert_eq!((again[0].as_str(), again[7].as_str()), ("already_yours", "already_yours"));
    let own = app.get("/v1/submissions").by(&ada).answer().await.expect(200);
    assert_eq!(own["data"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_batch_has_a_size_limit_and_rejects_unknown_members() {
    let (app, cards) = app_with_print_run().await;
    let ada = app.player("ada").await;
    submit(&app, &ada, vec![]).await.problem(422, "invalid_body");
    submit(&app, &ada, vec![cards[0].submission(); 51]).await.problem(422, "invalid_body");
    submit(&app, &ada, vec![json!({ "serial": "0", "name": "x", "more": 1 })])
        .await
        .problem(422, "invalid_body");
    let all: Vec<Value> = cards.iter().take(50).map(PaperCard::submission).collect();
    assert!(verdicts(submit(&app, &ada, all).await).iter().all(|verdict| verdict == "registered"));
}

#[tokio::test]
async fn a_submission_with_an_unknown_game_uses_no_attempt() {
    let (app, cards) = app_with_print_run().await;
    let ada = app.player("ada").await;
    let of_game = |card: &PaperCard, game: &str| json!({ "serial": card.serial, "name": card.name, "game": game });
    let batch = vec![
        of_game(&cards[0], "ttgc"),
        of_game(&cards[1], "TTCG"),
        of_game(&cards[2], "no game"),
        of_game(&cards[3], "ttcg"),
    ];
    let answer = submit(&app, &ada, batch).await;
    let body = answer.clone().expect(200);
    assert_eq!(verdicts(answer), ["invalid_body", "registered", "invalid_body", "registered"]);
    let detail = body["data"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("There is no game ttgc; did you mean ttcg?"), "{detail}");
    assert_eq!(attempts_used(&app, "serial_account").await, 0);
}

#[tokio::test]
async fn submissions_beyond_the_attempts_are_not_checked() {
    let (app, cards) = app_with_print_run().await;
    let ada = app.player("ada").await;
    let wrong = || json!({ "serial": cards[0].serial, "name": "Somebody Else" });
    // An account has 20 attempts a day: 18 guesses use 18 of them.
    let guesses = vec![wrong(); 18];
    assert!(verdicts(submit(&app, &ada, guesses).await).iter().all(|v| v == "submission_rejected"));
    // A right submission gives its attempt back, so later submissions can use it.
    let batch = vec![wrong(), cards[1].submission(), cards[2].submission(), cards[3].submission()];
    assert_eq!(
        verdicts(submit(&app, &ada, batch).await),
        ["submission_rejected", "registered", "registered", "registered"]
    );
    assert_eq!(attempts_used(&app, "serial_account").await, 19);
    let batch = vec![cards[4].submission(), wrong(), cards[5].submission(), wrong()];
    assert_eq!(
        verdicts(submit(&app, &ada, batch).await),
        ["registered", "submission_rejected", "serial_attempts_used_up", "serial_attempts_used_up"]
    );
    assert_eq!(attempts_used(&app, "serial_account").await, 20);
    let refused = submit(&app, &ada, vec![cards[5].submission()]).await;
    assert!(refused.header("retry-after").parse::<u32>().unwrap() > 0);
    refused.problem(429, "serial_attempts_used_up");
    // A malformed code needs no look-up and therefore no attempt.
    let malformed = vec![json!({ "serial": "7", "name": "x" })];
    assert_eq!(verdicts(submit(&app, &ada, malformed).await), ["serial_malformed"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_in_different_orders_do_not_deadlock() {
    let app = TestApp::start_with(|settings: &mut ApiSettings| {
        settings.attempt_limits = AttemptLimits::scaled(1000);
        settings.requests_per_second = 100_000;
        settings.request_burst = 100_000;
    })
    .await;
    app.import_set("dusk", 6, true).await;
    let cards = app.print("dusk", 60).await;
    let other = app.second_instance_with(|settings: &mut ApiSettings| {
        settings.attempt_limits = AttemptLimits::scaled(1000);
        settings.requests_per_second = 100_000;
        settings.request_burst = 100_000;
    });
    let mut players = Vec::new();
    for at in 0..6 {
        players.push(app.player_owned(format!("player {at}")).await);
    }
    // Every player submits copies of every card in a different order. All batches lock the rows of the six cards, and some share copies.
    let stride = [1, 7, 11, 13, 17, 19];
    let batch = |player: usize| -> Vec<Value> {
        let pick = |at: usize| &cards[(player * 31 + at * stride[player]) % cards.len()];
        (0..12).map(|at| pick(at).submission()).collect()
    };
    let sends = (0..6).map(|player| {
        let app = if player % 2 == 0 { &app } else { &other };
        submit(app, &players[player], batch(player))
    });
    let answers = futures_util::future::join_all(sends).await;
    let mut registered = 0;
    for answer in answers {
        let verdicts = verdicts(answer);
        assert!(
            verdicts
                .iter()
                .all(|v| ["registered", "registered_to_another", "already_yours"]
                    .contains(&v.as_str())),
            "{verdicts:?}"
        );
        registered += verdicts.iter().filter(|verdict| *verdict == "registered").count();
    }
    let owned = app.db().number("SELECT count(*) FROM copies WHERE owner_id IS NOT NULL").await;
    assert_eq!(owned, i64::try_from(registered).unwrap());
    let wrong = "SELECT count(*) FROM unlocks u WHERE u.submissions <> least(u.threshold, \
                 (SELECT count(*) FROM submissions s WHERE s.card_id = u.card_id AND s.counted))";
    assert_eq!(app.db().number(wrong).await, 0);
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    assert_eq!(app.db().number(deadlocks).await, 0);
}

/// A player scans two displays at once: parallel batches and single submissions of one account, of hidden and of unlocked cards.
#[tokio::test]
async fn parallel_batches_of_one_account_do_not_deadlock() {
    let app = TestApp::start_with(|settings: &mut ApiSettings| {
        settings.attempt_limits = AttemptLimits::scaled(1000);
        settings.requests_per_second = 100_000;
        settings.request_burst = 100_000;
    })
    .await;
    app.import_set("dusk", 6, true).await;
    let cards = app.print("dusk", 60).await;
    app.sql(
        "UPDATE unlocks u SET unlocked_at = '2026-01-01', reason = 'admin' FROM cards c WHERE c.id = u.card_id AND c.number > '003'",
    )
    .await;
    let ada = app.player("ada").await;
    // Each request has a copy of every card, in a different order. No copy is in two requests.
    let mut of_card: Vec<Vec<&PaperCard>> = vec![Vec::new(); 6];
    for card in &cards {
        of_card[card.number.parse::<usize>().unwrap() - 1].push(card);
    }
    let lists = (0..6_usize).map(|at| {
        let mut list: Vec<&PaperCard> = of_card.iter().map(|copies| copies[at]).collect();
        list.rotate_left(at);
        if at % 2 == 1 {
            list.reverse();
        }
        list
    });
    let lists: Vec<Vec<&PaperCard>> = lists.collect();
    let batches = lists.iter().map(|list| async {
        let list = list.iter().map(|card| card.submission()).collect();
        verdicts(submit(&app, &ada, list).await)
    });
    let singles = of_card.iter().flat_map(|copies| &copies[6..10]).map(|card| async {
        let answer = app.post("/v1/submissions").by(&ada).json(&card.submission()).answer().await;
        assert_eq!(answer.status, 201, "{}", answer.text());
    });
    let (batches, _) = tokio::join!(
        futures_util::future::join_all(batches),
        futures_util::future::join_all(singles)
    );
    assert!(batches.iter().flatten().all(|verdict| verdict == "registered"), "{batches:?}");
    let counted = "SELECT count(*) FROM submissions WHERE counted";
    assert_eq!(app.db().number(counted).await, 6, "one submission of each card counts");
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    assert_eq!(app.db().number(deadlocks).await, 0);
}
