//! Reported decks, and the decisions of moderators about them.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::deck_files::lines;
use super::public_decks::in_the_background;
use super::{app, stored, stored_as};
use crate::support::{Answer, Player, RequestExt as _, TestApp, text};

fn id_of(path: &str) -> &str {
    path.rsplit_once('/').unwrap().1
}

async fn report(app: &TestApp, by: &Player, deck: &str) -> Answer {
    let body = json!({ "deck": id_of(deck), "reason": "abuse", "details": "Its name." });
    app.post("/v1/abuse-reports").by(by).json(&body).answer().await
}

/// Reports a deck and returns the id of the report.
async fn reported(app: &TestApp, by: &Player, deck: &str) -> String {
    text(&report(app, by, deck).await.expect(201), "id")
}

async fn decide(app: &TestApp, by: &Player, report: &str, decision: &str) -> Value {
    let body = json!({ "decision": decision, "note": "As the rules say." });
    let path = format!("/v1/abuse-reports/{report}/decide");
    app.post(&path).by(by).json(&body).answer().await.expect(200)
}

async fn patched(app: &TestApp, by: &Player, deck: &str, patch: &Value) -> Answer {
    app.patch(deck).by(by).header("if-match", "*").json(patch).answer().await
}

async fn own(app: &TestApp, by: &Player, deck: &str) -> Value {
    app.get(deck).by(by).answer().await.expect(200)
}

/// Statuses of the deck and of everything about it, for somebody who is not its owner.
async fn statuses(app: &TestApp, by: &Player, deck: &str) -> BTreeSet<u16> {
    let mut statuses = BTreeSet::new();
    for rest in
        ["", "/report", "/revisions", "/revisions/1", "/statistics", "/comments", "/similar"]
    {
        let path = format!("{deck}{rest}");
        statuses.insert(app.get(&path).answer().await.status);
        statuses.insert(app.get(&path).by(by).answer().await.status);
    }
    statuses
}

/// How many decks the lists have, as a reader who likes a deck and follows its owner sees them: the search, similar decks, liked ones, those of followed
/// authors, those with the card, and the bulk file.
async fn places(app: &TestApp, by: &Player, similar_to: &str, card: &str) -> [usize; 6] {
    let count = async |path: &str| {
        let page = app.get(path).by(by).answer().await.expect(200);
        page["data"].as_array().unwrap().len()
    };
    let played = app.get(&format!("/v1/cards/{card}/played-with")).answer().await.expect(200);
    app.build_bulk_files().await;
    [
        count("/v1/public-decks").await,
        count(&format!("{similar_to}/similar")).await,
        count("/v1/me/liked-decks").await,
        count("/v1/me/followed-decks").await,
        usize::try_from(played["decks"].as_u64().unwrap()).unwrap(),
        lines(app).await.len(),
    ]
}

/// The changes of decks after a number of the change feed.
async fn changes(app: &TestApp, after: &Value) -> Vec<Value> {
    let page = app.get(&format!("/v1/changes?limit=200&after={after}")).answer().await.expect(200);
    page["data"].as_array().unwrap().clone()
}

fn kinds(list: &[Value]) -> Vec<String> {
    list.iter().map(|one| text(one, "kind")).collect()
}

