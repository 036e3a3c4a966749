//! Actions of the author on a whole design: share, submit, withdraw and delete. Each action has a page that explains it.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;

use super::faults::faults_of;
use super::words as design_words;
use super::{design_path, identifier};
use crate::app::designs::design_bodies::DesignResponse;
use crate::app::designs::design_lifecycle::{self, VersionedDesign};
use crate::app::designs::design_reviews;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::Revision;
use crate::auth::permission::{Granted, ReadOwnDesigns, WriteOwnDesigns};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::status::{DesignStatus, DesignStep};
use crate::http::extract::{ClientNetwork, Form};
use crate::web::forms::{Faults, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::words;

/// An action of the author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AuthorStep {
    Share,
    Submit,
    Withdraw,
    Delete,
}

impl AuthorStep {
    const ALL: [Self; 4] = [Self::Share, Self::Submit, Self::Withdraw, Self::Delete];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Share => "share",
            Self::Submit => "submit",
            Self::Withdraw => "withdraw",
            Self::Delete => "delete",
        }
    }

    fn read(word: &str) -> Result<Self, Problem> {
        let step = Self::ALL.into_iter().find(|step| step.as_str() == word);
        step.ok_or_else(Problem::not_found)
    }

    /// Whether the status is the result of this action.
    fn is_done(self, status: &str) -> bool {
        let done = match self {
            Self::Share => DesignStatus::Shared,
            Self::Submit => DesignStatus::Submitted,
            Self::Withdraw => DesignStatus::Withdrawn,
            Self::Delete => return false,
        };
        status == done.as_str()
    }

    /// Whether the design allows the action, by the table of statuses.
    fn may_be_taken(self, design: &DesignResponse) -> bool {
        let Some(status) = DesignStatus::parse(design.status) else { return false };
        let step = match self {
            Self::Share => DesignStep::Share,
            Self::Submit => DesignStep::Submit,
            Self::Withdraw => DesignStep::Withdraw,
            // A design can be deleted if nobody else has seen it, no moderator has decided about it, and it can still be edited.
            Self::Delete if design.shared_at.is_none() && design.review.is_none() => {
                DesignStep::Edit
            }
            Self::Delete => return false,
        };
        design.takedown.is_none() && status.after(step).is_some()
    }
}

/// Whether the author may store another revision.
pub(super) fn may_be_edited(design: &DesignResponse) -> bool {
    let status = DesignStatus::parse(design.status);
    let after = status.and_then(|status| status.after(DesignStep::Edit));
    design.takedown.is_none() && after.is_some()
}

/// An allowed action, and its page.
pub(super) struct StepLink {
    pub(super) path: String,
    pub(super) name: &'static str,
}

/// The actions that the author may take now.
pub(super) fn step_links(design: &DesignResponse) -> Vec<StepLink> {
    let link = |step: AuthorStep| StepLink {
        path: format!("{}/steps/{}", design_path(&design.id), step.as_str()),
        name: design_words::step(step),
    };
    AuthorStep::ALL.into_iter().filter(|step| step.may_be_taken(design)).map(link).collect()
}

#[derive(Template)]
#[template(path = "web/designs/step.html")]
struct StepPage {
    frame: Frame,
    faults: Faults,
    heading: String,
    name: String,
    design: String,
    path: String,
    about: &'static str,
    button: &'static str,
    version: i64,
}

/// Shows the page that explains an action.
pub(in crate::web) async fn show(
    state: web::Data<AppState>,
    by: Player<ReadOwnDesigns>,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, Problem> {
    let (design, step) = path.into_inner();
    let (code, step) = (identifier(&design)?, AuthorStep::read(&step)?);
    show_form(&state, &by, code, step, (PageStatus::OK, Faults::none())).await
}

async fn show_form(
    app: &AppState,
    by: &Granted<ReadOwnDesigns>,
    code: DesignCode,
    step: AuthorStep,
    (status, faults): (PageStatus, Faults),
) -> Result<HttpResponse, Problem> {
    let VersionedDesign { version, design, .. } = find_own(app, by, code).await?;
    let name = design_words::name_of(&design.content.name);
    let heading = design_words::step_of(step, &name);
    let design_page = design_path(&design.id);
    let page = StepPage {
        frame: Frame::new(&heading).at(Place::Designs),
        // The page was open for long, or the address was typed: the action is no longer allowed.
        faults: if faults.is_empty() && !step.may_be_taken(&design) {
            Faults::one("", design_words::STEP_REFUSED)
        } else {
            faults
        },
        heading,
        path: format!("{design_page}/steps/{}", step.as_str()),
        about: design_words::step_about(step),
        button: design_words::step(step),
        version: version.0,
        design: design_page,
        name,
    };
    private(status, &page)
}

/// One of the visitor's own designs. A design of another author answers 404, even if it is shared.
pub(super) async fn find_own(
    app: &AppState,
    by: &Granted<ReadOwnDesigns>,
    code: DesignCode,
) -> Result<VersionedDesign, Problem> {
    let found = design_lifecycle::find(app, Some(by), None, code).await?;
    if found.is_own { Ok(found) } else { Err(Problem::not_found()) }
}

/// The version of the design when the page with the button was loaded.
#[derive(Deserialize)]
pub(in crate::web) struct MeantVersion {
    version: i64,
}

/// Takes the action.
pub(in crate::web) async fn take(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<WriteOwnDesigns>,
    path: web::Path<(String, String)>,
    Form(meant): Form<MeantVersion>,
) -> Result<HttpResponse, Problem> {
    let (design, step) = path.into_inner();
    let (code, step) = (identifier(&design)?, AuthorStep::read(&step)?);
    let version = Revision(meant.version).if_match();
    let taken = match step {
        AuthorStep::Share => {
            design_lifecycle::share(&state, &by, network.0, code, &version).await.map(drop)
        }
        AuthorStep::Submit => {
            design_reviews::submit(&state, &by, network.0, code, &version).await.map(drop)
        }
        AuthorStep::Withdraw => {
            design_lifecycle::withdraw(&state, &by, code, &version).await.map(drop)
        }
        AuthorStep::Delete => design_lifecycle::delete(&state, &by, code, &version).await,
    };
    match taken {
        Ok(()) if step == AuthorStep::Delete => Ok(see_other("/my/designs")),
        Ok(()) => Ok(see_other(&design_path(code))),
        // The design was deleted before, for example by a double click. A design of another author gets the same answer.
        Err(problem) if step == AuthorStep::Delete && problem.code() == ProblemCode::NotFound => {
            Ok(see_other("/my/designs"))
        }
        Err(problem) => {
            let reads = by.visitor.must::<ReadOwnDesigns>()?;
            // The form was sent twice: the wanted state is reached already.
            if step.is_done(find_own(&state, &reads, code).await?.design.status) {
                return Ok(see_other(&design_path(code)));
            }
            let faults = match problem.code() {
                ProblemCode::PreconditionFailed => {
                    Some(Faults::one("", design_words::CHANGED_BEFORE_STEP))
                }
                _ => faults_of(&problem, &[]),
            };
            let Some(faults) = faults else { return Err(problem) };
            show_form(&state, &reads, code, step, (PageStatus::of(&problem), faults)).await
        }
    }
}
