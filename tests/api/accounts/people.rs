//! Only admins and moderators can search for accounts and read account names beside ids.

use std::sync::Arc;

use cardscape::auth::permission::Role;
use cardscape::domain::clock::Clock;
use chrono::Duration;
use serde_json::{Value, json};

use crate::support::{Answer, Player, RequestExt as _, TestApp, TestDb, Wiretap, text};

/// Gets a list with the credential of `by`.
async fn list(app: &TestApp, by: &Player, path: &str) -> Value {
    app.get(path).by(by).answer().await.expect(200)
}

/// A member of each item of a page.
fn each<'a>(page: &'a Value, member: &str) -> Vec<&'a str> {
    let items = page["data"].as_array().unwrap().iter();
    items.map(|item| item[member].as_str().unwrap_or("(absent)")).collect()
}

/// The names of a list of accounts.
async fn names(app: &TestApp, by: &Player, query: &str) -> Vec<String> {
    let page = list(app, by, &format!("/v1/accounts{query}")).await;
    each(&page, "name").into_iter().map(str::to_owned).collect()
}

/// Reads a list page by page; returns a member of each item.
async fn walk(app: &TestApp, by: &Player, path: &str, member: &str) -> Vec<String> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = list(app, by, &format!("{path}{cursor}")).await;
        let items = each(&page, member);
        assert!(items.len() <= 2, "limit=2 in {path}");
        all.extend(items.into_iter().map(str::to_owned));
        match page["next_cursor"].as_str() {
            None => return all,
            Some(next) => cursor = format!("&cursor={next}"),
        }
    }
}

/// Registers accounts without logging in.
async fn accounts(app: &TestApp, names: &[&str]) {
    for name in names {
        let body = json!({ "name": name, "password": "tram window sonnet" });
        app.post("/v1/accounts").json(&body).answer().await.expect(201);
    }
}

/// The owner, with a new token of these scopes in place of the session.
async fn with_token(app: &TestApp, owner: &Player, scopes: &[&str]) -> Player {
    let body = json!({ "name": "small", "scopes": scopes });
    let created = app.post("/v1/tokens").by(owner).json(&body).answer().await.expect(201);
    Player { access_token: text(&created, "secret"), ..owner.clone() }
}

#[tokio::test]
async fn accounts_are_found_by_part_of_their_names() {
    let app = TestApp::start().await;
    let moderator = app.moderator().await;
    accounts(&app, &["Nevada", "Ada Lovelace", "Adalbert", "Ada", "Bob_100", "Žofie", "%_%"]).await;
    for (query, expected) in [
        // The order is: the exact name, names that begin with the text, names that contain it.
        ("?name=ADA", &["Ada", "Adalbert", "Ada Lovelace", "Nevada"][..]),
        ("?name=ada-l", &["Adalbert", "Ada Lovelace"]),
        ("?name=lace", &["Ada Lovelace"]),
        ("?name=b", &["Bob_100", "Adalbert"]),
        ("?name=100", &["Bob_100"]),
        ("?name=%C5%BDOF", &["Žofie"]),
        ("?name=zofie", &[]),
        ("?name=nobody", &[]),
        // Characters with a meaning in database patterns have no special meaning here.
        ("?name=%25", &["%_%"]),
        ("?name=_", &["%_%"]),
        ("?name=%25_", &["%_%"]),
        ("?name=%5C", &[]),
        ("?name=*", &[]),
        ("?name=a_a", &[]),
        ("?name=ada%25rt", &[]),
        ("?name=b_b", &[]),
        ("?name=b_1", &["Bob_100"]),
    ] {
        assert_eq!(names(&app, &moderator, query).await, expected, "{query}");
    }
    let found = list(&app, &moderator, "/v1/accounts?name=nevada").await;
    let path = format!("/v1/accounts/{}", found["data"][0]["id"].as_str().unwrap());
    assert_eq!(
        list(&app, &moderator, &path).await,
        found["data"][0],
        "the list shows the account as it is found by id"
    );
}

