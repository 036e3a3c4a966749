//! Names of shared designs: no other design gets a name that is or looks the same, until the name is free.

use cardscape::domain::designs::identifier::DesignCode;
use cardscape::store::catalogue::cards;
use cardscape::store::db::backlog::UNTIL_DONE;
use cardscape::store::designs::reserved_names;
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::design_releases::{approve, release};
use super::{app, begun, changed, heron, put, shared, step};
use crate::support::{Player, RequestExt as _, TestApp, in_memory};

async fn check(app: &TestApp, requester: &Player, name: &str) -> Value {
    let check = app.post("/v1/design-checks").by(requester).json(&heron(name));
    check.answer().await.expect(200)["name"].clone()
}

async fn set_ban(app: &TestApp, player: &Player, banned_at: &str) {
    app.sql(&format!("UPDATE accounts SET banned_at = {banned_at} WHERE id = '{}'", player.id))
        .await;
    if app.shared().settings.card_index {
        app.catch_up().await;
    }
}

/// A name, another one that is the same or looks the same, and what a check calls it.
const PAIRS: [(&str, &str, &str); 8] = [
    ("Crimson Bell", "Crímson Béll", "same"),
    ("Mørk Owl", "Mork Owl", "same"),
    // The Cyrillic capital looks like "M", and the small "m" like "rn".
    ("Umber Heron", "U\u{41c}BER HERON", "looks_the_same"),
    // Small capitals.
    ("Amber Wolf", "A\u{1d0d}\u{299}\u{1d07}\u{280} W\u{1d0f}\u{29f}\u{a730}", "looks_the_same"),
    // The same, and an accent elsewhere.
    ("A\u{1d0d}\u{299}\u{1d07}\u{280} Gate", "Amber Gåte", "looks_the_same"),
    // An accent, and a small "L" in place of the capital "I".
    ("Tin Imp", "Tín lmp", "looks_the_same"),
    // A negative squared letter.
    ("Quiet Reed", "\u{1f180}uiet Reed", "looks_the_same"),
    // Another case, and a small "L".
    ("Stone Inn", "STONE lNN", "looks_the_same"),
];

/// Names in letters that look like those of the open card "Kettle Imp", in several ways at once.
const LIKE_KETTLE_IMP: [&str; 9] = [
    "Kéttle lmp",
    "K\u{435}ttlé Imp",
    "\u{1e30}ettle lm\u{1e55}",
    "Këttle 1mp",
    "Kettle Í\u{43c}p",
    "\u{1f17a}ettle Imp",
    "\u{1f15a}\u{1f154}\u{1f163}\u{1f163}\u{1f15b}\u{1f154} imp",
    "KETTLE lMP",
    "\u{1d0b}\u{1d07}\u{301}\u{1d1b}\u{1d1b}\u{29f}\u{1d07} \u{26a}\u{1d0d}\u{1d18}",
];

#[tokio::test]
async fn accents_do_not_hide_letters_that_look_like_those_of_a_card() {
    for change in [|_: &mut cardscape::app::state::ApiSettings| {}, in_memory] {
        let app = TestApp::start_seeded_with(&["ttcg"], change).await;
        app.seed_effect_texts("ttcg").await;
        if app.shared().settings.card_index {
            app.catch_up().await;
        }
        let ada = app.player("ada").await;
        let path = begun(&app, &ada, &heron("Reed Stork")).await;
        for name in LIKE_KETTLE_IMP {
            let checked = check(&app, &ada, name).await;
            let expected = (&json!(false), &json!("taken"));
            assert_eq!((&checked["available"], &checked["reason"]), expected, "{name}");
            let first = &checked["like"][0];
            assert_eq!(first["name"], "Kettle Imp", "{name}");
            put(&app, &ada, &path, "*", &heron(name)).await.expect(200);
            step(&app, &ada, &path, "share").await.problem(409, "design_name_taken");
        }
        assert_eq!(check(&app, &ada, "Kettel Ímp").await["available"], true);
    }
}

