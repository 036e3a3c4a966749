//! The content of a design, as text for people.

use cardscape_engine::{Attribute, Game};
use serde_json::{Map, Value};

use super::words as design_words;
use crate::app::designs::design_bodies::DesignContentResponse;
use crate::web::catalogue::{Fact, facts, kind_name, label, rarity_name, text};
use crate::web::markup::Markup;
use crate::web::words;

/// The content of a design, as text for people.
pub(in crate::web) struct ContentView {
    pub(in crate::web) kind: String,
    pub(in crate::web) facts: Vec<Fact>,
    /// Effects: style and slot, and sentence.
    pub(in crate::web) effects: Vec<(Option<String>, String)>,
    pub(in crate::web) flavour: Option<String>,
    pub(in crate::web) lore: Option<Markup>,
    pub(in crate::web) credits: Option<String>,
    pub(in crate::web) licence: &'static str,
    /// The alternative text of its artwork; `None`: it has no artwork, or no text.
    pub(in crate::web) alt: Option<String>,
    /// Names of the attributes that differ between rarities.
    pub(in crate::web) columns: Vec<String>,
    pub(in crate::web) printings: Vec<(String, Vec<String>)>,
}

impl ContentView {
    pub(in crate::web) fn new(game: &Game, content: &DesignContentResponse) -> Self {
        let kind = game.kind(&content.kind);
        let columns: Vec<&String> = kind.map_or_else(Vec::new, |kind| {
            let differs = |(_, attribute): &(_, &Attribute)| attribute.per_printing;
            kind.attributes.iter().filter(differs).map(|(code, _)| code).collect()
        });
        let attribute = |code: &str| kind.and_then(|kind| kind.attributes.get(code));
        let value = |code: &str, own: &Map<String, Value>| {
            let value = own.get(code).or_else(|| content.attributes.get(code));
            let shown = value.and_then(|value| text(attribute(code), value));
            shown.unwrap_or_else(|| words::NOTHING.to_owned())
        };
        let printings = content.all_printings.iter().map(|printing| {
            let values = columns.iter().map(|code| value(code, &printing.attributes)).collect();
            (rarity_name(game, &printing.rarity), values)
        });
        Self {
            kind: kind_name(game, &content.kind),
            facts: facts(kind, &content.attributes),
            effects: content
                .effects
                .iter()
                .map(|effect| {
                    let parts = [&effect.slot, &effect.style].into_iter().flatten();
                    let parts: Vec<String> = parts.map(|part| words::titled(part)).collect();
                    let label = (!parts.is_empty()).then(|| parts.join(words::BETWEEN_LABELS));
                    (label, effect.text.clone())
                })
                .collect(),
            flavour: content.flavour.clone(),
            lore: content.lore.as_deref().map(Markup::new),
            credits: content.credits.clone(),
            licence: design_words::licence(content.licence),
            alt: content.artwork.as_ref().and_then(|artwork| artwork.alt.clone()),
            printings: printings.collect(),
            columns: columns.iter().map(|code| label(attribute(code), code)).collect(),
        }
    }
}
