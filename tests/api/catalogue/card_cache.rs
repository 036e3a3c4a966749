//! The card cache: it returns the same answers as the database, and no outdated ones.

use std::time::Duration;

use reqwest::{Method, RequestBuilder};
use serde_json::json;

use crate::support::{Answer, RequestExt as _, TestApp, edit_set, in_memory, seed_data, until};

pub const PLACE: &str = "/v1/games/ttcg/sets/hearth/cards/001";

/// An instance that trusts its cache until the change feed reports a change.
pub async fn start() -> TestApp {
    let app = TestApp::start_seeded_with(&["ttcg"], in_memory).await;
    // Otherwise the events of the seed data empty the caches at some later moment.
    app.catch_up().await;
    app
}

/// Changes the text of the card directly in the database, without an event.
pub async fn set_lore(app: &TestApp, lore: &str) {
    app.sql(&format!(
        "UPDATE card_content SET lore = '{lore}' \
         WHERE card_id = (SELECT id FROM cards WHERE set_code = 'hearth' AND number = '001')"
    ))
    .await;
}

async fn lore(app: &TestApp, path: &str) -> String {
    app.get(path).answer().await.expect(200)["lore"].as_str().unwrap().to_owned()
}

/// Requests the card until the answer comes from the cache. The database contains a different text then.
async fn wait_until_cached(app: &TestApp, path: &str) -> String {
    let mut text = String::new();
    until("the card is cached", async |round| {
        text = lore(app, path).await;
        set_lore(app, &format!("behind the back {round}")).await;
        lore(app, path).await == text
    })
    .await;
    text
}

/// Adds headers to a request.
type AddHeaders = fn(RequestBuilder) -> RequestBuilder;

/// The parts of an answer that must be the same from the cache and from the database.
pub fn comparable(answer: &Answer) -> (u16, Vec<(String, String)>, Vec<u8>) {
    let mut headers: Vec<(String, String)> = answer
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .filter(|(name, _)| {
            !["x-request-id", "date"].contains(&name.as_str()) && !name.starts_with("ratelimit")
        })
        .collect();
    headers.sort();
    (answer.status, headers, answer.bytes.clone())
}

#[tokio::test]
async fn cached_answers_are_the_same_as_from_the_database() {
    let app = start().await;
    let id = app.get(PLACE).answer().await.expect(200)["id"].as_str().unwrap().to_owned();
    let by_id = format!("/v1/cards/{id}");
    // A request by number is cached as soon as the card index is loaded, because the index maps set and number to the card.
    let text = wait_until_cached(&app, PLACE).await;
    assert_eq!(
        lore(&app, &by_id).await,
        text,
        "the request by id returns what the request by number has cached"
    );
    set_lore(&app, &text).await;
    let plain = app.second_instance();
    let etag = plain.get(&by_id).answer().await.header("etag");
    assert!(!etag.is_empty());
    let ways: &[AddHeaders] = &[
        |ask| ask,
        |ask| ask.header("accept-encoding", "gzip"),
        |ask| ask.header("accept-encoding", "br"),
        |ask| ask.header("if-none-match", "*"),
        |ask| ask.header("if-none-match", "\"other\""),
        |ask| ask.header("origin", "https://fan.example"),
    ];
    let ada = app.player("ada").await;
    for path in [by_id.as_str(), PLACE] {
        let ask = |of: &TestApp| of.get(path).by(&ada);
        let (here, there) = (ask(&app).answer().await, ask(&plain).answer().await);
        assert_eq!(comparable(&here), comparable(&there), "{path} for a player");
        for method in [Method::GET, Method::HEAD] {
            for (at, way) in ways.iter().enumerate() {
                let ask = |of: &TestApp| way(of.request(method.clone(), path));
                let (here, there) = (ask(&app).answer().await, ask(&plain).answer().await);
                assert_eq!(comparable(&here), comparable(&there), "{method} {path} {at}");
            }
            for known in [etag.clone(), format!("\"x\", {etag}"), format!("W/{etag}")] {
                let ask = |of: &TestApp| {
                    of.request(method.clone(), path).header("if-none-match", known.clone())
                };
                let (here, there) = (ask(&app).answer().await, ask(&plain).answer().await);
                assert_eq!(comparable(&here), comparable(&there), "{method} {path} {known}");
            }
        }
    }
    let unchanged = app.get(&by_id).header("if-none-match", &etag).answer().await;
    assert_eq!(unchanged.status, 304);
    let metrics = app.get("/metrics").answer().await.text();
    assert!(metrics.contains("card_cache_bytes"), "{metrics}");
    for name in ["card_cache_hits_total ", "card_cache_misses_total "] {
        // It is shown from the start, as 0.
        let counted = metrics.lines().find_map(|line| line.strip_prefix(name));
        assert!(counted.is_some_and(|count| count != "0"), "{metrics}");
    }
}

