//! Imports of collection files: every line gets a verdict, nothing is counted before the commit, and an export can be imported.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use cardscape::domain::ids::AccountId;
use cardscape::memory::file_limiter::FilePlace;
use cardscape::memory::places::NoPlace;
use futures_util::future::join_all;
use futures_util::{StreamExt as _, stream};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use super::counts::{collection, printing};
use crate::support::{Answer, Player, RequestExt as _, TestApp, edit_set, seed_data};

async fn send(app: &TestApp, by: &Player, query: &str, media_type: &str, file: &str) -> Answer {
    let request = app.post(&format!("/v1/collection/imports{query}")).by(by);
    request.header("content-type", media_type).body(file.to_owned()).answer().await
}

async fn read(app: &TestApp, by: &Player, query: &str, file: &str) -> Value {
    send(app, by, query, "text/csv", file).await.expect(200)
}

async fn commit(app: &TestApp, by: &Player, import: &Value, only_ok: bool) -> Answer {
    let path = format!("/v1/collection/imports/{}/commit", import["import"].as_str().unwrap());
    app.post(&path).by(by).json(&json!({ "only_ok": only_ok })).answer().await
}

/// Set, number, rarity, condition and quantity of every entry.
async fn stored_entries(app: &TestApp, by: &Player) -> Vec<[String; 5]> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let entry = |entry: &Value| {
        let card = &entry["card"];
        [&card["set"], &card["number"], &entry["rarity"], &entry["condition"], &entry["quantity"]]
            .map(text)
    };
    let mut all: Vec<[String; 5]> = collection(app, by, "").await.iter().map(entry).collect();
    all.sort();
    all
}

#[tokio::test]
async fn a_file_is_shown_line_by_line_and_committed_as_shown() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let file = "\u{feff}Count;Tradelist Count;Name;Edition;Condition;Collector Number;Rarity\r\n\
                4x;0;Kettle Imp;[HEARTH];NM;016;Common\r\n\
                1;0;kettle imp;hearth;Near Mint;;common\r\n\
                2;0;Kettle Imp;hearth;SP;;rare\r\n\
                1;0;Ketle Imp;hearth;NM;;common\r\n\
                1;0;Kettle Imp;hearth;NM;;\r\n\
                ;;;;;;\r\n\
                zero;0;Kettle Imp;hearth;NM;;common\r\n\
                1;0;Nobody at all knows this;hearth;NM;;common\r\n";
    let shown = read(&app, &ada, "", file).await;
    assert_eq!(
        (&shown["dialect"]["delimiter"], &shown["dialect"]["byte_order_mark"]),
        (&json!(";"), &json!(true))
    );
    assert_eq!(shown["dialect"]["program"], "moxfield");
    assert_eq!(shown["dialect"]["ignored"], json!(["Tradelist Count"]));
    assert_eq!(
        shown["totals"],
        json!({ "lines": 7, "blank": 1, "ok": 3, "ambiguous": 1, "unknown": 2, "invalid": 1, "cards": 7, "entries": 2 })
    );
    let lines = shown["lines"].as_array().unwrap();
    let verdicts: Vec<(&Value, &Value)> =
        lines.iter().map(|line| (&line["line"], &line["verdict"])).collect();
    let expected = [
        (2, "ok"),
        (3, "ok"),
        (4, "ok"),
        (5, "unknown"),
        (6, "ambiguous"),
        (8, "invalid"),
        (9, "unknown"),
    ];
    let expected: Vec<(Value, Value)> =
        expected.map(|(line, verdict)| (json!(line), json!(verdict))).into();
    assert_eq!(
        verdicts,
        expected.iter().map(|(line, verdict)| (line, verdict)).collect::<Vec<_>>()
    );
    assert_eq!(lines[3]["suggestions"][0]["name"], "Kettle Imp");
    assert_eq!(
        lines[4]["suggestions"].as_array().unwrap().len(),
        6,
        "one suggestion for each rarity"
    );
    assert_eq!(lines[2]["condition"], "lightly_played");
    assert_eq!(
        stored_entries(&app, &ada).await,
        Vec::<[String; 5]>::new(),
        "nothing is counted yet"
    );

    // Without `only_ok`, one bad line prevents the commit of the whole file.
    let refused = commit(&app, &ada, &shown, false).await.problem(422, "import_has_faults");
    let rejected: Vec<&Value> =
        refused["rejected"].as_array().unwrap().iter().map(|line| &line["line"]).collect();
    assert_eq!(rejected, [&json!(5), &json!(6), &json!(8), &json!(9)]);
    assert_eq!(stored_entries(&app, &ada).await.len(), 0);

    let taken = commit(&app, &ada, &shown, true).await.expect(200);
    assert_eq!((&taken["added"], &taken["cards"]), (&json!(2), &json!(7)));
    assert_eq!(taken["rejected"], refused["rejected"], "the rejected lines are reported again");
    let expected = [
        ["hearth", "016", "common", "near_mint", "5"],
        ["hearth", "016", "rare", "lightly_played", "2"],
    ];
    assert_eq!(stored_entries(&app, &ada).await, expected.map(|entry| entry.map(str::to_owned)));

    // A parameter can decide what the lines leave open.
    let agreed =
        read(&app, &ada, "?game=ttcg&without_rarity=most_common", "Name\nKettle Imp\n").await;
    assert_eq!(agreed["lines"][0]["card"]["rarity"], "common");
    assert_eq!(agreed["lines"][0]["quantity"], 1);
}

