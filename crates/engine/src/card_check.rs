//! Checks card definitions against a game's schema.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::card::{CardDefinition, PrintingDefinition};
use crate::characters::{is_seen, refused_in_name, refused_in_text};
use crate::code::ViolationCode as Code;
use crate::manifest::Game;
use crate::name::name_key;
use crate::printing_numbers::{integer, sum};
use crate::rule::RuleReference;
use crate::schema::{Attribute, AttributeValue, EffectSchema, Kind, PrintingCheck};
use crate::set_check::{SET_FAULTS_MAX, SetFault};
use crate::violation::{CardMention, ValueSort, Violation};

/// Most characters of a card or set name.
pub(crate) const NAME_MAX: usize = 120;
/// Most characters of a collector number.
pub(crate) const NUMBER_MAX: usize = 16;
/// Most characters of a code.
pub(crate) const CODE_MAX: usize = 64;
/// Most characters of the code of a game or set.
pub(crate) const SET_CODE_MAX: usize = 32;
/// The form of such a code, for messages.
pub(crate) const SET_CODE_FORM: &str =
    "1 to 32 lower-case letters and digits, with single hyphens between them";
/// Most characters of an effect or lore text.
pub(crate) const TEXT_MAX: usize = 2000;

/// Number of the faults of a card, or of all cards of a set, that list what would be right: there may be thousands of values, and each fault has its own copy.
const SUGGESTING_MAX: usize = 100;

/// All violations of a card against the rules of its game; empty if the card is valid.
///
/// Never stops at the first violation, but a card has at most [`SET_FAULTS_MAX`] of them, and only the first 100 have suggestions.
pub fn check_card(game: &Game, card: &CardDefinition) -> Vec<Violation> {
    card_faults(game, card).into_iter().map(|fault| fault.violation).collect()
}

/// [`check_card`] with the place of each violation, as a JSON pointer (RFC 6901) into the card.
pub fn card_faults(game: &Game, card: &CardDefinition) -> Vec<SetFault> {
    card_faults_after(0, game, card)
}

/// [`card_faults`] of a card of a set in which that many faults were found before.
pub(crate) fn card_faults_after(
    before: usize,
    game: &Game,
    card: &CardDefinition,
) -> Vec<SetFault> {
    let mut check = Check { game, card, before, faults: Vec::new() };
    check.general();
    if let Some(kind) = game.kind(&card.kind) {
        check.by_kind(kind);
    } else {
        let known = game.kinds().iter().map(|kind| &kind.code);
        let fault = check.error(Code::KindUnknown, game.card_reference());
        check.push("/kind", check.suggest(0, fault, known));
    }
    check.faults
}

/// Lower-case letters, digits, `-` and `_`, at most [`CODE_MAX`].
pub(crate) fn is_code(text: &str) -> bool {
    (1..=CODE_MAX).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_')
}

/// Whether a text may be a collector number: 1 to 16 letters and digits, with single hyphens between them.
pub fn is_collector_number(text: &str) -> bool {
    is_hyphenated(text, NUMBER_MAX, |byte| byte.is_ascii_alphanumeric())
}

