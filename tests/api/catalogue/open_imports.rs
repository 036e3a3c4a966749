//! What goes on while an import is written and not yet committed: copies are registered, players create things of the game.

use std::collections::BTreeSet;
use std::sync::Mutex;

use cardscape::domain::accounts::attempts::AttemptLimits;
use cardscape::domain::catalogue::import::GameSource;
use cardscape::store::serials::unlock_policies::unlock_all_due;
use chrono::{DateTime, Duration};
use serde_json::{Value, json};

use crate::designs::{heron, shared};
use crate::support::{
    PaperCard, Player, RequestExt as _, TestApp, edit_set, numbered_set, seed_data, set_file, until,
};

const POLICY: &str = "/v1/games/ttcg/sets/dusk/unlock-policy";

const WAITING: &str = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

/// Three hidden cards, five copies of each, and the players who have them.
async fn start() -> (TestApp, Vec<PaperCard>, Vec<Player>) {
    let app = TestApp::start_with(|api| api.attempt_limits = AttemptLimits::scaled(1_000)).await;
    app.import_set("dusk", 3, true).await;
    let copies = app.print("dusk", 5).await;
    let mut players = Vec::new();
    for at in 0..5 {
        players.push(app.player_owned(format!("player {at}")).await);
    }
    (app, copies, players)
}

/// The copy of a card that this player has.
fn copy<'a>(copies: &'a [PaperCard], number: &str, player: usize) -> &'a PaperCard {
    copies.iter().filter(|copy| copy.number == number).nth(player).unwrap()
}

/// The set with another text on each card.
fn retold() -> GameSource {
    let mut source = numbered_set("dusk", 3, true);
    edit_set(&mut source, "dusk", |set| {
        for card in set["cards"].as_array_mut().unwrap() {
            card["lore"] = "Another tale.".into();
        }
    });
    source
}

/// The statement that locks the progress of one card.
fn lock_card(set: &str, number: &str, mode: &str) -> String {
    format!(
        "SELECT u.card_id FROM unlocks u JOIN cards k ON k.id = u.card_id \
         WHERE k.set_code = '{set}' AND k.number = '{number}' FOR {mode} OF u"
    )
}

async fn find_card(app: &TestApp, number: &str) -> Value {
    app.get(&format!("/v1/games/ttcg/sets/dusk/cards/{number}")).answer().await.expect(200)
}

async fn count(app: &TestApp, table: &str, number: &str, condition: &str) -> i64 {
    let query = format!(
        "SELECT count(*) FROM {table} one JOIN cards k ON k.id = one.{} WHERE k.number = '{number}' AND {condition}",
        if table == "events" { "subject_id" } else { "card_id" }
    );
    app.db().number(&query).await
}

