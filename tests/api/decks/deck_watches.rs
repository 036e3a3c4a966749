//! Watched decks: their stored reports, and the events of their watchers.

use cardscape::app::decks::deck_watches::{make_due, mark_changed, notify_watchers};
use chrono::TimeDelta;
use futures_util::future::join;
use serde_json::{Value, json};

use super::deck_reports::sample;
use super::{app, show, stored, stored_as};
use crate::collection::counts::WAITING;
use crate::support::{Answer, Player, RequestExt as _, TestApp, text, until};

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

/// Runs the background jobs that are due, and returns the number of created reports.
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
    let created = make_due(&state, now).await.unwrap().expect("no other instance runs the job");
    send_events(app).await;
    created
}

async fn send_events(app: &TestApp) {
    let (state, now) = (app.state(), app.clock().now());
    while notify_watchers(&state, now).await.unwrap() {}
}

/// Kinds and decks of the events of a player.
async fn deck_events(app: &TestApp, player: &Player) -> Vec<(String, String)> {
    let page = app.get("/v1/me/events").by(player).answer().await.expect(200);
    let event = |event: &Value| (text(event, "kind"), text(&event["deck"], "href"));
    page["data"].as_array().unwrap().iter().map(event).collect()
}

/// The verdicts on decks in the events of a player.
async fn verdicts(app: &TestApp, player: &Player) -> Vec<String> {
    let page = app.get("/v1/me/events").by(player).answer().await.expect(200);
    page["data"].as_array().unwrap().iter().map(|event| text(event, "outcome")).collect()
}

/// A deck that is legal in its format.
fn legal(visibility: &str) -> Value {
    let (format, list) = sample("ttcg", "legal-embers-and-bones.txt");
    let list = list.replace("2 Kettle Imp", "2 Kettle Imp {primal_rare}");
    json!({ "name": "Embers", "format": format, "visibility": visibility, "list": list })
}

async fn save(app: &TestApp, owner: &Player, deck: &str, body: &Value) {
    app.put(deck).by(owner).header("if-match", "*").json(body).answer().await.expect(200);
}

/// Makes a card of the sample deck one that may be in decks, or a lore card, which may not and has no printings.
async fn allow(app: &TestApp, admin: &Player, is_allowed: bool) {
    let printing = |(rarity, attack): (&str, i64)| json!({ "rarity": rarity, "attributes": { "attack": attack, "defense": 150 } });
    let printings = [
        ("common", 350),
        ("uncommon", 360),
        ("rare", 370),
        ("ultra_rare", 380),
        ("mythic_rare", 390),
        ("primal_rare", 400),
    ];
    let edit = if is_allowed {
        let attributes = json!({ "about": null, "type": "fire", "subtypes": ["elemental"], "rank": 1, "attack": 350, "defense": 150 });
        let effects = [
            ("passive", "When this card is sent to the discard pile, your opponent loses 1 point."),
            ("normal", "Discard a Fire card to draw two cards."),
        ];
        let effects = effects.map(|(style, text)| json!({ "style": style, "text": text }));
        json!({ "kind": "unit", "attributes": attributes, "effects": effects, "printings": printings.map(printing) })
    } else {
        let attributes = json!({ "about": "Stovepipe Drake", "type": null, "subtypes": null, "rank": null, "attack": null, "defense": null });
        json!({ "kind": "lore", "attributes": attributes, "effects": [], "printings": [] })
    };
    let card = app.get("/v1/games/ttcg/sets/hearth/cards/016").answer().await.expect(200);
    let patch = app.patch(&format!("/v1/cards/{}", text(&card, "id"))).by(admin);
    patch.header("if-match", "*").json(&edit).answer().await.expect(200);
}

