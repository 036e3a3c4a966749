//! Stored decks: their content, and their protection against other accounts and lost updates.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::public_decks::query;
use super::stored_as as stored;
use crate::support::{Answer, Player, RequestExt as _, TestApp, seed_data};

async fn app() -> TestApp {
    TestApp::start_seeded(&["ttcg", "emojo-dojo"]).await
}

fn request(name: &str, quantity: u32) -> Value {
    json!({ "name": name, "format": "ttcg/standard", "entries": [{ "quantity": quantity, "name": "Kettle Imp" }] })
}

async fn create(app: &TestApp, owner: &Player, body: &Value) -> Answer {
    app.post("/v1/decks").by(owner).json(body).answer().await
}

/// Replaces a deck, with an `If-Match` header.
async fn put(app: &TestApp, owner: &Player, path: &str, if_match: &str, body: &Value) -> Answer {
    app.put(path).by(owner).header("if-match", if_match).json(body).answer().await
}

/// A public deck names its author, as its rows in lists do. An unlisted deck does not, because its owner has not published anything.
#[tokio::test]
async fn a_deck_names_its_author() {
    let app = app().await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    let mut paths = Vec::new();
    for visibility in ["public", "unlisted", "private"] {
        let mut body = request(visibility, 1);
        body["visibility"] = json!(visibility);
        let created = create(&app, &ada, &body).await;
        paths.push(created.header("location"));
        assert_eq!(created.expect(201)["author"], "ada");
        let path = &paths[paths.len() - 1];
        let replaced = put(&app, &ada, path, "*", &body).await.expect(200);
        assert_eq!(replaced["author"], "ada");
        assert_eq!(app.get(path).by(&ada).answer().await.expect(200)["author"], "ada");
    }
    // The id of the account would tell as much as the name: public decks of the same owner show both.
    let owner = |read: &Value| {
        let member = |name: &str| read.get(name).and_then(Value::as_str).map(str::to_owned);
        (member("author"), member("account_id"))
    };
    let ada_told = (Some("ada".to_owned()), Some(ada.id.clone()));
    for (path, owners) in paths.iter().zip([ada_told.clone(), (None, None)]) {
        let read = app.get(path).answer().await.expect(200);
        assert_eq!(owner(&read), owners, "{read:#}");
        let read = app.get(path).by(&eve).answer().await.expect(200);
        assert_eq!(owner(&read), owners, "{read:#}");
        let own = app.get(path).by(&ada).answer().await.expect(200);
        assert_eq!(owner(&own), ada_told, "{own:#}");
    }
    // The owner and other readers see an unlisted deck differently, so its tags differ.
    let own = app.get(&paths[1]).by(&ada).answer().await.header("etag");
    assert_ne!(app.get(&paths[1]).answer().await.header("etag"), own);
    app.sql("UPDATE accounts SET banned_at = now() WHERE name = 'ada'").await;
    app.get(&paths[0]).answer().await.problem(404, "not_found");
}

