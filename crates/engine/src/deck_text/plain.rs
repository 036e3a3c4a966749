//! Lists without marks of any program: a quantity and a name, names of zones above.

use super::draft::{Draft, Source};
use super::line::common;
use super::writing::{Holds, Line, Sheet};
use super::zones::main_zone;

pub(super) fn draft(source: Source<'_>) -> Draft<'_> {
    Draft::of_lines(source, common)
}

/// Zones under the names that the game gives them; cards by name alone.
pub(super) fn write(sheet: &mut Sheet<'_>) {
    let main = main_zone(sheet.game());
    for (code, name, entries) in sheet.named_zones() {
        if code != main {
            let gap = if sheet.text.is_empty() { "" } else { "\n" };
            sheet.text.push_str(&format!("{gap}[{name}]\n"));
        }
        for at in entries {
            if let Some(Line { quantity, name, .. }) = sheet.line(at, Holds::default()) {
                sheet.text.push_str(&format!("{quantity} {name}\n"));
            }
        }
    }
}