#[tokio::test]
async fn a_name_that_a_check_calls_taken_cannot_be_shared() {
    let app = app().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    // New accounts may share fewer designs.
    app.sql("UPDATE accounts SET created_at = created_at - interval '9 days'").await;
    for (name, other, likeness) in PAIRS {
        let path = shared(&app, &ada, &heron(name)).await;
        // Before Bob has a design of this name, which would be the most similar one.
        let checked = check(&app, &bob, other).await;
        let first = &checked["like"][0];
        assert_eq!((&first["name"], &first["likeness"]), (&json!(name), &json!(likeness)));
        assert_eq!(checked["available"], false);
        let second = begun(&app, &bob, &heron(other)).await;
        step(&app, &bob, &second, "share").await.problem(409, "design_name_taken");
        // The name is taken in the other direction, too.
        step(&app, &ada, &path, "withdraw").await.expect(200);
        step(&app, &bob, &second, "share").await.expect(200);
        step(&app, &ada, &path, "share").await.problem(409, "design_name_taken");
        // A rename takes a name like a share.
        let renamed = shared(&app, &ada, &heron(&format!("Plain {name}"))).await;
        put(&app, &ada, &renamed, "*", &heron(name)).await.problem(409, "design_name_taken");
    }
}

/// In capital letters "i" looks like "l", which counts only for names with letters of other scripts: an accent is none, nor is a stroke.
#[tokio::test]
async fn names_with_accents_that_look_different_are_free() {
    let app = app().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    for (one, other) in
        [("Gáil Reed", "Gall Reed"), ("Vall Stork", "Váil Stork"), ("Mørk Bail", "Mork Ball")]
    {
        shared(&app, &ada, &heron(one)).await;
        assert_eq!(check(&app, &bob, other).await["available"], true, "{other}");
        shared(&app, &bob, &heron(other)).await;
    }
}

/// Two names that differ in accents at both ends are far apart in every sort order. A check finds one from the other also among many names.
#[tokio::test]
async fn a_check_finds_names_that_differ_in_accents_at_both_ends() {
    for change in [|_: &mut cardscape::app::state::ApiSettings| {}, in_memory] {
        let app = TestApp::start_seeded_with(&["ttcg"], change).await;
        app.seed_effect_texts("ttcg").await;
        let (ada, bob) = (app.player("ada").await, app.player("bob").await);
        let plain = shared(&app, &ada, &heron("Elan Kane")).await;
        // Their keys are between those of the two names, forwards and backwards.
        for n in 10..50_u8 {
            let code = DesignCode::from_random([n % 32, n / 32, 3, 4, 5, 6, 7, 8, 9]);
            app.sql(&format!(
                "INSERT INTO designs (id, code, account_id, game_code, status, version, revision, public_revision, kind, shared_at, created_at, updated_at, \
                  name, name_key, name_skeleton) \
                 VALUES (gen_random_uuid(), '{code}', '{}', 'ttcg', 'shared', 1, 1, 1, 'unit', now(), now(), now(), \
                  'Pond {n} Quartz', 'pond{n}quartz', 'pond {n} quartz')",
                ada.id
            ))
            .await;
        }
        // Other effects than those of the listed design, by which it would be found, too.
        let effects = json!([{ "style": "normal", "text": "Discard one spell to gain 1 point." }]);
        for (listed, name) in [("Elan Kane", "Élan Kané"), ("Élan Kané", "Elan Kane")] {
            if listed != "Elan Kane" {
                put(&app, &ada, &plain, "*", &heron(listed)).await.expect(200);
            }
            if app.shared().settings.card_index {
                app.catch_up().await;
            }
            let design = changed(heron(name), &json!({ "effects": effects }));
            let checked = app.post("/v1/design-checks").by(&bob).json(&design).answer().await;
            let checked = checked.expect(200)["name"].clone();
            assert_eq!(checked["available"], false, "{name}");
            let first = &checked["like"][0];
            assert_eq!((&first["name"], &first["likeness"]), (&json!(listed), &json!("same")));
            let second = begun(&app, &bob, &heron(name)).await;
            step(&app, &bob, &second, "share").await.problem(409, "design_name_taken");
        }
    }
}

