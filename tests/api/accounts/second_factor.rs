//! The second factor: begin, confirm, log in, switch off, remove.

use std::collections::BTreeSet;
use std::time::Duration as StdDuration;

use cardscape::auth::keys::KeyRing;
use cardscape::auth::permission::Operator;
use cardscape::domain::ids::AccountId;
use cardscape::store::StoreResult;
use cardscape::store::accounts::second_factors::{self, FactorRemoved};
use cardscape::store::operations::retention;
use chrono::Duration;
use serde_json::{Value, json};

use crate::support::{Answer, Device, Player, RequestExt as _, TestApp, fresh_path, next_step};

async fn state(app: &TestApp, player: &Player) -> Value {
    app.get("/v1/me/second-factor").by(player).answer().await.expect(200)
}

async fn prove(app: &TestApp, player: &Player, what: &str, password: &str, code: &str) -> Answer {
    let body = json!({ "current_password": password, "code": code });
    app.post(&format!("/v1/me/second-factor/{what}")).by(player).json(&body).answer().await
}

/// Actions of the audit log about an account, the oldest first.
async fn audited(app: &TestApp, player: &Player) -> Vec<String> {
    let query = format!(
        "SELECT string_agg(action, ' ' ORDER BY created_at, id) FROM audit_log WHERE target = 'account:{}'",
        player.id
    );
    app.db().value(&query).await.split_whitespace().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_second_factor_is_begun_confirmed_and_required_to_log_in() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let elsewhere = app.log_in_without(&ada).await.expect(201);
    let body = json!({ "name": "t", "scopes": ["decks:read"] });
    let token = app.post("/v1/tokens").by(&ada).json(&body).answer().await.expect(201);
    let off = json!({ "on": false, "required": false, "recovery_codes_left": 0 });
    assert_eq!(state(&app, &ada).await, off);

    // A stolen access token is not enough to begin a second factor.
    let wrong = json!({ "current_password": "a wrong guess" });
    let answer = app.post("/v1/me/second-factor").by(&ada).json(&wrong).answer().await;
    answer.problem(403, "wrong_password");
    app.confirm_second_factor(&ada, "123456").await.problem(409, "second_factor_not_begun");

    let forgotten = app.begin_second_factor(&ada).await;
    next_step(&app);
    let device = app.begin_second_factor(&ada).await;
    assert!(state(&app, &ada).await["pending_until"].is_string());
    app.log_in_without(&ada).await.expect(201);
    app.log_in_with(&ada, "123456").await.expect(201);
    for wrong in [&forgotten.code(&app), "", "12345", "7KQ2-X0FM-93TD-AW5G"] {
        app.confirm_second_factor(&ada, wrong).await.problem(403, "wrong_code");
    }
    assert_eq!(state(&app, &ada).await["on"], false);
    let first = device.code(&app);
    let confirmed = app.confirm_second_factor(&ada, &first).await.expect(200);
    let codes = confirmed["recovery_codes"].as_array().unwrap();
    let codes: BTreeSet<_> = codes.iter().map(|code| code.as_str().unwrap()).collect();
    assert_eq!(codes.len(), 8);
    let on = state(&app, &ada).await;
    assert_eq!((&on["on"], &on["recovery_codes_left"]), (&json!(true), &json!(8)));
    assert!(on["since"].is_string() && on.get("pending_until").is_none());
    assert_eq!(app.get("/v1/me").by(&ada).answer().await.expect(200)["second_factor"], true);
    app.confirm_second_factor(&ada, &first).await.problem(409, "second_factor_on");
    let again = json!({ "current_password": ada.password });
    let answer = app.post("/v1/me/second-factor").by(&ada).json(&again).answer().await;
    answer.problem(409, "second_factor_on");

    // Sessions and tokens from before the second factor end.
    let refresh = json!({ "refresh_token": elsewhere["refresh_token"] });
    app.post("/v1/sessions/refresh").json(&refresh).answer().await.problem(401, "invalid_token");
    let secret = token["secret"].as_str().unwrap();
    app.get("/v1/decks").bearer_auth(secret).answer().await.problem(401, "invalid_token");

    // The code that confirmed the second factor is used up.
    app.log_in_without(&ada).await.problem(401, "second_factor_required");
    app.log_in_with(&ada, " ").await.problem(401, "second_factor_required");
    app.log_in_with(&ada, &first).await.problem(401, "wrong_second_factor");
    next_step(&app);
    let guesser = Player { password: "a wrong guess".to_owned(), ..ada.clone() };
    let code = device.code(&app);
    app.log_in_without(&guesser).await.problem(401, "wrong_credentials");
    app.log_in_with(&guesser, &code).await.problem(401, "wrong_credentials");
    app.log_in_with(&ada, &format!("{} {}", &code[..3], &code[3..])).await.expect(201);
    assert_eq!(audited(&app, &ada).await, ["account.second_factor_on"]);
}

