//! The query language of `GET /v1/cards?q=`.

use std::collections::BTreeSet;

use cardscape::domain::clock::Clock;
use cardscape::search;
use cardscape::store::StoreSettings;
use cardscape::store::db::backlog::UNTIL_DONE;
use serde_json::{Value, json};

use crate::support::{
    Answer, RequestExt as _, TestApp, TestDb, edit_set, in_memory, seed_data, set_file, sql,
};

/// Sends a query; `more` contains further parameters.
async fn ask(app: &TestApp, q: &str, more: &[(&str, &str)]) -> Answer {
    app.get(&path(&[&[("q", q), ("limit", "200")], more].concat())).answer().await
}

/// The path of the card list with these parameters.
fn path(parameters: &[(&str, &str)]) -> String {
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish();
    format!("/v1/cards?{query}")
}

fn place(card: &Value) -> String {
    let text = |field: &str| card[field].as_str().unwrap().to_owned();
    format!("{}/{}", text("set"), text("number"))
}

/// The cards that a query finds, as set and number in the order of the list. The query must not cause warnings.
async fn found(app: &TestApp, q: &str) -> Vec<String> {
    let page = ask(app, q, &[]).await.expect(200);
    assert_eq!(page.get("warnings"), None, "{q}");
    page["data"].as_array().unwrap().iter().map(place).collect()
}

/// The cards of a set file for which `holds` is true.
fn cards_of_file(game: &str, set: &str, holds: impl Fn(&Value) -> bool) -> Vec<String> {
    let file = set_file(&seed_data(game), set);
    let cards = file["cards"].as_array().unwrap().iter();
    let mut found: Vec<String> = cards
        .filter(|card| holds(card))
        .map(|card| format!("{set}/{}", card["number"].as_str().unwrap()))
        .collect();
    found.sort();
    found
}

fn attribute<'a>(card: &'a Value, code: &str) -> &'a Value {
    &card["attributes"][code]
}

/// The highest value of an attribute in the card and its printings.
fn highest(card: &Value, code: &str) -> i64 {
    let own = card["printings"].as_array().into_iter().flatten();
    let all = own.map(|printing| &printing["attributes"][code]).chain([attribute(card, code)]);
    all.filter_map(Value::as_i64).max().unwrap_or(i64::MIN)
}

fn texts(card: &Value) -> String {
    let effects = card["effects"].as_array().into_iter().flatten();
    let effects = effects.map(|effect| effect["text"].as_str().unwrap());
    let all: Vec<&str> = effects.chain(card["lore"].as_str()).collect();
    all.join(" ").to_lowercase()
}

type Holds = fn(&Value) -> bool;

#[tokio::test]
async fn queries_find_the_matching_cards_of_the_set_files() {
    let app =
        TestApp::start_seeded(&["ttcg", "emoji-tcg", "uno-emoji", "emojito", "emojo-dojo"]).await;
    let ttcg: &[(&str, Holds)] = &[
        ("t:fire", |card| attribute(card, "type") == "fire"),
        ("t:FIRE t:spell", |_| false),
        ("t:fire or t:Water", |card| {
            attribute(card, "type") == "fire" || attribute(card, "type") == "water"
        }),
        ("kind:unit -t:fire -(t:water or t:dark)", |card| {
            card["kind"] == "unit"
                && !["fire", "water", "dark"].iter().any(|of| attribute(card, "type") == of)
        }),
        ("t:spell", |card| card["kind"] == "spell"),
        ("t!=spell kind:lore", |card| card["kind"] == "lore"),
        ("attack>700", |card| highest(card, "attack") > 700),
        ("-attack>700", |card| highest(card, "attack") <= 700),
        ("atk>=700 def<450", |card| {
            let lowest = card["printings"].as_array().into_iter().flatten();
            let lowest =
                lowest.filter_map(|printing| printing["attributes"]["defense"].as_i64()).min();
            highest(card, "attack") >= 700 && lowest.is_some_and(|lowest| lowest < 450)
        }),
        ("boost_attack>20", |card| highest(card, "boost_attack") > 20),
        ("attributes.rank=3", |card| attribute(card, "rank") == 3),
        ("rank!=3", |card| attribute(card, "rank") != 3),
        ("rank>3 rank<=5", |card| attribute(card, "rank").as_i64().is_some_and(|rank| rank > 3)),
        ("total>=2550", |card| attribute(card, "rank") == 5 && card["kind"] == "unit"),
        ("subtype:dragon", |card| card.to_string().contains("\"dragon\"")),
        ("style:counter", |card| card.to_string().contains("\"counter\"")),
        ("has:lore", |card| card["lore"].is_string()),
        ("-has:lore", |card| !card["lore"].is_string()),
        ("has:attack", |card| card["kind"] == "unit"),
        ("r:primal_rare", |card| card["kind"] != "lore" && card["printings"].is_array()),
        ("r>\"mythic rare\"", |card| card["kind"] != "lore" && card["printings"].is_array()),
        ("number:7 or number=008", |card| card["number"] == "007" || card["number"] == "008"),
        ("ATTRIBUTES.rank=3", |card| attribute(card, "rank") == 3),
        ("attack≥701", |card| highest(card, "attack") > 700),
        ("rank≠3", |card| attribute(card, "rank") != 3),
        ("rank≥4 rank≤5", |card| attribute(card, "rank").as_i64().is_some_and(|rank| rank > 3)),
        ("cn<4", |card| card["number"].as_str().unwrap().parse::<u32>().unwrap() < 4),
        ("pebblebrow", |card| card["name"] == "Pebblebrow Tortoise"),
        ("name=\"pebblebrow  TORTOISE!\"", |card| card["name"] == "Pebblebrow Tortoise"),
        ("name=pebblebrow", |_| false),
        ("tort pebble", |card| card["name"] == "Pebblebrow Tortoise"),
        ("\"pebblebrow tort\"", |card| card["name"] == "Pebblebrow Tortoise"),
        ("\"tortoise pebblebrow\"", |_| false),
        ("ebblebrow", |_| false),
        ("/ebble?b.ow/", |card| card["name"] == "Pebblebrow Tortoise"),
        ("name:/^p\\w+ tortoise$/", |card| card["name"] == "Pebblebrow Tortoise"),
        ("o:\"discard one card\"", |card| texts(card).contains("discard one card")),
        ("o:/mill (one|two) cards?/", |card| {
            texts(card).contains("mill one card") || texts(card).contains("mill two cards")
        }),
        ("lore:market", |card| {
            card["lore"].as_str().is_some_and(|lore| lore.to_lowercase().contains(" market"))
        }),
        ("effect:rank -effect:unit", |card| {
            let effects = card["effects"].to_string().to_lowercase();
            effects.contains(" rank") && !effects.contains("unit")
        }),
        ("year:2026", |_| true),
        ("date:2026-11-01 -date<2026-11-01", |_| true),
        ("date>2026-11-01", |_| false),
        ("not t:fire NOT (t:water or t:dark) k:unit", |card| {
            card["kind"] == "unit"
                && !["fire", "water", "dark"].iter().any(|of| attribute(card, "type") == of)
        }),
        ("t:fire|water", |card| {
            attribute(card, "type") == "fire" || attribute(card, "type") == "water"
        }),
        ("k:unit t!=fire|water|dark", |card| {
            card["kind"] == "unit"
                && !["fire", "water", "dark"].iter().any(|of| attribute(card, "type") == of)
        }),
        ("pebblebrow | name:otter", |card| {
            card["name"] == "Pebblebrow Tortoise" || card["name"] == "Brindle Otter Band"
        }),
        ("rank:2..3", |card| {
            attribute(card, "rank").as_i64().is_some_and(|rank| (2..=3).contains(&rank))
        }),
        ("rank!=2..3 cn:1..40", |card| {
            !attribute(card, "rank").as_i64().is_some_and(|rank| (2..=3).contains(&rank))
                && card["number"].as_str().unwrap().parse::<u32>().unwrap() <= 40
        }),
        ("rank:4.. rank:..4", |card| attribute(card, "rank") == 4),
        ("date:2026-01-01..2026-12-31 r:rare..primal_rare", |card| card["kind"] != "lore"),
        ("year<2026 or submissions>0 or is:unlocked", |_| false),
    ];
    let mut nothing = Vec::new();
    for (q, holds) in ttcg {
        let all = found(&app, &format!("set:hearth ({q})")).await;
        let wanted = cards_of_file("ttcg", "hearth", holds);
        assert_eq!(all, wanted, "{q}");
        if wanted.is_empty() {
            nothing.push(q);
        }
    }
    assert_eq!(nothing.len(), 6, "only these are to find nothing: {nothing:?}");
    let emoji: &[(&str, Holds)] = &[
        ("stage>=ultramoji", |card| {
            ["ultramoji", "megamoji"].iter().any(|stage| attribute(card, "stage") == stage)
        }),
        ("stage!=basicmoji", |card| attribute(card, "stage") != "basicmoji"),
        ("kw:mute", |card| card["attributes"].to_string().contains("\"mute\"")),
        ("slot:glitch", |card| card["effects"].to_string().contains("\"glitch\"")),
        ("power<2", |card| attribute(card, "power").as_i64().unwrap() < 2),
        ("😂", |card| attribute(card, "emoji") == "😂"),
        ("emoji:😂", |card| attribute(card, "emoji") == "😂"),
        ("emoji=😂", |card| attribute(card, "emoji") == "😂"),
        ("emoji:#\u{fe0f}\u{20e3}", |card| attribute(card, "emoji") == "#\u{fe0f}\u{20e3}"),
        ("emoji=#\u{20e3}", |card| attribute(card, "emoji") == "#\u{fe0f}\u{20e3}"),
        ("#\u{fe0f}\u{20e3}", |card| attribute(card, "emoji") == "#\u{fe0f}\u{20e3}"),
        ("has:keyword", |card| {
            card["attributes"]["keywords"].as_array().is_some_and(|list| !list.is_empty())
        }),
    ];
    for (q, holds) in emoji {
        let all = found(&app, &format!("game:emoji-tcg ({q})")).await;
        let wanted = cards_of_file("emoji-tcg", "feed", holds);
        assert!(!wanted.is_empty(), "{q}");
        assert_eq!(all, wanted, "{q}");
    }
    // An emoji of several code points is one search term.
    assert_eq!(found(&app, "😮‍💨 game:emojito").await.len(), 1);
    // Two games have an attribute `type`, with different values.
    let types = found(&app, "t:fire or t:faces").await;
    assert!(types.iter().any(|card| card.starts_with("hearth/")), "{types:?}");
    assert!(types.iter().any(|card| card.starts_with("feed/")), "{types:?}");
    // The attribute `number` of the game, not the number of the card in the set.
    let sevens = found(&app, "game:uno-emoji attributes.number:7").await;
    let holds = |card: &Value| attribute(card, "number") == 7;
    assert_eq!(sevens, cards_of_file("uno-emoji", "box", holds));
    assert!(!sevens.is_empty());
}

