//! Similar names for unknown cards: a separate step, because it compares every name of the pool.

use crate::catalogue::Catalogue;
use crate::code::ViolationCode;
use crate::name::{name_key, search_key, search_key_of_key};
use crate::report::Report;
use crate::violation::Fix;

/// Maximum number of unknown names of one report that [`Report::suggest`] looks up; the cost of each grows with the pool.
pub const SUGGESTED_NAMES_MAX: usize = 60;
/// Maximum number of suggestions per name.
const SUGGESTIONS_MAX: usize = 3;
/// Longest name (in characters of its search key) that is compared letter by letter.
const LENGTH_MAX: usize = 80;
/// Smallest similarity of a suggestion: 1 is equal, 0 nothing in common.
const SIMILARITY_MIN: f64 = 0.6;
/// Smallest similarity for which renaming is proposed as a fix.
const SIMILARITY_SURE: f64 = 0.8;

impl Report {
    /// Adds similar names to every [`ViolationCode::CardUnknown`]: typing errors, missing accents, parts of a name.
    ///
    /// Only names of the catalogue are suggested, so a catalogue of the cards that a viewer may see reveals no others.
    ///
    /// Looks up [`SUGGESTED_NAMES_MAX`] names at most, and returns how many further ones were left out.
    pub fn suggest(&mut self, catalogue: &Catalogue) -> usize {
        let unknown = self
            .violations
            .iter_mut()
            .filter(|violation| violation.code == ViolationCode::CardUnknown);
        let mut left_out = 0;
        for (violation, at) in unknown.zip(0..) {
            if at >= SUGGESTED_NAMES_MAX {
                left_out += 1;
                continue;
            }
            let Some(card) = violation.cards.first() else { continue };
            let near = near_names(&card.name, catalogue);
            if let Some((sure, _)) =
                near.first().filter(|(_, similarity)| *similarity >= SIMILARITY_SURE)
            {
                violation.fix = Some(Fix::Rename { from: card.name.clone(), to: sure.clone() });
            }
            violation.suggestions = near.into_iter().map(|(name, _)| name).collect();
        }
        left_out
    }
}

