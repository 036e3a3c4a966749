//! Suggested changes: two accounts see a suggestion, it is taken once, and the credit stays with the design.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{app, begun, changed, heron, put, shared, step, uploaded};
use crate::support::{Answer, Player, RequestExt as _, TestApp, text};

async fn suggest(
    app: &TestApp,
    by: &Player,
    design: &str,
    revision: i64,
    content: &Value,
) -> Answer {
    let body = json!({ "revision": revision, "message": "Like this?", "design": content });
    app.post(&format!("{design}/suggestions")).by(by).json(&body).answer().await
}

/// Creates a suggestion and returns its path.
async fn suggested(
    app: &TestApp,
    by: &Player,
    design: &str,
    revision: i64,
    content: &Value,
) -> String {
    let answer = suggest(app, by, design, revision, content).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.header("location")
}

async fn take(app: &TestApp, by: &Player, suggestion: &str, tag: &str) -> Answer {
    app.post(&format!("{suggestion}/take")).by(by).header("if-match", tag).answer().await
}

/// The valid design with another attack.
fn with_attack(name: &str, attack: i64) -> Value {
    let mut design = heron(name);
    design["attributes"]["attack"] = attack.into();
    design
}

#[tokio::test]
async fn a_taken_suggestion_becomes_a_credited_revision() {
    let app = app().await;
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let wanted = changed(with_attack("Lantern Heron", 250), &json!({ "licence": "cc0-1.0" }));
    let created = suggest(&app, &ben, &design, 1, &wanted).await;
    let path = created.header("location");
    let created = created.expect(201);
    assert_eq!(path, format!("{design}/suggestions/{}", text(&created, "id")));
    let difference = json!([{ "member": "/attributes/attack", "before": 200, "after": 250 }]);
    assert_eq!(created["differences"], difference, "the licence is for the author to choose");
    assert_eq!((&created["state"], &created["suggested_by"]), (&json!("open"), &json!("ben")));
    assert_eq!(created["design"]["licence"], "release-1");

    // Only the author of the design and the author of the suggestion see it.
    for player in [&ada, &ben] {
        assert_eq!(app.get(&path).by(player).answer().await.expect(200), created);
        let list = app.get(&format!("{design}/suggestions")).by(player).answer().await.expect(200);
        assert_eq!(list["data"][0]["message"], "Like this?");
    }
    app.get(&path).by(&cem).answer().await.problem(404, "not_found");
    let list = app.get(&format!("{design}/suggestions")).by(&cem).answer().await.expect(200);
    assert_eq!(list["data"], json!([]));
    for step in ["take", "decline", "withdraw"] {
        let request = app.post(&format!("{path}/{step}")).by(&cem).header("if-match", "*");
        request.answer().await.problem(404, "not_found");
    }
    take(&app, &ben, &path, "*").await.problem(404, "not_found");

    app.post(&format!("{path}/take")).by(&ada).answer().await.problem(428, "precondition_required");
    take(&app, &ada, &path, "\"r1\"").await.problem(412, "precondition_failed");
    let taken = take(&app, &ada, &path, "\"r2\"").await;
    // The credit is no part of the version; the next read has the same tag.
    let tag = taken.header("etag");
    assert!(tag.starts_with("\"r3+"), "{tag}");
    assert_eq!(app.get(&design).by(&ada).answer().await.header("etag"), tag);
    let taken = taken.expect(200);
    assert_eq!((&taken["revision"], &taken["attributes"]["attack"]), (&json!(2), &json!(250)));
    assert_eq!(taken["licence"], "release-1");
    let credits = json!([{ "account_id": ben.id, "name": "ben" }]);
    assert_eq!(taken["contributors"], credits);
    take(&app, &ada, &path, "\"r3\"").await.problem(409, "suggestion_closed");
    let after = app.get(&path).by(&ben).answer().await.expect(200);
    assert_eq!((&after["state"], &after["taken_as"]), (&json!("taken"), &json!(2)));
    app.post(&format!("{path}/withdraw")).by(&ben).answer().await.problem(409, "suggestion_closed");

    // The credit stays with the design, and with the revision of the suggestion.
    put(&app, &ada, &design, "*", &with_attack("Lantern Heron", 220)).await.expect(200);
    assert_eq!(app.get(&design).answer().await.expect(200)["contributors"], credits);
    let revisions = app.get(&format!("{design}/revisions")).by(&ada).answer().await.expect(200);
    let by: Vec<Option<&Value>> =
        revisions["data"].as_array().unwrap().iter().map(|row| row.get("credited_to")).collect();
    assert_eq!(by, [None, Some(&json!("ben")), None]);
    let second = app.get(&format!("{design}/revisions/2")).by(&ada).answer().await.expect(200);
    assert_eq!(second["credited_to"], "ben");
}

