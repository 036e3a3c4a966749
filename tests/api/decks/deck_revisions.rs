//! Revisions of decks: storage, comparison and restoration. Clones, folders and tags of decks.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::stored_as as stored;
use crate::support::{Answer, Player, RequestExt as _, TestApp, game_files, text};

async fn app() -> TestApp {
    TestApp::start_seeded(&["ttcg"]).await
}

fn deck(name: &str, visibility: &str, list: &str) -> Value {
    json!({ "name": name, "format": "ttcg/standard", "visibility": visibility, "list": list })
}

async fn put(app: &TestApp, owner: &Player, path: &str, body: &Value) -> Value {
    app.put(path).by(owner).header("if-match", "*").json(body).answer().await.expect(200)
}

fn numbers(page: &Value) -> Vec<i64> {
    page["data"].as_array().unwrap().iter().map(|one| one["revision"].as_i64().unwrap()).collect()
}

/// Zone, name and the numbers of copies before and after of each difference.
fn differences(diff: &Value) -> Vec<String> {
    let cards = diff["cards"].as_array().unwrap().iter();
    let texts = cards.map(|card| {
        let text = |member: &str| card[member].as_str().unwrap().to_owned();
        format!("{} {} {}>{}", text("zone"), text("name"), card["before"], card["after"])
    });
    texts.collect()
}

#[tokio::test]
async fn each_revision_is_stored_and_compared_card_by_card() {
    let app = app().await;
    let ada = app.player("ada").await;
    let path = stored(&app, &ada, &deck("One", "private", "2 Kettle Imp\n1 Pocket Bat")).await;
    put(&app, &ada, &path, &deck("Two", "private", "1 pocket bat\n1 Kettle Imp\n1 Kettle Imp"))
        .await;
    put(&app, &ada, &path, &deck("Three", "private", "1 Kettle Imp\n2 Bellows Smith")).await;
    let page = app.get(&format!("{path}/revisions?limit=2")).by(&ada).answer().await.expect(200);
    assert_eq!(numbers(&page), [3, 2]);
    assert_eq!(
        (&page["data"][0]["name"], &page["data"][0]["card_count"]),
        (&json!("Three"), &json!(3))
    );
    let next = format!("{path}/revisions?limit=2&cursor={}", page["next_cursor"].as_str().unwrap());
    assert_eq!(numbers(&app.get(&next).by(&ada).answer().await.expect(200)), [1]);

    let diff = async |query: &str| {
        app.get(&format!("{path}/diff{query}")).by(&ada).answer().await.expect(200)
    };
    assert_eq!(
        differences(&diff("?from=1&to=2").await),
        Vec::<String>::new(),
        "only the lines of the list differ"
    );
    let last = diff("").await;
    assert_eq!((&last["from"], &last["to"]), (&json!(2), &json!(3)));
    assert_eq!(
        differences(&last),
        ["main Kettle Imp 2>1", "main Bellows Smith 0>2", "main pocket bat 1>0"]
    );
    assert!(last["cards"][1]["card_id"].is_string(), "{last:#}");
    assert_eq!(
        differences(&diff("?to=1").await),
        Vec::<String>::new(),
        "there is no revision before the first"
    );
    app.get(&format!("{path}/diff?to=9")).by(&ada).answer().await.problem(404, "not_found");

    // A diff can also compare two decks.
    let other = stored(&app, &ada, &deck("Other", "private", "3 Kettle Imp")).await;
    let with = diff(&format!("?with={}", other.rsplit('/').next().unwrap())).await;
    assert_eq!(differences(&with), ["main Kettle Imp 1>3", "main Bellows Smith 2>0"]);

    let one = app.get(&format!("{path}/revisions/1")).by(&ada).answer().await.expect(200);
    assert_eq!((&one["name"], &one["entries"][0]["quantity"]), (&json!("One"), &json!(2)));
    app.get(&format!("{path}/revisions/4")).by(&ada).answer().await.problem(404, "not_found");
}

