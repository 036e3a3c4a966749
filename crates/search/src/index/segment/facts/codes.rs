//! Index of cards by codes, numbers and attributes.

use std::borrow::Cow;
use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::super::borrowed::{AttributeText, ContentRef, ValueRef, value_of};
use super::super::growing::{BitmapBuilder, KeyedBuilder, in_order};
use super::super::lists::Keyed;
use super::super::vocabulary::Vocabulary;
use super::super::{Segment, Sum};
use super::Source;
use super::values::AttributeFacts;

/// Most attribute texts whose word ranks are cached.
const MAX_KNOWN_TEXTS: usize = 4_096;

/// A number in a card, and in each of its printings.
#[derive(Default)]
struct SumFacts {
    card: KeyedBuilder<i128>,
    printing: KeyedBuilder<i128>,
}

/// All facts except texts and names.
#[derive(Default)]
pub(super) struct CodeFacts<'a> {
    sums: Vec<(&'a Vec<String>, SumFacts)>,
    pub(super) numbers: KeyedBuilder<i128>,
    pub(super) other_numbers: KeyedBuilder<String>,
    kinds: KeyedBuilder<&'a str>,
    rarities: KeyedBuilder<&'a str>,
    lowest: KeyedBuilder<i128>,
    tiers: KeyedBuilder<i128>,
    styles: KeyedBuilder<&'a str>,
    slots: KeyedBuilder<&'a str>,
    attributes: FxHashMap<&'a str, AttributeFacts<'a>>,
    with_effect: BitmapBuilder,
    with_lore: BitmapBuilder,
    with_printing: BitmapBuilder,
    /// Cached ranks of the words of attribute texts: folding a text takes longer than a look-up, and most cards have
    /// one of a few texts.
    known_texts: FxHashMap<AttributeText<'a>, Vec<u32>>,
}

impl<'a> CodeFacts<'a> {
    pub(super) fn new(source: &Source<'a>) -> Self {
        let sums = source.sums.iter().map(|sum| (sum, SumFacts::default())).collect();
        Self { sums, ..Self::default() }
    }

    pub(super) fn add(&mut self, at: u32, card: &ContentRef<'a>, source: &Source<'a>) {
        self.kinds.push(card.kind, at);
        for [style, slot] in &card.effects {
            if let Some(style) = style {
                self.styles.push(style, at);
            }
            if let Some(slot) = slot {
                self.slots.push(slot, at);
            }
        }
        if !card.effects.is_empty() {
            self.with_effect.push(at);
        }
        if card.has_lore {
            self.with_lore.push(at);
        }
        if card.printings().len() > 0 {
            self.with_printing.push(at);
        }
        for (rarity, tier, _) in card.printings() {
            self.rarities.push(rarity, at);
            self.tiers.push(tier.into(), at);
        }
        if let Some(lowest) = card.printings().map(|(_, tier, _)| tier).min() {
            self.lowest.push(lowest.into(), at);
        }
        for (code, value) in &card.attributes {
            self.attributes.entry(code).or_default().push_card(value, at);
        }
        self.add_texts(at, card, &source.segment.vocabulary);
        self.add_attributes_of_printings(at, card, source);
        self.add_sums(at, card);
    }

    fn add_attributes_of_printings(&mut self, at: u32, card: &ContentRef<'a>, source: &Source<'a>) {
        let Self { attributes, known_texts, .. } = self;
        // The value of a printing is its own, or else that of the card.
        for code in source.overridden {
            let of_card = value_of(&card.attributes, code);
            let text_of_card = card.texts.iter().find(|(known, _)| known == code);
            let text_of_card = text_of_card.map(|(_, text)| *text);
            for (_, _, own) in card.printings() {
                let own = value_of(own, code);
                let Some(value) = own.or(of_card) else { continue };
                let attribute = attributes.entry(code).or_default();
                attribute.push_printing(value, at);
                let text = match own {
                    Some(ValueRef::Text(text)) => Some(AttributeText::Plain(text)),
                    _ => text_of_card,
                };
                if let Some(text) = text {
                    let ranks = known_ranks(known_texts, text, &source.segment.vocabulary);
                    attribute.push_printing_text(&ranks, at);
                }
            }
        }
    }

