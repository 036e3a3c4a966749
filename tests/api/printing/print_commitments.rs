//! Announcing print runs: the hash is public before the run, and the plan after the reveal.

use cardscape::domain::ids::CommitmentId;
use cardscape::domain::printing::commitment::Opening;
use cardscape::store::printing::press::{MintError, RunToMint};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio_postgres::error::SqlState;

use crate::support::{
    Player, RequestExt as _, TestApp, fresh_path, new_run, numbered_set, read_print_file,
};

const OF_DUSK: &str = "/v1/games/ttcg/sets/dusk/print-commitments";

async fn announce(app: &TestApp, admin: &Player, body: Value) -> Value {
    app.post(OF_DUSK).by(admin).json(&body).answer().await.expect(201)
}

fn path(announcement: &Value) -> String {
    format!("/v1/print-commitments/{}", announcement["id"].as_str().unwrap())
}

fn to_print(announcement: &Value) -> RunToMint {
    RunToMint::Announced(CommitmentId(announcement["id"].as_str().unwrap().parse().unwrap()))
}

#[tokio::test]
async fn a_commitment_is_announced_printed_revealed_and_checked() {
    let app = TestApp::start().await;
    app.import_set("dusk", 3, false).await;
    let admin = app.admin().await;
    let ada = app.player("ada").await;
    let answer =
        app.post(OF_DUSK).by(&admin).json(&json!({ "copies_per_card": 77 })).answer().await;
    let location = answer.header("location");
    let announced = answer.expect(201);
    assert_eq!(location, path(&announced));
    assert_eq!((&announced["game"], &announced["set"]), (&json!("ttcg"), &json!("dusk")));
    assert_eq!(announced["status"], "announced");
    assert_eq!(announced.get("opening"), None);

    // Before and after the run is printed, the public answers contain the hash, but neither seed nor opening.
    let seed = app.db().value("SELECT encode(seed, 'hex') FROM print_commitments").await;
    for status in ["announced", "printed"] {
        for place in [&location, OF_DUSK] {
            let answer = app.get(place).answer().await;
            assert!(
                !answer.text().contains(&seed) && !answer.text().contains("opening"),
                "{place}"
            );
            assert!(answer.text().contains(announced["commitment"].as_str().unwrap()));
            assert!(answer.text().contains(&format!("\"{status}\"")), "{}", answer.text());
        }
        let reveal = app.put(&format!("{location}/reveal"));
        if status == "announced" {
            reveal.by(&admin).answer().await.problem(409, "commitment_not_printed");
            let file = fresh_path(".csv");
            let minted = app.mint_run(to_print(&announced), file.clone(), None).await.unwrap();
            assert_eq!(minted.commitment.to_string(), announced["id"].as_str().unwrap());
            let run = format!("/v1/print-runs/{}", minted.run);
            let run = app.get(&run).by(&admin).answer().await.expect(200);
            assert_eq!(run["commitment"], announced["id"]);
            assert_eq!(read_print_file(&file).len(), 231);
            std::fs::remove_file(&file).unwrap();
        } else {
            reveal.by(&ada).answer().await.problem(403, "forbidden");
        }
    }

    let revealed = app.put(&format!("{location}/reveal")).by(&admin).answer().await.expect(200);
    let again = app.put(&format!("{location}/reveal")).by(&admin).answer().await.expect(200);
    assert_eq!(revealed, again);
    let public = app.get(&location).answer().await.expect(200);
    assert_eq!(public, revealed);
    assert_eq!(public["status"], "revealed");
    // Every reader can hash the opening and parse it.
    let opening = public["opening"].as_str().unwrap();
    let digest: String = Sha256::digest(opening).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(public["commitment"], digest);
    assert_eq!(public["commitment"], announced["commitment"]);
    assert!(opening.contains(&seed), "the seed is written as it was searched for before");
    let opening = Opening::parse(opening).unwrap();
    assert_eq!(opening.plan.copies_per_card, 77);
    let lines = "SELECT string_agg(c.number || ' ' || p.rarity || ' ' || l.copy_count, ',' ORDER BY c.number, p.tier) \
                 FROM print_run_lines l JOIN printings p ON p.id = l.printing_id JOIN cards c ON c.id = p.card_id";
    let planned: Vec<String> = opening
        .plan
        .lines
        .iter()
        .map(|line| format!("{} {} {}", line.number(), line.rarity(), line.copies()))
        .collect();
    assert_eq!(app.db().value(lines).await, planned.join(","));

    let log = app.get("/v1/audit-log").by(&admin).answer().await.expect(200);
    let actions: Vec<_> = log["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["action"].as_str().unwrap())
        .collect();
    let count = |action: &str| actions.iter().filter(|logged| **logged == action).count();
    assert_eq!(count("print_commitment.announced"), 1);
    assert_eq!(count("print_commitment.revealed"), 1, "a repeated reveal is not logged again");
    let revealed = log["data"]
        .as_array()
        .unwrap()
        .iter()
        .find(|entry| entry["action"] == "print_commitment.revealed");
    assert_eq!(revealed.unwrap()["actor_id"], admin.id);
    assert!(!log.to_string().contains(&seed));
}

#[tokio::test]
async fn no_plan_is_revealed_while_a_card_is_hidden() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    let admin = app.admin().await;
    let announced = announce(&app, &admin, json!({ "copies_per_card": 77 })).await;
    let file = fresh_path(".csv");
    app.mint_run(to_print(&announced), file.clone(), None).await.unwrap();
    let cards = read_print_file(&file);
    std::fs::remove_file(&file).unwrap();
    let reveal =
        async || app.put(&format!("{}/reveal", path(&announced))).by(&admin).answer().await;
    reveal().await.problem(409, "cards_still_hidden");
    for number in ["001", "002"] {
        let of_card: Vec<_> = cards.iter().filter(|card| card.number == number).collect();
        for (place, card) in of_card.iter().take(5).enumerate() {
            let player = app.player_owned(format!("player {number} {place}")).await;
            app.post("/v1/submissions")
                .by(&player)
                .json(&card.submission())
                .answer()
                .await
                .expect(201);
        }
        if number == "001" {
            reveal().await.problem(409, "cards_still_hidden");
        }
    }
    reveal().await.expect(200);
}

