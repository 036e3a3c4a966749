//! Makes a segment of cards that come in any order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cardscape_engine::{is_something, search_key};
use roaring::RoaringBitmap;
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::super::judge::number_value;
use super::super::names::trigrams;
use super::super::record::{CardContent, CardRecord, Unlock};
use super::document::{ByCode, Document, Reader, Scalar, Texts, Writer, tokens};
use super::lists::{Growing, Keyed, KeyedBuilder, place};
use super::named::hash_of_key;
use super::vocabulary::Vocabulary;
use super::{AttributeIndex, Names, Segment, SetRange, Sum, Words};

/// Most different values of an attribute that have a set each; of one with more, cards are tried one by one.
const MAX_VALUES: usize = 20_000;

/// What comes before the content of a card.
struct Known {
    id: u128,
    set: u32,
    number: Box<str>,
    unlock: Unlock,
    /// Where the content lies among the bytes; empty: there is none.
    from: usize,
    to: usize,
}

/// A segment while cards come.
#[derive(Default)]
pub(in crate::index) struct SegmentBuilder {
    writer: Writer,
    bytes: Vec<u8>,
    cards: Vec<Known>,
    sets: FxHashMap<(Box<str>, Box<str>), u32>,
    /// Attributes in which printings differ from their card.
    overridden: BTreeSet<String>,
    /// Which of the cards has an id.
    by_id: FxHashMap<u128, u32>,
    /// Those that came again.
    replaced: RoaringBitmap,
}

impl SegmentBuilder {
    /// Adds a card. Of several with one id the last counts.
    pub(in crate::index) fn push(&mut self, card: &CardRecord) {
        let known = place(self.sets.len());
        let set = (card.game.as_str().into(), card.set.as_str().into());
        let set = *self.sets.entry(set).or_insert(known);
        let from = self.bytes.len();
        if let Some(content) = &card.content {
            self.writer.write(content, &mut self.bytes);
            for printing in &content.printings {
                for code in printing.attributes.keys() {
                    if !self.overridden.contains(code) {
                        self.overridden.insert(code.clone());
                    }
                }
            }
        }
        let to = self.bytes.len();
        let number = card.number.as_str().into();
        if let Some(old) = self.by_id.insert(card.id, place(self.cards.len())) {
            self.replaced.insert(old);
        }
        self.cards.push(Known { id: card.id, set, number, unlock: card.unlock, from, to });
    }

    /// The segment, with an index of each of these sums of attributes.
    pub(in crate::index) fn finish(self, sums: &BTreeSet<Vec<String>>) -> Segment {
        let Self { writer, bytes: old, cards, sets, overridden, by_id, replaced } = self;
        drop(by_id);
        let counted = (0..).zip(cards).filter(|(at, _)| !replaced.contains(*at));
        let mut cards: Vec<Known> = counted.map(|(_, card)| card).collect();
        let Writer { words, symbols } = writer;
        let vocabulary = words.finish();
        let mut codes: Vec<(Box<str>, Box<str>)> = vec![Default::default(); sets.len()];
        for (set, at) in sets {
            codes[at as usize] = set;
        }
        let of = |card: &Known| &codes[card.set as usize];
        cards.sort_unstable_by(|one, other| {
            of(one).cmp(of(other)).then_with(|| one.number.cmp(&other.number))
        });

        let mut segment = Segment { symbols, vocabulary, ..Segment::default() };
        segment.starts.reserve_exact(cards.len() + 1);
        segment.bytes.reserve_exact(old.len());
        segment.ids.reserve_exact(cards.len());
        let mut facts = Facts::new(overridden, sums);
        let ranks = segment.vocabulary.ranks();
        for (at, card) in cards.iter().enumerate() {
            let at = place(at);
            let (game, set) = of(card);
            match segment.sets.last_mut() {
                Some(last) if *last.game == **game && *last.set == **set => last.end = at + 1,
                _ => segment.sets.push(SetRange {
                    game: Arc::from(game.as_ref()),
                    set: Arc::from(set.as_ref()),
                    start: at,
                    end: at + 1,
                }),
            }
            segment.ids.push(card.id);
            segment.numbers.push_str(&card.number);
            segment.number_ends.push(place(segment.numbers.len()));
            if let Some(number) = number_value(&card.number) {
                facts.numbers.push(number.into(), at);
            }
            match card.unlock {
                Unlock::Never => {}
                Unlock::Hidden => {
                    segment.hidden.insert(at);
                }
                Unlock::At(time) => segment.unlocked.push((at, time)),
            }
            segment.starts.push(place(segment.bytes.len()));
            if card.from == card.to {
                continue;
            }
            segment.bytes.extend(&old[card.from..card.to]);
            segment.open.insert(at);
            let document = Document::new(&old[card.from..card.to]);
            let reader = Reader { words: &segment.vocabulary, symbols: &segment.symbols };
            let content = reader.content(&document, Texts::OfAttributes);
            facts.add(at, &document, &content, &ranks, &segment.vocabulary);
        }
        segment.starts.push(place(segment.bytes.len()));
        drop((old, cards, ranks));
        segment.by_id = (0..place(segment.ids.len())).collect();
        let ids = &segment.ids;
        segment.by_id.sort_unstable_by_key(|at| ids[*at as usize]);
        segment.unlocked.shrink_to_fit();
        segment.numbers.shrink_to_fit();
        segment.number_ends.shrink_to_fit();
        facts.finish(&mut segment);
        segment
    }
}

