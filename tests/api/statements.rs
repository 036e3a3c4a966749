//! How many statements a request takes, that they are prepared once, and what becomes of those that are kept when the schema changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use cardscape::domain::accounts::attempts::AttemptLimits;
use cardscape::domain::clock::Clock;
use serde_json::{Value, json};

use crate::support::{PaperCard, RequestExt as _, TestApp, TestDb, Wiretap, in_memory};

/// Tables that submissions are about, and nothing that the service does by itself.
const OF_SUBMISSIONS: [&str; 3] = ["attempts", "copies", "submissions"];

async fn tapped() -> (TestApp, Wiretap, Vec<PaperCard>) {
    let db = Arc::new(TestDb::create().await);
    let wiretap = Wiretap::start(&db.url()).await;
    let url = wiretap.url().to_owned();
    let app = TestApp::start_tuned(
        db,
        Clock::system(),
        |api| api.attempt_limits = AttemptLimits::scaled(1_000),
        |store| {
            store.url = url;
            // What one prepared none prepares again.
            store.pool_size = 1;
        },
    );
    app.import_set("dusk", 40, true).await;
    let cards = app.print("dusk", 10).await;
    (app, wiretap, cards)
}

#[tokio::test]
async fn a_submission_takes_few_statements_that_were_prepared_before() {
    let (app, wiretap, cards) = tapped().await;
    let ada = app.player("ada").await;
    // A second copy of a card is no vote, and asks once more whether the account has one.
    let mut seen = BTreeSet::new();
    let mut cards = cards.iter().filter(|card| seen.insert(card.number.clone()));
    for card in cards.by_ref().take(12) {
        app.register(&ada, card).await;
    }
    wiretap.prepared(&[]);
    for card in cards.by_ref().take(3) {
        wiretap.heard(&[]);
        app.register(&ada, card).await;
        let heard = wiretap.heard(&OF_SUBMISSIONS);
        let first_words: Vec<&str> =
            heard.iter().map(|sql| sql.split_whitespace().next().unwrap()).collect();
        // The attempt, committed; the look-up; copy and card held; the registration, which is the answer; the attempt given back.
        let expected = ["INSERT", "SELECT", "SELECT", "WITH", "WITH", "WITH"];
        assert_eq!(first_words, expected, "{heard:#?}");
    }
    assert_eq!(wiretap.prepared(&OF_SUBMISSIONS), Vec::<String>::new());
}

#[tokio::test]
async fn a_batch_is_one_transaction() {
    let (app, wiretap, cards) = tapped().await;
    let ada = app.player("ada").await;
    let batch: Vec<Value> = cards.iter().take(50).map(PaperCard::submission).collect();
    wiretap.heard(&[]);
    let answer = app
        .post("/v1/submissions/batch")
        .by(&ada)
        .json(&json!({ "submissions": batch }))
        .answer()
        .await
        .expect(200);
    let verdicts = answer["data"].as_array().unwrap();
    assert!(verdicts.iter().all(|one| one["verdict"] == "registered"), "{verdicts:#?}");
    let heard = wiretap.heard(&["attempts", "copies", "submissions", "revoked_at IS NULL"]);
    let count = |words: &str| heard.iter().filter(|sql| sql.contains(words)).count();
    assert_eq!(count("UPDATE copies"), 1, "{heard:#?}");
    assert_eq!(count("attempts"), 2, "taken together, and given back together");
    assert_eq!(count("FOR NO KEY UPDATE OF c"), 1, "locked together");
    assert_eq!(app.db().number("SELECT count(DISTINCT xmin::text) FROM submissions").await, 1);

    // Sent again, it is one, too: all copies are looked up together, and the answers are read beside that.
    let again = app
        .post("/v1/submissions/batch")
        .by(&ada)
        .json(&json!({ "submissions": batch }))
        .answer()
        .await
        .expect(200);
    let verdicts = again["data"].as_array().unwrap();
    assert!(verdicts.iter().all(|one| one["verdict"] == "already_yours"), "{verdicts:#?}");
    let heard = wiretap.heard(&["k.name_key = w.name_key"]);
    assert_eq!(heard.len(), 1, "{heard:#?}");
}