#[tokio::test]
async fn spellings_of_a_rarity_do_not_differ() {
    let app = app().await;
    let ada = app.player("ada").await;
    let path = stored(&app, &ada, &deck("n", "private", "2 Kettle Imp {Ultra Rare}")).await;
    let entries = json!([{ "quantity": 2, "name": "Kettle Imp", "rarity": "ultra-rare" }]);
    let body = json!({ "name": "two", "format": "ttcg/standard", "entries": entries });
    let second = put(&app, &ada, &path, &body).await;
    assert_eq!(second["entries"][0]["rarity"], "ultra_rare", "{second:#}");
    // An older version stored rarities as they were written.
    let as_written = "UPDATE deck_revisions SET content = replace(content::text, 'ultra_rare', 'Ultra Rare')::jsonb WHERE revision = 1";
    app.sql(as_written).await;
    let diff = app.get(&format!("{path}/diff?from=1&to=2")).by(&ada).answer().await.expect(200);
    assert_eq!(diff["cards"], json!([]), "{diff:#}");
    put(&app, &ada, &path, &deck("n", "private", "1 Kettle Imp {Ultra Rare}")).await;
    let diff = app.get(&format!("{path}/diff?from=1&to=3")).by(&ada).answer().await.expect(200);
    assert_eq!(diff["cards"][0]["rarity"], "ultra_rare", "{diff:#}");
    // A restored or cloned deck is stored with the codes.
    let restore = app.post(&format!("{path}/restore")).by(&ada).header("if-match", "*");
    let restored = restore.json(&json!({ "revision": 1 })).answer().await.expect(200);
    assert_eq!(restored["entries"][0]["rarity"], "ultra_rare", "{restored:#}");
    app.sql("UPDATE deck_entries SET rarity = 'Ultra Rare'").await;
    let old = app.get(&path).by(&ada).answer().await.expect(200);
    assert_eq!(old["entries"][0]["rarity"], "ultra_rare", "{old:#}");
    let clone = app.post(&format!("{path}/clones")).by(&ada).answer().await.expect(201);
    assert_eq!(clone["entries"][0]["rarity"], "ultra_rare", "{clone:#}");
}

fn zones(deck: &Value) -> Vec<String> {
    deck["entries"].as_array().unwrap().iter().map(|entry| text(entry, "zone")).collect()
}

/// Before, an alias, the name and other words for a zone stayed as they were sent.
#[tokio::test]
async fn words_for_a_zone_do_not_differ() {
    let app = TestApp::start().await;
    app.import(&game_files("tests/data/games/harbour")).await.unwrap();
    let ada = app.player("ada").await;
    let entries = |words: [&str; 4]| {
        json!(words.map(|zone| json!({ "zone": zone, "quantity": 1, "name": "Salt" })))
    };
    let body = |entries: Value| json!({ "name": "n", "format": "harbour/trade", "visibility": "public", "entries": entries });
    let words = body(entries(["Quay", "SIDEBOARD", "hold", "Attic"]));
    let path = stored(&app, &ada, &words).await;
    let created = app.get(&path).by(&ada).answer().await.expect(200);
    assert_eq!(zones(&created), ["side", "side", "main", "Attic"], "{created:#}");
    // Another word for a zone is no change.
    let codes = body(entries(["side", "Side", "main", "Attic"]));
    assert_eq!(put(&app, &ada, &path, &codes).await["revision"], 1);
    let list = json!({ "entries": codes["entries"] }).to_string().replace("side", "quay");
    let list =
        json!({ "name": "n", "format": "harbour/trade", "visibility": "public", "list": list });
    let read = put(&app, &ada, &path, &list).await;
    assert_eq!((zones(&read), &read["revision"]), (zones(&created), &json!(1)), "{read:#}");
    let report = async |body: &Value| {
        let report = app.post("/v1/deck-reports").json(body).answer().await.expect(200);
        assert_eq!(zones(&report), zones(&created), "{report:#}");
        report["reports"][0]["counts"].clone()
    };
    let mut unsaved = json!({ "format": "harbour/trade", "entries": words["entries"] });
    let counts = report(&unsaved).await;
    assert!(counts.as_array().unwrap().contains(&json!({ "zone": "side", "cards": 2 })));
    unsaved = json!({ "format": "harbour/trade", "list": list["list"] });
    assert_eq!(report(&unsaved).await, counts);

    // What an older version stored is read in the same way.
    app.sql("UPDATE deck_entries SET zone = CASE position WHEN 0 THEN 'Quay' WHEN 1 THEN 'sideboard' ELSE zone END").await;
    let old = app.get(&path).by(&ada).answer().await.expect(200);
    assert_eq!(zones(&old), zones(&created), "{old:#}");
    let judged = app.get(&format!("{path}/report")).by(&ada).answer().await.expect(200);
    assert_eq!(judged["counts"], counts, "{judged:#}");
    app.sql(
        "UPDATE deck_revisions SET content = replace(content::text, '\"side\"', '\"Quay\"')::jsonb",
    )
    .await;
    let second = body(entries(["side", "side", "main", "main"]));
    assert_eq!(put(&app, &ada, &path, &second).await["revision"], 2);
    let diff = app.get(&format!("{path}/diff?from=1&to=2")).by(&ada).answer().await.expect(200);
    assert_eq!(differences(&diff), ["main Salt 1>2", "Attic Salt 1>0"], "{diff:#}");
    let clone = app.post(&format!("{path}/clones")).by(&ada).answer().await.expect(201);
    assert_eq!(zones(&clone), ["side", "side", "main", "main"], "{clone:#}");
}