/// A card with printings below and above a range, but none inside it, does not match.
#[tokio::test]
async fn a_range_must_match_a_single_printing() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    app.sql(
        "DELETE FROM printings p USING cards c WHERE c.id = p.card_id AND c.set_code = 'hearth' \
         AND c.number = '002' AND p.rarity NOT IN ('common', 'primal_rare')",
    )
    .await;
    let memory = app.second_instance_in_memory().await;
    // The query, whether it finds the card, and the attack of each of the two printings that it finds.
    let cases: &[(&str, bool, &[i64])] = &[
        ("attack:225..230", true, &[225]),
        ("attack:226..274", false, &[]),
        ("attack:270..275", true, &[275]),
        ("attack!=226..274", true, &[225, 275]),
        ("attack!=225..230", false, &[275]),
        ("total:501..549", false, &[]),
        ("total:501..550", true, &[275]),
        ("r:uncommon..mythic_rare", false, &[]),
        ("r:common..rare", true, &[225]),
        ("r!=uncommon..mythic_rare", true, &[225, 275]),
        // Two separate terms may match two different printings.
        ("attack>=226 attack<=274", true, &[]),
        ("r>=uncommon r<=rare", true, &[]),
    ];
    for (q, is_found, attacks) in cases {
        for (app, place) in [(&app, "database"), (&memory, "memory")] {
            let q = format!("set:hearth cn:2 ({q})");
            assert_eq!(!found(app, &q).await.is_empty(), *is_found, "{q}, {place}");
            let page = ask(app, &q, &[("unique", "printings")]).await.expect(200);
            let attack = |one: &Value| one["printing"]["attributes"]["attack"].as_i64().unwrap();
            let list: Vec<i64> = page["data"].as_array().unwrap().iter().map(attack).collect();
            assert_eq!(list, *attacks, "printings of {q}, {place}");
        }
    }
}

/// Both ends of the range are rarities, but of different games.
#[tokio::test]
async fn a_range_over_values_of_different_games_causes_a_warning() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let admin = app.admin().await;
    let manifest = include_str!("../../data/games/harbour/game.toml");
    let manifest = app.put("/v1/games/harbour/manifest").by(&admin).body(manifest);
    manifest.header("content-type", "application/toml").answer().await.expect(201);
    for q in ["r:plain..rare", "r!=rare..plain"] {
        let page = ask(&app, &format!("set:hearth {q}"), &[]).await.expect(200);
        let message = &page["warnings"][0]["message"];
        assert_eq!(message, "no game has both ends of this range", "{q}");
        assert!(!page["data"].as_array().unwrap().is_empty(), "{q}");
    }
    assert!(!found(&app, "set:hearth r:common..rare").await.is_empty());
}

#[tokio::test]
async fn search_ignores_accents_apostrophes_and_case() {
    let app = TestApp::start().await;
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "hearth", |set| {
        set["cards"][0]["name"] = "Éclair’s Über-Owl".into();
        set["cards"][0]["lore"] =
            "100% 🔥❤\u{fe0f} Ærø; DROP_TABLE 'x' \\ 火竜. 😮\u{200d}💨 #\u{fe0f}\u{20e3}".into();
    });
    app.import(&source).await.unwrap();
    for q in [
        "eclair",
        "ÉCLAIR",
        "e\u{301}clairs",
        "Éclair's",
        "eclair’s",
        "\"eclairs uber\"",
        "uber-owl",
        "name:owl",
        "🔥",
        "❤",
        "lore:❤\u{fe0f}",
        "aero",
        "100%",
        "'x'",
        "drop_table",
        "\"100 🔥\"",
        "火竜",
        "竜",
        "lore:/🔥+ ?❤/",
        "/\\d{3} 🔥/",
        "/\\d{3} 🔥❤\u{fe0f}/",
        "/火竜/",
        "/火竜😮\u{200d}💨/",
        "/💨 #\u{fe0f}\u{20e3}$/",
        "/#\u{20e3}/",
        "name=\"Eclairs Uber Owl\"",
        "name:/über.owl$/",
        "name:/^Éclair's/",
    ] {
        assert_eq!(found(&app, &format!("{q} set:hearth number:1")).await, ["hearth/001"], "{q}");
    }
    for q in ["lair", "%", "e%r", "name:🔥", "\"owl 100\"", "/owl 100/", "/uber\\b.\\bowls/"] {
        let page = ask(&app, &format!("{q} set:hearth number:1"), &[]).await.expect(200);
        let alone = page.get("warnings").is_some();
        assert_eq!(page["data"].as_array().unwrap().len(), usize::from(alone), "{q}");
    }
}

