//! Data of listed designs that the service holds in memory: names and effects, pages of the gallery, and pictures.

use std::cell::Cell;

use cardscape::auth::permission::{Granted, ReadOwnDesigns};
use cardscape::domain::designs::identifier::DesignCode;
use cardscape::domain::designs::name_looks::{Name, NameLooks};
use cardscape::domain::text::name_skeleton;
use cardscape::memory::listed_designs::MayClash;
use cardscape::store::designs::design_changes::RETENTION;
use cardscape::store::designs::likeness::{self, LikenessQuery};
use cardscape_engine::name_key;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use super::abuse_reports::report_design;
use super::{app, changed, heron, put, shared, step, uploaded};
use crate::support::{Player, RequestExt as _, TestApp, in_memory};

/// A change of one of the numbered designs, or of an author.
#[derive(Clone, Debug)]
enum DesignChange {
    Shared { design: u8, author: usize, name: String, effects: u8 },
    Revised { design: u8, name: String, effects: u8 },
    Withdrawn { design: u8 },
    SharedAgain { design: u8 },
    Approved { design: u8 },
    Deleted { design: u8 },
    Banned { author: usize },
    Forgiven { author: usize },
}

fn any_change() -> impl Strategy<Value = DesignChange> {
    let name = || "[abc]{1,5}( [abcé]{1,3})?";
    prop_oneof![
        6 => (0..120_u8, 0..3_usize, name(), 0..4_u8)
            .prop_map(|(design, author, name, effects)| DesignChange::Shared { design, author, name, effects }),
        2 => (0..120_u8, name(), 0..4_u8)
            .prop_map(|(design, name, effects)| DesignChange::Revised { design, name, effects }),
        1 => (0..120_u8).prop_map(|design| DesignChange::Withdrawn { design }),
        1 => (0..120_u8).prop_map(|design| DesignChange::SharedAgain { design }),
        1 => (0..120_u8).prop_map(|design| DesignChange::Approved { design }),
        1 => (0..120_u8).prop_map(|design| DesignChange::Deleted { design }),
        1 => (0..3_usize).prop_map(|author| DesignChange::Banned { author }),
        1 => (0..3_usize).prop_map(|author| DesignChange::Forgiven { author }),
    ]
}

impl DesignChange {
    /// The SQL statement of the change. A statement with a name that is taken changes nothing.
    fn sql(&self, authors: &[Player]) -> String {
        let id = |design: &u8| format!("'01900000-0000-7000-8000-{design:012x}'");
        let columns = |name: &str, effects: &u8| {
            let (key, skeleton) = (name_key(name), name_skeleton(name));
            format!("'{name}', '{key}', '{skeleton}', decode(md5('{effects}'), 'hex')")
        };
        let is_free = |name: &str| {
            format!(
                "NOT EXISTS (SELECT FROM designs WHERE listed AND name_skeleton = '{}')",
                name_skeleton(name)
            )
        };
        // The trigger deletes the looks when a statement changes the name.
        let looks = |design: &u8, name: &str| {
            let hashes = NameLooks::of(name).hashes("ttcg").all();
            let hashes = hashes.map(|hash| format!("'\\x{:032x}'", u128::from_be_bytes(hash)));
            format!(
                "UPDATE designs SET name_looks = ARRAY[{}]::bytea[] WHERE id = {} AND name = '{name}'",
                hashes.join(", "),
                id(design),
            )
        };
        match self {
            Self::Shared { design, author, name, effects } => format!(
                "INSERT INTO designs (id, code, account_id, game_code, status, version, revision, public_revision, kind, shared_at, created_at, updated_at, \
                  name, name_key, name_skeleton, effects_key) \
                 SELECT {}, '{}', '{}', 'ttcg', 'shared', 1, 1, 1, 'unit', now(), now(), now(), {} WHERE {} ON CONFLICT DO NOTHING; {}",
                id(design),
                DesignCode::from_random([design % 32, design / 32, 3, 4, 5, 6, 7, 8, 9]),
                authors[*author].id,
                columns(name, effects),
                is_free(name),
                looks(design, name),
            ),
            Self::Revised { design, name, effects } => format!(
                "UPDATE designs SET revision = revision + 1, public_revision = revision + 1, (name, name_key, name_skeleton, effects_key) = ROW ({}) \
                 WHERE id = {} AND {}; {}",
                columns(name, effects),
                id(design),
                is_free(name),
                looks(design, name),
            ),
            Self::Withdrawn { design } => {
                format!("UPDATE designs SET status = 'withdrawn' WHERE id = {}", id(design))
            }
            Self::SharedAgain { design } => format!(
                "UPDATE designs d SET status = 'shared' WHERE id = {} AND NOT EXISTS \
                 (SELECT FROM designs o WHERE o.listed AND o.name_skeleton = d.name_skeleton)",
                id(design)
            ),
            Self::Approved { design } => format!(
                "UPDATE designs SET status = 'approved' WHERE status = 'shared' AND id = {}",
                id(design)
            ),
            Self::Deleted { design } => format!("DELETE FROM designs WHERE id = {}", id(design)),
            Self::Banned { author } => {
                format!(
                    "UPDATE accounts SET banned_at = now() WHERE id = '{}'",
                    authors[*author].id
                )
            }
            Self::Forgiven { author } => {
                format!("UPDATE accounts SET banned_at = NULL WHERE id = '{}'", authors[*author].id)
            }
        }
    }
}

