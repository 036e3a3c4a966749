//! Forms that are shown again with their faults: each fault is beside its field, and all faults are listed above the form.

use actix_web::HttpResponse;
use actix_web::http::header;
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::fault_words;
use super::headers::protected;
use super::page::HTML;
use super::page_status::PageStatus;
use super::words;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::problem_cause::ProblemCause;
use crate::http::extract::LostPart;

/// The faults of a form that was sent. Each fault names the `id` of its field, or none if it is about the whole form.
#[derive(Debug, Default)]
pub(super) struct Faults(Vec<Fault>);

#[derive(Debug)]
pub(super) struct Fault {
    /// The `id` of the field; empty: the fault is about the whole form.
    pub(super) field: &'static str,
    pub(super) text: String,
}

impl Faults {
    /// No faults: the form is shown for the first time.
    pub(super) const fn none() -> Self {
        Self(Vec::new())
    }

    /// One fault of a field or, with an empty name, of the whole form.
    pub(super) fn one(field: &'static str, text: impl Into<String>) -> Self {
        Self(vec![Fault { field, text: text.into() }])
    }

    /// Adds a fault.
    pub(super) fn add(&mut self, field: &'static str, text: impl Into<String>) {
        self.0.push(Fault { field, text: text.into() });
    }

    /// Puts a label before the text of each of the first faults, in their order; `None`: the text stays.
    pub(super) fn label(&mut self, labels: impl IntoIterator<Item = Option<String>>) {
        for (fault, label) in self.0.iter_mut().zip(labels) {
            if let Some(label) = label {
                fault.text = format!("{label}: {}", fault.text);
            }
        }
    }

    /// These faults, followed by others.
    pub(super) fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Adds a fault about a file that was not received.
    pub(super) fn add_lost(&mut self, lost: LostPart) {
        match lost {
            LostPart::Nothing => {}
            LostPart::File => self.add("file", words::FILE_NOT_KEPT),
            LostPart::Text => self.add("", words::TEXT_NOT_KEPT),
        }
    }

    /// All faults, in the order of the fields.
    pub(super) fn all(&self) -> &[Fault] {
        &self.0
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The fault of a field.
    pub(super) fn of(&self, field: &str) -> Option<&str> {
        self.0.iter().find(|fault| fault.field == field).map(|fault| fault.text.as_str())
    }

    /// The faults of a problem, by the fields that its pointers name: `fields` has pairs of a pointer and the `id` of its field. `None`: the problem is not
    /// about the form and is shown on a page of its own.
    pub(super) fn of_problem(
        problem: &Problem,
        fields: &[(&str, &'static str)],
        message_of: impl Fn(ProblemCode) -> Option<&'static str>,
    ) -> Option<Self> {
        if problem.code().status() >= 500 {
            return None;
        }
        let mut faults = Self::none();
        for fault in problem.faults() {
            let field = fields.iter().find(|(pointer, _)| *pointer == fault.pointer);
            faults.add(field.map_or("", |(_, id)| *id), fault_words::reason(&fault.reason));
        }
        if faults.is_empty() {
            let message = message_of(problem.code())?;
            match problem.cause() {
                // The code alone would say that too many codes were wrong.
                Some(cause) if *cause == ProblemCause::AttemptsInFlight => {
                    faults.add("", fault_words::cause(cause));
                }
                _ => faults.add("", message),
            }
        }
        if let Some(seconds) = problem.seconds_to_wait() {
            faults.add("", words::try_again_in(seconds));
        }
        Some(faults)
    }
}

/// One of several choices.
pub(super) struct Choice {
    /// The value that is sent, or the path of the link.
    pub(super) value: String,
    /// The label.
    pub(super) name: String,
    pub(super) is_chosen: bool,
}

impl Choice {
    /// A choice, which is selected if its value is `chosen`. The comparison ignores case: no two values differ only in case.
    pub(super) fn new(value: &str, name: impl Into<String>, chosen: &str) -> Self {
        let is_chosen = value.eq_ignore_ascii_case(chosen);
        Self { value: value.to_owned(), name: name.into(), is_chosen }
    }
}

/// The fields of a form in which a name may occur several times, for example checkboxes.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(super) struct Fields(Vec<(String, String)>);

impl Fields {
    /// The first value of a name; empty if there is none.
    pub(super) fn one<'a>(&'a self, name: &'a str) -> &'a str {
        self.all(name).next().unwrap_or_default()
    }

    /// All values of a name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(field, _)| field == name).map(|(_, value)| value.as_str())
    }
}

/// The idempotency key of a form on a page with this status; `sent`: the key of the form that the page answers. While the first request is still in progress, the
/// form keeps its key, so that sending it again repeats that request. In all other cases the refused request had no effect, and the next form that is sent is a
/// new request. Whoever shows a form again has its status, so the functions that show forms also choose their keys.
pub(super) fn next_key(status: PageStatus, sent: &str) -> String {
    if status.is_running() { sent.to_owned() } else { new_key() }
}

/// A text that was typed and not stored, for the page that shows it to be copied (`written.html`); none, if nothing was typed.
pub(super) fn not_empty(text: &str) -> Vec<String> {
    Some(text).filter(|text| !text.trim().is_empty()).map(str::to_owned).into_iter().collect()
}

/// The idempotency key of a form that was not sent yet.
pub(super) fn new_key() -> String {
    Uuid::now_v7().to_string()
}

/// A page with a secret that is shown once. It is not compressed: the compressed size of a secret together with input of others would reveal parts of the
/// secret (BREACH).
pub(super) fn secret(status: PageStatus, page: &impl Template) -> Result<HttpResponse, Problem> {
    let mut answer = private(status, page)?;
    answer
        .headers_mut()
        .insert(header::CONTENT_ENCODING, header::HeaderValue::from_static("identity"));
    Ok(answer)
}

/// A page that must not be cached: it contains data of an account, or the input of a request.
pub(super) fn private(status: PageStatus, page: &impl Template) -> Result<HttpResponse, Problem> {
    let html = page.render().map_err(Problem::internal)?;
    Ok(protected(
        status
            .response()
            .insert_header((header::CACHE_CONTROL, "private, no-store"))
            .content_type(HTML)
            .body(html),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_keeps_its_key_only_while_its_request_runs() {
        let running = PageStatus::of(&Problem::new(ProblemCode::IdempotencyInProgress));
        assert_eq!(next_key(running, "k"), "k");
        let others = [ProblemCode::IdempotencyKeyReused, ProblemCode::Gone];
        let others = others.map(|code| PageStatus::of(&Problem::new(code)));
        for status in others.into_iter().chain([PageStatus::OK, PageStatus::CONFLICT]) {
            let (one, two) = (next_key(status, "k"), next_key(status, "k"));
            assert!(one != "k" && one != two, "{status:?}: {one} {two}");
        }
    }

    #[test]
    fn attempts_in_flight_are_not_called_wrong_codes() {
        let used_up = Problem::new(ProblemCode::SerialAttemptsUsedUp);
        let texts = |problem: &Problem| -> Vec<String> {
            let faults = Faults::of_problem(problem, &[], |_| Some("Too many codes were wrong."));
            faults.unwrap().all().iter().map(|fault| fault.text.clone()).collect()
        };
        assert_eq!(texts(&used_up), ["Too many codes were wrong."]);
        let in_flight = used_up.because(ProblemCause::AttemptsInFlight).retry_after(2);
        let in_flight = texts(&in_flight);
        assert!(in_flight[0].contains("still being checked"), "{in_flight:?}");
        assert_eq!(in_flight[1..], [words::try_again_in(2)]);
    }
}
