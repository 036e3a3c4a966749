//! Personal access tokens.

use chrono::{DateTime, Duration, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use super::credentials;
use crate::auth::permission::{
    Acting, Credential, Granted, Identity, ManageOwnTokens, Role, Scope,
};
use crate::auth::second_factor::SecondFactorDemand;
use crate::auth::secret::TokenHash;
use crate::domain::ids::{AccountId, TokenId};
use crate::store::db::schema::{accounts, personal_access_tokens as tokens};
use crate::store::db::statement::{CachePrepared as _, sql};
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::{Connection, Store, StoreResult};

/// Most active tokens of one account.
pub const MAX_TOKENS: i64 = 50;

/// A token as its owner sees it; the secret is shown only once, in the response to its creation.
#[derive(Clone, Debug, Queryable, QueryableByName, Selectable)]
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
    /// This is a repeated request: the secret is not shown again. `None`: the token was revoked since, or has expired.
    Repeat(Option<TokenRow>),
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
    store: &Store,
    by: &Granted<ManageOwnTokens>,
    new: &NewToken<'_>,
    key: Option<&IdempotencyClaim>,
) -> Result<TokenCreated, IdempotentError> {
    let first = async |conn: &Connection, by: &Acting<ManageOwnTokens>| {
        let earlier = idempotency::begin(conn, key, new.id).await?;
        if earlier.is_none() {
            credentials::lock_account(conn, by.account()).await?;
        }
        Ok(earlier)
    };
    let last =
        async |mut conn: &Connection, by: &Acting<ManageOwnTokens>, earlier: Option<TokenId>| {
            if let Some(earlier) = earlier {
                let row = own(by.account(), new.at)
                    .filter(tokens::id.eq(earlier))
                    .select(TokenRow::as_select());
                return Ok(TokenCreated::Repeat(row.first(&mut conn).await.optional()?));
            }
            let Some(row) = insert(conn, by, new).await? else {
                idempotency::forget(conn, key).await?;
                return Ok(TokenCreated::TooMany);
            };
            Ok(TokenCreated::New(row))
        };
    store.transaction_by_steps(by, new.at, first, last).await
}

/// Stores a token, unless the account has [`MAX_TOKENS`] active ones. The account's row must have been locked by an
/// earlier statement: the statement that takes the lock would count the tokens as they were before it waited.
async fn insert(
    mut conn: &Connection,
    by: &Acting<ManageOwnTokens>,
    new: &NewToken<'_>,
) -> StoreResult<Option<TokenRow>> {
    let scopes: Vec<&str> = new.scopes.iter().map(|scope| scope.as_str()).collect();
    let row = sql("INSERT INTO personal_access_tokens (id, account_id, name, token_hash, scopes, created_at, expires_at) \
         SELECT $id, $account, $name, $hash, $scopes, $at, $expires_at \
         WHERE (SELECT count(*) FROM personal_access_tokens WHERE account_id = $account AND revoked_at IS NULL AND expires_at > $at) < $limit \
         RETURNING id, name, scopes, created_at, expires_at, last_used_at")
        .bind("id", new.id)
        .bind("account", by.account())
        .bind("name", new.name)
        .bind("hash", new.hash)
        .bind("scopes", scopes)
        .bind("at", new.at)
        .bind("expires_at", new.expires_at)
        .bind("limit", MAX_TOKENS)
        .get_result(&mut conn)
        .await
        .optional()?;
    Ok(row)
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
/// minute, if it can be stored.
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
        let used = diesel::update(tokens::table.find(id)).set(tokens::last_used_at.eq(now));
        if let Err(error) = used.cached().execute(conn).await {
            // A server that is read-only or full still answers reads. The next request tries again.
            tracing::warn!(%error, token = %id, "cannot store that a token was used");
        }
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
