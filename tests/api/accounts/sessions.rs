//! Sessions: log in, refresh, log out, throttling.

use std::time::{Duration as StdDuration, Instant};

use chrono::Duration;
use serde_json::{Value, json};

use crate::support::{Player, RequestExt as _, TestApp};

async fn refresh(app: &TestApp, token: &str) -> crate::support::Answer {
    app.post("/v1/sessions/refresh").json(&json!({ "refresh_token": token })).answer().await
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap().to_owned()
}

/// Repeats a request until the answer is 401, for at most the five seconds that a revocation may take.
async fn wait_until_rejected(app: &TestApp, player: &Player) {
    let began = Instant::now();
    while app.get("/v1/me").by(player).answer().await.status != 401 {
        assert!(
            began.elapsed() < StdDuration::from_secs(5),
            "the token is still accepted after 5 s"
        );
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_wrong_password_an_unknown_name_and_an_invalid_name_get_the_same_answer() {
    let app = TestApp::start().await;
    app.player("ada").await;
    let mut bodies = Vec::new();
    for (name, password) in [("ada", "wrong"), ("nobody", "wrong"), ("", ""), ("💥", "x")] {
        let answer = app
            .post("/v1/sessions")
            .json(&json!({ "name": name, "password": password }))
            .answer()
            .await;
        let mut body = answer.problem(401, "wrong_credentials");
        body["instance"] = Value::Null;
        bodies.push(body);
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1);
}

#[tokio::test]
async fn a_refresh_token_works_once() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let renewed = refresh(&app, &ada.refresh_token).await.expect(200);
    let renewed = Player {
        access_token: text(&renewed, "access_token"),
        refresh_token: text(&renewed, "refresh_token"),
        ..ada.clone()
    };
    app.get("/v1/me").by(&renewed).answer().await.expect(200);

    // The first refresh token is used again after 30 seconds: another client has a copy of it, so the session ends for every client.
    app.clock().advance(Duration::seconds(31));
    refresh(&app, &ada.refresh_token).await.problem(401, "invalid_token");
    refresh(&app, &renewed.refresh_token).await.problem(401, "invalid_token");
    wait_until_rejected(&app, &renewed).await;
}

#[tokio::test]
async fn after_a_lost_reply_a_refresh_token_works_again_for_thirty_seconds() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let lost = refresh(&app, &ada.refresh_token).await.expect(200);
    app.clock().advance(Duration::seconds(29));
    let second = refresh(&app, &ada.refresh_token).await.expect(200);
    assert_ne!(lost["refresh_token"], second["refresh_token"]);
    refresh(&app, &text(&second, "refresh_token")).await.expect(200);
    // The refresh token in the lost reply is no longer valid.
    refresh(&app, &text(&lost, "refresh_token")).await.problem(401, "invalid_token");
}

#[tokio::test]
async fn parallel_refreshes_on_two_instances_leave_at_most_one_valid_refresh_token() {
    let app = TestApp::start().await;
    let other = app.second_instance();
    let ada = app.player("ada").await;
    let (first, second) =
        tokio::join!(refresh(&app, &ada.refresh_token), refresh(&other, &ada.refresh_token));
    let (first, second) = (first.expect(200), second.expect(200));
    let answers = [
        refresh(&app, &text(&first, "refresh_token")).await,
        refresh(&app, &text(&second, "refresh_token")).await,
    ];
    assert!(
        answers.iter().filter(|answer| answer.status == 200).count() <= 1,
        "at most one of the new refresh tokens is valid"
    );
}

#[tokio::test]
async fn an_access_token_is_valid_for_fifteen_minutes() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    app.clock().advance(Duration::seconds(15 * 60 - 10));
    app.get("/v1/me").by(&ada).answer().await.expect(200);
    app.clock().advance(Duration::seconds(10));
    app.get("/v1/me").by(&ada).answer().await.problem(401, "invalid_token");
    refresh(&app, &ada.refresh_token).await.expect(200);
}

#[tokio::test]
async fn logging_out_on_one_instance_ends_the_session_on_all_instances() {
    let app = TestApp::start().await;
    let other = app.second_instance();
    let phone = app.player("ada").await;
    let laptop = app.log_in("ada", &phone.password).await;
    // The other instance caches the session, too.
    other.get("/v1/me").by(&phone).answer().await.expect(200);
    app.delete("/v1/sessions/current").by(&phone).answer().await.expect(204);
    app.get("/v1/me").by(&phone).answer().await.problem(401, "invalid_token");
    wait_until_rejected(&other, &phone).await;
    refresh(&app, &phone.refresh_token).await.problem(401, "invalid_token");

    let sessions = app.get("/v1/sessions").by(&laptop).answer().await.expect(200);
    assert_eq!(sessions["data"].as_array().unwrap().len(), 1);
    assert_eq!(sessions["data"][0]["current"], true);
    let path = format!("/v1/sessions/{}", text(&sessions["data"][0], "id"));
    let stranger = app.player("eve").await;
    app.delete(&path).by(&stranger).answer().await.problem(404, "not_found");
    app.delete(&path).by(&laptop).answer().await.expect(204);
}

