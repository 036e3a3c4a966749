//! Imports games and sets, each import in one transaction.
//!
//! An import first plans the differences from the stored data, for all its sets, and only then writes. Forbidden
//! changes (a card that is missing in the file, a name that another card has, a stored card that a changed manifest
//! does not allow) refuse the import with every such fault. Equal rows are not touched: their revisions and times stay.

mod cards;
mod edit;
pub(in crate::store) mod new_card;
mod new_set;
mod plan;
mod upkeep;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use diesel_async::RunQueryDsl;
use serde::Serialize;
use thiserror::Error;
use uuid::Uuid;

pub use self::edit::{EditError, SetChange, edit_card, edit_set};
pub(in crate::store) use self::edit::{lock_set, mark_edited};
pub(in crate::store) use self::new_set::lock_game;
pub use self::new_set::{SetCreated, SetDeleted, SetUse, create_set, delete_set, find_set_use};
use self::plan::SetPlan;
pub(in crate::store) use self::plan::is_printed;
pub use self::upkeep::with_upkeep;
use super::changes;
use crate::auth::permission::Importer;
use crate::domain::catalogue::import::{GameImport, GameSource, ImportFault};
use crate::store::db::pool::AsStoreError;
use crate::store::db::schema::{games, sets};
use crate::store::db::statement::{CachePrepared as _, run_commands, sql};
use crate::store::operations::audit;
use crate::store::serials::unlock_policies;
use crate::store::serials::unlock_policies::Recount;
use crate::store::{Connection, StoreError, StoreResult};

/// Imports wait for each other on this advisory lock, longer than ordinary statements may wait.
pub(in crate::store) const LOCK: &str = "SET LOCAL lock_timeout = '120s'; SET LOCAL statement_timeout = '120s'; \
                    SELECT pg_advisory_xact_lock(7233172002)";

/// Whether an import, edit, move or merge of any game is running. Only a hint: the check takes no lock.
pub async fn is_running(conn: &mut Connection) -> StoreResult<bool> {
    let held = sql(
        "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND (classid, objid, objsubid) = ($upper, $lower, 1) \
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS current",
    );
    let Current { current } =
        held.bind("upper", LOCK_KEY.0).bind("lower", LOCK_KEY.1).get_result(conn).await?;
    Ok(current)
}

/// The advisory lock of imports as `pg_locks` shows it: the upper and lower half of its number.
const LOCK_KEY: (u32, u32) = (1, 2_938_204_706);

/// What must be stored of the game before an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// Anything or nothing.
    Whatever,
    /// Nothing: the game must be new.
    Nothing,
    /// This revision of the manifest.
    Revision(i64),
    /// This revision of the manifest, and this version of the only set of the import. Of another version, the import must
    /// change nothing.
    Checked(i64, SetVersion),
}

/// A digest of what a set file is compared with: the manifest of the game, the set and its cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetVersion(pub i64);

#[derive(QueryableByName)]
struct VersionRow {
    #[diesel(sql_type = BigInt)]
    version: i64,
}

/// The version of a set. It has one also while it is not stored.
pub async fn find_set_version(
    conn: &mut Connection,
    game: &str,
    set: &str,
) -> StoreResult<SetVersion> {
    // Each edit raises a revision. Moves, which may leave number and sum as they were, set the time.
    let digest = sql("SELECT hashtextextended(concat_ws(' ', \
             (SELECT revision FROM games WHERE code = $game), \
             (SELECT concat_ws(' ', id, revision, extract(epoch FROM edited_at)) FROM sets WHERE game_code = $game AND code = $set), \
             (SELECT concat_ws(' ', count(*), sum(revision)) FROM cards WHERE game_code = $game AND set_code = $set)), 0) AS version");
    let VersionRow { version } =
        digest.bind("game", game).bind("set", set).get_result(conn).await?;
    Ok(SetVersion(version))
}

/// Why an import was not stored.
#[derive(Debug, Error)]
pub enum ImportError {
    /// It contains forbidden changes.
    #[error("refused: {} faults", .0.len())]
    Refused(Vec<ImportFault>),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The game or set was changed by another request first.
    #[error("the game was changed in the meantime")]
    Stale,
    /// It was a dry run: this would be the result.
    #[error("rehearsed")]
    Rehearsed(ImportSummary),
}

impl From<diesel::result::Error> for ImportError {
    fn from(error: diesel::result::Error) -> Self {
        Self::Store(error.into())
    }
}

