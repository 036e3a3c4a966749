//! Access tokens: JWTs (RFC 7519, RFC 9068) of 15 minutes, HS256 only, with a key id.

use chrono::{DateTime, Duration, Utc};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::keys::KeyRing;
use crate::domain::ids::{AccountId, SessionId};

/// How long an access token is valid.
pub const LIFETIME: Duration = Duration::minutes(15);
const ISSUER: &str = "cardscape";
const AUDIENCE: &str = "cardscape-api";
/// RFC 9068: keeps other tokens signed with the same key from passing as access tokens.
const TYPE: &str = "at+jwt";

/// The token is not one of ours, not an access token, or too old. Deliberately without a reason.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("the access token is not valid")]
pub struct InvalidAccessToken;

/// What an access token says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessClaims {
    /// Whose it is.
    pub account: AccountId,
    /// The session it was issued in.
    pub session: SessionId,
}

#[derive(Serialize, Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    sub: AccountId,
    sid: SessionId,
    iat: i64,
    exp: i64,
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
    };
    jsonwebtoken::encode(&header, &claims, &EncodingKey::from_secret(key.secret()))
        .map_err(|_| InvalidAccessToken)
}

/// Checks signature, algorithm, type, issuer, audience and age of a presented token; what it says, and when it ends.
pub fn verify(
    keys: &KeyRing,
    token: &str,
    now: DateTime<Utc>,
) -> Result<(AccessClaims, DateTime<Utc>), InvalidAccessToken> {
    let header = jsonwebtoken::decode_header(token).map_err(|_| InvalidAccessToken)?;
    if header.typ.as_deref() != Some(TYPE) {
        return Err(InvalidAccessToken);
    }
    let key = keys
        .access_tokens()
        .iter()
        .find(|key| header.kid.as_deref() == Some(key.id()))
        .ok_or(InvalidAccessToken)?;
    let mut validation = Validation::new(Algorithm::HS256);
    validation.set_issuer(&[ISSUER]);
    validation.set_audience(&[AUDIENCE]);
    validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    // The one clock decides about age, not the library's.
    validation.validate_exp = false;
    let claims =
        jsonwebtoken::decode::<Claims>(token, &DecodingKey::from_secret(key.secret()), &validation)
            .map_err(|_| InvalidAccessToken)?
            .claims;
    if claims.exp <= now.timestamp() {
        return Err(InvalidAccessToken);
    }
    let ends = DateTime::from_timestamp(claims.exp, 0).ok_or(InvalidAccessToken)?;
    Ok((AccessClaims { account: claims.sub, session: claims.sid }, ends))
}
