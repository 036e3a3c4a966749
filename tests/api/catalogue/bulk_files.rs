//! Bulk files: they contain only what an anonymous client sees, the same data gives the same bytes, clients can download ranges, and mirrors
//! stay exact.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use base64::Engine as _;
use cardscape::app::catalogue::bulk_files::LAYOUT;
use cardscape::domain::catalogue::bulk::BulkKind;
use cardscape::domain::catalogue::import::GameSource;
use cardscape::store::catalogue::bulk_files::{
    self, CardRows, FailedBuilds, Layout, Page, Pages, RowSource,
};
use cardscape::store::catalogue::games::GameCache;
use cardscape::store::{Connection, StoreError, StoreResult};
use cardscape_engine::Game;
use diesel::sql_types::Text;
use futures_util::StreamExt as _;
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::{Answer, RequestExt as _, TestApp, edit_set, seed_data};

const CARDS: &str = "/v1/bulk-files/ttcg-cards.ndjson.gz";
const PRINTINGS: &str = "/v1/bulk-files/ttcg-printings.csv.gz";

async fn files(app: &TestApp) -> Vec<Value> {
    let list = app.get("/v1/bulk-files").answer().await.expect(200);
    list["data"].as_array().unwrap().clone()
}

/// The entry of the list for the cards of TTCG.
async fn entry(app: &TestApp) -> Value {
    let of_cards = |file: &Value| file["name"] == "ttcg-cards.ndjson.gz";
    files(app).await.into_iter().find(of_cards).expect("TTCG has its files")
}

/// Decompresses a file.
pub fn unpack(bytes: &[u8]) -> String {
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes).read_to_string(&mut text).expect("gzip");
    text
}

async fn download(app: &TestApp, path: &str) -> Vec<u8> {
    let answer = app.get(path).answer().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.bytes
}

