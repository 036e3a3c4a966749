//! Minting: the plan, the print file, and the clean-up after a mint that was killed.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use cardscape::domain::serials::serial::SerialCode;
use cardscape::store::printing::discarded_runs;
use cardscape::store::printing::press::MintError;
use serde_json::Value;

use crate::support::{
    PaperCard, Program, RequestExt as _, TestApp, fresh_path, new_run, read_print_file, sha256,
};

async fn assert_rejected(app: &TestApp, card: &PaperCard) {
    assert_rejected_for(app, "somebody", card).await;
}

async fn assert_rejected_for(app: &TestApp, name: &str, card: &PaperCard) {
    let player = app.player(name).await;
    let answer = app.post("/v1/submissions").by(&player).json(&card.submission()).answer().await;
    answer.problem(422, "submission_rejected");
}

/// Deletes the copies of discarded runs, as the background task does.
pub(super) async fn delete_all(app: &TestApp) -> u64 {
    let now = app.clock().now();
    let mut deleted = 0;
    // If a mint was killed while it deleted copies, its statement still runs in the database and holds its lock. Until it ends, other calls delete nothing.
    loop {
        deleted +=
            discarded_runs::delete_copies(app.store(), usize::MAX, now, |_| {}).await.unwrap();
        let mut conn = app.store().connection().await.unwrap();
        if discarded_runs::count_copies_to_delete(&mut conn).await.unwrap() == 0 {
            return deleted;
        }
        tokio::task::yield_now().await;
    }
}

/// Changes the only run to the state that a mint leaves when it is killed before its last step.
async fn break_off(app: &TestApp) {
    app.sql(
        "ALTER TABLE print_runs DISABLE TRIGGER active_runs_stay; \
         UPDATE print_runs SET status = 'pending', activated_at = NULL; UPDATE sets SET copies_per_card = 0; \
         ALTER TABLE print_runs ENABLE TRIGGER active_runs_stay",
    )
    .await;
}

#[tokio::test]
async fn a_run_matches_its_print_file() {
    let app = TestApp::start().await;
    app.import_set("dusk", 5, true).await;
    let file = fresh_path(".csv");
    let minted = app.mint("dusk", 100, file.clone()).await.unwrap();
    assert_eq!(minted.codes, 500);
    assert_eq!(minted.file_sha256, sha256(&file));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let cards = read_print_file(&file);
    std::fs::remove_file(&file).unwrap();

    let mut by_number: BTreeMap<&str, usize> = BTreeMap::new();
    let mut codes = BTreeSet::new();
    for card in &cards {
        *by_number.entry(&card.number).or_default() += 1;
        assert!(SerialCode::parse(&card.serial).is_ok());
        assert!(codes.insert(card.serial.clone()));
    }
    assert!(by_number.len() == 5 && by_number.values().all(|&count| count == 100), "{by_number:?}");
    // The database contains exactly the copies of the plan.
    let differing = "SELECT count(*) FROM print_run_lines l WHERE copy_count <> (SELECT count(*) FROM copies c \
                     WHERE c.print_run_id = l.print_run_id AND c.printing_id = l.printing_id)";
    assert_eq!(app.db().value(differing).await, "0");
    assert_eq!(app.db().value("SELECT copies_per_card FROM sets").await, "100");
    for rarity in ["common", "primal_rare"] {
        let printed = cards.iter().filter(|card| card.rarity == rarity).count();
        let stored = format!(
            "SELECT count(*) FROM copies c JOIN printings p ON p.id = c.printing_id WHERE p.rarity = '{rarity}'"
        );
        assert_eq!(app.db().value(&stored).await, printed.to_string());
    }
    assert_eq!(
        app.db().value("SELECT count(*) FROM audit_log WHERE action = 'print_run.activated'").await,
        "1"
    );
    // Every code is valid for its own card and rarity.
    let ada = app.player("ada").await;
    for card in [&cards[0], &cards[99], &cards[499]] {
        let body = app
            .post("/v1/submissions")
            .by(&ada)
            .json(&card.submission())
            .answer()
            .await
            .expect(201);
        assert_eq!(
            (&body["card"]["number"], &body["rarity"]),
            (&Value::from(&*card.number), &Value::from(&*card.rarity))
        );
    }
}

