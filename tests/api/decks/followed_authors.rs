//! Followed authors, their followers and their new decks.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{app, show, stored};
use crate::support::{Answer, Player, RequestExt as _, TestApp, text};

async fn follow(app: &TestApp, by: &Player, author: &str) -> Answer {
    app.put(&format!("/v1/authors/{author}/follow")).by(by).answer().await
}

async fn unfollow(app: &TestApp, by: &Player, author: &str) -> Answer {
    app.delete(&format!("/v1/authors/{author}/follow")).by(by).answer().await
}

async fn author(app: &TestApp, name: &str) -> Value {
    app.get(&format!("/v1/authors/{name}")).answer().await.expect(200)
}

/// The names of the items of a page.
async fn names(app: &TestApp, by: &Player, path: &str) -> Vec<String> {
    let page = app.get(path).by(by).answer().await.expect(200);
    page["data"].as_array().unwrap().iter().map(|one| text(one, "name")).collect()
}

const NEW: &str = "/v1/me/followed-decks";

#[tokio::test]
async fn accounts_with_public_decks_are_authors() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    stored(&app, &ada, "Secret", "private").await;
    stored(&app, &ada, "For friends", "unlisted").await;
    for path in [
        "/v1/authors/ada",
        "/v1/authors/ada/decks",
        "/v1/authors/nobody/decks",
        "/v1/authors/%00/decks",
    ] {
        app.get(path).answer().await.problem(404, "not_found");
    }
    for name in ["ada", "nobody", "%00"] {
        follow(&app, &ben, name).await.problem(404, "not_found");
        unfollow(&app, &ben, name).await.problem(404, "not_found");
    }
    let first = stored(&app, &ada, "Embers", "public").await;
    stored(&app, &ada, "Bones", "public").await;
    let page = author(&app, "ADA").await;
    assert_eq!(
        (&page["name"], &page["designs"], &page["decks"], &page["followers"], &page["account_id"]),
        (&json!("ada"), &json!(0), &json!(2), &json!(0), &json!(ada.id))
    );
    let seen = app.get(&first).answer().await.expect(200);
    assert_eq!(page["first_shared_at"], seen["created_at"]);
    let decks = text(&page, "decks_url");
    let half = app.get(&format!("{decks}?limit=1")).answer().await.expect(200);
    assert_eq!(half["data"][0]["name"], "Bones");
    let rest = format!("{decks}?cursor={}", text(&half, "next_cursor"));
    let rest = app.get(&rest).answer().await.expect(200);
    assert_eq!(
        (rest["data"].as_array().unwrap().len(), &rest["data"][0]["name"]),
        (1, &json!("Embers"))
    );
    assert_eq!(rest["data"][0].get("folder"), None);

    let admin = app.admin().await;
    let ban =
        app.patch(&format!("/v1/accounts/{}", ada.id)).by(&admin).json(&json!({ "banned": true }));
    ban.answer().await.expect(200);
    app.get("/v1/authors/ada").answer().await.problem(404, "not_found");
    app.get(&decks).answer().await.problem(404, "not_found");
}

