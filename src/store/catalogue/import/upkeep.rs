//! Work that an import causes, done in other sessions of Postgres, that is, on other cores.

use std::time::Duration;

use tokio::sync::oneshot;

use crate::store::card_content::content;
use crate::store::catalogue::changes;
use crate::store::db::deadlines;
use crate::store::db::statement::run_commands;
use crate::store::{Store, StoreResult};

/// Often enough that few lists reach `gin_pending_list_limit` (4 MB). Entries of many cards at once are cheaper than those of few.
const PAUSE: Duration = Duration::from_millis(400);

/// Runs imports, and until they are done, cleans up the GIN indexes of the content of cards and numbers the events of imports that are committed.
///
/// Postgres first appends the words of a new row to a list of the index. When the list is full, the session that fills it
/// moves all entries to their places, which takes a quarter of the time of an import. Here another session does that before
/// the list is full. It also leaves the lists empty after a long import: a search reads them from their start to their end.
pub async fn with_upkeep<T>(store: &Store, imports: impl Future<Output = T>) -> T {
    let (done, mut ended) = oneshot::channel();
    let imports = async {
        let result = imports.await;
        // There is no receiver if the upkeep has failed.
        let _ = done.send(());
        result
    };
    let upkeep = async {
        // An import that is shorter than a pause leaves short lists.
        let mut is_last = tokio::time::timeout(PAUSE, &mut ended).await.is_ok();
        while !is_last {
            is_last = tokio::time::timeout(PAUSE, &mut ended).await.is_ok();
            if let Err(error) = keep_up(store).await {
                // Only its owner may clean an index up. Then the session of the import does it.
                tracing::debug!(%error, "an import does its upkeep itself");
                return;
            }
        }
    };
    tokio::join!(imports, upkeep).0
}

async fn keep_up(store: &Store) -> StoreResult<()> {
    store
        .with_deadline(deadlines::CATALOGUE)
        .transaction(async |conn| {
            run_commands(conn, "SET LOCAL statement_timeout = '120s'").await?;
            content::clean_up_indexes(conn).await
        })
        .await?;
    changes::extent(store).await?;
    Ok(())
}
