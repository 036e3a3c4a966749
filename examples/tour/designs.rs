//! A player designs a card, which becomes a hidden card of a set, and is unlocked.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{Person, Tour, title};

impl Tour {
    /// From the toolkit to the unlock.
    pub(crate) async fn design_a_card(&self, admin: &Person, players: &[Person]) {
        let [ada, ben, cho, ..] = players else { self.give_up("three players are needed") };

        title("Ada designs a card: what the game offers, the rest filled in, a check");
        self.get(None, "/v1/games/ttcg/design-toolkit").await;
        let name = self.design_name();
        let wanted = json!({
            "game": "ttcg", "seed": 7,
            "design": { "kind": "unit", "attributes": { "type": "earth", "rank": 1 } },
        });
        let path = "/v1/design-suggestions";
        let suggested = self.call(None, Method::POST, path, Some(wanted), 200).await;
        let mut design = suggested["design"].clone();
        for (member, value) in [("game", "ttcg"), ("name", &name), ("licence", "release-1")] {
            design[member] = json!(value);
        }
        let check = self.post(ada, "/v1/design-checks", design.clone(), 200).await;
        assert_eq!(check["releasable"], true, "a suggestion breaks no rule");

        title("She stores and shares it; others say what they think of it");
        let stored = self.post(ada, "/v1/designs", design, 201).await;
        let code = stored["id"].as_str().unwrap();
        let path = format!("/v1/designs/{code}");
        self.step(ada, &format!("{path}/share")).await;
        let rating = json!({ "fun": 5, "balance": 4, "flavour": 5, "clarity": 4 });
        let rate = format!("{path}/rating");
        self.call(Some(ben), Method::PUT, &rate, Some(rating.clone()), 200).await;
        let own = self.call(Some(ada), Method::PUT, &rate, Some(rating), 409).await;
        assert_eq!(own["code"], "own_design");
        let comment = json!({ "text": "I would play *three* of these." });
        self.post(cho, &format!("{path}/comments"), comment, 201).await;
        self.get(
            None,
            &format!("/v1/designs?game=ttcg&limit=1&author={}", ada.name.replace(' ', "%20")),
        )
        .await;

        title("She asks for its release; the admin looks at it and approves");
        self.step(ada, &format!("{path}/submit")).await;
        let claimed = self.step(admin, &format!("{path}/claim")).await;
        let revision = &claimed["revision"];
        let decision = json!({
            "decision": "approved", "revision": revision, "reason": "A sound card with a voice of its own.",
        });
        self.post(admin, &format!("{path}/decide"), decision, 200).await;

        title("It becomes the second card of a hidden set: nobody is told that it did");
        let set = format!("tour-{}", self.mark);
        let file = json!({
            "code": set, "name": format!("Tour {}", self.mark), "hidden": true, "unlock_threshold": 2,
            "cards": [self.first_card().await],
        });
        let sets = format!("/v1/games/ttcg/sets/{set}");
        self.call(Some(admin), Method::PUT, &sets, Some(file), 201).await;
        let place =
            json!({ "set": set, "number": "002", "revision": revision, "was_public": true });
        let made = self.post(admin, &format!("{path}/release"), place, 201).await;
        let card = format!("/v1/cards/{}", made["card"].as_str().unwrap());
        let seen = self.get(Some(ada), &path).await;
        assert_eq!((&seen["status"], seen.get("card")), (&json!("approved"), None));
        let seen = self.get(Some(ada), &card).await;
        assert_eq!((&seen["hidden"], seen.get("name")), (&json!(true), None));

        title("Two players find it in their packs, and unlock it");
        let printed = self.print(&set);
        let serials = printed.iter().filter(|copy| copy.number == "002");
        for (player, copy) in [ben, cho].into_iter().zip(serials) {
            self.submit(player, &copy.serial, &name, 201).await;
        }
        let open = self.get(None, &card).await;
        assert_eq!(open["designed_by"]["design"], code);
        let official = self.get(None, &path).await;
        assert_eq!(
            (&official["status"], &official["card"]["id"]),
            (&json!("official"), &open["id"])
        );
    }

    pub(crate) async fn post(&self, who: &Person, path: &str, body: Value, expected: u16) -> Value {
        self.call(Some(who), Method::POST, path, Some(body), expected).await
    }

    /// A name that no other tour uses: the mark in words, since names that look alike are taken for the same.
    fn design_name(&self) -> String {
        const WORDS: [&str; 16] = [
            "Amber", "Birch", "Cinder", "Dune", "Ember", "Fjord", "Gale", "Hollow", "Iris",
            "Juniper", "Kelp", "Lark", "Moss", "Nettle", "Opal", "Plume",
        ];
        let words = self.mark.chars().filter_map(|digit| digit.to_digit(16));
        let words: Vec<&str> = words.map(|digit| WORDS[digit as usize]).collect();
        format!("Heron of {}", words.join(" "))
    }

    /// Another card for the set: a card of the open one, under another name.
    async fn first_card(&self) -> Value {
        let card = self.get(None, "/v1/games/ttcg/sets/hearth/cards/001").await;
        let printings = format!("/v1/cards/{}/printings", card["id"].as_str().unwrap());
        let printings = self.get(None, &printings).await;
        let printings = printings["data"].as_array().unwrap().iter();
        let printing = |printing: &Value| json!({ "rarity": printing["rarity"], "attributes": printing["attributes"] });
        json!({
            "number": "001", "name": format!("Other {}", self.design_name()), "kind": card["kind"],
            "attributes": card["attributes"], "effects": card["effects"],
            "printings": printings.map(printing).collect::<Vec<_>>(),
        })
    }
}
