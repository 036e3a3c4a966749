//! What a ban of an author changes for others: the change feed, bulk files and pages follow, in whatever order a ban, a
//! takedown and a release happen.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::join;
use serde_json::{Value, json};

use super::abuse_reports::{ban, decide, report_design};
use super::design_releases::{approve, release};
use super::{app, begun, changed, heron, shared, step};
use crate::catalogue::bulk_files::unpack;
use crate::collection::counts::send_during;
use crate::support::{Player, RequestExt as _, TestApp, in_memory, text, until};

const CARDS: &str = "/v1/bulk-files/ttcg-cards.ndjson.gz";
pub(super) const WAITING: &str = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

/// Creates a design that was never shared and releases it as a card; returns the paths of the design and of the card.
async fn released(app: &TestApp, author: &Player, staff: [&Player; 2], set: &str) -> [String; 2] {
    let [moderator, admin] = staff;
    let path = begun(app, author, &heron("Lantern Heron")).await;
    approve(app, author, moderator, &path).await;
    let place = json!({ "set": set, "number": "900" });
    let card = release(app, admin, &path, &place).await.expect(201);
    [path, format!("/v1/cards/{}", text(&card, "card"))]
}

async fn deck(app: &TestApp, owner: &Player, visibility: &str) -> String {
    let body = json!({ "name": "Embers", "format": "ttcg/standard", "visibility": visibility, "list": "2 Kettle Imp" });
    let answer = app.post("/v1/decks").by(owner).json(&body).answer().await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.header("location")
}

/// A copy of the public designs and decks that follows the change feed and believes it: what was withdrawn is deleted
/// without a look.
struct Mirror {
    next: i64,
    copies: BTreeMap<String, Value>,
}

impl Mirror {
    fn empty() -> Self {
        Self { next: 0, copies: BTreeMap::new() }
    }

    /// Follows the feed to its end; returns the kinds of the events of designs and decks, sorted.
    async fn follow(&mut self, app: &TestApp) -> Vec<String> {
        let mut kinds = Vec::new();
        loop {
            let path = format!("/v1/changes?game=ttcg&after={}", self.next);
            let page = app.get(&path).answer().await.expect(200);
            for event in page["data"].as_array().unwrap() {
                let (kind, member) = (
                    text(event, "kind"),
                    if event.get("deck").is_some() { "deck" } else { "design" },
                );
                let Some(id) = event[member].as_str() else { continue };
                let members: Vec<&str> =
                    event.as_object().unwrap().keys().map(String::as_str).collect();
                assert_eq!(
                    members.len(),
                    5,
                    "kind, game, number, time, and only the identifier: {members:?}"
                );
                let path = format!("/v1/{member}s/{id}");
                if kind.ends_with(".withdrawn") {
                    self.copies.remove(&path);
                } else if let Some(copy) = read_as_stranger(app, &path).await {
                    self.copies.insert(path, copy);
                }
                kinds.push(kind);
            }
            self.next = page["next_after"].as_i64().unwrap();
            if page["next_after"] == page["newest"] {
                kinds.sort();
                return kinds;
            }
        }
    }
}

/// What a stranger reads there.
async fn read_as_stranger(app: &TestApp, path: &str) -> Option<Value> {
    let answer = app.get(path).answer().await;
    assert!(matches!(answer.status, 200 | 404), "{}", answer.text());
    (answer.status == 200).then(|| answer.json())
}

/// Everything that strangers find: the gallery, and those of the decks that are public.
async fn public(app: &TestApp, decks: &[&String]) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    let gallery = app.get("/v1/designs?limit=100").answer().await.expect(200);
    let listed = gallery["data"].as_array().unwrap().iter();
    let mut paths: Vec<String> =
        listed.map(|design| format!("/v1/designs/{}", text(design, "id"))).collect();
    paths.extend(decks.iter().map(|deck| (*deck).clone()));
    for path in paths {
        if let Some(copy) = read_as_stranger(app, &path).await {
            found.insert(path, copy);
        }
    }
    found
}

