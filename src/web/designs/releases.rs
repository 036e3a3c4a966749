//! The release of an approved design as a card, for admins.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;

use super::faults::faults_of;
use super::review_paths::{APPROVED, may_be_released, release_path, review_path};
use super::words as design_words;
use super::{design_path, identifier, release_words};
use crate::app::designs::design_bodies::DesignResponse;
use crate::app::designs::design_lifecycle;
use crate::app::designs::design_releases::{self, ReleaseDesignRequest, Released};
use crate::app::designs::design_reviews;
use crate::app::fault_reason::FaultReason;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnDesigns, ReviewDesigns, Viewer, WriteCatalogue};
use crate::domain::code::Code;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::revision_number::RevisionNumber;
use crate::domain::designs::status::DesignStatus;
use crate::http::extract::{ClientNetwork, Form};
use crate::store::designs::DesignReviewer;
use crate::web::catalogue::card_path;
use crate::web::fault_words;
use crate::web::forms::{Choice, Faults, private};
use crate::web::page::{Frame, Place, path_of};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, see_other};
use crate::web::set_choices::sets_of_game;
use crate::web::words;

/// The place of the card, as it was typed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct TypedRelease {
    set: String,
    number: String,
    /// The approved revision that was shown; 0: the form does not say which.
    revision: i64,
    /// The confirmation that a design that others have seen enters a set whose cards start hidden.
    was_public: Option<String>,
    /// The button: every other value than `release` only checks.
    go: String,
}

/// The set that is chosen at first.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct ReleaseQuery {
    set: String,
}

/// The card that a design has become.
struct CardView {
    text: String,
    path: String,
    edit: String,
    about: &'static str,
}

#[derive(Template)]
#[template(path = "web/designs/release.html")]
struct ReleasePage {
    frame: Frame,
    faults: Faults,
    heading: String,
    name: String,
    design: String,
    review: String,
    /// The list of approved designs.
    approved: &'static str,
    path: String,
    /// Number of the shown revision.
    revision: i64,
    card: Option<CardView>,
    may_be_released: bool,
    /// What will prevent the release, whatever place is chosen. Faults say the same.
    warnings: Vec<String>,
    /// What a check that found nothing reports.
    checked: Option<String>,
    sets: Vec<Choice>,
    has_more_sets: bool,
    /// The page that creates a set and leads back to this one.
    new_set: String,
    /// Whether the form asks for the confirmation.
    asks_to_confirm: bool,
    typed: TypedRelease,
}

/// What is shown besides the empty form.
#[derive(Default)]
struct Answered {
    faults: Faults,
    checked: Option<String>,
    typed: TypedRelease,
}

/// Shows the form, or the card that the design has become.
pub(in crate::web) async fn show(
    state: web::Data<AppState>,
    by: Player<WriteCatalogue>,
    design: web::Path<String>,
    query: web::Query<ReleaseQuery>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let reviewer = by.visitor.must::<ReviewDesigns>()?;
    let typed = TypedRelease { set: query.into_inner().set, ..TypedRelease::default() };
    let answered = Answered { typed, ..Answered::default() };
    show_page(&state, (&by.granted, &reviewer), code, PageStatus::OK, answered).await
}

async fn show_page(
    app: &AppState,
    (by, reviewer): (&Granted<WriteCatalogue>, &Granted<ReviewDesigns>),
    code: DesignCode,
    status: PageStatus,
    answered: Answered,
) -> Result<HttpResponse, Problem> {
    let (nobody, viewer) = (None::<&Granted<ReadOwnDesigns>>, Viewer::from(by));
    let seen_by = Some(DesignReviewer::new(reviewer, viewer));
    let design = design_lifecycle::find(app, nobody, seen_by, code).await?.design;
    let Answered { faults, checked, typed } = answered;
    let asks_to_confirm = typed.was_public.is_some() || faults.of("was_public").is_some();
    let may_be_released = may_be_released(&design);
    // A form that was sent has its own answer.
    let warnings = if may_be_released && faults.is_empty() && checked.is_none() {
        Box::pin(list_warnings(app, (reviewer, viewer), code, &design)).await?
    } else {
        Vec::new()
    };
    let (sets, has_more_sets) =
        if may_be_released { choices(app, &design, &typed).await? } else { (Vec::new(), false) };
    let card = design.card.as_ref().map(|card| CardView {
        text: release_words::is_card(&card.set, &card.number),
        path: card_path(&design.game, &card.set, &card.number),
        edit: format!("/admin/cards/{}", card.id),
        about: if design.status == DesignStatus::Official.as_str() {
            release_words::OPEN_CARD
        } else {
            release_words::HIDDEN_CARD
        },
    });
    let name = design_words::name_of(&design.content.name);
    let heading = release_words::release_of(&name);
    let page = ReleasePage {
        frame: Frame::new(&heading).at(Place::Designs),
        // The page was open for long, or the address was typed.
        faults: if faults.is_empty() && card.is_none() && !may_be_released {
            Faults::one("", design_words::STEP_REFUSED)
        } else {
            faults
        },
        asks_to_confirm,
        new_set: path_of("/admin/sets", &[("game", &*design.game), ("design", &*design.id)]),
        approved: APPROVED,
        heading,
        design: design_path(&design.id),
        review: review_path(&design.id),
        path: release_path(&design.id),
        card,
        may_be_released,
        revision: design.revision,
        warnings,
        checked,
        sets,
        has_more_sets,
        typed,
        name,
    };
    private(status, &page)
}

