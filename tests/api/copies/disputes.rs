//! Disputes: both sides make statements, moderators decide, and neither side learns who the other side is.

use serde_json::{Value, json};

use crate::collection::counts::send_during;
use crate::support::{Answer, PaperCard, Player, RequestExt as _, TestApp, text};

struct Case {
    app: TestApp,
    cards: Vec<PaperCard>,
    owner: Player,
    claimant: Player,
    moderator: Player,
    copy: String,
    dispute: String,
}

async fn dispute_case() -> Case {
    let app = TestApp::start().await;
    app.import_set("dusk", 1, true).await;
    let cards = app.print("dusk", 10).await;
    let (owner, claimant) = (app.player("ada").await, app.player("ben").await);
    let moderator = app.moderator().await;
    let copy = app.register(&owner, &cards[0]).await;
    let claim = app.submit(&claimant, &cards[0]).await.problem(409, "registered_to_another");
    assert_eq!(claim["dispute_state"], "open");
    let dispute = text(&claim, "dispute_id");
    Case { app, cards, owner, claimant, moderator, copy, dispute }
}

impl Case {
    async fn look(&self, player: &Player) -> Answer {
        self.app.get(&format!("/v1/disputes/{}", self.dispute)).by(player).answer().await
    }

    async fn say(&self, player: &Player, text: &str) -> Answer {
        let path = format!("/v1/disputes/{}/statements", self.dispute);
        self.app.post(&path).by(player).json(&json!({ "text": text })).answer().await
    }

    async fn withdraw(&self, player: &Player) -> Answer {
        self.app.post(&format!("/v1/disputes/{}/withdraw", self.dispute)).by(player).answer().await
    }

    async fn decide(&self, moderator: &Player, outcome: &str) -> Answer {
        let path = format!("/v1/disputes/{}/decide", self.dispute);
        let body = json!({ "outcome": outcome, "reason": "a photograph" });
        self.app.post(&path).by(moderator).json(&body).answer().await
    }

    async fn ledger(&self) -> String {
        self.app
            .db()
            .value("SELECT string_agg(entry || ' ' || (SELECT name FROM accounts a WHERE a.id = owner_id), ', ' ORDER BY position) FROM copy_ledger")
            .await
    }
}

#[tokio::test]
async fn each_side_sees_its_own_statements_and_not_who_the_other_side_is() {
    let case = dispute_case().await;
    let stranger = case.app.player("cem").await;
    case.say(&case.claimant, "I have it here:\r\nlook").await.expect(201);
    case.say(&case.owner, "No, I do").await.expect(201);
    let claimants = case.look(&case.claimant).await.expect(200);
    assert_eq!((&claimants["role"], &claimants["state"]), (&json!("claimant"), &json!("open")));
    assert_eq!(claimants.get("copy"), None, "the id of the copy could reveal its owner");
    assert_eq!(claimants["card"].get("name"), None, "a claim does not reveal a hidden card");
    assert_eq!(claimants["statements"].as_array().unwrap().len(), 1);
    assert_eq!(claimants["statements"][0]["text"], "I have it here:\nlook");
    let owners = case.look(&case.owner).await.expect(200);
    assert_eq!((&owners["role"], &owners["copy"]), (&json!("owner"), &json!(case.copy)));
    assert_eq!(owners["statements"][0]["text"], "No, I do");
    for (shown, other) in [(&claimants, &case.owner), (&owners, &case.claimant)] {
        let shown = shown.to_string();
        assert!(
            !shown.contains(&other.id) && !shown.contains(&format!("\"{}\"", other.name)),
            "{shown}"
        );
        assert!(!shown.contains("parties"), "{shown}");
    }
    case.look(&stranger).await.problem(404, "not_found");
    case.say(&stranger, "me too").await.problem(404, "not_found");
    case.withdraw(&stranger).await.problem(404, "not_found");
    case.say(&case.moderator, "hm").await.problem(404, "not_found");

    let all = case.look(&case.moderator).await.expect(200);
    assert_eq!(all["parties"]["claimant_id"], case.claimant.id);
    assert_eq!(all["parties"]["owner_id"], case.owner.id);
    let sides: Vec<&Value> =
        all["statements"].as_array().unwrap().iter().map(|statement| &statement["by"]).collect();
    assert_eq!(sides, [&json!("claimant"), &json!("owner")]);
    assert_eq!(all["statements"][0]["account_id"], case.claimant.id);
}

