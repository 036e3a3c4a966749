//! Designs are created and changed step by step, without script.

use std::sync::Arc;
use std::time::Duration;

use cardscape::domain::clock::Clock;
use cardscape::store::StoreSettings;
use serde_json::json;

use super::{Browser, Page, begun, heron, location, page_of, shared, start, value};
use crate::designs::{put_effect_texts, put_templates};
use crate::pages::frame::check;
use crate::support::{Answer, RequestExt as _, TestApp, TestDb, numbered_set};

/// All `<input>` fields of a page as a browser sends them, except for the search field and the fields in `without`.
fn fields<'a>(page: &'a Page, without: &[&str]) -> Vec<(&'a str, &'a str)> {
    let is_sent = |field: &&crate::pages::html::Element| {
        !matches!(field.get("type"), Some("checkbox" | "radio")) || field.get("checked").is_some()
    };
    let own =
        |field: &'a crate::pages::html::Element| Some((field.get("name")?, field.get("value")?));
    let fields = page.all("input").filter(is_sent).filter_map(own);
    fields.filter(|(name, _)| *name != "q" && !without.contains(name)).collect()
}

fn shown(answer: &Answer, status: u16) -> Page {
    assert_eq!(answer.status, status, "{}", answer.text());
    check("designer", answer)
}

