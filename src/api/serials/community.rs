//! Community statistics: unlocks over time, and a leaderboard of the players who agreed to be on it.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::app::catalogue::codes::Codes;
use crate::app::problem::Problem;
use crate::app::serials::community::{self, LeaderboardResponse, UnlockStatisticsResponse};
use crate::app::state::AppState;
use crate::auth::permission::ChangeOwnListing;
use crate::domain::code::Code;
use crate::http::extract::{Body, LooseParams, May};

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

impl CommunityQuery {
    fn codes(&self) -> Codes {
        Codes::of_set(self.game.clone(), self.set.clone())
    }
}

/// Counts how many cards were unlocked on which day.
#[utoipa::path(
    get, path = "/v1/statistics/unlocks", tag = "serials", params(CommunityQuery),
    responses((status = 200, body = UnlockStatisticsResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_unlock_statistics(
    req: HttpRequest,
    state: web::Data<AppState>,
    query: LooseParams<CommunityQuery>,
) -> Result<HttpResponse, Problem> {
    let (_, codes) = query.checked(async |query| query.codes().resolve(&state).await).await?;
    Ok(community::count_unlocks(&state, codes).await?.answer(&req))
}

/// Lists the accounts that submitted most cards, of those that chose to be named.
#[utoipa::path(
    get, path = "/v1/statistics/leaderboard", tag = "serials", params(CommunityQuery),
    responses((status = 200, body = LeaderboardResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_leaderboard(
    req: HttpRequest,
    state: web::Data<AppState>,
    query: LooseParams<CommunityQuery>,
) -> Result<HttpResponse, Problem> {
    let (_, codes) = query.checked(async |query| query.codes().resolve(&state).await).await?;
    Ok(community::count_leaders(&state, codes).await?.answer(&req))
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
    community::change_listing(&state, &by, body.value.on_leaderboard).await?;
    Ok(HttpResponse::NoContent().finish())
}