#[tokio::test]
async fn a_commit_needs_no_body() {
    let app = TestApp::start().await;
    app.import_set("base", 2, false).await;
    let ada = app.player("ada").await;
    let import = read(&app, &ada, "", "Quantity,Set,Number,Rarity\n3,base,1,common\n").await;
    let path = format!("/v1/collection/imports/{}/commit", import["import"].as_str().unwrap());
    let request = || app.post(&path).by(&ada);
    // A body that is sent is checked as strictly as for other operations.
    request().body("{}").answer().await.problem(415, "unsupported_media_type");
    request().json(&json!({ "only": true })).answer().await.problem(422, "invalid_body");
    request().json(&Value::Null).answer().await.problem(422, "invalid_body");
    let bare = request().answer().await.expect(200);
    assert_eq!((&bare["added"], &bare["cards"]), (&json!(1), &json!(3)));
    // An empty body with a media type, an empty chunked body, and an empty object.
    let named = request().header("content-type", "application/json").body("");
    assert_eq!(named.answer().await.expect(200), bare);
    let chunks = futures_util::stream::empty::<Result<Vec<u8>, std::io::Error>>();
    let chunked = request().header("content-type", "application/json");
    let chunked = chunked.body(reqwest::Body::wrap_stream(chunks));
    assert_eq!(chunked.answer().await.expect(200), bare);
    assert_eq!(request().json(&json!({})).answer().await.expect(200), bare);

    // Without a body, faulty lines also prevent the commit.
    let faulty = read(&app, &ada, "", "Quantity,Set,Number,Rarity\n3,base,99,common\n").await;
    let path = format!("/v1/collection/imports/{}/commit", faulty["import"].as_str().unwrap());
    app.post(&path).by(&ada).answer().await.problem(422, "import_has_faults");
}

#[tokio::test]
async fn a_commit_happens_once() {
    let app = TestApp::start().await;
    app.import_set("base", 2, false).await;
    let other = app.second_instance();
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let file = "Quantity,Set,Number,Rarity\n3,base,1,common\n";
    let import = read(&app, &ada, "", file).await;
    commit(&app, &ben, &import, true).await.problem(404, "not_found");
    let commits =
        (0..6).map(|at| commit(if at % 2 == 0 { &app } else { &other }, &ada, &import, false));
    let answers: Vec<Value> =
        join_all(commits).await.into_iter().map(|answer| answer.expect(200)).collect();
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!(stored_entries(&app, &ada).await[0][4], "3");
    app.clock().advance(chrono::Duration::hours(1));
    let ada = app.log_in("ada", &ada.password).await;
    assert_eq!(commit(&app, &ada, &import, false).await.expect(200), answers[0]);

    // An import can be committed for 15 minutes. An account has at most five waiting imports, the newest ones.
    let late = read(&app, &ada, "", file).await;
    app.clock().advance(chrono::Duration::minutes(15));
    let ada = app.log_in("ada", &ada.password).await;
    commit(&app, &ada, &late, false).await.problem(404, "not_found");
    let mut imports = Vec::new();
    for _ in 0..6 {
        imports.push(read(&app, &ada, "", file).await);
        app.clock().advance(chrono::Duration::seconds(1));
    }
    commit(&app, &ada, &imports[0], false).await.problem(404, "not_found");
    commit(&app, &ada, &imports[1], false).await.expect(200);
    assert_eq!(stored_entries(&app, &ada).await[0][4], "6");
}

