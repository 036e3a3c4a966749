//! Decks keep their cards when cards are moved, merged or renamed.

use serde_json::{Value, json};

use super::deck_files::lines;
use super::deck_trades::{summary, trade_decks};
use super::stored_as;
use crate::collection::counts::printing;
use crate::support::{Player, RequestExt as _, TestApp, in_memory, text};

struct Stage {
    app: TestApp,
    ada: Player,
    admin: Player,
}

impl Stage {
    async fn set(way: Way) -> Self {
        let app = match way {
            Way::Database => super::app().await,
            Way::Memory => {
                let app = TestApp::start_seeded_with(&["ttcg"], in_memory).await;
                app.catch_up().await;
                app
            }
        };
        let (ada, admin) = (app.player("ada").await, app.admin().await);
        Self { app, ada, admin }
    }

    async fn stored(&self, member: &str, cards: Value) -> String {
        let mut body = json!({ "name": "n", "format": "ttcg/standard", "visibility": "public" });
        body[member] = cards;
        stored_as(&self.app, &self.ada, &body).await
    }

    /// A deck of one card, stored in each of the ways in which players name a card with its place.
    async fn stored_in_all_ways(&self, name: &str, number: &str) -> Vec<String> {
        let place = json!([{ "quantity": 2, "set": "hearth", "number": number }]);
        let named = json!([{ "quantity": 2, "name": name, "set": "hearth", "number": number }]);
        let paths = [
            self.stored("list", json!(format!("2 {name} (hearth) {number}"))).await,
            self.stored("list", json!(format!("2 (hearth) {number}"))).await,
            self.stored("list", json!(self.share_code(name).await)).await,
            self.stored("entries", place).await,
            self.stored("entries", named).await,
        ];
        paths.into()
    }

    async fn share_code(&self, name: &str) -> String {
        let path = self.stored("list", json!(format!("2 {name}"))).await;
        let export = self.app.get(&format!("{path}/export?dialect=share_code"));
        export.answer().await.expect(200)["text"].as_str().unwrap().to_owned()
    }

    async fn card(&self, set: &str, number: &str) -> (String, String) {
        let path = format!("/v1/games/ttcg/sets/{set}/cards/{number}");
        let answer = self.app.get(&path).by(&self.admin).answer().await;
        let etag = answer.header("etag");
        (answer.expect(200)["id"].as_str().unwrap().to_owned(), etag)
    }

    async fn send(&self, set: &str, number: &str, how: &str, body: &Value) {
        let (id, etag) = self.card(set, number).await;
        let sent = self.app.post(&format!("/v1/cards/{id}/{how}")).by(&self.admin);
        sent.header("if-match", etag).json(body).answer().await.expect(201);
    }

    async fn rename(&self, set: &str, number: &str, name: &str) {
        let (id, etag) = self.card(set, number).await;
        let sent = self.app.patch(&format!("/v1/cards/{id}")).by(&self.admin);
        let sent = sent.header("if-match", etag).json(&json!({ "name": name }));
        sent.answer().await.expect(200);
    }

    /// Name, set and number of the first entry of a stored deck, for its owner.
    async fn entry(&self, path: &str) -> Value {
        let deck = self.app.get(path).by(&self.ada).answer().await.expect(200);
        place_of(&deck["entries"][0])
    }

    /// The codes of what is wrong with the cards of a stored deck.
    async fn faults(&self, path: &str) -> Vec<String> {
        let report = self.app.get(&format!("{path}/report")).by(&self.ada).answer().await;
        faults_of(&report.expect(200))
    }

    async fn judged(&self, member: &str, cards: &Value) -> Value {
        let mut body = json!({ "format": "ttcg/standard" });
        body[member] = cards.clone();
        self.app.post("/v1/deck-reports").json(&body).answer().await.expect(200)
    }
}

fn place_of(entry: &Value) -> Value {
    json!([entry["name"], entry["set"], entry["number"]])
}

