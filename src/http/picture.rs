//! Pictures as responses.

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};

use crate::memory::rendered::Rendered;

/// The policy of a picture that is opened on its own page: it may run no script and load nothing but data URLs.
const POLICY: &str = "default-src 'none'; img-src data:; sandbox";

/// A picture as a response, with a policy that prevents scripts when it is opened on its own page.
pub fn picture_answer(req: &HttpRequest, picture: &Rendered) -> HttpResponse {
    let mut answer = picture.answer(req);
    answer.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    answer
}
