//! Who reads a page: the session of the browser, by its cookie. Below `/v1` the cookie says nothing: nothing there reads it.

use std::fmt;
use std::ops::Deref;
use std::pin::Pin;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::http::{Method, StatusCode, header};
use actix_web::middleware::Next;
use actix_web::{Error, FromRequest, HttpMessage, HttpRequest, HttpResponse, ResponseError};

use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::{ApiSettings, AppState};
use crate::auth::permission::{Granted, Identity, Permission, Viewer};
use crate::auth::secret::{OpaqueToken, TokenKind};
use crate::http::extract::{Extracting, SentForm, look_up, state};
use crate::memory::identities::CredentialKey;

/// How long a browser keeps the cookie: as long as browsers keep any. The row of the session ends sooner.
const COOKIE_LIFETIME: Duration = Duration::days(400);

/// Where to go after the log-in when nothing else is known.
const ACCOUNT: &str = "/my/account";

/// The name of the cookie. Over https browsers refuse the one with the prefix from anybody but this very host (RFC 6265bis, 4.1.3.2).
fn cookie_name(settings: &ApiSettings) -> &'static str {
    if is_https(settings) { "__Host-cardscape" } else { "cardscape" }
}

fn is_https(settings: &ApiSettings) -> bool {
    settings.public_url.as_deref().is_some_and(|url| url.starts_with("https://"))
}

/// The cookie with this value. No script reads it, and other sites send it along with links alone, not with forms.
fn cookie<'a>(settings: &ApiSettings, value: &'a str) -> Cookie<'a> {
    Cookie::build(cookie_name(settings), value)
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(is_https(settings))
        .max_age(COOKIE_LIFETIME)
        .finish()
}

/// The cookie of a browser that has logged in.
pub(super) fn logged_in<'a>(settings: &ApiSettings, token: &'a OpaqueToken) -> Cookie<'a> {
    cookie(settings, token.reveal())
}

/// The cookie that takes the place of one that is worth nothing any more, and is gone at once.
pub(super) fn logged_out(settings: &ApiSettings) -> Cookie<'static> {
    let mut cookie = cookie(settings, "");
    cookie.make_removal();
    cookie
}

/// Whoever reads a page: a stranger where the cookie is missing, or its session is over.
pub(super) struct Visitor {
    identity: Option<Identity>,
    token: Option<OpaqueToken>,
}

impl Visitor {
    /// With whose eyes to look at cards.
    pub(super) fn viewer(&self) -> Viewer {
        self.identity.as_ref().map_or_else(Viewer::stranger, Identity::viewer)
    }

    /// Whether nobody is logged in.
    pub(super) fn is_stranger(&self) -> bool {
        self.identity.is_none()
    }

    /// The permission: 401 for a stranger, 403 for whoever does not have it.
    pub(super) fn must<P: Permission>(&self) -> Result<Granted<P>, Problem> {
        let identity = self.identity.as_ref();
        Ok(identity.ok_or_else(|| Problem::new(ProblemCode::Unauthenticated))?.grant()?)
    }

    /// The secret of the cookie, of a session that is alive.
    pub(super) fn token(&self) -> Option<&OpaqueToken> {
        self.token.as_ref()
    }

    /// Looks the session up anew at its next request: what it may do has changed.
    pub(super) async fn forget(&self, app: &AppState) {
        if let Some(token) = &self.token {
            app.identities.invalidate(&CredentialKey::Browser(token.hash())).await;
        }
    }
}

/// Finds out who sends a form before the form is read. Arguments of a handler are all made at once, and the first that fails is the answer: without this,
/// whoever may not send a form would sometimes be told what is wrong with it instead. Then the form is read, so that a page about any failure can keep what was
/// typed: the session may have ended meanwhile.
pub(super) async fn recognise<B: MessageBody + 'static>(
    mut req: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    match req.extract::<Visitor>().await {
        Ok(visitor) => req.extensions_mut().insert(visitor),
        Err(problem) => return Ok(req.into_response(problem.respond())),
    };
    if *req.method() == Method::POST
        && let Err(problem) = SentForm::read_ahead(&mut req).await
    {
        return Ok(req.into_response(problem.respond()));
    }
    Ok(next.call(req).await?.map_into_boxed_body())
}

