//! The events of an account, as pages and as a stream: each event is sent once, only to the accounts that it concerns, and not for an ended token.

use std::collections::BTreeSet;
use std::pin::Pin;
use std::time::{Duration, Instant};

use cardscape::store::operations::retention;
use chrono::{DateTime, Duration as Span, Utc};
use futures_util::future::{join_all, join3};
use futures_util::{Stream, StreamExt as _};
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::support::{Answer, PaperCard, Player, RequestExt as _, TestApp, text, until};

/// The time limit of every wait in this file. It is longer than any of them takes on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(30);

async fn page(app: &TestApp, player: &Player, query: &str) -> Answer {
    app.get(&format!("/v1/me/events?{query}")).by(player).answer().await
}

/// All stored events of the account, read page by page.
async fn all_events(app: &TestApp, player: &Player) -> Vec<Value> {
    let (mut events, mut query) = (Vec::new(), "limit=3".to_owned());
    loop {
        let page = page(app, player, &query).await.expect(200);
        events.extend(page["data"].as_array().unwrap().iter().cloned());
        if page["next_after"] == page["newest"] {
            return events;
        }
        query = format!("limit=3&after={}", page["next_after"]);
    }
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["kind"].as_str().unwrap()).collect()
}

fn numbers(events: &[Value]) -> Vec<u64> {
    events.iter().map(|event| event["seq"].as_u64().unwrap()).collect()
}

/// The events after `seen`. Moves `seen` to the end of the page.
async fn new_events(app: &TestApp, player: &Player, seen: &mut u64) -> Vec<Value> {
    let page = page(app, player, &format!("after={seen}")).await.expect(200);
    *seen = page["next_after"].as_u64().unwrap();
    page["data"].as_array().unwrap().clone()
}

async fn sweep(app: &TestApp) {
    retention::sweep(app.store(), app.clock().now()).await.unwrap();
}

/// One open stream.
struct Listener {
    bytes: Pin<Box<dyn Stream<Item = reqwest::Result<Vec<u8>>> + Send>>,
    text: String,
    headers: HeaderMap,
    /// The number from which the stream continues.
    reached: u64,
}

/// One event that a stream sent.
#[derive(Clone, Debug)]
struct StreamEvent {
    id: Option<u64>,
    kind: String,
    data: Value,
}

impl Listener {
    async fn open(app: &TestApp, token: &str, after: Option<u64>) -> Self {
        let mut request = app.get("/v1/me/events/stream").bearer_auth(token);
        if let Some(after) = after {
            request = request.header("last-event-id", after);
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200, "{:?}", response.text().await);
        let headers = response.headers().clone();
        let bytes = response.bytes_stream().map(|chunk| chunk.map(|chunk| chunk.to_vec()));
        let mut listener =
            Self { bytes: Box::pin(bytes), text: String::new(), headers, reached: 0 };
        // The service writes this comment when the stream has begun.
        let begin = listener.block().await.expect("the stream begins");
        let reached = begin.strip_prefix(": connected\nid: ").expect("it says where it begins");
        listener.reached = reached.parse().unwrap();
        listener
    }

    /// The text up to the next empty line, or `None` when the stream has ended.
    async fn block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                return Some(block);
            }
            let chunk = tokio::time::timeout(TIMEOUT, self.bytes.next())
                .await
                .expect("the stream sends data or ends within the time limit");
            match chunk {
                Some(Ok(chunk)) => self.text += std::str::from_utf8(&chunk).unwrap(),
                Some(Err(_)) | None => return None,
            }
        }
    }

    async fn next(&mut self) -> Option<StreamEvent> {
        loop {
            let block = self.block().await?;
            let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
            if let (Some(kind), Some(data)) = (field("event: "), field("data: ")) {
                return Some(StreamEvent {
                    id: field("id: ").map(|id| id.parse().unwrap()),
                    kind: kind.to_owned(),
                    data: serde_json::from_str(data).unwrap(),
                });
            }
        }
    }

    /// The reason that the stream ends with. Checks that nothing follows the reason.
    async fn end(&mut self) -> String {
        let event = self.next().await.expect("the reason comes before the end");
        assert_eq!((event.kind.as_str(), event.id), ("end", None), "{event:?}");
        assert!(self.next().await.is_none(), "nothing comes after the end");
        text(&event.data, "reason")
    }
}

async fn app_with_print_run(cards: usize, copies: u64) -> (TestApp, Vec<PaperCard>) {
    let app = TestApp::start().await;
    app.import_set("dusk", cards, true).await;
    let cards = app.print("dusk", copies).await;
    (app, cards)
}

/// Copies of the card with this number.
fn copies_of<'a>(cards: &'a [PaperCard], number: &'a str) -> impl Iterator<Item = &'a PaperCard> {
    cards.iter().filter(move |card| card.number == number)
}

#[tokio::test]
async fn the_event_of_an_accepted_submission_links_its_copy_and_card() {
    let (app, cards) = app_with_print_run(1, 10).await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let nothing = json!({ "data": [], "next_after": 0, "newest": 0 });
    assert_eq!(page(&app, &ada, "").await.expect(200), nothing);
    let created = app.submit(&ada, &cards[0]).await.expect(201);
    let answer = page(&app, &ada, "after=0").await;
    assert!(answer.header("cache-control").starts_with("private"));
    let tag = answer.header("etag");
    let body = answer.expect(200);
    let event = &body["data"][0];
    assert_eq!((&body["next_after"], &body["newest"]), (&json!(1), &json!(1)));
    assert_eq!((&event["seq"], &event["kind"]), (&json!(1), &json!("submission.accepted")));
    assert_eq!(event["submission"]["id"], created["submission"]);
    assert_eq!(event["copy"]["id"], created["copy"]);
    assert_eq!((&event["card"]["set"], &event["card"]["number"]), (&json!("dusk"), &json!("001")));
    for subject in ["submission", "copy", "card"] {
        app.get(&text(&event[subject], "href")).by(&ada).answer().await.expect(200);
    }
    let again = app.get("/v1/me/events?after=0").by(&ada).header("if-none-match", tag);
    assert_eq!(again.answer().await.status, 304);
    // A repeated submission and a rejected submission create no event.
    app.submit(&ada, &cards[0]).await.expect(200);
    let wrong = json!({ "serial": cards[1].serial, "name": "Somebody Else" });
    app.post("/v1/submissions")
        .by(&ada)
        .json(&wrong)
        .answer()
        .await
        .problem(422, "submission_rejected");
    assert_eq!(all_events(&app, &ada).await.len(), 1);
    assert_eq!(page(&app, &ben, "").await.expect(200), nothing, "another account gets no event");
}

