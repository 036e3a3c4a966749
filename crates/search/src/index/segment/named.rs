//! Look-ups of cards by name in one segment.

use std::collections::BTreeSet;
use std::hash::BuildHasher as _;
use std::ops::Range;

use cardscape_engine::{has_search_key, search_key};
use roaring::RoaringBitmap;
use rustc_hash::FxBuildHasher;

use super::super::names::{Fit, NameQuery, Suggestion, Trigram, is_alike, likeness};
use super::Segment;
use super::document::tokens;
use super::overlap::Overlap;
use super::window::Window;

/// If more cards than this match, the names of the segment are read in alphabetical order until there are enough.
const COMMON: u64 = if cfg!(test) { 6 } else { 1_000 };

/// Hash of a search key; the same in all segments of a process.
pub(super) fn hash_of_key(key: &str) -> u32 {
    let hash = FxBuildHasher.hash_one(key);
    u32::try_from(hash >> 32).unwrap_or_default()
}

impl Segment {
    pub(in crate::index) fn name(&self, at: u32) -> &str {
        self.document(at).map_or("", |document| document.name)
    }

    pub(super) fn search_key(&self, at: u32) -> String {
        search_key(self.name(at))
    }

    fn keys(&self, from: &str, is_in: impl Fn(&str) -> bool) -> &[u32] {
        let all = &self.names.by_key;
        let start = all.partition_point(|at| self.search_key(*at).as_str() < from);
        let length = all[start..].partition_point(|at| is_in(&self.search_key(*at)));
        &all[start..start + length]
    }

    /// The cards whose name has that key.
    pub(in crate::index) fn same_key(&self, key: &str) -> RoaringBitmap {
        self.with_key(key).collect()
    }

    /// Like [`Segment::same_key`], one after the other.
    pub(in crate::index) fn with_key<'a>(&'a self, key: &'a str) -> impl Iterator<Item = u32> + 'a {
        let hash = hash_of_key(key);
        let all = &self.names.by_hash;
        let start = all.partition_point(|(own, _)| *own < hash);
        let alike = all[start..].iter().take_while(move |(own, _)| *own == hash).map(|(_, at)| *at);
        alike.filter(move |at| has_search_key(self.name(*at), key))
    }

    /// The cards of a window whose name key begins with `start`.
    pub(super) fn keys_beginning(&self, start: &str, window: &Window) -> RoaringBitmap {
        let keys = self.keys(start, |own| own.starts_with(start)).iter().copied();
        keys.filter(|at| window.contains(*at)).collect()
    }

    /// Whether the name contains words that begin with the typed ones, in their order.
    fn has_words(&self, at: u32, typed: &[String]) -> bool {
        let Some(document) = self.document(at) else { return false };
        let mut typed = typed.iter().peekable();
        if typed.peek().is_none() {
            return false;
        }
        for word in tokens(document.texts[0]).flatten() {
            typed.next_if(|start| self.vocabulary.word(word).starts_with(start.as_str()));
        }
        typed.peek().is_none()
    }

    /// The cards whose names contain words that begin with each of these, in any order.
    fn with_words(&self, words: &[String]) -> RoaringBitmap {
        let mut found: Option<RoaringBitmap> = None;
        for word in words {
            let ranks = self.vocabulary.beginning(word);
            let keyed = &self.words.name;
            let from = keyed.keys().partition_point(|rank| *rank < ranks.start);
            let to = keyed.keys().partition_point(|rank| *rank < ranks.end);
            let cards = keyed.lists().range(from..to, &Window::ALL);
            found = Some(match found {
                Some(found) => found & cards,
                None => cards,
            });
        }
        found.unwrap_or_default()
    }

    /// The allowed cards whose name has the typed key, with how well they match.
    pub(in crate::index) fn exactly(
        &self,
        query: &NameQuery,
        typed: &[Trigram],
        is_allowed: impl Fn(u32) -> bool,
    ) -> Vec<(u32, Fit)> {
        let same = self.same_key(&query.search_key).into_iter().filter(|at| is_allowed(*at));
        let own = |at: u32| {
            let likeness = likeness(typed.len(), self.names.sizes[at as usize].into(), typed.len());
            (at, Fit { is_same: true, has_words: self.has_words(at, &query.words), likeness })
        };
        same.map(own).collect()
    }

