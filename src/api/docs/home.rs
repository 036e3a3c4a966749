//! The page at `/`: what this is, and where to go on.

use std::sync::LazyLock;

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use serde::Serialize;

use super::guides::{GUIDES, Guide};
use super::page::Page;
use crate::app::problem::Problem;
use crate::http::extract::prefers_json;
use crate::memory::rendered::{Freshness, Rendered};

#[derive(Template)]
#[template(path = "api/docs/home.html")]
struct HomePage<'a> {
    title: &'a str,
    version: &'a str,
    guides: &'a [Guide],
    current: &'a str,
}

/// The same for programs.
#[derive(Serialize)]
struct Home {
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

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A page, or JSON for those who would rather have that.
pub(super) async fn find_home(req: HttpRequest) -> Result<HttpResponse, Problem> {
    static PAGE: LazyLock<Result<Page, Problem>> = LazyLock::new(|| {
        Page::of(&HomePage { title: "Cardscape", version: VERSION, guides: GUIDES, current: "" })
    });
    let mut answer = if prefers_json(&req) {
        Rendered::new(Freshness::Public(300), None, &home())?.answer(&req)
    } else {
        PAGE.as_ref().map_err(Problem::clone)?.answer(&req)
    };
    answer.headers_mut().append(header::VARY, HeaderValue::from_static("Accept"));
    Ok(answer)
}

fn home() -> Home {
    let link =
        |guide: &Guide| GuideLink { about: guide.about, url: format!("/docs/{}", guide.name) };
    Home {
        name: "Cardscape",
        version: VERSION,
        contract: "/openapi.json",
        docs: "/docs/",
        problems: "/problems",
        health: "/healthz",
        guides: GUIDES.iter().map(link).collect(),
    }
}
