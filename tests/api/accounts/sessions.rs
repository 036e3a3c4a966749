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

/// A player with the tokens of a refresh.
fn with_tokens(player: &Player, tokens: &Value) -> Player {
    Player {
        access_token: text(tokens, "access_token"),
        refresh_token: text(tokens, "refresh_token"),
        ..player.clone()
    }
}

/// Whether the refresh token of a player is one that no other token has replaced.
async fn is_newest(app: &TestApp, player: &Player) -> bool {
    let found = format!(
        "SELECT count(*) FROM refresh_tokens WHERE token_hash = sha256('{}') AND replaced_at IS NULL",
        player.refresh_token
    );
    app.db().number(&found).await == 1
}

/// Repeats a request until the answer is 401, for at most the five seconds that a revocation may take.
async fn wait_until_rejected(app: &TestApp, player: &Player) {
    wait_until_path_rejected(app, "/v1/me", player).await;
}

/// Like [`wait_until_rejected`], for a token that does not open the own account.
async fn wait_until_path_rejected(app: &TestApp, path: &str, player: &Player) {
    let began = Instant::now();
    while app.get(path).by(player).answer().await.status != 401 {
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

/// Only who knows the password learns that the account is banned, with or without a code of a second factor.
#[tokio::test]
async fn a_ban_is_reported_to_those_who_know_the_password() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let log_in = async |name: &str, password: &str| {
        let body = json!({ "name": name, "password": password });
        app.post("/v1/sessions").json(&body).answer().await
    };
    let wrong = async |name: &str| {
        let mut body = log_in(name, "a wrong guess").await.problem(401, "wrong_credentials");
        body["instance"] = Value::Null;
        body
    };
    let before = wrong("ada").await;
    app.sql(&format!("UPDATE accounts SET banned_at = created_at WHERE id = '{}'", ada.id)).await;
    log_in("ada", &ada.password).await.problem(403, "account_banned");
    assert_eq!(wrong("ada").await, before);
    assert_eq!(wrong("nobody").await, before);
    let sessions = format!("SELECT count(*) FROM sessions WHERE account_id = '{}'", ada.id);
    let begun = app.db().number(&sessions).await;
    app.sql("UPDATE accounts SET second_factor_since = created_at").await;
    log_in("ada", &ada.password).await.problem(403, "account_banned");
    assert_eq!(app.db().number(&sessions).await, begun);
}

#[tokio::test]
async fn a_refresh_token_works_once() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let renewed = with_tokens(&ada, &refresh(&app, &ada.refresh_token).await.expect(200));
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
async fn parallel_refreshes_on_two_instances_leave_exactly_one_valid_refresh_token() {
    let app = TestApp::start().await;
    let other = app.second_instance();
    let ada = app.player("ada").await;
    let (first, second) =
        tokio::join!(refresh(&app, &ada.refresh_token), refresh(&other, &ada.refresh_token));
    let (first, second) = (first.expect(200), second.expect(200));
    assert_eq!(first["session_id"], second["session_id"]);
    assert_ne!(first["refresh_token"], second["refresh_token"]);
    let (first, second) = (with_tokens(&ada, &first), with_tokens(&ada, &second));
    for player in [&first, &second] {
        for instance in [&app, &other] {
            instance.get("/v1/me").by(player).answer().await.expect(200);
        }
    }
    // Which of both refreshes came first is not known. The second one got its token in place of the token of the first one, which counts as lost.
    let (lost, newest) = if is_newest(&app, &first).await {
        assert!(!is_newest(&app, &second).await);
        (second, first)
    } else {
        assert!(is_newest(&app, &second).await);
        (first, second)
    };
    let next = refresh(&app, &newest.refresh_token).await.expect(200);
    let next = with_tokens(&ada, &next);
    for instance in [&app, &other] {
        instance.get("/v1/me").by(&next).answer().await.expect(200);
    }
    // The token that counts as lost ends the session for every client, on both instances.
    refresh(&other, &lost.refresh_token).await.problem(401, "invalid_token");
    refresh(&app, &next.refresh_token).await.problem(401, "invalid_token");
    refresh(&other, &newest.refresh_token).await.problem(401, "invalid_token");
    tokio::join!(wait_until_rejected(&app, &next), wait_until_rejected(&other, &next));
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
async fn a_ban_ends_sessions_and_tokens_on_all_instances() {
    let app = TestApp::start().await;
    let other = app.second_instance();
    let admin = app.admin().await;
    let ada = app.player("ada").await;
    let body = json!({ "name": "t", "scopes": ["decks:read"] });
    let token = app.post("/v1/tokens").by(&ada).json(&body).answer().await.expect(201);
    let script = Player { access_token: text(&token, "secret"), ..ada.clone() };
    for instance in [&app, &other] {
        instance.get("/v1/me").by(&ada).answer().await.expect(200);
        instance.get("/v1/decks").by(&script).answer().await.expect(200);
    }
    let path = format!("/v1/accounts/{}", ada.id);
    app.patch(&path).by(&admin).json(&json!({ "banned": true })).answer().await.expect(200);
    tokio::join!(
        wait_until_rejected(&app, &ada),
        wait_until_rejected(&other, &ada),
        wait_until_path_rejected(&app, "/v1/decks", &script),
        wait_until_path_rejected(&other, "/v1/decks", &script),
    );
    for instance in [&app, &other] {
        refresh(instance, &ada.refresh_token).await.problem(401, "invalid_token");
    }
}

#[tokio::test]
async fn a_new_role_ends_sessions_and_tokens_on_all_instances() {
    let app = TestApp::start().await;
    let other = app.second_instance();
    let instances = [&app, &other];
    let (admin, ada) = (app.admin().await, app.player("ada").await);
    let account = format!("/v1/accounts/{}", ada.id);
    for role in ["moderator", "player"] {
        let phone = app.log_in("ada", &ada.password).await;
        let laptop = other.log_in("ada", &ada.password).await;
        let body = json!({ "name": role, "scopes": ["decks:read"] });
        let token = app.post("/v1/tokens").by(&phone).json(&body).answer().await.expect(201);
        let script = Player { access_token: text(&token, "secret"), ..ada.clone() };
        // Both instances cache all three credentials.
        for instance in instances {
            for session in [&phone, &laptop] {
                let own = instance.get("/v1/me").by(session).answer().await.expect(200);
                assert_ne!(own["role"], role);
            }
            instance.get("/v1/decks").by(&script).answer().await.expect(200);
        }
        let change = app.patch(&account).by(&admin).json(&json!({ "role": role }));
        assert_eq!(change.answer().await.expect(200)["role"], role);
        tokio::join!(
            wait_until_rejected(&app, &phone),
            wait_until_rejected(&other, &phone),
            wait_until_rejected(&app, &laptop),
            wait_until_rejected(&other, &laptop),
            wait_until_path_rejected(&app, "/v1/decks", &script),
            wait_until_path_rejected(&other, "/v1/decks", &script),
        );
        // The refresh tokens are refused at once, each on both instances.
        for instance in instances {
            for session in [&phone, &laptop] {
                let refused = refresh(instance, &session.refresh_token).await;
                refused.problem(401, "invalid_token");
            }
        }
        // A new session has the new role, and the session of the admin who changed it goes on.
        let again = other.log_in("ada", &ada.password).await;
        for instance in instances {
            let own = instance.get("/v1/me").by(&again).answer().await.expect(200);
            assert_eq!(own["role"], role);
            instance.get("/v1/me").by(&admin).answer().await.expect(200);
        }
    }
}

#[tokio::test]
async fn parallel_guesses_on_two_instances_share_one_limit() {
    let app = TestApp::start_with_slow_hashes(|_| {}).await;
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
