//! `cardscape verify-run`

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde::Deserialize;

use super::mint::show_packs;
use super::standard_output::allow_closed_pipe;
use super::{ExitError, Outcome, say};
use crate::config;
use crate::domain::catalogue::import::without_mark;
use crate::domain::hex::hex;
use crate::domain::printing::commitment::{AnnouncedPlan, Opening};
use crate::domain::printing::packs::PackPlan;
use crate::domain::serials::serial::SerialCode;

#[derive(Args)]
pub(super) struct VerifyRunCommand {
    /// The announcement as the service returns it (`GET /v1/print-commitments/{id}`), or only its opening
    file: PathBuf,
    /// The commitment as it was published; without this, that of the announcement
    #[arg(long, value_name = "HEX")]
    commitment: Option<String>,
    /// Check that this print file contains what was announced
    #[arg(long, value_name = "FILE")]
    print_file: Option<PathBuf>,
    /// Check that this packing list is the one that follows from plan and seed
    #[arg(long, value_name = "FILE")]
    packing_list: Option<PathBuf>,
    /// Write the packing list that follows from plan and seed to standard output, and check no files
    #[arg(long, conflicts_with_all = ["print_file", "packing_list"])]
    show_packing_list: bool,
}

/// The parts of an announcement that are needed here.
#[derive(Deserialize)]
struct Announcement {
    commitment: String,
    opening: Option<String>,
}

