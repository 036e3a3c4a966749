//! Cards are found and changed, unlocked, moved and merged; rulings are written.

use serde_json::{Value, json};

use super::{Browser, Page, leads_to, location, sent, start, text, value};
use crate::catalogue::catalogue_imports::PEBBLES;
use crate::support::{PASSWORD, RequestExt as _, TestApp};

const HOSTILE: &str = "<script>alert(1)</script> & </main>";

async fn card(app: &TestApp, place: &str) -> (Value, String) {
    let admin = app.log_in("the admin", PASSWORD).await;
    let (set, number) = place.split_once(' ').unwrap();
    let path = format!("/v1/games/ttcg/sets/{set}/cards/{number}");
    let card = app.get(&path).by(&admin).answer().await.expect(200);
    let path = format!("/admin/cards/{}", card["id"].as_str().unwrap());
    (card, path)
}

/// The text of the `<textarea>` with that id.
fn written<'a>(page: &'a Page, id: &str) -> &'a str {
    let area = page.all("textarea").find(|area| area.get("id") == Some(id));
    &area.unwrap_or_else(|| panic!("no {id}")).text
}

#[tokio::test]
async fn hidden_cards_are_found_by_admins_alone() {
    let app = start().await;
    let browser = Browser::of(&app, "the admin").await;
    let (hidden, path) = card(&app, "veil 001").await;
    let name = hidden["name"].as_str().unwrap();
    let query: String = form_urlencoded::byte_serialize(format!("\"{name}\"").as_bytes()).collect();
    let page = browser.page(&format!("/admin/cards?q={query}&game=ttcg")).await;
    // The search form has the name in quotation marks.
    let shows_name = |page: &Page| page.elements.iter().any(|element| element.text == name);
    assert!(leads_to(&page, &path) && shows_name(&page), "{}", text(&page));
    for public in [format!("/search?q={query}"), "/sets/ttcg/veil".to_owned()] {
        let page = Page::read(&app.get(&public).answer().await.text());
        assert!(!shows_name(&page), "{public}");
    }
    let refused = browser.get("/admin/cards?q=(((").await;
    assert_eq!(refused.status, 400);
    let refused = text(&super::check("refused", &refused)).to_owned();
    assert!(refused.contains("(: This parenthesis is never closed."), "{refused}");
    let warned = browser.page("/admin/cards?q=atack%3E3+t:fire").await;
    assert!(text(&warned).contains("Perhaps you mean attack?"), "{}", text(&warned));
    assert!(text(&browser.page("/admin/cards?q=nothing-has-this").await).contains("No card fits."));
}

