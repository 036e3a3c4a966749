//! Whom a path is for: programs (the paths of the contract) or people (pages).

use actix_web::HttpRequest;

use crate::http::extract::prefers_json;

/// The paths for programs, which the contract describes.
const FOR_PROGRAMS: [&str; 6] =
    ["/v1", "/problems", "/openapi.json", "/healthz", "/readyz", "/metrics"];

/// The first page, which also has a form for programs.
const HOME: &str = "/";

/// The path of a request as the router decodes it: `/%76%31/games` is `/v1/games`. Code that compared the path as it was sent would decide about another route
/// than the one that answers.
pub fn decoded_path(req: &HttpRequest) -> &str {
    req.match_info().as_str()
}

/// Whether the response is for a program: the path belongs to the contract, or it is the first page and the client requests JSON. All other paths answer with
/// pages and their files.
pub fn is_for_programs(req: &HttpRequest) -> bool {
    let path = decoded_path(req);
    is_of_contract(path) || (path == HOME && prefers_json(req))
}

/// Whether scripts of other sites may send preflights to the path: a preflight does not state the form that the script will request.
pub fn may_be_asked_by_scripts(req: &HttpRequest) -> bool {
    let path = decoded_path(req);
    is_of_contract(path) || path == HOME
}

fn is_of_contract(path: &str) -> bool {
    FOR_PROGRAMS.iter().any(|place| {
        path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn is_for_programs_with(path: &str, accept: &str) -> bool {
        is_for_programs(
            &TestRequest::with_uri(path).insert_header(("accept", accept)).to_http_request(),
        )
    }

    #[test]
    fn the_contract_is_for_programs_and_all_other_paths_for_people() {
        for path in [
            "/v1",
            "/v1/",
            "/v1/cards",
            "/problems/not_found",
            "/openapi.json",
            "/readyz",
            "/%76%31/games",
            "/v%31",
        ] {
            assert!(is_for_programs_with(path, "text/html"), "{path}");
        }
        for path in [
            "/",
            "/v10",
            "/cards/ttcg/hearth/001",
            "/docs/api",
            "/problem",
            "/assets/x",
            "/%76%31%30",
            "/v1%2Fgames",
        ] {
            assert!(!is_for_programs_with(path, "text/html"), "{path}");
        }
    }

    #[test]
    fn the_first_page_is_for_programs_that_request_json() {
        assert!(is_for_programs_with("/", "application/json"));
        assert!(!is_for_programs_with("/", "*/*"));
        assert!(!is_for_programs_with("/search", "application/json"));
    }
}
