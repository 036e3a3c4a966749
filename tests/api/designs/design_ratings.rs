//! Ratings of designs: one rating of each account counts, once the account is old enough, and while the account is not banned.

use cardscape::store::designs::design_ratings::count_due;
use chrono::Duration;
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{app, begun, contributed, heron, put, shared, step};
use crate::support::{Answer, Player, RequestExt as _, TestApp};

async fn rate(app: &TestApp, by: &Player, design: &str, scores: [i32; 4]) -> Answer {
    let [fun, balance, flavour, clarity] = scores;
    let body = json!({ "fun": fun, "balance": balance, "flavour": flavour, "clarity": clarity });
    app.put(&format!("{design}/rating")).by(by).json(&body).answer().await
}

async fn ratings(app: &TestApp, design: &str) -> Value {
    app.get(&format!("{design}/ratings")).answer().await.expect(200)
}

/// The number of counted ratings and their result, which must be the same for the design, in the gallery and in the ratings.
async fn shown(app: &TestApp, design: &str) -> (Value, Value) {
    let seen = app.get(design).answer().await.expect(200);
    let result = (seen["rating_count"].clone(), seen["rating"].clone());
    let all = app.get("/v1/designs").answer().await.expect(200);
    let row = all["data"].as_array().unwrap().iter().find(|row| row["id"] == seen["id"]).unwrap();
    assert_eq!(result, (row["rating_count"].clone(), row["rating"].clone()));
    let ratings = ratings(app, design).await;
    assert_eq!(result, (ratings["rating_count"].clone(), ratings["rating"].clone()));
    result
}

/// Makes all accounts old enough for their ratings to count.
async fn age(app: &TestApp) {
    app.sql("UPDATE accounts SET created_at = created_at - interval '9 days'").await;
}

