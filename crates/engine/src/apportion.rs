//! Whole numbers split in proportion, without loss: the method of largest remainders.

/// One of the parts that a number is split into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// Value before the difference to the total is spread.
    pub(crate) start: i128,
    /// Share of the difference to the total, relative to the weights of the other parts.
    pub(crate) weight: u64,
    /// Smallest value allowed.
    pub(crate) low: i128,
    /// Largest value allowed.
    pub(crate) high: i128,
}

/// Splits `total` in proportion to the weights: each part is rounded down, and the rest goes in units of 1 to the parts with the largest remainders,
/// the earlier part first if remainders are equal. If all weights are 0, they count as equal. Without weights the result is empty.
pub(crate) fn apportion(total: u128, weights: &[u64]) -> Vec<u128> {
    let mut weights: Vec<u128> = weights.iter().map(|weight| u128::from(*weight)).collect();
    let mut sum: u128 = weights.iter().sum();
    if sum == 0 {
        weights.fill(1);
        sum = weights.len() as u128;
    }
    // Halves the weights until the products cannot overflow: the last digits of very large weights do not matter.
    while sum > u128::from(u32::MAX) {
        for weight in &mut weights {
            *weight = weight.div_ceil(2);
        }
        let halved = weights.iter().sum();
        if halved == sum {
            break;
        }
        sum = halved;
    }
    let Some(quotient) = total.checked_div(sum) else { return Vec::new() };
    // The quotient is multiplied on its own, so that the other product is small: it has only the remainder.
    let rest = total % sum;
    let mut parts: Vec<u128> =
        weights.iter().map(|weight| quotient * weight + rest * weight / sum).collect();
    let mut by_remainder: Vec<usize> = (0..parts.len()).collect();
    by_remainder.sort_by_key(|&at| std::cmp::Reverse(rest * weights[at] % sum));
    let assigned: u128 = parts.iter().sum();
    let units_left = usize::try_from(total - assigned).unwrap_or(usize::MAX);
    for at in by_remainder.into_iter().take(units_left) {
        parts[at] += 1;
    }
    parts
}

/// Values of the parts that add up to `total`: each part begins at its start, and the difference is spread by weight. A part stops at its bounds, and
/// the other parts take what it cannot. If the bounds make `total` impossible, the values stay within the bounds and do not add up to it.
pub(crate) fn apportion_within(total: i128, parts: &[Part]) -> Vec<i128> {
    let mut values: Vec<i128> =
        parts.iter().map(|part| part.start.min(part.high).max(part.low)).collect();
    let mut unfilled: Vec<usize> = (0..parts.len()).collect();
    let mut rest = total.saturating_sub(values.iter().sum());
    while rest != 0 && !unfilled.is_empty() {
        let weights: Vec<u64> = unfilled.iter().map(|&at| parts[at].weight).collect();
        let shares = apportion(rest.unsigned_abs(), &weights);
        let capacity = |at: usize| {
            let (low, high) =
                if rest > 0 { (values[at], parts[at].high) } else { (parts[at].low, values[at]) };
            high.saturating_sub(low).max(0).unsigned_abs()
        };
        let changes: Vec<(usize, u128, bool)> = unfilled
            .iter()
            .zip(shares)
            .map(|(&at, share)| (at, share.min(capacity(at)), share > capacity(at)))
            .collect();
        let is_full = changes.iter().any(|(_, _, full)| *full);
        let sign = rest.signum();
        for (at, amount, full) in changes {
            // If a part reaches its bound, the other parts wait for the next round: there they share what it could not take.
            if full || !is_full {
                let amount = i128::try_from(amount).unwrap_or(i128::MAX);
                values[at] = values[at].saturating_add(sign * amount);
                rest -= sign * amount;
            }
            if full {
                unfilled.retain(|one| *one != at);
            }
        }
    }
    values
}

