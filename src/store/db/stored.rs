//! Words in the database that stand for values of ours, read so that a word that no value has is a fault.
//!
//! The constraints of the tables allow no other words. Should one come in all the same (a damaged row, a hand in the database, a
//! program that knows more), then a plausible guess would act on it: an offer would be open, a list public. So it is an error of the
//! row, which the log names; the request that needs the row fails, and nothing else.

use diesel::deserialize::{self, FromSql, Queryable};
use diesel::pg::{Pg, PgValue};
use diesel::sql_types::Text;
use thiserror::Error;

use crate::auth::permission::Role;
use crate::domain::collection::{Condition, ImportMode};
use crate::domain::copies::dispute::{DisputeSide, DisputeState};
use crate::domain::copies::trade::{TradeState, Trading};
use crate::domain::decks::deck::Visibility;
use crate::domain::operations::webhook::{DisabledReason, Failure};
use crate::store::StoreError;
use crate::store::operations::webhook_deliveries::DeliveryState;

/// A stored word that stands for nothing. The word itself is not told, only where it is and how long: nobody knows what it is.
#[derive(Debug, Error)]
#[error("{columns} holds a word of {length} bytes that is no {kind}")]
pub(in crate::store) struct UnknownWord {
    columns: &'static str,
    kind: &'static str,
    length: usize,
}

impl UnknownWord {
    /// As an error of the store, for words that are compared by hand.
    pub(in crate::store) fn fault(
        columns: &'static str,
        kind: &'static str,
        word: &str,
    ) -> StoreError {
        let unknown = Self { columns, kind, length: word.len() };
        StoreError::Fault(diesel::result::Error::DeserializationError(Box::new(unknown)))
    }
}

/// Makes types with `parse` readable from text columns: which columns those are, and what the type is called in the log.
macro_rules! read_from_words {
    ($($type:ty: $kind:literal in $columns:literal;)*) => {$(
        impl FromSql<Text, Pg> for $type {
            fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
                let word = std::str::from_utf8(value.as_bytes())?;
                let known = Self::parse(word);
                Ok(known.ok_or(UnknownWord { columns: $columns, kind: $kind, length: word.len() })?)
            }
        }

        impl Queryable<Text, Pg> for $type {
            type Row = Self;

            fn build(row: Self) -> deserialize::Result<Self> {
                Ok(row)
            }
        }
    )*};
}

read_from_words! {
    Condition: "condition of a card" in "collection_entries.condition";
    DeliveryState: "state of a delivery" in "webhook_deliveries.state";
    DisabledReason: "reason to disable a webhook" in "webhooks.disabled_reason";
    DisputeSide: "side of a dispute" in "dispute_statements.side";
    DisputeState: "state of a dispute" in "disputes.state";
    Failure: "failure of a delivery" in "webhook_deliveries.last_failure";
    ImportMode: "mode of an import" in "collection_imports.mode";
    Role: "role" in "accounts.role";
    TradeState: "state of a trade" in "trades.state";
    Trading: "trading setting" in "accounts.trading";
    Visibility: "visibility" in "decks.visibility or trade_lists.visibility";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_names_the_place_and_not_the_word() {
        let error = UnknownWord::fault("trades.state", "state of a trade", "sesame");
        let told = error.to_string();
        assert!(
            told.contains("trades.state holds a word of 6 bytes that is no state of a trade"),
            "{told}"
        );
        assert!(!told.contains("sesame") && error.is_unreadable());
    }

    #[test]
    fn every_word_that_is_written_is_read_again() {
        for failure in Failure::ALL {
            assert_eq!(Failure::parse(failure.as_str()), Some(failure));
        }
        for mode in [ImportMode::Add, ImportMode::Replace] {
            assert_eq!(ImportMode::parse(mode.as_str()), Some(mode));
        }
        for side in [DisputeSide::Claimant, DisputeSide::Owner] {
            assert_eq!(DisputeSide::parse(side.as_str()), Some(side));
        }
    }
}
