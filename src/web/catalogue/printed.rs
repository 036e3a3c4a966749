//! The printed copies of a set, with the announced and the registered copies.

use cardscape_engine::Game;

use super::answers::{PrintStatistics, PrintedRarity, read};
use super::promises::{Announcement, promised};
use super::values::rarity_name;
use crate::app::page::PageLimit;
use crate::app::printing::{print_commitments, print_promises, print_statistics};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::code::Code;
use crate::web::words;

/// Most announcements that are shown, newest first.
const ANNOUNCEMENTS: u16 = 20;

/// The printed copies of a set.
#[derive(Debug)]
pub(super) struct Printed {
    pub(super) rows: Vec<PrintedRow>,
    /// Whether hidden cards are left out.
    pub(super) without_hidden: bool,
    /// Whether the printed copies are the announced ones; `None`: the announcements of some printed copies are unknown, and no row shows a promise.
    pub(super) announcement_check: Option<&'static str>,
    /// How well the registered copies match the printed ones, once there are enough.
    pub(super) verdict: Option<String>,
    pub(super) announcements: Vec<Announcement>,
}

/// The copies in one rarity.
#[derive(Debug)]
pub(super) struct PrintedRow {
    pub(super) rarity: String,
    pub(super) weight: String,
    /// How many copies were announced; `None`: the announcements of some printed copies are unknown.
    pub(super) promised: Option<String>,
    pub(super) printed: String,
    pub(super) registered: String,
    pub(super) expected: String,
}

/// The printed copies of a set; `None`: no copy was printed and no run is announced.
pub(super) async fn find_printed(
    app: &AppState,
    game: &Game,
    (code, set): (&Code, &Code),
) -> Result<Option<Printed>, Problem> {
    let limit = PageLimit::try_from(ANNOUNCEMENTS).map_err(Problem::internal)?;
    let statistics =
        print_statistics::find(app, code.clone(), set.clone(), Viewer::stranger()).await?;
    let statistics: PrintStatistics = read(&statistics)?;
    let announced = print_commitments::list(app, code, set, None, limit).await?;
    if statistics.printed == 0 && announced.data.is_empty() {
        return Ok(None);
    }
    let is_all = announced.next_cursor.is_none();
    let mut announcements = Vec::new();
    for announcement in announced.data {
        let is_revealed = announcement.revealed_at.is_some();
        let promise = print_promises::find(app, announcement.id, is_revealed).await?;
        announcements.push(Announcement::new(game, announcement, promise.as_deref()));
    }
    // The statistics leave hidden cards out, so they cannot be compared with the announcements.
    let is_comparable = is_all && statistics.printed > 0 && statistics.hidden_cards == 0;
    let promised = if is_comparable { promised(&announcements) } else { None };
    let of_rarity = |row: &PrintedRarity| {
        promised.as_ref().map(|by_rarity| by_rarity.get(&row.rarity).copied().unwrap_or_default())
    };
    let announcement_check = promised.as_ref().map(|by_rarity| {
        let all: i64 = by_rarity.values().sum();
        let is_kept = all == statistics.printed
            && statistics.rarities.iter().all(|row| of_rarity(row) == Some(row.printed));
        if is_kept { words::PROMISE_KEPT } else { words::PROMISE_DIFFERS }
    });
    let row = |row: &PrintedRarity| PrintedRow {
        rarity: rarity_name(game, &row.rarity),
        weight: words::grouped(row.weight),
        promised: of_rarity(row).map(words::grouped),
        printed: words::grouped(row.printed),
        registered: words::grouped(row.registered),
        expected: format!("{:.1}", row.expected),
    };
    let rows = statistics.rarities.iter().filter(|_| statistics.printed > 0).map(row).collect();
    Ok(Some(Printed {
        rows,
        without_hidden: statistics.hidden_cards > 0,
        announcement_check,
        verdict: statistics.test.map(|test| words::verdict(test.p_value)),
        announcements,
    }))
}