#[tokio::test]
async fn labels_are_not_overwritten_and_only_readable_by_their_owner() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    let (file, sheet) = (fresh_path(".csv"), fresh_path(".pdf"));
    let refused = app.mint_with_labels("dusk", 12_001, file.clone(), sheet.clone()).await;
    let refused = refused.unwrap_err();
    assert!(matches!(refused, MintError::SheetTooLarge(24_002)) && refused.is_refusal());
    assert!(!file.exists() && !sheet.exists());
    std::fs::write(&sheet, "something else").unwrap();
    let refused = app.mint_with_labels("dusk", 13, file.clone(), sheet.clone()).await.unwrap_err();
    assert!(matches!(&refused, MintError::FileExists(path) if *path == sheet), "{refused}");
    assert!(!file.exists(), "the print file of the refused run was not deleted");
    assert_eq!(std::fs::read_to_string(&sheet).unwrap(), "something else");
    std::fs::remove_file(&sheet).unwrap();

    let minted = app.mint_with_labels("dusk", 13, file.clone(), sheet.clone()).await.unwrap();
    assert_eq!(minted.sheet_sha256, Some(sha256(&sheet)));
    assert_eq!(std::fs::metadata(&sheet).unwrap().permissions().mode() & 0o777, 0o600);
    let pdf = std::fs::read(&sheet).unwrap();
    assert!(pdf.starts_with(b"%PDF-"));
    assert!(String::from_utf8_lossy(&pdf).contains("/Count 2"), "26 labels are on two pages");
    let print_file = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = print_file.lines().collect();
    assert_eq!(lines.len(), 27);
    let code = lines[1].split(',').next().unwrap().replace('-', "");
    assert!(lines[1].ends_with(&format!("https://cards.example/submit#{code}")), "{}", lines[1]);
    std::fs::remove_file(&file).unwrap();
    std::fs::remove_file(&sheet).unwrap();
}

#[tokio::test]
async fn cards_have_equal_numbers_of_copies_over_all_runs() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    app.print("dusk", 3).await;
    app.print("dusk", 4).await;
    assert_eq!(app.db().value("SELECT copies_per_card FROM sets").await, "7");
    // An import cannot add a card to a printed set. If such a card existed anyway, a run would leave it seven copies behind the others, so the run is refused.
    app.sql(
        "INSERT INTO cards (id, game_code, set_code, number, created_at, updated_at) \
         VALUES (gen_random_uuid(), 'ttcg', 'dusk', '003', now(), now())",
    )
    .await;
    let file = fresh_path(".csv");
    let refused = app.mint("dusk", 1, file.clone()).await.unwrap_err();
    assert!(refused.is_refusal());
    assert!(refused.to_string().contains("003 (0)"), "{refused}");
    assert!(!file.exists());
    assert_eq!(app.db().value("SELECT count(*) FROM print_runs").await, "2");
}

#[tokio::test]
async fn a_refused_mint_leaves_no_file_and_no_run() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    let file = fresh_path(".csv");
    assert!(matches!(app.mint("noon", 1, file.clone()).await, Err(MintError::UnknownSet(..))));
    assert!(matches!(app.mint("dusk", 0, file.clone()).await, Err(MintError::Plan(_))));
    assert!(matches!(app.mint("dusk", 1 << 40, file.clone()).await, Err(MintError::Plan(_))));
    assert!(!file.exists());
    std::fs::write(&file, "somebody's").unwrap();
    assert!(matches!(app.mint("dusk", 1, file.clone()).await, Err(MintError::FileExists(_))));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "somebody's");
    std::fs::remove_file(&file).unwrap();
    let nowhere = file.join("deeper");
    assert!(matches!(app.mint("dusk", 1, nowhere).await, Err(MintError::File { .. })));
    // A device counts as an existing file. For a full disk see `packs.rs`.
    assert!(matches!(
        app.mint("dusk", 1, PathBuf::from("/dev/full")).await,
        Err(MintError::FileExists(_))
    ));
    assert_eq!(app.db().value("SELECT count(*) FROM print_runs").await, "0");
    assert_eq!(app.db().value("SELECT count(*) FROM copies").await, "0");
}

