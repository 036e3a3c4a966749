//! Accounts: register, recover, change.

use cardscape::auth::permission::Role;
use serde_json::{Value, json};

use crate::support::{RequestExt as _, TestApp};

fn registration(name: &str, password: &str) -> Value {
    json!({ "name": name, "password": password })
}

#[tokio::test]
async fn a_player_registers_and_logs_in() {
    let app = TestApp::start().await;
    let answer =
        app.post("/v1/accounts").json(&registration(" Ada ", "tram window sonnet")).answer().await;
    let location = answer.header("location");
    assert_eq!(answer.header("cache-control"), "no-store");
    let account = answer.expect(201);
    assert_eq!((&account["name"], &account["role"]), (&json!("Ada"), &json!("player")));
    assert_eq!(account["recovery_codes"].as_array().unwrap().len(), 8);
    let ada = app.log_in("ADA", "tram window sonnet").await;
    assert_eq!(location, "/v1/me");
    let me = app.get(&location).by(&ada).answer().await.expect(200);
    assert_eq!(me["id"], account["id"]);
    assert!(me.get("recovery_codes").is_none(), "recovery codes are shown only once");
}

#[tokio::test]
async fn all_errors_of_a_registration_are_reported_at_once() {
    let app = TestApp::start().await;
    let problem = app.post("/v1/accounts").json(&registration("x", "short")).answer().await;
    let problem = problem.problem(422, "invalid_body");
    let pointers: Vec<&str> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["pointer"].as_str().unwrap())
        .collect();
    assert_eq!(pointers, ["/name", "/password"]);
}

#[tokio::test]
async fn names_that_differ_only_in_case_separators_or_width_are_taken() {
    let app = TestApp::start().await;
    app.player("Ada Lovelace").await;
    for name in ["ada lovelace", "ADA-LOVELACE", "ada.lovelace", "Ａda Lovelace"] {
        let answer =
            app.post("/v1/accounts").json(&registration(name, "tram window sonnet")).answer().await;
        answer.problem(409, "name_taken");
    }
}

#[tokio::test]
async fn only_one_of_many_parallel_registrations_gets_a_name() {
    let app = TestApp::start().await;
    let body = registration("contested", "tram window sonnet");
    let tries = (0..8).map(|_| app.post("/v1/accounts").json(&body).answer());
    let answers = futures_util::future::join_all(tries).await;
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409, 409, 409, 409, 409, 409, 409]);
}

#[tokio::test]
async fn registrations_from_one_network_are_limited() {
    let app = TestApp::start().await;
    app.begin_window();
    for n in 0..30 {
        let body = registration("taken name", "tram window sonnet");
        let status = app.post("/v1/accounts").json(&body).answer().await.status;
        assert_eq!(status, if n == 0 { 201 } else { 409 });
    }
    let answer =
        app.post("/v1/accounts").json(&registration("late", "tram window sonnet")).answer().await;
    assert!(!answer.header("retry-after").is_empty());
    answer.problem(429, "registration_throttled");
}

/// The database refuses new accounts for a moment, so that nothing is decided about the name.
#[tokio::test]
async fn registrations_that_fail_use_up_no_attempts() {
    let app = TestApp::start().await;
    app.begin_window();
    app.sql(
        "CREATE FUNCTION refuse_account() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE lock_not_available; END $$; \
         CREATE TRIGGER refuse_account BEFORE INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION refuse_account()",
    )
    .await;
    let register = async || {
        let body = registration("ada", "tram window sonnet");
        app.post("/v1/accounts").json(&body).answer().await
    };
    let used = "SELECT max(used)::bigint FROM attempts WHERE scope = 'register_network'";
    register().await.problem(503, "unavailable");
    assert_eq!(app.db().number(used).await, 0);
    app.sql("DROP TRIGGER refuse_account ON accounts").await;
    register().await.expect(201);
    register().await.problem(409, "name_taken");
    assert_eq!(app.db().number(used).await, 2);
}

