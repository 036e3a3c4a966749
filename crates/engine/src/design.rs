//! Advice for designers of cards: tendencies of a game, not rules. No check uses it.

use std::sync::Arc;

use serde::Serialize;

use crate::card::CardDefinition;
use crate::rule::RuleReference;
use crate::selector::Selector;

/// The advice of a manifest for designers of cards. Nothing in it is a check: [`check_card`](crate::check_card) finds no fault in a card that ignores
/// all advice. Empty if the manifest has none.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DesignGuide {
    /// What cards are usually like.
    pub tendencies: Vec<Tendency>,
    /// How sentences of effects usually begin, by style; each style once.
    pub styles: Vec<StyleHint>,
    /// Which sentences suit which cards.
    pub suits: Vec<EffectSuit>,
}

/// What some cards are usually like, and how their numbers are usually split.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Tendency {
    /// Number, section and wording; the wording is for designers.
    #[serde(flatten)]
    pub reference: RuleReference,
    /// The cards.
    pub select: Arc<Selector>,
    /// Integer attributes among which a total is split, each once. Empty: the tendency is only described in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<String>,
    /// The share of each of these attributes, in relation to the others; at least one is above 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<u32>,
}

/// How sentences of a style usually begin.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StyleHint {
    /// Number, section and wording; the wording is for designers.
    #[serde(flatten)]
    pub reference: RuleReference,
    /// Code of the style.
    pub style: String,
    /// Phrases, case-sensitive; sentences begin with one of them.
    pub begins: Vec<String>,
}

/// Sentences that suit some cards only.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EffectSuit {
    /// Number, section and wording; the wording is for designers.
    #[serde(flatten)]
    pub reference: RuleReference,
    /// Phrases, case-sensitive; such a sentence contains one of them.
    pub contains: Vec<String>,
    /// The cards that such a sentence suits.
    pub select: Arc<Selector>,
}

impl DesignGuide {
    /// Whether the manifest says nothing to designers.
    pub fn is_empty(&self) -> bool {
        self.tendencies.is_empty() && self.styles.is_empty() && self.suits.is_empty()
    }

    /// Whether the finished sentence begins as sentences of the style usually do. True if the manifest says nothing about the style, also for unknown
    /// styles.
    pub fn fits_style(&self, style: &str, sentence: &str) -> bool {
        let mut hints = self.styles.iter().filter(|hint| hint.style == style).peekable();
        hints.peek().is_none()
            || hints
                .any(|hint| hint.begins.iter().any(|begin| sentence.starts_with(begin.as_str())))
    }

    /// Whether the finished sentence suits the card: each entry that has a phrase of the sentence selects the card. Selectors see the card without
    /// set and release date.
    pub fn suits(&self, card: &CardDefinition, sentence: &str) -> bool {
        self.suits
            .iter()
            .filter(|suit| !selects(&suit.select, card))
            .all(|suit| !suit.contains.iter().any(|phrase| sentence.contains(phrase.as_str())))
    }

    /// How a total is usually split among these attributes of the card: by the first tendency that selects the card and has exactly these attributes,
    /// in any order. The shares are in the order of `of`. `None` if there is no such tendency.
    ///
    /// ```
    /// use cardscape_engine::{CardDefinition, Game, split_total};
    ///
    /// let game = Game::from_toml(r#"
    ///     code = "pond"
    ///     name = "Pond"
    ///     rules_version = "1"
    ///     [[kinds]]
    ///     code = "fish"
    ///     name = "Fish"
    ///     attributes.water = { type = "choice", values = ["sweet", "salt"] }
    ///     attributes.bite = { type = "integer" }
    ///     attributes.speed = { type = "integer" }
    ///     [[design.tendencies]]
    ///     text = "Fish of the sea bite."
    ///     select = { where = { water = "salt" } }
    ///     of = ["bite", "speed"]
    ///     shares = [3, 1]
    /// "#)?;
    /// let shark: CardDefinition = serde_json::from_str(
    ///     r#"{ "number": "1", "name": "Shark", "kind": "fish", "attributes": { "water": "salt" } }"#,
    /// )?;
    /// let shares = game.design_guide().shares(&shark, &["speed".to_owned(), "bite".to_owned()]);
    /// assert_eq!(split_total(20, &shares.unwrap(), 1), [5, 15]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shares(&self, card: &CardDefinition, of: &[String]) -> Option<Vec<u32>> {
        let mut candidates = self.tendencies.iter().filter(|tendency| {
            !tendency.of.is_empty()
                && tendency.of.len() == of.len()
                && selects(&tendency.select, card)
        });
        candidates.find_map(|tendency| {
            let share = |name: &String| {
                let at = tendency.of.iter().position(|one| one == name)?;
                tendency.shares.get(at).copied()
            };
            // Both lists have the same length. If one has no repeated names and all its names are in the other, they have the same names.
            let repeats = of.iter().enumerate().any(|(at, name)| of[..at].contains(name));
            of.iter().map(share).collect::<Option<_>>().filter(|_| !repeats)
        })
    }
}

fn selects(select: &Selector, card: &CardDefinition) -> bool {
    select.matches(card, "", None)
}
