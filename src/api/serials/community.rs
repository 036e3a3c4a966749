//! Community statistics: unlocks over time, and a leaderboard of those who like to be on it.

use actix_web::{HttpRequest, HttpResponse, web};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::app::catalogue::codes::Codes;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ChangeOwnListing;
use crate::domain::code::Code;
use crate::http::extract::{Body, May, Params};
use crate::memory::recent::Statistic;
use crate::memory::rendered::{Freshness, Rendered};
use crate::store::serials::community::{self, LeaderRow, UnlockDay};
use crate::store::{Connection, StoreResult};

/// A part of the minute that a change may take to show. Here an answer is kept for 20 s ([`crate::app::state::ApiSettings::statistics_ttl`]), and the
/// rest is for counting.
const FRESH: Freshness = Freshness::Public(30);
/// Most days of one answer.
const MAX_DAYS: i64 = 1_000;
/// Most players of one answer.
const MAX_LEADERS: i64 = 100;

/// Of which cards.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CommunityQuery {
    /// Code of a game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Code of a set.
    #[param(value_type = Option<String>, example = "veil")]
    set: Option<Code>,
}

/// The answer of the last moments, or what `count` gives.
async fn recent<T: Serialize>(
    statistic: Statistic,
    state: &AppState,
    query: &CommunityQuery,
    count: impl AsyncFnOnce(&mut Connection, Option<&str>, Option<&str>) -> StoreResult<T>,
) -> Result<Rendered, Problem> {
    let (game, set) = (query.game.clone(), query.set.clone());
    let Codes { game, set, .. } = Codes { game, set, ..Codes::default() }.known(state).await?;
    let key = (statistic, game.clone(), set.clone());
    let count = async {
        let mut conn = state.store.connection().await?;
        let counted = count(&mut conn, game.as_deref(), set.as_deref()).await?;
        Ok::<_, Problem>(Rendered::new(FRESH, None, &counted)?)
    };
    state.statistics.find_or(key, count).await
}

/// A day on which cards were unlocked.
#[derive(Serialize, ToSchema)]
pub struct UnlockDayResponse {
    /// The day, UTC.
    #[schema(example = "2026-12-01")]
    pub day: NaiveDate,
    /// Cards that were unlocked on it.
    #[schema(example = 3)]
    pub unlocked: i64,
    /// Cards that were unlocked up to its end.
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
    /// The days with unlocks, the oldest first; of more than 1,000 the last.
    pub data: Vec<UnlockDayResponse>,
}

/// Counts how many cards were unlocked on which day.
#[utoipa::path(
    get, path = "/v1/statistics/unlocks", tag = "serials", params(CommunityQuery),
    responses((status = 200, body = UnlockStatisticsResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_unlock_statistics(
    req: HttpRequest,
    state: web::Data<AppState>,
    query: Params<CommunityQuery>,
) -> Result<HttpResponse, Problem> {
    let count = async |conn: &mut Connection, game: Option<&str>, set: Option<&str>| {
        let days = community::unlock_days(conn, game, set, MAX_DAYS).await?;
        Ok(UnlockStatisticsResponse { data: days.into_iter().map(Into::into).collect() })
    };
    let found = recent(Statistic::Unlocks, &state, &query, count).await?;
    Ok(found.answer(&req))
}

/// A player on the leaderboard.
#[derive(Serialize, ToSchema)]
pub struct LeaderResponse {
    /// Her place, from 1; players with equally many cards share one.
    #[schema(example = 1)]
    pub place: i64,
    /// Name of the account.
    #[schema(example = "ada")]
    pub name: String,
    /// Cards that started hidden and that she has submitted a copy of.
    #[schema(example = 41)]
    pub cards: i64,
}

impl From<LeaderRow> for LeaderResponse {
    fn from(LeaderRow { name, cards, place }: LeaderRow) -> Self {
        Self { place, name, cards }
    }
}

/// Who did most for the unlocks.
#[derive(Default, Serialize, ToSchema)]
pub struct LeaderboardResponse {
    /// The first hundred of those who like to be named.
    pub data: Vec<LeaderResponse>,
}

/// Lists the accounts that submitted most cards, of those that chose to be named.
#[utoipa::path(
    get, path = "/v1/statistics/leaderboard", tag = "serials", params(CommunityQuery),
    responses((status = 200, body = LeaderboardResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_leaderboard(
    req: HttpRequest,
    state: web::Data<AppState>,
    query: Params<CommunityQuery>,
) -> Result<HttpResponse, Problem> {
    let count = async |conn: &mut Connection, game: Option<&str>, set: Option<&str>| {
        let leaders = community::leaders(conn, game, set, MAX_LEADERS).await?;
        Ok(LeaderboardResponse { data: leaders.into_iter().map(Into::into).collect() })
    };
    let found = recent(Statistic::Leaders, &state, &query, count).await?;
    Ok(found.answer(&req))
}

/// Whether to be named.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ListingRequest {
    /// Whether everybody may read your name and how many cards you helped to unlock.
    pub on_leaderboard: bool,
}

/// Sets whether your account is named on the leaderboard. At first it is not.
///
/// `on_leaderboard` of `GET /v1/me` tells your last choice.
#[utoipa::path(
    put, path = "/v1/me/leaderboard", tag = "accounts", security(("bearer" = [])), request_body = ListingRequest,
    responses((status = 204, description = "It is as you say, within a minute."))
)]
pub async fn change_listing(
    state: web::Data<AppState>,
    by: May<ChangeOwnListing>,
    body: Body<ListingRequest>,
) -> Result<HttpResponse, Problem> {
    let listed = body.value.on_leaderboard;
    let changed =
        state.write(&by, async |conn, by| community::change_listing(conn, by, listed).await);
    if !changed.await? {
        return Err(Problem::not_found());
    }
    tracing::info!(account = %by.account(), listed, "place on the leaderboard changed");
    Ok(HttpResponse::NoContent().finish())
}
