//! Warnings about parts of a query that cannot be used, or that were not tested on all cards or designs.

use std::fmt;

use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use crate::domain::serials::serial_text::serialize_masked;
use crate::search::index::MAX_FACET_VALUES;
use crate::search::{Fault, QueryFault};

/// A warning about a part of a query: it was left out, it can never match anything, or it was not tested on all cards or designs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct QueryWarning {
    /// The parameter other than `q` that the warning is about. In this case `position` and `length` are 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "set")]
    pub parameter: Option<&'static str>,
    /// Position of the term in the query: the number of characters before it.
    #[schema(example = 0)]
    pub position: usize,
    /// Length of the term, in characters.
    #[schema(example = 9)]
    pub length: usize,
    /// The term.
    #[serde(serialize_with = "serialize_masked")]
    #[schema(example = "atack>700")]
    pub term: String,
    /// The reason, for people.
    #[serde(rename = "message")]
    #[schema(value_type = String, example = "there is no field \"atack\"; did you mean attack?")]
    pub reason: WarningReason,
}

/// Why there is a warning. `Display` writes the message for API clients; pages have their own texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WarningReason {
    /// The term cannot be used, or can never match anything.
    Query(QueryFault),
    /// Costly terms were tested on only this number of cards.
    Cut { candidates: u32 },
    /// Costly terms were tested on only this number of designs.
    CutOfDesigns { candidates: u32 },
    /// Costly terms were tested on only some of the cards that the index left, and no page has the others.
    Unfinished,
    /// Costly terms were tested on only some of the cards, and the next page goes on with the others.
    Interrupted {
        /// Whether the list was counted, but not with all cards either.
        partly_counted: bool,
    },
    /// Costly terms were tested on only some of the cards for the total.
    PartlyCounted,
    /// Counting timed out.
    Uncounted,
    /// The cards have so many values of an attribute that it is no facet.
    TooManyValues { attribute: String },
    /// No design of the gallery has this status.
    NotInGallery { status: &'static str },
}

impl fmt::Display for WarningReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Query(fault) => fault.fmt(f),
            Self::Cut { candidates } => write!(
                f,
                "regular expressions and words of attributes were only tried on the first {candidates} cards that all else \
                 leaves, by game, set and number: narrow the list to a set, or with words"
            ),
            Self::CutOfDesigns { candidates } => write!(
                f,
                "regular expressions and words of attributes were only tried on the {candidates} designs that were shared last, of those that all else \
                 leaves: narrow the list with words"
            ),
            Self::Unfinished => f.write_str(
                "regular expressions, phrases or words of attributes were not tried on all cards that all else leaves: narrow the list to a set, \
                 or with words",
            ),
            Self::Interrupted { partly_counted } => write!(
                f,
                "regular expressions, phrases or words of attributes were not tried on all cards yet: next_cursor goes on with the others{}; \
                 a list of one set or with more words needs fewer pages",
                if *partly_counted { ", and the total may be too low" } else { "" }
            ),
            Self::PartlyCounted => f.write_str(
                "regular expressions, phrases or words of attributes were not tried on all cards for the total, so it may be too low: \
                 narrow the list to a set, or with words",
            ),
            Self::Uncounted => {
                f.write_str("counting the list took too long, so there is no total: narrow it")
            }
            Self::TooManyValues { attribute } => write!(
                f,
                "{attribute:?} has too many values to be counted, more than {MAX_FACET_VALUES}: narrow the list to a set, or with words"
            ),
            Self::NotInGallery { status } => write!(
                f,
                "no design of the gallery is {status}, so the list is empty; GET /v1/me/designs lists your own designs"
            ),
        }
    }
}

impl Serialize for WarningReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_masked(&self.to_string(), serializer)
    }
}

impl QueryWarning {
    /// A warning about the whole query.
    pub(crate) fn of_all(text: &str, reason: WarningReason) -> Self {
        let length = text.chars().count();
        Self { parameter: None, position: 0, length, term: text.to_owned(), reason }
    }

