//! Deck files in XML, of Magic Online and Cockatrice. They are refused as a whole: both programs also write lists as text.

use std::borrow::Cow;

use super::draft::{Content, Draft, Source};
use super::read_deck::{IgnoredReason, MalformedText};

/// The refusal of a deck file in XML; `None`: the text is no such file.
pub(super) fn draft(source: Source<'_>) -> Option<Draft<'_>> {
    let text = source.raw.trim_start();
    let begins =
        |head: &str| text.get(..head.len()).is_some_and(|text| text.eq_ignore_ascii_case(head));
    if !["<?xml", "<deck", "<cockatrice_deck"].into_iter().any(begins) {
        return None;
    }
    let detail = if text.contains("<cockatrice_deck") {
        MalformedText::CockatriceFile
    } else if text.contains("<Deck") {
        MalformedText::MagicOnlineFile
    } else {
        MalformedText::Xml
    };
    let mut draft = Draft::default();
    let line = 1 + source.raw[..source.raw.len() - text.len()].matches('\n').count();
    let first = text.lines().next().unwrap_or_default().trim();
    draft.push(line, Cow::Borrowed(first), Content::Ignored(IgnoredReason::Malformed { detail }));
    Some(draft)
}
