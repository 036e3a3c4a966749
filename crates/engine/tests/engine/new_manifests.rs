//! Faults that only new manifests may not have: manifests that are stored with them are still read.

use cardscape_engine::{Game, ManifestError, parse_deck_text, validate};
use serde_json::json;

use crate::support::{HARBOUR, all_games, card, manifest, page, pool};

/// The places and messages of the faults that a manifest has if it is new.
fn faults(text: &str) -> Vec<(String, String)> {
    let stored = Game::from_toml(text).map(|_| ());
    assert_eq!(stored, Ok(()), "stored manifests are read");
    let faults = Game::from_new_toml(text).err().map(|ManifestError { faults }| faults);
    let faults = faults.into_iter().flatten();
    faults.map(|fault| (fault.place, fault.problem)).collect()
}

fn fault(place: &str, problem: &str) -> (String, String) {
    (place.to_owned(), problem.to_owned())
}

/// A game of fish with more at its top and in its kind.
fn pond(top: &str, kind: &str) -> String {
    format!(
        "code = \"pond\"\nname = \"Pond\"\nrules_version = \"1\"\n{top}\n\
         [[formats]]\ncode = \"open\"\nname = \"Open\"\nversion = \"1\"\n\
         [[kinds]]\ncode = \"fish\"\nname = \"Fish\"\n{kind}\n"
    )
}

fn rarity([code, name, aliases]: [&str; 3]) -> String {
    format!("[[rarities]]\ncode = \"{code}\"\nname = \"{name}\"\naliases = [{aliases}]\n")
}

#[test]
fn the_manifests_of_all_games_and_of_the_page_may_be_stored() {
    let games = all_games().into_iter().chain([HARBOUR.to_owned()]);
    for text in games.map(|code| manifest(&code)).chain(page::manifests()) {
        assert_eq!(faults(&text), [], "{text}");
    }
}

#[test]
fn a_word_means_one_rarity() {
    let two =
        |first: [&str; 3], second: [&str; 3]| faults(&pond(&(rarity(first) + &rarity(second)), ""));
    let taken = |key: &str, word: &str, code: &str| {
        let problem = format!(
            "\"{word}\" already means another rarity, \"{code}\": give one of the two another word"
        );
        vec![(format!("rarities[1].{key}"), problem)]
    };
    let foil = ["r1", "Foil", "\"Shiny\""];
    assert_eq!(two(foil, ["foil", "⭐⭐", ""]), taken("code", "foil", "r1"));
    assert_eq!(two(foil, ["r2", "FOIL", ""]), taken("name", "FOIL", "r1"));
    assert_eq!(two(foil, ["r2", "Shiny!", ""]), taken("name", "Shiny!", "r1"));
    assert_eq!(two(foil, ["r2", "Gold", "\"foil\""]), taken("aliases", "foil", "r1"));
    assert_eq!(two(["r1", "🌕", ""], ["r2", "🌕", ""]), taken("name", "🌕", "r1"));
    // Searches ignore accents.
    assert_eq!(two(["r1", "Rosé", ""], ["r2", "Rose", ""]), taken("name", "Rose", "r1"));
    // The words of one rarity may be equal, and signs count.
    assert_eq!(two(["foil", "Foil", "\"FOIL!\""], ["r2", "Foil+", ""]), []);
}

/// Older versions refuse such manifests, too.
#[test]
fn signs_count_only_in_names_of_rarities() {
    let two = |first: [&str; 3], second: [&str; 3]| {
        let read = Game::from_toml(&pond(&(rarity(first) + &rarity(second)), ""));
        let faults = read.err().map(|ManifestError { faults }| faults).into_iter().flatten();
        faults.map(|fault| (fault.place, fault.problem)).collect::<Vec<_>>()
    };
    let again = |key: &str, word: &str| {
        let problem = format!(
            "\"{word}\" already means another rarity: give one of the two another word; signs and case do not count in codes and aliases"
        );
        fault(&format!("rarities[1].{key}"), &problem)
    };
    assert_eq!(two(["r1", "R", ""], ["r2", "R+", ""]), []);
    assert_eq!(two(["r1", "One", "\"R\""], ["r2", "Two", "\"R+\""]), [again("aliases", "R+")]);
    assert_eq!(two(["r1", "One", "\"R-2\""], ["r2", "Two", ""]), [again("code", "r2")]);
    let signs = |at: usize, word: &str| {
        let problem =
            format!("\"{word}\" must have letters or digits: signs and emoji count only in names");
        fault(&format!("rarities[{at}].aliases"), &problem)
    };
    assert_eq!(
        two(["r1", "One", "\"🌕\""], ["r2", "Two", "\"🌑\""]),
        [signs(0, "🌕"), signs(1, "🌑")]
    );
}

