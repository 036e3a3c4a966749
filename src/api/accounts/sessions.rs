//! Sessions: log in, refresh, log out.

use actix_web::{HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::second_factor_attempts::FactorAttempt;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::access_token::{self, AccessClaims};
use crate::auth::password::{HashingPlace, Verdict};
use crate::auth::permission::{EndOwnSessions, ReadOwnAccount};
use crate::auth::second_factor::PresentedFactor;
use crate::auth::secret::{OpaqueToken, TokenKind};
use crate::domain::accounts::attempts::AttemptScope;
use crate::domain::accounts::password::Password;
use crate::domain::ids::{AccountId, SessionId};
use crate::domain::network::Network;
use crate::http::extract::{Body, ClientNetwork, May};
use crate::memory::identities::CredentialKey;
use crate::store::accounts::account_records::{self, LoginRow, VerifiedPassword};
use crate::store::accounts::attempts::{self, AttemptSubject};
use crate::store::accounts::sessions::{self, NewSession, Refreshed, SessionBegun};
use crate::store::{Connection, StoreResult};

/// Name and password, and a second factor where the account has one.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LogInRequest {
    /// Name of the account.
    #[schema(example = "ada")]
    pub name: String,
    /// Its password.
    #[schema(example = "tram window sonnet")]
    pub password: String,
    /// Where the account has a second factor: six digits that the device shows, or a recovery code of the second factor.
    #[schema(example = "287082")]
    pub second_factor: Option<String>,
}

/// Tokens of a session.
#[derive(Serialize, ToSchema)]
pub struct TokensResponse {
    /// The session.
    pub session_id: Uuid,
    /// The account that logged in.
    pub account_id: Uuid,
    /// Send as `Authorization: Bearer …`.
    #[schema(example = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl")]
    pub access_token: String,
    /// Always `Bearer`.
    #[schema(example = "Bearer")]
    pub token_type: &'static str,
    /// Seconds until the access token ends.
    #[schema(example = 900)]
    pub expires_in: i64,
    /// Exchange it once at `POST /v1/sessions/refresh` for new tokens.
    #[schema(example = "csr_…")]
    pub refresh_token: String,
}

/// Logs in.
///
/// Where the account has a second factor, name and password alone are answered with `second_factor_required`: send them again with a code.
/// Each code is taken once; so is each recovery code.
#[utoipa::path(
    post, path = "/v1/sessions", tag = "sessions", request_body = LogInRequest,
    responses(
        (status = 201, body = TokensResponse),
        (status = 401, description = "`wrong_credentials`: the same for a wrong password, an unknown name and a banned account. `second_factor_required`, `wrong_second_factor`: name and password fit."),
        (status = 429, description = "`login_throttled`, `rate_limited`"),
        (status = 503, description = "`unavailable`: too many log-ins at once. It counted as no attempt."),
    )
)]
pub async fn log_in(
    state: web::Data<AppState>,
    network: ClientNetwork,
    body: Body<LogInRequest>,
) -> Result<HttpResponse, Problem> {
    let LogInRequest { name, password, second_factor } = body.value;
    let second_factor = second_factor.as_deref().and_then(PresentedFactor::parse);
    let now = state.clock.now();
    let network_mac = network_mac(&state, network.0);
    // First of all: whoever finds no place has used up no attempt, and learnt nothing.
    let place = state.passwords.enter(network.0)?;
    let mut conn = state.store.connection().await?;
    let key = cardscape_engine::name_key(&name);
    let found = account_records::find_for_login(&mut conn, &key).await?;
    let subjects = login_subjects(&state, &mut conn, found.as_ref(), &key, network.0).await?;
    reserve_attempt(&mut conn, &subjects, ProblemCode::LoginThrottled, now).await?;
    drop(conn);

    let mut found = found;
    let mut held = Attempts::OfPassword(subjects);
    for _ in 0..LOG_IN_TRIES {
        let verified = verify_password(&place, found, &password).await?;
        let shown = second_factor.as_ref();
        if verified.second_factor_since.is_some() {
            held = held.go_on(&state, &verified, shown, network.0, now).await?;
        }
        let begun = begin_session(&state, &verified, shown, network_mac, &held, now).await?;
        if let Some(tokens) = begun {
            return Ok(HttpResponse::Created()
                .insert_header(("cache-control", "no-store"))
                .json(tokens));
        }
        // Meanwhile the password or the second factor was changed, or another log-in stored a stronger hash of the same password: what is
        // stored now decides.
        let mut conn = state.store.connection().await?;
        found = account_records::find_for_login(&mut conn, &key).await?;
    }
    Err(Problem::new(ProblemCode::Unavailable)
        .detail("The account is being changed at this moment.")
        .retry_after(1))
}

