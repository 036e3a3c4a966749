//! Suggested changes of designs, visible only to the suggesting player and to the author.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde_json::Value;

use super::SeesOwnDesigns;
use super::design_lifecycle::{NewRevision, StepOutcome, revise};
use crate::auth::permission::{Acting, GiveFeedback, Granted, Permission, WriteOwnDesigns};
use crate::domain::accounts::daily_limits::{DailyActivity, ReachedLimit};
use crate::domain::designs::content::DesignContent;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::limits::MAX_BYTES;
use crate::domain::designs::status::DesignStatus;
use crate::domain::designs::suggested_change::SuggestionState;
use crate::domain::ids::{AccountId, SuggestionId};
use crate::store::accounts::daily_counts::count_one;
use crate::store::db::codecs::json::Json;
use crate::store::db::pages::push_page;
use crate::store::db::statement::sql;
use crate::store::feedback::locks::{lock_own_account, lock_public, lock_subject};
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::{Connection, StoreResult};

/// A suggestion without its content.
#[derive(Clone, Debug, QueryableByName)]
pub struct SuggestionRow {
    #[diesel(sql_type = SqlUuid)]
    pub id: SuggestionId,
    /// The account that suggested it.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: AccountId,
    /// The name of that account.
    #[diesel(sql_type = Text)]
    pub name: String,
    /// The revision that it is based on.
    #[diesel(sql_type = BigInt)]
    pub revision: i64,
    /// The reason.
    #[diesel(sql_type = Text)]
    pub message: String,
    #[diesel(sql_type = Text)]
    pub state: SuggestionState,
    /// The revision that it became.
    #[diesel(sql_type = Nullable<BigInt>)]
    pub taken_as: Option<i64>,
    /// When it was created.
    #[diesel(sql_type = Timestamptz)]
    pub created_at: DateTime<Utc>,
    /// When it was accepted, declined or withdrawn.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub closed_at: Option<DateTime<Utc>>,
}

/// A suggestion with its content.
#[derive(Clone, Debug, QueryableByName)]
pub struct StoredSuggestion {
    /// The suggestion itself.
    #[diesel(embed)]
    pub suggestion: SuggestionRow,
    /// Code of the design's game.
    #[diesel(sql_type = Text)]
    pub game_code: String,
    #[diesel(sql_type = Jsonb)]
    content: Json<DesignContent>,
    #[diesel(sql_type = Jsonb)]
    base: Json<DesignContent>,
}

impl StoredSuggestion {
    /// The suggested content of the design.
    pub fn content(&self) -> &DesignContent {
        &self.content.0
    }

    /// The content of the revision that it is based on.
    pub fn base(&self) -> &DesignContent {
        &self.base.0
    }
}

const COLUMNS: &str = "s.id, s.account_id, w.name, s.revision, s.message, s.state, s.taken_as, s.created_at, s.closed_at";
/// The author of the design sees suggestions by players who are not banned, except those that a moderator hid. Others
/// see their own, as long as they may see the design.
const SEEN: &str = "FROM designs d JOIN accounts a ON a.id = d.account_id JOIN suggested_changes s ON s.design_id = d.id JOIN accounts w ON w.id = s.account_id \
                    WHERE d.code = $code AND (s.account_id = $reader AND a.banned_at IS NULL AND d.taken_down_at IS NULL \
                    OR d.account_id = $reader AND w.banned_at IS NULL AND s.hidden_at IS NULL)";

/// Lists the suggestions for a design that the reader may see, the newest first: those before the one with that id.
/// `only_open`: only suggestions that are neither answered nor withdrawn.
pub async fn list<P: Permission + SeesOwnDesigns>(
    conn: &mut Connection,
    by: &Granted<P>,
    code: DesignCode,
    only_open: bool,
    before: Option<SuggestionId>,
    limit: i64,
) -> StoreResult<Vec<SuggestionRow>> {
    let mut statement =
        sql(format!("SELECT {COLUMNS} {SEEN}")).bind("code", code).bind("reader", by.account());
    if only_open {
        statement = statement.push(" AND s.state = 'open'");
    }
    if let Some(before) = before {
        statement = statement.push(" AND s.id < $before").bind("before", before);
    }
    Ok(push_page(statement, "id DESC", limit).load(conn).await?)
}

/// Finds a suggestion that the reader may see.
pub async fn find<P: Permission + SeesOwnDesigns>(
    conn: &mut Connection,
    by: &Granted<P>,
    code: DesignCode,
    id: SuggestionId,
) -> StoreResult<Option<StoredSuggestion>> {
    let found = sql(format!(
        "SELECT x.*, r.content AS base FROM (SELECT {COLUMNS}, d.game_code, s.content, s.design_id {SEEN} AND s.id = $id) x \
         JOIN design_revisions r ON r.design_id = x.design_id AND r.number = x.revision"
    ))
    .bind("code", code)
    .bind("reader", by.account())
    .bind("id", id)
    .get_result(conn)
    .await
    .optional()?;
    Ok(found)
}

