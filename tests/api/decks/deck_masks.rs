//! Decks with hidden cards: the service masks the cards that the owner could see, and shows guesses as they were typed.

use serde_json::{Value, json};

use super::public_decks::query;
use crate::support::{Player, RequestExt as _, TestApp, in_memory};

struct Stage {
    app: TestApp,
    /// Holds copies of hidden cards.
    ada: Player,
    /// Holds no copies of hidden cards.
    eve: Player,
}

impl Stage {
    async fn set() -> Self {
        let app = TestApp::start_seeded(&["ttcg"]).await;
        let (ada, eve) = (app.player("ada").await, app.player("eve").await);
        for number in ["003", "004"] {
            app.give_copy(&ada.id, "ttcg", "veil", number).await;
        }
        Self { app, ada, eve }
    }

    async fn stored(&self, owner: &Player, list: &str) -> String {
        let body =
            json!({ "name": "n", "format": "ttcg/standard", "visibility": "public", "list": list });
        let answer = self.app.post("/v1/decks").by(owner).json(&body).answer().await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        answer.header("location")
    }

    /// Makes a player the owner of all copies of a hidden card.
    async fn hand_over(&self, number: &str, to: &Player) {
        let of_card = format!(
            "SELECT p.id FROM printings p JOIN cards c ON c.id = p.card_id WHERE c.set_code = 'veil' AND c.number = '{number}'"
        );
        let change =
            format!("UPDATE copies SET owner_id = '{}' WHERE printing_id IN ({of_card})", to.id);
        self.app.sql(&change).await;
    }

    /// The answer to a reader, as text.
    async fn text_for(&self, path: &str, reader: Option<&Player>) -> String {
        let request = self.app.get(path);
        let request = match reader {
            Some(player) => request.by(player),
            None => request,
        };
        let answer = request.answer().await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.text()
    }
}

/// All paths that show the content of a deck.
fn views(path: &str) -> Vec<String> {
    let mut views = vec![
        path.to_owned(),
        format!("{path}/legalities"),
        format!("{path}/statistics"),
        format!("{path}/draw-odds?kind=unit"),
        format!("{path}/sample-hand?seed=a&draws=50"),
        format!("{path}/diff?from=1&with={}", path.rsplit('/').next().unwrap()),
        format!("{path}/chart?of=kind"),
        format!("{path}/chart?of=attack&theme=dark"),
        format!("{path}/report"),
        format!("{path}/revisions"),
        format!("{path}/revisions/1"),
        format!("{path}/diff?from=1&to=2"),
    ];
    let dialects = cardscape_engine::DeckDialect::ALL;
    views.extend(dialects.map(|dialect| format!("{path}/export?dialect={dialect}")));
    views
}

#[tokio::test]
async fn cards_that_the_owner_could_see_are_masked_for_other_readers() {
    let stage = Stage::set().await;
    let Stage { app, ada, eve } = &stage;
    let moderator = app.moderator().await;
    let path = stage.stored(ada, "2 Drowned Lantern\n1 Kettle Imp").await;
    let more = json!({ "name": "n", "format": "ttcg/standard", "visibility": "public",
                       "list": "1 Drowned Lantern\n3 mirror pilgrim\n1 Kettle Imp" });
    app.put(&path).by(ada).header("if-match", "*").json(&more).answer().await.expect(200);
    for view in views(&path) {
        for reader in [None, Some(eve)] {
            let answer = stage.text_for(&view, reader).await;
            for word in ["Drowned", "drowned", "Mirror", "mirror"] {
                assert!(!answer.contains(word), "{view}: {answer}");
            }
        }
    }
    let seen: Value = serde_json::from_str(&stage.text_for(&path, None).await).unwrap();
    let masked = &seen["entries"][1];
    assert_eq!(
        (
            &masked["name"],
            &masked["set"],
            &masked["number"],
            &masked["quantity"],
            &masked["hidden"]
        ),
        (&json!(""), &json!("veil"), &json!("004"), &json!(3), &json!(true))
    );
    assert!(masked["card_id"].is_string() && seen["entries"][2].get("hidden").is_none());
    let diff: Value =
        serde_json::from_str(&stage.text_for(&format!("{path}/diff"), None).await).unwrap();
    assert_eq!(diff["cards"].as_array().unwrap().len(), 2, "{diff:#}");
    let text = app.get(&path).header("accept", "text/plain").answer().await.text();
    assert!(text.contains("3 \"\" (\"veil\") \"004\""), "{text}");

    for (who, reader) in [("owner", ada), ("moderator", &moderator)] {
        let seen = stage.text_for(&path, Some(reader)).await;
        assert!(
            seen.contains("Drowned Lantern") && seen.contains("mirror pilgrim"),
            "{who}: {seen}"
        );
    }
    // A player who receives a copy sees the name, and gets another tag.
    let before = app.get(&path).by(eve).answer().await.header("etag");
    stage.hand_over("004", eve).await;
    let after = app.get(&path).by(eve).header("if-none-match", before).answer().await;
    assert_eq!(after.status, 200);
    assert!(after.text().contains("mirror pilgrim") && !after.text().contains("Drowned"));
    // The owner still reads the names that she typed after she has given the cards away. When she saves the deck again, they stay masked for others.
    app.sql(&format!("UPDATE copies SET owner_id = '{}'", moderator.id)).await;
    assert!(stage.text_for(&path, Some(ada)).await.contains("Drowned Lantern"));
    let mut more = more;
    more["tags"] = json!(["again"]);
    app.put(&path).by(ada).header("if-match", "*").json(&more).answer().await.expect(200);
    for view in views(&path)
        .into_iter()
        .chain([format!("{path}/diff?from=1&to=3"), format!("{path}/revisions/3")])
    {
        let answer = stage.text_for(&view, None).await;
        assert!(!answer.contains("Drowned") && !answer.contains("mirror"), "{view}: {answer}");
    }
}

