//! Attempts that are reserved for submissions which are not decided yet: they count for the limits, and lock nobody out.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use cardscape::domain::accounts::attempts::{AttemptLimit, AttemptScope};
use cardscape::domain::clock::Clock;
use cardscape::store::accounts::attempt_batches::{AttemptBatches, SettledUnits};
use cardscape::store::accounts::attempts::AttemptSubject;
use cardscape::store::{Store, StoreSettings};
use chrono::{DateTime, TimeDelta};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Answer, PaperCard, Player, RequestExt as _, TestApp, TestDb, until};

/// The attempts that are used, the reserved ones included, and of these the reserved ones.
const USED: &str =
    "SELECT coalesce(sum(used), 0)::bigint FROM attempts WHERE scope = 'serial_account'";
const RESERVED: &str = "SELECT coalesce(sum(reserved), 0)::bigint FROM attempts";
/// Changes whenever somebody asks for an attempt of the account, also in vain.
const VERSION: &str = "SELECT max(xmin::text::bigint) FROM attempts WHERE scope = 'serial_account'";

async fn app_with_cards(cards: usize, copies: u64) -> (TestApp, Vec<PaperCard>) {
    prepare(TestApp::start().await, cards, copies).await
}

/// An app with many connections, and with this limit for a statement.
async fn app_with_time_limit(limit: Duration) -> (TestApp, Vec<PaperCard>) {
    let tune = |store: &mut StoreSettings| {
        store.pool_size = 30;
        store.statement_timeout = limit;
    };
    let db = Arc::new(TestDb::create().await);
    prepare(TestApp::start_tuned(db, Clock::system(), |_| {}, tune), 2, 30).await
}

async fn prepare(app: TestApp, cards: usize, copies: u64) -> (TestApp, Vec<PaperCard>) {
    app.begin_window();
    app.import_set("dusk", cards, true).await;
    let cards = app.print("dusk", copies).await;
    (app, cards)
}

async fn submit_batch(app: &TestApp, player: &Player, cards: &[PaperCard]) -> Answer {
    let submissions: Vec<Value> = cards.iter().map(PaperCard::submission).collect();
    let body = json!({ "submissions": submissions });
    app.post("/v1/submissions/batch").by(player).json(&body).answer().await
}

