//! Reads the fields of forms that pages send.

use actix_web::dev::{Payload, ServiceRequest};
use actix_web::web::Bytes;
use actix_web::{FromRequest, HttpMessage as _, HttpRequest};
use serde::de::DeserializeOwned;

use super::Extracting;
use super::body::{has_media_type, read};
use crate::app::decks::list_files::MAX_LIST;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::domain::collection::MAX_PASTED;

/// Largest form, in bytes: fifty codes are far smaller.
const MAX_FORM: usize = 256 * 1024;
/// Largest form with a deck list, in bytes. A character of the list may have four bytes, and each byte may be sent as three characters.
const MAX_LIST_FORM: usize = MAX_FORM + 3 * 4 * MAX_LIST;
/// Largest form with pasted lines of a collection, in bytes. Each byte may be sent as three characters, and a line break as six (`%0D%0A`).
const MAX_PASTED_FORM: usize = MAX_FORM + 6 * MAX_PASTED;

/// The largest form that is received at a path.
fn limit_at(path: &str) -> usize {
    let is_edit = path.starts_with("/decks/") && path.ends_with("/edit");
    if is_edit || matches!(path, "/decks/check" | "/my/decks/new") {
        MAX_LIST_FORM
    } else if path.starts_with("/my/collection/import/") {
        MAX_PASTED_FORM
    } else {
        MAX_FORM
    }
}

const MEDIA_TYPE: &str = "application/x-www-form-urlencoded";

/// A form as it was sent. It is read before the handler runs, and stored with the request, so that a page about a failure can repeat the input.
#[derive(Clone)]
pub struct SentForm(Bytes);

impl SentForm {
    /// The form of a request; `None`: there is none, or it was not read.
    pub fn of(req: &HttpRequest) -> Option<Self> {
        req.extensions().get::<Self>().cloned()
    }

    /// Reads the form of a request, if there is one. Refuses the same as [`Form`].
    pub(crate) async fn read_ahead(req: &mut ServiceRequest) -> Result<(), Problem> {
        if has_media_type(req.request(), MEDIA_TYPE) {
            let most = limit_at(req.path());
            let (request, payload) = req.parts_mut();
            let raw = read(request, payload, &[MEDIA_TYPE], most).await?;
            req.extensions_mut().insert(Self(raw));
        }
        Ok(())
    }

    /// Names and values, in the order in which they were sent.
    pub fn fields(&self) -> impl Iterator<Item = (String, String)> {
        form_urlencoded::parse(&self.0).into_owned()
    }
}

/// The fields of a form (`application/x-www-form-urlencoded`). Refused: other media types and compressed bodies (415), more than 256 KiB, or with a deck list or pasted lines of a collection more than 2 MB (413), text that is
/// not UTF-8, NUL characters, and missing fields (422). Unknown fields are ignored.
pub struct Form<T>(pub T);

impl<T: DeserializeOwned + 'static> FromRequest for Form<T> {
    type Error = Problem;
    type Future = Extracting<Self>;

    fn from_request(req: &HttpRequest, payload: &mut Payload) -> Self::Future {
        if let Some(SentForm(raw)) = SentForm::of(req) {
            return Box::pin(async move { parse(&raw).map(Self) });
        }
        // The form was not read ahead, so this returns the reason.
        let reading = read(req, payload, &[MEDIA_TYPE], limit_at(req.path()));
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
    fn forms_with_deck_lists_may_be_longer() {
        let longest = "😀".repeat(MAX_LIST);
        let sent =
            form_urlencoded::Serializer::new(String::new()).append_pair("list", &longest).finish();
        for path in
            ["/decks/check", "/my/decks/new", "/decks/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11/edit"]
        {
            assert!((MAX_FORM..limit_at(path)).contains(&sent.len()), "{path}");
        }
        for path in ["/login", "/decks", "/my/decks/new/file", "/edit"] {
            assert_eq!(limit_at(path), MAX_FORM);
        }
    }

    #[test]
    fn forms_with_pasted_lines_may_be_longer() {
        let paths = ["01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11", "edit"];
        for longest in ["\r\n".repeat(MAX_PASTED), "ü".repeat(MAX_PASTED / 2)] {
            let mut sent = form_urlencoded::Serializer::new(String::new());
            let sent = sent.append_pair("pasted", &longest).finish();
            for path in paths.map(|last| format!("/my/collection/import/{last}")) {
                assert!((MAX_FORM..limit_at(&path)).contains(&sent.len()), "{path}");
            }
        }
        assert_eq!(limit_at("/my/collection/import"), MAX_FORM);
    }

    #[test]
    fn invalid_text_and_missing_fields_are_refused() {
        for raw in [&b"name=%FF"[..], b"name=a%00b", b"more=x", b"name=1&name=2"] {
            let problem = parse::<Fields>(raw).unwrap_err();
            assert_eq!(problem.code(), ProblemCode::InvalidBody, "{raw:?}");
        }
    }
}