async fn lines(app: &TestApp, path: &str) -> Vec<Value> {
    let text = unpack(&download(app, path).await);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The expected line of a card in a bulk file, built from the answers to an anonymous client.
async fn line_of(app: &TestApp, id: &str) -> Value {
    let mut card = app.get(&format!("/v1/cards/{id}")).answer().await.expect(200);
    let printings = app.get(&format!("/v1/cards/{id}/printings")).answer().await.expect(200);
    if card["hidden"] == true {
        card["unlock"].as_object_mut().unwrap().remove("submissions").expect("progress is public");
    }
    card["printings"] = printings["data"].clone();
    card
}

/// Every card of a game by id, through the API.
async fn listing(app: &TestApp, game: &str) -> BTreeMap<String, Value> {
    let mut cards = BTreeMap::new();
    let mut path = format!("/v1/cards?game={game}&limit=200");
    loop {
        let page = app.get(&path).answer().await.expect(200);
        for card in page["data"].as_array().unwrap() {
            let id = card["id"].as_str().unwrap().to_owned();
            cards.insert(id.clone(), line_of(app, &id).await);
        }
        let Some(cursor) = page["next_cursor"].as_str() else { return cards };
        path = format!("/v1/cards?game={game}&limit=200&cursor={cursor}");
    }
}

/// Answers, lists and files contain attributes and effects byte for byte as they are stored: the service does not parse and rewrite them.
#[tokio::test]
async fn cards_are_returned_as_they_are_stored() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let card = "(SELECT id FROM cards WHERE set_code = 'hearth' AND number = '001')";
    app.sql(&format!(
        r#"UPDATE card_content SET effects = '[{{"text": "Say \"Hi\" \\ and\nfall 🔥 é.", "style": "passive"}}]' WHERE card_id = {card}"#
    ))
    .await;
    let column = async |name: &str| {
        let query = format!("SELECT {name} FROM card_content WHERE card_id = {card}");
        app.db().value(&query).await
    };
    let (attributes, effects) = (column("attributes").await, column("effects").await);
    let expected = format!("\"attributes\":{attributes},\"effects\":{effects},");
    assert!(expected.contains(r#"Say \"Hi\" \\ and\nfall 🔥 é."#) && expected.contains(": "));

    app.build_bulk_files().await;
    let files = unpack(&download(&app, CARDS).await);
    let one = app.get("/v1/games/ttcg/sets/hearth/cards/001").answer().await.text();
    let list = app.get("/v1/cards?game=ttcg&set=hearth&limit=1").answer().await.text();
    for text in [files, one, list] {
        assert!(text.contains(&expected), "{expected} in {text}");
    }
}

#[tokio::test]
async fn files_contain_what_an_anonymous_client_sees() {
    let app = TestApp::start().await;
    assert_eq!(files(&app).await, Vec::<Value>::new());
    app.get(CARDS).answer().await.problem(404, "not_found");
    app.seed(&["ttcg", "emojito"]).await;
    // One hidden card has submissions, one was unlocked, and a player has a copy of another one.
    app.sql(
        "UPDATE unlocks SET submissions = 3 WHERE card_id IN (SELECT id FROM cards WHERE number = '001'); \
         UPDATE unlocks SET submissions = 5, unlocked_at = '2026-11-21T00:00:00Z', reason = 'threshold' \
         WHERE card_id IN (SELECT id FROM cards WHERE number = '002')",
    )
    .await;
    let ada = app.player("ada").await;
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;
    app.build_bulk_files().await;

    let names: Vec<Value> = files(&app).await.iter().map(|file| file["name"].clone()).collect();
    let expected = [
        "emojito-cards.ndjson.gz",
        "emojito-decks.ndjson.gz",
        "emojito-printings.csv.gz",
        "ttcg-cards.ndjson.gz",
        "ttcg-decks.ndjson.gz",
        "ttcg-printings.csv.gz",
    ];
    assert_eq!(names, expected);
    for game in ["ttcg", "emojito"] {
        let path = format!("/v1/bulk-files/{game}-cards.ndjson.gz");
        let lines = lines(&app, &path).await;
        let known = listing(&app, game).await;
        assert_eq!(lines.len(), known.len());
        for line in &lines {
            assert_eq!(line, &known[line["id"].as_str().unwrap()]);
        }
        let place = |line: &Value| (line["set"].to_string(), line["number"].to_string());
        assert!(lines.iter().map(place).is_sorted(), "sorted by set and number");
    }
    let veil = |line: &&Value| line["set"] == "veil";
    let all = lines(&app, CARDS).await;
    let hidden: Vec<&Value> =
        all.iter().filter(veil).filter(|line| line["hidden"] == true).collect();
    assert_eq!(hidden.len() + 1, all.iter().filter(veil).count(), "one is unlocked");
    for line in hidden {
        let keys: BTreeSet<&str> = line.as_object().unwrap().keys().map(String::as_str).collect();
        let place = ["game", "hidden", "id", "image_uris", "number", "printings", "set", "unlock"];
        assert_eq!(keys, place.into());
        assert_eq!((&line["unlock"], &line["printings"]), (&json!({ "threshold": 5 }), &json!([])));
    }
    // Accounts that see more cards get the same file.
    let admin = app.admin().await;
    for viewer in [&ada, &admin] {
        let seen = app.get(CARDS).by(viewer).answer().await;
        assert_eq!(seen.bytes, download(&app, CARDS).await);
    }
}

#[tokio::test]
async fn the_list_describes_the_files_correctly() {
    let app = TestApp::start_seeded(&["ttcg", "uno-emoji", "magic"]).await;
    app.build_bulk_files().await;
    let newest = app.get("/v1/changes").answer().await.expect(200)["newest"].clone();
    for file in files(&app).await {
        let path = file["download_uri"].as_str().unwrap();
        let answer = app.get(path).header("accept-encoding", "gzip, br").answer().await;
        assert_eq!(answer.status, 200);
        let text = unpack(&answer.bytes);
        let digest = Sha256::digest(&answer.bytes);
        assert_eq!(file["size"], answer.bytes.len(), "{file}");
        assert_eq!(file["uncompressed_size"], text.len(), "{file}");
        assert_eq!(file["sha256"], hex(&digest), "{file}");
        let heading = usize::from(file["type"] == "printings");
        let rows = if heading == 1 { records(&text).len() } else { text.lines().count() };
        assert_eq!(file["rows"], rows - heading, "{file}");
        assert_eq!(file["change_seq"], newest, "{file}");
        assert_eq!(answer.header("content-type"), "application/gzip");
        assert_eq!(
            answer.header("content-encoding"),
            "",
            "gzip is the format of the file, not a content encoding"
        );
        assert_eq!(answer.header("content-length"), file["size"].to_string());
        assert_eq!(answer.header("etag"), format!("\"{}\"", file["sha256"].as_str().unwrap()));
        assert_eq!(answer.header("accept-ranges"), "bytes");
        assert_eq!(answer.header("cache-control"), "public, max-age=5");
        let name = file["name"].as_str().unwrap();
        let disposition = format!("attachment; filename=\"{name}\"");
        assert_eq!(answer.header("content-disposition"), disposition);
        let base64 = base64::engine::general_purpose::STANDARD.encode(digest);
        assert_eq!(answer.header("repr-digest"), format!("sha-256=:{base64}:"));
        let updated = chrono::DateTime::parse_from_rfc3339(file["updated_at"].as_str().unwrap());
        let modified = updated.unwrap().format("%a, %d %b %Y %H:%M:%S GMT").to_string();
        assert_eq!(answer.header("last-modified"), modified);

        let head = app.request(Method::HEAD, path).answer().await;
        assert_eq!((head.status, head.bytes.len()), (200, 0));
        for header in ["content-length", "etag", "accept-ranges", "repr-digest", "content-type"] {
            assert_eq!(head.header(header), answer.header(header), "{header} of HEAD");
        }
        let known = app.get(path).header("if-none-match", answer.header("etag")).answer().await;
        assert_eq!((known.status, known.bytes.len()), (304, 0));
        assert_eq!(known.header("etag"), answer.header("etag"));
        app.get(path).header("if-match", answer.header("etag")).answer().await.expect_bytes(200);
        let another = app.get(path).header("if-match", "\"0\"").answer().await;
        another.problem(412, "precondition_failed");
    }
    for nothing in [
        "%00",
        "ttcg%00-cards.ndjson.gz",
        "ttcg-cards.ndjson",
        "..%2Fx",
        "%C3%A9",
        "TTCG-cards.ndjson.gz",
    ] {
        app.get(&format!("/v1/bulk-files/{nothing}")).answer().await.problem(404, "not_found");
    }
    // A game without cards has its files, too.
    assert_eq!(lines(&app, "/v1/bulk-files/magic-cards.ndjson.gz").await, Vec::<Value>::new());
    let list = app.get("/v1/bulk-files").answer().await;
    let again =
        app.get("/v1/bulk-files").header("if-none-match", list.header("etag")).answer().await;
    assert_eq!(again.status, 304);
    // Scripts of other origins may read the file, also in ranges.
    let foreign = app.get(CARDS).header("origin", "https://mirror.example").answer().await;
    assert_eq!(foreign.header("access-control-allow-origin"), "*");
    assert!(foreign.header("access-control-expose-headers").contains("Content-Range"));
}

trait ExpectBytes {
    fn expect_bytes(self, status: u16) -> Vec<u8>;
}

impl ExpectBytes for Answer {
    #[track_caller]
    fn expect_bytes(self, status: u16) -> Vec<u8> {
        assert_eq!(self.status, status, "{}", self.text());
        self.bytes
    }
}

/// Parses CSV strictly as RFC 4180 defines it.
fn records(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut rest = text.chars().peekable();
    while rest.peek().is_some() {
        if rest.next_if_eq(&'"').is_some() {
            loop {
                match rest.next().expect("a quoted field ends") {
                    '"' if rest.next_if_eq(&'"').is_some() => field.push('"'),
                    '"' => break,
                    other => field.push(other),
                }
            }
        } else {
            while let Some(letter) = rest.next_if(|letter| ![',', '\r', '\n', '"'].contains(letter))
            {
                field.push(letter);
            }
        }
        record.push(std::mem::take(&mut field));
        match (rest.next(), rest.peek()) {
            (Some(','), Some('\r')) => {
                record.push(String::new());
                assert_eq!((rest.next(), rest.next()), (Some('\r'), Some('\n')));
                records.push(std::mem::take(&mut record));
            }
            (Some(','), Some(_)) => {}
            (Some('\r'), Some('\n')) => {
                rest.next();
                records.push(std::mem::take(&mut record));
            }
            strange => panic!("{strange:?} after a field in {record:?}"),
        }
    }
    records
}

/// A value as the CSV file writes it.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join("|"),
        other => other.to_string(),
    }
}

