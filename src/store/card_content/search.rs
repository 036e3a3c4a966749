//! Searches over cards.
//!
//! The row `content` is joined to a card only if the viewer may see it. So tests of content ([`Conditions`]) and sort
//! keys reveal nothing about other cards.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Int2, Jsonb, Nullable, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde_json::{Map, Value};

use super::cards::{self, CardView, Printing, Row};
use crate::auth::permission::Viewer;
use crate::domain::draw::Draw;
use crate::domain::ids::{CardId, PrintingId};
use crate::search::index::Position;
use crate::search::{CardQuery, KnownTest, Predicate, SortKey, SumOf, Unique};
use crate::store::conditions::{Conditions, Rows, push_attribute, push_comparison, push_sum};
use crate::store::db::codecs::json::Json;
use crate::store::db::statement::{Statement, sql};
use crate::store::{Connection, StoreResult};

/// The rows of cards, for conditions.
const CARDS: Rows = Rows {
    is_visible: "content.card_id IS NOT NULL",
    game: "c.game_code",
    printings: "printings p JOIN printing_content own ON own.printing_id = p.id WHERE p.card_id = content.card_id",
    rarities: "printings p WHERE p.card_id = content.card_id",
    has_lore: "content.lore <> ''",
    year: YEAR,
    released_on: RELEASED_ON,
    terms: |_| None,
    known: push_known_test,
};

/// A card, or a printing of it, that a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct CardHit {
    pub card: CardView,
    /// The printing, in lists of printings.
    pub printing: Option<Printing>,
    /// Its sort key.
    key: Option<String>,
}

impl CardHit {
    /// A hit of the index in memory. It has no sort key, because the index has the sort keys itself.
    pub fn new(card: CardView, printing: Option<Printing>) -> Self {
        Self { card, printing, key: None }
    }

    /// The card of the entry.
    pub fn into_card(self) -> CardView {
        self.card
    }

    /// Its position in the list, for the cursor after it.
    pub fn position(&self) -> Position {
        let place = self.card.place();
        Position {
            key: self.key.clone(),
            game: place.game.to_string(),
            set: place.set.to_string(),
            number: place.number.to_string(),
            tier: self.printing.as_ref().map_or(0, |printing| printing.tier),
        }
    }
}

#[derive(QueryableByName)]
struct CardRow {
    #[diesel(embed)]
    card: Row,
    #[diesel(sql_type = Nullable<Text>)]
    sort_key: Option<String>,
}

#[derive(QueryableByName)]
struct PrintingRow {
    #[diesel(embed)]
    card: CardRow,
    #[diesel(sql_type = SqlUuid)]
    printing_id: PrintingId,
    #[diesel(sql_type = Text)]
    rarity: String,
    #[diesel(sql_type = Int2)]
    tier: i16,
    #[diesel(sql_type = Jsonb)]
    printing_attributes: Json<Map<String, Value>>,
}

impl From<CardRow> for CardHit {
    fn from(row: CardRow) -> Self {
        Self { card: row.card.into_view(), printing: None, key: row.sort_key }
    }
}

impl From<PrintingRow> for CardHit {
    fn from(row: PrintingRow) -> Self {
        let printing = Printing {
            id: row.printing_id,
            rarity: row.rarity,
            tier: row.tier,
            attributes: row.printing_attributes.0,
        };
        Self { printing: Some(printing), ..Self::from(row.card) }
    }
}

