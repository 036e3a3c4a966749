//! Two real services share one Postgres. Writers send offers through both, the streams of readers are interrupted, and each
//! service is killed with `kill -9` in between. Every reader must get an event for every offer and for its end, exactly
//! once. Then a service stops normally, which its streams announce.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use reqwest::{Client, Method};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::two_services::{TwoServices, member};

const WRITERS: usize = 6;
/// Number of offers of each writer; each is cancelled again.
const OFFERS: usize = 12;
const LONG: Duration = Duration::from_mins(1);

struct Field {
    two: TwoServices,
    http: Client,
    done: AtomicUsize,
}

impl Field {
    /// Repeats a request, alternately to both services, until it is answered.
    async fn ask(
        &self,
        turn: usize,
        method: Method,
        path: &str,
        who: Option<&str>,
        key: &str,
        body: &Value,
    ) -> Value {
        let began = Instant::now();
        for retry in 0.. {
            let base = &self.two.services[(turn + retry) % 2].address;
            let mut request = self.http.request(method.clone(), format!("http://{base}{path}"));
            request =
                request.timeout(Duration::from_secs(15)).header("idempotency-key", key).json(body);
            if let Some(token) = who {
                request = request.bearer_auth(token);
            }
            let answered = async {
                let response = request.send().await.ok()?;
                Some((response.status().as_u16(), response.json::<Value>().await.ok()?))
            };
            match answered.await {
                None | Some((503, _)) => {}
                Some((409, body)) if body["code"] == "idempotency_in_progress" => {}
                Some((status, body)) => {
                    assert!(status < 300, "{path}: {status} {body}");
                    return body;
                }
            }
            assert!(began.elapsed() < LONG, "{path}: no answer");
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        unreachable!("the request is repeated until it is answered")
    }

    async fn enter(&self, name: &str) -> String {
        let body = json!({ "name": name, "password": "tram window sonnet" });
        self.ask(0, Method::POST, "/v1/accounts", None, "k", &body).await;
        member(&self.ask(0, Method::POST, "/v1/sessions", None, "k", &body).await, "access_token")
    }

    /// Repeatedly offers a copy and cancels the offer; returns the ids of the offers.
    async fn write(&self, writer: usize, token: &str, card: &Value) -> Vec<String> {
        let created =
            self.ask(writer, Method::POST, "/v1/submissions", Some(token), "card", card).await;
        let body = json!({ "with": "reader", "give": [created["copy"]] });
        let mut offers = Vec::new();
        for round in 0..OFFERS {
            let key = format!("offer-{writer}-{round}");
            let turn = writer + round;
            let offer = self.ask(turn, Method::POST, "/v1/trades", Some(token), &key, &body).await;
            let id = member(&offer, "id");
            let path = format!("/v1/trades/{id}/cancel");
            self.ask(turn + 1, Method::POST, &path, Some(token), "cancel", &json!({})).await;
            offers.push(id);
            self.done.fetch_add(1, Ordering::Relaxed);
        }
        offers
    }

    /// Reads the stream of either service until `enough` events were received. Reconnects after every `few` events.
    async fn read(&self, token: &str, few: usize, enough: usize) -> Vec<Value> {
        let mut received: Vec<Value> = Vec::new();
        let began = Instant::now();
        let mut turn = 0;
        while received.len() < enough {
            assert!(began.elapsed() < LONG, "{} of {enough} events", received.len());
            turn += 1;
            let url = format!("http://{}/v1/me/events/stream", self.two.services[turn % 2].address);
            let last = received.last().map_or(0, |event| event["seq"].as_u64().unwrap());
            let request = self.http.get(url).bearer_auth(token).header("last-event-id", last);
            let response = match request.send().await {
                Ok(response) if response.status() == 200 => response,
                _ => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let mut bytes = response.bytes_stream();
            let (mut unread, mut left) = (String::new(), few + turn * 7 % 20);
            while left > 0 && received.len() < enough {
                // If a service was killed, even in the middle of an event, the other service continues the stream.
                let Ok(Some(Ok(chunk))) = tokio::time::timeout(LONG, bytes.next()).await else {
                    break;
                };
                unread += std::str::from_utf8(&chunk).unwrap();
                while left > 0
                    && let Some((block, rest)) = unread.split_once("\n\n")
                {
                    if let Some(data) = block.lines().find_map(|line| line.strip_prefix("data: ")) {
                        let event: Value = serde_json::from_str(data).unwrap();
                        if event.get("reason").is_none() {
                            received.push(event);
                        }
                        left -= 1;
                    }
                    unread = rest.to_owned();
                }
            }
        }
        received
    }

    async fn kill_services(&self) {
        for (service, part) in [(0, 1), (1, 2)] {
            while self.done.load(Ordering::Relaxed) < WRITERS * OFFERS * part / 3 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            tokio::task::block_in_place(|| self.two.services[service].kill_and_restart());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_continue_after_killed_services_and_end_with_stopped_ones() {
    let two = TwoServices::start(&[]);
    // A card for each writer.
    let cards = two.print_cards(1);
    let field = Field { two, http: Client::new(), done: AtomicUsize::new(0) };
    let reader = field.enter("reader").await;
    let mut writers = Vec::new();
    for writer in 0..WRITERS {
        writers.push(field.enter(&format!("writer {writer}")).await);
    }
    let enough = WRITERS * OFFERS * 2;
    let writing = writers.iter().zip(&cards).enumerate();
    let writing = writing.map(|(place, (token, card))| field.write(place, token, card));
    let (offers, first, second, ()) = tokio::join!(
        futures_util::future::join_all(writing),
        field.read(&reader, 9, enough),
        field.read(&reader, 14, enough),
        field.kill_services(),
    );
    let offers: Vec<String> = offers.concat();
    assert_eq!(first, second, "both readers received the same events");
    let numbers: Vec<u64> = first.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=u64::try_from(enough).unwrap()).collect::<Vec<_>>());
    let mut received: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for event in &first {
        received.entry(member(&event["trade"], "id")).or_default().push(member(event, "kind"));
    }
    assert_eq!(received.len(), offers.len());
    for offer in &offers {
        assert_eq!(received[offer], ["trade.offered", "trade.cancelled"], "{offer}");
    }

    // On a normal stop, the stream announces it and ends, and the service does not wait for its readers.
    let url = format!("http://{}/v1/me/events/stream", field.two.services[0].address);
    let stream = field.http.get(url).bearer_auth(&reader).send().await.unwrap();
    assert_eq!(stream.status(), 200);
    let began = Instant::now();
    let pid = field.two.services[0].child.lock().unwrap().id();
    kill_process(Pid::from_raw(pid.try_into().unwrap()).unwrap(), Signal::TERM).unwrap();
    let text = tokio::time::timeout(LONG, stream.text()).await.unwrap().unwrap();
    assert!(text.ends_with("event: end\ndata: {\"reason\":\"shutdown\"}\n\n"), "{text}");
    let status = tokio::task::block_in_place(|| field.two.services[0].child.lock().unwrap().wait());
    assert!(status.unwrap().success());
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}
