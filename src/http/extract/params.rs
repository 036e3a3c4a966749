//! Query parameters, read strictly: an unknown one, one given twice and a bad value are faults that name the parameter, all of them at once.

use std::borrow::Cow;
use std::collections::HashSet;
use std::future::{Ready, ready};
use std::ops::Deref;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use serde::de::DeserializeOwned;
use utoipa::IntoParams;

use super::faults::{Contract, in_words, refusal};
use crate::app::page::Cursor;
use crate::app::problem::{InputFault, NOT_OF_THIS_LIST, Problem, ProblemCode};

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

/// The query parameters of a request of which some may have faults: what the handler finds wrong with the others is told together with these.
pub struct LooseParams<T> {
    /// What could be read; a parameter with a fault is absent.
    read: T,
    faults: Vec<InputFault>,
}

impl<T> LooseParams<T> {
    /// The parameters and what a check makes of them; every fault at once, of the reading and of the check.
    pub async fn checked<R>(
        self,
        check: impl AsyncFnOnce(&T) -> Result<R, Problem>,
    ) -> Result<(T, R), Problem> {
        let Self { read, faults } = self;
        match check(&read).await {
            Ok(result) if faults.is_empty() => Ok((read, result)),
            Err(problem) if faults.is_empty() => Err(problem),
            Ok(_) => Err(refusal(ProblemCode::InvalidQuery, faults)),
            // What is said of all parameters together may be wrong where one is taken for absent.
            Err(problem) => Err(Problem::of_query(faults).and(problem.without_whole())),
        }
    }
}

impl<T> LooseParams<T> {
    /// The parameters, for a use case that checks them by itself: its check is only asked where reading found faults, so that those of both are told.
    pub async fn sound(
        self,
        check: impl AsyncFnOnce(&T) -> Result<(), Problem>,
    ) -> Result<T, Problem> {
        if self.faults.is_empty() {
            return Ok(self.read);
        }
        self.checked(check).await.map(|(read, ())| read)
    }
}

impl<T: DeserializeOwned + IntoParams + 'static> FromRequest for LooseParams<T> {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        let query = req.query_string();
        ready(demand_text(query).and_then(|()| match read(query) {
            Ok(read) => Ok(Self { read, faults: Vec::new() }),
            Err(stop) => {
                let (faults, read) = every_fault::<T>(query, stop);
                match read {
                    Some(read) => Ok(Self { read, faults }),
                    None => Err(refusal(ProblemCode::InvalidQuery, faults)),
                }
            }
        }))
    }
}

pub(super) fn parse<T: DeserializeOwned + IntoParams + 'static>(query: &str) -> Result<T, Problem> {
    demand_text(query)?;
    read(query).map_err(|stop| {
        let (faults, _) = every_fault::<T>(query, stop);
        refusal(ProblemCode::InvalidQuery, faults)
    })
}

fn demand_text(query: &str) -> Result<(), Problem> {
    // The form parser would put U+FFFD in the place of bytes that are no text, and so answer another question.
    let text = percent_encoding::percent_decode_str(query).decode_utf8();
    if text.is_err() {
        let fault = InputFault::at("", "must be UTF-8, percent-encoded");
        return Err(Problem::of_query(vec![fault]));
    }
    Ok(())
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

/// What is wrong with a query by the contract, and what else the reader stops at; and what is left, if that is enough.
fn every_fault<T: DeserializeOwned + IntoParams + 'static>(
    query: &str,
    stop: Stop,
) -> (Vec<InputFault>, Option<T>) {
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
            let detail = fault.detail.trim_end_matches(", not text").to_owned();
            faults.push(InputFault::at(format!("?{name}"), detail));
        }
    }
    let is_damaged = |(name, text): &&(Cow<'_, str>, Cow<'_, str>)| {
        name == "cursor" && contract.knows(name) && !Cursor::may_be(text)
    };
    if pairs.iter().any(|pair| is_damaged(&pair)) && faulty.insert("cursor".to_owned()) {
        faults.push(InputFault::at("?cursor", NOT_OF_THIS_LIST));
    }
    // Some forms no schema tells: what is left is read again, without what was told.
    let left = loop {
        pairs.retain(|(name, _)| !faulty.contains(name.as_ref()));
        let rest = form_urlencoded::Serializer::new(String::new()).extend_pairs(&pairs).finish();
        match read::<T>(&rest) {
            Err(Stop { name, reason }) if pairs.iter().any(|(known, _)| *known == name) => {
                faults.push(InputFault::at(format!("?{name}"), in_words(&reason)));
                faulty.insert(name);
            }
            left => break left.ok(),
        }
    };
    if faults.is_empty() {
        faults.push(InputFault::at("", in_words(&stop.reason)));
    }
    (faults, left)
}
