//! Likes of decks: which accounts may like which decks, which likes count, and that the counts are correct.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{app, show, stored};
use crate::support::{Answer, Player, RequestExt as _, TestApp, text};

async fn like(app: &TestApp, by: &Player, deck: &str) -> Answer {
    app.put(&format!("{deck}/like")).by(by).answer().await
}

async fn unlike(app: &TestApp, by: &Player, deck: &str) -> Answer {
    app.delete(&format!("{deck}/like")).by(by).answer().await
}

/// The number of likes of a deck, as an anonymous client sees it.
async fn likes(app: &TestApp, deck: &str) -> i64 {
    app.get(deck).answer().await.expect(200)["likes"].as_i64().unwrap()
}

async fn liked(app: &TestApp, by: &Player, query: &str) -> Value {
    app.get(&format!("/v1/me/liked-decks{query}")).by(by).answer().await.expect(200)
}

fn names(page: &Value) -> Vec<String> {
    page["data"].as_array().unwrap().iter().map(|deck| text(deck, "name")).collect()
}

#[tokio::test]
async fn each_player_likes_a_deck_once_and_the_deck_shows_it() {
    let app = app().await;
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    let deck = stored(&app, &ada, "Embers", "public").await;
    let stranger = app.get(&deck).answer().await;
    let (tag, before) = (stranger.header("etag"), stranger.expect(200));
    assert_eq!((&before["likes"], before.get("liked")), (&json!(0), None));
    assert_eq!(app.get(&deck).by(&ben).answer().await.expect(200)["liked"], false);

    let first = like(&app, &ben, &deck).await.expect(200);
    assert_eq!(first["likes"], 1);
    assert_eq!(
        like(&app, &ben, &deck).await.expect(200),
        first,
        "a repeated request changes nothing"
    );
    assert_eq!(like(&app, &cem, &deck).await.expect(200)["likes"], 2);
    like(&app, &ada, &deck).await.problem(409, "own_deck");
    app.put(&format!("{deck}/like")).answer().await.problem(401, "unauthenticated");

    // A like changes the tags that readers get, and creates no revision.
    let again = app.get(&deck).header("if-none-match", tag).answer().await;
    assert_eq!(again.expect(200)["likes"], 2);
    let bens = app.get(&deck).by(&ben).answer().await;
    let bens_tag = bens.header("etag");
    assert_eq!(bens.expect(200)["liked"], true);
    let same = app.get(&deck).by(&ben).header("if-none-match", &*bens_tag).answer().await;
    assert_eq!(same.status, 304);
    let own = app.get(&deck).by(&ada).answer().await;
    let own_tag = own.header("etag");
    let own = own.expect(200);
    assert_eq!((&own["likes"], own.get("liked"), &own["revision"]), (&json!(2), None, &json!(1)));
    assert_ne!(own_tag, bens_tag);
    let body = json!({ "name": "Embers", "format": "ttcg/standard", "visibility": "public", "list": "2 Kettle Imp" });
    let put = app.put(&deck).by(&ada).header("if-match", own_tag).json(&body).answer().await;
    assert_eq!(put.expect(200)["likes"], 2);
    let listed = app.get("/v1/decks").by(&ada).answer().await.expect(200);
    assert_eq!(listed["data"][0]["likes"], 2);

    unlike(&app, &ben, &deck).await.expect(204);
    unlike(&app, &ben, &deck).await.expect(204);
    assert_eq!(likes(&app, &deck).await, 1);
    let unlike_tag = app.get(&deck).by(&ben).header("if-none-match", bens_tag).answer().await;
    assert_eq!(unlike_tag.expect(200)["liked"], false);
}

