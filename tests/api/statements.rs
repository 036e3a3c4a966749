//! The number of statements of a request, the caching of prepared statements, and their behaviour when the schema changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use cardscape::domain::accounts::attempts::AttemptLimits;
use cardscape::domain::clock::Clock;
use cardscape::domain::designs::identifier::DesignCode;
use cardscape::store::printing::discarded_runs;
use cardscape::store::serials::unlock_policies::unlock_all_due;
use chrono::DateTime;
use serde_json::{Value, json};

use crate::support::{
    PaperCard, RequestExt as _, TestApp, TestDb, Wiretap, edit_set, in_memory, seed_data, text,
};

/// Tables of submissions. Background tasks do not use them.
const OF_SUBMISSIONS: [&str; 3] = ["attempts", "copies", "submissions"];

async fn start_with_wiretap() -> (TestApp, Wiretap, Vec<PaperCard>) {
    let db = Arc::new(TestDb::create().await);
    let wiretap = Wiretap::start(&db.url()).await;
    let url = wiretap.url().to_owned();
    let app = TestApp::start_tuned(
        db,
        Clock::system(),
        |api| api.attempt_limits = AttemptLimits::scaled(1_000),
        |store| {
            store.url = url;
            // With one connection, every statement is prepared only once.
            store.pool_size = 1;
        },
    );
    app.import_set("dusk", 40, true).await;
    let cards = app.print("dusk", 10).await;
    (app, wiretap, cards)
}

/// With the cards of a game in the memory of the service.
async fn start_in_memory() -> (TestApp, Wiretap) {
    let db = Arc::new(TestDb::create().await);
    let wiretap = Wiretap::start(&db.url()).await;
    let url = wiretap.url().to_owned();
    let app = TestApp::start_tuned(db, Clock::system(), in_memory, |store| store.url = url);
    app.seed(&["ttcg"]).await;
    app.catch_up().await;
    (app, wiretap)
}

#[tokio::test]
async fn a_submission_needs_few_statements_and_all_are_prepared_already() {
    let (app, wiretap, cards) = start_with_wiretap().await;
    let ada = app.player("ada").await;
    // Only one copy of each card is used: a second copy is not counted and needs one more query.
    let mut seen = BTreeSet::new();
    let mut cards = cards.iter().filter(|card| seen.insert(card.number.clone()));
    for card in cards.by_ref().take(12) {
        app.register(&ada, card).await;
    }
    wiretap.prepared(&[]);
    for card in cards.by_ref().take(3) {
        wiretap.take_statements(&[]);
        app.register(&ada, card).await;
        let statements = wiretap.take_statements(&OF_SUBMISSIONS);
        let first_words: Vec<&str> =
            statements.iter().map(|sql| sql.split_whitespace().next().unwrap()).collect();
        // In this order: reserving the attempt (committed), the look-up, locking copy and card, the registration with the answer, releasing the attempt.
        let expected = ["WITH", "SELECT", "SELECT", "WITH", "WITH", "WITH"];
        assert_eq!(first_words, expected, "{statements:#?}");
        assert!(statements[0].contains("INSERT INTO attempts"), "{}", statements[0]);
        assert!(statements[5].contains("UPDATE attempts"), "{}", statements[5]);
    }
    assert_eq!(wiretap.prepared(&OF_SUBMISSIONS), Vec::<String>::new());
}

#[tokio::test]
async fn a_batch_of_submissions_is_one_transaction() {
    let (app, wiretap, cards) = start_with_wiretap().await;
    let ada = app.player("ada").await;
    let batch: Vec<Value> = cards.iter().take(50).map(PaperCard::submission).collect();
    wiretap.take_statements(&[]);
    let answer = app
        .post("/v1/submissions/batch")
        .by(&ada)
        .json(&json!({ "submissions": batch }))
        .answer()
        .await
        .expect(200);
    let verdicts = answer["data"].as_array().unwrap();
    assert!(verdicts.iter().all(|one| one["verdict"] == "registered"), "{verdicts:#?}");
    let statements =
        wiretap.take_statements(&["attempts", "copies", "submissions", "revoked_at IS NULL"]);
    let count = |words: &str| statements.iter().filter(|sql| sql.contains(words)).count();
    assert_eq!(count("UPDATE copies"), 1, "{statements:#?}");
    assert_eq!(count("attempts"), 2, "one statement reserves all attempts, and one releases them");
    assert_eq!(count("FOR NO KEY UPDATE OF c"), 1, "one statement locks all copies");
    assert_eq!(app.db().number("SELECT count(DISTINCT xmin::text) FROM submissions").await, 1);

    // When the batch is sent again, one statement looks up all copies.
    let again = app
        .post("/v1/submissions/batch")
        .by(&ada)
        .json(&json!({ "submissions": batch }))
        .answer()
        .await
        .expect(200);
    let verdicts = again["data"].as_array().unwrap();
    assert!(verdicts.iter().all(|one| one["verdict"] == "already_yours"), "{verdicts:#?}");
    let statements = wiretap.take_statements(&["k.name_key = w.name_key"]);
    assert_eq!(statements.len(), 1, "{statements:#?}");
}

/// With the usual limits a batch takes ten attempts at once. The attempts of one part go to the next part in memory.
#[tokio::test]
async fn the_parts_of_a_batch_pass_their_attempts_on() {
    let db = Arc::new(TestDb::create().await);
    let wiretap = Wiretap::start(&db.url()).await;
    let url = wiretap.url().to_owned();
    let app = TestApp::start_tuned(db, Clock::system(), |_| {}, |store| store.url = url);
    app.import_set("dusk", 30, true).await;
    let cards = app.print("dusk", 1).await;
    let ada = app.player("ada").await;
    let batch: Vec<Value> = cards.iter().map(PaperCard::submission).collect();
    wiretap.take_statements(&[]);
    let body = json!({ "submissions": batch });
    let answer = app.post("/v1/submissions/batch").by(&ada).json(&body).answer().await.expect(200);
    let verdicts = answer["data"].as_array().unwrap();
    assert!(verdicts.iter().all(|one| one["verdict"] == "registered"), "{verdicts:#?}");
    let statements = wiretap.take_statements(&["attempts"]);
    assert_eq!(statements.len(), 2, "{statements:#?}");
    assert_eq!(app.db().number("SELECT count(DISTINCT xmin::text) FROM submissions").await, 3);
    assert_eq!(app.db().number("SELECT sum(used + reserved) FROM attempts").await, 0);
}

#[tokio::test]
async fn a_batch_looks_up_each_unknown_game_once() {
    let (app, wiretap, cards) = start_with_wiretap().await;
    let ada = app.player("ada").await;
    let games = ["ttgc", "nothing", "ttgc", "TTGC", "nothing"];
    let of_game = |(card, game): (&PaperCard, &str)| json!({ "serial": card.serial, "name": card.name, "game": game });
    let batch: Vec<Value> = cards.iter().zip(games).map(of_game).collect();
    let body = json!({ "submissions": batch });
    wiretap.take_statements(&[]);
    let answer = app.post("/v1/submissions/batch").by(&ada).json(&body).answer().await.expect(200);
    let verdicts = answer["data"].as_array().unwrap();
    assert!(verdicts.iter().all(|one| one["verdict"] == "invalid_body"), "{verdicts:#?}");
    let look_ups = wiretap.take_statements(&["SELECT \"games\".\"revision\" FROM"]);
    assert_eq!(look_ups.len(), 2, "{look_ups:#?}");
}

