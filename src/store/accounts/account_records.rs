//! Accounts and recovery codes.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::credentials;
use super::sessions::{self, RevokeReason};
use crate::auth::permission::{
    Acting, ChangeOwnPassword, ChangeOwnTrading, Granted, ManageAccounts, Operator,
    ReplaceOwnRecoveryCodes, Role,
};
use crate::auth::secret::TokenHash;
use crate::domain::copies::trade::Trading;
use crate::domain::ids::AccountId;
use crate::domain::text::AccountName;
use crate::store::db::schema::{accounts, audit_log, recovery_codes};
use crate::store::db::statement::{CachePrepared as _, run_commands, sql};
use crate::store::feedback::{banned_works, bans_and_blocks};
use crate::store::operations::audit;
use crate::store::serials::votes;
use crate::store::{Connection, StoreError, StoreResult};

/// An account as stored, without the password hash.
#[derive(Clone, Debug, Queryable, QueryableByName, Selectable)]
#[diesel(table_name = accounts)]
pub struct AccountRow {
    pub id: AccountId,
    /// Name as typed.
    pub name: String,
    role: Role,
    /// Whether the password was set by somebody else.
    pub must_change_password: bool,
    /// When it was banned.
    pub banned_at: Option<DateTime<Utc>>,
    /// When it was registered.
    pub created_at: DateTime<Utc>,
    /// Since when a log-in needs a second factor.
    pub second_factor_since: Option<DateTime<Utc>>,
    trading: Trading,
    /// Whether it is named on the leaderboard.
    pub on_leaderboard: bool,
}

impl AccountRow {
    pub fn role(&self) -> Role {
        self.role
    }

    /// Who may send it offers and see its copies.
    pub fn trading(&self) -> Trading {
        self.trading
    }
}

/// The data that a log-in is verified against.
#[derive(Clone, Debug)]
pub struct LoginRow {
    pub account: AccountRow,
    /// Its PHC string.
    pub password_hash: String,
}

/// An account to store.
pub struct NewAccount<'a> {
    pub id: AccountId,
    pub name: &'a AccountName,
    /// PHC string of its password.
    pub password_hash: &'a str,
    pub role: Role,
    /// Whether the password must be changed at the first log-in.
    pub must_change_password: bool,
    pub recovery_codes: &'a [TokenHash],
    /// The current time.
    pub at: DateTime<Utc>,
}

/// Whether a registration failed because another account has the name, or one that looks like it.
pub fn is_name_taken(error: &StoreError) -> bool {
    const INDEXES: [&str; 4] = [
        "accounts_name_key_key",
        "accounts_name_skeleton_key",
        "accounts_name_small_look_key",
        "accounts_name_capital_look_key",
    ];
    INDEXES.iter().any(|index| error.conflicts_with(index))
}

/// Registers an account. A taken name is a conflict that [`is_name_taken`] recognises.
pub async fn register(conn: &mut Connection, new: &NewAccount<'_>) -> StoreResult<AccountRow> {
    let row = diesel::insert_into(accounts::table)
        .values((
            accounts::id.eq(new.id),
            accounts::name.eq(new.name.as_str()),
            accounts::name_key.eq(new.name.key()),
            accounts::name_skeleton.eq(new.name.skeleton()),
            accounts::name_small_look.eq(new.name.small_look()),
            accounts::name_capital_look.eq(new.name.capital_look()),
            accounts::password_hash.eq(new.password_hash),
            accounts::role.eq(new.role),
            accounts::must_change_password.eq(new.must_change_password),
            accounts::created_at.eq(new.at),
        ))
        .returning(AccountRow::as_returning())
        .get_result(conn)
        .await?;
    store_recovery_codes(conn, new.id, new.recovery_codes).await?;
    Ok(row)
}