/// Splits a total by shares, in the method of largest remainders: ties go to the first.
///
/// All parts are multiples of `step`, but the last part that has a share also takes the remainder `total % step`. The parts add up to the total, none
/// is below 0, and a part without a share is 0. A total below 0 counts as 0 and a step below 1 as 1; where all shares are 0, they are equal.
///
/// ```
/// use cardscape_engine::split_total;
///
/// assert_eq!(split_total(1000, &[65, 35], 25), [650, 350]);
/// assert_eq!(split_total(500, &[65, 35], 10), [330, 170]);
/// assert_eq!(split_total(510, &[1, 1, 1], 25), [175, 175, 160]);
/// assert_eq!(split_total(7, &[0, 1], 5), [0, 7]);
/// ```
pub fn split_total(total: i64, shares: &[u32], step: i64) -> Vec<i64> {
    let (total, step) = (total.max(0), step.max(1));
    let weights: Vec<u64> = shares.iter().map(|share| u64::from(*share)).collect();
    let steps = apportion(u128::from((total / step).unsigned_abs()), &weights);
    let mut parts: Vec<i64> = steps
        .into_iter()
        .map(|steps| i64::try_from(steps).map_or(0, |steps| steps * step))
        .collect();
    let last = shares.iter().rposition(|share| *share > 0).or(shares.len().checked_sub(1));
    if let Some(last) = last {
        parts[last] += total % step;
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn nothing_is_lost_and_all_parts_are_near_their_share(
            total in 0..=u128::from(u64::MAX), weights in prop::collection::vec(0_u64..1000, 1..6),
        ) {
            let parts = apportion(total, &weights);
            prop_assert_eq!(parts.iter().sum::<u128>(), total);
            let sum = u128::from(weights.iter().sum::<u64>());
            for (part, weight) in parts.iter().zip(weights).filter(|_| sum > 0) {
                prop_assert!((part * sum).abs_diff(total * u128::from(weight)) < sum);
            }
        }

        #[test]
        fn any_weights_and_totals_are_accepted(total: u128, weights in prop::collection::vec(any::<u64>(), 0..6)) {
            let parts = apportion(total / 1_000_000, &weights);
            prop_assert_eq!(parts.iter().sum::<u128>(), if weights.is_empty() { 0 } else { total / 1_000_000 });
        }

        #[test]
        fn bounds_hold_and_the_total_is_reached_if_possible(
            total in -300_i128..300,
            parts in prop::collection::vec((-50_i128..50, 0_u64..9, -50_i128..20, 0_i128..70), 0..5),
        ) {
            let parts: Vec<Part> = parts
                .into_iter()
                .map(|(start, weight, low, width)| Part { start, weight, low, high: low + width })
                .collect();
            let values = apportion_within(total, &parts);
            for (value, part) in values.iter().zip(&parts) {
                prop_assert!((part.low..=part.high).contains(value));
            }
            let least: i128 = parts.iter().map(|part| part.low).sum();
            let most: i128 = parts.iter().map(|part| part.high).sum();
            prop_assert_eq!(values.iter().sum::<i128>(), total.clamp(least, most));
        }

        #[test]
        fn splits_are_exact_and_in_steps(
            total: i64, shares in prop::collection::vec(any::<u32>(), 1..5), step in -3_i64..60,
        ) {
            let parts = split_total(total, &shares, step);
            prop_assert_eq!(parts.iter().map(|part| i128::from(*part)).sum::<i128>(), i128::from(total.max(0)));
            prop_assert!(parts.iter().all(|part| *part >= 0));
            let uneven = parts.iter().filter(|part| **part % step.max(1) != 0).count();
            prop_assert!(uneven <= 1);
        }
    }

    #[test]
    fn without_shares_the_result_is_empty() {
        assert_eq!(split_total(100, &[], 5), Vec::<i64>::new());
        assert_eq!(split_total(100, &[0, 0], 5), [50, 50]);
        assert_eq!(split_total(-100, &[1, 2], 5), [0, 0]);
    }
}
