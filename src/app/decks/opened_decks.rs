//! Opened decks: stored decks with their cards, as the reader may see them. A page that needs several responses about a deck opens the deck once and builds all
//! responses from it.

use std::sync::Arc;

use cardscape_engine::{Catalogue, DeckStatistics, Game, PreparedCard, deck_statistics};

use super::deck_cards::{self, Requester};
use super::deck_lists::find_seen;
use super::deck_responses::{SeenDeck, VersionedDeck};
use super::deck_sheets::DeckSheet;
use super::masks::are_open;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::auth::permission::{Granted, ReadOwnDecks};
use crate::domain::ids::{CardId, DeckId};
use crate::store::catalogue::games::LoadedGame;
use crate::store::decks::deck_pool::DeckPool;

/// A deck with the cards of its entries that the reader may see.
pub struct OpenedDeck {
    /// The deck as the reader sees it.
    pub(super) seen: SeenDeck,
    /// The reader.
    pub(super) requester: Requester,
    /// The game of the deck.
    pub(super) loaded: Arc<LoadedGame>,
    /// The cards of the entries; further cards can be added.
    pub(super) cards: DeckPool,
    /// The same cards as a catalogue for the engine.
    pub(super) catalogue: Arc<Catalogue>,
}

/// Opens a deck; 404 when the reader may not see it.
pub async fn open(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDecks>>,
    requester: Requester,
    id: DeckId,
) -> Result<OpenedDeck, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let seen = find_seen(app, &mut conn, (requester.0, reader), id).await?;
    let loaded = app.named_game_on(&mut conn, seen.content.format.game()).await?;
    let loaded = loaded.map_err(Problem::internal)?;
    let (game, content) = (&loaded.game, &seen.content);
    let found = deck_cards::find_of_deck(app, &mut conn, requester, game, &[], &content.deck);
    let (mut cards, mut catalogue) = found.await?;
    let (viewer, entries) = (requester.0, content.bound_entries());
    if deck_cards::add_renamed(&mut conn, viewer, entries, &catalogue, &mut cards).await? {
        catalogue = cards.catalogue();
    }
    Ok(OpenedDeck { seen, requester, loaded, cards, catalogue: catalogue.into() })
}

impl OpenedDeck {
    pub fn id(&self) -> DeckId {
        self.seen.row.id
    }

    pub(super) fn game(&self) -> &Game {
        &self.loaded.game
    }

    /// The cards of the deck by zone and kind.
    pub fn sheet(&self) -> DeckSheet {
        let SeenDeck { content, masks, .. } = &self.seen;
        DeckSheet::new(self.game(), &content.deck, masks, &self.catalogue)
    }

    /// Counts and curves of the cards.
    pub(super) fn statistics(&self) -> DeckStatistics {
        deck_statistics(&self.seen.content.deck, &self.catalogue)
    }

    /// The cards of the deck, and the few whose numbers differ only in case or leading zeros from theirs: a share code written with them has the numbers exactly.
    pub(super) async fn cards_for_share_code(
        &self,
        app: &AppState,
    ) -> Result<Arc<Catalogue>, Problem> {
        let alike = deck_cards::find_numbers_alike(app, self.requester.0, &self.catalogue).await?;
        Ok(self.catalogue_with(alike))
    }

    /// The cards of the deck, and those that share an external id with them: an id of cards with different names does not say which of them is meant.
    pub(super) async fn cards_for_ids(&self, app: &AppState) -> Result<Arc<Catalogue>, Problem> {
        let sharing = deck_cards::find_sharing_ids(app, self.requester, &self.catalogue).await?;
        Ok(self.catalogue_with(sharing))
    }

    fn catalogue_with(&self, more: Vec<Arc<PreparedCard>>) -> Arc<Catalogue> {
        if more.is_empty() {
            return Arc::clone(&self.catalogue);
        }
        let mut cards = self.cards.clone();
        cards.extend(more);
        cards.catalogue().into()
    }

    /// Whether anonymous clients see the same entries and cards as this reader, according to the cards in memory; `false`: perhaps not. It is `true` only if
    /// all cards are open: the cards that the entries are bound to, and the cards that the entries name.
    pub(super) fn is_same_for_all(&self, app: &AppState) -> bool {
        let called = self.catalogue.iter().map(|card| card.key.parse().map(CardId));
        let bound = self.seen.content.cards.iter().flatten().copied().map(Ok);
        let cards: Result<Vec<CardId>, _> = called.chain(bound).collect();
        cards.is_ok_and(|cards| are_open(app, &cards))
    }

    /// The response of the API about the deck.
    pub fn into_answer(self) -> VersionedDeck {
        self.seen.into()
    }
}
