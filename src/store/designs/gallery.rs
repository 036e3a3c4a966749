//! The gallery: public designs, filtered by fields and by the query language, sorted in one of its orders, and counted.
//!
//! Designs of banned authors are left out. Each order and each filter has an index; equality conditions use the terms
//! in `design_search`.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use diesel_async::RunQueryDsl;

use super::EVERYBODY_SEES;
use super::design_lifecycle::COLUMNS;
use super::design_lists::{LISTED, ListedDesign};
use crate::domain::designs::content::DesignNamePart;
use crate::domain::designs::gallery::GallerySort;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::searchable::exact_terms;
use crate::domain::designs::status::DesignStatus;
use crate::domain::text::AccountName;
use crate::search::{DesignTest, KnownTest, Predicate};
use crate::store::conditions::{Conditions, Rows, push_comparison};
use crate::store::db::like::escape_like;
use crate::store::db::pages::push_page;
use crate::store::db::statement::{Statement, sql};
use crate::store::indexed_words::{LEXEMES, required_words};
use crate::store::{Connection, StoreResult};

/// Filter of designs.
#[derive(Clone, Debug)]
pub struct GalleryFilter<'a> {
    /// Code of a game.
    pub game: Option<&'a str>,
    /// Code of a kind.
    pub kind: Option<&'a str>,
    pub status: Option<DesignStatus>,
    /// Key of an author's name.
    pub author: Option<&'a str>,
    pub name: Option<&'a DesignNamePart>,
    /// The condition of the query.
    pub predicate: &'a Predicate,
    /// Its costly tests run on at most this many designs: those that were shared last among the designs that pass all
    /// other tests.
    pub max_candidates: i64,
}

#[derive(Clone, Debug, QueryableByName)]
pub struct GalleryDesign {
    /// The design itself.
    #[diesel(embed)]
    pub listed: ListedDesign,
    #[diesel(sql_type = Text)]
    pub name_key: String,
    /// The same without accents, by which lists are sorted; empty in lists of another order.
    #[diesel(sql_type = Text)]
    pub folded_name: String,
}

/// The position of a design in an order of the gallery, besides its time of sharing and its identifier.
#[derive(Clone, Debug, PartialEq)]
pub enum GalleryKey {
    /// By time of sharing.
    New,
    /// By rating in hundredths of a point, and number of ratings.
    Rating(i32, i64),
    /// By number of comments.
    Comments(i64),
    /// By name without accents.
    Name(String),
}

/// The position after which a page begins.
#[derive(Clone, Debug, PartialEq)]
pub struct GalleryPosition {
    /// The sort key of the design.
    pub key: GalleryKey,
    /// When it was shared.
    pub shared_at: DateTime<Utc>,
    /// Its identifier.
    pub code: DesignCode,
}

impl GalleryFilter<'_> {
    /// Words in the form of `tsquery`, for [`list_with_words`]: the designs of the list have each of these. The rarest are
    /// probably first.
    pub fn required_words(&self) -> Vec<String> {
        // Costly tests run on some of the designs that pass all others, so all of them must be found first.
        if self.predicate.is_costly() { Vec::new() } else { required_words(self.predicate) }
    }
}

impl GalleryDesign {
    /// The position of the design in a list.
    pub fn position(&self, sort: GallerySort) -> GalleryPosition {
        let Self { listed, folded_name, .. } = self;
        let key = match sort {
            GallerySort::New => GalleryKey::New,
            GallerySort::Rating => {
                GalleryKey::Rating(listed.design.rating, listed.design.rating_count)
            }
            GallerySort::Comments => GalleryKey::Comments(listed.design.comment_count),
            GallerySort::Name => GalleryKey::Name(folded_name.clone()),
        };
        let shared_at = listed.design.shared_at.unwrap_or_default();
        GalleryPosition { key, shared_at, code: listed.design.code }
    }
}

/// The rows of designs, for conditions. Every listed design is visible.
const DESIGNS: Rows = Rows {
    is_visible: "content.design_id IS NOT NULL",
    game: "d.game_code",
    printings: "jsonb_to_recordset(content.printings) AS own (attributes jsonb) WHERE true",
    rarities: "jsonb_to_recordset(content.printings) AS p (rarity text) WHERE true",
    has_lore: "content.has_lore",
    year: "NULL::bigint",
    released_on: "NULL::date",
    terms: exact_terms,
    known: push_known_test,
};

