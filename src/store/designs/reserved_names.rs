//! Names of listed designs, which are reserved: no other design of the game is listed under a name that is or looks the
//! same, and none gets the name of an open card.

use std::time::Duration as Period;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Bool, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use super::design_lifecycle::withdraw_locked;
use crate::auth::permission::{Granted, ReviewDesigns, Viewer};
use crate::domain::designs::name_looks::{LOOKS_VERSION, LookHashes, NameLooks};
use crate::domain::ids::DesignId;
use crate::store::card_content::content::list_hidden_names_for;
use crate::store::card_content::name_looks::{
    NameBearer, OTHER_LETTER, STORED_VERSION, bytes, find_open_bearer,
};
use crate::store::db::backlog::{Backlog, work_off};
use crate::store::db::statement::sql;
use crate::store::{Connection, Store, StoreResult};

/// A name to be reserved for a design.
pub(super) struct NewName<'a> {
    game: &'a str,
    looks: NameLooks,
    hashes: LookHashes,
}

impl<'a> NewName<'a> {
    pub(super) fn new(game: &'a str, name: &str) -> Self {
        let looks = NameLooks::of(name);
        Self { game, hashes: looks.hashes(game), looks }
    }

    /// Whether the name is the same as another to everybody who compares it.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.looks == other.looks
    }
}

#[derive(QueryableByName)]
struct Holder {
    #[diesel(sql_type = SqlUuid)]
    id: DesignId,
    #[diesel(sql_type = Bool)]
    keeps_it: bool,
}

/// What has a name that a design cannot get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameOwner {
    /// An open card.
    Card {
        /// Code of its set.
        set: String,
        number: String,
    },
    /// Another listed design.
    Design,
}

/// A name that a design may be listed under.
#[must_use]
pub(super) struct Reservation {
    /// Locked designs of banned authors that have the name. Nobody sees them.
    hidden: Vec<DesignId>,
}

/// Whether the locked design may be listed under this name, or what has it. Everything that the name is compared by is
/// locked until the transaction ends: of two concurrent requests for names that are or look the same, the second waits,
/// and then finds the name taken.
pub(super) async fn reserve(
    conn: &mut Connection,
    id: DesignId,
    name: &NewName<'_>,
) -> StoreResult<Result<Reservation, NameOwner>> {
    let hidden = match find_hidden(conn, id, name).await? {
        Ok(hidden) => hidden,
        Err(owner) => return Ok(Err(owner)),
    };
    let locked = lock_hidden(conn, &hidden).await?;
    Ok(if locked == hidden.len() { Ok(Reservation { hidden }) } else { Err(NameOwner::Design) })
}

/// What else has the name of a design that is about to be approved or released; `None`: nothing. A design that was never
/// shared has not reserved it. The name is locked as by [`reserve`].
pub(super) async fn find_owner(
    conn: &mut Connection,
    id: DesignId,
    name: &NewName<'_>,
) -> StoreResult<Option<NameOwner>> {
    Ok(find_hidden(conn, id, name).await?.err())
}

/// What [`find_owner`] would find at this moment. Nothing is locked, so it may change at once.
pub async fn find_present_owner(
    conn: &mut Connection,
    _by: &Granted<ReviewDesigns>,
    id: DesignId,
    (game, name): (&str, &str),
) -> StoreResult<Option<NameOwner>> {
    Ok(find_holders(conn, id, &NewName::new(game, name)).await?.err())
}

/// Locks the name, and finds who has it.
async fn find_hidden(
    conn: &mut Connection,
    id: DesignId,
    name: &NewName<'_>,
) -> StoreResult<Result<Vec<DesignId>, NameOwner>> {
    // The key first, then the skeleton, in the order of older programs, which lock only these two; then all looks by
    // their numbers. So no two transactions wait for each other.
    sql(
        "SELECT pg_advisory_xact_lock(lock) FROM unnest(ARRAY[hashtextextended('design key ' || $game || ' ' || $key, 0), \
          hashtextextended('design name ' || $game || ' ' || $skeleton, 0)] || $locks) AS lock",
    )
    .bind("game", name.game)
    .bind("key", name.looks.key.as_str())
    .bind("skeleton", name.looks.skeleton.as_str())
    .bind("locks", name.hashes.locks())
    .execute(conn)
    .await?;
    // Statements of their own: the one that takes a lock sees the state before its wait.
    find_holders(conn, id, name).await
}