#[tokio::test]
async fn disputes_are_listed_by_side_and_by_state() {
    let case = dispute_case().await;
    let list = async |player: &Player, query: &str| {
        let page =
            case.app.get(&format!("/v1/disputes{query}")).by(player).answer().await.expect(200);
        page["data"].as_array().unwrap().len()
    };
    for (player, as_claimant, as_owner) in
        [(&case.claimant, 1, 0), (&case.owner, 0, 1), (&case.moderator, 0, 0)]
    {
        assert_eq!(list(player, "?role=claimant").await, as_claimant);
        assert_eq!(list(player, "?role=owner").await, as_owner);
        assert_eq!(list(player, "").await, as_claimant + as_owner);
        assert_eq!(list(player, "?open=false").await, 0);
    }
    assert_eq!(list(&case.moderator, "?role=moderator&open=true").await, 1);
    let refused = case.app.get("/v1/disputes?role=moderator").by(&case.owner).answer().await;
    refused.problem(403, "forbidden");
    let body = json!({ "name": "small", "scopes": ["serials:read"] });
    let token =
        case.app.post("/v1/tokens").by(&case.moderator).json(&body).answer().await.expect(201);
    let small = Player { access_token: text(&token, "secret"), ..case.moderator.clone() };
    case.app
        .get("/v1/disputes?role=moderator")
        .by(&small)
        .answer()
        .await
        .problem(403, "scope_missing");
    case.look(&small).await.problem(404, "not_found");

    case.withdraw(&case.claimant).await.expect(200);
    assert_eq!(list(&case.owner, "?open=true").await, 0);
    assert_eq!(list(&case.moderator, "?role=moderator&open=false").await, 1);
    case.app
        .get("/v1/disputes?role=judge")
        .by(&case.owner)
        .answer()
        .await
        .problem(400, "invalid_query");
}

#[tokio::test]
async fn statements_are_limited() {
    let case = dispute_case().await;
    for bad in ["", "  ", "nul\u{7}", &"x".repeat(2001)] {
        let refused = case.say(&case.owner, bad).await.problem(422, "invalid_body");
        assert_eq!(refused["errors"][0]["pointer"], "/text");
    }
    let path = format!("/v1/disputes/{}/statements", case.dispute);
    let send = async |body: Value| {
        let request = case.app.post(&path).by(&case.owner).header("idempotency-key", "said");
        request.json(&body).answer().await
    };
    for _ in 0..3 {
        let dispute = send(json!({ "text": "one" })).await.expect(201);
        assert_eq!(
            dispute["statements"].as_array().unwrap().len(),
            1,
            "a repeated statement is stored once"
        );
    }
    send(json!({ "text": "two" })).await.problem(422, "idempotency_key_reused");
    let answers =
        futures_util::future::join_all((0..8).map(|_| case.say(&case.owner, "again"))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 4);
    case.say(&case.owner, "once more").await.problem(409, "too_many_statements");
    case.say(&case.claimant, "the other side may").await.expect(201);
}

#[tokio::test]
async fn a_decision_for_the_owner_leaves_the_copy() {
    let case = dispute_case().await;
    for _ in 0..2 {
        let decided = case.decide(&case.moderator, "for_owner").await.expect(200);
        assert_eq!(
            (&decided["state"], &decided["reason"]),
            (&json!("for_owner"), &json!("a photograph"))
        );
    }
    let other = case.decide(&case.moderator, "for_claimant").await.problem(409, "dispute_closed");
    assert_eq!(other["state"], "for_owner");
    case.withdraw(&case.claimant).await.problem(409, "dispute_closed");
    case.say(&case.claimant, "but").await.problem(409, "dispute_closed");
    assert_eq!(case.app.copies_of(&case.owner).await, std::slice::from_ref(&case.copy));
    assert_eq!(case.ledger().await, "register ada, dispute ada, decide ada");
    for player in [&case.owner, &case.claimant] {
        assert_eq!(case.look(player).await.expect(200)["reason"], "a photograph");
    }
    // A new submission by the claimant opens no new dispute.
    let again =
        case.app.submit(&case.claimant, &case.cards[0]).await.problem(409, "registered_to_another");
    assert_eq!(
        (&again["dispute_id"], &again["dispute_state"]),
        (&json!(case.dispute), &json!("for_owner"))
    );
    let log = case.app.db().value("SELECT string_agg(action || ' ' || target, ', ') FROM audit_log WHERE action LIKE 'dispute.%'").await;
    assert_eq!(log, format!("dispute.decided dispute:{}", case.dispute));
}

