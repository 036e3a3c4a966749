//! Live checks of designs: their results, and the data that they must not reveal.

use serde_json::{Value, json};

use super::{app, begun, changed, heron, put_effect_texts, put_templates, shared, step};
use crate::support::{Player, RequestExt as _, TestApp, in_memory, seed_data, set_file};

async fn check(app: &TestApp, design: &Value) -> Value {
    app.post("/v1/design-checks").json(design).answer().await.expect(200)
}

async fn check_by(app: &TestApp, requester: &Player, design: &Value) -> Value {
    app.post("/v1/design-checks").by(requester).json(design).answer().await.expect(200)
}

#[tokio::test]
async fn a_valid_design_is_releasable() {
    let app = app().await;
    let result = check(&app, &heron("Lantern Heron")).await;
    assert_eq!(result["violations"], json!([]), "{result}");
    assert_eq!((&result["releasable"], &result["obstacles"]), (&json!(true), &json!([])));
    assert_eq!(result["name"], json!({ "available": true, "like": [] }));
    let effects = result["effects"].as_array().unwrap();
    assert!(effects.iter().all(|effect| effect["free_text"] == false), "{result}");
    assert!(!effects[0]["matches"][0]["bindings"].is_null());
    assert_eq!(result["all_printings"].as_array().unwrap().len(), 6);
}

/// The message about the number of effects.
fn count_message(violations: &[Value]) -> &str {
    let mut violations = violations.iter();
    let of_count = violations.find(|violation| violation["code"] == "EFFECT_COUNT_INVALID");
    of_count.unwrap()["message"].as_str().unwrap()
}

#[tokio::test]
async fn violations_have_a_pointer_and_a_rule_number() {
    let app = app().await;
    let broken = changed(
        heron("Lantern Heron"),
        &json!({
            "attributes": { "type": "earth", "rank": 1, "subtypes": ["beast"], "attack": 400, "defense": 300 },
            "effects": [{ "style": "normal", "text": "Sing the whole night." }],
            "licence": null,
        }),
    );
    let result = check(&app, &broken).await;
    let violations = result["violations"].as_array().unwrap();
    let total = violations.iter().find(|violation| violation["code"] == "UNIT_STAT_TOTAL");
    let total = total.unwrap_or_else(|| panic!("{result}"));
    assert_eq!((&total["limit"], &total["actual"]), (&json!(500), &json!(700)));
    assert_eq!((&total["pointer"], &total["rule"]), (&json!("/printings/0"), &json!("T-4.6b")));
    let edit = json!({ "op": "replace", "path": "/attributes/defense", "value": 100 });
    assert_eq!(total["fix"], json!([edit]));
    let message = count_message(violations);
    assert!(message.starts_with("“Lantern Heron” has 1 effect "), "{message}");
    assert!(!result["violations"].to_string().contains("” 0 "), "it has no number: {result}");
    let nameless = check(&app, &changed(broken, &json!({ "name": "" }))).await;
    let message = count_message(nameless["violations"].as_array().unwrap());
    assert!(message.starts_with("This design has 1 effect "), "{message}");
    let count = violations.iter().find(|violation| violation["code"] == "EFFECT_COUNT_INVALID");
    assert!(count.unwrap().get("fix").is_none(), "nobody knows which effect is missing: {result}");
    assert_eq!(result["effects"][0]["free_text"], true);
    assert_eq!(result["obstacles"], json!(["violations", "free_text", "licence"]));
    assert_eq!(result["releasable"], false);
}

#[tokio::test]
async fn a_number_that_was_sent_as_a_text_has_a_fix() {
    let app = app().await;
    let mut design = heron("Lantern Heron");
    design["attributes"]["rank"] = json!("1");
    let result = check(&app, &design).await;
    let mut violations = result["violations"].as_array().unwrap().iter();
    let of_rank = violations.find(|violation| violation["pointer"] == "/attributes/rank");
    let edit = json!({ "op": "replace", "path": "/attributes/rank", "value": 1 });
    assert_eq!(of_rank.unwrap()["fix"], json!([edit]), "{result}");
}

