//! Guesses of a serial code that were answered stay counted when Postgres is killed right after the answer: whoever can make it
//! fail does not get more guesses. Attempts of right codes that were being decided when Postgres or an instance was killed lock
//! nobody out.

use std::time::{Duration, Instant};

use chrono::Utc;
use reqwest::Client;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::two_services::{TwoServices, member};
use super::within;

/// Guesses of an account in a day.
const LIMIT: usize = 20;

/// Sends a request until a service decides it: a broken connection or a 503 is not an answer.
async fn ask(two: &TwoServices, path: &str, token: &str, body: &Value) -> (u16, Value) {
    let client = Client::builder().timeout(Duration::from_secs(15)).build().unwrap();
    let began = Instant::now();
    loop {
        let url = format!("http://{}{path}", two.services[0].address);
        let answered = async {
            let response = client.post(url).bearer_auth(token).json(body).send().await.ok()?;
            Some((response.status().as_u16(), response.json::<Value>().await.ok()?))
        };
        match answered.await {
            None | Some((503, _)) => {}
            Some(answer) => return answer,
        }
        assert!(began.elapsed() < Duration::from_mins(1), "{path}: no answer");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn answered_guesses_stay_counted_after_kill_9_of_postgres() {
    let two = TwoServices::start(&[]);
    let printed = two.print_cards(1);
    let account = json!({ "name": "ada", "password": "tram window sonnet" });
    assert_eq!(ask(&two, "/v1/accounts", "", &account).await.0, 201);
    let (status, session) = ask(&two, "/v1/sessions", "", &account).await;
    assert_eq!(status, 201, "{session}");
    let token = member(&session, "access_token");
    let guess = json!({ "serial": printed[0]["serial"], "name": "Nobody's Card" });
    let (mut day, mut answered) = (Utc::now().date_naive(), 0);
    loop {
        let today = || Utc::now().date_naive();
        let sent = today();
        let (status, answer) = ask(&two, "/v1/submissions", &token, &guess).await;
        if status == 429 {
            assert_eq!(answer["code"], "serial_attempts_used_up", "{answer}");
            break;
        }
        assert_eq!(answer["code"], "submission_rejected", "{status} {answer}");
        if sent != day {
            // Another day, with attempts of its own.
            (day, answered) = (sent, 0);
        }
        answered += usize::from(today() == day);
        assert!(answered <= LIMIT, "{answered} guesses were answered");
        if answered % 4 == 0 {
            let began = Instant::now();
            let postmaster = loop {
                // None while Postgres is being started again.
                match two.postgres.postmaster_pid() {
                    Some(postmaster) => break postmaster.try_into().unwrap(),
                    None => tokio::time::sleep(Duration::from_millis(10)).await,
                }
                assert!(began.elapsed() < Duration::from_mins(1), "Postgres is started again");
            };
            kill_process(Pid::from_raw(postmaster).unwrap(), Signal::KILL).unwrap();
        }
    }
    // Requests that were not answered may count as well: some for each kill.
    assert!((LIMIT / 2..=LIMIT).contains(&answered), "{answered} guesses were answered");
}

/// A connection to the database, beside the services.
async fn connect(two: &TwoServices) -> Option<tokio_postgres::Client> {
    let (client, connection) =
        tokio_postgres::connect(&two.database, tokio_postgres::NoTls).await.ok()?;
    tokio::spawn(async { drop(connection.await) });
    Some(client)
}

/// The number that a query returns; none while Postgres is being started.
async fn number(two: &TwoServices, query: &str) -> Option<i64> {
    let query = format!("SELECT ({query})::bigint");
    connect(two).await?.query_one(&query, &[]).await.ok()?.get(0)
}

const USED: &str = "SELECT coalesce(sum(used), 0) FROM attempts WHERE scope = 'serial_account'";
const WAITING: &str = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'cardscape'";

/// A player, and a batch of right codes, whose copies are locked.
struct LockedBatch {
    two: TwoServices,
    token: String,
    batch: Value,
    /// Ends the lock when it is dropped.
    holder: tokio_postgres::Client,
}

impl LockedBatch {
    async fn start() -> Self {
        let two = TwoServices::start(&[]);
        let printed = two.print_cards(2);
        let account = json!({ "name": "ada", "password": "tram window sonnet" });
        assert_eq!(ask(&two, "/v1/accounts", "", &account).await.0, 201);
        let (status, session) = ask(&two, "/v1/sessions", "", &account).await;
        assert_eq!(status, 201, "{session}");
        let holder = connect(&two).await.unwrap();
        holder.batch_execute("BEGIN; SELECT FROM copies FOR UPDATE").await.unwrap();
        let batch = json!({ "submissions": &printed[..20] });
        Self { token: member(&session, "access_token"), batch, holder, two }
    }

    /// Sends the batch once, and waits until it waits for the lock with the attempts of its first part. What is returned
    /// is the status of the answer, if there is one.
    async fn send(&self) -> tokio::task::JoinHandle<Option<u16>> {
        let url = format!("http://{}/v1/submissions/batch", self.two.services[0].address);
        let request = Client::new().post(url).bearer_auth(&self.token).json(&self.batch);
        let sent = tokio::spawn(async move { Some(request.send().await.ok()?.status().as_u16()) });
        within(Duration::from_secs(20), "the batch waits for the lock", async || {
            number(&self.two, USED).await == Some(10) && number(&self.two, WAITING).await == Some(1)
        })
        .await;
        sent
    }

    /// Sends the batch until it is decided: every code is registered.
    async fn assert_registered(&self) {
        let path = "/v1/submissions/batch";
        let (status, answer) = ask(&self.two, path, &self.token, &self.batch).await;
        assert_eq!(status, 200, "{answer}");
        let verdicts = answer["data"].as_array().unwrap();
        assert!(verdicts.iter().all(|one| one["verdict"] == "registered"), "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn attempts_are_given_back_after_a_restart_of_postgres() {
    let locked = LockedBatch::start().await;
    let sent = locked.send().await;
    // A fast shutdown: all transactions are aborted.
    let postmaster = locked.two.postgres.postmaster_pid().unwrap().try_into().unwrap();
    kill_process(Pid::from_raw(postmaster).unwrap(), Signal::INT).unwrap();
    assert_eq!(sent.await.unwrap(), Some(503));
    within(Duration::from_mins(1), "the attempts are given back", async || {
        number(&locked.two, USED).await == Some(0)
    })
    .await;
    locked.assert_registered().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_instance_costs_half_of_the_attempts() {
    let locked = LockedBatch::start().await;
    let sent = locked.send().await;
    tokio::task::block_in_place(|| locked.two.services[0].kill_and_restart());
    assert_eq!(sent.await.unwrap(), None);
    locked.holder.batch_execute("ROLLBACK").await.unwrap();
    locked.assert_registered().await;
    within(Duration::from_secs(20), "the others are given back", async || {
        number(&locked.two, USED).await == Some(10)
    })
    .await;
}
