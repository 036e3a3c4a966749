//! Games whose construction rules are shipped without cards, judged with invented ones.

use crate::support::{self, GAMES, RULES_ONLY, card, codes, game, outline, pool};
use cardscape_engine::{
    CardDefinition, Catalogue, Fix, Game, Report, ReportStatus, Violation, check_card,
    parse_deck_text, validate,
};
use serde_json::{Value, json};

/// A valid card of the game.
fn sound(game: &Game, name: &str, kind: &str, attributes: &Value) -> CardDefinition {
    let card = card(json!({ "number": "1", "name": name, "kind": kind, "attributes": attributes }));
    let faults: Vec<String> = check_card(game, &card).iter().map(Violation::message).collect();
    assert!(faults.is_empty(), "{faults:?}");
    card
}

fn judge(text: &str, catalogue: &Catalogue, format: &str) -> Report {
    let parsed = parse_deck_text(text);
    assert_eq!(parsed.faults, []);
    validate(&parsed.deck, catalogue, catalogue.game().format(format).unwrap())
}

#[test]
fn every_folder_of_games_is_known_and_only_some_have_no_cards() {
    let mut folders: Vec<String> = std::fs::read_dir(support::games_dir())
        .unwrap()
        .map(|folder| folder.unwrap().file_name().into_string().unwrap())
        .collect();
    folders.sort();
    let mut known: Vec<&str> = GAMES.into_iter().chain(RULES_ONLY).collect();
    known.sort_unstable();
    assert_eq!(folders, known);
    for code in RULES_ONLY {
        let game = game(code);
        assert_eq!(game.code(), code);
        assert!(!game.cards_start_hidden(), "{code}");
        assert!(support::sets(code).is_empty(), "{code} ships no card");
        for rule in game.formats().iter().flat_map(|format| &format.rules) {
            assert!(rule.reference.text.ends_with('.'), "{code}: {}", rule.reference.rule);
            let prefix = if code == "magic" { "MTG-" } else { code };
            let rule = &rule.reference.rule;
            assert!(rule.starts_with(prefix) || rule.starts_with(code), "{code}: {rule}");
        }
    }
}

// --- Magic -----------------------------------------------------------------------------------------------------------

/// Twenty creatures, a basic land, another land, a card of any number, one of up to seven, and a scheme.
fn magic() -> Catalogue {
    let game = game("magic");
    let one = |name: &str, attributes: Value| sound(&game, name, "card", &attributes);
    let mut cards: Vec<CardDefinition> = (0..20)
        .map(|at| {
            let numbers = json!({
                "types": ["artifact", "creature"], "subtypes": "Otter", "mana_cost": "{2}{U}",
                "mana_value": 3, "colors": ["blue"], "power": "1+*", "toughness": "2",
            });
            one(&format!("Otter {at}"), numbers)
        })
        .collect();
    cards.push(one("Pond", json!({ "types": ["land"], "supertypes": ["basic", "snow"] })));
    cards.push(one("Old Pond", json!({ "types": ["land"], "supertypes": ["legendary"] })));
    cards.push(one("First Otter", json!({ "types": ["creature"], "supertypes": ["basic"] })));
    cards.push(one("Tadpoles", json!({ "types": ["creature"], "any_number": true })));
    cards.push(one("Pond Sisters", json!({ "types": ["creature"], "max_copies": 7 })));
    cards.push(one("Dam", json!({ "types": ["scheme"] })));
    pool(&game, cards)
}

/// Four copies each of a number of otters.
fn otters(kinds: u32) -> String {
    (0..kinds).map(|at| format!("4 Otter {at}\n")).collect()
}

#[test]
fn mtg_100_2a_at_least_60_cards() {
    let catalogue = magic();
    let deck = |lands: u32| format!("{}{lands} Pond\n", otters(9));
    assert_eq!(judge(&deck(24), &catalogue, "constructed").violations, []);
    assert_eq!(judge(&deck(2000), &catalogue, "constructed").violations, [], "no upper bound");
    let short = judge(&deck(23), &catalogue, "constructed");
    assert_eq!(outline(&short.violations), ["DECK_SIZE_BELOW_MIN MTG-100.2a 60 59"]);
    assert_eq!(short.status, ReportStatus::Incomplete);
}

