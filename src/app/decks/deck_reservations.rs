//! Reservations: copies that players set aside for their decks.

use std::collections::{BTreeMap, BTreeSet};

use cardscape_engine::{Deck, name_key};
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::deck_cards::{Requester, with_present_names};
use super::deck_holdings::{DeckHoldings, DeckReservations, find_named, names_of, owned_printings};
use super::deck_lists::{find_seen, see};
use super::masks::{EntryCardResponse, Masks};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::auth::permission::{Granted, ReadOwnCollection, ReadOwnDecks, WriteOwnDecks};
use crate::domain::decks::allocation::{OwnedPrinting, allocate};
use crate::domain::decks::availability::{CardAvailability, availabilities};
use crate::domain::decks::reservation::{copies_to_get, open_to};
use crate::domain::ids::{CardId, DeckId, PrintingId};
use crate::store::decks::deck_ownership::OwnedRow;
use crate::store::decks::deck_reservations::{self, ReserveOutcome, ReservedRow};
use crate::store::decks::{deck_lists, deck_pool};

/// Most other decks with reservations that are listed for a card.
const DECKS_NAMED: usize = 20;

/// The copies that are reserved for a deck.
#[derive(Serialize, ToSchema)]
pub struct DeckReservationResponse {
    /// Since when the deck has a reservation; absent: nothing is reserved for it. If you own fewer copies than are reserved, decks with earlier
    /// reservations have precedence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserved_at: Option<DateTime<Utc>>,
    /// Whether all needed copies are reserved.
    pub complete: bool,
    /// Copies that the deck needs.
    #[schema(example = 50)]
    pub needed: u64,
    /// Copies that are reserved for the deck.
    #[schema(example = 46)]
    pub reserved: u64,
    /// Needed copies that are not reserved for the deck, although you may own them. `availability` counts those that you do not own.
    #[schema(example = 4)]
    pub missing: u64,
    /// Missing copies that you would have to move from the reservations of your other decks.
    #[schema(example = 1)]
    pub to_move: u64,
    /// Missing copies that you would have to buy.
    #[schema(example = 2)]
    pub to_buy: u64,
    /// The cards of the deck, in the order of their first entries; then cards with reserved copies that the deck no longer contains.
    pub cards: Vec<ReservedCardResponse>,
}

/// A card of a deck, and the copies of it that are reserved for the deck.
#[derive(Serialize, ToSchema)]
pub struct ReservedCardResponse {
    /// Name of the card as in the deck; empty: the card is hidden from you.
    #[schema(example = "Kettle Imp")]
    pub name: String,
    /// The card. If several cards have the name, `card_id` is the id of the first one.
    #[serde(flatten)]
    pub card: EntryCardResponse,
    /// Copies in all zones of the deck; 0: the deck no longer contains the card.
    #[schema(example = 3)]
    pub needed: u64,
    /// Copies that are reserved for the deck.
    #[schema(example = 2)]
    pub reserved: u64,
    /// The printings of the reserved copies.
    pub printings: Vec<ReservedPrintingResponse>,
    /// Needed copies that are not reserved for the deck, although you may own them: `free` ones, `to_move` and `to_buy`.
    #[schema(example = 1)]
    pub missing: u64,
    /// Copies of yours that are reserved for no deck; another `PUT` reserves as many of them as the deck needs.
    #[schema(example = 0)]
    pub free: u64,
    /// Missing copies that you would have to move from the reservations of your other decks, if free copies are used first.
    #[schema(example = 1)]
    pub to_move: u64,
    /// Missing copies that you would have to buy.
    #[schema(example = 0)]
    pub to_buy: u64,
    /// Your other decks from whose reservations copies can be moved, the latest reservation first; at most 20.
    pub movable: Vec<MovableCopiesResponse>,
    /// Number of further decks that are not listed.
    #[schema(example = 0)]
    pub movable_left_out: usize,
}

/// Reserved copies of a printing.
#[derive(Serialize, ToSchema)]
pub struct ReservedPrintingResponse {
    /// Id of the printing.
    pub printing_id: Uuid,
    /// Code of the set.
    #[schema(example = "hearth")]
    pub set: String,
    /// Number in the set.
    #[schema(example = "016")]
    pub number: String,
    /// Code of the rarity.
    #[schema(example = "rare")]
    pub rarity: String,
    /// Number of reserved copies.
    #[schema(example = 2, minimum = 1)]
    pub quantity: u64,
}

