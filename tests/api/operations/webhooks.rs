//! Webhooks: which events are posted, how often and in which order, and which requests the service must never send.

use std::collections::BTreeSet;
use std::sync::Arc;

use cardscape::webhooks::Dispatcher;
use chrono::Duration;
use serde_json::{Value, json};

use crate::support::{Answer, Hook, Player, Received, Receiver, RequestExt as _, TestApp};

/// A service that may post to loopback addresses, and an admin.
async fn start() -> (TestApp, Player) {
    let app = TestApp::start_with(|settings| {
        settings.webhook_networks = vec!["127.0.0.0/8".parse().unwrap()];
    })
    .await;
    let admin = app.admin().await;
    (app, admin)
}

/// Inserts events about games that do not exist, one event for each game.
async fn insert_events(app: &TestApp, events: u32) {
    let now = app.clock().now().to_rfc3339();
    app.sql(&format!(
        "INSERT INTO events (id, kind, payload, created_at) \
         SELECT gen_random_uuid(), 'game.changed', jsonb_build_object('game', 'g' || n), \
                '{now}'::timestamptz + n * interval '1 microsecond' FROM generate_series(1, {events}) AS n"
    ))
    .await;
}

async fn deliveries(app: &TestApp, admin: &Player, hook: &Hook) -> Vec<Value> {
    let path = format!("{}/deliveries?limit=200", hook.path);
    let list = app.get(&path).by(admin).answer().await.expect(200);
    list["data"].as_array().unwrap().clone()
}

async fn only_delivery(app: &TestApp, admin: &Player, hook: &Hook) -> Value {
    let list = deliveries(app, admin, hook).await;
    assert_eq!(list.len(), 1, "{list:?}");
    list[0].clone()
}

async fn version(app: &TestApp, admin: &Player, hook: &Hook) -> String {
    let answer = app.get(&hook.path).by(admin).answer().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.header("etag")
}

async fn put(app: &TestApp, admin: &Player, hook: &Hook, body: &Value) -> Answer {
    let version = version(app, admin, hook).await;
    app.put(&hook.path).by(admin).header("if-match", version).json(body).answer().await
}

/// The actions on webhooks in the audit log, oldest first, and whether an admin performed them.
async fn audited_actions(app: &TestApp, admin: &Player) -> Vec<(String, bool)> {
    let log = app.get("/v1/audit-log?limit=200").by(admin).answer().await.expect(200);
    let entries = log["data"].as_array().unwrap().iter().rev();
    entries
        .filter(|entry| entry["target"].as_str().unwrap().starts_with("webhook:"))
        .map(|entry| {
            let by_admin = entry.get("actor_id").is_some();
            (entry["action"].as_str().unwrap().to_owned(), by_admin)
        })
        .collect()
}

fn numbers(seen: &[Received]) -> Vec<i64> {
    seen.iter().map(Received::seq).collect()
}

#[tokio::test]
async fn an_unlock_is_posted_with_a_signature_and_the_body_of_the_feed() {
    let (app, admin) = start().await;
    app.seed(&["ttcg"]).await;
    let receiver = Receiver::start().await;
    let hook = app.webhook(&admin, &receiver.url, &["card.unlocked", "card.merged"]).await;
    app.post_webhooks().await;
    assert_eq!(
        receiver.received().len(),
        0,
        "events from before the webhook was created are not posted"
    );

    let card = app.get("/v1/games/ttcg/sets/veil/cards/001").answer().await.expect(200);
    let unlock = format!("/v1/cards/{}/unlock", card["id"].as_str().unwrap());
    let reason = json!({ "reason": "Shown at the fair." });
    app.post(&unlock).by(&admin).json(&reason).answer().await.expect(200);
    app.post_webhooks().await;

    let seen = receiver.received();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].target, "/hook?key=of-the-receiver");
    assert_eq!(seen[0].header("content-type"), "application/json");
    assert!(seen[0].header("user-agent").starts_with("cardscape/"));
    assert_eq!(seen[0].signed_with(&hook.secret), [true]);
    seen[0].verify_with(&hook.secret).unwrap();
    let other_secret = app.webhook(&admin, &receiver.url, &["card.merged"]).await.secret;
    assert!(seen[0].verify_with(&other_secret).is_err());
    let mut changed = seen[0].clone();
    changed.body.push(b' ');
    assert!(
        changed.verify_with(&hook.secret).is_err(),
        "the signature does not match another body"
    );
    let mut late = seen[0].clone();
    let sent: i64 = seen[0].header("webhook-timestamp").parse().unwrap();
    late.headers.insert("webhook-timestamp".to_owned(), (sent - 1).to_string());
    assert!(late.verify_with(&hook.secret).is_err(), "the signature does not match another time");
    assert!((app.clock().now().timestamp() - sent).abs() < 60);
    // The body is equal to the item of the feed.
    let after = seen[0].seq() - 1;
    let feed = app.get(&format!("/v1/changes?after={after}")).answer().await.expect(200);
    assert_eq!(seen[0].json(), feed["data"][0]);
    assert_eq!(
        (&feed["data"][0]["kind"], &feed["data"][0]["card"]),
        (&json!("card.unlocked"), &card["id"])
    );

    let delivery = only_delivery(&app, &admin, &hook).await;
    assert_eq!(delivery["id"], seen[0].header("webhook-id"));
    assert_eq!(
        (&delivery["state"], &delivery["attempts"], &delivery["last_status"], &delivery["seq"]),
        (&json!("delivered"), &json!(1), &json!(204), &json!(after + 1))
    );
    assert!(delivery.get("next_attempt_at").is_none() && delivery.get("last_failure").is_none());
    app.post_webhooks().await;
    assert_eq!(receiver.received().len(), 1, "the event is posted once");
}

