//! Builds a segment from cards in any order.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use roaring::RoaringBitmap;
use rustc_hash::FxHashMap;

use super::super::record::{CardRecord, Unlock};
use super::super::runner::{Runner, both};
use super::document::Writer;
use super::facts::{self, Source};
use super::growing::BitmapBuilder;
use super::lists::place;
use super::{Segment, SetRange};

/// Fewest cards per piece of parallel work.
const MIN_PIECE: usize = if cfg!(test) { 4 } else { 16_384 };
/// Most pieces: each has its own table of all words.
const MAX_PIECES: usize = 4;

/// The data of a card besides its content.
struct Known {
    id: u128,
    set: u32,
    number: Box<str>,
    unlock: Unlock,
    /// Offset of the content in the bytes; empty range: there is none.
    from: usize,
    to: usize,
}

/// Game and code of a set.
type SetCode = (Arc<str>, Arc<str>);

/// A segment under construction.
#[derive(Default)]
pub(in crate::index) struct SegmentBuilder {
    writer: Writer,
    bytes: Vec<u8>,
    cards: Vec<Known>,
    /// Sets by game and code.
    sets: FxHashMap<Box<str>, FxHashMap<Box<str>, u32>>,
    known_sets: u32,
    /// Attributes in which printings differ from their card.
    overridden: BTreeSet<String>,
    /// Index of the card with an id.
    by_id: FxHashMap<u128, u32>,
    /// Cards that were added again later.
    replaced: RoaringBitmap,
}

impl SegmentBuilder {
    /// Adds a card. Of several with the same id, the last counts.
    pub(in crate::index) fn push(&mut self, card: &CardRecord) {
        let set = self.set(&card.game, &card.set);
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

    fn set(&mut self, game: &str, set: &str) -> u32 {
        if let Some(known) = self.sets.get(game).and_then(|sets| sets.get(set)) {
            return *known;
        }
        let new = self.known_sets;
        self.known_sets += 1;
        self.sets.entry(game.into()).or_default().insert(set.into(), new);
        new
    }

    /// Builds the segment, with an index for each of these sums of attributes.
    pub(in crate::index) fn finish(
        self,
        sums: &BTreeSet<Vec<String>>,
        runner: &dyn Runner,
    ) -> Segment {
        let Self { writer, bytes, cards, sets, overridden, by_id, replaced, .. } = self;
        drop(by_id);
        let Writer { words, symbols, .. } = writer;
        let sort = || {
            let counted = (0..).zip(cards).filter(|(at, _)| !replaced.contains(*at));
            in_place(counted.map(|(_, card)| card).collect(), sets)
        };
        let (vocabulary, (cards, codes)) = both(runner, || words.finish(), sort);
        let mut segment = Segment { symbols, vocabulary, ..Segment::default() };
        segment.put_in_place(cards, &codes, &bytes);
        // The content was copied into the segment: free this copy before the sets are built.
        drop(bytes);
        let ranks = segment.vocabulary.ranks();
        let source = Source { segment: &segment, ranks: &ranks, overridden: &overridden, sums };
        let found = facts::collect(&source, pieces(segment.len(), runner.threads()), runner);
        Segment {
            sets: segment.sets,
            ids: segment.ids,
            numbers: segment.numbers,
            number_ends: segment.number_ends,
            symbols: segment.symbols,
            vocabulary: segment.vocabulary,
            bytes: segment.bytes,
            starts: segment.starts,
            open: segment.open,
            hidden: segment.hidden,
            unlocked: segment.unlocked,
            in_time: segment.in_time,
            ..found
        }
    }
}

/// The cards in the order of their places, with the codes of the sets in their order, by which each card names its own.
fn in_place(
    mut cards: Vec<Known>,
    sets: FxHashMap<Box<str>, FxHashMap<Box<str>, u32>>,
) -> (Vec<Known>, Vec<SetCode>) {
    let mut codes: Vec<(Arc<str>, Arc<str>, u32)> = Vec::new();
    for (game, sets) in sets {
        let game = Arc::<str>::from(game);
        codes.extend(sets.into_iter().map(|(set, at)| (game.clone(), Arc::from(set), at)));
    }
    codes.sort_unstable();
    let mut ranks = vec![0; codes.len()];
    for (rank, (_, _, at)) in (0..).zip(&codes) {
        ranks[*at as usize] = rank;
    }
    for card in &mut cards {
        card.set = ranks[card.set as usize];
    }
    cards.sort_unstable_by(|one, other| {
        one.set.cmp(&other.set).then_with(|| one.number.cmp(&other.number))
    });
    (cards, codes.into_iter().map(|(game, set, _)| (game, set)).collect())
}

/// Splits the ordinals into ranges of nearly equal size; at least one.
fn pieces(cards: usize, threads: usize) -> Vec<Range<u32>> {
    let many = threads.min(MAX_PIECES).min(cards / MIN_PIECE).max(1);
    let end = |piece: usize| place(cards * piece / many);
    (0..many).map(|piece| end(piece)..end(piece + 1)).collect()
}

impl Segment {
    /// Adds the cards, which must be sorted.
    fn put_in_place(&mut self, cards: Vec<Known>, codes: &[SetCode], bytes: &[u8]) {
        self.starts.reserve_exact(cards.len() + 1);
        self.bytes.reserve_exact(bytes.len());
        self.ids.reserve_exact(cards.len());
        self.number_ends.reserve_exact(cards.len());
        let mut last_set = None;
        let (mut open, mut hidden) = (BitmapBuilder::default(), BitmapBuilder::default());
        for (at, card) in (0..).zip(cards) {
            match self.sets.last_mut() {
                Some(last) if last_set == Some(card.set) => last.end = at + 1,
                _ => {
                    let (game, set) = codes[card.set as usize].clone();
                    self.sets.push(SetRange { game, set, start: at, end: at + 1 });
                    last_set = Some(card.set);
                }
            }
            self.ids.push(card.id);
            self.numbers.push_str(&card.number);
            self.number_ends.push(place(self.numbers.len()));
            match card.unlock {
                Unlock::Never => {}
                Unlock::Hidden => hidden.push(at),
                Unlock::At(time) => self.unlocked.push((at, time)),
            }
            self.starts.push(place(self.bytes.len()));
            if card.from < card.to {
                self.bytes.extend(&bytes[card.from..card.to]);
                open.push(at);
            }
        }
        self.starts.push(place(self.bytes.len()));
        self.open = open.finish();
        self.hidden = hidden.finish();
        self.open.optimize();
        self.hidden.optimize();
        self.unlocked.shrink_to_fit();
        let unlocked = &self.unlocked;
        self.in_time = (0..place(unlocked.len())).collect();
        self.in_time.sort_by_key(|at| unlocked[*at as usize].1);
        self.numbers.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_cover_all_cards() {
        for cards in 0..60 {
            for threads in [0, 1, 2, 3, 5, usize::MAX] {
                let pieces = pieces(cards, threads);
                assert!((1..=threads.clamp(1, MAX_PIECES)).contains(&pieces.len()));
                let is_small = |piece: &Range<u32>| piece.len() < MIN_PIECE;
                assert!(pieces.len() == 1 || !pieces.iter().any(is_small), "{pieces:?}");
                let all: Vec<u32> = pieces.into_iter().flatten().collect();
                assert_eq!(all, (0..place(cards)).collect::<Vec<_>>());
            }
        }
    }
}