    fn add_sums(&mut self, at: u32, card: &ContentRef<'a>) {
        for (sum, built) in &mut self.sums {
            let of_card = sum.iter().map(|code| value_of(&card.attributes, code)?.number());
            if let Some(total) = of_card.sum::<Option<i128>>() {
                built.card.push(total, at);
            }
            for (_, _, own) in card.printings() {
                let value = |code: &String| {
                    value_of(own, code).or_else(|| value_of(&card.attributes, code))?.number()
                };
                if let Some(total) = sum.iter().map(value).sum::<Option<i128>>() {
                    built.printing.push(total, at);
                }
            }
        }
    }

    fn add_texts(&mut self, at: u32, card: &ContentRef<'a>, vocabulary: &Vocabulary) {
        for (code, text) in &card.texts {
            let ranks = known_ranks(&mut self.known_texts, *text, vocabulary);
            self.attributes.entry(code).or_default().push_text(&ranks, at);
        }
    }

    pub(super) fn append(&mut self, later: Self) {
        for ((_, own), (_, later)) in self.sums.iter_mut().zip(later.sums) {
            own.card.append(later.card);
            own.printing.append(later.printing);
        }
        self.numbers.append(later.numbers);
        self.other_numbers.append(later.other_numbers);
        self.kinds.append(later.kinds);
        self.rarities.append(later.rarities);
        self.lowest.append(later.lowest);
        self.tiers.append(later.tiers);
        self.styles.append(later.styles);
        self.slots.append(later.slots);
        for (code, attribute) in later.attributes {
            self.attributes.entry(code).or_default().append(attribute);
        }
        self.with_effect.append(later.with_effect);
        self.with_lore.append(later.with_lore);
        self.with_printing.append(later.with_printing);
    }

    pub(super) fn finish(self, overridden: &BTreeSet<String>) -> Segment {
        let attribute = |(code, built): (&str, AttributeFacts<'_>)| {
            (code.to_owned(), built.finish(overridden.contains(code)))
        };
        let sum = |(sum, built): (&Vec<String>, SumFacts)| {
            (sum.clone(), Sum { card: built.card.finish(), printing: built.printing.finish() })
        };
        let optimized = |cards: BitmapBuilder| {
            let mut cards = cards.finish();
            cards.optimize();
            cards
        };
        let other_numbers = in_order(self.other_numbers.sets(|number| number).collect());
        Segment {
            number_values: self.numbers.finish(),
            other_numbers: Keyed::without_ranges(other_numbers),
            kinds: self.kinds.finish_as(str::to_owned),
            rarities: self.rarities.finish_as(str::to_owned),
            lowest_tiers: self.lowest.finish(),
            tiers: self.tiers.finish(),
            styles: self.styles.finish_as(str::to_owned),
            slots: self.slots.finish_as(str::to_owned),
            attributes: self.attributes.into_iter().map(attribute).collect(),
            sums: self.sums.into_iter().map(sum).collect(),
            with_effect: optimized(self.with_effect),
            with_lore: optimized(self.with_lore),
            with_printing: optimized(self.with_printing),
            ..Segment::default()
        }
    }
}

/// The ranks of the words of a text, cached for the first texts.
fn known_ranks<'k, 'a>(
    known: &'k mut FxHashMap<AttributeText<'a>, Vec<u32>>,
    text: AttributeText<'a>,
    vocabulary: &Vocabulary,
) -> Cow<'k, [u32]> {
    if known.len() >= MAX_KNOWN_TEXTS && !known.contains_key(&text) {
        return Cow::Owned(ranks_of(text, vocabulary));
    }
    Cow::Borrowed(known.entry(text).or_insert_with(|| ranks_of(text, vocabulary)))
}

/// The ranks of the words of a text.
fn ranks_of(text: AttributeText<'_>, vocabulary: &Vocabulary) -> Vec<u32> {
    let ranks = |folded: &str| {
        let words = folded.split(' ').skip(1);
        words.filter_map(|word| Some(vocabulary.find(word)?.1)).collect()
    };
    match text {
        AttributeText::Plain(text) => ranks(&crate::folded(text)),
        AttributeText::Folded(text) => ranks(text),
    }
}
