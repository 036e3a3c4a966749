//! Recovery codes: new codes make the old codes invalid.

use cardscape::auth::permission::Operator;
use cardscape::auth::secret::RecoveryCode;
use cardscape::domain::ids::AccountId;
use cardscape::store::accounts::account_records;
use chrono::Duration;
use serde_json::{Value, json};

use crate::support::{Answer, PASSWORD, Player, Program, RequestExt as _, TestApp, run, text};

const NEW: &str = "violet harbour lamp";

/// A player with the codes from the registration.
async fn registered(app: &TestApp) -> (Player, Vec<Value>) {
    let body = json!({ "name": "ada", "password": PASSWORD });
    let account = app.post("/v1/accounts").json(&body).answer().await.expect(201);
    (app.log_in("ada", PASSWORD).await, codes(&account))
}

#[track_caller]
fn codes(answer: &Value) -> Vec<Value> {
    let codes = answer["recovery_codes"].as_array().unwrap().clone();
    assert_eq!(codes.len(), 8);
    codes
}

async fn recover(app: &TestApp, code: &Value) -> Answer {
    let body = json!({ "name": "ada", "recovery_code": code, "new_password": NEW });
    app.post("/v1/accounts/recover").json(&body).answer().await
}

async fn replace(app: &TestApp, by: &Player, password: &str) -> Answer {
    app.post("/v1/me/recovery-codes").by(by).json(&json!({ "password": password })).answer().await
}

#[tokio::test]
async fn new_codes_replace_the_old_ones() {
    let app = TestApp::start().await;
    let (ada, old) = registered(&app).await;
    replace(&app, &ada, "wrong").await.problem(403, "wrong_password");
    let answer = replace(&app, &ada, PASSWORD).await;
    assert_eq!(answer.header("cache-control"), "no-store");
    let new = codes(&answer.expect(200));
    assert!(new.iter().all(|code| !old.contains(code)));
    recover(&app, &old[0]).await.problem(401, "wrong_recovery_code");
    recover(&app, &new[0]).await.expect(204);
    let actions = "SELECT string_agg(action, ', ' ORDER BY id) FROM audit_log";
    let actions = app.db().value(actions).await;
    assert_eq!(actions, "account.recovery_codes_replaced, account.recovered");
    let stored = app.db().value("SELECT string_agg(t::text, ' ') FROM recovery_codes t").await;
    let digits = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let plain = new[1].as_str().unwrap();
    let hash = format!("sha256('{plain}')");
    let hash = app.db().value(&format!("encode({hash}, 'hex')")).await;
    assert!(stored.contains(&hash), "the hash of the code is stored: {stored}");
    for code in [plain.to_owned(), plain.replace('-', "")] {
        assert!(!stored.contains(&code) && !stored.contains(&digits(code.as_bytes())), "{stored}");
    }
}

#[tokio::test]
async fn a_password_change_replaces_recovery_codes_if_requested() {
    let app = TestApp::start().await;
    let (ada, old) = registered(&app).await;
    let change = async |from: &str, to: &str, replace: Option<bool>| {
        let mut body = json!({ "current_password": from, "new_password": to });
        if let Some(replace) = replace {
            body["replace_recovery_codes"] = replace.into();
        }
        app.put("/v1/me/password").by(&ada).json(&body).answer().await
    };
    let stored = "SELECT string_agg(t::text, ' ' ORDER BY t::text) FROM recovery_codes t";
    let before = app.db().value(stored).await;
    assert_eq!(change(PASSWORD, NEW, None).await.expect(204), Value::Null);
    change(NEW, PASSWORD, Some(false)).await.expect(204);
    assert_eq!(app.db().value(stored).await, before, "the codes stay valid");
    let answer = change(PASSWORD, NEW, Some(true)).await;
    assert_eq!(answer.header("cache-control"), "no-store");
    let new = codes(&answer.expect(200));
    recover(&app, &old[0]).await.problem(401, "wrong_recovery_code");
    recover(&app, &new[0]).await.expect(204);
}

#[tokio::test]
async fn a_password_reset_replaces_recovery_codes() {
    let app = TestApp::start().await;
    let (ada, old) = registered(&app).await;
    let hash = app.db().value("SELECT password_hash FROM accounts").await;
    let (codes, hashes) = RecoveryCode::generate_all();
    let (operator, now) = (Operator::at_the_machine(), app.clock().now());
    let id = AccountId(ada.id.parse().unwrap());
    app.store()
        .transaction(async |conn| {
            account_records::reset_password(conn, &operator, id, &hash, &hashes, now).await
        })
        .await
        .unwrap();
    recover(&app, &old[0]).await.problem(401, "wrong_recovery_code");
    recover(&app, &codes[0].reveal().into()).await.expect(204);
}

