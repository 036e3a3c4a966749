//! Cards and sets that admins edit.

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::support::{
    Player, RequestExt as _, TestApp, edit_set, import_into, seed_data, set_file,
};

const OPEN: &str = "/v1/games/ttcg/sets/hearth/cards/001";

/// The card under a path as this player sees it, with its ETag.
async fn read(app: &TestApp, by: &Player, path: &str) -> (Value, String) {
    let answer = app.get(path).by(by).answer().await;
    let etag = answer.header("etag");
    (answer.expect(200), etag)
}

fn edit(app: &TestApp, by: &Player, path: &str, etag: &str, patch: &Value) -> RequestBuilder {
    app.patch(path).by(by).header("if-match", etag).json(patch)
}

fn path_of(card: &Value) -> String {
    format!("/v1/cards/{}", card["id"].as_str().unwrap())
}

#[tokio::test]
async fn a_card_edit_needs_the_etag_that_was_read() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let (before, etag) = read(&app, &admin, OPEN).await;
    let path = path_of(&before);
    let patch = json!({ "lore": "Written anew.", "attributes": { "attack": before["attributes"]["attack"] } });
    app.patch(&path).by(&admin).json(&patch).answer().await.problem(428, "precondition_required");

    // First as a dry run, which changes nothing.
    let rehearsed =
        edit(&app, &admin, &format!("{path}?dry_run=true"), &etag, &patch).answer().await;
    assert_eq!(rehearsed.header("etag"), "");
    assert_eq!(rehearsed.expect(200)["lore"], "Written anew.");
    assert_eq!(read(&app, &admin, OPEN).await, (before.clone(), etag.clone()));

    let answer = edit(&app, &admin, &path, &etag, &patch)
        .header("content-type", "application/merge-patch+json")
        .answer()
        .await;
    let new_etag = answer.header("etag");
    let after = answer.expect(200);
    assert_eq!(read(&app, &admin, OPEN).await, (after.clone(), new_etag.clone()));
    assert_ne!(etag, new_etag);
    let mut wanted = before.clone();
    wanted["lore"] = "Written anew.".into();
    wanted["updated_at"] = after["updated_at"].clone();
    assert_eq!(after, wanted);
    // Anonymous clients see the edit, and the search finds it.
    assert_eq!(app.get(OPEN).answer().await.expect(200), after);
    let found = app.get("/v1/cards?q=lore:%22written%20anew%22").answer().await.expect(200);
    assert_eq!(found["data"][0]["id"], after["id"]);

    edit(&app, &admin, &path, &etag, &patch).answer().await.problem(412, "precondition_failed");
    // An edit that changes nothing writes no entry into the audit log.
    let entries = "SELECT count(*) FROM audit_log WHERE action = 'card.changed'";
    assert_eq!(app.db().value(entries).await, "1");
    let same = edit(&app, &admin, &path, &new_etag, &patch).answer().await;
    assert_eq!((same.header("etag"), same.status), (new_etag.clone(), 200));
    assert_eq!(app.db().value(entries).await, "1");
    let without_lore =
        edit(&app, &admin, &path, &new_etag, &json!({ "lore": null })).answer().await;
    assert_eq!(without_lore.expect(200).get("lore"), None);
    let log = app.get("/v1/audit-log").by(&admin).answer().await.expect(200);
    assert_eq!(log["data"][0]["action"], "card.changed");
    assert_eq!(log["data"][0]["target"], format!("card:{}", before["id"].as_str().unwrap()));
    assert_eq!(log["data"][0]["actor_id"], admin.id.as_str());
    let feed = app.get("/v1/changes?after=0&limit=200").answer().await.expect(200);
    let events =
        feed["data"].as_array().unwrap().iter().filter(|event| event["kind"] == "card.changed");
    assert_eq!(events.count(), 2);
}

#[tokio::test]
async fn a_change_of_a_printing_changes_the_etag_of_the_card() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let file = set_file(&seed_data("ttcg"), "hearth");
    let (card, etag) = read(&app, &admin, OPEN).await;
    let path = path_of(&card);
    let mut printings = file["cards"][0]["printings"].clone();
    let rarest = &mut printings[5]["attributes"];
    rarest["attack"] = (rarest["attack"].as_i64().unwrap() + 5).into();
    rarest["defense"] = (rarest["defense"].as_i64().unwrap() - 5).into();
    let rarest = rarest.clone();
    let patch = json!({ "printings": printings });
    edit(&app, &admin, &path, &etag, &patch).answer().await.expect(200);
    let now = app.get(&format!("{path}/printings")).answer().await.expect(200);
    assert_eq!(now["data"][5]["attributes"], rarest);
    // An edit with the ETag from before this change is rejected.
    let whole = json!({ "printings": file["cards"][0]["printings"] });
    edit(&app, &admin, &path, &etag, &whole).answer().await.problem(412, "precondition_failed");
    let (_, etag) = read(&app, &admin, OPEN).await;
    edit(&app, &admin, &path, &etag, &whole).answer().await.expect(200);
    let back = app.get(&format!("{path}/printings")).answer().await.expect(200);
    assert_eq!(back["data"][5]["attributes"], whole["printings"][5]["attributes"]);
}

