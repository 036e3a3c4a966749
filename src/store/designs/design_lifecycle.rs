//! Designs one by one: creating, reading, revising, sharing, withdrawing and deleting them.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{
    Array, BigInt, Bool, Integer, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid,
};
use diesel_async::RunQueryDsl;

use super::artworks::lock_for_revision;
use super::design_search;
use super::reserved_names::{self, NameOwner, NewName};
use super::{DesignReviewer, MODERATORS_SEE, SeesOwnDesigns};
use crate::auth::permission::{Acting, Granted, Permission, WriteOwnDesigns};
use crate::domain::accounts::daily_limits::{DailyActivity, ReachedLimit};
use crate::domain::designs::content::DesignContent;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::likeness::effects_key;
use crate::domain::designs::limits::{MAX_DESIGNS, MAX_REVISIONS};
use crate::domain::designs::review::ReviewDecision;
use crate::domain::designs::status::{DesignStatus, DesignStep};
use crate::domain::ids::{AccountId, CardId, DesignId};
use crate::store::accounts::daily_counts::count_one;
use crate::store::catalogue::games::LoadedGame;
use crate::store::db::codecs::json::Json;
use crate::store::db::statement::{Statement, sql};
use crate::store::feedback::locks::lock_own_account;
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::{Connection, StoreResult};

/// A design without its content.
#[derive(Clone, Debug, QueryableByName)]
pub struct DesignRow {
    /// Its internal id.
    #[diesel(sql_type = SqlUuid)]
    pub id: DesignId,
    /// Its public identifier.
    #[diesel(sql_type = Text)]
    pub code: DesignCode,
    /// Its author.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: AccountId,
    /// The author's name.
    #[diesel(sql_type = Text)]
    pub author: String,
    #[diesel(sql_type = Text)]
    pub game_code: String,
    #[diesel(sql_type = Text)]
    pub status: DesignStatus,
    /// Rises with every change.
    #[diesel(sql_type = BigInt)]
    pub version: i64,
    /// Number of the newest revision.
    #[diesel(sql_type = BigInt)]
    pub revision: i64,
    /// The public revision, if the design was ever shared.
    #[diesel(sql_type = Nullable<BigInt>)]
    pub public_revision: Option<i64>,
    /// When it was first shared.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub shared_at: Option<DateTime<Utc>>,
    /// When it was created.
    #[diesel(sql_type = Timestamptz)]
    pub created_at: DateTime<Utc>,
    /// Number of public comments.
    #[diesel(sql_type = BigInt)]
    pub comment_count: i64,
    /// Number of ratings that count.
    #[diesel(sql_type = BigInt)]
    pub rating_count: i64,
    /// The rating by which designs are sorted: in hundredths of a point, 100 to 500.
    #[diesel(sql_type = Integer)]
    pub rating: i32,
}

/// The columns of a [`DesignRow`] from `designs d JOIN accounts a`.
pub(super) const COLUMNS: &str = "d.id, d.code, d.account_id, a.name AS author, d.game_code, d.status, d.version, d.revision, d.public_revision, \
                                  d.shared_at, d.created_at, d.comment_count, d.rating_count, d.rating";

/// The card that a design became.
#[derive(Clone, Debug, QueryableByName)]
pub struct CardOfDesign {
    #[diesel(sql_type = SqlUuid)]
    pub card_id: CardId,
    #[diesel(sql_type = Text)]
    pub set_code: String,
    #[diesel(sql_type = Text)]
    pub number: String,
    /// When it was released.
    #[diesel(sql_type = Timestamptz)]
    pub released_at: DateTime<Utc>,
}