impl AsStoreError for ImportError {
    fn as_store_error(&self) -> Option<&StoreError> {
        match self {
            Self::Store(error) => Some(error),
            Self::Refused(_) | Self::Stale | Self::Rehearsed(_) => None,
        }
    }
}

/// What an import changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportSummary {
    pub game: String,
    /// Whether the game is new.
    pub game_added: bool,
    /// Whether the manifest is new or changed.
    pub manifest_changed: bool,
    /// The sets that changed.
    pub sets: Vec<SetSummary>,
}

/// The changes of one set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SetSummary {
    pub set: String,
    /// Whether the set is new.
    pub set_added: bool,
    /// Whether the set is new, or its name, date or policy has changed.
    pub set_changed: bool,
    /// New cards.
    pub cards_added: usize,
    /// Cards whose content changed.
    pub cards_changed: usize,
    /// Printings that stored cards get.
    pub printings_added: usize,
    /// Printings that stored cards lose. What players count of them moves to another rarity.
    pub printings_removed: usize,
    /// Number of hidden cards that a lower threshold unlocked.
    pub cards_unlocked: usize,
}

impl ImportSummary {
    /// Whether anything changed.
    pub fn changed(&self) -> bool {
        self.manifest_changed || !self.sets.is_empty()
    }
}

impl SetSummary {
    fn changed(&self) -> bool {
        self.set_changed || self.cards_added + self.cards_changed + self.cards_unlocked > 0
    }
}

#[derive(QueryableByName)]
struct Current {
    #[diesel(sql_type = Bool)]
    current: bool,
}

/// Whether the last import of the game and its sets had exactly these files, so that there is nothing to do. Does not
/// parse them.
pub async fn is_current(conn: &mut Connection, source: &GameSource) -> StoreResult<bool> {
    let hashes: Vec<Vec<u8>> = source.set_hashes().into_iter().map(|hash| hash.to_vec()).collect();
    let Current { current } = sql(
        "SELECT EXISTS (SELECT FROM games WHERE manifest = $manifest) \
                AND NOT EXISTS (SELECT FROM unnest($hashes) AS file (hash) \
                                WHERE NOT EXISTS (SELECT FROM sets WHERE source_hash = file.hash)) AS current",
    )
    .bind("manifest", &source.manifest.text)
    .bind("hashes", hashes)
    .get_result(conn)
    .await?;
    Ok(current)
}

/// Imports a game and its sets, in a transaction that the caller opens, if the stored version is still `base`.
/// `progress` is called with the number of processed cards after each batch.
///
/// Cards are identified by game, set and number; ids stay. New cards of a set that starts hidden are hidden. Open cards
/// stay open whatever the set's policy becomes, and hidden cards stay hidden until they are unlocked.
pub async fn import(
    conn: &mut Connection,
    by: &Importer,
    import: &GameImport,
    base: Base,
    at: DateTime<Utc>,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<ImportSummary, ImportError> {
    run_commands(conn, LOCK).await?;
    // Not `FOR UPDATE`: transactions that write designs, decks and bulk files of the game hold a key-share lock on its
    // row. Changes of unlock policies, which must wait, lock it like this.
    let revision: Option<i64> = games::table
        .find(import.game().code())
        .select(games::revision)
        .for_no_key_update()
        .first(conn)
        .await
        .optional()?;
    match base {
        Base::Nothing if revision.is_some() => return Err(ImportError::Stale),
        Base::Revision(wanted) | Base::Checked(wanted, _) if revision != Some(wanted) => {
            return Err(ImportError::Stale);
        }
        Base::Whatever | Base::Nothing | Base::Revision(_) | Base::Checked(..) => {}
    }
    // Before anything is written, because that gives the set another version.
    let has_other_version = match (base, import.sets()) {
        (Base::Checked(_, seen), [set]) => {
            find_set_version(conn, import.game().code(), &set.code).await? != seen
        }
        _ => false,
    };
    let mut summary =
        ImportSummary { game: import.game().code().to_owned(), ..ImportSummary::default() };
    let shared = plan::shared_names(conn, by, import).await?;
    if !shared.is_empty() {
        return Err(ImportError::Refused(shared));
    }
    let stored = store_game(conn, import, at).await?;
    summary.game_added = stored == Manifest::Added;
    summary.manifest_changed = stored != Manifest::Unchanged;

    let mut plans = Vec::new();
    for set in import.sets() {
        match plan::plan(conn, by, import.game().code(), set, at).await? {
            Some(plan) => plans.push(plan),
            None => progress(set.cards.len()),
        }
    }
    let mut faults = plan::faults(conn, by, import, &plans).await?;
    if summary.manifest_changed {
        faults.extend(plan::lost_codes(conn, by, import, &plans).await?);
        faults.extend(plan::broken_cards(conn, by, import, &plans).await?);
    }
    if !faults.is_empty() {
        return Err(ImportError::Refused(faults));
    }
    let mut other_tiers = Vec::new();
    if summary.manifest_changed {
        changes::game_changed(conn, import.game().code(), at).await?;
        other_tiers = cards::find_other_tiers(conn, import.game()).await?;
    }
    cards::lock_progress(conn, &plans, &other_tiers).await?;
    cards::apply_tiers(conn, by, import.game(), &other_tiers, at).await?;
    plan::free_names(conn, by, &plans).await?;
    let mut batches = cards::Batches::of(&plans);
    for plan in &plans {
        let done = write(conn, by, plan, &mut batches, at, progress).await?;
        if done.changed() {
            summary.sets.push(done);
        }
    }
    if summary.changed() {
        if has_other_version {
            return Err(ImportError::Stale);
        }
        record(conn, by, &summary, at).await?;
    }
    Ok(summary)
}

/// The result of storing a manifest.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manifest {
    Added,
    Changed,
    Unchanged,
}

