//! What a live check says of a design, and what it must not tell.

use serde_json::{Value, json};

use super::{app, begun, changed, heron, shared};
use crate::support::{Player, RequestExt as _, TestApp, in_memory, seed_data, set_file};

async fn check(app: &TestApp, design: &Value) -> Value {
    app.post("/v1/design-checks").json(design).answer().await.expect(200)
}

async fn check_by(app: &TestApp, asker: &Player, design: &Value) -> Value {
    app.post("/v1/design-checks").by(asker).json(design).answer().await.expect(200)
}

#[tokio::test]
async fn a_sound_design_could_be_released() {
    let app = app().await;
    let told = check(&app, &heron("Lantern Heron")).await;
    assert_eq!(told["violations"], json!([]), "{told}");
    assert_eq!((&told["releasable"], &told["obstacles"]), (&json!(true), &json!([])));
    assert_eq!(told["name"], json!({ "available": true, "like": [] }));
    let effects = told["effects"].as_array().unwrap();
    assert!(effects.iter().all(|effect| effect["free_text"] == false), "{told}");
    assert!(!effects[0]["matches"][0]["bindings"].is_null());
    assert_eq!(told["all_printings"].as_array().unwrap().len(), 6);
}

#[tokio::test]
async fn every_broken_rule_has_its_place_and_number() {
    let app = app().await;
    let broken = changed(
        heron("Lantern Heron"),
        &json!({
            "attributes": { "type": "earth", "rank": 1, "subtypes": ["beast"], "attack": 400, "defense": 300 },
            "effects": [{ "style": "normal", "text": "Sing the whole night." }],
            "licence": null,
        }),
    );
    let told = check(&app, &broken).await;
    let violations = told["violations"].as_array().unwrap();
    let total = violations.iter().find(|violation| violation["code"] == "UNIT_STAT_TOTAL");
    let total = total.unwrap_or_else(|| panic!("{told}"));
    assert_eq!((&total["limit"], &total["actual"]), (&json!(500), &json!(700)));
    assert_eq!((&total["pointer"], &total["rule"]), (&json!("/printings/0"), &json!("T-4.6b")));
    assert_eq!(told["effects"][0]["free_text"], true);
    assert_eq!(told["obstacles"], json!(["violations", "free_text", "licence"]));
    assert_eq!(told["releasable"], false);
}

#[tokio::test]
async fn names_like_it_are_told_and_so_is_what_does_the_same() {
    for change in [|_: &mut cardscape::app::state::ApiSettings| {}, in_memory] {
        let app = TestApp::start_with(change).await;
        app.seed(&["ttcg"]).await;
        app.seed_effect_texts("ttcg").await;
        if app.shared().settings.card_index {
            app.cards_in_memory();
            app.catch_up().await;
        }
        let (ada, bob) = (app.player("ada").await, app.player("bob").await);
        let likeness = |told: &Value| -> Vec<(String, String)> {
            let pair = |like: &Value| {
                (
                    like["likeness"].as_str().unwrap().to_owned(),
                    like["name"].as_str().unwrap().to_owned(),
                )
            };
            told["name"]["like"].as_array().unwrap().iter().map(pair).collect()
        };
        for (name, expected, available) in [
            ("gatepost lad", "same", false),
            ("G\u{430}tepost L\u{430}d", "looks_the_same", false),
            ("Gatepost Lads", "near", true),
        ] {
            let told = check(&app, &heron(name)).await;
            assert_eq!(
                likeness(&told),
                [(expected.to_owned(), "Gatepost Lad".to_owned())],
                "{name}"
            );
            assert_eq!(told["name"]["available"], available, "{name}");
        }

        // What the card of number 2 does, with another number.
        let effects = json!({ "effects": [
            { "style": "passive", "text": "When this card is sent to the discard pile, draw two cards." },
            { "style": "normal", "text": "Discard one spell to gain 3 points." },
        ] });
        let alike = changed(heron("Wholly New"), &effects);
        let told = check(&app, &alike).await;
        let same = told["same_effects"].as_array().unwrap();
        assert_eq!(same.len(), 1, "{told}");
        assert_eq!((&same[0]["name"], &same[0]["number"]), (&json!("Gatepost Lad"), &json!("002")));

        // Designs: drafts are told to their authors alone.
        begun(&app, &ada, &alike).await;
        assert_eq!(check_by(&app, &bob, &alike).await["same_effects"].as_array().unwrap().len(), 1);
        let told = check_by(&app, &ada, &alike).await;
        assert_eq!(told["same_effects"][1]["own"], true);
        assert_eq!((likeness(&told).len(), &told["name"]["available"]), (1, &json!(true)));
        shared(&app, &ada, &changed(alike.clone(), &json!({ "name": "Wholly Other" }))).await;
        if app.shared().settings.card_index {
            app.catch_up().await;
        }
        let told = check_by(&app, &bob, &changed(alike, &json!({ "name": "Wholly 0ther" }))).await;
        assert_eq!(told["same_effects"].as_array().unwrap().len(), 2, "{told}");
        assert_eq!(likeness(&told)[0], ("looks_the_same".to_owned(), "Wholly Other".to_owned()));
        assert_eq!(told["name"]["available"], false);
        // A slip of the pen at either end.
        for typed in ["Wholly Othar", "Uholly Other"] {
            let told = check_by(&app, &bob, &heron(typed)).await;
            assert_eq!(
                likeness(&told),
                [("near".to_owned(), "Wholly Other".to_owned())],
                "{typed}"
            );
            assert_eq!(told["name"]["available"], true);
        }
        // Neither can its author share another one of that name.
        let told = check_by(&app, &ada, &heron("Wholly Other")).await;
        assert_eq!(told["name"]["available"], false);
    }
}