/// In games of older versions, a word can be in the places of several rarities.
#[test]
fn a_code_counts_more_than_an_alias_and_an_alias_more_than_a_name() {
    let rarities = [
        ["r1", "Foil", ""],
        ["foil", "⭐⭐", ""],
        ["r3", "Full", ""],
        ["r4", "🌕", "\"full\""],
        ["r5", "Rare+", ""],
        ["r6", "Rare", ""],
    ];
    let text = pond(&rarities.map(rarity).concat(), "");
    let game = Game::from_toml(&text).unwrap();
    for (word, code) in [
        ("foil", Some("foil")),
        ("Foil", Some("foil")),
        ("⭐⭐", Some("foil")),
        ("⭐", None),
        ("FULL", Some("r4")),
        ("🌕", Some("r4")),
        ("🌕\u{fe0f}", Some("r4")),
        ("rare", Some("r6")),
        ("rare +", Some("r5")),
        ("Foil★", Some("foil")),
        ("", None),
    ] {
        let meant = game.rarity_called(word).map(|rarity| rarity.code.as_str());
        assert_eq!(meant, code, "{word}");
    }
    let carp =
        json!({ "number": "1", "name": "Carp", "kind": "fish", "printings": [{ "rarity": "r4" }] });
    let catalogue = pool(&game, [card(carp)]);
    let deck = parse_deck_text("1 Carp {🌕}").deck;
    let report = validate(&deck, &catalogue, game.format("open").unwrap());
    assert_eq!(report.violations, []);
}

#[test]
fn a_condition_is_one_that_some_card_can_meet() {
    let base = manifest(HARBOUR);
    let harbour = |select: &str| {
        let rule = format!(
            "\n[[formats]]\ncode = \"storm\"\nname = \"Storm\"\nversion = \"1\"\n\
             [[formats.rules]]\nrule = \"S-1\"\ntext = \"Nothing sails.\"\nforbidden = {{ select = {select} }}\n"
        );
        let text = format!("{base}{rule}");
        if let Err(error) = Game::from_new_toml(&text) {
            let line = |fault: &cardscape_engine::ManifestFault| fault.position.unwrap().line;
            let last = text.lines().count();
            assert!(error.faults.iter().all(|fault| line(fault) == last), "{error}");
        }
        let found = faults(&text).into_iter();
        let place = "formats[3].rules[0].forbidden.select.";
        let found = found.map(|(at, problem)| (at.replacen(place, "", 1), problem));
        found.collect::<Vec<_>>()
    };
    let weights = "which is a whole number from 0 to 100";
    for (select, place, problem) in [
        (
            "{ where = { class = \"brigg\" } }",
            "where.class",
            "no card can have \"brigg\" as its \"class\", which is one of sloop, brig, galleon; did you mean brig?",
        ),
        (
            "{ where = { class = [\"brig\", \"gallion\"] } }",
            "where.class[1]",
            "no card can have \"gallion\" as its \"class\", which is one of sloop, brig, galleon; did you mean galleon?",
        ),
        (
            "{ any = [{}, { not = { where = { class = \"Brig\" } } }] }",
            "any[1].not.where.class",
            "no card can have \"Brig\" as its \"class\", which is one of sloop, brig, galleon; did you mean brig?",
        ),
        (
            "{ where = { weight = \"x\" } }",
            "where.weight",
            &*format!("no card can have \"x\" as its \"weight\", {weights}"),
        ),
        (
            "{ where = { weight = [7, 101] } }",
            "where.weight[1]",
            &*format!("no card can have 101 as its \"weight\", {weights}"),
        ),
        (
            "{ where = { basic = \"yes\" } }",
            "where.basic",
            "no card can have \"yes\" as its \"basic\", which is true or false",
        ),
        ("{ where = { crew = [] } }", "where.crew", "must have at least one value"),
        ("{ where = { weight = { min = 5, max = 1 } } }", "where.weight.min", "is above max"),
        (
            "{ where = { weight = { min = 101 } } }",
            "where.weight",
            &*format!("no card can have a number in this range as its \"weight\", {weights}"),
        ),
        (
            "{ where = { crew = { max = 0 } } }",
            "where.crew",
            "no card can have a number in this range as its \"crew\", which is a whole number from 1 up",
        ),
        (
            "{ where = { class = { min = 1 } } }",
            "where.class",
            "a range is for whole numbers, but \"class\" is one of sloop, brig, galleon: write a value or a list of values",
        ),
    ] {
        assert_eq!(harbour(select), [fault(place, problem)], "{select}");
    }
    for select in [
        "{ where = { class = [\"sloop\"], crew = { min = 1 }, guns = { min = 0, max = 0 } } }",
        "{ where = { basic = { present = false }, weight = { min = 100 }, price = 7 } }",
    ] {
        assert_eq!(harbour(select), [], "{select}");
    }
}

