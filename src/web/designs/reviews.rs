//! Reviews of designs, for moderators: the checklist, the decision.

use actix_web::{HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;

use super::content::ContentView;
use super::design::path_of_author;
use super::faults::faults_of;
use super::queue::{QueueQuery, RefusedStep, show_list};
use super::review_paths::{APPROVED, QUEUE, may_be_released, release_path, review_path};
use super::verdict::VerdictView;
use super::words as design_words;
use super::{design_path, identifier, release_words};
use crate::app::designs::design_bodies::DesignResponse;
use crate::app::designs::design_lifecycle;
use crate::app::designs::design_reviews::{
    self, ClaimedDesignResponse, DesignClaim, HiddenNamesakeResponse,
};
use crate::app::designs::design_reviews::{read_decision, read_reason};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::problem_cause::ProblemCause;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnDesigns, ReviewDesigns, Role, Viewer};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::review::ReviewStage;
use crate::domain::network::Network;
use crate::http::extract::{ClientNetwork, Form};
use crate::store::designs::DesignReviewer;
use crate::store::designs::design_reviews::{Judgement, Revocation};
use crate::web::catalogue::card_path;
use crate::web::fault_words;
use crate::web::forms::{Faults, not_empty, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::words;

/// The checklist of a claim, and when the claim ends.
struct ClaimView {
    until: String,
    until_at: String,
    /// Warnings about hidden cards with the name of the design.
    hidden_namesakes: Vec<String>,
    verdict: VerdictView,
}

#[derive(Template)]
#[template(path = "web/designs/review.html")]
struct ReviewPage {
    frame: Frame,
    faults: Faults,
    name: String,
    path: String,
    design: String,
    author: String,
    author_path: Option<String>,
    status: &'static str,
    /// Number of the shown revision.
    revision: i64,
    content: ContentView,
    /// Whether the design can be claimed, unless it is the reader's own work.
    may_be_claimed: bool,
    /// Whether the approval can be revoked, unless it is the reader's own work.
    may_be_revoked: bool,
    /// Whether the reader is its author or a contributor.
    is_own_work: bool,
    /// The page that releases the design, if the reader may do so.
    release: Option<String>,
    /// The page of the card that the design is.
    card: Option<String>,
    /// The claim of the reader.
    claim: Option<ClaimView>,
    /// When the claim of another moderator ends: as text, and for machines.
    other_claim: Option<(String, String)>,
    typed: TypedDecision,
    /// The reason that was typed, if no form of the page contains it.
    written: Vec<String>,
}

/// The moderator, which cards the moderator sees, and the network of the request.
type Reviewer<'a> = (&'a Granted<ReviewDesigns>, Viewer, Network);

fn reviewer(by: &Player<ReviewDesigns>, network: ClientNetwork) -> Reviewer<'_> {
    (by, by.visitor.viewer(), network.0)
}

/// The decision, as the form sends it.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct TypedDecision {
    decision: String,
    reason: String,
    /// The revision that was shown; 0: the form does not say which.
    revision: i64,
    /// The name that was shown: the moderator may not see the design any more when the form is refused.
    design: String,
}

impl TypedDecision {
    /// The decision without the choice, if it was made about another revision than the one that is submitted now. The reason stays.
    fn about(mut self, submitted: i64) -> (Self, bool) {
        let is_outdated = self.revision != 0 && self.revision != submitted;
        if is_outdated {
            self.decision.clear();
        }
        (self, is_outdated)
    }

    /// The step, for a page that does not show the design.
    fn refused(&self, code: DesignCode) -> RefusedStep {
        let name = self.design.trim();
        let design = if name.is_empty() { code.to_string() } else { name.to_owned() };
        RefusedStep { design, reason: self.reason.clone() }
    }
}

/// Shows a waiting design, with the checklist if the reader has claimed it.
pub(in crate::web) async fn show(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<ReviewDesigns>,
    design: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let typed = TypedDecision::default();
    show_page(&state, reviewer(&by, network), code, (PageStatus::OK, Faults::none(), typed)).await
}

/// The page with the claim that there is at this moment.
async fn show_page(
    app: &AppState,
    reviewer: Reviewer<'_>,
    code: DesignCode,
    shown: (PageStatus, Faults, TypedDecision),
) -> Result<HttpResponse, Problem> {
    let (by, viewer, network) = reviewer;
    let design = find(app, reviewer, code).await?;
    let claim = design_reviews::find_claim(app, by, viewer, network, code).await?;
    answer(app, reviewer, design, claim, shown).await
}

