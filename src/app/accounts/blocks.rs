//! Accounts that the caller has blocked.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::people::Person;
use crate::app::copies::trades;
use crate::app::page::{CursorTime, Page, PageLimit, paged};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ManageOwnBlocks, ReadOwnAccount};
use crate::domain::accounts::blocks::MAX_BLOCKS;
use crate::domain::ids::AccountId;
use crate::domain::text::AccountName;
use crate::store::accounts::blocks::{self, BlockOutcome, BlockRow};

/// A player whom you have blocked.
#[derive(Serialize, ToSchema)]
pub struct BlockResponse {
    /// Id of the blocked account.
    pub account_id: Uuid,
    /// Name of the blocked account.
    #[schema(example = "ben")]
    pub name: String,
    /// When you blocked it.
    pub blocked_at: DateTime<Utc>,
}

impl From<BlockRow> for BlockResponse {
    fn from(BlockRow { blocked_id, name, created_at }: BlockRow) -> Self {
        Self { account_id: blocked_id.0, name, blocked_at: created_at }
    }
}

/// Where a page of blocks begins: creation time and blocked account of the last block on the previous page.
pub type BlockKey = (CursorTime, AccountId);

/// Lists the accounts that the caller has blocked, the newest block first.
pub async fn list(
    app: &AppState,
    by: &Granted<ReadOwnAccount>,
    before: Option<BlockKey>,
    limit: PageLimit,
) -> Result<Page<BlockResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let before = before.map(|(CursorTime(at), id)| (at, id));
    let rows = blocks::list(&mut conn, by, before, limit.rows()).await?;
    let key = |row: &BlockRow| (CursorTime(row.created_at), row.blocked_id);
    Ok(paged(rows, limit, key, Into::into))
}

/// Whether the caller has blocked the account of that name.
pub async fn has_blocked(
    app: &AppState,
    by: &Granted<ReadOwnAccount>,
    name: &AccountName,
) -> Result<bool, Problem> {
    let mut conn = app.store.connection().await?;
    Ok(blocks::has_blocked_name(&mut conn, by, name.key()).await?)
}

/// Blocks an account.
pub async fn block(
    app: &AppState,
    by: &Granted<ManageOwnBlocks>,
    other: &Person,
) -> Result<(), Problem> {
    let (other, at) = (other.id(app, by.account()).await?, app.clock.now());
    let outcome = app.write(by, async |conn, by| blocks::block(conn, by, other, at).await).await?;
    let closed = match outcome {
        BlockOutcome::Done(closed) => closed,
        BlockOutcome::NoSuchAccount => return Err(Problem::not_found()),
        BlockOutcome::Oneself => {
            let detail = "Nobody can block themselves.";
            return Err(Problem::new(ProblemCode::OwnAccount).detail(detail));
        }
        BlockOutcome::TooMany => {
            let detail = format!("An account can block at most {MAX_BLOCKS} others.");
            return Err(Problem::new(ProblemCode::TooManyBlocks).detail(detail));
        }
    };
    tracing::info!(account = %by.account(), blocked = %other, "account blocked");
    for offer in closed {
        trades::record_closed(by.account(), offer.id, offer.state.as_str());
    }
    Ok(())
}

/// Removes a block.
pub async fn unblock(
    app: &AppState,
    by: &Granted<ManageOwnBlocks>,
    other: &Person,
) -> Result<(), Problem> {
    let other = other.id(app, by.account()).await?;
    let found = app.write(by, async |conn, by| blocks::unblock(conn, by, other).await).await?;
    if !found {
        return Err(Problem::not_found());
    }
    tracing::info!(account = %by.account(), unblocked = %other, "block removed");
    Ok(())
}
