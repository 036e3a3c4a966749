//! Accounts: who they are, how they prove it, what happens to them.

pub mod own_account;
pub mod people;
