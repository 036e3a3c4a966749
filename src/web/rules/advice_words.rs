//! Advice for a violation: the edit that fixes it, or the correct value.

use cardscape_engine::{Fix, Game, ViolationCode as Code};

use super::found::Found;
use super::names::{Names, listed};
use crate::web::words::{self, cards, copies, quoted};

/// The correct value, or the value that was probably meant; `None`: there is no advice.
pub(in crate::web) fn advice(found: &Found<'_>, game: Option<&Game>) -> Option<String> {
    if found.suggestions.is_empty() {
        return None;
    }
    let names = Names::of(game);
    let each = |name: &dyn Fn(&str) -> String| -> String {
        found.suggestions.iter().map(|code| name(code)).collect::<Vec<_>>().join(", ")
    };
    let value = |code: &str| names.value(found.attribute, code);
    Some(match found.code {
        Code::ZoneUnknown => format!("The game has: {}.", each(&|code| names.zone(code))),
        Code::CardNotAllowed | Code::KindNotAllowed => {
            format!("Allowed in: {}.", each(&|code| names.zone(code)))
        }
        Code::IdentityMismatch => format!("What fits: {}.", each(&value)),
        Code::ValueLimitExceeded => format!("Most cards have: {}.", each(&value)),
        Code::KindUnknown => format!("The game has: {}.", each(&|code| names.kind(code))),
        Code::RarityUnknown => format!("The game has: {}.", each(&|code| names.rarity(code))),
        Code::AttributeUnknown => format!("Possible: {}.", each(&|code| names.attribute(code))),
        Code::EffectStyleUnknown | Code::EffectSlotUnknown => {
            format!("Possible: {}.", each(&words::titled))
        }
        // Rules with codes of their own may be about values of attributes, too.
        Code::AttributeValueUnknown | Code::Named(_) if found.attribute.is_some() => {
            format!("Possible: {}.", each(&value))
        }
        // In the notation of card lists.
        Code::PrintingUnknown => {
            format!("Write, for example: {}.", listed(found.suggestions.to_vec()))
        }
        _ => format!("Perhaps: {}.", each(&str::to_owned)),
    })
}

/// The edit that fixes a violation; `None`: these pages have no text for the edit.
pub(in crate::web) fn mending(fix: &Fix, game: Option<&Game>) -> Option<String> {
    let names = Names::of(game);
    let zone = |code: &str| names.zone(code);
    let whole = |quantity: u64| i64::try_from(quantity).unwrap_or(i64::MAX);
    let cards = |quantity: u64| cards(whole(quantity));
    let copies = |quantity: u64| copies(whole(quantity));
    Some(match fix {
        Fix::AddCards { zone: to, quantity } => {
            format!("Add {} to {}.", cards(*quantity), zone(to))
        }
        Fix::AddMatchingCards { zone: to, quantity } => {
            format!("Add {} that the rule asks for to {}.", cards(*quantity), zone(to))
        }
        Fix::RemoveCards { zone: from, quantity } => {
            format!("Take {} out of {}.", cards(*quantity), zone(from))
        }
        Fix::AddCopies { name, quantity } => {
            format!("Add {} of {}.", copies(*quantity), quoted(name))
        }
        Fix::RemoveCopies { name, quantity } => {
            format!("Take out {} of {}.", copies(*quantity), quoted(name))
        }
        Fix::RemoveAmong { names, quantity } => {
            let names = listed(names.iter().map(|name| quoted(name)).collect());
            format!("Take out {} of {names}.", copies(*quantity))
        }
        Fix::Rename { from, to } => format!("Write {} instead of {}.", quoted(to), quoted(from)),
        Fix::AnyPrinting { name } => {
            format!("Leave out set, number and rarity of {}.", quoted(name))
        }
        Fix::RemoveEntry { name } => format!("Leave out the entry of {}.", quoted(name)),
        Fix::NameCopyOnce { .. } => "Name this copy in one entry only, and once.".to_owned(),
        Fix::NameFewerCopies { name, quantity } => {
            format!("Name {} fewer of {}.", copies(*quantity), quoted(name))
        }
        Fix::MoveCopies { name, quantity, from, to } => {
            let (from, to) = (zone(from), zone(to));
            format!("Move {} of {} from {from} to {to}.", copies(*quantity), quoted(name))
        }
        Fix::MoveToZone { from, to } => {
            format!("Write {} instead of {}.", zone(to), quoted(from))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edit_of_the_engine_has_words() {
        let text = str::to_owned;
        let names = |count: usize| (0..count).map(|at| format!("Card {at}")).collect();
        let fixes = [
            (Fix::AddCards { zone: text("main"), quantity: 1 }, "Add 1 card to Main."),
            (
                Fix::AddMatchingCards { zone: text("main"), quantity: 2 },
                "Add 2 cards that the rule asks for to Main.",
            ),
            (
                Fix::RemoveCards { zone: text("main"), quantity: 1_200 },
                "Take 1,200 cards out of Main.",
            ),
            (Fix::AddCopies { name: text("Rook"), quantity: 2 }, "Add 2 copies of “Rook”."),
            (Fix::RemoveCopies { name: text("Rook"), quantity: 1 }, "Take out 1 copy of “Rook”."),
            (
                Fix::RemoveAmong { names: names(2), quantity: 2 },
                "Take out 2 copies of “Card 0”, “Card 1”.",
            ),
            (
                Fix::RemoveAmong { names: names(8), quantity: 2 },
                "Take out 2 copies of “Card 0”, “Card 1”, “Card 2”, “Card 3”, “Card 4”, “Card 5” and 2 more.",
            ),
            (Fix::Rename { from: text("Rok"), to: text("Rook") }, "Write “Rook” instead of “Rok”."),
            (
                Fix::AnyPrinting { name: text("Rook") },
                "Leave out set, number and rarity of “Rook”.",
            ),
            (Fix::RemoveEntry { name: text("Rook") }, "Leave out the entry of “Rook”."),
            (Fix::NameCopyOnce { copy: text("x") }, "Name this copy in one entry only, and once."),
            (
                Fix::NameFewerCopies { name: text("Rook"), quantity: 2 },
                "Name 2 copies fewer of “Rook”.",
            ),
            (
                Fix::MoveCopies {
                    name: text("Rook"),
                    quantity: 2,
                    from: text("main"),
                    to: text("side"),
                },
                "Move 2 copies of “Rook” from Main to Side.",
            ),
            (Fix::MoveToZone { from: text("x"), to: text("main") }, "Write Main instead of “x”."),
        ];
        for (fix, expected) in fixes {
            assert_eq!(mending(&fix, None).as_deref(), Some(expected));
        }
    }
}
