//! Searches for phrases in an index with so many words that the numbers of some take two bytes. The second byte alone is
//! the number of another word, so a match could begin inside a word.

use cardscape_engine::Effect;
use serde_json::Map;

use super::{Builder, CardContent, CardRecord, EffectTags, Unlock};
use crate::{CardQuery, Place, Predicate, SortKey, Test, Unique, Words, words};

fn card(id: u128, text: String) -> CardRecord {
    let effects = [Effect { style: None, slot: None, text }];
    CardRecord {
        id,
        game: "aa".to_owned(),
        set: "one".to_owned(),
        number: format!("{id:05}"),
        unlock: Unlock::Never,
        content: Some(CardContent {
            name: "zero".to_owned(),
            kind: "unit".to_owned(),
            attributes: Map::new(),
            effects: vec![EffectTags::default()],
            has_lore: false,
            words: Words::of("zero", &effects, None, &Map::new()),
            printings: Vec::new(),
        }),
    }
}

#[test]
fn a_phrase_begins_with_a_word_and_not_inside_one() {
    let mut builder = Builder::new();
    // Words are numbered in the order of their first occurrence. So the number of `w200` ends with the byte of `zero`, and
    // that of `w270` with the byte of `w0`.
    let many: Vec<String> = (0..300).map(|at| format!("w{at}")).collect();
    let mut texts = vec![many.join(" ")];
    let some = ["zero", "w0", "w200", "w270"];
    for at in 0..256_usize {
        texts.push([64, 16, 4, 1].map(|place| some[at / place % 4]).join(" "));
    }
    for (id, text) in (0..).zip(&texts) {
        builder.push(card(id, text.clone()));
    }
    let cards = builder.finish().snapshot();
    for at in 0..64_usize {
        for skipped in [0, 1] {
            let phrase = &[16, 4, 1].map(|place| some[at / place % 4])[skipped..].join(" ");
            let predicate = Predicate::content(Test::Words(Place::Effects, words(phrase)));
            let (sort, unique) = (SortKey::Place, Unique::Cards);
            let query = CardQuery { predicate, sort, descending: false, unique };
            let expected: Vec<u128> = (0..)
                .zip(&texts)
                .filter(|(_, text)| format!(" {text}").contains(&format!(" {phrase}")))
                .map(|(id, _)| id)
                .collect();
            let found = cards.search(&query, &[], None, texts.len());
            assert!(!found.cut && found.tested_to.is_none());
            let found: Vec<u128> = found.hits.iter().map(|hit| hit.card).collect();
            assert_eq!(found, expected, "{phrase}");
        }
    }
}
