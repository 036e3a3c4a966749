//! What became of credentials that somebody still uses: sessions and personal access tokens, many at once.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Array, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::sessions::RevokeReason;
use super::{Connection, StoreResult};
use crate::auth::ending::CredentialEnd;
use crate::auth::permission::Credential;
use crate::auth::second_factor::SecondFactorDemand;

#[derive(QueryableByName)]
#[allow(clippy::struct_excessive_bools, reason = "what the statement asks, one by one")]
struct EndedRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Bool)]
    banned: bool,
    /// Of sessions only.
    #[diesel(sql_type = Nullable<Text>)]
    reason: Option<String>,
    #[diesel(sql_type = Bool)]
    revoked: bool,
    #[diesel(sql_type = Bool)]
    expired: bool,
    /// The password must be changed first.
    #[diesel(sql_type = Bool)]
    password_due: bool,
}

impl EndedRow {
    fn why(&self) -> CredentialEnd {
        match self.reason.as_deref().and_then(RevokeReason::parse) {
            _ if self.banned => CredentialEnd::Banned,
            Some(RevokeReason::Logout) => CredentialEnd::LoggedOut,
            Some(RevokeReason::PasswordChanged) => CredentialEnd::PasswordChanged,
            Some(RevokeReason::RefreshReused) => CredentialEnd::RefreshReused,
            Some(RevokeReason::Banned) => CredentialEnd::Banned,
            Some(RevokeReason::RoleChanged) => CredentialEnd::RoleChanged,
            Some(RevokeReason::Recovered) => CredentialEnd::Recovered,
            Some(RevokeReason::SecondFactorChanged) => CredentialEnd::SecondFactorChanged,
            None if self.revoked => CredentialEnd::Revoked,
            None if self.expired => CredentialEnd::Expired,
            None if self.password_due => CredentialEnd::PasswordChangeDue,
            None => CredentialEnd::SecondFactorDue,
        }
    }
}

/// Those that have ended, by their id, and why. One that is stored no more counts as revoked.
const SESSIONS: &str = "SELECT asked.id, coalesce(a.banned_at IS NOT NULL, false) AS banned, s.revoked_reason AS reason, \
           (s.id IS NULL OR s.revoked_at IS NOT NULL) AS revoked, coalesce(s.expires_at <= $2, false) AS expired, \
           coalesce(a.must_change_password, false) AS password_due \
    FROM unnest($1) AS asked (id) LEFT JOIN sessions s ON s.id = asked.id LEFT JOIN accounts a ON a.id = s.account_id \
    WHERE s.id IS NULL OR s.revoked_at IS NOT NULL OR s.expires_at <= $2 OR a.banned_at IS NOT NULL OR a.must_change_password \
       OR (a.second_factor_since IS NULL AND a.role = ANY ($3))";
const TOKENS: &str = "SELECT asked.id, coalesce(a.banned_at IS NOT NULL, false) AS banned, NULL::text AS reason, \
           (t.id IS NULL OR t.revoked_at IS NOT NULL) AS revoked, coalesce(t.expires_at <= $2, false) AS expired, \
           coalesce(a.must_change_password, false) AS password_due \
    FROM unnest($1) AS asked (id) LEFT JOIN personal_access_tokens t ON t.id = asked.id LEFT JOIN accounts a ON a.id = t.account_id \
    WHERE t.id IS NULL OR t.revoked_at IS NOT NULL OR t.expires_at <= $2 OR a.banned_at IS NOT NULL OR a.must_change_password \
       OR (a.second_factor_since IS NULL AND a.role = ANY ($3))";

/// Which of the credentials, by their places, are worth nothing any more, and why.
pub async fn ended(
    conn: &mut Connection,
    credentials: &[&Credential],
    demand: SecondFactorDemand,
    now: DateTime<Utc>,
) -> StoreResult<Vec<(usize, CredentialEnd)>> {
    let mut sessions = Vec::new();
    let mut tokens = Vec::new();
    for (place, credential) in credentials.iter().enumerate() {
        match credential {
            Credential::Session(session) => sessions.push((session.0, place)),
            Credential::Token { id, .. } => tokens.push((id.0, place)),
        }
    }
    let mut ended = Vec::new();
    for (statement, asked) in [(SESSIONS, sessions), (TOKENS, tokens)] {
        if asked.is_empty() {
            continue;
        }
        let mut ids: Vec<Uuid> = asked.iter().map(|(id, _)| *id).collect();
        ids.sort_unstable();
        ids.dedup();
        let rows: Vec<EndedRow> = diesel::sql_query(statement)
            .bind::<Array<SqlUuid>, _>(ids)
            .bind::<Timestamptz, _>(now)
            .bind::<Array<Text>, _>(demand.role_names())
            .get_results(conn)
            .await?;
        for row in &rows {
            let places = asked.iter().filter(|(id, _)| *id == row.id);
            ended.extend(places.map(|(_, place)| (*place, row.why())));
        }
    }
    Ok(ended)
}
