//! Whose decks an account follows.

/// Most authors that an account follows: a page of their new decks looks at each of them.
pub const MAX_FOLLOWED_AUTHORS: i64 = 500;
