//! Which events an account has muted. Triggers read this when an event happens.

use diesel::prelude::*;
use diesel::sql_types::{Array, Text};
use diesel_async::RunQueryDsl;

use crate::auth::permission::{Acting, ChangeOwnEventSettings, Granted, ReadOwnAccount};
use crate::domain::accounts::optional_events::OptionalEvent;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// The kinds that the caller has muted.
pub async fn muted(
    conn: &mut Connection,
    by: &Granted<ReadOwnAccount>,
) -> StoreResult<Vec<OptionalEvent>> {
    #[derive(QueryableByName)]
    struct Muted {
        #[diesel(sql_type = Array<Text>)]
        muted: Vec<OptionalEvent>,
    }
    let found: Option<Muted> = sql("SELECT muted FROM event_settings WHERE account_id = $account")
        .bind("account", by.account())
        .get_result(conn)
        .await
        .optional()?;
    Ok(found.map(|found| found.muted).unwrap_or_default())
}

/// Replaces the kinds that the caller mutes from now on.
pub async fn mute(
    conn: &mut Connection,
    by: &Acting<ChangeOwnEventSettings>,
    muted: &[OptionalEvent],
) -> StoreResult<()> {
    let muted: Vec<String> = muted.iter().map(|event| event.as_str().to_owned()).collect();
    sql("INSERT INTO event_settings (account_id, muted) VALUES ($account, $muted) ON CONFLICT (account_id) DO UPDATE SET muted = excluded.muted")
        .bind("account", by.account())
        .bind("muted", muted)
        .execute(conn)
        .await?;
    Ok(())
}
