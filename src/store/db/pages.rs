//! Pages of lists whose order an index gives.

use super::statement::Statement;

/// Most rows that are read for a page: those of the largest page, and one more that shows whether there is a next one.
pub const MAX_PAGE_ROWS: i64 = 201;

/// Ends a statement that begins with `SELECT * FROM (` and already has its order; `order` is the same order, by the columns
/// of `page`.
///
/// A prepared statement is planned without the values of its parameters. For `LIMIT $1`, Postgres then expects a tenth of
/// all rows. The plan for so many rows is so costly that Postgres plans the statement again for each value, or it reads
/// everything with several processes. The constant limit inside shows how few rows are read.
pub(in crate::store) fn push_page<'a>(
    statement: Statement<'a>,
    order: &str,
    limit: i64,
) -> Statement<'a> {
    let limited = format!(" LIMIT {MAX_PAGE_ROWS}) AS page ORDER BY {order} LIMIT ");
    statement.push(&limited).value(limit)
}