#[tokio::test]
async fn every_field_has_an_example_that_finds_something() {
    let app = TestApp::start_seeded(&["ttcg", "emoji-tcg"]).await;
    for (field, example) in search::examples() {
        assert!(!found(&app, example).await.is_empty(), "{field}: {example}");
    }
}

/// `CARDSCAPE_UPDATE=1 cargo test --test api the_reference` updates the tables in `docs/SEARCH.md`.
#[test]
fn the_reference_is_the_table_that_runs() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/SEARCH.md");
    let tables = [
        ("fields", search::reference()),
        ("design fields", search::design_reference()),
        ("deck fields", search::deck_reference()),
    ];
    for (name, expected) in tables {
        let page = std::fs::read_to_string(path).unwrap();
        let (begin, end) = (format!("<!-- {name} -->\n\n"), format!("\n<!-- end of {name} -->"));
        let (head, rest) = page.split_once(&begin).unwrap();
        let (table, tail) = rest.split_once(&end).unwrap();
        if std::env::var_os("CARDSCAPE_UPDATE").is_some() {
            std::fs::write(path, format!("{head}{begin}{expected}{end}{tail}")).unwrap();
        } else {
            assert_eq!(table, expected, "see the comment of this test");
        }
    }
}

#[tokio::test]
async fn unusable_terms_cause_a_warning_and_are_ignored() {
    let app = TestApp::start_seeded(&["ttcg", "emoji-tcg"]).await;
    for (q, position, length, message) in [
        ("set:hearth atack>700", 11, 9, "there is no field \"atack\"; did you mean attack?"),
        ("t:fier set:hearth", 0, 6, "there is no type \"fier\"; did you mean fire?"),
        ("é set:hearth attack>many", 13, 11, "\"many\" is no whole number"),
        ("set:hearth name>fox", 11, 8, "name is not compared with >, only with : = !="),
        ("set:hearth -keyword:muted", 12, 13, "there is no keyword \"muted\"; did you mean mute?"),
        ("set:hearth game:ttgc", 11, 9, "there is no game \"ttgc\"; did you mean ttcg?"),
        (
            "set:hearth r:ultrarar",
            11,
            10,
            "there is no rarity \"ultrarar\"; did you mean ultra_rare?",
        ),
        ("set:hearth t:", 11, 2, "t: lacks a value"),
        ("set:hearth \"!?\"", 11, 4, "there is no letter, digit or sign in \"!?\""),
        ("set:hearth is:secret", 11, 9, "\"secret\" is not one of hidden, unlocked"),
        ("set:hearth sort:lore", 11, 9, "lists cannot be sorted by \"lore\""),
        ("set:hearth sort:subtypes", 11, 13, "subtypes is a list: it has no order"),
        ("set:hearth sort:keyword", 11, 12, "keyword is a list: it has no order"),
        ("set:hearth number:..", 11, 9, "\"..\" has neither end of a range"),
        (
            "set:hearth boost_attack:5..−5",
            11,
            18,
            "no value lies in this range: write boost_attack:−5..5, the lower end first",
        ),
        (
            "set:hearth attack:1,000",
            11,
            12,
            "\"1,000\" is no whole number; a number is written without separators: attack:1000",
        ),
        (
            "set:hearth attack:500,600",
            11,
            14,
            "\"500,600\" is no whole number; one value or another is written attack:500|600",
        ),
        ("set:hearth \"\u{200d}!\"", 11, 4, "there is no letter, digit or sign in \"\u{200d}!\""),
        (
            "set:hearth (fox or order:desc)",
            19,
            10,
            "order applies to the complete list: it cannot be inside `or` or a negation",
        ),
        ("set:hearth /a{99}/", 11, 7, "a repetition counts to 50 at most"),
        (
            "set:hearth /(a)\\1/",
            11,
            7,
            "the regular expression cannot be read: `\\1` repeats what was found, which is not possible here",
        ),
        ("set:hearth t:/fire/", 11, 8, "t is not searched with regular expressions"),
        (
            "set:hearth unlocked>yesterday",
            11,
            18,
            "\"yesterday\" is not a day of the form 2026-11-21",
        ),
        (
            "set:hearth date:2026",
            11,
            9,
            "\"2026\" is a year, not a day: write year:2026 or date:2026-01-01..2026-12-31",
        ),
        (
            "set:hearth f:standart",
            11,
            10,
            "there is no format \"standart\"; did you mean standard?",
        ),
        ("set:hearth f:ttgc/standard", 11, 15, "there is no game \"ttgc\"; did you mean ttcg?"),
        ("set:hearth banned:standard@soon", 11, 20, "\"soon\" is not a day of the form 2026-11-21"),
        (
            "set:hearth legal:standard:half",
            11,
            19,
            "the format \"standard\" has no variant \"half\"",
        ),
        ("set:hearth legal>standard", 11, 14, "legal is not compared with >, only with : = !="),
        ("set:hearth order:colour", 11, 12, "lists cannot be sorted by \"colour\""),
        (
            "set:hearth order:atack",
            11,
            11,
            "lists cannot be sorted by \"atack\"; did you mean attack?",
        ),
        (
            "set:hearth attack>defense",
            11,
            14,
            "a field is compared with a value, not with another field: write attack>500, for example",
        ),
        (
            "set:hearth >500",
            11,
            4,
            "a field stands before `>`, without a space between them: attack>500; as text it needs quotation marks: \">500\"",
        ),
        (
            "set:hearth émile:x",
            11,
            7,
            "there is no field \"émile\"; as text it needs quotation marks: \"émile:x\"",
        ),
        (
            "set:hearth cost$5",
            11,
            6,
            "`$` means nothing here, and signs do not count in texts: write cost 5",
        ),
        (
            "set:hearth $5",
            11,
            2,
            "`$` means nothing here, and signs do not count in texts: write 5",
        ),
        ("set:hearth !kettle", 11, 7, "`!` does not negate: write -kettle or not kettle"),
        ("set:hearth !t:fire", 11, 7, "`!` does not negate: write -t:fire or not t:fire"),
        (
            "set:hearth rank:3..1",
            11,
            9,
            "no value lies in this range: write rank:1..3, the lower end first",
        ),
        (
            "set:hearth r:rare..common",
            11,
            14,
            "no value lies in this range: write r:common..rare, the lower end first",
        ),
        (
            "set:hearth date:2026-02-01..2026-01-01",
            11,
            27,
            "no value lies in this range: write date:2026-01-01..2026-02-01, the lower end first",
        ),
        ("set:hearth rank:1-3", 11, 8, "\"1-3\" is no whole number; a range is written rank:1..3"),
        ("set:hearth rank:1...3", 11, 10, "a range has two points: rank:1..3"),
        ("set:hearth rank:1..many", 11, 12, "\"many\" is no whole number"),
        (
            "set:hearth t:fire,water",
            11,
            12,
            "there is no type \"fire,water\"; one value or another is written t:fire|water",
        ),
        (
            "set:hearth t:fire/water",
            11,
            12,
            "there is no type \"fire/water\"; one value or another is written t:fire|water",
        ),
        (
            "set:hearth is:banned",
            11,
            9,
            "a format says so: write banned:FORMAT, banned:standard for example",
        ),
        (
            "set:hearth not:legal",
            11,
            9,
            "a format says so: write -legal:FORMAT, -legal:standard for example",
        ),
        ("set:hearth date:2026-02-30", 11, 15, "there is no day 2026-02-30"),
        ("set:hearth f:standard@2026-02-30", 11, 21, "there is no day 2026-02-30"),
        (
            "set:hearth date>2025",
            11,
            9,
            "\"2025\" is a year, not a day: write year>2025 or date>2025-12-31",
        ),
        (
            "set:hearth unlocked<2025",
            11,
            13,
            "\"2025\" is a year, not a day: write unlocked<2025-01-01",
        ),
        (
            "set:hearth /[/",
            11,
            3,
            "the regular expression cannot be read: a `[` is never closed; as a letter it is written `\\[`",
        ),
        (
            "set:hearth /(?=a)/",
            11,
            7,
            "the regular expression cannot be read: `(?=`, `(?!`, `(?<=` and `(?<!` look around, which is not possible here",
        ),
        ("game:emoji-tcg attack>1", 15, 8, "no card here has attack"),
    ] {
        let page = ask(&app, q, &[]).await.expect(200);
        let term: String = q.chars().skip(position).take(length).collect();
        assert_eq!(
            page["warnings"],
            json!([{ "position": position, "length": length, "term": term, "message": message }]),
            "{q}"
        );
        assert!(q.contains("fox") || !page["data"].as_array().unwrap().is_empty(), "{q}");
        // A query that contains only this term is rejected.
        let problem = ask(&app, &term, &[]).await;
        if !q.contains("game:emoji") {
            let problem =
                if q.contains("order") { continue } else { problem.problem(400, "invalid_query") };
            assert_eq!(problem["faults"][0]["position"], 0, "{q}");
            assert_eq!(problem["faults"][0]["message"], message, "{q}");
            assert_eq!(problem["errors"][0]["pointer"], "?q", "{q}");
        }
    }
    for (q, position, message) in [
        ("t:fire (fox", 7, "this is never closed"),
        ("\"fox", 0, "this quotation mark is never closed"),
        ("fox or", 4, "a term is missing after `or`"),
        ("fox not", 4, "a term is missing after `not`"),
        ("t:fire|", 6, "a term is missing after `|`"),
        ("owl /fox/i", 4, "a regular expression has no flags here; case never counts"),
    ] {
        let problem = ask(&app, q, &[]).await.problem(400, "invalid_query");
        assert_eq!(problem["faults"][0]["position"], position, "{q}");
        assert_eq!(problem["faults"][0]["message"], message, "{q}");
    }
    for q in ["a ".repeat(51), "a".repeat(1001), "(".repeat(40), "a\0".to_owned()] {
        ask(&app, &q, &[]).await.problem(400, "invalid_query");
    }
    let problem = ask(&app, "fox", &[("sort", "emoji")]).await.problem(400, "invalid_query");
    assert_eq!(problem["errors"][0]["detail"], "emoji is a text: it has no order");
    for more in
        [("sort", "lore"), ("order", "up"), ("unique", "art"), ("fields", "secret"), ("total", "1")]
    {
        ask(&app, "fox", &[more]).await.problem(400, "invalid_query");
    }
    assert_eq!(ask(&app, "  ", &[]).await.expect(200)["data"].as_array().unwrap().len(), 200);
}

