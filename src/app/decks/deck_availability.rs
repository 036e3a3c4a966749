//! Which cards of a deck the reader owns, which are missing, and which other decks of the reader need the same cards.

use std::collections::BTreeMap;

use cardscape_engine::{Deck, name_key};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::deck_cards::{Requester, with_present_names, write_present_names};
use super::deck_holdings::{DeckHoldings, Elsewhere};
use super::deck_lists::find_seen;
use super::deck_responses::SeenDeck;
use super::masks::{EntryCardResponse, Masks};
use super::opened_decks::OpenedDeck;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::auth::permission::{Granted, ReadOwnCollection, ReadOwnDecks};
use crate::domain::decks::availability::{CardAvailability, availabilities};
use crate::domain::decks::reservation::copies_to_get;
use crate::domain::ids::{CardId, DeckId};
use crate::store::decks::deck_ownership::{self, HOLDERS_NAMED, HolderRow};

/// Which cards of a deck you own.
#[derive(Serialize, ToSchema)]
pub struct DeckAvailabilityResponse {
    /// Whether you own all cards of the deck, in any printings.
    pub buildable: bool,
    /// Needed copies that you do not own; reservations do not matter. The reservation and the pick list of a deck count other copies as `missing`.
    #[schema(example = 3)]
    pub missing: u64,
    /// Copies of this deck's cards that you would have to get so that this deck and all your other decks could be built at once.
    #[schema(example = 5)]
    pub missing_with_other_decks: u64,
    /// Copies that you would have to buy to build this deck, if all free copies are used and reserved copies are moved from your other decks.
    #[schema(example = 1)]
    pub to_buy: u64,
    /// Copies that you would have to move to this deck from the reservations of your other decks, because there are not enough free copies. If you
    /// buy these copies as well, the reservations of the other decks can stay as they are.
    #[schema(example = 2)]
    pub to_move: u64,
    /// Number of your other decks that were not compared, because an older version of the service saved them. They are compared once they are saved
    /// again.
    #[schema(example = 0)]
    pub decks_not_compared: i64,
    /// The cards of the deck, in the order of their first entries.
    pub cards: Vec<CardAvailabilityResponse>,
}

/// A card of a deck, and how many copies of it you own.
#[derive(Serialize, ToSchema)]
pub struct CardAvailabilityResponse {
    /// Name of the card as in the deck; empty: the card is hidden from you.
    #[schema(example = "Kettle Imp")]
    pub name: String,
    /// The card. If several cards have the name, `card_id` is the id of the first one.
    #[serde(flatten)]
    pub card: EntryCardResponse,
    /// Copies in all zones of the deck.
    #[schema(example = 3)]
    pub needed: u64,
    /// Copies that you own in any printing, counted and registered copies together.
    #[schema(example = 2)]
    pub owned: u64,
    /// Needed copies that you own in the printing that the deck names. If the deck names no printing, every printing counts.
    #[schema(example = 1)]
    pub in_named_printing: u64,
    /// Needed copies that you own only in another printing.
    #[schema(example = 1)]
    pub in_other_printing: u64,
    /// Needed copies that you do not own; reservations do not matter.
    #[schema(example = 1)]
    pub missing: u64,
    /// Copies of yours that are reserved for this deck; 0 if the deck is not yours.
    #[schema(example = 1)]
    pub reserved_here: u64,
    /// Copies of yours that are reserved for your other decks. Copies that are reserved for no deck are free.
    #[schema(example = 1)]
    pub reserved_elsewhere: u64,
    /// Needed copies that you would have to buy, if first the copies reserved for this deck are used, then free copies, then copies that can be
    /// moved.
    #[schema(example = 0)]
    pub to_buy: u64,
    /// Copies that you would have to move to this deck from the reservations of other decks; `other_decks` has these decks.
    #[schema(example = 1)]
    pub to_move: u64,
    /// Your other decks that contain the card (the first 20), and those that have reserved copies of it (the 20 with the latest reservations).
    pub other_decks: Vec<DeckHolderResponse>,
    /// Number of further decks that are not listed.
    #[schema(example = 0)]
    pub other_decks_left_out: u64,
    /// Copies that you would have to get so that this deck and all your other decks with the card could be built at once.
    #[schema(example = 2)]
    pub missing_with_other_decks: u64,
}

