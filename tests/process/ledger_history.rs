//! Two real services share one Postgres. 64 clients register copies, and offer and accept trades, while each service and
//! Postgres are killed with `kill -9`. Every client repeats a request until it is answered, like people with a bad
//! connection. At the end, the whole history is checked: nothing acknowledged is lost, nothing happened twice, and every copy
//! has one owner.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use reqwest::{Client, Method};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio_postgres::NoTls;

use super::two_services::{TwoServices, member};

const CLIENTS: usize = 64;
/// Copies of each of the 16 cards of the set.
const COPIES_PER_CARD: usize = 16;
/// Number of offers of each client.
const ROUNDS: usize = 5;

/// The data that all clients share: the services, and the progress.
struct Field {
    two: TwoServices,
    http: Client,
    answered: AtomicUsize,
    retried: AtomicUsize,
}

#[derive(Clone)]
struct Player {
    id: String,
    name: String,
    token: String,
}

impl Field {
    /// Repeats a request, alternately to both services, until it is answered. Only a decision of the service counts as an
    /// answer: not a broken connection, a 503 or "still running".
    async fn ask(
        &self,
        turn: usize,
        method: Method,
        path: &str,
        token: Option<&str>,
        key: Option<&str>,
        body: Option<&Value>,
    ) -> (u16, Value) {
        let began = Instant::now();
        for retry in 0.. {
            let base = &self.two.services[(turn + retry) % 2].address;
            let mut request = self.http.request(method.clone(), format!("http://{base}{path}"));
            if let Some(token) = token {
                request = request.bearer_auth(token);
            }
            if let Some(key) = key {
                request = request.header("idempotency-key", key);
            }
            if let Some(body) = body {
                request = request.json(body);
            }
            let answered = async {
                let response = request.send().await.ok()?;
                Some((response.status().as_u16(), response.json::<Value>().await.ok()?))
            };
            match answered.await {
                None | Some((503, _)) => {}
                Some((409, body)) if body["code"] == "idempotency_in_progress" => {}
                Some((status, body)) => {
                    assert!(status < 500, "{path}: {status} {body}");
                    return (status, body);
                }
            }
            self.retried.fetch_add(1, Ordering::Relaxed);
            assert!(began.elapsed() < Duration::from_mins(1), "{path}: no answer");
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        unreachable!("the request is repeated until it is answered")
    }

    async fn get(&self, turn: usize, player: &Player, path: &str) -> Value {
        let (status, body) =
            self.ask(turn, Method::GET, path, Some(&player.token), None, None).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    async fn post(
        &self,
        turn: usize,
        player: &Player,
        path: &str,
        key: &str,
        body: Option<&Value>,
    ) -> (u16, Value) {
        let token = Some(player.token.as_str());
        let answer = self.ask(turn, Method::POST, path, token, Some(key), body).await;
        self.answered.fetch_add(1, Ordering::Relaxed);
        answer
    }

    async fn enter(&self, n: usize) -> Player {
        let name = format!("client {n}");
        let body = json!({ "name": name, "password": "tram window sonnet" });
        let (status, answer) =
            self.ask(n, Method::POST, "/v1/accounts", None, None, Some(&body)).await;
        assert_eq!(status, 201, "{answer}");
        let (status, answer) =
            self.ask(n, Method::POST, "/v1/sessions", None, None, Some(&body)).await;
        assert_eq!(status, 201, "{answer}");
        let player = Player {
            id: member(&answer, "account_id"),
            name,
            token: member(&answer, "access_token"),
        };
        let public = json!({ "trading": "public" });
        let token = Some(player.token.as_str());
        let (status, answer) =
            self.ask(n, Method::PUT, "/v1/me/trading", token, None, Some(&public)).await;
        assert_eq!(status, 200, "{answer}");
        player
    }
}

fn ids(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|item| member(item, "id")).collect()
}

/// The final answers that clients received.
#[derive(Debug, Default)]
struct Answers {
    /// Submission → copy.
    submitted: BTreeMap<String, String>,
    offered: BTreeSet<String>,
    /// Trade → the state that the answer gave.
    closed: BTreeMap<String, &'static str>,
}

/// All actions of one client.
async fn live(field: &Field, players: &[Player], n: usize, cards: Vec<Value>) -> Answers {
    let (me, mut answers) = (&players[n], Answers::default());
    for (turn, card) in cards.iter().enumerate() {
        let key = format!("submit-{turn}");
        let (status, body) = field.post(n + turn, me, "/v1/submissions", &key, Some(card)).await;
        assert_eq!(status, 201, "{body}");
        answers.submitted.insert(member(&body, "submission"), member(&body, "copy"));
    }
    for round in 0..ROUNDS {
        let turn = n + round;
        let partner = &players[(n + 1 + round * 13) % CLIENTS];
        let own = ids(&field.get(turn, me, "/v1/copies?limit=100").await["data"]);
        let path = format!("/v1/players/{}/copies?limit=100", partner.name.replace(' ', "%20"));
        let shown = ids(&field.get(turn, me, &path).await["data"]);
        let give: Vec<_> = own.iter().skip(round).take(1 + round % 2).collect();
        let want: Vec<_> = shown.iter().skip(n % 3).take((n + round) % 3).collect();
        if !give.is_empty() || !want.is_empty() {
            let body = json!({ "with": partner.name, "give": give, "want": want });
            let key = format!("offer-{round}");
            let (status, body) = field.post(turn, me, "/v1/trades", &key, Some(&body)).await;
            match status {
                201 => assert!(answers.offered.insert(member(&body, "id"))),
                // A copy was traded away between reading the collection and the offer.
                _ => assert_eq!(body["code"], "invalid_body", "{body}"),
            }
        }
        let open = field.get(turn, me, "/v1/trades?state=open&role=recipient&limit=20").await;
        for (place, trade) in ids(&open["data"]).into_iter().enumerate() {
            let (what, done) =
                if place % 4 == 3 { ("decline", "declined") } else { ("accept", "accepted") };
            let path = format!("/v1/trades/{trade}/{what}");
            let (status, body) = field.post(turn + place, me, &path, "answer", None).await;
            let state = match (status, body["code"].as_str()) {
                (200, _) => done,
                (409, Some("trade_lapsed")) => "lapsed",
                _ => panic!("{path}: {status} {body}"),
            };
            assert!(answers.closed.insert(trade, state).is_none(), "a trade is closed only once");
        }
    }
    answers
}

/// Kills each service and Postgres, one after the other, at fixed points of the progress.
async fn kill_services_and_postgres(field: &Field, enough: usize) {
    let until = async |answered: usize| {
        while field.answered.load(Ordering::Relaxed) < answered {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    until(enough / 5).await;
    tokio::task::block_in_place(|| field.two.services[0].kill_and_restart());
    until(enough * 2 / 5).await;
    let postmaster =
        Pid::from_raw(field.two.postgres.postmaster_pid().unwrap().try_into().unwrap()).unwrap();
    kill_process(postmaster, Signal::KILL).unwrap();
    until(enough * 3 / 5).await;
    tokio::task::block_in_place(|| field.two.services[1].kill_and_restart());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_acknowledged_is_lost_and_nothing_happens_twice() {
    let two = TwoServices::start(&["--attempt-factor", "10000", "--pool-size", "8"]);
    let cards = two.print_cards(COPIES_PER_CARD);
    let http = Client::builder().timeout(Duration::from_secs(15)).build().unwrap();
    let field =
        Arc::new(Field { two, http, answered: AtomicUsize::new(0), retried: AtomicUsize::new(0) });
    let entering = (0..CLIENTS).map(|n| {
        let field = field.clone();
        tokio::spawn(async move { field.enter(n).await })
    });
    let mut players = Vec::new();
    for player in entering.collect::<Vec<_>>() {
        players.push(player.await.unwrap());
    }
    let players: Arc<[Player]> = players.into();

    // Adjacent lines of the print file belong to one card, so that clients change its count at the same time.
    let mut hands: Vec<Vec<Value>> = vec![Vec::new(); CLIENTS];
    for (place, card) in cards.iter().enumerate() {
        hands[place % CLIENTS].push(card.clone());
    }
    let began = Instant::now();
    let clients: Vec<_> = hands
        .into_iter()
        .enumerate()
        .map(|(n, hand)| {
            let (field, players) = (field.clone(), players.clone());
            tokio::spawn(async move { live(&field, &players, n, hand).await })
        })
        .collect();
    // Each client sends at least its submissions and, mostly, its offers.
    kill_services_and_postgres(&field, cards.len() + CLIENTS * ROUNDS / 2).await;
    let mut answers = Answers::default();
    for client in clients {
        let Answers { submitted, offered, closed } = client.await.unwrap();
        answers.submitted.extend(submitted);
        answers.offered.extend(offered);
        for (trade, state) in closed {
            assert!(
                answers.closed.insert(trade, state).is_none(),
                "a trade is closed only by its recipient"
            );
        }
    }
    println!(
        "{} answers in {:?}, {} repeated requests",
        field.answered.load(Ordering::Relaxed),
        began.elapsed(),
        field.retried.load(Ordering::Relaxed)
    );
    assert!(field.retried.load(Ordering::Relaxed) > 0, "the kills must have interrupted requests");

    check(&field.two.database, &cards, &answers).await;
    // Both services must show every copy exactly once, to its owner.
    for turn in 0..2 {
        let mut shown = BTreeMap::new();
        for player in players.iter() {
            let listed = field.get(turn, player, "/v1/copies?limit=200").await;
            for copy in ids(&listed["data"]) {
                assert_eq!(
                    shown.insert(copy, player.id.clone()),
                    None,
                    "a copy has more than one owner"
                );
            }
        }
        let stored = rows(
            &field.two.database,
            "SELECT id::text, owner_id::text FROM copies WHERE owner_id IS NOT NULL",
        )
        .await;
        assert_eq!(shown, stored.into_iter().map(|row| (row[0].clone(), row[1].clone())).collect());
    }
}

async fn rows(database: &str, query: &str) -> Vec<Vec<String>> {
    let (client, connection) = tokio_postgres::connect(database, NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    let found = client.query(query, &[]).await.unwrap();
    drop(client);
    let _ = connection.await;
    let texts = |row: tokio_postgres::Row| {
        (0..row.len())
            .map(|place| row.get::<_, Option<String>>(place).unwrap_or_default())
            .collect()
    };
    found.into_iter().map(texts).collect()
}

/// Compares the stored data with the answers that the clients received, and checks that the ledger is consistent.
async fn check(database: &str, cards: &[Value], answers: &Answers) {
    let submissions = rows(
        database,
        "SELECT s.id::text, c.id::text FROM submissions s JOIN copies c USING (code_prefix, code_mac)",
    )
    .await;
    let stored: BTreeMap<_, _> =
        submissions.into_iter().map(|row| (row[0].clone(), row[1].clone())).collect();
    assert_eq!(stored, answers.submitted, "submissions");
    assert_eq!(stored.len(), cards.len());

    let trades =
        rows(database, "SELECT id::text, state, offered_by::text, offered_to::text FROM trades")
            .await;
    let offered: BTreeSet<_> = trades.iter().map(|row| row[0].clone()).collect();
    assert_eq!(offered, answers.offered, "offers: none lost, none created twice");
    let closed: BTreeMap<_, _> = trades
        .iter()
        .filter(|row| row[1] != "open")
        .map(|row| (row[0].clone(), row[1].as_str()))
        .collect();
    assert_eq!(
        closed,
        answers.closed.iter().map(|(trade, state)| (trade.clone(), *state)).collect()
    );
    let accepted = closed.values().filter(|state| **state == "accepted").count();
    assert!(accepted > CLIENTS / 4, "only {accepted} trades were accepted");

    // The transfers of copies that the accepted trades require: (trade, copy) → (giver, taker).
    let moves = rows(
        database,
        "SELECT t.id::text, c.id::text, CASE WHEN x.given THEN t.offered_by ELSE t.offered_to END::text, \
                CASE WHEN x.given THEN t.offered_to ELSE t.offered_by END::text \
         FROM trades t JOIN trade_copies x ON x.trade_id = t.id JOIN copies c USING (code_prefix, code_mac) \
         WHERE t.state = 'accepted'",
    )
    .await;
    let mut due: BTreeMap<(String, String), (String, String)> = moves
        .into_iter()
        .map(|row| ((row[0].clone(), row[1].clone()), (row[2].clone(), row[3].clone())))
        .collect();
    let ledger = rows(
        database,
        "SELECT c.id::text, l.position::text, l.entry, l.account_id::text, l.owner_id::text, l.trade_id::text \
         FROM copy_ledger l JOIN copies c USING (code_prefix, code_mac) ORDER BY c.id, l.position",
    )
    .await;
    let mut owners: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for row in &ledger {
        let [copy, position, entry, account, owner, trade] = &row[..] else { panic!("{row:?}") };
        let before = owners.get(copy);
        let expected = before.map_or(1, |(position, _)| position + 1);
        assert_eq!(position, &expected.to_string(), "positions have no gaps: {row:?}");
        assert_eq!(account, owner, "{row:?}");
        match (before, entry.as_str()) {
            (None, "register") => {}
            (Some((_, giver)), "transfer") => {
                let moved = due.remove(&(trade.clone(), copy.clone()));
                assert_eq!(moved, Some((giver.clone(), owner.clone())), "{row:?}");
            }
            _ => panic!("{row:?} after {before:?}"),
        }
        owners.insert(copy.clone(), (expected, owner.clone()));
    }
    assert_eq!(due, BTreeMap::new(), "transfers of accepted trades that are missing in the ledger");
    let mirrored =
        rows(database, "SELECT id::text, owner_id::text FROM copies WHERE owner_id IS NOT NULL")
            .await;
    let replayed: BTreeMap<_, _> =
        owners.into_iter().map(|(copy, (_, owner))| (copy, owner)).collect();
    assert_eq!(
        mirrored
            .into_iter()
            .map(|row| (row[0].clone(), row[1].clone()))
            .collect::<BTreeMap<_, _>>(),
        replayed
    );

    let wrong_counts = "SELECT u.card_id::text FROM unlocks u WHERE u.submissions <> least(u.threshold, \
        (SELECT count(DISTINCT s.account_id) FROM submissions s WHERE s.card_id = u.card_id))";
    assert_eq!(rows(database, wrong_counts).await, Vec::<Vec<String>>::new(), "unlock counts");
    let events = rows(database, "SELECT count(*)::text, count(DISTINCT subject_id)::text FROM events WHERE kind = 'card.unlocked'").await;
    let unlocked =
        rows(database, "SELECT count(*)::text FROM unlocks WHERE unlocked_at IS NOT NULL").await;
    assert_eq!(
        events[0],
        [unlocked[0][0].clone(), unlocked[0][0].clone()],
        "each card has one event of its unlock"
    );
}
