//! Limits on the designs of an account. Limits per day are in [`crate::domain::accounts::daily_limits`].

/// Most designs of one account.
pub const MAX_DESIGNS: i64 = 500;
/// Most bytes of a revision as JSON; a card usually has a tenth of this.
pub const MAX_BYTES: usize = 32 * 1024;
/// Most revisions of one design.
pub const MAX_REVISIONS: i64 = 500;