#[tokio::test]
async fn an_edit_is_validated_like_an_import() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let (card, etag) = read(&app, &admin, OPEN).await;
    let (other, _) = read(&app, &admin, "/v1/games/ttcg/sets/veil/cards/001").await;
    let path = path_of(&card);
    let refused = async |patch: Value| {
        let problem = edit(&app, &admin, &path, &etag, &patch).answer().await;
        let problem = problem.problem(422, "invalid_edit");
        let fault = |error: &Value| {
            let text = |field: &str| error[field].as_str().unwrap_or_default().to_owned();
            (text("pointer"), text("code"), text("rule"))
        };
        problem["errors"].as_array().unwrap().iter().map(fault).collect::<Vec<_>>()
    };
    let faults = refused(json!({ "attributes": { "attack": "much" } })).await;
    assert!(
        faults.iter().any(|(at, code, rule)| at == "/attributes/attack"
            && !code.is_empty()
            && !rule.is_empty()),
        "{faults:?}"
    );
    for (patch, pointer) in [
        (json!({ "kind": "monster" }), "/kind"),
        (json!({ "number": "999" }), "/number"),
        (json!({ "number": null }), "/number"),
        (json!({ "colour": "red" }), "/colour"),
        (json!({ "effects": [{ "text": 5 }] }), "/effects/0/text"),
        (json!({ "name": null }), ""),
        (json!({ "name": "\u{7}" }), "/name"),
        // The name of a hidden card is taken as well.
        (json!({ "name": other["name"].as_str().unwrap().to_uppercase() }), "/name"),
        (json!({ "printings": [{ "rarity": "none" }] }), "/printings/0/rarity"),
    ] {
        let faults = refused(patch.clone()).await;
        assert!(faults.iter().any(|(at, ..)| at == pointer), "{patch}: {faults:?}");
    }
    let raw = |body: &'static str| {
        let request = app.patch(&path).by(&admin).header("if-match", &etag);
        request.header("content-type", "application/json").body(body)
    };
    raw("[]").answer().await.problem(422, "invalid_body");
    raw("{").answer().await.problem(400, "malformed_json");
    raw(r#"{"lore":"a","lore":"b"}"#).answer().await.problem(422, "invalid_body");
    raw(r#"{"attributes":{"attack":1,"attack":2}}"#).answer().await.problem(422, "invalid_body");
    raw(r#"{"lore":"a\u0000"}"#).answer().await.problem(422, "invalid_body");
    let xml =
        app.patch(&path).by(&admin).header("if-match", &etag).header("content-type", "text/xml");
    xml.body("<a/>").answer().await.problem(415, "unsupported_media_type");
    assert_eq!(read(&app, &admin, OPEN).await, (card, etag.clone()), "the card did not change");
    let unknown = "/v1/cards/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";
    edit(&app, &admin, unknown, &etag, &json!({})).answer().await.problem(404, "not_found");
}

#[tokio::test]
async fn a_printed_card_keeps_its_name_and_its_printings() {
    let app = TestApp::start().await;
    app.import_set("mint", 2, false).await;
    app.print("mint", 100).await;
    let admin = app.admin().await;
    let (card, etag) = read(&app, &admin, "/v1/games/ttcg/sets/mint/cards/001").await;
    let path = path_of(&card);
    let send = async |patch: Value| edit(&app, &admin, &path, &etag, &patch).answer().await;
    let renamed = send(json!({ "name": "Another" })).await.problem(422, "invalid_edit");
    assert_eq!(renamed["errors"][0]["pointer"], "/name");
    let fewer = json!({ "printings": [{ "rarity": "common" }] });
    let fewer = send(fewer).await.problem(422, "invalid_edit");
    let errors = fewer["errors"].as_array().unwrap();
    assert!(!errors.is_empty(), "{fewer}");
    assert!(errors.iter().all(|error| error["pointer"] == "/printings"), "{fewer}");
    let shouted = card["name"].as_str().unwrap().to_uppercase();
    assert_eq!(send(json!({ "name": shouted })).await.expect(200)["name"], shouted.as_str());
}

/// Two edits of the same version arrive at the same time on two instances: one succeeds, the other gets 412.
#[tokio::test]
async fn only_one_of_two_simultaneous_edits_succeeds() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let other = app.second_instance();
    let admin = app.admin().await;
    let (card, _) = read(&app, &admin, OPEN).await;
    for path in [path_of(&card), "/v1/games/ttcg/sets/hearth".to_owned()] {
        for round in 0..6 {
            let (_, etag) = read(&app, &admin, &path).await;
            let name = |side: &str| json!({ "name": format!("{side} {round}") });
            let (one, two) = tokio::join!(
                edit(&app, &admin, &path, &etag, &name("One")).answer(),
                edit(&other, &admin, &path, &etag, &name("Two")).answer()
            );
            let mut statuses = [one.status, two.status];
            statuses.sort_unstable();
            assert_eq!(statuses, [200, 412]);
            let winner = if one.status == 200 { one } else { two };
            assert_eq!(read(&app, &admin, &path).await.0, winner.json());
        }
    }
}

/// An edit of a hidden card changes neither the answers to other clients nor the change feed.
#[tokio::test]
async fn an_edit_of_a_hidden_card_is_not_public() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (admin, hidden) = (app.admin().await, "/v1/games/ttcg/sets/veil/cards/001");
    let public_answer = app.get(hidden).answer().await;
    let feed = app.get("/v1/changes?after=0&limit=200").answer().await.expect(200);
    let (card, etag) = read(&app, &admin, hidden).await;
    // The ETag that an anonymous client gets is not the ETag of the whole card.
    let blind =
        edit(&app, &admin, &path_of(&card), &public_answer.header("etag"), &json!({ "lore": "x" }));
    blind.answer().await.problem(412, "precondition_failed");
    let edited = edit(&app, &admin, &path_of(&card), &etag, &json!({ "lore": "Quite secret." }));
    assert_eq!(edited.answer().await.expect(200)["lore"], "Quite secret.");
    let after = app.get(hidden).answer().await;
    assert_eq!(
        (after.header("etag"), after.text()),
        (public_answer.header("etag"), public_answer.text())
    );
    assert_eq!(app.get("/v1/changes?after=0&limit=200").answer().await.expect(200), feed);
}