#[tokio::test]
async fn an_announced_run_is_printed_once_and_only_as_announced() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, false).await;
    let admin = app.admin().await;
    let first = announce(&app, &admin, json!({ "copies_per_card": 3 })).await;
    let second = announce(&app, &admin, json!({ "copies_per_card": 4 })).await;
    let mint = async |announced: &Value| {
        let file = fresh_path(".csv");
        let minted = app.mint_run(to_print(announced), file.clone(), None).await;
        assert_eq!(file.exists(), minted.is_ok());
        let _ = std::fs::remove_file(&file);
        minted
    };
    mint(&first).await.unwrap();
    assert!(matches!(mint(&first).await, Err(MintError::PrintedAlready(_))));
    let unknown = json!({ "id": "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11" });
    assert!(matches!(mint(&unknown).await, Err(MintError::UnknownCommitment(_))));
    // A printing is deleted: the second plan does not match the set any more.
    app.sql("ALTER TABLE print_run_lines DISABLE TRIGGER plans_stay; \
             DELETE FROM print_run_lines WHERE printing_id IN (SELECT id FROM printings WHERE rarity = 'primal_rare'); \
             DELETE FROM printing_content WHERE printing_id IN (SELECT id FROM printings WHERE rarity = 'primal_rare'); \
             DELETE FROM printings WHERE rarity = 'primal_rare'").await;
    let refused = mint(&second).await.unwrap_err();
    assert!(matches!(refused, MintError::NotAsAnnounced(_)) && refused.is_refusal(), "{refused}");
    assert_eq!(app.db().value("SELECT count(*) FROM print_runs").await, "1");
}

