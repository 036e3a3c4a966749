//! Sessions: log in, refresh, log out.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::attempts::{
    attempt_subjects, decide_wrong, decided_or_give_back, give_back, give_back_right, network_mac,
    or_give_back, reserve_with_place,
};
use super::second_factor_attempts::FactorAttempt;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::access_token::{self, AccessClaims};
use crate::auth::password::{HashingPlace, Verdict};
use crate::auth::permission::{EndOwnSessions, Granted, ReadOwnAccount};
use crate::auth::second_factor::PresentedFactor;
use crate::auth::secret::{OpaqueToken, TokenKind};
use crate::domain::accounts::attempts::AttemptScope;
use crate::domain::accounts::password::Password;
use crate::domain::ids::{AccountId, SessionId};
use crate::domain::network::Network;
use crate::memory::identities::CredentialKey;
use crate::store::accounts::account_records::{self, LoginRow, VerifiedPassword};
use crate::store::accounts::attempts::{self, AttemptSubject};
use crate::store::accounts::sessions::{
    self, NewSession, Refreshed, SessionBegun, SessionRow, SessionToken,
};
use crate::store::{Connection, StoreResult};

/// Tokens of a session.
#[derive(Serialize, ToSchema)]
pub struct TokensResponse {
    /// Id of the session.
    pub session_id: Uuid,
    /// Id of the account that logged in.
    pub account_id: Uuid,
    /// Send it as `Authorization: Bearer …`.
    #[schema(example = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl")]
    pub access_token: String,
    /// Always `Bearer`.
    #[schema(example = "Bearer")]
    pub token_type: &'static str,
    /// Seconds until the access token expires.
    #[schema(example = 900)]
    pub expires_in: i64,
    /// Exchange it once at `POST /v1/sessions/refresh` for new tokens.
    #[schema(example = "csr_…")]
    pub refresh_token: String,
}

/// The credentials of a log-in.
#[derive(Clone, Copy)]
pub struct Credentials<'a> {
    /// Name of the account.
    pub name: &'a str,
    pub password: &'a str,
    /// A code of the second factor, if the account has one.
    pub second_factor: Option<&'a str>,
}

/// Logs in an API client. It gets an access token and a refresh token, which each refresh replaces.
pub async fn log_in(
    app: &AppState,
    network: Network,
    credentials: Credentials<'_>,
) -> Result<TokensResponse, Problem> {
    let begun = begin(app, network, credentials, TokenKind::Refresh).await?;
    issue_tokens(app, begun.account, begun.session, &begun.token, begun.at)
}

/// Logs in a browser. The token is for its cookie, and stays the same until the session ends.
pub async fn log_in_browser(
    app: &AppState,
    network: Network,
    credentials: Credentials<'_>,
) -> Result<OpaqueToken, Problem> {
    Ok(begin(app, network, credentials, TokenKind::Browser).await?.token)
}

/// A new session.
struct Begun {
    account: AccountId,
    session: SessionId,
    token: OpaqueToken,
    at: DateTime<Utc>,
}

/// Checks the credentials and begins a session with a token of this kind.
async fn begin(
    app: &AppState,
    network: Network,
    credentials: Credentials<'_>,
    kind: TokenKind,
) -> Result<Begun, Problem> {
    let Credentials { name, password, second_factor } = credentials;
    let shown = second_factor.and_then(PresentedFactor::parse);
    let shown = shown.as_ref();
    let now = app.clock.now();
    let network_mac = network_mac(app, network);
    // This comes first: a client that gets no place must not use up an attempt, and learns nothing about the account.
    let place = app.passwords.enter(network)?;
    let mut conn = app.store.connection().await?;
    let key = cardscape_engine::name_key(name);
    let mut found = account_records::find_for_login(&mut conn, &key).await?;
    let subjects = login_subjects(app, &mut conn, found.as_ref(), &key, network).await?;
    let code = ProblemCode::LoginThrottled;
    let held = reserve_with_place(app, network, (place, conn), &subjects, code, now).await?;
    let (mut place, conn) = held;
    drop(conn);

    let mut reserved = Attempts::OfPassword(subjects);
    for _ in 0..LOG_IN_TRIES {
        let verified = verify_password(&place, found, password).await;
        // Others may hash while this log-in waits for the database.
        drop(place);
        let verified = match verified {
            Ok(verified) => verified,
            Err(problem) => return Err(reserved.refuse(app, problem, now).await),
        };
        if verified.second_factor_since.is_some() {
            reserved = reserved.into_second_factor(app, &verified, shown, network, now).await?;
        }
        let attempt =
            VerifiedLogIn { verified: &verified, second_factor: shown, network_mac, at: now };
        if let Some(begun) = begin_session(app, &attempt, kind, &reserved).await? {
            return Ok(begun);
        }
        // The password or the second factor was changed during the check, or another log-in stored a stronger hash of the same password. The
        // check is repeated with the stored values.
        let entered = app.passwords.enter(network);
        place = or_give_back(app, reserved.subjects(), now, entered).await?;
        let stored = find_account(app, &key).await;
        found = or_give_back(app, reserved.subjects(), now, stored).await?;
    }
    let problem = Problem::new(ProblemCode::Unavailable)
        .detail("The account is being changed at this moment.")
        .retry_after(1);
    Err(reserved.refuse(app, problem, now).await)
}

