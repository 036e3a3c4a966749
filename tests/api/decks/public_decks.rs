//! Public decks: search, and comparison by their cards.

use std::collections::BTreeSet;

use cardscape::app::decks::deck_search::make_due;
use cardscape::store::decks::deck_search::{Due, with_due};
use chrono::TimeDelta;
use serde_json::{Value, json};

use super::deck_reports::sample;
use super::stored_as as stored;
use crate::support::{
    Answer, PASSWORD, Player, RequestExt as _, TestApp, edit_set, in_memory, seed_data,
};

pub fn query(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

async fn ask(app: &TestApp, q: &str, rest: &str) -> Answer {
    app.get(&format!("/v1/public-decks?q={}{rest}", query(q))).answer().await
}

/// Names of the decks that a query finds, in their order.
async fn names(app: &TestApp, q: &str, rest: &str) -> Vec<String> {
    let page = ask(app, q, rest).await.expect(200);
    let name = |deck: &Value| deck["name"].as_str().unwrap().to_owned();
    page["data"].as_array().unwrap().iter().map(name).collect()
}

fn deck(name: &str, list: &str) -> Value {
    json!({ "name": name, "format": "ttcg/standard", "visibility": "public", "list": list })
}

async fn replaced(app: &TestApp, owner: &Player, path: &str, body: &Value) {
    app.put(path).by(owner).header("if-match", "*").json(body).answer().await.expect(200);
}

/// Runs the background job that is due, and returns the number of processed decks.
pub async fn in_the_background(app: &TestApp) -> usize {
    let now = app.clock().now();
    make_due(&app.state(), now, now - TimeDelta::hours(1))
        .await
        .unwrap()
        .expect("no other instance runs the job")
}

#[tokio::test]
async fn every_field_of_the_language_finds_decks() {
    let app = TestApp::start_seeded(&["ttcg", "emojo-dojo"]).await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let (format, list) = sample("ttcg", "legal-embers-and-bones.txt");
    let embers = json!({ "name": "Émbers, and Bones!", "format": format, "visibility": "public", "tags": ["Aggro", "first try"], "list": list });
    let path = stored(&app, &ada, &embers).await;
    stored(&app, &bob, &deck("Pond", "2 Kettle Imp\n1 No Such Card")).await;
    let today = app.clock().now().date_naive();
    let dates =
        [format!("date:{today}"), format!("updated<={today} size:50"), format!("date>{today}")];
    let (both, first, second): (&[&str], &[&str], &[&str]) =
        (&["Pond", "Émbers, and Bones!"], &["Émbers, and Bones!"], &["Pond"]);
    for (q, expected) in [
        ("", both),
        ("embers", first),
        ("name:\"bones and\"", first),
        ("try", first),
        ("ember", &[]),
        ("tag:aggro", first),
        ("tag:\"First Try\"", first),
        ("tag:first", &[]),
        ("tag:aggro\u{301}", &[]),
        ("by:ADA", first),
        ("by!=ada", second),
        ("-by:nobody", both),
        ("by!=nobody", both),
        ("-(by:nobody size:50)", both),
        ("by:\"nobody here\"", &[]),
        ("contains:\"kettle imp\"", both),
        ("contains:KettleImp contains:\"no such card\"", second),
        ("-contains:\"no such card\"", first),
        ("contains:kettle", &[]),
        ("format:standard", both),
        ("format:emojo-dojo/box", &[]),
        ("legal:ttcg/standard", first),
        ("-legal:standard", second),
        ("size:50", first),
        ("size<10 or tag:aggro", both),
        ("size:..3", second),
        ("game:ttcg -(size=50)", second),
        (&dates[0], both),
        (&dates[1], first),
        (&dates[2], &[]),
    ] {
        assert_eq!(names(&app, q, "").await, expected, "{q}");
    }
    assert_eq!(names(&app, "", "&game=ttcg").await, both);
    assert_eq!(names(&app, "", "&game=emojo-dojo").await, [""; 0]);

    let page = ask(&app, "embers attack>700", "").await.expect(200);
    let warning = &page["warnings"][0];
    assert!(
        warning["message"].as_str().unwrap().starts_with("there is no field \"attack\" of decks"),
        "{page:#}"
    );
    let found = &page["data"][0];
    let id = path.rsplit('/').next().unwrap();
    assert_eq!(
        (
            &found["id"],
            &found["author"],
            &found["card_count"],
            &found["legal_in"],
            &found["judged_on"]
        ),
        (
            &json!(id),
            &json!("ada"),
            &json!(50),
            &json!(["ttcg/standard:by_name", "ttcg/standard:by_card"]),
            &json!(today)
        )
    );
    assert!(found.get("folder").is_none() && found.get("entries").is_none());
    ask(&app, "attack>700", "").await.problem(400, "invalid_query");
    ask(&app, "", "&sort=best").await.problem(400, "invalid_query");
}

#[tokio::test]
async fn only_decks_that_are_public_now_are_found() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let path = stored(&app, &ada, &deck("Pond", "2 Kettle Imp")).await;
    let hidden = |visibility: &str| json!({ "name": "Pond", "format": "ttcg/standard", "visibility": visibility, "list": "2 Kettle Imp" });
    for visibility in ["private", "unlisted"] {
        stored(&app, &ada, &hidden(visibility)).await;
    }
    assert_eq!(names(&app, "pond", "").await, ["Pond"]);

    replaced(&app, &ada, &path, &deck("Lake", "1 Bellows Smith")).await;
    assert_eq!(names(&app, "pond or contains:\"kettle imp\"", "").await, [""; 0]);
    assert_eq!(names(&app, "lake contains:\"bellows smith\"", "").await, ["Lake"]);
    let diff = app.get(&format!("{path}/revisions")).by(&ada).answer().await.expect(200);
    assert_eq!(diff["data"].as_array().unwrap().len(), 2);
    let restore = app.post(&format!("{path}/restore")).by(&ada).header("if-match", "*");
    restore.json(&json!({ "revision": 1 })).answer().await.expect(200);
    assert_eq!(names(&app, "contains:\"kettle imp\"", "").await, ["Pond"]);

    for visibility in ["unlisted", "private"] {
        replaced(&app, &ada, &path, &hidden(visibility)).await;
        assert_eq!(names(&app, "", "").await, [""; 0], "{visibility}");
    }
    replaced(&app, &ada, &path, &deck("Pond", "2 Kettle Imp")).await;
    let deleted = app.delete(&path).by(&ada).header("if-match", "*").answer().await;
    assert_eq!(deleted.status, 204);
    assert_eq!(names(&app, "", "").await, [""; 0]);
    app.post(&format!("{path}/undelete")).by(&ada).answer().await.expect(200);
    assert_eq!(names(&app, "", "").await, ["Pond"]);

    let account = format!("/v1/accounts/{}", ada.id);
    let ban = async |admin: &Player, banned: bool| {
        let body = json!({ "banned": banned });
        app.patch(&account).by(admin).json(&body).answer().await.expect(200);
    };
    let bob = app.player("bob").await;
    let other = stored(&app, &bob, &deck("Other", "1 Kettle Imp")).await;
    let similar = async || {
        let found = app.get(&format!("{other}/similar")).answer().await.expect(200);
        found["data"].as_array().unwrap().len()
    };
    assert_eq!(similar().await, 1);
    ban(&admin, true).await;
    assert_eq!((names(&app, "", "").await, similar().await), (vec!["Other".to_owned()], 0));
    // A ban also hides a deck from those who know its address.
    let statuses = async |bob: &Player| {
        let mut statuses = BTreeSet::new();
        for rest in ["", "/report", "/revisions", "/revisions/1", "/statistics", "/legalities"] {
            let part = format!("{path}{rest}");
            statuses.insert(app.get(&part).answer().await.status);
            statuses.insert(app.get(&part).by(bob).answer().await.status);
        }
        statuses
    };
    assert_eq!(statuses(&bob).await, BTreeSet::from([404]));
    // On the next day it is judged again, once.
    app.clock().advance(TimeDelta::days(1));
    in_the_background(&app).await;
    assert_eq!(
        in_the_background(&app).await,
        0,
        "a deck of a banned player is not judged again and again"
    );
    let (bob, admin) = (app.log_in("bob", PASSWORD).await, app.log_in(&admin.name, PASSWORD).await);
    ban(&admin, false).await;
    assert_eq!(statuses(&bob).await, BTreeSet::from([200]));
    assert_eq!(names(&app, "pond", "").await, ["Pond"]);
    assert_eq!(in_the_background(&app).await, 0, "the requests have already updated the index");
}

