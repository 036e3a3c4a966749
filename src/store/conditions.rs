//! Checked conditions of the query language as SQL, with every value as a bound parameter: for cards, and for designs
//! of players.
//!
//! Conditions apply to rows named `content` with the columns `kind`, `search_key`, `name_key` (where names are compared
//! with their accents), `attributes`, `effects`, `printing_numbers`, `words`, `name_words`, `effect_words`,
//! `lore_words` and `attribute_words`, which also has the texts of printings ([`printing_words`](crate::search::printing_words));
//! [`Rows`] defines the rest.
//!
//! A test of content is written as "the viewer sees the content, and the test holds (or fails)". So no test of content,
//! negated or not, reveals anything about rows that the viewer may not see.

use cardscape_engine::search_key;
use diesel::pg::Pg;
use diesel::serialize::ToSql;
use diesel::sql_types::HasSqlType;
use serde_json::Value;

use crate::search::{Case, Comparison, KnownTest, Operator, Place, Predicate, Test};
use crate::store::db::codecs::SqlValue;
use crate::store::db::like::escape_like;
use crate::store::db::statement::Statement;
use crate::store::indexed_words::{LEXEMES, is_indexed, phrase_tsquery};

/// Why searches need a custom plan.
const SELECTIVITY: &str = "a word may be in a few cards, or in most";

/// The rows that conditions apply to, as SQL.
pub(in crate::store) struct Rows {
    /// Whether the viewer may see the content of a row.
    pub(in crate::store) is_visible: &'static str,
    /// Code of its game.
    pub(in crate::store) game: &'static str,
    /// The printings of a row under the name `own`, with their attributes, and the condition that they belong to the
    /// row.
    pub(in crate::store) printings: &'static str,
    /// The same under the name `p`, with their rarity.
    pub(in crate::store) rarities: &'static str,
    /// Whether the row has lore.
    pub(in crate::store) has_lore: &'static str,
    /// The release year of its set.
    pub(in crate::store) year: &'static str,
    /// The release day of its set.
    pub(in crate::store) released_on: &'static str,
    /// Terms in `content.terms` such that exactly the rows with one of them pass the test; `None`: no terms express
    /// this test.
    pub(in crate::store) terms: fn(&Test) -> Option<Vec<String>>,
    /// Writes a test of the public values of a row.
    pub(in crate::store) known: for<'a> fn(Statement<'a>, &KnownTest) -> Statement<'a>,
}

/// Writes conditions on rows.
pub(in crate::store) struct Conditions<'r> {
    pub(in crate::store) rows: &'r Rows,
    /// Whether printings are listed one by one: `p`, with their attributes in `own`.
    pub(in crate::store) of_printings: bool,
    /// Whether the rows are few, because an index has found them already: one plan is then good for all values, and no
    /// other index is needed.
    pub(in crate::store) of_few: bool,
}