/// An entry whose card is hidden has the same members in all answers: which card it is and where, and no name.
#[tokio::test]
async fn masked_entries_are_marked_in_all_answers() {
    let stage = Stage::set().await;
    let Stage { app, ada, eve } = &stage;
    let path = stage.stored(ada, "2 Drowned Lantern\n1 Kettle Imp").await;
    let less = json!({ "name": "n", "format": "ttcg/standard", "visibility": "public",
                       "list": "1 Drowned Lantern\n2 Kettle Imp" });
    app.put(&path).by(ada).header("if-match", "*").json(&less).answer().await.expect(200);
    let copy = app.post(&format!("{path}/clones")).by(eve).answer().await.header("location");
    let seen = app.get(&path).by(eve).answer().await.expect(200);
    let members = ["name", "set", "number", "card_id", "hidden"];
    let of = |value: &Value| members.map(|member| value[member].clone());
    let masked = of(&seen["entries"][0]);
    assert_eq!((&masked[0], &masked[4]), (&json!(""), &json!(true)), "{seen:#}");
    for (view, list) in [
        (format!("{path}/report"), "entries"),
        (format!("{path}/availability"), "cards"),
        (format!("{path}/pick-list"), "entries"),
        (format!("{copy}/reservation"), "cards"),
    ] {
        let answer = app.get(&view).by(eve).answer().await.expect(200);
        assert_eq!(of(&answer[list][0]), masked, "{view}: {answer:#}");
        assert_eq!(answer[list][1].get("hidden"), None, "{view}: {answer:#}");
        assert_eq!(answer[list][1]["name"], "Kettle Imp", "{view}: {answer:#}");
    }
    // The cards of the later revision come first in the differences, in its order.
    let diff = app.get(&format!("{path}/diff?from=1&to=2")).by(eve).answer().await.expect(200);
    assert_eq!(of(&diff["cards"][0]), masked, "{diff:#}");
    assert_eq!(diff["cards"][1].get("hidden"), None, "{diff:#}");
    // Violations mention the card in the same way.
    let report = app.get(&format!("{path}/report")).by(eve).answer().await.expect(200);
    let violations = report["violations"].as_array().unwrap().iter();
    let cards = violations.flat_map(|violation| violation["cards"].as_array().unwrap());
    let nameless: Vec<&Value> = cards.filter(|card| card["name"] == "").collect();
    assert!(!nameless.is_empty(), "{report:#}");
    assert!(nameless.iter().all(|card| of(card) == masked), "{report:#}");
    // The card exists, so no message says that there is none. A guessed name is as unknown as any other.
    let unknown = |report: &Value| {
        let violations = report["violations"].as_array().unwrap().iter();
        let unknown = violations.filter(|violation| violation["code"] == "CARD_UNKNOWN");
        unknown.map(|one| one["message"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let place = format!("{} {}", masked[1].as_str().unwrap(), masked[2].as_str().unwrap());
    assert_eq!(unknown(&report), [format!("“{place}” is a card that is hidden from you.")]);
    let typed = json!({ "format": "ttcg/standard", "list": "1 Drowned Lantern" });
    let typed = app.post("/v1/deck-reports").by(eve).json(&typed).answer().await.expect(200);
    let messages = unknown(&typed["reports"][0]);
    assert!(messages[0].starts_with("No known card is named “Drowned Lantern”."), "{messages:?}");
    // Odds confirm no name: the name of the masked card and any other get the same warning.
    let odds = async |name: &str| {
        let odds = app.get(&format!("{path}/draw-odds?name={name}")).by(eve).answer().await;
        odds.text().replace(&name.replace("%20", " "), "X")
    };
    let guessed = odds("Drowned%20Lantern").await;
    assert!(guessed.contains("is known to have the name “X”."), "{guessed}");
    assert_eq!(guessed, odds("Browned%20Lamp").await);
    // For the owner nothing is masked.
    for view in ["report", "availability", "pick-list", "diff?from=1&to=2"] {
        let answer = stage.text_for(&format!("{path}/{view}"), Some(ada)).await;
        assert!(!answer.contains("\"hidden\""), "{view}: {answer}");
    }
}

/// Hands and statistics mark masked entries as the deck does. A deck that was masked for its reader can be sent back as it was read.
#[tokio::test]
async fn masked_entries_stay_marked_in_hands_statistics_and_unsaved_lists() {
    let stage = Stage::set().await;
    let Stage { app, ada, eve } = &stage;
    let path = stage.stored(ada, "2 Drowned Lantern\n1 Kettle Imp\n1 Nobody's Card").await;
    let seen = app.get(&path).by(eve).answer().await.expect(200);
    let members = ["name", "set", "number", "card_id", "hidden"];
    let of = |value: &Value| members.map(|member| value[member].clone());
    let masked = of(&seen["entries"][0]);
    assert_eq!((&masked[0], &masked[4]), (&json!(""), &json!(true)), "{seen:#}");

    let hand = app.get(&format!("{path}/sample-hand?seed=a&draws=50")).by(eve).answer().await;
    let hand = hand.expect(200);
    let drawn =
        ["opening_hand", "draws"].into_iter().flat_map(|part| hand[part].as_array().unwrap());
    let drawn: Vec<&Value> = drawn.collect();
    assert_eq!(drawn.len(), 4, "all cards of the deck: {hand:#}");
    for card in drawn {
        let is_masked = card["entry"] == 0;
        assert_eq!(of(&card["written"]) == masked, is_masked, "{card:#}");
        assert_eq!(card["written"].get("hidden").is_some(), is_masked, "{card:#}");
    }
    let counted = app.get(&format!("{path}/statistics")).by(eve).answer().await.expect(200);
    let unknown = counted["zones"][0]["unknown_cards"].as_array().unwrap();
    assert_eq!(unknown.len(), 2, "{counted:#}");
    assert_eq!(of(&unknown[0]), masked, "{counted:#}");
    assert_eq!(unknown[1].get("hidden"), None, "{counted:#}");

    let text = app.get(&path).by(eve).header("accept", "text/plain").answer().await.text();
    let report = async |reader: &Player, body: Value| {
        let mut body = body;
        body["format"] = json!("ttcg/standard");
        app.post("/v1/deck-reports").by(reader).json(&body).answer().await.expect(200)
    };
    for body in [json!({ "entries": seen["entries"] }), json!({ "list": text })] {
        let judged = report(eve, body.clone()).await;
        assert_eq!(of(&judged["entries"][0]), masked, "{judged:#}");
        assert_eq!(judged["entries"][2].get("hidden"), None, "{judged:#}");
        let violations = judged["reports"][0]["violations"].as_array().unwrap().iter();
        let cards = violations.flat_map(|violation| violation["cards"].as_array().unwrap());
        let nameless: Vec<&Value> = cards.filter(|card| card["name"] == "").collect();
        assert!(!nameless.is_empty(), "{judged:#}");
        assert!(nameless.iter().all(|card| of(card) == masked), "{judged:#}");
        // A holder of the card sees it.
        let judged = report(ada, body).await;
        assert_eq!(judged["entries"][0].get("hidden"), None, "{judged:#}");
        assert_eq!(judged["entries"][0]["card_id"], masked[3], "{judged:#}");
    }
    // A name is shown as it was typed, whether or not a hidden card has it.
    let guess = report(eve, json!({ "list": "2 Drowned Lantern\n1 (veil) 30000" })).await;
    for at in [0, 1] {
        assert_eq!(guess["entries"][at].get("hidden"), None, "{guess:#}");
        assert_eq!(guess["entries"][at].get("card_id"), None, "{guess:#}");
    }
}

/// Entries of a list that is not stored can write the number of a hidden card differently, and are still one unknown card, as in a stored deck.
#[tokio::test]
async fn a_hidden_card_is_reported_once_in_unsaved_lists() {
    let Stage { app, .. } = &Stage::set().await;
    let entry = |set: &str, number: &str| json!({ "quantity": 2, "name": "", "set": set, "number": number });
    let entries = json!([entry("veil", "003"), entry("VEIL", "3")]);
    for mut body in
        [json!({ "entries": entries }), json!({ "list": "2 (veil) 003\n2 (veil) 3\n1 Kettle Imp" })]
    {
        body["format"] = json!("ttcg/standard");
        let judged = app.post("/v1/deck-reports").json(&body).answer().await.expect(200);
        let violations = judged["reports"][0]["violations"].as_array().unwrap().iter();
        let unknown: Vec<&Value> = violations.filter(|one| one["code"] == "CARD_UNKNOWN").collect();
        assert_eq!(unknown.len(), 1, "{judged:#}");
        assert_eq!(unknown[0]["actual"], 4, "{judged:#}");
        let written =
            |entry: &Value| ["set", "number", "hidden"].map(|member| entry[member].clone());
        for entry in judged["entries"].as_array().unwrap().iter().take(2) {
            assert_eq!(written(entry), [json!("veil"), json!("003"), json!(true)], "{judged:#}");
        }
    }
}

/// A token that may not read cards as its owner reads no names of hidden cards in the owner's decks either: the service added them to places.
#[tokio::test]
async fn tokens_that_read_no_cards_read_no_names_of_hidden_cards() {
    let Stage { app, ada, eve: _ } = &Stage::set().await;
    let body =
        json!({ "name": "n", "format": "ttcg/standard", "list": "1 (veil) 003\n2 Kettle Imp" });
    let path = app.post("/v1/decks").by(ada).json(&body).answer().await.header("location");
    let read = async |scopes: Value| {
        let body = json!({ "name": "t", "scopes": scopes });
        let token = app.post("/v1/tokens").by(ada).json(&body).answer().await.expect(201);
        let request = app.get(&path).bearer_auth(token["secret"].as_str().unwrap());
        request.answer().await.expect(200)
    };
    let deck = read(json!(["decks:read"])).await;
    assert_eq!(
        (&deck["entries"][0]["name"], &deck["entries"][0]["hidden"]),
        (&json!(""), &json!(true))
    );
    assert_eq!(deck["entries"][1]["name"], "Kettle Imp");
    assert!(!deck.to_string().contains("Drowned"), "{deck:#}");
    let deck = read(json!(["decks:read", "catalogue:read"])).await;
    assert_eq!(deck["entries"][0]["name"], "Drowned Lantern");
}

/// Share codes have numbers without leading zeros.
#[tokio::test]
async fn places_of_hidden_cards_are_found_in_other_spellings() {
    let Stage { app, eve, .. } = &Stage::set().await;
    let entry = |set: &str, number: &str| json!({ "quantity": 1, "name": "", "set": set, "number": number });
    let entries = json!([
        entry("veil", "3"),
        entry("VEIL", "0003"),
        entry("veil", "003"),
        entry("veil", "30000")
    ]);
    let body = json!({ "name": "n", "format": "ttcg/standard", "entries": entries });
    let deck = app.post("/v1/decks").by(eve).json(&body).answer().await.expect(201);
    let hidden = deck["entries"].as_array().unwrap().iter();
    let hidden: Vec<bool> = hidden.map(|entry| entry["hidden"] == true).collect();
    assert_eq!(hidden, [true, true, true, false], "{deck:#}");
}

/// The set of a card may be written by its name. A clone has the card's own spelling of set and number.
#[tokio::test]
async fn places_with_the_name_of_a_set_are_bound() {
    let stage = Stage::set().await;
    let Stage { app, ada, eve } = &stage;
    let list = "2 Drowned Lantern (Beyond the Veil) 3\n1 (Beyond the Veil) 4\n1 Kettle Imp";
    let path = stage.stored(ada, list).await;
    let places = |deck: &Value| -> Vec<Value> {
        let entries = deck["entries"].as_array().unwrap().iter();
        let masked = entries.filter(|entry| entry["hidden"] == true);
        masked.map(|entry| json!([entry["name"], entry["set"], entry["number"]])).collect()
    };
    let wanted = [json!(["", "veil", "003"]), json!(["", "veil", "004"])];
    let seen = app.get(&path).by(eve).answer().await.expect(200);
    assert_eq!(places(&seen), wanted, "{seen:#}");
    let clone = app.post(&format!("{path}/clones")).by(eve).answer().await.expect(201);
    assert_eq!(places(&clone), wanted, "{clone:#}");

    // Entries of JSON, by an author who does not see the card. Who gets the card later sees it in its own spelling.
    let entries = json!([{ "quantity": 1, "name": "", "set": "Beyond the Veil", "number": "3" }]);
    let body = json!({ "name": "n", "format": "ttcg/standard", "entries": entries });
    let own = app.post("/v1/decks").by(eve).json(&body).answer().await;
    let own_path = own.header("location");
    assert_eq!(places(&own.expect(201)), wanted[..1]);
    stage.hand_over("003", eve).await;
    let own = app.get(&own_path).by(eve).answer().await.expect(200);
    let entry = &own["entries"][0];
    assert_eq!(
        json!([entry["name"], entry["set"], entry["number"]]),
        json!(["Drowned Lantern", "veil", "003"])
    );
}

/// An entry that has only a place keeps it when its card is deleted; the place beside a name may be any text.
#[tokio::test]
async fn a_deleted_card_has_the_place_of_an_entry_without_a_name() {
    let stage = Stage::set().await;
    let Stage { app, ada, eve } = &stage;
    let body = json!({ "name": "n", "format": "ttcg/standard", "visibility": "public", "entries": [
        { "quantity": 1, "name": "", "set": "Beyond the Veil", "number": "004" },
        { "quantity": 2, "name": "Drowned Lantern", "set": "veil", "number": "003" },
    ] });
    let path = app.post("/v1/decks").by(ada).json(&body).answer().await.header("location");
    let missing = "'01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11'::uuid";
    app.sql(&format!("UPDATE decks SET card_ids = ARRAY[{missing}, {missing}]")).await;
    let seen = app.get(&path).by(eve).answer().await.expect(200);
    let of = |entry: &Value| ["name", "set", "number", "hidden"].map(|name| entry[name].clone());
    let entries: Vec<_> = seen["entries"].as_array().unwrap().iter().map(of).collect();
    let wanted = [
        [json!(""), json!("veil"), json!("004"), json!(true)],
        [json!(""), Value::Null, Value::Null, json!(true)],
    ];
    assert_eq!(entries, wanted, "{seen:#}");
}

/// Violations mention cards and not entries: a masked card is found by its place, and never taken for another nameless one.
#[tokio::test]
async fn masked_cards_are_marked_in_violations_about_zones() {
    let stage = Stage::set().await;
    let Stage { app, ada, .. } = &stage;
    let body = json!({ "name": "n", "format": "ttcg/standard", "visibility": "public", "entries": [
        { "zone": "attic", "quantity": 2, "name": "Drowned Lantern" },
        { "zone": "attic", "quantity": 3, "name": "mirror pilgrim" },
    ] });
    let stored = app.post("/v1/decks").by(ada).json(&body).answer().await;
    assert_eq!(stored.status, 201, "{}", stored.text());
    let path = stored.header("location");
    let mentioned = async || {
        let report: Value =
            serde_json::from_str(&stage.text_for(&format!("{path}/report"), None).await).unwrap();
        let violations = report["violations"].as_array().unwrap().iter();
        let of_zone = violations.filter(|violation| violation["code"] == "ZONE_UNKNOWN");
        let cards = of_zone.flat_map(|violation| violation["cards"].as_array().unwrap().clone());
        cards.collect::<Vec<Value>>()
    };
    let seen: Value = serde_json::from_str(&stage.text_for(&path, None).await).unwrap();
    let members = ["name", "set", "number", "card_id", "hidden", "quantity"];
    let of = |value: &Value| members.map(|member| value[member].clone());
    let entries: Vec<_> = seen["entries"].as_array().unwrap().iter().map(of).collect();
    assert_eq!(mentioned().await.iter().map(of).collect::<Vec<_>>(), entries);
    assert!(entries.iter().all(|entry| entry[4] == true), "{entries:?}");

    // A deleted card has no place: a violation that mentions a nameless card without a place may mean another one.
    let bind_to_a_missing_card = "UPDATE decks SET card_ids = ARRAY['01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11'::uuid, card_ids[2]]";
    app.sql(bind_to_a_missing_card).await;
    let cards = mentioned().await;
    let without_place = cards.iter().filter(|card| card.get("set").is_none());
    let without_place: Vec<&Value> = without_place.collect();
    assert_eq!(without_place.len(), 1, "{cards:?}");
    assert_eq!(without_place[0].get("card_id"), None, "{cards:?}");
    assert_eq!(without_place[0].get("hidden"), None, "{cards:?}");
    let with_place = cards.iter().find(|card| card.get("set").is_some()).map(of);
    assert_eq!(with_place.as_ref(), entries.get(1));
}

/// A zone and a rarity are stored as they were typed. A later manifest gives them a meaning: the answer changes, the version of the deck does not.
#[tokio::test]
async fn words_that_a_later_manifest_knows_change_the_tag_for_caches() {
    let Stage { app, ada, .. } = Stage::set().await;
    let entry = json!({ "name": "Kettle Imp", "quantity": 1, "zone": "bucket", "rarity": "odd" });
    let body = json!({ "name": "n", "format": "ttcg/standard", "entries": [entry] });
    let path = app.post("/v1/decks").by(&ada).json(&body).answer().await.header("location");
    let before = app.get(&path).by(&ada).answer().await;
    let tag = before.header("etag");
    assert_eq!((tag.as_str(), &before.expect(200)["entries"][0]), ("\"r1\"", &entry));
    // As by an import of another manifest.
    app.sql(
        r#"UPDATE games SET revision = revision + 1, manifest = replace(
               replace(manifest, 'aliases = ["deck"]', 'aliases = ["deck", "bucket"]'),
               'aliases = ["C"]', 'aliases = ["C", "odd"]') WHERE code = 'ttcg'"#,
    )
    .await;
    let after = app.get(&path).by(&ada).header("if-none-match", &tag).answer().await.expect(200);
    let words = ["zone", "rarity"].map(|word| &after["entries"][0][word]);
    assert_eq!(words, ["main", "common"]);
    let renamed = json!({ "name": "m" });
    let edit = app.patch(&path).by(&ada).header("if-match", &tag).json(&renamed);
    edit.answer().await.expect(200);
}

#[tokio::test]
async fn a_guess_is_shown_as_it_was_typed() {
    let stage = Stage::set().await;
    let Stage { app, eve, .. } = &stage;
    let path = stage
        .stored(eve, "2 Drowned Lantern\n1 Drowsed Pantern\n1 Mirror Pilgrim (veil) 004")
        .await;
    let more = json!({ "name": "n", "format": "ttcg/standard", "visibility": "public",
                       "list": "1 Drowned Lantern\n2 Drowsed Pantern\n1 Fogbound Signpost" });
    app.put(&path).by(eve).header("if-match", "*").json(&more).answer().await.expect(200);
    let bound = "SELECT count(*) FROM decks, unnest(card_ids) AS bound WHERE bound IS NOT NULL";
    assert_eq!(app.db().value(bound).await, "0");
    for view in views(&path) {
        // The answers show a right guess and a wrong guess in the same way.
        let answer = stage.text_for(&view, None).await;
        let same = |text: &str| {
            text.replace("Drowned Lantern", "GUESS").replace("Drowsed Pantern", "GUESS")
        };
        assert_eq!(
            answer.matches("Drowned Lantern").count() > 0,
            answer.matches("Drowsed Pantern").count() > 0,
            "{view}: {answer}"
        );
        assert!(!same(&answer).contains("\"hidden\""), "{view}: {answer}");
    }
    let shown: Value = serde_json::from_str(&stage.text_for(&path, None).await).unwrap();
    assert_eq!(shown["entries"][0]["name"], "Drowned Lantern");
}

#[tokio::test]
async fn a_clone_of_a_masked_deck_shows_names_that_its_owner_may_see() {
    let stage = Stage::set().await;
    let Stage { app, ada, eve } = &stage;
    let path = stage.stored(ada, "2 Drowned Lantern\n1 Kettle Imp").await;
    let answer = app.post(&format!("{path}/clones")).by(eve).answer().await;
    let copy = answer.header("location");
    assert!(!answer.text().contains("Drowned"), "{}", answer.text());
    assert_eq!(answer.json()["entries"][0]["hidden"], true, "{}", answer.text());
    let names = "SELECT count(*) FROM deck_entries e JOIN decks d ON d.id = e.deck_id WHERE d.cloned_deck_id IS NOT NULL AND e.name <> ''";
    assert_eq!(
        app.db().value(names).await,
        "1",
        "the clone does not store the name of the masked card"
    );

    // A client can send back the entries and the text that it has read.
    let read = app.get(&copy).by(eve).answer().await;
    let body =
        json!({ "name": "mine", "format": "ttcg/standard", "entries": read.json()["entries"] });
    let sent = app.put(&copy).by(eve).header("if-match", read.header("etag")).json(&body);
    assert_eq!(sent.answer().await.expect(200)["entries"][0]["number"], "003");
    let text = app.get(&copy).by(eve).header("accept", "text/plain").answer().await.text();
    let back = json!({ "name": "back", "format": "ttcg/standard", "list": text });
    let back = app.post("/v1/decks").by(eve).json(&back).answer().await.expect(201);
    assert_eq!(back["entries"][0]["number"], "003", "{back:#}");

    stage.hand_over("003", eve).await;
    let seen = app.get(&copy).by(eve).answer().await.expect(200);
    let report = app.get(&format!("{copy}/report")).by(eve).answer().await.expect(200);
    assert!(report["entries"][0]["card_id"].is_string(), "{report:#}");
    let entry = &seen["entries"][0];
    assert_eq!(
        (&entry["name"], entry.get("hidden")),
        (&json!("Drowned Lantern"), None),
        "{seen:#}"
    );
}

#[tokio::test]
async fn bindings_do_not_apply_after_a_change_by_an_older_release() {
    let stage = Stage::set().await;
    let Stage { app, ada, .. } = &stage;
    let path = stage.stored(ada, "2 Drowned Lantern").await;
    // An older release writes a new revision and new names, and leaves the bindings unchanged. It may also make the deck private.
    let id = path.rsplit('/').next().unwrap();
    let older = format!(
        "WITH deck AS (UPDATE decks SET revision = revision + 1 WHERE id = '{id}') UPDATE deck_entries SET name = 'Kettle Imp' WHERE deck_id = '{id}'"
    );
    app.sql(&older).await;
    let seen: Value = serde_json::from_str(&stage.text_for(&path, None).await).unwrap();
    assert_eq!(
        (&seen["entries"][0]["name"], seen["entries"][0].get("hidden")),
        (&json!("Kettle Imp"), None)
    );
    let revisions: Value =
        serde_json::from_str(&stage.text_for(&format!("{path}/revisions"), None).await).unwrap();
    assert_eq!(
        revisions["data"].as_array().unwrap().len(),
        1,
        "the older release stores no revision"
    );
    // The next change stores the content that the older release wrote as a revision, for the owner only.
    let body = json!({ "name": "n", "format": "ttcg/standard", "visibility": "unlisted", "list": "1 Kettle Imp" });
    app.put(&path).by(ada).header("if-match", "*").json(&body).answer().await.expect(200);
    let diff: Value =
        serde_json::from_str(&stage.text_for(&format!("{path}/diff"), Some(ada)).await).unwrap();
    assert_eq!((&diff["from"], &diff["cards"][0]["before"]), (&json!(2), &json!(2)), "{diff:#}");
    app.get(&format!("{path}/revisions/2")).answer().await.problem(404, "not_found");

    app.get(&path).answer().await.expect(200);
    let private = format!(
        "UPDATE decks SET revision = revision + 1, visibility = 'private' WHERE id = '{id}'"
    );
    app.sql(&private).await;
    app.get(&path).answer().await.problem(404, "not_found");
    let public = format!(
        "UPDATE decks SET revision = revision + 1, visibility = 'public' WHERE id = '{id}'"
    );
    app.sql(&public).await;
    assert_eq!(app.get(&path).answer().await.expect(200)["visibility"], "public");
}

#[tokio::test]
async fn a_deleted_card_stays_masked() {
    let stage = Stage::set().await;
    let Stage { app, ada, .. } = &stage;
    let path = stage.stored(ada, "2 Drowned Lantern\n1 Kettle Imp").await;
    let bind_to_a_missing_card = "UPDATE decks SET card_ids = ARRAY['01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11'::uuid, card_ids[2]]";
    app.sql(bind_to_a_missing_card).await;
    for view in views(&path)
        .into_iter()
        .filter(|view| !view.contains("revisions/") && !view.contains("diff"))
    {
        let answer = stage.text_for(&view, None).await;
        assert!(!answer.contains("Drowned"), "{view}: {answer}");
    }
}

#[tokio::test]
async fn a_guess_is_not_masked_after_its_author_gets_the_card() {
    let stage = Stage::set().await;
    let Stage { app, ada, eve } = &stage;
    let path = stage.stored(eve, "2 Drowned Lantern\n1 Drowsed Pantern").await;
    stage.hand_over("003", eve).await;
    let body = json!({ "name": "n", "format": "ttcg/standard", "visibility": "public", "list": "2 Drowned Lantern\n1 Drowsed Pantern" });
    app.put(&path).by(eve).header("if-match", "*").json(&body).answer().await.expect(200);
    let seen: Value = serde_json::from_str(&stage.text_for(&path, Some(ada)).await).unwrap();
    assert_eq!(
        (&seen["entries"][0]["name"], seen["entries"][0].get("hidden")),
        (&json!("Drowned Lantern"), None)
    );
    let diff: Value =
        serde_json::from_str(&stage.text_for(&format!("{path}/diff"), None).await).unwrap();
    assert_eq!(diff["cards"], json!([]), "the diff does not reveal which guess was right");

    // A clone by an account that sees the card does not reveal it either.
    let moderator = app.moderator().await;
    let copy = app.post(&format!("{path}/clones")).by(&moderator).answer().await.header("location");
    app.put(&copy).by(&moderator).header("if-match", "*").json(&body).answer().await.expect(200);
    let seen: Value = serde_json::from_str(&stage.text_for(&copy, None).await).unwrap();
    assert_eq!(
        (&seen["entries"][0]["name"], seen["entries"][0].get("hidden")),
        (&json!("Drowned Lantern"), None)
    );
}

/// An entry that is written as before stays bound to its card, here a hidden one, also if another card has its name now. If others have read the name as a guess, it
/// is not masked.
#[tokio::test]
async fn a_guess_is_not_masked_when_its_entry_stays_bound() {
    let stage = Stage::set().await;
    let Stage { app, ada, eve } = &stage;
    let list = "2 Drowned Lantern";
    let guessed = stage.stored(eve, list).await;
    let bound = stage.stored(ada, list).await;
    app.sql("UPDATE decks SET card_ids = ARRAY(SELECT id FROM cards WHERE set_code = 'veil' AND number = '003')").await;
    for (path, owner, is_hidden) in [(&guessed, eve, false), (&bound, ada, true)] {
        let body = json!({ "name": "n", "format": "ttcg/standard", "visibility": "public", "list": format!("{list}\n1 Kettle Imp") });
        app.put(path).by(owner).header("if-match", "*").json(&body).answer().await.expect(200);
        let seen: Value = serde_json::from_str(&stage.text_for(path, None).await).unwrap();
        assert_eq!(seen["entries"][0].get("hidden").is_some(), is_hidden, "{seen:#}");
    }
}

/// A restore is a save: a name that was typed before its hidden card was owned, and that nobody else has read, is masked.
#[tokio::test]
async fn a_restored_revision_is_bound_to_the_cards_that_its_owner_sees_now() {
    let stage = Stage::set().await;
    let Stage { app, ada, eve } = &stage;
    let list = |visibility: &str, list: &str| json!({ "name": "n", "format": "ttcg/standard", "visibility": visibility, "list": list });
    let restore = async |path: &str| {
        let request = app.post(&format!("{path}/restore")).by(eve).header("if-match", "*");
        request.json(&json!({ "revision": 1 })).answer().await.expect(200)
    };
    let typed = "2 Drowned Lantern\n1 Kettle Imp";
    let stored = app.post("/v1/decks").by(eve).json(&list("private", typed)).answer().await;
    let path = stored.header("location");
    let guessed = stage.stored(eve, "1 Mirror Pilgrim\n1 Mirrored Pilgrimage").await;
    for number in ["003", "004"] {
        stage.hand_over(number, eve).await;
    }
    let public = list("public", "1 Kettle Imp");
    app.put(&path).by(eve).header("if-match", "*").json(&public).answer().await.expect(200);
    let restored = restore(&path).await;
    assert_eq!(restored["entries"][0]["name"], "Drowned Lantern", "the owner reads it");
    let own_views = [format!("{path}/revisions/3"), format!("{path}/diff?from=2&to=3")];
    let is_of_revision_1 = |view: &String| view.contains("revisions/1") || view.contains("from=1");
    for view in views(&path).into_iter().filter(|view| !is_of_revision_1(view)).chain(own_views) {
        for reader in [None, Some(ada)] {
            let answer = stage.text_for(&view, reader).await;
            assert!(!answer.contains("Drowned") && !answer.contains("drowned"), "{view}: {answer}");
        }
    }
    let seen: Value = serde_json::from_str(&stage.text_for(&path, None).await).unwrap();
    assert_eq!(seen["entries"][0]["hidden"], true);

    // Others have read this guess: if it were masked now, they would know that it was right.
    let public = list("public", "1 Kettle Imp");
    app.put(&guessed).by(eve).header("if-match", "*").json(&public).answer().await.expect(200);
    restore(&guessed).await;
    let seen: Value = serde_json::from_str(&stage.text_for(&guessed, None).await).unwrap();
    for (at, name) in ["Mirror Pilgrim", "Mirrored Pilgrimage"].iter().enumerate() {
        let entry = &seen["entries"][at];
        assert_eq!((&entry["name"], entry.get("hidden")), (&json!(name), None), "{seen:#}");
    }
}

/// A patch is a save, too: a deck that becomes public does not show names that were typed before their hidden cards were owned.
#[tokio::test]
async fn a_deck_that_a_patch_publishes_is_bound_to_the_cards_that_its_owner_sees_now() {
    let stage = Stage::set().await;
    let Stage { app, ada, eve } = &stage;
    let list = "2 Drowned Lantern\n1 Kettle Imp";
    let body = json!({ "name": "n", "format": "ttcg/standard", "list": list });
    let path = app.post("/v1/decks").by(eve).json(&body).answer().await.header("location");
    let guessed = stage.stored(eve, "1 Mirror Pilgrim").await;
    for number in ["003", "004"] {
        stage.hand_over(number, eve).await;
    }
    let publish = app.patch(&path).by(eve).header("if-match", "*");
    let publish = publish.json(&json!({ "visibility": "public" }));
    let published = publish.answer().await.expect(200);
    assert_eq!(published["entries"][0]["name"], "Drowned Lantern", "the owner reads it");
    for reader in [None, Some(ada)] {
        let answer = stage.text_for(&path, reader).await;
        assert!(!answer.contains("Drowned") && answer.contains("Kettle Imp"), "{answer}");
    }
    // Others have read this guess: if it were masked now, they would know that it was right.
    let renamed = app.patch(&guessed).by(eve).header("if-match", "*").json(&json!({ "name": "m" }));
    renamed.answer().await.expect(200);
    let seen: Value = serde_json::from_str(&stage.text_for(&guessed, None).await).unwrap();
    assert_eq!(
        (&seen["name"], &seen["entries"][0]["name"]),
        (&json!("m"), &json!("Mirror Pilgrim"))
    );
}

#[tokio::test]
async fn unreadable_lines_are_shown_only_to_the_owner() {
    let stage = Stage::set().await;
    let Stage { app, ada, eve } = &stage;
    let path = stage.stored(ada, "2 Kettle Imp\n0 Drowned Lantern").await;
    assert!(stage.text_for(&path, Some(ada)).await.contains("0 Drowned Lantern"));
    let text = app.get(&path).by(eve).header("accept", "text/plain").answer().await.text();
    assert!(text.contains("2 Kettle Imp") && !text.contains("Drowned"), "{text}");
    for view in views(&path).into_iter().filter(|view| !view.contains("diff")) {
        assert!(!stage.text_for(&view, Some(eve)).await.contains("Drowned"), "{view}");
    }
    let copy = app.post(&format!("{path}/clones")).by(eve).answer().await;
    assert_eq!((copy.status, copy.text().contains("Drowned")), (201, false), "{}", copy.text());
    let stored =
        "SELECT string_agg(unread_lines::text, '') FROM decks WHERE cloned_deck_id IS NOT NULL";
    assert_eq!(app.db().value(stored).await, "[]");
}

/// All answers about a deck to an anonymous client, without the values that differ between two services: ids of decks and accounts, and times.
async fn answers_to_a_stranger(app: &TestApp, owner: &Player, path: &str) -> Vec<String> {
    let id = path.rsplit('/').next().unwrap();
    let mut answers = Vec::new();
    for view in views(path) {
        let answer = app.get(&view).answer().await;
        let mut text = answer.text().replace(id, "DECK").replace(&owner.id, "OWNER");
        for member in ["created_at", "updated_at", "published_at"] {
            let mark = format!("\"{member}\":\"");
            let parts: Vec<&str> = text.split(&mark).collect();
            let rest = parts[1..].iter().map(|part| part.split_once('"').unwrap().1);
            text = std::iter::once(parts[0]).chain(rest).collect::<Vec<_>>().join(&mark);
        }
        answers.push(format!("{} {} {text}", view.replace(id, "DECK"), answer.status));
    }
    answers.push(app.get(path).answer().await.header("etag"));
    answers
}

/// The answers of the search, of similar decks and of cards played together to an anonymous client, without the ids of decks, which differ.
async fn public_deck_answers(app: &TestApp) -> Vec<String> {
    let mut answers = Vec::new();
    let mut ids = Vec::new();
    for q in [
        "",
        "contains:\"drowned lantern\"",
        "contains:\"wholly different 003\"",
        "contains:\"mirror pilgrim\" or contains:\"wholly different 004\"",
        "-contains:\"drowned lantern\"",
        "contains:\"kettle imp\" size<100",
        "legal:standard",
    ] {
        let path = format!("/v1/public-decks?q={}", query(q));
        let page = app.get(&path).answer().await.expect(200);
        for deck in page["data"].as_array().unwrap() {
            ids.extend(q.is_empty().then(|| deck["id"].as_str().unwrap().to_owned()));
            let seen = ["author", "name", "card_count", "legal_in", "judged_on", "tags"]
                .map(|member| &deck[member]);
            answers.push(format!("{q} {seen:?}"));
        }
    }
    for id in ids {
        let path = format!("/v1/decks/{id}/similar");
        let similar = app.get(&path).answer().await.expect(200);
        let decks = similar["data"].as_array().unwrap();
        // One deck has hidden cards, the other has guesses, and both have Kettle Imp. As many hidden cards are in the decks of both services: if they were
        // compared, the answers would be the same, too.
        let shared: Vec<_> =
            decks.iter().map(|deck| (&deck["shared_cards"], &deck["similarity"])).collect();
        assert_eq!(shared, [(&json!(1), &json!(1.0))], "{similar:#}");
        answers.push(format!("similar {}", decks[0]["author"]));
    }
    for (set, number, decks) in [("veil", "003", 0), ("veil", "004", 0), ("hearth", "016", 2)] {
        let place = format!("/v1/games/ttcg/sets/{set}/cards/{number}");
        let card = app.get(&place).answer().await.expect(200);
        let path = format!("/v1/cards/{}/played-with", card["id"].as_str().unwrap());
        let played = app.get(&path).answer().await.expect(200);
        assert_eq!(played, json!({ "decks": decks, "data": [] }), "{set} {number}");
        answers.push(played.to_string());
    }
    answers
}

/// The answers that depend on the collection of a player who holds none of the hidden cards: about a deck with hidden cards, about her own deck with guesses,
/// and about a trade that offers her hidden cards.
async fn answers_to_a_collector(
    app: &TestApp,
    holder: &Player,
    eve: &Player,
    path: &str,
) -> Vec<String> {
    let imp = crate::collection::counts::printing(app, None, "hearth", "016", "common").await;
    let count = app.put(&format!("/v1/collection/{imp}")).by(eve);
    count.json(&json!({ "quantity": 2 })).answer().await.expect(200);
    let list = "2 Drowned Lantern\n1 Wholly Different 003\n1 Kettle Imp\n1 Mirror Pilgrim (veil) 004\n1 Wholly Different 004";
    let body =
        json!({ "name": "guesses", "format": "ttcg/standard", "list": list, "dialect": "plain" });
    let own = super::stored_as(app, eve, &body).await;
    let copies = app.copies_of(holder).await;
    let offer = app.offer(holder, eve, &copies.iter().collect::<Vec<_>>(), &[]).await.expect(201);
    let trade = format!("/v1/trades/{}/decks", offer["id"].as_str().unwrap());
    let mut answers = Vec::new();
    let mut note = |answer: crate::support::Answer| {
        let mut body = answer.json();
        if let Some(members) = body.as_object_mut() {
            members.remove("reserved_at");
        }
        let mut text = body.to_string();
        for (at, path) in [path, &own].into_iter().enumerate() {
            text = text.replace(path.rsplit('/').next().unwrap(), &format!("DECK {at}"));
        }
        answers.push(format!("{} {text}", answer.status));
    };
    note(app.put(&format!("{own}/reservation")).by(eve).answer().await);
    for path in [path, &own] {
        for view in ["availability", "pick-list", "pick-list?reserved=include"] {
            note(app.get(&format!("{path}/{view}")).by(eve).answer().await);
        }
    }
    note(app.get(&format!("{own}/reservation")).by(eve).answer().await);
    note(app.get(&trade).by(eve).answer().await);
    answers
}

#[tokio::test]
async fn answers_to_strangers_do_not_depend_on_hidden_cards_in_decks() {
    let (one, other) = crate::hidden_cards::twins().await;
    let guesses = "2 Drowned Lantern\n1 Wholly Different 003\n1 Nothing At All\n1 Mirror Pilgrim (veil) 004\n1 Wholly Different 004 (veil) 004\n1 Kettle Imp";
    let mut answers = Vec::new();
    let mut seen_by_holders = Vec::new();
    for (app, names) in [
        (&one, ["Drowned Lantern", "Mirror Pilgrim"]),
        (&other, ["Wholly Different 003", "Wholly Different 004"]),
    ] {
        let (ada, eve) = (app.player("ada").await, app.player("eve").await);
        for number in ["003", "004"] {
            app.give_copy(&ada.id, "ttcg", "veil", number).await;
        }
        let mut of_app = Vec::new();
        let hers = [
            format!("2 {}\n1 Kettle Imp\n0 {}", names[0], names[1]),
            format!("1 {}\n3 {}\n1 Kettle Imp", names[0], names[1].to_lowercase()),
        ];
        let guessed = [guesses.to_owned(), guesses.replace("2 ", "1 ")];
        for (owner, lists) in [(&ada, hers), (&eve, guessed)] {
            let body = |list: &str| json!({ "name": "n", "format": "ttcg/standard", "visibility": "public", "list": list, "dialect": "plain" });
            let created = app.post("/v1/decks").by(owner).json(&body(&lists[0])).answer().await;
            let path = created.header("location");
            assert_eq!(created.status, 201, "{}", created.text());
            let changed = app.put(&path).by(owner).header("if-match", "*").json(&body(&lists[1]));
            changed.answer().await.expect(200);
            of_app.extend(answers_to_a_stranger(app, owner, &path).await);
            if owner.id == ada.id {
                of_app.extend(answers_to_a_collector(app, &ada, &eve, &path).await);
                seen_by_holders
                    .push(app.get(&path).by(owner).answer().await.expect(200)["entries"].clone());
            }
        }
        of_app.extend(public_deck_answers(app).await);
        let places =
            json!({ "format": "ttcg/standard", "list": "2 (veil) 3\n1 (veil) 003\n1 (VEIL) 4" });
        of_app.push(app.post("/v1/deck-reports").json(&places).answer().await.text());
        answers.push(of_app);
    }
    for (here, there) in answers[0].iter().zip(&answers[1]) {
        assert_eq!(here, there);
    }
    assert_eq!(answers[0].len(), answers[1].len(), "no service gives more answers than the other");
    // The comparison can fail: the holders see the difference.
    assert_ne!(seen_by_holders[0], seen_by_holders[1]);
}

/// The index in memory contains no names of hidden cards. A request still finds the hidden cards that its player holds, and no other hidden cards.
#[tokio::test]
async fn with_an_index_in_memory_only_holders_find_hidden_cards() {
    let app = TestApp::start_seeded_with(&["ttcg"], in_memory).await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;
    app.catch_up().await;
    let stage = Stage { app, ada, eve };
    let Stage { app, ada, eve } = &stage;
    let names =
        ["Drowned Lantern", "DROWNED-lantern", "Mirror Pilgrim", "Kettle Imp", "Drownd Lantrn"];
    let entries: Vec<Value> = names.map(|name| json!({ "quantity": 1, "name": name })).into();
    let body = json!({ "format": "ttcg/standard", "entries": entries });
    let found = async |player: &Player| {
        let answer = app.post("/v1/deck-reports").by(player).json(&body).answer().await.expect(200);
        let entries = answer["entries"].as_array().unwrap().iter();
        let known: Vec<bool> = entries.map(|entry| entry["card_id"].is_string()).collect();
        let mut wrong = answer["reports"][0]["violations"].as_array().unwrap().iter();
        let suggests = wrong.any(|one| one["suggestions"][0] == "Drowned Lantern");
        (known, suggests)
    };
    let holder = (vec![true, true, false, true, false], true);
    let other = (vec![false, false, false, true, false], false);
    assert_eq!((found(ada).await, found(eve).await), (holder.clone(), other.clone()));
    let path = stage.stored(ada, "1 Drowned Lantern\n1 Mirror Pilgrim").await;
    let seen: Value = serde_json::from_str(&stage.text_for(&path, Some(eve)).await).unwrap();
    assert_eq!(
        (&seen["entries"][0]["hidden"], &seen["entries"][1]["name"]),
        (&json!(true), &json!("Mirror Pilgrim")),
        "the card that ada holds is bound, and her guess is not: {seen:#}"
    );
    // The new holder of the copy finds the card, and the previous holder does not.
    stage.hand_over("003", eve).await;
    assert_eq!((found(ada).await, found(eve).await), (other, holder));
}
