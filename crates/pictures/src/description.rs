//! The description of a card for screen readers: everything on it, in reading order, also what has no room in the
//! picture.

use crate::clean::clean;
use crate::face::CardFace;

/// Most characters of a description.
const LONGEST: usize = 4_000;

/// The description of a card.
pub(crate) fn description(face: &CardFace<'_>) -> String {
    let mut parts: Vec<String> = vec![face.game.to_string(), face.type_line.to_string()];
    let mut named = |label: &str, value: &str| {
        parts.push(if label.is_empty() { value.to_owned() } else { format!("{label}: {value}") });
    };
    for figure in face.badge.iter().chain(&face.stats) {
        named(&figure.label, &figure.value);
    }
    for fact in &face.facts {
        named(&fact.label, &fact.value);
    }
    for effect in &face.effects {
        named(&effect.label, &effect.text);
    }
    parts.extend(face.lore.as_ref().map(ToString::to_string));
    parts.push(face.rarity.to_string());
    parts.extend(face.designer.as_ref().map(|designer| format!("designed by {designer}")));
    let mut joined = String::new();
    for part in parts {
        let part = clean(&part, LONGEST);
        if !part.is_empty() {
            joined.push_str(&part);
            joined.push_str(if part.ends_with(['.', '!', '?', '…']) { " " } else { ". " });
        }
    }
    clean(&joined, LONGEST)
}