/// Another deck of yours that contains a card, or has reserved copies of it.
#[derive(Serialize, ToSchema)]
pub struct DeckHolderResponse {
    /// Id of the deck.
    pub deck_id: Uuid,
    /// Name of the deck.
    #[schema(example = "Embers and Bones")]
    pub name: String,
    /// Copies in all zones of the deck; 0: the deck no longer contains the card, but has reserved copies of it.
    #[schema(example = 2)]
    pub quantity: u64,
    /// Copies that are reserved for the deck.
    #[schema(example = 1)]
    pub reserved: u64,
}

/// The other decks that contain cards with a name, and their copies.
#[derive(Default)]
struct DeckHolders {
    decks: BTreeMap<DeckId, DeckHolderResponse>,
    copies: u64,
    all_decks: u64,
}

/// The names of cards, each with a number, because cards of several sets can have one name.
struct NumberedNames {
    /// [`name_key`] of each name; its place is its number.
    keys: Vec<String>,
    cards: Vec<CardId>,
    /// The number of the name of each card.
    numbers: Vec<i64>,
}

impl NumberedNames {
    fn of(holdings: &DeckHoldings) -> Self {
        let mut numbers_by_key = BTreeMap::new();
        let mut names = Self { keys: Vec::new(), cards: Vec::new(), numbers: Vec::new() };
        for (id, card) in &holdings.cards {
            let key = name_key(&card.name);
            let number = *numbers_by_key.entry(key).or_insert_with_key(|key| {
                names.keys.push(key.clone());
                names.keys.len() - 1
            });
            names.cards.push(*id);
            names.numbers.push(i64::try_from(number).unwrap_or(i64::MAX));
        }
        names
    }

    fn key(&self, number: i64) -> Option<&String> {
        self.keys.get(usize::try_from(number).ok()?)
    }
}

/// Copies in other decks and reservations of other decks, by [`name_key`] of the cards.
fn copies_elsewhere(
    holdings: &DeckHoldings,
    deck: DeckId,
    names: &NumberedNames,
    holders: Vec<HolderRow>,
) -> BTreeMap<String, DeckHolders> {
    let mut by_name: BTreeMap<String, DeckHolders> = BTreeMap::new();
    for holder in holders {
        let Some(key) = names.key(holder.named) else { continue };
        let others = by_name.entry(key.clone()).or_default();
        // Each row of a name repeats the sums of the name.
        others.copies = holder.all_copies.unsigned_abs();
        others.all_decks = holder.decks.unsigned_abs();
        let deck = DeckHolderResponse {
            deck_id: holder.deck_id.0,
            name: holder.name,
            quantity: holder.copies.unsigned_abs(),
            reserved: 0,
        };
        others.decks.insert(holder.deck_id, deck);
    }
    let names = holdings.deck_names();
    for (key, reserved) in holdings.reserved_elsewhere(deck) {
        let others = by_name.entry(key).or_default();
        for (at, deck) in reserved.order.iter().enumerate() {
            let copies = reserved.decks[deck];
            // Also a deck with an earlier reservation, if it is listed because it contains the card.
            if let Some(known) = others.decks.get_mut(deck) {
                known.reserved = copies;
                continue;
            }
            if at >= most_reserving() {
                continue;
            }
            let name = names.get(deck).copied().unwrap_or_default().to_owned();
            let row = DeckHolderResponse { deck_id: deck.0, name, quantity: 0, reserved: copies };
            others.decks.insert(*deck, row);
            others.all_decks += 1;
        }
    }
    by_name
}

/// Most decks that are listed for a card because they have reserved copies of it.
fn most_reserving() -> usize {
    usize::try_from(HOLDERS_NAMED).unwrap_or_default()
}

/// Finds which cards of a deck the account owns. Other decks and reservations are included only if the caller may read decks.
pub async fn find(
    app: &AppState,
    by: &Granted<ReadOwnCollection>,
    reads: Option<&Granted<ReadOwnDecks>>,
    requester: Requester,
    id: DeckId,
) -> Result<DeckAvailabilityResponse, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let seen = find_seen(app, &mut conn, (requester.0, reads), id).await?;
    let SeenDeck { content, masks, .. } = seen;
    let loaded = app.named_game_on(&mut conn, content.format.game()).await?;
    let loaded = loaded.map_err(Problem::internal)?;
    let deck = with_present_names(app, &mut conn, requester, &loaded.game, &content).await?;
    let holdings =
        DeckHoldings::find(app, &mut conn, (by, reads), requester, &loaded.game, &deck).await?;
    compare(conn, reads, (id, &deck, &masks), holdings).await
}

