//! The operator can require a second factor of moderators and admins.

use std::time::Duration;

use cardscape::app::state::ApiSettings;
use cardscape::auth::permission::Role;
use cardscape::auth::second_factor::SecondFactorDemand;
use serde_json::{Value, json};

use crate::support::{Player, RequestExt as _, TestApp, next_step};

fn demand_from(role: Role) -> impl FnOnce(&mut ApiSettings) {
    move |settings| {
        settings.second_factor_demand = SecondFactorDemand::from_role(Some(role));
        settings.identity_ttl = Duration::ZERO;
    }
}

async fn token(app: &TestApp, owner: &Player) -> String {
    let body = json!({ "name": "t", "scopes": ["admin:read", "catalogue:read"] });
    let created = app.post("/v1/tokens").by(owner).json(&body).answer().await.expect(201);
    created["secret"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_account_without_a_required_second_factor_is_restricted() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let moderator = app.moderator().await;
    let player = app.player("ada").await;
    let script = token(&app, &admin).await;

    // The operator begins to require a second factor. This also applies to existing sessions and tokens.
    let app = app.second_instance_with(demand_from(Role::Admin));
    app.get("/v1/audit-log").by(&admin).answer().await.problem(403, "second_factor_due");
    app.get("/v1/tokens").by(&admin).answer().await.problem(403, "second_factor_due");
    let by_script = app.get("/v1/audit-log").bearer_auth(&script).answer().await;
    by_script.problem(403, "second_factor_due");
    let path = format!("/v1/accounts/{}", player.id);
    app.get(&path).by(&moderator).answer().await.expect(200);
    app.get("/v1/tokens").by(&player).answer().await.expect(200);

    let again = app.log_in(&admin.name, &admin.password).await;
    app.get("/v1/audit-log").by(&again).answer().await.problem(403, "second_factor_due");
    app.get("/v1/me").by(&again).answer().await.expect(200);
    app.get("/v1/sessions").by(&again).answer().await.expect(200);
    let state = app.get("/v1/me/second-factor").by(&again).answer().await.expect(200);
    assert_eq!((&state["on"], &state["required"]), (&json!(false), &json!(true)));
    let new = json!({ "current_password": admin.password, "new_password": "violet harbour lamp" });
    app.put("/v1/me/password").by(&again).json(&new).answer().await.expect(204);
    let admin = Player { password: "violet harbour lamp".to_owned(), ..again };

    let (device, _) = app.enrol(&admin).await;
    app.get("/v1/audit-log").by(&admin).answer().await.expect(200);
    let script = token(&app, &admin).await;
    app.get("/v1/audit-log").bearer_auth(&script).answer().await.expect(200);
    next_step(&app);
    let renewed = app.log_in_with(&admin, &device.code(&app)).await.expect(201);
    let renewed = renewed["access_token"].as_str().unwrap();
    app.get("/v1/audit-log").bearer_auth(renewed).answer().await.expect(200);

    // After it is switched off, a second factor is due again.
    next_step(&app);
    let off = json!({ "current_password": admin.password, "code": device.code(&app) });
    app.post("/v1/me/second-factor/switch-off").by(&admin).json(&off).answer().await.expect(204);
    app.get("/v1/audit-log").by(&admin).answer().await.problem(403, "second_factor_due");
    app.get("/v1/audit-log").bearer_auth(&script).answer().await.problem(403, "second_factor_due");
}

/// Without the second factor, a moderator does not see the name of a hidden card.
#[tokio::test]
async fn a_new_moderator_must_have_a_second_factor() {
    let app = TestApp::start_with(demand_from(Role::Moderator)).await;
    app.created_by_operator("chief", Role::Admin, "first password").await;
    let first = app.log_in("chief", "first password").await;
    // The service requires the password change before the second factor.
    app.get("/v1/audit-log").by(&first).answer().await.problem(403, "password_change_due");
    let new =
        json!({ "current_password": "first password", "new_password": "violet harbour lamp" });
    app.put("/v1/me/password").by(&first).json(&new).answer().await.expect(204);
    app.get("/v1/audit-log").by(&first).answer().await.problem(403, "second_factor_due");
    let chief = Player { password: "violet harbour lamp".to_owned(), ..first };
    app.enrol(&chief).await;

    let ada = app.player("ada").await;
    app.import_set("dusk", 1, true).await;
    let path = format!("/v1/accounts/{}", ada.id);
    let promote = json!({ "role": "moderator" });
    app.patch(&path).by(&chief).json(&promote).answer().await.expect(200);
    let ada = app.log_in("ada", &ada.password).await;
    app.get(&path).by(&ada).answer().await.problem(403, "second_factor_due");
    let seen = async || -> Value {
        let card = app.get("/v1/games/ttcg/sets/dusk/cards/001").by(&ada).answer().await;
        card.expect(200)["name"].clone()
    };
    assert_eq!(seen().await, Value::Null);
    app.enrol(&ada).await;
    app.get(&path).by(&ada).answer().await.expect(200);
    assert!(seen().await.is_string());
}

/// An open stream ends when its account may no longer read it.
#[tokio::test]
async fn streams_end_when_a_second_factor_becomes_due() {
    let app = TestApp::start_with(demand_from(Role::Moderator)).await;
    app.created_by_operator("chief", Role::Admin, "first password").await;
    let first = app.log_in("chief", "first password").await;
    let new =
        json!({ "current_password": "first password", "new_password": "violet harbour lamp" });
    app.put("/v1/me/password").by(&first).json(&new).answer().await.expect(204);
    let chief = Player { password: "violet harbour lamp".to_owned(), ..first };
    let (device, _) = app.enrol(&chief).await;
    let stream = app.get("/v1/me/events/stream").by(&chief).send().await.unwrap();
    assert_eq!(stream.status(), 200);
    let off = json!({ "current_password": chief.password, "code": device.code(&app) });
    app.post("/v1/me/second-factor/switch-off").by(&chief).json(&off).answer().await.expect(204);
    let body = tokio::time::timeout(Duration::from_secs(30), stream.text()).await;
    let body = body.expect("the stream ends").unwrap();
    assert!(body.contains(r#"{"reason":"second_factor_due"}"#), "{body}");
}