/// Authors share names at the same time on two instances, in which each pair of names is the same or looks the same.
#[tokio::test]
async fn exactly_one_of_parallel_names_is_shared() {
    let app = app().await;
    let other = app.second_instance();
    for (round, names) in [
        &["Crimson Bell", "Crímson Bell", "CRIMSÓN BELL", "Crimson Béll"][..],
        &["Umber Heron", "U\u{41c}BER HERON"],
    ]
    .into_iter()
    .enumerate()
    {
        let mut paths = Vec::new();
        for at in 0..8 {
            let author = app.player_owned(format!("author{round}{at}")).await;
            paths.push((begun(&app, &author, &heron(names[at % names.len()])).await, author));
        }
        let shares = paths.iter().enumerate().map(async |(at, (path, author))| {
            let app = if at % 3 == 0 { &other } else { &app };
            let path = format!("{path}/share");
            app.post(&path).by(author).header("if-match", "\"r1\"").answer().await.status
        });
        let mut statuses = join_all(shares).await;
        statuses.sort_unstable();
        assert_eq!(statuses, [vec![200], vec![409; 7]].concat());
    }
}

/// A program that does not know the looks of names writes designs without them. They are made by housekeeping, and each design keeps the name that it has.
#[tokio::test]
async fn looks_that_older_programs_did_not_store_are_made() {
    let app = app().await;
    let (ada, bob, cyd) =
        (app.player("ada").await, app.player("bob").await, app.player("cyd").await);
    let first = shared(&app, &ada, &heron("Crimson Bell")).await;
    app.sql("UPDATE designs SET name_looks = NULL").await;
    let second = shared(&app, &bob, &heron("Crímson Bell")).await;
    assert_eq!(reserved_names::fill_in(app.store(), UNTIL_DONE).await.unwrap(), 1);
    assert_eq!(reserved_names::fill_in(app.store(), UNTIL_DONE).await.unwrap(), 0);
    let third = begun(&app, &cyd, &heron("Crìmson Bell")).await;
    step(&app, &cyd, &third, "share").await.problem(409, "design_name_taken");
    for (author, path, name) in [(&ada, &first, "Crimson Bell"), (&bob, &second, "Crímson Bell")] {
        let revised = changed(heron(name), &json!({ "flavour": "It rings." }));
        put(&app, author, path, "*", &revised).await.expect(200);
    }
    // An older program changes names: the trigger deletes the looks of the old ones.
    app.sql(
        "UPDATE designs SET name = 'Amber Gong', name_key = 'ambergong', name_skeleton = 'arnber gong' || id WHERE name LIKE 'Cr%mson Bell' AND listed",
    )
    .await;
    step(&app, &cyd, &third, "share").await.expect(200);
    assert_eq!(reserved_names::fill_in(app.store(), UNTIL_DONE).await.unwrap(), 2);
    let fourth = begun(&app, &cyd, &heron("Ámber Gong")).await;
    step(&app, &cyd, &fourth, "share").await.problem(409, "design_name_taken");
}

