//! The designer: a design is made, changed, or suggested otherwise, step by step. Each step is a form that carries all others on; nothing is stored
//! before it is saved, and what is saved may break rules.

use actix_web::{HttpResponse, web};
use uuid::Uuid;

use super::designer_page::Step;
use super::draft::Draft;
use super::steps::find_own;
use super::work::{Target, Turned, Work};
use super::{design_path, identifier};
use crate::app::designs::design_lifecycle::{self, VersionedDesign};
use crate::app::designs::suggested_changes::{self, SuggestionDraft};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::Revision;
use crate::auth::permission::{GiveFeedback, Granted, ReadOwnDesigns, WriteOwnDesigns};
use crate::domain::designs::identifier::DesignCode;
use crate::http::extract::{ClientNetwork, Form, claim_of_form};
use crate::web::session::{Player, see_other};

/// Shows the form of a new design. The address may say of which game and kind.
pub(in crate::web) async fn show_new(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<WriteOwnDesigns>,
    draft: web::Query<Draft>,
) -> Result<HttpResponse, Problem> {
    let reads = by.visitor.must::<ReadOwnDesigns>()?;
    let work = Work::new(&state, network, &reads, Target::New);
    let mut draft = work.read(draft.into_inner())?;
    draft.set("key", Uuid::now_v7().to_string());
    work.show(200, &draft, Step::Start, Turned::default()).await
}

/// Goes on with a new design, or saves it.
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
        Ok(made) => Ok(see_other(&design_path(&made.design.id))),
        Err(problem) => work.refused(draft, problem).await,
    }
}

/// Shows an own design in the designer.
pub(in crate::web) async fn show_edit(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<WriteOwnDesigns>,
    design: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (code, reads) = (identifier(&design)?, by.visitor.must::<ReadOwnDesigns>()?);
    let found = find_own(&state, &reads, code).await?;
    let mut draft = Draft::of_design(&found.design.game, &found.design.content);
    draft.set("version", found.version.0.to_string());
    let work = Work::new(&state, network, &reads, Target::Revision(code, Box::new(found)));
    work.show(200, &draft, Step::Card, Turned::default()).await
}

/// Goes on with an own design, or saves it, if it is still the version that the form began with.
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
    // Without a number it is no version that there ever was.
    let meant = Revision(draft.one("version").parse().unwrap_or_default()).meant();
    let request = draft.request(&game);
    match design_lifecycle::revise(&state, &by, work.network, code, &meant, request).await {
        Ok(_) => Ok(see_other(&design_path(code))),
        Err(problem) => work.refused(draft, problem).await,
    }
}

/// Shows somebody else's design in the designer, to suggest a change of it.
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
    draft.set("key", Uuid::now_v7().to_string());
    let work = Work::new(&state, network, &reads, Target::Change(code, Box::new(found)));
    work.show(200, &draft, Step::Card, Turned::default()).await
}

/// A design of somebody else.
async fn find_public(
    app: &AppState,
    by: &Granted<ReadOwnDesigns>,
    code: DesignCode,
) -> Result<VersionedDesign, Problem> {
    let found = design_lifecycle::find(app, Some(by), None, code).await?;
    if found.is_own { Err(Problem::new(ProblemCode::OwnDesign)) } else { Ok(found) }
}

/// Goes on with a suggestion, or sends it.
pub(in crate::web) async fn send_change(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<GiveFeedback>,
    design: web::Path<String>,
    Form(draft): Form<Draft>,
) -> Result<HttpResponse, Problem> {
    let (code, reads) = (identifier(&design)?, by.visitor.must::<ReadOwnDesigns>()?);
    let found = find_public(&state, &reads, code).await?;
    let work = Work::new(&state, network, &reads, Target::Change(code, Box::new(found)));
    let draft = work.read(draft)?;
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
        Ok(made) => {
            let id = made.suggestion.id;
            Ok(see_other(&format!("{}/suggestions/{id}", design_path(code))))
        }
        Err(problem) => work.refused(draft, problem).await,
    }
}