/// After any changes, the index in memory and the database find the same designs.
#[tokio::test]
async fn memory_finds_what_the_database_finds() {
    let app = TestApp::start_seeded_with(&["ttcg"], in_memory).await;
    let mut authors = Vec::new();
    for name in ["ada", "bob", "cyd"] {
        authors.push(app.player(name).await);
    }
    let mut runner = TestRunner::deterministic();
    let (mut found, mut found_by_looks) = (0, 0);
    let ruled_out = Cell::new(0);
    for round in 0..8 {
        // The statements run in one transaction, or each statement in its own transaction.
        let all =
            proptest::collection::vec(any_change(), 40).new_tree(&mut runner).unwrap().current();
        let statements: Vec<String> = all.iter().map(|one| one.sql(&authors)).collect();
        if round % 2 == 0 {
            app.sql(&statements.join("; ")).await;
        } else {
            for statement in &statements {
                app.sql(statement).await;
            }
        }
        app.catch_up().await;
        for _ in 0..40 {
            let (name, effects, except) =
                ("[abcd]{0,6}", 0..6_u8, 0..120_u8).new_tree(&mut runner).unwrap().current();
            let (key, skeleton) = (name_key(&name), name_skeleton(&name));
            let query = LikenessQuery {
                game: if effects == 5 { "none" } else { "ttcg" },
                name_key: &key,
                name_skeleton: &skeleton,
                looks: None,
                effects_key: (effects < 4).then(|| md5(effects)),
                except: Some(DesignCode::from_random([
                    except % 32,
                    except / 32,
                    3,
                    4,
                    5,
                    6,
                    7,
                    8,
                    9,
                ])),
            };
            let cached = app.shared().listed_designs.find_alike(None, &query, |_, _| true).unwrap();
            let mut conn = app.store().connection().await.unwrap();
            let requester = None::<&Granted<ReadOwnDesigns>>;
            let stored = likeness::find_alike(&mut conn, requester, &query).await.unwrap();
            assert_eq!(cached, stored, "{name:?} after {all:?}");
            found += cached.len();
            let none = app.shared().listed_designs.find_alike(None, &query, |_, _| false).unwrap();
            assert!(none.iter().all(|design| design.same_effects));
            if key.is_empty() {
                continue;
            }
            // Names that cannot clash do not.
            let wanted = NameLooks::of(&name);
            let looks = wanted.hashes(query.game);
            let query = LikenessQuery { looks: Some(&looks), ..query };
            let is_like = |other: Name<'_>, may_clash: MayClash| {
                let clash = wanted.likeness(other);
                assert!(may_clash == MayClash::Yes || clash.is_none(), "{name:?} {other:?}");
                ruled_out.set(ruled_out.get() + usize::from(may_clash == MayClash::No));
                clash.is_some()
            };
            app.shared().listed_designs.find_alike(None, &query, is_like).unwrap();
        }
        // Names that share only a look with the names of designs: without accents, or in letters of another script.
        for change in &all {
            let (DesignChange::Shared { name, .. } | DesignChange::Revised { name, .. }) = change
            else {
                continue;
            };
            for like in [name.replace('é', "e"), name.replace('a', "\u{410}").to_uppercase()] {
                let looks = NameLooks::of(&like).hashes("ttcg");
                let query = LikenessQuery {
                    game: "ttcg",
                    name_key: "",
                    name_skeleton: "",
                    looks: Some(&looks),
                    effects_key: None,
                    except: None,
                };
                let cached =
                    app.shared().listed_designs.find_alike(None, &query, |_, _| true).unwrap();
                let mut conn = app.store().connection().await.unwrap();
                let requester = None::<&Granted<ReadOwnDesigns>>;
                let stored = likeness::find_alike(&mut conn, requester, &query).await.unwrap();
                assert_eq!(cached, stored, "{like:?} after {all:?}");
                found_by_looks += cached.len();
            }
        }
    }
    assert!(found > 1_000, "{found}");
    assert!(found_by_looks > 20, "{found_by_looks}");
    assert!(ruled_out.get() > 100, "{}", ruled_out.get());
}

