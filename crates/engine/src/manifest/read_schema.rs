//! Reads the part of a manifest that says what cards look like.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::read_rules::{Registry, Scope, selector};
use super::reader::{Reader, Texts};
use crate::code::ViolationCode;
use crate::name::{has_name_key, name_key};
use crate::rule::{Provenance, RuleReference};
use crate::schema::{
    Attribute, AttributeValue, CardCheck, EffectSchema, EffectSlot, Kind, PrintingCheck,
    PrintingSchema, Rarity, Zone, word_key,
};
use crate::zone_words::Role;

/// Rule number, section, provenance and wording; what is absent comes from `parent` (the wording does not: it would
/// describe something else).
pub(super) fn reference(reader: &Reader<'_>, parent: &RuleReference) -> RuleReference {
    let own_rule: Option<String> = reader.optional("rule");
    RuleReference {
        text: reader.optional("text").unwrap_or_default(),
        section: reader.optional("section").unwrap_or_else(|| parent.section.clone()),
        provenance: provenance(reader).unwrap_or(parent.provenance),
        rule: own_rule.unwrap_or_else(|| parent.rule.clone()),
    }
}

pub(super) fn provenance(reader: &Reader<'_>) -> Option<Provenance> {
    let word: String = reader.optional("provenance")?;
    match word.as_str() {
        "source" => Some(Provenance::Source),
        "assumed" => Some(Provenance::Assumed),
        "sample" => Some(Provenance::Sample),
        _ => {
            reader.fault("provenance", "must be \"source\", \"assumed\" or \"sample\"");
            None
        }
    }
}

pub(super) fn code(reader: &Reader<'_>) -> Option<ViolationCode> {
    let name: String = reader.optional("code")?;
    if !ViolationCode::is_well_formed(&name) {
        reader.fault("code", "must be a code in SCREAMING_SNAKE_CASE");
    }
    Some(ViolationCode::from_name(&name))
}

pub(super) fn zones(reader: &Reader<'_>, texts: Texts) -> Vec<Zone> {
    let mut zones: Vec<Zone> = Vec::new();
    for table in reader.tables("zones") {
        let zone = Zone {
            code: table.code("code").into(),
            name: table.text("name"),
            aliases: table.optional("aliases").unwrap_or_default(),
        };
        if zones.iter().any(|known| known.code == zone.code) {
            table.fault("code", "is taken by another zone");
        } else if texts == Texts::New {
            check_words(&table, &zone, &zones);
        }
        zones.push(zone);
    }
    if zones.is_empty() {
        zones.push(Zone { code: "main".into(), name: "Deck".to_owned(), aliases: Vec::new() });
    }
    zones
}

/// Reports the words of a zone that mean one of the zones before it, also as another word for the same part of a deck (`side` and `sideboard`). A list with such a
/// word would have its cards in another zone than its author means.
fn check_words(table: &Reader<'_>, zone: &Zone, others: &[Zone]) {
    let Some(first) = others.first() else { return };
    // Code, name and aliases are often one word.
    let mut checked = BTreeSet::from([String::new()]);
    for (key, word) in words(zone) {
        let own_key = name_key(word);
        let is_word = |other: &&Zone| words(other).any(|(_, other)| has_name_key(other, &own_key));
        let meant = others.iter().find(is_word);
        let role = Role::of_key(&own_key).filter(|role| *role != Role::Outside);
        if !checked.insert(own_key) {
            continue;
        }
        let has_role =
            |(_, other): &(&str, &str)| role.is_some() && Role::of_key(&name_key(other)) == role;
        let alike = others.iter().find_map(|other| Some((other, words(other).find(has_role)?.1)));
        if let Some(Zone { code, .. }) = meant {
            let problem = format!(
                "{word:?} already means another zone, {code:?}: give one of the two another word"
            );
            table.fault(key, problem);
        } else if role == Some(Role::Main) {
            let problem = format!(
                "{word:?} means the first zone in all lists, here {:?}: put this zone first, or give it another word",
                first.code
            );
            table.fault(key, problem);
        } else if let Some((Zone { code, .. }, other)) = alike {
            let problem = format!(
                "{word:?} and {other:?}, a word of the zone {code:?}, mean one zone in lists: give one of the two zones another word"
            );
            table.fault(key, problem);
        }
    }
}

/// The words of a zone, each with the key that has it.
fn words(zone: &Zone) -> impl Iterator<Item = (&'static str, &str)> {
    let aliases = zone.aliases.iter().map(|alias| ("aliases", alias.as_str()));
    [("code", &*zone.code), ("name", zone.name.as_str())].into_iter().chain(aliases)
}

