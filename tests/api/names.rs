//! Names of accounts: a name that looks like an existing name is taken, and clients cannot find out which names exist.

use std::time::Duration;

use cardscape::domain::text::AccountName;
use cardscape::store::accounts::name_skeletons;
use cardscape::store::db::backlog::UNTIL_DONE;
use serde_json::{Value, json};

use crate::designs::{heron, shared};
use crate::support::{Answer, PASSWORD, Program, RequestExt as _, TestApp, TestDb, Wiretap, run};

async fn register(app: &TestApp, name: &str) -> Answer {
    let body = json!({ "name": name, "password": PASSWORD });
    app.post("/v1/accounts").json(&body).answer().await
}

/// Names that look like "Scope", with Cyrillic and mathematical letters and with a digit.
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
    // A log-in needs the exact name, not a name that looks like it.
    let body = json!({ "name": LIKE_SCOPE[0], "password": PASSWORD });
    app.post("/v1/sessions").json(&body).answer().await.problem(401, "wrong_credentials");
}

/// UTS 39 depends on case, names do not: "m" looks like "rn", a small Cyrillic "н" does not look like "H".
#[tokio::test]
async fn names_that_look_like_another_in_letters_of_one_case_are_taken() {
    let app = TestApp::start().await;
    for (name, alike) in [
        ("Max", "m\u{430}x"),
        ("m\u{438}\u{430}", "M\u{438}a"),
        ("Mona", "rnona"),
        ("\u{456}ris", "Iris"),
        ("\u{43d}\u{438}\u{43d}\u{430}", "H\u{438}\u{43d}\u{430}"),
    ] {
        register(&app, name).await.expect(201);
        register(&app, alike).await.problem(409, "name_taken");
    }
    for name in ["Gail", "Gall"] {
        register(&app, name).await.expect(201);
    }
}

/// The migration by which the letter ʼ counts as an apostrophe.
const APOSTROPHES: (&str, &str) = (
    include_str!("../../migrations/2026-11-30-000108_apostrophes_in_name_keys/up.sql"),
    include_str!("../../migrations/2026-11-30-000108_apostrophes_in_name_keys/down.sql"),
);

#[tokio::test]
async fn the_letter_apostrophe_counts_as_an_apostrophe() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    register(&app, "O\u{2bc}Neil").await.expect(201);
    register(&app, "O\u{2019}Neil").await.problem(409, "name_taken");
    let older = "UPDATE accounts SET name_key = 'o\u{2bc}neil' WHERE name = 'O\u{2bc}Neil'; \
                 UPDATE card_content SET name = 'Ka\u{2bc}an Imp', name_key = 'ka\u{2bc}animp', search_key = 'ka\u{2bc}animp' \
                 WHERE name IN ('Kettle Imp', 'Ka\u{2bc}an Imp')";
    let is_found = async || {
        for name in ["O\u{2bc}Neil", "o'neil", "ONEIL"] {
            app.log_in(name, PASSWORD).await;
        }
        for name in ["ka%CA%BCan%20imp", "Ka'an%20Imp", "kaan%20imp"] {
            let path = format!("/v1/cards/named?exact={name}");
            assert_eq!(app.get(&path).answer().await.expect(200)["number"], "016", "{name}");
        }
    };
    let (up, down) = APOSTROPHES;
    app.sql(down).await;
    app.sql(older).await;
    app.sql(up).await;
    is_found().await;
    // A program of the older version that still runs writes such keys.
    app.sql(older).await;
    is_found().await;
}