#[tokio::test]
async fn unknown_parameter_values_cause_a_warning() {
    let app = TestApp::start_seeded(&["ttcg", "emoji-tcg"]).await;
    for (parameter, value, message) in [
        ("game", "ttgc", "there is no game \"ttgc\"; did you mean ttcg?"),
        ("set", "heart", "there is no set \"heart\"; did you mean hearth?"),
        ("kind", "spel", "there is no kind \"spel\"; did you mean spell?"),
        ("rarity", "mythicrare", "there is no rarity \"mythicrare\"; did you mean mythic_rare?"),
    ] {
        let page = ask(&app, "", &[(parameter, value)]).await.expect(200);
        assert_eq!(page["data"], json!([]));
        let term = format!("{parameter}={value}");
        let warning = json!({ "parameter": parameter, "position": 0, "length": 0, "term": term, "message": message });
        assert_eq!(page["warnings"], json!([warning]));
        if !["game", "set"].contains(&parameter) {
            continue;
        }
        // Endpoints without warnings reject the value.
        let drawn = app.get(&format!("/v1/cards/random?{term}")).answer().await;
        let problem = drawn.problem(400, "invalid_query");
        assert_eq!(problem["errors"][0]["pointer"], format!("?{parameter}"));
        assert_eq!(problem["errors"][0]["detail"], message);
    }
    // Codes that only another game has.
    let page = ask(&app, "", &[("game", "emoji-tcg"), ("kind", "unit"), ("set", "hearth")]).await;
    let warnings = page.expect(200)["warnings"].clone();
    assert_eq!(warnings[0]["message"], "the game \"emoji-tcg\" has no set \"hearth\"");
    assert_eq!(warnings[1]["message"], "the game \"emoji-tcg\" has no kind \"unit\"");
    // The query and the parameter name different games, so no card matches. The terms are valid, so there is no warning.
    let page = ask(&app, "game:emoji-tcg t:fire", &[("game", "ttcg")]).await.expect(200);
    assert_eq!((&page["data"], page.get("warnings")), (&json!([]), None));
    for (query, message) in [
        ("t:fier", "the game \"ttcg\" has no type \"fier\"; did you mean fire?"),
        ("f:box", "the game \"ttcg\" has no format \"box\""),
        ("f:nowhere/box", "there is no game \"nowhere\""),
    ] {
        let page = ask(&app, &format!("{query} set:hearth"), &[("game", "ttcg")]).await;
        assert_eq!(page.expect(200)["warnings"][0]["message"], message, "{query}");
    }
    // An unknown game in the parameter causes one warning, and no further warning about the term.
    let page = ask(&app, "t:fire", &[("game", "ttgc")]).await.expect(200);
    assert_eq!(page["warnings"].as_array().map(Vec::len), Some(1), "{page}");
    // Codes ignore case.
    let codes = [("game", "TTCG"), ("set", "Hearth"), ("kind", "Unit"), ("rarity", "COMMON")];
    let page = ask(&app, "", &codes).await.expect(200);
    assert_eq!(page.get("warnings"), None);
    assert_ne!(page["data"], json!([]));
    // An unknown set in the query causes a warning and finds nothing: the term is not ignored.
    let page = ask(&app, "set:hearht t:fire", &[]).await.expect(200);
    assert_eq!(page["data"], json!([]));
    let message = "there is no set \"hearht\"; did you mean hearth?";
    assert_eq!(page["warnings"][0]["message"], message);
    let page = ask(&app, "set:HEARTH", &[("game", "ttcg"), ("kind", "unit")]).await.expect(200);
    assert_eq!(page.get("warnings"), None);
}

