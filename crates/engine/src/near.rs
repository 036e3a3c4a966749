//! Finds what an unknown word may mean.

use std::collections::BTreeSet;

use strsim::osa_distance;

use crate::name::search_key;

/// The candidates that look most like `typed`, at most three.
pub fn near<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let key = search_key(typed);
    let length = key.chars().count();
    let allowed = 1 + length / 4;
    let candidates: BTreeSet<&str> = candidates.into_iter().collect();
    let mut found: Vec<(usize, &str)> = candidates
        .into_iter()
        .map(|candidate| (search_key(candidate), candidate))
        // The distance is at least the difference of the lengths. Clients may type a word of any length, which would be compared for a long time.
        .filter(|(other, _)| other.chars().count().abs_diff(length) <= allowed)
        .map(|(other, candidate)| (osa_distance(&key, &other), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .collect();
    found.sort_unstable();
    let best = found.first().map(|(distance, _)| *distance);
    found
        .into_iter()
        .filter(|(distance, _)| Some(*distance) == best)
        .take(3)
        .map(|(_, candidate)| candidate)
        .collect()
}

/// `; did you mean a, b?`, or an empty text if nothing is near.
pub fn did_you_mean(near: &[&str]) -> String {
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_error_is_near() {
        assert_eq!(near("atack", ["attack", "defense", "rank"]), ["attack"]);
        assert_eq!(near("fier", ["fire", "water"]), ["fire"]);
        assert_eq!(near("Ultra-Rare", ["ultra_rare", "rare"]), ["ultra_rare"]);
        assert_eq!(near("xyzzy", ["attack"]), Vec::<&str>::new());
        assert_eq!(
            (osa_distance("", "abc"), osa_distance("abc", ""), osa_distance("abc", "abc")),
            (3, 3, 0)
        );
    }
}
