//! Parts of the OpenAPI document that are common to all operations, and examples for all bodies.

mod examples;
mod webhooks;

use std::collections::BTreeMap;

use serde_json::Value;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::{Parameter, ParameterBuilder};
use utoipa::openapi::schema::{ArrayItems, Components, Object, Schema, Type};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::server::ServerBuilder;
use utoipa::openapi::{
    Content, KnownFormat, OpenApi, Ref, RefOr, Required, Response, ResponseBuilder, SchemaFormat,
    path::Operation, path::ParameterIn,
};
use utoipa::{Modify, OpenApi as _};

use super::problem_help::ProblemHelp;
use crate::app::operations::webhooks::WebhookPing;
use crate::app::problem::{InputFault, ProblemCode};
use crate::http::middleware::rate_limit::PROBES;
use crate::http::problem::ProblemBody;

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Cardscape",
        description = "A card database and collection service. Players submit the serial codes of cards that they own, and so \
                       unlock cards for everybody; deck builders check decks against the construction rules of each game.\n\n\
                       Errors are RFC 9457 problems with a stable `code`; `GET /problems` lists all of them.",
    ),
    tags(
        (name = "accounts", description = "Registration, recovery, passwords, second factors, events, blocks."),
        (name = "sessions", description = "Log-ins, refresh of tokens, log-outs, personal access tokens."),
        (name = "catalogue", description = "Games, formats, sets, cards and printings."),
        (name = "effects", description = "Templates of effect texts, the sentences that they produce, and the templates that match a sentence."),
        (name = "serials", description = "Submissions of serials, unlocks, print runs."),
        (name = "copies", description = "Registered copies, their history, trades and disputes."),
        (name = "decks", description = "Deck lists, and reports on which construction rules they break."),
        (name = "designs", description = "Card designs of players: what an editor needs to know about a game, suggestions, checks, revisions, sharing, reviews."),
        (name = "collection", description = "What players own, want and would give away."),
        (name = "operations", description = "Webhooks and the audit log, for admins."),
        (name = "service", description = "Health, metrics, error codes."),
    ),
    components(schemas(ProblemBody, InputFault, WebhookPing)),
    modifiers(&Common)
)]
struct Base;

/// Completes a document of operations with the common parts, and with an example for each body.
pub(super) fn completed(mut document: OpenApi) -> OpenApi {
    document.merge(Base::openapi());
    document.info = Base::openapi().info;
    document.tags = Base::openapi().tags;
    Common.modify(&mut document);
    add_examples(&mut document);
    document
}

/// Parts that all operations share: authentication, and problems that can occur everywhere.
struct Common;

impl Modify for Common {
    fn modify(&self, document: &mut OpenApi) {
        let components = document.components.get_or_insert_default();
        let mut bearer = Http::new(HttpAuthScheme::Bearer);
        bearer.description = Some(
            "An access token from `POST /v1/sessions`, or a personal access token (`csp_…`)."
                .to_owned(),
        );
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
        name_items(components);
        document.webhooks = Some(webhooks::posted());
        let here = "The instance that serves this document.";
        document.servers =
            Some(vec![ServerBuilder::new().url("/").description(Some(here)).build()]);
        for (path, item) in &mut document.paths.paths {
            let methods =
                [&mut item.get, &mut item.put, &mut item.post, &mut item.delete, &mut item.patch];
            for operation in methods.into_iter().flatten() {
                describe_answers(operation, components);
                mark_files(operation);
                let_body_be_left_out(operation);
                complete(path, operation);
            }
        }
    }
}

