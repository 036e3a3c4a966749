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

/// Which cards are counted.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CommunityQuery {
    /// Only cards of this game.
    #[param(value_type = Option<String>, example = "ttcg")]
    game: Option<Code>,
    /// Only cards of sets with this code.
    #[param(value_type = Option<String>, example = "veil")]
    set: Option<Code>,
}

impl CommunityQuery {
    fn codes(&self) -> Codes {
        Codes::of_set(self.game.clone(), self.set.clone())
    }
}

/// Counts the cards that were unlocked on each day.
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

/// Lists the accounts that chose to be named, those that submitted most cards first. Only cards that started hidden count.
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

/// Whether your account is named on the leaderboard.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ListingRequest {
    /// Whether the leaderboard shows everybody your name, and of how many cards that started hidden you have submitted a copy. Void copies and refused submissions do not count.
    pub on_leaderboard: bool,
}

/// Sets whether your account is named on the leaderboard. By default it is not.
///
/// `on_leaderboard` of `GET /v1/me` shows your choice at once.
#[utoipa::path(
    put, path = "/v1/me/leaderboard", tag = "accounts", security(("bearer" = [])), request_body = ListingRequest,
    responses((status = 204, description = "The choice is stored. The leaderboard shows it within a minute."))
)]
pub async fn change_listing(
    state: web::Data<AppState>,
    by: May<ChangeOwnListing>,
    body: Body<ListingRequest>,
) -> Result<HttpResponse, Problem> {
    community::change_listing(&state, &by, body.value.on_leaderboard).await?;
    Ok(HttpResponse::NoContent().finish())
}