/// If all cards of a deck are open and in memory, its page needs a single read of the deck, also for the comparison with other decks.
#[tokio::test]
async fn the_page_of_a_deck_reads_the_deck_once() {
    let (app, wiretap) = start_in_memory().await;
    let ada = app.player("ada").await;
    let entries = json!([{ "quantity": 2, "name": "Kettle Imp" }]);
    let mut paths = Vec::new();
    for (name, visibility) in [("Shown", "public"), ("The other one", "public")] {
        let body = json!({ "name": name, "format": "ttcg/standard", "visibility": visibility, "entries": entries });
        let created = app.post("/v1/decks").by(&ada).json(&body).answer().await.expect(201);
        paths.push(format!("/decks/{}", created["id"].as_str().unwrap()));
    }
    app.catch_up().await;
    // The first request caches what it reads of the cards.
    app.get(&paths[0]).answer().await;
    wiretap.take_statements(&[]);
    let page = app.get(&paths[0]).answer().await;
    assert_eq!(page.status, 200);
    assert!(page.text().contains("The other one"), "the page shows similar decks");
    let statements = wiretap.take_statements(&["JOIN \"deck_entries\"", "card_content"]);
    assert_eq!(statements.len(), 1, "one read of the deck and none of cards: {statements:#?}");
}

/// Entries that are stored without a name have the name and the place of their card from the cards in memory.
#[tokio::test]
async fn a_deck_of_numbers_is_read_without_a_query_for_cards() {
    let (app, wiretap) = start_in_memory().await;
    let ada = app.player("ada").await;
    let entries = json!([{ "quantity": 2, "set": "hearth", "number": "016" }]);
    let body = json!({ "name": "n", "format": "ttcg/standard", "entries": entries });
    let created = app.post("/v1/decks").by(&ada).json(&body).answer().await;
    let path = created.header("location");
    created.expect(201);
    app.catch_up().await;
    wiretap.take_statements(&[]);
    let read = app.get(&path).by(&ada).answer().await.expect(200);
    assert_eq!(read["entries"][0]["name"], "Kettle Imp");
    assert_eq!(wiretap.take_statements(&["card_content", "cards c"]), Vec::<String>::new());
}

/// Saving a deck takes one statement besides the locks, and writes only the entries that changed. The extractors of a request look up its session once.
#[tokio::test]
async fn a_deck_is_saved_by_one_statement_and_two_locks() {
    let (app, wiretap) = start_in_memory().await;
    let ada = app.player("ada").await;
    let body = |name: &str, quantities: &[u32]| {
        let names = ["Kettle Imp", "Bellows Smith"].into_iter().zip(quantities);
        let entries: Vec<Value> = names
            .map(|(name, quantity)| json!({ "zone": "main", "quantity": quantity, "name": name }))
            .collect();
        json!({ "name": name, "format": "ttcg/standard", "entries": entries })
    };
    // The first requests cache what they read of the cards, and prepare their statements.
    for name in ["One", "Two"] {
        app.post("/v1/decks").by(&ada).json(&body(name, &[1, 1])).answer().await.expect(201);
    }
    let ada = app.log_in(&ada.name, &ada.password).await;
    let of_decks =
        ["second_factor_since", "NO KEY UPDATE", "\"deck_entries\"", "INTO deck_entries"];
    let kinds = |statements: &[String]| -> Vec<&str> {
        let kind = |sql: &String| of_decks.into_iter().find(|part| sql.contains(part)).unwrap();
        statements.iter().map(kind).collect()
    };
    wiretap.take_statements(&[]);
    let created = app.post("/v1/decks").by(&ada).json(&body("Three", &[1, 2])).answer().await;
    let statements = wiretap.take_statements(&of_decks);
    assert_eq!(
        kinds(&statements),
        ["second_factor_since", "NO KEY UPDATE", "INTO deck_entries", "NO KEY UPDATE"],
        "{statements:#?}"
    );
    let path = created.header("location");
    created.expect(201);
    for (name, quantities) in [("Four", [1, 2]), ("Five", [3, 2])] {
        wiretap.take_statements(&[]);
        let body = body(name, &quantities);
        let replaced = app.put(&path).by(&ada).header("if-match", "*").json(&body).answer().await;
        assert_eq!(replaced.expect(200)["entries"], body["entries"]);
        // The look-up of the session may be cached.
        let statements = wiretap.take_statements(&of_decks[1..]);
        assert_eq!(
            kinds(&statements),
            ["NO KEY UPDATE", "\"deck_entries\"", "INTO deck_entries", "NO KEY UPDATE"],
            "{statements:#?}"
        );
        assert!(!statements[2].contains("DELETE"), "nothing is left over: {}", statements[2]);
    }
    // In the last revision one entry changed.
    let written = "SELECT count(*) FROM deck_entries e JOIN deck_revisions r ON r.deck_id = e.deck_id AND r.xmin = e.xmin WHERE r.revision = 3";
    assert_eq!(app.db().number(written).await, 1);
    // A deck that becomes shorter leaves an entry, which is deleted.
    let shorter = body("Six", &[3]);
    let replaced = app.put(&path).by(&ada).header("if-match", "*").json(&shorter).answer().await;
    replaced.expect(200);
    let read = app.get(&path).by(&ada).answer().await.expect(200);
    assert_eq!(read["entries"], shorter["entries"]);
    assert_eq!(wiretap.take_statements(&["DELETE FROM deck_entries"]).len(), 1);
}

/// The sets that deck lists may name are read once for each game, also if many cards of the lists are unknown.
#[tokio::test]
async fn sets_of_a_game_are_read_once_for_all_lists() {
    let (app, wiretap) = start_in_memory().await;
    let report = async |list: &str| {
        wiretap.take_statements(&[]);
        let body = json!({ "format": "ttcg/standard", "list": list });
        app.post("/v1/deck-reports").json(&body).answer().await.expect(200);
        wiretap.take_statements(&["FROM \"sets\"", "FROM \"cards\""])
    };
    let first = report("2 Kettle Imp (hearth) 16\n1 Nobody (dusk)\n1 Nothing at all").await;
    assert_eq!(first.len(), 1, "{first:#?}");
    let second = report("1 Kettle Imp (veil) 16\n1 Somebody (hearth)").await;
    assert_eq!(second, Vec::<String>::new());
}

