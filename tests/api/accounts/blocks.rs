//! Blocks: a blocked account cannot contact its blocker, and no answer reports the block.

use chrono::Duration;
use serde_json::{Value, json};

use crate::support::{Answer, Player, RequestExt as _, TestApp, text};

pub(super) async fn block(app: &TestApp, by: &Player, whom: &Player) -> Answer {
    app.put(&format!("/v1/me/blocks/{}", whom.id)).by(by).answer().await
}

async fn unblock(app: &TestApp, by: &Player, whom: &Player) -> Answer {
    app.delete(&format!("/v1/me/blocks/{}", whom.id)).by(by).answer().await
}

pub(super) fn heron(name: &str) -> Value {
    json!({ "game": "ttcg", "name": name, "kind": "unit" })
}

/// A shared design of `by`.
pub(super) async fn shared(app: &TestApp, by: &Player, name: &str) -> String {
    let begun = app.post("/v1/designs").by(by).json(&heron(name)).answer().await;
    let path = begun.header("location");
    let share = app.post(&format!("{path}/share")).by(by).header("if-match", "*");
    share.answer().await.expect(200);
    path
}

pub(super) async fn comment(
    app: &TestApp,
    by: &Player,
    design: &str,
    reply_to: Option<&str>,
) -> Answer {
    let mut body = json!({ "text": "Hello." });
    if let Some(comment) = reply_to {
        body["reply_to"] = comment.into();
    }
    app.post(&format!("{design}/comments")).by(by).json(&body).answer().await
}

#[tokio::test]
async fn blocks_are_listed_only_for_their_owner() {
    let app = TestApp::start().await;
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    for whom in [&ben, &cem] {
        block(&app, &ada, whom).await.expect(204);
        app.clock().advance(Duration::seconds(1));
    }
    block(&app, &ada, &ben).await.expect(204);
    let page = app.get("/v1/me/blocks?limit=1").by(&ada).answer().await.expect(200);
    assert_eq!(
        (&page["data"][0]["name"], &page["data"][0]["account_id"]),
        (&json!("cem"), &json!(cem.id))
    );
    let rest = format!("/v1/me/blocks?cursor={}", text(&page, "next_cursor"));
    let rest = app.get(&rest).by(&ada).answer().await.expect(200);
    assert_eq!(rest["data"].as_array().unwrap().len(), 1);
    assert_eq!(rest["data"][0]["name"], "ben");
    for other in [&ben, &cem] {
        let none = app.get("/v1/me/blocks").by(other).answer().await.expect(200);
        assert_eq!(none["data"], json!([]));
    }
    block(&app, &ada, &ada).await.problem(409, "own_account");
    let nobody = app.put("/v1/me/blocks/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11").by(&ada);
    nobody.answer().await.problem(404, "not_found");
    unblock(&app, &ada, &cem).await.expect(204);
    unblock(&app, &ada, &cem).await.problem(404, "not_found");

    // An account may have at most 1,000 blocks.
    app.sql(
        "INSERT INTO accounts (id, name, name_key, password_hash, role, created_at) \
         SELECT gen_random_uuid(), 'crowd ' || n, 'crowd' || n, a.password_hash, 'player', now() FROM generate_series(1, 999) AS n, accounts a WHERE a.name = 'ada'",
    )
    .await;
    app.sql(&format!(
        "INSERT INTO account_blocks (account_id, blocked_id, created_at) SELECT '{}', id, now() FROM accounts WHERE name LIKE 'crowd %'",
        ada.id
    ))
    .await;
    block(&app, &ada, &cem).await.problem(409, "too_many_blocks");
    block(&app, &ada, &ben).await.expect(204);
}