/// A value is known if one of the kinds has it.
#[test]
fn kinds_may_have_different_attributes_of_a_name() {
    let shore = |values: &str| {
        let kinds = "attributes.size = { type = \"text\", max_length = 3 }\n\
             [[kinds]]\ncode = \"shell\"\nname = \"Shell\"\nattributes.size = { type = \"integer\" }\n\
             [[formats.rules]]\nrule = \"P-1\"\ntext = \"Nothing small.\"\n";
        faults(&pond(
            "",
            &format!("{kinds}forbidden = {{ select = {{ where = {{ size = {values} }} }} }}"),
        ))
    };
    assert_eq!(shore("[\"big\", -7]"), []);
    assert_eq!(shore("{ max = 3 }"), []);
    let problem = "no card can have \"large\" as its \"size\", which is a text of at most 3 characters or a whole number";
    let place = "formats[0].rules[0].forbidden.select.where.size";
    assert_eq!(shore("\"large\""), [fault(place, problem)]);
}

#[test]
fn the_table_of_a_total_has_values_of_its_attribute() {
    let text = manifest(HARBOUR).replace("brig = 20", "birg = 20");
    let problem = "no card can have \"birg\" as its \"class\", which is one of sloop, brig, galleon; did you mean brig?";
    assert_eq!(faults(&text), [fault("kinds[1].checks[0].total.base.birg", problem)]);
    let fish = |total: &str| {
        faults(&pond(
            "",
            &format!(
                "[kinds.attributes]\nsize = {{ type = \"integer\" }}\nrank = {{ type = \"integer\", min = 1, max = 3 }}\n\
                 tame = {{ type = \"boolean\" }}\nseas = {{ type = \"choices\", values = [\"north\", \"south\"] }}\n\
                 [[kinds.checks]]\ntext = \"Sizes.\"\n[kinds.checks.total]\nof = [\"size\"]\n{total}"
            ),
        ))
    };
    let ranks = |key: &str| {
        let place = format!("kinds[0].checks[0].total.base.{key}");
        let problem = format!(
            "no card can have \"{key}\" as its \"rank\", which is a whole number from 1 to 3"
        );
        vec![(place, problem)]
    };
    assert_eq!(fish("by = \"rank\"\nbase = { 1 = 5, 3 = 7 }"), []);
    assert_eq!(fish("by = \"rank\"\nbase = { 1 = 5, 01 = 6 }"), ranks("01"));
    assert_eq!(fish("by = \"tame\"\nbase = { true = 5, false = 6 }"), []);
    let total = "kinds[0].checks[0].total.";
    assert_eq!(
        fish("by = \"seas\"\nbase = { north = 5 }"),
        [fault(&format!("{total}by"), "must be an attribute with one value, not a list")]
    );
    assert_eq!(
        fish("base = { 1 = 5 }"),
        [fault(&format!("{total}base"), "needs `by`, the attribute whose values are its keys")]
    );
    let found = fish("by = \"rank\"\nbase = { 4 = 5 }");
    let problem = "no card can have 4 as its \"rank\", which is a whole number from 1 to 3";
    assert_eq!(found, [fault(&format!("{total}base.4"), problem)]);
}

#[test]
fn searches_can_tell_the_values_of_a_choice_apart() {
    let values = |values: &str| {
        let attribute = format!("attributes.sort = {{ type = \"choice\", values = [{values}] }}");
        faults(&pond("", &attribute))
    };
    let place = |at: usize| format!("kinds[0].attributes.sort.values[{at}]");
    let alike = |at: usize, before: &str| {
        let problem = format!(
            "means the same as \"{before}\" in searches, where case, accents, spaces and punctuation do not count: give one of the two another name"
        );
        (place(at), problem)
    };
    assert_eq!(values("\"a b\", \"a_b\", \"Fire\", \"fire\""), [alike(1, "a b"), alike(3, "Fire")]);
    assert_eq!(values("\"\\u00e9\", \"e\\u0301\""), [alike(1, "é")]);
    assert_eq!(values("\"a\", \"b\", \"+1\", \"❤\", \"💔\""), []);
    for (written, problem) in [
        ("\"a\", \"a \"", "must not begin or end with a space"),
        ("\"a\", \" \"", "must not be blank"),
        ("\"a\", \"\"", "must not be blank"),
        ("\"a\", \"b|c\"", "must not contain |, which separates the values in CSV files"),
    ] {
        assert_eq!(values(written), [fault(&place(1), problem)], "{written}");
    }
    let styles = "[[kinds.effects]]\nmax = 1\nstyles = [\"a\", \"A\"]";
    let found = faults(&pond("", styles));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, "kinds[0].effects[0].styles[1]");
    assert!(found[0].1.starts_with("means the same as \"a\""), "{found:?}");
}

