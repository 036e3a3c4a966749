//! The definition of recipes for pages.

use super::recipe::{Caller, Recipe};

/// How a page is requested, and the answers of the API that it is compared with. Paths contain `<column>` as in [`Recipe`],
/// for the page and its answers from the same row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageRecipe {
    /// The request of the page: a GET by [`Caller::Stranger`], or by [`Caller::Row`] with the cookie of a browser. It has no
    /// operation and no yardstick.
    pub page: Recipe,
    /// The requests that a client would need in order to show the same, and no more. Empty: it would need none.
    pub answers: &'static [Recipe],
}

impl PageRecipe {
    pub(super) const fn new(title: &'static str, path: &'static str) -> Self {
        Self { page: Recipe::get("", title, path), answers: &[] }
    }

    pub(super) const fn answers(self, answers: &'static [Recipe]) -> Self {
        Self { answers, ..self }
    }

    pub(super) const fn by(self, by: Caller) -> Self {
        Self { page: self.page.by(by), ..self }
    }

    pub(super) const fn prepare(self, prepare: &'static [&'static str]) -> Self {
        Self { page: self.page.prepare(prepare), ..self }
    }

    pub(super) const fn rows(self, rows: &'static str) -> Self {
        Self { page: self.page.rows(rows), ..self }
    }

    pub(super) const fn restore(self, restore: &'static [&'static str]) -> Self {
        Self { page: self.page.restore(restore), ..self }
    }

    pub(super) const fn why(self, why: &'static str) -> Self {
        Self { page: self.page.why(why), ..self }
    }
}
