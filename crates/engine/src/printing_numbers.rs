//! What the numbers of a card's printings must come to, and printings worked out from the base printing's numbers.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::apportion::{Part, apportion_within};
use crate::card::{CardDefinition, PrintingDefinition};
use crate::manifest::Game;
use crate::rule::RuleReference;
use crate::schema::{AttributeValue, Kind, PrintingCheck};

/// What the numbers of one printing must come to, by one check of the card's kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NumberBudget {
    /// Number, section and wording of the check.
    #[serde(flatten)]
    pub reference: RuleReference,
    /// Code of the printing's rarity.
    pub rarity: String,
    /// The attributes that add up to it, by their codes.
    pub of: Vec<String>,
    /// The sum that these attributes of the printing must have. `None` while it is open: the attribute that the table is for has no value of the table, or
    /// the base printing lacks one of the numbers that the printing must exceed.
    pub total: Option<i64>,
    /// Where the printing must exceed the base printing: the least value of each attribute that the base printing has, by its code.
    pub at_least: BTreeMap<String, i64>,
}

impl Game {
    /// What the numbers of each printing of the card must come to, by each check of its kind: in the order of the checks, then of the rarities. Nothing of
    /// the card's own printings matters here. Empty where the kind has no checks or is unknown.
    pub fn number_budgets(&self, card: &CardDefinition) -> Vec<NumberBudget> {
        let checks = self.kind(&card.kind).map_or(&[][..], |kind| &kind.checks);
        let budget = |check: &crate::schema::CardCheck, rarity: &str| {
            let at_least = match &check.check {
                PrintingCheck::Total { .. } => BTreeMap::new(),
                PrintingCheck::Gain { of, each_at_least, .. } => {
                    let least = |name: &String| {
                        let base = integer(&card.attributes, name)?;
                        Some((name.clone(), base.saturating_add(*each_at_least)))
                    };
                    of.iter().filter_map(least).collect()
                }
            };
            NumberBudget {
                reference: check.reference.clone(),
                rarity: rarity.to_owned(),
                of: check.check.of().to_vec(),
                total: check.check.total(card, rarity),
                at_least,
            }
        };
        checks
            .iter()
            .flat_map(|check| self.rarities().iter().map(move |rarity| budget(check, &rarity.code)))
            .collect()
    }

    /// The printings of a design: its own, and those that are missing, with numbers worked out from the base attributes so that
    /// [`check_card`](crate::check_card) finds no fault in them as long as it finds none in the base.
    ///
    /// One for each rarity, from the lowest up, when the kind says that its cards exist in every rarity; else those that the card has, or one of
    /// the lowest rarity. What the card's printings say themselves stays as it is, right or wrong; only what they leave out is worked out. A printing of a rarity
    /// that the game does not have, or that stands there twice, comes last and unchanged, so that the check tells of it. Empty when the kind is unknown.
    ///
    /// Where numbers have a sum, what it is above the base printing's is split in proportion to the base values; where they have a gain in
    /// total, it is split evenly. What cannot be split goes to the first attributes. None leaves the bounds that the manifest sets it.
    ///
    /// ```
    /// # use cardscape_engine::{CardDefinition, Game};
    /// # let game = Game::from_toml(r#"
    /// #     code = "pond"
    /// #     name = "Pond"
    /// #     rules_version = "1"
    /// #     [[rarities]]
    /// #     code = "plain"
    /// #     name = "Plain"
    /// #     [[rarities]]
    /// #     code = "golden"
    /// #     name = "Golden"
    /// #     [[kinds]]
    /// #     code = "fish"
    /// #     name = "Fish"
    /// #     attributes.bite = { type = "integer", min = 0, per_printing = true }
    /// #     attributes.speed = { type = "integer", min = 0, per_printing = true }
    /// #     printings = { every_rarity = true }
    /// #     [[kinds.checks]]
    /// #     text = "A golden fish has 30 in total, a plain one 20."
    /// #     total = { of = ["bite", "speed"], rarity_bonus = { plain = 20, golden = 30 } }
    /// # "#).unwrap();
    /// let pike: CardDefinition = serde_json::from_str(
    ///     r#"{ "number": "1", "name": "Old Pike", "kind": "fish", "attributes": { "bite": 15, "speed": 5 } }"#,
    /// )?;
    /// let printings = game.derive_printings(&pike);
    /// let golden = &printings[1].attributes;
    /// assert_eq!((&golden["bite"], &golden["speed"]), (&23.into(), &7.into()));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn derive_printings(&self, card: &CardDefinition) -> Vec<PrintingDefinition> {
        let Some(kind) = self.kind(&card.kind) else { return Vec::new() };
        let mut own: Vec<Option<&PrintingDefinition>> = card.printings.iter().map(Some).collect();
        let base = &self.base_rarity().code;
        let mut printings = Vec::new();
        for rarity in self.rarities() {
            let stands =
                own.iter_mut().find(|one| one.is_some_and(|one| one.rarity == rarity.code));
            let written = stands.and_then(Option::take);
            let wanted =
                kind.printings.every_rarity || (card.printings.is_empty() && rarity.code == *base);
            if written.is_none() && !wanted {
                continue;
            }
            let written = written.map(|one| one.attributes.clone()).unwrap_or_default();
            let attributes = if rarity.code == *base {
                with_base_values(kind, card, written)
            } else {
                with_numbers(kind, card, &rarity.code, written)
            };
            printings.push(PrintingDefinition { rarity: rarity.code.clone(), attributes });
        }
        printings.extend(own.into_iter().flatten().cloned());
        printings
    }
}

