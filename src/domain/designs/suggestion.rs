//! The rest of a design that is half made: values, numbers and sentences that the rules of its game and the advice of its manifest leave open, drawn by a seed.
//!
//! What the author wrote stays as it is, right or wrong. Each part that is drawn has random numbers of its own, which follow from the seed and the place of the part: whoever
//! keeps one part of a suggestion and asks again with the same seed gets the others as they were, as far as they still fit.

mod numbers;
mod sentences;
mod values;

use cardscape_engine::rng::{SplitMix64, text_number};
use cardscape_engine::{Attribute, CardDefinition, Game, Kind, SetFault, card_faults};
use thiserror::Error;

use super::content::{DesignContent, MAX_EFFECTS};
use crate::domain::effects::effect_texts::EffectLibrary;
use crate::domain::pointer::push_token;

/// A design with the rest filled in.
#[derive(Debug)]
pub struct Suggestion {
    /// The design as a card of its game, with the numbers of all printings.
    pub card: CardDefinition,
    /// What was filled in: JSON pointers (RFC 6901) into the design.
    pub filled: Vec<String>,
    /// What should be there and could not be filled in.
    pub unfilled: Vec<Unfilled>,
    /// What the rules of the game find wrong with the result.
    pub faults: Vec<SetFault>,
}

/// A part of a design that could not be filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfilled {
    /// JSON pointer (RFC 6901) into the design.
    pub pointer: String,
    /// Why.
    pub reason: UnfilledReason,
}

/// Why a part of a design could not be filled in.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum UnfilledReason {
    /// A text of the author.
    #[error("It is a text: only the author can write it.")]
    AuthorsText,
    /// No value is allowed.
    #[error("The manifest leaves no value for it.")]
    NoValue,
    /// A total cannot be made.
    #[error(
        "{} must be {total}, and {rest} are left of it: no value between the bounds makes it.", of.join(" + ")
    )]
    NoShare {
        /// The attributes that make the total.
        of: Vec<String>,
        /// What they must be together.
        total: i64,
        /// What is left of it.
        rest: i128,
    },
    /// The design has as many effects as it can have.
    #[error("A design has at most {MAX_EFFECTS} effects.")]
    TooManyEffects,
    /// The game has no effect texts.
    #[error("The game has no effect texts from which a sentence could be drawn.")]
    NoEffectTexts,
    /// None of the effect texts fits.
    #[error(
        "No sentence of the game's effect texts was found that fits the style and suits the card."
    )]
    NoSentence,
}

/// Fills in what a design lacks. Effects whose text is empty want one; texts are normalised already. `None`: the game has no kind of this code.
///
/// The same game, effect texts, design and seed give the same suggestion.
pub fn suggest(
    game: &Game,
    library: Option<&EffectLibrary>,
    design: DesignContent,
    seed: u64,
) -> Option<Suggestion> {
    let kind = game.kind(&design.kind)?;
    // A number and a name are for later: these break no rule.
    let name = if design.name.is_empty() { "The design".to_owned() } else { design.name };
    let card = CardDefinition {
        number: "0".to_owned(),
        name,
        kind: design.kind,
        attributes: design.attributes,
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
    let faults = card_faults(game, &card);
    Some(Suggestion { card, filled, unfilled, faults })
}

/// A suggestion that is being made.
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
    /// The random numbers for the part of the design at a pointer.
    fn random(&self, pointer: &str) -> SplitMix64 {
        SplitMix64::new(text_number(&format!("{}{pointer}", self.seed)))
    }

    fn cannot(&mut self, pointer: String, reason: UnfilledReason) {
        self.unfilled.push(Unfilled { pointer, reason });
    }

    /// The attributes that the card must have and lacks, in the order of their codes.
    fn missing_attributes(&self) -> Vec<(&'a String, &'a Attribute)> {
        let attributes = self.kind.attributes.iter();
        attributes
            .filter(|(code, attribute)| {
                !attribute.optional && !self.card.attributes.contains_key(*code)
            })
            .collect()
    }

    fn set_attribute(&mut self, code: &str, value: serde_json::Value) {
        self.filled.push(attribute_pointer("", code));
        self.card.attributes.insert(code.to_owned(), value);
    }

    /// Adds the printings that the card lacks, and the numbers that they lack.
    fn derive_printings(&mut self) {
        let derived = self.game.derive_printings(&self.card);
        for (at, printing) in derived.iter().enumerate() {
            let pointer = format!("/printings/{at}");
            match self.card.printings.iter().find(|own| own.rarity == printing.rarity) {
                None => self.filled.push(pointer),
                Some(own) => {
                    let added = printing.attributes.keys();
                    let added = added.filter(|code| !own.attributes.contains_key(*code));
                    self.filled.extend(added.map(|code| attribute_pointer(&pointer, code)));
                }
            }
        }
        self.card.printings = derived;
    }
}

/// The pointer to an attribute of what is at a pointer.
fn attribute_pointer(of: &str, code: &str) -> String {
    let mut pointer = format!("{of}/attributes");
    push_token(&mut pointer, code);
    pointer
}

#[cfg(test)]
mod tests;