/// Replaces the inline schemas of page items by references: utoipa inlines type parameters.
fn name_items(components: &mut Components) {
    let mut items = BTreeMap::new();
    for (name, schema) in &mut components.schemas {
        if let Some(item) = name.strip_prefix("Page_")
            && let RefOr::T(Schema::Object(page)) = schema
            && let Some(RefOr::T(Schema::Array(data))) = page.properties.get_mut("data")
        {
            let named = RefOr::Ref(Ref::from_schema_name(item));
            let named = ArrayItems::RefOrSchema(Box::new(named));
            if let ArrayItems::RefOrSchema(schema) = std::mem::replace(&mut data.items, named) {
                items.insert(item.to_owned(), *schema);
            }
        }
    }
    for (name, schema) in items {
        components.schemas.entry(name).or_insert(schema);
    }
}

/// Adds descriptions to responses that have none, from the body's schema or else from the status. OpenAPI requires a
/// description.
fn describe_answers(operation: &mut Operation, components: &Components) {
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(response) = response else { continue };
        if response.description.is_empty() {
            let body = response.content.values().find_map(|content| match content {
                RefOr::T(content) => described(content.schema.as_ref()?, components),
                RefOr::Ref(_) => None,
            });
            let of_status = match status.as_str() {
                "201" => "Created.",
                "202" => "Accepted: the request is carried out later.",
                "204" => "Done.",
                _ => "The requested content.",
            };
            response.description = body.unwrap_or_else(|| of_status.to_owned());
        }
    }
}

/// The description of a schema, or of the schema that it refers to.
fn described(schema: &RefOr<Schema>, components: &Components) -> Option<String> {
    let schema = match schema {
        RefOr::T(schema) => schema,
        RefOr::Ref(reference) => {
            let name = reference.ref_location.rsplit('/').next()?;
            match components.schemas.get(name)? {
                RefOr::T(schema) => schema,
                RefOr::Ref(_) => return None,
            }
        }
    };
    let description = match schema {
        Schema::Object(object) => &object.description,
        Schema::Array(array) => &array.description,
        Schema::OneOf(one_of) => &one_of.description,
        Schema::AllOf(all_of) => &all_of.description,
        Schema::AnyOf(any_of) => &any_of.description,
        _ => return None,
    };
    description.clone()
}

const UNREADABLE: &str = "The request cannot be read.";
/// The same for an operation without a body.
const UNREADABLE_WITHOUT_BODY: &str = "`invalid_query`: a parameter is unknown, missing or has a wrong value; `invalid_header`: a header has a wrong value.";
/// What is added to the description of an operation's own 403, and to that of its own 429.
const TOKEN_REFUSED: &str =
    "`scope_missing`, `login_required`: the scope or the kind of token does not allow this.";
const RATE_LIMITED: &str = "`rate_limited`: too many requests.";

