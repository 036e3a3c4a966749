//! Tests of the page scripts that need no browser.

use std::path::Path;
use std::process::Command;

use qrcode::{Color, EcLevel, QrCode, Version};
use serde_json::{Value, json};

/// A QR code in the format that `qr_pictures.mjs` reads: its text, and its modules by row.
fn code(text: &str, version: i16, level: EcLevel) -> Value {
    let code = QrCode::with_version(text, Version::Normal(version), level).unwrap();
    let modules: Vec<String> = code
        .to_colors()
        .chunks(code.width())
        .map(|row| {
            row.iter().map(|module| if *module == Color::Dark { '1' } else { '0' }).collect()
        })
        .collect();
    json!({ "text": text, "modules": modules })
}

/// QR codes of addresses with serial codes, in all sizes and levels that the script reads; one QR code in numeric mode, and one in alphanumeric mode.
fn codes() -> Vec<Value> {
    let levels = [EcLevel::L, EcLevel::M, EcLevel::Q, EcLevel::H];
    let serials = ["7KQ2X0FM93TDAW5G", "0000000000000000", "ZZZZYYYYXXXXWWWW"];
    let address = |version: i16| {
        let serial = serials[usize::try_from(version).unwrap() % serials.len()];
        // Small symbols have room only for a short address.
        let host = if version < 5 { "a.io" } else { "cards.example" };
        format!("https://{host}/submit#{serial}")
    };
    let mut codes: Vec<Value> = (3..=10)
        .zip(levels.into_iter().cycle())
        .map(|(version, level)| {
            // Small symbols have room for an address only at the lowest level.
            let level = if version < 5 { EcLevel::L } else { level };
            code(&address(version), version, level)
        })
        .collect();
    codes.push(code("01234567890123456789", 2, EcLevel::M));
    codes.push(code("HTTPS://A.IO/S7KQ2X0FM", 2, EcLevel::M));
    codes
}

/// Runs a script of this folder with Node.js, and fails if the script fails. Without Node.js, the test is skipped; CI has Node.js.
fn run(script: &str, arguments: &[&Path]) {
    if Command::new("node").arg("--version").output().is_err() {
        eprintln!("left out: there is no node; scripts/install-node.sh installs it");
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/api/pages").join(script);
    let run = Command::new("node").arg(script).args(arguments).output().unwrap();
    let (printed, faults) =
        (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{printed}\n{faults}");
}

#[test]
fn scripts_find_lines_and_words_in_texts_and_count_events() {
    run("texts.mjs", &[]);
}

/// Browsers that cannot read QR codes use this script.
#[test]
fn the_script_reads_codes_of_another_encoder_as_a_camera_sees_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("codes.json");
    std::fs::write(&file, serde_json::to_vec(&codes()).unwrap()).unwrap();
    run("qr_pictures.mjs", &[&file]);
}

/// The completion of queries, and the keys that the page handles.
#[test]
fn scripts_complete_bare_words_and_leave_keys_to_fields() {
    run("script_checks.mjs", &[]);
}