#[tokio::test]
async fn an_import_adds_or_replaces() {
    let app = TestApp::start_seeded(&["uno-emoji"]).await;
    app.import_set("base", 3, false).await;
    let ada = app.player("ada").await;
    let uno =
        app.get("/v1/cards?game=uno-emoji&limit=1").answer().await.expect(200)["data"][0].clone();
    let first = format!(
        "Count,Game,Set,Number,Rarity\n2,ttcg,base,1,common\n3,ttcg,base,2,common\n7,{},{},{},\n",
        uno["game"].as_str().unwrap(),
        uno["set"].as_str().unwrap(),
        uno["number"].as_str().unwrap()
    );
    let import = read(&app, &ada, "?without_rarity=most_common", &first).await;
    commit(&app, &ada, &import, false).await.expect(200);
    let file = "Count,Game,Set,Number,Rarity\n3,ttcg,base,2,common\n1,ttcg,base,3,common\n";
    let import = read(&app, &ada, "?mode=replace&game=ttcg", file).await;
    let done = commit(&app, &ada, &import, false).await.expect(200);
    assert_eq!(
        (&done["added"], &done["changed"], &done["removed"]),
        (&json!(1), &json!(0), &json!(1))
    );
    let entries = stored_entries(&app, &ada).await;
    assert_eq!(entries.len(), 3, "the other game stays: {entries:?}");
    let import = read(&app, &ada, "?mode=replace", file).await;
    assert_eq!(commit(&app, &ada, &import, false).await.expect(200)["removed"], 1);
    let import = read(&app, &ada, "", file).await;
    assert_eq!(commit(&app, &ada, &import, false).await.expect(200)["changed"], 2);
    let counts: Vec<String> =
        stored_entries(&app, &ada).await.into_iter().map(|entry| entry[4].clone()).collect();
    assert_eq!(counts, ["6", "2"]);

    // Too high counts, within the file and together with the stored count.
    let many =
        read(&app, &ada, "", "Count,Set,Number,Rarity\n9999,base,1,common\n1,base,1,common\n")
            .await;
    assert_eq!(many["lines"][1]["verdict"], "invalid");
    let many = read(&app, &ada, "", "Count,Set,Number,Rarity\n9999,base,3,common\n").await;
    let refused = commit(&app, &ada, &many, false).await.problem(409, "count_out_of_range");
    assert_eq!(refused["entries"], 1);
    let detail = refused["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("1 entry would have more than 9999 cards: base 003 common (near mint)."),
        "{detail}"
    );
    // A printing that is deleted between the upload and the commit.
    let stale = read(&app, &ada, "", "Count,Set,Number,Rarity\n1,base,1,rare\n").await;
    let rare = printing(&app, None, "base", "001", "rare").await;
    app.sql(&format!("DELETE FROM printings WHERE id = '{rare}'")).await;
    commit(&app, &ada, &stale, false).await.problem(409, "edit_conflict");
}

#[tokio::test]
async fn replacing_one_game_leaves_the_others_as_they_are() {
    let app = TestApp::start_seeded(&["uno-emoji"]).await;
    app.import_set("base", 3, false).await;
    let ada = app.player("ada").await;
    let uno =
        app.get("/v1/cards?game=uno-emoji&limit=1").answer().await.expect(200)["data"][0].clone();
    let foreign = |condition: &str, count: u8| {
        let text = |member: &str| uno[member].as_str().unwrap();
        format!("{count},uno-emoji,{},{},{condition}\n", text("set"), text("number"))
    };
    let head = "Count,Game,Set,Number,Condition\n";
    let own = "2,ttcg,base,1,NM\n";
    let query = "without_rarity=most_common";
    let file = format!("{head}{own}1,ttcg,base,2,NM\n{}{}", foreign("NM", 7), foreign("LP", 3));
    let import = read(&app, &ada, &format!("?{query}"), &file).await;
    assert!(import["totals"].get("removes").is_none(), "{import}");
    commit(&app, &ada, &import, false).await.expect(200);
    let stored = stored_entries(&app, &ada).await;
    assert_eq!(stored.len(), 4, "{stored:?}");

    let file = format!("{head}{own}{}", foreign("NM", 5));
    let query = format!("?mode=replace&game=ttcg&{query}");
    let import = read(&app, &ada, &query, &file).await;
    assert_eq!(import["replaced_game"], "ttcg");
    assert_eq!(
        (&import["totals"]["ok"], &import["totals"]["invalid"], &import["totals"]["removes"]),
        (&json!(1), &json!(1), &json!(1))
    );
    let detail = import["lines"][1]["detail"].as_str().unwrap();
    assert!(detail.contains("only your counts of ttcg are replaced"), "{detail}");
    commit(&app, &ada, &import, false).await.problem(422, "import_has_faults");
    assert_eq!(stored_entries(&app, &ada).await, stored);
    let done = commit(&app, &ada, &import, true).await.expect(200);
    assert_eq!((&done["changed"], &done["removed"]), (&json!(0), &json!(1)));
    let mut expected = stored;
    expected.retain(|entry| entry[1] != "002" || entry[0] != "base");
    assert_eq!(stored_entries(&app, &ada).await, expected, "both foreign entries stay");
}

/// Adds to the common printing of a card of the set `base`.
async fn add(app: &TestApp, by: &Player, number: &str, add: i32) {
    let change =
        json!({ "game": "ttcg", "set": "base", "number": number, "rarity": "common", "add": add });
    let body = json!({ "changes": [change] });
    app.post("/v1/collection/changes").by(by).json(&body).answer().await.expect(200);
}

