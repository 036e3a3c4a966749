//! Manifests that use these rules wrongly are refused, with the place of each fault.

use super::MANIFEST;
use cardscape_engine::{Game, MANIFEST_SCHEMA};

/// The faults of a rule with this check, and their places.
fn faults(check: &str) -> Vec<(String, String)> {
    let rule = format!(
        "\n[[formats]]\ncode = \"wrong\"\nname = \"W\"\nversion = \"1\"\n[[formats.rules]]\nrule = \"W\"\ntext = \"W.\"\n{check}\n"
    );
    let error = Game::from_toml(&format!("{MANIFEST}{rule}"))
        .map_or_else(|error| error.faults, |_| Vec::new());
    error
        .into_iter()
        .map(|fault| {
            let line = fault.position.unwrap_or_else(|| panic!("{fault} has no position")).line;
            assert!(line > MANIFEST.lines().count(), "{fault}");
            let place =
                fault.place.rsplit_once("rules[0].").map_or(fault.place.as_str(), |(_, key)| key);
            (place.to_owned(), fault.problem)
        })
        .collect()
}

#[test]
fn sound_rules_are_read() {
    for check in [
        "matches_identity = { identity = { zones = ['boss'] }, attribute = 'faction' }",
        "budget = { attribute = 'cost', max = -1 }",
        "budget = { points = {}, min = 0 }",
        "budget = { attribute = 'suits', values = { sun = -2 }, max = 1 }",
        "budget = { attribute = 'cost', min = 0, identity = { zones = ['boss'] }, unlike = 'faction' }",
        "attribute_values = { attribute = 'faction', different = false, max = 3 }",
        "zone_size = { min = 1, identity = { select = { kinds = ['boss'] } }, max_of = 'influence_limit' }",
    ] {
        assert_eq!(faults(check), [], "{check}");
    }
}

#[test]
fn wrong_rules_are_refused_where_they_are_wrong() {
    let identity = "identity = { zones = ['boss'] }";
    for (check, place, problem) in [
        // Unknown attributes, and attributes of the wrong type.
        (
            &*format!("matches_identity = {{ {identity}, attribute = 'colour' }}"),
            "matches_identity.attribute",
            "no kind has an attribute \"colour\"",
        ),
        (
            "budget = { attribute = 'faction', max = 1 }",
            "budget.attribute",
            "no kind has an integer attribute \"faction\"",
        ),
        (
            "budget = { attribute = 'colour', max = 1 }",
            "budget.attribute",
            "no kind has an integer attribute \"colour\"",
        ),
        (
            "budget = { attribute = 'cost', values = { sun = 1 }, max = 1 }",
            "budget.attribute",
            "no kind has an attribute \"cost\" that is a choice",
        ),
        (
            "budget = { attribute = 'suits', values = { sunn = 1 }, max = 1 }",
            "budget.values",
            "there is no value \"sunn\" of \"suits\"",
        ),
        (
            &*format!("budget = {{ attribute = 'cost', {identity}, max_of = 'suits' }}"),
            "budget.max_of",
            "no kind has an integer attribute \"suits\"",
        ),
        (
            &*format!("budget = {{ attribute = 'cost', {identity}, max = 1, unlike = 'colour' }}"),
            "budget.unlike",
            "no kind has an attribute \"colour\"",
        ),
        (
            &*format!("zone_size = {{ {identity}, min_of = 'faction' }}"),
            "zone_size.min_of",
            "no kind has an integer attribute \"faction\"",
        ),
        (
            "attribute_values = { attribute = 'colour' }",
            "attribute_values.attribute",
            "no kind has an attribute \"colour\"",
        ),
        // Empty selectors, and zones that do not exist.
        (
            "budget = { attribute = 'cost', max = 1, select = {} }",
            "budget.select",
            "means every card: leave it out, or say which",
        ),
        (
            "budget = { attribute = 'cost', max = 1, select = { kinds = [], any = [{}] } }",
            "budget.select",
            "means every card: leave it out, or say which",
        ),
        (
            "attribute_values = { attribute = 'cost', select = {} }",
            "attribute_values.select",
            "means every card: leave it out, or say which",
        ),
        (
            "matches_identity = { identity = {}, attribute = 'suits' }",
            "matches_identity.identity",
            "zones or select is required",
        ),
        (
            "matches_identity = { identity = { select = {} }, attribute = 'suits' }",
            "matches_identity.identity.select",
            "means every card: leave it out, or say which",
        ),
        (
            "matches_identity = { identity = { zones = ['attic'] }, attribute = 'suits' }",
            "matches_identity.identity.zones",
            "there is no zone \"attic\"",
        ),
        // Keys that need each other.
        ("matches_identity = { attribute = 'suits' }", "matches_identity.identity", "is missing"),
        (
            &*format!("matches_identity = {{ {identity}, attribute = 'suits', match = 'some' }}"),
            "matches_identity.match",
            "must be \"all\" or \"any\"",
        ),
        ("budget = { max = 1 }", "budget", "either attribute or points is required"),
        (
            "budget = { attribute = 'cost', points = {}, max = 1 }",
            "budget",
            "either attribute or points is required",
        ),
        ("budget = { attribute = 'cost' }", "budget", "min, max, min_of or max_of is required"),
        ("budget = { attribute = 'cost', min = 2, max = 1 }", "budget.min", "is above max"),
        ("budget = { attribute = 'cost', max_of = 'cost' }", "budget.identity", "is missing"),
        ("zone_size = { min_of = 'cost' }", "zone_size.identity", "is missing"),
        (
            &*format!("zone_size = {{ min = 1, {identity} }}"),
            "zone_size.identity",
            "is of no use here without min_of or max_of",
        ),
        (
            "budget = { points = { 'Old Key' = 1, 'old-key' = 2 }, max = 1 }",
            "budget.points",
            "\"old-key\" is in the list twice",
        ),
        (
            "budget = { points = { 'Old Key' = 'two' }, max = 1 }",
            "budget.points.Old Key",
            "must be a whole number, not \"two\"",
        ),
        ("budget = { points = {}, max = 1.5 }", "budget.max", "must be a whole number, not 1.5"),
        (
            "attribute_values = { attribute = 'cost', max = 0 }",
            "attribute_values.max",
            "must be at least 1",
        ),
        (
            "attribute_values = { attribute = 'cost', max = 1, different = true }",
            "attribute_values.max",
            "is not known here",
        ),
    ] {
        let found = faults(check);
        assert!(
            found.iter().any(|(at, stated)| at == place && stated.starts_with(problem)),
            "{check}: {found:?}"
        );
        assert_eq!(found.len(), 1, "{check}: {found:?}");
    }
}

/// The test's own manifest is valid by the schema for editors.
#[test]
fn the_manifest_fits_the_schema() {
    let schema = serde_json::from_str(MANIFEST_SCHEMA).unwrap();
    let manifest: toml::Table = toml::from_str(MANIFEST).unwrap();
    let validator = crate::support::schema::validator(&schema);
    let manifest = serde_json::to_value(manifest).unwrap();
    assert!(
        validator.is_valid(&manifest),
        "{}",
        crate::support::schema::complaints(&validator, &manifest)
    );
}