#[tokio::test]
async fn a_design_is_created_step_by_step() {
    let app = start().await;
    let ada = app.player("ada").await;
    let hers = Browser::of(&app, "ada").await;
    let form = hers.page("/designer").await;
    let key = value(&form, "key").to_owned();
    let early = hers.post("/designer", &[("step", "start"), ("go", "check"), ("card", "")]).await;
    assert!(shown(&early, 422).only("main").text.contains("Choose a kind of card first."));
    let chosen = [("key", &*key), ("step", "start"), ("card", "ttcg/unit"), ("go", "card")];
    let card = shown(&hers.post("/designer", &chosen).await, 200);
    assert_eq!((value(&card, "game"), value(&card, "kind")), ("ttcg", "unit"));
    for id in ["name", "attributes-type", "attributes-rank", "attributes-attack"] {
        assert!(card.with("id").any(|(_, found)| found == id), "{id}");
    }
    // The page also has fields for the numbers of other rarities. The card exists in all, so that none is chosen.
    assert!(!card.with("id").any(|(_, id)| id == "printing"));
    assert!(card.with("id").any(|(_, id)| id == "printings-rare-attack"));
    let mut sent = fields(&card, &["name", "step"]);
    sent.retain(|(name, _)| !name.starts_with("attributes."));
    sent.extend([
        ("step", "card"),
        ("name", "Lantern <b>Heron</b>"),
        ("attributes.type", "earth"),
        ("attributes.rank", "1"),
        ("attributes.subtypes", "beast"),
        ("attributes.attack", "-5"),
        ("attributes.defense", "abc"),
        ("go", "card"),
    ]);
    let wrong = shown(&hers.post("/designer", &sent).await, 200);
    let invalid: Vec<&str> =
        wrong.with("aria-invalid").filter_map(|(field, _)| field.get("id")).collect();
    assert!(invalid.contains(&"attributes-attack") && invalid.contains(&"attributes-defense"));
    assert!(wrong.all("a").any(|link| link.get("href") == Some("#attributes-attack")));
    assert_eq!(value(&wrong, "attributes.defense"), "abc");
    let main = &wrong.only("main").text;
    for message in ["Attack is −5; the least is 0.", "Defense must be a whole number."] {
        assert!(main.contains(message), "{message}: {main}");
    }
    for field in &mut sent {
        match field.0 {
            "attributes.attack" => field.1 = "200",
            "attributes.defense" => field.1 = "300",
            "go" => field.1 = "effects",
            _ => {}
        }
    }
    let effects = shown(&hers.post("/designer", &sent).await, 200);
    assert_eq!(value(&effects, "attributes.attack"), "200");
    // Both pages have the elements that the script of the form uses, and state that the design is not stored yet.
    for page in [&wrong, &effects] {
        let live = page.all("form").find(|form| form.get("data-live-part").is_some()).unwrap();
        assert_eq!(live.get("data-guard"), Some("unsaved"));
        let parts = live.get("data-live-part").unwrap().split(' ');
        for id in parts.chain(live.get("data-live-announce")) {
            assert!(page.with("id").any(|(_, found)| found == id), "{id}");
            let describes = |(_, ids): (_, &str)| ids.split(' ').any(|one| one == id);
            let is_note = id.ends_with("_notes");
            assert_eq!(page.with("aria-describedby").any(describes), is_note, "{id}");
        }
        let sent = page.with("data-live-button").map(|(button, _)| button.get("name"));
        assert_eq!(sent.collect::<Vec<_>>(), [Some("go")]);
    }
    let announced = wrong.with("data-says").map(|(_, announced)| announced).collect::<Vec<_>>();
    assert!(
        announced.len() == 1
            && announced[0].ends_with("wrong.")
            && !announced[0].starts_with("Nothing")
    );
    assert_eq!(effects.all("textarea").count(), 2);
    let picture = effects.all("img").find_map(|image| image.get("src")).unwrap().to_owned();
    let drawn = hers.get(&picture).await;
    assert_eq!((drawn.status, drawn.header("content-type").as_str()), (200, "image/svg+xml"));
    assert_eq!(drawn.header("cache-control"), "private, no-store");
    assert!(drawn.text().contains("Lantern") && !drawn.text().contains("<b>"));
    assert_eq!(app.get(&picture).answer().await.status, 303);

    // A saved draft may break rules of the game: this design has no effects yet.
    let mut saved = fields(&effects, &["step"]);
    saved.extend([("step", "check"), ("go", "save")]);
    let created = location(&hers.post("/designer", &saved).await);
    assert_eq!(location(&hers.post("/designer", &saved).await), created);
    let design = app.get(&format!("/v1{created}")).by(&ada).answer().await.expect(200);
    assert_eq!(design["name"], "Lantern <b>Heron</b>");
    let attributes =
        json!({ "type": "earth", "rank": 1, "subtypes": ["beast"], "attack": 200, "defense": 300 });
    assert_eq!((&design["attributes"], &design["status"]), (&attributes, &json!("draft")));
    let all = app.get("/v1/me/designs").by(&ada).answer().await.expect(200);
    assert_eq!(all["data"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn missing_fields_are_filled_in() {
    let app = start().await;
    app.player("ada").await;
    let hers = Browser::of(&app, "ada").await;
    let sent = [
        ("step", "card"),
        ("game", "ttcg"),
        ("kind", "unit"),
        ("attributes.type", "fire"),
        ("go", "suggest"),
    ];
    let filled = shown(&hers.post("/designer", &sent).await, 200);
    assert!(filled.only("main").text.contains("What was filled in"));
    assert!(!value(&filled, "attributes.attack").is_empty());
    assert!(!value(&filled, "effects.0.text").is_empty());
    let chosen = filled
        .all("option")
        .any(|option| option.get("value") == Some("fire") && option.get("selected").is_some());
    assert!(chosen);
}

/// A request to save has only the effects with a sentence, and one to fill the form in has all. Both pages number them as the form does.
#[tokio::test]
async fn faults_name_the_effects_of_the_form() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    app.player("ada").await;
    let hers = Browser::of(&app, "ada").await;
    let long = "a".repeat(3_000);
    for (go, status) in [("suggest", 200), ("save", 422)] {
        let sent = [
            ("game", "ttcg"),
            ("kind", "unit"),
            ("name", "Owl"),
            ("step", "effects"),
            ("effects.0.text", ""),
            ("effects.1.text", &*long),
            ("effects.2.text", "Draw one card."),
            ("go", go),
        ];
        let page = shown(&hers.post("/designer", &sent).await, status);
        let invalid = page.with("aria-invalid").filter_map(|(field, _)| field.get("id"));
        assert_eq!(invalid.collect::<Vec<_>>(), ["effects-1-text"], "{go}");
        let link = page.all("a").find(|link| link.get("href") == Some("#effects-1-text")).unwrap();
        assert!(link.text.starts_with("Effect 2: "), "{go}: {}", link.text);
    }
}

#[tokio::test]
async fn a_sentence_is_chosen_from_a_template() {
    let app = start().await;
    app.player("ada").await;
    let hers = Browser::of(&app, "ada").await;
    let begin = [("game", "ttcg"), ("kind", "unit"), ("name", "Owl"), ("step", "effects")];
    let sent = [&begin[..], &[("go", "template:1")]].concat();
    let mut page = shown(&hers.post("/designer", &sent).await, 200);
    assert_eq!((value(&page, "name"), value(&page, "at")), ("Owl", "1"));
    let none = [&begin[..], &[("at", "1"), ("go", "pick"), ("pick", "")]].concat();
    let none = shown(&hers.post("/designer", &none).await, 200);
    assert!(none.only("main").text.contains("Choose one of the list."));
    // Chooses the first template, and the first value for each of its placeholders.
    for _ in 0..20 {
        if page.all("button").any(|button| button.get("value") == Some("use")) {
            break;
        }
        let choices = page.all("option").filter_map(|option| option.get("value"));
        let first = choices.into_iter().find(|value| !value.is_empty()).unwrap().to_owned();
        let kept: Vec<(String, String)> = fields(&page, &[])
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let mut sent: Vec<(&str, &str)> =
            kept.iter().map(|(name, value)| (&**name, &**value)).collect();
        sent.extend([("pick", &*first), ("go", "pick")]);
        page = shown(&hers.post("/designer", &sent).await, 200);
    }
    let sentence = page.all("b").next().unwrap().text.clone();
    let mut last = fields(&page, &[]);
    last.push(("go", "use"));
    let effects = shown(&hers.post("/designer", &last).await, 200);
    let second = effects.all("textarea").find(|area| area.get("id") == Some("effects-1-text"));
    assert_eq!(second.unwrap().text, sentence);
    assert!(effects.all("button").any(|button| button.get("value") == Some("template:1")));
    let back = shown(
        &hers.post("/designer", &[&last[..last.len() - 1], &[("go", "unpick")]].concat()).await,
        200,
    );
    assert!(back.all("select").any(|select| select.get("id") == Some("pick")));
    let lost = [&begin[..], &[("go", "template:x")]].concat();
    assert_eq!(hers.post("/designer", &lost).await.status, 422);
}

#[tokio::test]
async fn a_game_without_templates_offers_none() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    app.player("ada").await;
    let admin = app.admin().await;
    let hers = Browser::of(&app, "ada").await;
    let begin = [("game", "ttcg"), ("kind", "unit"), ("name", "Owl"), ("step", "effects")];
    let choose = [&begin[..], &[("go", "template:0")]].concat();
    let is_offered =
        |page: &Page| page.all("button").any(|button| button.get("value") == Some("template:0"));
    for has_texts in [false, true] {
        if has_texts {
            put_templates(&app, &admin, &[]).await;
        }
        let effects = [&begin[..], &[("go", "effects")]].concat();
        assert!(!is_offered(&shown(&hers.post("/designer", &effects).await, 200)));
        // A form of another tab may have the button still.
        let page = shown(&hers.post("/designer", &choose).await, 200);
        let text = &page.only("main").text;
        assert!(text.contains("type the sentence into its field"), "{text}");
    }
    let odd = ["Tap a unit with attack > 100 and rank < 3.", "Tap a unit <or_more>."];
    put_effect_texts(
        &app,
        &admin,
        "effect-placeholders/or_more",
        &json!({ "values": ["_", "now"] }),
    )
    .await;
    put_templates(&app, &admin, &odd).await;
    let page = shown(&hers.post("/designer", &choose).await, 200);
    let options: Vec<&str> = page.all("option").map(|option| &*option.text).collect();
    assert_eq!(
        options[1..],
        ["Tap a unit with attack > 100 and rank < 3.", "Tap a unit [or more]."]
    );
    let pick = [&begin[..], &[("at", "0"), ("template", ""), ("pick", "2"), ("go", "pick")]];
    let page = shown(&hers.post("/designer", &pick.concat()).await, 200);
    let options: Vec<&str> = page.all("option").map(|option| &*option.text).collect();
    assert_eq!(options[1..], ["(nothing)", "now"]);
}

/// The choice begins again with the templates that there are now, and the design is not lost.
#[tokio::test]
async fn templates_may_be_replaced_while_values_are_chosen() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    app.player("ada").await;
    let admin = app.admin().await;
    let hers = Browser::of(&app, "ada").await;
    let values: Vec<String> = (1..=201).map(|count| format!("{count} cards")).collect();
    let values = json!({ "values": values });
    put_effect_texts(&app, &admin, "effect-placeholders/many", &values).await;
    put_templates(&app, &admin, &["Draw <many>."]).await;
    let begin = [("game", "ttcg"), ("kind", "unit"), ("name", "Owl"), ("step", "effects")];
    let pick = [("at", "0"), ("template", ""), ("pick", "1"), ("go", "pick")];
    let page = shown(&hers.post("/designer", &[&begin[..], &pick].concat()).await, 200);
    assert_eq!(page.all("option").count(), 201, "a page of values, and the empty choice");
    let mut buttons = page.all("button").filter_map(|button| button.get("value"));
    let more = buttons.find(|value| value.starts_with("more:")).unwrap();
    put_templates(&app, &admin, &["Tap one unit.", "Draw <many>."]).await;
    let mut sent = fields(&page, &[]);
    sent.push(("go", more));
    let page = shown(&hers.post("/designer", &sent).await, 200);
    let options: Vec<&str> = page.all("option").map(|option| &*option.text).collect();
    assert_eq!(options[1..], ["Tap one unit.", "Draw [many]."]);
    assert_eq!((value(&page, "name"), value(&page, "template")), ("Owl", ""));
}

