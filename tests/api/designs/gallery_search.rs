//! Compares searches for designs with a test of each single design, for random designs and random queries.

use std::collections::BTreeSet;
use std::time::Duration;

use cardscape::domain::designs::content::DesignContent;
use cardscape::domain::designs::gallery::GallerySort;
use cardscape::domain::designs::identifier::DesignCode;
use cardscape::search::index::{
    CardContent, CardRecord, EffectTags, PrintingRecord, Snapshot, Unlock,
};
use cardscape::search::{
    self, CardQuery, DesignTest, KnownTest, Predicate, Scope, SortKey, Unique, Words,
};
use cardscape::store::db::backlog::UNTIL_DONE;
use cardscape::store::designs::design_search;
use cardscape::store::designs::gallery::GalleryFilter;
use cardscape_engine::rng::{RandomNumbers as _, SplitMix64};
use cardscape_engine::{Game, search_key};
use serde_json::{Value, json};

use super::gallery::query;
use super::{heron, shared, step};
use crate::support::{RequestExt as _, TestApp, in_memory};

struct Chance(SplitMix64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.0.below_by_product(end as u64)).unwrap()
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    fn some<'a>(&mut self, list: &[&'a str]) -> Vec<&'a str> {
        list.iter().filter(|_| self.one_in(3)).copied().collect()
    }

    fn words(&mut self, most: usize) -> String {
        let count = 1 + self.below(most);
        (0..count).map(|_| self.of(WORDS)).collect::<Vec<_>>().join(" ")
    }
}

const WORDS: &[&str] =
    &["draw", "one", "card", "discard", "two", "Éclair", "river", "rivers", "🔥", "x-ray", "12"];
const STATUSES: &[&str] =
    &["shared", "shared", "submitted", "approved", "declined", "official", "withdrawn", "draft"];

/// The random content of a design, which may be valid or invalid.
fn content(chance: &mut Chance, game: &str, number: usize) -> Value {
    let mut attributes = serde_json::Map::new();
    let mut set = |code: &str, value: Value| drop(attributes.insert(code.to_owned(), value));
    if game == "ttcg" {
        if !chance.one_in(5) {
            set("type", chance.of(&["earth", "fire", "dark", "spell", "nonsense"]).into());
        }
        if !chance.one_in(4) {
            set("subtypes", chance.some(&["beast", "reptile", "ghost", "nobody"]).into());
        }
        for code in ["attack", "defense"] {
            if !chance.one_in(4) {
                set(code, (chance.below(8) * 100).into());
            }
        }
        match chance.below(6) {
            0 => set("rank", "2".into()),
            1 => set("rank", json!([1, 2])),
            _ => set("rank", (1 + chance.below(4)).into()),
        }
    } else {
        set("type", chance.of(&["faces", "vibes", "tech"]).into());
        set("stage", chance.of(&["basicmoji", "supermoji", "megamoji"]).into());
        set("power", chance.below(5).into());
        set("keywords", chance.some(&["mute", "viral", "boost"]).into());
        set("emoji", chance.of(&["🔥", "🦊"]).into());
    }
    let effects: Vec<Value> = (0..chance.below(3))
        .map(|_| {
            let mut effect = json!({ "text": chance.words(6) });
            if game == "ttcg" && chance.one_in(2) {
                effect["style"] = chance.of(&["normal", "passive", "counter"]).into();
            }
            if game != "ttcg" {
                effect["slot"] = chance.of(&["post", "upgrade", "glitch"]).into();
            }
            effect
        })
        .collect();
    let mut printings = Vec::new();
    if game == "ttcg" && chance.one_in(3) {
        printings.push(json!({
            "rarity": chance.of(&["rare", "common", "none_such"]),
            "attributes": { "attack": chance.below(9) * 100, "type": "fire" },
        }));
    }
    let mut design = json!({
        "name": format!("{} {number}", chance.words(2)),
        "kind": match game { "ttcg" => chance.of(&["unit", "spell", "thing"]), _ => "emoji" },
        "attributes": attributes, "effects": effects, "printings": printings,
    });
    if chance.one_in(3) {
        design["flavour"] = chance.words(4).into();
    }
    if chance.one_in(3) {
        design["lore"] = chance.words(9).into();
    }
    design
}

