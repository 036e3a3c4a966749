//! SQL statements with named parameters, prepared once per connection and cached. All raw SQL runs through this module.
//!
//! A text names its parameters, `$account`, and [`Statement::bind`] gives each its value by that name: there is no
//! counting, and a name may occur several times. Where a text is composed from pieces, [`Statement::value`] adds a
//! parameter in its place. A parameter without a value, or a value without a parameter, is an error whenever the
//! statement runs.
//!
//! Diesel prepares such a statement again for each use, because it cannot know how many texts there are: this costs a
//! second round trip, and parsing and planning, which often take longer than the execution. Here each text is known to
//! be one of few, so diesel caches it under its text and the types of its parameters, like the statements that it
//! composes itself.
//!
//! The number of cached statements is limited, because each takes memory of Postgres on each connection. Texts that are
//! constants of this program are all cached; of those composed at run time, only a limited number are cached, the first
//! ones ([`Cache`]); and a connection with more than [`MOST_ON_A_CONNECTION`] statements closes all of them at its next
//! use (`session.rs`).
//!
//! Postgres plans a prepared statement for its values five times (custom plans), and then compares costs: if a plan for
//! any values (a generic plan) is estimated to be as good, it uses that one from then on. Statements for which this
//! estimate is wrong call [`Statement::custom_plan`] with the reason.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::sync::{Once, OnceLock, PoisonError, RwLock};

use diesel::QueryResult;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, BoxedSqlQuery, Query, QueryFragment, QueryId, SqlQuery};
use diesel::result::Error as DieselError;
use diesel::serialize::ToSql;
use diesel::sql_types::{Array, HasSqlType, Untyped};
use diesel_async::SimpleAsyncConnection as _;

use super::codecs::SqlValue;
use crate::store::{Connection, StoreResult};

/// Most statements that a connection may cache, including those composed by diesel. About 350 texts are constants, diesel
/// composes some hundreds, and the caches below have their limits. Few connections use the rarest of them; Postgres
/// needs 10 to 100 KiB for each.
pub(super) const MOST_ON_A_CONNECTION: usize = 800;

/// Texts composed from constants of this program: a hundred places, half of them with variants. The limit guards against
/// a text with unexpectedly many variants.
static COMPOSED: Cache = Cache::of_program(256);

/// Texts that depend on the search query: clients decide how many there are.
static SEARCHES: Cache = Cache::of_requests(64);

/// Texts that depend on the filters of lists (own ones, those of moderators, the gallery, public decks): only some dozens
/// of the possible ones of each are used. Separate from searches, which would fill the cache.
static FILTERS: Cache = Cache::of_requests(256);

/// Limits which texts of a family are cached: the first ones, up to a number.
struct Cache {
    most: usize,
    /// Whether requests determine the texts. If not, a full cache is a fault of the program, which is logged.
    of_requests: bool,
    hashes: RwLock<BTreeSet<u64>>,
    warned: Once,
}

impl Cache {
    const fn of_program(most: usize) -> Self {
        Self::of(most, false)
    }

    const fn of_requests(most: usize) -> Self {
        Self::of(most, true)
    }

    const fn of(most: usize, of_requests: bool) -> Self {
        Self { most, of_requests, warned: Once::new(), hashes: RwLock::new(BTreeSet::new()) }
    }

    /// Whether the text is cached: it already was, or there is room.
    fn admits(&self, text: &str) -> bool {
        let is_admitted = self.contains_or_inserts(text);
        if !is_admitted && !self.of_requests {
            self.warned.call_once(|| {
                tracing::warn!(
                    limit = self.most,
                    "there are more composed statements than are kept prepared: the others are planned at each use"
                );
            });
        }
        is_admitted
    }

