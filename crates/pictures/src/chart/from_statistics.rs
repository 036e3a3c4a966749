//! Charts from the statistics of a deck.

use std::borrow::Cow;

use cardscape_engine::Distribution;
use serde_json::Value;

use super::input::{CurveChart, OtherShares, ShareBar, SharesChart};
use crate::from_game::titled;

impl<'a> CurveChart<'a> {
    /// The curve of an attribute. Copies whose value is not a whole number count as copies without a value. If no copy has
    /// a number, the curve has no bars.
    pub fn from_distribution(
        title: impl Into<Cow<'a, str>>,
        axis: impl Into<Cow<'a, str>>,
        distribution: &Distribution,
    ) -> Self {
        let numbers = distribution.numbers.as_ref();
        let copies = numbers.map_or(0, |numbers| numbers.copies);
        let curve = numbers.map(|numbers| &numbers.curve[..]).unwrap_or_default();
        let others = distribution.with_value.saturating_sub(copies);
        Self {
            title: title.into(),
            axis: axis.into(),
            first: curve.first().map_or(0, |bar| bar.value),
            counts: curve.iter().map(|bar| bar.copies).collect(),
            fewer: numbers.map_or(0, |numbers| numbers.below),
            more: numbers.map_or(0, |numbers| numbers.above),
            without: distribution.without.saturating_add(others),
            unclear: distribution.unclear,
        }
    }
}

impl<'a> SharesChart<'a> {
    /// The shares of the values of an attribute, of kinds, sets or rarities. `name` returns the name of a value that is a
    /// code, for example of a set; for `None`, the code is written as words (`boost_attack` as `Boost Attack`).
    pub fn from_distribution(
        title: impl Into<Cow<'a, str>>,
        distribution: &Distribution,
        name: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let Distribution { with_value, without, unclear, .. } = *distribution;
        let bars = distribution.values.iter().map(|share| {
            let (label, theme) = match &share.value {
                Value::String(code) => (name(code).unwrap_or_else(|| titled(code)), code.clone()),
                Value::Bool(yes) => (if *yes { "Yes" } else { "No" }.to_owned(), String::new()),
                // Numbers, in their JSON form; no other types occur.
                other => (other.to_string(), String::new()),
            };
            ShareBar { label: label.into(), copies: share.copies, theme: theme.into() }
        });
        let other = distribution.other.as_ref();
        Self {
            title: title.into(),
            bars: bars.collect(),
            other: other.map_or(OtherShares::default(), |other| OtherShares {
                values: other.values,
                copies: other.copies,
            }),
            total: with_value.saturating_add(without).saturating_add(unclear),
            without,
            unclear,
        }
    }
}
