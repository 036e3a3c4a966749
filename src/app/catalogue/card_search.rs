//! Where lists of cards come from: the index in memory, or the database when the index is not there, is behind the change feed, or
//! does not know enough.

use std::sync::Arc;

use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::search::index::{CardRecord, Snapshot};
use crate::store::catalogue::cards;

/// Most hidden cards of which somebody may hold copies for the index to serve her: they are read for each of her requests, and tried one
/// by one. The database serves others.
const MOST_HELD: usize = 200;

/// All cards, and what the asker sees beside what everybody does: the hidden cards that she holds. Nobody's progress counts. `None`: the database has to be
/// asked.
pub(crate) async fn cards_in_memory(
    state: &AppState,
    viewer: Viewer,
) -> Result<Option<(Arc<Snapshot>, Vec<CardRecord>)>, Problem> {
    if viewer.sees_all() {
        return Ok(None);
    }
    let Some(all) = state.catalogue.cards() else { return Ok(None) };
    let Some(account) = viewer.holder().filter(|_| all.hidden() > 0) else {
        return Ok(Some((all, Vec::new())));
    };
    let mut conn = state.store.connection().await?;
    let most = i64::try_from(MOST_HELD).unwrap_or(i64::MAX);
    let held = cards::held_hidden(&conn, account, most + 1).await?;
    if held.len() > MOST_HELD {
        return Ok(None);
    }
    Ok(Some((all, cards::records(&mut conn, viewer, &held).await?)))
}