async fn find_account(app: &AppState, key: &str) -> StoreResult<Option<LoginRow>> {
    let mut conn = app.store.connection().await?;
    account_records::find_for_login(&mut conn, key).await
}

/// How often one log-in checks the password at most. A check is repeated if the stored hash was replaced during it. A stronger hash replaces a
/// weak one only once, so an honest log-in needs at most two checks.
const LOG_IN_TRIES: usize = 3;

/// Checks the password. A missing account and a wrong password give the same error after the same time, also if the account is banned: only who
/// knows the password learns of the ban.
async fn verify_password(
    place: &HashingPlace,
    found: Option<LoginRow>,
    password: &str,
) -> Result<VerifiedPassword, Problem> {
    let stored = found.as_ref().map(|row| row.password_hash.clone());
    let verdict = place.verify(Password::presented(password.to_owned()), stored).await?;
    let refused = |code: ProblemCode| {
        metrics::counter!("login_failures_total").increment(1);
        Problem::new(code)
    };
    let row = found.filter(|_| verdict != Verdict::Wrong);
    let LoginRow { account, password_hash } =
        row.ok_or_else(|| refused(ProblemCode::WrongCredentials))?;
    if account.banned_at.is_some() {
        return Err(refused(ProblemCode::AccountBanned));
    }
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

/// The units of attempt limits that a log-in has reserved.
enum Attempts {
    /// Taken before the password is checked.
    OfPassword(Vec<AttemptSubject>),
    /// Taken after the password was found to be right, and before the second factor is checked.
    OfSecondFactor(FactorAttempt),
}

impl Attempts {
    /// Returns the units of the password, which was right, and takes units for the check of the second factor.
    async fn into_second_factor(
        self,
        app: &AppState,
        verified: &VerifiedPassword,
        second_factor: Option<&PresentedFactor>,
        network: Network,
        now: DateTime<Utc>,
    ) -> Result<Self, Problem> {
        let Self::OfPassword(subjects) = &self else { return Ok(self) };
        give_back_right(app, subjects, now).await;
        if second_factor.is_none() {
            return Err(Problem::new(ProblemCode::SecondFactorRequired));
        }
        let VerifiedPassword { account, second_factor_since: since, .. } = *verified;
        let conn = app.store.connection().await?;
        let attempt = FactorAttempt::reserve(app, conn, account, since, network, now).await?;
        Ok(Self::OfSecondFactor(attempt))
    }

    /// Settles the units of a log-in that is refused with this problem: they stay used only if the password was wrong.
    /// Nothing was said about the second factor.
    async fn refuse(&self, app: &AppState, problem: Problem, now: DateTime<Utc>) -> Problem {
        if problem.code() == ProblemCode::WrongCredentials {
            decide_wrong(app, self.subjects(), now).await;
        } else {
            give_back(app, self.subjects(), now).await;
        }
        problem
    }

    /// The limits that the units were taken from.
    fn subjects(&self) -> &[AttemptSubject] {
        match self {
            Self::OfPassword(subjects) => subjects,
            Self::OfSecondFactor(attempt) => attempt.subjects(),
        }
    }
}

/// A log-in whose password is right.
struct VerifiedLogIn<'a> {
    verified: &'a VerifiedPassword,
    second_factor: Option<&'a PresentedFactor>,
    /// Keyed hash of the client's network.
    network_mac: [u8; 16],
    at: DateTime<Utc>,
}