/// The most similar names of the pool with their similarity, the most similar first.
pub(crate) fn near_names(name: &str, catalogue: &Catalogue) -> Vec<(String, f64)> {
    let wanted = search_key(name);
    let length = wanted.chars().count();
    if length == 0 || length > LENGTH_MAX {
        return Vec::new();
    }
    let mut near: Vec<(String, f64)> = Vec::new();
    for (shown, key) in catalogue.search_keys() {
        let similarity = similarity(&wanted, length, key);
        if similarity >= SIMILARITY_MIN {
            near.push((shown.to_owned(), similarity));
        }
    }
    near.sort_by(|left, right| right.1.total_cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    near.truncate(SUGGESTIONS_MAX);
    near
}

/// The similarity of two names: 1 is equal except for accents, case and punctuation; below 0.6 the names are not similar. It counts letters that are
/// wrong, missing, too many or swapped. A part of a name with at least four letters is similar, too. 0 for different names of more than 80 letters.
///
/// ```
/// use cardscape_engine::name_similarity;
/// assert_eq!(name_similarity("cafe noir", "Café Noir"), 1.0);
/// assert!(name_similarity("kettel imp", "Kettle Imp") > name_similarity("kettel imp", "Nettle Imp"));
/// assert!(name_similarity("kettle imp", "Barrow Ox") < 0.6);
/// ```
pub fn name_similarity(wanted: &str, name: &str) -> f64 {
    WantedName::new(wanted).similarity(name)
}

/// A name that is compared with many others, as by [`name_similarity`].
#[derive(Clone, Debug)]
pub struct WantedName {
    key: String,
    length: usize,
}

impl WantedName {
    /// Prepares a name.
    pub fn new(name: &str) -> Self {
        let key = search_key(name);
        Self { length: key.chars().count(), key }
    }

    /// The similarity of another name.
    pub fn similarity(&self, name: &str) -> f64 {
        self.similarity_of_key(&name_key(name))
    }

    /// The similarity of another name with this [`name_key`].
    pub fn similarity_of_key(&self, name_key: &str) -> f64 {
        let key = search_key_of_key(name_key.into());
        if self.length > LENGTH_MAX && self.key != key {
            return 0.0;
        }
        similarity(&self.key, self.length, &key)
    }
}

fn similarity(wanted: &str, length: usize, key: &str) -> f64 {
    if wanted == key {
        return 1.0;
    }
    let other = key.chars().count();
    if other == 0 || other > LENGTH_MAX {
        return 0.0;
    }
    let (shorter, longer) = (length.min(other), length.max(other));
    // "kettle" may mean "Kettle Imp".
    if shorter >= 4 && (key.contains(wanted) || wanted.contains(key)) {
        #[expect(clippy::cast_precision_loss, reason = "both are at most LENGTH_MAX")]
        return 0.6 + 0.35 * (shorter as f64 / longer as f64);
    }
    // The difference of the lengths is a minimum of edits, so most names need no comparison.
    #[expect(clippy::cast_precision_loss, reason = "both are at most LENGTH_MAX")]
    if (shorter as f64) < SIMILARITY_MIN * longer as f64 {
        return 0.0;
    }
    // So is the number of letters that only one of them has.
    #[expect(clippy::cast_precision_loss, reason = "both are at most LENGTH_MAX")]
    if 1.0 - least_edits(wanted, key) as f64 / (longer as f64) < SIMILARITY_MIN {
        return 0.0;
    }
    strsim::normalized_damerau_levenshtein(wanted, key)
}

/// The minimum of edits that make one text of the other: each edit inserts at most one letter and removes at most one. Letters with the same code
/// modulo 64 count as the same.
fn least_edits(one: &str, other: &str) -> usize {
    let mut surplus = [0_i16; 64];
    one.chars().for_each(|character| surplus[character as usize % 64] += 1);
    other.chars().for_each(|character| surplus[character as usize % 64] -= 1);
    let (mut more, mut less) = (0, 0);
    for count in surplus {
        if count > 0 {
            more += usize::from(count.unsigned_abs());
        } else {
            less += usize::from(count.unsigned_abs());
        }
    }
    more.max(less)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_edits_is_a_lower_bound() {
        // All texts of up to four letters; two of the letters have the same code modulo 64.
        let letters = ['a', 'b', '\u{e1}', '\u{121}'];
        let mut texts = vec![String::new()];
        for length in 1..=4 {
            let shorter: Vec<String> =
                texts.iter().filter(|text| text.chars().count() == length - 1).cloned().collect();
            texts.extend(
                shorter
                    .iter()
                    .flat_map(|text| letters.map(|character| format!("{text}{character}"))),
            );
        }
        for one in &texts {
            for other in &texts {
                let edits = strsim::damerau_levenshtein(one, other);
                assert!(least_edits(one, other) <= edits, "{one} {other}");
            }
        }
        assert_eq!(least_edits("kettle", "barrow"), 6);
        assert_eq!(least_edits("kettle", "kettel"), 0);
    }

    #[test]
    fn a_key_is_as_similar_as_its_name() {
        for wanted in ["kettle imp", "Café Noir", "Ørk!", "?!"] {
            let name = WantedName::new(wanted);
            for other in ["Kettle Imp", "kettel-imp", "cafe noir", "Cafés Noirs", "Orks", "?!"] {
                let by_key = name.similarity_of_key(&name_key(other));
                assert!((name.similarity(other) - by_key).abs() < f64::EPSILON, "{wanted} {other}");
            }
        }
        let orks = WantedName::new("Ørk!").similarity_of_key(&name_key("Orks"));
        assert!(orks > SIMILARITY_MIN, "{orks}");
    }
}
