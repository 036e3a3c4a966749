//! Index of cards by the values of an attribute.

use super::super::borrowed::ValueRef;
use super::super::document::Scalar;
use super::super::growing::{BitmapBuilder, Growing, KeyedBuilder, in_order};
use super::super::lists::Keyed;
use super::super::{AttributeIndex, TextsOfPrintings};
use super::words::WordFacts;

/// Most different values of an attribute that get a set each; beyond that, cards are tested one by one. Numbers do not
/// count, because ranges need the sets of all numbers.
const MAX_VALUES: usize = if cfg!(test) { 5 } else { 20_000 };

/// Sets of cards by value. Frequent types of values have their own tables, whose keys are not copied.
#[derive(Default)]
struct ValueFacts<'a> {
    numbers: KeyedBuilder<i64>,
    texts: KeyedBuilder<&'a str>,
    /// Texts in lists.
    listed: KeyedBuilder<&'a str>,
    others: KeyedBuilder<Scalar>,
}

impl<'a> ValueFacts<'a> {
    /// Adds the value of an attribute of a card. After `most` values, apart from numbers, new values get no set;
    /// returns whether every value has one.
    fn push(&mut self, value: &ValueRef<'a>, ordinal: u32, most: usize) -> bool {
        match value {
            ValueRef::List(list) => {
                let mut has_all = true;
                for one in list {
                    has_all &= self.push_one(one, true, ordinal, most);
                }
                has_all
            }
            one => self.push_one(one, false, ordinal, most),
        }
    }

    fn push_one(
        &mut self,
        value: &ValueRef<'a>,
        is_in_list: bool,
        ordinal: u32,
        most: usize,
    ) -> bool {
        let is_full = self.len() >= most;
        match (value, is_in_list) {
            (ValueRef::Number(number), false) => self.numbers.push(*number, ordinal),
            (ValueRef::Text(text), false) => {
                if is_full && !self.texts.contains(text) {
                    return false;
                }
                self.texts.push(text, ordinal);
            }
            (ValueRef::Text(text), true) => {
                if is_full && !self.listed.contains(text) {
                    return false;
                }
                self.listed.push(text, ordinal);
            }
            (other, _) => {
                let scalar = Scalar::one(&other.to_value());
                let scalar = if is_in_list { Scalar::InList(Box::new(scalar)) } else { scalar };
                if is_full && !self.others.contains(&scalar) {
                    return false;
                }
                self.others.push(scalar, ordinal);
            }
        }
        true
    }

    /// Number of values, apart from numbers.
    fn len(&self) -> usize {
        self.texts.len() + self.listed.len() + self.others.len()
    }

    fn append(&mut self, later: Self) {
        self.numbers.append(later.numbers);
        self.texts.append(later.texts);
        self.listed.append(later.listed);
        self.others.append(later.others);
    }

    /// The sets of all values, or only of numbers: if some values have no set, the sets of the others are useless.
    fn finish(self, has_all: bool) -> Keyed<Scalar> {
        let mut sets: Vec<(Scalar, Growing)> = self.numbers.sets(Scalar::Number).collect();
        if has_all {
            let text = |text: &str| Scalar::Text(text.into());
            sets.extend(self.texts.sets(text));
            sets.extend(self.listed.sets(|one| Scalar::InList(Box::new(text(one)))));
            sets.extend(self.others.sets(|scalar| scalar));
        }
        Keyed::new(in_order(sets))
    }
}

/// The texts of an attribute in printings.
#[derive(Default)]
struct PrintingFacts {
    present: BitmapBuilder,
    words: WordFacts,
    with_text: BitmapBuilder,
}

/// The index of an attribute.
#[derive(Default)]
pub(super) struct AttributeFacts<'a> {
    present: BitmapBuilder,
    card: ValueFacts<'a>,
    printing: ValueFacts<'a>,
    words: WordFacts,
    with_text: BitmapBuilder,
    of_printings: PrintingFacts,
    /// Whether some values have no set.
    is_cut: bool,
}

impl<'a> AttributeFacts<'a> {
    /// Adds the value of the card.
    pub(super) fn push_card(&mut self, value: &ValueRef<'a>, ordinal: u32) {
        if value.is_something() {
            self.present.push(ordinal);
        }
        self.is_cut |= !self.card.push(value, ordinal, MAX_VALUES);
    }

    /// Adds the value of a printing, which is its own or that of the card.
    pub(super) fn push_printing(&mut self, value: &ValueRef<'a>, ordinal: u32) {
        if value.is_something() {
            self.of_printings.present.push(ordinal);
        }
        self.printing.push(value, ordinal, usize::MAX);
    }

    /// Records that it is a text in a printing, with words of these ranks.
    pub(super) fn push_printing_text(&mut self, ranks: &[u32], ordinal: u32) {
        self.of_printings.with_text.push(ordinal);
        for rank in ranks {
            self.of_printings.words.push(*rank, ordinal);
        }
    }

    /// Records that it is a text, with words of these ranks.
    pub(super) fn push_text(&mut self, ranks: &[u32], ordinal: u32) {
        self.with_text.push(ordinal);
        for rank in ranks {
            self.words.push(*rank, ordinal);
        }
    }

    pub(super) fn append(&mut self, later: Self) {
        self.present.append(later.present);
        self.card.append(later.card);
        self.printing.append(later.printing);
        self.words.append(later.words);
        self.with_text.append(later.with_text);
        self.of_printings.present.append(later.of_printings.present);
        self.of_printings.words.append(later.of_printings.words);
        self.of_printings.with_text.append(later.of_printings.with_text);
        self.is_cut |= later.is_cut;
    }

    pub(super) fn finish(self, is_overridden: bool) -> AttributeIndex {
        // A value may have a set in one range and none in another.
        let has_all = !self.is_cut && self.card.len() <= MAX_VALUES;
        let of_printings = self.of_printings;
        let of_printings = is_overridden.then(|| TextsOfPrintings {
            present: of_printings.present.finish(),
            words: of_printings.words.finish(),
            with_text: of_printings.with_text.finish(),
        });
        AttributeIndex {
            present: self.present.finish(),
            card: self.card.finish(has_all),
            printing: is_overridden.then(|| self.printing.finish(true)),
            words: self.words.finish(),
            with_text: self.with_text.finish(),
            of_printings,
            has_all,
        }
    }
}
