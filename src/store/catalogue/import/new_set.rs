//! Creates sets without cards, and deletes them. Uses the same lock and events as imports.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::json;
use uuid::Uuid;

use super::LOCK;
use super::edit::lock_set;
use crate::auth::permission::{Acting, Granted, WriteCatalogue};
use crate::domain::catalogue::import::SetImport;
use crate::store::catalogue::changes;
use crate::store::catalogue::sets::{self, SetRow};
use crate::store::db::schema::{
    card_migrations, cards, games, print_commitments, print_runs, sets as sets_table,
};
use crate::store::db::statement::run_commands;
use crate::store::operations::audit;
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::serials::unlock_policies::{self, PolicyPlace};
use crate::store::{Connection, StoreResult};

/// The result of [`create_set`].
#[derive(Debug)]
pub enum SetCreated {
    /// It is stored.
    New(SetRow),
    /// A repeated request, which created this set; `None`: it was deleted since.
    Repeat(Option<SetRow>),
    /// There is no such game.
    NoGame,
    /// The game has a set with this code.
    CodeTaken,
}

/// Stores a set without cards. Of two requests with the same code, only one creates a set.
pub async fn create_set(
    conn: &mut Connection,
    by: &Acting<WriteCatalogue>,
    id: Uuid,
    game: &str,
    set: &SetImport,
    claim: Option<&IdempotencyClaim>,
    at: DateTime<Utc>,
) -> Result<SetCreated, IdempotentError> {
    if let Some(before) = idempotency::begin(conn, claim, id).await? {
        return Ok(SetCreated::Repeat(find_by_id(conn, before).await?));
    }
    run_commands(conn, LOCK).await?;
    if !lock_game(conn, game).await? {
        idempotency::forget(conn, claim).await?;
        return Ok(SetCreated::NoGame);
    }
    if sets::exists(conn, game, &set.code).await? {
        idempotency::forget(conn, claim).await?;
        return Ok(SetCreated::CodeTaken);
    }
    diesel::insert_into(sets_table::table)
        .values((
            sets_table::id.eq(id),
            sets_table::game_code.eq(game),
            sets_table::code.eq(&set.code),
            sets_table::name.eq(&set.name),
            sets_table::released_on.eq(set.released_on),
            sets_table::hidden.eq(set.hidden),
            sets_table::unlock_threshold.eq(set.unlock_threshold),
            sets_table::created_at.eq(at),
            sets_table::updated_at.eq(at),
            // The set does not equal any file.
            sets_table::edited_at.eq(at),
        ))
        .execute(conn)
        .await?;
    changes::set_changed(conn, id, game, &set.code, at).await?;
    let details = json!({
        "name": set.name, "released_on": set.released_on, "cards_start_hidden": set.hidden,
        "unlock_threshold": set.unlock_threshold,
    });
    record(conn, by, "set.created", (game, &set.code), details, at).await?;
    let created = sets::find(conn, game, &set.code).await?;
    Ok(SetCreated::New(created.ok_or(diesel::result::Error::NotFound)?))
}

/// What depends on a set, so that it cannot be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetUse {
    /// It has cards.
    Cards,
    /// It had cards that were moved or merged: their old numbers lead to them.
    FormerCards,
    /// A print run was begun.
    PrintRun,
    /// A print run was announced.
    Announcement,
    /// It has an unlock policy of its own.
    UnlockPolicy,
}

/// The result of [`delete_set`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetDeleted {
    /// It is deleted.
    Done,
    /// There is no such set.
    Missing,
    /// It differs from the version that the editor has read.
    Stale,
    /// Something depends on it.
    Used(SetUse),
}