fn faults_of(report: &Value) -> Vec<String> {
    let report = report.get("reports").map_or(report, |reports| &reports[0]);
    let violations = report["violations"].as_array().unwrap().iter();
    let codes = violations.map(|one| one["code"].as_str().unwrap().to_owned());
    codes.filter(|code| code.contains("UNKNOWN")).collect()
}

/// Where the service looks up cards.
#[derive(Clone, Copy)]
enum Way {
    Database,
    Memory,
}

const WAYS: [Way; 2] = [Way::Database, Way::Memory];
const NONE: [String; 0] = [];

#[tokio::test]
async fn stored_decks_and_lists_follow_a_moved_card() {
    for way in WAYS {
        let stage = Stage::set(way).await;
        let code = stage.share_code("Gatepost Lad").await;
        let paths = stage.stored_in_all_ways("Gatepost Lad", "002").await;
        stage.send("hearth", "002", "move", &json!({ "number": "9002" })).await;
        for path in &paths {
            let shown = stage.entry(path).await;
            assert_eq!(shown, json!(["Gatepost Lad", "hearth", "9002"]), "{path}");
            assert_eq!(stage.faults(path).await, NONE, "{path}");
            let text = stage.app.get(path).header("accept", "text/plain").answer().await.text();
            assert!(text.contains("9002") && !text.contains(" 002"), "{text}");
        }
        let entry = |name: &str, number: &str| json!([{ "quantity": 2, "name": name, "set": "hearth", "number": number }]);
        for (member, cards) in [
            ("list", json!("2 Gatepost Lad (hearth) 002")),
            ("list", json!("2 Gatepost Lad (hearth) 2")),
            ("list", json!("2 (hearth) 002")),
            ("list", json!("2 \"\" (\"hearth\") \"002\"")),
            ("list", json!(code)),
            ("entries", entry("", "002")),
            ("entries", entry("Gatepost Lad", "002")),
        ] {
            let judged = stage.judged(member, &cards).await;
            assert_eq!(faults_of(&judged), NONE, "{cards}: {judged:#}");
            assert!(judged["entries"][0]["card_id"].is_string(), "{cards}: {judged:#}");
            let path = stage.stored(member, cards.clone()).await;
            let shown = stage.entry(&path).await;
            assert_eq!(shown, json!(["Gatepost Lad", "hearth", "9002"]), "{cards}");
        }
        let decks =
            json!([{ "list": "2 (hearth) 002" }, { "entries": entry("Gatepost Lad", "002") }]);
        let batch = json!({ "format": "ttcg/standard", "decks": decks });
        let batch = stage.app.post("/v1/deck-reports/batch").json(&batch).answer().await;
        let batch = batch.expect(200);
        let all_judged = batch["data"].as_array().unwrap();
        assert_eq!(all_judged.len(), 2, "{batch:#}");
        for judged in all_judged {
            assert_eq!(faults_of(judged), NONE, "{judged:#}");
        }
        // A number that no card had, and the old number of another card.
        for wrong in [entry("Gatepost Lad", "8002"), entry("Kettle Imp", "002")] {
            let judged = stage.judged("entries", &wrong).await;
            assert_eq!(faults_of(&judged), ["PRINTING_UNKNOWN"], "{wrong}: {judged:#}");
        }
    }
}

#[tokio::test]
async fn bulk_files_have_the_present_places_of_moved_cards() {
    let stage = Stage::set(Way::Database).await;
    stage.stored_in_all_ways("Gatepost Lad", "002").await;
    stage.send("hearth", "002", "move", &json!({ "number": "9002" })).await;
    stage.app.build_bulk_files().await;
    let entries: Vec<Value> =
        lines(&stage.app).await.values().map(|deck| place_of(&deck["entries"][0])).collect();
    let moved = json!(["Gatepost Lad", "hearth", "9002"]);
    assert_eq!(entries.iter().filter(|entry| **entry == moved).count(), 5, "{entries:#?}");
}

