//! The permission matrix: one row for every operation, tried with every kind of caller.

use std::collections::{BTreeMap, BTreeSet};

use cardscape::api::contract::document;
use cardscape::api::routes::ROUTES;
use cardscape::auth::access_token::{self, AccessClaims};
use cardscape::auth::permission::Scope;
use cardscape::domain::ids::{AccountId, SessionId};
use chrono::Duration;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Player, RequestExt as _, TestApp};
use Needs::{Admin, Anyone, Login, Moderator, Scoped};

/// What an operation needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// Nothing.
    Anyone,
    /// Any account, logged in: no personal access token will do.
    Login,
    /// Any account, or a token with this scope.
    Scoped(&'static str),
    /// A moderator, or a moderator's token with this scope.
    Moderator(&'static str),
    /// An admin, or an admin's token with this scope.
    Admin(&'static str),
}

/// Operation, what it needs, a path for its parameters, a body that is well-formed.
type Row = (&'static str, Needs, &'static str, fn() -> Value);

fn none() -> Value {
    Value::Null
}

const SOME: &str = "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";

#[rustfmt::skip]
const MATRIX: &[Row] = &[
    ("register",            Anyone,                   "", || json!({ "name": "a b c", "password": "tram window sonnet" })),
    ("list_accounts",       Moderator("admin:read"),  "", none),
    ("recover",             Anyone,                   "", || json!({ "name": "nobody", "recovery_code": "0", "new_password": "tram window sonnet" })),
    ("find_account",        Moderator("admin:read"),  SOME, none),
    ("change_account",      Admin("admin:write"),     SOME, || json!({ "banned": false })),
    ("remove_second_factor", Admin("admin:write"),    SOME, none),
    ("find_second_factor",  Login,                    "", none),
    ("begin_second_factor", Login,                    "", || json!({ "current_password": "x" })),
    ("confirm_second_factor", Login,                  "", || json!({ "code": "000000" })),
    ("switch_off_second_factor", Login,               "", || json!({ "current_password": "x", "code": "000000" })),
    ("replace_second_factor_codes", Login,            "", || json!({ "current_password": "x", "code": "000000" })),
    ("find_me",             Login,                    "", none),
    ("change_password",     Login,                    "", || json!({ "current_password": "x", "new_password": "short" })),
    ("replace_recovery_codes", Login,                 "", || json!({ "password": "x" })),
    ("change_trading",      Login,                    "", || json!({ "trading": "offers" })),
    ("list_sessions",       Login,                    "", none),
    ("log_in",              Anyone,                   "", || json!({ "name": "nobody", "password": "x" })),
    ("refresh",             Anyone,                   "", || json!({ "refresh_token": "x" })),
    ("log_out",             Login,                    "", none),
    ("end_session",         Login,                    SOME, none),
    ("list_tokens",         Login,                    "", none),
    ("create_token",        Login,                    "", || json!({ "name": "t", "scopes": ["decks:read"] })),
    ("revoke_token",        Login,                    SOME, none),
    ("list_games",          Anyone,                   "", none),
    ("find_game",           Anyone,                   "ttcg", none),
    ("find_manifest",       Anyone,                   "ttcg", none),
    ("replace_manifest",    Admin("admin:write"),     "ttcg", || json!({})),
    ("find_schema",         Anyone,                   "ttcg", none),
    ("list_formats",        Anyone,                   "ttcg", none),
    ("find_format",         Anyone,                   "standard", none),
    ("list_sets",           Anyone,                   "ttcg", none),
    ("list_all_sets",       Anyone,                   "", none),
    ("find_set",            Anyone,                   "hearth", none),
    ("replace_set",         Admin("admin:write"),     "hearth", || json!({})),
    ("edit_set",            Admin("admin:write"),     "hearth", || json!({})),
    ("list_rulings",        Anyone,                   SOME, none),
    ("create_ruling",       Admin("admin:write"),     SOME, || json!({ "kind": "ruling", "text": "x", "published_on": "2026-11-21" })),
    ("find_ruling",         Anyone,                   SOME, none),
    ("replace_ruling",      Admin("admin:write"),     SOME, || json!({ "kind": "ruling", "text": "x", "published_on": "2026-11-21" })),
    ("delete_ruling",       Admin("admin:write"),     SOME, none),
    ("list_history",        Anyone,                   SOME, none),
    ("move_card",           Admin("admin:write"),     SOME, || json!({ "number": "001" })),
    ("merge_card",          Admin("admin:write"),     SOME, || json!({ "into": SOME })),
    ("list_card_migrations", Anyone,                  "", none),
    ("find_card_migration", Anyone,                   SOME, none),
    ("edit_card",           Admin("admin:write"),     SOME, || json!({})),
    ("find_card_by_number", Anyone,                   "001", none),
    ("list_facets",         Anyone,                   "ttcg", none),
    ("list_effect_templates", Anyone,                 "ttcg", none),
    ("replace_effect_templates", Admin("admin:write"), "none", || json!({ "templates": [] })),
    ("create_effect_template", Admin("admin:write"),  "none", || json!({ "template": "Rest." })),
    ("find_effect_template", Anyone,                  "1", none),
    ("replace_effect_template", Admin("admin:write"), "1", || json!({ "template": "Rest." })),
    ("delete_effect_template", Admin("admin:write"),  "1", none),
    ("list_effect_placeholders", Anyone,              "ttcg", none),
    ("find_effect_placeholder", Anyone,               "fodder", none),
    ("replace_effect_placeholder", Admin("admin:write"), "fodder", || json!({ "values": ["one card"] })),
    ("delete_effect_placeholder", Admin("admin:write"), "fodder", none),
    ("find_phrase_rules",   Anyone,                   "ttcg", none),
    ("replace_phrase_rules", Admin("admin:write"),    "none", || json!({ "removals": [], "replacements": [] })),
    ("list_effects",        Anyone,                   "ttcg", none),
    ("draw_effects",        Anyone,                   "ttcg", none),
    ("match_effects",       Anyone,                   "ttcg", || json!({ "sentences": ["Rest."] })),
    ("expand_template",     Anyone,                   "ttcg", || json!({ "template": "Rest." })),
    ("list_cards",          Anyone,                   "", none),
    ("find_named_card",     Anyone,                   "", none),
    ("suggest_card_names",  Anyone,                   "", none),
    ("draw_card",           Anyone,                   "", none),
    ("look_up_cards",       Anyone,                   "", || json!({ "identifiers": [{ "id": SOME }] })),
    ("find_card",           Anyone,                   SOME, none),
    ("list_printings",      Anyone,                   SOME, none),
    ("list_legalities",     Anyone,                   SOME, none),
    ("list_bulk_files",     Anyone,                   "", none),
    ("download_bulk_file",  Anyone,                   "ttcg-cards.ndjson.gz", none),
    ("list_changes",        Anyone,                   "", none),
    ("stream_changes",      Anyone,                   "", none),
    ("list_account_events", Scoped("events:read"),    "", none),
    ("stream_account_events", Scoped("events:read"),  "", none),
    ("list_decks",          Scoped("decks:read"),     "", none),
    ("create_deck",         Scoped("decks:write"),    "", || json!({ "name": "d", "format": "none/none", "entries": [] })),
    ("find_deck",           Anyone,                   SOME, none),
    ("replace_deck",        Scoped("decks:write"),    SOME, || json!({ "name": "d", "format": "none/none", "entries": [] })),
    ("delete_deck",         Scoped("decks:write"),    SOME, none),
    ("find_deck_report",    Anyone,                   SOME, none),
    ("create_deck_report",  Anyone,                   "", || json!({ "format": "none/none", "entries": [] })),
    ("list_collection",     Scoped("collection:read"), "", none),
    ("change_counts",       Scoped("collection:write"), "", || json!({ "changes": [{ "printing": SOME, "add": 1 }] })),
    ("read_import",         Scoped("collection:write"), "", || json!([])),
    ("commit_import",       Scoped("collection:write"), SOME, || json!({})),
    ("export_collection",   Scoped("collection:read"), "", none),
    ("find_completion",     Scoped("collection:read"), "", none),
    ("list_duplicates",     Scoped("collection:read"), "", none),
    ("set_count",           Scoped("collection:write"), SOME, || json!({ "quantity": 1 })),
    ("find_wants",          Scoped("collection:read"), "", none),
    ("replace_wants",       Scoped("collection:write"), "", || json!({ "items": [] })),
    ("find_haves",          Scoped("collection:read"), "", none),
    ("replace_haves",       Scoped("collection:write"), "", || json!({ "items": [] })),
    ("list_player_wants",   Anyone,                   "nobody", none),
    ("list_player_haves",   Anyone,                   "nobody", none),
    ("list_trade_matches",  Scoped("collection:read"), "", none),
    ("list_submissions",    Scoped("serials:read"),   "", none),
    ("create_submission",   Scoped("serials:submit"), "", || json!({ "serial": "0", "name": "x" })),
    ("create_submissions",  Scoped("serials:submit"), "", || json!({ "submissions": [{ "serial": "0", "name": "x" }] })),
    ("find_submission",     Scoped("serials:read"),   SOME, none),
    ("review_submission",   Moderator("admin:write"), SOME, || json!({ "confirmed": true, "note": "seen" })),
    ("list_waiting_submissions", Moderator("admin:write"), "", none),
    ("find_game_policy",    Anyone,                   "ttcg", none),
    ("set_game_policy",     Admin("admin:write"),     "none", || json!({ "threshold": 3 })),
    ("remove_game_policy",  Admin("admin:write"),     "none", none),
    ("find_set_policy",     Anyone,                   "veil", none),
    ("set_set_policy",      Admin("admin:write"),     "none", || json!({ "threshold": 3 })),
    ("remove_set_policy",   Admin("admin:write"),     "none", none),
    ("list_set_unlocks",    Anyone,                   "veil", none),
    ("unlock_set",          Admin("admin:write"),     "none", || json!({ "reason": "none" })),
    ("unlock_card",         Admin("admin:write"),     SOME, || json!({ "reason": "none" })),
    ("list_copies",         Scoped("serials:read"),   "", none),
    ("find_copy",           Scoped("serials:read"),   SOME, none),
    ("list_copy_history",   Scoped("serials:read"),   SOME, none),
    ("freeze_copy",         Moderator("admin:write"), SOME, || json!({ "reason": "r" })),
    ("unfreeze_copy",       Moderator("admin:write"), SOME, || json!({ "reason": "r" })),
    ("void_copy",           Moderator("admin:write"), SOME, || json!({ "reason": "r" })),
    ("list_player_copies",  Scoped("trades:read"),    "nobody", none),
    ("list_trades",         Scoped("trades:read"),    "", none),
    ("create_trade",        Scoped("trades:write"),   "", || json!({ "with": "nobody", "give": [SOME] })),
    ("find_trade",          Scoped("trades:read"),    SOME, none),
    ("accept_trade",        Scoped("trades:write"),   SOME, none),
    ("decline_trade",       Scoped("trades:write"),   SOME, none),
    ("cancel_trade",        Scoped("trades:write"),   SOME, none),
    ("counter_trade",       Scoped("trades:write"),   SOME, || json!({ "give": [SOME] })),
    ("list_disputes",       Scoped("serials:read"),   "", none),
    ("find_dispute",        Scoped("serials:read"),   SOME, none),
    ("create_statement",    Scoped("serials:submit"), SOME, || json!({ "text": "x" })),
    ("withdraw_dispute",    Scoped("serials:submit"), SOME, none),
    ("decide_dispute",      Moderator("admin:write"), SOME, || json!({ "outcome": "for_owner", "reason": "r" })),
    ("find_unlock_statistics", Anyone,                "", none),
    ("find_leaderboard",    Anyone,                   "", none),
    ("change_listing",      Login,                    "", || json!({ "on_leaderboard": false })),
    ("list_unlocks",        Anyone,                   "", none),
    ("find_unlock",         Anyone,                   SOME, none),
    ("list_print_runs",     Admin("admin:read"),      "", none),
    ("find_print_run",      Admin("admin:read"),      SOME, none),
    ("create_print_plan",   Admin("admin:read"),      "hearth", || json!({ "copies_per_card": 1 })),
    ("list_print_commitments", Anyone,                "hearth", none),
    ("create_print_commitment", Admin("admin:write"), "hearth", || json!({ "copies_per_card": 1 })),
    ("find_print_commitment", Anyone,                 SOME, none),
    ("reveal_print_commitment", Admin("admin:write"), SOME, none),
    ("find_print_statistics", Anyone,                 "hearth", none),
    ("list_webhooks",       Admin("admin:read"),      "", none),
    ("create_webhook",      Admin("admin:write"),     "", || json!({ "url": "https://hooks.example/", "kinds": ["card.unlocked"] })),
    ("find_webhook",        Admin("admin:read"),      SOME, none),
    ("replace_webhook",     Admin("admin:write"),     SOME, || json!({ "url": "https://hooks.example/", "kinds": ["card.unlocked"] })),
    ("delete_webhook",      Admin("admin:write"),     SOME, none),
    ("rotate_webhook_secret", Admin("admin:write"),   SOME, || json!({})),
    ("ping_webhook",        Admin("admin:write"),     SOME, none),
    ("list_webhook_deliveries", Admin("admin:read"),  SOME, none),
    ("find_webhook_delivery", Admin("admin:read"),    SOME, none),
    ("resend_webhook_delivery", Admin("admin:write"), SOME, none),
    ("list_audit_log",      Admin("admin:read"),      "", none),
    ("list_problems",       Anyone,                   "", none),
    ("find_problem",        Anyone,                   "not_found", none),
    ("healthz",             Anyone,                   "", none),
    ("readyz",              Anyone,                   "", none),
    ("metrics",             Anyone,                   "", none),
    ("find_document",       Anyone,                   "", none),
];

#[test]
fn every_operation_has_its_row() {
    let routed: BTreeSet<_> = ROUTES.iter().map(|(_, _, operation)| *operation).collect();
    let rows: BTreeSet<_> = MATRIX.iter().map(|(operation, ..)| *operation).collect();
    assert_eq!(routed, rows, "left: routes.rs, right: the matrix");
    assert_eq!(rows.len(), MATRIX.len(), "a row for each operation, not two");
}

/// The table of `docs/API.md` that says which operations a scope opens, and for whom.
fn scope_table() -> String {
    let mut opened = BTreeMap::<(usize, &str, &str), Vec<String>>::new();
    for (method, path, operation) in ROUTES {
        let (_, needs, ..) = MATRIX.iter().find(|(name, ..)| name == operation).unwrap();
        // In the order of the roles.
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

/// `CARDSCAPE_UPDATE=1 cargo test --test api the_scope_table` writes it. That the matrix is what the service does, the tests below show.
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
    // Every scope is explained, and no other.
    let explained = before.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let explained: BTreeSet<&str> = explained.filter(|word| word.contains(':')).collect();
    assert_eq!(explained, Scope::ALL.iter().map(|scope| scope.as_str()).collect());
}

/// What a permission did to a request, whatever happened after.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    LetIn,
    Unauthenticated,
    Forbidden(String),
}

async fn try_row(app: &TestApp, row: &Row, token: Option<&str>) -> Verdict {
    let (operation, _, parameter, body) = row;
    let (method, path, _) = ROUTES.iter().find(|(_, _, name)| name == operation).unwrap();
    let path: String =
        path.split('/')
            .map(|segment| {
                if segment.starts_with('{') { (*parameter).to_owned() } else { segment.to_owned() }
            })
            .collect::<Vec<_>>()
            .join("/");
    // A stream has no end, unless it does not begin.
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
            Verdict::LetIn
        }
    }
}

