//! Community statistics: unlocks over time, and a leaderboard of the players who agreed to be on it.

use chrono::NaiveDate;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::catalogue::codes::Codes;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{ChangeOwnListing, Granted};
use crate::memory::recent::Statistic;
use crate::memory::rendered::{Freshness, Rendered};
use crate::store::serials::community::{self, LeaderRow, UnlockDay};
use crate::store::{Connection, StoreResult};

/// Half of the minute within which a change must show: a response is cached for 20 s
/// ([`crate::app::state::ApiSettings::statistics_ttl`]), and the rest is time for counting.
const FRESHNESS: Freshness = Freshness::Public(30);
/// Most days in one response.
const MAX_DAYS: i64 = 1_000;
/// Most players in one response.
const MAX_LEADERS: i64 = 100;

/// Returns the cached response, or caches the result of `count`.
async fn cached<T: Serialize>(
    statistic: Statistic,
    app: &AppState,
    Codes { game, set, .. }: Codes,
    count: impl AsyncFnOnce(&mut Connection, Option<&str>, Option<&str>) -> StoreResult<T>,
) -> Result<Rendered, Problem> {
    let key = (statistic, game.clone(), set.clone());
    let count = async {
        let mut conn = app.store.connection().await?;
        let counted = count(&mut conn, game.as_deref(), set.as_deref()).await?;
        Ok::<_, Problem>(Rendered::new(FRESHNESS, None, &counted)?.into_cached())
    };
    app.statistics.find_or(key, count).await
}

/// A day on which cards were unlocked.
#[derive(Serialize, ToSchema)]
pub struct UnlockDayResponse {
    /// The day, in UTC.
    #[schema(example = "2026-12-01")]
    pub day: NaiveDate,
    /// Number of cards that were unlocked on this day.
    #[schema(example = 3)]
    pub unlocked: i64,
    /// Number of cards that were unlocked up to the end of this day.
    #[schema(example = 12)]
    pub total: i64,
}

impl From<UnlockDay> for UnlockDayResponse {
    fn from(UnlockDay { day, unlocked, total }: UnlockDay) -> Self {
        Self { day, unlocked, total }
    }
}

/// Unlocks over time.
#[derive(Default, Serialize, ToSchema)]
pub struct UnlockStatisticsResponse {
    /// The days on which cards were unlocked, the oldest first; if there are more than 1,000, the last 1,000.
    pub data: Vec<UnlockDayResponse>,
}

/// Counts the unlocked cards by day; with codes, only those of the game and set.
pub async fn count_unlocks(app: &AppState, codes: Codes) -> Result<Rendered, Problem> {
    let count = async |conn: &mut Connection, game: Option<&str>, set: Option<&str>| {
        let days = community::list_unlock_days(conn, game, set, MAX_DAYS).await?;
        Ok(UnlockStatisticsResponse { data: days.into_iter().map(Into::into).collect() })
    };
    cached(Statistic::Unlocks, app, codes, count).await
}

/// A player on the leaderboard.
#[derive(Serialize, ToSchema)]
pub struct LeaderResponse {
    /// Rank of the player, from 1. Players with the same number of cards share a rank.
    #[schema(example = 1)]
    pub place: i64,
    /// Name of the account.
    #[schema(example = "ada")]
    pub name: String,
    /// Number of cards that started hidden and of which the player has submitted a copy. Void copies and refused submissions do not count.
    #[schema(example = 41)]
    pub cards: i64,
}

impl From<LeaderRow> for LeaderResponse {
    fn from(LeaderRow { name, cards, place }: LeaderRow) -> Self {
        Self { place, name, cards }
    }
}

/// The leaderboard: players by the number of cards that they submitted.
#[derive(Default, Serialize, ToSchema)]
pub struct LeaderboardResponse {
    /// The first 100 of the players who chose to be named.
    pub data: Vec<LeaderResponse>,
}

/// Ranks the players on the leaderboard by the number of cards they submitted; with codes, only cards of the game and
/// set.
pub async fn count_leaders(app: &AppState, codes: Codes) -> Result<Rendered, Problem> {
    let count = async |conn: &mut Connection, game: Option<&str>, set: Option<&str>| {
        let leaders = community::list_leaders(conn, game, set, MAX_LEADERS).await?;
        Ok(LeaderboardResponse { data: leaders.into_iter().map(Into::into).collect() })
    };
    cached(Statistic::Leaders, app, codes, count).await
}

/// Puts the caller's account on the leaderboard, or takes it off.
pub async fn change_listing(
    app: &AppState,
    by: &Granted<ChangeOwnListing>,
    listed: bool,
) -> Result<(), Problem> {
    let changed = app.write(by, async |conn, by| community::change_listing(conn, by, listed).await);
    if !changed.await? {
        return Err(Problem::not_found());
    }
    tracing::info!(account = %by.account(), listed, "leaderboard listing changed");
    Ok(())
}
