//! The pages of own decks: created from lists, changed, deleted and restored.

use serde_json::json;

use super::{Browser, start, store};
use crate::pages::frame::check;
use crate::pages::html::Page;
use crate::support::{RequestExt as _, TestApp, edit_set, seed_data};

const LIST: &str = "2 Kettle Imp\n1 Bellows Smith {rare}\n";

fn value<'a>(page: &'a Page, name: &str) -> &'a str {
    let named = |field: &&crate::pages::html::Element| field.get("name") == Some(name);
    page.all("input").find(named).and_then(|field| field.get("value")).unwrap()
}

#[tokio::test]
async fn pages_of_owners_redirect_strangers_to_the_log_in() {
    let app = start().await;
    let ada = app.player("ada").await;
    let deck = store(&app, &ada, "Mine", "public", LIST).await;
    for path in ["/my/decks", "/my/decks/new", &format!("{deck}/edit")] {
        let turned = app.get(path).answer().await;
        assert_eq!(turned.status, 303, "{path}");
        assert!(turned.header("location").starts_with("/login?to="), "{path}");
    }
    app.player("bob").await;
    let his = Browser::of(&app, "bob").await;
    assert_eq!(his.get(&format!("{deck}/edit")).await.status, 404);
    for (way, fields) in [
        (
            "edit",
            &[("name", "His"), ("format", "ttcg/standard"), ("list", LIST), ("revision", "1")][..],
        ),
        ("delete", &[("revision", "1")]),
        ("undelete", &[]),
    ] {
        let path = format!("{deck}/{way}");
        // A deletion has the same answer as that of a deck that was deleted before.
        let expected = if way == "delete" { 303 } else { 404 };
        assert_eq!(his.post(&path, fields).await.status, expected, "{path}");
        let form = app.post(&path).header("sec-fetch-site", "cross-site").form(fields);
        assert_eq!(form.answer().await.status, 403, "{path}");
    }
    assert!(app.get(&deck).answer().await.text().contains("Mine"));
}

/// The page shows the unread lines of a deck only to its owner, with messages of its own.
#[tokio::test]
async fn unread_lines_are_shown_only_to_the_owner() {
    let app = start().await;
    let ada = app.player("ada").await;
    let list = "2 Kettle Imp\n99999 Bellows Smith\n-1 Pocket Bat";
    let deck = store(&app, &ada, "Draft", "public", list).await;
    let hers = Browser::of(&app, "ada").await.page(&deck).await;
    let rows: Vec<&str> = hers.all("tr").map(|row| row.text.as_str()).collect();
    for row in [
        "2 99999 Bellows Smith There must be 1 to 10,000 copies.",
        "3 -1 Pocket Bat Its number must have no sign, as in “2 Kettle Imp”.",
    ] {
        assert!(rows.contains(&row), "{row}: {rows:?}");
    }
    let strange = check(&deck, &Browser::new(&app).get(&deck).await);
    assert!(!strange.only("main").text.contains("could not be read"));
}

#[tokio::test]
async fn a_deck_is_created_once_when_the_form_is_sent_twice() {
    let app = start().await;
    app.player("ada").await;
    let hers = Browser::of(&app, "ada").await;
    let form = check("/my/decks/new", &hers.get("/my/decks/new").await);
    let key = value(&form, "key").to_owned();
    let fields = |name: &'static str| {
        [
            ("name", name),
            ("format", "ttcg/standard"),
            ("visibility", "public"),
            ("folder", "Friday"),
            ("tags", "Aggro\r\nfire, hot"),
            ("description", "Fast."),
            ("list", LIST),
        ]
    };
    let sent = [&fields("Embers")[..], &[("key", key.as_str())]].concat();
    let first = hers.post("/my/decks/new", &sent).await;
    assert_eq!(first.status, 303, "{}", first.text());
    let again = hers.post("/my/decks/new", &sent).await;
    assert_eq!((again.status, again.header("location")), (303, first.header("location")));
    // The same key with other contents is refused. The answer has a new key, so that the form can be sent again.
    let other = [&fields("Bones")[..], &[("key", key.as_str())]].concat();
    let refused = hers.post("/my/decks/new", &other).await;
    assert_eq!(refused.status, 422);
    let form = check("/my/decks/new", &refused);
    assert!(form.only("main").text.contains("was sent before"));
    let fresh = value(&form, "key").to_owned();
    assert_ne!(fresh, key);
    assert_eq!(value(&form, "name"), "Bones");
    let sent = [&fields("Bones")[..], &[("key", fresh.as_str())]].concat();
    assert_eq!(hers.post("/my/decks/new", &sent).await.status, 303);

    let listed = check("/my/decks", &hers.get("/my/decks").await);
    let titles: Vec<&str> = listed
        .all("a")
        .filter(|link| link.has_class("title"))
        .map(|link| link.text.as_str())
        .collect();
    assert_eq!(titles, ["Bones", "Embers"]);
    assert!(listed.all("h2").any(|heading| heading.text == "Friday"));
    let sorted = check("sorted", &hers.get("/my/decks?sort=name").await);
    let is_chosen = sorted
        .all("a")
        .filter(|link| link.get("href") == Some("/my/decks?sort=name"))
        .any(|link| link.get("aria-current").is_some());
    assert!(is_chosen);
    let other = hers.get("/my/decks?folder=Monday").await;
    assert!(check("folder", &other).only("main").text.contains("You have no deck here yet."));
    let deck = check("deck", &hers.get(&first.header("location")).await);
    assert!(deck.only("main").text.contains("Bellows Smith"));
    assert_eq!(
        deck.all("li").filter(|tag| tag.text == "aggro" || tag.text == "fire, hot").count(),
        2
    );
}