#[tokio::test]
async fn decks_are_listed_by_their_likes() {
    let app = TestApp::start_seeded(&["ttcg", "emojo-dojo"]).await;
    let ada = app.player("ada").await;
    let mut paths = Vec::new();
    for number in 1..=5 {
        paths.push(stored(&app, &ada, &deck(&format!("Deck {number}"), "2 Kettle Imp")).await);
        app.clock().advance(TimeDelta::seconds(1));
    }
    for (name, liked) in [("bob", &[0, 1, 3][..]), ("cem", &[1, 3]), ("dee", &[1])] {
        let player = app.player(name).await;
        for place in liked {
            app.put(&format!("{}/like", paths[*place])).by(&player).answer().await.expect(200);
        }
    }
    let order = ["Deck 2", "Deck 4", "Deck 1", "Deck 5", "Deck 3"];
    for (q, game) in [("", ""), ("", "&game=ttcg"), ("deck", "")] {
        let sort = format!("{game}&sort=likes");
        assert_eq!(names(&app, q, &sort).await, order, "{q} {game}");
        let mut read = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = ask(&app, q, &format!("{sort}&limit=2{cursor}")).await.expect(200);
            let decks = page["data"].as_array().unwrap().iter();
            read.extend(decks.map(|deck| deck["name"].as_str().unwrap().to_owned()));
            let Some(next) = page["next_cursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(read, order, "{q} {game}");
    }
    assert!(names(&app, "", "&game=emojo-dojo&sort=likes").await.is_empty());
    // A cursor of another order is refused.
    let page = ask(&app, "", "&sort=new&limit=2").await.expect(200);
    let other = format!("&sort=likes&cursor={}", page["next_cursor"].as_str().unwrap());
    ask(&app, "", &other).await.problem(400, "invalid_cursor");
}

#[tokio::test]
async fn pages_stay_complete_while_decks_are_published() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let mut paths = Vec::new();
    for number in 1..=5 {
        paths.push(stored(&app, &ada, &deck(&format!("Deck {number}"), "2 Kettle Imp")).await);
        app.clock().advance(TimeDelta::seconds(1));
    }
    replaced(&app, &ada, &paths[0], &deck("Deck 1", "3 Kettle Imp")).await;
    assert_eq!(names(&app, "", "&limit=2&sort=updated").await, ["Deck 1", "Deck 5"]);
    for q in ["", "deck"] {
        let first = ask(&app, q, "&limit=3").await.expect(200);
        stored(&app, &ada, &deck(&format!("Later {q} deck"), "1 Bellows Smith")).await;
        let cursor = first["next_cursor"].as_str().unwrap();
        let rest = names(&app, q, &format!("&limit=3&cursor={cursor}")).await;
        let read: Vec<&str> = first["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|deck| deck["name"].as_str().unwrap())
            .collect();
        let later = names(&app, q, "&limit=1").await;
        assert!(later[0].starts_with("Later"));
        let mut all: Vec<&str> = read.into_iter().chain(rest.iter().map(String::as_str)).collect();
        all.retain(|name| name.starts_with("Deck"));
        assert_eq!(all, ["Deck 5", "Deck 4", "Deck 3", "Deck 2", "Deck 1"], "{q}");
        ask(&app, "another", &format!("&cursor={cursor}")).await.problem(400, "invalid_cursor");
    }
}

/// Only public names are suggested: those of open cards, and of players who have published a deck.
#[tokio::test]
async fn unknown_names_are_reported_with_similar_ones() {
    let app = TestApp::start_seeded_with(&["ttcg"], in_memory).await;
    let (ada, bob) = (app.player("adalbert").await, app.player("adalbart").await);
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;
    stored(&app, &ada, &deck("Shown", "2 Drowned Lantern\n1 Kettle Imp")).await;
    let private = json!({ "name": "Own", "format": "ttcg/standard", "list": "1 Kettle Imp" });
    stored(&app, &bob, &private).await;
    app.catch_up().await;
    for (q, rest, message, near) in [
        ("contains:\"Kettle Inp\"", "", "there is no card \"Kettle Inp\"", "Kettle Imp"),
        (
            "-contains:\"Kettle Inp\"",
            "&game=ttcg",
            "the game \"ttcg\" has no card \"Kettle Inp\"",
            "Kettle Imp",
        ),
        ("by:adalbrt", "", "there is no author of public decks \"adalbrt\"", "adalbert?"),
        // This player exists, but nobody can learn that here.
        ("by:adalbart", "", "there is no author of public decks \"adalbart\"", "adalbert?"),
    ] {
        let page = ask(&app, q, rest).await.expect(200);
        let warnings = page["warnings"].as_array().unwrap();
        assert_eq!(warnings.len(), 1, "{q}: {page:#}");
        let shown = warnings[0]["message"].as_str().unwrap();
        assert!(shown.starts_with(message), "{shown}");
        assert!(shown.contains("did you mean") && shown.contains(near), "{shown}");
    }
    let page = ask(&app, "contains:\"kettle imp\" by:ADALBERT", "").await.expect(200);
    assert_eq!((page.get("warnings"), &page["data"][0]["name"]), (None, &json!("Shown")));
    // The name of a hidden card is as unknown as any other, also to a player who has the card, and is never suggested.
    let of_deck = async |name: &str, reader: &Player| {
        let q = query(&format!("contains:\"{name}\""));
        let page = app.get(&format!("/v1/public-decks?q={q}")).by(reader).answer().await;
        page.expect(200)["warnings"][0]["message"].as_str().unwrap().to_owned()
    };
    for name in ["Drowned Lantern", "Drowned Lanterm"] {
        for reader in [&ada, &bob] {
            let message = of_deck(name, reader).await;
            assert!(message.starts_with(&format!("there is no card \"{name}\"")), "{message}");
            assert!(!message.replacen(name, "", 1).contains("Drowned Lantern"), "{message}");
        }
    }
}

#[tokio::test]
async fn hidden_cards_of_a_public_deck_are_found_after_their_unlock() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (ada, eve, admin) = (app.player("ada").await, app.player("eve").await, app.admin().await);
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;
    stored(&app, &ada, &deck("Holder", "2 Drowned Lantern\n1 Kettle Imp")).await;
    stored(&app, &eve, &deck("Guess", "1 Drowned Lantern\n1 Kettle Imp")).await;
    let found = async || names(&app, "contains:\"drowned lantern\"", "").await;
    assert_eq!(found().await, ["Guess"]);
    let card = app.get("/v1/games/ttcg/sets/veil/cards/003").answer().await.expect(200);
    let card = card["id"].as_str().unwrap();
    let played =
        async || app.get(&format!("/v1/cards/{card}/played-with")).answer().await.expect(200);
    assert_eq!(played().await, json!({ "decks": 0, "data": [] }));
    assert_eq!(in_the_background(&app).await, 0);

    let unlock = app.post(&format!("/v1/cards/{card}/unlock")).by(&admin);
    unlock.json(&json!({ "reason": "shown" })).answer().await.expect(200);
    assert_eq!(in_the_background(&app).await, 1, "only the deck that is bound to the card");
    assert_eq!(found().await, ["Guess", "Holder"]);
    assert_eq!(played().await["decks"], 1);
    // A deck that only names the card is processed on the next day, as all decks are.
    app.clock().advance(TimeDelta::days(1));
    assert_eq!(in_the_background(&app).await, 2);
    assert_eq!(played().await["decks"], 2);
    assert_eq!(played().await["data"][0]["name"], "Kettle Imp");
    assert_eq!(in_the_background(&app).await, 0);
}