#[tokio::test]
async fn a_deck_is_stored_read_replaced_and_deleted() {
    let app = app().await;
    let ada = app.player("ada").await;
    let answer = create(&app, &ada, &request("Draft", 2)).await;
    let path = answer.header("location");
    assert_eq!(answer.header("etag"), "\"r1\"");
    let created = answer.expect(201);
    assert_eq!(path, format!("/v1/decks/{}", created["id"].as_str().unwrap()));
    assert_eq!(
        (&created["visibility"], &created["account_id"]),
        (&json!("private"), &json!(ada.id))
    );
    assert_eq!(
        (&created["game"], &created["format"], &created["card_count"]),
        (&json!("ttcg"), &json!("ttcg/standard"), &json!(2))
    );

    let read = app.get(&path).by(&ada).answer().await;
    assert_eq!(read.header("cache-control"), "private, no-cache");
    assert_eq!(read.clone().expect(200), created);
    let again = app.get(&path).by(&ada).header("if-none-match", read.header("etag")).answer().await;
    assert_eq!((again.status, again.bytes.len()), (304, 0));

    let body = json!({
        "name": "Final", "format": "emojo-dojo/box:half", "visibility": "public",
        "entries": [
            { "zone": "side", "quantity": 1, "name": "Sensei", "set": "box", "number": "011", "rarity": "standard" },
            { "quantity": 10000, "name": "A card that nobody made" },
        ],
    });
    let replaced = put(&app, &ada, &path, "\"r1\"", &body).await;
    assert_eq!(replaced.header("etag"), "\"r2\"");
    let replaced = replaced.expect(200);
    assert_eq!(replaced["entries"][0], body["entries"][0]);
    assert_eq!(
        replaced["entries"][1],
        json!({ "zone": "main", "quantity": 10000, "name": "A card that nobody made" })
    );
    assert_eq!(
        (&replaced["format"], &replaced["card_count"]),
        (&json!("emojo-dojo/box:half"), &json!(10001))
    );
    assert_eq!(replaced["created_at"], created["created_at"]);
    assert_eq!(app.get(&path).by(&ada).answer().await.expect(200), replaced);

    app.delete(&path).by(&ada).header("if-match", "\"r2\"").answer().await.expect(204);
    app.get(&path).by(&ada).answer().await.problem(404, "not_found");
    put(&app, &ada, &path, "\"r2\"", &body).await.problem(404, "not_found");
    app.delete(&path)
        .by(&ada)
        .header("if-match", "\"r2\"")
        .answer()
        .await
        .problem(404, "not_found");
    assert_eq!(app.get("/v1/decks").by(&ada).answer().await.expect(200)["data"], json!([]));
}

#[tokio::test]
async fn unchanged_entries_are_not_written_again() {
    let app = app().await;
    let ada = app.player("ada").await;
    let deck = |quantity: u32| {
        let entries = json!([
            { "quantity": 2, "name": "Kettle Imp", "copies": ["one"] }, { "quantity": quantity, "name": "Bellows Smith", "rarity": "rare" },
        ]);
        json!({ "name": "Draft", "format": "ttcg/standard", "entries": entries })
    };
    let path = create(&app, &ada, &deck(1)).await.header("location");
    put(&app, &ada, &path, "*", &deck(2)).await.expect(200);
    let entries = app.get(&path).by(&ada).answer().await.expect(200)["entries"].clone();
    assert_eq!((&entries[0]["quantity"], &entries[1]["quantity"]), (&json!(2), &json!(2)));
    assert_eq!(app.db().number("SELECT count(DISTINCT xmin::text) FROM deck_entries").await, 2);
    put(&app, &ada, &path, "*", &deck(2)).await.expect(200);
    assert_eq!(app.db().number("SELECT count(DISTINCT xmin::text) FROM deck_entries").await, 2);
    let written = "SELECT count(*) FROM deck_entries e JOIN deck_revisions r ON r.revision = 3 AND r.xmin = e.xmin";
    assert_eq!(app.db().number(written).await, 0, "no entry has changed");
}

/// Copies are any texts, also those that mean something in an array of Postgres.
#[tokio::test]
async fn names_of_copies_are_stored_as_they_are() {
    let app = app().await;
    let ada = app.player("ada").await;
    let copies = ["NULL", "a, b", "{c}", "\"d\"", "e\\", "\\\"", "ü 🃏", "'f'"];
    let mut body = request("Draft", 10);
    body["entries"][0]["copies"] = json!(copies);
    let created = create(&app, &ada, &body).await;
    let path = created.header("location");
    assert_eq!(created.expect(201)["entries"][0]["copies"], json!(copies));
    let read = app.get(&path).by(&ada).answer().await.expect(200);
    assert_eq!(read["entries"][0]["copies"], json!(copies));
    let fewer = &copies[3..];
    body["entries"][0]["copies"] = json!(fewer);
    put(&app, &ada, &path, "*", &body).await.expect(200);
    let read = app.get(&path).by(&ada).answer().await.expect(200);
    assert_eq!(read["entries"][0]["copies"], json!(fewer));
    let before = app.get(&format!("{path}/revisions/1")).by(&ada).answer().await.expect(200);
    assert_eq!(before["entries"][0]["copies"], json!(copies));
}

