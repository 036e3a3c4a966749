//! What a player has of the cards that decks name, and what their decks have set aside of it: as far as the player may see these cards.

use std::collections::{BTreeMap, BTreeSet};

use cardscape_engine::{Catalogue, Deck, DeckMentions, Game, name_key};
use uuid::Uuid;

use super::deck_cards::{self, Asker, StepConnection};
use super::opened_decks::OpenedDeck;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnCollection, ReadOwnDecks};
use crate::domain::decks::allocation::OwnedPrinting;
use crate::domain::decks::reservation::{Reservation, in_effect, quantities};
use crate::domain::ids::{CardId, DeckId, PrintingId};
use crate::store::decks::deck_ownership::{self, OwnedRow};
use crate::store::decks::deck_pool::DeckPool;
use crate::store::decks::deck_reservations::{self, ReservedRow};

/// A card that decks name, as everybody who sees it knows it.
#[derive(Clone, Debug)]
pub(super) struct NamedCard {
    /// Its name.
    pub name: String,
    /// Code of its set.
    pub set: String,
    /// Its number in the set.
    pub number: String,
}

/// The cards with these names that the asker may see, in the order of their ids.
pub(super) async fn find_named(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    asker: Asker,
    game: &Game,
    mentions: &DeckMentions,
) -> Result<BTreeMap<CardId, NamedCard>, Problem> {
    Ok(find_pool(app, conn, asker, game, mentions).await?.1)
}

/// The same with all that decks are judged by.
async fn find_pool(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    asker: Asker,
    game: &Game,
    mentions: &DeckMentions,
) -> Result<(DeckPool, BTreeMap<CardId, NamedCard>), Problem> {
    let (mut pool, _) = deck_cards::find(app, conn, asker, game, &[], mentions).await?;
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

/// Names alone.
pub(super) fn mentions(names: BTreeSet<String>) -> DeckMentions {
    let mut mentions = DeckMentions::default();
    mentions.names = names;
    mentions
}

/// Printings that are owned, with what there is to know of their cards: by set and number, of each card the most common rarity first.
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

/// What the own decks have set aside, as far as it is there, with the names of the decks.
#[derive(Default)]
pub(super) struct HeldCopies {
    /// The reservations in effect, those of the decks that were reserved first before the others.
    pub held: Vec<Reservation>,
    rows: Vec<ReservedRow>,
}

impl HeldCopies {
    pub(super) fn new(rows: Vec<ReservedRow>, owned: &[OwnedPrinting]) -> Self {
        let reserved: Vec<Reservation> = rows.iter().map(ReservedRow::reservation).collect();
        Self { held: in_effect(&reserved, &quantities(owned)), rows }
    }

    /// What is stored, whether it is there or not.
    pub(super) fn rows(&self) -> &[ReservedRow] {
        &self.rows
    }
}

/// What other decks have set aside of the cards of a name.
#[derive(Default)]
pub(super) struct Elsewhere {
    /// Copies of each deck.
    pub decks: BTreeMap<DeckId, u64>,
    /// The decks, those that were reserved last before the others.
    pub order: Vec<DeckId>,
}

impl Elsewhere {
    /// Copies of all of them.
    pub(super) fn copies(&self) -> u64 {
        self.decks.values().sum()
    }
}

/// What the asker has of the cards of one deck.
pub(super) struct DeckHoldings {
    /// The cards with all that decks are judged by.
    pub pool: DeckPool,
    /// The cards that the deck names and the asker may see.
    pub cards: BTreeMap<CardId, NamedCard>,
    /// What the asker has of them.
    pub owned: Vec<OwnedPrinting>,
    /// What the decks of the asker have set aside of them; nothing if the asker may not read these decks.
    pub held: HeldCopies,
}

impl DeckHoldings {
    /// Finds what the asker has of the cards of a deck as the asker sees it. The first of the steps of `conn`.
    pub(super) async fn find(
        app: &AppState,
        conn: &mut StepConnection<'_>,
        by: (&Granted<ReadOwnCollection>, Option<&Granted<ReadOwnDecks>>),
        asker: Asker,
        game: &Game,
        deck: &Deck,
    ) -> Result<Self, Problem> {
        let (pool, cards) = find_pool(app, conn, asker, game, &names_of(deck)).await?;
        Self::add_owned(conn, by, (pool, cards)).await
    }

    /// The same for a deck that was opened.
    pub(super) async fn of_opened(
        conn: &mut StepConnection<'_>,
        by: (&Granted<ReadOwnCollection>, Option<&Granted<ReadOwnDecks>>),
        opened: &OpenedDeck,
    ) -> Result<Self, Problem> {
        let names = names_of(&opened.seen.content.deck).names;
        let cards = named_in(&opened.catalogue, &names);
        Self::add_owned(conn, by, (opened.cards.clone(), cards)).await
    }

    /// Adds which of these cards the asker owns, and which are reserved.
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
        Ok(Self { pool, cards, held: HeldCopies::new(rows, &owned), owned })
    }

    /// The first card of each name, by the identity of the name.
    pub(super) fn first_cards(&self) -> BTreeMap<String, CardId> {
        let mut first = BTreeMap::new();
        for (id, card) in &self.cards {
            first.entry(name_key(&card.name)).or_insert(*id);
        }
        first
    }

    /// Copies that are set aside for a deck, by the identities of the names of their cards.
    pub(super) fn reserved_for(&self, deck: DeckId) -> BTreeMap<String, u64> {
        let mut here = BTreeMap::new();
        for (key, one) in self.keyed().filter(|(_, one)| one.deck == deck) {
            *here.entry(key).or_default() += one.quantity;
        }
        here
    }

    /// What other decks have set aside, by the identities of the names of the cards.
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

    /// The names of the decks that have set something aside.
    pub(super) fn deck_names(&self) -> BTreeMap<DeckId, &str> {
        self.held.rows().iter().map(|row| (row.deck_id, row.name.as_str())).collect()
    }

    /// The reservations in effect, each with the identity of the name of its card.
    fn keyed(&self) -> impl Iterator<Item = (String, &Reservation)> {
        let mut keys: BTreeMap<PrintingId, String> = BTreeMap::new();
        for row in self.held.rows() {
            if let Some(card) = self.cards.get(&row.card_id) {
                keys.entry(row.printing_id).or_insert_with(|| name_key(&card.name));
            }
        }
        self.held.held.iter().filter_map(move |one| Some((keys.get(&one.printing)?.clone(), one)))
    }
}