#[tokio::test]
async fn faults_of_a_new_deck_are_shown_at_their_fields() {
    let app = start().await;
    app.player("ada").await;
    let hers = Browser::of(&app, "ada").await;
    let tag = "x".repeat(31);
    let fields = [
        ("name", " "),
        ("format", "ttcg/nothing"),
        ("tags", &*tag),
        ("folder", "a\tb"),
        ("list", LIST),
        ("key", "k"),
    ];
    let answer = hers.post("/my/decks/new", &fields).await;
    assert_eq!(answer.status, 422);
    let page = check("/my/decks/new", &answer);
    let mut marked: Vec<&str> =
        page.with("aria-invalid").map(|(element, _)| element.get("id").unwrap()).collect();
    marked.sort_unstable();
    assert_eq!(marked, ["folder", "format", "name", "tags"]);
    assert!(page.all("textarea").any(|field| field.text.contains("Bellows Smith {rare}")));
}

#[tokio::test]
async fn a_deck_is_changed_as_a_list_and_both_versions_are_shown_in_a_conflict() {
    let app = start().await;
    let ada = app.player("ada").await;
    let path = store(&app, &ada, "Draft", "public", LIST).await;
    let edit = format!("{path}/edit");
    let hers = Browser::of(&app, "ada").await;
    let form = check(&edit, &hers.get(&edit).await);
    assert_eq!((value(&form, "name"), value(&form, "folder")), ("Draft", "Friday"));
    // The digest of the folder, whose changes have no revision, is a field of its own: an older program knows only revisions.
    assert_eq!(value(&form, "revision"), "1");
    let folder_version = value(&form, "folder_version").to_owned();
    assert!(folder_version.len() > 1, "{folder_version}");
    let list = form.all("textarea").find(|field| field.get("id") == Some("list")).unwrap();
    assert!(
        list.text.contains("2 Kettle Imp") && list.text.contains("1 Bellows Smith {rare}"),
        "{}",
        list.text
    );
    let send = async |name: &str, revision: &str, list: &str| {
        let fields = [
            ("name", name),
            ("format", "ttcg/standard"),
            ("visibility", "private"),
            ("tags", "x"),
            ("description", ""),
            ("folder", ""),
            ("list", list),
            ("revision", revision),
        ];
        hers.post(&edit, &fields).await
    };
    let saved = send("Second", "1", "1 Kettle Imp").await;
    assert_eq!((saved.status, saved.header("location")), (303, path.clone()));
    // A double click, or a form that is sent again because its answer was lost, is no conflict.
    let again = send(" Second ", "1", "1 Kettle Imp\r\n").await;
    assert_eq!((again.status, again.header("location")), (303, path.clone()), "{}", again.text());
    let stale = send("Third", "1", "3 Ember Moth Cloud").await;
    assert_eq!(stale.status, 412);
    let both = check(&edit, &stale);
    let main = &both.only("main").text;
    for expected in ["was changed elsewhere", "Second", "1 Kettle Imp", "3 Ember Moth Cloud"] {
        assert!(main.contains(expected), "{expected}: {main}");
    }
    assert_eq!((value(&both, "revision"), value(&both, "name")), ("2", "Third"));
    assert_eq!(value(&both, "folder_version"), "0");
    // The page lists only the values of the stored version that differ, because saving would overwrite them.
    let saved = |page: &Page| page.all("dt").map(|name| name.text.clone()).collect::<Vec<_>>();
    assert_eq!(saved(&both), ["Name"]);
    let fields = [
        ("name", "Third"),
        ("format", "ttcg/standard"),
        ("visibility", "public"),
        ("tags", "x\r\ny"),
        ("description", "Slow."),
        ("folder", "Friday"),
        ("list", "1 Kettle Imp"),
        ("revision", "1"),
        ("folder_version", &*folder_version),
    ];
    let stale = hers.post(&edit, &fields).await;
    assert_eq!(stale.status, 412);
    let both = check(&edit, &stale);
    assert_eq!(saved(&both), ["Name", "Who may read it", "Description", "Tags", "Folder"]);
    let values: Vec<_> = both.all("dd").map(|value| value.text.as_str()).collect();
    assert_eq!(values[0], "Second");
    assert!(values[1].starts_with("Only"), "{values:?}");
    assert_eq!(values[2..], ["(empty)", "x", "(empty)"]);
    assert_eq!(send("Third", "2", "3 Ember Moth Cloud").await.status, 303);
    assert!(hers.get(&path).await.text().contains("Ember Moth Cloud"));
    // A deletion with an old revision is refused.
    let deleted = hers.post(&format!("{path}/delete"), &[("revision", "2")]).await;
    assert_eq!(deleted.status, 412);
    assert!(check(&edit, &deleted).only("main").text.contains("before you delete it"));
}

