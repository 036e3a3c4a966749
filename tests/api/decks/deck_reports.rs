//! Deck reports: each report lists every violation, and treats hidden cards as the requesting account sees them.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Answer, RequestExt as _, TestApp, game_files, seed_data, text};

const GAMES: [&str; 5] = ["ttcg", "emoji-tcg", "uno-emoji", "emojo-dojo", "emojito"];

fn game_folder(game: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("seed-data/games").join(game)
}

/// A sample deck and the format that its comment names.
pub fn sample(game: &str, file: &str) -> (String, String) {
    let list = std::fs::read_to_string(game_folder(game).join("decks").join(file)).unwrap();
    let format = list.lines().find_map(|line| line.strip_prefix("// format: ")).unwrap().to_owned();
    (format, list)
}

async fn judge(app: &TestApp, body: &Value) -> Answer {
    app.post("/v1/deck-reports").json(body).answer().await
}

/// The report of a sample deck for one format, as an anonymous client gets it.
async fn report_on(app: &TestApp, game: &str, file: &str) -> Value {
    let (format, list) = sample(game, file);
    judge(app, &json!({ "format": format, "list": list })).await.expect(200)["reports"][0].clone()
}

fn violations<'a>(report: &'a Value, code: &str) -> Vec<&'a Value> {
    report["violations"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|violation| violation["code"] == code)
        .collect()
}

/// `(name, limit, actual)` of each violation with that code.
fn numbers(report: &Value, code: &str) -> Vec<(String, i64, i64)> {
    violations(report, code)
        .into_iter()
        .map(|violation| {
            let name = violation["cards"][0]["name"].as_str().unwrap_or_default().to_owned();
            (name, violation["limit"].as_i64().unwrap(), violation["actual"].as_i64().unwrap())
        })
        .collect()
}

/// A place without a name means the same card in JSON as in a list: its set may be written by its name.
#[tokio::test]
async fn places_with_the_name_of_an_open_set_are_found() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let card = app.get("/v1/games/ttcg/sets/hearth/cards/016").answer().await.expect(200);
    let entries =
        json!([{ "quantity": 2, "name": "", "set": "hearth and hollow", "number": "16" }]);
    let own = "2 \"\" (\"Hearth and Hollow\") \"016\"";
    for list in [
        json!({ "entries": entries }),
        json!({ "list": json!({ "entries": entries }).to_string(), "dialect": "json" }),
        json!({ "list": own, "dialect": "own" }),
        json!({ "list": "2 (Hearth and Hollow) 016" }),
    ] {
        let mut body = list.clone();
        body["format"] = "ttcg/standard".into();
        let report = judge(&app, &body).await.expect(200);
        for code in ["CARD_UNKNOWN", "PRINTING_UNKNOWN"] {
            assert!(violations(&report["reports"][0], code).is_empty(), "{list}: {report:#}");
        }
        assert_eq!(report["entries"][0]["card_id"], card["id"], "{list}: {report:#}");
        body["name"] = "n".into();
        let deck = app.post("/v1/decks").by(&ada).json(&body).answer().await.expect(201);
        assert_eq!(deck["entries"][0]["name"], card["name"], "{list}: {deck:#}");
    }
}

#[tokio::test]
async fn sample_decks_are_what_their_names_say() {
    let app = TestApp::start_seeded(&GAMES).await;
    let mut seen = 0;
    for game in GAMES {
        for file in std::fs::read_dir(game_folder(game).join("decks")).unwrap() {
            let file = file.unwrap().file_name().into_string().unwrap();
            // This file holds lists with their expected reports. It is not a deck list.
            if file == "illegal.json" {
                continue;
            }
            let report = report_on(&app, game, &file).await;
            assert_eq!(
                report["status"] == "legal",
                file.starts_with("legal-"),
                "{game} {file}: {report:#}"
            );
            let is_explained = report["status"] == "legal" || report["violations"] != json!([]);
            assert!(is_explained, "{game} {file}: {report:#}");
            let all_explained = report["violations"].as_array().unwrap().iter().all(|violation| {
                !violation["message"].as_str().unwrap().is_empty()
                    && !violation["rule"].as_str().unwrap().is_empty()
            });
            assert!(all_explained, "{report:#}");
            seen += 1;
        }
    }
    assert!(seen >= 11, "{seen} sample decks");
}

#[tokio::test]
async fn a_report_lists_all_violations_of_a_ttcg_deck() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (format, list) = sample("ttcg", "illegal-forty-eight-cards.txt");
    let answer = judge(&app, &json!({ "format": format, "list": list })).await.expect(200);
    let report = &answer["reports"][0];
    assert_eq!(
        (&report["status"], &report["format"]),
        (&json!("illegal"), &json!("ttcg/standard"))
    );
    assert_eq!(report["counts"], json!([{ "zone": "main", "cards": 48 }]));
    assert_eq!(numbers(report, "DECK_SIZE_BELOW_MIN"), [(String::new(), 50, 48)]);
    assert_eq!(violations(report, "DECK_SIZE_BELOW_MIN")[0]["severity"], "incomplete");
    // Two copies and one more of another rarity: three of the same card.
    assert_eq!(numbers(report, "COPY_LIMIT_EXCEEDED"), [("Kettle Imp".to_owned(), 2, 3)]);
    let unknown = violations(report, "CARD_UNKNOWN");
    assert_eq!((unknown.len(), &unknown[0]["suggestions"][0]), (1, &json!("Bellows Smith")));
    assert!(unknown[0]["cards"][0].get("card_id").is_none());

    let id = |name: &str| {
        let entries = answer["entries"].as_array().unwrap();
        entries.iter().find(|entry| entry["name"] == name).unwrap().get("card_id").cloned()
    };
    assert_eq!(id("Belows Smith"), None);
    let imp = id("Kettle Imp").unwrap();
    assert_eq!(violations(report, "COPY_LIMIT_EXCEEDED")[0]["cards"][0]["card_id"], imp);
    let card = app.get(&format!("/v1/cards/{}", imp.as_str().unwrap())).answer().await.expect(200);
    assert_eq!(card["name"], "Kettle Imp");
}

