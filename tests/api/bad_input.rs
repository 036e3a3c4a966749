//! Invalid requests: the service answers each with a 4xx problem, stores nothing and keeps working.

use rstest::rstest;
use serde_json::{Value, json};

use cardscape::api::contract::document;
use cardscape::api::routes;
use reqwest::Method;

use crate::support::{Answer, RequestExt as _, TestApp};

async fn register(app: &TestApp, content_type: &str, body: impl Into<reqwest::Body>) -> Answer {
    app.post("/v1/accounts").header("content-type", content_type).body(body).answer().await
}

#[rstest]
#[case::empty("", 400, "malformed_json")]
#[case::half("{\"name\":", 400, "malformed_json")]
#[case::trailing(
    "{\"name\":\"abc\",\"password\":\"tram window sonnet\"} {}",
    400,
    "malformed_json"
)]
#[case::bare_nul("{\"name\":\"\u{0}\"}", 400, "malformed_json")]
#[case::lone_surrogate(
    r#"{"name":"\ud800abc","password":"tram window sonnet"}"#,
    400,
    "malformed_json"
)]
#[case::wrong_type(r#"{"name":5,"password":"tram window sonnet"}"#, 422, "invalid_body")]
#[case::array("[]", 422, "invalid_body")]
#[case::fields_without_names(r#"["abc","tram window sonnet"]"#, 422, "invalid_body")]
#[case::null("null", 422, "invalid_body")]
#[case::missing(r#"{"name":"abc"}"#, 422, "invalid_body")]
#[case::unknown(
    r#"{"name":"abc","password":"tram window sonnet","role":"admin"}"#,
    422,
    "invalid_body"
)]
#[case::twice(
    r#"{"name":"abc","name":"abd","password":"tram window sonnet"}"#,
    422,
    "invalid_body"
)]
#[case::nul(r#"{"name":"ab\u0000c","password":"tram window sonnet"}"#, 422, "invalid_body")]
#[case::control(r#"{"name":"ab\u001bc","password":"tram window sonnet"}"#, 422, "invalid_body")]
#[case::bidi(r#"{"name":"ab\u202ec","password":"tram window sonnet"}"#, 422, "invalid_body")]
#[case::huge_number(r#"{"name":1e999,"password":"tram window sonnet"}"#, 422, "invalid_body")]
#[case::half_after_a_fault(r#"{"nme":5,"password":"tram window sonnet","#, 400, "malformed_json")]
#[case::more_after_a_fault(
    r#"{"name":5,"password":"tram window sonnet"} x"#,
    400,
    "malformed_json"
)]
#[tokio::test]
async fn invalid_bodies_are_rejected(
    #[case] body: &'static str,
    #[case] status: u16,
    #[case] code: &str,
) {
    let app = TestApp::start().await;
    register(&app, "application/json", body).await.problem(status, code);
    assert_eq!(app.db().value("SELECT count(*) FROM accounts").await, "0");
}

#[tokio::test]
async fn malformed_json_is_reported_with_line_and_column() {
    let app = TestApp::start().await;
    for (body, line, column, detail) in [
        ("", 1, 1, "the body is empty"),
        ("{\n \"name\": \"Ada", 2, 13, "the JSON ends inside a text: a quotation mark is missing"),
        (
            "{\"name\": \"Ada\",}",
            1,
            16,
            "the name of a member is expected here, in quotation marks",
        ),
        ("{\"nme\": 5, \"a\" 6}", 1, 16, "a `:` is missing after the name of a member"),
        ("{\"name\": 5} garbage", 1, 13, "something follows after the end of the value"),
        (
            "{\"name\": \"a\tb\"}",
            1,
            11,
            "a text has a control character in it: write a line break as \\n",
        ),
        (
            "{\"name\": \"\\ud800\"}",
            1,
            17,
            "a `\\u` in a text is one half of a surrogate pair, without the other half",
        ),
        ("{'name': 5}", 1, 2, "the name of a member is expected here, in quotation marks"),
    ] {
        let problem = register(&app, "application/json", body).await.problem(400, "malformed_json");
        let fault = json!({ "pointer": "", "detail": detail, "line": line, "column": column });
        assert_eq!(problem["errors"], json!([fault]), "{body}");
    }
    let problem =
        register(&app, "application/json", b"{\"name\": \"\xc3\xa9\xff\"}".to_vec()).await;
    let problem = problem.problem(400, "malformed_json");
    assert_eq!(problem["errors"][0]["detail"], "is not UTF-8");
    assert_eq!(problem["errors"][0]["column"], 12);
}

#[tokio::test]
async fn a_nul_character_is_reported_at_its_place() {
    let app = TestApp::start().await;
    let body = r#"{"name": "a\u0000", "password": "correct horse battery"}"#;
    let problem = register(&app, "application/json", body).await.problem(422, "invalid_body");
    assert_eq!(faults(&problem), [("/name", "must not contain the NUL character (\\u0000)")]);
}

