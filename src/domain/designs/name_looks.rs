//! What names are compared by: whether two names are the same, or look the same in other letters, with or without accents.

use cardscape_engine::{name_key, search_key};
use sha2::{Digest as _, Sha256};

use super::bare_letters::{bare, has_other_letters};
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
/// // An accent does not hide that the Cyrillic "о" looks like "o".
/// assert!(bell.clashes_with("Críms\u{43e}n Bell"));
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
    /// The skeleton of the name as it is written, with its accents.
    pub skeleton: String,
    /// The key of the bare letters of the name.
    pub letters: String,
    /// Letters that look like those of the name in capitals: to search for.
    pub capital_look: String,
    bare: BareLooks,
    has_other_letters: bool,
}

/// The looks of a name without accents, with small capitals and letters in circles or squares as their letters.
#[derive(Clone, Debug, PartialEq, Eq)]
struct BareLooks {
    as_written: String,
    small: String,
    /// In capital letters: some letters look like those of another script only there.
    capitals: String,
}

/// Version of the rules by which the hashes are made of a name. Whoever changes what a hash says increases it: then
/// housekeeping makes the stored ones anew.
pub const LOOKS_VERSION: i16 = 2;

/// A hash of something that a name is compared by.
pub type LookHash = [u8; 16];

/// The hashes that the names of a game are compared by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookHashes {
    /// Names that share it are the same, except for accents. Of the key, if nothing is left of the name without accents.
    pub plain: LookHash,
    /// Names that share it look the same, except for accents.
    pub skeleton: LookHash,
    /// Names that share it look the same in small letters, except for accents.
    pub small: LookHash,
    /// Names that share it look the same in capital letters, except for accents. This does not count if neither name has letters beyond ASCII but for accents:
    /// in capital letters, "Gail" has the skeleton of "Gall".
    pub capitals: LookHash,
    /// Whether the name has letters beyond ASCII, apart from accents: see [`has_other_letters`](super::bare_letters::has_other_letters).
    pub has_other_letters: bool,
}

impl NameLooks {
    /// Prepares a name.
    pub fn of(name: &str) -> Self {
        let letters = bare(name);
        Self {
            key: name_key(name),
            plain: search_key(name),
            skeleton: name_skeleton(name),
            letters: name_key(&letters),
            capital_look: name_skeleton(&letters.to_uppercase()),
            bare: BareLooks {
                as_written: look(&letters),
                small: look(&letters.to_lowercase()),
                capitals: look(&letters.to_uppercase()),
            },
            has_other_letters: has_other_letters(name),
        }
    }

    /// Whether another name looks the same as it is written, or in letters of one case.
    fn looks_like(&self, other: &str) -> bool {
        let letters = bare(other);
        look(&letters) == self.bare.as_written
            || look(&letters.to_lowercase()) == self.bare.small
            || (self.has_other_letters || has_other_letters(other))
                && look(&letters.to_uppercase()) == self.bare.capitals
    }

