//! What differs between two revisions, as people read it.

use cardscape_engine::Game;
use serde_json::Value;

use super::words as design_words;
use crate::app::designs::design_revisions::DifferenceResponse;
use crate::web::catalogue::text;
use crate::web::words;

/// A part of a design that differs.
pub(super) struct ChangeRow {
    pub(super) member: String,
    pub(super) before: String,
    pub(super) after: String,
}

/// The parts that differ. A missing value is a dash.
pub(super) fn change_rows(
    game: Option<&Game>,
    differences: Vec<DifferenceResponse>,
) -> Vec<ChangeRow> {
    let row = |DifferenceResponse { member, before, after }| ChangeRow {
        member: design_words::member(game, &member),
        before: told(before.as_ref()),
        after: told(after.as_ref()),
    };
    differences.into_iter().map(row).collect()
}

fn told(value: Option<&Value>) -> String {
    let told = match value {
        None => String::new(),
        // Texts stand as they were written: codes are words in small letters, too.
        Some(Value::String(written)) => written.clone(),
        Some(Value::Array(items)) => {
            let items: Vec<String> = items.iter().map(|item| told(Some(item))).collect();
            items.join("; ")
        }
        Some(Value::Object(members)) => {
            let member = |(name, value): (&String, &Value)| match told(Some(value)) {
                value if name == "text" => value,
                value => design_words::labelled(&words::titled(name), &value),
            };
            let members: Vec<String> =
                members.iter().filter(|(_, value)| !value.is_null()).map(member).collect();
            members.join(", ")
        }
        Some(value) => text(None, value).unwrap_or_default(),
    };
    if told.is_empty() { words::NOTHING.to_owned() } else { told }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_kind_of_value_is_told() {
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
            assert_eq!(told(Some(&value)), expected);
        }
        assert_eq!(told(None), "–");
    }
}
