//! Serial codes in places where none belong: texts that others read, idempotency keys, files of collections, names in requests that are refused.

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

/// A code is typed where a game, a field or a parameter belongs, and the answer says what it does not know.
#[tokio::test]
async fn refusals_and_warnings_do_not_repeat_a_code() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let bare = CODE.replace('-', "");
    let submission = |game: &str| json!({ "serial": CODE, "name": "Kettle Imp", "game": game });
    let submit = |body: &Value| app.post("/v1/submissions").json(body);
    let with_member = json!({ "serial": CODE, "name": "Kettle Imp", CODE: 1 });
    let batch = json!({ "submissions": [submission(CODE)] });
    let design = json!({ "game": CODE, "name": "Heron", "kind": "unit" });
    let format = format!("{}/standard", CODE.to_lowercase());
    let deck = json!({ "name": "Ours", "format": format, "list": "1 Nothing" });
    let cards = |query: &str| app.get(&format!("/v1/cards?{query}"));
    let decks = |query: &str| app.get(&format!("/v1/public-decks?{query}"));
    let import = app.post(&format!("/v1/collection/imports?game={CODE}"));
    let import = import.header("content-type", "text/csv").body("Count,Name\n1,Nothing\n");
    let no_game = "There is no game (a serial code).";
    for (request, status, place, text) in [
        (submit(&submission(CODE)), 422, "/errors/0/detail", no_game),
        (submit(&submission(&bare)), 422, "/errors/0/detail", no_game),
        (submit(&with_member), 422, "/errors/0/pointer", "/(a serial code)"),
        (app.post("/v1/submissions/batch").json(&batch), 200, "/data/0/detail", no_game),
        (app.post("/v1/design-checks").json(&design), 422, "/errors/0/detail", no_game),
        (app.post("/v1/designs").json(&design), 422, "/errors/0/detail", no_game),
        (app.post("/v1/decks").json(&deck), 422, "/detail", no_game),
        (
            cards(&format!("sort={CODE}")),
            400,
            "/errors/0/detail",
            r#"lists cannot be sorted by "(a serial code)""#,
        ),
        (cards(&format!("{CODE}=1")), 400, "/errors/0/pointer", "?(a serial code)"),
        (cards(&format!("q=game:{CODE}")), 400, "/faults/0/term", "game:(a serial code)"),
        (
            cards(&format!("q=rarity:{bare}")),
            400,
            "/errors/0/detail",
            r#"there is no rarity "(a serial code)" (character 0)"#,
        ),
        (cards(&format!("game={CODE}")), 200, "/warnings/0/term", "game=(a serial code)"),
        (decks(&format!("q=by:{CODE}")), 200, "/warnings/0/term", "by:(a serial code)"),
        (decks(&format!("q={CODE}:1")), 400, "/faults/0/term", "(a serial code):1"),
        (import, 400, "/errors/0/detail", r#"there is no game "(a serial code)""#),
    ] {
        let answer = request.by(&ada).answer().await.expect(status);
        let shown = answer.pointer(place).and_then(Value::as_str).unwrap_or_default();
        assert!(shown.ends_with(text), "{place}: {answer}");
        assert!(!answer.to_string().to_lowercase().contains("7k33"), "{answer}");
    }
    // The page repeats the query in its field, but no message does.
    let page = app.get(&format!("/search?q=game:{CODE}")).answer().await;
    let message = "game:(a serial code): There is no game “(a serial code)”.";
    assert!(page.text().contains(message), "{}", page.text());
}