#[tokio::test]
async fn the_table_has_every_printing_with_all_values() {
    let app = TestApp::start().await;
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "hearth", |set| {
        set["cards"][0]["lore"] = json!("=HYPERLINK(\"x\"), said \"nobody\"");
    });
    app.import(&source).await.unwrap();
    app.build_bulk_files().await;
    let manifest = app.get("/v1/games/ttcg").answer().await.expect(200);
    let kinds = manifest["kinds"].as_array().unwrap();
    let codes: BTreeSet<String> = kinds
        .iter()
        .flat_map(|kind| kind["attributes"].as_object().unwrap().keys().cloned())
        .collect();
    assert!(codes.len() > 4, "{codes:?}");

    let table = records(&unpack(&download(&app, PRINTINGS).await));
    let (heading, rows) = table.split_first().unwrap();
    let columns: BTreeSet<&str> = heading.iter().map(String::as_str).collect();
    assert_eq!(columns.len(), heading.len(), "no column appears twice");
    for code in &codes {
        assert!(columns.contains(format!("attributes.{code}").as_str()), "{code}");
    }
    let mut expected = BTreeMap::new();
    let mut differing = 0;
    for line in lines(&app, CARDS).await {
        for printing in line["printings"].as_array().unwrap() {
            let mut row = BTreeMap::new();
            for (column, value) in [
                ("id", &printing["id"]),
                ("card", &line["id"]),
                ("rarity", &printing["rarity"]),
                ("tier", &printing["tier"]),
                ("lore", &line["lore"]),
            ] {
                row.insert(column.to_owned(), plain(value));
            }
            for column in ["game", "set", "number", "name", "kind"] {
                row.insert(column.to_owned(), plain(&line[column]));
            }
            let texts = line["effects"].as_array().unwrap().iter().map(|one| plain(&one["text"]));
            row.insert("effects".to_owned(), texts.collect::<Vec<_>>().join("\n"));
            for code in &codes {
                let own = &printing["attributes"][code];
                let value = if own.is_null() { &line["attributes"][code] } else { own };
                differing += usize::from(!own.is_null() && own != &line["attributes"][code]);
                row.insert(format!("attributes.{code}"), plain(value));
            }
            expected.insert(plain(&printing["id"]), row);
        }
    }
    assert!(differing > 0, "some printings differ from their cards");
    assert_eq!(rows.len(), expected.len());
    for row in rows {
        let row: BTreeMap<String, String> =
            heading.iter().cloned().zip(row.iter().cloned()).collect();
        assert_eq!(row, expected[&row["id"]]);
    }
}

