//! Reads the part of a manifest that says how decks are built: formats, rules, selectors.

use std::collections::BTreeMap;
use std::sync::Arc;

use toml::Value;

use super::conditions::check_condition;
use super::read_identity::{attribute_values, budget, matches_identity, stated_bounds};
use super::read_schema::{code, provenance, reference};
use super::reader::Reader;
use crate::characters::quoted;
use crate::decision::{Decision, DecisionOption};
use crate::format::{Format, Variant};
use crate::name::name_key;
use crate::rule::{BoxLine, CopyLimit, DeckCheck, Provenance, Rule, RuleReference, SameCard};
use crate::schema::{AttributeValue, Kind, Zone};
use crate::selector::{Condition, Released, Selector};
use crate::violation::Severity;

/// What the rules of a manifest may refer to.
pub(super) struct Scope<'a> {
    pub(super) game: &'a Arc<str>,
    pub(super) kinds: &'a [Kind],
    pub(super) zones: &'a Arc<[Zone]>,
    pub(super) fingerprint: u64,
}

/// What catalogues compute in advance for every card.
#[derive(Debug, Default)]
pub(super) struct Registry {
    pub(super) selectors: Vec<Arc<Selector>>,
    pub(super) ladders: Vec<Rule>,
}

pub(super) fn formats(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    registry: &mut Registry,
) -> Vec<Format> {
    reader.tables("formats").iter().map(|table| format(table, scope, registry)).collect()
}

fn format(reader: &Reader<'_>, scope: &Scope<'_>, registry: &mut Registry) -> Format {
    let common_rules = rules(reader, scope, registry);
    let variants: Vec<Variant> =
        reader.tables("variants").iter().map(|table| variant(table, scope, registry)).collect();
    if !variants.is_empty() && variants.iter().filter(|variant| variant.default).count() != 1 {
        reader.fault("variants", "exactly one variant must be the default");
    }
    for (at, variant) in variants.iter().enumerate() {
        if variants[..at].iter().any(|known| known.code == variant.code) {
            let problem = format!("two variants have the code {}", quoted(&variant.code));
            reader.fault("variants", problem);
        }
    }
    let default = variants.iter().find(|variant| variant.default);
    let own = default.map_or(&[][..], |variant| &variant.rules);
    Format {
        game: Arc::clone(scope.game),
        code: reader.format_code("code").into(),
        name: reader.name("name"),
        version: reader.text("version").into(),
        effective_from: reader.optional("effective_from"),
        provenance: provenance(reader).unwrap_or_default(),
        description: reader.optional("description").unwrap_or_default(),
        decisions: decisions(reader, &variants),
        variant: default.map(|variant| Arc::clone(&variant.code)),
        rules: common_rules.iter().chain(own).cloned().collect(),
        variants,
        common_rules,
        zones: Arc::clone(scope.zones),
        fingerprint: scope.fingerprint,
    }
}

/// Reads open questions. The options of a format's question may be variants of the format.
pub(super) fn decisions(reader: &Reader<'_>, variants: &[Variant]) -> Vec<Decision> {
    let mut decisions: Vec<Decision> = Vec::new();
    for table in reader.tables("decisions") {
        let decision = decision(&table, variants);
        if decisions.iter().any(|known| known.rule == decision.rule) {
            table.fault("rule", "is taken by another decision");
        }
        decisions.push(decision);
    }
    decisions
}

fn decision(reader: &Reader<'_>, variants: &[Variant]) -> Decision {
    let mut options: Vec<DecisionOption> = Vec::new();
    for table in reader.tables("options") {
        let variant: Option<String> = table.optional("variant");
        let option = DecisionOption {
            code: table.code("code"),
            text: table.text("text"),
            selectable: variant.is_some(),
            variant: variant.map(Into::into),
        };
        if let Some(code) = &option.variant
            && variants.iter().all(|known| known.code != *code)
        {
            table.fault("variant", format!("there is no variant {} here", quoted(code)));
        }
        if options.iter().any(|known| known.code == option.code) {
            table.fault("code", "is taken by another option");
        }
        options.push(option);
    }
    let decision = Decision {
        rule: reader.text("rule"),
        question: reader.text("question"),
        provenance: provenance(reader).unwrap_or(Provenance::Assumed),
        chosen: reader.code("chosen"),
        options,
    };
    match decision.chosen_option() {
        None => reader.fault("chosen", "is none of the options"),
        Some(option) => {
            let is_default = |code: &Arc<str>| {
                variants.iter().any(|variant| variant.default && variant.code == *code)
            };
            let selectable = decision.options.iter().any(|option| option.selectable);
            if selectable && !option.variant.as_ref().is_some_and(is_default) {
                reader.fault("chosen", "must be the option of the default variant");
            }
        }
    }
    decision
}

