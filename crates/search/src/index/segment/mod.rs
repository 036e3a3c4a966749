//! Immutable cards in the order of game, set and number: the ordinal of a card is its index in that order, and
//! everything that can be searched is a set of ordinals. The owner of a segment tracks separately which cards were
//! deleted since.

mod borrowed;
mod build;
mod document;
mod facets;
mod facts;
mod growing;
mod lists;
mod named;
mod overlap;
mod page;
mod plan;
mod vocabulary;
mod window;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use chrono::{DateTime, Utc};
use roaring::RoaringBitmap;

use super::names::NamePlace;
use super::position::PlaceKey;
use super::record::{CardRecord, Unlock};
use document::{ByCode, Document, Reader, Scalar, Symbols, Texts};
use growing::KeyedBuilder;
use lists::bitmap_bytes;
use vocabulary::Vocabulary;

pub(super) use build::SegmentBuilder;
pub(super) use lists::Keyed;
#[cfg(test)]
pub(super) use page::FEW;
pub(super) use page::SegmentPage;
pub(super) use plan::{Plan, Steps};

/// The cards of a set: a range of ordinals.
#[derive(Debug)]
struct SetRange {
    game: Arc<str>,
    set: Arc<str>,
    start: u32,
    end: u32,
}

/// Cards by word and place.
#[derive(Debug, Default)]
struct Words {
    name: Keyed<u32>,
    effects: Keyed<u32>,
    lore: Keyed<u32>,
    emoji: Keyed<u32>,
}

/// Cards by the values of an attribute.
#[derive(Debug)]
struct AttributeIndex {
    /// Cards that have the attribute, and not as an empty list or text.
    present: RoaringBitmap,
    /// By the value of the card.
    card: Keyed<Scalar>,
    /// By the value of a printing, or else that of the card; `None`: no printing differs.
    printing: Option<Keyed<Scalar>>,
    /// By words.
    words: Keyed<u32>,
    /// Cards whose value is a text.
    with_text: RoaringBitmap,
    /// By the texts of printings; `None`: no printing differs.
    of_printings: Option<TextsOfPrintings>,
    /// Whether every value has a set.
    has_all: bool,
}

/// Cards by the texts that an attribute has in their printings: own ones, or else that of the card.
#[derive(Debug)]
struct TextsOfPrintings {
    /// Cards with a printing that has the attribute, and not as an empty list or text.
    present: RoaringBitmap,
    /// By words.
    words: Keyed<u32>,
    /// Cards with a printing whose value is a text.
    with_text: RoaringBitmap,
}

impl AttributeIndex {
    /// Of printings; `None`: of the card, or no printing differs.
    fn texts_of_printings(&self, per_printing: bool) -> Option<&TextsOfPrintings> {
        self.of_printings.as_ref().filter(|_| per_printing)
    }

    /// Cards that have the attribute, and not as an empty list or text.
    fn present(&self, per_printing: bool) -> &RoaringBitmap {
        self.texts_of_printings(per_printing).map_or(&self.present, |own| &own.present)
    }

    /// Cards by the words of the attribute.
    fn words(&self, per_printing: bool) -> &Keyed<u32> {
        self.texts_of_printings(per_printing).map_or(&self.words, |own| &own.words)
    }

    /// Cards whose value is a text.
    fn with_text(&self, per_printing: bool) -> &RoaringBitmap {
        self.texts_of_printings(per_printing).map_or(&self.with_text, |own| &own.with_text)
    }

    /// Heap size of what texts are found by, in bytes.
    fn text_bytes(&self) -> usize {
        let of_printings = self.of_printings.as_ref().map_or(0, |own| {
            bitmap_bytes(&own.present) + bitmap_bytes(&own.with_text) + own.words.bytes()
        });
        bitmap_bytes(&self.with_text) + self.words.bytes() + of_printings
    }
}

/// Cards by the sum of attributes.
#[derive(Debug)]
struct Sum {
    /// Of the card.
    card: Keyed<i128>,
    /// Of one of its printings.
    printing: Keyed<i128>,
}

/// Cards by name.
#[derive(Debug, Default)]
struct Names {
    /// Ordinals of the cards with content, by search key.
    by_key: Vec<u32>,
    /// Position of each card in that list.
    places: Vec<u32>,
    /// The same cards by the hash of that key, then by ordinal: a key is found without comparing twenty names on the
    /// way.
    by_hash: Vec<(u32, u32)>,
    trigrams: Keyed<[char; 3]>,
    /// Number of trigrams in the name of each card.
    sizes: Vec<u8>,
}

