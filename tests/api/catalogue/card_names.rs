//! Names, lookups and deck reports from memory: the same answers as from the database, for every account.

use serde_json::{Value, json};

use crate::support::{
    Answer, Player, RequestExt as _, TestApp, edit_set, in_memory, seed_data, set_file,
};

const GAMES: [&str; 5] = ["ttcg", "emoji-tcg", "uno-emoji", "emojo-dojo", "emojito"];

/// Two instances on one database: the first has all cards in memory once it has caught up, the second caches nothing.
async fn two_instances() -> (TestApp, TestApp) {
    let app = TestApp::start_with(in_memory).await;
    let plain = app.second_instance();
    (app, plain)
}

/// Imports names that are hard to distinguish, a name that two games have, and hidden cards.
async fn import_odd_names(app: &TestApp) {
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "hearth", |set| {
        let names =
            ["Crème Brûlée", "Creme Brulee", "Émile’s Über-Owl", "100% Owl_Proof", "Wild", "🔥"];
        for (at, name) in names.into_iter().enumerate() {
            set["cards"][at]["name"] = name.into();
        }
    });
    app.import(&source).await.unwrap();
    for game in &GAMES[1..] {
        app.seed(&[game]).await;
    }
}

/// The parts of an answer that must be the same from memory and from the database.
fn comparable(answer: &Answer) -> (u16, Vec<String>, Value) {
    let names = ["etag", "cache-control", "content-type", "last-modified", "vary"];
    let headers = names.iter().map(|name| answer.header(name)).collect();
    // Problems contain the id of the request.
    let mut body = serde_json::from_slice(&answer.bytes).unwrap_or(Value::Null);
    if let Some(body) = body.as_object_mut() {
        for own in ["request_id", "instance"] {
            body.remove(own);
        }
    }
    (answer.status, headers, body)
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

async fn get(app: &TestApp, by: Option<&Player>, path: &str) -> Answer {
    let request = app.get(path);
    let request = if let Some(player) = by { request.by(player) } else { request };
    request.answer().await
}

async fn post(app: &TestApp, by: Option<&Player>, path: &str, body: &Value) -> Answer {
    let request = app.post(path).json(body);
    let request = if let Some(player) = by { request.by(player) } else { request };
    request.answer().await
}

/// Every fifth name of these sets, hidden cards included, with wrong spellings of it.
fn spellings() -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for (game, set) in [("ttcg", "hearth"), ("ttcg", "veil"), ("uno-emoji", "box")] {
        let source = seed_data(game);
        let cards = set_file(&source, set)["cards"].as_array().unwrap().clone();
        for card in cards.iter().step_by(5) {
            let name = card["name"].as_str().unwrap();
            let letters: Vec<char> = name.chars().collect();
            let without = |at: usize| -> String {
                letters
                    .iter()
                    .enumerate()
                    .filter(|(place, _)| *place != at)
                    .map(|(_, c)| c)
                    .collect()
            };
            let first = name.split(' ').next().unwrap();
            all.extend([
                name.to_owned(),
                name.to_uppercase(),
                without(letters.len() / 2),
                without(1),
                first.to_owned(),
                letters.iter().take(3).collect(),
                letters.iter().skip(2).take(5).collect(),
            ]);
        }
    }
    let odd = [
        "crème brûlée",
        "CREME brulee",
        "crême brulee",
        "emiles uber",
        "owl",
        "100% ow",
        "wild",
        "🔥",
        "lan",
        "lantern",
        "red",
        "e",
        "s",
        "th",
        "the",
        "of the",
        "xylophone",
        "%",
        "_",
        "drow lant",
        "drownd lantern",
    ];
    all.extend(odd.map(str::to_owned));
    all
}

