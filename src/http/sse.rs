//! Server-sent events (HTML standard, section 9.2), for both streams.

use std::convert::Infallible;
use std::fmt::Write as _;

use actix_web::http::header::{self, HeaderValue};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};
use futures_util::Stream;
use serde::Serialize;

use crate::app::problem::{Problem, ProblemCode};

/// Sent at once, so that the client knows that it is connected. `reached`: see [`alive`].
pub fn hello(reached: i64) -> Bytes {
    comment("connected", reached)
}

/// Sent regularly on a silent stream, so that no proxy closes it. `reached`: the number up to which the client has
/// received every event of the stream. It is a later one than that of the last event if there were only events that
/// this stream leaves out; from the last event, a client that reconnects could not continue once those are deleted.
pub fn alive(reached: i64) -> Bytes {
    comment("still here", reached)
}

/// Without data, a block is no event, but clients that reconnect send its id.
fn comment(text: &str, id: i64) -> Bytes {
    format!(": {text}\nid: {id}\n\n").into()
}

/// Appends an event. `id`: its number; `None`: a client must not resume after this event.
pub fn write_event(text: &mut String, id: Option<i64>, kind: &str, data: &impl Serialize) {
    if let Some(id) = id {
        let _ = writeln!(text, "id: {id}");
    }
    let data = serde_json::to_string(data).unwrap_or_default();
    let _ = write!(text, "event: {kind}\ndata: {data}\n\n");
}

/// The streaming response.
pub fn respond(stream: impl Stream<Item = Bytes> + 'static) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    response.content_type("text/event-stream").insert_header((header::CACHE_CONTROL, "no-store"));
    // Compression would delay events; so would a proxy's buffer.
    response.insert_header((header::CONTENT_ENCODING, HeaderValue::from_static("identity")));
    response.insert_header(("x-accel-buffering", "no"));
    response.streaming(futures_util::StreamExt::map(stream, Ok::<_, Infallible>))
}

/// The id of the last event that a reconnecting client received.
pub fn last_event_id(req: &HttpRequest) -> Result<Option<u64>, Problem> {
    let Some(value) = req.headers().get("last-event-id") else { return Ok(None) };
    let id = value.to_str().ok().and_then(|text| text.trim().parse().ok());
    id.map(Some).ok_or_else(|| {
        Problem::new(ProblemCode::InvalidHeader)
            .detail("Last-Event-ID must be the number of an event.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_has_the_number_that_was_reached_and_no_data() {
        assert_eq!(hello(0), ": connected\nid: 0\n\n");
        assert_eq!(alive(7), ": still here\nid: 7\n\n");
    }

    #[test]
    fn events_with_and_without_a_number() {
        let mut text = String::new();
        write_event(&mut text, Some(7), "card.added", &["a\nb"]);
        write_event(&mut text, None, "end", &());
        assert_eq!(
            text,
            "id: 7\nevent: card.added\ndata: [\"a\\nb\"]\n\nevent: end\ndata: null\n\n"
        );
    }
}