/// A design as a reader may see it.
#[derive(Clone, Debug, QueryableByName)]
pub struct StoredDesign {
    /// The design itself.
    #[diesel(embed)]
    pub design: DesignRow,
    /// Whether its author is banned: then only moderators see it.
    #[diesel(sql_type = Bool)]
    pub author_banned: bool,
    /// The revision that is shown: the newest to the author, the public one to others.
    #[diesel(sql_type = BigInt)]
    pub shown_revision: i64,
    /// When that revision was written.
    #[diesel(sql_type = Timestamptz)]
    pub revised_at: DateTime<Utc>,
    /// The last decision about it, for its author and moderators.
    #[diesel(sql_type = Nullable<Text>)]
    pub decision: Option<ReviewDecision>,
    /// The reason of the decision.
    #[diesel(sql_type = Nullable<Text>)]
    pub reason: Option<String>,
    /// When it was decided.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub decided_at: Option<DateTime<Utc>>,
    /// Why a moderator took it down, for its author and moderators.
    #[diesel(sql_type = Nullable<Text>)]
    pub takedown_note: Option<String>,
    /// When it was taken down.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub taken_down_at: Option<DateTime<Utc>>,
    /// Whether the artwork of that revision was taken down.
    #[diesel(sql_type = Bool)]
    pub artwork_removed: bool,
    /// The card that it became, if the reader may know.
    #[diesel(embed)]
    pub card: Option<CardOfDesign>,
    #[diesel(sql_type = Jsonb)]
    content: Json<DesignContent>,
    #[diesel(sql_type = Array<SqlUuid>)]
    contributor_ids: Vec<AccountId>,
    #[diesel(sql_type = Array<Text>)]
    contributor_names: Vec<String>,
}

impl StoredDesign {
    /// The accounts whose suggestions became revisions up to the shown one, in the order of their first suggestion.
    /// Banned accounts are left out.
    pub fn contributors(&self) -> impl Iterator<Item = (AccountId, &str)> {
        let names = self.contributor_names.iter().map(String::as_str);
        self.contributor_ids.iter().copied().zip(names)
    }

    /// Whether strangers see the same revision.
    pub fn is_public(&self) -> bool {
        let is_hidden = self.author_banned || self.taken_down_at.is_some();
        !is_hidden && self.design.public_revision == Some(self.shown_revision)
    }

    /// The content of the shown revision.
    pub fn content(&self) -> &DesignContent {
        &self.content.0
    }

    /// Converts the design to its content.
    pub fn into_content(self) -> DesignContent {
        self.content.0
    }
}

/// Finds a design that the reader may see; `None`: there is none, or this reader may not see it.
pub async fn find<P: Permission + SeesOwnDesigns>(
    conn: &mut Connection,
    reader: Option<&Granted<P>>,
    reviewer: Option<DesignReviewer>,
    code: DesignCode,
) -> StoreResult<Option<StoredDesign>> {
    // The author sees the newest revision; strangers see the shared one, unless its author is banned or it was taken down.
    let found = sql(format!(
        "SELECT {COLUMNS}, a.banned_at IS NOT NULL AS author_banned, r.number AS shown_revision, r.created_at AS revised_at, r.content, v.decision, v.reason, v.closed_at AS decided_at, \
          d.takedown_note, d.taken_down_at, \
          EXISTS (SELECT FROM design_artworks s JOIN artworks x ON x.id = s.artwork \
           WHERE s.design_id = d.id AND s.revision = r.number AND x.removed_at IS NOT NULL) AS artwork_removed, k.id AS card_id, k.set_code, k.number, l.released_at, \
          coalesce(w.ids, '{{}}') AS contributor_ids, coalesce(w.names, '{{}}') AS contributor_names \
         FROM designs d JOIN accounts a ON a.id = d.account_id JOIN design_revisions r ON r.design_id = d.id AND r.number = CASE WHEN d.account_id = $reader THEN d.revision \
          WHEN $reviews THEN {MODERATORS_SEE} WHEN a.banned_at IS NULL AND d.taken_down_at IS NULL THEN d.public_revision END \
         LEFT JOIN LATERAL (SELECT decision, reason, closed_at FROM design_reviews w WHERE w.design_id = d.id AND w.decision IS NOT NULL \
          AND (d.account_id = $reader OR $reviews) ORDER BY w.id DESC LIMIT 1) v ON true \
         LEFT JOIN LATERAL (SELECT array_agg(id ORDER BY first) AS ids, array_agg(name ORDER BY first) AS names FROM (\
          SELECT c.id, c.name, min(q.number) AS first FROM design_revisions q JOIN accounts c ON c.id = q.credited_to AND c.banned_at IS NULL \
          WHERE q.design_id = d.id AND q.credited_to IS NOT NULL AND q.number <= r.number GROUP BY c.id, c.name) credits) w ON true \
         LEFT JOIN design_releases l ON l.design_id = d.id AND (d.status = 'official' OR $sees_all_cards) LEFT JOIN cards k ON k.id = l.card_id \
         WHERE d.code = $code"
    ))
    .bind("code", code)
    .bind("reviews", reviewer.is_some())
    .bind("sees_all_cards", reviewer.is_some_and(DesignReviewer::sees_all_cards))
    .bind("reader", reader.map(Granted::account))
    .get_result(conn)
    .await
    .optional()?;
    Ok(found)
}

