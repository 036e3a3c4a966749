//! Words with the numbers of the things whose folded texts contain them, for texts that change.

use std::collections::BTreeMap;
use std::ops::Bound;

use roaring::RoaringBitmap;

/// Most different words that one beginning may stand for.
const MAX_EXPANSIONS: usize = 2_000;
/// About the size of a word without its letters, and of a number in its list, in bytes: book-keeping of the map and the
/// allocator included. A list allocates 128 bytes for its first four blocks of numbers.
const WORD_BYTES: usize = 250;
const NUMBER_BYTES: usize = 3;

/// For each word, the numbers of the texts that contain it.
#[derive(Clone, Debug, Default)]
pub struct WordLists {
    lists: BTreeMap<Box<str>, RoaringBitmap>,
    /// Numbers of texts that were removed: the lists of their words still contain them.
    removed: RoaringBitmap,
    letters: usize,
    numbers: usize,
}

impl WordLists {
    /// Adds a text in the form of [`folded`](crate::folded) with a number that no other text has, and no removed one.
    pub fn insert(&mut self, number: u32, folded: &str) {
        for word in words_of(folded) {
            let is_new = if let Some(list) = self.lists.get_mut(word) {
                list.insert(number)
            } else {
                self.letters += word.len();
                self.lists.insert(word.into(), RoaringBitmap::from_iter([number])).is_none()
            };
            self.numbers += usize::from(is_new);
        }
    }

    /// Removes the text with this number.
    pub fn remove(&mut self, number: u32) {
        self.removed.insert(number);
    }

    /// How many removed numbers the lists still contain.
    pub fn removed(&self) -> u64 {
        self.removed.len()
    }

    /// Deletes removed numbers from all lists, and returns them: they may be given to other texts.
    pub fn sweep(&mut self) -> RoaringBitmap {
        let removed = std::mem::take(&mut self.removed);
        let (mut letters, mut numbers) = (0, 0);
        self.lists.retain(|word, list| {
            *list -= &removed;
            let count = usize::try_from(list.len()).unwrap_or(usize::MAX);
            letters += if count > 0 { word.len() } else { 0 };
            numbers += count;
            count > 0
        });
        (self.letters, self.numbers) = (letters, numbers);
        removed
    }

    /// The numbers of the texts with a word that begins so; `None`: too many different words do.
    pub fn with_beginning(&self, beginning: &str) -> Option<RoaringBitmap> {
        let from = (Bound::Included(beginning), Bound::Unbounded);
        let words = self.lists.range::<str, _>(from);
        let words = words.take_while(|(word, _)| word.starts_with(beginning));
        let mut found = RoaringBitmap::new();
        for (at, (_, list)) in words.enumerate() {
            if at == MAX_EXPANSIONS {
                return None;
            }
            found |= list;
        }
        found -= &self.removed;
        Some(found)
    }

    /// About the size in bytes.
    pub fn bytes(&self) -> usize {
        self.letters + self.lists.len() * WORD_BYTES + self.numbers * NUMBER_BYTES
    }
}

/// The words of a folded text. Its parts are separated by a sign that no word contains.
fn words_of(folded: &str) -> impl Iterator<Item = &str> {
    folded.split(' ').filter(|word| !word.is_empty() && *word != "|")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::folded;

    fn found(lists: &WordLists, beginning: &str) -> Vec<u32> {
        lists.with_beginning(beginning).unwrap().into_iter().collect()
    }

    #[test]
    fn texts_are_found_by_the_beginning_of_a_word() {
        let mut lists = WordLists::default();
        lists.insert(1, " lantern heron | draw one");
        lists.insert(2, " heronry | 🔥");
        lists.insert(3, "");
        assert_eq!(found(&lists, "heron"), [1, 2]);
        assert_eq!(found(&lists, "heronr"), [2]);
        assert_eq!(found(&lists, "🔥"), [2]);
        assert_eq!(found(&lists, "antern"), [0_u32; 0]);
        assert_eq!(found(&lists, "|"), [0_u32; 0]);
        let full = lists.bytes();
        lists.remove(2);
        assert_eq!((found(&lists, "heron"), lists.removed()), (vec![1], 1));
        assert_eq!(lists.sweep().into_iter().collect::<Vec<_>>(), [2]);
        assert_eq!((found(&lists, "heron"), lists.removed()), (vec![1], 0));
        assert!(lists.bytes() < full);
        lists.insert(2, " crane");
        assert_eq!(found(&lists, "cra"), [2]);
    }

    #[test]
    fn a_beginning_of_too_many_words_is_refused() {
        let mut lists = WordLists::default();
        for number in 0..2_000 {
            lists.insert(number, &format!(" x{number}"));
        }
        assert_eq!(lists.with_beginning("x").map(|found| found.len()), Some(2_000));
        lists.insert(2_000, " x");
        assert_eq!(lists.with_beginning("x"), None);
        assert_eq!(found(&lists, "x1999"), [1_999]);
    }

    proptest! {
        /// The lists find the same texts as a test of each text, as the database makes it.
        #[test]
        fn lists_find_what_a_test_of_each_text_finds(
            changes in proptest::collection::vec((0..8_u32, "[abé 🔥|]{0,12}", any::<bool>()), 0..40),
            beginning in "[ab]{1,3}",
        ) {
            let mut lists = WordLists::default();
            let mut texts: BTreeMap<u32, String> = BTreeMap::new();
            for (next, (at, text, sweeps)) in (0_u32..).zip(changes) {
                let of_old = texts.keys().nth(usize::try_from(at).unwrap()).copied();
                if let Some(number) = of_old {
                    texts.remove(&number);
                    lists.remove(number);
                }
                if sweeps {
                    lists.sweep();
                }
                lists.insert(next, &folded(&text));
                texts.insert(next, folded(&text));
            }
            let wanted = format!(" {beginning}");
            let tested = texts.iter().filter(|(_, text)| text.contains(&wanted));
            prop_assert_eq!(found(&lists, &beginning), tested.map(|(number, _)| *number).collect::<Vec<_>>());
        }
    }
}
