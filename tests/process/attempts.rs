//! Guesses of a serial code that were answered stay counted when Postgres is killed right after the answer: whoever can make it
//! fail does not get more guesses.

use std::time::{Duration, Instant};

use chrono::Utc;
use reqwest::Client;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::two_services::{TwoServices, member};

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