/// Publishes a file of cards with several chunks. The file is large because ids hardly compress.
async fn large(app: &TestApp) -> Vec<u8> {
    app.import_set("big", 1500, false).await;
    app.build_bulk_files().await;
    let bytes = download(app, CARDS).await;
    assert!(bytes.len() > 2 * 65_536, "{}", bytes.len());
    bytes
}

#[tokio::test]
async fn ranges_return_the_requested_bytes() {
    let app = TestApp::start().await;
    let whole = large(&app).await;
    let size = whole.len();
    let tag = app.request(Method::HEAD, CARDS).answer().await.header("etag");
    let ask = async |range: &str| app.get(CARDS).header("range", range).answer().await;
    let edges = [0, 1, 65_535, 65_536, 65_537, 131_071, 131_072, size - 2, size - 1];
    for (at, first) in edges.iter().enumerate() {
        for last in &edges[at..] {
            let answer = ask(&format!("bytes={first}-{last}")).await;
            let name = format!("{first} to {last}");
            assert_eq!(answer.status, 206, "{name}");
            assert_eq!(answer.header("content-range"), format!("bytes {first}-{last}/{size}"));
            assert_eq!(answer.header("content-length"), (last - first + 1).to_string());
            assert_eq!(
                (answer.header("etag"), answer.header("content-encoding")),
                (tag.clone(), String::new())
            );
            assert!(answer.bytes == whole[*first..=*last], "{name}");
        }
        assert!(
            ask(&format!("bytes={first}-")).await.expect_bytes(206) == whole[*first..],
            "{first}-"
        );
        let suffix = ask(&format!("bytes=-{}", first + 1)).await;
        assert!(suffix.expect_bytes(206) == whole[size - first - 1..], "-{first}");
    }
    let beyond = ask(&format!("bytes={}-{}", size - 1, size + 100)).await;
    assert_eq!(beyond.header("content-range"), format!("bytes {}-{}/{size}", size - 1, size - 1));
    for nothing in
        [format!("bytes={size}-"), format!("bytes={size}-{}", size + 5), "bytes=-0".to_owned()]
    {
        let answer = ask(&nothing).await;
        assert_eq!(answer.header("content-range"), format!("bytes */{size}"), "{nothing}");
        answer.problem(416, "range_not_satisfiable");
    }
    for all in ["bytes=0-1,5-6", "bytes=5-2", "cards=0-1", "bytes=x", "", "bytes=-"] {
        assert!(ask(all).await.expect_bytes(200) == whole, "{all}");
    }
    let known = app.get(CARDS).header("range", "bytes=0-1").header("if-none-match", &tag);
    assert_eq!(known.answer().await.status, 304, "conditions come before ranges");
    let head = app.request(Method::HEAD, CARDS).header("range", "bytes=0-1").answer().await;
    assert_eq!((head.status, head.header("content-length")), (200, size.to_string()));
}

/// Changes the text of the first card of a set.
fn reword(source: &mut GameSource, set: &str, text: &str) {
    edit_set(source, set, |set| set["cards"][0]["lore"] = json!(text));
}

#[tokio::test]
async fn an_interrupted_download_resumes_or_starts_again() {
    let app = TestApp::start().await;
    let mut source = seed_data("ttcg");
    app.import(&source).await.unwrap();
    app.build_bulk_files().await;
    let old = app.get(CARDS).answer().await;
    let half = old.bytes.len() / 2;
    let rest = || {
        let range = format!("bytes={half}-");
        app.get(CARDS).header("range", range).header("if-range", old.header("etag"))
    };
    let resumed = rest().answer().await;
    assert_eq!(resumed.status, 206);
    assert_eq!([&old.bytes[..half], &resumed.bytes].concat(), old.bytes);

    reword(&mut source, "hearth", "Meanwhile.");
    app.import(&source).await.unwrap();
    app.build_bulk_files().await;
    let restarted = rest().answer().await;
    assert_eq!(restarted.status, 200);
    assert_ne!(restarted.header("etag"), old.header("etag"));
    assert_eq!(
        hex(&Sha256::digest(&restarted.bytes)),
        entry(&app).await["sha256"].as_str().unwrap()
    );
    // A date in `If-Range` does not identify a version, so the whole file is sent.
    let dated = app
        .get(CARDS)
        .header("range", "bytes=0-1")
        .header("if-range", restarted.header("last-modified"));
    assert_eq!(dated.answer().await.status, 200);
}

/// Stores a file of 16 MiB, more than socket buffers can hold. Every chunk has different bytes, and `letter` distinguishes the versions.
async fn publish_huge(app: &TestApp, letter: char) {
    app.sql(&format!(
        "BEGIN; UPDATE bulk_files SET replaced_at = '{now}' WHERE name = 'ttcg-cards.ndjson.gz' AND replaced_at IS NULL; \
         INSERT INTO bulk_files SELECT gen_random_uuid(), 'ttcg-cards.ndjson.gz', 'ttcg', 'cards', 1, 0, 256 * 65536, 0, \
             sha256('{letter}'), 0, '{now}', NULL, '{now}', 0; \
         INSERT INTO bulk_chunks SELECT f.id, n, convert_to(repeat('{letter}' || to_char(n, 'FM000000') || '.', 8192), 'UTF8') \
             FROM bulk_files f, generate_series(0, 255) n WHERE f.replaced_at IS NULL AND f.name = 'ttcg-cards.ndjson.gz'; COMMIT;",
        now = app.clock().now().to_rfc3339(),
    ))
    .await;
}