/// A loaded service shows the form with its texts, although it finds out nothing about templates.
#[tokio::test]
async fn the_form_is_shown_while_templates_cannot_be_read() {
    let db = Arc::new(TestDb::with_games(&["ttcg"]).await);
    let hasty = |store: &mut StoreSettings| store.statement_timeout = Duration::from_secs(5);
    let app = TestApp::start_tuned(db, Clock::system(), |_| {}, hasty);
    app.player("ada").await;
    let hers = Browser::of(&app, "ada").await;
    let mut client = app.db().session().await;
    let lock = client.transaction().await.unwrap();
    lock.batch_execute("LOCK TABLE effect_texts IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let sent = [
        ("game", "ttcg"),
        ("kind", "unit"),
        ("name", "Owl"),
        ("effects.0.text", "Draw a card."),
        ("step", "effects"),
        ("go", "effects"),
    ];
    let page = shown(&hers.post("/designer", &sent).await, 200);
    let effect = page.all("textarea").find(|area| area.get("id") == Some("effects-0-text"));
    assert_eq!(effect.unwrap().text, "Draw a card.");
    assert!(page.all("button").any(|button| button.get("value") == Some("template:0")));
    lock.rollback().await.unwrap();
}

#[tokio::test]
async fn a_change_in_between_shows_both_versions() {
    let app = start().await;
    let ada = app.player("ada").await;
    let place = begun(&app, &ada, &heron("Lantern Heron")).await;
    let path = format!("{}/edit", page_of(&place));
    let hers = Browser::of(&app, "ada").await;
    let form = hers.page(&path).await;
    assert_eq!(value(&form, "name"), "Lantern Heron");
    let mut sent = fields(&form, &["name"]);
    sent.retain(|(name, _)| !name.starts_with("attributes."));
    sent.extend([
        ("attributes.type", "earth"),
        ("attributes.rank", "1"),
        ("attributes.subtypes", "beast"),
        ("attributes.attack", "150"),
        ("attributes.defense", "350"),
        ("name", "Mine"),
        ("go", "save"),
    ]);
    let tag = app.get(&place).by(&ada).answer().await.header("etag");
    let theirs = heron("Elsewhere");
    app.put(&place).by(&ada).header("if-match", tag).json(&theirs).answer().await.expect(200);
    let both = shown(&hers.post(&path, &sent).await, 412);
    assert!(both.only("main").text.contains("The saved version"));
    assert!(both.only("main").text.contains("Elsewhere"));
    assert_eq!((value(&both, "name"), value(&both, "attributes.attack")), ("Mine", "150"));
    let version = value(&both, "version").to_owned();
    for field in &mut sent {
        if field.0 == "version" {
            field.1 = &version;
        }
    }
    // A double click, or a form that is sent again because its answer was lost, is no conflict.
    for _ in 0..2 {
        assert_eq!(location(&hers.post(&path, &sent).await), page_of(&place));
    }
    let now = app.get(&place).by(&ada).answer().await.expect(200);
    assert_eq!((&now["name"], &now["attributes"]["attack"]), (&json!("Mine"), &json!(150)));
    // The form carries the effects and the licence terms, which this step does not show.
    let effects = json!([
        { "style": "passive", "text": "After this card attacks, return it to your hand." },
        { "style": "normal", "text": "Discard one spell to gain 1 point." },
    ]);
    assert_eq!((&now["effects"], &now["licence"]), (&effects, &json!("release-1")));
}

