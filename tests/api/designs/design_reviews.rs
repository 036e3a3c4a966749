//! Reviews of designs, from the submission to the decision.

use cardscape::app::page::Cursor;
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{app, begun, changed, contributed, heron, put, shared, step};
use crate::support::{Answer, Player, RequestExt as _, TestApp};

async fn act(app: &TestApp, by: &Player, path: &str, what: &str) -> Answer {
    app.post(&format!("{path}/{what}")).by(by).answer().await
}

async fn decide(app: &TestApp, by: &Player, path: &str, decision: &str, reason: &str) -> Answer {
    let request = app.post(&format!("{path}/decide")).by(by);
    request.json(&json!({ "decision": decision, "reason": reason })).answer().await
}

async fn queue(app: &TestApp, by: &Player, query: &str) -> Vec<Value> {
    let page = app.get(&format!("/v1/design-reviews{query}")).by(by).answer().await.expect(200);
    page["data"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_design_is_submitted_claimed_and_decided() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let path = begun(&app, &ada, &heron("Lantern Heron")).await;
    act(&app, &mod_, &path, "claim").await.problem(404, "not_found");
    act(&app, &ada, &path, "claim").await.problem(403, "forbidden");
    step(&app, &ada, &path, "submit").await.expect(200);

    // Only its author and moderators see a submitted design that was never shared.
    app.get(&path).by(&bob).answer().await.problem(404, "not_found");
    assert_eq!(app.get(&path).by(&mod_).answer().await.expect(200)["status"], "submitted");
    let picture = app.get(&format!("{path}/picture")).by(&mod_).answer().await;
    assert_eq!(picture.header("cache-control"), "private, no-store");
    let waiting = queue(&app, &mod_, "?game=ttcg").await;
    assert_eq!(
        (waiting.len(), &waiting[0]["name"], &waiting[0]["author"], &waiting[0]["revision"]),
        (1, &json!("Lantern Heron"), &json!("ada"), &json!(1))
    );
    assert_eq!(waiting[0].get("reviewer_id"), None);

    // The author cannot change a submitted design.
    let tag = app.get(&path).by(&ada).answer().await.header("etag");
    put(&app, &ada, &path, &tag, &heron("Other")).await.problem(409, "design_step_refused");
    decide(&app, &mod_, &path, "approved", "Good.").await.problem(409, "design_not_claimed");
    let claimed = act(&app, &mod_, &path, "claim").await.expect(200);
    assert_eq!(
        (&claimed["check"]["releasable"], &claimed["check"]["name"]["like"]),
        (&json!(true), &json!([]))
    );
    assert_eq!(queue(&app, &mod_, "").await[0]["reviewer_id"], json!(mod_.id));
    let wrong = decide(&app, &mod_, &path, "aproved", " ").await.problem(422, "invalid_body");
    assert_eq!(wrong["errors"].as_array().unwrap().len(), 2, "{wrong}");

    let decided =
        decide(&app, &mod_, &path, "declined", "Too strong.\n\nTry less.").await.expect(200);
    assert_eq!(decided["decision"], "declined");
    // The same request again changes nothing; another decision is refused.
    let again = decide(&app, &mod_, &path, "declined", "Too strong.\n\nTry less.").await;
    assert_eq!(again.expect(200), decided);
    for (by, decision, reason) in [
        (&mod_, "declined", "Something else."),
        (&mod_, "approved", "Too strong.\n\nTry less."),
        (&app.admin().await, "declined", "Too strong.\n\nTry less."),
    ] {
        decide(&app, by, &path, decision, reason).await.problem(409, "design_step_refused");
    }
    let events = app.get("/v1/me/events?after=0").by(&ada).answer().await.expect(200);
    assert_eq!(events["data"].as_array().unwrap().len(), 1, "{events}");
    let read = app.get(&path).by(&ada).answer().await.expect(200);
    assert_eq!(read["status"], "declined");
    assert_eq!(
        (&read["review"]["decision"], &read["review"]["reason"]),
        (&json!("declined"), &json!("Too strong.\n\nTry less."))
    );
    assert_eq!(queue(&app, &mod_, "").await.len(), 0);
    // A design with a decision cannot be deleted.
    let tag = app.get(&path).by(&ada).answer().await.header("etag");
    let delete = app.delete(&path).by(&ada).header("if-match", tag).answer().await;
    delete.problem(409, "design_was_public");
    // After the decision, moderators can no longer read the design, because it was never shared.
    app.get(&path).by(&mod_).answer().await.problem(404, "not_found");
    let tag = app.get(&path).by(&ada).answer().await.header("etag");
    put(&app, &ada, &path, &tag, &heron("Weaker Heron")).await.expect(200);
    step(&app, &ada, &path, "submit").await.expect(200);
    act(&app, &mod_, &path, "claim").await.expect(200);
    decide(&app, &mod_, &path, "approved", "Good.").await.expect(200);
    let approved = app.get(&path).by(&mod_).answer().await.expect(200);
    assert_eq!(
        (&approved["status"], &approved["name"]),
        (&json!("approved"), &json!("Weaker Heron"))
    );
    decide(&app, &mod_, &path, "declined", "No.").await.problem(409, "design_step_refused");

    let log = app.db().value("SELECT string_agg(action, ' ' ORDER BY created_at) FROM audit_log WHERE target LIKE 'design:D-%'");
    assert_eq!(log.await, "design.declined design.approved");
}

/// The author may withdraw a design, change it and submit it again after a moderator has read it: the decision names the revision that was read.
#[tokio::test]
async fn a_decision_is_about_the_revision_that_was_read() {
    let app = app().await;
    let (ada, mod_) = (app.player("ada").await, app.moderator().await);
    let path = begun(&app, &ada, &heron("Lantern Heron")).await;
    step(&app, &ada, &path, "submit").await.expect(200);
    assert_eq!(act(&app, &mod_, &path, "claim").await.expect(200)["revision"], 1);
    step(&app, &ada, &path, "withdraw").await.expect(200);
    put(&app, &ada, &path, "*", &heron("Quiet Heron")).await.expect(200);
    step(&app, &ada, &path, "submit").await.expect(200);
    let decide_about = async |revision: i64, decision: &str| {
        let body = json!({ "decision": decision, "revision": revision, "reason": "As read." });
        app.post(&format!("{path}/decide")).by(&mod_).json(&body).answer().await
    };
    // Before and after the moderator claims the new revision.
    for _ in 0..2 {
        for decision in ["approved", "declined"] {
            let refused = decide_about(1, decision).await.problem(409, "design_step_refused");
            assert_eq!(
                refused["detail"],
                "The submitted revision is 2, not 1: nothing was decided. Read the design again."
            );
        }
        assert_eq!(act(&app, &mod_, &path, "claim").await.expect(200)["revision"], 2);
    }
    decide_about(0, "approved").await.problem(422, "invalid_body");
    assert_eq!(app.get(&path).by(&ada).answer().await.expect(200)["status"], "in_review");

    let decided = decide_about(2, "approved").await.expect(200);
    assert_eq!(decide_about(2, "approved").await.expect(200), decided);
    decide_about(1, "approved").await.problem(409, "design_step_refused");
    // Older clients do not say which revision they mean.
    let again = decide(&app, &mod_, &path, "approved", "As read.").await.expect(200);
    assert_eq!(again, decided);
}

/// Only the author reads the reason of a decision. Others see only that the design was declined.
#[tokio::test]
async fn only_the_author_reads_the_reason_of_a_decision() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    step(&app, &ada, &path, "submit").await.expect(200);
    act(&app, &mod_, &path, "claim").await.expect(200);
    decide(&app, &mod_, &path, "declined", "Between us.").await.expect(200);
    let seen = app.get(&path).by(&bob).answer().await.expect(200);
    assert_eq!((&seen["status"], seen.get("review")), (&json!("declined"), None));
}

