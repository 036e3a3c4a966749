//! Log-ins that run while the password changes or the account is banned: none of them may create a session that stays valid.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use argon2::password_hash::PasswordHasher as _;
use argon2::{Algorithm, Argon2, Params, Version};
use cardscape::auth::password::PasswordHasher;
use cardscape::auth::permission::Operator;
use cardscape::domain::accounts::attempts::AttemptLimits;
use cardscape::domain::accounts::password::Password;
use cardscape::domain::ids::AccountId;
use cardscape::store::accounts::account_records;
use serde_json::json;

use crate::support::{Answer, RequestExt as _, TestApp};

const OLD: &str = "tram window sonnet";
const NEW: &str = "violet harbour lamp";

async fn start() -> TestApp {
    TestApp::start_with_slow_hashes(|settings| {
        settings.identity_ttl = Duration::ZERO;
        settings.attempt_limits = AttemptLimits::scaled(1_000);
    })
    .await
}

async fn hash_of(password: &str) -> String {
    PasswordHasher::new().unwrap().hash(Password::presented(password.to_owned())).await.unwrap()
}

/// A hash with smaller parameters than the service uses today.
fn weak_hash_of(password: &str) -> String {
    let params = Params::new(8 * 1024, 1, 1, None).unwrap();
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    argon2.hash_password(password.as_bytes()).unwrap().to_string()
}

async fn log_in(app: &TestApp, password: &str) -> Answer {
    let body = json!({ "name": "ada", "password": password });
    app.post("/v1/sessions").json(&body).answer().await
}

/// Logs in with the old password while another transaction has changed the row of the account and has not committed. The other
/// transaction commits when the log-in waits for its lock.
async fn log_in_during(app: &TestApp, change: &str) -> Answer {
    let other = app.db().session().await;
    other.batch_execute(&format!("BEGIN; {change}")).await.unwrap();
    let commit_when_awaited = async {
        let waiting = "SELECT count(*) FROM pg_stat_activity \
                       WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let waits = async { while app.db().number(waiting).await == 0 {} };
        let waited = tokio::time::timeout(Duration::from_secs(10), waits).await;
        waited.expect("the log-in waits for the other transaction");
        other.batch_execute("COMMIT").await.unwrap();
    };
    let (answer, ()) = tokio::join!(log_in(app, OLD), commit_when_awaited);
    answer
}

#[tokio::test]
async fn a_log_in_that_waits_for_a_change_of_the_account_sees_it() {
    let app = start().await;
    let body = json!({ "name": "ada", "password": OLD });
    app.post("/v1/accounts").json(&body).answer().await.expect(201);
    let changes = [
        (
            format!("UPDATE accounts SET password_hash = '{}'", hash_of(NEW).await),
            (401, "wrong_credentials"),
        ),
        (
            "UPDATE accounts SET banned_at = '2026-11-22T12:00:00Z'".to_owned(),
            (403, "account_banned"),
        ),
    ];
    for (change, (status, code)) in changes {
        log_in_during(&app, &change).await.problem(status, code);
        assert_eq!(app.db().number("SELECT count(*) FROM sessions").await, 0, "{change}");
        let as_before = format!(
            "UPDATE accounts SET password_hash = '{}', banned_at = NULL",
            hash_of(OLD).await
        );
        app.sql(&as_before).await;
    }
    log_in(&app, OLD).await.expect(201);
}

#[tokio::test]
async fn replacing_a_hash_by_a_stronger_one_makes_no_log_in_fail() {
    let app = start().await;
    let body = json!({ "name": "ada", "password": OLD });
    app.post("/v1/accounts").json(&body).answer().await.expect(201);
    // Another log-in replaces the hash after this log-in has checked the old one.
    let rehash = format!("UPDATE accounts SET password_hash = '{}'", hash_of(OLD).await);
    log_in_during(&app, &rehash).await.expect(201);

    let weak = format!("UPDATE accounts SET password_hash = '{}'", weak_hash_of(OLD));
    for _ in 0..4 {
        app.sql(&weak).await;
        let answers = futures_util::future::join_all((0..6).map(|_| log_in(&app, OLD))).await;
        assert!(answers.iter().all(|answer| answer.status == 201));
        let hash = app.db().value("SELECT password_hash FROM accounts").await;
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
    }
}

/// What makes the old password unusable.
#[derive(Clone, Copy, Debug)]
enum Way {
    Changed,
    Recovered,
    Reset,
    Banned,
}

#[tokio::test]
async fn no_session_of_the_old_password_survives_the_change() {
    for way in [Way::Changed, Way::Recovered, Way::Reset, Way::Banned] {
        check_that_no_session_survives(way).await;
    }
}

async fn check_that_no_session_survives(way: Way) {
    let app = start().await;
    let admin = app.admin().await;
    let body = json!({ "name": "ada", "password": OLD });
    let account = app.post("/v1/accounts").json(&body).answer().await.expect(201);
    let ada = app.log_in("ada", OLD).await;
    let new_hash = hash_of(NEW).await;
    let (stop, begun) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let log_ins = || async {
        while !stop.load(Ordering::Relaxed) {
            let answer = log_in(&app, OLD).await;
            if answer.status == 201 {
                begun.lock().unwrap().push(answer.json()["refresh_token"].clone());
            }
        }
    };
    let change = async {
        // The change happens while the log-in loops run.
        while begun.lock().unwrap().len() < 4 {
            tokio::task::yield_now().await;
        }
        match way {
            Way::Changed => {
                let body = json!({ "current_password": OLD, "new_password": NEW });
                app.put("/v1/me/password").by(&ada).json(&body).answer().await.expect(204);
            }
            Way::Recovered => {
                let code = &account["recovery_codes"][0];
                let body = json!({ "name": "ada", "recovery_code": code, "new_password": NEW });
                app.post("/v1/accounts/recover").json(&body).answer().await.expect(204);
            }
            Way::Reset => {
                let id = AccountId(ada.id.parse().unwrap());
                let (operator, now) = (Operator::at_the_machine(), app.clock().now());
                app.store()
                    .transaction(async |conn| {
                        account_records::reset_password(conn, &operator, id, &new_hash, &[], now)
                            .await
                    })
                    .await
                    .unwrap();
            }
            Way::Banned => {
                let path = format!("/v1/accounts/{}", ada.id);
                let body = json!({ "banned": true });
                app.patch(&path).by(&admin).json(&body).answer().await.expect(200);
            }
        }
        stop.store(true, Ordering::Relaxed);
    };
    tokio::join!(change, log_ins(), log_ins(), log_ins(), log_ins());
    let begun = begun.into_inner().unwrap();
    assert!(begun.len() >= 4);
    for refresh_token in &begun {
        let body = json!({ "refresh_token": refresh_token });
        let answer = app.post("/v1/sessions/refresh").json(&body).answer().await;
        assert_eq!(answer.status, 401, "{way:?}: a session of the old password is still valid");
    }
}