#[tokio::test]
async fn holders_of_a_hidden_card_find_the_same_public_decks_as_strangers() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let (eve, moderator) = (app.player("eve").await, app.moderator().await);
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;
    let list = "2 Drowned Lantern\n1 Kettle Imp";
    let bound = stored(&app, &ada, &deck("Bound", list)).await;
    stored(&app, &eve, &deck("Typed", list)).await;
    let readers = [None, Some(&ada), Some(&bob), Some(&moderator), Some(&eve)];
    let both: &[&str] = &["Typed", "Bound"];
    let expected: [(&str, &[&str]); 6] = [
        ("contains:\"drowned lantern\"", &["Typed"]),
        ("-contains:\"drowned lantern\"", &["Bound"]),
        ("by:ada contains:\"drowned lantern\"", &[]),
        ("contains:\"kettle imp\"", both),
        ("size:3", both),
        ("", both),
    ];
    let assert_same_for_all = async |q: &str, expected: &[&str]| {
        let mut pages = Vec::new();
        for reader in readers {
            let request = app.get(&format!("/v1/public-decks?q={}", query(q)));
            let request = if let Some(reader) = reader { request.by(reader) } else { request };
            pages.push(request.answer().await.expect(200));
        }
        let first = pages[0]["data"].as_array().unwrap();
        let found: Vec<&str> = first.iter().map(|deck| deck["name"].as_str().unwrap()).collect();
        assert_eq!(found, expected, "{q}");
        // Everything else is the same as well: `legal_in`, sizes, and whether more follows.
        pages.dedup();
        assert_eq!(pages.len(), 1, "{q}: {pages:#?}");
    };
    // First the owner of the deck holds the card, then another player.
    for holder in [&ada, &bob] {
        app.sql(&format!("UPDATE copies SET owner_id = '{}'", holder.id)).await;
        for (reader, sees) in [(holder, true), (&moderator, true), (&eve, false)] {
            let read = app.get(&bound).by(reader).answer().await.expect(200).to_string();
            assert!(read.contains("Kettle Imp"), "{}: {read}", reader.name);
            assert_eq!(read.contains("Drowned Lantern"), sees, "{}: {read}", reader.name);
        }
        for (q, expected) in expected {
            assert_same_for_all(q, expected).await;
        }
    }

    // After the unlock everybody finds the deck that is bound to the card.
    let card = app.get("/v1/games/ttcg/sets/veil/cards/003").answer().await.expect(200);
    let admin = app.admin().await;
    let unlock = app.post(&format!("/v1/cards/{}/unlock", card["id"].as_str().unwrap()));
    unlock.by(&admin).json(&json!({ "reason": "shown" })).answer().await.expect(200);
    assert_eq!(in_the_background(&app).await, 1);
    assert_same_for_all("contains:\"drowned lantern\"", both).await;
    assert_same_for_all("-contains:\"drowned lantern\"", &[]).await;
}