#[tokio::test]
async fn watchers_get_events_when_a_card_makes_a_deck_illegal_and_legal_again() {
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
    assert_eq!(
        watch(&app, &ada, &deck).await.expect(200),
        first,
        "a repeated request changes nothing"
    );
    watch(&app, &ben, &deck).await.expect(200);
    watch(&app, &ada, &other).await.expect(200);
    assert_eq!(in_the_background(&app).await, 0);

    allow(&app, &admin, false).await;
    assert_eq!(in_the_background(&app).await, 1, "no report for the deck without the card");
    assert_eq!(in_the_background(&app).await, 0);
    let illegal = ("deck.became_illegal".to_owned(), deck.clone());
    for player in [&ada, &ben] {
        assert_eq!(deck_events(&app, player).await, std::slice::from_ref(&illegal));
        let now = find(&app, player, &deck).await;
        assert_eq!(now["report"]["status"], "illegal");
        assert!(
            now["report"]["violations"].as_array().unwrap().contains(&json!("PRINTING_UNKNOWN"))
        );
    }
    allow(&app, &admin, true).await;
    assert_eq!(in_the_background(&app).await, 1);
    let both = [illegal, ("deck.became_legal".to_owned(), deck.clone())];
    assert_eq!(deck_events(&app, &ben).await, both);
    assert_eq!(verdicts(&app, &ben).await, ["illegal", "legal"]);

    // A player who no longer watches the deck gets no event.
    unwatch(&app, &ben, &deck).await.expect(204);
    unwatch(&app, &ben, &deck).await.expect(204);
    app.get(&format!("{deck}/watch")).by(&ben).answer().await.problem(404, "not_found");
    allow(&app, &admin, false).await;
    assert_eq!(in_the_background(&app).await, 1);
    assert_eq!((deck_events(&app, &ben).await.len(), deck_events(&app, &ada).await.len()), (2, 3));
}

#[tokio::test]
async fn an_outdated_report_is_replaced_when_it_is_read() {
    let app = app().await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let deck = stored_as(&app, &ada, &legal("private")).await;
    watch(&app, &ada, &deck).await.expect(200);
    let answer = app.get(&format!("{deck}/watch")).by(&ada).answer().await;
    let tag = answer.header("etag");
    let before = answer.expect(200);
    let same = app.get(&format!("{deck}/watch")).by(&ada).header("if-none-match", &*tag);
    assert_eq!(same.answer().await.status, 304);

    allow(&app, &admin, false).await;
    assert_eq!(list(&app, &ada, "").await["data"][0]["is_current"], false);
    assert_eq!(status(&app, &ada, &deck).await, "illegal");
    let listed = list(&app, &ada, "").await;
    assert_eq!(listed["data"][0]["is_current"], true);
    assert_eq!(listed["data"][0]["report"]["status"], "illegal");
    // The report is current already. Only the event is still due.
    assert_eq!(in_the_background(&app).await, 0);
    assert_eq!(deck_events(&app, &ada).await.len(), 1);

    allow(&app, &admin, true).await;
    assert_eq!(status(&app, &ada, &deck).await, "legal");
    app.clock().advance(TimeDelta::days(1));
    let ada = app.log_in("ada", &ada.password).await;
    assert_eq!(list(&app, &ada, "").await["data"][0]["is_current"], false);
    assert_eq!(in_the_background(&app).await, 1, "the rules of another day apply");
    assert_eq!(in_the_background(&app).await, 0);
    app.sql("UPDATE games SET revision = revision + 1 WHERE code = 'ttcg'").await;
    assert_eq!(in_the_background(&app).await, 1, "another manifest applies");
    assert_eq!(in_the_background(&app).await, 0);
    let after = find(&app, &ada, &deck).await;
    assert_eq!(after["watched_at"], before["watched_at"]);
    let (then, now) = (&before["report"]["made_from"], &after["report"]["made_from"]);
    assert!(now["on"].as_str() > then["on"].as_str(), "{now} after {then}");
    assert!(now["manifest_revision"].as_i64() > then["manifest_revision"].as_i64());
    assert_eq!(deck_events(&app, &ada).await.len(), 2);
}

