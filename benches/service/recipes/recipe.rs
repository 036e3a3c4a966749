//! The language that recipes are written in.

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    /// Nobody in particular.
    Stranger,
    /// The account whose id is in the column `caller` of the row, logged in.
    Row,
    /// A moderator.
    Moderator,
    /// An admin.
    Admin,
}

/// What a row is compared with. Ratios are rates: ours divided by the yardstick's.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Yardstick {
    /// pgbench with these statements, one after the other, over the same connections. `:name` is a column of the row.
    Reads(&'static [&'static str]),
    /// The same in one transaction. Each takes a row of its own.
    Writes(&'static [&'static str]),
    /// An answer of fixed bytes by actix alone, in a process of its own: there is nothing to be asked.
    Static,
    /// Hashing passwords on every core and nothing else.
    Argon2,
    /// None; the text says why.
    None(&'static str),
}

/// How a row is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Requests, one after the other on each connection.
    Requests,
    /// A stream of events: a request is done when its first bytes are there, and its connection is closed then.
    FirstBytes,
}

/// What the operation is to reach.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    /// Requests in a second at 16 connections, on the two-core machine that the goals were set on.
    Rate(f64),
    /// Part of the yardstick's rate.
    Ratio(f64),
}

/// How requests of an operation are made, and what they are compared with.
///
/// Path, headers and body are texts with `<column>`, which a row of `rows` fills in: escaped as their place wants it, or as it stands when the
/// name of the column ends with `_json`. Beside the columns there are `<fresh>`, different in each request of a run, and `<serial>`, the code of
/// the column `code_number`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe {
    /// The operation's id in the contract.
    pub operation: &'static str,
    /// What the row is called: unlike all others.
    pub title: &'static str,
    pub method: &'static str,
    pub path: &'static str,
    /// Empty: none.
    pub body: &'static str,
    /// What is no text, behind the body.
    pub file: &'static [u8],
    pub content_type: &'static str,
    /// `name: value` lines.
    pub headers: &'static [&'static str],
    pub by: Caller,
    /// Statements that make what the requests use up, before `rows`. `:many` is how many rows there may be.
    pub prepare: &'static [&'static str],
    /// Prepares what SQL cannot.
    pub special: Special,
    /// A query for the rows that requests are made of, spread over everything there is. `:many` is how many are wanted.
    pub rows: &'static str,
    /// Most rows.
    pub many: u32,
    /// Whether a row is good for one request only: the run ends when they are used up.
    pub spends: bool,
    /// Statements that put things back when the run is over.
    pub restore: &'static [&'static str],
    pub measure: Measure,
    /// Connections, where 16 would not be the natural case.
    pub connections: Option<usize>,
    pub yardstick: Yardstick,
    pub goal: Option<Goal>,
    /// Why the row is as far from its goal or its yardstick as it is; empty: nothing to say.
    pub why: &'static str,
}

/// What SQL cannot prepare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    /// Nothing.
    Nothing,
    /// Gives the caller of each row a second factor, and the row the column `second_factor_code`. With false it waits for its first code.
    SecondFactor(bool),
}

/// Texts that make one request.
pub(crate) type Row = std::collections::BTreeMap<String, String>;

impl Recipe {
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

    /// A POST without a body, unless [`Self::body`] gives it one.
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

    /// A file as the body, the same in all requests.
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

    /// Each row is good for one request, and there are no more than so many.
    pub(super) const fn spends(self, many: u32) -> Self {
        Self { spends: true, many, ..self }
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