#[tokio::test]
async fn a_set_is_edited() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (admin, path) = (app.admin().await, "/v1/games/ttcg/sets/veil");
    let (before, etag) = read(&app, &admin, path).await;
    let patch = json!({ "name": "Behind the Veil", "released_on": null, "unlock_threshold": 3 });
    app.patch(path).by(&admin).json(&patch).answer().await.problem(428, "precondition_required");
    let rehearsed =
        edit(&app, &admin, &format!("{path}?dry_run=true"), &etag, &patch).answer().await;
    assert_eq!(rehearsed.expect(200)["name"], "Behind the Veil");
    assert_eq!(read(&app, &admin, path).await, (before.clone(), etag.clone()));
    let after = edit(&app, &admin, path, &etag, &patch).answer().await;
    let etag = after.header("etag");
    let after = after.expect(200);
    assert_eq!(after.get("released_on"), None);
    assert_eq!(
        (&after["name"], &after["unlock_threshold"]),
        (&json!("Behind the Veil"), &json!(3))
    );
    assert_eq!(read(&app, &admin, path).await, (after, etag.clone()));
    let card = app.get(&format!("{path}/cards/001")).answer().await.expect(200);
    assert_eq!(card["unlock"]["threshold"], 3);
    for (patch, pointer) in [
        (json!({ "name": "" }), "/name"),
        (json!({ "name": null }), "/name"),
        (json!({ "released_on": "2026-02-30" }), "/released_on"),
        (json!({ "released_on": "tomorrow" }), "/released_on"),
        (json!({ "unlock_threshold": 0 }), "/unlock_threshold"),
        (json!({ "unlock_threshold": 100_001 }), "/unlock_threshold"),
        (json!({ "unlock_threshold": null }), "/unlock_threshold"),
        (json!({ "cards_start_hidden": null }), "/cards_start_hidden"),
        (json!({ "code": "vale" }), "/code"),
    ] {
        let problem = edit(&app, &admin, path, &etag, &patch).answer().await;
        assert_eq!(
            problem.problem(422, "invalid_body")["errors"][0]["pointer"],
            pointer,
            "{patch}"
        );
    }
    for (patch, detail) in [
        (json!({ "name": null }), "must be text, not null"),
        (json!({ "cards_start_hidden": null }), "must be true or false, not null"),
        (json!({ "unlock_threshold": null }), "must be a whole number, not null"),
    ] {
        let problem = edit(&app, &admin, path, &etag, &patch).answer().await;
        assert_eq!(problem.problem(422, "invalid_body")["errors"][0]["detail"], detail, "{patch}");
    }
    let nowhere = edit(&app, &admin, "/v1/games/ttcg/sets/none", &etag, &json!({}));
    nowhere.answer().await.problem(404, "not_found");
    let log = app.get("/v1/audit-log").by(&admin).answer().await.expect(200);
    assert_eq!(
        (&log["data"][0]["action"], &log["data"][0]["target"]),
        (&json!("set.changed"), &json!("set:ttcg/veil"))
    );
    let feed = app.get("/v1/changes?after=0&limit=200").answer().await.expect(200);
    assert_eq!(feed["data"].as_array().unwrap().last().unwrap()["kind"], "set.changed");
}