#[tokio::test]
async fn values_of_a_wrong_type_are_reported_the_right_one() {
    let app = app().await;
    for (name, value, message, meant) in [
        ("subtypes", json!("beast"), "must be a list of values.", Some(json!(["beast"]))),
        ("type", json!(["earth"]), "must be one value, as a text.", Some(json!("earth"))),
        ("rank", json!(true), "must be a whole number.", None),
        ("subtypes", json!([]), "needs at least 1 value; it has 0.", None),
    ] {
        let mut design = heron("Lantern Heron");
        design["attributes"][name] = value;
        let result = check(&app, &design).await;
        let pointer = format!("/attributes/{name}");
        let mut violations = result["violations"].as_array().unwrap().iter();
        let found = violations.find(|violation| violation["pointer"] == pointer).unwrap();
        let expected = format!("\"{name}\" of “Lantern Heron” {message}");
        assert_eq!(found["message"], expected, "{result}");
        let fix = meant.map(|meant| json!([{ "op": "replace", "path": pointer, "value": meant }]));
        assert_eq!(found.get("fix"), fix.as_ref(), "{result}");
    }
}

/// The bundled fonts, with which PNGs are drawn, have only some scripts.
#[tokio::test]
async fn letters_without_a_picture_are_a_warning() {
    let app = app().await;
    for (name, flavour, expected) in [
        ("Lantern Heron", "Graureiher, Ωδή, Цапля 🔥", json!([])),
        ("水の鷺", "It waits.", json!(["letters_not_drawn"])),
        ("Lantern Heron", "אנפה", json!(["letters_not_drawn"])),
    ] {
        let result = check(&app, &changed(heron(name), &json!({ "flavour": flavour }))).await;
        assert_eq!(result["warnings"], expected, "{name} {flavour}");
        assert_eq!(result["releasable"], true, "{result}");
    }
}

#[tokio::test]
async fn a_misspelt_attribute_keeps_its_number() {
    let app = app().await;
    let mut design = heron("Lantern Heron");
    let attributes = design["attributes"].as_object_mut().unwrap();
    let attack = attributes.remove("attack").unwrap();
    attributes.insert("Attack".to_owned(), attack);
    let result = check(&app, &design).await;
    let mut violations = result["violations"].as_array().unwrap().iter();
    let unknown = violations.find(|violation| violation["pointer"] == "/attributes/Attack");
    let edit = json!({ "op": "move", "from": "/attributes/Attack", "path": "/attributes/attack" });
    assert_eq!(unknown.unwrap()["fix"], json!([edit]), "{result}");
}

