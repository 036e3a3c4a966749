//! Everything that a page shows of a stored deck, with the eyes of its reader.

use cardscape_engine::{DeckDialect, render_deck_text, write_deck};

use super::deck_cards::{Asker, catalogue_of};
use super::deck_lists::{VersionedDeck, find_seen};
use super::deck_reports::{DeckLegalitiesResponse, judge_on, judge_seen};
use super::deck_sheets::DeckSheet;
use super::report_responses::ReportResponse;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnDecks, Viewer};
use crate::domain::ids::DeckId;
use crate::store::decks::shared_decks;

/// A deck with what its cards are and where it is legal.
pub struct DeckOverview {
    /// The deck, as the API tells it.
    pub deck: VersionedDeck,
    /// The same by zone and kind.
    pub sheet: DeckSheet,
    /// The report on its own format; `None`: the format is gone.
    pub report: Option<ReportResponse>,
    /// The deck as a share code.
    pub share_code: String,
    /// In which formats it is legal today.
    pub legalities: DeckLegalitiesResponse,
    /// Name of its owner, of a public deck.
    pub author: Option<String>,
}

/// Finds a deck that the reader may see.
pub async fn find(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDecks>>,
    asker: Asker,
    id: DeckId,
) -> Result<DeckOverview, Problem> {
    let seen = find_seen(app, (asker.0, reader), id).await?;
    let mut conn = app.store.connection().await?;
    let author = shared_decks::author_of(&mut conn, id).await?;
    drop(conn);
    let loaded = app.named_game(seen.content.format.game()).await?.map_err(Problem::internal)?;
    let game = loaded.game.clone();
    let content = &seen.content;
    let (catalogue, legalities) =
        judge_on(app, asker, loaded, content.deck.clone(), app.today()?).await?;
    let report = match judge_seen(app, asker, &seen, None).await {
        Ok(judged) => Some(judged.report),
        Err(problem) if problem.code() == ProblemCode::UnknownFormat => None,
        Err(problem) => return Err(problem),
    };
    let sheet = DeckSheet::new(&game, &content.deck, &seen.masks, &catalogue);
    let share_code = write_deck(&content.deck, DeckDialect::ShareCode, &catalogue, &[]).text;
    Ok(DeckOverview { deck: seen.into(), sheet, report, share_code, legalities, author })
}

/// Finds the cards of a deck that the reader may see, by zone and kind.
pub async fn find_sheet(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDecks>>,
    asker: Asker,
    id: DeckId,
) -> Result<(VersionedDeck, DeckSheet), Problem> {
    let seen = find_seen(app, (asker.0, reader), id).await?;
    let loaded = app.named_game(seen.content.format.game()).await?.map_err(Problem::internal)?;
    let (game, content) = (&loaded.game, &seen.content);
    let catalogue = catalogue_of(app, asker, game, &content.deck).await?;
    let sheet = DeckSheet::new(game, &content.deck, &seen.masks, &catalogue);
    Ok((seen.into(), sheet))
}

/// One of the own decks as it is edited.
pub struct EditedDeck {
    /// The deck.
    pub deck: VersionedDeck,
    /// Its entries as text that is read back as the same, in our own dialect, but for copies; before them the lines that could not be read.
    pub list: String,
    /// Whether entries name copies, which the text does not have.
    pub names_copies: bool,
}

/// Finds one of the own decks, to be edited: 404 for those of others.
pub async fn find_edited(
    app: &AppState,
    by: &Granted<ReadOwnDecks>,
    viewer: Viewer,
    id: DeckId,
) -> Result<EditedDeck, Problem> {
    let seen = find_seen(app, (viewer, Some(by)), id).await?;
    if seen.row.account_id != by.account() {
        return Err(Problem::not_found());
    }
    // First: behind the entries they would stand in the last zone.
    let unread = seen.content.unread_lines.iter().map(|line| format!("{}\n", line.text));
    let list: String = unread.chain([render_deck_text(&seen.content.deck)]).collect();
    let names_copies = seen.content.deck.entries.iter().any(|entry| !entry.copies.is_empty());
    Ok(EditedDeck { deck: seen.into(), list, names_copies })
}
