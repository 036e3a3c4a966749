//! Disputes, as their two sides and moderators see them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::own_copies::{CopyCard, card_of};
use crate::app::accounts::people::Names;
use crate::domain::copies::dispute::DisputeSide;
use crate::domain::ids::AccountId;
use crate::store::copies::disputes::{DisputeView, StatementRow};

/// The accounts in a dispute, for moderators. Names are absent for tokens without `admin:read`.
#[derive(Serialize, ToSchema)]
pub struct DisputeParties {
    /// Id of the account that claims the copy.
    pub claimant_id: Uuid,
    /// Name of the claimant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ben")]
    pub claimant_name: Option<String>,
    /// Id of the account that owns the copy now.
    pub owner_id: Uuid,
    /// Name of the owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada")]
    pub owner_name: Option<String>,
    /// Id of the account that lost the copy by the decision. Absent if no account did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost_by: Option<Uuid>,
    /// Name of the account that lost the copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada")]
    pub lost_by_name: Option<String>,
    /// Id of the moderator who decided the dispute. Absent if no moderator did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<Uuid>,
    /// Name of the moderator.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "the moderator")]
    pub decided_by_name: Option<String>,
}

/// All accounts that a dispute names to moderators.
pub(super) fn people_in(view: &DisputeView) -> impl Iterator<Item = Uuid> {
    let some = [Some(view.claimant), Some(view.copy.owner), view.lost_by, view.decided_by];
    some.into_iter().flatten().map(|account| account.0)
}

/// A dispute without its statements.
#[derive(Serialize, ToSchema)]
pub struct DisputeSummaryResponse {
    /// Its id.
    pub id: Uuid,
    /// `open`, `for_owner`, `for_claimant`, `withdrawn`, `settled` (the claimant got the copy by a trade) or `voided` (the copy was declared void).
    #[schema(example = "open")]
    pub state: &'static str,
    /// Your side: `claimant` or `owner`. Absent for moderators who are on neither side.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "owner")]
    pub role: Option<&'static str>,
    /// Id of the copy. Present only for its owner and for moderators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<Uuid>,
    /// Card of the copy.
    pub card: CopyCard,
    /// When it was opened.
    pub opened_at: DateTime<Utc>,
    /// When it was closed; absent while it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<DateTime<Utc>>,
    /// The reason that the moderator gave for the decision. Absent if no moderator decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "A photograph shows card and code")]
    pub reason: Option<String>,
    /// The accounts of the two sides. Present only for moderators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parties: Option<DisputeParties>,
}

impl DisputeSummaryResponse {
    /// `names` is given for moderators only: nobody else learns the accounts of the two sides.
    pub(super) fn new(view: DisputeView, reader: AccountId, names: Option<&Names>) -> Self {
        let side = view.side(reader);
        let is_moderator = names.is_some();
        let parties = names.map(|names| {
            let name = |account: Option<AccountId>| account.and_then(|account| names.of(account.0));
            DisputeParties {
                claimant_id: view.claimant.0,
                claimant_name: name(Some(view.claimant)),
                owner_id: view.copy.owner.0,
                owner_name: name(Some(view.copy.owner)),
                lost_by: view.lost_by.map(|account| account.0),
                lost_by_name: name(view.lost_by),
                decided_by: view.decided_by.map(|account| account.0),
                decided_by_name: name(view.decided_by),
            }
        });
        Self {
            id: view.id.0,
            state: view.state.as_str(),
            role: side.map(DisputeSide::as_str),
            // The copy's id would let the claimant find the owner, who may show her copies publicly.
            copy: (is_moderator || view.copy.owner == reader).then_some(view.copy.id.0),
            card: card_of(&view.copy),
            opened_at: view.opened_at,
            closed_at: view.closed_at,
            reason: view.reason,
            parties,
        }
    }
}

/// A statement in a dispute.
#[derive(Serialize, ToSchema)]
pub struct StatementResponse {
    /// The side that made the statement: `claimant` or `owner`.
    #[schema(example = "owner")]
    pub by: &'static str,
    /// The text.
    #[schema(example = "I bought it at the fair in Ulm; the receipt is with the organisers.")]
    pub text: String,
    /// When the statement was made.
    pub created_at: DateTime<Utc>,
    /// Id of the account that made the statement. Present only for moderators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_id: Option<Uuid>,
    /// Name of that account. Present only for moderators; absent for tokens without `admin:read`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada")]
    pub account_name: Option<String>,
}

/// A dispute.
#[derive(Serialize, ToSchema)]
pub struct DisputeResponse {
    /// The dispute without its statements.
    #[serde(flatten)]
    pub summary: DisputeSummaryResponse,
    /// The statements in the order in which they were made: yours or, for moderators, those of both sides.
    pub statements: Vec<StatementResponse>,
}

impl DisputeResponse {
    pub(super) fn new(
        view: DisputeView,
        statements: Vec<StatementRow>,
        reader: AccountId,
        names: Option<&Names>,
    ) -> Self {
        let statement = |row: StatementRow| StatementResponse {
            by: row.side.as_str(),
            text: row.text,
            created_at: row.created_at,
            account_id: names.is_some().then_some(row.account_id.0),
            account_name: names.and_then(|names| names.of(row.account_id.0)),
        };
        Self {
            summary: DisputeSummaryResponse::new(view, reader, names),
            statements: statements.into_iter().map(statement).collect(),
        }
    }
}