/// Sets of cards by word, while they are made: by rank.
#[derive(Default)]
struct WordsBuilder {
    /// Where the set of each rank is among `sets`, from 1; 0: nowhere.
    slots: Vec<u32>,
    sets: Vec<(u32, Growing)>,
}

impl WordsBuilder {
    fn push(&mut self, rank: u32, ordinal: u32) {
        let slot = rank as usize;
        if self.slots.len() <= slot {
            self.slots.resize(slot + 1, 0);
        }
        if self.slots[slot] == 0 {
            self.sets.push((rank, Growing::Few(Vec::new())));
            self.slots[slot] = place(self.sets.len());
        }
        self.sets[self.slots[slot] as usize - 1].1.push(ordinal);
    }

    fn finish(mut self) -> Keyed<u32> {
        drop(self.slots);
        self.sets.sort_unstable_by_key(|(rank, _)| *rank);
        Keyed::new(self.sets)
    }
}

/// A number in a card, and in each of its printings.
#[derive(Default)]
struct SumBuilder {
    card: KeyedBuilder<i128>,
    printing: KeyedBuilder<i128>,
}

#[derive(Default)]
struct AttributeBuilder {
    present: RoaringBitmap,
    card: BTreeMap<Scalar, Growing>,
    printing: KeyedBuilder<Scalar>,
    words: WordsBuilder,
    with_text: RoaringBitmap,
    has_all: bool,
}

/// Everything that is found by sets, while they are made.
struct Facts<'a> {
    overridden: BTreeSet<String>,
    sums: Vec<(&'a Vec<String>, SumBuilder)>,
    numbers: KeyedBuilder<i128>,
    words: [WordsBuilder; 4],
    kinds: KeyedBuilder<String>,
    rarities: KeyedBuilder<String>,
    lowest: KeyedBuilder<i128>,
    tiers: KeyedBuilder<i128>,
    styles: KeyedBuilder<String>,
    slots: KeyedBuilder<String>,
    attributes: ByCode<AttributeBuilder>,
    with_effect: RoaringBitmap,
    with_lore: RoaringBitmap,
    with_printing: RoaringBitmap,
    names: Vec<(Box<str>, u32)>,
    trigrams: FxHashMap<[char; 3], Growing>,
    /// How many trigrams the name of each card has.
    sizes: Vec<u8>,
}

impl<'a> Facts<'a> {
    fn new(overridden: BTreeSet<String>, sums: &'a BTreeSet<Vec<String>>) -> Self {
        Self {
            overridden,
            sums: sums.iter().map(|sum| (sum, SumBuilder::default())).collect(),
            numbers: KeyedBuilder::default(),
            words: Default::default(),
            kinds: KeyedBuilder::default(),
            rarities: KeyedBuilder::default(),
            lowest: KeyedBuilder::default(),
            tiers: KeyedBuilder::default(),
            styles: KeyedBuilder::default(),
            slots: KeyedBuilder::default(),
            attributes: ByCode::new(),
            with_effect: RoaringBitmap::new(),
            with_lore: RoaringBitmap::new(),
            with_printing: RoaringBitmap::new(),
            names: Vec::new(),
            trigrams: FxHashMap::default(),
            sizes: Vec::new(),
        }
    }

    fn add(
        &mut self,
        at: u32,
        document: &Document<'_>,
        content: &CardContent,
        ranks: &[u32],
        vocabulary: &Vocabulary,
    ) {
        for (text, words) in document.texts.iter().zip(&mut self.words) {
            for id in tokens(text).flatten() {
                words.push(ranks[id as usize], at);
            }
        }
        self.kinds.push_ref(content.kind.as_str(), at);
        for effect in &content.effects {
            effect.style.iter().for_each(|style| self.styles.push_ref(style.as_str(), at));
            effect.slot.iter().for_each(|slot| self.slots.push_ref(slot.as_str(), at));
        }
        if !content.effects.is_empty() {
            self.with_effect.insert(at);
        }
        if content.has_lore {
            self.with_lore.insert(at);
        }
        if !content.printings.is_empty() {
            self.with_printing.insert(at);
        }
        for printing in &content.printings {
            self.rarities.push_ref(printing.rarity.as_str(), at);
            self.tiers.push(printing.tier.into(), at);
        }
        if let Some(lowest) = content.printings.iter().map(|printing| printing.tier).min() {
            self.lowest.push(lowest.into(), at);
        }
        self.add_attributes(at, content, vocabulary);
        let key = search_key(&content.name);
        let trigrams = trigrams(&key);
        self.sizes.resize(at as usize, 0);
        self.sizes.push(u8::try_from(trigrams.len()).unwrap_or(u8::MAX));
        for trigram in trigrams {
            self.trigrams.entry(trigram).or_insert_with(|| Growing::Few(Vec::new())).push(at);
        }
        self.names.push((key.into(), at));
    }

