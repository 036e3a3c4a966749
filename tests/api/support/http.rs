//! Requests and responses.

use reqwest::RequestBuilder;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::{Player, is_undocumented, undocumented_headers};

/// Additional methods of requests in tests.
pub trait RequestExt {
    /// Authenticates the request as `player`.
    fn by(self, player: &Player) -> Self;
    /// Sets the fields of a form as the body.
    fn form(self, fields: &[(&str, &str)]) -> Self;
    /// Sends the request, reads the complete response, and checks that its status and its headers are in the contract, and the places of its faults.
    async fn answer(self) -> Answer;
}

impl RequestExt for RequestBuilder {
    fn by(self, player: &Player) -> Self {
        self.bearer_auth(&player.access_token)
    }

    fn form(self, fields: &[(&str, &str)]) -> Self {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        self.header("content-type", "application/x-www-form-urlencoded").body(body)
    }

    async fn answer(self) -> Answer {
        let (client, request) = self.build_split();
        let request = request.expect("the request is valid");
        let (method, path) = (request.method().clone(), request.url().path().to_owned());
        let response = client.execute(request).await.expect("the service answers");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let undocumented = undocumented_headers(&method, &path, status, &headers);
        assert!(undocumented.is_empty(), "{method} {path} {status}: {undocumented:?}");
        assert!(!is_undocumented(&method, &path, status), "{method} {path}: {status}");
        let bytes = response.bytes().await.expect("the answer is complete").to_vec();
        let malformed = malformed_places(&headers, &bytes);
        assert!(malformed.is_empty(), "{method} {path} {status}: {malformed:?}");
        Answer { status, headers, bytes }
    }
}

/// The places of faults in a problem that are neither a JSON Pointer (RFC 6901) nor a query parameter.
fn malformed_places(headers: &HeaderMap, body: &[u8]) -> Vec<String> {
    let is_problem =
        headers.get("content-type").is_some_and(|kind| kind == "application/problem+json");
    // The answer to HEAD has no body, and some tests ask for a compressed one.
    let problem: Option<Value> = is_problem.then(|| serde_json::from_slice(body).ok()).flatten();
    let errors = problem.as_ref().and_then(|problem| problem["errors"].as_array());
    let places = errors.into_iter().flatten().map(|fault| fault["pointer"].as_str().unwrap());
    places.filter(|place| !is_place(place)).map(str::to_owned).collect()
}

fn is_place(text: &str) -> bool {
    let is_parameter = text.starts_with('?');
    let begins_as_pointer = text.is_empty() || text.starts_with('/');
    let mut escapes = text.split('~').skip(1);
    is_parameter || (begins_as_pointer && escapes.all(|rest| rest.starts_with(['0', '1'])))
}

/// A response of the service.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

impl Answer {
    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// A header's value, empty when it is absent; repeated headers are joined to one list (RFC 9110, 5.3).
    pub fn header(&self, name: &str) -> String {
        let values = self.headers.get_all(name).iter().map(|value| value.to_str().unwrap());
        values.collect::<Vec<_>>().join(", ")
    }

    /// The JSON body; null when there is none.
    pub fn json(&self) -> Value {
        if self.bytes.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&self.bytes).expect("JSON")
        }
    }

    /// The body, after checking the status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        self.json()
    }

    /// The body of a problem, after checking status, code and form (RFC 9457).
    #[track_caller]
    pub fn problem(self, status: u16, code: &str) -> Value {
        assert_eq!(
            self.header("content-type"),
            "application/problem+json",
            "{} {}",
            self.status,
            self.text()
        );
        let request_id = self.header("x-request-id");
        let body = self.clone().expect(status);
        assert_eq!(body["code"], code, "{body}");
        assert_eq!(body["status"], status);
        assert_eq!(body["type"], format!("/problems/{code}"));
        assert_eq!(body["instance"], format!("urn:uuid:{request_id}"));
        body
    }
}
