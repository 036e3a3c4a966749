//! Sessions and their refresh tokens.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::Uuid as SqlUuid;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::account_records::{VerifiedPassword, lock_verified};
use super::{credentials, second_factors};
use crate::auth::keys::KeyRing;
use crate::auth::permission::{
    Acting, Credential, EndOwnSessions, Granted, Identity, ReadOwnAccount, Role,
};
use crate::auth::second_factor::{PresentedFactor, SecondFactorDemand};
use crate::auth::secret::TokenHash;
use crate::auth::session::{
    BROWSER_RENEWAL, PresentedRefresh, RefreshDecision, SESSION_LIFETIME, SUPERSEDED, decide,
};
use crate::domain::ids::{AccountId, SessionId};
use crate::store::db::schema::{accounts, personal_access_tokens, refresh_tokens, sessions};
use crate::store::db::statement::{CachePrepared as _, sql};
use crate::store::{Connection, Store, StoreResult};

/// How many sessions an account may have at once, so that its owner can list and end all of them.
pub const MOST_SESSIONS: i64 = 200;

/// How many sessions one log-in ends at most. An older program may have begun tens of thousands for an account: one
/// statement could not end them in time, and the log-in would fail again and again.
const MOST_ENDED: i64 = 200;

/// How many sessions are listed at most, while more than [`MOST_SESSIONS`] are being ended.
const MOST_LISTED: i64 = 1_000;

/// Why a session ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevokeReason {
    /// Its owner ended it, or logged in again with [`MOST_SESSIONS`] sessions, and this one was used least recently.
    Logout,
    /// The password was changed.
    PasswordChanged,
    /// An old refresh token was presented again.
    RefreshReused,
    /// The account was banned.
    Banned,
    RoleChanged,
    /// The password was set with a recovery code.
    Recovered,
    /// A second factor was switched on, or was removed by an admin or an operator.
    SecondFactorChanged,
}

impl RevokeReason {
    pub(in crate::store) fn as_str(self) -> &'static str {
        match self {
            Self::Logout => "logout",
            Self::PasswordChanged => "password_changed",
            Self::RefreshReused => "refresh_reused",
            Self::Banned => "banned",
            Self::RoleChanged => "role_changed",
            Self::Recovered => "recovered",
            Self::SecondFactorChanged => "second_factor_changed",
        }
    }

    /// The reason of that name.
    pub(in crate::store) fn parse(name: &str) -> Option<Self> {
        let all = [
            Self::Logout,
            Self::PasswordChanged,
            Self::RefreshReused,
            Self::Banned,
            Self::RoleChanged,
            Self::Recovered,
            Self::SecondFactorChanged,
        ];
        all.into_iter().find(|reason| reason.as_str() == name)
    }
}

/// A session as its owner sees it.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = sessions)]
pub struct SessionRow {
    pub id: SessionId,
    /// Time of the log-in.
    pub created_at: DateTime<Utc>,
    /// When it was last refreshed.
    pub last_used_at: DateTime<Utc>,
    /// When it ends if it is not refreshed.
    pub expires_at: DateTime<Utc>,
    /// Whether a browser uses it, with a cookie; otherwise a program does.
    #[diesel(select_expression = sessions::browser_token_hash.is_not_null())]
    #[diesel(select_expression_type = diesel::dsl::IsNotNull<sessions::browser_token_hash>)]
    pub is_browser: bool,
}

/// The hash of the secret with which a session is used.
#[derive(Clone, Copy, Debug)]
pub enum SessionToken {
    /// The first refresh token: a program uses the session.
    Refresh(TokenHash),
    /// A cookie: a browser uses the session.
    Browser(TokenHash),
}

/// A session to create.
pub struct NewSession<'a> {
    pub id: SessionId,
    /// The account, with its verified password.
    pub verified: &'a VerifiedPassword,
    /// The second factor that the client presented, if any.
    pub second_factor: Option<&'a PresentedFactor>,
    /// Keyed hash of the network from which the client logged in.
    pub network_mac: [u8; 16],
    /// The secret with which the session is used.
    pub token: SessionToken,
    /// The current time.
    pub at: DateTime<Utc>,
}

/// The result of a log-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionBegun {
    /// The session was created. These sessions of the account ended, because it had too many.
    Yes(Vec<SessionId>),
    /// The password or the second factor was changed since it was verified, or the account was banned.
    Changed,
    /// The second factor is missing, wrong, or was already used.
    WrongSecondFactor,
}