#[tokio::test]
async fn a_commit_replaces_only_the_counts_that_were_shown() {
    let app = TestApp::start().await;
    app.import_set("base", 3, false).await;
    let ada = app.player("ada").await;
    add(&app, &ada, "001", 2).await;
    add(&app, &ada, "002", 1).await;
    let file = "Count,Set,Number,Rarity\n3,base,1,common\n1,base,2,common\n";
    let cases: [(&[(&str, i32)], &str); 4] = [
        // An entry that no line names, and that the commit would remove.
        (
            &[("003", 7)],
            "1 entry that the import would replace has changed since the file was shown: base 003 common (near mint). ",
        ),
        // An entry that the commit would set to the count of the file.
        (
            &[("001", 6)],
            "1 entry that the import would replace has changed since the file was shown: base 001 common (near mint). ",
        ),
        (
            &[("002", -1)],
            "1 entry that the import would replace has changed since the file was shown. ",
        ),
        (
            &[("002", 5), ("003", -7)],
            "2 entries that the import would replace have changed since the file was shown: base 002 common (near mint), and 1 more. ",
        ),
    ];
    for (changes, named) in cases {
        let shown = read(&app, &ada, "?mode=replace&game=ttcg", file).await;
        for (number, count) in changes {
            add(&app, &ada, number, *count).await;
        }
        let stored = stored_entries(&app, &ada).await;
        let refused = commit(&app, &ada, &shown, false).await.problem(409, "collection_changed");
        assert_eq!(refused["entries"], changes.len());
        let detail = refused["detail"].as_str().unwrap();
        assert!(detail.starts_with(named), "{detail}");
        assert_eq!(stored_entries(&app, &ada).await, stored, "nothing was imported");
    }

    // The same file again shows what would be replaced now, and a repeated commit stays a repetition.
    add(&app, &ada, "003", 4).await;
    let shown = read(&app, &ada, "?mode=replace&game=ttcg", file).await;
    assert_eq!(shown["totals"]["removes"], 1);
    let done = commit(&app, &ada, &shown, false).await.expect(200);
    assert_eq!((&done["changed"], &done["removed"]), (&json!(2), &json!(1)));
    add(&app, &ada, "003", 4).await;
    assert_eq!(commit(&app, &ada, &shown, false).await.expect(200), done);
    assert_eq!(stored_entries(&app, &ada).await.len(), 3, "the repetition removes nothing");

    // Two previews of the same counts: the second commit would replace what the first one has imported.
    let query = "?mode=replace";
    let (first, second) =
        (read(&app, &ada, query, file).await, read(&app, &ada, query, file).await);
    commit(&app, &ada, &first, false).await.expect(200);
    commit(&app, &ada, &second, false).await.problem(409, "collection_changed");
}

#[tokio::test]
async fn a_change_of_other_counts_does_not_prevent_a_commit() {
    let app = TestApp::start_seeded(&["uno-emoji"]).await;
    app.import_set("base", 3, false).await;
    let ada = app.player("ada").await;
    let file = "Count,Set,Number,Rarity\n3,base,1,common\n";
    // Quantities that are added apply to any counts.
    let shown = read(&app, &ada, "", file).await;
    add(&app, &ada, "001", 5).await;
    commit(&app, &ada, &shown, false).await.expect(200);
    assert_eq!(stored_entries(&app, &ada).await[0][4], "8");

    // Only counts of the game that is replaced matter.
    let shown = read(&app, &ada, "?mode=replace&game=uno-emoji", "Count,Name\n").await;
    add(&app, &ada, "002", 1).await;
    commit(&app, &ada, &shown, false).await.expect(200);
    assert_eq!(stored_entries(&app, &ada).await.len(), 2);

    // An import that was stored by an older program has no counts to compare.
    let shown = read(&app, &ada, "?mode=replace", file).await;
    app.sql("UPDATE collection_imports SET shown_counts = NULL").await;
    add(&app, &ada, "002", 1).await;
    assert_eq!(commit(&app, &ada, &shown, false).await.expect(200)["removed"], 1);
}