/// A check does not show the design of a banned author, and its name is free. When the ban ends, the name belongs to the design that was shared meanwhile.
#[tokio::test]
async fn the_name_of_a_banned_author_is_free() {
    for change in [|_: &mut cardscape::app::state::ApiSettings| {}, in_memory] {
        let app = TestApp::start_seeded_with(&["ttcg"], change).await;
        app.seed_effect_texts("ttcg").await;
        let (ada, bob, mod_) =
            (app.player("ada").await, app.player("bob").await, app.moderator().await);
        let lantern = shared(&app, &ada, &heron("Lantern Heron")).await;
        step(&app, &ada, &lantern, "submit").await.expect(200);
        let reed = shared(&app, &ada, &heron("Quill Owl")).await;
        set_ban(&app, &ada, "created_at").await;
        let free = json!({ "available": true, "like": [] });
        assert_eq!(check(&app, &bob, "Lantern Heron").await, free);
        let twin = shared(&app, &bob, &heron("L\u{430}ntern Heron")).await;

        set_ban(&app, &ada, "NULL").await;
        // The review of the withdrawn design was closed.
        let queue = app.get("/v1/design-reviews").by(&mod_).answer().await.expect(200);
        assert_eq!(queue["data"], json!([]));
        let seen = app.get(&lantern).by(&ada).answer().await.expect(200);
        assert_eq!(seen["status"], "withdrawn");
        step(&app, &ada, &lantern, "share").await.problem(409, "design_name_taken");
        let events = app.get("/v1/me/events?after=0").by(&ada).answer().await.expect(200);
        let events = events["data"].as_array().unwrap();
        assert_eq!(events.len(), 1, "nothing happened to the other design");
        assert_eq!(
            (&events[0]["kind"], &events[0]["design"]["href"]),
            (&json!("design.name_lost"), &json!(lantern))
        );
        app.get(&twin).answer().await.expect(200);
        // A name that nobody took meanwhile is still reserved.
        assert_eq!(app.get(&reed).answer().await.expect(200)["status"], "shared");
        assert_eq!(check(&app, &bob, "Quill Owl").await["available"], false);
    }
}

/// An approved design may already be a hidden card, so it cannot be withdrawn and keeps its name. A check does not show whose it is.
#[tokio::test]
async fn an_approved_design_of_a_banned_author_keeps_its_name() {
    for change in [|_: &mut cardscape::app::state::ApiSettings| {}, in_memory] {
        let app = TestApp::start_seeded_with(&["ttcg"], change).await;
        app.seed_effect_texts("ttcg").await;
        let (ada, bob, mod_) =
            (app.player("ada").await, app.player("bob").await, app.moderator().await);
        let path = shared(&app, &ada, &heron("Lantern Heron")).await;
        super::design_releases::approve(&app, &ada, &mod_, &path).await;
        set_ban(&app, &ada, "created_at").await;
        let checked = check(&app, &bob, "Lantern Heron").await;
        assert_eq!((&checked["available"], &checked["like"]), (&json!(false), &json!([])));
        assert_eq!(checked["reason"], "taken");
        let twin = begun(&app, &bob, &heron("Lantern Heron")).await;
        step(&app, &bob, &twin, "share").await.problem(409, "design_name_taken");
        set_ban(&app, &ada, "NULL").await;
        assert_eq!(app.get(&path).answer().await.expect(200)["status"], "approved");
    }
}

