//! Pages for a card in the hand: its code is typed, scanned or opened from its QR code, and the copy is registered.

mod batch;
mod newcomer;
mod pictures;
mod submit;
mod typed;
mod words;

pub(super) use pictures::picture_path;
pub(super) use submit::submitted;
pub(super) use typed::TypedCode;

use actix_web::web::ServiceConfig;

use batch::{show_batch, submit_batch};
use pictures::draw_picture;
use submit::{show_submit, submit};

/// Mounts the pages of this folder.
pub(super) fn configure(config: &mut ServiceConfig) {
    config
        .service(form!("/submit", show_submit, submit))
        .service(form!("/submit/batch", show_batch, submit_batch))
        .service(page!("/pictures/{card}", draw_picture));
}
