//! Unlock policies: conditions for an unlock besides the number of accounts.

use std::collections::BTreeSet;

use cardscape::store::serials::unlock_policies::unlock_all_due;
use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};

use crate::collection::counts::send_during;
use crate::support::{Answer, PaperCard, Player, RequestExt as _, TestApp, in_memory};

const SET: &str = "/v1/games/ttcg/sets/dusk";
const POLICY: &str = "/v1/games/ttcg/sets/dusk/unlock-policy";

const LONG_AGO: DateTime<Utc> = DateTime::UNIX_EPOCH;

/// What a change of the unlock policy of a game does first: it locks the game, and stores the policy.
const GAME_POLICY: &str = "SELECT FROM games WHERE code = 'ttcg' FOR NO KEY UPDATE; \
     INSERT INTO unlock_policies (id, game_code, threshold, rarities, min_account_age_days, review, revision, updated_at) \
     VALUES (gen_random_uuid(), 'ttcg', 9, 1, 0, false, 1, now())";

/// A set of two hidden cards and its printed copies.
async fn app_with_print_run() -> (TestApp, Vec<PaperCard>, Player) {
    let proxy = "127.0.0.0/8".parse().unwrap();
    let app = TestApp::start_with(|settings| settings.trusted_proxies = vec![proxy]).await;
    app.import_set("dusk", 2, true).await;
    let cards = app.print("dusk", 77).await;
    let admin = app.admin().await;
    (app, cards, admin)
}

async fn set(app: &TestApp, admin: &Player, path: &str, policy: Value) -> Answer {
    app.put(path).by(admin).json(&policy).answer().await
}

/// Copies of the first card.
fn copies<'a>(
    cards: &'a [PaperCard],
    rarity: Option<&'a str>,
) -> impl Iterator<Item = &'a PaperCard> {
    let fits = move |card: &&PaperCard| rarity.is_none_or(|rarity| card.rarity == rarity);
    cards.iter().filter(|card| card.number == "001").filter(fits)
}

/// Unlocks what became due, without cards that are left from before, and returns how many cards.
async fn unlock_due(app: &TestApp, since: DateTime<Utc>, at: DateTime<Utc>) -> usize {
    unlock_all_due(app.store(), since, at, &mut BTreeSet::new()).await.unwrap()
}

async fn submit(app: &TestApp, player: &Player, card: &PaperCard, network: &str) -> Value {
    let request = app.post("/v1/submissions").by(player).header("x-forwarded-for", network);
    request.json(&card.submission()).answer().await.expect(201)
}

async fn progress(app: &TestApp) -> (i64, bool) {
    let progress = app.get(&format!("{SET}/unlocks")).answer().await.expect(200);
    let first = &progress["data"][0];
    assert_eq!(first["number"], "001");
    (first["submissions"].as_i64().unwrap(), first.get("unlocked_at").is_some())
}

async fn players(app: &TestApp, count: usize) -> Vec<Player> {
    let mut players = Vec::new();
    for at in 0..count {
        players.push(app.player_owned(format!("player {at}")).await);
    }
    players
}

#[tokio::test]
async fn a_policy_has_versions_and_is_public() {
    let (app, _, admin) = app_with_print_run().await;
    let before = app.get(POLICY).answer().await.expect(200);
    assert_eq!(
        before,
        json!({
            "policy": { "threshold": 5, "rarities": 1, "min_account_age_days": 0, "review": false },
            "source": "set_file",
        })
    );
    app.get("/v1/games/ttcg/unlock-policy").answer().await.problem(404, "not_found");

    let of_game = json!({ "threshold": 7, "per_network": 2 });
    set(&app, &admin, "/v1/games/ttcg/unlock-policy", of_game).await.expect(201);
    let now = app.get(POLICY).answer().await.expect(200);
    assert_eq!(
        (&now["policy"]["threshold"], &now["policy"]["per_network"], &now["source"]),
        (&7.into(), &2.into(), &"game".into())
    );
    assert_eq!(app.get(SET).answer().await.expect(200)["unlock_threshold"], 7);
    assert_eq!(
        app.get(&format!("{SET}/unlocks")).answer().await.expect(200)["data"][0]["threshold"],
        7
    );

    let own = json!({ "threshold": 3, "unlock_at": "2027-03-01T12:00:00Z" });
    let tag = set(&app, &admin, POLICY, own.clone()).await.header("etag");
    let found = app.get(POLICY).answer().await;
    assert_eq!(found.header("etag"), tag);
    assert_eq!(found.expect(200)["source"], "set");
    set(&app, &admin, POLICY, own.clone()).await.problem(428, "precondition_required");
    let stale = app.put(POLICY).by(&admin).header("if-match", "\"r1\"").json(&own);
    stale.answer().await.problem(412, "precondition_failed");
    let change =
        app.put(POLICY).by(&admin).header("if-match", &tag).json(&json!({ "threshold": 4 }));
    let changed = change.answer().await;
    let second = changed.header("etag");
    changed.expect(200);
    let removal = app.delete(POLICY).by(&admin).header("if-match", &tag);
    removal.answer().await.problem(412, "precondition_failed");
    app.delete(POLICY).by(&admin).header("if-match", &second).answer().await.expect(200);
    app.delete(POLICY).by(&admin).answer().await.problem(404, "not_found");
    assert_eq!(app.get(POLICY).answer().await.expect(200)["source"], "game");

    let unknown = app.put("/v1/games/ttcg/sets/none/unlock-policy").by(&admin);
    unknown.json(&json!({ "threshold": 3 })).answer().await.problem(404, "not_found");
    let log = app.get("/v1/audit-log").by(&admin).answer().await.expect(200);
    let actions: Vec<&Value> =
        log["data"].as_array().unwrap().iter().map(|e| &e["action"]).collect();
    assert_eq!(
        actions[..4],
        ["unlock_policy.removed", "unlock_policy.set", "unlock_policy.set", "unlock_policy.set"]
    );
}