#[tokio::test]
async fn players_are_blocked_and_reported_by_name() {
    let app = TestApp::start().await;
    let (ada, ben) = (app.player("ada").await, app.player("Ben Two").await);
    let path = "/v1/me/blocks/BEN%20two";
    // Names of accounts that nobody has met cannot be tried.
    app.put(path).by(&ada).answer().await.problem(404, "not_found");
    app.set_trading(&ben, "public").await;
    app.put(path).by(&ada).answer().await.expect(204);
    let page = app.get("/v1/me/blocks").by(&ada).answer().await.expect(200);
    assert_eq!(
        (&page["data"][0]["name"], &page["data"][0]["account_id"]),
        (&json!("Ben Two"), &json!(ben.id))
    );
    app.delete(path).by(&ada).answer().await.expect(204);
    app.delete(path).by(&ada).answer().await.problem(404, "not_found");
    app.put("/v1/me/blocks/ADA").by(&ada).answer().await.problem(409, "own_account");
    // A name that nobody has is answered like an id that nobody has; so is a text that is neither.
    let unknown = "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";
    for whom in [unknown, "nobody", "x"] {
        let path = format!("/v1/me/blocks/{whom}");
        app.put(&path).by(&ada).answer().await.problem(404, "not_found");
        app.delete(&path).by(&ada).answer().await.problem(404, "not_found");
    }

    let report = async |account: &str| {
        let body = json!({ "account": account, "reason": "spam" });
        app.post("/v1/abuse-reports").by(&ada).json(&body).answer().await
    };
    let first = report("ben TWO").await.expect(201);
    let again = report(&ben.id).await.expect(200);
    assert_eq!(first["id"], again["id"], "both name the same player");
    report("nobody").await.problem(404, "not_found");
    report(unknown).await.problem(404, "not_found");
    let faults = report("x").await.problem(422, "invalid_body");
    assert_eq!(faults["errors"][0]["pointer"], "/account");
}

/// Blocks and reports a player by name.
async fn assert_known(app: &TestApp, by: &Player, whom: &Player, is_known: bool) {
    let path = format!("/v1/me/blocks/{}", whom.name);
    let blocked = app.put(&path).by(by).answer().await;
    let body = json!({ "account": whom.name, "reason": "spam" });
    let reported = app.post("/v1/abuse-reports").by(by).json(&body).answer().await;
    if is_known {
        blocked.expect(204);
        assert!([200, 201].contains(&reported.status), "{}", reported.text());
        app.delete(&path).by(by).answer().await.expect(204);
    } else {
        blocked.problem(404, "not_found");
        reported.problem(404, "not_found");
    }
}

/// Blocking and reporting by name do not tell who is banned, or has blocked the asker.
#[tokio::test]
async fn names_of_banned_players_and_of_those_who_have_blocked_the_asker_cannot_be_tried() {
    let app = TestApp::start().await;
    app.import_set("base", 2, false).await;
    let cards = app.print("base", 2).await;
    let ada = app.player("ada").await;
    let (copies, wants) = (app.player("ben").await, app.player("cem").await);
    let (deck, offer) = (app.player("dan").await, app.player("eve").await);
    app.set_trading(&copies, "public").await;
    let item = json!({ "game": "ttcg", "name": "The base card, numbered 001!" });
    let list = json!({ "items": [item], "visibility": "public" });
    let put = app.put("/v1/me/wants").by(&wants).header("if-match", "\"r0\"").json(&list);
    put.answer().await.expect(200);
    let public = json!({ "name": "n", "format": "ttcg/standard", "visibility": "public", "list": "1 The base card, numbered 001!" });
    app.post("/v1/decks").by(&deck).json(&public).answer().await.expect(201);
    let (hers, his) = (app.register(&ada, &cards[0]).await, app.register(&offer, &cards[1]).await);
    app.set_trading(&offer, "public").await;
    app.offer(&ada, &offer, &[&hers], &[&his]).await.expect(201);
    app.set_trading(&offer, "closed").await;
    let shown = [&copies, &wants, &deck];

    for whom in shown.iter().chain([&&offer]) {
        assert_known(&app, &ada, whom, true).await;
    }
    // Who shows copies does not show them to those whom the player has blocked; lists and decks are for everybody.
    for (whom, is_known) in [(&copies, false), (&wants, true), (&deck, true), (&offer, true)] {
        block(&app, whom, &ada).await.expect(204);
        assert_known(&app, &ada, whom, is_known).await;
        unblock(&app, whom, &ada).await.expect(204);
        assert_known(&app, &ada, whom, true).await;
    }
    // Of banned players, those stay known with whom there was an offer.
    app.sql("UPDATE accounts SET banned_at = created_at WHERE name <> 'ada'").await;
    for whom in shown {
        assert_known(&app, &ada, whom, false).await;
    }
    assert_known(&app, &ada, &offer, true).await;
    app.sql("UPDATE accounts SET banned_at = NULL").await;
    for whom in shown {
        assert_known(&app, &ada, whom, true).await;
    }
    // A deck that was taken down shows nobody.
    app.sql(
        "UPDATE decks SET taken_down_at = now(), taken_down_from = 'public', taken_down_revision = revision, takedown_note = 'x', visibility = 'private'",
    )
    .await;
    assert_known(&app, &ada, &deck, false).await;
}