/// A design may be submitted or taken down while its author changes it. The page does not promise that saving again replaces it, and keeps the input.
#[tokio::test]
async fn a_design_that_cannot_be_saved_any_more_is_kept_in_the_form() {
    let app = start().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let mod_ = app.moderator().await;
    let place = shared(&app, &ada, &heron("Lantern Heron")).await;
    let path = format!("{}/edit", page_of(&place));
    let hers = Browser::of(&app, "ada").await;
    let form = hers.page(&path).await;
    let mut sent = fields(&form, &["name"]);
    sent.retain(|(name, _)| !name.starts_with("attributes."));
    sent.extend([
        ("attributes.type", "earth"),
        ("attributes.rank", "1"),
        ("attributes.subtypes", "beast"),
        ("attributes.attack", "150"),
        ("attributes.defense", "350"),
        ("name", "Mine"),
        ("go", "save"),
    ]);
    crate::designs::step(&app, &ada, &place, "submit").await.expect(200);
    let refused = async |message: &str| {
        let page = shown(&hers.post(&path, &sent).await, 409);
        let main = &page.only("main").text;
        assert!(main.contains(message), "{main}");
        assert!(!main.contains("your version replaces the saved one"), "{main}");
        assert_eq!((value(&page, "name"), value(&page, "attributes.attack")), ("Mine", "150"));
        page
    };
    let page = refused("Withdraw the design on its page first").await;
    let copy = page.all("button").find(|button| button.get("formaction").is_some()).unwrap();
    assert_eq!((copy.get("formaction"), copy.get("value")), (Some("/designer"), Some("save")));
    let mut copied = sent.clone();
    copied.extend([("key", value(&page, "key"))]);
    let created = location(&hers.post("/designer", &copied).await);
    let copied = app.get(&format!("/v1{created}")).by(&ada).answer().await.expect(200);
    assert_eq!((&copied["name"], &copied["status"]), (&json!("Mine"), &json!("draft")));
    let stored = app.get(&place).by(&ada).answer().await.expect(200);
    assert_eq!(
        (&stored["name"], &stored["status"]),
        (&json!("Lantern Heron"), &json!("submitted"))
    );

    app.post(&format!("{place}/claim")).by(&mod_).answer().await.expect(200);
    let decision = json!({ "decision": "approved", "revision": 1, "reason": "Good." });
    app.post(&format!("{place}/decide")).by(&mod_).json(&decision).answer().await.expect(200);
    refused("You can save it as a new design.").await;

    let report = json!({ "design": stored["id"], "reason": "copyright" });
    let report = app.post("/v1/abuse-reports").by(&ben).json(&report).answer().await.expect(201);
    let decide = format!("/v1/abuse-reports/{}/decide", report["id"].as_str().unwrap());
    let verdict = json!({ "decision": "upheld", "note": "Copied." });
    app.post(&decide).by(&mod_).json(&verdict).answer().await.expect(200);
    let page = refused("A moderator has taken the design down, so it cannot be changed.").await;
    assert!(!page.all("button").any(|button| button.get("formaction").is_some()));
}