impl FromRequest for Visitor {
    type Error = Problem;
    type Future = Extracting<Self>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        let recognised = req.extensions_mut().remove::<Self>();
        if let Some(visitor) = recognised {
            return Box::pin(std::future::ready(Ok(visitor)));
        }
        let req = req.clone();
        Box::pin(async move {
            let stranger = Self { identity: None, token: None };
            let state = state(&req)?;
            let Some(cookie) = req.cookie(cookie_name(&state.settings)) else {
                return Ok(stranger);
            };
            let token = OpaqueToken::presented(TokenKind::Browser, cookie.value());
            let Some(token) = token else { return Ok(stranger) };
            let key = CredentialKey::Browser(token.hash());
            Ok(match look_up(&state, key).await? {
                Some(identity) => Self { identity: Some(identity), token: Some(token) },
                None => stranger,
            })
        })
    }
}

/// Proof that the reader of a page has permission `P`. A stranger is sent to the log-in, and comes back from there; one who has sent a form gets a 401, a page
/// that keeps what was typed. Who is logged in and does not have it gets a 403.
pub(super) struct Player<P> {
    pub(super) granted: Granted<P>,
    pub(super) visitor: Visitor,
}

impl<P> Deref for Player<P> {
    type Target = Granted<P>;

    fn deref(&self) -> &Granted<P> {
        &self.granted
    }
}

impl<P: Permission + 'static> FromRequest for Player<P> {
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Error>>>>;

    fn from_request(req: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let visitor = Visitor::from_request(req, payload);
        let path = req.uri().path_and_query().map_or(ACCOUNT, |here| here.as_str()).to_owned();
        let has_sent = *req.method() == Method::POST;
        Box::pin(async move {
            let visitor = visitor.await?;
            if visitor.is_stranger() && !has_sent {
                return Err(LogInFirst(path).into());
            }
            Ok(Self { granted: visitor.must::<P>()?, visitor })
        })
    }
}

/// Nobody is logged in: the browser is sent to the log-in, and comes back to this path with its query.
#[derive(Debug)]
struct LogInFirst(String);

impl fmt::Display for LogInFirst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nobody is logged in")
    }
}

impl ResponseError for LogInFirst {
    fn status_code(&self) -> StatusCode {
        StatusCode::SEE_OTHER
    }

    fn error_response(&self) -> HttpResponse {
        see_other(&log_in_path(&self.0))
    }
}

/// The log-in, from which a browser comes back to a page of this service.
pub(super) fn log_in_path(back_to: &str) -> String {
    let back_to: String = form_urlencoded::byte_serialize(back_to.as_bytes()).collect();
    format!("/login?to={back_to}")
}

/// Where to go after the log-in: a path of this service, or else the account. Anything that a browser may take for another site is none.
pub(super) fn way_back(to: &str) -> &str {
    let is_path = to.starts_with('/')
        && to.len() <= 1000
        && to.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
        && !to.starts_with("//");
    if is_path { to } else { ACCOUNT }
}

/// Sends the browser on to a page, which it reads with a GET.
pub(super) fn see_other(path: &str) -> HttpResponse {
    super::headers::protected(
        HttpResponse::SeeOther()
            .insert_header((header::LOCATION, path))
            .insert_header((header::CACHE_CONTROL, "no-store"))
            .finish(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_this_service_are_ways_back() {
        for path in ["/", "/my/account", "/decks/x?a=1&b=%2F"] {
            assert_eq!(way_back(path), path);
        }
        let elsewhere =
            ["", "//evil.example", "/\\evil.example", "https://evil.example", "/a\r\nb", "/a b"];
        for path in elsewhere {
            assert_eq!(way_back(path), "/my/account", "{path}");
        }
    }

    #[test]
    fn the_way_back_survives_its_address() {
        assert_eq!(log_in_path("/my/x?a=1&b=2"), "/login?to=%2Fmy%2Fx%3Fa%3D1%26b%3D2");
    }
}
