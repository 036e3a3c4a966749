//! Submissions that many players send at the same time are decided in groups, each with the result that it would have alone.

use std::collections::BTreeSet;

use cardscape::domain::accounts::attempts::{AttemptLimit, AttemptLimits, AttemptScope};
use cardscape::store::accounts::attempt_batches::AttemptBatches;
use cardscape::store::accounts::attempts::AttemptSubject;
use cardscape::store::{Store, StoreSettings};
use chrono::{DateTime, Duration};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Answer, PaperCard, Player, RequestExt as _, TestApp, until};

/// An app with players, and enough copies of a set for all of them.
async fn app_with_players(cards: usize, players: usize) -> (TestApp, Vec<PaperCard>, Vec<Player>) {
    let app = TestApp::start_with(|api| {
        // A credential that has ended stays in the cache, so that only the group can refuse it.
        api.identity_ttl = std::time::Duration::from_hours(1);
        api.attempt_limits = AttemptLimits::scaled(1_000);
    })
    .await;
    app.import_set("dusk", cards, true).await;
    let copies = app.print("dusk", players as u64).await;
    let mut crowd = Vec::new();
    for at in 0..players {
        crowd.push(app.player_owned(format!("player {at}")).await);
    }
    (app, copies, crowd)
}

fn copies_of<'a>(
    copies: &'a [PaperCard],
    number: &'a str,
) -> impl Iterator<Item = &'a PaperCard> + Clone {
    copies.iter().filter(move |copy| copy.number == number)
}

const UNLOCKED: &str = "SELECT count(*) FROM events WHERE kind = 'card.unlocked'";

/// All players submit copies of one card at the same time. Checks that five count and the card is unlocked once. Returns the answers.
async fn submit_all_and_check_that_five_count(
    app: &TestApp,
    copies: &[PaperCard],
    crowd: &[Player],
) -> Vec<Value> {
    let submits = crowd.iter().zip(copies).map(|(player, copy)| app.submit(player, copy));
    let answers: Vec<_> =
        join_all(submits).await.into_iter().map(|answer| answer.expect(201)).collect();
    let counted = answers.iter().filter(|answer| answer["counted"] == true).count();
    assert_eq!(counted, 5);
    assert_eq!(app.db().number(UNLOCKED).await, 1);
    assert_eq!(app.db().number("SELECT count(*) FROM counted_submissions").await, 5);
    assert_eq!(app.db().number("SELECT max(submissions) FROM unlocks").await, 5);
    answers
}

/// Rule T-4.3a with parallel submissions: the first five count, and the fifth unlocks the card.
#[tokio::test]
async fn t_t18_parallel_submissions_unlock_a_card_once() {
    let (app, copies, crowd) = app_with_players(1, 24).await;
    let answers = submit_all_and_check_that_five_count(&app, &copies, &crowd).await;
    // A later request returns the same state.
    for (player, answer) in crowd.iter().zip(&answers) {
        let path = format!("/v1/submissions/{}", answer["submission"].as_str().unwrap());
        let stored = app.get(&path).by(player).answer().await.expect(200);
        assert_eq!(stored["counted"], answer["counted"]);
        assert_eq!(stored["unlock"]["submissions"], 5);
    }
    // Submissions that were decided together were written by one transaction and have the same `xmin`.
    let groups = app.db().number("SELECT count(DISTINCT xmin::text) FROM submissions").await;
    assert!(groups < 24, "{groups}");
}

/// The same with an unlock policy. A policy looks at all existing submissions, so they are decided one after the other.
#[tokio::test]
async fn parallel_submissions_count_by_the_policy() {
    let (app, copies, crowd) = app_with_players(1, 24).await;
    let admin = app.admin().await;
    let policy = json!({ "threshold": 5, "per_network": 100 });
    let path = "/v1/games/ttcg/sets/dusk/unlock-policy";
    app.put(path).by(&admin).json(&policy).answer().await.expect(201);
    submit_all_and_check_that_five_count(&app, &copies, &crowd).await;
}