#[tokio::test]
async fn parallel_log_ins_can_use_each_code_once() {
    let app = TestApp::start_with_slow_hashes(|settings| {
        settings.attempt_limits = cardscape::domain::accounts::attempts::AttemptLimits::scaled(100);
    })
    .await;
    let other = app.second_instance_with(|settings| {
        settings.attempt_limits = cardscape::domain::accounts::attempts::AttemptLimits::scaled(100);
    });
    let ada = app.player("ada").await;
    let (device, codes) = app.enrol(&ada).await;
    for second_factor in [&device.code(&app), &codes[0]] {
        let tries = (0..12).map(|n| {
            let app = if n % 2 == 0 { &app } else { &other };
            app.log_in_with(&ada, second_factor)
        });
        let answers = futures_util::future::join_all(tries).await;
        let (accepted, refused): (Vec<_>, Vec<_>) =
            answers.into_iter().partition(|answer| answer.status == 201);
        assert_eq!(accepted.len(), 1, "{second_factor}");
        for answer in refused {
            answer.problem(401, "wrong_second_factor");
        }
    }
}

#[tokio::test]
async fn a_code_may_differ_by_one_step_but_not_be_older_than_an_accepted_code() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let (device, _) = app.enrol(&ada).await;
    next_step(&app);
    let at = |steps| device.code_at(&app, steps);
    for steps in [-2, 2, 3] {
        app.log_in_with(&ada, &at(steps)).await.problem(401, "wrong_second_factor");
    }
    app.log_in_with(&ada, &at(-1)).await.expect(201);
    app.log_in_with(&ada, &at(-1)).await.problem(401, "wrong_second_factor");
    app.log_in_with(&ada, &at(1)).await.expect(201);
    // This code is older than one that was accepted.
    app.log_in_with(&ada, &at(0)).await.problem(401, "wrong_second_factor");
}

#[tokio::test]
async fn recovery_codes_work_once_and_differ_from_those_of_the_password() {
    let app = TestApp::start().await;
    let body = json!({ "name": "ada", "password": "tram window sonnet" });
    let account = app.post("/v1/accounts").json(&body).answer().await.expect(201);
    let of_password = account["recovery_codes"][0].as_str().unwrap();
    let ada = app.log_in("ada", "tram window sonnet").await;
    let (device, codes) = app.enrol(&ada).await;
    app.log_in_with(&ada, of_password).await.problem(401, "wrong_second_factor");
    app.log_in_with(&ada, &codes[0].to_lowercase().replace('-', " ")).await.expect(201);
    app.log_in_with(&ada, &codes[0]).await.problem(401, "wrong_second_factor");
    assert_eq!(state(&app, &ada).await["recovery_codes_left"], 7);

    let replace = async |password: &str, code: &str| {
        prove(&app, &ada, "recovery-codes", password, code).await
    };
    let code = device.code(&app);
    replace("a wrong guess", &code).await.problem(403, "wrong_password");
    replace(&ada.password, "000000").await.problem(403, "wrong_code");
    let new = replace(&ada.password, &code).await.expect(201);
    app.log_in_with(&ada, &codes[1]).await.problem(401, "wrong_second_factor");
    let new: Vec<&str> = new["recovery_codes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|code| code.as_str().unwrap())
        .collect();
    app.log_in_with(&ada, new[0]).await.expect(201);
    replace(&ada.password, new[1]).await.expect(201);

    // A lost password is recovered with its own codes; the second factor stays on.
    let recovery = |code: &str| {
        let body =
            json!({ "name": "ada", "recovery_code": code, "new_password": "violet harbour lamp" });
        app.post("/v1/accounts/recover").json(&body).answer()
    };
    recovery(new[2]).await.problem(401, "wrong_recovery_code");
    recovery(of_password).await.expect(204);
    let ada = Player { password: "violet harbour lamp".to_owned(), ..ada };
    app.log_in_without(&ada).await.problem(401, "second_factor_required");
    next_step(&app);
    app.log_in_with(&ada, &device.code(&app)).await.expect(201);
    assert_eq!(
        audited(&app, &ada).await,
        [
            "account.second_factor_on",
            "account.second_factor_code_used",
            "account.second_factor_codes_replaced",
            "account.second_factor_code_used",
            "account.second_factor_code_used",
            "account.second_factor_codes_replaced",
            "account.recovered",
        ]
    );
}

#[tokio::test]
async fn switching_off_requires_the_password_and_a_code() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let off =
        async |password: &str, code: &str| prove(&app, &ada, "switch-off", password, code).await;
    off(&ada.password, "123456").await.problem(409, "second_factor_off");
    let (device, _) = app.enrol(&ada).await;
    let code = device.code(&app);
    off("a wrong guess", &code).await.problem(403, "wrong_password");
    off(&ada.password, "").await.problem(403, "wrong_code");
    off(&ada.password, &device.code_at(&app, -2)).await.problem(403, "wrong_code");
    app.log_in_with(&ada, &code).await.expect(201);
    off(&ada.password, &code).await.problem(403, "wrong_code");
    app.log_in_without(&ada).await.problem(401, "second_factor_required");
    next_step(&app);
    off(&ada.password, &device.code(&app)).await.expect(204);
    off(&ada.password, &device.code(&app)).await.problem(409, "second_factor_off");
    app.log_in_without(&ada).await.expect(201);
    // No data of the second factor is left, and a new one can be begun.
    let left =
        "SELECT (SELECT count(*) FROM second_factors) + (SELECT count(*) FROM second_factor_codes)";
    assert_eq!(app.db().number(left).await, 0);
    let (_, codes) = app.enrol(&ada).await;
    app.log_in_without(&ada).await.problem(401, "second_factor_required");
    off(&ada.password, &codes[7]).await.expect(204);
    app.log_in_without(&ada).await.expect(201);
}

