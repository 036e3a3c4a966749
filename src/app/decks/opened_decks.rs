//! Stored decks with the cards that they name, as their readers see them. Whoever tells several things of a deck opens it once, and makes all of them of this.

use std::sync::Arc;

use cardscape_engine::{Catalogue, DeckMentions, DeckStatistics, Game, deck_statistics};

use super::deck_cards::{self, Asker, StepConnection};
use super::deck_lists::{SeenDeck, VersionedDeck, find_seen};
use super::deck_sheets::DeckSheet;
use super::masks::are_open;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnDecks};
use crate::domain::ids::{CardId, DeckId};
use crate::store::catalogue::games::LoadedGame;
use crate::store::decks::deck_pool::DeckPool;

/// A deck with what its reader may see of the cards that its entries mean.
pub struct OpenedDeck {
    /// The deck as the reader sees it.
    pub(super) seen: SeenDeck,
    /// Whose eyes these are.
    pub(super) asker: Asker,
    /// Its game.
    pub(super) loaded: Arc<LoadedGame>,
    /// The cards, to add others to.
    pub(super) cards: DeckPool,
    /// The same cards as the engine wants them.
    pub(super) catalogue: Arc<Catalogue>,
}

/// Opens a deck that the reader may see: 404 when they may not.
pub async fn open(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDecks>>,
    asker: Asker,
    id: DeckId,
) -> Result<OpenedDeck, Problem> {
    let seen = find_seen(app, (asker.0, reader), id).await?;
    let loaded = app.named_game(seen.content.format.game()).await?.map_err(Problem::internal)?;
    let mut conn = StepConnection::new(&app.store);
    let mentions = DeckMentions::of_deck(&seen.content.deck);
    let found = deck_cards::find(app, &mut conn, asker, &loaded.game, &[], &mentions);
    let (mut cards, _) = found.await?;
    let catalogue = Arc::new(cards.catalogue());
    Ok(OpenedDeck { seen, asker, loaded, cards, catalogue })
}

impl OpenedDeck {
    pub fn id(&self) -> DeckId {
        self.seen.row.id
    }

    pub(super) fn game(&self) -> &Game {
        &self.loaded.game
    }

    /// Its cards by zone and kind.
    pub fn sheet(&self) -> DeckSheet {
        let SeenDeck { content, masks, .. } = &self.seen;
        DeckSheet::new(self.game(), &content.deck, masks, &self.catalogue)
    }

    /// Counts and curves of its cards.
    pub(super) fn statistics(&self) -> DeckStatistics {
        deck_statistics(&self.seen.content.deck, &self.catalogue)
    }

    /// Whether everybody sees of its entries and cards what its reader sees, by what is in memory; no: perhaps not. All cards have to be open that its
    /// entries are bound to, and all that they are called by: then nothing of it is hidden from anybody.
    pub(super) fn is_same_for_all(&self, app: &AppState) -> bool {
        let called = self.catalogue.iter().map(|card| card.key.parse().map(CardId));
        let bound = self.seen.content.cards.iter().flatten().copied().map(Ok);
        let cards: Result<Vec<CardId>, _> = called.chain(bound).collect();
        cards.is_ok_and(|cards| are_open(app, &cards))
    }

    /// The deck as the API tells it.
    pub fn into_answer(self) -> VersionedDeck {
        self.seen.into()
    }
}