#[tokio::test]
async fn files_without_cards_are_rejected() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    for (media_type, file, status, code) in [
        ("text/csv", String::new(), 422, "unreadable_collection"),
        ("text/csv", "4 Kettle Imp\n".to_owned(), 422, "unreadable_collection"),
        ("text/csv", "Name\0\n".to_owned(), 422, "unreadable_collection"),
        ("text/csv", "Name\n".to_owned() + &"x\n".repeat(50_001), 422, "unreadable_collection"),
        ("text/csv", "Name\n".to_owned() + &"x".repeat(16 * 1024 * 1024), 413, "body_too_large"),
        ("application/json", "{".to_owned(), 400, "malformed_json"),
        ("application/json", "{\"cards\":[]}".to_owned(), 422, "unreadable_collection"),
        ("application/json", r#"[{"name":"a\u0000b"}]"#.to_owned(), 422, "unreadable_collection"),
        ("text/plain", "Name\n".to_owned(), 415, "unsupported_media_type"),
    ] {
        send(&app, &ada, "", media_type, &file).await.problem(status, code);
    }
    let cut = send(&app, &ada, "", "application/json", "[{},\n {\"é\" 1}]").await;
    let detail = "a `:` is missing after the name of a member";
    let fault = json!({ "pointer": "", "detail": detail, "line": 2, "column": 7 });
    assert_eq!(cut.problem(400, "malformed_json")["errors"], json!([fault]));
    send(&app, &ada, "?mode=guess", "text/csv", "Name\n").await.problem(400, "invalid_query");
    assert_eq!(app.db().value("SELECT count(*) FROM collection_imports").await, "0");
}

/// Starts an upload that goes on until the sender is dropped.
fn upload(
    app: &TestApp,
    by: &Player,
) -> (tokio::sync::mpsc::UnboundedSender<String>, tokio::task::JoinHandle<Answer>) {
    let (sender, mut pieces) = tokio::sync::mpsc::unbounded_channel::<String>();
    let body = stream::poll_fn(move |cx| pieces.poll_recv(cx)).map(Ok::<_, std::io::Error>);
    sender.send("Name\n".to_owned()).unwrap();
    let request = app.post("/v1/collection/imports").by(by).header("content-type", "text/csv");
    let request = request.body(reqwest::Body::wrap_stream(body));
    (sender, tokio::spawn(async { request.answer().await }))
}

/// Takes a place for a file directly, without a request, for an account and an address.
fn enter(app: &TestApp, by: &Player, address: [u8; 4]) -> Result<FilePlace, NoPlace> {
    let account = AccountId(by.id.parse().unwrap());
    app.shared().import_limiter.enter(account, IpAddr::from(address).into())
}

/// Waits until the account holds this many places.
async fn wait_for_places(app: &TestApp, by: &Player, held: usize) {
    for _ in 0..2_000 {
        let free = [[192, 0, 2, 1], [192, 0, 2, 2]].map(|address| enter(app, by, address));
        if free.iter().filter(|place| place.is_ok()).count() == 2 - held {
            return;
        }
        drop(free);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the account never held {held} places");
}

#[tokio::test]
async fn an_account_and_a_network_may_import_two_files_at_once() {
    let app = TestApp::start_with(|settings| {
        settings.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    })
    .await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let send_from = |by: &Player, address: &str, file: String| {
        let request = app.post("/v1/collection/imports").by(by).header("x-forwarded-for", address);
        request.header("content-type", "text/csv").body(file).answer()
    };
    let small = || "Name\n".to_owned();
    let held = [[192, 0, 2, 1], [192, 0, 2, 2]].map(|address| enter(&app, &ada, address).unwrap());
    let refused = send_from(&ada, "192.0.2.3", small()).await;
    assert_eq!(refused.header("retry-after"), "2");
    refused.problem(429, "too_many_imports");
    // A client that sends a large file gets the same answer.
    let large = small() + &"x\n".repeat(1024 * 1024);
    send_from(&ada, "192.0.2.3", large).await.problem(429, "too_many_imports");
    send_from(&ben, "192.0.2.1", small()).await.expect(200);
    drop(held);
    send_from(&ada, "192.0.2.3", small()).await.expect(200);
    let cyd = app.player("cyd").await;
    let held = [&ada, &cyd].map(|by| enter(&app, by, [192, 0, 2, 1]).unwrap());
    send_from(&ben, "192.0.2.1", small()).await.problem(429, "too_many_imports");
    send_from(&ben, "192.0.2.2", small()).await.expect(200);
    drop(held);
}

#[tokio::test]
async fn an_upload_holds_its_place_until_it_ends_or_is_aborted() {
    let app =
        TestApp::start_with(|settings| settings.request_timeout = Duration::from_mins(1)).await;
    let ada = app.player("ada").await;
    for aborts in [false, true] {
        let (sender, answer) = upload(&app, &ada);
        wait_for_places(&app, &ada, 1).await;
        if aborts {
            answer.abort();
            wait_for_places(&app, &ada, 0).await;
            drop(sender);
        } else {
            drop(sender);
            assert_eq!(answer.await.unwrap().expect(200)["totals"]["lines"], 0);
            wait_for_places(&app, &ada, 0).await;
        }
    }
}

#[tokio::test]
async fn a_process_reads_four_files_at_once_at_most() {
    let app = TestApp::start().await;
    let mut held = Vec::new();
    for (name, network) in [("ada", 1), ("ben", 2)] {
        let player = app.player(name).await;
        held.extend((0..2).map(|_| enter(&app, &player, [192, 0, 2, network]).unwrap()));
    }
    let cyd = app.player("cyd").await;
    let refused = send(&app, &cyd, "", "text/csv", "Name\n").await;
    assert_eq!(refused.header("retry-after"), "1");
    refused.problem(503, "unavailable");
    held.pop();
    read(&app, &cyd, "", "Name\n").await;
}

#[tokio::test]
async fn extreme_files_are_rejected_with_a_reason() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let keys: String = (0..100_000).map(|at| format!(",\"k{at}\":0")).collect();
    for (media_type, file) in [
        ("application/json", format!("[{{\"name\":\"a\"{keys}}}{}]", ",{}".repeat(49_999))),
        ("application/json", format!("[{}{{}}]", "{\"\":0},".repeat(500_000))),
        ("text/csv", ",".repeat(16 * 1024 * 1024)),
    ] {
        send(&app, &ada, "", media_type, &file).await.problem(422, "unreadable_collection");
    }
    let commas = "Name\n".to_owned() + &",".repeat(1_000_000) + "\nOx\n";
    let shown = read(&app, &ada, "", &commas).await;
    let verdicts: Vec<&Value> =
        shown["lines"].as_array().unwrap().iter().map(|line| &line["verdict"]).collect();
    assert_eq!(verdicts, ["invalid", "unknown"]);
    let detail = shown["lines"][0]["detail"].as_str().unwrap();
    assert!(detail.starts_with("has more than 1000 fields"), "{detail}");
}