/// A suggestion to store.
pub struct NewSuggestion<'a> {
    pub id: SuggestionId,
    /// The revision that it is based on.
    pub revision: i64,
    /// Code of the game that it names.
    pub game: &'a str,
    /// The suggested content as JSON. Licence and artwork are ignored, because the author chooses them.
    pub content: serde_json::Value,
    /// Whether its name has a letter, a digit or a symbol.
    pub has_proper_name: bool,
    /// The reason.
    pub message: &'a str,
    /// The current time.
    pub at: DateTime<Utc>,
}

/// The result of a step of a suggestion.
#[derive(Debug)]
pub enum SuggestionOutcome {
    Done,
    /// A repeated request, which stored this suggestion.
    Repeat(SuggestionId),
    /// There is no such design, or no such suggestion for this caller.
    Missing,
    /// The design is the caller's.
    Own,
    /// The author has blocked the caller.
    Refused,
    /// It is not based on the public revision.
    Outdated,
    /// The game of a design cannot be changed.
    OtherGame,
    /// It changes nothing.
    Unchanged,
    /// With the author's artwork it has this number of bytes, which are too many.
    TooLarge(usize),
    /// It changes the name to one of only punctuation or marks.
    ImproperName,
    /// The account has reached the daily limit.
    TooManyToday(ReachedLimit),
    /// It was already answered or withdrawn.
    Closed(SuggestionState),
    /// The resulting revision cannot be stored.
    NotWritten(StepOutcome),
}

/// Suggests a change of the current public revision of a design that is not official, and so may still be changed.
pub async fn create(
    conn: &mut Connection,
    by: &Acting<GiveFeedback>,
    code: DesignCode,
    new: &NewSuggestion<'_>,
    key: Option<&IdempotencyClaim>,
) -> Result<SuggestionOutcome, IdempotentError> {
    if let Some(earlier) = idempotency::begin(conn, key, new.id).await? {
        return Ok(SuggestionOutcome::Repeat(earlier));
    }
    let outcome = insert(conn, by, code, new).await?;
    if !matches!(outcome, SuggestionOutcome::Done) {
        idempotency::forget(conn, key).await?;
    }
    Ok(outcome)
}

async fn insert(
    conn: &mut Connection,
    by: &Acting<GiveFeedback>,
    code: DesignCode,
    new: &NewSuggestion<'_>,
) -> StoreResult<SuggestionOutcome> {
    #[derive(QueryableByName)]
    struct Compared {
        #[diesel(sql_type = Text)]
        status: DesignStatus,
        #[diesel(sql_type = Bool)]
        same_game: bool,
        #[diesel(sql_type = Bool)]
        same_name: bool,
        #[diesel(sql_type = Bool)]
        unchanged: bool,
        #[diesel(sql_type = Jsonb)]
        proposed: Json<Value>,
    }
    lock_own_account(conn, by).await?;
    let Some(design) = lock_public(conn, by, code.into()).await? else {
        return Ok(SuggestionOutcome::Missing);
    };
    if design.owner == by.account() {
        return Ok(SuggestionOutcome::Own);
    }
    if design.has_blocked {
        return Ok(SuggestionOutcome::Refused);
    }
    if design.revision != new.revision {
        return Ok(SuggestionOutcome::Outdated);
    }
    let compare = sql("SELECT status, same_game, proposed ->> 'name' IS NOT DISTINCT FROM content ->> 'name' AS same_name, proposed, proposed = content AS unchanged FROM (\
             SELECT d.status, d.game_code = $game AS same_game, r.content, \
              ($content - 'artwork') || jsonb_strip_nulls(jsonb_build_object('licence', r.content -> 'licence', 'artwork', r.content -> 'artwork')) AS proposed \
             FROM designs d JOIN design_revisions r ON r.design_id = d.id AND r.number = d.revision WHERE d.id = $design) x")
        .bind("design", design.id)
        .bind("game", new.game)
        .bind("content", new.content.clone());
    let Compared { status, same_game, same_name, unchanged, proposed } =
        compare.get_result(conn).await?;
    if status == DesignStatus::Official {
        return Ok(SuggestionOutcome::NotWritten(StepOutcome::NotFrom(status)));
    }
    if !same_game {
        return Ok(SuggestionOutcome::OtherGame);
    }
    if unchanged {
        return Ok(SuggestionOutcome::Unchanged);
    }
    let bytes = proposed.0.to_string().len();
    if bytes > MAX_BYTES {
        return Ok(SuggestionOutcome::TooLarge(bytes));
    }
    if !new.has_proper_name && !same_name {
        return Ok(SuggestionOutcome::ImproperName);
    }
    if let Err(limit) = count_one(conn, by.account(), DailyActivity::Suggest, new.at).await? {
        return Ok(SuggestionOutcome::TooManyToday(limit));
    }
    sql("INSERT INTO suggested_changes (id, design_id, account_id, revision, content, message, state, created_at) \
         VALUES ($id, $design, $account, $revision, $content, $message, 'open', $at)")
    .bind("id", new.id)
    .bind("design", design.id)
    .bind("account", by.account())
    .bind("revision", new.revision)
    .bind("content", proposed.0)
    .bind("message", new.message)
    .bind("at", new.at)
    .execute(conn)
    .await?;
    Ok(SuggestionOutcome::Done)
}

