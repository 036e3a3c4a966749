//! Accounts by name, and names for account ids, for moderators and admins.

use std::collections::BTreeMap;

use serde::Deserialize;
use uuid::Uuid;

use super::own_account::AccountResponse;
use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadAccounts};
use crate::domain::ids::AccountId;
use crate::domain::text::AccountName;
use crate::store::accounts::account_records;
use crate::store::accounts::people::{self, FoundAccount};
pub use crate::store::accounts::people::{PeopleFilter, PersonPosition};
use crate::store::{Connection, StoreResult};

/// Lists accounts by name, after the position `after`. With a part of a name, names that begin with it come before
/// names that contain it elsewhere.
pub async fn list(
    app: &AppState,
    by: &Granted<ReadAccounts>,
    filter: &PeopleFilter<'_>,
    after: Option<PersonPosition>,
    limit: PageLimit,
) -> Result<Page<AccountResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let found = people::list(&mut conn, by, filter, after, limit.rows()).await?;
    let position = |found: &FoundAccount| found.position.clone();
    Ok(paged(found, limit, position, |found| AccountResponse::from(found.account)))
}

/// An account, as a client names it: its id, or its whole name.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub enum Person {
    /// The id, with its hyphens; names cannot be that long.
    Id(AccountId),
    /// The name.
    Name(AccountName),
}

impl TryFrom<String> for Person {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        const HYPHENATED: usize = 36;
        let id = Uuid::try_parse(&text).ok().filter(|_| text.len() == HYPHENATED);
        match (id, AccountName::parse(&text)) {
            (Some(id), _) => Ok(Self::Id(AccountId(id))),
            (None, Ok(name)) => Ok(Self::Name(name)),
            (None, Err(_)) => Err("must be the id of an account or its whole name"),
        }
    }
}

impl Person {
    /// The filter. A name needs the permission [`ReadAccounts`], which `reads` grants or denies.
    pub(crate) fn filter(
        person: Option<&Self>,
        reads: impl FnOnce() -> Result<Granted<ReadAccounts>, Problem>,
    ) -> Result<Option<PersonFilter>, Problem> {
        Ok(match person {
            None => None,
            Some(Self::Id(id)) => Some(PersonFilter::Id(*id)),
            Some(Self::Name(name)) => Some(PersonFilter::Name(name.clone(), reads()?)),
        })
    }
}

impl Person {
    /// The id of the account. A name is a 404 if no account has it or `by` cannot know of the account; whether an account has the id is not checked.
    pub async fn id(&self, app: &AppState, by: AccountId) -> Result<AccountId, Problem> {
        let name = match self {
            Self::Id(id) => return Ok(*id),
            Self::Name(name) => name,
        };
        let mut conn = app.store.connection().await?;
        let found = account_records::find_known_name(&mut conn, by, name.key()).await?;
        found.ok_or_else(Problem::not_found)
    }
}

/// The account that a list is filtered by.
pub enum PersonFilter {
    /// By its id.
    Id(AccountId),
    /// By its name. The proof shows that the caller may read accounts.
    Name(AccountName, Granted<ReadAccounts>),
}

impl PersonFilter {
    /// The id of the account. A name that no account has gives an id that no account has.
    pub(crate) async fn id(
        person: Option<&Self>,
        conn: &mut Connection,
    ) -> StoreResult<Option<AccountId>> {
        match person {
            None => Ok(None),
            Some(Self::Id(id)) => Ok(Some(*id)),
            Some(Self::Name(name, by)) => {
                let found = people::id_of(conn, by, name).await?;
                Ok(Some(found.unwrap_or_else(AccountId::generate)))
            }
        }
    }
}

/// Names for the account ids in a response. Empty when the caller may not read accounts.
#[derive(Debug, Default)]
pub(crate) struct Names(BTreeMap<Uuid, String>);

impl Names {
    /// Looks up, in one query, the names of those ids that are accounts.
    pub(crate) async fn read(
        conn: &mut Connection,
        by: Option<&Granted<ReadAccounts>>,
        ids: impl IntoIterator<Item = Uuid>,
    ) -> StoreResult<Self> {
        let Some(by) = by else { return Ok(Self::default()) };
        let mut ids: Vec<Uuid> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        Ok(Self(people::names(conn, by, ids).await?))
    }

    /// The name of an account; `None`: there is no such account, or the caller may not read accounts.
    pub(crate) fn of(&self, id: Uuid) -> Option<String> {
        self.0.get(&id).cloned()
    }
}
