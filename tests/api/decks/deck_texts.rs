//! Deck lists in the forms that players paste, and exports of decks in the dialects of other programs.

use cardscape::domain::catalogue::import::{GameSource, SourceFile};
use cardscape::domain::serials::serial::{RunPrefix, SerialCode};
use cardscape_engine::DeckDialect;
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::support::{
    Answer, RequestExt as _, TestApp, edit_set, game_files, in_memory, seed_data, until,
};

async fn app() -> TestApp {
    TestApp::start_seeded(&["ttcg", "emoji-tcg", "yu-gi-oh"]).await
}

async fn judged(app: &TestApp, format: &str, list: &str) -> Value {
    let body = json!({ "format": format, "list": list });
    app.post("/v1/deck-reports").json(&body).answer().await.expect(200)
}

/// Zone, quantity and card of each entry.
fn entries(answer: &Value) -> Vec<String> {
    let part = |entry: &Value, part: &str| {
        entry[part].as_str().map(|text| format!(" {part}={text}")).unwrap_or_default()
    };
    let entries = answer["entries"].as_array().unwrap().iter();
    let texts = entries.map(|entry| {
        let (zone, quantity) = (entry["zone"].as_str().unwrap(), &entry["quantity"]);
        let name = entry["name"].as_str().unwrap();
        let printing = ["set", "number", "rarity"].map(|name| part(entry, name)).concat();
        format!("{zone}: {quantity} {name}{printing}")
    });
    texts.collect()
}

/// Status and detail of each line.
fn lines(answer: &Value) -> Vec<(String, String)> {
    let text = |line: &Value, member: &str| line[member].as_str().unwrap().to_owned();
    let lines = answer["reading"]["lines"].as_array().unwrap().iter();
    lines.map(|line| (text(line, "status"), text(line, "detail"))).collect()
}

#[tokio::test]
async fn a_pasted_list_is_read_and_each_line_gets_a_status() {
    let app = app().await;
    let list = "About\nName Embers\n\nDeck\n2 Kettle Imp (HEARTH) 16\n1 Bellows Smith (Hearth and Home)\nPocket Bat x2\n1 Kettle Inp\n3 Bone Fiddler // spicy\n\
                1 Ember (LOST) 99\nSideboard\n1 Kettle Imp";
    let answer = judged(&app, "ttcg/standard", list).await;
    assert_eq!(answer["reading"]["dialect"], "arena", "{answer:#}");
    let results = lines(&answer);
    let statuses: Vec<&str> = results.iter().map(|(status, _)| status.as_str()).collect();
    let entries = entries(&answer);
    assert_eq!(entries[0], "main: 2 Kettle Imp set=HEARTH number=16");
    assert!(entries[2].starts_with("main: 2 Pocket Bat"), "{entries:#?}");
    assert!(
        entries.contains(&"main: 1 Kettle Inp".to_owned()),
        "unknown cards stay in the entries: {entries:#?}"
    );
    assert!(entries.contains(&"main: 3 Bone Fiddler".to_owned()), "{entries:#?}");
    assert_eq!(entries.last().unwrap(), "side: 1 Kettle Imp");
    assert!(statuses.contains(&"accepted") && statuses.contains(&"unknown"), "{results:#?}");
    let unknown = answer["reading"]["lines"].as_array().unwrap().iter();
    let mut unknown = unknown.filter(|line| line["status"] == "unknown");
    let misspelt = unknown.next().unwrap();
    assert_eq!((&misspelt["near"][0], &misspelt["line"]), (&json!("Kettle Imp"), &json!(8)));
    // A violation names all lines of a card, also when the lines write its printing differently.
    let violations = answer["reports"][0]["violations"].as_array().unwrap();
    let copies = violations.iter().find(|one| {
        one["code"] == "COPY_LIMIT_EXCEEDED" && one["cards"][0]["name"] == "Kettle Imp"
    });
    assert_eq!(
        copies.map(|one| one["lines"].as_array().unwrap().len()),
        Some(2),
        "{violations:#?}"
    );
    // The report has the ids of the known cards, regardless of the form of their lines.
    let known = |at: usize| answer["entries"][at]["card_id"].is_string();
    assert!(known(0) && known(1) && known(2) && !known(3), "{answer:#}");
}

#[tokio::test]
async fn a_blank_line_begins_the_sideboard_where_the_game_has_one() {
    let app = app().await;
    let list = "4 Kettle Imp\n2 Bellows Smith\n\n1 Pocket Bat";
    let answer = judged(&app, "ttcg/standard", list).await;
    let sides = entries(&answer).iter().filter(|entry| entry.starts_with("side:")).count();
    let game = app.get("/v1/games/ttcg").answer().await.expect(200);
    let has_side = game["zones"].as_array().unwrap().iter().any(|zone| zone["code"] == "side");
    assert_eq!(sides, usize::from(has_side), "{answer:#}");
    app.import(&game_files("tests/data/games/harbour")).await.unwrap();
    let answer = judged(&app, "harbour/trade", "9 Salt\n\n1 Silk").await;
    assert_eq!(entries(&answer), ["main: 9 Salt", "side: 1 Silk"], "{answer:#}");
    // In the text form of this service, a blank line does not begin the sideboard.
    let own =
        judged(&app, "ttcg/standard", "// format: ttcg/standard\n4 Kettle Imp\n\n1 Pocket Bat");
    let own = own.await;
    assert_eq!(
        (own["reading"]["dialect"].as_str(), entries(&own)[1].as_str()),
        (Some("own"), "main: 1 Pocket Bat")
    );
}

