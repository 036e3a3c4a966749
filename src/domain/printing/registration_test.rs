//! A chi-square test of whether the registered copies fit the announced print run.
//!
//! The registered copies of each rarity are compared with the printed ones (Pearson's statistic). This is drawing without replacement,
//! so the statistic is multiplied by (N − 1) / (N − n) for n registered copies of N printed ones; without this factor, a wrong run would
//! look better the more of it is registered. Rarities with fewer than five expected copies, registered or not yet registered, are combined with
//! their neighbours, beginning with the rarest, as the test requires.
//!
//! The result is a hint and no proof: registering is voluntary, and players who register rare cards sooner than common ones make a
//! correct run look wrong.

use statrs::distribution::{ChiSquared, ContinuousCDF as _};

/// The copies of a rarity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Copies that were printed.
    pub printed: u64,
    /// Copies that are registered.
    pub registered: u64,
}

impl Cell {
    /// The expected number of copies of this rarity among `registered` copies, when `printed` copies were printed in total.
    pub fn expected(&self, registered: u64, printed: u64) -> f64 {
        if printed == 0 { 0.0 } else { to_f64(registered) * to_f64(self.printed) / to_f64(printed) }
    }
}

/// Outcome of the test.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Pearson's statistic, corrected for the size of the run.
    pub chi_square: f64,
    /// Number of groups of rarities minus one.
    pub degrees_of_freedom: u32,
    /// The probability that a correct run deviates at least as much.
    pub p_value: f64,
    /// The groups of rarities that were combined, by index.
    pub groups: Vec<Vec<usize>>,
}

/// Fewest expected copies of a group.
const MIN_EXPECTED: f64 = 5.0;

/// Tests the rarities, which must be ordered from the most common. `None`: too few copies are registered, or too few are unregistered, for a result.
pub fn test(cells: &[Cell]) -> Option<Outcome> {
    let printed: u64 = cells.iter().map(|cell| cell.printed).sum();
    let registered: u64 = cells.iter().map(|cell| cell.registered).sum();
    if registered == 0 || registered >= printed {
        return None;
    }
    let (n, total) = (to_f64(registered), to_f64(printed));
    let smaller = n.min(total - n);
    let is_enough = |printed: u64| to_f64(printed) / total * smaller >= MIN_EXPECTED;
    let sum = |group: &[usize]| {
        group.iter().fold((0, 0), |(printed, registered), &place| {
            (printed + cells[place].printed, registered + cells[place].registered)
        })
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut open = Vec::new();
    for place in (0..cells.len()).rev() {
        open.push(place);
        if is_enough(sum(&open).0) {
            groups.push(std::mem::take(&mut open));
        }
    }
    // If the most common rarities have too few copies, they are added to the last closed group.
    groups.last_mut()?.append(&mut open);
    let degrees_of_freedom =
        u32::try_from(groups.len()).ok()?.checked_sub(1).filter(|&df| df > 0)?;
    let pearson: f64 = groups
        .iter()
        .map(|group| {
            let (printed, registered) = sum(group);
            let expected = n * to_f64(printed) / total;
            (to_f64(registered) - expected).powi(2) / expected
        })
        .sum();
    let chi_square = pearson * (total - 1.0) / (total - n);
    for group in &mut groups {
        group.reverse();
    }
    groups.reverse();
    Some(Outcome {
        chi_square,
        degrees_of_freedom,
        p_value: upper_tail(chi_square, degrees_of_freedom),
        groups,
    })
}

/// Counts of copies are far below 2⁵³.
#[allow(clippy::cast_precision_loss, reason = "a run has at most ten million copies")]
fn to_f64(count: u64) -> f64 {
    count as f64
}

/// The probability that chi-square with these degrees of freedom is at least `x`; 1 without a degree of freedom, because there is nothing to
/// compare.
fn upper_tail(x: f64, degrees_of_freedom: u32) -> f64 {
    ChiSquared::new(f64::from(degrees_of_freedom)).map_or(1.0, |expected| expected.sf(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles from published tables.
    #[test]
    fn tails_match_published_tables() {
        for (x, df, p) in [
            (3.841, 1, 0.05),
            (6.635, 1, 0.01),
            (5.991, 2, 0.05),
            (16.266, 3, 0.001),
            (9.488, 4, 0.05),
            (11.070, 5, 0.05),
            (15.086, 5, 0.01),
            (1.145, 5, 0.95),
            (18.307, 10, 0.05),
            (30.578, 15, 0.01),
        ] {
            let tail = upper_tail(x, df);
            assert!((tail - p).abs() < p * 0.001 + 0.000_02, "{x} with {df}: {tail}, not {p}");
        }
        assert!((upper_tail(0.0, 5) - 1.0).abs() < 1e-12);
        assert!(upper_tail(1e6, 5) < 1e-12);
    }

    fn cells(printed: [u64; 6], registered: [u64; 6]) -> Vec<Cell> {
        let both = printed.into_iter().zip(registered);
        both.map(|(printed, registered)| Cell { printed, registered }).collect()
    }

    const PRINTED: [u64; 6] = [40_000, 20_000, 10_000, 4_000, 2_000, 1_000];

    #[test]
    fn an_announced_run_passes_the_test() {
        let fair = test(&cells(PRINTED, [400, 200, 100, 40, 20, 10])).unwrap();
        assert_eq!((fair.degrees_of_freedom, fair.groups.len()), (5, 6));
        assert!(fair.chi_square < 1e-9 && fair.p_value > 0.999, "{fair:?}");
    }

    #[test]
    fn another_run_fails_the_test() {
        // Computed by hand: sum of (o - e)²/e = 10²/400 + 0 + 0 + 10²/40 + … = 0.25 + 2.5 = 2.75, corrected by 76999/76230.
        let off = test(&cells(PRINTED, [390, 200, 100, 50, 20, 10])).unwrap();
        assert!((off.chi_square - 2.75 * 76_999.0 / 76_230.0).abs() < 1e-9, "{off:?}");
        let false_run = test(&cells(PRINTED, [460, 200, 90, 20, 0, 0])).unwrap();
        assert!(false_run.p_value < 1e-6, "{false_run:?}");
    }

    #[test]
    fn rarities_with_few_copies_are_combined_and_too_few_copies_give_no_result() {
        // Expected: 40, 20, 10, 4, 2, 1. The last three together are 7.
        let few = test(&cells(PRINTED, [41, 19, 10, 4, 2, 1])).unwrap();
        assert_eq!(few.groups, [vec![0], vec![1], vec![2], vec![3, 4, 5]]);
        assert_eq!(few.degrees_of_freedom, 3);
        assert_eq!(test(&cells(PRINTED, [4, 1, 0, 0, 0, 0])), None);
        assert_eq!(test(&cells(PRINTED, [0; 6])), None);
        assert_eq!(test(&cells(PRINTED, PRINTED)), None, "all are registered");
        assert_eq!(test(&[]), None);
    }

    #[test]
    fn unregistered_copies_count_when_nearly_all_are_registered() {
        let mut registered = PRINTED;
        registered[0] -= 400;
        // 400 copies are not registered, and all of them are common: this cannot be chance.
        let missing = test(&cells(PRINTED, registered)).unwrap();
        assert!(missing.p_value < 1e-6, "{missing:?}");
    }
}
