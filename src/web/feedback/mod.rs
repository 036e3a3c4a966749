//! Comments and reports: what the pages of designs and of decks have in common.

pub(super) mod comment_form;
pub(super) mod comments;
pub(super) mod hidden_comments;
pub(super) mod reports;
pub(super) mod words;

use super::page::Place;

/// The page that comments or a report belong to.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// Its section of the navigation.
    pub(super) place: Place,
    /// Path and name of the list in which it is.
    pub(super) list: &'static str,
    pub(super) list_name: &'static str,
    /// Its path and its name.
    pub(super) path: String,
    pub(super) name: String,
}