#[tokio::test]
async fn a_design_that_cannot_be_released_cannot_be_submitted() {
    let app = app().await;
    let ada = app.player("ada").await;
    for (change, obstacle) in [
        (json!({ "licence": "none" }), "licence"),
        (json!({ "name": "" }), "name"),
        (json!({ "name": "Gatepost Lad" }), "name"),
        (
            json!({ "effects": [
            { "style": "passive", "text": "Sing the whole night." },
            { "style": "normal", "text": "Discard one spell to gain 1 point." },
        ] }),
            "free_text",
        ),
    ] {
        let path = begun(&app, &ada, &changed(heron("Lantern Heron"), &change)).await;
        let problem = step(&app, &ada, &path, "submit").await.problem(409, "design_not_releasable");
        assert!(problem["obstacles"].as_array().unwrap().contains(&json!(obstacle)), "{problem}");
    }
}

#[tokio::test]
async fn a_claim_excludes_other_moderators_for_a_time() {
    let app = app().await;
    let (ada, mod_) = (app.player("ada").await, app.moderator().await);
    let admin = app.admin().await;
    let path = begun(&app, &ada, &heron("Lantern Heron")).await;
    step(&app, &ada, &path, "submit").await.expect(200);
    act(&app, &mod_, &path, "claim").await.expect(200);
    act(&app, &admin, &path, "claim").await.problem(409, "design_claimed");
    decide(&app, &admin, &path, "approved", "Mine.").await.problem(409, "design_not_claimed");
    act(&app, &admin, &path, "return").await.problem(409, "design_not_claimed");
    act(&app, &mod_, &path, "return").await.expect(204);
    assert_eq!(app.get(&path).by(&ada).answer().await.expect(200)["status"], "submitted");
    act(&app, &mod_, &path, "claim").await.expect(200);
    app.clock().advance(chrono::TimeDelta::minutes(31));
    let (mod_, admin) = (
        app.log_in(&mod_.name, &mod_.password).await,
        app.log_in(&admin.name, &admin.password).await,
    );
    decide(&app, &mod_, &path, "approved", "Late.").await.problem(409, "design_not_claimed");
    act(&app, &admin, &path, "claim").await.expect(200);
    act(&app, &mod_, &path, "claim").await.problem(409, "design_claimed");

    // A withdrawn design cannot be decided.
    let ada = app.log_in(&ada.name, &ada.password).await;
    step(&app, &ada, &path, "withdraw").await.expect(200);
    decide(&app, &admin, &path, "approved", "Too late.").await.problem(409, "design_step_refused");
    assert_eq!(queue(&app, &admin, "").await.len(), 0);
}

