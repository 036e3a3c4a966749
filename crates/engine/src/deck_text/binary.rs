//! Files that are no text: pictures, archives, documents. They are refused as a whole.

use std::borrow::Cow;

use super::draft::{Content, Draft, Source};
use super::read_deck::{IgnoredReason, MalformedText};

/// How such files begin after their bytes were decoded as text: PNG, JPEG, PDF, ZIP (also office documents), gzip.
const BEGINNINGS: [&str; 6] = ["‰PNG", "ÿØÿ", "%PDF-", "PK\u{3}\u{4}", "\u{1f}‹", "\u{1f}\u{fffd}"];
/// A text may have stray zero bytes, but hardly so many.
const ZEROS_MIN: usize = 3;

/// Whether it is a text, and no file of another kind.
pub(super) fn is_text(raw: &str) -> bool {
    let zeros = || raw.bytes().filter(|byte| *byte == 0).take(ZEROS_MIN).count();
    let is_begun = BEGINNINGS.iter().any(|beginning| raw.starts_with(beginning));
    !is_begun && zeros() < ZEROS_MIN
}

/// The refusal of a file that is no text; `None`: it is one.
pub(super) fn draft(source: Source<'_>) -> Option<Draft<'_>> {
    if is_text(source.raw) {
        return None;
    }
    let mut draft = Draft::default();
    let detail = MalformedText::NotText;
    draft.push(1, Cow::Borrowed(""), Content::Ignored(IgnoredReason::Malformed { detail }));
    Some(draft)
}