/// Creates an account of any role, from the command line.
pub async fn create(
    conn: &mut Connection,
    _by: &Operator,
    new: &NewAccount<'_>,
) -> StoreResult<AccountRow> {
    let row = register(conn, new).await?;
    let entry = audit::NewAuditEntry {
        actor: None,
        action: "account.created",
        target: format!("account:{}", new.id),
        details: serde_json::json!({ "role": new.role.as_str() }),
        at: new.at,
    };
    audit::write(conn, entry).await?;
    Ok(row)
}

/// Replaces the recovery codes of an account, whose row must be locked. Earlier codes become invalid.
async fn replace_recovery_codes(
    conn: &mut Connection,
    account: AccountId,
    codes: &[TokenHash],
) -> StoreResult<()> {
    diesel::delete(recovery_codes::table.filter(recovery_codes::account_id.eq(account)))
        .execute(conn)
        .await?;
    store_recovery_codes(conn, account, codes).await
}

async fn store_recovery_codes(
    conn: &mut Connection,
    account: AccountId,
    codes: &[TokenHash],
) -> StoreResult<()> {
    let rows: Vec<_> = codes
        .iter()
        .map(|code| (recovery_codes::account_id.eq(account), recovery_codes::code_hash.eq(code)))
        .collect();
    diesel::insert_into(recovery_codes::table).values(rows).cached().execute(conn).await?;
    Ok(())
}

/// The account of that name, with its password hash.
pub async fn find_for_login(
    conn: &mut Connection,
    name_key: &str,
) -> StoreResult<Option<LoginRow>> {
    let found: Option<(AccountRow, String)> = accounts::table
        .filter(accounts::name_key.eq(name_key))
        .select((AccountRow::as_select(), accounts::password_hash))
        .first(conn)
        .await
        .optional()?;
    Ok(found.map(|(account, password_hash)| LoginRow { account, password_hash }))
}

/// The account with that id, with its password hash.
pub async fn find_with_password(
    conn: &mut Connection,
    id: AccountId,
) -> StoreResult<Option<LoginRow>> {
    let found: Option<(AccountRow, String)> = accounts::table
        .find(id)
        .select((AccountRow::as_select(), accounts::password_hash))
        .first(conn)
        .await
        .optional()?;
    Ok(found.map(|(account, password_hash)| LoginRow { account, password_hash }))
}

/// The account with that id.
pub async fn find(conn: &mut Connection, id: AccountId) -> StoreResult<Option<AccountRow>> {
    Ok(accounts::table.find(id).select(AccountRow::as_select()).first(conn).await.optional()?)
}

#[derive(QueryableByName)]
struct KnownRow {
    #[diesel(sql_type = diesel::sql_types::Uuid)]
    id: AccountId,
}

