//! Maps JSON pointers of the API into a design to the fields of the designer.

use cardscape_engine::Game;

use super::draft::Draft;
use crate::app::designs::design_checks::DesignViolationResponse;

/// A pointer into a request, with the number that its effect has in the form. `sent`: the numbers of the effects in the request; a pointer to another one becomes
/// a pointer to the whole design.
pub(super) fn in_form(pointer: &str, sent: &[usize]) -> String {
    let Some(effect) = pointer.strip_prefix("/effects/") else { return pointer.to_owned() };
    let (number, member) = effect.split_at(effect.find('/').unwrap_or(effect.len()));
    let at = number.parse::<usize>().ok().and_then(|number| sent.get(number));
    at.map(|at| format!("/effects/{at}{member}")).unwrap_or_default()
}

/// The name of the field for a pointer into the form.
fn field_of(pointer: &str, rarity: Option<&str>) -> Option<String> {
    let mut parts = pointer.strip_prefix('/')?.split('/');
    Some(match (parts.next()?, parts.next(), parts.next(), parts.next()) {
        ("kind" | "game", ..) => "card".to_owned(),
        ("artwork", Some("alt"), ..) => "alt".to_owned(),
        (one @ ("name" | "flavour" | "lore" | "credits" | "licence" | "message"), ..) => {
            one.to_owned()
        }
        ("attributes", Some(code), ..) => format!("attributes.{code}"),
        ("effects", Some(number), member, _) => {
            let at: usize = number.parse().ok()?;
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
    let pointer = in_form(&violation.pointer, &draft.written_effects());
    let field = field_of(&pointer, violation.rarity.as_deref())?;
    Some(of_base(game, field))
}

/// The name of the field that a fault of the request is about, by its pointer into the form.
pub(super) fn field_of_fault(game: Option<&Game>, pointer: &str, draft: &Draft) -> Option<String> {
    let rarity = game.and_then(|game| draft.rarity_at(game, pointer));
    let field = field_of(pointer, rarity.as_deref())?;
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
        let field = |pointer: &str| field_of(pointer, Some("rare"));
        for (pointer, expected) in [
            ("/name", Some("name")),
            ("/attributes/attack", Some("attributes.attack")),
            ("/effects/0", Some("effects.0.text")),
            ("/effects/1/style", Some("effects.1.style")),
            ("/all_printings/2/attributes/attack", Some("printings.rare.attack")),
            ("/printings/0/rarity", Some("printing")),
            ("/all_printings/6/rarity", Some("printing")),
            ("/effects", None),
            ("", None),
        ] {
            assert_eq!(field(pointer).as_deref(), expected, "{pointer}");
        }
    }

    #[test]
    fn effects_have_the_numbers_of_the_form() {
        let mut draft = Draft::default();
        draft.set_effect(0, None, None, "");
        draft.set_effect(1, None, None, "Draw one card.");
        for (pointer, expected) in [
            // The first effect has no sentence, so the request does not contain it.
            ("/effects/0", "/effects/1"),
            ("/effects/0/style", "/effects/1/style"),
            ("/effects/1/text", ""),
            ("/effects", "/effects"),
            ("/name", "/name"),
            ("", ""),
        ] {
            assert_eq!(in_form(pointer, &draft.written_effects()), expected, "{pointer}");
        }
    }
}
