//! Pages for people: HTML over the use cases of [`crate::app`], beside the API and with the same answers.
//!
//! Pages tell what the API would tell the same reader: a stranger, or who is logged in in this browser. All of their text stands in `words.rs`, what they load in `assets.rs`; docs/PAGES.md says how to add one.

mod accounts;
mod assets;
mod catalogue;
mod cross_site;
mod decks;
mod docs;
mod errors;
mod forms;
mod headers;
mod home;
mod markup;
mod page;
mod serials;
mod session;
mod words;

use actix_web::middleware::from_fn;
use actix_web::web::{self, ServiceConfig};

use crate::app::problem::{Problem, ProblemCode};
use crate::http::failures::ErrorPages;
use crate::http::middleware::deadline;
use crate::http::middleware::rate_limit::UncountedFiles;

/// A page, which can only be read.
macro_rules! page {
    ($path:literal, $handler:path) => {
        web::resource($path)
            .wrap(from_fn(deadline::limit))
            .route(web::get().to($handler))
            .route(web::head().to($handler))
            .default_service(web::to(async || Err::<&str, Problem>(only_reading())))
    };
}

/// A page with a form, which is read, and sent back to the same address or to another one.
macro_rules! form {
    ($path:literal, $show:path, $send:path) => {
        web::resource($path)
            .wrap(from_fn(deadline::limit))
            .wrap(from_fn(cross_site::refuse))
            .route(web::get().to($show))
            .route(web::head().to($show))
            .route(web::post().to($send))
            .default_service(web::to(async || {
                Err::<&str, Problem>(
                    Problem::new(ProblemCode::MethodNotAllowed).allow("GET, HEAD, POST".to_owned()),
                )
            }))
    };
}

/// What a button does that has no page of its own.
macro_rules! action {
    ($path:literal, $handler:path) => {
        web::resource($path)
            .app_data(session::NoWayBack)
            .wrap(from_fn(deadline::limit))
            .wrap(from_fn(cross_site::refuse))
            .route(web::post().to($handler))
            .default_service(web::to(async || {
                Err::<&str, Problem>(
                    Problem::new(ProblemCode::MethodNotAllowed).allow("POST".to_owned()),
                )
            }))
    };
}

/// Mounts the pages, and what they load.
pub fn configure(config: &mut ServiceConfig) {
    config
        .app_data(ErrorPages(errors::write))
        .app_data(UncountedFiles(assets::is_asset))
        .service(page!("/", home::find_home))
        .service(page!("/cards/{game}/{set}/{number}", catalogue::find_card))
        .service(form!("/login", accounts::show_log_in, accounts::log_in))
        .service(action!("/logout", accounts::log_out))
        .service(form!("/join", accounts::show_join, accounts::join))
        .service(form!("/recover", accounts::show_recover, accounts::recover))
        .service(page!("/my/account", accounts::find_account))
        .service(action!("/my/account/settings", accounts::change_settings))
        .service(action!("/my/sessions/{session}/end", accounts::end_session))
        .service(form!("/my/password", accounts::show_password, accounts::change_password))
        .service(form!(
            "/my/recovery-codes",
            accounts::show_recovery_codes,
            accounts::replace_recovery_codes
        ))
        .service(form!(
            "/my/second-factor",
            accounts::show_second_factor,
            accounts::begin_second_factor
        ))
        .service(action!("/my/second-factor/confirm", accounts::confirm_second_factor))
        .service(action!("/my/second-factor/switch-off", accounts::switch_off_second_factor))
        .service(action!("/my/second-factor/recovery-codes", accounts::replace_second_factor_codes))
        .service(form!("/my/tokens", accounts::show_tokens, accounts::create_token))
        .service(action!("/my/tokens/{token}/revoke", accounts::revoke_token))
        .service(page!("/my/events", accounts::find_events))
        .service(action!("/my/events/settings", accounts::change_event_settings))
        .service(form!("/submit", serials::show_submit, serials::submit))
        .service(form!("/submit/batch", serials::show_batch, serials::submit_batch))
        .service(page!("/decks", decks::list_decks))
        .service(form!("/decks/check", decks::show_check, decks::check))
        .service(page!("/decks/{deck}", decks::find_deck))
        .service(page!("/decks/{deck}/chart", decks::draw_chart))
        .service(page!("/decks/{deck}/export", decks::export))
        .service(form!("/decks/{deck}/edit", decks::show_edit, decks::save))
        .service(action!("/decks/{deck}/delete", decks::delete))
        .service(action!("/decks/{deck}/undelete", decks::undelete))
        .service(page!("/my/decks", decks::list_own_decks))
        .service(form!("/my/decks/new", decks::show_new, decks::create))
        .service(page!("/pictures/{card}", serials::draw_picture))
        .service(page!("/assets/{hash}/{file}", assets::find_asset))
        .service(page!("/search", catalogue::find_cards))
        .service(page!("/search/help", catalogue::find_search_help))
        .service(page!("/sets/{game}/{set}", catalogue::find_set))
        .service(page!("/games/{game}", catalogue::find_game))
        .service(page!("/favicon.svg", assets::find_icon))
        .service(page!("/robots.txt", assets::find_robots))
        .service(page!("/docs", docs::redirect))
        .service(page!("/docs/{file:.*}", docs::find_file));
}

fn only_reading() -> Problem {
    Problem::new(ProblemCode::MethodNotAllowed).allow("GET, HEAD".to_owned())
}