/// Begins a session and returns the attempts. `None`: the password or the second factor was changed since it was verified, or the account
/// was banned.
async fn begin_session(
    app: &AppState,
    log_in: &VerifiedLogIn<'_>,
    kind: TokenKind,
    reserved: &Attempts,
) -> Result<Option<Begun>, Problem> {
    let VerifiedLogIn { verified, second_factor, network_mac, at } = *log_in;
    let (session, token) = (SessionId::generate(), OpaqueToken::generate(kind));
    let hash = match kind {
        TokenKind::Browser => SessionToken::Browser(token.hash()),
        TokenKind::Refresh | TokenKind::PersonalAccess => SessionToken::Refresh(token.hash()),
    };
    let new = NewSession { id: session, verified, second_factor, network_mac, token: hash, at };
    let begun = app
        .store
        .transaction(async |conn| {
            let begun = sessions::begin(conn, &app.keys, &new).await?;
            if matches!(begun, SessionBegun::Yes(_)) {
                attempts::release(conn, reserved.subjects(), 1, at).await?;
            }
            StoreResult::Ok(begun)
        })
        .await;
    let account = verified.account;
    match decided_or_give_back(app, reserved.subjects(), at, begun).await? {
        SessionBegun::Yes(ended) => forget_ended(app, account, &ended).await,
        SessionBegun::Changed => return Ok(None),
        SessionBegun::WrongSecondFactor => {
            if let Attempts::OfSecondFactor(attempt) = reserved {
                attempt.record_failure(app, account).await;
            }
            return Err(Problem::new(ProblemCode::WrongSecondFactor));
        }
    }
    tracing::info!(%account, %session, "logged in");
    Ok(Some(Begun { account, session, token, at }))
}

/// Drops the sessions from the cache that a log-in has ended.
async fn forget_ended(app: &AppState, account: AccountId, ended: &[SessionId]) {
    for session in ended {
        app.identities.invalidate(&CredentialKey::Session(*session)).await;
    }
    if !ended.is_empty() {
        let sessions = ended.len();
        tracing::info!(%account, sessions, "the sessions that were used least recently were ended: the account had too many");
    }
}

/// The limits that count a log-in: one for the account from this network, one for the network, and one for the account from all networks together
/// that never logged in to it.
async fn login_subjects(
    app: &AppState,
    conn: &mut Connection,
    found: Option<&LoginRow>,
    key: &str,
    network: Network,
) -> StoreResult<Vec<AttemptSubject>> {
    // Unknown names are counted like known names, by their folded text. For an unknown name, the same query runs with an id that no account has,
    // so that the response takes the same time.
    let account = found.map_or_else(AccountId::generate, |row| row.account.id);
    let known = sessions::knows_network(conn, account, &network_mac(app, network)).await?;
    let mut subjects =
        attempt_subjects(app, AttemptScope::LoginAccountNetwork, key.as_bytes(), network);
    subjects.extend(attempt_subjects(app, AttemptScope::LoginNetwork, &[], network));
    // A known network gets its own counter here, although it stays far below the limit: the number of statements must not reveal whether the network is
    // known.
    let scope = AttemptScope::LoginAccountStrangers;
    let apart = if known { network.to_string() } else { String::new() };
    subjects.push(AttemptSubject {
        scope,
        mac: app.keys.short_lookup(scope.as_str(), &[key.as_bytes(), apart.as_bytes()]),
        limit: app.settings.attempt_limits.of(scope),
    });
    Ok(subjects)
}

