//! What the rulebooks leave open: games list it, and options that can be chosen have an effect.

use std::sync::Arc;

use crate::support::{self, GAMES, emoji, game, outline, pool, pool_card, shipped, unit};
use cardscape_engine::{
    Catalogue, Decision, Deck, DeckEntry, Format, Game, Provenance, parse_deck_text, validate,
};

/// `rule chosen: options`; options that can be chosen have a `*`.
fn outlines(decisions: &[Decision]) -> Vec<String> {
    decisions
        .iter()
        .map(|decision| {
            let options: Vec<String> = decision
                .options
                .iter()
                .map(|option| {
                    assert_eq!(option.selectable, option.variant.is_some());
                    format!("{}{}", option.code, if option.selectable { "*" } else { "" })
                })
                .collect();
            format!("{} {}: {}", decision.rule, decision.chosen, options.join(" "))
        })
        .collect()
}

#[test]
fn every_open_question_is_data() {
    let of = |code: &str, format: &str| {
        let game = game(code);
        (outlines(game.decisions()), outlines(&game.format(format).unwrap().decisions))
    };
    let (cards, decks) = of("ttcg", "standard");
    assert_eq!(
        cards,
        [
            "T-A10 free: free even",
            "T-A11 rule: rule examples",
            "T-A12 weights: weights shares",
            "T-A13 closed_list: closed_list with_glossary",
            "T-A28 two: two as_shown",
        ]
    );
    assert_eq!(decks, ["T-A6 by_name: by_name* by_card*"]);
    let (cards, decks) = of("emoji-tcg", "playtest");
    assert_eq!(cards, ["A-2 to_99: to_99 any", "A-3 by_stage: by_stage may_lack"]);
    assert_eq!(decks, ["A-1 by_name: by_name* by_card*"]);
    let (cards, decks) = of("uno-emoji", "box");
    assert_eq!(cards, <[&str; 0]>::default());
    assert_eq!(decks, ["U-A1 three_and_one: three_and_one* two_and_two* one_and_three*"]);
    let (cards, decks) = of("emojo-dojo", "box");
    assert_eq!(cards, ["D-2.3 eleven: eleven ten"]);
    assert_eq!(decks, ["D-A1 eight_and_four: eight_and_four", "D-14.1 full: full* half*"]);
    let (cards, decks) = of("emojito", "box");
    assert_eq!(cards, ["M-A1 own_names: own_names printed_names"]);
    assert_eq!(decks, <[&str; 0]>::default());
    assert_eq!(game("emojito").decisions()[0].provenance, Provenance::Sample);
    assert_eq!(game("ttcg").decisions()[0].provenance, Provenance::Assumed);
}

#[test]
fn questions_and_options_are_sentences_and_in_the_json() {
    for code in GAMES {
        let game = game(code);
        let of_formats = game.formats().iter().flat_map(|format| &format.decisions);
        for decision in game.decisions().iter().chain(of_formats) {
            assert!(decision.question.ends_with('?'), "{code}: {}", decision.question);
            assert!(decision.options.iter().all(|option| option.text.ends_with('.')), "{code}");
            assert_eq!(decision.chosen_option().unwrap().code, decision.chosen);
        }
    }
    let ttcg = serde_json::to_value(game("ttcg")).unwrap();
    assert_eq!(ttcg["decisions"][3]["rule"], "T-A13");
    assert_eq!(ttcg["decisions"][3]["options"][1]["selectable"], false);
    let question = &ttcg["formats"][0]["decisions"][0];
    assert_eq!(
        (&question["chosen"], &question["provenance"]),
        (&"by_name".into(), &"assumed".into())
    );
    assert_eq!(question["options"][1]["variant"], "by_card");
}

/// Every option with a variant changes the rules, and the decision says which is in force.
#[test]
fn every_option_that_can_be_chosen_does_something() {
    for code in GAMES {
        for format in game(code).formats() {
            for decision in &format.decisions {
                for option in decision.options.iter().filter(|option| option.selectable) {
                    let variant = format.with_variant(option.variant.as_ref().unwrap()).unwrap();
                    let now = variant.decisions.iter().find(|one| one.rule == decision.rule);
                    assert_eq!(now.unwrap().chosen, option.code, "{code} {}", decision.rule);
                    let same = option.code == decision.chosen;
                    assert_eq!(variant.rules == format.rules, same, "{code} {}", option.code);
                }
            }
        }
    }
    // A decision that does not depend on the variant stays as it is.
    let half = game("emojo-dojo").format("box").unwrap().with_variant("half").unwrap();
    assert_eq!(half.decisions[0].chosen, "eight_and_four");
    assert_eq!(half.decisions[1].chosen, "half");
}

/// Two cards of one name, in the sets `test` and `later`.
fn twins(game: &Game, cards: [cardscape_engine::CardDefinition; 2]) -> Arc<Catalogue> {
    let [first, again] = cards;
    let base = Arc::new(pool(game, [first]));
    Arc::new(Catalogue::with_extra(base, [pool_card("later", again)]))
}