/// The number of codes that a batch registered. The others must be the player's already.
#[track_caller]
fn registered(answer: Answer) -> usize {
    let body = answer.expect(200);
    let verdicts: Vec<&str> = body["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["verdict"].as_str().unwrap())
        .collect();
    let known = ["registered", "already_yours"];
    assert!(verdicts.iter().all(|verdict| known.contains(verdict)), "{verdicts:?}");
    verdicts.iter().filter(|verdict| **verdict == "registered").count()
}

async fn assert_all_given_back(app: &TestApp) {
    until("all attempts are given back", async |_| {
        let db = app.db();
        db.number(USED).await == 0 && db.number(RESERVED).await == 0
    })
    .await;
}

/// A guess with the code of a card: a different one for each number.
fn guess(card: &PaperCard, number: usize) -> Value {
    json!({ "serial": card.serial, "name": format!("Nobody {number}") })
}

#[tokio::test]
async fn a_batch_that_is_sent_twice_at_once_is_registered() {
    let (app, cards) = app_with_cards(2, 40).await;
    let other = app.second_instance();
    let ada = app.player("ada").await;
    for (cards, second) in [(&cards[..30], &app), (&cards[30..60], &other)] {
        let (one, two) =
            tokio::join!(submit_batch(&app, &ada, cards), submit_batch(second, &ada, cards));
        assert_eq!(registered(one) + registered(two), 30);
        assert_all_given_back(&app).await;
    }
    let (batch, single) =
        tokio::join!(submit_batch(&app, &ada, &cards[60..80]), app.submit(&ada, &cards[60]));
    assert!(registered(batch) >= 19);
    assert!([200, 201].contains(&single.status), "{}", single.text());
    assert_all_given_back(&app).await;
}

#[tokio::test]
async fn right_codes_wait_for_attempts_that_others_will_return() {
    let (app, cards) = app_with_cards(2, 30).await;
    let other = app.second_instance();
    let ada = app.player("ada").await;
    for (cards, second) in [(&cards[..30], &app), (&cards[30..60], &other)] {
        let submits = cards.iter().enumerate().map(|(at, card)| {
            let instance = if at % 2 == 0 { &app } else { second };
            instance.submit(&ada, card)
        });
        for answer in join_all(submits).await {
            answer.expect(201);
        }
        assert_all_given_back(&app).await;
    }
}

/// The network has 100 attempts an hour, and each account 20 a day.
#[tokio::test]
async fn players_of_one_network_do_not_lock_each_other_out() {
    let (app, cards) = app_with_cards(3, 60).await;
    let other = app.second_instance();
    let mut players = Vec::new();
    for at in 0..6 {
        players.push(app.player_owned(format!("player {at}")).await);
    }
    let batches = players.iter().zip(cards.chunks(30)).enumerate().map(|(at, (player, cards))| {
        submit_batch(if at % 2 == 0 { &app } else { &other }, player, cards)
    });
    for answer in join_all(batches).await {
        assert_eq!(registered(answer), 30);
    }
    assert_all_given_back(&app).await;
    let of_network = "SELECT sum(used)::bigint FROM attempts WHERE scope = 'serial_network'";
    until("those of the network, too", async |_| app.db().number(of_network).await == 0).await;
}

const COPIES_OF_FIRST_CARD: &str = "SELECT FROM copies c JOIN printings p ON p.id = c.printing_id JOIN cards k ON k.id = p.card_id \
     WHERE k.number = '001' FOR UPDATE OF c";

#[tokio::test]
async fn a_submission_waits_a_moment_for_attempts_in_flight() {
    let (app, cards) = app_with_time_limit(Duration::from_secs(30)).await;
    let ada = app.player("ada").await;
    let (held, free): (Vec<_>, Vec<_>) = cards.iter().partition(|card| card.number == "001");
    let mut holder = app.db().session().await;
    let lock = holder.transaction().await.unwrap();
    lock.query(COPIES_OF_FIRST_CARD, &[]).await.unwrap();
    let send = |card: &PaperCard| {
        let request = app.post("/v1/submissions").by(&ada).json(&card.submission());
        tokio::spawn(async move { request.answer().await })
    };
    let blocked: Vec<_> = held.iter().take(20).map(|card| send(card)).collect();
    until("all attempts are reserved", async |_| app.db().number(USED).await == 20).await;
    assert_eq!(app.db().number("SELECT max(reserved) FROM attempts").await, 20);

    // Nothing is decided for two seconds: the answer asks to try again, and does not accuse the player.
    let refused = send(free[0]).await.unwrap();
    assert_eq!(refused.header("retry-after"), "2");
    let refused = refused.problem(429, "serial_attempts_used_up");
    assert!(refused["detail"].as_str().unwrap().contains("still being decided"), "{refused}");

    let version = app.db().number(VERSION).await;
    let waits = send(free[0]);
    until("it asks in vain", async |_| app.db().number(VERSION).await != version).await;
    lock.commit().await.unwrap();
    waits.await.unwrap().expect(201);
    for answer in join_all(blocked).await {
        answer.unwrap().expect(201);
    }
    assert_all_given_back(&app).await;
}

/// A lock that another transaction holds for too long fails submissions, which use up no attempt.
#[tokio::test]
async fn submissions_that_time_out_use_up_no_attempt() {
    let (app, cards) = app_with_time_limit(Duration::from_secs(1)).await;
    let ada = app.player("ada").await;
    let held: Vec<PaperCard> = cards.into_iter().filter(|card| card.number == "001").collect();
    let mut holder = app.db().session().await;
    let lock = holder.transaction().await.unwrap();
    lock.query(COPIES_OF_FIRST_CARD, &[]).await.unwrap();
    for wave in held[..25].chunks(13) {
        for answer in join_all(wave.iter().map(|card| app.submit(&ada, card))).await {
            answer.problem(503, "unavailable");
        }
        assert_all_given_back(&app).await;
    }
    // A batch has reserved half of the attempts when it fails.
    for _ in 0..2 {
        submit_batch(&app, &ada, &held).await.problem(503, "unavailable");
    }
    lock.commit().await.unwrap();
    app.submit(&ada, &held[0]).await.expect(201);
    assert_eq!(registered(submit_batch(&app, &ada, &held).await), held.len() - 1);
    assert_all_given_back(&app).await;
}

/// Waiting gives nobody more guesses: however right codes and guesses are sent at once, twenty guesses are looked at.
#[tokio::test]
async fn guesses_beside_right_codes_never_exceed_the_limit() {
    let (app, cards) = app_with_cards(2, 30).await;
    let other = app.second_instance();
    let ada = app.player("ada").await;
    let guesses = (0..40).map(|turn| {
        let instance = if turn % 2 == 0 { &app } else { &other };
        instance.post("/v1/submissions").by(&ada).json(&guess(&cards[0], turn)).answer()
    });
    let mixed: Vec<Value> = (0..20)
        .map(|turn| {
            let card = &cards[20 + turn];
            if turn % 2 == 0 { card.submission() } else { guess(card, turn) }
        })
        .collect();
    let body = json!({ "submissions": mixed });
    let batch = other.post("/v1/submissions/batch").by(&ada).json(&body).answer();
    let (guesses, batch) = tokio::join!(join_all(guesses), batch);
    let mut looked_at = guesses.iter().filter(|answer| answer.status == 422).count();
    for refused in guesses.into_iter().filter(|answer| answer.status != 422) {
        refused.problem(429, "serial_attempts_used_up");
    }
    if batch.status == 200 {
        let body = batch.json();
        let verdicts = body["data"].as_array().unwrap();
        let is_rejected = |one: &&Value| one["verdict"] == "submission_rejected";
        looked_at += verdicts.iter().filter(is_rejected).count();
    } else {
        batch.problem(429, "serial_attempts_used_up");
    }
    assert!(looked_at <= 20, "{looked_at}");
    let looked_at = i64::try_from(looked_at).unwrap();
    // Each guess has used up one attempt, and nothing else has.
    until("all others are given back", async |_| {
        let db = app.db();
        db.number(USED).await == looked_at && db.number(RESERVED).await == 0
    })
    .await;
    let rest = (0..40)
        .map(|turn| app.post("/v1/submissions").by(&ada).json(&guess(&cards[1], turn)).answer());
    let rest = join_all(rest).await.iter().filter(|answer| answer.status == 422).count();
    assert_eq!(i64::try_from(rest).unwrap() + looked_at, 20);
}

/// A batch of guesses with these numbers.
fn guesses(card: &PaperCard, numbers: Range<usize>) -> Value {
    let guesses: Vec<Value> = numbers.map(|number| guess(card, number)).collect();
    json!({ "submissions": guesses })
}

/// Attempts for the next codes are taken afterwards: if the client disconnects meanwhile, none of them is lost.
#[tokio::test]
async fn a_batch_counts_its_guesses_before_it_takes_further_attempts() {
    let (app, cards) = app_with_time_limit(Duration::from_secs(30)).await;
    let ada = app.player("ada").await;
    let send = |numbers| {
        let body = guesses(&cards[0], numbers);
        let request = app.post("/v1/submissions/batch").by(&ada).json(&body);
        tokio::spawn(async move { request.answer().await })
    };
    send(0..1).await.unwrap().expect(200);
    let mut holder = app.db().session().await;
    let lock = holder.transaction().await.unwrap();
    lock.query("SELECT FROM attempts WHERE scope = 'rejected_serials' FOR UPDATE", &[])
        .await
        .unwrap();
    let batch = send(1..16);
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    until("guesses are being counted", async |_| app.db().number(waiting).await == 1).await;
    assert_eq!(app.db().number(USED).await, 11);
    assert_eq!(app.db().number(RESERVED).await, 0);
    lock.commit().await.unwrap();
    batch.await.unwrap().expect(200);
    assert_eq!(app.db().number(USED).await, 16);
}

/// Guesses are answered only when they are counted, also if no attempt is left for the other codes of the batch.
#[tokio::test]
async fn guesses_that_cannot_be_counted_are_not_answered() {
    let (app, cards) = app_with_cards(1, 1).await;
    let ada = app.player("ada").await;
    let send = async |numbers| {
        let body = guesses(&cards[0], numbers);
        app.post("/v1/submissions/batch").by(&ada).json(&body).answer().await
    };
    send(0..10).await.expect(200);
    app.sql(
        "CREATE FUNCTION refuse_count() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE lock_not_available; END $$; \
         CREATE TRIGGER refuse_count BEFORE INSERT ON attempts FOR EACH ROW \
         WHEN (NEW.scope = 'rejected_serials') EXECUTE FUNCTION refuse_count()",
    )
    .await;
    send(10..30).await.problem(503, "unavailable");
    assert_eq!(app.db().number(USED).await, 20);
    assert_eq!(app.db().number(RESERVED).await, 0);
}

/// A group has begun with the submission, so that it may be decided when its request has ended: then its sender may
/// learn about the code.
#[tokio::test]
async fn an_attempt_stays_used_when_its_request_ends_during_its_group() {
    let tune = |store: &mut StoreSettings| {
        store.request_budget = Duration::from_secs(1);
        store.statement_timeout = Duration::from_secs(30);
        store.answer_timeout = Duration::from_secs(30);
    };
    let db = Arc::new(TestDb::create().await);
    let app = TestApp::start_tuned(db, Clock::system(), |_| {}, tune);
    let (app, cards) = prepare(app, 1, 1).await;
    let ada = app.player("ada").await;
    let mut holder = app.db().session().await;
    let lock = holder.transaction().await.unwrap();
    // A group waits for no row; this makes it wait until its request has ended.
    lock.batch_execute("LOCK TABLE submissions IN SHARE MODE").await.unwrap();
    app.submit(&ada, &cards[0]).await.problem(503, "unavailable");
    assert_eq!(app.db().number(USED).await, 1);
    lock.commit().await.unwrap();
    let registered = "SELECT count(*) FROM submissions";
    until("the copy is registered", async |_| app.db().number(registered).await == 1).await;
    app.submit(&ada, &cards[0]).await.expect(200);
    assert_eq!(app.db().number(USED).await, 1);
}

/// Log-ins of one network return attempts of the same row. Submissions need the connections meanwhile.
#[tokio::test]
async fn attempts_that_are_given_back_do_not_take_all_connections() {
    let app = TestApp::start().await;
    let time_limit = Duration::from_secs(30);
    let settings = StoreSettings {
        pool_size: 2,
        statement_timeout: time_limit,
        answer_timeout: time_limit,
        ..StoreSettings::new(app.db().url())
    };
    let store = Store::new(&settings).unwrap();
    let batches = AttemptBatches::new(store.clone());
    let limit = AttemptLimit { limit: 20, window: TimeDelta::hours(1) };
    let subject =
        |mac| AttemptSubject { scope: AttemptScope::SerialAccount, mac: [mac; 16], limit };
    let (network, other) = ([subject(7)], [subject(8)]);
    let at = DateTime::UNIX_EPOCH;
    batches.reserve_up_to(&store, &network, 6, at).await.unwrap();
    let mut holder = app.db().session().await;
    let lock = holder.transaction().await.unwrap();
    lock.query("SELECT FROM attempts FOR UPDATE", &[]).await.unwrap();

    let mut given_back = Box::pin(join_all((0..6).map(|_| batches.give_back(&network, at))));
    let waiting = "SELECT count(*) FROM pg_stat_activity \
                   WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let taken = async {
        until("the row is waited for", async |_| app.db().number(waiting).await > 0).await;
        batches.reserve_up_to(&store, &other, 2, at).await.unwrap().units
    };
    tokio::select! {
        _ = &mut given_back => panic!("the row is locked"),
        units = taken => assert_eq!(units, 2),
    }
    lock.commit().await.unwrap();
    for one in given_back.await {
        one.unwrap();
    }
    assert_eq!(app.db().number(USED).await, 2);
}

