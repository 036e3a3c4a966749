//! Pictures of cards. `hidden_cards.rs` tests that all hidden cards have the same picture.

use reqwest::Method;
use serde_json::{Value, json};

use super::card_cache::{PLACE, comparable, set_lore, start};
use crate::support::{
    Answer, Player, RequestExt as _, TestApp, edit_set, in_memory, seed_data, until,
};

async fn tortoise() -> (TestApp, String) {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let path = path_of(&app, PLACE).await;
    (app, path)
}

/// The path of the picture of a card.
pub async fn path_of(app: &TestApp, place: &str) -> String {
    let card = app.get(place).answer().await.expect(200);
    format!("/v1/cards/{}/picture", card["id"].as_str().unwrap())
}

async fn picture(app: &TestApp, path: &str) -> Answer {
    let answer = app.get(path).answer().await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer
}

#[tokio::test]
async fn a_card_is_drawn_with_the_numbers_of_each_rarity() {
    let (app, path) = tortoise().await;
    let base = picture(&app, &path).await;
    let header = |name: &str| base.header(name);
    assert_eq!(header("content-type"), "image/svg+xml");
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert!(header("content-security-policy").contains("sandbox"));
    assert_eq!(header("cache-control"), "public, max-age=60");
    // A new manifest changes the picture but not the time of the card, so there is no `last-modified`.
    assert_eq!(header("last-modified"), "");
    let text = base.text();
    for expected in ["Pebblebrow Tortoise", "Earth", ">350<", "Common"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(!text.contains("<script") && !text.contains("href=\"http"));
    assert_eq!(picture(&app, &format!("{path}?rarity=common")).await.text(), text);
    let primal = picture(&app, &format!("{path}?rarity=PRIMAL_RARE&format=svg")).await.text();
    assert!(primal.contains(">400<") && primal.contains("Primal Rare"), "{primal}");
}

#[tokio::test]
async fn an_unchanged_picture_is_not_sent_again() {
    let (app, path) = tortoise().await;
    let first = picture(&app, &path).await;
    let again = app.get(&path).header("if-none-match", &first.header("etag")).answer().await;
    assert_eq!((again.status, again.bytes.len()), (304, 0));
}

/// Simultaneous requests get the same bytes.
#[tokio::test]
async fn a_picture_is_drawn_as_png() {
    let (app, path) = tortoise().await;
    let path = format!("{path}?format=png&rarity=rare");
    let all = (0..6).map(|_| picture(&app, &path));
    let all = futures_util::future::join_all(all).await;
    assert_eq!(all[0].header("content-type"), "image/png");
    assert_eq!(all[0].bytes[..8], *b"\x89PNG\r\n\x1a\n");
    assert_eq!(all[0].bytes[16..24], [0, 0, 1, 244, 0, 0, 2, 188], "500 × 700 pixels");
    assert!(all.iter().all(|answer| answer.bytes == all[0].bytes));
}

#[tokio::test]
async fn invalid_picture_requests_are_rejected() {
    let (app, path) = tortoise().await;
    let faults =
        app.get(&format!("{path}?rarity=rar")).answer().await.problem(400, "invalid_query");
    assert_eq!(faults["errors"][0]["pointer"], "?rarity");
    let detail = faults["errors"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("did you mean rare"), "{detail}");
    app.get(&format!("{path}?format=gif")).answer().await.problem(400, "invalid_query");
    let unknown = format!("/v1/cards/{}/picture", uuid::Uuid::nil());
    app.get(&unknown).answer().await.problem(404, "not_found");
}

/// A game of fish with the rarities plain and golden.
pub(super) const POND: &str = r#"
code = "pond"
name = "Pond"
rules_version = "pond/1"

[[rarities]]
code = "plain"
name = "Plain"
weight = 2

[[rarities]]
code = "golden"
name = "Golden"
weight = 1

[[kinds]]
code = "fish"
name = "Fish"
"#;

#[tokio::test]
async fn a_card_is_drawn_in_the_rarities_that_it_has() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let manifest = app.put("/v1/games/pond/manifest").by(&admin).body(POND);
    manifest.header("content-type", "application/toml").answer().await.expect(201);
    let set = json!({
        "code": "shore", "name": "Shore", "hidden": false,
        "cards": [
            { "number": "001", "name": "Carp", "kind": "fish" },
            { "number": "002", "name": "Koi", "kind": "fish", "printings": [{ "rarity": "golden" }] },
        ],
    });
    app.put("/v1/games/pond/sets/shore").by(&admin).json(&set).answer().await.expect(201);
    for (number, has, lacks) in [("001", "plain", "golden"), ("002", "golden", "plain")] {
        let place = format!("/v1/games/pond/sets/shore/cards/{number}");
        let card = app.get(&place).answer().await.expect(200);
        let path = format!("/v1/cards/{}/picture", card["id"].as_str().unwrap());
        let of_rarity = picture(&app, &format!("{path}?rarity={has}")).await;
        assert_eq!(picture(&app, &path).await.text(), of_rarity.text(), "{has} is its lowest");
        let other = app.get(&format!("{path}?rarity={lacks}")).answer().await;
        let problem = other.problem(404, "not_found");
        assert!(problem["detail"].as_str().unwrap().contains("in this rarity"), "{problem}");
    }
}

