//! Pages of accounts: log in and out.

mod account;
mod log_in;
mod log_out;
mod words;

pub(super) use account::find_account;
pub(super) use log_in::LogInPage;
pub(super) use log_in::{log_in, show_log_in};
pub(super) use log_out::log_out;