#[tokio::test]
async fn one_rating_of_each_account_counts() {
    let app = app().await;
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    age(&app).await;
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let own = format!("{design}/rating");
    assert_eq!(shown(&app, &design).await, (json!(0), json!(3.0)));
    let nothing = json!({ "rating_count": 0, "rating": 3.0, "revisions": [] });
    assert_eq!(ratings(&app, &design).await, nothing);
    app.get(&own).by(&ben).answer().await.problem(404, "not_found");

    let given = rate(&app, &ben, &design, [5, 5, 5, 5]).await.expect(200);
    assert_eq!((&given["revision"], &given["fun"]), (&json!(1), &json!(5)));
    // As if five more players had given three points for everything: (60 + 20) / (4 × 6).
    assert_eq!(shown(&app, &design).await, (json!(1), json!(3.33)));
    rate(&app, &cem, &design, [1, 2, 3, 4]).await.expect(200);
    let result = ratings(&app, &design).await;
    assert_eq!(
        result["means"],
        json!({ "rating_count": 2, "fun": 3.0, "balance": 3.5, "flavour": 4.0, "clarity": 4.5 })
    );
    // A second rating of an account replaces the first one.
    rate(&app, &ben, &design, [1, 1, 1, 1]).await.expect(200);
    assert_eq!(ratings(&app, &design).await["means"]["rating_count"], 2);
    assert_eq!(app.get(&own).by(&ben).answer().await.expect(200)["clarity"], 1);

    // After a new revision, the old rating counts until the account rates again.
    put(&app, &ada, &design, "*", &heron("Lantern Crane")).await.expect(200);
    assert_eq!(shown(&app, &design).await.0, 2);
    rate(&app, &ben, &design, [5, 5, 5, 5]).await.expect(200);
    let result = ratings(&app, &design).await;
    let by_revision: Vec<(&Value, &Value, &Value)> = result["revisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (&row["revision"], &row["rating_count"], &row["fun"]))
        .collect();
    let (two, one) = ((&json!(2), &json!(1), &json!(5.0)), (&json!(1), &json!(1), &json!(1.0)));
    assert_eq!(by_revision, [two, one]);
    assert_eq!(app.db().number("SELECT count(*) FROM design_ratings").await, 3);

    app.delete(&own).by(&ben).answer().await.expect(204);
    app.delete(&own).by(&ben).answer().await.problem(404, "not_found");
    assert_eq!(shown(&app, &design).await.0, 1);
    assert_eq!(ratings(&app, &design).await["revisions"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn own_designs_and_unlisted_designs_cannot_be_rated() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    age(&app).await;
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    rate(&app, &ada, &design, [5; 4]).await.problem(409, "own_design");
    let draft = begun(&app, &ada, &heron("Reed Heron")).await;
    rate(&app, &ben, &draft, [5; 4]).await.problem(404, "not_found");
    app.get(&format!("{draft}/ratings")).answer().await.problem(404, "not_found");
    rate(&app, &ben, &design, [5; 4]).await.expect(200);
    step(&app, &ada, &design, "withdraw").await.expect(200);
    rate(&app, &ben, &design, [1; 4]).await.problem(404, "not_found");
    app.get(&format!("{design}/ratings")).answer().await.problem(404, "not_found");
    app.get(&format!("{design}/rating")).by(&ben).answer().await.problem(404, "not_found");
    let problem = rate(&app, &ben, &design, [0, 6, 3, -1]).await.problem(422, "invalid_body");
    let faults = problem["errors"].as_array().unwrap();
    let pointers: Vec<&Value> = faults.iter().map(|fault| &fault["pointer"]).collect();
    assert_eq!(pointers, ["/fun", "/balance", "/clarity"]);
    let part = json!({ "fun": 5 });
    let part = app.put(&format!("{design}/rating")).by(&ben).json(&part).answer().await;
    assert_eq!(part.problem(422, "invalid_body")["errors"].as_array().unwrap().len(), 3);
    // A rating can be deleted although the design is no longer shown.
    app.delete(&format!("{design}/rating")).by(&ben).answer().await.expect(204);
}

#[tokio::test]
async fn contributors_cannot_rate_the_design() {
    let app = app().await;
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    age(&app).await;
    let design = contributed(&app, &ada, &ben, "Lantern Heron").await;
    rate(&app, &ben, &design, [5; 4]).await.problem(409, "own_design");
    rate(&app, &cem, &design, [5; 4]).await.expect(200);
    assert_eq!(ratings(&app, &design).await["revisions"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn ratings_count_once_the_account_is_old_enough() {
    let app = app().await;
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let given = rate(&app, &ben, &design, [5; 4]).await.expect(200);
    rate(&app, &cem, &design, [5; 4]).await.expect(200);
    assert!(given["counts_from"].as_str().unwrap() > given["rated_at"].as_str().unwrap());
    assert_eq!(shown(&app, &design).await.0, 0);
    let due = async || count_due(app.store(), app.clock().now()).await.unwrap();
    app.clock().advance(Duration::hours(71));
    assert_eq!(due().await, 0);
    assert_eq!(shown(&app, &design).await.0, 0);
    let cem = app.log_in("cem", &cem.password).await;
    app.delete(&format!("{design}/rating")).by(&cem).answer().await.expect(204);
    app.clock().advance(Duration::hours(2));
    let other = app.second_instance();
    let both = tokio::join!(due(), count_due(other.store(), app.clock().now()));
    assert_eq!(both.0 + both.1.unwrap(), 1);
    assert_eq!(due().await, 0);
    assert_eq!(shown(&app, &design).await, (json!(1), json!(3.33)));
}

#[tokio::test]
async fn ratings_of_banned_accounts_count_again_after_the_ban() {
    let app = app().await;
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    let admin = app.admin().await;
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    app.sql("UPDATE accounts SET created_at = created_at - interval '9 days' WHERE name <> 'cem'")
        .await;
    rate(&app, &ben, &design, [1; 4]).await.expect(200);
    put(&app, &ada, &design, "*", &heron("Lantern Crane")).await.expect(200);
    rate(&app, &ben, &design, [5; 4]).await.expect(200);
    rate(&app, &cem, &design, [5; 4]).await.expect(200);
    let ban = async |player: &Player, banned: bool| {
        let change = app.patch(&format!("/v1/accounts/{}", player.id)).by(&admin);
        change.json(&json!({ "banned": banned })).answer().await.expect(200);
    };
    for player in [&ben, &cem] {
        ban(player, true).await;
    }
    assert_eq!(shown(&app, &design).await, (json!(0), json!(3.0)));
    // The ratings of a banned account do not count either when the account becomes old enough.
    let later = app.clock().now() + Duration::days(9);
    assert_eq!(count_due(app.store(), later).await.unwrap(), 0);
    for player in [&ben, &cem] {
        ban(player, false).await;
    }
    assert_eq!(shown(&app, &design).await, (json!(1), json!(3.33)));
    assert_eq!(count_due(app.store(), later).await.unwrap(), 1);
    assert_eq!(shown(&app, &design).await.0, 2);
}

/// Each account sends many requests at the same time to two instances, during the counting job and edits of the author.
#[tokio::test]
async fn parallel_ratings_of_one_account_count_once() {
    let app = app().await;
    let other = app.second_instance();
    let ada = app.player("ada").await;
    let mut crowd = Vec::new();
    for number in 0..4 {
        crowd.push(app.player_owned(format!("player {number}")).await);
    }
    app.sql(
        "UPDATE accounts SET created_at = created_at - interval '9 days' WHERE name <> 'player 3'",
    )
    .await;
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let work = crowd.iter().enumerate().flat_map(|(place, player)| {
        let (app, other, design) = (&app, &other, &design);
        (1..=5).map(move |points| async move {
            let app = if points % 2 == 0 { app } else { other };
            rate(app, player, design, [points, 3, 3, 1 + i32::try_from(place).unwrap()])
                .await
                .expect(200);
        })
    });
    let later = app.clock().now() + Duration::days(9);
    let edits = async {
        for name in ["Lantern Crane", "Lantern Egret"] {
            put(&app, &ada, &design, "*", &heron(name)).await.expect(200);
            count_due(other.store(), later).await.unwrap();
        }
    };
    tokio::join!(join_all(work), edits);
    count_due(app.store(), later).await.unwrap();
    assert_eq!(shown(&app, &design).await.0, 4);
    let points =
        "SELECT sum(fun + balance + flavour + clarity)::bigint FROM design_ratings WHERE counted";
    assert_eq!(
        app.db().number("SELECT rating_points FROM designs").await,
        app.db().number(points).await
    );
    let sums = "SELECT sum(fun + balance + flavour + clarity)::bigint FROM design_rating_sums";
    assert_eq!(app.db().number(sums).await, app.db().number(points).await);
}

#[tokio::test]
async fn new_accounts_have_a_daily_limit_of_ratings() {
    let app = app().await;
    // A full hour is left, so that the day does not end during the test.
    app.begin_window();
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    for _ in 0..30 {
        rate(&app, &ben, &design, [5; 4]).await.expect(200);
    }
    let refused = rate(&app, &ben, &design, [5; 4]).await.problem(429, "daily_limit_reached");
    assert_eq!(refused["limit"], "ratings");
    // A rating can also be deleted after the limit is reached.
    app.delete(&format!("{design}/rating")).by(&ben).answer().await.expect(204);
}