#[tokio::test]
async fn texts_are_changed_and_a_conflict_shows_both_versions() {
    let app = start().await;
    let browser = Browser::of(&app, "the admin").await;
    let (before, path) = card(&app, "hearth 001").await;
    let page = browser.page(&path).await;
    let version = value(&page, "version").to_owned();
    let effects = before["effects"].as_array().unwrap();
    let texts: Vec<String> =
        (1..=effects.len()).map(|at| written(&page, &format!("effect-{at}")).to_owned()).collect();
    let lore = written(&page, "lore").to_owned();
    let fields = |name: &'static str, lore: &'static str, version: &str| {
        let mut fields = vec![("name", name.to_owned()), ("lore", lore.to_owned())];
        fields.extend(texts.iter().map(|text| ("effect", text.clone())));
        fields.push(("version", version.to_owned()));
        fields
    };
    let send = async |fields: Vec<(&'static str, String)>| {
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(name, text)| (*name, &**text)).collect();
        browser.post(&path, &fields).await
    };
    let name: &'static str = before["name"].as_str().unwrap().to_owned().leak();
    let same: &'static str = lore.leak();
    assert_eq!(
        location(&send(fields(name, same, &version)).await),
        (303, format!("{path}?done=unchanged"))
    );
    // A double click, or a form that is sent again because its answer was lost, is no conflict.
    for _ in 0..2 {
        let changed = send(fields(name, HOSTILE, &version)).await;
        assert_eq!(location(&changed), (303, format!("{path}?done=changed")));
    }
    let (after, _) = card(&app, "hearth 001").await;
    assert_eq!((&after["lore"], &after["effects"]), (&json!(HOSTILE), &before["effects"]));
    assert_eq!((&after["name"], &after["attributes"]), (&before["name"], &before["attributes"]));
    // A form with an old version gets a page with both versions. The form of this page may overwrite the stored version.
    let stale = send(fields(name, "Mine.", &version)).await;
    assert_eq!(stale.status, 412);
    let page = super::check(&path, &stale);
    assert_eq!(written(&page, "lore"), "Mine.");
    assert!(text(&page).contains(HOSTILE) && page.scripts().is_empty());
    let again = send(fields(name, "Mine.", value(&page, "version"))).await;
    assert_eq!(again.status, 303);
    assert_eq!(card(&app, "hearth 001").await.0["lore"], "Mine.");
    // A changed card must still be valid.
    let page = browser.page(&path).await;
    let refused = send(fields("", "Mine.", value(&page, "version"))).await;
    assert_eq!(refused.status, 422);
    assert!(
        super::check(&path, &refused).all("p").any(|text| text.get("id") == Some("name_fault"))
    );
}

#[tokio::test]
async fn all_of_a_card_is_changed_as_json() {
    let app = start().await;
    let browser = Browser::of(&app, "the admin").await;
    let (before, path) = card(&app, "hearth 001").await;
    let form = format!("{path}/document");
    let page = browser.page(&form).await;
    let document: Value = serde_json::from_str(written(&page, "document")).unwrap();
    assert_eq!((&document["name"], &document["kind"]), (&before["name"], &before["kind"]));
    let version = value(&page, "version").to_owned();
    let unchanged = [("document", document.to_string()), ("version", version.clone())];
    let send = async |fields: &[(&str, String)], status: u16| {
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(name, text)| (*name, &**text)).collect();
        let answer = browser.post(&form, &fields).await;
        assert_eq!(answer.status, status, "{}", answer.text());
        answer
    };
    let nothing = send(&unchanged, 303).await;
    assert_eq!(location(&nothing), (303, format!("{path}?done=unchanged")));
    assert!(
        text(&browser.page(&format!("{path}?done=unchanged")).await)
            .contains("Nothing was changed")
    );
    let mut changed = document.clone();
    changed.as_object_mut().unwrap().remove("lore");
    let fields = [("document", changed.to_string()), ("version", version.clone())];
    for _ in 0..2 {
        let done = send(&fields, 303).await;
        assert_eq!(location(&done), (303, format!("{path}?done=changed")));
    }
    assert_eq!(card(&app, "hearth 001").await.0.get("lore"), None);
    let stale = send(&unchanged, 412).await;
    let page = super::check(&form, &stale);
    assert!(text(&page).contains("What is stored"));
    let version = value(&page, "version").to_owned();
    let mut wrong = document;
    wrong["kind"] = "nothing".into();
    let pretty = serde_json::to_string_pretty(&wrong).unwrap();
    let line = pretty.lines().position(|line| line.contains("\"kind\"")).unwrap() + 1;
    let page = send(&[("document", pretty), ("version", version.clone())], 422).await;
    let page = super::check(&form, &page);
    assert!(text(&page).contains(&format!("Line {line}, column ")), "{}", text(&page));
    let fields: Vec<&str> = page.with("data-text").map(|(_, field)| field).collect();
    assert_eq!(fields, ["document"]);
    assert_eq!(page.only("textarea").get("aria-describedby"), Some("faults-in-file"));
    assert!(page.with("data-line").any(|(_, place)| place == line.to_string()));
    let page = send(&[("document", "{\n\"name\": }".to_owned()), ("version", version)], 422).await;
    assert!(text(&super::check(&form, &page)).contains("Line 2, column "));
}