#[tokio::test]
async fn only_readers_of_a_deck_can_like_it() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let private = stored(&app, &ada, "Secret", "private").await;
    let absent = "/v1/decks/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";
    for path in [private.as_str(), absent] {
        like(&app, &ben, path).await.problem(404, "not_found");
        unlike(&app, &ben, path).await.problem(404, "not_found");
    }
    let unlisted = stored(&app, &ada, "For friends", "unlisted").await;
    let public = stored(&app, &ada, "Embers", "public").await;
    for deck in [&unlisted, &public] {
        like(&app, &ben, deck).await.expect(200);
    }
    let page = liked(&app, &ben, "?limit=1").await;
    assert_eq!(names(&page), ["Embers"]);
    let listed_deck = &page["data"][0];
    assert_eq!((&listed_deck["author"], &listed_deck["likes"]), (&json!("ada"), &json!(1)));
    assert!(listed_deck["liked_at"].is_string() && listed_deck["published_at"].is_string());
    let rest = liked(&app, &ben, &format!("?cursor={}", text(&page, "next_cursor"))).await;
    assert_eq!(names(&rest), ["For friends"]);
    // An unlisted deck does not show its author.
    for member in ["published_at", "author", "account_id"] {
        assert_eq!(rest["data"][0].get(member), None, "{member}: {rest:#}");
    }
    assert_eq!(names(&liked(&app, &ada, "").await), [] as [&str; 0]);
    let wrong = app.get("/v1/me/liked-decks?cursor=x").by(&ben).answer().await;
    wrong.problem(400, "invalid_cursor");

    // A deck that the player can no longer read is not listed. The player can remove the like, and a deck that is readable again has its other likes.
    show(&app, &ada, &public, "private").await;
    show(&app, &ada, &unlisted, "private").await;
    assert_eq!(names(&liked(&app, &ben, "").await), [] as [&str; 0]);
    like(&app, &ben, &public).await.problem(404, "not_found");
    unlike(&app, &ben, &unlisted).await.expect(204);
    unlike(&app, &ben, &unlisted).await.problem(404, "not_found");
    show(&app, &ada, &public, "public").await;
    show(&app, &ada, &unlisted, "unlisted").await;
    assert_eq!((likes(&app, &public).await, likes(&app, &unlisted).await), (1, 0));
    app.delete(&public).by(&ada).header("if-match", "*").answer().await.expect(204);
    like(&app, &ben, &public).await.problem(404, "not_found");
    assert_eq!(names(&liked(&app, &ben, "").await), [] as [&str; 0]);
    app.post(&format!("{public}/undelete")).by(&ada).answer().await.expect(200);
    assert_eq!(names(&liked(&app, &ben, "").await), ["Embers"]);
}

#[tokio::test]
async fn likes_of_banned_and_blocked_accounts_do_not_count() {
    let app = app().await;
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    let admin = app.admin().await;
    let (deck, other) =
        (stored(&app, &ada, "Embers", "public").await, stored(&app, &cem, "Bones", "public").await);
    like(&app, &ben, &deck).await.expect(200);
    like(&app, &cem, &deck).await.expect(200);
    like(&app, &ben, &other).await.expect(200);
    let ban = async |banned: bool| {
        let change = app.patch(&format!("/v1/accounts/{}", ben.id)).by(&admin);
        change.json(&json!({ "banned": banned })).answer().await.expect(200);
    };
    let block = format!("/v1/me/blocks/{}", ben.id);
    app.put(&block).by(&ada).answer().await.expect(204);
    assert_eq!((likes(&app, &deck).await, likes(&app, &other).await), (1, 1));
    // The answer to the blocked player does not reveal the block.
    assert_eq!(app.get(&deck).by(&ben).answer().await.expect(200)["liked"], true);
    unlike(&app, &ben, &deck).await.expect(204);
    assert_eq!(like(&app, &ben, &deck).await.expect(200)["likes"], 1);
    ban(true).await;
    assert_eq!((likes(&app, &deck).await, likes(&app, &other).await), (1, 0));
    // The end of a ban does not end a block, and the end of a block does not end a ban.
    ban(false).await;
    assert_eq!((likes(&app, &deck).await, likes(&app, &other).await), (1, 1));
    ban(true).await;
    app.delete(&block).by(&ada).answer().await.expect(204);
    assert_eq!(likes(&app, &deck).await, 1);
    ban(false).await;
    assert_eq!(likes(&app, &deck).await, 2);
}

