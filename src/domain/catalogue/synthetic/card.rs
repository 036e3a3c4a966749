//! Makes one synthetic card that follows the manifest of its game.

use std::collections::BTreeMap;

use cardscape_engine::{
    Attribute, AttributeValue, Attributes, CardDefinition, Effect, EffectSchema, Game, Kind,
    PrintingCheck, PrintingDefinition, Rarity,
};
use serde_json::Value;

use super::dice::Dice;
use super::words;

/// Stands for "no limit"; no number of a card is nearly as large.
const UNLIMITED: i64 = 1_000_000_000;

/// The range of numbers without a rule of their own, as far as their limits allow.
const USUAL: (i64, i64) = (-200, 1_000);

/// Most additional effects of a card, besides the required ones.
const MORE_EFFECTS: u32 = 2;

/// Makes a card of the game with this number and name.
///
/// Numbers that must add up to a total do so, if no attribute belongs to two totals. The import checks all other rules of the manifest.
pub(super) fn card(game: &Game, number: String, name: String, dice: &mut Dice) -> CardDefinition {
    let kind = kind(game, dice);
    let mut card = CardDefinition {
        number,
        name,
        kind: kind.code.clone(),
        attributes: attributes(game, kind, dice),
        effects: Vec::new(),
        lore: (!dice.one_in(3)).then(|| words::lore(dice)),
        printings: Vec::new(),
    };
    card.effects = effects(kind, &card, dice);
    card.printings = printings(game, kind, &card.attributes, dice);
    card
}

/// Draws one of the kinds; kinds with more attributes are more frequent.
fn kind<'a>(game: &'a Game, dice: &mut Dice) -> &'a Kind {
    let weight = |kind: &Kind| 1 + kind.attributes.len() as u64;
    let mut drawn = dice.below(game.kinds().iter().map(weight).sum());
    for kind in game.kinds() {
        match drawn.checked_sub(weight(kind)) {
            Some(rest) => drawn = rest,
            None => return kind,
        }
    }
    &game.kinds()[0]
}

fn attributes(game: &Game, kind: &Kind, dice: &mut Dice) -> Attributes {
    let mut drawn = Attributes::new();
    for (code, attribute) in &kind.attributes {
        if attribute.optional && !is_needed(kind, code) && dice.one_in(2) {
            continue;
        }
        drawn.insert(code.clone(), value(attribute, tables_for(kind, code).as_deref(), dice));
    }
    for check in &kind.checks {
        if let PrintingCheck::Total { of, by, base, rarity_bonus } = &check.check {
            let key = by.as_ref().and_then(|by| drawn.get(by)).map(plain_text);
            let total = key.and_then(|key| base.get(&key).copied()).unwrap_or_default();
            let total = total + bonus(rarity_bonus, game.base_rarity());
            let ranges: Vec<(i64, i64)> = of.iter().map(|code| range(kind, code)).collect();
            let shares = shares(total, &ranges, dice);
            drawn.extend(of.iter().cloned().zip(shares.into_iter().map(Value::from)));
        }
    }
    drawn
}

/// Whether a check of a total or gain needs the attribute.
fn is_needed(kind: &Kind, code: &str) -> bool {
    kind.checks.iter().any(|check| match &check.check {
        PrintingCheck::Total { of, by, .. } => {
            by.as_deref() == Some(code) || of.iter().any(|part| part == code)
        }
        PrintingCheck::Gain { of, .. } => of.iter().any(|part| part == code),
        _ => false,
    })
}

/// The values of an attribute for which all checks that it decides have a total; `None`: it decides no check.
fn tables_for(kind: &Kind, code: &str) -> Option<Vec<String>> {
    let mut common: Option<Vec<String>> = None;
    for check in &kind.checks {
        if let PrintingCheck::Total { by: Some(by), base, .. } = &check.check
            && by == code
        {
            let known = common.unwrap_or_else(|| base.keys().cloned().collect());
            common = Some(known.into_iter().filter(|value| base.contains_key(value)).collect());
        }
    }
    common
}

/// A value for the attribute; one of `listed`, if there is a list.
fn value(attribute: &Attribute, listed: Option<&[String]>, dice: &mut Dice) -> Value {
    let among = |value: &&String| listed.is_none_or(|listed| listed.contains(value));
    match &attribute.value {
        AttributeValue::Text { max_length } => words::short_text(*max_length, dice).into(),
        AttributeValue::Integer { min, max } => {
            let numbers: Vec<i64> = listed
                .unwrap_or_default()
                .iter()
                .filter_map(|text| text.parse().ok())
                .filter(|number| min.is_none_or(|min| min <= *number))
                .filter(|number| max.is_none_or(|max| *number <= max))
                .collect();
            if numbers.is_empty() {
                usual_number(*min, *max, dice).into()
            } else {
                (*dice.one_of(&numbers)).into()
            }
        }
        AttributeValue::Boolean => dice.one_in(2).into(),
        AttributeValue::Choice { values } => {
            let values: Vec<&String> = values.iter().filter(among).collect();
            if values.is_empty() {
                Value::Null
            } else {
                values[dice.frequent_index(values.len())].as_str().into()
            }
        }
        AttributeValue::Choices { values, min_items, max_items } => {
            let all = values.len();
            let fewest = usize::try_from(*min_items).unwrap_or(all).min(all);
            let most =
                max_items.and_then(|most| usize::try_from(most).ok()).unwrap_or(all).min(all);
            let most = most.min(fewest.max(1) + 2);
            let wanted = fewest + dice.place(most.saturating_sub(fewest) + 1);
            let mut chosen: Vec<&String> = Vec::with_capacity(wanted);
            while chosen.len() < wanted {
                let one = dice.one_of(values);
                if !chosen.contains(&one) {
                    chosen.push(one);
                }
            }
            chosen.into_iter().map(String::as_str).collect()
        }
        _ => Value::Null,
    }
}

