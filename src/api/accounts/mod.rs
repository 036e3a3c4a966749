//! Accounts, sessions, tokens, second factors, account events, blocks.

pub mod account_events;
pub mod blocks;
pub mod event_settings;
pub mod own_account;
pub mod own_password;
pub mod people;
pub mod second_factor;
pub mod sessions;
pub mod tokens;

use super::route_table::routes;

routes! {
    "/v1/accounts" => get people::list_accounts, post own_account::register;
    "/v1/accounts/recover" => post own_account::recover;
    "/v1/accounts/{account}" => get own_account::find_account, patch own_account::change_account;
    "/v1/accounts/{account}/second-factor" => delete second_factor::remove_second_factor;
    "/v1/me" => get own_account::find_me;
    "/v1/me/password" => put own_password::change_password;
    "/v1/me/recovery-codes" => post own_password::replace_recovery_codes;
    "/v1/me/second-factor" => get second_factor::find_second_factor, post second_factor::begin_second_factor;
    "/v1/me/second-factor/confirm" => post second_factor::confirm_second_factor;
    "/v1/me/second-factor/switch-off" => post second_factor::switch_off_second_factor;
    "/v1/me/second-factor/recovery-codes" => post second_factor::replace_second_factor_codes;
    "/v1/me/events" => get account_events::list_account_events;
    "/v1/me/events/stream" => get account_events::stream_account_events;
    "/v1/me/event-settings" => get event_settings::find_event_settings, put event_settings::replace_event_settings;
    "/v1/me/blocks" => get blocks::list_blocks;
    "/v1/me/blocks/{account}" => put blocks::block_account, delete blocks::unblock_account;
    "/v1/sessions" => get sessions::list_sessions, post sessions::log_in;
    "/v1/sessions/refresh" => post sessions::refresh;
    "/v1/sessions/current" => delete sessions::log_out;
    "/v1/sessions/{session}" => delete sessions::end_session;
    "/v1/tokens" => get tokens::list_tokens, post tokens::create_token;
    "/v1/tokens/{token}" => delete tokens::revoke_token;
}
