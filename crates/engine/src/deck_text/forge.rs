//! Deck files of Forge: sections in brackets, cards as `2 Name|SET|picture`.

use std::borrow::Cow;

use super::draft::{Content, Draft, DraftEntry, Parts, Source};
use super::line::{common, common_as};
use super::read_deck::IgnoredReason;
use super::writing::{DeckWriter, LossKind, Rarities, WritableParts};
use super::zones::Role;

/// Sections for parts of a deck that only some games and formats have.
const RARE_SECTIONS: [&str; 7] =
    ["avatar", "planes", "schemes", "conspiracy", "dungeon", "attractions", "contraptions"];

pub(super) fn draft(source: Source<'_>) -> Draft<'_> {
    let mut metadata = false;
    Draft::of_lines(source, |line| {
        if line.starts_with('[') && line.ends_with(']') {
            metadata = line.eq_ignore_ascii_case("[metadata]");
            let label = line[1..line.len() - 1].trim();
            let is_rare = RARE_SECTIONS.iter().any(|known| label.eq_ignore_ascii_case(known));
            return if metadata {
                Content::Ignored(IgnoredReason::Heading)
            } else if is_rare {
                Content::RareSection(label)
            } else {
                common(line)
            };
        }
        if metadata {
            return match line.split_once('=') {
                Some((key, name)) if key.trim().eq_ignore_ascii_case("name") => {
                    Content::Note("name", Cow::Borrowed(name.trim()))
                }
                Some((key, kind)) if key.trim().eq_ignore_ascii_case("deck type") => {
                    Content::Note("format", Cow::Borrowed(kind.trim()))
                }
                _ => Content::Ignored(IgnoredReason::Decoration),
            };
        }
        // Without a bar, the set may stand as in other lists.
        if !line.contains('|') {
            return common(line);
        }
        match common_as(line, parts) {
            Content::Entry(entry) => Content::Entry(Box::new(DraftEntry {
                readings: None,
                otherwise: with_bar_in_name(line),
                ..*entry
            })),
            other => other,
        }
    })
}

/// The line as other dialects read it: a bar may be a part of the name.
fn with_bar_in_name(line: &str) -> Option<Box<DraftEntry<'_>>> {
    match common(line) {
        Content::Entry(entry) => Some(entry),
        _ => None,
    }
}

/// Whether another card with a quantity stands after a bar, and no set: `2 Name | 2 Name`.
pub(super) fn has_second_card(line: &str) -> bool {
    line.split('|').skip(1).any(|field| {
        let is_quantity =
            |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        let words = field.trim().split_once(char::is_whitespace);
        words.is_some_and(|(first, _)| is_quantity(first.trim_end_matches(['x', 'X'])))
    })
}

/// Reads `Name|SET|picture`. A `+` after the name is a finish. The picture is not a collector number, but a number may stand in square brackets.
fn parts(text: &str) -> Parts<'_> {
    // A name may consist of such marks.
    if has_second_card(text) || text.starts_with('|') {
        return Parts { name: Cow::Borrowed(text), ..Parts::default() };
    }
    let mut fields = text.split('|').map(str::trim);
    let name = fields.next().unwrap_or_default();
    let (name, foil) = match name.strip_suffix('+') {
        Some(name) => (name, true),
        None => (name, false),
    };
    let set = fields.next().filter(|set| !set.is_empty());
    let number = fields.find_map(|field| field.strip_prefix('[')?.strip_suffix(']'));
    Parts {
        name: Cow::Borrowed(name),
        set: set.map(Cow::Borrowed),
        number: number.map(Cow::Borrowed),
        rarity: foil.then_some(Cow::Borrowed("foil")),
        ..Parts::default()
    }
}

pub(super) fn write(writer: &mut DeckWriter<'_>) {
    let writable = WritableParts { set: true, rarity: Rarities::Foil, ..WritableParts::default() };
    writer.text.push_str(&format!("[metadata]\nName={}\n", writer.name));
    for (role, entries) in writer.zones_of(&[Role::Commander, Role::Main, Role::Side]) {
        let section = match role {
            Role::Commander => "Commander",
            Role::Side => "Sideboard",
            _ => "Main",
        };
        writer.text.push_str(&format!("[{section}]\n"));
        for at in entries {
            let Some(line) = writer.line(at, writable) else { continue };
            // Forge takes them for the end of the name, wherever they stand.
            if line.name.contains('|') || line.name.ends_with('+') {
                writer.record_loss(at, LossKind::Name);
            }
            let set = line.set.map_or(String::new(), |set| format!("|{}", set.to_uppercase()));
            // Without a bar after it, the `+` would be part of the name.
            let finish = match line.rarity {
                Some(_) if set.is_empty() => "+|",
                Some(_) => "+",
                None => "",
            };
            writer.text.push_str(&format!("{} {}{finish}{set}\n", line.quantity, line.name));
        }
    }
}