#[tokio::test]
async fn cards_are_found_by_place_symbol_and_id() {
    let app = app().await;
    let answer = judged(&app, "emoji-tcg/playtest", "2 🙂\n1 😂").await;
    assert_eq!(entries(&answer)[0].split(" set=").next(), Some("main: 2 Tiny Smile"), "{answer:#}");
    assert!(lines(&answer)[0].1.contains("symbol"), "{answer:#}");
    // A row of symbols has an entry for each of them. Its lines are those of the symbols.
    let row = judged(&app, "emoji-tcg/playtest", "🙂🙂😂 ×2\n1 Tiny Smile").await;
    let row_entries = entries(&row);
    assert!(row_entries[0].starts_with("main: 4 Tiny Smile"), "{row:#}");
    assert!(row_entries[1].starts_with("main: 2 Happy Tears"), "{row:#}");
    let results = row["reading"]["lines"].as_array().unwrap();
    let of_row = |at: usize| (&results[at]["line"], &results[at]["text"], &results[at]["entry"]);
    assert_eq!(of_row(0), (&json!(1), &json!("🙂"), &json!(0)));
    assert_eq!(of_row(1), (&json!(1), &json!("😂"), &json!(1)));
    assert_eq!(results[0]["how"][0]["guess"], "symbols_counted", "{row:#}");
    // Its first character is also a mark of headings and comments.
    for (list, expected) in [
        ("2 #\u{fe0f}\u{20e3}", "main: 2 Hashtag"),
        ("#\u{fe0f}\u{20e3}", "main: 1 Hashtag"),
        ("#\u{fe0f}\u{20e3}#\u{fe0f}\u{20e3}", "main: 2 Hashtag"),
        ("#\u{fe0f}\u{20e3}🙂", "main: 1 Hashtag"),
        ("🙂 (3)", "main: 3 Tiny Smile"),
        ("3🙂", "main: 3 Tiny Smile"),
    ] {
        let answer = judged(&app, "emoji-tcg/playtest", list).await;
        assert!(entries(&answer)[0].starts_with(expected), "{list}: {answer:#}");
    }
    // A list of external ids: the game does not declare which attribute of its cards holds them, and the report states this.
    let ids = judged(&app, "ttcg/standard", "#main\n46986414\n46986414\n!side\n1").await;
    assert_eq!(ids["reading"]["dialect"], "ydk");
    assert_eq!(ids["reading"]["lines"][1]["reason"], "external_ids_not_declared", "{ids:#}");
    let code = share_code(&app, "2 Kettle Imp (hearth) 016\n1 Bellows Smith (hearth) 019").await;
    let shared = judged(&app, "ttcg/standard", &code).await;
    assert_eq!(shared["reading"]["dialect"], "share_code");
    assert_eq!(
        entries(&shared),
        ["main: 2 Kettle Imp set=hearth number=016", "main: 1 Bellows Smith set=hearth number=019"]
    );
    assert!(shared["entries"][0]["card_id"].is_string());
}

/// The name of a set in square brackets is no label, also if nothing else in the list needs the sets of the game.
#[tokio::test]
async fn a_set_in_square_brackets_is_read_in_every_list() {
    let app = TestApp::start_seeded_with(&["ttcg"], in_memory).await;
    app.catch_up().await;
    // The first list loads the sets, the second one finds them in the cache.
    for _ in 0..2 {
        let answer = judged(&app, "ttcg/standard", "2 Kettle Imp [Hearth and Hollow]").await;
        assert_eq!(entries(&answer), ["main: 2 Kettle Imp set=hearth"], "{answer:#}");
    }
}

/// The service caches the sets that lists name. The instance that changes a set uses the change at once, and other instances use it soon after.
#[tokio::test]
async fn the_sets_that_lists_name_follow_the_catalogue() {
    const LIST: &str = "1 Kettle Imp (The Hearth, Renamed)\n1 Nobody (veil)";
    const SET: &str = "/v1/games/ttcg/sets/hearth";
    let app = TestApp::start_seeded_with(&["ttcg"], in_memory).await;
    app.catch_up().await;
    let other = app.second_instance_in_memory().await;
    let set_of = async |of: &TestApp| {
        let answer = judged(of, "ttcg/standard", LIST).await;
        answer["entries"][0]["set"].as_str().unwrap_or_default().to_owned()
    };
    let gaps = async |of: &TestApp| -> Vec<String> {
        let answer = judged(of, "ttcg/standard", LIST).await;
        let violations = answer["reports"][0]["violations"].as_array().unwrap().clone();
        let gaps = violations.iter().filter(|gap| gap["code"] == "SET_WITHOUT_CARDS");
        gaps.map(|gap| gap["message"].to_string()).collect()
    };
    for of in [&app, &other] {
        assert_ne!(set_of(of).await, "hearth", "no set has that name");
    }
    let admin = app.admin().await;
    let etag = app.get(SET).by(&admin).answer().await.header("etag");
    let patch = app.patch(SET).by(&admin).header("if-match", &etag);
    patch.json(&json!({ "name": "The Hearth, Renamed" })).answer().await.expect(200);
    assert_eq!(set_of(&app).await, "hearth");
    until("the other instance uses the new name of the set", async |_| {
        set_of(&other).await == "hearth"
    })
    .await;
    for of in [&app, &other] {
        assert_eq!(
            gaps(of).await,
            [] as [String; 0],
            "{:#}",
            judged(of, "ttcg/standard", LIST).await
        );
    }
}

async fn share_code(app: &TestApp, list: &str) -> String {
    let ada = app.player("sharer").await;
    let deck = json!({ "name": "n", "format": "ttcg/standard", "list": list });
    let path = app.post("/v1/decks").by(&ada).json(&deck).answer().await.header("location");
    let exported = app.get(&format!("{path}/export?dialect=share_code")).by(&ada).answer().await;
    exported.expect(200)["text"].as_str().unwrap().to_owned()
}

/// The deck has only one of two cards whose numbers differ only in leading zeros, and the other has the shorter number.
#[tokio::test]
async fn a_share_code_tells_numbers_apart_that_differ_only_in_zeros_or_case() {
    let app = app().await;
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "hearth", |set| {
        let others =
            [("16", "Kettle Ghost"), ("16A", "Kettle Owl"), ("16a", "Kettle Ape"), ("017B", "Pot")];
        for (number, name) in others {
            let mut other = set["cards"][0].clone();
            (other["number"], other["name"]) = (json!(number), json!(name));
            set["cards"].as_array_mut().unwrap().push(other);
        }
    });
    app.import(&source).await.unwrap();
    let ada = app.player("sharer").await;
    for name in ["Kettle Imp", "Kettle Ghost", "Kettle Owl", "Kettle Ape", "Pot"] {
        let deck = json!({ "name": "n", "format": "ttcg/standard", "list": format!("2 {name}") });
        let path = app.post("/v1/decks").by(&ada).json(&deck).answer().await.header("location");
        let path = format!("{path}/export?dialect=share_code");
        let exported = app.get(&path).by(&ada).answer().await.expect(200);
        let code = exported["text"].as_str().unwrap();
        let shared = judged(&app, "ttcg/standard", code).await;
        assert_eq!(shared["entries"][0]["name"], name, "{shared:#}");
        let named = judged(&app, "ttcg/standard", &format!("2 {name}")).await;
        assert_eq!(named["reading"]["lines"][0]["status"], "accepted", "{named:#}");
    }
    for unclear in ["2 (hearth) 0016", "2 (hearth) 016A"] {
        let judged = judged(&app, "ttcg/standard", unclear).await;
        assert_eq!(judged["reading"]["lines"][0]["status"], "ambiguous", "{judged:#}");
    }
    for number in ["017B", "17b", "HEARTH-17B"] {
        let line =
            if number.contains('-') { number.to_owned() } else { format!("(hearth) {number}") };
        let judged = judged(&app, "ttcg/standard", &format!("2 {line}")).await;
        assert_eq!(judged["entries"][0]["name"], "Pot", "{judged:#}");
    }
}