#[tokio::test]
async fn all_errors_of_a_policy_are_reported_together() {
    let (app, _, admin) = app_with_print_run().await;
    let bad = json!({ "threshold": 0, "rarities": 0, "min_account_age_days": 366, "per_network": 0, "unlock_at": "9999-06-01T00:00:00Z" });
    let problem = set(&app, &admin, POLICY, bad).await.problem(422, "invalid_body");
    let pointers: Vec<&Value> =
        problem["errors"].as_array().unwrap().iter().map(|e| &e["pointer"]).collect();
    assert_eq!(
        pointers,
        ["/threshold", "/rarities", "/min_account_age_days", "/per_network", "/unlock_at"]
    );
    set(&app, &admin, POLICY, json!({ "treshold": 3 })).await.problem(422, "invalid_body");
    let until = |at: &str| json!({ "threshold": 3, "unlock_at": at });
    let late = set(&app, &admin, POLICY, until("9999-01-01T00:00:00Z")).await;
    assert_eq!(late.problem(422, "invalid_body")["errors"][0]["pointer"], "/unlock_at");
    set(&app, &admin, POLICY, until("9998-12-31T23:59:59Z")).await.expect(201);
}

#[tokio::test]
async fn five_accounts_of_one_network_are_not_enough() {
    let (app, cards, admin) = app_with_print_run().await;
    set(&app, &admin, POLICY, json!({ "threshold": 3, "per_network": 1 })).await.expect(201);
    let players = players(&app, 5).await;
    let mut copies = copies(&cards, None);
    for player in &players[..3] {
        submit(&app, player, copies.next().unwrap(), "192.0.2.7").await;
    }
    assert_eq!(progress(&app).await, (1, false));
    submit(&app, &players[3], copies.next().unwrap(), "192.0.2.8").await;
    assert_eq!(progress(&app).await, (2, false));
    let last = submit(&app, &players[4], copies.next().unwrap(), "192.0.2.9").await;
    assert_eq!(progress(&app).await, (3, true));
    assert!(last["unlock"]["unlocked_at"].is_string(), "{last}");
    // There is one unlock event, and retention deletes the networks of the submissions.
    let changes = app.get("/v1/changes?limit=200").answer().await.expect(200);
    let unlocked =
        changes["data"].as_array().unwrap().iter().filter(|c| c["kind"] == "card.unlocked");
    assert_eq!(unlocked.count(), 1);
    assert_eq!(app.db().number("SELECT count(*) FROM submission_networks").await, 5);
    app.clock().advance(Duration::minutes(1));
    cardscape::store::operations::retention::sweep(app.store(), app.clock().now()).await.unwrap();
    assert_eq!(app.db().number("SELECT count(*) FROM submission_networks").await, 0);
}

/// Six homes of one street, each with its own IPv6 network. One customer may have been given all of these networks.
#[tokio::test]
async fn accounts_of_one_ipv6_provider_are_capped_together() {
    let (app, cards, admin) = app_with_print_run().await;
    set(&app, &admin, POLICY, json!({ "threshold": 9, "per_network": 1 })).await.expect(201);
    let players = players(&app, 7).await;
    let mut copies = copies(&cards, None);
    for (home, player) in players[..6].iter().enumerate() {
        let from = format!("2001:db8:0:a{home}::1");
        submit(&app, player, copies.next().unwrap(), &from).await;
    }
    assert_eq!(progress(&app).await, (4, false));
    submit(&app, &players[6], copies.next().unwrap(), "2001:db8:0:b00::1").await;
    assert_eq!(progress(&app).await, (5, false), "a network of another street counts");
}

