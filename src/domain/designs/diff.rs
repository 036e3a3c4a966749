//! The differences between two revisions of a design.

use serde_json::Value;

use crate::domain::pointer::push_token;

/// A member that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// JSON pointer (RFC 6901) into the design; effects and printings are identified by their index.
    pub member: String,
    /// The earlier value; `None`: there was none.
    pub before: Option<Value>,
    /// The later value; `None`: there is none.
    pub after: Option<Value>,
}

/// Every member that differs between two documents, in the order of the pointers. Objects, and lists of the same number of objects, are compared member by member;
/// other lists differ as a whole.
///
/// ```
/// use cardscape::domain::designs::diff::differences;
/// use serde_json::json;
/// let found = differences(&json!({ "name": "Owl", "rank": 1 }), &json!({ "name": "Old Owl", "rank": 1 }));
/// assert_eq!(found[0].member, "/name");
/// assert_eq!(found.len(), 1);
/// ```
pub fn differences(before: &Value, after: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(String::new(), Some(before), Some(after), &mut found);
    found
}

fn compare(
    member: String,
    before: Option<&Value>,
    after: Option<&Value>,
    found: &mut Vec<Difference>,
) {
    match (before, after) {
        (before, after) if before == after => {}
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let gone = old.keys().filter(|name| !new.contains_key(*name));
            let mut names: Vec<&String> = new.keys().chain(gone).collect();
            names.sort_unstable();
            for name in names {
                let mut pointer = member.clone();
                push_token(&mut pointer, name);
                compare(pointer, old.get(name), new.get(name), found);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new)))
            if old.len() == new.len() && old.iter().chain(new).all(Value::is_object) =>
        {
            for (at, (old, new)) in old.iter().zip(new).enumerate() {
                compare(format!("{member}/{at}"), Some(old), Some(new), found);
            }
        }
        _ => found.push(Difference { member, before: before.cloned(), after: after.cloned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_difference_has_the_pointer_of_its_member() {
        let before = json!({ "name": "Owl", "attributes": { "rank": 1, "a/b": 2 }, "effects": [{ "text": "Draw." }], "lore": "x", "tags": [1, 2] });
        let after = json!({ "name": "Owl", "attributes": { "rank": 2, "a/b": 3 }, "effects": [{ "text": "Rest." }], "flavour": "y", "tags": [1, 3] });
        let found = differences(&before, &after);
        let changes: Vec<(&str, bool, bool)> = found
            .iter()
            .map(|found| (found.member.as_str(), found.before.is_some(), found.after.is_some()))
            .collect();
        assert_eq!(
            changes,
            [
                ("/attributes/a~1b", true, true),
                ("/attributes/rank", true, true),
                ("/effects/0/text", true, true),
                ("/flavour", false, true),
                ("/lore", true, false),
                ("/tags", true, true),
            ]
        );
        assert_eq!(differences(&before, &before), []);
        let more = json!({ "effects": [{ "text": "Draw." }, { "text": "Rest." }] });
        assert_eq!(
            differences(&json!({ "effects": [{ "text": "Draw." }] }), &more)[0].member,
            "/effects"
        );
    }
}
