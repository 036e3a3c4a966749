//! Adds one new card to a stored set. Uses the same lock, checks and events as imports.

use cardscape_engine::Game;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::edit::{lock_set, mark_edited, name_faults};
use super::plan::{self, SetPlan};
use super::{EditError, cards};
use crate::auth::permission::Importer;
use crate::domain::catalogue::card_edit::{CARD, within_card};
use crate::domain::catalogue::import::{ImportFault, SetImport};
use crate::domain::designs::name_looks::NameLooks;
use crate::domain::ids::CardId;
use crate::store::card_content::{content, name_looks};
use crate::store::catalogue::sets::{self, SetRow};
use crate::store::db::schema::cards as cards_table;
use crate::store::{Connection, StoreResult};

/// A locked set that a card can be added to.
pub(in crate::store) struct OpenSet {
    id: Uuid,
    pub(in crate::store) row: SetRow,
}

/// Locks a set so that no print run of it can begin; `None`: there is no such set. The caller must hold
/// [`super::LOCK`].
pub(in crate::store) async fn open_set(
    conn: &mut Connection,
    _by: &Importer,
    game: &str,
    set: &str,
) -> StoreResult<Option<OpenSet>> {
    let Some(id) = lock_set(conn, game, set).await? else { return Ok(None) };
    Ok(sets::find(conn, game, set).await?.map(|row| OpenSet { id, row }))
}

/// Adds the only card of `card` to the set, hidden if the set's cards start hidden; or returns every fault. Pointers
/// are relative to the card.
pub(in crate::store) async fn add_card(
    conn: &mut Connection,
    by: &Importer,
    game: &Game,
    set: &OpenSet,
    card: SetImport,
    at: DateTime<Utc>,
) -> Result<CardId, EditError<CardId>> {
    let SetRow { name, released_on, hidden, unlock_threshold, .. } = set.row.clone();
    let card = SetImport { name, released_on, hidden, unlock_threshold, ..card };
    let plan = SetPlan {
        game: game.code(),
        set: &card,
        set_id: set.id,
        is_new: false,
        set_changed: false,
        added: card.cards.iter().collect(),
        changed: Vec::new(),
        faults: Vec::new(),
    };
    let mut faults = Vec::new();
    for card in &plan.added {
        faults.extend(place_faults(conn, game, set, &card.definition.number).await?);
    }
    let taken = name_faults(conn, by, game, &plan).await?;
    let taken = if taken.is_empty() { look_faults(conn, by, &plan).await? } else { taken };
    faults.extend(taken.into_iter().map(within_card));
    if !faults.is_empty() {
        return Err(EditError::Refused(faults));
    }
    cards::add(conn, by, &plan, at, &|_| {}).await?;
    mark_edited(conn, set.id, at).await?;
    let id = cards_table::table
        .filter(cards_table::game_code.eq(game.code()).and(cards_table::set_code.eq(&card.code)))
        .filter(cards_table::number.eq_any(card.cards.iter().map(|card| &card.definition.number)))
        .select(cards_table::id)
        .first(conn)
        .await?;
    Ok(id)
}

/// Faults for a set that was printed, and for a number that another card has or had.
pub(in crate::store) async fn place_faults(
    conn: &mut Connection,
    game: &Game,
    set: &OpenSet,
    number: &str,
) -> StoreResult<Vec<ImportFault>> {
    let (game, code) = (game.code(), set.row.code.as_str());
    let mut faults = Vec::new();
    if plan::is_printed(conn, set.id).await? {
        let message = "the set has been printed: each card of a set has the same number of copies, so new cards need a new set";
        faults.push(ImportFault::new(CARD, "/set", message));
    }
    let taken = cards_table::table
        .filter(cards_table::game_code.eq(game).and(cards_table::set_code.eq(code)))
        .filter(cards_table::number.eq(number));
    if diesel::select(diesel::dsl::exists(taken)).get_result(conn).await? {
        let message = format!("the set has a card {number} already");
        faults.push(ImportFault::new(CARD, "/number", message));
    } else if let Some(became) = plan::vacated_numbers(conn, game, code).await?.get(number) {
        let message = format!("the card of this number {became}: no other card takes its number");
        faults.push(ImportFault::new(CARD, "/number", message));
    }
    Ok(faults)
}

/// Faults for cards whose names are the same as the new one but for accents, or look the same. Open cards are read last: a
/// card that is unlocked meanwhile is found as a hidden or as an open one.
async fn look_faults(
    conn: &mut Connection,
    by: &Importer,
    plan: &SetPlan<'_>,
) -> StoreResult<Vec<ImportFault>> {
    let added: Vec<NameLooks> =
        plan.added.iter().map(|card| NameLooks::of(&card.definition.name)).collect();
    let hidden = content::list_hidden_names(conn, by, plan.game).await?;
    let clashes =
        |hidden: &content::HiddenName| added.iter().any(|one| one.clashes_with(&hidden.name));
    let like = hidden.into_iter().filter(clashes);
    let fault = |what: &str, number: &str, set: &str| {
        let message = format!(
            "the {what} {number} of the set {set} has the same name, or one that looks the same"
        );
        ImportFault::new(&plan.set.file, "/cards/0/name", message)
    };
    let mut faults: Vec<ImportFault> =
        like.map(|hidden| fault("hidden card", &hidden.number, &hidden.set_code)).collect();
    for looks in &added {
        let hashes = looks.hashes(plan.game);
        let open = name_looks::find_open_bearer(conn, plan.game, looks, &hashes).await?;
        faults.extend(open.map(|open| fault("card", &open.number, &open.set_code)));
    }
    Ok(faults)
}
