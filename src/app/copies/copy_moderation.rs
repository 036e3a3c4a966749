//! Actions of moderators on copies: freeze, unfreeze, void.

use super::own_copies::CopyResponse;
use crate::app::accounts::people::Names;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ModerateCopies, ReadAccounts, Viewer};
use crate::domain::copies::ledger::MAX_REASON;
use crate::domain::ids::CopyId;
use crate::domain::text;
use crate::store::StoreError;
pub use crate::store::copies::copy_records::Moderation;
use crate::store::copies::copy_records::{self, ModerationOutcome};

/// Checks the reason that a moderator or an admin gives for something.
pub fn reason(raw: &str) -> Result<String, Problem> {
    text::line(raw, 1, MAX_REASON)
        .and_then(text::without_serial)
        .map_err(|error| Problem::invalid(vec![InputFault::at("/reason", error)]))
}

/// Freezes, unfreezes or voids a copy. `accounts` is the proof that the moderator may see the owner's name.
pub async fn moderate(
    app: &AppState,
    by: &Granted<ModerateCopies>,
    viewer: Viewer,
    accounts: Option<&Granted<ReadAccounts>>,
    copy: CopyId,
    action: Moderation,
    reason: &str,
) -> Result<CopyResponse, Problem> {
    let now = app.clock.now();
    let moderated = app.write(by, async |conn, by| {
        let moderated = copy_records::moderate(conn, by, viewer, copy, action, reason, now).await?;
        let names = match &moderated {
            ModerationOutcome::Done { copy: view, .. } => {
                Names::read(conn, accounts, [view.owner.0]).await?
            }
            ModerationOutcome::Missing | ModerationOutcome::Void | ModerationOutcome::OwnCase => {
                Names::default()
            }
        };
        Ok::<_, StoreError>((moderated, names))
    });
    let (moderated, names) = moderated.await?;
    match moderated {
        ModerationOutcome::Done { copy: view, already } => {
            if !already {
                tracing::info!(%copy, by = %by.account(), action = action.action(), "copy moderated");
            }
            Ok(CopyResponse::new(*view, Some(&names)))
        }
        ModerationOutcome::Missing => Err(Problem::not_found()),
        ModerationOutcome::Void => Err(Problem::new(ProblemCode::CopyVoid)),
        ModerationOutcome::OwnCase => Err(Problem::new(ProblemCode::OwnCase)),
    }
}