/// Lists the hits after the position `after`. Costly tests run only on the first `max_candidates` cards, by game, set and number, that all other
/// tests leave.
pub async fn list(
    conn: &mut Connection,
    viewer: Viewer,
    query: &CardQuery,
    max_candidates: i64,
    after: Option<&Position>,
    limit: i64,
) -> StoreResult<Vec<CardHit>> {
    let printings = query.unique == Unique::Printings;
    let mut sql = sql("SELECT *, sort_value::text AS sort_key FROM (SELECT ").push_card_columns();
    sql = sql.push(if printings {
        ", p.id AS printing_id, p.rarity, p.tier, own.attributes AS printing_attributes, "
    } else {
        ", 0::int2 AS tier, "
    });
    sql = push_sort_value(sql, &query.sort, printings).push(" AS sort_value");
    sql = push_source(sql, viewer, query, needs_content(query), max_candidates)
        .push(") found WHERE true");
    if let Some(after) = after {
        sql = push_after(sql.push(" AND "), query, after);
    }
    let place = match (&query.sort, query.descending) {
        (SortKey::Place, false) => "game_code, set_code, number, tier",
        (SortKey::Place, true) => "game_code DESC, set_code DESC, number DESC, tier DESC",
        (_, false) => "sort_value IS NULL, sort_value, game_code, set_code, number, tier",
        (_, true) => "sort_value IS NULL, sort_value DESC, game_code, set_code, number, tier",
    };
    sql = sql.push(" ORDER BY ").push(place).push(" LIMIT ").value(limit);
    let sql = sql.varies_with_search();
    Ok(if printings {
        sql.load::<PrintingRow>(conn).await?.into_iter().map(CardHit::from).collect()
    } else {
        sql.load::<CardRow>(conn).await?.into_iter().map(CardHit::from).collect()
    })
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Counts the entries of the whole list, up to `max`; costly tests run only on the first `max_candidates` cards.
pub async fn count(
    conn: &mut Connection,
    viewer: Viewer,
    query: &CardQuery,
    max_candidates: i64,
    max: i64,
) -> StoreResult<i64> {
    let sql = push_source(
        sql("SELECT count(*) FROM (SELECT 1"),
        viewer,
        query,
        needs_content(query),
        max_candidates,
    );
    let sql = sql.push(" LIMIT ").value(max).push(") counted");
    let Count { count } = sql.varies_with_search().get_result(conn).await?;
    Ok(count)
}

/// Draws one of the cards that match and that the viewer may see; the query's order and its choice of printings are ignored.
pub async fn draw(
    conn: &mut Connection,
    viewer: Viewer,
    query: &CardQuery,
    max_candidates: i64,
    draw: Draw,
) -> StoreResult<Option<CardView>> {
    let query = CardQuery { unique: Unique::Cards, ..query.clone() };
    let sql =
        sql("WITH drawn_from AS MATERIALIZED (SELECT c.id, c.game_code, c.set_code, c.number");
    let sql = push_source(sql, viewer, &query, true, max_candidates)
        .push(") SELECT id FROM drawn_from ORDER BY game_code, set_code, number OFFSET mod(")
        .value(draw.number())
        .push(", (SELECT greatest(count(*), 1) FROM drawn_from)) LIMIT 1");
    let drawn: Option<IdRow> = sql.varies_with_search().get_result(conn).await.optional()?;
    match drawn {
        Some(IdRow { id }) => cards::find(conn, viewer, id).await,
        None => Ok(None),
    }
}

#[derive(QueryableByName)]
struct IdRow {
    #[diesel(sql_type = SqlUuid)]
    id: CardId,
}

/// Whether a list has costly tests and more than `max_candidates` cards to run them on, so that some matching cards may be missing.
pub async fn is_truncated(
    conn: &mut Connection,
    viewer: Viewer,
    query: &CardQuery,
    max_candidates: i64,
) -> StoreResult<bool> {
    if !query.predicate.is_costly() {
        return Ok(false);
    }
    let sql = sql("SELECT count(*) FROM (");
    let sql = push_candidates(sql, viewer, query, needs_content(query), max_candidates + 1);
    let Count { count } = sql.push(") candidates").varies_with_search().get_result(conn).await?;
    Ok(count > max_candidates)
}

/// Whether a query can only match cards whose content is visible. The printings of a hidden card are as secret as its name.
fn needs_content(query: &CardQuery) -> bool {
    query.unique == Unique::Printings || query.predicate.needs_content()
}

/// Adds ` FROM … WHERE …`: the cards (or printings) that match, with the content that the viewer may see. `only_visible` leaves out cards without
/// visible content.
pub(super) fn push_source<'a>(
    sql: Statement<'a>,
    viewer: Viewer,
    query: &CardQuery,
    only_visible: bool,
    max_candidates: i64,
) -> Statement<'a> {
    let printings = query.unique == Unique::Printings;
    let mut sql = push_visible_cards(sql.push(" FROM "), viewer, only_visible);
    if query.predicate.is_costly() {
        sql = push_candidates(sql.push(" JOIN ("), viewer, query, only_visible, max_candidates);
        sql = sql.push(") candidates ON candidates.id = c.id");
    }
    if printings {
        sql = sql.push(
            " JOIN printings p ON p.card_id = c.id JOIN printing_content own ON own.printing_id = p.id",
        );
    }
    let conditions = Conditions { rows: &CARDS, of_printings: printings, of_few: false };
    conditions.predicate(sql.push(" WHERE "), &query.predicate)
}

