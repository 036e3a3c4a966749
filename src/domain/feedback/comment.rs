//! Comments on designs and decks.

use chrono::TimeDelta;

use crate::domain::text::{TextError, prose_lines};

/// Most characters of a comment.
pub const MAX_COMMENT: usize = 2_000;
/// How long the author can change a comment.
pub const EDITABLE_FOR: TimeDelta = TimeDelta::minutes(15);

/// Normalises the text of a comment for storage: 1 to [`MAX_COMMENT`] characters, with the markup of [`crate::domain::designs::markup`].
pub fn comment_text(raw: &str) -> Result<String, TextError> {
    prose_lines(raw, 1, MAX_COMMENT)
}

/// What readers see of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentState {
    /// The text is shown.
    Shown,
    /// Readers see that the author deleted the comment.
    Deleted,
    /// Readers see only that there was a comment: a moderator hid it, or its author is banned.
    Hidden,
    /// Readers see that the owner of the design or deck hid the comment.
    HiddenByOwner,
}

impl CommentState {
    /// The state of a comment that its author deleted, that is hidden, or that only the owner of the subject hid.
    pub fn new(deleted: bool, hidden: bool, by_owner: bool) -> Self {
        match (deleted, hidden, by_owner) {
            (true, _, _) => Self::Deleted,
            (false, true, true) => Self::HiddenByOwner,
            (false, true, false) => Self::Hidden,
            (false, false, _) => Self::Shown,
        }
    }

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shown => "shown",
            Self::Deleted => "deleted",
            Self::Hidden => "hidden",
            Self::HiddenByOwner => "hidden_by_owner",
        }
    }
}
