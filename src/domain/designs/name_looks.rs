//! What names are compared by: whether two names are the same, or look the same in letters of other scripts.

use std::borrow::Cow;

use cardscape_engine::{name_key, search_key};
use sha2::{Digest as _, Sha256};

use crate::domain::text::name_skeleton;

/// A name with the forms that comparisons use.
#[derive(Clone, Copy, Debug)]
pub struct Name<'a> {
    /// The name as its author wrote it.
    pub name: &'a str,
    /// The name without differences that do not count, such as case.
    pub key: &'a str,
    /// The skeleton: equal for names that look the same.
    pub skeleton: &'a str,
}

/// Why two names cannot be listed beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameClash {
    /// They are the same, except for case, punctuation, spaces and accents.
    Same,
    /// They look the same.
    LooksTheSame,
}

/// A name, prepared for comparison with others.
///
/// ```
/// use cardscape::domain::designs::name_looks::NameLooks;
/// let bell = NameLooks::of("Crimson Bell");
/// assert!(bell.clashes_with("crimson-BELL") && bell.clashes_with("Crímson Bell"));
/// // The Cyrillic capital "М" looks like "M", but its small letter does not look like "m".
/// assert!(NameLooks::of("Kettle Imp").clashes_with("KETTLE I\u{41c}P"));
/// assert!(!bell.clashes_with("Crimson Bells"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameLooks {
    /// The name without differences that do not count, such as case.
    pub key: String,
    /// The key without accents.
    pub plain: String,
    /// The skeleton of the name as it is written.
    pub skeleton: String,
    /// The key with small capitals as their letters.
    pub letters: String,
    /// The skeletons in small and in capital letters: a letter may look like one of another script in only one of the two. Small capitals count as
    /// their letters.
    in_one_case: [String; 2],
    is_ascii: bool,
}

/// A hash of something that a name is compared by.
pub type LookHash = [u8; 16];

/// The hashes that the names of a game are compared by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookHashes {
    /// Names that share it are the same, except for accents. Of the key, if nothing is left of the name without accents.
    pub plain: LookHash,
    /// Names that share it look the same.
    pub skeleton: LookHash,
    /// Names that share one of these look the same in small or in capital letters. This does not count between two ASCII names: in capital letters, "Gail"
    /// has the skeleton of "Gall".
    pub in_one_case: [LookHash; 2],
    /// Whether the name has letters beyond ASCII.
    pub has_other_letters: bool,
}

impl NameLooks {
    /// Prepares a name.
    pub fn of(name: &str) -> Self {
        Self {
            key: name_key(name),
            plain: search_key(name),
            skeleton: name_skeleton(name),
            letters: name_key(&with_plain_capitals(name)),
            in_one_case: in_one_case(name),
            is_ascii: name.is_ascii(),
        }
    }

    /// Whether the names look the same in small or in capital letters, for names with letters of other scripts.
    fn look_the_same_in_one_case(&self, other: &str) -> bool {
        !(self.is_ascii && other.is_ascii())
            && in_one_case(other).iter().zip(&self.in_one_case).any(|(other, own)| other == own)
    }

    /// How another name is like this one; `None`: both can be listed. The hashes say the same.
    pub fn likeness(&self, other: Name<'_>) -> Option<NameClash> {
        // Names with the same key are the same without accents, too.
        let is_same =
            other.key == self.key || !self.plain.is_empty() && search_key(other.name) == self.plain;
        if is_same {
            Some(NameClash::Same)
        } else if other.skeleton == self.skeleton || self.look_the_same_in_one_case(other.name) {
            Some(NameClash::LooksTheSame)
        } else {
            None
        }
    }

    /// Whether another name is the same, except for case, punctuation, spaces and accents, or looks the same.
    pub fn clashes_with(&self, other: &str) -> bool {
        let (key, skeleton) = (name_key(other), name_skeleton(other));
        self.likeness(Name { name: other, key: &key, skeleton: &skeleton }).is_some()
    }

    /// Hashes of all of this but the key, which the name without accents implies.
    pub fn hashes(&self, game: &str) -> LookHashes {
        let hash = |what: u8, look: &str| {
            let hash = Sha256::new().chain_update(game).chain_update([0, what]);
            let mut first = [0; 16];
            first.copy_from_slice(&hash.chain_update(look).finalize()[..16]);
            first
        };
        let [small, capitals] = &self.in_one_case;
        LookHashes {
            plain: if self.plain.is_empty() { hash(4, &self.key) } else { hash(0, &self.plain) },
            skeleton: hash(1, &self.skeleton),
            in_one_case: [hash(2, small), hash(3, capitals)],
            has_other_letters: !self.is_ascii,
        }
    }
}

fn in_one_case(name: &str) -> [String; 2] {
    let name = with_plain_capitals(name);
    [name_skeleton(&name.to_lowercase()), name_skeleton(&name.to_uppercase())]
}

