//! The permission matrix: one row for every operation, tried with every kind of caller.

use std::collections::{BTreeMap, BTreeSet};

use cardscape::api::contract::document;
use cardscape::api::routes;
use cardscape::auth::access_token::{self, AccessClaims};
use cardscape::auth::permission::Scope;
use cardscape::domain::ids::{AccountId, SessionId};
use chrono::Duration;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Player, RequestExt as _, TestApp};
use crate::{
    accounts, catalogue, collection, copies, decks, designs, effects, operations, printing, serials,
};
use Needs::{Admin, Anyone, Login, Moderator, Scoped};

/// What an operation needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing.
    Anyone,
    /// Any account with a session: personal access tokens are not accepted.
    Login,
    /// Any account, or a token with this scope.
    Scoped(&'static str),
    /// A moderator, or a moderator's token with this scope.
    Moderator(&'static str),
    /// An admin, or an admin's token with this scope.
    Admin(&'static str),
}

/// Operation, what it needs, the value for its path parameters, a well-formed body.
pub type Row = (&'static str, Needs, &'static str, fn() -> Value);

pub fn none() -> Value {
    Value::Null
}

pub const SOME: &str = "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";

/// The operations that belong to no capability.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("list_problems",       Anyone,                   "", none),
    ("find_problem",        Anyone,                   "not_found", none),
    ("find_document",       Anyone,                   "", none),
];

/// The rows of all capabilities.
fn matrix() -> Vec<Row> {
    let parts = [
        accounts::permissions::ROWS,
        catalogue::permissions::ROWS,
        collection::permissions::ROWS,
        copies::permissions::ROWS,
        decks::permissions::ROWS,
        designs::permissions::ROWS,
        effects::permissions::ROWS,
        operations::permissions::ROWS,
        printing::permissions::ROWS,
        serials::permissions::ROWS,
        ROWS,
    ];
    parts.concat()
}

#[test]
fn every_operation_has_its_row() {
    let routed: BTreeSet<_> =
        routes::all().into_iter().map(|(_, _, operation)| operation).collect();
    let rows: BTreeSet<_> = matrix().into_iter().map(|(operation, ..)| operation).collect();
    assert_eq!(routed, rows, "left: routes.rs, right: the matrix");
    assert_eq!(rows.len(), matrix().len(), "an operation has two rows");
}

/// The table of `docs/API.md` that lists the operations of each scope, with the least role.
fn scope_table() -> String {
    let mut opened = BTreeMap::<(usize, &str, &str), Vec<String>>::new();
    let matrix = matrix();
    for (method, path, operation) in &routes::all() {
        let (_, needs, ..) = matrix.iter().find(|(name, ..)| name == operation).unwrap();
        // The rank sorts the table by role.
        let (rank, role, scope) = match needs {
            Anyone => continue,
            Login => (0, "player", ""),
            Scoped(scope) => (0, "player", *scope),
            Moderator(scope) => (1, "moderator", *scope),
            Admin(scope) => (2, "admin", *scope),
        };
        let path = path.strip_prefix("/v1").unwrap_or(path);
        let line = format!("`{} {path}`", method.to_ascii_uppercase());
        opened.entry((rank, scope, role)).or_default().push(line);
    }
    let mut table = "| Scope | Least role | Opens (below `/v1`) |\n|---|---|---|\n".to_owned();
    for ((_, scope, role), operations) in opened {
        let scope = if scope.is_empty() { "none: log in".to_owned() } else { format!("`{scope}`") };
        table += &format!("| {scope} | {role} | {} |\n", operations.join(", "));
    }
    table
}

/// `CARDSCAPE_UPDATE=1 cargo test --test api the_scope_table` writes the table. The tests below check that the service follows the matrix.
#[test]
fn the_scope_table_of_the_documentation_is_the_matrix() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/API.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (before, rest) = page.split_once("<!-- scopes -->\n").unwrap();
    let (table, after) = rest.split_once("<!-- /scopes -->").unwrap();
    let expected = scope_table();
    if std::env::var_os("CARDSCAPE_UPDATE").is_some() {
        let page = format!("{before}<!-- scopes -->\n{expected}<!-- /scopes -->{after}");
        std::fs::write(path, page).unwrap();
        return;
    }
    assert_eq!(table, expected, "run `make openapi`");
    // The page explains exactly the existing scopes.
    let explained = before.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let explained: BTreeSet<&str> = explained.filter(|word| word.contains(':')).collect();
    assert_eq!(explained, Scope::ALL.iter().map(|scope| scope.as_str()).collect());
}