/// The id of the account of that name, if it is that of `by`, or `by` knows of it: there was an offer between the two, `by` has blocked it, it shows lists, copies, decks or
/// designs to every player, it designed a card, or it has written to `by`: comments on designs and decks of `by`, replies to comments of `by`, suggested changes of designs of `by`.
/// Otherwise every name could be tried.
///
/// A banned account shows nothing, and an account shows no copies to those whom it has blocked: otherwise the answer
/// would tell of the ban or the block.
pub async fn find_known_name(
    conn: &mut Connection,
    by: AccountId,
    name_key: &str,
) -> StoreResult<Option<AccountId>> {
    let found: Option<KnownRow> = sql(
        "SELECT a.id FROM accounts a WHERE a.name_key = $name AND ( \
             a.id = $by OR EXISTS (SELECT FROM trades t WHERE t.offered_by = a.id AND t.offered_to = $by) \
             OR EXISTS (SELECT FROM trades t WHERE t.offered_by = $by AND t.offered_to = a.id) \
             OR EXISTS (SELECT FROM account_blocks b WHERE b.account_id = $by AND b.blocked_id = a.id) \
             OR a.banned_at IS NULL AND ( \
                 a.trading = 'public' AND NOT EXISTS (SELECT FROM account_blocks b WHERE b.account_id = a.id AND b.blocked_id = $by) \
                 OR EXISTS (SELECT FROM trade_lists l WHERE l.account_id = a.id AND l.visibility = 'public') \
                 OR EXISTS (SELECT FROM decks d WHERE d.account_id = a.id AND d.visibility = 'public' AND d.deleted_at IS NULL) \
                 OR EXISTS (SELECT FROM designs d WHERE d.account_id = a.id AND d.listed) \
                 OR EXISTS (SELECT FROM designer_rewards w WHERE w.account_id = a.id) \
                 OR EXISTS (SELECT FROM design_comments c JOIN designs d ON d.id = c.design_id WHERE c.account_id = a.id AND d.account_id = $by) \
                 OR EXISTS (SELECT FROM design_comments c JOIN decks d ON d.id = c.deck_id WHERE c.account_id = a.id AND d.account_id = $by) \
                 OR EXISTS (SELECT FROM design_comments c JOIN design_comments m ON m.id = c.reply_to WHERE c.account_id = a.id AND m.account_id = $by) \
                 OR EXISTS (SELECT FROM suggested_changes s JOIN designs d ON d.id = s.design_id WHERE s.account_id = a.id AND d.account_id = $by)))",
    )
    .bind("name", name_key)
    .bind("by", by)
    .get_result(conn)
    .await
    .optional()?;
    Ok(found.map(|row| row.id))
}

/// Whether any admin exists.
pub async fn any_admin(conn: &mut Connection) -> StoreResult<bool> {
    let found = accounts::table.filter(accounts::role.eq(Role::Admin));
    Ok(diesel::select(diesel::dsl::exists(found)).get_result(conn).await?)
}

/// A password that matched the hash that an account had when it was read.
pub struct VerifiedPassword {
    pub account: AccountId,
    /// The hash that it was checked against.
    pub hash: String,
    /// Since when the account had a second factor, at the time of the read.
    pub second_factor_since: Option<DateTime<Utc>>,
    /// If that hash is weaker than today's parameters: a stronger hash of the same password, to replace it.
    pub stronger: Option<String>,
}

/// Locks the account's row until the end of the transaction and stores the stronger hash, if the account still has the
/// verified hash and the same second factor, and is not banned; otherwise returns `false`. Waits for other transactions
/// that change the row, and reads their result.
pub(super) async fn lock_verified(
    conn: &mut Connection,
    verified: &VerifiedPassword,
) -> StoreResult<bool> {
    let current = accounts::table
        .find(verified.account)
        .filter(accounts::password_hash.eq(&verified.hash))
        .filter(accounts::second_factor_since.is_not_distinct_from(verified.second_factor_since))
        .filter(accounts::banned_at.is_null());
    let held = match &verified.stronger {
        Some(stronger) => {
            diesel::update(current)
                .set(accounts::password_hash.eq(stronger))
                .cached()
                .execute(conn)
                .await?
        }
        // An exclusive lock, not a shared one: shared locks overtake a waiting writer, so a loop of log-ins could delay
        // a password change without limit.
        None => {
            let row = current.select(accounts::id).for_no_key_update();
            row.first::<Uuid>(conn).await.optional()?.map_or(0, |_| 1)
        }
    };
    Ok(held == 1)
}

/// The entry of the audit log for a password that its owner has replaced.
const PASSWORD_CHANGED: &str = "account.password_changed";