struct Design {
    record: CardRecord,
    code: String,
    author: &'static str,
    status: &'static str,
    comments: i64,
    rating: Option<i64>,
    ratings: i64,
    minute: usize,
    is_seen: bool,
}

/// The design as a card of the index.
fn record(id: u128, game: &Game, code: &str, content: &DesignContent) -> CardRecord {
    let definition = content.definition(game);
    let lore: Vec<&str> =
        [&content.flavour, &content.lore].into_iter().flatten().map(String::as_str).collect();
    let lore = lore.join("\n");
    let words = Words::of(&content.name, &content.effects, Some(&lore), &content.attributes);
    let effects = content.effects.iter();
    let printings = definition.printings.iter().zip(1..);
    CardRecord {
        id,
        game: game.code().to_owned(),
        set: String::new(),
        number: code.to_owned(),
        unlock: Unlock::Never,
        content: Some(CardContent {
            name: content.name.clone(),
            kind: content.kind.clone(),
            attributes: content.attributes.clone(),
            effects: effects
                .map(|effect| EffectTags { style: effect.style.clone(), slot: effect.slot.clone() })
                .collect(),
            has_lore: !lore.is_empty(),
            words,
            printings: printings
                .map(|(printing, tier)| PrintingRecord {
                    rarity: printing.rarity.clone(),
                    tier,
                    attributes: printing.attributes.to_map(),
                })
                .collect(),
        }),
    }
}

/// Writes designs without search rows, like a program that does not know the search.
async fn write(app: &TestApp, chance: &mut Chance, games: &[&Game], many: usize) -> Vec<Design> {
    let mut designs = Vec::new();
    let mut statements = String::new();
    for number in 0..many {
        let game = games[number % games.len()];
        let text = content(chance, game.code(), number);
        let parsed: DesignContent = serde_json::from_value(text.clone()).unwrap();
        let (code, id) = (DesignCode::generate().to_string(), uuid::Uuid::now_v7());
        let author = ["ada", "bob", "eve"][number % 3];
        let status = STATUSES[chance.below(STATUSES.len())];
        let public = if status == "draft" { "NULL" } else { "1" };
        let shared = if status == "draft" {
            "NULL".to_owned()
        } else {
            format!("timestamptz '2026-01-01' + interval '1 minute' * {}", number / 2)
        };
        let comments = i64::try_from(chance.below(4)).unwrap();
        let ratings = i64::try_from(chance.below(3)).unwrap();
        let points = ratings * 4 * i64::try_from(1 + chance.below(5)).unwrap();
        let quoted = |text: &str| text.replace('\'', "''");
        let (name, key, kind) = (&parsed.name, parsed.name_key(), &parsed.kind);
        statements.push_str(&format!(
            "INSERT INTO designs (id, code, account_id, game_code, status, version, revision, public_revision, name, name_key, name_skeleton, kind, \
              shared_at, created_at, updated_at, comment_count, rating_count, rating_points) \
             SELECT '{id}', '{code}', id, '{}', '{status}', 1, 1, {public}, '{}', '{}', '{number}', '{kind}', {shared}, now(), now(), \
              {comments}, {ratings}, {points} FROM accounts WHERE name = '{author}'; \
             INSERT INTO design_revisions VALUES ('{id}', 1, '{}', now());",
            game.code(), quoted(name), quoted(&key), quoted(&text.to_string()),
        ));
        designs.push(Design {
            record: record(id.as_u128(), game, &code, &parsed),
            code,
            author,
            status,
            comments,
            rating: (ratings > 0).then(|| {
                let of = 4 * (5 + ratings);
                // Postgres divides integers in the same way.
                100 * (60 + points) / of
            }),
            ratings,
            minute: number / 2,
            is_seen: !matches!(status, "draft" | "withdrawn") && author != "eve",
        });
    }
    app.sql(&statements).await;
    designs
}