/// Cards whose names differ only in this letter have one key: with it, the copies of each can still be registered.
#[tokio::test]
async fn cards_that_differ_in_a_letter_apostrophe_keep_their_copies() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (up, down) = APOSTROPHES;
    app.sql(down).await;
    app.sql(
        "UPDATE card_content SET name = 'Kettle \u{2bc}Imp', name_key = 'kettle\u{2bc}imp', search_key = 'kettle\u{2bc}imp' WHERE card_id = \
         (SELECT card_id FROM card_content WHERE name <> 'Kettle Imp' AND open ORDER BY card_id LIMIT 1)",
    )
    .await;
    app.sql(up).await;
    let with = |condition: &str| {
        format!(
            "SELECT count(*) FROM card_content WHERE name_key = 'kettleimp' AND name_scope {condition}"
        )
    };
    assert_eq!(app.db().number(&with("= ''")).await, 1);
    assert_eq!(app.db().number(&with("= card_id::text")).await, 1);
}

/// The statement of the guide for operators by which an account gets another name.
fn renaming(account: &str, name: &str) -> String {
    let guide = include_str!("../../docs/OPERATIONS.md");
    let blocks = guide.split("```sql\n").skip(1).filter_map(|rest| rest.split("```").next());
    let statement = blocks.into_iter().find(|block| block.contains("UPDATE accounts")).unwrap();
    statement.replace("ACCOUNT-ID", account).replace("NEWNAME", name)
}

#[tokio::test]
async fn operators_rename_accounts_in_the_database() {
    let app = crate::designs::app().await;
    let (ada, ben) = (app.player("ada").await, app.player("Ben1").await);
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let deck = json!({ "name": "Embers", "format": "ttcg/standard", "visibility": "public", "list": "1 Kettle Imp" });
    let deck = app.post("/v1/decks").by(&ada).json(&deck).answer().await.header("location");
    let stored =
        "SELECT string_agg(name || ' ' || name_key, ', ' ORDER BY created_at) FROM accounts";
    assert_eq!(app.db().value(stored).await, "ada ada, Ben1 ben1");

    // Names that are taken, that look like one, and for which the statement cannot compute what they are compared by.
    for name in ["ben1", "BENI", "Benl", "Beni"] {
        assert!(app.db().refuses(&renaming(&ada.id, name)).await, "{name}");
    }
    for name in ["gr", "Grace Hopper", "Gr\u{e5}ce", &"g".repeat(33)] {
        app.sql(&renaming(&ada.id, name)).await;
    }
    assert_eq!(app.db().value(stored).await, "ada ada, Ben1 ben1");

    app.sql(&renaming(&ada.id, "Grace1906")).await;
    let grace = app.log_in("grace1906", PASSWORD).await;
    assert_eq!(grace.id, ada.id);
    let old = json!({ "name": "ada", "password": PASSWORD });
    app.post("/v1/sessions").json(&old).answer().await.problem(401, "wrong_credentials");
    // The session from before goes on.
    assert_eq!(app.get("/v1/me").by(&ada).answer().await.expect(200)["name"], "Grace1906");
    for path in [&design, &deck] {
        let seen = app.get(path).answer().await.expect(200);
        assert_eq!(seen["author"], "Grace1906", "{path}");
        let page = app.get(path.trim_start_matches("/v1")).answer().await.text();
        assert!(page.contains("Grace1906"), "{page}");
    }
    app.get("/v1/authors/Grace1906").answer().await.expect(200);
    app.get("/v1/authors/ada").answer().await.problem(404, "not_found");

    register(&app, "GraceI9O6").await.problem(409, "name_taken");
    register(&app, "ada").await.expect(201);
    // The statement computes the looks as the service does.
    let mut letters = ('A'..='Z').chain('a'..='z').chain('0'..='9');
    for length in [32, 30] {
        let name: String = letters.by_ref().take(length).collect();
        app.sql(&renaming(&ben.id, &name)).await;
        let looks = format!(
            "SELECT concat_ws(' ', name_skeleton, name_small_look, name_capital_look) FROM accounts WHERE name = '{name}'"
        );
        let name = AccountName::parse(&name).unwrap();
        let expected = [name.skeleton(), name.small_look(), name.capital_look()].join(" ");
        assert_eq!(app.db().value(&looks).await, expected);
    }
}

