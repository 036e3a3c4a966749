//! Checks whether credentials in use have ended: sessions and personal access tokens, many in one statement.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Bool, Nullable, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::sessions::RevokeReason;
use crate::auth::ending::CredentialEnd;
use crate::auth::permission::{Credential, Granted, Identity, Permission, Role};
use crate::auth::second_factor::SecondFactorDemand;
use crate::domain::ids::{AccountId, SessionId, TokenId};
use crate::store::db::schema::{accounts, personal_access_tokens as tokens, sessions};
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreError, StoreResult};

#[derive(QueryableByName)]
#[allow(clippy::struct_excessive_bools, reason = "what the statement asks, one by one")]
struct EndedRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Bool)]
    banned: bool,
    /// Only for sessions.
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
        let reason = self.reason.as_deref().and_then(RevokeReason::parse);
        if reason.is_none()
            && let Some(unknown) = &self.reason
        {
            // Only the reason is unknown; the session is revoked in any case. An error would end the streams of all
            // other accounts.
            tracing::error!(session = %self.id, reason = unknown, "a session was revoked for a reason that this program does not know");
        }
        match reason {
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

/// The ended credentials, by id, and the reason. One that is no longer stored counts as revoked.
const SESSIONS: &str = "SELECT asked.id, coalesce(a.banned_at IS NOT NULL, false) AS banned, s.revoked_reason AS reason, \
           (s.id IS NULL OR s.revoked_at IS NOT NULL) AS revoked, coalesce(s.expires_at <= $now, false) AS expired, \
           coalesce(a.must_change_password, false) AS password_due \
    FROM unnest((SELECT $ids)) AS asked (id) LEFT JOIN sessions s ON s.id = asked.id LEFT JOIN accounts a ON a.id = s.account_id \
    WHERE s.id IS NULL OR s.revoked_at IS NOT NULL OR s.expires_at <= $now OR a.banned_at IS NOT NULL OR a.must_change_password \
       OR (a.second_factor_since IS NULL AND a.role = ANY ($roles))";
const TOKENS: &str = "SELECT asked.id, coalesce(a.banned_at IS NOT NULL, false) AS banned, NULL::text AS reason, \
           (t.id IS NULL OR t.revoked_at IS NOT NULL) AS revoked, coalesce(t.expires_at <= $now, false) AS expired, \
           coalesce(a.must_change_password, false) AS password_due \
    FROM unnest((SELECT $ids)) AS asked (id) LEFT JOIN personal_access_tokens t ON t.id = asked.id LEFT JOIN accounts a ON a.id = t.account_id \
    WHERE t.id IS NULL OR t.revoked_at IS NOT NULL OR t.expires_at <= $now OR a.banned_at IS NOT NULL OR a.must_change_password \
       OR (a.second_factor_since IS NULL AND a.role = ANY ($roles))";

/// Locks the account's row until the transaction ends.
pub(in crate::store) async fn lock_account(
    mut conn: &Connection,
    account: AccountId,
) -> StoreResult<()> {
    // Not `FOR UPDATE`: requests that have claimed an idempotency key hold a key-share lock on this row, and two of
    // them would deadlock.
    let row = accounts::table.find(account).select(accounts::id).for_no_key_update();
    row.first::<Uuid>(&mut conn).await.optional()?;
    Ok(())
}

/// Checks, inside a transaction, that the credential behind a permission is valid, and that its account is not banned
/// and still has the role. Locks the credential's row until the transaction ends: a revocation (log-out, change of the
/// password, ban, new role) either comes first and is seen here, or waits until this transaction has ended.
///
/// The lock is exclusive: shared locks overtake a waiting writer, so an attacker's loop of requests could delay the
/// revocation. Accounts are locked before credentials everywhere, so there are no deadlocks.
pub(in crate::store) async fn confirm<P: Permission>(
    mut conn: &Connection,
    by: &Granted<P>,
    now: DateTime<Utc>,
) -> StoreResult<()> {
    // The account's row is read with the locked row, but not locked itself.
    let unbanned = accounts::table.filter(accounts::banned_at.is_null());
    let held: Option<(Option<Role>, Option<bool>)> = match by.credential() {
        Credential::Session(id) => {
            let account = unbanned.filter(accounts::id.eq(sessions::account_id));
            sessions::table
                .find(id)
                .filter(sessions::revoked_at.is_null())
                .filter(sessions::expires_at.gt(now))
                .select((
                    account.select(accounts::role).single_value(),
                    account.select(accounts::must_change_password).single_value(),
                ))
                .for_no_key_update()
                .first(&mut conn)
                .await
                .optional()?
        }
        Credential::Token { id, .. } => {
            let account = unbanned.filter(accounts::id.eq(tokens::account_id));
            tokens::table
                .find(id)
                .filter(tokens::revoked_at.is_null())
                .filter(tokens::expires_at.gt(now))
                .select((
                    account.select(accounts::role).single_value(),
                    account.select(accounts::must_change_password).single_value(),
                ))
                .for_no_key_update()
                .first(&mut conn)
                .await
                .optional()?
        }
    };
    let Some((Some(role), Some(must_change_password))) = held else {
        return Err(StoreError::Revoked);
    };
    let identity = Identity {
        account: by.account(),
        role,
        credential: by.credential().clone(),
        must_change_password,
        // Whether a second factor is required was checked when the permission was granted; a later requirement does not
        // affect this write.
        second_factor_due: false,
    };
    identity.grant::<P>().map(drop).map_err(|_| StoreError::Revoked)
}

#[derive(QueryableByName)]
struct HeldRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    role: Role,
    #[diesel(sql_type = Bool)]
    must_change_password: bool,
}