fn variant(reader: &Reader<'_>, scope: &Scope<'_>, registry: &mut Registry) -> Variant {
    Variant {
        code: reader.format_code("code").into(),
        name: reader.name("name"),
        default: reader.optional("default").unwrap_or(false),
        provenance: provenance(reader).unwrap_or_default(),
        rules: rules(reader, scope, registry),
    }
}

fn rules(reader: &Reader<'_>, scope: &Scope<'_>, registry: &mut Registry) -> Vec<Rule> {
    reader.tables("rules").iter().filter_map(|table| rule(table, scope, registry)).collect()
}

fn rule(reader: &Reader<'_>, scope: &Scope<'_>, registry: &mut Registry) -> Option<Rule> {
    reader.text("rule");
    reader.text("text");
    let reference = reference(reader, &RuleReference::default());
    let severity: Option<String> = reader.optional("severity");
    let severity = severity.and_then(|word| match word.as_str() {
        "error" => Some(Severity::Error),
        "incomplete" => Some(Severity::Incomplete),
        "warning" => Some(Severity::Warning),
        _ => {
            reader.fault("severity", "must be \"error\", \"incomplete\" or \"warning\"");
            None
        }
    });
    let code = code(reader);
    let mut checks: Vec<DeckCheck> = Vec::new();
    if let Some(table) = reader.table("known_cards") {
        drop(table);
        checks.push(DeckCheck::KnownCards);
    }
    if let Some(table) = reader.table("entry_quantity") {
        checks.push(DeckCheck::EntryQuantity { min: table.optional("min").unwrap_or(1).max(1) });
    }
    if let Some(table) = reader.table("unique_copies") {
        drop(table);
        checks.push(DeckCheck::UniqueCopies);
    }
    if let Some(table) = reader.table("zone_size") {
        checks.push(zone_size(&table, scope, registry));
    }
    if let Some(table) = reader.table("copy_limit") {
        checks.push(copy_limit(&table, scope, registry, &reference));
    }
    if let Some(table) = reader.table("allowed") {
        let select = required_selector(&table, scope, registry);
        checks.push(DeckCheck::Allowed { zones: zone_list(&table, scope), select });
    }
    if let Some(table) = reader.table("forbidden") {
        let select = required_selector(&table, scope, registry);
        checks.push(DeckCheck::Forbidden { zones: zone_list(&table, scope), select });
    }
    if let Some(table) = reader.table("requires") {
        checks.push(DeckCheck::Requires {
            zones: zone_list(&table, scope),
            select: required_selector(&table, scope, registry),
            min: table.optional("min").unwrap_or(1),
        });
    }
    if let Some(table) = reader.table("at_most") {
        checks.push(DeckCheck::AtMost {
            zones: zone_list(&table, scope),
            select: required_selector(&table, scope, registry),
            max: table.required("max"),
        });
    }
    if let Some(table) = reader.table("limit_list") {
        let cards: BTreeMap<String, u32> = table.map("cards");
        let mut by_key = BTreeMap::new();
        for (name, max) in &cards {
            if by_key.insert(name_key(name), *max).is_some() {
                table.fault("cards", format!("{} is in the list twice", quoted(name)));
            }
        }
        checks.push(DeckCheck::LimitList { cards, by_key });
    }
    if let Some(table) = reader.table("matches_identity") {
        checks.push(matches_identity(&table, scope, registry));
    }
    if let Some(table) = reader.table("budget") {
        checks.push(budget(&table, scope, registry));
    }
    if let Some(table) = reader.table("attribute_values") {
        checks.push(attribute_values(&table, scope, registry));
    }
    if let Some(table) = reader.table("fixed_box") {
        checks.push(fixed_box(&table, scope, registry));
    }
    if let Some(table) = reader.table("advise_at_least") {
        checks.push(DeckCheck::AdviseAtLeast {
            select: required_selector(&table, scope, registry),
            min: table.optional("min").unwrap_or(1),
        });
        if code.is_none() {
            reader.fault("code", "is missing: advice needs one");
        }
    }
    if let Some(table) = reader.table("advise_ladder") {
        checks.push(advise_ladder(&table, scope, registry));
        if code.is_none() {
            reader.fault("code", "is missing: advice needs one");
        }
    }
    if checks.len() != 1 {
        reader.fault_here(
            "exactly one check is required: known_cards, entry_quantity, unique_copies, zone_size, copy_limit, \
             allowed, forbidden, requires, at_most, limit_list, matches_identity, budget, attribute_values, fixed_box, \
             advise_at_least or advise_ladder",
        );
    }
    let (effective_from, effective_until) =
        (reader.optional("effective_from"), reader.optional("effective_until"));
    if let (Some(from), Some(until)) = (effective_from, effective_until)
        && until <= from
    {
        reader.fault("effective_until", "is not after effective_from");
    }
    let rule =
        Rule { reference, effective_from, effective_until, code, severity, check: checks.pop()? };
    if matches!(rule.check, DeckCheck::AdviseLadder { .. }) {
        registry.ladders.push(rule.clone());
    }
    Some(rule)
}