#[tokio::test]
async fn a_cursor_continues_a_list_of_accounts() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let created = ["anna", "hanna", "anton", "joanna", "annabel", "susanna", "annika", "bob"];
    accounts(&app, &created).await;
    let by_name = ["anna", "annabel", "annika", "hanna", "joanna", "susanna"];
    assert_eq!(walk(&app, &admin, "/v1/accounts?name=ann&limit=2", "name").await, by_name);
    let all =
        ["anna", "annabel", "annika", "anton", "bob", "hanna", "joanna", "susanna", "the admin"];
    assert_eq!(walk(&app, &admin, "/v1/accounts?limit=2", "name").await, all);

    // Accounts that register between two pages do not move other accounts.
    let first = app.get("/v1/accounts?name=ann&limit=4").by(&admin).answer().await;
    assert!(first.header("link").contains("name=ann"), "{}", first.header("link"));
    let first = first.expect(200);
    assert_eq!(each(&first, "name"), ["anna", "annabel", "annika", "hanna"]);
    accounts(&app, &["annaba", "deanna", "marianna"]).await;
    let next = text(&first, "next_cursor");
    let rest = format!("?name=ann&limit=4&cursor={next}");
    assert_eq!(names(&app, &admin, &rest).await, ["joanna", "marianna", "susanna"]);

    for cursor in ["nonsense", "WyJhIl0", "WzEsMl0"] {
        let refused = app.get(&format!("/v1/accounts?cursor={cursor}")).by(&admin).answer().await;
        refused.problem(400, "invalid_cursor");
    }
    let page = app.get("/v1/accounts?name=ann").by(&admin).answer().await;
    let again =
        app.get("/v1/accounts?name=ann").by(&admin).header("if-none-match", page.header("etag"));
    assert_eq!(again.answer().await.status, 304);
    assert!(page.header("cache-control").contains("private"), "{}", page.header("cache-control"));
}

#[tokio::test]
async fn accounts_are_filtered_by_role_and_ban() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let moderator = app.moderator().await;
    let (ada, _ben) = (app.player("ada").await, app.player("ben the adder").await);
    let ban = json!({ "banned": true });
    app.patch(&format!("/v1/accounts/{}", ada.id)).by(&admin).json(&ban).answer().await.expect(200);
    for (query, expected) in [
        ("?role=admin", &["the admin"][..]),
        ("?role=moderator", &["the moderator"]),
        ("?role=player", &["ada", "ben the adder"]),
        ("?banned=true", &["ada"]),
        ("?banned=false", &["ben the adder", "the admin", "the moderator"]),
        ("?banned=true&role=admin", &[]),
        ("?name=ad&role=player", &["ada", "ben the adder"]),
        ("?name=ad&banned=false", &["ben the adder", "the admin"]),
        ("?name=ad&banned=true&role=player", &["ada"]),
    ] {
        assert_eq!(names(&app, &moderator, query).await, expected, "{query}");
    }
    let banned = list(&app, &moderator, "/v1/accounts?banned=true").await;
    assert!(banned["data"][0]["banned_at"].is_string(), "{banned}");
}

#[tokio::test]
async fn invalid_query_parameters_are_rejected() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let long = format!("/v1/accounts?name={}", "x".repeat(33));
    for (path, pointer) in [
        ("/v1/accounts?name=", "?name"),
        ("/v1/accounts?name=%20", "?name"),
        ("/v1/accounts?name=%00", "?name"),
        (long.as_str(), "?name"),
        ("/v1/accounts?role=king", "?role"),
        ("/v1/accounts?banned=maybe", "?banned"),
        ("/v1/accounts?nmae=ada", "?nmae"),
        ("/v1/accounts?name=a&name=b", "?name"),
        ("/v1/audit-log?account=x", "?account"),
        ("/v1/audit-log?actor=%00ab", "?actor"),
        ("/v1/audit-log?action=Everything", "?action"),
        ("/v1/audit-log?action=account.*", "?action"),
        ("/v1/audit-log?target=ttcg", "?target"),
        ("/v1/audit-log?from=yesterday", "?from"),
        ("/v1/audit-log?until=2026-02-30", "?until"),
        ("/v1/audit-log?name=ada", "?name"),
        ("/v1/disputes?role=moderator&state=lost", "?state"),
        ("/v1/disputes?role=moderator&account=..", "?account"),
        ("/v1/disputes?role=moderator&from=1", "?from"),
        ("/v1/disputes?role=moderator&claimant=ada", "?claimant"),
        ("/v1/submission-reviews?account=x", "?account"),
        ("/v1/submission-reviews?game=%20", "?game"),
        ("/v1/submission-reviews?state=open", "?state"),
    ] {
        let refused = app.get(path).by(&admin).answer().await;
        assert_eq!(refused.status, 400, "{path}: {}", refused.text());
        let refused = refused.problem(400, "invalid_query");
        assert_eq!(refused["errors"][0]["pointer"], pointer, "{path}: {refused}");
    }
}