/// The forms show nothing that a submission changes.
#[tokio::test]
async fn a_submission_does_not_outdate_the_forms_of_a_hidden_card() {
    let app = TestApp::start().await;
    app.import_set("dusk", 1, true).await;
    app.admin().await;
    let codes = app.print("dusk", 2).await;
    let browser = Browser::of(&app, "the admin").await;
    let (_, path) = card(&app, "dusk 001").await;
    let document = format!("{path}/document");
    let (texts, whole) = (browser.page(&path).await, browser.page(&document).await);
    let ada = app.player("ada").await;
    app.register(&ada, &codes[0]).await;
    let fields = [("document", written(&whole, "document")), ("version", value(&whole, "version"))];
    let unchanged = browser.post(&document, &fields).await;
    assert_eq!(location(&unchanged), (303, format!("{path}?done=unchanged")));
    let fields = [
        ("name", value(&texts, "name")),
        ("effect", written(&texts, "effect-1")),
        ("effect", written(&texts, "effect-2")),
        ("lore", "It waits."),
        ("version", value(&texts, "version")),
    ];
    let changed = browser.post(&path, &fields).await;
    assert_eq!(location(&changed), (303, format!("{path}?done=changed")));

    let whole = browser.page(&document).await;
    let ben = app.player("ben").await;
    app.register(&ben, &codes[1]).await;
    let longer = written(&whole, "document").replace("It waits.", "It still waits.");
    let fields = [("document", &*longer), ("version", value(&whole, "version"))];
    let changed = browser.post(&document, &fields).await;
    assert_eq!(location(&changed), (303, format!("{path}?done=changed")));
    let (after, _) = card(&app, "dusk 001").await;
    assert_eq!(
        (&after["lore"], &after["unlock"]["submissions"]),
        (&json!("It still waits."), &json!(2))
    );
}

#[tokio::test]
async fn a_card_is_unlocked_by_hand() {
    let app = start().await;
    let browser = Browser::of(&app, "the admin").await;
    let (_, path) = card(&app, "veil 001").await;
    let way = format!("{path}/unlock");
    assert!(leads_to(&browser.page(&path).await, &way));
    browser.page(&way).await;
    let page = sent(&browser, &way, &[("reason", " ")], 422).await;
    assert!(text(&page).contains("This did not work"));
    let place = "/v1/games/ttcg/sets/veil/cards/001";
    assert_eq!(app.get(place).answer().await.expect(200)["hidden"], true);
    let done = browser.post(&way, &[("reason", "Shown on stage.")]).await;
    assert_eq!(location(&done), (303, format!("{path}?done=unlocked")));
    assert_eq!(app.get(place).answer().await.expect(200)["hidden"], false);
    assert!(!leads_to(&browser.page(&path).await, &way));
}

#[tokio::test]
async fn a_card_is_moved_once_when_the_form_is_sent_twice() {
    let app = start().await;
    let browser = Browser::of(&app, "the admin").await;
    let (before, path) = card(&app, "hearth 158").await;
    let way = format!("{path}/move");
    let page = browser.page(&way).await;
    let key = value(&page, "key").to_owned();
    for (number, status, message) in
        [("001", 409, "A card has this number"), ("a b", 422, "This did not work")]
    {
        let page = sent(&browser, &way, &[("set", "hearth"), ("number", number)], status).await;
        assert!(text(&page).contains(message), "{}", text(&page));
    }
    let fields = [("set", "hearth"), ("number", "900"), ("note", "Twice."), ("key", &*key)];
    for _ in 0..2 {
        let moved = browser.post(&way, &fields).await;
        assert_eq!(location(&moved), (303, format!("{path}?done=moved")));
    }
    let (after, _) = card(&app, "hearth 900").await;
    assert_eq!(after["id"], before["id"]);
    let moves = app.get("/v1/card-migrations").answer().await.expect(200);
    assert_eq!(moves["data"].as_array().unwrap().len(), 1);
    assert_eq!(moves["data"][0]["note"], "Twice.");
}

