//! Effect choices: a client fills a template step by step.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, RequestExt as _, TestApp, effect_files};

async fn ttcg() -> TestApp {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    app.seed_effect_texts("ttcg").await;
    app
}

async fn step(app: &TestApp, template: usize, query: &str) -> Answer {
    app.get(&format!("/v1/games/ttcg/effect-templates/{template}/choices?{query}")).answer().await
}

#[tokio::test]
async fn a_template_is_filled_place_by_place() {
    let app = ttcg().await;
    let first = step(&app, 34, "").await;
    let etag = first.header("etag");
    let first = first.expect(200);
    assert_eq!(
        first,
        json!({
            "template": 34, "text": "Discard <fodder> to <deed>.", "combinations": 851,
            "next": { "placeholder": "<fodder>", "choices": 3 },
            "data": [
                { "index": 0, "text": "one card", "combinations": 1, "places": [] },
                { "index": 1, "text": "one spell", "combinations": 1, "places": [] },
                { "index": 2, "text": "one <kind> card", "combinations": 21, "places": ["<kind>"] },
            ],
            "removed": false,
        })
    );
    // The places of a chosen value come before the next place of the template.
    let within = step(&app, 34, "picks=2").await.expect(200);
    assert_eq!(within["text"], "Discard one <kind> card to <deed>.");
    assert_eq!(within["combinations"], 777);
    assert_eq!(within["next"], json!({ "placeholder": "<kind>", "choices": 2 }));
    let deeper = step(&app, 34, "picks=2,0").await.expect(200);
    assert_eq!(deeper["next"]["placeholder"], "<type>");
    let deed = step(&app, 34, "picks=2,0,2").await.expect(200);
    assert_eq!(deed["text"], "Discard one Fire card to <deed>.");
    assert_eq!((&deed["number"], &deed["sentence"]), (&Value::Null, &Value::Null));

    let done = step(&app, 34, "picks=2,0,2,0").await.expect(200);
    assert_eq!(done["sentence"], "Discard one Fire card to draw one card.");
    assert_eq!((&done["combinations"], &done["removed"]), (&json!(1), &json!(false)));
    assert_eq!((&done["data"], &done["next"]), (&json!([]), &Value::Null));
    // The number is the same as in the list of all sentences.
    let body = json!({ "sentences": [done["sentence"]] });
    let found = app.post("/v1/games/ttcg/effects/match").json(&body).answer().await.expect(200);
    assert_eq!(found["data"][0]["matches"][0]["number"], done["number"]);

    let path = "/v1/games/ttcg/effect-templates/34/choices?picks=2";
    let again = app.get(path).header("if-none-match", &etag).answer().await;
    assert_eq!((again.status, again.bytes.len()), (304, 0));
    let head = app.request(Method::HEAD, path).answer().await;
    assert_eq!((head.status, head.bytes.len(), head.header("etag")), (200, 0, etag));
}

/// Collects all finished sentences that can be reached from a step, by following every choice.
async fn sentences(app: &TestApp, template: usize, picks: String, found: &mut BTreeSet<String>) {
    let (mut indices, mut cursor) = (Vec::new(), String::new());
    loop {
        let at = step(app, template, &format!("picks={picks}&limit=5{cursor}")).await.expect(200);
        found.extend(at["sentence"].as_str().map(str::to_owned));
        let data = at["data"].as_array().unwrap();
        indices.extend(data.iter().map(|choice| choice["index"].as_u64().unwrap()));
        match at["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => {
                let all = at["next"]["choices"].as_u64().unwrap_or_default();
                assert!(indices.iter().copied().eq(0..all), "{picks}: {indices:?}");
                break;
            }
        }
    }
    for index in indices {
        let next = if picks.is_empty() { index.to_string() } else { format!("{picks},{index}") };
        Box::pin(sentences(app, template, next, found)).await;
    }
}