    /// The warning about the value of a parameter other than `q`.
    pub(super) fn of_parameter(parameter: &'static str, value: &str, fault: QueryFault) -> Self {
        Self::of_filter(parameter, value, WarningReason::Query(fault))
    }

    /// A warning about the value of a filter that can never match anything.
    pub(crate) fn of_filter(parameter: &'static str, value: &str, reason: WarningReason) -> Self {
        let term = format!("{parameter}={value}");
        Self { parameter: Some(parameter), position: 0, length: 0, term, reason }
    }
}

/// The text in a list of input faults. It contains the position, because an input fault has no member for it.
impl fmt::Display for QueryWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parameter {
            Some(_) => self.reason.fmt(f),
            None => write!(f, "{} (character {})", self.reason, self.position),
        }
    }
}

impl From<Fault> for QueryWarning {
    fn from(Fault { span, term, reason }: Fault) -> Self {
        let reason = WarningReason::Query(reason);
        Self { parameter: None, position: span.position, length: span.length, term, reason }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};

    use super::*;
    use crate::app::problem::InputFault;
    use crate::search::Span;

    /// API clients may compare the messages, so the messages must not change.
    #[test]
    fn messages_for_api_clients_do_not_change() {
        let reason =
            || QueryFault::NoField { name: "atack".to_owned(), near: vec!["attack".to_owned()] };
        let message = "there is no field \"atack\"; did you mean attack?";
        let span = Span { position: 7, length: 9 };
        let warning =
            QueryWarning::from(Fault { span, term: "atack>700".to_owned(), reason: reason() });
        let written =
            json!({ "position": 7, "length": 9, "term": "atack>700", "message": message });
        assert_eq!(to_value(&warning).unwrap(), written);
        assert_eq!(InputFault::at("?q", warning).detail, format!("{message} (character 7)"));
        let warning = QueryWarning::of_parameter("sort", "atack", reason());
        let written = json!({
            "parameter": "sort",
            "position": 0,
            "length": 0,
            "term": "sort=atack",
            "message": message,
        });
        assert_eq!(to_value(&warning).unwrap(), written);
        assert_eq!(InputFault::at("?sort", warning).detail, message);
        for (reason, message) in [
            (
                WarningReason::Cut { candidates: 1_000 },
                "regular expressions and words of attributes were only tried on the first 1000 cards that all else leaves, by game, set and number: narrow the list to a set, or with words",
            ),
            (
                WarningReason::CutOfDesigns { candidates: 1_000 },
                "regular expressions and words of attributes were only tried on the 1000 designs that were shared last, of those that all else leaves: narrow the list with words",
            ),
            (
                WarningReason::Unfinished,
                "regular expressions, phrases or words of attributes were not tried on all cards that all else leaves: narrow the list to a set, or with words",
            ),
            (
                WarningReason::Interrupted { partly_counted: false },
                "regular expressions, phrases or words of attributes were not tried on all cards yet: next_cursor goes on with the others; a list of one set or with more words needs fewer pages",
            ),
            (
                WarningReason::Interrupted { partly_counted: true },
                "regular expressions, phrases or words of attributes were not tried on all cards yet: next_cursor goes on with the others, and the total may be too low; a list of one set or with more words needs fewer pages",
            ),
            (
                WarningReason::PartlyCounted,
                "regular expressions, phrases or words of attributes were not tried on all cards for the total, so it may be too low: narrow the list to a set, or with words",
            ),
            (
                WarningReason::Uncounted,
                "counting the list took too long, so there is no total: narrow it",
            ),
            (
                WarningReason::TooManyValues { attribute: "hp".to_owned() },
                "\"hp\" has too many values to be counted, more than 20000: narrow the list to a set, or with words",
            ),
            (
                WarningReason::NotInGallery { status: "draft" },
                "no design of the gallery is draft, so the list is empty; GET /v1/me/designs lists your own designs",
            ),
        ] {
            let written = json!({ "position": 0, "length": 3, "term": "é x", "message": message });
            assert_eq!(to_value(QueryWarning::of_all("é x", reason)).unwrap(), written);
        }
    }
}
