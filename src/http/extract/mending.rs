//! Replaces refused values of a document by values that the contract allows, so that a deserializer gets past them and finds further faults.

use serde_json::{Map, Value, json};

/// Most levels of a schema that are followed.
const MAX_DEPTH: usize = 16;

/// Replaces the value at a pointer by one that the schema allows; a member that is optional or unknown to the schema is removed. Returns whether the document
/// was changed.
pub(super) fn mend(document: &mut Value, schema: &Value, pointer: &str) -> bool {
    let tokens: Vec<String> = pointer.split('/').skip(1).map(unescaped).collect();
    let Some((last, outer)) = tokens.split_last() else {
        return sample(schema, schema, 0).map(|value| *document = value).is_some();
    };
    let mut around = alternatives(schema, schema, 0);
    for token in outer {
        let inner = around.iter().filter_map(|one| member_of(one, token));
        around = inner.flat_map(|one| alternatives(schema, one, 0)).collect();
    }
    let requires = |one: &&&Value| {
        let required = one["required"].as_array().into_iter().flatten();
        one["items"].is_object() || required.filter_map(Value::as_str).any(|name| name == last)
    };
    // Optional members are removed.
    let allowed = around.iter().find(requires).and_then(|one| member_of(one, last));
    let value = allowed.and_then(|one| sample(schema, one, 0));
    let outer = outer.iter().try_fold(document, |at, token| match at {
        Value::Object(members) => members.get_mut(token),
        Value::Array(items) => items.get_mut(token.parse::<usize>().ok()?),
        _ => None,
    });
    match (outer, value) {
        (Some(Value::Object(members)), Some(value)) => {
            members.insert(last.clone(), value);
            true
        }
        (Some(Value::Object(members)), None) => members.remove(last).is_some(),
        (Some(Value::Array(items)), Some(value)) => {
            let item = last.parse::<usize>().ok().and_then(|at| items.get_mut(at));
            item.map(|item| *item = value).is_some()
        }
        _ => false,
    }
}

fn unescaped(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// A schema with its references resolved, and the schemas that it is composed of.
fn alternatives<'s>(root: &'s Value, schema: &'s Value, depth: usize) -> Vec<&'s Value> {
    if depth > MAX_DEPTH {
        return Vec::new();
    }
    let mut found = vec![schema];
    let referred = schema["$ref"].as_str().and_then(|path| root.pointer(path.strip_prefix('#')?));
    let parts = ["anyOf", "oneOf", "allOf"].iter().filter_map(|how| schema[how].as_array());
    for part in parts.flatten().chain(referred) {
        found.extend(alternatives(root, part, depth + 1));
    }
    found
}

/// The schema of a member or an item.
fn member_of<'s>(schema: &'s Value, token: &str) -> Option<&'s Value> {
    let is_schema = |value: &&Value| value.is_object();
    let entry = token.parse::<usize>().ok().map(|_| &schema["items"]).filter(is_schema);
    let member = schema["properties"].get(token).or_else(|| schema.get("additionalProperties"));
    member.filter(is_schema).or(entry)
}

/// Whether a type is that of a schema, or one of several.
pub(super) fn is_among(wanted: &str, types: &Value) -> bool {
    types == wanted || types.as_array().is_some_and(|types| types.iter().any(|one| one == wanted))
}

/// A value that a schema allows; `None`: there is no such value.
fn sample(root: &Value, schema: &Value, depth: usize) -> Option<Value> {
    let all = alternatives(root, schema, 0);
    if depth > MAX_DEPTH {
        return None;
    }
    if all.iter().any(|one| is_among("null", &one["type"])) {
        return Some(Value::Null);
    }
    let stated = all.iter().find_map(|one| {
        let listed = ["enum", "examples"].iter().find_map(|key| one[*key].get(0));
        ["const", "example", "default"].iter().find_map(|key| one.get(*key)).or(listed)
    });
    if let Some(stated) = stated {
        return Some(stated.clone());
    }
    let one = all.iter().find(|one| !one["type"].is_null())?;
    let least = |key: &str| one[key].as_u64().unwrap_or_default();
    Some(match one["type"].as_str()? {
        "boolean" => Value::Bool(false),
        "integer" | "number" => one.get("minimum").cloned().unwrap_or(json!(1)),
        "string" => match one["format"].as_str() {
            // An id that no object has and that does not occur elsewhere in the request.
            Some("uuid") => json!("00000000-0000-4000-8000-000000000000"),
            Some("date") => json!("2026-01-31"),
            Some("date-time") => json!("2026-01-31T12:00:00Z"),
            _ => "x".repeat(usize::try_from(least("minLength").max(1)).ok()?).into(),
        },
        "array" => {
            let entry = || sample(root, &one["items"], depth + 1);
            Value::Array((0..least("minItems")).map(|_| entry()).collect::<Option<_>>()?)
        }
        "object" => {
            let mut members = Map::new();
            for one in &all {
                for name in one["required"].as_array().into_iter().flatten() {
                    let name = name.as_str()?;
                    members.insert(
                        name.to_owned(),
                        sample(root, &one["properties"][name], depth + 1)?,
                    );
                }
            }
            Value::Object(members)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_values_are_replaced_by_allowed_ones() {
        let schema = json!({
            "type": "object", "required": ["name", "items"],
            "properties": {
                "name": { "type": "string", "minLength": 3 },
                "note": { "type": ["string", "null"] },
                "items": { "type": "array", "items": { "oneOf": [{ "$ref": "#/components/schemas/Item" }] } },
            },
            "components": { "schemas": { "Item": {
                "type": "object", "required": ["id", "count"],
                "properties": {
                    "id": { "type": "string", "format": "uuid" },
                    "count": { "type": "integer", "minimum": 2 },
                    "kind": { "type": "string", "enum": ["a", "b"] },
                },
            } } },
        });
        let mut document =
            json!({ "name": 5, "note": 5, "colour": 1, "items": [5, { "kind": 7 }] });
        for pointer in [
            "/name",
            "/note",
            "/colour",
            "/items/0",
            "/items/1/kind",
            "/items/1/id",
            "/items/1/count",
        ] {
            assert!(mend(&mut document, &schema, pointer), "{pointer}");
        }
        let id = "00000000-0000-4000-8000-000000000000";
        let items = json!([{ "id": id, "count": 2 }, { "id": id, "count": 2 }]);
        assert_eq!(document, json!({ "name": "xxx", "items": items }));
        assert!(!mend(&mut document, &schema, "/items/7"));
        assert!(mend(&mut document, &schema, ""));
        assert_eq!(document, json!({ "name": "xxx", "items": [] }));
    }
}
