//! Pages of accounts: join, log in and out, recover, and the pages of the visitor's own account.

mod account;
mod codes;
mod credentials;
mod event_words;
mod events;
mod join;
mod log_in;
mod log_in_page;
mod log_in_target;
mod log_out;
mod newcomer;
mod password;
mod recover;
mod second_factor;
mod tokens;
pub(super) mod words;

pub(super) use account::Moment;
pub(super) use log_in_page::LogInPage;
pub(super) use log_out::end_previous;
pub(super) use newcomer::{Joining, TypedNewcomer, Welcome, join_again, join_with};

use crate::http::router::Mounts;

use account::{change_settings, end_session, find_account};
use events::{change_event_settings, find_events, find_newest};
use join::{join, show_join};
use log_in::{log_in, show_log_in};
use log_out::log_out;
use password::{change_password, replace_recovery_codes, show_password, show_recovery_codes};
use recover::{recover, show_recover};
use second_factor::{
    begin_second_factor, confirm_second_factor, replace_second_factor_codes, show_second_factor,
    switch_off_second_factor,
};
use tokens::{create_token, revoke_token, show_tokens};

/// Mounts the routes of this module.
pub(super) fn configure(config: &mut Mounts<'_>) {
    config
        .service(form!("/login", show_log_in, log_in))
        .service(action!("/logout", log_out, "/my/account"))
        .service(form!("/join", show_join, join))
        .service(form!("/recover", show_recover, recover))
        .service(page!("/my/account", find_account))
        .service(action!("/my/account/settings", change_settings))
        .service(action!("/my/sessions/{session}/end", end_session, "/my/account"))
        .service(form!("/my/password", show_password, change_password))
        .service(form!("/my/recovery-codes", show_recovery_codes, replace_recovery_codes))
        .service(form!("/my/second-factor", show_second_factor, begin_second_factor))
        .service(action!("/my/second-factor/confirm", confirm_second_factor))
        .service(action!("/my/second-factor/switch-off", switch_off_second_factor))
        .service(action!("/my/second-factor/recovery-codes", replace_second_factor_codes))
        .service(form!("/my/tokens", show_tokens, create_token))
        .service(action!("/my/tokens/{token}/revoke", revoke_token, "/my/tokens"))
        .service(page!("/my/events", find_events))
        .service(page!("/my/events/newest", find_newest))
        .service(action!("/my/events/settings", change_event_settings));
}
