//! Accounts by name, for moderators and admins.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::app::accounts::own_account::AccountResponse;
use crate::app::accounts::people::{self, PeopleFilter, PersonPosition};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{ReadAccounts, Role};
use crate::domain::text::NamePart;
use crate::http::extract::{May, Params};
use crate::memory::rendered::Freshness;

/// What an account may be trusted with.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoleParam {
    /// Players.
    Player,
    /// Moderators.
    Moderator,
    /// Admins.
    Admin,
}

impl From<RoleParam> for Role {
    fn from(role: RoleParam) -> Self {
        match role {
            RoleParam::Player => Self::Player,
            RoleParam::Moderator => Self::Moderator,
            RoleParam::Admin => Self::Admin,
        }
    }
}

/// Which accounts, and which part of the list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AccountsQuery {
    /// Only accounts with this in their name: 1 to 32 characters. Case, spaces and punctuation do not count; `%`, `_` and `*` are punctuation.
    #[param(value_type = Option<String>, min_length = 1, max_length = 32, example = "ada")]
    name: Option<NamePart>,
    /// Only accounts of this role.
    #[param(inline)]
    role: Option<RoleParam>,
    /// Only accounts that are banned, or only those that are not.
    banned: Option<bool>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists accounts by name, for moderators.
///
/// With `name`, those whose names begin with it come first, then those that have it further inside.
#[utoipa::path(
    get, path = "/v1/accounts", tag = "accounts", security(("bearer" = [])), params(AccountsQuery),
    responses((status = 200, body = Page<AccountResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_accounts(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadAccounts>,
    query: Params<AccountsQuery>,
) -> Result<HttpResponse, Problem> {
    let after = query.cursor.as_ref().map(Cursor::key::<PersonPosition>).transpose()?;
    let filter = PeopleFilter {
        name: query.name.as_ref(),
        role: query.role.map(Role::from),
        banned: query.banned,
    };
    let page = people::list(&state, &by, &filter, after, query.limit).await?;
    page.answer(&req, Freshness::Private)
}