#[tokio::test]
async fn a_ttcg_deck_with_too_few_cards_is_incomplete() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (format, list) = sample("ttcg", "legal-embers-and-bones.txt");
    let short = list.replace("2 The Long Table", "");
    let report =
        judge(&app, &json!({ "format": format, "list": short })).await.expect(200)["reports"][0]
            .clone();
    assert_eq!(report["status"], "incomplete");
    assert_eq!(numbers(&report, "DECK_SIZE_BELOW_MIN"), [(String::new(), 50, 48)]);
}

#[tokio::test]
async fn violations_name_the_lines_of_a_list() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    // A list with its format is read exactly as it is written.
    let list = "// format: ttcg/standard\n2 Kettle Imp\n1 Pocket Bat (lost)\n1 Pocket Bat\n1 kettle imp {rare}\n[attic]\n1 Skipping Stone\n[main]\n\
                1 Skipping Stone\n1 Kettle Imp (veil)";
    let lines = |report: &Value, code: &str| violations(report, code)[0].get("lines").cloned();
    let report = judge(&app, &json!({ "format": "ttcg/standard", "list": list })).await.expect(200)
        ["reports"][0]
        .clone();
    for (code, expected) in [("ZONE_UNKNOWN", Some(json!([7]))), ("DECK_SIZE_BELOW_MIN", None)] {
        assert_eq!(lines(&report, code), expected, "{code}: {report:#}");
    }
    let printings: Vec<&Value> =
        violations(&report, "PRINTING_UNKNOWN").into_iter().map(|one| &one["lines"]).collect();
    assert_eq!(printings, [&json!([10]), &json!([3])], "{report:#}");
    let copies = lines(&report, "COPY_LIMIT_EXCEEDED").unwrap();
    assert_eq!(copies, json!([2, 5]));
    let entries = json!([{ "quantity": 3, "name": "Kettle Imp" }]);
    let body = json!({ "format": "ttcg/standard", "entries": entries });
    let report = judge(&app, &body).await.expect(200)["reports"][0].clone();
    assert_eq!(lines(&report, "COPY_LIMIT_EXCEEDED"), None, "entries without a list have no lines");
}

#[tokio::test]
async fn games_and_sets_without_cards_are_reported_first() {
    let app = TestApp::start_seeded(&["magic", "ttcg"]).await;
    let report = async |body: Value| judge(&app, &body).await.expect(200)["reports"][0].clone();
    let codes = |report: &Value| -> Vec<String> {
        let violations = report["violations"].as_array().unwrap().iter();
        violations.map(|one| one["code"].as_str().unwrap().to_owned()).collect()
    };
    let list = "4 Otter\n1 Kettle Imp (hearth)";
    let none = report(json!({ "format": "magic/constructed", "list": list })).await;
    // Without the cards, only what needs no data of cards is judged.
    assert_eq!(codes(&none), ["GAME_WITHOUT_CARDS", "DECK_SIZE_BELOW_MIN"]);
    assert_eq!(none["status"], "incomplete", "{none:#}");
    let commander = json!({ "format": "magic/commander", "list": "100 Otter" });
    let commander = report(commander).await;
    assert!(!codes(&commander).contains(&"IDENTITY_MISSING".to_owned()), "{commander:#}");
    let empty = report(json!({ "format": "magic/constructed", "entries": [] })).await;
    assert_eq!(codes(&empty)[0], "GAME_WITHOUT_CARDS");

    // The set `veil` of the hidden cards is loaded. The misspelt set `hearht` and the set `winter` are not.
    let list = "1 Kettle Imp (hearht) 001\n1 Nobody (veil)\n1 Nobody (winter)\n1 Pocket Bat";
    let some = report(json!({ "format": "ttcg/standard", "list": list, "dialect": "own" })).await;
    assert_eq!(codes(&some)[..2], ["SET_WITHOUT_CARDS", "SET_WITHOUT_CARDS"], "{some:#}");
    assert_eq!(codes(&some).iter().filter(|code| *code == "SET_WITHOUT_CARDS").count(), 2);
    let [typed, winter] = [&some["violations"][0], &some["violations"][1]];
    assert_eq!((&typed["set"], &typed["lines"]), (&json!("hearht"), &json!([1])));
    assert_eq!(typed["suggestions"], json!(["hearth"]));
    assert_eq!(typed["message"], "No cards of the set “hearht” are loaded. Did you mean hearth?");
    assert_eq!((&winter["set"], &winter["lines"]), (&json!("winter"), &json!([3])));

    // There is no such violation when the deck is empty, or names only unknown cards of loaded sets.
    for quiet in [
        json!({ "format": "ttcg/standard", "entries": [] }),
        json!({ "format": "ttcg/standard", "list": "1 Nobody (hearth)\n1 Nobody (veil) 003", "dialect": "own" }),
    ] {
        let report = report(quiet).await;
        assert!(!codes(&report).iter().any(|code| code.ends_with("WITHOUT_CARDS")), "{report:#}");
    }
}

