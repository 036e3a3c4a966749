//! Unlocks: the progress of hidden cards, and recently unlocked cards.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::catalogue::card_migrations::{Located, follow_id};
use crate::app::catalogue::cards::CardUnlock;
use crate::app::page::{CursorTime, Page, PageLimit, paged};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, UnlockCards};
use crate::domain::code::Code;
use crate::domain::ids::CardId;
use crate::store::StoreResult;
use crate::store::catalogue::sets;
use crate::store::db::deadlines;
use crate::store::serials::unlock_policies;
use crate::store::serials::unlocks::{self, ProgressRow, SetProgressRow, UnlockRow};

impl From<ProgressRow> for CardUnlock {
    fn from(row: ProgressRow) -> Self {
        Self {
            submissions: row.submissions,
            threshold: row.threshold,
            unlocked_at: row.unlocked_at,
        }
    }
}

/// A card that was unlocked.
#[derive(Serialize, ToSchema)]
pub struct UnlockedCard {
    /// Id of the card.
    pub card: Uuid,
    /// Code of its game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Code of its set.
    #[schema(example = "veil")]
    pub set: String,
    /// Its number in the set.
    #[schema(example = "001")]
    pub number: String,
    /// When it was unlocked.
    pub unlocked_at: DateTime<Utc>,
}

impl From<UnlockRow> for UnlockedCard {
    fn from(row: UnlockRow) -> Self {
        Self {
            card: row.card_id.0,
            game: row.game_code,
            set: row.set_code,
            number: row.number,
            unlocked_at: row.unlocked_at,
        }
    }
}

/// Lists unlocked cards, the newest first, after the position `before`.
pub async fn list(
    app: &AppState,
    before: Option<(CursorTime, Uuid)>,
    limit: PageLimit,
) -> Result<Page<UnlockedCard>, Problem> {
    let before = before.map(|(CursorTime(at), id)| (at, id));
    let mut conn = app.store.connection().await?;
    let rows = unlocks::list(&mut conn, before, limit.rows()).await?;
    let position = |row: &UnlockRow| (CursorTime(row.unlocked_at), row.card_id);
    Ok(paged(rows, limit, position, UnlockedCard::from))
}

/// Finds the number of submissions of a card, and the number that unlocks it.
pub async fn find(app: &AppState, card: CardId) -> Result<Located<CardUnlock>, Problem> {
    let mut conn = app.store.connection().await?;
    match unlocks::find_progress(&mut conn, card).await? {
        Some(row) => Ok(Located::Here(row.into())),
        None => follow_id(&mut conn, card).await,
    }
}

/// A card that started hidden, with its unlock progress.
#[derive(Serialize, ToSchema)]
pub struct CardProgress {
    /// Id of the card.
    pub card: Uuid,
    /// Its number in the set.
    #[schema(example = "001")]
    pub number: String,
    /// Its unlock progress.
    #[serde(flatten)]
    pub progress: CardUnlock,
}

impl From<SetProgressRow> for CardProgress {
    fn from(row: SetProgressRow) -> Self {
        Self { card: row.card_id.0, number: row.number, progress: row.progress.into() }
    }
}

/// Lists the progress of the cards of a set that started hidden, by number, after the number `after`.
pub async fn list_of_set(
    app: &AppState,
    game: &Code,
    set: &Code,
    after: Option<&Code>,
    limit: PageLimit,
) -> Result<Page<CardProgress>, Problem> {
    let (game, set, after) = (game.as_str(), set.as_str(), after.map(Code::as_str));
    let mut conn = app.store.connection().await?;
    let rows = unlocks::list_of_set(&mut conn, game, set, after, limit.rows()).await?;
    if rows.is_empty() && !sets::exists(&conn, game, set).await? {
        return Err(Problem::not_found());
    }
    Ok(paged(rows, limit, |row| row.number.clone(), CardProgress::from))
}

/// Unlocks a card by order of an admin, and returns its progress. An unlocked card does not change.
pub async fn unlock_card(
    app: &AppState,
    by: &Granted<UnlockCards>,
    card: CardId,
    reason: &str,
) -> Result<CardUnlock, Problem> {
    let at = app.clock.now();
    let (unlocked, progress) = app
        .write(by, async |conn, by| {
            let unlocked = unlock_policies::unlock_card(conn, by, card, reason, at).await?;
            StoreResult::Ok((unlocked, unlocks::find_progress(conn, card).await?))
        })
        .await?;
    let unlocked = unlocked.ok_or_else(Problem::not_found)?;
    app.cached_answers.forget();
    app.designs_changed();
    app.wait_until_current().await;
    tracing::info!(by = %by.account(), %card, unlocked, "card unlocked by hand");
    Ok(progress.ok_or_else(Problem::not_found)?.into())
}

/// The result of unlocking a set by hand.
#[derive(Serialize, ToSchema)]
pub struct SetUnlockedResponse {
    /// Number of cards that this request unlocked.
    #[schema(example = 14)]
    pub unlocked: usize,
}

/// Unlocks all cards of a set by order of an admin.
pub async fn unlock_set(
    app: &AppState,
    by: &Granted<UnlockCards>,
    game: &Code,
    set: &Code,
    reason: &str,
) -> Result<SetUnlockedResponse, Problem> {
    let at = app.clock.now();
    let unlocked = app
        .write_within(deadlines::BATCH, by, async |conn, by| {
            unlock_policies::unlock_set(conn, by, game.as_str(), set.as_str(), reason, at).await
        })
        .await?
        .ok_or_else(Problem::not_found)?;
    app.cached_answers.forget();
    app.designs_changed();
    app.wait_until_current().await;
    tracing::info!(by = %by.account(), %game, %set, unlocked, "set unlocked by hand");
    Ok(SetUnlockedResponse { unlocked })
}
