//! `cardscape mint --public-url … --sheet …`: URLs for QR codes in the print file, and a sheet of labels.

use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Output;

use crate::support::{Program, TestApp, fresh_path, sha256};

const PUBLIC_URL: &str = "https://cards.example";
/// Two cards with thirteen copies each: two pages of labels.
const CODES: usize = 26;

async fn mint(program: &Program<'_>, out: &Path, sheet: &Path) -> Output {
    let (out, sheet) = (out.to_str().unwrap(), sheet.to_str().unwrap());
    let run = ["--set", "dusk", "--copies-per-card", "13"];
    let files = ["--public-url", PUBLIC_URL, "--out", out, "--sheet", sheet];
    program.output(&[&run[..], &files].concat()).await
}

/// The decompressed content of the pages of a PDF.
fn pages(pdf: &[u8]) -> Vec<String> {
    let places = |mark: &[u8]| -> Vec<usize> {
        let windows = pdf.windows(mark.len()).enumerate();
        windows.filter(|(_, bytes)| *bytes == mark).map(|(place, _)| place).collect()
    };
    let unpack = |(begin, end): (usize, usize)| {
        let mut text = String::new();
        let packed = &pdf[begin + "\nstream\n".len()..end];
        flate2::read::ZlibDecoder::new(packed).read_to_string(&mut text).unwrap();
        text
    };
    places(b"\nstream\n").into_iter().zip(places(b"\nendstream")).map(unpack).collect()
}

#[tokio::test]
async fn the_command_writes_an_address_and_a_label_for_each_code() {
    let app = TestApp::start().await;
    app.import_set("dusk", 2, true).await;
    let program = Program::new(&app);
    let (out, sheet) = (fresh_path(".csv"), fresh_path(".pdf"));
    let minted = mint(&program, &out, &sheet).await;
    let output =
        [minted.stdout, minted.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
    assert!(minted.status.success(), "{output}");
    for expected in [out.to_str().unwrap(), sheet.to_str().unwrap(), &sha256(&out), &sha256(&sheet)]
    {
        assert!(output.contains(expected), "{expected}: {output}");
    }
    for file in [&out, &sheet] {
        let mode = std::fs::metadata(file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }

    let printed = std::fs::read_to_string(&out).unwrap();
    let mut lines = printed.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let column = |name: &str| head.iter().position(|found| *found == name).unwrap();
    let (code, address) = (column("code"), column("address"));
    let labels = pages(&std::fs::read(&sheet).unwrap());
    assert_eq!(labels.len(), 2);
    let labels = labels.concat();
    let mut count = 0;
    for line in lines {
        count += 1;
        let symbols = line[code].replace('-', "");
        assert_eq!(line[address], format!("{PUBLIC_URL}/submit#{symbols}"));
        // The label of this line has the two halves of its code.
        let (first, second) = line[code].split_at(9);
        let begin = labels
            .find(&format!("({first})"))
            .unwrap_or_else(|| panic!("no label for line {count}"));
        let last = begin + labels[begin..].find("(line ").unwrap();
        let label = &labels[begin..=last + labels[last..].find(')').unwrap()];
        assert!(label.contains(&format!("({})", second.trim_start_matches('-'))), "{label}");
        assert!(label.contains(&format!("(line {count})")), "{label}");
        assert!(
            !output.contains(line[code]) && !output.contains(&symbols),
            "the output contains a code"
        );
    }
    assert_eq!((count, labels.matches("(line ").count()), (CODES, CODES));

    // Existing files are not overwritten, and a refused run leaves no file.
    let before = [sha256(&out), sha256(&sheet)];
    let other = fresh_path(".csv");
    for file in [&out, &other] {
        assert_eq!(mint(&program, file, &sheet).await.status.code(), Some(1));
        assert_eq!([sha256(&out), sha256(&sheet)], before);
    }
    assert!(!other.exists());
    let nowhere = fresh_path("").join("labels.pdf");
    assert!(!mint(&program, &other, &nowhere).await.status.success());
    assert!(!other.exists() && !nowhere.exists());
    assert_eq!(app.db().value("SELECT count(*) FROM print_runs").await, "1");
    // `--sheet` needs `--public-url`.
    let arguments = ["--set", "dusk", "--copies-per-card", "1", "--out", other.to_str().unwrap()];
    let without = [&arguments[..], &["--sheet", nowhere.to_str().unwrap()]].concat();
    assert_eq!(program.output(&without).await.status.code(), Some(2));
    assert!(!other.exists());
    for file in [out, sheet] {
        std::fs::remove_file(file).unwrap();
    }
}
