//! The change feed: what happened to the catalogue, from any number on.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::store::catalogue::changes::{self, Change};

/// Something that happened.
#[derive(Serialize, ToSchema)]
pub struct ChangeResponse {
    /// Its place in the feed, from 1, without gaps.
    #[schema(example = 174, minimum = 1)]
    pub seq: i64,
    /// `game.changed`, `set.changed`, `card.added`, `card.changed` (it, its printings or its rulings), `card.unlocked`, `card.moved` (to
    /// another number) or `card.merged` (`from` is no card any more: it became this one).
    #[schema(example = "card.unlocked")]
    pub kind: String,
    /// Code of the game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Code of the set, if it is about a set or card.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "veil")]
    pub set: Option<String>,
    /// Number in the set, if it is about a card.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "001")]
    pub number: Option<String>,
    /// Id of the card, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<Uuid>,
    /// What the card was before, if it was moved or merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<FormerCardResponse>,
    /// When.
    pub at: DateTime<Utc>,
}

impl From<Change> for ChangeResponse {
    fn from(Change { seq, kind, subject, at }: Change) -> Self {
        let changes::Subject { game, set, number, card, from } = subject;
        let from = from.map(|changes::FormerCard { card, set, number }| FormerCardResponse {
            card,
            set,
            number,
        });
        Self { seq, kind, game, set, number, card, from, at }
    }
}

/// What a card was called before it was moved or merged.
#[derive(Serialize, ToSchema)]
pub struct FormerCardResponse {
    /// Id: the same after a move.
    pub card: Uuid,
    /// Code of the set.
    #[schema(example = "hearth")]
    pub set: String,
    /// Number in the set.
    #[schema(example = "007")]
    pub number: String,
}
