//! Documentation for people: the guides, and the contract in Swagger UI. These pages are not part of the contract.

mod directory;
mod guides;
mod page;
mod swagger;
mod words;

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::problem::Problem;
use crate::http::router::Mounts;

pub(super) use directory::find_directory;
pub(super) use guides::{GUIDES, Guide};

/// Mounts the routes of this module.
pub(super) fn configure(config: &mut Mounts<'_>) {
    config.service(page!("/docs", redirect)).service(page!("/docs/{file:.*}", find_file));
}

/// The relative addresses of Swagger UI need the slash at the end.
async fn redirect() -> HttpResponse {
    HttpResponse::PermanentRedirect().insert_header((header::LOCATION, "/docs/")).finish()
}

/// Answers a guide, the reference, or a file that they load.
async fn find_file(req: HttpRequest, file: web::Path<String>) -> Result<HttpResponse, Problem> {
    let page = match file.as_str() {
        page::STYLES => Some(page::styles()),
        name => swagger::file(name).or_else(|| guides::page(name)),
    };
    page.map(|page| page.answer(&req)).ok_or_else(Problem::not_found)
}