/// A revision to store.
pub struct NewRevision<'a> {
    pub game: &'a LoadedGame,
    pub content: &'a DesignContent,
    /// Its content as JSON.
    pub json: serde_json::Value,
    /// The account whose suggestion it is.
    pub credited_to: Option<AccountId>,
    /// The current time.
    pub at: DateTime<Utc>,
}

/// The result of creating a design.
#[derive(Debug)]
pub enum DesignCreated {
    /// Stored.
    New,
    /// A repeated request, which created this design; `None`: it was deleted since.
    Repeat(Option<DesignCode>),
    /// The account has [`MAX_DESIGNS`] designs.
    TooMany,
    /// The account has reached the daily limit.
    TooManyToday(ReachedLimit),
    /// The account does not hold the artwork.
    ForeignArtwork,
}

/// Creates a design. The account's row is locked, so that parallel requests cannot exceed the limit.
pub async fn create(
    conn: &mut Connection,
    by: &Acting<WriteOwnDesigns>,
    id: DesignId,
    code: DesignCode,
    new: &NewRevision<'_>,
    key: Option<&IdempotencyClaim>,
) -> Result<DesignCreated, IdempotentError> {
    if let Some(earlier) = idempotency::begin(conn, key, id).await? {
        return Ok(DesignCreated::Repeat(code_of(conn, by, earlier).await?));
    }
    lock_own_account(conn, by).await?;
    if !has_artwork(conn, by, new.content).await? {
        idempotency::forget(conn, key).await?;
        return Ok(DesignCreated::ForeignArtwork);
    }
    let stored = with_content(sql(INSERT), new)
        .bind("id", id)
        .bind("code", code)
        .bind("account", by.account())
        .bind("game", new.game.game.code())
        .bind("limit", MAX_DESIGNS)
        .execute(conn)
        .await?;
    if stored == 0 {
        idempotency::forget(conn, key).await?;
        return Ok(DesignCreated::TooMany);
    }
    // Last, so that refused requests are not counted.
    if let Err(limit) = count_one(conn, by.account(), DailyActivity::Create, new.at).await? {
        sql("DELETE FROM designs WHERE id = $id").bind("id", id).execute(conn).await?;
        idempotency::forget(conn, key).await?;
        return Ok(DesignCreated::TooManyToday(limit));
    }
    Ok(DesignCreated::New)
}

const INSERT: &str = "WITH design AS (\
     INSERT INTO designs (id, code, account_id, game_code, status, version, revision, name, name_key, name_skeleton, kind, effects_key, created_at, updated_at) \
     SELECT $id, $code, $account, $game, 'draft', 1, 1, $name, $name_key, $skeleton, $kind, $effects, $at, $at \
     WHERE (SELECT count(*) FROM designs WHERE account_id = $account) < $limit \
     RETURNING id, account_id, revision), \
    shown AS (INSERT INTO design_artworks (design_id, revision, account_id, artwork) \
     SELECT id, revision, account_id, $artwork FROM design WHERE $artwork IS NOT NULL) \
    INSERT INTO design_revisions (design_id, number, content, created_at) SELECT id, revision, $content, $at FROM design";

