//! SQL of our own text, prepared once on each connection and kept: the one way to run it.
//!
//! diesel prepares such a statement anew at each use, because it cannot know how many texts there are: a second trip to the database, and
//! parsing and planning, which often takes longer than the work. Here each text is known to be one of few, so diesel keeps it
//! under its text and the types of its parameters, as it does with what it composes itself.
//!
//! What is kept is bounded three times, since each kept plan costs Postgres memory on each connection: texts that are written in this program
//! are as many as there are; of those that are put together at run time only so many are kept ([`Room`]); and a connection that has
//! gathered more than [`MOST_ON_A_CONNECTION`] forgets all of them when it is used next (`session.rs`).
//!
//! A kept statement is planned for its values five times, then Postgres compares: when a plan for any values promises to be as good, it
//! is taken from then on. Statements for which that promise is wrong say so with [`Statement::plan_each_time`], and why.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{PoisonError, RwLock};

use diesel::QueryResult;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, BoxedSqlQuery, Query, QueryFragment, QueryId, SqlQuery};
use diesel::serialize::ToSql;
use diesel::sql_types::{HasSqlType, Untyped};

/// Most statements that a connection may have kept, those that diesel composes included. The program has about three hundred; one costs Postgres
/// 10 to 100 KiB.
pub(super) const MOST_ON_A_CONNECTION: usize = 400;

/// Texts put together from constants of this program: there are a few dozen. A bound for the case that one turns out to be composed of more.
static COMPOSED: Room = Room::of(128);

/// Texts that searches put together: whoever asks decides how many there are.
static REQUESTED: Room = Room::of(64);

/// Texts that the filters of an account's own lists put together: a few dozen of those that there could be are ever asked for. Searches must not take
/// their room.
static FILTERED: Room = Room::of(128);

/// Room for texts: those are kept that came first.
struct Room {
    most: usize,
    hashes: RwLock<BTreeSet<u64>>,
}

impl Room {
    const fn of(most: usize) -> Self {
        Self { most, hashes: RwLock::new(BTreeSet::new()) }
    }

    /// Whether the text with that hash has room, or had when it came first.
    fn keeps(&self, hash: u64) -> bool {
        let hashes = self.hashes.read().unwrap_or_else(PoisonError::into_inner);
        if hashes.contains(&hash) || hashes.len() >= self.most {
            return hashes.contains(&hash);
        }
        drop(hashes);
        let mut hashes = self.hashes.write().unwrap_or_else(PoisonError::into_inner);
        hashes.len() < self.most && hashes.insert(hash) || hashes.contains(&hash)
    }
}

/// A statement with its parameters, and whether its plan is kept.
#[must_use = "it runs when it is loaded or executed"]
pub(in crate::store) struct Statement<'a> {
    query: BoxedSqlQuery<'a, Pg, SqlQuery>,
    /// Of the text, where it is put together.
    hasher: DefaultHasher,
    keep: bool,
}

/// A statement of a text that is made of constants of this program, never of what a request says; its parameters are written `$1`, `$2` ….
pub(in crate::store) fn sql<'a>(text: impl Into<Cow<'static, str>>) -> Statement<'a> {
    let mut hasher = DefaultHasher::new();
    let (text, keep) = match text.into() {
        Cow::Borrowed(text) => (text.to_owned(), true),
        Cow::Owned(text) => {
            text.hash(&mut hasher);
            let keep = COMPOSED.keeps(hasher.finish());
            (text, keep)
        }
    };
    Statement { query: diesel::sql_query(text).into_boxed(), hasher, keep }
}

impl<'a> Statement<'a> {
    /// Adds text, which is made of constants of this program, too.
    pub(in crate::store) fn push(mut self, text: &str) -> Self {
        text.hash(&mut self.hasher);
        self.query = self.query.sql(text);
        self
    }

    /// Gives the next parameter its value.
    pub(in crate::store) fn bind<T, V>(mut self, value: V) -> Self
    where
        T: Send + 'a,
        Pg: HasSqlType<T>,
        V: ToSql<T, Pg> + Send + 'a,
    {
        self.query = self.query.bind::<T, V>(value);
        self
    }

    /// Notes that a search decided which pieces it is made of: kept if it is among the first such texts that came.
    pub(in crate::store) fn requested(mut self) -> Self {
        self.keep = REQUESTED.keeps(self.hasher.finish());
        self
    }

    /// Notes that the filters of an account's own list decided which pieces it is made of: kept if it is among the first such texts that came.
    pub(in crate::store) fn filtered(mut self) -> Self {
        self.keep = FILTERED.keeps(self.hasher.finish());
        self
    }

    /// The same, prepared and planned at each use: `_reason` says why no plan that is kept would do.
    pub(in crate::store) fn plan_each_time(mut self, _reason: &'static str) -> Self {
        self.keep = false;
        self
    }
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
    fn only_so_many_texts_are_kept_and_the_first_stay() {
        let room = Room::of(64);
        let kept = |room: &Room| (0..1_000).filter(|hash| room.keeps(*hash)).count();
        assert_eq!(kept(&room), 64);
        assert_eq!(kept(&room), 64);
        assert!(room.keeps(0) && !room.keeps(999));
    }

    #[test]
    fn what_requests_put_together_takes_no_room_from_the_rest() {
        let requested = |number: u32| sql("").push(&format!("SELECT {number}")).requested();
        let kept = (0..1_000).filter(|number| requested(*number).keep).count();
        assert!(kept <= REQUESTED.most, "{kept}");
        assert!(sql(String::from("SELECT 'a text of constants'")).keep);
        assert!(sql("SELECT 1").keep);
        assert!(!sql("SELECT 1").plan_each_time("a test").keep);
    }
}
