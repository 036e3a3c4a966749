//! Deck lists: listing and reading them.

use cardscape_engine::{DeckDialect, render_deck_text, write_deck};
use serde::Serialize;
use utoipa::ToSchema;

use super::deck_cards;
use super::deck_responses::{DeckSummaryResponse, SeenDeck, VersionedDeck, shows_owner};
use super::masks::mask;
use super::own_decks::OwnDeckCursor;
use crate::app::catalogue::codes::Codes;
use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::app::versions::Version;
use crate::auth::permission::{Granted, ReadOwnDecks, Viewer};
use crate::domain::decks::content::UnreadLine;
use crate::domain::decks::deck::{DeckName, FormatName};
use crate::domain::decks::details::{DeckFolder, DeckTag, DeckVisibility};
use crate::domain::decks::own::{OwnDeckPosition, OwnDeckSort};
use crate::domain::ids::{AccountId, DeckId};
use crate::store::decks::deck_deletions::DELETED_RETENTION;
use crate::store::decks::deck_likes;
use crate::store::decks::deck_lists::{self, DeckFilter};
use crate::store::decks::deck_records::{DeckRow, StoredDeck};

/// Conditions on the caller's decks.
#[derive(Default)]
pub struct OwnDeckConditions {
    /// Only decks in this folder.
    pub folder: Option<DeckFolder>,
    /// Only decks with this tag.
    pub tag: Option<DeckTag>,
    /// Only decks of this format.
    pub format: Option<FormatName>,
    /// Only decks that these readers may read.
    pub visibility: Option<DeckVisibility>,
    /// Only decks whose name contains this text.
    pub name: Option<DeckName>,
}

/// Which of the caller's decks to list.
pub struct DeckListRequest<'a> {
    /// Resolved codes: the game to filter by, if any.
    pub codes: &'a Codes,
    /// The other conditions.
    pub conditions: OwnDeckConditions,
    /// Whether to list the deleted decks instead of the others.
    pub deleted: bool,
    /// The order.
    pub sort: OwnDeckSort,
    /// The position of the last deck of the previous page.
    pub after: Option<OwnDeckPosition>,
    /// Most decks of the page.
    pub limit: PageLimit,
}

/// Lists the caller's decks.
pub async fn list(
    app: &AppState,
    by: &Granted<ReadOwnDecks>,
    request: &DeckListRequest<'_>,
) -> Result<Page<DeckSummaryResponse>, Problem> {
    let OwnDeckConditions { folder, tag, format, visibility, name } = &request.conditions;
    let format_names = match format {
        Some(format) => Some(local_names(app, format).await?),
        None => None,
    };
    let mut conn = app.store.connection().await?;
    let filter = DeckFilter {
        game: request.codes.game.as_deref(),
        folder: folder.as_ref(),
        tag: tag.as_ref().map(DeckTag::as_str),
        format: format.as_ref().map(FormatName::game).zip(format_names.as_ref()),
        visibility: *visibility,
        name: name.as_ref(),
        deleted_since: request.deleted.then(|| app.clock.now() - DELETED_RETENTION),
        sort: request.sort,
        after: request.after.as_ref(),
    };
    let rows = deck_lists::list(&mut conn, by, &filter, request.limit.rows()).await?;
    let reader = Some(by.account());
    let summary = |(row, cards)| DeckSummaryResponse::new(row, cards, reader, true);
    let cursor = |(row, _): &(DeckRow, i64)| OwnDeckCursor::after(row, request.sort);
    Ok(paged(rows, request.limit, cursor, summary))
}

/// The names that decks of this format may have stored: a default variant may be written or not.
async fn local_names(app: &AppState, format: &FormatName) -> Result<[String; 2], Problem> {
    Ok(match app.named_game(format.game()).await? {
        Ok(loaded) => format.local_names(&loaded.game, app.today()?),
        Err(_) => [format.local(), format.local()],
    })
}

/// A folder of decks.
#[derive(Serialize, ToSchema)]
pub struct DeckFolderResponse {
    /// Name of the folder; `null`: the decks that are in no folder.
    #[schema(example = "Friday")]
    pub name: Option<String>,
    /// Number of decks in the folder.
    #[schema(example = 3)]
    pub decks: i64,
}

