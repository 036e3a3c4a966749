//! A deck builder pastes a list from elsewhere, mends it, shares it, and looks at what it draws; and decks of every game are judged.

use std::path::PathBuf;

use reqwest::Method;
use serde_json::{Value, json};

use crate::{Person, Tour, seed_data, title};

impl Tour {
    /// From a pasted list to a deck that others read.
    pub(crate) async fn build_a_deck(&self) {
        let builder = self.register("deck builder").await;
        title("A list as it was pasted: each line is told of");
        let list = "Deck\n2 Kettle Imp (HEARTH) 16\nPocket Bat x2\n1 Belows Smith\n0 Ember\n";
        let body = json!({ "name": "Pasted", "format": "ttcg/standard", "list": list, "folder": "Friday" });
        let deck = self.post(&builder, "/v1/decks", body, 201).await;
        let status = |at: usize| deck["reading"]["lines"][at]["status"].clone();
        assert_eq!(
            (status(1), status(3), status(4)),
            (json!("accepted"), json!("unknown"), json!("refused"))
        );
        assert_eq!(deck["reading"]["lines"][3]["near"][0], "Bellows Smith");
        let path = format!("/v1/decks/{}", deck["id"].as_str().unwrap());

        title("It is mended and published; what changed is told card by card");
        let body = json!({
            "name": "Mended", "format": "ttcg/standard", "visibility": "public", "tags": ["imps"], "description": "Goes *fast*.",
            "list": "2 Kettle Imp\n2 Pocket Bat\n1 Bellows Smith",
        });
        self.change(&builder, Method::PUT, &path, body).await;
        let diff = self.get(None, &format!("{path}/diff?from=2&to=2")).await;
        assert_eq!(diff["cards"], json!([]), "others read what was public");
        let diff = self.get(Some(&builder), &format!("{path}/diff")).await;
        assert_eq!(
            diff["cards"].as_array().unwrap().len(),
            4,
            "a printing that is not said any more, and a name that was wrong"
        );

        title("Another program takes it, and a link holds it");
        self.get(None, &format!("{path}/export?dialect=arena")).await;
        let code =
            self.get(None, &format!("{path}/export?dialect=share_code")).await["text"].clone();
        let shared = json!({ "format": "ttcg/standard", "list": code });
        let shared = self.call(None, Method::POST, "/v1/deck-reports", Some(shared), 200).await;
        assert_eq!(shared["reading"]["dialect"], "share_code");

        title("What it is made of, how likely an imp is, and a hand");
        self.get(None, &format!("{path}/statistics")).await;
        let odds = self.get(None, &format!("{path}/draw-odds?name=kettle%20imp&hand_size=2")).await;
        assert_eq!(
            odds["opening_hand"]["wanted"]["fraction"],
            json!({ "numerator": "7", "denominator": "10" })
        );
        self.get(None, &format!("{path}/sample-hand?seed=monday")).await;

        title("Somebody copies it; the builder deletes hers, and takes that back");
        let friend = self.register("friend").await;
        let copy = self.post(&friend, &format!("{path}/clones"), json!({}), 201).await;
        assert_eq!(copy["cloned_from"]["deck_id"], deck["id"]);
        self.change(&builder, Method::DELETE, &path, Value::Null).await;
        self.call(Some(&builder), Method::GET, &path, None, 404).await;
        self.call(Some(&builder), Method::POST, &format!("{path}/undelete"), None, 200).await;
        self.get(None, &path).await;

        title("Others find it by a card of it, like it and say so");
        let found = self.get(None, "/v1/public-decks?q=contains:%22kettle%20imp%22").await;
        let mut found = found["data"].as_array().unwrap().iter();
        assert!(found.any(|one| one["id"] == deck["id"]));
        self.get(None, &format!("{path}/similar")).await;
        self.call(Some(&friend), Method::PUT, &format!("{path}/like"), None, 200).await;
        let text = json!({ "text": "I would *not* leave home without it." });
        self.post(&friend, &format!("{path}/comments"), text, 201).await;
        let liked = self.get(None, &path).await;
        assert_eq!((&liked["likes"], &liked["comment_count"]), (&json!(1), &json!(1)));

        title("She watches it, sets aside what she has of it, and takes a pick list to her binder");
        let watch = format!("{path}/watch");
        let watched = self.call(Some(&builder), Method::PUT, &watch, None, 200).await;
        assert_eq!(watched["report"]["status"], "incomplete", "five cards are no deck yet");
        let reserved =
            self.call(Some(&builder), Method::PUT, &format!("{path}/reservation"), None, 200).await;
        assert_eq!((&reserved["needed"], &reserved["reserved"]), (&json!(5), &json!(0)));
        let picked = self.get(Some(&builder), &format!("{path}/pick-list")).await;
        assert_eq!((&picked["missing"], &picked["buildable"]), (&json!(5), &json!(false)));
    }

    /// Changes the deck, whatever its version is.
    async fn change(&self, who: &Person, method: Method, path: &str, body: Value) {
        let url = format!("{}{path}", self.base);
        let request = self.client.request(method.clone(), url).header("if-match", "*");
        let expected = if method == Method::DELETE { 204 } else { 200 };
        let body = (!body.is_null()).then_some(body);
        self.send(Some(who), request, (&method, path), body, expected).await;
    }

    /// Point 5: decks of all games, as they ship in `seed-data/games/*/decks`.
    pub(crate) async fn judge_decks(&self) {
        let builder = self.register("judge").await;
        let mut files: Vec<PathBuf> = Vec::new();
        for game in std::fs::read_dir(seed_data().join("games")).unwrap() {
            // Games of which only the rules ship have no decks.
            let Ok(decks) = std::fs::read_dir(game.unwrap().path().join("decks")) else { continue };
            files.extend(decks.map(|deck| deck.unwrap().path()));
        }
        files.retain(|file| file.extension().is_some_and(|extension| extension == "txt"));
        files.sort();
        for file in files {
            self.judge_deck(&builder, &file).await;
        }
    }

    async fn judge_deck(&self, builder: &Person, file: &std::path::Path) {
        let stem = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let list = std::fs::read_to_string(file).unwrap();
        let format = list
            .lines()
            .find_map(|line| line.strip_prefix("// format: "))
            .unwrap()
            .trim()
            .to_owned();
        title(&format!("A deck for {format}: {stem}"));
        let body = json!({ "name": stem, "format": format, "list": list });
        let deck = self.call(Some(builder), Method::POST, "/v1/decks", Some(body), 201).await;
        let path = format!("/v1/decks/{}/report", deck["id"].as_str().unwrap());
        let report = self.get(Some(builder), &path).await;
        assert_eq!(report["status"] == "legal", stem.starts_with("legal"), "{stem}");
    }
}