#[test]
fn mtg_100_4a_at_most_15_cards_in_the_sideboard() {
    let catalogue = magic();
    let deck = |side: u32| format!("{}24 Pond\nSideboard\n{side} Pond\n", otters(9));
    assert_eq!(judge(&deck(15), &catalogue, "constructed").violations, []);
    assert_eq!(
        outline(&judge(&deck(16), &catalogue, "constructed").violations),
        ["ZONE_SIZE_ABOVE_MAX MTG-100.4a 15 16"]
    );
}

#[test]
fn mtg_100_2a_four_of_a_name_over_deck_and_sideboard() {
    let catalogue = magic();
    let with = |more: &str| {
        let report = judge(&format!("{}24 Pond\n{more}", otters(9)), &catalogue, "constructed");
        outline(&report.violations)
    };
    assert!(with("3 Otter 12\nSB: 1 Otter 12").is_empty());
    assert_eq!(with("3 Otter 12\nSB: 2 otter-12"), ["COPY_LIMIT_EXCEEDED MTG-100.2a 4 5"]);
    let five = ["COPY_LIMIT_EXCEEDED MTG-100.2a 4 5"];
    assert_eq!(with("5 Old Pond"), five, "a land, but not basic");
    assert_eq!(with("5 First Otter"), five, "basic, but no land");
    assert!(with("30 Tadpoles").is_empty());
    assert!(with("7 Pond Sisters").is_empty());
    assert_eq!(with("8 Pond Sisters"), ["COPY_LIMIT_EXCEEDED MTG-100.2a 7 8"]);
    assert_eq!(with("1 Dam"), ["CARD_NOT_ALLOWED MTG-100.2 0 1"]);
}

/// A pool for decks of a hundred cards: 120 otters of no color, commanders, and cards with a color identity.
fn commanders() -> Catalogue {
    let game = game("magic");
    let one = |name: &str, attributes: Value| sound(&game, name, "card", &attributes);
    let mut cards: Vec<CardDefinition> = (0..120)
        .map(|at| one(&format!("Otter {at}"), json!({ "types": ["creature"], "mana_value": 2 })))
        .collect();
    let leader = |name: &str, colors: &[&str], partner: bool| {
        let attributes = json!({
            "types": ["creature"], "supertypes": ["legendary"], "color_identity": colors, "partner": partner,
        });
        one(name, attributes)
    };
    cards.extend([
        leader("Queen of the Weir", &["blue", "green"], false),
        leader("Uncle Reed", &["blue"], true),
        leader("Aunt Ember", &["red"], true),
        leader("Hermit", &[], false),
        one("Talking Canoe", json!({ "types": ["artifact"], "can_be_commander": true })),
        one("Ripple", json!({ "types": ["instant"], "color_identity": ["blue"] })),
        one("Marsh Fire", json!({ "types": ["sorcery"], "color_identity": ["red", "green"] })),
        one(
            "Brook",
            json!({ "types": ["land"], "supertypes": ["basic"], "color_identity": ["blue"] }),
        ),
        one("Tadpoles", json!({ "types": ["creature"], "any_number": true })),
        one("Pond Sisters", json!({ "types": ["creature"], "max_copies": 7 })),
        one("Dam", json!({ "types": ["scheme"] })),
    ]);
    pool(&game, cards)
}

/// One copy each of a number of otters, and more cards.
fn romp(otters: u32, more: &str) -> String {
    let otters: String = (0..otters).map(|at| format!("1 Otter {at}\n")).collect();
    format!("{otters}{more}")
}

fn commander(text: &str) -> Vec<String> {
    outline(&judge(text, &commanders(), "commander").violations)
}

const NONE: [&str; 0] = [];