/// What will prevent the release, as far as it is known before a place is typed.
async fn list_warnings(
    app: &AppState,
    (reviewer, viewer): (&Granted<ReviewDesigns>, Viewer),
    code: DesignCode,
    design: &DesignResponse,
) -> Result<Vec<String>, Problem> {
    let obstacles = design_releases::list_obstacles(app, reviewer, viewer, code).await?;
    let (game, name) = (design.game.as_str(), design.content.name.as_str());
    let namesakes = design_reviews::list_hidden_namesakes(app, viewer, game, name).await?;
    let namesakes =
        namesakes.iter().map(|card| release_words::hidden_namesake(&card.set, &card.number));
    let obstacles = obstacles.iter().map(|fault| match sentence_of(fault) {
        Some(sentence) => format!("{sentence}: {}", fault_words::reason(&fault.reason)),
        None => fault_words::reason(&fault.reason).into(),
    });
    Ok(obstacles.chain(namesakes).collect())
}

/// The sets of the game, after a choice that is no set: browsers choose the first one, and that should be the decision of the admin.
async fn choices(
    app: &AppState,
    design: &DesignResponse,
    typed: &TypedRelease,
) -> Result<(Vec<Choice>, bool), Problem> {
    let game = Code::try_from(design.game.as_str()).map_err(Problem::internal)?;
    let chosen = typed.set.trim();
    let (mut sets, has_more) = sets_of_game(app, &game, chosen).await?;
    if !has_more && !sets.is_empty() {
        sets.insert(0, Choice::new("", release_words::CHOOSE_SET, chosen));
    }
    Ok((sets, has_more))
}

/// Releases the design, or checks what stands against it.
pub(in crate::web) async fn send(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<WriteCatalogue>,
    design: web::Path<String>,
    Form(typed): Form<TypedRelease>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let reviewer = by.visitor.must::<ReviewDesigns>()?;
    let request = ReleaseDesignRequest {
        set: typed.set.trim().to_owned(),
        number: typed.number.trim().to_owned(),
        // The form of an older program does not say which revision it showed.
        revision: RevisionNumber::try_from(typed.revision).ok(),
        was_public: typed.was_public.is_some(),
    };
    let dry_run = typed.go != "release";
    let done =
        design_releases::release(&state, &by, &reviewer, network.0, code, &request, dry_run).await;
    let (status, faults, checked) = match done {
        Ok(Released::Done(_, card)) => return Ok(see_other(&release_path(&card.design))),
        Ok(Released::Rehearsed(card)) => {
            let text = release_words::would_be(&card.set, &card.number, card.hidden);
            (PageStatus::OK, Faults::none(), Some(text))
        }
        Err(problem) => {
            let Some(faults) = faults_of_release(&problem, &request) else { return Err(problem) };
            (PageStatus::of(&problem), faults, None)
        }
    };
    let answered = Answered { faults, checked, typed };
    show_page(&state, (&by.granted, &reviewer), code, status, answered).await
}

/// The name of the sentence that a fault is about, such as “Effect 1”: several faults may have the same message.
fn sentence_of(fault: &InputFault) -> Option<String> {
    let at = fault.pointer.strip_prefix("/effects/")?.strip_suffix("/text")?;
    at.parse().ok().map(design_words::effect)
}

/// All that stands against the release.
fn faults_of_release(problem: &Problem, request: &ReleaseDesignRequest) -> Option<Faults> {
    let alone = match problem.code() {
        ProblemCode::AuthorBanned => Some(("", FaultReason::AuthorBanned)),
        ProblemCode::ReleaseNotConfirmed => Some(("was_public", FaultReason::ReleaseUnconfirmed)),
        _ => None,
    };
    if let Some((field, reason)) = alone {
        return Some(Faults::one(field, fault_words::reason(&reason)));
    }
    let fields = [("/set", "set"), ("/number", "number"), ("/was_public", "was_public")];
    let mut found = faults_of(problem, &fields)?;
    found.label(problem.faults().iter().map(sentence_of));
    if !request.set.is_empty() || problem.code() != ProblemCode::InvalidBody {
        return Some(found);
    }
    let mut faults = Faults::one("set", release_words::CHOOSE_SET);
    for fault in found.all().iter().filter(|fault| fault.field != "set") {
        faults.add(fault.field, fault.text.clone());
    }
    Some(faults)
}
