//! Personal access tokens, for scripts.

use actix_web::{HttpResponse, web};
use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::words::{Word as _, words};
use crate::auth::permission::{ManageOwnTokens, Scope};
use crate::auth::secret::{OpaqueToken, TokenKind};
use crate::domain::ids::TokenId;
use crate::domain::text;
use crate::http::extract::{IdempotencyKey, May};
use crate::http::extract::{Judge, JudgedBody};
use crate::store::accounts::tokens::{self, NewToken, TokenCreated, TokenRow};

words! {
    Scope: "What a personal access token is good for.";
}

/// A personal access token; its secret was shown once.
#[derive(Serialize, ToSchema)]
pub struct TokenResponse {
    /// Its id.
    pub id: Uuid,
    /// What its owner calls it.
    #[schema(example = "deck sync")]
    pub name: String,
    /// What it is good for.
    #[schema(value_type = Vec<Scope>, example = json!(["decks:read"]))]
    pub scopes: Vec<String>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it ends.
    pub expires_at: DateTime<Utc>,
    /// When it was used last, to the minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<DateTime<Utc>>,
}

impl From<TokenRow> for TokenResponse {
    fn from(row: TokenRow) -> Self {
        Self {
            id: row.id.0,
            name: row.name,
            scopes: row.scopes,
            created_at: row.created_at,
            expires_at: row.expires_at,
            last_used_at: row.last_used_at,
        }
    }
}

/// A new token.
#[derive(Serialize, ToSchema)]
pub struct CreatedTokenResponse {
    /// The token.
    #[serde(flatten)]
    pub token: TokenResponse,
    /// Send as `Authorization: Bearer …`. Shown once: absent when a repeated request is answered again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "csp_…")]
    pub secret: Option<String>,
    /// Whether the secret was shown before, in the first answer to this `Idempotency-Key`.
    pub secret_already_shown: bool,
}

/// A token to make.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateTokenRequest {
    /// 1 to 60 characters.
    #[schema(example = "deck sync", min_length = 1, max_length = 60)]
    pub name: String,
    /// A token never does more than its owner's role allows.
    #[schema(value_type = Vec<Scope>, min_items = 1, example = json!(["decks:read", "decks:write"]))]
    pub scopes: Vec<String>,
    /// 1 to 366; 90 when absent.
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
    )
)]
pub async fn create_token(
    state: web::Data<AppState>,
    by: May<ManageOwnTokens>,
    key: IdempotencyKey,
    JudgedBody(body): JudgedBody<CreateTokenRequest>,
) -> Result<HttpResponse, Problem> {
    let now = state.clock.now();
    let (name, scopes, lifetime) = parse(&body.value)?;
    let key = key.claim(&state, by.account(), "create_token", &body);
    let secret = OpaqueToken::generate(TokenKind::PersonalAccess);
    let id = TokenId::fresh();
    let new = NewToken {
        id,
        name: &name,
        hash: secret.hash(),
        scopes: &scopes,
        expires_at: now + lifetime,
        at: now,
    };
    let created = state
        .write(&by, async |conn, by| tokens::create(conn, by, &new, key.as_ref()).await)
        .await?;
    let answer = match created {
        TokenCreated::New(row) => {
            tracing::info!(account = %by.account(), token = %row.id, "token made");
            CreatedTokenResponse {
                token: row.into(),
                secret: Some(secret.reveal().to_owned()),
                secret_already_shown: false,
            }
        }
        TokenCreated::Repeat(row) => {
            CreatedTokenResponse { token: row.into(), secret: None, secret_already_shown: true }
        }
        TokenCreated::TooMany => return Err(Problem::new(ProblemCode::TooManyTokens)),
    };
    Ok(HttpResponse::Created().insert_header(("cache-control", "no-store")).json(answer))
}

impl Judge for CreateTokenRequest {
    fn judge(&self) -> Result<(), Problem> {
        parse(self).map(drop)
    }
}

fn parse(request: &CreateTokenRequest) -> Result<(String, Vec<Scope>, Duration), Problem> {
    let mut faults = Vec::new();
    let name = text::line(&request.name, 1, 60)
        .map_err(|error| faults.push(InputFault::at("/name", error)));
    let mut scopes = Vec::new();
    for (index, name) in request.scopes.iter().enumerate() {
        match Scope::read(name) {
            Ok(scope) if scopes.contains(&scope) => {}
            Ok(scope) => scopes.push(scope),
            Err(fault) => faults.push(InputFault::at(format!("/scopes/{index}"), fault)),
        }
    }
    if request.scopes.is_empty() {
        faults.push(InputFault::at("/scopes", "must name at least one scope"));
    }
    let days = request.expires_in_days.unwrap_or(90);
    if !(1..=366).contains(&days) {
        faults.push(InputFault::at("/expires_in_days", "must be 1 to 366"));
    }
    match name {
        Ok(name) if faults.is_empty() => Ok((name, scopes, Duration::days(days.into()))),
        _ => Err(Problem::invalid(faults)),
    }
}

/// Own personal access tokens.
#[derive(Serialize, ToSchema)]
pub struct PersonalTokensResponse {
    /// The newest first, at most 50.
    pub data: Vec<TokenResponse>,
}

/// Lists your active tokens.
#[utoipa::path(
    get, path = "/v1/tokens", tag = "sessions", security(("bearer" = [])),
    responses((status = 200, body = PersonalTokensResponse))
)]
pub async fn list_tokens(
    state: web::Data<AppState>,
    by: May<ManageOwnTokens>,
) -> Result<web::Json<PersonalTokensResponse>, Problem> {
    let mut conn = state.store.connection().await?;
    let rows = tokens::list(&mut conn, &by, state.clock.now()).await?;
    Ok(web::Json(PersonalTokensResponse { data: rows.into_iter().map(Into::into).collect() }))
}

/// Revokes one of your tokens: it stops working everywhere within 5 seconds.
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
    let (id, now) = (TokenId(*token), state.clock.now());
    let revoked =
        state.write(&by, async |conn, by| tokens::revoke(conn, by, id, now).await).await?;
    if revoked { Ok(HttpResponse::NoContent().finish()) } else { Err(Problem::not_found()) }
}