impl Conditions<'_> {
    /// Adds a condition.
    pub(in crate::store) fn predicate<'a>(
        &self,
        sql: Statement<'a>,
        predicate: &Predicate,
    ) -> Statement<'a> {
        match predicate {
            Predicate::All(parts) if parts.is_empty() => sql.push("true"),
            Predicate::All(parts) => {
                push_joined(sql, parts, " AND ", |sql, part| self.predicate(sql, part))
            }
            Predicate::Any(parts) if parts.is_empty() => sql.push("false"),
            Predicate::Any(parts) => {
                push_joined(sql, parts, " OR ", |sql, part| self.predicate(sql, part))
            }
            Predicate::Known { negated, test } => {
                (self.rows.known)(sql.push("("), test).push(truth_suffix(*negated))
            }
            Predicate::Content { negated, cases } if cases.is_empty() => {
                sql.push(if *negated { self.rows.is_visible } else { "false" })
            }
            Predicate::Content { negated, cases } => {
                let sql = sql.push("(").push(self.rows.is_visible).push(" AND (");
                let sql = push_joined(sql, cases, " OR ", |sql, case| self.case(sql, case));
                sql.push(truth_suffix(*negated)).push(")")
            }
        }
    }

    fn case<'a>(&self, sql: Statement<'a>, case: &Case) -> Statement<'a> {
        match &case.games {
            None => self.test(sql, &case.test),
            Some(games) => {
                let sql = sql.push("(").push(self.rows.game).push(" = ANY(");
                self.test(sql.value(games.clone()).push(") AND "), &case.test).push(")")
            }
        }
    }

    fn test<'a>(&self, sql: Statement<'a>, test: &Test) -> Statement<'a> {
        if let Some(terms) = (self.rows.terms)(test) {
            return sql.push("content.terms && ").value(terms);
        }
        match test {
            Test::Any(tests) => push_joined(sql, tests, " OR ", |sql, test| self.test(sql, test)),
            Test::Words(place, words) => self.phrase(sql, place, words),
            // Without the spaces around parts of a text: ` a b | c` is `a b|c`.
            Test::Regex(place, pattern) => self.text_test(sql, place, "replace(ltrim(", |sql| {
                sql.push("), ' | ', '|') ~ ").value(pattern.clone())
            }),
            Test::Name(key) => sql.push("content.search_key = ").value(key.clone()),
            Test::CardNames(keys) => {
                let search_keys = keys.iter().map(|key| search_key(key)).collect::<Vec<_>>();
                let keys = keys.iter().cloned().collect::<Vec<_>>();
                // With a custom plan the list is a constant, so that Postgres hashes many names instead of comparing each.
                let sql = push_any_of(
                    self.planned_for_values(sql).push("(content.search_key"),
                    &search_keys,
                );
                push_any_of(sql.push(" AND content.name_key"), &keys).push(")")
            }
            Test::NamePrefix(key) => self
                .planned_for_values(sql)
                .push("content.search_key LIKE ")
                .value(escape_like(key) + "%"),
            Test::TextIs { attribute, per_printing, folded } => {
                let (attribute, per_printing) = (attribute.clone(), *per_printing);
                let place = Place::Attribute { attribute, per_printing };
                self.text_test(sql, &place, "", |sql| sql.push(" = ").value(folded.clone()))
            }
            Test::Number { sum, per_printing: true, compared } => {
                let path = number_path(sum, *compared);
                let sql = sql.push("(content.printing_numbers @? ").value(path);
                let sql = sql.push("::jsonpath");
                if !self.of_printings {
                    return sql.push(")");
                }
                // The condition on the card is tested first: it is cheap, and only cards that pass it have such a
                // printing.
                let sql = push_sum(sql.push(" AND "), sum, true);
                push_comparison(sql, *compared).push(")")
            }
            Test::Number { sum, per_printing: false, compared } => {
                push_comparison(push_sum(sql, sum, false), *compared)
            }
            Test::Choice { attribute, per_printing, values } => {
                self.printing_test(sql, *per_printing, |sql, own| {
                    // An array contains one of the values, or a string equals one.
                    let sql = push_attribute(sql.push("jsonb_exists_any("), attribute, own);
                    sql.push(", ").value(values.clone()).push(")")
                })
            }
            Test::Flag { attribute, per_printing, value } => {
                self.printing_test(sql, *per_printing, |sql, own| {
                    push_attribute(sql, attribute, own).push(" = ").value(Value::Bool(*value))
                })
            }
            Test::Kinds(kinds) => push_any_of(sql.push("content.kind"), kinds),
            Test::Rarities(rarities) if self.of_printings => {
                push_any_of(sql.push("p.rarity"), rarities)
            }
            Test::Rarities(rarities) => {
                let sql =
                    sql.push("EXISTS (SELECT FROM ").push(self.rows.rarities).push(" AND p.rarity");
                push_any_of(sql, rarities).push(")")
            }
            Test::Styles(styles) => push_effect_test(sql, "style", styles),
            Test::Slots(slots) => push_effect_test(sql, "slot", slots),
            Test::HasAttribute { attribute, per_printing } => {
                self.printing_test(sql, *per_printing, |sql, own| {
                    push_attribute(sql, attribute, own).push(" NOT IN ('null', '[]', '\"\"')")
                })
            }
            Test::HasEffect => sql.push("content.effects <> '[]'"),
            Test::HasLore => sql.push(self.rows.has_lore),
            Test::Year(wanted) => push_comparison(sql.push(self.rows.year), *wanted),
            Test::Released(wanted) => push_comparison(sql.push(self.rows.released_on), *wanted),
        }
    }

    /// Adds a test of one printing: of the listed one, or of any printing of the row. The second argument of `write`
    /// says whether a printing is in scope.
    fn printing_test<'a>(
        &self,
        sql: Statement<'a>,
        per_printing: bool,
        write: impl FnOnce(Statement<'a>, bool) -> Statement<'a>,
    ) -> Statement<'a> {
        if !per_printing || self.of_printings {
            return write(sql, per_printing);
        }
        let sql = sql.push("EXISTS (SELECT FROM ").push(self.rows.printings).push(" AND ");
        write(sql, true).push(")")
    }

    fn planned_for_values<'a>(&self, sql: Statement<'a>) -> Statement<'a> {
        if self.of_few { sql } else { sql.custom_plan(SELECTIVITY) }
    }

    /// Adds a test for words in a row; the last may be a prefix.
    fn phrase<'a>(&self, sql: Statement<'a>, place: &Place, words: &[String]) -> Statement<'a> {
        let sql = sql.push("(");
        let pattern: String = words.iter().map(|word| format!(" {}", escape_like(word))).collect();
        let pattern = format!("%{pattern}%");
        let sql = if matches!(place, Place::Everywhere) && words.len() == 1 {
            // A condition with the same meaning as that of the lexemes, which is cheaper where cards are tested one after
            // the other. If it had the same form, Postgres would multiply its selectivity again, and never expect enough
            // matches to walk through the cards in order; for this form it has no estimate.
            let sql = self.planned_for_values(sql).push("coalesce(content.words LIKE ");
            sql.value(pattern).push(", false)")
        } else {
            self.text_test(sql, place, "", |sql| sql.push(" LIKE ").value(pattern.clone()))
        };
        if !is_indexed(place) || self.of_few {
            return sql.push(")");
        }
        // Last: inside of `OR` and `NOT`, Postgres tests in this order, and the lexemes of a row take many times as long.
        let sql = sql.push(" AND ").push(LEXEMES).push(" @@ ").value(phrase_tsquery(words));
        sql.push("::tsquery)")
    }

    /// Adds a test of the folded text of a place, with what is `before` the text and what `test` adds after it; for `Text`, one of its two texts must pass,
    /// and for an attribute in which printings may differ, that of the listed printing, or of any printing of the row.
    fn text_test<'a>(
        &self,
        sql: Statement<'a>,
        place: &Place,
        before: &str,
        test: impl Fn(Statement<'a>) -> Statement<'a>,
    ) -> Statement<'a> {
        let sql = self.planned_for_values(sql);
        let test_of = |sql: Statement<'a>, text: &str| test(sql.push(before).push(text));
        match place {
            Place::Everywhere => test_of(sql, "content.words"),
            Place::Name => test_of(sql, "content.name_words"),
            Place::Effects => test_of(sql, "content.effect_words"),
            Place::Lore => test_of(sql, "content.lore_words"),
            Place::Text => {
                let sql = test_of(sql.push("("), "content.effect_words").push(" OR ");
                test_of(sql, "content.lore_words").push(")")
            }
            Place::Attribute { attribute, per_printing: false } => {
                test(push_text(sql.push(before), attribute))
            }
            Place::Attribute { attribute, per_printing: true } if self.of_printings => {
                test(push_text_of_printing(sql.push(before), attribute))
            }
            Place::Attribute { attribute, per_printing: true } => {
                let sql = sql.push("EXISTS (SELECT FROM ").push(self.rows.rarities).push(" AND ");
                test(push_text_of_printing(sql.push(before), attribute)).push(")")
            }
        }
    }
}