/// Finds what keeps the name from the design, or else the designs that have it without keeping it.
async fn find_holders(
    conn: &mut Connection,
    id: DesignId,
    name: &NewName<'_>,
) -> StoreResult<Result<Vec<DesignId>, NameOwner>> {
    if let Some(owner) = find_card(conn, name).await? {
        return Ok(Err(owner));
    }
    let holders: Vec<Holder> = sql(format!("{HOLDERS_BEFORE}{WITH_A_LOOK}{HOLDERS_AFTER}"))
        .bind("id", id)
        .bind("game", name.game)
        .bind("key", name.looks.key.as_str())
        .bind("skeleton", name.looks.skeleton.as_str())
        .bind("looks", bytes(&name.hashes.all()))
        .bind("always", bytes(&name.hashes.always()))
        .bind("other_letters", name.hashes.has_other_letters)
        .bind("other_letter", OTHER_LETTER)
        .load(conn)
        .await?;
    if holders.iter().any(|holder| holder.keeps_it) {
        return Ok(Err(NameOwner::Design));
    }
    Ok(Ok(holders.into_iter().map(|holder| holder.id).collect()))
}

/// The open card that has the name.
///
/// Unlocks and imports do not take the locks of the name, because a player's design must not keep a card waiting. If one
/// commits after this look-up, both have the name, as when a card is unlocked under the name of a design that was shared
/// long before: the design stays, and from then on its checks have the obstacle `name`, for its author and for the
/// moderator who claims it, and it is neither submitted nor released.
pub(super) async fn find_card(
    conn: &mut Connection,
    name: &NewName<'_>,
) -> StoreResult<Option<NameOwner>> {
    let bearer = find_open_bearer(conn, name.game, &name.looks, &name.hashes).await?;
    Ok(bearer.map(|NameBearer { set_code: set, number }| NameOwner::Card { set, number }))
}

/// The place of a hidden card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenNamesake {
    /// Code of its set.
    pub set: String,
    pub number: String,
}

/// Hidden cards with this name or one that looks the same, by set and number; none for viewers who do not see all hidden
/// cards. They do not reserve the name, but a design with it cannot be released.
pub async fn list_hidden_namesakes(
    conn: &mut Connection,
    viewer: Viewer,
    game: &str,
    name: &str,
) -> StoreResult<Vec<HiddenNamesake>> {
    let looks = NameLooks::of(name);
    let hidden = list_hidden_names_for(conn, viewer, game).await?.into_iter();
    let same = hidden.filter(|hidden| looks.clashes_with(&hidden.name));
    Ok(same.map(|card| HiddenNamesake { set: card.set_code, number: card.number }).collect())
}

/// The designs that have the name: those by key and skeleton, and then [`WITH_A_LOOK`]. One whose author is banned is
/// shown to nobody and does not keep it, unless it is approved: it may be a hidden card already, and is not withdrawn
/// (`DesignStatus::after`). Designs that have no looks yet are compared by key and skeleton.
const HOLDERS_BEFORE: &str = "SELECT d.id, a.banned_at IS NULL OR d.status = 'approved' AS keeps_it FROM (\
      SELECT id FROM designs WHERE game_code = $game AND name_skeleton = $skeleton AND listed AND status <> 'official' UNION \
      SELECT id FROM designs WHERE game_code = $game AND name_key COLLATE \"C\" = $key AND listed AND status <> 'official' UNION ";

const HOLDERS_AFTER: &str = ") found JOIN designs d USING (id) JOIN accounts a ON a.id = d.account_id WHERE d.id <> $id ORDER BY d.id";