#[tokio::test]
async fn lists_are_sorted_and_small_pages_have_the_same_order() {
    let app = TestApp::start_seeded(&["ttcg", "emoji-tcg"]).await;
    for (sort, unique) in [
        ("set", "cards"),
        ("number", "cards"),
        ("name", "cards"),
        ("kind", "cards"),
        ("rarity", "cards"),
        ("rank", "cards"),
        ("attack", "cards"),
        ("total", "cards"),
        ("type", "cards"),
        ("stage", "cards"),
        ("power", "cards"),
        ("year", "cards"),
        ("date", "cards"),
        ("unlocked", "cards"),
        ("submissions", "cards"),
        ("boost_attack", "cards"),
        ("set", "printings"),
        ("attack", "printings"),
        ("rarity", "printings"),
        ("name", "printings"),
    ] {
        for order in ["asc", "desc"] {
            let more = [("sort", sort), ("order", order), ("unique", unique), ("total", "true")];
            let whole = pages(&app, &more, "200").await;
            let small = pages(&app, &more, "37").await;
            assert_eq!(small, whole, "{sort} {order} {unique}");
            let distinct: BTreeSet<&String> = whole.iter().collect();
            assert_eq!(distinct.len(), whole.len(), "{sort} {order} {unique}");
        }
    }
    let attacks = |page: &Value| -> Vec<i64> {
        let cards = page["data"].as_array().unwrap().iter();
        cards.filter_map(|card| card["attributes"]["attack"].as_i64()).collect()
    };
    let page = ask(&app, "set:hearth sort:attack order:desc", &[]).await.expect(200);
    let mut sorted = attacks(&page);
    assert_eq!(page["data"][0]["attributes"]["attack"], sorted[0]);
    sorted.sort_unstable_by(|one, other| other.cmp(one));
    assert_eq!(attacks(&page), sorted, "the list is sorted by the attack of the common printing");
    assert!(sorted.len() > 50);
    // Other card search sites use `order` for the field and `dir` for the direction.
    let page = ask(&app, "set:hearth order:attack dir:desc", &[]).await.expect(200);
    assert_eq!(attacks(&page), sorted);
    // Cards without attack come last in both directions.
    let lowest = ask(&app, "set:hearth sort:attack", &[]).await.expect(200);
    assert!(lowest["data"][0]["attributes"]["attack"].is_i64());
    assert!(attacks(&lowest).is_sorted());
    // Only letters and digits count in names.
    let names = async |order: &str| -> Vec<String> {
        let page = ask(&app, "set:hearth sort:name", &[("order", order)]).await.expect(200);
        let key = |card: &Value| {
            let name = card["name"].as_str().unwrap().to_lowercase();
            name.chars().filter(|sign| sign.is_alphanumeric()).collect::<String>()
        };
        page["data"].as_array().unwrap().iter().map(key).collect()
    };
    let mut by_name = names("asc").await;
    assert!(by_name.len() > 100 && by_name.is_sorted(), "{by_name:?}");
    by_name.reverse();
    assert_eq!(names("desc").await, by_name);
    // A parameter overrides the query.
    let other =
        ask(&app, "set:hearth sort:name order:asc", &[("sort", "attack"), ("order", "desc")]).await;
    assert_eq!(attacks(&other.expect(200)), sorted);
    let stages = ask(&app, "stage>basicmoji sort:stage", &[]).await.expect(200);
    let stages: Vec<&Value> =
        stages["data"].as_array().unwrap().iter().map(|card| attribute(card, "stage")).collect();
    assert_eq!(stages.first().map(|stage| stage.as_str()), Some(Some("supermoji")));
    assert_eq!(stages.last().map(|stage| stage.as_str()), Some(Some("megamoji")));
}

/// Reads every entry of a list page by page, with the `Link` header, and checks the total on the last page.
async fn pages(app: &TestApp, more: &[(&str, &str)], limit: &str) -> Vec<String> {
    let mut answer = app.get(&path(&[&[("limit", limit)], more].concat())).answer().await;
    let mut entries = Vec::new();
    loop {
        let link = answer.header("link");
        let page = answer.expect(200);
        for entry in page["data"].as_array().unwrap() {
            entries.push(format!("{} {}", entry["id"], entry["printing"]["rarity"]));
        }
        let Some((next, _)) = link.strip_prefix('<').and_then(|link| link.split_once('>')) else {
            assert_eq!(page["total"], entries.len());
            return entries;
        };
        answer = app.get(next).answer().await;
    }
}

#[tokio::test]
async fn pages_continue_correctly_while_cards_are_imported() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let mut seen = Vec::new();
    let mut path = "/v1/cards?q=kind:unit&sort=attack&limit=10&order=desc".to_owned();
    let before = ask(&app, "kind:unit", &[("sort", "attack"), ("order", "desc")]).await.expect(200);
    let before: Vec<String> = before["data"].as_array().unwrap().iter().map(place).collect();
    for round in 0.. {
        let answer = app.get(&path).answer().await;
        let link = answer.header("link");
        seen.extend(answer.expect(200)["data"].as_array().unwrap().iter().map(place));
        // Cards are imported between the pages.
        app.import_set(&format!("new-{round}"), 5, false).await;
        let Some((next, _)) = link.strip_prefix('<').and_then(|link| link.split_once('>')) else {
            break;
        };
        next.clone_into(&mut path);
    }
    let distinct: BTreeSet<&String> = seen.iter().collect();
    assert_eq!(distinct.len(), seen.len(), "no card is returned twice");
    let old: Vec<String> = seen.iter().filter(|card| !card.starts_with("new-")).cloned().collect();
    assert_eq!(old, before, "no card is missing, and the order is the same");
}

#[tokio::test]
async fn a_cursor_is_only_valid_for_its_list() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let list = "/v1/cards?limit=3&q=t:fire&sort=attack";
    let page = app.get(list).answer().await.expect(200);
    let cursor = page["next_cursor"].as_str().unwrap();
    app.get(&format!("{list}&cursor={cursor}&total=true&limit=5").replace("limit=3&", ""))
        .answer()
        .await
        .expect(200);
    for other in [
        "limit=3&q=t:water&sort=attack",
        "limit=3&q=t:fire&sort=name",
        "limit=3&q=t:fire&sort=attack&order=desc",
        "limit=3",
    ] {
        app.get(&format!("/v1/cards?{other}&cursor={cursor}"))
            .answer()
            .await
            .problem(400, "invalid_cursor");
    }
    // Forged cursors that can be decoded.
    let numbers = [
        json!("x"),
        json!("1e999"),
        json!("--1"),
        json!("1;select"),
        json!(1),
        json!("9".repeat(50)),
    ];
    // The database refuses these times.
    let times = [json!("2026-11-25 09:30:00+20:00"), json!("2026-11-2509:30:00+00")];
    let by_time = "/v1/cards?limit=3&sort=unlocked";
    let (number, time) = (json!("250"), json!("2026-11-25 09:30:00+00"));
    for (list, sound, keys) in [(list, number, &numbers[..]), (by_time, time, &times[..])] {
        use base64::Engine as _;
        let encoding = base64::engine::general_purpose::URL_SAFE_NO_PAD;
        let page = app.get(list).answer().await.expect(200);
        let bytes = encoding.decode(page["next_cursor"].as_str().unwrap()).unwrap();
        let cursor: Value = serde_json::from_slice(&bytes).unwrap();
        let forge = |key: &Value| {
            let forged = json!([cursor[0], key, "ttcg", "hearth", "001", 0]).to_string();
            format!("{list}&cursor={}", encoding.encode(forged))
        };
        // It is only the key that is refused.
        app.get(&forge(&sound)).answer().await.expect(200);
        for key in keys {
            app.get(&forge(key)).answer().await.problem(400, "invalid_cursor");
        }
    }
}

