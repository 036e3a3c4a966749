//! Tools for tests that compare JSON Schemas with what the engine reads.

use std::collections::BTreeSet;

use jsonschema::Validator;
use serde_json::Value;

pub fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::meta::validate(schema).unwrap();
    jsonschema::draft202012::options().should_validate_formats(true).build(schema).unwrap()
}

/// The first few errors of validation, for messages.
pub fn complaints(validator: &Validator, value: &Value) -> String {
    let errors = validator.iter_errors(value).take(5);
    errors.map(|error| format!("{}: {error}\n", error.instance_path())).collect()
}

/// The target of a `$ref`; [`keyword`] finds keywords beside the `$ref`.
pub fn resolve<'a>(root: &'a Value, mut node: &'a Value) -> &'a Value {
    while let Some(reference) = node["$ref"].as_str() {
        node = root.pointer(reference.strip_prefix('#').unwrap()).unwrap();
    }
    node
}

/// A keyword of a node: its own, or else that of the target of its `$ref`.
pub fn keyword<'a>(root: &'a Value, mut node: &'a Value, name: &str) -> Option<&'a Value> {
    loop {
        if let Some(found) = node.get(name) {
            return Some(found);
        }
        node = root.pointer(node["$ref"].as_str()?.strip_prefix('#')?)?;
    }
}

/// A table of a manifest with fixed keys, and the part of the schema for it.
pub struct Table<'a> {
    /// As the reader names it, for example `formats[0].rules[1]`.
    pub place: String,
    /// As a JSON pointer.
    pub pointer: String,
    pub schema: &'a Value,
}

/// Every such table of a manifest.
pub fn tables<'a>(root: &'a Value, manifest: &Value) -> Vec<Table<'a>> {
    let mut found = Vec::new();
    walk(root, root, manifest, String::new(), String::new(), &mut found);
    found
}

fn walk<'a>(
    root: &'a Value,
    node: &'a Value,
    value: &Value,
    place: String,
    pointer: String,
    found: &mut Vec<Table<'a>>,
) {
    let node = resolve(root, node);
    match value {
        Value::Object(members) => {
            let known = node.get("properties");
            for (key, member) in members {
                let of_key = known.and_then(|known| known.get(key));
                if let Some(inner) = of_key.or_else(|| node.get("additionalProperties")) {
                    let dot = if place.is_empty() { "" } else { "." };
                    let pointer = format!("{pointer}/{key}");
                    walk(root, inner, member, format!("{place}{dot}{key}"), pointer, found);
                }
            }
            if known.is_some() {
                found.push(Table { place, pointer, schema: node });
            }
        }
        Value::Array(items) => {
            let Some(inner) = node.get("items") else { return };
            for (at, item) in items.iter().enumerate() {
                let pointer = format!("{pointer}/{at}");
                walk(root, inner, item, format!("{place}[{at}]"), pointer, found);
            }
        }
        _ => {}
    }
}

/// Every `table.key` of the schema, by the name of the definition; the top is `game`.
pub fn all_keys(root: &Value) -> BTreeSet<String> {
    let top = [("game", root)];
    let definitions = root["$defs"].as_object().unwrap();
    let definitions = definitions.iter().map(|(name, node)| (name.as_str(), node));
    top.into_iter()
        .chain(definitions)
        .filter_map(|(name, node)| Some((name, node.get("properties")?.as_object()?)))
        .flat_map(|(name, known)| known.keys().map(move |key| format!("{name}.{key}")))
        .collect()
}

/// The keys of the schema that a manifest uses.
pub fn used_keys(root: &Value, manifest: &Value) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    use_keys(root, ("game", root), manifest, &mut used);
    used
}

fn use_keys(
    root: &Value,
    (name, node): (&str, &Value),
    value: &Value,
    used: &mut BTreeSet<String>,
) {
    let (name, node) = match node["$ref"].as_str() {
        Some(reference) => {
            let inner = reference.rsplit('/').next().unwrap();
            return use_keys(root, (inner, &root["$defs"][inner]), value, used);
        }
        None => (name, node),
    };
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                if let Some(inner) = node["properties"].get(key) {
                    used.insert(format!("{name}.{key}"));
                    use_keys(root, (key, inner), member, used);
                } else if let Some(inner) = node.get("additionalProperties") {
                    use_keys(root, (key, inner), member, used);
                }
            }
        }
        Value::Array(items) => {
            if let Some(inner) = node.get("items") {
                for item in items {
                    use_keys(root, (name, inner), item, used);
                }
            }
        }
        _ => {}
    }
    // A condition is one of several.
    for choice in
        node["anyOf"].as_array().into_iter().flatten().filter(|one| one["$ref"].is_string())
    {
        use_keys(root, (name, choice), value, used);
    }
}

/// Pointers to everything in a value, the root left out.
pub fn pointers(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut next = vec![(String::new(), value)];
    while let Some((pointer, value)) = next.pop() {
        let children: Vec<(String, &Value)> = match value {
            Value::Object(members) => members
                .iter()
                .map(|(key, member)| {
                    (format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1")), member)
                })
                .collect(),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .map(|(at, item)| (format!("{pointer}/{at}"), item))
                .collect(),
            _ => Vec::new(),
        };
        found.extend(children.iter().map(|(pointer, _)| pointer.clone()));
        next.extend(children);
    }
    found.sort();
    found
}

/// One change of a file.
#[derive(Debug, Clone)]
pub enum Mutation {
    Remove,
    Replace(Value),
    /// An additional member, if the place is an object.
    Insert(&'static str, Value),
    /// The last item repeated, if the place is a list.
    Repeat,
}

/// The value with one change at `pointer`; `None` when the change is not possible there.
pub fn mutated(value: &Value, pointer: &str, mutation: &Mutation) -> Option<Value> {
    let mut value = value.clone();
    match mutation {
        Mutation::Remove => {
            let (parent, key) = pointer.rsplit_once('/')?;
            let key = key.replace("~1", "/").replace("~0", "~");
            match value.pointer_mut(parent)? {
                Value::Object(members) => drop(members.remove(&key)?),
                Value::Array(items) => drop(items.remove(key.parse().ok()?)),
                _ => return None,
            }
        }
        Mutation::Replace(other) => *value.pointer_mut(pointer)? = other.clone(),
        Mutation::Insert(key, other) => {
            let members = value.pointer_mut(pointer)?.as_object_mut()?;
            if members.contains_key(*key) {
                return None;
            }
            members.insert((*key).to_owned(), other.clone());
        }
        Mutation::Repeat => {
            let items = value.pointer_mut(pointer)?.as_array_mut()?;
            items.push(items.last()?.clone());
        }
    }
    Some(value)
}