impl VerifyRunCommand {
    pub(super) fn run(self) -> Outcome {
        let text = std::fs::read_to_string(&self.file).map_err(|error| {
            ExitError::usage(format!("cannot read {}: {error}", self.file.display()))
        })?;
        let (opening, stated) = read(without_mark(&text))?;
        let promised =
            self.commitment.clone().or(stated).ok_or_else(|| {
                ExitError::usage("name the published commitment with --commitment")
            })?;
        let opening = Opening::parse(&opening).map_err(|error| ExitError::no(error.to_string()))?;
        if hex(&opening.digest()) != promised.to_ascii_lowercase() {
            return Err(ExitError::no("this is not what was announced: the hash is another").into());
        }
        let packs =
            PackPlan::new(&opening.plan).map_err(|error| ExitError::no(error.to_string()))?;
        if self.show_packing_list {
            let packs = packs.ok_or_else(|| ExitError::no("the run has no packs"))?;
            let mut out = io::BufWriter::new(io::stdout().lock());
            let written = packs.write_list(&opening.seed, &mut out).and_then(|()| out.flush());
            allow_closed_pipe(written)?;
            return Ok(ExitCode::SUCCESS);
        }
        let AnnouncedPlan { game, set, copies_per_card, .. } = &opening.plan;
        say("commitment:   opened by this seed and plan")?;
        say(format_args!(
            "plan:         {game}/{set}, {copies_per_card} copies of each card, shared as the weights say"
        ))?;
        if let Some(file) = &self.print_file {
            let public_url = check_print_file(&opening.plan, file)?;
            say("print file:   every line is as announced")?;
            if let Some(public_url) = public_url {
                say(format_args!("addresses:    each has the code of its line, at {public_url}"))?;
            }
        }
        if let Some(packs) = &packs {
            show_packs(packs)?;
        }
        if let Some(file) = &self.packing_list {
            let packs = packs.ok_or_else(|| ExitError::no("the run has no packs"))?;
            check_packing_list(&packs, &opening, file)?;
            say("packing list: follows from plan and seed")?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The opening and, if the text is a whole announcement, its commitment.
fn read(text: &str) -> anyhow::Result<(String, Option<String>)> {
    if !text.starts_with('{') {
        // Editors and shells often add a final line feed.
        return Ok((text.strip_suffix('\n').unwrap_or(text).to_owned(), None));
    }
    let Announcement { commitment, opening } = serde_json::from_str(text)
        .map_err(|error| ExitError::usage(format!("this is no announcement: {error}")))?;
    let opening = opening.ok_or_else(|| ExitError::no("the announcement is not revealed"))?;
    Ok((opening, Some(commitment)))
}

fn open(file: &Path) -> anyhow::Result<BufReader<File>> {
    let opened = File::open(file);
    Ok(opened
        .map(BufReader::new)
        .map_err(|error| ExitError::usage(format!("cannot read {}: {error}", file.display())))?)
}

/// A line of a print file.
#[derive(Deserialize)]
struct PrintLine {
    code: String,
    game: String,
    set: String,
    number: String,
    rarity: String,
    /// The address for a QR code.
    #[serde(default)]
    address: Option<String>,
}

impl PrintLine {
    /// Parses a line in either format. Errors never quote a line, because it may contain a code.
    fn parse(text: &str) -> Option<Self> {
        if text.starts_with('{') {
            return serde_json::from_str(text).ok();
        }
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let record = reader.records().next()?.ok()?;
        // By their places; the reader of records would take more fields than there are columns.
        if matches!(record.len(), 5 | 6) { record.deserialize(None).ok() } else { None }
    }

    /// The page to which the address of the line leads, or what is wrong with the address. `None`: there is no address.
    fn page(&self) -> Result<Option<&str>, &'static str> {
        let Some(address) = self.address.as_deref() else { return Ok(None) };
        let (page, code) = address.split_once('#').unwrap_or((address, ""));
        // A mint leaves out the hyphens of the code there.
        if self.code.chars().filter(|symbol| *symbol != '-').eq(code.chars()) {
            Ok(Some(page))
        } else {
            Err("the address belongs to another code")
        }
    }
}

/// Checks every line, and returns the public URL in the addresses, if the file has addresses.
fn check_print_file(plan: &AnnouncedPlan, path: &Path) -> anyhow::Result<Option<String>> {
    let mut lines = open(path)?.lines().peekable();
    // CSV has a header.
    let is_header = |line: &String| without_mark(line).starts_with("code,");
    let header = lines.next_if(|line| line.as_ref().is_ok_and(is_header));
    let first_line = if header.is_some() { 2 } else { 1 };
    let announced = plan.lines.iter().flat_map(|line| (0..line.copies()).map(move |_| line));
    let mut codes = Vec::new();
    let mut first_page = None;
    for (place, announced) in (0_u32..).zip(announced) {
        let line = lines.next().transpose()?.as_deref().and_then(PrintLine::parse);
        let line = line.filter(|line| {
            line.game == plan.game
                && line.set == plan.set
                && line.number == announced.number()
                && line.rarity == announced.rarity()
        });
        let coded = line.and_then(|line| Some((SerialCode::parse(&line.code).ok()?, line)));
        let Some((code, line)) = coded else {
            let (number, rarity) = (announced.number(), announced.rarity());
            let code = u64::from(place) + 1;
            return Err(ExitError::no(format!(
                "the print file differs: code {code} should be for card {number} in rarity {rarity}"
            ))
            .into());
        };
        let fault_of_line = |fault: &str| {
            let line = u64::from(place) + first_line;
            ExitError::no(format!("the print file differs: line {line}: {fault}"))
        };
        let page = line.page().map_err(fault_of_line)?;
        if place == 0 {
            first_page = page.map(str::to_owned);
        } else if page != first_page.as_deref() {
            return Err(fault_of_line("the address does not begin like the first one").into());
        }
        codes.push((code, place));
    }
    if lines.next().is_some() {
        return Err(ExitError::no("the print file has more codes than were announced").into());
    }
    if let Some((first, second)) = repeated(&mut codes) {
        let [first, second] = [first, second].map(|place| u64::from(place) + first_line);
        return Err(ExitError::no(format!(
            "the print file differs: lines {first} and {second} have the same code, and each copy has its own"
        ))
        .into());
    }
    let public_url = first_page.map(|page| {
        // Only a URL is shown, and no other text of the file: the one in the addresses, and no other form of it.
        let written = page.strip_suffix("/submit");
        let public_url =
            written.and_then(|url| config::public_url(url).ok().filter(|read| read == url));
        public_url.ok_or_else(|| {
            ExitError::no("the print file differs: its addresses are not those of a service")
        })
    });
    Ok(public_url.transpose()?)
}

/// The places of a code that is there twice: of several, the one that is repeated first. Sorting takes less memory than a set of codes.
fn repeated(codes: &mut [(SerialCode, u32)]) -> Option<(u32, u32)> {
    codes.sort_unstable();
    let pairs = codes.windows(2).filter_map(|pair| match pair {
        [(one, first), (other, second)] if one == other => Some((*first, *second)),
        _ => None,
    });
    pairs.min_by_key(|(_, second)| *second)
}

fn check_packing_list(packs: &PackPlan<'_>, opening: &Opening, file: &Path) -> anyhow::Result<()> {
    let mut compared = Compared { file: open(file)?, offset: 0 };
    let differs = |offset| {
        ExitError::no(format!(
            "the packing list is not the one that follows from plan and seed: byte {offset} differs"
        ))
    };
    match packs.write_list(&opening.seed, &mut compared) {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            return Err(differs(compared.offset).into());
        }
        outcome => outcome?,
    }
    match compared.file.read(&mut [0])? {
        0 => Ok(()),
        _ => Err(differs(compared.offset).into()),
    }
}

/// Compares data that is written to it with a file, and fails where the file differs.
struct Compared {
    file: BufReader<File>,
    /// Number of equal bytes so far.
    offset: u64,
}

impl Write for Compared {
    fn write(&mut self, expected: &[u8]) -> io::Result<usize> {
        for &byte in expected {
            let mut found = [0];
            if self.file.read(&mut found)? == 0 || found[0] != byte {
                return Err(io::ErrorKind::InvalidData.into());
            }
            self.offset += 1;
        }
        Ok(expected.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::serials::serial::RunPrefix;

    #[test]
    fn addresses_have_the_codes_of_their_lines_and_begin_alike() {
        let plan: AnnouncedPlan = serde_json::from_value(json!({
            "algorithm": "largest-remainder-v1", "copies_per_card": 3, "game": "ttcg", "set": "veil",
            "lines": [["001", "common", 3]], "packs": null, "weights": { "common": 1 },
        }))
        .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("codes");
        let prefix = RunPrefix::parse("7K").unwrap();
        let codes = [1, 2, 3].map(|number| SerialCode::assemble(prefix, &[number; 13]).reveal());
        let check = |is_csv: bool, addresses: [&str; 3]| {
            let line = |(code, address): (&String, &str)| {
                if is_csv {
                    format!("{code},ttcg,veil,001,common,{address}\n")
                } else {
                    let card = r#""game":"ttcg","set":"veil","number":"001","rarity":"common""#;
                    format!("{{\"code\":\"{code}\",{card},\"address\":\"{address}\"}}\n")
                }
            };
            let header = if is_csv { "code,game,set,number,rarity,address\n" } else { "" };
            let lines: String = codes.iter().zip(addresses).map(line).collect();
            std::fs::write(&path, format!("{header}{lines}")).unwrap();
            check_print_file(&plan, &path)
        };
        let at =
            |page: &str| codes.each_ref().map(|code| format!("{page}#{}", code.replace('-', "")));
        let [first, second, third] = &at("https://cards.example/submit");
        let [.., foreign] = &at("https://evil.example/submit");
        for is_csv in [true, false] {
            let public_url = check(is_csv, [first, second, third]).unwrap();
            assert_eq!(public_url.as_deref(), Some("https://cards.example"));
            // The whole messages: they contain no code.
            for (addresses, line, fault) in [
                ([first, first, third], 2, "the address belongs to another code"),
                ([first, second, foreign], 3, "the address does not begin like the first one"),
            ] {
                let refused = check(is_csv, addresses.map(String::as_str)).unwrap_err();
                let line = line + u64::from(is_csv);
                let expected = format!("the print file differs: line {line}: {fault}");
                assert_eq!(refused.to_string(), expected);
            }
            for page in ["https://cards.example/7K", "https://cards.example//submit"] {
                let [first, second, third] = &at(page);
                let refused = check(is_csv, [first, second, third]).unwrap_err();
                let expected = "the print file differs: its addresses are not those of a service";
                assert_eq!(refused.to_string(), expected);
            }
        }
    }

    #[test]
    fn the_first_repeated_code_is_found() {
        let prefix = RunPrefix::parse("7K").unwrap();
        let codes = |numbers: &[u8]| -> Vec<(SerialCode, u32)> {
            let code = |number: &u8| SerialCode::assemble(prefix, &[*number; 13]);
            numbers.iter().map(code).zip(0..).collect()
        };
        assert_eq!(repeated(&mut codes(&[1, 2, 3])), None);
        assert_eq!(repeated(&mut codes(&[9, 2, 5, 2, 9])), Some((1, 3)));
        assert_eq!(repeated(&mut codes(&[4, 4, 4])), Some((0, 1)));
        assert_eq!(repeated(&mut []), None);
    }
}