#[tokio::test]
async fn a_ban_ends_sessions_on_all_instances() {
    let app = TestApp::start().await;
    let other = app.second_instance();
    let admin = app.admin().await;
    let ada = app.player("ada").await;
    other.get("/v1/me").by(&ada).answer().await.expect(200);
    let path = format!("/v1/accounts/{}", ada.id);
    app.patch(&path).by(&admin).json(&json!({ "banned": true })).answer().await.expect(200);
    wait_until_rejected(&other, &ada).await;
    wait_until_rejected(&app, &ada).await;
}

#[tokio::test]
async fn parallel_guesses_on_two_instances_share_one_limit() {
    let app = TestApp::start().await;
    app.begin_window();
    let other = app.second_instance();
    let ada = app.player("ada").await;
    let guess = json!({ "name": "ada", "password": "a wrong guess" });
    let tries = (0..30).map(|n| {
        let app = if n % 2 == 0 { &app } else { &other };
        app.post("/v1/sessions").json(&guess).answer()
    });
    let answers = futures_util::future::join_all(tries).await;
    let checked = answers.iter().filter(|answer| answer.status == 401).count();
    assert_eq!(checked, 10, "ten passwords are checked on both instances together");
    for answer in answers.into_iter().filter(|answer| answer.status != 401) {
        assert!(answer.header("retry-after").parse::<u32>().unwrap() <= 900);
        answer.problem(429, "login_throttled");
    }
    // From this network the right password is throttled, too; 15 minutes later it is accepted.
    let right = json!({ "name": "ada", "password": ada.password });
    app.post("/v1/sessions").json(&right).answer().await.problem(429, "login_throttled");
    app.clock().advance(Duration::minutes(15));
    app.post("/v1/sessions").json(&right).answer().await.expect(201);
}

#[tokio::test]
async fn strangers_cannot_lock_the_owner_out() {
    let loopback = |settings: &mut cardscape::app::state::ApiSettings| {
        settings.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    };
    let app = TestApp::start_with(loopback).await;
    app.begin_window();
    let from = |network: &str, password: &str| {
        app.post("/v1/sessions")
            .header("x-forwarded-for", network)
            .json(&json!({ "name": "ada", "password": password }))
            .answer()
    };
    let ada = app.player("ada").await;
    from("192.0.2.1", &ada.password).await.expect(201);
    // Guesses from many networks use up the shared limit of networks from which the account has not logged in.
    let mut refused = 0;
    for n in 0..104 {
        refused +=
            usize::from(from(&format!("198.51.100.{n}"), "a wrong guess").await.status == 429);
    }
    assert_eq!(refused, 4);
    from("203.0.113.7", &ada.password).await.problem(429, "login_throttled");
    from("192.0.2.1", &ada.password).await.expect(201);
}

#[tokio::test]
async fn a_log_in_that_finds_the_queue_full_uses_up_no_attempt() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    // Clients from many networks fill the queue for password checks.
    let hasher = &app.shared().passwords;
    let network = |number: u32| std::net::IpAddr::from(std::net::Ipv4Addr::from(number)).into();
    let held: Vec<_> = (0..10_000).map_while(|number| hasher.enter(network(number)).ok()).collect();
    assert!(held.len() < 10_000, "the queue has a limit");
    let right = json!({ "name": "ada", "password": ada.password });
    let wrong = json!({ "name": "ada", "password": "a wrong guess" });
    let unknown = json!({ "name": "nobody", "password": "a wrong guess" });
    let mut bodies = Vec::new();
    for body in (0..8).flat_map(|_| [&right, &wrong, &unknown]) {
        let answer = app.post("/v1/sessions").json(body).answer().await;
        assert_eq!(answer.header("retry-after"), "1");
        let mut body = answer.problem(503, "unavailable");
        body["instance"] = Value::Null;
        bodies.push(body);
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1, "a right password is refused like a wrong one");
    // All other operations that hash a password are refused, too.
    let new = json!({ "name": "bea", "password": "tram window sonnet" });
    app.post("/v1/accounts").json(&new).answer().await.problem(503, "unavailable");
    let change = json!({ "current_password": "x", "new_password": "violet harbour lamp" });
    let change = app.put("/v1/me/password").by(&ada).json(&change).answer().await;
    change.problem(503, "unavailable");
    let codes = app.post("/v1/me/recovery-codes").by(&ada).json(&json!({ "password": "x" }));
    codes.answer().await.problem(503, "unavailable");
    let begin = app.post("/v1/me/second-factor").by(&ada).json(&json!({ "current_password": "x" }));
    begin.answer().await.problem(503, "unavailable");
    drop(held);
    // None of the refused wrong passwords has counted: the limit is ten attempts, and all ten are checked now.
    for _ in 0..9 {
        app.post("/v1/sessions").json(&wrong).answer().await.problem(401, "wrong_credentials");
    }
    app.post("/v1/sessions").json(&right).answer().await.expect(201);
    app.post("/v1/accounts").json(&new).answer().await.expect(201);
}

#[tokio::test]
async fn one_network_cannot_fill_the_log_in_queue() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let hasher = &app.shared().passwords;
    let flood = "192.0.2.1".parse::<std::net::IpAddr>().unwrap().into();
    let held: Vec<_> = (0..10_000).map_while(|_| hasher.enter(flood).ok()).collect();
    assert!(!held.is_empty() && held.len() < 10_000);
    let right = json!({ "name": "ada", "password": ada.password });
    app.post("/v1/sessions").json(&right).answer().await.expect(201);
}