/// A revision, a submission of a withdrawn design and the end of a takedown take the name of a banned author's design, like a share.
#[tokio::test]
async fn every_way_to_be_listed_takes_the_name_of_a_banned_author() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let lantern = shared(&app, &ada, &heron("Lantern Heron")).await;
    let quill = shared(&app, &ada, &heron("Quill Owl")).await;

    let revised = shared(&app, &bob, &heron("Reed Stork")).await;
    put(&app, &bob, &revised, "*", &heron("Lantern Heron")).await.problem(409, "design_name_taken");
    let submitted = shared(&app, &bob, &heron("Amber Gong")).await;
    step(&app, &bob, &submitted, "withdraw").await.expect(200);
    put(&app, &bob, &submitted, "*", &heron("Quill Owl")).await.expect(200);
    step(&app, &bob, &submitted, "submit").await.problem(409, "design_not_releasable");
    set_ban(&app, &ada, "created_at").await;
    put(&app, &bob, &revised, "*", &heron("Lantern Heron")).await.expect(200);
    step(&app, &bob, &submitted, "submit").await.expect(200);
    set_ban(&app, &ada, "NULL").await;
    for path in [&lantern, &quill] {
        let seen = app.get(path).by(&ada).answer().await.expect(200);
        assert_eq!(seen["status"], "withdrawn");
    }

    // A design is taken down, and another author shares its name, and is banned.
    let report = super::abuse_reports::report_design(&app, &ada, &revised).await;
    let decide = async |decision: &str| {
        let body = json!({ "decision": decision, "note": "As the book says." });
        let decide = app.post(&format!("/v1/abuse-reports/{report}/decide")).by(&mod_);
        decide.json(&body).answer().await
    };
    decide("upheld").await.expect(200);
    step(&app, &ada, &lantern, "share").await.expect(200);
    decide("dismissed").await.problem(409, "design_name_taken");
    set_ban(&app, &ada, "created_at").await;
    decide("dismissed").await.expect(200);
    let seen = app.get(&revised).answer().await.expect(200);
    assert_eq!((&seen["status"], &seen["name"]), (&json!("shared"), &json!("Lantern Heron")));
    set_ban(&app, &ada, "NULL").await;
    assert_eq!(app.get(&lantern).by(&ada).answer().await.expect(200)["status"], "withdrawn");
}

/// A share that is refused in the end does not take the name.
#[tokio::test]
async fn a_refused_share_leaves_the_design_of_a_banned_author_listed() {
    let app = app().await;
    // A full hour is left, so that the day does not end during the test.
    app.begin_window();
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let lantern = shared(&app, &ada, &heron("Lantern Heron")).await;
    for at in 0..5 {
        shared(&app, &bob, &heron(&format!("Stork of Pond {at}"))).await;
    }
    let sixth = begun(&app, &bob, &heron("Lantern Heron")).await;
    set_ban(&app, &ada, "created_at").await;
    step(&app, &bob, &sixth, "share").await.problem(429, "daily_limit_reached");
    set_ban(&app, &ada, "NULL").await;
    assert_eq!(app.get(&lantern).answer().await.expect(200)["status"], "shared");
    step(&app, &bob, &sixth, "share").await.problem(409, "design_name_taken");
}

/// Changes the name of a card directly in the database, without an event: as if the change feed was not read since. A program that does not know the looks of
/// names does the same.
async fn rename_card(app: &TestApp, set: &str, name: &str) {
    let key = name.to_lowercase().replace(' ', "");
    app.sql(&format!(
        "UPDATE card_content SET name = '{name}', name_key = '{key}', search_key = '{key}' \
         WHERE card_id = (SELECT id FROM cards WHERE game_code = 'ttcg' AND set_code = '{set}' AND number = '001')"
    ))
    .await;
}

