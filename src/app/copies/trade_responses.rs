//! Trades as their two sides see them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::own_copies::{CopyCard, card_of};
use crate::domain::copies::trade::TradeState;
use crate::domain::ids::AccountId;
use crate::store::copies::trades::{TradeRow, TradedCopy};

/// A copy in a trade.
#[derive(Serialize, ToSchema)]
pub struct TradedCopyResponse {
    /// Its id.
    pub id: Uuid,
    /// Its card.
    pub card: CopyCard,
    /// Its rarity; absent if the copy is not yours and its card is hidden from you.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "rare")]
    pub rarity: Option<String>,
    /// Whether an account other than yours claims the copy in an open dispute; the player who gets the copy also gets the dispute. Absent unless the offer is
    /// open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disputed: Option<bool>,
    /// Whether its giver can still give it: owns it, it is neither frozen nor void, and the player who made the offer is not banned. Absent unless the offer
    /// is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = true)]
    pub available: Option<bool>,
    /// Whether the offer lapsed because of this copy. Absent unless the offer lapsed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gone: Option<bool>,
}

impl TradedCopyResponse {
    fn new(traded: TradedCopy, state: TradeState) -> Self {
        // After the trade, the two players must not learn where a copy is now.
        let open = state == TradeState::Open;
        Self {
            card: card_of(&traded.copy),
            id: traded.copy.id.0,
            rarity: traded.copy.rarity,
            disputed: open.then_some(traded.copy.disputed),
            available: open.then_some(traded.available),
            gone: (state == TradeState::Lapsed).then_some(traded.gone),
        }
    }
}

/// A trade without its copies.
#[derive(Serialize, ToSchema)]
pub struct TradeSummaryResponse {
    /// Its id.
    pub id: Uuid,
    /// `open`, `accepted`, `declined`, `cancelled`, `countered`, `lapsed` or `expired`.
    #[schema(example = "open")]
    pub state: &'static str,
    /// Your side: `offerer` or `recipient`.
    #[schema(example = "recipient")]
    pub role: &'static str,
    /// Name of the player who made the offer.
    #[schema(example = "ada")]
    pub from: String,
    /// Name of the player who received the offer.
    #[schema(example = "ben")]
    pub to: String,
    /// Number of copies that go from `from` to `to`.
    #[schema(example = 2)]
    pub give_count: i64,
    /// Number of copies that go from `to` to `from`.
    #[schema(example = 1)]
    pub want_count: i64,
    /// Message of the player who made the offer. It may have several lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "My second Imp for your Smith?")]
    pub message: Option<String>,
    /// Id of the offer that this counter-offer answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counter_to: Option<Uuid>,
    /// Id of the counter-offer that answers this offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub countered_by: Option<Uuid>,
    /// When the offer was made.
    pub created_at: DateTime<Utc>,
    /// Until when the offer can be accepted.
    pub expires_at: DateTime<Utc>,
    /// When the offer was closed or expired; absent while it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<DateTime<Utc>>,
}

impl TradeSummaryResponse {
    pub(super) fn new(row: TradeRow, reader: AccountId) -> Self {
        Self {
            id: row.id.0,
            state: row.state.as_str(),
            role: row.role(reader).as_str(),
            closed_at: row.closed_at(),
            from: row.by_name,
            to: row.to_name,
            give_count: row.gives,
            want_count: row.wants,
            message: row.message,
            counter_to: row.counter_to.map(Uuid::from),
            countered_by: row.countered_by.map(Uuid::from),
            created_at: row.created_at,
            expires_at: row.expires_at,
        }
    }
}

/// A trade: an offer to exchange copies, and its result.
#[derive(Serialize, ToSchema)]
pub struct TradeResponse {
    /// The trade without its copies.
    #[serde(flatten)]
    pub summary: TradeSummaryResponse,
    /// The copies that go from `from` to `to`.
    pub give: Vec<TradedCopyResponse>,
    /// The copies that go from `to` to `from`.
    pub want: Vec<TradedCopyResponse>,
}

impl TradeResponse {
    pub(in crate::app) fn new(row: TradeRow, copies: Vec<TradedCopy>, reader: AccountId) -> Self {
        let state = row.state;
        let (give, want): (Vec<_>, Vec<_>) = copies.into_iter().partition(|copy| copy.given);
        let side = |copies: Vec<TradedCopy>| {
            copies.into_iter().map(|copy| TradedCopyResponse::new(copy, state)).collect()
        };
        Self { summary: TradeSummaryResponse::new(row, reader), give: side(give), want: side(want) }
    }
}
