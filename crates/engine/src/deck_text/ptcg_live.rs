//! Lists of the live client: sections with counts, and cards with set and number without brackets.

use super::draft::{Content, Draft, Source};
use super::line::{common_as, peel_words};
use super::read_deck::IgnoredReason;
use super::writing::{Holds, Line, Sheet};
use super::zones::Role;

pub(super) fn draft(source: Source<'_>) -> Draft<'_> {
    Draft::of_lines(source, |line| {
        if is_total(line) {
            return Content::Ignored(IgnoredReason::Decoration);
        }
        common_as(line, peel_words)
    })
}

/// `Total Cards: 60`, or `Total Cards - 60`.
pub(super) fn is_total(line: &str) -> bool {
    line.get(..11).is_some_and(|head| head.eq_ignore_ascii_case("total cards"))
}

pub(super) fn write(sheet: &mut Sheet<'_>) {
    let mut total = 0;
    for (_, entries) in sheet.zones_of(&[Role::Main]) {
        for at in entries {
            if let Some(line) = card(sheet, at) {
                total += u64::from(line.quantity);
                sheet.text.push_str(&format!("{}\n", with_words(&line)));
            }
        }
    }
    sheet.text.push_str(&format!("\nTotal Cards: {total}\n"));
}

/// A card with its set and number, or neither: one without the other has no form here.
pub(super) fn card<'a>(sheet: &mut Sheet<'a>, at: usize) -> Option<Line<'a>> {
    let card = &sheet.deck.entries[at].card;
    let both = card.set.is_some() && card.number.is_some();
    let line = sheet.line(at, Holds { set: both, number: both, ..Holds::default() })?;
    Some(if line.number.is_some() {
        line
    } else {
        if line.set.is_some() {
            sheet.lose(at, super::LossKind::Set);
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