fn zone_size(reader: &Reader<'_>, scope: &Scope<'_>, registry: &mut Registry) -> DeckCheck {
    let exactly: Option<u32> = reader.optional("exactly");
    let min = exactly.or_else(|| reader.optional("min"));
    let max = exactly.or_else(|| reader.optional("max"));
    if exactly.is_some() && (reader.has("min") || reader.has("max")) {
        reader.fault("exactly", "sets both min and max");
    }
    let stated = reader.has("min_of") || reader.has("max_of");
    match (min, max) {
        (None, None) if !stated => {
            reader.fault_here("min, max, exactly, min_of or max_of is required");
        }
        (Some(min), Some(max)) if min > max => reader.fault("min", "is above max"),
        _ => {}
    }
    let stated = stated_bounds(reader, scope, registry, false);
    let zone = reader.optional("zone").unwrap_or_else(|| scope.zones[0].code.to_string());
    known_zone(reader, "zone", &zone, scope);
    DeckCheck::ZoneSize { zone, min, max, stated }
}

fn copy_limit(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    registry: &mut Registry,
    parent: &RuleReference,
) -> DeckCheck {
    let same = match reader.optional::<String>("same").as_deref() {
        None | Some("name") => SameCard::Name,
        Some("card") => SameCard::Card,
        Some(_) => {
            reader.fault("same", "must be \"name\" or \"card\"");
            SameCard::Name
        }
    };
    let mut limits = Vec::new();
    for table in reader.tables("limits") {
        limits.push(CopyLimit {
            select: required_selector(&table, scope, registry),
            max: table.required("max"),
            reference: reference(&table, parent),
        });
    }
    let max = reader.optional("max");
    if max.is_none() && limits.is_empty() {
        reader.fault_here("max or limits is required");
    }
    DeckCheck::CopyLimit {
        same,
        zones: zone_list(reader, scope),
        limits,
        max,
        exempt: reader.table("exempt").map(|table| selector(&table, scope, registry)),
        own_limit: integer_attribute(reader, "own_limit", scope),
    }
}

/// Reads an optional attribute, which at least one kind must have, and which must be an integer in every kind that has it.
pub(super) fn integer_attribute(
    reader: &Reader<'_>,
    key: &'static str,
    scope: &Scope<'_>,
) -> Option<String> {
    let name: String = reader.optional(key)?;
    let of_name = scope.kinds.iter().filter_map(|kind| kind.attributes.get(&name));
    let mut integers =
        of_name.map(|attribute| matches!(attribute.value, AttributeValue::Integer { .. }));
    if !integers.next().is_some_and(|first| first && integers.all(|more| more)) {
        reader.fault(key, format!("no kind has an integer attribute {}", quoted(&name)));
    }
    Some(name)
}

fn fixed_box(reader: &Reader<'_>, scope: &Scope<'_>, registry: &mut Registry) -> DeckCheck {
    let contents: Vec<BoxLine> = reader
        .tables("contents")
        .iter()
        .map(|table| BoxLine {
            select: required_selector(table, scope, registry),
            copies: table.required("copies"),
            provenance: provenance(table).unwrap_or(Provenance::Source),
        })
        .collect();
    if contents.is_empty() {
        reader.fault("contents", "at least one line is required");
    }
    DeckCheck::FixedBox { contents, total: reader.required("total") }
}

fn advise_ladder(reader: &Reader<'_>, scope: &Scope<'_>, registry: &mut Registry) -> DeckCheck {
    let attribute: String = reader.required("attribute");
    let same: Vec<String> = reader.optional("same").unwrap_or_default();
    for name in same.iter().chain([&attribute]) {
        known_attribute(reader, name, scope);
    }
    let select = required_selector(reader, scope, registry);
    let of_kind = |kind: &&Kind| select.kinds.is_empty() || select.kinds.contains(&kind.code);
    let values = || {
        let kinds = scope.kinds.iter().filter(of_kind);
        kinds.filter_map(|kind| kind.attributes.get(&attribute)).map(|attribute| &attribute.value)
    };
    let has_steps = |value: &AttributeValue| {
        matches!(value, AttributeValue::Integer { .. } | AttributeValue::Choice { .. })
    };
    let is_known = scope.kinds.iter().any(|kind| kind.attributes.contains_key(&attribute));
    if reader.is_new() && is_known && !values().any(has_steps) {
        reader.fault("attribute", "must be an integer or a choice of one of these kinds");
    }
    let steps = values()
        .find_map(|value| match value {
            AttributeValue::Choice { values } => Some(values.clone()),
            _ => None,
        })
        .unwrap_or_default();
    let lowest = reader.optional("lowest").unwrap_or(i64::from(steps.is_empty()));
    DeckCheck::AdviseLadder {
        select,
        attribute,
        steps,
        lowest,
        same,
        index: registry.ladders.len(),
    }
}

