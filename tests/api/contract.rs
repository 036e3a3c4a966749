//! The OpenAPI document as generators of clients read it: it follows the specification, every example matches its schema, and no component is unused.

use std::collections::BTreeSet;

use cardscape::api::contract::document;
use cardscape::app::problem_member::ProblemMember;
use cardscape::auth::ending::CredentialEnd;
use cardscape::domain::operations::webhook::{EVENT_KINDS, Failure};
use jsonschema::{Draft, Registry};
use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

use crate::support::{RequestExt as _, TestApp, is_undocumented, undocumented_headers};

/// The URI under which the document is registered, so that schemas can refer to its components.
const DOCUMENT: &str = "urn:cardscape:openapi";

fn document_json() -> Value {
    serde_json::to_value(document()).unwrap()
}

/// Visits each value in the document with its JSON pointer (RFC 6901). Examples are left out.
fn walk<'d>(value: &'d Value, pointer: &str, visit: &mut impl FnMut(&str, &'d Value)) {
    visit(pointer, value);
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                if !["example", "examples", "default", "enum", "const"].contains(&name.as_str()) {
                    let name = name.replace('~', "~0").replace('/', "~1");
                    walk(member, &format!("{pointer}/{name}"), visit);
                }
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                walk(item, &format!("{pointer}/{at}"), visit);
            }
        }
        _ => {}
    }
}

/// A pointer as the fragment of a URI (RFC 6901, section 6).
fn in_a_uri(pointer: &str) -> String {
    pointer.replace('%', "%25").replace('{', "%7B").replace('}', "%7D")
}

/// The document is checked with the OpenAPI Initiative's schema for version 3.1 of 2022-10-07, and its schemas with the meta-schema of JSON Schema.
#[test]
fn the_document_is_valid() {
    let official = include_str!("../data/openapi-3.1-2022-10-07.json");
    let official: Value = serde_json::from_str(official).unwrap();
    let official = jsonschema::validator_for(&official).unwrap();
    let document = document_json();
    let faults = official.iter_errors(&document);
    let faults: Vec<String> =
        faults.map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
    assert_eq!(faults, Vec::<String>::new());
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        jsonschema::draft202012::meta::validate(schema)
            .unwrap_or_else(|fault| panic!("{name}: {fault}"));
    }
}

#[test]
fn every_reference_has_a_target_and_every_component_is_used() {
    let document = document_json();
    let mut used = BTreeSet::new();
    walk(&document, "", &mut |pointer, value| {
        if let Some(reference) = value.get("$ref").and_then(Value::as_str) {
            let target = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(target).is_some(), "{pointer} refers to {reference}");
            used.insert(target.to_owned());
        }
    });
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let security = operation["security"].as_array();
            let security = security.unwrap_or_else(|| panic!("{method} {path} has no security"));
            for scheme in security.iter().flat_map(|one| one.as_object().unwrap().keys()) {
                used.insert(format!("/components/securitySchemes/{scheme}"));
            }
        }
    }
    for (kind, components) in document["components"].as_object().unwrap() {
        for name in components.as_object().unwrap().keys() {
            let component = format!("/components/{kind}/{name}");
            assert!(used.contains(&component), "nothing refers to {component}");
        }
    }
}

/// A type that is defined inline has no name, or a bad name, in a generated client.
#[test]
fn items_of_lists_have_names() {
    let document = document_json();
    let mut lists = 0;
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        let items = &schema["properties"]["data"]["items"];
        assert!(items.is_null() || items["type"] != "object", "{name}");
        lists += usize::from(!items.is_null());
    }
    assert!(lists > 50, "{lists}");
}

/// A list in a request may have each value of its enumeration once. The service refuses longer ones.
#[test]
fn lists_of_values_have_room_for_all_of_them_once() {
    let document = document_json();
    let mut lists = 0;
    walk(&document, "", &mut |pointer, value| {
        let Some(most) = value["maxItems"].as_u64() else { return };
        let items = &value["items"];
        let items = match items["$ref"].as_str() {
            Some(reference) => document.pointer(&reference[1..]).unwrap(),
            None => items,
        };
        let Some(values) = items["enum"].as_array() else { return };
        assert_eq!(values.len() as u64, most, "{pointer}");
        lists += 1;
    });
    assert!(lists > 2, "{lists}");
}

