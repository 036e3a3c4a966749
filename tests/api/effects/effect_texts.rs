//! Effect texts: templates, the sentences that they produce, the match of sentences with templates, and edits by admins.

use std::collections::BTreeSet;

use cardscape_engine::effect_text::finished;
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::support::{Answer, Player, RequestExt as _, TestApp, effect_files, seed_data, set_file};

/// TTCG with its effect texts.
async fn ttcg() -> TestApp {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    app.seed_effect_texts("ttcg").await;
    app
}

/// Creates a game with few sentences: 3 × 3 combinations of one template, and one of another. Returns the ETag of its effect texts.
async fn small(app: &TestApp, admin: &Player) -> String {
    app.seed(&["emojito"]).await;
    let first =
        put(app, admin, "effect-placeholders/mood", &json!({ "values": ["glad", "sad", "odd"] }));
    let etag = first.answer().await.header("etag");
    let templates = json!({ "templates": ["Be <mood>, then <mood+1>.", "Rest."] });
    let edit = put(app, admin, "effect-templates", &templates).header("if-match", etag);
    let answer = edit.answer().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.header("etag")
}

fn put(app: &TestApp, by: &Player, path: &str, body: &Value) -> RequestBuilder {
    app.put(&format!("/v1/games/emojito/{path}")).by(by).json(body)
}

fn post(app: &TestApp, by: &Player, query: &str, body: &Value) -> RequestBuilder {
    app.post(&format!("/v1/games/emojito/effect-templates{query}")).by(by).json(body)
}

fn delete(app: &TestApp, by: &Player, number: &str) -> RequestBuilder {
    app.delete(&format!("/v1/games/emojito/effect-templates/{number}")).by(by)
}

/// The templates, in the order of their numbers.
async fn templates(app: &TestApp) -> Vec<String> {
    let listed = all(app, "/v1/games/emojito/effect-templates?").await;
    assert!((1..).zip(&listed).all(|(number, one)| one["number"] == number), "{listed:?}");
    listed.iter().map(|one| one["template"].as_str().unwrap().to_owned()).collect()
}

/// All items of a list, page by page.
async fn all(app: &TestApp, path: &str) -> Vec<Value> {
    let (mut items, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = app.get(&format!("{path}{cursor}")).answer().await.expect(200);
        items.extend(page["data"].as_array().unwrap().iter().cloned());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return items,
        }
    }
}