fn issue_tokens(
    app: &AppState,
    account: AccountId,
    session: SessionId,
    refresh: &OpaqueToken,
    now: DateTime<Utc>,
) -> Result<TokensResponse, Problem> {
    let access = access_token::issue(&app.keys, AccessClaims { account, session }, now)
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

/// Exchanges a refresh token for new tokens.
pub async fn refresh(app: &AppState, presented: &str) -> Result<TokensResponse, Problem> {
    let invalid = || Problem::new(ProblemCode::InvalidToken);
    let presented =
        OpaqueToken::presented(TokenKind::Refresh, presented).ok_or_else(invalid)?.hash();
    let next = OpaqueToken::generate(TokenKind::Refresh);
    let now = app.clock.now();
    let next_hash = next.hash();
    let refreshed = app
        .store
        .transaction(async |conn| sessions::refresh(conn, presented, next_hash, now).await)
        .await?;
    match refreshed {
        Refreshed::Renewed { session, account } => issue_tokens(app, account, session, &next, now),
        Refreshed::Reused(session) => {
            // A task of its own, because the client may disconnect: a thief would keep the session.
            let ended = tokio::spawn(end_reused(app.clone(), session, now));
            ended.await.map_err(Problem::internal)??;
            Err(invalid())
        }
        Refreshed::Unknown => Err(invalid()),
    }
}

/// Ends a session of which an old refresh token was presented again.
async fn end_reused(app: AppState, session: SessionId, now: DateTime<Utc>) -> StoreResult<()> {
    sessions::end_reused(&app.store, session, now).await?;
    app.identities.invalidate(&CredentialKey::Session(session)).await;
    metrics::counter!("refresh_reuse_total").increment(1);
    tracing::warn!(%session, "an old refresh token was used again: the session was ended");
    Ok(())
}

/// A session.
#[derive(Serialize, ToSchema)]
pub struct SessionResponse {
    /// Its id.
    pub id: Uuid,
    /// Whether the request was sent in this session.
    pub current: bool,
    /// Whether a browser uses it, which logged in on the pages of this service. Otherwise a program does, with tokens.
    pub is_browser: bool,
    /// When the client logged in.
    pub created_at: DateTime<Utc>,
    /// When it was last used: by a program, the last refresh or the log-in; by a browser, exact to an hour.
    pub last_used_at: DateTime<Utc>,
    /// When it ends if it is not refreshed.
    pub expires_at: DateTime<Utc>,
}

impl SessionResponse {
    fn new(row: SessionRow, current: Option<SessionId>) -> Self {
        Self {
            current: current == Some(row.id),
            id: row.id.0,
            is_browser: row.is_browser,
            created_at: row.created_at,
            last_used_at: row.last_used_at,
            expires_at: row.expires_at,
        }
    }
}

/// Your active sessions.
#[derive(Serialize, ToSchema)]
pub struct SessionsResponse {
    /// The sessions, the newest first. An account has at most 200: a further log-in ends the one that was used least recently. At most 1,000 are
    /// listed: an older version of the service may have begun more than 200, and each log-in ends up to 200 of those.
    pub data: Vec<SessionResponse>,
}

/// Lists the caller's active sessions.
pub async fn list(
    app: &AppState,
    by: &Granted<ReadOwnAccount>,
) -> Result<SessionsResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let current = sessions::current(by);
    let rows = sessions::list(&mut conn, by, app.clock.now()).await?;
    let data = rows.into_iter().map(|row| SessionResponse::new(row, current)).collect();
    Ok(SessionsResponse { data })
}

/// Ends the session that sent the request.
pub async fn log_out(app: &AppState, by: &Granted<EndOwnSessions>) -> Result<(), Problem> {
    let session = sessions::current(by).ok_or_else(|| Problem::new(ProblemCode::LoginRequired))?;
    end(app, by, session).await
}

/// Ends one of the caller's sessions.
pub async fn end(
    app: &AppState,
    by: &Granted<EndOwnSessions>,
    session: SessionId,
) -> Result<(), Problem> {
    let now = app.clock.now();
    let was_active =
        app.write(by, async |conn, by| sessions::end(conn, by, session, now).await).await?;
    app.identities.invalidate(&CredentialKey::Session(session)).await;
    if was_active { Ok(()) } else { Err(Problem::not_found()) }
}

/// Logs out the browser with this cookie. The cached identity is dropped, so that the cookie is refused at once.
pub async fn log_out_browser(
    app: &AppState,
    by: &Granted<EndOwnSessions>,
    token: &OpaqueToken,
) -> Result<(), Problem> {
    let result = log_out(app, by).await;
    app.identities.invalidate(&CredentialKey::Browser(token.hash())).await;
    match result {
        // The session has already ended, as requested.
        Err(problem)
            if matches!(problem.code(), ProblemCode::NotFound | ProblemCode::InvalidToken) =>
        {
            Ok(())
        }
        result => result,
    }
}