#[tokio::test]
async fn moderators_cannot_decide_about_their_own_designs() {
    let app = app().await;
    let (mod_, admin) = (app.moderator().await, app.admin().await);
    let path = begun(&app, &mod_, &heron("Lantern Heron")).await;
    step(&app, &mod_, &path, "submit").await.expect(200);
    assert_eq!(queue(&app, &mod_, "").await[0]["own"], true);
    assert_eq!(queue(&app, &admin, "").await[0].get("own"), None);
    for what in ["claim", "return"] {
        act(&app, &mod_, &path, what).await.problem(409, "own_design");
    }
    decide(&app, &mod_, &path, "approved", "Mine.").await.problem(409, "own_design");
}

/// A moderator whose suggestion became a part of a design does not judge it. Another moderator does.
#[tokio::test]
async fn moderators_cannot_decide_about_designs_that_they_contributed_to() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let path = contributed(&app, &ada, &mod_, "Lantern Heron").await;
    step(&app, &ada, &path, "submit").await.expect(200);
    assert_eq!(queue(&app, &mod_, "").await[0]["own"], true);
    assert_eq!(queue(&app, &admin, "").await[0].get("own"), None);
    for what in ["claim", "return"] {
        act(&app, &mod_, &path, what).await.problem(409, "own_design");
    }
    decide(&app, &mod_, &path, "approved", "Ours.").await.problem(409, "own_design");
    act(&app, &admin, &path, "claim").await.expect(200);
    decide(&app, &admin, &path, "approved", "Good.").await.expect(200);
}