/// A mint does not lock its set while it writes the print file. If a card gets or loses a rarity meanwhile, nothing is printed.
#[tokio::test]
async fn a_set_that_changes_while_it_is_minted_is_not_printed() {
    let app = TestApp::start().await;
    let mut files = numbered_set("dusk", 2, false);
    // Cards need not exist in all rarities.
    let manifest = &mut files.manifest.text;
    *manifest = manifest.replace("every_rarity = true", "every_rarity = false");
    app.import(&files).await.unwrap();
    let admin = app.admin().await;
    let card = app.get("/v1/games/ttcg/sets/dusk/cards/001").answer().await;
    let card = format!("/v1/cards/{}", card.expect(200)["id"].as_str().unwrap());
    let printings = app.get(&format!("{card}/printings")).answer().await.expect(200);
    let printings = printings["data"].as_array().unwrap().iter().map(
        |printing| json!({ "rarity": printing["rarity"], "attributes": printing["attributes"] }),
    );
    let printings: Vec<Value> = printings.collect();
    let edit = async |printings: &[Value]| {
        let etag = app.get(&card).by(&admin).answer().await.header("etag");
        let patch = app.patch(&card).by(&admin).header("if-match", etag);
        patch.json(&json!({ "printings": printings })).answer().await.expect(200);
    };
    let mint = async |run: RunToMint, printings: &[Value]| {
        let file = fresh_path(".csv");
        let minted = app.mint_during(run, file.clone(), async || edit(printings).await).await;
        assert!(!file.exists());
        minted.unwrap_err()
    };
    let refused = mint(new_run("dusk", 2_048), &printings[..5]).await;
    assert!(matches!(refused, MintError::SetChanged), "{refused}");
    // One that was announced cannot be printed any more, and can be after the set is as it was.
    let announced = announce(&app, &admin, json!({ "copies_per_card": 2_048 })).await;
    let refused = mint(to_print(&announced), &printings[..]).await;
    assert!(matches!(refused, MintError::NotAsAnnounced(_)) && refused.is_refusal(), "{refused}");
    assert_eq!(app.db().value("SELECT count(*) FROM print_runs").await, "0");
    edit(&printings[..5]).await;
    let file = fresh_path(".csv");
    app.mint_run(to_print(&announced), file.clone(), None).await.unwrap();
    std::fs::remove_file(&file).unwrap();
}

#[tokio::test]
async fn a_killed_run_can_be_printed_again_with_its_announcement() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, false).await;
    let admin = app.admin().await;
    let announced = announce(&app, &admin, json!({ "copies_per_card": 3 })).await;
    let file = fresh_path(".csv");
    app.mint_run(to_print(&announced), file.clone(), None).await.unwrap();
    std::fs::remove_file(&file).unwrap();
    // The state that a mint leaves when it is killed before its last step.
    app.sql("ALTER TABLE print_runs DISABLE TRIGGER active_runs_stay; \
             UPDATE print_runs SET status = 'pending', activated_at = NULL; UPDATE sets SET copies_per_card = 0; \
             ALTER TABLE print_runs ENABLE TRIGGER active_runs_stay").await;
    let look = async || app.get(&path(&announced)).answer().await.expect(200);
    assert_eq!(look().await["status"], "announced", "the mint may still be running");
    let now = app.clock().now();
    cardscape::store::printing::discarded_runs::discard_abandoned(app.store(), now).await.unwrap();
    let broken_off = look().await;
    assert_eq!(broken_off["status"], "broken_off");
    assert!(broken_off["broken_off_at"].is_string() && broken_off.get("opening").is_none());
    assert_eq!(app.get(OF_DUSK).answer().await.expect(200)["data"][0], broken_off);
    let refused = app
        .put(&format!("{}/reveal", path(&announced)))
        .by(&admin)
        .answer()
        .await
        .problem(409, "commitment_not_printed");
    assert!(refused["detail"].as_str().unwrap().contains("mint --commitment"), "{refused}");
    app.mint_run(to_print(&announced), file.clone(), None).await.unwrap();
    std::fs::remove_file(&file).unwrap();
    let printed = look().await;
    assert_eq!(printed["status"], "printed");
    assert_eq!(
        printed["broken_off_at"], broken_off["broken_off_at"],
        "the time of the failed run stays public"
    );
    assert_eq!(
        app.db().value("SELECT count(*) FROM print_runs WHERE status = 'active'").await,
        "1"
    );
}

