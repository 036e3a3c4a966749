//! Actions of moderators on copies: freeze, unfreeze, void.

use super::own_copies::CopyResponse;
use crate::app::accounts::people::Names;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::problem_cause::ProblemCause;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ModerateCopies, ReadAccounts, Viewer};
use crate::domain::copies::ledger::MAX_REASON;
use crate::domain::ids::CopyId;
use crate::domain::text;
use crate::store::StoreError;
use crate::store::copies::copy_records::{self, ModerationOutcome};
pub use crate::store::copies::copy_records::{Moderation, ModerationRequest};

/// Checks the reason that a moderator or an admin gives for something.
pub fn reason(raw: &str) -> Result<String, Problem> {
    text::line(raw, 1, MAX_REASON)
        .and_then(text::without_serial)
        .map_err(|error| Problem::invalid(vec![InputFault::at("/reason", error)]))
}

/// A copy after the action of a moderator.
pub struct ModeratedCopy {
    pub copy: CopyResponse,
    /// Whether it was in that state before, so that nothing was done and the reason was not stored.
    pub already: bool,
}

/// Freezes, unfreezes or voids a copy. `accounts` is the proof that the moderator may see the owner's name.
pub async fn moderate(
    app: &AppState,
    by: &Granted<ModerateCopies>,
    viewer: Viewer,
    accounts: Option<&Granted<ReadAccounts>>,
    copy: CopyId,
    request: ModerationRequest<'_>,
) -> Result<ModeratedCopy, Problem> {
    let now = app.clock.now();
    let moderated = app.write(by, async |conn, by| {
        let moderated = copy_records::moderate(conn, by, viewer, copy, request, now).await?;
        let names = match &moderated {
            ModerationOutcome::Done { copy: view, .. } => {
                Names::read(conn, accounts, [view.owner.0]).await?
            }
            ModerationOutcome::Missing
            | ModerationOutcome::Void
            | ModerationOutcome::OwnCase
            | ModerationOutcome::OtherOwner => Names::default(),
        };
        Ok::<_, StoreError>((moderated, names))
    });
    let (moderated, names) = moderated.await?;
    match moderated {
        ModerationOutcome::Done { copy: view, already } => {
            if !already {
                tracing::info!(%copy, by = %by.account(), action = request.action.action(), "copy moderated");
            }
            Ok(ModeratedCopy { copy: CopyResponse::new(*view, Some(&names)), already })
        }
        ModerationOutcome::Missing => Err(Problem::not_found()),
        ModerationOutcome::Void => Err(Problem::new(ProblemCode::CopyVoid)),
        ModerationOutcome::OwnCase => Err(Problem::new(ProblemCode::OwnCase)),
        ModerationOutcome::OtherOwner => {
            Err(Problem::new(ProblemCode::EditConflict).because(ProblemCause::OtherOwner))
        }
    }
}
