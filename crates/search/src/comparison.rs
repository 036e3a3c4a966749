//! Comparisons of a value with another value, or with the two ends of a range.

use super::syntax::Operator;

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison<T> {
    /// With one value.
    Is(Operator, T),
    /// With a lower and a higher end, both included.
    Between(T, T),
}

impl<T> Comparison<T> {
    /// The same comparison with other values.
    pub fn map<U>(self, mut value: impl FnMut(T) -> U) -> Comparison<U> {
        match self {
            Self::Is(operator, one) => Comparison::Is(operator, value(one)),
            Self::Between(low, high) => Comparison::Between(value(low), value(high)),
        }
    }

    /// The same comparison with converted values.
    ///
    /// # Errors
    /// The error of the first value that cannot be converted.
    pub fn try_map<U, E>(
        self,
        mut value: impl FnMut(T) -> Result<U, E>,
    ) -> Result<Comparison<U>, E> {
        Ok(match self {
            Self::Is(operator, one) => Comparison::Is(operator, value(one)?),
            Self::Between(low, high) => Comparison::Between(value(low)?, value(high)?),
        })
    }
}

impl<T: Ord> Comparison<T> {
    /// Whether a value satisfies the comparison.
    pub fn holds(&self, value: &T) -> bool {
        match self {
            Self::Is(operator, one) => match operator {
                Operator::Has | Operator::Equal => value == one,
                Operator::NotEqual => value != one,
                Operator::Less => value < one,
                Operator::AtMost => value <= one,
                Operator::Greater => value > one,
                Operator::AtLeast => value >= one,
            },
            Self::Between(low, high) => (low..=high).contains(&value),
        }
    }
}