#[tokio::test]
async fn a_suggestion_for_an_older_revision_is_taken_if_it_still_applies() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let stronger = suggested(&app, &ben, &design, 1, &with_attack("Lantern Heron", 250)).await;
    let renamed = suggested(&app, &ben, &design, 1, &heron("Reed Heron")).await;
    let flavoured = changed(heron("Lantern Egret"), &json!({ "flavour": "It waits." }));
    put(&app, &ada, &design, "*", &flavoured).await.expect(200);
    suggest(&app, &ben, &design, 1, &heron("Old Heron")).await.problem(409, "suggestion_outdated");

    let problem = take(&app, &ada, &renamed, "*").await.problem(409, "suggestion_outdated");
    assert_eq!(problem["errors"][0]["pointer"], "/name");
    let taken = take(&app, &ada, &stronger, "*").await.expect(200);
    let members = ["name", "flavour"].map(|member| taken[member].clone());
    assert_eq!(members, ["Lantern Egret", "It waits."].map(Value::from));
    assert_eq!((&taken["attributes"]["attack"], &taken["revision"]), (&json!(250), &json!(3)));

    // A change that the author has already made gives no credit.
    let late = suggested(
        &app,
        &ben,
        &design,
        3,
        &changed(with_attack("Lantern Egret", 260), &json!({ "flavour": "It waits." })),
    )
    .await;
    let same = changed(with_attack("Lantern Egret", 260), &json!({ "flavour": "It waits." }));
    put(&app, &ada, &design, "*", &same).await.expect(200);
    take(&app, &ada, &late, "*").await.problem(409, "suggestion_outdated");
    assert_eq!(app.get(&late).by(&ben).answer().await.expect(200)["state"], "open");
}

/// A suggestion and the author's later changes are each within the limits of a design, but not both together.
#[tokio::test]
async fn a_suggestion_is_not_taken_if_the_design_would_be_too_large() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let with_more = |code: &str, count: usize, value: &str| {
        let mut design = heron("Lantern Heron");
        for number in 0..count {
            design["attributes"][format!("{code}{number}")] = value.into();
        }
        design
    };
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let many = suggested(&app, &ben, &design, 1, &with_more("many", 50, "x")).await;
    let long = "水 ".repeat(249);
    let large = suggested(&app, &ben, &design, 1, &with_more("large", 20, &long)).await;
    put(&app, &ada, &design, "*", &with_more("own", 20, &long)).await.expect(200);
    for (suggestion, pointer) in [(&many, "/attributes"), (&large, "")] {
        let problem = take(&app, &ada, suggestion, "*").await.problem(409, "suggestion_outdated");
        assert_eq!(problem["errors"][0]["pointer"], pointer);
    }
    assert_eq!(app.get(&design).answer().await.expect(200)["revision"], 2);
}

/// The artwork of the design is part of a suggestion, and counts towards its size.
#[tokio::test]
async fn a_suggestion_that_is_too_large_with_the_artwork_of_the_design_is_refused() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let long = "水 ".repeat(249);
    let artwork = json!({ "id": uploaded(&app, &ada, 1).await, "alt": long });
    let pictured = changed(heron("Lantern Heron"), &json!({ "artwork": artwork }));
    let with_artwork = shared(&app, &ada, &pictured).await;
    let without = shared(&app, &ada, &heron("Reed Heron")).await;
    let mut large = heron("Pond Heron");
    for number in 0..31 {
        large["attributes"][format!("large{number}")] = long.as_str().into();
    }
    large["attributes"]["rest"] = "水 ".repeat(120).into();
    let refused = suggest(&app, &ben, &with_artwork, 1, &large).await;
    assert_eq!(refused.problem(422, "invalid_body")["errors"][0]["pointer"], "/design");
    suggested(&app, &ben, &without, 1, &large).await;
    let counted = "SELECT count FROM daily_counts WHERE activity = 'suggest_change'";
    assert_eq!(app.db().number(counted).await, 1);
}

