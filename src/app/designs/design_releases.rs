//! Releases: approved designs become cards.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::design_lifecycle::{find_card_of_name, find_stored};
use super::design_sentences::find_obstacles;
use super::step_problems::{already_a_card, name_taken, not_from, require_step};
use crate::app::catalogue::import::problem_with_faults;
use crate::app::fault_reason::FaultReason;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::problem_cause::ProblemCause;
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::auth::permission::{Granted, ReadOwnDesigns, ReviewDesigns, Viewer, WriteCatalogue};
use crate::domain::catalogue::import::number_fault;
use crate::domain::code::Code;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::release::SentenceObstacle;
use crate::domain::designs::revision_number::RevisionNumber;
use crate::domain::designs::status::DesignStep;
use crate::domain::ids::CardId;
use crate::domain::network::Network;
use crate::store::db::deadlines;
use crate::store::designs::DesignReviewer;
use crate::store::designs::design_lifecycle::StoredDesign;
use crate::store::designs::design_releases::{
    self, DesignRelease, Obstruction, ReleaseError, ReleasePlace,
};
use crate::store::designs::design_reviews;
use crate::store::designs::reserved_names::{self, NameOwner};

/// The set and the number of the card that a design becomes.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "set": "hearth", "number": "901", "revision": 1 }))]
pub struct ReleaseDesignRequest {
    /// Code of a set of the design's game that has not been printed.
    #[schema(example = "hearth")]
    pub set: String,
    /// Number of the card, which no other card of the set has: 1 to 16 letters and digits, with single hyphens between them.
    #[schema(example = "901")]
    pub number: String,
    /// Number of the approved revision that you have read. If another revision is approved now, nothing is released (`design_step_refused`). Older clients leave it out; then
    /// the approved revision is released, whichever it is.
    #[serde(default)]
    #[schema(value_type = Option<i64>, example = 1, minimum = 1)]
    pub revision: Option<RevisionNumber>,
    /// Confirms that a design that others have seen enters a set whose cards start hidden. Without it, such a release is refused (`release_not_confirmed`).
    #[serde(default)]
    pub was_public: bool,
}

/// A design that was released as a card.
#[derive(Serialize, ToSchema)]
pub struct DesignReleaseResponse {
    /// Identifier of the design.
    #[schema(example = "D-7KQ2X0FM9F")]
    pub design: String,
    /// Number of the revision from which the card was made.
    #[schema(example = 3, minimum = 1)]
    pub revision: i64,
    /// Id of the card; absent in a dry run, because the card does not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<Uuid>,
    /// Code of its set.
    #[schema(example = "veil")]
    pub set: String,
    /// Its number in the set.
    #[schema(example = "101")]
    pub number: String,
    /// Whether the card is hidden from the public. Until it is unlocked, the design stays `approved`, and only moderators see which card it became.
    pub hidden: bool,
    /// Licence under which it was released.
    #[schema(example = "release-1")]
    pub licence: String,
    /// When its author submitted it under this licence.
    pub licensed_at: DateTime<Utc>,
    /// When it was released.
    pub released_at: DateTime<Utc>,
}

impl DesignReleaseResponse {
    fn new(code: DesignCode, release: DesignRelease) -> Self {
        Self {
            design: code.to_string(),
            revision: release.revision,
            card: Some(release.card_id.0),
            set: release.set_code,
            number: release.number,
            hidden: release.hidden,
            licence: release.licence,
            licensed_at: release.licensed_at,
            released_at: release.released_at,
        }
    }
}

/// The result of a release.
pub enum Released {
    /// The design has become this card.
    Done(CardId, DesignReleaseResponse),
    /// It was a dry run: this would be the result.
    Rehearsed(DesignReleaseResponse),
}