#[tokio::test]
async fn unknown_enum_values_are_reported_with_the_allowed_values() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let faults = async |body: &str| {
        let put = app.put("/v1/me/trading").by(&ada).header("content-type", "application/json");
        put.body(body.to_owned()).answer().await.problem(422, "invalid_body")["errors"].clone()
    };
    let fault = |pointer: &str, detail: &str| json!({ "pointer": pointer, "detail": detail });
    assert_eq!(
        faults(r#"{"trading":"opne"}"#).await,
        json!([fault("/trading", "must be one of closed, offers, public")])
    );
    let unknown = fault("/a", "is not known here; known are trading");
    assert_eq!(
        faults(r#"{"trading":true,"a":1}"#).await,
        json!([fault("/trading", "must be text, not true or false"), unknown])
    );
    let answer = app.get("/v1/trades?state=foo&role=bar").by(&ada).answer().await;
    let problem = answer.problem(400, "invalid_query");
    for fault in problem["errors"].as_array().unwrap() {
        let detail = fault["detail"].as_str().unwrap();
        assert!(detail.starts_with("must be one of "), "{detail}");
    }
    assert_eq!(problem["errors"].as_array().unwrap().len(), 2);
}

/// A client that mistypes `dry_run` must not change anything.
#[tokio::test]
async fn operations_without_query_parameters_reject_every_parameter() {
    let app = TestApp::start().await;
    let contract = serde_json::to_value(document()).unwrap();
    let mut refused = 0;
    for (method, path, operation) in &routes::all() {
        let documented = contract["paths"][path][method]["parameters"].as_array();
        if documented.into_iter().flatten().any(|parameter| parameter["in"] == "query") {
            continue;
        }
        let some = "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";
        let segments: Vec<&str> =
            path.split('/').map(|part| if part.starts_with('{') { some } else { part }).collect();
        let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes()).unwrap();
        let path = format!("{}?dryrun=true&zz", segments.join("/"));
        let answer = app.request(method, &path).answer().await;
        let problem = answer.problem(400, "invalid_query");
        let pointers = |at: usize| problem["errors"][at]["pointer"].clone();
        assert_eq!((pointers(0), pointers(1)), (json!("?dryrun"), json!("?zz")), "{operation}");
        refused += 1;
    }
    assert!(refused > 60, "{refused}");
}

#[tokio::test]
async fn bodies_that_are_too_deep_or_too_large_are_rejected() {
    let app = TestApp::start().await;
    let deep = "[".repeat(100_000);
    register(&app, "application/json", deep).await.problem(400, "malformed_json");
    let deep = format!("{{\"name\":{}", "{\"x\":".repeat(50_000));
    register(&app, "application/json", deep).await.problem(400, "malformed_json");
    let long = json!({ "name": "x".repeat(200_000), "password": "tram window sonnet" }).to_string();
    register(&app, "application/json", long).await.problem(422, "invalid_body");
    let huge =
        json!({ "name": "x".repeat(1_000_000), "password": "tram window sonnet" }).to_string();
    let problem = register(&app, "application/json", huge).await.problem(413, "body_too_large");
    assert_eq!(problem["max_bytes"], 256 * 1024);
    assert_eq!(problem["detail"], "The body may have 262144 bytes at most.");
    let chunks: Vec<Result<String, std::io::Error>> =
        (0..64).map(|_| Ok("x".repeat(16 * 1024))).collect();
    let unannounced = reqwest::Body::wrap_stream(futures_util::stream::iter(chunks));
    register(&app, "application/json", unannounced).await.problem(413, "body_too_large");
    assert_eq!(app.db().value("SELECT count(*) FROM accounts").await, "0");
}

#[rstest]
#[case("text/plain")]
#[case("application/x-www-form-urlencoded")]
#[case("application/jsonp")]
#[case("multipart/form-data; boundary=x")]
#[tokio::test]
async fn other_media_types_are_rejected(#[case] content_type: &str) {
    let app = TestApp::start().await;
    let body = json!({ "name": "abc", "password": "tram window sonnet" }).to_string();
    register(&app, content_type, body.clone()).await.problem(415, "unsupported_media_type");
    register(&app, "application/json; charset=utf-8", body).await.expect(201);
}

#[rstest]
#[case("limit=0")]
#[case("limit=201")]
#[case("limit=-1")]
#[case("limit=99999999999999999999")]
#[case("limit=ten")]
#[case("colour=red")]
#[case("cursor=%00")]
#[case("cursor=nonsense")]
#[case("cursor=WyJhIl0")]
#[case("limit=5&limit=6")]
#[tokio::test]
async fn invalid_queries_are_rejected(#[case] query: &str) {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let answer = app.get(&format!("/v1/audit-log?{query}")).by(&admin).answer().await;
    let code = answer.json()["code"].clone();
    assert!(matches!(code.as_str(), Some("invalid_query" | "invalid_cursor")), "{}", answer.text());
    assert_eq!(answer.status, 400);
}

