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
use crate::store::db::statement::{Statement, sql};
use crate::store::{Connection, StoreResult};

/// Why searches are planned for their values.
const SELECTIVITY: &str = "a word may be in a few cards, or in most";

/// An entry of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub card: CardView,
    /// The printing, in lists of printings.
    pub printing: Option<Printing>,
    /// Its sort key.
    key: Option<String>,
}

impl Found {
    /// An entry that was found elsewhere.
    pub fn new(card: CardView, printing: Option<Printing>) -> Self {
        Self { card, printing, key: None }
    }

    /// Where it stands.
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

impl From<CardRow> for Found {
    fn from(row: CardRow) -> Self {
        Self { card: row.card.view(), printing: None, key: row.sort_key }
    }
}

impl From<PrintingRow> for Found {
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

/// The entries of a list after the position `after`; costly tests are tried on the first `candidates` cards only that all else leaves, by game,
/// set and number.
pub async fn list(
    conn: &mut Connection,
    viewer: Viewer,
    query: &CardQuery,
    candidates: i64,
    after: Option<&Position>,
    limit: i64,
) -> StoreResult<Vec<Found>> {
    let printings = query.unique == Unique::Printings;
    let mut sql = sql("SELECT *, sort_value::text AS sort_key FROM (").push(COLUMNS);
    sql = sql.push(if printings {
        ", p.id AS printing_id, p.rarity, p.tier, own.attributes AS printing_attributes, "
    } else {
        ", 0::int2 AS tier, "
    });
    sql = sort_value(sql, &query.sort, printings).push(" AS sort_value");
    sql = source(sql, viewer, query, candidates).push(") found WHERE true");
    if let Some(after) = after {
        sql = follows(sql.push(" AND "), query, after);
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
        sql.load::<PrintingRow>(conn).await?.into_iter().map(Found::from).collect()
    } else {
        sql.load::<CardRow>(conn).await?.into_iter().map(Found::from).collect()
    })
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// How many entries the whole list has, `most` at most; costly tests are tried on the first `candidates` cards only.
pub async fn count(
    conn: &mut Connection,
    viewer: Viewer,
    query: &CardQuery,
    candidates: i64,
    most: i64,
) -> StoreResult<i64> {
    let sql = source(sql("SELECT count(*) FROM (SELECT 1"), viewer, query, candidates);
    let sql = sql.push(" LIMIT ").value(most).push(") counted");
    let Count { count } = sql.varies_with_search().get_result(conn).await?;
    Ok(count)
}

/// One of the cards that fit and that the viewer may see; what the query says of order and printings does not count.
pub async fn random(
    conn: &mut Connection,
    viewer: Viewer,
    query: &CardQuery,
    candidates: i64,
    draw: Draw,
) -> StoreResult<Option<CardView>> {
    let query = CardQuery { unique: Unique::Cards, ..query.clone() };
    let sql =
        sql("WITH drawn_from AS MATERIALIZED (SELECT c.id, c.game_code, c.set_code, c.number");
    let sql = seen_source(sql, viewer, &query, true, candidates)
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

/// Whether a list has costly tests and more than `candidates` cards to try them on, and so may lack some that fit.
pub async fn is_cut(
    conn: &mut Connection,
    viewer: Viewer,
    query: &CardQuery,
    candidates: i64,
) -> StoreResult<bool> {
    if !query.predicate.is_costly() {
        return Ok(false);
    }
    let sql = sql("SELECT count(*) FROM (");
    let sql = tried(sql, viewer, query, asks_for_content(query), candidates + 1);
    let Count { count } = sql.push(") tried").varies_with_search().get_result(conn).await?;
    Ok(count > candidates)
}

/// ` FROM … WHERE …`: the cards (or printings) that fit, with the content that the viewer may see.
fn source<'a>(
    sql: Statement<'a>,
    viewer: Viewer,
    query: &CardQuery,
    candidates: i64,
) -> Statement<'a> {
    seen_source(sql, viewer, query, asks_for_content(query), candidates)
}

/// The printings of a hidden card are as secret as its name.
fn asks_for_content(query: &CardQuery) -> bool {
    query.unique == Unique::Printings || query.predicate.needs_content()
}

/// The same, of all cards or only of those whose content the viewer may see.
pub(super) fn seen_source<'a>(
    sql: Statement<'a>,
    viewer: Viewer,
    query: &CardQuery,
    only_seen: bool,
    candidates: i64,
) -> Statement<'a> {
    let printings = query.unique == Unique::Printings;
    let mut sql = cards_seen(sql.push(" FROM "), viewer, only_seen);
    if query.predicate.is_costly() {
        sql = tried(sql.push(" JOIN ("), viewer, query, only_seen, candidates);
        sql = sql.push(") tried ON tried.id = c.id");
    }
    if printings {
        sql = sql.push(
            " JOIN printings p ON p.card_id = c.id JOIN printing_content own ON own.printing_id = p.id",
        );
    }
    fitting(sql.push(" WHERE "), &query.predicate, printings)
}