#[tokio::test]
async fn decks_that_other_programs_publish_are_found_soon() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let body = json!({ "name": "Pond", "format": "ttcg/standard", "list": "2 Kettle Imp" });
    let path = stored(&app, &ada, &body).await;
    let id = path.rsplit('/').next().unwrap();
    let older = |change: &str| {
        format!(
            "UPDATE decks SET revision = revision + 1, updated_at = updated_at - interval '1 hour', {change} WHERE id = '{id}'"
        )
    };
    app.sql(&older("visibility = 'public', name = 'Older'")).await;
    assert_eq!(names(&app, "", "").await, [""; 0]);
    assert_eq!(in_the_background(&app).await, 1);
    assert_eq!(names(&app, "older contains:\"kettle imp\"", "").await, ["Older"]);
    // The other program changes the deck again, so the indexed data of the deck is no longer valid.
    app.sql(&older("name = 'Other'")).await;
    assert_eq!(names(&app, "older", "").await, [""; 0]);
    assert_eq!(in_the_background(&app).await, 1);
    assert_eq!(names(&app, "other", "").await, ["Other"]);
    app.sql(&older("visibility = 'private'")).await;
    assert_eq!(names(&app, "", "").await, [""; 0]);
    assert_eq!(in_the_background(&app).await, 0);
}