/// Binds the content of a revision to a statement.
fn with_content<'a>(statement: Statement<'a>, new: &'a NewRevision<'_>) -> Statement<'a> {
    let content = new.content;
    let effects = effects_key(&content.kind, &content.effects);
    statement
        .bind("name", content.name.as_str())
        .bind("name_key", content.name_key())
        .bind("skeleton", content.name_skeleton())
        .bind("kind", content.kind.as_str())
        .bind("effects", effects.map(|key| key.to_vec()))
        .bind("artwork", content.artwork.as_ref().map(|artwork| artwork.id))
        .bind("content", new.json.clone())
        .bind("at", new.at)
}

/// Whether the author holds the artwork of a revision, if there is one; prevents that it is given up.
async fn has_artwork(
    conn: &mut Connection,
    by: &Acting<WriteOwnDesigns>,
    content: &DesignContent,
) -> StoreResult<bool> {
    match &content.artwork {
        Some(artwork) => lock_for_revision(conn, by.account(), artwork.id).await,
        None => Ok(true),
    }
}

async fn code_of(
    conn: &mut Connection,
    by: &Acting<WriteOwnDesigns>,
    id: DesignId,
) -> StoreResult<Option<DesignCode>> {
    #[derive(QueryableByName)]
    struct Found {
        #[diesel(sql_type = Text)]
        code: DesignCode,
    }
    let found: Option<Found> =
        sql("SELECT code FROM designs WHERE id = $id AND account_id = $account")
            .bind("id", id)
            .bind("account", by.account())
            .get_result(conn)
            .await
            .optional()?;
    Ok(found.map(|found| found.code))
}

/// The result of a step of one of the caller's designs.
#[derive(Debug)]
pub enum StepOutcome {
    Done,
    /// The design was changed since the client read it.
    Stale,
    /// The caller has no such design.
    Missing,
    /// The step is not allowed in this status.
    NotFrom(DesignStatus),
    /// An open card or another listed design has this name, or one that looks the same.
    NameTaken(NameOwner),
    /// The design needs a name.
    Nameless,
    /// The game of a design cannot be changed.
    OtherGame,
    /// It has [`MAX_REVISIONS`] revisions.
    TooManyRevisions,
    /// The account has reached the daily limit.
    TooManyToday(ReachedLimit),
    /// Others have seen the design, so it cannot be deleted.
    WasPublic,
    /// A moderator has taken it down.
    TakenDown,
    /// The account does not hold the artwork.
    ForeignArtwork,
}

#[derive(QueryableByName)]
pub(super) struct LockedDesign {
    #[diesel(sql_type = SqlUuid)]
    pub(super) id: DesignId,
    #[diesel(sql_type = Text)]
    pub(super) game_code: String,
    #[diesel(sql_type = Text)]
    pub(super) status: DesignStatus,
    #[diesel(sql_type = BigInt)]
    version: i64,
    #[diesel(sql_type = BigInt)]
    revision: i64,
    #[diesel(sql_type = Nullable<BigInt>)]
    pub(super) public_revision: Option<i64>,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    name_skeleton: String,
    #[diesel(sql_type = Bool)]
    taken_down: bool,
}

impl LockedDesign {
    /// The name that it is listed under.
    pub(super) fn listed_name(&self) -> NewName<'_> {
        NewName::new(&self.game_code, &self.name)
    }

    /// Whether the design is listed after the step.
    fn is_listed_after(&self, status: DesignStatus) -> bool {
        status.is_listed() && self.public_revision.is_some()
    }
}

/// Locks one of the caller's designs, and returns the status after the step.
pub(super) async fn lock(
    conn: &mut Connection,
    by: &Acting<WriteOwnDesigns>,
    code: DesignCode,
    is_current: impl Fn(i64) -> bool,
    step: DesignStep,
) -> StoreResult<Result<(LockedDesign, DesignStatus), StepOutcome>> {
    let locked = lock_own(conn, by, code).await?;
    Ok(match locked {
        None => Err(StepOutcome::Missing),
        Some(design) if !is_current(design.version) => Err(StepOutcome::Stale),
        Some(design) if design.taken_down => Err(StepOutcome::TakenDown),
        Some(design) => match design.status.after(step) {
            None => Err(StepOutcome::NotFrom(design.status)),
            Some(status) => Ok((design, status)),
        },
    })
}

