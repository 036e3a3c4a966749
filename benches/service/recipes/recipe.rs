//! The definition of recipes.

/// The sender of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    /// A client without an account.
    Stranger,
    /// A logged-in account, whose id is in the column `caller` of the row.
    Row,
    Moderator,
    Admin,
}

/// The yardstick of a row. Ratios are the rate of the service divided by that of the yardstick.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Yardstick {
    /// pgbench with these statements, one after the other, over the same connections. `:name` is a column of the row.
    Reads(&'static [&'static str]),
    /// The same in one transaction. Each transaction uses another row.
    Writes(&'static [&'static str]),
    /// The statements of the service itself, in one transaction, into its own tables with all that is checked there.
    OwnWrites(&'static [&'static str]),
    /// A fixed answer of 15 bytes by only actix in a separate process, for requests without statements.
    Static,
    /// The same, with as many bytes as an answer of the service has on average, for pictures and other files.
    StaticFile,
    /// Only hashing of passwords, on all cores.
    Argon2,
    /// No yardstick; the text gives the reason.
    None(&'static str),
}

/// The way in which a row is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Complete requests, one after the other on each connection.
    Requests,
    /// Event streams: a request ends with its first bytes, and then its connection is closed.
    FirstBytes,
}

/// The goal of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    /// Requests per second with 16 connections, on the two-core machine for which the goals were set.
    Rate(f64),
    /// A fraction of the yardstick's rate.
    Ratio(f64),
}

/// How the requests of an operation are created, and what they are compared with.
///
/// Path, headers and body may contain `<column>`, which is replaced by the value of a row of `rows`: escaped as its position
/// requires, or unchanged if the name of the column ends with `_json`. In addition there are `<unique>`, which is different in
/// each request of a run, and `<serial>`, the code for the column `code_number`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe {
    /// The operation's id in the contract.
    pub operation: &'static str,
    /// The title of the row, which is unique.
    pub title: &'static str,
    pub method: &'static str,
    pub path: &'static str,
    /// The body of the request; empty: none.
    pub body: &'static str,
    /// Bytes that are sent after the body, for binary files.
    pub file: &'static [u8],
    pub content_type: &'static str,
    /// `name: value` lines.
    pub headers: &'static [&'static str],
    pub by: Caller,
    /// Statements that run before `rows`, and create the data that requests use up. `:many` is the highest number of rows.
    pub prepare: &'static [&'static str],
    /// A preparation that SQL cannot do.
    pub special: Special,
    /// A query for the rows from which requests are created, distributed over all data. `:many` is the number of rows.
    pub rows: &'static str,
    /// Highest number of rows.
    pub many: u32,
    /// Whether each row can be used for only one request. Then the run ends when all are used up.
    pub spends: bool,
    /// Whether the yardstick has rows of its own, as many as the service. The pages of a row that the service has used up are in
    /// memory, and already in the log since the last checkpoint, when a yardstick uses the row again: where each row is at another
    /// place of large tables, this is most of the work.
    pub divides_rows: bool,
    /// Statements that restore the data after the run.
    pub restore: &'static [&'static str],
    pub measure: Measure,
    /// Number of connections; `None`: 16.
    pub connections: Option<usize>,
    pub yardstick: Yardstick,
    pub goal: Option<Goal>,
    /// Why the row is far from its goal or yardstick; empty: no explanation.
    pub why: &'static str,
}

/// Preparations that SQL cannot do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    /// No preparation.
    Nothing,
    /// Gives the caller of each row a second factor, and adds the column `second_factor_code` to the row. If false, the second
    /// factor is not yet confirmed by a first code.
    SecondFactor(bool),
}

/// The values of one request, by column.
pub(crate) type Row = std::collections::BTreeMap<String, String>;

impl Recipe {
    /// Number of rows for the service and the yardstick together.
    pub(crate) const fn rows_to_draw(&self) -> u32 {
        if self.divides_rows { 2 * self.many } else { self.many }
    }

