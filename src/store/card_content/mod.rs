//! The one door to what a hidden card must not tell. Only this module names the tables that hold it: `card_content`,
//! `printing_content`, `card_rulings` and `card_history`; a test looks.
//!
//! Everything that leaves here was asked for with a [`Viewer`], or is a yes or no about a name that the asker brought along.
//!
//! Two forms of the same rule: [`Sql::content_seen_by`] restricts a *source* of rows to what the viewer sees, so that strangers are
//! served from the indexes of open cards alone and a look-up by name takes as long whether a hidden card has that name or no
//! card at all; [`Sql::sight`], and [`Sql::sight_of_many`] where rows are many, is a *condition* on a row that was found by id, game, set or
//! number, which nobody keeps secret.

pub(super) mod bulk;
pub(super) mod cards;
pub(super) mod catalogue;
pub(super) mod collection;
pub(super) mod completion;
pub(super) mod content;
pub(super) mod copies;
pub(super) mod facets;
pub(super) mod history;
pub(super) mod identifier;
pub(super) mod lookups;
pub(super) mod pool;
pub(super) mod rulings;
pub(super) mod search;
pub(super) mod submission;
pub(super) mod words;

use diesel::pg::Pg;
use diesel::serialize::ToSql;
use diesel::sql_types::{Array, HasSqlType, Uuid as SqlUuid};

use super::db::statement::{Statement, sql};
use crate::auth::permission::Viewer;

/// The cards of which an account (the parameter that follows) holds a registered copy that is not void.
const HELD: &str = "SELECT held_as.card_id FROM copies held JOIN printings held_as ON held_as.id = held.printing_id \
                    WHERE held.voided_at IS NULL AND held.owner_id = ";

/// SQL text with its bind parameters, put together piece by piece.
struct Sql<'a> {
    statement: Statement<'a>,
    binds: usize,
    plan_depends_on_values: bool,
}

impl<'a> Sql<'a> {
    fn new(text: &str) -> Self {
        let statement = sql("").push(text);
        Self { statement, binds: 0, plan_depends_on_values: false }
    }

    /// Adds text.
    fn push(mut self, text: &str) -> Self {
        self.statement = self.statement.push(text);
        self
    }

    /// Adds a parameter.
    fn bind<T, V>(mut self, value: V) -> Self
    where
        T: Send + 'a,
        Pg: HasSqlType<T>,
        V: ToSql<T, Pg> + Send + 'a,
    {
        self.binds += 1;
        self.statement = self.statement.push(&format!("${}", self.binds)).bind::<T, V>(value);
        self
    }

    /// Adds `ANY(…)` of these values.
    ///
    /// They stand in a sub-select, so that they are no constant when Postgres plans: it would else plan each use anew, for a plan for just so many values
    /// promises to be cheaper than one for the ten that it expects of any list.
    fn any<T, V>(self, values: V) -> Self
    where
        T: Send + 'static,
        Pg: HasSqlType<Array<T>>,
        V: ToSql<Array<T>, Pg> + Send + 'a,
    {
        self.push("ANY(ARRAY(SELECT unnest(").bind::<Array<T>, V>(values).push(")))")
    }

    /// Notes that how Postgres finds the rows depends on the values of the parameters: a word may be in a few cards, or in most.
    fn plan_each_time(mut self) -> Self {
        self.plan_depends_on_values = true;
        self
    }

    /// The statement; its text is one of few.
    fn fixed(self) -> Statement<'a> {
        if self.plan_depends_on_values {
            self.statement.plan_each_time("a word may be in a few cards, or in most")
        } else {
            self.statement
        }
    }

    /// The statement; its text depends on what is searched for.
    fn composed(mut self) -> Statement<'a> {
        self.statement = self.statement.requested();
        self.fixed()
    }

    /// The statement; its text depends on the filters of an account's own list.
    fn filtered(mut self) -> Statement<'a> {
        self.statement = self.statement.filtered();
        self.fixed()
    }

    /// Adds a source of rows, named `content`, that holds exactly what the viewer may see.
    ///
    /// Visible is what is not hidden, what the viewer holds a registered copy of, and, to moderators and admins, everything.
    fn content_seen_by(self, viewer: Viewer) -> Self {
        if viewer.sees_all() {
            return self.push("card_content content");
        }
        let open = "(SELECT * FROM card_content WHERE open";
        match viewer.holder() {
            None => self.push(open).push(") content"),
            Some(account) => self
                .push(open)
                .push(" UNION ALL SELECT * FROM card_content WHERE NOT open AND card_id IN (")
                .push(HELD)
                .bind::<SqlUuid, _>(account.0)
                .push(")) content"),
        }
    }

    /// Adds the condition that the viewer may see the row `content`, for rows that may be most of the catalogue: what the viewer holds is
    /// read once.
    fn sight_of_many(self, viewer: Viewer) -> Self {
        match viewer.holder() {
            Some(account) if !viewer.sees_all() => self
                .push("(content.open OR content.card_id IN (")
                .push(HELD)
                .bind::<SqlUuid, _>(account.0)
                .push("))"),
            _ => self.sight(viewer),
        }
    }

    /// Adds the condition that the viewer may see the row `content`, for a card or a page of them.
    fn sight(self, viewer: Viewer) -> Self {
        if viewer.sees_all() {
            return self.push("true");
        }
        match viewer.holder() {
            None => self.push("content.open"),
            // By the card's printings: what the viewer holds may be much more, and a plan that is kept does not know.
            Some(account) => self
                .push("(content.open OR EXISTS (SELECT FROM copies held WHERE held.voided_at IS NULL AND held.owner_id = ")
                .bind::<SqlUuid, _>(account.0)
                .push(
                    " AND held.printing_id = ANY(ARRAY(SELECT held_as.id FROM printings held_as \
                     WHERE held_as.card_id = content.card_id))))",
                ),
        }
    }
}
