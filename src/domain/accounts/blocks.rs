//! Whom an account wants to hear nothing of.

/// Most accounts that one can block.
pub const MAX_BLOCKS: i64 = 1_000;
