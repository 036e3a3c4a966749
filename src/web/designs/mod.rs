//! Pages of card designs: the gallery, each design with its feedback, the designer, and reviews.

pub(super) mod artwork;
mod authors;
pub(super) mod changes;
mod comments;
pub(super) mod content;
mod design;
mod designer;
mod designer_page;
mod draft;
mod faults;
mod fields;
mod gallery;
mod hidden_comments;
mod own;
mod pictures;
mod pointers;
mod queue;
mod ratings;
mod release_words;
mod releases;
mod reports;
mod review_paths;
mod reviews;
mod revisions;
mod steps;
mod suggestions;
mod templates;
mod tiles;
mod verdict;
mod words;
mod work;

use std::fmt::Display;

use crate::app::problem::Problem;
use crate::domain::designs::identifier::DesignCode;
use crate::http::router::Mounts;

/// The page of a design.
pub(super) fn design_path(id: impl Display) -> String {
    format!("/designs/{id}")
}

/// The identifier of the design in a path; an invalid identifier answers 404.
fn identifier(typed: &str) -> Result<DesignCode, Problem> {
    DesignCode::parse(typed).map_err(|_| Problem::not_found())
}

/// Mounts the routes of this module.
pub(super) fn configure(config: &mut Mounts<'_>) {
    config
        .service(page!("/designs", gallery::list_designs))
        .service(page!("/designs/{design}", design::find_design))
        .service(page!("/designs/{design}/picture", pictures::draw_picture))
        .service(form!("/designs/{design}/edit", designer::show_edit, designer::send_edit))
        .service(form!("/designs/{design}/suggest", designer::show_change, designer::send_change))
        .service(form!("/designs/{design}/artwork", artwork::show, artwork::send))
        .service(form!("/designs/{design}/steps/{step}", steps::show, steps::take))
        .service(page!("/designs/{design}/revisions", revisions::list))
        .service(action!("/designs/{design}/restore", revisions::restore))
        .service(action!("/designs/{design}/rating", ratings::rate))
        .service(action!("/designs/{design}/comments", comments::create))
        .service(form!("/designs/{design}/comments/{comment}", comments::show, comments::save))
        .service(action!(
            "/designs/{design}/comments/{comment}/delete",
            comments::delete,
            "/designs/{design}"
        ))
        .service(page!("/designs/{design}/comments/{comment}/replies", comments::list_replies))
        .service(action!(
            "/designs/{design}/comments/{comment}/hide",
            hidden_comments::hide,
            "/designs/{design}"
        ))
        .service(action!(
            "/designs/{design}/comments/{comment}/show",
            hidden_comments::show,
            "/designs/{design}"
        ))
        .service(page!("/designs/{design}/hidden-comments", hidden_comments::list))
        .service(form!("/designs/{design}/report", reports::show, reports::send))
        .service(page!("/designs/{design}/suggestions", suggestions::list))
        .service(page!("/designs/{design}/suggestions/{suggestion}", suggestions::find))
        .service(action!("/designs/{design}/suggestions/{suggestion}/answer", suggestions::answer))
        .service(page!("/my/designs", own::list_own_designs))
        .service(page!("/my/artworks/{artwork}", artwork::download))
        .service(form!("/designer", designer::show_new, designer::send_new))
        .service(page!("/designer/picture", pictures::sketch))
        .service(page!("/designers/{author}", authors::find_author))
        .service(action!("/designers/{author}/follow", authors::follow))
        .service(form!("/designers/{author}/report", reports::show_author, reports::send_author))
        .service(page!("/reviews/designs", queue::list))
        .service(form!("/reviews/designs/{design}", reviews::show, reviews::decide))
        .service(action!("/reviews/designs/{design}/claim", reviews::claim))
        .service(action!("/reviews/designs/{design}/return", reviews::give_back))
        .service(action!("/reviews/designs/{design}/revoke", reviews::revoke))
        .service(form!("/reviews/designs/{design}/release", releases::show, releases::send));
}