/// Replaces the caller's password, if it is still the verified one (`old_hash`), and the recovery codes if new ones are
/// given, and ends all other sessions. `false`: the password was changed since the verification.
pub async fn change_password(
    conn: &mut Connection,
    by: &Acting<ChangeOwnPassword>,
    old_hash: &str,
    new_hash: &str,
    recovery_codes: Option<&[TokenHash]>,
    now: DateTime<Utc>,
) -> StoreResult<bool> {
    let account = by.account();
    let changed =
        diesel::update(accounts::table.find(account).filter(accounts::password_hash.eq(old_hash)))
            .set((accounts::password_hash.eq(new_hash), accounts::must_change_password.eq(false)))
            .cached()
            .execute(conn)
            .await?;
    if changed == 0 {
        return Ok(false);
    }
    if let Some(codes) = recovery_codes {
        replace_recovery_codes(conn, account, codes).await?;
    }
    sessions::revoke_all(conn, account, sessions::current(by), RevokeReason::PasswordChanged, now)
        .await?;
    audit::write(
        conn,
        audit::NewAuditEntry {
            actor: Some(account),
            action: PASSWORD_CHANGED,
            target: format!("account:{account}"),
            details: serde_json::json!({ "recovery_codes_replaced": recovery_codes.is_some() }),
            at: now,
        },
    )
    .await?;
    Ok(true)
}

/// Whether the caller has replaced the password since this time.
pub async fn has_changed_password_since(
    conn: &mut Connection,
    by: &Granted<ChangeOwnPassword>,
    since: DateTime<Utc>,
) -> StoreResult<bool> {
    let changes = audit_log::table
        .filter(audit_log::target.eq(format!("account:{}", by.account())))
        .filter(audit_log::action.eq(PASSWORD_CHANGED))
        .filter(audit_log::created_at.ge(since));
    Ok(diesel::select(diesel::dsl::exists(changes)).get_result(conn).await?)
}

/// Replaces the caller's recovery codes, if the password is still the verified one. `false`: it was changed since.
pub async fn change_recovery_codes(
    conn: &mut Connection,
    by: &Acting<ReplaceOwnRecoveryCodes>,
    verified: &VerifiedPassword,
    codes: &[TokenHash],
    now: DateTime<Utc>,
) -> StoreResult<bool> {
    let account = by.account();
    if !lock_verified(conn, verified).await? {
        return Ok(false);
    }
    replace_recovery_codes(conn, account, codes).await?;
    let entry = audit::NewAuditEntry {
        actor: Some(account),
        action: "account.recovery_codes_replaced",
        target: format!("account:{account}"),
        details: serde_json::json!({}),
        at: now,
    };
    audit::write(conn, entry).await?;
    Ok(true)
}

/// Sets a password from the command line, to be changed at the next log-in, replaces the recovery codes, and ends all sessions.
pub async fn reset_password(
    conn: &mut Connection,
    _by: &Operator,
    account: AccountId,
    new_hash: &str,
    recovery_codes: &[TokenHash],
    now: DateTime<Utc>,
) -> StoreResult<()> {
    diesel::update(accounts::table.find(account))
        .set((accounts::password_hash.eq(new_hash), accounts::must_change_password.eq(true)))
        .cached()
        .execute(conn)
        .await?;
    replace_recovery_codes(conn, account, recovery_codes).await?;
    sessions::revoke_all(conn, account, None, RevokeReason::PasswordChanged, now).await?;
    audit::write(
        conn,
        audit::NewAuditEntry {
            actor: None,
            action: "account.password_reset",
            target: format!("account:{account}"),
            details: serde_json::json!({}),
            at: now,
        },
    )
    .await
}

