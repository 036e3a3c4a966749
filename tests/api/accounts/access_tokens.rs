//! Access tokens that the tests create with the right MAC: the service must reject them although they are signed with its key.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use chrono::Duration;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::support::{Player, RequestExt as _, TestApp};

/// Signs the two texts without checking or changing them.
fn sign(app: &TestApp, header: &str, claims: &str) -> String {
    let message = format!("{}.{}", BASE64URL.encode(header), BASE64URL.encode(claims));
    let key = app.keys().access_tokens()[0].secret();
    let mac = Hmac::<Sha256>::new_from_slice(key).unwrap().chain_update(&message);
    format!("{message}.{}", BASE64URL.encode(mac.finalize().into_bytes()))
}

/// Header and claims of the access token of `player`.
fn parts(player: &Player) -> (Value, Value) {
    let parts: Vec<&str> = player.access_token.split('.').collect();
    let read = |part: &str| serde_json::from_slice(&BASE64URL.decode(part).unwrap()).unwrap();
    (read(parts[0]), read(parts[1]))
}

/// The object with one member set; `null` removes the member.
fn with(object: &Value, member: &str, value: Value) -> String {
    let mut object = object.clone();
    if value.is_null() {
        object.as_object_mut().unwrap().remove(member);
    } else {
        object[member] = value;
    }
    object.to_string()
}

/// The object with a member inserted as text. The value may be null, and the object may then have the member twice.
fn with_raw_member(object: &Value, member: &str) -> String {
    format!("{{{member},{}", &object.to_string()[1..])
}

async fn status(app: &TestApp, token: &str) -> u16 {
    app.get("/v1/me").bearer_auth(token).answer().await.status
}

#[tokio::test]
async fn hostile_tokens_with_the_right_mac_are_refused() {
    let app = TestApp::start().await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    let (header, claims) = parts(&ada);
    let (plain_header, plain_claims) = (header.to_string(), claims.to_string());
    assert_eq!(
        status(&app, &sign(&app, &plain_header, &plain_claims)).await,
        200,
        "the unchanged token is accepted"
    );
    let now = app.clock().now().timestamp();

    let headers = [
        with(&header, "crit", json!(["exp"])),
        with(&header, "crit", json!(["b64"])),
        with(&header, "crit", json!([])),
        with_raw_member(&header, r#""crit":null"#),
        with(&header, "b64", json!(false)),
        with(&header, "b64", json!(true)),
        with(&header, "zip", json!("DEF")),
        with(&header, "enc", json!("A256GCM")),
        with(&header, "cty", json!("JWT")),
        with(&header, "jku", json!("https://keys.example/")),
        with(&header, "jwk", json!({ "kty": "oct", "k": "AAAA" })),
        with(&header, "x5c", json!(["AAAA"])),
        with(&header, "anything", json!(1)),
        with(&header, "typ", json!("JWT")),
        with(&header, "typ", json!("at+JWT")),
        with(&header, "typ", json!("application/at+jwt")),
        with(&header, "typ", json!(1)),
        with(&header, "typ", Value::Null),
        with(&header, "alg", json!("none")),
        with(&header, "alg", json!("HS512")),
        with(&header, "alg", json!("RS256")),
        with(&header, "alg", json!("hs256")),
        with(&header, "alg", Value::Null),
        with(&header, "kid", Value::Null),
        with(&header, "kid", json!("")),
        with(&header, "kid", json!("../../dev/null")),
        with_raw_member(&header, r#""alg":"HS256""#),
        format!("[{plain_header}]"),
        String::new(),
    ];
    for header in headers {
        let token = sign(&app, &header, &plain_claims);
        assert_eq!(status(&app, &token).await, 401, "header {header}");
    }

    let bodies = [
        with(&claims, "iat", json!(now + 60)),
        with(&claims, "iat", json!(now.to_string())),
        with(&claims, "iat", serde_json::from_str(&format!("{now}.5")).unwrap()),
        with(&claims, "iat", Value::Null),
        with(&claims, "nbf", json!(now + 60)),
        with(&claims, "nbf", json!((now - 60).to_string())),
        with(&claims, "nbf", json!([now - 60])),
        with_raw_member(&claims, r#""nbf":null"#),
        with(&claims, "exp", json!(now)),
        with(&claims, "exp", json!((now + 60).to_string())),
        with(&claims, "exp", json!(i64::MAX)),
        with(&claims, "exp", Value::Null),
        with_raw_member(&claims, r#""exp":9999999999"#),
        with(&claims, "iss", json!("another")),
        with(&claims, "iss", Value::Null),
        with(&claims, "aud", json!("another")),
        with(&claims, "aud", json!(["cardscape-api"])),
        with(&claims, "aud", Value::Null),
        with(&claims, "sub", json!(eve.id)),
        with(&claims, "sub", json!("00000000-0000-0000-0000-000000000000")),
        with(&claims, "sub", json!(1)),
        with(&claims, "sub", Value::Null),
        with(&claims, "sid", json!("ada")),
        with(&claims, "sid", Value::Null),
        format!("[{plain_claims}]"),
        String::new(),
    ];
    for claims in bodies {
        let token = sign(&app, &plain_header, &claims);
        assert_eq!(status(&app, &token).await, 401, "claims {claims}");
    }
}

#[tokio::test]
async fn clocks_of_instances_may_differ_by_half_a_minute() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let (header, claims) = parts(&ada);
    let now = app.clock().now().timestamp();
    for member in ["iat", "nbf"] {
        // 28 leaves two seconds for the test itself. A time before 1970 is accepted.
        for (at, expected) in [(now + 28, 200), (now + 40, 401), (now - 600, 200), (-1, 200)] {
            let token = sign(&app, &header.to_string(), &with(&claims, member, json!(at)));
            assert_eq!(status(&app, &token).await, expected, "{member} {}", at - now);
        }
    }
    app.clock().advance(Duration::seconds(-40));
    assert_eq!(
        status(&app, &ada.access_token).await,
        401,
        "the clock that issued the token is too far ahead"
    );
}

/// A token names a session and an account. The service rejects a token whose session belongs to another account.
#[tokio::test]
async fn a_token_that_mixes_two_accounts_is_rejected() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let eve = app.player("eve").await;
    let (header, of_eve) = parts(&eve);
    let (_, of_admin) = parts(&admin);
    let mixed = [
        with(&of_eve, "sid", of_admin["sid"].clone()),
        with(&of_eve, "sub", of_admin["sub"].clone()),
    ];
    // Each token is sent twice: the second check uses the cache.
    for claims in mixed.iter().chain(&mixed) {
        let token = sign(&app, &header.to_string(), claims);
        for path in ["/v1/me", "/v1/audit-log", "/v1/cards", "/v1/me/events/stream"] {
            let answer = app.get(path).bearer_auth(&token).answer().await;
            answer.problem(401, "invalid_token");
        }
    }
    app.get("/v1/audit-log").by(&admin).answer().await.expect(200);
}
