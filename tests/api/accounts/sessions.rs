//! Sessions: log in, refresh, log out, throttling.

use std::sync::Arc;
use std::time::{Duration as StdDuration, Instant};

use cardscape::app::accounts::sessions;
use cardscape::domain::clock::Clock;
use cardscape::store::StoreSettings;
use chrono::Duration;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Player, RequestExt as _, TestApp, TestDb, Wiretap, until};

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
    app.log_in_with(&ada, "123456").await.problem(403, "account_banned");
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

/// A client that disconnects at once must not keep the session for a thief.
#[tokio::test]
async fn a_reused_refresh_token_ends_its_session_also_if_its_request_is_broken_off() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    refresh(&app, &ada.refresh_token).await.expect(200);
    app.clock().advance(Duration::seconds(31));
    let mut holder = app.db().session().await;
    let lock = holder.transaction().await.unwrap();
    lock.query("SELECT FROM accounts FOR UPDATE", &[]).await.unwrap();
    let state = app.state();
    let mut request = Box::pin(sessions::refresh(&state, &ada.refresh_token));
    let waiting = "SELECT count(*) FROM pg_stat_activity \
                   WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let waits = until("it waits for the account", async |_| app.db().number(waiting).await == 1);
    tokio::select! {
        _ = &mut request => panic!("the account is locked"),
        () = waits => {}
    }
    drop(request);
    lock.commit().await.unwrap();
    let ended = "SELECT count(*) FROM sessions WHERE revoked_at IS NOT NULL";
    until("the session is ended", async |_| app.db().number(ended).await == 1).await;
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
    assert_eq!(app.db().number(RESERVED).await, 0, "all guesses are decided");
    // From this network the right password is throttled, too; 15 minutes later it is accepted.
    let right = json!({ "name": "ada", "password": ada.password });
    let throttled = app.post("/v1/sessions").json(&right).answer().await;
    assert!(throttled.header("retry-after").parse::<u32>().unwrap() > 2, "not only for a moment");
    throttled.problem(429, "login_throttled");
    app.clock().advance(Duration::minutes(15));
    app.post("/v1/sessions").json(&right).answer().await.expect(201);
}

/// The attempts at log-ins that are used, the reserved ones included, and the reserved ones of all attempts.
const USED: &str =
    "SELECT coalesce(sum(used), 0)::bigint FROM attempts WHERE scope = 'login_account_network'";
const RESERVED: &str = "SELECT coalesce(sum(reserved), 0)::bigint FROM attempts";

/// When the service asked last why a limit has too few units, in microseconds.
const ASKED_IN_VAIN: &str = "SELECT coalesce(max(extract(epoch FROM query_start) * 1000000), 0)::bigint FROM pg_stat_activity \
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE 'SELECT a.scope, a.subject_mac, a.used, %'";

/// The account has ten attempts from one network.
#[tokio::test]
async fn right_log_ins_at_once_do_not_lock_each_other_out() {
    let app = TestApp::start_with_slow_hashes(|_| {}).await;
    app.begin_window();
    let other = app.second_instance();
    let ada = app.player("ada").await;
    let right = json!({ "name": "ada", "password": ada.password });
    let log_ins = (0..14).map(|n| {
        let app = if n % 2 == 0 { &app } else { &other };
        app.post("/v1/sessions").json(&right).answer()
    });
    let answers = join_all(log_ins).await;
    let accepted = answers.iter().filter(|answer| answer.status == 201).count();
    assert!(accepted >= 10, "none is refused before ten others have an attempt: {accepted}");
    for answer in answers {
        if answer.status == 201 {
            continue;
        }
        // A slow machine does not check ten passwords within two seconds.
        assert_eq!(answer.header("retry-after"), "2");
        let refused = answer.problem(429, "login_throttled");
        assert!(refused["detail"].as_str().unwrap().contains("still being decided"), "{refused}");
    }
    assert_eq!(app.db().number(USED).await, 0);
    assert_eq!(app.db().number(RESERVED).await, 0);
    app.log_in("ada", &ada.password).await;
}