/// A mirror that only follows the change feed has what strangers see, after a ban and after its end, also of what happened to the designs meanwhile.
#[tokio::test]
async fn a_mirror_follows_bans_of_authors() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let admin = app.admin().await;
    let mut mirror = Mirror::empty();
    let [official, _] = released(&app, &ada, [&mod_, &admin], "hearth").await;
    let plain = shared(&app, &ada, &heron("Quill Owl")).await;
    let withdrawn = shared(&app, &ada, &heron("Reed Stork")).await;
    mirror.follow(&app).await;
    step(&app, &ada, &withdrawn, "withdraw").await.expect(200);
    begun(&app, &ada, &heron("Slate Otter")).await;
    let of_bob = shared(&app, &bob, &heron("Pond Newt")).await;
    let (hers, his) = (deck(&app, &ada, "public").await, deck(&app, &bob, "public").await);
    deck(&app, &ada, "private").await;
    deck(&app, &ada, "unlisted").await;
    let deleted = deck(&app, &ada, "public").await;
    app.delete(&deleted).by(&ada).header("if-match", "*").answer().await.expect(204);
    let decks = [&hers, &his, &deleted];
    mirror.follow(&app).await;
    assert_eq!(mirror.copies, public(&app, &decks).await);
    let all = mirror.copies.clone();
    assert_eq!(all.len(), 5);
    let report = report_design(&app, &bob, &plain).await;

    ban(&app, &admin, &ada, true).await;
    let reported = mirror.follow(&app).await;
    assert_eq!(reported, ["deck.withdrawn", "design.withdrawn", "design.withdrawn"]);
    assert_eq!(mirror.copies, public(&app, &decks).await);
    assert_eq!(mirror.copies.keys().collect::<Vec<_>>(), [&his, &of_bob]);
    // A second ban changes nothing.
    ban(&app, &admin, &ada, true).await;
    assert_eq!(mirror.follow(&app).await, [] as [&str; 0]);
    // No event is written about what nobody sees.
    decide(&app, &mod_, &report, "upheld").await.expect(200);
    assert_eq!(mirror.follow(&app).await, [] as [&str; 0]);

    ban(&app, &admin, &ada, false).await;
    assert_eq!(mirror.follow(&app).await, ["deck.published", "design.official"]);
    assert_eq!(mirror.copies, public(&app, &decks).await);
    assert!(mirror.copies.contains_key(&official) && !mirror.copies.contains_key(&plain));

    ban(&app, &admin, &ada, true).await;
    assert_eq!(mirror.follow(&app).await, ["deck.withdrawn", "design.withdrawn"]);
    decide(&app, &mod_, &report, "dismissed").await.expect(200);
    assert_eq!(mirror.follow(&app).await, [] as [&str; 0]);
    ban(&app, &admin, &ada, false).await;
    let reported = mirror.follow(&app).await;
    assert_eq!(reported, ["deck.published", "design.official", "design.shared"]);
    assert_eq!(mirror.copies, public(&app, &decks).await);
    assert_eq!(mirror.copies.keys().collect::<Vec<_>>(), all.keys().collect::<Vec<_>>());
}

/// A release that runs beside a ban waits for it. Otherwise the new card could name the author in caches: the ban would not know of the card.
#[tokio::test]
async fn a_release_waits_for_a_ban_of_the_author() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let path = begun(&app, &ada, &heron("Lantern Heron")).await;
    approve(&app, &ada, &mod_, &path).await;
    let held = app.db().session().await;
    let begin = "BEGIN; UPDATE accounts SET banned_at = created_at WHERE name = 'ada'";
    held.batch_execute(begin).await.unwrap();
    let commit_when_awaited = async {
        until("the release waits", async |_| app.db().number(WAITING).await > 0).await;
        held.batch_execute("COMMIT").await.unwrap();
    };
    let place = json!({ "set": "hearth", "number": "900" });
    let (released, ()) = join(release(&app, &admin, &path, &place), commit_when_awaited).await;
    released.problem(409, "author_banned");
}

/// Takedowns and releases lock a design, then cards. So does a ban: while it waits for a design, it holds no card that the other waits for.
#[tokio::test]
async fn a_ban_locks_designs_before_cards() {
    let app = app().await;
    let (ada, mod_, admin) = (app.player("ada").await, app.moderator().await, app.admin().await);
    let [path, card] = released(&app, &ada, [&mod_, &admin], "veil").await;
    let takedown = app.db().session().await;
    let code = path.trim_start_matches("/v1/designs/");
    let lock = format!("BEGIN; SELECT FROM designs WHERE code = '{code}' FOR NO KEY UPDATE");
    takedown.batch_execute(&lock).await.unwrap();
    let lock_card = async {
        until("the ban waits", async |_| app.db().number(WAITING).await > 0).await;
        let card = card.trim_start_matches("/v1/cards/");
        let lock =
            format!("SELECT FROM unlocks WHERE card_id = '{card}' FOR UPDATE NOWAIT; COMMIT");
        takedown.batch_execute(&lock).await.expect("the ban does not hold the card");
    };
    join(ban(&app, &admin, &ada, true), lock_card).await;
    assert_eq!(
        app.db()
            .number("SELECT count(*) FROM accounts WHERE name = 'ada' AND banned_at IS NOT NULL")
            .await,
        1
    );
    app.get(&path).answer().await.problem(404, "not_found");
}

