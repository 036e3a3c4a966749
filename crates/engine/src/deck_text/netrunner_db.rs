//! Lists of NetrunnerDB: a title, an identity, cards with the names of their sets and dots of influence, totals at the end. In Markdown, cards are links and sets
//! stand between underscores.

use std::borrow::Cow;

use super::DeckDialect;
use super::draft::{Content, Draft, Parts, Source};
use super::line::{common, common_as, linked_name, split_parts};
use super::read_deck::IgnoredReason;
use super::recognise::recognise;
use super::writing::{DeckWriter, WritableParts};
use super::zones::Role;

pub(super) fn draft(source: Source<'_>) -> Draft<'_> {
    let mut first = true;
    Draft::of_lines(source, |line| {
        let is_first = std::mem::replace(&mut first, false);
        if is_total(line) {
            return Content::Ignored(IgnoredReason::Decoration);
        }
        match common_as(line, parts) {
            Content::Entry(entry) if is_first && entry.quantity.is_none() => {
                Content::Note("name", Cow::Borrowed(line))
            }
            other => other,
        }
    })
}

/// Reads `Name _(Set)_ ●●` and `[Name](address) _(Set)_`, and other cards as in all lists.
fn parts(text: &str) -> Parts<'_> {
    let emphasised = text.rsplit_once(" _(").and_then(|(name, rest)| {
        let (set, dots) = rest.split_once(")_")?;
        (!dots.contains(char::is_alphanumeric)).then_some((name.trim_end(), set.trim()))
    });
    let Some((name, set)) = emphasised else { return split_parts(text) };
    let name = linked_name(name).unwrap_or(name);
    Parts { set: Some(Cow::Borrowed(set)), ..split_parts(name) }
}

fn is_total(line: &str) -> bool {
    let begins =
        |head: &str| line.get(..head.len()).is_some_and(|text| text.eq_ignore_ascii_case(head));
    line.contains(" influence spent")
        || line.contains(" agenda points (")
        || line.contains(" cards (m")
        || begins("cards up to ")
        || begins("deck built on ")
        || begins("decklist published on ")
}

/// Whether the first line of a list is read as the name of the deck, and not as a card, a remark or a total, nor as a mark of another dialect.
fn is_name(line: &str) -> bool {
    !is_total(line)
        && matches!(common(line), Content::Entry(entry) if entry.quantity.is_none())
        && recognise(&format!("{line}\n\n0 cards (min 0)\n")).0 == DeckDialect::NetrunnerDb
}

pub(super) fn write(writer: &mut DeckWriter<'_>) {
    let name = if is_name(&writer.name) { writer.name.as_str() } else { "Deck" };
    writer.text.push_str(&format!("{name}\n\n"));
    let mut total = 0;
    for (_, entries) in writer.zones_of(&[Role::Main]) {
        for at in entries {
            if let Some(line) =
                writer.line(at, WritableParts { set: true, ..WritableParts::default() })
            {
                let set = line.set.map(|code| format!(" ({})", writer.set_name(code)));
                total += u64::from(line.quantity);
                let set = set.unwrap_or_default();
                writer.text.push_str(&format!("{}x {}{set}\n", line.quantity, line.name));
            }
        }
    }
    writer.text.push_str(&format!("\n{total} cards (min 0)\n"));
}
