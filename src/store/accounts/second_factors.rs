//! Second factors: sealed secrets, accepted codes, recovery codes. Every change locks the account's row. If one code is
//! presented several times at once, on any instances, the first transaction uses the code, and the others find it used.

use chrono::{DateTime, Duration, Utc};
use diesel::prelude::*;
use diesel::result::Error as DieselError;
use diesel_async::RunQueryDsl;

use super::account_records::{VerifiedPassword, lock_verified};
use super::sessions::{self, RevokeReason};
use crate::auth::keys::KeyRing;
use crate::auth::permission::{
    Acting, Granted, ManageAccounts, ManageOwnSecondFactor, Operator, ReadOwnAccount,
};
use crate::auth::sealed::Sealed;
use crate::auth::second_factor::{ENROLMENT_LIFETIME, PresentedFactor, TotpSecret};
use crate::auth::secret::TokenHash;
use crate::domain::ids::AccountId;
use crate::store::db::schema::{accounts, second_factor_codes as codes, second_factors as factors};
use crate::store::db::statement::CachePrepared as _;
use crate::store::operations::audit;
use crate::store::{Connection, StoreError, StoreResult};

/// Secrets that were never confirmed are deleted after this time.
pub(in crate::store) const UNCONFIRMED_RETENTION: Duration = Duration::days(1);

/// The state of an account's second factor.
#[derive(Clone, Copy, Debug)]
pub struct SecondFactorState {
    /// Since when it is required at log-in; `None`: it is off.
    pub since: Option<DateTime<Utc>>,
    /// Until when the first code of a set-up that is not confirmed can be sent.
    pub pending_until: Option<DateTime<Utc>>,
    /// How many recovery codes are unused.
    pub recovery_codes_left: i64,
}

/// The result of a change of the caller's second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorChanged {
    /// Done.
    Yes,
    /// The password, or the second factor, was changed since it was read.
    Conflict,
    /// The code is wrong or was already used.
    WrongCode,
}

/// The result of confirming with the first code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirmed {
    /// From now on a log-in needs a code.
    Yes,
    WrongCode,
    /// No set-up waits for confirmation, or it has expired.
    NothingPending,
    /// There is a second factor already.
    AlreadyOn,
}

struct Stored {
    sealed: Sealed,
    created_at: DateTime<Utc>,
    last_step: Option<i64>,
}

async fn find(conn: &mut Connection, account: AccountId) -> StoreResult<Option<Stored>> {
    type Row = (String, Vec<u8>, DateTime<Utc>, Option<i64>);
    let found: Option<Row> = factors::table
        .find(account)
        .select((factors::key_id, factors::sealed, factors::created_at, factors::last_step))
        .first(conn)
        .await
        .optional()?;
    Ok(found.map(|(key_id, bytes, created_at, last_step)| Stored {
        sealed: Sealed { key_id, bytes },
        created_at,
        last_step,
    }))
}

fn open(keys: &KeyRing, account: AccountId, stored: &Stored) -> StoreResult<TotpSecret> {
    TotpSecret::open(keys, account, &stored.sealed)
        .map_err(|error| StoreError::Fault(DieselError::DeserializationError(Box::new(error))))
}

/// The state of the caller's second factor.
pub async fn state(
    conn: &mut Connection,
    by: &Granted<ReadOwnAccount>,
    now: DateTime<Utc>,
) -> StoreResult<SecondFactorState> {
    let account = by.account();
    let since: Option<DateTime<Utc>> =
        accounts::table.find(account).select(accounts::second_factor_since).first(conn).await?;
    let begun = match since {
        Some(_) => None,
        None => find(conn, account).await?.map(|stored| stored.created_at + ENROLMENT_LIFETIME),
    };
    let left = codes::table.filter(codes::account_id.eq(account)).filter(codes::used_at.is_null());
    Ok(SecondFactorState {
        since,
        pending_until: begun.filter(|until| *until > now),
        recovery_codes_left: left.count().get_result(conn).await?,
    })
}

/// Stores a secret that is not required until it is confirmed; replaces one that was never confirmed. `false`: the
/// password was changed since it was verified, or there is a second factor now.
pub async fn begin(
    conn: &mut Connection,
    _by: &Acting<ManageOwnSecondFactor>,
    verified: &VerifiedPassword,
    secret: &Sealed,
    now: DateTime<Utc>,
) -> StoreResult<bool> {
    if verified.second_factor_since.is_some() || !lock_verified(conn, verified).await? {
        return Ok(false);
    }
    let values = (
        factors::key_id.eq(&secret.key_id),
        factors::sealed.eq(&secret.bytes),
        factors::created_at.eq(now),
    );
    diesel::insert_into(factors::table)
        .values((factors::account_id.eq(verified.account), values))
        .on_conflict(factors::account_id)
        .do_update()
        .set(values)
        .cached()
        .execute(conn)
        .await?;
    Ok(true)
}

