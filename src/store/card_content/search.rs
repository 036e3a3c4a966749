//! Searches over cards: a checked condition becomes SQL here, with every value as a bound parameter.
//!
//! A test of content is written as "the viewer sees the content, and the test holds (or fails)": the row `content` is only joined to a
//! card when the viewer may see it. So no test of content, negated or not, and no sort key finds anything out about other cards.

use cardscape_engine::search_key;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, HasSqlType, Int2, Jsonb, Nullable, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde_json::{Map, Value};

use super::cards::{self, COLUMNS, CardView, Printing, Row};
use crate::auth::permission::Viewer;
use crate::domain::draw::Draw;
use crate::domain::ids::{CardId, PrintingId};
use crate::search::index::Position;
use crate::search::{
    CardQuery, Case, Comparison, KnownTest, Operator, Place, Predicate, SortKey, SumOf, Test,
    Unique,
};
use crate::store::db::codecs::SqlValue;
use crate::store::db::codecs::json::Json;
use crate::store::db::like::escape_like;
use crate::store::db::statement::{Statement, sql};
use crate::store::{Connection, StoreResult};

/// Why searches are planned anew for their values.
const SELECTIVITY: &str = "a word may be in a few cards, or in most";

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
    /// A hit that the index in memory found, which keeps the sort keys itself.
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
    let mut sql = sql("SELECT *, sort_value::text AS sort_key FROM (").push(COLUMNS);
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
    push_predicate(sql.push(" WHERE "), &query.predicate, printings)
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
    let conjuncts = |predicate: &Predicate| match predicate {
        Predicate::All(parts) => parts.clone(),
        other => vec![other.clone()],
    };
    let parts = conjuncts(&query.predicate).iter().flat_map(conjuncts).collect::<Vec<_>>();
    // A card that matches also has printings that do not: its printings are tested afterwards.
    let is_cheap = |part: &Predicate| !(part.is_costly() || printings && part.is_about_printings());
    let cheap = Predicate::All(parts.into_iter().filter(is_cheap).collect());
    let sql =
        push_visible_cards(sql.push("SELECT c.id FROM "), viewer, only_visible).push(" WHERE ");
    push_predicate(sql, &cheap, false)
        .push(" ORDER BY c.game_code, c.set_code, c.number LIMIT ")
        .value(max)
}

fn push_predicate<'a>(sql: Statement<'a>, predicate: &Predicate, printings: bool) -> Statement<'a> {
    match predicate {
        Predicate::All(parts) if parts.is_empty() => sql.push("true"),
        Predicate::All(parts) => {
            push_joined(sql, parts, " AND ", |sql, part| push_predicate(sql, part, printings))
        }
        Predicate::Any(parts) if parts.is_empty() => sql.push("false"),
        Predicate::Any(parts) => {
            push_joined(sql, parts, " OR ", |sql, part| push_predicate(sql, part, printings))
        }
        Predicate::Known { negated, test } => {
            push_known_test(sql.push("("), test).push(truth_suffix(*negated))
        }
        Predicate::Content { negated, cases } if cases.is_empty() => {
            sql.push(if *negated { "content.card_id IS NOT NULL" } else { "false" })
        }
        Predicate::Content { negated, cases } => {
            let sql = push_joined(
                sql.push("(content.card_id IS NOT NULL AND ("),
                cases,
                " OR ",
                |sql, case| push_case(sql, case, printings),
            );
            sql.push(truth_suffix(*negated)).push(")")
        }
    }
}

/// Closes a test. A test that is neither true nor false, because a value is missing, counts as failed.
fn truth_suffix(negated: bool) -> &'static str {
    if negated { ") IS NOT TRUE" } else { ")" }
}

/// Adds the parts in brackets, with an operator between them: `(a OR b OR c)`.
fn push_joined<'a, T>(
    sql: Statement<'a>,
    parts: &[T],
    between: &str,
    write: impl Fn(Statement<'a>, &T) -> Statement<'a>,
) -> Statement<'a> {
    let mut sql = sql.push("(");
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            sql = sql.push(between);
        }
        sql = write(sql, part);
    }
    sql.push(")")
}