#[tokio::test]
async fn decks_are_judged_again_after_a_new_manifest() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let (format, list) = sample("ttcg", "legal-embers-and-bones.txt");
    let body = json!({ "name": "Embers", "format": format, "visibility": "public", "list": list });
    stored(&app, &ada, &body).await;
    assert_eq!(names(&app, "legal:standard", "").await, ["Embers"]);
    // An import of a changed manifest has the same effect.
    app.sql("UPDATE games SET revision = revision + 1 WHERE code = 'ttcg'").await;
    assert_eq!(in_the_background(&app).await, 1);
    assert_eq!(in_the_background(&app).await, 0);
    assert_eq!(names(&app, "legal:standard", "").await, ["Embers"]);
}

#[tokio::test]
async fn public_decks_that_older_versions_have_judged_are_judged_again() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let (format, list) = sample("ttcg", "legal-embers-and-bones.txt");
    let body = json!({ "name": "Embers", "format": format, "visibility": "public", "list": list });
    let path = stored(&app, &ada, &body).await;
    assert_eq!(in_the_background(&app).await, 0);
    // A program that judges by older rules, and does not know that rules have versions. By its rules, one of the cards does not exist.
    let older = "UPDATE deck_judgements SET game_code = game_code, due_at = due_at, judged_on = judged_on, game_revision = game_revision; \
                 UPDATE deck_search SET legal_in = '{}', terms = ARRAY(SELECT term FROM unnest(terms) AS term WHERE term NOT LIKE 'l:%')";
    app.sql(older).await;
    assert_eq!(names(&app, "legal:standard", "").await, [""; 0]);
    assert_eq!(in_the_background(&app).await, 1);
    assert_eq!(in_the_background(&app).await, 0);
    assert_eq!(names(&app, "legal:standard", "").await, ["Embers"]);

    // A row that cannot be written is not tried again at once.
    let id = path.rsplit('/').next().unwrap();
    app.sql(&format!("UPDATE decks SET format_code = 'no format' WHERE id = '{id}'")).await;
    app.sql(older).await;
    assert_eq!(in_the_background(&app).await, 1);
    assert_eq!(in_the_background(&app).await, 0);
    app.sql(&format!("UPDATE decks SET format_code = 'standard' WHERE id = '{id}'")).await;
    app.clock().advance(TimeDelta::hours(2));
    assert_eq!(in_the_background(&app).await, 1);
    assert_eq!(names(&app, "legal:standard", "").await, ["Embers"]);
}