/// utoipa joins an enumeration and its default value as two types, which no value can have: then every value of the parameter is refused as soon as another parameter has a fault.
#[test]
fn no_schema_asks_for_two_types_at_once() {
    let document = document_json();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                walk(&parameter["schema"], "", &mut |pointer, value| {
                    let parts = value["allOf"].as_array().into_iter().flatten();
                    let parts = parts.map(|part| match part["$ref"].as_str() {
                        Some(reference) => document.pointer(&reference[1..]).unwrap(),
                        None => part,
                    });
                    let types: BTreeSet<String> =
                        parts.filter_map(|part| part["type"].as_str()).map(str::to_owned).collect();
                    let name = &parameter["name"];
                    assert!(types.len() < 2, "{method} {path} {name} {pointer}: {types:?}");
                });
            }
        }
    }
}

#[test]
fn every_example_is_valid_by_its_schema() {
    let document = document_json();
    let registry = Registry::new()
        .draft(Draft::Draft202012)
        .add(DOCUMENT, document.clone())
        .unwrap()
        .prepare()
        .unwrap();
    let mut faults = Vec::new();
    let mut check = |schema: &str, example: &Value| {
        let validator = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .with_registry(&registry)
            .should_validate_formats(true)
            .build(&json!({ "$ref": format!("{DOCUMENT}#{}", in_a_uri(schema)) }))
            .unwrap_or_else(|fault| panic!("{schema}: {fault}"));
        for fault in validator.iter_errors(example) {
            faults.push(format!("{schema}{}: {fault}", fault.instance_path()));
        }
    };
    let mut examples = 0;
    walk(&document, "", &mut |pointer, value| {
        // The example of a body or a parameter is beside its schema; the example of a schema is in it.
        let schema = if value.get("schema").is_some() {
            format!("{pointer}/schema")
        } else {
            pointer.to_owned()
        };
        if let Some(example) = value.get("example") {
            check(&schema, example);
            examples += 1;
        }
    });
    assert!(examples > 900, "{examples}");
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// A field with a fixed set of values is a string in the contract, and its description lists all values. The guide lists each value in its tables.
#[test]
fn the_guide_lists_the_values_of_every_field() {
    const FIELDS: [&str; 22] = [
        "by",
        "change",
        "condition",
        "disabled_reason",
        "encoding",
        "event",
        "held_for",
        "kind",
        "last_failure",
        "meaning",
        "mode",
        "of",
        "outcome",
        "program",
        "role",
        "severity",
        "state",
        "status",
        "trading",
        "type",
        "verdict",
        "visibility",
    ];
    let guide = include_str!("../../docs/API.md");
    let (_, values) = guide.split_once("\n## Values\n").unwrap();
    // Events have a table of their own.
    let (_, events) = guide.split_once("\n## What happens to me\n").unwrap();
    let (events, _) = events.split_once("\n## ").unwrap();
    let document = document_json();
    let (mut missing, mut listed, mut used) = (Vec::new(), 0, BTreeSet::new());
    walk(&document["components"]["schemas"], "", &mut |pointer, value| {
        let field = pointer.rsplit('/').next().unwrap();
        let words = value["description"].as_str().filter(|_| FIELDS.contains(&field));
        let words = words.into_iter().flat_map(|text| text.split('`').skip(1).step_by(2));
        let of_value = |c: char| c.is_ascii_lowercase() || "._ -".contains(c) || c.is_ascii_digit();
        // Members beside the field, which its description names.
        let is_value = |word: &&str| !["candidates", "how"].contains(word);
        for word in words.filter(|word| word.chars().all(of_value)).filter(is_value) {
            listed += 1;
            used.insert(field.to_owned());
            // `trade.accepted`, `.declined`, …
            let tail = word.rsplit_once('.').map(|(_, tail)| format!("`.{tail}`"));
            let quotes = |text: &str| text.contains(&format!("`{word}`"));
            if !quotes(values)
                && !quotes(events)
                && !tail.is_some_and(|tail| events.contains(&tail))
            {
                missing.push(format!("{pointer}: {word}"));
            }
        }
    });
    let failures = Failure::ALL.map(Failure::as_str).into_iter();
    for word in failures.chain(CredentialEnd::ALL.map(CredentialEnd::as_str)).chain(EVENT_KINDS) {
        if !values.contains(&format!("`{word}`")) {
            missing.push(word.to_owned());
        }
    }
    assert!(listed > 100, "{listed}");
    let fields = BTreeSet::from(FIELDS.map(str::to_owned));
    assert_eq!(used, fields, "each of these fields has values");
    assert_eq!(missing, Vec::<String>::new());
}

/// The parameters of all operations, with the method and path of each.
fn parameters(document: &Value) -> Vec<(String, &Value)> {
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let of_operation = operation["parameters"].as_array().into_iter().flatten();
            all.extend(of_operation.map(|parameter| (format!("{method} {path}"), parameter)));
        }
    }
    all
}