fn texts(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["text"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn templates_placeholders_and_rules_can_be_read() {
    let app = ttcg().await;
    let files = effect_files("ttcg");
    let lines: Vec<&str> = files.templates.text.lines().collect();
    let templates = all(&app, "/v1/games/ttcg/effect-templates?limit=40").await;
    assert_eq!(templates.len(), lines.len());
    for (at, (template, line)) in templates.iter().zip(&lines).enumerate() {
        assert_eq!((&template["number"], &template["template"]), (&json!(at + 1), &json!(line)));
    }
    let one = app.get("/v1/games/ttcg/effect-templates/1").answer().await;
    let etag = one.header("etag");
    assert_eq!(one.expect(200), templates[0]);
    assert_eq!(templates[0]["placeholders"], json!(["haul"]));
    let again = app.get("/v1/games/ttcg/effect-templates/1").header("if-none-match", etag);
    assert_eq!(again.answer().await.status, 304);

    let placeholders = all(&app, "/v1/games/ttcg/effect-placeholders?limit=30").await;
    assert_eq!(
        placeholders.len(),
        files.placeholders.len() - 2,
        "two of the files contain phrase rules"
    );
    let fodder = app.get("/v1/games/ttcg/effect-placeholders/fodder").answer().await.expect(200);
    assert_eq!(fodder["values"], json!(["one card", "one spell", "one <kind> card"]));
    let rules = app.get("/v1/games/ttcg/effect-phrase-rules").answer().await.expect(200);
    assert_eq!(rules["replacements"][0], json!({ "old": "gain 1 points", "new": "gain 1 point" }));

    for nowhere in [
        "ttcg/effect-templates/0",
        "ttcg/effect-templates/9999",
        "ttcg/effect-templates/x",
        "ttcg/effect-placeholders/nobody",
        "emojito/effect-templates",
        "nowhere/effects",
    ] {
        app.get(&format!("/v1/games/{nowhere}")).answer().await.problem(404, "not_found");
    }
}

#[tokio::test]
async fn pages_contain_every_sentence_once() {
    let app = ttcg().await;
    let library = effect_files("ttcg").check().unwrap();
    let expected = finished(library.effects(), library.rules());

    let whole = all(&app, "/v1/games/ttcg/effects?limit=200").await;
    let numbers: BTreeSet<u64> =
        whole.iter().map(|effect| effect["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers.len(), whole.len(), "every combination is listed once");
    let distinct: BTreeSet<&str> = texts(&whole).into_iter().collect();
    assert!(distinct.iter().copied().eq(expected.iter().map(String::as_str)), "{}", distinct.len());

    // The filters by template and by words return the same sentences.
    let of_one = all(&app, "/v1/games/ttcg/effects?template=47&limit=17").await;
    let wanted: Vec<&Value> = whole.iter().filter(|effect| effect["template"] == 47).collect();
    assert!(wanted.len() > 17);
    assert!(of_one.iter().eq(wanted));
    let with_words = all(&app, "/v1/games/ttcg/effects?q=TWO%20cards&limit=50").await;
    let wanted: Vec<&Value> = whole
        .iter()
        .filter(|effect| effect["text"].as_str().unwrap().contains("wo cards"))
        .collect();
    assert!(wanted.len() > 50);
    assert!(with_words.iter().eq(wanted));

    // As text, a list has one sentence per line.
    let text = app.get("/v1/games/ttcg/effects?limit=3").header("accept", "text/plain");
    let text = text.answer().await;
    assert_eq!(text.text().lines().collect::<Vec<_>>(), texts(&whole)[..3]);
    assert!(text.header("link").contains("rel=\"next\""));

    for bad in ["template=0", "template=999", "q=", "limit=0", "limit=201", "page=2"] {
        let answer = app.get(&format!("/v1/games/ttcg/effects?{bad}")).answer().await;
        answer.problem(400, "invalid_query");
    }
    let forged = app.get("/v1/games/ttcg/effects?cursor=WzFd").answer().await;
    forged.problem(400, "invalid_cursor");
}

#[tokio::test]
async fn a_seed_always_draws_the_same_sentences() {
    let app = ttcg().await;
    let draw = async |query: &str| {
        app.get(&format!("/v1/games/ttcg/effects/random?{query}")).answer().await
    };
    let first = draw("count=20&seed=7").await;
    assert!(!first.header("etag").is_empty());
    let first = first.expect(200);
    assert_eq!(first["seed"], 7);
    assert_eq!(first, draw("count=20&seed=7").await.expect(200));
    let drawn: BTreeSet<u64> = first["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["number"].as_u64().unwrap())
        .collect();
    assert_eq!(drawn.len(), 20);
    assert_ne!(first["data"], draw("count=20&seed=8").await.expect(200)["data"]);

    let chance = draw("").await;
    assert_eq!(chance.header("cache-control"), "no-store");
    let chance = chance.expect(200);
    let again = draw(&format!("seed={}", chance["seed"])).await.expect(200);
    assert_eq!(chance, again);

    // A draw of more sentences than a template has returns each of its sentences.
    let of_one = all(&app, "/v1/games/ttcg/effects?template=1").await;
    let drawn = draw("template=1&count=200&seed=1").await.expect(200);
    let drawn: BTreeSet<&str> =
        texts(drawn["data"].as_array().unwrap()).into_iter().collect::<BTreeSet<_>>();
    assert_eq!(drawn, texts(&of_one).into_iter().collect::<BTreeSet<_>>());
    for bad in ["count=0", "count=201", "seed=-1", "seed=9007199254740992", "template=0"] {
        draw(bad).await.problem(400, "invalid_query");
    }
}

#[tokio::test]
async fn every_effect_of_a_card_matches_a_template() {
    let app = ttcg().await;
    let source = seed_data("ttcg");
    let mut sentences = BTreeSet::new();
    for set in ["hearth", "veil"] {
        let cards = set_file(&source, set)["cards"].as_array().unwrap().clone();
        let effects =
            cards.iter().flat_map(|card| card["effects"].as_array().cloned().unwrap_or_default());
        sentences.extend(effects.map(|effect| effect["text"].as_str().unwrap().to_owned()));
    }
    assert!(sentences.len() > 300);
    let sentences: Vec<String> = sentences.into_iter().collect();
    for some in sentences.chunks(100) {
        let body = json!({ "sentences": some });
        let found = app.post("/v1/games/ttcg/effects/match").json(&body).answer().await.expect(200);
        let found = found["data"].as_array().unwrap();
        assert_eq!(found.len(), some.len());
        for (sentence, found) in some.iter().zip(found) {
            assert_eq!(found["sentence"], sentence.as_str());
            assert_eq!(found["complete"], true, "{found}");
            let first = &found["matches"][0];
            let template = first["template_text"].as_str().unwrap();
            // The template with the values in its places is the raw sentence again.
            let mut created = template.to_owned();
            for binding in first["bindings"].as_array().unwrap() {
                let (place, value) = (binding["placeholder"].as_str(), binding["value"].as_str());
                created = created.replace(place.unwrap(), value.unwrap());
            }
            assert_eq!(first["raw"], created, "{found}");
            assert_eq!(found["suggestions"], json!([]));
        }
    }

    // The number is the same as in the list of sentences.
    let body = json!({ "sentences": [sentences[0]] });
    let found = app.post("/v1/games/ttcg/effects/match").json(&body).answer().await.expect(200);
    let first = &found["data"][0]["matches"][0];
    let listed = all(&app, &format!("/v1/games/ttcg/effects?template={}", first["template"])).await;
    let listed = listed.iter().find(|effect| effect["number"] == first["number"]).unwrap();
    assert_eq!(listed["text"], sentences[0].as_str());

    // A sentence that no template produces gets suggestions if similar sentences exist. Of many such sentences, only the first ten get them.
    let strange = vec!["Discard one Fire card to draw ten cards."; 12];
    let body = json!({ "sentences": strange });
    let found = app.post("/v1/games/ttcg/effects/match").json(&body).answer().await.expect(200);
    let suggested = found["data"].as_array().unwrap().iter();
    let suggested = suggested.filter(|found| found["suggestions"] != json!([]));
    assert_eq!(suggested.count(), 10);
    let body = json!({ "sentences": ["Discard one Fire card to draw ten cards.", "Blorp"] });
    let found = app.post("/v1/games/ttcg/effects/match").json(&body).answer().await.expect(200);
    let (near, far) = (&found["data"][0], &found["data"][1]);
    assert_eq!((&near["matches"], &far["matches"]), (&json!([]), &json!([])));
    let suggestions = near["suggestions"].as_array().unwrap();
    assert!((1..=3).contains(&suggestions.len()), "{near}");
    assert!(suggestions[0].as_str().unwrap().contains("Fire card to"), "{near}");
    assert_eq!(far["suggestions"], json!([]));

    let many: Vec<String> = (0..101).map(|number| format!("Sentence {number}.")).collect();
    for (bad, pointer) in [
        (json!([]), "/sentences"),
        (json!(many), "/sentences"),
        (json!(["Rest.", ""]), "/sentences/1"),
        (json!(["x".repeat(501)]), "/sentences/0"),
    ] {
        let body = json!({ "sentences": bad });
        let refused = app.post("/v1/games/ttcg/effects/match").json(&body).answer().await;
        assert_eq!(refused.problem(422, "invalid_body")["errors"][0]["pointer"], pointer);
    }
}

/// Sentences are matched with templates only, so a match reveals no text of a hidden card.
#[tokio::test]
async fn sentences_are_matched_with_templates_and_not_with_cards() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let hidden = set_file(&seed_data("ttcg"), "veil")["cards"][0]["effects"][0]["text"].clone();
    let only = json!({ "templates": ["Rest."] });
    let created = app.put("/v1/games/ttcg/effect-templates").by(&admin).json(&only);
    created.answer().await.expect(200);
    let body = json!({ "sentences": [hidden, "Rest."] });
    for caller in [None, Some(&admin)] {
        let request = app.post("/v1/games/ttcg/effects/match").json(&body);
        let request = match caller {
            Some(caller) => request.by(caller),
            None => request,
        };
        let found = request.answer().await.expect(200);
        assert_eq!(found["data"][0]["matches"], json!([]));
        assert_eq!(found["data"][0]["suggestions"], json!([]));
        assert_eq!(found["data"][1]["matches"][0]["template"], 1);
    }
}

#[tokio::test]
async fn every_client_can_try_a_template() {
    let app = ttcg().await;
    let expand =
        async |body: Value| app.post("/v1/games/ttcg/effects/expand").json(&body).answer().await;
    let report = expand(json!({ "template": "Wake a <type> unit.", "limit": 3 })).await.expect(200);
    assert_eq!(report["combinations"], 8);
    assert_eq!(report["more"], true);
    let sentences = texts(report["data"].as_array().unwrap());
    assert_eq!(
        sentences,
        ["Wake an Earth unit.", "Wake a Water unit.", "Wake a Fire unit."],
        "the phrase rules of the game are applied"
    );
    let removed =
        expand(json!({ "template": "Let your opponent draw one card to draw one card." })).await;
    let removed = removed.expect(200);
    assert_eq!((&removed["removed"], &removed["data"]), (&json!(1), &json!([])));

    // Linked places do not multiply the combinations. Templates with too many combinations, or with faults, are refused.
    let many = "<deed> ".repeat(20);
    let places: String = (0..12).map(|number| format!("<deed+{number}> ")).collect();
    let huge: String = (0..20).map(|number| format!("<deed+{number}>")).collect();
    let too_many: String = (0..21).map(|number| format!("<deed+{number}>")).collect();
    assert!(
        expand(json!({ "template": many, "limit": 1 })).await.status == 200,
        "linked places are accepted"
    );
    for (template, column) in [
        (places, None),
        (huge, None),
        (too_many, None),
        ("Wake <nobody>.".to_owned(), Some(6)),
        ("Wake <a unit>.".to_owned(), Some(6)),
        (String::new(), None),
        ("x".repeat(501), None),
        ("a\u{202e}b".to_owned(), None),
    ] {
        let refused = expand(json!({ "template": template })).await.problem(422, "invalid_body");
        let fault = &refused["errors"][0];
        assert_eq!(fault["pointer"], "/template", "{refused}");
        assert_eq!(fault["column"].as_u64(), column, "{refused}");
    }
    expand(json!({ "template": "Rest.", "depth": 3 })).await.problem(422, "invalid_body");
}

/// All answers show a sentence without the space that a deleted phrase leaves at an end, as a request that is matched has it.
#[tokio::test]
async fn sentences_of_which_a_phrase_is_deleted_are_matched() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let etag = small(&app, &admin).await;
    let deleted = ["Be glad,", "sad.", "Rest."].map(|old| json!({ "old": old, "new": "" }));
    let rules = json!({ "removals": [], "replacements": deleted });
    let edit = put(&app, &admin, "effect-phrase-rules", &rules).header("if-match", &etag);
    edit.answer().await.expect(200);

    // Nothing is left of the combination 9, `Rest.`.
    let listed = all(&app, "/v1/games/emojito/effects?").await;
    let sentences = texts(&listed);
    assert_eq!(sentences.len(), 9);
    assert_eq!(sentences[..3], ["then glad.", "then", "then odd."]);
    assert_eq!(sentences[4], "Be sad, then");
    let body = json!({ "sentences": sentences });
    let found = app.post("/v1/games/emojito/effects/match").json(&body).answer().await.expect(200);
    let found = found["data"].as_array().unwrap();
    assert_eq!(found.len(), listed.len());
    for (effect, found) in listed.iter().zip(found) {
        assert_eq!(found["matches"][0]["number"], effect["number"], "{found}");
    }
    let step = async |path: &str| {
        let path = format!("/v1/games/emojito/effect-templates/{path}");
        app.get(&path).answer().await.expect(200)
    };
    assert_eq!(step("1/choices?picks=0,1").await["sentence"], "then");
    let nothing = step("2/choices").await;
    assert_eq!((&nothing["removed"], &nothing["sentence"]), (&json!(true), &Value::Null));
    // The version is the ETag of the texts and of the choices, and not that of the sentences.
    let read = async |path: &str| {
        let answer = app.get(&format!("/v1/games/emojito/{path}")).answer().await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.header("etag")
    };
    let version = read("effect-phrase-rules").await;
    for path in [
        "effect-templates",
        "effect-templates/1",
        "effect-templates/1/choices",
        "effect-placeholders",
        "effect-placeholders/mood",
    ] {
        assert_eq!(read(path).await, version, "{path}");
    }
    for path in ["effects", "effects/random?seed=7"] {
        let edit = put(&app, &admin, "effect-phrase-rules", &rules);
        let edit = edit.header("if-match", read(path).await).answer().await;
        edit.problem(412, "precondition_failed");
    }
    let body = json!({ "template": "Be glad, or sad." });
    let tried = app.post("/v1/games/emojito/effects/expand").json(&body).answer().await.expect(200);
    assert_eq!(texts(tried["data"].as_array().unwrap()), ["or"]);
}

#[tokio::test]
async fn a_dry_run_reports_what_the_edit_does() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let other_instance = app.second_instance();
    let etag = small(&app, &admin).await;
    let before = all(&app, "/v1/games/emojito/effects?").await;
    assert_eq!(before.len(), 10);

    // These rules remove three sentences, change three, and do not affect four.
    let rules = json!({ "removals": ["Be sad"], "replacements": [{ "old": "Be odd", "new": "Act strangely" }] });
    let edit = |query: &str| {
        put(&app, &admin, &format!("effect-phrase-rules{query}"), &rules).header("if-match", &etag)
    };
    let rehearsed = edit("?dry_run=true").answer().await;
    assert_eq!(rehearsed.header("etag"), "");
    let rehearsed = rehearsed.expect(200);
    assert_eq!(rehearsed["exact"], true);
    let sentences = &rehearsed["sentences"];
    assert_eq!(sentences["count"], json!({ "before": 10, "after": 7 }));
    assert_eq!(sentences["added"], json!({ "count": 0, "sample": [] }));
    assert_eq!(
        sentences["removed"],
        json!({ "count": 3, "sample": ["Be sad, then glad.", "Be sad, then odd.", "Be sad, then sad."] })
    );
    assert_eq!(sentences["changed"]["count"], 3);
    assert_eq!(
        sentences["changed"]["sample"][0],
        json!({ "before": "Be odd, then glad.", "after": "Act strangely, then glad." })
    );
    assert_eq!(all(&app, "/v1/games/emojito/effects?").await, before, "a dry run changes nothing");

    let done = edit("").answer().await;
    let new_etag = done.header("etag");
    assert_ne!(new_etag, etag);
    let done = done.expect(200);
    assert_eq!(done["dry_run"], false);
    assert_eq!(
        done["sentences"], rehearsed["sentences"],
        "the edit does what the dry run reported"
    );
    let read = app.get("/v1/games/emojito/effect-phrase-rules").answer().await;
    assert_eq!((read.header("etag"), read.json()), (new_etag.clone(), rules.clone()));

    // Every instance returns the new sentences at once, whether or not it had loaded the old ones.
    for instance in [&app, &other_instance] {
        let after = all(instance, "/v1/games/emojito/effects?").await;
        assert_eq!(after.len(), 7);
        assert_eq!(after[3]["text"], "Act strangely, then glad.");
    }
    // This also holds for the first instance, which has loaded the texts, after an edit on the other instance.
    let values = json!({ "values": ["glad"] });
    let fewer = put(&other_instance, &admin, "effect-placeholders/mood", &values);
    let report = fewer.header("if-match", &new_etag).answer().await.expect(200);
    assert_eq!(
        report["templates"],
        json!([{ "template": "Be <mood>, then <mood+1>.", "before": 9, "after": 1 }])
    );
    assert_eq!(
        texts(&all(&app, "/v1/games/emojito/effects?").await),
        ["Be glad, then glad.", "Rest."]
    );

    // An edit with an outdated ETag is rejected with 412, and an edit without an ETag with 428.
    edit("").answer().await.problem(412, "precondition_failed");
    edit("?dry_run=true").answer().await.problem(412, "precondition_failed");
    put(&app, &admin, "effect-phrase-rules", &rules)
        .answer()
        .await
        .problem(428, "precondition_required");
    let nothing_yet = put(&app, &admin, "effect-phrase-rules", &rules).header("if-none-match", "*");
    nothing_yet.answer().await.problem(412, "precondition_failed");
    let nowhere = app.put("/v1/games/nowhere/effect-phrase-rules").by(&admin).json(&rules);
    nowhere.answer().await.problem(404, "not_found");

    let entries = "SELECT count(*) FROM audit_log WHERE action = 'effect_texts.changed'";
    assert_eq!(app.db().value(entries).await, "4");
    let log = app.get("/v1/audit-log").by(&admin).answer().await.expect(200);
    assert_eq!(log["data"][0]["actor_id"], admin.id.as_str());
    assert_eq!(log["data"][0]["details"]["change"]["part"], "placeholder mood");
}

#[tokio::test]
async fn the_same_template_changes_nothing_and_only_one_of_two_edits_succeeds() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let etag = small(&app, &admin).await;
    let edit = |template: &str| {
        let body = json!({ "template": template });
        put(&app, &admin, "effect-templates/2", &body).header("if-match", &etag)
    };
    assert_eq!(edit(" Rest. ").answer().await.header("etag"), etag);
    let (one, two) = tokio::join!(edit("Sleep.").answer(), edit("Nap.").answer());
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 412]);
    let stored = app.get("/v1/games/emojito/effect-templates/2").answer().await.expect(200);
    let winner = if one.status == 200 { "Sleep." } else { "Nap." };
    assert_eq!(stored["template"], winner);

    // Two simultaneous first edits, for a game without effect texts.
    app.seed(&["uno-emoji"]).await;
    let first = |template: &str| {
        let body = json!({ "templates": [template] });
        app.put("/v1/games/uno-emoji/effect-templates").by(&admin).json(&body)
    };
    let (one, two) = tokio::join!(first("Draw.").answer(), first("Skip.").answer());
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    // The second edit may arrive after the first one has ended, and then it needs an ETag.
    assert!(statuses[0] == 200 && [412, 428].contains(&statuses[1]), "{statuses:?}");
}

