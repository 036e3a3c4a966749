//! Edits of one card or one set. They use the same lock, checks and events as imports.

use cardscape_engine::Game;
use chrono::{DateTime, NaiveDate, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::json;
use thiserror::Error;
use uuid::Uuid;

use super::plan::SetPlan;
use super::{LOCK, cards, lock_game, plan};
use crate::auth::permission::{Acting, Importer, Viewer, WriteCatalogue};
use crate::domain::catalogue::card_edit::{MergePatch, within_card};
use crate::domain::catalogue::import::{CardFault, ImportFault};
use crate::domain::ids::CardId;
use crate::store::card_content::cards::{self as content_of_cards, CardView};
use crate::store::card_content::content;
use crate::store::catalogue::changes;
use crate::store::catalogue::games::GameCache;
use crate::store::catalogue::sets::{self, SetRow};
use crate::store::db::pool::AsStoreError;
use crate::store::db::schema::sets as sets_table;
use crate::store::db::statement::{CachePrepared as _, run_commands};
use crate::store::operations::audit;
use crate::store::serials::unlock_policies::{self, Recount};
use crate::store::{Connection, StoreError, StoreResult};

/// Why an edit was not stored.
#[derive(Debug, Error)]
pub enum EditError<T> {
    /// There is no such card or set.
    #[error("the object to edit does not exist")]
    Missing,
    /// It differs from the version that the editor has read.
    #[error("it was changed in the meantime")]
    Stale,
    /// The edit conflicts with the game's rules, or with stored data.
    #[error("refused: {} faults", .0.len())]
    Refused(Vec<ImportFault>),
    /// It was a dry run: this would be the result.
    #[error("rehearsed")]
    Rehearsed(T),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl<T> From<diesel::result::Error> for EditError<T> {
    fn from(error: diesel::result::Error) -> Self {
        Self::Store(error.into())
    }
}

impl<T> AsStoreError for EditError<T> {
    fn as_store_error(&self) -> Option<&StoreError> {
        match self {
            Self::Store(error) => Some(error),
            Self::Missing | Self::Stale | Self::Refused(_) | Self::Rehearsed(_) => None,
        }
    }
}

/// Changes one card, if it is still the version that the editor has read; returns the new state. A patch without
/// changes writes nothing.
pub async fn edit_card(
    conn: &mut Connection,
    by: &Acting<WriteCatalogue>,
    id: CardId,
    games: &GameCache,
    is_current: impl Fn(&CardView) -> bool,
    patch: &MergePatch,
    at: DateTime<Utc>,
) -> Result<CardView, EditError<CardView>> {
    run_commands(conn, LOCK).await?;
    let (importer, viewer) = (Importer::from(by), Viewer::from(&**by));
    let view = content_of_cards::find(conn, viewer, id).await?.ok_or(EditError::Missing)?;
    if !is_current(&view) {
        return Err(EditError::Stale);
    }
    let place = view.place().clone();
    let stored = content::load_card(conn, &importer, id).await?.ok_or(EditError::Missing)?;
    let loaded = games.find(conn, &place.game).await?.ok_or(EditError::Missing)?;
    let game = &loaded.game;
    let edited = patch
        .apply(game, &place.set, &stored.clone().into_definition())
        .map_err(EditError::Refused)?;
    let [card] = edited.cards.as_slice() else { return Ok(view) };
    let before = stored.name.clone();
    let Some(change) = plan::compare_card(stored, card) else { return Ok(view) };

    let set_id = lock_set(conn, &place.game, &place.set).await?.ok_or(EditError::Missing)?;
    let printed = plan::is_printed(conn, set_id).await?;
    let renamed = change.renamed;
    let mut plan = SetPlan {
        game: &place.game,
        set: &edited,
        set_id,
        is_new: false,
        set_changed: false,
        recounts: false,
        added: Vec::new(),
        changed: vec![change],
        faults: Vec::new(),
    };
    if renamed {
        if printed {
            plan.faults.push(plan::renamed_in_print(&edited, 0, &before));
        }
        plan.faults.extend(name_faults(conn, &importer, game, &plan).await?);
    }
    plan::refuse_removed_printings(conn, &mut plan, printed).await?;
    if !plan.faults.is_empty() {
        return Err(EditError::Refused(plan.faults.into_iter().map(within_card).collect()));
    }
    cards::lock_progress(conn, std::slice::from_ref(&plan), &[]).await?;
    cards::change(conn, &importer, &plan, at).await?;
    mark_edited(conn, set_id, at).await?;
    let entry = audit::NewAuditEntry {
        actor: importer.account(),
        action: "card.changed",
        target: format!("card:{id}"),
        details: json!({ "game": place.game, "set": place.set, "number": place.number }),
        at,
    };
    audit::write(conn, entry).await?;
    content_of_cards::find(conn, viewer, id).await?.ok_or(EditError::Missing)
}

/// Faults for another card of the game that already has the new name.
async fn name_faults(
    conn: &mut Connection,
    by: &Importer,
    game: &Game,
    plan: &SetPlan<'_>,
) -> StoreResult<Vec<ImportFault>> {
    let [card] = plan.set.cards.as_slice() else { return Ok(Vec::new()) };
    if !game.unique_names() {
        return Ok(Vec::new());
    }
    let taken = content::find_taken_names(conn, by, plan.game, &[&card.name_key], &[]).await?;
    let fault = |taken: content::TakenName| {
        let taken = CardFault::NameTaken { set: taken.set_code, number: taken.number };
        ImportFault::of_card(&plan.set.file, "/cards/0/name", taken)
    };
    // The card itself still has its old name.
    Ok(taken.into_iter().map(fault).collect())
}

async fn has_policy(conn: &mut Connection, game: &str, set: &str) -> StoreResult<bool> {
    let policy = unlock_policies::find_effective(conn, game, set).await?;
    Ok(policy.is_some_and(|policy| policy.stored.is_some()))
}

/// Locks the row of a set, so that no print run of it can begin; returns its id. Not `FOR NO KEY UPDATE`: a new print run
/// takes only a key-share lock on the row.
pub(in crate::store) async fn lock_set(
    conn: &mut Connection,
    game: &str,
    set: &str,
) -> StoreResult<Option<Uuid>> {
    Ok(sets_table::table
        .filter(sets_table::game_code.eq(game).and(sets_table::code.eq(set)))
        .select(sets_table::id)
        .for_update()
        .first(conn)
        .await
        .optional()?)
}

/// Records that a set no longer equals its file.
pub(in crate::store) async fn mark_edited(
    conn: &mut Connection,
    set: Uuid,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    diesel::update(sets_table::table.find(set))
        .set(sets_table::edited_at.eq(at))
        .cached()
        .execute(conn)
        .await?;
    Ok(())
}

/// The changes of a set; `None` leaves a value unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetChange {
    /// Name for people.
    pub name: Option<String>,
    /// Day of release; `Some(None)` removes it.
    pub released_on: Option<Option<NaiveDate>>,
    /// Whether cards that are added later start hidden.
    pub hidden: Option<bool>,
    /// Number of distinct accounts whose submissions unlock a card.
    pub unlock_threshold: Option<i32>,
}

/// Changes the fields of a set, if it is still the version that the editor has read; returns the new state. A lower
/// threshold unlocks cards that already have enough submissions.
pub async fn edit_set(
    conn: &mut Connection,
    by: &Acting<WriteCatalogue>,
    (game, code): (&str, &str),
    is_current: impl Fn(&SetRow) -> bool,
    change: &SetChange,
    at: DateTime<Utc>,
) -> Result<SetRow, EditError<SetRow>> {
    run_commands(conn, LOCK).await?;
    // Changes of unlock policies lock the game.
    lock_game(conn, game).await?;
    let set_id = lock_set(conn, game, code).await?.ok_or(EditError::Missing)?;
    let before = sets::find(conn, game, code).await?.ok_or(EditError::Missing)?;
    if !is_current(&before) {
        return Err(EditError::Stale);
    }
    let name = change.name.as_ref().unwrap_or(&before.name);
    let released_on = change.released_on.unwrap_or(before.released_on);
    let hidden = change.hidden.unwrap_or(before.hidden);
    let threshold = change.unlock_threshold.unwrap_or(before.unlock_threshold);
    if threshold != before.unlock_threshold && has_policy(conn, game, code).await? {
        let message = "an unlock policy decides over the set: change that";
        return Err(EditError::Refused(vec![ImportFault::new("", "/unlock_threshold", message)]));
    }
    if (name, released_on, hidden, threshold)
        == (&before.name, before.released_on, before.hidden, before.unlock_threshold)
    {
        return Ok(before);
    }
    diesel::update(sets_table::table.find(set_id))
        .set((
            sets_table::name.eq(name),
            sets_table::released_on.eq(released_on),
            sets_table::hidden.eq(hidden),
            // While an unlock policy applies, the value from the file is kept for the time after the policy is deleted: `before` has that of the policy.
            (threshold != before.unlock_threshold)
                .then(|| sets_table::unlock_threshold.eq(threshold)),
            sets_table::revision.eq(sets_table::revision + 1),
            sets_table::updated_at.eq(at),
            sets_table::edited_at.eq(at),
        ))
        .cached()
        .execute(conn)
        .await?;
    changes::set_changed(conn, set_id, game, code, at).await?;
    // Cards are counted again only when the threshold has changed: neither the name nor the day affects the count.
    let unlocked = if threshold == before.unlock_threshold {
        0
    } else {
        unlock_policies::apply(conn, game, code, Recount::Changed, at).await?
    };
    let entry = audit::NewAuditEntry {
        actor: Some(by.account()),
        action: "set.changed",
        target: format!("set:{game}/{code}"),
        details: json!({
            "name": name, "released_on": released_on, "cards_start_hidden": hidden, "unlock_threshold": threshold,
            "cards_unlocked": unlocked,
        }),
        at,
    };
    audit::write(conn, entry).await?;
    sets::find(conn, game, code).await?.ok_or(EditError::Missing)
}
