//! The differences between two revisions, as text for people.

use cardscape_engine::Game;
use serde_json::Value;

use super::words as design_words;
use crate::app::designs::design_revisions::DifferenceResponse;
use crate::web::catalogue::text;
use crate::web::words;

/// A member of a design that differs.
pub(in crate::web) struct ChangeRow {
    pub(in crate::web) member: String,
    pub(in crate::web) before: String,
    pub(in crate::web) after: String,
}

/// The members that differ. A missing value is shown as a dash.
pub(in crate::web) fn change_rows(
    game: Option<&Game>,
    differences: Vec<DifferenceResponse>,
) -> Vec<ChangeRow> {
    let row = |DifferenceResponse { member, before, after }| ChangeRow {
        member: design_words::member(game, &member),
        before: value_text(before.as_ref()),
        after: value_text(after.as_ref()),
    };
    differences.into_iter().map(row).collect()
}

fn value_text(value: Option<&Value>) -> String {
    let shown = match value {
        None => String::new(),
        // Strings are shown as they are written: texts and codes cannot be distinguished, because both may be words in lower case.
        Some(Value::String(written)) => written.clone(),
        Some(Value::Array(items)) => {
            let items: Vec<String> = items.iter().map(|item| value_text(Some(item))).collect();
            items.join("; ")
        }
        Some(Value::Object(members)) => {
            let member = |(name, value): (&String, &Value)| match value_text(Some(value)) {
                value if name == "text" => value,
                value => design_words::labelled(&words::titled(name), &value),
            };
            let members: Vec<String> =
                members.iter().filter(|(_, value)| !value.is_null()).map(member).collect();
            members.join(", ")
        }
        Some(value) => text(None, value).unwrap_or_default(),
    };
    if shown.is_empty() { words::NOTHING.to_owned() } else { shown }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_kind_of_value_has_text() {
        let cases = [
            (json!(null), "–"),
            (json!(-3), "−3"),
            (json!("cc0-1.0"), "cc0-1.0"),
            (json!(["beast", "ghost"]), "beast; ghost"),
            (
                json!([{ "style": "normal", "text": "Draw one card." }]),
                "Style: normal, Draw one card.",
            ),
        ];
        for (value, expected) in cases {
            assert_eq!(value_text(Some(&value)), expected);
        }
        assert_eq!(value_text(None), "–");
    }
}