#[tokio::test]
async fn players_and_anonymous_clients_cannot_list_accounts() {
    let app = TestApp::start().await;
    let (moderator, ada) = (app.moderator().await, app.player("ada").await);
    for query in ["", "?name=ada", "?name=nobody", "?role=admin", "?nmae=x"] {
        let path = format!("/v1/accounts{query}");
        app.get(&path).answer().await.problem(401, "unauthenticated");
        app.get(&path).by(&ada).answer().await.problem(403, "forbidden");
    }
    let small = with_token(&app, &moderator, &["admin:write", "serials:read"]).await;
    let refused = app.get("/v1/accounts?name=ada").by(&small).answer().await;
    assert_eq!(refused.problem(403, "scope_missing")["scope"], "admin:read");
    let reader = with_token(&app, &moderator, &["admin:read"]).await;
    assert_eq!(names(&app, &reader, "?name=ada").await, ["ada"]);
}

#[tokio::test]
async fn the_leaderboard_setting_can_be_read() {
    let app = TestApp::start().await;
    let (ada, moderator) = (app.player("ada").await, app.moderator().await);
    let me = async || list(&app, &ada, "/v1/me").await["on_leaderboard"].clone();
    assert_eq!(me().await, false, "a new account is not on the leaderboard");
    for listed in [true, true, false] {
        let body = json!({ "on_leaderboard": listed });
        app.put("/v1/me/leaderboard").by(&ada).json(&body).answer().await.expect(204);
        assert_eq!(me().await, listed);
        let account = list(&app, &moderator, &format!("/v1/accounts/{}", ada.id)).await;
        assert_eq!(account["on_leaderboard"], listed);
    }
}

/// A dispute between two players about a copy, with a third player, a moderator and an admin.
struct Case {
    app: TestApp,
    owner: Player,
    claimant: Player,
    stranger: Player,
    moderator: Player,
    admin: Player,
    copy: String,
    dispute: String,
    /// A second dispute: the stranger claims a copy of the claimant.
    other: String,
}

async fn dispute_case() -> Case {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    let cards = app.print("dusk", 10).await;
    let (owner, claimant) = (app.player("Olga the First").await, app.player("Claas").await);
    let stranger = app.player("Sten").await;
    let (moderator, admin) = (app.moderator().await, app.admin().await);
    let claim = async |who: &Player, card| {
        text(&app.submit(who, card).await.problem(409, "registered_to_another"), "dispute_id")
    };
    let copy = app.register(&owner, &cards[0]).await;
    let dispute = claim(&claimant, &cards[0]).await;
    app.register(&claimant, &cards[1]).await;
    let other = claim(&stranger, &cards[1]).await;
    Case { app, owner, claimant, stranger, moderator, admin, copy, dispute, other }
}

impl Case {
    async fn ids(&self, by: &Player, query: &str) -> Vec<String> {
        let page = list(&self.app, by, &format!("/v1/disputes{query}")).await;
        each(&page, "id").into_iter().map(str::to_owned).collect()
    }

    async fn say(&self, player: &Player) -> Answer {
        let path = format!("/v1/disputes/{}/statements", self.dispute);
        self.app.post(&path).by(player).json(&json!({ "text": "It is mine." })).answer().await
    }

    async fn decide(&self, moderator: &Player, outcome: &str) -> Value {
        let path = format!("/v1/disputes/{}/decide", self.dispute);
        let body = json!({ "outcome": outcome, "reason": "a photograph" });
        self.app.post(&path).by(moderator).json(&body).answer().await.expect(200)
    }
}

