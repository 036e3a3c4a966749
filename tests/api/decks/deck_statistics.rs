//! Statistics, odds and hands of stored decks.

use serde_json::{Value, json};

use super::stored_as as stored;
use crate::support::{RequestExt as _, TestApp};

fn deck(visibility: &str, list: &str) -> Value {
    json!({ "name": "n", "format": "ttcg/standard", "visibility": visibility, "list": list })
}

#[tokio::test]
async fn statistics_count_the_kinds_and_attributes_of_a_deck() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;
    let path = stored(
        &app,
        &ada,
        &deck("public", "3 Kettle Imp\n2 Bellows Smith\n1 Drowned Lantern\n4 Nobody's Card"),
    )
    .await;
    let hers = app.get(&format!("{path}/statistics")).by(&ada).answer().await;
    let tag = hers.header("etag");
    let hers = hers.expect(200);
    let main = &hers["zones"][0];
    assert_eq!(
        (&main["zone"], &main["cards"], &main["known"], &main["unknown"]),
        (&json!("main"), &json!(10), &json!(6), &json!(4))
    );
    assert_eq!(main["unknown_cards"][0]["name"], "Nobody's Card");
    let sum = |distribution: &Value| -> u64 {
        distribution["values"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["copies"].as_u64().unwrap())
            .sum()
    };
    assert_eq!(sum(&main["kinds"]), 6, "{main:#}");
    // Kettle Imp and Drowned Lantern have rank 1, Bellows Smith has rank 2.
    let curve = json!([{ "value": 1, "copies": 4 }, { "value": 2, "copies": 2 }]);
    assert_eq!(main["attributes"]["rank"]["numbers"]["curve"], curve, "{main:#}");
    let again = app.get(&format!("{path}/statistics")).by(&ada).header("if-none-match", tag);
    assert_eq!(again.answer().await.status, 304);
    // Other readers get a hidden card as an unknown card, without its name.
    let seen = app.get(&format!("{path}/statistics")).answer().await;
    assert!(!seen.text().contains("Drowned"), "{}", seen.text());
    assert_eq!(seen.expect(200)["zones"][0]["unknown"], 5);
}