/// Creates a session, if the account still has the verified password and is not banned. If the account has a second
/// factor, one must have been presented, and is used up. Runs in a transaction, which locks the account's row until its
/// end: a change of the password or the second factor, a ban or a change of the role either comes first and is seen
/// here, or comes later and ends this session.
pub async fn begin(
    conn: &mut Connection,
    keys: &KeyRing,
    new: &NewSession<'_>,
) -> StoreResult<SessionBegun> {
    let VerifiedPassword { account, second_factor_since, .. } = *new.verified;
    if !lock_verified(conn, new.verified).await? {
        return Ok(SessionBegun::Changed);
    }
    if second_factor_since.is_some() {
        let accepted = match new.second_factor {
            Some(shown) => second_factors::accept(conn, keys, account, shown, new.at).await?,
            None => false,
        };
        if !accepted {
            return Ok(SessionBegun::WrongSecondFactor);
        }
    }
    let ended = end_surplus(conn, account, new.at).await?;
    let browser_token = match new.token {
        SessionToken::Browser(token) => Some(token),
        SessionToken::Refresh(_) => None,
    };
    diesel::insert_into(sessions::table)
        .values((
            sessions::id.eq(new.id),
            sessions::account_id.eq(account),
            sessions::network_mac.eq(new.network_mac.to_vec()),
            sessions::generation.eq(1),
            sessions::created_at.eq(new.at),
            sessions::last_used_at.eq(new.at),
            sessions::expires_at.eq(new.at + SESSION_LIFETIME),
            sessions::browser_token_hash.eq(browser_token),
        ))
        .execute(conn)
        .await?;
    if let SessionToken::Refresh(token) = new.token {
        insert_token(conn, new.id, token, 1, new.at).await?;
    }
    Ok(SessionBegun::Yes(ended))
}

#[derive(QueryableByName)]
struct EndedSession {
    #[diesel(sql_type = SqlUuid)]
    id: SessionId,
}

/// Ends so many sessions of an account, whose row must be locked, that another one can begin, but at most
/// [`MOST_ENDED`]: those that were used least recently. Returns their ids.
///
/// It does not wait for a session that a request has locked: that one is in use, and its request may wait for the lock
/// of another session.
async fn end_surplus(
    conn: &mut Connection,
    account: AccountId,
    now: DateTime<Utc>,
) -> StoreResult<Vec<SessionId>> {
    let ended: Vec<EndedSession> = sql(
        "WITH surplus AS ( \
             SELECT id FROM sessions WHERE account_id = $account AND revoked_at IS NULL AND expires_at > $now \
             ORDER BY last_used_at, id \
             LIMIT least(greatest((SELECT count(*) FROM sessions WHERE account_id = $account AND revoked_at IS NULL AND expires_at > $now) - $others, 0), $most) \
             FOR NO KEY UPDATE SKIP LOCKED \
         ) \
         UPDATE sessions s SET revoked_at = $now, revoked_reason = $reason FROM surplus WHERE s.id = surplus.id RETURNING s.id",
    )
    .bind("account", account)
    .bind("now", now)
    .bind("others", MOST_SESSIONS - 1)
    .bind("most", MOST_ENDED)
    .bind("reason", RevokeReason::Logout)
    .load(conn)
    .await?;
    Ok(ended.into_iter().map(|session| session.id).collect())
}

async fn insert_token(
    conn: &mut Connection,
    session: SessionId,
    token: TokenHash,
    generation: i32,
    now: DateTime<Utc>,
) -> StoreResult<()> {
    diesel::insert_into(refresh_tokens::table)
        .values((
            refresh_tokens::token_hash.eq(token),
            refresh_tokens::session_id.eq(session),
            refresh_tokens::generation.eq(generation),
            refresh_tokens::issued_at.eq(now),
        ))
        .execute(conn)
        .await?;
    Ok(())
}

/// Whether a client of this network ever logged in to the account.
pub async fn knows_network(
    conn: &mut Connection,
    account: AccountId,
    network_mac: &[u8; 16],
) -> StoreResult<bool> {
    let found = sessions::table
        .filter(sessions::account_id.eq(account))
        .filter(sessions::network_mac.eq(network_mac.to_vec()));
    Ok(diesel::select(diesel::dsl::exists(found)).get_result(conn).await?)
}

/// Whether a client of this network logged in to the account with the second factor that the account has since `since`,
/// or switched it on. Sessions that had ended by then do not count: a client that knew only the password may have had
/// them.
pub async fn knows_network_since(
    conn: &mut Connection,
    account: AccountId,
    network_mac: &[u8; 16],
    since: DateTime<Utc>,
) -> StoreResult<bool> {
    let found = sessions::table
        .filter(sessions::account_id.eq(account))
        .filter(sessions::network_mac.eq(network_mac.to_vec()))
        .filter(sessions::expires_at.gt(since))
        .filter(
            sessions::revoked_at.is_null().or(sessions::revoked_at.gt(since).assume_not_null()),
        );
    Ok(diesel::select(diesel::dsl::exists(found)).get_result(conn).await?)
}

