//! The sums that the numbers of a card's printings must have, and printings computed from the numbers of the base printing.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::apportion::{Part, apportion_within};
use crate::attributes::Attributes;
use crate::card::{CardDefinition, PrintingDefinition};
use crate::manifest::Game;
use crate::rule::RuleReference;
use crate::schema::{AttributeValue, Kind, PrintingCheck};

/// The sum that the numbers of one printing must have, by one check of the card's kind.
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
    /// The sum that these attributes of the printing must have. `None` while it is unknown: the attribute that selects the base total has no value of
    /// the table, or the base printing lacks one of the numbers that the printing must exceed.
    pub total: Option<i64>,
    /// If the printing must exceed the base printing: the smallest allowed value of each attribute that the base printing has, by its code.
    pub at_least: BTreeMap<String, i64>,
}

impl Game {
    /// The sums that the numbers of each printing of the card must have, by each check of its kind: in the order of the checks, then of the rarities.
    /// The card's own printings are ignored. Empty if the kind has no checks or is unknown.
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

    /// The printings of a design: its own, and those that are missing, with numbers computed from the base attributes so that
    /// [`check_card`](crate::check_card) finds no fault in them as long as it finds none in the base.
    ///
    /// One for each rarity, from the lowest up, when the kind says that its cards exist in every rarity; else those that the card has, or one of the
    /// lowest rarity. Values that the card's printings state stay as they are, right or wrong; only missing values are computed. A printing of an
    /// unknown or repeated rarity comes last and unchanged, so that the check reports it. Empty when the kind is unknown.
    ///
    /// If a check gives the sum of numbers, the difference to the sum of the base printing is split in proportion to the base values. If a check
    /// gives the total gain, it is split evenly. Remainders go to the first attributes. All numbers stay within the bounds of the manifest.
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
            let own_printing =
                own.iter_mut().find(|one| one.is_some_and(|one| one.rarity == rarity.code));
            let stated = own_printing.and_then(Option::take);
            let required =
                kind.printings.every_rarity || (card.printings.is_empty() && rarity.code == *base);
            if stated.is_none() && !required {
                continue;
            }
            let stated = stated.map(|one| one.attributes.clone()).unwrap_or_default();
            let attributes = if rarity.code == *base {
                with_base_values(kind, card, stated)
            } else {
                with_numbers(kind, card, &rarity.code, stated)
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

    /// The sum that a printing of the card in this rarity must have. `None` when an attribute that it depends on is missing, or the table has no line
    /// for its value.
    pub fn total(&self, card: &CardDefinition, rarity: &str) -> Option<i64> {
        let (base, bonus) = match self {
            Self::Total { by, base, rarity_bonus, .. } => {
                let base = match by {
                    None => 0,
                    Some(by) => *base.get(&*plain_text(card.attributes.get(by)?))?,
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

/// Adds the card's values to the base printing, so that it states its numbers as the other printings do.
fn with_base_values(kind: &Kind, card: &CardDefinition, mut attributes: Attributes) -> Attributes {
    for name in kind.checks.iter().flat_map(|check| check.check.of()) {
        if varies(kind, name)
            && !attributes.contains_key(name)
            && let Some(value) = card.attributes.get(name)
        {
            attributes.insert(&**name, value.clone());
        }
    }
    attributes
}

/// Adds the numbers that the printing does not state. Checks are satisfied one after the other: a number that one of them set is fixed for the next.
fn with_numbers(
    kind: &Kind,
    card: &CardDefinition,
    rarity: &str,
    mut attributes: Attributes,
) -> Attributes {
    for check in &kind.checks {
        let Some(total) = check.check.total(card, rarity) else { continue };
        let value = |name: &str, attributes: &Attributes| match attributes.get(name) {
            Some(value) => value.as_i64(),
            None => integer(&card.attributes, name),
        };
        // Another check reports a missing number.
        if check.check.of().iter().any(|name| value(name, &attributes).is_none()) {
            continue;
        }
        // In the order of the check, because remainders go to the first of equal attributes.
        let mut missing: Vec<&String> = Vec::new();
        let mut remaining = i128::from(total);
        for name in check.check.of() {
            if varies(kind, name) && !attributes.contains_key(name) {
                if !missing.contains(&name) {
                    missing.push(name);
                }
            } else {
                remaining -= i128::from(value(name, &attributes).unwrap_or_default());
            }
        }
        let parts: Vec<Part> =
            missing.iter().map(|name| part(kind, card, &check.check, name)).collect();
        for (name, value) in missing.into_iter().zip(apportion_within(remaining, &parts)) {
            let value = i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX });
            attributes.insert(&**name, value.into());
        }
    }
    attributes
}

/// The part that an attribute has in the split of a check: it begins at the base value and has all bounds of the attribute.
fn part(kind: &Kind, card: &CardDefinition, check: &PrintingCheck, name: &str) -> Part {
    let start = integer(&card.attributes, name).unwrap_or_default();
    let (min, max) = match kind.attributes.get(name).map(|attribute| &attribute.value) {
        Some(AttributeValue::Integer { min, max }) => (*min, *max),
        _ => (None, None),
    };
    // The smallest gains of all checks, not only of this one, because this check may be the one that sets the number.
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

pub(crate) fn integer(attributes: &Attributes, name: &str) -> Option<i64> {
    attributes.get(name).and_then(Value::as_i64)
}

/// The sum of numbers, if none of them is missing. It saturates at the bounds of its type.
pub(crate) fn sum(names: &[String], number: impl Fn(&str) -> Option<i64>) -> Option<i64> {
    names.iter().try_fold(0_i64, |sum, name| Some(sum.saturating_add(number(name)?)))
}

/// A value as it is written in the tables of manifests.
fn plain_text(value: &Value) -> Cow<'_, str> {
    value.as_str().map_or_else(|| value.to_string().into(), Cow::Borrowed)
}