fn huge(letter: char) -> Vec<u8> {
    (0..256).flat_map(|n| format!("{letter}{n:06}.").repeat(8192).into_bytes()).collect()
}

/// Reads the rest of a download; returns an error if the download breaks off.
async fn rest_of(response: reqwest::Response) -> Result<Vec<u8>, reqwest::Error> {
    let mut bytes = Vec::new();
    let mut stream = response.bytes_stream();
    while let Some(chunk) = stream.next().await {
        bytes.extend_from_slice(&chunk?);
    }
    Ok(bytes)
}

/// Repeats a request to an instance with a short time limit until it answers in time, because a busy machine may be too slow at times.
async fn in_time(hasty: &TestApp, path: &str) -> reqwest::Response {
    for _ in 0..100 {
        let response = hasty.get(path).send().await.unwrap();
        if response.status() != 503 {
            return response;
        }
    }
    panic!("{path} is never answered in time");
}

#[tokio::test]
async fn a_slow_download_reads_one_version_and_holds_no_connection() {
    let limit = Duration::from_millis(500);
    let app = TestApp::start_seeded(&["ttcg"]).await;
    publish_huge(&app, 'a').await;
    let hasty = app.second_instance_with(|settings| settings.request_timeout = limit);
    // As many downloads as one network may have at once; the pool of the worker has only four connections.
    let mut slow = Vec::new();
    for _ in 0..20 {
        let response = in_time(&hasty, CARDS).await;
        assert_eq!(response.status(), 200);
        slow.push(response);
    }
    let one_more = in_time(&hasty, CARDS).await;
    assert_eq!(one_more.status(), 429);
    assert!(one_more.headers().contains_key("retry-after"));
    assert!(one_more.text().await.unwrap().contains("too_many_streams"));
    let reading = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
                   AND state LIKE 'idle in transaction%' AND query LIKE '%bulk_chunks%'";
    assert_eq!(app.db().value(reading).await, "0");

    publish_huge(&app, 'b').await;
    // Wait until the time limit for requests has passed for all downloads.
    let began = Instant::now();
    while began.elapsed() < 2 * limit {
        assert_eq!(in_time(&hasty, "/v1/games").await.status(), 200);
    }
    let complete = rest_of(slow.pop().unwrap()).await.unwrap();
    assert!(complete == huge('a'), "a download continues with the version that it began with");
    // Another download may start now, but the service may notice the end of the first one later than the client does.
    let mut tries = 0;
    let again = loop {
        let response = in_time(&hasty, CARDS).await;
        if response.status() == 200 {
            break response;
        }
        tries += 1;
        assert!(tries < 1000, "no download can start: {}", response.status());
    };
    assert!(rest_of(again).await.unwrap() == huge('b'), "a new download gets the current version");

    // An hour later the old version is deleted: an open download of it breaks off, and does not end as if it were complete.
    app.clock().advance(chrono::Duration::minutes(61));
    app.build_bulk_files().await;
    let versions =
        "SELECT count(DISTINCT file_id) FROM bulk_chunks WHERE data > 'a' AND data < 'b'";
    assert_eq!(app.db().value(versions).await, "0");
    assert!(rest_of(slow.pop().unwrap()).await.is_err());
}