/// The page shows a fault that prevents saving beside its field, on the step that has the field.
#[tokio::test]
async fn faults_are_shown_beside_their_fields() {
    let app = start().await;
    app.player("ada").await;
    let hers = Browser::of(&app, "ada").await;
    let long = "x".repeat(201);
    let sent =
        [("game", "ttcg"), ("kind", "unit"), ("flavour", &*long), ("step", "card"), ("go", "save")];
    let page = shown(&hers.post("/designer", &sent).await, 422);
    let invalid = page.with("aria-invalid").filter_map(|(field, _)| field.get("id"));
    assert_eq!(invalid.collect::<Vec<_>>(), ["flavour"]);
    assert!(page.all("a").any(|link| link.get("href") == Some("#flavour")));
    assert_eq!(value(&page, "flavour"), long);
}

/// A number and a sentence that are refused are marked at their fields, and described by the list of faults.
#[tokio::test]
async fn faults_of_numbers_and_sentences_are_marked_at_their_fields() {
    let app = start().await;
    app.player("ada").await;
    let hers = Browser::of(&app, "ada").await;
    for (step, field, id, typed) in [
        ("card", "attributes.attack", "attributes-attack", "1\u{202e}2"),
        ("effects", "effects.0.text", "effects-0-text", "Draw\u{202e} a card."),
    ] {
        let sent = [
            ("game", "ttcg"),
            ("kind", "unit"),
            ("name", "Owl"),
            (field, typed),
            ("step", step),
            ("go", "save"),
        ];
        let page = shown(&hers.post("/designer", &sent).await, 422);
        let path = format!("#{id}");
        assert!(page.all("a").any(|link| link.get("href") == Some(&*path)), "{id}");
        let mut marked = page.with("aria-invalid").map(|(field, _)| field);
        let marked = marked.find(|field| field.get("id") == Some(id));
        let described = marked.and_then(|field| field.get("aria-describedby")).unwrap_or_default();
        assert!(described.split(' ').any(|one| one == "faults"), "{id}: {described}");
    }
}

/// Another tab has deleted the design: its texts are shown, to be copied.
#[tokio::test]
async fn texts_of_a_design_that_was_deleted_are_not_lost() {
    let app = start().await;
    let ada = app.player("ada").await;
    let place = begun(&app, &ada, &heron("Lantern Heron")).await;
    let path = format!("{}/edit", page_of(&place));
    let hers = Browser::of(&app, "ada").await;
    let form = hers.page(&path).await;
    let version = value(&form, "version").to_owned();
    app.delete(&place).by(&ada).header("if-match", "*").answer().await.expect(204);
    let sent = [
        ("version", &*version),
        ("game", "ttcg"),
        ("kind", "unit"),
        ("name", "Mine"),
        ("effects.0.text", "Draw two cards."),
        ("flavour", "It waits."),
        ("lore", "It was there first."),
        ("credits", "Ada"),
        ("alt", "A heron."),
        ("step", "story"),
        ("go", "save"),
    ];
    let page = shown(&hers.post(&path, &sent).await, 404);
    let texts: Vec<&str> = page.all("textarea").map(|field| field.text.as_str()).collect();
    assert_eq!(
        texts,
        ["Mine", "Draw two cards.", "It waits.", "It was there first.", "Ada", "A heron."]
    );
}

/// The head of the form part with the file.
const A_FILE: &str = "name=\"file\"; filename=\"a.png\"\r\nContent-Type: image/png";

/// Sends a multipart form. Each part has the parameters of its `Content-Disposition`, and its content.
async fn send_parts(
    app: &TestApp,
    browser: &Browser<'_>,
    path: &str,
    parts: &[(&str, &[u8])],
) -> Answer {
    let line = "a-line-that-is-in-no-picture";
    let part = |(head, content): &(&str, &[u8])| {
        let head = format!("--{line}\r\nContent-Disposition: form-data; {head}\r\n\r\n");
        [head.as_bytes(), *content, b"\r\n"].concat()
    };
    let mut body: Vec<u8> = parts.iter().flat_map(part).collect();
    body.extend(format!("--{line}--\r\n").into_bytes());
    app.post(path)
        .header("sec-fetch-site", "same-origin")
        .header("cookie", browser.cookie.as_deref().unwrap())
        .header("content-type", format!("multipart/form-data; boundary={line}"))
        .body(body)
        .answer()
        .await
}

