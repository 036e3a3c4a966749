//! Cards from memory: the same answers as from the database, and never old ones.

use std::time::Duration;

use reqwest::{Method, RequestBuilder};
use serde_json::json;

use crate::support::{Answer, RequestExt as _, TestApp, edit_set, in_memory, seed_data, until};

const PLACE: &str = "/v1/games/ttcg/sets/hearth/cards/001";

/// An instance that believes what it keeps, until the change feed says otherwise.
async fn start() -> TestApp {
    let app = TestApp::start_with(in_memory).await;
    app.seed(&["ttcg"]).await;
    app
}

/// Gives the card another text behind the back of every program: no event tells of it.
async fn set_lore(app: &TestApp, lore: &str) {
    app.sql(&format!(
        "UPDATE card_content SET lore = '{lore}' \
         WHERE card_id = (SELECT id FROM cards WHERE set_code = 'hearth' AND number = '001')"
    ))
    .await;
}

async fn lore(app: &TestApp, path: &str) -> String {
    app.get(path).answer().await.expect(200)["lore"].as_str().unwrap().to_owned()
}

/// Asks until the answer comes from memory: the text that the database has is another one then.
async fn kept(app: &TestApp, path: &str) -> String {
    let mut text = String::new();
    until("the card is kept", async |round| {
        text = lore(app, path).await;
        set_lore(app, &format!("behind the back {round}")).await;
        lore(app, path).await == text
    })
    .await;
    text
}

/// A way to ask.
type Ask = fn(RequestBuilder) -> RequestBuilder;

/// What must not depend on where an answer comes from.
fn lasting(answer: &Answer) -> (u16, Vec<(String, String)>, Vec<u8>) {
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
async fn an_answer_from_memory_is_the_answer_of_the_database() {
    let app = start().await;
    let id = app.get(PLACE).answer().await.expect(200)["id"].as_str().unwrap().to_owned();
    let by_id = format!("/v1/cards/{id}");
    // By number as soon as the index is there, which knows where cards stand.
    let text = kept(&app, PLACE).await;
    assert_eq!(lore(&app, &by_id).await, text, "the id finds what the number has kept");
    set_lore(&app, &text).await;
    let plain = app.second_instance();
    let etag = plain.get(&by_id).answer().await.header("etag");
    assert!(!etag.is_empty());
    let ways: &[Ask] = &[
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
        assert_eq!(lasting(&here), lasting(&there), "{path} of a player");
        for method in [Method::GET, Method::HEAD] {
            for (at, way) in ways.iter().enumerate() {
                let ask = |of: &TestApp| way(of.request(method.clone(), path));
                let (here, there) = (ask(&app).answer().await, ask(&plain).answer().await);
                assert_eq!(lasting(&here), lasting(&there), "{method} {path} {at}");
            }
            for known in [etag.clone(), format!("\"x\", {etag}"), format!("W/{etag}")] {
                let ask = |of: &TestApp| {
                    of.request(method.clone(), path).header("if-none-match", known.clone())
                };
                let (here, there) = (ask(&app).answer().await, ask(&plain).answer().await);
                assert_eq!(lasting(&here), lasting(&there), "{method} {path} {known}");
            }
        }
    }
    let unchanged = app.get(&by_id).header("if-none-match", &etag).answer().await;
    assert_eq!(unchanged.status, 304);
    let metrics = app.get("/metrics").answer().await.text();
    for name in ["card_cache_hits_total", "card_cache_misses_total", "card_cache_bytes"] {
        assert!(metrics.contains(name), "{metrics}");
    }
}

#[tokio::test]
async fn a_change_on_one_instance_shows_on_all() {
    let app = start().await;
    let other = app.second_instance_with(in_memory);
    let mut source = seed_data("ttcg");
    for round in 0..3 {
        kept(&app, PLACE).await;
        kept(&other, PLACE).await;
        let text = format!("Round {round}.");
        edit_set(&mut source, "hearth", |set| set["cards"][0]["lore"] = json!(text));
        app.import(&source).await.unwrap();
        until("the change shows", async |_| lore(&app, PLACE).await == text).await;
        until("the change shows elsewhere", async |_| lore(&other, PLACE).await == text).await;
    }
}

/// Readers and changes at the same time: once the last change shows, nothing older comes back.
#[tokio::test]
async fn an_old_answer_never_comes_back() {
    let app = start().await;
    kept(&app, PLACE).await;
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
    until("the last change has been dropped everywhere", async |_| {
        let all = futures_util::future::join_all((0..8).map(|_| lore(&app, PLACE))).await;
        all.iter().all(|text| text == "Round 11.")
    })
    .await;
    kept(&app, PLACE).await;
}

#[tokio::test]
async fn without_the_feed_the_database_is_asked() {
    let app = TestApp::start_with(|settings| {
        settings.card_cache_bytes = 1 << 25;
        settings.card_index = true;
    })
    .await;
    app.seed(&["ttcg"]).await;
    kept(&app, PLACE).await;
    // Nobody can read the feed now.
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
async fn whoever_asks_by_name_of_an_account_gets_an_answer_that_nobody_else_keeps() {
    let app = start().await;
    let (ada, mod_) = (app.player("ada").await, app.moderator().await);
    let text = kept(&app, PLACE).await;
    // A player sees what strangers see; but caches between here and there must not keep it.
    let answer = app.get(PLACE).by(&ada).answer().await;
    assert_eq!(answer.header("cache-control"), "private, no-cache");
    assert_eq!(answer.expect(200)["lore"], text);
    assert_eq!(app.get(PLACE).answer().await.header("cache-control"), "public, max-age=60");
    // Those who look after the catalogue see it as it is stored.
    set_lore(&app, "as it is stored").await;
    assert_eq!(app.get(PLACE).by(&mod_).answer().await.expect(200)["lore"], "as it is stored");
    // A hidden card is never kept.
    let hidden = "/v1/games/ttcg/sets/veil/cards/001";
    for submissions in 0..3 {
        app.sql(&format!("UPDATE unlocks SET submissions = {submissions}")).await;
        let card = app.get(hidden).answer().await.expect(200);
        assert_eq!(card["unlock"]["submissions"], submissions);
    }
    let bad = app.get(PLACE).header("authorization", "Bearer nonsense").answer().await;
    bad.problem(401, "invalid_token");
}