fn push_case<'a>(sql: Statement<'a>, case: &Case, printings: bool) -> Statement<'a> {
    match &case.games {
        None => push_test(sql, &case.test, printings),
        Some(games) => {
            let sql = sql.push("(c.game_code = ANY(").value(games.clone()).push(") AND ");
            push_test(sql, &case.test, printings).push(")")
        }
    }
}

/// The operator in SQL. In a jsonpath all operators are the same except for `equal`.
fn sql_operator(operator: Operator, equal: &'static str) -> &'static str {
    match operator {
        Operator::Has | Operator::Equal => equal,
        Operator::NotEqual => "<>",
        Operator::Less => "<",
        Operator::AtMost => "<=",
        Operator::Greater => ">",
        Operator::AtLeast => ">=",
    }
}

/// Adds the comparison to the value that was pushed before.
fn push_comparison<'a, T>(sql: Statement<'a>, wanted: Comparison<T>) -> Statement<'a>
where
    T: SqlValue + ToSql<T::SqlType, Pg> + Send + 'a,
    T::SqlType: Send + 'a,
    Pg: HasSqlType<T::SqlType>,
{
    match wanted {
        Comparison::Is(operator, value) => {
            sql.push(" ").push(sql_operator(operator, "=")).push(" ").value(value)
        }
        Comparison::Between(low, high) => {
            sql.push(" BETWEEN ").value(low).push(" AND ").value(high)
        }
    }
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
        KnownTest::Number(number) => sql.push("c.number = ").value(number.clone()),
        KnownTest::NumberValue(wanted) => push_comparison(sql.push(NUMBER_VALUE), *wanted),
        KnownTest::Hidden => sql.push("u.card_id IS NOT NULL AND u.unlocked_at IS NULL"),
        KnownTest::Unlocked => sql.push("u.unlocked_at IS NOT NULL"),
        KnownTest::UnlockedOn(wanted) => {
            push_comparison(sql.push("(u.unlocked_at AT TIME ZONE 'UTC')::date"), *wanted)
        }
        KnownTest::Submissions(wanted) => push_comparison(sql.push("u.submissions"), *wanted),
    }
}