#[tokio::test]
async fn a_merge_needs_a_confirmation() {
    let app = start().await;
    let browser = Browser::of(&app, "the admin").await;
    let ((goes, path), (stays, other)) =
        (card(&app, "hearth 002").await, card(&app, "hearth 003").await);
    let way = format!("{path}/merge");
    browser.page(&way).await;
    for (number, message) in [("002", "This is the same card."), ("999", "There is no card")] {
        let page = sent(&browser, &way, &[("set", "hearth"), ("number", number)], 422).await;
        assert!(text(&page).contains(message), "{}", text(&page));
    }
    let page = sent(&browser, &way, &[("set", "hearth"), ("number", "003")], 200).await;
    for card in [&goes, &stays] {
        assert!(text(&page).contains(card["name"].as_str().unwrap()));
    }
    assert!(text(&page).contains("This cannot be undone."));
    assert_eq!(value(&page, "into"), stays["id"]);
    let id = goes["id"].as_str().unwrap();
    assert_eq!(
        app.get(&format!("/v1/cards/{id}")).answer().await.status,
        200,
        "the card is not merged yet"
    );
    let fields = [("into", value(&page, "into")), ("key", value(&page, "key")), ("note", "Twice.")];
    let merged = browser.post(&way, &fields).await;
    assert_eq!(location(&merged), (303, format!("{other}?done=merged")));
    assert_eq!(app.get(&format!("/v1/cards/{id}")).answer().await.status, 308);
    // The address of the merged card redirects to the card that remains.
    assert_eq!(location(&browser.get(&path).await), (303, other));
}

/// The path of a form, its fields, and the typed texts that the page about its failure shows.
type SentForm<'a> = (String, &'a [(&'a str, &'a str)], &'a [&'a str]);

#[tokio::test]
async fn forms_of_a_card_that_was_merged_lead_to_the_card_that_remains() {
    let app = start().await;
    let browser = Browser::of(&app, "the admin").await;
    let ((goes, path), (stays, other)) =
        (card(&app, "hearth 002").await, card(&app, "hearth 003").await);
    let (_, third) = card(&app, "hearth 004").await;
    let ways = [&path, &third].map(|path| format!("{path}/merge"));
    // Two merges wait for their confirmation; the first takes away the card that the second one is about.
    let page = sent(&browser, &ways[0], &[("set", "hearth"), ("number", "003")], 200).await;
    let first = [("into", value(&page, "into")), ("key", value(&page, "key"))];
    let page = sent(&browser, &ways[1], &[("set", "hearth"), ("number", "002")], 200).await;
    let second = [
        ("into", goes["id"].as_str().unwrap()),
        ("key", value(&page, "key")),
        ("note", "The same card."),
    ];
    assert_eq!(browser.post(&ways[0], &first).await.status, 303);

    let forms: [SentForm; 7] = [
        (
            path.clone(),
            &[("name", "New"), ("lore", "Long lore."), ("effect", "One."), ("version", "x")],
            &["New", "Long lore.", "One."],
        ),
        (
            format!("{path}/document"),
            &[("document", "{ \"lore\": \"New.\" }"), ("version", "x")],
            &["{ \"lore\": \"New.\" }"],
        ),
        (
            format!("{path}/rulings"),
            &[("kind", "ruling"), ("text", HOSTILE), ("published_on", "2026-11-01")],
            &[HOSTILE],
        ),
        (
            format!("{path}/move"),
            &[("set", "hearth"), ("number", "900"), ("note", "A note.")],
            &["A note."],
        ),
        (format!("{path}/unlock"), &[("reason", "A reason.")], &["A reason."]),
        (
            ways[0].clone(),
            &[("set", "hearth"), ("number", "004"), ("note", "A note.")],
            &["A note."],
        ),
        (ways[1].clone(), &second, &["The same card."]),
    ];
    for (way, fields, texts) in forms {
        let refused = sent(&browser, &way, fields, 409).await;
        assert!(text(&refused).contains("The card was merged into another one"), "{way}");
        assert!(text(&refused).contains(stays["name"].as_str().unwrap()), "{way}");
        assert!(leads_to(&refused, &other), "{way}");
        let shown: Vec<&str> = refused.all("textarea").map(|area| &*area.text).collect();
        assert_eq!(shown, texts, "{way}");
        if way.starts_with(&path) {
            assert_eq!(location(&browser.get(&way).await), (303, other.clone()), "{way}");
        }
    }
    assert_eq!(card(&app, "hearth 003").await.0["lore"], stays["lore"], "nothing was changed");
}