/// The names of designers, and of those who write to the asker, are beside what they made.
#[tokio::test]
async fn designers_and_writers_of_feedback_are_blocked_and_reported_by_name() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let ada = app.player("ada").await;
    let (designer, writer) = (app.player("ben").await, app.player("cem").await);
    let (on_deck, replier) = (app.player("dan").await, app.player("eve").await);
    let (suggester, stranger) = (app.player("fay").await, app.player("gil").await);
    let all = [&designer, &writer, &on_deck, &replier, &suggester, &stranger];
    let hers = shared(&app, &ada, "Heron").await;
    let deck = json!({ "name": "n", "format": "ttcg/standard", "visibility": "public", "list": "1 Kettle Imp" });
    let deck = app.post("/v1/decks").by(&ada).json(&deck).answer().await.header("location");
    for whom in all {
        assert_known(&app, &ada, whom, false).await;
    }

    let his = shared(&app, &designer, "Crane").await;
    comment(&app, &writer, &hers, None).await.expect(201);
    comment(&app, &on_deck, &deck, None).await.expect(201);
    let on_his = text(&comment(&app, &ada, &his, None).await.expect(201), "id");
    comment(&app, &replier, &his, Some(&on_his)).await.expect(201);
    comment(&app, &stranger, &his, None).await.expect(201);
    let suggestion = json!({ "revision": 1, "message": "So?", "design": heron("Egret") });
    let suggest = app.post(&format!("{hers}/suggestions")).by(&suggester).json(&suggestion);
    suggest.answer().await.expect(201);
    for whom in all {
        assert_known(&app, &ada, whom, whom.name != stranger.name).await;
    }
    app.sql("UPDATE accounts SET banned_at = created_at WHERE name <> 'ada'").await;
    for whom in all {
        assert_known(&app, &ada, whom, false).await;
    }
}

#[tokio::test]
async fn a_blocked_account_cannot_send_feedback_to_its_blocker() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    let (hers, his) = (shared(&app, &ada, "Heron").await, shared(&app, &cem, "Crane").await);
    let before = comment(&app, &ben, &hers, None).await;
    let (path, tag) = (before.header("location"), before.header("etag"));
    let on_his = text(&comment(&app, &ada, &his, None).await.expect(201), "id");
    let reply = comment(&app, &ben, &his, Some(&on_his)).await.header("location");
    block(&app, &ada, &ben).await.expect(204);

    let refused = comment(&app, &ben, &hers, None).await.problem(403, "feedback_refused");
    assert!(!refused.to_string().to_lowercase().contains("block"), "{refused}");
    comment(&app, &ben, &his, Some(&on_his)).await.problem(403, "feedback_refused");
    for path in [&path, &reply] {
        let edit = app.put(path).by(&ben).header("if-match", &tag);
        edit.json(&json!({ "text": "Now this." })).answer().await.problem(403, "feedback_refused");
    }
    let suggestion = json!({ "revision": 1, "message": "So?", "design": heron("Egret") });
    let suggest = app.post(&format!("{hers}/suggestions")).by(&ben).json(&suggestion);
    suggest.answer().await.problem(403, "feedback_refused");
    // Earlier comments stay and can be deleted. Other accounts, and comments of ben on cem's design that do not reply to ada, are not affected.
    app.get(&path).answer().await.expect(200);
    comment(&app, &ben, &his, None).await.expect(201);
    comment(&app, &cem, &hers, None).await.expect(201);
    app.delete(&path).by(&ben).answer().await.expect(204);
    // A rating does not name its account, so a block does not affect it.
    let scores = json!({ "fun": 1, "balance": 1, "flavour": 1, "clarity": 1 });
    app.put(&format!("{hers}/rating")).by(&ben).json(&scores).answer().await.expect(200);
    // The blocker may still comment on designs of the blocked account.
    let bens = shared(&app, &ben, "Egret").await;
    comment(&app, &ada, &bens, None).await.expect(201);

    unblock(&app, &ada, &ben).await.expect(204);
    comment(&app, &ben, &hers, None).await.expect(201);
    let edit = app.put(&reply).by(&ben).header("if-match", "*");
    edit.json(&json!({ "text": "Now this." })).answer().await.expect(200);
}

