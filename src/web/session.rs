//! The visitor of a page: the session of the browser, by its cookie. No route below `/v1` reads the cookie.

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

/// How long a browser keeps the cookie: the maximum that browsers allow. The session in the database ends earlier.
const COOKIE_LIFETIME: Duration = Duration::days(400);

/// Where to go after the log-in by default.
const ACCOUNT: &str = "/my/account";

/// The name of the cookie. Over https, browsers accept a cookie with this prefix only from this host (RFC 6265bis, 4.1.3.2).
fn cookie_name(settings: &ApiSettings) -> &'static str {
    if is_https(settings) { "__Host-cardscape" } else { "cardscape" }
}

fn is_https(settings: &ApiSettings) -> bool {
    settings.public_url.as_deref().is_some_and(|url| url.starts_with("https://"))
}

/// The cookie with this value. Scripts cannot read it. From other sites, browsers send it with links only, not with forms.
fn cookie<'a>(settings: &ApiSettings, value: &'a str) -> Cookie<'a> {
    Cookie::build(cookie_name(settings), value)
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(is_https(settings))
        .max_age(COOKIE_LIFETIME)
        .finish()
}

/// The value of the first cookie with this name. The framework reads no cookie of a header that is not UTF-8, and any host of the domain can set a cookie that
/// makes it so.
fn cookie_value<'r>(req: &'r HttpRequest, name: &str) -> Option<&'r str> {
    let lines = req.headers().get_all(header::COOKIE);
    lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b';')).find_map(|pair| {
        let (known, value) = std::str::from_utf8(pair).ok()?.trim().split_once('=')?;
        (known == name).then_some(value)
    })
}

/// The cookie after a log-in.
pub(super) fn logged_in<'a>(settings: &ApiSettings, token: &'a OpaqueToken) -> Cookie<'a> {
    cookie(settings, token.reveal())
}

/// The cookie that replaces an invalid one and expires at once.
pub(super) fn logged_out(settings: &ApiSettings) -> Cookie<'static> {
    let mut cookie = cookie(settings, "");
    cookie.make_removal();
    cookie
}

/// The visitor of a page: a stranger if the cookie is missing, or its session has ended.
pub(super) struct Visitor {
    identity: Option<Identity>,
    token: Option<OpaqueToken>,
}

impl Visitor {
    /// Whose hidden cards may be shown.
    pub(super) fn viewer(&self) -> Viewer {
        self.identity.as_ref().map_or_else(Viewer::stranger, Identity::viewer)
    }

    /// Whether the visitor is not logged in.
    pub(super) fn is_stranger(&self) -> bool {
        self.identity.is_none()
    }

    /// The permission: 401 for a stranger, 403 for an account that does not have it.
    pub(super) fn must<P: Permission>(&self) -> Result<Granted<P>, Problem> {
        let identity = self.identity.as_ref();
        Ok(identity.ok_or_else(|| Problem::new(ProblemCode::Unauthenticated))?.grant()?)
    }

    /// The token of the cookie, if its session is valid.
    pub(super) fn token(&self) -> Option<&OpaqueToken> {
        self.token.as_ref()
    }

    /// Drops the session from the cache, because its permissions have changed: the next request looks it up again.
    pub(super) async fn forget(&self, app: &AppState) {
        if let Some(token) = &self.token {
            app.identities.invalidate(&CredentialKey::Browser(token.hash())).await;
        }
    }
}

/// Looks up the visitor before a handler runs. Then the form is read, so that a page about any failure can repeat the input: the session may have ended in the
/// meantime.
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
            let Some(value) = cookie_value(&req, cookie_name(&state.settings)) else {
                return Ok(stranger);
            };
            let token = OpaqueToken::presented(TokenKind::Browser, value);
            let Some(token) = token else { return Ok(stranger) };
            let key = CredentialKey::Browser(token.hash());
            Ok(match look_up(&state, key).await? {
                Some(identity) => Self { identity: Some(identity), token: Some(token) },
                None => stranger,
            })
        })
    }
}

/// Proof that the visitor of a page has permission `P`. A stranger who requests a page is redirected to the log-in, which leads back. A stranger who sends a
/// form gets a 401 with a page that keeps the input. A logged-in visitor without the permission gets a 403.
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

/// A stranger requested the page: redirects to the log-in, which leads back to this path with its query.
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

/// The path of the log-in that leads back to a page of this service.
pub(super) fn log_in_path(back_to: &str) -> String {
    let back_to: String = form_urlencoded::byte_serialize(back_to.as_bytes()).collect();
    format!("/login?to={back_to}")
}

/// Where to go after the log-in: a path of this service, or else the page of the account. A value that a browser may interpret as another site is ignored.
pub(super) fn way_back(to: &str) -> &str {
    let is_path = to.starts_with('/')
        && to.len() <= 1000
        && to.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
        && !to.starts_with("//");
    if is_path { to } else { ACCOUNT }
}

/// Redirects the browser to a page with a GET.
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
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn a_cookie_is_found_beside_those_of_other_hosts() {
        let value = |lines: &[u8]| {
            let mut req = TestRequest::default();
            for line in lines.split(|byte| *byte == b'\n') {
                let line = header::HeaderValue::from_bytes(line).unwrap();
                req = req.append_header((header::COOKIE, line));
            }
            cookie_value(&req.to_http_request(), "cardscape").map(str::to_owned)
        };
        let found = Some("csb_1".to_owned());
        for lines in [
            &b"cardscape=csb_1"[..],
            b"x=\xE9; cardscape=csb_1",
            b"cardscape=csb_1;x=\xE9",
            b"x; =y; cardscape=csb_1; cardscape=csb_2",
            b"\xE9\ncardscape=csb_1",
        ] {
            assert_eq!(value(lines), found, "{}", lines.escape_ascii());
        }
        assert_eq!(value(b""), None);
        assert_eq!(value(b"x-cardscape=csb_1; cardscape; Cardscape=csb_1; \xE9"), None);
    }

    #[test]
    fn only_paths_of_this_service_are_accepted_as_way_back() {
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
    fn the_way_back_is_kept_in_the_address_of_the_log_in() {
        assert_eq!(log_in_path("/my/x?a=1&b=2"), "/login?to=%2Fmy%2Fx%3Fa%3D1%26b%3D2");
    }
}