fn complete(path: &str, operation: &mut Operation) {
    let secured = operation.security.as_ref().is_some_and(|security| !security.is_empty());
    let parameters: Vec<&Parameter> = operation
        .parameters
        .iter()
        .flatten()
        .filter_map(|parameter| match parameter {
            RefOr::T(parameter) => Some(parameter),
            RefOr::Ref(_) => None,
        })
        .collect();
    let has = |fits: fn(&Parameter) -> bool| parameters.iter().any(|parameter| fits(parameter));
    let has_path = has(|parameter| matches!(parameter.parameter_in, ParameterIn::Path));
    let has_pages = has(|parameter| parameter.name == "cursor");
    let has_key = has(|parameter| parameter.name == "Idempotency-Key");
    let has_body = operation.request_body.is_some();

    let mut common = vec![
        ("400", if has_body { UNREADABLE } else { UNREADABLE_WITHOUT_BODY }),
        ("405", "The resource does not support this method: see `Allow`."),
        ("406", "`Accept-Encoding` excludes every form of the answer."),
        ("429", "Too many requests: `Retry-After` is the time to wait."),
        ("500", "A fault of the service."),
        ("503", "Not available at this moment: `Retry-After` is the time to wait."),
    ];
    if has_path {
        common.push(("404", "There is nothing here, or nothing that you may see."));
    }
    if has_body {
        common.push(("408", "The body did not arrive in time."));
        common.push(("413", "The body is too large."));
        common.push((
            "415",
            "The body has a media type that this route does not accept, or a `Content-Encoding`.",
        ));
        common.push(("422", "The body has unknown, missing or wrong values: see `errors`."));
    }
    if secured {
        common.push(("401", "There is no token, or it is not valid."));
        common.push(("403", "The role, the scope or the kind of token does not allow this."));
    }
    // Probes are not rate-limited, and document their other responses themselves.
    if PROBES.contains(&path) {
        common.retain(|(status, _)| ["400", "405", "406"].contains(status));
    }
    for (status, description) in common {
        let exists = operation.responses.responses.contains_key(status);
        if !exists {
            let response = ResponseBuilder::new().description(description).build();
            operation.responses.responses.insert(status.to_owned(), RefOr::T(response));
        }
    }
    if secured {
        name_codes(operation, "403", "scope_missing", TOKEN_REFUSED);
    }
    name_codes(operation, "429", "rate_limited", RATE_LIMITED);
    if operation.responses.responses.contains_key("304") {
        operation.parameters.get_or_insert_default().push(RefOr::T(if_none_match()));
        describe(operation, "200", "ETag", "Version of the answer, for `If-None-Match`.");
    }
    if has_pages {
        describe(operation, "200", "Link", "The next page, if there is one (RFC 8288).");
    }
    if has_key {
        describe(operation, "409", "Retry-After", "Seconds to wait, if it is in progress.");
    }
    repeat_headers(operation);
    // An empty list states that no token is needed; without it, generators take this as unknown.
    operation.security.get_or_insert_default();
    let statuses: Vec<String> = operation.responses.responses.keys().cloned().collect();
    for status in &statuses {
        describe(operation, status, "X-Request-Id", "Id of the request, which is also in the log.");
        match status.as_str() {
            "401" => describe(
                operation,
                status,
                "WWW-Authenticate",
                "How clients authenticate (RFC 6750).",
            ),
            "308" => describe(operation, status, "Location", "The new address, with the query."),
            "405" => describe(operation, status, "Allow", "Methods that the resource supports."),
            "429" | "503" => describe(operation, status, "Retry-After", "Seconds to wait."),
            _ => {}
        }
        if let Some(RefOr::T(response)) = operation.responses.responses.get_mut(status)
            && status.starts_with(['4', '5'])
        {
            problem_content(status, response);
        }
    }
}

/// Adds a sentence with a code to a description that names codes, but not this one.
fn name_codes(operation: &mut Operation, status: &str, code: &str, sentence: &str) {
    if let Some(RefOr::T(response)) = operation.responses.responses.get_mut(status)
        && response.description.starts_with('`')
        && !response.description.contains(&format!("`{code}`"))
    {
        let separator = if response.description.ends_with('.') { " " } else { "; " };
        response.description.push_str(separator);
        response.description.push_str(sentence);
    }
}

fn if_none_match() -> Parameter {
    ParameterBuilder::new()
        .name("If-None-Match")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some("An `ETag` that the client has; 304 if the answer still has it."))
        .schema(Some(Object::with_type(Type::String)))
        .build()
}

/// Documents a header of a response, unless the operation documents it.
fn describe(operation: &mut Operation, status: &str, name: &str, description: &str) {
    if let Some(RefOr::T(response)) = operation.responses.responses.get_mut(status) {
        let header = HeaderBuilder::new()
            .schema(Some(Object::with_type(Type::String)))
            .description(Some(description))
            .build();
        response.headers.entry(name.to_owned()).or_insert(RefOr::T(header));
    }
}

/// Documents the headers of a whole answer also for a part of it (206), and for the answer that it did not change (304).
fn repeat_headers(operation: &mut Operation) {
    let responses = &mut operation.responses.responses;
    let Some(RefOr::T(whole)) = responses.get("200") else { return };
    let headers = whole.headers.clone();
    for status in ["206", "304"] {
        if let Some(RefOr::T(response)) = responses.get_mut(status) {
            for (name, header) in &headers {
                response.headers.entry(name.clone()).or_insert_with(|| header.clone());
            }
        }
    }
}

