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
use crate::domain::text::AccountNamePart;
use crate::http::extract::{May, Params};
use crate::memory::rendered::Freshness;

/// Role of an account.
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
    /// Only accounts whose name contains this text: 1 to 32 characters. Case, spaces and punctuation do not count; `%`, `_` and `*` are punctuation,
    /// not wildcards.
    #[param(value_type = Option<String>, min_length = 1, max_length = 32, example = "ada")]
    name: Option<AccountNamePart>,
    /// Only accounts with this role.
    #[param(inline)]
    role: Option<RoleParam>,
    /// `true`: only banned accounts; `false`: only accounts that are not banned.
    banned: Option<bool>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists accounts by name, for moderators.
///
/// With `name`, accounts whose names begin with that text come first, then those whose names contain it elsewhere.
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