#[tokio::test]
async fn an_admin_or_the_operator_can_remove_a_lost_second_factor() {
    let app = TestApp::start().await;
    let (admin, ada) = (app.admin().await, app.player("ada").await);
    let path = |player: &Player| format!("/v1/accounts/{}/second-factor", player.id);
    let remove = async |player: &Player| app.delete(&path(player)).by(&admin).answer().await;
    remove(&ada).await.problem(409, "second_factor_off");
    remove(&admin).await.problem(409, "own_account");
    let nobody = Player { id: "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11".to_owned(), ..ada.clone() };
    remove(&nobody).await.problem(404, "not_found");

    app.enrol(&ada).await;
    remove(&ada).await.expect(204);
    // Another person may have the device, with a session on it, so the sessions end.
    let refresh = json!({ "refresh_token": ada.refresh_token });
    app.post("/v1/sessions/refresh").json(&refresh).answer().await.problem(401, "invalid_token");
    let ada = app.log_in("ada", &ada.password).await;

    app.enrol(&ada).await;
    let (operator, now) = (Operator::at_the_machine(), app.clock().now());
    let id = AccountId(ada.id.parse().unwrap());
    let by_operator = async || -> StoreResult<FactorRemoved> {
        app.store()
            .transaction(async |conn| {
                second_factors::remove_by_operator(conn, &operator, id, now).await
            })
            .await
    };
    assert_eq!(by_operator().await.unwrap(), FactorRemoved::Yes);
    assert_eq!(by_operator().await.unwrap(), FactorRemoved::WasOff);
    app.log_in_without(&ada).await.expect(201);
    let actors = "SELECT string_agg(coalesce(actor_id::text, 'operator'), ' ' ORDER BY created_at) \
                  FROM audit_log WHERE action = 'account.second_factor_removed'";
    assert_eq!(app.db().value(actors).await, format!("{} operator", admin.id));
}

#[tokio::test]
async fn a_second_factor_that_is_not_confirmed_in_time_is_dropped() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let device = app.begin_second_factor(&ada).await;
    app.clock().advance(Duration::minutes(30));
    let ada = app.log_in("ada", &ada.password).await;
    let late = app.confirm_second_factor(&ada, &device.code(&app)).await;
    late.problem(409, "second_factor_not_begun");
    assert!(state(&app, &ada).await.get("pending_until").is_none());
    let (_, eve) = (app.log_in_without(&ada).await.expect(201), app.player("eve").await);
    app.enrol(&eve).await;
    app.clock().advance(Duration::days(2));
    retention::sweep(app.store(), app.clock().now()).await.unwrap();
    let kept = "SELECT string_agg(a.name, ' ') FROM second_factors f JOIN accounts a ON a.id = f.account_id";
    assert_eq!(app.db().value(kept).await, "eve", "a confirmed second factor is not deleted");
}