/// A number that is printed with small and capital letters, and a quantity after a name that is typed without its accents.
#[tokio::test]
async fn cards_are_found_in_any_case_of_numbers_and_without_accents() {
    let app = TestApp::start().await;
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "hearth", |set| {
        for (number, name) in [("xY7", "Kettle Elk"), ("990", "Étoile")] {
            let mut other = set["cards"][0].clone();
            (other["number"], other["name"]) = (json!(number), json!(name));
            set["cards"].as_array_mut().unwrap().push(other);
        }
    });
    app.import(&source).await.unwrap();
    let second = app.second_instance_in_memory().await;
    let cases = [
        ("2 (hearth) xY7", "Kettle Elk"),
        ("2 (hearth) xy7", "Kettle Elk"),
        ("2xHEARTH-XY7", "Kettle Elk"),
        ("2 Etoile", "Étoile"),
        ("Etoile (2)", "Étoile"),
    ];
    for (line, name) in cases {
        for instance in [&app, &second] {
            let judged = judged(instance, "ttcg/standard", line).await;
            let entry = &judged["entries"][0];
            let found = (&entry["name"], &entry["quantity"]);
            assert_eq!(found, (&json!(name), &json!(2)), "{judged:#}");
        }
    }
}

#[tokio::test]
async fn mistyped_share_codes_and_codes_of_another_game_are_refused() {
    let app = app().await;
    let code = share_code(&app, "2 Kettle Imp (hearth) 016\n1 Bellows Smith (hearth) 019").await;
    let ask = async |format: &str, list: &str| {
        let body = json!({ "format": format, "list": list });
        app.post("/v1/deck-reports").json(&body).answer().await
    };
    let last = if code.ends_with('A') { 'B' } else { 'A' };
    let mistyped = format!("{}{last}", &code[..code.len() - 1]);
    let problem = ask("ttcg/standard", &mistyped).await.problem(422, "unreadable_deck_list");
    assert!(problem["errors"][0]["detail"].as_str().unwrap().contains("check digits"), "{problem}");
    let problem = ask("emoji-tcg/playtest", &code).await.problem(422, "invalid_body");
    assert_eq!(problem["errors"][0]["detail"], "is a deck of the game ttcg");
}

#[tokio::test]
async fn a_serial_code_in_a_list_is_neither_stored_nor_returned() {
    let app = app().await;
    let ada = app.player("ada").await;
    let code = SerialCode::assemble(RunPrefix::parse("7K").unwrap(), &[3; 13]).reveal();
    let list = format!(
        "2 Kettle Imp\n1 {code}\n{code}\nSB: 1 {code}\n1 {code} {{rare}}\n1 \"{code}\" (hearth) 017\n1 Pocket Bat, {code}\n1 foo{code}\n1 {code}bar\n1 Pocket Bat"
    );
    let body = json!({ "name": "n", "format": "ttcg/standard", "list": list });
    let answer = app.post("/v1/decks").by(&ada).json(&body).answer().await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    assert!(!answer.text().contains(&code), "{}", answer.text());
    let created = answer.json();
    let unread = created["unread_lines"].as_array().unwrap();
    assert!(
        unread.len() >= 5 && unread.iter().all(|line| line["text"] == "(a serial code)"),
        "{created:#}"
    );
    let stored = "SELECT (SELECT string_agg(name, ' ') FROM deck_entries) || (SELECT string_agg(unread_lines::text, '') FROM decks) \
                  || (SELECT string_agg(content::text, '') FROM deck_revisions)";
    let stored = app.db().value(stored).await;
    assert!(!stored.contains(&code) && stored.contains("Kettle Imp"), "{stored}");
    // What stands beside a name is quoted in guesses and labels, but not if it is a code.
    let remarks = format!("2 Kettle Imp // {code}\n1 Pocket Bat #{code}\n1 Bone Fiddler");
    let surplus = format!("Count,Name,Edition\n2,Kettle Imp,nowhere,{code}\n1,Pocket Bat,,{code}");
    let headed = judged(&app, "ttcg/standard", &surplus).await;
    assert!(!headed.to_string().contains(&code), "{headed:#}");
    assert_eq!(entries(&headed)[0], "main: 2 Kettle Imp");
    let heading = format!("[4 {code}]\n(4 {code})\n2 Kettle Imp");
    assert!(!judged(&app, "ttcg/standard", &heading).await.to_string().contains(&code));
    for list in [remarks, format!("2,Kettle Imp,{code}\n1,Pocket Bat,{code}")] {
        let answer = judged(&app, "ttcg/standard", &list).await;
        assert!(!answer.to_string().contains(&code), "{answer:#}");
        assert!(entries(&answer)[0].starts_with("main: 2 Kettle Imp"), "{answer:#}");
        assert!(lines(&answer)[0].1.contains("(a serial code)"), "{answer:#}");
    }
    // Names of facts about the deck and of columns are quoted, too.
    let facts = format!("// {code}: x\n2 Kettle Imp");
    for list in [facts, format!("Quantity,Name,{code}\n2,Kettle Imp,x")] {
        let answer = judged(&app, "ttcg/standard", &list).await;
        assert!(!answer.to_string().to_uppercase().contains(&code), "{answer:#}");
        assert!(entries(&answer)[0].starts_with("main: 2 Kettle Imp"), "{answer:#}");
    }
    // Nor does the deck get a code as its name.
    for stated in [code.as_str(), "7KQ2-0000-0000-0000", ""] {
        let request = app.post("/v1/decks?format=ttcg/standard").by(&ada);
        let named = upload(request, format!("// name: {stated}\n2 Kettle Imp")).answer().await;
        assert_eq!(named.expect(201)["name"], "Deck");
    }
    let entry = json!({ "name": "n", "format": "ttcg/standard", "entries": [{ "quantity": 1, "name": code }] });
    let problem = app.post("/v1/decks").by(&ada).json(&entry).answer().await;
    let problem = problem.problem(422, "invalid_body");
    assert_eq!(problem["errors"][0]["pointer"], "/entries/0/name");
}

/// A request with a list as its body.
fn upload(request: RequestBuilder, list: impl Into<Vec<u8>>) -> RequestBuilder {
    request.header("content-type", "text/plain").body(list.into())
}