/// The folder has no revision, so the form states it beside the revision.
#[tokio::test]
async fn a_form_undoes_no_move_to_another_folder() {
    let app = start().await;
    let ada = app.player("ada").await;
    let path = store(&app, &ada, "Draft", "private", LIST).await;
    let edit = format!("{path}/edit");
    let hers = Browser::of(&app, "ada").await;
    let loaded = check(&edit, &hers.get(&edit).await);
    let version = value(&loaded, "folder_version").to_owned();
    let moved = app.patch(&format!("/v1{path}")).by(&ada).header("if-match", "*");
    moved.json(&json!({ "folder": "Monday" })).answer().await.expect(200);
    let send = async |folder_version: &str| {
        let fields = [
            ("name", "Second"),
            ("format", "ttcg/standard"),
            ("visibility", "private"),
            ("folder", "Friday"),
            ("list", "1 Kettle Imp"),
            ("revision", "1"),
            ("folder_version", folder_version),
        ];
        hers.post(&edit, &fields).await
    };
    let stale = send(&version).await;
    assert_eq!(stale.status, 412);
    let both = check(&edit, &stale);
    assert!(both.only("main").text.contains("Monday"));
    assert_eq!(value(&both, "revision"), "1");
    let present = value(&both, "folder_version").to_owned();
    assert_ne!(present, version);
    assert_eq!(send(&present).await.status, 303);
}

/// Another tab has deleted the deck: the form for it becomes that of a new deck.
#[tokio::test]
async fn the_form_of_a_deleted_deck_keeps_what_was_typed() {
    let app = start().await;
    let ada = app.player("ada").await;
    let path = store(&app, &ada, "Draft", "private", LIST).await;
    let edit = format!("{path}/edit");
    let hers = Browser::of(&app, "ada").await;
    let deleted = hers.post(&format!("{path}/delete"), &[("revision", "1")]).await;
    assert_eq!(deleted.status, 303);
    let mut fields = vec![
        ("name", "Embers"),
        ("format", "ttcg/standard"),
        ("visibility", "unlisted"),
        ("tags", "aggro\r\nfire"),
        ("description", "Goes *fast*."),
        ("folder", "Friday"),
        ("list", "3 Ember Moth Cloud"),
        ("dialect", "own"),
        ("revision", "1"),
    ];
    // With a file that was not read, the form has a fault, too.
    fields.push(("file", "deck.txt"));
    let refused = hers.post(&edit, &fields).await;
    assert_eq!(refused.status, 404, "{}", refused.text());
    assert!(check(&edit, &refused).fault_of("file").contains("was not read"));
    fields.pop();
    let refused = hers.post(&edit, &fields).await;
    assert_eq!(
        (refused.status, refused.header("cache-control").as_str()),
        (404, "private, no-store")
    );
    let page = check(&edit, &refused);
    let main = &page.only("main").text;
    assert!(main.contains("The deck is not here any more"), "{main}");
    let link = page.all("a").find(|link| link.get("href") == Some("/my/decks?deleted=true"));
    assert_eq!(link.unwrap().get("target"), Some("_blank"));
    assert_eq!((value(&page, "name"), value(&page, "folder")), ("Embers", "Friday"));
    let areas: Vec<_> = page.all("textarea").map(|area| area.text.as_str()).collect();
    for text in ["3 Ember Moth Cloud", "Goes *fast*.", "aggro fire"] {
        assert!(areas.contains(&text), "{text}: {areas:?}");
    }
    let chosen = |value: &str| {
        let option = page.all("option").find(|option| option.get("value") == Some(value));
        option.unwrap().get("selected").is_some()
    };
    assert!(chosen("ttcg/standard") && chosen("unlisted") && chosen("own"));
    // The form creates a new deck with the same input.
    assert!(page.all("form").any(|form| form.get("action") == Some("/my/decks/new")));
    fields.push(("key", value(&page, "key")));
    let created = hers.post("/my/decks/new", &fields).await;
    assert_eq!(created.status, 303, "{}", created.text());
    let created = hers.page(&created.header("location")).await;
    assert_eq!(created.only("h1").text, "Embers");
}