    /// The allowed cards of a window whose names are similar to a typed one, with how well they match.
    pub(in crate::index) fn alike(
        &self,
        query: &NameQuery,
        typed: &[Trigram],
        window: Range<u32>,
        is_allowed: impl Fn(u32) -> bool,
    ) -> Vec<(u32, Fit)> {
        let same = self.same_key(&query.search_key);
        let with_words = self.with_words(&query.words);
        let mut found = Vec::new();
        let report = |at: u32, shared: usize| {
            let all = usize::from(self.names.sizes[at as usize]);
            // Reading a name takes longer than excluding it by its words; a single word needs no check of the order.
            let has_words = with_words.contains(at)
                && (query.words.len() == 1 || self.has_words(at, &query.words));
            let likeness = likeness(shared, all, typed.len());
            let fit = Fit { is_same: same.contains(at), has_words, likeness };
            if (fit.is_same || has_words || is_alike(likeness)) && is_allowed(at) {
                found.push((at, fit));
            }
        };
        Overlap::new(self, typed).count(&(&with_words | &same), window, report);
        found
    }

    /// Completions of a typed name among `allowed`: at least the first `limit` in the order of suggestions.
    pub(in crate::index) fn suggestions(
        &self,
        query: &NameQuery,
        allowed: &RoaringBitmap,
        limit: usize,
        into: &mut BTreeSet<Suggestion>,
    ) {
        let mut known: BTreeSet<Suggestion> = BTreeSet::new();
        let key = query.search_key.as_str();
        // Names are read only of allowed cards: all others may be those of another, much larger game.
        let beginning = self.keys(key, |own| own.starts_with(key)).iter();
        for at in beginning.filter(|at| allowed.contains(**at)) {
            let own = self.search_key(*at);
            // Cards with the same key are ordered by place, not alphabetically: all cards of the last key are read.
            if known.len() >= limit && known.last().is_none_or(|last| last.1 != own) {
                break;
            }
            known.insert((0, own, self.name(*at).to_owned()));
        }
        if known.len() < limit {
            let words = self.with_words(&query.words) & allowed;
            let fits =
                |at: u32, own: &str| !own.starts_with(key) && self.has_words(at, &query.words);
            self.suggest(1, &words, fits, limit, &mut known);
        }
        if query.near && known.len() < limit {
            let parts = self.containing(key) & allowed;
            let fits = |at: u32, own: &str| {
                !own.starts_with(key) && own.contains(key) && !self.has_words(at, &query.words)
            };
            self.suggest(2, &parts, fits, limit, &mut known);
        }
        into.extend(known);
    }

    /// Adds matching cards in alphabetical order, until there are `limit` in total.
    fn suggest(
        &self,
        rank: u8,
        cards: &RoaringBitmap,
        fits: impl Fn(u32, &str) -> bool,
        limit: usize,
        known: &mut BTreeSet<Suggestion>,
    ) {
        let is_common = cards.len() > COMMON;
        let few: Vec<u32> = if is_common { Vec::new() } else { cards.iter().collect() };
        let walked = if is_common { &self.names.by_key } else { &few };
        for at in walked.iter().copied().filter(|at| cards.contains(*at)) {
            let own = self.search_key(at);
            if is_common && known.len() >= limit && known.last().is_none_or(|last| last.1 < own) {
                break;
            }
            if fits(at, &own) {
                known.insert((rank, own, self.name(at).to_owned()));
                if known.len() > limit {
                    known.pop_last();
                }
            }
        }
    }

    /// The cards whose names contain every trigram of a text; may include others.
    fn containing(&self, key: &str) -> RoaringBitmap {
        let letters: Vec<char> = key.chars().collect();
        let keyed = &self.names.trigrams;
        let mut found: Option<RoaringBitmap> = None;
        let inner = letters.windows(3).filter_map(|three| Trigram::try_from(three).ok());
        for trigram in
            inner.filter(|three| three.iter().all(|character| character.is_alphanumeric()))
        {
            let cards = keyed.lists().union(keyed.find(&trigram), &Window::ALL);
            found = Some(match found {
                Some(found) => found & cards,
                None => cards,
            });
        }
        found.unwrap_or_else(|| self.open.clone())
    }
}