#[tokio::test]
async fn decks_are_compared_by_the_cards_that_they_share() {
    let app = TestApp::start_seeded(&["ttcg", "emoji-tcg"]).await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let lists = [
        ("Same", "1 Bellows Smith\n9 Kettle Imp"),
        ("Half", "1 Kettle Imp"),
        ("More", "2 Kettle Imp\n1 Bellows Smith\n1 Cinder Matriarch\n1 No Such Card"),
        ("None", "1 No Such Card"),
    ];
    for (name, list) in lists {
        stored(&app, &bob, &deck(name, list)).await;
    }
    let mine = json!({ "name": "Mine", "format": "ttcg/standard", "list": "2 Kettle Imp\n1 Bellows Smith" });
    let path = stored(&app, &ada, &mine).await;
    let similar = app.get(&format!("{path}/similar")).by(&ada).answer().await.expect(200);
    let found: Vec<(&str, i64, f64)> = similar["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["name"].as_str().unwrap(),
                one["shared_cards"].as_i64().unwrap(),
                one["similarity"].as_f64().unwrap(),
            )
        })
        .collect();
    assert_eq!(found[0], ("Same", 2, 1.0), "{similar:#}");
    assert_eq!(found.iter().map(|one| one.0).collect::<Vec<_>>(), ["Same", "More", "Half"]);
    let few = app.get(&format!("{path}/similar?limit=1")).by(&ada).answer().await.expect(200);
    assert_eq!(few["data"].as_array().unwrap().len(), 1);
    app.get(&format!("{path}/similar?limit=0"))
        .by(&ada)
        .answer()
        .await
        .problem(400, "invalid_query");
    app.get(&format!("{path}/similar")).by(&bob).answer().await.problem(404, "not_found");

    let card = app.get("/v1/cards/named?exact=Kettle+Imp&game=ttcg").answer().await.expect(200);
    let played = format!("/v1/cards/{}/played-with", card["id"].as_str().unwrap());
    let played = app.get(&played).answer().await.expect(200);
    assert_eq!(played["decks"], 3, "{played:#}");
    assert_eq!(
        (&played["data"][0]["name"], &played["data"][0]["decks"]),
        (&json!("Bellows Smith"), &json!(2))
    );
    // This card is the only card of a deck.
    let alone =
        app.get("/v1/cards/named?exact=Ember+Moth+Cloud&game=ttcg").answer().await.expect(200);
    stored(&app, &bob, &deck("Alone", "1 Ember Moth Cloud")).await;
    let played = format!("/v1/cards/{}/played-with", alone["id"].as_str().unwrap());
    assert_eq!(app.get(&played).answer().await.expect(200), json!({ "decks": 1, "data": [] }));
    let absent = "/v1/cards/00000000-0000-7000-8000-000000000000/played-with";
    app.get(absent).answer().await.problem(404, "not_found");
}