#[tokio::test]
async fn a_secret_is_shown_once_and_never_stored() {
    let (app, admin) = start().await;
    let body = json!({ "url": "https://hooks.example/in?token=t", "kinds": ["card.unlocked", "card.unlocked"], "description": " Shop " });
    let create = async || {
        let request = app.post("/v1/webhooks").by(&admin).header("idempotency-key", "one");
        request.json(&body).answer().await
    };
    let first = create().await;
    assert_eq!(first.header("cache-control"), "no-store");
    let (etag, place) = (first.header("etag"), first.header("location"));
    let created = first.expect(201);
    assert_eq!(created["secret_already_shown"], false);
    assert_eq!(
        (&created["kinds"], &created["description"]),
        (&json!(["card.unlocked"]), &json!("Shop"))
    );
    let again = create().await.expect(201);
    assert_eq!((&again["id"], &again["secret_already_shown"]), (&created["id"], &json!(true)));
    assert!(again.get("secret").is_none());

    let read = app.get(&place).by(&admin).answer().await;
    assert_eq!(read.header("etag"), etag, "the ETag of the new webhook is valid for an edit");
    assert!(read.expect(200).get("secret").is_none());
    let secret = created["secret"].as_str().unwrap();
    let plain = secret.strip_prefix("whsec_").unwrap();
    let stored = "SELECT string_agg(w::text, ' ') || (SELECT string_agg(a::text, ' ') FROM audit_log a) FROM webhooks w";
    let stored = app.db().value(stored).await;
    assert!(stored.contains("hooks.example") && !stored.contains(plain), "{stored}");
    let log = app.get("/v1/audit-log").by(&admin).answer().await.text();
    assert!(log.contains("https://hooks.example") && !log.contains("token"), "{log}");

    app.delete(&place).by(&admin).header("if-match", etag).answer().await.expect(204);
    create().await.problem(410, "gone");
}

/// The operator may have removed a network from the settings when a request is repeated.
#[tokio::test]
async fn a_repeated_request_is_not_checked_again() {
    let (app, admin) = start().await;
    let strict = app.second_instance();
    let body = json!({ "url": "http://127.0.0.1:9/", "kinds": ["card.added"] });
    let create = async |app: &TestApp, key: &str| {
        let request = app.post("/v1/webhooks").by(&admin).header("idempotency-key", key);
        request.json(&body).answer().await
    };
    let first = create(&app, "one").await;
    let (place, etag) = (first.header("location"), first.header("etag"));
    let created = first.expect(201);
    create(&strict, "other").await.problem(422, "invalid_body");
    let again = create(&strict, "one").await.expect(201);
    assert_eq!((&again["id"], &again["secret_already_shown"]), (&created["id"], &json!(true)));
    assert!(again.get("secret").is_none());
    app.delete(&place).by(&admin).header("if-match", etag).answer().await.expect(204);
    create(&strict, "one").await.problem(410, "gone");
}