#[tokio::test]
async fn a_deleted_deck_is_brought_back_by_a_button() {
    let app = start().await;
    let ada = app.player("ada").await;
    let path = store(&app, &ada, "Draft", "private", LIST).await;
    let hers = Browser::of(&app, "ada").await;
    // A double click deletes the deck once.
    for _ in 0..2 {
        let deleted = hers.post(&format!("{path}/delete"), &[("revision", "1")]).await;
        assert_eq!(
            (deleted.status, deleted.header("location").as_str()),
            (303, "/my/decks?deleted=true")
        );
    }
    assert_eq!(hers.get(&path).await.status, 404);
    let listed = check("deleted", &hers.get("/my/decks?deleted=true").await);
    let button = listed.all("form").find(|form| form.get("method") == Some("post")).unwrap();
    let action = button.get("action").unwrap();
    assert_eq!(action, format!("{path}/undelete"));
    let back = hers.post(action, &[]).await;
    assert_eq!((back.status, back.header("location")), (303, path.clone()));
    assert_eq!(hers.get(&path).await.status, 200);
}

/// Names that look like other dialects, and zones that the game does not have, stay the same when the form is sent unchanged.
#[tokio::test]
async fn a_deck_does_not_change_when_the_unchanged_form_is_saved() {
    let app = start().await;
    let ada = app.player("ada").await;
    let entries = json!([
        { "quantity": 1, "name": "Fire | Ice" }, { "quantity": 2, "name": "Robot #5" },
        { "quantity": 1, "name": "Kettle Imp", "zone": "maybe" }, { "quantity": 3, "name": "Kettle Imp", "zone": "attic" },
    ]);
    let body = json!({ "name": "Odd", "format": "ttcg/standard", "entries": entries, "tags": ["red, white"] });
    let created = app.post("/v1/decks").by(&ada).json(&body).answer().await.expect(201);
    let path = format!("/v1/decks/{}", created["id"].as_str().unwrap());
    let before = app.get(&path).by(&ada).answer().await.expect(200);
    let edit = format!("/decks/{}/edit", created["id"].as_str().unwrap());
    let hers = Browser::of(&app, "ada").await;
    let form = Page::read(&hers.get(&edit).await.text());
    let field = |name: &str| -> String {
        let named = |field: &&crate::pages::html::Element| field.get("name") == Some(name);
        let value = form.all("input").find(named).and_then(|field| field.get("value"));
        value.unwrap_or_default().to_owned()
    };
    // A browser reads the text between the tags, without the first line end.
    let html = hers.get(&edit).await.text();
    let written = |id: &str| -> String {
        let (_, rest) = html.split_once(&format!("<textarea {id}")).unwrap();
        let (_, rest) = rest.split_once(">\n").unwrap();
        let (text, _) = rest.split_once("</textarea>").unwrap();
        text.replace("&#34;", "\"")
            .replace("&#35;", "#")
            .replace("&#38;", "&")
            .replace('\n', "\r\n")
    };
    let list = written("class=\"code\" id=\"list\"");
    let (revision, tags) = (field("revision"), written("id=\"tags\""));
    let chosen = form.all("option").filter(|option| option.get("selected").is_some());
    let chosen: Vec<&str> = chosen.filter_map(|option| option.get("value")).collect();
    assert_eq!(chosen, ["ttcg/standard", "private", "own"]);
    let fields = [
        ("name", "Odd"),
        ("format", chosen[0]),
        ("visibility", chosen[1]),
        ("dialect", chosen[2]),
        ("list", &list),
        ("tags", &tags),
        ("revision", &revision),
    ];
    let saved = hers.post(&edit, &fields).await;
    assert_eq!(saved.status, 303, "{}", saved.text());
    let after = app.get(&path).by(&ada).answer().await.expect(200);
    for member in ["entries", "tags", "unread_lines"] {
        assert_eq!(after[member], before[member], "{member}");
    }
}