#[tokio::test]
async fn moderators_read_the_names_of_the_sides_of_a_dispute() {
    let case = dispute_case().await;
    case.say(&case.claimant).await.expect(201);
    case.say(&case.owner).await.expect(201);
    let path = format!("/v1/disputes/{}", case.dispute);
    let seen = list(&case.app, &case.moderator, &path).await;
    assert_eq!(seen["parties"]["claimant_name"], "Claas");
    assert_eq!(seen["parties"]["owner_name"], "Olga the First");
    assert_eq!(seen["parties"].get("decided_by_name"), None);
    assert_eq!(seen["statements"][0]["account_name"], "Claas");
    assert_eq!(seen["statements"][1]["account_name"], "Olga the First");
    let page = list(&case.app, &case.moderator, "/v1/disputes?role=moderator").await;
    assert_eq!(page["data"][1]["parties"], seen["parties"]);
    assert_eq!(page["data"][0]["parties"]["claimant_name"], "Sten");

    let decided = case.decide(&case.moderator, "for_claimant").await;
    for (member, name) in [
        ("owner_name", "Claas"),
        ("claimant_name", "Claas"),
        ("lost_by_name", "Olga the First"),
        ("decided_by_name", "the moderator"),
    ] {
        assert_eq!(decided["parties"][member], name, "{member}");
    }
    // A token that may decide disputes but not read accounts gets ids without names.
    let small = with_token(&case.app, &case.moderator, &["admin:write"]).await;
    let again = case.decide(&small, "for_claimant").await;
    assert_eq!(again["parties"]["claimant_id"], case.claimant.id);
    assert_eq!(again["parties"].get("claimant_name"), None);
    assert_eq!(again["statements"][0].get("account_name"), None);
}

#[tokio::test]
async fn sides_of_a_dispute_read_no_names() {
    let case = dispute_case().await;
    let everybody = [&case.owner, &case.claimant, &case.stranger, &case.moderator];
    let check_that_no_other_account_is_shown = |who: &Player, answer: &Answer| {
        let body = answer.text();
        for other in everybody.iter().filter(|other| other.id != who.id) {
            assert!(!body.contains(&other.name) && !body.contains(&other.id), "{body}");
        }
        assert!(!body.contains("_name\"") && !body.contains("parties"), "{body}");
    };
    for outcome in [None, Some("for_claimant")] {
        if let Some(outcome) = outcome {
            case.decide(&case.moderator, outcome).await;
        }
        for who in [&case.owner, &case.claimant] {
            if outcome.is_none() {
                let statement = case.say(who).await;
                check_that_no_other_account_is_shown(who, &statement);
                statement.expect(201);
            }
            for path in [
                format!("/v1/disputes/{}", case.dispute),
                "/v1/disputes".to_owned(),
                "/v1/disputes?state=open".to_owned(),
                "/v1/disputes?role=owner".to_owned(),
                "/v1/copies".to_owned(),
                "/v1/submissions".to_owned(),
                "/v1/me/events".to_owned(),
            ] {
                let answer = case.app.get(&path).by(who).answer().await;
                check_that_no_other_account_is_shown(who, &answer);
                answer.expect(200);
            }
        }
    }
    // The new owner reads the history of the copy without names.
    for path in [format!("/v1/copies/{}", case.copy), format!("/v1/copies/{}/history", case.copy)] {
        let answer = case.app.get(&path).by(&case.claimant).answer().await;
        check_that_no_other_account_is_shown(&case.claimant, &answer);
        answer.expect(200);
    }
}

/// With a filter by account, one side could try names until the list shows the dispute.
#[tokio::test]
async fn sides_of_a_dispute_cannot_filter_by_account() {
    let case = dispute_case().await;
    for who in [&case.owner, &case.claimant, &case.stranger, &case.moderator] {
        for account in ["Claas", "nobody", &case.claimant.id, &case.owner.id] {
            for role in ["", "&role=claimant", "&role=owner"] {
                let path = format!("/v1/disputes?account={account}{role}");
                let refused = case.app.get(&path).by(who).answer().await;
                let refused = refused.problem(400, "invalid_query");
                assert_eq!(refused["errors"][0]["pointer"], "?account");
            }
        }
    }
    for account in ["Claas", "nobody"] {
        let path = format!("/v1/disputes?role=moderator&account={account}");
        case.app.get(&path).by(&case.owner).answer().await.problem(403, "forbidden");
    }
    let small = with_token(&case.app, &case.moderator, &["serials:read", "admin:write"]).await;
    let refused = case.app.get("/v1/disputes?role=moderator&account=Claas").by(&small).answer();
    refused.await.problem(403, "scope_missing");
}