/// Saving the form keeps the picture of a design, even if many pictures were uploaded later.
#[tokio::test]
async fn saving_the_form_keeps_an_old_picture() {
    let app = start().await;
    let ada = app.player("ada").await;
    let place = begun(&app, &ada, &heron("Lantern Heron")).await;
    let path = format!("{}/artwork", page_of(&place));
    let hers = Browser::of(&app, "ada").await;
    let picture = crate::designs::pictures::file(
        &crate::designs::pictures::gradient(300, 200),
        image::ImageFormat::Png,
    );
    let none = hers.page(&path).await;
    let chosen = |page: &Page| -> Vec<String> {
        let boxes = page.all("input").filter(|field| field.get("checked").is_some());
        boxes.filter_map(|field| field.get("value")).map(str::to_owned).collect()
    };
    assert_eq!(chosen(&none), [""]);
    let parts = [("name=\"version\"", value(&none, "version").as_bytes()), (A_FILE, &picture[..])];
    location(&send_parts(&app, &hers, &path, &parts).await);
    let artwork = app.get(&place).by(&ada).answer().await.expect(200)["artwork"]["id"].clone();
    let id = artwork.as_str().unwrap();
    app.sql(
        "INSERT INTO artworks (id, size, created_at) SELECT sha256(n::text::bytea), 2, now() FROM generate_series(1, 24) n; \
         INSERT INTO artwork_renditions (artwork, rendition, media_type, width, height, size) \
          SELECT sha256(n::text::bytea), r, 'image/png', 10, 10, 1 FROM generate_series(1, 24) n, unnest(ARRAY['full', 'small']) r; \
         INSERT INTO artwork_uploads (account_id, artwork, uploaded_at) \
          SELECT a.id, sha256(n::text::bytea), '2100-01-01' FROM accounts a, generate_series(1, 24) n WHERE a.name = 'ada'",
    )
    .await;
    // The form as a browser sends it, and the form without a choice.
    for choice in [Some(id), None] {
        let page = hers.page(&path).await;
        assert_eq!(chosen(&page), [id]);
        assert_eq!(
            page.all("input").filter(|field| field.get("name") == Some("artwork")).count(),
            26
        );
        let version = value(&page, "version").to_owned();
        let mut parts =
            vec![("name=\"version\"", version.as_bytes()), ("name=\"alt\"", &b"Still."[..])];
        parts.extend(choice.map(|id| ("name=\"artwork\"", id.as_bytes())));
        assert_eq!(location(&send_parts(&app, &hers, &path, &parts).await), page_of(&place));
        let now = app.get(&place).by(&ada).answer().await.expect(200);
        assert_eq!((&now["artwork"]["id"], &now["artwork"]["alt"]), (&artwork, &json!("Still.")));
    }
    let version = value(&hers.page(&path).await, "version").to_owned();
    let parts = [("name=\"version\"", version.as_bytes()), ("name=\"artwork\"", &b""[..])];
    location(&send_parts(&app, &hers, &path, &parts).await);
    assert!(app.get(&place).by(&ada).answer().await.expect(200)["artwork"].is_null());
}

/// A fault in a number of another rarity is marked at its field, and the table of these numbers is open.
#[tokio::test]
async fn faults_in_numbers_of_rarities_are_linked() {
    let app = start().await;
    app.player("ada").await;
    let hers = Browser::of(&app, "ada").await;
    let long = "x".repeat(501);
    let sent = [
        ("game", "ttcg"),
        ("kind", "unit"),
        ("printings.uncommon.attack", "25"),
        ("printings.rare.attack", &*long),
        ("step", "effects"),
        ("go", "save"),
    ];
    let page = shown(&hers.post("/designer", &sent).await, 422);
    let invalid = page.with("aria-invalid").filter_map(|(field, _)| field.get("id"));
    assert_eq!(invalid.collect::<Vec<_>>(), ["printings-rare-attack"]);
    assert!(page.all("a").any(|link| link.get("href") == Some("#printings-rare-attack")));
    assert!(page.only("details").get("open").is_some());
    let fine = [("game", "ttcg"), ("kind", "unit"), ("step", "card"), ("go", "card")];
    let fine = shown(&hers.post("/designer", &fine).await, 200);
    assert!(fine.only("details").get("open").is_none());
}

/// The number of rarities that can be chosen.
fn rarity_boxes(page: &Page) -> usize {
    page.all("input").filter(|field| field.get("name") == Some("printing")).count()
}

/// The rarities that are chosen, or that the form carries on.
fn chosen_rarities(page: &Page) -> Vec<&str> {
    let sent = fields(page, &[]).into_iter().filter(|(name, _)| *name == "printing");
    sent.map(|(_, rarity)| rarity).collect()
}