#[tokio::test]
async fn the_command_line_shows_new_recovery_codes() {
    let app = TestApp::start().await;
    let program = Program::new(&app);
    let shown = async |arguments: &[&str]| {
        let output = run(program.command(arguments)).await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let printed = String::from_utf8(output.stdout).unwrap();
        let codes = printed.lines().filter_map(|line| line.strip_prefix("recovery code: "));
        let codes: Vec<Value> = codes.map(Value::from).collect();
        assert_eq!(codes.len(), 8, "{printed}");
        codes
    };
    let created = shown(&["admin", "create", "ada"]).await;
    let reset = shown(&["admin", "reset-password", "ada"]).await;
    recover(&app, &created[0]).await.problem(401, "wrong_recovery_code");
    recover(&app, &reset[0]).await.expect(204);
    app.log_in("ada", NEW).await;
}

/// A session has ten attempts an hour.
#[tokio::test]
async fn right_passwords_at_once_do_not_lock_each_other_out() {
    let app = TestApp::start_with_slow_hashes(|_| {}).await;
    app.begin_window();
    let other = app.second_instance();
    let ada = app.player("ada").await;
    let sent = (0..14).map(|n| replace(if n % 2 == 0 { &app } else { &other }, &ada, PASSWORD));
    let answers = futures_util::future::join_all(sent).await;
    let accepted = answers.iter().filter(|answer| answer.status == 200).count();
    assert!(accepted >= 10, "none is refused before ten others have an attempt: {accepted}");
    for answer in answers {
        if answer.status >= 400 {
            // A slow machine does not check ten passwords within two seconds.
            assert_eq!(answer.header("retry-after"), "2");
            let refused = answer.problem(429, "login_throttled");
            let detail = refused["detail"].as_str().unwrap();
            assert!(detail.contains("still being decided"), "{refused}");
        }
    }
    let left = "SELECT coalesce(sum(used + reserved), 0)::bigint FROM attempts WHERE scope = 'password_session'";
    assert_eq!(app.db().number(left).await, 0);
}

/// Password guesses with a stolen access token are limited, and the owner can still log in.
#[tokio::test]
async fn guesses_with_a_stolen_access_token_cost_the_owner_no_attempts() {
    let app = TestApp::start().await;
    app.begin_window();
    let stolen = app.player("ada").await;
    let guess = json!({ "current_password": "a wrong guess", "new_password": NEW });
    for _ in 0..5 {
        let answer = app.put("/v1/me/password").by(&stolen).json(&guess).answer().await;
        answer.problem(403, "wrong_password");
        replace(&app, &stolen, "a wrong guess").await.problem(403, "wrong_password");
    }
    let answer = app.put("/v1/me/password").by(&stolen).json(&guess).answer().await;
    assert!(!answer.header("retry-after").is_empty());
    answer.problem(429, "login_throttled");
    replace(&app, &stolen, PASSWORD).await.problem(429, "login_throttled");

    let owner = app.log_in("ada", PASSWORD).await;
    let change = json!({ "current_password": PASSWORD, "new_password": NEW });
    app.put("/v1/me/password").by(&owner).json(&change).answer().await.expect(204);
    app.clock().advance(Duration::hours(1));
    app.put("/v1/me/password")
        .by(&stolen)
        .json(&guess)
        .answer()
        .await
        .problem(401, "invalid_token");
}

/// A stored value that the service does not know is an internal error. The service never replaces it by another value.
#[tokio::test]
async fn an_unknown_stored_scope_role_or_setting_is_an_internal_error() {
    let app =
        TestApp::start_with(|settings| settings.identity_ttl = std::time::Duration::ZERO).await;
    let admin = app.admin().await;
    let ada = app.player("ada").await;
    let body = json!({ "name": "t", "scopes": ["catalogue:read"] });
    let token = app.post("/v1/tokens").by(&ada).json(&body).answer().await.expect(201);
    let secret = text(&token, "secret");
    app.get("/v1/cards").bearer_auth(&secret).answer().await.expect(200);
    app.sql("UPDATE personal_access_tokens SET scopes = '{catalogue:read,catalogue:dream}'").await;
    app.get("/v1/cards").bearer_auth(&secret).answer().await.problem(500, "internal");

    let path = format!("/v1/accounts/{}", ada.id);
    app.sql(&format!(
        "ALTER TABLE accounts DROP CONSTRAINT accounts_role_check, DROP CONSTRAINT accounts_trading_check; \
         UPDATE accounts SET role = 'owner' WHERE id = '{}'",
        ada.id
    ))
    .await;
    app.get("/v1/me").by(&ada).answer().await.problem(500, "internal");
    app.get(&path).by(&admin).answer().await.problem(500, "internal");
    let change = app.patch(&path).by(&admin).json(&json!({ "banned": true }));
    change.answer().await.problem(500, "internal");
    app.sql("UPDATE accounts SET role = 'player', trading = 'sometimes' WHERE role = 'owner'")
        .await;
    app.get(&path).by(&admin).answer().await.problem(500, "internal");
}
