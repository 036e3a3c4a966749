//! Edits of cards by admins.

use super::cards::CardResponse;
use super::image_uris::Scans;
use super::import::problem_with_faults;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, WriteCatalogue};
use crate::domain::catalogue::card_edit::MergePatch;
use crate::domain::ids::CardId;
use crate::store::catalogue::cards::CardView;
use crate::store::catalogue::import::{self, EditError};
use crate::store::db::deadlines;

/// The result of an edit.
pub enum Edited<T> {
    /// The edit was stored; this is the new state.
    Done(T),
    /// The edit was a dry run; this would be the new state.
    Rehearsed(T),
}

impl<T> Edited<T> {
    /// Converts the result of an edit; a failure becomes a problem.
    pub(super) fn new<R: Into<T>>(done: Result<R, EditError<R>>) -> Result<Self, Problem> {
        match done {
            Ok(now) => Ok(Self::Done(now.into())),
            Err(EditError::Rehearsed(now)) => Ok(Self::Rehearsed(now.into())),
            Err(EditError::Missing) => Err(Problem::not_found()),
            Err(EditError::Stale) => Err(Problem::new(ProblemCode::PreconditionFailed)),
            Err(EditError::Refused(faults)) => {
                Err(problem_with_faults(ProblemCode::InvalidEdit, faults))
            }
            Err(EditError::Store(error)) => Err(error.into()),
        }
    }

    fn map<R>(self, answer: impl FnOnce(T) -> R) -> Edited<R> {
        match self {
            Self::Done(now) => Edited::Done(answer(now)),
            Self::Rehearsed(now) => Edited::Rehearsed(answer(now)),
        }
    }
}

/// Changes a card if it is still the version that the editor has read: `is_as_read` compares the response about it. A dry run changes nothing.
pub async fn edit_card(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    card: CardId,
    is_as_read: impl Fn(&CardResponse) -> bool,
    patch: &MergePatch,
    dry_run: bool,
) -> Result<Edited<CardResponse>, Problem> {
    let (at, scans) = (app.clock.now(), Scans::read(app).await?);
    let done = app
        .write_within(deadlines::CATALOGUE, by, async |conn, by| {
            let is_current = |view: &CardView| is_as_read(&CardResponse::new(view.clone(), &scans));
            let now = import::edit_card(conn, by, card, &app.games, is_current, patch, at).await?;
            // An error rolls the transaction back.
            if dry_run { Err(EditError::Rehearsed(now)) } else { Ok(now) }
        })
        .await;
    let edited = Edited::<CardView>::new(done)?.map(|now| CardResponse::new(now, &scans));
    if let Edited::Done(_) = edited {
        app.wait_until_current().await;
        tracing::info!(account = %by.account(), %card, "card changed");
    }
    Ok(edited)
}
