//! Idempotency records: written in the transaction that creates the resource.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::domain::ids::AccountId;
use crate::store::db::schema::idempotency_keys;
use crate::store::db::statement::{CachePrepared as _, sql};
use crate::store::{Connection, StoreError, StoreResult};

/// A client's `Idempotency-Key`, with the request that it belongs to.
#[derive(Clone, Debug)]
pub struct IdempotencyClaim {
    /// The account: keys of different accounts are independent.
    pub account: AccountId,
    /// The key as sent, or a keyed hash of a key that contains a serial code.
    pub key: String,
    /// The OpenAPI id of the operation.
    pub operation: &'static str,
    /// Keyed hash of the request body.
    pub body_mac: [u8; 32],
    /// The current time.
    pub at: DateTime<Utc>,
}

/// Result of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// The key is new: create the resource with this id.
    New,
    /// A repeated request, which created this resource: return it again.
    Repeat(Uuid),
    /// The key was used for another request.
    Mismatch,
    /// The first request with this key is still running, or its record was deleted just now: the client sends the request again.
    Running,
}

#[derive(QueryableByName)]
struct ClaimRow {
    #[diesel(sql_type = Bool)]
    locked: bool,
    #[diesel(sql_type = Bool)]
    noted: bool,
}

/// Claims a key for `resource`, in the transaction that creates it, before anything is written. Of two requests with the
/// same key, only one gets [`Claimed::New`]: the second gets [`Claimed::Running`] until the first commits.
pub async fn claim(
    mut conn: &Connection,
    claim: &IdempotencyClaim,
    resource: Uuid,
) -> StoreResult<Claimed> {
    let ClaimRow { locked, noted } = sql(
        "WITH held AS MATERIALIZED (SELECT pg_try_advisory_xact_lock($lock) AS locked), noted AS ( \
             INSERT INTO idempotency_keys (account_id, key, operation, body_mac, resource_id, created_at) \
             SELECT $account, $key, $operation, $body_mac, $resource, $at FROM held WHERE held.locked ON CONFLICT DO NOTHING RETURNING true \
         ) SELECT held.locked, EXISTS (SELECT FROM noted) AS noted FROM held",
    )
    .bind("lock", lock_number(claim))
    .bind("account", claim.account)
    .bind("key", &claim.key)
    .bind("operation", claim.operation)
    .bind("body_mac", &claim.body_mac[..])
    .bind("resource", resource)
    .bind("at", claim.at)
    .get_result(&mut conn)
    .await?;
    if !locked {
        return Ok(Claimed::Running);
    }
    if noted {
        return Ok(Claimed::New);
    }
    let earlier: Option<(String, Vec<u8>, Uuid)> = idempotency_keys::table
        .find((claim.account, &claim.key))
        .select((
            idempotency_keys::operation,
            idempotency_keys::body_mac,
            idempotency_keys::resource_id,
        ))
        .first(&mut conn)
        .await
        .optional()?;
    // The key had expired, and housekeeping has deleted it since: sent again, the request is a new one.
    let Some((operation, body_mac, resource)) = earlier else { return Ok(Claimed::Running) };
    let same = operation == claim.operation && body_mac == claim.body_mac;
    Ok(if same { Claimed::Repeat(resource) } else { Claimed::Mismatch })
}

/// The resource of an earlier request with the same key, operation and body, if there is one. Does not claim the key.
pub async fn answered(
    mut conn: &Connection,
    claim: &IdempotencyClaim,
) -> StoreResult<Option<Uuid>> {
    Ok(idempotency_keys::table
        .find((claim.account, &claim.key))
        .filter(idempotency_keys::operation.eq(claim.operation))
        .filter(idempotency_keys::body_mac.eq(&claim.body_mac[..]))
        .select(idempotency_keys::resource_id)
        .first(&mut conn)
        .await
        .optional()?)
}

/// Releases a key after a refused request, which created nothing.
pub async fn forget(conn: &Connection, claim: Option<&IdempotencyClaim>) -> StoreResult<()> {
    if let Some(claim) = claim {
        let mut conn = conn;
        diesel::delete(idempotency_keys::table.find((claim.account, &claim.key)))
            .execute(&mut conn)
            .await?;
    }
    Ok(())
}

/// Assigns another resource to a claimed key: the request turned out to concern an existing one.
pub async fn point_to(
    conn: &mut Connection,
    claim: &IdempotencyClaim,
    resource: Uuid,
) -> StoreResult<()> {
    diesel::update(idempotency_keys::table.find((claim.account, &claim.key)))
        .set(idempotency_keys::resource_id.eq(resource))
        .cached()
        .execute(conn)
        .await?;
    Ok(())
}

/// The resource of a request that changes several objects: a hash of their ids, in their order. A repeated request finds out with
/// [`are_others`] whether it means the same ones.
pub fn resource_of(changed: impl IntoIterator<Item = Uuid>) -> Uuid {
    use sha2::Digest as _;
    let mut digest = sha2::Sha256::new();
    for id in changed {
        digest.update(id.as_bytes());
    }
    let mut first = [0; 16];
    first.copy_from_slice(&digest.finalize()[..16]);
    uuid::Builder::from_custom_bytes(first).into_uuid()
}

/// Whether the first request changed other objects than a repeated one would. Older programs stored no hash, but a random id.
pub fn are_others(first: Uuid, repeated: Uuid) -> bool {
    first.get_version_num() == repeated.get_version_num() && first != repeated
}

/// The advisory lock of a key: the first eight bytes of a hash of its account and text. A collision only makes one of
/// two unrelated requests wait and retry.
fn lock_number(claim: &IdempotencyClaim) -> i64 {
    use sha2::Digest as _;
    let digest = sha2::Sha256::new()
        .chain_update(claim.account.0.as_bytes())
        .chain_update(&claim.key)
        .finalize();
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    i64::from_be_bytes(first)
}

/// Why an idempotent creation failed.
#[derive(Debug)]
pub enum IdempotentError {
    /// The key was used for another request: 422.
    Mismatch,
    /// The first request with this key is still running: 409.
    Running,
    /// The store failed.
    Store(StoreError),
}

impl From<StoreError> for IdempotentError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<diesel::result::Error> for IdempotentError {
    fn from(error: diesel::result::Error) -> Self {
        Self::Store(error.into())
    }
}

impl crate::store::db::pool::AsStoreError for IdempotentError {
    fn as_store_error(&self) -> Option<&StoreError> {
        match self {
            Self::Store(error) => Some(error),
            Self::Mismatch | Self::Running => None,
        }
    }
}

/// Claims the key if the client sent one: `Ok(None)` means that `resource` has to be created, `Ok(Some(id))` that an
/// earlier request created it.
pub async fn begin<I: Into<Uuid> + From<Uuid>>(
    conn: &Connection,
    claim_with: Option<&IdempotencyClaim>,
    resource: I,
) -> Result<Option<I>, IdempotentError> {
    let Some(claim_with) = claim_with else { return Ok(None) };
    match claim(conn, claim_with, resource.into()).await? {
        Claimed::New => Ok(None),
        Claimed::Repeat(id) => Ok(Some(id.into())),
        Claimed::Mismatch => Err(IdempotentError::Mismatch),
        Claimed::Running => Err(IdempotentError::Running),
    }
}
