//! Lists of Archidekt: `2x Name (set) 17 *F* [Category] ^tag^`, where the category of a line is also its zone.

use std::borrow::Cow;

use super::draft::{Content, Draft, DraftEntry, Parts, Source};
use super::line::{common_as, split_parts};
use super::writing::{DeckWriter, Rarities, WritableParts};
use super::zones::Role;

pub(super) fn draft(source: Source<'_>) -> Draft<'_> {
    Draft::of_lines(source, |line| match common_as(line, parts) {
        Content::Entry(entry) => Content::Entry(Box::new(with_zone(*entry))),
        other => other,
    })
}

/// The parts of a card's text. Square brackets never contain the set.
pub(super) fn parts(text: &str) -> Parts<'_> {
    let mut parts = split_parts(text);
    if let Some(categories) = parts.category
        && parts.set.as_deref() == Some(categories)
    {
        parts.set = None;
        parts.tags.push(Cow::Borrowed(categories));
    }
    parts
}

/// Takes the zone from the first category, if that is a zone: `Sideboard`, `Commander{top}`. Categories marked `{noDeck}` are not part of the deck.
fn with_zone(mut entry: DraftEntry<'_>) -> DraftEntry<'_> {
    let zone = entry.card.category.and_then(zone_of).map(Cow::Borrowed);
    entry.zone = entry.zone.or(zone);
    entry
}

/// The label of the zone that the first category names.
pub(super) fn zone_of(categories: &str) -> Option<&str> {
    let first = categories.split(',').next().unwrap_or_default();
    let label = first.split('{').next().unwrap_or_default().trim();
    let zone = if first.contains("{noDeck}") { "maybeboard" } else { label };
    (!zone.is_empty()).then_some(zone)
}

/// Whether a tag is written with its colour: `Have,#37d67a`.
pub(super) fn is_coloured_tag(tag: &str) -> bool {
    tag.rsplit_once('#').is_some_and(|(label, colour)| {
        label.trim_end().ends_with(',')
            && (3..=8).contains(&colour.len())
            && colour.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

pub(super) fn write(writer: &mut DeckWriter<'_>) {
    let writable = WritableParts {
        set: true,
        number: true,
        rarity: Rarities::Foil,
        ..WritableParts::default()
    };
    let game = writer.game();
    for (code, name, entries) in writer.named_zones() {
        let category = match Role::of_zone(game.zones(), &code) {
            Some(Role::Main) => String::new(),
            Some(Role::Side) => " [Sideboard]".to_owned(),
            Some(Role::Commander) => " [Commander{top}]".to_owned(),
            _ => format!(" [{name}{{top}}]"),
        };
        for at in entries {
            let Some(line) = writer.line(at, writable) else { continue };
            let set = line.set.map_or(String::new(), |set| format!(" ({set})"));
            let number = line.number.map_or(String::new(), |number| format!(" {number}"));
            let finish = if line.rarity.is_some() { " *F*" } else { "" };
            let text = format!("{}x {}{set}{number}{finish}{category}\n", line.quantity, line.name);
            writer.text.push_str(&text);
        }
    }
}
