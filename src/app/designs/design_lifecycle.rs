//! Designs one by one: creating, reading, revising, sharing, withdrawing and deleting them.

use xxhash_rust::xxh3::xxh3_64;

use super::alike::NameLikeness;
use super::design_bodies::{DesignRequest, DesignResponse, ParsedDesign, parse};
use super::design_checks::has_removed_artwork;
use super::likeness::cards_of_like_name;
use super::step_problems::{
    check_step, foreign_artwork, name_taken, not_deletable, require_own_step, too_many,
};
use crate::app::fault_reason::FaultReason;
use crate::app::feedback::problems::too_many_today;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::app::versions::{IfMatch, Revision};
use crate::auth::permission::{Granted, Permission, WriteOwnDesigns};
use crate::domain::designs::content::{ContentReason, DesignContent};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::limits::MAX_BYTES;
use crate::domain::designs::status::DesignStep;
use crate::domain::ids::DesignId;
use crate::domain::network::Network;
use crate::domain::text::TextError;
use crate::store::catalogue::games::LoadedGame;
use crate::store::designs::design_lifecycle::{
    self, DesignCreated, DesignRow, NewRevision, StepOutcome, StoredDesign,
};
use crate::store::designs::reserved_names::NameOwner;
use crate::store::designs::{DesignReviewer, SeesOwnDesigns, artworks};
use crate::store::operations::idempotency::IdempotencyClaim;
use crate::store::{Connection, StoreResult};

/// A design as a response, with the version for `If-Match`.
pub struct VersionedDesign {
    pub version: Revision,
    /// Whether the reader is its author.
    pub is_own: bool,
    /// Whether strangers see the same revision.
    pub is_public: bool,
    /// Numbers that are no part of the version: comments, ratings, the sum of the ratings, 1 if its artwork was taken down, and a digest of what else can change.
    pub counts: Vec<i64>,
    pub design: DesignResponse,
}

/// Creates a design.
pub async fn create(
    app: &AppState,
    by: &Granted<WriteOwnDesigns>,
    request: DesignRequest,
    key: Option<&IdempotencyClaim>,
) -> Result<VersionedDesign, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let ParsedDesign { game, content } = parse(app, &mut conn, request).await?;
    drop(conn);
    if !content.has_proper_name() {
        return Err(improper_name("/name"));
    }
    let new = new_revision(app, &game, &content)?;
    let (id, code) = (DesignId::generate(), DesignCode::generate());
    let created = app
        .write_design(by, async |conn, by| {
            design_lifecycle::create(conn, by, id, code, &new, key).await
        })
        .await?;
    let code = match created {
        DesignCreated::New => {
            tracing::info!(account = %by.account(), design = %code, game = game.game.code(), "design created");
            code
        }
        DesignCreated::Repeat(Some(earlier)) => earlier,
        DesignCreated::Repeat(None) => return Err(Problem::new(ProblemCode::Gone)),
        DesignCreated::TooMany => return Err(too_many()),
        DesignCreated::TooManyToday(limit) => return Err(too_many_today(app, limit)),
        DesignCreated::ForeignArtwork => {
            let mut conn = StepConnection::new(&app.store);
            return Err(refused_artwork(&mut conn, by, &content).await?);
        }
    };
    find(app, Some(by), None, code).await
}

pub(super) fn new_revision<'a>(
    app: &AppState,
    game: &'a LoadedGame,
    content: &'a DesignContent,
) -> Result<NewRevision<'a>, Problem> {
    let json = as_json(content, "")?;
    Ok(NewRevision { game, content, json, credited_to: None, at: app.clock.now() })
}

/// The content of a design as it is stored; 422 at `place` when it is too large.
pub(super) fn as_json(content: &DesignContent, place: &str) -> Result<serde_json::Value, Problem> {
    let json = serde_json::to_value(content).map_err(Problem::internal)?;
    let bytes = json.to_string().len();
    if bytes > MAX_BYTES {
        let reason = FaultReason::TooLarge { most: MAX_BYTES, actual: bytes };
        return Err(Problem::invalid(vec![InputFault::at(place, reason)]));
    }
    Ok(json)
}

