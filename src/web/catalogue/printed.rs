//! What was printed of a set, beside what was announced and what players have registered.

use cardscape_engine::Game;

use super::answers::{PrintStatistics, read};
use super::values::rarity_name;
use crate::app::page::PageLimit;
use crate::app::printing::{print_commitments, print_statistics};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::code::Code;
use crate::web::words;

/// Announcements that are shown, the newest.
const ANNOUNCEMENTS: u16 = 20;

/// What was printed of a set.
#[derive(Debug)]
pub(super) struct Printed {
    pub(super) rows: Vec<PrintedRow>,
    /// Whether cards are left out because they are hidden.
    pub(super) without_hidden: bool,
    /// What the registered copies say of the printed ones, once there are enough.
    pub(super) verdict: Option<String>,
    pub(super) caveat: String,
    pub(super) announcements: Vec<Announcement>,
}

/// The copies in one rarity.
#[derive(Debug)]
pub(super) struct PrintedRow {
    pub(super) rarity: String,
    pub(super) printed: String,
    pub(super) registered: String,
    pub(super) expected: String,
}

/// A print run that was announced.
#[derive(Debug)]
pub(super) struct Announcement {
    pub(super) day: String,
    pub(super) at: String,
    pub(super) status: String,
    pub(super) hash: String,
    /// Where the API shows it, and what opens it once it is revealed.
    pub(super) path: String,
}

/// What was printed of a set; `None`: nothing was, and nothing is announced.
pub(super) async fn find_printed(
    app: &AppState,
    game: &Code,
    set: &Code,
) -> Result<Option<Printed>, Problem> {
    let limit = PageLimit::try_from(ANNOUNCEMENTS).map_err(Problem::internal)?;
    let statistics =
        print_statistics::find(app, game.clone(), set.clone(), Viewer::stranger()).await?;
    let statistics: PrintStatistics = read(&statistics)?;
    let announced = print_commitments::list(app, game, set, None, limit).await?;
    if statistics.printed == 0 && announced.data.is_empty() {
        return Ok(None);
    }
    let rows = statistics.rarities.into_iter().map(|row| PrintedRow {
        printed: words::grouped(row.printed),
        registered: words::grouped(row.registered),
        expected: format!("{:.1}", row.expected),
        rarity: row.rarity,
    });
    let announcements = announced.data.into_iter().map(|run| Announcement {
        day: words::day_of(run.announced_at),
        at: run.announced_at.to_rfc3339(),
        status: words::run_status(run.status),
        hash: run.commitment,
        path: format!("/v1/print-commitments/{}", run.id),
    });
    Ok(Some(Printed {
        rows: if statistics.printed == 0 { Vec::new() } else { rows.collect() },
        without_hidden: statistics.hidden_cards > 0,
        verdict: statistics.test.map(|test| words::verdict(test.p_value)),
        caveat: statistics.caveat,
        announcements: announcements.collect(),
    }))
}

impl Printed {
    /// The same with the names of rarities for their codes.
    pub(super) fn named(mut self, game: &Game) -> Self {
        for row in &mut self.rows {
            row.rarity = rarity_name(game, &row.rarity);
        }
        self
    }
}
