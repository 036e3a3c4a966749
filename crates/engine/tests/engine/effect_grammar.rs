//! The effects of the TTCG seed data follow the grammar of section 3.3: conditions, costs, actions.

use std::path::Path;

use cardscape_engine::SetDefinition;

/// The 22 actions of section 3.3.5, and tapping, which section 2.1 allows in effects.
const ACTIONS: [&str; 24] = [
    "destroy", "send", "mill", "discard", "counter", "return", "equip", "activate", "add",
    "shuffle", "reveal", "search", "gain", "lose", "skip", "draw", "play", "place", "swap",
    "prevent", "modify", "rank", "tap", "untap",
];

/// The beginnings of the conditions of section 3.3.3 that are not costs.
const CONDITIONS: [&str; 14] = [
    "If you have ",
    "If you control ",
    "If your opponent has ",
    "If your opponent controls ",
    "While this card remains on the field",
    "When this card is sent to the discard pile",
    "When this card is destroyed",
    "When this card attacks",
    "When an enemy unit ",
    "When another ",
    "When the ",
    "When a card effect activates",
    "After this card attacks",
    "At the start of your turn",
];

/// The costs of section 3.3.3.
const COSTS: [&str; 5] =
    ["discard ", "lose ", "let your opponent ", "destroy ", "skip your next turn"];

fn effects() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../seed-data/games/ttcg/sets");
    let mut found = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let set = SetDefinition::from_json(&text).unwrap();
        for card in set.cards {
            let place = format!("{} {} {}", set.code, card.number, card.name);
            found.extend(card.effects.into_iter().map(|effect| (place.clone(), effect.text)));
        }
    }
    found
}

/// What is wrong with an effect.
fn fault(effect: &str) -> Option<String> {
    let sentence = effect.strip_suffix('.')?;
    let begins_with_condition = ["If ", "When ", "While ", "After ", "At ", "During "]
        .iter()
        .any(|word| sentence.starts_with(word));
    let rest = if begins_with_condition {
        let known = CONDITIONS.iter().any(|known| sentence.starts_with(known))
            || sentence.starts_with("During your opponent's ");
        let (condition, rest) = sentence.split_once(", ")?;
        if !known {
            return Some(format!("no condition of 3.3.3: {condition}"));
        }
        rest
    } else {
        sentence
    };
    let lower = rest.to_lowercase();
    // A cost is written before "to" and an action; other words after "to" are places.
    let action_after = |at: usize| {
        let after = &lower[at + 4..];
        let word = after.split([' ', '.']).next().unwrap_or_default();
        word == "make" || ACTIONS.contains(&word)
    };
    let cost = lower.match_indices(" to ").map(|(at, _)| at).find(|at| action_after(*at));
    // Equipping is an action itself; what follows is what the equipment does.
    let equips = lower.starts_with("equip this card to ");
    let action = match cost {
        Some(at) if !equips && !COSTS.iter().any(|cost| lower.starts_with(cost)) => {
            return Some(format!("no cost of 3.3.3: {}", &rest[..at]));
        }
        Some(at) => &lower[at + 4..],
        None => &lower,
    };
    let verbs = |text: &str| {
        text.split([' ', ',']).any(|word| {
            let stem = word.strip_suffix('s').unwrap_or(word);
            ACTIONS.contains(&word) || ACTIONS.contains(&stem) || word == "loses"
        })
    };
    (!verbs(action)).then(|| format!("no action of 3.3.5: {action}"))
}

#[test]
fn every_effect_keeps_to_the_grammar() {
    let effects = effects();
    assert!(effects.len() >= 320, "{}", effects.len());
    let faults: Vec<String> = effects
        .iter()
        .filter_map(|(card, effect)| Some(format!("{card}: {} – {effect}", fault(effect)?)))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_grammar_knows_what_it_does_not_know() {
    for good in [
        "Draw one card.",
        "Discard one card to draw one card.",
        "When this card attacks, lose 1 point to tap one enemy unit.",
        "Return one spell on the field to the hand of its owner.",
        "While this card remains on the field, each enemy unit loses 50 attack.",
    ] {
        assert_eq!(fault(good), None, "{good}");
    }
    for bad in [
        "Mill two cards to draw one card.",
        "When it rains, draw one card.",
        "Sing a song.",
        "When this card attacks, sing to draw one card.",
    ] {
        assert!(fault(bad).is_some(), "{bad}");
    }
}
