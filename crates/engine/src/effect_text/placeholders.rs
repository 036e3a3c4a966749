//! The values of placeholders: one file for each name.

use std::collections::BTreeMap;

use super::lines::filled_lines;
use super::template::{Template, TemplateError};

/// Values by name. Each value is itself a template, so values may have places of their own.
///
/// A file has one value on a line; lines are trimmed, blank ones ignored. `#` does not begin a comment. A `_` means nothing, so that a line with
/// only a `_` is an empty value; names in brackets keep their underscores.
///
/// ```
/// use cardscape_engine::effect_text::Placeholders;
///
/// let placeholders = Placeholders::new([("number", "1\n2\n\n 3 \n"), ("act", "draw <number>\n")]);
/// let numbers: Vec<&str> = placeholders.values("number").map(|value| value.source()).collect();
/// assert_eq!(numbers, ["1", "2", "3"]);
/// let grades = Placeholders::new([("grade", "or higher\n_\n")]);
/// assert_eq!(grades.values("grade").map(|value| value.source()).collect::<Vec<_>>(), ["or higher", ""]);
/// assert_eq!(placeholders.values("nobody").count(), 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placeholders {
    files: BTreeMap<String, Vec<Line>>,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// From 1.
    pub(super) number: usize,
    /// A fault matters only if the value is used: a folder may have files that do not contain values.
    pub(super) value: Result<Template, TemplateError>,
}

impl Placeholders {
    /// Creates the values from names and the texts of their files.
    pub fn new<N: Into<String>, T: AsRef<str>>(files: impl IntoIterator<Item = (N, T)>) -> Self {
        let files = files.into_iter().map(|(name, text)| (name.into(), read(text.as_ref())));
        Self { files: files.collect() }
    }

    /// Reads only the files that the templates lead to, also through values. `file` returns the text for a name, or `None` if there is no such file.
    pub fn load<E>(
        templates: &[Template],
        mut file: impl FnMut(&str) -> Result<Option<String>, E>,
    ) -> Result<Self, E> {
        let mut files = BTreeMap::new();
        let mut wanted: Vec<String> = names(templates);
        wanted.reverse();
        while let Some(name) = wanted.pop() {
            if files.contains_key(&name) {
                continue;
            }
            let Some(text) = file(&name)? else {
                files.insert(name, Vec::new());
                continue;
            };
            let lines = read(&text);
            wanted.extend(names(lines.iter().filter_map(|line| line.value.as_ref().ok())));
            files.insert(name, lines);
        }
        Ok(Self { files })
    }

    /// The names that have values, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter(|(_, lines)| !lines.is_empty()).map(|(name, _)| name.as_str())
    }

    /// The values of a name, in the order of the file; those that are faulty are left out.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &Template> {
        self.lines(name).iter().filter_map(|line| line.value.as_ref().ok())
    }

    /// Every fault of every file: name, line from 1, and what is wrong.
    pub fn faults(&self) -> impl Iterator<Item = (&str, usize, &TemplateError)> {
        self.files.iter().flat_map(|(name, lines)| {
            lines
                .iter()
                .filter_map(|line| Some((name.as_str(), line.number, line.value.as_ref().err()?)))
        })
    }

    pub(super) fn lines(&self, name: &str) -> &[Line] {
        self.files.get(name).map_or(&[], Vec::as_slice)
    }

    /// A name and its lines, when it has any.
    pub(super) fn entry(&self, name: &str) -> Option<(&str, &[Line])> {
        let (name, lines) = self.files.get_key_value(name)?;
        (!lines.is_empty()).then_some((name.as_str(), lines.as_slice()))
    }
}

fn read(text: &str) -> Vec<Line> {
    filled_lines(text)
        .map(|(number, line)| Line { number, value: Template::parse_value(line) })
        .collect()
}

/// The names that templates use, in order, repeated ones too.
fn names<'a>(templates: impl IntoIterator<Item = &'a Template>) -> Vec<String> {
    templates
        .into_iter()
        .flat_map(Template::placeholders)
        .map(|placeholder| placeholder.name().to_owned())
        .collect()
}