/// After many unlocks, the service starts from the submissions of the reading account, not from the unlocked cards.
#[tokio::test]
async fn many_unlocks_at_once_create_events_for_the_accounts_that_submitted_the_cards() {
    let (app, cards) = app_with_print_run(30, 2).await;
    let [ada, ben, cem] =
        [app.player("ada").await, app.player("ben").await, app.player("cem").await];
    // ada submits two copies of card 001 and one of card 002; ben submits another copy of card 002.
    for card in copies_of(&cards, "001").take(2).chain(copies_of(&cards, "002").take(1)) {
        app.register(&ada, card).await;
    }
    app.register(&ben, copies_of(&cards, "002").nth(1).unwrap()).await;
    let admin = app.admin().await;
    let reason = json!({ "reason": "the end of the season" });
    app.post("/v1/games/ttcg/sets/dusk/unlocks")
        .by(&admin)
        .json(&reason)
        .answer()
        .await
        .expect(200);
    app.clock().advance(Span::minutes(2));
    let late = app.log_in("cem", &cem.password).await;
    app.register(&late, copies_of(&cards, "003").next().unwrap()).await;

    let accepted = "submission.accepted";
    let events = all_events(&app, &app.log_in("ada", &ada.password).await).await;
    assert_eq!(kinds(&events), [accepted, accepted, accepted, "card.unlocked", "card.unlocked"]);
    let unlocked: BTreeSet<_> =
        events[3..].iter().map(|event| event["card"]["number"].as_str().unwrap()).collect();
    assert_eq!(unlocked, BTreeSet::from(["001", "002"]));
    assert_eq!(numbers(&events), [1, 2, 3, 4, 5]);
    assert_eq!(
        kinds(&all_events(&app, &app.log_in("ben", &ben.password).await).await),
        [accepted, "card.unlocked"]
    );
    assert_eq!(
        kinds(&all_events(&app, &late).await),
        [accepted],
        "the card was unlocked before the submission"
    );
}

#[tokio::test]
async fn an_unlock_creates_events_for_the_accounts_that_submitted_the_card() {
    let (app, cards) = app_with_print_run(2, 10).await;
    let mut players = Vec::new();
    for name in ["ada", "ben", "cem", "dot", "eve", "fay"] {
        players.push(app.player(name).await);
    }
    let mut copies = copies_of(&cards, "001");
    // ada submits two copies of card 001; fay submits only another card.
    app.register(&players[0], copies.next().unwrap()).await;
    app.register(&players[5], copies_of(&cards, "002").next().unwrap()).await;
    let mut listener = Listener::open(&app, &players[0].access_token, None).await;
    for player in &players[..5] {
        app.register(player, copies.next().unwrap()).await;
    }
    assert_eq!(listener.next().await.unwrap().kind, "submission.accepted");
    let event = listener.next().await.unwrap();
    assert_eq!((event.id, event.kind.as_str()), (Some(3), "card.unlocked"));
    assert_eq!((&event.data["card"]["number"], event.data.get("copy")), (&json!("001"), None));
    for player in &players[1..5] {
        assert_eq!(
            kinds(&all_events(&app, player).await),
            ["submission.accepted", "card.unlocked"]
        );
    }
    assert_eq!(kinds(&all_events(&app, &players[5]).await), ["submission.accepted"]);
    let late = app.player("late").await;
    app.clock().advance(Span::minutes(2));
    let late = app.log_in("late", &late.password).await;
    app.register(&late, copies.next().unwrap()).await;
    assert_eq!(
        kinds(&all_events(&app, &late).await),
        ["submission.accepted"],
        "the card was unlocked before the submission"
    );
    let ada = app.log_in("ada", &players[0].password).await;
    assert_eq!(
        all_events(&app, &ada).await.len(),
        3,
        "the unlock creates one event for two submitted copies"
    );
}

/// The event of an unlock is added when the account reads, and is numbered before later events that wait, too.
#[tokio::test]
async fn events_that_wait_are_numbered_in_the_order_of_time() {
    let (app, cards) = app_with_print_run(2, 10).await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let mut copies = copies_of(&cards, "001");
    let created = app.submit(&ada, copies.next().unwrap()).await.expect(201);
    let unlock = app.post(&format!("/v1/cards/{}/unlock", text(&created["card"], "id"))).by(&admin);
    unlock.json(&json!({ "reason": "today" })).answer().await.expect(200);
    app.register(&ada, copies_of(&cards, "002").next().unwrap()).await;
    let (accepted, unlocked) = ("submission.accepted", "card.unlocked");
    let events = all_events(&app, &ada).await;
    assert_eq!(kinds(&events), [accepted, unlocked, accepted]);
    assert_eq!(numbers(&events), [1, 2, 3]);
    let times: Vec<DateTime<Utc>> =
        events.iter().map(|event| text(event, "at").parse().unwrap()).collect();
    assert!(times.is_sorted(), "{times:?}");
    // What has a number keeps it: an older event that is added later comes last.
    app.sql(
        "INSERT INTO account_events (account_id, kind, card_id, created_at) \
             SELECT account_id, kind, card_id, created_at FROM account_events WHERE seq = 2",
    )
    .await;
    app.register(&ada, copies.next().unwrap()).await;
    let later = page(&app, &ada, "after=3").await.expect(200);
    let later = later["data"].as_array().unwrap();
    assert_eq!((numbers(later), kinds(later)), (vec![4, 5], vec![unlocked, accepted]));
    assert_eq!(kinds(&all_events(&app, &ada).await)[..3], [accepted, unlocked, accepted]);
}