async fn lock_own(
    conn: &mut Connection,
    by: &Acting<WriteOwnDesigns>,
    code: DesignCode,
) -> StoreResult<Option<LockedDesign>> {
    let locked = sql(
        "SELECT id, game_code, status, version, revision, public_revision, name, name_skeleton, taken_down_at IS NOT NULL AS taken_down FROM designs \
         WHERE code = $code AND account_id = $account FOR NO KEY UPDATE",
    )
    .bind("code", code)
    .bind("account", by.account())
    .get_result(conn)
    .await
    .optional()?;
    Ok(locked)
}

/// Writes a new revision of one of the caller's designs, if `is_current` accepts its version. A listed design shows the
/// revision at once, and its name is reserved.
pub async fn revise(
    conn: &mut Connection,
    by: &Acting<WriteOwnDesigns>,
    code: DesignCode,
    is_current: impl Fn(i64) -> bool,
    new: &NewRevision<'_>,
) -> StoreResult<StepOutcome> {
    let (design, status) = match lock(conn, by, code, is_current, DesignStep::Edit).await? {
        Ok(locked) => locked,
        Err(outcome) => return Ok(outcome),
    };
    if design.game_code != new.game.game.code() {
        return Ok(StepOutcome::OtherGame);
    }
    if design.revision >= MAX_REVISIONS {
        return Ok(StepOutcome::TooManyRevisions);
    }
    // Only names of listed designs are compared.
    let is_listed = design.is_listed_after(status);
    let name = is_listed.then(|| NewName::new(&design.game_code, &new.content.name));
    let mut reserved = None;
    if let Some(name) = &name {
        if new.content.name_skeleton().is_empty() {
            return Ok(StepOutcome::Nameless);
        }
        // Older versions listed designs beside each other whose names look the same: each keeps its own.
        let is_same = name.is_like(&design.listed_name());
        if !is_same {
            match reserved_names::reserve(conn, design.id, name).await? {
                Ok(free) => reserved = Some(free),
                Err(owner) => return Ok(StepOutcome::NameTaken(owner)),
            }
        }
    }
    if !has_artwork(conn, by, new.content).await? {
        return Ok(StepOutcome::ForeignArtwork);
    }
    if let Err(limit) = count_one(conn, by.account(), DailyActivity::Revise, new.at).await? {
        return Ok(StepOutcome::TooManyToday(limit));
    }
    if let Some(reserved) = reserved {
        reserved.take(conn, new.at).await?;
    }
    with_content(sql(REVISE), new)
        .bind("id", design.id)
        .bind("listed", is_listed)
        .bind("credited_to", new.credited_to)
        .execute(conn)
        .await?;
    if let Some(name) = &name {
        reserved_names::store_looks(conn, design.id, name).await?;
        design_search::write(conn, design.id, new.game, new.content).await?;
    }
    Ok(StepOutcome::Done)
}

const REVISE: &str = "WITH design AS (\
     UPDATE designs SET version = version + 1, revision = revision + 1, public_revision = CASE WHEN $listed THEN revision + 1 ELSE public_revision END, \
      searched_revision = CASE WHEN $listed THEN revision + 1 END, \
      name = $name, name_key = $name_key, name_skeleton = $skeleton, kind = $kind, effects_key = $effects, updated_at = $at WHERE id = $id \
     RETURNING id, account_id, revision), \
    shown AS (INSERT INTO design_artworks (design_id, revision, account_id, artwork) \
     SELECT id, revision, account_id, $artwork FROM design WHERE $artwork IS NOT NULL) \
    INSERT INTO design_revisions (design_id, number, content, credited_to, created_at) SELECT id, revision, $content, $credited_to, $at FROM design";

