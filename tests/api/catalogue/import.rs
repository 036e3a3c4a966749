//! Imports: an import changes everything or nothing, and writes only rows that changed.

use cardscape::domain::catalogue::import::{GameImport, GameSource, ImportFault};
use cardscape::domain::clock::Clock;
use cardscape::store::catalogue::import::{ImportError, is_current, with_upkeep};
use serde_json::{Value, json};

use crate::support::{
    RequestExt as _, TestApp, TestDb, edit_set, import_into, seed_data, store_of, until,
};

/// The content of all tables that an import can change, as one text.
async fn state(app: &TestApp) -> String {
    let tables = [
        "games",
        "sets",
        "cards",
        "card_content",
        "printings",
        "printing_content",
        "unlocks",
        "events",
    ];
    let mut all = String::new();
    for table in tables {
        // Events get their sequence number later, when the feed is read.
        let rows = format!("SELECT to_jsonb(t) - 'seq' AS t FROM {table} t");
        all +=
            &app.db().value(&format!("SELECT jsonb_agg(t ORDER BY t::text) FROM ({rows}) t")).await;
    }
    all
}

async fn refused(app: &TestApp, source: &GameSource) -> Vec<ImportFault> {
    let before = state(app).await;
    let faults = match app.import(source).await {
        Err(ImportError::Refused(faults)) => faults,
        other => panic!("{other:?}"),
    };
    assert_eq!(state(app).await, before, "a refused import changes nothing");
    faults
}

fn edited(edit: impl FnOnce(&mut Value)) -> GameSource {
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "veil", edit);
    source
}

#[tokio::test]
async fn the_same_files_again_change_nothing() {
    let app = TestApp::start().await;
    let source = seed_data("ttcg");
    let mut conn = app.store().connection().await.unwrap();
    assert!(!is_current(&mut conn, &source).await.unwrap());
    let first = app.import(&source).await.unwrap();
    assert!(first.manifest_changed);
    assert_eq!(first.sets.len(), 2);
    assert!(is_current(&mut conn, &source).await.unwrap());
    let before = state(&app).await;
    app.clock().advance(chrono::Duration::hours(1));
    assert!(!app.import(&source).await.unwrap().changed());
    assert_eq!(state(&app).await, before);

    // A file with other white space is another file with the same content.
    let mut reworded = source.clone();
    edit_set(&mut reworded, "veil", |_| {});
    assert!(!is_current(&mut conn, &reworded).await.unwrap());
    assert!(!app.import(&reworded).await.unwrap().changed());
    let revisions = "SELECT string_agg(DISTINCT revision::text, ',') FROM \
                     (SELECT revision FROM games UNION ALL SELECT revision FROM sets UNION ALL SELECT revision FROM cards) r";
    assert_eq!(app.db().value(revisions).await, "1");
    assert!(is_current(&mut conn, &reworded).await.unwrap());
    assert_eq!(
        app.db().value("SELECT count(*) FROM audit_log WHERE action = 'game.imported'").await,
        "1"
    );
}

/// While an import runs, another session cleans up the indexes, and then numbers the events of the imports before it.
#[tokio::test]
async fn upkeep_is_done_beside_imports() {
    let db = TestDb::create().await;
    let store = store_of(&db);
    let imports = async {
        import_into(&store, &Clock::system(), &seed_data("emojito")).await.unwrap();
        let waiting = "SELECT count(*) FROM events WHERE seq IS NULL";
        until("the events have numbers", async |_| db.number(waiting).await == 0).await;
    };
    with_upkeep(&store, imports).await;
    // The number of pages that were still in the lists of the indexes.
    let left = "SELECT sum(gin_clean_pending_list(indexrelid)) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid \
                JOIN pg_am ON pg_am.oid = relam WHERE indrelid = 'card_content'::regclass AND amname = 'gin'";
    assert_eq!(db.number(left).await, 0);
    import_into(&store, &Clock::system(), &seed_data("emojo-dojo")).await.unwrap();
    assert_ne!(db.number(left).await, 0, "without the upkeep, something is left");
}

