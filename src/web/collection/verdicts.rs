//! What a file was read as, from the answer of the API.

use serde::Deserialize;
use uuid::Uuid;

use super::words as collection_words;
use crate::web::copies::Games;
use crate::web::words;

/// Lines of each kind that are shown one by one. A file may have fifty thousand.
const SHOWN: usize = 500;

/// What a file was read as.
#[derive(Deserialize)]
pub(super) struct Reading {
    pub(super) import: Uuid,
    pub(super) mode: String,
    pub(super) dialect: Dialect,
    pub(super) totals: Totals,
    lines: Vec<Line>,
}

#[derive(Deserialize)]
pub(super) struct Dialect {
    pub(super) columns: Vec<Column>,
    pub(super) ignored: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct Column {
    pub(super) heading: String,
    pub(super) meaning: String,
}

#[derive(Deserialize)]
pub(super) struct Totals {
    pub(super) lines: usize,
    pub(super) ok: usize,
    pub(super) cards: i64,
}

#[derive(Deserialize)]
struct Line {
    line: u64,
    text: String,
    verdict: String,
    quantity: Option<i32>,
    condition: Option<String>,
    card: Option<Meant>,
    detail: Option<String>,
    #[serde(default)]
    suggestions: Vec<Meant>,
}

#[derive(Deserialize)]
struct Meant {
    game: String,
    set: String,
    number: String,
    name: Option<String>,
    rarity: Option<String>,
}

impl Meant {
    fn text(&self, games: &Games) -> String {
        let place = words::place(&self.set, &self.number);
        let place = match &self.rarity {
            Some(rarity) => words::printing_at(&place, &games.rarity(&self.game, rarity)),
            None => place,
        };
        match &self.name {
            Some(name) => words::printing_at(name, &place),
            None => place,
        }
    }
}

/// A line as the page shows it.
pub(super) struct LineRow {
    pub(super) line: u64,
    pub(super) text: String,
    pub(super) verdict: &'static str,
    /// What it counts, or why it cannot be counted.
    pub(super) told: String,
    /// What it means, or what it may mean.
    pub(super) cards: Vec<String>,
}

/// Lines of one kind.
pub(super) struct Lines {
    pub(super) rows: Vec<LineRow>,
    /// How many more there are.
    pub(super) left: Option<String>,
}

impl Reading {
    /// Lines that can be counted, or those that cannot.
    pub(super) fn lines(&self, games: &Games, are_ok: bool) -> Lines {
        let of_kind = || self.lines.iter().filter(|line| (line.verdict == "ok") == are_ok);
        let rows = of_kind().take(SHOWN).map(|line| line.row(games)).collect();
        let left = of_kind().count().saturating_sub(SHOWN);
        Lines { rows, left: collection_words::not_shown(left) }
    }

    /// The columns that were read.
    pub(super) fn columns(&self) -> Vec<String> {
        let column = |column: &Column| {
            format!("{} ({})", column.heading, words::titled(&column.meaning).to_lowercase())
        };
        self.dialect.columns.iter().map(column).collect()
    }
}

impl Line {
    fn row(&self, games: &Games) -> LineRow {
        let told = match (self.quantity, &self.condition, &self.detail) {
            (Some(quantity), Some(condition), _) => collection_words::counts(quantity, condition),
            (.., Some(detail)) => words::sentence(detail),
            _ => String::new(),
        };
        LineRow {
            line: self.line,
            text: self.text.clone(),
            verdict: collection_words::verdict(&self.verdict),
            told,
            cards: self.card.iter().chain(&self.suggestions).map(|card| card.text(games)).collect(),
        }
    }
}
