//! Watched decks: their kept reports, and what their watchers are told.

use cardscape::app::decks::deck_watches::{make_due, mark_changed};
use chrono::TimeDelta;
use futures_util::future::join;
use serde_json::{Value, json};

use super::deck_reports::sample;
use super::{app, show, stored, stored_as};
use crate::support::{Answer, Player, RequestExt as _, TestApp, text};

async fn watch(app: &TestApp, by: &Player, deck: &str) -> Answer {
    app.put(&format!("{deck}/watch")).by(by).answer().await
}

async fn unwatch(app: &TestApp, by: &Player, deck: &str) -> Answer {
    app.delete(&format!("{deck}/watch")).by(by).answer().await
}

async fn find(app: &TestApp, by: &Player, deck: &str) -> Value {
    app.get(&format!("{deck}/watch")).by(by).answer().await.expect(200)
}

async fn status(app: &TestApp, by: &Player, deck: &str) -> String {
    text(&find(app, by, deck).await["report"], "status")
}

async fn list(app: &TestApp, by: &Player, query: &str) -> Value {
    app.get(&format!("/v1/me/watched-decks{query}")).by(by).answer().await.expect(200)
}

fn names(page: &Value) -> Vec<String> {
    page["data"].as_array().unwrap().iter().map(|deck| text(deck, "name")).collect()
}

/// Does what is due in the background; how many reports were made.
async fn in_the_background(app: &TestApp) -> usize {
    let (state, now) = (app.state(), app.clock().now());
    let mut place = None;
    loop {
        let next = mark_changed(&state, place, now).await.unwrap();
        if next == place {
            break;
        }
        place = next;
    }
    make_due(&state, now).await.unwrap().expect("nobody else does it")
}

/// Kinds and decks of the events that a player was told.
async fn told(app: &TestApp, player: &Player) -> Vec<(String, String)> {
    let page = app.get("/v1/me/events").by(player).answer().await.expect(200);
    let event = |event: &Value| (text(event, "kind"), text(&event["deck"], "href"));
    page["data"].as_array().unwrap().iter().map(event).collect()
}

/// A deck that is legal in its format.
fn legal(visibility: &str) -> Value {
    let (format, list) = sample("ttcg", "legal-embers-and-bones.txt");
    json!({ "name": "Embers", "format": format, "visibility": visibility, "list": list })
}

async fn save(app: &TestApp, owner: &Player, deck: &str, body: &Value) {
    app.put(deck).by(owner).header("if-match", "*").json(body).answer().await.expect(200);
}

/// Gives a card of the sample deck another name.
async fn rename(app: &TestApp, admin: &Player, to: &str) {
    let card = app.get("/v1/games/ttcg/sets/hearth/cards/016").answer().await.expect(200);
    let patch = app.patch(&format!("/v1/cards/{}", text(&card, "id"))).by(admin);
    patch.header("if-match", "*").json(&json!({ "name": to })).answer().await.expect(200);
}

#[tokio::test]
async fn a_watcher_is_told_when_a_card_makes_the_deck_illegal_and_when_it_is_legal_again() {
    let app = app().await;
    let (ada, ben, admin) = (app.player("ada").await, app.player("ben").await, app.admin().await);
    let deck = stored_as(&app, &ada, &legal("public")).await;
    let other = stored_as(
        &app,
        &ada,
        &json!({ "name": "Other", "format": "ttcg/standard", "list": "1 Bellows Smith" }),
    )
    .await;
    let first = watch(&app, &ada, &deck).await.expect(200);
    assert_eq!((&first["name"], &first["is_current"]), (&json!("Embers"), &json!(true)));
    let report = &first["report"];
    assert_eq!((&report["status"], &report["violations"]), (&json!("legal"), &json!([])));
    assert_eq!(report["made_from"]["deck_revision"], 1);
    assert_eq!(report["made_from"]["on"], json!(app.clock().now().date_naive()));
    assert_eq!(watch(&app, &ada, &deck).await.expect(200), first, "done again");
    watch(&app, &ben, &deck).await.expect(200);
    watch(&app, &ada, &other).await.expect(200);
    assert_eq!(in_the_background(&app).await, 0);

    rename(&app, &admin, "Kettle Fiend").await;
    assert_eq!(in_the_background(&app).await, 2, "not the deck without the card");
    assert_eq!(in_the_background(&app).await, 0);
    let illegal = ("deck.became_illegal".to_owned(), deck.clone());
    for player in [&ada, &ben] {
        assert_eq!(told(&app, player).await, [illegal.clone()]);
        let now = find(&app, player, &deck).await;
        assert_eq!(now["report"]["status"], "illegal");
        assert!(now["report"]["violations"].as_array().unwrap().contains(&json!("CARD_UNKNOWN")));
    }
    rename(&app, &admin, "Kettle Imp").await;
    assert_eq!(in_the_background(&app).await, 2);
    let both = [illegal, ("deck.became_legal".to_owned(), deck.clone())];
    assert_eq!(told(&app, &ben).await, both);

    // Who watches no more is told nothing.
    unwatch(&app, &ben, &deck).await.expect(204);
    unwatch(&app, &ben, &deck).await.expect(204);
    app.get(&format!("{deck}/watch")).by(&ben).answer().await.problem(404, "not_found");
    rename(&app, &admin, "Kettle Fiend").await;
    assert_eq!(in_the_background(&app).await, 1);
    assert_eq!((told(&app, &ben).await.len(), told(&app, &ada).await.len()), (2, 3));
}

