//! The history of cards, and which accounts see which entries.

use cardscape::domain::catalogue::import::{GameSource, SourceFile};
use serde_json::{Value, json};

use crate::support::{Player, RequestExt as _, TestApp, edit_set, seed_data};

/// A game whose cards may have one printing or two.
const COINS: &str = r#"
code = "coins"
name = "Coins"
rules_version = "coins/1"

[cards]
rule = "C-1"

[[zones]]
code = "main"
name = "Purse"

[[rarities]]
code = "copper"
name = "Copper"
weight = 2

[[rarities]]
code = "gold"
name = "Gold"
weight = 1

[[kinds]]
code = "coin"
name = "Coin"

[kinds.attributes.worth]
type = "integer"
min = 1
max = 99
per_printing = true

[kinds.attributes.mark]
type = "text"
optional = true

[[kinds.effects]]
min = 0
max = 1

[[formats]]
code = "purse"
name = "Purse"
version = "1"
"#;

fn coins(cards: Value) -> GameSource {
    let set = json!({ "code": "mint", "name": "Mint", "cards": cards });
    GameSource {
        manifest: SourceFile::new("game.toml", COINS),
        sets: vec![SourceFile::new("mint.json", &set.to_string())],
    }
}

async fn path_of(app: &TestApp, card: &str) -> String {
    let card = app.get(card).answer().await.expect(200);
    format!("/v1/cards/{}", card["id"].as_str().unwrap())
}

async fn entries(app: &TestApp, by: Option<&Player>, path: &str) -> Vec<Value> {
    let request = app.get(&format!("{path}/history"));
    let request = if let Some(player) = by { request.by(player) } else { request };
    request.answer().await.expect(200)["data"].as_array().unwrap().clone()
}

fn kinds(entries: &[Value]) -> Vec<&str> {
    entries.iter().map(|entry| entry["change"].as_str().unwrap()).collect()
}

/// One entry lists every member that an import changed. It does not name the account that did it.
#[tokio::test]
async fn imports_write_history() {
    let app = TestApp::start().await;
    let coin = |number: &str, name: &str, worth: i64| json!({ "number": number, "name": name, "kind": "coin", "attributes": { "worth": worth } });
    let mut first = coin("1", "Penny", 1);
    first["printings"] =
        json!([{ "rarity": "copper" }, { "rarity": "gold", "attributes": { "worth": 5 } }]);
    app.import(&coins(json!([first, coin("2", "Groat", 4)]))).await.unwrap();
    let path = path_of(&app, "/v1/games/coins/sets/mint/cards/1").await;
    assert_eq!(
        app.db().value("SELECT count(*) FROM card_history").await,
        "0",
        "a new card has no stored entry"
    );
    let added = entries(&app, None, &path).await;
    assert_eq!((kinds(&added), &added[0]["changes"]), (vec!["added"], &json!([])));

    let mut second = first.clone();
    second["name"] = "Bright Penny".into();
    second["attributes"] = json!({ "worth": 2, "mark": "a/b~c" });
    second["lore"] = "Found.".into();
    second["effects"] = json!([{ "text": "Spin it." }]);
    second["printings"] =
        json!([{ "rarity": "copper" }, { "rarity": "gold", "attributes": { "worth": 7 } }]);
    app.import(&coins(json!([second, coin("2", "Groat", 4)]))).await.unwrap();
    let history = entries(&app, None, &path).await;
    assert_eq!(kinds(&history), ["changed", "added"]);
    let wanted = json!([
        { "member": "/effects", "before": [], "after": [{ "text": "Spin it." }] },
        { "member": "/lore", "after": "Found." },
        { "member": "/name", "before": "Penny", "after": "Bright Penny" },
        { "member": "/attributes/mark", "after": "a/b~c" },
        { "member": "/attributes/worth", "before": 1, "after": 2 },
        { "member": "/printings/gold/attributes/worth", "before": 5, "after": 7 },
    ]);
    assert_eq!(history[0]["changes"], wanted, "{:#}", history[0]);
    // Answers to anonymous clients may be a second old, so a player reads the card.
    let ada = app.player("ada").await;
    let card = app.get(&path).by(&ada).answer().await.expect(200);
    assert_eq!(history[0]["at"], card["updated_at"]);
    assert_eq!(
        history[0].as_object().unwrap().len(),
        3,
        "an entry has only `at`, `change` and `changes`"
    );

    // An import removes a printing and swaps two names, and the next import reverts both.
    let mut third = second.clone();
    third["name"] = "Groat".into();
    third["printings"] = json!([{ "rarity": "copper" }]);
    app.import(&coins(json!([third, coin("2", "Bright Penny", 4)]))).await.unwrap();
    app.import(&coins(json!([second, coin("2", "Groat", 4)]))).await.unwrap();
    let history = entries(&app, None, &path).await;
    assert_eq!(kinds(&history), ["changed", "changed", "changed", "added"]);
    let gold = json!({ "rarity": "gold", "attributes": { "worth": 7 } });
    let name =
        |before: &str, after: &str| json!({ "member": "/name", "before": before, "after": after });
    assert_eq!(
        history[0]["changes"],
        json!([name("Groat", "Bright Penny"), { "member": "/printings/gold", "after": gold }])
    );
    assert_eq!(
        history[1]["changes"],
        json!([name("Bright Penny", "Groat"), { "member": "/printings/gold", "before": gold }])
    );

    // The same files again write no entry, and the other card has its own history.
    app.import(&coins(json!([second, coin("2", "Groat", 4)]))).await.unwrap();
    assert_eq!(entries(&app, None, &path).await.len(), 4);
    let other = path_of(&app, "/v1/games/coins/sets/mint/cards/2").await;
    assert_eq!(kinds(&entries(&app, None, &other).await), ["changed", "changed", "added"]);
}