/// Releases an approved design as a card of a set; a dry run changes nothing. A repeated request gets the first
/// response.
pub async fn release(
    app: &AppState,
    by: &Granted<WriteCatalogue>,
    reviewer: &Granted<ReviewDesigns>,
    network: Network,
    code: DesignCode,
    request: &ReleaseDesignRequest,
    dry_run: bool,
) -> Result<Released, Problem> {
    let nobody = None::<&Granted<ReadOwnDesigns>>;
    let mut conn = StepConnection::new(&app.store);
    let seen_by = Some(DesignReviewer::new(reviewer, by.into()));
    let stored = find_stored(&mut conn, nobody, seen_by, code).await?;
    drop(conn);
    // Of a design that is a card already, the transaction finds out whether a repeated request means this card.
    let is_card = stored.card.is_some();
    if !is_card {
        require_approved(&stored, request.revision)?;
    }
    let set = read_place(app, &stored.design.game_code, request).await?;
    let (name_owner, sentences) = if is_card {
        (None, Vec::new())
    } else {
        let (game, name) = (&stored.design.game_code, &stored.content().name);
        let name_owner = find_card_of_name(app, network, game, name).await?;
        (name_owner, list_sentence_obstacles(app, reviewer, code, &stored).await?)
    };
    let (number, was_public) = (request.number.trim(), request.was_public);
    let revision = request.revision.map(RevisionNumber::get);
    let place = ReleasePlace { set: &set, number, revision, was_public, name_owner, sentences };
    let at = app.clock.now();
    let done: Result<DesignRelease, ReleaseError> = app
        .write_within(deadlines::CATALOGUE, by, async |conn, by| {
            let released = design_releases::release(conn, by, &app.games, code, &place, at).await?;
            // An error rolls the transaction back.
            if dry_run { Err(ReleaseError::Rehearsed(released)) } else { Ok(released) }
        })
        .await;
    match done {
        Ok(released) => {
            app.cached_answers.forget();
            app.deck_cards.forget_sets();
            app.designs_changed();
            app.wait_until_current().await;
            tracing::info!(account = %by.account(), design = %code, card = %released.card_id, "design released");
            Ok(Released::Done(released.card_id, DesignReleaseResponse::new(code, released)))
        }
        Err(ReleaseError::Rehearsed(released)) => {
            let card = stored.card.is_some().then_some(released.card_id.0);
            let release = DesignReleaseResponse::new(code, released);
            Ok(Released::Rehearsed(DesignReleaseResponse { card, ..release }))
        }
        Err(error) => Err(refusal(&stored.design.game_code, &place, error)),
    }
}

/// What stands against the release of a design, as far as it does not depend on the place of the card, in the order in
/// which a refused release lists it. Rules of the game are left out, and what cannot be found out at this moment because
/// the service is busy: these are only warnings, and a release compares everything again. `viewer`: what the reviewer sees
/// of hidden cards.
pub async fn list_obstacles(
    app: &AppState,
    reviewer: &Granted<ReviewDesigns>,
    viewer: Viewer,
    code: DesignCode,
) -> Result<Vec<InputFault>, Problem> {
    let nobody = None::<&Granted<ReadOwnDesigns>>;
    let seen_by = Some(DesignReviewer::new(reviewer, viewer));
    let mut conn = StepConnection::new(&app.store);
    let stored = find_stored(&mut conn, nobody, seen_by, code).await?;
    drop(conn);
    let owner = or_unknown(find_name_owner(app, reviewer, &stored).await)?;
    let sentences = or_unknown(list_sentence_obstacles(app, reviewer, code, &stored).await)?;
    let found = [
        stored.author_banned.then_some(Obstruction::AuthorBanned),
        owner.map(Obstruction::NameTaken),
        stored.artwork_removed.then_some(Obstruction::ArtworkRemoved),
    ];
    let sentences =
        sentences.into_iter().map(|(nth, obstacle)| Obstruction::Sentence(nth, obstacle));
    Ok(found.into_iter().flatten().chain(sentences).flat_map(faults_of).collect())
}

/// What has the name of a design, as its release finds it.
async fn find_name_owner(
    app: &AppState,
    reviewer: &Granted<ReviewDesigns>,
    stored: &StoredDesign,
) -> Result<Option<NameOwner>, Problem> {
    let name = (stored.design.game_code.as_str(), stored.content().name.as_str());
    let mut conn = app.store.connection().await?;
    Ok(reserved_names::find_present_owner(&mut conn, reviewer, stored.design.id, name).await?)
}

/// What was found; nothing if the service is too busy to find it.
fn or_unknown<T: Default>(found: Result<T, Problem>) -> Result<T, Problem> {
    match found {
        Err(problem) if problem.code().status() == 503 => Ok(T::default()),
        found => found,
    }
}

/// Fails if the design is not approved, or if another revision is approved than the admin has read: whatever else is wrong
/// with the request, and before the design is compared with anything. The transaction checks the same again.
fn require_approved(stored: &StoredDesign, read: Option<RevisionNumber>) -> Result<(), Problem> {
    require_step(stored.design.status, DesignStep::Release)?;
    let approved = stored.design.revision;
    match read.map(RevisionNumber::get).filter(|read| *read != approved) {
        Some(read) => Err(other_approval(read, approved)),
        None => Ok(()),
    }
}

/// Another revision is approved than the admin has read.
fn other_approval(read: i64, approved: i64) -> Problem {
    Problem::new(ProblemCode::DesignStepRefused)
        .because(ProblemCause::OtherApproval { read, approved })
}