#[tokio::test]
async fn a_kept_report_is_made_anew_when_it_is_read_after_a_change() {
    let app = app().await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let deck = stored_as(&app, &ada, &legal("private")).await;
    watch(&app, &ada, &deck).await.expect(200);
    let answer = app.get(&format!("{deck}/watch")).by(&ada).answer().await;
    let tag = answer.header("etag");
    let before = answer.expect(200);
    let same = app.get(&format!("{deck}/watch")).by(&ada).header("if-none-match", &*tag);
    assert_eq!(same.answer().await.status, 304);

    rename(&app, &admin, "Kettle Fiend").await;
    assert_eq!(list(&app, &ada, "").await["data"][0]["is_current"], false);
    assert_eq!(status(&app, &ada, &deck).await, "illegal");
    let listed = list(&app, &ada, "").await;
    assert_eq!(listed["data"][0]["is_current"], true);
    assert_eq!(listed["data"][0]["report"]["status"], "illegal");
    // To read it has told already.
    assert_eq!(in_the_background(&app).await, 0);
    assert_eq!(told(&app, &ada).await.len(), 1);

    rename(&app, &admin, "Kettle Imp").await;
    assert_eq!(status(&app, &ada, &deck).await, "legal");
    app.clock().advance(TimeDelta::days(1));
    let ada = app.log_in("ada", &ada.password).await;
    assert_eq!(list(&app, &ada, "").await["data"][0]["is_current"], false);
    assert_eq!(in_the_background(&app).await, 1, "by the rules of another day");
    assert_eq!(in_the_background(&app).await, 0);
    app.sql("UPDATE games SET revision = revision + 1 WHERE code = 'ttcg'").await;
    assert_eq!(in_the_background(&app).await, 1, "by another manifest");
    assert_eq!(in_the_background(&app).await, 0);
    let after = find(&app, &ada, &deck).await;
    assert_eq!(after["watched_at"], before["watched_at"]);
    let (then, now) = (&before["report"]["made_from"], &after["report"]["made_from"]);
    assert!(now["on"].as_str() > then["on"].as_str(), "{now} after {then}");
    assert!(now["manifest_revision"].as_i64() > then["manifest_revision"].as_i64());
    assert_eq!(told(&app, &ada).await.len(), 2);
}

#[tokio::test]
async fn what_the_owner_saves_is_told_to_others_only() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let deck = stored_as(&app, &ada, &legal("unlisted")).await;
    watch(&app, &ada, &deck).await.expect(200);
    watch(&app, &ben, &deck).await.expect(200);
    let mut less = legal("unlisted");
    less["list"] = json!("1 Kettle Imp");
    save(&app, &ada, &deck, &less).await;
    assert_eq!(in_the_background(&app).await, 2);
    assert_eq!(told(&app, &ada).await, []);
    assert_eq!(told(&app, &ben).await, [("deck.became_illegal".to_owned(), deck.clone())]);
    assert_eq!(status(&app, &ada, &deck).await, "incomplete");
    // As a program does that knows of no watches.
    let id = deck.rsplit('/').next().unwrap();
    app.sql(&format!("UPDATE decks SET revision = revision + 1, bound_revision = bound_revision + 1 WHERE id = '{id}'")).await;
    assert_eq!(in_the_background(&app).await, 2);
    assert_eq!(find(&app, &ben, &deck).await["report"]["made_from"]["deck_revision"], 3);
}