/// Uses up a recovery code and sets a new password; ends all sessions. `false`: the account has no such unused code.
pub async fn recover(
    conn: &mut Connection,
    account: AccountId,
    code: TokenHash,
    new_hash: &str,
    now: DateTime<Utc>,
) -> StoreResult<bool> {
    // The account is locked before its codes, as in every change of a password, to avoid deadlocks.
    credentials::lock_account(conn, account).await?;
    let used = diesel::update(
        recovery_codes::table.find((account, code)).filter(recovery_codes::used_at.is_null()),
    )
    .set(recovery_codes::used_at.eq(now))
    .cached()
    .execute(conn)
    .await?;
    if used == 0 {
        // If the account exists, there is its lock to commit. Waiting for the disk would reveal that.
        run_commands(conn, "SET LOCAL synchronous_commit = off").await?;
        return Ok(false);
    }
    diesel::update(accounts::table.find(account))
        .set((accounts::password_hash.eq(new_hash), accounts::must_change_password.eq(false)))
        .cached()
        .execute(conn)
        .await?;
    sessions::revoke_all(conn, account, None, RevokeReason::Recovered, now).await?;
    audit::write(
        conn,
        audit::NewAuditEntry {
            actor: Some(account),
            action: "account.recovered",
            target: format!("account:{account}"),
            details: serde_json::json!({}),
            at: now,
        },
    )
    .await?;
    Ok(true)
}

/// Sets who may send the account offers and see its copies. `None`: the account does not exist any more.
pub async fn change_trading(
    conn: &mut Connection,
    by: &Acting<ChangeOwnTrading>,
    trading: Trading,
) -> StoreResult<Option<AccountRow>> {
    Ok(diesel::update(accounts::table.find(by.account()))
        .set(accounts::trading.eq(trading))
        .returning(AccountRow::as_returning())
        .cached()
        .get_result(conn)
        .await
        .optional()?)
}

/// The changes of an account by an admin; `None` leaves a value unchanged.
#[derive(Clone, Copy, Debug, Default)]
pub struct AccountChanges {
    /// The new role.
    pub role: Option<Role>,
    /// Whether the account is banned.
    pub banned: Option<bool>,
}

/// Changes the role, or bans or unbans the account, and ends its sessions if it loses permissions. A ban withdraws the
/// account's votes for hidden cards, designs, decks and authors, and hides its comments; an unban restores them, which
/// may unlock cards. `None`: no such account.
pub async fn change(
    conn: &mut Connection,
    by: &Acting<ManageAccounts>,
    id: AccountId,
    changes: AccountChanges,
    now: DateTime<Utc>,
) -> StoreResult<Option<AccountRow>> {
    let found: Option<AccountRow> = accounts::table
        .find(id)
        .select(AccountRow::as_select())
        .for_no_key_update()
        .first(conn)
        .await
        .optional()?;
    let Some(before) = found else { return Ok(None) };
    let role = changes.role.unwrap_or(before.role());
    let banned_at = match changes.banned {
        None => before.banned_at,
        Some(true) => before.banned_at.or(Some(now)),
        Some(false) => None,
    };
    if role == before.role() && banned_at == before.banned_at {
        return Ok(Some(before));
    }
    let after = diesel::update(accounts::table.find(id))
        .set((accounts::role.eq(role), accounts::banned_at.eq(banned_at)))
        .returning(AccountRow::as_returning())
        .cached()
        .get_result(conn)
        .await?;
    let mut details = serde_json::json!({
        "role": { "from": before.role().as_str(), "to": role.as_str() },
        "banned": { "from": before.banned_at.is_some(), "to": banned_at.is_some() },
    });
    if banned_at.is_some() != before.banned_at.is_some() {
        banned_works::lock_all(conn, id).await?;
        details["unlocked"] = votes::count_account(conn, id, now).await?.into();
        bans_and_blocks::follow_ban(conn, id, before.created_at, banned_at.is_some(), now).await?;
    }
    // Credentials are locked after the designs, decks and cards, in the same order as in other transactions.
    if banned_at.is_some() {
        sessions::revoke_all(conn, id, None, RevokeReason::Banned, now).await?;
    } else if role != before.role() {
        sessions::revoke_all(conn, id, None, RevokeReason::RoleChanged, now).await?;
    }
    let entry = audit::NewAuditEntry {
        actor: Some(by.account()),
        action: "account.changed",
        target: format!("account:{id}"),
        details,
        at: now,
    };
    audit::write(conn, entry).await?;
    Ok(Some(after))
}