/// Another program may leave gaps between the positions of entries. They are closed when the deck is saved.
#[tokio::test]
async fn gaps_between_entries_are_closed() {
    let app = app().await;
    let ada = app.player("ada").await;
    let mut body = request("Draft", 2);
    body["entries"] = json!([
        { "zone": "main", "quantity": 2, "name": "Kettle Imp" },
        { "zone": "main", "quantity": 1, "name": "Bellows Smith" },
    ]);
    let path = create(&app, &ada, &body).await.header("location");
    app.sql("UPDATE deck_entries SET position = position + 3").await;
    body["name"] = json!("Draft without gaps");
    put(&app, &ada, &path, "*", &body).await.expect(200);
    let read = app.get(&path).by(&ada).answer().await.expect(200);
    assert_eq!(read["entries"], body["entries"]);
    let positions = "SELECT string_agg(position::text, ' ' ORDER BY position) FROM deck_entries";
    assert_eq!(app.db().value(positions).await, "0 1");
}

#[tokio::test]
async fn an_edit_names_the_version_it_changes() {
    let app = app().await;
    let ada = app.player("ada").await;
    let path = stored(&app, &ada, &request("Draft", 2)).await;
    let body = request("Changed", 1);
    app.put(&path).by(&ada).json(&body).answer().await.problem(428, "precondition_required");
    app.delete(&path).by(&ada).answer().await.problem(428, "precondition_required");
    for stale in ["\"r0\"", "\"r2\"", "W/\"r1\"", "\"\""] {
        put(&app, &ada, &path, stale, &body).await.problem(412, "precondition_failed");
        let deleted = app.delete(&path).by(&ada).header("if-match", stale).answer().await;
        deleted.problem(412, "precondition_failed");
    }
    // A value without quotation marks is not a tag. The answer must not be 412, which reports an old version.
    for no_tag in ["r1", "\"r1\", r2", "\"r1"] {
        put(&app, &ada, &path, no_tag, &body).await.problem(400, "invalid_header");
    }
    assert_eq!(app.get(&path).by(&ada).answer().await.expect(200)["name"], "Draft");
    put(&app, &ada, &path, "\"r7\", \"r1\"", &body).await.expect(200);
    put(&app, &ada, &path, "*", &request("Changed again", 1)).await.expect(200);
    put(&app, &ada, &path, "\"r3-text-gzip\"", &request("Changed", 2)).await.expect(200);
    app.delete(&path)
        .by(&ada)
        .header("if-match", "\"r3\"")
        .answer()
        .await
        .problem(412, "precondition_failed");
}

#[tokio::test]
async fn exactly_one_of_parallel_edits_succeeds() {
    let app = app().await;
    let ada = app.player("ada").await;
    let path = stored(&app, &ada, &request("Draft", 1)).await;
    for round in 1..5 {
        let bodies: Vec<Value> =
            (2..10).map(|number| request(&format!("Draft {round} {number}"), number)).collect();
        let if_match = format!("\"r{round}\"");
        let answers =
            join_all(bodies.iter().map(|body| put(&app, &ada, &path, &if_match, body))).await;
        let (won, lost): (Vec<_>, Vec<_>) =
            answers.into_iter().partition(|answer| answer.status == 200);
        assert_eq!(won.len(), 1);
        assert!(lost.iter().all(|answer| answer.status == 412), "{lost:?}");
        assert_eq!(app.get(&path).by(&ada).answer().await.expect(200), won[0].json());
    }
}

#[tokio::test]
async fn a_reader_never_sees_half_an_edit() {
    let app = app().await;
    let ada = app.player("ada").await;
    let path = stored(&app, &ada, &request("1", 1)).await;
    let writer = async {
        for number in 2..60 {
            put(&app, &ada, &path, "*", &request(&number.to_string(), number)).await.expect(200);
        }
    };
    let reader = async {
        let mut last = String::new();
        while last != "59" {
            let deck = app.get(&path).by(&ada).answer().await.expect(200);
            last = deck["name"].as_str().unwrap().to_owned();
            assert_eq!(deck["card_count"].to_string(), last);
        }
    };
    tokio::join!(writer, reader);
}

