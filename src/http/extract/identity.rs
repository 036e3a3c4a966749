//! The identity and the permissions of the client.

use std::ops::Deref;
use std::rc::Rc;

use actix_web::http::header;
use actix_web::{FromRequest, HttpMessage as _, HttpRequest, dev::Payload};
use chrono::{DateTime, Utc};
use tokio::sync::OnceCell;

use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::access_token;
use crate::auth::permission::{Granted, Identity, Permission, Viewer};
use crate::auth::secret::{OpaqueToken, TokenKind};
use crate::auth::session::BROWSER_RENEWAL;
use crate::http::extract::{Extracting, state};
use crate::memory::identities::CredentialKey;
use crate::store::accounts::{sessions, tokens};

/// The client. Without an `Authorization` header it is a stranger. An invalid token is a 401; the client is never treated as a stranger instead.
pub struct Caller(Option<Identity>);

impl Caller {
    /// Whose hidden cards may be shown.
    pub fn viewer(&self) -> Viewer {
        self.0.as_ref().map_or_else(Viewer::stranger, Identity::viewer)
    }

    /// The permission, if the caller has it.
    pub fn may<P: Permission>(&self) -> Option<Granted<P>> {
        self.0.as_ref()?.grant().ok()
    }

    /// The permission: 401 for a stranger, 403 for an account that does not have it.
    pub fn must<P: Permission>(&self) -> Result<Granted<P>, Problem> {
        let identity = self.0.as_ref();
        Ok(identity.ok_or_else(|| Problem::new(ProblemCode::Unauthenticated))?.grant()?)
    }
}

impl FromRequest for Caller {
    type Error = Problem;
    type Future = Extracting<Self>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        let req = req.clone();
        Box::pin(async move { Ok(Self(identify(&req).await?.map(|(identity, _)| identity))) })
    }
}

/// Proof that the client has permission `P`: 401 without a token, 403 with a token that lacks the permission.
pub struct May<P>(pub Granted<P>);

impl<P> Deref for May<P> {
    type Target = Granted<P>;

    fn deref(&self) -> &Granted<P> {
        &self.0
    }
}

impl<P: Permission + 'static> FromRequest for May<P> {
    type Error = Problem;
    type Future = Extracting<Self>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        let req = req.clone();
        Box::pin(async move {
            Ok(StreamPermission::from_request(&req, &mut Payload::None).await?.granted)
        })
    }
}

/// Like [`May`], for streams: they end when the credential expires.
pub struct StreamPermission<P> {
    /// The proof.
    pub granted: May<P>,
    /// When the access token expires; `None`: it is a personal access token, whose expiry is stored.
    pub until: Option<DateTime<Utc>>,
}

impl<P: Permission + 'static> FromRequest for StreamPermission<P> {
    type Error = Problem;
    type Future = Extracting<Self>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        let req = req.clone();
        Box::pin(async move {
            let (identity, until) =
                identify(&req).await?.ok_or_else(|| Problem::new(ProblemCode::Unauthenticated))?;
            Ok(Self { granted: May(identity.grant()?), until })
        })
    }
}

/// The identity of the client, and when the access token expires, if it is one.
type Identified = (Identity, Option<DateTime<Utc>>);

/// The identity of the client: looked up once for all extractors of a request.
async fn identify(req: &HttpRequest) -> Result<Option<Identified>, Problem> {
    type Shared = Rc<OnceCell<Option<Identified>>>;
    if !req.headers().contains_key(header::AUTHORIZATION) {
        return Ok(None);
    }
    let known = req.extensions().get::<Shared>().cloned();
    let shared = known.unwrap_or_else(|| {
        let shared = Shared::default();
        req.extensions_mut().insert(shared.clone());
        shared
    });
    Ok(shared.get_or_try_init(|| identify_by_header(req)).await?.clone())
}

async fn identify_by_header(req: &HttpRequest) -> Result<Option<Identified>, Problem> {
    let Some(value) = req.headers().get(header::AUTHORIZATION) else { return Ok(None) };
    let invalid = || Problem::new(ProblemCode::InvalidToken);
    let (scheme, token) =
        value.to_str().ok().and_then(|text| text.split_once(' ')).ok_or_else(invalid)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(invalid());
    }
    let state = state(req)?;
    if let Some(token) = OpaqueToken::presented(TokenKind::PersonalAccess, token.trim()) {
        let key = CredentialKey::Token(token.hash());
        return Ok(Some((look_up(&state, key).await?.ok_or_else(invalid)?, None)));
    }
    let (claims, until) = access_token::verify(&state.keys, token.trim(), state.clock.now())
        .map_err(|_| invalid())?;
    let key = CredentialKey::Session(claims.session);
    let identity = look_up(&state, key).await?.ok_or_else(invalid)?;
    // The row of the session has the account. A token with another account was not issued by this service.
    if identity.account != claims.account {
        return Err(invalid());
    }
    Ok(Some((identity, Some(until))))
}

/// The identity of a credential: from the cache, whose entries expire within seconds, or from the database. If the database cannot be reached, no credential is
/// accepted.
pub(crate) async fn look_up(
    state: &AppState,
    key: CredentialKey,
) -> Result<Option<Identity>, Problem> {
    if let Some(identity) = state.identities.get(&key).await {
        return Ok(Some(identity));
    }
    let ticket = state.identities.ticket();
    let (store, now) = (&state.store, state.clock.now());
    let demand = state.settings.second_factor_demand;
    let identity = match key {
        CredentialKey::Session(session) => {
            store
                .read(async |conn: &_| sessions::identify(conn, session, demand, now).await)
                .await?
        }
        CredentialKey::Token(hash) => {
            tokens::identify(&mut *store.connection().await?, hash, demand, now).await?
        }
        CredentialKey::Browser(hash) => {
            let mut conn = store.connection().await?;
            let found = sessions::find_by_browser_token(&conn, hash).await?;
            let Some((session, used_at)) = found else { return Ok(None) };
            let identity = sessions::identify(&conn, session, demand, now).await?;
            if identity.is_some()
                && used_at < now - BROWSER_RENEWAL
                && let Err(error) = sessions::renew_browser_session(&mut conn, session, now).await
            {
                // The next request tries again.
                tracing::warn!(%error, %session, "cannot store that a session was used");
            }
            identity
        }
    };
    if let Some(identity) = &identity {
        state.identities.insert(ticket, key, identity.clone()).await;
    }
    Ok(identity)
}