const OF_MANY: Conditions<'_> = Conditions { rows: &DESIGNS, of_printings: false, of_few: false };
const OF_FEW: Conditions<'_> = Conditions { rows: &DESIGNS, of_printings: false, of_few: true };

fn push_known_test<'a>(sql: Statement<'a>, test: &KnownTest) -> Statement<'a> {
    match test {
        KnownTest::Game(code) => sql.push("d.game_code = ").value(code.clone()),
        KnownTest::Design(DesignTest::Author(name)) => match AccountName::parse(name) {
            Ok(name) => sql
                .push("d.account_id = (SELECT id FROM accounts WHERE name_key = ")
                .value(name.key().to_owned())
                .push(")"),
            // No account has such a name.
            Err(_) => sql.push("false"),
        },
        KnownTest::Design(DesignTest::Status(status)) => {
            sql.push("d.status = ").value(status.clone())
        }
        KnownTest::Design(DesignTest::Rating(wanted)) => {
            push_comparison(sql.push("d.rating_count > 0 AND d.rating"), *wanted)
        }
        KnownTest::Design(DesignTest::Comments(wanted)) => {
            push_comparison(sql.push("d.comment_count"), *wanted)
        }
        // Designs belong to no set, and are never hidden.
        KnownTest::Set(_)
        | KnownTest::Number(_)
        | KnownTest::NumberValue(_)
        | KnownTest::Hidden
        | KnownTest::Unlocked
        | KnownTest::UnlockedOn(_)
        | KnownTest::Submissions(_) => sql.push("false"),
    }
}

/// Adds ` FROM … WHERE …`: the designs that match.
fn push_source<'a>(sql: Statement<'a>, filter: &GalleryFilter<'a>) -> Statement<'a> {
    let sql = push_designs(sql.push(" FROM "), filter.predicate);
    let sql = if filter.predicate.is_costly() {
        let sql = push_candidates(sql.push(" JOIN ("), filter, filter.max_candidates);
        sql.push(") candidates ON candidates.id = d.id")
    } else {
        sql
    };
    push_where(sql, filter, filter.predicate, &OF_MANY)
}

/// Adds the designs with their authors, and with their content if the condition needs it.
fn push_designs<'a>(sql: Statement<'a>, predicate: &Predicate) -> Statement<'a> {
    let sql = sql.push("designs d JOIN accounts a ON a.id = d.account_id");
    if !predicate.asks_for_content() {
        return sql;
    }
    sql.push(
        " JOIN design_search content ON content.design_id = d.id AND d.searched_revision >= d.revision",
    )
}

fn push_where<'a>(
    sql: Statement<'a>,
    filter: &GalleryFilter<'a>,
    predicate: &Predicate,
    conditions: &Conditions<'_>,
) -> Statement<'a> {
    let mut sql = sql.push(" WHERE ").push(EVERYBODY_SEES);
    if let Some(game) = filter.game {
        sql = sql.push(" AND d.game_code = ").value(game);
    }
    if let Some(kind) = filter.kind {
        sql = sql.push(" AND d.kind = ").value(kind);
    }
    if let Some(status) = filter.status {
        sql = sql.push(" AND d.status = ").value(status);
    }
    if let Some(author) = filter.author {
        sql = sql
            .push(" AND d.account_id = (SELECT id FROM accounts WHERE name_key = ")
            .value(author)
            .push(")");
    }
    if let Some(name) = filter.name {
        let pattern = format!("%{}%", escape_like(name.key()));
        sql = sql.push(" AND d.name_key LIKE ").value(pattern);
    }
    if *predicate == Predicate::always() {
        return sql;
    }
    conditions.predicate(sql.push(" AND "), predicate)
}

/// Adds a query for the ids of the designs that costly tests run on: the last `max` that pass all other tests.
fn push_candidates<'a>(sql: Statement<'a>, filter: &GalleryFilter<'a>, max: i64) -> Statement<'a> {
    let cheap = filter.predicate.conjuncts_that(&|part| !part.is_costly());
    let sql = push_designs(sql.push("SELECT d.id FROM "), filter.predicate);
    push_where(sql, filter, &cheap, &OF_MANY)
        .push(" ORDER BY d.shared_at DESC, d.code DESC LIMIT ")
        .value(max)
}