/// Clocks of instances may differ, so that events which follow each other have earlier times. They stay in the order of writing; only an unlock is placed
/// by its time.
#[tokio::test]
async fn events_stay_in_the_order_of_writing_apart_from_unlocks() {
    let (app, cards) = app_with_print_run(1, 10).await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let created = app.submit(&ada, &cards[0]).await.expect(201);
    app.clock().advance(Span::minutes(2));
    let unlock = app.post(&format!("/v1/cards/{}/unlock", text(&created["card"], "id"))).by(&admin);
    unlock.json(&json!({ "reason": "today" })).answer().await.expect(200);
    for (kind, minutes) in [("copy.frozen", 5), ("copy.unfrozen", 1)] {
        app.sql(&format!(
            "INSERT INTO account_events (account_id, kind, copy_id, created_at) \
                 SELECT account_id, '{kind}', copy_id, created_at + interval '{minutes} minutes' FROM account_events WHERE kind = 'submission.accepted'"
        ))
        .await;
    }
    let events = all_events(&app, &ada).await;
    let expected = ["submission.accepted", "card.unlocked", "copy.frozen", "copy.unfrozen"];
    assert_eq!(kinds(&events), expected);
    assert_eq!(numbers(&events), [1, 2, 3, 4]);
}

/// Another reader of the same events (a stream, on any instance) has added the event of an unlock, and has not numbered it yet.
#[tokio::test]
async fn an_unlock_that_another_reader_adds_is_not_missed() {
    let (app, cards) = app_with_print_run(1, 10).await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    app.register(&ada, copies_of(&cards, "001").next().unwrap()).await;
    assert_eq!(kinds(&all_events(&app, &ada).await), ["submission.accepted"]);
    let unlock = app.post("/v1/games/ttcg/sets/dusk/unlocks").by(&admin);
    unlock.json(&json!({ "reason": "today" })).answer().await.expect(200);
    // The change feed numbers the unlock.
    app.get("/v1/changes?after=0").answer().await.expect(200);
    let other = app.db().session().await;
    let added = "BEGIN; SELECT FROM account_event_clocks FOR NO KEY UPDATE; \
         INSERT INTO account_events (account_id, kind, card_id, created_at) \
         SELECT c.account_id, e.kind, e.subject_id, e.created_at FROM account_event_clocks c, events e WHERE e.kind = 'card.unlocked'; \
         UPDATE account_event_clocks SET unlocks_seq = (SELECT max(seq) FROM events WHERE kind = 'card.unlocked')";
    other.batch_execute(added).await.unwrap();
    let commit_when_awaited = async {
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        until("a page waits for the other reader", async |_| app.db().number(waiting).await > 0)
            .await;
        other.batch_execute("COMMIT").await.unwrap();
    };
    let (events, ()) = tokio::join!(page(&app, &ada, "after=0"), commit_when_awaited);
    let events = events.expect(200);
    let events = events["data"].as_array().unwrap();
    assert_eq!(kinds(events), ["submission.accepted", "card.unlocked"]);
    assert_eq!(numbers(events), [1, 2]);
}

#[tokio::test]
async fn a_held_submission_and_its_review_create_events() {
    let (app, cards) = app_with_print_run(2, 10).await;
    let (admin, moderator) = (app.admin().await, app.moderator().await);
    let policy = json!({ "threshold": 2, "review": true });
    let path = "/v1/games/ttcg/sets/dusk/unlock-policy";
    app.put(path).by(&admin).json(&policy).answer().await.expect(201);
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let review = async |player: &Player, card: &PaperCard, confirmed: bool| {
        let created = app.submit(player, card).await.expect(201);
        let path = format!("/v1/submissions/{}/review", text(&created, "submission"));
        let body = json!({ "confirmed": confirmed, "note": "a note for nobody else" });
        app.put(&path).by(&moderator).json(&body).answer().await.expect(200);
    };
    let first: Vec<&PaperCard> = copies_of(&cards, "001").collect();
    review(&ada, first[0], true).await;
    review(&ben, copies_of(&cards, "002").next().unwrap(), false).await;
    review(&ben, first[1], true).await;
    let expected = ["submission.held", "submission.confirmed", "card.unlocked"];
    assert_eq!(kinds(&all_events(&app, &ada).await), expected);
    let events = all_events(&app, &ben).await;
    assert_eq!(
        kinds(&events),
        [
            "submission.held",
            "submission.refused",
            "submission.held",
            "submission.confirmed",
            "card.unlocked"
        ]
    );
    assert!(!json!(events).to_string().contains("nobody else"));
    assert!(!json!(events).to_string().contains(&moderator.id));
}

#[tokio::test]
async fn trades_create_events_for_both_sides() {
    let (app, cards) = app_with_print_run(1, 10).await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let copy = app.register(&ada, &cards[0]).await;
    let (mut of_ada, mut of_ben) = (1, 0);
    page(&app, &ada, "").await.expect(200);
    let mut new_of_both = async || {
        let (a, b) =
            (new_events(&app, &ada, &mut of_ada).await, new_events(&app, &ben, &mut of_ben).await);
        (a, b)
    };
    let offer = async || text(&app.offer(&ada, &ben, &[&copy], &[]).await.expect(201), "id");
    for (by, what, kind) in
        [(&ben, "decline", "trade.declined"), (&ada, "cancel", "trade.cancelled")]
    {
        let trade = offer().await;
        app.on_trade(by, &trade, what).await.expect(200);
        let (a, b) = new_of_both().await;
        assert_eq!((kinds(&a), kinds(&b)), (vec![kind], vec!["trade.offered", kind]));
        assert!(a.iter().chain(&b).all(|event| event["trade"]["id"] == json!(trade)));
        assert!(
            a.iter()
                .chain(&b)
                .all(|event| event.get("copy").is_none() && event.get("card").is_none())
        );
    }
    // A counter-offer creates one event, for the side that has to answer it. The event of ben is about the first offer.
    let first = offer().await;
    let body = json!({ "give": [], "want": [copy] });
    let second =
        app.post(&format!("/v1/trades/{first}/counter")).by(&ben).json(&body).answer().await;
    let second = text(&second.expect(201), "id");
    let (a, b) = new_of_both().await;
    assert_eq!((kinds(&a), kinds(&b)), (vec!["trade.countered"], vec!["trade.offered"]));
    assert_eq!(a[0]["trade"]["id"], second);
    app.on_trade(&ada, &second, "accept").await.expect(200);
    let (a, b) = new_of_both().await;
    assert_eq!(kinds(&a), ["copy.given", "trade.accepted"]);
    assert_eq!(kinds(&b), ["copy.received", "trade.accepted"]);
    assert!(a[0]["copy"]["id"] == json!(copy) && b[0]["copy"]["id"] == json!(copy));
    assert_eq!((&b[0]["trade"]["id"], &b[0]["card"]["number"]), (&json!(second), &json!("001")));
    // One trade lapses because its copy is frozen; another trade expires without an answer.
    let own = app.register(&ada, &cards[1]).await;
    let moderator = app.moderator().await;
    let lapsing = text(&app.offer(&ada, &ben, &[&own], &[]).await.expect(201), "id");
    app.moderate(&moderator, &own, "freeze").await.expect(200);
    app.on_trade(&ben, &lapsing, "accept").await.problem(409, "trade_lapsed");
    app.moderate(&moderator, &own, "unfreeze").await.expect(200);
    app.offer(&ada, &ben, &[&own], &[]).await.expect(201);
    app.clock().advance(Span::days(15));
    sweep(&app).await;
    let (ada, ben) =
        (app.log_in("ada", &ada.password).await, app.log_in("ben", &ben.password).await);
    let (a, b) =
        (new_events(&app, &ada, &mut of_ada).await, new_events(&app, &ben, &mut of_ben).await);
    assert_eq!(
        kinds(&a),
        ["submission.accepted", "copy.frozen", "trade.lapsed", "copy.unfrozen", "trade.expired"]
    );
    assert_eq!(kinds(&b), ["trade.offered", "trade.lapsed", "trade.offered", "trade.expired"]);
}

