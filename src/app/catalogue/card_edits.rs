//! Edits of cards by admins.

use super::cards::CardResponse;
use super::image_uris::Scans;
use super::import::faulty;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::{Granted, WriteCatalogue};
use crate::domain::catalogue::card_edit::MergePatch;
use crate::domain::ids::CardId;
use crate::store::catalogue::cards::CardView;
use crate::store::catalogue::import::{self, EditError};
use crate::store::db::deadlines;

/// What an edit made of a thing.
pub enum Edited<T> {
    /// What the thing is now.
    Done(T),
    /// What it would be: the edit was a rehearsal.
    Rehearsed(T),
}

impl<T> Edited<T> {
    /// The edit, or why it failed.
    pub(super) fn new<R: Into<T>>(done: Result<R, EditError<R>>) -> Result<Self, Problem> {
        match done {
            Ok(now) => Ok(Self::Done(now.into())),
            Err(EditError::Rehearsed(now)) => Ok(Self::Rehearsed(now.into())),
            Err(EditError::Missing) => Err(Problem::not_found()),
            Err(EditError::Stale) => Err(Problem::new(ProblemCode::PreconditionFailed)),
            Err(EditError::Refused(faults)) => Err(faulty(ProblemCode::InvalidEdit, faults)),
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

/// Changes a card, if it is the version that the editor has seen; a rehearsal (`dry_run`) changes nothing.
pub async fn edit_card(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    card: CardId,
    seen: &IfMatch,
    patch: &MergePatch,
    dry_run: bool,
) -> Result<Edited<CardResponse>, Problem> {
    let (at, scans) = (app.clock.now(), Scans::read(app).await?);
    let done = app
        .write_within(deadlines::CATALOGUE, by, async |conn, by| {
            let is_current =
                |view: &CardView| seen.has_seen(&CardResponse::new(view.clone(), &scans));
            let now = import::edit_card(conn, by, card, &app.games, is_current, patch, at).await?;
            // An error rolls everything back.
            if dry_run { Err(EditError::Rehearsed(now)) } else { Ok(now) }
        })
        .await;
    let edited = Edited::<CardView>::new(done)?.map(|now| CardResponse::new(now, &scans));
    if let Edited::Done(_) = edited {
        tracing::info!(account = %by.account(), %card, "card changed");
    }
    Ok(edited)
}
