//! Suggests attributes. Attributes that are part of no total are drawn from their possible values, so that the existing parts still fit.

use cardscape_engine::rng::RandomNumbers as _;
use cardscape_engine::{Attribute, AttributeValue, PrintingCheck};
use serde_json::Value;

use super::{Draft, UnfilledReason, attribute_pointer};
use crate::domain::designs::budgets::deciding_values;

/// Most values that are tried for an attribute. A whole number with a larger range is not drawn from the whole range.
const MAX_TRIED: usize = 1_000;
/// How many lists are tried for an attribute that has several values.
const LISTS_TRIED: usize = 20;
/// Most steps in which the number of a gain is drawn.
const MAX_STEPS: i64 = 100;

impl Draft<'_> {
    /// Fills in the attributes that the card must have.
    pub(super) fn fill_attributes(&mut self) {
        self.take_from_base_printing();
        let shared = self.shared_by_totals();
        for (code, attribute) in self.missing_attributes() {
            if !shared.contains(&code) {
                self.draw_attribute(code, attribute);
            }
        }
        for check in &self.kind.checks {
            self.split(check);
        }
        // Attributes that got no number from a total.
        for (code, attribute) in self.missing_attributes() {
            let pointer = attribute_pointer("", code);
            if !self.unfilled.iter().any(|part| part.pointer == pointer) {
                self.draw_attribute(code, attribute);
            }
        }
    }

    /// Copies values of the author's base printing to the card, because the card has the values of its base printing.
    fn take_from_base_printing(&mut self) {
        let base = &self.game.base_rarity().code;
        let printing = self.card.printings.iter().find(|printing| printing.rarity == *base);
        let Some(attributes) = printing.map(|printing| printing.attributes.clone()) else { return };
        for (code, value) in attributes {
            let varies = self.kind.attributes.get(&*code).is_some_and(|known| known.per_printing);
            if varies && !self.card.attributes.contains_key(&code) {
                self.set_attribute(&code, value);
            }
        }
    }

    /// Draws one of the values that violate the fewest totals and effect rules.
    fn draw_attribute(&mut self, code: &str, attribute: &Attribute) {
        let pointer = attribute_pointer("", code);
        if matches!(attribute.value, AttributeValue::Text { .. }) {
            return self.cannot(pointer, UnfilledReason::AuthorsText);
        }
        let mut best: Option<(usize, Value)> = None;
        for value in self.candidates(code, attribute) {
            let before = self.card.attributes.insert(code.to_owned(), value.clone());
            let obstacles = self.total_obstacles(code) + self.effect_obstacles();
            match before {
                Some(before) => self.card.attributes.insert(code.to_owned(), before),
                None => self.card.attributes.remove(code),
            };
            if best.as_ref().is_none_or(|(least, _)| obstacles < *least) {
                best = Some((obstacles, value));
            }
            if obstacles == 0 {
                break;
            }
        }
        match best {
            Some((_, value)) => self.set_attribute(code, value),
            None => self.cannot(pointer, UnfilledReason::NoValue),
        }
    }

    /// Values that the attribute may have, in random order.
    fn candidates(&self, code: &str, attribute: &Attribute) -> Vec<Value> {
        let mut random = self.random(&attribute_pointer("", code));
        let mut all: Vec<Value> = match &attribute.value {
            AttributeValue::Boolean => vec![false.into(), true.into()],
            AttributeValue::Choice { values } => values.iter().cloned().map(Value::from).collect(),
            AttributeValue::Integer { .. } => self.numbers_for(code),
            AttributeValue::Choices { values, min_items, max_items } => {
                let least = usize::try_from(*min_items).unwrap_or(usize::MAX);
                let most =
                    max_items.map_or(usize::MAX, |most| most.try_into().unwrap_or(usize::MAX));
                if least > values.len() {
                    return Vec::new();
                }
                let size = least.max(1).min(most).min(values.len());
                let list = |_| {
                    let mut drawn = random.distinct_below(values.len() as u128, size);
                    drawn.sort_unstable();
                    let drawn = drawn.into_iter().filter_map(|at| usize::try_from(at).ok());
                    Value::Array(drawn.map(|at| values[at].clone().into()).collect())
                };
                return (0..LISTS_TRIED).map(list).collect();
            }
            _ => Vec::new(),
        };
        let decides = |check: &PrintingCheck| matches!(check, PrintingCheck::Total { by: Some(by), .. } if by == code);
        let mut tables = self.kind.checks.iter().filter(|check| decides(&check.check));
        if let Some(table) = tables.next() {
            let listed = deciding_values(self.kind, &table.check);
            let allowed: Vec<Value> =
                listed.into_iter().filter(|value| is_within(attribute, value)).collect();
            // For a value that is not in the table, the numbers would have no total.
            if !allowed.is_empty() {
                all = allowed;
            }
        }
        random.shuffle(&mut all);
        all.truncate(MAX_TRIED);
        all
    }

    /// Whole numbers for an attribute: all numbers within its bounds if they are few; else numbers of the size of its gains; else the one nearest to 0.
    fn numbers_for(&self, code: &str) -> Vec<Value> {
        let (low, high) = self.bounds(code);
        let is_few = i128::from(high) - i128::from(low) < MAX_TRIED as i128;
        let numbers: Vec<i64> = if is_few { (low..=high).collect() } else { self.like_gains(code) };
        let within: Vec<Value> = numbers
            .into_iter()
            .filter(|number| (low..=high).contains(number))
            .map(Value::from)
            .collect();
        if within.is_empty() && low <= high { vec![0.clamp(low, high).into()] } else { within }
    }

    /// Numbers from 0 to the largest gain of an attribute, in steps of the greatest common divisor of its gains.
    fn like_gains(&self, code: &str) -> Vec<i64> {
        let gains = self.kind.checks.iter().filter_map(|check| match &check.check {
            PrintingCheck::Gain { of, rarity_bonus, .. } if of.iter().any(|name| name == code) => {
                Some(rarity_bonus.values().copied().filter(|gain| *gain > 0))
            }
            _ => None,
        });
        let gains: Vec<i64> = gains.flatten().collect();
        let step = gains.iter().copied().fold(0, greatest_common_divisor);
        let most = gains.into_iter().max().unwrap_or_default();
        let steps = most.checked_div(step).unwrap_or_default().min(MAX_STEPS);
        if steps == 0 { Vec::new() } else { (0..=steps).map(|number| number * step).collect() }
    }
}

/// Whether the attribute may have the value.
fn is_within(attribute: &Attribute, value: &Value) -> bool {
    match (&attribute.value, value) {
        (AttributeValue::Integer { min, max }, value) => value.as_i64().is_some_and(|number| {
            min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max)
        }),
        (AttributeValue::Boolean, value) => value.is_boolean(),
        (AttributeValue::Choice { values }, Value::String(text)) => values.contains(text),
        _ => false,
    }
}

fn greatest_common_divisor(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}