/// The MD5 hash of a number, as the SQL statements above calculate it.
fn md5(number: u8) -> [u8; 16] {
    let hex = match number {
        0 => "cfcd208495d565ef66e7dff9f98764da",
        1 => "c4ca4238a0b923820dcc509a6f75849b",
        2 => "c81e728d9d4c2f636f067f89cc14862c",
        _ => "eccbc87e4b5ce2fe28308fd9f2a7baf3",
    };
    u128::from_str_radix(hex, 16).unwrap().to_be_bytes()
}

/// An instance with a cache gives the same answers as an instance without a cache, after each change of a design on the other instance.
#[tokio::test]
async fn cached_answers_follow_the_database() {
    let app = app().await;
    let (ada, bob, admin) = (app.player("ada").await, app.player("bob").await, app.admin().await);
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    shared(&app, &bob, &heron("Lantern Herons")).await;
    let other = app.second_instance_in_memory().await;
    let picture = format!("{path}/picture");
    let lists = [
        "/v1/designs?game=ttcg",
        "/v1/designs?sort=rating&limit=1",
        "/v1/designs?q=t:earth",
        // Words are searched in memory, with other conditions and in all orders.
        "/v1/designs?q=lantern&limit=1",
        "/v1/designs?q=stor+-herons&kind=unit&sort=rating",
        "/v1/designs?q=lantern+(comments:1+or+by:bob)&status=shared&sort=comments",
        "/v1/designs?q=lantern+game:ttcg&author=ada&name=stork&sort=name",
        &picture,
    ];
    let steps =
        ["nothing", "revised", "commented", "rated", "banned", "forgiven", "withdrawn", "shared"];
    for happened in steps {
        match happened {
            "revised" => {
                let tag = app.get(&path).by(&ada).answer().await.header("etag");
                let revised = changed(heron("Lantern Stork"), &json!({ "kind": "unit" }));
                put(&app, &ada, &path, &tag, &revised).await.expect(200);
            }
            "commented" => {
                let body = json!({ "text": "Well." });
                app.post(&format!("{path}/comments"))
                    .by(&bob)
                    .json(&body)
                    .answer()
                    .await
                    .expect(201);
            }
            "rated" => {
                app.sql("UPDATE designs SET rating_count = 1, rating_points = 20 WHERE name = 'Lantern Stork'").await;
            }
            "banned" | "forgiven" => {
                let banned = json!({ "banned": happened == "banned" });
                let account = format!("/v1/accounts/{}", ada.id);
                let answer = app.patch(&account).by(&admin).json(&banned).answer().await;
                assert!(answer.status < 300, "{}", answer.text());
            }
            "withdrawn" | "shared" => {
                // The ban ended the sessions.
                let ada = app.log_in(&ada.name, &ada.password).await;
                let name = if happened == "shared" { "share" } else { "withdraw" };
                step(&app, &ada, &path, name).await.expect(200);
            }
            _ => {}
        }
        other.catch_up().await;
        for list in &lists {
            for _ in 0..2 {
                let (cached, stored) =
                    (other.get(list).answer().await, app.get(list).answer().await);
                assert_eq!(cached.status, stored.status, "{list} {happened}");
                // Every refusal contains its own number, so the texts of refusals differ.
                if stored.status == 200 {
                    assert_eq!(cached.text(), stored.text(), "{list} {happened}");
                }
                assert_eq!(cached.headers.get("link"), stored.headers.get("link"));
            }
        }
        for name in ["Lantern Heron", "Lantern Stork"] {
            let check = |app: &TestApp| app.post("/v1/design-checks").json(&heron(name)).answer();
            assert_eq!(check(&other).await.text(), check(&app).await.text(), "{name} {happened}");
        }
    }
}

