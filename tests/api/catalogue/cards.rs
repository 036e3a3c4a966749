//! Cards and printings that every client may see.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use cardscape::domain::clock::Clock;
use futures_util::future::join_all;
use serde_json::Value;

use crate::support::{RequestExt as _, TestApp, TestDb, edit_set, seed_data, set_file};

async fn numbers(app: &TestApp, query: &str) -> Vec<String> {
    let page = app.get(&format!("/v1/cards?limit=200&{query}")).answer().await.expect(200);
    let card = |card: &Value| {
        format!("{}/{}", card["set"].as_str().unwrap(), card["number"].as_str().unwrap())
    };
    page["data"].as_array().unwrap().iter().map(card).collect()
}

#[tokio::test]
async fn leading_zeros_of_a_number_are_ignored() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let card = app.get("/v1/games/ttcg/sets/hearth/cards/016").answer().await.expect(200);
    for number in ["16", "0016", "0000000000000016"] {
        let path = format!("/v1/games/ttcg/sets/hearth/cards/{number}");
        assert_eq!(app.get(&path).answer().await.expect(200), card, "{number}");
        let listed = numbers(&app, &format!("set=hearth&number={number}")).await;
        assert_eq!(listed, ["hearth/016"], "{number}");
    }
    // A hidden card is found by its number as well, but its name is not shown.
    let hidden = app.get("/v1/games/ttcg/sets/veil/cards/1").answer().await.expect(200);
    assert_eq!((&hidden["number"], hidden.get("name")), (&"001".into(), None));
    for number in ["0", "160", "16a", "-16"] {
        let path = format!("/v1/games/ttcg/sets/hearth/cards/{number}");
        let answer = app.get(&path).answer().await;
        assert_eq!(answer.status, 404, "{number}");
    }
    // If the numbers of two cards differ only in leading zeros, each card is found only by its exact number.
    app.sql("UPDATE cards SET number = '0016' WHERE set_code = 'hearth' AND number = '017'").await;
    app.get("/v1/games/ttcg/sets/hearth/cards/16").answer().await.problem(404, "not_found");
    for number in ["016", "0016"] {
        let path = format!("/v1/games/ttcg/sets/hearth/cards/{number}");
        assert_eq!(app.get(&path).answer().await.expect(200)["number"], number);
    }
}

#[tokio::test]
async fn a_card_has_the_values_of_its_set_file() {
    let app = TestApp::start_seeded(&["ttcg", "uno-emoji"]).await;
    let file = set_file(&seed_data("ttcg"), "hearth");
    for wanted in file["cards"].as_array().unwrap() {
        let path =
            format!("/v1/games/ttcg/sets/hearth/cards/{}", wanted["number"].as_str().unwrap());
        let by_number = app.get(&path).answer().await;
        assert_eq!(by_number.header("cache-control"), "public, max-age=60");
        let by_number = by_number.expect(200);
        for field in ["number", "name", "kind", "attributes", "effects", "lore"] {
            assert_eq!(by_number.get(field), wanted.get(field), "{path} {field}");
        }
        assert_eq!(by_number["hidden"], false);
        assert!(by_number.get("unlock").is_none());
        let id = by_number["id"].as_str().unwrap();
        assert_eq!(app.get(&format!("/v1/cards/{id}")).answer().await.expect(200), by_number);
    }
    let first = app.get("/v1/games/ttcg/sets/hearth/cards/001").answer().await.expect(200);
    let path = format!("/v1/cards/{}/printings", first["id"].as_str().unwrap());
    let printings = app.get(&path).answer().await.expect(200);
    assert_eq!(printings["hidden"], false);
    let wanted = file["cards"][0]["printings"].as_array().unwrap();
    for (printing, wanted) in printings["data"].as_array().unwrap().iter().zip(wanted) {
        assert_eq!(
            (&printing["rarity"], &printing["attributes"]),
            (&wanted["rarity"], &wanted["attributes"])
        );
    }
    assert_eq!(printings["data"].as_array().unwrap().len(), 6);

    // A card whose file lists no printings has one printing, of the lowest rarity of the game.
    let red = app.get("/v1/cards?game=uno-emoji&limit=1").answer().await.expect(200);
    let path = format!("/v1/cards/{}/printings", red["data"][0]["id"].as_str().unwrap());
    let printings = app.get(&path).answer().await.expect(200);
    assert_eq!(printings["data"].as_array().unwrap().len(), 1);
    assert_eq!(printings["data"][0]["rarity"], "standard");
}