#[tokio::test]
async fn a_decision_for_the_claimant_moves_the_copy() {
    let case = dispute_case().await;
    let third = case.app.player("cem").await;
    let other = case.app.submit(&third, &case.cards[0]).await.problem(409, "registered_to_another");
    let unlock = case.app.db().value("SELECT submissions FROM unlocks").await;
    for _ in 0..2 {
        let decided = case.decide(&case.moderator, "for_claimant").await.expect(200);
        assert_eq!(decided["parties"]["owner_id"], case.claimant.id);
        assert_eq!(decided["parties"]["lost_by"], case.owner.id);
    }
    assert_eq!(case.app.copies_of(&case.claimant).await, std::slice::from_ref(&case.copy));
    assert_eq!(case.app.copies_of(&case.owner).await, Vec::<String>::new());
    assert_eq!(case.ledger().await, "register ada, dispute ada, dispute ada, decide ben");
    assert_eq!(case.app.db().value("SELECT submissions FROM unlocks").await, unlock);
    // The account that lost the copy may read the reason. Its code opens no new dispute.
    let lost = case.look(&case.owner).await.expect(200);
    assert_eq!((&lost["role"], &lost["reason"]), (&json!("owner"), &json!("a photograph")));
    assert_eq!(lost.get("copy"), None);
    // It is still a side of the dispute, which is over.
    let closed = case.say(&case.owner, "but").await.problem(409, "dispute_closed");
    assert_eq!(closed["state"], "for_claimant");
    case.withdraw(&case.owner).await.problem(409, "not_your_turn");
    case.say(&third, "but").await.problem(404, "not_found");
    case.withdraw(&third).await.problem(404, "not_found");
    case.app.submit(&case.owner, &case.cards[0]).await.problem(409, "copy_passed_on");
    let typed = case.app.submit(&case.claimant, &case.cards[0]).await.expect(200);
    assert_eq!((typed.get("submission"), &typed["copy"]), (None, &json!(case.copy)));
    // The other claim is still open, now against the new owner.
    let path = format!("/v1/disputes/{}", text(&other, "dispute_id"));
    let against = case.app.get(&path).by(&case.claimant).answer().await.expect(200);
    assert_eq!((&against["state"], &against["role"]), (&json!("open"), &json!("owner")));
    case.app.get(&path).by(&case.owner).answer().await.problem(404, "not_found");
    // Each dispute is listed once for its current and former sides: the new owner is the claimant in one and the owner in the other.
    let (lost, claim) = (case.dispute.as_str(), text(&other, "dispute_id"));
    for (player, query, expected) in [
        (&case.owner, "", &[lost][..]),
        (&case.owner, "?role=owner", &[lost]),
        (&case.owner, "?role=claimant", &[]),
        (&case.claimant, "", &[&claim, lost]),
        (&case.claimant, "?role=owner", &[&claim]),
        (&case.claimant, "?role=claimant", &[lost]),
        (&third, "", &[&claim]),
        (&third, "?role=owner", &[]),
        (&case.moderator, "", &[]),
    ] {
        let page =
            case.app.get(&format!("/v1/disputes{query}")).by(player).answer().await.expect(200);
        let ids = page["data"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap());
        assert_eq!(ids.collect::<Vec<_>>(), expected, "{} {query}", player.name);
    }
}

#[tokio::test]
async fn a_withdrawn_claim_stays_withdrawn() {
    let case = dispute_case().await;
    case.withdraw(&case.owner).await.problem(409, "not_your_turn");
    for _ in 0..2 {
        assert_eq!(case.withdraw(&case.claimant).await.expect(200)["state"], "withdrawn");
    }
    case.decide(&case.moderator, "for_claimant").await.problem(409, "dispute_closed");
    let again =
        case.app.submit(&case.claimant, &case.cards[0]).await.problem(409, "registered_to_another");
    assert_eq!(
        (&again["dispute_id"], &again["dispute_state"]),
        (&json!(case.dispute), &json!("withdrawn"))
    );
    assert_eq!(case.ledger().await, "register ada, dispute ada");
    let refused =
        case.app.db().refuses("UPDATE disputes SET state = 'open', closed_at = NULL").await;
    assert!(refused, "the database refuses to open a closed dispute again");
}

