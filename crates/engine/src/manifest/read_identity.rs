//! Reads the rules of a manifest about identity cards, sums and values of attributes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::read_rules::{Registry, Scope, integer_attribute, selector, zone_list};
use super::reader::Reader;
use crate::characters::quoted;
use crate::name::name_key;
use crate::rule::{Agreement, BudgetPoints, DeckCheck, Identity, StatedBounds};
use crate::schema::{Attribute, AttributeValue};
use crate::selector::Selector;

pub(super) fn matches_identity(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    registry: &mut Registry,
) -> DeckCheck {
    let identity = reader.table("identity").map(|table| identity(&table, scope, registry));
    if !reader.has("identity") {
        reader.fault("identity", "is missing");
    }
    let agreement = match reader.optional::<String>("match").as_deref() {
        None | Some("all") => Agreement::All,
        Some("any") => Agreement::Any,
        Some(_) => {
            reader.fault("match", "must be \"all\" or \"any\"");
            Agreement::All
        }
    };
    DeckCheck::MatchesIdentity {
        identity: identity.unwrap_or_default(),
        zones: zone_list(reader, scope),
        select: some_cards(reader, scope, registry),
        attribute: attribute(reader, "attribute", scope),
        agreement,
    }
}

pub(super) fn budget(reader: &Reader<'_>, scope: &Scope<'_>, registry: &mut Registry) -> DeckCheck {
    let (min, max): (Option<i64>, Option<i64>) = (reader.optional("min"), reader.optional("max"));
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        reader.fault("min", "is above max");
    }
    if ["min", "max", "min_of", "max_of"].iter().all(|key| !reader.has(key)) {
        reader.fault_here("min, max, min_of or max_of is required");
    }
    let unlike = reader.has("unlike");
    let stated = stated_bounds(reader, scope, registry, unlike);
    DeckCheck::Budget {
        zones: zone_list(reader, scope),
        select: some_cards(reader, scope, registry),
        points: budget_points(reader, scope),
        min,
        max,
        stated,
        unlike: unlike.then(|| attribute(reader, "unlike", scope)),
    }
}

/// Reads what a copy counts: an attribute, with or without a table, or a list of points.
fn budget_points(reader: &Reader<'_>, scope: &Scope<'_>) -> BudgetPoints {
    if reader.has("attribute") == reader.has("points") {
        reader.fault_here("either attribute or points is required");
    }
    if reader.has("values") && !reader.has("attribute") {
        reader.fault("values", "is for an attribute");
    }
    let points: BTreeMap<String, i64> = reader.map("points");
    let mut by_key = BTreeMap::new();
    for (name, value) in &points {
        if by_key.insert(name_key(name), *value).is_some() {
            reader.fault("points", format!("{} is in the list twice", quoted(name)));
        }
    }
    let values: BTreeMap<String, i64> = reader.map("values");
    if reader.has_table("values") {
        if values.is_empty() {
            reader.fault("values", "must not be empty");
        }
        let attribute: String = reader.required("attribute");
        if reader.has_text("attribute") {
            known_choices(reader, &attribute, values.keys(), scope);
        }
        BudgetPoints::Table { attribute, values }
    } else if reader.has("points") {
        // Read so that it is not also reported as an unknown key.
        let _: Option<String> = reader.optional("attribute");
        BudgetPoints::Points { points, by_key }
    } else {
        let attribute = integer_attribute(reader, "attribute", scope).unwrap_or_default();
        BudgetPoints::Attribute { attribute }
    }
}

/// Reports an attribute that is not a choice, and the values that no kind has for it.
fn known_choices<'v>(
    reader: &Reader<'_>,
    name: &str,
    values: impl Iterator<Item = &'v String>,
    scope: &Scope<'_>,
) {
    let choices = |attribute: &Attribute| match &attribute.value {
        AttributeValue::Choice { values } | AttributeValue::Choices { values, .. } => {
            Some(values.clone())
        }
        _ => None,
    };
    let of_name = scope.kinds.iter().filter_map(|kind| kind.attributes.get(name));
    let known: Option<Vec<Vec<String>>> = of_name.map(choices).collect();
    match known {
        Some(known) if !known.is_empty() => {
            for value in values.filter(|value| !known.iter().flatten().any(|one| one == *value)) {
                let (value, name) = (quoted(value), quoted(name));
                reader.fault("values", format!("there is no value {value} of {name}"));
            }
        }
        _ => {
            let name = quoted(name);
            reader.fault("attribute", format!("no kind has an attribute {name} that is a choice"))
        }
    }
}

pub(super) fn attribute_values(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    registry: &mut Registry,
) -> DeckCheck {
    let different: bool = reader.optional("different").unwrap_or(false);
    // `max` is not read with `different`, so that it is reported as an unknown key.
    let max = (!different).then(|| reader.optional("max").unwrap_or(1_u32));
    if max == Some(0) {
        reader.fault("max", "must be at least 1");
    }
    DeckCheck::AttributeValues {
        zones: zone_list(reader, scope),
        select: some_cards(reader, scope, registry),
        attribute: attribute(reader, "attribute", scope),
        max,
    }
}

/// Reads the keys by which a rule takes bounds from identity cards. `used`: whether the rule needs the identity for something else, too.
pub(super) fn stated_bounds(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    registry: &mut Registry,
    used: bool,
) -> StatedBounds {
    let stated = StatedBounds {
        identity: reader.table("identity").map(|table| identity(&table, scope, registry)),
        min_of: integer_attribute(reader, "min_of", scope),
        max_of: integer_attribute(reader, "max_of", scope),
    };
    let used = used || reader.has("min_of") || reader.has("max_of");
    match (reader.has("identity"), used) {
        (true, false) => reader.fault("identity", "is of no use here without min_of or max_of"),
        (false, true) => reader.fault("identity", "is missing"),
        _ => {}
    }
    stated
}

fn identity(reader: &Reader<'_>, scope: &Scope<'_>, registry: &mut Registry) -> Identity {
    let identity =
        Identity { zones: zone_list(reader, scope), select: some_cards(reader, scope, registry) };
    if identity.zones.is_empty() && !reader.has("select") {
        reader.fault_here("zones or select is required");
    }
    identity
}

/// Reads an optional selector. It is a fault if it selects every card: then it should be left out.
fn some_cards(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    registry: &mut Registry,
) -> Option<Arc<Selector>> {
    let select = selector(&reader.table("select")?, scope, registry);
    if select.means_every_card() {
        reader.fault("select", "means every card: leave it out, or say which");
    }
    Some(select)
}

/// Reads a required attribute that some kind has, with any type of values.
fn attribute(reader: &Reader<'_>, key: &'static str, scope: &Scope<'_>) -> String {
    let name: String = reader.required(key);
    let is_known = scope.kinds.iter().any(|kind| kind.attributes.contains_key(&name));
    if reader.has_text(key) && !is_known {
        reader.fault(key, format!("no kind has an attribute {}", quoted(&name)));
    }
    name
}