#[tokio::test]
async fn a_private_deck_does_not_exist_for_others() {
    let app = app().await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    let (admin, moderator) = (app.admin().await, app.moderator().await);
    let path = stored(&app, &ada, &request("Secret", 2)).await;
    let missing = "/v1/decks/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";
    for path in [path.as_str(), missing] {
        for other in [&eve, &admin, &moderator] {
            app.get(path).by(other).answer().await.problem(404, "not_found");
            app.get(&format!("{path}/report")).by(other).answer().await.problem(404, "not_found");
            put(&app, other, path, "*", &request("Mine", 1)).await.problem(404, "not_found");
            app.delete(path)
                .by(other)
                .header("if-match", "*")
                .answer()
                .await
                .problem(404, "not_found");
        }
        app.get(path).answer().await.problem(404, "not_found");
        app.get(&format!("{path}/report")).answer().await.problem(404, "not_found");
    }
    assert_eq!(app.get("/v1/decks").by(&eve).answer().await.expect(200)["data"], json!([]));

    // A token of the owner without the scope decks:read reads only what an anonymous client reads.
    let scopes = json!({ "name": "t", "scopes": ["catalogue:read"] });
    let token = app.post("/v1/tokens").by(&ada).json(&scopes).answer().await.expect(201);
    let secret = token["secret"].as_str().unwrap();
    app.get(&path).bearer_auth(secret).answer().await.problem(404, "not_found");
    app.get("/v1/decks").bearer_auth(secret).answer().await.problem(403, "scope_missing");

    let public =
        json!({ "name": "Open", "format": "ttcg/standard", "visibility": "public", "entries": [] });
    put(&app, &ada, &path, "\"r1\"", &public).await.expect(200);
    let seen = app.get(&path).answer().await;
    assert_eq!(
        seen.header("cache-control"),
        "private, no-cache",
        "the deck may become private at any time"
    );
    assert_eq!(seen.expect(200)["name"], "Open");
    app.get(&path).bearer_auth(secret).answer().await.expect(200);
    app.get(&format!("{path}/report")).answer().await.expect(200);
    put(&app, &eve, &path, "\"r2\"", &request("Mine", 1)).await.problem(404, "not_found");
    app.delete(&path).by(&admin).header("if-match", "*").answer().await.problem(404, "not_found");
    app.put(&path)
        .header("if-match", "*")
        .json(&public)
        .answer()
        .await
        .problem(401, "unauthenticated");
}

#[tokio::test]
async fn a_repeated_request_stores_one_deck() {
    let app = app().await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    let send = async |owner: &Player, body: &Value| {
        app.post("/v1/decks").by(owner).header("idempotency-key", "k").json(body).answer().await
    };
    let body = request("Draft", 2);
    let first = send(&ada, &body).await;
    let again = send(&ada, &body).await;
    assert_eq!(
        (first.header("location"), first.header("etag")),
        (again.header("location"), again.header("etag"))
    );
    assert_eq!(first.expect(201), again.clone().expect(201));
    send(&ada, &request("Draft", 1)).await.problem(422, "idempotency_key_reused");
    assert_ne!(send(&eve, &body).await.header("location"), again.header("location"));
    let path = again.header("location");
    app.delete(&path).by(&ada).header("if-match", "*").answer().await.expect(204);
    send(&ada, &body).await.problem(410, "gone");

    let race = json!({ "name": "race", "format": "ttcg/standard", "list": "1 Kettle Imp" });
    let answers = join_all((0..8).map(|_| {
        app.post("/v1/decks").by(&ada).header("idempotency-key", "race").json(&race).answer()
    }))
    .await;
    let (created, refused): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|answer| answer.status == 201);
    for answer in refused {
        answer.problem(409, "idempotency_in_progress");
    }
    assert!(!created.is_empty());
    for answer in &created {
        assert_eq!(answer.header("location"), created[0].header("location"));
    }
    assert_eq!(
        app.get("/v1/decks").by(&ada).answer().await.expect(200)["data"].as_array().unwrap().len(),
        1
    );
}

/// The format of a deck may be gone when its request is repeated.
#[tokio::test]
async fn a_repeated_request_is_not_judged_again() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let mut source = seed_data("magic");
    source.manifest.text += "\n[[formats]]\ncode = \"season\"\nname = \"Season\"\nversion = \"1\"\n\
         [[formats.rules]]\nrule = \"r\"\ntext = \"t.\"\nentry_quantity = { min = 1 }\n";
    app.import(&source).await.unwrap();
    let entry = json!({ "quantity": 1, "name": "Somebody" });
    let body = json!({ "name": "Draft", "format": "magic/season", "entries": [entry] });
    let send = async |key: &str| {
        app.post("/v1/decks").by(&ada).header("idempotency-key", key).json(&body).answer().await
    };
    let first = send("k").await;
    let path = first.header("location");
    let created = first.expect(201);
    app.import(&seed_data("magic")).await.unwrap();
    let again = send("k").await;
    assert_eq!(again.header("location"), path);
    assert_eq!(again.expect(201), created);
    send("other").await.problem(422, "unknown_format");
    app.delete(&path).by(&ada).header("if-match", "*").answer().await.expect(204);
    send("k").await.problem(410, "gone");
}