#[tokio::test]
async fn filters_combine_and_names_match_without_accents_and_case() {
    let app = TestApp::start().await;
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "hearth", |set| {
        set["cards"][0]["name"] = "Émile's Über-Owl".into();
        set["cards"][1]["name"] = "100% Owl_Proof".into();
    });
    app.import(&source).await.unwrap();
    let file = set_file(&source, "hearth");
    let spells =
        file["cards"].as_array().unwrap().iter().filter(|card| card["kind"] == "spell").count();
    assert_eq!(numbers(&app, "kind=spell").await.len(), spells);
    assert_eq!(numbers(&app, "kind=spell&set=veil").await, Vec::<String>::new());
    assert_eq!(numbers(&app, "set=hearth&number=002").await, ["hearth/002"]);
    for name in
        ["Émile's Über-Owl", "emile%20s%20UBEROWL", "emile*", "%C3%89MILE%20*", "e%CC%81mile*"]
    {
        assert_eq!(numbers(&app, &format!("name={name}")).await, ["hearth/001"], "{name}");
    }
    assert_eq!(
        numbers(&app, "name=uber*").await,
        Vec::<String>::new(),
        "the pattern must match the beginning of the name"
    );
    assert_eq!(numbers(&app, "name=100*").await, ["hearth/002"]);
    assert_eq!(numbers(&app, "name=1*&kind=unit&rarity=primal_rare").await.len(), 1);
    assert_eq!(numbers(&app, "rarity=standard").await, Vec::<String>::new());
    assert_eq!(numbers(&app, "game=nothing").await, Vec::<String>::new());
    for bad in [
        "name=",
        "name=%20",
        "name=*",
        "name=%00",
        "kind=",
        "kind=a%00",
        "game=%27",
        "hidden=yes",
        "include=all",
        "q=%28",
    ] {
        app.get(&format!("/v1/cards?{bad}")).answer().await.problem(400, "invalid_query");
    }
    app.get(&format!("/v1/cards?name={}", "x".repeat(201)))
        .answer()
        .await
        .problem(400, "invalid_query");
    // Invalid cursors: one that cannot be decoded, an empty array, an array with a null byte, and an object.
    for cursor in ["x", "W10", "WyJcdTAwMDAiLCJhIiwiYiJd", "e30"] {
        app.get(&format!("/v1/cards?cursor={cursor}"))
            .answer()
            .await
            .problem(400, "invalid_cursor");
    }
}

#[tokio::test]
async fn pages_contain_every_card_once_while_games_are_imported() {
    let app = TestApp::start_seeded(&["ttcg", "uno-emoji"]).await;
    let total = app.get("/v1/cards?include=total&limit=1").answer().await.expect(200)["total"]
        .as_u64()
        .unwrap();
    let mut path = "/v1/cards?limit=20".to_owned();
    let mut seen = Vec::new();
    loop {
        let answer = app.get(&path).answer().await;
        let link = answer.header("link");
        for card in answer.expect(200)["data"].as_array().unwrap() {
            seen.push(card["id"].as_str().unwrap().to_owned());
        }
        match seen.len() {
            20 => app.seed(&["emoji-tcg"]).await,
            40 => app.seed(&["emojito", "emojo-dojo"]).await,
            _ => {}
        }
        let Some((next, _)) = link.strip_prefix('<').and_then(|link| link.split_once('>')) else {
            break;
        };
        next.clone_into(&mut path);
    }
    let distinct: BTreeSet<&String> = seen.iter().collect();
    assert_eq!(distinct.len(), seen.len(), "no card is returned twice");
    assert_eq!(
        seen.len() as u64,
        total,
        "the import of games that sort before the page does not skip cards"
    );
}

#[tokio::test]
async fn unknown_and_invalid_ids_are_not_found() {
    let app = TestApp::start_seeded(&["ttcg", "uno-emoji"]).await;
    for id in ["01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11", "1", "not-a-uuid", "%00"] {
        app.get(&format!("/v1/cards/{id}")).answer().await.problem(404, "not_found");
        app.get(&format!("/v1/cards/{id}/printings")).answer().await.problem(404, "not_found");
    }
    app.get("/v1/games/ttcg/sets/hearth/cards/999").answer().await.problem(404, "not_found");
    app.get("/v1/games/uno-emoji/sets/hearth/cards/001").answer().await.problem(404, "not_found");
    app.post("/v1/cards").answer().await.problem(405, "method_not_allowed");
}