/// The result of presenting a refresh token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refreshed {
    /// `next` is now the session's newest token.
    Renewed {
        session: SessionId,
        /// The session's owner.
        account: AccountId,
    },
    /// An old token was presented again: the caller ends the session with [`end_reused`].
    Reused(SessionId),
    /// There is no such token, or its session has ended.
    Unknown,
}

/// Exchanges a refresh token for `next`. Runs in a transaction; the session's row is locked, so that two refreshes of one
/// session happen one after the other.
pub async fn refresh(
    conn: &mut Connection,
    presented: TokenHash,
    next: TokenHash,
    now: DateTime<Utc>,
) -> StoreResult<Refreshed> {
    type Time = DateTime<Utc>;
    let owner: Option<SessionId> = refresh_tokens::table
        .find(presented)
        .select(refresh_tokens::session_id)
        .first(conn)
        .await
        .optional()?;
    let Some(id) = owner else { return Ok(Refreshed::Unknown) };
    let held: Option<(AccountId, i32, Time, Option<Time>)> = sessions::table
        .find(id)
        .select((
            sessions::account_id,
            sessions::generation,
            sessions::expires_at,
            sessions::revoked_at,
        ))
        .for_update()
        .first(conn)
        .await
        .optional()?;
    // Read again under the lock: another refresh may have replaced the token meanwhile. Of a session that ended long ago, housekeeping may have deleted the token.
    let stored: Option<(i32, Option<Time>)> = refresh_tokens::table
        .find(presented)
        .select((refresh_tokens::generation, refresh_tokens::replaced_at))
        .first(conn)
        .await
        .optional()?;
    let (Some((account, newest, expires_at, revoked_at)), Some((generation, replaced_at))) =
        (held, stored)
    else {
        return Ok(Refreshed::Unknown);
    };
    let token = PresentedRefresh {
        generation,
        replaced_at,
        newest,
        expires_at,
        revoked: revoked_at.is_some(),
    };
    let decision = decide(token, now);
    let next_generation = match decision {
        RefreshDecision::Ended => return Ok(Refreshed::Unknown),
        // Nothing is changed here: the account must be locked before its session.
        RefreshDecision::Reused => return Ok(Refreshed::Reused(id)),
        RefreshDecision::Rotate => newest + 1,
        RefreshDecision::Reissue => newest,
    };
    let current = refresh_tokens::table
        .filter(refresh_tokens::session_id.eq(id))
        .filter(refresh_tokens::replaced_at.is_null());
    // A token whose response was lost must not count as the predecessor of the next token.
    let left_generation = if decision == RefreshDecision::Reissue { SUPERSEDED } else { newest };
    diesel::update(current)
        .set((refresh_tokens::replaced_at.eq(now), refresh_tokens::generation.eq(left_generation)))
        .cached()
        .execute(conn)
        .await?;
    insert_token(conn, id, next, next_generation, now).await?;
    diesel::update(sessions::table.find(id))
        .set((
            sessions::generation.eq(next_generation),
            sessions::last_used_at.eq(now),
            sessions::expires_at.eq(now + SESSION_LIFETIME),
        ))
        .cached()
        .execute(conn)
        .await?;
    Ok(Refreshed::Renewed { session: id, account })
}

/// Ends a session of which an old refresh token was presented again, and revokes the personal access tokens that its
/// account has created since the session began: a thief of the refresh token may have created them.
pub async fn end_reused(store: &Store, id: SessionId, now: DateTime<Utc>) -> StoreResult<()> {
    let mut begun = store.begin().await?;
    let ended = end_reused_in(begun.conn(), id, now).await;
    begun.end(ended).await
}

async fn end_reused_in(
    conn: &mut Connection,
    id: SessionId,
    now: DateTime<Utc>,
) -> StoreResult<()> {
    let found: Option<(AccountId, DateTime<Utc>)> = sessions::table
        .find(id)
        .select((sessions::account_id, sessions::created_at))
        .first(conn)
        .await
        .optional()?;
    let Some((account, began_at)) = found else { return Ok(()) };
    // Locked in the same order as in `revoke_all`. Who creates a token locks the account first, too.
    credentials::lock_account(conn, account).await?;
    diesel::update(personal_access_tokens::table)
        .filter(personal_access_tokens::account_id.eq(account))
        .filter(personal_access_tokens::revoked_at.is_null())
        .filter(personal_access_tokens::created_at.ge(began_at))
        .set(personal_access_tokens::revoked_at.eq(now))
        .cached()
        .execute(conn)
        .await?;
    diesel::update(sessions::table.find(id).filter(sessions::revoked_at.is_null()))
        .set((
            sessions::revoked_at.eq(now),
            sessions::revoked_reason.eq(RevokeReason::RefreshReused),
        ))
        .cached()
        .execute(conn)
        .await?;
    Ok(())
}