#[tokio::test]
async fn an_account_has_at_most_a_thousand_decks() {
    let app = app().await;
    let ada = app.player("ada").await;
    let fill = format!(
        "INSERT INTO decks (id, account_id, game_code, format_code, name, visibility, revision, created_at, updated_at) \
         SELECT gen_random_uuid(), '{}', 'ttcg', 'standard', 'n', 'private', 1, now(), now() FROM generate_series(1, 999)",
        ada.id
    );
    app.sql(&fill).await;
    let keys: Vec<String> = (0..4).map(|number| format!("k{number}")).collect();
    let body = request("one more", 1);
    let send = |key: &str| {
        app.post("/v1/decks").by(&ada).header("idempotency-key", key).json(&body).answer()
    };
    let answers = join_all(keys.iter().map(|key| send(key))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    for answer in answers.iter().filter(|answer| answer.status != 201) {
        answer.clone().problem(409, "too_many_decks");
    }
    // A refused request does not use up its idempotency key.
    let created = answers.iter().find(|answer| answer.status == 201).unwrap().header("location");
    app.delete(&created).by(&ada).header("if-match", "*").answer().await.expect(204);
    let refused = answers.iter().position(|answer| answer.status == 409).unwrap();
    send(&keys[refused]).await.expect(201);
}

#[tokio::test]
async fn invalid_input_is_reported_field_by_field() {
    let app = app().await;
    let ada = app.player("ada").await;
    let bad = json!({
        "name": " ", "format": "ttcg", "visibility": "secret",
        "entries": [
            { "quantity": 0, "name": "" },
            { "quantity": 1, "name": "Ping" },
            { "quantity": 10001, "name": "a\u{202e}b", "zone": "", "set": "", "number": "x".repeat(65), "rarity": "\n" },
        ],
    });
    let problem = create(&app, &ada, &bad).await.problem(422, "invalid_body");
    let pointers: Vec<&str> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["pointer"].as_str().unwrap())
        .collect();
    let expected = [
        "/name",
        "/format",
        "/visibility",
        "/entries/0/name",
        "/entries/0/quantity",
        "/entries/2/zone",
        "/entries/2/name",
        "/entries/2/set",
        "/entries/2/number",
        "/entries/2/rarity",
        "/entries/2/quantity",
    ];
    assert_eq!(pointers, expected);

    let entry = json!({ "quantity": 1, "name": "Ping" });
    for (wrong, pointer) in [
        (json!({ "name": "n", "format": "ttcg/standard" }), ""),
        (json!({ "name": "n", "format": "ttcg/standard", "entries": [], "list": "" }), ""),
        (json!({ "name": "n", "format": "ttcg/standard", "entries": [], "id": 1 }), "/id"),
        (
            json!({ "name": "n", "format": "ttcg/standard", "entries": [{ "quantity": -1, "name": "x" }] }),
            "/entries/0/quantity",
        ),
        (
            json!({ "name": "n", "format": "ttcg/standard", "entries": [{ "quantity": 1.5, "name": "x" }] }),
            "/entries/0/quantity",
        ),
        (
            json!({ "name": "n", "format": "ttcg/standard", "entries": [{ "quantity": 99_999_999_999_u64, "name": "x" }] }),
            "/entries/0/quantity",
        ),
        (
            json!({ "name": "n", "format": "ttcg/standard", "entries": [{ "quantity": 1 }] }),
            "/entries/0/name",
        ),
        (
            json!({ "name": "n", "format": "ttcg/standard", "entries": vec![entry.clone(); 501] }),
            "/entries",
        ),
        (
            json!({ "name": "n", "format": "ttcg/standard", "list": "1 Ping\n".repeat(501) }),
            "/list",
        ),
        (json!({ "name": "x".repeat(101), "format": "ttcg/standard", "entries": [] }), "/name"),
    ] {
        let problem = create(&app, &ada, &wrong).await.problem(422, "invalid_body");
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{problem}");
    }
    // Faults of the form and of texts are listed together.
    let both = json!({ "name": "n", "format": "ttcg/standard", "tags": ["ok", "x".repeat(31)], "entries": [{ "quantity": -1, "name": "x" }] });
    let problem = create(&app, &ada, &both).await.problem(422, "invalid_body");
    let pointers: Vec<&str> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["pointer"].as_str().unwrap())
        .collect();
    assert_eq!(pointers, ["/entries/0/quantity", "/tags/1"], "{problem}");
    for format in ["ttcg/nothing", "chess/standard", "ttcg/standard:half", "emojo-dojo/box:quarter"]
    {
        let body = json!({ "name": "n", "format": format, "entries": [] });
        create(&app, &ada, &body).await.problem(422, "unknown_format");
    }
    let many = json!({ "name": "n", "format": "ttcg/standard", "entries": vec![entry; 500] });
    assert_eq!(
        create(&app, &ada, &many).await.expect(201)["entries"].as_array().unwrap().len(),
        500
    );
    let empty = json!({ "name": "n", "format": "ttcg/standard", "entries": [] });
    create(&app, &ada, &empty).await.expect(201);
    assert_eq!(
        app.db().value("SELECT count(*) FROM decks").await,
        "2",
        "refused decks are not stored"
    );
    for path in ["/v1/decks/7", "/v1/decks/x/report"] {
        app.get(path).answer().await.problem(404, "not_found");
    }
}