#[tokio::test]
async fn a_looser_policy_unlocks_at_once_and_a_stricter_one_hides_nothing() {
    let (app, cards, admin) = app_with_print_run().await;
    let players = players(&app, 3).await;
    for (player, copy) in players.iter().zip(copies(&cards, None)) {
        submit(&app, player, copy, "192.0.2.7").await;
    }
    assert_eq!(progress(&app).await, (3, false));
    // The stricter policy counts the submissions again: one account of the network.
    let strict = json!({ "threshold": 3, "per_network": 1 });
    let tag = set(&app, &admin, POLICY, strict.clone()).await.header("etag");
    assert_eq!(progress(&app).await, (1, false));
    let loose =
        app.put(POLICY).by(&admin).header("if-match", &tag).json(&json!({ "threshold": 2 }));
    let loosened = loose.answer().await;
    let tag = loosened.header("etag");
    assert_eq!(loosened.expect(200), json!({ "unlocked": 1 }));
    assert_eq!(progress(&app).await, (3, true));
    let strict = app.put(POLICY).by(&admin).header("if-match", &tag).json(&strict);
    assert_eq!(strict.answer().await.expect(200), json!({ "unlocked": 0 }));
    assert!(progress(&app).await.1, "an unlocked card is never hidden again");
}

#[tokio::test]
async fn a_policy_may_require_several_rarities() {
    let (app, cards, admin) = app_with_print_run().await;
    set(&app, &admin, POLICY, json!({ "threshold": 2, "rarities": 2 })).await.expect(201);
    let players = players(&app, 3).await;
    let mut common = copies(&cards, Some("common"));
    for player in &players {
        submit(&app, player, common.next().unwrap(), "192.0.2.7").await;
    }
    assert_eq!(progress(&app).await, (3, false), "enough accounts, but only one rarity");
    // The second copy of an account adds a rarity, not an account.
    let rare = copies(&cards, Some("rare")).next().unwrap();
    submit(&app, &players[0], rare, "192.0.2.7").await;
    assert_eq!(progress(&app).await, (3, true));
}

/// A small run has no copies of the rarer printings, and nobody can register those of a run that was broken off.
#[tokio::test]
async fn a_policy_waits_for_no_rarity_that_was_not_printed() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    let mut cards = app.print("dusk", 1).await;
    cards.extend(app.print("dusk", 1).await);
    app.print("dusk", 77).await;
    app.sql("ALTER TABLE print_runs DISABLE TRIGGER active_runs_stay; \
             UPDATE print_runs SET status = 'pending', activated_at = NULL WHERE copies_per_card = 77; \
             ALTER TABLE print_runs ENABLE TRIGGER active_runs_stay").await;
    let admin = app.admin().await;
    set(&app, &admin, POLICY, json!({ "threshold": 2, "rarities": 2 })).await.expect(201);
    let players = players(&app, 2).await;
    let copies: Vec<&PaperCard> = copies(&cards, Some("common")).collect();
    for (player, copy) in players.iter().zip([copies[0], copies[1]]) {
        assert!(!progress(&app).await.1);
        submit(&app, player, copy, "192.0.2.7").await;
    }
    assert_eq!(progress(&app).await, (2, true));
}

#[tokio::test]
async fn a_young_account_counts_when_it_is_old_enough() {
    let (app, cards, admin) = app_with_print_run().await;
    set(&app, &admin, POLICY, json!({ "threshold": 1, "min_account_age_days": 7 }))
        .await
        .expect(201);
    let ada = app.player("ada").await;
    submit(&app, &ada, copies(&cards, None).next().unwrap(), "192.0.2.7").await;
    assert_eq!(progress(&app).await, (0, false));
    app.clock().advance(Duration::days(6));
    assert_eq!(unlock_due(&app, LONG_AGO, app.clock().now()).await, 0);
    app.clock().advance(Duration::days(1));
    let now = app.clock().now();
    assert_eq!(unlock_due(&app, now - Duration::hours(1), now).await, 1);
    assert_eq!(progress(&app).await, (1, true));
    assert_eq!(unlock_due(&app, LONG_AGO, app.clock().now()).await, 0);
}

#[tokio::test]
async fn a_card_that_is_locked_when_it_is_due_is_unlocked_later() {
    let (app, cards, admin) = app_with_print_run().await;
    let policy = json!({ "threshold": 1, "min_account_age_days": 7 });
    set(&app, &admin, POLICY, policy).await.expect(201);
    let ada = app.player("ada").await;
    submit(&app, &ada, copies(&cards, None).next().unwrap(), "192.0.2.7").await;
    app.clock().advance(Duration::days(7));
    let mut left = BTreeSet::new();
    let import = app.db().session().await;
    import.batch_execute("BEGIN; SELECT card_id FROM unlocks FOR KEY SHARE").await.unwrap();
    let now = app.clock().now();
    assert_eq!(unlock_all_due(app.store(), LONG_AGO, now, &mut left).await.unwrap(), 0);
    assert_eq!(left.len(), 1);
    import.batch_execute("COMMIT").await.unwrap();
    // It became due long before `since`.
    let later = now + Duration::hours(3);
    assert_eq!(unlock_all_due(app.store(), now, later, &mut left).await.unwrap(), 1);
    assert_eq!(left.len(), 0);
}