/// How often one log-in looks again because the password hash was replaced while it was checked. A stronger hash replaces a weak one
/// once, so honest log-ins look twice at most.
const LOG_IN_TRIES: usize = 3;

/// Checks the password of an account that may not exist or be banned; one answer for everything that is wrong, after the same time.
async fn verify_password(
    place: &HashingPlace,
    found: Option<LoginRow>,
    password: &str,
) -> Result<VerifiedPassword, Problem> {
    let stored = found.as_ref().map(|row| row.password_hash.clone());
    let verdict = place.verify(Password::presented(password.to_owned()), stored).await?;
    let row = found.filter(|row| verdict != Verdict::Wrong && row.account.banned_at.is_none());
    let Some(LoginRow { account, password_hash }) = row else {
        metrics::counter!("login_failures_total").increment(1);
        return Err(Problem::new(ProblemCode::WrongCredentials));
    };
    let stronger = match verdict {
        Verdict::RightButWeak => Some(place.hash(Password::presented(password.to_owned())).await?),
        Verdict::Right | Verdict::Wrong => None,
    };
    Ok(VerifiedPassword {
        account: account.id,
        hash: password_hash,
        second_factor_since: account.second_factor_since,
        stronger,
    })
}

/// The units of attempt limits that a log-in holds.
enum Attempts {
    /// Taken before the password was looked at.
    OfPassword(Vec<AttemptSubject>),
    /// The password was right; taken before the second factor is looked at.
    OfSecondFactor(FactorAttempt),
}

impl Attempts {
    /// The password was right, and the account has a second factor: from here on, guesses at that are counted.
    async fn go_on(
        self,
        state: &AppState,
        verified: &VerifiedPassword,
        second_factor: Option<&PresentedFactor>,
        network: Network,
        now: DateTime<Utc>,
    ) -> Result<Self, Problem> {
        let Self::OfPassword(subjects) = &self else { return Ok(self) };
        attempts::release(&mut *state.store.connection().await?, subjects, 1, now).await?;
        if second_factor.is_none() {
            return Err(Problem::new(ProblemCode::SecondFactorRequired));
        }
        let VerifiedPassword { account, second_factor_since, .. } = *verified;
        let attempt =
            FactorAttempt::reserve(state, account, second_factor_since, network, now).await?;
        Ok(Self::OfSecondFactor(attempt))
    }

    /// What they were taken of.
    fn subjects(&self) -> &[AttemptSubject] {
        match self {
            Self::OfPassword(subjects) => subjects,
            Self::OfSecondFactor(attempt) => attempt.subjects(),
        }
    }
}

/// Begins a session and gives the attempts back. `None`: the verified password, or the second factor, is not the account's any more, or the
/// account was banned.
async fn begin_session(
    state: &AppState,
    verified: &VerifiedPassword,
    second_factor: Option<&PresentedFactor>,
    network_mac: [u8; 16],
    held: &Attempts,
    now: DateTime<Utc>,
) -> Result<Option<TokensResponse>, Problem> {
    let refresh = OpaqueToken::generate(TokenKind::Refresh);
    let (id, refresh_hash) = (SessionId::fresh(), refresh.hash());
    let new =
        NewSession { id, verified, second_factor, network_mac, refresh: refresh_hash, at: now };
    let begun = state
        .store
        .transaction(async |conn| {
            let begun = sessions::begin(conn, &state.keys, &new).await?;
            if begun == SessionBegun::Yes {
                attempts::release(conn, held.subjects(), 1, now).await?;
            }
            StoreResult::Ok(begun)
        })
        .await?;
    let account = verified.account;
    match begun {
        SessionBegun::Yes => {}
        SessionBegun::Changed => return Ok(None),
        SessionBegun::WrongSecondFactor => {
            FactorAttempt::fail(account);
            return Err(Problem::new(ProblemCode::WrongSecondFactor));
        }
    }
    tracing::info!(%account, session = %id, "logged in");
    Ok(Some(tokens(state, account, id, &refresh, now)?))
}