/// A lower threshold unlocks the cards that have enough submissions, with one event for each card.
#[tokio::test]
async fn a_lower_threshold_unlocks_at_once() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (admin, path) = (app.admin().await, "/v1/games/ttcg/sets/veil");
    app.cast_votes("k.set_code = 'veil' AND k.number = '002'", 3).await;
    let (_, etag) = read(&app, &admin, path).await;
    let after = edit(&app, &admin, path, &etag, &json!({ "unlock_threshold": 3 })).answer().await;
    assert_eq!(after.expect(200)["unlocked_cards"], 1);
    let unlocked = app.get("/v1/unlocks").answer().await.expect(200);
    assert_eq!(unlocked["data"][0]["number"], "002");
    assert_eq!(
        app.db().value("SELECT count(*) FROM events WHERE kind = 'card.unlocked'").await,
        "1"
    );
}

/// The seed files that the service imports at its start do not overwrite edits as long as the files are unchanged. An admin who sends the old
/// file reverts the edits.
#[tokio::test]
async fn unchanged_seed_files_keep_edits_and_a_sent_file_reverts_them() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let (card, etag) = read(&app, &admin, OPEN).await;
    edit(&app, &admin, &path_of(&card), &etag, &json!({ "lore": "Edited." }))
        .answer()
        .await
        .expect(200);
    app.seed(&["ttcg"]).await;
    assert_eq!(
        read(&app, &admin, OPEN).await.0["lore"],
        "Edited.",
        "a new start with the same files keeps the edit"
    );

    let file = set_file(&seed_data("ttcg"), "hearth");
    let put = || app.put("/v1/games/ttcg/sets/hearth").by(&admin).json(&file);
    let report = put().answer().await.expect(200);
    assert_eq!(report["sets"][0]["cards_changed"], 1, "{report}");
    assert_eq!(read(&app, &admin, OPEN).await.0["lore"], card["lore"]);
    assert_eq!(
        put().answer().await.expect(200)["sets"],
        json!([]),
        "the same file again changes nothing"
    );
}

/// An import reads the clock before it waits for other writers: a card that it changes afterwards must not get an older `updated_at` than
/// these writers have set.
#[tokio::test]
async fn an_import_never_repeats_an_etag() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let (card, etag) = read(&app, &admin, OPEN).await;
    let lore = json!({ "lore": "It waits." });
    let edited = edit(&app, &admin, &path_of(&card), &etag, &lore).answer().await;
    let (edited_tag, edited) = (edited.header("etag"), edited.expect(200));
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "hearth", |set| {
        set["cards"][0]["lore"] = "It waits.".into();
        let rarest = &mut set["cards"][0]["printings"][5]["attributes"];
        rarest["attack"] = (rarest["attack"].as_i64().unwrap() + 5).into();
        rarest["defense"] = (rarest["defense"].as_i64().unwrap() - 5).into();
    });
    let earlier = cardscape::domain::clock::Clock::system();
    earlier.advance(chrono::Duration::hours(-1));
    import_into(app.store(), &earlier, &source).await.unwrap();
    let (now, tag) = read(&app, &admin, OPEN).await;
    assert!(now["updated_at"].as_str() > edited["updated_at"].as_str(), "{now}");
    assert_ne!(tag, edited_tag);
    let stale = edit(&app, &admin, &path_of(&card), &edited_tag, &json!({ "lore": "Mine." }));
    stale.answer().await.problem(412, "precondition_failed");
}