#[test]
fn some_card_can_be_of_a_kind() {
    let of = |attribute: &str| {
        let found = faults(&pond("", &format!("attributes.x = {{ {attribute} }}")));
        let place = "kinds[0].attributes.x.";
        let found = found.into_iter().map(|(at, problem)| (at.replacen(place, "", 1), problem));
        found.collect::<Vec<_>>()
    };
    let choices = "type = \"choices\", values = [\"a\", \"b\", \"c\"]";
    assert_eq!(of(&format!("{choices}, min_items = 3, max_items = 3")), []);
    assert_eq!(
        of(&format!("{choices}, min_items = 4")),
        [fault("min_items", "is above the number of values, which is 3")]
    );
    assert_eq!(
        of(&format!("{choices}, min_items = 2, max_items = 1")),
        [fault("min_items", "is above max_items")]
    );
    assert_eq!(
        of("type = \"text\", max_length = 0"),
        [fault("max_length", "must be at least 1, because every card has this text")]
    );
    assert_eq!(of("type = \"text\", max_length = 0, optional = true"), []);
    let slots =
        "[[kinds.effects]]\nslots = [{ slot = \"first\", min = 2 }, { slot = \"last\", max = 3 }]";
    let found = faults(&pond("", slots));
    assert_eq!(found, [fault("kinds[0].effects[0].slots[0].min", "is above max")]);
}

#[test]
fn decks_can_name_formats_and_variants() {
    let format = |code: &str, variant: &str| {
        let format = format!("[[formats]]\ncode = \"{code}\"\nname = \"Wide\"\nversion = \"1\"\n");
        let variant = format!("code = \"{variant}\"\nname = \"All\"\ndefault = true\n");
        faults(&pond(&format!("{format}[[formats.variants]]\n{variant}"), ""))
    };
    let (longest, longer) = ("f".repeat(32), "f".repeat(33));
    let problem = "must be 1 to 32 lower-case letters, digits, hyphens or underscores";
    assert_eq!(format(&longest, &longest), []);
    assert_eq!(format(&longer, "all"), [fault("formats[0].code", problem)]);
    assert_eq!(format("wide", &longer), [fault("formats[0].variants[0].code", problem)]);
}

#[test]
fn versions_of_a_format_begin_on_different_days() {
    let versions = |days: &[&str]| {
        let version = |day: &&str| {
            format!(
                "[[formats]]\ncode = \"wide\"\nname = \"Wide\"\nversion = \"1\"\neffective_from = \"{day}\"\n"
            )
        };
        faults(&pond(&days.iter().map(version).collect::<String>(), ""))
    };
    let (first, second) = ("2024-01-01", "2025-01-01");
    assert_eq!(versions(&[second, first]), []);
    let problem = "two versions of \"wide\" begin on the same day";
    assert_eq!(versions(&[first, second, first]), [fault("formats", problem)]);
}