#[tokio::test]
async fn a_repeated_announcement_with_the_same_key_creates_one_commitment() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, false).await;
    app.import_set("dawn", 2, false).await;
    let admin = app.admin().await;
    let post = async |path: &str, copies: u64| {
        let body = json!({ "copies_per_card": copies });
        app.post(path).by(&admin).header("idempotency-key", "k1").json(&body).answer().await
    };
    let first = post(OF_DUSK, 5).await.expect(201);
    assert_eq!(post(OF_DUSK, 5).await.expect(201), first);
    post(OF_DUSK, 6).await.problem(422, "idempotency_key_reused");
    let of_dawn = OF_DUSK.replace("dusk", "dawn");
    post(&of_dawn, 5).await.problem(422, "idempotency_key_reused");
    assert_eq!(app.db().value("SELECT count(*) FROM print_commitments").await, "1");
    // Without a key each request creates a commitment with its own seed.
    let one = announce(&app, &admin, json!({ "copies_per_card": 5 })).await;
    let other = announce(&app, &admin, json!({ "copies_per_card": 5 })).await;
    assert_ne!(one["commitment"], other["commitment"]);
    let list = app.get(OF_DUSK).answer().await.expect(200);
    let ids: Vec<_> =
        list["data"].as_array().unwrap().iter().map(|row| row["id"].clone()).collect();
    assert_eq!(
        ids,
        [other["id"].clone(), one["id"].clone(), first["id"].clone()],
        "the newest first"
    );
    assert_eq!(app.get(&of_dawn).answer().await.expect(200)["data"], json!([]));
    app.get(&OF_DUSK.replace("dusk", "noon")).answer().await.problem(404, "not_found");
    let page = app.get(&format!("{OF_DUSK}?limit=2")).answer().await.expect(200);
    let next = format!("{OF_DUSK}?limit=2&cursor={}", page["next_cursor"].as_str().unwrap());
    assert_eq!(app.get(&next).answer().await.expect(200)["data"][0]["id"], first["id"]);
}

#[tokio::test]
async fn a_commitment_cannot_be_changed_or_deleted() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, false).await;
    let admin = app.admin().await;
    let announced = announce(&app, &admin, json!({ "copies_per_card": 3 })).await;
    let file = fresh_path(".csv");
    app.mint_run(to_print(&announced), file.clone(), None).await.unwrap();
    std::fs::remove_file(&file).unwrap();
    app.put(&format!("{}/reveal", path(&announced))).by(&admin).answer().await.expect(200);
    let (client, connection) =
        tokio_postgres::connect(&app.db().url(), tokio_postgres::NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    for statement in [
        "UPDATE print_commitments SET plan = plan || ' '",
        "UPDATE print_commitments SET seed = sha256('x'), digest = sha256('y')",
        "UPDATE print_commitments SET revealed_at = NULL",
        "UPDATE print_commitments SET print_run_id = NULL, revealed_at = NULL",
        "DELETE FROM print_commitments",
        "TRUNCATE print_commitments",
        "INSERT INTO print_commitments (id, set_id, digest, seed, plan, announced_at) \
         SELECT gen_random_uuid(), set_id, sha256('wrong'), seed, plan, now() FROM print_commitments",
    ] {
        let refused = client.batch_execute(statement).await.unwrap_err();
        assert_eq!(refused.code().map(SqlState::code), Some("23514"), "{statement}: {refused:?}");
    }
    drop(client);
    connection.await.unwrap().unwrap();
}