/// Finds a design that is shared, one of the reader's own, or, for a moderator, one that was submitted, taken down or
/// shared by an author who is banned.
pub async fn find<P: Permission + SeesOwnDesigns>(
    app: &AppState,
    reader: Option<&Granted<P>>,
    reviewer: Option<DesignReviewer>,
    code: DesignCode,
) -> Result<VersionedDesign, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let stored = find_stored(&mut conn, reader, reviewer, code).await?;
    let game = app.named_game_on(&mut conn, &stored.design.game_code).await?;
    let is_own = reader.is_some_and(|reader| reader.account() == stored.design.account_id);
    let game = game.map_err(Problem::internal)?;
    answer(&game, stored, is_own)
}

fn answer(
    game: &LoadedGame,
    stored: StoredDesign,
    is_own: bool,
) -> Result<VersionedDesign, Problem> {
    let (version, is_public) = (Revision(stored.design.version), stored.is_public());
    let DesignRow { comment_count, rating_count, rating, .. } = stored.design;
    let mut counts = vec![comment_count, rating_count, rating_count * i64::from(rating)];
    counts.extend(stored.artwork_removed.then_some(1));
    let design = DesignResponse::new(&game.game, stored);
    counts.extend(digest_beside_version(game, &design)?);
    Ok(VersionedDesign { version, is_own, is_public, counts, design })
}

/// A digest of what changes without a new version: bans change the contributors, moves the place of the card, and another manifest the computed printings. `None`:
/// there are neither contributors nor a card, and the manifest has never changed.
fn digest_beside_version(
    game: &LoadedGame,
    design: &DesignResponse,
) -> Result<Option<i64>, Problem> {
    let DesignResponse { contributors, card, .. } = design;
    if contributors.is_empty() && card.is_none() && game.revision == 1 {
        return Ok(None);
    }
    let beside =
        serde_json::to_vec(&(contributors, card, game.revision)).map_err(Problem::internal)?;
    Ok(Some((xxh3_64(&beside) >> 1).max(1).cast_signed()))
}

/// Finds one of the caller's designs in its current state; 404 when it is somebody else's, even if it is shared.
pub(super) async fn find_own<P: Permission + SeesOwnDesigns>(
    conn: &mut StepConnection<'_>,
    by: &Granted<P>,
    code: DesignCode,
) -> Result<StoredDesign, Problem> {
    let stored = find_stored(conn, Some(by), None, code).await?;
    if stored.design.account_id == by.account() { Ok(stored) } else { Err(Problem::not_found()) }
}

/// Finds a stored design that this reader may see, as [`find`] does; 404 otherwise.
pub(super) async fn find_stored<P: Permission + SeesOwnDesigns>(
    conn: &mut StepConnection<'_>,
    reader: Option<&Granted<P>>,
    reviewer: Option<DesignReviewer>,
    code: DesignCode,
) -> Result<StoredDesign, Problem> {
    let found = design_lifecycle::find(conn.get().await?, reader, reviewer, code).await?;
    found.ok_or_else(Problem::not_found)
}

/// The design after a step of its author that succeeded. It is read in the transaction of the step, so that the answer needs no other connection; if
/// the read fails, nothing is written.
pub(super) async fn read_after_step(
    conn: &mut Connection,
    by: &Granted<WriteOwnDesigns>,
    code: DesignCode,
    succeeded: bool,
) -> StoreResult<Option<StoredDesign>> {
    if succeeded { design_lifecycle::find(conn, Some(by), None, code).await } else { Ok(None) }
}

/// The answer about a design after a step of its author that succeeded.
pub(super) fn answer_after_step(
    game: &LoadedGame,
    changed: Option<StoredDesign>,
) -> Result<VersionedDesign, Problem> {
    answer(game, changed.ok_or_else(Problem::not_found)?, true)
}

/// Writes a new revision of one of the caller's designs, if the client's version is current.
pub async fn revise(
    app: &AppState,
    by: &Granted<WriteOwnDesigns>,
    network: Network,
    code: DesignCode,
    if_match: &IfMatch,
    request: DesignRequest,
) -> Result<VersionedDesign, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let ParsedDesign { game, content } = parse(app, &mut conn, request).await?;
    write_revision(app, &mut conn, by, network, (code, if_match), (&game, &content)).await
}

/// Whether one of the caller's designs is already what [`revise`] would make of it, because the same form was sent before.
pub async fn is_revised(
    app: &AppState,
    by: &Granted<WriteOwnDesigns>,
    code: DesignCode,
    request: DesignRequest,
) -> Result<bool, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let stored = find_own(&mut conn, by, code).await?;
    let ParsedDesign { game, content } = parse(app, &mut conn, request).await?;
    Ok(stored.design.game_code == game.game.code() && *stored.content() == content)
}

