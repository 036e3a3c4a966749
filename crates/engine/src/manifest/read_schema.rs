//! Reads the part of a manifest that says what cards look like.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::conditions::check_base;
use super::read_rules::{Registry, Scope, selector};
use super::reader::Reader;
use crate::card_check::NAME_MAX;
use crate::characters::{is_seen, quoted};
use crate::code::ViolationCode;
use crate::name::{name_key, search_key};
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

pub(super) fn zones(reader: &Reader<'_>) -> Vec<Zone> {
    let mut zones: Vec<Zone> = Vec::new();
    let mut known_words = ZoneWords::default();
    for table in reader.tables("zones") {
        let zone = Zone {
            code: table.code("code").into(),
            name: table.name("name"),
            aliases: table.aliases(),
        };
        if zones.iter().any(|known| known.code == zone.code) {
            table.fault("code", "is taken by another zone");
        } else if table.is_new() {
            check_words(&table, &zone, zones.first(), &known_words);
        }
        known_words.add(&zone);
        zones.push(zone);
    }
    if zones.is_empty() {
        zones.push(Zone { code: "main".into(), name: "Deck".to_owned(), aliases: Vec::new() });
    }
    zones
}

/// What the words of the zones so far mean. A zone may have thousands of aliases, so the words are not compared one by one.
#[derive(Default)]
struct ZoneWords {
    /// The code of the zone that has a word, by the key of the word.
    meant: BTreeMap<String, Arc<str>>,
    /// The first word for each part of a deck, and the code of its zone.
    roles: BTreeMap<Role, (String, Arc<str>)>,
}

impl ZoneWords {
    fn add(&mut self, zone: &Zone) {
        for (_, word) in words(zone) {
            let key = name_key(word);
            if let Some(role) = Role::of_key(&key) {
                let named = || (word.to_owned(), Arc::clone(&zone.code));
                self.roles.entry(role).or_insert_with(named);
            }
            self.meant.entry(key).or_insert_with(|| Arc::clone(&zone.code));
        }
    }
}