    fn contains_or_inserts(&self, text: &str) -> bool {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(text);
        let hashes = self.hashes.read().unwrap_or_else(PoisonError::into_inner);
        if hashes.contains(&hash) || hashes.len() >= self.most {
            return hashes.contains(&hash);
        }
        drop(hashes);
        let mut hashes = self.hashes.write().unwrap_or_else(PoisonError::into_inner);
        hashes.len() < self.most && hashes.insert(hash) || hashes.contains(&hash)
    }
}

/// Whether a statement stays prepared.
#[derive(Clone, Copy)]
enum Caching {
    /// Always: its text is one of few.
    Always,
    /// If the cache of its family has room.
    In(&'static Cache),
    /// Never: it is planned for its values at each use.
    Never,
}

/// Runs commands without parameters and results: settings and locks of a transaction. They are not prepared.
pub(in crate::store) async fn run_commands(
    conn: &mut Connection,
    commands: &'static str,
) -> StoreResult<()> {
    Ok(conn.batch_execute(commands).await?)
}

/// A statement with its parameters.
#[must_use = "it runs when it is loaded or executed"]
pub(in crate::store) struct Statement<'a> {
    text: String,
    /// Names of the parameters in the order of their values; those that [`Self::value`] added have none.
    names: Vec<&'static str>,
    /// The values; its text is empty.
    values: BoxedSqlQuery<'a, Pg, SqlQuery>,
    caching: Caching,
    /// The text with numbers in place of names, created when the statement first runs.
    numbered: OnceLock<String>,
}

/// A statement whose text consists of constants of this program, never of request data.
pub(in crate::store) fn sql<'a>(text: impl Into<Cow<'static, str>>) -> Statement<'a> {
    let (text, caching) = match text.into() {
        Cow::Borrowed(text) => (text.to_owned(), Caching::Always),
        Cow::Owned(text) => (text, Caching::In(&COMPOSED)),
    };
    Statement {
        text,
        names: Vec::new(),
        values: diesel::sql_query("").into_boxed(),
        caching,
        numbered: OnceLock::new(),
    }
}

impl<'a> Statement<'a> {
    /// Appends text, which must consist of constants of this program, too.
    pub(in crate::store) fn push(mut self, text: &str) -> Self {
        self.text.push_str(text);
        self
    }

    /// Puts text around the statement, which must consist of constants of this program, too.
    pub(in crate::store) fn within(mut self, before: &str, after: &str) -> Self {
        self.text.insert_str(0, before);
        self.push(after)
    }