pub(super) fn rarities(reader: &Reader<'_>) -> Vec<Rarity> {
    let mut rarities: Vec<Rarity> = Vec::new();
    let mut taken = BTreeSet::new();
    for (at, table) in reader.tables("rarities").into_iter().enumerate() {
        let tier = u32::try_from(at + 1).unwrap_or(u32::MAX);
        let rarity = Rarity {
            code: table.code("code"),
            name: table.text("name"),
            weight: table.optional("weight").unwrap_or(1),
            tier: table.optional("tier").unwrap_or(tier),
            finish: table.optional("finish").unwrap_or_default(),
            aliases: table.optional("aliases").unwrap_or_default(),
        };
        let words = rarity.aliases.iter().chain([&rarity.code]).map(|word| word_key(word));
        let words: BTreeSet<String> = words.collect();
        if rarities.iter().any(|known| known.code == rarity.code) {
            table.fault("code", "is taken by another rarity");
        } else if let Some(word) = words.intersection(&taken).next() {
            table.fault("aliases", format!("{word:?} already means another rarity"));
        }
        taken.extend(words);
        if rarity.aliases.iter().any(|alias| word_key(alias).is_empty()) {
            table.fault("aliases", "must have letters or digits");
        }
        if rarity.tier != tier {
            table.fault(
                "tier",
                format!("rarities are listed from the lowest tier up, so this one has tier {tier}"),
            );
        }
        if rarity.weight == 0 {
            table.fault("weight", "must be at least 1");
        }
        rarities.push(rarity);
    }
    if rarities.is_empty() {
        rarities.push(Rarity {
            code: "standard".to_owned(),
            name: "Standard".to_owned(),
            weight: 1,
            tier: 1,
            finish: String::new(),
            aliases: Vec::new(),
        });
    }
    rarities
}

pub(super) fn kinds(reader: &Reader<'_>, parent: &RuleReference, rarities: &[Rarity]) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = Vec::new();
    for table in reader.tables("kinds") {
        let kind = kind(&table, parent, rarities);
        if kinds.iter().any(|known| known.code == kind.code) {
            table.fault("code", "is taken by another kind");
        }
        kinds.push(kind);
    }
    if kinds.is_empty() {
        reader.fault("kinds", "at least one kind is required");
    }
    kinds
}

/// Reads the attribute with the external ids of cards: an integer or text of at least one kind.
pub(super) fn external_id(cards: &Reader<'_>, kinds: &[Kind]) -> Option<String> {
    let name: String = cards.optional("external_id")?;
    let is_id = |kind: &Kind| {
        let attribute = kind.attributes.get(&name);
        attribute.is_some_and(|attribute| {
            matches!(attribute.value, AttributeValue::Integer { .. } | AttributeValue::Text { .. })
        })
    };
    if !kinds.iter().any(is_id) {
        let problem = format!("no kind has an attribute {name:?} that is an integer or a text");
        cards.fault("external_id", problem);
    }
    Some(name)
}

fn kind(reader: &Reader<'_>, parent: &RuleReference, rarities: &[Rarity]) -> Kind {
    let reference = reference(reader, parent);
    let mut attributes = BTreeMap::new();
    for (code, table) in reader.named_tables("attributes") {
        if !crate::card_check::is_code(&code) {
            table.fault_here(
                "attribute codes are lower-case letters, digits, hyphens and underscores",
            );
        }
        attributes.insert(code.clone(), attribute(&table, &code, &reference));
    }
    let printings = reader.table("printings").map_or_else(
        || PrintingSchema { every_rarity: false, reference: reference.clone() },
        |table| PrintingSchema {
            every_rarity: table.optional("every_rarity").unwrap_or(false),
            reference: self::reference(&table, &reference),
        },
    );
    let mut kind = Kind {
        code: reader.code("code"),
        name: reader.text("name"),
        attributes,
        effects: Vec::new(),
        printings,
        checks: Vec::new(),
        reference,
    };
    // Conditions inside a kind can only use this kind's attributes, and catalogues cache no results of them.
    let mut unused = Registry::default();
    let itself = [kind.clone()];
    let scope = Scope { game: &"".into(), kinds: &itself, zones: &Arc::default(), fingerprint: 0 };
    kind.effects = reader
        .tables("effects")
        .iter()
        .map(|table| effect_schema(table, &kind.reference, &scope, &mut unused))
        .collect();
    kind.checks = reader
        .tables("checks")
        .iter()
        .filter_map(|table| card_check(table, &kind, rarities))
        .collect();
    kind
}