#[tokio::test]
async fn one_template_is_added_and_the_others_move_up() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let etag = small(&app, &admin).await;
    let pair = "Be <mood>, then <mood+1>.";
    let begin = json!({ "template": " Do <mood>. ", "number": 2 });

    let rehearsed = post(&app, &admin, "?dry_run=true", &begin).header("if-match", &etag);
    let rehearsed = rehearsed.answer().await;
    assert_eq!((rehearsed.header("location"), rehearsed.header("etag")), Default::default());
    let rehearsed = rehearsed.expect(200);
    assert_eq!(rehearsed["dry_run"], true);
    assert_eq!(rehearsed["combinations"], json!({ "before": 10, "after": 13 }));
    assert_eq!(
        rehearsed["templates"],
        json!([{ "template": "Do <mood>.", "before": 0, "after": 3 }])
    );
    assert_eq!(
        rehearsed["sentences"]["added"],
        json!({ "count": 3, "sample": ["Do glad.", "Do odd.", "Do sad."] })
    );
    assert_eq!(templates(&app).await, [pair, "Rest."], "a dry run changes nothing");

    let added = post(&app, &admin, "", &begin).header("if-match", &etag).answer().await;
    assert_eq!(added.header("location"), "/v1/games/emojito/effect-templates/2");
    let after = added.header("etag");
    let report = added.expect(201);
    assert_eq!(
        (&report["dry_run"], &report["sentences"]),
        (&json!(false), &rehearsed["sentences"])
    );
    let found = app.get("/v1/games/emojito/effect-templates/2").answer().await;
    assert_eq!(found.header("etag"), after);
    assert_eq!(found.expect(200)["template"], "Do <mood>.");
    assert_eq!(templates(&app).await, [pair, "Do <mood>.", "Rest."]);

    // The repeated request adds nothing, so a client that did not receive the answer can repeat it.
    let again = post(&app, &admin, "", &begin).header("if-match", &etag);
    again.answer().await.problem(412, "precondition_failed");
    let any = post(&app, &admin, "", &begin).header("if-match", "*");
    any.answer().await.problem(428, "precondition_required");
    post(&app, &admin, "", &begin).answer().await.problem(428, "precondition_required");
    assert_eq!(templates(&app).await.len(), 3);

    // Without a number the template is added at the end. A number can place it before or after all others.
    let mut etag = after;
    for (body, number) in [
        (json!({ "template": "Nap." }), 4),
        (json!({ "template": "Wake." , "number": 1 }), 1),
        (json!({ "template": "Sleep.", "number": 6 }), 6),
    ] {
        let added = post(&app, &admin, "", &body).header("if-match", &etag).answer().await;
        assert_eq!(
            added.header("location"),
            format!("/v1/games/emojito/effect-templates/{number}")
        );
        etag = added.header("etag");
        added.expect(201);
    }
    let six = ["Wake.", pair, "Do <mood>.", "Rest.", "Nap.", "Sleep."];
    assert_eq!(templates(&app).await, six);

    // An existing template can be added again: the game has it twice, but no new sentence.
    let twice = post(&app, &admin, "", &json!({ "template": "Rest." })).header("if-match", &etag);
    let twice = twice.answer().await.expect(201);
    assert_eq!(twice["templates"], json!([{ "template": "Rest.", "before": 1, "after": 2 }]));
    assert_eq!(twice["sentences"]["count"], json!({ "before": 16, "after": 16 }));

    let log = app.get("/v1/audit-log").by(&admin).answer().await.expect(200);
    let entry = &log["data"][0];
    assert_eq!(
        (&entry["action"], &entry["actor_id"]),
        (&json!("effect_texts.changed"), &json!(admin.id))
    );
    let change =
        json!({ "part": "template 7, added", "combinations_before": 16, "combinations_after": 17 });
    assert_eq!(entry["details"]["change"], change);
}