/// A number within the limits; in a large range, a round number.
fn usual_number(min: Option<i64>, max: Option<i64>, dice: &mut Dice) -> i64 {
    let least = min.unwrap_or_else(|| max.unwrap_or_default().min(0));
    let most = max.unwrap_or_else(|| least.max(USUAL.1));
    let (low, high) = (least.max(USUAL.0.min(most)), most.min(USUAL.1.max(least)));
    rounded(dice.between(low, high), low, high)
}

/// Rounds down to a multiple of ten if the range is wide enough.
fn rounded(number: i64, low: i64, high: i64) -> i64 {
    if high.saturating_sub(low) < 100 {
        return number;
    }
    (number - number.rem_euclid(10)).clamp(low, high)
}

/// The limits of a number.
fn range(kind: &Kind, code: &str) -> (i64, i64) {
    match kind.attributes.get(code).map(|attribute| &attribute.value) {
        Some(AttributeValue::Integer { min, max }) => {
            (min.unwrap_or(-UNLIMITED), max.unwrap_or(UNLIMITED))
        }
        _ => (0, 0),
    }
}

/// Numbers within the ranges that add up to the total, if there are any.
fn shares(total: i64, ranges: &[(i64, i64)], dice: &mut Dice) -> Vec<i64> {
    let mut rest = total;
    let mut shares = Vec::with_capacity(ranges.len());
    for (at, (least, most)) in ranges.iter().enumerate() {
        let after = &ranges[at + 1..];
        let low = rest - after.iter().map(|(_, most)| *most).sum::<i64>();
        let high = rest - after.iter().map(|(least, _)| *least).sum::<i64>();
        let (low, high) = (low.max(*least), high.min(*most));
        let share = rounded(dice.between(low, high), low, high.max(low));
        rest -= share;
        shares.push(share);
    }
    shares
}

fn effects(kind: &Kind, card: &CardDefinition, dice: &mut Dice) -> Vec<Effect> {
    let applies = |schema: &&EffectSchema| {
        schema.when.as_ref().is_none_or(|when| when.matches(card, "", None))
    };
    let Some(schema) = kind.effects.iter().find(applies) else { return Vec::new() };
    let mut effects = Vec::new();
    let mut add = |slot: Option<&String>, min: u32, max: u32, dice: &mut Dice| {
        let most = max.min(min.saturating_add(MORE_EFFECTS)).max(min);
        for _ in 0..u64::from(min) + dice.below(u64::from(most - min) + 1) {
            let style = (!schema.styles.is_empty())
                .then(|| &schema.styles[dice.frequent_index(schema.styles.len())]);
            effects.push(Effect {
                style: style.cloned(),
                slot: slot.cloned(),
                text: words::effect(dice),
            });
        }
    };
    if schema.slots.is_empty() {
        add(None, schema.min, schema.max, dice);
    }
    for slot in &schema.slots {
        add(Some(&slot.code), slot.min, slot.max, dice);
    }
    effects
}

/// Printings in all rarities if the kind requires all; otherwise in the lowest rarity and some of the next ones. Empty if the game has only one rarity.
fn printings(
    game: &Game,
    kind: &Kind,
    base: &Attributes,
    dice: &mut Dice,
) -> Vec<PrintingDefinition> {
    let mut rarities: Vec<&Rarity> = game.rarities().iter().collect();
    rarities.sort_by_key(|rarity| rarity.tier);
    if !kind.printings.every_rarity {
        if rarities.len() == 1 {
            return Vec::new();
        }
        let mut known = 1;
        while known < rarities.len() && dice.one_in(2) {
            known += 1;
        }
        rarities.truncate(known);
    }
    let printing = |rarity: &Rarity| PrintingDefinition {
        rarity: rarity.code.clone(),
        attributes: own_numbers(game, kind, base, rarity, dice),
    };
    rarities.into_iter().map(printing).collect()
}

/// The numbers of a printing that are higher because of its rarity.
fn own_numbers(
    game: &Game,
    kind: &Kind,
    base: &Attributes,
    rarity: &Rarity,
    dice: &mut Dice,
) -> Attributes {
    let mut own = Attributes::new();
    for check in &kind.checks {
        let (of, more, least) = match &check.check {
            PrintingCheck::Total { of, rarity_bonus, .. } => {
                let more = bonus(rarity_bonus, rarity) - bonus(rarity_bonus, game.base_rarity());
                // In a higher rarity, no number is lower.
                (of, more, if more >= 0 { 0 } else { -UNLIMITED })
            }
            PrintingCheck::Gain { of, rarity_bonus, each_at_least } => {
                (of, bonus(rarity_bonus, rarity), *each_at_least)
            }
            _ => continue,
        };
        let number = |code: &String| base.get(code).and_then(Value::as_i64).unwrap_or_default();
        let gain_of = |code: &String| {
            let (min, max) = range(kind, code);
            ((min - number(code)).max(least), max - number(code))
        };
        let ranges: Vec<(i64, i64)> = of.iter().map(gain_of).collect();
        for (code, gain) in of.iter().zip(shares(more, &ranges, dice)) {
            own.insert(code.clone(), Value::from(number(code) + gain));
        }
    }
    own
}

fn bonus(by_rarity: &BTreeMap<String, i64>, rarity: &Rarity) -> i64 {
    by_rarity.get(&rarity.code).copied().unwrap_or_default()
}

/// A value as a key in the tables of a manifest.
fn plain_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
