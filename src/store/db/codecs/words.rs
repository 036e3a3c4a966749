//! Enums in columns of type `text`: each variant is stored as its word. A word without a variant is an error.
//!
//! The constraints of the tables allow no other words. If there is one nevertheless (a damaged row, a manual change, a
//! newer version of the program), a default value could do harm: an offer would be open, a list public. So it is an
//! error of the row, which the log names; only the request that needs the row fails.

use diesel::deserialize::{self, FromSql};
use diesel::pg::{Pg, PgValue};
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::Text;
use thiserror::Error;

use crate::auth::permission::{Role, Scope};
use crate::domain::accounts::attempts::AttemptScope;
use crate::domain::accounts::optional_events::OptionalEvent;
use crate::domain::catalogue::bulk::BulkKind;
use crate::domain::catalogue::migration::MigrationKind;
use crate::domain::catalogue::ruling::RulingKind;
use crate::domain::collection::{Condition, ImportMode, TradeListKind};
use crate::domain::copies::dispute::{DisputeSide, DisputeState};
use crate::domain::copies::ledger::LedgerKind;
use crate::domain::copies::trade::{TradeState, Trading};
use crate::domain::decks::deck::Visibility;
use crate::domain::designs::abuse_report::{AbuseDecision, AbuseReason};
use crate::domain::designs::artwork::RenditionSize;
use crate::domain::designs::perk::DesignerPerk;
use crate::domain::designs::review::ReviewDecision;
use crate::domain::designs::status::DesignStatus;
use crate::domain::designs::suggested_change::SuggestionState;
use crate::domain::operations::webhook::{DisabledReason, Failure};
use crate::store::accounts::sessions::RevokeReason;
use crate::store::operations::webhook_deliveries::DeliveryState;
use crate::store::printing::print_runs::RunStatus;
use crate::store::serials::unlock_policies::UnlockReason;

/// A stored word without a variant. The error contains its column and length, but not the word, which could be a
/// secret.
#[derive(Debug, Error)]
#[error("{columns} contains a word of {length} bytes that is not a valid {kind}")]
pub(in crate::store) struct UnknownWord {
    columns: &'static str,
    kind: &'static str,
    length: usize,
}

/// Makes enums with `as_str` and `parse` column types. Names the columns that contain them, for the log.
macro_rules! words {
    ($($type:ty: $kind:literal in $columns:literal;)*) => {$(
        column_type!($type => Text);

        impl FromSql<Text, Pg> for $type {
            fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
                let word = std::str::from_utf8(value.as_bytes())?;
                let known = Self::parse(word);
                Ok(known.ok_or(UnknownWord { columns: $columns, kind: $kind, length: word.len() })?)
            }
        }

        impl ToSql<Text, Pg> for $type {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
                ToSql::<Text, Pg>::to_sql(self.as_str(), out)
            }
        }
    )*};
}

words! {
    BulkKind: "kind of a bulk file" in "bulk_files.kind";
    Condition: "condition of a card" in "collection_entries.condition";
    DeliveryState: "state of a delivery" in "webhook_deliveries.state";
    DesignerPerk: "perk" in "unlock_policies.designer_perk or designer_rewards.perk";
    DesignStatus: "status of a design" in "designs.status";
    DisabledReason: "reason to disable a webhook" in "webhooks.disabled_reason";
    DisputeSide: "side of a dispute" in "dispute_statements.side";
    DisputeState: "state of a dispute" in "disputes.state";
    Failure: "failure of a delivery" in "webhook_deliveries.last_failure";
    ImportMode: "mode of an import" in "collection_imports.mode";
    LedgerKind: "kind of a ledger entry" in "copy_ledger.entry";
    MigrationKind: "way of a card" in "card_migrations.kind";
    AbuseDecision: "decision" in "abuse_reports.decision";
    AbuseReason: "reason" in "abuse_reports.reason";
    ReviewDecision: "decision about a design" in "design_reviews.decision";
    Role: "role" in "accounts.role";
    OptionalEvent: "kind of an event" in "event_settings.muted";
    RulingKind: "kind of a ruling" in "the kinds of rulings";
    RunStatus: "status of a print run" in "print_runs.status";
    Scope: "scope of a token" in "personal_access_tokens.scopes";
    SuggestionState: "state of a suggestion" in "suggested_changes.state";
    TradeState: "state of a trade" in "trades.state";
    Trading: "trading setting" in "accounts.trading";
    Visibility: "visibility" in "decks.visibility or trade_lists.visibility";
}

/// Words that are written and compared, never read.
macro_rules! written_words {
    ($($type:ty),*) => {$(
        expression_type!($type => Text);

        impl ToSql<Text, Pg> for $type {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
                ToSql::<Text, Pg>::to_sql(self.as_str(), out)
            }
        }
    )*};
}

written_words!(AttemptScope, RenditionSize, RevokeReason, TradeListKind, UnlockReason);

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    const TEXT: fn() -> NonZeroU32 = || NonZeroU32::new(25).unwrap();

    #[test]
    fn errors_name_the_column_and_not_the_word() {
        let word = PgValue::new(b"sesame", &TEXT);
        let error = <TradeState as FromSql<Text, Pg>>::from_sql(word).unwrap_err();
        let message = error.to_string();
        assert_eq!(
            message,
            "trades.state contains a word of 6 bytes that is not a valid state of a trade"
        );
    }

    #[test]
    fn every_written_word_can_be_read() {
        for kind in BulkKind::ALL {
            assert_eq!(BulkKind::parse(kind.as_str()), Some(kind));
        }
        for failure in Failure::ALL {
            assert_eq!(Failure::parse(failure.as_str()), Some(failure));
        }
        for mode in [ImportMode::Add, ImportMode::Replace] {
            assert_eq!(ImportMode::parse(mode.as_str()), Some(mode));
        }
        for side in [DisputeSide::Claimant, DisputeSide::Owner] {
            assert_eq!(DisputeSide::parse(side.as_str()), Some(side));
        }
        for kind in LedgerKind::ALL {
            assert_eq!(LedgerKind::parse(kind.as_str()), Some(kind));
        }
        for kind in [MigrationKind::Move, MigrationKind::Merge] {
            assert_eq!(MigrationKind::parse(kind.as_str()), Some(kind));
        }
        for kind in [RulingKind::Ruling, RulingKind::Erratum] {
            assert_eq!(RulingKind::parse(kind.as_str()), Some(kind));
        }
        for status in [RunStatus::Pending, RunStatus::Active, RunStatus::Discarded] {
            assert_eq!(RunStatus::parse(status.as_str()), Some(status));
        }
    }
}
