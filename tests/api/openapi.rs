//! The contract: the committed document is current and complete, and matches the routes.

use std::collections::BTreeSet;

use cardscape::api::contract::document;
use cardscape::api::routes;
use serde_json::Value;

use crate::support::{RequestExt as _, TestApp};

/// `CARDSCAPE_UPDATE=1 cargo test --test api openapi` writes the file (`make openapi`).
#[test]
fn the_committed_document_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi/openapi.json");
    let expected = document().to_pretty_json().unwrap() + "\n";
    if std::env::var_os("CARDSCAPE_UPDATE").is_some() {
        std::fs::write(path, expected).unwrap();
        return;
    }
    assert!(
        std::fs::read_to_string(path).unwrap() == expected,
        "run `make openapi` and commit the document"
    );
}

fn operations() -> Vec<(String, String, Value)> {
    let document = serde_json::to_value(document()).unwrap();
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().unwrap().clone();
    paths
        .into_iter()
        .flat_map(|(path, item)| {
            let methods = item.as_object().unwrap().clone();
            methods.into_iter().map(move |(method, operation)| (method, path.clone(), operation))
        })
        .collect()
}

#[test]
fn every_route_is_documented_and_every_operation_routed() {
    let documented: BTreeSet<_> = operations()
        .into_iter()
        .map(|(method, path, operation)| {
            (method, path, operation["operationId"].as_str().unwrap().to_owned())
        })
        .collect();
    let routed: BTreeSet<_> = routes::all()
        .iter()
        .map(|(method, path, operation)| {
            ((*method).to_owned(), (*path).to_owned(), (*operation).to_owned())
        })
        .collect();
    assert_eq!(documented, routed);
}

#[test]
fn every_operation_has_a_summary_examples_and_its_failures() {
    for (method, path, operation) in operations() {
        let name = format!("{method} {path}");
        assert!(operation["summary"].is_string(), "{name} has no summary");
        let responses = operation["responses"].as_object().unwrap();
        assert!(responses.keys().any(|status| status.starts_with('2')), "{name} has no success");
        // Unknown parameters, unknown methods and impossible encodings are refused everywhere, also by operations without parameters.
        let everywhere = ["400", "405", "406"].into_iter();
        let of_bodies = operation["requestBody"].is_object().then_some("408");
        for status in everywhere.chain(of_bodies) {
            assert!(responses.contains_key(status), "{name} has no {status}");
        }
        for (status, response) in responses {
            let problem = &response["content"]["application/problem+json"];
            assert_eq!(problem.is_object(), status.starts_with(['4', '5']), "{name} {status}");
            for (media_type, content) in response["content"].as_object().into_iter().flatten() {
                let explained = !content["example"].is_null() || media_type.starts_with("text/");
                assert!(explained, "{name} {status} has no example");
            }
            let conditional = status == "304";
            let condition = operation["parameters"].as_array().into_iter().flatten();
            let mut condition = condition.filter(|parameter| parameter["name"] == "If-None-Match");
            assert!(
                !conditional || condition.next().is_some(),
                "{name} answers 304, but has no If-None-Match"
            );
        }
        if operation["security"].as_array().is_some_and(|schemes| !schemes.is_empty()) {
            assert!(responses.contains_key("401") && responses.contains_key("403"), "{name}");
        }
    }
}

#[test]
fn descriptions_name_the_common_codes_of_an_operation() {
    for (method, path, operation) in operations() {
        let name = format!("{method} {path}");
        let names = |status: &str, code: &str| {
            let description = operation["responses"][status]["description"].as_str();
            // A description without codes speaks of all that are common.
            description.is_some_and(|text| !text.starts_with('`') || text.contains(code))
        };
        let is_limited = operation["responses"]["429"].is_object();
        assert!(!is_limited || names("429", "`rate_limited`"), "{name}");
        if operation["security"].as_array().is_some_and(|schemes| !schemes.is_empty()) {
            assert!(names("403", "`scope_missing`, `login_required`"), "{name}");
        }
        let mut parameters = operation["parameters"].as_array().into_iter().flatten();
        if parameters.any(|parameter| parameter["name"] == "Idempotency-Key") {
            let refused = operation["responses"]["422"]["description"].as_str().unwrap();
            assert!(refused.contains("`idempotency_key_reused`"), "{name}: {refused}");
        }
    }
}

#[test]
fn an_example_of_a_problem_has_the_first_code_that_its_description_names() {
    let mut compared = 0;
    for (method, path, operation) in operations() {
        for (status, response) in operation["responses"].as_object().unwrap() {
            let problem = &response["content"]["application/problem+json"]["example"];
            let description = response["description"].as_str().unwrap();
            let quoted = description.strip_prefix('`').and_then(|text| text.split('`').next());
            let is_code = |text: &&str| text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'_'));
            if let Some(code) = quoted.filter(is_code)
                && problem.is_object()
            {
                assert_eq!(problem["code"], code, "{method} {path} {status}: {description}");
                compared += 1;
            }
        }
        let unreadable = &operation["responses"]["400"]["content"]["application/problem+json"];
        if operation["requestBody"].is_null() {
            assert_ne!(unreadable["example"]["code"], "malformed_json", "{method} {path}");
        }
    }
    assert!(compared > 200, "{compared}");
}

/// The guides are served below `/docs`, and not as files of the repository.
#[test]
fn the_document_names_guides_by_their_addresses() {
    let document = document().to_json().unwrap();
    assert!(!document.contains(".md"), "a file instead of an address such as /docs/search");
}

#[tokio::test]
async fn the_document_is_served() {
    let app = TestApp::start().await;
    let served = app.get("/openapi.json").answer().await.expect(200);
    assert_eq!(served, serde_json::to_value(document()).unwrap());
    let first = app.get("/openapi.json").answer().await;
    assert_eq!(
        first.text(),
        serde_json::to_string(&document()).unwrap(),
        "the text is the same for every request"
    );
    let known = app.get("/openapi.json").header("if-none-match", &first.header("etag"));
    assert_eq!(known.answer().await.status, 304);
}
