//! Pages for people: HTML over the use cases of [`crate::app`], in addition to the API and with the same data.
//!
//! Pages show what the API would show the same reader: a stranger, or the account that is logged in in this browser. All of their text is in `words.rs`, the
//! files that they load are in `assets.rs`; docs/PAGES.md explains how to add a page.

#[macro_use]
mod mounting;

mod accounts;
mod admin;
mod assets;
mod catalogue;
mod collection;
mod copies;
mod cross_site;
mod decks;
mod designs;
mod docs;
mod errors;
mod fault_words;
mod feedback;
mod forms;
mod headers;
mod home;
mod markup;
mod page;
mod page_status;
mod qr_code;
mod rules;
mod serials;
mod session;
mod set_choices;
mod words;

use crate::http::failures::ErrorPages;
use crate::http::middleware::rate_limit::UncountedFiles;
use crate::http::router::Mounts;

/// Mounts the pages and their files.
pub fn configure(config: &mut Mounts<'_>) {
    config
        .app_data(ErrorPages(errors::write))
        .app_data(UncountedFiles(assets::is_asset))
        .service(page!("/", home::find_home))
        .service(page!("/assets/{hash}/{file}", assets::find_asset))
        .service(page!("/favicon.svg", assets::find_icon))
        .service(page!("/robots.txt", assets::find_robots))
        .configure(catalogue::configure)
        .configure(serials::configure)
        .configure(accounts::configure)
        .configure(decks::configure)
        .configure(designs::configure)
        .configure(admin::configure)
        .configure(copies::configure)
        .configure(collection::configure)
        .configure(docs::configure);
}