#[tokio::test]
async fn every_sentence_of_a_template_can_be_reached() {
    let app = ttcg().await;
    let mut found = BTreeSet::new();
    sentences(&app, 47, String::new(), &mut found).await;
    let listed = app.get("/v1/games/ttcg/effects?template=47&limit=200").answer().await.expect(200);
    let listed = listed["data"].as_array().unwrap().iter();
    let listed: BTreeSet<String> =
        listed.map(|effect| effect["text"].as_str().unwrap().to_owned()).collect();
    assert!(listed.len() > 17);
    assert_eq!(found, listed);
}

#[tokio::test]
async fn a_sentence_that_the_rules_remove_is_marked_as_removed() {
    let app = ttcg().await;
    let library = effect_files("ttcg").check().unwrap();
    let removed = (0..library.effects().templates().len()).find_map(|template| {
        let numbers = 0..u128::from(library.count_of(template));
        let is_removed = |number: &u128| {
            let raw = library.effects().nth_of(template, *number).unwrap();
            library.rules().render(&raw).is_none()
        };
        numbers.into_iter().find(is_removed).map(|number| (template, number))
    });
    let (template, number) = removed.unwrap();
    let picks = library.effects().picks_of(template, number).unwrap();
    let picks: Vec<String> = picks.iter().map(usize::to_string).collect();
    let query = format!("picks={}", picks.join(","));
    let last_step = step(&app, template + 1, &query).await.expect(200);
    assert_eq!((&last_step["removed"], &last_step["sentence"]), (&json!(true), &Value::Null));
    let number = u64::try_from(number).unwrap();
    assert_eq!(last_step["number"], library.number_of(template, number).unwrap());
}

#[tokio::test]
async fn wrong_picks_are_reported_with_their_bounds() {
    let app = ttcg().await;
    for (picks, detail, column) in [
        ("3", "pick 1 must be 0 to 2", Some(1)),
        ("2,7,0", "pick 2 must be 0 to 1", Some(3)),
        ("99999999999999999999999", "pick 1 must be 0 to 2", Some(1)),
        ("0,0,4,5", "has 4 picks, but after 2 there is no place to choose for", Some(5)),
        ("0,x", "pick 2 must be a whole number from 0, without zeros before it", None),
        ("0,", "pick 2 must be a whole number from 0, without zeros before it", None),
        ("02,7", "pick 1 must be a whole number from 0, without zeros before it", None),
    ] {
        let refused = step(&app, 34, &format!("picks={picks}")).await;
        let refused = refused.problem(400, "invalid_query");
        let fault = &refused["errors"][0];
        assert_eq!((&fault["pointer"], &fault["detail"]), (&json!("?picks"), &json!(detail)));
        assert_eq!(fault["column"].as_u64(), column, "{refused}");
    }
    for query in ["limit=0", "limit=201", "pick=1", "picks=0&picks=1"] {
        step(&app, 34, query).await.problem(400, "invalid_query");
    }
    step(&app, 34, "cursor=WzFd").await.problem(400, "invalid_cursor");
    for nowhere in
        ["ttcg/effect-templates/0", "ttcg/effect-templates/9999", "nowhere/effect-templates/1"]
    {
        let path = format!("/v1/games/{nowhere}/choices");
        app.get(&path).answer().await.problem(404, "not_found");
    }
}

#[tokio::test]
async fn a_cursor_from_before_a_change_is_refused() {
    let app = ttcg().await;
    let admin = app.admin().await;
    let page = step(&app, 34, "limit=1").await;
    let etag = page.header("etag");
    assert!(page.header("link").contains("rel=\"next\""));
    let cursor = page.expect(200)["next_cursor"].as_str().unwrap().to_owned();
    let next = step(&app, 34, &format!("limit=1&cursor={cursor}")).await.expect(200);
    assert_eq!(next["data"][0]["index"], 1);
    let body = json!({ "values": ["one card", "one spell"] });
    let edit = app.put("/v1/games/ttcg/effect-placeholders/fodder").by(&admin).json(&body);
    let edited = edit.header("if-match", &etag).answer().await;
    assert_eq!(edited.status, 200, "{}", edited.text());
    step(&app, 34, &format!("cursor={cursor}")).await.problem(400, "invalid_cursor");
    let now = step(&app, 34, "").await;
    assert_ne!(now.header("etag"), etag);
    assert_eq!(now.expect(200)["next"]["choices"], 2);
}
