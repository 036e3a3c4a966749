//! Pages of accounts: join, log in and out, recover, and what belongs to the own account.

mod account;
mod codes;
mod credentials;
mod event_words;
mod events;
mod join;
mod kept;
mod log_in;
mod log_out;
mod password;
mod recover;
mod second_factor;
mod tokens;
mod words;

pub(super) use account::{change_settings, end_session, find_account};
pub(super) use events::{change_event_settings, find_events};
pub(super) use join::{join, show_join};
pub(super) use log_in::LogInPage;
pub(super) use log_in::{log_in, show_log_in};
pub(super) use log_out::log_out;
pub(super) use password::{
    change_password, replace_recovery_codes, show_password, show_recovery_codes,
};
pub(super) use recover::{recover, show_recover};
pub(super) use second_factor::{
    begin_second_factor, confirm_second_factor, replace_second_factor_codes, show_second_factor,
    switch_off_second_factor,
};
pub(super) use tokens::{create_token, revoke_token, show_tokens};
