//! Rulings and errata: admins write them, and every account that sees the card can read them.

use futures_util::future::join;
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::collection::counts::WAITING;
use crate::support::{Answer, Player, RequestExt as _, TestApp, until};

const OPEN: &str = "/v1/games/ttcg/sets/hearth/cards/001";
const HIDDEN: &str = "/v1/games/ttcg/sets/veil/cards/001";

fn ruling(text: &str, day: &str) -> Value {
    json!({ "kind": "ruling", "text": text, "published_on": day })
}

/// The path of the rulings of a card.
async fn rulings_of(app: &TestApp, card: &str) -> String {
    let card = app.get(card).answer().await.expect(200);
    format!("/v1/cards/{}/rulings", card["id"].as_str().unwrap())
}

async fn write(app: &TestApp, by: &Player, path: &str, body: &Value) -> Answer {
    app.post(path).by(by).json(body).answer().await
}

async fn texts(request: RequestBuilder) -> Vec<String> {
    let list = request.answer().await.expect(200);
    let text = |ruling: &Value| ruling["text"].as_str().unwrap().to_owned();
    list["data"].as_array().unwrap().iter().map(text).collect()
}

#[tokio::test]
async fn rulings_are_written_read_changed_and_deleted() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let path = rulings_of(&app, OPEN).await;
    assert_eq!(app.get(&path).answer().await.expect(200), json!({ "data": [], "hidden": false }));
    write(&app, &admin, &path, &ruling("Later.", "2026-11-20")).await.expect(201);
    let erratum = json!({
        "kind": "erratum", "text": " Two\nlines. ", "published_on": "2026-11-03", "source": "Rules team"
    });
    let written = write(&app, &admin, &path, &erratum).await;
    let (place, etag) = (written.header("location"), written.header("etag"));
    let written = written.expect(201);
    assert_eq!(
        (&written["text"], &written["source"]),
        (&json!("Two\nlines."), &json!("Rules team"))
    );
    let read = app.get(&place).answer().await;
    assert_eq!(read.header("etag"), etag);
    assert_eq!(read.expect(200), written);
    assert_eq!(texts(app.get(&path)).await, ["Two\nlines.", "Later."], "the oldest day first");

    let changed = ruling("Changed.", "2026-11-21");
    let put = |etag: &str| app.put(&place).by(&admin).header("if-match", etag).json(&changed);
    app.put(&place).by(&admin).json(&changed).answer().await.problem(428, "precondition_required");
    let answer = put(&etag).answer().await;
    let new_etag = answer.header("etag");
    let now = answer.expect(200);
    assert_eq!((&now["kind"], now.get("source")), (&json!("ruling"), None));
    put(&etag).answer().await.problem(412, "precondition_failed");
    assert_eq!(texts(app.get(&path)).await, ["Later.", "Changed."]);

    let delete = |etag: &str| app.delete(&place).by(&admin).header("if-match", etag);
    app.delete(&place).by(&admin).answer().await.problem(428, "precondition_required");
    delete(&etag).answer().await.problem(412, "precondition_failed");
    delete(&new_etag).answer().await.expect(204);
    app.get(&place).answer().await.problem(404, "not_found");
    delete(&new_etag).answer().await.problem(404, "not_found");
    assert_eq!(texts(app.get(&path)).await, ["Later."]);

    let log = app.get("/v1/audit-log").by(&admin).answer().await.expect(200);
    let actions: Vec<&str> = (0..4).map(|at| log["data"][at]["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["ruling.removed", "ruling.changed", "ruling.added", "ruling.added"]);
    let changed_events = "SELECT count(*) FROM events WHERE kind = 'card.changed'";
    assert_eq!(app.db().value(changed_events).await, "4");
}

#[tokio::test]
async fn invalid_rulings_are_refused() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let path = rulings_of(&app, OPEN).await;
    for (body, pointer) in [
        (ruling("", "2026-11-20"), "/text"),
        (ruling(" \n ", "2026-11-20"), "/text"),
        (ruling(&"x".repeat(2001), "2026-11-20"), "/text"),
        (ruling("a\u{202e}b", "2026-11-20"), "/text"),
        (ruling("x", "2026-02-30"), "/published_on"),
        (ruling("x", "+12026-01-01"), "/published_on"),
        (ruling("x", "yesterday"), "/published_on"),
        (json!({ "kind": "rumour", "text": "x", "published_on": "2026-11-20" }), "/kind"),
        (
            json!({ "kind": "ruling", "text": "x", "published_on": "2026-11-20", "source": "" }),
            "/source",
        ),
        (json!({ "kind": "ruling", "text": "x", "published_on": "2026-11-20", "by": "me" }), "/by"),
    ] {
        let problem = write(&app, &admin, &path, &body).await.problem(422, "invalid_body");
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{problem}");
    }
    write(&app, &admin, &path, &ruling(&"ü".repeat(2000), "2026-11-20")).await.expect(201);
    let unknown = "/v1/cards/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11/rulings";
    let body = ruling("x", "2026-11-20");
    write(&app, &admin, unknown, &body).await.problem(404, "not_found");
    app.get(unknown).answer().await.problem(404, "not_found");
    app.sql(
        "INSERT INTO card_rulings (id, card_id, kind, text, published_on, created_at) \
         SELECT gen_random_uuid(), card_id, 'ruling', 'x', '2026-11-01', created_at \
         FROM card_rulings, generate_series(1, 199)",
    )
    .await;
    write(&app, &admin, &path, &body).await.problem(409, "too_many_rulings");
}

