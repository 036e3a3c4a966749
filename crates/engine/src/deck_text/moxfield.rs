//! Lists of Moxfield: set, number, a finish between asterisks, tags after `#`.

use super::arena::with_set;
use super::draft::{Draft, Source};
use super::line::common;
use super::writing::{Holds, Rarities, Sheet};
use super::zones::Role;

pub(super) fn draft(source: Source<'_>) -> Draft<'_> {
    Draft::of_lines(source, common)
}

pub(super) fn write(sheet: &mut Sheet<'_>) {
    let holds = Holds { set: true, number: true, rarity: Rarities::Foil };
    let roles = [Role::Commander, Role::Companion, Role::Main, Role::Side];
    for (role, entries) in sheet.zones_of(&roles) {
        let heading = match role {
            Role::Side => "SIDEBOARD:\n",
            Role::Commander => "COMMANDER:\n",
            Role::Companion => "COMPANION:\n",
            _ if sheet.text.is_empty() => "",
            _ => "MAINBOARD:\n",
        };
        let gap = if sheet.text.is_empty() { "" } else { "\n" };
        sheet.text.push_str(&format!("{gap}{heading}"));
        for at in entries {
            if let Some(line) = sheet.line(at, holds) {
                let finish = if line.rarity.is_some() { " *F*" } else { "" };
                sheet.text.push_str(&format!("{}{finish}\n", with_set(&line)));
            }
        }
    }
}
