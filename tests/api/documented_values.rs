//! Requests may have the values that the OpenAPI document states: `null` where it allows `null`, and a list of all words where only some are accepted.

use std::collections::BTreeSet;

use cardscape::api::contract::document;
use cardscape::api::routes;
use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::support::{Answer, Player, RequestExt as _, TestApp};

/// A member that no body has: the service refuses every body that has it, and lists all other faults.
const NO_MEMBER: &str = "no such member";

/// A text that is none of the words that a member or a parameter may have.
const NO_WORD: &str = "no-such-word";

const ID: &str = "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11";

/// The value of a schema in a body, or `None` if the value is composed of its members; with the pointer, and whether the value may be `null`.
type Choose<'c> = dyn FnMut(&str, &Value, bool) -> Option<Value> + 'c;

/// The target of the references of a schema.
fn resolve<'d>(document: &'d Value, mut schema: &'d Value) -> &'d Value {
    while let Some(reference) = schema["$ref"].as_str() {
        schema = document.pointer(&reference[1..]).unwrap();
    }
    schema
}

/// The schema of a value that is not `null`, and whether the value may be `null`.
fn without_null<'d>(document: &'d Value, schema: &'d Value) -> (&'d Value, bool) {
    let is_null = |one: &&Value| one["type"] == "null";
    if let Some(either) = schema["oneOf"].as_array()
        && either.iter().any(|one| is_null(&one))
    {
        let value = either.iter().find(|one| !is_null(one)).unwrap();
        return (resolve(document, value), true);
    }
    let mut kinds = schema["type"].as_array().into_iter().flatten();
    (resolve(document, schema), kinds.any(|kind| kind == "null"))
}

/// The type of a schema, apart from `null`.
fn kind(schema: &Value) -> &str {
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().find(|kind| *kind != "null"),
        kind => Some(kind),
    };
    kind.and_then(Value::as_str).unwrap_or_default()
}

/// A value with all members of its schema.
fn compose(document: &Value, schema: &Value, pointer: &str, choose: &mut Choose<'_>) -> Value {
    let (schema, may_be_null) = without_null(document, schema);
    if let Some(value) = choose(pointer, schema, may_be_null) {
        return value;
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let mut members = Map::new();
        for part in parts {
            if let Value::Object(own) = compose(document, part, pointer, choose) {
                members.extend(own);
            }
        }
        return Value::Object(members);
    }
    if let Some(first) = schema["oneOf"].as_array().and_then(|either| either.first()) {
        return compose(document, first, pointer, choose);
    }
    if let Some(properties) = schema["properties"].as_object() {
        let mut members = Map::new();
        for (name, member) in properties {
            let value = compose(document, member, &format!("{pointer}/{name}"), choose);
            members.insert(name.clone(), value);
        }
        return Value::Object(members);
    }
    if let Some(items) = schema.get("items") {
        return json!([compose(document, items, &format!("{pointer}/0"), choose)]);
    }
    let words = schema["enum"].as_array();
    if let Some(example) = schema.get("example").or_else(|| words.and_then(|words| words.first())) {
        return example.clone();
    }
    match (kind(schema), schema["format"].as_str()) {
        ("string", Some("uuid")) => json!(ID),
        ("string", Some("date-time")) => json!("2026-11-21T08:50:41Z"),
        ("string", Some("date")) => json!("2026-11-01"),
        ("string", _) => json!("x"),
        ("integer", _) => schema.get("minimum").cloned().unwrap_or(json!(1)),
        ("boolean", _) => json!(false),
        _ => json!({}),
    }
}

/// An operation of the document.
struct Operation {
    method: Method,
    /// The path, with examples of its parameters.
    path: String,
    name: String,
    described: Value,
}

impl Operation {
    fn all(document: &Value) -> Vec<Self> {
        let of_route = |(method, path, name): &(&str, &str, &str)| {
            let described = document["paths"][path][method].clone();
            let parameters = described["parameters"].as_array();
            let filled = |part: &str| {
                let name = part.strip_prefix('{').and_then(|part| part.strip_suffix('}'));
                let Some(name) = name else { return part.to_owned() };
                let mut parameters = parameters.into_iter().flatten();
                let parameter =
                    parameters.find(|one| one["in"] == "path" && one["name"] == name).unwrap();
                match &parameter["example"] {
                    Value::Null => ID.to_owned(),
                    Value::String(example) => example.clone(),
                    example => example.to_string(),
                }
            };
            let path = path.split('/').map(filled).collect::<Vec<_>>().join("/");
            let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes()).unwrap();
            Self { method, path, name: (*name).to_owned(), described }
        };
        routes::all().iter().map(of_route).collect()
    }

    /// The schema of the body as JSON; null if there is none.
    fn body(&self) -> &Value {
        &self.described["requestBody"]["content"]["application/json"]["schema"]
    }

    /// Sends a body that has [`NO_MEMBER`].
    async fn refuse(&self, app: &TestApp, by: &Player, mut body: Value) -> Answer {
        body[NO_MEMBER] = json!(1);
        let request = app.request(self.method.clone(), &self.path).by(by);
        request.header("if-match", "\"0\"").json(&body).answer().await
    }
}