async fn token(app: &TestApp, owner: &Player, scopes: &[&str]) -> String {
    let body = json!({ "name": "t", "scopes": scopes });
    let made = app.post("/v1/tokens").by(owner).json(&body).answer().await.expect(201);
    made["secret"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn everybody_may_do_what_the_matrix_says_and_nothing_else() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let moderator = app.moderator().await;
    let player = app.player("player").await;
    let all: Vec<&str> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
    let everything = token(&app, &admin, &all).await;
    // An account may have fifty tokens: one for each scope, and one for each that is left out.
    let mut by_scope = BTreeMap::new();
    for scope in &all {
        let others: Vec<&str> = all.iter().copied().filter(|other| other != scope).collect();
        let tokens = (token(&app, &admin, &[scope]).await, token(&app, &admin, &others).await);
        by_scope.insert(*scope, tokens);
    }

    for row in MATRIX {
        let (operation, needs, ..) = row;
        // Operations that end the session get one of their own.
        let log_in = async |who: &Player| app.log_in(&who.name, &who.password).await.access_token;
        let (as_player, as_moderator, as_admin) =
            (log_in(&player).await, log_in(&moderator).await, log_in(&admin).await);
        let expect = async |who: &str, token: Option<&str>, verdict: Verdict| {
            assert_eq!(try_row(&app, row, token).await, verdict, "{operation} by {who}");
        };
        let forbidden = |code: &str| Verdict::Forbidden(code.to_owned());
        let closed = |open: bool| if open { Verdict::LetIn } else { Verdict::Unauthenticated };
        let by_role = |open: bool| if open { Verdict::LetIn } else { forbidden("forbidden") };

        expect("a stranger", None, closed(*needs == Anyone)).await;
        expect("a player", Some(&as_player), by_role(!matches!(needs, Moderator(_) | Admin(_))))
            .await;
        expect("a moderator", Some(&as_moderator), by_role(!matches!(needs, Admin(_)))).await;
        expect("an admin", Some(&as_admin), Verdict::LetIn).await;
        match needs {
            Anyone => {}
            Login => {
                expect("a token with every scope", Some(&everything), forbidden("login_required"))
                    .await
            }
            Scoped(scope) | Moderator(scope) | Admin(scope) => {
                let (right, wrong) = &by_scope[scope];
                expect("a token with the scope", Some(right), Verdict::LetIn).await;
                expect("a token with every other scope", Some(wrong), forbidden("scope_missing"))
                    .await;
            }
        }
    }
}

#[tokio::test]
async fn no_forged_or_stale_token_opens_anything() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let account = AccountId(admin.id.parse().unwrap());
    let now = app.clock().now();
    let claims = AccessClaims { account, session: SessionId::fresh() };
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
        for row in MATRIX.iter().filter(|(_, needs, ..)| *needs != Anyone) {
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

/// An operation that anybody may ask either looks at tokens and says so, or does not look at them.
#[tokio::test]
async fn the_document_tells_which_operations_read_a_token() {
    let app = TestApp::start().await;
    let document = serde_json::to_value(document()).unwrap();
    for row in MATRIX {
        let (operation, needs, ..) = row;
        let (method, path, _) = ROUTES.iter().find(|(_, _, name)| name == operation).unwrap();
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
async fn an_account_made_by_another_must_change_its_password_first() {
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
