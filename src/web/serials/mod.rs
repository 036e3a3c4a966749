//! Pages to register a copy: its serial code is typed, scanned, or opened from its QR code.

mod batch;
mod claim;
mod newcomer;
mod pictures;
mod submit;
mod typed;
pub(in crate::web) mod words;

pub(super) use pictures::picture_path;
pub(super) use submit::submitted;
pub(super) use typed::TypedCode;

use crate::http::router::Mounts;

use batch::{show_batch, submit_batch};
use pictures::draw_picture;
use submit::{show_submit, submit};

/// Mounts the routes of this module.
pub(super) fn configure(config: &mut Mounts<'_>) {
    config
        .service(form!("/submit", show_submit, submit))
        .service(form!("/submit/batch", show_batch, submit_batch))
        .service(page!("/pictures/{card}", draw_picture));
}