    /// Sets the value of the parameter `$name`.
    pub(in crate::store) fn bind<V>(self, name: &'static str, value: V) -> Self
    where
        V: SqlValue + ToSql<V::SqlType, Pg> + Send + 'a,
        V::SqlType: Send + 'a,
        Pg: HasSqlType<V::SqlType>,
    {
        self.bind_as::<V::SqlType, V>(name, value)
    }

    /// Like [`Self::bind`], for a value that could have several SQL types.
    pub(in crate::store) fn bind_as<T, V>(mut self, name: &'static str, value: V) -> Self
    where
        T: Send + 'a,
        Pg: HasSqlType<T>,
        V: ToSql<T, Pg> + Send + 'a,
    {
        self.names.push(name);
        self.values = self.values.bind::<T, V>(value);
        self
    }

    /// Sets the value of the parameter `$name` if there is one. If there is none, the text must not contain that
    /// parameter.
    pub(in crate::store) fn bind_some<V>(self, name: &'static str, value: Option<V>) -> Self
    where
        V: SqlValue + ToSql<V::SqlType, Pg> + Send + 'a,
        V::SqlType: Send + 'a,
        Pg: HasSqlType<V::SqlType>,
    {
        match value {
            Some(value) => self.bind(name, value),
            None => self,
        }
    }

    /// Appends a parameter to the text.
    pub(in crate::store) fn value<V>(mut self, value: V) -> Self
    where
        V: SqlValue + ToSql<V::SqlType, Pg> + Send + 'a,
        V::SqlType: Send + 'a,
        Pg: HasSqlType<V::SqlType>,
    {
        self.text.push_str(&format!("${}", self.names.len() + 1));
        self.bind("", value)
    }

    /// Appends `ANY(…)` of these values to the text.
    ///
    /// The values are in a sub-select, so that they are not constants when Postgres plans. Otherwise it would always
    /// choose custom plans, because it estimates a plan for these few values as cheaper than one for the ten values
    /// that it expects in any list.
    pub(in crate::store) fn any<T, V>(self, values: V) -> Self
    where
        T: Send + 'static,
        V: SqlValue<SqlType = Array<T>> + ToSql<Array<T>, Pg> + Send + 'a,
        Pg: HasSqlType<Array<T>>,
    {
        self.push("ANY(ARRAY(SELECT unnest(").value(values).push(")))")
    }

    /// Marks the text as dependent on the search query: cached if it is among the first such texts.
    pub(in crate::store) fn varies_with_search(self) -> Self {
        self.cached_in(&SEARCHES)
    }

    /// Marks the text as dependent on the filters of a list: cached if it is among the first such texts.
    pub(in crate::store) fn varies_with_filters(self) -> Self {
        self.cached_in(&FILTERS)
    }

    fn cached_in(mut self, cache: &'static Cache) -> Self {
        if !matches!(self.caching, Caching::Never) {
            self.caching = Caching::In(cache);
        }
        self
    }

    /// Makes Postgres plan the statement for its values at each use; `_reason` says why a generic plan would be bad.
    pub(in crate::store) fn custom_plan(mut self, _reason: &'static str) -> Self {
        self.caching = Caching::Never;
        self
    }

    fn is_kept(&self) -> bool {
        match self.caching {
            Caching::Always => true,
            Caching::In(cache) => cache.admits(&self.text),
            Caching::Never => false,
        }
    }

    /// The text for Postgres, with `$1`, `$2` … instead of names.
    fn numbered(&self) -> QueryResult<&str> {
        if let Some(numbered) = self.numbered.get() {
            return Ok(numbered);
        }
        let numbered = number_parameters(&self.text, &self.names)?;
        Ok(self.numbered.get_or_init(|| numbered))
    }
}

/// A statement composed by diesel that stays prepared; see [`CachePrepared`].
#[must_use = "it runs when it is loaded or executed"]
pub(in crate::store) struct Cached<Q>(Q);

/// Keeps a statement prepared that diesel itself would prepare at each use: every UPDATE, an upsert, an INSERT of several
/// rows. Its text must be one of few, so that lists are bound as arrays, and the number of rows is constant.
pub(in crate::store) trait CachePrepared: QueryFragment<Pg> + Sized {
    /// The statement, prepared once on each connection.
    fn cached(self) -> Cached<Self> {
        Cached(self)
    }
}

impl<Q: QueryFragment<Pg>> CachePrepared for Q {}

impl<Q: QueryFragment<Pg>> QueryFragment<Pg> for Cached<Q> {
    fn walk_ast<'b>(&'b self, pass: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.0.walk_ast(pass)
    }

    fn is_safe_to_cache_prepared(&self, _: &Pg) -> QueryResult<bool> {
        Ok(true)
    }
}

impl<Q: Query> Query for Cached<Q> {
    type SqlType = Q::SqlType;
}

impl<Q> QueryId for Cached<Q> {
    type QueryId = ();

    // Diesel must use the text as the key of its cache: one type of statement may have several texts.
    const HAS_STATIC_QUERY_ID: bool = false;
}

/// Replaces the names of parameters by numbers.
pub(in crate::store) fn number_parameters(text: &str, names: &[&str]) -> QueryResult<String> {
    let error = |what: String| Err(DieselError::QueryBuilderError(what.into()));
    let mut numbered = String::with_capacity(text.len());
    let mut is_used: Vec<bool> = names.iter().map(|name| name.is_empty()).collect();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, after) = rest.split_at(at + 1);
        numbered.push_str(before);
        let length = name_length(after);
        let (name, after) = after.split_at(length);
        rest = after;
        if name.is_empty() {
            continue;
        }
        let Some(place) = names.iter().position(|known| *known == name) else {
            return error(format!("the parameter ${name} has no value: {text}"));
        };
        is_used[place] = true;
        numbered.push_str(&(place + 1).to_string());
    }
    numbered.push_str(rest);
    match is_used.iter().position(|used| !used) {
        Some(place) => error(format!("there is no parameter ${}: {text}", names[place])),
        None => Ok(numbered),
    }
}