#[tokio::test]
async fn rulings_are_created_changed_and_deleted() {
    let app = start().await;
    let browser = Browser::of(&app, "the admin").await;
    let (stored, path) = card(&app, "hearth 001").await;
    let rulings = format!("/v1/cards/{}/rulings", stored["id"].as_str().unwrap());
    let list = async || app.get(&rulings).answer().await.expect(200)["data"].clone();
    let way = format!("{path}/rulings");
    let page = browser.page(&way).await;
    let key = value(&page, "key").to_owned();
    let page =
        sent(&browser, &way, &[("kind", "x"), ("text", ""), ("published_on", "soon")], 422).await;
    assert!(text(&page).contains("Must be a ruling or an erratum."), "{}", text(&page));
    let fields = [
        ("kind", "erratum"),
        ("text", HOSTILE),
        ("published_on", "2026-11-01"),
        ("source", "Rules team"),
        ("key", &*key),
    ];
    for _ in 0..2 {
        let created = browser.post(&way, &fields).await;
        assert_eq!(location(&created), (303, format!("{path}?done=ruling")));
    }
    let stored = list().await;
    assert_eq!(stored.as_array().unwrap().len(), 1);
    assert_eq!((&stored[0]["kind"], &stored[0]["text"]), (&json!("erratum"), &json!(HOSTILE)));
    let ruling = format!("/admin/rulings/{}", stored[0]["id"].as_str().unwrap());
    let page = browser.page(&path).await;
    assert!(text(&page).contains(HOSTILE) && leads_to(&page, &ruling));
    assert!(page.scripts().is_empty());

    let page = browser.page(&ruling).await;
    let version = value(&page, "version").to_owned();
    let change = |new_text: &'static str, version: &str| {
        vec![
            ("kind", "ruling".to_owned()),
            ("text", new_text.to_owned()),
            ("published_on", "2026-11-02".to_owned()),
            ("version", version.to_owned()),
        ]
    };
    let send = async |path: &str, fields: Vec<(&str, String)>| {
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(name, text)| (*name, &**text)).collect();
        browser.post(path, &fields).await
    };
    for text in ["First.", " First.\r\n"] {
        assert_eq!(send(&ruling, change(text, &version)).await.status, 303);
    }
    let stale = send(&ruling, change("Second.", &version)).await;
    assert_eq!(stale.status, 412);
    let page = super::check(&ruling, &stale);
    assert!(text(&page).contains("First.") && written(&page, "text") == "Second.");
    assert_eq!(send(&ruling, change("Second.", value(&page, "version"))).await.status, 303);
    assert_eq!(list().await[0]["text"], "Second.");

    let delete = format!("{ruling}/delete");
    let page = browser.page(&delete).await;
    let stale = browser.post(&delete, &[("version", &*version)]).await;
    assert_eq!(stale.status, 412);
    assert_eq!(list().await.as_array().unwrap().len(), 1);
    // A double click gets the same answer as a single click.
    let fields = [("version", value(&page, "version")), ("card", value(&page, "card"))];
    for _ in 0..2 {
        let gone = browser.post(&delete, &fields).await;
        assert_eq!(location(&gone), (303, format!("{path}?done=ruling_deleted")));
        assert_eq!(list().await, json!([]));
    }
}