/// Feedback that waits while the author is banned is refused: the ban has withdrawn what it is about.
#[tokio::test]
async fn feedback_that_waits_for_a_ban_of_the_author_is_not_stored() {
    let app = app().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let design = shared(&app, &ada, &heron("Lantern Heron")).await;
    let deck = deck(&app, &ada, "public").await;
    let better = changed(heron("Lantern Heron"), &json!({ "flavour": "It waits." }));
    let (comment, scores, suggestion) = (
        json!({ "text": "Too cheap." }),
        json!({ "fun": 5, "balance": 4, "flavour": 3, "clarity": 2 }),
        json!({ "revision": 1, "message": "Like this?", "design": better }),
    );
    let requests = [
        app.put(&format!("{deck}/like")).by(&ben),
        app.post(&format!("{deck}/comments")).by(&ben).json(&comment),
        app.post(&format!("{design}/comments")).by(&ben).json(&comment),
        app.put(&format!("{design}/rating")).by(&ben).json(&scores),
        app.post(&format!("{design}/suggestions")).by(&ben).json(&suggestion),
    ];
    // What a ban locks and changes.
    let ban = "UPDATE accounts SET banned_at = created_at WHERE name = 'ada'; \
         SELECT FROM designs FOR NO KEY UPDATE; SELECT FROM decks FOR NO KEY UPDATE";
    for request in requests {
        send_during(&app, ban, request.answer()).await.problem(404, "not_found");
        app.sql("UPDATE accounts SET banned_at = NULL WHERE name = 'ada'").await;
    }
    for table in ["deck_likes", "design_comments", "design_ratings", "suggested_changes"] {
        let count = format!("SELECT count(*) FROM {table}");
        assert_eq!(app.db().number(&count).await, 0, "{table}");
    }
}

/// The ban was sent first, but what it withdraws was shared while it waited for a lock: the feed has the order of the changes.
#[tokio::test]
async fn a_design_that_is_shared_while_a_ban_waits_is_withdrawn_after_it() {
    let app = app().await;
    let (ada, admin) = (app.player("ada").await, app.admin().await);
    let mut mirror = Mirror::empty();
    let drafts = [
        begun(&app, &ada, &heron("Lantern Heron")).await,
        begun(&app, &ada, &heron("Quill Owl")).await,
    ];
    mirror.follow(&app).await;
    // A ban locks the designs in the order of their ids: this is the first.
    let first = app.db().value("SELECT code FROM designs ORDER BY id LIMIT 1").await;
    let second = drafts.into_iter().find(|path| !path.ends_with(&first)).unwrap();
    let edit = app.db().session().await;
    let lock = format!("BEGIN; SELECT FROM designs WHERE code = '{first}' FOR NO KEY UPDATE");
    edit.batch_execute(&lock).await.unwrap();
    let share_when_it_waits = async {
        until("the ban waits", async |_| app.db().number(WAITING).await > 0).await;
        app.clock().advance(chrono::Duration::seconds(1));
        step(&app, &ada, &second, "share").await.expect(200);
        edit.batch_execute("COMMIT").await.unwrap();
    };
    join(ban(&app, &admin, &ada, true), share_when_it_waits).await;
    let reported = mirror.follow(&app).await;
    assert_eq!(reported, ["design.shared", "design.withdrawn"]);
    assert!(mirror.copies.is_empty());
}

/// Bulk files and the page of a card name the author exactly while the card does.
#[tokio::test]
async fn bulk_files_and_pages_do_not_name_banned_authors() {
    let app = TestApp::start_seeded_with(&["ttcg"], in_memory).await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let admin = app.admin().await;
    let [path, card] = released(&app, &ada, [&mod_, &admin], "hearth").await;
    let report = report_design(&app, &bob, &path).await;
    let id = card.trim_start_matches("/v1/cards/");
    // Whether the file and the page name the author. They must agree with the card.
    let is_named = async || {
        app.catch_up().await;
        app.build_bulk_files().await;
        let file = app.get(CARDS).answer().await;
        assert_eq!(file.status, 200, "{}", file.text());
        let file = unpack(&file.bytes);
        let mut lines = file.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let line = lines.find(|line| line["id"] == id).expect("the file has the card");
        let page = app.get("/cards/ttcg/hearth/900").answer().await;
        assert_eq!(page.status, 200, "{}", page.text());
        let named = app.get(&card).answer().await.expect(200).get("designed_by").is_some();
        assert_eq!(line.get("designed_by").is_some(), named, "{line}");
        assert_eq!(file.contains(&ada.id), named);
        assert_eq!(page.text().contains("dir=\"auto\">ada</a>"), named);
        named
    };
    assert!(is_named().await);
    ban(&app, &admin, &ada, true).await;
    assert!(!is_named().await);
    ban(&app, &admin, &ada, false).await;
    assert!(is_named().await);
    decide(&app, &mod_, &report, "upheld").await.expect(200);
    assert!(!is_named().await);
    decide(&app, &mod_, &report, "dismissed").await.expect(200);
    assert!(is_named().await);
}

