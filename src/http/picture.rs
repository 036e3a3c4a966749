//! Pictures as answers.

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};

use crate::memory::rendered::Rendered;

/// What a picture may do when somebody opens it by itself: nothing, not even run in the name of this service.
const POLICY: &str = "default-src 'none'; img-src data:; sandbox";

/// A picture as an answer, which does nothing when somebody opens it by itself.
pub fn picture_answer(req: &HttpRequest, picture: &Rendered) -> HttpResponse {
    let mut answer = picture.answer(req);
    answer.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    answer
}