#[tokio::test]
async fn the_unlock_date_unlocks_all_cards() {
    let (app, _, admin) = app_with_print_run().await;
    let day = app.clock().now() + Duration::hours(2);
    set(&app, &admin, POLICY, json!({ "threshold": 5, "unlock_at": day })).await.expect(201);
    let other = app.second_instance();
    assert_eq!(unlock_due(&app, LONG_AGO, day - Duration::seconds(1)).await, 0);
    let at_its_day = unlock_due(&app, day, day).await;
    assert_eq!(at_its_day, 0, "a date that is not after `since` is left to the check of all dates");
    // Two instances at the same time unlock each card once.
    let (here, there) =
        tokio::join!(unlock_due(&app, LONG_AGO, day), unlock_due(&other, LONG_AGO, day));
    assert_eq!(here + there, 2);
    let reasons = "SELECT count(*) FROM unlocks WHERE reason = 'date'";
    assert_eq!(app.db().number(reasons).await, 2);
    assert_eq!(
        app.db().number("SELECT count(*) FROM events WHERE kind = 'card.unlocked'").await,
        2
    );
}

#[tokio::test]
async fn admins_unlock_by_hand_with_a_reason() {
    let (app, _, admin) = app_with_print_run().await;
    let card = app.get(&format!("{SET}/cards/001")).answer().await.expect(200);
    let path = format!("/v1/cards/{}/unlock", card["id"].as_str().unwrap());
    let unlock = async |path: &str, reason: &str| {
        app.post(path).by(&admin).json(&json!({ "reason": reason })).answer().await
    };
    unlock(&path, " ").await.problem(422, "invalid_body");
    let first = unlock(&path, "Shown on stage.").await.expect(200);
    assert!(first["unlocked_at"].is_string());
    app.clock().advance(Duration::minutes(5));
    assert_eq!(
        unlock(&path, "Again.").await.expect(200),
        first,
        "the first unlock does not change"
    );
    assert_eq!(app.get(&format!("{SET}/cards/001")).answer().await.expect(200)["hidden"], false);
    let all = format!("{SET}/unlocks");
    assert_eq!(unlock(&all, "The end.").await.expect(200), json!({ "unlocked": 1 }));
    assert_eq!(unlock(&all, "The end.").await.expect(200), json!({ "unlocked": 0 }));
    unlock("/v1/games/ttcg/sets/none/unlocks", "No.").await.problem(404, "not_found");
    let log = app.get("/v1/audit-log").by(&admin).answer().await.expect(200);
    let entries = log["data"].as_array().unwrap();
    assert_eq!(
        (&entries[0]["action"], &entries[0]["details"]["cards"]),
        (&"set.unlocked".into(), &1.into())
    );
    assert_eq!(
        (&entries[1]["action"], &entries[1]["details"]["reason"]),
        (&"card.unlocked".into(), &"Shown on stage.".into())
    );
}

#[tokio::test]
async fn the_instance_that_unlocks_answers_with_the_unlocked_cards() {
    let app = TestApp::start_with(in_memory).await;
    for set in ["dusk", "dawn"] {
        app.import_set(set, 2, true).await;
    }
    app.catch_up().await;
    let (admin, ada) = (app.admin().await, app.player("ada").await);
    let printings = async |set: &str| {
        let path = format!("/v1/collection/completion?game=ttcg&set={set}");
        let completion = app.get(&path).by(&ada).answer().await.expect(200);
        completion["data"][0]["printings"]["total"].clone()
    };
    let unlock = async |path: &str| {
        app.post(path).by(&admin).json(&json!({ "reason": "Shown." })).answer().await.expect(200)
    };
    assert_eq!((printings("dusk").await, printings("dawn").await), (json!(0), json!(0)));

    let card = app.get(&format!("{SET}/cards/001")).answer().await.expect(200);
    unlock(&format!("/v1/cards/{}/unlock", card["id"].as_str().unwrap())).await;
    assert_eq!(printings("dusk").await, 6);
    unlock(&format!("{SET}/unlocks")).await;
    assert_eq!(printings("dusk").await, 12);

    let path = "/v1/games/ttcg/sets/dawn/unlock-policy";
    let policy = json!({ "threshold": 5, "unlock_at": LONG_AGO });
    assert_eq!(set(&app, &admin, path, policy).await.expect(201)["unlocked"], 2);
    assert_eq!(printings("dawn").await, 12);
}