#[tokio::test]
async fn a_card_in_a_wrong_zone_can_be_moved() {
    let app = TestApp::start().await;
    app.import(&game_files("tests/data/games/harbour")).await.unwrap();
    let body = json!({ "format": "harbour/trade", "list": "9 Salt\n2 Brig" });
    let report = judge(&app, &body).await.expect(200)["reports"][0].clone();
    let wrong = violations(&report, "KIND_NOT_ALLOWED")[0];
    assert_eq!((&wrong["zone"], &wrong["suggestions"]), (&json!("main"), &json!(["extra"])));
    let fix = json!({ "action": "move_copies", "name": "Brig", "quantity": 2, "from": "main", "to": "extra" });
    assert_eq!(wrong["fix"], fix);
    let body = json!({ "format": "harbour/trade", "list": "9 Salt\n[extra]\n2 Brig" });
    let report = judge(&app, &body).await.expect(200)["reports"][0].clone();
    assert!(violations(&report, "KIND_NOT_ALLOWED").is_empty(), "{report:#}");
}

/// Before, the first 100 faults of such a batch were listed, which could all be those of the first list.
#[tokio::test]
async fn each_list_with_faults_of_a_batch_is_named() {
    let app = TestApp::start().await;
    let wrong = json!({ "quantity": "x", "nmae": "Ping" });
    let mut decks = vec![json!({ "entries": vec![wrong; 150] }), json!({ "list": "1 Ping" })];
    decks.extend((2..99).map(|at| json!({ "lsit": "1 Ping", "dialect": at })));
    decks.push(json!({ "list": 7 }));
    let body = json!({ "format": "ttcg/standard", "dekcs": [], "decks": decks });
    let problem = app.post("/v1/deck-reports/batch").json(&body).answer().await;
    let problem = problem.problem(422, "invalid_body");
    let faults = problem["errors"].as_array().unwrap();
    assert_eq!(faults.len(), 100, "{problem:#}");
    let has = |place: &str| faults.iter().any(|fault| text(fault, "pointer").starts_with(place));
    for at in (0..100).filter(|at| *at != 1) {
        assert!(has(&format!("/decks/{at}/")), "{at}: {problem:#}");
    }
    assert!(has("/dekcs") && !has("/decks/1/"), "{problem:#}");
    let detail = text(&problem, "detail");
    assert!(detail.starts_with("More than 100 faults; 100 of them are listed. "), "{detail}");
    assert!(detail.ends_with("index 0, 2, 3, 4, 5, 6, 7, 8, 9, 10 and others."), "{detail}");
    let wrong = json!({ "quantity": 1, "name": "\0" });
    let decks = json!([{ "entries": vec![wrong; 150] }, { "list": "1 Ping\0" }]);
    let body = json!({ "format": "ttcg/standard", "decks": decks });
    let problem = app.post("/v1/deck-reports/batch").json(&body).answer().await;
    let problem = problem.problem(422, "invalid_body");
    let last = &problem["errors"][99];
    assert_eq!((&last["pointer"], problem["errors"].get(100)), (&json!("/decks/1/list"), None));
}

/// Before, an answer had every fault that the rules of lists find: several megabytes for a body of 256 KiB.
#[tokio::test]
async fn an_answer_lists_at_most_500_faults() {
    let app = TestApp::start().await;
    let named = json!({ "quantity": 1, "name": "Ping", "copies": vec![""; 1000] });
    let problem = judge(&app, &json!({ "format": "x/y", "entries": [named] })).await;
    let problem = problem.problem(422, "invalid_body");
    let faults = problem["errors"].as_array().unwrap();
    let places: Vec<String> = faults.iter().map(|fault| text(fault, "pointer")).collect();
    assert_eq!(places, ["/entries/0/copies", "/entries/0/copies", "/format"], "{problem:#}");
    let wrong = json!({ "entries": vec![json!({ "quantity": 0, "name": "Ping" }); 300] });
    let decks = json!([wrong, wrong, { "entries": [{ "quantity": 0, "name": "Ping" }] }]);
    let body = json!({ "format": "x/y", "decks": decks });
    let problem = app.post("/v1/deck-reports/batch").json(&body).answer().await;
    let problem = problem.problem(422, "invalid_body");
    let faults = problem["errors"].as_array().unwrap();
    let last = faults.iter().filter(|fault| text(fault, "pointer").starts_with("/decks/2/"));
    assert_eq!((faults.len(), last.count()), (500, 1), "{problem:#}");
    let detail = "More than 500 faults; 500 of them are listed. \
        The faults are in the lists at index 0, 1, 2.";
    assert_eq!(problem["detail"], detail);
}