/// The value of the only selected option of the page. Panics if the page has no `<select>` with that id.
fn chosen<'a>(page: &'a Page, field: &str) -> &'a str {
    assert!(page.all("select").any(|select| select.get("id") == Some(field)), "no {field}");
    let mut chosen = page.all("option").filter(|option| option.get("selected").is_some());
    let first = chosen.next().and_then(|option| option.get("value"));
    assert!(chosen.next().is_none(), "only one option is selected");
    first.unwrap_or_else(|| panic!("nothing is chosen in {field}"))
}

#[tokio::test]
async fn a_set_can_be_chosen_among_more_sets_than_a_list_page_holds() {
    let app = start().await;
    let browser = Browser::of(&app, "the admin").await;
    let (before, path) = card(&app, "hearth 158").await;
    let ways = ["move", "merge"].map(|way| format!("{path}/{way}"));
    for way in &ways {
        assert_eq!(chosen(&browser.page(way).await, "set"), "hearth", "{way}");
        // The page reports an invalid set code, and selects the set of the card again.
        let page = sent(&browser, way, &[("set", "a b"), ("number", "900")], 422).await;
        assert!(text(&page).contains("Must be the code of a set of this game."), "{}", text(&page));
        assert_eq!(chosen(&page, "set"), "hearth", "{way}");
    }
    let page = sent(&browser, &ways[0], &[("set", "a b"), ("number", "a b")], 422).await;
    for field in ["set_fault", "number_fault"] {
        assert!(page.all("p").any(|text| text.get("id") == Some(field)), "{field}");
    }
    let lists = ["/admin/print-plans", "/admin/announcements"];
    for list in lists {
        let page = browser.page(&format!("{list}?set=ttcg/hearth")).await;
        assert_eq!(chosen(&page, "set"), "ttcg/hearth", "{list}");
    }
    // 200 sets, as many as a page of the list holds, come before the set of the card.
    let many = "INSERT INTO sets (id, game_code, code, name, hidden, unlock_threshold, created_at, updated_at) \
        SELECT gen_random_uuid(), 'ttcg', 'a' || n, 'Set ' || n, false, 5, now(), now() \
        FROM generate_series(1, 200) AS n";
    app.sql(many).await;
    for way in &ways {
        let page = browser.page(way).await;
        assert_eq!(value(&page, "set"), "hearth", "{way}");
        let listed = page.all("input").find(|field| field.get("id") == Some("set")).unwrap();
        let list = page.only("datalist");
        assert_eq!(listed.get("list"), list.get("id"));
        assert_eq!(page.all("option").count(), 201, "the first page, and the set of the card");
    }
    // The pages for sets of all games now have a text field as well. It accepts a set that is not suggested. It refuses a set that does not exist (below).
    for list in lists {
        for set in ["ttcg/hearth", "ttcg/veil"] {
            let page = browser.page(&format!("{list}?set={set}")).await;
            assert_eq!(value(&page, "set"), set, "{list}");
            assert_eq!(page.all("option").count(), 201, "the first page, and the chosen set");
            assert_eq!(page.all("select").count(), 0, "{list}");
        }
    }
    let refused = [
        browser.get("/admin/announcements?set=ttcg/nothing").await,
        browser.get("/admin/announcements?set=nothing").await,
        browser.post(lists[0], &[("set", "ttcg/nothing"), ("copies_per_card", "1")]).await,
        browser.post(lists[0], &[("set", "nothing"), ("copies_per_card", "1")]).await,
    ];
    for answer in refused {
        assert_eq!(answer.status, 404, "{}", answer.text());
        let page = super::check("no such set", &answer);
        assert!(page.all("p").any(|text| text.get("id") == Some("set_fault")), "{}", text(&page));
        assert!(value(&page, "set").ends_with("nothing"), "the field keeps its value");
    }
    let page = browser.page(&ways[0]).await;
    let fields = [("set", value(&page, "set")), ("number", "900"), ("key", value(&page, "key"))];
    let moved = browser.post(&ways[0], &fields).await;
    assert_eq!(location(&moved), (303, format!("{path}?done=moved")));
    assert_eq!(card(&app, "hearth 900").await.0["id"], before["id"]);
}