/// An import that changes hidden cards does not keep anybody from registering copies of them. Only a submission that
/// unlocks a card waits for the import.
#[tokio::test]
async fn copies_are_registered_during_an_import_of_their_set() {
    let (app, copies, players) = start().await;
    for (at, player) in players.iter().take(4).enumerate() {
        app.submit(player, copy(&copies, "002", at)).await.expect(201);
    }
    let last = Mutex::new(None);
    let meanwhile = async || {
        let first = app.submit(&players[0], copy(&copies, "001", 0)).await.expect(201);
        assert_eq!(first["counted"], true);
        let batch = [copy(&copies, "001", 1).submission(), copy(&copies, "003", 1).submission()];
        let batch = json!({ "submissions": batch });
        let batch = app.post("/v1/submissions/batch").by(&players[1]).json(&batch);
        let verdicts = batch.answer().await.expect(200);
        assert_eq!(verdicts["data"][0]["accepted"]["counted"], true, "{verdicts}");
        assert_eq!(verdicts["data"][1]["accepted"]["counted"], true, "{verdicts}");
        let unlocking = copy(&copies, "002", 4).submission();
        let unlocking = app.post("/v1/submissions").by(&players[4]).json(&unlocking);
        *last.lock().unwrap() = Some(tokio::spawn(async move { unlocking.answer().await }));
        until("the submission waits", async |_| app.db().number(WAITING).await == 1).await;
        // It waits alone: others are decided.
        app.submit(&players[2], copy(&copies, "003", 2)).await.expect(201);
    };
    let summary = app.import_with(&retold(), meanwhile).await;
    assert_eq!(summary.sets[0].cards_changed, 3);
    let last = last.into_inner().unwrap().unwrap().await.unwrap();
    assert_eq!(last.expect(201)["counted"], true);
    let unlocked = find_card(&app, "002").await;
    assert_eq!((&unlocked["lore"], &unlocked["hidden"]), (&json!("Another tale."), &json!(false)));
    assert_eq!(count(&app, "unlocks", "001", "one.submissions = 2").await, 1);
    assert_eq!(count(&app, "unlocks", "003", "one.submissions = 2").await, 1);
    assert_eq!(find_card(&app, "001").await.get("lore"), None);
    // What changed was never public, so it is in no event, and not in the public history.
    for number in ["001", "002"] {
        assert_eq!(count(&app, "events", number, "kind = 'card.changed'").await, 0);
        assert_eq!(count(&app, "card_history", number, "NOT one.early").await, 0);
    }
}

/// An account counts once for a card: a batch with as many copies as the card needs does not unlock it, and does not wait
/// for an import that changes the card.
#[tokio::test]
async fn a_batch_of_copies_of_one_card_is_registered_during_an_import() {
    let (app, copies, players) = start().await;
    let meanwhile = async || {
        let batch: Vec<Value> = (0..5).map(|at| copy(&copies, "001", at).submission()).collect();
        let batch = json!({ "submissions": batch });
        let batch = app.post("/v1/submissions/batch").by(&players[0]).json(&batch);
        let verdicts = batch.answer().await.expect(200);
        let verdicts = verdicts["data"].as_array().unwrap();
        let counted: Vec<&Value> =
            verdicts.iter().map(|verdict| &verdict["accepted"]["counted"]).collect();
        assert_eq!(counted, [true, false, false, false, false], "{verdicts:?}");
    };
    app.import_with(&retold(), meanwhile).await;
    assert_eq!(count(&app, "unlocks", "001", "one.submissions = 1").await, 1);
}

/// The stored count of a card under a policy may be lower than the one that its next submission finds. A batch locks such
/// cards for their unlock in the common order, before it unlocks the first of them: else it would deadlock with an import
/// that has locked 001 and waits for 002.
#[tokio::test]
async fn a_batch_locks_cards_under_a_policy_before_it_unlocks_one() {
    let (app, copies, players) = start().await;
    let admin = app.admin().await;
    let policy = json!({ "threshold": 3 });
    app.put(POLICY).by(&admin).json(&policy).answer().await.expect(201);
    for (at, player) in players.iter().take(2).enumerate() {
        for number in ["001", "002"] {
            app.submit(player, copy(&copies, number, at)).await.expect(201);
        }
    }
    app.sql("UPDATE unlocks SET submissions = 0").await;
    let import = app.db().session().await;
    let lock = format!("BEGIN; {}", lock_card("dusk", "001", "KEY SHARE"));
    import.batch_execute(&lock).await.unwrap();
    let batch = ["002", "001"].map(|number| copy(&copies, number, 2).submission());
    let batch = json!({ "submissions": batch });
    let batch = app.post("/v1/submissions/batch").by(&players[2]).json(&batch);
    let batch = tokio::spawn(async move { batch.answer().await });
    until("the batch waits", async |_| app.db().number(WAITING).await == 1).await;
    let lock = lock_card("dusk", "002", "KEY SHARE");
    import.batch_execute(&format!("{lock} NOWAIT; COMMIT")).await.expect("002 is not locked yet");
    batch.await.unwrap().expect(200);
    for number in ["001", "002"] {
        assert_eq!(count(&app, "unlocks", number, "one.unlocked_at IS NOT NULL").await, 1);
        assert_eq!(count(&app, "unlocks", number, "one.submissions = 3").await, 1);
    }
}

