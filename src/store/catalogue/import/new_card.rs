//! Adds one new card to a stored set. Uses the same lock, checks and events as imports.

use cardscape_engine::{Game, name_key};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::cards::Batches;
use super::edit::{lock_set, mark_edited};
use super::new_set::lock_game;
use super::plan::{self, SetPlan};
use super::{EditError, cards};
use crate::auth::permission::Importer;
use crate::domain::catalogue::card_edit::CARD;
use crate::domain::catalogue::import::{CardFault, ImportFault, SetImport};
use crate::domain::designs::name_looks::NameLooks;
use crate::domain::ids::CardId;
use crate::store::card_content::{cards as card_reads, content, name_looks};
use crate::store::catalogue::sets::{self, SetRow};
use crate::store::db::schema::cards as cards_table;
use crate::store::{Connection, StoreResult};

/// A locked set that a card can be added to.
pub(in crate::store) struct OpenSet {
    id: Uuid,
    pub(in crate::store) row: SetRow,
}

/// Locks a set so that no print run of it can begin and its unlock policy does not change; `None`: there is no such set. The caller must hold
/// [`super::LOCK`].
pub(in crate::store) async fn open_set(
    conn: &mut Connection,
    _by: &Importer,
    game: &str,
    set: &str,
) -> StoreResult<Option<OpenSet>> {
    // Changes of unlock policies lock the game: either the new card gets the changed policy, or the change finds the card.
    lock_game(conn, game).await?;
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
        recounts: false,
        added: card.cards.iter().collect(),
        changed: Vec::new(),
        faults: Vec::new(),
    };
    let mut faults = Vec::new();
    for card in &plan.added {
        let new = (card.definition.number.as_str(), card.definition.name.as_str());
        faults.extend(stored_faults(conn, by, game, set, new).await?);
    }
    if !faults.is_empty() {
        return Err(EditError::Refused(faults));
    }
    let mut batches = Batches::of(std::slice::from_ref(&plan));
    cards::add(conn, by, &plan, &mut batches, at, &|_| {}).await?;
    mark_edited(conn, set.id, at).await?;
    let id = cards_table::table
        .filter(cards_table::game_code.eq(game.code()).and(cards_table::set_code.eq(&card.code)))
        .filter(cards_table::number.eq_any(card.cards.iter().map(|card| &card.definition.number)))
        .select(cards_table::id)
        .first(conn)
        .await?;
    Ok(id)
}

/// All that stored data have against a new card with this number and this name. Pointers are relative to the card.
pub(in crate::store) async fn stored_faults(
    conn: &mut Connection,
    by: &Importer,
    game: &Game,
    set: &OpenSet,
    (number, name): (&str, &str),
) -> StoreResult<Vec<ImportFault>> {
    let mut faults = place_faults(conn, game, set, number).await?;
    let names = name_faults(conn, by, game, name).await?.into_iter();
    faults.extend(names.map(|fault| ImportFault::of_card(CARD, "/name", fault)));
    Ok(faults)
}

/// Faults for a set that was printed, and for a number that another card has or had.
async fn place_faults(
    conn: &mut Connection,
    game: &Game,
    set: &OpenSet,
    number: &str,
) -> StoreResult<Vec<ImportFault>> {
    let (game, code) = (game.code(), set.row.code.as_str());
    let mut faults = Vec::new();
    if plan::is_printed(conn, set.id).await? {
        faults.push(ImportFault::of_card(CARD, "/set", CardFault::SetPrinted));
    }
    // People leave out leading zeros, so that a card 1 beside a card 001 would be taken for it.
    let mut spellings = card_reads::zero_padded_spellings(number);
    spellings.push(number.to_owned());
    let taken: Option<String> = cards_table::table
        .filter(cards_table::game_code.eq(game).and(cards_table::set_code.eq(code)))
        .filter(cards_table::number.eq_any(spellings))
        .select(cards_table::number)
        .first(conn)
        .await
        .optional()?;
    if let Some(taken) = taken {
        let fault = CardFault::NumberTaken(taken);
        faults.push(ImportFault::of_card(CARD, "/number", fault));
    } else if let Some((old, became)) = plan::vacated_numbers(conn, game, code).await?.find(number)
    {
        let became =
            if old == number { became.to_owned() } else { format!("was {old} and {became}") };
        let fault = CardFault::NumberGone { became };
        faults.push(ImportFault::of_card(CARD, "/number", fault));
    }
    Ok(faults)
}

/// Faults for cards, also hidden ones, whose names are the same as the new one, the same but for accents, or look the same; one
/// for each card. Open cards that look the same are read last: a card that is unlocked meanwhile is found as a hidden or as an
/// open one.
async fn name_faults(
    conn: &mut Connection,
    by: &Importer,
    game: &Game,
    name: &str,
) -> StoreResult<Vec<CardFault>> {
    let mut faults = Vec::new();
    if game.unique_names() {
        let key = name_key(name);
        let same = content::find_taken_names(conn, by, game.code(), &[&key], &[]).await?;
        faults.extend(
            same.into_iter()
                .map(|one| CardFault::NameTaken { set: one.set_code, number: one.number }),
        );
    }
    let looks = NameLooks::of(name);
    let hidden = content::list_hidden_names(conn, by, game.code()).await?.into_iter();
    let mut like: Vec<CardFault> = hidden
        .filter(|hidden| looks.clashes_with(&hidden.name))
        .map(|one| CardFault::NameLike { hidden: true, set: one.set_code, number: one.number })
        .collect();
    let hashes = looks.hashes(game.code());
    let open = name_looks::find_open_bearer(conn, game.code(), &looks, &hashes).await?;
    like.extend(open.map(|open| CardFault::NameLike {
        hidden: false,
        set: open.set_code,
        number: open.number,
    }));
    for fault in like {
        let is_named = faults.iter().any(|named: &CardFault| named.namesake() == fault.namesake());
        if !is_named {
            faults.push(fault);
        }
    }
    Ok(faults)
}