/// Cards with the content that the viewer may see: all of them, or only those that have any.
fn cards_seen(sql: Statement<'_>, viewer: Viewer, only_seen: bool) -> Statement<'_> {
    let sql = if only_seen {
        sql.content_seen_by(viewer).push(" JOIN cards c ON c.id = content.card_id")
    } else {
        sql.push("cards c LEFT JOIN card_content content ON content.card_id = c.id AND ")
            .sight_of_many(viewer)
    };
    sql.push(" LEFT JOIN unlocks u ON u.card_id = c.id")
}

/// The ids of the cards that costly tests are tried on: the first that fulfil all other conditions. What the viewer may not see is not
/// among them where content is asked for, and so uses up nothing of their number.
fn tried<'a>(
    sql: Statement<'a>,
    viewer: Viewer,
    query: &CardQuery,
    only_seen: bool,
    most: i64,
) -> Statement<'a> {
    let printings = query.unique == Unique::Printings;
    let conjuncts = |predicate: &Predicate| match predicate {
        Predicate::All(parts) => parts.clone(),
        other => vec![other.clone()],
    };
    let parts = conjuncts(&query.predicate).iter().flat_map(conjuncts).collect::<Vec<_>>();
    // A card has printings that do not fit beside one that does.
    let is_cheap = |part: &Predicate| !(part.is_costly() || printings && part.is_about_printings());
    let cheap = Predicate::All(parts.into_iter().filter(is_cheap).collect());
    let sql = cards_seen(sql.push("SELECT c.id FROM "), viewer, only_seen).push(" WHERE ");
    fitting(sql, &cheap, false)
        .push(" ORDER BY c.game_code, c.set_code, c.number LIMIT ")
        .value(most)
}

fn fitting<'a>(sql: Statement<'a>, predicate: &Predicate, printings: bool) -> Statement<'a> {
    match predicate {
        Predicate::All(parts) if parts.is_empty() => sql.push("true"),
        Predicate::All(parts) => {
            each(sql, parts, " AND ", |sql, part| fitting(sql, part, printings))
        }
        Predicate::Any(parts) if parts.is_empty() => sql.push("false"),
        Predicate::Any(parts) => {
            each(sql, parts, " OR ", |sql, part| fitting(sql, part, printings))
        }
        Predicate::Known { negated, test } => known(sql.push("("), test).push(outcome(*negated)),
        Predicate::Content { negated, cases } if cases.is_empty() => {
            sql.push(if *negated { "content.card_id IS NOT NULL" } else { "false" })
        }
        Predicate::Content { negated, cases } => {
            let sql =
                each(sql.push("(content.card_id IS NOT NULL AND ("), cases, " OR ", |sql, case| {
                    holds_in(sql, case, printings)
                });
            sql.push(outcome(*negated)).push(")")
        }
    }
}

/// A test that is neither true nor false, because a value is missing, fails.
fn outcome(negated: bool) -> &'static str {
    if negated { ") IS NOT TRUE" } else { ")" }
}

/// `(a OP b OP c)`
fn each<'a, T>(
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

fn holds_in<'a>(sql: Statement<'a>, case: &Case, printings: bool) -> Statement<'a> {
    match &case.games {
        None => holds(sql, &case.test, printings),
        Some(games) => {
            let sql = sql.push("(c.game_code = ANY(").value(games.clone()).push(") AND ");
            holds(sql, &case.test, printings).push(")")
        }
    }
}