/// The page after a refused step. Moderators do not see a design any more that was never shared and does not wait for them,
/// for example because its approval was revoked: then the refusal is shown with the list, and with the reason that was typed.
async fn show_refused(
    app: &AppState,
    reviewer: Reviewer<'_>,
    code: DesignCode,
    (refusal, stage): (&Problem, ReviewStage),
    shown: (PageStatus, Faults, TypedDecision),
) -> Result<HttpResponse, Problem> {
    let refused = shown.2.refused(code);
    match show_page(app, reviewer, code, shown).await {
        // Faults of the input are found for every address, also for those of no design.
        Err(problem) if problem.code() == ProblemCode::NotFound && refusal.faults().is_empty() => {
            let Some(faults) = faults_of(refusal, &[]) else { return Err(problem) };
            let query = QueueQuery::new(stage);
            let shown = (PageStatus::of(refusal), faults, refused);
            show_list(app, reviewer.0, &query, shown).await
        }
        result => result,
    }
}

/// A design that the moderator may see.
async fn find(
    app: &AppState,
    (by, viewer, _): Reviewer<'_>,
    code: DesignCode,
) -> Result<DesignResponse, Problem> {
    let nobody = None::<&Granted<ReadOwnDesigns>>;
    let reviewer = Some(DesignReviewer::new(by, viewer));
    Ok(design_lifecycle::find(app, nobody, reviewer, code).await?.design)
}

fn claim_view(game: &Game, claimed: &ClaimedDesignResponse) -> ClaimView {
    let warning =
        |card: &HiddenNamesakeResponse| design_words::hidden_namesake(&card.set, &card.number);
    let hidden_namesakes: Vec<String> = claimed.hidden_namesakes.iter().map(warning).collect();
    let mut verdict = VerdictView::new(game, &claimed.check, &|_| None);
    if !hidden_namesakes.is_empty() {
        // The check compares no hidden cards, so its summary would promise a release.
        verdict.summary = design_words::verdict(claimed.check.violations.is_empty(), false);
    }
    ClaimView {
        until: design_words::claimed_until(claimed.claimed_until),
        until_at: claimed.claimed_until.to_rfc3339(),
        hidden_namesakes,
        verdict,
    }
}

async fn answer(
    app: &AppState,
    (by, ..): Reviewer<'_>,
    design: DesignResponse,
    claim: DesignClaim,
    (status, faults, typed): (PageStatus, Faults, TypedDecision),
) -> Result<HttpResponse, Problem> {
    let loaded = app.named_game(&design.game).await?.map_err(Problem::internal)?;
    let name = design_words::name_of(&design.content.name);
    let may_be_claimed = matches!(design.status, "submitted" | "in_review");
    let (read, submitted) = (typed.revision, design.revision);
    let (typed, is_outdated) = typed.about(submitted);
    let outdated = fault_words::cause(&ProblemCause::OtherSubmission { read, submitted });
    let is_said = faults.all().iter().any(|fault| fault.text == outdated);
    // A claim, too, keeps what was typed about an earlier revision.
    let faults = if may_be_claimed && is_outdated && !is_said {
        faults.and(Faults::one("", outdated))
    } else {
        faults
    };
    let (claim, other_claim) = match claim {
        DesignClaim::Free => (None, None),
        DesignClaim::Own(claimed) => (Some(claim_view(&loaded.game, &claimed)), None),
        DesignClaim::Other(until) => {
            let text = design_words::claimed_by_other(until);
            (None, Some((text, until.to_rfc3339())))
        }
    };
    let may_be_revoked = design.status == "approved" && design.card.is_none();
    let is_own_work = design.is_work_of(by.account());
    let has_form = claim.is_some() || ((may_be_claimed || may_be_revoked) && !is_own_work);
    let page = ReviewPage {
        frame: Frame::new(&name).at(Place::Designs),
        faults,
        path: review_path(&design.id),
        design: design_path(&design.id),
        author_path: path_of_author(app, &design).await?,
        status: design_words::status(design.status),
        revision: design.revision,
        content: ContentView::new(&loaded.game, &design.content),
        may_be_claimed,
        may_be_revoked,
        release: (by.role() >= Role::Admin && may_be_released(&design))
            .then(|| release_path(&design.id)),
        card: design.card.as_ref().map(|card| card_path(&design.game, &card.set, &card.number)),
        is_own_work,
        claim,
        other_claim,
        written: if has_form { Vec::new() } else { not_empty(&typed.reason) },
        typed,
        author: design.author,
        name,
    };
    private(status, &page)
}