/// Writes a revision with this content, unless the newest one has the same content. `conn`: the connection for the steps before the transaction.
pub(super) async fn write_revision(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    by: &Granted<WriteOwnDesigns>,
    network: Network,
    (code, if_match): (DesignCode, &IfMatch),
    (game, content): (&LoadedGame, &DesignContent),
) -> Result<VersionedDesign, Problem> {
    let before = find_own(conn, by, code).await?;
    conn.give_back();
    if_match.check(Revision(before.design.version))?;
    if before.design.game_code == game.game.code() && before.content() == content {
        return answer(game, before, true);
    }
    require_own_step(&before, DesignStep::Edit)?;
    require_new_name(&before, content)?;
    require_free_new_name(app, network, &before, content).await?;
    let is_current = version_check(if_match, before.design.version);
    let new = new_revision(app, game, content)?;
    let (outcome, revised) = app
        .write_design(by, async |conn, acting| {
            let outcome = design_lifecycle::revise(conn, acting, code, &is_current, &new).await?;
            let succeeded = matches!(outcome, StepOutcome::Done);
            StoreResult::Ok((outcome, read_after_step(conn, by, code, succeeded).await?))
        })
        .await?;
    if matches!(outcome, StepOutcome::ForeignArtwork) {
        return Err(refused_artwork(conn, by, content).await?);
    }
    check_step(app, DesignStep::Edit, outcome)?;
    let revised = answer_after_step(game, revised)?;
    tracing::info!(account = %by.account(), design = %code, revision = revised.design.revision, "design revised");
    Ok(revised)
}

/// 422 for artwork that the store refused: the author's own was taken down, all other is none of theirs.
async fn refused_artwork(
    conn: &mut StepConnection<'_>,
    by: &Granted<WriteOwnDesigns>,
    content: &DesignContent,
) -> Result<Problem, Problem> {
    let is_own = match &content.artwork {
        Some(artwork) => artworks::is_own(conn.get().await?, by, artwork.id).await?,
        None => false,
    };
    if !is_own || !has_removed_artwork(conn, content).await? {
        return Ok(foreign_artwork());
    }
    Ok(Problem::invalid(vec![InputFault::at("/artwork/id", FaultReason::RemovedArtwork)]))
}

/// 422 when the revision would give the design a name of only punctuation or marks, or one that is too long to be
/// compared. Designs that have such names keep them.
pub(super) fn require_new_name(
    before: &StoredDesign,
    content: &DesignContent,
) -> Result<(), Problem> {
    if before.content().name == content.name {
        return Ok(());
    }
    require_comparable_name(content)?;
    if content.has_proper_name() { Ok(()) } else { Err(improper_name("/name")) }
}

/// 422 for a stored name that is too long to be compared: no index of listed designs or of cards takes it.
pub(super) fn require_comparable_name(content: &DesignContent) -> Result<(), Problem> {
    if content.has_long_key() {
        return Err(Problem::invalid(vec![InputFault::at("/name", ContentReason::LongKey)]));
    }
    Ok(())
}

/// 422 for a name of only punctuation or marks, which the request has at `pointer`.
pub(super) fn improper_name(pointer: &'static str) -> Problem {
    Problem::invalid(vec![InputFault::at(pointer, ContentReason::Text(TextError::Blank))])
}

/// 409 when the content of another revision, or of a suggestion, would show artwork that was taken down: the author did
/// not choose it in this request.
pub(super) async fn require_shown_artwork(
    conn: &mut StepConnection<'_>,
    content: &DesignContent,
) -> Result<(), Problem> {
    if !has_removed_artwork(conn, content).await? {
        return Ok(());
    }
    let fault = InputFault::at("/artwork/id", FaultReason::RemovedArtwork);
    Err(Problem::new(ProblemCode::ArtworkRemoved).errors(vec![fault]))
}

/// 409 when the revision would show the design under another name, and an open card has that name.
pub(super) async fn require_free_new_name(
    app: &AppState,
    network: Network,
    before: &StoredDesign,
    content: &DesignContent,
) -> Result<(), Problem> {
    let is_listed = before.design.shared_at.is_some() && before.design.status.is_listed();
    if is_listed && before.content().name != content.name {
        require_free_name(app, network, &before.design.game_code, &content.name).await?;
    }
    Ok(())
}