/// Whole numbers are written with digits alone. A number that was rounded is not repeated: it would be another one.
#[tokio::test]
async fn whole_numbers_in_queries_have_no_plus_sign() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    for (query, detail) in [
        ("limit=%2B1", "must be a whole number"),
        ("limit=%2b1", "must be a whole number"),
        ("limit=99999999999999999999", "must be 1 to 200"),
        ("limit=9223372036854775808", "must be 1 to 200, not 9223372036854775808"),
        ("limit=-1", "must be 1 to 200, not -1"),
    ] {
        // The handler of copies checks the other parameters of the query as well.
        for path in ["/v1/trades", "/v1/copies"] {
            let answer = app.get(&format!("{path}?{query}")).by(&ada).answer().await;
            let problem = answer.problem(400, "invalid_query");
            assert_eq!(faults(&problem), [("?limit", detail)], "{path}?{query}");
        }
    }
    for path in ["/v1/trades?limit=01", "/v1/copies?limit=01"] {
        app.get(path).by(&ada).answer().await.expect(200);
    }
    app.get("/v1/cards?name=%2B1").answer().await.expect(200);
}

#[rstest]
#[case("not-a-uuid")]
#[case("%00")]
#[case("01998d5e-7a35-7c54-b0a0-1f6f4f5f2b1")]
#[case("..%2f..%2fetc%2fpasswd")]
#[tokio::test]
async fn invalid_ids_in_paths_are_not_found(#[case] id: &str) {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    app.get(&format!("/v1/accounts/{id}")).by(&admin).answer().await.problem(404, "not_found");
}

#[tokio::test]
async fn a_pointer_names_the_invalid_member() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let body: Value = json!({ "name": "t", "scopes": ["decks:read", 7] });
    let problem =
        app.post("/v1/tokens").by(&ada).json(&body).answer().await.problem(422, "invalid_body");
    assert_eq!(problem["errors"][0]["pointer"], "/scopes/1");
    assert!(
        !problem.to_string().contains("line 1"),
        "reports no position in bytes that the client never saw"
    );
}

/// The faults of a problem as pairs of pointer and detail, sorted.
fn faults(problem: &Value) -> Vec<(&str, &str)> {
    let mut faults: Vec<(&str, &str)> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| (fault["pointer"].as_str().unwrap(), fault["detail"].as_str().unwrap()))
        .collect();
    faults.sort_unstable();
    faults
}

/// Unknown, missing and wrong members are reported together. The details do not contain names of Rust types or words of serde.
#[tokio::test]
async fn every_fault_of_a_body_is_reported_in_one_answer() {
    let app = TestApp::start().await;
    let body = json!({ "nmae": "ada", "password": 5, "colour": "red" });
    let problem = app.post("/v1/accounts").json(&body).answer().await.problem(422, "invalid_body");
    assert_eq!(
        faults(&problem),
        [
            ("/colour", "is not known here; known are name, password"),
            ("/name", "is missing"),
            ("/nmae", "is not known here; did you mean name?"),
            ("/password", "must be text, not a number"),
        ]
    );

    let ada = app.player("ada").await;
    let body = json!({ "name": "t", "scopes": ["decks:raed", 7], "expires_in_days": "soon" });
    let problem =
        app.post("/v1/tokens").by(&ada).json(&body).answer().await.problem(422, "invalid_body");
    let reported = faults(&problem);
    assert_eq!(reported[0], ("/expires_in_days", "must be a whole number or null, not text"));
    assert_eq!(reported[1].0, "/scopes/0", "{reported:?}");
    assert!(reported[1].1.ends_with("; did you mean decks:read?"), "{reported:?}");
    assert!(reported[2].0 == "/scopes/1" && reported.len() == 3, "{reported:?}");

    // A number that is not the wanted sort of number is named itself, unless it was rounded.
    for (days, message) in [
        (json!(2.5), "must be a whole number or null, not 2.5"),
        (json!(2.0), "must be a whole number without a decimal point or exponent, not 2.0"),
        (json!(-2.5), "must be a whole number or null, not -2.5"),
        (json!(-0.0), "must be 1 to 366, not -0.0"),
        (json!(1e20), "must be 1 to 366"),
    ] {
        let body = json!({ "name": "t", "scopes": ["decks:read"], "expires_in_days": days });
        let problem =
            app.post("/v1/tokens").by(&ada).json(&body).answer().await.problem(422, "invalid_body");
        assert_eq!(faults(&problem), [("/expires_in_days", message)]);
    }
    // The other faults are found also if a number is too large to be read.
    let body = r#"{ "name": "\\\" 1e999", "scopes": ["decks:read", 1e400], "expires_in_days": -1e400, "colour": 5 }"#;
    let request = app.post("/v1/tokens").by(&ada).header("content-type", "application/json");
    let problem = request.body(body).answer().await.problem(422, "invalid_body");
    let reported = faults(&problem);
    let pointers: Vec<&str> = reported.iter().map(|(pointer, _)| *pointer).collect();
    assert_eq!(pointers, ["/colour", "/expires_in_days", "/scopes/1"], "{reported:?}");
    for (_, detail) in &reported[1..] {
        assert_eq!(*detail, "is a number beyond the range of numbers here");
    }

    let body = json!({ "to": 3, "give": ["x"], "want": [{ "printing": {} }] });
    let problem =
        app.post("/v1/trades").by(&ada).json(&body).answer().await.problem(422, "invalid_body");
    let text = problem.to_string();
    for word in ["struct", "enum", "variant", "TradeItem", "sequence", "map"] {
        assert!(!text.contains(word), "{text}");
    }
    assert!(faults(&problem).len() > 2, "{problem}");
}