#[tokio::test]
async fn decks_have_the_card_that_a_card_was_merged_into() {
    for way in WAYS {
        let stage = Stage::set(way).await;
        let code = stage.share_code("Gatepost Lad").await;
        let paths = stage.stored_in_all_ways("Gatepost Lad", "002").await;
        let (into, _) = stage.card("hearth", "017").await;
        stage.send("hearth", "002", "merge", &json!({ "into": into })).await;
        let found_by_place = [1, 2, 3];
        for (at, path) in paths.iter().enumerate() {
            // A name that was written stays.
            let name =
                if found_by_place.contains(&at) { "Chimney Salamander" } else { "Gatepost Lad" };
            assert_eq!(stage.entry(path).await, json!([name, "hearth", "017"]), "{path}");
            assert_eq!(stage.faults(path).await, NONE, "{path}");
        }
        for cards in [json!("2 (hearth) 002"), json!(code)] {
            let judged = stage.judged("list", &cards).await;
            assert_eq!(judged["entries"][0]["name"], "Chimney Salamander", "{judged:#}");
            assert_eq!(faults_of(&judged), NONE, "{judged:#}");
        }
    }
}

#[tokio::test]
async fn a_merged_card_does_not_differ_from_the_card_that_it_became() {
    for way in WAYS {
        let stage = Stage::set(way).await;
        let old = stage.stored("list", json!("2 Gatepost Lad\n1 Kettle Imp")).await;
        let (into, _) = stage.card("hearth", "017").await;
        stage.send("hearth", "002", "merge", &json!({ "into": into })).await;
        let list = "2 Chimney Salamander\n3 Kettle Imp";
        let new = stage.stored("list", json!(list)).await;
        let body =
            json!({ "name": "n", "format": "ttcg/standard", "visibility": "public", "list": list });
        let put = stage.app.put(&old).by(&stage.ada).header("if-match", "*").json(&body);
        put.answer().await.expect(200);
        let with = new.trim_start_matches("/v1/decks/");
        for query in ["from=1&to=2".to_owned(), format!("from=1&with={with}")] {
            let diff = stage.app.get(&format!("{old}/diff?{query}")).answer().await.expect(200);
            let cards = diff["cards"].as_array().unwrap().iter();
            let counts: Vec<Value> =
                cards.map(|card| json!([card["name"], card["before"], card["after"]])).collect();
            assert_eq!(counts, [json!(["Kettle Imp", 1, 3])], "{query}: {diff:#}");
        }
        for (revision, heading) in [(1, "What changed after it"), (2, "What changed since")] {
            let path = format!("{}/revisions/{revision}", old.trim_start_matches("/v1"));
            let page = stage.app.get(&path).answer().await.text();
            assert!(page.contains(heading) && page.contains("Another number"), "{page}");
            assert!(!page.contains("Taken out"), "{page}");
        }
    }
}

