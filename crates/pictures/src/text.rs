//! How texts are written in SVG.

use askama::Template;

use crate::metrics::Style;
use crate::runs::{Run, Tidy};
use crate::shapes::{Anchor, Block};

/// Fonts of readers, the most alike to the bundled one first. A value of an attribute that needs no escaping.
///
/// Fonts of emoji are not among them: they have digits and spaces, wide ones, which readers without any of the first fonts would see in
/// texts. Browsers look for emoji in all fonts that are there.
pub(crate) const FAMILIES: &str = "'Noto Sans','Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";

/// The same for texts of emoji alone: some fonts of letters have black ones.
pub(crate) const EMOJI_FAMILIES: &str =
    "'Noto Color Emoji','Apple Color Emoji','Segoe UI Emoji',sans-serif";

/// Lines of one look. Askama escapes what they say.
#[derive(Template)]
#[template(path = "text.svg")]
pub(crate) struct TextTemplate<'a> {
    pub(crate) block: &'a Block,
    pub(crate) fill: String,
    pub(crate) outline: bool,
    /// What all runs have in common, said once; `None`: each says its own.
    pub(crate) anchor: Option<Anchor>,
    pub(crate) runs: Vec<Run<'a>>,
}

/// A number as the templates write it.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "templates pass fields so")]
pub(crate) fn tidy(number: &f32) -> Tidy {
    Tidy(*number)
}
