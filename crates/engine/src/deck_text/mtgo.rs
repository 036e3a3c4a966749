//! Lists of Magic Online: quantities and names; a blank line or `SB:` begins the sideboard.

use super::draft::{Draft, Source};
use super::line::common;
use super::writing::{Holds, Line, Sheet};
use super::zones::Role;

pub(super) fn draft(source: Source<'_>) -> Draft<'_> {
    Draft::of_lines(source, common)
}

pub(super) fn write(sheet: &mut Sheet<'_>) {
    for (role, entries) in sheet.zones_of(&[Role::Main, Role::Side]) {
        let prefix = if role == Role::Side { "SB: " } else { "" };
        for at in entries {
            if let Some(Line { quantity, name, .. }) = sheet.line(at, Holds::default()) {
                sheet.text.push_str(&format!("{prefix}{quantity} {name}\n"));
            }
        }
    }
}