/// The claim of an account that was demoted or banned does not count, although it has not expired.
#[tokio::test]
async fn only_claims_of_moderators_count() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let changes = ["role = 'player'", "banned_at = created_at"];
    for (round, change) in changes.into_iter().enumerate() {
        let path = begun(&app, &ada, &heron(&format!("Heron of Pond {round}"))).await;
        step(&app, &ada, &path, "submit").await.expect(200);
        act(&app, &mod_, &path, "claim").await.expect(200);
        act(&app, &admin, &path, "claim").await.problem(409, "design_claimed");
        app.sql(&format!("UPDATE accounts SET {change} WHERE id = '{}'", mod_.id)).await;
        let waiting = queue(&app, &admin, "").await;
        assert_eq!((waiting.len(), waiting[0].get("reviewer_id")), (1, None), "{change}");
        act(&app, &admin, &path, "claim").await.expect(200);
        let back = "UPDATE accounts SET role = 'moderator', banned_at = NULL";
        app.sql(&format!("{back} WHERE id = '{}'", mod_.id)).await;
        decide(&app, &admin, &path, "approved", "Good.").await.expect(200);
    }
}

/// While its author is banned, a design keeps its status. After the ban, the review goes on.
#[tokio::test]
async fn designs_of_banned_authors_are_not_claimed_and_decided() {
    let app = app().await;
    let (ada, mod_) = (app.player("ada").await, app.moderator().await);
    let ban = async |banned_at: &str| {
        app.sql(&format!("UPDATE accounts SET banned_at = {banned_at} WHERE id = '{}'", ada.id))
            .await;
    };
    let path = begun(&app, &ada, &heron("Lantern Heron")).await;
    step(&app, &ada, &path, "submit").await.expect(200);
    ban("created_at").await;
    assert_eq!(queue(&app, &mod_, "").await.len(), 0);
    act(&app, &mod_, &path, "claim").await.problem(409, "author_banned");
    ban("NULL").await;
    act(&app, &mod_, &path, "claim").await.expect(200);
    ban("created_at").await;
    for decision in ["approved", "declined"] {
        decide(&app, &mod_, &path, decision, "Good.").await.problem(409, "author_banned");
    }
    act(&app, &mod_, &path, "return").await.expect(204);
    ban("NULL").await;
    act(&app, &mod_, &path, "claim").await.expect(200);
    decide(&app, &mod_, &path, "approved", "Good.").await.expect(200);
}

/// Two decisions of a moderator and a withdrawal by the author run at the same time, in several rounds. Exactly one of the three succeeds.
#[tokio::test]
async fn exactly_one_of_parallel_steps_succeeds() {
    let app = app().await;
    let other = app.second_instance();
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    app.sql("UPDATE accounts SET created_at = created_at - interval '9 days'").await;
    for round in 0..8 {
        let path = begun(&app, &ada, &heron(&format!("Heron of Pond {round}"))).await;
        step(&app, &ada, &path, "submit").await.expect(200);
        let claims =
            join_all([(&app, &mod_), (&other, &admin), (&other, &mod_)].map(
                async |(app, by): (&TestApp, &Player)| act(app, by, &path, "claim").await.status,
            ));
        let claims = claims.await;
        assert!(claims.contains(&200) && claims.contains(&409), "{claims:?}");
        let holder = if claims[1] == 200 { &admin } else { &mod_ };
        let tag = app.get(&path).by(&ada).answer().await.header("etag");
        let withdraw = async {
            let request = app.post(&format!("{path}/withdraw")).by(&ada).header("if-match", tag);
            request.answer().await.status
        };
        let approve = async { decide(&other, holder, &path, "approved", "Yes.").await.status };
        let decline = async { decide(&app, holder, &path, "declined", "No.").await.status };
        let (withdrawn, approved, declined) = tokio::join!(withdraw, approve, decline);
        let statuses = [withdrawn, approved, declined];
        let taken = statuses.iter().filter(|status| **status == 200).count();
        assert_eq!(taken, 1, "{statuses:?}");
    }
    let open = "SELECT count(*) FROM design_reviews WHERE closed_at IS NULL";
    assert_eq!(app.db().value(open).await, "0");
}

