//! Pages for a card in the hand: its code is typed, scanned or opened from its QR code, and the copy is registered.

mod batch;
mod pictures;
mod submit;
mod typed;
mod words;

pub(super) use batch::{show_batch, submit_batch};
pub(super) use pictures::{draw_picture, picture_path};
pub(super) use submit::{show_submit, submit, submitted};
pub(super) use typed::TypedCode;