#[tokio::test]
async fn renaming_a_card_breaks_no_deck() {
    for way in WAYS {
        let stage = Stage::set(way).await;
        let mut paths = stage.stored_in_all_ways("Chimney Salamander", "017").await;
        paths.push(stage.stored("list", json!("2 Chimney Salamander")).await);
        paths.push(stage.stored("list", json!("2 HEARTH-017")).await);
        stage.rename("hearth", "017", "Chimney Newt").await;
        let (old, new) = ("Chimney Salamander", "Chimney Newt");
        let names = [old, new, new, new, old, old, new];
        for (path, name) in paths.iter().zip(names) {
            assert_eq!(stage.entry(path).await[0], name, "{path}");
            assert_eq!(stage.faults(path).await, NONE, "{path}");
            let legalities = stage.app.get(&format!("{path}/legalities")).answer().await;
            let legalities = legalities.expect(200);
            let formats = legalities["formats"].as_array().unwrap();
            assert!(!formats.is_empty(), "{path}: {legalities:#}");
            for format in formats {
                assert_eq!(format["status"], "incomplete", "{path}: {legalities:#}");
            }
            let available = stage.app.get(&format!("{path}/availability")).by(&stage.ada);
            let card = available.answer().await.expect(200)["cards"][0].clone();
            assert_eq!((&card["name"], &card["card_id"].is_string()), (&json!(new), &true));
        }
        // What is sent again stays bound; nobody has bound the old name in a list that is not stored.
        let entries = stage.app.get(&paths[5]).by(&stage.ada).answer().await.expect(200);
        let body = json!({ "name": "m", "format": "ttcg/standard", "entries": entries["entries"] });
        let put = stage.app.put(&paths[5]).by(&stage.ada).header("if-match", "*");
        put.json(&body).answer().await.expect(200);
        assert_eq!(stage.faults(&paths[5]).await, NONE);
        let judged = stage.judged("list", &json!("2 Chimney Salamander")).await;
        assert_eq!(faults_of(&judged), ["CARD_UNKNOWN"], "{judged:#}");
        // A clone has the names that the author of the deck wrote, and no others.
        let clone = stage.app.post(&format!("{}/clones", paths[1])).by(&stage.ada);
        let clone = clone.answer().await.header("location");
        stage.rename("hearth", "017", "Chimney Eft").await;
        assert_eq!(stage.entry(&clone).await[0], "Chimney Eft");
        assert_eq!(stage.faults(&clone).await, NONE);
    }
}

#[tokio::test]
async fn a_deck_that_is_sent_back_as_it_was_read_is_not_changed() {
    for way in WAYS {
        let stage = Stage::set(way).await;
        let list = "2 (hearth) 002\n1 Chimney Salamander (hearth) 017\n1 Kettle Imp";
        let path = stage.stored("list", json!(list)).await;
        stage.send("hearth", "017", "move", &json!({ "number": "9017" })).await;
        let text = stage.app.get(&path).by(&stage.ada).header("accept", "text/plain").answer();
        let text = text.await.text();
        assert!(text.contains("2 Gatepost Lad (hearth) 002"), "{text}");
        let read = stage.app.get(&path).by(&stage.ada).answer().await.expect(200);
        let body = |member: &str, cards: &Value| {
            let mut body =
                json!({ "name": "n", "format": "ttcg/standard", "visibility": "public" });
            body[member] = cards.clone();
            body
        };
        let replaced = async |body: &Value| {
            let put = stage.app.put(&path).by(&stage.ada).header("if-match", "*").json(body);
            put.answer().await.expect(200)
        };
        for body in [body("list", &json!(text)), body("entries", &read["entries"])] {
            assert_eq!(replaced(&body).await["revision"], 1, "{body:#}");
        }
        let upload = stage.app.put(&format!("{path}?format=ttcg/standard")).by(&stage.ada);
        let upload = upload.header("if-match", "*").header("content-type", "text/plain");
        assert_eq!(upload.body(text.clone()).answer().await.expect(200)["revision"], 1);
        // Another quantity is a change, but the player did not write the name.
        let more = text.replace("2 Gatepost", "3 Gatepost");
        assert_eq!(replaced(&body("list", &json!(more))).await["revision"], 2);
        stage.rename("hearth", "002", "Doorpost Lad").await;
        assert_eq!(stage.entry(&path).await[0], "Doorpost Lad");
    }
}