#[tokio::test]
async fn changes_by_the_owner_create_events_for_other_watchers_only() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let deck = stored_as(&app, &ada, &legal("unlisted")).await;
    watch(&app, &ada, &deck).await.expect(200);
    watch(&app, &ben, &deck).await.expect(200);
    let mut less = legal("unlisted");
    less["list"] = json!("1 Kettle Imp {primal_rare}");
    let cem = app.player("cem").await;
    watch(&app, &cem, &deck).await.expect(200);
    app.put(&format!("/v1/me/blocks/{}", ada.id)).by(&cem).answer().await.expect(204);
    save(&app, &ada, &deck, &less).await;
    assert_eq!(in_the_background(&app).await, 1);
    assert_eq!(deck_events(&app, &ada).await, []);
    assert_eq!(deck_events(&app, &cem).await, [], "cem has blocked the owner");
    assert_eq!(deck_events(&app, &ben).await, [("deck.became_illegal".to_owned(), deck.clone())]);
    assert_eq!(status(&app, &ada, &deck).await, "incomplete");
    assert_eq!(verdicts(&app, &ben).await, ["incomplete"]);
    // An older release that knows no watches changes the deck.
    let id = deck.rsplit('/').next().unwrap();
    app.sql(&format!("UPDATE decks SET revision = revision + 1, bound_revision = bound_revision + 1 WHERE id = '{id}'")).await;
    assert_eq!(in_the_background(&app).await, 1);
    assert_eq!(find(&app, &ben, &deck).await["report"]["made_from"]["deck_revision"], 3);
}

#[tokio::test]
async fn owners_get_events_about_changes_before_their_own_save_was_judged() {
    let app = app().await;
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    let admin = app.admin().await;
    let deck = stored_as(&app, &ada, &legal("unlisted")).await;
    for player in [&ada, &ben, &cem] {
        watch(&app, player, &deck).await.expect(200);
    }
    app.put(&format!("/v1/me/blocks/{}", ada.id)).by(&cem).answer().await.expect(204);
    let mut expected: Vec<&str> = Vec::new();
    let mut all_hear = async |verdict: &'static str| {
        expected.push(verdict);
        assert_eq!(in_the_background(&app).await, 1);
        for player in [&ada, &ben, &cem] {
            assert_eq!(verdicts(&app, player).await, expected);
        }
    };
    let mut less = legal("unlisted");
    less["list"] = json!("1 Kettle Imp {primal_rare}");

    // The owner saves only another name before the next report.
    allow(&app, &admin, false).await;
    let patch = app.patch(&deck).by(&ada).header("if-match", "*");
    patch.json(&json!({ "name": "Embers II" })).answer().await.expect(200);
    all_hear("illegal").await;
    allow(&app, &admin, true).await;
    all_hear("legal").await;
    // The owner saves another list: both changes can be the cause.
    allow(&app, &admin, false).await;
    save(&app, &ada, &deck, &less).await;
    all_hear("illegal").await;
    allow(&app, &admin, true).await;
    save(&app, &ada, &deck, &legal("unlisted")).await;
    all_hear("legal").await;
    app.sql("UPDATE games SET revision = revision + 1 WHERE code = 'ttcg'").await;
    save(&app, &ada, &deck, &less).await;
    all_hear("incomplete").await;
    // Only the owner's save can be the cause.
    save(&app, &ada, &deck, &legal("unlisted")).await;
    assert_eq!(in_the_background(&app).await, 1);
    for (player, events) in [(&ada, 5), (&cem, 5), (&ben, 6)] {
        assert_eq!(verdicts(&app, player).await.len(), events);
    }
}