/// The faults in a problem; none in another one.
fn faults(problem: &Value) -> impl Iterator<Item = (&str, &str)> {
    let faults = problem["errors"].as_array().into_iter().flatten();
    faults.map(|fault| (fault["pointer"].as_str().unwrap(), fault["detail"].as_str().unwrap()))
}

/// Whether a fault lists the words that are accepted.
fn is_of_words(detail: &str) -> bool {
    detail.starts_with("must be one of ")
}

#[tokio::test]
async fn members_that_may_be_null_in_the_document_may_be_null() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let document = serde_json::to_value(document()).unwrap();
    let mut sent = 0;
    for operation in Operation::all(&document) {
        // It reads the card before the body.
        if operation.body().is_null() || operation.name == "edit_card" {
            continue;
        }
        // Lists and objects are sent as `null`, and then with their own members.
        for with_members in [false, true] {
            let mut nulls = BTreeSet::new();
            let body =
                compose(&document, operation.body(), "", &mut |pointer, schema, may_be_null| {
                    let has_members =
                        schema.get("properties").is_some() || schema.get("items").is_some();
                    if !may_be_null || (with_members && has_members) {
                        return None;
                    }
                    nulls.insert(pointer.to_owned());
                    Some(Value::Null)
                });
            if nulls.is_empty() {
                continue;
            }
            let problem = operation.refuse(&app, &admin, body).await.expect(422);
            let refused: BTreeSet<&str> = faults(&problem).map(|(pointer, _)| pointer).collect();
            assert!(refused.contains(format!("/{NO_MEMBER}").as_str()), "{problem}");
            let wrong: Vec<&&str> =
                refused.iter().filter(|pointer| nulls.contains(**pointer)).collect();
            assert!(wrong.is_empty(), "{}: {wrong:?}: {problem}", operation.name);
            sent += nulls.len();
        }
    }
    assert!(sent > 200, "{sent}");
}

/// Generated clients offer the words of an enumeration, and any text for other strings.
#[tokio::test]
async fn the_document_has_all_words_where_only_some_are_accepted() {
    let app = TestApp::start().await;
    let admin = app.admin().await;
    let document = serde_json::to_value(document()).unwrap();
    let (mut listed, mut missing) = (0, Vec::new());
    let mut record = |operation: &str, pointer: &str, is_listed: bool| {
        if is_listed {
            listed += 1;
        } else {
            missing.push(format!("{operation} {pointer}"));
        }
    };
    for operation in Operation::all(&document) {
        let parameters = operation.described["parameters"].as_array().into_iter().flatten();
        let of_query: Vec<&Value> = parameters.filter(|one| one["in"] == "query").collect();
        if !of_query.is_empty() {
            let pair = |one: &&Value| format!("{}={NO_WORD}", one["name"].as_str().unwrap());
            let query = of_query.iter().map(pair).collect::<Vec<_>>().join("&");
            let path = format!("{}?{query}", operation.path);
            let request = app.request(operation.method.clone(), &path).by(&admin);
            let problem = request.answer().await.json();
            for (pointer, detail) in faults(&problem) {
                let name = pointer.strip_prefix('?').unwrap_or_default();
                let parameter = of_query.iter().find(|one| one["name"] == name);
                if let Some(parameter) = parameter.filter(|_| is_of_words(detail)) {
                    let schema = resolve(&document, &parameter["schema"]);
                    record(&operation.name, pointer, schema.get("enum").is_some());
                }
            }
        }
        if !operation.body().is_null() {
            let mut enumerated = BTreeSet::new();
            let body = compose(&document, operation.body(), "", &mut |pointer, schema, _| {
                if kind(schema) != "string" || schema.get("format").is_some() {
                    return None;
                }
                if schema.get("enum").is_some() {
                    enumerated.insert(pointer.to_owned());
                }
                Some(json!(NO_WORD))
            });
            // A body without members is a file.
            if body.as_object().is_some_and(|members| !members.is_empty()) {
                let problem = operation.refuse(&app, &admin, body).await.json();
                for (pointer, _) in faults(&problem).filter(|(_, detail)| is_of_words(detail)) {
                    record(&operation.name, pointer, enumerated.contains(pointer));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
    assert!(listed > 30, "{listed}");
}

#[tokio::test]
async fn the_document_has_all_members_of_a_card_that_can_be_requested() {
    let app = TestApp::start().await;
    let answer = app.get("/v1/cards?fields=x").answer().await;
    let problem = answer.problem(400, "invalid_query");
    let (_, detail) = faults(&problem).next().unwrap();
    let (_, members) = detail.split_once(" is not one of ").unwrap();
    let document = serde_json::to_value(document()).unwrap();
    let schema = &document["components"]["schemas"]["CardMembersResponse"];
    let documented: BTreeSet<&str> =
        schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(documented, members.split(", ").collect::<BTreeSet<_>>());
    assert_eq!(schema["required"], json!(["id"]));
}