const TERMS: &[&str] = &[
    "t:earth",
    "t:fire",
    "t:unit",
    "type=dark",
    "t:faces",
    "-t:fire",
    "rank:1",
    "rank>=2",
    "rank:1..2",
    "rank!=3",
    "attack>300",
    "attack:300",
    "attack:200..400",
    "def<200",
    "total>800",
    "kind:unit",
    "kind!=spell",
    "style:passive",
    "-style:normal",
    "slot:glitch",
    "r:rare",
    "r>=ultra_rare",
    "-r:rare",
    "has:lore",
    "has:subtypes",
    "-has:effect",
    "subtype:beast|ghost",
    "st:reptile",
    "stage>=supermoji",
    "stage:basicmoji..supermoji",
    "power<3",
    "power:2",
    "kw:mute",
    "-kw:viral",
    "emoji:🔥",
    "name:river",
    "name:\"draw one\"",
    "name=nothing",
    "draw",
    "riv",
    "\"draw one\"",
    "eclair",
    "🔥",
    "12",
    "o:/draw (one|two)/",
    "/ri.ers?$/",
    "lore:river",
    "effect:discard",
    "by:ada",
    "by:BOB",
    "by:eve",
    "by:nobody",
    "by:\"\u{2026}\"",
    "-by:ada",
    "status:shared",
    "status:approved|declined",
    "status!=official",
    "rating>=3.2",
    "rating:2.5..3.1",
    "-rating<3",
    "rating!=3",
    "comments>0",
    "comments:1..2",
    "-game:emoji-tcg",
];

fn random_query(chance: &mut Chance, depth: usize) -> String {
    let parts: Vec<String> = (0..=chance.below(3))
        .map(|_| match chance.below(if depth == 0 { 1 } else { 5 }) {
            4 => format!("{}({})", chance.of(&["", "-"]), random_query(chance, depth - 1)),
            _ => chance.of(TERMS).to_owned(),
        })
        .collect();
    parts.join(chance.of(&[" ", " ", " or "]))
}

/// The designs that match a predicate, found by a test of each design.
fn fitting(designs: &[Design], records: &[CardRecord], predicate: &Predicate) -> BTreeSet<u128> {
    let all = || designs.iter().map(|design| design.record.id).collect::<BTreeSet<_>>();
    match predicate {
        Predicate::All(parts) => parts
            .iter()
            .map(|part| fitting(designs, records, part))
            .fold(all(), |found, part| &found & &part),
        Predicate::Any(parts) => parts
            .iter()
            .map(|part| fitting(designs, records, part))
            .fold(BTreeSet::new(), |found, part| &found | &part),
        Predicate::Known { negated, test: KnownTest::Design(test) } => {
            let holds = |design: &Design| match test {
                DesignTest::Author(name) => name.eq_ignore_ascii_case(design.author),
                DesignTest::Status(status) => status == design.status,
                DesignTest::Rating(wanted) => {
                    design.rating.is_some_and(|rating| wanted.holds(&rating))
                }
                DesignTest::Comments(wanted) => wanted.holds(&design.comments),
            };
            let fits = designs.iter().filter(|design| holds(design) != *negated);
            fits.map(|design| design.record.id).collect()
        }
        leaf => {
            let query = CardQuery {
                predicate: leaf.clone(),
                sort: SortKey::Place,
                descending: false,
                unique: Unique::Cards,
            };
            // An empty snapshot tests the records that it gets one by one.
            let found = Snapshot::default().search(&query, records, None, 10_000);
            found.hits.iter().map(|hit| hit.card).collect()
        }
    }
}

