//! Decks that are changed by a patch, or by a list as the body, and what of them stays.

use futures_util::future::join;
use serde_json::{Value, json};

use super::stored_as as stored;
use crate::support::{Answer, Player, RequestExt as _, TestApp, until};

const WAITING: &str = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

async fn app() -> TestApp {
    TestApp::start_seeded(&["ttcg", "emojo-dojo"]).await
}

fn deck() -> Value {
    json!({
        "name": "Draft", "format": "ttcg/standard", "visibility": "unlisted", "description": "Goes *fast*.", "tags": ["aggro"], "folder": "Friday",
        "entries": [{ "quantity": 2, "name": "Kettle Imp", "copies": ["one"] }, { "quantity": 1, "name": "Bellows Smith", "rarity": "rare" }],
    })
}

/// Sends a patch, with an `If-Match` header.
async fn patch(app: &TestApp, by: &Player, path: &str, if_match: &str, body: &Value) -> Answer {
    app.patch(path).by(by).header("if-match", if_match).json(body).answer().await
}

/// The answer without what every change changes.
fn without_version(mut deck: Value) -> Value {
    let members = deck.as_object_mut().unwrap();
    members.retain(|name, _| {
        !["revision", "updated_at", "published_at", "reading"].contains(&name.as_str())
    });
    deck
}

#[tokio::test]
async fn a_patch_changes_only_what_it_names() {
    let app = app().await;
    let ada = app.player("ada").await;
    let path = stored(&app, &ada, &deck()).await;
    let read = app.get(&path).by(&ada).answer().await;
    let mut tag = read.header("etag");
    let mut expected = without_version(read.expect(200));
    for (revision, (body, member, value)) in (2..).zip([
        (json!({ "name": " Embers " }), "name", json!("Embers")),
        (json!({ "tags": ["Fire", "fire", "hot"] }), "tags", json!(["fire", "hot"])),
        (json!({ "tags": null }), "tags", json!([])),
        (json!({ "description": "Slow." }), "description", json!("Slow.")),
        (json!({ "description": null }), "description", json!("")),
        (json!({ "visibility": "public" }), "visibility", json!("public")),
        (json!({ "folder": "Monday", "tags": ["hot"] }), "folder", json!("Monday")),
    ]) {
        let answer = patch(&app, &ada, &path, &tag, &body).await;
        tag = answer.header("etag");
        assert!(tag.starts_with(&format!("\"r{revision}~")), "{body}");
        let changed = answer.expect(200);
        assert_eq!(changed["revision"], json!(revision));
        expected[member] = value;
        if member == "folder" {
            expected["tags"] = json!(["hot"]);
        }
        if member == "description" {
            expected["description_html"] = changed["description_html"].clone();
        }
        assert_eq!(without_version(changed), expected, "{body}");
        let read = app.get(&path).by(&ada).answer().await.expect(200);
        assert_eq!(without_version(read), expected, "{body}");
    }
    let taken_out = patch(&app, &ada, &path, "*", &json!({ "folder": null })).await.expect(200);
    assert_eq!(taken_out.get("folder"), None, "{taken_out:#}");
    let merge = app.patch(&path).by(&ada).header("if-match", "*");
    let merge = merge.header("content-type", "application/merge-patch+json");
    let merged = merge.body(json!({ "name": "Bones" }).to_string()).answer().await.expect(200);
    assert_eq!(merged["name"], "Bones");
    assert_eq!(merged["entries"][0]["copies"], json!(["one"]));
}

#[tokio::test]
async fn a_patch_that_changes_nothing_makes_no_revision() {
    let app = app().await;
    let ada = app.player("ada").await;
    let path = stored(&app, &ada, &deck()).await;
    let read = app.get(&path).by(&ada).answer().await;
    let (tag, before) = (read.header("etag"), read.expect(200));
    let mut same = deck();
    same.as_object_mut().unwrap().remove("entries");
    for body in [json!({}), same, json!({ "tags": ["AGGRO"] })] {
        let answer = patch(&app, &ada, &path, &tag, &body).await;
        assert_eq!(answer.header("etag"), tag);
        assert_eq!(answer.expect(200), before, "{body}");
    }
    assert_eq!(app.db().number("SELECT count(*) FROM deck_revisions").await, 1);
}