#[tokio::test]
async fn a_change_on_one_instance_shows_on_all() {
    let app = start().await;
    let other = app.second_instance_with(in_memory);
    let mut source = seed_data("ttcg");
    for round in 0..3 {
        wait_until_cached(&app, PLACE).await;
        wait_until_cached(&other, PLACE).await;
        let text = format!("Round {round}.");
        edit_set(&mut source, "hearth", |set| set["cards"][0]["lore"] = json!(text));
        app.import(&source).await.unwrap();
        until("the change shows", async |_| lore(&app, PLACE).await == text).await;
        until("the change shows on the other instance", async |_| {
            lore(&other, PLACE).await == text
        })
        .await;
    }
}

/// Reads and changes run at the same time: after the last change, all reads return its text in the end.
#[tokio::test]
async fn outdated_answers_do_not_stay_in_the_cache() {
    let app = start().await;
    wait_until_cached(&app, PLACE).await;
    let mut source = seed_data("ttcg");
    let changes = async {
        for round in 0..12 {
            let text = format!("Round {round}.");
            edit_set(&mut source, "hearth", |set| set["cards"][0]["lore"] = json!(text));
            app.import(&source).await.unwrap();
        }
    };
    let reads = async {
        let mut last = -1;
        while last < 11 {
            let texts = (0..8).map(|_| lore(&app, PLACE));
            for text in futures_util::future::join_all(texts).await {
                let round = text.strip_prefix("Round ").and_then(|text| text.strip_suffix('.'));
                last = last.max(round.map_or(-1, |round| round.parse().unwrap()));
            }
        }
    };
    let ((), ended) = tokio::join!(changes, tokio::time::timeout(Duration::from_mins(1), reads));
    ended.expect("the last change shows");
    until("all reads return the last change", async |_| {
        let all = futures_util::future::join_all((0..8).map(|_| lore(&app, PLACE))).await;
        all.iter().all(|text| text == "Round 11.")
    })
    .await;
    wait_until_cached(&app, PLACE).await;
    for text in futures_util::future::join_all((0..32).map(|_| lore(&app, PLACE))).await {
        assert_eq!(text, "Round 11.", "no older answer was cached meanwhile");
    }
}

#[tokio::test]
async fn without_the_change_feed_cards_come_from_the_database() {
    let app = TestApp::start_with(|settings| {
        settings.card_cache_bytes = 1 << 25;
        settings.card_index = true;
    })
    .await;
    app.seed(&["ttcg"]).await;
    wait_until_cached(&app, PLACE).await;
    // The lock blocks every read of the change feed.
    let session = app.db().session().await;
    session.batch_execute("BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE").await.unwrap();
    until("the card comes from the database", async |round| {
        let text = format!("nobody tells {round}");
        lore(&app, PLACE).await;
        set_lore(&app, &text).await;
        lore(&app, PLACE).await == text
    })
    .await;
    for round in 0..20 {
        let text = format!("at once {round}");
        set_lore(&app, &text).await;
        assert_eq!(lore(&app, PLACE).await, text);
    }
    session.batch_execute("COMMIT").await.unwrap();
}

#[tokio::test]
async fn answers_to_accounts_are_private_and_hidden_cards_are_not_cached() {
    let app = start().await;
    let (ada, mod_) = (app.player("ada").await, app.moderator().await);
    let text = wait_until_cached(&app, PLACE).await;
    // A player sees the same card as an anonymous client, but shared caches must not store the answer.
    let answer = app.get(PLACE).by(&ada).answer().await;
    assert_eq!(answer.header("cache-control"), "private, no-cache");
    assert_eq!(answer.expect(200)["lore"], text);
    assert_eq!(app.get(PLACE).answer().await.header("cache-control"), "public, max-age=60");
    // Moderators always get the card from the database.
    set_lore(&app, "as it is stored").await;
    assert_eq!(app.get(PLACE).by(&mod_).answer().await.expect(200)["lore"], "as it is stored");
    // A hidden card is never cached.
    let hidden = "/v1/games/ttcg/sets/veil/cards/001";
    for submissions in 0..3 {
        app.sql(&format!("UPDATE unlocks SET submissions = {submissions}")).await;
        let card = app.get(hidden).answer().await.expect(200);
        assert_eq!(card["unlock"]["submissions"], submissions);
    }
    let bad = app.get(PLACE).header("authorization", "Bearer nonsense").answer().await;
    bad.problem(401, "invalid_token");
}