/// Whoever bans an author or decides a report sees the result at once on this instance, although it caches cards.
#[tokio::test]
async fn the_cached_card_follows_bans_and_takedowns_at_once() {
    let with_short_trust = |settings: &mut cardscape::app::state::ApiSettings| {
        in_memory(settings);
        // Shorter than answers wait for the feed: a cache that is behind is not used.
        settings.card_cache_trust = Duration::from_millis(300);
    };
    let app = TestApp::start_seeded_with(&["ttcg"], with_short_trust).await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let admin = app.admin().await;
    let [path, card] = released(&app, &ada, [&mod_, &admin], "hearth").await;
    let report = report_design(&app, &bob, &path).await;
    app.catch_up().await;
    let is_named = async || app.get(&card).answer().await.expect(200).get("designed_by").is_some();
    for _ in 0..2 {
        assert!(is_named().await, "the first answer is cached");
    }
    for banned in [true, false] {
        ban(&app, &admin, &ada, banned).await;
        assert_eq!(is_named().await, !banned);
    }
    for (decision, named) in [("upheld", false), ("dismissed", true)] {
        decide(&app, &mod_, &report, decision).await.expect(200);
        assert_eq!(is_named().await, named, "{decision}");
    }
}

/// A card that names nobody before and after a ban or a takedown has no event: it would tell who designed the card, or what happens to a design that
/// nobody sees.
#[tokio::test]
async fn a_card_that_names_nobody_has_no_events() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let admin = app.admin().await;
    let [path, card] = released(&app, &ada, [&mod_, &admin], "hearth").await;
    let report = report_design(&app, &bob, &path).await;
    // Whether the card names the author, and how many events it has.
    let state = async || {
        let named = app.get(&card).answer().await.expect(200).get("designed_by").is_some();
        let events = "SELECT count(*) FROM events WHERE kind = 'card.changed'";
        (named, app.db().number(events).await)
    };
    let (named, first) = state().await;
    assert!(named);
    decide(&app, &mod_, &report, "upheld").await.expect(200);
    assert_eq!(state().await, (false, first + 1));
    for banned in [true, false, true] {
        ban(&app, &admin, &ada, banned).await;
        assert_eq!(state().await, (false, first + 1), "{banned}: it is taken down");
    }
    for decision in ["dismissed", "upheld", "dismissed"] {
        decide(&app, &mod_, &report, decision).await.expect(200);
        assert_eq!(state().await, (false, first + 1), "{decision}: the author is banned");
    }
    ban(&app, &admin, &ada, false).await;
    assert_eq!(state().await, (true, first + 2));
}

/// A mirror learns of each revision that everybody sees, and of nothing else.
#[tokio::test]
async fn a_mirror_follows_revisions_of_shared_designs() {
    let app = app().await;
    let (ada, bob, mod_) =
        (app.player("ada").await, app.player("bob").await, app.moderator().await);
    let mut mirror = Mirror::empty();
    let path = shared(&app, &ada, &heron("Quill Owl")).await;
    mirror.follow(&app).await;
    let revise = async |name: &str| {
        let put = app.put(&path).by(&ada).header("if-match", "*").json(&heron(name));
        put.answer().await.expect(200);
    };
    revise("Quill Hawk").await;
    assert_eq!(mirror.follow(&app).await, ["design.changed"]);
    assert_eq!(mirror.copies[&path]["name"], "Quill Hawk");
    assert_eq!(mirror.copies, public(&app, &[]).await);

    // Comments are no revisions, and neither are revisions of a design that nobody else sees.
    let comment = app.post(&format!("{path}/comments")).by(&bob).json(&json!({ "text": "Well." }));
    comment.answer().await.expect(201);
    let draft = begun(&app, &ada, &heron("Slate Otter")).await;
    let put = app.put(&draft).by(&ada).header("if-match", "*").json(&heron("Slate Stoat"));
    put.answer().await.expect(200);
    assert_eq!(mirror.follow(&app).await, [] as [&str; 0]);
    step(&app, &ada, &path, "withdraw").await.expect(200);
    assert_eq!(mirror.follow(&app).await, ["design.withdrawn"]);
    revise("Quill Kite").await;
    assert_eq!(mirror.follow(&app).await, [] as [&str; 0]);
    step(&app, &ada, &path, "share").await.expect(200);
    assert_eq!(mirror.follow(&app).await, ["design.shared"]);
    assert_eq!(mirror.copies[&path]["name"], "Quill Kite");

    let report = report_design(&app, &bob, &path).await;
    decide(&app, &mod_, &report, "upheld").await.expect(200);
    assert_eq!(mirror.follow(&app).await, ["design.withdrawn"]);
}
