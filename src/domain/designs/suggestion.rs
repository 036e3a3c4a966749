//! Suggestions for the missing parts of an incomplete design: values, numbers and sentences that the rules of the game allow and that suit the guide in its
//! manifest, drawn with a seed.
//!
//! The parts that the author wrote are not changed, whether they are right or wrong. Each drawn part has its own random numbers, which depend on the seed and
//! the place of the part: if an author keeps one part of a suggestion and requests another with the same seed, the other parts stay the same, as far as they
//! still fit.

mod numbers;
mod sentences;
mod values;

use cardscape_engine::rng::{SplitMix64, text_number};
use cardscape_engine::{Attribute, CardDefinition, Game, Kind, SetFault};
use thiserror::Error;

use super::content::{DesignContent, MAX_EFFECTS};
use super::violations::design_faults;
use crate::domain::effects::effect_texts::EffectLibrary;
use crate::domain::pointer::push_token;

/// A completed design.
#[derive(Debug)]
pub struct Suggestion {
    /// The design as a card of its game, with the numbers of all printings.
    pub card: CardDefinition,
    /// The parts that were filled in: JSON pointers (RFC 6901) into the design.
    pub filled: Vec<String>,
    /// The required parts that could not be filled in.
    pub unfilled: Vec<Unfilled>,
    /// The rules of the game that the result violates.
    pub faults: Vec<SetFault>,
}

/// A part of a design that could not be filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfilled {
    /// JSON pointer (RFC 6901) into the design.
    pub pointer: String,
    pub reason: UnfilledReason,
}

/// Why a part of a design could not be filled in.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum UnfilledReason {
    /// The part is a text that only the author can write.
    #[error("It is a text: only the author can write it.")]
    AuthorsText,
    /// No value is allowed there.
    #[error("The manifest leaves no value for it.")]
    NoValue,
    /// No values within the bounds give the required total.
    #[error(
        "{} must be {total}, which leaves {rest}: no value between the bounds adds up to that.", of.join(" + ")
    )]
    NoShare {
        /// The attributes that make the total.
        of: Vec<String>,
        /// The total that they must have.
        total: i64,
        /// The remainder of the total for the missing attributes.
        rest: i128,
    },
    /// The design has as many effects as it can have.
    #[error("A design has at most {MAX_EFFECTS} effects.")]
    TooManyEffects,
    /// The game has no effect texts.
    #[error("The game has no effect texts from which a sentence could be drawn.")]
    NoEffectTexts,
    /// No sentence of the effect texts fits.
    #[error(
        "No sentence of the game's effect texts was found that fits the style and suits the card."
    )]
    NoSentence,
}

/// Fills in the missing parts of a design. An effect with an empty text gets a sentence; other texts must be normalised. `None`: the game has no kind with this
/// code.
///
/// The same game, effect texts, design and seed give the same suggestion.
pub fn suggest(
    game: &Game,
    library: Option<&EffectLibrary>,
    design: DesignContent,
    seed: u64,
) -> Option<Suggestion> {
    let kind = game.kind(&design.kind)?;
    // Placeholders that violate no rule: the design may have no name yet, and has no number.
    let stated = design.name;
    let card = CardDefinition {
        number: "0".to_owned(),
        name: if stated.is_empty() { "The design".to_owned() } else { stated.clone() },
        kind: design.kind,
        attributes: design.attributes.into(),
        effects: design.effects,
        lore: design.lore,
        printings: design.printings,
    };
    let (filled, unfilled) = (Vec::new(), Vec::new());
    let mut draft = Draft { game, kind, library, seed, card, filled, unfilled };
    draft.fill_attributes();
    draft.fill_effects();
    draft.derive_printings();
    let Draft { card, filled, unfilled, .. } = draft;
    let faults = design_faults(game, &card, &stated);
    Some(Suggestion { card, filled, unfilled, faults })
}

/// A suggestion in progress.
struct Draft<'a> {
    game: &'a Game,
    kind: &'a Kind,
    library: Option<&'a EffectLibrary>,
    seed: u64,
    card: CardDefinition,
    filled: Vec<String>,
    unfilled: Vec<Unfilled>,
}

impl<'a> Draft<'a> {
    /// The random numbers for the part of the design at this pointer.
    fn random(&self, pointer: &str) -> SplitMix64 {
        SplitMix64::new(text_number(&format!("{}{pointer}", self.seed)))
    }

    fn cannot(&mut self, pointer: String, reason: UnfilledReason) {
        let part = Unfilled { pointer, reason };
        // Several slots may lack their effects for one reason.
        if !self.unfilled.contains(&part) {
            self.unfilled.push(part);
        }
    }

    /// The attributes that the card must have and lacks, in the order of their codes.
    fn missing_attributes(&self) -> Vec<(&'a String, &'a Attribute)> {
        let attributes = self.kind.attributes.iter();
        attributes
            .filter(|(code, attribute)| {
                !attribute.optional && !self.card.attributes.contains_key(code)
            })
            .collect()
    }

    fn set_attribute(&mut self, code: &str, value: serde_json::Value) {
        self.filled.push(attribute_pointer("", code));
        self.card.attributes.insert(code.to_owned(), value);
    }

    /// Adds missing printings, and missing numbers of printings.
    fn derive_printings(&mut self) {
        let derived = self.game.derive_printings(&self.card);
        for (at, printing) in derived.iter().enumerate() {
            let pointer = format!("/printings/{at}");
            match self.card.printings.iter().find(|own| own.rarity == printing.rarity) {
                None => self.filled.push(pointer),
                Some(own) => {
                    let added = printing.attributes.keys();
                    let added = added.filter(|code| !own.attributes.contains_key(code));
                    self.filled.extend(added.map(|code| attribute_pointer(&pointer, code)));
                }
            }
        }
        self.card.printings = derived;
    }
}

/// The pointer to an attribute of the part at the pointer `of`.
fn attribute_pointer(of: &str, code: &str) -> String {
    let mut pointer = format!("{of}/attributes");
    push_token(&mut pointer, code);
    pointer
}

#[cfg(test)]
mod tests;
