//! Names of accounts: what looks like another's is taken, and nobody learns which exist.

use cardscape::store::accounts::name_skeletons;
use serde_json::{Value, json};

use crate::support::{Answer, PASSWORD, RequestExt as _, TestApp, TestDb, Wiretap};

async fn register(app: &TestApp, name: &str) -> Answer {
    let body = json!({ "name": name, "password": PASSWORD });
    app.post("/v1/accounts").json(&body).answer().await
}

/// With Cyrillic, Greek and mathematical letters, and others that look alike.
const LIKE_SCOPE: [&str; 4] =
    ["sc\u{43E}pe", "\u{455}\u{441}\u{43E}\u{440}\u{435}", "\u{1D42C}cope", "SC0PE"];

#[tokio::test]
async fn names_that_look_like_another_in_other_scripts_are_taken() {
    let app = TestApp::start().await;
    register(&app, "Scope").await.expect(201);
    for name in LIKE_SCOPE {
        register(&app, name).await.problem(409, "name_taken");
    }
    for name in
        ["Scopes", "Skope", "\u{41E}\u{43B}\u{44C}\u{433}\u{430}", "\u{1F409}\u{1F409}\u{1F409}"]
    {
        register(&app, name).await.expect(201);
    }
    // Whoever logs in writes the own name, not one that looks like it.
    let body = json!({ "name": LIKE_SCOPE[0], "password": PASSWORD });
    app.post("/v1/sessions").json(&body).answer().await.problem(401, "wrong_credentials");
}

#[tokio::test]
async fn of_many_names_that_look_alike_one_is_registered() {
    let app = TestApp::start().await;
    let other = app.second_instance();
    let tries = (0..8).map(|n| register(if n % 2 == 0 { &app } else { &other }, LIKE_SCOPE[n % 4]));
    let answers = futures_util::future::join_all(tries).await;
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409, 409, 409, 409, 409, 409, 409]);
}

/// Accounts of a program that did not know of skeletons keep their names, and nobody new can be taken for them.
#[tokio::test]
async fn names_from_before_stay_and_are_protected() {
    let app = TestApp::start().await;
    register(&app, "Ada").await.expect(201);
    app.sql("UPDATE accounts SET name_skeleton = NULL").await;
    register(&app, "\u{410}da").await.expect(201);
    register(&app, "ben").await.expect(201);
    app.sql("UPDATE accounts SET name_skeleton = NULL").await;
    let (first, second) =
        tokio::join!(name_skeletons::fill_in(app.store()), name_skeletons::fill_in(app.store()));
    assert_eq!(first.unwrap() + second.unwrap(), 3);
    assert_eq!(name_skeletons::fill_in(app.store()).await.unwrap(), 0);
    for name in ["Ada", "\u{410}da", "ben"] {
        app.log_in(name, PASSWORD).await;
    }
    register(&app, "Ad\u{430}").await.problem(409, "name_taken");
    register(&app, "b\u{435}n").await.problem(409, "name_taken");
}

/// A log-in with a wrong password says the same to the database whether the name exists or not, and whether its owner was here before.
#[tokio::test]
async fn a_log_in_asks_the_same_for_known_and_unknown_names() {
    let db = std::sync::Arc::new(TestDb::create().await);
    let wiretap = Wiretap::start(&db.url()).await;
    let url = wiretap.url().to_owned();
    let app = TestApp::start_tuned(
        db,
        cardscape::domain::clock::Clock::system(),
        |settings| settings.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()],
        |store| store.url = url,
    );
    app.player("ada").await;
    let body = json!({ "name": "ada", "password": PASSWORD });
    let from_home = app.post("/v1/sessions").header("x-forwarded-for", "192.0.2.9").json(&body);
    from_home.answer().await.expect(201);
    let ask = async |name: &str, network: &str| -> Vec<String> {
        let body = json!({ "name": name, "password": "a wrong guess" });
        wiretap.heard(&[]);
        let request = app.post("/v1/sessions").header("x-forwarded-for", network).json(&body);
        request.answer().await.problem(401, "wrong_credentials");
        wiretap.heard(&["accounts", "sessions", "attempts", "BEGIN", "COMMIT"])
    };
    let unknown = ask("nobody", "192.0.2.1").await;
    assert_eq!(unknown.len(), 3, "the account, the network, the attempts: {unknown:?}");
    assert_eq!(ask("ada", "192.0.2.1").await, unknown, "a stranger");
    assert_eq!(ask("ada", "192.0.2.9").await, unknown, "from where the owner logged in");
    app.sql("UPDATE accounts SET banned_at = '2026-11-22T12:00:00Z'").await;
    assert_eq!(ask("ada", "192.0.2.1").await, unknown, "a banned account");
    assert_eq!(ask("", "192.0.2.1").await, unknown, "no name at all");
}

#[tokio::test]
async fn a_password_holds_no_name() {
    let app = TestApp::start().await;
    let body = json!({ "name": "Ada Lovelace", "password": "my.ADA lovelace.1815" });
    let refused = app.post("/v1/accounts").json(&body).answer().await.problem(422, "invalid_body");
    let fault =
        json!({ "pointer": "/password", "detail": "must not contain the name of the account" });
    assert_eq!(refused["errors"], Value::Array(vec![fault]));
    register(&app, "Ada Lovelace").await.expect(201);
    let ada = app.log_in("Ada Lovelace", PASSWORD).await;
    let change = json!({ "current_password": PASSWORD, "new_password": "adalovelace 1815" });
    let refused = app.put("/v1/me/password").by(&ada).json(&change).answer().await;
    assert_eq!(refused.problem(422, "invalid_body")["errors"][0]["pointer"], "/new_password");
}