#[tokio::test]
async fn a_list_is_accepted_as_a_plain_text_body() {
    let app = app().await;
    let ada = app.player("ada").await;
    // The apostrophe is encoded in Windows-1252 and is not valid UTF-8.
    let mut file =
        b"// format: ttcg/standard\r\n// name: Friday\r\n2 Kettle Imp\r\n1 Nobody".to_vec();
    file.extend(b"\x92s Own\r\n");
    let report = upload(app.post("/v1/deck-reports"), file.clone()).answer().await.expect(200);
    assert_eq!(report["reading"]["encoding"], "windows-1252");
    assert_eq!(entries(&report), ["main: 2 Kettle Imp", "main: 1 Nobody’s Own"]);
    let created = upload(app.post("/v1/decks").by(&ada), file.clone()).answer().await.expect(201);
    assert_eq!((&created["name"], &created["format"]), (&json!("Friday"), &json!("ttcg/standard")));

    // A repeated request stores one deck. The same key with other parameters is refused.
    let send = async |query: &str| -> Answer {
        let request =
            app.post(&format!("/v1/decks{query}")).by(&ada).header("idempotency-key", "f");
        upload(request, "1 Kettle Imp").answer().await
    };
    let first = send("?format=ttcg/standard&name=Once&visibility=unlisted").await;
    let again = send("?format=ttcg/standard&name=Once&visibility=unlisted").await;
    assert_eq!(first.expect(201), again.expect(201));
    send("?format=ttcg/standard&name=Twice").await.problem(422, "idempotency_key_reused");

    let bare = upload(app.post("/v1/deck-reports"), "1 Kettle Imp").answer().await;
    let problem = bare.problem(400, "invalid_query");
    assert_eq!(problem["errors"][0]["pointer"], "?format", "{problem}");
    let odd =
        upload(app.post("/v1/deck-reports?dialect=arean"), "// format: ttcg/standard\n1 Ping");
    assert_eq!(
        odd.answer().await.problem(400, "invalid_query")["errors"][0]["pointer"],
        "?dialect"
    );
    let beside = app
        .post("/v1/deck-reports?dialect=own")
        .json(&json!({ "format": "ttcg/standard", "entries": [] }));
    beside.answer().await.problem(400, "invalid_query");
    let inner = "{\"entries\": [{\"quantity\": 1, \"card\": {\"name\": \"a\\u0000b\"}}, {\"quantity\": 1, \"card\": {\"name\": \"Ping\"}}]}";
    let inner = json!({ "name": "n", "format": "ttcg/standard", "list": inner });
    let raw = upload(app.post("/v1/decks").by(&ada), "// format: ttcg/standard\n1 a\0b\n1 Ping");
    raw.answer().await.problem(422, "invalid_body");
    let answer = app.post("/v1/decks").by(&ada).json(&inner).answer().await;
    assert!(!answer.text().contains("\\u0000"), "{}", answer.text());
    assert_eq!(answer.expect(201)["unread_lines"][0]["text"], "1 a b");
    upload(app.post("/v1/deck-reports?format=ttcg/standard&when=now"), "1 Ping")
        .answer()
        .await
        .problem(400, "invalid_query");
    let xml = app.post("/v1/deck-reports").header("content-type", "application/xml").body("<a/>");
    xml.answer().await.problem(415, "unsupported_media_type");
}

/// Lists of other programs state a name in their own way. It counts if the request has none.
#[tokio::test]
async fn a_deck_gets_the_name_that_its_list_states() {
    let app = app().await;
    let ada = app.player("ada").await;
    let arena = "About\nName Embers and Bones\n\nDeck\n2 Kettle Imp\n";
    let forge = "[metadata]\nName=Embers and Bones\n[Main]\n2 Kettle Imp\n";
    let send = async |body: Value| app.post("/v1/decks").by(&ada).json(&body).answer().await;
    for list in [arena, forge] {
        let created = send(json!({ "format": "ttcg/standard", "list": list })).await.expect(201);
        assert_eq!(created["name"], "Embers and Bones", "{created:#}");
        let request = upload(app.post("/v1/decks?format=ttcg/standard").by(&ada), list);
        assert_eq!(request.answer().await.expect(201)["name"], "Embers and Bones", "{list}");
        let named = send(json!({ "name": "Mine", "format": "ttcg/standard", "list": list }));
        assert_eq!(named.await.expect(201)["name"], "Mine", "{list}");
    }
    let bare = upload(app.post("/v1/decks?format=ttcg/standard").by(&ada), "2 Kettle Imp");
    assert_eq!(bare.answer().await.expect(201)["name"], "Deck");
    // A name that is too long for a deck is cut, and the list is read.
    let long = arena.replace("Embers", &"x".repeat(100));
    let cut = send(json!({ "list": long, "format": "ttcg/standard" })).await.expect(201);
    assert_eq!(cut["name"], "x".repeat(100));
    assert_eq!(cut["reading"]["notes"]["name"], format!("{} and Bones", "x".repeat(100)));
    let stated = format!("// name: {}\n2 Kettle Imp", "y".repeat(150));
    let request = upload(app.post("/v1/decks?format=ttcg/standard").by(&ada), stated);
    assert_eq!(request.answer().await.expect(201)["name"], "y".repeat(100));
    // A heading above a share code is no name, and a comment may be one.
    let code = share_code(&app, "2 Kettle Imp (hearth) 016").await;
    let body = json!({ "list": format!("// name: Zed\n{code}"), "format": "ttcg/standard" });
    assert_eq!(send(body).await.expect(201)["name"], "Zed");
    let below_heading = json!({ "list": format!("Deck:\n{code}"), "format": "ttcg/standard" });
    for (body, detail) in [
        (
            json!({ "list": "2 Kettle Imp", "format": "ttcg/standard" }),
            "is missing, and the list states no name",
        ),
        (below_heading, "is missing, and the list states no name"),
        (json!({ "entries": [], "format": "ttcg/standard" }), "is missing"),
    ] {
        let problem = send(body).await.problem(422, "invalid_body");
        assert_eq!(problem["errors"][0]["pointer"], "/name", "{problem:#}");
        assert_eq!(problem["errors"][0]["detail"], detail, "{problem:#}");
    }
}

/// Browsers and tools name the type of a file by its extension, and often the wrong `charset`.
#[tokio::test]
async fn files_are_accepted_whatever_type_they_are_sent_as() {
    let app = app().await;
    let ada = app.player("ada").await;
    let table = "sep=;\r\nAnzahl;Kartenname\r\n2;Kettle Imp\r\n1;Bellows Smith\r\n";
    let utf_16 =
        |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let expected = ["main: 2 Kettle Imp", "main: 1 Bellows Smith"];
    for (media_type, list, dialect, encoding) in [
        ("text/csv", table.as_bytes().to_vec(), "csv", "utf-8"),
        ("text/csv; charset=utf-8; header=present", utf_16(table), "csv", "utf-16"),
        (
            "text/tab-separated-values",
            table.replace("sep=;\r\n", "").replace(';', "\t").into(),
            "csv",
            "utf-8",
        ),
        ("application/octet-stream", b"2 Kettle Imp\n1 Bellows Smith".to_vec(), "plain", "utf-8"),
        ("text/plain; charset=utf-16", utf_16("2 Kettle Imp\n1 Bellows Smith"), "plain", "utf-16"),
        (
            "text/plain; charset=windows-1252",
            b"2 Kettle Imp\n1 Bellows Smith\n// \x92".to_vec(),
            "plain",
            "windows-1252",
        ),
    ] {
        let send = |path: &str| {
            app.post(path).by(&ada).header("content-type", media_type).body(list.clone())
        };
        let report = send("/v1/deck-reports?format=ttcg/standard").answer().await.expect(200);
        assert_eq!(report["reading"]["dialect"], dialect, "{media_type}: {report:#}");
        assert_eq!(report["reading"]["encoding"], encoding, "{media_type}: {report:#}");
        assert_eq!(entries(&report), expected, "{media_type}: {report:#}");
        let created = send("/v1/decks?format=ttcg/standard").answer().await.expect(201);
        assert_eq!(entries(&created), expected, "{media_type}: {created:#}");
    }
}

