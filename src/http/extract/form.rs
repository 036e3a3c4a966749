//! The fields of a form that a page has sent.

use actix_web::dev::{Payload, ServiceRequest};
use actix_web::web::Bytes;
use actix_web::{FromRequest, HttpMessage as _, HttpRequest};
use serde::de::DeserializeOwned;

use super::Extracting;
use super::body::{has_media_type, read};
use crate::app::problem::{InputFault, Problem, ProblemCode};

/// Largest form, in bytes: a deck list or fifty codes are far smaller.
const MAX_FORM: usize = 256 * 1024;

const MEDIA_TYPE: &str = "application/x-www-form-urlencoded";

/// A form as it was sent, read before its handler runs and kept with its request: a page about its failure can hold what was typed.
#[derive(Clone)]
pub struct SentForm(Bytes);

impl SentForm {
    /// The form that came with a request; `None`: there was none, or it was not read.
    pub fn of(req: &HttpRequest) -> Option<Self> {
        req.extensions().get::<Self>().cloned()
    }

    /// Reads the form of a request, if it has one. Refused as by [`Form`].
    pub(crate) async fn read_ahead(req: &mut ServiceRequest) -> Result<(), Problem> {
        if has_media_type(req.request(), MEDIA_TYPE) {
            let (request, payload) = req.parts_mut();
            let raw = read(request, payload, &[MEDIA_TYPE], MAX_FORM).await?;
            req.extensions_mut().insert(Self(raw));
        }
        Ok(())
    }

    /// Names and values, in the order in which they were sent.
    pub fn fields(&self) -> impl Iterator<Item = (String, String)> {
        form_urlencoded::parse(&self.0).into_owned()
    }
}

/// The fields of a form (`application/x-www-form-urlencoded`). Refused: other media types and compressed bodies (415), more than 256 KiB (413), what
/// is no UTF-8, has NUL characters or lacks a field (422). Fields that the page does not know are left out.
pub struct Form<T>(pub T);

impl<T: DeserializeOwned + 'static> FromRequest for Form<T> {
    type Error = Problem;
    type Future = Extracting<Self>;

    fn from_request(req: &HttpRequest, payload: &mut Payload) -> Self::Future {
        if let Some(SentForm(raw)) = SentForm::of(req) {
            return Box::pin(async move { parse(&raw).map(Self) });
        }
        // What is left to be said is why there is none.
        let reading = read(req, payload, &[MEDIA_TYPE], MAX_FORM);
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
    Problem::new(ProblemCode::InvalidBody).errors(vec![InputFault::at("", detail.to_owned())])
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
