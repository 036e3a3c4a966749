//! The designer: creates a design, changes it, or suggests a change, in several steps. Each step is a form that carries the fields of all other steps; nothing
//! is stored before the visitor saves, and a saved design may break rules.

use actix_web::{HttpResponse, web};

use super::designer_page::Step;
use super::draft::Draft;
use super::steps::{find_own, may_be_edited};
use super::work::{StepMessages, Target, Work};
use super::{design_path, identifier};
use crate::app::designs::design_lifecycle::{self, VersionedDesign};
use crate::app::designs::suggested_changes::{self, SuggestionDraft};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::Revision;
use crate::auth::permission::{GiveFeedback, Granted, ReadOwnDesigns, WriteOwnDesigns};
use crate::domain::designs::identifier::DesignCode;
use crate::http::extract::{ClientNetwork, Form, claim_of_form};
use crate::web::forms::new_key;
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};

/// Shows the form of a new design. The query may state game and kind.
pub(in crate::web) async fn show_new(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<WriteOwnDesigns>,
    draft: web::Query<Draft>,
) -> Result<HttpResponse, Problem> {
    let reads = by.visitor.must::<ReadOwnDesigns>()?;
    let work = Work::new(&state, network, &reads, Target::New);
    let mut draft = work.read(draft.into_inner())?;
    draft.set("key", new_key());
    work.show(PageStatus::OK, &draft, Step::Start, StepMessages::default()).await
}

/// Continues with a new design, or saves it.
pub(in crate::web) async fn send_new(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<WriteOwnDesigns>,
    Form(draft): Form<Draft>,
) -> Result<HttpResponse, Problem> {
    let reads = by.visitor.must::<ReadOwnDesigns>()?;
    let work = Work::new(&state, network, &reads, Target::New);
    let draft = work.read(draft)?;
    let (true, Some(game)) = (draft.one("go") == "save", work.game(&draft).await?) else {
        return work.turn(draft).await;
    };
    let sent = draft.sent();
    let key = claim_of_form(&state, by.account(), "create_design", draft.one("key"), &sent);
    match design_lifecycle::create(&state, &by, draft.request(&game), key.as_ref()).await {
        Ok(created) => Ok(see_other(&design_path(&created.design.id))),
        Err(problem) => work.refused(draft, problem).await,
    }
}

/// Shows the form of an own design, or goes to the design if its status allows no revision: its page says why.
pub(in crate::web) async fn show_edit(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<WriteOwnDesigns>,
    design: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (code, reads) = (identifier(&design)?, by.visitor.must::<ReadOwnDesigns>()?);
    let found = find_own(&state, &reads, code).await?;
    if !may_be_edited(&found.design) {
        return Ok(see_other(&design_path(code)));
    }
    let mut draft = Draft::of_design(&found.design.game, &found.design.content);
    draft.set("version", found.version.0.to_string());
    let work = Work::new(&state, network, &reads, Target::Revision(code, Box::new(found)));
    work.show(PageStatus::OK, &draft, Step::Card, StepMessages::default()).await
}

/// Continues with an own design, or saves it, if the stored version is still the version that the form was loaded with.
pub(in crate::web) async fn send_edit(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<WriteOwnDesigns>,
    design: web::Path<String>,
    Form(draft): Form<Draft>,
) -> Result<HttpResponse, Problem> {
    let (code, reads) = (identifier(&design)?, by.visitor.must::<ReadOwnDesigns>()?);
    let found = find_own(&state, &reads, code).await?;
    let work = Work::new(&state, network, &reads, Target::Revision(code, Box::new(found)));
    let draft = work.read(draft)?;
    let (true, Some(game)) = (draft.one("go") == "save", work.game(&draft).await?) else {
        return work.turn(draft).await;
    };
    // A missing number means version 0, which never exists.
    let meant = Revision(draft.one("version").parse().unwrap_or_default()).if_match();
    let request = draft.request(&game);
    let revised = design_lifecycle::revise(&state, &by, work.network, code, &meant, request).await;
    let Err(problem) = revised else { return Ok(see_other(&design_path(code))) };
    let is_stale = problem.code() == ProblemCode::PreconditionFailed;
    // A double click, or a form that is sent again because its answer was lost.
    if is_stale
        && design_lifecycle::is_revised(&state, &by, code, draft.request(&game))
            .await
            .unwrap_or_default()
    {
        return Ok(see_other(&design_path(code)));
    }
    work.refused(draft, problem).await
}

/// Shows the form that suggests a change of another author's design.
pub(in crate::web) async fn show_change(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<GiveFeedback>,
    design: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (code, reads) = (identifier(&design)?, by.visitor.must::<ReadOwnDesigns>()?);
    let found = find_public(&state, &reads, code).await?;
    let mut draft = Draft::of_design(&found.design.game, &found.design.content);
    draft.set("revision", found.design.revision.to_string());
    draft.set("key", new_key());
    let work = Work::new(&state, network, &reads, Target::Change(code, Some(Box::new(found))));
    work.show(PageStatus::OK, &draft, Step::Card, StepMessages::default()).await
}

/// A shared design of another author.
async fn find_public(
    app: &AppState,
    by: &Granted<ReadOwnDesigns>,
    code: DesignCode,
) -> Result<VersionedDesign, Problem> {
    let found = design_lifecycle::find(app, Some(by), None, code).await?;
    if found.is_own { Err(Problem::new(ProblemCode::OwnDesign)) } else { Ok(found) }
}

/// Continues with a suggestion, or sends it.
pub(in crate::web) async fn send_change(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<GiveFeedback>,
    design: web::Path<String>,
    Form(draft): Form<Draft>,
) -> Result<HttpResponse, Problem> {
    let (code, reads) = (identifier(&design)?, by.visitor.must::<ReadOwnDesigns>()?);
    let found = match find_public(&state, &reads, code).await {
        Ok(found) => Some(Box::new(found)),
        // It was taken down, or its author was banned, while the visitor wrote.
        Err(problem) if problem.code() == ProblemCode::NotFound => None,
        Err(problem) => return Err(problem),
    };
    let is_found = found.is_some();
    let work = Work::new(&state, network, &reads, Target::Change(code, found));
    let draft = work.read(draft)?;
    if !is_found {
        return work.refused(draft, Problem::not_found()).await;
    }
    let (true, Some(game)) = (draft.one("go") == "save", work.game(&draft).await?) else {
        return work.turn(draft).await;
    };
    let named = code.to_string();
    let sent: Vec<&str> = std::iter::once(&*named).chain(draft.sent()).collect();
    let operation = "create_suggested_change";
    let key = claim_of_form(&state, by.account(), operation, draft.one("key"), &sent);
    let suggested = SuggestionDraft {
        revision: draft.one("revision").parse().unwrap_or_default(),
        message: draft.one("message").to_owned(),
        design: draft.request(&game),
    };
    match suggested_changes::create(&state, &by, code, suggested, key.as_ref()).await {
        Ok(created) => {
            let id = created.suggestion.id;
            Ok(see_other(&format!("{}/suggestions/{id}", design_path(code))))
        }
        Err(problem) => work.refused(draft, problem).await,
    }
}