#[tokio::test]
async fn one_of_many_similar_names_is_registered() {
    let app = TestApp::start().await;
    let other = app.second_instance();
    let tries = (0..8).map(|n| register(if n % 2 == 0 { &app } else { &other }, LIKE_SCOPE[n % 4]));
    let answers = futures_util::future::join_all(tries).await;
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409, 409, 409, 409, 409, 409, 409]);
}

/// Leaves the accounts as a version without skeletons stores them.
const FORGET_LOOKS: &str =
    "UPDATE accounts SET name_skeleton = NULL, name_small_look = NULL, name_capital_look = NULL";

/// Accounts from a version without name skeletons keep their names, and new accounts cannot register names that look like them.
#[tokio::test]
async fn names_from_before_skeletons_stay_valid_and_are_protected() {
    let app = TestApp::start().await;
    register(&app, "Ada").await.expect(201);
    app.sql(FORGET_LOOKS).await;
    register(&app, "\u{410}da").await.expect(201);
    register(&app, "ben").await.expect(201);
    app.sql(FORGET_LOOKS).await;
    let fill_in = async || name_skeletons::fill_in(app.store(), UNTIL_DONE).await.unwrap();
    let (first, second) = tokio::join!(fill_in(), fill_in());
    assert_eq!(first + second, 3);
    assert_eq!(fill_in().await, 0);
    for name in ["Ada", "\u{410}da", "ben"] {
        app.log_in(name, PASSWORD).await;
    }
    register(&app, "Ad\u{430}").await.problem(409, "name_taken");
    register(&app, "b\u{435}n").await.problem(409, "name_taken");
}

#[tokio::test]
async fn names_from_before_looks_in_one_case_stay_valid_and_are_protected() {
    let app = TestApp::start().await;
    let names = ["Iris", "\u{456}ris"];
    for name in names {
        register(&app, name).await.expect(201);
        app.sql("UPDATE accounts SET name_small_look = NULL, name_capital_look = NULL").await;
    }
    let skeletons = "SELECT string_agg(name_skeleton, ' ' ORDER BY name_skeleton) FROM accounts";
    assert_eq!(app.db().value(skeletons).await, "iris lris");
    assert_eq!(name_skeletons::fill_in(app.store(), UNTIL_DONE).await.unwrap(), 2);
    assert_eq!(app.db().value(skeletons).await, "iris lris", "they stay");
    for name in names {
        app.log_in(name, PASSWORD).await;
    }
    // The first looks like "iris" in small letters, the second like "IRIS" in capitals, and both like neither as they are written.
    for name in ["ir\u{406}s", "1RIS"] {
        register(&app, name).await.problem(409, "name_taken");
    }
}

/// Housekeeping fills them in for one turn at a time, so that its other jobs do not wait for many accounts.
#[tokio::test]
async fn skeletons_of_many_names_are_filled_in_over_several_turns() {
    let app = TestApp::start().await;
    app.sql(
        "INSERT INTO accounts (id, name, name_key, password_hash, role, must_change_password, created_at) \
         SELECT gen_random_uuid(), 'player ' || n, 'player ' || n, '$argon2id$', 'player', false, now() FROM generate_series(1, 250) n",
    )
    .await;
    let mut turns = Vec::new();
    for _ in 0..3 {
        turns.push(name_skeletons::fill_in(app.store(), Duration::ZERO).await.unwrap());
    }
    assert_eq!(turns, [200, 50, 0]);
}

