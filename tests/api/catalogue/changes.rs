//! The change feed: no gap, no duplicate, nothing about hidden cards.

use std::collections::BTreeSet;

use cardscape::store::catalogue::changes;
use diesel::sql_types::BigInt;
use diesel_async::{RunQueryDsl as _, SimpleAsyncConnection as _};
use futures_util::StreamExt as _;
use serde_json::{Value, json};

use crate::environment;
use crate::support::{
    Answer, RequestExt as _, TestApp, TestDb, edit_set, fresh_path, run, seed_data,
};

async fn feed(app: &TestApp, query: &str) -> Answer {
    app.get(&format!("/v1/changes?{query}")).answer().await
}

/// All events after a sequence number, read page by page.
async fn follow(app: &TestApp, mut after: u64, limit: usize) -> Vec<Value> {
    let mut all = Vec::new();
    loop {
        let page = feed(app, &format!("after={after}&limit={limit}")).await.expect(200);
        all.extend(page["data"].as_array().unwrap().iter().cloned());
        after = page["next_after"].as_u64().unwrap();
        if after == page["newest"].as_u64().unwrap() {
            return all;
        }
    }
}

fn numbers(changes: &[Value]) -> Vec<u64> {
    changes.iter().map(|change| change["seq"].as_u64().unwrap()).collect()
}

fn kinds(changes: &[Value]) -> BTreeSet<&str> {
    changes.iter().map(|change| change["kind"].as_str().unwrap()).collect()
}

/// The seeding program assigns sequence numbers to all events, so that the next instance does not have to do this at its start: to 20001 older events that have no
/// number yet, although the folder is refused, and to those that it writes.
#[tokio::test]
async fn the_seeding_program_numbers_its_events() {
    let db = TestDb::create().await;
    db.sql("INSERT INTO events (id, kind, payload, created_at) \
         SELECT gen_random_uuid(), 'game.changed', jsonb_build_object('game', 'g' || n), now() FROM generate_series(1, 20001) AS n",
    )
    .await;
    let folder = fresh_path("-seed");
    let game = folder.join("games/ttcg");
    let templates = game.join("effects/all_effect_templates.txt");
    std::fs::create_dir_all(game.join("effects")).unwrap();
    std::fs::write(game.join("game.toml"), seed_data("ttcg").manifest.text).unwrap();
    std::fs::write(&templates, "See <nobody>.\n").unwrap();
    let seed = async || {
        let mut command = environment::command(env!("CARGO_BIN_EXE_cardscape"));
        command.arg("seed").arg(&folder).env("DATABASE_URL", db.url());
        run(command).await
    };
    let numbered = async || db.number("SELECT count(DISTINCT seq) FROM events").await;

    let refused = seed().await;
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert!(String::from_utf8_lossy(&refused.stdout).contains("nobody"), "{refused:?}");
    assert_eq!(numbered().await, 20_001);

    std::fs::remove_file(&templates).unwrap();
    let seeded = seed().await;
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(seeded.status.code(), Some(0), "{seeded:?}");
    assert_eq!(db.number("SELECT count(*) FROM events WHERE payload->>'game' = 'ttcg'").await, 1);
    assert_eq!(numbered().await, 20_002);
    assert_eq!(db.number("SELECT max(seq) FROM events").await, 20_002);
}

#[tokio::test]
async fn a_mirror_receives_every_event_once() {
    let app = TestApp::start().await;
    assert_eq!(
        feed(&app, "").await.expect(200),
        json!({ "data": [], "next_after": 0, "newest": 0 })
    );
    let mut source = seed_data("ttcg");
    app.import(&source).await.unwrap();
    let all = follow(&app, 0, 7).await;
    let count = u64::try_from(all.len()).unwrap();
    assert_eq!(numbers(&all), (1..=count).collect::<Vec<_>>());
    assert_eq!(kinds(&all), BTreeSet::from(["card.added", "game.changed", "set.changed"]));
    let cards: u64 = app.db().value("SELECT count(*) FROM cards").await.parse().unwrap();
    assert_eq!(count, cards + 1 + 2, "a game, two sets, and each card");

    // The same files again write no event. A change of an open card writes one, a change of a hidden card does not.
    app.import(&source).await.unwrap();
    edit_set(&mut source, "hearth", |set| set["cards"][0]["lore"] = json!("Otherwise."));
    edit_set(&mut source, "veil", |set| set["cards"][0]["lore"] = json!("Secret."));
    app.import(&source).await.unwrap();
    let events = follow(&app, count, 200).await;
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!((&events[0]["kind"], &events[0]["number"]), (&json!("card.changed"), &json!("001")));
    assert_eq!(events[0]["set"], "hearth");
    app.seed(&["emojo-dojo"]).await;
    let of_ttcg = feed(&app, &format!("after={}&game=ttcg", count + 1)).await.expect(200);
    assert_eq!(of_ttcg["data"], json!([]));
    assert_eq!(
        of_ttcg["next_after"], of_ttcg["newest"],
        "next_after also passes the events that the filter leaves out"
    );
}