/// The places of the sentences that prevent the release of a design now. Empty also if it was never submitted: it is not released then.
async fn list_sentence_obstacles(
    app: &AppState,
    reviewer: &Granted<ReviewDesigns>,
    code: DesignCode,
    stored: &StoredDesign,
) -> Result<Vec<(usize, SentenceObstacle)>, Problem> {
    let mut conn = app.store.connection().await?;
    let submitted_at = design_reviews::find_submission_time(&mut conn, reviewer, code).await?;
    drop(conn);
    let Some(submitted_at) = submitted_at else { return Ok(Vec::new()) };
    find_obstacles(app, &stored.design.game_code, stored.content(), submitted_at).await
}

/// The code of the set, as it is stored, or everything that is wrong with set and number.
async fn read_place(
    app: &AppState,
    game: &str,
    request: &ReleaseDesignRequest,
) -> Result<Code, Problem> {
    let set = match Code::parse_typed(&request.set) {
        Ok(set) => find_set(app, game, set.lower_case()).await?,
        Err(error) => Err(error.into()),
    };
    let set = set.map_err(|fault| InputFault::at("/set", fault));
    let number = number_fault(request.number.trim()).map(|fault| InputFault::at("/number", fault));
    match (set, number) {
        (Ok(set), None) => Ok(set),
        (set, number) => Err(Problem::invalid(set.err().into_iter().chain(number).collect())),
    }
}

/// The set, or that the game has none with this code, with similar codes.
async fn find_set(
    app: &AppState,
    game: &str,
    set: Code,
) -> Result<Result<Code, FaultReason>, Problem> {
    if app.sets().await?.has_set(game, &set) {
        return Ok(Ok(set));
    }
    // The list in memory may be slightly old: the database is queried before a code is refused.
    let sets = AppState::read_sets(&mut *app.store.connection().await?).await?;
    if sets.has_set(game, &set) {
        return Ok(Ok(set));
    }
    Ok(Err(FaultReason::no_set_of_game(game, &set, sets.sets_of(game))))
}

fn refusal(game: &str, place: &ReleasePlace<'_>, error: ReleaseError) -> Problem {
    match error {
        ReleaseError::Missing | ReleaseError::Rehearsed(_) => Problem::not_found(),
        ReleaseError::NotFrom(status) => not_from(status, DesignStep::Release),
        ReleaseError::Released(earlier) => already_a_card(&earlier.set_code, &earlier.number),
        ReleaseError::OtherApproval { read, approved } => other_approval(read, approved),
        ReleaseError::NoSet => {
            let fault = FaultReason::no_set_of_game(game, place.set, []);
            Problem::invalid(vec![InputFault::at("/set", fault)])
        }
        ReleaseError::Obstructed(obstructions) => obstructed(obstructions),
        ReleaseError::Store(error) => error.into(),
    }
}

/// One obstruction has a code of its own; several are faults of one problem, in the order of the obstructions.
fn obstructed(obstructions: Vec<Obstruction>) -> Problem {
    let is_only = obstructions.len() == 1;
    let mut faults = Vec::new();
    for obstruction in obstructions {
        match obstruction {
            Obstruction::AuthorBanned if is_only => return Problem::new(ProblemCode::AuthorBanned),
            Obstruction::Unconfirmed if is_only => {
                return Problem::new(ProblemCode::ReleaseNotConfirmed);
            }
            Obstruction::NameTaken(owner) if is_only => return name_taken(owner.into()),
            Obstruction::Refused(refused) if is_only => {
                return problem_with_faults(ProblemCode::DesignNotReleasable, refused);
            }
            obstruction => faults.extend(faults_of(obstruction)),
        }
    }
    Problem::new(ProblemCode::DesignNotReleasable).errors(faults)
}

fn faults_of(obstruction: Obstruction) -> Vec<InputFault> {
    let fault = match obstruction {
        Obstruction::AuthorBanned => InputFault::at("", FaultReason::AuthorBanned),
        Obstruction::Unconfirmed => InputFault::at("/was_public", FaultReason::ReleaseUnconfirmed),
        Obstruction::NameTaken(owner) => {
            InputFault::at("/name", FaultReason::DesignNameTaken(owner.into()))
        }
        Obstruction::ArtworkRemoved => {
            InputFault::at("/artwork", FaultReason::DesignArtworkRemoved)
        }
        Obstruction::Sentence(at, obstacle) => {
            let reason = match obstacle {
                SentenceObstacle::FreeText => FaultReason::DesignFreeText,
                SentenceObstacle::SearchLimit => FaultReason::DesignSearchLimit,
            };
            InputFault::at(format!("/effects/{at}/text"), reason)
        }
        Obstruction::Refused(refused) => {
            return problem_with_faults(ProblemCode::DesignNotReleasable, refused).into_faults();
        }
    };
    vec![fault]
}
