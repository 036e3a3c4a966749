//! How each line of a list was read.

use cardscape_engine::Game;

use super::words as deck_words;
use crate::app::decks::list_reading::{ListReadingResponse, ReadLineResponse};
use crate::web::catalogue::card_path;
use crate::web::rules::{mark, refusal, verdict};
use crate::web::words;

/// How a list was read.
pub(super) struct ReadingView {
    /// The dialect, and the mark by which it was recognised.
    pub(super) dialect: String,
    /// The number of lines that were read without a change.
    pub(super) accepted: String,
    /// The other lines.
    pub(super) rows: Vec<LineRow>,
    /// Whether similar names were not looked up for all unknown names.
    pub(super) lacks_names: bool,
}

/// A line with a message.
pub(super) struct LineRow {
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) status: &'static str,
    pub(super) explanation: String,
    /// Cards that the line may mean, with their places.
    pub(super) candidates: Vec<(String, Option<String>)>,
}

impl ReadingView {
    pub(super) fn new(game: &Game, reading: &ListReadingResponse) -> Self {
        let (accepted, others): (Vec<_>, Vec<_>) =
            reading.lines.iter().partition(|line| line.status == "accepted");
        let dialect = deck_words::dialect(reading.dialect);
        Self {
            dialect: deck_words::read_as(&dialect, reading.mark.map(mark)),
            accepted: deck_words::lines_accepted(accepted.len()),
            rows: others.into_iter().map(|line| row(game, line)).collect(),
            lacks_names: reading.suggestions_left_out > 0,
        }
    }
}

fn row(game: &Game, line: &ReadLineResponse) -> LineRow {
    let candidates = line.candidates.iter().map(|card| {
        let place = card.set.as_ref().zip(card.number.as_ref());
        let path = place.map(|(set, number)| card_path(game.code(), set, number));
        let name = match place {
            Some((set, number)) => words::printing_at(&card.name, &words::place(set, number)),
            None => card.name.clone(),
        };
        (name, path)
    });
    LineRow {
        line: line.line,
        text: line.text.clone(),
        status: deck_words::line_status(line.status),
        explanation: match &line.refusal {
            Some(why) => refusal(why),
            None => verdict(&line.verdict, Some(game)),
        },
        candidates: candidates.collect(),
    }
}