#[tokio::test]
async fn only_what_changed_gets_a_new_revision() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ids = app
        .db()
        .value("SELECT string_agg(id::text, ',' ORDER BY set_code, number) FROM cards")
        .await;
    app.clock().advance(chrono::Duration::hours(1));
    let summary = app
        .import(&edited(|set| {
            set["cards"][2]["lore"] = "Another tale.".into();
            let base = set["cards"][3]["printings"][0]["attributes"].clone();
            assert!(base.is_object());
            set["cards"][4]["name"] = "A New Name".into();
        }))
        .await
        .unwrap();
    assert_eq!(summary.sets.len(), 1);
    assert_eq!(
        (summary.sets[0].cards_added, summary.sets[0].cards_changed, summary.sets[0].set_changed),
        (0, 2, false)
    );
    let changed = "SELECT string_agg(number, ',' ORDER BY number) FROM cards WHERE revision = 2 AND updated_at > created_at";
    assert_eq!(app.db().value(changed).await, "003,005");
    assert_eq!(
        app.db().value("SELECT max(revision) FROM sets").await,
        "1",
        "the set itself did not change"
    );
    assert_eq!(
        app.db()
            .value("SELECT string_agg(id::text, ',' ORDER BY set_code, number) FROM cards")
            .await,
        ids
    );
    assert_eq!(
        app.db().value("SELECT name FROM card_content WHERE name_key = 'anewname'").await,
        "A New Name"
    );
}

#[tokio::test]
async fn simultaneous_imports_run_one_after_the_other() {
    let app = TestApp::start().await;
    let source = seed_data("ttcg");
    let (one, two, three, four) = tokio::join!(
        app.import(&source),
        app.import(&source),
        app.import(&source),
        app.import(&source)
    );
    let changed = [one, two, three, four]
        .into_iter()
        .filter(|summary| summary.as_ref().unwrap().changed())
        .count();
    assert_eq!(changed, 1);
}

#[test]
fn an_invalid_file_is_refused_with_every_fault_and_its_place() {
    let source = edited(|set| {
        set["cards"][0]["kind"] = "unicorn".into();
        set["cards"][1]["number"] = "not a number".into();
        set["cards"][2]["effects"][0]["text"] = "\u{0}".into();
        set["cards"][3]["name"] = set["cards"][4]["name"].clone();
        set["unlock_threshold"] = 1_000_000.into();
    });
    let faults = GameImport::check(&source).unwrap_err();
    let at = |pointer: &str| {
        faults.iter().any(|fault| fault.file == "veil.json" && fault.pointer.starts_with(pointer))
    };
    for pointer in ["/cards/0", "/cards/1/number", "/cards/2", "/cards/4/name", "/unlock_threshold"]
    {
        assert!(at(pointer), "{pointer} {faults:#?}");
    }
    let both = {
        let mut source = edited(|set| set["cards"][0]["attack"] = 1.into());
        source.sets[0].text.truncate(100);
        GameImport::check(&source).unwrap_err()
    };
    assert_eq!(both.len(), 2, "{both:#?}");
    assert_eq!((both[1].file.as_str(), both[1].pointer.as_str()), ("veil.json", "/cards/0/attack"));
    let manifest = GameSource {
        manifest: cardscape::domain::catalogue::import::SourceFile {
            name: "game.toml".into(),
            text: "x = 1".into(),
        },
        sets: Vec::new(),
    };
    assert!(
        GameImport::check(&manifest).unwrap_err().iter().all(|fault| fault.file == "game.toml")
    );
    let name = seed_data("ttcg");
    let taken: Value = serde_json::from_str(&name.sets[0].text).unwrap();
    let clash = edited(|set| set["cards"][0]["name"] = taken["cards"][0]["name"].clone());
    let clash = GameImport::check(&clash).unwrap_err();
    assert_eq!((clash.len(), clash[0].pointer.as_str()), (1, "/cards/0/name"), "{clash:#?}");
}

#[tokio::test]
async fn an_import_cannot_remove_cards() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let faults = refused(
        &app,
        &edited(|set| {
            set["cards"].as_array_mut().unwrap().remove(1);
            set["cards"].as_array_mut().unwrap().remove(3);
        }),
    )
    .await;
    let messages: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(messages[0].contains("002") && messages[1].contains("005"), "{messages:?}");
}

