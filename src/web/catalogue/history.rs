//! The history of a card, newest entry first, page by page.

use cardscape_engine::Game;

use super::cards::CardQuery;
use super::history_words;
use crate::app::catalogue::card_overview::HistoryPart;
use crate::app::catalogue::history::HistoryEntryResponse;
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::Problem;
use crate::web::page::path_of;
use crate::web::words;

/// Entries on a page.
const ENTRIES: u16 = 30;

/// A page of the history.
pub(super) struct History {
    pub(super) entries: Vec<HistoryRow>,
    /// The path of the newest entries; absent on the first page.
    pub(super) newest_path: Option<String>,
    /// The path of the older entries, if there are any.
    pub(super) older_path: Option<String>,
}

/// An entry of the history.
pub(super) struct HistoryRow {
    pub(super) day: String,
    pub(super) at: String,
    pub(super) what: String,
    pub(super) changes: Vec<Change>,
}

/// A member that changed.
pub(super) struct Change {
    pub(super) member: String,
    pub(super) before: String,
    pub(super) after: String,
}

/// The page of the history that the query requests.
pub(super) fn part(cursor: Option<&Cursor>) -> Result<HistoryPart, Problem> {
    let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
    Ok(HistoryPart { after: Cursor::key_of(cursor)?, limit })
}

impl History {
    /// A page of the history of the card at `path`. The links keep the rarity of the picture.
    pub(super) fn new(
        game: &Game,
        part: Page<HistoryEntryResponse>,
        path: &str,
        query: &CardQuery,
    ) -> Self {
        let path_at = |cursor: &str| {
            let rarity = query.rarity().unwrap_or_default();
            let page = path_of(path, &[("rarity", rarity), ("cursor", cursor)]);
            format!("{page}#history")
        };
        Self {
            newest_path: query.is_further_page().then(|| path_at("")),
            older_path: part.next_cursor.as_deref().map(path_at),
            entries: part.data.into_iter().map(|entry| HistoryRow::new(game, entry)).collect(),
        }
    }
}

impl HistoryRow {
    fn new(game: &Game, entry: HistoryEntryResponse) -> Self {
        let changes = entry.changes.into_iter().map(|change| Change {
            before: history_words::value(game, &change.member, change.before.as_ref()),
            after: history_words::value(game, &change.member, change.after.as_ref()),
            member: history_words::member(game, &change.member),
        });
        Self {
            day: words::day_of(entry.at),
            at: entry.at.to_rfc3339(),
            what: words::change(&entry.change),
            changes: changes.collect(),
        }
    }
}