/// Pictures and office documents have NUL characters. The refusal is about the file and not about these.
#[tokio::test]
async fn files_without_text_are_refused_as_such() {
    let app = app().await;
    let ada = app.player("ada").await;
    for file in
        [b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".as_slice(), b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0"]
    {
        for media_type in ["application/octet-stream", "text/plain"] {
            for path in ["/v1/deck-reports", "/v1/decks"] {
                let request = app.post(&format!("{path}?format=ttcg/standard")).by(&ada);
                let request = request.header("content-type", media_type).body(file.to_vec());
                let problem = request.answer().await.problem(422, "unreadable_deck_list");
                assert_eq!(problem["errors"][0]["pointer"], "/list", "{problem:#}");
                let detail = problem["errors"][0]["detail"].as_str().unwrap();
                assert!(!detail.contains("NUL") && detail.contains("picture"), "{problem:#}");
            }
        }
    }
    let list = json!({ "format": "ttcg/standard", "list": "\u{89}PNG\0\0\0" });
    let problem = app.post("/v1/deck-reports").json(&list).answer().await;
    let problem = problem.problem(422, "invalid_body");
    assert_eq!(problem["errors"][0]["detail"], "must not contain the NUL character (\\u0000)");
}

/// A bullet, a check box and marks of Markdown also stand before cards, so a misspelt name after them is not a heading.
#[tokio::test]
async fn misspelt_names_in_decorated_lines_are_unknown() {
    let app = app().await;
    let list = "2 Bellows Smith\n- Kettle Inp\n[ ] Kettle Inp\n**Kettle Inp**\n**My notes:**\n- Sideboard\n1 Kettle Imp";
    let answer = judged(&app, "ttcg/standard", list).await;
    let results = lines(&answer);
    let statuses: Vec<&str> = results[1..6].iter().map(|(status, _)| status.as_str()).collect();
    let expected = ["unknown", "unknown", "unknown", "ignored", "ignored"];
    assert_eq!(statuses, expected, "{results:#?}");
    for line in 1..4 {
        assert_eq!(answer["reading"]["lines"][line]["near"][0], "Kettle Imp", "{answer:#}");
    }
    assert_eq!(entries(&answer).last().unwrap(), "side: 1 Kettle Imp");
}

