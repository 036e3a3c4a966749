//! Personal access tokens.

use cardscape::auth::permission::Scope;
use chrono::Duration;
use serde_json::{Value, json};

use crate::support::{Player, RequestExt as _, TestApp};

async fn create_token(app: &TestApp, owner: &Player, key: &str) -> crate::support::Answer {
    app.post("/v1/tokens")
        .by(owner)
        .header("idempotency-key", key)
        .json(&json!({ "name": "deck sync", "scopes": ["decks:read", "decks:read"] }))
        .answer()
        .await
}

#[tokio::test]
async fn a_token_is_shown_once_listed_and_revoked() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let created = create_token(&app, &ada, "first").await.expect(201);
    assert_eq!(created["scopes"], json!(["decks:read"]));
    assert!(created["secret"].as_str().unwrap().starts_with("csp_"));
    // A repeated request returns the same token, but not its secret.
    let again = create_token(&app, &ada, "first").await.expect(201);
    assert_eq!((&again["id"], &again["secret_already_shown"]), (&created["id"], &json!(true)));
    assert!(again.get("secret").is_none());
    let list = app.get("/v1/tokens").by(&ada).answer().await.expect(200);
    assert_eq!(list["data"].as_array().unwrap().len(), 1);

    let path = format!("/v1/tokens/{}", created["id"].as_str().unwrap());
    let eve = app.player("eve").await;
    app.delete(&path).by(&eve).answer().await.problem(404, "not_found");
    app.delete(&path).by(&ada).answer().await.expect(204);
    app.delete(&path).by(&ada).answer().await.problem(404, "not_found");
    // The token does not exist any more, so the repeated request does not say that it was created.
    create_token(&app, &ada, "first").await.problem(410, "gone");
    create_token(&app, &ada, "second").await.expect(201);
}

#[tokio::test]
async fn caches_store_no_lists_of_credentials() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    for path in ["/v1/tokens", "/v1/sessions"] {
        let list = app.get(path).by(&ada).answer().await;
        assert_eq!(list.header("cache-control"), "private, no-store", "{path}");
        list.expect(200);
    }
}

#[tokio::test]
async fn an_idempotency_key_stands_for_one_request() {
    let app = TestApp::start().await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    let first = create_token(&app, &ada, "k").await.expect(201);
    let another = app
        .post("/v1/tokens")
        .by(&ada)
        .header("idempotency-key", "k")
        .json(&json!({ "name": "other", "scopes": ["decks:write"] }))
        .answer()
        .await;
    another.problem(422, "idempotency_key_reused");
    let hers = create_token(&app, &eve, "k").await.expect(201);
    assert_ne!(first["id"], hers["id"], "keys of two accounts are independent");
    create_token(&app, &ada, "with space").await.problem(400, "invalid_header");
    let tries =
        futures_util::future::join_all((0..8).map(|_| create_token(&app, &ada, "race"))).await;
    let (created, refused): (Vec<_>, Vec<_>) =
        tries.into_iter().partition(|answer| answer.status == 201);
    for answer in refused {
        answer.problem(409, "idempotency_in_progress");
    }
    let created: Vec<Value> = created.iter().map(crate::support::Answer::json).collect();
    assert!(!created.is_empty() && created.iter().all(|token| token["id"] == created[0]["id"]));
    assert_eq!(created.iter().filter(|token| token.get("secret").is_some()).count(), 1);
}

#[tokio::test]
async fn tokens_expire() {
    let app =
        TestApp::start_with(|settings| settings.identity_ttl = std::time::Duration::ZERO).await;
    let ada = app.player("ada").await;
    let body = json!({ "name": "short", "scopes": ["decks:read"], "expires_in_days": 1 });
    let created = app.post("/v1/tokens").by(&ada).json(&body).answer().await.expect(201);
    let decks = async || {
        app.get("/v1/decks").bearer_auth(created["secret"].as_str().unwrap()).answer().await
    };
    // On a busy machine the test itself takes some seconds.
    app.clock().advance(Duration::days(1) - Duration::minutes(5));
    decks().await.expect(200);
    app.clock().advance(Duration::minutes(5));
    decks().await.problem(401, "invalid_token");
    let later = app.log_in("ada", &ada.password).await;
    let list = app.get("/v1/tokens").by(&later).answer().await.expect(200);
    assert_eq!(list["data"], json!([]));
}