#[tokio::test]
async fn all_faults_of_a_webhook_are_reported_at_once() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let faults = async |body: Value| {
        let answer = app.post("/v1/webhooks").by(&admin).json(&body).answer().await;
        let problem = answer.problem(422, "invalid_body");
        let faults = problem["errors"].as_array().unwrap().iter();
        faults.map(|fault| fault["pointer"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let long = "x".repeat(201);
    assert_eq!(
        faults(json!({ "url": "https://a:b@c.example/", "kinds": ["card.unlocked", "ping"], "description": long })).await,
        ["/url", "/kinds/1", "/description"]
    );
    assert_eq!(faults(json!({ "url": "https://c.example/", "kinds": [] })).await, ["/kinds"]);
    let many = json!({ "url": "https://c.example/", "kinds": vec!["ping"; 16] });
    assert_eq!(faults(many).await, ["/kinds"]);
    let unknown =
        json!({ "url": "https://c.example/", "kinds": ["card.unlocked"], "game": "none" });
    assert_eq!(faults(unknown).await, ["/game"]);
    // Private addresses are refused in every notation, because this instance allows no networks.
    for url in [
        "http://hooks.example/",
        "https://127.0.0.1/",
        "http://2130706433/",
        "https://2130706433/",
        "https://0x7f.1/",
        "http://[::ffff:10.0.0.1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[::1]/",
        "https://[fd00:ec2::254]/",
        "https://169.254.169.254/latest/meta-data",
        "https://localhost/",
        "https://192.168.0.1:8443/",
        "https://hooks.example:0/",
        "ftp://hooks.example/",
        "hooks.example",
    ] {
        assert_eq!(faults(json!({ "url": url, "kinds": ["card.added"] })).await, ["/url"], "{url}");
    }
    let list = app.get("/v1/webhooks").by(&admin).answer().await.expect(200);
    assert_eq!(list["data"], json!([]));
}

/// Every attempt checks the address again: the operator may have removed its network from the settings, or other code may have written it.
#[tokio::test]
async fn every_attempt_checks_the_address() {
    let (app, admin) = start().await;
    let receiver = Receiver::start().await;
    let hook = app.webhook(&admin, &receiver.url, &["game.changed"]).await;
    let port = receiver.url.split([':', '/']).nth(4).unwrap();
    for (url, failure) in [
        (format!("https://10.0.0.1:{port}/"), "address"),
        (format!("https://[::ffff:127.0.0.1]:{port}/"), "address"),
        (format!("https://[::1]:{port}/"), "address"),
        (format!("ftp://127.0.0.1:{port}/"), "url"),
    ] {
        app.sql(&format!("UPDATE webhooks SET url = '{url}', resume_at = NULL")).await;
        let ping = app.post(&format!("{}/ping", hook.path)).by(&admin).answer().await;
        let place = ping.header("location");
        ping.expect(202);
        app.post_webhooks().await;
        let ping = app.get(&place).by(&admin).answer().await.expect(200);
        assert_eq!(
            (&ping["state"], &ping["last_failure"]),
            (&json!("failed"), &json!(failure)),
            "{url}"
        );
        assert!(ping.get("last_status").is_none(), "{url}");
    }
    assert_eq!(receiver.received().len(), 0);
}

#[tokio::test]
async fn failed_deliveries_are_retried_with_growing_delays() {
    let (app, admin) = start().await;
    let receiver = Receiver::start().await;
    let hook = app.webhook(&admin, &receiver.url, &["game.changed"]).await;
    receiver.answer(&["500 Oops", "302 Found\r\nlocation: /elsewhere", "200 OK"]);
    insert_events(&app, 1).await;
    app.post_webhooks().await;
    let first = only_delivery(&app, &admin, &hook).await;
    assert_eq!(
        (&first["state"], &first["last_status"], &first["last_failure"]),
        (&json!("waiting"), &json!(500), &json!("status"))
    );
    app.clock().advance(Duration::seconds(8));
    app.post_webhooks().await;
    assert_eq!(receiver.received().len(), 1, "no retry before the delay is over");
    // The delay is 10 s plus up to a fifth of it at random.
    app.clock().advance(Duration::seconds(5));
    app.post_webhooks().await;
    assert_eq!(receiver.received().len(), 2);
    let second = only_delivery(&app, &admin, &hook).await;
    assert_eq!((&second["attempts"], &second["last_failure"]), (&json!(2), &json!("redirect")));
    app.clock().advance(Duration::seconds(30));
    app.post_webhooks().await;
    assert_eq!(receiver.received().len(), 2, "the second delay is at least 40 s");
    app.clock().advance(Duration::seconds(20));
    app.post_webhooks().await;

    let seen = receiver.received();
    assert_eq!(seen.len(), 3, "the redirect was not followed");
    assert!(seen.iter().all(|one| one.target == seen[0].target));
    let ids: BTreeSet<_> = seen.iter().map(|one| one.header("webhook-id")).collect();
    let times: BTreeSet<_> = seen.iter().map(|one| one.header("webhook-timestamp")).collect();
    let bodies: BTreeSet<_> = seen.iter().map(|one| one.body.clone()).collect();
    assert_eq!((ids.len(), times.len(), bodies.len()), (1, 3, 1));
    assert!(seen.iter().all(|one| one.signed_with(&hook.secret) == [true]));
    let last = only_delivery(&app, &admin, &hook).await;
    assert_eq!((&last["state"], &last["attempts"]), (&json!("delivered"), &json!(3)));
}

#[tokio::test]
async fn deliveries_are_in_order_and_a_failed_one_does_not_block_the_others() {
    let (app, admin) = start().await;
    let receiver = Receiver::start().await;
    app.webhook(&admin, &receiver.url, &["game.changed"]).await;
    receiver.answer(&["200 OK", "500 Oops"]);
    insert_events(&app, 5).await;
    app.post_webhooks().await;
    assert_eq!(numbers(&receiver.received()), [1, 2, 3, 4, 5]);
    app.clock().advance(Duration::seconds(13));
    app.post_webhooks().await;
    assert_eq!(numbers(&receiver.received()), [1, 2, 3, 4, 5, 2]);
}

/// The service does not send every event to a receiver that is down.
#[tokio::test]
async fn several_failures_pause_all_deliveries_of_a_webhook() {
    let (app, admin) = start().await;
    let receiver = Receiver::start().await;
    app.webhook(&admin, &receiver.url, &["game.changed"]).await;
    receiver.answer(&["500 Oops", "500 Oops"]);
    insert_events(&app, 50).await;
    app.post_webhooks().await;
    assert_eq!(numbers(&receiver.received()), [1, 2]);
    app.clock().advance(Duration::seconds(6));
    app.post_webhooks().await;
    let seen = numbers(&receiver.received());
    assert_eq!(seen[2], 3, "after the pause the other deliveries are posted");
    // On a slow machine, the first two are due again before all others are posted.
    let (again, others): (Vec<_>, Vec<_>) =
        seen[2..].iter().copied().partition(|number| *number <= 2);
    assert_eq!(others, (3..=50).collect::<Vec<_>>());
    assert!([1, 2].starts_with(&again), "{again:?}");
    app.clock().advance(Duration::seconds(7));
    app.post_webhooks().await;
    let seen = numbers(&receiver.received());
    let again: Vec<_> = seen[2..].iter().copied().filter(|number| *number <= 2).collect();
    assert_eq!((seen.len(), again), (52, vec![1, 2]));
    // A receiver can request a delay with `Retry-After`.
    receiver.answer(&["503 Busy\r\nretry-after: 600"]);
    insert_events(&app, 2).await;
    app.post_webhooks().await;
    assert_eq!(receiver.received().len(), 53);
    app.clock().advance(Duration::seconds(590));
    app.post_webhooks().await;
    assert_eq!(receiver.received().len(), 53);
    app.clock().advance(Duration::seconds(15));
    app.post_webhooks().await;
    assert_eq!(numbers(&receiver.received())[53..], [51, 52]);
}

#[tokio::test]
async fn two_instances_post_every_event_once() {
    let (app, admin) = start().await;
    let other = app.second_instance();
    let mut receivers = Vec::new();
    for _ in 0..4 {
        let receiver = Receiver::start().await;
        app.webhook(&admin, &receiver.url, &["game.changed"]).await;
        receivers.push(receiver);
    }
    insert_events(&app, 30).await;
    let rounds = async |app: &TestApp| {
        for _ in 0..20 {
            app.post_webhooks().await;
        }
    };
    tokio::join!(rounds(&app), rounds(&other), rounds(&app), rounds(&other));
    // A round skips a webhook that another round has leased, so one more round posts the rest.
    app.post_webhooks().await;
    for receiver in &receivers {
        assert_eq!(numbers(&receiver.received()), (1..=30).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_delivery_in_progress_is_not_posted_by_another_instance() {
    let (app, admin) = start().await;
    let other = app.second_instance();
    let receiver = Receiver::start().await;
    let hook = app.webhook(&admin, &receiver.url, &["game.changed"]).await;
    receiver.hold();
    insert_events(&app, 2).await;
    let first = app.dispatcher();
    let first = tokio::spawn(async move { first.run_once().await });
    receiver.wait_for(1).await;
    other.post_webhooks().await;
    assert_eq!(receiver.received().len(), 1);
    receiver.release();
    first.await.unwrap().unwrap();
    assert_eq!(numbers(&receiver.received()), [1, 2]);

    // If an instance is killed during an attempt, another instance repeats the delivery after the lease has ended.
    receiver.hold();
    insert_events(&app, 1).await;
    let first = app.dispatcher();
    let first = tokio::spawn(async move { first.run_once().await });
    receiver.wait_for(3).await;
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    other.post_webhooks().await;
    app.clock().advance(Duration::seconds(55));
    other.post_webhooks().await;
    assert_eq!(receiver.received().len(), 3, "the lease has not ended yet");
    receiver.release();
    app.clock().advance(Duration::seconds(6));
    other.post_webhooks().await;
    let seen = receiver.received();
    assert_eq!(numbers(&seen), [1, 2, 3, 3]);
    assert_eq!(seen[2].header("webhook-id"), seen[3].header("webhook-id"));
    let newest = &deliveries(&app, &admin, &hook).await[0];
    assert_eq!((&newest["state"], &newest["attempts"]), (&json!("delivered"), &json!(2)));
}

#[tokio::test]
async fn after_a_rotation_both_secrets_are_valid_for_a_day() {
    let (app, admin) = start().await;
    let receiver = Receiver::start().await;
    let hook = app.webhook(&admin, &receiver.url, &["game.changed"]).await;
    let path = format!("{}/secret", hook.path);
    let rotate = async |key: &str, body: Value| {
        let request = app.post(&path).by(&admin).header("idempotency-key", key);
        request.json(&body).answer().await
    };
    let second = rotate("a", json!({})).await.expect(200);
    assert_eq!(second["secret_generation"], 2);
    let bare = app.post(&path).by(&admin).header("idempotency-key", "a");
    let again = bare.answer().await.expect(200);
    assert_eq!(again, rotate("a", json!({})).await.expect(200), "the empty object may be left out");
    assert_eq!(
        (&again["secret_generation"], &again["secret_already_shown"]),
        (&json!(2), &json!(true))
    );
    rotate("b", json!({ "overlap_hours": 169 })).await.problem(422, "invalid_body");
    let second = second["secret"].as_str().unwrap().to_owned();
    let next = async || {
        insert_events(&app, 1).await;
        app.post_webhooks().await;
        receiver.received().pop().unwrap()
    };
    let both = next().await;
    assert_eq!(both.signed_with(&second), [true, false]);
    assert_eq!(both.signed_with(&hook.secret), [false, true]);
    app.clock().advance(Duration::hours(24));
    let admin = app.log_in(&admin.name, &admin.password).await;
    assert_eq!(next().await.signed_with(&second), [true], "after a day only the new secret signs");

    // With an overlap of 0 hours a leaked secret becomes invalid at once.
    let request = app.post(&path).by(&admin).json(&json!({ "overlap_hours": 0 }));
    let third = request.answer().await.expect(200);
    let third = third["secret"].as_str().unwrap().to_owned();
    let alone = next().await;
    assert_eq!(alone.signed_with(&third), [true]);
    assert_ne!(second, third);
}

#[tokio::test]
async fn a_repeated_rotation_is_gone_with_its_webhook() {
    let (app, admin) = start().await;
    let hook = app.webhook(&admin, "https://hooks.example/in", &["card.added"]).await;
    let rotate = async |key: &str| {
        let request = app.post(&format!("{}/secret", hook.path)).by(&admin);
        request.header("idempotency-key", key).answer().await
    };
    rotate("one").await.expect(200);
    let version = version(&app, &admin, &hook).await;
    app.delete(&hook.path).by(&admin).header("if-match", version).answer().await.expect(204);
    rotate("one").await.problem(410, "gone");
    rotate("other").await.problem(404, "not_found");
}

#[tokio::test]
async fn a_webhook_that_fails_for_days_is_disabled() {
    let (app, admin) = start().await;
    let receiver = Receiver::start().await;
    let hook = app.webhook(&admin, &receiver.url, &["game.changed"]).await;
    insert_events(&app, 1).await;
    receiver.answer(&["500 Oops"; 100]);
    let mut hours = 0;
    while app.db().value("SELECT disabled_at FROM webhooks").await.is_empty() {
        app.post_webhooks().await;
        app.clock().advance(Duration::hours(1));
        hours += 1;
        assert!(hours < 24 * 5, "the webhook is disabled within five days");
    }
    assert!(hours > 24 * 3, "{hours}");
    let admin = app.log_in(&admin.name, &admin.password).await;
    let now = app.get(&hook.path).by(&admin).answer().await.expect(200);
    assert_eq!((&now["enabled"], &now["disabled_reason"]), (&json!(false), &json!("failing")));
    let attempts = receiver.received().len();
    assert!((10..=13).contains(&attempts), "{attempts}");
    assert_eq!(
        audited_actions(&app, &admin).await,
        [("webhook.created".to_owned(), true), ("webhook.disabled".to_owned(), false)]
    );
    // Nothing is posted any more, and the waiting delivery fails.
    insert_events(&app, 1).await;
    app.clock().advance(Duration::days(1));
    app.post_webhooks().await;
    assert_eq!(receiver.received().len(), attempts);
    let admin = app.log_in(&admin.name, &admin.password).await;
    assert_eq!(only_delivery(&app, &admin, &hook).await["state"], "failed");
    for path in ["/ping".to_owned(), "/secret".to_owned()] {
        let request = app.post(&format!("{}{path}", hook.path)).by(&admin);
        let answer = if path == "/ping" { request } else { request.json(&json!({})) };
        let status = answer.answer().await.status;
        assert_eq!(status, if path == "/ping" { 409 } else { 200 }, "{path}");
    }

    // After it is enabled again, the webhook receives only new events.
    let body = json!({ "url": receiver.url, "kinds": ["game.changed"] });
    assert_eq!(put(&app, &admin, &hook, &body).await.expect(200)["enabled"], true);
    let before = receiver.received().len();
    app.post_webhooks().await;
    assert_eq!(receiver.received().len(), before);
    insert_events(&app, 1).await;
    app.post_webhooks().await;
    assert_eq!(numbers(&receiver.received())[before..], [3]);
}

#[tokio::test]
async fn a_webhook_is_disabled_when_its_receiver_answers_410() {
    let (app, admin) = start().await;
    let receiver = Receiver::start().await;
    let hook = app.webhook(&admin, &receiver.url, &["game.changed"]).await;
    receiver.answer(&["410 Gone"]);
    insert_events(&app, 3).await;
    app.post_webhooks().await;
    assert_eq!(receiver.received().len(), 1);
    let now = app.get(&hook.path).by(&admin).answer().await.expect(200);
    assert_eq!(now["disabled_reason"], "gone");
    app.post_webhooks().await;
    let failures: Vec<Value> = deliveries(&app, &admin, &hook)
        .await
        .iter()
        .map(|delivery| delivery["last_failure"].clone())
        .collect();
    assert_eq!(failures, ["disabled", "disabled", "gone"]);
    // A failed delivery cannot be sent again while the webhook is disabled.
    let newest = deliveries(&app, &admin, &hook).await[0]["id"].as_str().unwrap().to_owned();
    let resend = format!("{}/deliveries/{newest}/resend", hook.path);
    app.post(&resend).by(&admin).answer().await.problem(409, "webhook_disabled");
}

#[tokio::test]
async fn a_delivery_can_be_sent_again_and_a_webhook_can_be_pinged() {
    let (app, admin) = start().await;
    let receiver = Receiver::start().await;
    let hook = app.webhook(&admin, &receiver.url, &["game.changed"]).await;
    insert_events(&app, 1).await;
    app.post_webhooks().await;
    let sent = only_delivery(&app, &admin, &hook).await;
    let path = format!("{}/deliveries/{}", hook.path, sent["id"].as_str().unwrap());
    let again = app.post(&format!("{path}/resend")).by(&admin).answer().await.expect(202);
    assert_eq!((&again["state"], &again["attempts"]), (&json!("waiting"), &json!(0)));
    app.post_webhooks().await;
    let seen = receiver.received();
    assert_eq!(seen.len(), 2);
    assert_eq!(seen[0].header("webhook-id"), seen[1].header("webhook-id"));
    let now = app.get(&path).by(&admin).answer().await.expect(200);
    assert_eq!((&now["state"], &now["attempts"]), (&json!("delivered"), &json!(1)));

    let send_ping = async || {
        let request = app.post(&format!("{}/ping", hook.path)).by(&admin);
        request.header("idempotency-key", "ping").answer().await.expect(202)
    };
    let (ping, same) = (send_ping().await, send_ping().await);
    assert_eq!(ping["id"], same["id"]);
    receiver.answer(&["500 Oops"]);
    app.post_webhooks().await;
    let seen = receiver.received();
    assert_eq!(seen.len(), 3);
    let body = seen[2].json();
    assert_eq!((&body["kind"], &body["webhook"]), (&json!("ping"), &json!(hook.id)));
    assert_eq!(seen[2].signed_with(&hook.secret), [true]);
    app.clock().advance(Duration::minutes(10));
    app.post_webhooks().await;
    assert_eq!(receiver.received().len(), 3, "a failed ping is not retried");
    let failed = app.get(&format!("{}/deliveries?state=failed", hook.path)).by(&admin);
    let failed = failed.answer().await.expect(200);
    assert_eq!(failed["data"].as_array().unwrap().len(), 1);
    assert_eq!(failed["data"][0]["id"], ping["id"]);

    // A delivery is not found under the path of another webhook.
    let another = app.webhook(&admin, &receiver.url, &["game.changed"]).await;
    let elsewhere = path.replace(&hook.id, &another.id);
    app.get(&elsewhere).by(&admin).answer().await.problem(404, "not_found");
    app.post(&format!("{elsewhere}/resend")).by(&admin).answer().await.problem(404, "not_found");
    assert_eq!(
        audited_actions(&app, &admin)
            .await
            .iter()
            .map(|(action, _)| action.as_str())
            .collect::<Vec<_>>(),
        ["webhook.created", "webhook.delivery_resent", "webhook.pinged", "webhook.created"]
    );
}

/// A running attempt that ends does not cancel a resend that an admin has requested in the meantime.
#[tokio::test]
async fn a_resend_during_an_attempt_is_not_lost() {
    for answer in ["500 Oops", "204 No Content"] {
        a_resend_is_not_lost_by(answer).await;
    }
}

async fn a_resend_is_not_lost_by(answer: &'static str) {
    let (app, admin) = start().await;
    let receiver = Receiver::start().await;
    let hook = app.webhook(&admin, &receiver.url, &["game.changed"]).await;
    receiver.hold();
    receiver.answer(&[answer]);
    let ping = app.post(&format!("{}/ping", hook.path)).by(&admin).answer().await;
    let place = ping.header("location");
    ping.expect(202);
    let first = app.dispatcher();
    let first = tokio::spawn(async move { first.run_once().await });
    receiver.wait_for(1).await;
    app.post(&format!("{place}/resend")).by(&admin).answer().await.expect(202);
    receiver.release();
    first.await.unwrap().unwrap();
    assert_eq!(
        receiver.received().len(),
        2,
        "the second request comes from the resend, because a ping is not retried"
    );
    let ping = app.get(&place).by(&admin).answer().await.expect(200);
    assert_eq!((&ping["state"], &ping["attempts"]), (&json!("delivered"), &json!(1)));
}

/// A failure that the old address answers has no effect after an admin has changed the address.
#[tokio::test]
async fn a_late_answer_of_the_old_address_does_not_disable_the_webhook() {
    let (app, admin) = start().await;
    let (old, new) = (Receiver::start().await, Receiver::start().await);
    let hook = app.webhook(&admin, &old.url, &["game.changed"]).await;
    old.hold();
    old.answer(&["410 Gone"]);
    insert_events(&app, 1).await;
    let first = app.dispatcher();
    let first = tokio::spawn(async move { first.run_once().await });
    old.wait_for(1).await;
    let body = json!({ "url": new.url, "kinds": ["game.changed"] });
    put(&app, &admin, &hook, &body).await.expect(200);
    old.release();
    first.await.unwrap().unwrap();
    let now = app.get(&hook.path).by(&admin).answer().await.expect(200);
    assert_eq!(now["enabled"], true);
    // The lease of the first attempt expires.
    app.clock().advance(Duration::seconds(61));
    app.post_webhooks().await;
    assert_eq!((old.received().len(), numbers(&new.received())), (1, vec![1]));
}

/// What the old address has received after an admin has changed the address is posted to the new one as well.
#[tokio::test]
async fn a_late_success_of_the_old_address_does_not_count_for_the_new_one() {
    let (app, admin) = start().await;
    let (old, new) = (Receiver::start().await, Receiver::start().await);
    let hook = app.webhook(&admin, &old.url, &["game.changed"]).await;
    old.hold();
    insert_events(&app, 1).await;
    let first = app.dispatcher();
    let first = tokio::spawn(async move { first.run_once().await });
    old.wait_for(1).await;
    let body = json!({ "url": new.url, "kinds": ["game.changed"] });
    put(&app, &admin, &hook, &body).await.expect(200);
    old.release();
    first.await.unwrap().unwrap();
    // The lease of the first attempt expires.
    app.clock().advance(Duration::seconds(61));
    app.post_webhooks().await;
    assert_eq!((old.received().len(), numbers(&new.received())), (1, vec![1]));
}

#[tokio::test]
async fn waiting_deliveries_are_posted_even_if_no_new_ones_can_be_written() {
    let (app, admin) = start().await;
    let receiver = Receiver::start().await;
    app.webhook(&admin, &receiver.url, &["game.changed"]).await;
    app.sql("UPDATE webhooks SET resume_at = 'infinity'").await;
    insert_events(&app, 1).await;
    app.post_webhooks().await;
    app.sql("UPDATE webhooks SET resume_at = NULL; ALTER TABLE event_clock RENAME TO stopped")
        .await;
    assert!(app.dispatcher().run_once().await.is_err());
    assert_eq!(numbers(&receiver.received()), [1]);
}

#[tokio::test]
async fn edits_need_the_etag_that_was_read() {
    let (app, admin) = start().await;
    app.seed(&["ttcg"]).await;
    let receiver = Receiver::start().await;
    let hook = app.webhook(&admin, &receiver.url, &["game.changed"]).await;
    let body =
        json!({ "url": receiver.url, "kinds": ["set.changed", "game.changed"], "game": "ttcg" });
    app.put(&hook.path).by(&admin).json(&body).answer().await.problem(428, "precondition_required");
    app.delete(&hook.path).by(&admin).answer().await.problem(428, "precondition_required");
    let old = version(&app, &admin, &hook).await;
    put(&app, &admin, &hook, &body).await.expect(200);
    let request = app.put(&hook.path).by(&admin).header("if-match", &old).json(&body);
    request.answer().await.problem(412, "precondition_failed");
    let request = app.delete(&hook.path).by(&admin).header("if-match", &old);
    request.answer().await.problem(412, "precondition_failed");
    let unknown = json!({ "url": receiver.url, "kinds": ["set.changed"], "game": "none" });
    put(&app, &admin, &hook, &unknown).await.problem(422, "invalid_body");

    // Events of other games and other kinds are not posted.
    insert_events(&app, 3).await;
    app.sql("INSERT INTO events (id, kind, payload, created_at) \
             VALUES (gen_random_uuid(), 'set.changed', '{\"game\":\"ttcg\",\"set\":\"hearth\"}', clock_timestamp()), \
                    (gen_random_uuid(), 'card.moved', '{\"game\":\"ttcg\"}', clock_timestamp())")
        .await;
    app.post_webhooks().await;
    let seen = receiver.received();
    assert_eq!(seen.len(), 1);
    assert_eq!(
        (&seen[0].json()["kind"], &seen[0].json()["set"]),
        (&json!("set.changed"), &json!("hearth"))
    );

    // Events that occur while a webhook is disabled are not posted after it is enabled again.
    let off = json!({ "url": receiver.url, "kinds": ["game.changed"], "enabled": false });
    let now = put(&app, &admin, &hook, &off).await.expect(200);
    assert_eq!((&now["enabled"], &now["disabled_reason"]), (&json!(false), &json!("admin")));
    insert_events(&app, 2).await;
    app.post_webhooks().await;
    let on = json!({ "url": receiver.url, "kinds": ["game.changed"] });
    assert!(put(&app, &admin, &hook, &on).await.expect(200).get("disabled_reason").is_none());
    app.post_webhooks().await;
    assert_eq!(receiver.received().len(), 1);

    // A deleted webhook is not found any more. A later sweep deletes its rows and its deliveries.
    insert_events(&app, 1).await;
    let last = version(&app, &admin, &hook).await;
    app.delete(&hook.path).by(&admin).header("if-match", last).answer().await.expect(204);
    app.post_webhooks().await;
    assert_eq!(receiver.received().len(), 1);
    for path in ["", "/deliveries"] {
        let request = app.get(&format!("{}{path}", hook.path)).by(&admin);
        request.answer().await.problem(404, "not_found");
    }
    let rows = "SELECT (SELECT count(*) FROM webhooks) + (SELECT count(*) FROM webhook_deliveries)";
    assert!(app.db().number(rows).await > 0);
    app.clock().advance(Duration::minutes(2));
    sweep(&app).await;
    assert_eq!(app.db().number(rows).await, 0);
}

async fn sweep(app: &TestApp) {
    cardscape::store::operations::retention::sweep(app.store(), app.clock().now()).await.unwrap();
}

#[tokio::test]
async fn old_deliveries_are_deleted() {
    let (app, admin) = start().await;
    let receiver = Receiver::start().await;
    let hook = app.webhook(&admin, &receiver.url, &["game.changed"]).await;
    insert_events(&app, 2).await;
    app.post_webhooks().await;
    app.clock().advance(Duration::days(29));
    insert_events(&app, 1).await;
    app.post_webhooks().await;
    sweep(&app).await;
    let admin = app.log_in(&admin.name, &admin.password).await;
    assert_eq!(deliveries(&app, &admin, &hook).await.len(), 3);
    app.clock().advance(Duration::days(2));
    sweep(&app).await;
    let admin = app.log_in(&admin.name, &admin.password).await;
    assert_eq!(only_delivery(&app, &admin, &hook).await["seq"], 3);
}

#[tokio::test]
async fn simultaneous_requests_cannot_create_more_than_twenty_webhooks() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let body = json!({ "url": "https://hooks.example/", "kinds": ["card.unlocked"] });
    let tries = (0..25).map(|_| app.post("/v1/webhooks").by(&admin).json(&body).answer());
    let answers = futures_util::future::join_all(tries).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 20);
    for refused in answers.into_iter().filter(|answer| answer.status != 201) {
        refused.problem(409, "too_many_webhooks");
    }
}

/// Two instances write the deliveries of a long backlog in batches at the same time: every event gets one delivery.
#[tokio::test]
async fn a_long_backlog_is_written_once() {
    let (app, admin) = start().await;
    let receiver = Receiver::start().await;
    let hook = app.webhook(&admin, &receiver.url, &["game.changed"]).await;
    app.sql("UPDATE webhooks SET resume_at = 'infinity'").await;
    insert_events(&app, 1_700).await;
    let other = app.second_instance();
    let instances: Vec<Arc<_>> = vec![app.dispatcher(), other.dispatcher(), app.dispatcher()];
    let done = futures_util::future::join_all(instances.iter().map(Dispatcher::run_once)).await;
    assert!(done.iter().all(Result::is_ok));
    app.post_webhooks().await;
    let count =
        "SELECT count(*) || ' ' || count(DISTINCT seq) || ' ' || max(seq) FROM webhook_deliveries";
    assert_eq!(app.db().value(count).await, "1700 1700 1700");
    assert_eq!(receiver.received().len(), 0);
    let page = app.get(&format!("{}/deliveries?limit=3", hook.path)).by(&admin).answer().await;
    let page = page.expect(200);
    let seqs = |page: &Value| -> Vec<i64> {
        let items = page["data"].as_array().unwrap().iter();
        items.map(|item| item["seq"].as_i64().unwrap()).collect()
    };
    assert_eq!(seqs(&page), [1700, 1699, 1698]);
    let cursor = page["next_cursor"].as_str().unwrap();
    let next = app.get(&format!("{}/deliveries?limit=3&cursor={cursor}", hook.path)).by(&admin);
    assert_eq!(seqs(&next.answer().await.expect(200)), [1697, 1696, 1695]);
}

/// A large import can leave a hundred thousand waiting deliveries, which one statement cannot give up in time.
#[tokio::test]
async fn a_long_backlog_is_given_up_in_batches_when_its_webhook_is_enabled_again() {
    let (app, admin) = start().await;
    let receiver = Receiver::start().await;
    let hook = app.webhook(&admin, &receiver.url, &["game.changed"]).await;
    app.sql(&format!(
        "INSERT INTO webhook_deliveries (id, webhook_id, seq, kind, state, next_attempt_at, created_at) \
         SELECT gen_random_uuid(), '{}', n, 'game.changed', 'waiting', '{now}', '{now}' FROM generate_series(1, 2500) AS n; \
         CREATE FUNCTION only_batches() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF (SELECT count(*) FROM changed) > 1000 THEN RAISE 'one statement changes too many deliveries'; END IF; RETURN NULL; END $$; \
         CREATE TRIGGER only_batches AFTER UPDATE ON webhook_deliveries REFERENCING NEW TABLE AS changed \
             FOR EACH STATEMENT EXECUTE FUNCTION only_batches()",
        hook.id,
        now = app.clock().now().to_rfc3339()
    ))
    .await;
    let given_up = "SELECT count(*) FROM webhook_deliveries WHERE state = 'failed' AND last_failure = 'disabled'";
    for (enabled, expected) in [(true, 0), (false, 0), (true, 2_500)] {
        let body = json!({ "url": receiver.url, "kinds": ["game.changed"], "enabled": enabled });
        assert_eq!(put(&app, &admin, &hook, &body).await.expect(200)["enabled"], enabled);
        assert_eq!(app.db().number(given_up).await, expected);
    }
}

/// A delivery whose event cannot be read or rendered fails at once: later deliveries are posted, and no failure of the receiver is counted.
#[tokio::test]
async fn a_delivery_that_cannot_be_rendered_is_settled_as_failed() {
    let (app, admin) = start().await;
    let receiver = Receiver::start().await;
    let hook = app.webhook(&admin, &receiver.url, &["game.changed"]).await;
    insert_events(&app, 4).await;
    // An event that cannot be read; the service never writes such an event.
    app.sql("UPDATE events SET payload = '{\"game\": 7}' WHERE payload ->> 'game' = 'g1'").await;
    let dispatcher = Arc::into_inner(app.dispatcher()).unwrap();
    let render = |event: cardscape::store::operations::delivery_attempts::WebhookEvent| {
        use cardscape::store::operations::delivery_attempts::WebhookEvent;
        match &event {
            WebhookEvent::Change(change) if change.subject.game == "g3" => {
                Err(serde::de::Error::custom("this event cannot be written"))
            }
            _ => cardscape::app::operations::webhooks::render(event),
        }
    };
    Arc::new(Dispatcher { render, ..dispatcher }).run_once().await.unwrap();
    let games: Vec<String> = receiver
        .received()
        .iter()
        .map(|seen| seen.json()["game"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(games, ["g2", "g4"]);
    let list = deliveries(&app, &admin, &hook).await;
    let states: Vec<_> = list.iter().rev().map(|d| (&d["state"], &d["last_failure"])).collect();
    let (failed, delivered) = (json!("failed"), json!("delivered"));
    let (unreadable, none) = (json!("unreadable"), Value::Null);
    let given_up = (&failed, &unreadable);
    let posted = (&delivered, &none);
    assert_eq!(states, [given_up, posted, given_up, posted]);
    let webhook = app.get(&hook.path).by(&admin).answer().await.expect(200);
    assert_eq!(webhook["enabled"], true);
    let blamed = "SELECT count(*) FROM webhooks WHERE failures > 0 OR resume_at IS NOT NULL";
    assert_eq!(app.db().number(blamed).await, 0);
    // The failed deliveries are not retried.
    app.clock().advance(Duration::hours(1));
    app.post_webhooks().await;
    assert_eq!(receiver.received().len(), 2);
}