#[tokio::test]
async fn files_change_only_when_public_data_changes() {
    let app = TestApp::start().await;
    let mut source = seed_data("ttcg");
    app.import(&source).await.unwrap();
    app.build_bulk_files().await;
    let first = app.get("/v1/bulk-files").answer().await;
    let built = "SELECT string_agg(built_at::text, ' ' ORDER BY name) FROM bulk_files WHERE replaced_at IS NULL";
    let first_built = app.db().value(built).await;
    app.clock().advance(chrono::Duration::hours(2));

    // Changes of hidden cards are not public: the bytes, times and sequence numbers of the files stay the same.
    app.build_bulk_files().await;
    edit_set(&mut source, "veil", |set| {
        set["cards"][0]["lore"] = json!("Secret.");
        set["cards"][1]["name"] = json!("An Entirely Different Name");
    });
    app.import(&source).await.unwrap();
    app.cast_votes("k.set_code = 'veil'", 2).await;
    app.build_bulk_files().await;
    let second = app.get("/v1/bulk-files").answer().await;
    assert_eq!((second.text(), second.header("etag")), (first.text(), first.header("etag")));
    assert_eq!(app.db().value(built).await, first_built, "nothing was built");

    // An event that changes nothing in the files: the version stays the same, and the sequence number increases.
    let before = entry(&app).await;
    let note = "INSERT INTO events (id, kind, payload, created_at) VALUES (gen_random_uuid(), 'game.changed', '{\"game\":\"GAME\"}', '2026-11-21')";
    app.sql(&note.replace("GAME", "ttcg")).await;
    app.build_bulk_files().await;
    let same = entry(&app).await;
    for unchanged in ["sha256", "updated_at", "size"] {
        assert_eq!(same[unchanged], before[unchanged]);
    }
    assert_eq!(same["change_seq"], before["change_seq"].as_i64().unwrap() + 1);
    let last_built = app.db().value(built).await;
    assert_ne!(last_built, first_built, "the file was built and compared");
    // An event of another game only increases the sequence number, so that it never becomes older than the feed.
    app.sql(&note.replace("GAME", "emojito")).await;
    app.build_bulk_files().await;
    assert_eq!(entry(&app).await["change_seq"], same["change_seq"].as_i64().unwrap() + 1);
    assert_eq!(app.db().value(built).await, last_built, "nothing was built");

    reword(&mut source, "hearth", "For everybody.");
    app.import(&source).await.unwrap();
    app.build_bulk_files().await;
    let changed = entry(&app).await;
    assert_ne!(changed["sha256"], same["sha256"]);
    assert_ne!(changed["updated_at"], same["updated_at"]);
    assert!(unpack(&download(&app, CARDS).await).contains("For everybody."));

    let unlocked = "SELECT count(*) FROM unlocks WHERE unlocked_at IS NOT NULL";
    edit_set(&mut source, "veil", |set| set["unlock_threshold"] = json!(2));
    app.import(&source).await.unwrap();
    assert_ne!(app.db().value(unlocked).await, "0");
    app.build_bulk_files().await;
    assert!(unpack(&download(&app, CARDS).await).contains("An Entirely Different Name"));
    assert!(unpack(&download(&app, PRINTINGS).await).contains("An Entirely Different Name"));
}

#[tokio::test]
async fn the_same_cards_give_the_same_bytes() {
    let app = TestApp::start_seeded(&["ttcg", "emojo-dojo"]).await;
    app.build_bulk_files().await;
    let before = (files(&app).await, download(&app, CARDS).await, download(&app, PRINTINGS).await);
    // The next build starts without any stored file.
    app.sql("DELETE FROM bulk_files").await;
    app.get(CARDS).answer().await.problem(404, "not_found");
    app.build_bulk_files().await;
    assert_eq!(
        (download(&app, CARDS).await, download(&app, PRINTINGS).await),
        (before.1, before.2)
    );
    let hashes =
        |files: &[Value]| files.iter().map(|file| file["sha256"].clone()).collect::<Vec<_>>();
    assert_eq!(hashes(&files(&app).await), hashes(&before.0));
}

/// During an upgrade, instances of two releases use one database.
#[tokio::test]
async fn files_of_a_newer_release_are_not_listed() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    app.build_bulk_files().await;
    let before = files(&app).await;
    app.sql(
        "ALTER TABLE bulk_files DROP CONSTRAINT bulk_files_kind_check; \
         CREATE TEMP TABLE newer AS SELECT * FROM bulk_files WHERE name = 'ttcg-cards.ndjson.gz'; \
         ALTER TABLE newer DROP COLUMN is_current; \
         UPDATE newer SET id = gen_random_uuid(), kind = 'sketches', name = 'ttcg-sketches.ndjson.gz'; \
         DO $$ DECLARE columns text; BEGIN \
             SELECT string_agg(attname, ', ') INTO columns FROM pg_attribute WHERE attrelid = 'newer'::regclass AND attnum > 0 AND NOT attisdropped; \
             EXECUTE format('INSERT INTO bulk_files (%1$s) SELECT %1$s FROM newer', columns); END $$",
    )
    .await;
    assert_eq!(files(&app).await, before);
    app.get("/v1/bulk-files/ttcg-sketches.ndjson.gz").answer().await.problem(404, "not_found");
}

#[tokio::test]
async fn one_instance_builds_at_a_time() {
    let app = TestApp::start().await;
    let other = app.second_instance();
    let mut source = seed_data("ttcg");
    for round in 0..5 {
        reword(&mut source, "hearth", &format!("Round {round}."));
        app.import(&source).await.unwrap();
        tokio::join!(
            app.build_bulk_files(),
            other.build_bulk_files(),
            app.build_bulk_files(),
            other.build_bulk_files()
        );
        // A call that finds another build running does nothing, so that build may have missed the import.
        app.build_bulk_files().await;
        let versions = "SELECT count(*) FROM bulk_files WHERE name = 'ttcg-cards.ndjson.gz'";
        assert_eq!(app.db().value(versions).await, (round + 1).to_string());
        assert!(unpack(&download(&app, CARDS).await).contains(&format!("Round {round}.")));
    }
    let orphans =
        "SELECT count(*) FROM bulk_chunks WHERE file_id NOT IN (SELECT id FROM bulk_files)";
    assert_eq!(app.db().value(orphans).await, "0");
}

