//! Suggested changes: the content that another player suggests for a design, and how it is merged with later changes by the author.

use serde_json::{Map, Value};

use crate::domain::pointer::push_token;

/// Most characters of the message of a suggestion.
pub const MAX_MESSAGE: usize = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuggestionState {
    /// The author of the design has not answered.
    Open,
    /// The suggestion became a revision.
    Taken,
    /// The author of the design declined it.
    Declined,
    /// The player who made it withdrew it.
    Withdrawn,
}

impl SuggestionState {
    /// All values.
    pub const ALL: [Self; 4] = [Self::Open, Self::Taken, Self::Declined, Self::Withdrawn];

    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Taken => "taken",
            Self::Declined => "declined",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// The state with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// Applies the changes between `base` and `suggested` to `newest`. Returns the pointers of the conflicts instead: members that both sides changed to different
/// values. Members are those of the design and each of its attributes; a list is one value.
///
/// ```
/// use cardscape::domain::designs::suggested_change::merge;
/// use serde_json::json;
/// let base = json!({ "name": "Owl", "flavour": "Who?" });
/// let suggested = json!({ "name": "Old Owl", "flavour": "Who?" });
/// let newest = json!({ "name": "Owl", "flavour": "Who else?" });
/// assert_eq!(merge(&base, &suggested, &newest), Ok(json!({ "name": "Old Owl", "flavour": "Who else?" })));
/// assert_eq!(merge(&base, &suggested, &json!({ "name": "Young Owl" })), Err(vec!["/name".to_owned()]));
/// ```
pub fn merge(base: &Value, suggested: &Value, newest: &Value) -> Result<Value, Vec<String>> {
    let mut conflicts = Vec::new();
    let merged = merge_member("", Some(base), Some(suggested), Some(newest), &mut conflicts);
    if conflicts.is_empty() { Ok(merged.unwrap_or_default()) } else { Err(conflicts) }
}

fn merge_member(
    pointer: &str,
    base: Option<&Value>,
    suggested: Option<&Value>,
    newest: Option<&Value>,
    conflicts: &mut Vec<String>,
) -> Option<Value> {
    if suggested == base || suggested == newest {
        return newest.cloned();
    }
    if newest == base {
        return suggested.cloned();
    }
    let objects = (
        base.and_then(Value::as_object),
        suggested.and_then(Value::as_object),
        newest.and_then(Value::as_object),
    );
    let (Some(base), Some(suggested), Some(newest)) = objects else {
        conflicts.push(pointer.to_owned());
        return newest.cloned();
    };
    let mut names: Vec<&String> = newest.keys().chain(suggested.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let mut merged = Map::new();
    for name in names {
        let mut pointer = pointer.to_owned();
        push_token(&mut pointer, name);
        let (base, suggested, newest) = (base.get(name), suggested.get(name), newest.get(name));
        if let Some(value) = merge_member(&pointer, base, suggested, newest, conflicts) {
            merged.insert(name.clone(), value);
        }
    }
    Some(Value::Object(merged))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_change_by_one_side_is_taken() {
        let base =
            json!({ "attributes": { "attack": 1, "defense": 2, "rank": 1 }, "lore": "Old." });
        let suggested = json!({ "attributes": { "attack": 5, "defense": 2 }, "lore": "Old.", "flavour": "New." });
        let newest = json!({ "attributes": { "attack": 1, "defense": 9, "rank": 1 } });
        let merged = json!({ "attributes": { "attack": 5, "defense": 9 }, "flavour": "New." });
        assert_eq!(merge(&base, &suggested, &newest), Ok(merged));
    }

    #[test]
    fn changes_by_both_sides_must_be_equal() {
        let base = json!({ "effects": [1, 2], "name": "A", "lore": "x" });
        let suggested = json!({ "effects": [1, 3], "name": "B" });
        let newest = json!({ "effects": [4, 2], "name": "B", "lore": "y" });
        let conflicts = vec!["/effects".to_owned(), "/lore".to_owned()];
        assert_eq!(merge(&base, &suggested, &newest), Err(conflicts));
    }

    #[test]
    fn a_merge_without_changes_changes_nothing() {
        let design = json!({ "name": "A", "attributes": { "rank": 1 } });
        let other = json!({ "name": "B", "attributes": {} });
        assert_eq!(merge(&design, &other, &design).as_ref(), Ok(&other));
        assert_eq!(merge(&design, &design, &other).as_ref(), Ok(&other));
        assert_eq!(merge(&design, &other, &other).as_ref(), Ok(&other));
    }
}
