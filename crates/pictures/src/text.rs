//! Writes texts as SVG.

use askama::Template;

use crate::metrics::Style;
use crate::runs::{Rounded, Run};
use crate::shapes::{Anchor, Block};

/// Font families for browsers, those most similar to the bundled font first. Needs no escaping as the value of an
/// attribute.
///
/// Emoji fonts are not included: they also contain wide digits and spaces, which readers without the first fonts would see
/// in texts. Browsers search all installed fonts for emoji.
pub(crate) const FAMILIES: &str = "'Noto Sans','Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";

/// The same for texts of only emoji, because some text fonts contain black emoji.
pub(crate) const EMOJI_FAMILIES: &str =
    "'Noto Color Emoji','Apple Color Emoji','Segoe UI Emoji',sans-serif";

/// Template for lines with the same size, style and colour. Askama escapes the texts.
#[derive(Template)]
#[template(path = "text.svg")]
pub(crate) struct TextTemplate<'a> {
    pub(crate) block: &'a Block,
    pub(crate) fill: String,
    pub(crate) outline: bool,
    /// The common anchor of all runs, which is written once; `None`: each run has its own.
    pub(crate) anchor: Option<Anchor>,
    pub(crate) runs: Vec<Run<'a>>,
}

/// Formats a number for the templates.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "templates pass fields so")]
pub(crate) fn rounded(number: &f32) -> Rounded {
    Rounded(*number)
}
