//! Lists of the older online client: framed by asterisks, sections after `##`, cards after `*`.

use std::borrow::Cow;

use super::draft::{Content, Draft, Source};
use super::line::{common_as, split_parts_without_brackets};
use super::ptcg_live::{card, is_total, with_energy, with_words};
use super::read_deck::IgnoredReason;
use super::writing::DeckWriter;
use super::zones::Role;

pub(super) fn draft(source: Source<'_>) -> Draft<'_> {
    Draft::of_lines(source, |line| {
        if line.starts_with("****") || is_total(line) {
            return Content::Ignored(IgnoredReason::Decoration);
        }
        if let Some(section) = line.strip_prefix("##") {
            return Content::Section(Cow::Borrowed(super::line::without_count(section)));
        }
        with_energy(common_as(line, split_parts_without_brackets))
    })
}

pub(super) fn write(writer: &mut DeckWriter<'_>) {
    let mut total = 0;
    writer.text.push_str("****** Deck List ******\n\n");
    for (_, entries) in writer.zones_of(&[Role::Main]) {
        for at in entries {
            if let Some(line) = card(writer, at) {
                total += u64::from(line.quantity);
                writer.text.push_str(&format!("* {}\n", with_words(&line)));
            }
        }
    }
    writer.text.push_str(&format!("\nTotal Cards - {total}\n"));
}