fn push_test<'a>(sql: Statement<'a>, test: &Test, printings: bool) -> Statement<'a> {
    match test {
        Test::Any(tests) => {
            push_joined(sql, tests, " OR ", |sql, test| push_test(sql, test, printings))
        }
        Test::Words(place, words) => push_phrase(sql, place, words),
        Test::Regex(place, pattern) => {
            push_text_test(sql, place, |sql| sql.push(" ~ ").value(pattern.clone()))
        }
        Test::Name(key) => sql.push("content.search_key = ").value(key.clone()),
        Test::CardNames(keys) => {
            let search_keys = keys.iter().map(|key| search_key(key)).collect::<Vec<_>>();
            let keys = keys.iter().cloned().collect::<Vec<_>>();
            // With the list at hand, many names are hashed instead of being compared one by one.
            let sql =
                push_any_of(sql.custom_plan(SELECTIVITY).push("(content.search_key"), &search_keys);
            push_any_of(sql.push(" AND content.name_key"), &keys).push(")")
        }
        Test::NamePrefix(key) => sql
            .custom_plan(SELECTIVITY)
            .push("content.search_key LIKE ")
            .value(escape_like(key) + "%"),
        Test::TextIs(code, folded) => push_text_test(sql, &Place::Attribute(code.clone()), |sql| {
            sql.push(" = ").value(folded.clone())
        }),
        Test::Number { sum, per_printing: true, compared } => {
            let path = number_path(sum, *compared);
            let sql = sql.push("(content.printing_numbers @? ").value(path);
            let sql = sql.push("::jsonpath");
            if !printings {
                return sql.push(")");
            }
            // The condition on the card is tested first: it is cheap, and only cards that pass have such a printing.
            let sql = push_sum(sql.push(" AND "), sum, true);
            push_comparison(sql, *compared).push(")")
        }
        Test::Number { sum, per_printing: false, compared } => {
            push_comparison(push_sum(sql, sum, false), *compared)
        }
        Test::Choice { attribute, per_printing, values } => {
            push_printing_test(sql, *per_printing, printings, |sql, own| {
                // An array holds one of the values, or a string is one.
                let sql = push_attribute(sql.push("jsonb_exists_any("), attribute, own);
                sql.push(", ").value(values.clone()).push(")")
            })
        }
        Test::Flag { attribute, per_printing, value } => {
            push_printing_test(sql, *per_printing, printings, |sql, own| {
                push_attribute(sql, attribute, own).push(" = ").value(Value::Bool(*value))
            })
        }
        Test::Kinds(kinds) => push_any_of(sql.push("content.kind"), kinds),
        Test::Rarities(rarities) if printings => push_any_of(sql.push("p.rarity"), rarities),
        Test::Rarities(rarities) => {
            let sql = sql.push(
                "EXISTS (SELECT FROM printings p WHERE p.card_id = content.card_id AND p.rarity",
            );
            push_any_of(sql, rarities).push(")")
        }
        Test::Styles(styles) => push_effect_test(sql, "style", styles),
        Test::Slots(slots) => push_effect_test(sql, "slot", slots),
        Test::HasAttribute(code) => {
            let sql = sql.push("(content.attributes -> ").value(code.clone());
            sql.push(") NOT IN ('null', '[]', '\"\"')")
        }
        Test::HasEffect => sql.push("content.effects <> '[]'"),
        Test::HasLore => sql.push("content.lore <> ''"),
        Test::Year(wanted) => push_comparison(sql.push(YEAR), *wanted),
        Test::Released(wanted) => push_comparison(sql.push(RELEASED_ON), *wanted),
    }
}

/// A jsonpath to the printings, in `printing_numbers`, whose sum of these attributes passes the comparison. A printing without one of the attributes
/// does not pass.
fn number_path(sum: &[String], wanted: Comparison<i64>) -> String {
    let attribute = |code: &String| format!("@.{}", Value::from(code.as_str()));
    let sum = sum.iter().map(attribute).collect::<Vec<_>>().join(" + ");
    match wanted {
        Comparison::Is(operator, value) => {
            format!("$[*] ? ({sum} {} {value})", sql_operator(operator, "=="))
        }
        Comparison::Between(low, high) => format!("$[*] ? ({sum} >= {low} && {sum} <= {high})"),
    }
}

fn push_any_of<'a>(sql: Statement<'a>, values: &[String]) -> Statement<'a> {
    sql.push(" = ANY(").value(values.to_vec()).push(")")
}

fn push_effect_test<'a>(sql: Statement<'a>, member: &str, values: &[String]) -> Statement<'a> {
    let sql = sql
        .push("EXISTS (SELECT FROM jsonb_array_elements(content.effects) effect WHERE effect ->> ")
        .value(member.to_owned());
    push_any_of(sql, values).push(")")
}

/// Adds a test of one printing: of the listed one, or of any that the card has. The second argument of `write` says whether a printing is in scope.
fn push_printing_test<'a>(
    sql: Statement<'a>,
    per_printing: bool,
    listed: bool,
    write: impl FnOnce(Statement<'a>, bool) -> Statement<'a>,
) -> Statement<'a> {
    if !per_printing || listed {
        return write(sql, per_printing);
    }
    let sql = sql.push(
        "EXISTS (SELECT FROM printings p JOIN printing_content own ON own.printing_id = p.id \
         WHERE p.card_id = content.card_id AND ",
    );
    write(sql, true).push(")")
}

