//! Trades: what may be offered, for how long, and to whom.

use std::collections::BTreeSet;

use chrono::Duration;
use serde::Deserialize;

use crate::domain::ids::CopyId;

/// Most copies that one side gives.
pub const MAX_COPIES: usize = 50;

/// Most open offers that an account has made.
pub const MAX_OPEN_TRADES: i64 = 100;

/// Longest message of an offer, in characters.
pub const MAX_MESSAGE: usize = 500;

/// Shortest and longest life of an offer, in hours: an hour to ninety days.
pub const LIFETIME_HOURS: std::ops::RangeInclusive<u16> = 1..=2160;

/// Life of an offer that does not say, in hours: fourteen days.
pub const DEFAULT_LIFETIME_HOURS: u16 = 336;

/// Offers that came to nothing are kept this long for the two to look at.
pub const KEPT_AFTER_CLOSE: Duration = Duration::days(90);

/// How far an offer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TradeState {
    /// The other side has not answered.
    Open,
    /// Agreed: the copies changed hands.
    Accepted,
    /// The other side does not want it.
    Declined,
    /// The one who offered took it back.
    Cancelled,
    /// The other side made an offer of her own instead.
    Countered,
    /// When it was accepted, a copy or the other side was gone.
    Lapsed,
    /// Its time was over.
    Expired,
}

impl TradeState {
    /// All states.
    pub const ALL: [Self; 7] = [
        Self::Open,
        Self::Accepted,
        Self::Declined,
        Self::Cancelled,
        Self::Countered,
        Self::Lapsed,
        Self::Expired,
    ];

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Accepted => "accepted",
            Self::Declined => "declined",
            Self::Cancelled => "cancelled",
            Self::Countered => "countered",
            Self::Lapsed => "lapsed",
            Self::Expired => "expired",
        }
    }

    /// The state of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// On which side of an offer somebody stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TradeRole {
    /// Made it.
    Offerer,
    /// Is asked.
    Recipient,
}

impl TradeRole {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Offerer => "offerer",
            Self::Recipient => "recipient",
        }
    }
}

/// Who may send an account offers, and see its copies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trading {
    /// Nobody.
    Closed,
    /// Whoever knows the account's name may send offers; its copies are its own business.
    #[default]
    Offers,
    /// Other players may also list its copies, and ask for any of them.
    Public,
}

impl Trading {
    /// All settings.
    pub const ALL: [Self; 3] = [Self::Closed, Self::Offers, Self::Public];

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Offers => "offers",
            Self::Public => "public",
        }
    }

    /// The setting of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|trading| trading.as_str() == name)
    }
}

/// One side of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TradeSide {
    /// What the one who offers gives.
    Give,
    /// What she asks for.
    Want,
}

impl TradeSide {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Give => "give",
            Self::Want => "want",
        }
    }
}

/// What changes hands: at least one copy, at most [`MAX_COPIES`] on each side, none twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TradeTerms {
    give: Vec<CopyId>,
    want: Vec<CopyId>,
}

/// What is wrong with the terms of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TermsFault {
    /// Nothing changes hands.
    #[error("an offer gives or asks for at least one copy")]
    Empty,
    /// More copies than one side may have.
    #[error("must name at most 50 copies, not {0}")]
    TooMany(usize),
    /// A copy stands in the offer twice.
    #[error("stands in the offer already")]
    Twice,
}

/// Why a copy cannot be in an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CopyFault {
    /// Offered: it is not a copy of the caller.
    #[error("is not a copy of yours")]
    NotYours,
    /// Offered: it is frozen by a moderator.
    #[error("is frozen by a moderator: the copy's history says why")]
    Frozen,
    /// Offered: it is void.
    #[error("is void")]
    Void,
    /// Requested: it is not a copy that the other side shows. The response must not tell whether it exists, or who owns
    /// it.
    #[error("is not a copy that this player shows you")]
    NotShown,
}

/// Where it is wrong: a side, and a place in it, from 0; `None` for the whole.
pub type TermsFaultAt = (Option<(TradeSide, Option<usize>)>, TermsFault);

impl TradeTerms {
    /// Checks both sides; every fault at once.
    pub fn new(give: Vec<CopyId>, want: Vec<CopyId>) -> Result<Self, Vec<TermsFaultAt>> {
        let mut faults = Vec::new();
        if give.is_empty() && want.is_empty() {
            faults.push((None, TermsFault::Empty));
        }
        let mut seen = BTreeSet::new();
        for (side, copies) in [(TradeSide::Give, &give), (TradeSide::Want, &want)] {
            if copies.len() > MAX_COPIES {
                faults.push((Some((side, None)), TermsFault::TooMany(copies.len())));
                continue;
            }
            for (place, copy) in copies.iter().enumerate() {
                if !seen.insert(*copy) {
                    faults.push((Some((side, Some(place))), TermsFault::Twice));
                }
            }
        }
        if faults.is_empty() { Ok(Self { give, want }) } else { Err(faults) }
    }

    /// What the one who offers gives.
    pub fn give(&self) -> &[CopyId] {
        &self.give
    }

    /// What she asks for.
    pub fn want(&self) -> &[CopyId] {
        &self.want
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_name_something_and_nothing_twice() {
        let [ada, ben] = [CopyId::fresh(), CopyId::fresh()];
        assert!(TradeTerms::new(vec![ada], vec![ben]).is_ok());
        assert!(TradeTerms::new(vec![], vec![ben]).is_ok());
        assert_eq!(TradeTerms::new(vec![], vec![]).unwrap_err(), [(None, TermsFault::Empty)]);
        assert_eq!(
            TradeTerms::new(vec![ada, ada], vec![ada]).unwrap_err(),
            [
                (Some((TradeSide::Give, Some(1))), TermsFault::Twice),
                (Some((TradeSide::Want, Some(0))), TermsFault::Twice),
            ]
        );
        let many = |count| (0..count).map(|_| CopyId::fresh()).collect::<Vec<_>>();
        assert!(TradeTerms::new(many(MAX_COPIES), many(MAX_COPIES)).is_ok());
        assert_eq!(
            TradeTerms::new(many(1), many(51)).unwrap_err(),
            [(Some((TradeSide::Want, None)), TermsFault::TooMany(51))]
        );
    }
}
