//! Requests with a deck list: as JSON, or the list itself with what else there is to say as query parameters.

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use cardscape_engine::{TextEncoding, decode_deck_text};
use serde::de::DeserializeOwned;
use utoipa::{IntoParams, ToSchema};

use super::Extracting;
use super::body::{Body, Judge, MAX_BODY, has_media_type, judge_rules, parse, read};
use super::params;
use crate::app::problem::{InputFault, Problem};

/// A request that may come as a list with query parameters.
pub trait ListUpload: Sized {
    /// The parameters.
    type Query: DeserializeOwned + IntoParams + 'static;

    /// The request of a list that was decoded from an encoding. An error when something is missing.
    fn of_list(query: Self::Query, list: String, encoding: TextEncoding) -> Result<Self, Problem>;
}

/// Such a request. As JSON it is like a [`JudgedBody`](super::JudgedBody), and there are no parameters; as `text/plain` its bytes may be in any encoding that
/// lists have.
pub struct ListBody<T> {
    /// What it says.
    pub body: Body<T>,
    is_list: bool,
}

impl<T> ListBody<T> {
    /// The problem of what the request says, in terms of what was sent: what stood in the query is told as such.
    pub fn problem(is_list: bool, problem: Problem) -> Problem {
        if is_list { problem.of_upload() } else { problem }
    }

    /// Whether it came as a list.
    pub fn is_list(&self) -> bool {
        self.is_list
    }
}

/// A request in JSON has no parameters.
fn refuse_parameters<Q: DeserializeOwned + IntoParams + 'static>(
    query: &str,
) -> Result<(), Problem> {
    params::parse::<Q>(query)?;
    if query.is_empty() {
        return Ok(());
    }
    let fault = InputFault::at("", "must be empty: parameters are for a body of text/plain");
    Err(Problem::of_query(vec![fault]))
}

impl<T: DeserializeOwned + ToSchema + Judge + ListUpload + 'static> FromRequest for ListBody<T> {
    type Error = Problem;
    type Future = Extracting<Self>;

    fn from_request(req: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let is_list = has_media_type(req, "text/plain");
        let beside_json = refuse_parameters::<T::Query>(req.query_string());
        let query = is_list.then(|| {
            (params::parse::<T::Query>(req.query_string()), req.query_string().to_owned())
        });
        let reading = read(req, payload, &["application/json", "text/plain"], MAX_BODY);
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