#[tokio::test]
async fn emoji_tcg_counts_copies_by_stage() {
    let app = TestApp::start_seeded(&["emoji-tcg"]).await;
    let report = report_on(&app, "emoji-tcg", "illegal-one-too-many.txt").await;
    let mut found = numbers(&report, "COPY_LIMIT_EXCEEDED");
    found.sort();
    let expected = [
        ("Anchor Point", 3, 4),
        ("Box of Everything", 1, 2),
        ("Red Card", 2, 3),
        ("Thumbtack", 4, 5),
    ];
    assert_eq!(found, expected.map(|(name, limit, actual)| (name.to_owned(), limit, actual)));
}

#[tokio::test]
async fn a_box_report_lists_missing_and_extra_cards() {
    let app = TestApp::start_seeded(&GAMES).await;
    let uno = report_on(&app, "uno-emoji", "illegal-after-the-picnic.txt").await;
    let mut missing = numbers(&uno, "BOX_CARD_MISSING");
    missing.sort();
    assert_eq!(missing, [("Blue Skip".to_owned(), 2, 1), ("Red 0".to_owned(), 1, 0)]);
    assert_eq!(numbers(&uno, "BOX_CARD_EXTRA"), [("Wild".to_owned(), 4, 5)]);
    assert_eq!(numbers(&uno, "BOX_TOTAL_MISMATCH"), [(String::new(), 112, 111)]);

    let dojo = report_on(&app, "emojo-dojo", "illegal-missing-roundhouse.txt").await;
    let mut missing = numbers(&dojo, "BOX_CARD_MISSING");
    missing.sort();
    assert_eq!(missing, [("Black Belt".to_owned(), 8, 7), ("Roundhouse".to_owned(), 4, 0)]);
    assert_eq!(numbers(&dojo, "BOX_CARD_EXTRA"), [("Sensei".to_owned(), 8, 9)]);
    // The missing card is not in the list, but the report contains its id.
    let lost = violations(&dojo, "BOX_CARD_MISSING")
        .into_iter()
        .find(|v| v["cards"][0]["name"] == "Roundhouse")
        .unwrap();
    assert!(lost["cards"][0]["card_id"].is_string());

    let emojito = report_on(&app, "emojito", "illegal-hope-is-lost.txt").await;
    assert_eq!(numbers(&emojito, "BOX_CARD_MISSING"), [("Hope".to_owned(), 1, 0)]);
    assert_eq!(numbers(&emojito, "BOX_CARD_EXTRA"), [("Love".to_owned(), 1, 2)]);
    assert!(violations(&emojito, "BOX_TOTAL_MISMATCH").is_empty());

    let empty = judge(&app, &json!({ "format": "emojito/box", "entries": [] })).await.expect(200);
    assert_eq!(
        (
            &empty["reports"][0]["status"],
            violations(&empty["reports"][0], "BOX_CARD_MISSING").len()
        ),
        (&json!("incomplete"), 100)
    );
}

#[tokio::test]
async fn one_list_is_judged_for_several_formats_at_once() {
    let app = TestApp::start_seeded(&["emojo-dojo", "ttcg"]).await;
    let (_, list) = sample("emojo-dojo", "legal-full-box.txt");
    let body = json!({ "formats": ["emojo-dojo/box", "emojo-dojo/box:half"], "list": list });
    let answer = judge(&app, &body).await.expect(200);
    let verdicts: Vec<_> = answer["reports"]
        .as_array()
        .unwrap()
        .iter()
        .map(|report| (&report["format"], report["status"] == "legal"))
        .collect();
    let expected = [(&json!("emojo-dojo/box"), true), (&json!("emojo-dojo/box:half"), false)];
    assert_eq!(verdicts, expected);
    assert_eq!(answer["summary"], "Legal in emojo-dojo/box; illegal in emojo-dojo/box:half.");

    for (wrong, pointer) in [
        (json!({ "formats": ["emojo-dojo/box", "ttcg/standard"], "entries": [] }), "/formats/1"),
        (
            json!({ "formats": ["emojo-dojo/box:half", "emojo-dojo/box", "emojo-dojo/box:full"], "entries": [] }),
            "/formats/2",
        ),
        (json!({ "formats": ["ttcg/standard", "ttcg/standard"], "entries": [] }), "/formats/1"),
        (json!({ "formats": [], "entries": [] }), "/formats"),
        (json!({ "formats": vec!["ttcg/standard"; 11], "entries": [] }), "/formats"),
        (json!({ "format": "ttcg/standard", "formats": ["ttcg/standard"], "entries": [] }), ""),
        (json!({ "entries": [] }), ""),
        (json!({ "format": "ttcg/standard" }), ""),
        (json!({ "format": "ttcg/standard", "entries": [], "list": "" }), ""),
        (
            json!({ "format": "ttcg/standard", "entries": [{ "quantity": 0, "name": "x" }] }),
            "/entries/0/quantity",
        ),
    ] {
        let problem = judge(&app, &wrong).await.problem(422, "invalid_body");
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{problem}");
    }
    judge(&app, &json!({ "format": "ttcg/pauper", "entries": [] }))
        .await
        .problem(422, "unknown_format");
    let early = json!({ "format": "ttcg/standard", "on": "2020-01-01", "entries": [] });
    let problem = judge(&app, &early).await.problem(422, "unknown_format");
    let detail =
        "There is no format ttcg/standard on 2020-01-01; its first version begins on 2025-03-17.";
    assert_eq!(problem["detail"], detail);
    judge(&app, &json!({ "format": "ttcg/standard", "list": "0 Ping" }))
        .await
        .problem(422, "unreadable_deck_list");
    let invalid = app.post("/v1/deck-reports").bearer_auth("nonsense").json(&body).answer().await;
    invalid.problem(401, "invalid_token");
}

