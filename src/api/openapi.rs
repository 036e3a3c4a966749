//! The OpenAPI document: what routes.rs mounts, with what all operations have in common.

use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{
    Content, OpenApi, Ref, RefOr, Response, ResponseBuilder, path::Operation, path::ParameterIn,
};
use utoipa::{Modify, OpenApi as _};

use super::middleware::rate_limit::PROBES;
use super::problem::{InputFault, ProblemBody};
use super::routes::Operations;

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Cardscape",
        description = "A card database and collection service. Players register the serial numbers of cards they own and so \
                       unlock the cards for everybody; deck builders check decks against each game's construction rules.\n\n\
                       Errors are RFC 9457 problems with a stable `code`; `GET /problems` lists all of them.",
    ),
    tags(
        (name = "accounts", description = "Register, recover, change the password."),
        (name = "sessions", description = "Log in, refresh, log out, personal access tokens."),
        (name = "catalogue", description = "Games, formats, sets, cards and printings."),
        (name = "serials", description = "Submit serials, follow unlocks, look at print runs."),
        (name = "decks", description = "Deck lists and what is wrong with them."),
        (name = "operations", description = "For admins."),
        (name = "service", description = "Health, metrics, error codes."),
    ),
    components(schemas(ProblemBody, InputFault)),
    modifiers(&Common)
)]
struct Base;

/// The whole document.
pub fn document() -> OpenApi {
    let mut document = Operations::openapi();
    document.merge(Base::openapi());
    document.info = Base::openapi().info;
    document.tags = Base::openapi().tags;
    Common.modify(&mut document);
    document
}

/// What every operation has in common: how to say who you are, and the problems that can happen anywhere.
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
        for (path, item) in &mut document.paths.paths {
            let methods =
                [&mut item.get, &mut item.put, &mut item.post, &mut item.delete, &mut item.patch];
            for operation in methods.into_iter().flatten() {
                complete(path, operation);
            }
        }
    }
}

fn complete(path: &str, operation: &mut Operation) {
    let secured = operation.security.as_ref().is_some_and(|security| !security.is_empty());
    let places: Vec<&ParameterIn> = operation
        .parameters
        .iter()
        .flatten()
        .filter_map(|parameter| match parameter {
            RefOr::T(parameter) => Some(&parameter.parameter_in),
            RefOr::Ref(_) => None,
        })
        .collect();
    let has = |place: fn(&ParameterIn) -> bool| places.iter().any(|found| place(found));
    let has_query = has(|place| matches!(place, ParameterIn::Query));
    let has_path = has(|place| matches!(place, ParameterIn::Path));
    let has_header = has(|place| matches!(place, ParameterIn::Header));
    let has_body = operation.request_body.is_some();

    let mut common = vec![
        ("429", "Too many requests: wait as `Retry-After` says."),
        ("503", "Not available right now."),
    ];
    if has_query || has_header || has_body || has_path {
        common.push(("400", "The request cannot be read."));
    }
    if has_path {
        common.push(("404", "There is nothing here, or nothing that you may see."));
    }
    if has_body {
        common.push(("413", "The body is too large."));
        common.push(("415", "The body is not JSON."));
        common.push(("422", "The body has values that it cannot have: see `errors`."));
    }
    if secured {
        common.push(("401", "No token, or one that is not valid."));
        common.push(("403", "The role, the scope or the kind of token does not allow this."));
    }
    // Probes are not limited, and tell their own story.
    if PROBES.contains(&path) {
        common.clear();
    }
    for (status, description) in common {
        let exists = operation.responses.responses.contains_key(status);
        if !exists {
            let response = ResponseBuilder::new().description(description).build();
            operation.responses.responses.insert(status.to_owned(), RefOr::T(response));
        }
    }
    for (status, response) in &mut operation.responses.responses {
        if let RefOr::T(response) = response
            && matches!(status.as_bytes().first(), Some(b'4' | b'5'))
        {
            problem_content(response);
        }
    }
}

fn problem_content(response: &mut Response) {
    if response.content.is_empty() {
        let content = Content::new(Some(RefOr::Ref(Ref::from_schema_name("Problem"))));
        response.content.insert("application/problem+json".to_owned(), RefOr::T(content));
    }
}
