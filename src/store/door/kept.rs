//! Statements of our own text that are prepared once for each connection and kept.
//!
//! diesel prepares such a statement anew each time, because it cannot know how many texts there are: that costs a second
//! trip to the database, and the planning of three joins. Which of ours are worth keeping is said here.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

use diesel::QueryResult;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, BoxedSqlQuery, Query, QueryFragment, QueryId, SqlQuery};
use diesel::sql_types::Untyped;

/// Most texts, of those that requests put together, that are kept. Each costs Postgres memory for each connection, and whoever
/// asks decides how many there are.
const MOST_SHAPES: usize = 64;

/// Hashes of the texts that are kept: those that came first.
static SHAPES: RwLock<BTreeSet<u64>> = RwLock::new(BTreeSet::new());

/// A statement with its parameters, and whether to keep it prepared.
pub(super) struct Statement<'a> {
    query: BoxedSqlQuery<'a, Pg, SqlQuery>,
    keep: bool,
}

impl<'a> Statement<'a> {
    /// One of few texts, known when this was written.
    pub(super) fn kept(query: BoxedSqlQuery<'a, Pg, SqlQuery>) -> Self {
        Self { query, keep: true }
    }

    /// A text with that hash, which a request put together: kept when it is among the first that came.
    pub(super) fn kept_while_there_is_room(
        query: BoxedSqlQuery<'a, Pg, SqlQuery>,
        hash: u64,
    ) -> Self {
        Self { query, keep: has_room(hash) }
    }

    /// One whose plan depends on its parameters.
    pub(super) fn planned_each_time(query: BoxedSqlQuery<'a, Pg, SqlQuery>) -> Self {
        Self { query, keep: false }
    }
}

fn has_room(hash: u64) -> bool {
    let shapes = SHAPES.read().unwrap_or_else(PoisonError::into_inner);
    if shapes.contains(&hash) || shapes.len() >= MOST_SHAPES {
        return shapes.contains(&hash);
    }
    drop(shapes);
    let mut shapes = SHAPES.write().unwrap_or_else(PoisonError::into_inner);
    shapes.len() < MOST_SHAPES && shapes.insert(hash) || shapes.contains(&hash)
}

impl QueryFragment<Pg> for Statement<'_> {
    fn walk_ast<'b>(&'b self, pass: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.query.walk_ast(pass)
    }

    fn is_safe_to_cache_prepared(&self, _: &Pg) -> QueryResult<bool> {
        Ok(self.keep)
    }
}

impl Query for Statement<'_> {
    type SqlType = Untyped;
}

impl QueryId for Statement<'_> {
    type QueryId = ();

    // The cache goes by the text.
    const HAS_STATIC_QUERY_ID: bool = false;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_so_many_texts_are_kept() {
        let kept = (0..1_000_u64).filter(|hash| has_room(*hash)).count();
        assert!(kept <= MOST_SHAPES, "{kept}");
        let again = (0..1_000_u64).filter(|hash| has_room(*hash)).count();
        assert_eq!(again, kept, "the first stay");
    }
}
