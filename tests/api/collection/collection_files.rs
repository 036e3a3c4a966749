//! Collection files with the headings and formats of programs and spreadsheets; `tests/data/collections` has one file of each.

use std::path::Path;

use serde_json::{Value, json};

use super::counts::collection;
use crate::support::{Answer, Player, RequestExt as _, TestApp};

async fn read(app: &TestApp, by: &Player, query: &str, file: Vec<u8>) -> Answer {
    let request = app.post(&format!("/v1/collection/imports{query}")).by(by);
    request.header("content-type", "text/csv").body(file).answer().await
}

fn file(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/collections");
    std::fs::read(folder.join(name)).unwrap()
}

/// The invented game `harbour`, in which a card has two rarities and `Foil` means the higher one.
async fn harbour() -> (TestApp, Player) {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/games/harbour");
    let manifest = std::fs::read_to_string(folder.join("game.toml")).unwrap();
    let game = app.put("/v1/games/harbour/manifest").by(&admin);
    game.header("content-type", "application/toml").body(manifest).answer().await.expect(201);
    let set: Value =
        serde_json::from_slice(&std::fs::read(folder.join("sets/port.json")).unwrap()).unwrap();
    app.put("/v1/games/harbour/sets/port").by(&admin).json(&set).answer().await.expect(201);
    let ada = app.player("ada").await;
    (app, ada)
}

/// Number, rarity, condition and quantity of every entry.
async fn stored_entries(app: &TestApp, by: &Player) -> Vec<[String; 4]> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let entry = |entry: &Value| {
        [&entry["card"]["number"], &entry["rarity"], &entry["condition"], &entry["quantity"]]
            .map(text)
    };
    let mut all: Vec<_> = collection(app, by, "").await.iter().map(entry).collect();
    all.sort();
    all
}

/// Imports a file that replaces the whole collection. Returns the verdicts.
async fn replace_collection(app: &TestApp, by: &Player, file: Vec<u8>) -> Value {
    let query = "?game=harbour&mode=replace&without_rarity=most_common";
    let shown = read(app, by, query, file).await.expect(200);
    let path = format!("/v1/collection/imports/{}/commit", shown["import"].as_str().unwrap());
    app.post(&path).by(by).json(&json!({})).answer().await.expect(200);
    shown
}

fn expected() -> [[String; 4]; 3] {
    [
        ["001", "plain", "near_mint", "3"],
        ["002", "gilded", "lightly_played", "1"],
        ["002", "plain", "near_mint", "2"],
    ]
    .map(|entry| entry.map(str::to_owned))
}

#[tokio::test]
async fn files_of_all_programs_give_the_same_entries() {
    let (app, ada) = harbour().await;
    for (name, program) in [
        ("deckbox.csv", json!("deckbox")),
        ("tcgplayer-seller.csv", json!("tcgplayer")),
        ("tcgplayer-app.csv", json!("tcgplayer")),
        ("dragonshield.csv", json!("dragonshield")),
        ("german.csv", Value::Null),
    ] {
        let shown = replace_collection(&app, &ada, file(name)).await;
        assert_eq!(shown["dialect"]["program"], program, "{name}");
        assert_eq!(shown["totals"]["ok"], 3, "{name}: {:#}", shown["lines"]);
        assert_eq!(stored_entries(&app, &ada).await, expected(), "{name}");
        app.sql("DELETE FROM collection_entries").await;
    }
}

#[tokio::test]
async fn the_encodings_of_spreadsheets_are_read() {
    let (app, ada) = harbour().await;
    let text = String::from_utf8(file("german.csv")).unwrap();
    let marked = format!("\u{feff}{text}");
    let little = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let big = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    let windows: Vec<u8> = text.chars().map(|character| u8::try_from(character).unwrap()).collect();
    for (file, encoding, mark) in [
        (text.clone().into_bytes(), "utf-8", false),
        (marked.clone().into_bytes(), "utf-8", true),
        (little(&marked), "utf-16le", true),
        (little(&text), "utf-16le", false),
        (big(&marked), "utf-16be", true),
        (windows, "windows-1252", false),
    ] {
        let shown = replace_collection(&app, &ada, file).await;
        assert_eq!(shown["dialect"]["encoding"], encoding);
        assert_eq!(shown["dialect"]["byte_order_mark"], mark, "{encoding}");
        assert_eq!(shown["dialect"]["columns"][0]["heading"], "Stückzahl", "{encoding}");
        assert_eq!(stored_entries(&app, &ada).await, expected(), "{encoding}");
        app.sql("DELETE FROM collection_entries").await;
    }
}

#[tokio::test]
async fn a_file_without_a_valid_encoding_is_rejected_with_its_line_and_advice() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let halves = b"Name\nOx\nCaf\xe9\nStra\xc3\x9fe\n".to_vec();
    let undefined = b"Name\nOx\nIm\x81p\n".to_vec();
    for (file, words) in [
        (
            halves,
            "the file mixes two encodings: there are letters in UTF-8, but line 3 has a byte (0xE9)",
        ),
        (b"\xff\xfe\0\0N\0\0\0".to_vec(), "the file is UTF-32"),
        (undefined, "line 3 has a byte (0x81)"),
        (b"\xff\xfeN\0a\0m".to_vec(), "the file is UTF-16, but broken"),
    ] {
        let problem = read(&app, &ada, "", file).await.problem(400, "not_utf8");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.starts_with(words) && detail.contains("\"CSV UTF-8\""), "{detail}");
    }
}

#[tokio::test]
async fn a_finish_that_is_no_rarity_of_the_game_is_reported() {
    let (app, ada) = harbour().await;
    app.seed(&["ttcg"]).await;
    let first = |shown: &Value| {
        let line = &shown["lines"][0];
        (line["verdict"].clone(), line["detail"].clone())
    };
    let shown = read(&app, &ada, "?game=harbour", b"Name,Foil\nSilk,etched\n".to_vec()).await;
    let (verdict, detail) = first(&shown.expect(200));
    assert_eq!(verdict, "ambiguous");
    let words =
        "the game does not say which rarity that finish is: name the rarity in a column Rarity";
    assert_eq!(detail, words);
    // This is also reported when lines without a rarity mean the most common rarity: a foil does not have the most common rarity.
    let query = "?game=ttcg&without_rarity=most_common";
    let shown = read(&app, &ada, query, b"Name,Foil\nKettle Imp,foil\n".to_vec()).await;
    assert_eq!(first(&shown.expect(200)).1, words);
    // A rarity takes precedence over a finish.
    let shown = read(&app, &ada, query, b"Name,Foil,Rarity\nKettle Imp,foil,UR\n".to_vec()).await;
    let shown = shown.expect(200);
    assert_eq!(first(&shown).0, "ok");
    assert_eq!(shown["lines"][0]["card"]["rarity"], "ultra_rare", "{shown:#}");
}

#[tokio::test]
async fn a_line_that_may_mean_several_printings_names_the_parameter_that_helps() {
    let (app, ada) = harbour().await;
    let shown = read(&app, &ada, "?game=harbour", b"Name\nSilk\n".to_vec()).await.expect(200);
    let detail = shown["lines"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("without_rarity=most_common"), "{detail}");
}