/// What a log-in is counted by: the account from this network, the network, and, for all networks together that never logged in to the
/// account, the account.
async fn login_subjects(
    state: &AppState,
    conn: &mut Connection,
    found: Option<&LoginRow>,
    key: &str,
    network: Network,
) -> StoreResult<Vec<AttemptSubject>> {
    // Unknown names are counted like known ones, by their folded text.
    // An unknown name asks what a known one asks: about an id that nobody has.
    let account = found.map_or_else(AccountId::fresh, |row| row.account.id);
    let known = sessions::knows_network(conn, account, &network_mac(state, network)).await?;
    let mut subjects =
        attempt_subjects(state, AttemptScope::LoginAccountNetwork, key.as_bytes(), network);
    subjects.extend(attempt_subjects(state, AttemptScope::LoginNetwork, &[], network));
    // A known network is counted by itself, far below the limit, so that the number of statements does not tell who logs in from where.
    let scope = AttemptScope::LoginAccountStrangers;
    let apart = if known { network.to_string() } else { String::new() };
    subjects.push(AttemptSubject {
        scope,
        mac: state.keys.short_lookup(scope.as_str(), &[key.as_bytes(), apart.as_bytes()]),
        limit: state.settings.attempt_limits.of(scope),
    });
    Ok(subjects)
}

/// What the database knows a network by that logged in.
pub fn network_mac(state: &AppState, network: Network) -> [u8; 16] {
    state.keys.short_lookup("network", &[network.to_string().as_bytes()])
}

/// What an attempt is counted by: an account, where the scope has one, and, where the scope is by network, each prefix of the network
/// that counts.
pub fn attempt_subjects(
    state: &AppState,
    scope: AttemptScope,
    account: &[u8],
    network: Network,
) -> Vec<AttemptSubject> {
    let limit = state.settings.attempt_limits.of(scope);
    let subject = |network: &[u8], factor| AttemptSubject {
        scope,
        mac: state.keys.short_lookup(scope.as_str(), &[account, network]),
        limit: limit.times(factor),
    };
    if !scope.is_by_network() {
        return vec![subject(&[], 1)];
    }
    let counted = network.counted();
    counted.map(|(network, factor)| subject(network.to_string().as_bytes(), factor)).collect()
}

/// Takes one unit of each attempt limit, or answers 429 with `code`. Give it back with the same `now`.
pub async fn reserve_attempt(
    conn: &mut Connection,
    subjects: &[AttemptSubject],
    code: ProblemCode,
    now: DateTime<Utc>,
) -> Result<(), Problem> {
    match attempts::reserve(conn, subjects, 1, now).await? {
        None => Ok(()),
        Some(full) => Err(attempts_used_up(full, code, now)),
    }
}

/// The 429 of a limit that is used up, in metrics and log.
pub fn attempts_used_up(full: AttemptSubject, code: ProblemCode, now: DateTime<Utc>) -> Problem {
    metrics::counter!("attempts_refused_total", "scope" => full.scope.as_str()).increment(1);
    tracing::warn!(scope = full.scope.as_str(), "attempt limit reached");
    Problem::new(code).retry_after(full.limit.retry_after(now))
}

fn tokens(
    state: &AppState,
    account: AccountId,
    session: SessionId,
    refresh: &OpaqueToken,
    now: DateTime<Utc>,
) -> Result<TokensResponse, Problem> {
    let access = access_token::issue(&state.keys, AccessClaims { account, session }, now)
        .map_err(Problem::internal)?;
    Ok(TokensResponse {
        session_id: session.0,
        account_id: account.0,
        access_token: access,
        token_type: "Bearer",
        expires_in: access_token::LIFETIME.num_seconds(),
        refresh_token: refresh.reveal().to_owned(),
    })
}

/// The refresh token.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RefreshRequest {
    /// The newest one of the session.
    #[schema(example = "csr_…")]
    pub refresh_token: String,
}

