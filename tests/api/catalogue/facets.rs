//! Facets: the values that the cards of a game have, with the number of cards for each value.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::{Player, RequestExt as _, TestApp, edit_set, seed_data, set_file};

async fn facets(app: &TestApp, by: Option<&Player>, path: &str) -> Value {
    let request = app.get(&format!("/v1/games/{path}"));
    let request = if let Some(player) = by { request.by(player) } else { request };
    request.answer().await.expect(200)
}

/// The values of a facet, with their counts.
fn values(body: &Value, of: &str, code: &str) -> Vec<(String, i64)> {
    let facet = body["facets"].as_array().unwrap().iter();
    let mut facet = facet.filter(|facet| facet["of"] == of && facet["code"] == code);
    let found = facet.next().unwrap_or_else(|| panic!("{of} {code}"));
    assert!(facet.next().is_none(), "{of} {code} twice");
    let value = |value: &Value| {
        let text =
            value["value"].as_str().map_or_else(|| value["value"].to_string(), str::to_owned);
        (text, value["cards"].as_i64().unwrap())
    };
    found["values"].as_array().unwrap().iter().map(value).collect()
}

/// Counts the cards of a set file for each value, without the service.
fn counted(file: &Value, values_of: impl Fn(&Value) -> Vec<Value>) -> BTreeMap<String, i64> {
    let mut counts = BTreeMap::new();
    for card in file["cards"].as_array().unwrap() {
        let values: BTreeSet<String> = values_of(card)
            .iter()
            .filter(|value| !value.is_null())
            .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            .collect();
        for value in values {
            *counts.entry(value).or_default() += 1;
        }
    }
    counts
}

/// The values of an attribute in the printings of a card: their own, or else that of the card.
fn attribute_values(card: &Value, code: &str) -> Vec<Value> {
    let of_card = &card["attributes"][code];
    let printings = card["printings"].as_array().into_iter().flatten();
    let mut values: Vec<&Value> = printings
        .map(|printing| match &printing["attributes"][code] {
            Value::Null => of_card,
            own => own,
        })
        .collect();
    if values.is_empty() {
        values.push(of_card);
    }
    let each = |value: &Value| match value {
        Value::Array(several) => several.clone(),
        one => vec![one.clone()],
    };
    values.into_iter().flat_map(each).collect()
}

#[tokio::test]
async fn counts_match_the_set_file() {
    let app =
        TestApp::start_seeded(&["ttcg", "emoji-tcg", "uno-emoji", "emojito", "emojo-dojo"]).await;
    for (game, set) in [
        ("ttcg", "hearth"),
        ("emoji-tcg", "feed"),
        ("uno-emoji", "box"),
        ("emojito", "box"),
        ("emojo-dojo", "box"),
    ] {
        let file = set_file(&seed_data(game), set);
        let body = facets(&app, None, &format!("{game}/facets?set={set}")).await;
        assert_eq!(body["cards"], file["cards"].as_array().unwrap().len(), "{game}");
        let manifest = app.get(&format!("/v1/games/{game}")).answer().await.expect(200);
        let mut shown_facets: Vec<(String, String)> = Vec::new();
        for facet in body["facets"].as_array().unwrap() {
            let (of, code) = (facet["of"].as_str().unwrap(), facet["code"].as_str().unwrap());
            let counts = counted(&file, |card| match (of, code) {
                ("card", "kind") => vec![card["kind"].clone()],
                ("card", "rarity") => match card["printings"].as_array() {
                    Some(list) if !list.is_empty() => {
                        list.iter().map(|printing| printing["rarity"].clone()).collect()
                    }
                    _ => vec![manifest["rarities"][0]["code"].clone()],
                },
                ("effect", part) => {
                    let effects = card["effects"].as_array().into_iter().flatten();
                    effects.map(|effect| effect[part].clone()).collect()
                }
                _ => attribute_values(card, code),
            });
            let shown: BTreeMap<String, i64> =
                values(&body, of, code).into_iter().filter(|(_, cards)| *cards > 0).collect();
            assert_eq!(shown, counts, "{game} {of} {code}");
            shown_facets.push((of.to_owned(), code.to_owned()));
        }
        for of_every_card in ["kind", "rarity"] {
            let facet = ("card".to_owned(), of_every_card.to_owned());
            assert!(shown_facets.contains(&facet), "{game} {of_every_card}");
        }
        for part in ["style", "slot"] {
            let effects = file["cards"].as_array().unwrap().iter();
            let mut effects =
                effects.flat_map(|card| card["effects"].as_array().into_iter().flatten());
            let is_used = effects.any(|effect| effect.get(part).is_some());
            let facet = ("effect".to_owned(), part.to_owned());
            assert_eq!(shown_facets.contains(&facet), is_used, "{game} {part}");
        }
        // There is a facet for every attribute that is not free text, and for no other attribute.
        let mut attributes = BTreeSet::new();
        for kind in manifest["kinds"].as_array().unwrap() {
            for (code, attribute) in kind["attributes"].as_object().unwrap() {
                if attribute["type"] != "text" {
                    attributes.insert(code.clone());
                }
            }
        }
        let shown: BTreeSet<String> = shown_facets
            .into_iter()
            .filter(|(of, _)| of == "attribute")
            .map(|(_, code)| code)
            .collect();
        assert_eq!(shown, attributes, "{game}");
    }
}