/// The identifiers of the designs that meet a condition, in an order of the gallery, found by a test of each design.
fn expected<'d>(
    designs: &'d [Design],
    records: &[CardRecord],
    predicate: &Predicate,
    sort: &str,
) -> Vec<&'d str> {
    let fits = fitting(designs, records, predicate);
    let seen = designs.iter().filter(|design| design.is_seen && fits.contains(&design.record.id));
    let mut seen: Vec<&Design> = seen.collect();
    let key = |design: &Design| design.record.content.as_ref().map(|card| search_key(&card.name));
    if sort == "name" {
        seen.sort_by_key(|design| (key(design), design.code.clone()));
        return seen.into_iter().map(|design| &*design.code).collect();
    }
    seen.sort_by_key(|design| {
        let first = match sort {
            "new" => (0, 0),
            // Among equal ratings, designs with more ratings come first.
            "rating" => (design.rating.unwrap_or(300), design.ratings),
            _ => (design.comments, 0),
        };
        std::cmp::Reverse((first, design.minute, design.code.clone()))
    });
    seen.into_iter().map(|design| &*design.code).collect()
}

/// The identifiers of the designs that a search finds, on all pages.
async fn answered(app: &TestApp, text: &str, sort: &str, limit: usize) -> Vec<String> {
    let first = format!("/v1/designs?limit={limit}&sort={sort}&q={}", query(text));
    let (mut path, mut answered) = (first.clone(), Vec::new());
    loop {
        let page = app.get(&path).answer().await.expect(200);
        assert!(page.get("warnings").is_none(), "{text}: {page}");
        let data = page["data"].as_array().unwrap().iter();
        answered.extend(data.map(|design| design["id"].as_str().unwrap().to_owned()));
        let Some(cursor) = page["next_cursor"].as_str() else { return answered };
        path = format!("{first}&cursor={cursor}");
    }
}

fn condition(app: &TestApp, games: &[&Game], text: &str) -> Predicate {
    let scope = Scope::new(games.iter().copied()).of_designs();
    let tree = search::parse(text).unwrap().unwrap();
    let Ok(checked) = search::check(&tree, &scope, None, app.clock().today().unwrap()) else {
        panic!("the query {text} is not accepted");
    };
    assert_eq!(checked.warnings, [], "{text}");
    checked.predicate
}

/// Whether an instance answers a search from memory.
fn is_in_memory(app: &TestApp, predicate: &Predicate) -> bool {
    let filter = GalleryFilter {
        game: None,
        kind: None,
        status: None,
        author: None,
        name: None,
        predicate,
        max_candidates: 10_000,
    };
    app.shared().gallery_designs.find(&filter, (GallerySort::New, None, 1)).is_some()
}

/// A service with two games, and the authors of the random designs.
async fn with_authors() -> TestApp {
    let app = TestApp::start_seeded(&["ttcg", "emoji-tcg"]).await;
    for name in ["ada", "bob", "eve"] {
        app.player(name).await;
    }
    app
}

/// Housekeeping prepares designs for one turn at a time, so that its other jobs do not wait for many designs.
#[tokio::test]
async fn many_designs_are_prepared_for_the_search_over_several_turns() {
    let app = with_authors().await;
    let loaded = app.shared().games.read_list(&mut app.store().connection().await.unwrap()).await;
    let loaded = loaded.unwrap();
    let games: Vec<&Game> = loaded.iter().map(|loaded| &loaded.game).take(1).collect();
    let mut chance = Chance(SplitMix64::new(20_261_128));
    let designs = write(&app, &mut chance, &games, 400).await;
    let listed =
        designs.iter().filter(|design| !matches!(design.status, "draft" | "withdrawn")).count();
    assert!((201..400).contains(&listed), "{listed}");
    let mut turns = Vec::new();
    for _ in 0..3 {
        let turn = design_search::fill_in(app.store(), &loaded, Duration::ZERO).await;
        turns.push(turn.unwrap());
    }
    assert_eq!(turns, [200, listed - 200, 0]);
}