#[tokio::test]
async fn codes_of_an_unfinished_run_are_rejected_and_the_run_is_discarded() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    let cards = app.print("dusk", 3).await;
    break_off(&app).await;
    assert_rejected(&app, &cards[0]).await;

    let (client, connection) =
        tokio_postgres::connect(&app.db().url(), tokio_postgres::NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    client.batch_execute("SELECT pg_advisory_lock(7233172003)").await.unwrap();
    let now = app.clock().now();
    assert_eq!(
        discarded_runs::discard_abandoned(app.store(), now).await.unwrap(),
        0,
        "while a mint holds the lock, no run counts as abandoned"
    );
    assert!(matches!(app.mint("dusk", 1, fresh_path(".csv")).await, Err(MintError::Busy)));
    drop(client);
    connection.await.unwrap().unwrap();

    let mut discarded = 0;
    for _ in 0..100 {
        discarded += discarded_runs::discard_abandoned(app.store(), now).await.unwrap();
        if discarded > 0 {
            break;
        }
        // Postgres releases the lock shortly after the connection is closed.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(discarded, 1);
    assert_eq!(app.db().value("SELECT status FROM print_runs").await, "discarded");
    assert_rejected_for(&app, "somebody else", &cards[0]).await;
    delete_all(&app).await;
    assert_eq!(app.db().value("SELECT count(*) FROM copies").await, "0");
    assert_eq!(
        app.db().value("SELECT count(*) FROM audit_log WHERE action = 'print_run.discarded'").await,
        "1"
    );
    app.print("dusk", 2).await;
    assert_eq!(app.db().value("SELECT copies_per_card FROM sets").await, "2");
}

/// Another mint begins when Postgres has lost the connection that holds the lock.
#[tokio::test]
async fn a_mint_that_fails_discards_only_its_own_run() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    app.print("dusk", 3).await;
    let file = fresh_path(".csv");
    // The earlier run becomes that of another mint, and the set differs from the plan.
    let meanwhile = async || break_off(&app).await;
    let failed = app.mint_during(new_run("dusk", 2_048), file.clone(), meanwhile).await;
    let failed = failed.unwrap_err();
    assert!(matches!(failed, MintError::SetChanged), "{failed}");
    assert!(!file.exists());
    let states = "SELECT string_agg(status, ', ' ORDER BY created_at) FROM print_runs";
    assert_eq!(app.db().value(states).await, "pending, discarded");
}

#[tokio::test]
async fn nothing_is_discarded_if_no_run_is_pending() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    app.print("dusk", 3).await;
    // Reads of runs pass this lock; discarding runs would wait for it, with the lock of the press.
    let session = app.db().session().await;
    session.batch_execute("BEGIN; LOCK TABLE print_runs IN EXCLUSIVE MODE").await.unwrap();
    let now = app.clock().now();
    assert_eq!(discarded_runs::discard_abandoned(app.store(), now).await.unwrap(), 0);
}

#[tokio::test]
async fn copies_of_a_discarded_run_are_deleted_in_steps_without_blocking_a_mint() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    app.print("dusk", 2_600).await;
    break_off(&app).await;
    // Another session holds locks on the old copies. The next mint does not touch them and must not wait.
    let slow = app.db().session().await;
    slow.batch_execute("BEGIN; SELECT 1 FROM copies FOR UPDATE").await.unwrap();
    let cards = app.print("dusk", 3).await;
    assert_eq!(cards.len(), 6);
    slow.batch_execute("ROLLBACK").await.unwrap();
    let states = "SELECT string_agg(status || ' ' || (discarded_at IS NOT NULL) || ' ' || (emptied_at IS NOT NULL), ', ' ORDER BY status) FROM print_runs";
    assert_eq!(app.db().value(states).await, "active false false, discarded true false");
    let copies = "SELECT count(*) FROM copies";
    assert_eq!(app.db().number(copies).await, 5_206);

    // Deletion can stop after each transaction and continue later. Two deletions at the same time do not disturb each other.
    let now = app.clock().now();
    let step = async || discarded_runs::delete_copies(app.store(), 1, now, |_| {}).await.unwrap();
    let (one, other) = tokio::join!(step(), step());
    assert!((2_000..=4_000).contains(&(one + other)), "{one} {other}");
    let mut reported_counts = Vec::new();
    let seen = std::sync::Mutex::new(&mut reported_counts);
    let rest = discarded_runs::delete_copies(app.store(), usize::MAX, now, |count| {
        seen.lock().unwrap().push(count);
    });
    assert_eq!(rest.await.unwrap() + one + other, 5_200);
    assert!(reported_counts.len() >= 2 && reported_counts.is_sorted(), "{reported_counts:?}");
    assert_eq!(app.db().number(copies).await, 6);
    assert_eq!(app.db().value(states).await, "active false false, discarded true true");
    assert_eq!(delete_all(&app).await, 0);
    let ada = app.player("ada").await;
    app.register(&ada, &cards[0]).await;
}

#[tokio::test]
async fn after_its_run_the_command_deletes_the_copies_of_a_killed_run() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    app.print("dusk", 1_500).await;
    break_off(&app).await;
    let program = Program::new(&app);
    let file = fresh_path(".csv");
    let out = file.to_str().unwrap();
    let minted = program.output(&["--set", "dusk", "--copies-per-card", "2", "--out", out]).await;
    let stderr = String::from_utf8(minted.stderr).unwrap();
    assert!(minted.status.success(), "{stderr}");
    assert!(stderr.contains("broken off and is discarded"), "{stderr}");
    assert!(stderr.contains("deleting the codes"), "{stderr}");
    std::fs::remove_file(&file).unwrap();
    assert_eq!(app.db().number("SELECT count(*) FROM copies").await, 4);
    let admin = app.admin().await;
    let runs = app.get("/v1/print-runs").by(&admin).answer().await.expect(200);
    assert_eq!(
        (&runs["data"][0]["status"], &runs["data"][1]["status"]),
        (&"active".into(), &"discarded".into())
    );
    assert!(runs["data"][1]["discarded_at"].is_string(), "{runs}");
    assert!(runs["data"][0].get("discarded_at").is_none(), "{runs}");
}

