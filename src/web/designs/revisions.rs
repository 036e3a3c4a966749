//! The revisions of an own design: listed, compared and restored.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;

use super::changes::{ChangeRow, change_rows};
use super::faults::faults_of;
use super::steps::{find_own, may_be_edited};
use super::words as design_words;
use super::{design_path, identifier};
use crate::app::designs::design_revisions::{self, RestoreRequest};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::Revision;
use crate::auth::permission::{Granted, ReadOwnDesigns, WriteOwnDesigns};
use crate::domain::designs::identifier::DesignCode;
use crate::http::extract::{ClientNetwork, Form};
use crate::web::forms::{Faults, private};
use crate::web::page::{ENTRIES, Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::words;

/// The page of the list, and the two revisions to compare.
#[derive(Debug, Default, Deserialize)]
pub(in crate::web) struct RevisionsQuery {
    from: Option<i64>,
    to: Option<i64>,
    cursor: Option<Cursor>,
}

/// A revision in the list.
struct RevisionRow {
    number: i64,
    heading: String,
    name: String,
    day: String,
    at: String,
    credited_to: Option<String>,
    /// The path of the comparison with the newest revision; `None`: this is the newest.
    compare: Option<String>,
    restore: String,
}

#[derive(Template)]
#[template(path = "web/designs/revisions.html")]
struct RevisionsPage {
    frame: Frame,
    faults: Faults,
    heading: String,
    name: String,
    design: String,
    compared: String,
    changes: Vec<ChangeRow>,
    revisions: Vec<RevisionRow>,
    version: i64,
    may_be_edited: bool,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// Lists the revisions, and the differences between two of them: by default, between the newest and the one before.
pub(in crate::web) async fn list(
    state: web::Data<AppState>,
    by: Player<ReadOwnDesigns>,
    design: web::Path<String>,
    query: web::Query<RevisionsQuery>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    show(&state, &by, code, query.into_inner(), (PageStatus::OK, Faults::none())).await
}

async fn show(
    app: &AppState,
    by: &Granted<ReadOwnDesigns>,
    code: DesignCode,
    query: RevisionsQuery,
    (status, faults): (PageStatus, Faults),
) -> Result<HttpResponse, Problem> {
    let found = find_own(app, by, code).await?;
    let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
    let before = Cursor::key_of(query.cursor.as_ref())?;
    let listed = design_revisions::list(app, by, code, before, limit).await?;
    let diff = design_revisions::diff(app, by, code, query.from, query.to).await?;
    let games = app.all_games().await?;
    let mut games = games.iter().map(|loaded| &loaded.game);
    let game = games.find(|game| game.code() == found.design.game);
    let (path, newest) = (design_path(code), found.design.revision);
    let name = design_words::name_of(&found.design.content.name);
    let heading = design_words::revisions_of(&name);
    let list = format!("{path}/revisions");
    let row = |revision: design_revisions::DesignRevisionSummary| RevisionRow {
        number: revision.revision,
        heading: design_words::revision(revision.revision),
        name: design_words::name_of(&revision.name),
        day: words::day_of(revision.revised_at),
        at: revision.revised_at.to_rfc3339(),
        credited_to: revision.credited_to,
        compare: (revision.revision != newest)
            .then(|| format!("{list}?from={}&to={newest}", revision.revision)),
        restore: design_words::restore(revision.revision),
    };
    let page = RevisionsPage {
        frame: Frame::new(&heading).at(Place::Designs),
        faults,
        heading,
        compared: design_words::between_revisions(diff.from, diff.to),
        changes: change_rows(game, diff.differences),
        revisions: listed.data.into_iter().map(row).collect(),

        version: found.version.0,
        may_be_edited: may_be_edited(&found.design),
        first_path: query.cursor.as_ref().map(|_| list.clone()),
        next_path: listed.next_cursor.map(|cursor| format!("{list}?cursor={cursor}")),
        design: path,
        name,
    };
    private(status, &page)
}

/// The revision to restore, and the version when the page was loaded.
#[derive(Deserialize)]
pub(in crate::web) struct Restored {
    revision: i64,
    version: i64,
}

/// Stores an earlier revision as the newest one.
pub(in crate::web) async fn restore(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<WriteOwnDesigns>,
    design: web::Path<String>,
    Form(restored): Form<Restored>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let meant = Revision(restored.version).if_match();
    let request = RestoreRequest { revision: restored.revision };
    let done = design_revisions::restore(&state, &by, network.0, code, &meant, &request).await;
    let Err(problem) = done else { return Ok(see_other(&design_path(code))) };
    let is_stale = problem.code() == ProblemCode::PreconditionFailed;
    // A double click, or a form that is sent again because its answer was lost.
    if is_stale
        && design_revisions::is_restored(&state, &by, code, &request).await.unwrap_or_default()
    {
        return Ok(see_other(&design_path(code)));
    }
    let faults = match problem.code() {
        ProblemCode::PreconditionFailed => Some(Faults::one("", design_words::CHANGED_BEFORE_STEP)),
        _ => faults_of(&problem, &[]),
    };
    let Some(faults) = faults else { return Err(problem) };
    let reads = by.visitor.must::<ReadOwnDesigns>()?;
    let (status, query) = (PageStatus::of(&problem), RevisionsQuery::default());
    show(&state, &reads, code, query, (status, faults)).await
}
