//! Print runs as the API shows them to admins.

use cardscape::store::printing::press::{MintOrder, PrintFormat, RunRequest, RunToMint};
use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};

use crate::support::{RequestExt as _, TestApp, fresh_path, read_print_file};

/// A mint of many codes takes minutes. Its run is active from the time when the codes can be registered, not from the beginning of the mint.
#[tokio::test]
async fn a_run_is_active_from_its_activation() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    let run = RunToMint::New(RunRequest {
        game: "ttcg".to_owned(),
        set: "dusk".to_owned(),
        copies_per_card: 3,
        packs: None,
    });
    let file = fresh_path(".csv");
    let format = PrintFormat::Csv;
    let order = MintOrder { run, file: file.clone(), format, qr_codes: None, packing_list: None };
    let (hour, began, clock) = (Duration::hours(1), app.clock().now(), app.clock().clone());
    // The print file is written at once, and the codes are stored for an hour.
    app.mint_watched(order, move |_| clock.advance(hour)).await.unwrap();
    std::fs::remove_file(&file).unwrap();

    let admin = app.admin().await;
    let runs = app.get("/v1/print-runs").by(&admin).answer().await.expect(200);
    let run = &runs["data"][0];
    let time = |value: &Value| value.as_str().unwrap().parse::<DateTime<Utc>>().unwrap();
    assert!(time(&run["created_at"]) < began + hour, "{run}");
    assert!(time(&run["activated_at"]) >= began + hour, "{run}");
    let commitments = "/v1/games/ttcg/sets/dusk/print-commitments";
    let announcements = app.get(commitments).answer().await.expect(200);
    let announced = &announcements["data"][0];
    assert_eq!(announced["announced_at"], run["created_at"]);
    assert_eq!(announced["printed_at"], run["activated_at"]);
    let entries = "SELECT count(*) FROM audit_log a, print_runs r \
                   WHERE (a.action, a.created_at) IN (('print_commitment.announced', r.created_at), ('print_run.activated', r.activated_at))";
    assert_eq!(app.db().value(entries).await, "2");
}

#[tokio::test]
async fn print_runs_are_shown_without_codes() {
    let app = TestApp::start().await;
    app.import_set("dusk", 3, true).await;
    let admin = app.admin().await;
    let file = fresh_path(".csv");
    let minted = app.mint("dusk", 77, file.clone()).await.unwrap();
    let cards = read_print_file(&file);
    std::fs::remove_file(&file).unwrap();

    let ada = app.player("ada").await;
    app.post("/v1/submissions").by(&ada).json(&cards[0].submission()).answer().await.expect(201);
    let path = format!("/v1/print-runs/{}", minted.run);
    let answer = app.get(&path).by(&admin).answer().await;
    let text = answer.text();
    let run = answer.expect(200);
    assert_eq!(run["game"], "ttcg");
    assert_eq!(run["set"], "dusk");
    assert_eq!(run["copies_per_card"], 77);
    assert_eq!(run["copy_count"], 231);
    assert_eq!(run["registered"], 1);
    assert_eq!(run["status"], "active");
    assert_eq!(run["file_sha256"], minted.file_sha256);
    assert!(run["activated_at"].is_string());
    let shares = [
        ("common", 120),
        ("uncommon", 60),
        ("rare", 30),
        ("ultra_rare", 12),
        ("mythic_rare", 6),
        ("primal_rare", 3),
    ];
    let shares = shares.map(|(rarity, copies)| json!({ "rarity": rarity, "copies": copies }));
    assert_eq!(run["rarities"], json!(shares));
    for card in &cards {
        assert!(!text.contains(&card.serial) && !text.contains(&card.serial.replace('-', "")));
    }

    app.print("dusk", 1).await;
    let list = app.get("/v1/print-runs").by(&admin).answer().await.expect(200);
    let copies: Vec<_> =
        list["data"].as_array().unwrap().iter().map(|run| run["copies_per_card"].clone()).collect();
    assert_eq!(copies, [1, 77], "the newest run must be first");
    let page = app.get("/v1/print-runs?limit=1").by(&admin).answer().await.expect(200);
    let next = format!("/v1/print-runs?limit=1&cursor={}", page["next_cursor"].as_str().unwrap());
    let page = app.get(&next).by(&admin).answer().await.expect(200);
    assert_eq!(page["data"][0], list["data"][1]);
    assert_eq!(page.get("next_cursor"), None);

    let missing = "/v1/print-runs/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";
    app.get(missing).by(&admin).answer().await.problem(404, "not_found");
    app.get(&path).by(&ada).answer().await.problem(403, "forbidden");
}

/// Counting reads all copies of a run, so the counts are cached for some time. The status of a run is always current.
#[tokio::test]
async fn counts_of_a_run_are_cached() {
    let hour = std::time::Duration::from_hours(1);
    let app = TestApp::start_with(|settings| settings.statistics_ttl = hour).await;
    app.import_set("dusk", 2, true).await;
    let admin = app.admin().await;
    let cards = app.print("dusk", 7).await;
    let list = async || {
        let list = app.get("/v1/print-runs").by(&admin).answer().await.expect(200);
        list["data"].as_array().unwrap().clone()
    };
    let runs = list().await;
    assert_eq!((runs.len(), &runs[0]["registered"]), (1, &json!(0)));
    let ada = app.player("ada").await;
    app.register(&ada, &cards[0]).await;
    let path = format!("/v1/print-runs/{}", runs[0]["id"].as_str().unwrap());
    let run = app.get(&path).by(&admin).answer().await.expect(200);
    assert_eq!(run["registered"], 0, "the cached count");
    assert_eq!(run["rarities"], runs[0]["rarities"]);

    // A new run is listed immediately with its own counts. A discarded run is listed without rarities.
    app.print("dusk", 1).await;
    let runs = list().await;
    assert_eq!((runs.len(), &runs[0]["copies_per_card"]), (2, &json!(1)));
    assert_eq!(runs[0]["rarities"][0], json!({ "rarity": "common", "copies": 2 }));
    app.sql(
        "ALTER TABLE print_runs DISABLE TRIGGER active_runs_stay; \
         UPDATE print_runs SET status = 'discarded', activated_at = NULL WHERE copies_per_card = 1; \
         DELETE FROM print_run_lines USING print_runs r WHERE r.id = print_run_id AND r.copies_per_card = 1",
    )
    .await;
    let runs = list().await;
    assert_eq!((&runs[0]["status"], &runs[0]["rarities"]), (&json!("discarded"), &json!([])));
}