/// A log-in without a code that waits while a second factor is switched on is refused.
#[tokio::test]
async fn a_log_in_that_waits_for_a_second_factor_sees_it() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let sessions = app.db().number("SELECT count(*) FROM sessions").await;
    let other = app.db().session().await;
    other
        .batch_execute("BEGIN; UPDATE accounts SET second_factor_since = '2026-11-22T12:00:00Z'")
        .await
        .unwrap();
    let commit_when_awaited = async {
        let waiting = "SELECT count(*) FROM pg_stat_activity \
                       WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let waits = async { while app.db().number(waiting).await == 0 {} };
        let waited = tokio::time::timeout(StdDuration::from_secs(10), waits).await;
        waited.expect("the log-in waits for the other transaction");
        other.batch_execute("COMMIT").await.unwrap();
    };
    let (answer, ()) = tokio::join!(app.log_in_without(&ada), commit_when_awaited);
    answer.problem(401, "second_factor_required");
    assert_eq!(app.db().number("SELECT count(*) FROM sessions").await, sessions);
}

#[tokio::test]
async fn secrets_are_sealed_for_their_account() {
    let app = TestApp::start().await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    let body = json!({ "current_password": ada.password });
    let begun = app.post("/v1/me/second-factor").by(&ada).json(&body).answer().await.expect(201);
    let plain = begun["secret"].as_str().unwrap();
    let bytes = totp_rs::Secret::try_from_base32(plain).unwrap();
    let hex: String = bytes.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    // The factor with this secret is switched on: another request that begins a factor would replace the secret.
    let code = Device::read(&begun).code(&app);
    let confirmed = app.confirm_second_factor(&ada, &code).await.expect(200);
    let codes: Vec<&str> = confirmed["recovery_codes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|code| code.as_str().unwrap())
        .collect();
    let (of_eve, _) = app.enrol(&eve).await;
    for table in ["accounts", "second_factors", "second_factor_codes", "audit_log", "attempts"] {
        let rows = app.db().value(&format!("SELECT string_agg(t::text, ' ') FROM {table} t")).await;
        assert!(!rows.is_empty() || table == "attempts", "{table}");
        let bytes = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
        let bare = codes[0].replace('-', "");
        let texts = [plain, codes[0], &bare];
        for secret in
            texts.map(str::to_owned).into_iter().chain(texts.map(bytes)).chain([hex.clone()])
        {
            assert!(!rows.contains(&secret), "{table}");
        }
    }
    // An attacker with write access to the database replaces the secret of another account with the attacker's own.
    app.sql(&format!(
        "UPDATE second_factors f SET sealed = e.sealed, key_id = e.key_id FROM second_factors e \
         WHERE f.account_id = '{}' AND e.account_id = '{}'",
        ada.id, eve.id
    ))
    .await;
    app.log_in_with(&ada, &of_eve.code(&app)).await.problem(500, "internal");
    app.log_in_with(&eve, &of_eve.code(&app)).await.expect(201);
    app.log_in_with(&ada, codes[0]).await.expect(201);
}

/// The operator puts a new key first and keeps the old key until each secret that it encrypted has been used once more.
#[tokio::test]
async fn keys_of_second_factors_can_be_changed() {
    let app = TestApp::start().await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    let (of_ada, _) = app.enrol(&ada).await;
    let (of_eve, codes_of_eve) = app.enrol(&eve).await;
    let stored = |key: &cardscape::auth::keys::Key| {
        use base64::Engine as _;
        let secret = base64::engine::general_purpose::STANDARD.encode(key.secret());
        json!({ "id": key.id(), "secret": secret })
    };
    let ring = |lookups: Value| {
        let file = json!({
            "access_tokens": [stored(&app.keys().access_tokens()[0])],
            "serials": [stored(&app.keys().serials()[0])],
            "lookups": lookups,
            "second_factors": [{ "id": "new", "secret": "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=" }],
        });
        let path = fresh_path(".json");
        std::fs::write(&path, file.to_string()).unwrap();
        let mode = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o600);
        std::fs::set_permissions(&path, mode).unwrap();
        let ring = KeyRing::load(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        ring
    };
    // While the key file has no key for second factors, the service uses its key for lookups.
    let changed = app.second_instance_keyed(ring(stored(app.keys().sealing())));
    changed.log_in_with(&ada, &of_ada.code(&app)).await.expect(201);
    let keys = "SELECT string_agg(key_id, ' ' ORDER BY key_id = 'new') FROM second_factors";
    assert_eq!(app.db().value(keys).await, format!("{} new", app.keys().sealing().id()));

    let another =
        json!({ "id": "another", "secret": "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=" });
    let without_old = app.second_instance_keyed(ring(another));
    next_step(&app);
    without_old.log_in_with(&ada, &of_ada.code(&app)).await.expect(201);
    without_old.log_in_with(&eve, &of_eve.code(&app)).await.problem(500, "internal");
    without_old.log_in_with(&eve, &codes_of_eve[0]).await.expect(201);
}