/// Lists designs in an order, after a position.
pub async fn list(
    conn: &mut Connection,
    filter: &GalleryFilter<'_>,
    sort: GallerySort,
    after: Option<&GalleryPosition>,
    limit: i64,
) -> StoreResult<Vec<GalleryDesign>> {
    let is_search = *filter.predicate != Predicate::always();
    let statement = push_after(push_source(sql(selected(sort)), filter), sort, after);
    // Which plan is good for a search depends on its values.
    let statement = if is_search {
        let statement = statement.push(" ORDER BY ").push(order_of(sort));
        statement.push(" LIMIT ").value(limit).varies_with_search()
    } else {
        push_page(statement, order_of(sort), limit).varies_with_filters()
    };
    Ok(statement.load(conn).await?)
}

/// Most designs with certain words that [`list_with_words`] reads: where there are more, it is often cheaper to test the
/// designs in the order of the list until the page is full.
const MOST_WITH_WORDS: i64 = 200;

/// The found designs with their authors and their content, each looked up by its key: Postgres expects up to
/// [`MOST_WITH_WORDS`] of them, and would read the whole tables, if they are small, to join as many.
const FOUND: &str = " FROM found CROSS JOIN LATERAL (SELECT * FROM designs WHERE id = found.design_id OFFSET 0) d \
     CROSS JOIN LATERAL (SELECT * FROM accounts WHERE id = d.account_id OFFSET 0) a \
     CROSS JOIN LATERAL (SELECT * FROM design_search WHERE design_id = d.id AND d.searched_revision >= d.revision OFFSET 0) content";

/// The same page as [`list`] returns, found among all designs with these words, which must be some of the filter's
/// [`GalleryFilter::required_words`]; `None`: more than [`MOST_WITH_WORDS`] designs have them.
///
/// Postgres plans this statement once on each connection, because the plan is good for all words: planning takes longer
/// than reading a few designs.
pub async fn list_with_words(
    conn: &mut Connection,
    filter: &GalleryFilter<'_>,
    words: &str,
    (sort, after, limit): (GallerySort, Option<&GalleryPosition>, i64),
) -> StoreResult<Option<Vec<GalleryDesign>>> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = BigInt)]
        with_words: i64,
        #[diesel(embed)]
        design: Option<GalleryDesign>,
    }
    // In a sub-select, the words are no constant for the planner: otherwise it would prefer a plan for each word.
    let found = format!(
        "WITH found AS MATERIALIZED (SELECT content.design_id FROM design_search content WHERE {LEXEMES} @@ (SELECT "
    );
    let statement = sql(found).value(words).push(&format!(
        "::tsquery) LIMIT {MOST_WITH_WORDS} + 1) \
         SELECT page.*, (SELECT count(*) FROM found) AS with_words FROM (SELECT) one LEFT JOIN LATERAL ({}{FOUND}",
        selected(sort)
    ));
    let statement = push_where(statement, filter, filter.predicate, &OF_FEW)
        .push(&format!(" AND (SELECT count(*) FROM found) <= {MOST_WITH_WORDS}"));
    let order = order_of(sort);
    let statement = push_after(statement, sort, after).push(" ORDER BY ").push(order);
    // The one row without a design says that the page is empty.
    let statement =
        statement.push(" LIMIT ").value(limit).push(") page ON true ORDER BY ").push(order);
    // Queries of a single test have few forms.
    let statement = if filter.predicate.size() == 1 {
        statement.varies_with_filters()
    } else {
        statement.varies_with_search()
    };
    let rows: Vec<Row> = statement.load(conn).await?;
    let has_few =
        matches!(rows.as_slice(), [Row { with_words, .. }, ..] if *with_words <= MOST_WITH_WORDS);
    Ok(has_few.then(|| rows.into_iter().filter_map(|row| row.design).collect()))
}

/// The key of a name without accents, like [`cardscape_engine::search_key`], by which cards are sorted. The same expression as in the indexes `designs_listed_folded_names…`.
/// Folding takes long, and keys of ASCII characters need none.
const FOLDED_NAME: &str = "(CASE WHEN octet_length(d.name_key) = length(d.name_key) THEN left(d.name_key, 200) ELSE left(normalize(replace(replace(replace(translate(\
     regexp_replace(normalize(d.name_key, NFD), '[\\u0300-\\u036f]', '', 'g'), 'øłđðħı', 'olddhi'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'), NFC), 200) END) COLLATE \"C\"";