/// An editor sends the same name and effects again and again; what is kept of them is dropped when cards change.
#[tokio::test]
async fn what_is_kept_for_checks_follows_the_cards() {
    let app = TestApp::start_with(in_memory).await;
    app.seed(&["ttcg"]).await;
    app.seed_effect_texts("ttcg").await;
    app.catch_up().await;
    let admin = app.admin().await;
    let card = app.get("/v1/games/ttcg/sets/hearth/cards/002").answer().await.expect(200);
    let path = format!("/v1/cards/{}", card["id"].as_str().unwrap());
    let (was, will_be) = (card["name"].as_str().unwrap(), "Wharfside Lad");
    let design = |name: &str| {
        changed(
            heron(name),
            &json!({ "kind": card["kind"], "attributes": card["attributes"], "effects": card["effects"] }),
        )
    };
    let told = async |name: &str| {
        let told = check(&app, &design(name)).await;
        let names = |list: &Value| -> Vec<String> {
            let names = list.as_array().unwrap().iter().map(|like| like["name"].to_string());
            names.collect()
        };
        (names(&told["name"]["like"]), names(&told["same_effects"]))
    };
    let quoted = |name: &str| vec![format!("{name:?}")];
    for _ in 0..2 {
        assert_eq!(told(was).await, (quoted(was), quoted(was)));
        assert_eq!(told(will_be).await, (Vec::new(), quoted(was)));
    }
    let etag = app.get(&path).by(&admin).answer().await.header("etag");
    let patch = app.patch(&path).by(&admin).header("if-match", &etag);
    patch.json(&json!({ "name": will_be })).answer().await.expect(200);
    app.catch_up().await;
    for _ in 0..2 {
        assert_eq!(told(was).await, (Vec::new(), quoted(will_be)));
        assert_eq!(told(will_be).await, (quoted(will_be), quoted(will_be)));
    }
}

/// Without a letter there is nothing to look for: no name is near.
#[tokio::test]
async fn a_name_of_symbols_or_none_is_checked() {
    let app = app().await;
    let ada = app.player("ada").await;
    shared(&app, &ada, &heron("\u{1f525}")).await;
    let told = check(&app, &heron("\u{1f525}")).await;
    assert_eq!(told["name"]["available"], false, "{told}");
    let told = check(&app, &changed(heron(""), &json!({ "name": null }))).await;
    assert_eq!(told["name"]["like"], json!([]));
}

/// Whether a hidden card bears the name, or does the same, is told to nobody: not even to a moderator, who sees the card.
#[tokio::test]
async fn hidden_cards_are_not_looked_at() {
    let app = app().await;
    let (ada, moderator) = (app.player("ada").await, app.moderator().await);
    let file = set_file(&seed_data("ttcg"), "veil");
    let hidden = &file["cards"][0];
    let twin = json!({
        "game": "ttcg", "name": hidden["name"], "kind": hidden["kind"], "attributes": hidden["attributes"],
        "effects": hidden["effects"],
    });
    app.give_copy(&ada.id, "ttcg", "veil", hidden["number"].as_str().unwrap()).await;
    let told = check(&app, &twin).await;
    assert_eq!((&told["name"]["like"], &told["same_effects"]), (&json!([]), &json!([])), "{told}");
    assert_eq!(check_by(&app, &ada, &twin).await, told);
    assert_eq!(check_by(&app, &moderator, &twin).await, told);
    // Nor does it keep a design from being shared.
    shared(&app, &ada, &twin).await;
}

#[tokio::test]
async fn a_game_without_templates_has_no_free_text() {
    let app = TestApp::start().await;
    app.seed(&["emojito"]).await;
    let design = json!({ "game": "emojito", "name": "Sunny", "kind": "emoji", "effects": [{ "text": "Rest." }] });
    let told = check(&app, &design).await;
    assert_eq!(told["effects"][0]["free_text"], false);
    let unknown = app.post("/v1/design-checks").json(&json!({ "game": "none", "kind": "unit" }));
    unknown.answer().await.problem(422, "invalid_body");
}
