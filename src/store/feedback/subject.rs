//! Subjects of comments: the permission for writing comments, and how subjects are found in the database.

use crate::auth::permission::{GiveDeckFeedback, GiveFeedback, Permission};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::feedback::subject::FeedbackSubject;
use crate::domain::ids::DeckId;
use crate::store::db::statement::Statement;
use crate::store::{decks, designs};

/// A subject of comments, by its public identifier.
pub trait Subject: Copy + Into<FeedbackSubject> {
    /// The permission for writing feedback about it.
    type Feedback: Permission;
}

impl Subject for DesignCode {
    type Feedback = GiveFeedback;
}

impl Subject for DeckId {
    type Feedback = GiveDeckFeedback;
}

/// How a subject is found.
pub(super) struct SubjectSql {
    /// Its table, for `{table} d JOIN accounts a ON a.id = d.account_id`.
    pub(super) table: &'static str,
    /// The condition for its row, with `$subject`.
    pub(super) is: &'static str,
    /// Whether it is public, so that it accepts feedback and its comments are shown.
    pub(super) is_open: &'static str,
    /// The column of comments that refers to it.
    pub(super) column: &'static str,
}

const DESIGNS: SubjectSql = SubjectSql {
    table: "designs",
    is: "d.code = $subject",
    is_open: designs::EVERYBODY_SEES,
    column: "design_id",
};

const DECKS: SubjectSql = SubjectSql {
    table: "decks",
    is: "d.id = $subject",
    is_open: decks::TAKES_FEEDBACK,
    column: "deck_id",
};

impl SubjectSql {
    /// The SQL for a subject.
    pub(super) fn of(subject: FeedbackSubject) -> &'static Self {
        match subject {
            FeedbackSubject::Design(_) => &DESIGNS,
            FeedbackSubject::Deck(_) => &DECKS,
        }
    }
}

/// Binds the parameter `$subject`.
pub(super) fn bind(statement: Statement<'_>, subject: FeedbackSubject) -> Statement<'_> {
    match subject {
        FeedbackSubject::Design(code) => statement.bind("subject", code),
        FeedbackSubject::Deck(id) => statement.bind("subject", id),
    }
}