#[tokio::test]
async fn a_moderator_confirms_or_refuses_submissions() {
    let (app, cards, admin) = app_with_print_run().await;
    set(&app, &admin, POLICY, json!({ "threshold": 1, "review": true })).await.expect(201);
    let (players, moderator) = (players(&app, 2).await, app.moderator().await);
    let mut submissions = Vec::new();
    for (player, copy) in players.iter().zip(copies(&cards, None)) {
        let created = submit(&app, player, copy, "192.0.2.7").await;
        submissions.push(created["submission"].as_str().unwrap().to_owned());
    }
    assert_eq!(progress(&app).await, (0, false));
    let waiting = async || {
        let list = app.get("/v1/submission-reviews").by(&moderator).answer().await.expect(200);
        list["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|w| w["submission"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(waiting().await, submissions);
    let review = async |at: usize, confirmed: bool| {
        let path = format!("/v1/submissions/{}/review", submissions[at]);
        let body = json!({ "confirmed": confirmed, "note": "A photo of another card." });
        app.put(&path).by(&moderator).json(&body).answer().await
    };
    assert_eq!(review(0, false).await.expect(200)["unlocked"], false);
    review(0, true).await.problem(409, "already_reviewed");
    assert_eq!(review(0, false).await.expect(200)["unlocked"], false);
    assert_eq!(waiting().await, submissions[1..]);
    let unlocked = review(1, true).await.expect(200);
    assert_eq!(
        (&unlocked["unlocked"], &unlocked["unlock"]["submissions"]),
        (&true.into(), &1.into())
    );
    assert_eq!(progress(&app).await, (1, true));
    assert!(waiting().await.is_empty());
    let path = "/v1/submissions/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11/review";
    let body = json!({ "confirmed": true, "note": "x" });
    app.put(path).by(&moderator).json(&body).answer().await.problem(404, "not_found");
}

/// What an answer shows of a submission: its state, why it is held, until when, and the counter of the card.
fn standing(answer: &Value) -> (&str, &Value, &Value, i64) {
    let state = answer["state"].as_str().unwrap();
    assert_eq!(answer["counted"], state == "counted", "{answer}");
    let unlock = answer["unlock"]["submissions"].as_i64().unwrap();
    (state, &answer["held_for"], &answer["held_until"], unlock)
}

#[tokio::test]
async fn a_held_submission_is_shown_as_held_and_does_not_count_yet() {
    let (app, cards, admin) = app_with_print_run().await;
    set(&app, &admin, POLICY, json!({ "threshold": 2, "review": true })).await.expect(201);
    let (players, moderator) = (players(&app, 2).await, app.moderator().await);
    let mut copies = copies(&cards, Some("common"));
    let (one, another) = (copies.next().unwrap(), copies.next().unwrap());
    let review = json!("review");
    let held = ("held", &review, &Value::Null, 0);
    let created = submit(&app, &players[0], one, "192.0.2.7").await;
    assert_eq!(standing(&created), held);
    let again = app.post("/v1/submissions").by(&players[0]).json(&one.submission()).answer().await;
    assert_eq!(standing(&again.expect(200)), held);
    // A batch shows the same state for each submission.
    let batch = json!({ "submissions": [another.submission()] });
    let batch = app.post("/v1/submissions/batch").by(&players[0]).json(&batch).answer().await;
    let accepted = &batch.expect(200)["data"][0]["accepted"];
    assert_eq!(standing(accepted), held);
    assert_eq!(progress(&app).await, (0, false));

    let path = format!("/v1/submissions/{}", created["submission"].as_str().unwrap());
    let shown = app.get(&path).by(&players[0]).answer().await;
    let tag = shown.header("etag");
    let shown = shown.expect(200);
    assert_eq!((standing(&shown), &shown["card"]["name"]), (held, &json!(one.name)));
    let list = app.get("/v1/submissions").by(&players[0]).answer().await.expect(200);
    for item in list["data"].as_array().unwrap() {
        assert_eq!((standing(item), &item["card"]["name"]), (held, &json!(one.name)));
    }
    let waiting = app.get("/v1/submission-reviews").by(&moderator).answer().await.expect(200);
    assert_eq!(waiting["data"][0]["card"]["name"], one.name);

    // After the confirmation the submission counts, and the second copy waits for its own review.
    let confirm = json!({ "confirmed": true, "note": "Seen." });
    app.put(&format!("{path}/review")).by(&moderator).json(&confirm).answer().await.expect(200);
    let shown = app.get(&path).by(&players[0]).header("if-none-match", tag).answer().await;
    assert_eq!(standing(&shown.expect(200)), ("counted", &Value::Null, &Value::Null, 1));
    // A refused submission is no longer held.
    let other = format!("/v1/submissions/{}", accepted["submission"].as_str().unwrap());
    let refuse = json!({ "confirmed": false, "note": "No." });
    app.put(&format!("{other}/review")).by(&moderator).json(&refuse).answer().await.expect(200);
    let shown = app.get(&other).by(&players[0]).answer().await.expect(200);
    assert_eq!(standing(&shown), ("not_counted", &Value::Null, &Value::Null, 1));
}

#[tokio::test]
async fn a_held_submission_shows_the_account_age_or_the_network_as_the_reason() {
    let (app, cards, admin) = app_with_print_run().await;
    let policy = json!({ "threshold": 3, "min_account_age_days": 7, "per_network": 1 });
    set(&app, &admin, POLICY, policy).await.expect(201);
    let young = app.player("ada").await;
    let since = app.get("/v1/me").by(&young).answer().await.expect(200)["created_at"].clone();
    let since: DateTime<Utc> = since.as_str().unwrap().parse().unwrap();
    let mut copies = copies(&cards, Some("common"));
    let created = submit(&app, &young, copies.next().unwrap(), "192.0.2.7").await;
    let until = json!(since + Duration::days(7));
    assert_eq!(standing(&created), ("held", &json!("account_age"), &until, 0));

    app.clock().advance(Duration::days(8));
    unlock_due(&app, LONG_AGO, app.clock().now()).await;
    let path = format!("/v1/submissions/{}", created["submission"].as_str().unwrap());
    let young = app.log_in("ada", &young.password).await;
    let shown = app.get(&path).by(&young).answer().await.expect(200);
    assert_eq!(standing(&shown), ("counted", &Value::Null, &Value::Null, 1));

    let ben = app.player("ben").await;
    app.sql("UPDATE accounts SET created_at = created_at - interval '30 days' WHERE name = 'ben'")
        .await;
    let created = submit(&app, &ben, copies.next().unwrap(), "192.0.2.7").await;
    assert_eq!(standing(&created), ("held", &json!("network"), &Value::Null, 1));
    // A second copy of an account that already counts is not held, because it can never count.
    let created = submit(&app, &young, copies.next().unwrap(), "192.0.2.9").await;
    assert_eq!(standing(&created), ("not_counted", &Value::Null, &Value::Null, 1));
}

/// An account that was held back because of its network counts with another copy from a network that has room. The count of one submission and a
/// count of all of them agree.
#[tokio::test]
async fn an_account_that_was_held_back_counts_from_another_network() {
    let (app, cards, admin) = app_with_print_run().await;
    let policy = json!({ "threshold": 9, "per_network": 1 });
    let tag = set(&app, &admin, POLICY, policy).await.header("etag");
    let players = players(&app, 3).await;
    let mut copies = copies(&cards, None);
    let mut send = async |player: &Player, network: &str| {
        submit(&app, player, copies.next().unwrap(), network).await
    };
    let first = send(&players[0], "192.0.2.7").await;
    assert_eq!(standing(&first), ("counted", &Value::Null, &Value::Null, 1));
    let held = send(&players[1], "192.0.2.7").await;
    assert_eq!(standing(&held), ("held", &json!("network"), &Value::Null, 1));
    let elsewhere = send(&players[1], "192.0.2.8").await;
    assert_eq!(standing(&elsewhere), ("counted", &Value::Null, &Value::Null, 2));
    let path = format!("/v1/submissions/{}", held["submission"].as_str().unwrap());
    let shown = app.get(&path).by(&players[1]).answer().await.expect(200);
    assert_eq!(standing(&shown), ("not_counted", &Value::Null, &Value::Null, 2));
    let full = send(&players[2], "192.0.2.8").await;
    assert_eq!(standing(&full), ("held", &json!("network"), &Value::Null, 2));
    let again = json!({ "threshold": 8, "per_network": 1 });
    let changed = app.put(POLICY).by(&admin).header("if-match", &tag).json(&again);
    changed.answer().await.expect(200);
    assert_eq!(progress(&app).await, (2, false));
}

#[tokio::test]
async fn an_account_no_longer_sees_a_hidden_card_when_its_copy_is_voided() {
    let (app, cards, _) = app_with_print_run().await;
    let (players, moderator) = (players(&app, 2).await, app.moderator().await);
    let copy = copies(&cards, None).next().unwrap();
    let created = submit(&app, &players[0], copy, "192.0.2.7").await;
    let path = format!("/v1/submissions/{}", created["submission"].as_str().unwrap());
    let named = async |path: &str| {
        let answer = app.get(path).by(&players[0]).answer().await;
        assert_eq!(answer.status, 200);
        answer.text().contains(&copy.name)
    };
    assert!(named(&path).await && named("/v1/submissions").await);
    let void = format!("/v1/copies/{}/void", created["copy"].as_str().unwrap());
    let reason = json!({ "reason": "Stolen." });
    app.post(&void).by(&moderator).json(&reason).answer().await.expect(200);
    assert!(!named(&path).await && !named("/v1/submissions").await);
}

#[tokio::test]
async fn an_import_leaves_the_policy_in_force() {
    let (app, cards, admin) = app_with_print_run().await;
    set(&app, &admin, POLICY, json!({ "threshold": 2, "per_network": 1 })).await.expect(201);
    let players = players(&app, 2).await;
    for (player, copy) in players.iter().zip(copies(&cards, None)) {
        submit(&app, player, copy, "192.0.2.7").await;
    }
    app.sql("UPDATE sets SET source_hash = NULL").await;
    app.import_set("dusk", 2, true).await;
    let list = app.get(&format!("{SET}/unlocks")).answer().await.expect(200);
    assert_eq!(
        (&list["data"][0]["threshold"], &list["data"][0]["submissions"]),
        (&2.into(), &1.into())
    );
    assert_eq!(progress(&app).await, (1, false));
}

/// The set shows the threshold of the policy. An edit that sends it back does not change that of the file, which applies again later.
#[tokio::test]
async fn an_edit_with_the_threshold_of_the_policy_keeps_that_of_the_file() {
    let (app, _, admin) = app_with_print_run().await;
    let tag = set(&app, &admin, POLICY, json!({ "threshold": 2 })).await.header("etag");
    let shown = app.get(SET).answer().await.expect(200);
    let patch = json!({ "name": "At Dusk", "unlock_threshold": shown["unlock_threshold"] });
    let edit = app.patch(SET).by(&admin).header("if-match", "*").json(&patch);
    let edited = edit.answer().await.expect(200);
    assert_eq!((&edited["name"], &edited["unlock_threshold"]), (&json!("At Dusk"), &json!(2)));
    app.delete(POLICY).by(&admin).header("if-match", &tag).answer().await.expect(200);
    let now = app.get(SET).by(&admin).answer().await.expect(200);
    assert_eq!(now["unlock_threshold"], 5);
}

/// Submissions and policy changes run at the same time. In any order, the final count is the count by the policy in force.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_submissions_and_policy_changes_lose_no_vote() {
    let (app, cards, admin) = app_with_print_run().await;
    let other = app.second_instance();
    let players = players(&app, 12).await;
    let policies = async {
        let mut tag = String::new();
        for round in 0..8 {
            // A review keeps the card hidden, so a submission that unlocked it would have counted by another policy.
            let policy = json!({ "threshold": 3, "review": true, "per_network": 1 + round % 3 });
            let request = app.put(POLICY).by(&admin).json(&policy);
            let request = if tag.is_empty() { request } else { request.header("if-match", &tag) };
            let answer = request.answer().await;
            assert_eq!(answer.status, if round == 0 { 201 } else { 200 }, "{}", answer.text());
            tag = answer.header("etag");
        }
    };
    set(&app, &admin, "/v1/games/ttcg/unlock-policy", json!({ "threshold": 9, "review": true }))
        .await
        .expect(201);
    let submissions = futures_util::future::join_all(
        players.iter().zip(copies(&cards, None)).enumerate().map(|(at, (player, copy))| {
            let app = if at % 2 == 0 { &app } else { &other };
            async move { submit(app, player, copy, "192.0.2.7").await }
        }),
    );
    tokio::join!(policies, submissions);
    assert_eq!(progress(&app).await, (0, false), "no submission is confirmed");
    let policy = app.get(POLICY).answer().await;
    let open = json!({ "threshold": 13 });
    let plain = app.put(POLICY).by(&admin).header("if-match", policy.header("etag")).json(&open);
    plain.answer().await.expect(200);
    assert_eq!(progress(&app).await, (12, false), "no vote was lost");
}

/// A policy is removed during a submission: the vote counts by the policy that is in force then.
#[tokio::test(flavor = "multi_thread")]
async fn no_vote_is_lost_when_a_policy_is_removed() {
    let (app, cards, admin) = app_with_print_run().await;
    let players = players(&app, 8).await;
    for (round, copies) in copies(&cards, None).collect::<Vec<_>>().chunks(2).take(4).enumerate() {
        let created = set(&app, &admin, POLICY, json!({ "threshold": 90, "review": true })).await;
        let tag = created.header("etag");
        let remove = app.delete(POLICY).by(&admin).header("if-match", &tag);
        let (one, other) = (&players[round * 2], &players[round * 2 + 1]);
        let (removed, ..) = tokio::join!(
            remove.answer(),
            submit(&app, one, copies[0], "192.0.2.7"),
            submit(&app, other, copies[1], "192.0.2.7"),
        );
        removed.expect(200);
        let counted = i64::try_from(round * 2 + 2).unwrap().min(5);
        let (submissions, unlocked) = progress(&app).await;
        assert_eq!((submissions.min(5), unlocked), (counted, counted == 5), "round {round}");
    }
}

#[tokio::test]
async fn a_card_that_moves_comes_under_the_policy_of_its_new_set() {
    let (app, _, admin) = app_with_print_run().await;
    app.import_set("noon", 1, true).await;
    app.import_set("dawn", 1, true).await;
    let policy = "/v1/games/ttcg/sets/noon/unlock-policy";
    set(&app, &admin, policy, json!({ "threshold": 9, "review": true })).await.expect(201);
    let card = app.get("/v1/games/ttcg/sets/dawn/cards/001").answer().await.expect(200);
    assert_eq!(card["unlock"]["threshold"], 5);
    let path = format!("/v1/cards/{}", card["id"].as_str().unwrap());
    let to = json!({ "set": "noon", "number": "077" });
    app.post(&format!("{path}/move")).by(&admin).json(&to).answer().await.expect(201);
    assert_eq!(app.get(&path).answer().await.expect(200)["unlock"]["threshold"], 9);
    let ruled = "SELECT count(*) FROM unlocks WHERE by_policy AND threshold = 9";
    assert_eq!(app.db().number(ruled).await, 2);
}

/// A change of the unlock policy of a game locks the game: it finds the card in its new set, or the card gets the changed policy.
#[tokio::test]
async fn a_move_waits_for_a_change_of_the_unlock_policy() {
    let (app, _, admin) = app_with_print_run().await;
    app.import_set("noon", 1, true).await;
    app.import_set("dawn", 1, true).await;
    let card = app.get("/v1/games/ttcg/sets/dawn/cards/001").answer().await.expect(200);
    let path = format!("/v1/cards/{}", card["id"].as_str().unwrap());
    let to = json!({ "set": "noon", "number": "077" });
    let moved = app.post(&format!("{path}/move")).by(&admin).json(&to).answer();
    send_during(&app, GAME_POLICY, moved).await.expect(201);
    assert_eq!(app.get(&path).answer().await.expect(200)["unlock"]["threshold"], 9);
}

/// A policy decides over the threshold from the moment on that its change locks the game.
#[tokio::test]
async fn an_edit_of_a_threshold_waits_for_a_change_of_the_unlock_policy() {
    let (app, _, admin) = app_with_print_run().await;
    let patch = json!({ "unlock_threshold": 3 });
    let edit = app.patch(SET).by(&admin).header("if-match", "*").json(&patch).answer();
    let refused = send_during(&app, GAME_POLICY, edit).await.problem(422, "invalid_edit");
    assert_eq!(refused["errors"][0]["pointer"], "/unlock_threshold");
    let stored = "SELECT unlock_threshold FROM sets WHERE code = 'dusk'";
    assert_eq!(app.db().number(stored).await, 5);
}

/// A set without a policy of its own shows that of its game, or the threshold of its file; `If-Match` names what was shown.
#[tokio::test]
async fn the_first_policy_of_a_set_is_refused_if_another_one_applied_meanwhile() {
    let (app, _, admin) = app_with_print_run().await;
    let body = json!({ "threshold": 3 });
    let put = |tag: &str| app.put(POLICY).by(&admin).header("if-match", tag).json(&body);
    let shown = async || app.get(POLICY).answer().await.header("etag");
    let read = shown().await;
    let answer = send_during(&app, GAME_POLICY, put(&read).answer()).await;
    answer.problem(412, "precondition_failed");
    let own = "SELECT count(*) FROM unlock_policies WHERE set_code IS NOT NULL";
    assert_eq!(app.db().number(own).await, 0);
    put(&shown().await).answer().await.expect(201);
}

#[tokio::test]
async fn a_moderator_cannot_review_an_own_submission() {
    let (app, cards, admin) = app_with_print_run().await;
    set(&app, &admin, POLICY, json!({ "threshold": 1, "review": true })).await.expect(201);
    let moderator = app.moderator().await;
    let copy = copies(&cards, None).next().unwrap();
    let created = submit(&app, &moderator, copy, "192.0.2.7").await;
    for (reader, own) in [(&moderator, Some(&json!(true))), (&admin, None)] {
        let list = app.get("/v1/submission-reviews").by(reader).answer().await.expect(200);
        assert_eq!(
            (&list["data"][0]["submission"], list["data"][0].get("own")),
            (&created["submission"], own)
        );
    }
    let path = format!("/v1/submissions/{}/review", created["submission"].as_str().unwrap());
    let body = json!({ "confirmed": true, "note": "It is mine." });
    app.put(&path).by(&moderator).json(&body).answer().await.problem(409, "own_case");
    assert_eq!(progress(&app).await, (0, false));
}