    fn add_attributes(&mut self, at: u32, content: &CardContent, vocabulary: &Vocabulary) {
        for (code, value) in &content.attributes {
            if !self.attributes.contains_key(code) {
                let new = AttributeBuilder { has_all: true, ..AttributeBuilder::default() };
                self.attributes.insert(code.clone(), new);
            }
            let Some(attribute) = self.attributes.get_mut(code) else { continue };
            if is_something(value) {
                attribute.present.insert(at);
            }
            for scalar in Scalar::of(value) {
                if let Some(set) = attribute.card.get_mut(&scalar) {
                    set.push(at);
                } else if attribute.card.len() < MAX_VALUES || matches!(scalar, Scalar::Number(_)) {
                    attribute.card.entry(scalar).or_insert(Growing::Few(Vec::new())).push(at);
                } else {
                    attribute.has_all = false;
                }
            }
        }
        // What a printing says holds for it, else what the card says.
        for code in &self.overridden {
            for printing in &content.printings {
                let value = printing.attributes.get(code).or_else(|| content.attributes.get(code));
                let Some(value) = value else { continue };
                let attribute = self.attributes.entry(code.clone()).or_insert_with(|| {
                    AttributeBuilder { has_all: true, ..AttributeBuilder::default() }
                });
                for scalar in Scalar::of(value) {
                    attribute.printing.push(scalar, at);
                }
            }
        }
        for (code, text) in &content.words.attributes {
            let attribute = self.attributes.entry(code.clone()).or_insert_with(|| {
                AttributeBuilder { has_all: true, ..AttributeBuilder::default() }
            });
            attribute.with_text.insert(at);
            for word in text.as_str().unwrap_or_default().split(' ').skip(1) {
                if let Some((_, rank)) = vocabulary.find(word) {
                    attribute.words.push(rank, at);
                }
            }
        }
        for (sum, built) in &mut self.sums {
            let number = |value: Option<&Value>| value?.as_i64().map(i128::from);
            let of_card = sum.iter().map(|code| number(content.attributes.get(code)));
            if let Some(total) = of_card.sum::<Option<i128>>() {
                built.card.push(total, at);
            }
            for printing in &content.printings {
                let value = |code: &String| {
                    let own = printing.attributes.get(code);
                    number(own.or_else(|| content.attributes.get(code)))
                };
                if let Some(total) = sum.iter().map(value).sum::<Option<i128>>() {
                    built.printing.push(total, at);
                }
            }
        }
    }

    fn finish(self, segment: &mut Segment) {
        segment.number_values = self.numbers.finish();
        let [name, effects, lore, emoji] = self.words.map(WordsBuilder::finish);
        segment.words = Words { name, effects, lore, emoji };
        segment.kinds = self.kinds.finish();
        segment.rarities = self.rarities.finish();
        segment.lowest_tiers = self.lowest.finish();
        segment.tiers = self.tiers.finish();
        segment.styles = self.styles.finish();
        segment.slots = self.slots.finish();
        segment.with_effect = self.with_effect;
        segment.with_lore = self.with_lore;
        segment.with_printing = self.with_printing;
        let overridden = self.overridden;
        let attribute = |(code, built): (String, AttributeBuilder)| {
            let printing = overridden.contains(&code).then(|| built.printing.finish());
            let index = AttributeIndex {
                present: built.present,
                card: Keyed::new(built.card),
                printing,
                words: built.words.finish(),
                with_text: built.with_text,
                has_all: built.has_all,
            };
            (code, index)
        };
        segment.attributes = self.attributes.into_iter().map(attribute).collect();
        let sum = |(sum, built): (&Vec<String>, SumBuilder)| {
            (sum.clone(), Sum { card: built.card.finish(), printing: built.printing.finish() })
        };
        segment.sums = self.sums.into_iter().map(sum).collect();
        let mut names = self.names;
        names.sort_unstable();
        let mut by_hash: Vec<(u32, u32)> =
            names.iter().map(|(key, at)| (hash_of_key(key), *at)).collect();
        by_hash.sort_unstable();
        let mut places = vec![u32::MAX; segment.len()];
        for (stands, (_, at)) in (0..).zip(&names) {
            places[*at as usize] = stands;
        }
        let mut trigrams: Vec<([char; 3], Growing)> = self.trigrams.into_iter().collect();
        trigrams.sort_unstable_by_key(|(trigram, _)| *trigram);
        let mut sizes = self.sizes;
        sizes.resize(segment.len(), 0);
        sizes.shrink_to_fit();
        segment.names = Names {
            by_key: names.into_iter().map(|(_, at)| at).collect(),
            places,
            by_hash,
            trigrams: Keyed::without_ranges(trigrams),
            sizes,
        };
        for bitmap in [
            &mut segment.open,
            &mut segment.hidden,
            &mut segment.with_effect,
            &mut segment.with_lore,
            &mut segment.with_printing,
        ] {
            bitmap.optimize();
        }
    }
}
