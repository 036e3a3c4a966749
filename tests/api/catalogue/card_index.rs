//! Searches in memory: they find the same cards as the database, in their current state.

use std::sync::Arc;
use std::time::Duration;

use cardscape::store::serials::unlocks;
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::hidden_cards::searches;
use crate::support::{
    Answer, Player, RequestExt as _, TestApp, edit_set, in_memory, seed_data, until,
};

fn query(q: &str) -> String {
    form_urlencoded::byte_serialize(q.as_bytes()).collect()
}

fn ask(app: &TestApp, by: Option<&Player>, path: &str) -> RequestBuilder {
    match by {
        Some(player) => app.get(path).by(player),
        None => app.get(path),
    }
}

/// The parts of an answer that must be the same from memory and from the database.
fn comparable(answer: &Answer) -> (u16, String, String, Value) {
    let mut body: Value = serde_json::from_slice(&answer.bytes).unwrap_or(Value::Null);
    if let Some(problem) = body.as_object_mut().filter(|_| answer.status >= 400) {
        // `instance` is the id of the request.
        problem.remove("instance");
    }
    (answer.status, answer.header("link"), answer.header("cache-control"), body)
}

/// The path of the next page, if there is one.
fn next(answer: &Answer) -> Option<String> {
    let link = answer.header("link");
    let (path, _) = link.strip_prefix('<')?.split_once('>')?;
    Some(path.to_owned())
}

/// Two instances on the same database: the first searches in the database, the second in memory.
async fn pair(games: &[&str]) -> (TestApp, TestApp) {
    let database = TestApp::start_seeded(games).await;
    let memory = database.second_instance_in_memory().await;
    (database, memory)
}

/// Names of cards that a query finds.
async fn names(app: &TestApp, q: &str) -> Vec<String> {
    let page = app.get(&format!("/v1/cards?limit=200&q={}", query(q))).answer().await.expect(200);
    let name = |card: &Value| card["name"].as_str().unwrap_or_default().to_owned();
    page["data"].as_array().unwrap().iter().map(name).collect()
}