#[tokio::test]
async fn a_recovery_code_works_once_and_ends_all_sessions() {
    let app = TestApp::start().await;
    let body = registration("ada", "tram window sonnet");
    let account = app.post("/v1/accounts").json(&body).answer().await.expect(201);
    let before = app.log_in("ada", "tram window sonnet").await;
    let code = account["recovery_codes"][3].as_str().unwrap().to_lowercase();
    let recovery = |code: &str| json!({ "name": "Ada", "recovery_code": code, "new_password": "violet harbour lamp" });
    app.post("/v1/accounts/recover")
        .json(&recovery("0000-0000"))
        .answer()
        .await
        .problem(401, "wrong_recovery_code");
    app.post("/v1/accounts/recover").json(&recovery(&code)).answer().await.expect(204);
    app.post("/v1/accounts/recover")
        .json(&recovery(&code))
        .answer()
        .await
        .problem(401, "wrong_recovery_code");
    let refresh = json!({ "refresh_token": before.refresh_token });
    app.post("/v1/sessions/refresh").json(&refresh).answer().await.problem(401, "invalid_token");
    app.forget_identities().await;
    app.get("/v1/me").by(&before).answer().await.problem(401, "invalid_token");
    let old = json!({ "name": "ada", "password": "tram window sonnet" });
    app.post("/v1/sessions").json(&old).answer().await.problem(401, "wrong_credentials");
    app.log_in("ada", "violet harbour lamp").await;
    let unknown =
        json!({ "name": "nobody", "recovery_code": code, "new_password": "violet harbour lamp" });
    app.post("/v1/accounts/recover")
        .json(&unknown)
        .answer()
        .await
        .problem(401, "wrong_recovery_code");
}

#[tokio::test]
async fn recovery_codes_cannot_be_guessed_in_bulk() {
    let app = TestApp::start().await;
    app.begin_window();
    app.player("ada").await;
    let guess =
        json!({ "name": "ada", "recovery_code": "0000", "new_password": "violet harbour lamp" });
    for _ in 0..10 {
        app.post("/v1/accounts/recover")
            .json(&guess)
            .answer()
            .await
            .problem(401, "wrong_recovery_code");
    }
    let reserved = "SELECT coalesce(sum(reserved), 0)::bigint FROM attempts";
    assert_eq!(app.db().number(reserved).await, 0, "all guesses are decided");
    app.post("/v1/accounts/recover").json(&guess).answer().await.problem(429, "login_throttled");
}

#[tokio::test]
async fn a_new_password_differs_from_the_current_one() {
    let app = TestApp::start().await;
    app.created_by_operator("boss", Role::Admin, "first password").await;
    let boss = app.log_in("boss", "first password").await;
    let change = |new: &str| json!({ "current_password": "first password", "new_password": new });
    let same = change("first password");
    let refused = app.put("/v1/me/password").by(&boss).json(&same).answer().await;
    let fault = &refused.problem(422, "invalid_body")["errors"][0];
    assert_eq!(fault["pointer"], "/new_password");
    assert_eq!(fault["detail"], "must differ from the current one");
    let due = app.get("/v1/tokens").by(&boss).answer().await;
    due.problem(403, "password_change_due");
    let other = change("violet harbour lamp");
    app.put("/v1/me/password").by(&boss).json(&other).answer().await.expect(204);
}

#[tokio::test]
async fn changing_the_password_ends_the_other_sessions() {
    let app = TestApp::start().await;
    let phone = app.player("ada").await;
    let laptop = app.log_in("ada", &phone.password).await;
    let change =
        |old: &str| json!({ "current_password": old, "new_password": "violet harbour lamp" });
    app.put("/v1/me/password")
        .by(&laptop)
        .json(&change("wrong"))
        .answer()
        .await
        .problem(403, "wrong_password");
    app.put("/v1/me/password")
        .by(&laptop)
        .json(&change(&phone.password))
        .answer()
        .await
        .expect(204);
    let refresh = |token: &str| json!({ "refresh_token": token });
    app.post("/v1/sessions/refresh")
        .json(&refresh(&laptop.refresh_token))
        .answer()
        .await
        .expect(200);
    let ended =
        app.post("/v1/sessions/refresh").json(&refresh(&phone.refresh_token)).answer().await;
    ended.problem(401, "invalid_token");
    app.forget_identities().await;
    app.get("/v1/me").by(&phone).answer().await.problem(401, "invalid_token");
    app.get("/v1/me").by(&laptop).answer().await.expect(200);
    let old = json!({ "name": "ada", "password": phone.password });
    app.post("/v1/sessions").json(&old).answer().await.problem(401, "wrong_credentials");
    app.log_in("ada", "violet harbour lamp").await;
}

