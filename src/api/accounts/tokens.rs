//! Personal access tokens, for scripts.

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::accounts::tokens::{
    self, CreatedTokenResponse, PersonalTokensResponse, RequestedToken,
};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{ManageOwnTokens, Scope};
use crate::domain::ids::TokenId;
use crate::http::extract::{IdempotencyKey, Judge, JudgedBody, May};

/// A personal access token to create.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateTokenRequest {
    /// Name of the token: 1 to 60 characters.
    #[schema(example = "deck sync", min_length = 1, max_length = 60)]
    pub name: String,
    /// Scopes of the token, at least one. A token never allows more than the role of its owner.
    #[schema(value_type = Vec<Scope>, min_items = 1, max_items = 14, example = json!(["decks:read", "decks:write"]))]
    pub scopes: Vec<String>,
    /// Days until the token expires: 1 to 366; 90 if absent.
    #[schema(example = 90, minimum = 1, maximum = 366)]
    pub expires_in_days: Option<u16>,
}

/// Creates a personal access token.
#[utoipa::path(
    post, path = "/v1/tokens", tag = "sessions", security(("bearer" = [])), request_body = CreateTokenRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe")),
    responses(
        (status = 201, body = CreatedTokenResponse),
        (status = 409, description = "`too_many_tokens`, `idempotency_in_progress`"),
        (status = 410, description = "`gone`: the request was sent before, and the token that it created was revoked or has expired."),
        (status = 422, description = "`invalid_body`, `idempotency_key_reused`"),
    )
)]
pub async fn create_token(
    state: web::Data<AppState>,
    by: May<ManageOwnTokens>,
    key: IdempotencyKey,
    JudgedBody(body): JudgedBody<CreateTokenRequest>,
) -> Result<HttpResponse, Problem> {
    let requested = parse(&body.value)?;
    let key = key.claim(&state, by.account(), "create_token", &body);
    let answer = tokens::create(&state, &by, &requested, key.as_ref()).await?;
    Ok(HttpResponse::Created().insert_header(("cache-control", "no-store")).json(answer))
}

impl Judge for CreateTokenRequest {
    fn judge(&self) -> Result<(), Problem> {
        parse(self).map(drop)
    }
}

fn parse(request: &CreateTokenRequest) -> Result<RequestedToken, Problem> {
    RequestedToken::read(&request.name, &request.scopes, request.expires_in_days)
}

/// Lists your active personal access tokens.
#[utoipa::path(
    get, path = "/v1/tokens", tag = "sessions", security(("bearer" = [])),
    responses((status = 200, body = PersonalTokensResponse))
)]
pub async fn list_tokens(
    state: web::Data<AppState>,
    by: May<ManageOwnTokens>,
) -> Result<HttpResponse, Problem> {
    let answer = tokens::list(&state, &by).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "private, no-store")).json(answer))
}

/// Revokes one of your personal access tokens: it stops working everywhere within 5 seconds.
#[utoipa::path(
    delete, path = "/v1/tokens/{token}", tag = "sessions", security(("bearer" = [])),
    params(("token" = Uuid, Path, description = "Id of the token")),
    responses((status = 204, description = "Revoked."))
)]
pub async fn revoke_token(
    state: web::Data<AppState>,
    by: May<ManageOwnTokens>,
    token: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    tokens::revoke(&state, &by, TokenId(*token)).await?;
    Ok(HttpResponse::NoContent().finish())
}
