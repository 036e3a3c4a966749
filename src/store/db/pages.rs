//! Pages of lists whose order an index gives.

use super::statement::Statement;

/// Most rows that are read for a page: those of the largest page, and one more that shows whether there is a next one.
pub const MAX_PAGE_ROWS: i64 = 201;

/// Adds order and limit to a statement that has neither. `order` names columns of its result.
///
/// A prepared statement is planned without the values of its parameters. For `LIMIT $1`, Postgres then expects a tenth of
/// all rows. The plan for so many rows is so costly that Postgres plans the statement again for each value, or it reads
/// everything with several processes. The constant limit inside shows how few rows are read. Both limits have the same
/// order, so nothing is sorted for the second one.
pub(in crate::store) fn push_page<'a>(
    statement: Statement<'a>,
    order: &str,
    limit: i64,
) -> Statement<'a> {
    push_first(statement, order, MAX_PAGE_ROWS, limit)
}

/// Like [`push_page`], for lists of which up to `most` rows are read at once. `most` becomes a part of the text, so it must
/// be a constant of this program.
pub(in crate::store) fn push_first<'a>(
    statement: Statement<'a>,
    order: &str,
    most: i64,
    limit: i64,
) -> Statement<'a> {
    debug_assert!(limit <= most, "{limit} rows of a list that gives {most}");
    let ordered = format!(" ORDER BY {order} LIMIT ");
    let limited = format!("{ordered}{most}) AS page{ordered}");
    statement.within("SELECT * FROM (", &limited).value(limit)
}