/// One answer reports faults in values together with faults in the structure of the body.
#[tokio::test]
async fn wrong_values_and_structural_faults_are_reported_together() {
    let app = TestApp::start().await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    app.seed(&["ttcg"]).await;
    let printing = "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";
    for (request, body, pointers) in [
        (
            app.post("/v1/decks").by(&ada),
            json!({ "name": "", "formt": "x", "format": 5, "entries": { "a": 1 }, "visibility": "secret" }),
            &["/entries", "/format", "/formt", "/name", "/visibility"][..],
        ),
        (
            app.post("/v1/decks").by(&ada),
            json!({ "format": "ttcg/standard", "entries": [{ "quantity": 1, "name": "Kettle Imp" }], "visibility": "secret" }),
            &["/name", "/visibility"],
        ),
        (
            app.patch(&format!("/v1/accounts/{printing}")).by(&admin),
            json!({ "role": "king", "banned": "yes", "x": 1 }),
            &["/banned", "/role", "/x"],
        ),
        (
            app.put(&format!("/v1/collection/{printing}")).by(&ada),
            json!({ "quantity": "x", "condition": "NM" }),
            &["/condition", "/quantity"],
        ),
        (
            app.put(&format!("/v1/collection/{printing}")).by(&ada),
            json!({ "quantity": -1, "condition": "NM" }),
            &["/condition", "/quantity"],
        ),
        (
            app.post("/v1/collection/changes").by(&ada),
            json!({ "changes": [{ "printing": printing, "condition": "NM", "add": 0 }] }),
            &["/changes/0/add", "/changes/0/condition"],
        ),
        (
            app.post("/v1/webhooks").by(&admin),
            json!({ "url": "ftp://x", "kinds": ["card.unlockd", "*", 3], "game": 5 }),
            &["/game", "/kinds/0", "/kinds/1", "/kinds/2", "/url"],
        ),
        (
            app.post("/v1/webhooks").by(&admin),
            json!({ "url": "https://hooks.example/", "kinds": ["card.unlockd"], "game": "zzz" }),
            &["/game", "/kinds/0"],
        ),
    ] {
        let problem = request.json(&body).answer().await.problem(422, "invalid_body");
        let reported: Vec<&str> =
            faults(&problem).into_iter().map(|(pointer, _)| pointer).collect();
        assert_eq!(reported, pointers, "{body}: {problem}");
    }
    let misspelt =
        json!({ "url": "https://hooks.example/", "kinds": ["card.unlockd"], "game": "ttgc" });
    let problem = app.post("/v1/webhooks").by(&admin).json(&misspelt).answer().await;
    let problem = problem.problem(422, "invalid_body");
    let reported = faults(&problem);
    assert_eq!(reported[0], ("/game", "There is no game ttgc; did you mean ttcg?"));
    assert!(reported[1].1.ends_with("; did you mean card.unlocked?"), "{reported:?}");
}

/// The answer does not repeat a password, even if other members of the body are wrong.
#[tokio::test]
async fn faults_do_not_repeat_texts_of_the_body() {
    let app = TestApp::start().await;
    let body = json!({ "name": "x", "password": "short", "role": "tram window sonnet" });
    let problem = app.post("/v1/accounts").json(&body).answer().await.problem(422, "invalid_body");
    assert!(!problem.to_string().contains("short") && !problem.to_string().contains("sonnet"));
}

#[tokio::test]
async fn at_most_a_hundred_faults_of_a_body_are_listed() {
    let app = TestApp::start().await;
    let members: serde_json::Map<String, Value> =
        (0..10_000).map(|n| (format!("member {n}"), json!(n))).collect();
    let problem =
        app.post("/v1/accounts").json(&members).answer().await.problem(422, "invalid_body");
    assert_eq!(problem["errors"].as_array().unwrap().len(), 100);
    assert!(problem["detail"].as_str().unwrap().starts_with("More than 100 faults"));
}

#[tokio::test]
async fn every_fault_of_a_query_is_reported_in_one_answer() {
    let app = TestApp::start().await;
    let query = "limt=5&limit=500&hidden=maybe&fields=name,nmae&unique=copies&q=a&q=b";
    let problem =
        app.get(&format!("/v1/cards?{query}")).answer().await.problem(400, "invalid_query");
    let members = "\"nmae\" is not one of id, game, set, number, hidden, unlock, name, kind, attributes, effects, lore, designed_by, image_uris, updated_at, printing";
    assert_eq!(
        faults(&problem),
        [
            ("?fields", members),
            ("?hidden", "must be true or false"),
            ("?limit", "must be 1 to 200, not 500"),
            ("?limt", "is not known here; did you mean limit?"),
            ("?q", "is given twice"),
            ("?unique", "must be one of cards, printings"),
        ]
    );
}