/// Another card may have the old name of a renamed card.
#[tokio::test]
async fn a_deck_that_is_sent_back_keeps_renamed_cards() {
    for way in WAYS {
        let stage = Stage::set(way).await;
        let mut paths = Vec::new();
        for list in ["2 Chimney Salamander", "2 Chimney Salamander (hearth) 017"] {
            paths.push(stage.stored("list", json!(list)).await);
        }
        stage.rename("hearth", "017", "Chimney Newt").await;
        stage.rename("hearth", "002", "Chimney Salamander").await;
        let card = async |path: &str| {
            let available = stage.app.get(&format!("{path}/availability")).by(&stage.ada);
            available.answer().await.expect(200)["cards"][0]["name"].clone()
        };
        for is_moved in [false, true] {
            if is_moved {
                stage.send("hearth", "017", "move", &json!({ "number": "9017" })).await;
            }
            for path in &paths {
                let read = stage.app.get(path).by(&stage.ada).answer().await.expect(200);
                let text = stage.app.get(path).by(&stage.ada).header("accept", "text/plain");
                let text = text.answer().await.text();
                for (member, cards) in [("list", json!(text)), ("entries", read["entries"].clone())]
                {
                    let mut body =
                        json!({ "name": "n", "format": "ttcg/standard", "visibility": "public" });
                    body[member] = cards;
                    let put = stage.app.put(path).by(&stage.ada).header("if-match", "*");
                    let replaced = put.json(&body).answer().await.expect(200);
                    assert_eq!(replaced["revision"], 1, "{body:#}");
                }
            }
        }
        // Other quantities and positions are no other cards.
        let read = stage.app.get(&paths[1]).by(&stage.ada).answer().await.expect(200);
        let mut entry = read["entries"][0].clone();
        assert_eq!(place_of(&entry), json!(["Chimney Salamander", "hearth", "9017"]));
        entry["quantity"] = json!(3);
        let entries = json!([{ "quantity": 1, "name": "Kettle Imp" }, entry]);
        let body = json!({ "name": "n", "format": "ttcg/standard", "entries": entries });
        let put = stage.app.put(&paths[1]).by(&stage.ada).header("if-match", "*");
        assert_eq!(put.json(&body).answer().await.expect(200)["revision"], 2);
        assert_eq!(stage.faults(&paths[1]).await, NONE);
        // Neither is another rarity.
        let read = stage.app.get(&paths[1]).by(&stage.ada).answer().await.expect(200);
        let mut entries = read["entries"].clone();
        entries[1]["rarity"] = json!("common");
        let body = json!({ "name": "n", "format": "ttcg/standard", "entries": entries });
        let put = stage.app.put(&paths[1]).by(&stage.ada).header("if-match", "*");
        let replaced = put.json(&body).answer().await.expect(200);
        let entry = &replaced["entries"][1];
        assert_eq!((&replaced["revision"], &entry["rarity"]), (&json!(3), &json!("common")));
        assert_eq!(place_of(entry), json!(["Chimney Salamander", "hearth", "9017"]));
        assert_eq!(stage.faults(&paths[1]).await, NONE);
        // A name without a place is that of the card that has it, as long as one has it.
        assert_eq!(card(&paths[0]).await, "Chimney Salamander");
        stage.rename("hearth", "002", "Gatepost Lad").await;
        assert_eq!(card(&paths[0]).await, "Chimney Newt");
    }
}