/// Searches in the database and in memory find the same designs as a test of each design.
#[tokio::test]
async fn a_search_finds_the_same_designs_as_a_test_of_each_design() {
    let app = with_authors().await;
    let loaded = app.shared().games.read_list(&mut app.store().connection().await.unwrap()).await;
    let loaded = loaded.unwrap();
    let games: Vec<&Game> = loaded.iter().map(|loaded| &loaded.game).collect();
    let mut chance = Chance(SplitMix64::new(20_261_125));
    let designs = write(&app, &mut chance, &games, 400).await;
    app.sql("UPDATE accounts SET banned_at = now() WHERE name = 'eve'").await;
    let listed =
        designs.iter().filter(|design| !matches!(design.status, "draft" | "withdrawn")).count();
    assert_eq!(design_search::fill_in(app.store(), &loaded, UNTIL_DONE).await.unwrap(), listed);
    assert_eq!(design_search::fill_in(app.store(), &loaded, UNTIL_DONE).await.unwrap(), 0);
    let with_memory = app.second_instance_in_memory().await;

    let records: Vec<CardRecord> = designs.iter().map(|design| design.record.clone()).collect();
    let (mut found, mut empty, mut in_memory) = (0, 0, 0);
    for round in 0..250 {
        // The first rounds search for each term alone, the later rounds use random queries.
        let text = match TERMS.get(round) {
            Some(term) => (*term).to_owned(),
            None => random_query(&mut chance, 2),
        };
        let predicate = condition(&app, &games, &text);
        let sort = ["new", "rating", "comments"][round % 3];
        let expected = expected(&designs, &records, &predicate, sort);
        if is_in_memory(&with_memory, &predicate) {
            in_memory += 1;
            let answered = answered(&with_memory, &text, sort, 7).await;
            assert_eq!(answered, expected, "{text} {sort} in memory");
        }
        let answered = answered(&app, &text, sort, 40).await;
        assert_eq!(answered, expected, "{text} {sort}");
        found += usize::from(!answered.is_empty());
        empty += usize::from(answered.is_empty());
    }
    assert!(found > 120 && empty > 5 && in_memory >= 5, "{found} {empty} {in_memory}");
}

/// A page is found among all designs with a rare word, or by tests of the designs in the order of the list. Both find the
/// same designs.
#[tokio::test]
async fn words_of_few_and_of_many_designs_are_found() {
    let app = with_authors().await;
    let loaded = app.shared().games.read_list(&mut app.store().connection().await.unwrap()).await;
    let loaded = loaded.unwrap();
    let games: Vec<&Game> = loaded.iter().map(|loaded| &loaded.game).collect();
    let mut chance = Chance(SplitMix64::new(20_261_128));
    let designs = write(&app, &mut chance, &games, 1_200).await;
    app.sql("UPDATE accounts SET banned_at = now() WHERE name = 'eve'").await;
    design_search::fill_in(app.store(), &loaded, UNTIL_DONE).await.unwrap();
    let with_memory = app.second_instance_in_memory().await;
    let records: Vec<CardRecord> = designs.iter().map(|design| design.record.clone()).collect();
    // The number in each name is a word, too.
    for text in [
        "draw",
        "77",
        "draw 77",
        "77 -draw",
        "riv -draw",
        "name:77",
        "77 or draw",
        "draw t:fire",
        "nothing",
    ] {
        let predicate = condition(&app, &games, text);
        for sort in ["new", "rating", "comments", "name"] {
            let expected = expected(&designs, &records, &predicate, sort);
            for limit in [3, 150] {
                for app in [&app, &with_memory] {
                    let answered = answered(app, text, sort, limit).await;
                    assert_eq!(answered, expected, "{text} {sort} {limit}");
                }
            }
        }
        // Only the database tests other conditions on the content.
        let is_tested = !text.contains(':');
        assert_eq!(is_in_memory(&with_memory, &predicate), is_tested, "{text}");
    }
    for (tests, is_tested) in [(16, true), (17, false)] {
        let others: Vec<String> = (1..tests).map(|number| format!("-none{number}")).collect();
        let predicate = condition(&app, &games, &format!("77 {}", others.join(" ")));
        assert_eq!(is_in_memory(&with_memory, &predicate), is_tested, "{tests} tests");
    }
    let is_common = |words: &str| app.shared().common_words.find(&words.to_owned()).is_some();
    let common = ["'draw':*", "'77':*", "'nothing':*"].map(is_common);
    assert_eq!(common, [true, false, false]);
    // One statement changes more designs than the memory applies at once.
    app.sql("UPDATE designs SET comment_count = 9").await;
    with_memory.catch_up().await;
    let stored = answered(&app, "draw comments:9", "comments", 150).await;
    assert!(!stored.is_empty());
    assert!(is_in_memory(&with_memory, &condition(&app, &games, "draw comments:9")));
    assert_eq!(answered(&with_memory, "draw comments:9", "comments", 150).await, stored);
}