#[tokio::test]
async fn one_template_is_deleted_and_the_others_move_down() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let etag = small(&app, &admin).await;

    for nowhere in ["0", "3", "99999999999999999999", "x"] {
        let request = delete(&app, &admin, nowhere).header("if-match", &etag);
        request.answer().await.problem(404, "not_found");
    }
    delete(&app, &admin, "1").answer().await.problem(428, "precondition_required");
    let rehearsed = delete(&app, &admin, "1?dry_run=true").header("if-match", &etag).answer().await;
    assert_eq!(rehearsed.header("etag"), "");
    let rehearsed = rehearsed.expect(200);
    assert_eq!(rehearsed["sentences"]["removed"]["count"], 9);
    assert_eq!(templates(&app).await.len(), 2, "a dry run changes nothing");

    let deleted = delete(&app, &admin, "1").header("if-match", &etag).answer().await;
    let after = deleted.header("etag");
    let report = deleted.expect(200);
    assert_eq!(
        (&report["dry_run"], &report["sentences"]),
        (&json!(false), &rehearsed["sentences"])
    );
    assert_eq!(
        report["templates"],
        json!([{ "template": "Be <mood>, then <mood+1>.", "before": 9, "after": 0 }])
    );
    assert_eq!(templates(&app).await, ["Rest."]);
    // The repeated request is rejected, because number 1 is another template now.
    let again = delete(&app, &admin, "1").header("if-match", &etag);
    again.answer().await.problem(412, "precondition_failed");
    // `*` is rejected as ETag, because the repeated request would delete another template.
    let any = delete(&app, &admin, "1").header("if-match", "*");
    any.answer().await.problem(428, "precondition_required");

    // Without templates a game still has its placeholders and rules.
    let last = delete(&app, &admin, "1").header("if-match", &after).answer().await;
    let etag = last.header("etag");
    assert_eq!(last.expect(200)["combinations"], json!({ "before": 1, "after": 0 }));
    assert_eq!(templates(&app).await, [""; 0]);
    app.get("/v1/games/emojito/effect-placeholders/mood").answer().await.expect(200);
    let none = delete(&app, &admin, "1").header("if-match", &etag);
    none.answer().await.problem(404, "not_found");
    let log = app.get("/v1/audit-log").by(&admin).answer().await.expect(200);
    assert_eq!(log["data"][0]["details"]["change"]["part"], "template 1, taken away");
    // Templates can be added again.
    let first = post(&app, &admin, "", &json!({ "template": "Be <mood>." }));
    first.header("if-match", &etag).answer().await.expect(201);
    assert_eq!(templates(&app).await, ["Be <mood>."]);
}