impl PrintingCheck {
    /// The attributes that are added up.
    pub fn of(&self) -> &[String] {
        match self {
            Self::Total { of, .. } | Self::Gain { of, .. } => of,
        }
    }

    /// The sum that a printing of the card in this rarity must have. `None` when an attribute lacks that it depends on, or the table has no line for its value.
    pub fn total(&self, card: &CardDefinition, rarity: &str) -> Option<i64> {
        let (base, bonus) = match self {
            Self::Total { by, base, rarity_bonus, .. } => {
                let base = match by {
                    None => 0,
                    Some(by) => *base.get(&plain_text(card.attributes.get(by)?))?,
                };
                (base, rarity_bonus)
            }
            Self::Gain { of, rarity_bonus, .. } => {
                (sum(of, |name| integer(&card.attributes, name))?, rarity_bonus)
            }
        };
        Some(base.saturating_add(bonus.get(rarity).copied().unwrap_or(0)))
    }
}

/// The base printing has the card's values: they are written out, as those of the others are.
fn with_base_values(
    kind: &Kind,
    card: &CardDefinition,
    mut attributes: Map<String, Value>,
) -> Map<String, Value> {
    for name in kind.checks.iter().flat_map(|check| check.check.of()) {
        if varies(kind, name)
            && !attributes.contains_key(name)
            && let Some(value) = card.attributes.get(name)
        {
            attributes.insert(name.clone(), value.clone());
        }
    }
    attributes
}

/// Adds the numbers that the printing does not state. Checks are met one after the other: what one of them set, the next takes as it is.
fn with_numbers(
    kind: &Kind,
    card: &CardDefinition,
    rarity: &str,
    mut attributes: Map<String, Value>,
) -> Map<String, Value> {
    for check in &kind.checks {
        let Some(total) = check.check.total(card, rarity) else { continue };
        let of: BTreeSet<&String> = check.check.of().iter().collect();
        let value = |name: &str, attributes: &Map<String, Value>| match attributes.get(name) {
            Some(value) => value.as_i64(),
            None => integer(&card.attributes, name),
        };
        // A number that is nowhere is another check's fault.
        if of.iter().any(|name| value(name, &attributes).is_none()) {
            continue;
        }
        // In the order of the check: the first of equals gets what cannot be split.
        let mut open: Vec<&String> = Vec::new();
        let mut left = i128::from(total);
        for name in check.check.of() {
            if varies(kind, name) && !attributes.contains_key(name) {
                if !open.contains(&name) {
                    open.push(name);
                }
            } else {
                left -= i128::from(value(name, &attributes).unwrap_or_default());
            }
        }
        let parts: Vec<Part> =
            open.iter().map(|name| part(kind, card, &check.check, name)).collect();
        for (name, value) in open.into_iter().zip(apportion_within(left, &parts)) {
            let value = i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX });
            attributes.insert(name.clone(), value.into());
        }
    }
    attributes
}

/// How an attribute takes part in the split of a check: from the base value on, within all bounds that it has.
fn part(kind: &Kind, card: &CardDefinition, check: &PrintingCheck, name: &str) -> Part {
    let start = integer(&card.attributes, name).unwrap_or_default();
    let (min, max) = match kind.attributes.get(name).map(|attribute| &attribute.value) {
        Some(AttributeValue::Integer { min, max }) => (*min, *max),
        _ => (None, None),
    };
    // The gain of any check, not only of this one: it may be this one that sets the number.
    let gains = kind.checks.iter().filter_map(|check| match &check.check {
        PrintingCheck::Gain { of, each_at_least, .. } if of.iter().any(|one| one == name) => {
            Some(start.saturating_add(*each_at_least))
        }
        _ => None,
    });
    let weight = match check {
        PrintingCheck::Total { .. } => start.max(0).unsigned_abs(),
        PrintingCheck::Gain { .. } => 1,
    };
    Part {
        start: start.into(),
        weight,
        low: gains.chain(min).max().unwrap_or(i64::MIN).into(),
        high: max.unwrap_or(i64::MAX).into(),
    }
}

/// Whether printings may have their own value of the attribute.
fn varies(kind: &Kind, name: &str) -> bool {
    kind.attributes.get(name).is_some_and(|attribute| attribute.per_printing)
}

pub(crate) fn integer(attributes: &Map<String, Value>, name: &str) -> Option<i64> {
    attributes.get(name).and_then(Value::as_i64)
}

/// The sum of numbers, if none of them is missing; beyond the bounds of its type the last number in them.
pub(crate) fn sum(names: &[String], number: impl Fn(&str) -> Option<i64>) -> Option<i64> {
    names.iter().try_fold(0_i64, |sum, name| Some(sum.saturating_add(number(name)?)))
}

/// A value as the tables of manifests write it.
fn plain_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