#[tokio::test]
async fn a_stored_deck_has_a_report_with_a_tag() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let (format, list) = sample("ttcg", "legal-orchard-by-the-lake.txt");
    let deck = json!({ "name": "Orchard", "format": format, "list": list });
    let path = app.post("/v1/decks").by(&ada).json(&deck).answer().await.header("location");
    let answer = app.get(&format!("{path}/report")).by(&ada).answer().await;
    assert_eq!(answer.header("cache-control"), "private, no-cache");
    let tag = answer.header("etag");
    let report = answer.expect(200);
    assert_eq!(
        (&report["status"], &report["counts"]),
        (&json!("legal"), &json!([{ "zone": "main", "cards": 50 }]))
    );
    let entries = report["entries"].as_array().unwrap();
    assert!(entries.len() > 20 && entries.iter().all(|entry| entry["card_id"].is_string()));
    let again =
        app.get(&format!("{path}/report")).by(&ada).header("if-none-match", &tag).answer().await;
    assert_eq!(again.status, 304);
    let broken = json!({ "name": "Orchard", "format": "ttcg/standard", "list": "3 Kettle Imp" });
    app.put(&path).by(&ada).header("if-match", "*").json(&broken).answer().await.expect(200);
    let changed =
        app.get(&format!("{path}/report")).by(&ada).header("if-none-match", &tag).answer().await;
    assert_eq!(changed.expect(200)["status"], "illegal");
}

#[tokio::test]
async fn a_hidden_card_is_unknown_to_strangers() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (ada, eve, moderator) =
        (app.player("ada").await, app.player("eve").await, app.moderator().await);
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;

    // The same list names first a hidden card, then a card that does not exist. The answers differ only in the name.
    let ask = async |name: &str| {
        let body = json!({ "formats": ["ttcg/standard"], "list": format!("2 {name}\n1 {name} (veil) 003 {{common}}\n1 Kettle Imp") });
        let answer = judge(&app, &body).await;
        assert_eq!(answer.status, 200);
        answer.text().replace(name, "NAME")
    };
    assert_eq!(ask("Drowned Lantern").await, ask("Drowsed Pantern").await);
    assert_eq!(
        ask("Drowned Lantern").await.matches("card_id").count(),
        1,
        "only the id of Kettle Imp"
    );
    // A misspelt name does not reveal the hidden card either.
    assert!(!ask("Drownd Lantern").await.contains("Drowned"));
    for list in [
        "- Drownd Lantern\n**Drownd Lantern**\n[ ] Drownd Lantern\n1 Kettle Imp",
        "1,Drownd Lantern\n1,Kettle Imp",
        "{\"cards\": [{\"count\": 1, \"name\": \"Drownd Lantern\"}]}",
    ] {
        let body = json!({ "formats": ["ttcg/standard"], "list": list });
        let answer = judge(&app, &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let text = answer.text();
        assert!(text.contains("unknown") && !text.contains("Drowned"), "{text}");
    }

    let body = json!({ "name": "n", "format": "ttcg/standard", "visibility": "public", "list": "1 Drowned Lantern\n1 Drownd Lantrn" });
    let path = app.post("/v1/decks").by(&ada).json(&body).answer().await.header("location");
    let report = async |request: reqwest::RequestBuilder| request.answer().await.expect(200);
    let path = format!("{path}/report");
    for (who, request, unknown) in [
        ("a stranger", app.get(&path), 2),
        ("another player", app.get(&path).by(&eve), 2),
        ("a holder", app.get(&path).by(&ada), 1),
        ("a moderator", app.get(&path).by(&moderator), 1),
    ] {
        let report = report(request).await;
        let names: usize = violations(&report, "CARD_UNKNOWN")
            .iter()
            .map(|violation| violation["cards"].as_array().unwrap().len())
            .sum();
        assert_eq!(names, unknown, "{who}: {report:#}");
        let suggested = violations(&report, "CARD_UNKNOWN")
            .iter()
            .any(|violation| violation["suggestions"][0] == "Drowned Lantern");
        // The masked entry has the place of the card, as in the deck.
        let entry = &report["entries"][0];
        assert_eq!(
            (suggested, entry["hidden"] == true, entry["set"] == "veil"),
            (unknown == 1, unknown == 2, unknown == 2),
            "{who}: {report:#}"
        );
        assert!(unknown == 1 || !report.to_string().contains("Drowned"), "{who}: {report:#}");
    }
}