#[tokio::test]
async fn a_blocked_account_cannot_offer_trades_to_its_blocker() {
    let app = TestApp::start().await;
    app.import_set("base", 2, false).await;
    let cards = app.print("base", 8).await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let (hers, his) = (app.register(&ada, &cards[0]).await, app.register(&ben, &cards[1]).await);
    app.set_trading(&ada, "public").await;
    app.set_trading(&ben, "public").await;
    let open = text(&app.offer(&ada, &ben, &[&hers], &[&his]).await.expect(201), "id");
    let list = |kind: &str| {
        let number = if kind == "wants" { "001" } else { "002" };
        let item = json!({ "game": "ttcg", "name": format!("The base card, numbered {number}!") });
        json!({ "items": [item], "visibility": "public" })
    };
    for (player, kinds) in [(&ada, ["wants", "haves"]), (&ben, ["haves", "wants"])] {
        for (kind, content) in [("wants", kinds[0]), ("haves", kinds[1])] {
            let put = app.put(&format!("/v1/me/{kind}")).by(player).header("if-match", "\"r0\"");
            put.json(&list(content)).answer().await.expect(200);
        }
    }
    let matches = async |player: &Player| {
        let page = app.get("/v1/trade-matches").by(player).answer().await.expect(200);
        page["data"].as_array().unwrap().len()
    };
    assert_eq!((matches(&ada).await, matches(&ben).await), (1, 1));

    let second = text(&app.offer(&ben, &ada, &[&his], &[&hers]).await.expect(201), "id");

    let copies = async |of: &str, by: &Player| {
        app.get(&format!("/v1/players/{of}/copies")).by(by).answer().await
    };
    copies("ada", &ben).await.expect(200);

    let unknown = json!({ "with": "nobody", "give": [his] });
    let unknown = app.post("/v1/trades").by(&ben).json(&unknown).answer().await;
    block(&app, &ada, &ben).await.expect(204);
    let refused = app.offer(&ben, &ada, &[&his], &[]).await;
    let (refused, unknown) =
        (refused.problem(422, "no_such_trader"), unknown.problem(422, "no_such_trader"));
    for member in ["code", "title", "detail"] {
        assert_eq!(
            refused[member], unknown[member],
            "the answer is the same as for an unknown player"
        );
    }
    assert_eq!((matches(&ada).await, matches(&ben).await), (0, 0));
    // Nor does she send him what he could not answer.
    let own = app.offer(&ada, &ben, &[&hers], &[&his]).await.problem(422, "invalid_body");
    assert_eq!(own["errors"][0]["pointer"], "/with");
    assert!(text(&own["errors"][0], "detail").contains("remove the block first"), "{own}");
    // Ada shows him no copies, as a player who takes no offers shows none.
    copies("ada", &ben).await.problem(404, "not_found");
    copies("ben", &ada).await.expect(200);
    // Open offers are closed as if ada had cancelled hers and declined his.
    for (trade, state) in [(&open, "cancelled"), (&second, "declined")] {
        let seen = app.get(&format!("/v1/trades/{trade}")).by(&ben).answer().await.expect(200);
        assert_eq!(seen["state"], state);
    }
    let counter = json!({ "give": [his] });
    let counter = app.post(&format!("/v1/trades/{open}/counter")).by(&ben).json(&counter);
    let closed = counter.answer().await.problem(409, "trade_closed");
    assert_eq!(closed["state"], "cancelled");
    app.on_trade(&ben, &open, "accept").await.problem(409, "trade_closed");
    let events = app.get("/v1/me/events").by(&ben).answer().await.expect(200);
    let kinds: Vec<&Value> =
        events["data"].as_array().unwrap().iter().map(|event| &event["kind"]).collect();
    for kind in ["trade.cancelled", "trade.declined"] {
        assert_eq!(kinds.iter().filter(|found| **found == kind).count(), 1, "{kinds:?}");
    }
}