impl ReservedPrintingResponse {
    /// `quantity` reserved copies of an owned printing.
    pub(super) fn new(owned: &OwnedPrinting, quantity: u64) -> Self {
        Self {
            printing_id: owned.printing.0,
            set: owned.set.clone(),
            number: owned.number.clone(),
            rarity: owned.rarity.clone(),
            quantity,
        }
    }
}

/// Copies of a card that are reserved for another deck of yours.
#[derive(Serialize, ToSchema)]
pub struct MovableCopiesResponse {
    /// Id of the deck.
    pub deck_id: Uuid,
    /// Name of the deck.
    #[schema(example = "Embers and Bones")]
    pub name: String,
    /// Number of reserved copies.
    #[schema(example = 2, minimum = 1)]
    pub quantity: u64,
}

/// Finds the reservation of one of the caller's decks.
pub async fn find(
    app: &AppState,
    by: &Granted<ReadOwnCollection>,
    reads: Option<&Granted<ReadOwnDecks>>,
    requester: Requester,
    id: DeckId,
) -> Result<DeckReservationResponse, Problem> {
    let reads = reads.ok_or_else(Problem::not_found)?;
    let mut conn = StepConnection::new(&app.store);
    let seen = find_seen(app, &mut conn, (requester.0, Some(reads)), id).await?;
    if seen.row.account_id != reads.account() {
        return Err(Problem::not_found());
    }
    let loaded = app.named_game_on(&mut conn, seen.content.format.game()).await?;
    let loaded = loaded.map_err(Problem::internal)?;
    let (game, masks) = (&loaded.game, seen.masks);
    let deck = with_present_names(app, &mut conn, requester, game, &seen.content).await?;
    let holdings =
        DeckHoldings::with_reserved(app, &mut conn, (by, reads), requester, game, (id, &deck))
            .await?;
    drop(conn);
    Ok(answer(id, (&deck, &masks), &holdings))
}

fn answer(
    id: DeckId,
    (deck, masks): (&Deck, &Masks),
    holdings: &DeckHoldings,
) -> DeckReservationResponse {
    let mut reserved: BTreeMap<PrintingId, u64> = BTreeMap::new();
    for one in holdings.reservations.in_effect.iter().filter(|one| one.deck == id) {
        *reserved.entry(one.printing).or_default() += one.quantity;
    }
    let mut printings: BTreeMap<String, Vec<ReservedPrintingResponse>> = BTreeMap::new();
    for owned in &holdings.owned {
        let of_name = printings.entry(name_key(&owned.name)).or_default();
        if let Some(quantity) = reserved.get(&owned.printing) {
            of_name.push(ReservedPrintingResponse::new(owned, *quantity));
        }
    }
    let (first_cards, names) = (holdings.first_cards(), holdings.deck_names());
    let mut elsewhere = holdings.reserved_elsewhere(id);
    let mut card = |name: String, seen: EntryCardResponse, needed: u64, owned: u64| {
        let key = name_key(&name);
        let printings = printings.remove(&key).unwrap_or_default();
        let reserved: u64 = printings.iter().map(|one| one.quantity).sum();
        let elsewhere = elsewhere.remove(&key).unwrap_or_default();
        let get = copies_to_get(needed, owned, elsewhere.copies());
        let movable = elsewhere.order.iter().take(DECKS_NAMED).map(|deck| MovableCopiesResponse {
            deck_id: deck.0,
            name: names.get(deck).copied().unwrap_or_default().to_owned(),
            quantity: elsewhere.decks[deck],
        });
        ReservedCardResponse {
            card: seen.or_id(|| Some(first_cards.get(&key)?.0)),
            name,
            needed,
            reserved,
            printings,
            missing: needed.saturating_sub(reserved),
            free: owned.saturating_sub(reserved + elsewhere.copies()),
            to_move: get.to_move,
            to_buy: get.to_buy,
            movable: movable.collect(),
            movable_left_out: elsewhere.order.len().saturating_sub(DECKS_NAMED),
        }
    };
    let mut cards: Vec<ReservedCardResponse> = Vec::new();
    for CardAvailability { first_entry, name, needed, owned, .. } in
        availabilities(&deck.entries, &holdings.owned)
    {
        cards.push(card(name, masks.hidden_card_at(deck, first_entry), needed, owned));
    }
    let mut named: Vec<String> = cards.iter().map(|card| name_key(&card.name)).collect();
    for printing in holdings.owned.iter().filter(|one| reserved.contains_key(&one.printing)) {
        let key = name_key(&printing.name);
        if !named.contains(&key) {
            let of_name = holdings.owned.iter().filter(|one| name_key(&one.name) == key);
            let owned = of_name.map(|one| one.quantity).sum();
            cards.push(card(printing.name.clone(), EntryCardResponse::default(), 0, owned));
            named.push(key);
        }
    }
    let sum = |of: fn(&ReservedCardResponse) -> u64| -> u64 { cards.iter().map(of).sum() };
    let rows = holdings.reservations.rows().iter();
    let since = rows.filter(|row| row.deck_id == id).map(|row| row.reserved_at).min();
    let missing = sum(|card| card.missing);
    DeckReservationResponse {
        reserved_at: since.filter(|_| !reserved.is_empty()),
        complete: missing == 0,
        needed: sum(|card| card.needed),
        reserved: sum(|card| card.reserved),
        missing,
        to_move: sum(|card| card.to_move),
        to_buy: sum(|card| card.to_buy),
        cards,
    }
}