#[tokio::test]
async fn a_hostile_list_is_judged_in_bounded_time() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let started = std::time::Instant::now();
    let entries: Vec<Value> =
        (0..500).map(|number| json!({ "quantity": 10000, "name": format!("Kettle Imq {number}"), "zone": format!("z{number}") })).collect();
    let formats = ["ttcg/standard", "ttcg/standard:by_card"];
    let answer = judge(&app, &json!({ "formats": formats, "entries": entries })).await.expect(200);
    assert_eq!(answer["reports"][1]["status"], "illegal");
    let left_out = answer["reports"][1]["suggestions_left_out"].as_u64().unwrap();
    let suggested = answer["reports"][1]["violations"].as_array().unwrap().iter();
    let suggested =
        suggested.filter(|one| one["code"] == "CARD_UNKNOWN" && one["suggestions"][0].is_string());
    assert!(left_out >= 440, "{left_out}: at most 60 are looked up");
    assert!(suggested.count() >= usize::try_from(500 - left_out).unwrap());
    let long = "𝔎".repeat(200);
    judge(
        &app,
        &json!({ "format": "ttcg/standard", "entries": [{ "quantity": 1, "name": long }] }),
    )
    .await
    .expect(200);
    judge(&app, &json!({ "format": "ttcg/standard", "list": "{".repeat(100_000) }))
        .await
        .problem(422, "unreadable_deck_list");
    judge(&app, &json!({ "format": "ttcg/standard", "list": "x".repeat(300_000) }))
        .await
        .problem(413, "body_too_large");
    judge(&app, &json!({ "format": "ttcg/standard", "list": "1 a\u{0}b" }))
        .await
        .problem(422, "invalid_body");
    // The bound is wide: the test distinguishes seconds from minutes.
    assert!(started.elapsed() < std::time::Duration::from_secs(20));
}

#[tokio::test]
async fn rotations_go_by_the_release_day_of_the_set() {
    let app = TestApp::start().await;
    let mut source = seed_data("emoji-tcg");
    for (code, from) in [("same_day", "2026-11-01"), ("day_after", "2026-11-02")] {
        source.manifest.text += &format!(
            "\n[[formats]]\ncode = \"{code}\"\nname = \"{code}\"\nversion = \"1\"\n[[formats.rules]]\nrule = \"r\"\ntext = \"t.\"\n\
             allowed = {{ select = {{ released = {{ from = \"{from}\" }} }} }}\n"
        );
    }
    app.import(&source).await.unwrap();
    let formats = ["emoji-tcg/same_day", "emoji-tcg/day_after"];
    let body = json!({ "formats": formats, "list": "1 Thumbtack" });
    let answer = judge(&app, &body).await.expect(200);
    assert_eq!(answer["reports"][0]["status"], "legal", "{answer:#}");
    assert_eq!(answer["reports"][1]["violations"][0]["code"], "CARD_NOT_ALLOWED", "{answer:#}");
}

#[tokio::test]
async fn a_game_without_cards_still_checks_the_size_of_decks() {
    let app = TestApp::start().await;
    for game in ["magic", "yu-gi-oh", "pokemon"] {
        app.import(&seed_data(game)).await.unwrap();
        assert!(!app.import(&seed_data(game)).await.unwrap().changed(), "{game}");
    }
    let body = json!({ "format": "magic/constructed", "list": "61 Nobody's Card\nSB: 16 No Card" });
    let judged = judge(&app, &body).await.expect(200);
    let report = judged["reports"][0].clone();
    let reason = report["violations"][0]["message"].as_str().unwrap();
    assert_eq!(judged["summary"], format!("Illegal in magic/constructed. {reason}"));
    // Without cards of the game, none is called unknown.
    assert_eq!(violations(&report, "CARD_UNKNOWN").len(), 0, "{report:#}");
    assert_eq!(violations(&report, "ZONE_SIZE_ABOVE_MAX").len(), 1, "{report:#}");
    assert_eq!(violations(&report, "DECK_SIZE_BELOW_MIN").len(), 0, "{report:#}");
}

#[tokio::test]
async fn a_copy_may_be_in_a_deck_once() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (one, two) =
        ("01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11", "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b12");
    let entries = |copies: Value| {
        json!([
            { "quantity": 1, "name": "Kettle Imp", "copies": [one] },
            { "quantity": 1, "name": "Kettle Imp", "rarity": "rare", "copies": copies },
        ])
    };
    let body = |copies| json!({ "format": "ttcg/standard", "entries": entries(copies) });
    let judged = judge(&app, &body(json!([two]))).await.expect(200);
    assert!(violations(&judged["reports"][0], "SERIAL_DUPLICATE").is_empty(), "{judged}");
    let judged = judge(&app, &body(json!([one]))).await.expect(200);
    let found = violations(&judged["reports"][0], "SERIAL_DUPLICATE");
    assert_eq!(found[0]["rule"], "T-2.2.1e", "{judged}");
    assert_eq!(found[0]["cards"][0]["copy"], one);
    judge(&app, &body(json!([one, two]))).await.problem(422, "invalid_body");
    let problem =
        judge(&app, &body(json!(["7KQ2-0000-0000-0000"]))).await.problem(422, "invalid_body");
    assert_eq!(problem["errors"][0]["pointer"], "/entries/1/copies");
    assert!(!problem.to_string().contains("7KQ2"), "{problem}");

    // A stored deck keeps its copies and has the same violation.
    let ada = app.player("ada").await;
    let deck = json!({ "name": "d", "format": "ttcg/standard", "entries": entries(json!([one])) });
    let stored = app.post("/v1/decks").by(&ada).json(&deck).answer().await.expect(201);
    let path = format!("/v1/decks/{}", stored["id"].as_str().unwrap());
    let read = app.get(&path).by(&ada).answer().await.expect(200);
    assert_eq!(read["entries"][1]["copies"], json!([one]));
    let judged = app.get(&format!("{path}/report")).by(&ada).answer().await.expect(200);
    assert_eq!(violations(&judged, "SERIAL_DUPLICATE").len(), 1);
    assert_eq!(judged["entries"][0]["copies"], json!([one]));
}