#[tokio::test]
async fn disputes_are_filtered_by_account_state_and_time() {
    let case = dispute_case().await;
    let (first, second) = (case.dispute.as_str(), case.other.as_str());
    let id = |player: &Player| format!("?role=moderator&account={}", player.id);
    for (query, expected) in [
        ("?role=moderator", &[second, first][..]),
        ("?role=moderator&account=olga-the-first", &[first]),
        ("?role=moderator&account=CLAAS", &[second, first]),
        ("?role=moderator&account=claa", &[]),
        ("?role=moderator&account=the%20moderator", &[]),
        (&id(&case.owner), &[first]),
        (&id(&case.stranger), &[second]),
        (&id(&case.moderator), &[]),
    ] {
        assert_eq!(case.ids(&case.moderator, query).await, expected, "{query}");
    }
    let walked =
        walk(&case.app, &case.admin, "/v1/disputes?role=moderator&account=claas&limit=1", "id");
    assert_eq!(walked.await, [second, first]);

    case.decide(&case.moderator, "for_claimant").await;
    let now = case.app.clock().now();
    let tomorrow = (now + Duration::days(1)).format("%Y-%m-%d");
    let today = now.format("%Y-%m-%d");
    for (query, expected) in [
        // The account that lost the copy is still found.
        ("account=Olga the First".to_owned(), &[first][..]),
        ("state=open".to_owned(), &[second]),
        ("state=for_claimant".to_owned(), &[first]),
        ("state=for_claimant&account=claas".to_owned(), &[first]),
        ("state=withdrawn".to_owned(), &[]),
        ("open=false&state=for_claimant".to_owned(), &[first]),
        ("open=true&state=for_claimant".to_owned(), &[]),
        ("open=false&state=open".to_owned(), &[]),
        (format!("from={today}&until={tomorrow}"), &[second, first]),
        (format!("until={today}"), &[]),
        (format!("from={tomorrow}"), &[]),
        (format!("from={today}&state=open"), &[second]),
    ] {
        let query = format!("?role=moderator&{query}");
        assert_eq!(case.ids(&case.moderator, &query).await, expected, "{query}");
    }
    // The sides of a dispute may also filter by state and time.
    assert_eq!(case.ids(&case.claimant, "?state=open").await, [second]);
    assert_eq!(case.ids(&case.claimant, "?state=for_claimant").await, [first]);
    assert_eq!(case.ids(&case.claimant, &format!("?until={today}")).await, Vec::<String>::new());
}

#[tokio::test]
async fn moderators_read_the_names_of_the_owners_of_copies() {
    let case = dispute_case().await;
    case.app.hand_over(&case.owner, &case.stranger, &case.copy).await;
    let path = format!("/v1/copies/{}", case.copy);
    let copy = list(&case.app, &case.moderator, &path).await;
    assert_eq!(copy["owner_name"], "Sten");
    let history = list(&case.app, &case.moderator, &format!("{path}/history")).await;
    assert_eq!(each(&history, "event"), ["register", "dispute", "transfer"]);
    assert_eq!(each(&history, "account_name"), ["Olga the First", "Claas", "Sten"]);
    assert_eq!(each(&history, "owner_name"), ["Olga the First", "Olga the First", "Sten"]);
    let frozen = case.app.moderate(&case.moderator, &case.copy, "freeze").await.expect(200);
    assert_eq!(frozen["owner_name"], "Sten");
    for path in [path.clone(), format!("{path}/history"), "/v1/copies".to_owned()] {
        let answer = case.app.get(&path).by(&case.stranger).answer().await;
        assert!(!answer.text().contains("_name\""), "{}", answer.text());
        answer.expect(200);
    }
}