#[tokio::test]
async fn a_deck_is_restored_to_an_earlier_revision() {
    let app = app().await;
    let ada = app.player("ada").await;
    let first = json!({ "name": "One", "format": "ttcg/standard", "description": "Go *fast*.", "tags": ["Aggro", "aggro", " x "],
                        "folder": "Friday", "list": "2 Kettle Imp\n0 Nothing" });
    let path = stored(&app, &ada, &first).await;
    let created = app.get(&path).by(&ada).answer().await.expect(200);
    assert_eq!(created["tags"], json!(["aggro", "x"]));
    assert_eq!(created["description_html"], "<p>Go <em>fast</em>.</p>");
    let mut second = deck("Two", "public", "1 Pocket Bat");
    second["folder"] = "Saturday".into();
    put(&app, &ada, &path, &second).await;
    let tag = app.get(&path).by(&ada).answer().await.header("etag");
    let restore = async |tag: &str, revision: i64| {
        let request = app.post(&format!("{path}/restore")).by(&ada).header("if-match", tag);
        request.json(&json!({ "revision": revision })).answer().await
    };
    restore("\"r1\"", 1).await.problem(412, "precondition_failed");
    restore(&tag, 7).await.problem(404, "not_found");
    let answer = restore(&tag, 1).await;
    assert!(answer.header("etag").starts_with("\"r3~"), "{}", answer.header("etag"));
    let again = answer.expect(200);
    for member in ["name", "description", "tags", "entries", "unread_lines", "format"] {
        assert_eq!(again[member], created[member], "{member}");
    }
    assert_eq!((&again["visibility"], &again["folder"]), (&json!("public"), &json!("Saturday")));
    assert_eq!(app.get(&path).by(&ada).answer().await.expect(200), again);
    app.post(&format!("{path}/restore"))
        .by(&ada)
        .json(&json!({ "revision": 1 }))
        .answer()
        .await
        .problem(428, "precondition_required");
}