#[tokio::test]
async fn suggestions_are_declined_and_withdrawn() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let first = suggested(&app, &ben, &design, 1, &with_attack("Lantern Heron", 250)).await;
    let second = suggested(&app, &ben, &design, 1, &with_attack("Lantern Heron", 260)).await;
    for _ in 0..2 {
        let declined = app.post(&format!("{first}/decline")).by(&ada).answer().await.expect(200);
        assert_eq!(declined["state"], "declined");
        let withdrawn = app.post(&format!("{second}/withdraw")).by(&ben).answer().await.expect(200);
        assert_eq!(withdrawn["state"], "withdrawn");
    }
    let problem = take(&app, &ada, &first, "*").await.problem(409, "suggestion_closed");
    assert!(problem["detail"].as_str().unwrap().contains("declined"), "{problem}");
    take(&app, &ada, &second, "*").await.problem(409, "suggestion_closed");
    app.post(&format!("{second}/decline"))
        .by(&ada)
        .answer()
        .await
        .problem(409, "suggestion_closed");
    assert_eq!(app.get(&design).answer().await.expect(200)["revision"], 1);

    // The newest suggestions come first, page by page.
    let page =
        app.get(&format!("{design}/suggestions?limit=1")).by(&ada).answer().await.expect(200);
    assert!(second.ends_with(&text(&page["data"][0], "id")));
    let next = format!("{design}/suggestions?limit=1&cursor={}", text(&page, "next_cursor"));
    let page = app.get(&next).by(&ada).answer().await.expect(200);
    assert!(first.ends_with(&text(&page["data"][0], "id")));
    assert_eq!(page.get("next_cursor"), None);
}

#[tokio::test]
async fn invalid_suggestions_are_refused_with_every_fault() {
    let app = app().await;
    // A full hour is left, so that the day does not end during the test.
    app.begin_window();
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let other = heron("Reed Heron");
    suggest(&app, &ada, &design, 1, &other).await.problem(409, "own_design");
    for revision in [2, i64::MAX] {
        suggest(&app, &ben, &design, revision, &other).await.problem(409, "suggestion_outdated");
    }
    // Revisions start at 1.
    for revision in [0, -1] {
        let refused = suggest(&app, &ben, &design, revision, &other).await;
        let refused = refused.problem(422, "invalid_body");
        let fault = &refused["errors"][0];
        let wanted = format!("must be at least 1, not {revision}");
        assert_eq!((&fault["pointer"], &fault["detail"]), (&json!("/revision"), &json!(wanted)));
    }
    let draft = begun(&app, &ada, &heron("Crane")).await;
    suggest(&app, &ben, &draft, 1, &other).await.problem(404, "not_found");
    app.get(&format!("{draft}/suggestions")).by(&ben).answer().await.problem(404, "not_found");
    let same = suggest(
        &app,
        &ben,
        &design,
        1,
        &changed(heron("Lantern Heron"), &json!({ "licence": "none" })),
    )
    .await;
    assert_eq!(same.problem(422, "invalid_body")["errors"][0]["pointer"], "/design");
    let elsewhere =
        json!({ "game": "none", "name": "a\u{7}b", "kind": "unit", "flavour": "\u{202e}x" });
    let body = json!({ "revision": 1, "message": " ", "design": elsewhere });
    let problem = app.post(&format!("{design}/suggestions")).by(&ben).json(&body).answer().await;
    let problem = problem.problem(422, "invalid_body");
    let faults = problem["errors"].as_array().unwrap();
    let pointers: Vec<&Value> = faults.iter().map(|fault| &fault["pointer"]).collect();
    assert_eq!(pointers, ["/message", "/design/game", "/design/name", "/design/flavour"]);
    app.seed(&["uno-emoji"]).await;
    let foreign = changed(other.clone(), &json!({ "game": "uno-emoji" }));
    let problem = suggest(&app, &ben, &design, 1, &foreign).await.problem(422, "invalid_body");
    assert_eq!(problem["errors"][0]["pointer"], "/design/game");

    // A new account may send five suggestions on a day.
    for attack in 0..5 {
        suggested(&app, &ben, &design, 1, &with_attack("Lantern Heron", 150 + attack)).await;
    }
    let refused = suggest(&app, &ben, &design, 1, &other).await.problem(429, "daily_limit_reached");
    assert_eq!(refused["limit"], "suggestions");

    // A submitted design cannot be changed, not even by a suggestion.
    let list = app.get(&format!("{design}/suggestions")).by(&ada).answer().await.expect(200);
    let path = format!("{design}/suggestions/{}", text(&list["data"][0], "id"));
    step(&app, &ada, &design, "submit").await.expect(200);
    take(&app, &ada, &path, "*").await.problem(409, "design_step_refused");
    assert_eq!(app.get(&path).by(&ada).answer().await.expect(200)["state"], "open");
}

