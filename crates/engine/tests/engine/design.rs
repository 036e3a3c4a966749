//! The advice of manifests for designers.

use std::collections::{BTreeMap, BTreeSet};

use cardscape_engine::{CardDefinition, Game, split_total};
use serde::Deserialize;

use crate::support::{GAMES, HARBOUR, RULES_ONLY, cards, game, game_dir, manifest, spell, unit};

#[derive(Deserialize)]
struct Categories {
    category: Vec<Category>,
}

#[derive(Deserialize)]
struct Category {
    column: String,
    #[serde(default)]
    exact: BTreeSet<String>,
}

fn columns() -> BTreeMap<String, BTreeSet<String>> {
    let file = game_dir("ttcg").join("effects/categories.toml");
    let text = std::fs::read_to_string(file).unwrap();
    let read: Categories = toml::from_str(&text).unwrap();
    read.category.into_iter().map(|one| (one.column, one.exact)).collect()
}

fn names(of: [&str; 2]) -> Vec<String> {
    of.map(str::to_owned).to_vec()
}

/// The columns of the table of effects and the hints of the manifest agree.
#[test]
fn the_hints_of_ttcg_have_the_phrases_of_its_columns() {
    let (game, columns) = (game("ttcg"), columns());
    let guide = game.design_guide();
    assert_eq!(guide.styles.len(), 7);
    for hint in &guide.styles {
        let column = match hint.style.as_str() {
            "latent" | "dormant" | "passive" => "triggered",
            own => own,
        };
        let begins: BTreeSet<String> = hint.begins.iter().cloned().collect();
        assert_eq!(begins, columns[column], "{}", hint.style);
    }
    let of_kind = |kind: &str| -> BTreeSet<String> {
        let suits = guide.suits.iter().filter(|suit| suit.select.kinds == [kind]);
        suits.flat_map(|suit| suit.contains.iter().cloned()).collect()
    };
    assert_eq!(of_kind("unit"), columns["unit_only"]);
    assert_eq!(of_kind("spell"), columns["spell_only"]);
}

#[test]
fn every_shipped_card_is_as_its_guide_says() {
    let game = game("ttcg");
    let guide = game.design_guide();
    for card in cards("ttcg").map(|card| card.definition) {
        for effect in &card.effects {
            let style = effect.style.as_deref().unwrap();
            assert!(guide.fits_style(style, &effect.text), "{}: {}", card.name, effect.text);
            assert!(guide.suits(&card, &effect.text), "{}: {}", card.name, effect.text);
        }
    }
}

#[test]
fn t_3_1b_each_type_has_its_tendency() {
    let game = game("ttcg");
    let guide = game.design_guide();
    let of = names(["attack", "defense"]);
    let shares = |card: &CardDefinition| guide.shares(card, &of);
    assert_eq!(shares(&unit("Ember", "fire", 2)), Some(vec![65, 35]));
    assert_eq!(shares(&unit("Pebble", "earth", 2)), Some(vec![40, 60]));
    let turned = names(["defense", "attack"]);
    assert_eq!(guide.shares(&unit("Ember", "fire", 2), &turned), Some(vec![35, 65]));
    assert_eq!(split_total(1000, &shares(&unit("Ember", "fire", 2)).unwrap(), 25), [650, 350]);
    let choices = game.kind("unit").unwrap().attributes["type"].clone();
    let choices = serde_json::to_value(choices.value).unwrap();
    for kind in choices["values"].as_array().unwrap() {
        let card = unit("Lantern Guard", kind.as_str().unwrap(), 1);
        assert!(shares(&card).is_some(), "{kind}");
        let reported = |tendency: &&cardscape_engine::Tendency| {
            tendency.of.is_empty() && tendency.select.matches(&card, "", None)
        };
        assert_eq!(guide.tendencies.iter().filter(reported).count(), 1, "{kind}");
    }
    // Nothing else is split.
    assert_eq!(shares(&spell("Courage", 1, 5, 5)), None);
    let ember = unit("Ember", "fire", 2);
    for other in [&[][..], &of[..1], &names(["attack", "attack"]), &names(["attack", "rank"])] {
        assert_eq!(guide.shares(&ember, other), None, "{other:?}");
    }
}

const PLACED: &str =
    "When this card is sent to the discard pile, place it under one of your Air units.";
const COUNTED: &str =
    "When this card attacks, it gains 50 attack this turn for each card under it.";

#[test]
fn sentences_fit_styles_and_suit_cards() {
    let game = game("ttcg");
    let guide = game.design_guide();
    assert!(guide.fits_style("normal", "Draw one card."));
    assert!(!guide.fits_style("continuous", "Draw one card."));
    assert!(!guide.fits_style("normal", "draw one card."), "case counts");
    assert!(guide.fits_style("echo", "Anything."), "nothing is said of it");
    let (guard, courage) = (unit("Guard", "light", 1), spell("Courage", 2, 5, 5));
    for (sentence, by_guard, by_courage) in [
        ("When this card attacks, draw one card.", true, false),
        ("The unit above this card gains 50 attack.", false, true),
        ("Draw one card.", true, true),
        ("Destroy one card under this card to draw one card.", false, false),
        ("When another card is destroyed, place that card under this card.", true, false),
        ("Untap another of your Beast units.", true, false),
        ("Discard one card to untap another of your units.", true, false),
        ("Lose 1 point to activate one effect of another of your Water units.", true, false),
        (PLACED, true, false),
        (COUNTED, false, false),
    ] {
        let suited = (guide.suits(&guard, sentence), guide.suits(&courage, sentence));
        assert_eq!(suited, (by_guard, by_courage), "{sentence}");
    }
    let ranked = unit("Guard", "light", 2);
    assert!(guide.suits(&ranked, "Destroy one card under this card to draw one card."));
    assert!(guide.suits(&ranked, COUNTED));
}

