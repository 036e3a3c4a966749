//! Players whose public lists match the caller's lists.

use serde::Serialize;
use utoipa::ToSchema;

use crate::app::catalogue::codes::Codes;
use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnCollection};
use crate::store::copies::trade_lists::{self, MatchPosition, TradeMatch};

/// A player whose public lists match yours.
#[derive(Serialize, ToSchema)]
pub struct TradeMatchResponse {
    /// Name of the player.
    #[schema(example = "ben")]
    pub player: String,
    /// How many items of your wants are among the player's haves.
    #[schema(example = 3, minimum = 0)]
    pub they_have: i64,
    /// How many items of your haves are among the player's wants.
    #[schema(example = 1, minimum = 0)]
    pub they_want: i64,
    /// Whether both numbers are above 0.
    #[schema(example = true)]
    pub mutual: bool,
}

impl From<TradeMatch> for TradeMatchResponse {
    fn from(found: TradeMatch) -> Self {
        let TradeMatch { name, they_have, they_want, mutual, .. } = found;
        Self { player: name, they_have, they_want, mutual }
    }
}

/// Lists players whose public lists match the caller's lists; with `codes`, which must exist, only for one game.
/// Players who match in both directions come first.
pub async fn list(
    app: &AppState,
    by: &Granted<ReadOwnCollection>,
    codes: &Codes,
    after: Option<MatchPosition>,
    limit: PageLimit,
) -> Result<Page<TradeMatchResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let game = codes.game.as_deref();
    let rows = trade_lists::list_matches(&mut conn, by, game, after, limit.rows()).await?;
    Ok(paged(rows, limit, TradeMatch::position, TradeMatchResponse::from))
}