#[tokio::test]
async fn the_author_gets_events_about_decisions() {
    let app = app().await;
    let (ada, moderator) = (app.player("ada").await, app.moderator().await);
    let path = begun(&app, &ada, &heron("Lantern Heron")).await;
    for decision in ["declined", "approved"] {
        step(&app, &ada, &path, "submit").await.expect(200);
        act(&app, &moderator, &path, "claim").await.expect(200);
        decide(&app, &moderator, &path, decision, "As it is.").await.expect(200);
    }
    let events = app.get("/v1/me/events?after=0").by(&ada).answer().await.expect(200);
    let events = events["data"].as_array().unwrap();
    let kinds: Vec<&Value> = events.iter().map(|event| &event["kind"]).collect();
    assert_eq!(kinds, ["design.declined", "design.approved"]);
    assert_eq!(events[0]["design"]["href"], path);
}

/// Revokes the approval of the first revision.
async fn revoke(app: &TestApp, by: &Player, path: &str, reason: &str) -> Answer {
    revoke_revision(app, by, path, 1, reason).await
}

async fn revoke_revision(
    app: &TestApp,
    by: &Player,
    path: &str,
    revision: i64,
    reason: &str,
) -> Answer {
    let body = json!({ "revision": revision, "reason": reason });
    app.post(&format!("{path}/revoke")).by(by).json(&body).answer().await
}

/// The moderator with a token that may review designs, but does not show hidden cards.
async fn without_hidden_cards(app: &TestApp, mod_: &Player) -> Player {
    let body = json!({ "name": "reviews", "scopes": ["admin:write"] });
    let token = app.post("/v1/tokens").by(mod_).json(&body).answer().await.expect(201);
    let secret = token["secret"].as_str().unwrap().to_owned();
    Player { access_token: secret, ..mod_.clone() }
}

/// An approved design that cannot be released is no dead end: a moderator revokes the approval, and the author gives the design another name and submits it again.
#[tokio::test]
async fn an_approval_is_revoked_with_a_reason() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let admin = app.admin().await;
    let path = begun(&app, &ada, &heron("Lantern Heron")).await;
    revoke(&app, &mod_, &path, "No.").await.problem(404, "not_found");
    step(&app, &ada, &path, "submit").await.expect(200);
    let refused = revoke(&app, &mod_, &path, "No.").await.problem(409, "design_step_refused");
    assert!(refused["detail"].as_str().unwrap().contains("submitted"), "{refused}");
    act(&app, &mod_, &path, "claim").await.expect(200);
    decide(&app, &mod_, &path, "approved", "Good.").await.expect(200);
    revoke(&app, &ada, &path, "No.").await.problem(403, "forbidden");
    revoke(&app, &mod_, &path, " ").await.problem(422, "invalid_body");
    // Revisions start at 1.
    let refused = revoke_revision(&app, &mod_, &path, 0, "No.").await.problem(422, "invalid_body");
    let fault = &refused["errors"][0];
    assert_eq!(
        (&fault["pointer"], &fault["detail"]),
        (&json!("/revision"), &json!("must be at least 1, not 0"))
    );
    // An approved design that was never shared reserves no name, and shows nowhere.
    let twin = begun(&app, &bob, &heron("Lantern Heron")).await;
    step(&app, &bob, &twin, "share").await.expect(200);
    let place = json!({ "set": "veil", "number": "900" });
    let refused = super::design_releases::release(&app, &admin, &path, &place).await;
    refused.problem(409, "design_name_taken");

    // No claim is needed, and another moderator may do it.
    let revoked = revoke(&app, &admin, &path, "Another name, please.").await.expect(200);
    assert_eq!(revoked["decision"], "declined");
    // Sent again, the same revocation has the same answer, and changes nothing.
    app.clock().advance(chrono::Duration::minutes(1));
    let again = revoke(&app, &admin, &path, "Another name, please.").await.expect(200);
    assert_eq!(again, revoked);
    let read = app.get(&path).by(&ada).answer().await.expect(200);
    let review = (&read["review"]["decision"], &read["review"]["reason"]);
    assert_eq!(
        (&read["status"], review),
        (&json!("declined"), (&json!("declined"), &json!("Another name, please.")))
    );
    let refused = revoke(&app, &mod_, &path, "Again.").await.problem(409, "design_step_refused");
    assert_eq!(
        refused["detail"],
        "Its status is declined: its approval was revoked already, or it was not approved."
    );

    put(&app, &ada, &path, "*", &heron("Quiet Heron")).await.expect(200);
    step(&app, &ada, &path, "submit").await.expect(200);
    let refused = revoke(&app, &mod_, &path, "Early.").await.problem(409, "design_step_refused");
    assert_eq!(
        refused["detail"],
        "Its status is submitted: it waits for a decision, so there is no approval to revoke. Claim it to decline it."
    );
    act(&app, &mod_, &path, "claim").await.expect(200);
    decide(&app, &mod_, &path, "approved", "Good.").await.expect(200);
    let events = app.get("/v1/me/events?after=0").by(&ada).answer().await.expect(200);
    let kinds: Vec<&Value> =
        events["data"].as_array().unwrap().iter().map(|event| &event["kind"]).collect();
    assert_eq!(kinds, ["design.approved", "design.declined", "design.approved"]);
    let log = app.db().value("SELECT string_agg(action, ' ' ORDER BY created_at) FROM audit_log WHERE target LIKE 'design:D-%'");
    assert_eq!(log.await, "design.approved design.approval_revoked design.approved");

    // A moderator who has read only the revision that was approved before does not revoke the approval of another one.
    let refused = revoke(&app, &mod_, &path, "Late.").await.problem(409, "design_step_refused");
    assert_eq!(
        refused["detail"],
        "The approved revision is 2, not 1: nothing was revoked. Read the design again."
    );
    assert_eq!(queue(&app, &mod_, "?status=approved").await[0]["revision"], 2);

    // A card stays a card, also while it is hidden. Its place is shown to those who see hidden cards.
    super::design_releases::release(&app, &admin, &path, &place).await.expect(201);
    let refused = revoke_revision(&app, &mod_, &path, 2, "No.").await;
    let refused = refused.problem(409, "design_step_refused");
    assert_eq!(
        refused["detail"],
        "It is the card 900 of the set veil already: its approval cannot be revoked."
    );
    let blind = without_hidden_cards(&app, &mod_).await;
    let refused = revoke_revision(&app, &blind, &path, 2, "No.").await;
    let refused = refused.problem(409, "design_step_refused");
    assert_eq!(refused["detail"], "It is a card already: its approval cannot be revoked.");
    assert_eq!(app.get(&path).by(&ada).answer().await.expect(200)["status"], "approved");
}

