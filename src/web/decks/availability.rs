//! Which cards of a deck the reader has.

use super::words as deck_words;
use crate::app::decks::deck_availability::{self, CardAvailabilityResponse};
use crate::app::decks::list_availability::{self, ReadEntries};
use crate::app::decks::opened_decks::OpenedDeck;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnCollection, ReadOwnDecks};
use crate::domain::decks::availability::CardAvailability;
use crate::web::session::Visitor;
use crate::web::words;

/// The cards of a deck with the copies that the reader has.
pub(super) struct AvailabilityView {
    pub(super) summary: String,
    /// The cards, missing ones first.
    pub(super) rows: Vec<AvailabilityRow>,
}

/// A card, and the copies that the reader has of it.
pub(super) struct AvailabilityRow {
    pub(super) name: String,
    /// The place of a hidden card.
    pub(super) about: Option<String>,
    pub(super) needed: u64,
    pub(super) owned: u64,
    pub(super) missing: u64,
}

/// The availability of a stored deck; `None`: nobody is logged in.
pub(super) async fn find_availability(
    app: &AppState,
    visitor: &Visitor,
    reads: Option<&Granted<ReadOwnDecks>>,
    opened: &OpenedDeck,
) -> Result<Option<AvailabilityView>, Problem> {
    let Ok(by) = visitor.must::<ReadOwnCollection>() else { return Ok(None) };
    let found = deck_availability::find_for_opened(app, &by, reads, opened).await?;
    let rows = found.cards.into_iter().map(|card| {
        let CardAvailabilityResponse { name, card, needed, owned, missing, .. } = card;
        let name = if name.is_empty() { words::HIDDEN_CARD.to_owned() } else { name };
        let place = card.set.zip(card.number).filter(|_| card.hidden);
        let about = place.map(|(set, number)| words::place(&set, &number));
        AvailabilityRow { name, about, needed, owned, missing }
    });
    Ok(AvailabilityView::new(rows.collect()))
}

/// The availability of a typed list; `None`: nobody is logged in, or the account has no cards.
pub(super) async fn find_availability_of_list(
    app: &AppState,
    visitor: &Visitor,
    list: &ReadEntries,
) -> Result<Option<AvailabilityView>, Problem> {
    let Ok(by) = visitor.must::<ReadOwnCollection>() else { return Ok(None) };
    let Some(found) = list_availability::find(app, &by, list).await? else { return Ok(None) };
    let rows = found.into_iter().map(|card| {
        let CardAvailability { name, needed, owned, missing, .. } = card;
        AvailabilityRow { name, about: None, needed, owned, missing }
    });
    Ok(AvailabilityView::new(rows.collect()))
}

impl AvailabilityView {
    /// `None`: the deck needs no card.
    fn new(mut rows: Vec<AvailabilityRow>) -> Option<Self> {
        if rows.is_empty() {
            return None;
        }
        let missing = rows.iter().map(|row| row.missing).sum();
        rows.sort_by_key(|row| row.missing == 0);
        Some(Self { summary: deck_words::missing(missing), rows })
    }
}
