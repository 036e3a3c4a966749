//! Personal access tokens.

use chrono::{DateTime, Duration, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::auth::permission::{
    Acting, Credential, Granted, Identity, ManageOwnTokens, Role, Scope,
};
use crate::auth::second_factor::SecondFactorDemand;
use crate::auth::secret::TokenHash;
use crate::domain::ids::{AccountId, TokenId};
use crate::store::db::schema::{accounts, personal_access_tokens as tokens};
use crate::store::db::statement::CachePrepared as _;
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::{Connection, StoreResult};

/// Most active tokens of one account.
pub const MAX_TOKENS: i64 = 50;

/// A token as its owner sees it; the secret is shown only once, in the response to its creation.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = tokens)]
pub struct TokenRow {
    pub id: TokenId,
    /// Its name, chosen by the owner.
    pub name: String,
    /// Names of its scopes.
    pub scopes: Vec<String>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<DateTime<Utc>>,
}

/// A token to store.
pub struct NewToken<'a> {
    pub id: TokenId,
    /// Its name, chosen by the owner.
    pub name: &'a str,
    /// Hash of the secret.
    pub hash: TokenHash,
    pub scopes: &'a [Scope],
    /// When it expires.
    pub expires_at: DateTime<Utc>,
    /// The current time.
    pub at: DateTime<Utc>,
}

/// The result of a request for a token.
#[derive(Debug)]
pub enum TokenCreated {
    /// Stored.
    New(TokenRow),
    /// This is a repeated request: the secret is not shown again.
    Repeat(TokenRow),
    /// The account has [`MAX_TOKENS`] active ones.
    TooMany,
}

fn own(account: AccountId, now: DateTime<Utc>) -> tokens::BoxedQuery<'static, diesel::pg::Pg> {
    tokens::table
        .filter(tokens::account_id.eq(account))
        .filter(tokens::revoked_at.is_null())
        .filter(tokens::expires_at.gt(now))
        .into_boxed()
}

/// Stores a token. The account's row is locked, so that parallel requests cannot exceed the limit.
pub async fn create(
    conn: &mut Connection,
    by: &Acting<ManageOwnTokens>,
    new: &NewToken<'_>,
    key: Option<&IdempotencyClaim>,
) -> Result<TokenCreated, IdempotentError> {
    if let Some(earlier) = idempotency::begin(conn, key, new.id).await? {
        let row = tokens::table.find(earlier).select(TokenRow::as_select()).first(conn).await?;
        return Ok(TokenCreated::Repeat(row));
    }
    // Not `FOR UPDATE`: requests that have claimed an idempotency key hold a key-share lock on this row, and two of
    // them would deadlock.
    accounts::table
        .find(by.account())
        .select(accounts::id)
        .for_no_key_update()
        .first::<Uuid>(conn)
        .await?;
    let living: i64 = own(by.account(), new.at).count().get_result(conn).await?;
    if living >= MAX_TOKENS {
        idempotency::forget(conn, key).await?;
        return Ok(TokenCreated::TooMany);
    }
    let scopes: Vec<&str> = new.scopes.iter().map(|scope| scope.as_str()).collect();
    let row = diesel::insert_into(tokens::table)
        .values((
            tokens::id.eq(new.id),
            tokens::account_id.eq(by.account()),
            tokens::name.eq(new.name),
            tokens::token_hash.eq(new.hash),
            tokens::scopes.eq(scopes),
            tokens::created_at.eq(new.at),
            tokens::expires_at.eq(new.expires_at),
        ))
        .returning(TokenRow::as_returning())
        .get_result(conn)
        .await?;
    Ok(TokenCreated::New(row))
}

/// The caller's active tokens, the newest first.
pub async fn list(
    conn: &mut Connection,
    by: &Granted<ManageOwnTokens>,
    now: DateTime<Utc>,
) -> StoreResult<Vec<TokenRow>> {
    Ok(own(by.account(), now)
        .select(TokenRow::as_select())
        .order(tokens::id.desc())
        .load(conn)
        .await?)
}

/// Revokes one of the caller's tokens. `false`: no such active token.
pub async fn revoke(
    conn: &mut Connection,
    by: &Acting<ManageOwnTokens>,
    id: TokenId,
    now: DateTime<Utc>,
) -> StoreResult<bool> {
    let revoked = diesel::update(tokens::table.find(id))
        .filter(tokens::account_id.eq(by.account()))
        .filter(tokens::revoked_at.is_null())
        .set(tokens::revoked_at.eq(now))
        .cached()
        .execute(conn)
        .await?;
    Ok(revoked == 1)
}

/// Finds the owner of an active token; `None` when it ended or its account is banned. Records the use, at most once a
/// minute.
pub async fn identify(
    conn: &mut Connection,
    hash: TokenHash,
    demand: SecondFactorDemand,
    now: DateTime<Utc>,
) -> StoreResult<Option<Identity>> {
    type Time = DateTime<Utc>;
    type Found = (TokenId, Vec<Scope>, Option<Time>, AccountId, Role, bool, Option<Time>);
    let found: Option<Found> = tokens::table
        .inner_join(accounts::table.on(accounts::id.eq(tokens::account_id)))
        .filter(tokens::token_hash.eq(hash))
        .filter(tokens::revoked_at.is_null())
        .filter(tokens::expires_at.gt(now))
        .filter(accounts::banned_at.is_null())
        .select((
            tokens::id,
            tokens::scopes,
            tokens::last_used_at,
            accounts::id,
            accounts::role,
            accounts::must_change_password,
            accounts::second_factor_since,
        ))
        .first(conn)
        .await
        .optional()?;
    let Some((id, scopes, last_used_at, account, role, must_change_password, since)) = found else {
        return Ok(None);
    };
    if last_used_at.is_none_or(|at| now - at >= Duration::minutes(1)) {
        diesel::update(tokens::table.find(id))
            .set(tokens::last_used_at.eq(now))
            .cached()
            .execute(conn)
            .await?;
    }
    let scopes = scopes.into_iter().collect();
    Ok(Some(Identity {
        account,
        role,
        credential: Credential::Token { id, scopes },
        must_change_password,
        second_factor_due: demand.covers(role) && since.is_none(),
    }))
}