/// An operator of SQL; those of its paths are the same, but for `equal`.
fn sign(operator: Operator, equal: &'static str) -> &'static str {
    match operator {
        Operator::Has | Operator::Equal => equal,
        Operator::NotEqual => "<>",
        Operator::Less => "<",
        Operator::AtMost => "<=",
        Operator::Greater => ">",
        Operator::AtLeast => ">=",
    }
}

/// What stands before it, compared.
fn compares<'a, T>(sql: Statement<'a>, wanted: Comparison<T>) -> Statement<'a>
where
    T: SqlValue + ToSql<T::SqlType, Pg> + Send + 'a,
    T::SqlType: Send + 'a,
    Pg: HasSqlType<T::SqlType>,
{
    match wanted {
        Comparison::Is(operator, value) => {
            sql.push(" ").push(sign(operator, "=")).push(" ").value(value)
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

fn known<'a>(sql: Statement<'a>, test: &KnownTest) -> Statement<'a> {
    match test {
        KnownTest::Game(code) => sql.push("c.game_code = ").value(code.clone()),
        KnownTest::Set(code) => sql.push("c.set_code = ").value(code.clone()),
        KnownTest::Number(number) => sql.push("c.number = ").value(number.clone()),
        KnownTest::NumberValue(wanted) => compares(sql.push(NUMBER_VALUE), *wanted),
        KnownTest::Hidden => sql.push("u.card_id IS NOT NULL AND u.unlocked_at IS NULL"),
        KnownTest::Unlocked => sql.push("u.unlocked_at IS NOT NULL"),
        KnownTest::UnlockedOn(wanted) => {
            compares(sql.push("(u.unlocked_at AT TIME ZONE 'UTC')::date"), *wanted)
        }
        KnownTest::Submissions(wanted) => compares(sql.push("u.submissions"), *wanted),
    }
}

fn holds<'a>(sql: Statement<'a>, test: &Test, printings: bool) -> Statement<'a> {
    match test {
        Test::Any(tests) => each(sql, tests, " OR ", |sql, test| holds(sql, test, printings)),
        Test::Words(place, words) => side_by_side(sql, place, words),
        Test::Regex(place, pattern) => {
            in_texts(sql, place, |sql| sql.push(" ~ ").value(pattern.clone()))
        }
        Test::Name(key) => sql.push("content.search_key = ").value(key.clone()),
        Test::CardNames(keys) => {
            let search_keys = keys.iter().map(|key| search_key(key)).collect::<Vec<_>>();
            let keys = keys.iter().cloned().collect::<Vec<_>>();
            // With the list at hand, many names are hashed instead of being compared one by one.
            let sql =
                one_of(sql.custom_plan(SELECTIVITY).push("(content.search_key"), &search_keys);
            one_of(sql.push(" AND content.name_key"), &keys).push(")")
        }
        Test::NamePrefix(key) => sql
            .custom_plan(SELECTIVITY)
            .push("content.search_key LIKE ")
            .value(literally(key) + "%"),
        Test::TextIs(code, folded) => in_texts(sql, &Place::Attribute(code.clone()), |sql| {
            sql.push(" = ").value(folded.clone())
        }),
        Test::Number { sum, per_printing: true, compared } => {
            let path = number_path(sum, *compared);
            let sql = sql.push("(content.printing_numbers @? ").value(path);
            let sql = sql.push("::jsonpath");
            if !printings {
                return sql.push(")");
            }
            // A printing that fits is one of a card that has such a printing, which is soon told.
            let sql = added(sql.push(" AND "), sum, true);
            compares(sql, *compared).push(")")
        }
        Test::Number { sum, per_printing: false, compared } => {
            compares(added(sql, sum, false), *compared)
        }
        Test::Choice { attribute, per_printing, values } => {
            in_a_printing(sql, *per_printing, printings, |sql, own| {
                // An array holds one of the values, or a string is one.
                let sql = of_attribute(sql.push("jsonb_exists_any("), attribute, own);
                sql.push(", ").value(values.clone()).push(")")
            })
        }
        Test::Flag { attribute, per_printing, value } => {
            in_a_printing(sql, *per_printing, printings, |sql, own| {
                of_attribute(sql, attribute, own).push(" = ").value(Value::Bool(*value))
            })
        }
        Test::Kinds(kinds) => one_of(sql.push("content.kind"), kinds),
        Test::Rarities(rarities) if printings => one_of(sql.push("p.rarity"), rarities),
        Test::Rarities(rarities) => {
            let sql = sql.push(
                "EXISTS (SELECT FROM printings p WHERE p.card_id = content.card_id AND p.rarity",
            );
            one_of(sql, rarities).push(")")
        }
        Test::Styles(styles) => of_an_effect(sql, "style", styles),
        Test::Slots(slots) => of_an_effect(sql, "slot", slots),
        Test::HasAttribute(code) => {
            let sql = sql.push("(content.attributes -> ").value(code.clone());
            sql.push(") NOT IN ('null', '[]', '\"\"')")
        }
        Test::HasEffect => sql.push("content.effects <> '[]'"),
        Test::HasLore => sql.push("content.lore <> ''"),
        Test::Year(wanted) => compares(sql.push(YEAR), *wanted),
        Test::Released(wanted) => compares(sql.push(RELEASED_ON), *wanted),
    }
}