#[tokio::test]
async fn the_feed_contains_unlocks() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let before = feed(&app, "after=0&limit=1").await.expect(200)["newest"].clone();
    app.sql("UPDATE sets SET unlock_threshold = 5").await;
    app.cast_votes("k.set_code = 'veil' AND k.number <= '003'", 2).await;
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "veil", |set| set["unlock_threshold"] = json!(2));
    app.import(&source).await.unwrap();
    let events = follow(&app, before.as_u64().unwrap(), 50).await;
    let unlocked: Vec<&str> = events
        .iter()
        .filter(|change| change["kind"] == "card.unlocked")
        .map(|change| change["number"].as_str().unwrap())
        .collect();
    assert_eq!(unlocked, ["001", "002", "003"], "{events:?}");
}

/// Writers and readers work on two instances at the same time: every reader sees every event once, in the same order.
#[tokio::test]
async fn readers_miss_nothing_while_others_write() {
    let app = TestApp::start().await;
    let other = app.second_instance();
    let writers = 6;
    let each = 25;
    let write = async |app: &TestApp, writer: usize| {
        for round in 0..each {
            // Because of the pause, transactions commit in a different order than they began.
            let pause = if round % 3 == 0 { 0.02 } else { 0.0 };
            app.sql(&format!(
                "BEGIN; INSERT INTO events (id, kind, payload, created_at) \
                     VALUES (gen_random_uuid(), 'game.changed', '{{\"game\":\"g{writer}-{round}\"}}', clock_timestamp()); \
                 SELECT pg_sleep({pause}); COMMIT;"
            ))
            .await;
        }
    };
    let total = writers * each;
    let read = async |app: &TestApp| {
        let mut seen = Vec::new();
        while seen.len() < total {
            let after = seen.last().map_or(0, |change: &Value| change["seq"].as_u64().unwrap());
            seen.extend(follow(app, after, 9).await);
        }
        seen
    };
    let writing = async {
        let writes =
            (0..writers).map(|writer| write(if writer % 2 == 0 { &app } else { &other }, writer));
        futures_util::future::join_all(writes).await;
    };
    let (one, two, three, ()) = tokio::join!(read(&app), read(&other), read(&app), writing);
    assert_eq!(numbers(&one), (1..=u64::try_from(total).unwrap()).collect::<Vec<_>>());
    let games: BTreeSet<&str> = one.iter().map(|change| change["game"].as_str().unwrap()).collect();
    assert_eq!(games.len(), total);
    assert_eq!(one, two);
    assert_eq!(one, three);
}

#[tokio::test]
async fn a_position_outside_the_stored_feed_is_rejected() {
    let app = TestApp::start_seeded(&["emojito"]).await;
    feed(&app, "after=5").await.expect(200);
    feed(&app, "after=999999").await.problem(410, "gone");
    feed(&app, "after=18446744073709551615").await.problem(410, "gone");
    feed(&app, "after=-1").await.problem(400, "invalid_query");
    app.sql("DELETE FROM events WHERE seq <= 10").await;
    feed(&app, "after=9").await.problem(410, "gone");
    let rest = feed(&app, "after=10").await.expect(200);
    assert_eq!(rest["data"][0]["seq"], 11);
    app.sql("DELETE FROM events").await;
    let newest = feed(&app, "after=102").await.expect(200)["newest"].clone();
    feed(&app, "after=0").await.problem(410, "gone");
    app.seed(&["uno-emoji"]).await;
    let next = feed(&app, &format!("after={newest}&limit=1")).await.expect(200);
    assert_eq!(
        next["data"][0]["seq"].as_u64(),
        newest.as_u64().map(|seq| seq + 1),
        "sequence numbers are never reused"
    );
}