/// Shares the current revision of one of the caller's designs. `content` is the content of the version that
/// `is_current` accepts.
pub async fn share(
    conn: &mut Connection,
    by: &Acting<WriteOwnDesigns>,
    code: DesignCode,
    is_current: impl Fn(i64) -> bool,
    (game, content): (&LoadedGame, &DesignContent),
    at: DateTime<Utc>,
) -> StoreResult<StepOutcome> {
    let (design, status) = match lock(conn, by, code, is_current, DesignStep::Share).await? {
        Ok(locked) => locked,
        Err(outcome) => return Ok(outcome),
    };
    if design.name_skeleton.is_empty() {
        return Ok(StepOutcome::Nameless);
    }
    let name = design.listed_name();
    let reserved = match reserved_names::reserve(conn, design.id, &name).await? {
        Ok(reserved) => reserved,
        Err(owner) => return Ok(StepOutcome::NameTaken(owner)),
    };
    if let Err(limit) = count_one(conn, by.account(), DailyActivity::Share, at).await? {
        return Ok(StepOutcome::TooManyToday(limit));
    }
    reserved.take(conn, at).await?;
    sql("UPDATE designs SET status = $status, version = version + 1, public_revision = revision, searched_revision = revision, \
         shared_at = coalesce(shared_at, $at), updated_at = $at WHERE id = $id")
    .bind("id", design.id)
    .bind("status", status)
    .bind("at", at)
    .execute(conn)
    .await?;
    reserved_names::store_looks(conn, design.id, &name).await?;
    design_search::write(conn, design.id, game, content).await?;
    Ok(StepOutcome::Done)
}

/// Withdraws one of the caller's designs: it is in no list any more, and its name is free. Readers with its identifier
/// can still read the shared revision.
pub async fn withdraw(
    conn: &mut Connection,
    by: &Acting<WriteOwnDesigns>,
    code: DesignCode,
    is_current: impl Fn(i64) -> bool,
    at: DateTime<Utc>,
) -> StoreResult<StepOutcome> {
    let design = match lock(conn, by, code, is_current, DesignStep::Withdraw).await? {
        Ok((design, _)) => design,
        Err(outcome) => return Ok(outcome),
    };
    withdraw_locked(conn, design.id, at).await?;
    Ok(StepOutcome::Done)
}

/// Withdraws a locked design: its review is closed, and searches do not find it any more.
pub(super) async fn withdraw_locked(
    conn: &mut Connection,
    id: DesignId,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    sql("WITH closed AS (UPDATE design_reviews SET closed_at = $at WHERE design_id = $id AND closed_at IS NULL), \
         unsearched AS (DELETE FROM design_search WHERE design_id = $id) \
         UPDATE designs SET status = $withdrawn, version = version + 1, searched_revision = NULL, updated_at = $at WHERE id = $id")
    .bind("id", id)
    .bind("withdrawn", DesignStatus::Withdrawn)
    .bind("at", at)
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes one of the caller's designs, with all its revisions, if nobody else has seen it, and it was never submitted
/// for review.
pub async fn delete(
    conn: &mut Connection,
    by: &Acting<WriteOwnDesigns>,
    code: DesignCode,
    is_current: impl Fn(i64) -> bool,
) -> StoreResult<StepOutcome> {
    let design = match lock_own(conn, by, code).await? {
        None => return Ok(StepOutcome::Missing),
        Some(design) if !is_current(design.version) => return Ok(StepOutcome::Stale),
        Some(design) if design.taken_down => return Ok(StepOutcome::TakenDown),
        Some(design) => design,
    };
    if design.public_revision.is_some() {
        return Ok(StepOutcome::WasPublic);
    }
    if design.status.after(DesignStep::Edit).is_none() {
        return Ok(StepOutcome::NotFrom(design.status));
    }
    // Moderators have seen a design that was decided: the decision stays, and so does its subject.
    let deleted = sql("DELETE FROM designs WHERE id = $id AND NOT EXISTS (SELECT FROM design_reviews WHERE design_id = $id AND decision IS NOT NULL)")
        .bind("id", design.id)
        .execute(conn)
        .await?;
    Ok(if deleted == 0 { StepOutcome::WasPublic } else { StepOutcome::Done })
}