#[tokio::test]
async fn a_log_in_waits_a_moment_for_attempts_in_flight() {
    let tune = |store: &mut StoreSettings| store.pool_size = 30;
    let db = Arc::new(TestDb::create().await);
    let app = TestApp::start_tuned(db, Clock::system(), |_| {}, tune);
    app.begin_window();
    let ada = app.player("ada").await;
    let mut holder = app.db().session().await;
    let lock = holder.transaction().await.unwrap();
    lock.query("SELECT FROM accounts FOR NO KEY UPDATE", &[]).await.unwrap();
    let right = json!({ "name": "ada", "password": ada.password });
    let send = || {
        let request = app.post("/v1/sessions").json(&right);
        tokio::spawn(async move { request.answer().await })
    };
    let mut blocked = Vec::new();
    for n in 1..=10 {
        blocked.push(send());
        until("its attempt is reserved", async |_| app.db().number(USED).await == n).await;
    }

    // Nothing is decided for two seconds: the answer asks to try again, and does not accuse the owner.
    let sent = Instant::now();
    let refused = send().await.unwrap();
    assert!(sent.elapsed() >= StdDuration::from_secs(1), "it has waited");
    assert_eq!(refused.header("retry-after"), "2");
    let refused = refused.problem(429, "login_throttled");
    assert!(refused["detail"].as_str().unwrap().contains("still being decided"), "{refused}");

    let asked = app.db().number(ASKED_IN_VAIN).await;
    let waits = send();
    until("it asks in vain", async |_| app.db().number(ASKED_IN_VAIN).await > asked).await;
    assert!(!waits.is_finished(), "it waits");
    lock.commit().await.unwrap();
    waits.await.unwrap().expect(201);
    for answer in join_all(blocked).await {
        answer.unwrap().expect(201);
    }
    assert_eq!(app.db().number(USED).await, 0);
    assert_eq!(app.db().number(RESERVED).await, 0);
}

/// A lock that another transaction holds for too long fails log-ins and recoveries, which use up no attempt.
#[tokio::test]
async fn log_ins_that_time_out_use_up_no_attempt() {
    let tune = |store: &mut StoreSettings| {
        store.pool_size = 30;
        store.statement_timeout = StdDuration::from_secs(1);
    };
    let db = Arc::new(TestDb::create().await);
    let app = TestApp::start_tuned(db, Clock::system(), |_| {}, tune);
    app.begin_window();
    let ada = app.player("ada").await;
    let mut holder = app.db().session().await;
    let lock = holder.transaction().await.unwrap();
    lock.query("SELECT FROM accounts FOR NO KEY UPDATE", &[]).await.unwrap();
    let right = json!({ "name": "ada", "password": ada.password });
    let recovery = json!({ "name": "ada", "recovery_code": "7KQ2-X0FM-93TD-AW5G", "new_password": "violet lamp 7" });
    let answers = join_all((0..3).map(|_| app.post("/v1/sessions").json(&right).answer())).await;
    for answer in answers {
        answer.problem(503, "unavailable");
    }
    let used = "SELECT coalesce(sum(used + reserved), 0)::bigint FROM attempts WHERE scope <> 'register_network'";
    assert_eq!(app.db().number(used).await, 0);
    app.post("/v1/accounts/recover").json(&recovery).answer().await.problem(503, "unavailable");
    assert_eq!(app.db().number(used).await, 0);
    lock.commit().await.unwrap();
    app.post("/v1/sessions").json(&right).answer().await.expect(201);
}

/// The database refuses to give attempts back for a moment, as if no connection were free. Nobody whose password was right
/// loses one.
#[tokio::test]
async fn attempts_that_cannot_be_given_back_now_are_given_back_later() {
    let app = TestApp::start().await;
    app.begin_window();
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    app.enrol(&bob).await;
    let used =
        "SELECT coalesce(sum(used), 0)::bigint FROM attempts WHERE scope <> 'register_network'";
    assert_eq!(app.db().number(used).await, 0);
    app.sql(
        "CREATE FUNCTION refuse_release() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE lock_not_available; END $$; \
         CREATE TRIGGER refuse_release BEFORE UPDATE ON attempts FOR EACH ROW \
         WHEN (NEW.used < OLD.used) EXECUTE FUNCTION refuse_release()",
    )
    .await;
    // A session and the end of its attempt are one transaction.
    app.log_in_without(&ada).await.problem(503, "unavailable");
    app.log_in_without(&bob).await.problem(401, "second_factor_required");
    let password = json!({ "password": ada.password });
    app.post("/v1/me/recovery-codes").by(&ada).json(&password).answer().await.expect(200);
    app.begin_second_factor(&ada).await;
    let change = json!({ "current_password": ada.password, "new_password": "violet harbour lamp" });
    app.put("/v1/me/password").by(&ada).json(&change).answer().await.expect(204);
    assert!(app.db().number(used).await > 0);

    app.sql("DROP TRIGGER refuse_release ON attempts").await;
    app.shared().attempt_batches.finish().await;
    until("all attempts are given back", async |_| app.db().number(used).await == 0).await;
}