#[tokio::test]
async fn unreadable_lines_are_reported_and_stored() {
    let app = app().await;
    let ada = app.player("ada").await;
    let list = "// a comment\n2 Kettle Imp\nnonsense without a number\n\n0 Bellows Smith\n99999 Pocket Bat\n1 Ping";
    let body = json!({ "name": "n", "format": "ttcg/standard", "list": list, "dialect": "own" });
    let created = create(&app, &ada, &body).await.expect(201);
    let statuses: Vec<(u64, &str)> = created["reading"]["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| (line["line"].as_u64().unwrap(), line["status"].as_str().unwrap()))
        .collect();
    let expected = [
        (1, "ignored"),
        (2, "accepted"),
        (3, "unknown"),
        (5, "refused"),
        (6, "refused"),
        (7, "unknown"),
    ];
    assert_eq!(statuses, expected, "{created:#}");
    let unread = json!([
        { "line": 5, "text": "0 Bellows Smith", "detail": "quantity must be 1 to 10000" },
        { "line": 6, "text": "99999 Pocket Bat", "detail": "quantity must be 1 to 10000" },
    ]);
    assert_eq!(created["unread_lines"], unread);
    let path = format!("/v1/decks/{}", created["id"].as_str().unwrap());
    let read = app.get(&path).by(&ada).answer().await.expect(200);
    assert_eq!((&read["unread_lines"], read.get("reading")), (&unread, None));
    assert_eq!(read["entries"][1]["name"], "nonsense without a number");
    let text = app.get(&path).by(&ada).header("accept", "text/plain").answer().await.text();
    assert!(text.contains("// line 6 (quantity must be 1 to 10000): 99999 Pocket Bat"), "{text}");

    // A list without any readable line is not stored as a deck.
    let body = json!({ "name": "n", "format": "ttcg/standard", "list": "0 Ping\n99999 Pong" });
    let problem = create(&app, &ada, &body).await.problem(422, "unreadable_deck_list");
    let lines: Vec<i64> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["line"].as_i64().unwrap())
        .collect();
    assert_eq!(lines, [1, 2], "{problem}");
    assert!(problem["errors"].as_array().unwrap().iter().all(|fault| fault["pointer"] == "/list"));
    // A deck keeps 500 unread lines, and a list with more is refused with this limit.
    let many = format!("1 Ping\n{}", "0 Pong\n".repeat(501));
    let body = json!({ "name": "n", "format": "ttcg/standard", "list": many });
    let problem = create(&app, &ada, &body).await.problem(422, "unreadable_deck_list");
    let detail = "501 lines of the list cannot be read; a deck keeps at most 500 such lines.";
    assert_eq!(problem["detail"], detail, "{problem}");
    assert_eq!(problem["errors"].as_array().unwrap().len(), 500);
    assert_eq!(app.db().value("SELECT count(*) FROM decks").await, "1");
}

