//! The words of a segment: each has a number, in order of first occurrence, and an alphabetical rank.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::lists::place;

/// A vocabulary under construction.
#[derive(Debug, Default)]
pub(super) struct VocabularyBuilder {
    ids: FxHashMap<Box<str>, u32>,
    text: String,
    ends: Vec<u32>,
}

impl VocabularyBuilder {
    /// The number of a word. Frequent words should be added early, because low numbers take less space.
    pub(super) fn id(&mut self, word: &str) -> u32 {
        if let Some(id) = self.ids.get(word) {
            return *id;
        }
        let id = place(self.ends.len());
        self.text.push_str(word);
        self.ends.push(place(self.text.len()));
        self.ids.insert(word.into(), id);
        id
    }

    pub(super) fn finish(self) -> Vocabulary {
        let Self { ids, mut text, mut ends } = self;
        drop(ids);
        text.shrink_to_fit();
        ends.shrink_to_fit();
        let mut words = Vocabulary { text, ends, by_rank: Vec::new() };
        let mut by_rank: Vec<u32> = (0..place(words.ends.len())).collect();
        by_rank.sort_unstable_by(|one, other| words.word(*one).cmp(words.word(*other)));
        words.by_rank = by_rank;
        words
    }
}

/// All words of a segment.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    text: String,
    ends: Vec<u32>,
    by_rank: Vec<u32>,
}

impl Vocabulary {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The word with a number.
    pub(super) fn word(&self, id: u32) -> &str {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] as usize };
        &self.text[start..self.ends[id] as usize]
    }

    /// The rank of each word, by number.
    pub(super) fn ranks(&self) -> Vec<u32> {
        let mut ranks = vec![0; self.len()];
        for (rank, id) in self.by_rank.iter().enumerate() {
            ranks[*id as usize] = place(rank);
        }
        ranks
    }

    /// The number and the rank of a word.
    pub(super) fn find(&self, word: &str) -> Option<(u32, u32)> {
        let rank = self.by_rank.binary_search_by(|id| self.word(*id).cmp(word)).ok()?;
        Some((self.by_rank[rank], place(rank)))
    }

    /// The ranks of the words with a prefix.
    pub(super) fn beginning(&self, start: &str) -> Range<u32> {
        let from = self.by_rank.partition_point(|id| self.word(*id) < start);
        let length = self.by_rank[from..].partition_point(|id| self.word(*id).starts_with(start));
        place(from)..place(from + length)
    }

    pub(super) fn bytes(&self) -> usize {
        self.text.capacity() + (self.ends.capacity() + self.by_rank.capacity()) * size_of::<u32>()
    }
}