#[tokio::test]
async fn json_of_other_programs_is_read_and_its_faults_are_reported_in_words() {
    let app = app().await;
    let list = r#"{"cards": [{"count": 2, "card": {"name": "Kettle Imp", "set": "hearth"}}, {"quantity": 1, "name": "Bellows Smith"}]}"#;
    let answer = judged(&app, "ttcg/standard", list).await;
    assert_eq!(answer["reading"]["dialect"], "json", "{answer:#}");
    let expected = ["main: 2 Kettle Imp set=hearth", "main: 1 Bellows Smith"];
    assert_eq!(entries(&answer), expected);
    // Names and quantities beside a zone are not left out.
    let list = r#"{"deck": {"Kettle Imp": 2, "sideboard": {"Bellows Smith": 1}}}"#;
    let counts = entries(&judged(&app, "ttcg/standard", list).await);
    assert!(counts.contains(&"main: 2 Kettle Imp".to_owned()), "{counts:#?}");
    assert!(counts.contains(&"side: 1 Bellows Smith".to_owned()), "{counts:#?}");
    for (list, said) in [
        (
            r#"{"cards": [{"count": 2 "name": "Kettle Imp"}]}"#,
            "a comma or a closing bracket is missing (line 1, column 24)",
        ),
        (r#"{"cards": [{"name": "Kettle Imp"}]}"#, "an entry has no"),
        ("{'cards': []}", "the name of a member has no double quotes (line 1, column 2)"),
    ] {
        let body = json!({ "format": "ttcg/standard", "list": list });
        let answer = app.post("/v1/deck-reports").json(&body).answer().await;
        let text = answer.text();
        assert!(text.contains(said) && !text.contains("expected `"), "{text}");
        answer.problem(422, "unreadable_deck_list");
    }
}

#[tokio::test]
async fn tables_tell_guessed_columns_columns_that_are_not_read_and_wrong_quantities() {
    let app = app().await;
    let answer = judged(&app, "ttcg/standard", "2,Kettle Imp\n1,Bellows Smith").await;
    assert_eq!(entries(&answer), ["main: 2 Kettle Imp", "main: 1 Bellows Smith"]);
    let how = &answer["reading"]["lines"][0]["how"];
    assert_eq!(*how, json!([{ "guess": "columns_guessed" }]), "{answer:#}");

    let table = "Qty,Name,Price\n2.0,Kettle Imp,1\ntwo,Bellows Smith,1\n,Bellows Smith,1\n";
    let answer = judged(&app, "ttcg/standard", table).await;
    assert_eq!(entries(&answer), ["main: 2 Kettle Imp"]);
    let results = lines(&answer);
    assert!(results[0].1.ends_with("these are not read: Price"), "{results:#?}");
    for (status, detail) in &results[2..] {
        assert_eq!(
            (status.as_str(), detail.contains("a whole number")),
            ("refused", true),
            "{detail}"
        );
    }
}

/// The other lines are read as in lists of other programs: what the card does not have is left out.
#[tokio::test]
async fn braces_in_one_line_do_not_change_the_others() {
    let app = app().await;
    let list = "2 Kettle Imp (nowhere) 999\n1 Bellows Smith {nowhere}";
    let answer = judged(&app, "ttcg/standard", list).await;
    assert_eq!(answer["reading"]["dialect"], "own", "{answer:#}");
    assert_eq!(entries(&answer)[0], "main: 2 Kettle Imp");
    assert_eq!(lines(&answer)[0].0, "guessed", "{answer:#}");
}

/// A file with a line for each copy: every line has a result, and lines of one card that follow each other have the same entry.
#[tokio::test]
async fn each_line_of_a_file_of_ids_has_a_result() {
    let app = app().await;
    let ids = judged(&app, "ttcg/standard", "#main\n46986414\n46986414\n46986414\n!side\n1").await;
    let lines = ids["reading"]["lines"].as_array().unwrap().iter();
    let lines: Vec<_> = lines.map(|line| (line["line"].as_u64(), line["entry"].as_u64())).collect();
    let (first, second) = (Some(0), Some(1));
    let expected = [(1, None), (2, first), (3, first), (4, first), (5, None), (6, second)];
    assert_eq!(lines, expected.map(|(line, entry)| (Some(line), entry)), "{ids:#}");
    assert_eq!(entries(&ids), ["main: 3 46986414", "side: 1 1"]);
}

#[tokio::test]
async fn a_line_may_have_several_cards() {
    let app = app().await;
    let answer = judged(&app, "ttcg/standard", "2 Kettle Imp, 1 Belows Smith").await;
    assert_eq!(entries(&answer), ["main: 2 Kettle Imp", "main: 1 Belows Smith"]);
    let results = answer["reading"]["lines"].as_array().unwrap();
    let of_line = |at: usize| (&results[at]["line"], &results[at]["text"], &results[at]["entry"]);
    assert_eq!(of_line(0), (&json!(1), &json!("2 Kettle Imp"), &json!(0)));
    assert_eq!(of_line(1), (&json!(1), &json!("1 Belows Smith"), &json!(1)));
    assert_eq!(results[0]["how"], json!([{ "guess": "several_cards" }]), "{answer:#}");
    assert_eq!(results[1]["near"][0], "Bellows Smith", "{answer:#}");
    let answer = judged(&app, "ttcg/standard", "Kettle Imp x2; Bellows Smith (1)").await;
    assert_eq!(entries(&answer), ["main: 2 Kettle Imp", "main: 1 Bellows Smith"]);
    // A deck has at most 500 entries, however many stand in a line.
    let line = vec!["1 Kettle Imp"; 50].join(", ");
    let body = json!({ "format": "ttcg/standard", "list": format!("{line}\n").repeat(21) });
    let refused = app.post("/v1/deck-reports").json(&body).answer().await;
    let problem = refused.problem(422, "invalid_body");
    assert_eq!(problem["errors"][0]["pointer"], "/list", "{problem}");
}

#[tokio::test]
async fn the_lines_around_a_share_code_are_listed() {
    let app = app().await;
    let code = share_code(&app, "2 Kettle Imp (hearth) 016").await;
    for list in [format!("Tide turner\n{code}\n\nHave fun!"), format!("Tide turner {code}")] {
        let answer = judged(&app, "ttcg/standard", &list).await;
        assert_eq!(answer["reading"]["dialect"], "share_code", "{answer:#}");
        assert_eq!(entries(&answer), ["main: 2 Kettle Imp set=hearth number=016"]);
        let title = &answer["reading"]["lines"][0];
        assert_eq!((&title["text"], &title["line"]), (&json!("Tide turner"), &json!(1)));
        assert_eq!((&title["status"], &title["reason"]), (&json!("ignored"), &json!("note")));
        assert_eq!(answer["reading"]["notes"]["name"], "Tide turner");
    }
}

/// A code is recognised in the whole line: a part of it would be shown where a long line is cut.
#[tokio::test]
async fn no_part_of_a_serial_code_is_shown_where_a_line_is_cut() {
    let app = app().await;
    let code = "7KQ2-0000-0000-0000";
    for letters in [182, 188, 190, 194, 198] {
        let words = "x".repeat(letters);
        for list in [
            format!("2 Kettle Imp\n// {words} {code}"),
            format!("2 Kettle Imp // {words} {code}"),
            format!("2 Kettle Imp #{words} {code}"),
            format!("Count,Name\n2,Kettle Imp,{words} {code}"),
            format!("Count,Name,{words} {code}\n2,Kettle Imp,y"),
            format!("2 Kettle Imp\n1 {words} {code}"),
        ] {
            let answer = judged(&app, "ttcg/standard", &list).await.to_string();
            assert!(!answer.contains("7KQ2"), "{letters}: {answer}");
        }
    }
}

#[tokio::test]
async fn a_list_of_comments_alone_does_not_empty_a_deck() {
    let app = app().await;
    let ada = app.player("ada").await;
    let created = upload(app.post("/v1/decks?format=ttcg/standard").by(&ada), "2 Kettle Imp");
    let created = created.answer().await.expect(201);
    let path = format!("/v1/decks/{}", created["id"].as_str().unwrap());
    for list in ["// format: ttcg/standard", "# a\n\n// b\n"] {
        let put = app.put(&format!("{path}?format=ttcg/standard")).by(&ada).header("if-match", "*");
        let problem = upload(put, list).answer().await.problem(422, "invalid_body");
        assert_eq!(problem["errors"][0]["pointer"], "/list", "{problem}");
        let body = json!({ "name": "n", "format": "ttcg/standard", "list": list });
        let put = app.put(&path).by(&ada).header("if-match", "*").json(&body);
        let of_json = put.answer().await.problem(422, "invalid_body");
        assert_eq!(of_json["errors"], problem["errors"], "{list}");
    }
    let stored = app.get(&path).by(&ada).answer().await.expect(200);
    assert_eq!(stored["entries"][0]["name"], "Kettle Imp", "{stored}");
}

#[tokio::test]
async fn a_list_with_too_many_lines_is_refused_with_the_limit() {
    let app = app().await;
    for line in ["1 Kettle Imp\n", "// a remark\n"] {
        let list = line.repeat(10_001);
        let body = json!({ "format": "ttcg/standard", "list": list });
        let answer = app.post("/v1/deck-reports").json(&body).answer().await;
        let problem = answer.problem(422, "invalid_body");
        let detail = "must have at most 10000 lines that are not blank, not 10001";
        assert_eq!(problem["errors"][0]["pointer"], "/list", "{problem}");
        assert_eq!(problem["errors"][0]["detail"], detail, "{problem}");
    }
}

/// A share code is by set and number: an entry that accepts any printing gets one, and the export says so.
#[tokio::test]
async fn a_share_code_tells_which_entries_get_a_printing() {
    let app = app().await;
    let ada = app.player("ada").await;
    let list = "2 Kettle Imp\n1 Bellows Smith (hearth)\n1 Pocket Bat\n1 Nobody's Own Card\n";
    let body =
        json!({ "name": "n", "format": "ttcg/standard", "visibility": "public", "list": list });
    let path = app.post("/v1/decks").by(&ada).json(&body).answer().await.header("location");
    let problem = app.get(&format!("{path}/export")).answer().await.problem(400, "invalid_query");
    assert_eq!(problem["errors"][0]["pointer"], "?dialect", "{problem}");
    let detail = problem["errors"][0]["detail"].as_str().unwrap();
    assert!(detail.starts_with("is missing; must be one of ") && detail.contains("arena"));
    let export = app.get(&format!("{path}/export?dialect=share_code")).answer().await.expect(200);
    let losses = export["losses"].as_array().unwrap().iter();
    let losses = losses.filter(|loss| loss["kind"] == "any_printing");
    let entries: Vec<&Value> = losses.map(|loss| &loss["entry"]).collect();
    assert_eq!(entries, [0, 1, 2], "{export:#}");
}

/// A game whose cards have ids of other programs, as values of this type.
fn orbit(id_type: &str, ids: &[Value; 3]) -> GameSource {
    let manifest = format!(
        "code = \"orbit\"\nname = \"Orbit\"\nrules_version = \"orbit/1\"\n\
         [cards]\nunique_names = false\nexternal_id = \"ledger\"\n\
         [[kinds]]\ncode = \"ship\"\nname = \"Ship\"\nattributes.ledger = {{ type = \"{id_type}\", optional = true }}\n\
         [[formats]]\ncode = \"open\"\nname = \"Open\"\nversion = \"1\"\n"
    );
    let names = ["Ada", "Beta One", "Big"];
    let cards = (1..).zip(names.into_iter().zip(ids)).map(|(number, (name, id)): (u32, _)| {
        json!({ "number": number.to_string(), "name": name, "kind": "ship", "attributes": { "ledger": id } })
    });
    let set = json!({ "code": "dawn", "name": "Dawn", "cards": cards.collect::<Vec<_>>() });
    GameSource {
        manifest: SourceFile::new("game.toml", &manifest),
        sets: vec![SourceFile::new("dawn.json", &set.to_string())],
    }
}

/// An id of two cards means none of them for sure, and a card with such an id is not written without a loss.
#[tokio::test]
async fn an_external_id_of_two_names_is_ambiguous_and_its_export_has_a_loss() {
    let numbers = [json!(1_001), json!(1_001), json!(5_000_000_000_u64)];
    let texts = [json!("01001"), json!("1001"), json!("5000000000")];
    for (id_type, ids, is_in_memory) in [
        ("integer", &numbers, false),
        ("integer", &numbers, true),
        ("text", &texts, false),
        ("text", &texts, true),
    ] {
        let app = TestApp::start_with(|settings| {
            if is_in_memory {
                in_memory(settings);
            }
        })
        .await;
        app.import(&orbit(id_type, ids)).await.unwrap();
        if is_in_memory {
            app.catch_up().await;
        }
        let answer = judged(&app, "orbit/open", "#main\n1001\n5000000000").await;
        let lines = &answer["reading"]["lines"];
        assert_eq!(lines[1]["status"], "ambiguous", "{id_type}: {answer:#}");
        let candidates = lines[1]["candidates"].as_array().unwrap().iter();
        let names: Vec<&Value> = candidates.map(|card| &card["name"]).collect();
        assert_eq!(names, ["Ada", "Beta One"], "{id_type}: {answer:#}");
        assert_eq!(lines[2]["status"], "accepted", "{id_type}: {answer:#}");
        let ada = app.player("ada").await;
        let body = json!({ "name": "n", "format": "orbit/open", "visibility": "public", "list": "1 Beta One\n1 Big" });
        let path = app.post("/v1/decks").by(&ada).json(&body).answer().await.header("location");
        for (dialect, expected) in
            [("ydk", json!([[0, "name"]])), ("ydke", json!([[0, "name"], [1, "id_too_large"]]))]
        {
            let export = app.get(&format!("{path}/export?dialect={dialect}")).answer().await;
            let export = export.expect(200);
            let losses = export["losses"].as_array().unwrap().iter();
            let losses: Vec<Value> =
                losses.map(|loss| json!([loss["entry"], loss["kind"]])).collect();
            assert_eq!(json!(losses), expected, "{id_type}: {export:#}");
        }
    }
}

/// The cards with the longer names are in the catalogue, but not in the deck.
#[tokio::test]
async fn our_own_text_puts_a_name_in_quotes_that_begins_a_longer_one() {
    let manifest = "code = \"em\"\nname = \"Em\"\nrules_version = \"em/1\"\n\
                    [[rarities]]\ncode = \"c\"\nname = \"Common\"\nweight = 2\n\
                    [[rarities]]\ncode = \"u\"\nname = \"Unusual\"\nweight = 1\n\
                    [[kinds]]\ncode = \"x\"\nname = \"X\"\n\
                    [[formats]]\ncode = \"open\"\nname = \"Open\"\nversion = \"1\"\n";
    let names = ["Foo", "Foo {u}", "Bar", "Foo (one) 1 {u}"];
    let cards = (1..).zip(names).map(|(number, name): (u32, _)| {
        let printings = json!([{ "rarity": "c" }, { "rarity": "u" }]);
        json!({ "number": number.to_string(), "name": name, "kind": "x", "attributes": {}, "printings": printings })
    });
    let set = json!({ "code": "one", "name": "One", "cards": cards.collect::<Vec<_>>() });
    let source = GameSource {
        manifest: SourceFile::new("game.toml", manifest),
        sets: vec![SourceFile::new("one.json", &set.to_string())],
    };
    for is_in_memory in [false, true] {
        let app = TestApp::start_with(|settings| {
            if is_in_memory {
                in_memory(settings);
            }
        })
        .await;
        app.import(&source).await.unwrap();
        if is_in_memory {
            app.catch_up().await;
        }
        let ada = app.player("ada").await;
        let body = json!({ "name": "n", "format": "em/open", "visibility": "public", "entries": [
            { "quantity": 2, "name": "Foo", "rarity": "u" },
            { "quantity": 1, "name": "Bar", "rarity": "u" },
        ]});
        let path = app.post("/v1/decks").by(&ada).json(&body).answer().await.header("location");
        let export = app.get(&format!("{path}/export?dialect=own")).answer().await.expect(200);
        let text = export["text"].as_str().unwrap();
        assert!(text.contains("2 \"Foo\" {u}\n1 Bar {u}\n"), "{export:#}");
        let back = judged(&app, "em/open", text).await;
        assert_eq!(entries(&back), ["main: 2 Foo rarity=u", "main: 1 Bar rarity=u"], "{back:#}");
        let read = app.get(&path).header("accept", "text/plain").answer().await;
        assert!(read.text().ends_with("\n2 \"Foo\" {u}\n1 Bar {u}\n"), "{}", read.text());
        assert_ne!(read.header("etag"), "\"r1-text\"", "without the other cards, the text differs");

        // The game decides whether a header of this zone needs quotes.
        let entry = json!([{ "zone": "keep", "quantity": 1, "name": "Bar" }]);
        let body =
            json!({ "name": "z", "format": "em/open", "visibility": "public", "entries": entry });
        let zoned = app.post("/v1/decks").by(&ada).json(&body).answer().await.header("location");
        let read = app.get(&zoned).header("accept", "text/plain").answer().await;
        assert!(read.text().ends_with("\n[\"keep\"]\n1 Bar\n"), "{}", read.text());
        assert_ne!(read.header("etag"), "\"r1-text\"", "without the zones, the text differs");

        let card = app.get("/v1/games/em/sets/one/cards/1").answer().await.expect(200);
        let printings = format!("/v1/cards/{}/printings", card["id"].as_str().unwrap());
        let printings = app.get(&printings).answer().await.expect(200);
        let mut printings = printings["data"].as_array().unwrap().iter();
        let unusual = printings.find(|printing| printing["rarity"] == "u").unwrap();
        let count = app.put(&format!("/v1/collection/{}", unusual["id"].as_str().unwrap()));
        count.by(&ada).json(&json!({ "quantity": 2 })).answer().await.expect(200);
        let picked = app.get(&format!("{path}/pick-list")).by(&ada).answer().await.expect(200);
        assert_eq!(picked["list"], "2 \"Foo\" (one) 1 {u}\n", "{picked:#}");
        let back = judged(&app, "em/open", picked["list"].as_str().unwrap()).await;
        assert_eq!(entries(&back), ["main: 2 Foo set=one number=1 rarity=u"], "{back:#}");
    }
}

#[tokio::test]
async fn texts_of_decks_are_named_after_the_deck() {
    let app = app().await;
    let ada = app.player("ada").await;
    let body = json!({ "name": "Émbers/Bones", "format": "ttcg/standard", "visibility": "public", "list": "2 Kettle Imp" });
    let path = app.post("/v1/decks").by(&ada).json(&body).answer().await.header("location");
    let (ascii, full) = ("Embers-Bones", "%C3%89mbers-Bones");
    for dialect in DeckDialect::ALL {
        let (kind, extension) = match dialect {
            DeckDialect::Json => ("attachment", "json"),
            DeckDialect::Csv => ("attachment", "csv"),
            DeckDialect::Ydk => ("attachment", "ydk"),
            DeckDialect::Forge => ("attachment", "dck"),
            _ => ("inline", "txt"),
        };
        let named = format!(
            "{kind}; filename=\"{ascii}.{extension}\"; filename*=UTF-8''{full}.{extension}"
        );
        let export = format!("/export?dialect={dialect}");
        let text = app.get(&format!("{path}{export}")).header("accept", "text/plain");
        assert_eq!(text.answer().await.header("content-disposition"), named);
        let json = app.get(&format!("{path}{export}")).answer().await;
        assert_eq!(json.header("content-disposition"), "", "JSON is read by programs");
        let id = path.strip_prefix("/v1").unwrap();
        // Without it, a page lists first what some dialects lose.
        let file = app.get(&format!("{id}{export}&losses=accepted")).answer().await;
        assert_eq!(file.header("content-disposition"), named);
    }
}

#[tokio::test]
async fn exports_without_losses_are_read_back_unchanged() {
    let app = app().await;
    let ada = app.player("ada").await;
    let body = json!({ "name": "n", "format": "ttcg/standard", "visibility": "public", "entries": [
        { "quantity": 2, "name": "Kettle Imp", "set": "hearth", "number": "016", "rarity": "rare" },
        { "quantity": 1, "name": "Bellows Smith" },
        { "quantity": 1, "name": "Nobody’s Own Card" },
        { "zone": "side", "quantity": 3, "name": "Pocket Bat", "copies": ["the bent one"] },
    ]});
    let path = app.post("/v1/decks").by(&ada).json(&body).answer().await.header("location");
    let export = async |dialect: &str| {
        app.get(&format!("{path}/export?dialect={dialect}")).answer().await.expect(200)
    };
    // Only JSON holds ids of copies. Without them, the own dialect has no losses either.
    let mut bare = body.clone();
    bare["entries"][3].as_object_mut().unwrap().remove("copies");
    let bare_path = app.post("/v1/decks").by(&ada).json(&bare).answer().await.header("location");
    let decks = [(&path, &body, &["json"][..]), (&bare_path, &bare, &["own", "json"][..])];
    for (path, body, known_lossless) in decks {
        let mut lossless = Vec::new();
        for dialect in DeckDialect::ALL.map(DeckDialect::code) {
            let written = app.get(&format!("{path}/export?dialect={dialect}")).answer().await;
            let written = written.expect(200);
            assert_eq!(written["dialect"], dialect);
            let text = written["text"].as_str().unwrap();
            if !written["losses"].as_array().unwrap().is_empty() {
                continue;
            }
            lossless.push(dialect);
            let back = json!({ "format": "ttcg/standard", "list": text, "dialect": dialect });
            let back = app.post("/v1/deck-reports").json(&back).answer().await.expect(200);
            let mut expected = json!({ "entries": body["entries"] });
            expected["entries"][0]["zone"] = "main".into();
            expected["entries"][1]["zone"] = "main".into();
            expected["entries"][2]["zone"] = "main".into();
            // A share code adds the set and the number of each card, so only names and quantities are compared.
            if dialect == "share_code" {
                for at in 0..4 {
                    let entry = &back["entries"][at];
                    assert_eq!(entry["name"], expected["entries"][at]["name"]);
                    assert_eq!(entry["quantity"], expected["entries"][at]["quantity"]);
                }
            } else {
                assert_eq!(entries(&back), entries(&expected), "{dialect}: {text}");
            }
        }
        for dialect in known_lossless {
            assert!(lossless.contains(dialect), "{dialect} is not among {lossless:?}");
        }
    }
    let own = export("own").await;
    let kinds: Vec<&Value> =
        own["losses"].as_array().unwrap().iter().map(|loss| &loss["kind"]).collect();
    assert_eq!(kinds, ["copies"], "{own:#}");
    assert_eq!(export("json").await["losses"], json!([]));
    let arena = export("arena").await;
    let lost: Vec<&str> = arena["losses"]
        .as_array()
        .unwrap()
        .iter()
        .map(|loss| loss["kind"].as_str().unwrap())
        .collect();
    assert!(lost.contains(&"rarity"), "{arena:#}");
    let plain = app.get(&format!("{path}/export?dialect=arena")).header("accept", "text/plain");
    let plain = plain.answer().await;
    assert_eq!(plain.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(plain.text(), arena["text"].as_str().unwrap());
    assert_eq!(plain.header("content-disposition"), "inline; filename=\"n.txt\"");
    let wrong = app.get(&format!("{path}/export?dialect=arean")).answer().await;
    let problem = wrong.problem(400, "invalid_query");
    assert!(
        problem["errors"][0]["detail"].as_str().unwrap().contains("did you mean arena"),
        "{problem}"
    );
    let known = DeckDialect::ALL.map(DeckDialect::code).join(", ");
    assert!(problem["errors"][0]["detail"].as_str().unwrap().contains(&known), "{problem}");
    assert_eq!(problem["errors"][0]["pointer"], "?dialect");
    app.get(&format!("{path}/export")).answer().await.problem(400, "invalid_query");
}

#[tokio::test]
async fn lists_of_other_programs_are_read_or_say_what_is_wrong() {
    let app = app().await;
    let boards = r#"{"boards":{"mainboard":{"count":2,"cards":{"a1":{"quantity":2,"card":{"name":"Kettle Imp"}}}},"sideboard":{"count":0,"cards":{}}}}"#;
    let site = r#"{"cards":[{"quantity":2,"card":{"oracleCard":{"name":"Kettle Imp"}}}]}"#;
    let table = "| Count | Name | Set |\n|---|---|---|\n| 2 | Kettle Imp | |";
    for list in [boards, site, table] {
        let answer = judged(&app, "ttcg/standard", list).await;
        assert_eq!(entries(&answer), ["main: 2 Kettle Imp"], "{list}");
    }
    let answer =
        judged(&app, "ttcg/standard", "Kettle Imp (2), Pocket Bat (1)\n1 Pocket Bat").await;
    let cards = ["main: 2 Kettle Imp", "main: 1 Pocket Bat", "main: 1 Pocket Bat"];
    assert_eq!(entries(&answer), cards);
    assert_eq!(answer["reading"]["lines"][0]["status"], "guessed", "{answer:#}");
}