/// Reports the words of a zone that mean one of the zones before it, also as another word for the same part of a deck (`side` and `sideboard`). A list with such a
/// word would have its cards in another zone than its author means.
fn check_words(table: &Reader<'_>, zone: &Zone, first: Option<&Zone>, known: &ZoneWords) {
    let Some(first) = first else { return };
    // Code, name and aliases are often one word.
    let mut checked = BTreeSet::from([String::new()]);
    for (key, word) in words(zone) {
        let own_key = name_key(word);
        let meant = known.meant.get(&own_key);
        let role = Role::of_key(&own_key).filter(|role| *role != Role::Outside);
        if !checked.insert(own_key) {
            continue;
        }
        let alike = role.and_then(|role| known.roles.get(&role));
        if let Some(code) = meant {
            let problem = format!(
                "{} already means another zone, {}: give one of the two another word",
                quoted(word),
                quoted(code)
            );
            table.fault(key, problem);
        } else if role == Some(Role::Main) {
            let problem = format!(
                "{} means the first zone in all lists, here {}: put this zone first, or give it another word",
                quoted(word),
                quoted(&first.code)
            );
            table.fault(key, problem);
        } else if let Some((other, code)) = alike {
            let problem = format!(
                "{} and {}, a word of the zone {}, mean one zone in lists: give one of the two zones another word",
                quoted(word),
                quoted(other),
                quoted(code)
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
    // Keys of codes and aliases. Older programs refuse manifests in which two rarities have one of them.
    let mut taken: BTreeSet<String> = BTreeSet::new();
    // The keys of all words, and the code of the rarity that each of them means.
    let mut meant: BTreeMap<String, String> = BTreeMap::new();
    for (at, table) in reader.tables("rarities").into_iter().enumerate() {
        let tier = u32::try_from(at + 1).unwrap_or(u32::MAX);
        let rarity = Rarity {
            code: table.code("code"),
            name: table.name("name"),
            weight: table.number_in("weight", 1..=u32::MAX).unwrap_or(1),
            tier: table.optional("tier").unwrap_or(tier),
            finish: table.optional("finish").unwrap_or_default(),
            aliases: table.aliases(),
        };
        let is_taken = |word: &str| taken.contains(&word_key(word));
        let again = rarity_words(&rarity).find(|&(key, word)| key != "name" && is_taken(word));
        if rarities.iter().any(|known| known.code == rarity.code) {
            table.fault("code", "is taken by another rarity");
        } else if let Some((key, word)) = again {
            let problem = format!(
                "{} already means another rarity: give one of the two another word; signs and case do not count in codes and aliases",
                quoted(word)
            );
            table.fault(key, problem);
        } else if table.is_new() {
            check_rarity_words(&table, &rarity, &meant);
        }
        let words = rarity.aliases.iter().chain([&rarity.code]).map(|word| word_key(word));
        taken.extend(words.filter(|key| !key.is_empty()));
        for (_, word) in rarity_words(&rarity) {
            meant.entry(search_key(word)).or_insert_with(|| rarity.code.clone());
        }
        if let Some(alias) = rarity.aliases.iter().find(|alias| word_key(alias).is_empty()) {
            let problem = format!(
                "{} must have letters or digits: signs and emoji count only in names",
                quoted(alias)
            );
            table.fault("aliases", problem);
        }
        if rarity.tier != tier {
            table.fault(
                "tier",
                format!("rarities are listed from the lowest tier up, so this one has tier {tier}"),
            );
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

/// Reports the words of a rarity, its name among them, that mean one of the rarities before it: `meant` has their codes by the keys of their words. A deck or query
/// with such a word would mean another rarity than its author.
fn check_rarity_words(table: &Reader<'_>, rarity: &Rarity, meant: &BTreeMap<String, String>) {
    // Code, name and aliases are often one word.
    let mut checked = BTreeSet::from([String::new()]);
    for (key, word) in rarity_words(rarity) {
        let own_key = search_key(word);
        let code = meant.get(&own_key);
        if checked.insert(own_key)
            && let Some(code) = code
        {
            let problem = format!(
                "{} already means another rarity, {}: give one of the two another word",
                quoted(word),
                quoted(code)
            );
            table.fault(key, problem);
        }
    }
}

/// The words of a rarity, each with the key that has it.
fn rarity_words(rarity: &Rarity) -> impl Iterator<Item = (&'static str, &str)> {
    let aliases = rarity.aliases.iter().map(|alias| ("aliases", alias.as_str()));
    [("code", rarity.code.as_str()), ("name", rarity.name.as_str())].into_iter().chain(aliases)
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
        let problem =
            format!("no kind has an attribute {} that is an integer or a text", quoted(&name));
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
        name: reader.name("name"),
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
    let optional = reader.optional("optional").unwrap_or(false);
    let value = match kind.as_str() {
        "text" => {
            let max_length: u32 = reader.optional("max_length").unwrap_or(200);
            if reader.is_new() && max_length == 0 && !optional {
                reader.fault("max_length", "must be at least 1, because every card has this text");
            }
            AttributeValue::Text { max_length }
        }
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
        "choices" => choices(reader),
        _ => {
            if reader.has("type") {
                reader.fault("type", "must be text, integer, boolean, choice or choices");
            }
            AttributeValue::Boolean
        }
    };
    let name: Option<String> = reader.optional("name");
    if let Some(name) = &name {
        reader.check_length("name", name, NAME_MAX);
    }
    Attribute {
        name: name.unwrap_or_else(|| code_name.replace('_', " ")),
        value,
        optional,
        per_printing: reader.optional("per_printing").unwrap_or(false),
        code: code(reader),
        reference: reference(reader, parent),
    }
}

fn choices(reader: &Reader<'_>) -> AttributeValue {
    let values = values(reader);
    let min_items: u32 = reader.optional("min_items").unwrap_or(0);
    let max_items: Option<u32> = reader.optional("max_items");
    if reader.is_new() {
        let most = values.len();
        if max_items.is_some_and(|max| min_items > max) {
            reader.fault("min_items", "is above max_items");
        } else if most > 0 && min_items as usize > most {
            reader.fault("min_items", format!("is above the number of values, which is {most}"));
        }
    }
    AttributeValue::Choices { values, min_items, max_items }
}

fn values(reader: &Reader<'_>) -> Vec<String> {
    let values: Vec<String> = reader.required("values");
    if reader.has("values") && values.is_empty() {
        reader.fault("values", "must not be empty");
    }
    if values.iter().collect::<BTreeSet<_>>().len() < values.len() {
        reader.fault("values", "has a value twice");
    } else if reader.is_new() {
        check_values(reader, "values", &values);
        for (at, _) in values.iter().enumerate().filter(|(_, value)| value.contains('|')) {
            let problem = "must not contain |, which separates the values in CSV files";
            reader.fault(&format!("values[{at}]"), problem);
        }
    }
    values
}

/// Reports values that are blank or have spaces around them, and those that searches cannot tell from a value before them.
fn check_values(reader: &Reader<'_>, key: &str, values: &[String]) {
    let mut known: BTreeMap<String, &str> = BTreeMap::new();
    for (at, value) in values.iter().enumerate() {
        let place = format!("{key}[{at}]");
        if !value.chars().any(is_seen) {
            reader.fault(&place, "must not be blank");
        } else if value.trim() != value {
            reader.fault(&place, "must not begin or end with a space");
        } else if let Some(before) = known.insert(search_key(value), value) {
            let problem = format!(
                "means the same as {} in searches, where case, accents, spaces and punctuation do not count: give one of the two another name",
                quoted(before)
            );
            reader.fault(&place, problem);
        }
    }
}

fn effect_schema(
    reader: &Reader<'_>,
    parent: &RuleReference,
    scope: &Scope<'_>,
    registry: &mut Registry,
) -> EffectSchema {
    let reference = reference(reader, parent);
    let slots: Vec<EffectSlot> =
        reader.tables("slots").iter().map(|table| effect_slot(table, &reference)).collect();
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
    if reader.is_new() {
        check_values(reader, "styles", &schema.styles);
    }
    schema
}

fn effect_slot(reader: &Reader<'_>, parent: &RuleReference) -> EffectSlot {
    let slot = EffectSlot {
        code: reader.code("slot"),
        min: reader.optional("min").unwrap_or(0),
        max: reader.optional("max").unwrap_or(1),
        reference: reference(reader, parent),
    };
    if reader.is_new() && slot.min > slot.max {
        reader.fault("min", "is above max");
    }
    slot
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
                total.fault("by", format!("this kind has no attribute {}", quoted(by)));
            }
            let base: BTreeMap<String, i64> = total.map("base");
            if total.is_new() {
                check_base(&total, by.as_deref(), &base, kind);
            }
            PrintingCheck::Total {
                of: numbers(&total, kind),
                by,
                base,
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
            reader.fault("of", format!("this kind has no integer attribute {}", quoted(name)));
        }
    }
    of
}

fn bonus(reader: &Reader<'_>, rarities: &[Rarity]) -> BTreeMap<String, i64> {
    let bonus: BTreeMap<String, i64> = reader.map("rarity_bonus");
    for code in bonus.keys().filter(|code| rarities.iter().all(|rarity| rarity.code != **code)) {
        reader.fault("rarity_bonus", format!("there is no rarity {}", quoted(code)));
    }
    bonus
}