/// The first template of a game creates its effect texts: before that there is no ETag that a request could send.
#[tokio::test]
async fn the_first_template_needs_no_etag() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    app.seed(&["emojito"]).await;
    let body = json!({ "template": "Rest." });
    delete(&app, &admin, "1").answer().await.problem(404, "not_found");
    let named = post(&app, &admin, "", &body).header("if-match", "\"r1\"");
    named.answer().await.problem(412, "precondition_failed");
    post(&app, &admin, "?dry_run=true", &body).answer().await.expect(200);
    app.get("/v1/games/emojito/effect-templates").answer().await.problem(404, "not_found");
    let created = post(&app, &admin, "", &body).header("if-none-match", "*").answer().await;
    assert_eq!(created.header("location"), "/v1/games/emojito/effect-templates/1");
    created.expect(201);
    post(&app, &admin, "", &body).answer().await.problem(428, "precondition_required");
    let second = post(&app, &admin, "", &body).header("if-none-match", "*");
    second.answer().await.problem(412, "precondition_failed");
    assert_eq!(templates(&app).await, ["Rest."]);

    let nowhere = app.post("/v1/games/nowhere/effect-templates").by(&admin).json(&body);
    nowhere.answer().await.problem(404, "not_found");
    let nowhere = app.delete("/v1/games/nowhere/effect-templates/1").by(&admin);
    nowhere.answer().await.problem(404, "not_found");
}