/// Only the owner sees the folder.
#[tokio::test]
async fn another_folder_alone_is_no_change_for_others() {
    let app = app().await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    let mut public = deck();
    public["visibility"] = json!("public");
    let path = stored(&app, &ada, &public).await;
    let read = app.get(&path).by(&ada).answer().await;
    let (first_tag, before) = (read.header("etag"), read.expect(200));
    let seen = app.get(&path).by(&eve).answer().await;
    let (seen_tag, seen) = (seen.header("etag"), seen.expect(200));
    let events = "SELECT count(*) FROM events WHERE kind LIKE 'deck.%'";
    let events_before = app.db().number(events).await;
    app.clock().advance(chrono::TimeDelta::minutes(5));

    let moved = patch(&app, &ada, &path, &first_tag, &json!({ "folder": "Monday" })).await;
    let second_tag = moved.header("etag");
    let moved = moved.expect(200);
    assert_eq!(moved["folder"], "Monday");
    for member in ["revision", "updated_at", "entries", "published_at"] {
        assert_eq!(moved[member], before[member], "{member}");
    }
    assert_ne!(first_tag, second_tag);
    let reread = app.get(&path).by(&ada).answer().await;
    assert_eq!((reread.header("etag"), reread.expect(200)), (second_tag.clone(), moved));
    let again = app.get(&path).by(&eve).answer().await;
    assert_eq!((again.header("etag"), again.expect(200)), (seen_tag.clone(), seen));
    assert_eq!(app.db().number("SELECT count(*) FROM deck_revisions").await, 1);
    assert_eq!(app.db().number(events).await, events_before);

    // A client that read another folder, or none, overwrites nothing.
    let name = json!({ "name": "Embers" });
    patch(&app, &ada, &path, &first_tag, &name).await.problem(412, "precondition_failed");
    let taken_out = patch(&app, &ada, &path, &second_tag, &json!({ "folder": null })).await;
    assert_eq!(taken_out.header("etag"), "\"r1\"");
    assert_eq!(taken_out.expect(200).get("folder"), None);
    // Others do not learn whether it is in a folder.
    assert_eq!(app.get(&path).by(&eve).answer().await.header("etag"), seen_tag);
    patch(&app, &ada, &path, &second_tag, &name).await.problem(412, "precondition_failed");
    public["folder"] = json!("Sunday");
    let put = app.put(&path).by(&ada).header("if-match", "\"r1\"").json(&public).answer().await;
    let third_tag = put.header("etag");
    assert_eq!(put.expect(200)["revision"], 1);
    public["folder"] = json!("Tuesday");
    let put = app.put(&path).by(&ada).header("if-match", "\"r1\"").json(&public);
    put.answer().await.problem(412, "precondition_failed");
    let delete = app.delete(&path).by(&ada).header("if-match", "\"r1\"").answer().await;
    delete.problem(412, "precondition_failed");
    assert_eq!(patch(&app, &ada, &path, &third_tag, &name).await.expect(200)["revision"], 2);
    // The text has no folder.
    let text = app.get(&path).by(&ada).header("accept", "text/plain").answer().await;
    let put = app.put(&path).by(&ada).header("if-match", text.header("etag"));
    let put = put.header("content-type", "text/plain").body(text.text()).answer().await;
    assert_eq!(put.expect(200)["folder"], "Sunday");
}