/// The folders of your decks.
#[derive(Serialize, ToSchema)]
pub struct DeckFoldersResponse {
    /// The folders by name; the decks that are in no folder come last.
    pub data: Vec<DeckFolderResponse>,
}

/// Lists the folders of the caller's decks.
pub async fn list_folders(
    app: &AppState,
    by: &Granted<ReadOwnDecks>,
) -> Result<DeckFoldersResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let folders = deck_lists::list_folders(&mut conn, by).await?.into_iter();
    let data = folders.map(|folder| DeckFolderResponse { name: folder.name, decks: folder.decks });
    Ok(DeckFoldersResponse { data: data.collect() })
}

/// Finds a deck that the reader may see.
pub async fn find(
    app: &AppState,
    reader: (Viewer, Option<&Granted<ReadOwnDecks>>),
    id: DeckId,
) -> Result<VersionedDeck, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let mut seen = find_seen(app, &mut conn, reader, id).await?;
    if let Some(by) = reader.1.filter(|by| by.account() != seen.row.account_id) {
        seen.liked = Some(deck_likes::likes(conn.get().await?, by, id).await?);
    }
    Ok(seen.into())
}

/// Like [`find`], with the deck as text, in the form that the field `list` of a [`DeckRequest`](super::deck_requests::DeckRequest) accepts.
pub async fn find_text(
    app: &AppState,
    reader: (Viewer, Option<&Granted<ReadOwnDecks>>),
    id: DeckId,
) -> Result<(Version, Vec<i64>, String), Problem> {
    let mut conn = StepConnection::new(&app.store);
    let mut seen = find_seen(app, &mut conn, reader, id).await?;
    let content = &seen.content;
    let loaded = app.named_game_on(&mut conn, content.format.game()).await?;
    let loaded = loaded.map_err(Problem::internal)?;
    drop(conn);
    let longer = deck_cards::find_longer_names(app, reader.0, &loaded.game, &content.deck).await?;
    let list = write_deck(&content.deck, DeckDialect::Own, &longer, None).text;
    // Other cards and the zones of the game change the text, but not the revision of the deck.
    if list != render_deck_text(&content.deck) {
        seen.masks.add_difference(&list);
    }
    // The text has no folder.
    let version = Version::from(&seen.row).without_folder();
    Ok((version, seen.masks.counts(), text_of(&seen, &list)))
}

/// Finds a deck as the reader sees it; 404 when the reader may not see it.
pub(super) async fn find_seen(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    (viewer, reader): (Viewer, Option<&Granted<ReadOwnDecks>>),
    id: DeckId,
) -> Result<SeenDeck, Problem> {
    let stored = deck_lists::find(conn.get().await?, reader, id).await?;
    let stored = stored.ok_or_else(Problem::not_found)?;
    see(app, conn, (viewer, reader.map(Granted::account)), stored).await
}

/// Masks a stored deck for its reader.
pub(super) async fn see(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    reader: (Viewer, Option<AccountId>),
    StoredDeck { row, author, published_at, mut content }: StoredDeck,
) -> Result<SeenDeck, Problem> {
    let mut masks = mask(app, conn, reader, row.account_id, &mut content).await?;
    let is_own = reader.1 == Some(row.account_id);
    if !shows_owner(&row, reader.1) {
        masks.add_difference("no owner");
    }
    let shows_source = match row.cloned_from() {
        Some(source) if !is_own => {
            let is_public = deck_lists::is_public(conn.get().await?, source.deck).await?;
            masks.add_difference(if is_public { "source" } else { "no source" });
            is_public
        }
        _ => true,
    };
    let (reader, liked) = (reader.1, None);
    Ok(SeenDeck { row, author, published_at, content, masks, reader, shows_source, liked })
}

/// The deck as text; format, name and unread lines, for which lists have no lines, are written as comments.
fn text_of(SeenDeck { row, content, .. }: &SeenDeck, list: &str) -> String {
    let unread: String = content
        .unread_lines
        .iter()
        .map(|UnreadLine { line, text, detail }| format!("// line {line} ({detail}): {text}\n"))
        .collect();
    let format = format!("{}/{}", row.game(), row.local_format());
    format!("// format: {format}\n// name: {}\n{unread}\n{list}", row.name)
}