/// The form means what it says in any case, but its list may be pasted elsewhere.
#[tokio::test]
async fn the_list_of_a_deck_has_names_in_quotes_that_begin_longer_ones() {
    let app = TestApp::start().await;
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "hearth", |set| set["cards"][8]["name"] = "Bellows Smith {rare}".into());
    app.import(&source).await.unwrap();
    let ada = app.player("ada").await;
    let list = "2 Kettle Imp {rare}\n1 \"Bellows Smith\" {rare}\n";
    let deck = store(&app, &ada, "Mine", "private", list).await;
    let form = Browser::of(&app, "ada").await.page(&format!("{deck}/edit")).await;
    let field = form.all("textarea").find(|field| field.get("id") == Some("list")).unwrap();
    assert_eq!(field.text, "2 Kettle Imp {rare} 1 \"Bellows Smith\" {rare}");
}

/// A list cannot name the copies of a deck. Cards that stay in the deck keep their copies on the page, but not through the API.
#[tokio::test]
async fn a_deck_that_is_changed_as_a_list_keeps_the_copies_that_it_names() {
    let app = start().await;
    let ada = app.player("ada").await;
    let entries = json!([
        { "quantity": 2, "name": "Kettle Imp", "copies": ["one", "two"] },
        { "quantity": 2, "name": "Bellows Smith", "rarity": "rare", "copies": ["three", "four"] },
    ]);
    let body = json!({ "name": "Named", "format": "ttcg/standard", "entries": entries });
    let created = app.post("/v1/decks").by(&ada).json(&body).answer().await.expect(201);
    let path = format!("/v1/decks/{}", created["id"].as_str().unwrap());
    let edit = format!("/decks/{}/edit", created["id"].as_str().unwrap());
    let hers = Browser::of(&app, "ada").await;
    assert!(hers.page(&edit).await.only("main").text.contains("names the copies that you use"));
    let save = async |list: &str, revision: &str| {
        let fields = [
            ("name", "Named"),
            ("format", "ttcg/standard"),
            ("list", list),
            ("dialect", "own"),
            ("revision", revision),
        ];
        hers.post(&edit, &fields).await.status
    };
    let copies = async || {
        let deck = app.get(&path).by(&ada).answer().await.expect(200);
        let entries = deck["entries"].as_array().unwrap().clone();
        entries.into_iter().map(|entry| entry["copies"].clone()).collect::<Vec<_>>()
    };
    // One more copy of a card, another order, and a new card.
    let list = "1 Ember Moth Cloud\n2 Bellows Smith {rare}\n3 Kettle Imp";
    // An older version stored rarities as they were written.
    app.sql("UPDATE deck_entries SET rarity = 'R' WHERE rarity = 'rare'").await;
    assert_eq!(save(list, "1").await, 303);
    assert_eq!(copies().await, [json!(null), json!(["three", "four"]), json!(["one", "two"])]);
    // The list does not state which of the two copies was removed, so the entry keeps neither.
    assert_eq!(save("1 Bellows Smith {rare}\n2 Kettle Imp", "2").await, 303);
    assert_eq!(copies().await, [json!(null), json!(["one", "two"])]);
    assert_eq!(save("2 Kettle Imp", "2").await, 412);
    // The API stores a list without copies.
    let body = json!({ "name": "Named", "format": "ttcg/standard", "list": "2 Kettle Imp" });
    let put = app.put(&path).by(&ada).header("if-match", "*").json(&body);
    put.answer().await.expect(200);
    assert_eq!(copies().await, [json!(null)]);

    // The list also contains the name of a card that the deck stores by set and number only.
    let card = app.get("/v1/cards?q=%22Kettle+Imp%22").answer().await.expect(200);
    let number = card["data"][0]["number"].as_str().unwrap();
    let entries = json!([{ "quantity": 2, "set": "hearth", "number": number, "copies": ["one"] }]);
    let body = json!({ "name": "Named", "format": "ttcg/standard", "entries": entries });
    let put = app.put(&path).by(&ada).header("if-match", "*").json(&body);
    let revision = put.answer().await.expect(200)["revision"].to_string();
    let list = format!("2 Kettle Imp (hearth) {number}");
    assert!(hers.get(&edit).await.text().contains(&list));
    assert_eq!(save(&list, &revision).await, 303);
    assert_eq!(copies().await, [json!(["one"])]);
}
