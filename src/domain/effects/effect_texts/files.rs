//! Effect texts in the folder of a game: `effects/all_effect_templates.txt` and `placeholders/*.txt`.

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

    /// Checks the files and builds the library, or returns every fault of every file.
    pub fn check(&self) -> Result<EffectLibrary, Vec<ImportFault>> {
        let mut texts = EffectTexts { templates: lines(&self.templates), ..EffectTexts::default() };
        let mut faults = Vec::new();
        for (name, file) in &self.placeholders {
            match name.as_str() {
                REMOVALS => {
                    texts.removals = rules(file).map(|(_, phrase)| phrase.to_owned()).collect()
                }
                REPLACEMENTS => {
                    for (number, line) in rules(file) {
                        match line.split_once(':') {
                            Some((old, new)) => texts.replacements.push(Replacement {
                                old: old.trim().to_owned(),
                                new: new.trim().to_owned(),
                            }),
                            None => faults.push(ImportFault::new(
                                &file.name,
                                "",
                                format!("line {number} has no `:`"),
                            )),
                        }
                    }
                }
                _ => drop(texts.placeholders.insert(name.clone(), lines(file))),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        texts.check().map_err(|faults| faults.into_iter().map(|fault| self.place(fault)).collect())
    }

    /// Converts a fault to a fault of the file that contains it.
    fn place(&self, fault: EffectFault) -> ImportFault {
        let mut parts = fault.pointer.split('/').skip(1);
        let wanted = match (parts.next(), parts.next()) {
            (Some("placeholders"), Some(name)) => name,
            (Some("removals"), _) => REMOVALS,
            (Some("replacements"), _) => REPLACEMENTS,
            _ => "",
        };
        let file = self.placeholders.iter().find(|(name, _)| name == wanted);
        let file = file.map_or(&self.templates, |(_, file)| file);
        ImportFault::new(&file.name, "", fault.message)
    }
}

/// Lines with their numbers (from 1), trimmed, without the blank ones. They end in LF, CRLF or CR.
fn numbered(file: &SourceFile) -> impl Iterator<Item = (usize, &str)> {
    let text = file.text.as_str();
    let unix = text.split('\n').flat_map(|line| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        line.split('\r')
    });
    let numbered = (1..).zip(unix).map(|(number, line)| (number, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty())
}

fn lines(file: &SourceFile) -> Vec<String> {
    numbered(file).map(|(_, line)| line.to_owned()).collect()
}

/// Lines that are not comments.
fn rules(file: &SourceFile) -> impl Iterator<Item = (usize, &str)> {
    numbered(file).filter(|(_, line)| !line.starts_with('#'))
}
