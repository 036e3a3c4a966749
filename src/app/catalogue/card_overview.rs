//! Everything about a card besides the card itself, for pages that show it all.

use uuid::Uuid;

use super::card_legalities::{LegalityResponse, legalities_of};
use super::card_neighbours::{self, Neighbours};
use super::cards::{PrintingResponse, printings_of};
use super::history::{self, HistoryEntryResponse};
use super::image_uris::Scans;
use super::rulings::{self, RulingResponse};
use super::sets::SetResponse;
use crate::app::page::{CursorTime, Page, PageLimit};
use crate::app::problem::Problem;
use crate::app::serials::unlock_policies::UnlockPolicyBody;
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::code::Code;
use crate::domain::ids::CardId;
use crate::store::Connection;
use crate::store::catalogue::cards::{self, CardView, OpenCard};
use crate::store::catalogue::sets;
use crate::store::serials::unlock_policies;

/// The related resources of a card.
pub struct CardOverview {
    pub set: SetResponse,
    /// The neighbours in the set; empty when the query for them failed.
    pub neighbours: Neighbours,
    /// What unlocks the card; `None`: it is not hidden.
    pub policy: Option<UnlockPolicyBody>,
    /// What depends on the card's content; `None`: the card is hidden from the viewer.
    pub open: Option<OpenCardOverview>,
}

/// The related resources of a card that the viewer may see.
pub struct OpenCardOverview {
    /// Printings, the most common rarity first.
    pub printings: Vec<PrintingResponse>,
    /// Rulings, the oldest first.
    pub rulings: Vec<RulingResponse>,
    /// The history, the newest entry first.
    pub history: Page<HistoryEntryResponse>,
    /// One entry for each format of the game today.
    pub legalities: Vec<LegalityResponse>,
}

/// Which part of the history to return.
#[derive(Clone, Copy)]
pub struct HistoryPart {
    /// The last entry of the previous page; `None`: start with the newest entry.
    pub after: Option<(CursorTime, Uuid)>,
    /// Most entries.
    pub limit: PageLimit,
}

/// Finds the related resources of a card, with a part of its history. The statements run one after the
/// other on one connection, so that this takes no more connections than other requests. 404 when the set or the card no
/// longer exists.
pub async fn find(
    app: &AppState,
    viewer: Viewer,
    card: CardId,
    (game, set, number): (&Code, &Code, &str),
    history: HistoryPart,
) -> Result<CardOverview, Problem> {
    // Read before a connection is taken: this read may take a second one.
    let scans = Scans::read(app).await?;
    let mut conn = app.store.connection().await?;
    let row = sets::find(&mut conn, game, set).await?.ok_or_else(Problem::not_found)?;
    let view = cards::find(&conn, viewer, card).await?.ok_or_else(Problem::not_found)?;
    let policy = if view.is_hidden() {
        unlock_policies::find_effective(&mut conn, game, set).await?
    } else {
        None
    };
    let open = match &view {
        CardView::Hidden(_) => None,
        CardView::Open(open) => {
            Some(open_overview(app, &mut conn, viewer, open, &scans, history).await?)
        }
    };
    let beside = card_neighbours::find(&conn, (game, set, number)).await;
    let neighbours = beside.unwrap_or_else(|error| {
        tracing::warn!(%error, %card, "cannot find the neighbours of a card");
        Neighbours::default()
    });
    let policy = policy.map(|found| found.policy.into());
    Ok(CardOverview { set: row.into(), neighbours, policy, open })
}

async fn open_overview(
    app: &AppState,
    conn: &mut Connection,
    viewer: Viewer,
    card: &OpenCard,
    scans: &Scans,
    part: HistoryPart,
) -> Result<OpenCardOverview, Problem> {
    let (place, scan) = (&card.place, scans.template(&card.place.game));
    Ok(OpenCardOverview {
        printings: printings_of(conn, viewer, place, card.is_hidden(), scan).await?,
        rulings: rulings::load(conn, viewer, place.id).await?,
        history: history::load(conn, viewer, place.id, part.after, part.limit).await?,
        legalities: legalities_of(app, conn, card, app.today()?).await?,
    })
}
