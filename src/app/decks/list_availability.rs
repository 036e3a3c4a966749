//! How many cards of a list that is not stored the reader owns.

use std::collections::BTreeMap;

use cardscape_engine::{Catalogue, Deck, Resolution};

use super::deck_holdings::{NamedCard, named_in, names_of, owned_printings};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnCollection};
use crate::domain::decks::availability::{CardAvailability, availabilities};
use crate::domain::ids::CardId;
use crate::store::decks::deck_ownership;

/// The entries of a list, and the cards with their names that the reader may see.
#[derive(Debug)]
pub struct ReadEntries {
    deck: Deck,
    cards: BTreeMap<CardId, NamedCard>,
}

impl ReadEntries {
    /// The entries of a list. An entry that names its card only by set and number gets the name of the card; an entry whose name the reader may not see is left
    /// out.
    pub(super) fn new(deck: &Deck, catalogue: &Catalogue) -> Self {
        let mut deck = deck.clone();
        for entry in deck.entries.iter_mut().filter(|entry| entry.card.name.is_empty()) {
            if let Resolution::Card(card) | Resolution::OtherPrinting(card) =
                catalogue.find(&entry.card)
            {
                entry.card.name.clone_from(&card.definition.name);
            }
        }
        deck.entries.retain(|entry| !entry.card.name.is_empty());
        let cards = named_in(catalogue, &names_of(&deck).names);
        Self { deck, cards }
    }
}

/// Finds which cards of a list the account owns; `None`: the account has neither counted cards nor registered copies.
pub async fn find(
    app: &AppState,
    by: &Granted<ReadOwnCollection>,
    list: &ReadEntries,
) -> Result<Option<Vec<CardAvailability>>, Problem> {
    let mut conn = app.store.connection().await?;
    if !deck_ownership::owns_anything(&mut conn, by).await? {
        return Ok(None);
    }
    let ids: Vec<CardId> = list.cards.keys().copied().collect();
    let owned = deck_ownership::owned(&mut conn, by, &ids).await?;
    drop(conn);
    let owned = owned_printings(owned, &list.cards);
    Ok(Some(availabilities(&list.deck.entries, &owned)))
}