/// A request whose password was right waits for the return of its attempt only as long as it may wait for the database.
/// The attempt is returned without it.
#[tokio::test]
async fn a_right_password_does_not_wait_for_long_until_its_attempt_is_given_back() {
    let db = Arc::new(TestDb::create().await);
    let app = TestApp::start_on(db.clone(), Clock::system(), |_| {});
    app.begin_window();
    let bob = app.player("bob").await;
    app.enrol(&bob).await;
    app.sql(
        "CREATE FUNCTION delay_release() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         PERFORM pg_advisory_xact_lock_shared(4711); RETURN NEW; END $$; \
         CREATE TRIGGER delay_release BEFORE UPDATE ON attempts FOR EACH ROW \
         WHEN (NEW.used < OLD.used) EXECUTE FUNCTION delay_release()",
    )
    .await;
    let holder = app.db().session().await;
    holder.batch_execute("SELECT pg_advisory_lock(4711)").await.unwrap();
    // A statement may wait for longer than a request takes.
    let impatient = TestApp::start_tuned(
        db,
        app.clock().clone(),
        |settings| settings.request_timeout = StdDuration::from_secs(10),
        |store| store.request_budget = StdDuration::from_secs(3),
    );
    impatient.log_in_without(&bob).await.problem(401, "second_factor_required");
    assert!(app.db().number(USED).await > 0, "it did not wait until the attempt was given back");
    holder.batch_execute("SELECT pg_advisory_unlock(4711)").await.unwrap();
    until("the attempt is given back", async |_| app.db().number(USED).await == 0).await;
}

/// A ban says nothing about the password, so the owner can log in as soon as it ends.
#[tokio::test]
async fn right_passwords_of_a_banned_account_use_up_no_attempts() {
    let app = TestApp::start().await;
    app.begin_window();
    let ada = app.player("ada").await;
    app.sql("UPDATE accounts SET banned_at = created_at").await;
    let right = json!({ "name": "ada", "password": ada.password });
    for _ in 0..12 {
        app.post("/v1/sessions").json(&right).answer().await.problem(403, "account_banned");
    }
    assert_eq!(app.db().number(USED).await, 0);
    let help = app.get("/problems/account_banned").answer().await.expect(200);
    assert!(!help["what_to_do"].as_str().unwrap().contains("attempt"), "{help}");
    app.sql("UPDATE accounts SET banned_at = NULL").await;
    app.post("/v1/sessions").json(&right).answer().await.expect(201);
}

/// Other active sessions of the account of a player. All were used before today, the one of the player least recently.
async fn add_sessions(app: &TestApp, player: &Player, count: u32) {
    let account = &player.id;
    app.sql(&format!(
        "UPDATE sessions SET last_used_at = last_used_at - interval '2 days' WHERE account_id = '{account}'; \
         INSERT INTO sessions (id, account_id, network_mac, generation, created_at, last_used_at, expires_at) \
         SELECT gen_random_uuid(), s.account_id, s.network_mac, 1, s.created_at, s.last_used_at + n * interval '1 minute', s.expires_at \
         FROM sessions s, generate_series(1, {count}) AS n WHERE s.account_id = '{account}'"
    ))
    .await;
}

