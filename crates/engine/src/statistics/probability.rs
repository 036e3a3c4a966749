//! Probabilities, with exact fractions if these fit into 128 bits.

use serde::{Serialize, Serializer};

/// A probability.
///
/// Where the fraction is there, it is exact, and `value` is its division (three roundings). Where it is not, `value` is within the bound of
/// [`Hypergeometric`](super::Hypergeometric).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Probability {
    /// From 0 to 1.
    #[cfg_attr(feature = "openapi", schema(example = 0.4))]
    pub value: f64,
    /// The exact fraction in lowest terms; absent when it needs more than 128 bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fraction: Option<Fraction>,
}

/// A fraction in lowest terms; serialised with both numbers as decimal text, as they can be larger than numbers of JSON programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Fraction {
    /// Above the line.
    #[serde(serialize_with = "decimal")]
    #[cfg_attr(feature = "openapi", schema(value_type = String, example = "2"))]
    pub numerator: u128,
    /// Below the line; at least 1.
    #[serde(serialize_with = "decimal")]
    #[cfg_attr(feature = "openapi", schema(value_type = String, example = "5"))]
    pub denominator: u128,
}

impl Probability {
    /// The probability 0.
    pub(super) const NEVER: Self =
        Self { value: 0.0, fraction: Some(Fraction { numerator: 0, denominator: 1 }) };

    /// A probability without a fraction. At most 1, because roundings can exceed it.
    pub(super) fn rounded(value: f64) -> Self {
        Self { value: value.min(1.0), fraction: None }
    }

    pub(super) fn exact(fraction: Fraction) -> Self {
        Self { value: fraction.value(), fraction: Some(fraction) }
    }
}

impl Fraction {
    /// The fraction of two numbers, in lowest terms; `None` when the denominator is 0.
    pub fn new(numerator: u128, denominator: u128) -> Option<Self> {
        let shared = greatest_common_divisor(numerator, denominator);
        (denominator > 0)
            .then(|| Self { numerator: numerator / shared, denominator: denominator / shared })
    }

    /// The nearest number of 64 bits, up to three roundings.
    pub fn value(self) -> f64 {
        wide(self.numerator) / wide(self.denominator)
    }

    /// One minus the fraction; `None` if the fraction is above 1.
    pub(super) fn complement(self) -> Option<Self> {
        let numerator = self.denominator.checked_sub(self.numerator)?;
        Some(Self { numerator, ..self })
    }

    pub(super) fn times(self, other: Self) -> Option<Self> {
        // Reduced crosswise before multiplying, so that a product that fits in lowest terms never overflows.
        let across = Self::new(self.numerator, other.denominator)?;
        let back = Self::new(other.numerator, self.denominator)?;
        Some(Self {
            numerator: across.numerator.checked_mul(back.numerator)?,
            denominator: across.denominator.checked_mul(back.denominator)?,
        })
    }
}

/// Zero when both numbers are.
pub(super) fn greatest_common_divisor(mut left: u128, mut right: u128) -> u128 {
    while right > 0 {
        (left, right) = (right, left % right);
    }
    left
}

/// Exact up to 2⁵³; the numbers of decks are far below that.
#[expect(clippy::cast_precision_loss, reason = "rounded as documented")]
pub(super) fn float(number: u64) -> f64 {
    number as f64
}

#[expect(clippy::cast_precision_loss, reason = "rounded as documented")]
fn wide(number: u128) -> f64 {
    number as f64
}

fn decimal<S: Serializer>(number: &u128, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}
