//! How many matching cards are wanted.

use serde::Serialize;

/// A span of numbers of matching cards, both ends included. Nothing is in a span whose end is before its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MatchCount {
    /// Fewest.
    pub min: u64,
    /// Most; `None`: any number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
}

impl MatchCount {
    /// `min` or more.
    pub fn at_least(min: u64) -> Self {
        Self { min, max: None }
    }

    /// Exactly `count`.
    pub fn exactly(count: u64) -> Self {
        Self { min: count, max: Some(count) }
    }

    /// `max` or fewer.
    pub fn at_most(max: u64) -> Self {
        Self { min: 0, max: Some(max) }
    }
}
