//! Effect texts in the folder of a game: `effects/all_effect_templates.txt` and `placeholders/*.txt`.

use std::collections::BTreeMap;

use cardscape_engine::Position;
use sha2::{Digest as _, Sha256};

use super::{EffectFault, EffectLibrary, EffectTexts, Replacement};
use crate::domain::catalogue::import::{ImportFault, SourceFile};

/// File of the phrases that are removed, in the folder of the placeholders.
const REMOVALS: &str = "combinations_to_remove";
/// File of the phrases that are replaced.
const REPLACEMENTS: &str = "phrase_replacements";

/// The files of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectFiles {
    /// The templates, one per line.
    pub templates: SourceFile,
    /// The files in the folder `placeholders`, by name without the ending: files of values, one per line, and the two files of rules.
    pub placeholders: Vec<(String, SourceFile)>,
}

impl EffectFiles {
    /// SHA-256 of all files, in the order of the folder.
    pub fn hash(&self) -> [u8; 32] {
        let mut hasher = Sha256::new_with_prefix(Sha256::digest(&self.templates.text));
        for (name, file) in &self.placeholders {
            hasher.update(Sha256::digest(name));
            hasher.update(Sha256::digest(&file.text));
        }
        hasher.finalize().into()
    }

    /// Checks the files and builds the library, or returns every fault of every file, in the order of the files and lines.
    pub fn check(&self) -> Result<EffectLibrary, Vec<ImportFault>> {
        let templates = TextFile::new(&self.templates);
        let mut texts = EffectTexts { templates: templates.texts(), ..EffectTexts::default() };
        let mut faults = Vec::new();
        let mut files = BTreeMap::new();
        for (name, file) in &self.placeholders {
            let mut file = TextFile::new(file);
            match name.as_str() {
                REMOVALS => {
                    file.drop_comments();
                    texts.removals = file.texts();
                }
                REPLACEMENTS => {
                    file.drop_comments();
                    faults.extend(file.drop_lines_without_colon());
                    texts.replacements = file.replacements();
                }
                _ => drop(texts.placeholders.insert(name.clone(), file.texts())),
            }
            files.insert(name.as_str(), file);
        }
        let found = match texts.check() {
            Ok(library) if faults.is_empty() => return Ok(library),
            checked => checked.err().into_iter().flatten(),
        };
        faults.extend(found.map(|fault| place(&templates, &files, fault)));
        faults.sort_by(|one, other| (&one.file, one.position).cmp(&(&other.file, other.position)));
        Err(faults)
    }
}

/// Converts a fault to a fault of the file that contains it, with its position.
fn place(
    templates: &TextFile<'_>,
    files: &BTreeMap<&str, TextFile<'_>>,
    fault: EffectFault,
) -> ImportFault {
    let mut parts = fault.pointer.split('/').skip(1);
    let (name, number) = match (parts.next(), parts.next(), parts.next()) {
        (Some("placeholders"), Some(name), number) => {
            (name.replace("~1", "/").replace("~0", "~"), number)
        }
        (Some("removals"), number, _) => (REMOVALS.to_owned(), number),
        (Some("replacements"), number, _) => (REPLACEMENTS.to_owned(), number),
        (_, number, _) => (String::new(), number),
    };
    let file = files.get(name.as_str()).unwrap_or(templates);
    let begin = number.and_then(|number| file.lines.get(number.parse::<usize>().ok()?));
    let position = begin.map(|(Position { line, column }, _)| Position {
        line: *line,
        column: column + fault.column.map_or(0, |inner| inner - 1),
    });
    ImportFault { position, ..ImportFault::new(&file.file.name, "", fault.message) }
}

struct TextFile<'a> {
    file: &'a SourceFile,
    /// Trimmed lines without the blank ones, each with the position of its first character.
    lines: Vec<(Position, &'a str)>,
}

impl<'a> TextFile<'a> {
    fn new(file: &'a SourceFile) -> Self {
        Self { file, lines: filled_lines(&file.text).collect() }
    }

    fn drop_comments(&mut self) {
        self.lines.retain(|(_, line)| !line.starts_with('#'));
    }

    /// Drops lines that are not replacements, and returns a fault for each.
    fn drop_lines_without_colon(&mut self) -> Vec<ImportFault> {
        let (sound, faulty): (Vec<_>, Vec<_>) =
            self.lines.drain(..).partition(|(_, line)| line.contains(':'));
        self.lines = sound;
        let fault = |(position, _): (Position, &str)| ImportFault {
            position: Some(position),
            ..ImportFault::new(&self.file.name, "", "has no `:`: write `old phrase: new phrase`")
        };
        faulty.into_iter().map(fault).collect()
    }

    fn texts(&self) -> Vec<String> {
        self.lines.iter().map(|(_, line)| (*line).to_owned()).collect()
    }

    fn replacements(&self) -> Vec<Replacement> {
        let parts = self.lines.iter().filter_map(|(_, line)| line.split_once(':'));
        let trimmed = |text: &str| text.trim().to_owned();
        parts.map(|(old, new)| Replacement { old: trimmed(old), new: trimmed(new) }).collect()
    }
}

/// Trimmed lines without the blank ones. They end in LF, CRLF or CR.
fn filled_lines(text: &str) -> impl Iterator<Item = (Position, &str)> {
    let lines = text.split('\n').flat_map(|line| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        line.split('\r')
    });
    let placed = (1..).zip(lines).map(|(number, line)| {
        let indent = line.chars().take_while(|character| character.is_whitespace()).count();
        (Position { line: number, column: indent + 1 }, line.trim())
    });
    placed.filter(|(_, line)| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line that cannot be read hides no other fault. Lines are those of the file, with blank lines and comments.
    #[test]
    fn every_fault_has_its_line_and_column() {
        let file = |name: &str, text: &str| (name.to_owned(), SourceFile::new(name, text));
        let files = EffectFiles {
            templates: SourceFile::new("templates", "Rest.\n\n  Take <nope>.\r\n<a b>\n"),
            placeholders: vec![
                file(REMOVALS, "# Too weak.\n\nDraw 1\n"),
                file("number", "1\n\n2 <none>\n x <number>\n"),
                file("odd", "\n"),
                file(REPLACEMENTS, "# How it is said.\n1 cards: 1 card\n no colon\n1 cards: one\n"),
            ],
        };
        let faults: Vec<String> =
            files.check().unwrap_err().iter().map(ToString::to_string).collect();
        let expected = [
            "number:3:3: <none> has no values",
            "number:4:4: the values of <number> lead back to <number>",
            "odd: must have at least one value",
            "phrase_replacements:3:2: has no `:`: write `old phrase: new phrase`",
            "phrase_replacements:4:1: is replaced by a rule before this one",
            "templates:3:8: <nope> has no values",
            "templates:4:1: <a b> is no placeholder: <name>, <name+N> or <name-N> is",
        ];
        assert_eq!(faults, expected);
    }
}