#[tokio::test]
async fn edits_and_rulings_write_history_in_pages() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let path = path_of(&app, "/v1/games/ttcg/sets/hearth/cards/001").await;
    let lore = app.get(&path).answer().await.expect(200).get("lore").cloned();
    let edit = async |lore: &str| {
        let etag = app.get(&path).by(&admin).answer().await.header("etag");
        let patch = app.patch(&path).by(&admin).header("if-match", etag);
        patch.json(&json!({ "lore": lore })).answer().await.expect(200);
    };
    edit("One.").await;
    let body = json!({ "kind": "ruling", "text": "It may.", "published_on": "2026-11-20" });
    let ruling = app.post(&format!("{path}/rulings")).by(&admin).json(&body).answer().await;
    let (place, etag) = (ruling.header("location"), ruling.header("etag"));
    let mut changed = body.clone();
    changed["text"] = "It must.".into();
    let put = app.put(&place).by(&admin).header("if-match", etag).json(&changed).answer().await;
    app.delete(&place).by(&admin).header("if-match", put.header("etag")).answer().await.expect(204);
    edit("Two.").await;

    let all = entries(&app, None, &path).await;
    let wanted =
        ["changed", "ruling_removed", "ruling_changed", "ruling_added", "changed", "added"];
    assert_eq!(kinds(&all), wanted);
    assert_eq!(
        all[0]["changes"],
        json!([{ "member": "/lore", "before": "One.", "after": "Two." }])
    );
    let member = place.replace("/v1", "");
    assert_eq!(all[3]["changes"], json!([{ "member": member, "after": body }]));
    assert_eq!(all[2]["changes"], json!([{ "member": member, "before": body, "after": changed }]));
    assert_eq!(all[1]["changes"], json!([{ "member": member, "before": changed }]));
    let mut first = json!({ "member": "/lore", "after": "One." });
    if let Some(lore) = lore {
        first["before"] = lore;
    }
    assert_eq!(all[4]["changes"], json!([first]));

    let mut paged = Vec::new();
    let mut next = format!("{path}/history?limit=2");
    loop {
        let page = app.get(&next).answer().await;
        let link = page.header("link");
        paged.extend(page.expect(200)["data"].as_array().unwrap().clone());
        match link.strip_prefix('<').and_then(|link| link.split_once('>')) {
            Some((path, _)) => path.clone_into(&mut next),
            None => break,
        }
    }
    assert_eq!(paged, all);
    let bad = app.get(&format!("{path}/history?cursor=WzFd")).answer().await;
    bad.problem(400, "invalid_cursor");
}

/// Changes from before the unlock were never public: after it, moderators still see them, players and anonymous clients do not.
#[tokio::test]
async fn an_unlock_does_not_publish_earlier_changes() {
    let app = TestApp::start().await;
    let mut source = seed_data("ttcg");
    app.import(&source).await.unwrap();
    let (admin, moderator, ada) =
        (app.admin().await, app.moderator().await, app.player("ada").await);
    app.give_copy(&ada.id, "ttcg", "veil", "003").await;
    let path = path_of(&app, "/v1/games/ttcg/sets/veil/cards/003").await;
    edit_set(&mut source, "veil", |set| set["cards"][2]["lore"] = json!("A working title."));
    app.import(&source).await.unwrap();
    let body = json!({ "kind": "ruling", "text": "Early.", "published_on": "2026-11-20" });
    app.post(&format!("{path}/rulings")).by(&admin).json(&body).answer().await.expect(201);
    let hidden = app.get(&format!("{path}/history")).answer().await.expect(200);
    assert_eq!(hidden, json!({ "data": [], "hidden": true }));
    assert_eq!(
        kinds(&entries(&app, Some(&moderator), &path).await),
        ["ruling_added", "changed", "added"]
    );
    assert_eq!(kinds(&entries(&app, Some(&ada), &path).await), ["added"]);

    app.clock().advance(chrono::Duration::hours(1));
    let now = app.clock().now().to_rfc3339();
    app.sql(&format!(
        "UPDATE unlocks SET unlocked_at = '{now}', reason = 'admin' \
         WHERE card_id = (SELECT id FROM cards WHERE set_code = 'veil' AND number = '003')"
    ))
    .await;
    app.clock().advance(chrono::Duration::hours(1));
    let (ada, moderator) = (
        app.log_in(&ada.name, &ada.password).await,
        app.log_in(&moderator.name, &moderator.password).await,
    );
    edit_set(&mut source, "veil", |set| set["cards"][2]["lore"] = json!("In public."));
    app.import(&source).await.unwrap();
    for caller in [None, Some(&ada)] {
        let history = entries(&app, caller, &path).await;
        assert_eq!(kinds(&history), ["changed", "unlocked", "added"]);
    }
    let all = entries(&app, Some(&moderator), &path).await;
    assert_eq!(kinds(&all), ["changed", "unlocked", "ruling_added", "changed", "added"]);
}