#[tokio::test]
async fn lists_of_printings_contain_only_matching_printings() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let page = ask(&app, "set:hearth attack>1500 unique:printings", &[("total", "true")])
        .await
        .expect(200);
    let entries = page["data"].as_array().unwrap();
    let file = set_file(&seed_data("ttcg"), "hearth");
    let all = file["cards"].as_array().unwrap().iter();
    let all = all.flat_map(|card| card["printings"].as_array().into_iter().flatten());
    let fitting =
        all.filter(|printing| printing["attributes"]["attack"].as_i64() > Some(1500)).count();
    assert!(fitting > 0);
    assert_eq!((entries.len(), &page["total"]), (fitting, &json!(fitting)));
    for entry in entries {
        assert!(entry["printing"]["attributes"]["attack"].as_i64() > Some(1500), "{entry}");
        assert!(entry["name"].is_string());
    }
    let page = ask(
        &app,
        "set:hearth number:1 r>=mythic_rare unique:printings sort:rarity order:desc",
        &[],
    )
    .await;
    let page = page.expect(200);
    let rarities: Vec<&Value> =
        page["data"].as_array().unwrap().iter().map(|entry| &entry["printing"]["rarity"]).collect();
    assert_eq!(rarities, ["primal_rare", "mythic_rare"]);
    assert_eq!(
        ask(&app, "is:hidden", &[("unique", "printings")]).await.expect(200)["data"],
        json!([])
    );

    let page = ask(&app, "set:hearth number:1", &[("fields", "name,attributes")]).await.expect(200);
    let members: Vec<&String> = page["data"][0].as_object().unwrap().keys().collect();
    assert_eq!(members, ["attributes", "id", "name"]);
    let page = ask(&app, "set:veil number:1", &[("fields", "name,number")]).await.expect(200);
    let members: Vec<&String> = page["data"][0].as_object().unwrap().keys().collect();
    assert_eq!(members, ["id", "number"], "a hidden card has no name to choose");
}

#[tokio::test]
async fn query_texts_are_never_executed_as_sql() {
    let app = TestApp::start_seeded(&["ttcg"]).await;
    let all = app.db().value("SELECT count(*) FROM cards").await;
    for evil in [
        "'; DROP TABLE cards; --",
        "\" OR 1=1 --",
        "$1",
        "?",
        "%' OR '%'='",
        "\\",
        "'a' & !'b'",
        "fox:*",
        "fox | !fox",
        "$$",
        "/*",
        "a'b\\'c",
        "::text",
        "{1,2}",
        "[\"a\"]",
        "name = 'x'",
        "𝕗𝕠𝕩",
        "\u{202e}fox",
        "ﬁre",
        "null",
        "NaN",
        "-9223372036854775809",
    ] {
        for q in [
            evil.to_owned(),
            format!("\"{}\"", evil.replace('\\', "\\\\").replace('"', "\\\"")),
            format!("/{}/", evil.replace('/', "\\/")),
            format!("name:{evil}"),
            format!("name={evil}"),
            format!("set:{evil}"),
            format!("number:{evil}"),
            format!("t:{evil}"),
            format!("attack>{evil}"),
            format!("r>={evil}"),
            format!("about:{evil}"),
            format!("about={evil}"),
            format!("has:{evil}"),
            format!("sort:{evil}"),
            format!("year:{evil}"),
            format!("unlocked:{evil}"),
            format!("submissions:{evil}"),
        ] {
            let answer = ask(&app, &q, &[]).await;
            assert!(answer.status == 200 || answer.status == 400, "{q}: {}", answer.text());
        }
    }
    assert_eq!(app.db().value("SELECT count(*) FROM cards").await, all);
}

/// Postgres takes long to prepare some patterns, or finds them too complex. Those are refused; the heaviest of the others are answered.
#[tokio::test]
async fn patterns_that_are_too_complex_for_the_database_are_refused() {
    let app = TestApp::start_seeded(&["ttcg", "emoji-tcg"]).await;
    for q in [
        "/(a*)*b/",
        "/(a|a)*(b|b)*(a|b|ab)*c$/",
        "/(.*)(.*)(.*)(.*)(.*)(.*)x$/",
        "/(\\w+ ){20}z/",
        "/((a?){10}){10}b/",
        "/(a*){50}(b*){50}/",
        "/.{50}.{50}.{50}q/",
        "/(\\b.)*(\\b.)*x/",
        "/(\\b|a){10}/",
        "/(\\b.){50}/",
    ] {
        let answer = ask(&app, q, &[]).await;
        assert_eq!(answer.status, 200, "{q}: {}", answer.text());
    }
    for q in ["/((a?){20}){20}b/", "/(\\b|a){20}/"] {
        let problem = ask(&app, q, &[]).await.problem(400, "invalid_query");
        let message = problem["faults"][0]["message"].as_str().unwrap();
        assert!(message.contains("at most 100 parts"), "{q}: {message}");
    }
}

#[tokio::test]
async fn missing_search_words_are_created() {
    let app = TestApp::start_seeded(&["ttcg", "emoji-tcg"]).await;
    let url = app.db().url();
    let all: usize = app.db().value("SELECT count(*) FROM card_content").await.parse().unwrap();
    let dump = "SELECT md5(string_agg(words || name_words || effect_words || lore_words || attribute_words::text, ',' \
                ORDER BY card_id)) FROM card_content";
    let before = app.db().value(dump).await;
    sql(
        &url,
        "UPDATE card_content SET words = '', name_words = '', effect_words = '', lore_words = '', attribute_words = '{}', \
         words_version = 0",
    )
    .await;
    assert_eq!(found(&app, "pebblebrow").await.len(), 0);
    let (one, other) = tokio::join!(
        cardscape::store::catalogue::cards::refresh_words(app.store(), UNTIL_DONE),
        cardscape::store::catalogue::cards::refresh_words(app.store(), UNTIL_DONE)
    );
    assert_eq!(one.unwrap() + other.unwrap(), all, "each card is processed once");
    assert_eq!(app.db().value(dump).await, before, "the words are the same as after an import");
    assert_eq!(found(&app, "pebblebrow").await.len(), 1);
    // An older version of the program changes a name and does not write search words.
    sql(&url, "UPDATE card_content SET name = 'Wholly New' WHERE name = 'Pebblebrow Tortoise'")
        .await;
    assert_eq!(
        cardscape::store::catalogue::cards::refresh_words(app.store(), UNTIL_DONE).await.unwrap(),
        1
    );
    assert_eq!((found(&app, "pebblebrow").await.len(), found(&app, "wholly").await.len()), (0, 1));
    assert_eq!(
        cardscape::store::catalogue::cards::refresh_words(app.store(), UNTIL_DONE).await.unwrap(),
        0
    );
}

/// The service with the default time limit for searches.
async fn with_time_limit() -> TestApp {
    let limit = StoreSettings::new(String::new()).search_timeout;
    let db = std::sync::Arc::new(TestDb::create().await);
    TestApp::start_tuned(db, Clock::system(), |_| {}, |settings| settings.search_timeout = limit)
}

#[tokio::test]
async fn a_search_that_takes_too_long_ends_and_the_next_one_works() {
    let app = with_time_limit().await;
    app.seed(&["ttcg"]).await;
    let session = app.db().session().await;
    session.batch_execute("BEGIN; LOCK TABLE card_content").await.unwrap();
    for q in ["pebblebrow", "/pebble/", "attack>3"] {
        let problem = ask(&app, q, &[]).await;
        assert_eq!(problem.header("retry-after"), "2", "{q}");
        problem.problem(503, "timed_out");
    }
    for path in ["named?fuzzy=peblebrow", "autocomplete?q=pebb"] {
        app.get(&format!("/v1/cards/{path}")).answer().await.problem(503, "timed_out");
    }
    session.batch_execute("COMMIT").await.unwrap();
    for q in ["pebblebrow", "/ebblebrow/"] {
        assert_eq!(found(&app, q).await, ["hearth/001"]);
    }
}

/// Makes every regular expression of the service wait for a lock that the returned session holds, on every connection.
async fn block_regular_expressions(app: &TestApp) -> tokio_postgres::Client {
    app.sql(
        "CREATE FUNCTION held_regex(text, text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN \
             PERFORM pg_advisory_xact_lock_shared(4711); RETURN $1 OPERATOR(pg_catalog.~) $2; END $$; \
         CREATE OPERATOR public.~ (leftarg = text, rightarg = text, function = held_regex); \
         DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database()); END $$",
    )
    .await;
    let session = app.db().session().await;
    session.batch_execute("SELECT pg_advisory_lock(4711)").await.unwrap();
    session
}