#[tokio::test]
async fn watchers_of_an_incomplete_deck_get_an_event_when_it_becomes_illegal() {
    let app = app().await;
    let (ada, ben, admin) = (app.player("ada").await, app.player("ben").await, app.admin().await);
    let mut less = legal("public");
    less["list"] = json!("1 Kettle Imp {primal_rare}");
    let deck = stored_as(&app, &ada, &less).await;
    watch(&app, &ben, &deck).await.expect(200);
    assert_eq!(status(&app, &ben, &deck).await, "incomplete");
    let becomes = async |is_allowed: bool, wanted: &str| {
        allow(&app, &admin, is_allowed).await;
        assert_eq!(in_the_background(&app).await, 1);
        assert_eq!(status(&app, &ben, &deck).await, wanted);
        assert_eq!(app.db().number("SELECT count(*) FROM watched_decks WHERE untold").await, 0);
    };
    becomes(false, "illegal").await;
    assert_eq!(deck_events(&app, &ben).await, [("deck.became_illegal".to_owned(), deck.clone())]);
    assert_eq!(verdicts(&app, &ben).await, ["illegal"]);
    becomes(true, "incomplete").await;
    assert_eq!(verdicts(&app, &ben).await, ["illegal"], "no event, because it is not legal again");
    becomes(false, "illegal").await;
    assert_eq!(verdicts(&app, &ben).await, ["illegal", "illegal"]);

    // An older release stores no status, or leaves an outdated one: then it is not known that the watcher was notified of an incomplete deck.
    for outdated in ["NULL", "'legal'"] {
        becomes(true, "incomplete").await;
        app.sql(&format!("UPDATE deck_watches SET told_status = {outdated}")).await;
        becomes(false, "illegal").await;
        assert_eq!(verdicts(&app, &ben).await.len(), 2, "{outdated}");
    }
    // The owner's save makes no event for the owner.
    watch(&app, &ada, &deck).await.expect(200);
    becomes(true, "incomplete").await;
    less["list"] = json!("1 Kettle Imp {primal_rare}\n1 No Such Card");
    save(&app, &ada, &deck, &less).await;
    assert_eq!(in_the_background(&app).await, 1);
    assert_eq!((verdicts(&app, &ben).await.len(), verdicts(&app, &ada).await.len()), (3, 0));
}

/// What a program writes that judges decks by older rules, and does not know that rules have versions. By its rules, one of the cards does not exist.
const OLDER_REPORT: &str = "UPDATE watched_decks SET due_at = due_at, game_code = game_code, cards = cards, violations = '{PRINTING_UNKNOWN}', untold = true, saved_so = false, \
     status = 'illegal', deck_revision = deck_revision, judged_on = judged_on, game_revision = game_revision, tried_game_revision = tried_game_revision, \
     events_seq = events_seq, judged_at = judged_at";

#[tokio::test]
async fn reports_of_older_versions_are_made_again() {
    let app = app().await;
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    let deck = stored_as(&app, &ada, &legal("public")).await;
    for player in [&ada, &ben] {
        watch(&app, player, &deck).await.expect(200);
    }
    assert_eq!(in_the_background(&app).await, 0);
    let is_current = async || list(&app, &ada, "").await["data"][0]["is_current"].clone();
    assert_eq!(is_current().await, true);

    app.sql(OLDER_REPORT).await;
    send_events(&app).await;
    assert_eq!(is_current().await, false);
    assert_eq!(in_the_background(&app).await, 1);
    assert_eq!(in_the_background(&app).await, 0, "the report is made once");
    let page = list(&app, &ada, "").await;
    let report = &page["data"][0]["report"];
    assert_eq!((&report["status"], &report["violations"]), (&json!("legal"), &json!([])));
    assert_eq!(is_current().await, true);
    for player in [&ada, &ben] {
        assert_eq!(verdicts(&app, player).await, [""; 0], "nobody is notified of the wrong one");
    }

    // An older program notified the watchers of its report itself.
    app.sql(OLDER_REPORT).await;
    app.sql("UPDATE deck_watches SET told_legal = false, told_status = 'illegal'").await;
    send_events(&app).await;
    assert_eq!(in_the_background(&app).await, 1);
    for player in [&ada, &ben] {
        assert_eq!(verdicts(&app, player).await, ["legal"], "once");
    }

    // A read makes the report again, too.
    app.sql(OLDER_REPORT).await;
    assert_eq!(status(&app, &ada, &deck).await, "legal");
    assert_eq!(in_the_background(&app).await, 0);
    assert_eq!(verdicts(&app, &ben).await.len(), 1);

    // A player who begins to watch the deck does not have to know what the older program stored.
    app.sql(OLDER_REPORT).await;
    send_events(&app).await;
    assert_eq!(watch(&app, &cem, &deck).await.expect(200)["report"]["status"], "legal");
    assert_eq!(in_the_background(&app).await, 0);
    assert_eq!((verdicts(&app, &ben).await.len(), verdicts(&app, &cem).await.len()), (1, 0));

    // A deck that cannot be judged is not tried again at once.
    app.delete(&deck).by(&ada).header("if-match", "*").answer().await.expect(204);
    app.sql(OLDER_REPORT).await;
    assert_eq!(in_the_background(&app).await, 1);
    assert_eq!(in_the_background(&app).await, 0);
}