/// A right value beside a wrong one is no fault.
#[tokio::test]
async fn only_the_wrong_parameters_of_a_query_are_reported() {
    let app = TestApp::start().await;
    let id = uuid::Uuid::nil();
    for path in [
        format!("/v1/cards/{id}/picture?format=png&width=300"),
        "/v1/designs/D-0000000000/picture?format=png&width=300".to_owned(),
        format!("/v1/artworks/{}?size=small&width=300", "0".repeat(64)),
        format!("/v1/decks/{id}/chart?of=kind&theme=dark&widht=300"),
    ] {
        let problem = app.get(&path).answer().await.problem(400, "invalid_query");
        let faults = faults(&problem);
        assert_eq!(faults.len(), 1, "{path}: {faults:?}");
        assert!(faults[0].0.starts_with("?wid"), "{path}: {faults:?}");
    }
}

/// Faults that the service finds only with the catalogue (unknown games and sets, wrong terms) and damaged cursors are reported together with faults that
/// it finds without the catalogue.
#[tokio::test]
async fn faults_that_depend_on_the_catalogue_are_reported_with_the_others() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    for (path, pointers) in [
        ("/v1/cards?order=up&sort=nope&cursor=x", &["?cursor", "?order", "?sort"][..]),
        ("/v1/cards?order=up&q=t:fier&name=*", &["?name", "?order", "?q"]),
        ("/v1/cards?sort=nope&q=(&cursor=e30", &["?cursor", "?q", "?sort"]),
        ("/v1/cards?sort=nope&q=t:fier&name=*", &["?name", "?q", "?sort"]),
        ("/v1/cards?limit=0&sort=attack", &["?limit"]),
        ("/v1/cards/random?seed=%1b&game=ttgc&q=fox&limit=3", &["?game", "?limit", "?seed"]),
        ("/v1/cards/named?exact=%1b&game=ttgc&colour=red", &["?colour", "?exact", "?game"]),
        // One of `exact` and `fuzzy` is required. `fuzy` is reported as unknown; that both are missing is not reported in addition.
        ("/v1/cards/named?fuzy=ketle&game=ttgc", &["?fuzy", "?game"]),
        ("/v1/cards/autocomplete?q=x%1b&game=ttgc&limit=x", &["?game", "?limit", "?q"]),
        ("/v1/copies?limit=0&game=ttgc&cursor=x", &["?cursor", "?game", "?limit"]),
        ("/v1/copies?game=ttgc&cursor=e30", &["?cursor", "?game"]),
        ("/v1/collection?set=hart&cursor=e30&total=x", &["?cursor", "?set", "?total"]),
        ("/v1/collection/duplicates?over=0&game=ttgc&cursor=e30", &["?cursor", "?game", "?over"]),
        ("/v1/decks?game=ttgc&cursor=e30&limit=0", &["?cursor", "?game", "?limit"]),
        ("/v1/trade-matches?game=ttgc&cursor=e30", &["?cursor", "?game"]),
        ("/v1/trades?limit=0&cursor=x", &["?cursor", "?limit"]),
        ("/v1/statistics/unlocks?game=ttgc&sett=x", &["?game", "?sett"]),
        ("/v1/games/ttcg/facets?q=(&sett=x", &["?q", "?sett"]),
        ("/v1/statistics/leaderboard?game=ttcg&set=hart&q=x", &["?q", "?set"]),
        ("/v1/changes?after=x&game=ttgc", &["?after", "?game"]),
        ("/v1/changes/stream?after=x&game=ttgc", &["?after", "?game"]),
        ("/v1/collection/completion?game=ttcg&set=hart&q=x", &["?q", "?set"]),
        ("/v1/collection/export?format=xml&game=ttgc", &["?format", "?game"]),
        ("/v1/players/ben/copies?limit=0&set=hart&cursor=e30", &["?cursor", "?limit", "?set"]),
    ] {
        let problem = app.get(path).by(&ada).answer().await.problem(400, "invalid_query");
        let reported: Vec<&str> =
            faults(&problem).into_iter().map(|(pointer, _)| pointer).collect();
        assert_eq!(reported, pointers, "{path}: {problem}");
    }
    // If the cursor is the only fault, the error code is `invalid_cursor`.
    let alone = app.get("/v1/copies?cursor=e30").by(&ada).answer().await;
    alone.problem(400, "invalid_cursor");
    let problem = app.get("/v1/cards?name=*").answer().await.problem(400, "invalid_query");
    let reported = ("?name", "must contain a letter, a digit or a symbol");
    assert_eq!(faults(&problem), [reported]);
}

