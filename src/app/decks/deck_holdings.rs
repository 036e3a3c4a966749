//! Holdings: how many copies a player owns of the cards of a deck, and how many of them the player's decks have reserved. Only cards that the player may see
//! are included.

use std::collections::{BTreeMap, BTreeSet};

use cardscape_engine::{Catalogue, Deck, DeckMentions, Game, name_key};
use uuid::Uuid;

use super::deck_cards::{self, Requester};
use super::opened_decks::OpenedDeck;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::auth::permission::{Granted, ReadOwnCollection, ReadOwnDecks};
use crate::domain::decks::allocation::OwnedPrinting;
use crate::domain::decks::reservation::{Reservation, in_effect, quantities};
use crate::domain::ids::{CardId, DeckId, PrintingId};
use crate::store::decks::deck_ownership::{self, OwnedRow};
use crate::store::decks::deck_pool::{self, DeckPool};
use crate::store::decks::deck_reservations::{self, ReservedRow};

/// A card that decks name: its name and place.
#[derive(Clone, Debug)]
pub(super) struct NamedCard {
    pub name: String,
    /// Code of its set.
    pub set: String,
    /// Its number in the set.
    pub number: String,
}

/// The cards with these names that the caller may see, in the order of their ids.
pub(super) async fn find_named(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    requester: Requester,
    game: &Game,
    mentions: &DeckMentions,
) -> Result<BTreeMap<CardId, NamedCard>, Problem> {
    Ok(find_pool(app, conn, requester, game, mentions).await?.1)
}

/// Like [`find_named`], with everything by which decks are judged.
async fn find_pool(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    requester: Requester,
    game: &Game,
    mentions: &DeckMentions,
) -> Result<(DeckPool, BTreeMap<CardId, NamedCard>), Problem> {
    let (mut pool, _) = deck_cards::find(app, conn, requester, game, &[], mentions).await?;
    let cards = named_in(&pool.catalogue(), &mentions.names);
    Ok((pool, cards))
}

/// The cards of a catalogue with these names.
pub(super) fn named_in(
    catalogue: &Catalogue,
    names: &BTreeSet<String>,
) -> BTreeMap<CardId, NamedCard> {
    let keys: BTreeSet<String> = names.iter().map(|name| name_key(name)).collect();
    let mut cards = BTreeMap::new();
    for card in catalogue.iter() {
        let name = &card.definition.name;
        if let (true, Ok(id)) = (keys.contains(&name_key(name)), card.key.parse::<Uuid>()) {
            let (set, number) = (card.set.clone(), card.definition.number.clone());
            cards.insert(CardId(id), NamedCard { name: name.clone(), set, number });
        }
    }
    cards
}

/// The names in a deck.
pub(super) fn names_of(deck: &Deck) -> DeckMentions {
    let named = deck.entries.iter().map(|entry| entry.card.name.clone());
    mentions(named.filter(|name| !name.is_empty()).collect())
}

/// Mentions of these names only.
pub(super) fn mentions(names: BTreeSet<String>) -> DeckMentions {
    let mut mentions = DeckMentions::default();
    mentions.names = names;
    mentions
}

/// Owned printings with the names and places of their cards, by set and number, the most common rarity of a card first.
pub(super) fn owned_printings(
    rows: Vec<OwnedRow>,
    cards: &BTreeMap<CardId, NamedCard>,
) -> Vec<OwnedPrinting> {
    let printing = |row: OwnedRow| {
        let card = cards.get(&row.card_id)?;
        Some(OwnedPrinting {
            printing: row.printing_id,
            card: row.card_id,
            name: card.name.clone(),
            set: card.set.clone(),
            number: card.number.clone(),
            rarity: row.rarity,
            quantity: row.copies.unsigned_abs(),
        })
    };
    let mut printings: Vec<OwnedPrinting> = rows.into_iter().filter_map(printing).collect();
    printings.sort_by(|one, other| (&one.set, &one.number).cmp(&(&other.set, &other.number)));
    printings
}

/// The reservations of the caller's decks, with the names of the decks.
#[derive(Default)]
pub(super) struct DeckReservations {
    /// The reservations in effect: those for which copies are still owned. Earlier reserved decks come first.
    pub in_effect: Vec<Reservation>,
    rows: Vec<ReservedRow>,
}

impl DeckReservations {
    pub(super) fn new(rows: Vec<ReservedRow>, owned: &[OwnedPrinting]) -> Self {
        let reserved: Vec<Reservation> = rows.iter().map(ReservedRow::reservation).collect();
        Self { in_effect: in_effect(&reserved, &quantities(owned)), rows }
    }

    /// The stored reservations, whether or not the copies are still owned.
    pub(super) fn rows(&self) -> &[ReservedRow] {
        &self.rows
    }
}

/// The reservations of other decks for cards with one name.
#[derive(Default)]
pub(super) struct Elsewhere {
    /// Reserved copies of each deck.
    pub decks: BTreeMap<DeckId, u64>,
    /// The decks, the latest reservation first.
    pub order: Vec<DeckId>,
}

impl Elsewhere {
    /// Reserved copies of all these decks.
    pub(super) fn copies(&self) -> u64 {
        self.decks.values().sum()
    }
}

/// The caller's holdings of the cards of one deck.
pub(super) struct DeckHoldings {
    /// The cards, with everything by which decks are judged.
    pub pool: DeckPool,
    /// The cards that the deck names and the caller may see.
    pub cards: BTreeMap<CardId, NamedCard>,
    /// The printings of these cards that the caller owns.
    pub owned: Vec<OwnedPrinting>,
    /// The reservations of the caller's decks for these cards; empty if the caller may not read decks.
    pub reservations: DeckReservations,
}

