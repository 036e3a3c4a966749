//! Query parameters, read strictly: an unknown one, one given twice and a bad value are faults that name the parameter, all of them at once.

use std::borrow::Cow;
use std::collections::HashSet;
use std::future::{Ready, ready};
use std::ops::Deref;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use serde::de::DeserializeOwned;
use utoipa::IntoParams;

use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::http::extract::faults::{Contract, in_words, refusal};

/// The query parameters of a request.
pub struct Params<T>(T);

impl<T> Deref for Params<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: DeserializeOwned + IntoParams + 'static> FromRequest for Params<T> {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(parse(req.query_string()).map(Self))
    }
}

fn parse<T: DeserializeOwned + IntoParams + 'static>(query: &str) -> Result<T, Problem> {
    // The form parser would put U+FFFD in the place of bytes that are no text, and so answer another question.
    let text = percent_encoding::percent_decode_str(query).decode_utf8();
    if text.is_err() {
        let fault = InputFault::at("", "must be UTF-8, percent-encoded");
        return Err(Problem::new(ProblemCode::InvalidQuery).errors(vec![fault]));
    }
    read(query).map_err(|stop| refusal(ProblemCode::InvalidQuery, every_fault::<T>(query, stop)))
}

/// The parameter that a reader stopped at, and why.
struct Stop {
    name: String,
    reason: String,
}

fn read<T: DeserializeOwned>(query: &str) -> Result<T, Stop> {
    let pairs = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query.as_bytes()));
    serde_path_to_error::deserialize(pairs).map_err(|error| Stop {
        name: error.path().to_string(),
        reason: error.into_inner().to_string(),
    })
}

/// What is wrong with a query by the contract, and what else the reader stops at.
fn every_fault<T: DeserializeOwned + IntoParams + 'static>(
    query: &str,
    stop: Stop,
) -> Vec<InputFault> {
    let contract = Contract::of_query::<T>();
    let (mut faulty, mut names, mut faults) = (HashSet::new(), HashSet::new(), Vec::new());
    let mut pairs: Vec<(Cow<'_, str>, Cow<'_, str>)> = Vec::new();
    for (name, text) in form_urlencoded::parse(query.as_bytes()) {
        if names.insert(name.clone()) {
            pairs.push((name, text));
        } else if faulty.insert(name.to_string()) {
            faults.push(InputFault::at(format!("?{name}"), "is given twice"));
        }
    }
    for fault in contract.faults(&contract.document(&pairs)) {
        let name = fault.pointer.trim_start_matches('/').replace("~1", "/").replace("~0", "~");
        if faulty.insert(name.clone()) {
            // All of a query is text.
            let detail = fault.detail.trim_end_matches(", not text");
            faults.push(InputFault::at(format!("?{name}"), detail));
        }
    }
    // Some forms no schema tells: what is left is read again, without what was told.
    loop {
        pairs.retain(|(name, _)| !faulty.contains(name.as_ref()));
        let rest = form_urlencoded::Serializer::new(String::new()).extend_pairs(&pairs).finish();
        match read::<T>(&rest) {
            Err(Stop { name, reason }) if pairs.iter().any(|(known, _)| *known == name) => {
                faults.push(InputFault::at(format!("?{name}"), in_words(&reason)));
                faulty.insert(name);
            }
            _ => break,
        }
    }
    if faults.is_empty() {
        faults.push(InputFault::at("", in_words(&stop.reason)));
    }
    faults
}
