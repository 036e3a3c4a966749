//! Access tokens: JWTs (RFC 7519, RFC 9068) that are valid for 15 minutes, signed with HS256 only, with a key id.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use chrono::{DateTime, Duration, Utc};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use super::hs256;
use super::keys::KeyRing;
use crate::domain::ids::{AccountId, SessionId};

/// How long an access token is valid.
pub const LIFETIME: Duration = Duration::minutes(15);
const ISSUER: &str = "cardscape";
const AUDIENCE: &str = "cardscape-api";
/// The type of RFC 9068: another kind of token that is signed with the same key is not accepted as an access token.
const TYPE: &str = "at+jwt";
/// How far the clocks of two instances may differ: a token whose validity begins later than this from now is refused.
pub const LEEWAY: Duration = Duration::seconds(30);

/// The token was not issued by this service, is not an access token, or has expired. The error does not say which, on purpose.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("the access token is not valid")]
pub struct InvalidAccessToken;

/// The content of an access token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessClaims {
    /// The owner.
    pub account: AccountId,
    /// The session it was issued in.
    pub session: SessionId,
}

/// Unknown claims are ignored, as RFC 7519 (4) requires: a newer version may issue them.
#[derive(Serialize, Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    sub: AccountId,
    sid: SessionId,
    iat: i64,
    exp: i64,
    /// Never issued, but respected.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    nbf: Option<i64>,
}

/// Deserialises a member that may be missing, but not null.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    i64::deserialize(deserializer).map(Some)
}

/// The complete header; other members are refused. They could change the meaning of the token (`crit`, `b64`, `zip`) or
/// supply keys (`jwk`, `jku`, `x5c`). RFC 7515 (4.1.11) requires to refuse tokens whose `crit` is not understood.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StrictHeader {
    alg: Algorithm,
    typ: String,
    kid: String,
}

impl StrictHeader {
    fn read(token: &str) -> Option<Self> {
        let (encoded, _) = token.split_once('.')?;
        serde_json::from_slice(&BASE64URL.decode(encoded).ok()?).ok()
    }
}

/// Issues an access token, signed with the first key of the ring.
pub fn issue(
    keys: &KeyRing,
    claims: AccessClaims,
    now: DateTime<Utc>,
) -> Result<String, InvalidAccessToken> {
    let key = keys.access_tokens().first().ok_or(InvalidAccessToken)?;
    let header = Header {
        typ: Some(TYPE.to_owned()),
        kid: Some(key.id().to_owned()),
        ..Header::new(Algorithm::HS256)
    };
    let claims = Claims {
        iss: ISSUER.to_owned(),
        aud: AUDIENCE.to_owned(),
        sub: claims.account,
        sid: claims.session,
        iat: now.timestamp(),
        exp: (now + LIFETIME).timestamp(),
        nbf: None,
    };
    hs256::install();
    jsonwebtoken::encode(&header, &claims, &EncodingKey::from_secret(key.secret()))
        .map_err(|_| InvalidAccessToken)
}

/// Verifies form, signature, algorithm, type, issuer, audience and times of a token; returns its content and its
/// expiry. Callers that look up the session must check that it belongs to the account.
pub fn verify(
    keys: &KeyRing,
    token: &str,
    now: DateTime<Utc>,
) -> Result<(AccessClaims, DateTime<Utc>), InvalidAccessToken> {
    let header = StrictHeader::read(token).ok_or(InvalidAccessToken)?;
    if header.typ != TYPE || header.alg != Algorithm::HS256 {
        return Err(InvalidAccessToken);
    }
    let mut ring = keys.access_tokens().iter();
    let key = ring.find(|key| header.kid == key.id()).ok_or(InvalidAccessToken)?;
    let mut validation = Validation::new(Algorithm::HS256);
    validation.set_issuer(&[ISSUER]);
    validation.set_audience(&[AUDIENCE]);
    validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    // Times are checked with the service's clock, not the library's.
    validation.validate_exp = false;
    hs256::install();
    let claims =
        jsonwebtoken::decode::<Claims>(token, &DecodingKey::from_secret(key.secret()), &validation)
            .map_err(|_| InvalidAccessToken)?
            .claims;
    let latest = (now + LEEWAY).timestamp();
    if claims.exp <= now.timestamp() || claims.iat.max(claims.nbf.unwrap_or(i64::MIN)) > latest {
        return Err(InvalidAccessToken);
    }
    let ends = DateTime::from_timestamp(claims.exp, 0).ok_or(InvalidAccessToken)?;
    Ok((AccessClaims { account: claims.sub, session: claims.sid }, ends))
}
