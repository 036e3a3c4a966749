//! Lists of Magic Online: quantities and names; a blank line or `SB:` begins the sideboard.

use super::draft::{Draft, Source};
use super::line::common;
use super::writing::{DeckWriter, Line, WritableParts};
use super::zones::Role;

pub(super) fn draft(source: Source<'_>) -> Draft<'_> {
    Draft::of_lines(source, common)
}

pub(super) fn write(writer: &mut DeckWriter<'_>) {
    for (role, entries) in writer.zones_of(&[Role::Main, Role::Side]) {
        let prefix = if role == Role::Side { "SB: " } else { "" };
        for at in entries {
            if let Some(Line { quantity, name, .. }) = writer.line(at, WritableParts::default()) {
                writer.text.push_str(&format!("{prefix}{quantity} {name}\n"));
            }
        }
    }
}
