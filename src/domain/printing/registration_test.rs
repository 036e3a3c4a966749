//! Whether the copies that players registered look like the run that was announced: a chi-square test.
//!
//! Registered copies are compared with what was printed in each rarity (Pearson's statistic). Copies are drawn without putting them
//! back, so the statistic is multiplied by (N − 1) / (N − n) for n registered copies of N printed ones; without that, a wrong run would look
//! better and better the more of it is registered. Rarities of which fewer than five copies are expected, registered or not yet
//! registered, are taken together with their neighbours from the rarest on, as the test wants it.
//!
//! It is a hint and no proof: registering is voluntary, and whoever registers rare cards sooner than common ones makes a true run
//! look false.

use statrs::distribution::{ChiSquared, ContinuousCDF as _};

/// A rarity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Copies that were printed.
    pub printed: u64,
    /// Copies that are registered.
    pub registered: u64,
}

impl Cell {
    /// How many of `registered` copies should be of this rarity when `printed` were printed in all.
    pub fn expected(&self, registered: u64, printed: u64) -> f64 {
        if printed == 0 { 0.0 } else { to_f64(registered) * to_f64(self.printed) / to_f64(printed) }
    }
}

/// Outcome of the test.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Pearson's statistic, corrected for the size of the run.
    pub chi_square: f64,
    /// Groups of rarities less one.
    pub degrees_of_freedom: u32,
    /// How likely a true run is to look at least as far off.
    pub p_value: f64,
    /// The rarities that were taken together, by their places.
    pub groups: Vec<Vec<usize>>,
}

/// Fewest expected copies of a group.
const MIN_EXPECTED: f64 = 5.0;

/// Tests rarities in the order from the most common. `None`: too few copies are registered, or too few are left, to tell.
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
    // The most common ones, should they be too few: with the neighbours that were closed last.
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

/// The chance that chi-square with so many degrees of freedom is at least `x`; 1 without any degree of freedom, where there is
/// nothing to compare.
fn upper_tail(x: f64, degrees_of_freedom: u32) -> f64 {
    ChiSquared::new(f64::from(degrees_of_freedom)).map_or(1.0, |expected| expected.sf(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles as printed tables give them.
    #[test]
    fn tails_are_those_of_the_tables() {
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
    fn what_was_announced_looks_like_it() {
        let fair = test(&cells(PRINTED, [400, 200, 100, 40, 20, 10])).unwrap();
        assert_eq!((fair.degrees_of_freedom, fair.groups.len()), (5, 6));
        assert!(fair.chi_square < 1e-9 && fair.p_value > 0.999, "{fair:?}");
    }

    #[test]
    fn another_run_does_not() {
        // By hand: sum of (o - e)²/e = 10²/400 + 0 + 0 + 10²/40 + … = 0.25 + 2.5 = 2.75 and so on, corrected by 76999/76230.
        let off = test(&cells(PRINTED, [390, 200, 100, 50, 20, 10])).unwrap();
        assert!((off.chi_square - 2.75 * 76_999.0 / 76_230.0).abs() < 1e-9, "{off:?}");
        let false_run = test(&cells(PRINTED, [460, 200, 90, 20, 0, 0])).unwrap();
        assert!(false_run.p_value < 1e-6, "{false_run:?}");
    }

    #[test]
    fn few_copies_are_taken_together_and_too_few_tell_nothing() {
        // Expected: 40, 20, 10, 4, 2, 1. The last three make 7.
        let few = test(&cells(PRINTED, [41, 19, 10, 4, 2, 1])).unwrap();
        assert_eq!(few.groups, [vec![0], vec![1], vec![2], vec![3, 4, 5]]);
        assert_eq!(few.degrees_of_freedom, 3);
        assert_eq!(test(&cells(PRINTED, [4, 1, 0, 0, 0, 0])), None);
        assert_eq!(test(&cells(PRINTED, [0; 6])), None);
        assert_eq!(test(&cells(PRINTED, PRINTED)), None, "all are registered");
        assert_eq!(test(&[]), None);
    }

    #[test]
    fn nearly_all_copies_are_told_by_those_that_are_missing() {
        let mut registered = PRINTED;
        registered[0] -= 400;
        // 400 are missing, all of them common: no chance.
        let missing = test(&cells(PRINTED, registered)).unwrap();
        assert!(missing.p_value < 1e-6, "{missing:?}");
    }
}