    /// How another name is like this one; `None`: both can be listed. The hashes say the same.
    pub fn likeness(&self, other: Name<'_>) -> Option<NameClash> {
        // Names with the same key are the same without accents, too.
        let is_same =
            other.key == self.key || !self.plain.is_empty() && search_key(other.name) == self.plain;
        if is_same {
            Some(NameClash::Same)
        } else if other.skeleton == self.skeleton || self.looks_like(other.name) {
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

    /// Hashes of all of this but the key, which the name without accents implies, and the skeleton with accents.
    pub fn hashes(&self, game: &str) -> LookHashes {
        let hash = |what: u8, look: &str| {
            let hash = Sha256::new().chain_update(game).chain_update([0, what]);
            let mut first = [0; 16];
            first.copy_from_slice(&hash.chain_update(look).finalize()[..16]);
            first
        };
        LookHashes {
            plain: if self.plain.is_empty() { hash(4, &self.key) } else { hash(0, &self.plain) },
            skeleton: hash(1, &self.bare.as_written),
            small: hash(2, &self.bare.small),
            capitals: hash(3, &self.bare.capitals),
            has_other_letters: self.has_other_letters,
        }
    }
}

/// The skeleton of bare letters, whatever their case: a capital "M" counts as "m", which looks like "rn". So the second skeleton is taken of letters in one
/// case. Stroked letters of other scripts have skeletons with marks.
fn look(letters: &str) -> String {
    name_skeleton(&bare(&name_skeleton(letters)))
}

impl LookHashes {
    /// All hashes: of the name without accents, of the skeleton, and of the skeletons in small and in capital letters.
    pub fn all(&self) -> [LookHash; 4] {
        [self.plain, self.skeleton, self.small, self.capitals]
    }

    /// The hashes that count between any two names.
    pub fn always(&self) -> [LookHash; 3] {
        [self.plain, self.skeleton, self.small]
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
    use crate::domain::hex::hex;

    /// What the database compares: see `store/designs/reserved_names.rs`.
    fn share_a_hash(one: &str, other: &str) -> bool {
        let [one, other] = [one, other].map(|name| NameLooks::of(name).hashes("ttcg"));
        let share = |one: &[LookHash], other: &[LookHash]| one.iter().any(|x| other.contains(x));
        share(&one.always(), &other.always())
            || (one.has_other_letters || other.has_other_letters) && one.capitals == other.capitals
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
            "Gáil",
            "KETTLE lMP",
            "Kéttle lmp",
            "K\u{435}ttlé Imp",
            "Mørk 0wl",
            "Mork Owl",
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

    /// Hashes are stored, so a change of what they are made of, also by an update of a library, needs a new version: otherwise new names are compared with
    /// hashes by other rules. Whoever sees this test fail increases [`LOOKS_VERSION`] and writes the new values here. The first four bytes of each hash.
    #[test]
    fn other_hashes_have_another_version() {
        let hashes = [
            ("Amber Wolf", "d666c244 c90ab49c 3278b7e2 45c718d9"),
            ("KETTLE IMP", "e38fd912 c3fa5dcb 5599d363 0f824cdc"),
            ("Ámber Wólf", "d666c244 c90ab49c 3278b7e2 45c718d9"),
            ("\u{410}mber W\u{41e}lf", "d1f6768c c90ab49c 3278b7e2 45c718d9"),
            ("Mørk 0wl", "8f329b42 a49d5174 9733f63c 18ea3886"),
            ("Ægir l", "a1e1d9d9 2cdf24cf bf937459 86393085"),
            ("🔥", "805d119c 8da699a8 1c432c03 107bf94b"),
            (
                "A\u{1d0d}\u{299}\u{1d07}\u{280} W\u{1d0f}\u{29f}\u{a730}",
                "bd4401f6 c90ab49c 3278b7e2 45c718d9",
            ),
            ("\u{24c0}ettle imp", "e38fd912 d98653a0 5599d363 0f824cdc"),
            ("\u{628}\u{627}\u{628}", "de5adcd1 c8e4e0d5 c700b96a c9ee11ad"),
            ("\u{6771}", "1e9ac045 5d1a7406 9d8ab94b cb9e4d71"),
            ("Gail\u{2019}s Rn1", "144cabfa 259a4297 239e803f 90750f00"),
            ("Gail\u{2bc}s Rn1", "144cabfa 259a4297 239e803f 90750f00"),
        ];
        for (name, expected) in hashes {
            let all = NameLooks::of(name).hashes("ttcg").all();
            let starts = all.map(|hash| hex(&hash[..4])).join(" ");
            assert_eq!((LOOKS_VERSION, starts.as_str()), (2, expected), "{name}");
        }
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
    fn accents_do_not_hide_letters_that_look_like_others() {
        let imp = NameLooks::of("Kettle Imp");
        for name in [
            "Kéttle lmp",
            "K\u{435}ttlé Imp",
            "\u{1e30}ettle lm\u{1e55}",
            "Këttle 1mp",
            "Kettle Í\u{43c}p",
            "\u{1f17a}ettle Imp",
            "\u{1f15a}\u{1f154}\u{1f163}\u{1f163}\u{1f15b}\u{1f154} imp",
            "\u{24c0}ettle imp",
            "KETTLE lMP",
            "kettle irnp",
            "\u{1d0b}\u{1d07}\u{301}\u{1d1b}\u{1d1b}\u{29f}\u{1d07} \u{26a}\u{1d0d}\u{1d18}",
        ] {
            assert!(imp.clashes_with(name) && share_a_hash("Kettle Imp", name), "{name}");
        }
        let gate = "A\u{1d0d}\u{299}\u{1d07}\u{280} Gate";
        for name in ["Ámber Gate", "Amber Gåte", "AMBÉR GATE"] {
            assert!(NameLooks::of(gate).clashes_with(name) && share_a_hash(gate, name), "{name}");
        }
        assert!(share_a_hash("Mørk Owl", "Mork 0wl") && share_a_hash("Ægir l", "Aegir I"));
    }

    #[test]
    fn names_that_look_different_are_free() {
        for (one, other) in [
            ("Gáil", "Gall"),
            ("Gáil", "Gàll"),
            ("Gail\u{2019}s Imp", "Gall\u{2019}s Imp"),
            ("Mørk Gail", "Mork Gall"),
            ("Kettle Imp", "Kettle Amp"),
            ("Kéttle Imp", "Kettle Ump"),
            ("\u{1f17a}ettle Imp", "Mettle Imp"),
            ("Amber Wolf \u{2776}", "Amber Wolf \u{2777}"),
            ("Volt", "Wolt"),
            ("\u{1f525}", "\u{1f30a}"),
            // Arabic letters that differ in dots.
            ("\u{628}\u{627}\u{628}", "\u{62a}\u{627}\u{62a}"),
            ("\u{6771}", "\u{897f}"),
        ] {
            assert!(!NameLooks::of(one).clashes_with(other), "{one} {other}");
            assert!(!share_a_hash(one, other) && !share_a_hash(other, one), "{one} {other}");
        }
    }

    #[test]
    fn names_of_other_games_share_nothing() {
        let looks = NameLooks::of("Amber Wolf");
        let (one, other) = (looks.hashes("ttcg").all(), looks.hashes("emojito").all());
        assert_eq!((one.len(), one.iter().any(|hash| other.contains(hash))), (4, false));
        assert!(looks.hashes("ttcg").locks().is_sorted());
    }
}