#[tokio::test]
async fn a_cursor_is_invalid_after_an_edit() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let etag = small(&app, &admin).await;
    let page = app.get("/v1/games/emojito/effects?limit=4").answer().await.expect(200);
    let next = format!(
        "/v1/games/emojito/effects?limit=4&cursor={}",
        page["next_cursor"].as_str().unwrap()
    );
    app.get(&next).answer().await.expect(200);
    let body = json!({ "template": "Sleep." });
    let edit = put(&app, &admin, "effect-templates/1", &body).header("if-match", etag);
    edit.answer().await.expect(200);
    app.get(&next).answer().await.problem(400, "invalid_cursor");
}

/// The documented limits can be reached: the body with a list may be larger than other bodies.
#[tokio::test]
async fn long_lists_are_accepted() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let etag = small(&app, &admin).await;
    let filler = "and so on ".repeat(28);
    let values: Vec<String> = (0..1_500).map(|number| format!("{number} {filler}.")).collect();
    let body = json!({ "values": values });
    assert!(body.to_string().len() > 400 * 1024);
    let edit = put(&app, &admin, "effect-placeholders/mood", &body).header("if-match", &etag);
    let edit = edit.answer().await;
    let full_of_values = edit.header("etag");
    let report = edit.expect(200);
    assert_eq!(report["combinations"]["after"], 1_500 * 1_500 + 1);
    let read = app.get("/v1/games/emojito/effect-placeholders/mood").answer().await.expect(200);
    assert_eq!(read["values"], json!(values));
    // As many templates as a game may have, and not one more.
    let body = json!({ "templates": vec!["Rest."; 2_000] });
    let full = put(&app, &admin, "effect-templates", &body).header("if-match", full_of_values);
    let full = full.answer().await;
    let etag = full.header("etag");
    full.expect(200);
    let more = post(&app, &admin, "", &json!({ "template": "Nap." })).header("if-match", &etag);
    let refused = more.answer().await.problem(422, "invalid_edit");
    assert_eq!(refused["errors"][0]["detail"], "must be at most 2000 templates, not 2001");
    let body = json!({ "values": vec![filler; 8_000] });
    let edit = put(&app, &admin, "effect-placeholders/mood", &body).header("if-match", &etag);
    edit.answer().await.problem(413, "body_too_large");
}