#[tokio::test]
async fn memory_finds_what_the_database_finds() {
    let (database, memory) =
        pair(&["ttcg", "emoji-tcg", "uno-emoji", "emojito", "emojo-dojo"]).await;
    let holder = database.player("holder").await;
    for number in ["001", "002", "003"] {
        database.give_copy(&holder.id, "ttcg", "veil", number).await;
    }
    database.give_copy(&holder.id, "ttcg", "hearth", "001").await;
    // Some cards have submissions, and some of them have equally many.
    database
        .sql(
            "UPDATE unlocks u SET submissions = k.number::integer % 4 FROM cards k \
             WHERE k.id = u.card_id AND k.game_code = 'ttcg' AND k.set_code = 'veil'",
        )
        .await;
    let mut paths = searches();
    for q in [
        "stage>=ultramoji",
        "power<2 sort:power",
        "game:emoji-tcg sort:stage order:desc",
        "year:2026 sort:year",
        "number<=12 sort:number",
        "\"draw a card\"",
        "o:/draw (a|one) card/",
        "n:/ / or n:/^ /",
        "o:/ / -o:/  / -n:/ fox/",
        "/^$|.fox/",
        "about:/ / or about:/^.$/",
        "-kind:unit -t:fire",
        "unlocked>=2026-01-01 or is:hidden",
        "attack:601..604 or attack!=500..1000",
        "total:2501..2549 number:3..90",
        "r:uncommon..rare -r!=rare..ultra_rare",
        "year:2025..2026 date:2026-01-01..2026-12-31",
        "submissions:1..2 or unlocked!=2026-01-01..2026-12-31",
        "stage:basicmoji..supermoji or rank:2..3",
        "sort:unlocked",
        "r>=rare unique:printings sort:rarity",
        "fox or 🔥",
        "name:\"ember fox\" or e",
        "about:fox",
        "has:lore -has:effect",
        "submissions<5",
        "is:hidden submissions>=1 sort:submissions",
        "sort:submissions",
        "-submissions:0 number<12",
        "submissions!=2 or t:fire",
        "legal:standard",
        "-legal:ttcg/standard@2026-11-20",
        "f:emojo-dojo/box:half or -f:box:full",
        "banned:standard or restricted:standard",
    ] {
        for way in ["", "&total=true&limit=3", "&order=desc&limit=4", "&unique=printings&limit=5"] {
            paths.push(format!("/v1/cards?q={}{way}", query(q)));
        }
        for game in ["ttcg", "emoji-tcg"] {
            paths.push(format!("/v1/games/{game}/facets?q={}", query(q)));
        }
        for seed in 0..3 {
            paths.push(format!("/v1/cards/random?seed={seed}&q={}", query(q)));
        }
    }
    for game in ["ttcg", "emoji-tcg", "uno-emoji", "emojito", "emojo-dojo"] {
        paths.push(format!("/v1/games/{game}/facets"));
        paths.push(format!("/v1/cards/random?seed=x&game={game}"));
        paths.push(format!("/v1/collection/completion?game={game}"));
        for fields in ["", "&fields=name,number", "&order=desc"] {
            paths.push(format!("/v1/cards?game={game}&limit=9&total=true{fields}"));
        }
    }
    for set in ["veil", "hearth", "nowhere"] {
        paths.push(format!("/v1/collection/completion?game=ttcg&set={set}"));
    }
    paths.push("/v1/collection/completion?game=nothing".to_owned());
    paths.push("/v1/games/ttcg/facets?set=veil".to_owned());
    paths.push("/v1/games/ttcg/facets?set=nowhere".to_owned());
    let (mut answered, mut pages) = (0, 0);
    for first in &paths {
        for by in [None, Some(&holder)] {
            let mut path = first.clone();
            // The path of the next page comes from both instances in turn: each accepts the cursors of the other.
            for page in 0..3 {
                let there = ask(&database, by, &path).answer().await;
                let here = ask(&memory, by, &path).answer().await;
                assert_eq!(
                    comparable(&here),
                    comparable(&there),
                    "{path} page {page} {}",
                    by.is_some()
                );
                answered += usize::from(here.status == 200);
                let Some(further) = next(if page % 2 == 0 { &here } else { &there }) else { break };
                path = further;
                pages += 1;
            }
        }
    }
    assert!(answered > paths.len() && pages > paths.len() / 2, "{answered} {pages}");
    let text = |app: &TestApp| app.get("/v1/cards?q=fox").header("accept", "text/plain").answer();
    let (here, there) = tokio::join!(text(&memory), text(&database));
    assert_eq!(here.text(), there.text());
}

/// The space that stored texts begin with is no part of the text.
#[tokio::test]
async fn spaces_in_expressions_are_those_between_words() {
    let (database, memory) = pair(&["emojito"]).await;
    for app in [&database, &memory] {
        let all = names(app, "n:/./").await;
        let (mut several, found) = (all.clone(), names(app, "n:/ /").await);
        several.retain(|name| name.contains([' ', '-']));
        assert_eq!(found, several);
        assert!(!found.is_empty() && found.len() < all.len() / 2, "{found:?}");
        assert_eq!(names(app, "n:/^joy$/").await, ["Joy"]);
        for nothing in ["n:/^ /", "n:/ $/", "n:/  /", "n:/ joy/", "n:/.joy$/", "o:/ /", "n:/^$/"] {
            assert_eq!(names(app, nothing).await, [""; 0], "{nothing}");
        }
    }
}