/// What is in memory lags behind the database, so a check may call the name of a card free that was opened a moment ago. Whoever reserves a name compares it
/// with the cards in the database, and learns nothing about hidden ones.
#[tokio::test]
async fn a_reserved_name_is_compared_with_cards_that_opened_a_moment_ago() {
    let app = TestApp::start_seeded_with(&["ttcg"], in_memory).await;
    app.seed_effect_texts("ttcg").await;
    app.catch_up().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    // New accounts may share fewer designs.
    app.sql("UPDATE accounts SET created_at = created_at - interval '9 days'").await;
    let is_of_card = |problem: &Value| {
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("hearth 001"), "{problem}");
    };
    let revised = shared(&app, &ada, &heron("Reed Stork")).await;
    let withdrawn = shared(&app, &ada, &heron("Quill Owl")).await;
    step(&app, &ada, &withdrawn, "withdraw").await.expect(200);
    let hidden = shared(&app, &ada, &heron("Umber Heron")).await;
    let report = super::abuse_reports::report_design(&app, &bob, &hidden).await;
    let decide = async |decision: &str| {
        let body = json!({ "decision": decision, "note": "As the book says." });
        let decide = app.post(&format!("/v1/abuse-reports/{report}/decide")).by(&mod_);
        decide.json(&body).answer().await
    };
    decide("upheld").await.expect(200);

    rename_card(&app, "hearth", "Amber Wolf").await;
    assert_eq!(check(&app, &bob, "Amber Wolf").await["available"], true, "memory lags behind");
    let wolf = begun(&app, &bob, &heron("Amber Wolf")).await;
    is_of_card(&step(&app, &bob, &wolf, "share").await.problem(409, "design_name_taken"));
    let answer = put(&app, &ada, &revised, "*", &heron("AMBER W\u{d3}LF")).await;
    is_of_card(&answer.problem(409, "design_name_taken"));
    // A submission of a design that was never shared, and of one that is listed, reserves no name.
    is_of_card(&step(&app, &bob, &wolf, "submit").await.problem(409, "design_name_taken"));
    rename_card(&app, "hearth", "Reed Stork").await;
    is_of_card(&step(&app, &ada, &revised, "submit").await.problem(409, "design_name_taken"));
    rename_card(&app, "hearth", "Quill Owl").await;
    is_of_card(&step(&app, &ada, &withdrawn, "submit").await.problem(409, "design_name_taken"));
    rename_card(&app, "hearth", "Umber Heron").await;
    is_of_card(&decide("dismissed").await.problem(409, "design_name_taken"));
    // Names that only look the same are found as soon as the looks of the card are stored.
    rename_card(&app, "hearth", "Amber Wolf").await;
    let filled = cards::fill_in_name_looks(app.store(), UNTIL_DONE).await;
    assert_eq!(filled.unwrap(), 1, "imported cards have their looks");
    let twin = begun(&app, &bob, &heron("\u{410}mber W\u{43e}lf")).await;
    is_of_card(&step(&app, &bob, &twin, "share").await.problem(409, "design_name_taken"));

    // The name of a hidden card is free.
    rename_card(&app, "hearth", "Stone Gong").await;
    rename_card(&app, "veil", "Amber Wolf").await;
    cards::fill_in_name_looks(app.store(), UNTIL_DONE).await.unwrap();
    step(&app, &bob, &wolf, "share").await.expect(200);
    decide("dismissed").await.expect(200);
}

/// An edit of a card keeps what its name is compared by up to date.
#[tokio::test]
async fn the_looks_of_a_card_follow_its_name() {
    let app = app().await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let card = app.get("/v1/games/ttcg/sets/hearth/cards/001").by(&admin).answer().await;
    let (tag, id) = (card.header("etag"), card.expect(200)["id"].as_str().unwrap().to_owned());
    let rename = app.patch(&format!("/v1/cards/{id}")).by(&admin).header("if-match", tag);
    rename.json(&json!({ "name": "Umber Heron" })).answer().await.expect(200);
    let filled = cards::fill_in_name_looks(app.store(), UNTIL_DONE).await;
    assert_eq!(filled.unwrap(), 0);
    let same = begun(&app, &ada, &heron("U\u{41c}BER HERON")).await;
    step(&app, &ada, &same, "share").await.problem(409, "design_name_taken");
}