/// Switches the second factor on, if `code` belongs to the pending secret. All other sessions and all personal access
/// tokens end, because they were created with the password alone.
pub async fn confirm(
    conn: &mut Connection,
    by: &Acting<ManageOwnSecondFactor>,
    keys: &KeyRing,
    code: &PresentedFactor,
    recovery_codes: &[TokenHash],
    now: DateTime<Utc>,
) -> StoreResult<Confirmed> {
    let account = by.account();
    if lock_account(conn, account).await?.is_some_and(|held| held.since.is_some()) {
        return Ok(Confirmed::AlreadyOn);
    }
    let pending = find(conn, account).await?;
    let Some(pending) = pending.filter(|stored| now < stored.created_at + ENROLMENT_LIFETIME)
    else {
        return Ok(Confirmed::NothingPending);
    };
    let secret = open(keys, account, &pending)?;
    let step = match code {
        PresentedFactor::Code(code) => secret.step_of(code, now),
        PresentedFactor::Recovery(_) => None,
    };
    let Some(step) = step else { return Ok(Confirmed::WrongCode) };
    diesel::update(factors::table.find(account))
        .set(factors::last_step.eq(step))
        .cached()
        .execute(conn)
        .await?;
    diesel::update(accounts::table.find(account))
        .set(accounts::second_factor_since.eq(now))
        .cached()
        .execute(conn)
        .await?;
    store_codes(conn, account, recovery_codes).await?;
    sessions::revoke_all(
        conn,
        account,
        sessions::current(by),
        RevokeReason::SecondFactorChanged,
        now,
    )
    .await?;
    write_audit(conn, Some(account), account, "account.second_factor_on", now).await?;
    Ok(Confirmed::Yes)
}

/// Accepts a code of an account's second factor once. The transaction must have locked the account's row.
pub(in crate::store) async fn accept(
    conn: &mut Connection,
    keys: &KeyRing,
    account: AccountId,
    presented: &PresentedFactor,
    now: DateTime<Utc>,
) -> StoreResult<bool> {
    match presented {
        PresentedFactor::Code(code) => accept_code(conn, keys, account, code, now).await,
        PresentedFactor::Recovery(code) => {
            let unused = codes::table.find((account, code)).filter(codes::used_at.is_null());
            let used =
                diesel::update(unused).set(codes::used_at.eq(now)).cached().execute(conn).await?
                    == 1;
            if used {
                let action = "account.second_factor_code_used";
                write_audit(conn, Some(account), account, action, now).await?;
            }
            Ok(used)
        }
    }
}

/// Accepts a code if its time step is later than those of all earlier codes (RFC 6238, 5.2).
async fn accept_code(
    conn: &mut Connection,
    keys: &KeyRing,
    account: AccountId,
    code: &str,
    now: DateTime<Utc>,
) -> StoreResult<bool> {
    let Some(stored) = find(conn, account).await? else { return Ok(false) };
    let secret = open(keys, account, &stored)?;
    let step =
        secret.step_of(code, now).filter(|step| stored.last_step.is_some_and(|last| *step > last));
    let Some(step) = step else { return Ok(false) };
    // A secret that an older key encrypted is encrypted again with the newest one, so that older keys can be retired.
    let sealed = match stored.sealed {
        sealed if sealed.key_id == keys.sealing().id() => sealed,
        _ => secret.seal(keys, account),
    };
    diesel::update(factors::table.find(account))
        .set((
            factors::last_step.eq(step),
            factors::key_id.eq(sealed.key_id),
            factors::sealed.eq(sealed.bytes),
        ))
        .cached()
        .execute(conn)
        .await?;
    Ok(true)
}

/// Switches the caller's second factor off, with the password and a code.
pub async fn switch_off(
    conn: &mut Connection,
    by: &Acting<ManageOwnSecondFactor>,
    keys: &KeyRing,
    verified: &VerifiedPassword,
    presented: &PresentedFactor,
    now: DateTime<Utc>,
) -> StoreResult<FactorChanged> {
    let account = by.account();
    if !lock_verified(conn, verified).await? {
        return Ok(FactorChanged::Conflict);
    }
    if !accept(conn, keys, account, presented, now).await? {
        return Ok(FactorChanged::WrongCode);
    }
    forget(conn, account).await?;
    write_audit(conn, Some(account), account, "account.second_factor_off", now).await?;
    Ok(FactorChanged::Yes)
}