#[tokio::test]
async fn only_decks_that_one_may_read_are_watched() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let private = stored(&app, &ada, "Secret", "private").await;
    let absent = "/v1/decks/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";
    for path in [private.as_str(), absent] {
        watch(&app, &ben, path).await.problem(404, "not_found");
        unwatch(&app, &ben, path).await.problem(404, "not_found");
        app.get(&format!("{path}/watch")).by(&ben).answer().await.problem(404, "not_found");
    }
    app.put(&format!("{private}/watch")).answer().await.problem(401, "unauthenticated");
    let (public, unlisted) = (
        stored(&app, &ada, "Embers", "public").await,
        stored(&app, &ada, "Friends", "unlisted").await,
    );
    for deck in [&public, &unlisted] {
        watch(&app, &ben, deck).await.expect(200);
    }
    let page = list(&app, &ben, "?limit=1").await;
    assert_eq!(names(&page), ["Friends"]);
    let rest = list(&app, &ben, &format!("?cursor={}", text(&page, "next_cursor"))).await;
    assert_eq!(names(&rest), ["Embers"]);
    app.get("/v1/me/watched-decks?cursor=x").by(&ben).answer().await.problem(400, "invalid_cursor");
    assert_eq!(names(&list(&app, &ada, "").await), [""; 0]);

    // What cannot be read any more says nothing, is watched no more on request, and is back when it is shown again.
    for deck in [&public, &unlisted] {
        show(&app, &ada, deck, "private").await;
        app.get(&format!("{deck}/watch")).by(&ben).answer().await.problem(404, "not_found");
    }
    assert_eq!(names(&list(&app, &ben, "").await), [""; 0]);
    assert_eq!(in_the_background(&app).await, 2);
    assert_eq!(in_the_background(&app).await, 0, "they are not tried again at once");
    assert_eq!(told(&app, &ben).await, []);
    unwatch(&app, &ben, &unlisted).await.expect(204);
    for (deck, visibility) in [(&public, "public"), (&unlisted, "unlisted")] {
        show(&app, &ada, deck, visibility).await;
    }
    assert_eq!(in_the_background(&app).await, 1);
    assert_eq!(names(&list(&app, &ben, "").await), ["Embers"]);
    app.delete(&public).by(&ada).header("if-match", "*").answer().await.expect(204);
    assert_eq!(names(&list(&app, &ben, "").await), [""; 0]);
    app.post(&format!("{public}/undelete")).by(&ada).answer().await.expect(200);
    assert_eq!(names(&list(&app, &ben, "").await), ["Embers"]);
}

#[tokio::test]
async fn an_account_watches_a_limited_number_of_decks() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let deck = stored(&app, &ada, "Embers", "public").await;
    let others =
        [stored(&app, &ada, "Other", "public").await, stored(&app, &ada, "Third", "public").await];
    // 98 of others, and two places are left for three requests at once.
    app.sql(&format!(
        "INSERT INTO decks (id, account_id, game_code, format_code, name, visibility, revision, created_at, updated_at) \
         SELECT gen_random_uuid(), '{0}', 'ttcg', 'standard', 'd', 'private', 1, '{2}', '{2}' FROM generate_series(1, 98); \
         INSERT INTO deck_watches (account_id, deck_id, watched_at, game_code, due_at) \
         SELECT '{1}', id, '{2}', 'ttcg', '{2}'::timestamptz + interval '1 day' FROM decks WHERE name = 'd'",
        ada.id, ben.id, app.clock().now().to_rfc3339()
    ))
    .await;
    let (first, second) = join(watch(&app, &ben, &others[0]), watch(&app, &ben, &others[1])).await;
    assert_eq!((first.status, second.status), (200, 200));
    watch(&app, &ben, &deck).await.problem(409, "too_many_watched");
    watch(&app, &ben, &others[0]).await.expect(200);
    unwatch(&app, &ben, &others[0]).await.expect(204);
    let (first, second) = join(watch(&app, &ben, &deck), watch(&app, &ben, &others[0])).await;
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
}