#[tokio::test]
async fn the_command_shows_its_plan_and_its_result() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    let program = Program::new(&app);
    let dry = program.output(&["--set", "dusk", "--copies-per-card", "10", "--dry-run"]).await;
    let table = String::from_utf8(dry.stdout).unwrap();
    assert!(dry.status.success());
    assert!(table.contains("2 cards, 10 copies of each, 20 codes"), "{table}");
    let row = table.lines().find(|line| line.starts_with("uncommon")).unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["uncommon", "20", "3", "6"]);
    let warnings = String::from_utf8(dry.stderr).unwrap();
    assert!(warnings.contains("no card gets a copy in rarity primal_rare"), "{warnings}");
    assert_eq!(app.db().value("SELECT count(*) FROM print_runs").await, "0");

    let file = fresh_path(".ndjson");
    let out = file.to_str().unwrap();
    let arguments =
        ["--set", "dusk", "--copies-per-card", "10", "--format", "ndjson", "--out", out];
    let minted = program.output(&arguments).await;
    let text = String::from_utf8(minted.stdout).unwrap();
    assert!(minted.status.success(), "{text}");
    let run = app.db().value("SELECT id FROM print_runs WHERE status = 'active'").await;
    for expected in [&run, "codes:      20\n", out, &sha256(&file)] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let printed = std::fs::read_to_string(&file).unwrap();
    let log = String::from_utf8(minted.stderr).unwrap();
    for line in printed.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let code = line["code"].as_str().unwrap();
        assert!(
            !text.contains(code) && !log.contains(code),
            "the output or the log contains a code"
        );
    }
    assert_eq!(printed.lines().count(), 20);
    // The file exists: refused. The set is unknown: refused. No file is given, or no copies: wrong usage.
    assert_eq!(program.output(&arguments).await.status.code(), Some(1));
    std::fs::remove_file(&file).unwrap();
    let unknown = program.output(&["--set", "noon", "--copies-per-card", "10", "--dry-run"]).await;
    assert_eq!(unknown.status.code(), Some(1));
    assert_eq!(
        program.output(&["--set", "dusk", "--copies-per-card", "10"]).await.status.code(),
        Some(2)
    );
    assert_eq!(
        program
            .output(&["--set", "dusk", "--copies-per-card", "0", "--dry-run"])
            .await
            .status
            .code(),
        Some(2)
    );
}

#[tokio::test]
async fn a_mint_killed_at_any_moment_leaves_a_complete_run_or_none() {
    let app = TestApp::start().await;
    app.import_set("dusk", 4, true).await;
    let program = Program::new(&app);
    let mut files = Vec::new();
    for round in 0..8u64 {
        let file = fresh_path(".csv");
        let out = file.to_str().unwrap().to_owned();
        let mut mint = program
            .mint(&["--set", "dusk", "--copies-per-card", "2500", "--out", &out])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The times range from the start over the writing of the file and of the copies to the end.
        tokio::time::sleep(Duration::from_millis(40 + round * 70)).await;
        mint.kill().unwrap();
        mint.wait().unwrap();
        files.push(file);
    }
    // The next mint discards the runs of the killed mints. It does not wait until their copies are deleted.
    app.print("dusk", 1).await;
    delete_all(&app).await;

    assert_eq!(
        app.db().value("SELECT count(*) FROM print_runs WHERE status = 'pending'").await,
        "0"
    );
    let incomplete = "SELECT count(*) FROM print_runs r WHERE (SELECT count(*) FROM copies c WHERE c.print_run_id = r.id) \
                      <> CASE status WHEN 'active' THEN copy_count ELSE 0 END";
    assert_eq!(app.db().value(incomplete).await, "0");
    let per_card = "SELECT copies_per_card = (SELECT sum(copies_per_card) FROM print_runs WHERE status = 'active') FROM sets";
    assert_eq!(app.db().value(per_card).await, "true");
    let mut whole = 0;
    for file in files.iter().filter(|file| file.exists()) {
        let known = format!(
            "SELECT count(*) FROM print_runs WHERE status = 'active' AND file_sha256 = '\\x{}'",
            sha256(file)
        );
        let printed = std::fs::read_to_string(file).unwrap().lines().count();
        if app.db().value(&known).await == "1" {
            assert_eq!(printed, 10_001, "an active run has its whole file");
            whole += 1;
        }
        std::fs::remove_file(file).unwrap();
    }
    let active =
        "SELECT count(*) FROM print_runs WHERE status = 'active' AND copies_per_card = 2500";
    assert_eq!(app.db().number(active).await, whole, "each active run has its file");
}