/// This includes games with one rarity and cards whose name is an emoji.
#[tokio::test]
async fn a_card_of_any_game_is_drawn() {
    let app =
        TestApp::start_seeded(&["emoji-tcg", "emojito", "uno-emoji", "emojo-dojo", "ttcg"]).await;
    for game in ["emoji-tcg", "emojito", "uno-emoji", "emojo-dojo"] {
        let cards = app.get(&format!("/v1/cards?game={game}&limit=3")).answer().await.expect(200);
        for card in cards["data"].as_array().unwrap() {
            let path = format!("/v1/cards/{}/picture", card["id"].as_str().unwrap());
            let (drawn, name) = (picture(&app, &path).await.text(), escaped(&card["name"]));
            assert!(drawn.contains(&name), "{name}");
        }
    }
}

/// A text with the escapes that pictures use.
fn escaped(name: &Value) -> String {
    name.as_str().unwrap().replace('&', "&#38;").replace('\'', "&#39;")
}

/// The picture, as SVG.
async fn svg(app: &TestApp, by: Option<&Player>, path: &str) -> String {
    let request = app.get(path);
    let request = match by {
        Some(player) => request.by(player),
        None => request,
    };
    let answer = request.answer().await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer.text()
}

/// Two lores that the card has in turns in the database while a picture of it is cached.
const LORES: [&str; 2] = ["LORE ONE", "LORE TWO"];

/// Requests the picture until it comes from the cache, and returns it. The database contains another lore then.
pub async fn wait_until_cached(app: &TestApp, path: &str) -> Vec<u8> {
    let mut shown = Vec::new();
    until("the picture is cached", async |_| {
        set_lore(app, LORES[0]).await;
        shown = picture(app, path).await.bytes;
        set_lore(app, LORES[1]).await;
        picture(app, path).await.bytes == shown
    })
    .await;
    shown
}

/// Gives the card the lore that a cached picture shows; `plain` caches nothing.
async fn restore_lore(plain: &TestApp, path: &str, cached: &[u8]) {
    for lore in LORES {
        set_lore(plain, lore).await;
        if picture(plain, path).await.bytes == cached {
            return;
        }
    }
    panic!("{path}: the cached picture shows none of both lores");
}