/// Other cards whose numbers differ only in zeros from the old number of a moved card do not take its place.
#[tokio::test]
async fn an_old_number_is_not_that_of_a_card_with_other_zeros() {
    for way in WAYS {
        let stage = Stage::set(way).await;
        let paths = stage.stored_in_all_ways("Gatepost Lad", "002").await;
        let (moved, _) = stage.card("hearth", "002").await;
        // The other way round, the number 2 would be refused.
        stage.send("hearth", "001", "move", &json!({ "number": "2" })).await;
        stage.send("hearth", "002", "move", &json!({ "number": "9002" })).await;
        let (other, _) = stage.card("hearth", "2").await;
        for path in &paths {
            let shown = stage.entry(path).await;
            assert_eq!(shown, json!(["Gatepost Lad", "hearth", "9002"]), "{path}");
            assert_eq!(stage.faults(path).await, NONE, "{path}");
        }
        let entry = |name: &str, number: &str| json!([{ "quantity": 2, "name": name, "set": "hearth", "number": number }]);
        for (member, cards, name) in [
            ("list", json!("2 (hearth) 002"), "Gatepost Lad"),
            ("list", json!("2 Gatepost Lad (hearth) 002"), "Gatepost Lad"),
            ("entries", entry("", "002"), "Gatepost Lad"),
            ("entries", entry("Gatepost Lad", "002"), "Gatepost Lad"),
            ("list", json!("2 (hearth) 2"), "Pebblebrow Tortoise"),
            ("entries", entry("", "0002"), "Pebblebrow Tortoise"),
        ] {
            assert_eq!(faults_of(&stage.judged(member, &cards).await), NONE, "{cards}");
            let path = stage.stored(member, cards.clone()).await;
            assert_eq!(stage.entry(&path).await[0], name, "{cards}");
            assert_eq!(stage.faults(&path).await, NONE, "{cards}");
        }
        let place = |number: &str| json!({ "game": "ttcg", "set": "hearth", "number": number });
        let identifiers = json!({ "identifiers": [place("002"), place("2"), place("0002")] });
        let found = stage.app.post("/v1/cards/lookup").json(&identifiers).answer().await;
        let found = found.expect(200);
        let ids: Vec<&Value> =
            found["data"].as_array().unwrap().iter().map(|card| &card["id"]).collect();
        assert_eq!(json!(ids), json!([moved, other, other]));
    }
}

/// A number without zeros is short for that of the card that has it now, whatever name stands beside it.
#[tokio::test]
async fn a_short_old_number_is_that_of_the_card_that_has_it_now() {
    for way in WAYS {
        let stage = Stage::set(way).await;
        for number in ["2", "9001"] {
            let before = if number == "2" { "001" } else { "2" };
            stage.send("hearth", before, "move", &json!({ "number": number })).await;
        }
        let entry = |number: &str| json!([{ "quantity": 2, "name": "Pebblebrow Tortoise", "set": "hearth", "number": number }]);
        let judged = stage.judged("entries", &entry("2")).await;
        assert_eq!(faults_of(&judged), ["PRINTING_UNKNOWN"], "{judged:#}");
        for number in ["1", "001"] {
            assert_eq!(faults_of(&stage.judged("entries", &entry(number)).await), NONE, "{number}");
        }
    }
}

/// Old numbers are public, also those of hidden cards: who may not see the card does not get another one instead.
#[tokio::test]
async fn an_old_number_of_a_hidden_card_is_not_that_of_a_card_with_other_zeros() {
    for way in WAYS {
        let stage = Stage::set(way).await;
        let (open, _) = stage.card("veil", "004").await;
        let unlock = stage.app.post(&format!("/v1/cards/{open}/unlock")).by(&stage.admin);
        unlock.json(&json!({ "reason": "Launch." })).answer().await.expect(200);
        stage.send("veil", "004", "move", &json!({ "number": "3" })).await;
        stage.send("veil", "003", "move", &json!({ "number": "9003" })).await;
        let (hidden, _) = stage.card("veil", "9003").await;
        let entry = |number: &str| json!([{ "quantity": 2, "set": "veil", "number": number }]);
        for (number, shown, card) in [
            ("003", json!(["", "veil", "9003"]), json!(hidden)),
            ("3", json!(["Mirror Pilgrim", "veil", "3"]), Value::Null),
        ] {
            for (member, cards) in
                [("list", json!(format!("2 (veil) {number}"))), ("entries", entry(number))]
            {
                let path = stage.stored(member, cards).await;
                let deck = stage.app.get(&path).by(&stage.ada).answer().await.expect(200);
                let entry = &deck["entries"][0];
                assert_eq!(
                    (place_of(entry), &entry["card_id"]),
                    (shown.clone(), &card),
                    "{deck:#}"
                );
            }
        }
    }
}