/// Adds the cards with the content that the viewer may see; with `only_visible`, only those cards.
fn push_visible_cards(sql: Statement<'_>, viewer: Viewer, only_visible: bool) -> Statement<'_> {
    let sql = if only_visible {
        sql.push_visible_content(viewer).push(" JOIN cards c ON c.id = content.card_id")
    } else {
        sql.push("cards c LEFT JOIN card_content content ON content.card_id = c.id AND ")
            .push_is_visible_in_bulk(viewer)
    };
    sql.push(" LEFT JOIN unlocks u ON u.card_id = c.id")
}

/// Adds a query for the ids of the cards that costly tests run on: the first `max` that pass all other tests. Where content is needed, cards that
/// the viewer may not see are left out, so they do not use up any of the `max`.
fn push_candidates<'a>(
    sql: Statement<'a>,
    viewer: Viewer,
    query: &CardQuery,
    only_visible: bool,
    max: i64,
) -> Statement<'a> {
    let printings = query.unique == Unique::Printings;
    // A card that matches also has printings that do not: its printings are tested afterwards.
    let is_cheap = |part: &Predicate| !(part.is_costly() || printings && part.is_about_printings());
    let cheap = query.predicate.conjuncts_that(&is_cheap);
    let sql =
        push_visible_cards(sql.push("SELECT c.id FROM "), viewer, only_visible).push(" WHERE ");
    Conditions { rows: &CARDS, of_printings: false, of_few: false }
        .predicate(sql, &cheap)
        .push(" ORDER BY c.game_code, c.set_code, c.number LIMIT ")
        .value(max)
}

const NUMBER_VALUE: &str = "CASE WHEN c.number ~ '^[0-9]{1,16}$' THEN c.number::bigint END";
const RELEASED_ON: &str = "(SELECT released.released_on FROM sets released \
                           WHERE released.game_code = c.game_code AND released.code = c.set_code)";
const RELEASE_DAY: &str = "(SELECT (released.released_on - DATE '0001-01-01' + 1)::bigint FROM sets released \
                           WHERE released.game_code = c.game_code AND released.code = c.set_code)";
const YEAR: &str = "(SELECT extract(year FROM released.released_on)::bigint FROM sets released \
                    WHERE released.game_code = c.game_code AND released.code = c.set_code)";

fn push_known_test<'a>(sql: Statement<'a>, test: &KnownTest) -> Statement<'a> {
    match test {
        KnownTest::Game(code) => sql.push("c.game_code = ").value(code.clone()),
        KnownTest::Set(code) => sql.push("c.set_code = ").value(code.clone()),
        KnownTest::Number(number) => {
            sql.push("lower(ltrim(c.number, '0') COLLATE \"C\") = ").value(number.clone())
        }
        KnownTest::NumberValue(wanted) => push_comparison(sql.push(NUMBER_VALUE), *wanted),
        KnownTest::Hidden => sql.push("u.card_id IS NOT NULL AND u.unlocked_at IS NULL"),
        KnownTest::Unlocked => sql.push("u.unlocked_at IS NOT NULL"),
        KnownTest::UnlockedOn(wanted) => {
            push_comparison(sql.push("(u.unlocked_at AT TIME ZONE 'UTC')::date"), *wanted)
        }
        KnownTest::Submissions(wanted) => push_comparison(sql.push("u.submissions"), *wanted),
        KnownTest::Design(_) => sql.push("false"),
    }
}