#[tokio::test]
async fn the_review_queue_has_names_and_filters() {
    let app = TestApp::start().await;
    let (admin, moderator) = (app.admin().await, app.moderator().await);
    for set in ["dusk", "dawn"] {
        app.import_set(set, 2, true).await;
        let path = format!("/v1/games/ttcg/sets/{set}/unlock-policy");
        let policy = json!({ "threshold": 3, "review": true });
        app.put(&path).by(&admin).json(&policy).answer().await.expect(201);
    }
    let (dusk, dawn) = (app.print("dusk", 10).await, app.print("dawn", 10).await);
    let (ada, ben) = (app.player("Ada").await, app.player("Ben").await);
    app.register(&ada, &dusk[0]).await;
    app.register(&ben, &dusk[1]).await;
    app.register(&ada, &dawn[0]).await;
    let queue = async |by: &Player, query: &str| {
        list(&app, by, &format!("/v1/submission-reviews{query}")).await
    };
    let by_id = format!("?account={}", ada.id);
    app.seed(&["emojito"]).await;
    for (query, expected) in [
        ("", &["Ada", "Ben", "Ada"][..]),
        ("?game=emojito", &[]),
        ("?account=ada", &["Ada", "Ada"]),
        (&by_id, &["Ada", "Ada"]),
        ("?account=nobody", &[]),
        ("?set=dusk", &["Ada", "Ben"]),
        ("?game=ttcg&set=dawn", &["Ada"]),
        ("?account=ben&set=dawn", &[]),
        ("?account=ada&set=dusk&game=ttcg", &["Ada"]),
    ] {
        assert_eq!(each(&queue(&moderator, query).await, "account_name"), expected, "{query}");
    }
    let walked =
        walk(&app, &moderator, "/v1/submission-reviews?account=ada&limit=1", "account_name");
    assert_eq!(walked.await, ["Ada", "Ada"]);

    // A token that may review submissions may not read accounts.
    let small = with_token(&app, &moderator, &["admin:write"]).await;
    let page = queue(&small, &by_id).await;
    assert_eq!(each(&page, "account"), [ada.id.as_str(), ada.id.as_str()]);
    assert!(!page.to_string().contains("Ada"), "{page}");
    for name in ["ada", "nobody"] {
        let path = format!("/v1/submission-reviews?account={name}");
        let refused = app.get(&path).by(&small).answer().await.problem(403, "scope_missing");
        assert_eq!(refused["scope"], "admin:read");
    }
    app.get("/v1/submission-reviews?account=ada").by(&ben).answer().await.problem(403, "forbidden");
}

#[tokio::test]
async fn the_audit_log_has_names() {
    let case = dispute_case().await;
    let role = json!({ "role": "moderator" });
    let path = format!("/v1/accounts/{}", case.stranger.id);
    case.app.patch(&path).by(&case.admin).json(&role).answer().await.expect(200);
    case.decide(&case.moderator, "for_claimant").await;
    case.app.created_by_operator("by the operator", Role::Admin, "first password").await;
    let log = list(&case.app, &case.admin, "/v1/audit-log?limit=3").await;
    let [created, decided, changed] = [0, 1, 2].map(|at| &log["data"][at]);
    assert_eq!((created.get("actor_id"), created.get("actor_name")), (None, None));
    assert_eq!(created["target_name"], "by the operator");
    assert_eq!(decided["actor_name"], "the moderator");
    assert_eq!(decided.get("target_name"), None);
    assert_eq!(decided["details"]["owner"]["from"], case.owner.id);
    let expected = json!({ &case.owner.id: "Olga the First", &case.claimant.id: "Claas" });
    assert_eq!(decided["names"], expected, "only accounts whose ids are in the details");
    assert_eq!(
        (&changed["actor_name"], &changed["target_name"]),
        (&json!("the admin"), &json!("Sten"))
    );
    assert_eq!(changed.get("names"), None);
    assert_eq!(changed["target"], format!("account:{}", case.stranger.id));
}