/// Every fault is reported with its place, and nothing is changed.
#[tokio::test]
async fn faults_are_reported_with_their_places() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let etag = small(&app, &admin).await;
    let refused = async |path: &str, body: Value| -> Vec<Value> {
        let answer = put(&app, &admin, path, &body).header("if-match", &etag).answer().await;
        answer.problem(422, "invalid_edit")["errors"].as_array().unwrap().clone()
    };
    let places = |faults: &[Value]| -> Vec<String> {
        faults.iter().map(|fault| fault["pointer"].as_str().unwrap().to_owned()).collect()
    };

    let faults = refused(
        "effect-templates",
        json!({ "templates": ["Be <mood>.", "Be <a b>.", "", "Be\nfree."] }),
    )
    .await;
    assert_eq!(places(&faults), ["/templates/1", "/templates/2", "/templates/3"]);
    assert_eq!(faults[0]["column"], 4);
    assert!(
        faults[0]["detail"].as_str().unwrap().starts_with("template 2, column 4: <a b>"),
        "{faults:?}"
    );
    let faults =
        refused("effect-templates", json!({ "templates": ["Be <mood>.", "See <nobody>."] })).await;
    assert_eq!(places(&faults), ["/templates/1"]);
    assert_eq!(faults[0]["detail"], "template 2, column 5: <nobody> has no values");
    assert_eq!(faults[0]["column"], 5);
    // A fault of one kind does not hide those of another.
    let faults =
        refused("effect-templates", json!({ "templates": ["Take <nope>", "<a b>"] })).await;
    assert_eq!(places(&faults), ["/templates/0", "/templates/1"]);
    assert_eq!((&faults[0]["column"], &faults[1]["column"]), (&json!(6), &json!(1)));
    let faults = refused("effect-templates/2", json!({ "template": "Be <a b>." })).await;
    assert_eq!(places(&faults), ["/template"]);

    let faults =
        refused("effect-placeholders/mood", json!({ "values": ["glad", "as <mood> as ever"] }))
            .await;
    assert_eq!(places(&faults), ["/values/1"]);
    assert_eq!(faults[0]["column"], 4);
    assert!(faults[0]["detail"].as_str().unwrap().contains("lead back to <mood>"), "{faults:?}");
    assert_eq!(
        places(&refused("effect-placeholders/mood", json!({ "values": [] })).await),
        ["/values"]
    );
    assert_eq!(
        places(&refused("effect-placeholders/a%20b", json!({ "values": ["x"] })).await),
        ["/values"]
    );
    // The fault is in a template that uses the placeholder.
    let deleted = app
        .delete("/v1/games/emojito/effect-placeholders/mood")
        .by(&admin)
        .header("if-match", &etag);
    let deleted = deleted.answer().await.problem(422, "invalid_edit");
    assert_eq!(deleted["errors"][0]["pointer"], "/templates/0");

    let faults = refused(
        "effect-phrase-rules",
        json!({
            "removals": ["fine", "#no"],
            "replacements": [{ "old": "a", "new": "b" }, { "old": "x:y", "new": "" }, { "old": "a", "new": "c" }, { "old": "", "new": "c" }],
        }),
    )
    .await;
    assert_eq!(
        places(&faults),
        ["/removals/1", "/replacements/1/old", "/replacements/2/old", "/replacements/3/old"]
    );
    assert!(faults[1]["detail"].as_str().unwrap().starts_with("replacement 2: "), "{faults:?}");

    // Faults of an added template have pointers into the body of the request, whatever its number is.
    for (body, pointer, detail) in [
        (json!({ "template": "Be <a b>.", "number": 1 }), "/template", "template 1, column 4: "),
        (json!({ "template": "Be <nobody>." }), "/template", "template 3, column 4: <nobody> has"),
        (json!({ "template": " " }), "/template", "template 3: "),
        (json!({ "template": "Nap.", "number": 0 }), "/number", "must be 1 to 3, not 0"),
        (json!({ "template": "Nap.", "number": 4 }), "/number", "must be 1 to 3, not 4"),
    ] {
        let answer = post(&app, &admin, "", &body).header("if-match", &etag).answer().await;
        let faults = answer.problem(422, "invalid_edit")["errors"].clone();
        assert_eq!(places(faults.as_array().unwrap()), [pointer]);
        assert!(faults[0]["detail"].as_str().unwrap().starts_with(detail), "{faults}");
    }
    for body in [
        json!({}),
        json!({ "template": "Nap.", "at": 1 }),
        json!({ "template": "Nap.", "number": -1 }),
    ] {
        let answer = post(&app, &admin, "", &body).header("if-match", &etag).answer().await;
        answer.problem(422, "invalid_body");
    }

    let read = app.get("/v1/games/emojito/effect-templates").answer().await;
    assert_eq!(read.header("etag"), etag, "nothing was changed");
}

/// Older versions accepted some replacements that could make sentences too long. They are not applied, but can be read and replaced.
#[tokio::test]
async fn stored_replacements_that_are_refused_now_can_be_replaced() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    small(&app, &admin).await;
    let rule = |old: &str, new: &str| json!({ "old": old, "new": new });
    let stored =
        json!([rule("e", &"dbdcd".repeat(20)), rule("d", ""), rule("bc", &"hfhgh".repeat(20))]);
    app.sql(&format!(
        "UPDATE effect_texts SET revision = revision + 1, document = jsonb_set(document, '{{replacements}}', '{stored}')"
    ))
    .await;
    let sentences = async || -> String {
        let listed = all(&app, "/v1/games/emojito/effects?limit=50").await;
        texts(&listed).join(" ")
    };
    assert!(sentences().await.contains("Be glad, then glad."));
    let read = app.get("/v1/games/emojito/effect-phrase-rules").answer().await;
    let etag = read.header("etag");
    assert_eq!(read.expect(200)["replacements"], stored);
    let more = post(&app, &admin, "", &json!({ "template": "Nap." })).header("if-match", &etag);
    let refused = more.answer().await.problem(422, "invalid_edit");
    let detail = refused["errors"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("could be longer than"), "{refused}");
    let body = json!({ "removals": [], "replacements": [rule("glad", "merry")] });
    let edit = put(&app, &admin, "effect-phrase-rules", &body).header("if-match", etag);
    edit.answer().await.expect(200);
    assert!(sentences().await.contains("Be merry, then merry."));
}

