//! Accounts as their owners, moderators and admins see them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::store::accounts::account_records::AccountRow;

/// An account.
#[derive(Serialize, ToSchema)]
pub struct AccountResponse {
    /// Its id.
    pub id: Uuid,
    /// Its name.
    #[schema(example = "ada")]
    pub name: String,
    /// `player`, `moderator` or `admin`.
    #[schema(example = "player")]
    pub role: &'static str,
    /// The password was set by somebody else: nothing but changing it is allowed.
    pub must_change_password: bool,
    /// Whether its log-ins need a second factor.
    pub second_factor: bool,
    /// Who may send it offers and see its copies: `closed`, `offers` or `public`.
    #[schema(example = "offers")]
    pub trading: &'static str,
    /// Whether it is named on the leaderboard.
    pub on_leaderboard: bool,
    /// When it was banned; absent when it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub banned_at: Option<DateTime<Utc>>,
    /// When it was registered.
    pub created_at: DateTime<Utc>,
}

impl From<AccountRow> for AccountResponse {
    fn from(row: AccountRow) -> Self {
        Self {
            role: row.role().as_str(),
            trading: row.trading().as_str(),
            id: row.id.0,
            name: row.name,
            must_change_password: row.must_change_password,
            second_factor: row.second_factor_since.is_some(),
            on_leaderboard: row.on_leaderboard,
            banned_at: row.banned_at,
            created_at: row.created_at,
        }
    }
}
