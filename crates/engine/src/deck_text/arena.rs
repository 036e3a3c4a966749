//! Lists of Arena: sections, and cards with set and number.

use std::borrow::Cow;

use super::draft::{Content, Draft, Source};
use super::line::common;
use super::writing::{DeckWriter, Line, WritableParts};
use super::zones::Role;
use crate::deck_text::read_deck::IgnoredReason;

pub(super) fn draft(source: Source<'_>) -> Draft<'_> {
    let mut about = false;
    Draft::of_lines(source, |line| {
        if line.eq_ignore_ascii_case("about") {
            about = true;
            return Content::Ignored(IgnoredReason::Heading);
        }
        if about
            && let Some((word, name)) = line.split_once(' ')
            && word.eq_ignore_ascii_case("name")
        {
            return Content::Note("name", Cow::Borrowed(name.trim()));
        }
        let content = common(line);
        about &= !matches!(content, Content::Section(_));
        content
    })
}

/// The heading of a zone in this and similar lists.
pub(super) fn heading(role: Role) -> &'static str {
    match role {
        Role::Side => "Sideboard",
        Role::Commander => "Commander",
        Role::Companion => "Companion",
        _ => "Deck",
    }
}

pub(super) fn write(writer: &mut DeckWriter<'_>) {
    let writable = WritableParts { set: true, number: true, ..WritableParts::default() };
    let roles = [Role::Commander, Role::Companion, Role::Main, Role::Side];
    for (role, entries) in writer.zones_of(&roles) {
        let gap = if writer.text.is_empty() { "" } else { "\n" };
        writer.text.push_str(&format!("{gap}{}\n", heading(role)));
        for at in entries {
            if let Some(line) = writer.line(at, writable) {
                writer.text.push_str(&with_set(&line));
                writer.text.push('\n');
            }
        }
    }
}

/// `2 Name (SET) 17`.
pub(super) fn with_set(line: &Line<'_>) -> String {
    let mut text = format!("{} {}", line.quantity, line.name);
    if let Some(set) = line.set {
        text.push_str(&format!(" ({})", set.to_uppercase()));
    }
    if let Some(number) = line.number {
        text.push_str(&format!(" {number}"));
    }
    text
}
