//! Sessions: log in, refresh, log out.

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::accounts::sessions::{self, Credentials, SessionsResponse, TokensResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{EndOwnSessions, ReadOwnAccount};
use crate::domain::ids::SessionId;
use crate::http::extract::{Body, ClientNetwork, May};

/// Name and password, and a second factor if the account has one.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LogInRequest {
    /// Name of the account.
    #[schema(example = "ada")]
    pub name: String,
    /// Password of the account.
    #[schema(example = "tram window sonnet")]
    pub password: String,
    /// If the account has a second factor: the six digits that the device shows, or a recovery code of the second factor.
    #[schema(example = "287082")]
    pub second_factor: Option<String>,
}

/// Logs in.
///
/// If the account has a second factor, the answer to name and password alone is `second_factor_required`: send them again with a code. Each code and
/// each recovery code is accepted once. An account has at most 200 sessions: a further log-in ends the one that was used least recently.
#[utoipa::path(
    post, path = "/v1/sessions", tag = "sessions", request_body = LogInRequest,
    responses(
        (status = 201, body = TokensResponse),
        (status = 401, description = "`wrong_credentials`: the same for a wrong password and an unknown name, also if the account is banned. `second_factor_required`, `wrong_second_factor`: name and password are right."),
        (status = 403, description = "`account_banned`: name and password are right. `forbidden`: a page of another site has sent the request; it did not count as an attempt."),
        (status = 429, description = "`login_throttled`: too many passwords or codes were wrong, or (`Retry-After: 2`) other log-ins to the account or from the network are still being decided; `rate_limited`"),
        (status = 503, description = "`unavailable`: too many log-ins at once. The request did not count as an attempt."),
    )
)]
pub async fn log_in(
    state: web::Data<AppState>,
    network: ClientNetwork,
    body: Body<LogInRequest>,
) -> Result<HttpResponse, Problem> {
    let LogInRequest { name, password, second_factor } = body.value;
    let credentials =
        Credentials { name: &name, password: &password, second_factor: second_factor.as_deref() };
    let tokens = sessions::log_in(&state, network.0, credentials).await?;
    Ok(HttpResponse::Created().insert_header(("cache-control", "no-store")).json(tokens))
}

/// The refresh token.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RefreshRequest {
    /// The newest refresh token of the session.
    #[schema(example = "csr_…")]
    pub refresh_token: String,
}

/// Exchanges a refresh token for new tokens.
///
/// A refresh token works once. If the answer was lost, the token works again for 30 seconds, as long as it is the one before the newest. If an older
/// token is sent, the session ends.
#[utoipa::path(
    post, path = "/v1/sessions/refresh", tag = "sessions", request_body = RefreshRequest,
    responses(
        (status = 200, body = TokensResponse),
        (status = 401, description = "`invalid_token`"),
        (status = 403, description = "`forbidden`: a page of another site has sent the request."),
    )
)]
pub async fn refresh(
    state: web::Data<AppState>,
    body: Body<RefreshRequest>,
) -> Result<HttpResponse, Problem> {
    let tokens = sessions::refresh(&state, &body.value.refresh_token).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(tokens))
}

/// Lists your active sessions.
#[utoipa::path(
    get, path = "/v1/sessions", tag = "sessions", security(("bearer" = [])),
    responses((status = 200, body = SessionsResponse))
)]
pub async fn list_sessions(
    state: web::Data<AppState>,
    by: May<ReadOwnAccount>,
) -> Result<HttpResponse, Problem> {
    let answer = sessions::list(&state, &by).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "private, no-store")).json(answer))
}

/// Logs out: ends the session of this request.
#[utoipa::path(
    delete, path = "/v1/sessions/current", tag = "sessions", security(("bearer" = [])),
    responses((status = 204, description = "The session has ended."))
)]
pub async fn log_out(
    state: web::Data<AppState>,
    by: May<EndOwnSessions>,
) -> Result<HttpResponse, Problem> {
    sessions::log_out(&state, &by).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Ends one of your sessions.
#[utoipa::path(
    delete, path = "/v1/sessions/{session}", tag = "sessions", security(("bearer" = [])),
    params(("session" = Uuid, Path, description = "Id of the session")),
    responses((status = 204, description = "The session has ended."))
)]
pub async fn end_session(
    state: web::Data<AppState>,
    by: May<EndOwnSessions>,
    session: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    sessions::end(&state, &by, SessionId(*session)).await?;
    Ok(HttpResponse::NoContent().finish())
}