#[tokio::test]
async fn a_repeated_request_writes_one_ruling() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let (path, other) = (
        rulings_of(&app, OPEN).await,
        rulings_of(&app, "/v1/games/ttcg/sets/hearth/cards/002").await,
    );
    let post = |path: &str, body: &Value| {
        app.post(path).by(&admin).header("idempotency-key", "once").json(body)
    };
    let body = ruling("Once.", "2026-11-20");
    let first = post(&path, &body).answer().await;
    let again = post(&path, &body).answer().await;
    assert_eq!((first.status, &first.bytes), (201, &again.bytes));
    assert_eq!(first.header("location"), again.header("location"));
    let another = ruling("Twice.", "2026-11-20");
    post(&path, &another).answer().await.problem(422, "idempotency_key_reused");
    post(&other, &body).answer().await.problem(422, "idempotency_key_reused");
    assert_eq!(texts(app.get(&path)).await, ["Once."]);
    // A refused request does not use up its key.
    let unknown = "/v1/cards/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11/rulings";
    let fresh =
        |path: &str| app.post(path).by(&admin).header("idempotency-key", "fresh").json(&body);
    fresh(unknown).answer().await.problem(404, "not_found");
    fresh(&path).answer().await.expect(201);
    let place = first.header("location");
    let etag = app.get(&place).answer().await.header("etag");
    app.delete(&place).by(&admin).header("if-match", etag).answer().await.expect(204);
    post(&path, &body).answer().await.problem(410, "gone");
}

/// Housekeeping may delete an expired key after the claim has found it; here a trigger does so.
#[tokio::test]
async fn a_request_whose_key_is_deleted_at_the_same_moment_is_to_be_sent_again() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let path = rulings_of(&app, OPEN).await;
    let body = ruling("Once.", "2026-11-20");
    let post = || app.post(&path).by(&admin).header("idempotency-key", "old").json(&body);
    post().answer().await.expect(201);
    app.sql(
        "CREATE FUNCTION delete_keys() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM idempotency_keys; RETURN NULL; END $$; \
         CREATE TRIGGER delete_keys AFTER INSERT ON idempotency_keys EXECUTE FUNCTION delete_keys()",
    )
    .await;
    post().answer().await.problem(409, "idempotency_in_progress");
    app.sql("DROP TRIGGER delete_keys ON idempotency_keys; DELETE FROM idempotency_keys").await;
    post().answer().await.expect(201);
    assert_eq!(texts(app.get(&path)).await, ["Once.", "Once."]);
}

