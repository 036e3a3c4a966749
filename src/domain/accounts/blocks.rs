//! Blocks of other accounts.

/// Most accounts that one account can block.
pub const MAX_BLOCKS: i64 = 1_000;
