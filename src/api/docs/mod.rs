//! Documentation for people: the page at `/`, the guides, and the contract in Swagger UI. None of this is part of the contract.

mod guides;
mod home;
mod page;
mod swagger;

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};

use super::routes::method_not_allowed;
use crate::app::problem::Problem;

/// A resource that can only be read.
macro_rules! read_only {
    ($path:literal, $handler:path) => {
        web::resource($path)
            .route(web::get().to($handler))
            .route(web::head().to($handler))
            .default_service(web::to(async || method_not_allowed(&["get"])))
    };
}

/// Mounts `/` and `/docs/`.
pub(super) fn configure(config: &mut web::ServiceConfig) {
    config
        .service(read_only!("/", home::find_home))
        .service(read_only!("/docs", redirect))
        .service(read_only!("/docs/{file:.*}", find_file));
}

/// The relative addresses of Swagger UI need the slash.
async fn redirect() -> HttpResponse {
    HttpResponse::PermanentRedirect().insert_header((header::LOCATION, "/docs/")).finish()
}

async fn find_file(req: HttpRequest, file: web::Path<String>) -> Result<HttpResponse, Problem> {
    let page = match file.as_str() {
        page::STYLES => Some(page::styles()),
        name => swagger::file(name).or_else(|| guides::page(name)),
    };
    page.map(|page| page.answer(&req)).ok_or_else(Problem::not_found)
}
