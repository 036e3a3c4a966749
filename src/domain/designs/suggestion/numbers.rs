//! Suggests numbers that have a total: the remainder of the total is split in the way that is usual for such cards.

use cardscape_engine::{AttributeValue, CardCheck, PrintingCheck, PrintingDefinition, split_total};
use serde_json::Value;

use super::{Draft, UnfilledReason, attribute_pointer};

/// Sizes of steps that give round numbers, the largest first.
const STEPS: [i64; 6] = [100, 50, 25, 10, 5, 2];
/// A total must be at least this many steps.
const FEWEST_STEPS: i64 = 20;

/// An attribute with its lowest and highest allowed value.
type Bounded<'a> = (&'a String, i64, i64);

/// The remainder of a total.
struct Rest<'a> {
    total: i64,
    /// The total minus the existing numbers.
    remaining: i128,
    /// The missing attributes, which share the remainder, each once.
    open: Vec<Bounded<'a>>,
}

impl Rest<'_> {
    /// Whether the missing attributes can have this remainder as their sum.
    fn is_possible(&self) -> bool {
        let sum = |number: fn(&Bounded<'_>) -> i64| -> i128 {
            self.open.iter().map(|part| i128::from(number(part))).sum()
        };
        self.open.iter().all(|(_, low, high)| low <= high)
            && (sum(|(_, low, _)| *low)..=sum(|(_, _, high)| *high)).contains(&self.remaining)
    }
}

impl<'a> Draft<'a> {
    /// The attributes that get their values from a total.
    pub(super) fn shared_by_totals(&self) -> Vec<&'a String> {
        let with_total = self.kind.checks.iter().filter(|check| match &check.check {
            // The deciding attribute may still be missing, so the total need not be known yet.
            PrintingCheck::Total { of, .. } => !self.has_gap(of),
            check => self.base_total(check).is_some(),
        });
        with_total.flat_map(|check| check.check.of()).collect()
    }

    /// Whether one of the attributes is optional and missing; then the attributes have no total.
    fn has_gap(&self, of: &[String]) -> bool {
        of.iter().any(|name| {
            let optional = self.kind.attributes.get(name).is_some_and(|known| known.optional);
            optional && !self.card.attributes.contains_key(name)
        })
    }

    /// The total that a check requires of the card's own numbers. For a gain, it is known only from an author's printing that has all numbers.
    fn base_total(&self, check: &PrintingCheck) -> Option<i64> {
        if self.has_gap(check.of()) {
            return None;
        }
        match check {
            PrintingCheck::Gain { of, rarity_bonus, .. } => {
                self.higher_printings().find_map(|printing| {
                    let number = |name: &String| printing.attributes.get(name)?.as_i64();
                    let sum = of
                        .iter()
                        .try_fold(0_i64, |sum, name| Some(sum.saturating_add(number(name)?)))?;
                    let gain = rarity_bonus.get(&printing.rarity).copied().unwrap_or_default();
                    Some(sum.saturating_sub(gain))
                })
            }
            check => check.total(&self.card, &self.game.base_rarity().code),
        }
    }

    /// The author's printings above the base printing.
    fn higher_printings(&self) -> impl Iterator<Item = &PrintingDefinition> {
        let base = &self.game.base_rarity().code;
        self.card.printings.iter().filter(move |printing| printing.rarity != *base)
    }

    /// The bounds of a number of the card, from its type and from the gains that the numbers in the author's printings allow.
    pub(super) fn bounds(&self, name: &str) -> (i64, i64) {
        let (mut low, mut high) = self.bounds_of_type(name);
        for check in &self.kind.checks {
            let PrintingCheck::Gain { of, rarity_bonus, each_at_least } = &check.check else {
                continue;
            };
            if !of.iter().any(|one| one == name) {
                continue;
            }
            let others = i64::try_from(of.len() - 1).unwrap_or(i64::MAX);
            for printing in self.higher_printings() {
                let number = printing.attributes.get(name).and_then(Value::as_i64);
                let Some(number) = number else { continue };
                let gain = rarity_bonus.get(&printing.rarity).copied().unwrap_or_default();
                let most = gain.saturating_sub(each_at_least.saturating_mul(others));
                low = low.max(number.saturating_sub(most));
                high = high.min(number.saturating_sub(*each_at_least));
            }
        }
        (low, high)
    }

    fn bounds_of_type(&self, name: &str) -> (i64, i64) {
        match self.kind.attributes.get(name).map(|attribute| &attribute.value) {
            Some(AttributeValue::Integer { min, max }) => {
                (min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX))
            }
            _ => (i64::MIN, i64::MAX),
        }
    }

    /// The remainder of a total when some of the numbers exist. `None`: an existing value is not a number.
    fn rest<'v>(
        of: &'a [String],
        total: i64,
        value: impl Fn(&str) -> Option<&'v Value>,
        bounds: impl Fn(&str) -> (i64, i64),
    ) -> Option<Rest<'a>> {
        let (mut rest, mut open) = (i128::from(total), Vec::<Bounded<'a>>::new());
        for name in of {
            match value(name) {
                Some(value) => rest -= i128::from(value.as_i64()?),
                None if open.iter().any(|(known, ..)| *known == name) => {}
                None => {
                    let (low, high) = bounds(name);
                    open.push((name, low, high));
                }
            }
        }
        Some(Rest { total, remaining: rest, open })
    }

    /// The remainder for the card's own numbers. `None`: the check requires no total, or an existing value is not a number.
    fn base_rest(&self, check: &'a CardCheck) -> Option<Rest<'a>> {
        let total = self.base_total(&check.check)?;
        let value = |name: &str| self.card.attributes.get(name);
        Self::rest(check.check.of(), total, value, |name| self.bounds(name))
    }

    /// How many of the totals that this attribute decides can no longer be reached, counting the card and the author's printings.
    pub(super) fn total_obstacles(&self, code: &str) -> usize {
        let decided = self.kind.checks.iter().filter(
            |check| matches!(&check.check, PrintingCheck::Total { by: Some(by), .. } if by == code),
        );
        let count = |check: &'a CardCheck| {
            let of_printings = self.higher_printings().filter_map(|printing| {
                let total = check.check.total(&self.card, &printing.rarity)?;
                let varies = |name: &str| {
                    self.kind.attributes.get(name).is_some_and(|known| known.per_printing)
                };
                let value = |name: &str| {
                    let own = || self.card.attributes.get(name).filter(|_| !varies(name));
                    printing.attributes.get(name).or_else(own)
                };
                Self::rest(check.check.of(), total, value, |name| self.bounds_of_type(name))
            });
            let all = of_printings.chain(self.base_rest(check));
            all.filter(|rest| !rest.is_possible()).count()
        };
        decided.map(count).sum()
    }

    /// Splits the remainder of a check's total among the missing attributes: by the first tendency that fits the card, or else evenly; for a gain, in the
    /// proportions of an existing printing.
    pub(super) fn split(&mut self, check: &'a CardCheck) {
        let Some(left) = self.base_rest(check) else { return };
        let of = check.check.of();
        if left.open.is_empty() {
            return;
        }
        if !left.is_possible() {
            let Rest { total, remaining: rest, open } = left;
            for (name, ..) in open {
                let reason = UnfilledReason::NoShare { of: of.to_vec(), total, rest };
                self.cannot(attribute_pointer("", name), reason);
            }
            return;
        }
        let own_shares = match &check.check {
            PrintingCheck::Gain { .. } => self.shares_of_printing(of),
            _ => self.game.design_guide().shares(&self.card, of),
        };
        let share = |name: &String| {
            let at = of.iter().position(|one| one == name)?;
            own_shares.as_ref()?.get(at).copied()
        };
        let shares: Vec<u32> =
            left.open.iter().map(|(name, ..)| share(name).unwrap_or(1)).collect();
        let rest = i64::try_from(left.remaining).unwrap_or(i64::MAX);
        let parts = round_split(rest, &shares);
        for ((name, ..), value) in left.open.iter().zip(within_bounds(parts, &left)) {
            self.set_attribute(name, Value::from(value));
        }
    }

    /// The numbers of the author's first printing that has all of these attributes, as shares.
    fn shares_of_printing(&self, of: &[String]) -> Option<Vec<u32>> {
        self.higher_printings().find_map(|printing| {
            let share = |name: &String| {
                let number = printing.attributes.get(name)?.as_i64()?.max(0);
                Some(u32::try_from(number).unwrap_or(u32::MAX))
            };
            of.iter().map(share).collect()
        })
    }
}