#[test]
fn mtg_903_5a_a_hundred_cards_with_the_commander() {
    let deck = |otters: u32| romp(otters, "Commander\n1 Hermit");
    assert_eq!(commander(&deck(99)), NONE);
    assert_eq!(commander(&deck(98)), ["DECK_SIZE_BELOW_MIN MTG-903.5a 99 98"]);
    assert_eq!(commander(&deck(100)), ["DECK_SIZE_ABOVE_MAX MTG-903.5a 99 100"]);
    let two = commander(&romp(99, "Commander\n1 Hermit\n1 Uncle Reed"));
    assert_eq!(two, ["ZONE_SIZE_ABOVE_MAX MTG-903.5a 1 2"]);
    let none = judge(&romp(99, ""), &commanders(), "commander");
    assert_eq!(outline(&none.violations), ["IDENTITY_MISSING MTG-903.5c 1 0"]);
    assert_eq!(none.status, ReportStatus::Incomplete);
    let side = commander(&romp(99, "Commander\n1 Hermit\nSideboard\n1 Otter 110"));
    assert_eq!(side, ["ZONE_SIZE_ABOVE_MAX magic/commander-sideboard 0 1"]);
}

#[test]
fn mtg_903_3_who_may_be_a_commander() {
    let led_by = |name: &str| commander(&romp(99, &format!("Commander\n1 {name}")));
    assert_eq!(led_by("Talking Canoe"), NONE);
    assert_eq!(led_by("Otter 110"), ["CARD_NOT_ALLOWED MTG-903.3 0 1"]);
    assert_eq!(led_by("Dam").len(), 2, "no creature, and a card of a casual variant");
}

#[test]
fn mtg_903_5b_each_card_once_but_for_basic_lands() {
    let deck =
        |more: &str| commander(&romp(39, &format!("{more}\nCommander\n1 Queen of the Weir")));
    assert_eq!(deck("60 Brook"), NONE);
    assert_eq!(deck("60 Tadpoles"), NONE);
    assert_eq!(deck("7 Pond Sisters\n53 Brook"), NONE);
    let twice = ["COPY_LIMIT_EXCEEDED MTG-903.5b 1 2"];
    assert_eq!(deck("2 Ripple\n58 Brook"), twice);
    assert_eq!(deck("1 Queen of the Weir\n59 Brook"), twice, "the commander counts");
}

#[test]
fn mtg_903_5c_the_color_identity_of_the_commander() {
    let deck = |leader: &str| {
        let list = romp(97, &format!("1 Ripple\n1 Marsh Fire\nCommander\n1 {leader}"));
        judge(&list, &commanders(), "commander")
    };
    let queen = deck("Queen of the Weir");
    assert_eq!(outline(&queen.violations), ["IDENTITY_MISMATCH MTG-903.5c 0 1"], "red is missing");
    assert_eq!(queen.violations[0].cards[0].name, "Marsh Fire");
    assert_eq!(queen.violations[0].suggestions, ["blue", "green"]);
    assert_eq!(codes(&deck("Hermit").violations), ["IDENTITY_MISMATCH"; 2]);
}

#[test]
fn mtg_702_124_two_partners_join_their_color_identities() {
    let catalogue = commanders();
    let partners = catalogue.game().format("commander").unwrap().with_variant("partners").unwrap();
    let found = |otters: u32, more: &str| {
        let list = parse_deck_text(&romp(otters, more)).deck;
        outline(&validate(&list, &catalogue, &partners).violations)
    };
    let both = "1 Ripple\nCommander\n1 Uncle Reed\n1 Aunt Ember";
    assert_eq!(found(97, both), NONE);
    assert_eq!(found(98, both), ["DECK_SIZE_ABOVE_MAX MTG-903.5a 98 99"]);
    let fire = found(97, "1 Marsh Fire\nCommander\n1 Uncle Reed\n1 Aunt Ember");
    assert_eq!(fire, ["IDENTITY_MISMATCH MTG-903.5c 0 1"], "red is there, green is not");
    let alone = found(97, "1 Ripple\nCommander\n1 Uncle Reed");
    assert_eq!(alone, ["ZONE_SIZE_BELOW_MIN MTG-702.124 2 1"]);
    let stranger = found(97, "1 Ripple\nCommander\n1 Uncle Reed\n1 Hermit");
    assert_eq!(stranger, ["CARD_NOT_ALLOWED MTG-702.124 0 1"]);
}