/// Each account sends many requests at the same time to two instances, during edits of the owner, blocks and a ban.
#[tokio::test]
async fn parallel_likes_of_one_account_count_once() {
    let app = app().await;
    let other = app.second_instance();
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let mut crowd = Vec::new();
    for number in 0..5 {
        crowd.push(app.player_owned(format!("player {number}")).await);
    }
    let deck = stored(&app, &ada, "Embers", "public").await;
    let work = crowd.iter().enumerate().map(|(place, player)| {
        let (app, other, deck) = (&app, &other, &deck);
        async move {
            let all = (0..6).map(|round| async move {
                let app = if round % 2 == 0 { app } else { other };
                let answer = match (place, round) {
                    (0, 5) => unlike(app, player, deck).await,
                    _ => like(app, player, deck).await,
                };
                // One of the accounts is banned meanwhile.
                assert!([200, 204, 401].contains(&answer.status), "{}", answer.text());
            });
            join_all(all).await;
        }
    });
    let edits = async {
        for _ in 0..3 {
            show(&app, &ada, &deck, "public").await;
        }
    };
    let blocks = async {
        let block = format!("/v1/me/blocks/{}", crowd[1].id);
        for _ in 0..3 {
            other.put(&block).by(&ada).answer().await.expect(204);
            app.delete(&block).by(&ada).answer().await.expect(204);
        }
        app.put(&block).by(&ada).answer().await.expect(204);
    };
    let ban = async {
        let change = other.patch(&format!("/v1/accounts/{}", crowd[2].id)).by(&admin);
        change.json(&json!({ "banned": true })).answer().await.expect(200);
    };
    tokio::join!(join_all(work), edits, blocks, ban);
    let counted = "SELECT count(*) FROM deck_likes l JOIN accounts a ON a.id = l.account_id JOIN decks d ON d.id = l.deck_id \
                   WHERE a.banned_at IS NULL AND NOT EXISTS (SELECT FROM account_blocks b WHERE b.account_id = d.account_id AND b.blocked_id = a.id)";
    let counted = app.db().number(counted).await;
    assert!((2..=3).contains(&counted), "{counted}");
    assert_eq!(likes(&app, &deck).await, counted);
}

#[tokio::test]
async fn new_accounts_have_a_daily_limit_of_likes() {
    let app = app().await;
    // No day ends during the test: the clock is at the beginning of an hour.
    app.begin_window();
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let deck = stored(&app, &ada, "Embers", "public").await;
    for _ in 0..30 {
        like(&app, &ben, &deck).await.expect(200);
        // A repeated like does not count against the limit.
        like(&app, &ben, &deck).await.expect(200);
        unlike(&app, &ben, &deck).await.expect(204);
    }
    let refused = like(&app, &ben, &deck).await.problem(429, "daily_limit_reached");
    assert_eq!(refused["limit"], "likes");
}

#[tokio::test]
async fn likes_are_corrected_after_blocks_of_an_older_release() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let deck = stored(&app, &ada, "Embers", "public").await;
    like(&app, &ben, &deck).await.expect(200);
    let block = format!("/v1/me/blocks/{}", ben.id);
    let pair = format!("'{}', '{}'", ada.id, ben.id);
    app.sql(&format!(
        "INSERT INTO account_blocks (account_id, blocked_id, created_at) VALUES ({pair}, now())"
    ))
    .await;
    assert_eq!(likes(&app, &deck).await, 1);
    app.put(&block).by(&ada).answer().await.expect(204);
    assert_eq!(likes(&app, &deck).await, 0);
    app.sql(&format!("DELETE FROM account_blocks WHERE (account_id, blocked_id) = ({pair})")).await;
    assert_eq!(likes(&app, &deck).await, 0);
    app.put(&block).by(&ada).answer().await.expect(204);
    app.delete(&block).by(&ada).answer().await.expect(204);
    assert_eq!(likes(&app, &deck).await, 1);
}