/// One row of the guide has all words of a parameter.
#[test]
fn the_guide_lists_the_words_of_every_parameter() {
    let guide = include_str!("../../docs/API.md");
    let (_, values) = guide.split_once("\n## Values\n").unwrap();
    let rows: Vec<(&str, &str)> = values.lines().filter_map(|row| row.split_once(" | ")).collect();
    let document = document_json();
    let (mut missing, mut listed) = (Vec::new(), 0);
    for (operation, parameter) in parameters(&document) {
        let name = parameter["name"].as_str().unwrap();
        let Some(words) = parameter["schema"]["enum"].as_array() else { continue };
        // Dialects have a guide of their own.
        if name == "dialect" {
            continue;
        }
        listed += 1;
        let quotes = |text: &str, word: &str| text.contains(&format!("`{word}`"));
        let has_all = |text: &str| words.iter().all(|word| quotes(text, word.as_str().unwrap()));
        if !rows.iter().any(|(field, words)| quotes(field, name) && has_all(words)) {
            missing.push(format!("{operation} {name}: {words:?}"));
        }
    }
    assert!(listed > 25, "{listed}");
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn days_are_documented_as_dates() {
    let document = document_json();
    let mut days = parameters(&document);
    days.retain(|(_, parameter)| parameter["name"] == "on");
    assert!(days.len() > 4, "{days:?}");
    days.retain(|(_, parameter)| parameter["schema"]["format"] != "date");
    assert!(days.is_empty(), "{days:?}");
}

/// The example of a stream can be read as events.
#[test]
fn examples_of_streams_are_events() {
    let document = document_json();
    let mut streams = 0;
    walk(&document["paths"], "", &mut |pointer, value| {
        if pointer.ends_with("/text~1event-stream") {
            streams += 1;
            let example = value["example"].as_str().unwrap();
            for event in example.strip_suffix("\n\n").unwrap().split("\n\n") {
                let data = event.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
                assert!(serde_json::from_str::<Value>(data).unwrap().is_object(), "{event}");
            }
        }
    });
    assert_eq!(streams, 2);
}

/// All tests compare the headers of the answers that they get with the contract: this is the comparison.
#[test]
fn undocumented_headers_are_noticed() {
    let names = ["accept-ranges", "content-type", "etag", "last-modified", "link", "x-request-id"];
    let value = HeaderValue::from_static("x");
    let sent: HeaderMap =
        names.into_iter().map(|name| (HeaderName::from_static(name), value.clone())).collect();
    let noticed = |method: Method, path: &str, status: u16| {
        let mut noticed = undocumented_headers(&method, path, status, &sent);
        noticed.sort_unstable();
        noticed
    };
    // A 304 has the headers of the 200, and HEAD those of GET.
    for (method, status) in [(Method::GET, 200), (Method::GET, 304), (Method::HEAD, 200)] {
        let of_list = noticed(method.clone(), "/v1/cards", status);
        assert_eq!(of_list, ["accept-ranges", "last-modified"], "{method} {status}");
        let of_card = noticed(method.clone(), "/v1/cards/named", status);
        assert_eq!(of_card, ["accept-ranges", "link"], "{method} {status}");
    }
    assert_eq!(noticed(Method::GET, "/v1/bulk-files/ttcg-cards.ndjson.gz", 206), ["link"]);
    let refused = noticed(Method::PUT, "/v1/me/wants", 412);
    assert_eq!(refused, ["accept-ranges", "etag", "last-modified", "link"]);
    // Pages, and resources without this method.
    for path in ["/", "/cards", "/v1/cards/", "/v1/nothing"] {
        assert_eq!(noticed(Method::GET, path, 200), [""; 0], "{path}");
    }
    assert_eq!(noticed(Method::PATCH, "/v1/cards/named", 200), [""; 0]);
}

#[test]
fn undocumented_statuses_are_noticed() {
    assert!(is_undocumented(&Method::GET, "/v1/cards", 412));
    assert!(!is_undocumented(&Method::PUT, "/v1/me/wants", 412));
    assert!(!is_undocumented(&Method::GET, "/cards", 412), "a page");
}

/// Every error code has a page that states what happened and what to do, and shows an example answer.
#[tokio::test]
async fn every_problem_is_explained() {
    let document = document_json();
    let registry = Registry::new()
        .draft(Draft::Draft202012)
        .add(DOCUMENT, document.clone())
        .unwrap()
        .prepare()
        .unwrap();
    let problem = jsonschema::options()
        .with_draft(Draft::Draft202012)
        .with_registry(&registry)
        .should_validate_formats(true)
        .build(&json!({ "$ref": format!("{DOCUMENT}#/components/schemas/Problem") }))
        .unwrap();
    let operations: BTreeSet<String> = document["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, item)| {
            let methods = item.as_object().unwrap().keys();
            methods.map(move |method| without_names(&format!("{} {path}", method.to_uppercase())))
        })
        .collect();
    let app = TestApp::start().await;
    let table = app.get("/problems").answer().await.expect(200);
    let mut named = 0;
    for row in table.as_array().unwrap() {
        let code = row["code"].as_str().unwrap();
        let page = app.get(&format!("/problems/{code}")).answer().await.expect(200);
        let [happened, advice] =
            ["what_happened", "what_to_do"].map(|field| page[field].as_str().unwrap().to_owned());
        for text in [&happened, &advice] {
            assert!(
                text.len() > 10 && text.ends_with('.') && !text.contains("  "),
                "{code}: {text}"
            );
        }
        assert_ne!(happened, advice, "{code}");
        let example = &page["example"];
        let faults: Vec<String> = problem
            .iter_errors(example)
            .map(|fault| format!("{}: {fault}", fault.instance_path()))
            .collect();
        assert_eq!(faults, Vec::<String>::new(), "{code}: {example}");
        assert_eq!(
            (&example["code"], &example["status"], &example["title"]),
            (&row["code"], &row["status"], &row["title"])
        );
        assert_eq!((&page["code"], &page["status"]), (&row["code"], &row["status"]));
        // It shows every member that only some codes have.
        for member in ProblemMember::ALL {
            let is_of_code = member.codes().iter().any(|one| one.code() == code);
            assert_eq!(example.get(member.as_str()).is_some(), is_of_code, "{code}: {member:?}");
        }
        // The operations that the texts mention exist.
        let texts = format!("{happened} {advice}");
        for quoted in texts.split('`').skip(1).step_by(2).filter(|quoted| quoted.contains(" /v1/"))
        {
            assert!(operations.contains(&without_names(quoted)), "{code}: {quoted}");
            named += 1;
        }
    }
    assert!(named > 20, "{named}");
    app.get("/problems/no_such_code").answer().await.problem(404, "not_found");
}

/// An operation with each path parameter replaced by `{}`.
fn without_names(operation: &str) -> String {
    let parts = operation.split('/').map(|part| if part.starts_with('{') { "{}" } else { part });
    parts.collect::<Vec<_>>().join("/")
}