fn copies(name: &str, first: u32, again: u32) -> Deck {
    let of = |set: &str, quantity: u32| {
        let mut entry = DeckEntry::main(quantity, name);
        entry.card.set = Some(set.to_owned());
        entry
    };
    Deck { entries: vec![of("test", first), of("later", again)] }
}

/// What the copy limit says about a deck, under both variants.
fn by_name_and_by_card(
    catalogue: &Catalogue,
    format: &Format,
    deck: &Deck,
) -> (Vec<String>, Vec<String>) {
    let under = |variant: &str| {
        let report = validate(deck, catalogue, &format.with_variant(variant).unwrap());
        let lines = outline(&report.violations);
        lines.into_iter().filter(|line| line.starts_with("COPY_LIMIT_EXCEEDED")).collect()
    };
    (under("by_name"), under("by_card"))
}

#[test]
fn t_a6_the_same_card_by_name_or_by_card() {
    let game = game("ttcg");
    let catalogue = twins(&game, [unit("Spark", "fire", 1), unit("Spark", "fire", 1)]);
    let format = game.format("standard").unwrap();
    assert_eq!(format.variant.as_deref(), Some("by_name"));
    let judged =
        |first, again| by_name_and_by_card(&catalogue, format, &copies("Spark", first, again));
    let (by_name, by_card) = judged(2, 2);
    assert_eq!(by_name, ["COPY_LIMIT_EXCEEDED T-2.2.1b 2 4"]);
    assert!(by_card.is_empty(), "{by_card:?}");
    let (_, by_card) = judged(3, 2);
    assert_eq!(by_card, ["COPY_LIMIT_EXCEEDED T-2.2.1b 2 3"]);
}

#[test]
fn a_1_copies_of_one_card_by_name_or_by_card() {
    let game = game("emoji-tcg");
    let catalogue = twins(&game, [emoji("Grin", "ultramoji"), emoji("Grin", "ultramoji")]);
    let format = game.format("playtest").unwrap();
    let judged =
        |first, again| by_name_and_by_card(&catalogue, format, &copies("Grin", first, again));
    let (by_name, by_card) = judged(2, 1);
    assert_eq!(by_name, ["COPY_LIMIT_EXCEEDED E-6.4 2 3"]);
    assert!(by_card.is_empty(), "{by_card:?}");
    let (_, by_card) = judged(1, 3);
    assert_eq!(by_card, ["COPY_LIMIT_EXCEEDED E-6.4 2 3"]);
}

#[test]
fn u_a1_each_split_is_legal_under_its_own_variant_only() {
    let catalogue = shipped("uno-emoji");
    let format = catalogue.game().format("box").unwrap();
    let splits = [("three_and_one", 3, 1), ("two_and_two", 2, 2), ("one_and_three", 1, 3)];
    let (_, text) = support::files("uno-emoji", "decks")
        .into_iter()
        .find(|(name, _)| name.starts_with("legal"))
        .unwrap();
    for (code, customizable, wild_emoji) in splits {
        let mut deck = parse_deck_text(&text).deck;
        for entry in &mut deck.entries {
            match entry.card.name.as_str() {
                "Wild Customizable" => entry.quantity = customizable,
                "Wild Emoji" => entry.quantity = wild_emoji,
                _ => {}
            }
        }
        for (other, _, _) in splits {
            let report = validate(&deck, &catalogue, &format.with_variant(other).unwrap());
            assert_eq!(report.is_legal(), other == code, "{code} under {other}");
        }
    }
}

#[test]
fn faults_of_decisions_have_a_place() {
    let manifest =
        std::fs::read_to_string(support::games_dir().join("uno-emoji/game.toml")).unwrap();
    for (from, to, fault) in [
        (
            "chosen = \"three_and_one\"",
            "chosen = \"four\"",
            "decisions[0].chosen: is none of the options",
        ),
        (
            "chosen = \"three_and_one\"",
            "chosen = \"two_and_two\"",
            "decisions[0].chosen: must be the option of the default variant",
        ),
        (
            "variant = \"two_and_two\"",
            "variant = \"zero\"",
            "decisions[0].options[1].variant: there is no variant \"zero\" here",
        ),
        (
            "{ code = \"two_and_two\"",
            "{ code = \"three_and_one\"",
            "decisions[0].options[1].code: is taken by another option",
        ),
        ("chosen =", "taken =", "decisions[0].chosen: is missing"),
    ] {
        let error = Game::from_toml(&manifest.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(&format!("formats[0].{fault}")), "no {fault} in {error}");
    }
    let twice = "\n[[decisions]]\nrule = \"U-1\"\nquestion = \"Why?\"\nchosen = \"so\"\noptions = [{ code = \"so\", text = \"So.\" }]\n";
    let error = Game::from_toml(&format!("{manifest}{twice}{twice}")).unwrap_err().to_string();
    assert!(error.contains("decisions[1].rule") || error.contains("rule: is taken"), "{error}");
    let variant = twice.replace("text = \"So.\"", "text = \"So.\", variant = \"two_and_two\"");
    let error = Game::from_toml(&format!("{manifest}{variant}")).unwrap_err().to_string();
    assert!(error.contains("there is no variant \"two_and_two\" here"), "cards have none: {error}");
}
