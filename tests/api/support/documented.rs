//! The statuses and headers that the contract documents for the answers of each operation.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use cardscape::api::contract::document;
use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderName};
use serde_json::Value;

/// Headers that any answer may have: those of HTTP itself, of caches, of CORS and of the rate limit, and restrictions for browsers and proxies.
const GENERAL: [&str; 19] = [
    "access-control-allow-credentials",
    "access-control-allow-origin",
    "access-control-expose-headers",
    "cache-control",
    "connection",
    "content-encoding",
    "content-length",
    "content-security-policy",
    "content-type",
    "cross-origin-resource-policy",
    "date",
    "ratelimit",
    "ratelimit-policy",
    "referrer-policy",
    "transfer-encoding",
    "vary",
    "x-accel-buffering",
    "x-content-type-options",
    "x-frame-options",
];

/// The documented headers of an operation, in lower case, by status.
type Headers = BTreeMap<String, BTreeSet<String>>;

/// A path of the contract.
struct Resource {
    segments: Vec<String>,
    /// By method, in lower case.
    operations: BTreeMap<String, Headers>,
}

impl Resource {
    fn read(path: &str, item: &Value) -> Self {
        let operations = item.as_object().unwrap().iter();
        let operations =
            operations.map(|(method, operation)| (method.clone(), headers_of(operation)));
        Self {
            segments: path.split('/').map(str::to_owned).collect(),
            operations: operations.collect(),
        }
    }

    fn is_meant(&self, path: &str) -> bool {
        let segments: Vec<&str> = path.split('/').collect();
        let fits = |(pattern, segment): (&String, &&str)| {
            if is_parameter(pattern) { !segment.is_empty() } else { pattern == segment }
        };
        segments.len() == self.segments.len() && self.segments.iter().zip(&segments).all(fits)
    }

    fn parameters(&self) -> usize {
        self.segments.iter().filter(|segment| is_parameter(segment)).count()
    }
}

fn is_parameter(segment: &str) -> bool {
    segment.starts_with('{')
}

fn headers_of(operation: &Value) -> Headers {
    let responses = operation["responses"].as_object().unwrap().iter();
    let headers = |response: &Value| -> BTreeSet<String> {
        let names = response["headers"].as_object().into_iter().flatten();
        names.map(|(name, _)| name.to_ascii_lowercase()).collect()
    };
    responses.map(|(status, response)| (status.clone(), headers(response))).collect()
}

static RESOURCES: LazyLock<Vec<Resource>> = LazyLock::new(|| {
    let document = serde_json::to_value(document()).unwrap();
    let paths = document["paths"].as_object().unwrap().iter();
    paths.map(|(path, item)| Resource::read(path, item)).collect()
});

/// The operation of the contract that a request is for. Pages are not in the contract.
fn operation(method: &Method, path: &str) -> Option<&'static Headers> {
    // As in the router, a segment that is written out goes before a parameter.
    let meant = RESOURCES.iter().filter(|resource| resource.is_meant(path));
    let meant = meant.min_by_key(|resource| resource.parameters())?;
    // HEAD has the headers of GET.
    let method = if *method == Method::HEAD { &Method::GET } else { method };
    meant.operations.get(&method.as_str().to_ascii_lowercase())
}

/// Statuses that only some operations have, each for a reason of its own.
const SPECIAL: [u16; 2] = [410, 412];

/// Whether an operation has one of the [`SPECIAL`] statuses without documenting it.
pub fn is_undocumented(method: &Method, path: &str, status: u16) -> bool {
    let is_missing = |operation: &Headers| !operation.contains_key(&status.to_string());
    SPECIAL.contains(&status) && operation(method, path).is_some_and(is_missing)
}

/// The headers of an answer that the contract does not document. Those of pages, and of answers whose status it does not document, are not looked at.
pub fn undocumented_headers(
    method: &Method,
    path: &str,
    status: u16,
    headers: &HeaderMap,
) -> Vec<String> {
    let documented = operation(method, path).and_then(|statuses| statuses.get(&status.to_string()));
    let Some(documented) = documented else { return Vec::new() };
    let names = headers.keys().map(HeaderName::as_str);
    names
        .filter(|name| !GENERAL.contains(name) && !documented.contains(*name))
        .map(str::to_owned)
        .collect()
}