/// All that a page tells of a deck is made of one read of it, also what of it is compared with other decks, when its cards are in memory and open.
#[tokio::test]
async fn a_page_reads_a_deck_once() {
    let db = Arc::new(TestDb::create().await);
    let wiretap = Wiretap::start(&db.url()).await;
    let url = wiretap.url().to_owned();
    let app = TestApp::start_tuned(db, Clock::system(), in_memory, |store| store.url = url);
    app.seed(&["ttcg"]).await;
    app.catch_up().await;
    let ada = app.player("ada").await;
    let entries = json!([{ "quantity": 2, "name": "Kettle Imp" }]);
    let mut paths = Vec::new();
    for (name, visibility) in [("Shown", "public"), ("The other one", "public")] {
        let body = json!({ "name": name, "format": "ttcg/standard", "visibility": visibility, "entries": entries });
        let made = app.post("/v1/decks").by(&ada).json(&body).answer().await.expect(201);
        paths.push(format!("/decks/{}", made["id"].as_str().unwrap()));
    }
    app.catch_up().await;
    // What it reads of the cards it keeps.
    app.get(&paths[0]).answer().await;
    wiretap.heard(&[]);
    let page = app.get(&paths[0]).answer().await;
    assert_eq!(page.status, 200);
    assert!(page.text().contains("The other one"), "similar decks are told");
    let heard = wiretap.heard(&["JOIN \"deck_entries\"", "card_content"]);
    assert_eq!(heard.len(), 1, "the deck, and no card: {heard:#?}");
}

/// The sets of a game, which a list may name, are read once, however many cards of the list are unknown.
#[tokio::test]
async fn the_sets_that_lists_name_are_read_once() {
    let db = Arc::new(TestDb::create().await);
    let wiretap = Wiretap::start(&db.url()).await;
    let url = wiretap.url().to_owned();
    let app = TestApp::start_tuned(db, Clock::system(), in_memory, |store| store.url = url);
    app.seed(&["ttcg"]).await;
    app.catch_up().await;
    let report = async |list: &str| {
        wiretap.heard(&[]);
        let body = json!({ "format": "ttcg/standard", "list": list });
        app.post("/v1/deck-reports").json(&body).answer().await.expect(200);
        wiretap.heard(&["FROM \"sets\"", "FROM \"cards\""])
    };
    let first = report("2 Kettle Imp (hearth) 16\n1 Nobody (dusk)\n1 Nothing at all").await;
    assert_eq!(first.len(), 1, "{first:#?}");
    let second = report("1 Kettle Imp (veil) 16\n1 Somebody (hearth)").await;
    assert_eq!(second, Vec::<String>::new());
}

/// A running service meets the migrations of a newer one.
#[tokio::test]
async fn kept_statements_survive_migrations() {
    let (app, _wiretap, cards) = tapped().await;
    let ada = app.player("ada").await;
    let mut cards = cards.iter();
    for card in cards.by_ref().take(8) {
        app.register(&ada, card).await;
    }
    // They add …
    app.sql(
        "DO $$ DECLARE of text; BEGIN FOR of IN \
             SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname = current_schema() LOOP \
             EXECUTE 'ALTER TABLE ' || of || ' ADD COLUMN added_later integer DEFAULT 0'; END LOOP; END $$",
    )
    .await;
    for card in cards.by_ref().take(4) {
        app.register(&ada, card).await;
    }
    // … and if one changed what a kept statement tells, which none should, it would be prepared anew.
    app.sql("ALTER TABLE printings ALTER COLUMN rarity TYPE varchar(80)").await;
    for card in cards.by_ref().take(8) {
        app.register(&ada, card).await;
    }
    app.get("/v1/submissions").by(&ada).answer().await.expect(200);
}

/// What an account has is found by a plan that is kept, whether it is much or little.
#[tokio::test]
async fn a_collection_is_planned_once() {
    let (app, wiretap, cards) = tapped().await;
    let ada = app.player("ada").await;
    app.register(&ada, &cards[0]).await;
    let paths = [
        "/v1/collection?total=true",
        "/v1/collection?game=ttcg&set=dusk",
        "/v1/collection/export?format=csv",
        "/v1/collection/duplicates?over=1",
        "/v1/collection/completion?game=ttcg",
        "/v1/submissions",
        "/v1/me/events?after=0",
    ];
    for repeat in 0..30 {
        if repeat == 29 {
            wiretap.prepared(&[]);
        }
        for path in paths {
            let answer = app.get(path).by(&ada).answer().await;
            assert_eq!(answer.status, 200, "{path}");
        }
    }
    let about = ["collection_entries", "submissions", "account_events", "copies"];
    assert_eq!(wiretap.prepared(&about), Vec::<String>::new());
}