/// A log-in with a wrong password sends the same statements to the database whether the name exists or not, and whether its owner has logged in before.
#[tokio::test]
async fn a_log_in_sends_the_same_statements_for_known_and_unknown_names() {
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
        wiretap.take_statements(&[]);
        let request = app.post("/v1/sessions").header("x-forwarded-for", network).json(&body);
        request.answer().await.problem(401, "wrong_credentials");
        wiretap.take_statements(&["accounts", "sessions", "attempts", "BEGIN", "COMMIT"])
    };
    let unknown = ask("nobody", "192.0.2.1").await;
    assert_eq!(
        unknown.len(),
        4,
        "the account, the network, the attempts, that they stay used: {unknown:?}"
    );
    assert_eq!(ask("ada", "192.0.2.1").await, unknown, "from an unknown network");
    assert_eq!(
        ask("ada", "192.0.2.9").await,
        unknown,
        "from the network of the owner's last log-in"
    );
    app.sql("UPDATE accounts SET banned_at = '2026-11-22T12:00:00Z'").await;
    assert_eq!(ask("ada", "192.0.2.1").await, unknown, "a banned account");
    assert_eq!(ask("", "192.0.2.1").await, unknown, "an empty name");
}

/// With a wrong code, only the lock on an existing account has something to commit: its commit does not wait for the disk.
#[tokio::test]
async fn a_recovery_sends_the_same_statements_for_known_and_unknown_names() {
    let db = std::sync::Arc::new(TestDb::create().await);
    let wiretap = Wiretap::start(&db.url()).await;
    let url = wiretap.url().to_owned();
    let clock = cardscape::domain::clock::Clock::system();
    let app = TestApp::start_tuned(db, clock, |_| {}, |store| store.url = url);
    app.player("ada").await;
    let ask = async |name: &str| -> Vec<String> {
        let body = json!({ "name": name, "recovery_code": "7KQ2-X0FM-93TD-AW5G", "new_password": "violet harbour lamp" });
        wiretap.take_statements(&[]);
        let refused = app.post("/v1/accounts/recover").json(&body).answer().await;
        refused.problem(401, "wrong_recovery_code");
        wiretap.take_statements(&["accounts", "recovery_codes", "SET LOCAL"])
    };
    let unknown = ask("nobody").await;
    assert_eq!(ask("ada").await, unknown);
    assert_eq!(unknown.last().unwrap(), "SET LOCAL synchronous_commit = off", "{unknown:#?}");
}

#[tokio::test]
async fn a_password_must_not_contain_the_account_name() {
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

/// Older versions accepted invisible letters. No account is created with such a name, and those that have one are found by it.
#[tokio::test]
async fn accounts_with_names_from_before_stricter_rules_are_found() {
    let app = TestApp::start().await;
    let name = "Ada\u{3164}";
    let refused = register(&app, name).await.problem(422, "invalid_body");
    let detail = "must not contain invisible letters";
    assert_eq!(refused["errors"], json!([{ "pointer": "/name", "detail": detail }]));
    let program = Program::new(&app);
    let created = run(program.command(&["admin", "create", name])).await;
    assert_eq!(created.status.code(), Some(2), "{created:?}");

    let registered = register(&app, "Ada").await.expect(201);
    let key = AccountName::parse(name).unwrap().key().to_owned();
    app.sql(&format!("UPDATE accounts SET name = '{name}', name_key = '{key}'")).await;
    let ada = app.log_in(name, PASSWORD).await;
    let admin = app.admin().await;
    let filtered =
        [(format!("/v1/accounts?name={name}"), 1), (format!("/v1/audit-log?actor={name}"), 0)];
    for (path, count) in filtered {
        let found = app.get(&path).by(&admin).answer().await.expect(200);
        assert_eq!(found["data"].as_array().unwrap().len(), count, "{path}: {found:#}");
    }

    let code = &registered["recovery_codes"][0];
    let new = "violet harbour lamp";
    let body = json!({ "name": name, "recovery_code": code, "new_password": new });
    app.post("/v1/accounts/recover").json(&body).answer().await.expect(204);
    assert_eq!(app.log_in(name, new).await.id, ada.id);
    let reset = run(program.command(&["admin", "reset-password", name])).await;
    assert!(reset.status.success(), "{reset:?}");
    let body = json!({ "name": name, "password": new });
    app.post("/v1/sessions").json(&body).answer().await.problem(401, "wrong_credentials");
}
