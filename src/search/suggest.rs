//! What may have been meant.

use std::collections::BTreeSet;

use cardscape_engine::search_key;

/// The candidates that look most like `typed`, at most three.
pub(super) fn near<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let key = search_key(typed);
    let allowed = 1 + key.chars().count() / 4;
    let candidates: BTreeSet<&str> = candidates.into_iter().collect();
    let mut found: Vec<(usize, &str)> = candidates
        .into_iter()
        .map(|candidate| (distance(&key, &search_key(candidate)), candidate))
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

/// `: did you mean a, b?`, or nothing.
pub(super) fn did_you_mean(near: &[&str]) -> String {
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(", ")) }
}

/// How many letters are to be added, left out, changed or swapped with their neighbour to make one text the other.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut above: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for i in 1..=one.len() {
        let mut next = vec![i];
        for j in 1..=other.len() {
            let changed = row[j - 1] + usize::from(one[i - 1] != other[j - 1]);
            let mut best = changed.min(row[j] + 1).min(next[j - 1] + 1);
            if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                best = best.min(above[j - 2] + 1);
            }
            next.push(best);
        }
        above = std::mem::replace(&mut row, next);
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_near() {
        assert_eq!(near("atack", ["attack", "defense", "rank"]), ["attack"]);
        assert_eq!(near("fier", ["fire", "water"]), ["fire"]);
        assert_eq!(near("Ultra-Rare", ["ultra_rare", "rare"]), ["ultra_rare"]);
        assert_eq!(near("xyzzy", ["attack"]), Vec::<&str>::new());
        assert_eq!((distance("", "abc"), distance("abc", ""), distance("abc", "abc")), (3, 3, 0));
    }
}