/// Adds the value of an attribute: that of the printing in scope if it has one (`own`), otherwise that of the card.
fn push_attribute<'a>(sql: Statement<'a>, code: &str, own: bool) -> Statement<'a> {
    let card =
        |sql: Statement<'a>| sql.push("(content.attributes -> ").value(code.to_owned()).push(")");
    if !own {
        return card(sql);
    }
    let sql = sql.push("coalesce(own.attributes -> ").value(code.to_owned()).push(", ");
    card(sql).push(")")
}

/// Adds the sum of attributes; NULL when one of them is not a number.
fn push_sum<'a>(sql: Statement<'a>, attributes: &[String], own: bool) -> Statement<'a> {
    push_joined(sql, attributes, " + ", |sql, code| {
        let sql =
            push_attribute(sql.push("CASE jsonb_typeof("), code, own).push(") WHEN 'number' THEN ");
        push_attribute(sql, code, own).push("::numeric END")
    })
}

/// The lexemes of all words, as the index has them.
const LEXEMES: &str = "array_to_tsvector(string_to_array(ltrim(content.words), ' '))";

/// Adds a test for words in a row; the last may be the beginning of a word.
fn push_phrase<'a>(sql: Statement<'a>, place: &Place, words: &[String]) -> Statement<'a> {
    // The attributes' texts are not among all words.
    let is_indexed = !matches!(place, Place::Attribute(_));
    let mut sql = sql.push("(");
    if is_indexed {
        sql = sql.push(LEXEMES).push(" @@ ").value(phrase_tsquery(words));
        sql = sql.push("::tsquery AND ");
    }
    let pattern: String = words.iter().map(|word| format!(" {}", escape_like(word))).collect();
    let pattern = format!("%{pattern}%");
    if matches!(place, Place::Everywhere) && words.len() == 1 {
        // The same condition in other words: cheaper where cards are looked at one after the other. Postgres would take it for one that
        // is fulfilled as seldom again, and so never expect enough cards to walk through them in their order; of this form it expects nothing.
        return sql
            .custom_plan(SELECTIVITY)
            .push("coalesce(content.words LIKE ")
            .value(pattern)
            .push(", false))");
    }
    push_text_test(sql, place, |sql| sql.push(" LIKE ").value(pattern.clone())).push(")")
}

/// Adds a test of the folded text of a place; of `Text`, one of its two texts must pass.
fn push_text_test<'a>(
    sql: Statement<'a>,
    place: &Place,
    test: impl Fn(Statement<'a>) -> Statement<'a>,
) -> Statement<'a> {
    let sql = sql.custom_plan(SELECTIVITY);
    match place {
        Place::Everywhere => test(sql.push("content.words")),
        Place::Name => test(sql.push("content.name_words")),
        Place::Effects => test(sql.push("content.effect_words")),
        Place::Lore => test(sql.push("content.lore_words")),
        Place::Text => {
            let sql = test(sql.push("(content.effect_words")).push(" OR ");
            test(sql.push("content.lore_words")).push(")")
        }
        Place::Attribute(code) => {
            test(sql.push("(content.attribute_words ->> ").value(code.clone()).push(")"))
        }
    }
}

/// A `tsquery` for all of the words; the last may be the beginning of a word.
fn phrase_tsquery(words: &[String]) -> String {
    let quoted = |word: &String| format!("'{}'", word.replace('\\', "\\\\").replace('\'', "''"));
    let list: Vec<String> = words.iter().map(quoted).collect();
    list.join(" & ") + ":*"
}

/// Adds the value that a list is sorted by; NULL for cards whose content the viewer may not see, wherever it depends on that.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        assert_eq!(
            number_path(
                &["attack".to_owned(), "a\"b".to_owned()],
                Comparison::Is(Operator::AtLeast, -3)
            ),
            r#"$[*] ? (@."attack" + @."a\"b" >= -3)"#
        );
        assert_eq!(
            number_path(&["attack".to_owned()], Comparison::Between(-3, 600)),
            r#"$[*] ? (@."attack" >= -3 && @."attack" <= 600)"#
        );
        assert_eq!(phrase_tsquery(&["it's".to_owned(), r"a\b".to_owned()]), r"'it''s' & 'a\\b':*");
    }
}