/// Splits a total by shares in round numbers: with the exact shares if some step gives them, else with the largest step that divides the total into enough
/// steps.
fn round_split(total: i64, shares: &[u32]) -> Vec<i64> {
    let divides = |step: &i64| total % step == 0 && step * FEWEST_STEPS <= total;
    let splits = STEPS.into_iter().filter(divides).map(|step| split_total(total, shares, step));
    let splits: Vec<Vec<i64>> = splits.collect();
    let fair = split_total(total, shares, 1);
    if splits.contains(&fair) { fair } else { splits.into_iter().next().unwrap_or(fair) }
}

/// Limits the parts to their bounds. The first parts with room take the difference.
fn within_bounds(mut parts: Vec<i64>, left: &Rest<'_>) -> Vec<i64> {
    for (part, (_, low, high)) in parts.iter_mut().zip(&left.open) {
        *part = (*part).clamp(*low, *high);
    }
    let mut rest = left.remaining - parts.iter().map(|part| i128::from(*part)).sum::<i128>();
    for (part, (_, low, high)) in parts.iter_mut().zip(&left.open) {
        let (value, low, high) = (i128::from(*part), i128::from(*low), i128::from(*high));
        let moved = (value + rest).clamp(low, high);
        rest -= moved - value;
        *part = i64::try_from(moved).unwrap_or(*part);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_split_in_round_numbers() {
        assert_eq!(round_split(500, &[65, 35]), [325, 175]);
        assert_eq!(round_split(2_500, &[1, 1]), [1_250, 1_250]);
        assert_eq!(round_split(1_000, &[1, 1, 1]), [350, 350, 300]);
        assert_eq!(round_split(7, &[2, 1]), [5, 2]);
        assert_eq!(round_split(-7, &[2, 1]), [0, 0]);
    }

    #[test]
    fn other_parts_take_what_exceeds_the_bounds_of_one() {
        let names = ["a".to_owned(), "b".to_owned(), "c".to_owned()];
        let split = |rest: i128, parts: [i64; 3], bounds: [(i64, i64); 3]| {
            let open = names.iter().zip(bounds).map(|(name, (low, high))| (name, low, high));
            within_bounds(parts.to_vec(), &Rest { total: 0, remaining: rest, open: open.collect() })
        };
        assert_eq!(split(90, [30, 30, 30], [(0, 99); 3]), [30, 30, 30]);
        assert_eq!(split(90, [30, 30, 30], [(0, 10), (0, 40), (0, 99)]), [10, 40, 40]);
        assert_eq!(split(90, [0, 45, 45], [(20, 99), (0, 99), (0, 99)]), [20, 25, 45]);
        let unbounded = (i64::MIN, i64::MAX);
        assert_eq!(split(-90, [0, 0, 0], [unbounded; 3]), [-90, 0, 0]);
    }
}