#[tokio::test]
async fn a_wrong_patch_changes_nothing() {
    let app = app().await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    let path = stored(&app, &ada, &deck()).await;
    let before = app.get(&path).by(&ada).answer().await.expect(200);
    let name = json!({ "name": "Embers" });
    app.patch(&path).by(&ada).json(&name).answer().await.problem(428, "precondition_required");
    patch(&app, &ada, &path, "\"r2\"", &name).await.problem(412, "precondition_failed");
    patch(&app, &eve, &path, "*", &name).await.problem(404, "not_found");
    let text =
        app.patch(&path).by(&ada).header("if-match", "*").header("content-type", "text/plain");
    text.body("1 Ping").answer().await.problem(415, "unsupported_media_type");
    let wrong = json!({ "name": " ", "visibility": "secret", "tags": ["x".repeat(31)], "folder": "x".repeat(101), "format": "ttcg" });
    let problem = patch(&app, &ada, &path, "*", &wrong).await.problem(422, "invalid_body");
    assert_eq!(problem["errors"].as_array().unwrap().len(), 5, "{problem:#}");
    for (body, pointer) in [
        (json!({ "entries": [] }), "/entries"),
        (json!({ "nmae": "x" }), "/nmae"),
        (json!({ "name": null }), "/name"),
        (json!({ "format": null }), "/format"),
        (json!({ "visibility": null }), "/visibility"),
        // Cards of another game are other cards, so the entries have to be sent, too.
        (json!({ "format": "emojo-dojo/box" }), "/format"),
    ] {
        let problem = patch(&app, &ada, &path, "*", &body).await.problem(422, "invalid_body");
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{problem:#}");
    }
    for (body, detail) in [
        (json!({ "name": null }), "must be text, not null"),
        (json!({ "format": null }), "must be text, not null"),
        (json!({ "visibility": null }), "must be text, not null"),
        (json!({ "name": 7 }), "must be text, not a number"),
    ] {
        let problem = patch(&app, &ada, &path, "*", &body).await.problem(422, "invalid_body");
        assert_eq!(problem["errors"][0]["detail"], detail, "{problem:#}");
    }
    // Without a secret in it, each of these texts is stored, and others may read it.
    let code = "7K33-3333-3333-3333";
    let published = json!({ "name": code, "description": format!("Mine: {code}!"), "tags": ["aggro", code], "folder": code.replace('-', "") });
    let problem = patch(&app, &ada, &path, "*", &published).await.problem(422, "invalid_body");
    let pointers: Vec<&Value> =
        problem["errors"].as_array().unwrap().iter().map(|fault| &fault["pointer"]).collect();
    assert_eq!(pointers, ["/name", "/description", "/tags/1", "/folder"], "{problem:#}");
    assert!(!problem.to_string().contains("7K33"), "{problem:#}");
    let ordinary = json!({ "name": "standard-2026-meta", "description": "I won with 2500 life left: https://decks.example/deck-01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11" });
    let body = json!({ "name": ordinary["name"], "description": ordinary["description"], "format": "ttcg" });
    let problem = patch(&app, &ada, &path, "*", &body).await.problem(422, "invalid_body");
    assert_eq!(problem["errors"].as_array().unwrap().len(), 1, "{problem:#}");
    let unknown = json!({ "format": "ttcg/standrd" });
    patch(&app, &ada, &path, "*", &unknown).await.problem(422, "unknown_format");
    assert_eq!(app.get(&path).by(&ada).answer().await.expect(200), before);
}

/// A file that was lost on the way does not empty a deck.
#[tokio::test]
async fn an_empty_text_is_no_deck() {
    let app = app().await;
    let ada = app.player("ada").await;
    let path = stored(&app, &ada, &deck()).await;
    let before = app.get(&path).by(&ada).answer().await.expect(200);
    for text in ["", " \r\n\n", "\u{feff}"] {
        let put = app.put(&format!("{path}?format=ttcg/standard")).header("if-match", "*");
        for request in [put, app.post("/v1/decks?format=ttcg/standard")] {
            let request = request.by(&ada).header("content-type", "text/plain");
            let problem = request.body(text.to_owned()).answer().await;
            let problem = problem.problem(422, "invalid_body");
            assert_eq!(problem["errors"][0]["pointer"], "/list", "{text:?}: {problem:#}");
            let detail = problem["errors"][0]["detail"].as_str().unwrap();
            assert!(detail.contains("\"entries\": []"), "{text:?}: {problem:#}");
        }
    }
    // Headings alone were meant to have cards below them.
    for (text, line) in [
        ("Sideboard", 1),
        ("// pasted\n\nDeck\n\nSideboard\n", 3),
        ("Quantity,Name\n", 1),
        // A card outside of the deck is none of it.
        ("Maybeboard\n2 Kettle Imp\n", 2),
    ] {
        let mut body = deck();
        body.as_object_mut().unwrap().remove("entries");
        body["list"] = json!(text);
        let put = app.put(&path).by(&ada).header("if-match", "*").json(&body);
        let problem = put.answer().await.problem(422, "invalid_body");
        let fault = &problem["errors"][0];
        assert!(fault["detail"].as_str().unwrap().starts_with("has no card of the deck"));
        assert_eq!(
            (&fault["pointer"], &fault["line"]),
            (&json!("/list"), &json!(line)),
            "{text:?}"
        );
    }
    assert_eq!(app.get(&path).by(&ada).answer().await.expect(200), before);
    let mut empty = deck();
    empty["entries"] = json!([]);
    let request = app.put(&path).by(&ada).header("if-match", "*").json(&empty);
    assert_eq!(request.answer().await.expect(200)["entries"], json!([]));
}

/// An older version stored such texts. Their owner finds the deck, and removes them before others may read it.
#[tokio::test]
async fn a_serial_code_that_is_stored_is_not_published() {
    let app = app().await;
    let ada = app.player("ada").await;
    let mut private = deck();
    private["visibility"] = json!("private");
    let path = stored(&app, &ada, &private).await;
    let code = "7K33-3333-3333-3333";
    app.sql(&format!("UPDATE decks SET name = '{code}', description = 'Mine: {code}'")).await;
    let found = app.get(&format!("/v1/decks?name={code}")).by(&ada).answer().await.expect(200);
    assert_eq!(found["data"].as_array().unwrap().len(), 1, "{found:#}");
    let public = json!({ "visibility": "public" });
    let list = app.put(&format!("{path}?format=ttcg/standard&visibility=unlisted")).by(&ada);
    let list = list.header("if-match", "*").header("content-type", "text/plain");
    let patched = patch(&app, &ada, &path, "*", &public).await.problem(422, "invalid_body");
    // The values of a list as the body are parameters of the query, and the description is none of them.
    let replaced = list.body("2 Kettle Imp").answer().await.problem(400, "invalid_query");
    assert!(replaced["errors"][1]["detail"].as_str().unwrap().contains("with PATCH"));
    for (problem, expected) in
        [(patched, ["/name", "/description"]), (replaced, ["?name", "?visibility"])]
    {
        let pointers: Vec<&Value> =
            problem["errors"].as_array().unwrap().iter().map(|fault| &fault["pointer"]).collect();
        assert_eq!(pointers, expected, "{problem:#}");
        assert!(!problem.to_string().contains("7K33"), "{problem:#}");
    }
    // A share code does not change the name.
    let exported = app.get(&format!("{path}/export?dialect=share_code")).by(&ada).answer().await;
    let shared = exported.expect(200)["text"].clone();
    let body = json!({ "format": "ttcg/standard", "visibility": "public", "list": shared });
    let put = app.put(&path).by(&ada).header("if-match", "*").json(&body);
    let problem = put.answer().await.problem(422, "invalid_body");
    assert_eq!(problem["errors"][0]["pointer"], "/name", "{problem:#}");
    let kept = patch(&app, &ada, &path, "*", &json!({ "tags": ["fire"] })).await.expect(200);
    assert_eq!(kept["visibility"], "private");
    let cleaned = json!({ "visibility": "public", "name": "Mine", "description": null });
    let shown = patch(&app, &ada, &path, "*", &cleaned).await.expect(200);
    assert_eq!(shown["visibility"], "public");
}

/// A deck whose format was removed from the manifest can still be renamed.
#[tokio::test]
async fn a_format_that_is_not_sent_is_not_checked() {
    let app = app().await;
    let ada = app.player("ada").await;
    let path = stored(&app, &ada, &deck()).await;
    app.sql("UPDATE decks SET format_code = 'lost'").await;
    let changed = patch(&app, &ada, &path, "*", &json!({ "name": "Embers" })).await.expect(200);
    assert_eq!((&changed["name"], &changed["format"]), (&json!("Embers"), &json!("ttcg/lost")));
}

#[tokio::test]
async fn a_list_as_the_body_replaces_the_entries_of_a_deck() {
    let app = app().await;
    let ada = app.player("ada").await;
    let path = stored(&app, &ada, &deck()).await;
    let put = async |query: &str, if_match: &str, list: &str| -> Answer {
        let request = app.put(&format!("{path}{query}")).by(&ada).header("if-match", if_match);
        let request = request.header("content-type", "text/plain");
        request.body(list.to_owned()).answer().await
    };
    let list = "2 Kettle Imp\n3 Pocket Bat";
    let tag = app.get(&path).by(&ada).answer().await.header("etag");
    let answer = put("?format=ttcg/standard", &tag, list).await;
    let tag = answer.header("etag");
    assert!(tag.starts_with("\"r2~"), "{tag}");
    let replaced = answer.expect(200);
    assert_eq!(replaced["reading"]["dialect"], "plain");
    for (member, value) in [
        ("name", json!("Draft")),
        ("visibility", json!("unlisted")),
        ("description", json!("Goes *fast*.")),
        ("tags", json!(["aggro"])),
        ("folder", json!("Friday")),
    ] {
        assert_eq!(replaced[member], value, "{member}: {replaced:#}");
    }
    assert_eq!(replaced["entries"][0]["copies"], json!(["one"]), "the entry did not change");
    assert_eq!(replaced["entries"][1]["name"], "Pocket Bat");
    let stated = "// format: ttcg/standard\n// name: Embers\n1 Kettle Imp";
    let named = put("?visibility=public&folder=Monday", &tag, stated).await.expect(200);
    assert_eq!(
        (&named["name"], &named["visibility"], &named["folder"]),
        (&json!("Embers"), &json!("public"), &json!("Monday"))
    );
    // What a reader gets as text can be sent back.
    let text = app.get(&path).by(&ada).header("accept", "text/plain").answer().await;
    let again = put("", &text.header("etag"), &text.text()).await;
    assert!(again.header("etag").starts_with("\"r3~"), "{}", again.text());
    // The text has no folder, and JSON without a folder would take the deck out of it. No header means any folder.
    let body = json!({ "name": "Embers", "format": "ttcg/standard", "list": "1 Kettle Imp" });
    for tag in [text.header("etag"), "\"r3~*\"".to_owned()] {
        let json = app.put(&path).by(&ada).header("if-match", tag).json(&body).answer().await;
        json.problem(412, "precondition_failed");
    }
    assert_eq!(app.get(&path).by(&ada).answer().await.expect(200)["folder"], "Monday");

    // The line above a share code may be a greeting.
    let exported = app.get(&format!("{path}/export?dialect=share_code")).by(&ada).answer().await;
    let exported = exported.expect(200);
    let code = exported["text"].as_str().unwrap();
    let greeted = put("?format=ttcg/standard", "*", &format!("Tide turner\n{code}")).await;
    let greeted = greeted.expect(200);
    assert_eq!(greeted["reading"]["notes"]["name"], "Tide turner", "{greeted:#}");
    assert_eq!(greeted["name"], "Embers");
    // Only a comment above the code states a name, and an empty one does not.
    for list in [format!("{code}\n// name: Below"), format!("// name:\n{code}")] {
        let body = json!({ "format": "ttcg/standard", "visibility": "public", "list": list });
        let json = app.put(&path).by(&ada).header("if-match", "*").json(&body);
        assert_eq!(json.answer().await.expect(200)["name"], "Embers", "{list}");
        let text = put("?format=ttcg/standard", "*", &list).await.expect(200);
        assert_eq!(text["name"], "Embers", "{list}");
    }
    let replace = async |list: String| -> Value {
        let body = json!({ "format": "ttcg/standard", "visibility": "unlisted", "list": list });
        let request = app.put(&path).by(&ada).header("if-match", "*").json(&body);
        request.answer().await.expect(200)
    };
    assert_eq!(replace(format!("Tide turner\n{code}")).await["name"], "Embers");
    assert_eq!(replace(code.to_owned()).await["name"], "Embers");
    assert_eq!(replace(format!("// name: Zed\n{code}")).await["name"], "Zed");
    let renamed = put("?format=ttcg/standard", "*", &format!("// name: Tide\n{code}")).await;
    assert_eq!(renamed.expect(200)["name"], "Tide");

    put("", "*", "1 Kettle Imp").await.problem(400, "invalid_query");
    put("?format=ttcg", "*", "1 Kettle Imp").await.problem(400, "invalid_query");
    put("?format=ttcg/standard", "\"r1\"", list).await.problem(412, "precondition_failed");
    let json = app.put(&format!("{path}?name=x")).by(&ada).header("if-match", "*").json(&deck());
    json.answer().await.problem(400, "invalid_query");
}

/// What a patch or a list does not state is taken from the version that was read. A later version must not be reverted to it, also if the client accepts any.
#[tokio::test]
async fn a_deck_that_is_changed_meanwhile_is_not_reverted() {
    let app = app().await;
    let ada = app.player("ada").await;
    let mut public = deck();
    public["visibility"] = json!("public");
    let path = stored(&app, &ada, &public).await;
    let id = path.trim_start_matches("/v1/decks/");
    let list = app.put(&format!("{path}?format=ttcg/standard")).by(&ada).header("if-match", "*");
    let list = list.header("content-type", "text/plain").body("1 Kettle Imp");
    let patch = app.patch(&path).by(&ada).header("if-match", "*").json(&json!({ "name": "Bones" }));
    for request in [list, patch] {
        let other = app.db().session().await;
        let change = format!(
            "BEGIN; UPDATE decks SET visibility = 'private', revision = revision + 1, bound_revision = revision + 1 WHERE id = '{id}'"
        );
        other.batch_execute(&change).await.unwrap();
        let commit = async {
            until("the request waits", async |_| app.db().number(WAITING).await > 0).await;
            other.batch_execute("COMMIT").await.unwrap();
        };
        let (answer, ()) = join(request.answer(), commit).await;
        answer.problem(412, "precondition_failed");
        let read = app.get(&path).by(&ada).answer().await.expect(200);
        assert_eq!((&read["visibility"], &read["name"]), (&json!("private"), &json!("Draft")));
        app.get(&path).answer().await.problem(404, "not_found");
    }
}
