//! Examples of whole bodies, composed from the examples of their fields, so that the two always agree.

use serde_json::{Map, Value, json};

/// Greater than the depth of any body.
const MAX_DEPTH: usize = 24;

/// An example of a schema in the document `root`; `None` when none can be composed.
pub(super) fn example(root: &Value, schema: &Value, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    let inner = |schema: &Value| example(root, schema, depth + 1);
    if let Some(example) = schema.get("example") {
        return Some(example.clone());
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.first().cloned();
    }
    if let Some(path) = schema.get("$ref").and_then(Value::as_str) {
        return root.pointer(path.strip_prefix('#')?).and_then(inner);
    }
    if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
        let mut whole = Map::new();
        for part in parts {
            if let Some(Value::Object(fields)) = inner(part) {
                whole.extend(fields);
            }
        }
        return Some(Value::Object(whole));
    }
    if let Some(cases) = schema.get("oneOf").and_then(Value::as_array) {
        return cases.iter().filter(|case| case["type"] != "null").find_map(inner);
    }
    if let Some(fields) = schema.get("properties").and_then(Value::as_object) {
        let shown = fields.iter().filter_map(|(name, field)| Some((name.clone(), inner(field)?)));
        return Some(Value::Object(shown.collect()));
    }
    match (kind(schema)?, schema.get("format").and_then(Value::as_str)) {
        ("array", _) => {
            Some(Value::Array(schema.get("items").and_then(inner).into_iter().collect()))
        }
        ("string", Some("uuid")) => Some(json!("01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11")),
        ("string", Some("date-time")) => Some(json!("2026-11-21T08:50:41.563424Z")),
        ("string", Some("date")) => Some(json!("2026-11-01")),
        ("object", _) => Some(json!({})),
        ("boolean", _) => Some(json!(false)),
        ("integer", _) => Some(schema.get("minimum").cloned().unwrap_or(json!(1))),
        _ => None,
    }
}

/// The type of a schema, apart from null.
fn kind(schema: &Value) -> Option<&str> {
    match &schema["type"] {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_references_and_joins_parts() {
        let root = json!({ "components": { "schemas": {
            "Name": { "type": "object", "properties": { "name": { "type": "string", "example": "ada" } } },
        } } });
        let schema = json!({ "allOf": [
            { "$ref": "#/components/schemas/Name" },
            { "type": "object", "properties": {
                "tags": { "type": ["array", "null"], "items": { "type": "string", "example": "x" } },
                "secret": { "type": "string" },
            } },
        ] });
        assert_eq!(example(&root, &schema, 0), Some(json!({ "name": "ada", "tags": ["x"] })));
    }

    #[test]
    fn ends_on_a_schema_that_holds_itself() {
        let root = json!({ "a": { "$ref": "#/a" } });
        assert_eq!(example(&root, &root["a"], 0), None);
    }
}