#[tokio::test]
async fn followers_see_each_published_deck_once() {
    let app = app().await;
    let (ada, ben, cem) =
        (app.player("ada").await, app.player("ben").await, app.player("cem").await);
    let old = stored(&app, &ada, "Old", "public").await;
    stored(&app, &cem, "Other", "public").await;
    follow(&app, &ben, "ada").await.expect(204);
    follow(&app, &ben, "ada").await.expect(204);
    follow(&app, &ada, "ada").await.problem(409, "own_account");
    assert_eq!(author(&app, "ada").await["followers"], 1);
    assert_eq!(names(&app, &ben, "/v1/me/followed-authors").await, ["ada"]);
    assert_eq!(names(&app, &cem, "/v1/me/followed-authors").await, [] as [&str; 0]);
    assert_eq!(names(&app, &ben, NEW).await, ["Old"]);

    let new = stored(&app, &ada, "New", "private").await;
    stored(&app, &ada, "For friends", "unlisted").await;
    assert_eq!(names(&app, &ben, NEW).await, ["Old"]);
    show(&app, &ada, &new, "public").await;
    assert_eq!(names(&app, &ben, NEW).await, ["New", "Old"]);
    // A change of a deck does not make it new, and neither does a second publication.
    show(&app, &ada, &old, "private").await;
    assert_eq!(names(&app, &ben, NEW).await, ["New"]);
    show(&app, &ada, &old, "public").await;
    app.put(&format!("{old}/like")).by(&ben).answer().await.expect(200);
    assert_eq!(names(&app, &ben, NEW).await, ["New", "Old"]);
    app.delete(&new).by(&ada).header("if-match", "*").answer().await.expect(204);
    assert_eq!(names(&app, &ben, NEW).await, ["Old"]);
    app.post(&format!("{new}/undelete")).by(&ada).answer().await.expect(200);
    assert_eq!(names(&app, &ben, NEW).await, ["New", "Old"]);

    // The pages list the decks of all followed authors in one order.
    follow(&app, &ben, "cem").await.expect(204);
    let page = app.get(&format!("{NEW}?limit=2")).by(&ben).answer().await.expect(200);
    let rest = format!("{NEW}?limit=2&cursor={}", text(&page, "next_cursor"));
    stored(&app, &cem, "Newest", "public").await;
    assert_eq!(names(&app, &ben, &rest).await, ["Old"]);
    assert_eq!(names(&app, &ben, NEW).await, ["Newest", "New", "Other", "Old"]);
    app.put(&format!("/v1/me/blocks/{}", cem.id)).by(&ben).answer().await.expect(204);
    assert_eq!(names(&app, &ben, NEW).await, ["New", "Old"]);

    unfollow(&app, &ben, "ada").await.expect(204);
    unfollow(&app, &ben, "ada").await.expect(204);
    assert_eq!(author(&app, "ada").await["followers"], 0);
    assert_eq!(names(&app, &ben, NEW).await, [] as [&str; 0]);
    // A player can unfollow an author who has no public deck any more.
    follow(&app, &ben, "ada").await.expect(204);
    for deck in [&old, &new] {
        show(&app, &ada, deck, "private").await;
    }
    unfollow(&app, &ben, "ada").await.expect(204);
    unfollow(&app, &ben, "ada").await.problem(404, "not_found");
}

/// Covers decks that an older release makes public, and decks that were public before the database recorded the time of publication.
#[tokio::test]
async fn the_database_records_when_a_deck_was_published() {
    let app = app().await;
    let ada = app.player("ada").await;
    stored(&app, &ada, "One", "public").await;
    stored(&app, &ada, "Two", "private").await;
    app.sql("UPDATE decks SET created_at = '2026-01-01Z', updated_at = '2026-01-02Z', published_at = NULL WHERE name = 'Two'").await;
    app.sql(
        "ALTER TABLE decks DISABLE TRIGGER changed_decks_are_published; \
             UPDATE decks SET created_at = '2026-02-01Z', published_at = NULL WHERE name = 'One'; \
             ALTER TABLE decks ENABLE TRIGGER changed_decks_are_published",
    )
    .await;
    let shown =
        async || app.get("/v1/authors/ada/decks").answer().await.expect(200)["data"].clone();
    assert_eq!(shown().await[0]["published_at"], "2026-02-01T00:00:00Z");
    app.sql("UPDATE decks SET visibility = 'public', revision = revision + 1, updated_at = '2026-01-03Z' WHERE name = 'Two'").await;
    app.sql("UPDATE decks SET visibility = 'private', revision = revision + 1, updated_at = '2026-03-01Z' WHERE name = 'One'").await;
    app.sql("UPDATE decks SET visibility = 'public', revision = revision + 1, updated_at = '2026-03-02Z' WHERE name = 'One'").await;
    let both = shown().await;
    assert_eq!(
        [&both[0]["published_at"], &both[1]["published_at"]],
        ["2026-02-01T00:00:00Z", "2026-01-03T00:00:00Z"]
    );
}

/// Before, only lists of decks and files had the time.
#[tokio::test]
async fn a_deck_shows_when_it_was_published_as_long_as_it_is_public() {
    let app = app().await;
    let ada = app.player("ada").await;
    let deck = stored(&app, &ada, "One", "private").await;
    let found = async || app.get(&deck).by(&ada).answer().await.expect(200);
    assert_eq!(found().await.get("published_at"), None);
    show(&app, &ada, &deck, "public").await;
    let published = found().await["published_at"].clone();
    let listed = app.get("/v1/authors/ada/decks").answer().await.expect(200);
    assert_eq!(published, listed["data"][0]["published_at"]);
    assert_eq!(app.get(&deck).answer().await.expect(200)["published_at"], published);
    show(&app, &ada, &deck, "unlisted").await;
    assert_eq!(found().await.get("published_at"), None);
    // It was public before, so the time is that of the first publication, also in the answer to the change.
    let again = app.patch(&deck).by(&ada).header("if-match", "*");
    let again = again.json(&json!({ "visibility": "public" })).answer().await.expect(200);
    assert_eq!(again["published_at"], published, "{again:#}");
}

