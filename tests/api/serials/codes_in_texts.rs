//! Serial codes in places where none belong: texts that others read, idempotency keys, files of collections.

use cardscape::domain::serials::serial_text::MASKED;
use serde_json::{Value, json};

use crate::support::{Player, RequestExt as _, TestApp, text};

/// An invented code that is in no print run.
const CODE: &str = "7K33-3333-3333-3333";

/// The pointer to the fault that a request is refused for.
async fn refused_at(app: &TestApp, by: Option<&Player>, path: &str, body: &Value) -> String {
    let request = app.post(path);
    let request = if let Some(by) = by { request.by(by) } else { request };
    let problem = request.json(body).answer().await.problem(422, "invalid_body");
    assert!(!problem.to_string().contains(CODE), "{path}: {problem}");
    let fault = &problem["errors"][0];
    assert!(text(fault, "detail").contains("must not contain a serial code"), "{path}: {problem}");
    text(fault, "pointer")
}

#[tokio::test]
async fn no_text_that_others_read_may_contain_a_serial_code() {
    let app = TestApp::start().await;
    app.import_set("dusk", 1, true).await;
    let cards = app.print("dusk", 2).await;
    let (ada, ben, moderator) =
        (app.player("ada").await, app.player("ben").await, app.moderator().await);
    let copy = app.register(&ada, &cards[0]).await;
    let claim = app.submit(&ben, &cards[0]).await.problem(409, "registered_to_another");
    let statements = format!("/v1/disputes/{}/statements", text(&claim, "dispute_id"));
    let deck = json!({ "name": "Ours", "format": "ttcg/standard", "visibility": "public", "list": "1 Nothing" });
    let deck = app.post("/v1/decks").by(&ada).json(&deck).answer().await.expect(201);
    let comments = format!("/v1/decks/{}/comments", text(&deck, "id"));
    let (freeze, written) = (format!("/v1/copies/{copy}/freeze"), format!("Mine is {CODE}."));
    let account = json!({ "name": CODE, "password": "correct horse battery staple" });
    assert_eq!(refused_at(&app, None, "/v1/accounts", &account).await, "/name");
    let report = json!({ "account": ada.id, "reason": "other", "details": written });
    let design = json!({ "game": "ttcg", "name": "Heron", "kind": "unit", "lore": written });
    for (by, path, body, pointer) in [
        (&ada, "/v1/tokens", json!({ "name": written, "scopes": ["decks:read"] }), "/name"),
        (&ben, &statements, json!({ "text": written }), "/text"),
        (&ben, &comments, json!({ "text": written }), "/text"),
        (&moderator, &freeze, json!({ "reason": written }), "/reason"),
        (&ben, "/v1/abuse-reports", report, "/details"),
        (&ben, "/v1/designs", design, "/lore"),
        (
            &ben,
            "/v1/trades",
            json!({ "with": "ada", "want": [copy], "message": written }),
            "/message",
        ),
    ] {
        assert_eq!(refused_at(&app, Some(by), path, &body).await, pointer, "{path}");
    }
}

/// Clients may take the code of a card as the key of its submission.
#[tokio::test]
async fn an_idempotency_key_with_a_code_works_and_is_stored_as_a_hash() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let create = async |key: &str| {
        let body = json!({ "name": "Ours", "format": "ttcg/standard", "list": "1 Nothing" });
        let request = app.post("/v1/decks").by(&ada).header("idempotency-key", key);
        text(&request.json(&body).answer().await.expect(201), "id")
    };
    let first = create(CODE).await;
    assert_eq!(create(CODE).await, first, "the same request");
    assert_ne!(create("7K33-3333-3333-3333-2").await, first, "another key");
    assert_ne!(create("k1").await, first);
    let stored = app
        .db()
        .value("SELECT string_agg(key, ' ' ORDER BY length(key)) FROM idempotency_keys")
        .await;
    assert!(stored.starts_with("k1 ") && !stored.contains("7K33"), "{stored}");
}

#[tokio::test]
async fn a_code_in_a_file_of_a_collection_is_not_quoted() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let file = format!("Count,Name\n1,{CODE}\n{CODE},Nobody\n");
    let request = app.post("/v1/collection/imports").by(&ada).header("content-type", "text/csv");
    let read = request.body(file).answer().await.expect(200);
    assert_eq!(read["lines"][0]["text"], MASKED);
    assert!(!read.to_string().contains("7K33"), "{read}");
    let stored = app.db().value("SELECT string_agg(i::text, ' ') FROM collection_imports i").await;
    assert!(!stored.contains("7K33"), "{stored}");
}