#[tokio::test]
async fn disputes_create_events_that_do_not_identify_the_other_side() {
    let (app, cards) = app_with_print_run(1, 12).await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let moderator = app.moderator().await;
    let (mut of_ada, mut of_ben) = (0, 0);
    for (at, (outcome, kind)) in [
        ("withdraw", "dispute.closed"),
        ("for_owner", "dispute.decided"),
        ("for_claimant", "dispute.decided"),
        ("void", "dispute.closed"),
    ]
    .into_iter()
    .enumerate()
    {
        let copy = app.register(&ada, &cards[at]).await;
        let claim = app.submit(&ben, &cards[at]).await.problem(409, "registered_to_another");
        let dispute = text(&claim, "dispute_id");
        let path = format!("/v1/disputes/{dispute}");
        match outcome {
            "withdraw" => {
                app.post(&format!("{path}/withdraw")).by(&ben).answer().await.expect(200);
            }
            "void" => drop(app.moderate(&moderator, &copy, "void").await.expect(200)),
            _ => {
                let body = json!({ "outcome": outcome, "reason": "a photograph" });
                let decide = app.post(&format!("{path}/decide")).by(&moderator).json(&body);
                decide.answer().await.expect(200);
            }
        }
        let (a, b) =
            (new_events(&app, &ada, &mut of_ada).await, new_events(&app, &ben, &mut of_ben).await);
        let mut expected = vec!["submission.accepted", "dispute.opened", kind];
        if outcome == "void" {
            expected.push("copy.voided");
        }
        assert_eq!((kinds(&a), kinds(&b)), (expected, vec![kind]), "{outcome}");
        let state = match outcome {
            "withdraw" => "withdrawn",
            "void" => "voided",
            other => other,
        };
        assert_eq!((&a[2]["outcome"], &b[0]["outcome"]), (&json!(state), &json!(state)));
        assert_eq!(a[1].get("outcome"), None);
        assert!([&a[1], &a[2], &b[0]].iter().all(|event| event["dispute"]["id"] == json!(dispute)));
        assert_eq!((&a[1]["copy"]["id"], &a[2]["copy"]["id"]), (&json!(copy), &json!(copy)));
        // The claimant gets the id of the copy only as its new owner.
        let known = (outcome == "for_claimant").then(|| json!(copy));
        assert_eq!(b[0].get("copy").map(|copy| copy["id"].clone()), known, "{outcome}");
        assert!(!json!(a).to_string().contains(&ben.id) && !json!(b).to_string().contains(&ada.id));
    }
    // A dispute that a trade settles.
    let copy = app.register(&ada, &cards[4]).await;
    app.submit(&ben, &cards[4]).await.problem(409, "registered_to_another");
    app.hand_over(&ada, &ben, &copy).await;
    let (a, b) =
        (new_events(&app, &ada, &mut of_ada).await, new_events(&app, &ben, &mut of_ben).await);
    assert_eq!(
        kinds(&a),
        ["submission.accepted", "dispute.opened", "copy.given", "trade.accepted"]
    );
    assert_eq!(kinds(&b), ["trade.offered", "copy.received", "dispute.closed", "trade.accepted"]);
    assert_eq!(b[2]["outcome"], "settled");
}

/// Claims that stay open against a new owner are reported to that account, after a decision and after a trade. So it can make a statement.
#[tokio::test]
async fn a_new_owner_learns_of_the_claims_that_stay_open() {
    let (app, cards) = app_with_print_run(1, 10).await;
    let [ada, ben, cem, dot] = [
        app.player("ada").await,
        app.player("ben").await,
        app.player("cem").await,
        app.player("dot").await,
    ];
    let moderator = app.moderator().await;
    let copy = app.register(&ada, &cards[0]).await;
    let mut claims = Vec::new();
    for player in [&ben, &cem] {
        let claim = app.submit(player, &cards[0]).await.problem(409, "registered_to_another");
        claims.push(text(&claim, "dispute_id"));
    }
    let decide = async |dispute: &str, outcome: &str| {
        let body = json!({ "outcome": outcome, "reason": "a photograph" });
        let decide = app.post(&format!("/v1/disputes/{dispute}/decide")).by(&moderator);
        decide.json(&body).answer().await.expect(200);
    };
    decide(&claims[0], "for_claimant").await;
    let of_ben = all_events(&app, &ben).await;
    assert_eq!(kinds(&of_ben), ["dispute.decided", "dispute.opened"]);
    let opened = &of_ben[1];
    assert_eq!(opened["dispute"]["id"], json!(claims[1]));
    assert_eq!((&opened["copy"]["id"], opened.get("outcome")), (&json!(copy), None));
    let path = text(&opened["dispute"], "href");
    let statement = json!({ "text": "I bought it." });
    app.post(&format!("{path}/statements")).by(&ben).json(&statement).answer().await.expect(201);
    app.hand_over(&ben, &dot, &copy).await;
    let of_dot = all_events(&app, &dot).await;
    assert_eq!(
        kinds(&of_dot),
        ["trade.offered", "copy.received", "dispute.opened", "trade.accepted"]
    );
    assert_eq!(of_dot[2]["dispute"]["id"], json!(claims[1]));
    // A decision that leaves the copy with its owner reports nothing else.
    decide(&claims[1], "for_owner").await;
    assert_eq!(kinds(&all_events(&app, &dot).await)[4..], ["dispute.decided"]);
    assert_eq!(kinds(&all_events(&app, &cem).await), ["dispute.decided"]);
}