#[tokio::test]
async fn banned_and_blocked_followers_do_not_count() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let admin = app.admin().await;
    stored(&app, &ada, "Embers", "public").await;
    follow(&app, &ben, "ada").await.expect(204);
    let followers = async || author(&app, "ada").await["followers"].as_i64().unwrap();
    let ban = async |banned: bool| {
        let change = app.patch(&format!("/v1/accounts/{}", ben.id)).by(&admin);
        change.json(&json!({ "banned": banned })).answer().await.expect(200);
    };
    ban(true).await;
    assert_eq!(followers().await, 0);
    ban(false).await;
    assert_eq!(followers().await, 1);
    let ben = app.log_in("ben", &ben.password).await;
    let block = format!("/v1/me/blocks/{}", ben.id);
    app.put(&block).by(&ada).answer().await.expect(204);
    assert_eq!(followers().await, 0);
    // The answers to the blocked player do not reveal the block.
    unfollow(&app, &ben, "ada").await.expect(204);
    follow(&app, &ben, "ada").await.expect(204);
    assert_eq!((followers().await, names(&app, &ben, NEW).await), (0, vec!["Embers".to_owned()]));
    app.delete(&block).by(&ada).answer().await.expect(204);
    assert_eq!(followers().await, 1);
}

#[tokio::test]
async fn an_account_follows_a_limited_number_of_authors() {
    let app = app().await;
    // No day ends during the test: the clock is at the beginning of an hour.
    app.begin_window();
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    stored(&app, &ada, "Embers", "public").await;
    app.sql(&format!(
        "WITH made AS (INSERT INTO accounts (id, name, name_key, password_hash, role, must_change_password, created_at) \
          SELECT gen_random_uuid(), 'author ' || n, 'author' || n, '$argon2id$', 'player', false, now() FROM generate_series(1, 500) AS n RETURNING id) \
         INSERT INTO followed_authors (account_id, author_id, followed_at, counted) SELECT '{}', id, now(), true FROM made",
        ben.id
    ))
    .await;
    follow(&app, &ben, "ada").await.problem(409, "too_many_followed");
    app.sql("DELETE FROM followed_authors").await;
    assert_eq!(app.db().number("SELECT sum(followers)::bigint FROM author_followers").await, 0);
    // A request that is refused for another reason does not count against the daily limit.
    for _ in 0..20 {
        follow(&app, &ben, "ada").await.expect(204);
        unfollow(&app, &ben, "ada").await.expect(204);
    }
    let refused = follow(&app, &ben, "ada").await.problem(429, "daily_limit_reached");
    assert_eq!(refused["limit"], "follows");
}

/// All accounts follow each other at the same time on two instances, during a ban.
#[tokio::test]
async fn followers_are_counted_once() {
    let app = app().await;
    let other = app.second_instance();
    let admin = app.admin().await;
    let mut crowd = Vec::new();
    for number in 0..5 {
        let player = app.player_owned(format!("player{number}")).await;
        stored(&app, &player, "Deck", "public").await;
        crowd.push(player);
    }
    let work = crowd.iter().flat_map(|player| {
        let (app, other) = (&app, &other);
        crowd.iter().enumerate().filter(move |(_, author)| author.id != player.id).map(
            move |(place, author)| async move {
                for round in 0..3 {
                    let app = if (place + round) % 2 == 0 { app } else { other };
                    let done = follow(app, player, &author.name).await;
                    assert!([204, 401, 404].contains(&done.status), "{}", done.text());
                }
            },
        )
    });
    let ban = async {
        let change = other.patch(&format!("/v1/accounts/{}", crowd[4].id)).by(&admin);
        change.json(&json!({ "banned": true })).answer().await.expect(200);
    };
    tokio::join!(join_all(work), ban);
    for player in &crowd[..4] {
        assert_eq!(author(&app, &player.name).await["followers"], 3, "{}", player.name);
    }
}