fn problem_content(status: &str, response: &mut Response) {
    if response.content.is_empty() {
        let mut content = Content::new(Some(RefOr::Ref(Ref::from_schema_name("Problem"))));
        content.example = problem_example(status, &response.description);
        response.content.insert("application/problem+json".to_owned(), RefOr::T(content));
    }
}

/// The codes that most operations can answer with, where others with the same status come first in the table.
const USUAL: [ProblemCode; 3] =
    [ProblemCode::Forbidden, ProblemCode::EditConflict, ProblemCode::RateLimited];

/// An example for the first code in the description, or else for the usual code with that status.
fn problem_example(status: &str, description: &str) -> Option<Value> {
    let has_status = |code: &&ProblemCode| code.status().to_string() == status;
    let quoted = description.split('`').skip(1).step_by(2);
    let mut named = quoted.filter_map(|quoted| {
        ProblemCode::ALL.iter().filter(has_status).find(|code| code.code() == quoted)
    });
    let code = named.next().or_else(|| USUAL.iter().chain(ProblemCode::ALL).find(has_status))?;
    Some(ProblemHelp::about(*code).example.as_example())
}

/// Adds an example, composed from those of the fields, to every body without one.
fn add_examples(document: &mut OpenApi) {
    let Ok(root) = serde_json::to_value(&*document) else { return };
    for item in document.paths.paths.values_mut() {
        let methods =
            [&mut item.get, &mut item.put, &mut item.post, &mut item.delete, &mut item.patch];
        for operation in methods.into_iter().flatten() {
            for (_, content) in contents(operation) {
                if content.example.is_none()
                    && let Some(schema) = &content.schema
                    && let Ok(schema) = serde_json::to_value(schema)
                {
                    content.example = examples::example(&root, &schema, 0);
                }
            }
        }
    }
}

/// The bodies of the request and of all responses of an operation, by media type.
fn contents(operation: &mut Operation) -> impl Iterator<Item = (&str, &mut Content)> {
    let answers =
        operation.responses.responses.values_mut().filter_map(|response| match response {
            RefOr::T(response) => Some(response.content.iter_mut()),
            RefOr::Ref(_) => None,
        });
    let request = match &mut operation.request_body {
        Some(RefOr::T(body)) => Some(body.content.iter_mut()),
        _ => None,
    };
    let all = answers.flatten().chain(request.into_iter().flatten());
    all.filter_map(|(media_type, content)| match content {
        RefOr::T(content) => Some((media_type.as_str(), content)),
        RefOr::Ref(_) => None,
    })
}

/// Marks an optional body as not required. The body cannot be `null` either, although the schema of an `Option` says
/// so.
fn let_body_be_left_out(operation: &mut Operation) {
    let Some(RefOr::T(body)) = &mut operation.request_body else { return };
    for content in body.content.values_mut() {
        if let RefOr::T(content) = content
            && let Some(RefOr::T(Schema::OneOf(either))) = &content.schema
            && let Some(given @ RefOr::Ref(_)) = either.items.first()
            && body.required.is_none()
        {
            content.schema = Some(given.clone());
        }
    }
    body.required.get_or_insert(Required::False);
}

/// Marks files as binary: a generator that takes them for text would encode them.
fn mark_files(operation: &mut Operation) {
    for (media_type, content) in contents(operation) {
        let is_text = matches!(media_type, "text/plain" | "text/event-stream");
        if !is_text && !media_type.ends_with("json") {
            let mut bytes = Object::with_type(Type::String);
            bytes.format = Some(SchemaFormat::KnownFormat(KnownFormat::Binary));
            content.schema = Some(RefOr::T(Schema::Object(bytes)));
        }
    }
}
