//! The directory of the service as JSON, for programs that request the first page.

use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;

use super::guides::{GUIDES, Guide};
use super::words as docs_words;
use crate::app::problem::Problem;
use crate::memory::rendered::{Freshness, Rendered};
use crate::web::headers::protected;

#[derive(Serialize)]
struct Directory {
    name: &'static str,
    version: &'static str,
    contract: &'static str,
    docs: &'static str,
    problems: &'static str,
    health: &'static str,
    guides: Vec<GuideLink>,
}

#[derive(Serialize)]
struct GuideLink {
    about: &'static str,
    url: String,
}

/// The first page as JSON.
pub(in crate::web) fn find_directory(req: &HttpRequest) -> Result<HttpResponse, Problem> {
    Ok(protected(Rendered::new(Freshness::Public(300), None, &directory())?.answer(req)))
}

fn directory() -> Directory {
    let link =
        |guide: &Guide| GuideLink { about: guide.about, url: format!("/docs/{}", guide.name) };
    Directory {
        name: docs_words::NAME,
        version: env!("CARGO_PKG_VERSION"),
        contract: "/openapi.json",
        docs: "/docs/",
        problems: "/problems",
        health: "/healthz",
        guides: GUIDES.iter().map(link).collect(),
    }
}