#[tokio::test]
async fn a_deck_exported_as_text_is_read_back_unchanged() {
    let app = app().await;
    let ada = app.player("ada").await;
    let entries = json!([
        { "zone": "main", "quantity": 2, "name": "Kettle Imp" },
        { "zone": "main", "quantity": 1, "name": "Kettle Imp", "set": "hearth", "number": "001", "rarity": "primal_rare" },
        { "zone": "main", "quantity": 3, "name": "Vesper, Last Light Out", "rarity": "rare" },
        { "zone": "main", "quantity": 10000, "name": "Everyone’s “Crying” 🫠" },
        { "zone": "main", "quantity": 1, "name": "4x4 Lorry", "set": "veil" },
        { "zone": "side", "quantity": 1, "name": "Bone Fiddler" },
    ]);
    let body = json!({ "name": "// odd {name} (1) #2", "format": "ttcg/standard", "visibility": "public", "entries": entries });
    let path = stored(&app, &ada, &body).await;
    let json = app.get(&path).answer().await;
    let text = app.get(&path).header("accept", "text/plain").answer().await;
    assert_eq!(text.header("content-type"), "text/plain; charset=utf-8");
    assert_ne!(text.header("etag"), json.header("etag"), "the text form has another tag");
    assert!(text.header("vary").contains("Accept"), "{}", text.header("vary"));
    let list = json!({ "name": "back", "format": "ttcg/standard", "list": text.text() });
    assert_eq!(create(&app, &ada, &list).await.expect(201)["entries"], entries, "{}", text.text());

    let not_modified =
        app.get(&path).header("accept", "text/plain").header("if-none-match", text.header("etag"));
    assert_eq!(not_modified.answer().await.status, 304);
    let other_form =
        app.get(&path).header("accept", "text/plain").header("if-none-match", json.header("etag"));
    assert_eq!(other_form.answer().await.status, 200);
    assert_eq!(
        app.get(&path).header("if-none-match", text.header("etag")).answer().await.status,
        200
    );
}

#[tokio::test]
async fn own_decks_are_listed_page_by_page() {
    let app = app().await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    for number in 0..5_u32 {
        stored(&app, &ada, &request(&format!("deck {number}"), number + 1)).await;
    }
    let box_deck = json!({ "name": "box", "format": "emojo-dojo/box", "entries": [] });
    stored(&app, &ada, &box_deck).await;
    stored(&app, &eve, &request("hers", 1)).await;

    let mut names = Vec::new();
    let mut path = "/v1/decks?game=ttcg&limit=2".to_owned();
    loop {
        let answer = app.get(&path).by(&ada).answer().await;
        let link = answer.header("link");
        let page = answer.expect(200);
        for deck in page["data"].as_array().unwrap() {
            assert!(deck.get("entries").is_none());
            names.push(format!("{} {}", deck["name"].as_str().unwrap(), deck["card_count"]));
        }
        // A deck that is stored between two requests does not move the pages.
        stored(&app, &ada, &request("late", 1)).await;
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/v1/decks?game=ttcg&limit=2&cursor={cursor}");
        assert_eq!(link, format!("<{path}>; rel=\"next\""));
    }
    assert_eq!(names, ["deck 4 5", "deck 3 4", "deck 2 3", "deck 1 2", "deck 0 1"]);
    let boxes = app.get("/v1/decks?game=emojo-dojo").by(&ada).answer().await.expect(200);
    assert_eq!(
        (boxes["data"].as_array().unwrap().len(), &boxes["data"][0]["card_count"]),
        (1, &json!(0))
    );
    app.get("/v1/decks?game=%00").by(&ada).answer().await.problem(400, "invalid_query");
    for (query, code) in [
        ("cursor=nonsense", "invalid_cursor"),
        ("limit=0", "invalid_query"),
        ("limit=201", "invalid_query"),
        ("limit=x", "invalid_query"),
        ("owner=eve", "invalid_query"),
    ] {
        app.get(&format!("/v1/decks?{query}")).by(&ada).answer().await.problem(400, code);
    }
    app.get("/v1/decks").answer().await.problem(401, "unauthenticated");
}

