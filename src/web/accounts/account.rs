//! The page of the own account.

use actix_web::{HttpResponse, web};
use askama::Template;

use super::words as account_words;
use crate::app::accounts::own_account::{self, AccountResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ReadOwnAccount;
use crate::web::forms::private;
use crate::web::page::{Frame, Place};
use crate::web::session::Player;
use crate::web::words;

#[derive(Template)]
#[template(path = "web/accounts/account.html")]
struct AccountPage {
    frame: Frame,
    account: AccountResponse,
}

/// Shows the own account.
pub(in crate::web) async fn find_account(
    state: web::Data<AppState>,
    by: Player<ReadOwnAccount>,
) -> Result<HttpResponse, Problem> {
    let account = own_account::find_own(&state, &by).await?;
    let frame = Frame::new(account_words::ACCOUNT).at(Place::Account);
    private(200, &AccountPage { frame, account })
}
