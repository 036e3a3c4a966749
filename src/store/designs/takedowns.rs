//! Takedowns: designs, comments and suggested changes that moderators hide.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Bool, Nullable, Text};
use diesel_async::RunQueryDsl;

use super::reserved_names::{self, NameOwner, NewName};
use crate::auth::permission::{Acting, ModerateDesigns};
use crate::domain::designs::abuse_report::AbuseDecision;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::status::DesignStatus;
use crate::domain::ids::{CommentId, DesignId, SuggestionId};
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// Locks a design until the transaction ends; waits for other changes of it.
pub(super) async fn lock(conn: &mut Connection, design: DesignId) -> StoreResult<()> {
    sql("SELECT FROM designs WHERE id = $id FOR NO KEY UPDATE")
        .bind("id", design)
        .execute(conn)
        .await?;
    Ok(())
}

/// A design after a decision about it.
#[derive(QueryableByName)]
pub(super) struct DecidedDesign {
    /// Its identifier.
    #[diesel(sql_type = Text)]
    pub(super) code: DesignCode,
    /// Whether the decision took it down or reinstated it.
    #[diesel(sql_type = Bool)]
    pub(super) is_changed: bool,
}

/// Hides a locked design from everybody except its author and moderators. It keeps its identifier, revisions and
/// decisions; its name becomes free. A design that was taken down before gets the new note.
pub(super) async fn take_down(
    conn: &mut Connection,
    _by: &Acting<ModerateDesigns>,
    design: DesignId,
    note: &str,
    at: DateTime<Utc>,
) -> StoreResult<DecidedDesign> {
    let taken = sql(
        "WITH earlier AS (SELECT taken_down_at FROM designs WHERE id = $id), \
         closed AS (UPDATE design_reviews SET closed_at = $at WHERE design_id = $id AND closed_at IS NULL), \
         unsearched AS (DELETE FROM design_search WHERE design_id = $id) \
         UPDATE designs SET taken_down_from = coalesce(taken_down_from, status), taken_down_at = coalesce(designs.taken_down_at, $at), takedown_note = $note, \
          status = $withdrawn, searched_revision = NULL, version = version + 1, updated_at = $at FROM earlier WHERE id = $id \
         RETURNING code, earlier.taken_down_at IS NULL AS is_changed",
    )
    .bind("id", design)
    .bind("note", note)
    .bind("withdrawn", DesignStatus::Withdrawn)
    .bind("at", at)
    .get_result(conn)
    .await?;
    Ok(taken)
}

#[derive(QueryableByName)]
struct HiddenDesign {
    #[diesel(sql_type = Text)]
    code: DesignCode,
    #[diesel(sql_type = Text)]
    game_code: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Bool)]
    was_shared: bool,
    #[diesel(sql_type = Nullable<Text>)]
    status_before: Option<DesignStatus>,
    #[diesel(sql_type = Bool)]
    card_is_open: bool,
}

