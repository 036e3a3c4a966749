//! Lists without marks of any program: a quantity and a name, names of zones above.

use super::draft::{Draft, Source};
use super::line::common;
use super::writing::{DeckWriter, Line, WritableParts};
use super::zones::main_zone;

pub(super) fn draft(source: Source<'_>) -> Draft<'_> {
    Draft::of_lines(source, common)
}

/// Writes zones with the names that the game gives them, and cards by name alone.
pub(super) fn write(writer: &mut DeckWriter<'_>) {
    let main = main_zone(writer.game());
    for (code, name, entries) in writer.named_zones() {
        if code != main {
            let gap = if writer.text.is_empty() { "" } else { "\n" };
            writer.text.push_str(&format!("{gap}[{name}]\n"));
        }
        for at in entries {
            if let Some(Line { quantity, name, .. }) = writer.line(at, WritableParts::default()) {
                writer.text.push_str(&format!("{quantity} {name}\n"));
            }
        }
    }
}