/// Accepts a suggestion: stores its result as a new revision of the caller's design, if `is_current` accepts the
/// version.
pub async fn take(
    conn: &mut Connection,
    by: &Acting<WriteOwnDesigns>,
    code: DesignCode,
    id: SuggestionId,
    is_current: impl Fn(i64) -> bool,
    new: &NewRevision<'_>,
) -> StoreResult<SuggestionOutcome> {
    match lock_change(conn, by, code, id, Side::Author).await? {
        None => return Ok(SuggestionOutcome::Missing),
        Some(SuggestionState::Open) => {}
        Some(state) => return Ok(SuggestionOutcome::Closed(state)),
    }
    match revise(conn, by, code, is_current, new).await? {
        StepOutcome::Done => {}
        outcome => return Ok(SuggestionOutcome::NotWritten(outcome)),
    }
    sql("UPDATE suggested_changes s SET state = 'taken', taken_as = d.revision, closed_at = $at FROM designs d WHERE s.id = $id AND d.id = s.design_id")
        .bind("id", id)
        .bind("at", new.at)
        .execute(conn)
        .await?;
    Ok(SuggestionOutcome::Done)
}

/// Declines a suggestion for one of the caller's designs. Declining again changes nothing.
pub async fn decline(
    conn: &mut Connection,
    by: &Acting<WriteOwnDesigns>,
    code: DesignCode,
    id: SuggestionId,
    at: DateTime<Utc>,
) -> StoreResult<SuggestionOutcome> {
    close(conn, by, code, id, Side::Author, SuggestionState::Declined, at).await
}

/// Withdraws one of the caller's suggestions. Withdrawing again changes nothing.
pub async fn withdraw(
    conn: &mut Connection,
    by: &Acting<GiveFeedback>,
    code: DesignCode,
    id: SuggestionId,
    at: DateTime<Utc>,
) -> StoreResult<SuggestionOutcome> {
    close(conn, by, code, id, Side::Suggester, SuggestionState::Withdrawn, at).await
}

/// Who closes a suggestion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// The author of the design.
    Author,
    /// The account that made it.
    Suggester,
}

async fn close<P: Permission>(
    conn: &mut Connection,
    by: &Acting<P>,
    code: DesignCode,
    id: SuggestionId,
    side: Side,
    state: SuggestionState,
    at: DateTime<Utc>,
) -> StoreResult<SuggestionOutcome> {
    match lock_change(conn, by, code, id, side).await? {
        None => return Ok(SuggestionOutcome::Missing),
        Some(before) if before == state => return Ok(SuggestionOutcome::Done),
        Some(SuggestionState::Open) => {}
        Some(before) => return Ok(SuggestionOutcome::Closed(before)),
    }
    sql("UPDATE suggested_changes SET state = $state, closed_at = $at WHERE id = $id")
        .bind("id", id)
        .bind("state", state)
        .bind("at", at)
        .execute(conn)
        .await?;
    Ok(SuggestionOutcome::Done)
}

/// Locks a design and a suggestion for it that the caller sees and may answer or withdraw; returns its state.
async fn lock_change<P: Permission>(
    conn: &mut Connection,
    by: &Acting<P>,
    code: DesignCode,
    id: SuggestionId,
    side: Side,
) -> StoreResult<Option<SuggestionState>> {
    #[derive(QueryableByName)]
    struct LockedChange {
        #[diesel(sql_type = Text)]
        state: SuggestionState,
    }
    lock_subject(conn, code.into()).await?;
    let held: Option<LockedChange> = sql("SELECT s.state FROM suggested_changes s JOIN designs d ON d.id = s.design_id JOIN accounts a ON a.id = d.account_id JOIN accounts w ON w.id = s.account_id \
         WHERE s.id = $id AND d.code = $code AND CASE WHEN $is_author THEN d.account_id = $account AND w.banned_at IS NULL AND s.hidden_at IS NULL \
         ELSE s.account_id = $account AND a.banned_at IS NULL AND d.taken_down_at IS NULL END \
         FOR NO KEY UPDATE OF s")
    .bind("id", id)
    .bind("code", code)
    .bind("account", by.account())
    .bind("is_author", side == Side::Author)
    .get_result(conn)
    .await
    .optional()?;
    Ok(held.map(|held| held.state))
}
