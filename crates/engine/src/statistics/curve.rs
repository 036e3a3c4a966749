//! Numbers of cards: curve, mean and median.

use std::collections::BTreeMap;

use serde::Serialize;

/// The whole numbers of some copies; never none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct NumberSummary {
    /// Copies that have a number.
    pub copies: u64,
    /// The smallest number.
    pub min: i64,
    /// The largest number.
    pub max: i64,
    /// The mean over copies: the exact sum divided by the copies, rounded as numbers of 64 bits are.
    #[cfg_attr(feature = "openapi", schema(example = 1.5))]
    pub mean: f64,
    /// The middle copy's number; between two middle copies, their mean.
    #[cfg_attr(feature = "openapi", schema(example = 1.0))]
    pub median: f64,
    /// Copies of every whole number in a span, also of those that no copy has. The span is from `min` to `max`; where that is longer than
    /// [`Self::BARS_MAX`], it is the span of this length with the most copies (of equal ones the lowest) from the first number that a copy has.
    pub curve: Vec<CurveBar>,
    /// Copies below the span.
    pub below: u64,
    /// Copies above the span.
    pub above: u64,
}

/// One number of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct CurveBar {
    /// The number.
    pub value: i64,
    /// Copies that have it.
    pub copies: u64,
}

impl NumberSummary {
    /// Maximum number of bars of a curve.
    pub const BARS_MAX: u32 = 50;

    pub(super) fn of(numbers: &BTreeMap<i64, u64>) -> Option<Self> {
        let (min, max) = (*numbers.keys().next()?, *numbers.keys().next_back()?);
        let copies = sum(numbers.values());
        let (start, end) = span(numbers, min, max);
        let curve = (start..=end)
            .map(|value| CurveBar { value, copies: numbers.get(&value).copied().unwrap_or(0) });
        Some(Self {
            copies,
            min,
            max,
            mean: mean(numbers, copies),
            median: median(numbers, copies),
            curve: curve.collect(),
            below: sum(numbers.range(..start).map(|(_, copies)| copies)),
            above: end.checked_add(1).map_or(0, |next| sum(numbers.range(next..).map(|(_, n)| n))),
        })
    }
}

/// First and last number of the curve.
fn span(numbers: &BTreeMap<i64, u64>, min: i64, max: i64) -> (i64, i64) {
    let length = i64::from(NumberSummary::BARS_MAX) - 1;
    if min.saturating_add(length) >= max {
        return (min, max);
    }
    let mut best = (0, min);
    let mut inside: u64 = 0;
    let mut ahead = numbers.iter().peekable();
    for (start, copies) in numbers {
        let end = start.saturating_add(length);
        while let Some((_, more)) = ahead.next_if(|(value, _)| **value <= end) {
            inside = inside.saturating_add(*more);
        }
        if inside > best.0 {
            best = (inside, *start);
        }
        inside = inside.saturating_sub(*copies);
    }
    (best.1, best.1.saturating_add(length).min(max))
}

fn mean(numbers: &BTreeMap<i64, u64>, copies: u64) -> f64 {
    // One number can add up to 2⁶³ · 2⁶⁴, so that sums may not fit; then they saturate.
    let sum = numbers.iter().fold(0_i128, |sum, (value, copies)| {
        sum.saturating_add(i128::from(*value).saturating_mul(i128::from(*copies)))
    });
    rounded(sum) / rounded(copies.into())
}

fn median(numbers: &BTreeMap<i64, u64>, copies: u64) -> f64 {
    let at = |place: u64| {
        let mut passed: u64 = 0;
        let found = numbers.iter().find(|(_, copies)| {
            passed = passed.saturating_add(**copies);
            passed > place
        });
        found.map_or(0, |(value, _)| i128::from(*value))
    };
    rounded(at(copies.saturating_sub(1) / 2) + at(copies / 2)) / 2.0
}

fn sum<'a>(copies: impl Iterator<Item = &'a u64>) -> u64 {
    copies.fold(0, |sum, copies| sum.saturating_add(*copies))
}

#[expect(clippy::cast_precision_loss, reason = "rounded as documented")]
fn rounded(number: i128) -> f64 {
    number as f64
}
