//! Lists of Moxfield: set, number, a finish between asterisks, tags after `#`.

use super::arena::with_set;
use super::draft::{Draft, Source};
use super::line::common;
use super::writing::{DeckWriter, Rarities, WritableParts};
use super::zones::Role;

pub(super) fn draft(source: Source<'_>) -> Draft<'_> {
    Draft::of_lines(source, common)
}

pub(super) fn write(writer: &mut DeckWriter<'_>) {
    let writable = WritableParts {
        set: true,
        number: true,
        rarity: Rarities::Foil,
        ..WritableParts::default()
    };
    let roles = [Role::Commander, Role::Companion, Role::Main, Role::Side];
    for (role, entries) in writer.zones_of(&roles) {
        let heading = match role {
            Role::Side => "SIDEBOARD:\n",
            Role::Commander => "COMMANDER:\n",
            Role::Companion => "COMPANION:\n",
            _ if writer.text.is_empty() => "",
            _ => "MAINBOARD:\n",
        };
        let gap = if writer.text.is_empty() { "" } else { "\n" };
        writer.text.push_str(&format!("{gap}{heading}"));
        for at in entries {
            if let Some(line) = writer.line(at, writable) {
                let finish = if line.rarity.is_some() { " *F*" } else { "" };
                writer.text.push_str(&format!("{}{finish}\n", with_set(&line)));
            }
        }
    }
}