/// How many statements of this database wait for the lock.
async fn waiting_statements(app: &TestApp) -> String {
    let query = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted \
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    app.db().value(query).await
}

#[tokio::test]
async fn a_burst_of_slow_searches_does_not_delay_other_requests() {
    let minute = std::time::Duration::from_mins(1);
    let app = TestApp::start_tuned(
        std::sync::Arc::new(TestDb::create().await),
        Clock::system(),
        |settings| {
            in_memory(settings);
            settings.request_timeout = minute;
            settings.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
        },
        |settings| settings.search_timeout = minute,
    );
    app.seed(&["ttcg"]).await;
    app.catch_up().await;
    // Searches of a moderator run in the database, because moderators see all cards.
    let moderator = app.moderator().await;
    let session = block_regular_expressions(&app).await;
    let places = ["", "name:", "o:", "about:"];
    let burst = (0..60).map(|at| {
        let q = format!("{}/(.*a){{9}}x/", places[at % places.len()]);
        let from = format!("192.0.2.{at}");
        app.get(&path(&[("q", &q)])).by(&moderator).header("x-forwarded-for", from).answer()
    });
    let others = async {
        while waiting_statements(&app).await != "2" {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        for _ in 0..5 {
            let ask = |path: &str| app.get(path).answer();
            let (card, page, words, sorted, counted) = tokio::join!(
                ask("/v1/games/ttcg/sets/hearth/cards/001"),
                ask("/v1/cards?game=ttcg&kind=unit"),
                ask("/v1/cards?q=pebblebrow"),
                ask("/v1/cards?q=tortoise&sort=attack&total=true"),
                ask("/v1/cards/named?exact=Pebblebrow+Tortoise"),
            );
            for answer in [card, page, words, sorted, counted] {
                answer.expect(200);
            }
        }
        assert_eq!(
            waiting_statements(&app).await,
            "2",
            "the burst still waits, on its own connections"
        );
        session.batch_execute("SELECT pg_advisory_unlock(4711)").await.unwrap();
    };
    let (answers, ()) = tokio::join!(futures_util::future::join_all(burst), others);
    let (done, refused): (Vec<Answer>, Vec<Answer>) =
        answers.into_iter().partition(|answer| answer.status == 200);
    assert!(done.len() >= 2, "{}", done.len());
    assert!(refused.len() >= 60 - 34, "{}", refused.len());
    for answer in refused {
        assert_eq!(answer.header("retry-after"), "2");
        answer.problem(503, "search_busy");
    }
    app.get("/v1/cards/named?fuzzy=peblebrow+tortoise").answer().await.expect(200);
}

#[tokio::test]
async fn suggestions_are_left_out_while_slow_searches_run() {
    let minute = std::time::Duration::from_mins(1);
    let app = TestApp::start_tuned(
        std::sync::Arc::new(TestDb::create().await),
        Clock::system(),
        |settings| {
            in_memory(settings);
            settings.request_timeout = minute;
            settings.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
        },
        |settings| {
            settings.pool_size = 1;
            settings.search_timeout = minute;
        },
    );
    app.seed(&["ttcg"]).await;
    app.catch_up().await;
    let player = app.player("player").await;
    let moderator = app.moderator().await;
    let session = block_regular_expressions(&app).await;
    let burst = (0..2).map(|at| {
        let from = format!("192.0.2.{at}");
        let regex = path(&[("q", "name:/(.*a){9}x/")]);
        app.get(&regex).by(&moderator).header("x-forwarded-for", from).answer()
    });
    let others = async {
        while waiting_statements(&app).await != "2" {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        let report = serde_json::json!({ "format": "ttcg/standard", "list": "2 Kettel Imp" });
        let of_stranger = app.post("/v1/deck-reports").json(&report).answer();
        let of_moderator = app.post("/v1/deck-reports").by(&moderator).json(&report).answer();
        let csv = app.post("/v1/collection/imports?game=ttcg").by(&player);
        let csv =
            csv.header("content-type", "text/csv").body("count,name\n2,Kettel Imp\n").answer();
        // The only connection of the pool stays free.
        let others = async {
            for _ in 0..10 {
                app.get("/v1/cards?game=ttcg&kind=unit").answer().await.expect(200);
            }
        };
        let (of_stranger, of_moderator, csv, ()) =
            tokio::join!(of_stranger, of_moderator, csv, others);
        // Open cards are searched in memory; cards for a moderator and for an import are searched in the database.
        assert_eq!(of_stranger.expect(200)["reports"][0]["suggestions_left_out"], 0);
        assert_eq!(of_moderator.expect(200)["reports"][0]["suggestions_left_out"], 1);
        assert_eq!(csv.expect(200)["suggestions_left_out"], 1);
        session.batch_execute("SELECT pg_advisory_unlock(4711)").await.unwrap();
    };
    tokio::join!(futures_util::future::join_all(burst), others);
}

#[tokio::test]
async fn a_list_that_cannot_be_counted_in_time_is_returned_without_total() {
    // The time limit for searches ends the count. Other tests run without this limit.
    let app = with_time_limit().await;
    app.seed(&["ttcg"]).await;
    app.sql(
        "CREATE FUNCTION held_count(bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN \
             PERFORM pg_advisory_xact_lock_shared(4711); RETURN $1 + 1; END $$; \
         CREATE AGGREGATE public.count(*) (sfunc = held_count, stype = bigint, initcond = '0'); \
         DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database()); END $$",
    )
    .await;
    let session = app.db().session().await;
    session.batch_execute("SELECT pg_advisory_lock(4711)").await.unwrap();
    let page = ask(&app, "kind:unit", &[("total", "true")]).await.expect(200);
    assert_eq!(page.get("total"), None);
    let units = page["data"].as_array().unwrap().len();
    assert!(units > 100, "{units}");
    let warnings = page["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0]["message"].as_str().unwrap().contains("no total"), "{warnings:?}");
    session.batch_execute("SELECT pg_advisory_unlock(4711)").await.unwrap();
    let page = ask(&app, "kind:unit", &[("total", "true")]).await.expect(200);
    assert_eq!(page["total"], units);
    assert_eq!(page.get("warnings"), None);
}

#[tokio::test]
async fn costly_terms_are_tried_on_a_limited_number_of_cards_with_a_warning() {
    let app =
        TestApp::start_seeded_with(&["ttcg"], |settings| settings.search_candidates = 5).await;
    let moderator = app.moderator().await;
    let numbers = |page: &Value| -> Vec<String> {
        page["data"].as_array().unwrap().iter().map(place).collect()
    };
    let first: Vec<String> = (1..=5).map(|number| format!("hearth/00{number}")).collect();
    for q in ["/./ set:hearth", "/./", "/./ game:ttcg -is:hidden", "/./ or /q/"] {
        for more in [&[][..], &[("sort", "name")], &[("total", "true"), ("limit", "2")]] {
            let parameters = [&[("q", q)], more].concat();
            let page = app.get(&path(&parameters)).answer().await.expect(200);
            let mut found = numbers(&page);
            found.sort();
            assert!(found.iter().all(|card| first.contains(card)), "{q} {found:?}");
            assert_eq!(found.len(), if more.len() == 2 { 2 } else { 5 }, "{q} {more:?}");
            let warning = &page["warnings"][0];
            assert!(warning["message"].as_str().unwrap().contains("the first 5 cards"), "{page}");
            assert_eq!(warning["term"], q);
            if !more.is_empty() && more[0].0 == "total" {
                assert_eq!(page["total"], 5);
            }
        }
    }
    // The other terms are applied first, so the limit counts only cards that match them.
    let units = cards_of_file("ttcg", "hearth", |card| attribute(card, "type") == "fire");
    let page = ask(&app, "/./ t:fire set:hearth", &[]).await.expect(200);
    assert_eq!(numbers(&page), units[..5]);
    let printings = ask(&app, "/./ attack>=300 set:hearth unique:printings", &[]).await.expect(200);
    assert!(printings["data"].as_array().unwrap().iter().all(|entry| {
        entry["printing"]["attributes"]["attack"].as_i64().is_some_and(|attack| attack >= 300)
    }));
    let mut cards = numbers(&printings);
    cards.dedup();
    assert_eq!(cards, ["hearth/004", "hearth/005"], "those of the first five cards");
    // There is no warning if few enough cards are tried.
    for q in ["/./ set:hearth number<=5", "/./ pebblebrow", "pebblebrow /x/"] {
        assert_eq!(ask(&app, q, &[]).await.expect(200).get("warnings"), None, "{q}");
    }
    // Hidden cards are tried only for accounts that see them, and count only for these accounts.
    let veil = path(&[("q", "/./ set:veil")]);
    let page = app.get(&veil).answer().await.expect(200);
    assert_eq!((numbers(&page), page.get("warnings")), (Vec::new(), None));
    let page = app.get(&veil).by(&moderator).answer().await.expect(200);
    assert_eq!((numbers(&page).len(), page["warnings"].as_array().unwrap().len()), (5, 1));
}

#[tokio::test]
async fn pages_of_costly_patterns_end_early_and_the_list_goes_on() {
    let app = TestApp::start_seeded_with(&["ttcg", "emoji-tcg"], in_memory).await;
    app.catch_up().await;
    // So many states that the tests of a hundred cards use up the budget of a page.
    let costly = "/(.{50}){19}|the/";
    let all = walk(&app, "/the/", "200").await;
    assert_eq!(all.1, 0);
    for limit in ["7", "200"] {
        let (found, early) = walk(&app, costly, limit).await;
        assert_eq!(found, all.0, "{limit}");
        assert!(early > 0 || limit == "7", "{limit}");
    }
    let page = ask(&app, costly, &[("total", "true")]).await.expect(200);
    assert_eq!(page["total_is_exact"], json!(false));
    let warning = page["warnings"][0]["message"].as_str().unwrap();
    assert!(warning.contains("next_cursor goes on"), "{warning}");
    assert!(warning.contains("the total may be too low"), "{warning}");
}

/// The ids of a list, and the number of its pages that end early.
async fn walk(app: &TestApp, q: &str, limit: &str) -> (Vec<String>, usize) {
    let (mut found, mut early) = (Vec::new(), 0);
    let mut cursor: Option<String> = None;
    loop {
        let more = cursor.iter().map(|cursor| ("cursor", cursor.as_str()));
        let more: Vec<(&str, &str)> =
            [("q", q), ("limit", limit)].into_iter().chain(more).collect();
        let page = app.get(&path(&more)).answer().await.expect(200);
        let entries = page["data"].as_array().unwrap();
        found.extend(entries.iter().map(|card| card["id"].as_str().unwrap().to_owned()));
        cursor = page["next_cursor"].as_str().map(str::to_owned);
        if let Some(warning) = page["warnings"][0]["message"].as_str() {
            assert!(warning.contains("next_cursor goes on"), "{warning}");
            assert!(cursor.is_some() && entries.len() < limit.parse::<usize>().unwrap(), "{page}");
            early += 1;
        }
        if cursor.is_none() {
            return (found, early);
        }
    }
}

#[tokio::test]
async fn zeros_and_case_do_not_count_in_numbers_with_letters() {
    let app = TestApp::start().await;
    let mut source = seed_data("ttcg");
    edit_set(&mut source, "hearth", |set| {
        set["cards"][0]["number"] = json!("030a");
        set["cards"][1]["number"] = json!("04B");
    });
    app.import(&source).await.unwrap();
    let memory = app.second_instance_in_memory().await;
    for (number, found) in [("30a", "030a"), ("030A", "030a"), ("30A", "030a"), ("4b", "04B")] {
        for parameter in [("q", format!("cn:{number} set:hearth")), ("number", number.to_owned())] {
            let path = path(&[(parameter.0, parameter.1.as_str()), ("set", "hearth")]);
            let wanted = vec![format!("hearth/{found}")];
            let numbers = |page: &Value| -> Vec<String> {
                page["data"].as_array().unwrap().iter().map(place).collect()
            };
            for (app, source) in [(&app, "database"), (&memory, "memory")] {
                let page = app.get(&path).answer().await.expect(200);
                assert_eq!(numbers(&page), wanted, "{number}, {source}");
            }
        }
    }
}

#[tokio::test]
async fn printing_numbers_stay_correct_for_all_writers() {
    let app = TestApp::start().await;
    let mut source = seed_data("ttcg");
    app.import(&source).await.unwrap();
    let wrong = "SELECT count(*) FROM card_content WHERE printing_numbers <> card_printing_numbers(card_id, attributes)";
    let none = "SELECT count(*) FROM card_content WHERE printing_numbers = '[]' AND kind = 'unit'";
    assert_eq!(app.db().value(wrong).await, "0");
    assert_eq!(app.db().value(none).await, "0");
    // The current program writes the numbers itself, together with the card, without the trigger.
    app.sql("ALTER TABLE printing_content DISABLE TRIGGER printing_content_added").await;
    app.seed(&["uno-emoji", "emoji-tcg", "emojo-dojo", "emojito"]).await;
    assert_eq!(app.db().value(wrong).await, "0");
    app.sql("ALTER TABLE printing_content ENABLE TRIGGER printing_content_added").await;
    // An older program does not write the numbers; triggers do it. The statements below do what such a program does.
    let one = "(SELECT id FROM cards WHERE set_code = 'hearth' AND number = '001')";
    assert_eq!(found(&app, "attack>99000").await, Vec::<String>::new());
    let changed_card = ["hearth/001"];
    app.sql(&format!(
        "UPDATE printing_content SET attributes = attributes || '{{\"attack\": 99001}}' \
         WHERE printing_id = (SELECT id FROM printings WHERE card_id = {one} AND tier = 3)"
    ))
    .await;
    assert_eq!(found(&app, "attack>99000").await, changed_card);
    assert_eq!(found(&app, "attack=99001 -attack=99002").await, changed_card);
    let total = ask(&app, "total>99000", &[("total", "true")]).await.expect(200);
    assert_eq!(total["total"], 1);
    app.sql(&format!("DELETE FROM printings WHERE card_id = {one} AND tier = 3")).await;
    assert_eq!(found(&app, "attack>99000").await, Vec::<String>::new());
    app.sql(&format!(
        "UPDATE card_content SET attributes = attributes || '{{\"attack\": 99003}}' WHERE card_id = {one}; \
         INSERT INTO printings (id, card_id, rarity, tier) VALUES (gen_random_uuid(), {one}, 'rare', 3); \
         INSERT INTO printing_content (printing_id, attributes) \
             SELECT id, '{{}}' FROM printings WHERE card_id = {one} AND tier = 3"
    ))
    .await;
    assert_eq!(found(&app, "attack=99003").await, changed_card);
    assert_eq!(app.db().value(wrong).await, "0");
    // An import restores the values of the file.
    edit_set(&mut source, "hearth", |set| set["cards"][0]["lore"] = json!("Otherwise."));
    app.import(&source).await.unwrap();
    assert_eq!(found(&app, "attack>99000").await, Vec::<String>::new());
    assert_eq!(app.db().value(wrong).await, "0");
}