impl DeckHoldings {
    /// Finds the caller's holdings of the cards of a deck.
    pub(super) async fn find(
        app: &AppState,
        conn: &mut StepConnection<'_>,
        by: (&Granted<ReadOwnCollection>, Option<&Granted<ReadOwnDecks>>),
        requester: Requester,
        game: &Game,
        deck: &Deck,
    ) -> Result<Self, Problem> {
        let (pool, cards) = find_pool(app, conn, requester, game, &names_of(deck)).await?;
        Self::add_owned(conn, by, (pool, cards)).await
    }

    /// Like [`Self::find`], with the cards that are reserved for the deck but no longer in its list, as far as the caller may see them.
    pub(super) async fn with_reserved(
        app: &AppState,
        conn: &mut StepConnection<'_>,
        (by, reads): (&Granted<ReadOwnCollection>, &Granted<ReadOwnDecks>),
        requester: Requester,
        game: &Game,
        (id, deck): (DeckId, &Deck),
    ) -> Result<Self, Problem> {
        let (pool, mut cards) = find_pool(app, conn, requester, game, &names_of(deck)).await?;
        let named: Vec<CardId> = cards.keys().copied().collect();
        let mut rows = deck_reservations::of_deck(conn.get().await?, reads, id, &named).await?;
        let known = rows.iter().map(|row| row.card_id);
        let others: BTreeSet<CardId> = known.filter(|card| !cards.contains_key(card)).collect();
        if !others.is_empty() {
            let others: Vec<CardId> = others.into_iter().collect();
            let names = deck_pool::names(conn.get().await?, requester.0, &others).await?;
            let mut places = deck_pool::places(conn.get().await?, requester.0, &others).await?;
            for (id, name) in names {
                if let Some(place) = places.remove(&id) {
                    let card = NamedCard { name, set: place.set, number: place.number };
                    cards.insert(id, card);
                }
            }
            // The caller does not see the other cards.
            rows.retain(|row| cards.contains_key(&row.card_id));
        }
        let ids: Vec<CardId> = cards.keys().copied().collect();
        let owned = deck_ownership::owned(conn.get().await?, by, &ids).await?;
        let owned = owned_printings(owned, &cards);
        Ok(Self { pool, cards, reservations: DeckReservations::new(rows, &owned), owned })
    }

    /// Like [`Self::find`], for an opened deck, whose entries have the present names of their cards in `deck`.
    pub(super) async fn of_opened(
        conn: &mut StepConnection<'_>,
        by: (&Granted<ReadOwnCollection>, Option<&Granted<ReadOwnDecks>>),
        opened: &OpenedDeck,
        deck: &Deck,
    ) -> Result<Self, Problem> {
        let names = names_of(deck).names;
        let cards = named_in(&opened.catalogue, &names);
        Self::add_owned(conn, by, (opened.cards.clone(), cards)).await
    }

    /// Adds the printings of these cards that the caller owns, and their reservations.
    async fn add_owned(
        conn: &mut StepConnection<'_>,
        by: (&Granted<ReadOwnCollection>, Option<&Granted<ReadOwnDecks>>),
        (pool, cards): (DeckPool, BTreeMap<CardId, NamedCard>),
    ) -> Result<Self, Problem> {
        let ids: Vec<CardId> = cards.keys().copied().collect();
        let owned = deck_ownership::owned(conn.get().await?, by.0, &ids).await?;
        let owned = owned_printings(owned, &cards);
        let rows = match by.1 {
            Some(reads) => deck_reservations::of_cards(conn.get().await?, reads, &ids).await?,
            None => Vec::new(),
        };
        Ok(Self { pool, cards, reservations: DeckReservations::new(rows, &owned), owned })
    }

    /// The first card of each name, by [`name_key`].
    pub(super) fn first_cards(&self) -> BTreeMap<String, CardId> {
        let mut first = BTreeMap::new();
        for (id, card) in &self.cards {
            first.entry(name_key(&card.name)).or_insert(*id);
        }
        first
    }

    /// Copies that are reserved for a deck, by [`name_key`] of their cards.
    pub(super) fn reserved_for(&self, deck: DeckId) -> BTreeMap<String, u64> {
        let mut here = BTreeMap::new();
        for (key, one) in self.keyed().filter(|(_, one)| one.deck == deck) {
            *here.entry(key).or_default() += one.quantity;
        }
        here
    }

    /// The reservations of other decks, by [`name_key`] of the cards.
    pub(super) fn reserved_elsewhere(&self, deck: DeckId) -> BTreeMap<String, Elsewhere> {
        let mut elsewhere: BTreeMap<String, Elsewhere> = BTreeMap::new();
        for (key, one) in self.keyed().filter(|(_, one)| one.deck != deck) {
            let found = elsewhere.entry(key).or_default();
            if !found.decks.contains_key(&one.deck) {
                found.order.insert(0, one.deck);
            }
            *found.decks.entry(one.deck).or_default() += one.quantity;
        }
        elsewhere
    }

    /// The names of the decks that have reservations.
    pub(super) fn deck_names(&self) -> BTreeMap<DeckId, &str> {
        self.reservations.rows().iter().map(|row| (row.deck_id, row.name.as_str())).collect()
    }

    /// The reservations in effect, each with the [`name_key`] of its card.
    fn keyed(&self) -> impl Iterator<Item = (String, &Reservation)> {
        let mut keys: BTreeMap<PrintingId, String> = BTreeMap::new();
        for row in self.reservations.rows() {
            if let Some(card) = self.cards.get(&row.card_id) {
                keys.entry(row.printing_id).or_insert_with(|| name_key(&card.name));
            }
        }
        self.reservations
            .in_effect
            .iter()
            .filter_map(move |one| Some((keys.get(&one.printing)?.clone(), one)))
    }
}