/// Before, decks with different printings of a card had no card in common.
#[tokio::test]
async fn reprints_are_one_card_where_decks_are_compared() {
    let app = TestApp::start().await;
    let mut source = seed_data("ttcg");
    source.manifest.text =
        source.manifest.text.replacen("[cards]", "[cards]\nunique_names = false", 1);
    edit_set(&mut source, "hearth", |set| set["cards"][8]["name"] = "Kettle Imp".into());
    app.import(&source).await.unwrap();
    let ada = app.player("ada").await;
    let mine = deck("Mine", "2 Kettle Imp (hearth) 009\n1 Bellows Smith");
    let path = stored(&app, &ada, &mine).await;
    stored(&app, &ada, &deck("Other printing", "1 Kettle Imp (hearth) 016")).await;
    stored(&app, &ada, &deck("Any printing", "1 Kettle Imp\n1 Kettle Imp (hearth) 016")).await;
    let similar = app.get(&format!("{path}/similar")).answer().await.expect(200);
    let similar = similar["data"].as_array().unwrap();
    let shared: Vec<(&Value, &Value)> =
        similar.iter().map(|one| (&one["shared_cards"], &one["similarity"])).collect();
    assert_eq!(shared, [(&json!(1), &json!(0.5)); 2], "{similar:#?}");
    for number in ["009", "016"] {
        let place = format!("/v1/games/ttcg/sets/hearth/cards/{number}");
        let card = app.get(&place).answer().await.expect(200);
        let played = format!("/v1/cards/{}/played-with", card["id"].as_str().unwrap());
        let played = app.get(&played).answer().await.expect(200);
        let cards = played["data"].as_array().unwrap();
        let names: Vec<&Value> = cards.iter().map(|card| &card["name"]).collect();
        assert_eq!(
            (&played["decks"], names),
            (&json!(3), vec![&json!("Bellows Smith")]),
            "{number}"
        );
    }
}

#[tokio::test]
async fn the_change_feed_reports_public_decks_without_their_content() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let before = app.get("/v1/changes").answer().await.expect(200);
    let seq = before["newest"].as_i64().unwrap();
    let private = json!({ "name": "Pond", "format": "ttcg/standard", "list": "2 Kettle Imp" });
    let path = stored(&app, &ada, &private).await;
    replaced(&app, &ada, &path, &private).await;
    replaced(&app, &ada, &path, &deck("Pond", "2 Kettle Imp")).await;
    for _ in 0..2 {
        // The second time, nothing changes, so there is no event.
        replaced(&app, &ada, &path, &deck("Lake", "1 Kettle Imp")).await;
    }
    let deleted = app.delete(&path).by(&ada).header("if-match", "*").answer().await;
    assert_eq!(deleted.status, 204);
    app.post(&format!("{path}/undelete")).by(&ada).answer().await.expect(200);
    app.sql(&format!("DELETE FROM decks WHERE account_id = '{}'", ada.id)).await;
    let expected = ["published", "changed", "withdrawn", "published", "withdrawn"];
    let page = app.get(&format!("/v1/changes?limit=200&after={seq}")).answer().await.expect(200);
    let mut kinds = Vec::new();
    for change in page["data"].as_array().unwrap() {
        let members: Vec<&String> = change.as_object().unwrap().keys().collect();
        assert_eq!(members, ["at", "deck", "game", "kind", "seq"]);
        assert!(path.ends_with(change["deck"].as_str().unwrap()));
        kinds.push(change["kind"].as_str().unwrap().to_owned());
    }
    assert_eq!(kinds, expected.map(|kind| format!("deck.{kind}")));
}