#[tokio::test]
async fn names_found_in_memory_match_the_database() {
    let (app, plain) = two_instances().await;
    import_odd_names(&app).await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;
    app.catch_up().await;
    let (mut found, mut ambiguous, mut missing) = (0, 0, 0);
    for (at, name) in spellings().iter().enumerate() {
        let who = [None, Some(&ada), Some(&ben)][at % 3];
        for path in [
            format!("/v1/cards/named?exact={}", encoded(name)),
            format!("/v1/cards/named?fuzzy={}", encoded(name)),
            format!("/v1/cards/named?fuzzy={}&game=ttcg&set=veil", encoded(name)),
            format!("/v1/cards/autocomplete?q={}", encoded(name)),
            format!("/v1/cards/autocomplete?q={}&game=ttcg&limit=3", encoded(name)),
        ] {
            let (here, there) = (get(&app, who, &path).await, get(&plain, who, &path).await);
            let who = who.map(|player| &player.name);
            assert_eq!(comparable(&here), comparable(&there), "{path} ({name:?}), {who:?}");
            match (here.status, here.text().contains("ambiguous_name")) {
                (404, true) => ambiguous += 1,
                (404, false) => missing += 1,
                _ => found += 1,
            }
        }
    }
    assert!(found > 50 && ambiguous > 3 && missing > 10, "{found} {ambiguous} {missing}");
}

#[tokio::test]
async fn lookups_in_memory_match_the_database() {
    let (app, plain) = two_instances().await;
    import_odd_names(&app).await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;
    app.catch_up().await;
    let hidden = app.get("/v1/games/ttcg/sets/veil/cards/003").answer().await.expect(200);
    let other = app.get("/v1/games/ttcg/sets/hearth/cards/016").answer().await.expect(200);
    let mut identifiers = vec![
        json!({ "id": hidden["id"] }),
        json!({ "id": other["id"] }),
        json!({ "id": other["id"] }),
        json!({ "id": "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11" }),
        json!({ "game": "ttcg", "set": "veil", "number": "003" }),
        json!({ "game": "ttcg", "set": "hearth", "number": "1" }),
        json!({ "game": "ttcg", "name": "Drowned Lantern" }),
        json!({ "game": "ttcg", "set": "veil", "name": "Drowned Lantern" }),
        json!({ "game": "ttcg", "set": "veil", "name": "Kettle Imp" }),
    ];
    for name in spellings().iter().take(80) {
        identifiers.push(json!({ "game": "ttcg", "name": name }));
    }
    let body = json!({ "identifiers": identifiers });
    for who in [None, Some(&ada), Some(&ben), None] {
        let here = post(&app, who, "/v1/cards/lookup", &body).await;
        let there = post(&plain, who, "/v1/cards/lookup", &body).await;
        assert_eq!(here.text(), there.text(), "{:?}", who.map(|player| &player.name));
        assert_eq!(comparable(&here), comparable(&there));
        let found = here.expect(200);
        assert!(found["data"].as_array().unwrap().len() > 10);
        assert!(found["not_found"].as_array().unwrap().len() > 10);
    }
}