/// The place of a hidden card is shown with the design to moderators, unless their token does not show hidden cards. An open card is shown to everybody.
#[tokio::test]
async fn a_design_shows_its_hidden_card_only_to_those_who_see_hidden_cards() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let path = begun(&app, &ada, &heron("Lantern Heron")).await;
    super::design_releases::approve(&app, &ada, &mod_, &path).await;
    let place = json!({ "set": "veil", "number": "900" });
    super::design_releases::release(&app, &admin, &path, &place).await.expect(201);
    let blind = without_hidden_cards(&app, &mod_).await;
    let place_for = async |by: &Player| {
        let design = app.get(&path).by(by).answer().await.expect(200);
        design.get("card").map(|card| (card["set"].clone(), card["number"].clone()))
    };
    let place = Some((json!("veil"), json!("900")));
    assert_eq!(place_for(&mod_).await, place);
    assert_eq!(place_for(&blind).await, None);
    assert_eq!(place_for(&ada).await, None);
    let card = "/v1/games/ttcg/sets/veil/cards/900";
    let card = app.get(card).by(&admin).answer().await.expect(200)["id"].clone();
    let unlock = app.post(&format!("/v1/cards/{}/unlock", card.as_str().unwrap())).by(&admin);
    unlock.json(&json!({ "reason": "Launch." })).answer().await.expect(200);
    for by in [&mod_, &blind, &ada] {
        assert_eq!(place_for(by).await, place);
    }
}