/// Claims a design, or extends the claim, and shows the checklist. Input that was typed before a claim ended is kept.
pub(in crate::web) async fn claim(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<ReviewDesigns>,
    design: web::Path<String>,
    Form(typed): Form<TypedDecision>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    show_claimed(&state, reviewer(&by, network), code, (PageStatus::OK, Faults::none(), typed))
        .await
}

async fn show_claimed(
    app: &AppState,
    reviewer: Reviewer<'_>,
    code: DesignCode,
    (status, faults, typed): (PageStatus, Faults, TypedDecision),
) -> Result<HttpResponse, Problem> {
    let (by, viewer, network) = reviewer;
    match design_reviews::claim(app, by, viewer, network, code).await {
        Ok(claimed) => {
            let design = find(app, reviewer, code).await?;
            let claim = DesignClaim::Own(Box::new(claimed));
            answer(app, reviewer, design, claim, (status, faults, typed)).await
        }
        Err(problem) => {
            let Some(found) = faults_of(&problem, &[]) else { return Err(problem) };
            let (status, faults) = if faults.is_empty() {
                (PageStatus::of(&problem), found)
            } else {
                (status, faults)
            };
            let refusal = (&problem, ReviewStage::Waiting);
            show_refused(app, reviewer, code, refusal, (status, faults, typed)).await
        }
    }
}

/// Releases the claim of a design.
pub(in crate::web) async fn give_back(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<ReviewDesigns>,
    design: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let Err(problem) = design_reviews::give_back(&state, &by, code).await else {
        return Ok(see_other(QUEUE));
    };
    let reviewer = reviewer(&by, network);
    let (_, viewer, network) = reviewer;
    let faults = if problem.code() == ProblemCode::DesignNotClaimed {
        let claim = design_reviews::find_claim(&state, &by, viewer, network, code).await?;
        if !matches!(claim, DesignClaim::Other(_)) {
            // The claim is released already, or has ended.
            return Ok(see_other(QUEUE));
        }
        Some(Faults::one("", design_words::CLAIM_OF_OTHER))
    } else {
        faults_of(&problem, &[])
    };
    let Some(faults) = faults else { return Err(problem) };
    let shown = (PageStatus::of(&problem), faults, TypedDecision::default());
    show_refused(&state, reviewer, code, (&problem, ReviewStage::Waiting), shown).await
}

/// Decides a claimed design.
pub(in crate::web) async fn decide(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<ReviewDesigns>,
    design: web::Path<String>,
    Form(typed): Form<TypedDecision>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let decided = async {
        let (decision, reason) = read_decision(&typed.decision, &typed.reason)?;
        // The form of an older program does not say which revision it showed.
        let revision = (typed.revision != 0).then_some(typed.revision);
        let judgement = Judgement { decision, revision, reason: &reason };
        design_reviews::decide(&state, &by, code, judgement).await
    };
    match decided.await {
        Ok(_) => Ok(see_other(QUEUE)),
        Err(problem) => {
            let fields = [("/decision", "choice"), ("/reason", "reason")];
            let Some(faults) = faults_of(&problem, &fields) else { return Err(problem) };
            let status = PageStatus::of(&problem);
            let (reviewer, shown) = (reviewer(&by, network), (status, faults, typed));
            // Faults of the input are shown with the checklist. After most other problems the claim is over; a new claim keeps the input.
            if problem.faults().is_empty() {
                show_refused(&state, reviewer, code, (&problem, ReviewStage::Waiting), shown).await
            } else {
                show_claimed(&state, reviewer, code, shown).await
            }
        }
    }
}

/// Revokes the approval of a design.
pub(in crate::web) async fn revoke(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<ReviewDesigns>,
    design: web::Path<String>,
    Form(typed): Form<TypedDecision>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let revoked = async {
        let reason = read_reason(&typed.reason)?;
        let revocation = Revocation { revision: typed.revision, reason: &reason };
        design_reviews::revoke(&state, &by, by.visitor.viewer(), code, revocation).await
    };
    match revoked.await {
        Ok(_) => Ok(see_other(APPROVED)),
        Err(problem) => {
            let Some(faults) = faults_of(&problem, &[("/reason", "reason")]) else {
                return Err(problem);
            };
            let refusal = (&problem, ReviewStage::Approved);
            let (reviewer, shown) =
                (reviewer(&by, network), (PageStatus::of(&problem), faults, typed));
            show_refused(&state, reviewer, code, refusal, shown).await
        }
    }
}
