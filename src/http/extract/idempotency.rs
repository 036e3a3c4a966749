//! The `Idempotency-Key` header of POST requests that create something, and the key field in the forms of pages.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use uuid::Uuid;

use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::hex::hex;
use crate::domain::ids::AccountId;
use crate::domain::serials::serial_text::contains_serial;
use crate::http::extract::Body;
use crate::store::operations::idempotency::IdempotencyClaim;

/// The key, if the client sent one: 1 to 255 visible ASCII characters.
pub struct IdempotencyKey(Option<String>);

/// The key as it is stored. Clients may take the serial code as the key of its submission: the database must not have it, so it gets a keyed hash.
fn stored(state: &AppState, key: String) -> String {
    if contains_serial(&key) {
        hex(&state.keys.lookup("idempotency key", &[key.as_bytes()]))
    } else {
        key
    }
}

impl IdempotencyKey {
    /// The claim for the store: the key together with the content of the request.
    pub fn claim<T>(
        self,
        state: &AppState,
        account: AccountId,
        operation: &'static str,
        body: &Body<T>,
    ) -> Option<IdempotencyClaim> {
        self.0.map(|key| IdempotencyClaim {
            account,
            key: stored(state, key),
            operation,
            body_mac: state.keys.lookup("idempotency", &[operation.as_bytes(), &body.raw]),
            at: state.clock.now(),
        })
    }

    /// The claim of an operation on the object in the path: another object means another request.
    pub fn claim_at<T>(
        self,
        state: &AppState,
        account: AccountId,
        operation: &'static str,
        object: Uuid,
        body: &Body<T>,
    ) -> Option<IdempotencyClaim> {
        let parts = [operation.as_bytes(), object.as_bytes(), &body.raw];
        let body_mac = state.keys.lookup("idempotency", &parts);
        Some(IdempotencyClaim { body_mac, ..self.claim(state, account, operation, body)? })
    }
}

/// The key without surrounding spaces. `None`: it is not 1 to 255 visible ASCII characters.
fn read(key: &str) -> Option<String> {
    let key = key.trim();
    let is_key = (1..=255).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
    is_key.then(|| key.to_owned())
}

/// The claim of a form with a key in a hidden field, and with the values of its fields. `None`: the field has no valid key.
pub fn claim_of_form(
    state: &AppState,
    account: AccountId,
    operation: &'static str,
    key: &str,
    fields: &[&str],
) -> Option<IdempotencyClaim> {
    read(key).map(|key| {
        let parts = std::iter::once(operation).chain(fields.iter().copied()).map(str::as_bytes);
        IdempotencyClaim {
            account,
            key: stored(state, key),
            operation,
            body_mac: state.keys.lookup("idempotency", &parts.collect::<Vec<_>>()),
            at: state.clock.now(),
        }
    })
}

impl FromRequest for IdempotencyKey {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        let Some(value) = req.headers().get("idempotency-key") else {
            return ready(Ok(Self(None)));
        };
        ready(match value.to_str().ok().and_then(read) {
            Some(key) => Ok(Self(Some(key))),
            None => Err(Problem::new(ProblemCode::InvalidHeader)
                .detail("Idempotency-Key must be 1 to 255 visible ASCII characters.")),
        })
    }
}