/// Ends all sessions of an account except `spare`, and its personal access tokens: a thief may have created them.
pub(super) async fn revoke_all(
    conn: &mut Connection,
    account: AccountId,
    spare: Option<SessionId>,
    reason: RevokeReason,
    now: DateTime<Utc>,
) -> StoreResult<()> {
    diesel::update(personal_access_tokens::table)
        .filter(personal_access_tokens::account_id.eq(account))
        .filter(personal_access_tokens::revoked_at.is_null())
        .set(personal_access_tokens::revoked_at.eq(now))
        .cached()
        .execute(conn)
        .await?;
    let spare = spare.unwrap_or(SessionId(Uuid::nil()));
    diesel::update(sessions::table)
        .filter(sessions::account_id.eq(account))
        .filter(sessions::revoked_at.is_null())
        .filter(sessions::id.ne(spare))
        .set((sessions::revoked_at.eq(now), sessions::revoked_reason.eq(reason)))
        .cached()
        .execute(conn)
        .await?;
    Ok(())
}

/// The session in which a permission was granted; `None`: it was granted to a personal access token.
pub fn current<P>(by: &Granted<P>) -> Option<SessionId> {
    match by.credential() {
        Credential::Session(session) => Some(*session),
        Credential::Token { .. } => None,
    }
}

/// Ends one of the caller's sessions. `false`: the caller has no such active session.
pub async fn end(
    conn: &mut Connection,
    by: &Acting<EndOwnSessions>,
    session: SessionId,
    now: DateTime<Utc>,
) -> StoreResult<bool> {
    let sessions_ended = diesel::update(sessions::table)
        .filter(sessions::id.eq(session))
        .filter(sessions::account_id.eq(by.account()))
        .filter(sessions::revoked_at.is_null())
        .set((sessions::revoked_at.eq(now), sessions::revoked_reason.eq(RevokeReason::Logout)))
        .cached()
        .execute(conn)
        .await?;
    Ok(sessions_ended == 1)
}

/// The caller's active sessions, the newest first, at most [`MOST_LISTED`]. An older program may have begun more than
/// [`MOST_SESSIONS`].
pub async fn list(
    conn: &mut Connection,
    by: &Granted<ReadOwnAccount>,
    now: DateTime<Utc>,
) -> StoreResult<Vec<SessionRow>> {
    Ok(sessions::table
        .filter(sessions::account_id.eq(by.account()))
        .filter(sessions::revoked_at.is_null())
        .filter(sessions::expires_at.gt(now))
        .select(SessionRow::as_select())
        .order(sessions::id.desc())
        .limit(MOST_LISTED)
        .load(conn)
        .await?)
}

/// The current identity behind a session; `None`: the session has ended, or its account is banned.
pub async fn identify(
    mut conn: &Connection,
    id: SessionId,
    demand: SecondFactorDemand,
    now: DateTime<Utc>,
) -> StoreResult<Option<Identity>> {
    let found: Option<(AccountId, Role, bool, Option<DateTime<Utc>>)> = sessions::table
        .inner_join(accounts::table.on(accounts::id.eq(sessions::account_id)))
        .filter(sessions::id.eq(id))
        .filter(sessions::revoked_at.is_null())
        .filter(sessions::expires_at.gt(now))
        .filter(accounts::banned_at.is_null())
        .select((
            accounts::id,
            accounts::role,
            accounts::must_change_password,
            accounts::second_factor_since,
        ))
        .first(&mut conn)
        .await
        .optional()?;
    let Some((account, role, must_change_password, second_factor_since)) = found else {
        return Ok(None);
    };
    Ok(Some(Identity {
        account,
        role,
        credential: Credential::Session(id),
        must_change_password,
        second_factor_due: demand.covers(role) && second_factor_since.is_none(),
    }))
}

/// The session of the browser with this cookie, and when it was last marked as used; it may have ended.
pub async fn find_by_browser_token(
    mut conn: &Connection,
    token: TokenHash,
) -> StoreResult<Option<(SessionId, DateTime<Utc>)>> {
    Ok(sessions::table
        .filter(sessions::browser_token_hash.eq(token))
        .select((sessions::id, sessions::last_used_at))
        .first(&mut conn)
        .await
        .optional()?)
}

/// Marks the session of a browser as used, which extends its lifetime. An ended session stays ended.
pub async fn renew_browser_session(
    conn: &mut Connection,
    id: SessionId,
    now: DateTime<Utc>,
) -> StoreResult<()> {
    diesel::update(sessions::table.find(id))
        .filter(sessions::revoked_at.is_null())
        .filter(sessions::expires_at.gt(now))
        .filter(sessions::last_used_at.lt(now - BROWSER_RENEWAL))
        .set((sessions::last_used_at.eq(now), sessions::expires_at.eq(now + SESSION_LIFETIME)))
        .cached()
        .execute(conn)
        .await?;
    Ok(())
}
