//! Which optional events the caller receives.

use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::accounts::event_settings::{self, EventSettingsRequest, EventSettingsResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{ChangeOwnEventSettings, ReadOwnAccount};
use crate::http::extract::{Judge, JudgedBody, May, cacheable};
use crate::memory::rendered::Freshness;

impl Judge for EventSettingsRequest {
    fn judge(&self) -> Result<(), Problem> {
        self.parse().map(drop)
    }
}

/// Shows which kinds of events are turned off.
#[utoipa::path(
    get, path = "/v1/me/event-settings", tag = "accounts", security(("bearer" = [])),
    responses((status = 200, body = EventSettingsResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_event_settings(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnAccount>,
) -> Result<HttpResponse, Problem> {
    let found = event_settings::find(&state, &by).await?;
    cacheable(&req, Freshness::Private, None, &found)
}

/// Sets which kinds of events are turned off.
///
/// Events that happen while their kind is off are not added later. Only some events about designs and decks can be turned off.
#[utoipa::path(
    put, path = "/v1/me/event-settings", tag = "accounts", security(("bearer" = [])), request_body = EventSettingsRequest,
    responses((status = 200, body = EventSettingsResponse), (status = 422, description = "`invalid_body`"))
)]
pub async fn replace_event_settings(
    state: web::Data<AppState>,
    by: May<ChangeOwnEventSettings>,
    JudgedBody(body): JudgedBody<EventSettingsRequest>,
) -> Result<HttpResponse, Problem> {
    let changed = event_settings::replace(&state, &by, &body.value.parse()?).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(changed))
}