/// Small capitals with the letters that they are capitals of. Unicode has no mapping for them: they are letters of their own, from phonetic alphabets, and
/// few of them are in the tables of look-alikes.
const SMALL_CAPITALS: [(char, &str); 32] = [
    ('\u{1d00}', "a"),
    ('\u{1d01}', "æ"),
    ('\u{299}', "b"),
    ('\u{1d04}', "c"),
    ('\u{1d05}', "d"),
    ('\u{1d06}', "ð"),
    ('\u{1d07}', "e"),
    ('\u{a730}', "f"),
    ('\u{262}', "g"),
    ('\u{29c}', "h"),
    ('\u{26a}', "i"),
    ('\u{1d0a}', "j"),
    ('\u{1d0b}', "k"),
    ('\u{29f}', "l"),
    ('\u{1d0c}', "ł"),
    ('\u{1d0d}', "m"),
    ('\u{274}', "n"),
    ('\u{1d0f}', "o"),
    ('\u{276}', "œ"),
    ('\u{1d18}', "p"),
    ('\u{a7af}', "q"),
    ('\u{280}', "r"),
    ('\u{a731}', "s"),
    ('\u{1d1b}', "t"),
    ('\u{1d1c}', "u"),
    ('\u{1d20}', "v"),
    ('\u{1d21}', "w"),
    ('\u{28f}', "y"),
    ('\u{1d22}', "z"),
    ('\u{1d26}', "γ"),
    ('\u{1d28}', "π"),
    ('\u{1d2b}', "л"),
];

fn with_plain_capitals(name: &str) -> Cow<'_, str> {
    let plain = |letter: char| SMALL_CAPITALS.iter().find(|(small, _)| *small == letter);
    if name.is_ascii() || !name.chars().any(|letter| plain(letter).is_some()) {
        return name.into();
    }
    let mut with = String::with_capacity(name.len());
    for letter in name.chars() {
        match plain(letter) {
            Some((_, plain)) => with.push_str(plain),
            None => with.push(letter),
        }
    }
    with.into()
}

impl LookHashes {
    /// All hashes: of the name without accents, of the skeleton, and of the skeletons in small and in capital letters.
    pub fn all(&self) -> [LookHash; 4] {
        let [small, capitals] = self.in_one_case;
        [self.plain, self.skeleton, small, capitals]
    }

    /// The hashes that count between any two names.
    pub fn always(&self) -> [LookHash; 2] {
        [self.plain, self.skeleton]
    }

    /// Numbers of the locks that a transaction takes on these looks, in the order in which every transaction takes them.
    pub fn locks(&self) -> Vec<i64> {
        let number = |hash: LookHash| {
            let first: [u8; 8] = hash.first_chunk().copied().unwrap_or_default();
            i64::from_be_bytes(first)
        };
        let mut locks: Vec<i64> = self.all().into_iter().map(number).collect();
        locks.sort_unstable();
        locks.dedup();
        locks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the database compares: see `store/designs/reserved_names.rs`.
    fn share_a_hash(one: &str, other: &str) -> bool {
        let [one, other] = [one, other].map(|name| NameLooks::of(name).hashes("ttcg"));
        let share = |one: &[LookHash], other: &[LookHash]| one.iter().any(|x| other.contains(x));
        share(&one.always(), &other.always())
            || (one.has_other_letters || other.has_other_letters)
                && share(&one.in_one_case, &other.in_one_case)
    }

    #[test]
    fn the_hashes_say_what_the_names_say() {
        let names = [
            "Amber Wolf",
            "AMBER WOLF",
            "\u{410}mber W\u{41e}lf",
            "\u{410}\u{41c}BER W\u{41e}LF",
            "Ámber Wólf",
            "Amber Volf",
            "Gail",
            "Gall",
            "G\u{430}il",
            "🔥",
            "🌊",
            "Kettle Imp",
            "KETTLE I\u{41c}P",
            // "Amber Wolf" in small capitals, the second with capital initials.
            "\u{1d00}\u{1d0d}\u{299}\u{1d07}\u{280} \u{1d21}\u{1d0f}\u{29f}\u{a730}",
            "A\u{1d0d}\u{299}\u{1d07}\u{280} W\u{1d0f}\u{29f}\u{a730}",
        ];
        let mut clashes = 0;
        for one in names {
            for other in names {
                let looks = NameLooks::of(one);
                assert_eq!(looks.clashes_with(other), share_a_hash(one, other), "{one} {other}");
                clashes += usize::from(one != other && looks.clashes_with(other));
            }
        }
        assert!(clashes > 10, "{clashes}");
        assert!(!share_a_hash("Gail", "Gall") && !share_a_hash("Amber Wolf", "Amber Volf"));
    }

    #[test]
    fn small_capitals_look_like_their_letters() {
        let wolf = NameLooks::of("Amber Wolf");
        for name in [
            "\u{1d00}\u{1d0d}\u{299}\u{1d07}\u{280} \u{1d21}\u{1d0f}\u{29f}\u{a730}",
            "A\u{1d0d}\u{299}\u{1d07}\u{280} W\u{1d0f}\u{29f}\u{a730}",
            "Amber Wol\u{a730}",
        ] {
            assert!(wolf.clashes_with(name), "{name}");
            assert_eq!(NameLooks::of(name).letters, wolf.key, "{name}");
        }
        assert!(!wolf.clashes_with("Amber Wol\u{1d1b}"));
    }

    #[test]
    fn names_of_other_games_share_nothing() {
        let looks = NameLooks::of("Amber Wolf");
        let (one, other) = (looks.hashes("ttcg").all(), looks.hashes("emojito").all());
        assert_eq!((one.len(), one.iter().any(|hash| other.contains(hash))), (4, false));
        assert!(looks.hashes("ttcg").locks().is_sorted());
    }
}
