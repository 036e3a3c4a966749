//! Ratings of public designs.

use actix_web::{HttpRequest, HttpResponse, web};

use super::identifier;
use crate::app::designs::design_ratings::{
    self, DesignRatingsResponse, OwnRatingResponse, RatingRequest,
};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{GiveFeedback, ReadOwnDesigns};
use crate::http::extract::{Judge, JudgedBody, May, cacheable};
use crate::memory::rendered::Freshness;

impl Judge for RatingRequest {
    fn judge(&self) -> Result<(), Problem> {
        self.parse().map(drop)
    }
}

/// Shows your rating of a design.
#[utoipa::path(
    get, path = "/v1/designs/{design}/rating", tag = "designs", security(("bearer" = [])),
    params(("design" = String, Path, description = "Identifier of the design")),
    responses((status = 200, body = OwnRatingResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_own_rating(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnDesigns>,
    design: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let found = design_ratings::find_own(&state, &by, identifier(&design)?).await?;
    cacheable(&req, Freshness::Private, None, &found)
}

/// Rates the public revision of another player's design.
///
/// The rating replaces your earlier rating of the design. You cannot rate a design that you contributed to. Nobody sees who gave which points. Your ratings count when your account is three days old.
#[utoipa::path(
    put, path = "/v1/designs/{design}/rating", tag = "designs", security(("bearer" = [])), request_body = RatingRequest,
    params(("design" = String, Path, description = "Identifier of the design")),
    responses(
        (status = 200, body = OwnRatingResponse),
        (status = 409, description = "`own_design`"),
        (status = 422, description = "`invalid_body`"),
        (status = 429, description = "`daily_limit_reached`"),
    )
)]
pub async fn rate_design(
    state: web::Data<AppState>,
    by: May<GiveFeedback>,
    design: web::Path<String>,
    JudgedBody(body): JudgedBody<RatingRequest>,
) -> Result<HttpResponse, Problem> {
    let (code, scores) = (identifier(&design)?, body.value.parse()?);
    let rated = design_ratings::rate(&state, &by, code, scores).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(rated))
}

/// Deletes all your ratings of a design, of every revision.
#[utoipa::path(
    delete, path = "/v1/designs/{design}/rating", tag = "designs", security(("bearer" = [])),
    params(("design" = String, Path, description = "Identifier of the design")),
    responses((status = 204, description = "Deleted."))
)]
pub async fn delete_own_rating(
    state: web::Data<AppState>,
    by: May<GiveFeedback>,
    design: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    design_ratings::delete(&state, &by, identifier(&design)?).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Shows the ratings of a public design: means by criterion, of all ratings and by revision.
#[utoipa::path(
    get, path = "/v1/designs/{design}/ratings", tag = "designs",
    params(("design" = String, Path, description = "Identifier of the design")),
    responses((status = 200, body = DesignRatingsResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_design_ratings(
    req: HttpRequest,
    state: web::Data<AppState>,
    design: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let found = design_ratings::find_all(&state, identifier(&design)?).await?;
    cacheable(&req, Freshness::Public(0), None, &found)
}