/// Reads all events about a hidden card as its former owner, its new owner and its claimant: no event shows the name of the card or an account.
#[tokio::test]
async fn events_show_no_card_details_and_no_accounts() {
    let (app, cards) = app_with_print_run(1, 10).await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let cem = app.player("cem").await;
    let mut listeners = Vec::new();
    for player in [&ada, &ben, &cem] {
        listeners.push(Listener::open(&app, &player.access_token, Some(0)).await);
    }
    let copy = app.register(&ada, &cards[0]).await;
    app.submit(&cem, &cards[0]).await.problem(409, "registered_to_another");
    app.hand_over(&ada, &ben, &copy).await;
    let moderator = app.moderator().await;
    app.moderate(&moderator, &copy, "void").await.expect(200);
    for (player, listener) in [&ada, &ben, &cem].into_iter().zip(&mut listeners) {
        let mut streamed = Vec::new();
        let paged = all_events(&app, player).await;
        assert!(!paged.is_empty());
        while streamed.len() < paged.len() {
            let event = listener.next().await.unwrap();
            assert_eq!(
                (event.id, &event.data["kind"]),
                (event.data["seq"].as_u64(), &json!(event.kind))
            );
            streamed.push(event.data);
        }
        assert_eq!(streamed, paged, "the stream and the pages return the same events");
        let raw = json!(paged).to_string();
        let mut secrets =
            vec![cards[0].name.as_str(), "numbered", &cards[0].rarity, &cards[0].serial];
        secrets.extend([&ada, &ben, &cem, &moderator].map(|other| other.id.as_str()));
        for secret in secrets {
            assert!(!raw.contains(secret), "{secret} in {raw}");
        }
        if player.name != "cem" {
            continue;
        }
        assert!(!raw.contains(&copy), "the claimant gets no id of the copy: {raw}");
        let place = text(&paged[0]["card"], "href");
        assert_eq!(app.get(&place).by(player).answer().await.expect(200).get("name"), None);
    }
}

/// Transactions commit in another order than they began, and readers on two instances connect and disconnect. Every reader gets
/// every event of its account once, in the same order, and no event of another account.
#[tokio::test]
async fn concurrent_readers_get_every_event_exactly_once() {
    let app = TestApp::start().await;
    let other = app.second_instance();
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let (writers, each) = (6, 20);
    let total = writers * each;
    let write = async |writer: usize| {
        for round in 0..each {
            let pause = if (writer + round).is_multiple_of(3) { 0.03 } else { 0.0 };
            // Like a trade, each transaction writes an event for both accounts, in either order.
            let [first, second] = if round % 2 == 0 { [&ada, &ben] } else { [&ben, &ada] };
            let row = |player: &Player| {
                format!(
                    "INSERT INTO account_events (account_id, kind, trade_id, created_at) \
                     VALUES ('{}', 'trade.offered', md5('{writer} {round} {}')::uuid, clock_timestamp());",
                    player.id, player.name
                )
            };
            let (one, two) = (row(first), row(second));
            app.sql(&format!("BEGIN; {one} SELECT pg_sleep({pause}); {two} COMMIT;")).await;
        }
    };
    // Opens streams on the two instances in turn, and closes each after a few events.
    let listen = async |player: &Player, stride: usize| {
        let mut received: Vec<StreamEvent> = Vec::new();
        let mut turn = 0;
        while received.len() < total {
            turn += 1;
            let from = if turn % 2 == 0 { &app } else { &other };
            let last = received.last().map_or(0, |event| event.id.unwrap());
            let mut listener = Listener::open(from, &player.access_token, Some(last)).await;
            // Reads enough events per stream that the account stays below its stream limit: the service notices a closed stream only when it writes to it.
            for _ in 0..=(turn * stride * 5) % 37 {
                if received.len() < total {
                    received.push(listener.next().await.unwrap());
                }
            }
        }
        received.into_iter().map(|event| event.data).collect::<Vec<Value>>()
    };
    let read = async |from: &TestApp, player: &Player| {
        let (mut read, mut seen) = (Vec::new(), 0);
        while read.len() < total {
            read.extend(new_events(from, player, &mut seen).await);
        }
        read
    };
    let readers = async {
        let of_ada = join3(listen(&ada, 3), listen(&ada, 5), read(&other, &ada));
        let (one, two, three) = of_ada.await;
        (one, two, three)
    };
    let (of_ada, of_ben, _) = tokio::join!(
        readers,
        join3(listen(&ben, 2), read(&app, &ben), async {}),
        join_all((0..writers).map(write))
    );
    let count = u64::try_from(total).unwrap();
    let (one, two, three) = of_ada;
    assert_eq!(numbers(&one), (1..=count).collect::<Vec<_>>());
    assert!(one == two && one == three, "all readers get the same events");
    let (ben_heard, ben_read, ()) = of_ben;
    assert_eq!(ben_heard, ben_read);
    let trades = |events: &[Value]| -> BTreeSet<String> {
        events.iter().map(|event| text(&event["trade"], "id")).collect()
    };
    let (adas, bens) = (trades(&one), trades(&ben_heard));
    assert_eq!((adas.len(), bens.len()), (total, total));
    assert!(adas.is_disjoint(&bens), "each account gets only its own events");
}