/// Texts that would need too much CPU time or memory are refused before they are expanded.
#[tokio::test]
async fn texts_that_expand_too_much_are_refused() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let mut etag = small(&app, &admin).await;
    let refused = |answer: Answer, words: &str| {
        let problem = answer.problem(422, "invalid_edit");
        assert!(problem["errors"][0]["detail"].as_str().unwrap().contains(words), "{problem}");
    };
    // Each rule doubles the text: it replaces every letter that the previous rule has written by two letters.
    let doubling: Vec<Value> = (0..60_u8)
        .map(|at| {
            let letter = |at: u8| char::from_u32(0x4e00 + u32::from(at)).unwrap().to_string();
            json!({ "old": letter(at), "new": letter(at + 1).repeat(2) })
        })
        .collect();
    let body = json!({ "removals": [], "replacements": doubling });
    let answer = put(&app, &admin, "effect-phrase-rules", &body).header("if-match", &etag);
    refused(answer.answer().await, "could be longer than");
    // Each value contains the next placeholder twice, 14 levels deep.
    for depth in (0..14).rev() {
        let value = if depth == 13 { "x".to_owned() } else { format!("<d{0}> <d{0}>", depth + 1) };
        let path = format!("effect-placeholders/d{depth}");
        let body = json!({ "values": [value] });
        let answer = put(&app, &admin, &path, &body).header("if-match", &etag).answer().await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        etag = answer.header("etag");
    }
    let body = json!({ "templates": ["Say <d0>."] });
    let answer = put(&app, &admin, "effect-templates", &body).header("if-match", &etag);
    refused(answer.answer().await, "could be longer than");
    let tried = app.post("/v1/games/emojito/effects/expand").json(&json!({ "template": "<d0>" }));
    tried.answer().await.problem(422, "invalid_body");
    // More combinations than `MAX_COMBINATIONS`.
    let digits: Vec<String> = (0..100).map(|digit| digit.to_string()).collect();
    let body = json!({ "values": digits });
    let answer =
        put(&app, &admin, "effect-placeholders/n", &body).header("if-match", &etag).answer().await;
    etag = answer.header("etag");
    let places = |count: usize| (0..count).map(|at| format!("<n+{at}> ")).collect::<String>();
    let body = json!({ "templates": [format!("Say {}.", places(8))] });
    let answer = put(&app, &admin, "effect-templates", &body).header("if-match", &etag);
    refused(answer.answer().await, "makes more than");
    // A large number within the limit is reported without a comparison of sentences. The sentences can be read, drawn and matched.
    let body = json!({ "templates": [format!("Say {}.", places(7).trim())] });
    let answer =
        put(&app, &admin, "effect-templates", &body).header("if-match", &etag).answer().await;
    etag = answer.header("etag");
    let report = answer.expect(200);
    assert_eq!((&report["exact"], &report["sentences"]), (&json!(false), &Value::Null));
    assert_eq!(report["combinations"]["after"], 100_000_000_000_000_u64);
    assert_eq!(report["templates"].as_array().unwrap().len(), 3);
    let page = app.get("/v1/games/emojito/effects?q=nothing").answer().await.expect(200);
    assert_eq!(page["data"], json!([]));
    assert!(page["next_cursor"].is_string(), "one page searches only some of the sentences");
    let drawn = app.get("/v1/games/emojito/effects/random?seed=3").answer().await.expect(200);
    let (text, number) = (&drawn["data"][0]["text"], &drawn["data"][0]["number"]);
    let body = json!({ "sentences": [text] });
    let found = app.post("/v1/games/emojito/effects/match").json(&body).answer().await.expect(200);
    assert_eq!(&found["data"][0]["matches"][0]["number"], number, "{found}");
    // 2²⁹ chains of values lead to the same words.
    for depth in (0..30).rev() {
        for name in ["v", "w"] {
            let next = [format!("<v{}>", depth + 1), format!("<w{}>", depth + 1)];
            let values = if depth == 29 { vec!["word".to_owned()] } else { next.to_vec() };
            let path = format!("effect-placeholders/{name}{depth}");
            let body = json!({ "values": values });
            let answer = put(&app, &admin, &path, &body).header("if-match", &etag).answer().await;
            assert_eq!(answer.status, 200, "{}", answer.text());
            etag = answer.header("etag");
        }
    }
    let body = json!({ "templates": ["<v0> x"] });
    let answer = put(&app, &admin, "effect-templates", &body).header("if-match", &etag);
    answer.answer().await.expect(200);
    let body = json!({ "sentences": ["Rest."] });
    let found = app.post("/v1/games/emojito/effects/match").json(&body).answer().await.expect(200);
    assert_eq!(
        (&found["data"][0]["matches"], &found["data"][0]["complete"]),
        (&json!([]), &json!(false))
    );
}
