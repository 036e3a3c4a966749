//! `cardscape schema`: the JSON Schemas for editors.

use std::process::Output;

use serde_json::Value;

use super::program;

fn schema(arguments: &[&str]) -> Output {
    program()
        .arg("schema")
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap()
}

fn printed(arguments: &[&str]) -> Value {
    let output = schema(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_schemas_of_manifests_and_of_all_sets_are_the_shipped_ones() {
    for (arguments, file) in [
        (["manifest"], "crates/engine/schema/manifest.schema.json"),
        (["set"], "crates/engine/schema/set-file.schema.json"),
    ] {
        let shipped = std::fs::read_to_string(file).unwrap();
        assert_eq!(printed(&arguments), serde_json::from_str::<Value>(&shipped).unwrap());
    }
}

#[test]
fn the_schema_of_a_game_contains_its_kinds_of_cards() {
    let kinds = |schema: &Value| -> Vec<String> {
        schema["$defs"]["kinds"].as_object().unwrap().keys().cloned().collect()
    };
    let mut ttcg = kinds(&printed(&["set", "--game", "ttcg"]));
    ttcg.sort();
    assert_eq!(ttcg, ["lore", "spell", "unit"]);
    let mut harbour = kinds(&printed(&["set", "--game", "harbour", "--seed-data", "tests/data"]));
    harbour.sort();
    assert_eq!(harbour, ["cargo", "ship"]);
}

#[test]
fn wrong_usage_exits_with_2() {
    for wrong in [&[][..], &["deck"], &["manifest", "--game", "ttcg"], &["set", "--game", "chess"]]
    {
        let output = schema(wrong);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{wrong:?}");
        assert!(!output.stderr.is_empty());
    }
}