/// After the form was loaded, another client changes the number of effects of the stored card.
#[tokio::test]
async fn effects_that_no_longer_match_the_card_are_shown_and_not_stored() {
    let app = start().await;
    let browser = Browser::of(&app, "the admin").await;
    let admin = app.log_in("the admin", PASSWORD).await;
    let effects =
        "[[kinds.effects]]\nmin = 0\nmax = 3\ntext = \"Pebbles say little.\"\n\n[[formats]]";
    let manifest = PEBBLES.replacen("[[formats]]", effects, 1);
    let put = app.put("/v1/games/pebbles/manifest").by(&admin);
    put.header("content-type", "application/toml").body(manifest).answer().await.expect(201);
    let set = json!({
        "code": "shore", "name": "Shore",
        "cards": [{
            "number": "001", "name": "Flat One", "kind": "pebble", "attributes": { "weight": 2 },
            "effects": [{ "text": "It rolls." }, { "text": "It rests." }],
        }],
    });
    let of_set = "/v1/games/pebbles/sets/shore";
    app.put(of_set).by(&admin).json(&set).answer().await.expect(201);
    let read = async || app.get(&format!("{of_set}/cards/001")).answer().await.expect(200);
    let stored = read().await;
    let id = stored["id"].as_str().unwrap();
    let path = format!("/admin/cards/{id}");
    let version = value(&browser.page(&path).await, "version").to_owned();
    let fewer = json!({ "effects": [{ "text": "It sleeps." }] });
    let edit = app.patch(&format!("/v1/cards/{id}")).by(&admin).header("if-match", "*");
    edit.json(&fewer).answer().await.expect(200);

    let typed = [
        ("name", "Flat One"),
        ("effect", "It rolls twice."),
        ("effect", HOSTILE),
        ("lore", "Mine."),
        ("version", &*version),
    ];
    let page = sent(&browser, &path, &typed, 412).await;
    let kept = |page: &Page| -> Vec<String> {
        let areas = page.all("textarea").filter(|area| area.get("name") == Some("kept_effect"));
        areas
            .inspect(|area| assert!(area.get("readonly").is_some()))
            .map(|area| area.text.clone())
            .collect()
    };
    assert_eq!(kept(&page), ["It rolls twice.", HOSTILE]);
    assert!(page.all("textarea").all(|area| area.get("name") != Some("effect")));
    assert!(leads_to(&page, &format!("{path}/document")));
    assert!(text(&page).contains("It sleeps."), "the page shows the stored effect");
    // The form now stores the other texts, and does not change the effects. The page keeps the typed effects until the form is valid.
    let send = |name: &'static str| {
        [
            ("name", name),
            ("kept_effect", "It rolls twice."),
            ("kept_effect", HOSTILE),
            ("lore", "Mine."),
            ("version", value(&page, "version")),
        ]
    };
    let wrong = sent(&browser, &path, &send(""), 422).await;
    assert_eq!(kept(&wrong), ["It rolls twice.", HOSTILE]);
    let done = browser.post(&path, &send("Flat One")).await;
    assert_eq!(location(&done), (303, format!("{path}?done=changed")));
    let after = read().await;
    assert_eq!((&after["lore"], &after["effects"]), (&json!("Mine."), &fewer["effects"]));
}