/// Earlier versions lock hidden cards `FOR UPDATE` to count them, in the order of game, set and id. They wait for an
/// import, and others go on counting.
#[tokio::test]
async fn an_earlier_version_counts_after_an_import() {
    let (app, copies, players) = start().await;
    let earlier = Mutex::new(None);
    let meanwhile = async || {
        let session = app.db().session().await;
        let counting = "BEGIN; \
             SELECT u.card_id FROM unlocks u JOIN cards k ON k.id = u.card_id WHERE u.unlocked_at IS NULL \
             ORDER BY k.game_code, k.set_code, u.card_id FOR UPDATE OF u; \
             UPDATE unlocks SET submissions = submissions + 1; COMMIT";
        let counting = tokio::spawn(async move { session.batch_execute(counting).await });
        *earlier.lock().unwrap() = Some(counting);
        until("the earlier version waits", async |_| app.db().number(WAITING).await == 1).await;
        app.submit(&players[0], copy(&copies, "001", 0)).await.expect(201);
    };
    let summary = app.import_with(&retold(), meanwhile).await;
    assert_eq!(summary.sets[0].cards_changed, 3);
    earlier.into_inner().unwrap().unwrap().await.unwrap().unwrap();
    assert_eq!(count(&app, "unlocks", "001", "one.submissions = 2").await, 1);
    assert_eq!(count(&app, "unlocks", "002", "one.submissions = 1").await, 1);
}

/// An import that changes a hidden card of one set, and counts the cards of another set again, locks all of them in one
/// order: it has not locked the later set while it waits for the earlier one. So it does not deadlock with an earlier
/// version, which counts cards of both sets with `FOR UPDATE`.
#[tokio::test]
async fn an_import_locks_counted_and_changed_cards_in_one_order() {
    let (app, ..) = start().await;
    let mut source = numbered_set("dusk", 3, true);
    source.sets.append(&mut numbered_set("night", 2, true).sets);
    app.import(&source).await.unwrap();
    edit_set(&mut source, "dusk", |set| set["cards"][0]["lore"] = "Another tale.".into());
    edit_set(&mut source, "night", |set| set["unlock_threshold"] = 4.into());
    let earlier = app.db().session().await;
    let lock = format!("BEGIN; {}", lock_card("dusk", "001", "UPDATE"));
    earlier.batch_execute(&lock).await.unwrap();
    let counting = async {
        until("the import waits", async |_| app.db().number(WAITING).await == 1).await;
        let lock = format!("{} NOWAIT; COMMIT", lock_card("night", "001", "UPDATE"));
        earlier.batch_execute(&lock).await.expect("night is not locked yet");
    };
    let (summary, ()) = tokio::join!(app.import(&source), counting);
    assert_eq!(summary.unwrap().sets.len(), 2);
    let changed = "SELECT count(*) FROM unlocks u JOIN cards k ON k.id = u.card_id WHERE k.set_code = 'night' AND u.threshold = 4";
    assert_eq!(app.db().number(changed).await, 2);
}