/// `SELECT` with the columns of a [`GalleryDesign`] for an order from `designs d JOIN accounts a`.
pub(super) fn selected(sort: GallerySort) -> String {
    // Postgres would compute it for each design that is sorted by something else, before it leaves out those after the page.
    let folded_name = match sort {
        GallerySort::Name => FOLDED_NAME,
        GallerySort::New | GallerySort::Rating | GallerySort::Comments => "''::text",
    };
    format!("SELECT {COLUMNS}, {LISTED}, d.name_key, {folded_name} AS folded_name")
}

/// Adds the condition that designs come after a position.
fn push_after<'a>(
    statement: Statement<'a>,
    sort: GallerySort,
    after: Option<&'a GalleryPosition>,
) -> Statement<'a> {
    let Some(GalleryPosition { key, shared_at, code }) = after else { return statement };
    let mut statement = match key {
        GalleryKey::New => statement.push(" AND (d.shared_at, d.code) < ("),
        GalleryKey::Rating(rating, count) => statement
            .push(" AND (d.rating, d.rating_count, d.shared_at, d.code) < (")
            .value(*rating)
            .push(", ")
            .value(*count)
            .push(", "),
        GalleryKey::Comments(count) => statement
            .push(" AND (d.comment_count, d.shared_at, d.code) < (")
            .value(*count)
            .push(", "),
        GalleryKey::Name(key) => statement
            .push(&format!(" AND ({FOLDED_NAME}, d.code) > ("))
            .value(key.as_str())
            .push(", "),
    };
    if sort != GallerySort::Name {
        statement = statement.value(*shared_at).push(", ");
    }
    statement.value(*code).push(")")
}

/// An order as the columns of the result.
fn order_of(sort: GallerySort) -> &'static str {
    match sort {
        GallerySort::New => "shared_at DESC, code DESC",
        GallerySort::Rating => "rating DESC, rating_count DESC, shared_at DESC, code DESC",
        GallerySort::Comments => "comment_count DESC, shared_at DESC, code DESC",
        GallerySort::Name => "folded_name, code",
    }
}

/// Whether costly tests were skipped for some designs that pass all other tests.
pub async fn is_truncated(conn: &mut Connection, filter: &GalleryFilter<'_>) -> StoreResult<bool> {
    #[derive(QueryableByName)]
    struct Count {
        #[diesel(sql_type = BigInt)]
        count: i64,
    }
    if !filter.predicate.is_costly() {
        return Ok(false);
    }
    let statement = sql("SELECT count(*) FROM (");
    let statement = push_candidates(statement, filter, filter.max_candidates + 1);
    let Count { count } =
        statement.push(") candidates").varies_with_search().get_result(conn).await?;
    Ok(count > filter.max_candidates)
}

/// A term, and the number of designs with it.
#[derive(Clone, Debug, QueryableByName)]
pub struct TermCount {
    /// The term as [`crate::domain::designs::searchable`] writes it; `status=shared` for statuses; empty: all designs.
    #[diesel(sql_type = Text)]
    pub term: String,
    /// Number of designs.
    #[diesel(sql_type = BigInt)]
    pub designs: i64,
}

/// Most different terms that are counted, the most common first. Authors may use any number of different numbers.
const MAX_TERMS: i64 = 5_000;

/// Counts designs by value, among the `max` that were shared last. If there are more, the number of all designs is
/// `max + 1`.
pub async fn count_terms(
    conn: &mut Connection,
    filter: &GalleryFilter<'_>,
    max: i64,
) -> StoreResult<Vec<TermCount>> {
    let statement = sql("WITH found AS MATERIALIZED (SELECT d.status, d.id, d.shared_at, d.code");
    let statement = push_source(statement, filter)
        .push(" ORDER BY d.shared_at DESC, d.code DESC LIMIT ")
        .value(max + 1)
        .push("), seen AS MATERIALIZED (SELECT status, id FROM found ORDER BY shared_at DESC, code DESC LIMIT ")
        .value(max)
        .push(
            ") SELECT '' AS term, count(*) AS designs FROM found \
             UNION ALL SELECT 'status=' || status, count(*) FROM seen GROUP BY status \
             UNION ALL (SELECT term, count(*) FROM seen JOIN design_search s ON s.design_id = seen.id, unnest(s.terms) term \
             WHERE term NOT LIKE 'p.%' GROUP BY term ORDER BY count(*) DESC, term LIMIT ",
        )
        .value(MAX_TERMS)
        .push(")");
    Ok(statement.varies_with_search().load(conn).await?)
}