#[test]
fn a_ladder_has_steps_of_the_kinds_that_it_selects() {
    let ladder = |select: &str, attribute: &str| {
        let rule = format!(
            "[[formats]]\ncode = \"wide\"\nname = \"Wide\"\nversion = \"1\"\n\
             [[formats.rules]]\nrule = \"P-1\"\ncode = \"NO_WAY_UP\"\ntext = \"Step by step.\"\n\
             advise_ladder = {{ attribute = \"{attribute}\", select = {select} }}\n"
        );
        let kinds = "attributes.rank = { type = \"choice\", values = [\"low\", \"high\"] }\n\
             attributes.note = { type = \"text\", optional = true }\n\
             [[kinds]]\ncode = \"bird\"\nname = \"Bird\"\n\
             attributes.rank = { type = \"choice\", values = [\"bronze\", \"silver\"] }\n\
             attributes.size = { type = \"integer\", optional = true }\n";
        pond(&rule, kinds)
    };
    let problem = "must be an integer or a choice of one of these kinds";
    let wrong = [fault("formats[0].rules[0].advise_ladder.attribute", problem)];
    for (select, attribute, is_right) in [
        ("{}", "rank", true),
        ("{}", "size", true),
        ("{}", "note", false),
        ("{ kinds = [\"bird\"] }", "size", true),
        ("{ kinds = [\"fish\"] }", "size", false),
        ("{ kinds = [\"bird\"] }", "note", false),
    ] {
        let expected = if is_right { &[][..] } else { &wrong[..] };
        assert_eq!(faults(&ladder(select, attribute)), expected, "{select} {attribute}");
    }
    let game = Game::from_toml(&ladder("{ kinds = [\"bird\"] }", "rank")).unwrap();
    let bird = |number: usize, name: &str, rank: &str| {
        card(
            json!({ "number": number.to_string(), "name": name, "kind": "bird", "attributes": { "rank": rank } }),
        )
    };
    let pool = pool(&game, [bird(1, "Wren", "bronze"), bird(2, "Heron", "silver")]);
    let warned = |list: &str| -> Vec<String> {
        let report = validate(&parse_deck_text(list).deck, &pool, game.format("wide").unwrap());
        report.violations.iter().map(|one| one.cards[0].name.clone()).collect()
    };
    assert_eq!(warned("1 Heron"), ["Heron"]);
    assert_eq!(warned("1 Wren\n1 Heron"), Vec::<String>::new());
}

/// Marks that belong to the character before them are not escaped.
#[test]
fn messages_have_words_as_they_were_written() {
    let zones = |first: &str, second: &str| {
        faults(&pond(
            &format!(
                "[[zones]]\ncode = \"main\"\nname = \"Main\"\naliases = [\"{first}\"]\n\
                 [[zones]]\ncode = \"side\"\nname = \"Side\"\naliases = [\"{second}\"]\n"
            ),
            "",
        ))
    };
    for (first, second) in [("❤\u{fe0f}", "❤\u{fe0f}"), ("Café", "Cafe\u{301}")] {
        let problem = format!(
            "\"{second}\" already means another zone, \"main\": give one of the two another word"
        );
        assert_eq!(zones(first, second), [fault("zones[1].aliases", &problem)]);
    }
}

#[test]
fn weights_are_whole_numbers_from_1() {
    for weight in ["-1", "0", "4294967296"] {
        let top = format!("[[rarities]]\ncode = \"r\"\nname = \"R\"\nweight = {weight}\n");
        let error = Game::from_toml(&pond(&top, "")).unwrap_err();
        assert_eq!(error.faults.len(), 1, "{error}");
        let problem = format!("must be a whole number from 1 to 4294967295, not {weight}");
        assert_eq!(error.faults[0].problem, problem);
    }
}

#[test]
fn names_are_as_short_as_those_of_cards() {
    let named = |length: usize| {
        let name = "é".repeat(length);
        let top = format!(
            "[[zones]]\ncode = \"main\"\nname = \"{name}\"\n[[rarities]]\ncode = \"r\"\nname = \"{name}\"\n"
        );
        let kind = format!(
            "attributes.x = {{ type = \"boolean\", name = \"{name}\" }}\n\
             [[formats.variants]]\ncode = \"v\"\nname = \"{name}\"\ndefault = true\n"
        );
        let text = pond(&top, &kind);
        let text = ["Pond", "Open", "Fish"].iter().fold(text, |text, old| text.replace(old, &name));
        faults(&text)
    };
    assert_eq!(named(120), []);
    let found = named(121);
    let places: Vec<&str> = found.iter().map(|(place, _)| place.as_str()).collect();
    let expected = [
        "name",
        "zones[0].name",
        "rarities[0].name",
        "formats[0].name",
        "kinds[0].name",
        "kinds[0].attributes.x.name",
        "formats[0].variants[0].name",
    ];
    assert_eq!(places, expected);
    let problem = "has 121 characters, but may have 120 at most";
    assert!(found.iter().all(|(_, found)| found == problem), "{found:?}");

    let aliased = |length: usize| {
        let alias = format!("\"a\", \"{}\"", "b".repeat(length));
        faults(&pond(&rarity(["r", "R", &alias]), ""))
    };
    assert_eq!(aliased(60), []);
    let problem = "has 61 characters, but may have 60 at most";
    assert_eq!(aliased(61), [fault("rarities[0].aliases[1]", problem)]);
}