#[tokio::test]
async fn only_readable_decks_can_be_watched() {
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

    // A deck that the watcher can no longer read is not listed and creates no events. The watcher can end the watch.
    // A watched deck is listed again when it is readable again.
    for deck in [&public, &unlisted] {
        show(&app, &ada, deck, "private").await;
        app.get(&format!("{deck}/watch")).by(&ben).answer().await.problem(404, "not_found");
    }
    assert_eq!(names(&list(&app, &ben, "").await), [""; 0]);
    assert_eq!(in_the_background(&app).await, 2);
    assert_eq!(in_the_background(&app).await, 0, "failed decks are not tried again at once");
    assert_eq!(deck_events(&app, &ben).await, []);
    assert_eq!(app.db().number("SELECT count(*) FROM watched_decks").await, 2);
    unwatch(&app, &ben, &unlisted).await.expect(204);
    assert_eq!(
        app.db().number("SELECT count(*) FROM watched_decks").await,
        1,
        "no other account watches the deck"
    );
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
    // The account watches 98 other decks, so it can watch two more.
    app.sql(&format!(
        "INSERT INTO decks (id, account_id, game_code, format_code, name, visibility, revision, created_at, updated_at) \
         SELECT gen_random_uuid(), '{0}', 'ttcg', 'standard', 'd', 'private', 1, '{2}', '{2}' FROM generate_series(1, 98); \
         INSERT INTO watched_decks (deck_id, game_code, due_at) SELECT id, 'ttcg', '{2}'::timestamptz + interval '1 day' FROM decks WHERE name = 'd'; \
         INSERT INTO deck_watches (account_id, deck_id, watched_at) SELECT '{1}', id, '{2}' FROM decks WHERE name = 'd'",
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
async fn watched_decks_are_judged_by_their_public_view() {
    let app = app().await;
    let (ada, eve, admin) = (app.player("ada").await, app.player("eve").await, app.admin().await);
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;
    let body = json!({ "name": "n", "format": "ttcg/standard", "visibility": "public", "list": "2 Drowned Lantern" });
    let deck = stored_as(&app, &ada, &body).await;
    let guess = stored_as(&app, &eve, &body).await;
    let mut reports = Vec::new();
    for (player, deck) in [(&ada, &deck), (&eve, &deck), (&ada, &guess), (&eve, &guess)] {
        let watched = watch(&app, player, deck).await.expect(200);
        reports
            .push((watched["report"]["status"].clone(), watched["report"]["violations"].clone()));
    }
    // A deck that guesses the name of the card and a deck that is bound to the card get the same report as a deck that names no existing card.
    let nothing = json!({ "name": "n", "format": "ttcg/standard", "visibility": "public", "list": "2 No Such Card" });
    let nothing = stored_as(&app, &eve, &nothing).await;
    let watched = watch(&app, &eve, &nothing).await.expect(200);
    let nothing = (watched["report"]["status"].clone(), watched["report"]["violations"].clone());
    assert!(nothing.1.as_array().unwrap().contains(&json!("CARD_UNKNOWN")), "{nothing:?}");
    assert_eq!(reports, vec![nothing; 4]);

    let card = app.get("/v1/games/ttcg/sets/veil/cards/003").answer().await.expect(200);
    let unlock = app.post(&format!("/v1/cards/{}/unlock", text(&card, "id"))).by(&admin);
    unlock.json(&json!({ "reason": "shown" })).answer().await.expect(200);
    assert_eq!(in_the_background(&app).await, 1, "only the deck that is bound to the card");
    let known = find(&app, &ada, &deck).await["report"]["violations"].clone();
    assert!(!known.as_array().unwrap().contains(&json!("CARD_UNKNOWN")));
}

#[tokio::test]
async fn the_watch_of_an_empty_deck_has_the_status_of_its_report() {
    let app = app().await;
    let ada = app.player("ada").await;
    let body = json!({ "name": "n", "format": "ttcg/standard", "entries": [] });
    let deck = stored_as(&app, &ada, &body).await;
    watch(&app, &ada, &deck).await.expect(200);
    let report = app.get(&format!("{deck}/report")).by(&ada).answer().await.expect(200);
    assert_eq!(status(&app, &ada, &deck).await, text(&report, "status"));
    let everywhere = app.get(&format!("{deck}/legalities")).by(&ada).answer().await.expect(200);
    assert_eq!(everywhere["formats"][0]["status"], report["status"]);
}

#[tokio::test]
async fn parallel_reports_on_two_instances_create_one_event_per_watcher() {
    let app = app().await;
    let (ada, ben, admin) = (app.player("ada").await, app.player("ben").await, app.admin().await);
    let other = app.second_instance();
    let deck = stored_as(&app, &ada, &legal("public")).await;
    for player in [&ada, &ben] {
        watch(&app, player, &deck).await.expect(200);
    }
    allow(&app, &admin, false).await;
    let (one, two, now) = (app.state(), other.state(), app.clock().now());
    // Both instances create the report, first for a reader, then in the background jobs.
    let (first, second) = join(find(&app, &ada, &deck), find(&other, &ben, &deck)).await;
    assert_eq!(
        (&first["report"]["status"], &second["report"]["status"]),
        (&json!("illegal"), &json!("illegal"))
    );
    let (marked, also) = join(mark_changed(&one, None, now), mark_changed(&two, None, now)).await;
    assert_eq!(marked.unwrap(), also.unwrap());
    let (first, second) = join(Box::pin(make_due(&one, now)), Box::pin(make_due(&two, now))).await;
    assert!(first.unwrap().is_some() || second.unwrap().is_some());
    let (first, second) = join(notify_watchers(&one, now), notify_watchers(&two, now)).await;
    assert!(first.unwrap() | second.unwrap());
    send_events(&app).await;
    for player in [&ada, &ben] {
        assert_eq!(
            deck_events(&app, player).await,
            [("deck.became_illegal".to_owned(), deck.clone())]
        );
    }
}

/// Another instance notifies a watcher after this one has read which watchers do not know the status, and before it notifies them.
#[tokio::test]
async fn a_watcher_whom_another_instance_has_notified_gets_no_second_event() {
    let app = app().await;
    let (ada, ben, admin) = (app.player("ada").await, app.player("ben").await, app.admin().await);
    let deck = stored_as(&app, &ada, &legal("public")).await;
    for player in [&ada, &ben] {
        watch(&app, player, &deck).await.expect(200);
    }
    allow(&app, &admin, false).await;
    let (state, now) = (app.state(), app.clock().now());
    mark_changed(&state, None, now).await.unwrap();
    make_due(&state, now).await.unwrap().expect("no other instance runs the job");
    let other = app.db().session().await;
    // The lock makes this instance wait between both.
    let notified = format!(
        "BEGIN; SELECT FROM accounts WHERE id = '{0}' FOR UPDATE; \
         UPDATE deck_watches SET told_legal = false, told_status = 'illegal' WHERE account_id = '{0}'",
        ben.id
    );
    other.batch_execute(&notified).await.unwrap();
    let commit = async {
        until("the notification waits", async |_| app.db().number(WAITING).await > 0).await;
        other.batch_execute("COMMIT").await.unwrap();
    };
    let (has_reported, ()) = join(notify_watchers(&state, now), commit).await;
    assert!(has_reported.unwrap());
    send_events(&app).await;
    assert_eq!(verdicts(&app, &ada).await, ["illegal"]);
    assert_eq!(verdicts(&app, &ben).await, [""; 0]);
    assert_eq!(app.db().number("SELECT count(*) FROM watched_decks WHERE untold").await, 0);
}

/// A save that does not see the watch would not make its report due.
#[tokio::test]
async fn a_watch_waits_for_a_save_that_has_begun() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let deck = stored_as(&app, &ada, &legal("public")).await;
    let id = deck.trim_start_matches("/v1/decks/");
    let save = app.db().session().await;
    let change = format!("BEGIN; UPDATE decks SET visibility = 'private' WHERE id = '{id}'");
    save.batch_execute(&change).await.unwrap();
    let commit = async {
        until("the watch waits", async |_| app.db().number(WAITING).await > 0).await;
        save.batch_execute("COMMIT").await.unwrap();
    };
    let (answer, ()) = join(watch(&app, &ben, &deck), commit).await;
    answer.problem(404, "not_found");
    assert_eq!(app.db().number("SELECT count(*) FROM watched_decks").await, 0);
}

#[tokio::test]
async fn many_watchers_get_their_events_in_steps() {
    let app = app().await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let deck = stored_as(&app, &ada, &legal("public")).await;
    watch(&app, &ada, &deck).await.expect(200);
    app.sql(&many_watchers(&app, &deck)).await;
    allow(&app, &admin, false).await;
    in_the_background(&app).await;
    let events = "SELECT count(*) FROM account_events WHERE kind = 'deck.became_illegal'";
    assert_eq!(app.db().number(events).await, 1201);
    assert_eq!(app.db().number("SELECT count(*) FROM watched_decks WHERE untold").await, 0);
}

#[tokio::test]
async fn only_watchers_with_the_first_event_get_the_opposite_event() {
    let app = app().await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let deck = stored_as(&app, &ada, &legal("public")).await;
    watch(&app, &ada, &deck).await.expect(200);
    app.sql(&many_watchers(&app, &deck)).await;
    let (state, now) = (app.state(), app.clock().now());
    allow(&app, &admin, false).await;
    mark_changed(&state, None, now).await.unwrap();
    make_due(&state, now).await.unwrap().expect("no other instance runs the job");
    // The process ends after one step, and the deck is legal again before another process continues.
    assert!(notify_watchers(&state, now).await.unwrap());
    allow(&app, &admin, true).await;
    in_the_background(&app).await;
    for kind in ["deck.became_illegal", "deck.became_legal"] {
        let count_events = format!("SELECT count(*) FROM account_events WHERE kind = '{kind}'");
        assert_eq!(app.db().number(&count_events).await, 500, "{kind}");
    }
    assert_eq!(app.db().number("SELECT count(*) FROM watched_decks WHERE untold").await, 0);
}

#[tokio::test]
async fn a_set_change_during_the_creation_of_a_report_is_not_missed() {
    let app = app().await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let deck = stored_as(&app, &ada, &legal("private")).await;
    watch(&app, &ada, &deck).await.expect(200);
    // The report is due, and an instance is creating it with the data from before the change.
    app.sql("UPDATE watched_decks SET due_at = '2026-01-01'").await;
    let set = app.patch("/v1/games/ttcg/sets/hearth").by(&admin).header("if-match", "*");
    set.json(&json!({ "name": "Hearth" })).answer().await.expect(200);
    let (state, now) = (app.state(), app.clock().now());
    mark_changed(&state, None, now).await.unwrap();
    let due_anew = "SELECT count(*) FROM watched_decks WHERE due_at > '2026-01-01'";
    assert_eq!(app.db().number(due_anew).await, 1);
}

/// SQL that lets 1,200 more accounts watch a deck.
fn many_watchers(app: &TestApp, deck: &str) -> String {
    format!(
        "INSERT INTO accounts (id, name, name_key, password_hash, role, created_at) \
         SELECT gen_random_uuid(), 'watcher ' || n, 'watcher ' || n, '$argon2id$x', 'player', '{0}' FROM generate_series(1, 1200) AS n; \
         INSERT INTO deck_watches (account_id, deck_id, watched_at, told_legal) SELECT id, '{1}', '{0}', true FROM accounts WHERE name LIKE 'watcher %'",
        app.clock().now().to_rfc3339(),
        deck.rsplit('/').next().unwrap(),
    )
}

#[tokio::test]
async fn a_format_that_the_game_no_longer_has_is_reported() {
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