#[tokio::test]
async fn each_encoding_has_its_own_etag_and_304() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let card = app.get("/v1/games/ttcg/sets/hearth/cards/001").answer().await.expect(200);
    let id = card["id"].as_str().unwrap();
    for path in [
        "/v1/cards?game=ttcg".to_owned(),
        format!("/v1/cards/{id}"),
        format!("/v1/cards/{id}/printings"),
    ] {
        let mut tags = BTreeSet::new();
        for (encoding, ending) in [("identity", "\""), ("gzip", "-gzip\""), ("br", "-br\"")] {
            let first = app.get(&path).header("accept-encoding", encoding).answer().await;
            let tag = first.header("etag");
            assert!(tag.ends_with(ending), "{path} {encoding} {tag}");
            assert!(
                first.header("vary").to_ascii_lowercase().contains("authorization"),
                "{}",
                first.header("vary")
            );
            let again = app
                .get(&path)
                .header("accept-encoding", encoding)
                .header("if-none-match", &tag)
                .answer()
                .await;
            assert_eq!(
                (again.status, again.header("etag"), again.bytes.len()),
                (304, tag.clone(), 0),
                "{path}"
            );
            tags.insert(tag);
        }
        assert_eq!(tags.len(), 3, "{path}");
    }
    let before = app.get(&format!("/v1/cards/{id}")).answer().await.header("etag");
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "hearth", |set| set["cards"][0]["lore"] = "Rewritten.".into());
    // An edit over HTTP shows at once on the instance that performs it.
    let admin = app.admin().await;
    let set = set_file(&source, "hearth");
    app.put("/v1/games/ttcg/sets/hearth").by(&admin).json(&set).answer().await.expect(200);
    let after = app
        .get(&format!("/v1/cards/{id}"))
        .header("if-none-match", before)
        .answer()
        .await
        .expect(200);
    assert_eq!(after["lore"], "Rewritten.");
}

#[tokio::test]
async fn a_card_can_be_read_as_text() {
    let app = TestApp::start_seeded(&["ttcg", "emoji-tcg"]).await;
    let path = "/v1/games/ttcg/sets/hearth/cards/001";
    let json = app.get(path).answer().await;
    let text = app.get(path).header("accept", "text/plain").answer().await;
    assert_eq!(text.header("content-type"), "text/plain; charset=utf-8");
    for header in ["cache-control", "last-modified", "vary"] {
        assert_eq!(text.header(header), json.header(header), "{header}");
    }
    assert!(json.header("vary").contains("Accept"), "{}", json.header("vary"));
    assert_ne!(text.header("etag"), json.header("etag"));
    let known = app.get(path).header("accept", "text/plain");
    assert_eq!(known.header("if-none-match", text.header("etag")).answer().await.status, 304);
    let known = app.get(path).header("accept", "text/plain");
    assert_eq!(known.header("if-none-match", json.header("etag")).answer().await.status, 200);

    let card = json.expect(200);
    let text = text.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], card["name"]);
    assert_eq!(lines[1], format!("ttcg hearth 001 {}", card["kind"].as_str().unwrap()));
    for (code, value) in card["attributes"].as_object().unwrap() {
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Array(texts) => {
                let texts = texts.iter().map(|text| text.as_str().unwrap());
                texts.collect::<Vec<_>>().join(", ")
            }
            number => number.to_string(),
        };
        assert!(lines.contains(&format!("{code}: {value}").as_str()), "{code} in {text}");
    }
    for effect in card["effects"].as_array().unwrap() {
        let line =
            format!("[{}] {}", effect["style"].as_str().unwrap(), effect["text"].as_str().unwrap());
        assert!(lines.contains(&line.as_str()), "{line} in {text}");
    }
    // A request by id and a request by name return the same text.
    for path in [
        format!("/v1/cards/{}", card["id"].as_str().unwrap()),
        format!("/v1/cards/named?exact={}", card["name"].as_str().unwrap().replace(' ', "%20")),
    ] {
        assert_eq!(
            app.get(&path).header("accept", "text/plain").answer().await.text(),
            text,
            "{path}"
        );
    }

    let hidden = app.get("/v1/games/ttcg/sets/veil/cards/001").header("accept", "text/plain");
    assert_eq!(hidden.answer().await.text(), "ttcg veil 001\nhidden: 0 of 5 submissions\n");
    let missing = app.get("/v1/games/ttcg/sets/veil/cards/999").header("accept", "text/plain");
    missing.answer().await.problem(404, "not_found");
}