/// Like [`find`], for an opened deck.
pub async fn find_for_opened(
    app: &AppState,
    by: &Granted<ReadOwnCollection>,
    reads: Option<&Granted<ReadOwnDecks>>,
    opened: &OpenedDeck,
) -> Result<DeckAvailabilityResponse, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let mut deck = opened.seen.content.deck.clone();
    write_present_names(&mut deck, &opened.catalogue);
    let holdings = DeckHoldings::of_opened(&mut conn, (by, reads), opened, &deck).await?;
    compare(conn, reads, (opened.id(), &deck, &opened.seen.masks), holdings).await
}

/// Compares what a deck needs with what its reader owns and with what the reader's other decks need.
async fn compare(
    mut conn: StepConnection<'_>,
    reads: Option<&Granted<ReadOwnDecks>>,
    (id, deck, masks): (DeckId, &Deck, &Masks),
    holdings: DeckHoldings,
) -> Result<DeckAvailabilityResponse, Problem> {
    let numbered = NumberedNames::of(&holdings);
    let elsewhere = holdings.reserved_elsewhere(id);
    let (holders, decks_not_compared) = match reads {
        Some(reads) => {
            let reserving = numbered.keys.iter().zip(0_i64..).flat_map(|(key, number)| {
                let decks = elsewhere.get(key).map(|one| one.order.iter().take(most_reserving()));
                decks.into_iter().flatten().map(move |deck| (number, *deck))
            });
            let (reserving_names, reserving): (Vec<i64>, Vec<DeckId>) = reserving.unzip();
            let conn = conn.get().await?;
            let (cards, names) = (&numbered.cards, &numbered.numbers);
            let reserving = (reserving_names.as_slice(), reserving.as_slice());
            let holders = deck_ownership::holders(conn, reads, id, cards, names, reserving).await?;
            (holders, deck_ownership::count_unbound(conn, reads, Some(id)).await?)
        }
        None => (Vec::new(), 0),
    };
    drop(conn);
    let (first_cards, here) = (holdings.first_cards(), holdings.reserved_for(id));
    let mut by_name = copies_elsewhere(&holdings, id, &numbered, holders);
    let card = |found: CardAvailability| {
        let key = name_key(&found.name);
        let others = by_name.remove(&key).unwrap_or_default();
        let seen = masks.hidden_card_at(deck, found.first_entry);
        let CardAvailability { name, needed, owned, in_named_printing, .. } = found;
        let (in_other_printing, missing) = (found.in_other_printing, found.missing);
        let other_decks: Vec<DeckHolderResponse> = others.decks.into_values().collect();
        let named = u64::try_from(other_decks.len()).unwrap_or(u64::MAX);
        let reserved_elsewhere = elsewhere.get(&key).map(Elsewhere::copies).unwrap_or_default();
        let get = copies_to_get(needed, owned, reserved_elsewhere);
        CardAvailabilityResponse {
            name,
            card: seen.or_id(|| Some(first_cards.get(&key)?.0)),
            needed,
            owned,
            in_named_printing,
            in_other_printing,
            missing,
            reserved_here: here.get(&key).copied().unwrap_or_default(),
            reserved_elsewhere,
            to_buy: get.to_buy,
            to_move: get.to_move,
            other_decks,
            other_decks_left_out: others.all_decks.saturating_sub(named),
            missing_with_other_decks: (needed + others.copies).saturating_sub(owned),
        }
    };
    let cards: Vec<CardAvailabilityResponse> =
        availabilities(&deck.entries, &holdings.owned).into_iter().map(card).collect();
    let missing = cards.iter().map(|card| card.missing).sum();
    Ok(DeckAvailabilityResponse {
        buildable: missing == 0,
        missing,
        missing_with_other_decks: cards.iter().map(|card| card.missing_with_other_decks).sum(),
        to_buy: cards.iter().map(|card| card.to_buy).sum(),
        to_move: cards.iter().map(|card| card.to_move).sum(),
        decks_not_compared,
        cards,
    })
}
