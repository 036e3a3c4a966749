//! Reads the part of a manifest that describes for designers what cards are usually like.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::read_rules::{Registry, Scope, required_selector};
use super::read_schema::reference;
use super::reader::Reader;
use crate::characters::quoted;
use crate::design::{DesignGuide, EffectSuit, StyleHint, Tendency};
use crate::near::{did_you_mean, near};
use crate::rule::RuleReference;
use crate::schema::{AttributeValue, Kind};
use crate::selector::Selector;

/// Maximum number of attributes that an unknown name is compared with.
const COMPARED_MAX: usize = 100;

pub(super) fn design(reader: &Reader<'_>, scope: &Scope<'_>) -> DesignGuide {
    let Some(table) = reader.table("design") else { return DesignGuide::default() };
    // These selectors are not used for decks, so catalogues need no results of them.
    let mut unused = Registry::default();
    let mut styles: Vec<StyleHint> = Vec::new();
    let tendencies = table.tables("tendencies");
    let suits = table.tables("suits");
    for entry in table.tables("styles") {
        let hint = style_hint(&entry, scope);
        if styles.iter().any(|known| known.style == hint.style) {
            entry.fault("style", "is taken by another entry");
        }
        styles.push(hint);
    }
    DesignGuide {
        tendencies: tendencies.iter().map(|entry| tendency(entry, scope, &mut unused)).collect(),
        styles,
        suits: suits.iter().map(|entry| suit(entry, scope, &mut unused)).collect(),
    }
}

fn tendency(reader: &Reader<'_>, scope: &Scope<'_>, registry: &mut Registry) -> Tendency {
    reader.text("text");
    let select = required_selector(reader, scope, registry);
    let of: Option<Vec<String>> = reader.optional("of");
    let shares: Option<Vec<u32>> = reader.optional("shares");
    for (key, other) in [("of", "shares"), ("shares", "of")] {
        if reader.has(key) && !reader.has(other) {
            reader.fault(other, format!("is missing: `{key}` needs it"));
        }
    }
    if let Some(of) = &of {
        distinct(reader, "of", of);
        for name in of {
            known_number(reader, name, &select, scope);
        }
    }
    if shares.as_ref().is_some_and(|shares| shares.iter().all(|share| *share == 0)) {
        reader.fault("shares", "must have a share above 0");
    }
    if let (Some(of), Some(shares)) = (&of, &shares)
        && of.len() != shares.len()
    {
        let (wanted, found) = (of.len(), shares.len());
        reader.fault(
            "shares",
            format!("must have one share for each attribute of `of`: {wanted}, not {found}"),
        );
    }
    Tendency {
        reference: reference(reader, &RuleReference::default()),
        select,
        of: of.unwrap_or_default(),
        shares: shares.unwrap_or_default(),
    }
}

fn style_hint(reader: &Reader<'_>, scope: &Scope<'_>) -> StyleHint {
    let style: String = reader.required("style");
    let known: BTreeSet<&str> = scope
        .kinds
        .iter()
        .flat_map(|kind| &kind.effects)
        .flat_map(|effects| effects.styles.iter().map(String::as_str))
        .collect();
    if reader.has_text("style") && !known.contains(style.as_str()) {
        let near = did_you_mean(&near(&style, known));
        reader.fault("style", format!("there is no style {}{near}", quoted(&style)));
    }
    StyleHint {
        reference: reference(reader, &RuleReference::default()),
        style,
        begins: phrases(reader, "begins"),
    }
}

fn suit(reader: &Reader<'_>, scope: &Scope<'_>, registry: &mut Registry) -> EffectSuit {
    reader.text("text");
    EffectSuit {
        reference: reference(reader, &RuleReference::default()),
        contains: phrases(reader, "contains"),
        select: required_selector(reader, scope, registry),
    }
}

/// Reads phrases without trimming them: a space at the end distinguishes `Draw ` from `Drawing`. A blank phrase is a fault, because it would be in
/// most sentences.
fn phrases(reader: &Reader<'_>, key: &'static str) -> Vec<String> {
    let phrases: Vec<String> = reader.required(key);
    if reader.has_list(key) {
        distinct(reader, key, &phrases);
    }
    if phrases.iter().any(|phrase| phrase.trim().is_empty()) {
        reader.fault(key, "must not have a blank entry");
    }
    phrases
}

/// Reports an empty list, and repeated entries.
fn distinct(reader: &Reader<'_>, key: &str, list: &[String]) {
    if list.is_empty() {
        reader.fault(key, "must not be empty");
    }
    if list.iter().collect::<BTreeSet<_>>().len() < list.len() {
        reader.fault(key, "has an entry twice");
    }
}

/// Reports an attribute that is not an integer attribute of all kinds that the selector names, or of any kind if it names none.
fn known_number(reader: &Reader<'_>, name: &str, select: &Arc<Selector>, scope: &Scope<'_>) {
    let of_kind = |kind: &&Kind| select.kinds.is_empty() || select.kinds.contains(&kind.code);
    let kinds = || scope.kinds.iter().filter(of_kind);
    let has = |kind: &Kind| kind.attributes.get(name).is_some_and(|one| is_integer(&one.value));
    let is_known = if select.kinds.is_empty() { kinds().any(has) } else { kinds().all(has) };
    if !is_known {
        // Looking for similar names takes time, which is spent only on faults that are listed, and on few names.
        if reader.is_full() {
            reader.fault("of", "");
            return;
        }
        let numbers = kinds().flat_map(|kind| &kind.attributes);
        let numbers = numbers.filter(|(_, one)| is_integer(&one.value));
        // Each once: kinds may share attributes.
        let numbers: BTreeSet<&str> = numbers.map(|(code, _)| code.as_str()).collect();
        let near = did_you_mean(&near(name, numbers.into_iter().take(COMPARED_MAX)));
        let these = select.kinds.join(" and ");
        let of = if these.is_empty() { String::new() } else { format!(" of {these}") };
        reader.fault("of", format!("there is no integer attribute {}{of}{near}", quoted(name)));
    }
}

fn is_integer(value: &AttributeValue) -> bool {
    matches!(value, AttributeValue::Integer { .. })
}
