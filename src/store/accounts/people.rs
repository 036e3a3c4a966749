//! Searches accounts by parts of their names, and looks up names for ids.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::account_records::AccountRow;
use crate::auth::permission::{Granted, ReadAccounts, Role};
use crate::domain::ids::AccountId;
use crate::domain::text::{AccountName, AccountNamePart};
use crate::store::db::like::escape_like;
use crate::store::db::schema::accounts;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// Filter of accounts.
#[derive(Clone, Debug, Default)]
pub struct PeopleFilter<'a> {
    pub name: Option<&'a AccountNamePart>,
    pub role: Option<Role>,
    /// Whether they are banned.
    pub banned: Option<bool>,
}

/// The position of an account in a list: names that begin with the requested part (`false`) come before names that
/// contain it elsewhere; then the key of the name.
pub type PersonPosition = (bool, String);

/// An account in a list.
#[derive(Clone, Debug)]
pub struct FoundAccount {
    pub account: AccountRow,
    pub position: PersonPosition,
}

#[derive(QueryableByName)]
struct FoundRow {
    #[diesel(embed)]
    account: AccountRow,
    #[diesel(sql_type = Text)]
    name_key: String,
}

const COLUMNS: &str = "a.id, a.name, a.role, a.must_change_password, a.banned_at, a.created_at, a.second_factor_since, a.trading, \
                       a.on_leaderboard, a.name_key";

/// Accounts in the order of [`PersonPosition`], after the position `after`.
pub async fn list(
    conn: &mut Connection,
    _by: &Granted<ReadAccounts>,
    filter: &PeopleFilter<'_>,
    after: Option<PersonPosition>,
    limit: i64,
) -> StoreResult<Vec<FoundAccount>> {
    let (among_inside, after) = after.unwrap_or_default();
    let mut found = Vec::new();
    if !among_inside {
        found = part(conn, filter, false, &after, limit).await?;
    }
    // Most pages are full of names that begin with the part. The more expensive search inside names runs only for a
    // page that is not full.
    let missing = limit.saturating_sub(i64::try_from(found.len()).unwrap_or(limit));
    if filter.name.is_some() && missing > 0 {
        let after = if among_inside { after.as_str() } else { "" };
        found.extend(part(conn, filter, true, after, missing).await?);
    }
    Ok(found)
}

/// Accounts whose names begin with the part, or, if `inside`, contain it elsewhere, after the key `after`.
async fn part(
    conn: &mut Connection,
    filter: &PeopleFilter<'_>,
    inside: bool,
    after: &str,
    limit: i64,
) -> StoreResult<Vec<FoundAccount>> {
    let wanted = escape_like(filter.name.map_or("", AccountNamePart::key));
    // Each condition has the same form as in its index: `accounts_name_order` and `accounts_name_trigrams`.
    let begins = "a.name_key COLLATE \"C\" LIKE $wanted || '%'";
    let matches = if inside {
        format!("a.name_key LIKE '%' || $wanted || '%' AND NOT {begins}")
    } else {
        begins.to_owned()
    };
    // The role is part of the statement's text, so that partial indexes for rare values can be used.
    let role = match filter.role {
        None => String::new(),
        Some(role) => format!(" AND a.role = '{}'", role.as_str()),
    };
    let banned = match filter.banned {
        None => "",
        Some(true) => " AND a.banned_at IS NOT NULL",
        Some(false) => " AND a.banned_at IS NULL",
    };
    let rows: Vec<FoundRow> = sql(format!(
        "SELECT {COLUMNS} FROM accounts a WHERE {matches}{role}{banned} AND a.name_key COLLATE \"C\" > $after \
         ORDER BY a.name_key COLLATE \"C\" LIMIT $limit"
    ))
    .bind("wanted", wanted)
    .bind("after", after)
    .bind("limit", limit)
    .custom_plan("letters may be in a few names, or in most")
    .load(conn)
    .await?;
    let found =
        |row: FoundRow| FoundAccount { account: row.account, position: (inside, row.name_key) };
    Ok(rows.into_iter().map(found).collect())
}

/// The id of the account of that name.
pub async fn id_of(
    conn: &mut Connection,
    _by: &Granted<ReadAccounts>,
    name: &AccountName,
) -> StoreResult<Option<AccountId>> {
    Ok(accounts::table
        .filter(accounts::name_key.eq(name.key()))
        .select(accounts::id)
        .first(conn)
        .await
        .optional()?)
}

/// The names of the accounts with these ids; other ids are skipped.
pub async fn names(
    conn: &mut Connection,
    _by: &Granted<ReadAccounts>,
    ids: Vec<Uuid>,
) -> StoreResult<BTreeMap<Uuid, String>> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rows: Vec<(Uuid, String)> = accounts::table
        .filter(accounts::id.eq_any(ids))
        .select((accounts::id, accounts::name))
        .load(conn)
        .await?;
    Ok(rows.into_iter().collect())
}