#[tokio::test]
async fn the_audit_log_is_filtered() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let (ada, ben) = (app.player("Ada").await, app.player("Ben").await);
    let change = async |of: &Player, what: Value| {
        let admin = app.log_in(&admin.name, &admin.password).await;
        let path = format!("/v1/accounts/{}", of.id);
        app.patch(&path).by(&admin).json(&what).answer().await.expect(200);
        app.clock().advance(Duration::days(1));
    };
    let began = app.clock().now();
    change(&ada, json!({ "banned": true })).await;
    change(&ben, json!({ "banned": true })).await;
    change(&ada, json!({ "banned": false })).await;
    let ada = app.log_in("Ada", &ada.password).await;
    let own = json!({ "current_password": ada.password, "new_password": "violet harbour lamp" });
    app.put("/v1/me/password").by(&ada).json(&own).answer().await.expect(204);
    let admin = app.log_in(&admin.name, &admin.password).await;

    let (password, changed) = ("account.password_changed", "account.changed");
    let day = |days: i64| (began + Duration::days(days)).format("%Y-%m-%dT%H:%M:%SZ").to_string();
    let of_ada = format!("target=account:{}", ada.id);
    for (query, expected) in [
        // The password change by ada is listed once, although ada is both its actor and its target.
        ("account=ada".to_owned(), &[password, changed, changed][..]),
        (format!("account={}", ada.id), &[password, changed, changed]),
        ("account=ben".to_owned(), &[changed]),
        ("account=nobody".to_owned(), &[]),
        ("actor=ada".to_owned(), &[password]),
        ("actor=ben".to_owned(), &[]),
        ("actor=the admin&action=account.changed".to_owned(), &[changed, changed, changed]),
        ("actor=the admin&account=ada".to_owned(), &[changed, changed]),
        (of_ada.clone(), &[password, changed, changed]),
        (format!("{of_ada}&action=account.password_changed"), &[password]),
        ("action=account&account=ben".to_owned(), &[changed]),
        ("action=accoun&account=ben".to_owned(), &[]),
        ("action=game".to_owned(), &[]),
        (format!("action=account.changed&from={}", day(1)), &[changed, changed]),
        (format!("action=account.changed&until={}", day(1)), &[changed]),
        (format!("account=ada&from={}&until={}", day(1), day(3)), &[changed]),
        (format!("account=ada&from={}", (began + Duration::days(30)).format("%Y-%m-%d")), &[]),
    ] {
        let page = list(&app, &admin, &format!("/v1/audit-log?{query}")).await;
        assert_eq!(each(&page, "action"), expected, "{query}");
    }
    for filter in [
        "",
        "&account=ada",
        "&action=account",
        "&actor=the admin",
        "&until=9999-12-31T23:59:60Z",
        "&from=0000-01-01",
    ] {
        let whole = list(&app, &admin, &format!("/v1/audit-log?limit=200{filter}")).await;
        let walked = walk(&app, &admin, &format!("/v1/audit-log?limit=2{filter}"), "id").await;
        assert_eq!(walked, each(&whole, "id"), "{filter}");
        assert!(walked.len() >= 3, "{filter}");
    }
    app.get("/v1/audit-log?account=ada").by(&ada).answer().await.problem(403, "forbidden");
}

/// The service reads the names for a page in one statement, for any page length.
#[tokio::test]
async fn names_take_one_statement_for_a_page() {
    let db = Arc::new(TestDb::create().await);
    let wiretap = Wiretap::start(&db.url()).await;
    let url = wiretap.url().to_owned();
    let app = TestApp::start_tuned(db, Clock::system(), |_| {}, |store| store.url = url);
    app.import_set("dusk", 4, true).await;
    let cards = app.print("dusk", 10).await;
    let (admin, ada, ben) = (app.admin().await, app.player("ada").await, app.player("ben").await);
    let cem = app.player("cem").await;
    for (card, claimant) in cards.iter().zip([&ben, &cem, &ben, &cem]) {
        app.register(&ada, card).await;
        app.submit(claimant, card).await.problem(409, "registered_to_another");
    }
    // Entries of the audit log about several accounts.
    for player in [&ada, &ben] {
        let change = app.patch(&format!("/v1/accounts/{}", player.id)).by(&admin);
        change.json(&json!({ "role": "moderator" })).answer().await.expect(200);
    }
    for (path, most) in [("/v1/disputes?role=moderator", 4), ("/v1/audit-log", 2)] {
        let page = list(&app, &admin, path).await;
        assert!(page["data"].as_array().unwrap().len() >= most, "{page}");
        wiretap.take_statements(&[]);
        list(&app, &admin, path).await;
        let statements = wiretap.take_statements(&["\"accounts\".\"name\""]);
        assert_eq!(statements.len(), 1, "{path}: {statements:#?}");
    }
}
