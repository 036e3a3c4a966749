//! The result of reading a file, shortened for the page.

use uuid::Uuid;

use super::words as collection_words;
use crate::app::collection::counts::ChoiceResponse;
use crate::app::collection::import_responses::{
    CollectionImportResponse, ColumnResponse, ImportLine,
};
use crate::web::copies::Games;
use crate::web::fault_words;
use crate::web::words;

/// Most lines of each kind that are listed. A file may have fifty thousand.
const SHOWN: usize = 500;

/// The result of reading a file.
pub(super) struct Reading {
    pub(super) import: Uuid,
    pub(super) totals: String,
    /// The columns that were used, and the headings of ignored ones.
    pub(super) columns: Vec<String>,
    pub(super) ignored: Vec<String>,
    /// What the import replaces; `None`: it is added to the counts.
    pub(super) replaces: Option<String>,
    /// Lines that can be counted, and lines that cannot.
    pub(super) usable: Lines,
    pub(super) not_usable: Lines,
}

/// A line in the list.
pub(super) struct LineRow {
    pub(super) line: u64,
    pub(super) text: String,
    pub(super) verdict: &'static str,
    /// What the line adds, or why it cannot be counted.
    pub(super) explanation: String,
    /// The card that the line means, or the cards that it may mean.
    pub(super) cards: Vec<String>,
}

/// Lines of one kind.
pub(super) struct Lines {
    pub(super) rows: Vec<LineRow>,
    /// How many more lines there are.
    pub(super) left: Option<String>,
}

impl Reading {
    /// Takes what the page shows of a response. The response may be large and is dropped here.
    pub(super) fn new(games: &Games, read: CollectionImportResponse) -> Self {
        let CollectionImportResponse { import, replaced_game, dialect, totals, lines, .. } = read;
        let replaced_game = replaced_game.map(|game| games.name(&game));
        let replaces = |removes| collection_words::replaces(replaced_game.as_deref(), removes);
        let column = |column: &ColumnResponse| {
            format!("{} ({})", column.heading, collection_words::column(column.meaning))
        };
        Self {
            import,
            totals: collection_words::totals(totals.lines, totals.ok, totals.cards),
            columns: dialect.columns.iter().map(column).collect(),
            ignored: dialect.ignored,
            replaces: totals.removes.map(replaces),
            usable: Lines::new(games, &lines, true),
            not_usable: Lines::new(games, &lines, false),
        }
    }
}

impl Lines {
    /// Lines that can be counted, or lines that cannot.
    fn new(games: &Games, lines: &[ImportLine], are_ok: bool) -> Self {
        let of_kind = || lines.iter().filter(|line| (line.verdict == "ok") == are_ok);
        let rows = of_kind().take(SHOWN).map(|line| LineRow::new(games, line)).collect();
        let left = of_kind().count().saturating_sub(SHOWN);
        Self { rows, left: collection_words::not_shown(left) }
    }
}

impl LineRow {
    fn new(games: &Games, line: &ImportLine) -> Self {
        let explanation = match (line.quantity, line.condition, &line.detail) {
            (Some(quantity), Some(condition), _) => collection_words::counts(quantity, condition),
            (.., Some(fault)) => fault_words::line(fault).into_owned(),
            _ => String::new(),
        };
        let meant = line.card.iter().chain(&line.suggestions);
        Self {
            line: line.line,
            text: line.text.clone(),
            verdict: collection_words::verdict(line.verdict),
            explanation,
            cards: meant.map(|card| meant_card(games, card)).collect(),
        }
    }
}

/// A card or printing that a line means or may mean.
fn meant_card(games: &Games, card: &ChoiceResponse) -> String {
    let place = words::place(&card.set, &card.number);
    let place = match &card.rarity {
        Some(rarity) => words::printing_at(&place, &games.rarity(&card.game, rarity)),
        None => place,
    };
    match &card.name {
        Some(name) => words::printing_at(name, &place),
        None => place,
    }
}
