//! Personal access tokens, for scripts.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::fault_reason::FaultReason;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::word_lists::read_words;
use crate::app::words::words;
use crate::auth::permission::{Granted, ManageOwnTokens, Scope};
use crate::auth::secret::{OpaqueToken, TokenKind};
use crate::domain::ids::TokenId;
use crate::domain::text;
use crate::store::accounts::tokens::{self, NewToken, TokenCreated, TokenRow};
use crate::store::operations::idempotency::IdempotencyClaim;

words! {
    Scope: "A scope of a personal access token: what it allows.";
}

/// Default lifetime of a token.
const DEFAULT_DAYS: u16 = 90;

/// A valid request for a token.
#[derive(Clone, Debug)]
pub struct RequestedToken {
    /// The name that the owner gave it: 1 to 60 characters.
    pub name: String,
    /// The scopes: at least one, without duplicates.
    pub scopes: Vec<Scope>,
    /// The lifetime: 1 to 366 days.
    pub lifetime: Duration,
}

impl RequestedToken {
    /// Parses the request, or returns every fault, with the pointers `/name`, `/scopes`, `/scopes/{index}` and `/expires_in_days`.
    pub fn read(name: &str, scopes: &[String], days: Option<u16>) -> Result<Self, Problem> {
        let mut faults = Vec::new();
        let name = text::line(name, 1, 60)
            .and_then(text::without_serial)
            .map_err(|error| faults.push(InputFault::at("/name", error)));
        let read = read_words("/scopes", scopes).map_err(|found| faults.extend(found));
        if scopes.is_empty() {
            faults.push(InputFault::at("/scopes", "must name at least one scope"));
        }
        let days = days.unwrap_or(DEFAULT_DAYS);
        if !(1..=366).contains(&days) {
            faults.push(InputFault::at("/expires_in_days", FaultReason::range(1, 366)));
        }
        match (name, read) {
            (Ok(name), Ok(scopes)) if faults.is_empty() => {
                Ok(Self { name, scopes, lifetime: Duration::days(days.into()) })
            }
            _ => Err(Problem::invalid(faults)),
        }
    }
}

/// A personal access token, without its secret, which was shown once.
#[derive(Serialize, ToSchema)]
pub struct TokenResponse {
    /// Its id.
    pub id: Uuid,
    /// Name of the token, chosen by its owner.
    #[schema(example = "deck sync")]
    pub name: String,
    /// Scopes of the token: what it allows.
    #[schema(value_type = Vec<Scope>, example = json!(["decks:read"]))]
    pub scopes: Vec<String>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
    /// When it was last used, to the minute; absent if it was never used.
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
    /// The secret: send it as `Authorization: Bearer …`. Shown once: absent in the answer to a repeated request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "csp_…")]
    pub secret: Option<String>,
    /// Whether the secret was shown before, in the first answer to this `Idempotency-Key`.
    pub secret_already_shown: bool,
}

/// Creates a personal access token.
pub async fn create(
    app: &AppState,
    by: &Granted<ManageOwnTokens>,
    requested: &RequestedToken,
    key: Option<&IdempotencyClaim>,
) -> Result<CreatedTokenResponse, Problem> {
    let RequestedToken { name, scopes, lifetime } = requested;
    let now = app.clock.now();
    let secret = OpaqueToken::generate(TokenKind::PersonalAccess);
    let new = NewToken {
        id: TokenId::generate(),
        name,
        hash: secret.hash(),
        scopes,
        expires_at: now + *lifetime,
        at: now,
    };
    match tokens::create(&app.store, by, &new, key).await? {
        TokenCreated::New(row) => {
            tracing::info!(account = %by.account(), token = %row.id, "token created");
            Ok(CreatedTokenResponse {
                token: row.into(),
                secret: Some(secret.reveal().to_owned()),
                secret_already_shown: false,
            })
        }
        TokenCreated::Repeat(Some(row)) => {
            Ok(CreatedTokenResponse { token: row.into(), secret: None, secret_already_shown: true })
        }
        TokenCreated::Repeat(None) => Err(Problem::new(ProblemCode::Gone)),
        TokenCreated::TooMany => Err(Problem::new(ProblemCode::TooManyTokens)),
    }
}

/// Your personal access tokens.
#[derive(Serialize, ToSchema)]
pub struct PersonalTokensResponse {
    /// The tokens, the newest first, at most 50.
    pub data: Vec<TokenResponse>,
}

/// Lists the caller's active tokens.
pub async fn list(
    app: &AppState,
    by: &Granted<ManageOwnTokens>,
) -> Result<PersonalTokensResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let rows = tokens::list(&mut conn, by, app.clock.now()).await?;
    Ok(PersonalTokensResponse { data: rows.into_iter().map(Into::into).collect() })
}

/// Revokes one of the caller's tokens.
pub async fn revoke(
    app: &AppState,
    by: &Granted<ManageOwnTokens>,
    token: TokenId,
) -> Result<(), Problem> {
    let now = app.clock.now();
    let revoked =
        app.write(by, async |conn, by| tokens::revoke(conn, by, token, now).await).await?;
    if revoked { Ok(()) } else { Err(Problem::not_found()) }
}