pub(super) fn zone_list(reader: &Reader<'_>, scope: &Scope<'_>) -> Vec<String> {
    let zones: Vec<String> = reader.optional("zones").unwrap_or_default();
    for zone in &zones {
        known_zone(reader, "zones", zone, scope);
    }
    zones
}

fn known_zone(reader: &Reader<'_>, key: &str, zone: &str, scope: &Scope<'_>) {
    if scope.zones.iter().all(|known| &*known.code != zone) {
        reader.fault(key, format!("there is no zone {}", quoted(zone)));
    }
}

fn known_attribute(reader: &Reader<'_>, name: &str, scope: &Scope<'_>) {
    if scope.kinds.iter().all(|kind| !kind.attributes.contains_key(name)) {
        reader.fault_here(format!("no kind has an attribute {}", quoted(name)));
    }
}

pub(super) fn required_selector(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    registry: &mut Registry,
) -> Arc<Selector> {
    if let Some(table) = reader.table("select") {
        return selector(&table, scope, registry);
    }
    if !reader.has("select") {
        reader.fault("select", "is missing");
    }
    Arc::default()
}

/// Reads a selector and enters it into the registry.
pub(super) fn selector(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    registry: &mut Registry,
) -> Arc<Selector> {
    let mut selector = read_selector(reader, scope);
    selector.index = registry.selectors.len();
    let selector = Arc::new(selector);
    registry.selectors.push(Arc::clone(&selector));
    selector
}

fn read_selector(reader: &Reader<'_>, scope: &Scope<'_>) -> Selector {
    let kinds: Vec<String> = reader.optional("kinds").unwrap_or_default();
    for kind in kinds.iter().filter(|kind| scope.kinds.iter().all(|known| known.code != **kind)) {
        reader.fault("kinds", format!("there is no kind {}", quoted(kind)));
    }
    let names: Vec<String> = reader.optional("names").unwrap_or_default();
    let mut attributes = BTreeMap::new();
    for (name, value) in reader.map::<&Value>("where") {
        known_attribute(reader, &name, scope);
        match condition(value) {
            Some(condition) => {
                if reader.is_new() {
                    check_condition(reader, &name, &condition, scope.kinds);
                }
                attributes.insert(name, condition);
            }
            None => reader.fault(
                &format!("where.{name}"),
                "must be a value, a list of values, { min, max } or { present }",
            ),
        }
    }
    Selector {
        kinds,
        sets: reader.optional("sets").unwrap_or_default(),
        released: reader.table("released").map(|table| released(&table)),
        name_keys: names.iter().map(|name| name_key(name)).collect(),
        names,
        attributes,
        any: reader.tables("any").iter().map(|table| read_selector(table, scope)).collect(),
        not: reader.table("not").map(|table| Box::new(read_selector(&table, scope))),
        index: 0,
    }
}

fn released(reader: &Reader<'_>) -> Released {
    let released = Released { from: reader.optional("from"), until: reader.optional("until") };
    match (released.from, released.until) {
        (None, None) if !reader.has("from") && !reader.has("until") => {
            reader.fault_here("from or until is required");
        }
        (Some(from), Some(until)) if until <= from => reader.fault("until", "is not after from"),
        _ => {}
    }
    released
}

fn condition(value: &Value) -> Option<Condition> {
    match value {
        Value::Array(items) => items.iter().map(plain).collect::<Option<_>>().map(Condition::In),
        Value::Table(table) => {
            if let (Some(present), 1) = (table.get("present"), table.len()) {
                return present.as_bool().map(Condition::Present);
            }
            let bound = |key: &str| match table.get(key) {
                None => Some(None),
                Some(value) => value.as_integer().map(Some),
            };
            let (min, max) = (bound("min")?, bound("max")?);
            let known = usize::from(min.is_some()) + usize::from(max.is_some());
            (known > 0 && known == table.len()).then_some(Condition::Between { min, max })
        }
        value => plain(value).map(|value| Condition::In(vec![value])),
    }
}

fn plain(value: &Value) -> Option<serde_json::Value> {
    match value {
        Value::String(text) => Some(text.as_str().into()),
        Value::Integer(number) => Some((*number).into()),
        Value::Boolean(yes) => Some((*yes).into()),
        _ => None,
    }
}