/// The copies that a player has are found by the names of cards. An old name may be that of another card, or differ from the new one only in accents.
#[tokio::test]
async fn copies_are_those_of_the_renamed_card() {
    for way in WAYS {
        let stage = Stage::set(way).await;
        let printing = printing(&stage.app, None, "hearth", "017", "common").await;
        let owned = stage.app.put(&format!("/v1/collection/{printing}")).by(&stage.ada);
        let owned = owned.json(&json!({ "quantity": 1 })).answer().await;
        assert!([200, 204].contains(&owned.status), "{}", owned.text());
        let named = stage.stored("list", json!("1 Chimney Salamander")).await;
        let placed = stage.stored("list", json!("1 Chimney Salamander (hearth) 017")).await;
        let (renamed, _) = stage.card("hearth", "017").await;
        let (other, _) = stage.card("hearth", "002").await;
        let copies = async |path: &str| {
            let of_deck = async |what: &str| {
                let answer = stage.app.get(&format!("{path}/{what}")).by(&stage.ada).answer();
                answer.await.expect(200)
            };
            let card = of_deck("availability").await["cards"][0].clone();
            let is_buildable = of_deck("pick-list").await["buildable"].clone();
            json!([card["name"], card["card_id"], card["owned"], is_buildable])
        };
        let reserve = async |path: &str| {
            let sent = stage.app.put(&format!("{path}/reservation")).by(&stage.ada);
            sent.answer().await.expect(200)["reserved"].clone()
        };
        stage.rename("hearth", "017", "Chimney Sálamander").await;
        for path in [&named, &placed] {
            let found = copies(path).await;
            assert_eq!(found, json!(["Chimney Sálamander", renamed, 1, true]), "{path}");
        }
        assert_eq!(reserve(&placed).await, 1);
        stage.rename("hearth", "017", "Chimney Newt").await;
        stage.rename("hearth", "002", "Chimney Salamander").await;
        assert_eq!(copies(&placed).await, json!(["Chimney Newt", renamed, 1, true]));
        assert_eq!(reserve(&placed).await, 1, "the reservation keeps its copy");
        // A name without a place is that of the card that has it now.
        assert_eq!(copies(&named).await, json!(["Chimney Salamander", other, 0, false]));
    }
}