/// Two edits of the same ruling arrive at the same time on two instances: one succeeds, the other gets 412.
#[tokio::test]
async fn only_one_of_two_simultaneous_edits_succeeds() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let other = app.second_instance();
    let admin = app.admin().await;
    let path = rulings_of(&app, OPEN).await;
    let place = write(&app, &admin, &path, &ruling("Zero.", "2026-11-20")).await;
    let place = place.header("location");
    for round in 0..8 {
        let etag = app.get(&place).answer().await.header("etag");
        let put = |app: &TestApp, side: &str| {
            let body = ruling(&format!("{side} {round}"), "2026-11-20");
            app.put(&place).by(&admin).header("if-match", &etag).json(&body)
        };
        let (one, two) = tokio::join!(put(&app, "One").answer(), put(&other, "Two").answer());
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 412]);
    }
}

/// A merge locks a card, then its rulings. So does an edit: while it waits for the card, it does not hold the ruling that the merge waits for.
#[tokio::test]
async fn an_edit_locks_the_card_before_its_ruling() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let path = rulings_of(&app, OPEN).await;
    let merge = app.db().session().await;
    let lock = "BEGIN; SELECT FROM cards WHERE id IN (SELECT card_id FROM card_rulings) FOR UPDATE";
    let lock_ruling = async || {
        until("the edit waits", async |_| app.db().number(WAITING).await > 0).await;
        let lock = "SELECT FROM card_rulings FOR UPDATE NOWAIT; COMMIT";
        merge.batch_execute(lock).await.expect("the edit does not hold the ruling");
    };
    let place = write(&app, &admin, &path, &ruling("Zero.", "2026-11-20")).await;
    let place = place.header("location");
    let etag = app.get(&place).answer().await.header("etag");
    merge.batch_execute(lock).await.unwrap();
    let put = app.put(&place).by(&admin).header("if-match", etag);
    let put = put.json(&ruling("One.", "2026-11-20")).answer();
    let (edited, ()) = join(put, lock_ruling()).await;
    let etag = edited.header("etag");
    edited.expect(200);
    merge.batch_execute(lock).await.unwrap();
    let delete = app.delete(&place).by(&admin).header("if-match", etag).answer();
    let (deleted, ()) = join(delete, lock_ruling()).await;
    deleted.expect(204);
}

#[tokio::test]
async fn rulings_of_a_hidden_card_are_shown_only_to_accounts_that_see_it() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (admin, ada, ben) = (app.admin().await, app.player("ada").await, app.player("ben").await);
    app.give_copy(&ada.id, "ttcg", "veil", "001").await;
    let path = rulings_of(&app, HIDDEN).await;
    let before = app.get(&path).answer().await;
    let feed = app.get("/v1/changes?after=0&limit=200").answer().await.expect(200);
    let written = write(&app, &admin, &path, &ruling("It burns.", "2026-11-20")).await;
    let place = written.header("location");
    written.expect(201);

    for caller in [None, Some(&ben)] {
        let get = |path: &str| match caller {
            Some(player) => app.get(path).by(player),
            None => app.get(path),
        };
        let list = get(&path).answer().await;
        assert_eq!(list.header("etag"), before.header("etag"));
        assert_eq!(list.expect(200), json!({ "data": [], "hidden": true }));
        get(&place).answer().await.problem(404, "not_found");
        let history = get(&path.replace("rulings", "history")).answer().await.expect(200);
        assert_eq!(history, json!({ "data": [], "hidden": true }));
    }
    for caller in [&ada, &admin] {
        let list = app.get(&path).by(caller).answer().await;
        assert_eq!(list.header("cache-control"), "private, no-cache");
        let list = list.expect(200);
        assert_eq!(
            (&list["data"][0]["text"], &list["hidden"]),
            (&json!("It burns."), &json!(true))
        );
        app.get(&place).by(caller).answer().await.expect(200);
    }
    assert_eq!(app.get("/v1/changes?after=0&limit=200").answer().await.expect(200), feed);

    app.sql(
        "UPDATE unlocks SET unlocked_at = '2026-12-24T00:00:00Z', reason = 'admin' \
         WHERE card_id = (SELECT id FROM cards WHERE set_code = 'veil' AND number = '001')",
    )
    .await;
    assert_eq!(texts(app.get(&path)).await, ["It burns."]);
    app.get(&place).answer().await.expect(200);
}