/// A path to the printings, among the numbers of all, in which a sum compares so. A printing that lacks one of them is none.
fn number_path(sum: &[String], wanted: Comparison<i64>) -> String {
    let attribute = |code: &String| format!("@.{}", Value::from(code.as_str()));
    let sum = sum.iter().map(attribute).collect::<Vec<_>>().join(" + ");
    match wanted {
        Comparison::Is(operator, value) => {
            format!("$[*] ? ({sum} {} {value})", sign(operator, "=="))
        }
        Comparison::Between(low, high) => format!("$[*] ? ({sum} >= {low} && {sum} <= {high})"),
    }
}

fn one_of<'a>(sql: Statement<'a>, values: &[String]) -> Statement<'a> {
    sql.push(" = ANY(").value(values.to_vec()).push(")")
}

fn of_an_effect<'a>(sql: Statement<'a>, member: &str, values: &[String]) -> Statement<'a> {
    let sql = sql
        .push("EXISTS (SELECT FROM jsonb_array_elements(content.effects) effect WHERE effect ->> ")
        .value(member.to_owned());
    one_of(sql, values).push(")")
}

/// A test of one printing: the one that is listed, or any that the card has. `write` is told whether there is a printing at hand.
fn in_a_printing<'a>(
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

/// The value of an attribute: the printing's own, where there is one at hand and it has one.
fn of_attribute<'a>(sql: Statement<'a>, code: &str, own: bool) -> Statement<'a> {
    let card =
        |sql: Statement<'a>| sql.push("(content.attributes -> ").value(code.to_owned()).push(")");
    if !own {
        return card(sql);
    }
    let sql = sql.push("coalesce(own.attributes -> ").value(code.to_owned()).push(", ");
    card(sql).push(")")
}

/// The sum of attributes; NULL when one is no number.
fn added<'a>(sql: Statement<'a>, attributes: &[String], own: bool) -> Statement<'a> {
    each(sql, attributes, " + ", |sql, code| {
        let sql =
            of_attribute(sql.push("CASE jsonb_typeof("), code, own).push(") WHEN 'number' THEN ");
        of_attribute(sql, code, own).push("::numeric END")
    })
}

/// The lexemes of all words, as the index has them.
const LEXEMES: &str = "array_to_tsvector(string_to_array(ltrim(content.words), ' '))";

/// Words that stand side by side; the last may go on.
fn side_by_side<'a>(sql: Statement<'a>, place: &Place, words: &[String]) -> Statement<'a> {
    // The attributes' texts are not among all words.
    let is_indexed = !matches!(place, Place::Attribute(_));
    let mut sql = sql.push("(");
    if is_indexed {
        sql = sql.push(LEXEMES).push(" @@ ").value(lexemes(words));
        sql = sql.push("::tsquery AND ");
    }
    let pattern: String = words.iter().map(|word| format!(" {}", literally(word))).collect();
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
    in_texts(sql, place, |sql| sql.push(" LIKE ").value(pattern.clone())).push(")")
}

/// A test of a folded text, or of one of two.
fn in_texts<'a>(
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

/// Words as a text search query that finds all of them; the last may go on.
fn lexemes(words: &[String]) -> String {
    let quoted = |word: &String| format!("'{}'", word.replace('\\', "\\\\").replace('\'', "''"));
    let list: Vec<String> = words.iter().map(quoted).collect();
    list.join(" & ") + ":*"
}

/// A text as a LIKE pattern that means nothing else.
pub(in crate::store) fn literally(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 1);
    for letter in text.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

/// What a list is sorted by; NULL for cards whose content the viewer may not see, wherever it depends on that.
fn sort_value<'a>(sql: Statement<'a>, sort: &SortKey, printings: bool) -> Statement<'a> {
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
                sql = added(sql.push(" THEN "), attributes, printings);
            }
            sql.push(" END")
        }
        SortKey::Choice { attribute, values } => {
            let sql = sql.push("array_position(").value(values.clone()).push(", ");
            of_attribute(sql, attribute, printings).push(" #>> '{}')")
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

/// The type of a sort key in a position.
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

/// The condition that an entry comes after a position.
fn follows<'a>(sql: Statement<'a>, query: &CardQuery, after: &Position) -> Statement<'a> {
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
    fn texts_mean_nothing_but_themselves() {
        assert_eq!(literally("ember"), "ember");
        assert_eq!(literally(r"50%_\"), r"50\%\_\\");
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
        assert_eq!(lexemes(&["it's".to_owned(), r"a\b".to_owned()]), r"'it''s' & 'a\\b':*");
    }
}