/// An instance that was suspended reads all designs again when the notes of changes may have been deleted meanwhile.
#[tokio::test]
async fn changes_whose_notes_were_deleted_are_not_missed() {
    let app = app().await;
    let ada = app.player("ada").await;
    shared(&app, &ada, &heron("Lantern Heron")).await;
    let other = app.second_instance_in_memory().await;
    let count = async || {
        let check = other.post("/v1/design-checks").json(&heron("Lantern Heron")).answer().await;
        check.expect(200)["same_effects"].as_array().unwrap().len()
    };
    // In one transaction, so that the instance never reads the note.
    app.sql("UPDATE designs SET status = 'withdrawn'; DELETE FROM design_changes").await;
    other.catch_up().await;
    assert_eq!(count().await, 1, "the instance does not know the change");
    app.clock().advance(RETENTION);
    other.catch_up().await;
    assert_eq!(count().await, 0);
}

/// The instance that makes a change does not return cached data from before, not even for the short time that other instances need.
#[tokio::test]
async fn the_instance_that_makes_a_change_shows_it_at_once() {
    let app = app().await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    let own = app.second_instance_in_memory().await;
    let picture = format!("{path}/picture");
    for round in 0..10 {
        let banned = round % 2 == 0;
        // The two requests fill the cache with the data from before the change.
        own.get(&picture).answer().await;
        own.get("/v1/designs?game=ttcg").answer().await;
        own.get("/v1/designs?q=heron").answer().await;
        let change = own.patch(&format!("/v1/accounts/{}", ada.id)).by(&admin);
        change.json(&json!({ "banned": banned })).answer().await.expect(200);
        let (status, shown) = if banned { (404, 0) } else { (200, 1) };
        assert_eq!(own.get(&picture).answer().await.status, status, "round {round}");
        for list in ["/v1/designs?game=ttcg", "/v1/designs?q=heron"] {
            let gallery = own.get(list).answer().await.expect(200);
            assert_eq!(gallery["data"].as_array().unwrap().len(), shown, "{list} round {round}");
        }
        let check = own.post("/v1/design-checks").json(&heron("Lantern Heron")).answer().await;
        let check = check.expect(200);
        let count = |list: &Value| list.as_array().unwrap().len();
        let like = [&check["same_effects"], &check["name"]["like"]].map(count);
        assert_eq!(like, [shown, shown], "round {round}");
        assert_eq!(check["name"]["available"], banned, "round {round}");
        own.catch_up().await;
    }
}

/// Feedback is counted at once in a search on the instance where it is written.
#[tokio::test]
async fn a_search_counts_new_comments_at_once() {
    let app = app().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    let own = app.second_instance_in_memory().await;
    for round in 1..4 {
        own.get("/v1/designs?q=heron").answer().await.expect(200);
        let comment = json!({ "text": format!("Comment {round}.") });
        let comment = own.post(&format!("{path}/comments")).by(&bob).json(&comment);
        comment.answer().await.expect(201);
        let found = own.get("/v1/designs?q=heron").answer().await.expect(200);
        assert_eq!(found["data"][0]["comment_count"], round);
        own.catch_up().await;
        let found = own.get("/v1/designs?q=heron").answer().await.expect(200);
        assert_eq!(found["data"][0]["comment_count"], round);
    }
}

/// A takedown removes an artwork from all designs that show it: none of their columns changes.
#[tokio::test]
async fn searches_in_memory_show_no_artwork_that_was_taken_down() {
    let app = app().await;
    let (ada, bob, moderator) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let artwork = json!({ "artwork": { "id": uploaded(&app, &ada, 1).await } });
    let path = shared(&app, &ada, &changed(heron("Lantern Heron"), &artwork)).await;
    shared(&app, &ada, &changed(heron("Pond Stork"), &artwork)).await;
    let other = app.second_instance_in_memory().await;
    let report = report_design(&app, &bob, &path).await;
    for (decision, shown) in [("upheld", false), ("dismissed", true)] {
        let before = other.get("/v1/designs?q=stork").answer().await.expect(200);
        assert_eq!(before["data"][0]["image_uris"].get("artwork").is_some(), !shown);
        let verdict = json!({ "decision": decision, "note": "Copied.", "artwork": true });
        let verdict =
            app.post(&format!("/v1/abuse-reports/{report}/decide")).by(&moderator).json(&verdict);
        verdict.answer().await.expect(200);
        other.catch_up().await;
        let found = other.get("/v1/designs?q=stork").answer().await.expect(200);
        assert_eq!(found["data"][0]["image_uris"].get("artwork").is_some(), shown, "{decision}");
    }
}