#[tokio::test]
async fn draw_odds_are_exact_and_sample_hands_are_repeatable() {
    let app = TestApp::start_seeded(&["ttcg", "emojito"]).await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    let path = stored(&app, &ada, &deck("private", "2 Kettle Imp\n8 Bellows Smith")).await;
    let odds =
        async |query: &str| app.get(&format!("{path}/draw-odds?{query}")).by(&ada).answer().await;
    let imps = odds("name=kettle%20imp&hand_size=3").await.expect(200);
    // 1 - C(8, 3) / C(10, 3) = 1 - 56/120.
    assert_eq!(
        imps["opening_hand"]["wanted"]["fraction"],
        json!({ "numerator": "8", "denominator": "15" }),
        "{imps:#}"
    );
    assert_eq!(imps["population"], json!({ "cards": 10, "matching": 2, "uncertain": 0 }));
    // None of them, which `min` need not say: C(8, 3) / C(10, 3).
    let none = odds("name=kettle%20imp&hand_size=3&max=0").await.expect(200);
    assert_eq!(
        none["opening_hand"]["wanted"]["fraction"],
        json!({ "numerator": "7", "denominator": "15" }),
        "{none:#}"
    );
    let unit = odds("kind=unit").await.expect(200);
    assert_eq!(unit["population"], json!({ "cards": 10, "matching": 10, "uncertain": 0 }));
    assert_eq!(unit["opening_hand"]["wanted"]["value"], 1.0, "{unit:#}");
    assert_eq!((&imps["warnings"], &unit["warnings"]), (&json!([]), &json!([])));
    // Case does not matter, and a zone has other names, too.
    for query in ["kind=UNIT&zone=MAIN", "kind=Unit&zone=Deck"] {
        assert_eq!(odds(query).await.expect(200), unit, "{query}");
    }
    for (query, parameter, message) in [
        (
            "name=Ketle%20Imp",
            "name",
            "No card in the zone main is known to have the name “Ketle Imp”; did you mean Kettle Imp?",
        ),
        (
            "name=Ketle%20Imp&zone=MAIN",
            "name",
            "No card in the zone main is known to have the name “Ketle Imp”; did you mean Kettle Imp?",
        ),
        (
            "attribute=rank&value=77",
            "value",
            "No card in the zone main is known to have rank “77”.",
        ),
    ] {
        let odds = odds(query).await.expect(200);
        assert_eq!(odds["population"]["matching"], 0, "{odds:#}");
        let warnings = json!([{ "parameter": parameter, "message": message }]);
        assert_eq!(odds["warnings"], warnings, "{odds:#}");
    }
    let ranks = odds("attribute=rank&value=1&min=2&max=3&draws=4&goes_first=true&mulligans=1");
    let ranks = ranks.await.expect(200);
    assert_eq!(ranks["population"], json!({ "cards": 10, "matching": 2, "uncertain": 0 }));
    assert_eq!(ranks["wanted"], json!({ "min": 2, "max": 3 }));
    // Both imps are in the hand of seven: C(8, 5) / C(10, 7) = 56/120. With four more draws, the player has all ten cards.
    assert_eq!(
        ranks["opening_hand"]["wanted"]["fraction"],
        json!({ "numerator": "7", "denominator": "15" }),
        "{ranks:#}"
    );
    let after = &ranks["after_draws"];
    assert_eq!((&after["cards"], after["wanted"]["value"].as_f64()), (&json!(10), Some(1.0)));
    assert_eq!(ranks["turns"]["draws_on_first_turn"], false, "{ranks:#}");
    for (query, pointer) in [
        ("", ""),
        ("name=a&kind=unit", ""),
        ("attribute=rank", ""),
        ("kind=untit", "?kind"),
        ("attribute=rnak&value=1", "?attribute"),
        ("attribute=rank&value=x", "?value"),
        ("name=a&zone=attic", "?zone"),
        ("name=a&draws=10001", "?draws"),
        ("name=a&mulligans=21", "?mulligans"),
        ("name=a&min=5&max=2", "?max"),
        ("name=a&hand_size=10001", "?hand_size"),
    ] {
        let problem = odds(query).await.problem(400, "invalid_query");
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{query}: {problem}");
    }
    let hand =
        async |query: &str| app.get(&format!("{path}/sample-hand{query}")).by(&ada).answer().await;
    let monday = hand("?seed=monday&draws=3").await.expect(200);
    assert_eq!(hand("?seed=monday&draws=3").await.expect(200), monday);
    assert_eq!(monday["draws"].as_array().unwrap().len(), 3);
    // Computed by a program in Python from docs/DECK_STATISTICS.md.
    let drawn = ["opening_hand", "draws"].map(|part| {
        let cards = monday[part].as_array().unwrap().iter();
        cards.map(|card| card["entry"].as_u64().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(drawn, [vec![1, 0, 1, 1, 1, 1, 1], vec![0, 1, 1]], "{monday:#}");
    assert!(monday["opening_hand"][0]["card"]["name"].is_string(), "{monday:#}");
    let fresh = hand("").await.expect(200);
    let seed = fresh["seed"].as_str().unwrap();
    assert_eq!(hand(&format!("?seed={seed}")).await.expect(200), fresh);
    hand("?draws=100000").await.problem(400, "invalid_query");
    let many = hand("?hand_size=1000&draws=1").await.problem(400, "invalid_query");
    let message = "the opening hand and the draws together must be at most 1000 cards, not 1001";
    assert_eq!(
        (&many["errors"][0]["pointer"], &many["errors"][0]["detail"]),
        (&json!("?draws"), &json!(message))
    );
    assert_eq!(hand("?seed=monday&draws=3&zone=DECK").await.expect(200), monday);
    let long = hand(&format!("?seed={}", "x".repeat(101))).await.problem(400, "invalid_query");
    assert_eq!(long["errors"][0]["pointer"], "?seed");
    // The service refuses a sample hand for a game without hands.
    let boxed = json!({ "name": "n", "format": "emojito/box", "entries": [] });
    let boxed = stored(&app, &ada, &boxed).await;
    let problem = app.get(&format!("{boxed}/sample-hand")).by(&ada).answer().await;
    let problem = problem.problem(400, "invalid_query");
    assert_eq!(problem["errors"][0]["pointer"], "?hand_size", "{problem}");
    for way in ["statistics", "draw-odds?name=a", "sample-hand", "legalities"] {
        app.get(&format!("{path}/{way}")).by(&eve).answer().await.problem(404, "not_found");
    }
}

#[tokio::test]
async fn decks_are_drawn_as_charts() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let body = json!({ "name": "<Embers> & Bones", "format": "ttcg/standard", "list": "2 Kettle Imp\n1 Bellows Smith\n1 Cinder Matriarch\n1 No Such Card" });
    let path = app.post("/v1/decks").by(&ada).json(&body).answer().await.header("location");
    let draw =
        async |query: &str| app.get(&format!("{path}/chart?{query}")).by(&ada).answer().await;
    let curve = draw("of=rank").await;
    assert_eq!((curve.status, curve.header("content-type").as_str()), (200, "image/svg+xml"));
    assert!(curve.header("content-security-policy").contains("default-src 'none'"));
    let tag = curve.header("etag");
    let svg = curve.text();
    assert!(svg.contains("&#60;Embers&#62; &#38; Bones: rank"), "{svg}");
    assert!(svg.contains("width=\"640\""));
    let known = app.get(&format!("{path}/chart?of=rank")).by(&ada).header("if-none-match", &tag);
    assert_eq!(known.answer().await.status, 304);
    let shares = draw("of=kind&width=320&theme=dark").await.text();
    assert!(shares.contains("width=\"320\"") && shares.contains("4 · 100%"), "{shares}");
    for zone in ["main", "MAIN", "deck"] {
        let zoned = draw(&format!("of=kind&width=320&theme=dark&zone={zone}")).await;
        assert_eq!((zoned.status, zoned.text()), (200, shares.clone()), "{zone}");
    }
    for (query, pointer, detail) in [
        ("of=rnak", "?of", "There is no attribute rnak; did you mean rank?"),
        ("of=rank&zone=mian", "?zone", "There is no zone mian; did you mean main?"),
        ("of=rank&width=10", "?width", "must be 320 to 1200, not 10"),
    ] {
        let problem = draw(query).await.problem(400, "invalid_query");
        let fault = &problem["errors"][0];
        assert_eq!(
            (&fault["pointer"], &fault["detail"]),
            (&json!(pointer), &json!(detail)),
            "{problem:#}"
        );
    }
    app.get(&format!("{path}/chart?of=rank")).answer().await.problem(404, "not_found");
}