#[tokio::test]
async fn cards_can_swap_names_but_not_take_the_name_of_another_card() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let swapped = edited(|set| {
        let (one, two) = (set["cards"][0]["name"].clone(), set["cards"][1]["name"].clone());
        set["cards"][0]["name"] = two;
        set["cards"][1]["name"] = one;
    });
    assert_eq!(app.import(&swapped).await.unwrap().sets[0].cards_changed, 2);

    // The other set is not part of this import, and still its names are taken.
    let mut alone = seed_data("ttcg");
    let hearth: Value = serde_json::from_str(&alone.sets[0].text).unwrap();
    edit_set(&mut alone, "veil", |set| {
        set["cards"][0]["name"] = hearth["cards"][6]["name"].clone();
        set["cards"][1]["name"] = hearth["cards"][5]["name"].clone();
    });
    alone.sets.remove(0);
    let faults = refused(&app, &alone).await;
    // In the order of the file.
    let places: Vec<(&str, &str)> =
        faults.iter().map(|fault| (fault.file.as_str(), fault.pointer.as_str())).collect();
    assert_eq!(places, [("veil.json", "/cards/0/name"), ("veil.json", "/cards/1/name")]);
    for (fault, number) in faults.iter().zip(["007", "006"]) {
        let message = &fault.message;
        assert!(message.contains("hearth") && message.contains(number), "{faults:?}");
    }
}

/// Changed cards are written together: each has its own history, words and event.
#[tokio::test]
async fn many_cards_change_at_once() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let mut source = seed_data("ttcg");
    let mut expected = Vec::new();
    edit_set(&mut source, "hearth", |set| {
        let cards = set["cards"].as_array_mut().unwrap();
        let names: Vec<Value> = cards.iter().map(|card| card["name"].clone()).collect();
        // Each card gets the name of the next one, and the last one that of the first.
        let others = names.iter().skip(1).chain(names.first());
        for (card, name) in cards.iter_mut().zip(others) {
            card["lore"] = format!("A tale of {}.", name.as_str().unwrap()).into();
            card["name"] = name.clone();
            let text = |member: &str| card[member].as_str().unwrap().to_owned();
            expected.push([text("number"), text("name"), text("lore")].join("|"));
        }
    });
    let done = app.import(&source).await.unwrap();
    assert_eq!(done.sets[0].cards_changed, expected.len(), "{done:?}");
    expected.sort();
    let value = async |text: &str| app.db().value(text).await;
    let stored = value(
        "SELECT string_agg(concat_ws('|', c.number, content.name, content.lore), E'\\n' ORDER BY c.number COLLATE \"C\") \
         FROM cards c JOIN card_content content ON content.card_id = c.id WHERE c.set_code = 'hearth'",
    )
    .await;
    assert_eq!(stored.lines().collect::<Vec<_>>(), expected);
    let number = expected.len().to_string();
    for counted in [
        "card_history WHERE jsonb_path_exists(changes, '$[*] ? (@.member == \"/name\")') \
         AND jsonb_path_exists(changes, '$[*] ? (@.member == \"/lore\")')",
        "cards WHERE set_code = 'hearth' AND revision = 2",
        "events WHERE kind = 'card.changed'",
    ] {
        assert_eq!(value(&format!("SELECT count(*) FROM {counted}")).await, number, "{counted}");
    }
    let stale = "SELECT count(*) FROM card_content WHERE words_version = 0 OR name_looks IS NULL";
    assert_eq!(value(stale).await, "0");
    let before = state(&app).await;
    app.import(&source).await.unwrap();
    assert_eq!(state(&app).await, before);
}