/// Applies the events after `seq` to a copy of the cards, as docs/API.md describes it for mirrors. `fetched` contains the cards as the API
/// returns them now.
async fn follow(
    app: &TestApp,
    copy: &mut BTreeMap<String, Value>,
    mut seq: i64,
    fetched: &BTreeMap<String, Value>,
) {
    loop {
        let path = format!("/v1/changes?game=ttcg&limit=200&after={seq}");
        let page = app.get(&path).answer().await.expect(200);
        let mut named = BTreeSet::new();
        for change in page["data"].as_array().unwrap() {
            named.extend(change["card"].as_str().map(str::to_owned));
            if change["kind"] == "set.changed" {
                let of_set = |line: &&Value| line["set"] == change["set"];
                named.extend(copy.values().filter(of_set).map(|line| plain(&line["id"])));
            }
        }
        for card in named {
            copy.insert(card.clone(), fetched[&card].clone());
        }
        seq = page["next_after"].as_i64().unwrap();
        if seq == page["newest"].as_i64().unwrap() {
            return;
        }
    }
}

/// Files are built while another instance writes, each with the sequence number in its list entry. From every file, a mirror reaches
/// exactly the final state.
#[tokio::test]
async fn mirrors_that_continue_from_a_file_stay_exact() {
    let app = TestApp::start().await;
    let other = app.second_instance();
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "veil", |set| set["unlock_threshold"] = json!(20));
    app.import(&source).await.unwrap();
    let written = AtomicBool::new(false);
    let writing = async {
        for round in 0..10 {
            edit_set(&mut source, "hearth", |set| {
                for card in set["cards"].as_array_mut().unwrap().iter_mut().skip(round).step_by(5) {
                    card["lore"] = json!(format!("Written in round {round}."));
                }
            });
            edit_set(&mut source, "veil", |set| {
                set["unlock_threshold"] = json!(19 - round);
                set["cards"][round]["lore"] = json!("Told when it is unlocked.");
            });
            let next = format!("k.set_code = 'veil' AND k.number = '{:03}'", round + 1);
            app.cast_votes(&next, 19 - round).await;
            app.import(&source).await.unwrap();
        }
        written.store(true, Ordering::Relaxed);
    };
    let building = async {
        let mut built: Vec<(Value, i64, Vec<Value>)> = Vec::new();
        while !written.load(Ordering::Relaxed) {
            other.build_bulk_files().await;
            let file = entry(&other).await;
            if built.last().is_none_or(|(last, ..)| *last != file["sha256"]) {
                let seq = file["change_seq"].as_i64().unwrap();
                built.push((file["sha256"].clone(), seq, lines(&other, CARDS).await));
            }
        }
        built
    };
    let ((), built) = tokio::join!(writing, building);
    assert!(built.len() > 2, "files were built during the writes");
    let truth = listing(&app, "ttcg").await;
    let open = |line: &&Value| line["set"] == "veil" && line["hidden"] == false;
    assert!(truth.values().filter(open).count() > 3, "cards were unlocked");
    for (_, seq, lines) in built {
        let by_id = |line: Value| (plain(&line["id"]), line);
        let mut copy: BTreeMap<String, Value> = lines.into_iter().map(by_id).collect();
        follow(&app, &mut copy, seq, &truth).await;
        assert_eq!(copy, truth, "from {seq} on");
    }
}

/// Every insert of a chunk waits until the test releases the lock.
const HOLD_UP: &str = "CREATE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         WHILE NOT pg_try_advisory_xact_lock(42) LOOP PERFORM pg_sleep(0.01); END LOOP; RETURN NEW; END $$; \
     CREATE TRIGGER hold_up BEFORE INSERT ON bulk_chunks FOR EACH ROW EXECUTE FUNCTION hold_up()";

/// Waits until a build waits for the lock.
async fn wait_until_held_up(app: &TestApp) {
    let held_up = "SELECT count(*) FROM pg_stat_activity \
                   WHERE datname = current_database() AND query LIKE 'INSERT INTO \"bulk_chunks%' AND state = 'active'";
    while app.db().value(held_up).await == "0" {
        tokio::task::yield_now().await;
    }
}

