//! Trades: terms, states, and limits of offers.

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

/// Shortest and longest lifetime of an offer, in hours: one hour to ninety days.
pub const LIFETIME_HOURS: std::ops::RangeInclusive<u16> = 1..=2160;

/// Default lifetime of an offer, in hours: fourteen days.
pub const DEFAULT_LIFETIME_HOURS: u16 = 336;

/// How long offers that did not lead to a trade stay readable for the two players.
pub const CLOSED_RETENTION: Duration = Duration::days(90);

/// The state of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TradeState {
    /// The recipient has not answered.
    Open,
    /// The recipient accepted, and the copies were exchanged.
    Accepted,
    /// The recipient declined.
    Declined,
    /// The offerer cancelled the offer.
    Cancelled,
    /// The recipient made a counter-offer instead.
    Countered,
    /// When the offer was accepted, a copy or the other player was no longer available.
    Lapsed,
    /// The lifetime of the offer ended.
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

    /// The state with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// The role of a player in an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TradeRole {
    /// The player who made the offer.
    Offerer,
    /// The player who received the offer.
    Recipient,
}

impl TradeRole {
    /// Both roles.
    pub const ALL: [Self; 2] = [Self::Offerer, Self::Recipient];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Offerer => "offerer",
            Self::Recipient => "recipient",
        }
    }
}

/// Who may send offers to an account, and see its copies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trading {
    /// Nobody.
    Closed,
    /// Players who know the account's name may send offers; nobody else sees its copies.
    #[default]
    Offers,
    /// Other players may also list its copies, and request any of them.
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

    /// The setting with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|trading| trading.as_str() == name)
    }
}

/// One side of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TradeSide {
    /// The copies that the offerer gives.
    Give,
    /// The copies that the offerer requests.
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

/// The copies to exchange: at least one copy, at most [`MAX_COPIES`] on each side, none twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TradeTerms {
    give: Vec<CopyId>,
    want: Vec<CopyId>,
}

/// A fault of the terms of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TermsFault {
    /// There are no copies.
    #[error("an offer gives or asks for at least one copy")]
    Empty,
    /// One side has more copies than allowed.
    #[error("must name at most 50 copies, not {0}")]
    TooMany(usize),
    /// A copy is in the offer twice.
    #[error("is already in the offer")]
    Twice,
}

/// Why a copy cannot be in an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CopyFault {
    /// An offered copy is not owned by the caller.
    #[error("is not a copy of yours")]
    NotYours,
    /// An offered copy is frozen by a moderator.
    #[error("is frozen by a moderator: the copy's history says why")]
    Frozen,
    /// An offered copy is void.
    #[error("is void")]
    Void,
    /// A requested copy is not one that the other player shows. The response must not reveal whether the copy exists, or who owns
    /// it.
    #[error("is not a copy that this player shows you")]
    NotShown,
}

/// A fault with its place: a side, and an index in it; `None`: the whole side or offer.
pub type TermsFaultAt = (Option<(TradeSide, Option<usize>)>, TermsFault);

impl TradeTerms {
    /// Checks both sides, and returns every fault.
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

    /// The copies that the offerer gives.
    pub fn give(&self) -> &[CopyId] {
        &self.give
    }

    /// The copies that the offerer requests.
    pub fn want(&self) -> &[CopyId] {
        &self.want
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_contain_at_least_one_copy_and_none_twice() {
        let [ada, ben] = [CopyId::generate(), CopyId::generate()];
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
        let many = |count| (0..count).map(|_| CopyId::generate()).collect::<Vec<_>>();
        assert!(TradeTerms::new(many(MAX_COPIES), many(MAX_COPIES)).is_ok());
        assert_eq!(
            TradeTerms::new(many(1), many(51)).unwrap_err(),
            [(Some((TradeSide::Want, None)), TermsFault::TooMany(51))]
        );
    }
}