/// Decks of every game, and a deck with unknown names and names of hidden cards.
fn decks() -> Vec<Value> {
    let mut all = Vec::new();
    for game in GAMES {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("seed-data/games");
        let mut files: Vec<_> = std::fs::read_dir(folder.join(game).join("decks"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
            .collect();
        files.sort();
        for file in files {
            let list = std::fs::read_to_string(file).unwrap();
            let format = list.lines().find_map(|line| line.strip_prefix("// format: "));
            all.push(json!({ "format": format, "list": list }));
        }
    }
    let strange = "2 Kettle Imp\n1 Ketle Imp\n1 Drowned Lantern\n3 Drownd Lantern\n1 Kettle Imp (veil)\n\
        1 Wild\n1 creme brulee\n1 Crème Brûlée {rare}\n4 No Such Thing At All\n1 Kettle Imp (hearth) 016\n1 Lantern";
    all.push(json!({ "format": "ttcg/standard", "list": strange }));
    all
}

#[tokio::test]
async fn deck_reports_from_memory_match_the_database() {
    let (app, plain) = two_instances().await;
    import_odd_names(&app).await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;
    app.catch_up().await;
    for deck in decks() {
        // The second request uses cached cards, and the third one finds them by their spelling.
        for who in [None, None, None, Some(&ada), Some(&ben)] {
            let here = post(&app, who, "/v1/deck-reports", &deck).await;
            let there = post(&plain, who, "/v1/deck-reports", &deck).await;
            assert_eq!(here.text(), there.text(), "{deck}, {:?}", who.map(|player| &player.name));
            here.expect(200);
        }
    }
    let metrics = app.get("/metrics").answer().await.text();
    assert!(metrics.contains("deck_card_bytes"), "{metrics}");
    for name in ["deck_card_hits_total ", "deck_card_misses_total "] {
        // It is shown from the start, as 0.
        let counted = metrics.lines().find_map(|line| line.strip_prefix(name));
        assert!(counted.is_some_and(|count| count != "0"), "{metrics}");
    }
}

#[tokio::test]
async fn a_changed_card_changes_the_reports_on_decks() {
    let (app, _) = two_instances().await;
    app.seed(&["ttcg"]).await;
    app.catch_up().await;
    let deck = json!({ "format": "ttcg/standard", "list": "2 Kettle Imp\n2 Copper Imp" });
    let unknown = async || {
        let report = post(&app, None, "/v1/deck-reports", &deck).await.expect(200);
        let violations = report["reports"][0]["violations"].as_array().unwrap().clone();
        let unknown = violations.into_iter().filter(|one| one["code"] == "CARD_UNKNOWN");
        unknown.map(|one| one["cards"][0]["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    // The second report takes the card from memory, and the third one finds it there by its spelling.
    for report in 1..=3 {
        assert_eq!(unknown().await, ["Copper Imp"], "report {report}");
    }
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "hearth", |set| {
        let cards = set["cards"].as_array_mut().unwrap();
        let imp = cards.iter_mut().find(|card| card["name"] == "Kettle Imp").unwrap();
        imp["name"] = "Copper Imp".into();
    });
    app.import(&source).await.unwrap();
    app.catch_up().await;
    for report in 1..=3 {
        assert_eq!(unknown().await, ["Kettle Imp"], "report {report} after the rename");
    }
    let found = app.get("/v1/cards/named?exact=copper%20imp").answer().await.expect(200);
    assert_eq!(found["name"], "Copper Imp");
    app.get("/v1/cards/named?exact=kettle%20imp").answer().await.problem(404, "not_found");
}

#[tokio::test]
async fn an_unlocked_card_is_known_in_deck_reports() {
    let (app, _) = two_instances().await;
    app.seed(&["ttcg"]).await;
    let admin = app.admin().await;
    app.catch_up().await;
    let hidden = app.get("/v1/games/ttcg/sets/veil/cards/003").answer().await.expect(200);
    let deck = json!({ "format": "ttcg/standard", "list": "1 Drowned Lantern\n1 Drownd Lantern" });
    let text = async || post(&app, None, "/v1/deck-reports", &deck).await.text();
    let before = text().await;
    assert!(!before.contains(hidden["id"].as_str().unwrap()), "{before}");
    assert!(!before.contains("\"suggestions\":[\"Drowned Lantern\""), "{before}");
    let path = format!("/v1/cards/{}/unlock", hidden["id"].as_str().unwrap());
    let unlocked = app.post(&path).by(&admin).json(&json!({ "reason": "fair" })).answer().await;
    assert!(unlocked.status < 300, "{}", unlocked.text());
    app.catch_up().await;
    let after = text().await;
    assert!(after.contains(hidden["id"].as_str().unwrap()), "{after}");
    assert!(after.contains("\"suggestions\":[\"Drowned Lantern\""), "{after}");
}