/// Each parallel submission gets the answer that it would get alone: a new copy, an own copy, a copy of another account, a rejection.
#[tokio::test]
async fn each_parallel_submission_gets_its_own_answer() {
    let (app, copies, crowd) = app_with_players(6, 8).await;
    let first: Vec<_> = copies_of(&copies, "001").collect();
    app.submit(&crowd[1], first[1]).await.expect(201);
    app.submit(&crowd[7], first[2]).await.expect(201);
    let wrong = json!({ "serial": first[3].serial, "name": "Somebody Else" });
    let fresh = [copies_of(&copies, "002"), copies_of(&copies, "003")].map(|mut of| of.next());
    let bodies = [
        first[0].submission(),
        first[1].submission(),
        first[2].submission(),
        wrong,
        fresh[0].unwrap().submission(),
        fresh[0].unwrap().submission(),
        fresh[1].unwrap().submission(),
    ];
    let submits = crowd
        .iter()
        .zip(&bodies)
        .map(|(player, body)| app.post("/v1/submissions").by(player).json(body).answer());
    let answers: Vec<Answer> = join_all(submits).await;
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses[..4], [201, 200, 409, 422], "{statuses:?}");
    assert_eq!(BTreeSet::from([statuses[4], statuses[5]]), BTreeSet::from([201, 409]));
    assert_eq!(statuses[6], 201);
    assert_eq!(answers[2].json()["code"], "registered_to_another");
    // Only the submission with the wrong name counts as a guess.
    let used = "SELECT sum(used) FROM attempts WHERE scope = 'serial_network'";
    assert_eq!(app.db().number(used).await, 1);
}

/// A submission waits for a locked row only if it needs this row.
#[tokio::test]
async fn a_submission_waits_only_for_locks_that_it_needs() {
    const HOLDS: [&str; 4] = [
        "SELECT FROM copies c JOIN printings p ON p.id = c.printing_id JOIN cards k ON k.id = p.card_id WHERE k.number = '001' FOR UPDATE OF c",
        "SELECT FROM unlocks u JOIN cards k ON k.id = u.card_id WHERE k.number = '001' FOR UPDATE OF u",
        "SELECT FROM accounts WHERE name = 'player 0' FOR NO KEY UPDATE",
        "SELECT FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE a.name = 'player 0' FOR NO KEY UPDATE OF s",
    ];
    let (app, copies, crowd) = app_with_players(8, 2).await;
    let mut others = copies.iter().filter(|copy| copy.number != "001");
    let mut mine = copies_of(&copies, "001").cycle();
    for (round, hold) in HOLDS.into_iter().enumerate() {
        let mut holder = app.db().session().await;
        let held = holder.transaction().await.unwrap();
        held.query(hold, &[]).await.unwrap();
        // The last two rounds lock rows of the account, so any card will do.
        let copy = if round < 2 { mine.next() } else { others.next() }.unwrap();
        let waits = app.post("/v1/submissions").by(&crowd[0]).json(&copy.submission());
        let waits = tokio::spawn(async move { waits.answer().await });
        for _ in 0..2 {
            app.submit(&crowd[1], others.next().unwrap()).await.expect(201);
        }
        assert!(!waits.is_finished(), "{hold}");
        held.commit().await.unwrap();
        waits.await.unwrap().expect(201);
    }
}

/// When the database refuses one submission of a group, the other submissions succeed.
#[tokio::test]
async fn a_failing_submission_does_not_affect_its_group() {
    let (app, copies, crowd) = app_with_players(10, 1).await;
    app.sql(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF EXISTS (SELECT FROM cards WHERE id = NEW.card_id AND number = '003') THEN RAISE 'not this one'; END IF; \
             RETURN NEW; \
         END $$; \
         CREATE TRIGGER refuse BEFORE INSERT ON submissions FOR EACH ROW EXECUTE FUNCTION refuse()",
    )
    .await;
    let submits = copies.iter().map(|copy| app.submit(&crowd[0], copy));
    for (copy, answer) in copies.iter().zip(join_all(submits).await) {
        assert_eq!(answer.status, if copy.number == "003" { 500 } else { 201 }, "{}", copy.number);
    }
    assert_eq!(app.db().number("SELECT count(*) FROM submissions").await, 9);
}