#[tokio::test]
async fn own_decks_are_found_by_name_in_any_case_and_by_format() {
    let app = app().await;
    let ada = app.player("ada").await;
    for (name, format) in [
        ("Die größte Größe", "ttcg/standard"),
        ("Ο Σίσυφος", "ttcg/standard:by_name"),
        ("Box", "emojo-dojo/box:half"),
    ] {
        let mut body = request(name, 1);
        body["format"] = json!(format);
        stored(&app, &ada, &body).await;
    }
    let (sizes, sisyphus) = ("Die größte Größe", "Ο Σίσυφος");
    for (filter, value, expected) in [
        ("name", "GRÖSSE", vec![sizes]),
        ("name", "grösse", vec![sizes]),
        ("name", "GRÖẞE", vec![sizes]),
        ("name", "ΣΊΣΥΦΟΣ", vec![sisyphus]),
        ("name", "σίσυφοσ", vec![sisyphus]),
        ("name", "größen", vec![]),
        // The default variant is the same format with or without its name.
        ("format", "ttcg/standard", vec![sisyphus, sizes]),
        ("format", "ttcg/standard:by_name", vec![sisyphus, sizes]),
        ("format", "emojo-dojo/box:half", vec!["Box"]),
        ("format", "emojo-dojo/box", vec![]),
        ("format", "emojo-dojo/box:full", vec![]),
        ("format", "ttcg/no-such-format", vec![]),
        ("format", "no-such-game/standard", vec![]),
    ] {
        let path = format!("/v1/decks?{filter}={}", query(value));
        let page = app.get(&path).by(&ada).answer().await.expect(200);
        let found = page["data"].as_array().unwrap().iter();
        let found: Vec<&str> = found.map(|deck| deck["name"].as_str().unwrap()).collect();
        assert_eq!(found, expected, "{filter}={value}");
    }
}

#[tokio::test]
async fn own_decks_are_listed_in_the_chosen_order() {
    let app = app().await;
    let ada = app.player("ada").await;
    for name in ["beta", "Alpha", "gamma", "alpha"] {
        stored(&app, &ada, &request(name, 1)).await;
    }
    app.sql("UPDATE decks SET updated_at = updated_at + interval '1 hour' WHERE name = 'beta'")
        .await;
    app.sql("UPDATE decks SET like_count = 3 WHERE name = 'gamma'").await;
    for (sort, expected) in [
        ("", ["alpha", "gamma", "Alpha", "beta"]),
        ("&sort=created", ["alpha", "gamma", "Alpha", "beta"]),
        ("&sort=updated", ["beta", "alpha", "gamma", "Alpha"]),
        ("&sort=name", ["Alpha", "alpha", "beta", "gamma"]),
        ("&sort=likes", ["gamma", "alpha", "Alpha", "beta"]),
    ] {
        let mut names = Vec::new();
        let mut path = format!("/v1/decks?limit=1{sort}");
        loop {
            let page = app.get(&path).by(&ada).answer().await.expect(200);
            names.extend(page["data"].as_array().unwrap().iter().map(|deck| deck["name"].clone()));
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            path = format!("/v1/decks?limit=1{sort}&cursor={cursor}");
        }
        assert_eq!(names, expected, "{sort}");
    }
    let page = app.get("/v1/decks?limit=1&sort=name").by(&ada).answer().await.expect(200);
    let cursor = page["next_cursor"].as_str().unwrap();
    for sort in ["", "&sort=created", "&sort=updated", "&sort=likes"] {
        let path = format!("/v1/decks?limit=1{sort}&cursor={cursor}");
        app.get(&path).by(&ada).answer().await.problem(400, "invalid_cursor");
    }
    let wrong = app.get("/v1/decks?sort=nmae").by(&ada).answer().await;
    let wrong = wrong.problem(400, "invalid_query");
    assert_eq!(wrong["errors"][0]["pointer"], "?sort");
    // A fault of another parameter does not make the cursor a fault.
    let wrong = app.get(&format!("/v1/decks?sort=nmae&cursor={cursor}")).by(&ada).answer().await;
    assert_eq!(wrong.problem(400, "invalid_query")["errors"].as_array().unwrap().len(), 1);
}