/// Faults against rules that the JSON schemas cannot express are reported together with faults against the schemas.
#[tokio::test]
async fn faults_against_rules_are_reported_with_faults_against_the_schemas() {
    let app = TestApp::start().await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let id = "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";
    for (request, body, pointers) in [
        (
            app.post("/v1/cards/lookup"),
            json!({ "identifiers": [{}, { "game": 5 }, { "id": id, "game": "ttcg" }, {}, { "id": "x" }], "x": 1 }),
            &[
                "/identifiers/0",
                "/identifiers/1/game",
                "/identifiers/2",
                "/identifiers/3",
                "/identifiers/4/id",
                "/x",
            ][..],
        ),
        (
            app.put("/v1/me/wants").by(&ada).header("if-match", "\"0\""),
            json!({ "visibility": 5, "items": [{}, { "card": 7 }, { "printing": id, "game": "ttcg" }, { "quantity": 0, "card": id }] }),
            &["/items/0", "/items/1/card", "/items/2", "/items/3/quantity", "/visibility"],
        ),
        (
            app.post("/v1/accounts"),
            json!({ "name": "a\u{1b}da", "password": 5 }),
            &["/name", "/password"],
        ),
        (
            app.post("/v1/accounts"),
            json!({ "name": "a\u{1b}da", "password": "ten letters", "role": "admin" }),
            &["/name", "/role"],
        ),
        (
            app.post("/v1/accounts/recover"),
            json!({ "name": "a\u{1b}da", "recovery_code": 5, "new_password": "hunter2 hunter2" }),
            &["/name", "/recovery_code"],
        ),
        (
            app.post("/v1/tokens").by(&ada),
            json!({ "name": "a\u{1b}", "scopes": [5], "expires_in_days": "x" }),
            &["/expires_in_days", "/name", "/scopes/0"],
        ),
        (
            app.post("/v1/trades").by(&ada),
            json!({ "with": "b\u{1b}n", "give": ["x", id, id], "want": 5, "message": "\u{1b}" }),
            &["/give/0", "/give/2", "/message", "/want", "/with"],
        ),
        (
            app.post("/v1/collection/changes").by(&ada),
            json!({ "changes": [{ "add": 1 }, { "printing": 5, "add": 0 }, {}] }),
            &["/changes/0", "/changes/1/add", "/changes/1/printing", "/changes/2/add"],
        ),
        (
            app.post(&format!("/v1/cards/{id}/rulings")).by(&admin),
            json!({ "kind": "gossip", "text": "a\u{1b}", "published_on": "2026-02-30" }),
            &["/kind", "/published_on", "/text"],
        ),
        (
            app.post("/v1/submissions").by(&ada),
            json!({ "serial": "7KQ2", "name": "a\u{1b}", "game": 5 }),
            &["/game", "/name", "/serial"],
        ),
        (
            app.put(&format!("/v1/submissions/{id}/review")).by(&admin),
            json!({ "confirmed": "yes", "note": "a\u{1b}" }),
            &["/confirmed", "/note"],
        ),
        (
            app.post(&format!("/v1/copies/{id}/freeze")).by(&admin),
            json!({ "reason": "a\u{1b}", "until": 5 }),
            &["/reason", "/until"],
        ),
        (
            app.post(&format!("/v1/disputes/{id}/decide")).by(&admin),
            json!({ "outcome": "for_me", "reason": "a\u{1b}" }),
            &["/outcome", "/reason"],
        ),
        (
            app.post(&format!("/v1/disputes/{id}/statements")).by(&ada),
            json!({ "text": "a\u{1b}", "by": 5 }),
            &["/by", "/text"],
        ),
        (
            app.post(&format!("/v1/cards/{id}/unlock")).by(&admin),
            json!({ "reason": "a\u{1b}", "by": 5 }),
            &["/by", "/reason"],
        ),
        (
            app.post(&format!("/v1/cards/{id}/move")).by(&admin),
            json!({ "set": 5, "number": "a b", "note": "a\u{1b}" }),
            &["/note", "/number", "/set"],
        ),
        (
            app.post(&format!("/v1/cards/{id}/merge")).by(&admin),
            json!({ "into": 5, "note": "a\u{1b}" }),
            &["/into", "/note"],
        ),
        (
            app.put("/v1/games/ttcg/unlock-policy").by(&admin),
            json!({ "threshold": "many", "unlock_at": "9999-01-02T00:00:00Z" }),
            &["/threshold", "/unlock_at"],
        ),
        (
            app.post("/v1/decks").by(&ada),
            json!({ "name": "a\u{1b}", "format": 5, "list": "" }),
            &["/format", "/name"],
        ),
        (
            app.post("/v1/webhooks").by(&admin),
            json!({ "url": 5, "kinds": ["card.unlocked"], "description": "a\u{1b}" }),
            &["/description", "/url"],
        ),
        (
            app.post("/v1/decks").by(&ada),
            json!({ "name": "a", "format": "ttcg", "description": "a\u{1b}", "folder": "b\u{1b}", "list": "x", "foo": 1 }),
            &["/description", "/folder", "/foo", "/format"],
        ),
        (
            app.post("/v1/deck-reports"),
            json!({ "format": "ttcg", "list": "x", "foo": 1 }),
            &["/foo", "/format"],
        ),
        (
            app.post("/v1/deck-reports"),
            json!({ "formats": ["ttcg/standard", "ttcg"], "list": "x", "foo": 1 }),
            &["/foo", "/formats/1"],
        ),
        (
            app.post("/v1/designs").by(&ada),
            json!({ "game": "ttcg", "kind": "a b", "effects": [{ "text": " " }], "foo": 1 }),
            &["/effects/0/text", "/foo", "/kind"],
        ),
        (
            app.post("/v1/games/ttcg/sets").by(&admin),
            json!({ "code": "a", "name": "a\u{7}b", "foo": 1 }),
            &["/foo", "/name"],
        ),
        (
            app.post("/v1/games/ttcg/sets/dusk/print-plans").by(&admin),
            json!({ "copies_per_card": 1, "packs": { "lore_min_mg": 9, "lore_max_mg": 8 }, "foo": 1 }),
            &["/foo", "/packs/lore_min_mg"],
        ),
    ] {
        let problem = request.json(&body).answer().await.problem(422, "invalid_body");
        let reported: Vec<&str> =
            faults(&problem).into_iter().map(|(pointer, _)| pointer).collect();
        assert_eq!(reported, pointers, "{body}: {problem}");
    }
}