/// One request is sent many times at once with one idempotency key: it runs once, in whatever groups the requests arrive.
#[tokio::test]
async fn parallel_requests_use_an_idempotency_key_once() {
    let (app, copies, crowd) = app_with_players(2, 4).await;
    let submit = |player: &Player, copy: &PaperCard, key: &str| {
        let request = app.post("/v1/submissions").by(player).header("idempotency-key", key);
        request.json(&copy.submission()).answer()
    };
    let same = (0..6).map(|_| submit(&crowd[0], &copies[0], "train"));
    let rest =
        crowd[1..].iter().zip(&copies[1..]).map(|(player, copy)| submit(player, copy, "train"));
    let answers: Vec<Answer> = join_all(same.chain(rest)).await;
    let (same, rest) = answers.split_at(6);
    for answer in rest {
        assert_eq!(answer.status, 201, "keys of different players are independent");
    }
    let created: BTreeSet<_> = same
        .iter()
        .filter(|answer| answer.status != 409)
        .map(|answer| answer.clone().expect(201)["submission"].to_string())
        .collect();
    assert_eq!(created.len(), 1, "{created:?}");
    for refused in same.iter().filter(|answer| answer.status == 409) {
        refused.clone().problem(409, "idempotency_in_progress");
    }
    // A key whose request created nothing can be used again.
    let wrong = json!({ "serial": copies[5].serial, "name": "Somebody Else" });
    let key = |body| {
        app.post("/v1/submissions").by(&crowd[0]).header("idempotency-key", "tram").json(body)
    };
    key(&wrong).answer().await.problem(422, "submission_rejected");
    key(&copies[5].submission()).answer().await.expect(201);
}

/// A credential that has just ended registers nothing, also not in a group.
#[tokio::test]
async fn a_revoked_session_registers_nothing_in_a_group() {
    let (app, copies, crowd) = app_with_players(4, 4).await;
    app.submit(&crowd[0], &copies[0]).await.expect(201);
    app.sql("UPDATE sessions s SET revoked_at = now(), revoked_reason = 'logout' FROM accounts a WHERE a.id = s.account_id AND a.name = 'player 0'")
        .await;
    let submits = crowd.iter().zip(&copies[1..]).map(|(player, copy)| app.submit(player, copy));
    let statuses: Vec<u16> = join_all(submits).await.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses[1..], [201, 201, 201]);
    assert_eq!(statuses[0], 401);
}

/// Attempts are reserved for many requests at once. Attempts for a request that ended before it got the result are given back.
#[tokio::test]
async fn attempts_of_a_cancelled_request_are_given_back() {
    const USED: &str = "SELECT coalesce(sum(used), 0)::bigint FROM attempts";
    let app = TestApp::start().await;
    let batches = AttemptBatches::new(Store::new(&StoreSettings::new(app.db().url())).unwrap());
    let limit = AttemptLimit { limit: 5, window: Duration::hours(1) };
    let subject = AttemptSubject { scope: AttemptScope::SerialAccount, mac: [7; 16], limit };
    let (store, subjects) = (Store::new(&StoreSettings::new(app.db().url())).unwrap(), [subject]);
    let at = DateTime::UNIX_EPOCH;
    let mut request = Box::pin(batches.reserve_up_to(&store, &subjects, 2, at));
    assert!(futures_util::poll!(&mut request).is_pending());
    // The reservation is running, and the request has not read its result yet.
    until("the attempts are taken", async |_| app.db().number(USED).await == 2).await;
    drop(request);
    until("the attempts are given back", async |_| app.db().number(USED).await == 0).await;
    let taken = batches.reserve_up_to(&store, &subjects, 9, at).await.unwrap();
    assert_eq!(taken.units, 5);
    assert_eq!(app.db().number(USED).await, 5, "a request that got the result keeps its attempts");
}
