//! `cardscape effects tag`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cardscape_engine::effect_text::{Tagger, Template};
use clap::Args;
use csv::StringRecord;

use super::super::{ExitError, Outcome};
use super::input;
use super::output::Output;

/// Most phrases that a pattern may expand to.
pub(super) const MAX_PHRASES: u128 = 1_000_000;
/// The column with the effects.
pub(super) const EFFECTS: &str = "EFFECTNAME";
pub(super) const TRUE: &str = "True";
pub(super) const FALSE: &str = "False";

#[derive(Args)]
pub(in crate::cli) struct TagCommand {
    /// Effects: a file whose name ends in .csv is a table with `;`, any other has one effect a line
    #[arg(
        short,
        long,
        value_name = "FILE",
        default_value = "effects/effects_with_placeholders.csv"
    )]
    input: PathBuf,
    /// Table that is written, `-` for standard output
    #[arg(
        short,
        long,
        value_name = "FILE",
        default_value = "effects/effects_with_placeholders.csv"
    )]
    output: PathBuf,
    /// Column that is added or updated
    #[arg(short, long, value_name = "NAME")]
    column: String,
    /// Directory with the values of placeholders: NAME.txt, one value a line
    #[arg(
        short,
        long = "placeholder_dir",
        alias = "placeholder-dir",
        value_name = "DIR",
        default_value = "placeholders"
    )]
    placeholder_dir: PathBuf,
    /// Mark effects that contain this pattern, which may have placeholders
    #[arg(short, long, value_name = "PATTERN", allow_hyphen_values = true)]
    text: Option<String>,
    /// Mark effects that contain exactly this; the column of a table must exist
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    exact: Option<String>,
    /// Mark only effects that are True in this column
    #[arg(short, long = "match_column", alias = "match-column", value_name = "NAME")]
    match_column: Option<String>,
}

impl TagCommand {
    pub(in crate::cli) fn run(self) -> Outcome {
        let phrases = match (&self.text, &self.exact) {
            (Some(pattern), None) if !pattern.is_empty() => {
                phrases(pattern, "the pattern", &self.placeholder_dir)?
            }
            (None, Some(exact)) if !exact.is_empty() => vec![exact.clone()],
            _ => {
                return Err(
                    ExitError::usage("exactly one of -t/--text and -e/--exact is needed").into()
                );
            }
        };
        let tagger = Tagger::new([phrases]).map_err(|error| ExitError::no(error.to_string()))?;
        let text = input::read_text(&self.input)?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let is_table = self.input.as_os_str().as_encoded_bytes().ends_with(b".csv");
        let (mut header, rows) = if is_table { table(&self.input, text)? } else { lines(text) };

        let find = |column: &str| header.iter().position(|name| name == column);
        let effects = find(EFFECTS).unwrap_or(0);
        let condition = match &self.match_column {
            None => None,
            Some(column) => Some(find(column).ok_or_else(|| self.no_column(column))?),
        };
        let known = find(&self.column);
        if known == Some(effects) {
            return Err(
                ExitError::usage(format!("{} is the column of the effects", self.column)).into()
            );
        }
        if known.is_none() && is_table && self.exact.is_some() {
            return Err(self.no_column(&self.column).into());
        }
        let width = header.len();
        if known.is_none() {
            header.push_field(&self.column);
        }

        let mut output = Output::open(&self.output)?;
        let mut sheet = Sheet::default();
        output.write(sheet.row(header.iter())?)?;
        for row in rows {
            let mut fields: Vec<&str> = row.iter().collect();
            let met = condition.is_none_or(|at| fields.get(at) == Some(&TRUE));
            let matches = met && fields.get(effects).is_some_and(|effect| tagger.tags(effect)[0]);
            match known {
                Some(at) if matches => {
                    fields.resize(fields.len().max(at + 1), "");
                    fields[at] = TRUE;
                }
                Some(_) => {}
                None if fields.len() > width => {
                    let line = line_of(&row, text.as_bytes());
                    let (path, found) = (self.input.display(), fields.len());
                    return Err(ExitError::no(format!(
                        "{path}:{line}: the row has {found} fields, the header {width}"
                    ))
                    .into());
                }
                None => {
                    fields.resize(width, "");
                    fields.push(if matches { TRUE } else { FALSE });
                }
            }
            output.write(sheet.row(fields)?)?;
        }
        output.commit()?;
        Ok(ExitCode::SUCCESS)
    }

    fn no_column(&self, column: &str) -> ExitError {
        ExitError::no(format!("{} has no column {column}", self.input.display()))
    }
}

/// All phrases that a pattern expands to. White space at its ends counts. `shown` names the pattern in errors.
pub(super) fn phrases(pattern: &str, shown: &str, folder: &Path) -> Result<Vec<String>, ExitError> {
    let template = Template::parse_whole(pattern)
        .map_err(|error| ExitError::no(format!("{shown}: {error}")))?;
    let effects = input::effects(vec![template], folder)?;
    if effects.count().is_none_or(|count| count > MAX_PHRASES) {
        return Err(ExitError::no(format!("{shown} expands to more than {MAX_PHRASES} phrases")));
    }
    Ok(effects.expand().map(|expansion| expansion.text).collect())
}

/// Reads header and rows of a table.
fn table(path: &Path, text: &str) -> Result<(StringRecord, Vec<StringRecord>), ExitError> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(b';')
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let rows: Result<Vec<StringRecord>, csv::Error> = reader.records().collect();
    let mut rows = rows
        .map_err(|error| ExitError::no(format!("cannot read {}: {error}", path.display())))?
        .into_iter();
    let header = rows.next();
    let header =
        header.ok_or_else(|| ExitError::no(format!("{} has no header", path.display())))?;
    Ok((header, rows.collect()))
}

/// The number of the line with which a row of a table begins.
fn line_of(row: &StringRecord, text: &[u8]) -> usize {
    // The position is before the blank lines, and before the LF of a CRLF, that the row follows.
    let begin = row.position().map_or(0, |at| usize::try_from(at.byte()).unwrap_or(0));
    let ends = text.iter().skip(begin).take_while(|&&byte| matches!(byte, b'\n' | b'\r'));
    input::line_at(text, begin + ends.count())
}

/// A table with one column, from a text with one effect per line.
fn lines(text: &str) -> (StringRecord, Vec<StringRecord>) {
    let lines = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
    (StringRecord::from(vec![EFFECTS]), lines.map(|line| StringRecord::from(vec![line])).collect())
}

/// Writes rows as CSV with `;`, quotes where needed, and CRLF.
pub(super) struct Sheet {
    writer: csv::WriterBuilder,
    bytes: Vec<u8>,
}

impl Default for Sheet {
    fn default() -> Self {
        let mut writer = csv::WriterBuilder::new();
        writer
            .delimiter(b';')
            .terminator(csv::Terminator::CRLF)
            .flexible(true)
            .buffer_capacity(256);
        Self { writer, bytes: Vec::new() }
    }
}

impl Sheet {
    /// Writes a row with its line end.
    pub(super) fn row<'a>(
        &mut self,
        fields: impl IntoIterator<Item = &'a str>,
    ) -> anyhow::Result<&[u8]> {
        self.bytes.clear();
        let mut writer = self.writer.from_writer(&mut self.bytes);
        writer.write_record(fields)?;
        writer.flush()?;
        drop(writer);
        Ok(&self.bytes)
    }
}