#[tokio::test]
async fn a_printed_card_keeps_its_name() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let player = app.player("ada").await;
    app.give_copy(&player.id, "ttcg", "veil", "001").await;
    let name = |set: &Value, at: usize| set["cards"][at]["name"].as_str().unwrap().to_owned();
    let exchanged = edited(|set| {
        let mut other = set["cards"][4].clone();
        other["number"] = set["cards"][0]["number"].clone();
        let mut one = std::mem::replace(&mut set["cards"][0], other);
        one["number"] = set["cards"][4]["number"].clone();
        set["cards"][4] = one;
    });
    let faults = refused(&app, &exchanged).await;
    let places: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    assert_eq!(places, ["/cards/0/name", "/cards/4/name"], "{faults:?}");
    let fresh = edited(|set| set["cards"][1]["name"] = "A New Name".into());
    let faults = refused(&app, &fresh).await;
    assert_eq!((faults.len(), faults[0].pointer.as_str()), (1, "/cards/1/name"), "{faults:?}");
    // A name that differs only in case and punctuation counts as the same name. Texts may change.
    let louder = edited(|set| {
        set["cards"][1]["name"] = (name(set, 1).to_uppercase() + "!").into();
        set["cards"][2]["lore"] = "Another tale.".into();
    });
    assert_eq!(app.import(&louder).await.unwrap().sets[0].cards_changed, 2);
    // The copies of a discarded print run never reached a player, so the names may change.
    app.sql("ALTER TABLE print_runs DISABLE TRIGGER active_runs_stay; DELETE FROM copies; UPDATE print_runs SET status = 'discarded', activated_at = NULL",
    )
    .await;
    assert_eq!(app.import(&exchanged).await.unwrap().sets[0].cards_changed, 4);
}

#[tokio::test]
async fn a_printed_set_gets_no_new_cards_and_loses_no_printing() {
    let app = TestApp::start().await;
    let mut source = seed_data("emoji-tcg");
    let shorter = {
        let mut source = source.clone();
        edit_set(&mut source, "feed", |set| drop(set["cards"].as_array_mut().unwrap().pop()));
        source
    };
    app.import(&shorter).await.unwrap();
    let player = app.player("ada").await;
    app.give_copy(&player.id, "emoji-tcg", "feed", "001").await;
    let faults = refused(&app, &source).await;
    assert_eq!(faults.len(), 1);
    assert!(faults[0].message.contains("printed"), "{faults:?}");

    app.sql("ALTER TABLE print_runs DISABLE TRIGGER active_runs_stay; DELETE FROM copies; \
         UPDATE print_runs SET status = 'discarded', activated_at = NULL; DELETE FROM print_run_lines",
    )
    .await;
    assert_eq!(app.import(&source).await.unwrap().sets[0].cards_added, 1);

    // With a new lowest rarity, cards without listed printings get a printing of that rarity instead of the old one.
    source.manifest.text += "\n[[rarities]]\ncode = \"plain\"\nname = \"Plain\"\nweight = 1\n";
    let rarities = "SELECT string_agg(DISTINCT rarity, ',') FROM printings";
    app.sql("UPDATE print_runs SET status = 'pending'").await;
    let faults = refused(&app, &source).await;
    assert!(!faults.is_empty());
    assert!(faults.iter().all(|fault| fault.pointer.ends_with("/printings")), "{faults:?}");
    assert_eq!(app.db().value(rarities).await, "standard");
    // Neither while a run has the printing in its plan, whatever its set is.
    app.sql("INSERT INTO print_run_lines SELECT r.id, p.id, 1 FROM print_runs r, printings p JOIN cards c ON c.id = p.card_id \
          WHERE c.set_code = 'feed' AND c.number = '001'; \
         INSERT INTO copies (code_prefix, code_mac, print_run_id, printing_id) SELECT 'ZZ', substr(sha256('x'), 1, 16), print_run_id, printing_id \
          FROM print_run_lines; \
         UPDATE print_runs SET status = 'discarded'",
    )
    .await;
    assert_eq!(refused(&app, &source).await.len(), 1);
    app.sql("DELETE FROM print_run_lines").await;
    // The copies of the discarded run are not deleted yet: nobody waits for that.
    assert_eq!(app.db().value("SELECT count(*) FROM copies").await, "1");
    app.sql(&format!(
        "INSERT INTO collection_entries (account_id, printing_id, condition, quantity, updated_at) \
         SELECT '{}', p.id, 'mint', 3, now() FROM printings p JOIN cards c ON c.id = p.card_id WHERE c.number = '002'",
        player.id
    ))
    .await;
    app.import(&source).await.unwrap();
    assert_eq!(app.db().value(rarities).await, "plain");
    // What players have counted of the old printing is counted of the new one.
    let counted = "SELECT string_agg(p.rarity || e.quantity, ',') FROM collection_entries e JOIN printings p ON p.id = e.printing_id";
    assert_eq!(app.db().value(counted).await, "plain3");
}

