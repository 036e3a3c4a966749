//! The fields of a form that a page has sent.

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use serde::de::DeserializeOwned;

use super::Extracting;
use super::body::read;
use crate::app::problem::{InputFault, Problem, ProblemCode};

/// Largest form, in bytes: a deck list or fifty codes are far smaller.
const MAX_FORM: usize = 256 * 1024;

/// The fields of a form (`application/x-www-form-urlencoded`). Refused: other media types and compressed bodies (415), more than 256 KiB (413), what
/// is no UTF-8, has NUL characters or lacks a field (422). Fields that the page does not know are left out.
pub struct Form<T>(pub T);

impl<T: DeserializeOwned + 'static> FromRequest for Form<T> {
    type Error = Problem;
    type Future = Extracting<Self>;

    fn from_request(req: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let reading = read(req, payload, &["application/x-www-form-urlencoded"], MAX_FORM);
        Box::pin(async move { parse(&reading.await?).map(Self) })
    }
}

fn parse<T: DeserializeOwned>(raw: &[u8]) -> Result<T, Problem> {
    let is_text = percent_encoding::percent_decode(raw).decode_utf8();
    if !is_text.is_ok_and(|text| !text.contains('\0')) {
        return Err(refused("must be UTF-8 without NUL characters"));
    }
    let pairs = serde_urlencoded::Deserializer::new(form_urlencoded::parse(raw));
    T::deserialize(pairs).map_err(|error| refused(&error.to_string()))
}

fn refused(detail: &str) -> Problem {
    Problem::new(ProblemCode::InvalidBody).errors(vec![InputFault::at("", detail)])
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Fields {
        name: String,
        #[serde(default)]
        more: String,
    }

    #[test]
    fn fields_are_decoded_and_unknown_ones_left_out() {
        let Fields { name, more } = parse(b"other=1&name=R%C3%BCbe+%2B+1").ok().unwrap();
        assert_eq!((name.as_str(), more.as_str()), ("R\u{fc}be + 1", ""));
    }

    #[test]
    fn what_is_no_text_or_not_there_is_refused() {
        for raw in [&b"name=%FF"[..], b"name=a%00b", b"more=x", b"name=1&name=2"] {
            let problem = parse::<Fields>(raw).unwrap_err();
            assert_eq!(problem.code(), ProblemCode::InvalidBody, "{raw:?}");
        }
    }
}
