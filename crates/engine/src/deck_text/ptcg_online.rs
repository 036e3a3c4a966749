//! Lists of the older online client: framed by asterisks, sections after `##`, cards after `*`.

use std::borrow::Cow;

use super::draft::{Content, Draft, Source};
use super::line::{common_as, peel_words};
use super::ptcg_live::{card, is_total, with_words};
use super::read_deck::IgnoredReason;
use super::writing::Sheet;
use super::zones::Role;

pub(super) fn draft(source: Source<'_>) -> Draft<'_> {
    Draft::of_lines(source, |line| {
        if line.starts_with("****") || is_total(line) {
            return Content::Ignored(IgnoredReason::Decoration);
        }
        if let Some(section) = line.strip_prefix("##") {
            return Content::Section(Cow::Borrowed(super::line::without_count(section)));
        }
        common_as(line, peel_words)
    })
}

pub(super) fn write(sheet: &mut Sheet<'_>) {
    let mut total = 0;
    sheet.text.push_str("****** Deck List ******\n\n");
    for (_, entries) in sheet.zones_of(&[Role::Main]) {
        for at in entries {
            if let Some(line) = card(sheet, at) {
                total += u64::from(line.quantity);
                sheet.text.push_str(&format!("* {}\n", with_words(&line)));
            }
        }
    }
    sheet.text.push_str(&format!("\nTotal Cards - {total}\n"));
}