/// A game without advice objects to no design.
#[test]
fn most_games_say_nothing() {
    for code in GAMES.into_iter().chain(RULES_ONLY).chain([HARBOUR]) {
        let game = game(code);
        let guide = game.design_guide();
        assert_eq!(guide.is_empty(), code != "ttcg", "{code}");
        if guide.is_empty() {
            let card = unit("Guard", "light", 1);
            assert!(guide.fits_style("normal", "x") && guide.suits(&card, "under this card"));
            assert_eq!(guide.shares(&card, &names(["attack", "defense"])), None);
        }
    }
}

#[test]
fn faults_are_reported_with_their_places_and_near_names() {
    let faults = |part: &str| -> Vec<String> {
        let base = manifest(HARBOUR);
        let lines = base.lines().count();
        let error = Game::from_toml(&format!("{base}{part}")).unwrap_err();
        let reported = |fault: &cardscape_engine::ManifestFault| {
            let line = fault.position.map_or(0, |position| position.line - lines);
            format!("{line} {}: {}", fault.place, fault.problem)
        };
        error.faults.iter().map(reported).collect()
    };
    let tendency = "[[design.tendencies]]\ntext = \"x\"\nselect = { kinds = [\"ship\"] }\n";
    let suit = "[[design.suits]]\ntext = \"x\"\n";
    for (part, reported) in [
        (
            format!("{tendency}of = [\"crew\", \"gun\"]\nshares = [1, 1]\n"),
            "4 design.tendencies[0].of: there is no integer attribute \"gun\" of ship; did you mean guns?",
        ),
        (
            format!("{tendency}of = [\"crew\", \"guns\"]\nshares = [1, 2, 3]\n"),
            "5 design.tendencies[0].shares: must have one share for each attribute of `of`: 2, not 3",
        ),
        (
            format!("{tendency}of = [\"crew\"]\nshares = [0]\n"),
            "5 design.tendencies[0].shares: must have a share above 0",
        ),
        (
            format!("{tendency}of = [\"crew\"]\nshares = [-1]\n"),
            "5 design.tendencies[0].shares: must be a list of whole numbers from 0 to 4294967295",
        ),
        (
            format!("{tendency}of = [\"crew\"]\n"),
            "1 design.tendencies[0].shares: is missing: `of` needs it",
        ),
        (
            format!("{tendency}of = [\"class\"]\nshares = [1]\n"),
            "4 design.tendencies[0].of: there is no integer attribute \"class\" of ship",
        ),
        (
            "[[design.styles]]\nstyle = \"arival\"\nbegins = [\"Draw \"]\n".to_owned(),
            "2 design.styles[0].style: there is no style \"arival\"; did you mean arrival?",
        ),
        (
            "[[design.styles]]\nstyle = \"arrival\"\nbegins = []\n".to_owned(),
            "3 design.styles[0].begins: must not be empty",
        ),
        (
            "[[design.styles]]\nstyle = \"arrival\"\nbegins = [\"a\", \" \"]\n".to_owned(),
            "3 design.styles[0].begins: must not have a blank entry",
        ),
        (
            format!("{suit}contains = [\"x\", \"x\"]\nselect = {{}}\n"),
            "3 design.suits[0].contains: has an entry twice",
        ),
        (
            format!("{suit}contains = [\"x\"]\nselect = {{ kinds = [\"boat\"] }}\n"),
            "4 design.suits[0].select.kinds: there is no kind \"boat\"",
        ),
        (format!("{suit}contains = [\"x\"]\n"), "1 design.suits[0].select: is missing"),
        (
            "[design]\ntendency = []\n".to_owned(),
            "2 design.tendency: is not known here; did you mean tendencies?",
        ),
        (
            "[[design.styles]]\nstyle = \"arrival\"\nbegins = [\"a\"]\n".repeat(2),
            "5 design.styles[1].style: is taken by another entry",
        ),
    ] {
        assert_eq!(faults(&part), [reported], "{part}");
    }
}

#[test]
fn an_attribute_is_near_also_if_many_kinds_share_the_others() {
    let number = |code: &str| format!("attributes.{code} = {{ type = \"integer\", min = 0 }}\n");
    let kind = |code: String, numbers: &str| {
        format!("[[kinds]]\ncode = \"{code}\"\nname = \"{code}\"\n{numbers}")
    };
    let shared = number("crew") + &number("hull");
    let mut text = "code = \"fleet\"\nname = \"Fleet\"\nrules_version = \"1\"\n\
                    [[formats]]\ncode = \"open\"\nname = \"Open\"\nversion = \"1\"\n"
        .to_owned();
    text.extend((0..60).map(|at| kind(format!("k{at}"), &shared)));
    text += &kind("last".to_owned(), &number("guns"));
    text += "[[design.tendencies]]\ntext = \"x\"\nselect = {}\nof = [\"gun\"]\nshares = [1]\n";
    let error = Game::from_toml(&text).unwrap_err();
    let of_design = error.faults.iter().filter(|fault| fault.place.starts_with("design"));
    let problems: Vec<&str> = of_design.map(|fault| fault.problem.as_str()).collect();
    assert_eq!(problems, ["there is no integer attribute \"gun\"; did you mean guns?"]);
}