#[tokio::test]
async fn cached_pictures_are_the_same_as_drawn_ones() {
    let app = start().await;
    let path = path_of(&app, PLACE).await;
    let plain = app.second_instance();
    let ada = app.player("ada").await;
    let choices = ["", "?rarity=common", "?rarity=RARE", "?rarity=rare&format=png", "?format=png"];
    for choice in choices.map(|choice| format!("{path}{choice}")) {
        let cached = wait_until_cached(&app, &choice).await;
        restore_lore(&plain, &choice, &cached).await;
        let etag = picture(&plain, &choice).await.header("etag");
        for method in [Method::GET, Method::HEAD] {
            for encoding in ["identity", "gzip", "br"] {
                let ask = |of: &TestApp| {
                    of.request(method.clone(), &choice).header("accept-encoding", encoding)
                };
                let (here, there) = (ask(&app).answer().await, ask(&plain).answer().await);
                assert_eq!(comparable(&here), comparable(&there), "{method} {choice} {encoding}");
                assert_eq!(here.header("cache-control"), "public, max-age=60");
            }
            let ask = |of: &TestApp| of.request(method.clone(), &choice).by(&ada);
            let (here, there) = (ask(&app).answer().await, ask(&plain).answer().await);
            assert_eq!(comparable(&here), comparable(&there), "{method} {choice} for a player");
            assert_eq!(here.header("cache-control"), "private, no-cache");
            let known = app.request(method, &choice).header("if-none-match", &etag);
            assert_eq!(known.answer().await.status, 304);
        }
    }
    let wrong = app.get(&format!("{path}?rarity=nonsense")).answer().await;
    assert_eq!(wrong.status, 400);
}

#[tokio::test]
async fn changes_of_a_card_or_of_its_game_drop_its_pictures() {
    let app = start().await;
    let other = app.second_instance_with(in_memory);
    let path = path_of(&app, PLACE).await;
    let rare = format!("{path}?rarity=rare");
    let mut source = seed_data("ttcg");
    for round in 0..3 {
        for instance in [&app, &other] {
            wait_until_cached(instance, &path).await;
            wait_until_cached(instance, &rare).await;
        }
        let lore = format!("IMPORT{round}");
        edit_set(&mut source, "hearth", |set| set["cards"][0]["lore"] = json!(lore));
        app.import(&source).await.unwrap();
        for instance in [&app, &other] {
            until("the change shows", async |_| {
                svg(instance, None, &path).await.contains(&lore)
                    && svg(instance, None, &rare).await.contains(&lore)
            })
            .await;
        }
    }
    // The manifest has the names of the rarities.
    wait_until_cached(&other, &rare).await;
    let manifest = source.manifest.text.replace("name = \"Rare\"", "name = \"Seldom\"");
    assert_ne!(manifest, source.manifest.text);
    source.manifest.text = manifest;
    app.import(&source).await.unwrap();
    until("the new name shows", async |_| svg(&other, None, &rare).await.contains("Seldom")).await;
}

#[tokio::test]
async fn editors_and_holders_get_pictures_from_the_database() {
    let app = start().await;
    let path = path_of(&app, PLACE).await;
    let moderator = app.moderator().await;
    let cached = wait_until_cached(&app, &path).await;
    set_lore(&app, "STORED").await;
    assert!(svg(&app, Some(&moderator), &path).await.contains("STORED"));
    let again = picture(&app, &path).await.bytes;
    assert_eq!(again, cached, "the moderator's picture was not cached");
    // The picture of a hidden card is drawn for its holder alone.
    let ada = app.player("ada").await;
    app.give_copy(&ada.id, "ttcg", "veil", "002").await;
    let hidden = path_of(&app, "/v1/games/ttcg/sets/veil/cards/002").await;
    let back = app.get(&hidden).answer().await;
    for _ in 0..3 {
        let held = app.get(&hidden).by(&ada).answer().await;
        assert_eq!(held.header("cache-control"), "private, no-store");
        assert_ne!(held.bytes, back.bytes);
        assert_eq!(app.get(&hidden).answer().await.bytes, back.bytes);
    }
}