/// The result of the permission check of a request, independent of what happens after it.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Allowed,
    Unauthenticated,
    Forbidden(String),
}

async fn try_row(app: &TestApp, row: &Row, token: Option<&str>) -> Verdict {
    let (operation, _, parameter, body) = row;
    let (method, path, _) =
        routes::all().into_iter().find(|(_, _, name)| name == operation).unwrap();
    let path: String =
        path.split('/')
            .map(|segment| {
                if segment.starts_with('{') { (*parameter).to_owned() } else { segment.to_owned() }
            })
            .collect::<Vec<_>>()
            .join("/");
    // A stream would not end. With a position after the last event, the service refuses it.
    let path =
        if operation.starts_with("stream_") { format!("{path}?after=999999999") } else { path };
    let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes()).unwrap();
    let mut request = app.request(method, &path);
    let body = body();
    if !body.is_null() {
        request = request.json(&body);
    }
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    let answer = request.answer().await;
    let code = if answer.status >= 400 {
        answer.json()["code"].as_str().unwrap().to_owned()
    } else {
        String::new()
    };
    match (answer.status, code.as_str()) {
        (401, "unauthenticated" | "invalid_token") if operation != &"refresh" => {
            Verdict::Unauthenticated
        }
        (403, code) if code != "wrong_password" => Verdict::Forbidden(code.to_owned()),
        (status, _) => {
            assert!(status < 500, "{operation}: {}", answer.text());
            Verdict::Allowed
        }
    }
}

