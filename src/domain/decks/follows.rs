//! Limits on the authors that an account follows and on the decks that it watches.

/// Most authors that an account follows: a page of their new decks reads each of them.
pub const MAX_FOLLOWED_AUTHORS: i64 = 500;

/// Most decks that an account watches: each deck is judged again every day.
pub const MAX_WATCHED_DECKS: i64 = 100;
