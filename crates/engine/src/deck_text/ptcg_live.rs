//! Lists of the live client: sections with counts, and cards with set and number without brackets.

use std::borrow::Cow;

use super::draft::{Content, Draft, Parts, Source};
use super::line::{common_as, split_parts_without_brackets};
use super::read_deck::IgnoredReason;
use super::writing::{DeckWriter, Line, WritableParts};
use super::zones::Role;

pub(super) fn draft(source: Source<'_>) -> Draft<'_> {
    Draft::of_lines(source, |line| {
        if is_total(line) {
            return Content::Ignored(IgnoredReason::Decoration);
        }
        common_as(line, parts)
    })
}

/// `Name SET 17`, or `Name SET 17 PH` for a parallel foil.
fn parts(text: &str) -> Parts<'_> {
    const FOIL: &str = "PH";
    let foil = text.strip_suffix(FOIL).and_then(|rest| rest.strip_suffix(' '));
    match foil.map(split_parts_without_brackets) {
        Some(parts) if parts.number.is_some() => {
            Parts { rarity: Some(Cow::Borrowed(FOIL)), ..parts }
        }
        _ => split_parts_without_brackets(text),
    }
}

/// `Total Cards: 60`, or `Total Cards - 60`.
pub(super) fn is_total(line: &str) -> bool {
    line.get(..11).is_some_and(|head| head.eq_ignore_ascii_case("total cards"))
}

pub(super) fn write(writer: &mut DeckWriter<'_>) {
    let mut total = 0;
    for (_, entries) in writer.zones_of(&[Role::Main]) {
        for at in entries {
            if let Some(line) = card(writer, at) {
                total += u64::from(line.quantity);
                writer.text.push_str(&format!("{}\n", with_words(&line)));
            }
        }
    }
    writer.text.push_str(&format!("\nTotal Cards: {total}\n"));
}

/// A card with both set and number, or with neither: the dialect cannot write only one of them.
pub(super) fn card<'a>(writer: &mut DeckWriter<'a>, at: usize) -> Option<Line<'a>> {
    let card = &writer.deck.entries[at].card;
    let both = card.set.is_some() && card.number.is_some();
    let line =
        writer.line(at, WritableParts { set: both, number: both, ..WritableParts::default() })?;
    Some(if line.number.is_some() {
        line
    } else {
        if line.set.is_some() {
            writer.record_loss(at, super::LossKind::Set);
        }
        Line { set: None, ..line }
    })
}

/// `2 Name SET 17`.
pub(super) fn with_words(line: &Line<'_>) -> String {
    let words = line.set.zip(line.number);
    let words =
        words.map_or(String::new(), |(set, number)| format!(" {} {number}", set.to_uppercase()));
    format!("{} {}{words}", line.quantity, line.name)
}