/// An instance with the designs in memory finds what changes have left, in whatever way the designs changed.
#[tokio::test]
async fn words_in_memory_follow_changes_of_designs() {
    let app = with_authors().await;
    let loaded = app.shared().games.read_list(&mut app.store().connection().await.unwrap()).await;
    let loaded = loaded.unwrap();
    let games: Vec<&Game> = loaded.iter().map(|loaded| &loaded.game).collect();
    let mut chance = Chance(SplitMix64::new(20_261_129));
    write(&app, &mut chance, &games, 200).await;
    // An older program wrote these rows with other words.
    design_search::fill_in(app.store(), &loaded, UNTIL_DONE).await.unwrap();
    app.sql("UPDATE design_search SET words_version = 0, words = ' zebra'").await;
    let with_memory = app.second_instance_in_memory().await;
    assert!(!answered(&with_memory, "zebra", "new", 200).await.is_empty());
    for (change, renews) in [
        ("SELECT", true),
        ("UPDATE accounts SET banned_at = now() WHERE name = 'eve'", false),
        ("UPDATE accounts SET banned_at = CASE name WHEN 'bob' THEN now() END", false),
        ("UPDATE accounts SET name = 'cyd', name_key = 'cyd' WHERE name = 'ada'", false),
        ("UPDATE designs SET status = 'withdrawn' WHERE status = 'approved'", false),
        ("UPDATE designs SET comment_count = comment_count + 3 WHERE status = 'submitted'", false),
        ("UPDATE designs SET revision = 2, public_revision = 2 WHERE status = 'declined'", false),
        ("DELETE FROM designs WHERE status = 'official'", false),
    ] {
        app.sql(change).await;
        if renews {
            assert!(design_search::fill_in(app.store(), &loaded, UNTIL_DONE).await.unwrap() > 100);
        }
        with_memory.catch_up().await;
        for text in ["zebra", "draw", "riv comments>2", "-by:cyd river", "draw or by:bob card"] {
            for sort in ["new", "rating", "comments", "name"] {
                let first = format!("/v1/designs?limit=200&sort={sort}&q={}", query(text));
                let stored = app.get(&first).answer().await.expect(200);
                let cached = with_memory.get(&first).answer().await.expect(200);
                assert_eq!(cached, stored, "{text} {sort} after {change}");
            }
        }
        assert!(!answered(&app, "draw", "new", 200).await.is_empty(), "{change}");
        let predicate = condition(&app, &games, "draw");
        assert!(is_in_memory(&with_memory, &predicate), "{change}");
    }
}

#[tokio::test]
async fn designs_that_fit_into_memory_again_are_read_again() {
    let app = TestApp::start_seeded_with(&["ttcg"], |settings| {
        in_memory(settings);
        settings.gallery_bytes = 0;
    })
    .await;
    app.seed_effect_texts("ttcg").await;
    let loaded = app.shared().games.read_list(&mut app.store().connection().await.unwrap()).await;
    let loaded = loaded.unwrap();
    let games: Vec<&Game> = loaded.iter().map(|loaded| &loaded.game).collect();
    let predicate = condition(&app, &games, "heron");
    let ada = app.player("ada").await;
    app.catch_up().await;
    assert!(is_in_memory(&app, &predicate), "no design needs no memory");
    let path = shared(&app, &ada, &heron("Lantern Heron")).await;
    app.catch_up().await;
    step(&app, &ada, &path, "withdraw").await.expect(200);
    app.catch_up().await;
    assert!(!is_in_memory(&app, &predicate), "it is not read again at once");
    app.clock().advance(chrono::Duration::minutes(11));
    app.catch_up().await;
    assert!(is_in_memory(&app, &predicate));
}