/// A build is blocked in the middle while a change is committed and gets its sequence number: the file does not contain the change, and the
/// sequence number of the file is lower, so that a mirror receives the change from the feed.
#[tokio::test]
async fn a_change_during_a_build_has_a_higher_number_than_the_file() {
    let app = TestApp::start().await;
    let mut source = seed_data("ttcg");
    app.import(&source).await.unwrap();
    app.sql(HOLD_UP).await;
    let builder = app.second_instance();
    let (client, connection) =
        tokio_postgres::connect(&app.db().url(), tokio_postgres::NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    client.batch_execute("SELECT pg_advisory_lock(42)").await.unwrap();
    let changing = async {
        wait_until_held_up(&app).await;
        reword(&mut source, "hearth", "Said in the middle.");
        app.import(&source).await.unwrap();
        let newest = app.get("/v1/changes").answer().await.expect(200)["newest"].as_i64().unwrap();
        client.batch_execute("SELECT pg_advisory_unlock(42)").await.unwrap();
        newest
    };
    let ((), newest) = tokio::join!(builder.build_bulk_files(), changing);
    drop(client);
    let _ = connection.await;
    let is_published =
        async || unpack(&download(&app, CARDS).await).contains("Said in the middle.");
    assert!(!is_published().await, "the file contains the state before the change");
    assert_eq!(entry(&app).await["change_seq"], newest - 1);
    app.build_bulk_files().await;
    assert!(is_published().await);
    assert_eq!(entry(&app).await["change_seq"], newest);
}

/// One row: how long the transaction of its build may be idle.
struct IdleTime {
    is_read: bool,
}

impl RowSource for IdleTime {
    type Row = String;
    const KINDS: &'static [BulkKind] = &[BulkKind::Decks];
    const EVENTS: &'static str = CardRows::EVENTS;
    const CHANGE_DAILY: bool = false;
    const LOCK: i64 = 1;

    fn of_game(_: &str) -> Self {
        Self { is_read: false }
    }

    async fn next(&mut self, conn: &mut Connection) -> StoreResult<Vec<String>> {
        use diesel_async::RunQueryDsl as _;

        if self.is_read {
            return Ok(Vec::new());
        }
        self.is_read = true;
        let setting = "current_setting('idle_in_transaction_session_timeout')";
        let setting = diesel::dsl::sql::<Text>(setting);
        Ok(vec![diesel::select(setting).get_result(conn).await?])
    }
}

struct PlainText;

impl Page<String> for PlainText {
    fn heading(&self, _: &mut Vec<u8>) {}

    fn write(&self, row: &String, out: &mut Vec<u8>) -> serde_json::Result<i64> {
        out.extend(row.bytes());
        Ok(1)
    }
}

fn plain_text(_: &Game) -> Pages<String> {
    vec![(BulkKind::Decks, Box::new(PlainText))]
}

/// On a busy machine, the threads that compress rows get so little time that the usual five seconds are not enough.
#[tokio::test]
async fn the_transaction_of_a_build_may_be_idle_for_a_minute() {
    let app = TestApp::start_seeded(&["emojito"]).await;
    let (games, at_once) = (GameCache::default(), chrono::Duration::zero());
    let (store, clock, failed) = (app.store(), app.clock(), &mut FailedBuilds::default());
    let layout = Layout { version: 1, pages: plain_text };
    bulk_files::refresh::<IdleTime>(store, &games, layout, clock, at_once, failed).await.unwrap();
    let file = download(&app, "/v1/bulk-files/emojito-decks.ndjson.gz").await;
    assert_eq!(unpack(&file), "1min");
}

#[tokio::test]
async fn a_build_that_failed_is_tried_again_after_a_pause() {
    let app = TestApp::start_seeded(&["emojito"]).await;
    let (games, mut failed) = (GameCache::default(), FailedBuilds::default());
    let mut build = async || {
        let (store, clock, at_once) = (app.store(), app.clock(), chrono::Duration::zero());
        bulk_files::refresh::<CardRows>(store, &games, LAYOUT, clock, at_once, &mut failed).await
    };
    app.sql("ALTER TABLE bulk_chunks ADD CONSTRAINT refused CHECK (false) NOT VALID").await;
    build().await.unwrap_err();
    build().await.expect("it is not tried again at once");
    app.sql("ALTER TABLE bulk_chunks DROP CONSTRAINT refused").await;
    app.clock().advance(chrono::Duration::seconds(30));
    build().await.unwrap();
    assert_eq!(files(&app).await.len(), BulkKind::ALL.len() - 1, "all files but that of decks");
}

/// As by an instance of an older release, which knows of no news, while a new release builds files of a new layout.
#[tokio::test]
async fn a_build_whose_files_another_instance_changes_is_tried_again_after_a_pause() {
    let app = TestApp::start_seeded(&["emojito"]).await;
    let (games, mut failed) = (GameCache::default(), FailedBuilds::default());
    let mut build = async |version: i32| {
        let (store, clock, at_once) = (app.store(), app.clock(), chrono::Duration::zero());
        let layout = Layout { version, ..LAYOUT };
        bulk_files::refresh::<CardRows>(store, &games, layout, clock, at_once, &mut failed).await
    };
    build(LAYOUT.version).await.unwrap();
    app.sql(HOLD_UP).await;
    let holder = app.db().session().await;
    holder.batch_execute("SELECT pg_advisory_lock(42)").await.unwrap();
    let catching_up = async {
        wait_until_held_up(&app).await;
        app.sql("UPDATE bulk_files SET change_seq = change_seq").await;
        holder.batch_execute("SELECT pg_advisory_unlock(42)").await.unwrap();
    };
    let (lost, ()) = tokio::join!(build(LAYOUT.version + 1), catching_up);
    assert!(matches!(lost, Err(StoreError::Contended(_))), "{lost:?}");
    let layouts = "SELECT string_agg(DISTINCT layout::text, ',') FROM bulk_files WHERE is_current";
    build(LAYOUT.version + 1).await.expect("it is not tried again at once");
    assert_eq!(app.db().value(layouts).await, LAYOUT.version.to_string());
    app.clock().advance(chrono::Duration::seconds(30));
    build(LAYOUT.version + 1).await.unwrap();
    assert_eq!(app.db().value(layouts).await, (LAYOUT.version + 1).to_string());
}