/// Closes a test. A test that is NULL, because a value is missing, counts as failed.
fn truth_suffix(negated: bool) -> &'static str {
    if negated { ") IS NOT TRUE" } else { ")" }
}

/// Adds the parts in parentheses, with an operator between them: `(a OR b OR c)`.
pub(in crate::store) fn push_joined<'a, T>(
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

/// The operator in SQL. In a jsonpath all operators are the same except `equal`.
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

/// Adds the comparison with the value that was pushed before.
pub(in crate::store) fn push_comparison<'a, T>(
    sql: Statement<'a>,
    wanted: Comparison<T>,
) -> Statement<'a>
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

/// A jsonpath for the printings, in `printing_numbers`, whose sum of these attributes passes the comparison. A printing
/// without one of the attributes does not pass.
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

/// Adds the value of an attribute: that of the printing in scope (`own`) if it has one, otherwise that of the card.
pub(in crate::store) fn push_attribute<'a>(
    sql: Statement<'a>,
    code: &str,
    own: bool,
) -> Statement<'a> {
    let card =
        |sql: Statement<'a>| sql.push("(content.attributes -> ").value(code.to_owned()).push(")");
    if !own {
        return card(sql);
    }
    let sql = sql.push("coalesce(own.attributes -> ").value(code.to_owned()).push(", ");
    card(sql).push(")")
}

/// Adds the folded text of an attribute of the row.
fn push_text<'a>(sql: Statement<'a>, code: &str) -> Statement<'a> {
    sql.push("(content.attribute_words ->> ").value(code.to_owned()).push(")")
}

/// Adds the folded text of an attribute: that of the printing in scope (`p`) if it has one, otherwise that of the row.
fn push_text_of_printing<'a>(sql: Statement<'a>, code: &str) -> Statement<'a> {
    let sql = sql.push("coalesce(content.attribute_words ->> (p.rarity || '/' || ");
    push_text(sql.value(code.to_owned()).push("), "), code).push(")")
}

/// Adds the sum of attributes; NULL when one of them is not a number.
pub(in crate::store) fn push_sum<'a>(
    sql: Statement<'a>,
    attributes: &[String],
    own: bool,
) -> Statement<'a> {
    push_joined(sql, attributes, " + ", |sql, code| {
        let sql =
            push_attribute(sql.push("CASE jsonb_typeof("), code, own).push(") WHEN 'number' THEN ");
        push_attribute(sql, code, own).push("::numeric END")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_in_paths_are_escaped() {
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
    }
}