/// Adds the value that a list is sorted by; NULL if it depends on content that the viewer may not see.
fn push_sort_value<'a>(sql: Statement<'a>, sort: &SortKey, printings: bool) -> Statement<'a> {
    match sort {
        SortKey::Place => sql.push("NULL::text"),
        SortKey::Number => sql.push(NUMBER_VALUE),
        SortKey::Name => sql.push("content.search_key COLLATE \"C\""),
        SortKey::Kind => sql.push("content.kind COLLATE \"C\""),
        SortKey::Sum(sums) => {
            let mut sql = sql.push("CASE");
            for SumOf { of, attributes } in sums {
                sql = match of {
                    None => sql.push(" WHEN true"),
                    Some((game, kind)) => sql
                        .push(" WHEN c.game_code = ")
                        .value(game.clone())
                        .push(" AND content.kind = ")
                        .value(kind.clone()),
                };
                sql = push_sum(sql.push(" THEN "), attributes, printings);
            }
            sql.push(" END")
        }
        SortKey::Choice { attribute, values } => {
            let sql = sql.push("array_position(").value(values.clone()).push(", ");
            push_attribute(sql, attribute, printings).push(" #>> '{}')")
        }
        SortKey::Rarity if printings => sql.push("p.tier"),
        SortKey::Rarity => {
            sql.push("(SELECT min(lowest.tier) FROM printings lowest WHERE lowest.card_id = content.card_id)")
        }
        SortKey::Submissions => sql.push("u.submissions"),
        SortKey::Unlocked => sql.push("u.unlocked_at"),
        SortKey::Year => sql.push("CASE WHEN content.card_id IS NOT NULL THEN ").push(YEAR).push(" END"),
        SortKey::Released => {
            sql.push("CASE WHEN content.card_id IS NOT NULL THEN ").push(RELEASE_DAY).push(" END")
        }
    }
}

/// The SQL type of a sort key in a position.
fn sort_type(sort: &SortKey) -> &'static str {
    match sort {
        SortKey::Place | SortKey::Name | SortKey::Kind => "text",
        SortKey::Unlocked => "timestamptz",
        SortKey::Number
        | SortKey::Sum(_)
        | SortKey::Choice { .. }
        | SortKey::Rarity
        | SortKey::Submissions
        | SortKey::Year
        | SortKey::Released => "numeric",
    }
}

/// Adds the condition that a row comes after a position.
fn push_after<'a>(sql: Statement<'a>, query: &CardQuery, after: &Position) -> Statement<'a> {
    let by_place = |sql: Statement<'a>, comparison: &str| {
        sql.push("(game_code, set_code, number, tier) ")
            .push(comparison)
            .push(" (")
            .value(after.game.clone())
            .push(", ")
            .value(after.set.clone())
            .push(", ")
            .value(after.number.clone())
            .push(", ")
            .value(after.tier)
            .push(")")
    };
    let comparison = if query.descending { "<" } else { ">" };
    match (&query.sort, &after.key) {
        (SortKey::Place, _) => by_place(sql, comparison),
        (_, None) => by_place(sql.push("sort_value IS NULL AND "), ">"),
        (sort, Some(key)) => {
            let value = |sql: Statement<'a>| {
                let sql = sql.push("CAST(").value(key.clone()).push(" AS ");
                sql.push(sort_type(sort)).push(")")
            };
            let sql =
                value(sql.push("(sort_value IS NULL OR sort_value ").push(comparison).push(" "));
            let sql = value(sql.push(" OR (sort_value = ")).push(" AND ");
            by_place(sql, ">").push("))")
        }
    }
}