/// The change feed, from which mirrors learned that a shared design was approved, reports that it is only shared again.
#[tokio::test]
async fn the_change_feed_reports_a_revoked_approval() {
    let app = app().await;
    let (mod_, admin) = (app.moderator().await, app.admin().await);
    let path = shared(&app, &mod_, &heron("Lantern Heron")).await;
    super::design_releases::approve(&app, &mod_, &admin, &path).await;
    revoke(&app, &mod_, &path, "Mine.").await.problem(409, "own_design");
    revoke(&app, &admin, &path, "Not yet.").await.expect(200);
    let kinds = "SELECT string_agg(kind, ' ' ORDER BY seq) FROM events WHERE kind LIKE 'design.%'";
    assert_eq!(app.db().value(kinds).await, "design.shared design.approved design.shared");
    assert_eq!(app.get(&path).answer().await.expect(200)["status"], "declined");
    step(&app, &mod_, &path, "withdraw").await.expect(200);
}

/// An approval can be revoked while the author is banned: if the design was shared, it reserves its name even then.
#[tokio::test]
async fn an_approval_of_a_banned_author_is_revoked() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let path = begun(&app, &ada, &heron("Lantern Heron")).await;
    super::design_releases::approve(&app, &ada, &mod_, &path).await;
    let listed = async || queue(&app, &mod_, "?status=approved").await;
    assert_eq!(listed().await[0].get("author_banned"), None);
    app.sql(&format!("UPDATE accounts SET banned_at = created_at WHERE id = '{}'", ada.id)).await;
    // Moderators find the design, and read it before they revoke its approval.
    let found = listed().await;
    let (name, is_banned) = (&found[0]["name"], &found[0]["author_banned"]);
    assert_eq!((found.len(), name, is_banned), (1, &json!("Lantern Heron"), &json!(true)));
    let read = app.get(&path).by(&mod_).answer().await.expect(200);
    assert_eq!((&read["status"], &read["revision"]), (&json!("approved"), &found[0]["revision"]));
    revoke(&app, &mod_, &path, "The author is banned.").await.expect(200);
    assert_eq!(listed().await.len(), 0);
    shared(&app, &bob, &heron("Lantern Heron")).await;
}

/// A moderator learns from the claim which hidden cards have the name, which the release would refuse. Nobody else learns anything: neither the author, nor a moderator
/// whose token does not show hidden cards, nor a reader of the audit log.
#[tokio::test]
async fn a_claim_warns_of_a_hidden_card_with_the_name() {
    let app = app().await;
    let (ada, mod_) = (app.player("ada").await, app.moderator().await);
    let blind = without_hidden_cards(&app, &mod_).await;
    let path = begun(&app, &ada, &heron("Nobody's Shad\u{43e}w")).await;
    step(&app, &ada, &path, "submit").await.expect(200);
    let free = begun(&app, &ada, &heron("Lantern Heron")).await;
    step(&app, &ada, &free, "submit").await.expect(200);
    let before = app.get(&path).by(&ada).answer().await.expect(200);
    let claimed = act(&app, &mod_, &path, "claim").await.expect(200);
    assert_eq!(claimed["hidden_namesakes"], json!([{ "set": "veil", "number": "001" }]));
    // As in the checks of the author.
    assert_eq!(claimed["check"]["name"], json!({ "available": true, "like": [] }));
    let members = |claimed: &Value| {
        let mut names: Vec<String> = claimed.as_object().unwrap().keys().cloned().collect();
        names.sort();
        names
    };
    let unnamed = act(&app, &mod_, &free, "claim").await.expect(200);
    assert_eq!(members(&unnamed), ["check", "claimed_until", "revision"]);
    let seen_by_token = act(&app, &blind, &path, "claim").await.expect(200);
    assert_eq!(members(&seen_by_token), ["check", "claimed_until", "revision"]);
    assert_eq!(seen_by_token["check"], claimed["check"]);

    // The claim changes the status of the design, and nothing else that its author reads.
    let mut expected = before.clone();
    let mut after = app.get(&path).by(&ada).answer().await.expect(200);
    assert_eq!(after["status"], "in_review");
    for design in [&mut expected, &mut after] {
        let design = design.as_object_mut().unwrap();
        design.remove("status");
        design.remove("updated_at");
    }
    assert_eq!(after, expected);
    let events = app.get("/v1/me/events?after=0").by(&ada).answer().await.expect(200);
    assert_eq!(events["data"], json!([]));
    let log = "SELECT count(*) FROM audit_log WHERE target LIKE 'design:D-%'";
    assert_eq!(app.db().value(log).await, "0");
}

