//! Takedowns of decks by moderators, after reports.

use std::collections::BTreeSet;

use cardscape_engine::Game;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Jsonb, Text};
use diesel_async::RunQueryDsl;

use super::deck_lists::VISIBILITY;
use super::deck_records::DeckRow;
use super::stored_content::{StoredContent, unreadable};
use crate::auth::permission::{Acting, ModerateDesigns};
use crate::domain::decks::content::DeckContent;
use crate::domain::ids::{CardId, DeckId};
use crate::store::catalogue::card_migrations;
use crate::store::db::codecs::json::Json;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// Takes a locked deck down: it becomes private, and its owner cannot publish it. A deck that was taken down before gets
/// the new note and its time, and stays what it was before the first decision.
pub(in crate::store) async fn take_down(
    conn: &mut Connection,
    _by: &Acting<ModerateDesigns>,
    deck: DeckId,
    note: &str,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    // A deleted deck is private already: its owner restores it as a private one.
    let taken = sql(format!(
        "UPDATE decks d SET taken_down_at = $at, takedown_note = $note, taken_down_revision = d.revision, \
          taken_down_from = coalesce(d.visibility_before, {VISIBILITY}), visibility = 'private', unlisted = false, \
          visibility_before = CASE WHEN d.deleted_at IS NOT NULL THEN 'private' END WHERE d.id = $id AND d.taken_down_at IS NULL"
    ))
    .bind("id", deck)
    .bind("note", note)
    .bind("at", at)
    .execute(conn)
    .await?;
    if taken > 0 {
        return notify_owner(conn, deck, "deck.taken_down", at).await;
    }
    sql("UPDATE decks SET taken_down_at = $at, takedown_note = $note WHERE id = $id")
        .bind("id", deck)
        .bind("note", note)
        .bind("at", at)
        .execute(conn)
        .await?;
    Ok(())
}

/// The visibility that a deck gets back: that from before the takedown. If its owner has changed it since, it is private:
/// the owner wrote the new content in a private deck, and no moderator has decided about it.
const VISIBILITY_AFTER: &str =
    "CASE WHEN revision = taken_down_revision THEN taken_down_from ELSE 'private' END";

/// Ends the takedown of a locked deck, if it is taken down.
pub(in crate::store) async fn reinstate(
    conn: &mut Connection,
    _by: &Acting<ModerateDesigns>,
    deck: DeckId,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let shown = sql(format!(
        "UPDATE decks SET visibility = CASE WHEN deleted_at IS NULL AND {VISIBILITY_AFTER} = 'public' THEN 'public' ELSE 'private' END, \
          unlisted = deleted_at IS NULL AND {VISIBILITY_AFTER} = 'unlisted', \
          visibility_before = CASE WHEN deleted_at IS NOT NULL THEN {VISIBILITY_AFTER} END, \
          taken_down_at = NULL, taken_down_from = NULL, taken_down_revision = NULL, takedown_note = NULL \
         WHERE id = $id AND taken_down_at IS NOT NULL"
    ))
    .bind("id", deck)
    .execute(conn)
    .await?;
    if shown > 0 {
        notify_owner(conn, deck, "deck.reinstated", at).await?;
    }
    Ok(())
}

/// Whether others could read a locked deck that is taken down if the takedown ended now.
pub(super) async fn would_be_shown(mut conn: &Connection, deck: DeckId) -> StoreResult<bool> {
    let statement = sql(format!(
        "SELECT FROM decks WHERE id = $id AND taken_down_at IS NOT NULL AND {VISIBILITY_AFTER} <> 'private'"
    ));
    Ok(statement.bind("id", deck).execute(&mut conn).await? > 0)
}

/// What a moderator has hidden, and the manifest of its game.
#[derive(QueryableByName)]
struct HiddenRow {
    #[diesel(sql_type = Jsonb)]
    content: Json<StoredContent>,
    #[diesel(sql_type = Text)]
    manifest: String,
}

/// Whether a deck with this content would show what a moderator has hidden: it was cloned from a deck of the same owner
/// that is taken down, and nothing was changed. That cards were moved, renamed or merged since is no change: a clone has the
/// present places, and so has what its owner sends back. Neither is that an entry is bound to a card that came later.
pub(super) async fn is_clone_of_hidden(
    mut conn: &Connection,
    row: &DeckRow,
    content: &DeckContent,
) -> StoreResult<bool> {
    let Some(source) = row.cloned_deck_id else { return Ok(false) };
    let found: Option<HiddenRow> =
        sql("SELECT v.content, g.manifest FROM decks d JOIN games g ON g.code = d.game_code \
         JOIN deck_revisions v ON v.deck_id = d.id AND v.revision = d.taken_down_revision \
         WHERE d.id = $source AND d.account_id = $account AND d.taken_down_at IS NOT NULL")
        .bind("source", source)
        .bind("account", row.account_id)
        .get_result(&mut conn)
        .await
        .optional()?;
    let Some(HiddenRow { content: hidden, manifest }) = found else { return Ok(false) };
    let game = Game::from_toml(&manifest).map_err(unreadable)?;
    let hidden = hidden.0.read()?;
    let cards = hidden.bound_entries().chain(content.bound_entries());
    let cards: BTreeSet<CardId> = cards.filter_map(|(_, card)| card).collect();
    let cards: Vec<CardId> = cards.into_iter().collect();
    let merged = card_migrations::merged_cards(conn, &cards).await?;
    Ok(hidden.shows_same_as(content, &game, &merged))
}

/// Writes an event of the owner. Older programs take no deck down, so no trigger is needed.
async fn notify_owner(
    conn: &mut Connection,
    deck: DeckId,
    kind: &str,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    sql("SELECT tell_of_deck(account_id, NULL, $kind, id, NULL, $at) FROM decks WHERE id = $id")
        .bind("kind", kind)
        .bind("id", deck)
        .bind("at", at)
        .execute(conn)
        .await?;
    Ok(())
}
