//! Cards that can only be played on others, and chains of such cards that lack their beginning.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::catalogue::{Catalogue, Rung};
use crate::code::ViolationCode;
use crate::deck::Deck;
use crate::format::Format;
use crate::rule::{DeckCheck, Rule, RuleReference};
use crate::violation::CardMention;

/// Cards of a deck that can never be played, because the chain of cards below them has a gap.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(example = json!({
        "rule": "T-2.2.6a", "section": "2.2.6", "provenance": "source", "text": "A unit is played on one a rank lower.", "code": "UNREACHABLE_RANK",
        "attribute": "rank", "step": 3, "shared": { "type": "fire" }, "reason": "no_lower_card", "missing_step": 2,
        "cards": [{ "name": "Kettle Imp", "set": "hearth", "number": "016", "rarity": null, "quantity": 2 }],
    }))
)]
#[non_exhaustive]
pub struct UnreachableCards {
    /// The rule that asks for the cards below.
    #[serde(flatten)]
    pub reference: RuleReference,
    /// The code of the rule's advice, for example `UNREACHABLE_RANK`.
    #[cfg_attr(feature = "openapi", schema(value_type = String, example = "UNREACHABLE_RANK"))]
    pub code: ViolationCode,
    /// The attribute that counts the steps.
    #[cfg_attr(feature = "openapi", schema(example = "rank"))]
    pub attribute: String,
    /// The step of these cards: a number, or a value of the attribute.
    pub step: Value,
    /// What the cards of the chain share, by attribute; empty where the rule asks for nothing.
    #[cfg_attr(feature = "openapi", schema(example = json!({ "type": "fire" })))]
    pub shared: BTreeMap<String, Value>,
    /// Why they cannot be played.
    pub reason: UnreachableReason,
    /// The highest step below these cards of which the deck has no card: a number, or a value of the attribute.
    pub missing_step: Value,
    /// The cards with their copies, sorted.
    pub cards: Vec<CardMention>,
}

/// Why cards cannot be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UnreachableReason {
    /// The deck has no card one step lower.
    NoLowerCard,
    /// It has some, but these cannot be played either.
    LowerUnreachable,
}

/// The cards of a deck that can never be played, by each rule of the format about chains ([`DeckCheck::AdviseLadder`]).
///
/// The advice of a report names only cards without a card directly below; this also has the cards above those. Cards of all zones count, as for the
/// advice; unknown cards are in no chain. Sorted by rule, shared values and step. Empty if all cards can be played.
///
/// ```
/// use cardscape_engine::*;
///
/// let game = Game::from_toml(r#"
///     code = "pond"
///     name = "Pond"
///     rules_version = "pond/1"
///     [[kinds]]
///     code = "frog"
///     name = "Frog"
///     attributes.age = { type = "integer" }
///     [[formats]]
///     code = "open"
///     name = "Open water"
///     version = "1"
///     [[formats.rules]]
///     rule = "P-5"
///     text = "A frog is played on one that is a year younger."
///     code = "NO_YOUNGER"
///     advise_ladder = { attribute = "age", select = {} }
/// "#)?;
/// # let card = |name: &str, age: i64| PoolCard {
/// #     key: name.to_owned(),
/// #     set: "shore".to_owned(),
/// #     released_on: None,
/// #     definition: serde_json::from_value(serde_json::json!({
/// #         "number": name, "name": name, "kind": "frog", "attributes": { "age": age },
/// #     })).unwrap(),
/// # };
/// let catalogue = Catalogue::builder(&game).add(card("Young", 2)).add(card("Old", 3)).build();
/// let deck = parse_deck_text("1 Old\n1 Young\n").deck;
/// let found = unreachable_cards(&deck, &catalogue, game.format("open").unwrap());
/// let reasons: Vec<_> = found.iter().map(|one| (one.cards[0].name.as_str(), one.reason)).collect();
/// assert_eq!(reasons, [("Young", UnreachableReason::NoLowerCard), ("Old", UnreachableReason::LowerUnreachable)]);
/// assert_eq!((found[1].reference.rule.as_str(), &found[1].missing_step), ("P-5", &1.into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn unreachable_cards(
    deck: &Deck,
    catalogue: &Catalogue,
    format: &Format,
) -> Vec<UnreachableCards> {
    let known = format.fingerprint == catalogue.game().fingerprint();
    let copies = copies_by_card(deck, catalogue);
    let of_rule = |rule: &Rule| chain_gaps(rule, &copies, catalogue, known);
    format.rules.iter().flat_map(of_rule).collect()
}

/// Copies of every known card, over all zones.
fn copies_by_card(deck: &Deck, catalogue: &Catalogue) -> BTreeMap<u32, u64> {
    let mut copies: BTreeMap<u32, u64> = BTreeMap::new();
    let mut buffer = Vec::new();
    for entry in deck.entries.iter().filter(|entry| entry.quantity > 0) {
        if let Some(found) = catalogue.resolve(&entry.card, &mut buffer) {
            let sum = copies.entry(found.card).or_default();
            *sum = sum.saturating_add(u64::from(entry.quantity));
        }
    }
    copies
}

fn chain_gaps(
    rule: &Rule,
    copies: &BTreeMap<u32, u64>,
    catalogue: &Catalogue,
    known: bool,
) -> Vec<UnreachableCards> {
    let DeckCheck::AdviseLadder { attribute, steps, lowest, same, .. } = &rule.check else {
        return Vec::new();
    };
    let rung = |card: u32| Some((catalogue.rung(&rule.check, card, known)?, card));
    let mut rungs: Vec<(Rung, u32)> = copies.keys().filter_map(|card| rung(*card)).collect();
    rungs.sort_unstable_by_key(|(rung, card)| (rung.order(), *card));
    let name = |step: i64| match usize::try_from(step).ok().and_then(|at| steps.get(at)) {
        Some(word) => Value::from(word.as_str()),
        None => Value::from(step),
    };
    // The level below, and the step that is missing if it cannot be played.
    let mut below: Option<(Rung, Option<i64>)> = None;
    let mut found = Vec::new();
    for level in rungs.chunk_by(|left, right| left.0 == right.0) {
        let (rung, first) = level[0];
        let next = below.filter(|(below, _)| {
            below.group == rung.group && below.step.checked_add(1) == Some(rung.step)
        });
        let missing = match next {
            _ if rung.step <= *lowest => None,
            Some((_, missing)) => missing,
            None => rung.step.checked_sub(1),
        };
        below = Some((rung, missing));
        let Some(missing) = missing else { continue };
        let definition = &catalogue.card(first).definition;
        let shared = |code: &String| Some((code.clone(), definition.attributes.get(code)?.clone()));
        let mut cards: Vec<CardMention> = level
            .iter()
            .map(|(_, card)| CardMention {
                quantity: copies.get(card).copied(),
                ..catalogue.mention(*card)
            })
            .collect();
        cards.sort_unstable();
        found.push(UnreachableCards {
            reference: rule.reference.clone(),
            code: rule.code_or(ViolationCode::RequiredCardsMissing),
            attribute: attribute.clone(),
            step: name(rung.step),
            shared: same.iter().filter_map(shared).collect(),
            reason: match next {
                Some(_) => UnreachableReason::LowerUnreachable,
                None => UnreachableReason::NoLowerCard,
            },
            missing_step: name(missing),
            cards,
        });
    }
    // Groups are sorted by hashes so far; the result is sorted by the shared values.
    found.sort_by_cached_key(|one| serde_json::to_string(&one.shared).unwrap_or_default());
    found
}
