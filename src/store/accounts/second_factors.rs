//! Second factors: sealed secrets, the codes that were accepted, recovery codes. Whoever changes anything here holds the account's row, so
//! that of several who present one code at once, on whichever instance, one comes first and the others find it used.

use chrono::{DateTime, Duration, Utc};
use diesel::prelude::*;
use diesel::result::Error as DieselError;
use diesel_async::RunQueryDsl;

use super::account_records::{VerifiedPassword, hold_verified};
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
use crate::store::operations::audit;
use crate::store::{Connection, StoreError, StoreResult};

/// Secrets that were never confirmed are deleted after this.
pub(in crate::store) const UNCONFIRMED_RETENTION: Duration = Duration::days(1);

/// What an account's second factor is like.
#[derive(Clone, Copy, Debug)]
pub struct SecondFactorState {
    /// Since when it is asked for; `None`: it is not.
    pub since: Option<DateTime<Utc>>,
    /// Until when the first code can be sent of one that was begun and is not confirmed.
    pub pending_until: Option<DateTime<Utc>>,
    /// How many recovery codes were not used yet.
    pub recovery_codes_left: i64,
}

/// What became of a change of the own second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorChanged {
    /// Done.
    Yes,
    /// The password, or the second factor, was changed since it was looked at.
    Conflict,
    /// The code is wrong or was used.
    WrongCode,
}

/// What became of the first code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirmed {
    /// From now on a log-in needs a code.
    Yes,
    WrongCode,
    /// Nothing waits to be confirmed, or it has waited too long.
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

/// What the own second factor is like.
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

/// Stores a secret that is not asked for until it is confirmed, in the place of one that never was. `false`: the password was changed
/// since it was verified, or there is a second factor now.
pub async fn begin(
    conn: &mut Connection,
    _by: &Acting<ManageOwnSecondFactor>,
    verified: &VerifiedPassword,
    secret: &Sealed,
    now: DateTime<Utc>,
) -> StoreResult<bool> {
    if verified.second_factor_since.is_some() || !hold_verified(conn, verified).await? {
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
        .execute(conn)
        .await?;
    Ok(true)
}

/// Switches the second factor on, if `code` belongs to the secret that waits. All other sessions and all personal access tokens end:
/// whoever made them needed the password alone.
pub async fn confirm(
    conn: &mut Connection,
    by: &Acting<ManageOwnSecondFactor>,
    keys: &KeyRing,
    code: &PresentedFactor,
    recovery_codes: &[TokenHash],
    now: DateTime<Utc>,
) -> StoreResult<Confirmed> {
    let account = by.account();
    if hold(conn, account).await?.is_some_and(|held| held.since.is_some()) {
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
        .execute(conn)
        .await?;
    diesel::update(accounts::table.find(account))
        .set(accounts::second_factor_since.eq(now))
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
    note(conn, Some(account), account, "account.second_factor_on", now).await?;
    Ok(Confirmed::Yes)
}

/// Takes what was presented as second factor of an account, once. Inside a transaction that holds the account's row.
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
            let used = diesel::update(unused).set(codes::used_at.eq(now)).execute(conn).await? == 1;
            if used {
                let action = "account.second_factor_code_used";
                note(conn, Some(account), account, action, now).await?;
            }
            Ok(used)
        }
    }
}

/// Takes a code if its time step is later than that of every code before (RFC 6238, 5.2).
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
    // What an older key encrypted moves to the newest one, so that the older need not be kept for ever.
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
        .execute(conn)
        .await?;
    Ok(true)
}

/// Switches the own second factor off, with the password and a code.
pub async fn switch_off(
    conn: &mut Connection,
    by: &Acting<ManageOwnSecondFactor>,
    keys: &KeyRing,
    verified: &VerifiedPassword,
    presented: &PresentedFactor,
    now: DateTime<Utc>,
) -> StoreResult<FactorChanged> {
    let account = by.account();
    if !hold_verified(conn, verified).await? {
        return Ok(FactorChanged::Conflict);
    }
    if !accept(conn, keys, account, presented, now).await? {
        return Ok(FactorChanged::WrongCode);
    }
    forget(conn, account).await?;
    note(conn, Some(account), account, "account.second_factor_off", now).await?;
    Ok(FactorChanged::Yes)
}

/// Puts new recovery codes in the place of all old ones, with the password and a code.
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
    if !hold_verified(conn, verified).await? {
        return Ok(FactorChanged::Conflict);
    }
    if !accept(conn, keys, account, presented, now).await? {
        return Ok(FactorChanged::WrongCode);
    }
    diesel::delete(codes::table.filter(codes::account_id.eq(account))).execute(conn).await?;
    store_codes(conn, account, recovery_codes).await?;
    note(conn, Some(account), account, "account.second_factor_codes_replaced", now).await?;
    Ok(FactorChanged::Yes)
}

/// What became of taking off somebody's second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorRemoved {
    /// The password alone is enough again.
    Yes,
    /// There was none.
    WasOff,
    /// There is no such account.
    NoAccount,
}

/// Takes another's second factor off and ends all sessions and tokens: the device may be in other hands.
pub async fn remove(
    conn: &mut Connection,
    by: &Acting<ManageAccounts>,
    account: AccountId,
    now: DateTime<Utc>,
) -> StoreResult<FactorRemoved> {
    remove_as(conn, Some(by.account()), account, now).await
}

/// The same from the command line.
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
    match hold(conn, account).await? {
        None => return Ok(FactorRemoved::NoAccount),
        Some(Held { since: None }) => return Ok(FactorRemoved::WasOff),
        Some(Held { since: Some(_) }) => {}
    }
    forget(conn, account).await?;
    sessions::revoke_all(conn, account, None, RevokeReason::SecondFactorChanged, now).await?;
    note(conn, actor, account, "account.second_factor_removed", now).await?;
    Ok(FactorRemoved::Yes)
}

/// An account whose row is held to the end of the transaction.
struct Held {
    /// Since when it has a second factor.
    since: Option<DateTime<Utc>>,
}

/// Holds the account's row. `None`: no such account.
async fn hold(conn: &mut Connection, account: AccountId) -> StoreResult<Option<Held>> {
    let row = accounts::table.find(account).select(accounts::second_factor_since);
    let since = row.for_no_key_update().first(conn).await.optional()?;
    Ok(since.map(|since| Held { since }))
}

async fn forget(conn: &mut Connection, account: AccountId) -> StoreResult<()> {
    // Its codes go with it.
    diesel::delete(factors::table.find(account)).execute(conn).await?;
    diesel::update(accounts::table.find(account))
        .set(accounts::second_factor_since.eq(None::<DateTime<Utc>>))
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
    diesel::insert_into(codes::table).values(rows).execute(conn).await?;
    Ok(())
}

async fn note(
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