async fn list_sessions(app: &TestApp, player: &Player) -> Vec<Value> {
    let sessions = app.get("/v1/sessions").by(player).answer().await.expect(200);
    sessions["data"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_further_log_in_ends_the_session_that_was_used_least_recently() {
    let app = TestApp::start().await;
    let other = app.second_instance();
    let ada = app.player("ada").await;
    other.get("/v1/me").by(&ada).answer().await.expect(200);
    add_sessions(&app, &ada, 199).await;
    assert_eq!(list_sessions(&app, &ada).await.len(), 200);
    let again = app.log_in("ada", &ada.password).await;
    app.get("/v1/me").by(&ada).answer().await.problem(401, "invalid_token");
    wait_until_rejected(&other, &ada).await;
    refresh(&app, &ada.refresh_token).await.problem(401, "invalid_token");
    assert_eq!(list_sessions(&app, &again).await.len(), 200);
    let stranger = app.player("eve").await;
    assert_eq!(list_sessions(&app, &stranger).await.len(), 1);
}

/// An older version of the service limits nothing.
#[tokio::test]
async fn all_sessions_of_an_account_are_listed_and_log_ins_at_once_leave_200() {
    let app = TestApp::start().await;
    let other = app.second_instance();
    let ada = app.player("ada").await;
    add_sessions(&app, &ada, 204).await;
    assert_eq!(list_sessions(&app, &ada).await.len(), 205);
    let log_ins = (0..6).map(|n| {
        let app = if n % 2 == 0 { &app } else { &other };
        app.log_in("ada", &ada.password)
    });
    let begun = join_all(log_ins).await;
    let listed = list_sessions(&app, &begun[0]).await;
    assert_eq!(listed.len(), 200);
    assert!(listed.iter().all(|session| session["is_browser"] == false));
}

#[tokio::test]
async fn a_log_in_ends_at_most_200_sessions() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    add_sessions(&app, &ada, 1_300).await;
    assert_eq!(list_sessions(&app, &ada).await.len(), 1_000);
    let active = "SELECT count(*) FROM sessions WHERE revoked_at IS NULL";
    for left in [1_102, 903, 704, 505, 306, 200, 200] {
        app.log_in("ada", &ada.password).await;
        assert_eq!(app.db().number(active).await, left);
    }
}

/// A script that logs in every few seconds leaves very many ended sessions, which are kept for a month, and so are revoked tokens. Statements that need only the
/// others do not read them.
#[tokio::test]
async fn ended_sessions_and_tokens_are_not_read() {
    let db = Arc::new(TestDb::create().await);
    let wiretap = Wiretap::start(&db.url()).await;
    let url = wiretap.url().to_owned();
    let app = TestApp::start_tuned(db, Clock::system(), |_| {}, |store| store.url = url);
    let ada = app.player("ada").await;
    app.sql(&format!(
        "INSERT INTO sessions (id, account_id, network_mac, generation, created_at, last_used_at, expires_at, revoked_at, revoked_reason) \
         SELECT gen_random_uuid(), account_id, network_mac, 1, created_at, last_used_at, expires_at, created_at, 'logout' \
         FROM sessions, generate_series(1, 2000); \
         INSERT INTO personal_access_tokens (id, account_id, name, token_hash, scopes, created_at, expires_at, revoked_at) \
         SELECT gen_random_uuid(), '{}', 't', sha256(n::text::bytea), '{{decks:read}}', now(), now() + interval '1 day', now() \
         FROM generate_series(1, 2000) AS n; \
         ANALYZE sessions, personal_access_tokens, accounts",
        ada.id
    ))
    .await;
    wiretap.take_statements(&[]);
    let ada = app.log_in("ada", &ada.password).await;
    assert_eq!(list_sessions(&app, &ada).await.len(), 2);
    let body = json!({ "name": "t", "scopes": ["decks:read"] });
    app.post("/v1/tokens").by(&ada).json(&body).answer().await.expect(201);
    let tokens = app.get("/v1/tokens").by(&ada).answer().await.expect(200);
    assert_eq!(tokens["data"].as_array().unwrap().len(), 1);
    let body = json!({ "current_password": ada.password, "new_password": "lamp willow thunder" });
    app.put("/v1/me/password").by(&ada).json(&body).answer().await.expect(204);

    let mut statements = wiretap.take_statements(&["account_id = $", "account_id\" = $"]);
    statements.retain(|statement| statement.contains("IS NULL"));
    // Of the log-in, both lists, the new token, and two of the new password.
    assert_eq!(statements.len(), 6, "{statements:#?}");
    let session = app.db().session().await;
    session.batch_execute("SET plan_cache_mode = force_generic_plan").await.unwrap();
    for statement in &statements {
        session.batch_execute(&format!("PREPARE asked AS {statement}")).await.unwrap();
        let is_parameter = |n: &usize| statement.contains(&format!("${n}"));
        let values = vec!["NULL"; (1..100).take_while(is_parameter).count()].join(", ");
        let rows = session.query(&format!("EXPLAIN EXECUTE asked ({values})"), &[]).await.unwrap();
        session.batch_execute("DEALLOCATE asked").await.unwrap();
        let plan: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        let plan = plan.join("\n");
        assert!(plan.contains("s_open"), "{statement}: {plan}");
        for part in ["s_account", "Seq Scan on sessions", "Seq Scan on personal_access_tokens"] {
            assert!(!plan.contains(part), "{part}: {statement}: {plan}");
        }
    }
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
    let recovery = json!({ "name": "ada", "recovery_code": "7KQ2-X0FM-93TD-AW5G", "new_password": "violet harbour lamp" });
    app.post("/v1/accounts/recover").json(&recovery).answer().await.problem(503, "unavailable");
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
