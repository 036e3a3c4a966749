//! All that is said of a card beside the card itself, for those who show it at once.

use super::card_legalities::{LegalityResponse, legalities_of};
use super::card_neighbours::{self, Neighbours};
use super::cards::{PrintingResponse, printings_of};
use super::history::{self, HistoryEntryResponse};
use super::image_uris::Scans;
use super::rulings::{self, RulingResponse};
use super::sets::SetResponse;
use crate::app::page::{Page, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::code::Code;
use crate::domain::ids::CardId;
use crate::store::Connection;
use crate::store::catalogue::cards::{self, CardView, OpenCard};
use crate::store::catalogue::sets;

/// What is said of a card.
pub struct CardOverview {
    /// Its set.
    pub set: SetResponse,
    /// The cards beside it in the set; none when they could not be found in time.
    pub neighbours: Neighbours,
    /// What is said of its content; `None`: it is hidden from the viewer.
    pub open: Option<OpenCardOverview>,
}

/// What is said of a card that the viewer may see.
pub struct OpenCardOverview {
    /// The most common first.
    pub printings: Vec<PrintingResponse>,
    /// The oldest day first.
    pub rulings: Vec<RulingResponse>,
    /// The newest first.
    pub history: Page<HistoryEntryResponse>,
    /// One entry for each format of the game that there is today.
    pub legalities: Vec<LegalityResponse>,
}

/// Finds what is said of the card that stands at a place, with so many entries of its history: one statement after the other on one connection, so that it takes no more of them than
/// any other request. 404 when the set or the card is gone.
pub async fn find(
    app: &AppState,
    viewer: Viewer,
    card: CardId,
    (game, set, number): (&Code, &Code, &str),
    history: PageLimit,
) -> Result<CardOverview, Problem> {
    // Before the connection: this may take another one.
    let scans = Scans::read(app).await?;
    let mut conn = app.store.connection().await?;
    let row = sets::find(&mut conn, game, set).await?.ok_or_else(Problem::not_found)?;
    let view = cards::find(&conn, viewer, card).await?.ok_or_else(Problem::not_found)?;
    let open = match &view {
        CardView::Hidden(_) => None,
        CardView::Open(open) => Some(said_of(app, &mut conn, viewer, open, &scans, history).await?),
    };
    let beside = card_neighbours::find(&conn, (game, set, number)).await;
    let neighbours = beside.unwrap_or_else(|error| {
        tracing::warn!(%error, %card, "the cards beside a card were not found");
        Neighbours::default()
    });
    Ok(CardOverview { set: row.into(), neighbours, open })
}

async fn said_of(
    app: &AppState,
    conn: &mut Connection,
    viewer: Viewer,
    card: &OpenCard,
    scans: &Scans,
    limit: PageLimit,
) -> Result<OpenCardOverview, Problem> {
    let (place, scan) = (&card.place, scans.template(&card.place.game));
    Ok(OpenCardOverview {
        printings: printings_of(conn, viewer, place, card.is_hidden(), scan).await?,
        rulings: rulings::load(conn, viewer, place.id).await?,
        history: history::load(conn, viewer, place.id, None, limit).await?,
        legalities: legalities_of(app, conn, card, app.today()?).await?,
    })
}