/// Returns a locked design that was taken down to its author, who may share or submit it again; its former state
/// (shared, approved or a card) is restored, unless something else has its name now.
pub(super) async fn reinstate(
    conn: &mut Connection,
    _by: &Acting<ModerateDesigns>,
    design: DesignId,
    at: DateTime<Utc>,
) -> StoreResult<Result<DecidedDesign, NameOwner>> {
    let found: HiddenDesign = sql(
        "SELECT d.code, d.game_code, d.name, d.shared_at IS NOT NULL AS was_shared, d.taken_down_from AS status_before, \
         EXISTS (SELECT FROM design_releases r LEFT JOIN unlocks u ON u.card_id = r.card_id \
          WHERE r.design_id = d.id AND (u.card_id IS NULL OR u.unlocked_at IS NOT NULL)) AS card_is_open FROM designs d WHERE d.id = $id",
    )
    .bind("id", design)
    .get_result(conn)
    .await?;
    let code = found.code;
    let Some(from) = found.status_before else {
        return Ok(Ok(DecidedDesign { code, is_changed: false }));
    };
    let status = match from {
        // Submitted and claimed designs were removed from the queue.
        DesignStatus::Submitted | DesignStatus::InReview if found.was_shared => {
            DesignStatus::Shared
        }
        DesignStatus::Submitted | DesignStatus::InReview => DesignStatus::Draft,
        // Its card was unlocked in the meantime.
        DesignStatus::Approved if found.card_is_open => DesignStatus::Official,
        other => other,
    };
    let is_official = status == DesignStatus::Official;
    let keeps_name = found.was_shared && status.is_listed() && !is_official;
    if keeps_name {
        let name = NewName::new(&found.game_code, &found.name);
        let reserved = match reserved_names::reserve(conn, design, &name).await? {
            Ok(reserved) => reserved,
            Err(owner) => return Ok(Err(owner)),
        };
        reserved.take(conn, at).await?;
        reserved_names::store_looks(conn, design, &name).await?;
    }
    sql("UPDATE designs SET status = $status, taken_down_at = NULL, taken_down_from = NULL, takedown_note = NULL, version = version + 1, updated_at = $at, \
          shared_at = CASE WHEN $official THEN coalesce(shared_at, $at) ELSE shared_at END, \
          public_revision = CASE WHEN $official THEN revision ELSE public_revision END WHERE id = $id")
    .bind("id", design)
    .bind("status", status)
    .bind("official", is_official)
    .bind("at", at)
    .execute(conn)
    .await?;
    Ok(Ok(DecidedDesign { code, is_changed: true }))
}

/// Takes down the artwork of all revisions of a design, wherever it is shown, or restores it. Its files stay stored as
/// long as an account holds them.
pub(super) async fn remove_artwork(
    conn: &mut Connection,
    _by: &Acting<ModerateDesigns>,
    design: DesignId,
    decision: AbuseDecision,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    sql("UPDATE artworks SET removed_at = $removed_at WHERE id IN (SELECT artwork FROM design_artworks WHERE design_id = $id)")
        .bind("id", design)
        .bind("removed_at", decision.hides_since(at))
        .execute(conn)
        .await?;
    // Other designs show the same artwork, and no column of theirs changes.
    sql("INSERT INTO design_changes (design_id) SELECT DISTINCT d.id FROM design_artworks own JOIN design_artworks s ON s.artwork = own.artwork \
          JOIN designs d ON d.id = s.design_id AND d.revision = s.revision WHERE own.design_id = $id AND d.listed")
        .bind("id", design)
        .execute(conn)
        .await?;
    Ok(())
}

/// Hides a comment, or ends this: a decision takes back only what moderators did. A comment that the owner of the design or
/// deck hid stays hidden when a report about it is dismissed, also if one was upheld in between. While it is hidden by a
/// moderator, the owner cannot show it again.
pub(super) async fn hide_comment(
    conn: &mut Connection,
    _by: &Acting<ModerateDesigns>,
    comment: CommentId,
    decision: AbuseDecision,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let hidden_at = decision.hides_since(at);
    sql("UPDATE design_comments SET hidden_at = CASE WHEN $upheld OR NOT owner_hid_before THEN $hidden_at ELSE hidden_at END, \
          hidden_by_owner = NOT $upheld AND owner_hid_before AND hidden_at IS NOT NULL, \
          owner_hid_before = $upheld AND (hidden_by_owner OR owner_hid_before AND hidden_at IS NOT NULL) \
         WHERE id = $id AND ($upheld OR NOT hidden_by_owner)")
    .bind("id", comment)
    .bind("upheld", hidden_at.is_some())
    .bind("hidden_at", hidden_at)
    .execute(conn)
    .await?;
    Ok(())
}

/// Hides a suggested change from the author of the design, who then cannot accept it, or shows it again.
pub(super) async fn hide_suggestion(
    conn: &mut Connection,
    _by: &Acting<ModerateDesigns>,
    suggestion: SuggestionId,
    decision: AbuseDecision,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    sql("UPDATE suggested_changes SET hidden_at = $hidden_at WHERE id = $id")
        .bind("id", suggestion)
        .bind("hidden_at", decision.hides_since(at))
        .execute(conn)
        .await?;
    Ok(())
}
