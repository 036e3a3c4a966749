//! Cards as their readers see them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::store::catalogue::cards;

/// How far a card that started hidden is from being unlocked.
#[derive(Serialize, ToSchema)]
pub struct CardUnlock {
    /// Submissions that count: at most one of each account.
    #[schema(example = 3)]
    pub submissions: i32,
    /// How many unlock the card.
    #[schema(example = 5)]
    pub threshold: i32,
    /// When the card was unlocked; absent while it is hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unlocked_at: Option<DateTime<Utc>>,
}

impl From<cards::UnlockProgress> for CardUnlock {
    fn from(unlock: cards::UnlockProgress) -> Self {
        Self {
            submissions: unlock.submissions,
            threshold: unlock.threshold,
            unlocked_at: unlock.unlocked_at,
        }
    }
}