async fn events(app: &TestApp, by: &Player) -> Vec<Value> {
    let page = app.get("/v1/me/events?after=0").by(by).answer().await.expect(200);
    page["data"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_reported_deck_is_taken_down_and_shown_again() {
    let app = app().await;
    let (ada, ben, mod_) =
        (app.player("ada").await, app.player("ben").await, app.moderator().await);
    let body = json!({ "name": "Embers", "format": "ttcg/standard", "visibility": "public", "description": "Buy gold.", "list": "1 Kettle Imp" });
    let deck = stored_as(&app, &ada, &body).await;
    let other = stored(&app, &ben, "Pond", "public").await;
    app.put(&format!("{deck}/like")).by(&ben).answer().await.expect(200);
    app.put("/v1/authors/ada/follow").by(&ben).answer().await.expect(204);
    let card = app.get("/v1/cards/named?exact=Kettle+Imp&game=ttcg").answer().await.expect(200);
    let card = text(&card, "id");
    let (shown, hidden): ([usize; 6], [usize; 6]) = ([2, 1, 1, 1, 2, 2], [1, 0, 0, 0, 1, 1]);
    assert_eq!(places(&app, &ben, &other, &card).await, shown);
    let newest = app.get("/v1/changes").answer().await.expect(200)["newest"].clone();

    report(&app, &ada, &deck).await.problem(409, "own_report");
    let id = reported(&app, &ben, &deck).await;
    let again = report(&app, &ben, &deck).await.expect(200);
    assert_eq!((text(&again, "id"), &again["repeated"]), (id.clone(), &json!(true)));
    let waiting = app.get("/v1/abuse-reports").by(&mod_).answer().await.expect(200);
    let members = ["about", "deck", "deck_name", "deck_description", "accused"]
        .map(|name| text(&waiting["data"][0], name));
    assert_eq!(members, ["deck", id_of(&deck), "Embers", "Buy gold.", "ada"]);
    assert_eq!(waiting["data"].as_array().unwrap().len(), 1);
    let before = app.get(&deck).by(&ada).answer().await.header("etag");

    assert_eq!(decide(&app, &mod_, &id, "upheld").await["decision"], "upheld");
    assert_eq!(statuses(&app, &ben, &deck).await, BTreeSet::from([404]));
    assert_eq!(statuses(&app, &mod_, &deck).await, BTreeSet::from([404]));
    assert_eq!(places(&app, &ben, &other, &card).await, hidden);
    app.get("/v1/authors/ada").answer().await.problem(404, "not_found");
    report(&app, &ben, &deck).await.problem(404, "not_found");
    // The event of the reporter names the deck, but does not lead to it.
    assert_eq!(events(&app, &ben).await[0]["deck"], json!({ "id": id_of(&deck) }));
    // Its owner reads and changes it, but cannot publish it.
    let seen = app.get(&deck).by(&ada).answer().await;
    assert_ne!(seen.header("etag"), before);
    let seen = seen.expect(200);
    assert_eq!(
        (&seen["visibility"], &seen["takedown"]["note"]),
        (&json!("private"), &json!("As the rules say."))
    );
    let listed = app.get("/v1/decks").by(&ada).answer().await.expect(200);
    assert_eq!(listed["data"][0]["takedown"], seen["takedown"]);
    for visibility in ["public", "unlisted"] {
        let patch = json!({ "visibility": visibility });
        patched(&app, &ada, &deck, &patch).await.problem(409, "deck_taken_down");
        let body = json!({ "name": "Embers", "format": "ttcg/standard", "visibility": visibility, "list": "1 Kettle Imp" });
        let replaced = app.put(&deck).by(&ada).header("if-match", "*").json(&body).answer().await;
        replaced.problem(409, "deck_taken_down");
    }
    let publish = "UPDATE decks SET visibility = 'public' WHERE taken_down_at IS NOT NULL";
    assert!(app.db().refuses(publish).await, "an older program cannot publish it, either");

    decide(&app, &mod_, &id, "dismissed").await;
    assert_eq!(statuses(&app, &ben, &deck).await, BTreeSet::from([200]));
    let back = app.get(&deck).by(&ada).answer().await;
    assert_eq!(back.header("etag"), before);
    assert_eq!(back.expect(200).get("takedown"), None);
    app.clock().advance(TimeDelta::minutes(1));
    in_the_background(&app).await;
    assert_eq!(places(&app, &ben, &other, &card).await, shown);

    let changes = changes(&app, &newest).await;
    assert_eq!(kinds(&changes), ["deck.withdrawn", "deck.published"]);
    let members: Vec<&String> = changes[0].as_object().unwrap().keys().collect();
    assert_eq!(members, ["at", "deck", "game", "kind", "seq"]);
    let of_owner = events(&app, &ada).await;
    assert_eq!(kinds(&of_owner), ["deck.taken_down", "deck.reinstated"]);
    assert_eq!(of_owner[0]["deck"], json!({ "id": id_of(&deck), "href": deck }));
    let of_reporter = events(&app, &ben).await;
    assert_eq!(kinds(&of_reporter), ["report.decided", "report.decided"]);
    assert_eq!(of_reporter[0]["deck"], of_owner[0]["deck"]);
    let log = format!(
        "SELECT string_agg(action, ' ' ORDER BY created_at) FROM audit_log WHERE target = 'deck:{}'",
        id_of(&deck)
    );
    assert_eq!(app.db().value(&log).await, "abuse_report.upheld abuse_report.dismissed");
}

/// A takedown changes what the owner reads, and so does its end: an edit names the version that the owner has read.
#[tokio::test]
async fn an_edit_of_what_a_moderator_has_changed_since_is_refused() {
    let app = app().await;
    let (ada, ben, mod_) =
        (app.player("ada").await, app.player("ben").await, app.moderator().await);
    let deck = stored(&app, &ada, "Embers", "public").await;
    let id = reported(&app, &ben, &deck).await;
    let version = async |media_type: &str| {
        let read = app.get(&deck).by(&ada).header("accept", media_type).answer().await;
        read.header("etag")
    };
    let rename = async |version: &str, name: &str| {
        let patch = json!({ "name": name });
        app.patch(&deck).by(&ada).header("if-match", version).json(&patch).answer().await
    };
    let public = version("application/json").await;
    decide(&app, &mod_, &id, "upheld").await;
    let down = version("application/json").await;
    let plain = version("text/plain").await;
    // A decision that is sent twice changes nothing.
    decide(&app, &mod_, &id, "upheld").await;
    assert_eq!(version("application/json").await, down);
    rename(&public, "Sparks").await.problem(412, "precondition_failed");
    decide(&app, &mod_, &id, "dismissed").await;
    for stale in [&down, &plain] {
        rename(stale, "Sparks").await.problem(412, "precondition_failed");
        let deletion = app.delete(&deck).by(&ada).header("if-match", stale.as_str());
        deletion.answer().await.problem(412, "precondition_failed");
        let restore = app.post(&format!("{deck}/restore")).by(&ada);
        let restore = restore.header("if-match", stale.as_str()).json(&json!({ "revision": 1 }));
        restore.answer().await.problem(412, "precondition_failed");
    }
    rename(&public, "Sparks").await.expect(200);

    // While it is down, each answer names the version that the next edit needs.
    decide(&app, &mod_, &id, "upheld").await;
    let mut newest = version("text/plain").await;
    for name in ["Ashes", "Cinders"] {
        let renamed = rename(&newest, name).await;
        newest = renamed.header("etag");
        assert_eq!(renamed.expect(200)["name"], name);
    }
}

/// What the owner writes while the deck is down is private, and no moderator has decided about it.
#[tokio::test]
async fn a_deck_that_was_changed_while_it_was_down_stays_private() {
    let app = app().await;
    let (ada, ben, mod_) =
        (app.player("ada").await, app.player("ben").await, app.moderator().await);
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;
    let deck = stored(&app, &ada, "Embers", "public").await;
    let comment = app.post(&format!("{deck}/comments")).by(&ben);
    let comment = comment.json(&json!({ "text": "Buy gold." })).answer().await.header("location");
    let spam = json!({ "deck": id_of(&deck), "comment": id_of(&comment), "reason": "spam" });
    app.post("/v1/abuse-reports").by(&ada).json(&spam).answer().await.expect(201);
    let id = reported(&app, &ben, &deck).await;
    decide(&app, &mod_, &id, "upheld").await;
    let body = json!({ "name": "Secret", "format": "ttcg/standard", "visibility": "private", "list": "1 Drowned Lantern" });
    let replaced = app.put(&deck).by(&ada).header("if-match", "*").json(&body).answer().await;
    assert_eq!(replaced.expect(200)["takedown"]["note"], "As the rules say.");
    assert_eq!(decide(&app, &mod_, &id, "upheld").await["deck_name"], "Embers");
    // The report about the comment has the name that moderators know already.
    let about_comment = async || {
        let waiting = app.get("/v1/abuse-reports").by(&mod_).answer().await.expect(200);
        let report = waiting["data"][0].clone();
        assert_eq!(report["about"], "comment");
        (report["deck_state"].clone(), report["deck_name"].clone())
    };
    assert_eq!(about_comment().await, (json!("taken_down"), json!("Embers")));
    // The owner reads the deck, but nobody reads its comments.
    let events = events(&app, &ada).await;
    let commented = events.iter().find(|event| event["kind"] == "deck.commented").unwrap();
    assert_eq!(commented["deck"]["href"], json!(deck), "{commented:#}");
    assert!(commented["comment"].get("href").is_none(), "{commented:#}");

    let decided = decide(&app, &mod_, &id, "dismissed").await;
    assert!(!decided.to_string().contains("Secret"), "{decided:#}");
    assert_eq!(statuses(&app, &ben, &deck).await, BTreeSet::from([404]));
    let seen = own(&app, &ada, &deck).await;
    assert_eq!((&seen["visibility"], seen.get("takedown")), (&json!("private"), None));
    assert_eq!(about_comment().await, (json!("private"), Value::Null));
    patched(&app, &ada, &deck, &json!({ "visibility": "public" })).await.expect(200);
    let shown = app.get(&deck).by(&ben).answer().await.expect(200);
    assert_eq!(shown["entries"][0]["hidden"], true);
    assert!(!shown.to_string().contains("Drowned"), "{shown:#}");
}

#[tokio::test]
async fn takedowns_of_unlisted_and_deleted_decks_can_be_reversed() {
    let app = app().await;
    let (ada, ben, mod_) =
        (app.player("ada").await, app.player("ben").await, app.moderator().await);
    let deck = stored(&app, &ada, "Embers", "unlisted").await;
    let hidden = stored(&app, &ada, "Own", "private").await;
    report(&app, &ben, &hidden).await.problem(404, "not_found");
    let id = reported(&app, &ben, &deck).await;
    let undelete = async || {
        let answer = app.post(&format!("{deck}/undelete")).by(&ada).answer().await;
        answer.expect(200)["visibility"].clone()
    };
    let delete = async || {
        let answer = app.delete(&deck).by(&ada).header("if-match", "*").answer().await;
        assert_eq!(answer.status, 204);
    };
    decide(&app, &mod_, &id, "upheld").await;
    assert_eq!(statuses(&app, &ben, &deck).await, BTreeSet::from([404]));
    delete().await;
    assert_eq!(undelete().await, "private");
    delete().await;
    decide(&app, &mod_, &id, "dismissed").await;
    assert_eq!(statuses(&app, &ben, &deck).await, BTreeSet::from([404]));
    assert_eq!(undelete().await, "unlisted");
    delete().await;
    decide(&app, &mod_, &id, "upheld").await;
    assert_eq!(undelete().await, "private");
    assert_eq!(own(&app, &ada, &deck).await["takedown"]["note"], "As the rules say.");
    decide(&app, &mod_, &id, "dismissed").await;
    assert_eq!(statuses(&app, &ben, &deck).await, BTreeSet::from([200]));
    assert_eq!(own(&app, &ada, &deck).await["visibility"], "unlisted");
}

/// A wish for a private deck outlasts the takedown. What states no visibility leaves it as it is.
#[tokio::test]
async fn the_visibility_that_an_owner_asks_for_outlasts_a_takedown() {
    let app = app().await;
    let (ada, ben, mod_) =
        (app.player("ada").await, app.player("ben").await, app.moderator().await);
    let deck = stored(&app, &ada, "Embers", "public").await;
    let id = reported(&app, &ben, &deck).await;
    decide(&app, &mod_, &id, "upheld").await;
    patched(&app, &ada, &deck, &json!({ "name": "Embers" })).await.expect(200);
    let list = app.put(&format!("{deck}?format=ttcg/standard")).by(&ada).header("if-match", "*");
    let list = list.header("content-type", "text/plain").body("1 Kettle Imp");
    assert_eq!(list.answer().await.expect(200)["visibility"], "private");
    decide(&app, &mod_, &id, "dismissed").await;
    assert_eq!(own(&app, &ada, &deck).await["visibility"], "public");
    // Values that were changed while it was public leave it public.
    let renamed = patched(&app, &ada, &deck, &json!({ "name": "Embers!" })).await.expect(200);
    assert_eq!(renamed["visibility"], "public");

    let stated = json!({ "name": "Embers!", "format": "ttcg/standard", "visibility": "private", "list": "1 Kettle Imp" });
    for is_patch in [true, false] {
        decide(&app, &mod_, &id, "upheld").await;
        let before = own(&app, &ada, &deck).await["revision"].as_i64().unwrap();
        // The first request is a change, and so a new revision; the second changes nothing.
        for _ in 0..2 {
            let answer = if is_patch {
                patched(&app, &ada, &deck, &json!({ "visibility": "private" })).await
            } else {
                app.put(&deck).by(&ada).header("if-match", "*").json(&stated).answer().await
            };
            assert_eq!(answer.expect(200)["revision"], before + 1);
        }
        decide(&app, &mod_, &id, "dismissed").await;
        let seen = own(&app, &ada, &deck).await;
        assert_eq!((&seen["visibility"], seen.get("takedown")), (&json!("private"), None));
        assert_eq!(statuses(&app, &ben, &deck).await, BTreeSet::from([404]));
        patched(&app, &ada, &deck, &json!({ "visibility": "public" })).await.expect(200);
    }
}

#[tokio::test]
async fn an_unchanged_copy_of_a_deck_that_is_down_is_not_published() {
    let app = app().await;
    let (ada, ben, mod_) =
        (app.player("ada").await, app.player("ben").await, app.moderator().await);
    let deck = stored(&app, &ada, "Embers", "public").await;
    let id = reported(&app, &ben, &deck).await;
    decide(&app, &mod_, &id, "upheld").await;
    let copy = app.post(&format!("{deck}/clones")).by(&ada).answer().await.header("location");
    for visibility in ["public", "unlisted"] {
        let patch = json!({ "visibility": visibility, "folder": "Friday" });
        patched(&app, &ada, &copy, &patch).await.problem(409, "deck_taken_down");
    }
    let changed = json!({ "visibility": "public", "name": "Sparks" });
    patched(&app, &ada, &copy, &changed).await.expect(200);
    decide(&app, &mod_, &id, "dismissed").await;
    let again = json!({ "visibility": "private", "name": "Embers" });
    patched(&app, &ada, &copy, &again).await.expect(200);
    patched(&app, &ada, &copy, &json!({ "visibility": "public" })).await.expect(200);
}

/// A clone has the present places of its cards, and so has what its owner sends back.
#[tokio::test]
async fn a_copy_whose_cards_were_moved_since_counts_as_unchanged() {
    let app = app().await;
    let (ada, ben, mod_) =
        (app.player("ada").await, app.player("ben").await, app.moderator().await);
    let list = "1 Gatepost Lad (hearth) 002\n1 Kettle Imp";
    let body = json!({ "name": "Embers", "format": "ttcg/standard", "visibility": "public", "list": list });
    let deck = stored_as(&app, &ada, &body).await;
    let id = reported(&app, &ben, &deck).await;
    decide(&app, &mod_, &id, "upheld").await;
    let admin = app.admin().await;
    let card = app.get("/v1/games/ttcg/sets/hearth/cards/002").by(&admin).answer().await;
    let etag = card.header("etag");
    let path = format!("/v1/cards/{}/move", text(&card.expect(200), "id"));
    let moved = app.post(&path).by(&admin).header("if-match", etag);
    moved.json(&json!({ "number": "9002" })).answer().await.expect(201);
    let copy = app.post(&format!("{deck}/clones")).by(&ada).answer().await.header("location");
    let read = own(&app, &ada, &copy).await;
    assert_eq!(read["entries"][0]["number"], "9002");
    let publish = json!({ "visibility": "public" });
    patched(&app, &ada, &copy, &publish).await.problem(409, "deck_taken_down");
    for list in [list, "1 Gatepost Lad (hearth) 9002\n1 Kettle Imp"] {
        let body = json!({ "name": "Embers", "format": "ttcg/standard", "visibility": "public", "list": list });
        let replaced = app.put(&copy).by(&ada).header("if-match", "*").json(&body).answer().await;
        replaced.problem(409, "deck_taken_down");
    }
    let changed = json!({ "name": "Embers", "format": "ttcg/standard", "visibility": "public", "list": "2 Gatepost Lad (hearth) 9002\n1 Kettle Imp" });
    app.put(&copy).by(&ada).header("if-match", "*").json(&changed).answer().await.expect(200);
}

/// A card that was merged, and one that came later, are no changes of a copy either.
#[tokio::test]
async fn a_copy_whose_cards_were_merged_or_came_later_counts_as_unchanged() {
    let app = app().await;
    let (ada, ben, mod_) =
        (app.player("ada").await, app.player("ben").await, app.moderator().await);
    let body = |list: &str| json!({ "name": "Embers", "format": "ttcg/standard", "visibility": "public", "list": list });
    let list = "1 Gatepost Lad\n1 Chimney Newt";
    let deck = stored_as(&app, &ada, &body(list)).await;
    let id = reported(&app, &ben, &deck).await;
    decide(&app, &mod_, &id, "upheld").await;
    let copy = app.post(&format!("{deck}/clones")).by(&ada).answer().await.header("location");
    let admin = app.admin().await;
    let card = async |number: &str| {
        let path = format!("/v1/games/ttcg/sets/hearth/cards/{number}");
        let card = app.get(&path).by(&admin).answer().await;
        let etag = card.header("etag");
        (format!("/v1/cards/{}", text(&card.expect(200), "id")), etag)
    };
    let (old, etag) = card("002").await;
    let (into, _) = card("017").await;
    let into = json!({ "into": into.trim_start_matches("/v1/cards/") });
    let merge = app.post(&format!("{old}/merge")).by(&admin).header("if-match", etag).json(&into);
    merge.answer().await.expect(201);
    let (named, etag) = card("003").await;
    let rename = app.patch(&named).by(&admin).header("if-match", etag);
    rename.json(&json!({ "name": "Chimney Newt" })).answer().await.expect(200);

    let publish = json!({ "visibility": "public" });
    patched(&app, &ada, &copy, &publish).await.problem(409, "deck_taken_down");
    let put = async |list: &str| {
        app.put(&copy).by(&ada).header("if-match", "*").json(&body(list)).answer().await
    };
    for list in [list, "1 Chimney Salamander\n1 Chimney Newt"] {
        put(list).await.problem(409, "deck_taken_down");
    }
    put("1 Chimney Salamander\n2 Chimney Newt").await.expect(200);
}

/// A report contains what others could read, whatever becomes of the deck and of its revisions.
#[tokio::test]
async fn a_report_contains_what_others_could_read() {
    let app = app().await;
    let (ada, ben, mod_) =
        (app.player("ada").await, app.player("ben").await, app.moderator().await);
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;
    let list = "1 Kettle Imp\n1 Gold for sale\n1 Drowned Lantern\n1 Call me";
    let body = json!({
        "name": "Embers", "format": "ttcg/standard", "visibility": "public", "description": "Buy gold.", "tags": ["gold"], "list": list,
    });
    let deck = stored_as(&app, &ada, &body).await;
    let id = reported(&app, &ben, &deck).await;
    let read = async || {
        let path = format!("/v1/abuse-reports/{id}");
        app.get(&path).by(&mod_).answer().await.expect(200)
    };
    assert_eq!(read().await["deck_state"], "shown");
    let hidden = json!({ "name": "Secret", "visibility": "private", "description": "Mine.", "tags": ["lonely"] });
    patched(&app, &ada, &deck, &hidden).await.expect(200);
    app.sql("DELETE FROM deck_revisions WHERE visibility <> 'private'").await;
    let seen = read().await;
    let texts = ["deck_name", "deck_description"].map(|member| text(&seen, member));
    assert_eq!(texts, ["Embers", "Buy gold."]);
    assert_eq!(
        (&seen["deck_tags"], &seen["deck_entries"], &seen["deck_state"]),
        (&json!(["gold"]), &json!(["Gold for sale", "Call me"]), &json!("private"))
    );
    for word in ["Drowned", "Secret", "Mine.", "lonely"] {
        assert!(!seen.to_string().contains(word), "{word}: {seen:#}");
    }
    app.delete(&deck).by(&ada).header("if-match", "*").answer().await.expect(204);
    assert_eq!(read().await["deck_state"], "deleted");
    app.post(&format!("{deck}/undelete")).by(&ada).answer().await.expect(200);
    decide(&app, &mod_, &id, "upheld").await;
    let decided = read().await;
    assert_eq!(
        (&decided["deck_state"], &decided["deck_name"]),
        (&json!("taken_down"), &json!("Embers"))
    );
}

/// A repeated report contains the deck as it is then, and as it was when it was reported first.
#[tokio::test]
async fn a_repeated_report_of_a_deck_keeps_what_was_reported_first() {
    let app = app().await;
    let (ada, ben, mod_) =
        (app.player("ada").await, app.player("ben").await, app.moderator().await);
    let body = json!({
        "name": "Embers", "format": "ttcg/standard", "visibility": "public", "description": "Buy gold.", "tags": ["gold"],
        "list": "1 Kettle Imp\n1 Gold for sale",
    });
    let deck = stored_as(&app, &ada, &body).await;
    let id = reported(&app, &ben, &deck).await;
    let read = async || {
        let path = format!("/v1/abuse-reports/{id}");
        app.get(&path).by(&mod_).answer().await.expect(200)
    };
    let sent_at = text(&read().await, "created_at");
    let meek = json!({ "name": "Meek", "description": "", "tags": [] });
    patched(&app, &ada, &deck, &meek).await.expect(200);
    report(&app, &ben, &deck).await.expect(200);
    let seen = read().await;
    assert_eq!((&seen["deck_name"], seen.get("deck_description")), (&json!("Meek"), None));
    let first = json!({
        "reported_at": sent_at, "deck_name": "Embers", "deck_description": "Buy gold.", "deck_tags": ["gold"], "deck_entries": ["Gold for sale"],
    });
    assert_eq!(seen["first_reported"], first);
    // When it is what it was at first, there is nothing else to read.
    let before = json!({ "name": "Embers", "description": "Buy gold.", "tags": ["gold"] });
    patched(&app, &ada, &deck, &before).await.expect(200);
    report(&app, &ben, &deck).await.expect(200);
    let seen = read().await;
    assert_eq!((&seen["deck_name"], seen.get("first_reported")), (&json!("Embers"), None));
}

/// While the owner is banned nobody can read the deck, so decisions about it are no public changes.
#[tokio::test]
async fn decks_of_banned_owners_are_decided_without_public_changes() {
    let app = app().await;
    let (ada, ben, mod_) =
        (app.player("ada").await, app.player("ben").await, app.moderator().await);
    let admin = app.admin().await;
    let deck = stored(&app, &ada, "Embers", "public").await;
    let id = reported(&app, &ben, &deck).await;
    let newest = app.get("/v1/changes").answer().await.expect(200)["newest"].clone();
    let ban = async |banned: bool| {
        let change = app.patch(&format!("/v1/accounts/{}", ada.id)).by(&admin);
        change.json(&json!({ "banned": banned })).answer().await.expect(200);
    };
    ban(true).await;
    let waiting = app.get("/v1/abuse-reports").by(&mod_).answer().await.expect(200);
    assert_eq!(waiting["data"][0]["deck_name"], "Embers");
    assert_eq!(waiting["data"][0]["deck_state"], "owner_banned");
    for decision in ["upheld", "dismissed", "upheld"] {
        decide(&app, &mod_, &id, decision).await;
        assert_eq!(statuses(&app, &ben, &deck).await, BTreeSet::from([404]), "{decision}");
    }
    ban(false).await;
    assert_eq!(statuses(&app, &ben, &deck).await, BTreeSet::from([404]));
    assert_eq!(kinds(&changes(&app, &newest).await), ["deck.withdrawn"]);
    decide(&app, &mod_, &id, "dismissed").await;
    assert_eq!(statuses(&app, &ben, &deck).await, BTreeSet::from([200]));
    assert_eq!(kinds(&changes(&app, &newest).await), ["deck.withdrawn", "deck.published"]);
}