async fn token(app: &TestApp, owner: &Player, scopes: &[&str]) -> String {
    let body = json!({ "name": "t", "scopes": scopes });
    let created = app.post("/v1/tokens").by(owner).json(&body).answer().await.expect(201);
    created["secret"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn every_caller_may_do_exactly_what_the_matrix_allows() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let moderator = app.moderator().await;
    let player = app.player("player").await;
    let all: Vec<&str> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
    let everything = token(&app, &admin, &all).await;
    // Two tokens for each scope: one with this scope only, one with all others. An account may have fifty tokens.
    let mut by_scope = BTreeMap::new();
    for scope in &all {
        let others: Vec<&str> = all.iter().copied().filter(|other| other != scope).collect();
        let tokens = (token(&app, &admin, &[scope]).await, token(&app, &admin, &others).await);
        by_scope.insert(*scope, tokens);
    }

    for row in &matrix() {
        let (operation, needs, ..) = row;
        // Some operations end the session, so every row gets new sessions.
        let log_in = async |who: &Player| app.log_in(&who.name, &who.password).await.access_token;
        let (as_player, as_moderator, as_admin) =
            (log_in(&player).await, log_in(&moderator).await, log_in(&admin).await);
        let expect = async |who: &str, token: Option<&str>, verdict: Verdict| {
            assert_eq!(try_row(&app, row, token).await, verdict, "{operation} by {who}");
        };
        let forbidden = |code: &str| Verdict::Forbidden(code.to_owned());
        let closed = |open: bool| if open { Verdict::Allowed } else { Verdict::Unauthenticated };
        let by_role = |open: bool| if open { Verdict::Allowed } else { forbidden("forbidden") };

        expect("a client without an account", None, closed(*needs == Anyone)).await;
        expect("a player", Some(&as_player), by_role(!matches!(needs, Moderator(_) | Admin(_))))
            .await;
        expect("a moderator", Some(&as_moderator), by_role(!matches!(needs, Admin(_)))).await;
        expect("an admin", Some(&as_admin), Verdict::Allowed).await;
        match needs {
            Anyone => {}
            Login => {
                expect("a token with every scope", Some(&everything), forbidden("login_required"))
                    .await
            }
            Scoped(scope) | Moderator(scope) | Admin(scope) => {
                let (right, wrong) = &by_scope[scope];
                expect("a token with the scope", Some(right), Verdict::Allowed).await;
                expect("a token with every other scope", Some(wrong), forbidden("scope_missing"))
                    .await;
            }
        }
    }
}

#[tokio::test]
async fn forged_and_expired_tokens_are_rejected() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let account = AccountId(admin.id.parse().unwrap());
    let now = app.clock().now();
    let claims = AccessClaims { account, session: SessionId::generate() };
    let expired = access_token::issue(app.keys(), claims, now - Duration::minutes(16)).unwrap();
    let no_such_session = access_token::issue(app.keys(), claims, now).unwrap();
    let parts: Vec<&str> = admin.access_token.split('.').collect();
    let encode = |value: Value| {
        use base64::Engine as _;
        base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(value.to_string())
    };
    let header = |algorithm: &str, kid: &str| {
        encode(json!({ "alg": algorithm, "typ": "at+jwt", "kid": kid }))
    };
    let kid = app.keys().access_tokens()[0].id();
    let forged = [
        expired,
        no_such_session,
        admin.refresh_token.clone(),
        "csp_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA".to_owned(),
        String::new(),
        "a.b.c".to_owned(),
        format!("{}.{}.", header("none", kid), parts[1]),
        format!("{}.{}.{}", header("none", kid), parts[1], parts[2]),
        format!("{}.{}.{}", header("HS512", kid), parts[1], parts[2]),
        format!("{}.{}.{}", header("RS256", kid), parts[1], parts[2]),
        format!("{}.{}.{}", header("HS256", "another"), parts[1], parts[2]),
        format!("{}.{}.{}", parts[0], parts[1], "AAAA"),
        format!("{}.{}", parts[0], parts[1]),
    ];
    for token in &forged {
        for row in matrix().iter().filter(|(_, needs, ..)| *needs != Anyone) {
            assert_eq!(
                try_row(&app, row, Some(token)).await,
                Verdict::Unauthenticated,
                "{} with {token}",
                row.0
            );
        }
    }
    let basic = app.get("/v1/me").header("authorization", "Basic YTpi").answer().await;
    basic.problem(401, "invalid_token");
}

/// The document states for every public operation whether it reads a token.
#[tokio::test]
async fn the_document_states_which_operations_read_a_token() {
    let app = TestApp::start().await;
    let document = serde_json::to_value(document()).unwrap();
    for row in &matrix() {
        let (operation, needs, ..) = row;
        let (method, path, _) =
            routes::all().into_iter().find(|(_, _, name)| name == operation).unwrap();
        let (open, token) = (json!({}), json!({ "bearer": [] }));
        let expected = match try_row(&app, row, Some("csp_stale")).await {
            Verdict::Unauthenticated if *needs == Anyone => json!([open, token]),
            Verdict::Unauthenticated => json!([token]),
            _ => json!([]),
        };
        let documented = &document["paths"][path][method];
        assert_eq!(documented["operationId"], *operation);
        assert_eq!(documented["security"], expected, "{operation}");
    }
}

#[tokio::test]
async fn an_account_created_by_the_operator_must_change_its_password_first() {
    let app = TestApp::start().await;
    app.created_by_operator("newcomer", cardscape::auth::permission::Role::Admin, "first password")
        .await;
    let newcomer = app.log_in("newcomer", "first password").await;
    app.get("/v1/audit-log").by(&newcomer).answer().await.problem(403, "password_change_due");
    assert_eq!(
        app.get("/v1/me").by(&newcomer).answer().await.expect(200)["must_change_password"],
        true
    );
    let body =
        json!({ "current_password": "first password", "new_password": "violet harbour lamp" });
    app.put("/v1/me/password").by(&newcomer).json(&body).answer().await.expect(204);
    app.get("/v1/audit-log").by(&newcomer).answer().await.expect(200);
}