/// A stream on another instance sends the event within a second. The limit of the test is higher because the machine may be busy.
#[tokio::test]
async fn streams_on_other_instances_send_an_event_within_seconds() {
    let (app, cards) = app_with_print_run(1, 10).await;
    let other = app.second_instance();
    let ada = app.player("ada").await;
    let mut listener = Listener::open(&other, &ada.access_token, None).await;
    assert_eq!(listener.headers["content-type"], "text/event-stream");
    assert_eq!(listener.headers["cache-control"], "no-store");
    assert!(listener.headers.get("content-encoding").is_none());
    let reached = listener.reached;
    app.register(&ada, &cards[0]).await;
    let done = Instant::now();
    assert_eq!(listener.next().await.unwrap().kind, "submission.accepted");
    println!("heard on the other instance after {:?}", done.elapsed());
    assert!(done.elapsed() < Duration::from_secs(3), "{:?}", done.elapsed());

    // A client that had received no event before it reconnected misses none.
    let mut resumed = Listener::open(&other, &ada.access_token, Some(reached)).await;
    assert_eq!((resumed.reached, resumed.next().await.unwrap().id), (reached, Some(reached + 1)));
}

async fn token(app: &TestApp, owner: &Player, days: u16) -> (String, String) {
    let body = json!({ "name": "t", "scopes": ["events:read"], "expires_in_days": days });
    let created = app.post("/v1/tokens").by(owner).json(&body).answer().await.expect(201);
    (text(&created, "id"), text(&created, "secret"))
}

/// Each operation that ends a credential also ends the streams of that credential on every instance, with the reason. Streams of other
/// credentials stay open.
#[tokio::test]
async fn a_stream_ends_when_its_credential_is_ended() {
    let app = TestApp::start().await;
    let other = app.second_instance();
    let admin = app.admin().await;
    for (way, of_session, of_token) in [
        ("log out", "logged_out", None),
        ("end the session", "logged_out", None),
        ("revoke the token", "", Some("revoked")),
        ("change the password", "password_changed", Some("revoked")),
        ("recover", "recovered", Some("revoked")),
        ("reset", "password_changed", Some("revoked")),
        ("ban", "banned", Some("banned")),
        ("change the role", "role_changed", Some("revoked")),
        ("use a refresh token again", "refresh_reused", Some("revoked")),
    ] {
        let name: String = format!("whoever {way}").chars().take(32).collect();
        let password = "tram window sonnet";
        let body = json!({ "name": name, "password": password });
        let account = app.post("/v1/accounts").json(&body).answer().await.expect(201);
        let (here, there) = (app.log_in(&name, password).await, app.log_in(&name, password).await);
        let (token_id, secret) = token(&app, &there, 30).await;
        let mut session = Listener::open(&other, &here.access_token, None).await;
        let mut script = Listener::open(&app, &secret, None).await;
        let mut spared = Listener::open(&app, &there.access_token, None).await;
        let path = format!("/v1/accounts/{}", here.id);
        let change = async |body: Value| {
            app.patch(&path).by(&admin).json(&body).answer().await.expect(200);
        };
        match way {
            "log out" => {
                app.delete("/v1/sessions/current").by(&here).answer().await.expect(204);
            }
            "end the session" => {
                let list = app.get("/v1/sessions").by(&here).answer().await.expect(200);
                let current = |session: &&Value| session["current"] == true;
                let own = list["data"].as_array().unwrap().iter().find(current).unwrap();
                let path = format!("/v1/sessions/{}", text(own, "id"));
                app.delete(&path).by(&there).answer().await.expect(204);
            }
            "revoke the token" => {
                let path = format!("/v1/tokens/{token_id}");
                app.delete(&path).by(&there).answer().await.expect(204);
            }
            "change the password" => {
                let body =
                    json!({ "current_password": password, "new_password": "violet harbour lamp" });
                app.put("/v1/me/password").by(&there).json(&body).answer().await.expect(204);
            }
            "recover" => {
                let code = account["recovery_codes"][0].as_str().unwrap();
                let body = json!({ "name": name, "recovery_code": code, "new_password": "violet harbour lamp" });
                app.post("/v1/accounts/recover").json(&body).answer().await.expect(204);
            }
            "reset" => {
                let id = cardscape::domain::ids::AccountId(here.id.parse().unwrap());
                let hash = app.db().value("SELECT password_hash FROM accounts LIMIT 1").await;
                let operator = cardscape::auth::permission::Operator::at_the_machine();
                let now = app.clock().now();
                app.store()
                    .transaction(async |conn| {
                        cardscape::store::accounts::account_records::reset_password(
                            conn,
                            &operator,
                            id,
                            &hash,
                            &[],
                            now,
                        )
                        .await
                    })
                    .await
                    .unwrap();
            }
            "ban" => change(json!({ "banned": true })).await,
            "change the role" => change(json!({ "role": "moderator" })).await,
            _ => {
                let body = json!({ "refresh_token": here.refresh_token });
                app.post("/v1/sessions/refresh").json(&body).answer().await.expect(200);
                app.clock().advance(Span::seconds(31));
                app.post("/v1/sessions/refresh")
                    .json(&body)
                    .answer()
                    .await
                    .problem(401, "invalid_token");
            }
        }
        let done = Instant::now();
        if !of_session.is_empty() {
            assert_eq!(session.end().await, of_session, "{way}");
        }
        if let Some(reason) = of_token {
            assert_eq!(script.end().await, reason, "{way}");
        }
        let took = done.elapsed();
        println!("{way}: {took:?}");
        // The service promises two seconds. The limit is higher because the machine may run a build at the same time.
        assert!(took < Duration::from_secs(4), "{way}: {took:?}");
        // Streams of credentials that are still valid send the next event.
        let is_spared = !matches!(way, "recover" | "reset" | "ban" | "change the role");
        let row = format!(
            "INSERT INTO account_events (account_id, kind, created_at) VALUES ('{}', 'trade.offered', clock_timestamp())",
            here.id
        );
        app.sql(&row).await;
        if is_spared {
            assert_eq!(spared.next().await.unwrap().kind, "trade.offered", "{way}");
        } else {
            assert_eq!(spared.end().await, of_session, "{way}");
        }
        if of_token.is_none() {
            assert_eq!(script.next().await.unwrap().kind, "trade.offered", "{way}");
        }
        if of_session.is_empty() {
            assert_eq!(session.next().await.unwrap().kind, "trade.offered", "{way}");
        }
    }
}