#[tokio::test]
async fn an_unreadable_deck_does_not_prevent_other_decks_from_being_found() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let body = json!({ "name": "Pond", "format": "ttcg/standard", "list": "2 Kettle Imp" });
    let broken = stored(&app, &ada, &body).await;
    stored(&app, &ada, &body).await;
    let publish = "UPDATE decks SET revision = revision + 1, updated_at = updated_at - interval '1 hour', visibility = 'public'";
    app.sql(publish).await;
    let of = format!("WHERE id = '{}'", broken.rsplit('/').next().unwrap());
    app.sql(&format!("UPDATE decks SET format_code = 'no format' {of}")).await;
    assert_eq!(in_the_background(&app).await, 2);
    assert_eq!(names(&app, "", "").await, ["Pond"]);
    assert_eq!(in_the_background(&app).await, 0, "the unreadable deck is not tried again at once");
    app.sql(&format!("UPDATE decks SET format_code = 'standard' {of}")).await;
    app.clock().advance(TimeDelta::hours(2));
    assert!(in_the_background(&app).await >= 1);
    assert_eq!(names(&app, "", "").await, ["Pond", "Pond"]);
}

/// An unlocked card is a reason for work that no time ends.
#[tokio::test]
async fn an_unreadable_deck_with_an_unlocked_card_is_not_tried_again_at_once() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;
    let path = stored(&app, &ada, &deck("Holder", "2 Drowned Lantern\n1 Kettle Imp")).await;
    let of = format!("WHERE id = '{}'", path.rsplit('/').next().unwrap());
    app.sql(&format!("UPDATE decks SET format_code = 'no format' {of}")).await;
    let card = app.get("/v1/games/ttcg/sets/veil/cards/003").answer().await.expect(200);
    let unlock = app.post(&format!("/v1/cards/{}/unlock", card["id"].as_str().unwrap()));
    unlock.by(&admin).json(&json!({ "reason": "shown" })).answer().await.expect(200);
    assert_eq!(in_the_background(&app).await, 1);
    assert_eq!(in_the_background(&app).await, 0);
    app.sql(&format!("UPDATE decks SET format_code = 'standard' {of}")).await;
    app.clock().advance(TimeDelta::hours(2));
    assert_eq!(in_the_background(&app).await, 1);
    assert_eq!(names(&app, "contains:\"drowned lantern\"", "").await, ["Holder"]);
}

#[tokio::test]
async fn the_most_urgent_decks_are_processed_first() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let mut ids = Vec::new();
    for name in ["One", "Two", "Three"] {
        let path = stored(&app, &ada, &deck(name, "2 Kettle Imp")).await;
        ids.push(path.rsplit('/').next().unwrap().to_owned());
    }
    ids.sort();
    // An older manifest, a change, and a later change of a deck that an older manifest has judged, too.
    let now = app.clock().now();
    let at = now.to_rfc3339();
    app.sql(&format!(
        "UPDATE deck_judgements SET game_revision = 0 WHERE deck_id IN ('{0}', '{2}'); \
         UPDATE deck_judgements SET due_at = '{at}'::timestamptz - interval '2 hours' WHERE deck_id = '{1}'; \
         UPDATE deck_judgements SET due_at = '{at}'::timestamptz - interval '1 hour' WHERE deck_id = '{2}'",
        ids[0], ids[1], ids[2]
    ))
    .await;
    let due = Due { before: now, unlocked_since: now };
    let found = with_due(&app.state().store, due, 100, async |decks| decks).await.unwrap();
    let found = found.expect("no other instance runs the job");
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    ids.reverse();
    assert_eq!(found, ids);
}

#[tokio::test]
async fn a_published_deck_leaves_cached_catalogue_answers_unchanged() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let other = app.second_instance_in_memory().await;
    let name = async || {
        let set = other.get("/v1/games/ttcg/sets/hearth").answer().await.expect(200);
        set["name"].as_str().unwrap().to_owned()
    };
    let cached = name().await;
    // No event reports this change, so an instance that returns the new name has read the database.
    app.sql("UPDATE sets SET name = 'Renamed' WHERE code = 'hearth'").await;
    stored(&app, &ada, &deck("Pond", "2 Kettle Imp")).await;
    other.catch_up().await;
    assert_eq!(name().await, cached);
    let event = "INSERT INTO events (id, kind, subject_id, payload, created_at) SELECT gen_random_uuid(), 'set.changed', id, '{\"game\": \"ttcg\", \"set\": \"hearth\"}', now() \
                 FROM sets WHERE code = 'hearth'";
    app.sql(event).await;
    other.catch_up().await;
    assert_eq!(name().await, "Renamed");
}
