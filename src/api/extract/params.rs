//! Query parameters, read strictly: an unknown one, one given twice and a bad value are faults that name the parameter.

use std::future::{Ready, ready};
use std::ops::Deref;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use serde::de::DeserializeOwned;

use crate::api::problem::{InputFault, Problem, ProblemCode};

/// The query parameters of a request.
pub struct Params<T>(T);

impl<T> Deref for Params<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: DeserializeOwned> FromRequest for Params<T> {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(parse(req.query_string()).map(Self))
    }
}

fn parse<T: DeserializeOwned>(query: &str) -> Result<T, Problem> {
    // The form parser would put U+FFFD in the place of bytes that are no text, and so answer another question.
    let text = percent_encoding::percent_decode_str(query).decode_utf8();
    if text.is_err() {
        let fault = InputFault::at("", "must be UTF-8, percent-encoded");
        return Err(Problem::new(ProblemCode::InvalidQuery).errors(vec![fault]));
    }
    let pairs = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query.as_bytes()));
    serde_path_to_error::deserialize(pairs).map_err(|error| {
        let path = error.path().to_string();
        let pointer = if path == "." { String::new() } else { format!("?{path}") };
        let fault = InputFault::at(pointer, error.into_inner());
        Problem::new(ProblemCode::InvalidQuery).errors(vec![fault])
    })
}