/// Exchanges a refresh token for new tokens.
///
/// A token works once. When its reply was lost it works again for 30 seconds, as long as it is the one before the newest;
/// any older token that comes back ends the session.
#[utoipa::path(
    post, path = "/v1/sessions/refresh", tag = "sessions", request_body = RefreshRequest,
    responses((status = 200, body = TokensResponse), (status = 401, description = "`invalid_token`"))
)]
pub async fn refresh(
    state: web::Data<AppState>,
    body: Body<RefreshRequest>,
) -> Result<HttpResponse, Problem> {
    let invalid = || Problem::new(ProblemCode::InvalidToken);
    let presented = OpaqueToken::presented(TokenKind::Refresh, &body.value.refresh_token)
        .ok_or_else(invalid)?
        .hash();
    let next = OpaqueToken::generate(TokenKind::Refresh);
    let now = state.clock.now();
    let next_hash = next.hash();
    let refreshed = state
        .store
        .transaction(async |conn| sessions::refresh(conn, presented, next_hash, now).await)
        .await?;
    match refreshed {
        Refreshed::Renewed { session, account } => {
            let tokens = tokens(&state, account, session, &next, now)?;
            Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(tokens))
        }
        Refreshed::Reused(session) => {
            state.identities.invalidate(&CredentialKey::Session(session)).await;
            metrics::counter!("refresh_reuse_total").increment(1);
            tracing::warn!(%session, "an old refresh token came back: session ended");
            Err(invalid())
        }
        Refreshed::Unknown => Err(invalid()),
    }
}

/// A session.
#[derive(Serialize, ToSchema)]
pub struct SessionResponse {
    /// Its id.
    pub id: Uuid,
    /// Whether it is the one that asks.
    pub current: bool,
    /// When the log-in was.
    pub created_at: DateTime<Utc>,
    /// When it was refreshed last.
    pub last_used_at: DateTime<Utc>,
    /// When it ends if it is not refreshed.
    pub expires_at: DateTime<Utc>,
}

/// Your active sessions.
#[derive(Serialize, ToSchema)]
pub struct SessionsResponse {
    /// The newest first, at most 200.
    pub data: Vec<SessionResponse>,
}

/// Lists your active sessions.
#[utoipa::path(
    get, path = "/v1/sessions", tag = "sessions", security(("bearer" = [])),
    responses((status = 200, body = SessionsResponse))
)]
pub async fn list_sessions(
    state: web::Data<AppState>,
    by: May<ReadOwnAccount>,
) -> Result<web::Json<SessionsResponse>, Problem> {
    let mut conn = state.store.connection().await?;
    let current = sessions::current(&by);
    let rows = sessions::list(&mut conn, &by, state.clock.now()).await?;
    let data = rows
        .into_iter()
        .map(|row| SessionResponse {
            current: current == Some(row.id),
            id: row.id.0,
            created_at: row.created_at,
            last_used_at: row.last_used_at,
            expires_at: row.expires_at,
        })
        .collect();
    Ok(web::Json(SessionsResponse { data }))
}

/// Logs out: ends the session that asks.
#[utoipa::path(
    delete, path = "/v1/sessions/current", tag = "sessions", security(("bearer" = [])),
    responses((status = 204, description = "The session is over."))
)]
pub async fn log_out(
    state: web::Data<AppState>,
    by: May<EndOwnSessions>,
) -> Result<HttpResponse, Problem> {
    let session = sessions::current(&by).ok_or_else(|| Problem::new(ProblemCode::LoginRequired))?;
    end(&state, &by, session).await
}

/// Ends one of your sessions.
#[utoipa::path(
    delete, path = "/v1/sessions/{session}", tag = "sessions", security(("bearer" = [])),
    params(("session" = Uuid, Path, description = "Id of the session")),
    responses((status = 204, description = "The session is over."))
)]
pub async fn end_session(
    state: web::Data<AppState>,
    by: May<EndOwnSessions>,
    session: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    end(&state, &by, SessionId(*session)).await
}

async fn end(
    state: &AppState,
    by: &May<EndOwnSessions>,
    session: SessionId,
) -> Result<HttpResponse, Problem> {
    let now = state.clock.now();
    let ended =
        state.write(by, async |conn, by| sessions::end(conn, by, session, now).await).await?;
    state.identities.invalidate(&CredentialKey::Session(session)).await;
    if ended { Ok(HttpResponse::NoContent().finish()) } else { Err(Problem::not_found()) }
}