/// The time at which a claim ends is one that people can read.
#[tokio::test]
async fn a_refused_claim_says_until_when_in_whole_seconds() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let path = begun(&app, &ada, &heron("Lantern Heron")).await;
    step(&app, &ada, &path, "submit").await.expect(200);
    act(&app, &mod_, &path, "claim").await.expect(200);
    let refused = act(&app, &admin, &path, "claim").await.problem(409, "design_claimed");
    let detail = refused["detail"].as_str().unwrap();
    let until = detail.trim_end_matches('.').rsplit(' ').next().unwrap();
    assert_eq!(
        (until.len(), until.ends_with('Z')),
        ("2026-11-28T19:14:41Z".len(), true),
        "{detail}"
    );
}

#[tokio::test]
async fn an_approved_design_is_not_deleted() {
    let app = app().await;
    let (ada, mod_) = (app.player("ada").await, app.moderator().await);
    let path = begun(&app, &ada, &heron("Lantern Heron")).await;
    super::design_releases::approve(&app, &ada, &mod_, &path).await;
    let delete = app.delete(&path).by(&ada).header("if-match", "*").answer().await;
    let problem = delete.problem(409, "design_step_refused");
    assert_eq!(problem["detail"], "Its status is approved: it cannot be deleted now.");
}

/// Approved designs are found although they were never shared, until they are cards; the newest approval first.
#[tokio::test]
async fn approved_designs_that_are_no_cards_yet_are_listed() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let unshared = begun(&app, &ada, &heron("Lantern Heron")).await;
    let listed = shared(&app, &ada, &heron("Quiet Heron")).await;
    for path in [&unshared, &listed] {
        super::design_releases::approve(&app, &ada, &mod_, path).await;
        app.clock().advance(chrono::Duration::minutes(1));
    }
    let bob = app.player("bob").await;
    let waiting = begun(&app, &bob, &heron("Reed Stork")).await;
    step(&app, &bob, &waiting, "submit").await.expect(200);
    let names = async |query: &str| {
        let found = queue(&app, &admin, query).await;
        found.iter().map(|design| design["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("?status=approved").await, ["Quiet Heron", "Lantern Heron"]);
    assert_eq!(names("?status=approved&game=ttcg&limit=1").await, ["Quiet Heron"]);
    assert_eq!(names("").await, ["Reed Stork"]);
    assert_eq!(names("?status=waiting").await, ["Reed Stork"]);
    let approved = queue(&app, &mod_, "?status=approved").await;
    assert!(approved[0]["approved_at"].is_string() && approved[0].get("claimed_until").is_none());
    let first = app.get("/v1/design-reviews?status=approved&limit=1").by(&mod_).answer().await;
    let cursor = first.expect(200)["next_cursor"].as_str().unwrap().to_owned();
    assert_eq!(names(&format!("?status=approved&cursor={cursor}")).await, ["Lantern Heron"]);
    // Older programs list them in the order of the reviews, with cursors that have only a review: the first page follows.
    let of_older = Cursor::at(&"00000000-0000-7000-8000-000000000001");
    let first_page = names(&format!("?status=approved&cursor={of_older}")).await;
    assert_eq!(first_page, ["Quiet Heron", "Lantern Heron"]);
    // The other list has another order.
    let of_other = app.get(&format!("/v1/design-reviews?cursor={cursor}")).by(&mod_);
    of_other.answer().await.problem(400, "invalid_cursor");
    app.get("/v1/design-reviews?status=draft")
        .by(&mod_)
        .answer()
        .await
        .problem(400, "invalid_query");

    // A hidden card is a card.
    let place = json!({ "set": "veil", "number": "900" });
    super::design_releases::release(&app, &admin, &unshared, &place).await.expect(201);
    assert_eq!(names("?status=approved").await, ["Quiet Heron"]);
    revoke(&app, &mod_, &listed, "Not yet.").await.expect(200);
    assert_eq!(names("?status=approved").await, Vec::<String>::new());
}