/// Shares one of the caller's designs with everybody, if the client's version is current. Its name is then reserved.
pub async fn share(
    app: &AppState,
    by: &Granted<WriteOwnDesigns>,
    network: Network,
    code: DesignCode,
    if_match: &IfMatch,
) -> Result<VersionedDesign, Problem> {
    let mut conn = StepConnection::new(&app.store);
    let stored = find_own(&mut conn, by, code).await?;
    if_match.check(Revision(stored.design.version))?;
    require_own_step(&stored, DesignStep::Share)?;
    require_comparable_name(stored.content())?;
    let game = app.named_game_on(&mut conn, &stored.design.game_code).await?;
    let game = game.map_err(Problem::internal)?;
    drop(conn);
    require_free_name(app, network, &stored.design.game_code, &stored.content().name).await?;
    let is_current = version_check(if_match, stored.design.version);
    let at = app.clock.now();
    let content = (&*game, stored.content());
    let (outcome, shared) = app
        .write_design(by, async |conn, acting| {
            let outcome =
                design_lifecycle::share(conn, acting, code, &is_current, content, at).await?;
            let succeeded = matches!(outcome, StepOutcome::Done);
            StoreResult::Ok((outcome, read_after_step(conn, by, code, succeeded).await?))
        })
        .await?;
    check_step(app, DesignStep::Share, outcome)?;
    tracing::info!(account = %by.account(), design = %code, "design shared");
    answer_after_step(&game, shared)
}

/// A check for use inside the transaction: whether a version is the one that was read before the transaction, and one
/// that the client means (`If-Match: *` means any).
pub(super) fn version_check(if_match: &IfMatch, looked_at: i64) -> impl Fn(i64) -> bool {
    move |version| version == looked_at && if_match.check(Revision(version)).is_ok()
}

/// 409 when an open card has this name or one that looks the same. Hidden cards are not compared: their names are
/// secret.
pub(super) async fn require_free_name(
    app: &AppState,
    network: Network,
    game: &str,
    name: &str,
) -> Result<(), Problem> {
    let owner = find_card_of_name(app, network, game, name).await?;
    owner.map_or(Ok(()), |owner| Err(name_taken(owner.into())))
}

/// An open card that has this name or one that looks the same.
pub(super) async fn find_card_of_name(
    app: &AppState,
    network: Network,
    game: &str,
    name: &str,
) -> Result<Option<NameOwner>, Problem> {
    let cards = cards_of_like_name(app, network, game, name).await?;
    let same = cards.iter().find(|(likeness, _)| *likeness != NameLikeness::Near);
    Ok(same.map(|(_, card)| NameOwner::Card {
        set: card.set_code.clone(),
        number: card.number.clone(),
    }))
}

/// Withdraws one of the caller's designs from the public, if the client's version is current.
pub async fn withdraw(
    app: &AppState,
    by: &Granted<WriteOwnDesigns>,
    code: DesignCode,
    if_match: &IfMatch,
) -> Result<VersionedDesign, Problem> {
    let is_current = |version| if_match.check(Revision(version)).is_ok();
    let at = app.clock.now();
    let outcome = app
        .write_design(by, async |conn, by| {
            design_lifecycle::withdraw(conn, by, code, is_current, at).await
        })
        .await?;
    check_step(app, DesignStep::Withdraw, outcome)?;
    tracing::info!(account = %by.account(), design = %code, "design withdrawn");
    find(app, Some(by), None, code).await
}

/// Deletes one of the caller's designs, if nobody else has seen it and the client's version is current.
pub async fn delete(
    app: &AppState,
    by: &Granted<WriteOwnDesigns>,
    code: DesignCode,
    if_match: &IfMatch,
) -> Result<(), Problem> {
    let is_current = |version| if_match.check(Revision(version)).is_ok();
    let outcome = app
        .write_design(by, async |conn, by| {
            design_lifecycle::delete(conn, by, code, is_current).await
        })
        .await?;
    if let StepOutcome::NotFrom(status) = outcome {
        return Err(not_deletable(status));
    }
    check_step(app, DesignStep::Edit, outcome)?;
    tracing::info!(account = %by.account(), design = %code, "design deleted");
    Ok(())
}