#[tokio::test]
async fn several_formats_are_judged_in_one_answer() {
    let app = TestApp::start_seeded(&["emojo-dojo"]).await;
    let (_, list) = sample("emojo-dojo", "legal-full-box.txt");
    let formats = ["emojo-dojo/box", "emojo-dojo/box:half"];
    let judged = judge(&app, &json!({ "formats": formats, "list": list })).await.expect(200);
    assert_eq!(judged["legal_in_all"], false);
    let summary = judged["summary"].as_str().unwrap();
    assert!(summary.starts_with("Legal in emojo-dojo/box;"), "{summary}");
    assert!(summary.contains("illegal in emojo-dojo/box:half"), "{summary}");
    let first = &judged["entries"][0];
    let line = usize::try_from(first["line"].as_u64().unwrap()).unwrap();
    let written = list.lines().nth(line - 1).unwrap();
    assert!(written.contains(first["name"].as_str().unwrap()), "{written}");
    let unknown = judge(&app, &json!({ "format": "emojo-dojo/chest", "list": "" })).await;
    let problem = unknown.problem(422, "unknown_format");
    assert!(problem["detail"].as_str().unwrap().contains("emojo-dojo/box"), "{problem}");
}

#[tokio::test]
async fn decisions_about_open_rulebook_questions_are_listed() {
    let app = TestApp::start_seeded(&["ttcg", "uno-emoji"]).await;
    let format = app.get("/v1/games/ttcg/formats/standard").answer().await.expect(200);
    let same = &format["decisions"].as_array().unwrap().iter().find(|one| one["rule"] == "T-A6");
    let same = same.unwrap();
    assert_eq!((&same["chosen"], &same["provenance"]), (&json!("by_name"), &json!("assumed")));
    let other = app.get("/v1/games/ttcg/formats/standard?variant=by_card").answer().await;
    let other = other.expect(200);
    let same = other["decisions"].as_array().unwrap().iter().find(|one| one["rule"] == "T-A6");
    assert_eq!(same.unwrap()["chosen"], "by_card");
    let game = app.get("/v1/games/ttcg").answer().await.expect(200);
    assert!(!game["decisions"].as_array().unwrap().is_empty());
}