#[tokio::test]
async fn values_have_names_and_follow_the_order_of_the_manifest() {
    let app = TestApp::start().await;
    let mut source = seed_data("ttcg");
    // Without fire cards and spells, these values must be listed with the count 0.
    edit_set(&mut source, "hearth", |set| {
        let cards = set["cards"].as_array_mut().unwrap();
        cards.retain(|card| card["kind"] != "spell" && card["attributes"]["type"] != "fire");
    });
    app.import(&source).await.unwrap();
    let body = facets(&app, None, "ttcg/facets").await;
    let manifest = app.get("/v1/games/ttcg").answer().await.expect(200);
    let codes = |list: &Value| -> Vec<String> {
        let code = |entry: &Value| entry["code"].as_str().or(entry.as_str()).unwrap().to_owned();
        list.as_array().unwrap().iter().map(code).collect()
    };
    let shown = |of: &str, code: &str| -> Vec<String> {
        values(&body, of, code).into_iter().map(|(value, _)| value).collect()
    };
    assert_eq!(shown("card", "kind"), codes(&manifest["kinds"]));
    assert_eq!(shown("card", "rarity"), codes(&manifest["rarities"]));
    let unit = &manifest["kinds"][0]["attributes"];
    // Units have eight types; the type of spells follows them.
    let mut types = codes(&unit["type"]["values"]);
    types.push("spell".to_owned());
    assert_eq!(shown("attribute", "type"), types);
    assert!(values(&body, "attribute", "type").contains(&("fire".to_owned(), 0)));
    assert!(values(&body, "card", "kind").contains(&("spell".to_owned(), 0)));
    let attack: Vec<i64> =
        shown("attribute", "attack").iter().map(|value| value.parse().unwrap()).collect();
    assert!(attack.len() > 3 && attack.is_sorted(), "{attack:?}");
    let kind = &body["facets"][0];
    assert_eq!(kind["values"][0]["name"], manifest["kinds"][0]["name"]);
    assert!(body.get("set").is_none());
    // A game without cards still has its values.
    app.seed(&["magic"]).await;
    let magic = facets(&app, None, "magic/facets").await;
    assert_eq!(magic["cards"], 0);
    assert!(!values(&magic, "attribute", "colors").is_empty());
    assert_eq!(values(&magic, "attribute", "any_number").len(), 2, "yes and no");
}

#[tokio::test]
async fn counts_include_only_cards_that_the_caller_sees() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (ada, moderator) = (app.player("ada").await, app.moderator().await);
    let before = facets(&app, Some(&ada), "ttcg/facets").await;
    assert_eq!(before, facets(&app, None, "ttcg/facets").await);
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;
    let file = set_file(&seed_data("ttcg"), "veil");
    let card = &file["cards"][2];
    for (who, cards) in [(None, 0), (Some(&ada), 1), (Some(&moderator), 16)] {
        let body = facets(&app, who, "ttcg/facets?set=veil").await;
        assert_eq!((&body["cards"], &body["set"]), (&cards.into(), &"veil".into()));
        let total = |of: &str, code: &str| -> i64 {
            values(&body, of, code).iter().map(|(_, cards)| cards).sum()
        };
        assert_eq!(total("card", "kind"), cards);
        assert_eq!(total("card", "rarity"), 6 * cards, "every card exists in every rarity");
        if cards == 1 {
            let kind = card["kind"].as_str().unwrap().to_owned();
            assert!(values(&body, "card", "kind").contains(&(kind, 1)));
            let style = card["effects"][0]["style"].as_str().unwrap().to_owned();
            assert!(values(&body, "effect", "style").contains(&(style, 1)));
        }
        let whole = facets(&app, who, "ttcg/facets").await;
        assert_eq!(whole["cards"], 158 + cards);
    }
}

#[tokio::test]
async fn facets_are_cached_like_lists_and_reject_unknown_parameters() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let path = "/v1/games/ttcg/facets";
    let answer = app.get(path).answer().await;
    assert_eq!(answer.header("cache-control"), "public, max-age=5");
    let again = app.get(path).header("if-none-match", answer.header("etag")).answer().await;
    assert_eq!(again.status, 304);
    let private = app.get(path).by(&ada).answer().await;
    assert_eq!(private.header("cache-control"), "private, no-cache");
    for missing in ["nothing/facets", "%00/facets", "nothing/facets?set=hearth"] {
        app.get(&format!("/v1/games/{missing}")).answer().await.problem(404, "not_found");
    }
    for bad in ["?set=", "?set=%27", "?set=nothing", "?q=%28", "?x=1", "?set=hearth&set=veil"] {
        app.get(&format!("{path}{bad}")).answer().await.problem(400, "invalid_query");
    }
    app.post(path).answer().await.problem(405, "method_not_allowed");
}
