//! How much an account may have of designs. How much it may do on a day: [`crate::domain::accounts::daily_limits`].

/// Most designs of one account.
pub const MAX_DESIGNS: i64 = 500;
/// Most bytes that a revision says, as JSON: a card has a tenth of it.
pub const MAX_BYTES: usize = 32 * 1024;
/// Most revisions of one design.
pub const MAX_REVISIONS: i64 = 500;