#[tokio::test]
async fn a_stream_ends_when_its_token_expires() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let (_, secret) = token(&app, &ada, 1).await;
    let mut script = Listener::open(&app, &secret, None).await;
    let mut session = Listener::open(&app, &ada.access_token, None).await;
    // The session is valid for two months, its access token for 15 minutes.
    app.clock().advance(Span::minutes(15));
    assert_eq!(session.end().await, "expired");
    app.clock().advance(Span::days(1));
    assert_eq!(script.end().await, "expired");
    // The stream ends on time without another request: this access token is valid for at most three more seconds.
    let ada = app.log_in("ada", &ada.password).await;
    app.clock().advance(Span::minutes(15) - Span::seconds(3));
    let mut session = Listener::open(&app, &ada.access_token, None).await;
    assert_eq!(session.end().await, "expired");
    app.get("/v1/me/events").by(&ada).answer().await.problem(401, "invalid_token");
}

/// The identity cache still accepts the credential, but the stream sends no event after the credential has ended.
#[tokio::test]
async fn a_stream_sends_no_event_for_a_revoked_session() {
    let app = TestApp::start_with(|settings| settings.identity_ttl = Duration::from_hours(1)).await;
    let ada = app.player("ada").await;
    page(&app, &ada, "").await.expect(200);
    // The cache still holds the session as valid; in the database the session is revoked.
    app.sql(&format!(
        "INSERT INTO account_events (account_id, kind, created_at) VALUES ('{}', 'trade.offered', clock_timestamp()); \
         UPDATE sessions SET revoked_at = clock_timestamp(), revoked_reason = 'logout'",
        ada.id
    ))
    .await;
    let mut listener = Listener::open(&app, &ada.access_token, Some(0)).await;
    assert_eq!(
        listener.end().await,
        "logged_out",
        "the stream ends before it sends the waiting event"
    );
}