/// See the module documentation.
#[derive(Debug, Default)]
pub(super) struct Segment {
    sets: Vec<SetRange>,
    ids: Vec<u128>,
    by_id: Vec<u32>,
    /// All collector numbers, concatenated.
    numbers: String,
    number_ends: Vec<u32>,
    symbols: Symbols,
    vocabulary: Vocabulary,
    /// The content of each card.
    bytes: Vec<u8>,
    starts: Vec<u32>,
    open: RoaringBitmap,
    hidden: RoaringBitmap,
    unlocked: Vec<(u32, DateTime<Utc>)>,
    /// Indexes of `unlocked`, in the order of the times.
    in_time: Vec<u32>,
    number_values: Keyed<i128>,
    /// By [`crate::folded_number`], for numbers that are not only digits.
    other_numbers: Keyed<String>,
    words: Words,
    kinds: Keyed<String>,
    rarities: Keyed<String>,
    lowest_tiers: Keyed<i128>,
    tiers: Keyed<i128>,
    styles: Keyed<String>,
    slots: Keyed<String>,
    attributes: ByCode<AttributeIndex>,
    sums: BTreeMap<Vec<String>, Sum>,
    with_effect: RoaringBitmap,
    with_lore: RoaringBitmap,
    with_printing: RoaringBitmap,
    names: Names,
    /// Its size, measured at the first request: a million cards have hundreds of thousands of sets, and each read of the metrics requests the size.
    measured: OnceLock<usize>,
}

impl<K: Ord> Default for Keyed<K> {
    fn default() -> Self {
        Self::new([])
    }
}

impl Segment {
    /// Number of cards, including deleted ones.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is an index for the sum of these attributes.
    pub(super) fn knows_sum(&self, sum: &[String]) -> bool {
        self.sums.contains_key(sum)
    }

    /// The hidden cards.
    pub(super) fn hidden(&self) -> &RoaringBitmap {
        &self.hidden
    }

    /// The cards that started hidden, by a number that `number` gives for their ids.
    pub(super) fn started_hidden_by(&self, number: impl Fn(u128) -> i128) -> Keyed<i128> {
        let unlocked: RoaringBitmap = self.unlocked.iter().map(|(at, _)| *at).collect();
        let mut keyed = KeyedBuilder::default();
        for at in &(unlocked | &self.hidden) {
            keyed.push(number(self.id(at)), at);
        }
        keyed.finish()
    }

    /// Cards with known content.
    pub(super) fn open(&self) -> &RoaringBitmap {
        &self.open
    }

    /// Every card.
    pub(super) fn all(&self) -> RoaringBitmap {
        plan::range(0..lists::place(self.len()))
    }

    /// The range that contains the cards of a game and a set. It contains other cards only if the set belongs to
    /// several games.
    pub(super) fn window_of_place(&self, place: NamePlace<'_>) -> Range<u32> {
        let sets = match place.game {
            Some(game) => {
                let start = self.sets.partition_point(|one| *one.game < *game);
                let length = self.sets[start..].partition_point(|one| *one.game == *game);
                &self.sets[start..start + length]
            }
            None => &self.sets[..],
        };
        let is_wanted = |one: &&SetRange| place.set.is_none_or(|set| *one.set == *set);
        let first = sets.iter().find(is_wanted).map_or(0, |first| first.start);
        first..sets.iter().rfind(is_wanted).map_or(first, |last| last.end)
    }

    /// The cards of a game and a set; `None`: all cards.
    pub(super) fn of_place(&self, place: NamePlace<'_>) -> Option<RoaringBitmap> {
        let NamePlace { game, set } = place;
        if game.is_none() && set.is_none() {
            return None;
        }
        let is_wanted = |one: &SetRange| {
            game.is_none_or(|game| *one.game == *game) && set.is_none_or(|set| *one.set == *set)
        };
        Some(self.of_sets(is_wanted, |range| range))
    }

    /// The cards of these sets, each range limited by `cut`. The sets of a game are adjacent, so they form one range.
    fn of_sets(
        &self,
        wanted: impl Fn(&SetRange) -> bool,
        cut: impl Fn(Range<u32>) -> Range<u32>,
    ) -> RoaringBitmap {
        let mut cards = RoaringBitmap::new();
        let mut run = 0..0;
        for set in self.sets.iter().filter(|set| wanted(set)) {
            if set.start != run.end {
                cards.insert_range(cut(run));
                run = set.start..set.start;
            }
            run.end = set.end;
        }
        cards.insert_range(cut(run));
        cards
    }

    /// The card with an id.
    pub(super) fn find(&self, id: u128) -> Option<u32> {
        let at = self.by_id.binary_search_by_key(&id, |at| self.ids[*at as usize]).ok()?;
        Some(self.by_id[at])
    }

    pub(super) fn id(&self, at: u32) -> u128 {
        self.ids[at as usize]
    }

    fn number(&self, at: u32) -> &str {
        let at = at as usize;
        let start = if at == 0 { 0 } else { self.number_ends[at - 1] as usize };
        &self.numbers[start..self.number_ends[at] as usize]
    }

    fn set_of(&self, at: u32) -> &SetRange {
        &self.sets[self.sets.partition_point(|set| set.end <= at)]
    }