#[tokio::test]
async fn role_changes_and_bans_by_an_admin_are_in_the_audit_log() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let player = app.player("ada").await;
    let path = format!("/v1/accounts/{}", player.id);
    let changed = app
        .patch(&path)
        .by(&admin)
        .json(&json!({ "role": "moderator" }))
        .answer()
        .await
        .expect(200);
    assert_eq!(changed["role"], "moderator");
    let again = app.log_in("ada", &player.password).await;
    assert_eq!(app.get(&path).by(&again).answer().await.expect(200)["role"], "moderator");

    app.patch(&path).by(&admin).json(&json!({ "banned": true })).answer().await.expect(200);
    let body = json!({ "name": "ada", "password": player.password });
    app.post("/v1/sessions").json(&body).answer().await.problem(403, "account_banned");
    app.patch(&path).by(&admin).json(&json!({ "banned": false })).answer().await.expect(200);
    app.post("/v1/sessions").json(&body).answer().await.expect(201);

    app.patch(&path)
        .by(&admin)
        .json(&json!({ "role": "king" }))
        .answer()
        .await
        .problem(422, "invalid_body");
    let own = format!("/v1/accounts/{}", admin.id);
    app.patch(&own)
        .by(&admin)
        .json(&json!({ "role": "player" }))
        .answer()
        .await
        .problem(409, "own_account");
    let log = app.get("/v1/audit-log?limit=2").by(&admin).answer().await;
    assert!(log.header("link").contains("rel=\"next\""));
    let log = log.expect(200);
    assert_eq!(log["data"][0]["action"], "account.changed");
    assert_eq!(log["data"][0]["actor_id"], json!(admin.id));
    let next = format!("/v1/audit-log?limit=200&cursor={}", log["next_cursor"].as_str().unwrap());
    let rest = app.get(&next).by(&admin).answer().await.expect(200);
    assert_eq!(rest["data"][0]["action"], "account.changed");
    assert!(rest.get("next_cursor").is_none());

    // Each change has one entry with its values, and the refused changes have none.
    let log = app.get("/v1/audit-log?action=account.changed").by(&admin).answer().await.expect(200);
    let entries: Vec<Value> = log["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            let details = &entry["details"];
            json!([entry["actor_id"], entry["target"], details["role"], details["banned"]])
        })
        .collect();
    let change = |(old_role, new_role): (&str, &str), (was_banned, is_banned): (bool, bool)| {
        json!([
            admin.id,
            format!("account:{}", player.id),
            { "from": old_role, "to": new_role },
            { "from": was_banned, "to": is_banned },
        ])
    };
    let unchanged = ("moderator", "moderator");
    assert_eq!(
        entries,
        [
            change(unchanged, (true, false)),
            change(unchanged, (false, true)),
            change(("player", "moderator"), (false, false)),
        ]
    );
}

/// The database contains no password, token or recovery code in plain text.
#[tokio::test]
async fn no_secret_is_stored_in_plain() {
    let app = TestApp::start().await;
    let body = registration("ada", "tram window sonnet");
    let account = app.post("/v1/accounts").json(&body).answer().await.expect(201);
    let ada = app.log_in("ada", "tram window sonnet").await;
    let created = app
        .post("/v1/tokens")
        .by(&ada)
        .header("idempotency-key", "k1")
        .json(&json!({ "name": "t", "scopes": ["decks:read"] }))
        .answer()
        .await
        .expect(201);
    let secrets = [
        "tram window sonnet",
        account["recovery_codes"][0].as_str().unwrap(),
        created["secret"].as_str().unwrap(),
        &ada.refresh_token,
        &ada.access_token,
    ];
    let tables = [
        "accounts",
        "recovery_codes",
        "sessions",
        "refresh_tokens",
        "personal_access_tokens",
        "idempotency_keys",
    ];
    for table in tables {
        let rows = app.db().value(&format!("SELECT string_agg(t::text, ' ') FROM {table} t")).await;
        assert!(!rows.is_empty(), "{table}");
        for secret in secrets {
            // Columns of bytes are shown in hexadecimal digits.
            let digits: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
            assert!(!rows.contains(secret), "{secret} is stored in {table}");
            assert!(!rows.contains(&digits), "{secret} is stored in {table}, as bytes");
        }
    }
}