/// Migrations of a newer version run while the service is running.
#[tokio::test]
async fn prepared_statements_survive_migrations() {
    let (app, _wiretap, cards) = start_with_wiretap().await;
    let ada = app.player("ada").await;
    let mut cards = cards.iter();
    for card in cards.by_ref().take(8) {
        app.register(&ada, card).await;
    }
    // Migrations add columns …
    app.sql(
        "DO $$ DECLARE of text; BEGIN FOR of IN \
             SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname = current_schema() LOOP \
             EXECUTE 'ALTER TABLE ' || of || ' ADD COLUMN added_later integer DEFAULT 0'; END LOOP; END $$",
    )
    .await;
    for card in cards.by_ref().take(4) {
        app.register(&ada, card).await;
    }
    // … and if one changed the type of a result column, which no migration should do, the statement would be prepared again.
    app.sql("ALTER TABLE printings ALTER COLUMN rarity TYPE varchar(80)").await;
    for card in cards.by_ref().take(8) {
        app.register(&ada, card).await;
    }
    app.get("/v1/submissions").by(&ada).answer().await.expect(200);
}

/// Queries for what an account owns are prepared once, for large and for small collections.
#[tokio::test]
async fn queries_for_a_collection_are_prepared_once() {
    let (app, wiretap, cards) = start_with_wiretap().await;
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

/// The totals of all sets of which an account has cards are counted together, where they are not in memory.
#[tokio::test]
async fn the_totals_of_all_sets_are_counted_by_one_statement() {
    let (app, wiretap, _) = start_with_wiretap().await;
    app.import_set("base", 2, false).await;
    let moderator = app.moderator().await;
    for set in ["base", "dusk"] {
        app.give_copy(&moderator.id, "ttcg", set, "001").await;
    }
    wiretap.take_statements(&[]);
    let path = "/v1/collection/completion?game=ttcg";
    let found = app.get(path).by(&moderator).answer().await.expect(200);
    let totals: Vec<&Value> =
        found["data"].as_array().unwrap().iter().map(|set| &set["cards"]["total"]).collect();
    assert_eq!(totals, [&json!(2), &json!(40)]);
    let statements = wiretap.take_statements(&["WITH one AS"]);
    assert_eq!(statements.len(), 1, "{statements:#?}");
}

/// All copies because of which an offer lapses are marked together: all copies of the offer are locked meanwhile.
#[tokio::test]
async fn missing_copies_of_an_offer_are_marked_by_one_statement() {
    let (app, wiretap, cards) = start_with_wiretap().await;
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    let (first, second) =
        (app.register(&ada, &cards[0]).await, app.register(&ada, &cards[1]).await);
    let offer = text(&app.offer(&ada, &ben, &[&first, &second], &[]).await.expect(201), "id");
    for copy in [&first, &second] {
        app.hand_over(&ada, &cem, copy).await;
    }
    wiretap.take_statements(&[]);
    let lapsed = app.on_trade(&ben, &offer, "accept").await.problem(409, "trade_lapsed");
    assert_eq!(lapsed["copies"].as_array().unwrap().len(), 2);
    let statements = wiretap.take_statements(&["UPDATE trade_copies", "UPDATE \"trade_copies\""]);
    assert_eq!(statements.len(), 1, "{statements:#?}");
}

/// An account that reads its events often has only new events to number: the statements for other cases are left out.
#[tokio::test]
async fn new_events_are_numbered_by_few_statements() {
    let (app, wiretap, cards) = start_with_wiretap().await;
    let ada = app.player("ada").await;
    let mut statements = Vec::new();
    for card in &cards[..2] {
        app.register(&ada, card).await;
        wiretap.take_statements(&[]);
        let page = app.get("/v1/me/events?after=0").by(&ada).answer().await.expect(200);
        statements.push(wiretap.take_statements(&["account_event"]));
        assert_eq!(page["newest"], statements.len(), "{page}");
    }
    assert_eq!(statements[0].len(), 5, "the clock of the account is created: {statements:#?}");
    let parts = ["LEFT JOIN LATERAL", "WITH clock", "min(seq)", "AS page"];
    assert_eq!(statements[1].len(), parts.len(), "{statements:#?}");
    for (statement, part) in statements[1].iter().zip(parts) {
        assert!(statement.contains(part), "{part}: {statement}");
    }
}

/// Changes of the catalogue, of designs and decks do not concern the readers of own events, nor do unlocks of cards that they have not submitted.
#[tokio::test]
async fn own_events_that_are_numbered_are_read_by_two_statements() {
    let (app, wiretap, cards) = start_with_wiretap().await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    app.register(&ada, &cards[0]).await;
    let read = async || {
        wiretap.take_statements(&[]);
        let page = app.get("/v1/me/events?after=0").by(&ada).answer().await.expect(200);
        let kinds: Vec<String> = page["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| event["kind"].as_str().unwrap().to_owned())
            .collect();
        (kinds, wiretap.take_statements(&["account_event"]))
    };
    read().await;
    let body = json!({ "name": "Shown", "format": "ttcg/standard", "visibility": "public", "entries": [] });
    app.post("/v1/decks").by(&ada).json(&body).answer().await.expect(201);
    let (kinds, statements) = read().await;
    assert_eq!(kinds, ["submission.accepted"]);
    assert_eq!(statements.len(), 2, "{statements:#?}");

    let unlock = async |number: &str| {
        let card = app.get(&format!("/v1/games/ttcg/sets/dusk/cards/{number}"));
        let card = card.answer().await.expect(200)["id"].as_str().unwrap().to_owned();
        let path = format!("/v1/cards/{card}/unlock");
        let admin = app.log_in(&admin.name, &admin.password).await;
        app.post(&path).by(&admin).json(&json!({ "reason": "today" })).answer().await.expect(200);
    };
    let other = cards.iter().find(|card| card.number != cards[0].number).unwrap();
    unlock(&other.number).await;
    let (kinds, statements) = read().await;
    assert_eq!(kinds, ["submission.accepted"]);
    let inserts =
        statements.iter().filter(|sql| sql.contains("INSERT INTO account_events")).count();
    assert_eq!(inserts, 1, "{statements:#?}");
    assert!(
        !statements.iter().any(|sql| sql.contains("min(seq)")),
        "nothing was numbered: {statements:#?}"
    );
    assert_eq!(read().await.1.len(), 2, "it is known now that the unlock is not about the account");
    unlock(&cards[0].number).await;
    assert_eq!(read().await.0, ["submission.accepted", "card.unlocked"]);
}

/// Updates that diesel builds at run time stay prepared, too.
#[tokio::test]
async fn updates_of_an_account_are_prepared_once() {
    let (app, wiretap, _cards) = start_with_wiretap().await;
    let ada = app.player("ada").await;
    for repeat in 0..4 {
        if repeat == 2 {
            wiretap.prepared(&[]);
            wiretap.take_statements(&[]);
        }
        for trading in ["offers", "public"] {
            let body = json!({ "trading": trading });
            app.put("/v1/me/trading").by(&ada).json(&body).answer().await.expect(200);
        }
    }
    let changes = wiretap.take_statements(&["UPDATE \"accounts\""]);
    assert_eq!(changes.len(), 4, "{changes:#?}");
    assert_eq!(wiretap.prepared(&["accounts"]), Vec::<String>::new());
}

#[tokio::test]
async fn print_runs_are_counted_together() {
    let (app, wiretap, _cards) = start_with_wiretap().await;
    for copies in 1..=3 {
        app.print("dusk", copies).await;
    }
    let admin = app.admin().await;
    wiretap.take_statements(&[]);
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
    let counted = wiretap.take_statements(&["print_run_lines"]);
    assert_eq!(
        counted.len(),
        1 + runs.len(),
        "one query for the list and one for each single run: {counted:#?}"
    );
}

/// Hidden cards are locked and counted again only for changes that affect their unlocks.
#[tokio::test]
async fn renaming_a_set_does_not_lock_its_hidden_cards() {
    let (app, wiretap, _cards) = start_with_wiretap().await;
    let (admin, path) = (app.admin().await, "/v1/games/ttcg/sets/dusk");
    let mut statements = Vec::new();
    for patch in [json!({ "name": "Dusk, Again" }), json!({ "unlock_threshold": 41 })] {
        let etag = app.get(path).by(&admin).answer().await.header("etag");
        wiretap.take_statements(&[]);
        let edited = app.patch(path).by(&admin).header("if-match", &etag).json(&patch);
        edited.answer().await.expect(200);
        statements.push(wiretap.take_statements(&["FROM unlocks ", "UPDATE unlocks "]));
    }
    let locks = |sql: &String| {
        sql.contains(" FROM unlocks WHERE ") && sql.ends_with(" ORDER BY card_id FOR UPDATE")
    };
    let counts = |sql: &String| sql.starts_with("UPDATE unlocks");
    assert!(!statements[0].iter().any(|sql| locks(sql) || counts(sql)), "{statements:#?}");
    assert!(statements[1].iter().any(locks), "{statements:#?}");
    assert!(statements[1].iter().any(counts), "{statements:#?}");
}

/// The limits of requests are too short for large sets, and for the wait for an import.
#[tokio::test]
async fn an_unlock_of_a_set_begins_with_its_time_limits() {
    let (app, wiretap, _cards) = start_with_wiretap().await;
    let admin = app.admin().await;
    wiretap.take_statements(&[]);
    let reason = json!({ "reason": "Shown." });
    let unlocks = app.post("/v1/games/ttcg/sets/dusk/unlocks").by(&admin).json(&reason);
    assert_eq!(unlocks.answer().await.expect(200)["unlocked"], 40);
    let parts = ["SET LOCAL lock_timeout = '60s'", "FROM \"games\"", "UPDATE unlocks"];
    let statements = wiretap.take_statements(&parts);
    let place = |part: &str| statements.iter().rposition(|sql| sql.contains(part)).unwrap();
    let places = [place(parts[0]), place("FOR NO KEY UPDATE"), place(parts[2])];
    assert!(places.is_sorted(), "{places:?}: {statements:#?}");
}

/// The look-up of accounts that became old enough reads only submissions that may be due, of each card only up to the first that is. The first look-up, of all time, may take long.
#[tokio::test]
async fn votes_that_become_due_are_found_by_the_time_of_their_submissions() {
    let (app, wiretap, _cards) = start_with_wiretap().await;
    let ada = app.player("ada").await;
    app.sql(&format!(
        "SET session_replication_role = replica; \
         INSERT INTO copies (code_prefix, code_mac, print_run_id, printing_id) \
         SELECT 'AA', decode(md5(n::text), 'hex'), gen_random_uuid(), (SELECT id FROM printings LIMIT 1) FROM generate_series(1, 2000) AS n; \
         INSERT INTO submissions (id, account_id, card_id, code_prefix, code_mac, counted, created_at) \
         SELECT gen_random_uuid(), '{}', k.id, 'AA', decode(md5(n::text), 'hex'), false, now() - n * interval '1 hour' \
         FROM generate_series(1, 2000) AS n JOIN (SELECT id, row_number() OVER () AS place FROM cards) k ON k.place = 1 + n % 40; \
         ANALYZE submissions, copies, cards, accounts, unlocks",
        ada.id
    ))
    .await;
    wiretap.take_statements(&[]);
    let now = app.clock().now();
    unlock_all_due(app.store(), DateTime::UNIX_EPOCH, now, &mut BTreeSet::new()).await.unwrap();
    let parts = ["SET LOCAL lock_timeout = '1s'", "unlock_policies own", "valid_votes"];
    let statements = wiretap.take_statements(&parts);
    let places: Vec<_> = statements
        .iter()
        .map(|sql| parts.iter().position(|part| sql.contains(part)).unwrap())
        .collect();
    assert_eq!(places, [0, 1, 0, 2], "{statements:#?}");
    let session = app.db().session().await;
    let prepare = "SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan; \
                   PREPARE asked (timestamptz, timestamptz, uuid[]) AS";
    session.batch_execute(&format!("{prepare} {}", statements[3])).await.unwrap();
    let explain = "EXPLAIN EXECUTE asked (now(), now(), '{}')";
    let rows = session.query(explain, &[]).await.unwrap();
    let plan: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    let plan = plan.join("\n");
    assert!(plan.contains("Index Cond: ((card_id = u.card_id) AND (created_at > "), "{plan}");
    assert!(plan.contains("->  Limit"), "one submission of a card is enough: {plan}");
}

/// A plan may be long. The list of announcements does not read it, and the page of a set reads it once after the reveal.
#[tokio::test]
async fn a_plan_is_read_once_and_only_after_its_reveal() {
    let (app, wiretap, _cards) = start_with_wiretap().await;
    let plans = async |path: &str| {
        wiretap.take_statements(&[]);
        assert_eq!(app.get(path).answer().await.status, 200, "{path}");
        wiretap.take_statements(&["m.plan"]).len()
    };
    let (list, page) = ("/v1/games/ttcg/sets/dusk/print-commitments", "/sets/ttcg/dusk");
    assert_eq!([plans(list).await, plans(page).await], [0, 0]);
    app.sql("UPDATE print_commitments SET revealed_at = now()").await;
    assert_eq!([plans(list).await, plans(page).await, plans(page).await], [0, 1, 0]);
}

/// One statement finds the unlock policy of a set: its own or that of its game.
#[tokio::test]
async fn the_effective_unlock_policy_is_found_by_one_statement() {
    let (app, wiretap, _cards) = start_with_wiretap().await;
    let path = "/v1/games/ttcg/sets/dusk/unlock-policy";
    wiretap.take_statements(&[]);
    app.get(path).answer().await.expect(200);
    let statements = wiretap.take_statements(&["unlock_policies"]);
    assert_eq!(statements.len(), 1, "{statements:#?}");
}

/// The reservation of an attempt does not wait for the disk. The decision after it does: it locks the credential, so that it has something to commit.
#[tokio::test]
async fn a_guess_is_decided_in_a_transaction_that_waits_for_the_disk() {
    let (app, wiretap, cards) = start_with_wiretap().await;
    let ada = app.player("ada").await;
    wiretap.take_statements(&[]);
    let mut guess = cards[0].submission();
    guess["name"] = json!("Nobody's Card");
    let sent = app.post("/v1/submissions").by(&ada).json(&guess).answer().await;
    sent.problem(422, "submission_rejected");
    let statements = wiretap.take_statements(&["synchronous_commit", "FOR NO KEY UPDATE"]);
    let (flushed_later, locks): (Vec<&String>, Vec<&String>) =
        statements.iter().partition(|sql| sql.contains("synchronous_commit"));
    // The first reserves the attempt, the second records that it is used, before the guess is answered.
    assert_eq!(flushed_later.len(), 2, "{statements:#?}");
    assert!(flushed_later[0].contains("INSERT INTO attempts"), "{statements:#?}");
    assert!(flushed_later[1].contains("UPDATE attempts"), "{statements:#?}");
    assert!(locks.iter().any(|sql| sql.contains("FROM sessions c")), "{statements:#?}");
}

/// A run that was broken off is deleted before Postgres has statistics of it: it expects one copy. Each copy of a batch is then read once, and not once for every other one.
#[tokio::test]
async fn copies_of_a_new_run_are_deleted_by_their_places() {
    let (app, wiretap, _) = start_with_wiretap().await;
    app.sql(
        "ALTER TABLE print_runs DISABLE TRIGGER active_runs_stay; \
         UPDATE print_runs SET status = 'discarded', activated_at = NULL, discarded_at = now()",
    )
    .await;
    let copies = app.db().number("SELECT count(*) FROM copies").await;
    wiretap.take_statements(&[]);
    let now = app.clock().now();
    let deleted = discarded_runs::delete_copies(app.store(), 1, now, |_| {}).await.unwrap();
    assert_eq!(i64::try_from(deleted).unwrap(), copies);
    let statements = wiretap.take_statements(&["DELETE FROM copies"]);
    assert_eq!(statements.len(), 1, "{statements:#?}");
    let (types, values) = ("text, uuid, bytea, bigint", "'none', gen_random_uuid(), '', 2000");
    let (_, plan) = plan(&app, &statements[0], types, values).await;
    assert!(!plan.contains("Join") && !plan.contains("Nested Loop"), "{plan}");
}

/// Whether Postgres keeps the plan of a statement after a few uses, and the plan.
async fn plan(app: &TestApp, statement: &str, types: &str, values: &str) -> (bool, String) {
    let session = app.db().session().await;
    session.batch_execute(&format!("PREPARE asked ({types}) AS {statement}")).await.unwrap();
    for _ in 0..7 {
        session.batch_execute(&format!("EXECUTE asked ({values})")).await.unwrap();
    }
    let kept = "SELECT generic_plans FROM pg_prepared_statements WHERE name = 'asked'";
    let kept: i64 = session.query_one(kept, &[]).await.unwrap().get(0);
    let rows = session.query(&format!("EXPLAIN EXECUTE asked ({values})"), &[]).await.unwrap();
    let plan: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    (kept > 0, plan.join("\n"))
}

/// A page of public decks is read along an index, deck by deck, by a plan that is made once. Without its constant limit, Postgres plans the statement for each
/// page again; without `OFFSET 0`, it reads all public decks to find out which of them others were cloned from.
#[tokio::test]
async fn a_page_of_public_decks_reads_only_its_decks() {
    let (app, wiretap) = start_in_memory().await;
    let ada = app.player("ada").await;
    app.sql(&format!(
        "INSERT INTO decks (id, account_id, game_code, format_code, name, visibility, revision, created_at, updated_at) \
         SELECT gen_random_uuid(), '{}', 'ttcg', 'standard', 'Deck ' || n, 'public', 1, now(), now() FROM generate_series(1, 4000) AS n; \
         INSERT INTO deck_search (deck_id, revision, game_code, published_at, updated_at, size, terms, cards, hidden_cards, legal_in) \
         SELECT id, 1, 'ttcg', now(), updated_at, 0, '{{}}', '{{}}', '{{}}', '{{}}' FROM decks ON CONFLICT DO NOTHING; \
         INSERT INTO deck_judgements (deck_id, game_code, due_at, judged_on) SELECT id, 'ttcg', now() + interval '9 days', current_date FROM decks \
         ON CONFLICT (deck_id) DO UPDATE SET judged_on = excluded.judged_on, due_at = excluded.due_at; \
         ANALYZE decks, deck_search, deck_judgements, accounts",
        ada.id
    ))
    .await;
    for path in [
        "/v1/public-decks",
        "/v1/public-decks?game=ttcg&sort=updated",
        "/v1/public-decks?sort=likes",
        "/v1/public-decks?game=ttcg&sort=likes",
    ] {
        wiretap.take_statements(&[]);
        let page = app.get(path).answer().await.expect(200);
        assert_eq!(page["data"].as_array().unwrap().len(), 50, "{path}");
        let statements = wiretap.take_statements(&["deck_search"]);
        assert_eq!(statements.len(), 1, "{statements:#?}");
        let (types, values) =
            if path.contains("game") { ("text, bigint", "'ttcg', 51") } else { ("bigint", "51") };
        let (is_kept, plan) = plan(&app, &statements[0], types, values).await;
        assert!(is_kept, "{path} is planned at each use");
        // The table of accounts has one row.
        for part in ["Seq Scan on deck", "hashed", "Sort"] {
            assert!(!plan.contains(part), "{part}: {plan}");
        }
    }
}

/// Lists of all accounts are long, and moderators and admins open them often. Each is read along an index, by a plan that is made once; with `LIMIT $1`
/// alone, Postgres plans most of them for each page again.
#[tokio::test]
async fn lists_of_moderators_are_planned_once() {
    let (app, wiretap) = start_in_memory().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let (admin, moderator) = (app.admin().await, app.moderator().await);
    let codes: Vec<String> = (0..5_000).map(|_| format!("'{}'", DesignCode::generate())).collect();
    app.sql(&format!(
        "SET session_replication_role = replica; \
         INSERT INTO audit_log (id, actor_id, action, target, details, created_at) \
         SELECT gen_random_uuid(), '{ada}', 'set.edited', 'set:' || n, '{{}}', now() - n * interval '1 second' FROM generate_series(1, 5000) AS n; \
         INSERT INTO copies (code_prefix, code_mac, print_run_id, printing_id, owner_id, registered_at, id) \
         SELECT 'AA', decode(md5(n::text), 'hex'), gen_random_uuid(), (SELECT id FROM printings LIMIT 1), '{ada}', now(), gen_random_uuid() \
         FROM generate_series(1, 5000) AS n; \
         INSERT INTO disputes (id, code_prefix, code_mac, claimant_id, state, opened_at) \
         SELECT gen_random_uuid(), code_prefix, code_mac, '{ben}', 'open', now() FROM copies; \
         WITH made AS (INSERT INTO designs (id, code, account_id, game_code, status, version, revision, name, name_key, name_skeleton, kind, created_at, updated_at) \
          SELECT gen_random_uuid(), code, '{ben}', 'ttcg', 'submitted', 1, 1, 'Design ' || n, 'design' || n, 'design' || n, 'unit', now(), now() \
          FROM unnest(ARRAY[{codes}]) WITH ORDINALITY AS new (code, n) RETURNING id), \
         waiting AS (INSERT INTO design_reviews (id, design_id, revision, submitted_at) SELECT gen_random_uuid(), id, 1, now() FROM made) \
         INSERT INTO abuse_reports (id, reporter_id, accused_id, design_id, target, reason, created_at) \
         SELECT gen_random_uuid(), '{ada}'::uuid, '{ben}'::uuid, id, id, 'spam', now() FROM made \
         UNION ALL SELECT gen_random_uuid(), '{ben}'::uuid, '{ada}'::uuid, id, id, 'spam', now() FROM made; \
         RESET session_replication_role; \
         ANALYZE audit_log, copies, disputes, designs, design_reviews, abuse_reports, accounts",
        ada = ada.id,
        ben = ben.id,
        codes = codes.join(", "),
    ))
    .await;
    let newest = "'ffffffff-ffff-ffff-ffff-ffffffffffff'";
    let lists = [
        (
            (&moderator, "/v1/disputes?role=moderator", "disputes d"),
            ("uuid, uuid, bigint", format!("'{}', {newest}, 51", moderator.id)),
        ),
        (
            (&moderator, "/v1/design-reviews", "design_reviews v"),
            ("uuid, bigint", format!("'{}', 51", moderator.id)),
        ),
        (
            (&moderator, "/v1/abuse-reports", "abuse_reports r"),
            ("uuid, bigint", format!("'{}', 51", moderator.id)),
        ),
        (
            (&admin, "/v1/audit-log", "audit_log e"),
            (
                "timestamptz, uuid, timestamptz, bigint",
                format!("'infinity', {newest}, '-infinity', 51"),
            ),
        ),
    ];
    for ((reader, path, table), (types, values)) in lists {
        wiretap.take_statements(&[]);
        let page = app.get(path).by(reader).answer().await.expect(200);
        assert_eq!(page["data"].as_array().unwrap().len(), 50, "{path}");
        let statements = wiretap.take_statements(&[&format!("FROM {table} ")]);
        assert_eq!(statements.len(), 1, "{statements:#?}");
        let (is_kept, plan) = plan(&app, &statements[0], types, &values).await;
        assert!(is_kept, "{path} is planned at each use");
        let whole = format!("Seq Scan on {table}");
        assert!(!plan.contains(&whole), "{path} reads everything: {plan}");
    }
}

/// Names are looked up in indexes: those of moderators in the indexes of open and of hidden cards. Other readers read all hidden cards that they hold; an index of
/// hidden names would take longer for a name that a hidden card has.
#[tokio::test]
async fn only_moderators_look_names_up_in_indexes_of_hidden_cards() {
    // Without the cards in memory.
    let db = Arc::new(TestDb::create().await);
    let wiretap = Wiretap::start(&db.url()).await;
    let url = wiretap.url().to_owned();
    let app = TestApp::start_tuned(db, Clock::system(), |_| {}, |store| store.url = url);
    app.seed(&["ttcg"]).await;
    let (ada, moderator) = (app.player("ada").await, app.moderator().await);
    app.sql(&format!(
        "SET session_replication_role = replica; \
         WITH added AS (INSERT INTO cards (id, game_code, set_code, number, created_at, updated_at) \
          SELECT gen_random_uuid(), 'ttcg', 'hearth', n, now(), now() FROM generate_series(1001, 5000) AS n RETURNING id, number) \
         INSERT INTO card_content (card_id, game_code, kind, name, name_key, search_key, name_words, attributes, effects, open) \
         SELECT id, 'ttcg', k.kind, 'Heron ' || number, 'heron' || number, 'heron' || number, ' heron ' || number, k.attributes, k.effects, \
          number::integer % 2 = 0 FROM added, (SELECT * FROM card_content LIMIT 1) AS k; \
         WITH printed AS (INSERT INTO printings (id, card_id, rarity, tier) \
          SELECT gen_random_uuid(), card_id, 'common', 1 FROM card_content WHERE name LIKE 'Heron 20_1' AND NOT open RETURNING id) \
         INSERT INTO copies (code_prefix, code_mac, print_run_id, printing_id, owner_id, registered_at, id) \
         SELECT 'AA', decode(md5(id::text), 'hex'), gen_random_uuid(), id, '{}', now(), gen_random_uuid() FROM printed; \
         RESET session_replication_role; \
         SELECT gin_clean_pending_list('card_content_open_trigrams'), gin_clean_pending_list('card_content_open_name_words'), \
          gin_clean_pending_list('card_content_hidden_trigrams'); \
         ANALYZE cards, card_content, printings, copies",
        ada.id
    ))
    .await;
    let executed = |part: &str| {
        let mut statements = wiretap.take_statements(&[part]);
        assert_eq!(statements.len(), 1, "{part}: {statements:#?}");
        statements.remove(0)
    };
    let named = "WITH alike AS";
    let key = "'heron2001', '% heron% 2001%', 'heron2001'";
    let mut asked = Vec::new();

    app.get("/v1/cards/named?exact=Heron+2001").by(&moderator).answer().await.expect(200);
    let values = format!("{key}, 'heron2001', 1000, 20");
    asked.push((executed(named), "text, text, text, text, bigint, bigint", values));

    app.get("/v1/cards/named?fuzzy=Heron+2001").by(&moderator).answer().await.expect(200);
    let values = format!("{key}, 'heron2001', 'heron2001', '% heron% 2001%', 1000, 20");
    let types = "text, text, text, text, text, text, bigint, bigint";
    asked.push((executed(named), types, values));

    let path = "/v1/cards/autocomplete?q=heron200";
    let suggested = app.get(path).by(&moderator).answer().await.expect(200);
    assert_eq!(suggested["data"].as_array().unwrap().len(), 10, "{suggested}");
    let mut statements = wiretap.take_statements(&["USING ~<~", "THEN 1 ELSE 2 END"]);
    assert_eq!(statements.len(), 2, "{statements:#?}");
    let values = "'heron200%', '% heron200%', '%heron200%', 'heron200%', '% heron200%', 20";
    let types = "text, text, text, text, text, bigint";
    asked.push((statements.remove(1), types, values.to_owned()));
    let values = "'heron200%', 200, 20".to_owned();
    asked.push((statements.remove(0), "text, bigint, bigint", values));

    let name = |name: &str| json!({ "game": "ttcg", "name": name });
    let body = json!({ "identifiers": [name("Heron 2000"), name("Heron 2001")] });
    app.post("/v1/cards/lookup").by(&moderator).json(&body).answer().await.expect(200);
    let values = "'{}', '{ttcg}', '{heron2000,heron2001}'".to_owned();
    asked.push((executed("DISTINCT ON (content.game_code"), "text[], text[], text[]", values));

    let import = app.post("/v1/collection/imports?game=ttcg").by(&moderator);
    let import = import.header("content-type", "text/csv").body("Name\nHeron 2001\nHern 2001\n");
    import.answer().await.expect(200);
    let mut statements =
        wiretap.take_statements(&["content.search_key = ANY(", "WITH ORDINALITY AS typed"]);
    assert_eq!(statements.len(), 2, "{statements:#?}");
    let values = "'{ttcg}', '{hern2001}', '{% hern% 2001%}', 1000, 20".to_owned();
    let types = "text[], text[], text[], bigint, bigint";
    asked.push((statements.remove(1), types, values));
    asked.push((statements.remove(0), "text[]", "'{heron2001,hern2001}'".to_owned()));

    for (statement, types, values) in asked {
        let (_, plan) = plan(&app, &statement, types, &values).await;
        assert!(!plan.contains("Seq Scan on card_content"), "{statement}: {plan}");
        assert!(plan.contains("card_content_hidden"), "{statement}: {plan}");
    }

    app.get("/v1/cards/named?exact=Heron+2001").by(&ada).answer().await.expect(200);
    let values = format!("{key}, '{}', 'heron2001', 1000, 20", ada.id);
    let types = "text, text, text, uuid, text, bigint, bigint";
    let (_, plan) = plan(&app, &executed(named), types, &values).await;
    assert!(!plan.contains("card_content_hidden"), "{plan}");
}

/// A search of the gallery for a rare word reads the designs with this word by a plan that is made once for all words: planning takes longer than reading
/// them.
#[tokio::test]
async fn a_word_in_the_gallery_is_planned_once() {
    // Without the designs in memory.
    let (app, wiretap, _) = start_with_wiretap().await;
    let ada = app.player("ada").await;
    let codes: Vec<String> = (0..5_000).map(|_| format!("'{}'", DesignCode::generate())).collect();
    app.sql(&format!(
        "SET session_replication_role = replica; \
         INSERT INTO designs (id, code, account_id, game_code, status, version, revision, public_revision, searched_revision, name, name_key, name_skeleton, \
          kind, shared_at, created_at, updated_at) \
         SELECT gen_random_uuid(), code, '{ada}', 'ttcg', 'shared', 1, 1, 1, 1, 'Heron x' || n, 'heronx' || n, 'heronx' || n, 'unit', now(), now(), now() \
         FROM unnest(ARRAY[{codes}]) WITH ORDINALITY AS new (code, n); \
         INSERT INTO design_search (design_id, game_code, game_revision, words_version, kind, search_key, attributes, effects, has_lore, printings, \
          printing_numbers, terms, words, name_words, effect_words, lore_words, attribute_words) \
         SELECT id, game_code, 1000, 1000, kind, name_key, '{{}}', '[]', false, '[]', '[]', '{{}}', ' ' || lower(name), ' ' || lower(name), '', '', '{{}}' FROM designs; \
         RESET session_replication_role; \
         SELECT gin_clean_pending_list('design_search_words'); \
         ANALYZE designs, design_search, accounts",
        ada = ada.id,
        codes = codes.join(", "),
    ))
    .await;
    let by_word = ["WITH found AS MATERIALIZED"];
    wiretap.take_statements(&[]);
    for (word, designs) in [("x4711", 1), ("x499", 11), ("x5001", 0)] {
        let page = app.get(&format!("/v1/designs?game=ttcg&q={word}")).answer().await.expect(200);
        assert_eq!(page["data"].as_array().unwrap().len(), designs, "{word}");
        let heard = wiretap.take_statements(&by_word);
        assert_eq!(heard.len(), 1, "{heard:#?}");
        let values = format!("'''{word}'':*', 'ttcg', '% {word}%', 51");
        let (is_kept, plan) = plan(&app, &heard[0], "text, text, text, bigint", &values).await;
        assert!(is_kept, "{word} is planned at each use");
        for table in ["Seq Scan on designs", "Seq Scan on design_search"] {
            assert!(!plan.contains(table), "{table}: {plan}");
        }
    }
    // A word that many designs have is looked up once. After that, its pages are read in the order of the list.
    for (query, statements) in [("heron", 1), ("heron&limit=20", 0), ("heron+x499", 1)] {
        let path = format!("/v1/designs?game=ttcg&q={query}");
        app.get(&path).answer().await.expect(200);
        assert_eq!(wiretap.take_statements(&by_word).len(), statements, "{query}");
    }
}

/// Facets test the condition of a query once for all counts. In the texts of cards that no index has found, words are searched before lexemes are made of
/// the texts, which takes many times as long.
#[tokio::test]
async fn facets_of_a_query_find_its_cards_once() {
    let (app, wiretap) = start_in_memory().await;
    let moderator = app.moderator().await;
    for (query, is_stored) in [("", false), ("?q=fox+or+type:fire", true), ("?q=-fox", true)] {
        wiretap.take_statements(&[]);
        let path = format!("/v1/games/ttcg/facets{query}");
        app.get(&path).by(&moderator).answer().await.expect(200);
        let statements = wiretap.take_statements(&["SELECT 'card' AS source"]);
        assert_eq!(statements.len(), 1, "{statements:#?}");
        let counts = &statements[0];
        assert_eq!(counts.contains("seen AS MATERIALIZED"), is_stored, "{counts}");
        let (text, lexemes) = (counts.find("words LIKE"), counts.find("array_to_tsvector"));
        assert_eq!((text.is_some(), lexemes.is_some()), (is_stored, is_stored), "{counts}");
        assert!(text <= lexemes, "{counts}");
    }
}

/// Counting the votes for a card again reads the counted submissions of that card only, also if many are stored. A join would read those of all cards.
#[tokio::test]
async fn a_recount_reads_the_counted_submissions_of_its_card() {
    let (app, wiretap, cards) = start_with_wiretap().await;
    let (ada, moderator) = (app.player("ada").await, app.moderator().await);
    let copy = app.register(&ada, &cards[0]).await;
    app.sql(
        "SET session_replication_role = replica; \
         INSERT INTO submissions (id, account_id, card_id, code_prefix, code_mac, counted, created_at) \
         SELECT gen_random_uuid(), gen_random_uuid(), id, 'AA', decode(md5(id || ' ' || n), 'hex'), true, now() FROM cards, generate_series(1, 500) AS n; \
         INSERT INTO counted_submissions SELECT id FROM submissions ON CONFLICT DO NOTHING; \
         RESET session_replication_role; \
         ANALYZE submissions, counted_submissions, unlocks",
    )
    .await;
    let card = format!("SELECT card_id::text FROM submissions WHERE account_id = '{}'", ada.id);
    let card = app.db().value(&card).await;
    wiretap.take_statements(&[]);
    app.moderate(&moderator, &copy, "void").await.expect(200);
    let statements = wiretap.take_statements(&["taken_back"]);
    assert_eq!(statements.len(), 1, "{statements:#?}");
    let values = format!("'{{{card}}}', '{{0}}', '{{}}'");
    let (_, plan) = plan(&app, &statements[0], "uuid[], integer[], uuid[]", &values).await;
    assert!(!plan.contains("Seq Scan on counted_submissions"), "{plan}");
}

/// An import stores the content of its changed cards, and what their names are compared by, in one statement each, not card by card.
#[tokio::test]
async fn changed_cards_are_stored_together() {
    let (app, wiretap) = start_in_memory().await;
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "hearth", |set| {
        for card in set["cards"].as_array_mut().unwrap().iter_mut().take(9) {
            card["name"] = json!(format!("{} of Old", card["name"].as_str().unwrap()));
        }
    });
    wiretap.take_statements(&[]);
    app.import(&source).await.unwrap();
    let statements = wiretap.take_statements(&["UPDATE card_content", "UPDATE \"card_content\""]);
    let number = |part: &str| statements.iter().filter(|sql| sql.contains(part)).count();
    assert_eq!((number("SET name_looks"), number("SET kind")), (1, 1), "{statements:#?}");
    assert!(statements.len() < 9, "{statements:#?}");
    let without = app.db().number("SELECT count(*) FROM card_content WHERE name_looks IS NULL");
    assert_eq!(without.await, 0);
}

/// A page of sets counts the cards of its sets only. Without `OFFSET 0`, Postgres reads all unlocks of a small database.
#[tokio::test]
async fn a_page_of_sets_reads_only_the_unlocks_of_its_sets() {
    let (app, wiretap) = start_in_memory().await;
    app.sql(
        "SET session_replication_role = replica; \
         INSERT INTO sets (id, game_code, code, name, hidden, unlock_threshold, created_at, updated_at) \
         SELECT gen_random_uuid(), 'ttcg', 'a' || n, 'Set ' || n, true, 5, now(), now() FROM generate_series(1, 300) AS n; \
         WITH added AS (INSERT INTO cards (id, game_code, set_code, number, created_at, updated_at) \
          SELECT gen_random_uuid(), game_code, code, n, now(), now() FROM sets, generate_series(901, 930) AS n WHERE code LIKE 'a%' RETURNING id) \
         INSERT INTO unlocks (card_id, threshold) SELECT id, 5 FROM added; \
         RESET session_replication_role; \
         ANALYZE sets, cards, unlocks, unlock_policies",
    )
    .await;
    let lists = [
        ("/v1/games/ttcg/sets", "text, text, bigint", "'ttcg', NULL, 51"),
        ("/v1/sets", "text, text, bigint", "NULL, NULL, 51"),
    ];
    for (path, types, values) in lists {
        wiretap.take_statements(&[]);
        let page = app.get(path).answer().await.expect(200);
        let sets = page["data"].as_array().unwrap();
        assert_eq!(sets.len(), 50, "{path}");
        let first = &sets[0];
        assert_eq!((&first["cards"], &first["hidden_cards"]), (&json!(30), &json!(30)));
        let statements = wiretap.take_statements(&["AS card_count"]);
        assert_eq!(statements.len(), 1, "{statements:#?}");
        let (is_kept, plan) = plan(&app, &statements[0], types, values).await;
        assert!(is_kept, "{path} is planned at each use");
        for part in ["Seq Scan on unlocks", "Seq Scan on cards", "Hash"] {
            assert!(!plan.contains(part), "{path}: {part}: {plan}");
        }
    }
}

/// How often a plan reads a table, at most, in one of its places. The plan says `loops=`.
fn loops(plan: &str, table: &str) -> u64 {
    let place = format!(" on {table} ");
    let of_line = |line: &str| {
        let (_, loops) = line.split_once("loops=")?;
        loops.trim_end_matches(')').parse::<u64>().ok()
    };
    plan.lines().filter(|line| line.contains(&place)).filter_map(of_line).max().unwrap()
}

/// Of many decks with a card, similar decks look up owner and judgement only of those that are returned, and cards played with a card only of those
/// that are compared. Without `OFFSET 0`, Postgres joins these tables for all decks, or reads all of them.
#[tokio::test]
async fn similar_decks_and_cards_played_together_look_up_few_decks() {
    let (app, wiretap) = start_in_memory().await;
    let ada = app.player("ada").await;
    let body = json!({
        "name": "Shown", "format": "ttcg/standard", "visibility": "public",
        "entries": [{ "quantity": 2, "name": "Kettle Imp" }],
    });
    let deck = app.post("/v1/decks").by(&ada).json(&body).answer().await.expect(201);
    let deck = deck["id"].as_str().unwrap();
    app.catch_up().await;
    app.sql(&format!(
        "INSERT INTO decks (id, account_id, game_code, format_code, name, visibility, revision, created_at, updated_at) \
         SELECT gen_random_uuid(), '{}', 'ttcg', 'standard', 'Deck ' || n, 'public', 1, now(), now() FROM generate_series(1, 4000) AS n; \
         INSERT INTO deck_entries (deck_id, position, zone, quantity, name) \
         SELECT d.id, e.position, e.zone, e.quantity, e.name FROM decks d, deck_entries e WHERE e.deck_id = '{deck}' AND d.id <> '{deck}'; \
         INSERT INTO deck_search (deck_id, revision, game_code, published_at, updated_at, size, terms, cards, hidden_cards, legal_in) \
         SELECT d.id, 1, 'ttcg', now(), d.updated_at, s.size, s.terms, s.cards, '{{}}', '{{}}' FROM decks d, deck_search s WHERE s.deck_id = '{deck}' \
         ON CONFLICT DO NOTHING; \
         INSERT INTO deck_judgements (deck_id, game_code, due_at, judged_on) SELECT id, 'ttcg', now() + interval '9 days', current_date FROM decks \
         ON CONFLICT (deck_id) DO UPDATE SET judged_on = excluded.judged_on, due_at = excluded.due_at; \
         UPDATE deck_judgements SET game_revision = (SELECT revision FROM games WHERE code = 'ttcg'); \
         ANALYZE decks, deck_search, deck_judgements, accounts",
        ada.id
    ))
    .await;
    let cards = format!("SELECT cards::text FROM deck_search WHERE deck_id = '{deck}'");
    let cards = app.db().value(&cards).await;
    let card = cards.trim_matches(['{', '}']);
    let explained = async |statement: &str, types: &str, values: &str| {
        let session = app.db().session().await;
        session.batch_execute(&format!("PREPARE asked ({types}) AS {statement}")).await.unwrap();
        let explain = format!("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE asked ({values})");
        let rows = session.query(&explain, &[]).await.unwrap();
        let plan: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        plan.join("\n")
    };

    wiretap.take_statements(&[]);
    let path = format!("/v1/decks/{deck}/similar?limit=10");
    let similar = app.get(&path).answer().await.expect(200);
    assert_eq!(similar["data"].as_array().unwrap().len(), 10, "{similar}");
    let statements = wiretap.take_statements(&["WITH near AS"]);
    assert_eq!(statements.len(), 1, "{statements:#?}");
    let values = format!("'ttcg', '{cards}', '{deck}', 2000, 10");
    let plan = explained(&statements[0], "text, uuid[], uuid, bigint, bigint", &values).await;
    for table in ["accounts", "deck_judgements"] {
        assert!(loops(&plan, table) <= 10, "{table}: {plan}");
    }

    wiretap.take_statements(&[]);
    app.get(&format!("/v1/cards/{card}/played-with")).answer().await.expect(200);
    let statements = wiretap.take_statements(&["unnest(chosen.cards)"]);
    assert_eq!(statements.len(), 1, "{statements:#?}");
    let values = format!("'{card}', 2000, 10");
    let plan = explained(&statements[0], "uuid, bigint, bigint", &values).await;
    for table in ["accounts", "deck_judgements"] {
        assert!(loops(&plan, table) <= 2000, "{table}: {plan}");
    }
    assert!(!plan.contains("hashed"), "{plan}");
}