/// Reserves for one of the caller's decks the owned copies of its cards that no other deck has reserved. Returns the reservation only if the caller may
/// read decks and collection.
pub async fn reserve(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    reads: (Option<&Granted<ReadOwnCollection>>, Option<&Granted<ReadOwnDecks>>),
    requester: Requester,
    id: DeckId,
) -> Result<Option<DeckReservationResponse>, Problem> {
    let at = app.clock.now();
    let mut tries = 0;
    loop {
        tries += 1;
        let mut conn = StepConnection::new(&app.store);
        let stored = deck_lists::find_own(conn.get().await?, by, id).await?;
        let stored = stored.ok_or_else(Problem::not_found)?;
        let seen = see(app, &mut conn, (requester.0, Some(by.account())), stored).await?;
        let loaded = app.named_game_on(&mut conn, seen.content.format.game()).await?;
        let loaded = loaded.map_err(Problem::internal)?;
        let game = &loaded.game;
        let deck = with_present_names(app, &mut conn, requester, game, &seen.content).await?;
        let cards = find_named(app, &mut conn, requester, game, &names_of(&deck)).await?;
        // Reservations of cards that are no longer in the deck are released, as far as the caller may see these cards.
        let reserved = deck_reservations::cards_of(conn.get().await?, by, id).await?;
        let seen_too = deck_pool::names(conn.get().await?, requester.0, &reserved).await?;
        drop(conn);
        let ids: BTreeSet<CardId> = cards.keys().chain(seen_too.keys()).copied().collect();
        let ids: Vec<CardId> = ids.into_iter().collect();
        let choose = |owned: Vec<OwnedRow>, reserved: &[ReservedRow]| {
            chosen(id, &deck, owned_printings(owned, &cards), reserved)
        };
        // The last try reserves for the deck as it was read, even if the deck was changed since.
        let revision = (tries < TRIES).then_some(seen.row.revision);
        let outcome = app
            .write(by, async |conn, by| {
                deck_reservations::reserve(conn, by, (id, revision), &ids, choose, at).await
            })
            .await?;
        match outcome {
            ReserveOutcome::Done(copies) => {
                tracing::info!(account = %by.account(), deck = %id, copies, "copies reserved for a deck");
                break;
            }
            ReserveOutcome::Missing => return Err(Problem::not_found()),
            ReserveOutcome::Stale => {}
        }
    }
    match reads {
        (Some(collection), Some(decks)) => {
            find(app, collection, Some(decks), requester, id).await.map(Some)
        }
        _ => Ok(None),
    }
}

/// How often the deck is read at most, if it is changed before its copies are reserved.
const TRIES: usize = 3;

/// The copies that a deck takes from the owned copies that are not reserved for other decks.
fn chosen(
    id: DeckId,
    deck: &Deck,
    owned: Vec<OwnedPrinting>,
    reserved: &[ReservedRow],
) -> Vec<(PrintingId, u64)> {
    let in_effect = DeckReservations::new(reserved.to_vec(), &owned).in_effect;
    let open = open_to(id, &owned, &in_effect);
    let mut chosen: BTreeMap<PrintingId, u64> = BTreeMap::new();
    for taken in allocate(&deck.entries, &open) {
        *chosen.entry(open[taken.printing].printing).or_default() += taken.quantity;
    }
    chosen.into_iter().collect()
}

/// Releases the reservation of one of the caller's decks. A repeated request changes nothing.
pub async fn release(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    id: DeckId,
) -> Result<(), Problem> {
    let found =
        app.write(by, async |conn, by| deck_reservations::release(conn, by, id).await).await?;
    if !found {
        return Err(Problem::not_found());
    }
    tracing::info!(account = %by.account(), deck = %id, "reservation of a deck freed");
    Ok(())
}