#[tokio::test]
async fn a_deck_that_is_not_changed_gets_no_revision() {
    let app = app().await;
    let ada = app.player("ada").await;
    let mut body = deck("One", "unlisted", "2 Kettle Imp\n1 Nobody's Own\n0 Nothing");
    body["description"] = "Goes *fast*.".into();
    body["tags"] = json!(["aggro", "x"]);
    body["folder"] = "Friday".into();
    let path = stored(&app, &ada, &body).await;
    let before = app.get(&path).by(&ada).answer().await.expect(200);
    let save = async |body: &Value| {
        let put = app.put(&path).by(&ada).header("if-match", "*").json(body).answer().await;
        (put.header("etag"), put.expect(200))
    };
    let (tag, same) = save(&body).await;
    assert!(tag.starts_with("\"r1~"), "{tag}");
    assert_eq!(same["revision"], json!(1));
    assert_eq!(same["updated_at"], before["updated_at"]);
    assert_eq!(same["entries"], before["entries"]);
    let restore = app.post(&format!("{path}/restore")).by(&ada).header("if-match", &tag);
    let restored = restore.json(&json!({ "revision": 1 })).answer().await;
    assert_eq!(restored.header("etag"), tag);
    assert_eq!(app.get(&path).by(&ada).answer().await.expect(200), before);
    // A version that is not current is refused, even if its content is that of the deck.
    let stale = app.put(&path).by(&ada).header("if-match", "\"r0\"").json(&body).answer().await;
    stale.problem(412, "precondition_failed");

    let changes = [
        ("name", json!("Two")),
        ("description", json!("Goes slowly.")),
        ("tags", json!(["x"])),
        ("visibility", json!("private")),
        ("format", json!("ttcg/standard:by_card")),
        ("list", json!("2 Kettle Imp\n1 Nobody's Own")),
        ("list", json!("1 Nobody's Own\n2 Kettle Imp")),
    ];
    for (number, (member, value)) in (2..).zip(changes) {
        body[member] = value;
        assert_eq!(save(&body).await.1["revision"], number, "{member}");
        assert_eq!(save(&body).await.1["revision"], number, "{member}, again");
    }
    // The folder has no revisions.
    body["folder"] = "Saturday".into();
    assert_eq!(save(&body).await.1["revision"], 8);
    let page = app.get(&format!("{path}/revisions")).by(&ada).answer().await.expect(200);
    assert_eq!(numbers(&page), [8, 7, 6, 5, 4, 3, 2, 1]);
}

#[tokio::test]
async fn others_read_only_revisions_that_were_not_private() {
    let app = app().await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    let path = stored(&app, &ada, &deck("Secret", "private", "2 Kettle Imp")).await;
    put(&app, &ada, &path, &deck("Open", "unlisted", "1 Kettle Imp")).await;
    put(&app, &ada, &path, &deck("Secret again", "private", "4 Kettle Imp")).await;
    let (revisions, diff) = (format!("{path}/revisions"), format!("{path}/diff?from=1&to=2"));
    for private in [&path, &revisions, &diff, &format!("{path}/export?dialect=plain")] {
        app.get(private).by(&eve).answer().await.problem(404, "not_found");
        app.get(private).answer().await.problem(404, "not_found");
    }
    put(&app, &ada, &path, &deck("Open again", "unlisted", "3 Kettle Imp")).await;
    for reader in [None, Some(&eve)] {
        let get = |path: &str| match reader {
            None => app.get(path),
            Some(player) => app.get(path).by(player),
        };
        assert_eq!(numbers(&get(&revisions).answer().await.expect(200)), [4, 2]);
        get(&format!("{path}/revisions/1")).answer().await.problem(404, "not_found");
        get(&format!("{path}/revisions/3")).answer().await.problem(404, "not_found");
        get(&format!("{path}/revisions/2")).answer().await.expect(200);
        get(&diff).answer().await.problem(404, "not_found");
        let before = get(&format!("{path}/diff")).answer().await.expect(200);
        assert_eq!(
            (&before["from"], differences(&before)),
            (&json!(2), vec!["main Kettle Imp 1>3".to_owned()])
        );
        let first = get(&format!("{path}/diff?to=2")).answer().await.expect(200);
        assert_eq!(
            (&first["from"], differences(&first)),
            (&json!(2), Vec::new()),
            "no earlier revision is public"
        );
        let shown = get(&format!("{path}/diff?from=2")).answer().await.expect(200);
        assert_eq!(differences(&shown), ["main Kettle Imp 1>3"]);
    }
    assert_eq!(app.get(&path).answer().await.expect(200)["visibility"], "unlisted");
    app.post(&format!("{path}/restore"))
        .by(&eve)
        .header("if-match", "*")
        .json(&json!({ "revision": 2 }))
        .answer()
        .await
        .problem(404, "not_found");
}

