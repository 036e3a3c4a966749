//! Everything that a page shows about a stored deck, as far as the reader may see it.

use cardscape_engine::{DeckDialect, DeckStatistics, write_deck};

use super::deck_cards;
use super::deck_legalities::{DeckLegalitiesResponse, judge_opened_everywhere};
use super::deck_lists::find_seen;
use super::deck_reports::judge_opened;
use super::deck_responses::VersionedDeck;
use super::deck_sheets::DeckSheet;
use super::opened_decks::OpenedDeck;
use super::report_responses::ReportResponse;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::auth::permission::{Granted, ReadOwnDecks, Viewer};
use crate::domain::decks::details::DeckVisibility;
use crate::domain::ids::DeckId;

/// The cards of a deck, and the formats in which it is legal.
pub struct DeckOverview {
    /// The deck by zone and kind.
    pub sheet: DeckSheet,
    /// The counts and curves of the deck.
    pub statistics: DeckStatistics,
    /// The report about the deck's own format; `None`: the format no longer exists.
    pub report: Option<ReportResponse>,
    /// The deck as a share code.
    pub share_code: String,
    /// The formats in which the deck is legal today.
    pub legalities: DeckLegalitiesResponse,
    /// Name of the owner, if the deck is public.
    pub author: Option<String>,
}

/// Builds the overview of an opened deck.
pub async fn find(app: &AppState, opened: &OpenedDeck) -> Result<DeckOverview, Problem> {
    let is_public = opened.seen.row.visibility() == DeckVisibility::Public;
    let author = is_public.then(|| opened.seen.author.clone());
    let legalities = judge_opened_everywhere(app, opened, None).await?;
    let report = match judge_opened(app, opened, None).await {
        Ok(judged) => Some(judged.report),
        Err(problem) if problem.code() == ProblemCode::UnknownFormat => None,
        Err(problem) => return Err(problem),
    };
    let deck = &opened.seen.content.deck;
    let cards = opened.cards_for_share_code(app).await?;
    let share_code = write_deck(deck, DeckDialect::ShareCode, &cards, None).text;
    let (sheet, statistics) = (opened.sheet(), opened.statistics());
    Ok(DeckOverview { sheet, statistics, report, share_code, legalities, author })
}

/// One of the caller's decks, for an editor.
pub struct EditedDeck {
    pub deck: VersionedDeck,
    /// The list as text in the service's own dialect: first the lines that could not be read, then the entries. Reading the text gives the same entries, except
    /// for the named copies.
    pub list: String,
    /// Whether entries name copies, which the text cannot contain.
    pub names_copies: bool,
}

/// Finds one of the caller's decks for an editor; 404 for decks of other accounts.
pub async fn find_edited(
    app: &AppState,
    by: &Granted<ReadOwnDecks>,
    viewer: Viewer,
    id: DeckId,
) -> Result<EditedDeck, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let seen = find_seen(app, &mut conn, (viewer, Some(by)), id).await?;
    if seen.row.account_id != by.account() {
        return Err(Problem::not_found());
    }
    let content = &seen.content;
    let loaded = app.named_game_on(&mut conn, content.format.game()).await?;
    let loaded = loaded.map_err(Problem::internal)?;
    drop(conn);
    let (game, deck) = (&loaded.game, &content.deck);
    let longer = deck_cards::find_longer_names(app, viewer, game, deck).await?;
    let entries = write_deck(deck, DeckDialect::Own, &longer, None).text;
    // The unread lines come first: after the entries, they would belong to the last zone.
    let unread = content.unread_lines.iter().map(|line| format!("{}\n", line.text));
    let list: String = unread.chain([entries]).collect();
    let names_copies = deck.entries.iter().any(|entry| !entry.copies.is_empty());
    Ok(EditedDeck { deck: seen.into(), list, names_copies })
}
