//! Authentication and authorisation: passwords, tokens, keys, permissions. Knows neither HTTP nor SQL.

pub mod access_token;
pub mod ending;
mod hs256;
pub mod keys;
pub mod password;
pub mod permission;
pub mod sealed;
pub mod second_factor;
pub mod secret;
pub mod session;
pub mod webhook_secret;