#[tokio::test]
async fn the_last_hundred_revisions_are_stored() {
    let app = app().await;
    let ada = app.player("ada").await;
    let path = stored(&app, &ada, &deck("0", "private", "1 Kettle Imp")).await;
    for number in 1..103 {
        put(&app, &ada, &path, &deck(&number.to_string(), "private", "1 Kettle Imp")).await;
    }
    let stored_revisions =
        "SELECT min(revision) || ' ' || max(revision) || ' ' || count(*) FROM deck_revisions";
    assert_eq!(app.db().value(stored_revisions).await, "4 103 100");
}

#[tokio::test]
async fn a_clone_names_its_source() {
    let app = app().await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    let mut original = deck("Ember", "public", "2 Kettle Imp\n1 Nobody's Own");
    original["folder"] = "Friday".into();
    let path = stored(&app, &ada, &original).await;
    let clones = format!("{path}/clones");
    let send = |key: &str| app.post(&clones).by(&eve).header("idempotency-key", key).answer();
    let answers: Vec<Answer> = join_all((0..4).map(|_| send("k"))).await;
    for answer in answers.into_iter().filter(|answer| answer.status != 201) {
        answer.problem(409, "idempotency_in_progress");
    }
    let copy = send("k").await;
    let location = copy.header("location");
    let copy = copy.expect(201);
    let source =
        json!({ "deck_id": path.rsplit('/').next().unwrap(), "revision": 1, "account_id": ada.id });
    assert_eq!((&copy["cloned_from"], &copy["visibility"]), (&source, &json!("private")));
    assert_eq!((&copy["account_id"], copy.get("folder")), (&json!(eve.id), None));
    assert_eq!(copy["entries"][1]["name"], "Nobody's Own");
    assert_eq!(
        app.get("/v1/decks").by(&eve).answer().await.expect(200)["data"].as_array().unwrap().len(),
        1
    );
    // The clone still names its source after it is changed, and after the original is deleted.
    let changed = put(&app, &eve, &location, &deck("Mine", "private", "1 Kettle Imp")).await;
    assert_eq!(changed["cloned_from"], source);
    app.delete(&path).by(&ada).header("if-match", "*").answer().await.expect(204);
    assert_eq!(app.get(&location).by(&eve).answer().await.expect(200)["cloned_from"], source);
    app.post(&clones).by(&eve).answer().await.problem(404, "not_found");
    // A repetition of the earlier request still returns the clone, because the client may have lost the answer.
    assert_eq!(send("k").await.expect(201)["id"], changed["id"]);
    app.post(&clones).answer().await.problem(401, "unauthenticated");
}

/// Before, two cards of one name that are bound to no card, or only one of them, were one card.
#[tokio::test]
async fn cards_of_different_games_are_different_cards() {
    let app = TestApp::start_seeded(&["ttcg", "emojo-dojo"]).await;
    let ada = app.player("ada").await;
    let list = "1 Kettle Imp\n1 Zzz";
    let path = stored(&app, &ada, &deck("One", "private", list)).await;
    let other = json!({ "name": "Two", "format": "emojo-dojo/box", "list": list });
    let other = stored(&app, &ada, &other).await;
    let with = other.rsplit('/').next().unwrap();
    let diff = app.get(&format!("{path}/diff?with={with}")).by(&ada).answer().await.expect(200);
    assert_eq!(
        differences(&diff),
        ["main Kettle Imp 0>1", "main Zzz 0>1", "main Kettle Imp 1>0", "main Zzz 1>0"],
        "{diff:#}"
    );
    // A new revision can belong to another game, too.
    let changed = json!({ "name": "One", "format": "emojo-dojo/box", "list": list });
    put(&app, &ada, &path, &changed).await;
    let diff = app.get(&format!("{path}/diff")).by(&ada).answer().await.expect(200);
    assert_eq!(diff["cards"].as_array().unwrap().len(), 4, "{diff:#}");
}