#[tokio::test]
async fn one_import_returns_at_most_ten_thousand_suggestions() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let shown = read(&app, &ada, "", &("Name\n".to_owned() + &"Kettle Imp\n".repeat(3_000))).await;
    let lines = shown["lines"].as_array().unwrap();
    let suggestions = |line: &Value| line["suggestions"].as_array().map_or(0, Vec::len);
    let choices: usize = lines.iter().map(suggestions).sum();
    assert!(lines.iter().all(|line| line["verdict"] == "ambiguous"));
    assert_eq!(suggestions(&lines[0]), 6, "one suggestion for each rarity");
    assert!((9_990..=10_000).contains(&choices), "{choices}");
    let without = lines.iter().filter(|line| suggestions(line) == 0).count();
    assert_eq!(shown["choices_left_out"], without);

    // Similar names for an unknown name count, too.
    let file = "Name\n".to_owned() + &"Kettle Imp\n".repeat(1_666) + &"Ketle Imp\n".repeat(10);
    let shown = read(&app, &ada, "", &file).await;
    let lines = shown["lines"].as_array().unwrap();
    assert_eq!(lines[1_665]["verdict"], "ambiguous");
    assert_eq!(suggestions(&lines[1_665]), 6);
    let misspelt: Vec<usize> = lines[1_666..].iter().map(suggestions).collect();
    assert_eq!(misspelt, [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(shown["choices_left_out"], 6);
}

#[tokio::test]
async fn a_file_of_many_lines_is_read_and_committed() {
    let app = TestApp::start().await;
    app.import_set("base", 60, false).await;
    let ada = app.player("ada").await;
    let mut file = "Count,Name,Rarity\n".to_owned();
    for line in 0..20_000 {
        file += &format!(
            "1,\"The base card, numbered {:03}!\",{}\n",
            line % 61 + 1,
            ["common", "rare"][line % 2]
        );
    }
    let shown = read(&app, &ada, "", &file).await;
    assert_eq!(shown["lines"].as_array().unwrap().len(), 20_000);
    let unknown = shown["totals"]["unknown"].as_i64().unwrap();
    assert_eq!(unknown, 20_000 / 61, "the 61st card is not in the set");
    let done = commit(&app, &ada, &shown, true).await.expect(200);
    assert_eq!((&done["cards"], &done["added"]), (&json!(20_000 - unknown), &json!(120)));
    assert_eq!(json!(done["rejected"].as_array().unwrap().len()), json!(unknown));
}

/// Names that are difficult to write in files.
const NAMES: [&str; 6] = [
    "=HYPERLINK(\"x\"), he said",
    "Comma, \"Quote\"",
    "🔥 Emoji; Imp 👩‍👩‍👧",
    "Don’t [Panic]",
    "-1+1",
    "Tab and | pipe",
];

#[tokio::test]
async fn an_export_can_be_imported_without_loss() {
    let app = TestApp::start().await;
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "hearth", |set| {
        for (card, name) in set["cards"].as_array_mut().unwrap().iter_mut().zip(NAMES) {
            card["name"] = name.into();
        }
    });
    app.import(&source).await.unwrap();
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let printings =
        app.get("/v1/cards?set=hearth&q=unique:printings&limit=100").answer().await.expect(200);
    let printings: Vec<String> = printings["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|card| card["printing"]["id"].as_str().unwrap().to_owned())
        .collect();
    let conditions =
        ["mint", "near_mint", "lightly_played", "moderately_played", "heavily_played", "damaged"];
    let collections = prop::collection::btree_map(
        (0..printings.len(), 0..conditions.len()),
        1_i32..=9_999,
        0..40,
    );
    let mut runner = TestRunner::deterministic();
    for round in 0..12 {
        let tree = collections.new_tree(&mut runner).unwrap();
        let wanted: BTreeMap<(usize, usize), i32> = tree.current();
        app.sql("DELETE FROM collection_entries").await;
        for ((at, condition), quantity) in &wanted {
            app.sql(&format!(
                "INSERT INTO collection_entries VALUES ('{}', '{}', '{}', {quantity}, '2026-11-21')",
                ada.id, printings[*at], conditions[*condition]
            ))
            .await;
        }
        for (format, media_type) in [("csv", "text/csv"), ("json", "application/json")] {
            let export = format!("/v1/collection/export?format={format}");
            let file = app.get(&export).by(&ada).answer().await;
            assert!(file.header("content-type").starts_with(media_type));
            assert!(file.header("content-disposition").contains("attachment"));
            // The import must also work without the ids of printings.
            let without_ids = file
                .text()
                .lines()
                .map(|line| line.rsplit_once(',').map_or(line, |(rest, _)| rest))
                .collect::<Vec<_>>()
                .join("\n");
            let texts =
                if format == "csv" { vec![file.text(), without_ids] } else { vec![file.text()] };
            for text in texts {
                let shown = send(&app, &ben, "?mode=replace", media_type, &text).await.expect(200);
                assert_eq!(shown["totals"]["ok"], wanted.len(), "{shown}");
                commit(&app, &ben, &shown, false).await.expect(200);
                assert_eq!(
                    stored_entries(&app, &ben).await,
                    stored_entries(&app, &ada).await,
                    "round {round}"
                );
            }
            let again = app.get(&export).by(&ben).answer().await;
            assert!(again.bytes == file.bytes, "{format} {round}");
        }
    }
}

#[tokio::test]
async fn an_export_is_restored_after_its_cards_were_moved_renamed_or_merged() {
    let app = TestApp::start().await;
    app.import_set("base", 6, false).await;
    app.import_set("mist", 1, true).await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    for quantity in 1..=5 {
        add(&app, &ada, &format!("{quantity:03}"), quantity).await;
    }
    let formats = [("csv", "text/csv"), ("json", "application/json")];
    let mut files = Vec::new();
    for (format, media_type) in formats {
        let file = app.get(&format!("/v1/collection/export?format={format}")).by(&ada).answer();
        files.push((media_type, file.await.text()));
    }

    let cards = app.get("/v1/cards?set=base").answer().await.expect(200)["data"].clone();
    let card = |at: usize| format!("/v1/cards/{}", cards[at]["id"].as_str().unwrap());
    let post = async |path: String, body: Value| {
        app.post(&path).by(&admin).json(&body).answer().await.expect(201)
    };
    let rename = async |at: usize, name: &str| {
        let seen = app.get(&card(at)).by(&admin).answer().await;
        let request = app.patch(&card(at)).by(&admin).header("if-match", seen.header("etag"));
        request.json(&json!({ "name": name })).answer().await.expect(200);
    };
    post(format!("{}/move", card(0)), json!({ "number": "041" })).await;
    rename(1, "Another name").await;
    post(format!("{}/merge", card(2)), json!({ "into": cards[3]["id"] })).await;
    // Another card has the old name now.
    let name = "The base card, numbered 002!";
    rename(5, name).await;
    app.sql("DELETE FROM collection_entries").await;
    for (media_type, file) in &files {
        let shown = send(&app, &ada, "?mode=replace&game=ttcg", media_type, file).await.expect(200);
        assert_eq!(shown["totals"]["ok"], 5, "{shown}");
        commit(&app, &ada, &shown, false).await.expect(200);
        let counted: Vec<[String; 2]> = stored_entries(&app, &ada)
            .await
            .into_iter()
            .map(|[_, number, _, _, quantity]| [number, quantity])
            .collect();
        let expected = [["002", "2"], ["004", "7"], ["005", "5"], ["041", "1"]];
        assert_eq!(counted, expected.map(|entry| entry.map(str::to_owned)));
    }

    // Without its place, the old name means the card that has it now, and an id beside it decides nothing.
    let renamed = printing(&app, None, "base", "002", "common").await;
    let hidden = printing(&app, Some(&admin), "mist", "001", "common").await;
    let mist = app.get("/v1/games/ttcg/sets/mist/cards/001").answer().await.expect(200);
    let path = format!("/v1/cards/{}/move", mist["id"].as_str().unwrap());
    post(path, json!({ "number": "011" })).await;
    let file = format!(
        "Count,Name,Set,Number,Rarity,Printing ID\n1,\"{name}\",base,,common,{renamed}\n1,\"Never its name\",base,002,common,{renamed}\n\
         1,\"The mist card, numbered 001!\",mist,001,common,{hidden}\n1,,mist,001,,{hidden}\n"
    );
    let shown = read(&app, &ada, "", &file).await;
    let lines = shown["lines"].as_array().unwrap();
    let verdicts: Vec<&str> = lines.iter().map(|line| line["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["ambiguous", "ambiguous", "unknown", "unknown"]);
    // Nothing tells that the hidden card was moved.
    for line in &lines[2..] {
        let mut suggested = line["suggestions"].as_array().into_iter().flatten();
        assert!(suggested.all(|one| one["set"] == "base"), "{line}");
    }
    assert_eq!(lines[2]["detail"], "there is no card of that name");
    assert_eq!(lines[3]["detail"], "there is no card of that number that you may see");
}

#[tokio::test]
async fn hidden_cards_show_in_no_verdict() {
    let app = TestApp::start().await;
    app.import_set("dark", 3, true).await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    app.give_copy(&ada.id, "ttcg", "dark", "001").await;
    let id = printing(&app, Some(&ada), "dark", "001", "rare").await;
    let file = format!(
        "Count,Name,Set,Number,Rarity,Printing ID\n1,\"The dark card, numbered 001!\",,,rare,\n1,\"The dark card, numbered 001\",dark,1,,\n\
         1,,dark,001,rare,\n1,,,,,{id}\n1,\"The dark crd, numbered 001!\",,,,\n1,\"The dark card, numbered 001! [dark]\",,,common,\n"
    );
    let verdicts = |shown: &Value| -> Vec<String> {
        shown["lines"]
            .as_array()
            .unwrap()
            .iter()
            .map(|line| line["verdict"].as_str().unwrap().to_owned())
            .collect()
    };
    let hers = read(&app, &ada, "", &file).await;
    assert_eq!(verdicts(&hers), ["ok", "ambiguous", "ok", "ok", "unknown", "ok"]);
    assert_eq!(hers["lines"][4]["suggestions"][0]["name"], "The dark card, numbered 001!");
    let his = read(&app, &ben, "", &file).await;
    assert_eq!(verdicts(&his), ["unknown"; 6]);
    for (line, nothing) in his["lines"].as_array().unwrap().iter().zip([
        "The dark card, numbered 999!",
        "The dark card, numbered 999",
        "",
        "",
        "The dark crd, numbered 999!",
        "The dark card, numbered 999! [dark]",
    ]) {
        assert!(line.get("suggestions").is_none() && line.get("card").is_none(), "{line}");
        if !nothing.is_empty() {
            // A card that does not exist has the same answer.
            let none = read(&app, &ben, "", &format!("Name\n\"{nothing}\"\n")).await;
            assert_eq!(none["lines"][0]["detail"], "there is no card of that name");
        }
    }
    // The data that is stored until the commit names cards only with the words in the file.
    let stored =
        app.db().value("SELECT string_agg(rejected::text, '') FROM collection_imports").await;
    assert!(stored.contains("The dark crd, numbered 001!"), "{stored}");
    assert!(!stored.contains("The dark card, numbered 002"), "{stored}");

    // The cards are counted and then hidden again: ada can still import the exported file.
    commit(&app, &ada, &hers, true).await.expect(200);
    let older = app.get("/v1/collection/export").by(&ada).answer().await.text();
    app.sql("UPDATE copies SET voided_at = '2026-12-01T00:00:00Z'").await;
    let export = app.get("/v1/collection/export").by(&ada).answer().await.text();
    assert!(!export.contains("The dark card") && !export.contains("rare"), "{export}");
    let shown = read(&app, &ada, "?mode=replace", &export).await;
    assert_eq!(verdicts(&shown), ["ok", "ok"]);
    let done = commit(&app, &ada, &shown, false).await.expect(200);
    assert_eq!((&done["changed"], &done["removed"]), (&json!(0), &json!(0)));

    // A file that was exported before, with names and rarities. Its lines about the card are in different batches.
    let lines: Vec<&str> = older.lines().collect();
    let [head, first, second] = lines[..] else { panic!("{older}") };
    assert!(older.contains("The dark card") && older.contains("rare"), "{older}");
    let older = [vec![head], vec![first; 1_000], vec![second]].concat().join("\n");
    let shown = read(&app, &ada, "?mode=replace", &older).await;
    assert_eq!(shown["totals"]["ok"], 1_001, "{}", shown["totals"]);
    commit(&app, &ada, &shown, false).await.expect(200);
}