/// Deletes a set on which nothing depends, if it is still the version that the editor has read.
pub async fn delete_set(
    conn: &mut Connection,
    by: &Acting<WriteCatalogue>,
    (game, code): (&str, &str),
    is_current: impl Fn(&SetRow) -> bool,
    at: DateTime<Utc>,
) -> StoreResult<SetDeleted> {
    run_commands(conn, LOCK).await?;
    // Changes of unlock policies lock the game.
    lock_game(conn, game).await?;
    let Some(id) = lock_set(conn, game, code).await? else { return Ok(SetDeleted::Missing) };
    let Some(stored) = sets::find(conn, game, code).await? else { return Ok(SetDeleted::Missing) };
    if !is_current(&stored) {
        return Ok(SetDeleted::Stale);
    }
    if let Some(used) = find_use(conn, id, (game, code)).await? {
        return Ok(SetDeleted::Used(used));
    }
    diesel::delete(sets_table::table.find(id)).execute(conn).await?;
    changes::set_changed(conn, id, game, code, at).await?;
    record(conn, by, "set.deleted", (game, code), json!({ "name": stored.name }), at).await?;
    Ok(SetDeleted::Done)
}

/// The first thing that depends on a set; `None` also if there is no such set.
pub async fn find_set_use(
    conn: &mut Connection,
    _by: &Granted<WriteCatalogue>,
    (game, code): (&str, &str),
) -> StoreResult<Option<SetUse>> {
    let id: Option<Uuid> = sets_table::table
        .filter(sets_table::game_code.eq(game).and(sets_table::code.eq(code)))
        .select(sets_table::id)
        .first(conn)
        .await
        .optional()?;
    match id {
        Some(id) => find_use(conn, id, (game, code)).await,
        None => Ok(None),
    }
}

async fn find_use(
    conn: &mut Connection,
    id: Uuid,
    (game, code): (&str, &str),
) -> StoreResult<Option<SetUse>> {
    let card = cards::table.filter(cards::game_code.eq(game).and(cards::set_code.eq(code)));
    let has_cards: bool = diesel::select(diesel::dsl::exists(card)).get_result(conn).await?;
    if has_cards {
        return Ok(Some(SetUse::Cards));
    }
    let former = card_migrations::table
        .filter(card_migrations::game_code.eq(game).and(card_migrations::old_set_code.eq(code)));
    let had_cards: bool = diesel::select(diesel::dsl::exists(former)).get_result(conn).await?;
    if had_cards {
        return Ok(Some(SetUse::FormerCards));
    }
    // Discarded runs, too: their rows remain.
    let run = print_runs::table.filter(print_runs::set_id.eq(id));
    let has_run: bool = diesel::select(diesel::dsl::exists(run)).get_result(conn).await?;
    if has_run {
        return Ok(Some(SetUse::PrintRun));
    }
    let announced = print_commitments::table.filter(print_commitments::set_id.eq(id));
    let is_announced: bool =
        diesel::select(diesel::dsl::exists(announced)).get_result(conn).await?;
    if is_announced {
        return Ok(Some(SetUse::Announcement));
    }
    let place = PolicyPlace { game: game.to_owned(), set: Some(code.to_owned()) };
    let policy = unlock_policies::find(conn, &place).await?;
    Ok(policy.map(|_| SetUse::UnlockPolicy))
}

/// Locks the row of a game, so that its unlock policies do not change; returns whether there is such a game.
pub(in crate::store) async fn lock_game(conn: &mut Connection, game: &str) -> StoreResult<bool> {
    let found: Option<String> = games::table
        .find(game)
        .select(games::code)
        .for_no_key_update()
        .first(conn)
        .await
        .optional()?;
    Ok(found.is_some())
}

/// The set of that id.
async fn find_by_id(conn: &mut Connection, id: Uuid) -> StoreResult<Option<SetRow>> {
    let place: Option<(String, String)> = sets_table::table
        .find(id)
        .select((sets_table::game_code, sets_table::code))
        .first(conn)
        .await
        .optional()?;
    match place {
        Some((game, code)) => sets::find(conn, &game, &code).await,
        None => Ok(None),
    }
}

async fn record(
    conn: &mut Connection,
    by: &Acting<WriteCatalogue>,
    action: &str,
    (game, code): (&str, &str),
    details: serde_json::Value,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let target = format!("set:{game}/{code}");
    let entry = audit::NewAuditEntry { actor: Some(by.account()), action, target, details, at };
    audit::write(conn, entry).await
}