/// Earlier versions stored the owner of every source.
#[tokio::test]
async fn copies_of_unlisted_decks_lose_the_account_that_earlier_versions_stored() {
    let app = app().await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    let copy_of = async |by: &Player, path: &str| {
        let copy = app.post(&format!("{path}/clones")).by(by).answer().await;
        assert_eq!(copy.status, 201, "{}", copy.text());
        copy.header("location")
    };
    let unlisted = stored(&app, &ada, &deck("Secret", "unlisted", "2 Kettle Imp")).await;
    let public = stored(&app, &ada, &deck("Ember", "public", "2 Kettle Imp")).await;
    let old = stored(&app, &ada, &deck("Old", "public", "2 Kettle Imp")).await;
    let gone = stored(&app, &ada, &deck("Gone", "public", "2 Kettle Imp")).await;
    let copies = [
        (&eve, copy_of(&eve, &unlisted).await, false),
        (&ada, copy_of(&ada, &unlisted).await, true),
        (&eve, copy_of(&eve, &public).await, true),
        (&eve, copy_of(&eve, &old).await, true),
        (&eve, copy_of(&eve, &gone).await, false),
    ];
    // What is said of the copies does not depend on what their sources are now.
    put(&app, &ada, &unlisted, &deck("Secret", "public", "2 Kettle Imp")).await;
    put(&app, &ada, &public, &deck("Ember", "unlisted", "2 Kettle Imp")).await;
    app.sql(&format!(
        "UPDATE decks SET cloned_account_id = '{}' WHERE cloned_deck_id IS NOT NULL; \
         DELETE FROM deck_revisions r USING decks d WHERE d.id = r.deck_id AND d.name = 'Old'; \
         DELETE FROM decks WHERE name = 'Gone' AND cloned_deck_id IS NULL",
        ada.id
    ))
    .await;
    let folder = "migrations/2026-11-28-000097_sources_of_unlisted_decks";
    let file = format!("{}/{folder}/up.sql", env!("CARGO_MANIFEST_DIR"));
    app.sql(&std::fs::read_to_string(file).unwrap()).await;
    for (reader, path, has_account) in copies {
        let copy = app.get(&path).by(reader).answer().await.expect(200);
        let account = has_account.then(|| json!(ada.id));
        assert_eq!(copy["cloned_from"].get("account_id"), account.as_ref(), "{copy:#}");
    }
}

#[tokio::test]
async fn a_clone_gets_the_name_of_its_request() {
    let app = app().await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    let path = stored(&app, &ada, &deck("Ember", "public", "2 Kettle Imp")).await;
    let clone = async |key: &str, body: Value| {
        let request = app.post(&format!("{path}/clones")).by(&eve).header("idempotency-key", key);
        request.json(&body).answer().await
    };
    let copy = clone("a", json!({ "name": " My Ember " })).await;
    let location = copy.header("location");
    assert_eq!(copy.expect(201)["name"], "My Ember");
    assert_eq!(app.get(&location).by(&eve).answer().await.expect(200)["name"], "My Ember");
    clone("a", json!({ "name": "Other" })).await.problem(422, "idempotency_key_reused");
    for (key, body) in [("empty", json!({})), ("null", json!({ "name": null }))] {
        assert_eq!(clone(key, body).await.expect(201)["name"], "Ember");
    }
    for name in ["", " ", &"x".repeat(101)] {
        let refused = clone("b", json!({ "name": name })).await.problem(422, "invalid_body");
        assert_eq!(refused["errors"][0]["pointer"], "/name", "{refused:#}");
    }
}