/// A mirror reads of a change and fetches the card at once: it gets the card as it is after the change, although the instance had the older one
/// in memory.
#[tokio::test]
async fn an_event_is_not_listed_before_the_instance_knows_of_it() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let mirrored = app.second_instance_in_memory().await;
    let admin = app.admin().await;
    let card = app.get("/v1/games/ttcg/sets/hearth/cards/001").answer().await.expect(200);
    let path = format!("/v1/cards/{}", card["id"].as_str().unwrap());
    let newest =
        async || feed(&app, "after=0&limit=1").await.expect(200)["newest"].as_u64().unwrap();
    for round in 0..6 {
        let (lore, after) = (format!("Told for the time {round}."), newest().await);
        mirrored.get(&path).answer().await.expect(200);
        let edit = app.patch(&path).by(&admin).header("if-match", "*");
        edit.json(&json!({ "lore": lore })).answer().await.expect(200);
        if round % 2 == 0 {
            assert_ne!(follow(&mirrored, after, 10).await, Vec::<Value>::new());
        } else {
            let stream = format!("/v1/changes/stream?after={after}");
            assert_eq!(streamed(&mirrored, &stream, None, 1).await.len(), 1);
        }
        let seen = mirrored.get(&path).answer().await.expect(200);
        assert_eq!(seen["lore"], lore);
        let search = format!("/v1/cards?q=lore:%22for%20the%20time%20{round}%22");
        let found = mirrored.get(&search).answer().await.expect(200);
        assert_eq!(found["data"][0]["id"], card["id"], "{search}");
    }
}

/// Reads a stream until it has sent `enough` events.
async fn streamed(
    app: &TestApp,
    path: &str,
    last: Option<u64>,
    enough: usize,
) -> Vec<(u64, String)> {
    let mut request = app.get(path);
    if let Some(last) = last {
        request = request.header("last-event-id", last);
    }
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut bytes = response.bytes_stream();
    let mut text = String::new();
    loop {
        let events: Vec<(u64, String)> = text
            .split_inclusive("\n\n")
            .filter(|event| event.ends_with("\n\n"))
            .filter_map(|event| {
                let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
                Some((field("id: ")?.parse().unwrap(), field("event: ")?.to_owned()))
            })
            .collect();
        if events.len() >= enough {
            return events;
        }
        let chunk = bytes.next().await.expect("the stream stays open").unwrap();
        text += std::str::from_utf8(&chunk).unwrap();
    }
}

#[tokio::test]
async fn a_stream_resumes_after_the_last_event_id() {
    let app = TestApp::start_seeded(&["emojito"]).await;
    let first = streamed(&app, "/v1/changes/stream?after=0", None, 102).await;
    assert_eq!(first.iter().map(|(id, _)| *id).collect::<Vec<_>>(), (1..=102).collect::<Vec<_>>());
    // The client resumes on another instance while an import writes events.
    let other = app.second_instance();
    let resumed = streamed(&other, "/v1/changes/stream?after=0", Some(102), 3);
    let seeding = app.seed(&["emojo-dojo"]);
    let (rest, ()) = tokio::join!(resumed, seeding);
    assert_eq!(rest[0], (103, "game.changed".to_owned()));
    assert_eq!(rest[1], (104, "set.changed".to_owned()));
    let dojo = streamed(&app, "/v1/changes/stream?after=0&game=emojo-dojo", None, 1).await;
    assert_eq!(dojo[0].0, 103);
    app.get("/v1/changes/stream?after=9999").answer().await.problem(410, "gone");
    let bad = app.get("/v1/changes/stream").header("last-event-id", "yesterday");
    let problem = bad.answer().await.problem(400, "invalid_header");
    assert_eq!(problem["detail"], "Last-Event-ID must be the number of an event.");
}