/// The form keeps the rarities of a design whose card does not exist in all, and offers to choose them.
#[tokio::test]
async fn rarities_are_kept_and_chosen() {
    let app = TestApp::start().await;
    let mut source = numbered_set("base", 1, false);
    let manifest = &mut source.manifest.text;
    *manifest = manifest.replace("every_rarity = true", "every_rarity = false");
    app.import(&source).await.unwrap();
    let ada = app.player("ada").await;
    let mut design = heron("Lantern Heron");
    design["printings"] = json!([{ "rarity": "rare" }]);
    let place = begun(&app, &ada, &design).await;
    let path = format!("{}/edit", page_of(&place));
    let hers = Browser::of(&app, "ada").await;
    let stored = async || {
        let design = app.get(&place).by(&ada).answer().await.expect(200);
        let printings = design["printings"].as_array().unwrap().iter();
        printings.map(|one| one["rarity"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };

    let card = hers.page(&path).await;
    assert_eq!((rarity_boxes(&card), chosen_rarities(&card)), (6, vec!["rare"]));
    let mut sent = fields(&card, &["step"]);
    sent.extend([("step", "card"), ("go", "story")]);
    let story = shown(&hers.post(&path, &sent).await, 200);
    let mut sent = fields(&story, &["step", "flavour"]);
    sent.extend([("step", "story"), ("flavour", "It waits."), ("go", "save")]);
    location(&hers.post(&path, &sent).await);
    assert_eq!(stored().await, ["rare"]);

    // A number of its own is a choice, too.
    let two = [("printing", "common"), ("printings.uncommon.attack", "210")];
    let none = [("printings.uncommon.attack", "")];
    for (choice, expected) in [(&two[..], vec!["common", "uncommon"]), (&none[..], vec![])] {
        let card = hers.page(&path).await;
        let mut sent = fields(&card, &["step", "printing", "printings.uncommon.attack"]);
        sent.extend([("step", "card"), ("go", "save")]);
        sent.extend(choice);
        location(&hers.post(&path, &sent).await);
        assert_eq!(stored().await, expected);
        assert_eq!(chosen_rarities(&hers.page(&path).await), expected);
    }
}

/// A rarity that the game does not have is kept until it is removed, also where a card exists in all rarities and none is chosen.
#[tokio::test]
async fn an_unknown_rarity_is_kept_until_it_is_removed() {
    let app = start().await;
    let ada = app.player("ada").await;
    let mut design = heron("Lantern Heron");
    let printings = json!([{ "rarity": "mythic", "attributes": { "attack": 210 } }]);
    design["printings"] = printings.clone();
    let place = begun(&app, &ada, &design).await;
    let path = format!("{}/edit", page_of(&place));
    let hers = Browser::of(&app, "ada").await;
    let stored = async || {
        let design = app.get(&place).by(&ada).answer().await.expect(200);
        (design["name"].clone(), design["printings"].clone())
    };

    let card = hers.page(&path).await;
    assert_eq!((rarity_boxes(&card), chosen_rarities(&card)), (1, vec!["mythic"]));
    let notes = card.all("div").find(|part| part.get("id") == Some("printing_notes")).unwrap();
    assert!(notes.text.contains("The game has no such rarity"), "{}", notes.text);
    let mut sent = fields(&card, &["step", "name"]);
    sent.extend([("step", "card"), ("name", "Old Heron"), ("go", "save")]);
    location(&hers.post(&path, &sent).await);
    assert_eq!(stored().await, (json!("Old Heron"), printings));

    // What cannot be the code of a rarity is a fault of the same field.
    let card = hers.page(&path).await;
    let mut sent = fields(&card, &["step", "printing"]);
    sent.extend([("step", "check"), ("printing", "two words"), ("go", "save")]);
    let refused = shown(&hers.post(&path, &sent).await, 422);
    assert!(refused.all("a").any(|link| link.get("href") == Some("#printing")));
    assert_eq!(chosen_rarities(&refused), ["two words"]);

    let mut sent = fields(&refused, &["step", "printing"]);
    sent.extend([("step", "card"), ("go", "save")]);
    location(&hers.post(&path, &sent).await);
    assert_eq!(stored().await, (json!("Old Heron"), json!([])));
    assert_eq!(rarity_boxes(&hers.page(&path).await), 0);
}

/// A form that is refused for its file keeps its version: its page does not show that the design was changed meanwhile.
#[tokio::test]
async fn artwork_of_a_refused_form_does_not_replace_a_newer_version() {
    let app = start().await;
    let ada = app.player("ada").await;
    let place = begun(&app, &ada, &heron("Lantern Heron")).await;
    let path = format!("{}/artwork", page_of(&place));
    let hers = Browser::of(&app, "ada").await;
    let form = hers.page(&path).await;
    let theirs = heron("Elsewhere");
    app.put(&place).by(&ada).header("if-match", "*").json(&theirs).answer().await.expect(200);
    let picture = crate::designs::pictures::file(
        &crate::designs::pictures::gradient(300, 200),
        image::ImageFormat::Png,
    );
    let send = async |page: &Page, file: &[u8]| {
        let version = value(page, "version").to_owned();
        let parts = [("name=\"version\"", version.as_bytes()), (A_FILE, file)];
        send_parts(&app, &hers, &path, &parts).await
    };
    let refused = shown(&send(&form, b"no picture").await, 422);
    let stale = shown(&send(&refused, &picture).await, 412);
    assert!(stale.only("main").text.contains("The design was changed"));
    // This page shows both versions.
    assert_eq!(location(&send(&stale, &picture).await), page_of(&place));
}

#[tokio::test]
async fn artwork_is_uploaded_and_shown() {
    let app = start().await;
    let ada = app.player("ada").await;
    let place = begun(&app, &ada, &heron("Lantern Heron")).await;
    let path = format!("{}/artwork", page_of(&place));
    let hers = Browser::of(&app, "ada").await;
    let version = value(&hers.page(&path).await, "version").to_owned();
    let picture = crate::designs::pictures::file(
        &crate::designs::pictures::gradient(300, 200),
        image::ImageFormat::Png,
    );
    let send = async |version: &str, file: &[u8], alt: &str| {
        let parts = [
            ("name=\"version\"", version.as_bytes()),
            (A_FILE, file),
            ("name=\"artwork\"", &b""[..]),
            ("name=\"alt\"", alt.as_bytes()),
        ];
        send_parts(&app, &hers, &path, &parts).await
    };
    let refused = shown(&send(&version, &b"no picture"[..], "A heron.").await, 422);
    let invalid = refused.with("aria-invalid").filter_map(|(field, _)| field.get("id"));
    assert_eq!(invalid.collect::<Vec<_>>(), ["file"]);
    assert!(!refused.fault_of("file").is_empty());
    assert_eq!(value(&refused, "alt"), "A heron.");
    // When a form is too large, the service keeps only the fields before the file. The page has its other fields before the file.
    let form = hers.page(&path).await;
    let names: Vec<&str> = form.with("name").map(|(_, name)| name).collect();
    let at = |name: &str| names.iter().position(|found| *found == name).unwrap();
    assert!(at("alt") < at("file") && at("artwork") < at("file"));
    let parts: [(&str, &[u8]); 4] = [
        ("name=\"version\"", version.as_bytes()),
        ("name=\"artwork\"", b""),
        ("name=\"alt\"", b"A large heron."),
        (A_FILE, &vec![0; 10 * 1024 * 1024 + 32 * 1024]),
    ];
    let large = shown(&send_parts(&app, &hers, &path, &parts).await, 413);
    let invalid = large.with("aria-invalid").filter_map(|(field, _)| field.get("id"));
    assert_eq!(invalid.collect::<Vec<_>>(), ["file"]);
    let message = &large.only("main").text;
    assert!(message.contains("The picture is larger than 10 MiB."));
    assert!(message.contains("The file was not kept: choose it again."));
    assert_eq!(value(&large, "alt"), "A large heron.");
    // The second one is a double click.
    for _ in 0..2 {
        assert_eq!(location(&send(&version, &picture, "A <b>heron</b>.").await), page_of(&place));
    }
    let design = app.get(&place).by(&ada).answer().await.expect(200);
    assert_eq!(design["artwork"]["alt"], "A <b>heron</b>.");
    assert_eq!(design["effects"].as_array().unwrap().len(), 2);
    let page = hers.page(&path).await;
    let small = page.all("img").find_map(|image| image.get("src")).unwrap().to_owned();
    let file = hers.get(&small).await;
    assert_eq!((file.status, file.header("cache-control").as_str()), (200, "private, no-store"));
    app.player("ben").await;
    assert_eq!(Browser::of(&app, "ben").await.get(&small).await.status, 404);
    // A form with the previous version gets a page with the stored and the typed values. The form of this page may overwrite the stored values.
    let none: [(&str, &[u8]); 3] = [
        ("name=\"version\"", version.as_bytes()),
        ("name=\"artwork\"", b""),
        ("name=\"alt\"", b"Nothing yet."),
    ];
    let stale = shown(&send_parts(&app, &hers, &path, &none).await, 412);
    let main = &stale.only("main").text;
    assert!(main.contains("The design was changed") && main.contains("A <b>heron</b>."), "{main}");
    assert_eq!(value(&stale, "alt"), "Nothing yet.");
    let stored = stale.all("img").filter(|image| image.get("alt") == Some("A <b>heron</b>."));
    let stored: Vec<_> = stored.filter_map(|image| image.get("src")).collect();
    assert_eq!(stored, [&*small]);
    let version = value(&stale, "version").to_owned();
    // Nothing would keep a new description without a picture.
    let described: [(&str, &[u8]); 3] =
        [("name=\"version\"", version.as_bytes()), none[1], none[2]];
    let refused = shown(&send_parts(&app, &hers, &path, &described).await, 422);
    assert!(refused.fault_of("file").starts_with("Choose a picture, too"));
    assert_eq!(value(&refused, "alt"), "Nothing yet.");
    // The stored description may stay in the field: it goes with its picture.
    let stored = ("name=\"alt\"", &b"A <b>heron</b>."[..]);
    let again: [(&str, &[u8]); 3] = [("name=\"version\"", version.as_bytes()), none[1], stored];
    // The second one is a double click.
    for _ in 0..2 {
        assert_eq!(location(&send_parts(&app, &hers, &path, &again).await), page_of(&place));
    }
    let other = [again[0], none[1], none[2]];
    let stale = shown(&send_parts(&app, &hers, &path, &other).await, 412);
    assert_eq!(value(&stale, "alt"), "Nothing yet.", "another description is not lost");
    assert!(app.get(&place).by(&ada).answer().await.expect(200)["artwork"].is_null());
}