#[tokio::test]
async fn owners_filter_their_decks_by_folder_and_tag() {
    let app = app().await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    for (name, folder, tags) in [
        ("a", json!("Friday"), json!(["fast"])),
        ("b", json!("Friday"), json!([])),
        ("c", Value::Null, json!(["fast"])),
    ] {
        let body = json!({ "name": name, "format": "ttcg/standard", "entries": [], "folder": folder, "tags": tags, "visibility": "public" });
        stored(&app, &ada, &body).await;
    }
    let folders = app.get("/v1/deck-folders").by(&ada).answer().await.expect(200);
    assert_eq!(
        folders["data"],
        json!([{ "name": "Friday", "decks": 2 }, { "name": null, "decks": 1 }])
    );
    assert_eq!(app.get("/v1/deck-folders").by(&eve).answer().await.expect(200)["data"], json!([]));
    let names = async |query: &str| {
        let page = app.get(&format!("/v1/decks?{query}")).by(&ada).answer().await.expect(200);
        let names = page["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names("folder=Friday").await, ["b", "a"]);
    assert_eq!(names("tag=FAST").await, ["c", "a"]);
    assert_eq!(names("tag=fast&folder=Friday").await, ["a"]);
    assert_eq!(names("folder=Monday").await, Vec::<String>::new());
    let unlisted = json!({ "name": "Embers", "format": "ttcg/standard", "entries": [], "visibility": "unlisted" });
    let unlisted = stored(&app, &ada, &unlisted).await;
    assert_eq!(names("format=ttcg/standard&folder=Friday").await, ["b", "a"]);
    assert_eq!(names("format=ttcg/other").await, Vec::<String>::new());
    assert_eq!(names("visibility=unlisted").await, ["Embers"]);
    assert_eq!(names("visibility=public&folder=Friday").await, ["b", "a"]);
    assert_eq!(names("visibility=private").await, Vec::<String>::new());
    assert_eq!(names("name=MBER").await, ["Embers"]);
    assert_eq!(names("name=%25").await, Vec::<String>::new());
    app.delete(&unlisted).by(&ada).header("if-match", "*").answer().await.expect(204);
    assert_eq!(names("deleted=true&visibility=unlisted").await, ["Embers"]);
    assert_eq!(names("deleted=true&visibility=private").await, Vec::<String>::new());
    let wrong = "/v1/decks?format=box&visibility=secret&name=%20";
    let problem = app.get(wrong).by(&ada).answer().await.problem(400, "invalid_query");
    assert_eq!(problem["errors"].as_array().unwrap().len(), 3, "{problem:#}");
    app.get("/v1/decks?folder=%20").by(&ada).answer().await.problem(400, "invalid_query");
    let page = app.get("/v1/decks?folder=Friday").by(&ada).answer().await.expect(200);
    let id = page["data"][0]["id"].as_str().unwrap();
    let seen = app.get(&format!("/v1/decks/{id}")).by(&eve).answer().await.expect(200);
    assert_eq!(seen.get("folder"), None, "{seen:#}");

    let bad = json!({ "name": "n", "format": "ttcg/standard", "entries": [], "folder": "x".repeat(101), "tags": vec!["t"; 21],
                      "description": "d".repeat(5_001), "visibility": "secret" });
    let problem =
        app.post("/v1/decks").by(&ada).json(&bad).answer().await.problem(422, "invalid_body");
    let pointers: Vec<&str> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["pointer"].as_str().unwrap())
        .collect();
    for pointer in ["/folder", "/tags", "/description", "/visibility"] {
        assert!(pointers.contains(&pointer), "{problem:#}");
    }
    let stored_decks = "SELECT count(*) FROM decks";
    assert_eq!(app.db().number(stored_decks).await, 4, "the refused deck is not stored");
}

#[tokio::test]
async fn others_see_the_source_of_a_clone_while_the_source_is_public() {
    let app = app().await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    let path = stored(&app, &ada, &deck("Shared by link", "unlisted", "2 Kettle Imp")).await;
    let copy = app.post(&format!("{path}/clones")).by(&eve).answer().await.header("location");
    put(&app, &eve, &copy, &deck("Mine", "public", "2 Kettle Imp")).await;
    let seen = app.get(&copy).answer().await;
    assert_eq!(seen.json().get("cloned_from"), None, "{}", seen.text());
    // An unlisted deck does not tell whose it is, and neither does its copy.
    let own = app.get(&copy).by(&eve).answer().await.expect(200);
    let source = json!({ "deck_id": path.rsplit('/').next().unwrap(), "revision": 1 });
    assert_eq!(own["cloned_from"], source, "{own:#}");
    put(&app, &ada, &path, &deck("For all", "public", "2 Kettle Imp")).await;
    let now = app.get(&copy).header("if-none-match", seen.header("etag")).answer().await;
    assert!(now.expect(200)["cloned_from"].is_object());
}

/// Older versions accepted more texts than this one, and what they stored stays readable. Only input is checked by the rules of today.
#[tokio::test]
async fn decks_with_texts_of_older_versions_are_read_and_changed() {
    let app = app().await;
    let ada = app.player("ada").await;
    let path = stored(&app, &ada, &deck("One", "public", "2 Kettle Imp")).await;
    put(&app, &ada, &path, &deck("Two", "public", "1 Kettle Imp")).await;
    // Blanks of Korean and of Braille, which are not text any more, and a separator of lines, which is no part of a text any more.
    let (name, folder) = ("\u{3164}", "a\u{2028}b");
    app.sql(&format!(
        "UPDATE decks SET name = '{name}', description = '\u{2800}', tags = ARRAY['{name}'], folder = '{folder}'; \
         UPDATE deck_revisions SET content = content \
         || jsonb_build_object('name', '{name}', 'description', '\u{2800}', 'tags', jsonb_build_array('{name}'))"
    ))
    .await;
    let read = app.get(&path).by(&ada).answer().await.expect(200);
    assert_eq!((&read["name"], &read["tags"]), (&json!(name), &json!([name])), "{read:#}");
    let dialects = cardscape_engine::DeckDialect::ALL;
    let exports = dialects.map(|dialect| format!("/export?dialect={dialect}"));
    let views = ["/report", "/revisions", "/revisions/1", "/diff?from=1&to=2", "/statistics"];
    for view in views.into_iter().map(str::to_owned).chain(exports) {
        let answer = app.get(&format!("{path}{view}")).by(&ada).answer().await;
        assert_eq!(answer.status, 200, "{view}: {}", answer.text());
    }
    let listed = app.get(&format!("/v1/decks?folder={folder}&tag={name}")).by(&ada).answer().await;
    assert_eq!(listed.expect(200)["data"].as_array().unwrap().len(), 1);
    let copy = app.post(&format!("{path}/clones")).by(&ada).answer().await.expect(201);
    assert_eq!(copy["tags"], json!([name]), "{copy:#}");
    let restore = app.post(&format!("{path}/restore")).by(&ada).header("if-match", "*");
    let restored = restore.json(&json!({ "revision": 1 })).answer().await.expect(200);
    assert_eq!((&restored["name"], &restored["folder"]), (&json!(name), &json!(folder)));

    let same = deck(name, "public", "1 Kettle Imp");
    let refused = app.put(&path).by(&ada).header("if-match", "*").json(&same).answer().await;
    assert_eq!(refused.problem(422, "invalid_body")["errors"][0]["pointer"], "/name");
    let renamed = put(&app, &ada, &path, &deck("Three", "public", "1 Kettle Imp")).await;
    assert_eq!((&renamed["name"], &renamed["tags"]), (&json!("Three"), &json!([])));
}

/// An older version stored such texts. A revision that was private is not published with them.
#[tokio::test]
async fn a_serial_code_in_a_revision_is_not_published() {
    let app = app().await;
    let ada = app.player("ada").await;
    let path = stored(&app, &ada, &deck("One", "private", "2 Kettle Imp")).await;
    put(&app, &ada, &path, &deck("Two", "unlisted", "1 Kettle Imp")).await;
    let text = "Mine: 7K33-3333-3333-3333";
    app.sql(&format!(
        "UPDATE deck_revisions SET content = content || jsonb_build_object('description', '{text}') WHERE revision = 1"
    ))
    .await;
    let restore = async |if_match: &str| {
        let request = app.post(&format!("{path}/restore")).by(&ada).header("if-match", if_match);
        request.json(&json!({ "revision": 1 })).answer().await
    };
    restore("\"r1\"").await.problem(412, "precondition_failed");
    let problem = restore("*").await.problem(422, "invalid_body");
    assert_eq!(problem["errors"][0]["pointer"], "/revision", "{problem:#}");
    assert!(!problem.to_string().contains("7K33"), "{problem:#}");
    assert_eq!(app.get(&path).by(&ada).answer().await.expect(200)["name"], "Two");
    put(&app, &ada, &path, &deck("Two", "private", "1 Kettle Imp")).await;
    let restored = restore("*").await.expect(200);
    assert_eq!((&restored["name"], &restored["description"]), (&json!("One"), &json!(text)));
}