/// Whether a text may be the code of a game or set: 1 to 32 lower-case letters and digits, with single hyphens between them. These codes are parts of URLs.
pub fn is_set_code(text: &str) -> bool {
    is_hyphenated(text, SET_CODE_MAX, |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

fn is_hyphenated(text: &str, max: usize, allowed: impl Fn(u8) -> bool) -> bool {
    text.len() <= max && text.split('-').all(|part| !part.is_empty() && part.bytes().all(&allowed))
}

/// Not blank, not longer than `max` characters, without characters that are no part of a text.
pub(crate) fn is_line(text: &str, max: usize) -> bool {
    text.chars().any(is_seen)
        && text.chars().nth(max).is_none()
        && refused_in_text(text, |_| false).is_none()
}

/// The first `most` characters of a text.
pub(crate) fn first_letters(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

/// A card by name and number, for violations. Both are cut to the longest that a valid card may have, because each violation repeats them.
pub(crate) fn mention(card: &CardDefinition) -> CardMention {
    let truncated = |text: &str, most: usize| first_letters(text, most).to_owned();
    CardMention {
        number: Some(truncated(&card.number, NUMBER_MAX)),
        ..CardMention::named(truncated(&card.name, NAME_MAX))
    }
}

/// The code of a rarity as a card writes it, cut like a [`mention`].
fn rarity_code(text: &str) -> String {
    first_letters(text, CODE_MAX).to_owned()
}

fn sort_of(value: &AttributeValue) -> ValueSort {
    match value {
        AttributeValue::Text { .. } => ValueSort::Text,
        AttributeValue::Integer { .. } => ValueSort::WholeNumber,
        AttributeValue::Boolean => ValueSort::Truth,
        AttributeValue::Choice { .. } => ValueSort::Choice,
        AttributeValue::Choices { .. } => ValueSort::List,
    }
}

/// The place of a value. Most values break no rule, so the pointer is only written for those that do.
#[derive(Clone, Copy)]
struct Place<'a> {
    /// The printing with its position; `None`: the card itself.
    printing: Option<(usize, &'a PrintingDefinition)>,
    /// Code of the attribute.
    code: &'a str,
}

impl<'a> Place<'a> {
    fn of_card(code: &'a str) -> Self {
        Self { printing: None, code }
    }

    fn pointer(self) -> String {
        let code = token(self.code);
        match self.printing {
            None => format!("/attributes/{code}"),
            Some((index, _)) => format!("/printings/{index}/attributes/{code}"),
        }
    }
}

struct Check<'a> {
    game: &'a Game,
    card: &'a CardDefinition,
    /// Number of faults of other cards of the set.
    before: usize,
    faults: Vec<SetFault>,
}

impl<'a> Check<'a> {
    fn mention(&self) -> CardMention {
        mention(self.card)
    }

    fn error(&self, code: Code, rule: &RuleReference) -> Violation {
        Violation::error(code, rule).card(self.mention())
    }

    fn printing_error(&self, code: Code, rule: &RuleReference, rarity: &str) -> Violation {
        Violation::error(code, rule)
            .card(CardMention { rarity: Some(rarity_code(rarity)), ..self.mention() })
    }

    fn push(&mut self, pointer: impl Into<String>, violation: Violation) {
        if self.faults.len() < SET_FAULTS_MAX {
            self.faults.push(SetFault { pointer: pointer.into(), violation });
        }
    }

    /// Adds what would be right to one of the first faults. `waiting`: number of faults that were found before it and not yet added.
    fn suggest(
        &self,
        waiting: usize,
        fault: Violation,
        known: impl IntoIterator<Item = impl Into<String>>,
    ) -> Violation {
        if self.before + self.faults.len() + waiting < SUGGESTING_MAX {
            fault.suggest(known)
        } else {
            fault
        }
    }

    fn general(&mut self) {
        let rule = self.game.card_reference();
        let card = self.card;
        let is_short = card.name.chars().nth(NAME_MAX).is_none();
        let refused = refused_in_name(&card.name).filter(|_| is_short);
        if refused.is_some() || !is_line(&card.name, NAME_MAX) || name_key(&card.name).is_empty() {
            let fault = self.error(Code::NameInvalid, rule).limit(NAME_MAX).refused(refused);
            self.push("/name", fault);
        }
        if !is_collector_number(&card.number) {
            let fault = self.error(Code::NumberInvalid, rule).limit(NUMBER_MAX);
            self.push("/number", fault);
        }
        for (at, effect) in card.effects.iter().enumerate() {
            self.text(&effect.text, || format!("/effects/{at}/text"));
        }
        if let Some(lore) = &card.lore {
            self.text(lore, || "/lore".to_owned());
        }
    }

    /// Checks a text, which may have several lines.
    fn text(&mut self, text: &str, pointer: impl Fn() -> String) {
        let is_short = text.chars().nth(TEXT_MAX).is_none();
        let unseen =
            || text.chars().find(|c| !c.is_whitespace()).filter(|_| !text.chars().any(is_seen));
        let refused = refused_in_text(text, |character| character == '\n').or_else(unseen);
        let refused = refused.filter(|_| is_short);
        if !is_short || refused.is_some() || !text.chars().any(is_seen) {
            let rule = self.game.card_reference();
            let fault = self.error(Code::TextInvalid, rule).limit(TEXT_MAX).refused(refused);
            self.push(pointer(), fault);
        }
    }

    fn by_kind(&mut self, kind: &'a Kind) {
        let card = self.card;
        for (code, attribute) in &kind.attributes {
            match card.attributes.get(code) {
                Some(value) => self.value(Place::of_card(code), attribute, value),
                None if attribute.optional => {}
                None => {
                    let fault =
                        self.error(Code::AttributeMissing, &attribute.reference).attribute(code);
                    self.push("/attributes", fault);
                }
            }
        }
        for code in card.attributes.keys().filter(|code| !kind.attributes.contains_key(*code)) {
            let fault = self.error(Code::AttributeUnknown, &kind.reference).attribute(code);
            let fault = self.suggest(0, fault, kind.attributes.keys());
            self.push(Place::of_card(code).pointer(), fault);
        }
        self.effects(kind);
        self.printings(kind);
    }

    /// Checks one value against its attribute.
    fn value(&mut self, place: Place<'_>, attribute: &Attribute, value: &Value) {
        let violation = |code: Code| {
            let code = match &attribute.code {
                Some(own) if code != Code::AttributeTypeMismatch => own.clone(),
                _ => code,
            };
            let rarity = place.printing.map(|(_, printing)| rarity_code(&printing.rarity));
            let mention = CardMention { rarity, ..self.mention() };
            Violation::error(code, &attribute.reference)
                .card(mention)
                .attribute(place.code)
                .sort(sort_of(&attribute.value))
        };
        let out_of_range = |limit: i64, actual: i64| {
            violation(Code::AttributeOutOfRange).limit(limit).actual(actual)
        };
        let mut found: Vec<(String, Violation)> = Vec::new();
        match (&attribute.value, value) {
            (AttributeValue::Text { max_length }, Value::String(text)) => {
                if !is_line(text, *max_length as usize) {
                    let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
                    let fault = out_of_range(i64::from(*max_length), length);
                    let is_short = length <= i64::from(*max_length);
                    let refused = refused_in_text(text, |_| false).filter(|_| is_short);
                    found.push((place.pointer(), fault.refused(refused)));
                }
            }
            (AttributeValue::Integer { min, max }, Value::Number(number)) => {
                match number.as_i64() {
                    None => found.push((place.pointer(), violation(Code::AttributeTypeMismatch))),
                    Some(number) => {
                        let broken =
                            min.filter(|min| number < *min).or(max.filter(|max| number > *max));
                        if let Some(limit) = broken {
                            found.push((place.pointer(), out_of_range(limit, number)));
                        }
                    }
                }
            }
            (AttributeValue::Boolean, Value::Bool(_)) => {}
            (AttributeValue::Choice { values }, Value::String(text)) => {
                if !values.contains(text) {
                    let fault = violation(Code::AttributeValueUnknown);
                    found.push((place.pointer(), self.suggest(0, fault, values)));
                }
            }
            (AttributeValue::Choices { values, min_items, max_items }, Value::Array(items)) => {
                let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
                let (least, most) = (i64::from(*min_items), max_items.map(i64::from));
                let broken = Some(least)
                    .filter(|least| length < *least)
                    .or(most.filter(|most| length > *most));
                if let Some(limit) = broken {
                    let fault = out_of_range(limit, length);
                    found.push((
                        place.pointer(),
                        Violation { code: Code::AttributeOutOfRange, ..fault },
                    ));
                }
                let mut seen = BTreeSet::new();
                for (index, item) in items.iter().enumerate() {
                    if found.len() >= SET_FAULTS_MAX {
                        break;
                    }
                    let pointer = || format!("{}/{index}", place.pointer());
                    match item.as_str() {
                        None => {
                            let fault = violation(Code::AttributeTypeMismatch);
                            found.push((pointer(), fault.sort(ValueSort::Text)));
                        }
                        Some(text) if !values.iter().any(|value| value == text) => {
                            let fault = violation(Code::AttributeValueUnknown);
                            let fault = self.suggest(found.len(), fault, values);
                            found.push((pointer(), fault));
                        }
                        Some(text) if !seen.insert(text) => {
                            let fault = violation(Code::AttributeValueDuplicate);
                            found.push((
                                pointer(),
                                Violation { code: Code::AttributeValueDuplicate, ..fault },
                            ));
                        }
                        Some(_) => {}
                    }
                }
            }
            _ => found.push((place.pointer(), violation(Code::AttributeTypeMismatch))),
        }
        for (pointer, fault) in found {
            self.push(pointer, fault);
        }
    }

    fn effects(&mut self, kind: &'a Kind) {
        let card = self.card;
        let applies = |schema: &&EffectSchema| {
            schema.when.as_ref().is_none_or(|when| when.matches(card, "", None))
        };
        let Some(schema) = kind.effects.iter().find(applies) else {
            if !card.effects.is_empty() {
                let fault = self
                    .error(Code::EffectCountInvalid, &kind.reference)
                    .limit(0)
                    .actual(card.effects.len());
                self.push("/effects", fault);
            }
            return;
        };
        let within = |count: usize, min: u32, max: u32| {
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            if count < min { Some(min) } else { (count > max).then_some(max) }
        };
        if schema.slots.is_empty()
            && let Some(limit) = within(card.effects.len(), schema.min, schema.max)
        {
            let fault = self
                .error(Code::EffectCountInvalid, &schema.reference)
                .limit(limit)
                .actual(card.effects.len());
            self.push("/effects", fault);
        }
        for slot in &schema.slots {
            let count = card
                .effects
                .iter()
                .filter(|effect| effect.slot.as_ref() == Some(&slot.code))
                .count();
            if let Some(limit) = within(count, slot.min, slot.max) {
                let fault = self
                    .error(Code::EffectCountInvalid, &slot.reference)
                    .attribute(&slot.code)
                    .limit(limit)
                    .actual(count);
                self.push("/effects", fault);
            }
        }
        for (at, effect) in card.effects.iter().enumerate() {
            let style_is_known = match &effect.style {
                Some(style) => schema.styles.contains(style),
                None => schema.styles.is_empty(),
            };
            if !style_is_known {
                let fault = self.error(Code::EffectStyleUnknown, &schema.reference);
                let fault = self.suggest(0, fault, &schema.styles);
                self.push(format!("/effects/{at}/style"), fault);
            }
            let slot_is_known = match &effect.slot {
                Some(slot) => schema.slots.iter().any(|known| known.code == *slot),
                None => schema.slots.is_empty(),
            };
            if !slot_is_known {
                let known = schema.slots.iter().map(|slot| &slot.code);
                let fault = self.error(Code::EffectSlotUnknown, &schema.reference);
                let fault = self.suggest(0, fault, known);
                self.push(format!("/effects/{at}/slot"), fault);
            }
        }
    }

    fn printings(&mut self, kind: &'a Kind) {
        let card = self.card;
        let rule = &kind.printings.reference;
        let mut seen = BTreeSet::new();
        for (at, printing) in card.printings.iter().enumerate() {
            let pointer = || format!("/printings/{at}");
            if self.game.rarity(&printing.rarity).is_none() {
                let known = self.game.rarities().iter().map(|rarity| &rarity.code);
                let fault = self.printing_error(Code::RarityUnknown, rule, &printing.rarity);
                let fault = self.suggest(0, fault, known);
                self.push(pointer() + "/rarity", fault);
            } else if !seen.insert(&printing.rarity) {
                let fault = self.printing_error(Code::PrintingDuplicate, rule, &printing.rarity);
                self.push(pointer(), fault);
            }
            self.printing_attributes(kind, at, printing);
            self.printing_numbers(kind, &printing.rarity, Some(printing), pointer);
        }
        if card.printings.is_empty() {
            let pointer = || "/attributes".to_owned();
            self.printing_numbers(kind, &self.game.base_rarity().code, None, pointer);
        }
        if kind.printings.every_rarity {
            let exists = |code: &str| card.printings.iter().any(|printing| printing.rarity == code);
            let missing: Vec<CardMention> = self
                .game
                .rarities()
                .iter()
                .filter(|rarity| !exists(&rarity.code))
                .map(|rarity| CardMention { rarity: Some(rarity.code.clone()), ..self.mention() })
                .collect();
            if !missing.is_empty() {
                let all = self.game.rarities().len();
                let mut fault = Violation::error(Code::PrintingMissing, rule)
                    .limit(all)
                    .actual(all - missing.len());
                fault.cards = missing;
                self.push("/printings", fault);
            }
        }
    }

    fn printing_attributes(
        &mut self,
        kind: &'a Kind,
        index: usize,
        printing: &'a PrintingDefinition,
    ) {
        let is_base = printing.rarity == self.game.base_rarity().code;
        for (code, value) in &printing.attributes {
            let place = Place { printing: Some((index, printing)), code };
            match kind.attributes.get(code).filter(|attribute| attribute.per_printing) {
                None => {
                    let may = kind.attributes.iter().filter(|(_, known)| known.per_printing);
                    let fault = self
                        .printing_error(Code::AttributeUnknown, &kind.reference, &printing.rarity)
                        .attribute(code);
                    let fault = self.suggest(0, fault, may.map(|(code, _)| code));
                    self.push(place.pointer(), fault);
                }
                Some(attribute) => {
                    self.value(place, attribute, value);
                    if is_base && self.card.attributes.get(code).is_some_and(|own| own != value) {
                        let fault = self
                            .printing_error(
                                Code::PrintingBaseMismatch,
                                self.game.card_reference(),
                                &printing.rarity,
                            )
                            .attribute(code);
                        self.push(place.pointer(), fault);
                    }
                }
            }
        }
    }

    /// Checks the sums and differences of one printing, or, without `printing`, of the card's own attributes.
    fn printing_numbers(
        &mut self,
        kind: &'a Kind,
        rarity: &str,
        printing: Option<&PrintingDefinition>,
        pointer: impl Fn() -> String,
    ) {
        for check in &kind.checks {
            let (code, limit, actual, of) = match &check.check {
                PrintingCheck::Total { of, .. } => {
                    // Other checks report a missing value, and a value that the table does not have.
                    let Some(limit) = check.check.total(self.card, rarity) else { continue };
                    let Some(actual) = sum(of, |name| self.number(name, printing)) else {
                        continue;
                    };
                    if actual == limit {
                        continue;
                    }
                    (Code::AttributeTotalMismatch, limit, actual, of)
                }
                PrintingCheck::Gain { of, rarity_bonus, each_at_least } => {
                    let gain = |name: &str| {
                        let base = integer(&self.card.attributes, name)?;
                        Some(self.number(name, printing)?.saturating_sub(base))
                    };
                    let Some(actual) = sum(of, gain) else { continue };
                    let limit = rarity_bonus.get(rarity).copied().unwrap_or(0);
                    let lowered =
                        of.iter().any(|name| gain(name).is_some_and(|gain| gain < *each_at_least));
                    if actual == limit && !lowered {
                        continue;
                    }
                    (Code::PrintingGainMismatch, limit, actual, of)
                }
            };
            let fault = self
                .printing_error(check.code.clone().unwrap_or(code), &check.reference, rarity)
                .attribute(of.join(" + "))
                .limit(limit)
                .actual(actual);
            self.push(pointer(), fault);
        }
    }

    /// A printing's number, or the card's own where the printing has none.
    fn number(&self, name: &str, printing: Option<&PrintingDefinition>) -> Option<i64> {
        match printing.and_then(|printing| printing.attributes.get(name)) {
            Some(value) => value.as_i64(),
            None => integer(&self.card.attributes, name),
        }
    }
}

/// Escapes a key for a JSON pointer (RFC 6901).
pub(crate) fn token(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