    pub(super) fn place(&self, at: u32) -> PlaceKey<'_> {
        let SetRange { game, set, .. } = self.set_of(at);
        PlaceKey { game, set, number: self.number(at), tier: 0 }
    }

    /// The first card whose place is not before this one, ignoring tiers.
    pub(super) fn first_from(&self, place: PlaceKey<'_>) -> u32 {
        let (game, set) = (place.game, place.set);
        let at = self.sets.partition_point(|range| (&*range.game, &*range.set) < (game, set));
        let Some(range) = self.sets.get(at) else { return lists::place(self.len()) };
        if (&*range.game, &*range.set) != (game, set) {
            return range.start;
        }
        let (mut low, mut high) = (range.start, range.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.number(middle) < place.number {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    fn document(&self, at: u32) -> Option<Document<'_>> {
        let at = at as usize;
        let bytes = &self.bytes[self.starts[at] as usize..self.starts[at + 1] as usize];
        (!bytes.is_empty()).then(|| Document::new(bytes))
    }

    pub(super) fn unlock(&self, at: u32) -> Unlock {
        if self.hidden.contains(at) {
            return Unlock::Hidden;
        }
        match self.unlocked.binary_search_by_key(&at, |(at, _)| *at) {
            Ok(found) => Unlock::At(self.unlocked[found].1),
            Err(_) => Unlock::Never,
        }
    }

    /// The card as it was added.
    pub(super) fn record(&self, at: u32) -> CardRecord {
        self.read(at, true)
    }

    /// The card, with or without its folded texts.
    fn read(&self, at: u32, with_texts: bool) -> CardRecord {
        let SetRange { game, set, .. } = self.set_of(at);
        let reader = Reader { words: &self.vocabulary, symbols: &self.symbols };
        let texts = if with_texts { Texts::All } else { Texts::Few };
        CardRecord {
            id: self.ids[at as usize],
            game: game.to_string(),
            set: set.to_string(),
            number: self.number(at).to_owned(),
            unlock: self.unlock(at),
            content: self.document(at).map(|document| reader.content(&document, texts)),
        }
    }

    /// Heap size in bytes, measured once.
    pub(super) fn total_bytes(&self) -> usize {
        *self.measured.get_or_init(|| self.bytes().values().sum())
    }

    /// Heap size in bytes, by purpose.
    pub(super) fn bytes(&self) -> BTreeMap<&'static str, usize> {
        let ordinals = self.by_id.capacity()
            + self.number_ends.capacity()
            + self.starts.capacity()
            + self.in_time.capacity();
        let places = self.ids.capacity() * size_of::<u128>()
            + ordinals * size_of::<u32>()
            + self.numbers.capacity()
            + self.unlocked.capacity() * size_of::<(u32, DateTime<Utc>)>()
            + self.sets.capacity() * (size_of::<SetRange>() + 64);
        let words = &self.words;
        let words = [&words.name, &words.effects, &words.lore, &words.emoji];
        let texts = |keyed: &Keyed<String>| {
            keyed.bytes() + keyed.keys().iter().map(String::capacity).sum::<usize>()
        };
        let codes = [&self.kinds, &self.rarities, &self.styles, &self.slots];
        let numbers = [&self.number_values, &self.lowest_tiers, &self.tiers];
        let numbers: usize = numbers.into_iter().map(Keyed::bytes).sum();
        let sums: usize =
            self.sums.values().map(|sum| sum.card.bytes() + sum.printing.bytes()).sum();
        let scalars = |keyed: &Keyed<Scalar>| {
            keyed.bytes() + keyed.keys().iter().map(Scalar::bytes).sum::<usize>()
        };
        let attribute = |index: &AttributeIndex| {
            bitmap_bytes(&index.present)
                + scalars(&index.card)
                + index.printing.as_ref().map_or(0, scalars)
                + index.text_bytes()
        };
        let flags =
            [&self.open, &self.hidden, &self.with_effect, &self.with_lore, &self.with_printing];
        BTreeMap::from([
            ("places", places),
            ("documents", self.bytes.capacity() + self.symbols.bytes()),
            ("vocabulary", self.vocabulary.bytes()),
            ("words", words.into_iter().map(Keyed::bytes).sum()),
            ("codes", codes.into_iter().map(texts).sum()),
            ("numbers", numbers + texts(&self.other_numbers) + sums),
            ("attributes", self.attributes.values().map(attribute).sum()),
            ("flags", flags.into_iter().map(bitmap_bytes).sum()),
            (
                "names",
                (self.names.by_key.capacity() + self.names.places.capacity()) * size_of::<u32>()
                    + self.names.by_hash.capacity() * size_of::<(u32, u32)>()
                    + self.names.sizes.capacity(),
            ),
            ("trigrams", self.names.trigrams.bytes()),
        ])
    }
}