    const fn new(
        operation: &'static str,
        title: &'static str,
        method: &'static str,
        path: &'static str,
    ) -> Self {
        Self {
            operation,
            title,
            method,
            path,
            body: "",
            file: b"",
            content_type: "application/json",
            headers: &[],
            by: Caller::Stranger,
            prepare: &[],
            special: Special::Nothing,
            rows: "SELECT 1 AS one",
            many: 4_000,
            spends: false,
            divides_rows: false,
            restore: &[],
            measure: Measure::Requests,
            connections: None,
            yardstick: Yardstick::None("not yet written"),
            goal: None,
            why: "",
        }
    }

    pub(super) const fn get(op: &'static str, title: &'static str, path: &'static str) -> Self {
        Self::new(op, title, "GET", path)
    }

    pub(super) const fn delete(op: &'static str, title: &'static str, path: &'static str) -> Self {
        Self::new(op, title, "DELETE", path)
    }

    /// A POST request; without a body, unless [`Self::body`] sets one.
    pub(super) const fn post(op: &'static str, title: &'static str, path: &'static str) -> Self {
        Self::new(op, title, "POST", path)
    }

    pub(super) const fn put(op: &'static str, title: &'static str, path: &'static str) -> Self {
        Self::new(op, title, "PUT", path)
    }

    pub(super) const fn patch(op: &'static str, title: &'static str, path: &'static str) -> Self {
        Self::new(op, title, "PATCH", path)
    }

    pub(super) const fn body(self, body: &'static str) -> Self {
        Self { body, ..self }
    }

    /// Sets a file as the body of all requests.
    pub(super) const fn file(self, file: &'static [u8]) -> Self {
        Self { file, ..self }
    }

    pub(super) const fn content_type(self, content_type: &'static str) -> Self {
        Self { content_type, ..self }
    }

    pub(super) const fn headers(self, headers: &'static [&'static str]) -> Self {
        Self { headers, ..self }
    }

    pub(super) const fn by(self, by: Caller) -> Self {
        Self { by, ..self }
    }

    pub(super) const fn prepare(self, prepare: &'static [&'static str]) -> Self {
        Self { prepare, ..self }
    }

    pub(super) const fn special(self, special: Special) -> Self {
        Self { special, ..self }
    }

    pub(super) const fn rows(self, rows: &'static str) -> Self {
        Self { rows, ..self }
    }

    /// Each row can be used for only one request, and there are at most this many.
    pub(super) const fn spends(self, many: u32) -> Self {
        Self { spends: true, many, ..self }
    }

    /// Like [`Recipe::spends`], and the yardstick draws from as many other rows.
    pub(super) const fn spends_as_the_yardstick(self, many: u32) -> Self {
        Self { divides_rows: true, ..self.spends(many) }
    }

    pub(super) const fn restore(self, restore: &'static [&'static str]) -> Self {
        Self { restore, ..self }
    }

    pub(super) const fn first_bytes(self) -> Self {
        Self { measure: Measure::FirstBytes, ..self }
    }

    pub(super) const fn connections(self, connections: usize) -> Self {
        Self { connections: Some(connections), ..self }
    }

    pub(super) const fn reads(self, statements: &'static [&'static str]) -> Self {
        Self { yardstick: Yardstick::Reads(statements), ..self }
    }

    pub(super) const fn writes(self, statements: &'static [&'static str]) -> Self {
        Self { yardstick: Yardstick::Writes(statements), ..self }
    }

    pub(super) const fn like(self, yardstick: Yardstick) -> Self {
        Self { yardstick, ..self }
    }

    pub(super) const fn goal(self, goal: Goal) -> Self {
        Self { goal: Some(goal), ..self }
    }

    pub(super) const fn why(self, why: &'static str) -> Self {
        Self { why, ..self }
    }
}