/// Listed designs that share one of the `$looks`. The look in capital letters does not count between two names whose
/// letters are ASCII but for accents; those in `$always` count between any two.
pub(super) const WITH_A_LOOK: &str = "SELECT id FROM designs WHERE name_looks && $looks AND listed AND status <> 'official' \
      AND (name_looks && $always OR $other_letters OR normalize(name, NFKD) ~ $other_letter)";

/// Locks designs that do not keep their names; returns how many. One that another transaction has locked is not waited
/// for, because that transaction may wait for the name. The accounts are locked too, so that no ban ends before the
/// designs are withdrawn; one that is locked is not waited for, because a ban locks the account before its designs.
async fn lock_hidden(conn: &mut Connection, hidden: &[DesignId]) -> StoreResult<usize> {
    if hidden.is_empty() {
        return Ok(0);
    }
    let locked = sql(
        "SELECT FROM designs d JOIN accounts a ON a.id = d.account_id WHERE d.listed AND d.status NOT IN ('approved', 'official') \
          AND a.banned_at IS NOT NULL AND d.id = ",
    )
    .any(hidden)
    .push(" ORDER BY d.id FOR NO KEY UPDATE OF d SKIP LOCKED FOR SHARE OF a SKIP LOCKED");
    Ok(locked.execute(conn).await?)
}

impl Reservation {
    /// Withdraws the hidden designs that had the name, and notifies their authors. Comes before the design is listed under it, and after everything
    /// that may still refuse that.
    pub(super) async fn take(self, conn: &mut Connection, at: DateTime<Utc>) -> StoreResult<()> {
        for id in self.hidden {
            withdraw_locked(conn, id, at).await?;
            // The author reads it when the ban ends.
            sql("SELECT tell_of_design(account_id, NULL, 'design.name_lost', id, NULL, NULL, $at) FROM designs WHERE id = $id")
                .bind("id", id)
                .bind("at", at)
                .execute(conn)
                .await?;
        }
        Ok(())
    }
}

/// Stores what the name of a listed design is compared by. A change of the name deletes it, so this comes after the
/// change.
pub(super) async fn store_looks(
    conn: &mut Connection,
    id: DesignId,
    name: &NewName<'_>,
) -> StoreResult<()> {
    sql("UPDATE designs SET name_looks = $looks, name_looks_version = $version \
         WHERE id = $id AND (name_looks_version <> $version OR name_looks IS DISTINCT FROM $looks)")
    .bind("id", id)
    .bind("looks", bytes(&name.hashes.all()))
    .bind("version", LOOKS_VERSION)
    .execute(conn)
    .await?;
    Ok(())
}

/// Stores what the names of listed designs are compared by, for one turn, where older versions of the program did not or
/// followed older rules; returns how many. Names that older versions accepted beside each other stay.
pub async fn fill_in(store: &Store, turn: Period) -> StoreResult<usize> {
    work_off(&StaleLooks, store, turn).await
}

struct StaleLooks;

#[derive(QueryableByName)]
struct NamedDesign {
    #[diesel(sql_type = SqlUuid)]
    id: DesignId,
    #[diesel(sql_type = Text)]
    game_code: String,
    #[diesel(sql_type = Text)]
    name: String,
}

impl Backlog for StaleLooks {
    type Row = NamedDesign;

    async fn read(&self, conn: &mut Connection, limit: i64) -> StoreResult<Vec<NamedDesign>> {
        Ok(sql(format!(
            "SELECT id, game_code, name FROM designs WHERE listed AND status <> 'official' AND {STORED_VERSION} < $version \
             ORDER BY {STORED_VERSION} LIMIT $limit FOR NO KEY UPDATE SKIP LOCKED"
        ))
        .bind("version", LOOKS_VERSION)
        .bind("limit", limit)
        .load(conn)
        .await?)
    }

    async fn complete(&self, conn: &mut Connection, rows: &[NamedDesign]) -> StoreResult<()> {
        for design in rows {
            store_looks(conn, design.id, &NewName::new(&design.game_code, &design.name)).await?;
        }
        Ok(())
    }
}