#[tokio::test]
async fn hidden_cards_count_in_decks_of_ones_own_that_are_bound_to_them() {
    let app = app().await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;
    let body = |visibility: &str| json!({ "name": "n", "format": "ttcg/standard", "visibility": visibility, "list": "2 Drowned Lantern" });
    let deck = stored_as(&app, &ada, &body("public")).await;
    let guess = stored_as(&app, &eve, &body("public")).await;
    let violations = async |by: &Player, deck: &str| {
        watch(&app, by, deck).await.expect(200)["report"]["violations"].clone()
    };
    let unknown = json!("CARD_UNKNOWN");
    assert!(!violations(&ada, &deck).await.as_array().unwrap().contains(&unknown));
    let as_stranger = violations(&eve, &deck).await;
    assert_eq!(as_stranger, violations(&eve, &guess).await);
    assert!(as_stranger.as_array().unwrap().contains(&unknown));
    // A guess of somebody else says nothing to who has the card either.
    assert_eq!(violations(&ada, &guess).await, as_stranger);

    // A token that shows no hidden cards binds none, and learns nothing about a name that it typed.
    let token = json!({ "name": "builder", "scopes": ["decks:read", "decks:write"] });
    let token = app.post("/v1/tokens").by(&ada).json(&token).answer().await.expect(201);
    let secret = text(&token, "secret");
    app.give_copy(&ada.id, "ttcg", "veil", "004").await;
    let typed = json!({ "name": "n", "format": "ttcg/standard", "list": "2 Mirror Pilgrim" });
    let typed = app.post("/v1/decks").bearer_auth(&secret).json(&typed).answer().await;
    let typed = typed.header("location");
    let put = app.put(&format!("{typed}/watch")).bearer_auth(&secret).answer().await;
    assert!(put.expect(200)["report"]["violations"].as_array().unwrap().contains(&unknown));

    // The owner loses the card: on the next day the report says so.
    app.sql(&format!("UPDATE copies SET owner_id = '{}'", eve.id)).await;
    app.clock().advance(TimeDelta::days(1));
    let ada = app.log_in("ada", &ada.password).await;
    assert!(in_the_background(&app).await >= 4);
    let now = find(&app, &ada, &deck).await;
    assert!(now["report"]["violations"].as_array().unwrap().contains(&unknown), "{now}");
}

#[tokio::test]
async fn two_instances_tell_once() {
    let app = app().await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let other = app.second_instance();
    let decks: Vec<Value> = (0..6).map(|_| legal("private")).collect();
    for deck in &decks {
        let deck = stored_as(&app, &ada, deck).await;
        watch(&app, &ada, &deck).await.expect(200);
    }
    rename(&app, &admin, "Kettle Fiend").await;
    let (one, two, now) = (app.state(), other.state(), app.clock().now());
    let (marked, also) = join(mark_changed(&one, None, now), mark_changed(&two, None, now)).await;
    assert_eq!(marked.unwrap(), also.unwrap());
    let mut made = 0;
    while made < 6 {
        let (first, second) = join(make_due(&one, now), make_due(&two, now)).await;
        made += first.unwrap().unwrap_or(0) + second.unwrap().unwrap_or(0);
    }
    let kinds: Vec<String> = told(&app, &ada).await.into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["deck.became_illegal"; 6]);
}

#[tokio::test]
async fn a_format_that_the_game_no_longer_has_is_told() {
    let app = app().await;
    let ada = app.player("ada").await;
    let deck = stored_as(&app, &ada, &legal("private")).await;
    watch(&app, &ada, &deck).await.expect(200);
    let id = deck.rsplit('/').next().unwrap();
    let change =
        "revision = revision + 1, bound_revision = bound_revision + 1, format_code = 'gone'";
    app.sql(&format!("UPDATE decks SET {change} WHERE id = '{id}'")).await;
    let now = find(&app, &ada, &deck).await;
    assert_eq!(now["report"]["status"], "illegal");
    assert_eq!(now["report"]["violations"], json!(["UNKNOWN_FORMAT"]));
}
