//! The requests to webhooks, as the document describes them: Standard Webhooks 1.0
//! (<https://www.standardwebhooks.com>).

use utoipa::openapi::path::{
    HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem, Paths,
};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{Object, Type};
use utoipa::openapi::{Content, Ref, RefOr, Required, ResponseBuilder};

const HEADERS: &[(&str, &str)] = &[
    ("webhook-id", "Id of the delivery, the same at every try."),
    ("webhook-timestamp", "When it was sent: seconds since 1970."),
    (
        "webhook-signature",
        "`v1,` and the HMAC-SHA256, in Base64, over id, timestamp and body, joined by dots. During a change of the secret there are two, separated by a space.",
    ),
];

/// The requests that a receiver gets.
pub(super) fn posted() -> Paths {
    let mut paths = Paths::new();
    let change = "Something happened to the catalogue: an item of `GET /v1/changes`.";
    let ping = "An admin tries the webhook.";
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
        .description("Any status of 200 to 299 says that it was received. All else is tried again.")
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
