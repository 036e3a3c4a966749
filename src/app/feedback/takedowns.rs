//! Takedowns of designs and decks, as their authors and owners see them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// The takedown of a design or deck by a moderator, after a report.
#[derive(Serialize, ToSchema)]
pub struct TakedownResponse {
    /// Reason for the takedown.
    #[schema(example = "Copied from a book.")]
    pub note: String,
    /// When it was taken down; of a deck, when that was last decided.
    pub taken_down_at: DateTime<Utc>,
}