/// Cards of other decks are found by the ids that were stored, and the copies that are missing in a trade by the names.
#[tokio::test]
async fn other_decks_and_trades_follow_cards() {
    for way in WAYS {
        let stage = Stage::set(way).await;
        let deck = async |name: &str, list: &str| {
            let body = json!({ "name": name, "format": "ttcg/standard", "list": list });
            stored_as(&stage.app, &stage.ada, &body).await
        };
        deck("renamed", "2 Chimney Salamander").await;
        deck("moved", "2 Gatepost Lad (hearth) 002").await;
        deck("moved, without a name", "2 (hearth) 002").await;
        let merged = deck("merged", "1 Rootcellar Mole\n1 Drystone Mason").await;
        deck("merged, without a name", "2 (hearth) 003").await;
        stage.rename("hearth", "017", "Chimney Newt").await;
        stage.send("hearth", "002", "move", &json!({ "number": "9002" })).await;
        let (into, _) = stage.card("hearth", "004").await;
        stage.send("hearth", "003", "merge", &json!({ "into": into })).await;
        if matches!(way, Way::Memory) {
            stage.app.catch_up().await;
        }
        let cards = "1 Chimney Newt\n1 Gatepost Lad\n1 Drystone Mason";
        let probe = deck("probe", cards).await;

        let needs = async |path: &str| -> Vec<Value> {
            let answer = stage.app.get(&format!("{path}/availability")).by(&stage.ada).answer();
            let answer = answer.await.expect(200);
            let others = |card: &Value| {
                let others = card["other_decks"].as_array().unwrap().iter();
                others.map(|deck| json!([deck["name"], deck["quantity"]])).collect::<Vec<_>>()
            };
            let cards = answer["cards"].as_array().unwrap().iter();
            let need = |card: &Value| {
                let mut others = others(card);
                others.sort_by_key(Value::to_string);
                json!([card["name"], card["needed"], card["missing_with_other_decks"], others])
            };
            cards.map(need).collect()
        };
        let moved = [json!(["moved", 2]), json!(["moved, without a name", 2])];
        let in_merged = [json!(["merged", 2]), json!(["merged, without a name", 2])];
        assert_eq!(
            needs(&probe).await,
            [
                json!(["Chimney Newt", 1, 3, [["renamed", 2]]]),
                json!(["Gatepost Lad", 1, 5, moved]),
                json!(["Drystone Mason", 1, 5, in_merged]),
            ]
        );
        let others = [in_merged[1].clone(), json!(["probe", 1])];
        assert_eq!(needs(&merged).await, [json!(["Drystone Mason", 2, 5, others])]);

        let ben = stage.app.player("ben").await;
        stage.app.set_trading(&stage.ada, "public").await;
        let printed = stage.app.print("hearth", 1).await;
        let mut given = Vec::new();
        for (number, name) in
            [("017", "Chimney Newt"), ("9002", "Gatepost Lad"), ("004", "Drystone Mason")]
        {
            let mut card = printed.iter().find(|card| card.number == number).unwrap().clone();
            card.name = name.to_owned();
            given.push(stage.app.register(&ben, &card).await);
        }
        let given: Vec<&String> = given.iter().collect();
        let offer = stage.app.offer(&ben, &stage.ada, &given, &[]).await.expect(201);
        let found = trade_decks(&stage.app, &stage.ada, &text(&offer, "id")).await;
        let mut decks: Vec<Value> =
            found["decks"].as_array().unwrap().iter().map(summary).collect();
        decks.sort_by_key(Value::to_string);
        let closes = |name: &str| json!([name, 1, null]);
        let one_of_two = |deck: &str, card: &str| json!([deck, 2, 1, [closes(card)], []]);
        let all = ["Chimney Newt", "Drystone Mason", "Gatepost Lad"].map(closes);
        assert_eq!(
            decks,
            [
                one_of_two("merged", "Drystone Mason"),
                one_of_two("merged, without a name", "Drystone Mason"),
                one_of_two("moved", "Gatepost Lad"),
                one_of_two("moved, without a name", "Gatepost Lad"),
                json!(["probe", 3, 0, all, []]),
                one_of_two("renamed", "Chimney Newt"),
            ],
            "{found:#}"
        );
    }
}

/// An old place of a hidden card shows what its present place shows, also to a player who typed a name beside it.
#[tokio::test]
async fn old_places_of_hidden_cards_show_no_more_than_present_ones() {
    for way in WAYS {
        let stage = Stage::set(way).await;
        stage.send("veil", "003", "move", &json!({ "number": "9003" })).await;
        let answers = async |number: &str| {
            let entry = |name: &str| json!([{ "quantity": 2, "name": name, "set": "veil", "number": number }]);
            let mut answers = Vec::new();
            for (member, cards) in [
                ("entries", entry("")),
                ("list", json!(format!("2 (veil) {number}"))),
                ("entries", entry("Drowned Lantern")),
                ("entries", entry("Kettle Imp")),
                ("list", json!(format!("2 Drowned Lantern (veil) {number}"))),
            ] {
                let judged = stage.judged(member, &cards).await;
                let path = stage.stored(member, cards).await;
                let report = stage.app.get(&format!("{path}/report")).by(&stage.ada);
                let shown = [judged, report.answer().await.expect(200)].map(|one| {
                    let members = ["name", "card_id", "hidden"];
                    let entry = members.map(|member| one["entries"][0][member].clone());
                    (entry, faults_of(&one))
                });
                answers.push(shown);
            }
            answers
        };
        assert_eq!(answers("003").await, answers("9003").await);
        let path = stage.stored("list", json!("2 (veil) 003")).await;
        assert_eq!(stage.entry(&path).await, json!(["", "veil", "9003"]));
    }
}
