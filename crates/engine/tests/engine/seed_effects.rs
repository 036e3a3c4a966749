//! The shipped templates of effect texts: the sentences that they make, and that every effect on a card is one of these.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::support::{files, sets};
use cardscape_engine::effect_text::{
    Effects, Matcher, PhraseRules, Placeholders, finished, read_templates,
};

const REMOVALS: &str = "combinations_to_remove.txt";
const REPLACEMENTS: &str = "phrase_replacements.txt";

fn ttcg() -> (Arc<Effects>, Arc<PhraseRules>) {
    let words = files("ttcg", "placeholders");
    let text = |name: &str| words.iter().find(|(file, _)| file == name).unwrap().1.clone();
    let rules = PhraseRules::parse(&text(REMOVALS), &text(REPLACEMENTS));
    assert_eq!(rules.ignored(), []);
    let is_rule = |file: &str| [REMOVALS, REPLACEMENTS].contains(&file);
    let values = words.iter().filter(|(file, _)| !is_rule(file));
    let values = values.map(|(file, text)| (file.strip_suffix(".txt").unwrap(), text));
    let placeholders = Placeholders::new(values);
    assert_eq!(placeholders.faults().next(), None);
    let templates = files("ttcg", "effects");
    let templates = templates.iter().find(|(file, _)| file == "all_effect_templates.txt");
    let templates = read_templates(&templates.unwrap().1).unwrap();
    let effects = Effects::new(templates, &placeholders).unwrap();
    assert_eq!(effects.unresolved().next(), None);
    (Arc::new(effects), Arc::new(rules))
}

/// Faults of a sentence that can be found without a list of words. `benches/effects/proofread.py` checks more.
fn fault(sentence: &str) -> Option<&'static str> {
    let words: Vec<&str> =
        sentence.split([' ', ',', '.']).filter(|word| !word.is_empty()).collect();
    let followed = |article: &str, vowel: bool| {
        words.windows(2).any(|pair| {
            let begins = pair[1].starts_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O', 'U']);
            pair[0] == article && begins == vowel
        })
    };
    let counted = |number: &str, noun: &str| {
        words.windows(2).any(|pair| pair[0] == number && pair[1] == noun)
    };
    match () {
        () if sentence.contains("  ") => Some("a double space"),
        () if sentence.trim() != sentence => Some("space around it"),
        () if !sentence.ends_with('.') || sentence.matches('.').count() != 1 => {
            Some("not one sentence")
        }
        () if !sentence.is_ascii() => Some("a strange letter"),
        () if !sentence.starts_with(|first: char| first.is_ascii_uppercase()) => {
            Some("begins with a small letter")
        }
        () if sentence.contains(['<', '>']) => Some("a place without a value"),
        () if [" ,", " .", ",,", ",."].iter().any(|marks| sentence.contains(marks)) => {
            Some("marks out of place")
        }
        () if words.windows(2).any(|pair| pair[0].eq_ignore_ascii_case(pair[1])) => {
            Some("a word twice")
        }
        () if followed("a", true) || followed("an", false) => Some("the wrong article"),
        () if ["cards", "units", "spells"].iter().any(|noun| counted("one", noun)) => {
            Some("one of many")
        }
        () if ["two", "three", "four"]
            .iter()
            .any(|many| ["card", "unit", "spell"].iter().any(|noun| counted(many, noun))) =>
        {
            Some("many of one")
        }
        () if counted("1", "points") || counted("2", "point") => Some("points miscounted"),
        () if sentence.chars().count() > 140 => Some("too long"),
        () => None,
    }
}

#[test]
fn the_templates_make_thousands_of_sound_sentences() {
    for wrong in [
        "Draw  one card.",
        "Draw one card",
        "draw one card.",
        "Draw draw one card.",
        "Draw one cards.",
        "Draw two card.",
        "Draw <few> cards.",
        "Draw one card ,then rest.",
        "Gain 1 points.",
        "Wake a Air unit.",
        "Wake an Fire unit.",
    ] {
        assert_ne!(fault(wrong), None, "{wrong}");
    }
    let (effects, rules) = ttcg();
    let sentences = finished(&effects, &rules);
    let faulty = sentences.iter().filter_map(|text| Some((fault(text)?, text)));
    assert_eq!(faulty.collect::<Vec<_>>(), []);
    let distinct: BTreeSet<&String> = sentences.iter().collect();
    assert!(distinct.len() >= 5_000, "{}", distinct.len());
    assert_eq!(distinct.len(), sentences.len(), "a sentence is made of two");
    for template in 0..effects.templates().len() {
        let mut raw = effects.expand_of(template);
        let some = raw.any(|expansion| rules.render(&expansion.text).is_some());
        assert!(some, "nothing comes of {}", effects.templates()[template]);
    }
}

#[test]
fn every_effect_on_a_card_matches_a_template() {
    let (effects, rules) = ttcg();
    // With the index, and by search alone.
    for index_max in [100_000, 0] {
        let matcher = Matcher::new(Arc::clone(&effects), Arc::clone(&rules), index_max);
        let mut matched = 0;
        for (file, set) in sets("ttcg") {
            for (card, effect) in set
                .cards
                .iter()
                .flat_map(|card| card.effects.iter().map(move |effect| (card, effect)))
            {
                let found = matcher.find(&effect.text, 10);
                assert!(found.complete, "{file} {}: {}", card.name, effect.text);
                let first = found.matches.first();
                let first =
                    first.unwrap_or_else(|| panic!("{file} {}: {}", card.name, effect.text));
                assert_eq!(rules.render(&first.raw).as_ref(), Some(&effect.text));
                matched += 1;
            }
        }
        assert!(matched >= 300, "{matched}");
        assert!(matcher.find("Draw ninety cards.", 10).matches.is_empty());
    }
}
