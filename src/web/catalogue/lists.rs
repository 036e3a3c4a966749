//! Lists of cards that a stranger may see.

use super::answers::{Cards, Warning, read};
use crate::app::answer_form::AnswerForm;
use crate::app::catalogue::card_list::{self, ListPage};
use crate::app::catalogue::card_query::{List, ListRequest};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::network::Network;
use crate::search::CardFilter;

/// A page of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    /// The cursor where the page before ended.
    pub(super) cursor: Option<&'a Cursor>,
    /// Most entries: 1 to 200.
    pub(super) limit: u16,
    /// Whether all entries are counted.
    pub(super) total: bool,
}

/// Reads a page of a list.
pub(super) async fn list(
    app: &AppState,
    network: Network,
    request: ListRequest,
    part: Part<'_>,
) -> Result<Cards, Problem> {
    part.cursor.map(List::require_cursor).transpose()?;
    let limit = PageLimit::try_from(part.limit).map_err(Problem::internal)?;
    let page = ListPage { cursor: part.cursor, limit, total: part.total, members: None };
    let (list, form) = (request.check(app).await?, AnswerForm::Json);
    let listed = card_list::list(app, network, Viewer::stranger(), form, list, page).await?;
    let warnings = listed.warnings.into_iter().map(Warning::from).collect();
    Ok(Cards { warnings, ..read(&listed.answer)? })
}

/// The cards of a set, by number.
pub(super) fn of_set(game: &str, set: &str) -> ListRequest {
    let filter = CardFilter {
        game: Some(game.to_owned()),
        set: Some(set.to_owned()),
        ..CardFilter::default()
    };
    ListRequest { filter, ..ListRequest::default() }
}
