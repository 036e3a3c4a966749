//! Files of external ids, with one line for each copy, in three sections.

use std::borrow::Cow;

use super::draft::{Content, DECK_LINES_MAX, Draft, DraftEntry, LINE_MAX, RepeatedLine, Source};
use super::own::DeckTextFault;
use super::read_deck::IgnoredReason;
use super::writing::DeckWriter;
use super::zones::Role;

/// The sections, in the order in which they are written.
pub(super) const SECTIONS: [(Role, &str); 3] =
    [(Role::Main, "#main"), (Role::Extra, "#extra"), (Role::Side, "!side")];

/// Consecutive lines with the same id are one entry; each line is one of its copies.
pub(super) fn draft(source: Source<'_>) -> Draft<'_> {
    let mut draft = Draft::default();
    for (at, line) in source.tidy.split('\n').enumerate() {
        let line = line.trim();
        let (id, remark) = without_remark(line);
        let id = id.parse::<u64>().ok();
        if let (Some(id), Some(last)) = (id, draft.lines.last_mut())
            && let Content::Entry(entry) = &mut last.content
            && entry.external_id == Some(id)
            && entry.remark.as_deref() == remark
        {
            entry.quantity = entry.quantity.map(|copies| copies.saturating_add(1));
            if draft.repeated.len() < DECK_LINES_MAX {
                let of = last.line;
                draft.repeated.push(RepeatedLine { line: at + 1, text: line, of });
            }
            continue;
        }
        let content = match id {
            Some(id) => {
                let mut entry = copy(id);
                entry.remark = remark.map(str::to_owned);
                Content::Entry(entry)
            }
            None => Draft::line(line, read_other_line),
        };
        draft.push(at + 1, Cow::Borrowed(line), content);
    }
    draft
}

/// The id of a line, and the remark that people write after it, for example the name of the card. Of a line without an id, all is the first of them.
fn without_remark(line: &str) -> (&str, Option<&str>) {
    let rest = line.trim_start_matches(|character: char| character.is_ascii_digit());
    let mark = ["//", "#", "--"].iter().find_map(|mark| rest.trim_start().strip_prefix(mark));
    match mark {
        Some(remark) if rest.len() < line.len() && line.len() <= LINE_MAX => {
            let remark = remark.trim();
            (&line[..line.len() - rest.len()], Some(remark).filter(|remark| !remark.is_empty()))
        }
        _ => (line, None),
    }
}

pub(super) fn copy<'a>(id: u64) -> Box<DraftEntry<'a>> {
    Box::new(DraftEntry { quantity: Some(1), external_id: Some(id), ..DraftEntry::default() })
}

/// Reads a section, a comment, or a line of another dialect that somebody added.
fn read_other_line(line: &str) -> Content<'_> {
    match SECTIONS.iter().find(|(_, mark)| line.eq_ignore_ascii_case(mark)) {
        Some((_, mark)) => Content::Section(Cow::Borrowed(&mark[1..])),
        None if line.starts_with("#created by") => Content::Ignored(IgnoredReason::Decoration),
        // Numbers that are ids have been read before.
        None if line.bytes().all(|byte| byte.is_ascii_digit()) => DeckTextFault::IdTooLarge.into(),
        None => super::line::common(line),
    }
}

pub(super) fn write(writer: &mut DeckWriter<'_>) {
    let zones = writer.zones_of(&SECTIONS.map(|(role, _)| role));
    for (role, mark) in SECTIONS {
        writer.text.push_str(mark);
        writer.text.push('\n');
        let entries = zones.iter().find(|(known, _)| *known == role);
        for id in entries.map(|(_, entries)| writer.ids::<u64>(entries)).unwrap_or_default() {
            writer.text.push_str(&format!("{id}\n"));
        }
    }
}