#[tokio::test]
async fn forms_of_texts_are_described_in_words() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let unknown = ("/foo", "is not known here");
    for (path, body, fault) in [
        (
            "/v1/webhooks",
            json!({ "url": "ftp://x", "kinds": ["card.changed"], "foo": 1 }),
            ("/url", "must begin with https://"),
        ),
        (
            "/v1/games/ttcg/sets",
            json!({ "code": "A B", "name": "a", "foo": 1 }),
            ("/code", "must be lower-case letters and digits, with single hyphens between them"),
        ),
    ] {
        let problem = app.post(path).by(&admin).json(&body).answer().await;
        let problem = problem.problem(422, "invalid_body");
        for (pointer, detail) in [fault, unknown] {
            let is_listed =
                |found: &(&str, &str)| found.0 == pointer && found.1.starts_with(detail);
            assert!(faults(&problem).iter().any(is_listed), "{pointer}: {problem}");
        }
    }
}

/// An invalid serial code keeps its own error code; the fault of the name is reported with it.
#[tokio::test]
async fn an_invalid_serial_and_an_invalid_name_are_reported_together() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    for (serial, code) in [("7KQ2", "serial_malformed"), ("7KQ2-X0FM-93TD-AW5H", "serial_mistyped")]
    {
        let body = json!({ "serial": serial, "name": "a\u{1b}" });
        let problem =
            app.post("/v1/submissions").by(&ada).json(&body).answer().await.problem(422, code);
        let pointers: Vec<&str> =
            faults(&problem).into_iter().map(|(pointer, _)| pointer).collect();
        assert_eq!(pointers, ["/name", "/serial"], "{problem}");
    }
}

/// Cursors are opaque, but a client can forge one.
#[tokio::test]
async fn forged_cursors_are_rejected() {
    use base64::Engine as _;
    let app = TestApp::start().await;
    let id = "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";
    for key in [
        json!(["-262143-01-01T00:00:00Z", id]),
        json!([i64::MIN, id]),
        json!([i64::MAX, id]),
        json!([-1, id]),
        json!([253_402_300_800_000_000_i64, id]),
        json!([0]),
        json!({}),
    ] {
        let cursor = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(key.to_string());
        let answer = app.get(&format!("/v1/unlocks?cursor={cursor}")).answer().await;
        answer.problem(400, "invalid_cursor");
    }
    let cursor =
        base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(json!([0, id]).to_string());
    app.get(&format!("/v1/unlocks?cursor={cursor}")).answer().await.expect(200);

    let ada = app.player("ada").await;
    for (list, key) in [
        ("/v1/collection", json!(["ttcg", "\0", "001", id, "mint"])),
        ("/v1/collection", json!(["ttcg", "hearth", "001", id, "\0"])),
        ("/v1/collection/duplicates", json!(["\0", "hearth", "001", id])),
    ] {
        let cursor = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(key.to_string());
        let answer = app.get(&format!("{list}?cursor={cursor}")).by(&ada).answer().await;
        answer.problem(400, "invalid_cursor");
        // Only the NUL is wrong.
        let key = key.to_string().replace("\\u0000", "x");
        let cursor = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(key);
        app.get(&format!("{list}?cursor={cursor}")).by(&ada).answer().await.expect(200);
    }
    // Microseconds since 1970: the first time is in a year that Postgres does not have.
    let admin = app.admin().await;
    for (time, status) in [(-377_700_000_000_000_000_i64, 400), (0, 200)] {
        let key = json!([time, id]).to_string();
        let cursor = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(key);
        let list = app.get(&format!("/v1/designer-perks?cursor={cursor}")).by(&admin);
        let answer = list.answer().await.expect(status);
        assert_eq!(answer["code"] == "invalid_cursor", status == 400, "{answer}");
    }
}

#[tokio::test]
async fn a_query_with_many_parameters_is_rejected() {
    let app = TestApp::start().await;
    let query = |count: usize| {
        let pairs: Vec<String> = (0..count).map(|at| format!("a{at}=1")).collect();
        pairs.join("&")
    };
    // The list of games has no parameters.
    let artwork = format!("/v1/artworks/{}", "0".repeat(64));
    for path in ["/v1/cards", artwork.as_str(), "/v1/games"] {
        let refused = app.get(&format!("{path}?{}", query(1_000))).answer().await;
        let problem = refused.problem(400, "invalid_query");
        assert_eq!(faults(&problem), [("", "must have at most 200 parameters")]);
        let refused = app.get(&format!("{path}?{}", query(200))).answer().await;
        let problem = refused.problem(400, "invalid_query");
        assert_eq!(faults(&problem).len(), 100);
        assert_eq!(problem["detail"], "More than 100 faults; 100 of them are listed.", "{path}");
    }
}

