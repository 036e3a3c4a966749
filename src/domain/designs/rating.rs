//! Ratings of public designs on four criteria.

use chrono::{DateTime, TimeDelta, Utc};

/// Fewest points of a criterion.
pub const MIN_POINTS: i32 = 1;
/// Most points of a criterion.
pub const MAX_POINTS: i32 = 5;
/// How old an account must be before its ratings count. This delays the effect of accounts that are created only to rate a design.
pub const COUNTS_AFTER: TimeDelta = TimeDelta::days(3);

/// Points for each criterion, [`MIN_POINTS`] to [`MAX_POINTS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scores {
    /// Whether the design is fun to play.
    pub fun: i32,
    /// Whether the design is as strong as other cards of its kind.
    pub balance: i32,
    /// Whether name, text and mechanics fit each other.
    pub flavour: i32,
    /// Whether the effects are clear.
    pub clarity: i32,
}

impl Scores {
    /// The criteria, by name.
    pub fn by_name(self) -> [(&'static str, i32); 4] {
        [
            ("fun", self.fun),
            ("balance", self.balance),
            ("flavour", self.flavour),
            ("clarity", self.clarity),
        ]
    }

    /// Names of the criteria whose points are out of range.
    pub fn faults(self) -> impl Iterator<Item = &'static str> {
        let is_wrong = |points| !(MIN_POINTS..=MAX_POINTS).contains(&points);
        self.by_name()
            .into_iter()
            .filter(move |(_, points)| is_wrong(*points))
            .map(|(name, _)| name)
    }
}

/// The time from which the ratings of an account count that was created at `account_since`.
pub fn counts_from(account_since: DateTime<Utc>) -> DateTime<Utc> {
    account_since + COUNTS_AFTER
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_criterion_out_of_range_is_named() {
        let scores = Scores { fun: 0, balance: 1, flavour: 5, clarity: 6 };
        assert_eq!(scores.faults().collect::<Vec<_>>(), ["fun", "clarity"]);
    }
}
