//! Checks and imports a file.

use std::sync::Arc;

use actix_web::HttpResponse;

use super::catalogue_words;
use super::import_file::{Described, ImportResult, TypedImport};
use super::import_page::{FormMessages, refused, show, stale};
use crate::app::catalogue::import::{ImportResponse, ImportTarget, code_of_set};
use crate::app::catalogue::{games, sets};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::{Revision, Versions};
use crate::auth::permission::{Granted, WriteCatalogue};
use crate::domain::code::Code;
use crate::web::forms::Faults;
use crate::web::page_status::PageStatus;

/// The manifest of a game and its revision; `None`: the game does not exist.
pub(super) async fn stored_manifest(
    app: &AppState,
    game: &Code,
) -> Result<Option<(Revision, String)>, Problem> {
    match games::find_manifest(app, game).await {
        Ok(stored) => Ok(Some((Revision(stored.revision), stored.text))),
        Err(problem) if problem.code() == ProblemCode::NotFound => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// Checks a file and shows the result, below `faults`.
pub(super) async fn check(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    mut typed: TypedImport,
    faults: Faults,
) -> Result<HttpResponse, Problem> {
    typed.checked.clear();
    if typed.text.trim().is_empty() {
        let messages = FormMessages::faults(Faults::one("text", catalogue_words::NO_TEXT));
        return show(app, by, PageStatus::INVALID_FORM, typed, messages).await;
    }
    let Ok(game) = Code::try_from(typed.game.as_str()) else {
        let messages = FormMessages::faults(Faults::one("game", catalogue_words::NO_GAME));
        return show(app, by, PageStatus::INVALID_FORM, typed, messages).await;
    };
    let stored = match typed.of {
        Described::Set => None,
        Described::Game => stored_manifest(app, &game).await?,
    };
    let revision = stored.as_ref().map(|(revision, _)| *revision);
    // Only a form that was loaded with a stored manifest can be stale. A file from elsewhere replaces the stored manifest, as its check shows.
    let is_stale = typed.base_revision().is_some_and(|base| Some(base) != revision);
    if typed.of == Described::Game && is_stale {
        return stale(app, by, typed, stored).await;
    }
    typed.set_base_revision(revision);
    let imported = import(app, by, &mut typed, true).await;
    match imported {
        Ok(import) => {
            typed.set_checked();
            let status = if faults.is_empty() { PageStatus::OK } else { PageStatus::CONFLICT };
            let result = Some(ImportResult::new(import));
            show(app, by, status, typed, FormMessages { faults, result, ..FormMessages::default() })
                .await
        }
        // Another import changed the manifest between `stored_manifest` and this check.
        Err(problem) if problem.code() == ProblemCode::PreconditionFailed => {
            let stored = stored_manifest(app, &game).await?;
            stale(app, by, typed, stored).await
        }
        Err(problem) => refused(app, by, typed, problem).await,
    }
}

/// Imports a file, or checks it only (`dry_run`), against what the form is based on: the revision of the manifest, or the version of the set. A check sets that version.
pub(super) async fn import(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    typed: &mut TypedImport,
    dry_run: bool,
) -> Result<ImportResponse, Problem> {
    let game = Code::try_from(typed.game.as_str()).map_err(|_| Problem::not_found())?;
    let file = Ok(Arc::clone(&typed.text));
    match typed.of {
        Described::Game => {
            let (target, versions) =
                (ImportTarget { game, set: None }, Versions::replacing(typed.base_revision()));
            games::replace_manifest(app, by, &target, &versions, file, dry_run).await
        }
        Described::Set => {
            // A set file without a code is refused for the missing code, so any code serves here.
            let nameless = || Code::try_from("set").map_err(Problem::internal);
            let set = match code_of_set(app, Arc::clone(&typed.text)).await? {
                Some(code) => code,
                None => nameless()?,
            };
            if dry_run {
                typed.set_base_version(sets::find_version(app, &game, &set).await?);
            }
            let target = ImportTarget { game, set: Some(set) };
            sets::replace(app, by, &target, typed.base_version(), file, dry_run).await
        }
    }
}