#[tokio::test]
async fn a_query_that_is_not_utf8_is_rejected() {
    let app = TestApp::start().await;
    for query in ["name=%ff", "%ff=1", "name=%c3%28", "name=%ed%a0%80"] {
        let refused = app.get(&format!("/v1/cards?{query}")).answer().await;
        let problem = refused.problem(400, "invalid_query");
        assert_eq!(faults(&problem), [("", "must be UTF-8, percent-encoded")], "{query}");
    }
    app.get("/v1/cards?name=%C3%89clair+%F0%9F%94%A5").answer().await.expect(200);
}

#[tokio::test]
async fn a_bad_query_names_its_parameter() {
    let app = TestApp::start().await;
    for (query, pointer) in
        [("limit=0", "?limit"), ("hidden=maybe", "?hidden"), ("limit=ten", "?limit")]
    {
        let problem =
            app.get(&format!("/v1/cards?{query}")).answer().await.problem(400, "invalid_query");
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{problem}");
    }
}

#[tokio::test]
async fn answers_of_middleware_are_problems_or_pages() {
    let app = TestApp::start().await;
    for path in ["/v1/games", "/v1/nowhere"] {
        let nothing = app.get(path).header("accept-encoding", "identity;q=0");
        nothing.answer().await.problem(406, "not_acceptable");
    }
    // Outside of the API, the answer is an HTML page.
    let nothing = app.get("/nowhere").header("accept-encoding", "identity;q=0").answer().await;
    assert_eq!(
        (nothing.status, nothing.header("content-type")),
        (406, "text/html; charset=utf-8".to_owned())
    );
}

/// Personal access tokens that have the form of tokens and do not exist.
fn made_up_tokens() -> impl Iterator<Item = String> {
    (0..20).map(|at| format!("csp_{at:A>42}A"))
}

/// The answer is the same whether the service has cached the caller or reads it from the database.
#[tokio::test]
async fn the_caller_is_checked_before_the_input() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let token = json!({ "name": "t", "scopes": ["events:read"] });
    let token = app.post("/v1/tokens").by(&ada).json(&token).answer().await.expect(201);
    let without_scope = token["secret"].as_str().unwrap();
    let ended = app.log_in("ada", &ada.password).await.access_token;
    app.delete("/v1/sessions/current").bearer_auth(&ended).answer().await.expect(204);
    let made_up = made_up_tokens().next().unwrap();
    let callers = [
        (without_scope, 403, "scope_missing"),
        (ended.as_str(), 401, "invalid_token"),
        (made_up.as_str(), 401, "invalid_token"),
    ];
    let nothing = uuid::Uuid::nil();
    for is_cold in [true, false, true] {
        for (caller, status, code) in callers {
            let by_key = app.post("/v1/decks").header("idempotency-key", "two words");
            for request in [
                app.post("/v1/decks").json(&json!({})),
                app.post("/v1/decks").header("content-type", "image/png").body("{}"),
                app.post("/v1/decks?name=x").header("content-type", "text/plain").body("4 Imp"),
                by_key.json(&json!({})),
                app.patch(&format!("/v1/decks/{nothing}")).json(&json!({ "colour": 1 })),
                app.get("/v1/decks/no-id/availability"),
                app.get("/v1/decks?limit=none"),
            ] {
                if is_cold {
                    app.forget_identities().await;
                }
                request.bearer_auth(caller).answer().await.problem(status, code);
            }
        }
        for request in [
            app.post("/v1/webhooks").json(&json!({})),
            app.patch(&format!("/v1/accounts/{nothing}")).json(&json!({ "colour": 1 })),
            app.get("/v1/audit-log?limit=none"),
        ] {
            if is_cold {
                app.forget_identities().await;
            }
            request.by(&ada).answer().await.problem(403, "forbidden");
        }
    }
}

#[tokio::test]
async fn faulty_bodies_of_unknown_callers_lose_no_connection() {
    let app = TestApp::start().await;
    let send = async |path: &str, body: Value| {
        let requests =
            made_up_tokens().map(|token| app.post(path).json(&body).bearer_auth(token).answer());
        for answer in futures_util::future::join_all(requests).await {
            answer.problem(401, "invalid_token");
        }
    };
    let backends = async || {
        let ids = "SELECT coalesce(string_agg(pid::text, ',' ORDER BY pid), '') FROM pg_stat_activity \
                   WHERE datname = current_database() AND application_name LIKE 'cardscape%'";
        let ids = app.db().value(ids).await;
        ids.split(',').map(str::to_owned).collect::<Vec<String>>()
    };
    // Valid bodies, so that all connections are there before.
    send("/v1/me/second-factor/confirm", json!({ "code": "287082" })).await;
    let before = backends().await;
    assert_ne!(before, [""]);
    send("/v1/decks", json!({})).await;
    send("/v1/tokens", json!({ "colour": 1 })).await;
    let after = backends().await;
    let lost: Vec<&String> = before.iter().filter(|id| !after.contains(id)).collect();
    assert!(lost.is_empty(), "{lost:?} of {before:?}");
}
