//! The requests to webhooks, as the document describes them: Standard Webhooks 1.0
//! (<https://www.standardwebhooks.com>).

use utoipa::openapi::path::{
    HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem, Paths,
};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{Object, Type};
use utoipa::openapi::{Content, Ref, RefOr, Required, ResponseBuilder};

const HEADERS: &[(&str, &str)] = &[
    ("webhook-id", "Id of the delivery, the same in every attempt."),
    ("webhook-timestamp", "Time of this attempt, in seconds since 1970-01-01T00:00:00Z."),
    (
        "webhook-signature",
        "`v1,` and the HMAC-SHA256, in Base64, of id, timestamp and body, joined by dots. After the secret was replaced there are two signatures for some time, separated by a space.",
    ),
];

/// The requests that a receiver gets.
pub(super) fn posted() -> Paths {
    let mut paths = Paths::new();
    let change = "Reports an event of the catalogue: an item of `GET /v1/changes`.";
    let ping = "Tests the webhook, at the request of an admin.";
    for (name, summary, body) in
        [("change", change, "ChangeResponse"), ("ping", ping, "WebhookPing")]
    {
        paths.paths.insert(name.to_owned(), posts(name, summary, body));
    }
    paths
}

fn posts(name: &str, summary: &str, body: &str) -> PathItem {
    let content = Content::new(Some(RefOr::Ref(Ref::from_schema_name(body))));
    let body = RequestBodyBuilder::new()
        .content("application/json", content)
        .required(Some(Required::True))
        .build();
    let received = ResponseBuilder::new()
        .description("Any status from 200 to 299 means that the delivery was received. Otherwise it is tried again, except for a ping; 410 disables the webhook.")
        .build();
    let operation = OperationBuilder::new()
        .operation_id(Some(format!("receive_{name}")))
        .tag("operations")
        .summary(Some(summary))
        .parameters(Some(HEADERS.iter().map(header)))
        .request_body(Some(body))
        .securities(Some(Vec::new()))
        .response("2XX", received)
        .build();
    PathItem::new(HttpMethod::Post, operation)
}

fn header((name, description): &(&str, &str)) -> Parameter {
    ParameterBuilder::new()
        .name(*name)
        .parameter_in(ParameterIn::Header)
        .required(Required::True)
        .description(Some(*description))
        .schema(Some(Object::with_type(Type::String)))
        .build()
}