/// Length of the name at the beginning of the text, in bytes. Names do not begin with a digit.
fn name_length(text: &str) -> usize {
    let is_of_name = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    if !text.bytes().next().is_some_and(is_of_name) {
        return 0;
    }
    let end = text.bytes().position(|byte| !is_of_name(byte) && !byte.is_ascii_digit());
    end.unwrap_or(text.len())
}

impl QueryFragment<Pg> for Statement<'_> {
    fn walk_ast<'b>(&'b self, mut pass: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        pass.push_sql(self.numbered()?);
        self.values.walk_ast(pass)
    }

    fn is_safe_to_cache_prepared(&self, _: &Pg) -> QueryResult<bool> {
        Ok(self.is_kept())
    }
}

impl Query for Statement<'_> {
    type SqlType = Untyped;
}

impl QueryId for Statement<'_> {
    type QueryId = ();

    // Diesel must use the text as the key of its cache.
    const HAS_STATIC_QUERY_ID: bool = false;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_texts_are_cached_up_to_the_limit() {
        let cache = Cache::of_requests(64);
        let cached = |cache: &Cache| (0..1_000).filter(|n| cache.admits(&n.to_string())).count();
        assert_eq!(cached(&cache), 64);
        assert_eq!(cached(&cache), 64);
        assert!(cache.admits("0") && !cache.admits("999"));
    }

    #[test]
    fn only_a_full_cache_of_texts_of_the_program_is_logged() {
        let (program, requests) = (Cache::of_program(2), Cache::of_requests(2));
        assert!(["a", "b"].iter().all(|text| program.admits(text) && requests.admits(text)));
        assert!(!program.warned.is_completed());
        assert!(!program.admits("c") && !requests.admits("c"));
        assert!(program.warned.is_completed() && !requests.warned.is_completed());
    }

    #[test]
    fn search_texts_do_not_fill_the_caches_of_others() {
        let search = |number: u32| sql("").push(&format!("SELECT {number}")).varies_with_search();
        let cached = (0..1_000).filter(|number| search(*number).is_kept()).count();
        assert!(cached <= SEARCHES.most, "{cached}");
        assert!(sql(String::from("SELECT 'a text of constants'")).is_kept());
        assert!(sql("SELECT 1").is_kept());
        let planned = sql("SELECT 1").custom_plan("a test");
        assert!(
            !planned.is_kept()
                && !sql("SELECT 1").custom_plan("a test").varies_with_search().is_kept()
        );
    }

    #[test]
    fn names_become_the_numbers_of_their_values() {
        let statement = sql("SELECT $b, $a_2, $b::text, '$.x', '$' || $")
            .bind("a_2", 1_i32)
            .bind("b", "text")
            .push(", ")
            .value(true);
        assert_eq!(statement.numbered().unwrap(), "SELECT $2, $1, $2::text, '$.x', '$' || $, $3");
        let without_value = sql("SELECT $a, $b").bind("a", 1_i32);
        assert!(without_value.numbered().unwrap_err().to_string().contains("$b has no value"));
        let without_parameter = sql("SELECT $a").bind("a", 1_i32).bind("b", 1_i32);
        assert!(without_parameter.numbered().unwrap_err().to_string().contains("no parameter $b"));
    }
}