#[tokio::test]
async fn a_list_as_text_is_a_deck_list() {
    let app = TestApp::start_seeded(&["ttcg", "emojo-dojo"]).await;
    let ada = app.player("ada").await;
    let as_text = async |query: &str| {
        app.get(&format!("/v1/cards?{query}")).header("accept", "text/plain").answer().await
    };
    let answer = as_text("q=set:hearth%20type:fire%20atack%3E3&limit=5").await;
    assert!(answer.header("link").contains("rel=\"next\""), "{}", answer.header("link"));
    let text = answer.text();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("// warning: ") && lines[0].contains("atack"), "{text}");
    assert_eq!(lines[1], "// ttcg");
    assert_eq!(lines.len(), 7, "{text}");
    // The member `list` of a new deck accepts this text.
    let list = serde_json::json!({ "name": "pasted", "format": "ttcg/standard", "list": text });
    let deck = app.post("/v1/decks").by(&ada).json(&list).answer().await.expect(201);
    let entries = deck["entries"].as_array().unwrap();
    let found = app.get("/v1/cards?q=set:hearth%20type:fire&limit=5").answer().await.expect(200);
    let found = found["data"].as_array().unwrap();
    assert_eq!(entries.len(), found.len());
    for (entry, card) in entries.iter().zip(found) {
        assert_eq!((&entry["name"], &entry["number"]), (&card["name"], &card["number"]));
        assert_eq!((&entry["quantity"], &entry["set"]), (&1.into(), &"hearth".into()));
    }

    let printings = as_text("set=hearth&number=001&unique=printings").await.text();
    assert!(printings.lines().nth(1).unwrap().ends_with("(hearth) 001 {common}"), "{printings}");
    let both = as_text("limit=200&sort=number&order=desc").await.text();
    assert!(both.contains("// hidden: (veil) 001\n") && both.contains("// emojo-dojo\n"), "{both}");
}

/// Cards by id and number are read over one connection of each worker, which sends many statements before the first answer.
#[tokio::test]
async fn concurrent_reads_get_the_right_cards() {
    let app = TestApp::start_seeded_with(&["ttcg"], |settings| settings.card_cache_bytes = 0).await;
    let page = app.get("/v1/cards?game=ttcg&limit=200").answer().await.expect(200);
    let cards = page["data"].as_array().unwrap();
    let read = |card: &Value| {
        let [id, set, number] = ["id", "set", "number"].map(|field| card[field].as_str().unwrap());
        let by_number = format!("/v1/games/ttcg/sets/{set}/cards/{number}");
        [format!("/v1/cards/{id}"), by_number, format!("/v1/cards/{}", uuid::Uuid::nil())]
    };
    let paths: Vec<String> = cards.iter().flat_map(read).collect();
    // Twice as many reads as the connection may have in flight.
    for (cards, paths) in cards.chunks(22).zip(paths.chunks(66)) {
        let answers = join_all(paths.iter().map(|path| app.get(path).answer())).await;
        for (card, answers) in cards.iter().zip(answers.chunks(3)) {
            assert_eq!(answers[0].json()["id"], card["id"]);
            assert_eq!(answers[1].json()["id"], card["id"]);
            assert_eq!(answers[2].status, 404);
        }
    }
    let connections = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
                       AND query LIKE 'SELECT c.id, c.game_code, c.set_code%'";
    assert_eq!(app.db().value(connections).await, "1");
}

#[tokio::test]
async fn reads_work_again_after_postgres_closes_their_connection() {
    let app = TestApp::start_seeded_with(&["ttcg"], |settings| settings.card_cache_bytes = 0).await;
    let path = "/v1/games/ttcg/sets/hearth/cards/001";
    app.get(path).answer().await.expect(200);
    for _ in 0..3 {
        let ended = "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity \
                     WHERE datname = current_database() AND query LIKE 'SELECT c.id, c.game_code, c.set_code%'";
        assert_eq!(app.db().value(ended).await, "1");
        // A read that the service sent before it noticed the closed connection gets 503 and has to be repeated.
        read_again(&app, path).await;
    }
}

/// Reads of one worker share a connection, so each waits for those before it: at most the time limit of a statement for each of them.
#[tokio::test]
async fn reads_that_wait_for_a_lock_get_503_with_retry_after() {
    let db = Arc::new(TestDb::create().await);
    let app = TestApp::start_on(db.clone(), Clock::system(), |_| {});
    app.seed(&["ttcg"]).await;
    let hasty = TestApp::start_tuned(
        db,
        Clock::system(),
        |settings| settings.card_cache_bytes = 0,
        |settings| settings.statement_timeout = Duration::from_secs(1),
    );
    let path = "/v1/games/ttcg/sets/hearth/cards/001";
    let session = app.db().session().await;
    session.batch_execute("BEGIN; LOCK TABLE unlocks IN ACCESS EXCLUSIVE MODE").await.unwrap();
    // The last of them waits some 16 s, less than the minute that requests of tests may take.
    for answer in join_all((0..16).map(|_| hasty.get(path).answer())).await {
        assert!(!answer.header("retry-after").is_empty());
        answer.problem(503, "unavailable");
    }
    session.batch_execute("COMMIT").await.unwrap();
    read_again(&hasty, path).await;
}

/// Repeats the read as long as the service answers 503.
async fn read_again(app: &TestApp, path: &str) -> Value {
    for _ in 0..100 {
        let answer = app.get(path).answer().await;
        if answer.status != 503 {
            return answer.expect(200);
        }
        answer.problem(503, "unavailable");
    }
    panic!("{path} always returns 503");
}
