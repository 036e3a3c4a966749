//! Maps JSON pointers of the API into a design to the fields of the designer.

use cardscape_engine::Game;

use super::draft::Draft;
use crate::app::designs::design_checks::DesignViolationResponse;

/// The name of the field for a pointer into a design.
pub(super) fn field_of(pointer: &str, draft: &Draft, rarity: Option<&str>) -> Option<String> {
    let mut parts = pointer.strip_prefix('/')?.split('/');
    Some(match (parts.next()?, parts.next(), parts.next(), parts.next()) {
        ("kind" | "game", ..) => "card".to_owned(),
        ("artwork", Some("alt"), ..) => "alt".to_owned(),
        (one @ ("name" | "flavour" | "lore" | "credits" | "licence" | "message"), ..) => {
            one.to_owned()
        }
        ("attributes", Some(code), ..) => format!("attributes.{code}"),
        ("effects", Some(number), member, _) => {
            let at = draft.written_effects().get(number.parse::<usize>().ok()?).copied()?;
            let member = member.filter(|member| matches!(*member, "style" | "slot"));
            format!("effects.{at}.{}", member.unwrap_or("text"))
        }
        ("printings" | "all_printings", _, Some("attributes"), Some(code)) => {
            format!("printings.{}.{code}", rarity?)
        }
        ("printings" | "all_printings", _, Some("rarity"), _) => "printing".to_owned(),
        _ => return None,
    })
}

/// The name of the field that a violation is about.
pub(super) fn field_of_violation(
    game: &Game,
    violation: &DesignViolationResponse,
    draft: &Draft,
) -> Option<String> {
    let field = field_of(&violation.pointer, draft, violation.rarity.as_deref())?;
    Some(of_base(game, field))
}

/// The name of the field that a fault of the request is about.
pub(super) fn field_of_fault(game: Option<&Game>, pointer: &str, draft: &Draft) -> Option<String> {
    let rarity = game.and_then(|game| draft.rarity_at(game, pointer));
    let field = field_of(pointer, draft, rarity.as_deref())?;
    Some(match game {
        Some(game) => of_base(game, field),
        None => field,
    })
}

/// Numbers of the lowest rarity have no field of their own: the field of the design is used.
fn of_base(game: &Game, field: String) -> String {
    let base = format!("printings.{}.", game.base_rarity().code);
    match field.strip_prefix(&base) {
        Some(code) => format!("attributes.{code}"),
        None => field,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_lead_to_fields() {
        let mut draft = Draft::default();
        draft.set_effect(0, None, None, "");
        draft.set_effect(1, None, None, "Draw one card.");
        let field = |pointer: &str| field_of(pointer, &draft, Some("rare"));
        for (pointer, expected) in [
            ("/name", Some("name")),
            ("/attributes/attack", Some("attributes.attack")),
            // The first effect has no sentence, so the request does not contain it.
            ("/effects/0", Some("effects.1.text")),
            ("/effects/0/style", Some("effects.1.style")),
            ("/effects/1/text", None),
            ("/all_printings/2/attributes/attack", Some("printings.rare.attack")),
            ("/printings/0/rarity", Some("printing")),
            ("/all_printings/6/rarity", Some("printing")),
            ("/effects", None),
            ("", None),
        ] {
            assert_eq!(field(pointer).as_deref(), expected, "{pointer}");
        }
    }
}
