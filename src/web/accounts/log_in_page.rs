//! The page with the form of the log-in. Pages of serial codes show it, too, so it is apart from the log-in, which registers a serial code.

use askama::Template;

use super::log_in_target::LogInTarget;
use super::words as account_words;
use crate::web::forms::Faults;
use crate::web::page::{Frame, Place};
use crate::web::serials::TypedCode;
use crate::web::words;

/// The form of the log-in.
#[derive(Template)]
#[template(path = "web/accounts/log_in.html")]
pub(in crate::web) struct LogInPage {
    frame: Frame,
    faults: Faults,
    /// Confirmation of the action that was completed before the log-in; empty: no action.
    done: &'static str,
    name: String,
    target: LogInTarget,
    ways: [FormLink; 2],
}

/// A link to another form for a visitor who needs that form instead. It passes the same values on.
#[derive(Clone, Copy)]
pub(super) struct FormLink {
    pub(super) path: &'static str,
    pub(super) text: &'static str,
}

impl LogInPage {
    pub(super) fn new(faults: Faults, name: String, target: LogInTarget) -> Self {
        let ways = [
            FormLink { path: "/join", text: account_words::HAS_NO_ACCOUNT },
            FormLink { path: "/recover", text: account_words::LOST_PASSWORD },
        ];
        let frame = Frame::new(account_words::LOG_IN).at(Place::Account);
        Self { frame, faults, done: "", name, target, ways }
    }

    /// The form for a visitor who is not logged in and has typed a serial code, and perhaps a name.
    pub(in crate::web) fn before_submitting(code: &TypedCode, name: &str) -> Self {
        Self::new(Faults::none(), name.to_owned(), LogInTarget::typed(code.clone()))
    }

    /// The form for a visitor who has just set a new password.
    pub(super) fn recovered(name: String, target: LogInTarget) -> Self {
        let done = account_words::RECOVERED;
        Self { done, ..Self::new(Faults::none(), name, target) }
    }
}