/// Like [`confirm`], for several credentials in the statement that begins their transaction; returns for each whether
/// it is valid and could be locked at once. Locks credentials and accounts until the transaction ends, without waiting.
pub(in crate::store) async fn confirm_free<P: Permission>(
    conn: &Connection,
    by: &[&Granted<P>],
    now: DateTime<Utc>,
) -> StoreResult<Vec<bool>> {
    let (mut sessions, mut tokens) = (Vec::new(), Vec::new());
    for by in by {
        match by.credential() {
            Credential::Session(id) => sessions.push(id.0),
            Credential::Token { id, .. } => tokens.push(id.0),
        }
    }
    let (sessions, tokens) = tokio::join!(
        biased;
        lock_unowned(conn, "sessions", sessions, now),
        lock_unowned(conn, "personal_access_tokens", tokens, now)
    );
    let held: HashMap<Uuid, HeldRow> =
        sessions?.into_iter().chain(tokens?).map(|row| (row.id, row)).collect();
    by.iter()
        .map(|by| {
            let (Credential::Session(SessionId(id)) | Credential::Token { id: TokenId(id), .. }) =
                by.credential();
            let Some(row) = held.get(id) else { return Ok(false) };
            let identity = Identity {
                account: by.account(),
                role: row.role,
                credential: by.credential().clone(),
                must_change_password: row.must_change_password,
                // As in [`confirm`].
                second_factor_due: false,
            };
            Ok(identity.grant::<P>().is_ok())
        })
        .collect()
}

/// Locks those credentials of a table that are valid and not locked by other transactions, with their accounts.
async fn lock_unowned(
    mut conn: &Connection,
    table: &str,
    ids: Vec<Uuid>,
    now: DateTime<Utc>,
) -> StoreResult<Vec<HeldRow>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    Ok(sql(format!(
        "SELECT c.id, a.role, a.must_change_password FROM {table} c JOIN accounts a ON a.id = c.account_id \
         WHERE c.id = ANY ((SELECT $ids)::uuid[]) AND c.revoked_at IS NULL AND c.expires_at > $now AND a.banned_at IS NULL \
         FOR NO KEY UPDATE SKIP LOCKED"
    ))
    .bind("ids", ids)
    .bind("now", now)
    .load(&mut conn)
    .await?)
}

/// Finds the ended credentials, by their index in `credentials`, and the reasons.
pub async fn find_ended(
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
    for (statement, credentials) in [(SESSIONS, sessions), (TOKENS, tokens)] {
        if credentials.is_empty() {
            continue;
        }
        let mut ids: Vec<Uuid> = credentials.iter().map(|(id, _)| *id).collect();
        ids.sort_unstable();
        ids.dedup();
        let rows: Vec<EndedRow> = sql(statement)
            .bind("ids", ids)
            .bind("now", now)
            .bind("roles", demand.role_names())
            .get_results(conn)
            .await?;
        for row in &rows {
            let places = credentials.iter().filter(|(id, _)| *id == row.id);
            ended.extend(places.map(|(_, place)| (*place, row.why())));
        }
    }
    Ok(ended)
}