#[tokio::test]
async fn changes_of_the_catalogue_show_in_memory() {
    let (database, memory) = pair(&["ttcg", "emoji-tcg"]).await;
    let admin = database.admin().await;
    let facets = "/v1/games/ttcg/facets?q=zzyzx";
    memory.get("/v1/cards?limit=200").answer().await.expect(200);
    memory.get(facets).answer().await.expect(200);
    // One card is changed, and one card is added.
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "hearth", |set| {
        set["cards"][0]["lore"] = json!("Zzyzx is here.");
        let mut new = set["cards"][1].clone();
        new["name"] = json!("Zzyzx Newcomer");
        new["number"] = json!("999");
        set["cards"].as_array_mut().unwrap().push(new);
        set["released_on"] = json!("2031-01-01");
    });
    database.import(&source).await.unwrap();
    memory.catch_up().await;
    assert_eq!(names(&memory, "zzyzx").await.len(), 2);
    assert_eq!(memory.get(facets).answer().await.expect(200)["cards"], 2);
    assert_eq!(names(&memory, "zzyzx year:2031").await.len(), 2);
    let listed = memory.get("/v1/cards?q=name:zzyzx").answer().await.expect(200);
    assert_eq!(listed["data"][0]["number"], "999");
    // A hidden card is unlocked.
    assert!(names(&memory, "set:veil -is:hidden").await.is_empty());
    let veil = database.get("/v1/cards?set=veil&limit=1").answer().await.expect(200);
    let card = veil["data"][0]["id"].as_str().unwrap();
    let reason = json!({ "reason": "for the test" });
    let unlock = database.post(&format!("/v1/cards/{card}/unlock")).by(&admin).json(&reason);
    let unlocked = unlock.answer().await;
    assert!(unlocked.status < 300, "{}", unlocked.text());
    memory.catch_up().await;
    let open = names(&memory, "set:veil -is:hidden").await;
    assert_eq!((open.len(), open[0].is_empty()), (1, false));
    // All lists are the same as from the database.
    for path in
        ["/v1/cards?limit=200", "/v1/cards?limit=200&order=desc", "/v1/cards?sort=year&order=desc"]
    {
        let (here, there) = (memory.get(path).answer().await, database.get(path).answer().await);
        assert_eq!(comparable(&here), comparable(&there), "{path}");
    }
}

/// Submissions are not in the change feed. A search that needs their counts loads them into memory.
#[tokio::test]
async fn submission_counts_show_in_memory() {
    let database = TestApp::start().await;
    database.import_set("dusk", 3, true).await;
    let copies = database.print("dusk", 3).await;
    let memory = database.second_instance_in_memory().await;
    let player = memory.player("player").await;
    let found = async |q: &str| {
        let path = format!("/v1/cards?q={}&fields=number", query(q));
        let page = memory.get(&path).answer().await.expect(200);
        let number = |card: &Value| card["number"].as_str().unwrap().to_owned();
        page["data"].as_array().unwrap().iter().map(number).collect::<Vec<_>>()
    };
    assert_eq!(found("submissions>=1").await, [""; 0]);
    assert_eq!(found("sort:submissions order:desc").await, ["001", "002", "003"]);
    let second = copies.iter().find(|copy| copy.number == "002").unwrap();
    let submitted = memory.submit(&player, second).await.expect(201);
    until("the submission is counted", async |_| found("submissions>=1").await == ["002"]).await;
    assert_eq!(found("sort:submissions order:desc").await, ["002", "001", "003"]);
    assert_eq!(found("-submissions:0 is:hidden").await, ["002"]);

    let session = &mut *memory.store().connection().await.unwrap();
    assert!(
        unlocks::load_counts(session, 0).await.unwrap().is_none(),
        "there are more counts than allowed"
    );
    let counted = unlocks::load_counts(session, 1).await.unwrap().unwrap();
    assert_eq!(counted.map(|(_, count)| count).collect::<Vec<_>>(), [1]);
    // Submissions of open cards are loaded as well, and new counts replace the cached facets.
    let admin = database.admin().await;
    let unlock = format!("/v1/cards/{}/unlock", submitted["card"]["id"].as_str().unwrap());
    let before = Arc::downgrade(&memory.cards_in_memory());
    database
        .post(&unlock)
        .by(&admin)
        .json(&json!({ "reason": "Shown on stage." }))
        .answer()
        .await
        .expect(200);
    memory.catch_up().await;
    until("the outdated snapshot of the cards is dropped", async |_| before.upgrade().is_none())
        .await;
    let counted = async |q: &str| {
        let path = format!("/v1/games/ttcg/facets?q={}", query(q));
        memory.get(&path).answer().await.expect(200)["cards"].as_u64().unwrap()
    };
    // The lock blocks searches in the database, so the following counts must come from memory.
    let session = database.db().session().await;
    session.batch_execute("BEGIN; LOCK TABLE card_content IN ACCESS EXCLUSIVE MODE").await.unwrap();
    assert_eq!((counted("submissions>=1").await, counted("submissions>=3").await), (1, 0));
    database.sql("UPDATE unlocks SET submissions = 3 WHERE unlocked_at IS NOT NULL").await;
    until("the facets are counted again", async |_| counted("submissions>=3").await == 1).await;
    session.batch_execute("ROLLBACK").await.unwrap();
}

