//! Who may send the caller offers, and the copies that players show.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::own_copies::{CopyCard, CopySelection, card_of};
use crate::app::accounts::own_account::AccountResponse;
use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::words::words;
use crate::auth::permission::{ChangeOwnTrading, Granted, ReadOwnAccount, ReadTrades, Viewer};
use crate::domain::copies::trade::Trading;
use crate::domain::text::AccountName;
use crate::store::accounts::account_records;
use crate::store::copies::copy_records::{self, CopyFilter, CopyPosition, CopyView};
use crate::store::copies::trade_offers::{self, Recipient};

words! {
    Trading: "Who may send offers to an account, and see its copies.";
}

/// A copy that another player shows.
#[derive(Serialize, ToSchema)]
pub struct ShownCopyResponse {
    /// Its id, to ask for it in an offer.
    pub id: Uuid,
    /// Its card.
    pub card: CopyCard,
    /// Its rarity; absent if its card is hidden from you.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "common")]
    pub rarity: Option<String>,
}

impl From<CopyView> for ShownCopyResponse {
    fn from(view: CopyView) -> Self {
        Self { card: card_of(&view), id: view.id.0, rarity: view.rarity }
    }
}

/// Sets who may send offers to the caller, and who may see the caller's copies.
pub async fn change(
    app: &AppState,
    by: &Granted<ChangeOwnTrading>,
    trading: Trading,
) -> Result<AccountResponse, Problem> {
    let changed =
        app.write(by, async |conn, by| account_records::change_trading(conn, by, trading).await);
    let row = changed.await?.ok_or_else(Problem::not_found)?;
    tracing::info!(account = %by.account(), trading = trading.as_str(), "trading settings changed");
    Ok(row.into())
}

/// Finds a player, and whether the player takes offers from the reader. Callers must return the result only for players
/// who show something publicly, because it reveals that the account exists.
pub async fn find_recipient(
    app: &AppState,
    reader: Option<&Granted<ReadOwnAccount>>,
    player: &AccountName,
) -> Result<Option<Recipient>, Problem> {
    let mut conn = app.store.connection().await?;
    Ok(trade_offers::find_recipient(&mut conn, reader, player.key()).await?)
}

/// Lists the copies that a player shows, by game, set and number of their cards; 404 for a player who shows the caller none. A
/// rarity in the selection is ignored: it would reveal the rarity of copies of hidden cards.
pub async fn list_shown(
    app: &AppState,
    by: &Granted<ReadTrades>,
    viewer: Viewer,
    player: &AccountName,
    selection: &CopySelection,
    after: Option<CopyPosition>,
    limit: PageLimit,
) -> Result<Page<ShownCopyResponse>, Problem> {
    let CopySelection { codes, card, only } = selection;
    let (game, set) = (codes.game.as_deref(), codes.set.as_deref());
    let filter = CopyFilter { game, set, card: *card, rarity: None, only: only.as_deref() };
    let mut conn = app.store.connection().await?;
    let key = player.key();
    let rows = copy_records::list_shown(&mut conn, by, viewer, key, &filter, after, limit.rows())
        .await?
        .ok_or_else(Problem::not_found)?;
    Ok(paged(rows, limit, CopyView::position, ShownCopyResponse::from))
}