/// The epoch changes when Postgres recovers from a crash, which may have lost the reservation. A release of it would be one
/// of somebody else's guess.
#[tokio::test]
async fn attempts_of_an_earlier_epoch_are_not_given_back() {
    let app = TestApp::start().await;
    let store = Store::new(&StoreSettings::new(app.db().url())).unwrap();
    let batches = AttemptBatches::new(store.clone());
    let limit = AttemptLimit { limit: 20, window: TimeDelta::hours(1) };
    let subjects = [AttemptSubject { scope: AttemptScope::SerialAccount, mac: [7; 16], limit }];
    let at = DateTime::UNIX_EPOCH;
    let release_two = async |epoch| {
        let one = SettledUnits { released: 1, used: 0 };
        batches.settle(&store, &subjects, one, at, epoch).await.unwrap();
        batches.settle_later(&subjects, one, at, epoch);
        // Also a stop of the process waits for the second one.
        batches.finish().await;
    };
    let before = batches.reserve_up_to(&store, &subjects, 6, at).await.unwrap().epoch;
    release_two(before).await;
    assert_eq!(app.db().number(USED).await, 4);

    app.sql("DELETE FROM attempt_epochs").await;
    // The process has not noticed the crash yet.
    release_two(before).await;
    assert_eq!(app.db().number(USED).await, 4);
    let after = batches.reserve_up_to(&store, &subjects, 2, at).await.unwrap().epoch;
    assert!(after.is_some() && after != before);
    release_two(before).await;
    assert_eq!(app.db().number(USED).await, 6);
    release_two(after).await;
    assert_eq!(app.db().number(USED).await, 4);
}