fn attribute(reader: &Reader<'_>, code_name: &str, parent: &RuleReference) -> Attribute {
    let kind: String = reader.required("type");
    let value = match kind.as_str() {
        "text" => AttributeValue::Text { max_length: reader.optional("max_length").unwrap_or(200) },
        "integer" => {
            let (min, max) = (reader.optional("min"), reader.optional("max"));
            if let (Some(min), Some(max)) = (min, max)
                && min > max
            {
                reader.fault("min", "is above max");
            }
            AttributeValue::Integer { min, max }
        }
        "boolean" => AttributeValue::Boolean,
        "choice" => AttributeValue::Choice { values: values(reader) },
        "choices" => AttributeValue::Choices {
            values: values(reader),
            min_items: reader.optional("min_items").unwrap_or(0),
            max_items: reader.optional("max_items"),
        },
        _ => {
            if reader.has("type") {
                reader.fault("type", "must be text, integer, boolean, choice or choices");
            }
            AttributeValue::Boolean
        }
    };
    Attribute {
        name: reader.optional("name").unwrap_or_else(|| code_name.replace('_', " ")),
        value,
        optional: reader.optional("optional").unwrap_or(false),
        per_printing: reader.optional("per_printing").unwrap_or(false),
        code: code(reader),
        reference: reference(reader, parent),
    }
}

fn values(reader: &Reader<'_>) -> Vec<String> {
    let values: Vec<String> = reader.required("values");
    if reader.has("values") && values.is_empty() {
        reader.fault("values", "must not be empty");
    }
    if values.iter().collect::<BTreeSet<_>>().len() < values.len() {
        reader.fault("values", "has a value twice");
    }
    values
}

fn effect_schema(
    reader: &Reader<'_>,
    parent: &RuleReference,
    scope: &Scope<'_>,
    registry: &mut Registry,
) -> EffectSchema {
    let reference = reference(reader, parent);
    let slots: Vec<EffectSlot> = reader
        .tables("slots")
        .iter()
        .map(|table| EffectSlot {
            code: table.code("slot"),
            min: table.optional("min").unwrap_or(0),
            max: table.optional("max").unwrap_or(1),
            reference: self::reference(table, &reference),
        })
        .collect();
    let exactly: Option<u32> = reader.optional("exactly");
    let least = slots.iter().map(|slot| slot.min).fold(0, u32::saturating_add);
    let most = slots.iter().map(|slot| slot.max).fold(0, u32::saturating_add);
    let schema = EffectSchema {
        when: reader.table("when").map(|table| selector(&table, scope, registry)),
        min: exactly.or_else(|| reader.optional("min")).unwrap_or(least),
        max: exactly.or_else(|| reader.optional("max")).unwrap_or(most),
        styles: reader.optional("styles").unwrap_or_default(),
        slots,
        reference,
    };
    if schema.min > schema.max {
        reader.fault("min", "is above max");
    }
    schema
}

fn card_check(reader: &Reader<'_>, kind: &Kind, rarities: &[Rarity]) -> Option<CardCheck> {
    let reference = reference(reader, &kind.reference);
    let code = code(reader);
    let check = match (reader.table("total"), reader.table("gain")) {
        (Some(total), None) => {
            let by: Option<String> = total.optional("by");
            if let Some(by) = &by
                && !kind.attributes.contains_key(by)
            {
                total.fault("by", format!("this kind has no attribute {by:?}"));
            }
            PrintingCheck::Total {
                of: numbers(&total, kind),
                by,
                base: total.map("base"),
                rarity_bonus: bonus(&total, rarities),
            }
        }
        (None, Some(gain)) => PrintingCheck::Gain {
            of: numbers(&gain, kind),
            rarity_bonus: bonus(&gain, rarities),
            each_at_least: gain.optional("each_at_least").unwrap_or(0),
        },
        _ => {
            reader.fault_here("exactly one check is required: total or gain");
            return None;
        }
    };
    Some(CardCheck { reference, code, check })
}

fn numbers(reader: &Reader<'_>, kind: &Kind) -> Vec<String> {
    let of: Vec<String> = reader.required("of");
    for name in &of {
        let integer = kind
            .attributes
            .get(name)
            .is_some_and(|attribute| matches!(attribute.value, AttributeValue::Integer { .. }));
        if !integer {
            reader.fault("of", format!("this kind has no integer attribute {name:?}"));
        }
    }
    of
}

fn bonus(reader: &Reader<'_>, rarities: &[Rarity]) -> BTreeMap<String, i64> {
    let bonus: BTreeMap<String, i64> = reader.map("rarity_bonus");
    for code in bonus.keys().filter(|code| rarities.iter().all(|rarity| rarity.code != **code)) {
        reader.fault("rarity_bonus", format!("there is no rarity {code:?}"));
    }
    bonus
}
