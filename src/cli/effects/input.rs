//! Reads the files of the effect-text tools. Faults are reported with file name and line, and exit code 1.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

use cardscape_engine::effect_text::{
    Effects, EffectsError, PhraseRules, Placeholders, Template, Unresolved, read_templates,
};

use super::super::ExitError;
use super::{RuleFiles, warn};

/// Reads the text of a file; `-` is standard input.
pub(super) fn read_text(path: &Path) -> Result<String, ExitError> {
    read(path).map_err(|error| unreadable(path, &error)).and_then(|bytes| text(path, bytes))
}

/// Refuses several inputs from standard input, because all but the first would be empty.
pub(super) fn require_one_from_stdin<'a>(
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), ExitError> {
    let from_stdin = inputs.into_iter().filter(|path| *path == Path::new("-")).count();
    if from_stdin > 1 {
        return Err(ExitError::usage(
            "only one input can be standard input: name a file instead of each other `-`",
        ));
    }
    Ok(())
}

/// Like [`read_text`]; `None`: the file does not exist.
fn read_if_there(path: &Path) -> Result<Option<String>, ExitError> {
    match read(path) {
        Ok(bytes) => text(path, bytes).map(Some),
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(None)
        }
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        io::stdin().lock().read_to_end(&mut bytes)?;
    } else {
        File::open(path)?.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Opens a file, or standard input, for buffered reading.
pub(super) fn open(path: &Path) -> Result<Box<dyn BufRead>, ExitError> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    // A directory can be opened, but not read.
    let file = File::open(path).and_then(|file| {
        let is_directory = file.metadata()?.is_dir();
        if is_directory { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(file) }
    });
    let file = file.map_err(|error| unreadable(path, &error))?;
    Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
}

pub(super) fn unreadable(path: &Path, error: &io::Error) -> ExitError {
    ExitError::no(format!("cannot read {}: {error}", path.display()))
}

pub(super) fn not_text(path: &Path, line: usize) -> ExitError {
    ExitError::no(format!("{}:{line}: this is not UTF-8 text", path.display()))
}

fn text(path: &Path, bytes: Vec<u8>) -> Result<String, ExitError> {
    String::from_utf8(bytes).map_err(|error| {
        not_text(path, line_at(error.as_bytes(), error.utf8_error().valid_up_to()))
    })
}

/// The number of the line with the byte at `at`. Lines end in LF, CRLF or CR.
pub(super) fn line_at(text: &[u8], at: usize) -> usize {
    let ends = memchr::memchr2_iter(b'\n', b'\r', &text[..at]);
    1 + ends.filter(|&end| text[end] == b'\n' || text.get(end + 1) != Some(&b'\n')).count()
}

/// Appends the next bytes up to an LF or CR, which is included, or up to the end of the file. The LF of a CRLF comes alone, in the
/// next call. Nothing is appended if nothing is left.
pub(super) fn read_line(file: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<()> {
    loop {
        let bytes = match file.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = memchr::memchr2(b'\n', b'\r', bytes);
        let used = end.map_or(bytes.len(), |end| end + 1);
        line.extend_from_slice(&bytes[..used]);
        file.consume(used);
        if end.is_some() || used == 0 {
            return Ok(());
        }
    }
}

/// Reads the templates of a file.
pub(super) fn templates(path: &Path) -> Result<Vec<Template>, ExitError> {
    read_templates(&read_text(path)?).map_err(|faults| {
        let more = match faults.len() - 1 {
            0 => String::new(),
            1 => " (and another line that cannot be read)".to_owned(),
            more => format!(" (and {more} more lines that cannot be read)"),
        };
        let first = faults.first().map(ToString::to_string).unwrap_or_default();
        ExitError::no(format!("{}:{first}{more}", path.display()))
    })
}

/// Templates with the values of a directory. Warns of placeholders without values, which stay as text.
pub(super) fn effects(templates: Vec<Template>, folder: &Path) -> Result<Effects, ExitError> {
    let placeholders =
        Placeholders::load(&templates, |name| read_if_there(&folder.join(format!("{name}.txt"))))?;
    let effects = Effects::new(templates, &placeholders).map_err(|error| match error {
        EffectsError::Value { .. } => {
            ExitError::no(folder.join(error.to_string()).display().to_string())
        }
        error => ExitError::no(error.to_string()),
    })?;
    if effects.unresolved().next().is_some() && !folder.is_dir() {
        warn(format_args!("there is no directory {}; placeholders stay as text", folder.display()));
        return Ok(effects);
    }
    for name in effects.unresolved() {
        match name {
            Unresolved::Missing(name) => warn(format_args!(
                "<{name}> stays as text: no values in {}",
                folder.join(format!("{name}.txt")).display()
            )),
            Unresolved::Cycle(name) => {
                warn(format_args!("<{name}> stays as text where its values lead back to it"));
            }
        }
    }
    Ok(effects)
}

impl RuleFiles {
    /// The files of the phrase rules.
    pub(super) fn files(&self) -> [&Path; 2] {
        [self.combinations_to_remove.as_path(), self.replacements_file.as_path()]
    }

    /// Reads the phrase rules. Warns of each missing file and of each line without effect.
    pub(super) fn phrase_rules(&self) -> Result<PhraseRules, ExitError> {
        let optional = |path: &Path, without: &str| -> Result<String, ExitError> {
            Ok(read_if_there(path)?.unwrap_or_else(|| {
                warn(format_args!("there is no {}; {without}", path.display()));
                String::new()
            }))
        };
        let removals = optional(&self.combinations_to_remove, "nothing is removed")?;
        let replacements = optional(&self.replacements_file, "nothing is replaced")?;
        let rules = PhraseRules::parse(&removals, &replacements);
        for ignored in rules.ignored() {
            warn(format_args!("{}: {ignored} and is ignored", self.replacements_file.display()));
        }
        Ok(rules.with_grammar_fixes(!self.no_grammar_fixes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_to_an_lf_or_a_cr() {
        // The buffer ends within a line, and between the CR and LF of a CRLF.
        let mut file = BufReader::with_capacity(2, &b"a\rbcd\r\n\ne"[..]);
        let mut lines = Vec::new();
        loop {
            let mut line = Vec::new();
            read_line(&mut file, &mut line).unwrap();
            if line.is_empty() {
                break;
            }
            lines.push(String::from_utf8(line).unwrap());
        }
        assert_eq!(lines, ["a\r", "bcd\r", "\n", "\n", "e"]);
    }

    #[test]
    fn lines_are_counted_with_each_line_end() {
        let text = b"a\rb\r\n\nc";
        let numbers: Vec<usize> = (0..=text.len()).map(|at| line_at(text, at)).collect();
        assert_eq!(numbers, [1, 1, 2, 2, 2, 3, 4, 4]);
    }
}