/// The day of a set comes during an import that changes one of its cards. The job does not keep the other cards locked until
/// the import ends, and unlocks all of them afterwards.
#[tokio::test]
async fn copies_are_registered_while_a_set_that_is_due_waits_for_an_import() {
    let (app, copies, players) = start().await;
    let admin = app.admin().await;
    let day = app.clock().now() + Duration::hours(2);
    let policy = json!({ "threshold": 5, "unlock_at": day });
    app.put(POLICY).by(&admin).json(&policy).answer().await.expect(201);
    let mut source = numbered_set("dusk", 3, true);
    edit_set(&mut source, "dusk", |set| set["cards"][2]["lore"] = "Another tale.".into());
    let meanwhile = async || {
        let store = app.store().clone();
        let due = async move {
            unlock_all_due(&store, DateTime::UNIX_EPOCH, day, &mut BTreeSet::new()).await
        };
        let due = tokio::spawn(due);
        until("the job waits", async |_| due.is_finished() || app.db().number(WAITING).await == 1)
            .await;
        app.submit(&players[0], copy(&copies, "001", 0)).await.expect(201);
        assert_eq!(due.await.unwrap().unwrap(), 0);
    };
    let summary = app.import_with(&source, meanwhile).await;
    assert_eq!(summary.sets[0].cards_changed, 1);
    let mut left = BTreeSet::new();
    let due = unlock_all_due(app.store(), DateTime::UNIX_EPOCH, day, &mut left).await;
    assert_eq!((due.unwrap(), left.len()), (3, 0));
}

/// A card that is unlocked between the beginning of an import and the change of its content is changed as an open card.
#[tokio::test]
async fn a_card_that_is_unlocked_during_an_import_is_changed_as_an_open_card() {
    let (app, copies, players) = start().await;
    for (at, player) in players.iter().take(4).enumerate() {
        app.submit(player, copy(&copies, "002", at)).await.expect(201);
    }
    let admin = app.admin().await;
    let session = app.db().session().await;
    let lock = "BEGIN; SELECT FROM card_content c JOIN cards k ON k.id = c.card_id WHERE k.number = '001' FOR UPDATE OF c";
    session.batch_execute(lock).await.unwrap();
    let file = set_file(&retold(), "dusk");
    let import = app.put("/v1/games/ttcg/sets/dusk").by(&admin).json(&file);
    let import = tokio::spawn(async move { import.answer().await });
    until("the import waits", async |_| app.db().number(WAITING).await == 1).await;
    app.submit(&players[4], copy(&copies, "002", 4)).await.expect(201);
    let before = find_card(&app, "002").await;
    assert_eq!((before.get("lore"), &before["hidden"]), (None, &json!(false)));
    session.batch_execute("COMMIT").await.unwrap();
    import.await.unwrap().expect(200);
    let after = find_card(&app, "002").await;
    assert_eq!((&after["lore"], &after["hidden"]), (&json!("Another tale."), &json!(false)));
    assert_ne!(after["updated_at"], before["updated_at"]);
    assert_eq!(count(&app, "events", "002", "kind = 'card.changed'").await, 1);
    assert_eq!(count(&app, "card_history", "002", "NOT one.early").await, 1);
    assert_eq!(find_card(&app, "001").await["hidden"], true);
    assert_eq!(count(&app, "events", "001", "kind = 'card.changed'").await, 0);
}

/// Players create designs and decks of a game, publish and watch them while an import of the game is open.
#[tokio::test]
async fn players_create_things_of_a_game_during_an_import() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    app.seed_effect_texts("ttcg").await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let mut source = seed_data("ttcg");
    source.manifest.text = source.manifest.text.replacen("\"TTCG\"", "\"Another TTCG\"", 1);
    edit_set(&mut source, "hearth", |set| set["cards"][0]["lore"] = "Another tale.".into());
    let meanwhile = async || {
        shared(&app, &ada, &heron("Patient Heron")).await;
        let deck = json!({ "name": "Embers", "format": "ttcg/standard", "visibility": "public", "list": "1 Kettle Imp" });
        let deck = app.post("/v1/decks").by(&ada).json(&deck).answer().await;
        assert_eq!(deck.status, 201, "{}", deck.text());
        let watch = format!("{}/watch", deck.header("location"));
        let watched = app.put(&watch).by(&ben).answer().await;
        assert!([200, 201, 204].contains(&watched.status), "{}", watched.text());
    };
    let summary = app.import_with(&source, meanwhile).await;
    assert_eq!((summary.manifest_changed, summary.sets.len()), (true, 1));
}