/// A client that has received no event, and reconnects, misses none.
#[tokio::test]
async fn a_stream_begins_with_the_number_that_it_continues_from() {
    let app = TestApp::start_seeded(&["emojito"]).await;
    for (query, reached) in [("?after=7&game=emojito", 7), ("?game=emojito", 102), ("", 102)] {
        let mut stream = app.get(&format!("/v1/changes/stream{query}")).send().await.unwrap();
        let first = stream.chunk().await.unwrap().expect("the stream stays open");
        assert_eq!(first, format!(": connected\nid: {reached}\n\n"));
    }
}

#[tokio::test]
async fn a_network_can_open_twenty_streams_at_most() {
    let app = TestApp::start().await;
    let mut held = Vec::new();
    for _ in 0..20 {
        held.push(app.get("/v1/changes/stream").send().await.unwrap());
    }
    let answer = app.get("/v1/changes/stream").answer().await;
    assert!(answer.header("retry-after").parse::<u32>().is_ok());
    answer.problem(429, "too_many_streams");
}

/// Events of one game by far outnumber those of the others, as after the import of a large catalogue.
async fn with_events_of_a_large_game() -> TestApp {
    let app = TestApp::start().await;
    app.sql(
        "INSERT INTO events (id, kind, payload, created_at, seq)
             SELECT gen_random_uuid(), CASE WHEN n % 500 = 0 THEN 'design.shared' ELSE 'card.added' END,
                    jsonb_build_object('game', CASE WHEN n IN (3, 5) THEN 'aces' WHEN n = 4 THEN 'zoo' ELSE 'large' END), now(), n
             FROM generate_series(1, 20000) n;
         UPDATE event_clock SET last_seq = 20000;
         ANALYZE",
    )
    .await;
    app
}

#[tokio::test]
async fn the_feed_of_a_small_game_does_not_read_the_events_of_a_large_one() {
    let app = with_events_of_a_large_game().await;
    let mut conn = app.store().connection().await.unwrap();
    conn.batch_execute("SET plan_cache_mode = force_generic_plan; BEGIN").await.unwrap();
    let mut read = async |after, game: Option<&str>| {
        let found = changes::list(&mut conn, after, game, 51).await.unwrap();
        found.iter().map(|change| change.seq).collect::<Vec<i64>>()
    };
    assert_eq!(read(0, Some("aces")).await, [3, 5]);
    assert_eq!(read(3, Some("aces")).await, [5]);
    assert_eq!(read(5, Some("aces")).await, [0; 0]);
    assert_eq!(read(2, Some("zoo")).await, [4]);
    assert_eq!(read(0, Some("none")).await, [0; 0]);
    assert_eq!(read(19_998, Some("large")).await, [19_999, 20_000]);
    assert_eq!(read(1, Some("large")).await[..4], [2, 6, 7, 8]);
    assert_eq!(read(1, None).await[..4], [2, 3, 4, 5]);
    // Rows that index scans fetch are counted for their indexes: the view adds them up.
    let rows = diesel::dsl::sql::<BigInt>(
        "(SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_all_tables WHERE relid = 'events'::regclass)",
    );
    let rows: i64 = diesel::select(rows).get_result(&mut *conn).await.unwrap();
    assert!((108..400).contains(&rows), "{rows} rows were read for 108");
}

#[tokio::test]
async fn the_newest_event_of_a_game_is_found_at_the_end_of_an_index() {
    let app = with_events_of_a_large_game().await;
    for (condition, newest) in
        [("e.kind NOT LIKE 'design.%'", 19_999), ("e.kind NOT LIKE 'de%'", 19_999)]
    {
        let sql = changes::newest_of_game("g.code", condition);
        let games = "unnest(ARRAY['aces', 'large', 'none', 'zoo']) AS g (code)";
        let found = format!("SELECT string_agg(coalesce({sql}::text, '-'), ' ') FROM {games}");
        assert_eq!(app.db().value(&found).await, format!("5 {newest} - 4"));
        let session = app.db().session().await;
        let explain = format!("EXPLAIN SELECT {sql} FROM {games}");
        let rows = session.query(&explain, &[]).await.unwrap();
        let plan: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        let plan = plan.join("\n");
        assert!(plan.contains("Index Cond: (((payload ->> 'game'::text) <= g.code)"), "{plan}");
        assert!(!plan.contains("Filter"), "{plan}");
    }
}