async fn store_game(
    conn: &mut Connection,
    import: &GameImport,
    at: DateTime<Utc>,
) -> StoreResult<Manifest> {
    let (game, manifest) = (import.game(), &import.manifest().text);
    let stored: Option<String> = games::table
        .find(game.code())
        .select(games::manifest)
        .for_no_key_update()
        .first(conn)
        .await
        .optional()?;
    let values = (
        games::name.eq(game.name()),
        games::manifest.eq(manifest),
        games::unique_names.eq(game.unique_names()),
        games::updated_at.eq(at),
    );
    match stored {
        Some(stored) if stored == *manifest => Ok(Manifest::Unchanged),
        Some(_) => {
            diesel::update(games::table.find(game.code()))
                .set((values, games::revision.eq(games::revision + 1)))
                .cached()
                .execute(conn)
                .await?;
            Ok(Manifest::Changed)
        }
        None => {
            diesel::insert_into(games::table)
                .values((games::code.eq(game.code()), values, games::created_at.eq(at)))
                .execute(conn)
                .await?;
            Ok(Manifest::Added)
        }
    }
}

async fn write(
    conn: &mut Connection,
    by: &Importer,
    plan: &SetPlan<'_>,
    batches: &mut cards::Batches<'_, '_>,
    at: DateTime<Utc>,
    progress: &(dyn Fn(usize) + Sync),
) -> StoreResult<SetSummary> {
    if plan.set_changed {
        changes::set_changed(conn, plan.set_id, plan.game, &plan.set.code, at).await?;
    }
    let added = cards::add(conn, by, plan, batches, at, progress).await?;
    cards::change(conn, by, plan, at).await?;
    progress(plan.set.cards.len() - plan.added.len());
    let (game, set) = (plan.game, plan.set.code.as_str());
    let cards_unlocked = if plan.recounts {
        unlock_policies::apply(conn, game, set, Recount::Changed, at).await?
    } else {
        unlock_policies::apply_to_new(conn, (game, set), &added, at).await?
    };
    diesel::update(sets::table.find(plan.set_id))
        .set((
            sets::source_hash.eq(plan.set.hash.to_vec()),
            sets::edited_at.eq(None::<DateTime<Utc>>),
        ))
        .cached()
        .execute(conn)
        .await?;
    Ok(SetSummary {
        set: plan.set.code.clone(),
        set_added: plan.is_new,
        set_changed: plan.set_changed,
        cards_added: plan.added.len(),
        cards_changed: plan.changed.len(),
        printings_added: plan.changed.iter().map(|card| card.new_printings.len()).sum(),
        printings_removed: plan.changed.iter().map(|card| card.removed_printings.len()).sum(),
        cards_unlocked,
    })
}

async fn record(
    conn: &mut Connection,
    by: &Importer,
    summary: &ImportSummary,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let entry = audit::NewAuditEntry {
        actor: by.account(),
        action: "game.imported",
        target: format!("game:{}", summary.game),
        details: serde_json::json!({ "manifest_changed": summary.manifest_changed, "sets": summary.sets }),
        at,
    };
    audit::write(conn, entry).await
}

type SetId = Uuid;