#[tokio::test]
async fn suggestions_of_banned_accounts_are_hidden_from_the_author() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let admin = app.admin().await;
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let taken = suggested(&app, &ben, &design, 1, &with_attack("Lantern Heron", 250)).await;
    take(&app, &ada, &taken, "*").await.expect(200);
    let open = suggested(&app, &ben, &design, 2, &with_attack("Lantern Heron", 260)).await;
    let change = app.patch(&format!("/v1/accounts/{}", ben.id)).by(&admin);
    change.json(&json!({ "banned": true })).answer().await.expect(200);
    app.get(&open).by(&ada).answer().await.problem(404, "not_found");
    take(&app, &ada, &open, "*").await.problem(404, "not_found");
    app.post(&format!("{open}/decline")).by(&ada).answer().await.problem(404, "not_found");
    assert_eq!(app.get(&design).answer().await.expect(200).get("contributors"), None);
    for path in [format!("{design}/revisions/2"), format!("{design}/revisions")] {
        let seen = app.get(&path).by(&ada).answer().await.expect(200);
        assert!(!seen.to_string().contains("credited_to"), "{seen}");
    }
}

/// While nobody sees a design, its suggestions are not found, and stay as they are.
#[tokio::test]
async fn suggestions_for_a_hidden_design_are_not_withdrawn() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let path = suggested(&app, &ben, &design, 1, &with_attack("Lantern Heron", 250)).await;
    let withdraw = async || app.post(&format!("{path}/withdraw")).by(&ben).answer().await;
    for (hide, show) in [
        (
            "UPDATE designs SET status = 'withdrawn', taken_down_at = now(), taken_down_from = 'shared', takedown_note = 'No.'",
            "UPDATE designs SET status = 'shared', taken_down_at = NULL, taken_down_from = NULL, takedown_note = NULL",
        ),
        (
            "UPDATE accounts SET banned_at = now() WHERE name = 'ada'",
            "UPDATE accounts SET banned_at = NULL",
        ),
    ] {
        app.sql(hide).await;
        withdraw().await.problem(404, "not_found");
        app.sql(show).await;
        assert_eq!(app.get(&path).by(&ben).answer().await.expect(200)["state"], "open");
    }
    assert_eq!(withdraw().await.expect(200)["state"], "withdrawn");
}

/// A card is not changed by its designer any more, so nobody can take such a suggestion.
#[tokio::test]
async fn official_designs_accept_no_suggestions() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    app.sql("UPDATE designs SET status = 'official'").await;
    let refused = suggest(&app, &ben, &design, 1, &with_attack("Lantern Heron", 250)).await;
    let refused = refused.problem(409, "design_step_refused");
    assert!(refused["detail"].as_str().unwrap().contains("official"), "{refused}");
    assert_eq!(
        app.db()
            .number("SELECT count(*) FROM daily_counts WHERE activity = 'suggest_change'")
            .await,
        0
    );
}

/// Two takes and an edit of the same version run at the same time on two instances. Exactly one of them writes a revision.
#[tokio::test]
async fn a_take_that_races_an_edit_writes_one_revision() {
    let app = app().await;
    let other = app.second_instance();
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    for round in 1..=4 {
        let seen = app.get(&design).by(&ada).answer().await;
        let tag = seen.header("etag");
        let seen = seen.expect(200);
        let attack = seen["attributes"]["attack"].as_i64().unwrap();
        app.sql("DELETE FROM daily_counts").await;
        let mut paths = Vec::new();
        for more in 1..=2 {
            let wanted = with_attack("Lantern Heron", attack + more);
            paths.push(suggested(&app, &ben, &design, round, &wanted).await);
        }
        let takes = paths
            .iter()
            .enumerate()
            .map(|(place, path)| take(if place == 0 { &app } else { &other }, &ada, path, &tag));
        let edited = with_attack("Lantern Heron", attack + 3);
        let edit = put(&other, &ada, &design, &tag, &edited);
        let (taken, edited) = tokio::join!(join_all(takes), edit);
        let statuses: Vec<u16> =
            taken.iter().chain([&edited]).map(|answer| answer.status).collect();
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert!(statuses.iter().all(|status| [200, 412].contains(status)), "{statuses:?}");
        assert_eq!(app.get(&design).answer().await.expect(200)["revision"], round + 1);
        let taken = "SELECT count(*) FROM suggested_changes WHERE state = 'taken'";
        let credited = "SELECT count(*) FROM design_revisions WHERE credited_to IS NOT NULL";
        assert_eq!(app.db().number(taken).await, app.db().number(credited).await);
    }
}
