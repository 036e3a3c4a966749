//! Requests with a deck list: as JSON, or as the list itself with all other values in query parameters.

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use cardscape_engine::{TextEncoding, decode_deck_text};
use serde::de::DeserializeOwned;
use utoipa::{IntoParams, ToSchema};

use super::Extracting;
use super::body::{Body, Judge, MAX_BODY, has_media_type, judge_rules, parse, read};
use super::params;
use crate::app::problem::{InputFault, Problem};

/// The media types of a list as a body. Its dialect and its encoding are recognised from the bytes: `charset` is often wrong.
const LIST_TYPES: [&str; 4] =
    ["text/plain", "text/csv", "text/tab-separated-values", "application/octet-stream"];
/// All media types of a request.
const MEDIA_TYPES: [&str; 5] =
    ["application/json", LIST_TYPES[0], LIST_TYPES[1], LIST_TYPES[2], LIST_TYPES[3]];

/// A request that may be sent as a plain list with query parameters.
pub trait ListUpload: Sized {
    /// The parameters.
    type Query: DeserializeOwned + IntoParams + 'static;

    /// Builds the request from a list that was decoded from an encoding. Fails if something is missing.
    fn of_list(query: Self::Query, list: String, encoding: TextEncoding) -> Result<Self, Problem>;
}

/// Such a request. As JSON it is like a [`JudgedBody`](super::JudgedBody), and has no parameters; as a list its bytes may be in any encoding of deck
/// lists.
pub struct ListBody<T> {
    /// The request.
    pub body: Body<T>,
    is_list: bool,
}

impl<T> ListBody<T> {
    /// Adapts a problem to the form of the request: faults of values from the query are reported as faults of the query.
    pub fn problem(is_list: bool, problem: Problem) -> Problem {
        if is_list { problem.of_upload() } else { problem }
    }

    /// Whether it was sent as a plain list.
    pub fn is_list(&self) -> bool {
        self.is_list
    }
}

/// Refuses query parameters of a request in JSON.
fn refuse_parameters<Q: DeserializeOwned + IntoParams + 'static>(
    query: &str,
) -> Result<(), Problem> {
    params::parse::<Q>(query)?;
    if query.is_empty() {
        return Ok(());
    }
    let fault = InputFault::at("", "must be empty: parameters are for a list as the body");
    Err(Problem::of_query(vec![fault]))
}

impl<T: DeserializeOwned + ToSchema + Judge + ListUpload + 'static> FromRequest for ListBody<T> {
    type Error = Problem;
    type Future = Extracting<Self>;

    fn from_request(req: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let is_list = LIST_TYPES.iter().any(|media_type| has_media_type(req, media_type));
        let beside_json = refuse_parameters::<T::Query>(req.query_string());
        let query = is_list.then(|| {
            (params::parse::<T::Query>(req.query_string()), req.query_string().to_owned())
        });
        let reading = read(req, payload, &MEDIA_TYPES, MAX_BODY);
        Box::pin(async move {
            let raw = reading.await?;
            let Some((query, written)) = query else {
                beside_json?;
                return Ok(Self {
                    body: Body { value: parse::<T, T>(&raw, judge_rules)?, raw },
                    is_list,
                });
            };
            let (list, encoding) = decode_deck_text(&raw);
            let value = T::of_list(query?, list.into_owned(), encoding)?;
            Ok(Self { body: Body { value, raw }.sent_to(&written), is_list })
        })
    }
}