/// The design in the guide has every member except artwork, which must be uploaded first, and is a valid card.
#[tokio::test]
async fn the_design_in_the_guide_is_complete_and_valid() {
    let guide = include_str!("../../../docs/API.md");
    let (_, rest) = guide.split_once("A whole design, as checks and").unwrap();
    let (_, rest) = rest.split_once("```json\n").unwrap();
    let design: Value = serde_json::from_str(rest.split_once("```").unwrap().0).unwrap();
    let document = serde_json::to_value(cardscape::api::contract::document()).unwrap();
    let known = document["components"]["schemas"]["DesignRequest"]["properties"].as_object();
    let missing: Vec<&String> =
        known.unwrap().keys().filter(|member| design.get(member).is_none()).collect();
    assert_eq!(missing, ["artwork"]);

    let app = app().await;
    let ada = app.player("ada").await;
    let result = check_by(&app, &ada, &design).await;
    assert_eq!((&result["violations"], &result["obstacles"]), (&json!([]), &json!([])), "{result}");
    begun(&app, &ada, &design).await;

    // Pointers lead into the completed design: the author wrote only one printing, which is the third.
    let mut broken = design;
    broken["printings"][0]["attributes"]["attack"] = json!(250);
    let result = check_by(&app, &ada, &broken).await;
    let pointers: Vec<&Value> = result["violations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|violation| &violation["pointer"])
        .collect();
    assert_eq!(pointers, ["/printings/2"]);
    assert_eq!(result["all_printings"][2]["rarity"], "rare");
    let paths = result["violations"][0]["fix"].as_array().unwrap();
    assert!(paths.iter().all(|edit| edit["path"].as_str().unwrap().starts_with("/printings/0/")));
}

#[tokio::test]
async fn similar_names_and_equal_effects_are_reported() {
    for change in [|_: &mut cardscape::app::state::ApiSettings| {}, in_memory] {
        let app = TestApp::start_seeded_with(&["ttcg"], change).await;
        app.seed_effect_texts("ttcg").await;
        if app.shared().settings.card_index {
            app.catch_up().await;
        }
        let (ada, bob) = (app.player("ada").await, app.player("bob").await);
        let likeness = |result: &Value| -> Vec<(String, String)> {
            let pair = |like: &Value| {
                (
                    like["likeness"].as_str().unwrap().to_owned(),
                    like["name"].as_str().unwrap().to_owned(),
                )
            };
            result["name"]["like"].as_array().unwrap().iter().map(pair).collect()
        };
        for (name, expected, available) in [
            ("gatepost lad", "same", false),
            ("G\u{430}tepost L\u{430}d", "looks_the_same", false),
            ("Gatepost Lads", "near", true),
        ] {
            let result = check(&app, &heron(name)).await;
            assert_eq!(
                likeness(&result),
                [(expected.to_owned(), "Gatepost Lad".to_owned())],
                "{name}"
            );
            assert_eq!(result["name"]["available"], available, "{name}");
        }

        // "m" looks like "rn", and the Cyrillic "М" like "M": they look the same only in one case.
        for name in
            ["KETTLE I\u{41c}P", "\u{39a}\u{395}\u{3a4}\u{3a4}L\u{395} \u{399}\u{39c}\u{3a1}"]
        {
            let result = check(&app, &heron(name)).await;
            let found = likeness(&result);
            assert_eq!(found[0], ("looks_the_same".to_owned(), "Kettle Imp".to_owned()), "{name}");
            assert_eq!(result["name"]["available"], false, "{name}");
        }

        // The effects of the card 002, with another number in the text.
        let effects = json!({ "effects": [
            { "style": "passive", "text": "When this card is sent to the discard pile, draw two cards." },
            { "style": "normal", "text": "Discard one spell to gain 3 points." },
        ] });
        let alike = changed(heron("Wholly New"), &effects);
        let result = check(&app, &alike).await;
        let same = result["same_effects"].as_array().unwrap();
        assert_eq!(same.len(), 1, "{result}");
        assert_eq!((&same[0]["name"], &same[0]["number"]), (&json!("Gatepost Lad"), &json!("002")));

        // A draft is reported only to its author.
        begun(&app, &ada, &alike).await;
        assert_eq!(check_by(&app, &bob, &alike).await["same_effects"].as_array().unwrap().len(), 1);
        let result = check_by(&app, &ada, &alike).await;
        assert_eq!(result["same_effects"][1]["own"], true);
        assert_eq!((likeness(&result).len(), &result["name"]["available"]), (1, &json!(true)));
        shared(&app, &ada, &changed(alike.clone(), &json!({ "name": "Wholly Other" }))).await;
        if app.shared().settings.card_index {
            app.catch_up().await;
        }
        let result =
            check_by(&app, &bob, &changed(alike, &json!({ "name": "Wholly 0ther" }))).await;
        assert_eq!(result["same_effects"].as_array().unwrap().len(), 2, "{result}");
        assert_eq!(likeness(&result)[0], ("looks_the_same".to_owned(), "Wholly Other".to_owned()));
        assert_eq!(result["name"]["available"], false);
        // A typing error near the end or at the start of the name.
        for typed in ["Wholly Othar", "Uholly Other"] {
            let result = check_by(&app, &bob, &heron(typed)).await;
            assert_eq!(
                likeness(&result),
                [("near".to_owned(), "Wholly Other".to_owned())],
                "{typed}"
            );
            assert_eq!(result["name"]["available"], true);
        }
        // Without the member `design`, the design of that name is taken for the author's own.
        let result = check_by(&app, &ada, &heron("Wholly Other")).await;
        assert_eq!(result["name"]["available"], true);
    }
}

/// A draft whose effects differ is found by its name.
#[tokio::test]
async fn an_author_is_told_of_own_drafts_with_similar_names() {
    for change in [|_: &mut cardscape::app::state::ApiSettings| {}, in_memory] {
        let app = TestApp::start_seeded_with(&["ttcg"], change).await;
        app.seed_effect_texts("ttcg").await;
        if app.shared().settings.card_index {
            app.catch_up().await;
        }
        let (ada, bob) = (app.player("ada").await, app.player("bob").await);
        begun(&app, &ada, &heron("Mellow Ocelot")).await;
        begun(&app, &ada, &heron("Quarry Newt")).await;
        let other = json!({ "effects": [{ "style": "normal", "text": "Sing the whole night." }] });
        for name in ["Mellow Ocelots", "M\u{e9}llow Ocelot", "\u{1d0d}ellow Ocelot"] {
            let design = changed(heron(name), &other);
            let result = check_by(&app, &ada, &design).await;
            let like = result["name"]["like"].as_array().unwrap();
            assert_eq!(like.len(), 1, "{result}");
            assert_eq!(
                (&like[0]["name"], &like[0]["own"]),
                (&json!("Mellow Ocelot"), &json!(true))
            );
            assert_eq!(result["same_effects"], json!([]), "{result}");
            assert_eq!(check_by(&app, &bob, &design).await["name"]["like"], json!([]));
        }
    }
}

/// The identifier of the design at a path.
fn id_at(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

#[tokio::test]
async fn a_design_that_is_edited_does_not_take_its_own_name() {
    for change in [|_: &mut cardscape::app::state::ApiSettings| {}, in_memory] {
        let app = TestApp::start_seeded_with(&["ttcg"], change).await;
        app.seed_effect_texts("ttcg").await;
        if app.shared().settings.card_index {
            app.catch_up().await;
        }
        let (ada, bob) = (app.player("ada").await, app.player("bob").await);
        let design = heron("Lantern Heron");
        let path = shared(&app, &ada, &design).await;
        if app.shared().settings.card_index {
            app.catch_up().await;
        }
        let other = begun(&app, &ada, &heron("Quarry Newt")).await;
        let as_design = |path: &str| changed(design.clone(), &json!({ "design": id_at(path) }));

        let result = check_by(&app, &ada, &as_design(&path)).await;
        assert_eq!(result["name"], json!({ "available": true, "like": [] }), "{result}");
        assert_eq!((&result["releasable"], &result["obstacles"]), (&json!(true), &json!([])));
        assert_eq!(result["same_effects"].as_array().unwrap().len(), 1, "{result}");

        // Without `design`, it may be the one that has the name; another design cannot get the name.
        let result = check_by(&app, &ada, &design).await;
        assert_eq!(result["name"]["own_design"], id_at(&path), "{result}");
        assert_eq!(
            (&result["name"]["available"], &result["releasable"]),
            (&json!(true), &json!(true))
        );
        assert!(result["name"]["message"].as_str().unwrap().starts_with("Your own"), "{result}");
        for result in [
            check_by(&app, &ada, &as_design(&other)).await,
            check_by(&app, &bob, &design).await,
            check(&app, &design).await,
        ] {
            assert_eq!(result["name"]["reason"], "taken", "{result}");
            assert_eq!(result["obstacles"], json!(["name"]), "{result}");
        }

        let own = as_design(&path);
        let unknown = changed(design.clone(), &json!({ "design": "D-0000000000" }));
        let malformed = changed(design.clone(), &json!({ "design": "heron" }));
        let request = || app.post("/v1/design-checks");
        for request in [
            request().by(&bob).json(&own),
            request().json(&own),
            request().by(&ada).json(&unknown),
            request().by(&ada).json(&malformed),
        ] {
            let problem = request.answer().await.problem(422, "invalid_body");
            let fault =
                json!({ "pointer": "/design", "detail": "must be one of your own designs" });
            assert_eq!(problem["errors"], json!([fault]));
        }
    }
}

/// An editor checks while its user still writes: a row without a sentence is a violation, and everything else is checked.
#[tokio::test]
async fn unfinished_effects_are_violations() {
    let app = app().await;
    let ada = app.player("ada").await;
    let effects = [
        json!({ "style": "passive", "text": "After this card attacks, return it to your hand." }),
        json!({ "style": "normal" }),
    ];
    let blank = json!({ "style": "normal", "text": " " });
    for row in [effects[1].clone(), blank] {
        let design = changed(heron("Lantern Heron"), &json!({ "effects": [effects[0], row] }));
        let result = check(&app, &design).await;
        let violations = result["violations"].as_array().unwrap();
        assert_eq!(violations.len(), 1, "{result}");
        assert_eq!(
            (&violations[0]["pointer"], &violations[0]["code"]),
            (&json!("/effects/1/text"), &json!("TEXT_INVALID"))
        );
        assert!(violations[0]["rule"].is_string(), "{result}");
        assert_eq!(result["obstacles"], json!(["violations"]));
        assert_eq!(result["effects"][1]["free_text"], false);
        // A design is stored without unfinished rows.
        let stored = app.post("/v1/designs").by(&ada).json(&design);
        stored.answer().await.problem(422, "invalid_body");
    }
}

/// An editor sends the same name and effects repeatedly, so the service caches the results. It drops them when cards change.
#[tokio::test]
async fn cached_results_of_checks_follow_changes_of_cards() {
    let app = TestApp::start_seeded_with(&["ttcg"], in_memory).await;
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
    let result = async |name: &str| {
        let result = check(&app, &design(name)).await;
        let names = |list: &Value| -> Vec<String> {
            let names = list.as_array().unwrap().iter().map(|like| like["name"].to_string());
            names.collect()
        };
        (names(&result["name"]["like"]), names(&result["same_effects"]))
    };
    let quoted = |name: &str| vec![format!("{name:?}")];
    for _ in 0..2 {
        assert_eq!(result(was).await, (quoted(was), quoted(was)));
        assert_eq!(result(will_be).await, (Vec::new(), quoted(was)));
    }
    let etag = app.get(&path).by(&admin).answer().await.header("etag");
    let patch = app.patch(&path).by(&admin).header("if-match", &etag);
    patch.json(&json!({ "name": will_be })).answer().await.expect(200);
    app.catch_up().await;
    for _ in 0..2 {
        assert_eq!(result(was).await, (Vec::new(), quoted(will_be)));
        assert_eq!(result(will_be).await, (quoted(will_be), quoted(will_be)));
    }
}

/// The service does not search for similar names if a name has no letters.
#[tokio::test]
async fn names_of_symbols_and_missing_names_are_checked() {
    let app = app().await;
    let ada = app.player("ada").await;
    shared(&app, &ada, &heron("\u{1f525}")).await;
    let result = check(&app, &heron("\u{1f525}")).await;
    assert_eq!(result["name"]["available"], false, "{result}");
    let result = check(&app, &changed(heron(""), &json!({ "name": null }))).await;
    assert_eq!(result["name"]["like"], json!([]));
}

/// A check does not reveal whether a hidden card has the same name or the same effects, not even to a moderator, who sees the card.
#[tokio::test]
async fn checks_ignore_hidden_cards() {
    let app = app().await;
    let (ada, moderator) = (app.player("ada").await, app.moderator().await);
    let file = set_file(&seed_data("ttcg"), "veil");
    let hidden = &file["cards"][0];
    let twin = json!({
        "game": "ttcg", "name": hidden["name"], "kind": hidden["kind"], "attributes": hidden["attributes"],
        "effects": hidden["effects"],
    });
    app.give_copy(&ada.id, "ttcg", "veil", hidden["number"].as_str().unwrap()).await;
    let result = check(&app, &twin).await;
    assert_eq!(
        (&result["name"]["like"], &result["same_effects"]),
        (&json!([]), &json!([])),
        "{result}"
    );
    assert_eq!(check_by(&app, &ada, &twin).await, result);
    assert_eq!(check_by(&app, &moderator, &twin).await, result);
    // A hidden card does not prevent the design from being shared either.
    shared(&app, &ada, &twin).await;
}

#[tokio::test]
async fn a_game_without_templates_has_no_free_text() {
    let app = TestApp::start_seeded(&["emojito"]).await;
    let design = json!({ "game": "emojito", "name": "Sunny", "kind": "emoji", "effects": [{ "text": "Rest." }] });
    let result = check(&app, &design).await;
    assert_eq!(result["effects"][0]["free_text"], false);
    let unknown = app.post("/v1/design-checks").json(&json!({ "game": "none", "kind": "unit" }));
    unknown.answer().await.problem(422, "invalid_body");
}

/// Placeholders and phrase rules are stored before the first template, and stay after the last one.
#[tokio::test]
async fn effect_texts_without_templates_make_no_free_text() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let toolkit = async || app.get("/v1/games/ttcg/design-toolkit").answer().await.expect(200);
    let free_texts = async || -> Vec<Value> {
        let result = check(&app, &heron("Lantern Heron")).await;
        let effects = result["effects"].as_array().unwrap().iter();
        let is_free = result["obstacles"].to_string().contains("free_text");
        assert_eq!(result["releasable"], !is_free, "{result}");
        effects.map(|effect| effect["free_text"].clone()).collect()
    };
    let few = json!({ "values": ["one", "two"] });
    for templates in [&[][..], &["Rest."], &[]] {
        put_templates(&app, &admin, templates).await;
        put_effect_texts(&app, &admin, "effect-placeholders/few", &few).await;
        let is_free = !templates.is_empty();
        assert_eq!(free_texts().await, [is_free, is_free], "{templates:?}");
        let toolkit = toolkit().await;
        assert_eq!(toolkit.get("effect_texts").is_some(), is_free, "{templates:?}");
    }
    let request = json!({ "game": "ttcg", "seed": 1, "design": { "kind": "unit" } });
    let suggested = app.post("/v1/design-suggestions").json(&request).answer().await.expect(200);
    assert!(suggested["unfilled"].to_string().contains("/effects"), "{suggested}");
}

/// The limit of steps of a search does not depend on time, so it is an obstacle, and not an error that tells the author to try again.
#[tokio::test]
async fn a_sentence_whose_search_is_too_long_has_an_obstacle() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let values: Vec<String> = (1..=12).map(|count| "x".repeat(count)).collect();
    for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        let path = format!("effect-placeholders/{name}");
        put_effect_texts(&app, &admin, &path, &json!({ "values": values })).await;
    }
    let ambiguous = "Draw <a><b><c><d><e><f><g><h>. <h><g><f><e><d><c><b><a>; <a>";
    put_templates(&app, &admin, &[ambiguous, "Rest."]).await;
    let many = "x".repeat(48);
    let effects = [
        json!({ "style": "passive", "text": format!("Draw {many}. {many}; xxxxx") }),
        json!({ "style": "normal", "text": "Rest." }),
    ];
    let design = changed(heron("Lantern Heron"), &json!({ "effects": effects }));
    let path = begun(&app, &ada, &design).await;
    for _ in 0..2 {
        let result = check(&app, &design).await;
        let effect = &result["effects"][0];
        assert_eq!(
            (&effect["free_text"], &effect["complete"], &effect["matches"]),
            (&json!(false), &json!(false), &json!([])),
            "{result}"
        );
        assert_eq!(result["obstacles"], json!(["effect_search_limit"]), "{result}");
        assert_eq!(result["releasable"], false);
        let refused = step(&app, &ada, &path, "submit").await.problem(409, "design_not_releasable");
        assert_eq!(refused["obstacles"], json!(["effect_search_limit"]));
    }
}