/// An account that reads its events often has only new events to number: the statements for other cases are left out.
#[tokio::test]
async fn new_events_are_numbered_by_few_statements() {
    let (app, wiretap, cards) = tapped().await;
    let ada = app.player("ada").await;
    let mut heard = Vec::new();
    for card in &cards[..2] {
        app.register(&ada, card).await;
        wiretap.heard(&[]);
        let page = app.get("/v1/me/events?after=0").by(&ada).answer().await.expect(200);
        heard.push(wiretap.heard(&["account_event"]));
        assert_eq!(page["newest"], heard.len(), "{page}");
    }
    assert_eq!(heard[0].len(), 6, "the clock of the account is created: {heard:#?}");
    let parts = ["LEFT JOIN LATERAL", "FOR NO KEY UPDATE", "WITH held", "min(seq)", "LIMIT"];
    assert_eq!(heard[1].len(), parts.len(), "{heard:#?}");
    for (statement, part) in heard[1].iter().zip(parts) {
        assert!(statement.contains(part), "{part}: {statement}");
    }
}

/// What diesel composes to change rows stays prepared as well.
#[tokio::test]
async fn changes_of_an_account_are_prepared_once() {
    let (app, wiretap, _cards) = tapped().await;
    let ada = app.player("ada").await;
    for repeat in 0..4 {
        if repeat == 2 {
            wiretap.prepared(&[]);
            wiretap.heard(&[]);
        }
        for trading in ["offers", "public"] {
            let body = json!({ "trading": trading });
            app.put("/v1/me/trading").by(&ada).json(&body).answer().await.expect(200);
        }
    }
    let changes = wiretap.heard(&["UPDATE \"accounts\""]);
    assert_eq!(changes.len(), 4, "{changes:#?}");
    assert_eq!(wiretap.prepared(&["accounts"]), Vec::<String>::new());
}

#[tokio::test]
async fn print_runs_are_counted_together() {
    let (app, wiretap, _cards) = tapped().await;
    for copies in 1..=3 {
        app.print("dusk", copies).await;
    }
    let admin = app.admin().await;
    wiretap.heard(&[]);
    let list = app.get("/v1/print-runs").by(&admin).answer().await.expect(200);
    let runs = list["data"].as_array().unwrap();
    let copies: Vec<_> = runs.iter().map(|run| run["copies_per_card"].as_i64().unwrap()).collect();
    assert_eq!(copies, [3, 2, 1, 10]);
    for run in runs {
        let rarities = run["rarities"].as_array().unwrap();
        let sum: i64 = rarities.iter().map(|share| share["copies"].as_i64().unwrap()).sum();
        assert_eq!(sum, run["copy_count"].as_i64().unwrap(), "{run}");
        let one = app.get(&format!("/v1/print-runs/{}", run["id"].as_str().unwrap()));
        assert_eq!(one.by(&admin).answer().await.expect(200), *run);
    }
    let counted = wiretap.heard(&["print_run_lines"]);
    assert_eq!(
        counted.len(),
        1 + runs.len(),
        "one for the page, one for each that was asked for: {counted:#?}"
    );
}

/// Hidden cards are locked and counted again only for what decides over them.
#[tokio::test]
async fn the_name_of_a_set_is_edited_without_its_hidden_cards() {
    let (app, wiretap, _cards) = tapped().await;
    let (admin, path) = (app.admin().await, "/v1/games/ttcg/sets/dusk");
    let mut heard = Vec::new();
    for patch in [json!({ "name": "Dusk, Again" }), json!({ "unlock_threshold": 41 })] {
        let etag = app.get(path).by(&admin).answer().await.header("etag");
        wiretap.heard(&[]);
        let edited = app.patch(path).by(&admin).header("if-match", &etag).json(&patch);
        edited.answer().await.expect(200);
        heard.push(wiretap.heard(&["FROM unlocks ", "UPDATE unlocks "]));
    }
    assert_eq!(heard[0], Vec::<String>::new());
    assert!(heard[1].iter().any(|sql| sql.contains("FOR UPDATE OF u")), "{heard:#?}");
    assert!(heard[1].iter().any(|sql| sql.starts_with("UPDATE unlocks")), "{heard:#?}");
}

/// Which unlock policy applies to a set, its own or that of its game, is asked once.
#[tokio::test]
async fn the_policy_that_applies_is_found_by_one_statement() {
    let (app, wiretap, _cards) = tapped().await;
    let path = "/v1/games/ttcg/sets/dusk/unlock-policy";
    wiretap.heard(&[]);
    app.get(path).answer().await.expect(200);
    let heard = wiretap.heard(&["unlock_policies"]);
    assert_eq!(heard.len(), 1, "{heard:#?}");
}
