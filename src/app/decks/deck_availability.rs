//! Which cards of a deck the reader has, which are missing, and which other decks of theirs want the same ones.

use std::collections::{BTreeMap, BTreeSet};

use cardscape_engine::{DeckMentions, name_key};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::deck_cards::{self, Asker, StepConnection};
use super::deck_lists::find_seen;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnCollection, ReadOwnDecks};
use crate::domain::decks::availability::{CardAvailability, OwnedPrinting, availabilities};
use crate::domain::ids::{CardId, DeckId};
use crate::store::decks::deck_ownership;

/// Which cards of a deck you have.
#[derive(Serialize, ToSchema)]
pub struct DeckAvailabilityResponse {
    /// Whether you have all its cards, in whatever printings.
    pub buildable: bool,
    /// Cards that you have not.
    #[schema(example = 3)]
    pub missing: u64,
    /// Cards that you would have to get so that this deck and all your others could be built at once.
    #[schema(example = 5)]
    pub missing_with_other_decks: u64,
    /// Your other decks that were not looked into, because they were saved by a version of the service that did not note their cards: saved again, they
    /// are.
    #[schema(example = 0)]
    pub decks_not_compared: i64,
    /// The cards of the deck, in the order in which it names them first.
    pub cards: Vec<CardAvailabilityResponse>,
}

/// A card of a deck, and how many of it you have.
#[derive(Serialize, ToSchema)]
pub struct CardAvailabilityResponse {
    /// Its name, as the deck writes it; empty: it is hidden from you.
    #[schema(example = "Kettle Imp")]
    pub name: String,
    /// Id of the card; absent: no card of that name is known to you. Of several cards of the name the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_id: Option<Uuid>,
    /// Copies in all zones of the deck.
    #[schema(example = 3)]
    pub needed: u64,
    /// Copies that you have, in any printing: counted and registered together.
    #[schema(example = 2)]
    pub owned: u64,
    /// Of the needed ones, those that you have in the printing that the deck names; any will do where it names none.
    #[schema(example = 1)]
    pub in_named_printing: u64,
    /// Of the needed ones, those that you have in another printing only.
    #[schema(example = 1)]
    pub in_other_printing: u64,
    /// Of the needed ones, those that you have not.
    #[schema(example = 1)]
    pub missing: u64,
    /// Your other decks that hold the card: the first 20.
    pub other_decks: Vec<DeckHolderResponse>,
    /// How many more there are.
    #[schema(example = 0)]
    pub other_decks_left_out: u64,
    /// Copies that you would have to get so that all these decks could be built at once.
    #[schema(example = 2)]
    pub missing_with_other_decks: u64,
}

/// Another deck of yours that holds a card.
#[derive(Serialize, ToSchema)]
pub struct DeckHolderResponse {
    /// Its id.
    pub deck_id: Uuid,
    /// What you call it.
    #[schema(example = "Embers and Bones")]
    pub name: String,
    /// Copies in all its zones.
    #[schema(example = 2)]
    pub quantity: u64,
}

/// What other decks hold of the cards of a name.
#[derive(Default)]
struct Held {
    /// The first card of the name.
    card: Option<CardId>,
    decks: BTreeMap<DeckId, DeckHolderResponse>,
    copies: u64,
    all_decks: u64,
}

/// Tells which cards of a deck the account has. Other decks are told to who may read them.
pub async fn find(
    app: &AppState,
    by: &Granted<ReadOwnCollection>,
    reads: Option<&Granted<ReadOwnDecks>>,
    asker: Asker,
    id: DeckId,
) -> Result<DeckAvailabilityResponse, Problem> {
    let content = find_seen(app, (asker.0, reads), id).await?.content;
    let loaded = app.named_game(content.format.game()).await?.map_err(Problem::internal)?;
    let (game, deck) = (loaded.game.clone(), content.deck);
    let mut conn = StepConnection::new(&app.store);
    let mentions = DeckMentions::of_deck(&deck);
    let (mut pool, _) = deck_cards::find(app, &mut conn, asker, &game, &[], &mentions).await?;
    let catalogue = pool.catalogue();
    let named: BTreeSet<String> =
        deck.entries.iter().map(|entry| name_key(&entry.card.name)).collect();
    let mut cards = BTreeMap::new();
    for card in catalogue.iter() {
        let key = name_key(&card.definition.name);
        if let (true, Ok(id)) = (named.contains(&key), card.key.parse::<Uuid>()) {
            cards.insert(CardId(id), card);
        }
    }
    let ids: Vec<CardId> = cards.keys().copied().collect();
    let owned = deck_ownership::owned(conn.get().await?, by, &ids).await?;
    let (holders, decks_not_compared) = match reads {
        Some(reads) => {
            let conn = conn.get().await?;
            let holders = deck_ownership::holders(conn, reads, id, &ids).await?;
            (holders, deck_ownership::count_unbound(conn, reads, id).await?)
        }
        None => (Vec::new(), 0),
    };
    drop(conn);
    let owned = owned.into_iter().filter_map(|row| {
        let card = cards.get(&row.card_id)?;
        Some(OwnedPrinting {
            card: row.card_id,
            name: card.definition.name.clone(),
            set: card.set.clone(),
            number: card.definition.number.clone(),
            rarity: row.rarity,
            quantity: row.copies.unsigned_abs(),
        })
    });
    let owned: Vec<OwnedPrinting> = owned.collect();
    let mut by_name: BTreeMap<String, Held> = BTreeMap::new();
    for (id, card) in &cards {
        by_name.entry(name_key(&card.definition.name)).or_default().card.get_or_insert(*id);
    }
    let mut last = None;
    for holder in holders {
        let Some(card) = cards.get(&holder.card_id) else { continue };
        let held = by_name.entry(name_key(&card.definition.name)).or_default();
        // The sums are those of a card, on each of its rows.
        if last.replace(holder.card_id) != Some(holder.card_id) {
            held.copies += holder.all_copies.unsigned_abs();
            held.all_decks += holder.decks.unsigned_abs();
        }
        let deck = held.decks.entry(holder.deck_id).or_insert_with(|| DeckHolderResponse {
            deck_id: holder.deck_id.0,
            name: holder.name,
            quantity: 0,
        });
        deck.quantity += holder.copies.unsigned_abs();
    }
    let card = |found: CardAvailability| {
        let held = by_name.remove(&name_key(&found.name)).unwrap_or_default();
        let CardAvailability { name, needed, owned, in_named_printing, in_other_printing, missing } =
            found;
        let other_decks: Vec<DeckHolderResponse> = held.decks.into_values().collect();
        let named = u64::try_from(other_decks.len()).unwrap_or(u64::MAX);
        CardAvailabilityResponse {
            name,
            card_id: held.card.map(|card| card.0),
            needed,
            owned,
            in_named_printing,
            in_other_printing,
            missing,
            other_decks,
            other_decks_left_out: held.all_decks.saturating_sub(named),
            missing_with_other_decks: (needed + held.copies).saturating_sub(owned),
        }
    };
    let cards: Vec<CardAvailabilityResponse> =
        availabilities(&deck.entries, &owned).into_iter().map(card).collect();
    let missing = cards.iter().map(|card| card.missing).sum();
    Ok(DeckAvailabilityResponse {
        buildable: missing == 0,
        missing,
        missing_with_other_decks: cards.iter().map(|card| card.missing_with_other_decks).sum(),
        decks_not_compared,
        cards,
    })
}