#[tokio::test]
async fn a_manifest_keeps_what_stored_sets_need() {
    let app = TestApp::start().await;
    let mut source = seed_data("emoji-tcg");
    app.import(&source).await.unwrap();
    source.manifest.text += "\n[[rarities]]\ncode = \"plain\"\nname = \"Plain\"\nweight = 1\n";
    source.sets.clear();
    let faults = refused(&app, &source).await;
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!((faults[0].file.as_str(), faults[0].pointer.as_str()), ("game.toml", "/rarities"));
    // With the old rarity above the new one the manifest is accepted, and the tier of stored printings is one higher.
    source.manifest.text +=
        "\n[[rarities]]\ncode = \"standard\"\nname = \"Standard\"\nweight = 1\n";
    app.import(&source).await.unwrap();
    assert_eq!(
        app.db().value("SELECT string_agg(DISTINCT rarity || tier, ',') FROM printings").await,
        "standard2"
    );
}

#[tokio::test]
async fn a_lower_threshold_unlocks_cards_with_enough_submissions() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    for (number, votes) in [("001", 3), ("002", 2)] {
        app.cast_votes(&format!("k.set_code = 'veil' AND k.number = '{number}'"), votes).await;
    }
    let higher = app.import(&edited(|set| set["unlock_threshold"] = 7.into())).await.unwrap();
    assert_eq!((higher.sets[0].set_changed, higher.sets[0].cards_unlocked), (true, 0));
    let lower = app.import(&edited(|set| set["unlock_threshold"] = 3.into())).await.unwrap();
    assert_eq!(lower.sets[0].cards_unlocked, 1);
    let card = app.get("/v1/games/ttcg/sets/veil/cards/001").answer().await.expect(200);
    assert!(card["name"].is_string());
    assert_eq!(card["unlock"]["threshold"], 3);
    let second = app.get("/v1/games/ttcg/sets/veil/cards/002").answer().await.expect(200);
    assert_eq!(second["unlock"], json!({ "submissions": 2, "threshold": 3 }));
    let event = app
        .db()
        .value("SELECT jsonb_agg(jsonb_build_array(kind, subject_id, payload)) FROM events WHERE kind = 'card.unlocked'")
        .await;
    let id = &card["id"];
    let expected = json!([["card.unlocked", id, { "card": id, "game": "ttcg", "set": "veil", "number": "001" }]]);
    assert_eq!(serde_json::from_str::<Value>(&event).unwrap(), expected);
    // An unlocked card stays unlocked and keeps the threshold that it reached.
    app.import(&edited(|set| set["unlock_threshold"] = 9.into())).await.unwrap();
    let card = app.get("/v1/games/ttcg/sets/veil/cards/001").answer().await.expect(200);
    assert_eq!(card["unlock"]["threshold"], 3);
}

#[tokio::test]
async fn a_change_of_policy_neither_hides_open_cards_nor_opens_hidden_cards() {
    let app = TestApp::start().await;
    let mut source = seed_data("ttcg");
    app.import(&source).await.unwrap();
    edit_set(&mut source, "veil", |set| set["hidden"] = false.into());
    edit_set(&mut source, "hearth", |set| set["hidden"] = true.into());
    app.import(&source).await.unwrap();
    let read = async |set: &str| {
        app.get(&format!("/v1/games/ttcg/sets/{set}/cards/001")).answer().await.expect(200)
    };
    assert_eq!(read("hearth").await["hidden"], false);
    assert_eq!(read("veil").await["hidden"], true);
}