#[tokio::test]
async fn an_instance_that_starts_during_changes_misses_none() {
    let database = TestApp::start_seeded(&["ttcg"]).await;
    let mut source = seed_data("ttcg");
    let changes = async {
        for round in 0..12_usize {
            edit_set(&mut source, "hearth", |set| {
                for (at, card) in set["cards"].as_array_mut().unwrap().iter_mut().enumerate() {
                    if at % 12 == round {
                        card["lore"] = json!(format!("Xyzzy {round}."));
                    }
                }
            });
            database.import(&source).await.unwrap();
        }
    };
    let starts = async {
        let mut instances = Vec::new();
        for _ in 0..6 {
            instances.push(database.second_instance_in_memory().await);
        }
        instances
    };
    let ((), instances) = tokio::join!(changes, starts);
    let path = format!("/v1/cards?limit=200&total=true&q={}", query("xyzzy"));
    let there = database.get(&path).answer().await;
    assert!(there.text().contains("Xyzzy 11."));
    for memory in &instances {
        memory.catch_up().await;
        assert_eq!(comparable(&memory.get(&path).answer().await), comparable(&there));
    }
}

/// The pages of a list contain each card once while the texts of cards change.
#[tokio::test]
async fn pages_contain_each_card_once_while_cards_change() {
    let (database, memory) = pair(&["ttcg"]).await;
    let mut source = seed_data("ttcg");
    let changes = async {
        for round in 0..8_usize {
            edit_set(&mut source, "hearth", |set| {
                for card in set["cards"].as_array_mut().unwrap().iter_mut().skip(round).step_by(8) {
                    card["lore"] = json!(format!("Another {round}."));
                }
            });
            database.import(&source).await.unwrap();
        }
    };
    let reads = async {
        for way in ["", "&sort=name", "&sort=attack&order=desc"] {
            let mut path = format!("/v1/cards?set=hearth&limit=7{way}");
            let mut seen = Vec::new();
            loop {
                let page = memory.get(&path).answer().await;
                let further = next(&page);
                for card in page.expect(200)["data"].as_array().unwrap() {
                    seen.push(card["number"].as_str().unwrap().to_owned());
                }
                let Some(further) = further else { break };
                path = further;
            }
            let all = seen.len();
            seen.sort();
            seen.dedup();
            assert_eq!((seen.len(), all), (158, 158), "{way}");
        }
    };
    tokio::join!(changes, reads);
}

#[tokio::test]
async fn without_the_change_feed_searches_run_in_the_database() {
    let database = TestApp::start_seeded(&["ttcg"]).await;
    // As in production, the cards in memory are trusted for one second after the last read of the feed.
    let memory = database.second_instance_with(|settings| {
        in_memory(settings);
        settings.card_cache_trust = Duration::from_secs(1);
    });
    tokio::time::timeout(Duration::from_mins(1), memory.shared().catalogue.clock().catch_up())
        .await
        .unwrap();
    let session = database.db().session().await;
    session.batch_execute("BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE").await.unwrap();
    while memory.shared().catalogue.cards().is_some() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // No event reports this change.
    database
        .sql("UPDATE card_content SET kind = 'zzyzx' WHERE card_id = (SELECT id FROM cards WHERE set_code = 'hearth' AND number = '001')")
        .await;
    let found = memory.get("/v1/cards?kind=zzyzx").answer().await.expect(200);
    assert_eq!(found["data"].as_array().unwrap().len(), 1);
    session.batch_execute("COMMIT").await.unwrap();
}