/// Every unknown format is reported with its pointer, together with all other faults of the request.
#[tokio::test]
async fn all_unknown_formats_are_reported_at_once() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let pointers = |problem: &Value| {
        let errors = problem["errors"].as_array().unwrap().iter();
        errors.map(|fault| fault["pointer"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let formats = json!(["ttcg/standrd", "ttcg/standard:foo"]);
    let body = json!({ "formats": formats, "list": "1 Kettle Imp" });
    let problem = judge(&app, &body).await.problem(422, "unknown_format");
    assert_eq!(pointers(&problem), ["/formats/0", "/formats/1"]);
    let first =
        "There is no format ttcg/standrd; there is ttcg/standard; did you mean ttcg/standard?";
    assert_eq!(problem["errors"][0]["detail"], first);
    assert!(problem["detail"].as_str().unwrap().contains("ttcg/standard:foo"), "{problem}");

    let body = json!({ "format": "ttcg/standrd", "list": "Ping", "dialect": "arean" });
    let problem = judge(&app, &body).await.problem(422, "invalid_body");
    assert_eq!(pointers(&problem), ["/dialect", "/format"]);
    assert!(
        problem["errors"][0]["detail"].as_str().unwrap().ends_with("did you mean arena?"),
        "{problem}"
    );
    let body = json!({ "format": "TTCG/Standard", "entries": [] });
    let problem = judge(&app, &body).await.problem(422, "invalid_body");
    let detail = problem["errors"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("in lower case, for example ttcg/standard"), "{detail}");
    let body = json!({ "format": "ttgc/standard", "entries": [] });
    let problem = judge(&app, &body).await.problem(422, "unknown_format");
    assert_eq!(problem["errors"][0]["detail"], "There is no game ttgc; did you mean ttcg?");
}

#[tokio::test]
async fn many_lists_are_judged_at_once_and_a_deck_by_all_formats() {
    let app = TestApp::start_seeded(&["ttcg", "emojo-dojo"]).await;
    let ask = async |body: &Value| app.post("/v1/deck-reports/batch").json(body).answer().await;
    let (format, legal) = sample("ttcg", "legal-embers-and-bones.txt");
    let entries = json!([{ "quantity": 3, "name": "Kettle Imp" }]);
    let decks = json!([{ "list": legal }, { "entries": entries }, { "list": "2 Kettle Inp" }]);
    let data = ask(&json!({ "format": format, "decks": decks })).await.expect(200)["data"].clone();
    let statuses: Vec<&str> = data
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["reports"][0]["status"].as_str().unwrap())
        .collect();
    assert_eq!(statuses, ["legal", "illegal", "illegal"]);
    assert_eq!((data[0].get("reading").is_some(), data[1].get("reading")), (true, None));
    for (at, deck) in decks.as_array().unwrap().iter().enumerate() {
        let mut alone = deck.clone();
        alone["format"] = format.as_str().into();
        assert_eq!(
            judge(&app, &alone).await.expect(200),
            data[at],
            "a single request returns the same report"
        );
    }
    let wrong = json!({ "format": format, "decks": [
        { "list": "1 Ping" }, { "entries": [{ "quantity": 0, "name": "x" }] }, { "list": "1 Ping", "entries": [] }, { "list": "1 Ping", "dialect": "x" },
        { "list": "0 Ping" },
    ] });
    let problem = ask(&wrong).await.problem(422, "invalid_body");
    let pointers: Vec<&str> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["pointer"].as_str().unwrap())
        .collect();
    let expected = ["/decks/1/entries/0/quantity", "/decks/2", "/decks/3/dialect", "/decks/4/list"];
    assert_eq!(pointers, expected);
    let unread =
        ask(&json!({ "format": format, "decks": [{ "list": "1 Ping" }, { "list": "0 Ping" }] }))
            .await;
    let problem = unread.problem(422, "unreadable_deck_list");
    assert_eq!(problem["errors"][0]["pointer"], "/decks/1/list");
    assert_eq!(problem["detail"], "The faults are in the list at index 1.");
    // The detail names the lists, as far as they state their names.
    let named = json!([{ "list": "// name: Friday\n0 Ping" }, { "list": "1 Ping" }, { "list": "About\nName Embers\n\nDeck\n0 Ping" }]);
    let problem = ask(&json!({ "format": format, "decks": named })).await;
    let problem = problem.problem(422, "unreadable_deck_list");
    assert_eq!(
        problem["detail"],
        "The faults are in the lists at index 0 (“Friday”), 2 (“Embers”)."
    );
    // Faults against the contract are reported before the lists are read.
    let mistyped = json!([{ "list": "0 Ping" }, { "list": 7 }, { "lsit": "1 Ping" }]);
    let problem = ask(&json!({ "format": format, "decks": mistyped })).await;
    let problem = problem.problem(422, "invalid_body");
    assert_eq!(problem["errors"].as_array().unwrap().len(), 2, "{problem:#}");
    assert_eq!(problem["detail"], "The faults are in the lists at index 1, 2.");
    let problem = ask(&json!({ "format": 7, "decks": [] })).await.problem(422, "invalid_body");
    assert_eq!(problem.get("detail"), None, "{problem:#}");
    // Of more than 100 faults, 100 are listed.
    let mistyped = vec![json!({ "lsit": "1 Ping", "dilaect": "x" }); 60];
    let problem = ask(&json!({ "format": format, "decks": mistyped })).await;
    let problem = problem.problem(422, "invalid_body");
    let detail = "More than 100 faults; 100 of them are listed. \
        The faults are in the lists at index 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and others.";
    assert_eq!(problem["detail"], detail);
    assert_eq!(problem["errors"].as_array().unwrap().len(), 100);
    let many =
        json!({ "format": format, "dekcs": [], "decks": vec![json!({ "entries": [] }); 101] });
    let problem = ask(&many).await.problem(422, "invalid_body");
    let faults = problem["errors"].as_array().unwrap().iter();
    let too_many: Vec<&Value> = faults.filter(|fault| fault["pointer"] == "/decks").collect();
    assert_eq!(too_many.len(), 1, "{problem:#}");
    assert_eq!(too_many[0]["detail"], "must have 1 to 100 items, not 101", "{problem:#}");
    let long = json!([{ "list": format!("// name: Long\n1 Ping\n{}", "0 Ping\n".repeat(501)) }]);
    let problem = ask(&json!({ "format": format, "decks": long })).await;
    let problem = problem.problem(422, "unreadable_deck_list");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.starts_with("In the list at index 0 (“Long”): 501 lines"), "{detail}");
    ask(&json!({ "format": format, "decks": [] })).await.problem(422, "invalid_body");
    let large = json!({ "list": "1 x\n".repeat(500) });
    let problem = ask(&json!({ "format": format, "decks": vec![large; 21] })).await;
    assert_eq!(problem.problem(422, "invalid_body")["errors"][0]["pointer"], "/decks");
    // Comments and repeated ids are no entries, and the answer would have all of them.
    for list in ["// x\n".repeat(5_001), format!("#main\n{}!side\n", "7\n".repeat(5_000))] {
        let decks = vec![json!({ "list": list }); 2];
        let problem = ask(&json!({ "format": format, "decks": decks })).await;
        let problem = problem.problem(422, "invalid_body");
        assert_eq!(problem["errors"][0]["pointer"], "/decks", "{problem:#}");
        let detail = text(&problem["errors"][0], "detail");
        assert!(detail.starts_with("have more than 10000 lines"), "{detail}");
    }
    let many = json!({ "format": format, "decks": vec![json!({ "entries": [] }); 101] });
    ask(&many).await.problem(422, "invalid_body");

    let ada = app.player("ada").await;
    let (_, full) = sample("emojo-dojo", "legal-full-box.txt");
    let body = json!({ "name": "n", "format": "emojo-dojo/box:half", "list": full });
    let path = app.post("/v1/decks").by(&ada).json(&body).answer().await.header("location");
    let legalities =
        app.get(&format!("{path}/legalities?on=2026-11-01")).by(&ada).answer().await.expect(200);
    assert_eq!(
        (&legalities["legal_in"], &legalities["on"]),
        (&json!(["emojo-dojo/box:full"]), &json!("2026-11-01"))
    );
    let formats: Vec<&str> = legalities["formats"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["format"].as_str().unwrap())
        .collect();
    assert!(formats.contains(&"emojo-dojo/box:half"), "{legalities:#}");
    app.get(&format!("{path}/legalities")).answer().await.problem(404, "not_found");
}