#[tokio::test]
async fn parallel_requests_create_at_most_fifty_tokens() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let body = json!({ "name": "one of many", "scopes": ["decks:read"] });
    let tries = (0..56).map(|_| app.post("/v1/tokens").by(&ada).json(&body).answer());
    let answers = futures_util::future::join_all(tries).await;
    let (created, refused): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|answer| answer.status == 201);
    assert_eq!((created.len(), refused.len()), (50, 6));
    for answer in refused {
        answer.problem(409, "too_many_tokens");
    }
    let stored = "SELECT count(*) FROM personal_access_tokens WHERE revoked_at IS NULL";
    assert_eq!(app.db().number(stored).await, 50);
}

#[tokio::test]
async fn all_errors_of_a_request_are_reported_at_once() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let body = json!({ "name": "", "scopes": ["decks:read", "everything"], "expires_in_days": 0 });
    let problem =
        app.post("/v1/tokens").by(&ada).json(&body).answer().await.problem(422, "invalid_body");
    let pointers: Vec<_> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["pointer"].clone())
        .collect();
    assert_eq!(pointers, [json!("/name"), json!("/scopes/1"), json!("/expires_in_days")]);
}

/// Each unknown scope is compared with all known ones, and a body has room for tens of thousands.
#[tokio::test]
async fn a_list_with_more_scopes_than_there_are_is_one_fault() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let create = async |scopes: Vec<&str>| {
        let body = json!({ "name": "t", "scopes": scopes });
        app.post("/v1/tokens").by(&ada).json(&body).answer().await
    };
    let most = Scope::ALL.len();
    let created = create(vec!["decks:read"; most]).await.expect(201);
    assert_eq!(created["scopes"], json!(["decks:read"]));
    for scope in ["decks:read", ""] {
        let problem = create(vec![scope; most + 1]).await.problem(422, "invalid_body");
        let detail = format!("must have at most {most} items, not {}", most + 1);
        let expected = json!([{ "pointer": "/scopes", "detail": detail }]);
        assert_eq!(problem["errors"], expected);
    }
}

/// A password change or recovery may follow the theft of an account, so it also ends the tokens that the thief created.
#[tokio::test]
async fn tokens_end_when_the_password_or_the_role_of_their_account_changes() {
    let app =
        TestApp::start_with(|settings| settings.identity_ttl = std::time::Duration::ZERO).await;
    let admin = app.admin().await;
    let list_status = async |secret: &Value| {
        app.get("/v1/decks").bearer_auth(secret.as_str().unwrap()).answer().await.status
    };
    for way in ["password", "role", "recovery"] {
        let name = format!("owner by {way}");
        let body = json!({ "name": name, "password": "tram window sonnet" });
        let account = app.post("/v1/accounts").json(&body).answer().await.expect(201);
        let owner = app.log_in(&name, "tram window sonnet").await;
        let secret = create_token(&app, &owner, "k").await.expect(201)["secret"].clone();
        assert_eq!(list_status(&secret).await, 200);
        match way {
            "password" => {
                let change = json!({ "current_password": owner.password, "new_password": "violet harbour lamp" });
                app.put("/v1/me/password").by(&owner).json(&change).answer().await.expect(204);
            }
            "role" => {
                let path = format!("/v1/accounts/{}", owner.id);
                app.patch(&path)
                    .by(&admin)
                    .json(&json!({ "role": "moderator" }))
                    .answer()
                    .await
                    .expect(200);
            }
            _ => {
                let code = &account["recovery_codes"][0];
                let body = json!({ "name": name, "recovery_code": code, "new_password": "violet harbour lamp" });
                app.post("/v1/accounts/recover").json(&body).answer().await.expect(204);
            }
        }
        assert_eq!(list_status(&secret).await, 401, "{way}");
    }
}

/// A thief of a refresh token may have created tokens with it. Those that are older than the session stay valid.
#[tokio::test]
async fn tokens_that_are_younger_than_a_session_end_when_its_refresh_token_is_reused() {
    let app =
        TestApp::start_with(|settings| settings.identity_ttl = std::time::Duration::ZERO).await;
    let ada = app.player("ada").await;
    let earlier = create_token(&app, &ada, "earlier").await.expect(201);
    app.clock().advance(Duration::seconds(1));
    let stolen = app.log_in("ada", &ada.password).await;
    let later = create_token(&app, &stolen, "later").await.expect(201);
    let refresh = async || {
        let body = json!({ "refresh_token": stolen.refresh_token });
        app.post("/v1/sessions/refresh").json(&body).answer().await
    };
    refresh().await.expect(200);
    app.clock().advance(Duration::seconds(31));
    refresh().await.problem(401, "invalid_token");
    for (token, status) in [(&earlier, 200), (&later, 401)] {
        let secret = token["secret"].as_str().unwrap();
        let read = app.get("/v1/decks").bearer_auth(secret).answer().await;
        assert_eq!(read.status, status);
    }
    app.get("/v1/me").by(&ada).answer().await.expect(200);
}
