//! The format of log lines, which contain the id of the request that they are about.

use std::fmt;

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::format::{DefaultFields, Format, Json, Writer};
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use crate::http::middleware::observe;
use crate::http::middleware::request::RequestId;

/// The fields of a text line, and the request's id.
pub(super) struct TextFields(DefaultFields);

impl TextFields {
    pub(super) fn new() -> Self {
        Self(DefaultFields::new())
    }
}

impl<'writer> FormatFields<'writer> for TextFields {
    fn format_fields<R: RecordFields>(&self, mut line: Writer<'writer>, fields: R) -> fmt::Result {
        self.0.format_fields(line.by_ref(), fields)?;
        match RequestId::current() {
            Some(id) => write!(line, " request_id={id}"),
            None => Ok(()),
        }
    }
}

/// JSON lines. A log event during a request names it in the span `request`.
pub(super) struct JsonLines(Format<Json>);

impl JsonLines {
    pub(super) fn new() -> Self {
        let format = tracing_subscriber::fmt::format().json();
        Self(format.flatten_event(true).with_current_span(false).with_span_list(false))
    }
}

impl<S, N> FormatEvent<S, N> for JsonLines
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
    N: for<'writer> FormatFields<'writer> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut line: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        // The line for each response is written without the serializer, which would cost as much as all the rest.
        if event.metadata().target() == observe::TARGET {
            return write_answered(&mut line, event);
        }
        let Some(id) = RequestId::current() else {
            return self.0.format_event(context, line, event);
        };
        let mut object = String::new();
        self.0.format_event(context, Writer::new(&mut object), event)?;
        let members = object.trim_end().strip_suffix('}').ok_or(fmt::Error)?;
        writeln!(line, r#"{members},"span":{{"request_id":"{id}","name":"request"}}}}"#)
    }
}

/// Writes the line for a response, with its members in the same order as other lines: time, level, fields, target.
fn write_answered(line: &mut Writer<'_>, event: &Event<'_>) -> fmt::Result {
    line.write_str(r#"{"timestamp":""#)?;
    SystemTime.format_time(line)?;
    write!(line, r#"","level":"{}""#, event.metadata().level())?;
    let mut members = Members { line, result: Ok(()) };
    event.record(&mut members);
    members.result?;
    writeln!(line, r#","target":"{}"}}"#, event.metadata().target())
}

/// Writes fields as further members of a JSON object.
struct Members<'a, 'writer> {
    line: &'a mut Writer<'writer>,
    result: fmt::Result,
}

impl Members<'_, '_> {
    fn add(&mut self, field: &Field, value: impl fmt::Display) {
        let added = write!(self.line, r#","{}":{value}"#, field.name());
        self.result = self.result.and(added);
    }
}

impl Visit for Members<'_, '_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        let plain = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
        if value.bytes().all(plain) {
            self.add(field, format_args!("\"{value}\""));
        } else {
            self.add(field, serde_json::Value::from(value));
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use serde_json::{Value, json};
    use tracing_subscriber::fmt::MakeWriter;

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, line: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(line);
            Ok(line.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl MakeWriter<'_> for Lines {
        type Writer = Self;

        fn make_writer(&self) -> Self {
            self.clone()
        }
    }

    impl Lines {
        fn text(&self) -> String {
            String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap()
        }

        /// The member names of the only line in order, and the line without the time.
        fn object(&self) -> (Vec<String>, Value) {
            let text = self.text();
            let mut object: Value = serde_json::from_str(text.trim_end()).unwrap();
            let time = object.as_object_mut().unwrap().remove("timestamp").unwrap();
            assert!(chrono::DateTime::parse_from_rfc3339(time.as_str().unwrap()).is_ok(), "{time}");
            let mut names: Vec<String> = object.as_object().unwrap().keys().cloned().collect();
            names.sort_by_key(|name| text.find(&format!("\"{name}\":")));
            (names, object)
        }
    }

    #[tokio::test]
    async fn json_lines_name_their_request() {
        let lines = Lines::default();
        let builder = tracing_subscriber::fmt().json().event_format(JsonLines::new());
        let _guard = tracing::subscriber::set_default(builder.with_writer(lines.clone()).finish());
        tracing::warn!(number = 7, "alone");
        let alone =
            json!({ "level": "WARN", "message": "alone", "number": 7, "target": module_path!() });
        assert_eq!(lines.object().1, alone);
        let id = RequestId::generate();
        id.scope(async { tracing::warn!(number = 7, "alone") }).await;
        let mut named = alone;
        named["span"] = json!({ "request_id": id.as_str(), "name": "request" });
        assert_eq!(lines.object().1, named);
    }

    #[test]
    fn the_line_for_a_response_is_json_for_any_path() {
        let lines = Lines::default();
        let builder = tracing_subscriber::fmt().json().event_format(JsonLines::new());
        let _guard = tracing::subscriber::set_default(builder.with_writer(lines.clone()).finish());
        for path in ["/v1/cards", "/\"\\\n\u{7f}é", ""] {
            tracing::info!(target: observe::TARGET, request_id = "x", method = "GET", path, status = 200_u16, milliseconds = 3_u64, "answered");
            let (names, object) = lines.object();
            let wanted = json!({
                "level": "INFO", "message": "answered", "request_id": "x", "method": "GET", "path": path, "status": 200, "milliseconds": 3,
                "target": observe::TARGET,
            });
            assert_eq!(object, wanted);
            let order = [
                "level",
                "message",
                "request_id",
                "method",
                "path",
                "status",
                "milliseconds",
                "target",
            ];
            assert_eq!(names, order);
        }
    }

    #[tokio::test]
    async fn text_lines_name_their_request() {
        let lines = Lines::default();
        let builder = tracing_subscriber::fmt().with_ansi(false).fmt_fields(TextFields::new());
        let _guard = tracing::subscriber::set_default(builder.with_writer(lines.clone()).finish());
        let id = RequestId::generate();
        id.scope(async { tracing::warn!(number = 7, "slow") }).await;
        assert!(lines.text().ends_with(&format!("slow number=7 request_id={id}\n")));
        tracing::warn!("alone");
        assert!(lines.text().ends_with("alone\n"));
    }
}
