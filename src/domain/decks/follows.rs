//! Whose decks an account follows, and which decks it watches: how many at most.

/// Most authors that an account follows: a page of their new decks looks at each of them.
pub const MAX_FOLLOWED_AUTHORS: i64 = 500;

/// Most decks that an account watches: each is judged anew each day.
pub const MAX_WATCHED_DECKS: i64 = 100;