/// A client that reads nothing from its stream does not keep it open: the stream ends with its session and no longer counts for the limit.
#[tokio::test]
async fn a_stream_ends_although_its_client_reads_nothing() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let again = app.log_in("ada", &ada.password).await;
    // More data than the operating system buffers for both ends of a connection.
    app.sql(&format!(
        "INSERT INTO account_events (account_id, kind, trade_id, created_at) \
         SELECT '{}', 'trade.offered', gen_random_uuid(), clock_timestamp() FROM generate_series(1, 40000)",
        ada.id
    ))
    .await;
    // The service numbers them in several statements.
    assert_eq!(page(&app, &ada, "limit=1").await.expect(200)["newest"], 40_000);
    let mut others = Vec::new();
    for _ in 0..9 {
        others.push(Listener::open(&app, &again.access_token, None).await);
    }
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stuck = socket.connect(app.address()).await.unwrap();
    let head = format!(
        "GET /v1/me/events/stream?after=0 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\r\n",
        ada.access_token
    );
    stuck.write_all(head.as_bytes()).await.unwrap();
    stuck.read_exact(&mut [0; 16]).await.unwrap();
    let open = async || {
        let request = app.get("/v1/me/events/stream").by(&again);
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(open().await, 429);
    // Wait until the service sends no more queries for this stream: neither the query for events nor the query for its credential.
    let idle = "SELECT coalesce(extract(epoch FROM clock_timestamp() - max(state_change)) > 2, true) \
                FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() \
                     AND (query LIKE 'SELECT * FROM (SELECT e.seq, e.kind%' OR query LIKE 'SELECT asked.id%')";
    let began = Instant::now();
    while app.db().value(idle).await != "true" {
        assert!(began.elapsed() < 3 * TIMEOUT);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(open().await, 429);
    app.delete("/v1/sessions/current").by(&ada).answer().await.expect(204);
    let began = Instant::now();
    let mut status = open().await;
    while status == 429 {
        assert!(began.elapsed() < TIMEOUT);
        tokio::time::sleep(Duration::from_millis(50)).await;
        status = open().await;
    }
    assert_eq!(status, 200);
    println!("the place of a stuck stream is free after {:?}", began.elapsed());
}

#[tokio::test]
async fn an_account_may_have_ten_open_streams() {
    let app = TestApp::start().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let mut held = Vec::new();
    for _ in 0..10 {
        held.push(Listener::open(&app, &ada.access_token, None).await);
    }
    let answer = app.get("/v1/me/events/stream").by(&ada).answer().await;
    assert!(answer.header("retry-after").parse::<u32>().is_ok());
    answer.problem(429, "too_many_streams");
    Listener::open(&app, &ben.access_token, None).await;
    let metrics = app.get("/metrics").answer().await.text();
    // Other tests of this process may have open streams, too.
    let mut counted =
        metrics.lines().filter_map(|line| line.strip_prefix("account_event_streams "));
    let open: f64 = counted.next().expect("the metric").parse().unwrap();
    assert!(open >= 10.0, "{metrics}");
    // A closed stream no longer counts when the instance has noticed that it is closed.
    held.pop();
    let open = async || {
        let request = app.get("/v1/me/events/stream").by(&ada);
        request.send().await.unwrap().status().as_u16()
    };
    let began = Instant::now();
    let mut status = open().await;
    while status == 429 {
        assert!(began.elapsed() < TIMEOUT);
        tokio::time::sleep(Duration::from_millis(200)).await;
        status = open().await;
    }
    assert_eq!(status, 200);
}

#[tokio::test]
async fn event_numbers_that_are_no_longer_readable_are_answered_with_gone() {
    let (app, cards) = app_with_print_run(1, 20).await;
    let ada = app.player("ada").await;
    let (_, secret) = token(&app, &ada, 366).await;
    let script = Player { access_token: secret, ..ada.clone() };
    let get = async |query: &str| page(&app, &script, query).await;
    app.register(&ada, &cards[0]).await;
    get("after=1").await.expect(200);
    for number in ["2", "18446744073709551615"] {
        get(&format!("after={number}")).await.problem(410, "gone");
        let stream = app.get(&format!("/v1/me/events/stream?after={number}")).by(&script);
        stream.answer().await.problem(410, "gone");
    }
    get("after=-1").await.problem(400, "invalid_query");
    get("before=1").await.problem(400, "invalid_query");
    let bad = app.get("/v1/me/events/stream").by(&script).header("last-event-id", "yesterday");
    let problem = bad.answer().await.problem(400, "invalid_header");
    assert_eq!(problem["detail"], "Last-Event-ID must be the number of an event.");

    // The account is read from time to time: retention deletes only old events.
    app.clock().advance(Span::days(60));
    let ada = app.log_in("ada", &ada.password).await;
    app.register(&ada, &cards[1]).await;
    assert_eq!(get("after=1").await.expect(200)["next_after"], 2);
    app.clock().advance(Span::days(40));
    sweep(&app).await;
    get("after=0").await.problem(410, "gone");
    assert_eq!(get("after=1").await.expect(200)["data"][0]["seq"], 2);
    assert_eq!(
        get("").await.expect(200)["data"][0]["seq"],
        2,
        "the page begins with the oldest stored event"
    );

    // An event is created and deleted between two reads: the service must report the gap, not an empty page.
    let ada = app.log_in("ada", &ada.password).await;
    app.register(&ada, &cards[2]).await;
    app.clock().advance(Span::days(95));
    sweep(&app).await;
    assert_eq!(app.db().number("SELECT count(*) FROM account_events").await, 0);
    get("after=2").await.problem(410, "gone");
    let rest = get("").await.expect(200);
    assert_eq!((rest["data"].as_array().unwrap().len(), &rest["newest"]), (0, &rest["next_after"]));
    let ada = app.log_in("ada", &ada.password).await;
    app.register(&ada, &cards[3]).await;
    let next = get(&format!("after={}", rest["newest"])).await.expect(200);
    assert_eq!(next["data"][0]["seq"].as_u64(), rest["newest"].as_u64().map(|seq| seq + 1));
}

/// An unlock event that is created after later events were numbered has an old time and a high number. Retention deletes it only together with the
/// events before it.
#[tokio::test]
async fn retention_leaves_no_gaps_in_the_event_numbers() {
    let (app, cards) = app_with_print_run(2, 10).await;
    let mut players = Vec::new();
    for name in ["ada", "ben", "cem", "dot", "eve"] {
        players.push(app.player(name).await);
    }
    for (player, card) in players.iter().zip(copies_of(&cards, "001")) {
        app.register(player, card).await;
    }
    let ada = async || app.log_in("ada", &players[0].password).await;
    app.clock().advance(Span::days(80));
    app.register(&ada().await, copies_of(&cards, "002").next().unwrap()).await;
    let expected = ["submission.accepted", "card.unlocked", "submission.accepted", "card.unlocked"];
    assert_eq!(kinds(&all_events(&app, &ada().await).await), expected[..3]);
    let late = "INSERT INTO account_events (account_id, kind, card_id, created_at) \
         SELECT account_id, kind, card_id, created_at FROM account_events WHERE kind = 'card.unlocked'";
    app.sql(late).await;
    assert_eq!(kinds(&all_events(&app, &ada().await).await), expected);
    app.clock().advance(Span::days(11));
    sweep(&app).await;
    let kept = all_events(&app, &ada().await).await;
    assert_eq!((numbers(&kept), kinds(&kept)), (vec![3, 4], expected[2..].to_vec()));
    app.clock().advance(Span::days(70));
    all_events(&app, &ada().await).await;
    app.clock().advance(Span::days(11));
    sweep(&app).await;
    let rest = page(&app, &ada().await, "").await.expect(200);
    assert_eq!(rest, json!({ "data": [], "next_after": 4, "newest": 4 }));

    // A reader does not wait for an event that was deleted between two reads.
    app.register(&ada().await, copies_of(&cards, "002").nth(1).unwrap()).await;
    app.register(&ada().await, copies_of(&cards, "002").nth(2).unwrap()).await;
    assert_eq!(numbers(&all_events(&app, &ada().await).await), [5, 6]);
    app.sql("DELETE FROM account_events WHERE seq = 6").await;
    let page = page(&app, &ada().await, "after=5").await.expect(200);
    assert_eq!(page, json!({ "data": [], "next_after": 6, "newest": 6 }));
}

/// The stream tries a failed read again. When reads fail for some seconds, the stream ends with the reason `unavailable`.
#[tokio::test]
async fn a_stream_outlives_a_failed_read() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let mut listener = Listener::open(&app, &ada.access_token, None).await;
    let happen = format!(
        "ALTER TABLE cards RENAME TO elsewhere; \
         INSERT INTO account_events (account_id, kind, created_at) VALUES ('{}', 'trade.offered', clock_timestamp())",
        ada.id
    );
    let read_of = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
                   AND query LIKE 'SELECT * FROM (SELECT e.seq, e.kind%' AND query_start > ";
    app.sql(&happen).await;
    let broken_at = app.db().value("SELECT clock_timestamp()").await;
    let began = Instant::now();
    while app.db().value(&format!("{read_of}'{broken_at}'")).await == "0" {
        assert!(began.elapsed() < TIMEOUT);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    app.sql("ALTER TABLE elsewhere RENAME TO cards").await;
    let event = listener.next().await.unwrap();
    assert_eq!((event.id, event.kind.as_str()), (Some(1), "trade.offered"));
    app.sql(&happen).await;
    assert_eq!(listener.end().await, "unavailable");
}

/// The kind, the time and the number of an event cannot be changed.
#[tokio::test]
async fn the_database_refuses_changes_of_events() {
    let (app, cards) = app_with_print_run(1, 10).await;
    let ada = app.player("ada").await;
    app.register(&ada, &cards[0]).await;
    assert!(app.db().refuses("UPDATE account_events SET kind = 'copy.given'").await);
    assert!(
        app.db()
            .refuses("UPDATE account_events SET created_at = created_at + interval '1 s'")
            .await
    );
    all_events(&app, &ada).await;
    assert!(app.db().refuses("UPDATE account_events SET seq = 7").await);
    assert!(app.db().refuses("UPDATE account_events SET seq = NULL").await);
}