/// The name of an official design belongs to its card, so the old name of a renamed card is free.
#[tokio::test]
async fn the_old_name_of_a_card_is_not_kept_by_its_design() {
    for change in [|_: &mut cardscape::app::state::ApiSettings| {}, in_memory] {
        let app = TestApp::start_seeded_with(&["ttcg"], change).await;
        app.seed_effect_texts("ttcg").await;
        let catch_up = async || {
            if app.shared().settings.card_index {
                app.catch_up().await;
            }
        };
        catch_up().await;
        let (ada, bob) = (app.player("ada").await, app.player("bob").await);
        let (mod_, admin) = (app.moderator().await, app.admin().await);
        let first = shared(&app, &ada, &heron("Reed Stork")).await;
        approve(&app, &ada, &mod_, &first).await;
        let place = json!({ "set": "hearth", "number": "900" });
        let released = release(&app, &admin, &first, &place).await;
        let card = released.header("location");
        released.expect(201);
        catch_up().await;
        assert_eq!(check(&app, &bob, "Reed Stork").await["reason"], "taken");
        let rename = app.patch(&card).by(&admin).header("if-match", "*");
        rename.json(&json!({ "name": "Umber Heron" })).answer().await.expect(200);
        catch_up().await;
        for player in [&ada, &bob] {
            let checked = check(&app, player, "Reed Stork").await;
            assert_eq!(checked["like"][0]["likeness"], "same", "{checked}");
            let stated = (&checked["available"], checked.get("own_design"));
            assert_eq!(stated, (&json!(true), None), "{checked}");
        }
        let second = shared(&app, &bob, &heron("Reed Stork")).await;
        step(&app, &bob, &second, "submit").await.expect(200);
    }
}

/// Housekeeping gives each kind of rows a turn: when it is over, the next one continues.
#[tokio::test]
async fn a_turn_ends_after_a_batch_and_the_next_one_continues() {
    let app = TestApp::start().await;
    app.import_set("dusk", 250, false).await;
    app.sql("UPDATE card_content SET name_looks = NULL").await;
    let mut turns = Vec::new();
    for _ in 0..3 {
        let turn = cards::fill_in_name_looks(app.store(), std::time::Duration::ZERO).await;
        turns.push(turn.unwrap());
    }
    assert_eq!(turns, [200, 50, 0]);
}

/// The looks of older rules are made anew, also those that an older program writes later, which does not know that they have a version.
#[tokio::test]
async fn looks_by_older_rules_are_made_anew() {
    let app = app().await;
    let ada = app.player("ada").await;
    shared(&app, &ada, &heron("Lantern Heron")).await;
    let fill_in = async || {
        let cards = cards::fill_in_name_looks(app.store(), UNTIL_DONE).await.unwrap();
        (cards, reserved_names::fill_in(app.store(), UNTIL_DONE).await.unwrap())
    };
    let looks = "SELECT string_agg(name_looks::text || name_looks_version, ' ' ORDER BY name_looks) FROM \
                 (SELECT name_looks, name_looks_version FROM card_content UNION ALL SELECT name_looks, name_looks_version FROM designs WHERE listed) AS stored";
    let before = app.db().value(looks).await;
    let cards =
        usize::try_from(app.db().number("SELECT count(*) FROM card_content").await).unwrap();
    assert_eq!(fill_in().await, (0, 0));
    app.sql("UPDATE card_content SET name_looks = name_looks[1:2], name_looks_version = 0; UPDATE designs SET name_looks = name_looks[1:2], name_looks_version = 0").await;
    assert_eq!(fill_in().await, (cards, 1));
    assert_eq!(app.db().value(looks).await, before);

    // A later version of the program has stored its looks. One that does not know the version overwrites them, or changes the name.
    let version = async |change: &str| {
        app.sql(&format!(
            "UPDATE card_content SET name_looks_version = 3; UPDATE designs SET name_looks_version = 3; \
             UPDATE card_content SET {change} WHERE name = 'Kettle Imp'; UPDATE designs SET {change} WHERE name = 'Lantern Heron'"
        ))
        .await;
        let versions = "SELECT count(*) FROM (SELECT name_looks_version FROM card_content UNION ALL SELECT name_looks_version FROM designs) AS stored \
                        WHERE name_looks_version = 1";
        app.db().number(versions).await
    };
    assert_eq!(version("name_looks = name_looks[1:2]").await, 2);
    assert_eq!(version("name_looks = name_looks").await, 0);
    assert_eq!(version("name_looks = name_looks[1:1], name_looks_version = 4").await, 0);
    assert_eq!(version("name = name || ' of Old'").await, 2);
}
