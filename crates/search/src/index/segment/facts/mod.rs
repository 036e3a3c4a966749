//! Collects everything that cards are found by. Each collector covers a range of ordinals, so that several threads can
//! work.

mod codes;
mod names;
mod values;
mod words;

use std::collections::BTreeSet;
use std::ops::Range;

use super::borrowed::ContentRef;
use super::document::{Reader, tokens};
use super::{Segment, Words};
use crate::folded_number;
use crate::index::judge::number_value;
use crate::index::runner::{Runner, all, both};
use codes::CodeFacts;
use names::NameFacts;
use words::WordFacts;

/// The input: a segment with its cards in order, and what to index.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) segment: &'a Segment,
    /// Rank of each word, by number.
    pub(super) ranks: &'a [u32],
    /// Attributes in which printings differ from their card.
    pub(super) overridden: &'a BTreeSet<String>,
    pub(super) sums: &'a BTreeSet<Vec<String>>,
}

/// Everything that the cards of one range are found by.
struct Facts<'a> {
    words: [WordFacts; 4],
    codes: CodeFacts<'a>,
    names: NameFacts,
}

impl<'a> Facts<'a> {
    fn of(source: &Source<'a>, cards: Range<u32>) -> Self {
        let segment = source.segment;
        let reader = Reader { words: &segment.vocabulary, symbols: &segment.symbols };
        let mut words: [WordFacts; 4] = Default::default();
        let mut codes = CodeFacts::new(source);
        let mut names = NameFacts::new(cards.start);
        let mut content = ContentRef::default();
        for at in cards {
            let number = segment.number(at);
            match number_value(number) {
                Some(value) => codes.numbers.push(value.into(), at),
                None => codes.other_numbers.push(folded_number(number), at),
            }
            let Some(document) = segment.document(at) else { continue };
            for (text, words) in document.texts.iter().zip(&mut words) {
                for id in tokens(text).flatten() {
                    words.push(source.ranks[id as usize], at);
                }
            }
            content.read(reader, &document);
            codes.add(at, &content, source);
            names.add(at, document.name);
        }
        Self { words, codes, names }
    }
}

/// Builds a segment with everything that the cards of `source` are found by, but without the cards themselves.
///
/// Facts are collected in ranges of ordinals in ascending order, so that the sets of each range can be appended to
/// those of the previous one.
pub(super) fn collect(
    source: &Source<'_>,
    pieces: Vec<Range<u32>>,
    runner: &dyn Runner,
) -> Segment {
    let (mut of_words, mut of_codes, mut of_names) = (Vec::new(), Vec::new(), Vec::new());
    let facts = pieces.into_iter().map(|cards| move || Facts::of(source, cards));
    for Facts { words, codes, names } in all(runner, facts) {
        of_words.push(words);
        of_codes.push(codes);
        of_names.push(names);
    }
    let ids = &source.segment.ids;
    let names = || {
        let names = joined(of_names, NameFacts::append).unwrap_or_else(|| NameFacts::new(0));
        (names.finish(ids.len()), in_order_of_ids(ids))
    };
    let others = || {
        let append = |words: &mut [WordFacts; 4], later: [WordFacts; 4]| {
            words.iter_mut().zip(later).for_each(|(words, later)| words.append(later));
        };
        let words: [WordFacts; 4] = joined(of_words, append).unwrap_or_default();
        let codes = joined(of_codes, CodeFacts::append);
        let codes = codes.unwrap_or_else(|| CodeFacts::new(source));
        (words.map(WordFacts::finish), codes.finish(source.overridden))
    };
    let ((names, by_id), (words, found)) = both(runner, names, others);
    let [name, effects, lore, emoji] = words;
    Segment { names, by_id, words: Words { name, effects, lore, emoji }, ..found }
}

/// Joins the facts of all ranges; `None`: there is no range.
fn joined<T>(pieces: Vec<T>, append: impl Fn(&mut T, T)) -> Option<T> {
    pieces.into_iter().reduce(|mut joined, later| {
        append(&mut joined, later);
        joined
    })
}

/// Ordinals, in the order of the ids.
fn in_order_of_ids(ids: &[u128]) -> Vec<u32> {
    let mut by_id: Vec<(u128, u32)> = ids.iter().copied().zip(0..).collect();
    by_id.sort_unstable();
    by_id.iter().map(|(_, at)| *at).collect()
}
