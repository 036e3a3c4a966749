//! Limits of guesses at second factors by a client that has the password.

use cardscape::app::state::ApiSettings;
use chrono::Duration;
use serde_json::json;

use crate::support::{Answer, Player, RequestExt as _, TestApp, next_step};

fn behind_a_proxy(settings: &mut ApiSettings) {
    settings.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
}

async fn log_in_from(app: &TestApp, network: &str, player: &Player, second_factor: &str) -> Answer {
    let body =
        json!({ "name": player.name, "password": player.password, "second_factor": second_factor });
    app.post("/v1/sessions").header("x-forwarded-for", network).json(&body).answer().await
}

#[tokio::test]
async fn parallel_guesses_on_two_instances_share_one_limit() {
    let app = TestApp::start_with_slow_hashes(|_| {}).await;
    app.begin_window();
    let other = app.second_instance();
    let ada = app.player("ada").await;
    let (device, codes) = app.enrol(&ada).await;
    let wrong = device.code_at(&app, 5);
    let tries = (0..30).map(|n| {
        let app = if n % 2 == 0 { &app } else { &other };
        app.log_in_with(&ada, &wrong)
    });
    let answers = futures_util::future::join_all(tries).await;
    let checked = answers.iter().filter(|answer| answer.status == 401).count();
    assert_eq!(checked, 10, "ten codes are checked on both instances together");
    for answer in answers.into_iter().filter(|answer| answer.status != 401) {
        assert!(answer.header("retry-after").parse::<u32>().unwrap() <= 3600);
        answer.problem(429, "login_throttled");
    }
    // From this network the right code and a recovery code are throttled, too; an hour later a code is accepted.
    for right in [&device.code(&app), &codes[0]] {
        app.log_in_with(&ada, right).await.problem(429, "login_throttled");
    }
    app.clock().advance(Duration::hours(1));
    next_step(&app);
    app.log_in_with(&ada, &device.code(&app)).await.expect(201);
}

/// Who waits as long as the answer says is not refused again.
#[tokio::test]
async fn the_time_to_wait_is_that_of_the_limit_that_ends_last() {
    let app = TestApp::start_with(behind_a_proxy).await;
    app.begin_window();
    let ada = app.player("ada").await;
    let (device, _) = app.enrol(&ada).await;
    let wrong = device.code_at(&app, 5);
    // An account has ten guesses an hour from each network, and twenty a day from all unknown networks.
    for network in ["198.51.100.7", "203.0.113.7"] {
        for _ in 0..10 {
            log_in_from(&app, network, &ada, &wrong).await.problem(401, "wrong_second_factor");
        }
    }
    let today = app.clock().now().timestamp().rem_euclid(86_400);
    let refused = log_in_from(&app, "203.0.113.7", &ada, &wrong).await;
    let wait: i64 = refused.header("retry-after").parse().unwrap();
    refused.problem(429, "login_throttled");
    assert!((86_400 - 60..=86_400).contains(&(wait + today)), "{wait} {today}");
    app.clock().advance(Duration::seconds(wait + 1));
    next_step(&app);
    log_in_from(&app, "203.0.113.7", &ada, &device.code(&app)).await.expect(201);
}

/// The password is right each time, so its limits are not used up. A right code gives its attempt back.
#[tokio::test]
async fn right_passwords_and_codes_use_up_no_attempts() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let (device, _) = app.enrol(&ada).await;
    for _ in 0..15 {
        app.log_in_without(&ada).await.problem(401, "second_factor_required");
        next_step(&app);
        app.log_in_with(&ada, &device.code(&app)).await.expect(201);
    }
    let used = "SELECT coalesce(sum(used), 0) FROM attempts WHERE scope <> 'register_network'";
    assert_eq!(app.db().number(used).await, 0);
}

#[tokio::test]
async fn a_thief_with_the_password_cannot_lock_the_owner_out() {
    let app = TestApp::start_with(behind_a_proxy).await;
    app.begin_window();
    let ada = app.player("ada").await;
    // Before the second factor was switched on, the thief logged in with the password.
    log_in_from(&app, "192.0.2.66", &ada, "").await.expect(201);
    let (device, codes) = app.enrol(&ada).await;
    log_in_from(&app, "192.0.2.1", &ada, &device.code(&app)).await.expect(201);
    let wrong = device.code_at(&app, 5);
    // All unknown networks together have twenty guesses a day.
    let mut refused = 0;
    for n in 0..24 {
        let network = format!("198.51.100.{n}");
        refused += usize::from(log_in_from(&app, &network, &ada, &wrong).await.status == 429);
    }
    assert_eq!(refused, 4);
    next_step(&app);
    for unknown in ["203.0.113.7", "192.0.2.66"] {
        log_in_from(&app, unknown, &ada, &device.code(&app)).await.problem(429, "login_throttled");
    }
    log_in_from(&app, "192.0.2.1", &ada, &device.code(&app)).await.expect(201);
    // The network in which the second factor was switched on is known, too.
    app.log_in_with(&ada, &codes[0]).await.expect(201);
    // A stolen session does not help the thief: operations that require a code have the same limit.
    let body = json!({ "current_password": ada.password, "code": wrong });
    for path in ["switch-off", "recovery-codes"] {
        let path = format!("/v1/me/second-factor/{path}");
        let stolen = app.post(&path).by(&ada).header("x-forwarded-for", "203.0.113.7").json(&body);
        stolen.answer().await.problem(429, "login_throttled");
    }
}