/// Replaces all recovery codes, with the password and a code.
pub async fn replace_recovery_codes(
    conn: &mut Connection,
    by: &Acting<ManageOwnSecondFactor>,
    keys: &KeyRing,
    verified: &VerifiedPassword,
    presented: &PresentedFactor,
    recovery_codes: &[TokenHash],
    now: DateTime<Utc>,
) -> StoreResult<FactorChanged> {
    let account = by.account();
    if !lock_verified(conn, verified).await? {
        return Ok(FactorChanged::Conflict);
    }
    if !accept(conn, keys, account, presented, now).await? {
        return Ok(FactorChanged::WrongCode);
    }
    diesel::delete(codes::table.filter(codes::account_id.eq(account))).execute(conn).await?;
    store_codes(conn, account, recovery_codes).await?;
    write_audit(conn, Some(account), account, "account.second_factor_codes_replaced", now).await?;
    Ok(FactorChanged::Yes)
}

/// The result of removing the second factor of another account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorRemoved {
    /// The password alone is enough again.
    Yes,
    /// The account had no second factor.
    WasOff,
    /// There is no such account.
    NoAccount,
}

/// Removes the second factor of another account, and ends all its sessions and tokens: another person may have the
/// device.
pub async fn remove(
    conn: &mut Connection,
    by: &Acting<ManageAccounts>,
    account: AccountId,
    now: DateTime<Utc>,
) -> StoreResult<FactorRemoved> {
    remove_as(conn, Some(by.account()), account, now).await
}

/// Like [`remove`], from the command line.
pub async fn remove_by_operator(
    conn: &mut Connection,
    _by: &Operator,
    account: AccountId,
    now: DateTime<Utc>,
) -> StoreResult<FactorRemoved> {
    remove_as(conn, None, account, now).await
}

async fn remove_as(
    conn: &mut Connection,
    actor: Option<AccountId>,
    account: AccountId,
    now: DateTime<Utc>,
) -> StoreResult<FactorRemoved> {
    match lock_account(conn, account).await? {
        None => return Ok(FactorRemoved::NoAccount),
        Some(LockedAccount { since: None }) => return Ok(FactorRemoved::WasOff),
        Some(LockedAccount { since: Some(_) }) => {}
    }
    forget(conn, account).await?;
    sessions::revoke_all(conn, account, None, RevokeReason::SecondFactorChanged, now).await?;
    write_audit(conn, actor, account, "account.second_factor_removed", now).await?;
    Ok(FactorRemoved::Yes)
}

/// An account whose row is locked until the end of the transaction.
struct LockedAccount {
    /// Since when it has a second factor.
    since: Option<DateTime<Utc>>,
}

/// Locks the account's row. `None`: no such account.
async fn lock_account(
    conn: &mut Connection,
    account: AccountId,
) -> StoreResult<Option<LockedAccount>> {
    let row = accounts::table.find(account).select(accounts::second_factor_since);
    let since = row.for_no_key_update().first(conn).await.optional()?;
    Ok(since.map(|since| LockedAccount { since }))
}

async fn forget(conn: &mut Connection, account: AccountId) -> StoreResult<()> {
    // The foreign key of `second_factor_codes` also deletes the codes.
    diesel::delete(factors::table.find(account)).execute(conn).await?;
    diesel::update(accounts::table.find(account))
        .set(accounts::second_factor_since.eq(None::<DateTime<Utc>>))
        .cached()
        .execute(conn)
        .await?;
    Ok(())
}

async fn store_codes(
    conn: &mut Connection,
    account: AccountId,
    hashes: &[TokenHash],
) -> StoreResult<()> {
    let rows: Vec<_> = hashes
        .iter()
        .map(|hash| (codes::account_id.eq(account), codes::code_hash.eq(hash)))
        .collect();
    diesel::insert_into(codes::table).values(rows).cached().execute(conn).await?;
    Ok(())
}

async fn write_audit(
    conn: &mut Connection,
    actor: Option<AccountId>,
    account: AccountId,
    action: &str,
    now: DateTime<Utc>,
) -> StoreResult<()> {
    let target = format!("account:{account}");
    let details = serde_json::json!({});
    audit::write(conn, audit::NewAuditEntry { actor, action, target, details, at: now }).await
}