#[tokio::test]
async fn a_dispute_follows_the_copy_and_ends_when_the_claimant_gets_it() {
    let case = dispute_case().await;
    let third = case.app.player("cem").await;
    case.app.hand_over(&case.owner, &third, &case.copy).await;
    case.look(&case.owner).await.problem(404, "not_found");
    assert_eq!(case.look(&third).await.expect(200)["role"], "owner");
    case.app.hand_over(&third, &case.claimant, &case.copy).await;
    let ended = case.look(&case.claimant).await.expect(200);
    assert_eq!(ended["state"], "settled");
    case.decide(&case.moderator, "for_owner").await.problem(409, "dispute_closed");
    assert_eq!(case.ledger().await, "register ada, dispute ada, transfer cem, transfer ben");
}

#[tokio::test]
async fn moderators_and_admins_cannot_decide_an_own_case() {
    let case = dispute_case().await;
    let admin = case.app.admin().await;
    let copy = case.app.register(&admin, &case.cards[1]).await;
    let claim = case
        .app
        .submit(&case.moderator, &case.cards[1])
        .await
        .problem(409, "registered_to_another");
    let path = format!("/v1/disputes/{}/decide", text(&claim, "dispute_id"));
    let body = json!({ "outcome": "for_claimant", "reason": "mine" });
    for side in [&case.moderator, &admin] {
        case.app.post(&path).by(side).json(&body).answer().await.problem(409, "own_case");
    }
    // A moderator who claims the copy cannot decide another claim to it, and cannot freeze or void it, even after withdrawing the claim.
    let third = case.app.submit(&case.claimant, &case.cards[1]).await;
    let third = text(&third.problem(409, "registered_to_another"), "dispute_id");
    let own = text(&claim, "dispute_id");
    for withdrawn in [false, true] {
        if withdrawn {
            let withdraw = format!("/v1/disputes/{own}/withdraw");
            case.app.post(&withdraw).by(&case.moderator).answer().await.expect(200);
        }
        let other = format!("/v1/disputes/{third}/decide");
        case.app
            .post(&other)
            .by(&case.moderator)
            .json(&body)
            .answer()
            .await
            .problem(409, "own_case");
        for what in ["freeze", "unfreeze", "void"] {
            case.app.moderate(&case.moderator, &copy, what).await.problem(409, "own_case");
        }
    }
    case.decide(&case.claimant, "for_claimant").await.problem(403, "forbidden");
    let wrong = json!({ "outcome": "for_me", "reason": "" });
    case.app.post(&path).by(&admin).json(&wrong).answer().await.problem(422, "invalid_body");
    assert_eq!(case.app.copies_of(&admin).await, [copy]);
}

/// A decision names the owner and the number of statements that were read.
#[tokio::test]
async fn a_decision_about_an_earlier_owner_or_before_a_statement_decides_nothing() {
    let case = dispute_case().await;
    let gus = case.app.player("gus").await;
    let path = format!("/v1/disputes/{}/decide", case.dispute);
    let decide = async |owner: &Player, statements: u32| {
        let body = json!({ "outcome": "for_claimant", "reason": "no answer", "owner": owner.id, "statements": statements });
        case.app.post(&path).by(&case.moderator).json(&body).answer().await
    };
    case.app.hand_over(&case.owner, &gus, &case.copy).await;
    let refused = decide(&case.owner, 0).await.problem(409, "edit_conflict");
    assert!(text(&refused, "detail").contains("another owner"), "{refused}");
    case.say(&gus, "I bought it").await.expect(201);
    let refused = decide(&gus, 0).await.problem(409, "edit_conflict");
    assert!(
        text(&refused, "detail").contains("The number of statements is 1 now, and was 0"),
        "{refused}"
    );
    assert_eq!(case.look(&gus).await.expect(200)["state"], "open");
    assert_eq!(case.app.copies_of(&gus).await, std::slice::from_ref(&case.copy));
    // The same decision again changes nothing, although the copy has another owner by then.
    for _ in 0..2 {
        assert_eq!(decide(&gus, 1).await.expect(200)["parties"]["owner_id"], case.claimant.id);
    }
}

/// A statement waits for a trade of the copy: afterwards its author is on no side.
#[tokio::test]
async fn a_statement_of_an_owner_who_trades_the_copy_away_meanwhile_is_not_stored() {
    let case = dispute_case().await;
    let gus = case.app.player("gus").await;
    // What the accepted trade locks and changes.
    let trade = format!("UPDATE copies SET owner_id = '{}' WHERE id = '{}'", gus.id, case.copy);
    let refused = send_during(&case.app, &trade, case.say(&case.owner, "No, I do")).await;
    refused.problem(404, "not_found");
    assert_eq!(case.app.db().number("SELECT count(*) FROM dispute_statements").await, 0);
    case.say(&gus, "I bought it").await.expect(201);
}
