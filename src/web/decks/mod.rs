//! Pages of decks: the check of lists, public decks, and the decks of the visitor.

mod availability;
mod check;
mod comments;
mod copy;
mod deck;
mod edit;
mod faults;
mod feedback;
mod files;
mod formats;
mod hidden_comments;
mod list_file;
mod own;
mod proxies;
mod public;
mod qr;
mod reading;
mod report;
mod revisions;
mod sheet;
mod typed_deck;
mod words;

use crate::http::router::Mounts;
use uuid::Uuid;

use check::{check, show_check};
use deck::find_deck;
use edit::{create, delete, save, show_edit, show_new, undelete};
use files::{draw_chart, export};
use own::list_own_decks;
use proxies::show_proxies;
use public::list_decks;
use qr::draw_qr_code;
use revisions::{find_revision, list_revisions, restore};

/// The page of a deck.
pub(super) fn deck_path(id: Uuid) -> String {
    format!("/decks/{id}")
}

/// Mounts the routes of this module.
pub(super) fn configure(config: &mut Mounts<'_>) {
    config
        .service(page!("/decks", list_decks))
        .service(form!("/decks/check", show_check, check))
        .service(page!("/decks/{deck}", find_deck))
        .service(page!("/decks/{deck}/chart", draw_chart))
        .service(page!("/decks/{deck}/export", export))
        .service(page!("/decks/{deck}/qr.svg", draw_qr_code))
        .service(page!("/decks/{deck}/proxies", show_proxies))
        .service(page!("/decks/{deck}/revisions", list_revisions))
        .service(page!("/decks/{deck}/revisions/{revision}", find_revision))
        .service(action!("/decks/{deck}/restore", restore))
        .service(form!("/decks/{deck}/copy", copy::show_copy, copy::copy))
        .service(action!("/decks/{deck}/like", feedback::like))
        .service(action!("/decks/{deck}/watch", feedback::watch))
        .service(action!("/decks/{deck}/follow", feedback::follow))
        .service(action!("/decks/{deck}/comments", comments::create))
        .service(form!("/decks/{deck}/comments/{comment}", comments::show, comments::save))
        .service(action!(
            "/decks/{deck}/comments/{comment}/delete",
            comments::delete,
            "/decks/{deck}"
        ))
        .service(page!("/decks/{deck}/comments/{comment}/replies", comments::list_replies))
        .service(action!(
            "/decks/{deck}/comments/{comment}/hide",
            hidden_comments::hide,
            "/decks/{deck}"
        ))
        .service(action!(
            "/decks/{deck}/comments/{comment}/show",
            hidden_comments::show,
            "/decks/{deck}"
        ))
        .service(page!("/decks/{deck}/hidden-comments", hidden_comments::list))
        .service(form!("/decks/{deck}/report", comments::show_report, comments::report))
        .service(form!("/decks/{deck}/edit", show_edit, save))
        .service(action!("/decks/{deck}/edit/file", list_file::read_of_stored))
        .service(action!("/decks/{deck}/delete", delete))
        .service(action!("/decks/{deck}/undelete", undelete, "/my/decks?deleted=true"))
        .service(page!("/my/decks", list_own_decks))
        .service(form!("/my/decks/new", show_new, create))
        .service(action!("/my/decks/new/file", list_file::read_of_new));
}