/// The shipped list is declared, dated and empty; operators can fill in names.
#[test]
fn magic_points_by_a_list() {
    let shipped = support::manifest("magic");
    let filled = shipped
        .replace("points = {}", r#"points = { "Ripple" = 7, "Marsh Fire" = 4, "Otter 1" = 3 }"#);
    assert_ne!(shipped, filled);
    let list = romp(98, "1 Ripple\n1 Marsh Fire");
    let found = |manifest: &str, list: &str| {
        let game = Game::from_toml(manifest).unwrap();
        let cards = commanders().iter().cloned().collect::<Vec<_>>();
        let catalogue = Catalogue::builder(&game).extend(cards).build();
        outline(&judge(list, &catalogue, "points").violations)
    };
    assert_eq!(found(&shipped, &list), NONE);
    assert_eq!(found(&filled, &list), ["BUDGET_EXCEEDED magic/points-list 10 14"]);
    assert_eq!(found(&filled, &romp(99, "1 Ripple")), NONE, "ten points are allowed");
    assert_eq!(
        found(&filled, &romp(97, "1 Ripple")),
        ["DECK_SIZE_BELOW_MIN magic/points-size 100 98"]
    );
    let side = found(&filled, &romp(100, "Sideboard\n1 Otter 110"));
    assert_eq!(side, ["ZONE_SIZE_ABOVE_MAX magic/points-sideboard 0 1"]);
    let twice = found(&filled, &romp(99, "2 Tadpoles\n1 Otter 98"));
    assert_eq!(twice, ["COPY_LIMIT_EXCEEDED magic/points-singleton 1 2"]);
}

#[test]
fn magic_constructed_decks_have_no_commander() {
    let list = format!("{}24 Pond\nCommander\n1 Old Pond", otters(9));
    let found = outline(&judge(&list, &magic(), "constructed").violations);
    assert_eq!(found, ["ZONE_SIZE_ABOVE_MAX magic/no-commander 0 1"]);
}

// --- Yu-Gi-Oh! -------------------------------------------------------------------------------------------------------

fn duel(game: &Game) -> Catalogue {
    let monster = |name: &str, categories: &[&str]| {
        sound(game, name, "monster", &json!({ "categories": categories, "attack": 1000 }))
    };
    let mut cards: Vec<CardDefinition> =
        (0..20).map(|at| monster(&format!("Clerk {at}"), &["effect", "tuner"])).collect();
    for category in ["fusion", "synchro", "xyz", "link"] {
        cards.push(monster(&format!("Office {category}"), &[category, "pendulum", "effect"]));
    }
    cards.push(monster("Filing Rite", &["ritual", "effect"]));
    cards.push(sound(game, "Memo", "spell", &json!({ "property": "quick_play" })));
    cards.push(sound(game, "Audit", "trap", &json!({ "property": "counter" })));
    cards.push(sound(game, "Paper Clip", "token", &json!({})));
    pool(game, cards)
}

/// Three copies each of a number of clerks.
fn clerks(kinds: u32) -> String {
    (0..kinds).map(|at| format!("3 Clerk {at}\n")).collect()
}

#[test]
fn yu_gi_oh_sizes_of_three_decks() {
    let catalogue = duel(&game("yu-gi-oh"));
    let report = |text: &str| outline(&judge(text, &catalogue, "advanced").violations);
    assert!(report(&format!("{}1 Memo", clerks(13))).is_empty());
    assert!(report(&clerks(20)).is_empty());
    assert_eq!(report(&clerks(13)), ["DECK_SIZE_BELOW_MIN yu-gi-oh/main-deck 40 39"]);
    let large = format!("{}1 Memo", clerks(20));
    assert_eq!(report(&large), ["DECK_SIZE_ABOVE_MAX yu-gi-oh/main-deck 60 61"]);
    let full = "[Extra Deck]\n3 Office fusion\n3 Office synchro\n3 Office xyz\n3 Office link\n";
    let deck = format!("{}\n{full}\nSide Deck\n3 Memo\n3 Audit\n3 Filing Rite\n", clerks(14));
    assert!(report(&deck).is_empty());
    let report = judge(
        &format!("{}extra\n16 Office fusion\nside\n16 Memo", clerks(14)),
        &catalogue,
        "advanced",
    );
    let sizes: Vec<&str> = codes(&report.violations);
    assert_eq!(sizes.iter().filter(|code| **code == "ZONE_SIZE_ABOVE_MAX").count(), 2);
}

#[test]
fn yu_gi_oh_three_of_a_name_over_all_zones() {
    let catalogue = duel(&game("yu-gi-oh"));
    let report = |text: &str| {
        outline(&judge(&format!("{}{text}", clerks(14)), &catalogue, "advanced").violations)
    };
    assert!(report("2 Memo\nside\n1 Memo").is_empty());
    let four = ["COPY_LIMIT_EXCEEDED yu-gi-oh/three-copies 3 4"];
    assert_eq!(report("3 Memo\nside\n1 Memo"), four);
    assert_eq!(report("extra\n2 Office link\nside\n2 Office link"), four);
}

#[test]
fn yu_gi_oh_which_monsters_go_where() {
    let catalogue = duel(&game("yu-gi-oh"));
    let report = |text: &str| {
        outline(&judge(&format!("{}{text}", clerks(14)), &catalogue, "advanced").violations)
    };
    let wrong = ["CARD_NOT_ALLOWED yu-gi-oh/extra-deck-monsters 0 1"];
    for category in ["fusion", "synchro", "xyz", "link"] {
        assert!(report(&format!("extra\n1 Office {category}")).is_empty(), "{category}");
        assert!(report(&format!("side\n1 Office {category}")).is_empty(), "{category}");
        assert_eq!(report(&format!("1 Office {category}")), wrong, "{category}");
    }
    for name in ["Filing Rite", "Memo", "Audit", "Clerk 19"] {
        assert!(report(&format!("1 {name}")).is_empty(), "{name}");
        assert!(report(&format!("side\n1 {name}")).is_empty(), "{name}");
        assert_eq!(report(&format!("extra\n1 {name}")), wrong, "{name}");
    }
    assert_eq!(report("1 Paper Clip"), ["KIND_NOT_ALLOWED yu-gi-oh/token 0 1"]);
}

/// The shipped list is declared, dated and empty; operators can fill in names, list after list.
#[test]
fn yu_gi_oh_lists_by_day() {
    let path = support::games_dir().join("yu-gi-oh/game.toml");
    let shipped = std::fs::read_to_string(path).unwrap();
    let list = "effective_from = \"2026-01-01\"\ntext = \"The list";
    let filled =
        shipped.replace(list, &format!("effective_until = \"2026-04-01\"\n{list}")).replace(
            "limit_list = { cards = {} }",
            r#"limit_list = { cards = { "Memo" = 0, "Clerk 1" = 1, "Clerk 2" = 2 } }
        [[formats.rules]]
        rule = "yu-gi-oh/limit-list"
        text = "The list of spring."
        effective_from = "2026-04-01"
        limit_list = { cards = { "Clerk 2" = 1 } }"#,
        );
    let deck = parse_deck_text(&format!("{}1 Memo", clerks(14))).deck;
    let on = |manifest: &str, day: &str| {
        let catalogue = duel(&Game::from_toml(manifest).unwrap());
        let format = catalogue.game().format_on("advanced", day.parse().unwrap()).unwrap();
        outline(&validate(&deck, &catalogue, &format).violations)
    };
    for day in ["2025-12-31", "2026-01-01", "2030-01-01"] {
        assert!(on(&shipped, day).is_empty(), "{day}");
    }
    assert!(on(&filled, "2025-12-31").is_empty());
    for day in ["2026-01-01", "2026-03-31"] {
        assert_eq!(
            on(&filled, day),
            [
                "CARD_BANNED yu-gi-oh/limit-list 0 1",
                "CARD_LIMIT_EXCEEDED yu-gi-oh/limit-list 1 3",
                "CARD_LIMIT_EXCEEDED yu-gi-oh/limit-list 2 3",
            ],
            "{day}"
        );
    }
    assert_eq!(on(&filled, "2026-04-01"), ["CARD_LIMIT_EXCEEDED yu-gi-oh/limit-list 1 3"]);
}

// --- Pokémon ---------------------------------------------------------------------------------------------------------

fn meadow() -> Catalogue {
    let game = game("pokemon");
    let monster = |name: &str, stage: &str, radiant: bool| {
        let attributes =
            json!({ "stage": stage, "types": ["grass"], "hp": 60, "radiant": radiant });
        sound(&game, name, "pokemon", &attributes)
    };
    let trainer = |name: &str, ace_spec: bool| {
        sound(&game, name, "trainer", &json!({ "class": "item", "ace_spec": ace_spec }))
    };
    let energy = |name: &str, class: &str| {
        sound(&game, name, "energy", &json!({ "class": class, "ace_spec": class == "special" }))
    };
    let mut cards: Vec<CardDefinition> =
        (0..15).map(|at| trainer(&format!("Errand {at}"), false)).collect();
    cards.extend([
        monster("Molehill", "basic", false),
        monster("Molemount", "stage_1", false),
        monster("Bright Mole", "basic", true),
        monster("Bright Vole", "basic", true),
        trainer("Golden Spade", true),
        energy("Grass", "basic"),
        energy("Odd Grass", "special"),
    ]);
    pool(&game, cards)
}

/// Forty trainer cards, and more.
fn errands(more: &str) -> String {
    let errands: String = (0..10).map(|at| format!("4 Errand {at}\n")).collect();
    format!("{errands}{more}")
}

#[test]
fn pokemon_exactly_60_cards_and_a_basic_pokemon() {
    let catalogue = meadow();
    let report = |more: &str| outline(&judge(&errands(more), &catalogue, "standard").violations);
    assert!(report("1 Molehill\n19 Grass").is_empty());
    assert_eq!(report("1 Molehill\n18 Grass"), ["DECK_SIZE_BELOW_MIN pokemon/deck-size 60 59"]);
    assert_eq!(report("1 Molehill\n20 Grass"), ["DECK_SIZE_ABOVE_MAX pokemon/deck-size 60 61"]);
    assert_eq!(
        report("1 Molemount\n19 Grass"),
        ["REQUIRED_CARDS_MISSING pokemon/basic-pokemon 1 0"]
    );
}

#[test]
fn pokemon_four_of_a_name_but_for_basic_energy() {
    let catalogue = meadow();
    let report = |more: &str| outline(&judge(&errands(more), &catalogue, "standard").violations);
    assert!(report("4 Molehill\n16 Grass").is_empty());
    assert_eq!(report("5 Molehill\n15 Grass"), ["COPY_LIMIT_EXCEEDED pokemon/four-copies 4 5"]);
    let special = report("1 Molehill\n5 Odd Grass\n14 Grass");
    assert_eq!(special[1], "COPY_LIMIT_EXCEEDED pokemon/four-copies 4 5", "special Energy counts");
}

#[test]
fn pokemon_one_ace_spec_and_one_radiant() {
    let catalogue = meadow();
    let report = |more: &str| judge(&errands(more), &catalogue, "standard");
    let one = report("1 Bright Mole\n1 Golden Spade\n18 Grass");
    assert_eq!(one.violations, []);
    let aces = report("1 Molehill\n1 Golden Spade\n2 Odd Grass\n16 Grass");
    assert_eq!(outline(&aces.violations), ["GROUP_LIMIT_EXCEEDED pokemon/ace-spec 1 3"]);
    let violation = &aces.violations[0];
    assert_eq!(
        violation.message(),
        "3 cards of “Golden Spade”, “Odd Grass”; at most 1 allowed together."
    );
    assert_eq!(
        violation.fix,
        Some(Fix::RemoveAmong {
            names: vec!["Golden Spade".to_owned(), "Odd Grass".to_owned()],
            quantity: 2
        })
    );
    let radiant = report("1 Bright Mole\n1 Bright Vole\n18 Grass");
    assert_eq!(outline(&radiant.violations), ["GROUP_LIMIT_EXCEEDED pokemon/radiant 1 2"]);
}

// --- The vocabulary --------------------------------------------------------------------------------------------------

#[test]
fn at_most_counts_only_its_zones() {
    let manifest = std::fs::read_to_string(support::games_dir().join("yu-gi-oh/game.toml"))
        .unwrap()
        + r#"
        [[formats.rules]]
        rule = "yu-gi-oh/few-traps"
        text = "At most two traps in the main and the side deck."
        at_most = { max = 2, zones = ["side", "main"], select = { kinds = ["trap"] } }
        "#;
    let catalogue = duel(&Game::from_toml(&manifest).unwrap());
    let found = |text: &str| {
        let report = judge(&format!("{}{text}", clerks(14)), &catalogue, "advanced");
        outline(&report.violations)
    };
    assert!(found("1 Audit\nside\n1 Audit").is_empty());
    assert_eq!(found("2 Audit\nside\n1 Audit"), ["GROUP_LIMIT_EXCEEDED yu-gi-oh/few-traps 2 3"]);
    let elsewhere = found("2 Audit\nextra\n1 Audit");
    assert_eq!(elsewhere, ["CARD_NOT_ALLOWED yu-gi-oh/extra-deck-monsters 0 1"]);
}

/// Cards with one name, of which only some are in the zones of the rule.
#[test]
fn copy_limits_look_only_at_the_cards_of_their_zones() {
    let game = Game::from_toml(
        r#"
        code = "pond"
        name = "Pond"
        rules_version = "1"
        cards = { unique_names = false }
        zones = [{ code = "main", name = "Main" }, { code = "side", name = "Side" }]
        [[kinds]]
        code = "fish"
        name = "Fish"
        [[formats]]
        code = "open"
        name = "Open"
        version = "1"
        [[formats.rules]]
        rule = "P-1"
        text = "Four of a name in the main zone, but one of the set alpha."
        copy_limit = { zones = ["main"], max = 4, limits = [{ select = { sets = ["alpha"] }, max = 1 }] }
        "#,
    )
    .unwrap();
    let carp = |set: &str| support::pool_card(set, sound(&game, "Carp", "fish", &json!({})));
    let catalogue = Catalogue::builder(&game).extend(["alpha", "beta"].map(carp)).build();
    let found = |text: &str| judge(text, &catalogue, "open").violations;
    assert_eq!(found("3 Carp (beta)\nside\n1 Carp (alpha)"), []);
    let many = found("5 Carp (beta)\nside\n1 Carp (alpha)");
    assert_eq!(outline(&many), ["COPY_LIMIT_EXCEEDED P-1 4 5"]);
    let cards: Vec<_> =
        many[0].cards.iter().map(|card| (card.set.as_deref(), card.quantity)).collect();
    assert_eq!(cards, [(Some("beta"), Some(5))]);
    let both = found("1 Carp (alpha)\n1 Carp (beta)\nside\n3 Carp (beta)");
    assert_eq!(outline(&both), ["COPY_LIMIT_EXCEEDED P-1 1 2"]);
    let copies: Vec<Option<u64>> = both[0].cards.iter().map(|card| card.quantity).collect();
    assert_eq!(copies, [Some(1), Some(1)]);
}

#[test]
fn wrong_manifests_are_reported_where() {
    let manifest = std::fs::read_to_string(support::games_dir().join("magic/game.toml")).unwrap();
    let wrong = manifest.replace("own_limit = \"max_copies\"", "own_limit = \"types\"")
        + "[[formats.rules]]\nrule = \"a\"\ntext = \"b.\"\nat_most = { select = {} }\n";
    let error = Game::from_toml(&wrong).unwrap_err().to_string();
    for place in ["rules[2].copy_limit.own_limit", "rules[8].at_most.max: is missing"] {
        assert!(error.contains(place), "no {place} in {error}");
    }
}
