//! Tables of Markdown below other lines of a list. A table at the beginning of a list is read as any other table.

use std::borrow::Cow;

use super::csv::Columns;
use super::draft::{Content, Draft, DraftLine};
use super::no_cards::is_table_rule;
use super::read_deck::IgnoredReason;
use crate::manifest::Game;

/// What separates the fields of such tables.
const SEPARATOR: char = '|';

/// Reads the lines below the rule of a table whose header names columns, up to the first line without a separator.
pub(super) fn read_tables(draft: &mut Draft<'_>, game: &Game) {
    let mut at = 1;
    while at < draft.lines.len() {
        let Some(columns) = columns_above(&draft.lines, at) else {
            at += 1;
            continue;
        };
        let header = &mut draft.lines[at - 1];
        header.content = Content::Ignored(Columns::header_verdict(&header.text, SEPARATOR));
        draft.lines[at].content = Content::Ignored(IgnoredReason::Decoration);
        at += 1;
        while let Some(line) = draft.lines.get_mut(at)
            && let Cow::Borrowed(text) = line.text
            && text.contains(SEPARATOR)
        {
            line.content = if is_table_rule(text) {
                Content::Ignored(IgnoredReason::Decoration)
            } else {
                columns.entry(text, game)
            };
            at += 1;
        }
    }
}

/// The columns of the table whose header is directly above the line at this position, if the line is the rule of a table.
fn columns_above(lines: &[DraftLine<'_>], at: usize) -> Option<Columns> {
    let (header, rule) = (&lines[at - 1], &lines[at]);
    let is_table = is_table_rule(&rule.text) && header.line + 1 == rule.line;
    is_table.then(|| Columns::separated(&header.text, SEPARATOR)).flatten()
}
